/* Checks, defs and statistics that the public queries share, and the public ray queries on one
 * mesh. */
#include "mesh/query.h"

#include "base/bounded.h"
#include "mesh/rays/rays.h"

/* --- default defs of queries --- */

mo_filter mo_default_filter(void) {
  return (mo_filter){.category = UINT64_MAX, .mask = UINT64_MAX, .cookie = MO_COOKIE};
}

mo_ray_def mo_default_ray_def(void) {
  static const mo_ray_def def = {
      .max_t = INFINITY,
      .filter = {.category = UINT64_MAX, .mask = UINT64_MAX, .cookie = MO_COOKIE},
      .ignore_triangle = MO_NO_TRIANGLE,
      .cookie = MO_COOKIE,
  };
  return def;
}

mo_ray_def mo_segment_def(mo_vec3 from, mo_vec3 to) {
  mo_ray_def def = mo_default_ray_def();
  def.origin = from;
  def.direction = mo_sub(to, from);
  def.max_t = 1.0f;
  return def;
}

mo_cull_def mo_default_cull_def(void) {
  return (mo_cull_def){.filter = mo_default_filter(), .cookie = MO_COOKIE};
}

/* --- checks of the arguments of queries --- */

mo_result mo_check_ray_def(const mo_ray_def *def, const mo_refusal *refusal) {
  mo_result result =
      mo_check_cookie(def->cookie, refusal, "", "mo_default_ray_def or mo_segment_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    result = mo_check_finite(def->origin, refusal, ".origin");
  }
  if (result == MO_OK) {
    result = mo_check_finite(def->direction, refusal, ".direction");
  }
  if (result == MO_OK && !isfinite(def->min_t)) {
    result = mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, ".min_t", def->min_t, NULL);
  }
  if (result == MO_OK && isnan(def->max_t)) {
    result = mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, ".max_t", def->max_t, NULL);
  }
  if (result == MO_OK) {
    result = mo_check_point(def->origin, refusal, ".origin");
  }
  bool is_segment = def->max_t <= 1.0f; /* a segment with equal ends is legal, and hits nothing */
  if (result == MO_OK && !mo_ray_has_direction(def) && !is_segment) {
    result = mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".direction is zero");
  }
  if (result == MO_OK && def->min_t < 0.0f) {
    result = mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".min_t", def->min_t,
                              "which is negative");
  }
  return result;
}

mo_result mo_refuse_ray(const mo_host *host, const char *function, const mo_ray_def *ray) {
  mo_refusal refusal = mo_refusal_of(host, function, "ray");
  return mo_check_ray_def(ray, &refusal);
}

/* Checks that the numbers of a plane are small enough for their products with coordinates to stay
 * finite. The normal may have any length. */
static mo_result check_plane(const mo_plane *plane, const mo_refusal *refusal) {
  const float max_normal = 1e6f, max_offset = 1e37f;
  mo_vec3 n = plane->normal;
  mo_result result = mo_check_finite(n, refusal, ".normal");
  if (result == MO_OK && !isfinite(plane->offset)) {
    result = mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, ".offset", plane->offset, NULL);
  }
  if (result == MO_OK) {
    float max = mo_max(mo_max(fabsf(n.x), fabsf(n.y)), fabsf(n.z));
    result = mo_check_size(max, max_normal, refusal, ".normal: the largest component");
  }
  return result == MO_OK
             ? mo_check_size(fabsf(plane->offset), max_offset, refusal, ".offset: the magnitude")
             : result;
}

mo_result mo_check_planes(const mo_plane *planes, uint32_t count, const mo_refusal *refusal,
                          const char *member) {
  if (count > MO_MAX_PLANES) {
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, "%s are %u, more than MO_MAX_PLANES",
                     member, count);
  }
  if (count > 0 && planes == NULL) {
    return mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, "%s is null", member);
  }
  for (uint32_t i = 0; i < count; i++) {
    mo_refusal here = mo_refusal_in(refusal, member, i);
    mo_result result = check_plane(&planes[i], &here);
    if (result != MO_OK) {
      return result;
    }
  }
  return MO_OK;
}

