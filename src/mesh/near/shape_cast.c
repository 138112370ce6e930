/* The first contact of a moving convex body with a mesh: setting a query up, the test of one
 * triangle, and the public query. */
#include "mesh/near/near.h"

void mo_mesh_shape_cast_init(mo_mesh_shape_cast *query, const mo_mesh *mesh,
                             const mo_moving_body *moving, const mo_affine *affine, float max_t) {
  mo_dvec3 lower = mo_widen(moving->bounds.lower), upper = mo_widen(moving->bounds.upper);
  mo_dvec3 center = mo_dscale(0.5, mo_dadd(lower, upper));
  mo_dvec3 half = mo_dscale(0.5, mo_dsub(upper, lower));
  mo_aabb image = affine != NULL ? mo_affine_aabb_to_world(affine, mesh->bounds) : mesh->bounds;
  mo_vec3 reach = mo_aabb_is_empty(image) ? mo_vec(0.0f, 0.0f, 0.0f) : mo_aabb_reach(image);
  double radius = half.x + half.y + half.z;
  double early = MO_EARLY_CONTACT * (radius + 2.0 * ((double)reach.x + reach.y + reach.z));
  *query = (mo_mesh_shape_cast){
      .moving = moving,
      .affine = affine,
      .t = max_t,
      .distance = INFINITY,
      .triangle = MO_NO_TRIANGLE,
      .frame =
          mo_cull_frame_make(mesh, affine, center, mo_widen(moving->displacement), radius + early),
      .limit = mo_cast_limit(max_t),
  };
  const mo_cull_frame *frame = &query->frame;
  const double extent[3] = {half.x, half.y, half.z};
  bool local = affine != NULL && frame->bake == NULL;
  for (int axis = 0; axis < 3; axis++) {
    double across = extent[axis];
    if (local) {
      across = 0.0;
      for (int i = 0; i < 3; i++) {
        across += fabs((double)affine->inverse[i][axis]) * extent[i] * (1.0 + 0x1p-20);
      }
    }
    double grow = across + frame->inverse[axis] * early + frame->error[axis];
    query->path[axis] = (mo_path_axis){frame->from[axis], frame->displacement[axis], grow};
  }
}

void mo_mesh_shape_cast_find(mo_mesh_shape_cast *query, mo_isa isa, const mo_mesh *mesh,
                             mo_query_stats *stats) {
  static void (*const full[MO_ISA_COUNT])(const mo_mesh *, mo_mesh_shape_cast *, mo_query_stats *) =
      MO_ISA_TABLE(mo_mesh_shape_cast_full);
  static void (*const compact[MO_ISA_COUNT])(const mo_mesh *, mo_mesh_shape_cast *,
                                             mo_query_stats *) =
      MO_ISA_TABLE(mo_mesh_shape_cast_compact);
  (mesh->format == MO_MESH_FULL ? full : compact)[isa](mesh, query, stats);
}

void mo_mesh_shape_cast_test(const mo_vec3 corners[3], uint32_t triangle, void *query) {
  mo_mesh_shape_cast *q = query;
  mo_distance_body body = {.convex = NULL};
  mo_aabb bounds = mo_aabb_empty();
  for (int i = 0; i < 3; i++) {
    mo_dvec3 c =
        q->affine != NULL ? mo_affine_point_to_world(q->affine, corners[i]) : mo_widen(corners[i]);
    body.corners[i] = c;
    bounds = mo_aabb_union(bounds,
                           (mo_aabb){{mo_round_down(c.x), mo_round_down(c.y), mo_round_down(c.z)},
                                     {mo_round_up(c.x), mo_round_up(c.y), mo_round_up(c.z)}});
  }
  mo_convex_contact contact = mo_cast_convex(&body, bounds, q->moving, q->limit);
  float t = (float)contact.t, distance = (float)contact.distance;
  bool better = t != q->t                 ? t < q->t
                : distance != q->distance ? distance < q->distance
                                          : triangle < q->triangle;
  if (better) {
    q->t = t;
    q->distance = distance;
    q->triangle = triangle;
    q->contact = contact;
    q->limit = mo_cast_limit(t);
  }
}

mo_cast_hit mo_mesh_shape_cast_result(const mo_mesh_shape_cast *query, const mo_mesh *mesh) {
  mo_cast_hit hit = {.triangle = query->triangle};
  if (query->triangle == MO_NO_TRIANGLE) {
    return hit;
  }
  hit.found = true;
  hit.triangle_user_data = mesh->user_data != NULL ? mesh->user_data[query->triangle] : 0;
  hit.t = query->t;
  hit.point = mo_narrow(query->contact.point);
  hit.normal = mo_narrow(query->contact.normal);
  hit.depth = (float)query->contact.depth;
  return hit;
}

mo_result mo_mesh_cast_shape(const mo_mesh *mesh, const mo_primitive *primitive,
                             mo_vec3 displacement, mo_cast_hit *hit, mo_query_stats *stats) {
  if (mesh == NULL || primitive == NULL || hit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, primitive == NULL ? "primitive" : "hit");
  }
  mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "primitive");
  mo_prepared_primitive prepared;
  mo_result result = mo_primitive_prepare(&prepared, primitive, &refusal);
  if (result == MO_OK) {
    refusal.name = "displacement";
    result = mo_check_point(displacement, &refusal, "");
  }
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_moving_body moving = {mo_prepared_body(&prepared), mo_prepared_bounds(&prepared),
                           displacement};
  mo_mesh_shape_cast query;
  mo_mesh_shape_cast_init(&query, mesh, &moving, NULL, 1.0f);
  mo_mesh_shape_cast_find(&query, mesh->isa, mesh, &counts);
  *hit = mo_mesh_shape_cast_result(&query, mesh);
  mo_stats_end(&counts, stats);
  return MO_OK;
}
