/* Moments of solids: the integrals of 1, x and x x' over the points x of a solid, from which mass
 * properties follow. Unlike inertia, they are mapped by affine maps in a simple way. */
#ifndef MO_GEOMETRY_MOMENTS_H
#define MO_GEOMETRY_MOMENTS_H

#include "math/vector.h"

/* A symmetric matrix. */
typedef struct mo_symmetric_matrix {
  double xx, yy, zz, xy, yz, zx;
} mo_symmetric_matrix;

/* Returns m + s * v v'. */
static inline mo_symmetric_matrix mo_add_outer_square(mo_symmetric_matrix m, double s, mo_dvec3 v) {
  return (mo_symmetric_matrix){m.xx + s * v.x * v.x, m.yy + s * v.y * v.y, m.zz + s * v.z * v.z,
                               m.xy + s * v.x * v.y, m.yz + s * v.y * v.z, m.zx + s * v.z * v.x};
}

/* Returns m + s * (u v' + v u'). */
static inline mo_symmetric_matrix mo_add_outer_product(mo_symmetric_matrix m, double s, mo_dvec3 u,
                                                       mo_dvec3 v) {
  return (mo_symmetric_matrix){
      m.xx + 2.0 * s * u.x * v.x,         m.yy + 2.0 * s * u.y * v.y,
      m.zz + 2.0 * s * u.z * v.z,         m.xy + s * (u.x * v.y + u.y * v.x),
      m.yz + s * (u.y * v.z + u.z * v.y), m.zx + s * (u.z * v.x + u.x * v.z)};
}

/* Volume, centroid and second moments of a solid. If the volume is 0, the second moments are 0 too,
 * and the centroid is that of the area or the length. */
typedef struct mo_moments {
  double volume;
  mo_dvec3 centroid;
  mo_symmetric_matrix second; /* integral of x x', with x relative to the centroid */
} mo_moments;

/* Moments about a fixed point, for sums over the parts of a solid. */
typedef struct mo_moment_sum {
  double volume;
  mo_dvec3 first;             /* integral of x */
  mo_symmetric_matrix second; /* integral of x x' */
} mo_moment_sum;

/* The moments of a solid from sums about a point. `if_flat`: the centroid if there is no volume. */
static inline mo_moments mo_moments_of_sum(const mo_moment_sum *sum, mo_dvec3 point,
                                           mo_dvec3 if_flat) {
  if (sum->volume == 0.0) {
    return (mo_moments){.centroid = if_flat};
  }
  mo_dvec3 offset = mo_dscale(1.0 / sum->volume, sum->first);
  return (mo_moments){sum->volume, mo_dadd(point, offset),
                      mo_add_outer_square(sum->second, -sum->volume, offset)};
}

/* The moments of a solid with the same second moment `across` in all directions perpendicular to a
 * unit axis, and `along` the axis. */
static inline mo_moments mo_moments_about_axis(double volume, mo_dvec3 centroid, mo_dvec3 axis,
                                               double along, double across) {
  const mo_symmetric_matrix round = {across, across, across, 0.0, 0.0, 0.0};
  return (mo_moments){volume, centroid, mo_add_outer_square(round, along - across, axis)};
}

#endif
