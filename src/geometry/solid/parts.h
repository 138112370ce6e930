/* What kinds of solids have in common: checks of numbers, maps given by columns, balls and axes. */
#ifndef MO_GEOMETRY_SOLID_PARTS_H
#define MO_GEOMETRY_SOLID_PARTS_H

#include <float.h>

#include "geometry/solid.h"
#include "math/aabb.h"
#include "math/check.h"

/* A definition that is a box or a ball around a point: its bounds have a faster form. One of
 * half_extents and radius is zero. */
typedef struct mo_block {
  mo_vec3 center, half_extents;
  float radius;
} mo_block;

static inline mo_dvec3 mo_map_columns(const mo_dvec3 column[3], mo_dvec3 p) {
  return mo_dadd(mo_dadd(mo_dscale(p.x, column[0]), mo_dscale(p.y, column[1])),
                 mo_dscale(p.z, column[2]));
}

/* From the centre to b. */
static inline mo_dvec3 mo_half_axis(const mo_solid *s) {
  return mo_dscale(0.5, mo_dsub(s->b, s->a));
}

static inline mo_dvec3 mo_farther_end(const mo_solid *s, mo_dvec3 direction) {
  return mo_ddot(mo_dsub(s->b, s->a), direction) > 0.0 ? s->b : s->a;
}

/* A vector to a point from the closest point of the segment from -half_axis to half_axis. */
static inline mo_dvec3 mo_from_axis(mo_dvec3 half_axis, mo_dvec3 point) {
  double squared = mo_ddot(half_axis, half_axis), along = mo_ddot(point, half_axis);
  double s = along >= squared ? 1.0 : along <= -squared ? -1.0 : along / squared;
  return mo_dsub(point, mo_dscale(s, half_axis));
}

static inline bool mo_ball_contains(double radius, mo_dvec3 point) {
  return mo_ddot(point, point) <= radius * radius;
}

static inline mo_dvec3 mo_ball_support(mo_dvec3 center, double radius, mo_dvec3 direction) {
  double length = sqrt(mo_ddot(direction, direction));
  return length > 0.0 ? mo_dadd(center, mo_dscale(radius / length, direction)) : center;
}

/* Half the width of the image of a ball along a world axis, given that row of the map:
 * radius * |row|, rounded up; exact where the row has one component. */
static inline double mo_ball_extent(double radius, mo_dvec3 row) {
  if ((row.x == 0.0) + (row.y == 0.0) + (row.z == 0.0) >= 2) {
    return radius * (fabs(row.x) + fabs(row.y) + fabs(row.z));
  }
  return radius * (sqrt(mo_ddot(row, row)) * (1.0 + 8.0 * DBL_EPSILON));
}

#endif
