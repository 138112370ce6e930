/* Vectors of four floats or doubles: the three axes of a vector and one spare lane, or four
 * independent values. Written with the portable vector types of gcc and clang; each operation
 * rounds like the scalar one. */
#ifndef MO_MATH_FOUR_H
#define MO_MATH_FOUR_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "math/vector.h"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

#ifdef __AVX__
#include <immintrin.h>
#endif

typedef float mo_f4 __attribute__((vector_size(16)));
typedef int32_t mo_i4 __attribute__((vector_size(16)));
typedef uint32_t mo_u4 __attribute__((vector_size(16))); /* for arithmetic that wraps around */
typedef double mo_d4 __attribute__((vector_size(32)));
typedef int64_t mo_l4 __attribute__((vector_size(32)));
typedef uint64_t mo_w4 __attribute__((vector_size(32))); /* for arithmetic that wraps around */

static inline mo_f4 mo_f4_splat(float a) {
  return (mo_f4){a, a, a, a};
}

/* Loads float by float: a 16-byte load of floats that the caller has just stored one by one would
 * cause a store-to-load forwarding stall. */
static inline mo_f4 mo_f4_from(const mo_vec3 *v, float last) {
  return (mo_f4){v->x, v->y, v->z, last};
}

/* Loads four floats from memory of any alignment. They should not have been stored one by one just
 * before (store-to-load forwarding stall). */
static inline mo_f4 mo_f4_load(const float *from) {
  mo_f4 a;
  memcpy(&a, from, sizeof a);
  return a;
}

static inline mo_vec3 mo_f4_to_vec3(mo_f4 a) {
  return mo_vec(a[0], a[1], a[2]);
}

