/* The closest point of a solid to a point, by GJK, and ways out of a solid.
 *
 * A point moved along a unit normal n leaves a solid after the distance to the plane across n that
 * touches the solid on that side: half the width of the solid along n less the point's own
 * coordinate, both from the centre. The shortest way out is the least of these over all n. Where
 * the solid is flat on that side, n is perpendicular to two of the vectors that it is summed up
 * from; where it is round, n leads from an axis, from the centre or from what is rounded to the
 * point. These normals are tried, and the best is improved by a descent along the sphere of
 * normals, which makes a difference for ellipsoids. */
#include "geometry/convex/closest_point.h"

#include "geometry/convex/distance.h"
#include "geometry/convex/minkowski.h"

mo_convex_closest mo_convex_closest_point(const mo_convex *convex, mo_vec3 point) {
  mo_dvec3 at = mo_widen(point);
  mo_convex dot = mo_convex_sphere((mo_sphere){point, 0.0f});
  if (mo_convex_overlap(convex, &dot)) {
    return (mo_convex_closest){.point = at};
  }
  mo_distance_body bodies[2] = {{.convex = convex}, {.convex = &dot}};
  /* Without a limit, so that the answer is the same whatever else was found before. */
  mo_convex_gap gap = mo_convex_distance(&bodies[0], &bodies[1], INFINITY);
  double least = sqrt(mo_box_distance2(mo_convex_bounds(convex), at));
  return (mo_convex_closest){fmax(gap.distance, least), gap.points[0], gap.normal};
}

/* The search for a short way out. */
typedef struct search {
  mo_minkowski sum;
  mo_dvec3 offset; /* of the point from the centre */
  mo_dvec3 displacement;
  double rounding; /* ways whose lengths differ by less are equally short */
  mo_convex_exit best;
  double along; /* the displacement along the best normal */
} search;

static double depth_along(const search *s, mo_dvec3 normal) {
  return mo_minkowski_half_width(&s->sum, normal) - mo_ddot(normal, s->offset);
}

static void take_shorter(search *s, mo_dvec3 normal) {
  double depth = depth_along(s, normal), along = mo_ddot(normal, s->displacement);
  if (depth < s->best.depth - s->rounding ||
      (depth <= s->best.depth + s->rounding && along < s->along)) {
    s->best = (mo_convex_exit){normal, depth};
    s->along = along;
  }
}

/* Both ways along a vector of any length. */
static void try_line(search *s, mo_dvec3 v) {
  double length = sqrt(mo_ddot(v, v));
  if (length > 0.0) {
    mo_dvec3 normal = mo_dvec(v.x / length, v.y / length, v.z / length);
    take_shorter(s, normal);
    take_shorter(s, mo_dscale(-1.0, normal));
  }
}

/* The direction to a point in the rounding of a solid from what is rounded; zero elsewhere. */
static mo_dvec3 out_of_rounding(const mo_convex *convex, mo_dvec3 point) {
  mo_convex sharp = *convex, dot = mo_convex_sphere((mo_sphere){{0.0f, 0.0f, 0.0f}, 0.0f});
  sharp.solid.rounding = 0.0;
  dot.origin = point;
  const mo_distance_body bodies[2] = {{.convex = &sharp}, {.convex = &dot}};
  return mo_convex_distance(&bodies[0], &bodies[1], INFINITY).normal;
}

/* Turns the best normal to where the depth falls: its gradient is the point of the solid that is
 * farthest along the normal, seen from the point. */
static void descend(search *s, double size) {
  double step = 1.0;
  for (int i = 0; i < 32 && step > 0x1p-20; ++i) {
    mo_dvec3 n = s->best.normal;
    mo_dvec3 gradient = mo_dsub(mo_minkowski_support(&s->sum, n), s->offset);
    gradient = mo_dsub(gradient, mo_dscale(mo_ddot(gradient, n), n));
    mo_dvec3 next = mo_dsub(n, mo_dscale(step / size, gradient));
    next = mo_dscale(1.0 / sqrt(mo_ddot(next, next)), next);
    double depth = depth_along(s, next);
    if (depth < s->best.depth - s->rounding) {
      s->best = (mo_convex_exit){next, depth};
    } else {
      step *= 0.25;
    }
  }
}

mo_convex_exit mo_convex_find_exit(const mo_convex *convex, mo_dvec3 point, mo_dvec3 displacement) {
  search s = {.displacement = displacement, .best = {{0.0, 0.0, 1.0}, INFINITY}};
  mo_minkowski_add_solid(&s.sum, convex);
  mo_sum offset[3] = {{.value = point.x}, {.value = point.y}, {.value = point.z}};
  mo_convex_add_center(convex, -1.0, offset);
  s.offset = mo_dvec(offset[0].value + offset[0].error, offset[1].value + offset[1].error,
                     offset[2].value + offset[2].error);

  mo_dvec3 vectors[3 + MO_MAX_SEGMENTS + 3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  int count = 3;
  for (int i = 0; i < s.sum.segments; ++i) {
    vectors[count++] = s.sum.segment[i];
  }
  for (int i = 0; i < 3 && s.sum.ellipsoids > 0; ++i) {
    vectors[count++] = s.sum.axes[0][i];
  }
  double size = 0.0;
  for (int i = 3; i < count; ++i) {
    size += sqrt(mo_ddot(vectors[i], vectors[i]));
  }
  s.rounding = 0x1p-44 * size;

  try_line(&s, displacement);
  try_line(&s, s.offset);
  if (convex->solid.rounding > 0.0) {
    try_line(&s, out_of_rounding(convex, point));
  }
  for (int i = 0; i < s.sum.segments; ++i) {
    try_line(&s, mo_from_axis(s.sum.segment[i], s.offset));
  }
  for (int i = 0; i < count; ++i) {
    try_line(&s, vectors[i]);
    for (int k = 0; k < i; ++k) {
      try_line(&s, mo_dcross(vectors[i], vectors[k]));
    }
  }
  if (size > 0.0) {
    descend(&s, size);
  }
  s.best.depth = fmax(s.best.depth, 0.0);
  return s.best;
}
