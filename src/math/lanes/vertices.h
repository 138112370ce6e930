/* Loads positions from a vertex array of the caller, eight at a time: transposed to lanes, and with
 * their AABB. */
#ifndef MO_MATH_LANES_VERTICES_H
#define MO_MATH_LANES_VERTICES_H

#include <stddef.h>
#include <string.h>

#include "base/inline.h"
#include "math/aabb.h"
#include "math/lanes/lanes.h"

/* `count` positions of three floats each, `stride` bytes apart (at least 12), of any alignment. */
typedef struct mo_positions {
  const unsigned char *first; /* the first position */
  size_t stride;
  uint32_t count;
} mo_positions;

static inline mo_vec3 mo_position_at(const mo_positions *positions, uint32_t index) {
  mo_vec3 p;
  memcpy(&p, positions->first + index * positions->stride, sizeof p);
  return p;
}

/* An AABB in memory; the fourth float of each corner is unused. */
typedef struct mo_padded_aabb {
  float lower[4], upper[4];
} mo_padded_aabb;

static inline mo_aabb mo_padded_aabb_get(const mo_padded_aabb *box) {
  return (mo_aabb){{box->lower[0], box->lower[1], box->lower[2]},
                   {box->upper[0], box->upper[1], box->upper[2]}};
}

/* The corners of eight triangles that share at most sixteen vertices, which are near each other in
 * the array: a slot per vertex, and the slot of each corner. Unused slots repeat slot 0. */
typedef struct mo_vertex_slots {
  uint32_t first;      /* index of the vertex in slot 0 */
  uint32_t order[3];   /* [corner]: nibble i is the slot of that corner of triangle i */
  uint16_t offset[15]; /* indices of the vertices in slots 1 to 15, minus `first` */
  uint16_t count;      /* number of used slots */
} mo_vertex_slots;

static inline uint32_t mo_vertex_of_slot(const mo_vertex_slots *v, uint32_t slot) {
  return slot == 0 ? v->first : v->first + v->offset[slot - 1];
}

/* mo_load_vertices_by_slot(from, stride, v, slot_count, to, box): stores the positions in the first
 * slot_count slots (12 or 16) of `v` to to[corner][axis][lane] and adds them to the box. `stride`
 * as for mo_load_vertices; the last position of the array must not be in a slot. */

/* mo_box_accumulator_get(g): the accumulated AABB of g. Zeros in it are positive, because the
 * minimum of -0 and 0 would depend on their order. */

#if defined(MO_ISA_AVX2_LANES) || defined(MO_ISA_AVX512_LANES)

/* An AABB being accumulated: two boxes, one per register half, which are united in the end. */
typedef struct mo_box_accumulator {
  __m256 lower, upper;
} mo_box_accumulator;

static inline mo_box_accumulator mo_box_accumulator_empty(void) {
  return (mo_box_accumulator){_mm256_set1_ps(INFINITY), _mm256_set1_ps(-INFINITY)};
}

static inline mo_padded_aabb mo_box_accumulator_get(mo_box_accumulator g) {
  mo_padded_aabb box;
  __m128 min = _mm_min_ps(_mm256_castps256_ps128(g.lower), _mm256_extractf128_ps(g.lower, 1));
  __m128 max = _mm_max_ps(_mm256_castps256_ps128(g.upper), _mm256_extractf128_ps(g.upper, 1));
  _mm_storeu_ps(box.lower, _mm_add_ps(min, _mm_setzero_ps()));
  _mm_storeu_ps(box.upper, _mm_add_ps(max, _mm_setzero_ps()));
  return box;
}

static inline mo_padded_aabb mo_padded_aabb_union(const mo_padded_aabb *a,
                                                  const mo_padded_aabb *b) {
  mo_padded_aabb box;
  _mm_storeu_ps(box.lower, _mm_min_ps(_mm_loadu_ps(a->lower), _mm_loadu_ps(b->lower)));
  _mm_storeu_ps(box.upper, _mm_max_ps(_mm_loadu_ps(a->upper), _mm_loadu_ps(b->upper)));
  return box;
}

/* Loads a position as four floats. After the last position of the array nothing may be read. */
static inline __m128 mo_load_position(const mo_positions *from, size_t stride, uint32_t index,
                                      bool last_too) {
  const void *position = from->first + index * stride;
  return last_too ? _mm_maskload_ps(position, _mm_setr_epi32(-1, -1, -1, 0))
                  : _mm_loadu_ps(position);
}

