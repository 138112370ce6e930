/* Poses of two meshes near each other, in long double. */
#ifndef TEST_MESH_PAIR_TWO_MESHES_H
#define TEST_MESH_PAIR_TWO_MESHES_H

#include "support/meshes.h"

typedef long double ldouble;

typedef struct ldvec {
  ldouble x, y, z;
} ldvec;

static inline ldvec minus(ldvec a, ldvec b) {
  return (ldvec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline ldouble dot(ldvec a, ldvec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ldvec cross(ldvec a, ldvec b) {
  return (ldvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline ldvec image(const mo_transform *m, mo_vec3 p) {
  const ldouble x = p.x, y = p.y, z = p.z;
  return (ldvec){m->origin.x + (m->x_axis.x * x + m->y_axis.x * y + m->z_axis.x * z),
                 m->origin.y + (m->x_axis.y * x + m->y_axis.y * y + m->z_axis.y * z),
                 m->origin.z + (m->x_axis.z * x + m->y_axis.z * y + m->z_axis.z * z)};
}

static inline mo_vec3 some_vertex(const test_mesh *mesh, rng *r) {
  return mesh->positions[rng_below(r, mesh->vertex_count)];
}

/* Moves a map so that a vertex of one mesh lies near one of the other. */
static inline void bring_together(const test_mesh *a, const mo_transform *map_a, const test_mesh *b,
                                  mo_transform *map_b, rng *r) {
  const ldvec there = image(map_a, some_vertex(a, r)), here = image(map_b, some_vertex(b, r));
  const float nudge = rng_chance(r, 0.5) ? 0.0f : rng_float(r, -1e-6f, 1e-6f);
  map_b->origin.x += (float)((there.x - here.x) * (1 + (ldouble)nudge));
  map_b->origin.y += (float)(there.y - here.y);
  map_b->origin.z += (float)(there.z - here.z);
}

#endif
