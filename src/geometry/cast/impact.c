/* The time of impact of two bodies that both translate and rotate, by conservative advancement
 * (geometry/cast/approach.c). The target is a separation above 0 (the slop): so few steps suffice,
 * and bodies that have been stopped at that separation do not touch.
 *
 * With a core (a smaller copy of a body with the same centre), bodies that only graze each other
 * are not stopped. For bodies that touch at the start, the impact is when one reaches the core of
 * the other: until then the centre is still on the side where it started, and the shortest way out
 * leads there.
 *
 * A body that is pushed against another one in every step comes closer to its core each time. The
 * gap to the core must not get lost in the rounding of the poses that the host makes from t. So a
 * step uses at most half of the gap, and nothing once the gap is down to a minimum, which is many
 * times that rounding. Then only movements that do not narrow the gap continue. All others are
 * stopped at t = 0, where the pose is unchanged, so not rounded. Movements along the other body
 * narrow the gap by rounding; they continue until half of the minimum is used up. If the core
 * overlaps all the same, for example where the host has placed it so, a smaller core takes its
 * place, down to the centre. */
#include "geometry/cast/impact.h"

#include "geometry/cast/approach.h"
#include "geometry/cast/rotating.h"

/* Both relative to coordinates: the error of a distance, and the smallest slop. */
static const double rounding_error = 0x1p-45, min_relative_slop = 0x1p-39;

double mo_moving_coordinate_magnitude(const mo_moving_body *moving) {
  const mo_half_space_body *h = &moving->body.half_space;
  double own = moving->body.kind == MO_BODY_HALF_SPACE
                   ? mo_sum_of_magnitudes(h->origin) + fabs(h->offset)
                   : mo_sum_of_magnitudes(mo_widen(mo_aabb_max_coordinates(moving->bounds)));
  return own + mo_sum_of_magnitudes(mo_widen(moving->displacement)) +
         mo_sum_of_magnitudes(moving->rotation.pivot);
}

double mo_impact_margin(const mo_impact_rules *rules, const mo_moving_body *body,
                        double magnitude) {
  double size = body->body.kind == MO_BODY_HALF_SPACE ? 0.0 : mo_sum_of_extents(body->bounds);
  return rules->slop + 2.0 * MO_IMPACT_MIN_SLOP * size +
         MO_RELATIVE_CULLING_MARGIN * (mo_moving_coordinate_magnitude(body) + magnitude);
}

double mo_impact_coarse_tolerance(const mo_moving_body *a, const mo_moving_body *b) {
  return mo_max_relative_speed(a, b) / MO_IMPACT_COARSE_STEPS;
}

/* The centre about which a core is scaled, relative to the origin of the body. */
static mo_dvec3 core_center(const mo_convex *convex) {
  const mo_hull *hull = convex->solid.hull;
  const mo_dvec3 center = hull != NULL ? mo_widen(hull->centroid) : mo_solid_center(&convex->solid);
  return mo_dadd(
      mo_dscale(center.x, convex->column[0]),
      mo_dadd(mo_dscale(center.y, convex->column[1]), mo_dscale(center.z, convex->column[2])));
}

static mo_moving_body core_of(const mo_moving_body *whole, double scale) {
  if (!(scale < 1.0)) {
    return *whole;
  }
  mo_convex convex = whole->body.convex;
  convex.origin = mo_dadd(convex.origin, mo_dscale(1.0 - scale, core_center(&convex)));
  convex.is_inexact = false;
  for (int i = 0; i < 3; ++i) {
    convex.column[i] = mo_dscale(scale, convex.column[i]);
  }
  const mo_body body = mo_body_of_convex(&convex);
  mo_moving_body core = mo_still_body(&body);
  core.displacement = whole->displacement;
  if (whole->rotates) {
    mo_moving_body_set_rotation(&core, &whole->rotation);
  }
  return core;
}

