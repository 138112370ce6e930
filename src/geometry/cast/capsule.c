/* A conservative test of moving capsules against triangles.
 *
 * A capsule meets a triangle if its centre meets the Minkowski sum of triangle and segment, a
 * prism, rounded by the radius. The surface of that convex body consists of five pairs of faces,
 * nine cylinders around the edges and six balls around the corners. The line of the path is inside
 * the body between the first and the last time at which it meets any of these pieces. All pieces
 * lie in the body, so each is only clipped to its own extent. The pieces are enlarged by the
 * margin, and faces extend beyond their edges by the margin, so that rounding lets no line pass
 * between two pieces. */
#include "geometry/cast/capsule.h"

#include "geometry/difference/difference.h"

/* The bounding capsule of a body. */

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* An upper bound of the radius of the image of the unit ball under a matrix: the square root of the
 * largest eigenvalue of the Gram matrix of the axes, which is at most the largest sum of magnitudes
 * in a row (Gershgorin). */
static double max_image_radius(const mo_dvec3 axes[3]) {
  double max = 0.0;
  for (int i = 0; i < 3; ++i) {
    max = larger(max, fabs(mo_ddot(axes[i], axes[0])) + fabs(mo_ddot(axes[i], axes[1])) +
                          fabs(mo_ddot(axes[i], axes[2])));
  }
  return sqrt(max);
}

/* An upper bound of the length of any sum of the segments, each with either sign. */
static double max_sum_length(const mo_dvec3 *segment, int count) {
  double square = 0.0;
  for (int i = 0; i < count; ++i) {
    square += mo_ddot(segment[i], segment[i]);
    for (int j = 0; j < i; ++j) {
      square += 2.0 * fabs(mo_ddot(segment[i], segment[j]));
    }
  }
  return sqrt(square);
}

/* Removes the longest segment from a sum and returns it: the axis of the capsule. */
static mo_dvec3 remove_longest_segment(mo_minkowski *sum) {
  int longest = 0;
  for (int i = 1; i < sum->segments; ++i) {
    if (mo_ddot(sum->segment[i], sum->segment[i]) >
        mo_ddot(sum->segment[longest], sum->segment[longest])) {
      longest = i;
    }
  }
  if (sum->segments == 0) {
    return mo_dvec(0.0, 0.0, 0.0);
  }
  mo_dvec3 axis = sum->segment[longest];
  sum->segment[longest] = sum->segment[--sum->segments];
  return axis;
}

mo_bounding_capsule mo_bounding_capsule_of(const mo_body *body) {
  mo_minkowski sum;
  mo_bounding_capsule around = {.half = {0.0, 0.0, 0.0}, .radius = 0.0};
  around.center = mo_minkowski_of(&sum, body);
  for (int i = 0; i < sum.cones;
       ++i) { /* a cone lies in the cylinder with the same axis and base */
    const mo_dvec3 disc[3] = {sum.cone[i].disc[0], sum.cone[i].disc[1], {0.0, 0.0, 0.0}};
    mo_minkowski_add_segment(&sum, sum.cone[i].half);
    around.radius += max_image_radius(disc);
  }
  around.half = remove_longest_segment(&sum);
  around.radius += max_sum_length(sum.segment, sum.segments);
  for (int i = 0; i < sum.ellipsoids; ++i) {
    around.radius += max_image_radius(sum.axes[i]);
  }
  for (int i = 0; i < sum.hulls; ++i) {
    const mo_hull_image *image = &sum.hull[i];
    mo_dvec3 middle = mo_dsub(image->hull->middle, image->hull->center);
    around.center = mo_dadd(around.center, mo_map_columns(image->column, middle));
    around.radius += image->hull->radius * max_image_radius(image->column);
  }
  for (int i = 0; i < sum.triangles; ++i) {
    const mo_dvec3 *corner = sum.corner[i];
    around.radius +=
        larger(larger(mo_dlength(corner[0]), mo_dlength(corner[1])), mo_dlength(corner[2]));
  }
  around.radius *= 1.0 + 0x1p-40;
  return around;
}

