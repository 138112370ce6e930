/* What queries on one mesh must answer. */
#include <stdlib.h>

#include "geometry/ray/triangle.h"
#include "geometry/triangle/triangle.h"
#include "mesh/overlap/overlap.h"
#include "mesh/query.h"
#include "oracle/exact.h"
#include "oracle/oracle.h"

static void widen(const oracle_triangle *triangle, mo_dvec3 corners[3]) {
  for (int i = 0; i < 3; i++) {
    corners[i] = mo_widen(triangle->corners[i]);
  }
}

void oracle_mesh_aabb(const oracle_mesh *oracle, const mo_aabb *box, oracle_list *triangles) {
  for (uint32_t i = 0; i < oracle->count; i++) {
    mo_dvec3 corners[3];
    widen(&oracle->triangles[i], corners);
    if (!oracle_far_apart(oracle->boxes[i], *box) && mo_triangle_overlaps_aabb(corners, *box)) {
      *(uint32_t *)oracle_list_add(triangles, sizeof(uint32_t)) = i;
    }
  }
}

void oracle_mesh_sphere(const oracle_mesh *oracle, const mo_sphere *sphere,
                        oracle_list *triangles) {
  mo_vec3 c = sphere->center;
  float r = sphere->radius;
  mo_aabb box = {{c.x - r, c.y - r, c.z - r}, {c.x + r, c.y + r, c.z + r}};
  for (uint32_t i = 0; i < oracle->count; i++) {
    mo_dvec3 corners[3];
    widen(&oracle->triangles[i], corners);
    if (!oracle_far_apart(oracle->boxes[i], box) && mo_triangle_overlaps_sphere(corners, *sphere)) {
      *(uint32_t *)oracle_list_add(triangles, sizeof(uint32_t)) = i;
    }
  }
}

void oracle_mesh_planes(const oracle_mesh *oracle, const mo_plane *planes, uint32_t plane_count,
                        oracle_list *triangles) {
  for (uint32_t i = 0; i < oracle->count; i++) {
    mo_dvec3 corners[3];
    widen(&oracle->triangles[i], corners);
    if (mo_triangle_overlaps_planes(corners, planes, plane_count)) {
      *(uint32_t *)oracle_list_add(triangles, sizeof(uint32_t)) = i;
    }
  }
}

static int compare_hits(const void *left, const void *right) {
  const mo_ray_hit *a = left, *b = right;
  if (a->t != b->t) {
    return a->t < b->t ? -1 : 1;
  }
  return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

/* The unit normal by the right-hand rule, in double: scaled first, so that no square overflows or
 * vanishes. */
static mo_vec3 normal_of(const mo_vec3 corners[3]) {
  mo_dvec3 a = mo_widen(corners[0]);
  mo_dvec3 n = mo_dcross(mo_dsub(mo_widen(corners[1]), a), mo_dsub(mo_widen(corners[2]), a));
  return oracle_unit(n);
}

void oracle_mesh_rays(const oracle_mesh *oracle, const mo_ray_def *ray, oracle_list *hits) {
  mo_vec3 d = ray->direction;
  if (d.x == 0 && d.y == 0 && d.z == 0) {
    return;
  }
  mo_ray prepared;
  const mo_vec3 weights = {1, 1, 1}, none = {0, 0, 0};
  mo_ray_init(&prepared, &ray->origin, &d, ray->min_t, &weights, &none, 0);
  oracle_line line = oracle_line_make(oracle, ray->origin, d, weights);
  unsigned char near[ORACLE_TOGETHER];
  for (uint32_t i = 0; i < oracle->count; i++) {
    if (i % ORACLE_TOGETHER == 0) {
      oracle_line_near(oracle, &line, i, near);
    }
    const oracle_triangle *triangle = &oracle->triangles[i];
    mo_triangle_hit hit;
    if (!near[i % ORACLE_TOGETHER] || i == ray->ignore_triangle ||
        !mo_ray_test_nondegenerate_triangle(&prepared, triangle->corners, ray->max_t,
                                            ray->cull_back_faces, &hit) ||
        exact_is_degenerate(triangle->corners) ||
        (ray->accept_triangle != NULL &&
         !ray->accept_triangle((mo_triangle_ref){{0, 0}, i, 0}, hit.t, ray->accept_context))) {
      continue;
    }
    *(mo_ray_hit *)oracle_list_add(hits, sizeof(mo_ray_hit)) = (mo_ray_hit){
        .found = true,
        .triangle = i,
        .triangle_user_data = triangle->user_data,
        .t = hit.t,
        .point = mo_add(ray->origin, mo_scale(hit.t, d)),
        .normal = normal_of(triangle->corners),
        .u = hit.u,
        .v = hit.v,
        .front = hit.front,
    };
  }
  if (hits->count > 1) {
    qsort(hits->items, hits->count, sizeof(mo_ray_hit), compare_hits);
  }
}

mo_aabb oracle_mesh_bounds(const oracle_mesh *oracle) {
  mo_aabb bounds = mo_aabb_empty();
  for (uint32_t i = 0; i < oracle->count; i++) {
    bounds = mo_aabb_union(bounds, oracle->boxes[i]);
  }
  return bounds;
}

bool oracle_mesh_contains(const oracle_mesh *oracle, mo_vec3 point) {
  uint32_t crossings = 0;
  if (!mo_aabb_contains(oracle_mesh_bounds(oracle), (mo_aabb){point, point})) {
    return false; /* an open mesh may be crossed an odd number of times all the same */
  }
  for (uint32_t i = 0; i < oracle->count; i++) {
    crossings += mo_triangle_crosses_x_ray(oracle->triangles[i].corners, point);
  }
  return crossings & 1;
}
