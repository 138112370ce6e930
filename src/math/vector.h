/* Small vector arithmetic in single and double precision. Plain expressions in a fixed order: with
 * -ffp-contract=off they round identically on all machines. */
#ifndef MO_MATH_VECTOR_H
#define MO_MATH_VECTOR_H

#include <math.h>
#include <motte/math.h>

#include "base/assert.h"

/* mo_dmin, mo_dmax: the smaller and the larger of two numbers, none of them NaN. Each is one
 * instruction, unlike fmin and fmax, which are function calls because they handle NaN. */
static inline double mo_dmin(double a, double b) {
  return a < b ? a : b;
}

static inline double mo_dmax(double a, double b) {
  return a > b ? a : b;
}

static inline float mo_get(mo_vec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static inline mo_vec3 mo_vec(float x, float y, float z) {
  return (mo_vec3){x, y, z};
}

static inline mo_vec3 mo_add(mo_vec3 a, mo_vec3 b) {
  return mo_vec(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline mo_vec3 mo_sub(mo_vec3 a, mo_vec3 b) {
  return mo_vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline mo_vec3 mo_scale(float s, mo_vec3 a) {
  return mo_vec(s * a.x, s * a.y, s * a.z);
}

static inline float mo_dot(mo_vec3 a, mo_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline mo_vec3 mo_cross(mo_vec3 a, mo_vec3 b) {
  return mo_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline bool mo_is_same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline bool mo_is_finite(mo_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static inline float mo_max_magnitude(mo_vec3 v) {
  float x = fabsf(v.x), y = fabsf(v.y), z = fabsf(v.z);
  float max = x > y ? x : y;
  return max > z ? max : z;
}

static inline bool mo_is_in_range(mo_vec3 v) {
  return fabsf(v.x) <= MO_MAX_COORDINATE && fabsf(v.y) <= MO_MAX_COORDINATE &&
         fabsf(v.z) <= MO_MAX_COORDINATE;
}

/* A vector in double precision, in which overlap tests are done. */
typedef struct mo_dvec3 {
  double x, y, z;
} mo_dvec3;

static inline mo_dvec3 mo_dvec(double x, double y, double z) {
  return (mo_dvec3){x, y, z};
}

static inline mo_dvec3 mo_widen(mo_vec3 v) {
  return mo_dvec(v.x, v.y, v.z);
}

/* Rounds to the nearest floats. */
static inline mo_vec3 mo_narrow(mo_dvec3 v) {
  return mo_vec((float)v.x, (float)v.y, (float)v.z);
}

static inline mo_dvec3 mo_dadd(mo_dvec3 a, mo_dvec3 b) {
  return mo_dvec(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline mo_dvec3 mo_dsub(mo_dvec3 a, mo_dvec3 b) {
  return mo_dvec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline mo_dvec3 mo_dscale(double s, mo_dvec3 a) {
  return mo_dvec(s * a.x, s * a.y, s * a.z);
}

static inline double mo_ddot(mo_dvec3 a, mo_dvec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline mo_dvec3 mo_dcross(mo_dvec3 a, mo_dvec3 b) {
  return mo_dvec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline mo_dvec3 mo_dabs(mo_dvec3 v) {
  return mo_dvec(fabs(v.x), fabs(v.y), fabs(v.z));
}

static inline double mo_dsquare(mo_dvec3 v) {
  return mo_ddot(v, v);
}

static inline double mo_dlength(mo_dvec3 v) {
  return sqrt(mo_ddot(v, v));
}

static inline double mo_dmax_magnitude(mo_dvec3 v) {
  return mo_dmax(mo_dmax(fabs(v.x), fabs(v.y)), fabs(v.z));
}

static inline double mo_sum_of_magnitudes(mo_dvec3 v) {
  return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static inline double mo_sum_of_components(mo_vec3 v) {
  return (double)v.x + (double)v.y + (double)v.z;
}

static inline mo_dvec3 mo_ddivide(mo_dvec3 a, double s) {
  return mo_dvec(a.x / s, a.y / s, a.z / s);
}

/* The component of a vector that is perpendicular to another one. */
static inline mo_dvec3 mo_perpendicular_component(mo_dvec3 v, mo_dvec3 from) {
  return mo_dsub(v, mo_dscale(mo_ddot(v, from) / mo_ddot(from, from), from));
}

/* The image of a vector under a matrix, given by its columns or by its rows. */
static inline mo_dvec3 mo_map_columns(const mo_dvec3 column[3], mo_dvec3 v) {
  return mo_dadd(mo_dadd(mo_dscale(v.x, column[0]), mo_dscale(v.y, column[1])),
                 mo_dscale(v.z, column[2]));
}

static inline mo_dvec3 mo_map_rows(const mo_dvec3 row[3], mo_dvec3 v) {
  return mo_dvec(mo_ddot(row[0], v), mo_ddot(row[1], v), mo_ddot(row[2], v));
}

/* The normal of the plane through three points, of any length, by the right-hand rule. */
static inline mo_dvec3 mo_corners_cross(const mo_dvec3 c[3]) {
  return mo_dcross(mo_dsub(c[1], c[0]), mo_dsub(c[2], c[0]));
}

/* The index of the largest of three numbers, the first of equal ones. */
static inline int mo_largest_of_three(double a, double b, double c) {
  return a >= b && a >= c ? 0 : b >= c ? 1 : 2;
}

/* Normalises a vector; zero stays zero. */
static inline mo_dvec3 mo_dunit(mo_dvec3 v) {
  double length = mo_dlength(v);
  return length > 0.0 ? mo_dscale(1.0 / length, v) : mo_dvec(0.0, 0.0, 0.0);
}

/* The coordinate axis that is most nearly perpendicular to a vector. */
static inline mo_dvec3 mo_most_perpendicular_axis(mo_dvec3 v) {
  const int axis = mo_largest_of_three(-fabs(v.x), -fabs(v.y), -fabs(v.z));
  return mo_dvec(axis == 0, axis == 1, axis == 2);
}

/* Whether the length of a vector is 1, but for rounding to float. For assertions. */
static inline bool mo_is_unit(mo_dvec3 v) {
  return fabs(mo_ddot(v, v) - 1.0) <= 0x1p-20;
}

#endif
