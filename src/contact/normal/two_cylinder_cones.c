/* Two cylinders or cones: finds the direction of their greatest separation or least overlap.
 *
 * The separation along a direction is a closed form of its angles with both axes. It is not
 * smooth for normals of the curved side of a body, which form a circle of directions for each body,
 * and for directions parallel to an axis. So the maximum is sought along the axes, where both
 * circles cross, along the circles, and between them by Newton's method. For bodies that are apart
 * there is only one local maximum, and two points at that distance prove that it was found. For
 * overlapping bodies an expanding polytope (EPA) shows that no direction is better by more than a
 * tolerance. */
#include "contact/normal/cylinder_cone.h"
#include "geometry/penetration/penetration.h"

enum { RADIAL_SAMPLES_PER_SIDE = 4, MAX_NEWTON_STEPS = 8, MAX_PROJECTIONS = 8 };

/* Fractions of the summed sizes. `depth_tolerance`: no direction has a depth that is less than the
 * depth found by more than this. `points_tolerance`: how much the distance of the points found may
 * exceed the distance of the bodies. */
static const double depth_tolerance = 0x1p-14, points_tolerance = 0x1p-34;
/* Angles with a sine below this count as zero. */
static const double zero_angle_sine = 0x1p-30;
/* The longest step of Newton's method, in radians. */
static const double max_step_angle = 0.4;

typedef struct pair {
  mo_cylinder_cone round[2];
  mo_dvec3 offset; /* from the centre of A to that of B */
  /* The unit axis of each body; the axis of B is negated, as the normal from A to B points into B.
   */
  mo_dvec3 outward_axis[2];
  mo_best_direction best;
} pair;

/* A direction from A to B, with the derivatives of the separation as a function of direction. */
typedef struct local_derivatives {
  mo_dvec3 direction;
  double separation;
  mo_dvec3 slope; /* gradient of the separation: from the support point of A to that of B */
  mo_dvec3 rim_direction[2]; /* unit directions in which the support points move along their rims */
  double rim_speed[2];       /* speed of the support points along their rims, per radian */
} local_derivatives;

/* The component perpendicular to the axis of a unit vector whose component along the axis is `up`.
 */
static double radial_component(double up) {
  return sqrt(fmax(0.0, 1.0 - up * up));
}

static double separation_along(const pair *p, mo_dvec3 n) {
  double separation = mo_ddot(n, p->offset);
  for (int k = 0; k < 2; k++) {
    const mo_dvec3 axis = p->outward_axis[k];
    double up = mo_ddot(n, axis), out = mo_dlength(mo_dsub(n, mo_dscale(up, axis)));
    separation -= mo_cylinder_cone_reach(&p->round[k], up, out);
  }
  return separation;
}

static local_derivatives derivatives_at(const pair *p, mo_dvec3 n) {
  local_derivatives l = {.direction = n, .separation = mo_ddot(n, p->offset), .slope = p->offset};
  for (int k = 0; k < 2; k++) {
    const mo_cylinder_cone *r = &p->round[k];
    const mo_dvec3 axis = p->outward_axis[k];
    double up = mo_ddot(n, axis);
    mo_dvec3 radial = mo_dsub(n, mo_dscale(up, axis));
    double out = mo_dlength(radial);
    l.separation -= mo_cylinder_cone_reach(r, up, out);
    if (r->is_cone && -2.0 * r->half_height * up > r->radius * out) {
      l.slope = mo_dadd(l.slope, mo_dscale(r->half_height, axis));
      continue;
    }
    l.slope = mo_dsub(l.slope,
                      mo_dscale(!r->is_cone && up < 0.0 ? -r->half_height : r->half_height, axis));
    if (out > zero_angle_sine) {
      radial = mo_dscale(1.0 / out, radial);
      l.slope = mo_dsub(l.slope, mo_dscale(r->radius, radial));
      l.rim_direction[k] = mo_dcross(axis, radial);
      l.rim_speed[k] = r->radius / out;
    }
  }
  return l;
}

/* The component, along the axis, of the unit normals of the curved side. */
static double side_normal_axial_component(const mo_cylinder_cone *r) {
  return r->is_cone ? r->side_z : 0.0;
}

/* Tries the directions that are normals of the curved sides of both bodies: where the circles of
 * these normals cross. */
