/* Meshes for tests: generated ones of every kind that has ever broken a tree, and real ones. */
#ifndef TEST_MESHES_H
#define TEST_MESHES_H

#include <motte/mesh.h>

#include "support/rng.h"

/* An indexed triangle mesh. `closed`: every edge is shared by exactly two triangles wound alike,
 * and the surface bounds a solid with outward normals. `center` is then a point well inside. */
typedef struct test_mesh {
  char name[96];
  mo_vec3 *positions;
  uint32_t vertex_count, vertex_capacity;
  uint32_t *indices;
  uint32_t triangle_count, triangle_capacity;
  bool closed;
  mo_vec3 center;
} test_mesh;

/* The kinds of generated meshes. */
#define TEST_MESH_KINDS(X)                                                                         \
  X(TERRAIN, "terrain")             /* a grid of heights */                                        \
  X(FLAT, "flat")                   /* a grid in one plane */                                      \
  X(SPHERE, "sphere")               /* an icosahedron subdivided; closed */                        \
  X(TORUS, "torus")                 /* closed */                                                   \
  X(BOX, "box")                     /* closed, faces subdivided regularly, axis-aligned */         \
  X(IRREGULAR, "irregular")         /* closed: a sphere with random edges split again and again */ \
  X(SPIKES, "spikes")               /* closed: a sphere with radii from 1 to 4 */                  \
  X(LATTICE, "lattice")             /* closed: a box with small integer coordinates */             \
  X(SOUP, "soup")                   /* random triangles */                                         \
  X(SLIVERS, "slivers")             /* heights of 1e-4 to 1e-7 of their length */                  \
  X(LONG_THIN, "long-thin")         /* as long as the mesh, in random directions */                \
  X(LONG_PARALLEL, "long-parallel") /* as long as the mesh, side by side, on a diagonal */         \
  X(COINCIDENT, "coincident")       /* one triangle, many times */                                 \
  X(DUPLICATED, "duplicated")       /* a sphere whose triangles come two to four times */          \
  X(DEGENERATE, "degenerate")       /* segments and points among triangles */                      \
  X(ALL_DEGENERATE, "all-degenerate") /* nothing but segments and points */                        \
  X(COLLINEAR, "collinear") /* segments at 1e6, and slivers hardly wider than rounding */          \
  X(ONE, "one")             /* a single triangle */                                                \
  X(ZERO, "zero")           /* no triangle */                                                      \
  X(CLUSTERS, "clusters")   /* sizes from 1 to 1e6 */                                              \
  X(OFFSET, "offset")       /* closed: a sphere of radius 1 at 1e6 */                              \
  X(TINY, "tiny")           /* closed: a sphere of radius 1e-30 */                                 \
  X(HUGE, "huge")           /* closed: a sphere of radius 5e29 */                                  \
  X(MIXED, "mixed")         /* extents 1e-30 and 1e29 in one mesh */                               \
  X(SHEETS, "sheets")       /* parallel squares close above each other */                          \
  X(FAN, "fan")             /* all triangles share one vertex; closed double cone */

typedef enum test_mesh_kind {
#define TEST_MESH_ENUM(name, text) TEST_MESH_##name,
  TEST_MESH_KINDS(TEST_MESH_ENUM)
#undef TEST_MESH_ENUM
      TEST_MESH_KIND_COUNT,
} test_mesh_kind;

const char *test_mesh_kind_name(test_mesh_kind kind);

/* A mesh of a kind with about `size` triangles (ONE and ZERO have their own). */
test_mesh test_mesh_make(test_mesh_kind kind, uint32_t size, rng *r);
void test_mesh_free(test_mesh *mesh);

/* Parts for generators: a new vertex or triangle, and a sphere of at least `size` triangles. */
uint32_t test_mesh_add_vertex(test_mesh *mesh, float x, float y, float z);
void test_mesh_add_triangle(test_mesh *mesh, uint32_t a, uint32_t b, uint32_t c);
test_mesh test_mesh_make_sphere(uint32_t size);

/* Three new vertices and their triangle. */
void test_mesh_add_corners(test_mesh *mesh, mo_vec3 a, mo_vec3 b, mo_vec3 c);

/* The generators of meshes_hard.c; used through test_mesh_make. */
test_mesh test_mesh_make_hard(test_mesh_kind kind, uint32_t size, rng *r);

/* p -> scale * p + offset for every vertex. */
void test_mesh_place(test_mesh *mesh, float scale, mo_vec3 offset);

/* The corners of one triangle. */
void test_mesh_corners(const test_mesh *mesh, uint32_t triangle, mo_vec3 corners[3]);
mo_aabb test_mesh_bounds(const test_mesh *mesh);

/* A def of the library for it, with default options; points into `mesh`. */
mo_mesh_def test_mesh_def(const test_mesh *mesh);

/* Makes a mesh of the library with default options, or ends the program. */
mo_mesh *test_mesh_build(const test_mesh *mesh);

/* A square of two triangles in the plane z = 0, from `lower` to `upper` along x and y. */
mo_mesh *test_mesh_build_square(float lower, float upper);

#endif
