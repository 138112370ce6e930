/* Operations on many shapes at once: insertion (insert.c; partition_kernel.c sorts the shapes down
 * the tree), eviction of shapes that have left their cells (evict.c), removal (remove.c), and their
 * workspace (workspace.c). */
#ifndef MO_SCENE_BULK_BULK_H
#define MO_SCENE_BULK_BULK_H

#include "math/four.h"
#include "scene/bulk/policy.h"
#include "scene/octree/octree.h"

/* A shape that waits to be inserted into the tree, with its box. */
struct mo_pending_insertion {
  mo_vec3 lower;
  uint32_t slot;
  mo_vec3 upper;
  mo_motion_marks motion;
  mo_box_size size;
};

static inline mo_pending_insertion mo_pending_insertion_make(uint32_t slot, mo_aabb box,
                                                             mo_motion_marks motion) {
  return (mo_pending_insertion){box.lower, slot, box.upper, motion, mo_box_size_of(&box)};
}

static inline mo_aabb mo_pending_insertion_box(const mo_pending_insertion *one) {
  return (mo_aabb){one->lower, one->upper};
}

/* A node to visit, with the pending insertions that descend into it: `count` of them, from index
 * `first` on. */
struct mo_insertion_visit {
  mo_f4 lower, upper; /* the node's cell */
  uint32_t node, first, count;
  bool is_new; /* the node was added to the tree for these insertions */
};

/* A target of insertions: the list of a leaf or of an inner node. With `graft`, the shapes and the
 * existing subtree are built into a new subtree instead. */
struct mo_insertion_target {
  mo_block_cell cell;
  uint32_t head;         /* first block of the list, before anything changed */
  uint32_t first, count; /* index and number of its pending insertions */
  uint8_t array_index;   /* which of the two arrays contains its pending insertions */
  bool graft;            /* build a new subtree from the insertions and the existing subtree */
};

/* How many shapes a workspace of this capacity can sort down the tree at a time. */
static inline uint32_t mo_bulk_max_shapes_per_sort(uint32_t capacity) {
  return capacity < MO_BULK_CHUNK_SHAPES ? capacity : MO_BULK_CHUNK_SHAPES;
}

/* Reserves a workspace for `count` shapes; its contents are lost. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_bulk_reserve(mo_scene *scene, uint32_t count);

/* Frees a workspace that is larger than MO_WORKSPACE_KEPT_CAPACITY. */
void mo_bulk_trim(mo_scene *scene);

void mo_bulk_destroy(mo_scene *scene);
size_t mo_bulk_bytes(const mo_scene *scene);

/* Inserts the first `count` pending insertions, which are new shapes, not yet in any block. Tight
 * bounds stay tight. On MO_ERROR_OUT_OF_MEMORY some shapes may have been inserted,
 * and bounds have been marked loose. */
mo_result mo_bulk_insert(mo_scene *scene, uint32_t count);

/* Replaces the subtree at `parent_octant` by a new one of its shapes and those of a list. */
void mo_bulk_graft(mo_scene *scene, uint32_t parent_octant, uint32_t head);

/* Adds a node for many pending insertions, more than MO_BULK_SAMPLE_SHAPES, in an empty octant or
 * an empty tree of the irregular policy; its planes are chosen from a sample of them. Returns
 * MO_NONE if no plane helps or there is no memory. */
uint32_t mo_bulk_add_node(mo_scene *scene, const mo_block_cell *at,
                          const mo_pending_insertion *items, uint32_t count);

/* A group of pending insertions, and the box around them. */
typedef struct mo_pending_group {
  const mo_pending_insertion *items;
  uint32_t count;
  mo_aabb bounds;
} mo_pending_group;

/* If a plane separates many pending insertions from the node at `parent_octant`, whose cell is
 * given: adds a parent with that plane above the node, and sets `at` to the parent's other octant,
 * where the caller inserts them. Returns whether it did so. */
bool mo_bulk_add_sibling(mo_scene *scene, uint32_t parent_octant, const mo_aabb *cell,
                         const mo_pending_group *group, mo_block_cell *at);

/* Moves the shapes that are marked as misplaced (scene/octree/moved.h), `misplaced` of them, to the
 * cells where they belong. Never fails: without memory the shapes are stored in wrong cells until
 * the next update. Bounds that were tight without these shapes are afterwards tight with them, or
 * marked loose. */
void mo_bulk_relocate(mo_scene *scene, uint32_t misplaced);

/* Evicts the shapes that are marked as misplaced: they become pending insertions, for which the
 * workspace must have capacity. mo_scene.places keeps the old places until they are inserted.
 * Clears the marks. */
void mo_bulk_evict(mo_scene *scene);

/* Removes the shapes in some slots from the tree. Bounds are marked loose, to be tightened later;
 * if `tightens_leaves`, those of each leaf are tightened at once, which is for few shapes. */
void mo_bulk_remove(mo_scene *scene, const uint32_t *slots, uint32_t count, bool tightens_leaves);

#endif
