/* Finds contact normals. Points and segments have closed forms (segments.c), polytopes are tested
 * by separating axes (polytope.c), cylinders and cones by methods of their own, and all other
 * bodies by distance or penetration depth. */
#include "contact/normal/contact_normal.h"

#include "base/assert.h"
#include "contact/body/feature.h"
#include "contact/body/limits.h"
#include "contact/normal/cylinder_cone.h"
#include "contact/normal/polytope.h"
#include "contact/normal/segments.h"
#include "geometry/difference/difference.h"
#include "geometry/penetration/penetration.h"

/* The distance of the cores of two bodies by a special method: closed forms for a segment or point
 * with a triangle or box, mo_cylinder_cone_gap for a cylinder or cone with a body that has corners.
 * Returns false for all other pairs. */
static bool gap_by_closed_form(const mo_contact_body *a, const mo_contact_body *b, double limit,
                               mo_convex_gap *gap) {
  return mo_contact_is_segment(a) ? mo_contact_segment_gap(a, b, gap)
                                  : mo_cylinder_cone_gap(a, b, mo_dvec(0.0, 0.0, 0.0), limit, gap);
}

/* The distance of the cores of two bodies. If they are farther apart than the limit, it is any
 * distance above the limit. If they overlap, it is 0, or minus their penetration depth if the
 * method finds that. */
static mo_convex_gap core_gap(const mo_contact_body *a, const mo_contact_body *b, double limit) {
  mo_convex_gap gap;
  if (mo_cylinder_cone_pair_gap(a, b, limit, &gap) || gap_by_closed_form(a, b, limit, &gap)) {
    return gap;
  }
  if (gap_by_closed_form(b, a, limit, &gap)) {
    mo_dvec3 of_b = gap.points[0];
    gap.points[0] = gap.points[1];
    gap.points[1] = of_b;
    gap.normal = mo_dscale(-1.0, gap.normal);
    return gap;
  }
  mo_difference d = mo_difference_of(&a->core, &b->core);
  return mo_difference_distance(&d, limit, NULL);
}

double mo_contact_separation_along(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 n) {
  MO_ASSERT(mo_is_unit(n));
  mo_dvec3 back = mo_dscale(-1.0, n);
  mo_dvec3 p = mo_dadd(mo_contact_body_support(a, n), mo_contact_body_rounding(a, n));
  mo_dvec3 q = mo_dadd(mo_contact_body_support(b, back), mo_contact_body_rounding(b, back));
  return mo_ddot(mo_dsub(q, p), n);
}

/* Sets the face normal of an axis. Of each body, the face whose normal is closest to the axis is
 * tried; the one with the greater separation is chosen. No face normal is set if both
 * separations are less than the separation along the axis by more than the face bias. */
static void set_face_normal(const mo_contact_body *a, const mo_contact_body *b,
                            mo_contact_axis *axis) {
  mo_dvec3 normals[2] = {mo_contact_face_normal(a, axis->normal),
                         mo_dscale(-1.0, mo_contact_face_normal(b, mo_dscale(-1.0, axis->normal)))};
  double best = axis->separation - mo_contact_face_bias(a, b);
  for (int i = 0; i < 2; i++) {
    if (mo_ddot(normals[i], axis->normal) > 0.5) {
      double separation = mo_contact_separation_along(a, b, normals[i]);
      if (separation > best || (separation == best && !axis->has_face)) {
        best = separation;
        axis->has_face = true;
        axis->face_normal = normals[i];
        axis->face_normal_supports = (mo_supporting_faces){{0, 0}};
      }
    }
  }
}

static bool are_polytopes(const mo_contact_body *a, const mo_contact_body *b) {
  return a->ellipsoid_radius == 0.0 && b->ellipsoid_radius == 0.0 &&
         mo_contact_body_is_polytope(a) && mo_contact_body_is_polytope(b);
}

/* Moves the points of an axis from the cores to the surfaces of the bodies, by the radii of the
 * balls around the cores. */
static void add_ball_radii(const mo_contact_body *a, const mo_contact_body *b,
                           mo_contact_axis *axis) {
  axis->points[0] = mo_dadd(axis->points[0], mo_dscale(a->ball_radius, axis->normal));
  axis->points[1] = mo_dsub(axis->points[1], mo_dscale(b->ball_radius, axis->normal));
}

