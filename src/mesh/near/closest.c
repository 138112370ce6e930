/* Closest points of meshes: setup of a query, the test of one triangle, and the public query. */
#include "geometry/triangle/normal.h"
#include "geometry/triangle/triangle.h"
#include "mesh/near/near.h"

void mo_mesh_closest_set_frame(mo_mesh_closest *query, const mo_cull_frame *frame) {
  query->frame = *frame;
  for (int axis = 0; axis < 3; axis++) {
    const double from = frame->from[axis], error = frame->error[axis];
    const double scale = sqrt(frame->weight[axis]) * (1.0 - 0x1p-22);
    query->lower[axis] = mo_round_down(from - error);
    query->upper[axis] = mo_round_up(from + error);
    query->scale[axis] = scale < 0x1p-100 ? 0.0f : (float)fmin(scale, 0x1p100);
  }
}

void mo_mesh_closest_init(mo_mesh_closest *query, const mo_mesh *mesh, mo_dvec3 point,
                          const mo_affine *affine, float max_distance) {
  const mo_rounded_box box = mo_rounded_box_of_ball(point, 0.0);
  *query = (mo_mesh_closest){
      .point = point,
      .affine = affine,
      .distance = max_distance,
      .triangle = MO_NO_TRIANGLE,
      .culling_box = mo_culling_box_make(&box, mo_dvec(0.0, 0.0, 0.0), mesh, affine, 0.0),
      .limit = mo_closest_distance2_limit(max_distance),
  };
  const mo_cull_frame frame = mo_cull_frame_make(mesh, affine, point, mo_dvec(0.0, 0.0, 0.0), 0.0);
  mo_mesh_closest_set_frame(query, &frame);
}

void mo_mesh_closest_find(mo_mesh_closest *query, mo_isa isa, const mo_mesh *mesh,
                          mo_query_stats *stats) {
  mo_mesh_closest_visit_by_isa[isa](mesh, query, stats);
}

void mo_mesh_closest_test(const mo_vec3 corners[3], uint32_t triangle, void *query) {
  mo_mesh_closest *q = query;
  if (q->test != NULL) {
    q->test(corners, triangle, q);
    return;
  }
  mo_dvec3 relative[3];
  mo_relative_corners(q->affine, corners, q->point, relative);
  mo_dvec3 here = mo_dvec(0.0, 0.0, 0.0);
  double weights[3];
  mo_triangle_closest_weights(relative, here, weights);
  mo_dvec3 offset = mo_triangle_point_at(relative, weights);
  float distance = (float)sqrt(mo_ddot(offset, offset));
  if (distance < q->distance || (distance == q->distance && triangle < q->triangle)) {
    q->distance = distance;
    q->triangle = triangle;
    q->offset = offset;
    memcpy(q->weights, weights, sizeof weights);
    q->limit = mo_closest_distance2_limit(distance);
  }
}

mo_closest_hit mo_mesh_closest_point_hit(const mo_mesh *mesh, const mo_affine *affine, mo_isa isa,
                                         mo_vec3 point, float max_distance, mo_closest_cache *cache,
                                         mo_query_stats *stats) {
  mo_mesh_closest query;
  mo_mesh_closest_init(&query, mesh, mo_widen(point), affine, max_distance);
  if (cache != NULL && cache->triangle != MO_NO_TRIANGLE) { /* a close limit from the beginning */
    mo_vec3 corners[3];
    mo_mesh_corners(mesh, cache->triangle, corners);
    mo_mesh_closest_test(corners, cache->triangle, &query);
    stats->triangle_count++;
  }
  mo_mesh_closest_find(&query, isa, mesh, stats);
  if (cache != NULL && query.triangle != MO_NO_TRIANGLE) {
    cache->triangle = query.triangle;
  }
  return mo_mesh_closest_hit(&query, mesh);
}

void mo_closest_hit_set_feature(const double weights[3], mo_closest_hit *hit) {
  uint32_t used = (uint32_t)(weights[0] > 0.0) | (uint32_t)(weights[1] > 0.0) << 1 |
                  (uint32_t)(weights[2] > 0.0) << 2;
  static const uint8_t edge_of[8] = {[3] = 0, [6] = 1, [5] = 2};
  static const uint8_t vertex_of[8] = {[1] = 0, [2] = 1, [4] = 2};
  switch (__builtin_popcount(used)) {
  case 1:
    hit->feature = MO_FEATURE_VERTEX;
    hit->feature_index = vertex_of[used];
    break;
  case 2:
    hit->feature = MO_FEATURE_EDGE;
    hit->feature_index = edge_of[used];
    break;
  default:
    hit->feature = MO_FEATURE_FACE;
  }
}

mo_closest_hit mo_mesh_closest_hit(const mo_mesh_closest *query, const mo_mesh *mesh) {
  mo_closest_hit hit = {.triangle = query->triangle, .own_triangle = MO_NO_TRIANGLE};
  if (query->triangle == MO_NO_TRIANGLE) {
    return hit;
  }
  hit.found = true;
  hit.triangle_user_data = mo_mesh_user_data(mesh, query->triangle);
  hit.distance = query->distance;
  hit.from = mo_narrow(query->point);
  hit.point = mo_narrow(mo_dadd(query->point, query->offset));
  hit.u = (float)query->weights[1];
  hit.v = (float)query->weights[2];
  mo_closest_hit_set_feature(query->weights, &hit);
  mo_vec3 corners[3];
  mo_dvec3 relative[3];
  mo_mesh_corners(mesh, query->triangle, corners);
  mo_relative_corners(query->affine, corners, query->point, relative);
  double gap = mo_gap_rounding_error(relative);
  hit.normal = mo_ddot(query->offset, query->offset) <= gap * gap
                   ? mo_mesh_world_normal(mesh, query->triangle, query->affine)
                   : mo_unit_normal(mo_dscale(-1.0, query->offset));
  return hit;
}

mo_result mo_mesh_check_closest(const mo_mesh *mesh, const char *function, mo_vec3 point,
                                float max_distance, const mo_closest_hit *hit) {
  if (mesh == NULL || hit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), function, "hit");
  }
  mo_refusal refusal = mo_refusal_of(&mesh->host, function, "");
  mo_result result = mo_check_point(point, &refusal, "point");
  return result == MO_OK ? mo_check_distance(max_distance, &refusal, "max_distance") : result;
}

mo_result mo_mesh_closest_point_with_cache(mo_closest_cache *cache, const mo_mesh *mesh,
                                           mo_vec3 point, float max_distance, mo_closest_hit *hit,
                                           mo_query_stats *stats) {
  mo_result result = mo_mesh_check_closest(mesh, "mo_mesh_closest_point", point, max_distance, hit);
  if (result == MO_OK) {
    mo_query_stats counts = mo_stats_begin(stats);
    *hit = mo_mesh_closest_point_hit(mesh, NULL, mesh->isa, point, max_distance, cache, &counts);
    mo_stats_end(&counts, stats);
  }
  return result;
}

mo_result mo_mesh_closest_point(const mo_mesh *mesh, mo_vec3 point, float max_distance,
                                mo_closest_hit *hit, mo_query_stats *stats) {
  return mo_mesh_closest_point_with_cache(NULL, mesh, point, max_distance, hit, stats);
}
