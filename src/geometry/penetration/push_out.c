/* The shortest translation of a point out of a body: the penetration depth of the body and a sphere
 * of radius 0. */
#include "geometry/penetration/penetration.h"

#include "geometry/difference/difference.h"

/* The choice among several shortest translations. */
typedef struct push_out_search {
  mo_difference *difference; /* Minkowski difference of the solid and the point */
  mo_dvec3 displacement;
  double depth_tolerance; /* translations whose lengths differ by less count as equally short */
  mo_push_out best;
} push_out_search;

/* Replaces the best translation by the one along `normal` if that is as short, and more opposed to
 * the displacement. */
static void replace_if_more_opposed(push_out_search *s, mo_dvec3 normal) {
  double depth = mo_ddot(normal, mo_difference_support(s->difference, normal).difference);
  if (depth <= s->best.depth + s->depth_tolerance &&
      mo_ddot(normal, s->displacement) < mo_ddot(s->best.normal, s->displacement)) {
    s->best = (mo_push_out){normal, depth};
  }
}

mo_push_out mo_body_find_push_out(const mo_body *body, mo_dvec3 point, mo_dvec3 displacement) {
  const mo_body dot = mo_body_of_point(point);
  if (body->kind == MO_BODY_HALF_SPACE) {
    const mo_convex_penetration out = mo_half_space_find_penetration(body, &dot);
    return (mo_push_out){out.normal, out.depth};
  }
  const mo_convex_penetration out = mo_convex_find_depth(body, &dot);
  mo_difference difference = mo_difference_of(body, &dot);
  push_out_search s = {&difference, displacement, 0.0, {out.normal, out.depth}};
  for (int axis = 0; axis < 3; ++axis) {
    mo_dvec3 e = mo_dvec(axis == 0, axis == 1, axis == 2);
    s.depth_tolerance += 0x1p-44 * mo_minkowski_support_distance(&difference.a, e);
  }
  replace_if_more_opposed(&s, mo_dscale(-1.0, out.normal));
  double length = mo_dlength(displacement);
  if (length > 0.0) {
    replace_if_more_opposed(&s, mo_dscale(-1.0 / length, displacement));
  }
  s.best.depth = 0.0 + fmax(s.best.depth, 0.0);
  return s.best;
}