/* --- statistics of queries --- */

mo_query_stats mo_stats_begin(const mo_query_stats *callers) {
  mo_query_stats stats = {0};
  if (callers != NULL) {
    stats.scene_visits = callers->scene_visits;
    stats.scene_visit_capacity = callers->scene_visit_capacity;
    stats.mesh_visits = callers->mesh_visits;
    stats.mesh_visit_capacity = callers->mesh_visit_capacity;
    stats.visited_mesh = callers->visited_mesh;
  }
  return stats;
}

void mo_stats_end(const mo_query_stats *query, mo_query_stats *callers) {
  if (query != NULL && callers != NULL) {
    callers->scene_node_count += query->scene_node_count;
    callers->scene_block_count += query->scene_block_count;
    callers->shape_count += query->shape_count;
    callers->mesh_node_count += query->mesh_node_count;
    callers->mesh_block_count += query->mesh_block_count;
    callers->triangle_count += query->triangle_count;
    callers->mailbox_hit_count += query->mailbox_hit_count;
    callers->pair_count += query->pair_count;
    callers->distance_count += query->distance_count;
  }
}

/* --- kernels by instruction set --- */

const mo_mesh_ray_kernels *mo_mesh_ray_kernels_for(mo_isa isa) {
  return *mo_mesh_ray_kernels_by_isa[isa];
}

/* --- ray queries on one mesh --- */

bool mo_mesh_trace_ray(const mo_mesh *mesh, const mo_mesh_ray_kernels *kernels,
                       const mo_mesh_ray *in, const mo_mesh_ray_options *options, mo_ray_goal goal,
                       mo_mesh_hit *best) {
  kernels += mesh->format;
  switch (goal) {
  case MO_GOAL_CLOSEST:
    kernels->closest(mesh, in, options, best);
    return best->triangle != MO_NO_TRIANGLE;
  case MO_GOAL_ANY:
    return kernels->any(mesh, in, options, best);
  case MO_GOAL_ALL:
    kernels->all(mesh, in, options, best);
    return false;
  case MO_GOAL_FIRST:
    break;
  }
  kernels->first(mesh, in, options, best);
  return false;
}

mo_dvec3 mo_mesh_ray_normal(const mo_mesh *mesh, mo_triangle_place place,
                            const mo_affine *world_map) {
  if (world_map == NULL) {
    return mo_mesh_normal(mesh, place);
  }
  mo_vec3 corners[3];
  mo_mesh_corners_at(mesh, place, corners);
  for (int i = 0; i < 3; i++) {
    corners[i] = mo_affine_point_to_world_float(world_map, corners[i]);
  }
  const mo_dvec3 normal = mo_triangle_cross(corners);
  return mo_affine_mirrors(world_map) ? mo_dscale(-1.0, normal) : normal;
}

static inline void complete_local_hit(const mo_mesh *mesh, const mo_ray_def *def,
                                      mo_triangle_place place, mo_ray_hit *hit) {
  hit->triangle_user_data = mo_mesh_user_data(mesh, hit->triangle);
  hit->normal = mo_unit_normal(mo_mesh_normal(mesh, place));
  hit->point = mo_add(def->origin, mo_scale(hit->t, def->direction));
}

void mo_mesh_ray_complete_hit(const mo_mesh *mesh, const mo_ray_def *def, mo_ray_hit *hit) {
  complete_local_hit(mesh, def, mo_mesh_triangle_place(mesh, hit->triangle), hit);
}

/* Initialises the options and the result of a ray query. Nothing is counted if the caller's
 * statistics are null. */
static void begin_query(const mo_ray_def *ray, const mo_query_stats *callers,
                        mo_query_stats *counts, mo_mesh_ray_options *options, mo_mesh_hit *best) {
  if (callers != NULL) {
    *counts = mo_stats_begin(callers);
  }
  mo_mesh_ray_options_init(options, ray, callers != NULL ? counts : NULL);
  mo_mesh_hit_init(best, ray->max_t);
}