static inline mo_f4 mo_f4_abs(mo_f4 a) {
  return (mo_f4)((mo_i4)a & (mo_i4){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
}

#if defined(__SSE2__) && !defined(__AVX__)
/* On targets without registers for four doubles, compilers split them into scalars in memory for
 * everything but arithmetic. Operations written in halves stay in two registers. */
#define MO_D4_BY_HALVES

typedef struct mo_d4_halves {
  __m128d low, high;
} mo_d4_halves;

static inline mo_d4_halves mo_d4_split(mo_d4 a) {
  mo_d4_halves halves;
  memcpy(&halves, &a, sizeof halves);
  return halves;
}

static inline mo_d4 mo_d4_join(__m128d low, __m128d high) {
  const mo_d4_halves halves = {low, high};
  mo_d4 a;
  memcpy(&a, &halves, sizeof a);
  return a;
}
#endif

static inline mo_d4 mo_d4_of(double a, double b, double c, double d) {
#ifdef MO_D4_BY_HALVES
  return mo_d4_join(_mm_set_pd(b, a), _mm_set_pd(d, c));
#else
  return (mo_d4){a, b, c, d};
#endif
}

/* A vector in the first three lanes, and 0. */
static inline mo_d4 mo_d4_of_vector(mo_dvec3 v) {
  return mo_d4_of(v.x, v.y, v.z, 0.0);
}

static inline mo_dvec3 mo_d4_to_vector(mo_d4 a) {
  return mo_dvec(a[0], a[1], a[2]);
}

/* Replaces each lane by its square root. */
static inline void mo_d4_sqrt(mo_d4 *a) {
#if defined(__AVX__)
  *a = (mo_d4)_mm256_sqrt_pd((__m256d)*a);
#elif defined(MO_D4_BY_HALVES)
  mo_d4_halves halves = mo_d4_split(*a);
  *a = mo_d4_join(_mm_sqrt_pd(halves.low), _mm_sqrt_pd(halves.high));
#else
  *a = (mo_d4){sqrt((*a)[0]), sqrt((*a)[1]), sqrt((*a)[2]), sqrt((*a)[3])};
#endif
}

/* The coordinates of four points or directions. */
typedef struct mo_d4vec {
  mo_d4 x, y, z;
} mo_d4vec;

static inline mo_d4 mo_d4_splat(double a) {
  return (mo_d4){a, a, a, a};
}

/* Conversions from float to double, which are exact, and back, rounded to nearest. (Compilers would
 * convert four numbers in halves, although one instruction suffices.) */
static inline mo_d4 mo_f4_widen(mo_f4 a) {
#ifdef __AVX__
  return (mo_d4)_mm256_cvtps_pd((__m128)a);
#else
  return __builtin_convertvector(a, mo_d4);
#endif
}

static inline mo_f4 mo_d4_narrow(mo_d4 a) {
#ifdef __AVX__
  return (mo_f4)_mm256_cvtpd_ps((__m256d)a);
#else
  return __builtin_convertvector(a, mo_f4);
#endif
}

/* Whether a < b: all ones or 0 in each lane. */
static inline mo_i4 mo_d4_less(mo_d4 a, mo_d4 b) {
#ifdef MO_D4_BY_HALVES
  const mo_d4_halves x = mo_d4_split(a), y = mo_d4_split(b);
  return (mo_i4)_mm_shuffle_ps(_mm_castpd_ps(_mm_cmplt_pd(x.low, y.low)),
                               _mm_castpd_ps(_mm_cmplt_pd(x.high, y.high)), 0x88);
#else
  return __builtin_convertvector(a < b, mo_i4);
#endif
}

static inline mo_d4 mo_d4_abs(mo_d4 a) {
  return (mo_d4)((mo_l4)a & (mo_l4){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX});
}

/* Copies the signs of `signs` to `magnitude`, lane by lane. */
static inline mo_d4 mo_d4_with_signs(mo_d4 magnitude, mo_d4 signs) {
  mo_l4 sign_bits = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
  return (mo_d4)(((mo_l4)magnitude & ~sign_bits) | ((mo_l4)signs & sign_bits));
}

/* Lanes of a where the mask is all ones, of b where it is zero. */
static inline mo_d4 mo_d4_select(mo_l4 mask, mo_d4 a, mo_d4 b) {
  return (mo_d4)(((mo_l4)a & mask) | ((mo_l4)b & ~mask));
}

/* Whether a comparison holds for some lane. */
static inline bool mo_d4_any(mo_l4 comparison) {
#ifdef __AVX__
  return _mm256_movemask_pd((__m256d)comparison) != 0;
#else
  return (comparison[0] | comparison[1] | comparison[2] | comparison[3]) != 0;
#endif
}

/* mo_d4_min: a < b ? a : b, lane by lane. mo_d4_max: a > b ? a : b. */
static inline mo_d4 mo_d4_min(mo_d4 a, mo_d4 b) {
#if defined(__AVX__)
  return (mo_d4)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(MO_D4_BY_HALVES)
  mo_d4_halves x = mo_d4_split(a), y = mo_d4_split(b);
  return mo_d4_join(_mm_min_pd(x.low, y.low), _mm_min_pd(x.high, y.high));
#else
  return mo_d4_select(a < b, a, b);
#endif
}

static inline mo_d4 mo_d4_max(mo_d4 a, mo_d4 b) {
#if defined(__AVX__)
  return (mo_d4)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(MO_D4_BY_HALVES)
  mo_d4_halves x = mo_d4_split(a), y = mo_d4_split(b);
  return mo_d4_join(_mm_max_pd(x.low, y.low), _mm_max_pd(x.high, y.high));
#else
  return mo_d4_select(a > b, a, b);
#endif
}

/* Rotates the axes to y, z, x (mo_d4_rotate_axes) or to z, x, y (mo_d4_rotate_axes_back); the
 * fourth lane stays. */
static inline mo_d4 mo_d4_rotate_axes(mo_d4 a) {
#if defined(MO_D4_BY_HALVES)
  mo_d4_halves h = mo_d4_split(a);
  return mo_d4_join(_mm_shuffle_pd(h.low, h.high, 1), _mm_shuffle_pd(h.low, h.high, 2));
#elif defined(__clang__)
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
#else
  return __builtin_shuffle(a, (mo_l4){1, 2, 0, 3});
#endif
}

static inline mo_d4 mo_d4_rotate_axes_back(mo_d4 a) {
#if defined(MO_D4_BY_HALVES)
  mo_d4_halves h = mo_d4_split(a);
  return mo_d4_join(_mm_shuffle_pd(h.high, h.low, 0), _mm_shuffle_pd(h.low, h.high, 3));
#elif defined(__clang__)
  return __builtin_shufflevector(a, a, 2, 0, 1, 3);
#else
  return __builtin_shuffle(a, (mo_l4){2, 0, 1, 3});
#endif
}

/* Bit i: whether lane i of a is less than lane i of b (mo_d4_less_bits), or at most that
 * (mo_d4_at_most_bits). */
static inline uint32_t mo_d4_less_bits(mo_d4 a, mo_d4 b) {
#if defined(__AVX__)
  return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ));
#elif defined(MO_D4_BY_HALVES)
  mo_d4_halves x = mo_d4_split(a), y = mo_d4_split(b);
  return (uint32_t)(_mm_movemask_pd(_mm_cmplt_pd(x.low, y.low)) |
                    _mm_movemask_pd(_mm_cmplt_pd(x.high, y.high)) << 2);
#else
  mo_l4 holds = a < b, ones = holds & (mo_l4){1, 2, 4, 8};
  return (uint32_t)(ones[0] | ones[1] | ones[2] | ones[3]);
#endif
}

