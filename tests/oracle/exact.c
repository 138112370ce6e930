/* Every float is a whole multiple of 2^-149, and a product of two of 2^-298. So sums of products
 * are added up as whole numbers of that unit, digit by digit. */
#include "oracle/exact.h"

#include <math.h>
#include <stdint.h>

enum {
  DIGITS = 22
}; /* of 32 bits each, carries left for later: 2^276 times 2^276, and some sums */

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

/* Adds a * b, or takes it away. */
static void add_product(number *n, float a, float b, bool minus) {
  uint32_t a_shift, b_shift;
  uint64_t product = (uint64_t)split(a, &a_shift) * split(b, &b_shift);
  int64_t sign = (signbit(a) != 0) == (signbit(b) != 0) ? 1 : -1;
  sign = minus ? -sign : sign;
  for (uint32_t half = 0; half < 2; half++) {
    uint64_t part = half == 0 ? product & 0xffffff : product >> 24;
    uint32_t at = a_shift + b_shift + 24 * half;
    part <<= at % 32;
    n->digit[at / 32] += sign * (int64_t)(part & 0xffffffff);
    n->digit[at / 32 + 1] += sign * (int64_t)(part >> 32);
  }
}

static bool is_zero(const number *n) {
  int64_t carry = 0;
  for (int i = 0; i < DIGITS; i++) {
    carry += n->digit[i];
    if (carry % ((int64_t)1 << 32) != 0) {
      return false;
    }
    carry /= (int64_t)1 << 32;
  }
  return carry == 0;
}

static bool has_no_area(const float x[3], const float y[3]) {
  number n = {{0}};
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    add_product(&n, x[i], y[j], false);
    add_product(&n, x[j], y[i], true);
  }
  return is_zero(&n);
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
