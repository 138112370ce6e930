/* Pairs of a half-space and another body: the body's lowest point above the plane. */
#include "geometry/difference/difference.h"

/* Heights up to this, relative to the terms that are summed to a height, count as 0. */
static const double contact_tolerance = 0x1p-46;

static mo_half_space_pair measure_height_of_triangle(const mo_half_space_body *h,
                                                     const mo_dvec3 corners[3]) {
  mo_half_space_pair s = {.height = INFINITY};
  double scale = fabs(h->offset) + mo_sum_of_magnitudes(h->origin);
  for (int i = 0; i < 3; ++i) {
    double height = mo_half_space_height(h, corners[i]);
    scale = fmax(scale, mo_sum_of_magnitudes(corners[i]));
    if (height < s.height) {
      s.height = height;
      s.point = mo_dadd(corners[i], mo_dvec(0.0, 0.0, 0.0)); /* adding 0 removes -0 */
    }
  }
  s.error_bound = 0x1p-50 * scale;
  mo_dvec3 e = mo_dsub(corners[1], corners[0]), f = mo_dsub(corners[2], corners[0]);
  s.error_bound +=
      contact_tolerance * (mo_sum_of_magnitudes(e) + mo_sum_of_magnitudes(f) +
                           mo_sum_of_magnitudes(mo_dsub(s.point, h->origin)) + fabs(h->offset));
  return s;
}

static mo_half_space_pair measure_height_of_solid(const mo_half_space_body *h,
                                                  const mo_body *body) {
  const mo_body here = mo_body_of_point(h->origin);
  mo_difference d = mo_difference_of(body, &here);
  mo_dvec3 out = mo_minkowski_support(&d.a, mo_dscale(-1.0, h->normal));
  mo_half_space_pair s = {.height = mo_ddot(h->normal, mo_dadd(d.offset, out)) + h->offset,
                          .point = mo_dadd(d.centers[0], out)};
  s.error_bound = contact_tolerance *
                  (mo_sum_of_magnitudes(d.offset) + mo_sum_of_magnitudes(out) + fabs(h->offset));
  return s;
}

static double clamped_coordinate(double x) {
  return fmax(-(double)MO_MAX_COORDINATE, fmin(x, (double)MO_MAX_COORDINATE));
}

/* The height of a second half-space above the first. Two half-spaces always have points in common,
 * far out, unless their normals are opposite.
 */
static mo_half_space_pair measure_height_of_half_space(const mo_half_space_body *h,
                                                       const mo_half_space_body *other) {
  mo_dvec3 sum = mo_dadd(h->normal, other->normal), between = mo_dsub(other->origin, h->origin);
  mo_dvec3 middle = mo_dadd(h->origin, mo_dscale(0.5, between));
  double square = mo_ddot(sum, sum);
  if (square > MO_OPPOSITE_NORMALS_TOLERANCE * MO_OPPOSITE_NORMALS_TOLERANCE) {
    double above = fmax(mo_half_space_height(h, middle), mo_half_space_height(other, middle));
    mo_dvec3 p = mo_dsub(middle, mo_dscale(2.0 * fmax(above, 0.0) / square, sum));
    return (mo_half_space_pair){
        .height = -INFINITY,
        .point = {clamped_coordinate(p.x), clamped_coordinate(p.y), clamped_coordinate(p.z)}};
  }
  mo_dvec3 n = mo_dscale(
      0.5, mo_dsub(h->normal, other->normal)); /* gives the same height if the two are exchanged */
  mo_half_space_pair s = {.height = mo_ddot(n, between) + (h->offset + other->offset)};
  s.point = mo_dadd(middle, mo_dscale(-mo_half_space_height(other, middle), other->normal));
  s.error_bound =
      contact_tolerance * (mo_sum_of_magnitudes(between) + fabs(h->offset) + fabs(other->offset));
  return s;
}

static mo_half_space_pair measure_height_of_body(const mo_half_space_body *h, const mo_body *body) {
  switch (body->kind) {
    MO_CASES_OF_CONVEX_KINDS
    return measure_height_of_solid(h, body);
  case MO_BODY_TRIANGLE:
    return measure_height_of_triangle(h, body->corners);
  case MO_BODY_HALF_SPACE:
    return measure_height_of_half_space(h, &body->half_space);
  }
  __builtin_unreachable();
}

mo_half_space_pair mo_half_space_pair_of(const mo_body *a, const mo_body *b) {
  const bool first = a->kind == MO_BODY_HALF_SPACE;
  const mo_half_space_body *h = first ? &a->half_space : &b->half_space;
  mo_half_space_pair s = measure_height_of_body(h, first ? b : a);
  s.half_space = h;
  s.half_space_is_first = first;
  return s;
}
