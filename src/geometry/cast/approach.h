/* Lower bounds of the distance of two bodies that translate and rotate, over time. */
#ifndef MO_GEOMETRY_CAST_APPROACH_H
#define MO_GEOMETRY_CAST_APPROACH_H

#include "geometry/cast/convex.h"
#include "geometry/cast/separating_plane.h"

/* Two moving bodies, to which it keeps pointers, and data for bounds of their distance. */
typedef struct mo_approach {
  const mo_moving_body *a, *b;
  double end;              /* the last time for which bounds are needed */
  bool backwards;          /* t = 0 is the end of both motions, not the start; initially false */
  bool rotates;            /* whether at least one body rotates */
  bool has_half_space;     /* whether at least one body is a half-space */
  mo_difference start;     /* if a body rotates: the Minkowski difference of both at t = 0 */
  mo_cores cores;          /* if no body rotates: the bodies split into cores and balls, at t = 0 */
  double speed;            /* if a body is a half-space: upper bound of the approach speed */
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

/* The separation of the bodies along a normal at time t. If one body is a half-space, `normal` must
 * be that of the half-space at time t. */
double mo_approach_separation(mo_approach *p, double t, mo_dvec3 normal);

/* An upper bound, for all times, of the speed at which the separation along a normal shrinks. */
double mo_approach_speed(const mo_approach *p, mo_dvec3 normal);

/* An upper bound of mo_approach_speed for all normals. mo_max_relative_speed computes the same from
 * the two bodies, neither of them a half-space. */
double mo_approach_max_speed(const mo_approach *p);
double mo_max_relative_speed(const mo_moving_body *a, const mo_moving_body *b);

/* An upper bound, for all times, of the speed at which the separation shrinks along a normal that
 * rotates with one of the bodies from now on: the smaller of the bounds for either body. INFINITY
 * if no body rotates, or one is a half-space. */
double mo_approach_speed_in_body_frame(const mo_approach *p, mo_dvec3 normal);

/* A time until which the bodies are certainly at least `target` apart, given their gap at time t;
 * INFINITY if they are until the end. */
double mo_approach_separated_until(mo_approach *p, double t, const mo_approach_gap *g,
                                   double target);

#endif
