/* Two cylinders or cones: finds the direction of their greatest separation or least overlap.
 *
 * The separation along a direction is a closed form of its angles with both axes. It is not smooth
 * where the direction is a normal of the curved side of either body (one circle of directions for
 * each body) and where it is parallel to an axis. So the maximum is sought along the axes, where
 * both circles cross, along the circles, and between them by Newton's method. For bodies that are
 * apart there is no other maximum, and two points at that distance prove it. For overlapping bodies
 * an expanding polytope (EPA) shows that no direction is better by more than a tolerance. */
#include "contact/normal/cylinder_cone.h"
#include "geometry/penetration/penetration.h"

enum { SAMPLES = 4, STEPS = 8, MAX_PROJECTIONS = 8 };

/* Fractions of the sizes. `certain_depth`: no direction has a depth that is less than the one found
 * by more than this. `certain_points`: how much farther apart the points may be than the solids. */
static const double certain_depth = 0x1p-14, certain_points = 0x1p-34;
/* Angles with a sine below this count as zero. */
static const double no_angle = 0x1p-30;
/* Longest step of Newton's method, radians. */
static const double longest_step = 0.4;

typedef struct pair {
  mo_round round[2];
  mo_dvec3 offset; /* from the centre of A to that of B */
  /* The axes; that of B is negated, as the normal from A to B points into B. */
  mo_dvec3 outward[2];
  double best; /* the greatest separation */
  mo_dvec3 normal;
} pair;

/* A direction from A to B, with the derivatives of the separation there. */
typedef struct local {
  mo_dvec3 n;
  double separation;
  mo_dvec3 slope;     /* gradient of the separation: from the support point of A to that of B */
  mo_dvec3 around[2]; /* unit directions in which the support points move along their rims */
  double bend[2];     /* and their speed along the rims, per radian */
} local;

/* The support distance of a body along n, from its centre. `up`: the component of n along the axis;
 * `out`: that perpendicular to it. */
static double reach(const mo_round *r, double up, double out) {
  double base = r->half * (r->tapers ? up : fabs(up)) + r->radius * out;
  return r->tapers && -r->half * up > base ? -r->half * up : base;
}

static double across_of(double up) {
  return sqrt(fmax(0.0, 1.0 - up * up));
}

/* Keeps the direction if it separates better. Ignores degenerate directions, which are not unit. */
static void take(pair *p, double separation, mo_dvec3 n) {
  if (separation > p->best && fabs(mo_ddot(n, n) - 1.0) <= 0x1p-20) {
    p->best = separation;
    p->normal = n;
  }
}

static double separation_along(const pair *p, mo_dvec3 n) {
  double separation = mo_ddot(n, p->offset);
  for (int k = 0; k < 2; k++) {
    const mo_dvec3 axis = p->outward[k];
    double up = mo_ddot(n, axis), out = mo_dlength(mo_dsub(n, mo_dscale(up, axis)));
    separation -= reach(&p->round[k], up, out);
  }
  return separation;
}

static local local_at(const pair *p, mo_dvec3 n) {
  local l = {.n = n, .separation = mo_ddot(n, p->offset), .slope = p->offset};
  for (int k = 0; k < 2; k++) {
    const mo_round *r = &p->round[k];
    const mo_dvec3 axis = p->outward[k];
    double up = mo_ddot(n, axis);
    mo_dvec3 radial = mo_dsub(n, mo_dscale(up, axis));
    double out = mo_dlength(radial);
    l.separation -= reach(r, up, out);
    if (r->tapers && -2.0 * r->half * up > r->radius * out) {
      l.slope = mo_dadd(l.slope, mo_dscale(r->half, axis));
      continue;
    }
    l.slope = mo_dsub(l.slope, mo_dscale(!r->tapers && up < 0.0 ? -r->half : r->half, axis));
    if (out > no_angle) {
      radial = mo_dscale(1.0 / out, radial);
      l.slope = mo_dsub(l.slope, mo_dscale(r->radius, radial));
      l.around[k] = mo_dcross(axis, radial);
      l.bend[k] = r->radius / out;
    }
  }
  return l;
}

