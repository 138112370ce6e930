/* Lower bounds of the distance of two bodies that translate and rotate, over time. */
#ifndef MO_GEOMETRY_CAST_APPROACH_H
#define MO_GEOMETRY_CAST_APPROACH_H

#include "geometry/cast/convex.h"
#include "geometry/cast/separating_plane.h"

/* Two moving bodies, and data for bounds of their distance; keeps pointers to the bodies. */
typedef struct mo_approach {
  const mo_moving_body *a, *b;
  double end;              /* bounds are needed up to this time */
  bool backwards;          /* time runs backwards: 0 is the end of both motions; initially false */
  bool rotates;            /* whether at least one body rotates */
  bool has_half_space;     /* whether at least one body is a half-space */
  mo_difference start;     /* their Minkowski difference at t = 0, if a body rotates */
  mo_cores cores;          /* their cores at t = 0, if no body rotates */
  double speed;            /* with a half-space: an upper bound of the approach speed */
  uint32_t distance_count; /* how many distances mo_approach_at has computed */
} mo_approach;

/* A lower bound of the distance of two bodies at some time. */
typedef struct mo_approach_gap {
  double separation; /* the lower bound; may be negative */
  mo_dvec3 normal;   /* from A to B */
  mo_dvec3 point;    /* halfway between the closest points */
} mo_approach_gap;

void mo_approach_init(mo_approach *p, const mo_moving_body *a, const mo_moving_body *b, double end);

mo_approach_gap mo_approach_at(mo_approach *p, double t);

/* The separation of the bodies along a normal at time t; if one is a half-space, `normal` must be
 * its own normal at that time. */
double mo_approach_separation(mo_approach *p, double t, mo_dvec3 normal);

/* An upper bound, for all times, of the speed at which the separation along a normal shrinks. */
double mo_approach_speed(const mo_approach *p, mo_dvec3 normal);

/* An upper bound of mo_approach_speed for any normal. mo_max_relative_speed computes it from two
 * bodies that are no half-spaces. */
double mo_approach_top_speed(const mo_approach *p);
double mo_max_relative_speed(const mo_moving_body *a, const mo_moving_body *b);

/* An upper bound, for all times, of the speed at which the separation shrinks along a normal that
 * rotates with one of the bodies from now on: the lesser of the bounds for the two bodies. INFINITY
 * if none rotates, or one is a half-space. */
double mo_approach_speed_in_body_frame(const mo_approach *p, mo_dvec3 normal);

/* A time until which the bodies are certainly at least `target` apart, given their gap at t;
 * INFINITY: until the end. */
double mo_approach_separated_until(mo_approach *p, double t, const mo_approach_gap *g,
                                   double target);

#endif
