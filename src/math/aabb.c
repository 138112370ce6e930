/* Directed rounding of doubles to floats, and measures of boxes. */
#include "math/aabb.h"

#include <float.h>
#include <string.h>

#include "math/four.h"

/* The next larger float of a finite one: bit patterns of floats of the same sign are ordered. */
static float next_up(float x) {
  uint32_t bits;
  if (x == 0) {
    bits = 1; /* the smallest subnormal */
  } else {
    memcpy(&bits, &x, sizeof bits);
    bits = x > 0 ? bits + 1 : bits - 1;
  }
  memcpy(&x, &bits, sizeof x);
  return x;
}

float mo_round_up(double x) {
  float nearest = (float)x;
  if ((double)nearest >= x || x != x) {
    return nearest;
  }
  /* For values below -FLT_MAX, rounding to nearest may give -inf. */
  return isinf(nearest) ? -FLT_MAX : next_up(nearest);
}

float mo_round_down(double x) {
  return -mo_round_up(-x);
}

mo_aabb mo_aabb_around(mo_dvec3 lower, mo_dvec3 upper) {
  return (mo_aabb){mo_f4_to_vec3(-mo_d4_round_up(-mo_d4_of_vector(lower))),
                   mo_f4_to_vec3(mo_d4_round_up(mo_d4_of_vector(upper)))};
}

static float clamp_coordinate(float x) {
  return mo_max(-MO_MAX_COORDINATE, mo_min(x, MO_MAX_COORDINATE));
}

mo_aabb mo_aabb_clamped(mo_aabb a) {
  return (mo_aabb){
      {clamp_coordinate(a.lower.x), clamp_coordinate(a.lower.y), clamp_coordinate(a.lower.z)},
      {clamp_coordinate(a.upper.x), clamp_coordinate(a.upper.y), clamp_coordinate(a.upper.z)}};
}

double mo_aabb_half_area(mo_aabb a) {
  if (mo_aabb_is_empty(a)) {
    return 0;
  }
  mo_dvec3 size = mo_dsub(mo_widen(a.upper), mo_widen(a.lower));
  return size.x * size.y + size.y * size.z + size.z * size.x;
}
