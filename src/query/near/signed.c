/* Signed distances from the shapes of a scene: the test of one shape, and the public query. */
#include "geometry/convex/closest_point.h"
#include "query/near/near.h"
#include "query/solid.h"

/* The shortest way of a point out of a body that contains it; not longer than out of its box. */
static mo_convex_exit exit_of(const mo_body *body, mo_vec3 point) {
  mo_convex_exit out = mo_body_find_exit(body, mo_widen(point), mo_dvec(0.0, 0.0, 0.0));
  out.depth = fmax(fmin(out.depth, mo_depth_in_box(body->bounds, point)), 0.0);
  return out;
}

static mo_closest_hit hit_of_body(const mo_closest_query *q, uint32_t slot) {
  mo_body body = mo_shape_body(q->scene, slot);
  mo_body_set_bounds(&body);
  mo_convex_closest closest = mo_body_closest_point(&body, q->point);
  mo_closest_hit hit = {.found = true,
                        .triangle = MO_NO_TRIANGLE,
                        .point = mo_narrow(closest.point),
                        .normal = mo_narrow(closest.normal),
                        .distance = (float)closest.distance,
                        .from = q->point};
  if (closest.distance == 0.0) {
    mo_convex_exit out = exit_of(&body, q->point);
    hit.point = mo_narrow(mo_dadd(mo_widen(q->point), mo_dscale(out.depth, out.normal)));
    hit.normal = mo_narrow(out.normal);
    hit.distance = 0.0f - (float)out.depth;
  }
  return hit;
}

static mo_closest_hit hit_of(const mo_closest_query *q, uint32_t slot) {
  const mo_shape *shape = &q->scene->shapes[slot];
  switch (shape->geometry.type) {
  case MO_SHAPE_MESH:
    return mo_mesh_signed_hit(shape->geometry.mesh, &shape->affine, q->scene->isa, q->point,
                              q->distance, q->stats);
    MO_CASES_OF_BODIES {
      return hit_of_body(q, slot);
    }
  }
  __builtin_unreachable();
}

/* An upper bound of the signed squares of boxes that may contain a shape at this signed distance or
 * a smaller one. */
static double signed_limit(float distance) {
  if (!(distance < 0.0f)) {
    return mo_closest_limit(distance);
  }
  double min = fmax(-(double)distance * (1.0 - 0x1p-23) - 0x1p-149, 0.0);
  return -(min * min * (1.0 - 0x1p-50));
}

void mo_scene_signed_test(uint32_t slot, double key, void *query) {
  (void)key;
  mo_closest_query *q = query;
  const mo_scene *scene = q->scene;
  const mo_shape_type type = scene->shapes[slot].geometry.type;
  if ((type == MO_SHAPE_VOLUME && !q->hit_volumes) ||
      !mo_filter_passes_lightly(scene, q->filter, q->plain, slot)) {
    return;
  }
  q->stats->shape_count++;
  const mo_closest_hit hit = hit_of(q, slot);
  if (hit.found &&
      (hit.distance < q->distance || (hit.distance == q->distance && slot < q->shape))) {
    q->hit = hit;
    q->distance = hit.distance;
    q->shape = slot;
    q->limit = signed_limit(hit.distance);
  }
}

mo_result mo_scene_signed_distance(const mo_scene *scene, const mo_closest_def *def,
                                   mo_closest_hit *hit, mo_query_stats *stats) {
  static void (*const kernels[MO_ISA_COUNT])(mo_closest_query *) = MO_ISA_TABLE(mo_scene_signed);
  const mo_point_call call = {__func__, scene, def, hit, kernels};
  return mo_point_call_run(&call, stats);
}