static void try_common_side_normals(pair *p) {
  const mo_dvec3 u = p->outward_axis[0], v = p->outward_axis[1], w = mo_dcross(u, v);
  double g = mo_ddot(u, v), square = mo_ddot(w, w), a = side_normal_axial_component(&p->round[0]),
         b = side_normal_axial_component(&p->round[1]);
  if (!(square > 0x1p-40)) {
    return;
  }
  double x = (a - g * b) / square, y = (b - g * a) / square,
         z = (1.0 - x * x - y * y - 2.0 * g * x * y) / square;
  if (z >= 0.0) {
    mo_dvec3 flat = mo_dadd(mo_dscale(x, u), mo_dscale(y, v)), up = mo_dscale(sqrt(z), w);
    mo_dvec3 n[2] = {mo_dunit(mo_dadd(flat, up)), mo_dunit(mo_dsub(flat, up))};
    mo_keep_better_direction(&p->best, separation_along(p, n[0]), n[0]);
    mo_keep_better_direction(&p->best, separation_along(p, n[1]), n[1]);
  }
}

/* The unit direction of the part of v perpendicular to the axis; any such direction if v is
 * parallel to the axis. */
static mo_dvec3 unit_across_axis(const mo_cylinder_cone *r, mo_dvec3 v) {
  mo_dvec3 flat = mo_cylinder_cone_radial(r, v);
  bool is_along = !(mo_ddot(flat, flat) > 0x1p-40 * mo_ddot(v, v));
  return is_along ? r->frame[0] : mo_dunit(flat);
}

/* The normal of the curved side of body k at the radial unit direction `out`. */
static mo_dvec3 side_normal(const pair *p, int k, mo_dvec3 out) {
  double rise = side_normal_axial_component(&p->round[k]);
  return mo_dadd(mo_dscale(rise, p->outward_axis[k]), mo_dscale(radial_component(rise), out));
}

/* Tries the normal of the curved side of body k at the radial direction `out`. If the separation
 * along it exceeds `max`, stores the separation and the direction. */
static void try_radial_side_normal(const pair *p, int k, mo_dvec3 out, double *max,
                                   mo_dvec3 *best) {
  double separation = separation_along(p, side_normal(p, k, out));
  if (separation > *max) {
    *max = separation;
    *best = out;
  }
}

/* The best radial direction to start Newton's method on the side of body k: among some directions
 * around the direction to the other body, and the two along the other body's axis. */
static mo_dvec3 best_sample_of_side(const pair *p, int k) {
  static const double cosine[RADIAL_SAMPLES_PER_SIDE + 1] = {1.0, 0.94, 0.77, 0.5, 0.17};
  const mo_cylinder_cone *r = &p->round[k];
  const mo_dvec3 middle = unit_across_axis(r, p->offset),
                 other = unit_across_axis(r, p->outward_axis[1 - k]);
  const mo_dvec3 beside = mo_dcross(p->outward_axis[k], middle);
  double max = -INFINITY;
  mo_dvec3 best = middle;
  for (int i = -RADIAL_SAMPLES_PER_SIDE; i <= RADIAL_SAMPLES_PER_SIDE; i++) {
    double c = cosine[i < 0 ? -i : i], s = i < 0 ? -radial_component(c) : radial_component(c);
    try_radial_side_normal(p, k, mo_dadd(mo_dscale(c, middle), mo_dscale(s, beside)), &max, &best);
  }
  try_radial_side_normal(p, k, other, &max, &best);
  try_radial_side_normal(p, k, mo_dscale(-1.0, other), &max, &best);
  return best;
}

/* Maximises the separation over the normals of the curved side of body k, by Newton's method along
 * the circle of these normals. */
static void maximize_on_side(pair *p, int k) {
  const double scale = radial_component(side_normal_axial_component(&p->round[k]));
  mo_dvec3 out = best_sample_of_side(p, k);
  double last = -INFINITY;
  for (int i = 0; i < MAX_NEWTON_STEPS; i++) {
    const local_derivatives l = derivatives_at(p, side_normal(p, k, out));
    mo_keep_better_direction(&p->best, l.separation, l.direction);
    if (!(l.separation > last)) {
      break;
    }
    last = l.separation;
    /* `out` is radial; `sideways` is the tangent of the circle of radial vectors there. */
    mo_dvec3 sideways = mo_dcross(p->outward_axis[k], out), step = mo_dscale(scale, sideways);
    double bend = scale * mo_ddot(l.slope, out);
    for (int m = 0; m < 2; m++) {
      double along = mo_ddot(l.rim_direction[m], step);
      bend += l.rim_speed[m] * along * along;
    }
    double angle = bend > 0.0 ? mo_ddot(l.slope, step) / bend : 0.0;
    angle = fmax(-max_step_angle, fmin(max_step_angle, angle));
    out = mo_dunit(mo_dadd(out, mo_dscale(angle, sideways)));
  }
}

