/* The visitor of two octrees, or of one octree against itself: one traversal for all queries about
 * pairs, for any combination of tree types. A query consists of a culling test of eight boxes
 * against one, and a function that receives two leaves. The functions are inlined into the visitor,
 * so include this in kernels, and pass a constant struct of static functions.
 *
 * Two nodes are expanded together: the children of one are tested against the children of the
 * other. The result is a word of 64 bits, with bit 8 i + j for child i of the first and child j of
 * the second node. For a node against itself only the bits with i <= j are used, where i = j is a
 * child against itself. If a leaf meets an inner node, the traversal descends on the node's side
 * only. So two nodes are expanded together at most once, and no two leaves are passed to the query
 * twice. The traversal is depth first, and its stack has one word and two indices per level. */
#ifndef MO_OCTREE_VISIT_PAIRS_H
#define MO_OCTREE_VISIT_PAIRS_H

#include <stdbool.h>

#include "base/assert.h"
#include "base/inline.h"
#include "math/lanes/lanes.h"
#include "octree/node.h"

/* The maximum number of levels of nodes in a tree, and the capacity of stacks for it. */
enum { MO_PAIR_MAX_LEVELS = 41, MO_PAIR_STACK_CAPACITY = 7 * MO_PAIR_MAX_LEVELS + 8 };

/* Memory for a decoded node, for trees that store bounds and children in another format. */
typedef struct mo_pair_node_buffer {
  mo_bounds8 bounds;
  uint32_t child[MO_LANE_COUNT];
} mo_pair_node_buffer;

/* A node of one of the two trees. */
typedef struct mo_pair_node {
  const mo_bounds8 *bounds;
  const uint32_t *child; /* each MO_CHILD_EMPTY, a leaf or a node; aligned for vector loads */
  uint32_t items; /* items stored in the node itself, encoded as a leaf; MO_CHILD_EMPTY if none */
} mo_pair_node;

/* A child of a node, or the items that a node stores itself. Its box is in a lane of `bounds`. */
typedef struct mo_pair_child {
  uint32_t child; /* encoded as in mo_pair_node.child */
  uint32_t lane;
  bool active;              /* whether it contains anything active; see mo_pair_visitor */
  const mo_bounds8 *bounds; /* valid during the call */
} mo_pair_child;

typedef struct mo_pair_visitor {
  /* Loads a node, with `memory` as the buffer. */
  mo_pair_node (*load_node)(uint32_t side, uint32_t index, mo_pair_node_buffer *memory,
                            const void *query);
  /* The box around the items that a node stores itself. Null if nodes of both trees store no
   * items. */
  mo_aabb (*items_box)(uint32_t side, uint32_t items, const void *query);
  /* Two items are a pair only if at least one of them is active (for example, has moved).
   * `active_children` returns bits of a node's children that contain anything active;
   * `is_leaf_active` says whether a leaf does. If both functions are null, everything is active. */
  uint32_t (*active_children)(uint32_t side, uint32_t index, const void *query);
  bool (*is_leaf_active)(uint32_t side, uint32_t leaf, const void *query);
  /* The culling test. Returns bits of those `boxes`, of tree `side`, that may contain a partner for
   * something in the box of `part`, of the other tree. Monotone in both boxes; empty boxes may
   * pass. */
  uint32_t (*cull)(uint32_t side, const mo_bounds8 *boxes, const mo_pair_child *part,
                   const void *query);
  /* Receives two leaves whose boxes passed the test, the first of tree 0, the second of tree 1.
   * Returning false ends the traversal. */
  bool (*visit_leaf_pair)(const mo_pair_child *a, const mo_pair_child *b, void *query);
  /* Receives a leaf to test against itself. Null if the two sides are never the same tree. */
  bool (*visit_leaf_itself)(uint32_t leaf, void *query);
  /* Called for statistics: for each two nodes that are expanded together, and for a node against a
   * leaf or itself. */
  void (*count_expansion)(void *query);
} mo_pair_visitor;

/* Two nodes whose children are being visited. */
typedef struct mo_pair_stack_frame {
  uint32_t index[2]; /* index of each node in its tree */
  bool is_same_node; /* both are the same node, which is tested against itself */
  uint64_t pending;  /* bit 8 i + j: the pair of children i and j is still to be visited */
} mo_pair_stack_frame;

/* Bits of slots that have a child. */
MO_INLINE uint32_t mo_pair_child_bits(const mo_pair_node *node) {
  return ~mo_u8_equal(node->child, UINT32_MAX, MO_CHILD_EMPTY) & 0xff;
}

