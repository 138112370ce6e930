/* Every float is a whole multiple of 2^-149, and a product of three of 2^-447. So sums of products
 * are added up as whole numbers of that unit, digit by digit. */
#include "oracle/exact.h"

#include <math.h>
#include <stdint.h>

enum {
  DIGITS = 32
}; /* of 32 bits each, carries left for later: 2^277 to the third, and some sums */

typedef struct number {
  int64_t digit[DIGITS];
} number;

/* |f| = factor times 2^shift times 2^-149, factor < 2^24. */
static uint32_t split(float f, uint32_t *shift) {
  int exponent;
  float fraction = frexpf(fabsf(f), &exponent);
  int places = exponent + 149 - 24;
  *shift = places > 0 ? (uint32_t)places : 0;
  return (uint32_t)ldexpf(fraction, places > 0 ? 24 : 24 + places);
}

/* Adds a * b * c, or takes it away. */
static void add_product(number *n, float a, float b, float c, bool minus) {
  uint32_t a_shift, b_shift, c_shift;
  uint64_t product = (uint64_t)split(a, &a_shift) * split(b, &b_shift);
  uint64_t factor = split(c, &c_shift);
  bool negative = (signbit(a) != 0) != (signbit(b) != 0);
  negative = negative != (signbit(c) != 0);
  int64_t sign = negative == minus ? 1 : -1;
  for (uint32_t half = 0; half < 2; half++) {
    uint64_t part = factor * (half == 0 ? product & 0xffffff : product >> 24);
    uint32_t at = a_shift + b_shift + c_shift + 24 * half;
    for (uint32_t quarter = 0; quarter < 2; quarter++, at += 24) {
      uint64_t bits = (quarter == 0 ? part & 0xffffff : part >> 24) << at % 32;
      n->digit[at / 32] += sign * (int64_t)(bits & 0xffffffff);
      n->digit[at / 32 + 1] += sign * (int64_t)(bits >> 32);
    }
  }
}

static int sign_of(const number *n) {
  const int64_t base = (int64_t)1 << 32;
  int64_t carry = 0;
  bool nonzero = false;
  for (int i = 0; i < DIGITS; i++) {
    carry += n->digit[i];
    int64_t digit = (carry % base + base) % base;
    nonzero |= digit != 0;
    carry = (carry - digit) / base;
  }
  return carry < 0 ? -1 : carry > 0 || nonzero;
}

static bool has_no_area(const float x[3], const float y[3]) {
  number n = {{0}};
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    add_product(&n, x[i], y[j], 1, false);
    add_product(&n, x[j], y[i], 1, true);
  }
  return sign_of(&n) == 0;
}

bool exact_is_degenerate(const mo_vec3 c[3]) {
  const float axis[3][3] = {
      {c[0].x, c[1].x, c[2].x}, {c[0].y, c[1].y, c[2].y}, {c[0].z, c[1].z, c[2].z}};
  for (int i = 0; i < 9; i++) {
    if (!isfinite(axis[i / 3][i % 3])) {
      return false;
    }
  }
  return has_no_area(axis[0], axis[1]) && has_no_area(axis[1], axis[2]) &&
         has_no_area(axis[2], axis[0]);
}

/* p . (q x r) */
static void add_determinant(number *n, mo_vec3 p, mo_vec3 q, mo_vec3 r, bool minus) {
  add_product(n, p.x, q.y, r.z, minus);
  add_product(n, p.x, q.z, r.y, !minus);
  add_product(n, p.y, q.z, r.x, minus);
  add_product(n, p.y, q.x, r.z, !minus);
  add_product(n, p.z, q.x, r.y, minus);
  add_product(n, p.z, q.y, r.x, !minus);
}

static number volume_of(const mo_vec3 p[4]) {
  number n = {{0}};
  for (int left_out = 0; left_out < 4; left_out++) {
    add_determinant(&n, p[left_out == 0 ? 1 : 0], p[left_out <= 1 ? 2 : 1],
                    p[left_out <= 2 ? 3 : 2], left_out % 2 == 1);
  }
  return n;
}

int exact_orientation(const mo_vec3 p[4]) {
  number n = volume_of(p);
  return sign_of(&n);
}

/* The magnitude of a number in units of 2^-447, with all its carries done first: the digits that
 * are left have no signs of their own, so none cancel. */
static long double magnitude_of(number n) {
  int64_t carry = 0;
  long double sum = 0;
  for (int i = 0; i < DIGITS; i++) {
    carry += n.digit[i];
    int64_t digit = carry & 0xffffffff;
    carry = (carry - digit) / ((int64_t)1 << 32);
    sum += ldexpl((long double)digit, 32 * i);
  }
  return sum;
}

long double exact_volume(const mo_vec3 p[4]) {
  number n = volume_of(p);
  int sign = sign_of(&n);
  for (int i = 0; i < DIGITS; i++) {
    n.digit[i] *= sign;
  }
  return (long double)sign * ldexpl(magnitude_of(n), -447);
}

int exact_comparison(mo_vec3 direction, mo_vec3 a, mo_vec3 b) {
  number n = {{0}};
  add_product(&n, direction.x, a.x, 1, false);
  add_product(&n, direction.y, a.y, 1, false);
  add_product(&n, direction.z, a.z, 1, false);
  add_product(&n, direction.x, b.x, 1, true);
  add_product(&n, direction.y, b.y, 1, true);
  add_product(&n, direction.z, b.z, 1, true);
  return sign_of(&n);
}
