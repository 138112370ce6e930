/* The front-to-back order of a node's eight slots.
 *
 * With three planes that cut the whole node, octant i lies before octant j along a ray when its
 * sides do, so the order is i ^ sign mask for i = 0..7. With nested planes each level has its own
 * axis in each cell, and the order is computed once per node for the eight sign masks. */
#ifndef MO_OCTREE_ORDER_H
#define MO_OCTREE_ORDER_H

#include <stdint.h>

/* axis[k], k = 1..7: the axis (0 to 2) of nested plane k, anything else where it is missing; see
 * mesh.h for the numbering. order[signs]: eight nibbles, first visited slot lowest, where bit a of
 * `signs` says that the direction is negative on axis a; for signs below 4, as the order of the
 * opposite direction is the reverse. */
void mo_nested_order(const uint8_t axis[8], uint32_t order[4]);

/* The same for three planes that cut the whole node, x = 4, y = 2, z = 1 in the slot. */
static inline uint32_t mo_octant_flip(uint32_t signs) {
  return (signs & 1) << 2 | (signs & 2) | (signs & 4) >> 2;
}

#endif
