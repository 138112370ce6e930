/* Integrals over the profiles of solids of revolution. */
#include "geometry/solid/revolution.h"

#include "math/angle.h"

void mo_profile_add_line(mo_profile *profile, double from, double p, double to, double q) {
  double length = to - from, pp = p * p, pq = p * q, qq = q * q;
  /* With p(t) = p (1 - t) + q t: integrals of p^2, p^2 t and p^2 t^2 for t from 0 to 1. */
  double area = (pp + pq + qq) / 3.0;
  double first = (pp + 2.0 * pq + 3.0 * qq) / 12.0;
  double second = (pp + 3.0 * pq + 6.0 * qq) / 30.0;
  profile->zeroth += length * area;
  profile->first += length * (from * area + length * first);
  profile->second +=
      length * (from * from * area + 2.0 * from * length * first + length * length * second);
  profile->fourth += length * (pp * pp + pp * pq + pp * qq + pq * qq + qq * qq) / 5.0;
}

void mo_profile_add_arc(mo_profile *profile, double z, double out, double r, mo_heading from,
                        mo_heading to) {
  double angle = mo_angle_of_point(to.sine * from.cosine - to.cosine * from.sine,
                                   to.cosine * from.cosine + to.sine * from.sine);
  /* plain[k] and odd[k]: integrals of cos^k and of cos^k sin over the arc's angle. */
  double plain[6] = {angle, to.sine - from.sine}, odd[4];
  double start = from.cosine, end = to.cosine;
  for (int k = 2; k < 6; k++) {
    plain[k] = (end * to.sine - start * from.sine + (k - 1) * plain[k - 2]) / k;
    odd[k - 2] = (start - end) / (k - 1);
    start *= from.cosine;
    end *= to.cosine;
  }
  const double *c = plain, oo = out * out, po = 2.0 * out * r, rr = r * r;
  /* p^2 = oo + po cos + rr cos^2, and dz = r cos d(angle). */
  double area = r * (oo * c[1] + po * c[2] + rr * c[3]);
  double lever = rr * (oo * odd[1] + po * odd[2] + rr * odd[3]);
  double spread = rr * r * (oo * (c[1] - c[3]) + po * (c[2] - c[4]) + rr * (c[3] - c[5]));
  profile->zeroth += area;
  profile->first += z * area + lever;
  profile->second += z * z * area + 2.0 * z * lever + spread;
  profile->fourth += r * (oo * oo * c[1] + 2.0 * oo * po * c[2] + 6.0 * oo * rr * c[3] +
                          2.0 * po * rr * c[4] + rr * rr * c[5]);
}

mo_moments mo_profile_moments(const mo_profile *profile, const mo_solid *s) {
  mo_dvec3 middle = mo_dscale(0.5, mo_dadd(s->a, s->b)), axis = mo_dunit(mo_dsub(s->b, s->a));
  if (profile->zeroth == 0.0) {
    return (mo_moments){.centroid = middle};
  }
  double height = profile->first / profile->zeroth;
  double along = profile->second - profile->first * height;
  return mo_moments_about_axis(MO_PI * profile->zeroth, mo_dadd(middle, mo_dscale(height, axis)),
                               axis, MO_PI * along, 0.25 * MO_PI * profile->fourth);
}

mo_moments mo_rounded_cylinder_moments(const mo_solid *s, double radius, double rounding) {
  double half = mo_dlength(mo_half_axis(s));
  const mo_heading down = {0.0, -1.0}, outward = {1.0, 0.0}, up = {0.0, 1.0};
  mo_profile profile = {.zeroth = 0.0};
  mo_profile_add_arc(&profile, -half, radius, rounding, down, outward);
  mo_profile_add_line(&profile, -half, radius + rounding, half, radius + rounding);
  mo_profile_add_arc(&profile, half, radius, rounding, outward, up);
  return mo_profile_moments(&profile, s);
}