bool mo_contact_overlap_deeper(const mo_contact_body *a, const mo_contact_body *b, double depth) {
  double cores_depth = depth - a->ball_radius - b->ball_radius;
  return cores_depth > 0.0 && mo_convex_overlap_deeper(&a->core, &b->core, cores_depth);
}

/* Finds the deepest points of an overlapping cylinder or cone (`round`) and a body with corners.
 * These are the closest points once the round body has been moved by `out`, out of the overlap and
 * a little farther. */
static bool find_deepest_of_round_body(const mo_contact_body *round, const mo_contact_body *other,
                                       mo_dvec3 out, mo_dvec3 *point, mo_dvec3 *of_other) {
  mo_convex_gap gap;
  if (!mo_cylinder_cone_gap(round, other, out, INFINITY, &gap)) {
    return false;
  }
  *point = mo_dsub(gap.points[0], out);
  *of_other = gap.points[1];
  return true;
}

void mo_contact_axis_find_points(const mo_contact_body *a, const mo_contact_body *b,
                                 mo_contact_axis *axis) {
  if (!axis->has_points) {
    mo_dvec3 out = mo_dscale(axis->depth + 0.25 * (a->size + b->size), axis->normal);
    mo_dvec3 *points = axis->points;
    if (!mo_cylinder_cone_pair_deepest(a, b, axis->normal, axis->depth, points) &&
        !find_deepest_of_round_body(a, b, mo_dscale(-1.0, out), &points[0], &points[1]) &&
        !find_deepest_of_round_body(b, a, out, &points[1], &points[0])) {
      mo_convex_penetration p = {.depth = axis->depth, .normal = axis->normal};
      mo_convex_find_deepest(&a->core, &b->core, &p);
      points[0] = p.points[0];
      points[1] = p.points[1];
    }
    axis->has_points = true;
    add_ball_radii(a, b, axis);
  }
}

/* The penetration depth of overlapping cores. `normal` receives the direction of least depth. */
static double core_depth(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 *normal) {
  double depth;
  if (mo_cylinder_cone_depth(a, b, normal, &depth)) {
    return depth;
  }
  if (mo_cylinder_cone_depth(b, a, normal, &depth)) {
    *normal = mo_dscale(-1.0, *normal);
    return depth;
  }
  mo_convex_penetration p = mo_convex_find_depth(&a->core, &b->core);
  *normal = p.normal;
  return p.depth;
}

/* Whether the vector between the closest points of the cores gives an accurate normal. If the cores
 * nearly touch, rounding errors on round sides can rotate the vector. */
static bool has_accurate_normal(const mo_contact_body *a, const mo_contact_body *b,
                                const mo_convex_gap *gap) {
  const double size = a->size + b->size, balls = a->ball_radius + b->ball_radius;
  return gap->distance > MO_ACCURATE_NORMAL_DISTANCE * size &&
         (gap->distance > MO_NEARLY_TOUCHING_GAP * size ||
          mo_contact_separation_along(a, b, gap->normal) + balls > 0.0);
}

/* Finds the contact axis of a hull and the core of a ball or capsule, by mo_hull_line_find. The
 * hull is body A, or B if `second` is set. Returns false for other bodies, and where no accurate
 * normal is found. */