/* Bits of the children of a node that contain anything active (all, if everything is). */
MO_INLINE uint32_t mo_pair_active_children(const mo_pair_visitor *v, uint32_t side, uint32_t index,
                                           const void *query) {
  return v->active_children != NULL ? v->active_children(side, index, query) : 0xff;
}

/* Passes a leaf of tree `side` and a leaf of the other tree to the query. */
MO_INLINE bool mo_pair_report_leaves(const mo_pair_visitor *v, uint32_t side,
                                     const mo_pair_child *leaf, const mo_pair_child *other,
                                     void *query) {
  return v->visit_leaf_pair(side == 0 ? leaf : other, side == 0 ? other : leaf, query);
}

/* The items that a node stores itself, as a child; the box around the items is put in lane 0 of
 * `around`. */
MO_INLINE mo_pair_child mo_pair_own_items(const mo_pair_visitor *v, uint32_t side, uint32_t items,
                                          mo_bounds8 *around, const void *query) {
  mo_bounds8_clear(around);
  mo_bounds8_set(around, 0, v->items_box(side, items, query));
  bool active = v->is_leaf_active == NULL || v->is_leaf_active(side, items, query);
  return (mo_pair_child){items, 0, active, around};
}

/* Visits the pairs of a leaf of tree `side` with everything below a node of the other tree; if
 * `with_items`, also with the items that this node stores itself. Returns false if the traversal
 * was ended. */
MO_INLINE bool mo_visit_leaf_against_subtree(const mo_pair_visitor *v, uint32_t side,
                                             const mo_pair_child *leaf, uint32_t index,
                                             bool with_items, void *query) {
  uint32_t stack[MO_PAIR_STACK_CAPACITY], height = 0, other = side ^ 1;
  stack[height++] = index;
  while (height > 0) {
    uint32_t next = stack[--height];
    mo_pair_node_buffer memory;
    mo_bounds8 around;
    const mo_pair_node node = v->load_node(other, next, &memory, query);
    v->count_expansion(query);
    if (node.items != MO_CHILD_EMPTY && (with_items || next != index)) {
      const mo_pair_child items = mo_pair_own_items(v, other, node.items, &around, query);
      if ((v->cull(other, &around, leaf, query) & 1) &&
          !mo_pair_report_leaves(v, side, leaf, &items, query)) {
        return false;
      }
    }
    uint32_t met = v->cull(other, node.bounds, leaf, query) & mo_pair_child_bits(&node);
    uint32_t active = mo_pair_active_children(v, other, next, query);
    for (met &= leaf->active ? 0xff : active; met != 0; met &= met - 1) {
      uint32_t slot = (uint32_t)__builtin_ctz(met);
      const mo_pair_child part = {node.child[slot], slot, active >> slot & 1, node.bounds};
      if (!mo_child_is_leaf(part.child)) {
        MO_ASSERT(height < MO_PAIR_STACK_CAPACITY);
        stack[height++] = part.child;
      } else if (!mo_pair_report_leaves(v, side, leaf, &part, query)) {
        return false;
      }
    }
  }
  return true;
}

/* Visits the items that two nodes store themselves against each other and against everything below
 * the nodes. The nodes' boxes are those of `parts`. */
MO_INLINE bool mo_visit_own_items(const mo_pair_visitor *v, const mo_pair_stack_frame *frame,
                                  const mo_pair_node node[2], const mo_pair_child parts[2],
                                  void *query) {
  for (uint32_t side = 0; side < (frame->is_same_node ? 1 : 2); side++) {
    uint32_t items = node[side].items;
    if (items == MO_CHILD_EMPTY) {
      continue;
    }
    if (frame->is_same_node && !v->visit_leaf_itself(items, query)) {
      return false;
    }
    mo_bounds8 around;
    const mo_pair_child part = mo_pair_own_items(v, side, items, &around, query);
    const mo_pair_child *other = &parts[side ^ 1];
    if (!frame->is_same_node &&
        !(v->cull(side ^ 1, other->bounds, &part, query) >> other->lane & 1)) {
      continue;
    }
    if (!mo_visit_leaf_against_subtree(v, side, &part, frame->index[side ^ 1],
                                       side == 0 && !frame->is_same_node, query)) {
      return false;
    }
  }
  return true;
}

/* Tests the children of two nodes against each other; returns the 64-bit word of the pairs that
 * pass. The nodes' boxes are those of `part`. */