/* A step of Newton's method on the sphere of directions. Where the separation is not concave, the
 * curvature is modified so that the step still ascends. */
static mo_dvec3 newton_step(const local_derivatives *l) {
  const mo_dvec3 n = l->direction;
  mo_dvec3 beside = fabs(n.x) < 0.7 ? mo_dvec(1.0, 0.0, 0.0) : mo_dvec(0.0, 1.0, 0.0);
  mo_dvec3 e = mo_dunit(mo_dcross(beside, n)), f = mo_dcross(n, e);
  double xx = 0.0, xy = 0.0, yy = 0.0, more = l->separation;
  for (int k = 0; k < 2; k++) {
    double x = mo_ddot(l->rim_direction[k], e), y = mo_ddot(l->rim_direction[k], f);
    xx += l->rim_speed[k] * x * x;
    xy += l->rim_speed[k] * x * y;
    yy += l->rim_speed[k] * y * y;
  }
  if (!(xx + more > 0.0 && (xx + more) * (yy + more) > xy * xy)) {
    more = fabs(more);
  }
  xx += more;
  yy += more;
  double square = xx * yy - xy * xy, x = mo_ddot(l->slope, e), y = mo_ddot(l->slope, f);
  mo_dvec3 step = mo_dscale(1.0 / square,
                            mo_dadd(mo_dscale(yy * x - xy * y, e), mo_dscale(xx * y - xy * x, f)));
  double length = mo_dlength(step);
  return length > max_step_angle ? mo_dscale(max_step_angle / length, step) : step;
}

/* Maximises the separation by Newton's method, from direction n on, as long as it increases. */
static void ascend_from(pair *p, mo_dvec3 n) {
  double last = -INFINITY;
  for (int i = 0; i < MAX_NEWTON_STEPS; i++) {
    const local_derivatives l = derivatives_at(p, n);
    mo_keep_better_direction(&p->best, l.separation, n);
    if (!(l.separation > last)) {
      break;
    }
    last = l.separation;
    n = mo_dunit(mo_dadd(n, newton_step(&l)));
  }
}

/* Tries the direction along the axis of body k (the normal of an end or base), and if the
 * separation increases beside it, continues from there by Newton's method. */
static void try_end_normal(pair *p, int k, mo_dvec3 n) {
  const local_derivatives l = derivatives_at(p, n);
  mo_keep_better_direction(&p->best, l.separation, n);
  mo_dvec3 slope = l.slope, flat = mo_dsub(slope, mo_dscale(mo_ddot(slope, n), n));
  double length = mo_dlength(flat);
  if (length > p->round[k].radius) {
    ascend_from(p, mo_dunit(mo_dadd(n, mo_dscale(0.05 / length, flat))));
  }
}

/* Finds the direction of the greatest separation, or any direction along which it exceeds the
 * limit. */
static void find_normal(pair *p, double limit) {
  mo_dvec3 out = mo_dunit(p->offset);
  try_common_side_normals(p);
  for (int k = 0; k < 2 && p->best.separation <= limit; k++) {
    const double sign = mo_ddot(out, p->outward_axis[k]) < 0.0 && !p->round[k].is_cone ? -1.0 : 1.0;
    maximize_on_side(p, k);
    try_end_normal(p, k, mo_dscale(sign, p->outward_axis[k]));
  }
  if (p->best.separation <= limit) {
    ascend_from(p, mo_dunit(mo_dadd(p->best.normal, mo_dscale(0.1, out))));
    ascend_from(p, out);
  }
}

/* Finds the support point of a body along an outward normal n. If a whole end supports the body, it
 * is the middle of that end; if a generator line of the side does, the middle of that line. Returns
 * whether the support point is unique. */
static bool find_support_point_or_middle(const mo_cylinder_cone *r, mo_dvec3 n, mo_dvec3 *point) {
  double up = mo_ddot(n, r->frame[2]);
  mo_dvec3 radial = mo_dsub(n, mo_dscale(up, r->frame[2]));
  double out = mo_dlength(radial);
  bool on_end = out <= zero_angle_sine,
       on_side = fabs(up - side_normal_axial_component(r)) <= zero_angle_sine;
  double half = on_side                  ? 0.0
                : r->is_cone || up > 0.0 ? r->half_height
                                         : -r->half_height,
         radius = on_end                  ? 0.0
                  : r->is_cone && on_side ? 0.5 * r->radius
                                          : r->radius;
  if (r->is_cone && !on_side && -2.0 * r->half_height * up > r->radius * out) {
    half = -r->half_height;
    radius = 0.0;
  }
  *point = mo_dadd(r->center, mo_dscale(half, r->frame[2]));
  *point = on_end ? *point : mo_dadd(*point, mo_dscale(radius / out, radial));
  return !on_end && !on_side;
}

