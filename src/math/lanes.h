/* Eight floats at a time. The same source compiled with each set of lanes gives the same bits:
 * every operation here rounds alike in all of them, and none fuses a multiply with an add.
 *
 * MO_ISA_NAME is the suffix of functions compiled once per instruction set. */
#ifndef MO_MATH_LANES_H
#define MO_MATH_LANES_H

#include <stdint.h>

#define MO_ISA_JOIN2(name, isa) name##_##isa
#define MO_ISA_JOIN(name, isa) MO_ISA_JOIN2(name, isa)
#define MO_ISA_FN(name) MO_ISA_JOIN(name, MO_ISA_NAME)

#ifdef MO_ISA_AVX2_LANES

#include <immintrin.h>

typedef __m256 mo_f8;
typedef __m256 mo_m8; /* all bits of a lane set or clear */

static inline mo_f8 mo_f8_load(const float *aligned) {
  return _mm256_load_ps(aligned);
}

static inline void mo_f8_store(float *aligned, mo_f8 a) {
  _mm256_store_ps(aligned, a);
}

static inline mo_f8 mo_f8_all(float a) {
  return _mm256_set1_ps(a);
}

static inline mo_f8 mo_f8_add(mo_f8 a, mo_f8 b) {
  return _mm256_add_ps(a, b);
}

static inline mo_f8 mo_f8_sub(mo_f8 a, mo_f8 b) {
  return _mm256_sub_ps(a, b);
}

static inline mo_f8 mo_f8_mul(mo_f8 a, mo_f8 b) {
  return _mm256_mul_ps(a, b);
}

static inline mo_f8 mo_f8_div(mo_f8 a, mo_f8 b) {
  return _mm256_div_ps(a, b);
}

/* a < b ? a : b */
static inline mo_f8 mo_f8_min(mo_f8 a, mo_f8 b) {
  return _mm256_min_ps(a, b);
}

/* a > b ? a : b */
static inline mo_f8 mo_f8_max(mo_f8 a, mo_f8 b) {
  return _mm256_max_ps(a, b);
}

static inline mo_f8 mo_f8_abs(mo_f8 a) {
  return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

static inline mo_m8 mo_f8_le(mo_f8 a, mo_f8 b) {
  return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}

static inline mo_m8 mo_f8_lt(mo_f8 a, mo_f8 b) {
  return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

static inline mo_m8 mo_m8_and(mo_m8 a, mo_m8 b) {
  return _mm256_and_ps(a, b);
}

static inline mo_m8 mo_m8_or(mo_m8 a, mo_m8 b) {
  return _mm256_or_ps(a, b);
}

/* Bit i for lane i. */
static inline uint32_t mo_m8_bits(mo_m8 a) {
  return (uint32_t)_mm256_movemask_ps(a);
}

/* Lane i of the result is lane (order >> 4 i) & 7 of a. */
static inline mo_f8 mo_f8_reorder(mo_f8 a, uint32_t order) {
  __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
  return _mm256_permutevar8x32_ps(a, _mm256_srlv_epi32(_mm256_set1_epi32((int)order), shifts));
}

/* Bit i where (a[i] & mask) == value. */
static inline uint32_t mo_u8_equal(const uint32_t *aligned, uint32_t mask, uint32_t value) {
  __m256i a = _mm256_load_si256((const __m256i *)aligned);
  __m256i masked = _mm256_and_si256(a, _mm256_set1_epi32((int)mask));
  __m256i equal = _mm256_cmpeq_epi32(masked, _mm256_set1_epi32((int)value));
  return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
}

#else

typedef struct mo_f8 {
  float lane[8];
} mo_f8;
typedef uint32_t mo_m8;

static inline mo_f8 mo_f8_load(const float *a) {
  mo_f8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = a[i];
  }
  return r;
}

static inline void mo_f8_store(float *to, mo_f8 a) {
  for (int i = 0; i < 8; i++) {
    to[i] = a.lane[i];
  }
}

static inline mo_f8 mo_f8_all(float a) {
  mo_f8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = a;
  }
  return r;
}

static inline mo_f8 mo_f8_add(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] += b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_sub(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] -= b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_mul(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] *= b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_div(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] /= b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_min(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_max(mo_f8 a, mo_f8 b) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
  }
  return a;
}

static inline mo_f8 mo_f8_abs(mo_f8 a) {
  for (int i = 0; i < 8; i++) {
    a.lane[i] = __builtin_fabsf(a.lane[i]);
  }
  return a;
}

static inline mo_m8 mo_f8_le(mo_f8 a, mo_f8 b) {
  mo_m8 m = 0;
  for (int i = 0; i < 8; i++) {
    m |= (uint32_t)(a.lane[i] <= b.lane[i]) << i;
  }
  return m;
}

static inline mo_m8 mo_f8_lt(mo_f8 a, mo_f8 b) {
  mo_m8 m = 0;
  for (int i = 0; i < 8; i++) {
    m |= (uint32_t)(a.lane[i] < b.lane[i]) << i;
  }
  return m;
}

static inline mo_m8 mo_m8_and(mo_m8 a, mo_m8 b) {
  return a & b;
}

static inline mo_m8 mo_m8_or(mo_m8 a, mo_m8 b) {
  return a | b;
}

static inline uint32_t mo_m8_bits(mo_m8 a) {
  return a;
}

static inline mo_f8 mo_f8_reorder(mo_f8 a, uint32_t order) {
  mo_f8 r;
  for (int i = 0; i < 8; i++) {
    r.lane[i] = a.lane[(order >> (4 * i)) & 7];
  }
  return r;
}

static inline uint32_t mo_u8_equal(const uint32_t *a, uint32_t mask, uint32_t value) {
  uint32_t m = 0;
  for (int i = 0; i < 8; i++) {
    m |= (uint32_t)((a[i] & mask) == value) << i;
  }
  return m;
}

#endif

#endif
