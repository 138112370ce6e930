/* Marks of moved shapes, by block and lane, used while one call moves many shapes. */
#ifndef MO_SCENE_OCTREE_MOVED_H
#define MO_SCENE_OCTREE_MOVED_H

#include "base/assert.h"
#include "scene/octree/tree.h"

enum {
  MO_MOVED_BLOCKS_PER_GROUP = 64, /* blocks per bit of mo_moved_marks.groups */
  MO_MOVED_MAX_LISTS = 960,       /* maximum number of lists of blocks in the queue */
  MO_MOVED_QUEUE_CAPACITY = 1024, /* capacity of the queue of blocks */
};

/* mo_moved_marks_reserve allocates the marks of `blocks` blocks anew, all zero;
 * mo_moved_marks_bytes is the size of their memory. */
mo_result mo_moved_marks_reserve(mo_scene *scene, uint32_t blocks);
size_t mo_moved_marks_bytes(const mo_scene *scene, uint32_t blocks);

/* The marks that belong to one part of a batch of moves, of mo_scene.moved_part_count parts. */
mo_moved_marks mo_moved_marks_of_part(const mo_scene *scene, uint32_t part);

/* Adds the marks of parts 1 to count - 1 of a batch to those of part 0, and clears them. No two
 * parts may have marked the same lane. */
void mo_moved_marks_merge(mo_scene *scene, uint32_t count);

static inline void mo_moved_marks_add_group(const mo_moved_marks *moved, uint32_t block) {
  moved->groups[block / (MO_MOVED_BLOCKS_PER_GROUP * 64)] |=
      1ull << (block / MO_MOVED_BLOCKS_PER_GROUP % 64);
}

/* Marks a shape whose new box is stored already, so that mo_tree_refit_moved_shapes tests whether
 * it still fits its cell. */
static inline void mo_moved_marks_add_box(const mo_moved_marks *moved, mo_shape_place place) {
  MO_ASSERT(place >> 3 < moved->block_count);
  uint32_t block = place >> 3, lane = 1u << (place & 7);
  moved->lanes[block] |= (uint8_t)lane;
  moved->shifted_lanes[block] &= (uint8_t)~lane;
  moved->general_lanes[block] &= (uint8_t)~lane;
  mo_moved_marks_add_group(moved, block);
}

/* Marks a shape whose transform has changed. mo_tree_refit_moved_shapes computes its new box,
 * together with those of other shapes of its block. The box of a `fast` shape
 * (MO_TRAIT_BOX_FOLLOWS_ORIGIN) depends on nothing but its origin. */
static inline void mo_moved_marks_add_transform(const mo_moved_marks *moved, mo_shape_place place,
                                                bool fast) {
  MO_ASSERT(place >> 3 < moved->block_count);
  uint32_t block = place >> 3, lane = place & 7, mask = 1u << lane;
  moved->shifted_lanes[block] =
      (uint8_t)((moved->shifted_lanes[block] & ~mask) | (uint32_t)fast << lane);
  moved->general_lanes[block] =
      (uint8_t)((moved->general_lanes[block] & ~mask) | (uint32_t)!fast << lane);
  mo_moved_marks_add_group(moved, block);
}

/* Lists the blocks with marked lanes of a group; returns their number. */
uint32_t mo_moved_marks_list_blocks(const mo_scene *scene, uint32_t group,
                                    uint32_t blocks[MO_MOVED_BLOCKS_PER_GROUP]);

/* Completes a batch of `moves` moves: computes the missing boxes, tightens all bounds, and finds
 * the misplaced shapes, which no longer fit their cells. Only misplaced shapes stay marked (in
 * `lanes`); bounds and counts exclude them, so the caller must remove them next (mo_bulk_relocate).
 * Returns the number of misplaced shapes; `together`: runs in tasks, with the same result. */
uint32_t mo_tree_refit_moved_shapes(mo_scene *scene, uint32_t moves, bool together);

/* Updates the `dynamic` and `awake` bits of a shape's lane after its traits MO_TRAIT_IMMOVABLE or
 * MO_TRAIT_STILL changed; `before` are its previous traits. The marks of ancestors are left to
 * mo_tree_update_motion_marks, which ascends from each block once. */
static inline void mo_moved_marks_update_motion(mo_scene *scene, uint32_t slot, uint32_t before) {
  mo_shape_place place = scene->places[slot];
  mo_block_set_motion(mo_shape_block_at(scene, place >> 3), place & 7, scene->traits[slot]);
  if (scene->traits[slot] & ~before & (MO_TRAIT_IMMOVABLE | MO_TRAIT_STILL)) {
    /* The block may now contain fewer dynamic or awake shapes. */
    mo_moved_marks_add_box(&scene->moved, place);
  } else {
    mo_moved_marks_add_transform(&scene->moved, place, true);
  }
}

/* Sets the `dynamic` and `awake` marks of the nodes above all marked blocks, and clears all marks
 * of blocks. */
void mo_tree_update_motion_marks(mo_scene *scene);

/* Leaves the misplaced shapes in their blocks until the next update (for want of memory), and
 * clears the marks. */
void mo_tree_leave_misplaced_shapes(mo_scene *scene);

/* Computes the missing boxes in the lists of the given blocks, and clears all marks but those of
 * misplaced lanes, before bounds are tightened (scene/moves/boxes_kernel.c). `blocks` has
 * MO_MOVED_QUEUE_CAPACITY elements: the first `count`, at most MO_MOVED_MAX_LISTS, are input; the
 * rest is workspace. */
MO_ISA_DECLARE(void, mo_compute_boxes_of_moved_shapes,
               (mo_scene * scene, uint32_t *blocks, uint32_t count));

#endif
