/* What a call that moves many shapes has moved: lanes of blocks, found again without a search. */
#ifndef MO_SCENE_MOVED_H
#define MO_SCENE_MOVED_H

#include "scene/tree.h"

enum { MO_MOVED_GROUP = 64 }; /* blocks for which there is a bit */

/* Room for the notes of so many blocks, and its size. All notes are lost. */
mo_result mo_moved_reserve(mo_scene *scene, uint32_t blocks);
size_t mo_moved_bytes(uint32_t blocks);

/* Notes that a shape has a new box, so that it is looked at by mo_moved_settle. */
static inline void mo_moved_note(mo_scene *scene, mo_place place) {
  uint32_t block = place >> 3;
  scene->moved.lanes[block] |= (uint8_t)(1u << (place & 7));
  scene->moved.groups[block / (MO_MOVED_GROUP * 64)] |= 1ull << (block / MO_MOVED_GROUP % 64);
}

/* Makes all bounds tight, and while the blocks are at hand finds out which of the noted shapes do
 * not belong any more where they are: those get MO_TRAIT_ASTRAY, and bounds leave them out, so they
 * are to be taken away next (mo_bulk_relocate). Returns how many, the same ones whether or not
 * subtrees are done as tasks (`together`). Forgets the notes. */
uint32_t mo_moved_settle(mo_scene *scene, bool together);

#endif