static inline __m256 mo_load_two_positions(const mo_positions *from, size_t stride, uint32_t low,
                                           uint32_t high, bool last_too) {
  __m256 pair = _mm256_castps128_ps256(mo_load_position(from, stride, low, last_too));
  return _mm256_insertf128_ps(pair, mo_load_position(from, stride, high, last_too), 1);
}

/* Transposes four positions, with the next four in the upper halves, to rows of eight. */
MO_INLINE void mo_transpose_positions(const __m256 position[4], __m256 row[3],
                                      mo_box_accumulator *box) {
  __m256 a = position[0], b = position[1], c = position[2], d = position[3];
  __m256 min = _mm256_min_ps(_mm256_min_ps(a, b), _mm256_min_ps(c, d));
  __m256 max = _mm256_max_ps(_mm256_max_ps(a, b), _mm256_max_ps(c, d));
  box->lower = _mm256_min_ps(box->lower, min);
  box->upper = _mm256_max_ps(box->upper, max);
  __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d); /* x x y y in both halves */
  __m256 z_ab = _mm256_unpackhi_ps(a, b), z_cd = _mm256_unpackhi_ps(c, d);
  row[0] = _mm256_shuffle_ps(ab, cd, 0x44);
  row[1] = _mm256_shuffle_ps(ab, cd, 0xee);
  row[2] = _mm256_shuffle_ps(z_ab, z_cd, 0x44);
}

/* Stores the positions index[0..7] to to[axis][lane] and adds them to the box. `stride` is
 * from->stride, a constant for common strides; `last_too`: the last position of the array may be
 * among them. */
MO_INLINE void mo_load_vertices(const mo_positions *from, size_t stride, const uint32_t index[8],
                                bool last_too, float to[3][8], mo_box_accumulator *box) {
  __m256 pairs[4], row[3];
  for (int i = 0; i < 4; i++) {
    pairs[i] = mo_load_two_positions(from, stride, index[i], index[i + 4], last_too);
  }
  mo_transpose_positions(pairs, row, box);
  for (int axis = 0; axis < 3; axis++) {
    _mm256_store_ps(to[axis], row[axis]);
  }
}

MO_INLINE __m256 mo_load_position_pair(const unsigned char *first, size_t stride, uint32_t low,
                                       uint32_t high) {
  __m256 pair = _mm256_castps128_ps256(_mm_loadu_ps((const void *)(first + low * stride)));
  return _mm256_insertf128_ps(pair, _mm_loadu_ps((const void *)(first + high * stride)), 1);
}

/* Picks lanes of `low` and `high`, which contain slots 0 to 7 and 8 to 15, by the low four bits of
 * each lane of `slot`. */
MO_INLINE __m256 mo_pick_slots(__m256 low, __m256 high, __m256i slot) {
#if defined(MO_ISA_AVX512_LANES)
  return _mm256_permutex2var_ps(low, slot, high);
#else
  return _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, slot), _mm256_permutevar8x32_ps(high, slot),
                          _mm256_castsi256_ps(_mm256_slli_epi32(slot, 28)));
#endif
}

MO_INLINE void mo_load_vertices_by_slot(const mo_positions *from, size_t stride,
                                        const mo_vertex_slots *v, int slot_count, float to[3][3][8],
                                        mo_box_accumulator *box) {
  const unsigned char *first = from->first + v->first * stride;
  const uint16_t *o = v->offset;
  __m256 low[3], high[3], pairs[4];
  pairs[0] = mo_load_position_pair(first, stride, 0, o[3]);
  for (int i = 1; i < 4; i++) {
    pairs[i] = mo_load_position_pair(first, stride, o[i - 1], o[i + 3]);
  }
  mo_transpose_positions(pairs, low, box);
  for (int i = 0; i < 4; i++) {
    pairs[i] = slot_count > 12 ? mo_load_position_pair(first, stride, o[i + 7], o[i + 11])
                               : _mm256_broadcast_ps((const void *)(first + o[i + 7] * stride));
  }
  mo_transpose_positions(pairs, high, box);
  const __m256i shift = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
  for (int i = 0; i < 3; i++) {
    __m256i slot = _mm256_srlv_epi32(_mm256_set1_epi32((int)v->order[i]), shift);
    for (int axis = 0; axis < 3; axis++) {
      _mm256_store_ps(to[i][axis], mo_pick_slots(low[axis], high[axis], slot));
    }
  }
}

/* Whether all of `count` floats, of any alignment, have a magnitude of at most `max`; false for
 * NaN.
 */
