/* The contact of a body that moves and turns with one that stands still, by conservative
 * advancement: where the distance is known, so is a plane between the bodies. Until the moving one
 * has gone as far as the plane is away, at most as fast as it may (geometry/cast/approach.c), there
 * is no contact, and t advances to there. It ends where the bodies are nearly in touch, as with
 * turning the steps only halve the distance or so.
 *
 * Closest points are what costs, so three things save steps:
 *
 * Most triangles and bodies near a path are not touched. Before the first step, one plane after the
 * other is followed along the path, which needs only how far the bodies reach: that of the
 * triangle, then those of a few closest points. Where these part the bodies until the end, there is
 * no contact.
 *
 * Where the body goes by closely, or its points are far from the axis, steps at the greatest speed
 * become very many. After some of them, planes at two times t and u are compared, with normals m
 * and n an angle f apart. Any difference p of two points of the bodies has m p >= g at t and n p >=
 * h at u, where g and h are the distances. Let the normal turn evenly from m to n in between. Then
 * the second derivative of its product with p is at most
 *
 *   C = 2 f / (u - t) V + A,
 *
 * less the square of the angle's rate times the product itself; V is the greatest speed and A the
 * greatest acceleration of points. By Sturm's comparison, where f is less than half a turn, the
 * product is at least the chord from g to h less C / 2 (x - t) (u - x) at x. So the bodies are
 * apart all along if that is positive: steps grow with the square root of the distance, however the
 * features that are closest go along the bodies. */
#include "geometry/cast/approach.h"
#include "geometry/cast/impact.h"
#include "geometry/cast/turning.h"

enum {
  MAX_FOLLOWED = 64, /* steps along one plane */
  MAX_SCOUTS = 3,    /* times to look ahead for planes, before the first step */
  PLAIN_STEPS = 32,  /* by speeds alone: most contacts take less */
};

/* Of the extents of the moving bounds, what counts as touching; of sizes and coordinates, what is
 * no distance. */
static const double nearly_touching = 0x1p-23, rounding = 0x1p-45;

/* The moving body at a time, and its distance. */
typedef struct moment {
  double t;
  mo_distance_body body; /* refers to `convex`, if to anything but what does not move */
  mo_convex convex;
  mo_convex_gap gap;
} moment;

typedef struct cast {
  mo_approach approach;
  const mo_distance_body *still;
  const mo_moving_body *moving;
  double limit, touching;
  double clear; /* a distance that is no touch, whatever rounds */
} cast;

static void set_moment(moment *m, const cast *c, double t) {
  const mo_moving_body *moving = c->moving;
  mo_dvec3 shift = mo_dscale(t, mo_widen(moving->displacement));
  m->t = t;
  m->body = t > 0.0 ? mo_placed_body(moving, t, shift, &m->convex) : moving->body;
  m->gap = mo_convex_distance(c->still, &m->body, INFINITY);
}

/* Goes on from t for as long as one plane tells that the bodies stay clear. Ends where that comes
 * near, as there the plane between the closest points tells more. */
static double follow_plane(cast *c, double t, double apart, mo_dvec3 normal) {
  mo_approach_gap g = {.apart = apart, .normal = normal};
  const double enough = c->clear + 0.0625 * (apart - c->clear);
  for (int i = 0; i < MAX_FOLLOWED && t <= c->limit && g.apart > enough; ++i) {
    t = mo_approach_clear_until(&c->approach, t, &g, c->clear);
    g.apart = t <= c->limit ? mo_approach_along(&c->approach, t, normal) : INFINITY;
  }
  return t;
}

/* Whether the plane of a triangle tells that the bodies stay apart from t to the limit. */
static bool follow_triangle(cast *c, const mo_dvec3 corners[3], double t) {
  mo_dvec3 n = mo_dcross(mo_dsub(corners[1], corners[0]), mo_dsub(corners[2], corners[0]));
  double square = mo_ddot(n, n);
  if (!(square > 0.0)) {
    return false;
  }
  n = mo_dscale(1.0 / sqrt(square), n);
  double apart = mo_approach_along(&c->approach, t, n);
  if (!(apart > c->clear)) {
    n = mo_dscale(-1.0, n);
    apart = mo_approach_along(&c->approach, t, n);
  }
  return apart > c->clear && follow_plane(c, t, apart, n) > c->limit;
}

