/* Shared by queries of all kinds, on meshes and on scenes: checks of input, statistics, normals. */
#ifndef MO_MESH_QUERY_H
#define MO_MESH_QUERY_H

#include <float.h>
#include <motte/overlap.h>

#include "math/affine.h"
#include "math/check.h"
#include "mesh/mesh.h"

/* The local normal of the triangle at a place; not normalised. */
static inline mo_dvec3 mo_mesh_normal(const mo_mesh *mesh, mo_triangle_place place) {
  mo_vec3 corners[3];
  mo_mesh_corners_at(mesh, place, corners);
  return mo_triangle_cross(corners);
}

/* A box around a mesh in the world; its own bounds if `affine` is null. */
static inline mo_aabb mo_mesh_bounds_in_world(const mo_mesh *mesh, const mo_affine *affine) {
  return affine != NULL ? mo_affine_aabb_to_world(affine, mesh->bounds) : mesh->bounds;
}

/* Checks the def of a ray query on a mesh or scene; nothing is logged if `refusal` is null. */
mo_result mo_check_ray_def(const mo_ray_def *def, const mo_refusal *refusal);

/* Logs what is wrong with the ray of a public function; returns the error. `host` may be null. */
MO_COLD mo_result mo_refuse_ray(const mo_host *host, const char *function, const mo_ray_def *ray);

/* Whether a ray and its filter were made by default functions. */
static inline bool mo_ray_has_cookies(const mo_ray_def *def) {
  return ((def->cookie ^ MO_COOKIE) | (def->filter.cookie ^ MO_COOKIE)) == 0;
}

/* As mo_check_ray_def, without logging, and fast for legal rays. */
static inline mo_result mo_check_ray(const mo_ray_def *def) {
  mo_f4 origin = mo_f4_abs(mo_f4_from(&def->origin, 0.0f));
  mo_f4 direction = mo_f4_abs(mo_f4_from(&def->direction, 0.0f));
  /* Each of these comparisons is false for NaN. */
  bool legal = mo_f4_every((origin <= mo_f4_splat(MO_MAX_COORDINATE)) &
                           (direction <= mo_f4_splat(FLT_MAX))) &&
               mo_f4_any(direction > mo_f4_splat(0.0f)) && def->min_t >= 0.0f &&
               def->min_t <= FLT_MAX && def->max_t == def->max_t && mo_ray_has_cookies(def);
  return legal ? MO_OK : mo_check_ray_def(def, NULL);
}

/* Whether the direction of a ray is not zero. Only a segment of length zero, which hits nothing,
 * may have none here: other rays without a direction have been rejected. */
static inline bool mo_ray_has_direction(const mo_ray_def *def) {
  return def->direction.x != 0.0f || def->direction.y != 0.0f || def->direction.z != 0.0f;
}

/* Checks `planes`, the member named `member` of the argument that `refusal` describes. */
mo_result mo_check_planes(const mo_plane *planes, uint32_t count, const mo_refusal *refusal,
                          const char *member);

mo_result mo_check_cull_def(const mo_cull_def *def, const mo_refusal *refusal);

/* Checks a filter, the member named `member` of the argument that `refusal` describes. */
static inline mo_result mo_check_filter(const mo_filter *filter, const mo_refusal *refusal,
                                        const char *member) {
  return mo_check_cookie(filter->cookie, refusal, member, "mo_default_filter");
}

/* mo_stats_begin returns the statistics in which a query counts; mo_stats_end adds them to those of
 * the caller. All pointers may be null. */
mo_query_stats mo_stats_begin(const mo_query_stats *callers);
void mo_stats_end(const mo_query_stats *query, mo_query_stats *callers);

static inline void mo_count_mesh_node(mo_query_stats *stats, const mo_mesh *mesh, uint32_t node) {
  stats->mesh_node_count++;
  if (stats->visited_mesh == mesh && stats->mesh_visits != NULL) {
    const uint32_t index = mo_mesh_node_index(mesh, node);
    if (index < stats->mesh_visit_capacity) {
      stats->mesh_visits[index]++;
    }
  }
}

#endif
