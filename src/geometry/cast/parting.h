/* Planes between two bodies, found quickly where the bodies are round by balls. */
#ifndef MO_GEOMETRY_CAST_PARTING_H
#define MO_GEOMETRY_CAST_PARTING_H

#include "geometry/convex/balls.h"

/* Two bodies as sums of balls and what these are around. */
typedef struct mo_cores {
  mo_difference between;
  mo_balls balls;
} mo_cores;

/* Neither body is a half-space. */
mo_cores mo_cores_of(const mo_distance_body *a, const mo_distance_body *b);

/* How far the balls of both bodies reach together. */
double mo_cores_ball_reach(const mo_cores *c, mo_dvec3 direction);

/* A plane between two bodies, and how far they are apart. */
typedef struct mo_parting {
  mo_dvec3 normal; /* from A */
  double apart;    /* at least, along the normal; may be negative */
  double distance;
  double core_distance; /* what the normal is as well defined as */
  mo_dvec3 point;       /* of A, closest to B */
} mo_parting;

/* The normal is that between cores. For balls that are even to within u it is off by as much, and
 * what it says is apart by the square of that. */
mo_parting mo_cores_part(mo_cores *c);

#endif
