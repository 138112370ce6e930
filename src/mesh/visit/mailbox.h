/* Mailboxes and the rule for duplicates, by which a query reports each triangle once.
 *
 * A triangle that the split builder has referenced from several leaves should be tested once per
 * query. A mailbox is a small direct-mapped cache on the query's stack. It remembers the last such
 * triangles that were tested, by the low bits of their index. A triangle whose entry was
 * overwritten is tested again, which does not change the answer: only the first of its leaves in
 * the order of the traversal reports it. */
#ifndef MO_MESH_VISIT_MAILBOX_H
#define MO_MESH_VISIT_MAILBOX_H

#include "mesh/format/read.h"

enum { MO_MAILBOX_SIZE = 64 };

typedef struct mo_mailbox {
  bool in_use; /* the entries are initialised; done at the first duplicated triangle */
  uint32_t entry[MO_MAILBOX_SIZE];
} mo_mailbox;

static inline void mo_mailbox_init(mo_mailbox *mailbox) {
  mailbox->in_use = false;
}

/* Returns those of `lanes` whose triangles the query has tested before; adds the triangles of the
 * others to the mailbox. */
static inline uint32_t mo_mailbox_test_and_add(mo_mailbox *mailbox, const mo_triangle_block *block,
                                               uint32_t lanes) {
  uint32_t met = 0;
  if (!mailbox->in_use) {
    memset(mailbox->entry, 0xff, sizeof mailbox->entry);
    mailbox->in_use = true;
  }
  lanes &= mo_u8_equal(block->id, MO_LANE_DUPLICATED, MO_LANE_DUPLICATED);
  for (; lanes != 0; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
    uint32_t *entry = &mailbox->entry[triangle % MO_MAILBOX_SIZE];
    if (*entry == triangle) {
      met |= 1u << lane;
    }
    *entry = triangle;
  }
  return met;
}

/* A query without a list of the triangles it has tested reports each triangle from the first
 * reference that it reaches. Whether it reaches a reference depends only on its culling test, which
 * must not change during the query; this callback returns bits of the slots of a node that pass the
 * test. "First" is by the order of the traversal: depth first, with the slots of a node in the
 * order for `signs`. */
typedef uint32_t mo_find_passing_slots(const mo_mesh *mesh, uint32_t node, const void *query);

/* Whether a traversal enters a slot: the slot and all slots above it pass the culling test. */
static inline bool mo_mesh_traversal_reaches(const mo_mesh *mesh, uint32_t node, uint32_t slot,
                                             mo_find_passing_slots *passes, const void *query) {
  for (;;) {
    if (!(passes(mesh, node, query) >> slot & 1)) {
      return false;
    }
    uint32_t parent = mo_mesh_parent(mesh, node);
    if (parent == MO_NONE) {
      return true;
    }
    node = parent >> 3;
    slot = parent & 7;
  }
}

/* Replaces a slot by the slot of its node in the parent. */
static inline void mo_mesh_go_to_parent(const mo_mesh *mesh, uint32_t *node, uint32_t *slot) {
  uint32_t parent = mo_mesh_parent(mesh, *node);
  *node = parent >> 3;
  *slot = parent & 7;
}

/* Whether a traversal visits slot a of node a before slot b of node b. */
static inline bool mo_mesh_visits_before(const mo_mesh *mesh, uint32_t node_a, uint32_t slot_a,
                                         uint32_t node_b, uint32_t slot_b, uint32_t signs) {
  uint32_t depth_a = mo_mesh_node_depth(mesh, node_a), depth_b = mo_mesh_node_depth(mesh, node_b);
  for (; depth_a > depth_b; depth_a--) {
    mo_mesh_go_to_parent(mesh, &node_a, &slot_a);
  }
  for (; depth_b > depth_a; depth_b--) {
    mo_mesh_go_to_parent(mesh, &node_b, &slot_b);
  }
  while (node_a != node_b) {
    mo_mesh_go_to_parent(mesh, &node_a, &slot_a);
    mo_mesh_go_to_parent(mesh, &node_b, &slot_b);
  }
  uint32_t order = mo_mesh_slot_order(mo_mesh_slot_orders(mesh, node_a), signs);
  while ((order & 7) != slot_a && (order & 7) != slot_b) {
    order >>= 4;
  }
  return slot_a != slot_b && (order & 7) == slot_a;
}

/* Whether the reference to a triangle in a slot of a node is the first of its references that the
 * query reaches. */
static inline bool mo_mesh_is_first_reference(const mo_mesh *mesh, uint32_t triangle, uint32_t node,
                                              uint32_t slot, uint32_t signs,
                                              mo_find_passing_slots *passes, const void *query) {
  for (uint32_t i = mo_mesh_first_duplicate(mesh, triangle);
       i < mesh->duplicate_count && mesh->duplicates[i].triangle == triangle; i++) {
    const mo_duplicate *d = &mesh->duplicates[i];
    if (mo_mesh_visits_before(mesh, d->node, d->slot, node, slot, signs) &&
        mo_mesh_traversal_reaches(mesh, d->node, d->slot, passes, query)) {
      return false;
    }
  }
  return true;
}

#endif
