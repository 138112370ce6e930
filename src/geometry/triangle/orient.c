/* The exact orientation of four points: first in double precision with an error bound, then, if
 * that does not decide, by expansions. */
#include "geometry/triangle/orient.h"

/* Whether `difference`, which is b - a rounded to double, is exact on each axis. */
static bool is_exact(mo_vec3 b, mo_vec3 a, mo_dvec3 difference) {
  /* The error of each rounded difference is computed exactly (Knuth's two-sum). */
  const double from[] = {a.x, a.y, a.z}, to[] = {b.x, b.y, b.z};
  const double d[] = {difference.x, difference.y, difference.z};
  for (int i = 0; i < 3; i++) {
    double part = to[i] - d[i];
    double error = (to[i] - (d[i] + part)) + (part - from[i]);
    if (error != 0.0) {
      return false;
    }
  }
  return true;
}

void mo_expansion_add_determinant(mo_expansion *e, mo_dvec3 p, mo_dvec3 q, mo_dvec3 r) {
  mo_expansion_add_triple(e, p.x, q.y, r.z);
  mo_expansion_add_triple(e, -p.x, q.z, r.y);
  mo_expansion_add_triple(e, p.y, q.z, r.x);
  mo_expansion_add_triple(e, -p.y, q.x, r.z);
  mo_expansion_add_triple(e, p.z, q.x, r.y);
  mo_expansion_add_triple(e, -p.z, q.y, r.x);
}

_Static_assert(MO_EXPANSION_MAX_PARTS == 4 * 12, "four determinants of floats");

double mo_orientation(const mo_vec3 corners[4], double relative) {
  mo_vec3 a = corners[0], b = corners[1], c = corners[2], d = corners[3];
  mo_dvec3 u = mo_coordinate_differences(b, a), v = mo_coordinate_differences(c, a),
           w = mo_coordinate_differences(d, a);
  mo_dvec3 magnitude = mo_cross_term_magnitudes(u, v);
  double max = magnitude.x * fabs(w.x) + magnitude.y * fabs(w.y) + magnitude.z * fabs(w.z);
  double value = mo_ddot(mo_dcross(u, v), w);
  if (fabs(value) * relative > MO_ORIENTATION_ERROR * max || max == 0.0) {
    return value;
  }
  mo_expansion e = {.count = 0};
  if (is_exact(b, a, u) && is_exact(c, a, v) && is_exact(d, a, w)) {
    mo_expansion_add_determinant(&e, u, v, w);
  } else {
    mo_dvec3 wide[4] = {mo_widen(a), mo_widen(b), mo_widen(c), mo_widen(d)};
    mo_dvec3 negated = mo_dscale(-1.0, wide[0]);
    mo_expansion_add_determinant(&e, wide[1], wide[2], wide[3]); /* at most 48 terms in all */
    mo_expansion_add_determinant(&e, negated, wide[2], wide[3]);
    mo_expansion_add_determinant(&e, wide[0], wide[1], wide[3]);
    mo_expansion_add_determinant(&e, negated, wide[1], wide[2]);
  }
  return e.count == 0 ? 0.0 : mo_expansion_value(&e);
}

double mo_doubled_area_2d(const double x[3], const double y[3]) {
  mo_expansion e = {.count = 0};
  for (int i = 0; i < 3; i++) {
    int next = (i + 1) % 3;
    mo_expansion_add(&e, x[i] * y[next]);
    mo_expansion_add(&e, -(y[i] * x[next]));
  }
  return mo_expansion_value(&e);
}

mo_dvec3 mo_orientation_normal(mo_vec3 a, mo_vec3 b, mo_vec3 c) {
  mo_dvec3 u = mo_coordinate_differences(b, a), v = mo_coordinate_differences(c, a);
  mo_dvec3 n = mo_dcross(u, v), magnitude = mo_cross_term_magnitudes(u, v);
  if (magnitude.x + magnitude.y + magnitude.z <= 16.0 * mo_dmax_magnitude(n)) {
    return n;
  }
  const double x[] = {a.x, b.x, c.x}, y[] = {a.y, b.y, c.y}, z[] = {a.z, b.z, c.z};
  return mo_dvec(mo_doubled_area_2d(y, z), mo_doubled_area_2d(z, x), mo_doubled_area_2d(x, y));
}
