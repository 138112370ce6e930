/* When two bodies that both move and turn come into touch. */
#ifndef MO_GEOMETRY_CAST_IMPACT_H
#define MO_GEOMETRY_CAST_IMPACT_H

#include "geometry/cast/convex.h"

/* A body that moves, and its core: the same body, scaled about its centre. Refers to itself and to
 * what the moving body refers to, and therefore must not move. */
typedef struct mo_impact_body {
  mo_moving_body whole;
  double extent; /* of its bounds at t = 0, in sum; infinite of a half-space */
  mo_moving_body core;
  bool has_core; /* triangles and half-spaces have none */
  mo_convex core_convex;
} mo_impact_body;

/* Makes the rest of a body whose `whole` is set; with a core of this size. */
void mo_impact_body_complete(mo_impact_body *body, double core);

/* A body that stands still; refers to what it is made of. */
mo_moving_body mo_still_body(const mo_distance_body *body, mo_aabb bounds);

/* Which impacts count: the members of mo_impact_def (motte/continuous.h). */
typedef struct mo_impact_rules {
  double slop, core;
} mo_impact_rules;

/* The impact of two bodies. */
typedef struct mo_time_of_impact {
  double t;                   /* INFINITY if there is none, and nothing else is set */
  bool began_in_touch;        /* closer than the slop at t = 0 */
  mo_dvec3 normal;            /* unit, from A to B */
  mo_dvec3 point;             /* halfway between the two */
  double separation;          /* along the normal; negative: they overlap */
  mo_body_feature feature[2]; /* of A and B: what reaches farthest towards the other */
} mo_time_of_impact;

/* None where t is sure to be greater than `limit`, which is at most 1 and makes no other
 * difference. */
mo_time_of_impact mo_find_time_of_impact(const mo_impact_body *a, const mo_impact_body *b,
                                         const mo_impact_rules *rules, double limit);

/* From when to when two bodies touch: the first and the last time, whatever lies between. */
typedef struct mo_time_of_touch {
  double enter; /* 0: they touch at the start; INFINITY if they never do */
  double leave; /* 1: they touch at the end; 0 if they never do */
} mo_time_of_touch;

/* Bodies touch where they come as close as at an impact with a slop of 0. The bodies need no
 * cores. */
mo_time_of_touch mo_find_time_of_touch(const mo_impact_body *a, const mo_impact_body *b);

/* The size of the numbers that a moving body is given by: its coordinates and its path. */
double mo_moving_magnitude(const mo_moving_body *moving);

/* At an impact with a body, whatever moves among coordinates of this size, the bodies' bounds are
 * no farther apart than this on any axis. A half-space is no farther than this from the other one,
 * and what the size of that adds to the slop is not in it (MO_IMPACT_SIZE). */
double mo_impact_margin(const mo_impact_rules *rules, const mo_moving_body *body, double magnitude);

/* Of the extents of the lesser body in sum, the least slop. */
#define MO_IMPACT_SIZE 0x1p-20

enum { MO_IMPACT_STEPS = 1 << 12 };

#endif