/* The same of the planes between closest points at that time and at a few later ones. */
static bool follow_closest(cast *c, const moment *first) {
  moment m = *first;
  for (int i = 0; m.gap.lower > 2.0 * c->clear; ++i) {
    double t = follow_plane(c, m.t, m.gap.lower, m.gap.normal);
    if (t > c->limit || i == MAX_SCOUTS) {
      return t > c->limit;
    }
    set_moment(&m, c, t);
  }
  return false;
}

/* Whether the bodies stay half as far apart as touches between two times. */
static bool stay_apart(const cast *c, const moment *from, const moment *to) {
  const mo_turn *turn = &c->moving->turn;
  mo_dvec3 between = mo_dsub(to->gap.normal, from->gap.normal),
           way = mo_widen(c->moving->displacement);
  double chord = sqrt(mo_ddot(between, between)), h = to->t - from->t;
  if (!(to->gap.lower > c->touching) || !(chord <= 1.0)) {
    return false;
  }
  double angle = 1.05 * chord; /* at least: of 60 degrees the chord is 1 */
  double reach = turn->reach + turn->round, rate = fabs(turn->angle);
  double speed = sqrt(mo_ddot(way, way)) + rate * reach, bend = rate * rate * reach;
  double sag = 0.125 * h * (2.0 * angle * speed + bend * h);
  double rise = fabs(to->gap.lower - from->gap.lower);
  double least = fmin(from->gap.lower, to->gap.lower);
  if (rise < 4.0 * sag) {
    least -= (4.0 * sag - rise) * (4.0 * sag - rise) / (16.0 * sag);
  }
  return least >= 0.5 * c->touching;
}

/* The time of the next step. `stride` is the length of the last one that was longer than speeds
 * allow. */
static double step_from(const cast *c, const moment *m, int step, double *stride) {
  double speed = mo_turning_approach(c->moving, m->gap.normal);
  if (!(speed > 0.0)) {
    return INFINITY;
  }
  double least = (m->gap.lower - 0.5 * c->touching) / speed;
  if (step < PLAIN_STEPS) {
    return m->t + least;
  }
  for (double h = fmax(2.0 * *stride, 4.0 * least); h > least; h *= 0.5) {
    moment to;
    set_moment(&to, c, m->t + h);
    if (stay_apart(c, m, &to)) {
      *stride = h;
      return to.t;
    }
  }
  *stride = least;
  return m->t + least;
}

mo_convex_contact mo_cast_turning(const mo_distance_body *still, mo_aabb bounds,
                                  const mo_moving_body *moving, double limit) {
  const mo_convex_contact none = {.t = INFINITY};
  double t = mo_bounds_enter(bounds, moving, limit), stride = 0.0;
  if (t == INFINITY) {
    return none;
  }
  const double extents = mo_extents_of(moving->bounds);
  const double noise = rounding * mo_turning_magnitude(moving, bounds);
  const mo_moving_body other = mo_still_body(still, bounds);
  cast c = {.still = still,
            .moving = moving,
            .limit = limit,
            .touching = fmax(noise, nearly_touching * extents)};
  c.clear = 4.0 * c.touching + MO_EARLY_CONTACT * (extents + mo_extents_of(bounds));
  mo_approach_init(&c.approach, &other, moving, INFINITY);
  if (still->convex == NULL && follow_triangle(&c, still->corners, t)) {
    return none;
  }
  if (t == 0.0 && mo_bodies_within(still, &moving->body, 0.0)) {
    return mo_contact_at_start(still, &moving->body);
  }
  moment m;
  set_moment(&m, &c, t);
  if (follow_closest(&c, &m)) {
    return none;
  }
  mo_dvec3 normal = {0.0, 0.0, 0.0};
  for (int step = 0;; ++step) {
    if (m.gap.lower > 0.0) {
      normal = m.gap.normal;
    }
    if (m.gap.lower <= c.touching || step == MO_TURNING_STEPS) {
      break;
    }
    t = step_from(&c, &m, step, &stride);
    if (!(t <= limit)) {
      return none;
    }
    if (t == m.t) {
      break;
    }
    set_moment(&m, &c, t);
  }
  if (normal.x == 0.0 && normal.y == 0.0 && normal.z == 0.0) {
    /* In touch from where the bounds meet on, to within rounding. */
    mo_convex_contact contact = mo_contact_at_start(still, &m.body);
    contact.t = m.t;
    contact.depth = 0.0;
    contact.distance = 0.0;
    return contact;
  }
  return (mo_convex_contact){.t = m.t, .point = m.gap.points[0], .normal = normal};
}