void mo_impact_body_set_core(mo_impact_body *body, double scale) {
  body->has_core = false;
  switch (body->whole.body.kind) {
    MO_CASES_OF_CONVEX_KINDS
    body->has_core = true;
    body->core = core_of(&body->whole, scale);
    break;
  case MO_BODY_TRIANGLE:
    break;
  case MO_BODY_HALF_SPACE:
    body->extent = INFINITY;
    return;
  }
  body->extent = mo_sum_of_extents(body->whole.body.bounds);
}

/* A step may not leave a smaller gap between a core and the other body than the minimum gap: at
 * most these fractions of the slop, and of the thickness of the body around its core. */
static const double min_gap_per_slop = 0.25, min_gap_per_thickness = 0.25;

/* Bounds of how much the rounding of poses may narrow the gap of a core in a step: pose_rounding is
 * relative to the coordinates of bodies that move (some 30 times their rounding to floats),
 * max_loss_per_gap to the minimum gap. The smaller bound applies. */
static const double pose_rounding = 0x1p-20, max_loss_per_gap = 0.125;

/* How many smaller cores are tried: each is half as large as the one before; the last is the centre
 * alone. */
enum { MAX_SMALLER_CORES = 4 };

/* Advances t until the separation of the bodies lies between `target` and target + tolerance.
 * Returns false if that does not happen until the limit. After MO_IMPACT_FIXED_NORMAL_STEPS steps,
 * as where a huge body rotates about an axis near a small one, planes that rotate with one of them
 * are tried too; after MO_IMPACT_PRECISE_STEPS steps the tolerance is larger. */
