/* Closest points of meshes: setting a query up, the test of one triangle, and the public query. */
#include "geometry/triangle/triangle.h"
#include "mesh/near/near.h"

void mo_mesh_closest_init(mo_mesh_closest *query, const mo_mesh *mesh, mo_vec3 point,
                          const mo_affine *affine, float max_distance) {
  mo_dvec3 from = mo_widen(point);
  *query = (mo_mesh_closest){
      .point = from,
      .affine = affine,
      .distance = max_distance,
      .triangle = MO_NO_TRIANGLE,
      .frame = mo_cull_frame_make(mesh, affine, from, mo_dvec(0.0, 0.0, 0.0), 0.0),
      .limit = mo_closest_limit(max_distance),
  };
}

void mo_mesh_closest_body_init(mo_mesh_closest *query, const mo_mesh *mesh,
                               const mo_boxed_body *body, const mo_affine *affine,
                               float max_distance) {
  /* A distance is 0 up to a gap of 1e-11 of the sizes and 1e-14 of the coordinates. */
  mo_aabb image = affine != NULL ? mo_affine_aabb_to_world(affine, mesh->bounds) : mesh->bounds;
  mo_vec3 reach = mo_aabb_is_empty(image) ? mo_vec(0.0f, 0.0f, 0.0f) : mo_aabb_reach(image);
  mo_vec3 own = mo_aabb_reach(body->bounds);
  double tolerance = 0x1p-35 * ((double)reach.x + reach.y + reach.z + own.x + own.y + own.z);
  *query = (mo_mesh_closest){
      .body = body,
      .affine = affine,
      .distance = max_distance,
      .triangle = MO_NO_TRIANGLE,
      .frame = mo_cull_frame_of_box(mesh, affine, body->bounds, tolerance),
      .limit = mo_closest_limit(max_distance),
  };
}

void mo_mesh_closest_find(mo_mesh_closest *query, mo_isa isa, const mo_mesh *mesh,
                          mo_query_stats *stats) {
  static void (*const full[MO_ISA_COUNT])(const mo_mesh *, mo_mesh_closest *, mo_query_stats *) =
      MO_ISA_TABLE(mo_mesh_closest_full);
  static void (*const compact[MO_ISA_COUNT])(const mo_mesh *, mo_mesh_closest *, mo_query_stats *) =
      MO_ISA_TABLE(mo_mesh_closest_compact);
  (mesh->format == MO_MESH_FULL ? full : compact)[isa](mesh, query, stats);
}

static void take_body(mo_mesh_closest *q, const mo_vec3 corners[3], uint32_t triangle) {
  if (q->distance == 0.0f && triangle >= q->triangle) {
    return; /* nothing is closer */
  }
  mo_dvec3 world[3];
  mo_relative_corners(q->affine, corners, mo_dvec(0.0, 0.0, 0.0), world);
  const mo_boxed_body own = mo_boxed_triangle(world);
  mo_convex_gap gap = mo_bodies_distance(&own, q->body, sqrt(q->limit));
  float distance = mo_compared_distance(gap.distance);
  if (distance < q->distance || (distance == q->distance && triangle < q->triangle)) {
    q->distance = distance;
    q->triangle = triangle;
    q->gap = gap;
    q->limit = mo_closest_limit(distance);
  }
}

void mo_mesh_closest_test(const mo_vec3 corners[3], uint32_t triangle, void *query) {
  mo_mesh_closest *q = query;
  if (q->body != NULL) {
    take_body(q, corners, triangle);
    return;
  }
  mo_dvec3 relative[3];
  mo_relative_corners(q->affine, corners, q->point, relative);
  mo_dvec3 here = mo_dvec(0.0, 0.0, 0.0);
  mo_dvec3 offset = mo_triangle_closest_point(relative, here);
  float distance = (float)sqrt(mo_ddot(offset, offset));
  if (distance < q->distance || (distance == q->distance && triangle < q->triangle)) {
    q->distance = distance;
    q->triangle = triangle;
    q->offset = offset;
    mo_triangle_closest_weights(relative, here, q->weights);
    q->limit = mo_closest_limit(distance);
  }
}