/* The component along the axis of the normals of the curved side. */
static double rise_of(const mo_round *r) {
  return r->tapers ? r->side_z : 0.0;
}

/* Tries the directions that are normals of the curved sides of both bodies: where the two circles
 * cross. */
static void try_crossings(pair *p) {
  const mo_dvec3 u = p->outward[0], v = p->outward[1], w = mo_dcross(u, v);
  double g = mo_ddot(u, v), square = mo_ddot(w, w), a = rise_of(&p->round[0]),
         b = rise_of(&p->round[1]);
  if (!(square > 0x1p-40)) {
    return;
  }
  double x = (a - g * b) / square, y = (b - g * a) / square,
         z = (1.0 - x * x - y * y - 2.0 * g * x * y) / square;
  if (z >= 0.0) {
    mo_dvec3 flat = mo_dadd(mo_dscale(x, u), mo_dscale(y, v)), up = mo_dscale(sqrt(z), w);
    mo_dvec3 n[2] = {mo_dunit(mo_dadd(flat, up)), mo_dunit(mo_dsub(flat, up))};
    take(p, separation_along(p, n[0]), n[0]);
    take(p, separation_along(p, n[1]), n[1]);
  }
}

/* The unit direction of the part of v perpendicular to the axis; any such direction if v is
 * parallel to the axis. */
static mo_dvec3 across_axis(const mo_round *r, mo_dvec3 v) {
  mo_dvec3 flat = mo_dsub(v, mo_dscale(mo_ddot(v, r->frame[2]), r->frame[2]));
  bool is_along = !(mo_ddot(flat, flat) > 0x1p-40 * mo_ddot(v, v));
  return is_along ? r->frame[0] : mo_dunit(flat);
}

/* The normal of the curved side of body k at the radial unit direction `out`. */
static mo_dvec3 side_normal(const pair *p, int k, mo_dvec3 out) {
  double rise = rise_of(&p->round[k]);
  return mo_dadd(mo_dscale(rise, p->outward[k]), mo_dscale(across_of(rise), out));
}

/* Tries the normal of the curved side of body k at the radial direction `out`, and keeps the best.
 */
static void try_out(const pair *p, int k, mo_dvec3 out, double *max, mo_dvec3 *best) {
  double separation = separation_along(p, side_normal(p, k, out));
  if (separation > *max) {
    *max = separation;
    *best = out;
  }
}

/* A start for try_side: the best of some radial directions around the direction to the other body,
 * and of the two along the axis of the other body. */
static mo_dvec3 sample_side(const pair *p, int k) {
  static const double cosine[SAMPLES + 1] = {1.0, 0.94, 0.77, 0.5, 0.17};
  const mo_round *r = &p->round[k];
  const mo_dvec3 middle = across_axis(r, p->offset), other = across_axis(r, p->outward[1 - k]);
  const mo_dvec3 beside = mo_dcross(p->outward[k], middle);
  double max = -INFINITY;
  mo_dvec3 best = middle;
  for (int i = -SAMPLES; i <= SAMPLES; i++) {
    double c = cosine[i < 0 ? -i : i], s = i < 0 ? -across_of(c) : across_of(c);
    try_out(p, k, mo_dadd(mo_dscale(c, middle), mo_dscale(s, beside)), &max, &best);
  }
  try_out(p, k, other, &max, &best);
  try_out(p, k, mo_dscale(-1.0, other), &max, &best);
  return best;
}

