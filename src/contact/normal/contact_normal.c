/* Finds contact normals. Points and segments have closed forms, polytopes are tested by separating
 * axes, and all other bodies by distance or penetration depth. */
#include "contact/normal/contact_normal.h"

#include "base/assert.h"
#include "contact/body/feature.h"
#include "contact/body/limits.h"
#include "contact/normal/cylinder_cone.h"
#include "contact/normal/polytope.h"
#include "geometry/difference/difference.h"
#include "geometry/penetration/penetration.h"
#include "geometry/triangle/triangle.h"

static mo_dvec3 any_perpendicular(mo_dvec3 v) {
  return mo_dunit(mo_dcross(v, mo_most_perpendicular_axis(v)));
}

/* --- points and segments --- */

static bool has_point_or_segment_core(const mo_contact_body *body) {
  return (body->kind == MO_CORE_POINT || body->kind == MO_CORE_SEGMENT) && body->ellipsoid == 0.0;
}

typedef mo_contact_line line;

static line line_of(const mo_contact_body *body) {
  return (line){body->center,
                body->kind == MO_CORE_SEGMENT ? body->axis[0] : mo_dvec(0.0, 0.0, 0.0)};
}

static mo_dvec3 half_segment_of(const mo_contact_body *body) {
  return line_of(body).half;
}

static double clamp(double x) {
  return x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x;
}

/* Replaces the closest points by the point at parameter s of line a and the point at t of line b,
 * if these two are closer. */
static void keep_closer_points(line a, line b, double s, double t, double *min,
                               mo_dvec3 points[2]) {
  mo_dvec3 p = mo_dadd(a.center, mo_dscale(s, a.half));
  mo_dvec3 q = mo_dadd(b.center, mo_dscale(t, b.half));
  double distance = mo_dlength(mo_dsub(q, p));
  if (distance < *min) {
    *min = distance;
    points[0] = p;
    points[1] = q;
  }
}

/* The closest points are either interior points of both segments, or an end of one segment and a
 * point of the other. */
double mo_contact_closest_of_lines(line a, line b, mo_dvec3 points[2]) {
  mo_dvec3 d = a.half, e = b.half, r = mo_dsub(b.center, a.center);
  double dd = mo_ddot(d, d), ee = mo_ddot(e, e), de = mo_ddot(d, e), rd = mo_ddot(r, d),
         re = mo_ddot(r, e), min = INFINITY;
  mo_dvec3 turn = mo_dcross(d, e);
  double square = mo_ddot(turn, turn);
  if (square > 0x1p-60 * dd * ee) {
    double s = mo_ddot(mo_dcross(r, e), turn) / square, t = mo_ddot(mo_dcross(r, d), turn) / square;
    if (fabs(s) <= 1.0 && fabs(t) <= 1.0) {
      keep_closer_points(a, b, s, t, &min, points);
    }
  }
  for (double end = -1.0; end <= 1.0; end += 2.0) {
    keep_closer_points(a, b, end, ee > 0.0 ? clamp((end * de - re) / ee) : 0.0, &min, points);
    keep_closer_points(a, b, dd > 0.0 ? clamp((end * de + rd) / dd) : 0.0, end, &min, points);
  }
  return min;
}

static mo_contact_axis axis_of_lines(const mo_contact_body *a, const mo_contact_body *b,
                                     double max) {
  mo_contact_axis axis = {.is_certain = true, .has_points = true};
  double distance = mo_contact_closest_of_lines(line_of(a), line_of(b), axis.points);
  axis.separation = distance - a->ball - b->ball;
  axis.within_limit = axis.separation <= max;
  axis.normal = mo_dunit(mo_dsub(axis.points[1], axis.points[0]));
  if (!(distance > MO_ACCURATE_NORMAL_DISTANCE * (a->size + b->size))) {
    /* the lines cross or overlap */
    mo_dvec3 d = half_segment_of(a), e = half_segment_of(b);
    mo_dvec3 normal = mo_dcross(d, e);
    if (!(mo_dlength(normal) > 0x1p-30 * mo_dlength(d) * mo_dlength(e))) {
      normal = mo_dlength(d) >= mo_dlength(e) ? any_perpendicular(d) : any_perpendicular(e);
    }
    normal = mo_dunit(normal);
    mo_dvec3 offset = mo_dsub(b->center, a->center);
    axis.normal = mo_ddot(normal, offset) < 0.0 ? mo_dscale(-1.0, normal) : normal;
    if (mo_ddot(axis.normal, axis.normal) == 0.0) {
      axis.normal = mo_ddot(offset, offset) > 0.0 ? mo_dunit(offset) : mo_dvec(0.0, 0.0, 1.0);
    }
  }
  axis.points[0] = mo_dadd(axis.points[0], mo_dscale(a->ball, axis.normal));
  axis.points[1] = mo_dsub(axis.points[1], mo_dscale(b->ball, axis.normal));
  return axis;
}

