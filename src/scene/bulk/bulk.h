/* Many shapes on their way into the tree together (insert.c, sorted down it in partition_kernel.c)
 * and out of it (evict.c and scene/moves/evict_kernel.c as they move, remove.c for good), and the
 * room for that (workspace.c). */
#ifndef MO_SCENE_BULK_BULK_H
#define MO_SCENE_BULK_BULK_H

#include "math/four.h"
#include "scene/bulk/policy.h"
#include "scene/octree/octree.h"

/* A shape that is not in the tree, or about to leave its place, and the box that it is to have. */
struct mo_pending_insertion {
  mo_vec3 lower;
  uint32_t slot;
  mo_vec3 upper;
  uint16_t moves; /* MO_MOVES_... */
  mo_size size;
};

enum { MO_MOVES_DYNAMIC = 1, MO_MOVES_AWAKE = 2 };

/* Readies one. */
static inline mo_pending_insertion mo_pending_insertion_make(uint32_t slot, const mo_aabb *box,
                                                             uint32_t traits) {
  uint32_t moves = (traits & MO_TRAIT_STATIC ? 0u : MO_MOVES_DYNAMIC) |
                   (traits & MO_TRAIT_STILL ? 0u : MO_MOVES_AWAKE);
  return (mo_pending_insertion){box->lower, slot, box->upper, (uint16_t)moves, mo_size_of(box)};
}

/* The one that a shape in a block becomes. */
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

/* A node to part shapes at: those from `first` on. */
struct mo_visit {
  mo_f4 lower, upper; /* the node's cell */
  uint32_t node, first, count;
  bool is_new; /* for these shapes */
};

/* Where shapes append_to_list: in the list of an owner; or grafted, with all that hangs there. */
struct mo_target {
  mo_block_cell at;
  uint32_t head; /* of the list before anything changed */
  uint32_t first, count;
  uint8_t odd; /* which of the two arrays holds them */
  bool graft;
};

/* How many shapes may be sorted at a time in the room for so many. */
static inline uint32_t mo_bulk_width(uint32_t capacity) {
  return capacity < MO_BULK_CHUNK ? capacity : MO_BULK_CHUNK;
}

/* Room for so many shapes at once, all or none; what was there is lost. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_bulk_reserve(mo_scene *scene, uint32_t count);

/* Gives back room beyond what batches of the usual sizes need. */
void mo_bulk_trim(mo_scene *scene);

void mo_bulk_destroy(mo_scene *scene);
size_t mo_bulk_bytes(const mo_scene *scene);

/* Inserts the first `count` of the scene's newcomers, new ones, whose places are MO_NONE until they
 * are in.
 * Bounds that were tight stay tight. On MO_ERROR_OUT_OF_MEMORY some of them may be in, and bounds
 * have been marked loose. */
mo_result mo_bulk_insert(mo_scene *scene, uint32_t count);

/* Builds a subtree of what hangs at a place and a list of newcomers. */
void mo_bulk_graft(mo_scene *scene, uint32_t up, uint32_t head);

/* Puts a node with planes that suit many newcomers, more than MO_BULK_SAMPLE, into an empty octant
 * or tree of the irregular policy. MO_NONE if that does not help or there is no memory. */
uint32_t mo_bulk_add_node(mo_scene *scene, const mo_block_cell *at,
                          const mo_pending_insertion *items, uint32_t count);

/* If newcomers, with `come` the box around them, are many beside the node that hangs at `up` in a
 * cell, and a plane lies between: puts a node with that plane above it, and sets `at` to its other
 * octant, where they are to append_to_list. */
bool mo_bulk_put_beside(mo_scene *scene, uint32_t up, const mo_aabb *cell, const mo_aabb *come,
                        const mo_pending_insertion *items, uint32_t count, mo_block_cell *at);

/* Moves the shapes that are noted as misplaced (scene/octree/moved.h), so many, all among `ids`, to
 * the cells where they belong. Never fails: without memory they are displaced. Bounds that were
 * tight without them are tight with them, or marked loose. */
void mo_bulk_relocate(mo_scene *scene, const mo_shape_id *ids, uint32_t misplaced);

/* Puts the first `count` of the scene's newcomers, who have left the tree, where they belong, as
 * above. */
void mo_bulk_reinsert(mo_scene *scene, uint32_t count);

/* The shapes that are noted as misplaced leave the tree and become newcomers, for whom there is
 * room. Their places tell where they were, until a block is taken. Forgets the notes. */
void mo_bulk_evict(mo_scene *scene);

/* How shapes leave the tree. */
typedef enum mo_removal {
  MO_REMOVAL_TIGHT, /* bounds leave them out already */
  MO_REMOVAL_FEW,   /* few of all that are there */
  MO_REMOVAL_MANY,
} mo_removal;

/* Takes shapes out of the tree. */
void mo_bulk_remove(mo_scene *scene, const uint32_t *slots, uint32_t count, mo_removal how);

#endif
