/* The contact of a body that translates and rotates with a stationary one, by conservative
 * advancement. Each distance computation also gives a separating plane of the bodies. There is no
 * contact until the moving body, at most at an upper bound of its speed (geometry/cast/approach.c),
 * has covered its distance from the plane, so t advances to that time. The iteration ends when the
 * bodies nearly touch, since with rotation each step only about halves the distance.
 *
 * Most of the cost is in finding closest points, so two techniques save steps:
 *
 * Most triangles and bodies near a path are not touched. Before the first step, several planes are
 * followed along the path, which only needs support mappings: the plane of the triangle, then the
 * planes of a few closest points. If these separate the bodies until the end, there is no contact.
 *
 * If the body passes closely, or its points are far from the axis, steps by the largest speed are
 * short and very many. After SPEED_BOUND_STEPS of them, the planes at two times t and u are
 * compared, with normals m and n an angle f apart. Any difference p of two points of the bodies has
 * m p >= g at t and n p >= h at u, where g and h are the distances. Let the normal rotate at a
 * constant rate from m to n in between. Then the second derivative of its dot product with p is at
 * most
 *
 *   C = 2 f / (u - t) V + A,
 *
 * minus the square of the angle's rate times the product itself. V is the largest speed and A the
 * largest acceleration of points. By Sturm's comparison theorem, if f is less than half a turn, the
 * product at time x is at least the chord from g to h minus C / 2 (x - t) (u - x). So the bodies
 * are apart at all times in between if that is positive. The length of steps then grows with the
 * square root of the distance, even if the closest features move along the bodies. */
#include "geometry/cast/approach.h"
#include "geometry/cast/impact.h"
#include "geometry/cast/rotating.h"

enum {
  MAX_STEPS_PER_PLANE = 64, /* largest number of steps along one plane */
  MAX_LATER_PLANES = 3,     /* planes that are tried after the first, at later times */
  SPEED_BOUND_STEPS = 32,   /* steps by the speed bound alone; enough for most contacts */
};

/* Distances up to contact_tolerance, relative to the extents of the moving bounds, count as
 * contact; rounding_error, relative to sizes and coordinates, is the error of a distance. */
static const double contact_tolerance = 0x1p-23, rounding_error = 0x1p-45;

typedef struct body_at_time {
  double t;
  mo_body body;
  mo_convex_gap gap;
} body_at_time;

typedef struct cast {
  mo_approach approach;
  const mo_body *still;
  const mo_moving_body *moving;
  double limit;
  double touch_distance; /* distances up to this count as contact */
  double clear_distance; /* a distance that is certainly no contact, despite rounding */
} cast;

static void set_body_at_time(body_at_time *m, const cast *c, double t) {
  m->t = t;
  m->body = mo_body_at(c->moving, t);
  m->gap = mo_convex_distance(c->still, &m->body, INFINITY);
}

/* Advances from t as long as a plane with the given normal separates the bodies. Ends when the
 * bodies come near, where the plane between their new closest points is better. */
static double advance_along_plane(cast *c, double t, double apart, mo_dvec3 normal) {
  mo_approach_gap g = {.separation = apart, .normal = normal};
  const double enough = c->clear_distance + 0.0625 * (apart - c->clear_distance);
  for (int i = 0; i < MAX_STEPS_PER_PLANE && t <= c->limit && g.separation > enough; ++i) {
    t = mo_approach_separated_until(&c->approach, t, &g, c->clear_distance);
    g.separation = t <= c->limit ? mo_approach_separation(&c->approach, t, normal) : INFINITY;
  }
  return t;
}

/* Whether the plane of a triangle proves that the bodies stay apart from t to the limit. */
static bool triangle_plane_separates(cast *c, const mo_dvec3 corners[3], double t) {
  mo_dvec3 n = mo_corners_cross(corners);
  double square = mo_ddot(n, n);
  if (!(square > 0.0)) {
    return false;
  }
  n = mo_dscale(1.0 / sqrt(square), n);
  double apart = mo_approach_separation(&c->approach, t, n);
  if (!(apart > c->clear_distance)) {
    n = mo_dscale(-1.0, n);
    apart = mo_approach_separation(&c->approach, t, n);
  }
  return apart > c->clear_distance && advance_along_plane(c, t, apart, n) > c->limit;
}

/* Whether the planes between closest points, at the time of `first` and at a few later times, prove
 * that the bodies stay apart until the limit. */
static bool closest_planes_separate(cast *c, const body_at_time *first) {
  body_at_time m = *first;
  for (int i = 0; m.gap.lower > 2.0 * c->clear_distance; ++i) {
    double t = advance_along_plane(c, m.t, m.gap.lower, m.gap.normal);
    if (t > c->limit || i == MAX_LATER_PLANES) {
      return t > c->limit;
    }
    set_body_at_time(&m, c, t);
  }
  return false;
}