/* --- points and segments with boxes and triangles --- */

bool mo_contact_closest_of_box(const mo_dvec3 axis[3], mo_dvec3 place, mo_dvec3 *closest) {
  double square[3], c[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3; i++) {
    square[i] = mo_ddot(axis[i], axis[i]);
    int k = (i + 1) % 3;
    double turn = mo_ddot(axis[i], axis[k]);
    if (turn * turn > 0x1p-36 * square[i] * mo_ddot(axis[k], axis[k])) {
      return false;
    }
  }
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 3; i++) {
      int k = (i + 1) % 3, m = (i + 2) % 3;
      mo_dvec3 others = mo_dadd(mo_dscale(c[k], axis[k]), mo_dscale(c[m], axis[m]));
      double along = mo_ddot(axis[i], mo_dsub(place, others));
      c[i] = square[i] > 0.0 ? clamp(along / square[i]) : 0.0;
    }
  }
  *closest = mo_dadd(mo_dadd(mo_dscale(c[0], axis[0]), mo_dscale(c[1], axis[1])),
                     mo_dscale(c[2], axis[2]));
  return true;
}

/* A segment in the frame of a box: center + t half for t in [-1, 1]. On each axis, the box reaches
 * from -size to size. */
typedef struct line_in_box_frame {
  double center[3], half[3], size[3];
} line_in_box_frame;

/* Half of the derivative, by t, of the squared distance from the box to the segment's point at t.
 * It never decreases, as the squared distance is convex, and is linear between the values of t at
 * which the segment crosses the plane of a side of the box. */
static double squared_distance_slope(const line_in_box_frame *l, double t) {
  double slope = 0.0;
  for (int i = 0; i < 3; i++) {
    const double x = l->center[i] + t * l->half[i];
    const double beyond = x > l->size[i] ? x - l->size[i] : x < -l->size[i] ? x + l->size[i] : 0.0;
    slope += beyond * l->half[i];
  }
  return slope;
}

/* The parameter t of the segment's point that is closest to the box. */
static double parameter_closest_to_box(const line_in_box_frame *l) {
  double low = -1.0, high = 1.0, slope_low = squared_distance_slope(l, low),
         slope_high = squared_distance_slope(l, high);
  if (slope_low >= 0.0 || slope_high <= 0.0) {
    return slope_low >= 0.0 ? low : high;
  }
  for (int i = 0; i < 6; i++) {
    const double side = i < 3 ? l->size[i] : -l->size[i - 3];
    const double t = (side - l->center[i % 3]) / l->half[i % 3];
    if (t > low && t < high) {
      const double slope = squared_distance_slope(l, t);
      *(slope < 0.0 ? &low : &high) = t;
      *(slope < 0.0 ? &slope_low : &slope_high) = slope;
    }
  }
  return low + (high - low) * (slope_low / (slope_low - slope_high));
}

/* Finds the closest points of a segment and a box. Returns false if the box is flat, its axes are
 * not perpendicular, or the segment touches the box. */
static bool closest_of_line_and_box(line l, const mo_contact_body *box, mo_dvec3 points[2]) {
  line_in_box_frame at;
  const mo_dvec3 center = mo_dsub(l.center, box->center);
  for (int i = 0; i < 3; i++) {
    at.size[i] = mo_dlength(box->axis[i]);
    if (!(at.size[i] > 0.0)) {
      return false;
    }
    at.center[i] = mo_ddot(box->axis[i], center) / at.size[i];
    at.half[i] = mo_ddot(box->axis[i], l.half) / at.size[i];
  }
  const mo_dvec3 along = mo_dscale(parameter_closest_to_box(&at), l.half);
  if (!mo_contact_closest_of_box(box->axis, mo_dadd(center, along), &points[1])) {
    return false;
  }
  points[0] = mo_dadd(l.center, along);
  points[1] = mo_dadd(points[1], box->center);
  return mo_dlength(mo_dsub(points[1], points[0])) > MO_NEARLY_TOUCHING_GAP * box->size;
}