static bool advance_to_target(mo_approach *p, double *t, double limit, double target,
                              double tolerance, mo_approach_gap *g) {
  for (int step = 0;; ++step) {
    if (step == MO_IMPACT_PRECISE_STEPS) {
      tolerance = fmax(tolerance, mo_approach_max_speed(p) / MO_IMPACT_COARSE_STEPS);
    }
    *g = mo_approach_at(p, *t);
    if (g->separation <= target + tolerance ||
        step == MO_IMPACT_PRECISE_STEPS +
                    MO_IMPACT_COARSE_STEPS) { /* so many steps only because of rounding */
      return true;
    }
    double next = mo_approach_separated_until(p, *t, g, target);
    if (step >= MO_IMPACT_FIXED_NORMAL_STEPS) {
      next =
          fmax(next, *t + (g->separation - target) / mo_approach_speed_in_body_frame(p, g->normal));
    }
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

static span time_span_of_near_bounds(const mo_moving_body *a, const mo_moving_body *b,
                                     double grow) {
  span s = {0.0, 1.0};
  if (mo_either_is_half_space(&a->body, &b->body)) {
    return s;
  }
  for (int axis = 0; axis < 3; ++axis) {
    double lower = mo_get(b->bounds.lower, axis), upper = mo_get(b->bounds.upper, axis);
    mo_path_axis path = {0.5 * (lower + upper),
                         (double)mo_get(b->displacement, axis) -
                             (double)mo_get(a->displacement, axis),
                         0.5 * (upper - lower) + grow};
    mo_path_clip_interval(&path, mo_get(a->bounds.lower, axis), mo_get(a->bounds.upper, axis),
                          &s.enter, &s.leave);
  }
  return s;
}

/* Makes the result for an impact at time t. `g`: the gap then, of the whole bodies or of a core. */
static mo_time_of_impact impact_at(mo_approach *whole, double t, const mo_approach_gap *g,
                                   bool began) {
  return (mo_time_of_impact){
      .t = t,
      .began_in_touch = began,
      .normal = g->normal,
      .point = g->point,
      .separation = mo_approach_separation(whole, t, g->normal),
      .feature = {mo_moving_feature(whole->a, t, g->normal),
                  mo_moving_feature(whole->b, t, mo_dscale(-1.0, g->normal))}};
}

/* Whether bodies stay farther apart than `min` until t = 1, or until the limit by so much more that
 * no tolerance makes up for it. By a bound of their speed; `apart` is their separation along the
 * normal at t = 0. */
static bool stay_apart(const mo_approach *p, double apart, mo_dvec3 normal, double min,
                       double limit) {
  const double speed = fmax(mo_approach_speed(p, normal), 0.0);
  return apart - speed > min ||
         (limit < 1.0 &&
          apart - limit * speed > min + mo_approach_max_speed(p) / MO_IMPACT_COARSE_STEPS);
}

/* As stay_apart, along the normal of a triangle; false if neither body is a triangle. */
static bool triangle_plane_separates(mo_approach *p, double min, double limit) {
  const bool is_a = p->a->body.kind == MO_BODY_TRIANGLE;
  if (p->has_half_space || (!is_a && p->b->body.kind != MO_BODY_TRIANGLE)) {
    return false;
  }
  mo_dvec3 normal = mo_corners_normal(is_a ? p->a->body.corners : p->b->body.corners);
  if (mo_ddot(normal, normal) == 0.0) {
    return false;
  }
  double apart = mo_approach_separation(p, 0.0, normal);
  if (apart < 0.0) {
    normal = mo_dscale(-1.0, normal);
    apart = mo_approach_separation(p, 0.0, normal);
  }
  return stay_apart(p, apart, normal, min, limit);
}

static double min_slop(const mo_impact_body *a, const mo_impact_body *b, double magnitude) {
  const double min = fmin(a->extent, b->extent);
  return fmax(min_relative_slop * magnitude, min < INFINITY ? MO_IMPACT_MIN_SLOP * min : 0.0);
}

mo_time_of_touch mo_find_time_of_touch(const mo_impact_body *a, const mo_impact_body *b) {
  mo_time_of_touch touch = {.enter = INFINITY};
  const double magnitude =
      mo_moving_coordinate_magnitude(&a->whole) + mo_moving_coordinate_magnitude(&b->whole);
  const double slop = min_slop(a, b, magnitude);
  const span near = time_span_of_near_bounds(&a->whole, &b->whole, slop);
  if (!(near.enter <= near.leave)) {
    return touch;
  }
  mo_approach p;
  mo_approach_gap g;
  mo_approach_init(&p, &a->whole, &b->whole, 1.0);
  double enter = near.enter, back = 1.0 - near.leave;
  if (!triangle_plane_separates(&p, 0.75 * slop + MO_RELATIVE_CULLING_MARGIN * magnitude, 1.0) &&
      advance_to_target(&p, &enter, near.leave, 0.5 * slop, 0.25 * slop, &g)) {
    p.backwards = true;
    bool found = advance_to_target(&p, &back, 1.0 - enter, 0.5 * slop, 0.25 * slop, &g);
    touch.enter = enter;
    touch.leave = found ? fmax(1.0 - back, enter) : enter;
  }
  touch.distance_count = p.distance_count;
  return touch;
}

/* The largest coordinate in the pose of a moving body, which hosts round to floats; 0 if the body
 * does not move. */
static double max_rounded_coordinate(const mo_moving_body *moving) {
  const mo_vec3 by = moving->displacement;
  if (!moving->rotates && by.x == 0.0f && by.y == 0.0f && by.z == 0.0f) {
    return 0.0;
  }
  const mo_half_space_body *h = &moving->body.half_space;
  double own = moving->body.kind == MO_BODY_HALF_SPACE
                   ? mo_dmax_magnitude(h->origin) + fabs(h->offset)
                   : mo_dmax_magnitude(mo_widen(mo_aabb_max_coordinates(moving->bounds)));
  return fmax(own, moving->rotates ? mo_dmax_magnitude(moving->rotation.pivot) : 0.0);
}

/* Two bodies that begin in touch, and the search for the time at which the core of one of them
 * reaches the other. */
typedef struct core_search {
  const mo_impact_body *a, *b;
  bool uses_core_of_a,
      uses_core_of_b;         /* the body whose core is used; both false: no core is used */
  double core_scale, slop;    /* slop: the separation at an impact */
  double error_bound;         /* rounding error: gaps up to this count as 0 */
  mo_approach *body_approach; /* the approach of the whole bodies */
  mo_approach *core_approach; /* the approach of the core and the other body */
  mo_approach_gap gap;        /* the gap of core_approach at t = 0 */
  double min_gap;             /* a movement that would leave a smaller gap is stopped at t = 0 */
  double max_rounding_loss;   /* how much the rounding of poses may narrow the gap in a step */
  mo_impact_body
      body_with_smaller_core; /* if choose_core shrinks the core: the body with that core */
} core_search;

static void set_min_gap(core_search *p) {
  double thickness = mo_approach_separation(p->core_approach, 0.0, p->gap.normal) -
                     mo_approach_separation(p->body_approach, 0.0, p->gap.normal);
  double coordinates = max_rounded_coordinate(&p->a->whole) + max_rounded_coordinate(&p->b->whole);
  p->min_gap = min_gap_per_slop * p->slop;
  if (thickness > 0.0) {
    p->min_gap = fmin(p->min_gap, min_gap_per_thickness * thickness);
  }
  p->max_rounding_loss = fmin(pose_rounding * coordinates, max_loss_per_gap * p->min_gap);
}

/* Shrinks the core, at most down to the centre, until its gap exceeds the rounding loss. */
static void choose_core(core_search *p) {
  double scale = p->core_scale;
  set_min_gap(p);
  for (int i = 1;
       i <= MAX_SMALLER_CORES && scale > 0.0 && (p->uses_core_of_a || p->uses_core_of_b) &&
       !(p->gap.separation > p->max_rounding_loss);
       ++i) {
    scale = i < MAX_SMALLER_CORES ? 0.5 * scale : 0.0;
    p->body_with_smaller_core.whole = (p->uses_core_of_a ? p->a : p->b)->whole;
    mo_impact_body_set_core(&p->body_with_smaller_core, scale);
    const uint32_t distances = p->core_approach->distance_count;
    mo_approach_init(p->core_approach,
                     p->uses_core_of_a ? &p->body_with_smaller_core.core : &p->a->whole,
                     p->uses_core_of_b ? &p->body_with_smaller_core.core : &p->b->whole, 1.0);
    p->core_approach->distance_count = distances;
    p->gap = mo_approach_at(p->core_approach, 0.0);
    set_min_gap(p);
  }
}

/* Finds the impact of bodies that begin in touch: the time at which the gap to the core is down to
 * half of its initial value, or to half of the slop if that is less. `end`: the time at which the
 * core's bounds leave the bounds of the other body. */
static mo_time_of_impact find_core_impact(core_search *p, double limit, double end) {
  const mo_time_of_impact none = {.t = INFINITY};
  choose_core(p);
  const double apart = p->gap.separation, min = p->min_gap, given = p->max_rounding_loss;
  if (!(apart > p->error_bound)) {
    return none;
  }
  double t = 0.0;
  mo_approach_gap g;
  if (apart > fmax(min + given, 2.0 * p->error_bound)) {
    double target = fmin(0.5 * p->slop, fmax(0.5 * apart, min));
    double tolerance = 0.5 * fmin(target, apart - target);
    return advance_to_target(p->core_approach, &t, fmin(limit, end), target, tolerance, &g)
               ? impact_at(p->body_approach, t, &g, true)
               : none;
  }
  /* The gap must not shrink, except by rounding. A movement that would end with less than the
   * minimum gap is not made at all (t is 0), so that the gap does not shrink from step to step. The
   * search goes beyond the limit; otherwise it could miss an impact with less than that gap. */
  double loss = fmax(p->error_bound, apart > 0.5 * min ? given : 0.0);
  if (!advance_to_target(p->core_approach, &t, end, apart - loss, 0.5 * loss, &g)) {
    return none;
  }
  if (g.separation < min) {
    t = 0.0;
    g = p->gap;
  }
  return t <= limit ? impact_at(p->body_approach, t, &g, true) : none;
}

/* As mo_find_time_of_impact, but `distance_count` is not set: the caller sums that of the
 * approaches. */
static mo_time_of_impact find_impact(const mo_impact_body *a, const mo_impact_body *b,
                                     const mo_impact_rules *rules, double limit, mo_approach *whole,
                                     mo_approach *inner) {
  const mo_time_of_impact none = {.t = INFINITY};
  const double magnitude =
      mo_moving_coordinate_magnitude(&a->whole) + mo_moving_coordinate_magnitude(&b->whole);
  const double slop = fmax(rules->slop, min_slop(a, b, magnitude));
  const span near = time_span_of_near_bounds(&a->whole, &b->whole, slop);
  if (!(near.enter <= fmin(limit, near.leave))) {
    return none;
  }
  /* Only the core of the smaller body is used. */
  bool core_of_a = a->has_core && (!b->has_core || a->extent <= b->extent);
  bool core_of_b = b->has_core && !core_of_a;
  const mo_moving_body *inner_a = core_of_a ? &a->core : &a->whole,
                       *inner_b = core_of_b ? &b->core : &b->whole;
  bool cored = rules->core_scale < 1.0 && (core_of_a || core_of_b);
  const span inner_near = time_span_of_near_bounds(inner_a, inner_b, slop);
  if (!(inner_near.enter <= inner_near.leave)) {
    return none;
  }
  mo_approach_gap g, first = {.separation = INFINITY};
  double t = near.enter;
  /* A cheap test rejects most nearby bodies: they never come near the core, or not near the whole
   * body before the limit. */
  const double early = MO_RELATIVE_CULLING_MARGIN * magnitude, core_limit = cored ? 1.0 : limit;
  mo_approach_init(inner, inner_a, inner_b, 1.0);
  if (triangle_plane_separates(inner, 0.75 * slop + early, core_limit)) {
    return none;
  }
  if (t == 0.0) {
    first = mo_approach_at(inner, 0.0);
    double enough = fmax(0.5 * slop, 0.75 * fmin(slop, first.separation)) + early;
    if (stay_apart(inner, first.separation, first.normal, enough, core_limit)) {
      return none;
    }
  }
  mo_approach_init(whole, &a->whole, &b->whole, 1.0);
  if (cored && triangle_plane_separates(whole, 0.75 * slop + early, limit)) {
    return none;
  }
  if (t > 0.0 || (cored ? mo_approach_at(whole, 0.0).separation : first.separation) > slop) {
    double reached = t;
    if (!advance_to_target(whole, &reached, fmin(limit, near.leave), 0.5 * slop, 0.25 * slop, &g)) {
      return none;
    }
    t = reached;
    if (cored) {
      mo_approach_gap last;
      if (!advance_to_target(inner, &reached, inner_near.leave, 0.25 * slop, 0.25 * slop, &last)) {
        return none;
      }
    }
    return impact_at(whole, t, &g, false);
  }
  core_search p = {.a = a,
                   .b = b,
                   .uses_core_of_a = core_of_a,
                   .uses_core_of_b = core_of_b,
                   .core_scale = rules->core_scale,
                   .slop = slop,
                   .error_bound = rounding_error * magnitude,
                   .body_approach = whole,
                   .core_approach = inner,
                   .gap = first};
  return find_core_impact(&p, limit, inner_near.leave);
}

mo_time_of_impact mo_find_time_of_impact(const mo_impact_body *a, const mo_impact_body *b,
                                         const mo_impact_rules *rules, double limit) {
  mo_approach whole, inner;
  whole.distance_count = inner.distance_count = 0;
  mo_time_of_impact found = find_impact(a, b, rules, limit, &whole, &inner);
  found.distance_count = whole.distance_count + inner.distance_count;
  return found;
}