static inline uint32_t mo_d4_at_most_bits(mo_d4 a, mo_d4 b) {
#if defined(__AVX__)
  return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LE_OQ));
#elif defined(MO_D4_BY_HALVES)
  mo_d4_halves x = mo_d4_split(a), y = mo_d4_split(b);
  return (uint32_t)(_mm_movemask_pd(_mm_cmple_pd(x.low, y.low)) |
                    _mm_movemask_pd(_mm_cmple_pd(x.high, y.high)) << 2);
#else
  mo_l4 holds = a <= b, ones = holds & (mo_l4){1, 2, 4, 8};
  return (uint32_t)(ones[0] | ones[1] | ones[2] | ones[3]);
#endif
}

static inline mo_d4vec mo_d4vec_splat(mo_dvec3 v) {
  return (mo_d4vec){mo_d4_splat(v.x), mo_d4_splat(v.y), mo_d4_splat(v.z)};
}

static inline mo_d4 mo_d4vec_dot(const mo_d4vec *a, const mo_d4vec *b) {
  return a->x * b->x + a->y * b->y + a->z * b->z;
}

/* The dot products of four vectors with one vector. */
static inline mo_d4 mo_d4vec_dot_one(const mo_d4vec *a, mo_dvec3 v) {
  return a->x * v.x + a->y * v.y + a->z * v.z;
}

static inline mo_d4vec mo_d4vec_cross(const mo_d4vec *a, const mo_d4vec *b) {
  return (mo_d4vec){a->y * b->z - a->z * b->y, a->z * b->x - a->x * b->z,
                    a->x * b->y - a->y * b->x};
}

static inline mo_d4 mo_d4_length(const mo_d4vec *v) {
  mo_d4 square = mo_d4vec_dot(v, v);
  mo_d4_sqrt(&square);
  return square;
}

static inline mo_f4 mo_f4_with_signs(mo_f4 magnitude, mo_f4 signs) {
  mo_i4 sign_bits = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
  return (mo_f4)(((mo_i4)magnitude & ~sign_bits) | ((mo_i4)signs & sign_bits));
}

/* mo_f4_min: a < b ? a : b, lane by lane, as mo_min. mo_f4_max: a > b ? a : b, as mo_max. */
static inline mo_f4 mo_f4_min(mo_f4 a, mo_f4 b) {
#ifdef __SSE2__
  return (mo_f4)_mm_min_ps((__m128)a, (__m128)b);
#else
  mo_i4 less = a < b;
  return (mo_f4)(((mo_i4)a & less) | ((mo_i4)b & ~less));
#endif
}

static inline mo_f4 mo_f4_max(mo_f4 a, mo_f4 b) {
#ifdef __SSE2__
  return (mo_f4)_mm_max_ps((__m128)a, (__m128)b);
#else
  mo_i4 greater = a > b;
  return (mo_f4)(((mo_i4)a & greater) | ((mo_i4)b & ~greater));
#endif
}

/* All ones in the lanes with a <= b, zeros in others. (For a plain comparison, compilers would go
 * through AVX-512 mask registers and back.) */
static inline mo_i4 mo_f4_le(mo_f4 a, mo_f4 b) {
#ifdef __SSE2__
  return (mo_i4)_mm_cmple_ps((__m128)a, (__m128)b);
#else
  return a <= b;
#endif
}

/* The larger float in each lane, for floats that are not negative, which compare like their bit
 * patterns. */
static inline mo_f4 mo_f4_max_bits(mo_f4 a, mo_f4 b) {
#ifdef __SSE4_1__
  return (mo_f4)_mm_max_epi32((__m128i)a, (__m128i)b);
#else
  return mo_f4_max(a, b);
#endif
}

/* Rotates the axes to y, z, x; the fourth lane stays. */
static inline mo_f4 mo_f4_rotate_axes(mo_f4 a) {
#ifdef __clang__
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
#else
  return __builtin_shuffle(a, (mo_i4){1, 2, 0, 3});
#endif
}

/* Rounds toward zero; each lane must be in the range of int32_t. */
static inline mo_i4 mo_f4_truncate(mo_f4 a) {
#ifdef __SSE2__
  return (mo_i4)_mm_cvttps_epi32((__m128)a);
#else
  return (mo_i4){(int32_t)a[0], (int32_t)a[1], (int32_t)a[2], (int32_t)a[3]};
#endif
}

static inline mo_f4 mo_i4_to_f4(mo_i4 a) {
#ifdef __SSE2__
  return (mo_f4)_mm_cvtepi32_ps((__m128i)a);
#else
  return (mo_f4){(float)a[0], (float)a[1], (float)a[2], (float)a[3]};
#endif
}