static inline bool mo_floats_within(const unsigned char *floats, size_t count, float max) {
  __m256 limit = _mm256_set1_ps(max), ok = _mm256_cmp_ps(limit, limit, _CMP_EQ_OQ);
  __m256 sign = _mm256_set1_ps(-0.0f);
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    __m256 a = _mm256_loadu_ps((const void *)(floats + 4 * i));
    __m256 b = _mm256_loadu_ps((const void *)(floats + 4 * i + 32));
    __m256 a_ok = _mm256_cmp_ps(_mm256_andnot_ps(sign, a), limit, _CMP_LE_OQ);
    __m256 b_ok = _mm256_cmp_ps(_mm256_andnot_ps(sign, b), limit, _CMP_LE_OQ);
    ok = _mm256_and_ps(ok, _mm256_and_ps(a_ok, b_ok));
  }
  bool within = _mm256_movemask_ps(ok) == 0xff;
  for (; i < count; i++) {
    float x;
    memcpy(&x, floats + 4 * i, sizeof x);
    within &= fabsf(x) <= max;
  }
  return within;
}

#else

/* An AABB being accumulated. */
typedef mo_padded_aabb mo_box_accumulator;

static inline mo_box_accumulator mo_box_accumulator_empty(void) {
  return (mo_padded_aabb){{INFINITY, INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}};
}

static inline mo_padded_aabb mo_box_accumulator_get(mo_box_accumulator g) {
  for (int axis = 0; axis < 3; axis++) {
    g.lower[axis] += 0.0f;
    g.upper[axis] += 0.0f;
  }
  return g;
}

static inline mo_padded_aabb mo_padded_aabb_union(const mo_padded_aabb *a,
                                                  const mo_padded_aabb *b) {
  mo_padded_aabb box = {{0}, {0}};
  for (int axis = 0; axis < 3; axis++) {
    box.lower[axis] = mo_min(a->lower[axis], b->lower[axis]);
    box.upper[axis] = mo_max(a->upper[axis], b->upper[axis]);
  }
  return box;
}

static inline void mo_load_vertices(const mo_positions *from, size_t stride,
                                    const uint32_t index[8], bool last_too, float to[3][8],
                                    mo_box_accumulator *box) {
  (void)last_too;
  for (int lane = 0; lane < 8; lane++) {
    float p[3];
    memcpy(p, from->first + index[lane] * stride, sizeof p);
    for (int axis = 0; axis < 3; axis++) {
      to[axis][lane] = p[axis];
      box->lower[axis] = mo_min(box->lower[axis], p[axis]);
      box->upper[axis] = mo_max(box->upper[axis], p[axis]);
    }
  }
}

static inline void mo_load_vertices_by_slot(const mo_positions *from, size_t stride,
                                            const mo_vertex_slots *v, int slot_count,
                                            float to[3][3][8], mo_box_accumulator *box) {
  float p[16][3];
  for (int slot = 0; slot < slot_count; slot++) {
    memcpy(p[slot], from->first + mo_vertex_of_slot(v, (uint32_t)slot) * stride, sizeof p[slot]);
    for (int axis = 0; axis < 3; axis++) {
      box->lower[axis] = mo_min(box->lower[axis], p[slot][axis]);
      box->upper[axis] = mo_max(box->upper[axis], p[slot][axis]);
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int lane = 0; lane < 8; lane++) {
      const float *q = p[v->order[i] >> 4 * lane & 15];
      for (int axis = 0; axis < 3; axis++) {
        to[i][axis][lane] = q[axis];
      }
    }
  }
}

static inline bool mo_floats_within(const unsigned char *floats, size_t count, float max) {
  bool within = true;
  for (size_t i = 0; i < count; i++) {
    float x;
    memcpy(&x, floats + 4 * i, sizeof x);
    within &= fabsf(x) <= max;
  }
  return within;
}

#endif

/* Whether no coordinate of positions [begin, end) is NaN or of a larger magnitude than `max`. */
static inline bool mo_positions_within(const mo_positions *positions, uint32_t begin, uint32_t end,
                                       float max) {
  const unsigned char *first = positions->first + begin * positions->stride;
  if (positions->stride == sizeof(mo_vec3)) {
    return mo_floats_within(first, 3 * (size_t)(end - begin), max);
  }
  bool within = true;
  for (uint32_t i = begin; i < end; i++) {
    mo_vec3 p = mo_position_at(positions, i);
    within &= fabsf(p.x) <= max && fabsf(p.y) <= max && fabsf(p.z) <= max;
  }
  return within;
}

#endif
