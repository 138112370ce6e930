/* Four floats at a time: the three axes of a vector and one to spare. Written with the vector types
 * that gcc and clang have on every target; each operation rounds as the scalar one does. */
#ifndef MO_MATH_FOUR_H
#define MO_MATH_FOUR_H

#include <stdint.h>
#include <string.h>

#include "math/vector.h"

typedef float mo_f4 __attribute__((vector_size(16)));
typedef int32_t mo_i4 __attribute__((vector_size(16)));

static inline mo_f4 mo_f4_all(float a) {
  return (mo_f4){a, a, a, a};
}

static inline mo_f4 mo_f4_from(const mo_vec3 *v, float last) {
  return (mo_f4){v->x, v->y, v->z, last};
}

static inline mo_f4 mo_f4_abs(mo_f4 a) {
  return (mo_f4)((mo_i4)a & (mo_i4){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
}

/* The magnitude of one with the signs of the other. */
static inline mo_f4 mo_f4_with_signs(mo_f4 magnitude, mo_f4 signs) {
  mo_i4 sign_bits = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
  return (mo_f4)(((mo_i4)magnitude & ~sign_bits) | ((mo_i4)signs & sign_bits));
}

static inline mo_f4 mo_f4_max(mo_f4 a, mo_f4 b) {
  mo_i4 greater = a > b;
  return (mo_f4)(((mo_i4)a & greater) | ((mo_i4)b & ~greater));
}

/* Bit i: lane i is negative (or -0), for the three axes. */
static inline uint32_t mo_f4_signs(mo_f4 a) {
  mo_i4 bits = (mo_i4)a;
  return (uint32_t)bits[0] >> 31 | (uint32_t)bits[1] >> 31 << 1 | (uint32_t)bits[2] >> 31 << 2;
}

#endif