/* The test of a moving capsule against a triangle. */

/* The path of the capsule's centre, and when it meets the surface of the Minkowski sum of triangle
 * and capsule, a rounded prism. */
typedef struct path {
  mo_dvec3 displacement;
  double square;         /* squared length of the displacement */
  double radius, margin; /* of the capsule, enlarged; by which faces extend beyond their edges */
  double first, last;    /* the first and last time at which any piece is met */
} path;

static void add_time(path *p, double t) {
  p->first = t < p->first ? t : p->first;
  p->last = t > p->last ? t : p->last;
}

static void intersect_ball(path *p, mo_dvec3 center) {
  double closest = mo_ddot(center, p->displacement) / p->square;
  mo_dvec3 off = mo_dsub(mo_dscale(closest, p->displacement), center);
  double depth = p->radius * p->radius - mo_ddot(off, off);
  if (depth >= 0.0) {
    double half = sqrt(depth / p->square);
    add_time(p, closest - half);
    add_time(p, closest + half);
  }
}

/* The component of `v` that is perpendicular to `to`. */
static mo_dvec3 perpendicular(mo_dvec3 v, mo_dvec3 to, double inverse_square) {
  return mo_dsub(v, mo_dscale(mo_ddot(v, to) * inverse_square, to));
}

/* Adds the times at which the path meets the cylinder around an edge, without its ends. */
static void intersect_cylinder(path *p, mo_dvec3 start, mo_dvec3 edge) {
  double square = mo_ddot(edge, edge);
  if (!(square > 0.0)) {
    return;
  }
  double inverse = 1.0 / square;
  mo_dvec3 across = perpendicular(p->displacement, edge, inverse);
  mo_dvec3 from = perpendicular(start, edge, inverse);
  double speed2 = mo_ddot(across, across);
  if (!(speed2 > 0.0)) {
    return; /* parallel to the edge: the first and last pieces are balls */
  }
  double closest = mo_ddot(from, across) / speed2;
  mo_dvec3 off = mo_dsub(mo_dscale(closest, across), from);
  double depth = p->radius * p->radius - mo_ddot(off, off);
  if (!(depth >= 0.0)) {
    return;
  }
  double half = sqrt(depth / speed2);
  double moved = mo_ddot(p->displacement, edge), started = mo_ddot(start, edge);
  double slack = 0x1p-48 * fabs(closest * moved); /* error of a path nearly parallel to the edge */
  for (int i = 0; i < 2; ++i) {
    double t = i == 0 ? closest - half : closest + half, along = t * moved - started;
    if (along >= -slack && along <= square + slack) {
      add_time(p, t);
    }
  }
}

/* Adds the times at which the path meets a face of the prism, moved by the radius to either side.
 * The face is a triangle or a parallelogram, given by a corner and two edges. */
static void intersect_face(path *p, mo_dvec3 corner, mo_dvec3 e, mo_dvec3 f, bool is_triangle) {
  mo_dvec3 normal = mo_dcross(e, f);
  double square = mo_ddot(normal, normal), speed = mo_ddot(normal, p->displacement);
  if (!(square > 0.0) || speed == 0.0) {
    return;
  }
  double length = sqrt(square), height = mo_ddot(normal, corner);
  /* Vectors whose dot products with a point give its coordinates along e and f: each is
   * perpendicular to the other edge. */
  mo_dvec3 of_e = mo_dcross(f, normal), of_f = mo_dcross(normal, e);
  double blur = 0x1p-48 * (fabs(height) + p->radius * length) / fabs(speed) * sqrt(p->square);
  double beyond = p->margin + blur; /* `blur`: error of a path nearly parallel to the face */
  double slack_e = beyond * mo_dlength(of_e), slack_f = beyond * mo_dlength(of_f);
  double slack = beyond * (mo_dlength(e) + mo_dlength(f)) * length;
  for (int i = 0; i < 2; ++i) {
    double t = (height + (i == 0 ? -p->radius : p->radius) * length) / speed;
    mo_dvec3 at = mo_dsub(mo_dscale(t, p->displacement), corner);
    double u = mo_ddot(of_e, at), v = mo_ddot(of_f, at);
    bool within =
        u >= -slack_e && v >= -slack_f &&
        (is_triangle ? u + v <= square + slack : u <= square + slack_e && v <= square + slack_f);
    if (within) {
      add_time(p, t);
    }
  }
}