/* Whether a segment intersects a triangle. */
static bool line_crosses_triangle(line l, const mo_dvec3 corner[3]) {
  mo_dvec3 start = mo_dsub(l.center, l.half), along = mo_dscale(2.0, l.half);
  mo_dvec3 e = mo_dsub(corner[1], corner[0]), f = mo_dsub(corner[2], corner[0]);
  mo_dvec3 normal = mo_dcross(e, f), from = mo_dsub(start, corner[0]);
  double before = mo_ddot(normal, from), slope = mo_ddot(normal, along), after = before + slope;
  if ((before < 0.0) == (after < 0.0)) {
    return false;
  }
  mo_dvec3 at = mo_dadd(from, mo_dscale(-before / slope, along));
  double u = mo_ddot(mo_dcross(at, f), normal), v = mo_ddot(mo_dcross(e, at), normal);
  return u >= 0.0 && v >= 0.0 && u + v <= mo_ddot(normal, normal);
}

/* The closest points of a segment (or point) and a triangle. Where they intersect, both are set to
 * the same point. */
static double closest_of_line_and_triangle(line l, const mo_dvec3 corner[3], mo_dvec3 points[2]) {
  const int ends = mo_ddot(l.half, l.half) > 0.0 ? 2 : 1;
  double min = INFINITY;
  if (ends == 2 && line_crosses_triangle(l, corner)) {
    points[0] = points[1] = l.center;
    return 0.0;
  }
  for (int i = 0; i < ends; i++) {
    mo_dvec3 end = i == 0 ? mo_dsub(l.center, l.half) : mo_dadd(l.center, l.half);
    mo_dvec3 on = mo_triangle_closest_point(corner, end);
    double distance = mo_dlength(mo_dsub(on, end));
    if (distance < min) {
      min = distance;
      points[0] = end;
      points[1] = on;
    }
  }
  for (int i = 0; i < 3 && ends == 2; i++) {
    mo_dvec3 half = mo_dscale(0.5, mo_dsub(corner[(i + 1) % 3], corner[i])), found[2];
    double distance = mo_contact_closest_of_lines(l, (line){mo_dadd(corner[i], half), half}, found);
    if (distance < min) {
      min = distance;
      points[0] = found[0];
      points[1] = found[1];
    }
  }
  return min;
}

/* The distance of the cores of two bodies by a special method: a closed form for a point or segment
 * (`l`) with a triangle or box, mo_cylinder_cone_gap for a cylinder or cone with a body that has
 * corners. Returns false for all other pairs. */
static bool gap_by_special_method(const mo_contact_body *l, const mo_contact_body *other,
                                  double limit, mo_convex_gap *gap) {
  mo_dvec3 points[2] = {l->center};
  if (!has_point_or_segment_core(l)) {
    return mo_cylinder_cone_gap(l, other, mo_dvec(0.0, 0.0, 0.0), limit, gap);
  }
  if (other->ellipsoid > 0.0) {
    return false;
  }
  if (other->kind == MO_CORE_TRIANGLE) {
    gap->distance = closest_of_line_and_triangle(line_of(l), other->core.corners, points);
  } else if (other->kind == MO_CORE_BOX && l->kind == MO_CORE_POINT &&
             mo_contact_closest_of_box(other->axis, mo_dsub(l->center, other->center),
                                       &points[1])) {
    points[1] = mo_dadd(points[1], other->center);
    gap->distance = mo_dlength(mo_dsub(points[1], points[0]));
  } else if (other->kind == MO_CORE_BOX && l->kind == MO_CORE_SEGMENT &&
             closest_of_line_and_box(line_of(l), other, points)) {
    gap->distance = mo_dlength(mo_dsub(points[1], points[0]));
  } else {
    return false;
  }
  gap->normal = mo_dunit(mo_dsub(points[1], points[0]));
  gap->points[0] = points[0];
  gap->points[1] = points[1];
  return true;
}

