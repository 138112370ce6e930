/* The time of impact of two bodies that both translate and rotate, by conservative advancement
 * (geometry/cast/approach.c). The target is a separation above 0 (the slop): so it takes few steps,
 * and bodies that have been stopped there do not touch.
 *
 * With a core (a smaller copy of a body with the same centre), bodies that only graze each other
 * are not stopped. Bodies that touch at the start have no first contact; but neither may pass
 * through the other. As long as the core is not reached, the centre is still on the side where it
 * started, and the shortest way out leads there. */
#include "geometry/cast/impact.h"

#include "geometry/cast/approach.h"
#include "geometry/cast/turning.h"

/* Relative to coordinates: the error of a distance; and the smallest slop. */
static const double rounding = 0x1p-45, least_of_coordinates = 0x1p-39;

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
  double size = body->body.half_space != NULL ? 0.0 : mo_extents_of(body->bounds);
  return rules->slop + 2.0 * MO_IMPACT_SIZE * size +
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

/* Advances t until the separation of the bodies lies between `target` and target + tolerance. False
 * if that is not before the limit. */
static bool advance(mo_approach *p, double *t, double limit, double target, double tolerance,
                    mo_approach_gap *g) {
  for (int step = 0;; ++step) {
    *g = mo_approach_at(p, *t);
    if (g->apart <= target + tolerance || step == MO_IMPACT_STEPS) {
      return true;
    }
    double next = mo_approach_clear_until(p, *t, g, target);
    if (!(next <= limit)) {
      return false;
    }
    if (next == *t) {
      return true;
    }
    *t = next;
  }
}

/* The time interval in which the bounds of two bodies are within `grow` of each other; empty if
 * they never are. */
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

/* The impact at which an approach ended, of the whole bodies or of a core. */
static mo_time_of_impact impact_at(mo_approach *whole, double t, const mo_approach_gap *g,
                                   bool began) {
  return (mo_time_of_impact){
      .t = t,
      .began_in_touch = began,
      .normal = g->normal,
      .point = g->point,
      .separation = mo_approach_along(whole, t, g->normal),
      .feature = {mo_moving_feature(whole->a, t, g->normal),
                  mo_moving_feature(whole->b, t, mo_dscale(-1.0, g->normal))}};
}

/* Whether bodies that have the separation `apart` along a normal at t = 0 stay farther apart than
 * `least`. */
static bool stay_apart(const mo_approach *p, double apart, mo_dvec3 normal, double least) {
  return apart - fmax(mo_approach_speed(p, normal), 0.0) > least;
}

/* As stay_apart, along the normal of the triangle that is one of the two bodies. */
static bool plane_stays_apart(mo_approach *p, double least) {
  bool is_a = p->a->body.convex == NULL;
  if (p->has_half_space || (!is_a && p->b->body.convex != NULL)) {
    return false;
  }
  mo_dvec3 normal = mo_corners_normal(is_a ? p->a->body.corners : p->b->body.corners);
  if (mo_ddot(normal, normal) == 0.0) {
    return false;
  }
  double apart = mo_approach_along(p, 0.0, normal);
  if (apart < 0.0) {
    normal = mo_dscale(-1.0, normal);
    apart = mo_approach_along(p, 0.0, normal);
  }
  return stay_apart(p, apart, normal, least);
}

static double least_slop(const mo_impact_body *a, const mo_impact_body *b, double magnitude) {
  const double least = fmin(a->extent, b->extent);
  return fmax(least_of_coordinates * magnitude, least < INFINITY ? MO_IMPACT_SIZE * least : 0.0);
}

mo_time_of_touch mo_find_time_of_touch(const mo_impact_body *a, const mo_impact_body *b) {
  const mo_time_of_touch none = {INFINITY, 0.0};
  const double magnitude = mo_moving_magnitude(&a->whole) + mo_moving_magnitude(&b->whole);
  const double slop = least_slop(a, b, magnitude);
  const span near = near_span(&a->whole, &b->whole, slop);
  if (!(near.enter <= near.leave)) {
    return none;
  }
  mo_approach p;
  mo_approach_gap g;
  mo_approach_init(&p, &a->whole, &b->whole, 1.0);
  double enter = near.enter, back = 1.0 - near.leave;
  if (plane_stays_apart(&p, 0.75 * slop + MO_EARLY_CONTACT * magnitude) ||
      !advance(&p, &enter, near.leave, 0.5 * slop, 0.25 * slop, &g)) {
    return none;
  }
  p.backwards = true;
  bool found = advance(&p, &back, 1.0 - enter, 0.5 * slop, 0.25 * slop, &g);
  return (mo_time_of_touch){enter, found ? fmax(1.0 - back, enter) : enter};
}

mo_time_of_impact mo_find_time_of_impact(const mo_impact_body *a, const mo_impact_body *b,
                                         const mo_impact_rules *rules, double limit) {
  const mo_time_of_impact none = {.t = INFINITY};
  const double magnitude = mo_moving_magnitude(&a->whole) + mo_moving_magnitude(&b->whole);
  const double slop = fmax(rules->slop, least_slop(a, b, magnitude));
  const span near = near_span(&a->whole, &b->whole, slop);
  if (!(near.enter <= fmin(limit, near.leave))) {
    return none;
  }
  /* Only the core of the smaller body is used. */
  bool core_of_a = a->has_core && (!b->has_core || a->extent <= b->extent);
  bool core_of_b = b->has_core && !core_of_a;
  const mo_moving_body *inner_a = core_of_a ? &a->core : &a->whole,
                       *inner_b = core_of_b ? &b->core : &b->whole;
  bool cored = rules->core < 1.0 && (core_of_a || core_of_b);
  const span inner_near = near_span(inner_a, inner_b, slop);
  if (!(inner_near.enter <= inner_near.leave)) {
    return none;
  }
  mo_approach whole, inner;
  mo_approach_gap g, first = {.apart = INFINITY};
  double t = near.enter;
  /* Most nearby bodies do not come near to the core, or not near to the whole body if that one
   * counts. */
  const double early = MO_EARLY_CONTACT * magnitude;
  mo_approach_init(&inner, inner_a, inner_b, 1.0);
  if (plane_stays_apart(&inner, 0.75 * slop + early)) {
    return none;
  }
  if (t == 0.0) {
    first = mo_approach_at(&inner, 0.0);
    double enough = fmax(0.5 * slop, 0.75 * fmin(slop, first.apart)) + early;
    if (!(first.apart > rounding * magnitude) ||
        stay_apart(&inner, first.apart, first.normal, enough)) {
      return none;
    }
  }
  mo_approach_init(&whole, &a->whole, &b->whole, 1.0);
  if (t > 0.0 || (cored ? mo_approach_at(&whole, 0.0).apart : first.apart) > slop) {
    double reached = t;
    if (!advance(&whole, &reached, fmin(limit, near.leave), 0.5 * slop, 0.25 * slop, &g)) {
      return none;
    }
    t = reached;
    if (cored) {
      mo_approach_gap last;
      if (!advance(&inner, &reached, inner_near.leave, 0.25 * slop, 0.25 * slop, &last)) {
        return none;
      }
    }
    return impact_at(&whole, t, &g, false);
  }
  double apart = first.apart, target = fmin(0.5 * slop, 0.5 * apart);
  if (!(apart > rounding * magnitude) ||
      !advance(&inner, &t, fmin(limit, inner_near.leave), target, 0.5 * target, &g)) {
    return none;
  }
  return impact_at(&whole, t, &g, true);
}
