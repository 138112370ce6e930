/* Finds exactly whether, and in which direction, a ray crosses a triangle: first in double
 * precision with error bounds, then by expansions (Shewchuk 1997). */
#include "geometry/triangle/winding.h"

#include <float.h>

#include "geometry/triangle/orient.h"

/* The exact sign of a.y * b.z - a.z * b.y. */
static int cross_sign(mo_dvec3 a, mo_dvec3 b) {
  double p = a.y * b.z, q = a.z * b.y, value = p - q;
  if (fabs(value) > 4.0 * DBL_EPSILON * (fabs(p) + fabs(q))) {
    return value > 0.0 ? 1 : -1;
  }
  mo_expansion e = {.count = 0};
  mo_expansion_add_product(&e, a.y, b.z);
  mo_expansion_add_product(&e, -a.z, b.y);
  double sign = mo_expansion_sign(&e);
  return (sign > 0.0) - (sign < 0.0);
}

static int triple_product_sign(mo_dvec3 a, mo_dvec3 b, mo_dvec3 c) {
  double value = mo_ddot(a, mo_dcross(b, c));
  double magnitude = mo_ddot(mo_dabs(a), mo_cross_term_magnitudes(b, c));
  if (fabs(value) > 16.0 * DBL_EPSILON * magnitude) {
    return value > 0.0 ? 1 : -1;
  }
  mo_expansion e = {.count = 0};
  mo_expansion_add_determinant(&e, a, b, c);
  double sign = mo_expansion_sign(&e);
  return (sign > 0.0) - (sign < 0.0);
}

/* How often the triangle's outline, projected along x, goes around the origin (1, 0 or -1). An edge
 * that crosses from z <= 0 to z > 0, or back, counts if it does so at y > 0. An edge contributes
 * opposite amounts to its two triangles. */
static int projected_winding(const mo_dvec3 corners[3]) {
  int winding = 0;
  for (int i = 0; i < 3; ++i) {
    mo_dvec3 a = corners[i], b = corners[(i + 1) % 3];
    if ((a.z > 0.0) != (b.z > 0.0)) {
      int sign = cross_sign(a, b);
      winding += b.z > 0.0 ? sign > 0 : -(sign < 0);
    }
  }
  return winding;
}

int mo_triangle_winding(const mo_dvec3 corners[3]) {
  double x = fmax(corners[0].x, fmax(corners[1].x, corners[2].x));
  int winding = x > 0.0 ? projected_winding(corners) : 0;
  return winding != 0 && triple_product_sign(corners[0], corners[1], corners[2]) == winding
             ? winding
             : 0;
}