/* --- any bodies --- */

/* The distance of the cores of two bodies. If they are farther apart than the limit, it is any
 * distance above the limit. If they overlap, it is 0, or minus their penetration depth if the
 * method finds that. */
static mo_convex_gap core_gap(const mo_contact_body *a, const mo_contact_body *b, double limit) {
  mo_convex_gap gap;
  if (mo_cylinder_cone_pair_gap(a, b, limit, &gap) || gap_by_special_method(a, b, limit, &gap)) {
    return gap;
  }
  if (gap_by_special_method(b, a, limit, &gap)) {
    mo_dvec3 of_b = gap.points[0];
    gap.points[0] = gap.points[1];
    gap.points[1] = of_b;
    gap.normal = mo_dscale(-1.0, gap.normal);
    return gap;
  }
  mo_difference d = mo_difference_of(&a->core, &b->core);
  return mo_difference_distance(&d, limit);
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
  return a->ellipsoid == 0.0 && b->ellipsoid == 0.0 && mo_contact_body_is_polytope(a) &&
         mo_contact_body_is_polytope(b);
}

/* Moves the points of an axis from the cores to the surfaces of the bodies, by the radii of the
 * balls around the cores. */
static void add_ball_radii(const mo_contact_body *a, const mo_contact_body *b,
                           mo_contact_axis *axis) {
  axis->points[0] = mo_dadd(axis->points[0], mo_dscale(a->ball, axis->normal));
  axis->points[1] = mo_dsub(axis->points[1], mo_dscale(b->ball, axis->normal));
}

bool mo_contact_overlap_deeper(const mo_contact_body *a, const mo_contact_body *b, double depth) {
  double cores_depth = depth - a->ball - b->ball;
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
  const double size = a->size + b->size, balls = a->ball + b->ball;
  return gap->distance > MO_ACCURATE_NORMAL_DISTANCE * size &&
         (gap->distance > MO_NEARLY_TOUCHING_GAP * size ||
          mo_contact_separation_along(a, b, gap->normal) + balls > 0.0);
}

/* Finds the contact axis of a hull and the core of a ball or capsule, by mo_hull_line_find. The
 * hull is body A, or B if `second` is set. Returns false for other bodies, and where no accurate
 * normal is found. */
static bool axis_of_hull_and_line(const mo_contact_body *hull, const mo_contact_body *l,
                                  bool second, double max, mo_contact_axis *axis) {
  static bool (*const find[MO_ISA_COUNT])(mo_hull_line_search *) = MO_ISA_TABLE(mo_hull_line_find);
  if (hull->kind != MO_CORE_HULL || hull->ellipsoid > 0.0 || !has_point_or_segment_core(l) ||
      !mo_contact_body_is_polytope(hull)) {
    return false;
  }
  const double balls = hull->ball + l->ball, sign = second ? -1.0 : 1.0;
  mo_contact_polytope made;
  mo_contact_polytope *p = mo_contact_polytope_get(hull, &made);
  mo_hull_line_search s = {.hull = p,
                           .line = line_of(l),
                           .max =
                               (max + balls) * (1.0 + 0x1p-40) + 0x1p-40 * (hull->size + l->size)};
  if (!p->has_volume || !find[mo_isa_of_process()](&s)) {
    return false;
  }
  *axis = (mo_contact_axis){.within_limit = s.separation <= max + balls,
                            .normal = mo_dscale(sign, s.normal),
                            .separation = s.separation - balls,
                            .is_certain = true,
                            .has_points = true};
  axis->points[second] = mo_dadd(s.points[0], mo_dscale(hull->ball, s.normal));
  axis->points[!second] = mo_dsub(s.points[1], mo_dscale(l->ball, s.normal));
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
  if (has_point_or_segment_core(a) && has_point_or_segment_core(b)) {
    return axis_of_lines(a, b, max);
  }
  mo_contact_axis of_hull;
  if (axis_of_hull_and_line(a, b, false, max, &of_hull) ||
      axis_of_hull_and_line(b, a, true, max, &of_hull)) {
    return of_hull;
  }
  const double balls = a->ball + b->ball, limit = max + balls;
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
  return a->ball + b->ball == 0.0 && are_polytopes(a, b);
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