static bool trace_general_ray(const mo_mesh *mesh, const mo_ray_def *ray,
                              const mo_mesh_ray_options *options, mo_ray_goal goal,
                              mo_mesh_hit *best) {
  mo_mesh_ray in;
  mo_mesh_ray_init(&in, ray, &ray->origin, &ray->direction, NULL);
  return mo_mesh_trace_ray(mesh, mo_mesh_ray_kernels_for(mesh->isa), &in, options, goal, best);
}

mo_result mo_mesh_cast_general_ray(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_hit *hit,
                                   mo_query_stats *stats) {
  if (mo_check_ray(ray) != MO_OK) {
    return mo_refuse_ray(&mesh->host, "mo_mesh_cast_ray", ray);
  }
  mo_query_stats counts;
  mo_mesh_ray_options options;
  mo_mesh_hit best;
  begin_query(ray, stats, &counts, &options, &best);
  if (mo_ray_has_direction(ray)) {
    trace_general_ray(mesh, ray, &options, MO_GOAL_CLOSEST, &best);
  }
  mo_mesh_ray_public_hit(mesh, ray, &best, hit);
  mo_stats_end(options.stats, stats);
  return MO_OK;
}

mo_result mo_mesh_cast_ray(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_hit *hit,
                           mo_query_stats *stats) {
  if (mesh == NULL || ray == NULL || hit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, ray == NULL ? "ray" : "hit");
  }
  return stats == NULL ? mesh->rays->cast(mesh, ray, hit)
                       : mo_mesh_cast_general_ray(mesh, ray, hit, stats);
}

static mo_result test_general_ray(const mo_mesh *mesh, const mo_ray_def *ray, bool *hit,
                                  mo_query_stats *stats) {
  if (mo_check_ray(ray) != MO_OK) {
    return mo_refuse_ray(&mesh->host, "mo_mesh_test_ray", ray);
  }
  mo_query_stats counts;
  mo_mesh_ray_options options;
  mo_mesh_hit best;
  begin_query(ray, stats, &counts, &options, &best);
  *hit = mo_ray_has_direction(ray) && trace_general_ray(mesh, ray, &options, MO_GOAL_ANY, &best);
  mo_stats_end(options.stats, stats);
  return MO_OK;
}

mo_result mo_mesh_test_ray(const mo_mesh *mesh, const mo_ray_def *ray, bool *hit,
                           mo_query_stats *stats) {
  if (mesh == NULL || ray == NULL || hit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, ray == NULL ? "ray" : "hit");
  }
  return stats == NULL && mesh->rays->test(mesh, ray, hit)
             ? MO_OK
             : test_general_ray(mesh, ray, hit, stats);
}

mo_result mo_mesh_cast_ray_all(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_hit *hits,
                               uint32_t capacity, uint32_t *total, mo_query_stats *stats) {
  const char *missing = ray == NULL ? "ray" : mo_missing_of_list(hits, capacity, "hits", total);
  if (mesh == NULL || missing != NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, missing);
  }
  if (mo_check_ray(ray) != MO_OK) {
    return mo_refuse_ray(&mesh->host, __func__, ray);
  }
  mo_query_stats counts;
  mo_bounded_list list = mo_bounded_make(hits, capacity);
  mo_mesh_ray_options options;
  mo_mesh_hit best;
  begin_query(ray, stats, &counts, &options, &best);
  options.hits = &list;
  if (mo_ray_has_direction(ray)) {
    trace_general_ray(mesh, ray, &options, MO_GOAL_ALL, &best);
  }
  mo_bounded_sort(&list, sizeof *hits, mo_hit_before);
  for (uint32_t i = 0; i < list.count; i++) {
    complete_local_hit(mesh, ray, mo_mesh_triangle_place(mesh, hits[i].triangle), &hits[i]);
  }
  *total = list.total;
  mo_stats_end(options.stats, stats);
  return MO_OK;
}

/* --- checks of culling queries --- */

mo_result mo_check_cull_def(const mo_cull_def *def, const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_cull_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  return result == MO_OK ? mo_check_planes(def->planes, def->plane_count, refusal, ".planes")
                         : result;
}
