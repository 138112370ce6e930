/* The bounds of a node, which both octrees share: the tight AABBs of eight children in
 * structure-of-arrays form.
 *
 * Each coordinate is a row of eight floats, so that one vector instruction processes all children.
 * A slot without a child has the empty box (lower +inf, upper -inf), which no culling test
 * passes. */
#ifndef MO_OCTREE_NODE_H
#define MO_OCTREE_NODE_H

#include <stdalign.h>

#include "base/memory.h"
#include "math/aabb.h"

/* The number of children of a node, of items in a block, and of lanes in a vector. */
enum { MO_LANE_COUNT = 8 };

typedef struct mo_bounds8 {
  alignas(MO_ALIGNMENT) float lower[3][MO_LANE_COUNT];
  float upper[3][MO_LANE_COUNT];
} mo_bounds8;

_Static_assert(sizeof(mo_bounds8) == 48 * sizeof(float), "read as 48 floats");

/* Encoding of a child: empty, an inner node by its index, or a leaf by the index of its first
 * block. */
#define MO_CHILD_EMPTY UINT32_MAX
#define MO_CHILD_LEAF 0x80000000u /* flag of a leaf */

static inline bool mo_child_is_leaf(uint32_t child) {
  return (child & MO_CHILD_LEAF) != 0;
}

static inline uint32_t mo_child_index(uint32_t child) {
  return child & ~MO_CHILD_LEAF;
}

static inline mo_aabb mo_bounds8_get(const mo_bounds8 *bounds, int slot) {
  return (mo_aabb){
      {bounds->lower[0][slot], bounds->lower[1][slot], bounds->lower[2][slot]},
      {bounds->upper[0][slot], bounds->upper[1][slot], bounds->upper[2][slot]},
  };
}

static inline void mo_bounds8_set(mo_bounds8 *bounds, int slot, mo_aabb box) {
  bounds->lower[0][slot] = box.lower.x;
  bounds->lower[1][slot] = box.lower.y;
  bounds->lower[2][slot] = box.lower.z;
  bounds->upper[0][slot] = box.upper.x;
  bounds->upper[1][slot] = box.upper.y;
  bounds->upper[2][slot] = box.upper.z;
}

static inline void mo_bounds8_clear(mo_bounds8 *bounds) {
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    mo_bounds8_set(bounds, slot, mo_aabb_empty());
  }
}

/* The box around all eight boxes. */
static inline mo_aabb mo_bounds8_union(const mo_bounds8 *bounds) {
  mo_aabb all = mo_aabb_empty();
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    all = mo_aabb_union(all, mo_bounds8_get(bounds, slot));
  }
  return all;
}

#endif
