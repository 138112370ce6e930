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

/* The fourth float of each corner is unused. */
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

/* An AABB being accumulated: two boxes, one per half, which are united in the end; each has a spare
 * lane. */
typedef struct mo_box_accumulator {
  mo_f8 lower, upper;
} mo_box_accumulator;

static inline mo_box_accumulator mo_box_accumulator_empty(void) {
  return (mo_box_accumulator){mo_f8_splat(INFINITY), mo_f8_splat(-INFINITY)};
}

/* The accumulated AABB. Zeros in it are positive, because the minimum of -0 and 0 would depend on
 * their order. */
static inline mo_padded_aabb mo_box_accumulator_get(mo_box_accumulator g) {
  enum { SWAPPED_HALVES = 0x32107654 };
  mo_f8 lower = mo_f8_min(g.lower, mo_f8_reorder(g.lower, SWAPPED_HALVES));
  mo_f8 upper = mo_f8_max(g.upper, mo_f8_reorder(g.upper, SWAPPED_HALVES));
  lower = mo_f8_add(lower, mo_f8_splat(0));
  upper = mo_f8_add(upper, mo_f8_splat(0));
  mo_padded_aabb box;
  memcpy(box.lower, &lower, sizeof box.lower);
  memcpy(box.upper, &upper, sizeof box.upper);
  return box;
}

/* Loads a position as four floats. After the last position of the array nothing may be read. */
MO_INLINE mo_f4 mo_load_position(const unsigned char *position, bool may_be_last) {
  mo_f4 p = {0};
  memcpy(&p, position, may_be_last ? sizeof(mo_vec3) : sizeof p);
  return p;
}

/* Transposes four positions, with the next four in the upper halves, to rows of eight; the fourth
 * row is not used. */
MO_INLINE void mo_transpose_positions(mo_f8 rows[4], mo_box_accumulator *box) {
  mo_f8 min = mo_f8_min(mo_f8_min(rows[0], rows[1]), mo_f8_min(rows[2], rows[3]));
  mo_f8 max = mo_f8_max(mo_f8_max(rows[0], rows[1]), mo_f8_max(rows[2], rows[3]));
  box->lower = mo_f8_min(box->lower, min);
  box->upper = mo_f8_max(box->upper, max);
  mo_f8_transpose_halves(rows);
}

/* Stores the positions index[0..7] to to[axis][lane] and adds them to the box. `stride` is
 * from->stride, a constant for common strides; `last_too`: the last position of the array may be
 * among them. */
MO_INLINE void mo_load_vertices(const mo_positions *from, size_t stride, const uint32_t index[8],
                                bool last_too, float to[3][8], mo_box_accumulator *box) {
  mo_f8 rows[4];
  for (int i = 0; i < 4; i++) {
    rows[i] = mo_f8_join(mo_load_position(from->first + index[i] * stride, last_too),
                         mo_load_position(from->first + index[i + 4] * stride, last_too));
  }
  mo_transpose_positions(rows, box);
  for (int axis = 0; axis < 3; axis++) {
    mo_f8_store(to[axis], rows[axis]);
  }
}

/* Stores the positions in the first slot_count slots (12 or 16) of `v` to to[corner][axis][lane]
 * and adds them to the box. `stride` as for mo_load_vertices; the last position of the array must
 * not be in a slot. */
MO_INLINE void mo_load_vertices_by_slot(const mo_positions *from, size_t stride,
                                        const mo_vertex_slots *v, int slot_count, float to[3][3][8],
                                        mo_box_accumulator *box) {
  const unsigned char *first = from->first + v->first * stride;
  const uint16_t *o = v->offset;
  mo_f8 low[4], high[4];
  for (int i = 0; i < 4; i++) {
    const unsigned char *position = i == 0 ? first : first + o[i - 1] * stride;
    low[i] = mo_f8_join(mo_load_position(position, false),
                        mo_load_position(first + o[i + 3] * stride, false));
    mo_f4 third = mo_load_position(first + o[i + 7] * stride, false);
    high[i] = mo_f8_join(
        third, slot_count > 12 ? mo_load_position(first + o[i + 11] * stride, false) : third);
  }
  mo_transpose_positions(low, box);
  mo_transpose_positions(high, box);
  for (int i = 0; i < 3; i++) {
    const uint32_t order = v->order[i]; /* read once: stores to `to` might alias it */
    for (int axis = 0; axis < 3; axis++) {
      mo_f8_store(to[i][axis], mo_f8_pick16(low[axis], high[axis], order));
    }
  }
}

/* Whether all of `count` floats, of any alignment, have a magnitude of at most `max`; false for
 * NaN. */
static inline bool mo_floats_within(const unsigned char *floats, size_t count, float max) {
  mo_f8 limit = mo_f8_splat(max);
  mo_m8 within = mo_f8_le(limit, limit);
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    mo_f8 a = mo_f8_load_unaligned((const void *)(floats + sizeof(float) * i));
    mo_f8 b = mo_f8_load_unaligned((const void *)(floats + sizeof(float) * (i + 8)));
    mo_m8 both = mo_m8_and(mo_f8_le(mo_f8_abs(a), limit), mo_f8_le(mo_f8_abs(b), limit));
    within = mo_m8_and(within, both);
  }
  bool all = mo_m8_bits(within) == 0xff;
  for (; i < count; i++) {
    float x;
    memcpy(&x, floats + sizeof x * i, sizeof x);
    all &= fabsf(x) <= max;
  }
  return all;
}

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