/* Transposes a 4 x 4 matrix, given by its rows. */
static inline void mo_f4_transpose(mo_f4 rows[4]) {
#ifdef __clang__
  mo_f4 a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  mo_f4 b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  mo_f4 c = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  mo_f4 d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
#else
  const mo_i4 low = {0, 4, 1, 5}, high = {2, 6, 3, 7}, first = {0, 1, 4, 5}, last = {2, 3, 6, 7};
  mo_f4 a = __builtin_shuffle(rows[0], rows[1], low), b = __builtin_shuffle(rows[2], rows[3], low);
  mo_f4 c = __builtin_shuffle(rows[0], rows[1], high);
  mo_f4 d = __builtin_shuffle(rows[2], rows[3], high);
  rows[0] = __builtin_shuffle(a, b, first);
  rows[1] = __builtin_shuffle(a, b, last);
  rows[2] = __builtin_shuffle(c, d, first);
  rows[3] = __builtin_shuffle(c, d, last);
#endif
}

static inline mo_f4 mo_f4_select(mo_i4 mask, mo_f4 a, mo_f4 b) {
  return (mo_f4)(((mo_i4)a & mask) | ((mo_i4)b & ~mask));
}

/* Bit i: the sign bit of lane i, for the three axes. */
static inline uint32_t mo_f4_signs(mo_f4 a) {
#ifdef __SSE__
  return (uint32_t)_mm_movemask_ps(a) & 7;
#else
  mo_i4 bits = (mo_i4)a;
  return (uint32_t)bits[0] >> 31 | (uint32_t)bits[1] >> 31 << 1 | (uint32_t)bits[2] >> 31 << 2;
#endif
}

/* Bit i: whether a comparison holds for lane i, for all four lanes. */
static inline uint32_t mo_i4_bits(mo_i4 comparison) {
#ifdef __SSE__
  return (uint32_t)_mm_movemask_ps((__m128)comparison);
#else
  mo_i4 ones = comparison & (mo_i4){1, 2, 4, 8};
  return (uint32_t)(ones[0] | ones[1] | ones[2] | ones[3]);
#endif
}

/* The next larger float: the bit pattern plus one, or minus one if negative. Not for zero. */
static inline mo_i4 mo_f4_next_bits(mo_f4 a) {
  mo_i4 negative = a < mo_f4_splat(0);
  return (mo_i4)((mo_u4)a + (mo_u4)((negative * 2) + 1));
}

/* The next larger float in the lanes of a mask; of zero, the smallest denormal one. */
static inline mo_f4 mo_f4_next_where(mo_i4 mask, mo_f4 a) {
  mo_i4 is_zero = a == mo_f4_splat(0);
  mo_i4 next = (mo_f4_next_bits(a) & ~is_zero) | (is_zero & 1);
  return mo_f4_select(mask, (mo_f4)next, a);
}

/* a + b rounded up: the next larger float if the nearest one is too small. The rounding error of a
 * sum is itself a float (two-sum: Moeller 1965; Knuth). An inexact sum is not zero. */
static inline mo_f4 mo_f4_add_upward(mo_f4 a, mo_f4 b) {
  mo_f4 sum = a + b;
  mo_f4 part = sum - a;
  mo_f4 rest = (a - (sum - part)) + (b - part);
  return mo_f4_select(rest > mo_f4_splat(0), (mo_f4)mo_f4_next_bits(sum), sum);
}

/* The smallest float not below each lane, as mo_round_up. To round down, negate argument and
 * result. */
static inline mo_f4 mo_d4_round_up(mo_d4 a) {
  mo_f4 nearest = mo_d4_narrow(a);
  return mo_f4_next_where(mo_d4_less(mo_f4_widen(nearest), a), nearest);
}

/* A float that is at least value + bound, for a bound that is not negative: the value itself if it
 * is a float and the bound is zero. */
static inline mo_f4 mo_d4_round_up_beyond(mo_d4 value, mo_d4 bound) {
  mo_d4 above = value + 2.0 * bound;
  mo_f4 nearest = mo_d4_narrow(above);
  /* If the bound is tiny relative to the value, `above` may round to the value, so the float must
   * exceed `above` by at least the bound. The difference is exact. */
  mo_d4 beyond = mo_f4_widen(nearest) - above;
  return mo_f4_next_where(mo_d4_less(beyond, bound), nearest);
}

/* Whether a comparison holds for at least one of the three axes (mo_f4_any), or for all three
 * (mo_f4_every). */
static inline bool mo_f4_any(mo_i4 comparison) {
  return mo_f4_signs((mo_f4)comparison) != 0;
}

static inline bool mo_f4_every(mo_i4 comparison) {
  return mo_f4_signs((mo_f4)comparison) == 7;
}

#endif
