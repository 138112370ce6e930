/* The planes that split a node into its slots, and the front-to-back order of the slots that
 * follows from them.
 *
 * One plane splits the node, others split its halves, and so on: they form a binary tree with up to
 * eight leaves, and each leaf is a slot. Along a ray one side of a plane comes before the other,
 * depending on the sign of the ray's direction on the plane's axis. So the order of the slots
 * depends only on the signs of the direction and is one of eight permutations. If three planes each
 * split the whole node, the order of the octants is i ^ sign mask for i = 0..7. */
#ifndef MO_OCTREE_ORDER_H
#define MO_OCTREE_ORDER_H

#include "base/assert.h"
#include "octree/node.h"

/* Nested split planes. Each plane has two sides. A side is encoded as a slot, or as MO_LANE_COUNT +
 * the index of the plane that splits this side further. */
typedef struct mo_nested_planes {
  float position[MO_LANE_COUNT - 1];
  uint8_t axis[MO_LANE_COUNT - 1];
  uint8_t sides[MO_LANE_COUNT - 1]; /* low nibble: side below the plane; high nibble: side above */
  uint8_t count; /* number of planes; plane 0 splits the whole node. 0: everything is in slot 0 */
} mo_nested_planes;

static inline uint32_t mo_nested_planes_side(const mo_nested_planes *planes, uint32_t plane,
                                             uint32_t side) {
  MO_ASSERT(plane < planes->count && side < 2);
  return planes->sides[plane] >> (4 * side) & 15;
}

/* The root of the tree of planes, encoded as a side. */
static inline uint32_t mo_nested_planes_root(const mo_nested_planes *planes) {
  return planes->count > 0 ? MO_LANE_COUNT : 0;
}

/* Makes planes through a point for the axes in `mask` (x = 4, y = 2, z = 1), nested in the order x,
 * y, z, so that the bits of a slot are its sides in that order; the bit of an axis without a plane
 * is 0. */
void mo_nested_planes_of_octants(uint32_t mask, const float position[3], mo_nested_planes *planes);

/* Splits a cell into the cells of the slots; unused slots get empty boxes. */
void mo_nested_planes_split_cell(const mo_nested_planes *planes, mo_aabb cell,
                                 mo_aabb cells[MO_LANE_COUNT]);

/* Computes order[signs], the front-to-back order of slots: eight nibbles, the first visited slot in
 * the lowest. Bit a of `signs` says that the direction is negative on axis a. Only signs below 4
 * are stored, as the order of the opposite direction is the reverse. Unused slots are at the end.
 * Builders number the slots so that order[0] is 0 to 7, as queries without a direction visit slots
 * in that order. */
void mo_nested_planes_slot_order(const mo_nested_planes *planes, uint32_t order[4]);

/* The sign mask as slot bits (x = 4, y = 2, z = 1): for three planes that split the whole node, the
 * order is i ^ mo_octant_mask_of_signs(signs). */
static inline uint32_t mo_octant_mask_of_signs(uint32_t signs) {
  return (signs & 1) << 2 | (signs & 2) | (signs & 4) >> 2;
}

/* Whether eight nibbles name each slot once. For assertions. */
static inline bool mo_slots_are_permutation(uint32_t order) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    seen |= 1u << (order >> (4 * i) & 15);
  }
  return seen == 0xff;
}

/* The slots in descending order of their keys, as eight nibbles: the slot with the largest key in
 * the lowest nibble; slots with equal keys in ascending order. */
static inline uint32_t mo_slots_by_key(const double key[MO_LANE_COUNT]) {
  uint32_t order = 0;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t rank = 0;
    for (uint32_t other = 0; other < MO_LANE_COUNT; other++) {
      rank += key[other] > key[slot] || (key[other] == key[slot] && other < slot);
    }
    order |= slot << (4 * rank);
  }
  MO_ASSERT(mo_slots_are_permutation(order));
  return order;
}

#endif
