/* The scenes of the suite of physics steps. */
#ifndef BENCH_STEP_SCENES_H
#define BENCH_STEP_SCENES_H

#include "mesh_file.h"
#include "step.h"

typedef enum bench_step_kind {
  BENCH_STEP_PILE,    /* boxes and balls fall in a heap on a floor */
  BENCH_STEP_TERRAIN, /* bodies of all convex kinds fall on triangles */
  BENCH_STEP_WALL,    /* walls of bricks, each hit by a heavy ball */
  BENCH_STEP_BOWL,    /* bodies fall in a bowl of triangles */
  BENCH_STEP_SLIDE,   /* boxes slide over flat triangles */
  BENCH_STEP_KINDS
} bench_step_kind;

extern const char *const bench_step_names[BENCH_STEP_KINDS];

/* A scene of so many bodies and some static ones, whose motion is not recorded yet. `mesh` takes
 * the place of the generated ground of BENCH_STEP_TERRAIN, scaled to the heap; null: none. The
 * scene takes it over. */
bench_step_scene *bench_step_scene_create(bench_step_kind kind, uint32_t bodies, bench_mesh *mesh,
                                          uint64_t seed);
void bench_step_scene_destroy(bench_step_scene *scene);

/* Lets the bodies move by so many steps of a sixtieth of a second, and records these. Motte finds
 * the contacts, sequential impulses (Catto 2005) follow from them. False: interrupted. */
bool bench_step_record(bench_step_scene *scene, uint32_t frames);

#endif