/* Whether an axis separates a triangle from a moving interval, which extends by `reach` to either
 * side of the origin and moves by `moved`. */
static bool axis_separates_interval(const mo_dvec3 corners[3], mo_dvec3 axis, double reach,
                                    double moved) {
  double a = mo_ddot(corners[0], axis), b = mo_ddot(corners[1], axis);
  double c = mo_ddot(corners[2], axis);
  double min = a < b ? (a < c ? a : c) : b < c ? b : c;
  double max = a > b ? (a > c ? a : c) : b > c ? b : c;
  return min > reach + larger(moved, 0.0) || max < -reach + (moved < 0.0 ? moved : 0.0);
}

static bool axis_separates(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                           const mo_dvec3 corners[3], mo_dvec3 axis, double radius, double limit) {
  double reach = fabs(mo_ddot(axis, capsule->half)) + radius * mo_dlength(axis);
  return axis_separates_interval(corners, axis, reach, limit * mo_ddot(axis, displacement));
}

bool mo_capsule_is_separated(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                             const mo_dvec3 corners[3], double margin, double limit) {
  double radius = capsule->radius + margin;
  mo_dvec3 edge[3];
  for (int i = 0; i < 3; ++i) {
    edge[i] = mo_dsub(corners[(i + 1) % 3], corners[i]);
  }
  mo_dvec3 normal = mo_dcross(edge[0], edge[1]);
  if (axis_separates(capsule, displacement, corners, normal, radius, limit)) {
    return true;
  }
  for (int i = 0; i < 3; ++i) {
    if (axis_separates(capsule, displacement, corners, mo_dcross(edge[i], normal), radius, limit)) {
      return true;
    }
  }
  return false;
}

static void intersect_prism(path *p, const mo_dvec3 corners[3], mo_dvec3 half) {
  mo_dvec3 edge[3];
  for (int i = 0; i < 3; ++i) {
    edge[i] = mo_dsub(corners[(i + 1) % 3], corners[i]);
  }
  bool is_flat = half.x == 0.0 && half.y == 0.0 && half.z == 0.0;
  mo_dvec3 along = mo_dscale(2.0, half);
  for (int side = 0; side < (is_flat ? 1 : 2); ++side) {
    mo_dvec3 to = side == 0 ? half : mo_dscale(-1.0, half);
    mo_dvec3 corner[3] = {mo_dadd(corners[0], to), mo_dadd(corners[1], to),
                          mo_dadd(corners[2], to)};
    intersect_face(p, corner[0], edge[0], mo_dscale(-1.0, edge[2]), true);
    for (int i = 0; i < 3; ++i) {
      intersect_cylinder(p, corner[i], edge[i]);
      intersect_ball(p, corner[i]);
    }
    if (side == 1) { /* pieces between both sides: corner i + `along` is on the other side */
      for (int i = 0; i < 3; ++i) {
        intersect_cylinder(p, corner[i], along);
        intersect_face(p, corner[i], edge[i], along, false);
      }
    }
  }
}

double mo_capsule_entry_time(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                             const mo_dvec3 corners[3], double margin, double limit) {
  if (mo_capsule_is_separated(capsule, displacement, corners, margin, limit)) {
    return INFINITY;
  }
  path p = {.displacement = displacement,
            .square = mo_ddot(displacement, displacement),
            .radius = capsule->radius + 2.0 * margin,
            .margin = margin,
            .first = INFINITY,
            .last = -INFINITY};
  if (!(p.square > 0.0)) {
    return 0.0;
  }
  intersect_prism(&p, corners, capsule->half);
  return !(p.last >= 0.0) || p.first > limit ? INFINITY : larger(p.first, 0.0);
}
