/* The time of impact of two triangles whose corners move each on its own, as those of meshes that
 * deform. */
#ifndef MO_GEOMETRY_CAST_MOVING_TRIANGLE_H
#define MO_GEOMETRY_CAST_MOVING_TRIANGLE_H

#include "geometry/body/body.h"

/* A triangle whose corners move along straight lines at constant speed while t goes from 0 to 1. An
 * edge repeats one of its ends, and a vertex is three equal corners. */
typedef struct mo_moving_triangle {
  mo_dvec3 start[3], end[3]; /* world */
} mo_moving_triangle;

/* An impact of two moving triangles: the first time at which they come within half to three
 * quarters of a slop. */
typedef struct mo_moving_triangle_impact {
  double t;                   /* INFINITY: no impact, and only `distance_count` is set */
  mo_dvec3 normal;            /* unit, from A to B */
  mo_dvec3 point;             /* halfway between the closest points */
  double separation;          /* along the normal */
  mo_body_feature feature[2]; /* of A and of B: the part that reaches farthest to the other */
  uint32_t distance_count;    /* how many distances were computed */
} mo_moving_triangle_impact;

/* Finds the impact. The slop is positive; if the triangles begin closer, their distance at the
 * start takes its place. If they touch there, by mo_bodies_within, they have no impact. An impact
 * certainly later than `limit` may not be found; otherwise the limit, which is at most 1, does not
 * change the result. */
mo_moving_triangle_impact mo_find_moving_triangle_impact(const mo_moving_triangle *a,
                                                         const mo_moving_triangle *b, double slop,
                                                         double limit);

#endif
