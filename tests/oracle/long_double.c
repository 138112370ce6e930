/* Hits in long double; see long_double.h. */
#include "oracle/long_double.h"

#include <float.h>
#include <math.h>

typedef sanity_point wide;

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
  double min = fmin(fmin(*u, *v), 1 - *u - *v);
  return min > (double)slack ? SANITY_HIT : min < -(double)slack ? SANITY_MISS : SANITY_NEAR;
}

static wide minus(wide a, wide b) {
  return (wide){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* a + s * b */
static wide along(wide a, long double s, wide b) {
  return (wide){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* The distance of 0 from a segment. */
static long double distance_of_segment(wide a, wide b) {
  wide side = minus(b, a);
  long double square = dot(side, side), s = square > 0 ? -dot(a, side) / square : 0;
  return length(along(a, fminl(fmaxl(s, 0), 1), side));
}

sanity_view sanity_ray_view(mo_vec3 origin, mo_vec3 direction, const sanity_point corners[3]) {
  wide o = {origin.x, origin.y, origin.z}, d = {direction.x, direction.y, direction.z};
  wide across[3]; /* the corners as seen along the ray, which is at 0 */
  long double reach = 0, near_t = INFINITY;
  for (int i = 0; i < 3; i++) {
    wide c = minus(corners[i], o);
    long double t = dot(c, d) / dot(d, d);
    reach = fmaxl(fmaxl(reach, fabsl(c.x)), fmaxl(fabsl(c.y), fabsl(c.z)));
    near_t = fminl(near_t, t);
    across[i] = along(c, -t, d);
  }
  long double distance = INFINITY;
  int turns = 0; /* the sides that pass the ray on its left, less those on its right */
  for (int i = 0; i < 3; i++) {
    wide a = across[i], b = across[(i + 1) % 3];
    long double turn = dot(cross(a, b), d);
    distance = fminl(distance, distance_of_segment(a, b));
    turns += (turn > 0) - (turn < 0);
  }
  bool inside = turns == 3 || turns == -3;
  return (sanity_view){(double)(inside ? distance : -distance), (double)reach, (double)near_t};
}

double sanity_ray_gap(mo_vec3 origin, mo_vec3 direction, const sanity_point corners[3], float t,
                      float u, float v) {
  wide o = {origin.x, origin.y, origin.z}, d = {direction.x, direction.y, direction.z};
  wide on = along(corners[0], u, minus(corners[1], corners[0]));
  on = along(on, v, minus(corners[2], corners[0]));
  return (double)length(minus(along(o, t, d), on));
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
