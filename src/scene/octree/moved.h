/* Marks of moved shapes, by lane and block, while a call moves many shapes. */
#ifndef MO_SCENE_OCTREE_MOVED_H
#define MO_SCENE_OCTREE_MOVED_H

#include "scene/octree/tree.h"

enum {
  MO_MOVED_GROUP = 64,  /* blocks for which there is a bit */
  MO_MOVED_LISTS = 960, /* evaluated together */
  MO_MOVED_QUEUE = 1024,
};

/* Memory for the marks of so many blocks, and its size. All marks are lost. */
mo_result mo_moved_reserve(mo_scene *scene, uint32_t blocks);
size_t mo_moved_bytes(const mo_scene *scene, uint32_t blocks);

/* The marks of one part of the moves, of mo_scene.moved_parts. */
mo_moved mo_moved_of_part(const mo_scene *scene, uint32_t part);

/* Adds the marks of parts 1 to count - 1 to those of the first, and clears them. Parts have marked
 * different lanes. */
void mo_moved_merge(mo_scene *scene, uint32_t count);

static inline void mo_moved_note_group(const mo_moved *moved, uint32_t block) {
  moved->groups[block / (MO_MOVED_GROUP * 64)] |= 1ull << (block / MO_MOVED_GROUP % 64);
}

/* Notes that a shape has a new box, so that mo_moved_settle evaluates it. */
static inline void mo_moved_note(const mo_moved *moved, mo_place place) {
  uint32_t block = place >> 3, lane = 1u << (place & 7);
  moved->lanes[block] |= (uint8_t)lane;
  moved->shifts[block] &= (uint8_t)~lane;
  moved->images[block] &= (uint8_t)~lane;
  mo_moved_note_group(moved, block);
}

/* Notes that a shape is elsewhere: its box is left to mo_moved_settle, which works out those of a
 * block together. Of an easy shape nothing but the origin decides it. */
static inline void mo_moved_note_place(const mo_moved *moved, mo_place place, bool easy) {
  uint32_t block = place >> 3, lane = place & 7, mask = 1u << lane;
  moved->shifts[block] = (uint8_t)((moved->shifts[block] & ~mask) | (uint32_t)easy << lane);
  moved->images[block] = (uint8_t)((moved->images[block] & ~mask) | (uint32_t)!easy << lane);
  mo_moved_note_group(moved, block);
}

/* The blocks of a group with marked lanes; returns how many. */
uint32_t mo_moved_blocks_of(const mo_scene *scene, uint32_t group, uint32_t blocks[MO_MOVED_GROUP]);

/* After so many moves: works out boxes that are still to be, makes all bounds tight, and finds out
 * which of the marked shapes do not belong any more where they are: these are misplaced. They alone
 * stay marked (in `lanes`), and bounds and counts leave them out, so they are to be taken away next
 * (mo_bulk_relocate). Returns how many, the same ones whether or not this is done in tasks
 * (`together`). */
uint32_t mo_moved_settle(mo_scene *scene, uint32_t moves, bool together);

/* The same for shapes of which most are misplaced: these are evicted at once and become pending
 * insertions (scene/bulk/bulk.h), for which the workspace has capacity, so that no mark stays. Only
 * the bounds and counts of inner nodes are left to mo_tree_tighten. */
uint32_t mo_moved_evict_all(mo_scene *scene);

/* Brings the bits of a shape's lane in line with its traits, of which it had others before
 * (MO_TRAIT_STATIC, MO_TRAIT_STILL). The marks of the nodes above are left to
 * mo_moved_settle_motions, which climbs from each block once. */
static inline void mo_moved_note_motion(mo_scene *scene, uint32_t slot, uint32_t before) {
  mo_place place = scene->places[slot];
  mo_block_set_motion(mo_shape_block_at(scene, place >> 3), place & 7, scene->traits[slot]);
  if (scene->traits[slot] & ~before & (MO_TRAIT_STATIC | MO_TRAIT_STILL)) {
    mo_moved_note(&scene->moved, place); /* less may move there */
  } else {
    mo_moved_note_place(&scene->moved, place, true);
  }
}

void mo_moved_settle_motions(mo_scene *scene);

/* Turns the marks of misplaced shapes into MO_TRAIT_MISPLACED. */
void mo_moved_mark_misplaced(mo_scene *scene);

/* Works out boxes in the lists that begin with some blocks, and leaves of the notes only the lanes
 * that are misplaced, for the tightening of bounds (scene/moves/boxes_kernel.c). Of
 * blocks[0..MO_MOVED_QUEUE) the first `count` are given, at most MO_MOVED_LISTS; the rest is
 * workspace. */
MO_ISA_DECLARE(void, mo_moved_evaluate, (mo_scene * scene, uint32_t *blocks, uint32_t count));
void mo_moved_evaluate(mo_scene *scene, uint32_t *blocks, uint32_t count);

/* Evicts the misplaced shapes of some blocks and of the other blocks of their lists
 * (scene/moves/evict_kernel.c). There are `count` pending insertions before them; returns how many
 * there are then. */
MO_ISA_DECLARE(uint32_t, mo_moved_evict,
               (mo_scene * scene, const uint32_t *blocks, uint32_t some, uint32_t count));
uint32_t mo_moved_evict(mo_scene *scene, const uint32_t *blocks, uint32_t some, uint32_t count);

#endif
