/* Hits in long double; see long_double.h. */
#include "oracle/long_double.h"

#include <float.h>
#include <math.h>

typedef struct wide {
  long double x, y, z;
} wide;

static wide difference(mo_vec3 a, mo_vec3 b) {
  return (wide){(long double)a.x - b.x, (long double)a.y - b.y, (long double)a.z - b.z};
}

static wide cross(wide a, wide b) {
  return (wide){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double dot(wide a, wide b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static long double length(wide a) {
  return sqrtl(dot(a, a));
}

sanity_verdict sanity_ray_triangle(mo_vec3 origin, mo_vec3 direction, const mo_vec3 corners[3],
                                   double *t, double *t_error, double *u, double *v,
                                   double *weight_error) {
  wide d = {direction.x, direction.y, direction.z};
  wide a = difference(corners[1], corners[0]), b = difference(corners[2], corners[0]);
  wide s = difference(origin, corners[0]);
  wide p = cross(d, b), q = cross(s, a);
  long double determinant = dot(a, p);
  /* The library shears corners, rounded to float, across the ray: each is displaced by some units
   * in the last place of the coordinates involved. The weights move by that over the width of the
   * triangle as the ray sees it. */
  long double far = length(s) + length(a) + length(b);
  long double reach = fmaxl(fabsl((long double)origin.x), fabsl((long double)origin.y));
  reach = fmaxl(reach, fabsl((long double)origin.z));
  long double displacement = 8 * (long double)FLT_EPSILON * (far + reach);
  long double longest = fmaxl(length(a), length(b));
  long double seen = fabsl(determinant) / length(d); /* twice the area across the ray */
  if (seen <= 16 * displacement * longest || seen <= 0) {
    return SANITY_NEAR;
  }
  long double slack = 8 * displacement * longest / seen;
  *u = (double)(dot(s, p) / determinant);
  *v = (double)(dot(d, q) / determinant);
  *t = (double)(dot(b, q) / determinant);
  *weight_error = (double)slack;
  /* Along the ray, displaced weights slide over the triangle, and the sum rounds. */
  *t_error = (double)((2 * slack * (length(a) + length(b)) + displacement) / length(d));
  double least = fmin(fmin(*u, *v), 1 - *u - *v);
  return least > (double)slack ? SANITY_HIT : least < -(double)slack ? SANITY_MISS : SANITY_NEAR;
}

double sanity_winding(const mo_mesh *mesh, mo_vec3 point) {
  long double sum = 0;
  for (uint32_t i = 0; i < mo_mesh_triangle_count(mesh); i++) {
    mo_vec3 corners[3];
    if (mo_mesh_get_triangle(mesh, i, corners, NULL) != MO_OK) {
      return NAN;
    }
    wide a = difference(corners[0], point), b = difference(corners[1], point);
    wide c = difference(corners[2], point);
    long double la = length(a), lb = length(b), lc = length(c);
    long double below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    sum += 2 * atan2l(dot(a, cross(b, c)), below);
  }
  return (double)(sum / (4 * 3.14159265358979323846L));
}
