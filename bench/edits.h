/* What the suite of edited meshes asks of an engine, and the ground that is edited. */
#ifndef BENCH_EDITS_H
#define BENCH_EDITS_H

#include "engine.h"
#include "engine_id.h"
#include "mesh_file.h"

typedef enum bench_edit_kind {
  BENCH_EDIT_SINK,   /* vertices move down */
  BENCH_EDIT_DIG,    /* triangles move down, and others that are added wall them in */
  BENCH_EDIT_REMOVE, /* triangles are removed */
  BENCH_EDITS
} bench_edit_kind;

/* Null past the last. */
const char *bench_edit_name(unsigned kind);

/* A grid of hills, of which each edit changes another square: 200 triangles. */
typedef struct bench_ground bench_ground;

/* The ground as it was made is `bench_ground_mesh`. */
bench_ground *bench_ground_create(uint32_t triangles, bench_edit_kind kind, uint64_t seed);
void bench_ground_free(bench_ground *self);

/* How many squares there are. */
uint32_t bench_ground_squares(const bench_ground *self);

/* The next edit; its arrays are the ground's, until the next call. */
const mo_mesh_edit_def *bench_ground_edit(bench_ground *self);

/* The triangles as they are after the edits so far, without removed ones. For bench_mesh_free. */
bench_mesh *bench_ground_mesh(const bench_ground *self);

typedef struct bench_edit_engine {
  bench_engine_id id;
  bool edges;    /* meshes have `edges`, as contacts want */
  bool rebuilds; /* makes a new mesh of all triangles in place of an edit */
} bench_edit_engine;

#endif
