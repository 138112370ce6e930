/* The planes that cut a node into its slots, and the front-to-back order that follows from them.
 *
 * A plane cuts the node, others cut its halves, and so on, in any shape that a binary tree with up
 * to eight leaves can have; each leaf is a slot. Along a ray one side of a plane comes before the
 * other, whichever the ray's direction says on the plane's axis, so the order of the slots depends
 * on the signs of the direction alone and is one of eight permutations. With three planes that all
 * cut the whole node, octant i lies before octant j when its sides do: i ^ sign mask for
 * i = 0..7. */
#ifndef MO_OCTREE_ORDER_H
#define MO_OCTREE_ORDER_H

#include "octree/node.h"

/* A plane's side is a slot, or MO_WIDTH + the index of the plane that cuts it next. */
typedef struct mo_nested {
  float position[MO_WIDTH - 1];
  uint8_t axis[MO_WIDTH - 1];
  uint8_t sides[MO_WIDTH - 1]; /* two nibbles: below the plane the lower, above it the upper */
  uint8_t count;               /* of planes; plane 0 cuts the whole node. 0: all is in slot 0 */
} mo_nested;

static inline uint32_t mo_nested_side(const mo_nested *planes, uint32_t plane, uint32_t side) {
  return planes->sides[plane] >> (4 * side) & 15;
}

/* Where to begin: the side of nothing. */
static inline uint32_t mo_nested_root(const mo_nested *planes) {
  return planes->count > 0 ? MO_WIDTH : 0;
}

/* Planes through a point for the axes in `mask` (x = 4, y = 2, z = 1), nested as x, y, z, so that
 * the bits of a slot are the sides in the same order; without a plane, side 0. */
void mo_nested_octants(uint32_t mask, const float position[3], mo_nested *planes);

/* The parts of a cell in the slots; empty boxes for slots that no plane leads to. */
void mo_nested_cells(const mo_nested *planes, mo_aabb cell, mo_aabb cells[MO_WIDTH]);

/* order[signs]: eight nibbles, first visited slot lowest, where bit a of `signs` says that the
 * direction is negative on axis a; for signs below 4, as the order of the opposite direction is the
 * reverse. Slots that no plane leads to are at the end. Whoever makes planes numbers the slots so
 * that order[0] is 0 to 7: queries without a direction take them like that. */
void mo_nested_order(const mo_nested *planes, uint32_t order[4]);

/* The same for three planes that cut the whole node, x = 4, y = 2, z = 1 in the slot. */
static inline uint32_t mo_octant_flip(uint32_t signs) {
  return (signs & 1) << 2 | (signs & 2) | (signs & 4) >> 2;
}

/* Slots as eight nibbles, those with the largest keys lowest, in case of a tie as they are
 * numbered.
 */
static inline uint32_t mo_slots_by_key(const double key[MO_WIDTH]) {
  uint32_t order = 0;
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t rank = 0;
    for (uint32_t other = 0; other < MO_WIDTH; other++) {
      rank += key[other] > key[slot] || (key[other] == key[slot] && other < slot);
    }
    order |= slot << (4 * rank);
  }
  return order;
}

#endif