/* Whether the bodies are certainly apart, by at least half of `touch_distance`, at all times
 * between `from` and `to`. */
static bool stay_apart(const cast *c, const body_at_time *from, const body_at_time *to) {
  const mo_movement_rotation *rotation = &c->moving->rotation;
  mo_dvec3 between = mo_dsub(to->gap.normal, from->gap.normal),
           displacement = mo_widen(c->moving->displacement);
  double chord = mo_dlength(between), h = to->t - from->t;
  if (!(to->gap.lower > c->touch_distance) || !(chord <= 1.0)) {
    return false;
  }
  double angle = 1.05 * chord; /* an upper bound: a chord of 1 spans 60 degrees */
  double reach = rotation->reach + rotation->round_radius, rate = fabs(rotation->angle);
  double speed = mo_dlength(displacement) + rate * reach, bend = rate * rate * reach;
  double sag = 0.125 * h * (2.0 * angle * speed + bend * h);
  double rise = fabs(to->gap.lower - from->gap.lower);
  double min = fmin(from->gap.lower, to->gap.lower);
  if (rise < 4.0 * sag) {
    min -= (4.0 * sag - rise) * (4.0 * sag - rise) / (16.0 * sag);
  }
  return min >= 0.5 * c->touch_distance;
}

/* The time of the next step of the advancement. `stride`: the length of the last step that was
 * longer than speeds alone allow; updated. */
static double next_step_time(const cast *c, const body_at_time *m, int step, double *stride) {
  double speed = mo_rotating_approach_speed(c->moving, m->gap.normal);
  if (!(speed > 0.0)) {
    return INFINITY;
  }
  double min = (m->gap.lower - 0.5 * c->touch_distance) / speed;
  if (step < SPEED_BOUND_STEPS) {
    return m->t + min;
  }
  for (double h = fmax(2.0 * *stride, 4.0 * min); h > min; h *= 0.5) {
    body_at_time to;
    set_body_at_time(&to, c, m->t + h);
    if (stay_apart(c, m, &to)) {
      *stride = h;
      return to.t;
    }
  }
  *stride = min;
  return m->t + min;
}

mo_convex_contact mo_cast_rotating(const mo_body *still, const mo_moving_body *moving,
                                   double limit) {
  const mo_aabb bounds = mo_body_bounds(still);
  const mo_convex_contact none = {.t = INFINITY};
  double t = mo_bounds_entry_time(bounds, moving, limit), stride = 0.0;
  if (t == INFINITY) {
    return none;
  }
  const double extents = mo_sum_of_extents(moving->bounds);
  const double error_bound = rounding_error * mo_rotating_coordinate_magnitude(moving, bounds);
  const mo_moving_body other = mo_still_body(still);
  cast c = {.still = still,
            .moving = moving,
            .limit = limit,
            .touch_distance = fmax(error_bound, contact_tolerance * extents)};
  c.clear_distance =
      4.0 * c.touch_distance + MO_RELATIVE_CULLING_MARGIN * (extents + mo_sum_of_extents(bounds));
  mo_approach_init(&c.approach, &other, moving, INFINITY);
  if (still->kind == MO_BODY_TRIANGLE && triangle_plane_separates(&c, still->corners, t)) {
    return none;
  }
  if (t == 0.0 && mo_bodies_within(still, &moving->body, 0.0)) {
    return mo_contact_at_start(still, &moving->body);
  }
  body_at_time m;
  set_body_at_time(&m, &c, t);
  if (closest_planes_separate(&c, &m)) {
    return none;
  }
  mo_dvec3 normal = {0.0, 0.0, 0.0};
  for (int step = 0;; ++step) {
    if (m.gap.lower > 0.0) {
      normal = m.gap.normal;
    }
    if (m.gap.lower <= c.touch_distance || step == MO_MAX_ROTATING_CAST_STEPS) {
      break;
    }
    t = next_step_time(&c, &m, step, &stride);
    if (!(t <= limit)) {
      return none;
    }
    if (t == m.t) {
      break;
    }
    set_body_at_time(&m, &c, t);
  }
  if (normal.x == 0.0 && normal.y == 0.0 && normal.z == 0.0) {
    /* No step found a normal: the bodies touch as soon as their bounds meet, to within rounding. */
    mo_convex_contact contact = mo_contact_at_start(still, &m.body);
    contact.t = m.t;
    contact.depth = 0.0;
    contact.distance = 0.0;
    return contact;
  }
  return (mo_convex_contact){.t = m.t, .point = m.gap.points[0], .normal = normal};
}
