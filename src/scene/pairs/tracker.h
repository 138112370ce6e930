/* Pairs that are kept from update to update. A scene tells the trackers made for it which shapes
 * change; each keeps its own list of them until its next update. */
#ifndef MO_SCENE_PAIRS_TRACKER_H
#define MO_SCENE_PAIRS_TRACKER_H

#include <motte/pairs.h>

#include "scene/changes.h"
#include "scene/pairs/search.h"
#include "scene/pairs/set.h"
#include "scene/scene.h"

enum {
  MO_PENDING_CHANGED = 1,
  MO_PENDING_REBORN = 2, /* also: came or went, so that it is not the shape whose pairs are kept */
};

enum { MO_PAIR_PARTS = 32 };

/* A growing array that lives from update to update. */
typedef struct mo_pair_keys {
  uint64_t *keys;
  uint32_t count, capacity;
} mo_pair_keys;

typedef struct mo_pair_output {
  mo_pair *pairs;
  uint32_t count, capacity;
} mo_pair_output;

struct mo_pairs {
  mo_scene *scene; /* null once it is destroyed */
  mo_pairs *next;  /* of the scene's */
  mo_pairs_def def;
  mo_host host;

  /* By slot. */
  uint32_t slot_capacity;
  uint8_t *pending;  /* MO_PENDING_... */
  uint32_t *changed; /* slots that changed since the last update, each once, in no order */
  uint32_t changed_count;

  mo_pair_set set; /* tags: generations as of the last update; odd: alive then */
  uint64_t count;
  /* After a search of the whole tree: what it found, in its order; those not in the set are marked
   * as refused. Not in step with the set after other updates. */
  mo_pair_keys last;
  bool last_is_set;
  bool any_reborn; /* some shape is pending as reborn */
  uint64_t searches, whole_searches;

  /* Workspace of updates. */
  mo_pair_keys parts[MO_PAIR_WAYS][MO_PAIR_PARTS]; /* what tasks found, by the way they did */
  mo_pair_keys found, begins, ends, persists, changes, sorting;
  mo_pair_keys both; /* pairs that end and begin */
  mo_pair_keys wide; /* slots whose lists have much more room than they need */
  uint8_t *lanes;    /* by block: those with a changed shape; all zero between updates */
  uint32_t lane_capacity;
  uint64_t *touched; /* a bit per block with such lanes; likewise */
  uint32_t *merging;
  uint32_t merging_capacity;
  mo_pair_output output[3];
};

/* Room for so many slots. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_pairs_reserve_slots(mo_pairs *pairs, uint32_t count);

/* Room for `extra` more keys. */
bool mo_pairs_reserve_keys(mo_pairs *pairs, mo_pair_keys *list, uint64_t extra);

/* False when out of memory. */
bool mo_pairs_sort_keys(mo_pairs *pairs, mo_pair_keys *list);

/* A shape as of the last update. */
static inline mo_shape_id mo_pairs_id_of(const mo_pairs *pairs, uint32_t slot) {
  return (mo_shape_id){slot, pairs->set.lists[slot].tag};
}

/* Fills `begins`, `ends` and `persists`; with `whole`, also `found`, for the next time. False when
 * out of memory. */
bool mo_pairs_find_events(mo_pairs *pairs, bool whole);

/* A shape that changed: whether it is still there. Who neither came nor went is. */
static inline bool mo_pairs_is_alive_now(const mo_pairs *pairs, uint32_t slot) {
  const mo_scene *scene = pairs->scene;
  return !(pairs->pending[slot] & MO_PENDING_REBORN) ||
         (slot < scene->slot_count && mo_slot_is_alive(scene, slot));
}

static inline void mo_pairs_tell(mo_scene *scene, uint32_t slot, uint8_t pending) {
  for (mo_pairs *p = scene->pairs; p; p = p->next) {
    if (!p->pending[slot]) {
      p->changed[p->changed_count++] = slot;
    }
    p->pending[slot] |= pending;
    p->any_reborn |= (pending & MO_PENDING_REBORN) != 0;
  }
}

/* Tells the trackers and listeners of a scene that a shape moved or is to be looked at again. Never
 * fails: there is room for every slot. */
static inline void mo_scene_note(mo_scene *scene, uint32_t slot) {
  mo_pairs_tell(scene, slot, MO_PENDING_CHANGED);
  mo_changes_note(scene, slot);
}

/* The same of a move that may have left the bounds as they were, which is all that pairs depend on.
 */
static inline void mo_scene_note_move(mo_scene *scene, uint32_t slot, bool has_new_bounds) {
  if (has_new_bounds) {
    mo_pairs_tell(scene, slot, MO_PENDING_CHANGED);
  }
  mo_changes_note(scene, slot);
}

/* mo_scene_note for many. */
void mo_scene_note_moves(mo_scene *scene, const mo_shape_id *ids, uint32_t count);

/* Likewise that one came or went. */
static inline void mo_scene_note_reborn(mo_scene *scene, uint32_t slot) {
  mo_pairs_tell(scene, slot, MO_PENDING_CHANGED | MO_PENDING_REBORN);
  mo_changes_note(scene, slot);
}

#endif
