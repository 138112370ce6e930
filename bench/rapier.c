#include "rapier.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"

static struct RprVector *scaled(const mo_vec3 *points, uint32_t count, float scale) {
  struct RprVector *to = allocate(count, sizeof *to);
  for (uint32_t i = 0; i < count; i++) {
    to[i] = rapier_vector(vec3_scale(scale, points[i]));
  }
  return to;
}

struct RprSharedShape *rapier_hull(const mo_vec3 *points, uint32_t count, float scale) {
  struct RprVector *vertices = scaled(points, count, scale);
  struct RprSharedShape *hull = RprSharedShape_convex_hull(vertices, count);
  free(vertices);
  if (hull == NULL) {
    fail("Rapier makes no hull of %u points", count);
  }
  return hull;
}

struct RprSharedShape *rapier_mesh(const bench_mesh *mesh, float scale) {
  const struct triangles *t = &mesh->triangles;
  struct RprVector *vertices = scaled(t->positions, t->vertex_count, scale);
  struct RprSharedShape *made =
      RprSharedShape_trimesh(vertices, t->vertex_count, t->indices, t->triangle_count, 0);
  free(vertices);
  return made;
}
