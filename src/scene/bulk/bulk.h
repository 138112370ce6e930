/* Insertion of many shapes together (insert.c, sorted down the tree in partition_kernel.c),
 * eviction of those that move out of their cells (evict.c, scene/moves/evict_kernel.c), removal
 * (remove.c), and the workspace for that (workspace.c). */
#ifndef MO_SCENE_BULK_BULK_H
#define MO_SCENE_BULK_BULK_H

#include "math/four.h"
#include "scene/bulk/policy.h"
#include "scene/octree/octree.h"

/* A shape that is to be inserted into the tree, and its box. */
struct mo_pending_insertion {
  mo_vec3 lower;
  uint32_t slot;
  mo_vec3 upper;
  uint16_t moves; /* MO_MOVES_... */
  mo_size size;
};

enum { MO_MOVES_DYNAMIC = 1, MO_MOVES_AWAKE = 2 };

/* Of a shape with a box. */
static inline mo_pending_insertion mo_pending_insertion_make(uint32_t slot, const mo_aabb *box,
                                                             uint32_t traits) {
  uint32_t moves = (traits & MO_TRAIT_STATIC ? 0u : MO_MOVES_DYNAMIC) |
                   (traits & MO_TRAIT_STILL ? 0u : MO_MOVES_AWAKE);
  return (mo_pending_insertion){box->lower, slot, box->upper, (uint16_t)moves, mo_size_of(box)};
}

/* Of a shape in a block, which is evicted. */
static inline mo_pending_insertion mo_pending_insertion_of(const mo_shape_block *block,
                                                           uint32_t lane) {
  mo_aabb box = mo_bounds8_get(&block->bounds, (int)lane);
  uint32_t moves = (block->dynamic >> lane & 1 ? MO_MOVES_DYNAMIC : 0u) |
                   (block->awake >> lane & 1 ? MO_MOVES_AWAKE : 0u);
  return (mo_pending_insertion){box.lower, block->shape[lane], box.upper, (uint16_t)moves,
                                mo_size_of(&box)};
}

static inline mo_aabb mo_pending_insertion_box(const mo_pending_insertion *one) {
  return (mo_aabb){one->lower, one->upper};
}

/* A node, and the pending insertions from `first` on that go below it. */
struct mo_visit {
  mo_f4 lower, upper; /* the node's cell */
  uint32_t node, first, count;
  bool is_new; /* made for these shapes */
};

/* Where shapes are inserted: into the list of a target leaf or of an inner node; or grafted: a
 * subtree is built of them and of the subtree that is there. */
struct mo_target {
  mo_block_cell at;
  uint32_t head; /* of the list before anything changed */
  uint32_t first, count;
  uint8_t odd; /* which of the two arrays holds them */
  bool graft;
};

/* How many shapes may be sorted at a time in a workspace of this capacity. */
static inline uint32_t mo_bulk_width(uint32_t capacity) {
  return capacity < MO_BULK_CHUNK ? capacity : MO_BULK_CHUNK;
}

/* A workspace for so many shapes at once; its contents are lost. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_bulk_reserve(mo_scene *scene, uint32_t count);

/* Frees a workspace that is larger than MO_WORKSPACE_KEPT. */
void mo_bulk_trim(mo_scene *scene);

void mo_bulk_destroy(mo_scene *scene);
size_t mo_bulk_bytes(const mo_scene *scene);

/* Inserts the first `count` pending insertions, of new shapes: their places are MO_NONE until then.
 * Bounds that were tight stay tight. On MO_ERROR_OUT_OF_MEMORY some of them may be in, and bounds
 * have been marked loose. */
mo_result mo_bulk_insert(mo_scene *scene, uint32_t count);

/* Builds a subtree of the one that hangs at `up` and of a list of shapes. */
void mo_bulk_graft(mo_scene *scene, uint32_t up, uint32_t head);

/* Adds a node with planes that suit many pending insertions, more than MO_BULK_SAMPLE, into an
 * empty octant or tree of the irregular policy. MO_NONE if that does not help or there is no
 * memory. */
uint32_t mo_bulk_add_node(mo_scene *scene, const mo_block_cell *at,
                          const mo_pending_insertion *items, uint32_t count);

/* Pending insertions, and the box around them. */
typedef struct mo_pending_group {
  const mo_pending_insertion *items;
  uint32_t count;
  mo_aabb bounds;
} mo_pending_group;

/* If a plane separates many pending insertions from the node that hangs at `up` in a cell: adds a
 * parent with that plane above the node, and sets `at` to the parent's other octant, which is where
 * to insert them. Returns whether it did. */
bool mo_bulk_put_beside(mo_scene *scene, uint32_t up, const mo_aabb *cell,
                        const mo_pending_group *group, mo_block_cell *at);

/* Moves the shapes that are marked as misplaced (scene/octree/moved.h), so many, all among `ids`,
 * or any where that is null, to the cells where they belong. Never fails: without memory they are
 * displaced. Bounds that were tight without them are tight with them, or marked loose. */
void mo_bulk_relocate(mo_scene *scene, const mo_shape_id *ids, uint32_t misplaced);

/* Inserts the first `count` pending insertions again, of shapes that have been evicted; errors as
 * above. */
void mo_bulk_reinsert(mo_scene *scene, uint32_t count);

/* Evicts the shapes that are marked as misplaced: they become pending insertions, for which the
 * workspace has capacity. Their places are still the old ones, until a block is taken. Clears the
 * marks. */
void mo_bulk_evict(mo_scene *scene);

/* What happens to bounds when shapes are removed. */
typedef enum mo_removal {
  MO_REMOVAL_TIGHT, /* they exclude the shapes already */
  MO_REMOVAL_FEW,   /* few of all that are there */
  MO_REMOVAL_MANY,
} mo_removal;

/* Removes shapes from the tree. */
void mo_bulk_remove(mo_scene *scene, const uint32_t *slots, uint32_t count, mo_removal how);

#endif
