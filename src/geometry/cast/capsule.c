/* Moving capsules against triangles: a conservative test, and the first contact.
 *
 * A capsule meets a triangle if its centre meets the Minkowski sum of triangle and segment, a
 * prism, rounded by the radius. The surface of that convex body consists of five faces, nine
 * cylinders around the edges and six balls around the corners. The path of the centre enters the
 * body at the first time at which it meets any of these pieces. All pieces lie in the body, so each
 * is only clipped to its own extent, and a face that the path enters by is the first piece. For the
 * conservative test the pieces are enlarged by the margin, and faces extend beyond their edges by
 * the margin, so that rounding lets no line pass between two pieces. */
#include "geometry/cast/capsule.h"

#include "geometry/difference/difference.h"

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

static mo_dvec3 remove_longest_segment(mo_minkowski *sum) {
  int longest = 0;
  for (int i = 1; i < sum->segment_count; ++i) {
    if (mo_ddot(sum->segment[i], sum->segment[i]) >
        mo_ddot(sum->segment[longest], sum->segment[longest])) {
      longest = i;
    }
  }
  if (sum->segment_count == 0) {
    return mo_dvec(0.0, 0.0, 0.0);
  }
  mo_dvec3 axis = sum->segment[longest];
  sum->segment[longest] = sum->segment[--sum->segment_count];
  return axis;
}

mo_bounding_capsule mo_bounding_capsule_of(const mo_body *body) {
  mo_minkowski sum;
  mo_bounding_capsule around = {.half = {0.0, 0.0, 0.0}, .radius = 0.0};
  around.center = mo_minkowski_of(&sum, body);
  for (int i = 0; i < sum.cone_count;
       ++i) { /* a cone lies in the cylinder with the same axis and base */
    const mo_dvec3 disc[3] = {sum.cone[i].disc[0], sum.cone[i].disc[1], {0.0, 0.0, 0.0}};
    mo_minkowski_add_segment(&sum, sum.cone[i].half);
    around.radius += max_image_radius(disc);
  }
  around.half = remove_longest_segment(&sum);
  around.radius += max_sum_length(sum.segment, sum.segment_count);
  for (int i = 0; i < sum.ellipsoid_count; ++i) {
    around.radius += max_image_radius(sum.axes[i]);
  }
  for (int i = 0; i < sum.hull_count; ++i) {
    const mo_hull_image *image = &sum.hull[i];
    mo_dvec3 middle = mo_dsub(image->hull->bounds_center, image->hull->center);
    around.center = mo_dadd(around.center, mo_map_columns(image->column, middle));
    around.radius += image->hull->radius * max_image_radius(image->column);
  }
  for (int i = 0; i < sum.triangle_count; ++i) {
    const mo_dvec3 *corner = sum.corner[i];
    around.radius +=
        larger(larger(mo_dlength(corner[0]), mo_dlength(corner[1])), mo_dlength(corner[2]));
  }
  around.radius *= 1.0 + 0x1p-40;
  return around;
}

/* The path of the capsule's centre, and when it enters the Minkowski sum of triangle and capsule, a
 * rounded prism. */
typedef struct path {
  mo_dvec3 displacement;
  double displacement_length2; /* squared length of the displacement */
  double radius, margin; /* of the capsule, enlarged; by which faces extend beyond their edges */
  mo_dvec3 to_prism;     /* from a point of the triangle to that of the prism at the current end */
  double first;          /* the first time at which any piece is met */
  /* Where it is met first: the nearest point of the prism, and the point of the triangle. */
  mo_dvec3 met_prism_point, met_triangle_point;
} path;

static void add_time(path *p, double t, mo_dvec3 nearest, mo_dvec3 touched) {
  if (t < p->first) {
    p->first = t;
    p->met_prism_point = nearest;
    p->met_triangle_point = touched;
  }
}

static void intersect_ball(path *p, mo_dvec3 center) {
  double closest = mo_ddot(center, p->displacement) / p->displacement_length2;
  mo_dvec3 off = mo_dsub(mo_dscale(closest, p->displacement), center);
  double depth = p->radius * p->radius - mo_ddot(off, off);
  if (depth >= 0.0) {
    double half = sqrt(depth / p->displacement_length2);
    add_time(p, closest - half, center, mo_dsub(center, p->to_prism));
  }
}

static mo_dvec3 perpendicular(mo_dvec3 v, mo_dvec3 to, double inverse_square) {
  return mo_dsub(v, mo_dscale(mo_ddot(v, to) * inverse_square, to));
}