/* The part of the triangle that the closest point lies on. */
static void set_feature(const double weights[3], mo_closest_hit *hit) {
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

/* At least the magnitude of every term that a corner in the world is summed up from. */
static double reach_of_terms(const mo_transform *map, const mo_vec3 corners[3]) {
  double most = 0.0;
  for (int i = 0; i < 3; i++) {
    mo_vec3 p = corners[i];
    most = fmax(most, fabs((double)p.x) * mo_largest(map->x_axis) +
                          fabs((double)p.y) * mo_largest(map->y_axis) +
                          fabs((double)p.z) * mo_largest(map->z_axis));
  }
  return most + mo_largest(map->origin);
}

mo_vec3 mo_mesh_world_normal(const mo_mesh *mesh, uint32_t triangle, const mo_affine *affine) {
  mo_vec3 local[3];
  mo_dvec3 corners[3];
  mo_mesh_corners(mesh, triangle, local);
  mo_relative_corners(affine, local, mo_dvec(0.0, 0.0, 0.0), corners);
  mo_dvec3 e = mo_dsub(corners[1], corners[0]), f = mo_dsub(corners[2], corners[0]);
  mo_dvec3 normal = mo_dcross(e, f);
  if (affine == NULL) {
    return mo_unit_normal(normal);
  }
  /* A triangle that the transform makes a segment has a normal of rounding. */
  double noise = 0x1p-44 * reach_of_terms(&affine->to_world, local);
  if (mo_ddot(normal, normal) <= noise * noise * fmax(mo_ddot(e, e), mo_ddot(f, f))) {
    return mo_vec(0.0f, 0.0f, 0.0f);
  }
  return mo_unit_normal(mo_affine_mirrors(affine) ? mo_dscale(-1.0, normal) : normal);
}

/* Weights below this are rounding: the point lies on the edge or at the corner. */
static const double least_weight = 0x1p-40;

static void set_body_hit(const mo_mesh_closest *query, const mo_mesh *mesh, mo_closest_hit *hit) {
  const mo_convex_gap *gap = &query->gap;
  hit->point = mo_narrow(gap->points[0]);
  hit->from = mo_narrow(gap->points[1]);
  hit->normal = mo_narrow(gap->normal);
  mo_vec3 corners[3];
  mo_dvec3 relative[3];
  double weights[3];
  mo_mesh_corners(mesh, query->triangle, corners);
  mo_relative_corners(query->affine, corners, gap->points[0], relative);
  mo_triangle_closest_weights(relative, mo_dvec(0.0, 0.0, 0.0), weights);
  for (int i = 0; i < 3; i++) {
    weights[i] = weights[i] < least_weight ? 0.0 : weights[i];
  }
  hit->u = (float)weights[1];
  hit->v = (float)weights[2];
  set_feature(weights, hit);
}

mo_closest_hit mo_mesh_closest_hit(const mo_mesh_closest *query, const mo_mesh *mesh) {
  mo_closest_hit hit = {.triangle = query->triangle};
  if (query->triangle == MO_NO_TRIANGLE) {
    return hit;
  }
  hit.found = true;
  hit.triangle_user_data = mesh->user_data != NULL ? mesh->user_data[query->triangle] : 0;
  hit.distance = query->distance;
  if (query->body != NULL) {
    set_body_hit(query, mesh, &hit);
    return hit;
  }
  hit.from = mo_narrow(query->point);
  hit.point = mo_narrow(mo_dadd(query->point, query->offset));
  hit.u = (float)query->weights[1];
  hit.v = (float)query->weights[2];
  set_feature(query->weights, &hit);
  mo_vec3 corners[3];
  mo_dvec3 relative[3];
  mo_mesh_corners(mesh, query->triangle, corners);
  mo_relative_corners(query->affine, corners, query->point, relative);
  double gap = mo_least_gap(relative);
  hit.normal = mo_ddot(query->offset, query->offset) <= gap * gap
                   ? mo_mesh_world_normal(mesh, query->triangle, query->affine)
                   : mo_unit_normal(mo_dscale(-1.0, query->offset));
  return hit;
}

mo_distance_def mo_default_distance_def(void) {
  return (mo_distance_def){.primitive = mo_primitive_of_point(mo_vec(0.0f, 0.0f, 0.0f)),
                           .max_distance = INFINITY,
                           .filter = mo_default_filter(),
                           .cookie = MO_COOKIE};
}

mo_result mo_prepare_distance(const mo_distance_def *def, const mo_refusal *refusal,
                              mo_prepared_primitive *primitive) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_distance_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    mo_refusal place = mo_refusal_in(refusal, ".primitive", MO_NO_INDEX);
    result = mo_primitive_prepare(primitive, &def->primitive, &place);
  }
  return result == MO_OK ? mo_check_distance(def->max_distance, refusal, ".max_distance") : result;
}

mo_result mo_mesh_find_closest(const mo_mesh *mesh, const mo_distance_def *def, mo_closest_hit *hit,
                               mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || hit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, def == NULL ? "def" : "hit");
  }
  mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "def");
  mo_prepared_primitive primitive;
  mo_result result = mo_prepare_distance(def, &refusal, &primitive);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  const mo_boxed_body body = mo_prepared_boxed(&primitive);
  mo_mesh_closest query;
  mo_mesh_closest_body_init(&query, mesh, &body, NULL, def->max_distance);
  mo_mesh_closest_find(&query, mesh->isa, mesh, &counts);
  *hit = mo_mesh_closest_hit(&query, mesh);
  mo_stats_end(&counts, stats);
  return MO_OK;
}

mo_result mo_mesh_closest_point(const mo_mesh *mesh, mo_vec3 point, float max_distance,
                                mo_closest_hit *hit, mo_query_stats *stats) {
  if (mesh == NULL || hit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "hit");
  }
  mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "");
  mo_result result = mo_check_point(point, &refusal, "point");
  if (result == MO_OK) {
    result = mo_check_distance(max_distance, &refusal, "max_distance");
  }
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_mesh_closest query;
  mo_mesh_closest_init(&query, mesh, point, NULL, max_distance);
  mo_mesh_closest_find(&query, mesh->isa, mesh, &counts);
  *hit = mo_mesh_closest_hit(&query, mesh);
  mo_stats_end(&counts, stats);
  return MO_OK;
}