static bool axis_of_hull_and_line(const mo_contact_body *hull, const mo_contact_body *l,
                                  bool second, double max, mo_contact_axis *axis) {
  if (hull->kind != MO_CORE_HULL || hull->ellipsoid_radius > 0.0 || !mo_contact_is_segment(l) ||
      !mo_contact_body_is_polytope(hull)) {
    return false;
  }
  const double balls = hull->ball_radius + l->ball_radius, sign = second ? -1.0 : 1.0;
  mo_contact_polytope made;
  mo_contact_polytope *p = mo_contact_polytope_get(hull, &made);
  mo_hull_line_search s = {.hull = p,
                           .line = mo_contact_line_of(l),
                           .max =
                               (max + balls) * (1.0 + 0x1p-40) + 0x1p-40 * (hull->size + l->size)};
  if (!p->has_volume || !mo_hull_line_find_by_isa[mo_isa_of_process()](&s)) {
    return false;
  }
  *axis = (mo_contact_axis){.within_limit = s.separation <= max + balls,
                            .normal = mo_dscale(sign, s.normal),
                            .separation = s.separation - balls,
                            .is_certain = true,
                            .has_points = true};
  axis->points[second] = mo_dadd(s.points[0], mo_dscale(hull->ball_radius, s.normal));
  axis->points[!second] = mo_dsub(s.points[1], mo_dscale(l->ball_radius, s.normal));
  if (s.support_face == 0) {
    set_face_normal(second ? l : hull, second ? hull : l, axis);
    return true;
  }
  const uint32_t face = s.support_face - 1;
  const mo_dvec3 n = mo_polytope_normal(p, face);
  const double height = mo_ddot(n, s.line.center) - fabs(mo_ddot(n, s.line.half));
  axis->has_face = l->kind != MO_CORE_POINT && mo_ddot(n, s.normal) > 0.5 &&
                   height - p->offsets[face] >= s.separation - mo_contact_face_bias(hull, l);
  axis->face_normal = mo_dscale(sign, n);
  axis->supports.face[second] = axis->face_normal_supports.face[second] = s.support_face;
  return true;
}

/* Finds the contact normal by distance. For cores that overlap it is found by penetration depth, or
 * if they are polytopes and `by_axes` is set, by separating axes. */
static mo_contact_axis axis_by_distance(const mo_contact_body *a, const mo_contact_body *b,
                                        double max, bool by_axes) {
  if (mo_contact_is_segment(a) && mo_contact_is_segment(b)) {
    return mo_contact_axis_of_segments(a, b, max);
  }
  mo_contact_axis of_hull;
  if (axis_of_hull_and_line(a, b, false, max, &of_hull) ||
      axis_of_hull_and_line(b, a, true, max, &of_hull)) {
    return of_hull;
  }
  const double balls = a->ball_radius + b->ball_radius, limit = max + balls;
  mo_convex_gap gap = core_gap(a, b, limit * (1.0 + 0x1p-40) + 0x1p-40 * (a->size + b->size));
  mo_contact_axis axis = {
      .within_limit = gap.distance <= limit, .is_certain = true, .has_points = true};
  axis.normal = gap.normal;
  if (!axis.within_limit) {
    return axis;
  }
  double depth = -gap.distance;
  axis.points[0] = gap.points[0];
  axis.points[1] = gap.points[1];
  if (!has_accurate_normal(a, b, &gap)) {
    mo_contact_axis found;
    const mo_dvec3 none = {0.0, 0.0, 0.0};
    if (by_axes && are_polytopes(a, b) && mo_contact_axis_of_polytopes(a, b, max, none, &found) &&
        found.within_limit) {
      return found;
    }
    depth = gap.distance < 0.0 ? depth : core_depth(a, b, &axis.normal);
    axis.has_points = false;
    axis.depth = depth;
  }
  axis.separation = -depth - balls;
  if (axis.has_points) {
    add_ball_radii(a, b, &axis);
  }
  if (a->kind != MO_CORE_POINT && b->kind != MO_CORE_POINT) {
    set_face_normal(a, b, &axis);
  }
  return axis;
}

mo_contact_axis mo_contact_axis_by_distance(const mo_contact_body *a, const mo_contact_body *b,
                                            double max) {
  return axis_by_distance(a, b, max, false);
}

bool mo_contact_uses_separating_axes(const mo_contact_body *a, const mo_contact_body *b) {
  return a->ball_radius + b->ball_radius == 0.0 && are_polytopes(a, b);
}

mo_contact_axis mo_contact_axis_of(const mo_contact_body *a, const mo_contact_body *b, double max,
                                   mo_dvec3 start) {
  mo_contact_axis axis;
  if (mo_contact_uses_separating_axes(a, b) &&
      mo_contact_axis_of_polytopes(a, b, max, start, &axis)) {
    return axis;
  }
  return axis_by_distance(a, b, max, true);
}
