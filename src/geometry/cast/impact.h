/* The time of impact of two bodies that both translate and rotate. */
#ifndef MO_GEOMETRY_CAST_IMPACT_H
#define MO_GEOMETRY_CAST_IMPACT_H

#include "geometry/cast/convex.h"

/* A moving body and its core: a copy of the body, scaled about its centre. */
typedef struct mo_impact_body {
  mo_moving_body whole;
  double extent;       /* sum of the extents of the bounds at t = 0; infinite for a half-space */
  bool has_core;       /* triangles and half-spaces have none */
  mo_moving_body core; /* set if has_core */
} mo_impact_body;

/* Sets all members but `whole`, which the caller has set; `scale`: of the core. */
void mo_impact_body_set_core(mo_impact_body *body, double scale);

/* What counts as an impact: members of mo_impact_def (motte/continuous.h). */
typedef struct mo_impact_rules {
  double slop;       /* the separation of bodies at an impact */
  double core_scale; /* of cores, relative to their bodies */
} mo_impact_rules;

/* The impact of two bodies. */
typedef struct mo_time_of_impact {
  double t;                   /* INFINITY: no impact, and only `distance_count` is set */
  bool began_in_touch;        /* the bodies are closer than the slop at t = 0 */
  mo_dvec3 normal;            /* unit, from A to B */
  mo_dvec3 point;             /* halfway between the closest points */
  double separation;          /* of the bodies along the normal; negative if they overlap */
  mo_body_feature feature[2]; /* of A and of B: the part that reaches farthest to the other */
  uint32_t distance_count; /* how many distances were computed: at most MO_IMPACT_MAX_DISTANCES */
} mo_time_of_impact;

/* Finds the time of impact. An impact certainly later than `limit` may not be found; otherwise the
 * limit, which is at most 1, does not change the result. */
mo_time_of_impact mo_find_time_of_impact(const mo_impact_body *a, const mo_impact_body *b,
                                         const mo_impact_rules *rules, double limit);

/* The first and the last time at which two bodies touch; they need not touch all the time in
 * between. */
typedef struct mo_time_of_touch {
  double enter;            /* 0: they touch at the start; INFINITY if they never do */
  double leave;            /* 1: they touch at the end; 0 if they never do */
  uint32_t distance_count; /* how many distances were computed */
} mo_time_of_touch;

/* Finds the first and last time of touch. Bodies touch if they come as close as at an impact with a
 * slop of 0. The bodies need no cores. */
mo_time_of_touch mo_find_time_of_touch(const mo_impact_body *a, const mo_impact_body *b);

/* The magnitude of the numbers that define a moving body: its coordinates and its path. */
double mo_moving_coordinate_magnitude(const mo_moving_body *moving);

/* A margin for culling: at an impact of `body` with any other body, for coordinates up to
 * `magnitude`, their bounds are no farther apart than this on any axis. For a half-space it bounds
 * the distance from the other body, without the slop due to the other body's size
 * (MO_IMPACT_MIN_SLOP).
 */
double mo_impact_margin(const mo_impact_rules *rules, const mo_moving_body *body, double magnitude);

/* The smallest slop, relative to the sum of the extents of the smaller body's bounds. */
#define MO_IMPACT_MIN_SLOP 0x1p-20

/* Numbers of steps of a conservative advancement. After MO_IMPACT_PRECISE_STEPS steps, the
 * tolerance is the top speed (mo_approach_max_speed) divided by MO_IMPACT_COARSE_STEPS. Each
 * further step then covers at least 1 / MO_IMPACT_COARSE_STEPS of the time from 0 to 1, so there
 * are at most that many of them. */
enum {
  MO_IMPACT_FIXED_NORMAL_STEPS = 1 << 8, /* first steps, along fixed normals only */
  MO_IMPACT_PRECISE_STEPS = 1 << 9,      /* steps with the exact tolerance */
  MO_IMPACT_COARSE_STEPS = 1 << 9,       /* further steps, with a larger tolerance */
};

/* The tolerance after MO_IMPACT_PRECISE_STEPS steps: how much farther apart than the slop two
 * bodies, which are no half-spaces, may then be at an impact. The result also bounds the
 * tolerance for parts of these bodies. */
double mo_impact_coarse_tolerance(const mo_moving_body *a, const mo_moving_body *b);

/* The largest number of distances that an impact or touch of two bodies takes: two advancements,
 * and a few at t = 0. */
enum { MO_IMPACT_MAX_DISTANCES = 2 * (MO_IMPACT_PRECISE_STEPS + MO_IMPACT_COARSE_STEPS) + 16 };

#endif