/* The direction of the generator line of the side along which the side has the normal n. */
static mo_dvec3 generator_direction(const mo_cylinder_cone *r, mo_dvec3 n) {
  return mo_dsub(r->frame[2], mo_dscale(mo_ddot(n, r->frame[2]), n));
}

/* Moves the point p along its generator line (direction u) to the place closest to the line through
 * q (direction v), within the side. If the lines are parallel, p stays. */
static mo_dvec3 move_along_generator(const mo_cylinder_cone *r, mo_dvec3 p, mo_dvec3 u, mo_dvec3 q,
                                     mo_dvec3 v) {
  mo_dvec3 across = mo_dcross(u, v);
  double square = mo_ddot(across, across), max = r->half_height / mo_ddot(u, u);
  double t = square > 0x1p-40 ? mo_ddot(mo_dcross(mo_dsub(q, p), v), across) / square : 0.0;
  return mo_dadd(p, mo_dscale(fmax(-max, fmin(max, t)), u));
}

/* Finds a point on each body, at the given separation along the normal, by projecting alternately
 * onto one body and the other. Starts from the body whose support point is unique (a corner or
 * rim); for two sides, from where their generator lines are closest. */
static bool find_points_at_separation(const mo_cylinder_cone round[2], mo_dvec3 normal,
                                      double separation, mo_dvec3 points[2]) {
  const mo_dvec3 back = mo_dscale(-1.0, normal);
  const double max = separation + points_tolerance * (round[0].half_height + round[0].radius);
  bool is_only[2] = {find_support_point_or_middle(&round[0], normal, &points[0]),
                     find_support_point_or_middle(&round[1], back, &points[1])};
  int from = is_only[0] ? 0 : 1;
  if (!is_only[0] && !is_only[1]) {
    points[1] = move_along_generator(&round[1], points[1], generator_direction(&round[1], back),
                                     points[0], generator_direction(&round[0], normal));
  }
  for (int i = 0; i < MAX_PROJECTIONS; i++) {
    points[1 - from] = mo_cylinder_cone_closest(&round[1 - from], points[from]);
    if (mo_dlength(mo_dsub(points[1], points[0])) <= max) {
      return true;
    }
    from = 1 - from;
  }
  return false;
}

bool mo_cylinder_cone_pair_gap(const mo_contact_body *a, const mo_contact_body *b, double limit,
                               mo_convex_gap *gap) {
  pair p = {.best = {-INFINITY, {0.0, 0.0, 1.0}}};
  if (!mo_cylinder_cone_of(&p.round[0], a) || !mo_cylinder_cone_of(&p.round[1], b)) {
    return false;
  }
  p.offset = mo_dsub(p.round[1].center, p.round[0].center);
  p.outward_axis[0] = p.round[0].frame[2];
  p.outward_axis[1] = mo_dscale(-1.0, p.round[1].frame[2]);
  find_normal(&p, limit);
  const double best = p.best.separation;
  *gap = (mo_convex_gap){.distance = best, .lower = best, .normal = p.best.normal};
  if (best > limit) {
    return true;
  }
  if (best > 0.0) {
    return find_points_at_separation(p.round, p.best.normal, best, gap->points);
  }
  double slack = fmin(depth_tolerance * (a->size + b->size), -0.5 * best);
  return mo_convex_overlap_deeper(&a->core, &b->core, -best - slack);
}

bool mo_cylinder_cone_pair_deepest(const mo_contact_body *a, const mo_contact_body *b,
                                   mo_dvec3 normal, double depth, mo_dvec3 points[2]) {
  mo_cylinder_cone round[2];
  if (!mo_cylinder_cone_of(&round[0], a) || !mo_cylinder_cone_of(&round[1], b)) {
    return false;
  }
  const double on = 0.25 * (a->size + b->size);
  const mo_dvec3 out = mo_dscale(depth + on, normal);
  round[1].center = mo_dadd(round[1].center, out);
  if (!find_points_at_separation(round, normal, on, points)) {
    return false;
  }
  points[1] = mo_dsub(points[1], out);
  return true;
}
