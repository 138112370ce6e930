/* The first contact of a moving ball with a mesh: setting a query up, the test of one triangle, and
 * the public query. */
#include "geometry/triangle/triangle.h"
#include "mesh/near/near.h"

void mo_mesh_cast_init(mo_mesh_cast *query, const mo_mesh *mesh, mo_sphere sphere,
                       mo_vec3 displacement, const mo_affine *affine, float max_t) {
  mo_dvec3 center = mo_widen(sphere.center), moved = mo_widen(displacement);
  *query = (mo_mesh_cast){
      .center = center,
      .displacement = moved,
      .radius = sphere.radius,
      .affine = affine,
      .t = max_t,
      .distance = INFINITY,
      .triangle = MO_NO_TRIANGLE,
      .frame = mo_cull_frame_make(mesh, affine, center, moved, sphere.radius),
      .limit = mo_cast_limit(max_t),
  };
  for (int axis = 0; axis < 3; axis++) {
    const mo_cull_frame *frame = &query->frame;
    query->path[axis] = (mo_path_axis){frame->from[axis], frame->displacement[axis],
                                       frame->inverse[axis] * query->radius + frame->error[axis]};
  }
}

void mo_mesh_cast_find(mo_mesh_cast *query, mo_isa isa, const mo_mesh *mesh,
                       mo_query_stats *stats) {
  static void (*const full[MO_ISA_COUNT])(const mo_mesh *, mo_mesh_cast *, mo_query_stats *) =
      MO_ISA_TABLE(mo_mesh_cast_full);
  static void (*const compact[MO_ISA_COUNT])(const mo_mesh *, mo_mesh_cast *, mo_query_stats *) =
      MO_ISA_TABLE(mo_mesh_cast_compact);
  (mesh->format == MO_MESH_FULL ? full : compact)[isa](mesh, query, stats);
}

void mo_mesh_cast_test(const mo_vec3 corners[3], uint32_t triangle, void *query) {
  mo_mesh_cast *q = query;
  mo_dvec3 relative[3];
  mo_relative_corners(q->affine, corners, q->center, relative);
  double exact_t = mo_cast_sphere_triangle(relative, q->radius, q->displacement);
  float t = (float)exact_t, distance = 0.0f;
  if (t == 0.0f) {
    mo_dvec3 closest = mo_triangle_closest_point(relative, mo_dvec(0.0, 0.0, 0.0));
    distance = (float)sqrt(mo_ddot(closest, closest));
  }
  bool better = t != q->t                 ? t < q->t
                : distance != q->distance ? distance < q->distance
                                          : triangle < q->triangle;
  if (better) {
    q->t = t;
    q->exact_t = exact_t;
    q->distance = distance;
    q->triangle = triangle;
    q->limit = mo_cast_limit(t);
  }
}

/* A way out of a degenerate triangle for a ball with its centre on it: across the segment that the
 * triangle is, against the ball's displacement as far as that can be. */
static mo_vec3 out_of_segment(const mo_dvec3 corners[3], mo_dvec3 displacement) {
  mo_dvec3 along = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3; i++) {
    mo_dvec3 edge = mo_dsub(corners[(i + 1) % 3], corners[i]);
    along = mo_ddot(edge, edge) > mo_ddot(along, along) ? edge : along;
  }
  double square = mo_ddot(along, along);
  mo_dvec3 back = mo_dscale(-1.0, displacement), out = back;
  if (square > 0.0) {
    out = mo_dsub(back, mo_dscale(mo_ddot(back, along) / square, along));
  }
  if (mo_ddot(out, out) > 0x1p-52 * mo_ddot(back, back)) {
    return mo_unit_normal(out);
  }
  double x = fabs(along.x), y = fabs(along.y), z = fabs(along.z);
  mo_dvec3 least = x <= y && x <= z ? mo_dvec(1.0, 0.0, 0.0)
                   : y <= z         ? mo_dvec(0.0, 1.0, 0.0)
                                    : mo_dvec(0.0, 0.0, 1.0);
  return square > 0.0 ? mo_unit_normal(mo_dcross(along, least)) : mo_narrow(least);
}

mo_cast_hit mo_mesh_cast_result(const mo_mesh_cast *query, const mo_mesh *mesh) {
  mo_cast_hit hit = {.triangle = query->triangle};
  if (query->triangle == MO_NO_TRIANGLE) {
    return hit;
  }
  hit.found = true;
  hit.triangle_user_data = mesh->user_data != NULL ? mesh->user_data[query->triangle] : 0;
  hit.t = query->t;
  mo_vec3 corners[3];
  mo_dvec3 relative[3];
  mo_mesh_corners(mesh, query->triangle, corners);
  mo_relative_corners(query->affine, corners, query->center, relative);
  mo_dvec3 at = mo_dscale(query->exact_t, query->displacement);
  mo_dvec3 contact = mo_triangle_closest_point(relative, at), out = mo_dsub(at, contact);
  hit.point = mo_narrow(mo_dadd(query->center, contact));
  hit.normal = mo_unit_normal(out);
  if (query->t == 0.0f) {
    double depth = query->radius - sqrt(mo_ddot(out, out));
    hit.depth = (float)fmax(depth, 0.0);
  }
  double gap = mo_least_gap(relative);
  if (mo_ddot(out, out) <= gap * gap) {
    /* The centre lies on the triangle: out on the side that the ball comes from. */
    mo_vec3 normal = mo_mesh_world_normal(mesh, query->triangle, query->affine);
    double along = mo_ddot(mo_widen(normal), query->displacement);
    hit.normal = along > 0.0 ? mo_scale(-1.0f, normal) : normal;
    if (normal.x == 0.0f && normal.y == 0.0f && normal.z == 0.0f) {
      hit.normal = out_of_segment(relative, query->displacement);
    }
  }
  return hit;
}

mo_result mo_mesh_cast_sphere(const mo_mesh *mesh, const mo_sphere *sphere, mo_vec3 displacement,
                              mo_cast_hit *hit, mo_query_stats *stats) {
  if (mesh == NULL || sphere == NULL || hit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, sphere == NULL ? "sphere" : "hit");
  }
  mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "sphere");
  mo_result result = mo_check_sphere(sphere, &refusal);
  if (result == MO_OK) {
    refusal.name = "displacement";
    result = mo_check_point(displacement, &refusal, "");
  }
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_mesh_cast query;
  mo_mesh_cast_init(&query, mesh, *sphere, displacement, NULL, 1.0f);
  mo_mesh_cast_find(&query, mesh->isa, mesh, &counts);
  *hit = mo_mesh_cast_result(&query, mesh);
  mo_stats_end(&counts, stats);
  return MO_OK;
}