/* Adds the time at which the path enters the cylinder around an edge, without its ends: an edge of
 * the triangle, or one between two images of a corner. */
static void intersect_cylinder(path *p, mo_dvec3 start, mo_dvec3 edge, bool of_triangle) {
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
  double t = closest - half, along = t * moved - started;
  if (along >= -slack && along <= square + slack) {
    const mo_dvec3 nearest = mo_dadd(start, mo_dscale(along * inverse, edge));
    add_time(p, t, nearest, mo_dsub(of_triangle ? nearest : start, p->to_prism));
  }
}

/* A face of the prism: a triangle or a parallelogram, given by a corner, two edges and their cross
 * product. */
typedef struct prism_face {
  mo_dvec3 corner, e, f, normal;
  bool is_triangle;
} prism_face;

/* The least squared sine of the angle between the edges of a face with which its normal is accurate
 * enough to say that the face is met before its edges. */
static const double min_square_sine = 0x1p-44;

/* Adds the time at which the path comes within the radius of a face. Returns whether it does so
 * certainly above the face. */
static bool intersect_face(path *p, const prism_face *face) {
  const mo_dvec3 normal = face->normal, e = face->e, f = face->f;
  double square = mo_ddot(normal, normal), speed = mo_ddot(normal, p->displacement);
  if (!(square > 0.0) || speed == 0.0) {
    return false;
  }
  double length = sqrt(square), height = mo_ddot(normal, face->corner);
  double t = (height + (speed > 0.0 ? -p->radius : p->radius) * length) / speed;
  mo_dvec3 at = mo_dsub(mo_dscale(t, p->displacement), face->corner);
  /* Vectors whose dot products with a point give its coordinates along e and f: each is
   * perpendicular to the other edge. */
  mo_dvec3 of_e = mo_dcross(f, normal), of_f = mo_dcross(normal, e);
  double u = mo_ddot(of_e, at), v = mo_ddot(of_f, at);
  double inside = face->is_triangle ? square - u - v : fmin(square - u, square - v);
  bool is_above = u > 0.0 && v > 0.0 && inside > 0.0;
  if (!is_above) {
    double blur =
        0x1p-48 * (fabs(height) + p->radius * length) / fabs(speed) * sqrt(p->displacement_length2);
    double beyond = p->margin + blur; /* `blur`: error of a path nearly parallel to the face */
    double length_e = mo_dlength(e), length_f = mo_dlength(f);
    if (!(u >= -beyond * length * length_f && v >= -beyond * length * length_e &&
          inside >= -beyond * length * (length_e + length_f))) {
      return false;
    }
  }
  const mo_dvec3 along_e = mo_dadd(face->corner, mo_dscale(u / square, e));
  const mo_dvec3 nearest = mo_dadd(along_e, mo_dscale(v / square, f));
  add_time(p, t, nearest, mo_dsub(face->is_triangle ? nearest : along_e, p->to_prism));
  return is_above && square > min_square_sine * mo_ddot(e, e) * mo_ddot(f, f);
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

/* Adds the times of the faces by which the path can enter. One sign (`along`) tells for all faces
 * whether their computed normals point outward. If the prism is flat but for rounding, that sign
 * may be wrong; then the faces tested are still all those of one of its two sides. Returns whether
 * the path certainly enters by one of them, so that other pieces come later. */
static bool intersect_faces(path *p, const mo_dvec3 corners[3], const mo_dvec3 edge[3],
                            mo_dvec3 half, bool is_flat) {
  prism_face face = {.e = edge[0], .f = mo_dscale(-1.0, edge[2]), .is_triangle = true};
  face.normal = mo_dcross(face.e, face.f);
  const double along = mo_ddot(face.normal, half), speed = mo_ddot(face.normal, p->displacement);
  p->to_prism = along * speed > 0.0 ? mo_dscale(-1.0, half) : half;
  face.corner = mo_dadd(corners[0], p->to_prism);
  if (intersect_face(p, &face)) {
    return true;
  }
  if (is_flat) {
    return false;
  }
  p->to_prism = mo_dscale(-1.0, half);
  for (int i = 0; i < 3; ++i) {
    face = (prism_face){
        .corner = mo_dadd(corners[i], p->to_prism), .e = edge[i], .f = mo_dscale(2.0, half)};
    face.normal = mo_dcross(face.e, face.f); /* leads inward if `along` is negative */
    if (along * mo_ddot(face.normal, p->displacement) <= 0.0 && intersect_face(p, &face)) {
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
  if (intersect_faces(p, corners, edge, half, is_flat)) {
    return;
  }
  for (int end = 0; end < (is_flat ? 1 : 2); ++end) {
    p->to_prism = end == 0 ? half : mo_dscale(-1.0, half);
    for (int i = 0; i < 3; ++i) {
      const mo_dvec3 corner = mo_dadd(corners[i], p->to_prism);
      intersect_cylinder(p, corner, edge[i], true);
      intersect_ball(p, corner);
      if (end == 1) {
        intersect_cylinder(p, corner, mo_dscale(2.0, half), false);
      }
    }
  }
}

/* The path of a capsule that is enlarged by `grow`, and its first time. */
static path path_through(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                         const mo_dvec3 corners[3], double grow, double margin) {
  path p = {.displacement = displacement,
            .displacement_length2 = mo_ddot(displacement, displacement),
            .radius = capsule->radius + grow,
            .margin = margin,
            .first = INFINITY};
  if (p.displacement_length2 > 0.0) {
    intersect_prism(&p, corners, capsule->half);
  }
  return p;
}

/* From the point of the prism that is met first to the centre of the capsule then. */
static mo_dvec3 vector_from_prism_to_center(const path *p) {
  return mo_dsub(mo_dscale(p->first, p->displacement), p->met_prism_point);
}

mo_capsule_entry mo_capsule_find_entry(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                                       const mo_dvec3 corners[3], double margin, double limit) {
  const mo_capsule_entry never = {.t = INFINITY}, at_start = {.t = 0.0};
  if (mo_capsule_is_separated(capsule, displacement, corners, margin, limit)) {
    return never;
  }
  const path p = path_through(capsule, displacement, corners, 2.0 * margin, margin);
  if (!(p.displacement_length2 > 0.0)) {
    return at_start;
  }
  if (p.first < 0.0) { /* the reversed path gives the time at which it leaves */
    const mo_dvec3 back = mo_dscale(-1.0, displacement);
    return path_through(capsule, back, corners, 2.0 * margin, margin).first > 0.0 ? never
                                                                                  : at_start;
  }
  return p.first > limit ? never : (mo_capsule_entry){p.first, vector_from_prism_to_center(&p)};
}

/* If a capsule comes to lie on a triangle, moves the contact to the middle of where they touch. */
static void move_to_middle(mo_sweep_contact *contact, const mo_bounding_capsule *capsule,
                           mo_dvec3 displacement, const mo_dvec3 corners[3]) {
  const mo_dvec3 n = contact->normal, along = mo_dscale(2.0, capsule->half);
  double size = mo_sum_of_magnitudes(along), tilt = fabs(mo_ddot(n, along));
  mo_dvec3 edge[3];
  for (int i = 0; i < 3; ++i) {
    edge[i] = mo_dsub(corners[(i + 1) % 3], corners[i]);
    size += mo_sum_of_magnitudes(edge[i]);
    tilt += fabs(mo_ddot(n, edge[i]));
  }
  if (tilt > 0x1p-40 * size) {
    return;
  }
  const mo_dvec3 normal = mo_dcross(edge[0], edge[1]);
  const mo_dvec3 start = mo_dsub(mo_dscale(contact->t, displacement),
                                 mo_dadd(mo_dscale(capsule->radius, n), capsule->half));
  double from = 0.0, to = 1.0;
  for (int i = 0; i < 3; ++i) {
    const mo_dvec3 inward = mo_dcross(normal, edge[i]);
    const double height = mo_ddot(inward, mo_dsub(start, corners[i]));
    const double speed = mo_ddot(inward, along), end = -height / speed;
    from = speed > 0.0 ? fmax(from, end) : from;
    to = speed < 0.0 ? fmin(to, end) : to;
  }
  if (from < to) {
    contact->point = mo_dadd(start, mo_dscale(0.5 * (from + to), along));
  }
}

bool mo_capsule_sweep_triangle(const mo_bounding_capsule *capsule, mo_dvec3 displacement,
                               const mo_dvec3 corners[3], mo_sweep_contact *contact) {
  const path p = path_through(capsule, displacement, corners, 0.0, 0.0);
  if (!(p.first >= 0.0 && p.first < INFINITY)) {
    return false;
  }
  const mo_dvec3 out = vector_from_prism_to_center(&p);
  *contact = (mo_sweep_contact){
      .t = p.first, .normal = mo_dscale(1.0 / mo_dlength(out), out), .point = p.met_triangle_point};
  move_to_middle(contact, capsule, displacement, corners);
  return true;
}
