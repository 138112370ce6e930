/* What the visitors of one octree share: the form of culling tests, and the order of a best-first
 * visit. The visitors: mesh/visit/visit.h and query/visit.h, and of two octrees visit_pairs.h. */
#ifndef MO_OCTREE_VISIT_H
#define MO_OCTREE_VISIT_H

#include <stdbool.h>

#include "octree/node.h"

/* A culling test: a bit per box that may contain something the query searches for. It must be
 * monotone: a box passes if a box inside it does. Empty boxes may pass; no child is behind them. */
typedef uint32_t mo_cull8(const mo_bounds8 *bounds, const void *query);

/* Lower bounds of a key (a distance, squared; the t of a ray or cast) over all that may be in each
 * of eight boxes. Monotone too: a box never has a greater key than a box inside it. Returns a bit
 * per box whose key is within the query's limit as it is now. */
typedef uint32_t mo_keys8(const mo_bounds8 *bounds, double key[MO_WIDTH], const void *query);

/* A child in the queue of a best-first visit. */
typedef struct mo_pending {
  double key;
  uint32_t child;
} mo_pending;

/* Pushes some children of a node, the one with the least key on top; of equal keys, the lowest slot
 * is the deepest. Returns the new height of the stack. */
static inline uint32_t mo_pending_push(mo_pending *stack, uint32_t height,
                                       const double key[MO_WIDTH], const uint32_t *child,
                                       uint32_t mask) {
  uint32_t begin = height;
  for (; mask != 0; mask &= mask - 1) {
    int slot = __builtin_ctz(mask);
    uint32_t at = height++;
    for (; at > begin && stack[at - 1].key < key[slot]; at--) {
      stack[at] = stack[at - 1];
    }
    stack[at] = (mo_pending){key[slot], child[slot]};
  }
  return height;
}

#endif