MO_INLINE uint64_t mo_pair_expand(const mo_pair_visitor *v, const mo_pair_stack_frame *frame,
                                  const mo_pair_node node[2], const mo_pair_child part[2],
                                  const void *query) {
  const uint32_t active[2] = {mo_pair_active_children(v, 0, frame->index[0], query),
                              mo_pair_active_children(v, 1, frame->index[1], query)};
  uint32_t first = mo_pair_child_bits(&node[0]), second = mo_pair_child_bits(&node[1]);
  if (!frame->is_same_node) {
    first &= v->cull(0, node[0].bounds, &part[1], query);
    second &= v->cull(1, node[1].bounds, &part[0], query);
  }
  uint64_t pending = 0;
  for (; first != 0; first &= first - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(first), bit = 1u << i;
    const mo_pair_child child = {node[0].child[i], i, (active[0] & bit) != 0, node[0].bounds};
    uint32_t met = second & (active[0] & bit ? 0xff : active[1]);
    met = frame->is_same_node ? met & (0u - 2 * bit) : met;
    met = met != 0 ? met & v->cull(1, node[1].bounds, &child, query) : 0;
    met |= frame->is_same_node ? active[0] & bit : 0;
    pending |= (uint64_t)met << (MO_LANE_COUNT * i);
  }
  return pending;
}

/* Traverses two subtrees, of side 0 and side 1, with the given boxes. `is_same_node`: both roots
 * are the same node. Returns false if the traversal was ended early. */
MO_INLINE bool mo_visit_pairs(const mo_pair_visitor *v, const uint32_t root[2],
                              const mo_aabb box[2], bool is_same_node, void *query) {
  if (root[0] == MO_CHILD_EMPTY || root[1] == MO_CHILD_EMPTY) {
    return true;
  }
  mo_pair_stack_frame frames[MO_PAIR_MAX_LEVELS];
  uint32_t depth = 0;
  mo_pair_node_buffer memory[2];
  mo_bounds8 roots;
  mo_bounds8_clear(&roots);
  mo_bounds8_set(&roots, 0, box[0]);
  mo_bounds8_set(&roots, 1, box[1]);
  mo_pair_child part[2] = {{root[0], 0, true, &roots}, {root[1], 1, true, &roots}};
  for (;;) {
    uint32_t side = mo_child_is_leaf(part[0].child) ? 0 : 1; /* which side is a leaf, if one is */
    bool continues_search = true;
    if (is_same_node && side == 0) {
      continues_search = v->visit_leaf_itself(part[0].child, query);
    } else if (side == 0 && mo_child_is_leaf(part[1].child)) {
      continues_search = v->visit_leaf_pair(&part[0], &part[1], query);
    } else if (mo_child_is_leaf(part[side].child)) {
      continues_search =
          mo_visit_leaf_against_subtree(v, side, &part[side], part[side ^ 1].child, true, query);
    } else {
      MO_ASSERT(depth < MO_PAIR_MAX_LEVELS);
      mo_pair_stack_frame *frame = &frames[depth++];
      *frame = (mo_pair_stack_frame){{part[0].child, part[1].child}, is_same_node, 0};
      mo_pair_node_buffer below[2];
      const mo_pair_node node[2] = {v->load_node(0, frame->index[0], &below[0], query),
                                    v->load_node(1, frame->index[1], &below[1], query)};
      v->count_expansion(query);
      frame->pending = mo_pair_expand(v, frame, node, part, query);
      if ((node[0].items & node[1].items) != MO_CHILD_EMPTY) {
        continues_search = mo_visit_own_items(v, frame, node, part, query);
      }
    }
    while (depth > 0 && frames[depth - 1].pending == 0) {
      depth--;
    }
    if (!continues_search || depth == 0) {
      return continues_search;
    }
    mo_pair_stack_frame *frame = &frames[depth - 1];
    uint32_t bit = (uint32_t)__builtin_ctzll(frame->pending);
    frame->pending &= frame->pending - 1;
    const uint32_t lane[2] = {bit / MO_LANE_COUNT, bit % MO_LANE_COUNT};
    for (uint32_t s = 0; s < 2; s++) {
      const mo_pair_node node = v->load_node(s, frame->index[s], &memory[s], query);
      bool active = mo_pair_active_children(v, s, frame->index[s], query) >> lane[s] & 1;
      part[s] = (mo_pair_child){node.child[lane[s]], lane[s], active, node.bounds};
    }
    is_same_node = frame->is_same_node && lane[0] == lane[1];
  }
}

#endif
