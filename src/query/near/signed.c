/* Signed distance of a point from one shape of a scene. */
#include "geometry/penetration/penetration.h"
#include "query/near/near.h"
#include "query/solid.h"

/* The shortest translation that takes a point out of a body that contains it. Limited to the length
 * of the shortest translation out of the body's box. */
static mo_push_out find_exit(const mo_body *body, mo_vec3 point) {
  mo_push_out out = mo_body_find_push_out(body, mo_widen(point), mo_dvec(0.0, 0.0, 0.0));
  out.depth = fmax(fmin(out.depth, mo_depth_in_box(body->bounds, point)), 0.0);
  return out;
}

static mo_closest_hit hit_of_body(const mo_closest_query *q, uint32_t slot) {
  mo_body body = mo_tested_body(q->scene, slot, q->child);
  mo_body_cache_bounds(&body);
  mo_convex_closest closest = mo_body_closest_point(&body, q->point);
  mo_closest_hit hit = {.found = true,
                        .own_triangle = MO_NO_TRIANGLE,
                        .triangle = MO_NO_TRIANGLE,
                        .point = mo_narrow(closest.point),
                        .normal = mo_narrow(closest.normal),
                        .distance = (float)closest.distance,
                        .from = q->point};
  if (closest.distance == 0.0) {
    mo_push_out out = find_exit(&body, q->point);
    hit.point = mo_narrow(mo_dadd(mo_widen(q->point), mo_dscale(out.depth, out.normal)));
    hit.normal = mo_narrow(out.normal);
    hit.distance = 0.0f - (float)out.depth;
  }
  return hit;
}

mo_closest_hit mo_scene_signed_hit(const mo_closest_query *q, uint32_t slot) {
  const mo_shape *shape = mo_tested_shape(q->scene, slot, q->child);
  switch (shape->geometry.type) {
  case MO_SHAPE_MESH:
    return mo_mesh_signed_distance_hit(shape->geometry.mesh, &shape->affine, q->scene->isa,
                                       q->point, q->distance, NULL, q->stats);
  case MO_SHAPE_COMPOUND: /* visited child by child */
    break;
    MO_CASES_OF_BODIES {
      return hit_of_body(q, slot);
    }
  }
  __builtin_unreachable();
}
