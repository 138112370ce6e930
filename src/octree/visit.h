/* Shared by the visitors of one octree: the types of culling tests, and the stack of a best-first
 * traversal. The visitors are in mesh/visit/visit.h and query/visit.h; the visitor of two octrees
 * is in visit_pairs.h. */
#ifndef MO_OCTREE_VISIT_H
#define MO_OCTREE_VISIT_H

#include <stdbool.h>

#include "base/assert.h"
#include "octree/node.h"

/* A culling test: returns bits of the boxes that are not culled, as they may contain something the
 * query searches for. It must be monotone: a box passes if a box inside it does. Empty boxes may
 * pass, as their slots have no child anyway. */
typedef uint32_t mo_cull8(const mo_bounds8 *bounds, const void *query);

/* Computes keys: lower bounds, for each of eight boxes, of a squared distance or of the t of a ray
 * or cast, over anything that may be in the box. They must be monotone: a box never has a greater
 * key than a box inside it. Returns bits of the boxes whose keys are within the query's current
 * limit. */
typedef uint32_t mo_keys8(const mo_bounds8 *bounds, double key[MO_LANE_COUNT], const void *query);

/* A child on the stack of a best-first traversal. */
typedef struct mo_pending_child {
  double key; /* lower bound of a squared distance or time (mo_keys8) */
  uint32_t child;
} mo_pending_child;

/* For assertions: whether no child of a node has a lesser key than the node, as monotone keys
 * imply. */
static inline bool mo_keys_are_monotone(double parent, const double key[MO_LANE_COUNT],
                                        uint32_t mask) {
  while (mask != 0 && key[__builtin_ctz(mask)] >= parent) {
    mask &= mask - 1;
  }
  return mask == 0;
}

/* Pushes some children of a node, sorted so that the least key is on top; among equal keys the
 * lowest slot is deepest. Returns the new height of the stack. */
static inline uint32_t mo_push_pending_children(mo_pending_child *stack, uint32_t height,
                                                const double key[MO_LANE_COUNT],
                                                const uint32_t *child, uint32_t mask) {
  uint32_t begin = height;
  for (; mask != 0; mask &= mask - 1) {
    int slot = __builtin_ctz(mask);
    uint32_t at = height++;
    for (; at > begin && stack[at - 1].key < key[slot]; at--) {
      stack[at] = stack[at - 1];
    }
    MO_ASSERT(!(key[slot] != key[slot])); /* no key is NaN, as comparisons with NaN are false */
    stack[at] = (mo_pending_child){key[slot], child[slot]};
  }
  return height;
}

#endif
