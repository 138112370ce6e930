/* How two bodies that move and turn approach one another. */
#ifndef MO_GEOMETRY_CAST_APPROACH_H
#define MO_GEOMETRY_CAST_APPROACH_H

#include "geometry/cast/convex.h"
#include "geometry/cast/parting.h"

/* Two bodies on their ways; refers to them. */
typedef struct mo_approach {
  const mo_moving_body *a, *b;
  double end;     /* what comes later does not matter */
  bool backwards; /* times count back from t = 1: 0 is the end of both ways; false at first */
  bool turns, has_half_space;
  mo_difference start; /* of bodies */
  mo_cores cores;      /* of bodies that do not turn, at t = 0 */
  double speed;        /* where there is a half-space: they come no closer than as fast as this */
} mo_approach;

/* How far two bodies are apart at least at some time. */
typedef struct mo_approach_gap {
  double apart;    /* may be negative */
  mo_dvec3 normal; /* from A to B */
  mo_dvec3 point;  /* halfway between the two */
} mo_approach_gap;

void mo_approach_init(mo_approach *p, const mo_moving_body *a, const mo_moving_body *b, double end);

mo_approach_gap mo_approach_at(const mo_approach *p, double t);

/* How far they are apart along a normal; which, of a half-space, is its own at that time. */
double mo_approach_along(mo_approach *p, double t, mo_dvec3 normal);

/* A bound on how fast that shrinks as time goes on, at any time. */
double mo_approach_speed(const mo_approach *p, mo_dvec3 normal);

/* A time until which they are sure to be at least `target` apart, by the gap that they have at t;
 * INFINITY: to the end. */
double mo_approach_clear_until(mo_approach *p, double t, const mo_approach_gap *g, double target);

#endif
