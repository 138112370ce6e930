/* Exact orientation predicate: the side of the plane through three points on which a fourth point
 * lies. */
#ifndef MO_GEOMETRY_TRIANGLE_ORIENT_H
#define MO_GEOMETRY_TRIANGLE_ORIENT_H

#include "geometry/triangle/expansion.h"
#include "math/vector.h"

/* Error bound of the determinant u x v . w, where u, v and w are differences of floats rounded to
 * double: this times the sum of the magnitudes of its six products. Each product goes through three
 * differences, two multiplications and three additions, so its relative error is at most (1 +
 * 2^-53)^8 - 1; the computed sum of magnitudes has a similarly small error. Products of three
 * differences of floats neither overflow nor underflow. */
#define MO_ORIENTATION_ERROR (10.0 * 0x1p-53)

/* b - a, rounded to double. */
static inline mo_dvec3 mo_coordinate_differences(mo_vec3 b, mo_vec3 a) {
  return mo_dsub(mo_widen(b), mo_widen(a));
}

/* For each component of u x v, the sum of the magnitudes of its two products. */
static inline mo_dvec3 mo_cross_term_magnitudes(mo_dvec3 u, mo_dvec3 v) {
  return mo_dvec(fabs(u.y * v.z) + fabs(u.z * v.y), fabs(u.z * v.x) + fabs(u.x * v.z),
                 fabs(u.x * v.y) + fabs(u.y * v.x));
}

/* Six times the signed volume of the tetrahedron a, b, c, d: positive if d lies on the side of abc
 * to which (b - a) x (c - a) points. The sign is exact, 0 included. The relative error is at most
 * `relative`, or 1e-15 if that is larger. If `relative` is 1, only the sign is meaningful. */
double mo_orientation(const mo_vec3 corners[4], double relative);

/* An approximation of an expansion's sum, within an ulp or so. */
static inline double mo_expansion_value(const mo_expansion *e) {
  double value = 0.0;
  for (int i = 0; i < e->count; i++) {
    value += e->part[i];
  }
  return value;
}

/* Adds the determinant p . (q x r) to an expansion: at most 24 terms, or 12 if the products of two
 * components are exact in double, as those of floats are. */
void mo_expansion_add_determinant(mo_expansion *e, mo_dvec3 p, mo_dvec3 q, mo_dvec3 r);

/* Twice the signed area of the triangle with corners (x, y), coordinates that are floats: (x1 - x0)
 * (y2 - y0) - (y1 - y0) (x2 - x0), within an ulp or so and with the exact sign. */
double mo_doubled_area_2d(const double x[3], const double y[3]);

/* The normal (b - a) x (c - a) of three points that are not collinear; each component has an error
 * of at most 1e-14 of the largest. */
mo_dvec3 mo_orientation_normal(mo_vec3 a, mo_vec3 b, mo_vec3 c);

#endif
