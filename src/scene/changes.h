/* Who wants to know which shapes of a scene change: each listener has a list of those that did
 * since it last cleared it. */
#ifndef MO_SCENE_CHANGES_H
#define MO_SCENE_CHANGES_H

#include "scene/scene.h"

typedef struct mo_changes mo_changes;

struct mo_changes {
  mo_scene *scene;  /* null once it is destroyed */
  mo_changes *next; /* of the scene's */
  uint32_t slot_capacity;
  uint8_t *pending;  /* by slot: whether it is in the list */
  uint32_t *changed; /* slots that changed (moved, came, went, ...), each once, in no order */
  uint32_t count;
  /* Called when the scene needs room for more slots, before the rest of this listener's; null if
   * there is nothing else. MO_ERROR_OUT_OF_MEMORY. */
  mo_result (*reserve)(mo_changes *changes, uint32_t slots);
};

/* Begins to listen. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_changes_begin(mo_changes *changes, mo_scene *scene);

/* Ends it, with the allocator that the scene had. */
void mo_changes_end(mo_changes *changes, const mo_allocator *allocator);

/* Empties the list. */
void mo_changes_clear(mo_changes *changes);

/* For the scene: room for so many slots in all lists; and its end. */
mo_result mo_changes_reserve_all(mo_scene *scene, uint32_t slots);
void mo_changes_abandon_all(mo_scene *scene);

/* Never fails: there is room for every slot. */
static inline void mo_changes_note(mo_scene *scene, uint32_t slot) {
  for (mo_changes *c = scene->listeners; c; c = c->next) {
    if (!c->pending[slot]) {
      c->pending[slot] = 1;
      c->changed[c->count++] = slot;
    }
  }
}

#endif
