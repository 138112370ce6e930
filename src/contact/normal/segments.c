/* Closest points of segments and points (the cores of balls and capsules) with each other, with
 * boxes and with triangles, in closed form. */
#include "contact/normal/segments.h"

#include "contact/body/limits.h"
#include "geometry/triangle/triangle.h"

static mo_dvec3 any_perpendicular(mo_dvec3 v) {
  return mo_dunit(mo_dcross(v, mo_most_perpendicular_axis(v)));
}

typedef mo_contact_line line;

mo_contact_line mo_contact_line_of(const mo_contact_body *body) {
  return (line){body->center,
                body->kind == MO_CORE_SEGMENT ? body->axis[0] : mo_dvec(0.0, 0.0, 0.0)};
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
  mo_dvec3 cross = mo_dcross(d, e);
  double square = mo_ddot(cross, cross);
  if (square > 0x1p-60 * dd * ee) {
    double s = mo_ddot(mo_dcross(r, e), cross) / square,
           t = mo_ddot(mo_dcross(r, d), cross) / square;
    if (fabs(s) <= 1.0 && fabs(t) <= 1.0) {
      keep_closer_points(a, b, s, t, &min, points);
    }
  }
  for (double end = -1.0; end <= 1.0; end += 2.0) {
    keep_closer_points(a, b, end, ee > 0.0 ? mo_clamp_to_segment((end * de - re) / ee) : 0.0, &min,
                       points);
    keep_closer_points(a, b, dd > 0.0 ? mo_clamp_to_segment((end * de + rd) / dd) : 0.0, end, &min,
                       points);
  }
  return min;
}

mo_contact_axis mo_contact_axis_of_segments(const mo_contact_body *a, const mo_contact_body *b,
                                            double max) {
  mo_contact_axis axis = {.is_certain = true, .has_points = true};
  double distance =
      mo_contact_closest_of_lines(mo_contact_line_of(a), mo_contact_line_of(b), axis.points);
  axis.separation = distance - a->ball_radius - b->ball_radius;
  axis.within_limit = axis.separation <= max;
  axis.normal = mo_dunit(mo_dsub(axis.points[1], axis.points[0]));
  if (!(distance > MO_ACCURATE_NORMAL_DISTANCE * (a->size + b->size))) {
    /* the lines cross or overlap */
    mo_dvec3 d = mo_contact_line_of(a).half, e = mo_contact_line_of(b).half;
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
  axis.points[0] = mo_dadd(axis.points[0], mo_dscale(a->ball_radius, axis.normal));
  axis.points[1] = mo_dsub(axis.points[1], mo_dscale(b->ball_radius, axis.normal));
  return axis;
}

bool mo_contact_closest_of_box(const mo_dvec3 axis[3], mo_dvec3 point, mo_dvec3 *closest) {
  double square[3], c[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3; i++) {
    square[i] = mo_ddot(axis[i], axis[i]);
    int k = (i + 1) % 3;
    double dot = mo_ddot(axis[i], axis[k]);
    if (dot * dot > 0x1p-36 * square[i] * mo_ddot(axis[k], axis[k])) {
      return false;
    }
  }
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 3; i++) {
      int k = (i + 1) % 3, m = (i + 2) % 3;
      mo_dvec3 others = mo_dadd(mo_dscale(c[k], axis[k]), mo_dscale(c[m], axis[m]));
      double along = mo_ddot(axis[i], mo_dsub(point, others));
      c[i] = square[i] > 0.0 ? mo_clamp_to_segment(along / square[i]) : 0.0;
    }
  }
  *closest = mo_dadd(mo_dadd(mo_dscale(c[0], axis[0]), mo_dscale(c[1], axis[1])),
                     mo_dscale(c[2], axis[2]));
  return true;
}

/* A segment in the frame of a box: center + t half for t in [-1, 1]. On each axis, the box reaches
 * from -size to size. */
typedef struct segment_in_box_frame {
  double center[3], half[3], size[3];
} segment_in_box_frame;

/* Half of the derivative, by t, of the squared distance from the box to the segment's point at t.
 * It never decreases, as the squared distance is convex, and is linear between the values of t at
 * which the segment crosses the plane of a side of the box. */
static double squared_distance_slope(const segment_in_box_frame *l, double t) {
  double slope = 0.0;
  for (int i = 0; i < 3; i++) {
    const double x = l->center[i] + t * l->half[i];
    const double beyond = x > l->size[i] ? x - l->size[i] : x < -l->size[i] ? x + l->size[i] : 0.0;
    slope += beyond * l->half[i];
  }
  return slope;
}

static double parameter_closest_to_box(const segment_in_box_frame *l) {
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
  segment_in_box_frame at;
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
  if (!(mo_ddot(l.half, l.half) > 0.0)) {
    points[0] = l.center;
    points[1] = mo_triangle_closest_point(corner, l.center);
    return mo_dlength(mo_dsub(points[1], points[0]));
  }
  if (line_crosses_triangle(l, corner)) {
    points[0] = points[1] = l.center;
    return 0.0;
  }
  return mo_closest_of_segment_and_triangle_by_isa[mo_isa_of_process()](&l, corner, points);
}

bool mo_contact_segment_gap(const mo_contact_body *l, const mo_contact_body *other,
                            mo_convex_gap *gap) {
  mo_dvec3 points[2] = {l->center};
  if (other->ellipsoid_radius > 0.0) {
    return false;
  }
  if (other->kind == MO_CORE_TRIANGLE) {
    gap->distance =
        closest_of_line_and_triangle(mo_contact_line_of(l), other->core.corners, points);
  } else if (other->kind == MO_CORE_BOX && l->kind == MO_CORE_POINT &&
             mo_contact_closest_of_box(other->axis, mo_dsub(l->center, other->center),
                                       &points[1])) {
    points[1] = mo_dadd(points[1], other->center);
    gap->distance = mo_dlength(mo_dsub(points[1], points[0]));
  } else if (other->kind == MO_CORE_BOX && l->kind == MO_CORE_SEGMENT &&
             closest_of_line_and_box(mo_contact_line_of(l), other, points)) {
    gap->distance = mo_dlength(mo_dsub(points[1], points[0]));
  } else {
    return false;
  }
  gap->normal = mo_dunit(mo_dsub(points[1], points[0]));
  gap->points[0] = points[0];
  gap->points[1] = points[1];
  return true;
}
