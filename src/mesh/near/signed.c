/* Signed distances from closed meshes: winding numbers, and the public queries. */
#include "geometry/triangle/winding.h"
#include "mesh/near/near.h"
#include "mesh/overlap/overlap.h"

bool mo_mesh_winding_test(const mo_vec3 corners[3], const void *query) {
  const mo_mesh_winding *q = query;
  mo_dvec3 relative[3];
  mo_relative_corners(q->affine, corners, q->point, relative);
  *q->last = mo_triangle_winding(relative);
  return *q->last != 0;
}

bool mo_mesh_winding_add(uint32_t triangle, void *query) {
  (void)triangle;
  mo_mesh_winding *q = query;
  q->sum += *q->last;
  return true;
}

/* The bounds of a mesh in the space of the query. */
static mo_aabb bounds_in_query_space(const mo_mesh *mesh, const mo_affine *affine) {
  return affine != NULL ? mo_mesh_image_bounds(mesh, affine) : mesh->bounds;
}

int32_t mo_mesh_winding_around(const mo_mesh *mesh, const mo_affine *affine, mo_isa isa,
                               mo_vec3 point, mo_query_stats *stats) {
  mo_aabb box = bounds_in_query_space(mesh, affine), at = {point, point};
  if (!mo_aabb_contains(box, at)) {
    return 0;
  }
  int32_t last = 0;
  mo_mesh_winding query = {.point = mo_widen(point),
                           .affine = affine,
                           .ray = mo_region_grow(at, mo_aabb_max_coordinates(box)),
                           .last = &last};
  query.ray.upper.x = INFINITY;
  mo_mesh_winding_find_by_isa[isa](mesh, &query, stats);
  return affine != NULL && mo_affine_mirrors(affine) ? -query.sum : query.sum;
}

/* Whether a point lies in the ball around the previous point that the surface does not enter. The
 * margins allow for the rounding of distances. */
static bool is_in_surface_free_ball(const mo_closest_cache *cache, const mo_mesh *mesh,
                                    mo_vec3 point) {
  const mo_dvec3 from = mo_widen(cache->point);
  double length = mo_dlength(mo_dsub(mo_widen(point), from));
  double size = mo_dlength(from) + mo_dlength(mo_widen(mesh->reach));
  return length * (1.0 + 0x1p-20) + 0x1p-40 * size < cache->surface_free_radius * (1.0 - 0x1p-20);
}

static bool is_inside(const mo_mesh *mesh, const mo_affine *affine, mo_isa isa, mo_vec3 point,
                      const mo_closest_cache *cache, mo_query_stats *stats) {
  if (cache != NULL && cache->mesh_is_closed && is_in_surface_free_ball(cache, mesh, point)) {
    return cache->inside;
  }
  return mo_mesh_winding_around(mesh, affine, isa, point, stats) != 0;
}

mo_closest_hit mo_mesh_signed_distance_hit(const mo_mesh *mesh, const mo_affine *affine, mo_isa isa,
                                           mo_vec3 point, float max_distance,
                                           mo_closest_cache *cache, mo_query_stats *stats) {
  const bool inside = is_inside(mesh, affine, isa, point, cache, stats);
  if (!inside && max_distance < 0.0f) {
    return (mo_closest_hit){.triangle = MO_NO_TRIANGLE, .own_triangle = MO_NO_TRIANGLE};
  }
  const float limit = inside ? INFINITY : max_distance;
  mo_closest_hit hit = mo_mesh_closest_point_hit(mesh, affine, isa, point, limit, cache, stats);
  if (cache != NULL) {
    cache->point = point;
    cache->surface_free_radius = (double)(hit.found ? hit.distance : limit);
    cache->inside = inside;
  }
  if (inside && hit.found && hit.distance > 0.0f) {
    double max = mo_depth_in_box(bounds_in_query_space(mesh, affine), point);
    hit.distance = 0.0f - (float)fmin(hit.distance, max);
    hit.normal = mo_scale(-1.0f, hit.normal);
  }
  return hit;
}

mo_result mo_mesh_winding_number(const mo_mesh *mesh, mo_vec3 point, int32_t *winding,
                                 mo_query_stats *stats) {
  if (mesh == NULL || winding == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "winding");
  }
  mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "");
  mo_result result = mo_check_point(point, &refusal, "point");
  if (result == MO_OK) {
    mo_query_stats counts = mo_stats_begin(stats);
    *winding = mo_mesh_winding_around(mesh, NULL, mesh->isa, point, &counts);
    mo_stats_end(&counts, stats);
  }
  return result;
}

mo_result mo_mesh_signed_distance_with_cache(mo_closest_cache *cache, const mo_mesh *mesh,
                                             mo_vec3 point, float max_distance, mo_closest_hit *hit,
                                             mo_query_stats *stats) {
  mo_result result =
      mo_mesh_check_closest(mesh, "mo_mesh_signed_distance", point, max_distance, hit);
  if (result == MO_OK) {
    mo_query_stats counts = mo_stats_begin(stats);
    *hit = mo_mesh_signed_distance_hit(mesh, NULL, mesh->isa, point, max_distance, cache, &counts);
    mo_stats_end(&counts, stats);
  }
  return result;
}

mo_result mo_mesh_signed_distance(const mo_mesh *mesh, mo_vec3 point, float max_distance,
                                  mo_closest_hit *hit, mo_query_stats *stats) {
  return mo_mesh_signed_distance_with_cache(NULL, mesh, point, max_distance, hit, stats);
}