/* Maximises over the normals of the curved side of body k: Newton's method along their circle. */
static void try_side(pair *p, int k) {
  const double scale = across_of(rise_of(&p->round[k]));
  mo_dvec3 out = sample_side(p, k);
  double last = -INFINITY;
  for (int i = 0; i < STEPS; i++) {
    const local l = local_at(p, side_normal(p, k, out));
    take(p, l.separation, l.n);
    if (!(l.separation > last)) {
      break;
    }
    last = l.separation;
    mo_dvec3 turn = mo_dcross(p->outward[k], out), way = mo_dscale(scale, turn);
    double bend = scale * mo_ddot(l.slope, out);
    for (int m = 0; m < 2; m++) {
      double along = mo_ddot(l.around[m], way);
      bend += l.bend[m] * along * along;
    }
    double angle = bend > 0.0 ? mo_ddot(l.slope, way) / bend : 0.0;
    angle = fmax(-longest_step, fmin(longest_step, angle));
    out = mo_dunit(mo_dadd(out, mo_dscale(angle, turn)));
  }
}

/* A step of Newton's method on the sphere of directions. Where the separation is not concave, the
 * curvature is modified so that the step still ascends. */
static mo_dvec3 step_of(const local *l) {
  const mo_dvec3 n = l->n;
  mo_dvec3 beside = fabs(n.x) < 0.7 ? mo_dvec(1.0, 0.0, 0.0) : mo_dvec(0.0, 1.0, 0.0);
  mo_dvec3 e = mo_dunit(mo_dcross(beside, n)), f = mo_dcross(n, e);
  double xx = 0.0, xy = 0.0, yy = 0.0, more = l->separation;
  for (int k = 0; k < 2; k++) {
    double x = mo_ddot(l->around[k], e), y = mo_ddot(l->around[k], f);
    xx += l->bend[k] * x * x;
    xy += l->bend[k] * x * y;
    yy += l->bend[k] * y * y;
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
  return length > longest_step ? mo_dscale(longest_step / length, step) : step;
}

/* Newton's method from a direction on, as long as the separation increases. */
static void try_between(pair *p, mo_dvec3 n) {
  double last = -INFINITY;
  for (int i = 0; i < STEPS; i++) {
    const local l = local_at(p, n);
    take(p, l.separation, n);
    if (!(l.separation > last)) {
      break;
    }
    last = l.separation;
    n = mo_dunit(mo_dadd(n, step_of(&l)));
  }
}

/* Tries the direction along the axis of body k (the normal of an end or base), and if the
 * separation increases beside it, continues from there by Newton's method. */
static void try_end(pair *p, int k, mo_dvec3 n) {
  const local l = local_at(p, n);
  take(p, l.separation, n);
  mo_dvec3 slope = l.slope, flat = mo_dsub(slope, mo_dscale(mo_ddot(slope, n), n));
  double length = mo_dlength(flat);
  if (length > p->round[k].radius) {
    try_between(p, mo_dunit(mo_dadd(n, mo_dscale(0.05 / length, flat))));
  }
}

/* Finds the direction of the greatest separation, or any direction along which it exceeds the
 * limit. */
static void find_normal(pair *p, double limit) {
  mo_dvec3 out = mo_dunit(p->offset);
  try_crossings(p);
  for (int k = 0; k < 2 && p->best <= limit; k++) {
    const double sign = mo_ddot(out, p->outward[k]) < 0.0 && !p->round[k].tapers ? -1.0 : 1.0;
    try_side(p, k);
    try_end(p, k, mo_dscale(sign, p->outward[k]));
  }
  if (p->best <= limit) {
    try_between(p, mo_dunit(mo_dadd(p->normal, mo_dscale(0.1, out))));
    try_between(p, out);
  }
}

/* The support point of a body along an outward normal. Where a whole end supports, it is the middle
 * of that end; where a generator line of the side does, the middle of that line. Returns whether
 * the support point is unique. */
static bool farthest(const mo_round *r, mo_dvec3 n, mo_dvec3 *point) {
  double up = mo_ddot(n, r->frame[2]);
  mo_dvec3 radial = mo_dsub(n, mo_dscale(up, r->frame[2]));
  double out = mo_dlength(radial);
  bool on_end = out <= no_angle, on_side = fabs(up - rise_of(r)) <= no_angle;
  double half = on_side                 ? 0.0
                : r->tapers || up > 0.0 ? r->half
                                        : -r->half,
         radius = on_end                 ? 0.0
                  : r->tapers && on_side ? 0.5 * r->radius
                                         : r->radius;
  if (r->tapers && !on_side && -2.0 * r->half * up > r->radius * out) {
    half = -r->half;
    radius = 0.0;
  }
  *point = mo_dadd(r->center, mo_dscale(half, r->frame[2]));
  *point = on_end ? *point : mo_dadd(*point, mo_dscale(radius / out, radial));
  return !on_end && !on_side;
}

/* The direction of the generator line of the side that has this normal. */
static mo_dvec3 line_of(const mo_round *r, mo_dvec3 n) {
  return mo_dsub(r->frame[2], mo_dscale(mo_ddot(n, r->frame[2]), n));
}

/* Moves the point p along its generator line (direction u) to where it is closest to the line
 * through q (direction v), if the lines are not parallel; stays within the side. */
static mo_dvec3 along_side(const mo_round *r, mo_dvec3 p, mo_dvec3 u, mo_dvec3 q, mo_dvec3 v) {
  mo_dvec3 across = mo_dcross(u, v);
  double square = mo_ddot(across, across), max = r->half / mo_ddot(u, u);
  double t = square > 0x1p-40 ? mo_ddot(mo_dcross(mo_dsub(q, p), v), across) / square : 0.0;
  return mo_dadd(p, mo_dscale(fmax(-max, fmin(max, t)), u));
}

/* Finds points on both bodies at the given separation along the normal, by alternating projections
 * onto one and the other. Starts from the body whose support point is unique (a corner or rim); for
 * two sides, from where their generator lines are closest. */
static bool find_points(const mo_round round[2], mo_dvec3 normal, double separation,
                        mo_dvec3 points[2]) {
  const mo_dvec3 back = mo_dscale(-1.0, normal);
  const double max = separation + certain_points * (round[0].half + round[0].radius);
  bool is_only[2] = {farthest(&round[0], normal, &points[0]),
                     farthest(&round[1], back, &points[1])};
  int from = is_only[0] ? 0 : 1;
  if (!is_only[0] && !is_only[1]) {
    points[1] = along_side(&round[1], points[1], line_of(&round[1], back), points[0],
                           line_of(&round[0], normal));
  }
  for (int i = 0; i < MAX_PROJECTIONS; i++) {
    points[1 - from] = mo_round_closest(&round[1 - from], points[from]);
    if (mo_dlength(mo_dsub(points[1], points[0])) <= max) {
      return true;
    }
    from = 1 - from;
  }
  return false;
}

bool mo_round_pair_gap(const mo_contact_body *a, const mo_contact_body *b, double limit,
                       mo_convex_gap *gap) {
  pair p = {.best = -INFINITY, .normal = {0.0, 0.0, 1.0}};
  if (!mo_round_of(&p.round[0], a) || !mo_round_of(&p.round[1], b)) {
    return false;
  }
  p.offset = mo_dsub(p.round[1].center, p.round[0].center);
  p.outward[0] = p.round[0].frame[2];
  p.outward[1] = mo_dscale(-1.0, p.round[1].frame[2]);
  find_normal(&p, limit);
  *gap = (mo_convex_gap){.distance = p.best, .lower = p.best, .normal = p.normal};
  if (p.best > limit) {
    return true;
  }
  if (p.best > 0.0) {
    return find_points(p.round, p.normal, p.best, gap->points);
  }
  double slack = fmin(certain_depth * (a->size + b->size), -0.5 * p.best);
  return mo_convex_overlap_deeper(&a->core, &b->core, -p.best - slack);
}

bool mo_round_pair_deepest(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 normal,
                           double depth, mo_dvec3 points[2]) {
  mo_round round[2];
  if (!mo_round_of(&round[0], a) || !mo_round_of(&round[1], b)) {
    return false;
  }
  const double on = 0.25 * (a->size + b->size);
  const mo_dvec3 out = mo_dscale(depth + on, normal);
  round[1].center = mo_dadd(round[1].center, out);
  if (!find_points(round, normal, on, points)) {
    return false;
  }
  points[1] = mo_dsub(points[1], out);
  return true;
}
