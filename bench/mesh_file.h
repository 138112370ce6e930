/* Meshes to measure with: triangles that the demos know how to get, with a name and bounds. */
#ifndef BENCH_MESH_FILE_H
#define BENCH_MESH_FILE_H

#include "common/triangles.h"

typedef struct bench_mesh {
  char *name; /* the file's, without folder and extension */
  /* One unused position follows the last, as peers that read sixteen bytes at a time want. */
  struct triangles triangles;
  mo_aabb bounds; /* of the vertices that triangles use */
} bench_mesh;

/* Takes the arrays and the name over. */
bench_mesh *bench_mesh_of(struct triangles triangles, char *name);

/* Fails with a message. */
bench_mesh *bench_mesh_load(const char *path);

/* A knot of segments * segments / 4 triangles, for when there is no file. */
bench_mesh *bench_mesh_generate(uint32_t segments);

/* Long thin triangles in all directions, from anywhere to anywhere in [-1, 1]. */
bench_mesh *bench_mesh_generate_sticks(uint32_t count, uint64_t seed);

/* The convex hull of points, which must not lie on a line. */
bench_mesh *bench_mesh_hull_of(const mo_vec3 *points, uint32_t count);

/* Moves the mesh to the origin and scales it to fit in [-1, 1] on every axis. */
void bench_mesh_normalise(bench_mesh *mesh);

/* After its positions have been changed. */
void bench_mesh_find_bounds(bench_mesh *mesh);

void bench_mesh_free(bench_mesh *mesh);

/* A def with the arrays set. */
mo_mesh_def bench_mesh_def(const bench_mesh *mesh);

/* The corners of a triangle. */
static inline void bench_mesh_corners(const bench_mesh *mesh, uint32_t triangle,
                                      mo_vec3 corners[3]) {
  for (size_t i = 0; i < 3; i++) {
    corners[i] = mesh->triangles.positions[mesh->triangles.indices[3 * (size_t)triangle + i]];
  }
}

#endif
