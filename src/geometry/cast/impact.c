/* The time of impact of two bodies that both move and turn, by conservative advancement (Mirtich
 * 1996; geometry/cast/turning.c has the idea), towards a separation that is not 0: so it takes few
 * steps, and what has been stopped is not in touch.
 *
 * Steps are longer than speeds allow where bodies turn. Along a fixed normal the bodies are apart
 * by s(t) = n (b - a) - H(u) - K(v), where H and K are the reaches of the bodies as they stand at
 * t = 0, along the normal turned the other way. Reaches are convex, and a direction that goes round
 * an axis leaves the chord between two of its places by at most the square of the angle / 8 times
 * its distance from the axis. So between two times s is at least the lesser of its two values, less
 * that times how far points are from the axis. The length of a step goes by the square root of the
 * distance, not by the distance.
 *
 * Cores keep what grazes from being stopped. Bodies that begin in touch have no first touch to
 * come; what must not happen is that one passes the other. As long as the core, which has the same
 * centre, is not reached, the centre is on the side where it began, and the shortest way out leads
 * there. */
#include "geometry/cast/impact.h"

#include "geometry/cast/parting.h"
#include "geometry/cast/turning.h"

/* Of the coordinates, what is no distance; and of them and of the lesser size, the least slop. */
static const double rounding = 0x1p-45, least_of_coordinates = 0x1p-39, least_of_size = 0x1p-20;

static double length_of(mo_dvec3 v) {
  return sqrt(mo_ddot(v, v));
}

static double sum_of_magnitudes(mo_dvec3 v) {
  return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

double mo_moving_magnitude(const mo_moving_body *moving) {
  const mo_half_space_body *h = moving->body.half_space;
  double own = h != NULL ? sum_of_magnitudes(h->origin) + fabs(h->offset)
                         : sum_of_magnitudes(mo_widen(mo_aabb_reach(moving->bounds)));
  return own + sum_of_magnitudes(mo_widen(moving->displacement)) +
         sum_of_magnitudes(moving->turn.pivot);
}

double mo_impact_margin(const mo_impact_rules *rules, const mo_moving_body *body,
                        double magnitude) {
  return rules->slop + 2.0 * least_of_size * mo_extents_of(body->bounds) +
         MO_EARLY_CONTACT * (mo_moving_magnitude(body) + magnitude);
}

mo_moving_body mo_still_body(const mo_distance_body *body, mo_aabb bounds) {
  return (mo_moving_body){.body = *body, .bounds = bounds};
}

void mo_impact_body_complete(mo_impact_body *body, double core) {
  const mo_moving_body *whole = &body->whole;
  const mo_distance_body *own = &whole->body;
  body->has_core = own->convex != NULL;
  if (own->half_space != NULL) {
    body->extent = INFINITY;
  } else if (own->convex == NULL) {
    body->extent = mo_extents_of(mo_boxed_triangle(own->corners).bounds);
  } else {
    mo_convex *scaled = &body->core_convex;
    *scaled = *own->convex;
    body->extent = mo_extents_of(mo_convex_bounds(scaled));
    body->core = *whole;
    if (core < 1.0) {
      mo_dvec3 center = mo_solid_center(&scaled->solid);
      mo_dvec3 at = mo_dadd(
          mo_dscale(center.x, scaled->column[0]),
          mo_dadd(mo_dscale(center.y, scaled->column[1]), mo_dscale(center.z, scaled->column[2])));
      scaled->origin = mo_dadd(scaled->origin, mo_dscale(1.0 - core, at));
      scaled->is_inexact = false;
      for (int i = 0; i < 3; ++i) {
        scaled->column[i] = mo_dscale(core, scaled->column[i]);
      }
      body->core = mo_still_body(&(mo_distance_body){.convex = scaled}, mo_convex_bounds(scaled));
      body->core.displacement = whole->displacement;
      if (whole->turns) {
        mo_moving_body_turn(&body->core, &whole->turn);
      }
    }
  }
}

/* Two bodies on their ways. */
typedef struct approach {
  const mo_moving_body *a, *b;
  bool turns, has_half_space;
  mo_difference start; /* of bodies */
  mo_cores cores;      /* of bodies that do not turn, at t = 0 */
  double speed;        /* where there is a half-space: they come no closer than as fast as this */
} approach;

/* How far two bodies are apart at least at some time. */
typedef struct gap {
  double apart;    /* may be negative */
  mo_dvec3 normal; /* from A to B */
  mo_dvec3 point;  /* halfway between the two */
} gap;

/* A bound on how fast heights above a half-space shrink, of a body in bounds around all that it
 * turns to: at any time, as the normal turns too. */
static double speed_above(const mo_moving_body *half_space, const mo_moving_body *other) {
  mo_dvec3 between = mo_dsub(mo_widen(other->displacement), mo_widen(half_space->displacement));
  double speed = length_of(between);
  if (other->turns) {
    speed += fabs(other->turn.angle) * (other->turn.reach + other->turn.round);
  }
  if (half_space->turns) {
    const mo_turn *turn = &half_space->turn;
    double sine = length_of(mo_dcross(turn->axis, half_space->body.half_space->normal));
    mo_dvec3 lower = mo_dsub(mo_widen(other->bounds.lower), turn->pivot),
             upper = mo_dsub(mo_widen(other->bounds.upper), turn->pivot);
    mo_dvec3 far = mo_dvec(fmax(fabs(lower.x), fabs(upper.x)), fmax(fabs(lower.y), fabs(upper.y)),
                           fmax(fabs(lower.z), fabs(upper.z)));
    if (sine > MO_OPPOSITE) {
      speed += fabs(turn->angle) * sine * (length_of(far) + length_of(between));
    }
  }
  return speed;
}

static void approach_init(approach *p, const mo_moving_body *a, const mo_moving_body *b) {
  *p = (approach){.a = a, .b = b, .turns = a->turns || b->turns};
  p->has_half_space = mo_is_with_half_space(&a->body, &b->body);
  if (p->has_half_space) {
    p->speed = a->body.half_space != NULL ? speed_above(a, b) : speed_above(b, a);
  } else if (p->turns) {
    p->start = mo_difference_of(&a->body, &b->body);
  } else {
    p->cores = mo_cores_of(&a->body, &b->body);
  }
}

/* A body as it is at some time; refers to what it is given. */
static mo_distance_body body_at(const mo_moving_body *moving, double t, mo_convex *convex,
                                mo_half_space_body *half_space) {
  mo_dvec3 shift = mo_dscale(t, mo_widen(moving->displacement));
  if (moving->body.half_space == NULL) {
    return t > 0.0 ? mo_placed_body(moving, t, shift, convex) : moving->body;
  }
  *half_space = *moving->body.half_space;
  half_space->origin = mo_placed_point(moving, t, shift, half_space->origin);
  half_space->normal = mo_turned(&moving->turn, t, half_space->normal);
  return (mo_distance_body){.half_space = half_space};
}

static gap gap_of(mo_cores *cores) {
  mo_parting found = mo_cores_part(cores);
  return (gap){found.apart, found.normal,
               mo_dadd(found.point, mo_dscale(0.5 * found.distance, found.normal))};
}

static gap gap_above(const mo_distance_body *a, const mo_distance_body *b) {
  mo_convex_gap found = mo_half_space_distance(a, b);
  gap g = {found.distance, found.normal, mo_dscale(0.5, mo_dadd(found.points[0], found.points[1]))};
  if (found.distance == 0.0) {
    mo_convex_penetration p = mo_half_space_penetrate(a, b);
    g.apart = -p.depth;
    g.normal = p.normal;
  }
  return g;
}

static gap gap_at(const approach *p, double t) {
  if (!p->turns && !p->has_half_space) {
    mo_cores cores = p->cores;
    mo_dvec3 a = mo_dscale(t, mo_widen(p->a->displacement)),
             b = mo_dscale(t, mo_widen(p->b->displacement));
    cores.between.offset = mo_dadd(cores.between.offset, mo_dsub(a, b));
    cores.between.centers[0] = mo_dadd(cores.between.centers[0], a);
    cores.between.centers[1] = mo_dadd(cores.between.centers[1], b);
    return gap_of(&cores);
  }
  mo_convex convex[2];
  mo_half_space_body half_space[2];
  const mo_distance_body a = body_at(p->a, t, &convex[0], &half_space[0]),
                         b = body_at(p->b, t, &convex[1], &half_space[1]);
  if (p->has_half_space) {
    return gap_above(&a, &b);
  }
  mo_cores cores = mo_cores_of(&a, &b);
  return gap_of(&cores);
}

/* How far two bodies are apart along a normal; which, of a half-space, is its own at that time. */
static double separation_at(const approach *p, double t, mo_dvec3 normal) {
  if (p->has_half_space) {
    return gap_at(p, t).apart;
  }
  mo_difference d = p->turns ? p->start : p->cores.between;
  mo_dvec3 a = mo_placed_point(p->a, t, mo_dscale(t, mo_widen(p->a->displacement)), d.centers[0]),
           b = mo_placed_point(p->b, t, mo_dscale(t, mo_widen(p->b->displacement)), d.centers[1]);
  double reach = mo_minkowski_reach(&d.a, mo_turned(&p->a->turn, -t, normal)) +
                 mo_minkowski_reach(&d.b, mo_dscale(-1.0, mo_turned(&p->b->turn, -t, normal))) +
                 (p->turns ? 0.0 : mo_cores_ball_reach(&p->cores, normal));
  return mo_ddot(normal, mo_dsub(b, a)) - reach;
}

/* Half of the greatest acceleration, along a normal, of the points of a body that turns. */
static double half_bend(const mo_turn *turn, mo_dvec3 normal) {
  return 0.5 * turn->angle * turn->angle * length_of(mo_dcross(normal, turn->axis)) *
         (turn->reach + turn->round);
}

/* A time until which bodies are sure to be at least `target` apart; INFINITY: to the end. */
static double clear_until(const approach *p, double t, const gap *g, double target) {
  double excess = g->apart - target;
  double speed = p->has_half_space ? p->speed
                                   : mo_turning_approach(p->a, mo_dscale(-1.0, g->normal)) +
                                         mo_turning_approach(p->b, g->normal);
  if (!(speed > 0.0)) {
    return INFINITY;
  }
  double least = t + excess / speed;
  if (!p->turns || p->has_half_space) {
    return least;
  }
  double bend = half_bend(&p->a->turn, g->normal) + half_bend(&p->b->turn, g->normal);
  double step = fmin(sqrt(2.0 * excess / bend), 1.0 - t);
  for (; t + step > least; step *= 0.5) {
    double left = fmin(excess, separation_at(p, t + step, g->normal) - target);
    if (left >= 0.25 * bend * step * step) {
      return t + step >= 1.0 ? INFINITY : t + step;
    }
  }
  return least;
}

/* Goes on from t until the bodies are at most target + tolerance apart, and at least `target`.
 * False if that is not before the limit. */
static bool advance(const approach *p, double *t, double limit, double target, double tolerance,
                    gap *g) {
  for (int step = 0;; ++step) {
    *g = gap_at(p, *t);
    if (g->apart <= target + tolerance || step == MO_IMPACT_STEPS) {
      return true;
    }
    double next = clear_until(p, *t, g, target);
    if (!(next <= limit)) {
      return false;
    }
    if (next == *t) {
      return true;
    }
    *t = next;
  }
}

/* From when to when the bounds of two bodies are within `grow`; empty if they never are. */
typedef struct span {
  double enter, leave;
} span;

static span near_span(const mo_moving_body *a, const mo_moving_body *b, double grow) {
  span s = {0.0, 1.0};
  if (mo_is_with_half_space(&a->body, &b->body)) {
    return s;
  }
  for (int axis = 0; axis < 3; ++axis) {
    double lower = mo_get(b->bounds.lower, axis), upper = mo_get(b->bounds.upper, axis);
    mo_path_axis path = {0.5 * (lower + upper),
                         (double)mo_get(b->displacement, axis) -
                             (double)mo_get(a->displacement, axis),
                         0.5 * (upper - lower) + grow};
    mo_path_narrow(&path, mo_get(a->bounds.lower, axis), mo_get(a->bounds.upper, axis), &s.enter,
                   &s.leave);
  }
  return s;
}

/* The impact that an approach ended at, of two whole bodies. */
static mo_time_of_impact impact_at(const approach *p, double t, const gap *g, bool began) {
  return (mo_time_of_impact){.t = t,
                             .began_in_touch = began,
                             .normal = g->normal,
                             .point = g->point,
                             .separation = separation_at(p, t, g->normal)};
}

mo_time_of_impact mo_find_time_of_impact(const mo_impact_body *a, const mo_impact_body *b,
                                         const mo_impact_rules *rules, double limit) {
  mo_time_of_impact none = {.t = INFINITY};
  const double magnitude = mo_moving_magnitude(&a->whole) + mo_moving_magnitude(&b->whole);
  const double least = fmin(a->extent, b->extent);
  const double slop = fmax(rules->slop, fmax(least_of_coordinates * magnitude,
                                             least < INFINITY ? least_of_size * least : 0.0));
  const span near = near_span(&a->whole, &b->whole, slop);
  if (!(near.enter <= fmin(limit, near.leave))) {
    return none;
  }
  /* The core of the smaller one. */
  bool core_of_a = a->has_core && (!b->has_core || a->extent <= b->extent);
  bool core_of_b = b->has_core && !core_of_a;
  const mo_moving_body *inner_a = core_of_a ? &a->core : &a->whole,
                       *inner_b = core_of_b ? &b->core : &b->whole;
  bool cored = rules->core < 1.0 && (core_of_a || core_of_b);
  const span inner_near = near_span(inner_a, inner_b, slop);
  if (!(inner_near.enter <= inner_near.leave)) {
    return none;
  }
  approach whole, inner;
  gap g;
  double t = near.enter;
  approach_init(&whole, &a->whole, &b->whole);
  if (t > 0.0 || gap_at(&whole, 0.0).apart > slop) {
    double reached = t;
    if (!advance(&whole, &reached, fmin(limit, near.leave), 0.5 * slop, 0.25 * slop, &g)) {
      return none;
    }
    t = reached;
    if (cored) {
      gap last;
      approach_init(&inner, inner_a, inner_b);
      if (!advance(&inner, &reached, inner_near.leave, 0.25 * slop, 0.25 * slop, &last)) {
        return none;
      }
    }
    return impact_at(&whole, t, &g, false);
  }
  none.began_in_touch = true;
  approach_init(&inner, inner_a, inner_b);
  double apart = gap_at(&inner, 0.0).apart, target = fmin(0.5 * slop, 0.5 * apart);
  if (!(apart > rounding * magnitude) ||
      !advance(&inner, &t, fmin(limit, inner_near.leave), target, 0.5 * target, &g)) {
    return none;
  }
  mo_time_of_impact found = impact_at(&inner, t, &g, true);
  found.separation = separation_at(&whole, t, g.normal);
  return found;
}
