/* The change log of a scene: pair trackers and watches listen to it. Each listener has a list of
 * the shapes that changed since it last cleared the list. */
#ifndef MO_SCENE_CHANGES_CHANGE_LOG_H
#define MO_SCENE_CHANGES_CHANGE_LOG_H

#include "base/assert.h"
#include "scene/scene.h"

/* Kinds of change of a shape, as bits. */
enum {
  /* The stored bounds changed, or the filter, or whether the shape is static. */
  MO_CHANGE_BOUNDS = 1,
  /* The shape was added or removed: the slot may contain another shape now. */
  MO_CHANGE_SLOT_REUSED = 2,
  /* The shape moved and its stored bounds did not change, as it has a margin. */
  MO_CHANGE_INSIDE_BOUNDS = 4,
  /* The shape was asleep and is awake now. */
  MO_CHANGE_WOKEN = 8,
  /* The geometry changed, or the host says that it may have; MO_CHANGE_BOUNDS is set too. */
  MO_CHANGE_GEOMETRY = 16,
  /* Another shape of the body has left it; noted for one of the remaining shapes. */
  MO_CHANGE_RIGID_BODY = 32,
  /* Never set by a scene: for marks of the listener itself. */
  MO_CHANGE_OF_LISTENER = 64,
};

typedef struct mo_listener mo_listener;

/* A listener to the change log of a scene. */
struct mo_listener {
  mo_scene *scene;       /* null after the scene is destroyed */
  mo_listener *next;     /* the next listener in the scene's list */
  uint8_t kinds;         /* MO_CHANGE_... that this listener wants */
  uint8_t pending_kinds; /* union of the kinds of change of all shapes in the list */
  uint32_t slot_capacity;
  /* By slot: MO_CHANGE_... of the shape; 0 if the slot is not in the list `changed`. */
  uint8_t *pending;
  uint32_t *changed; /* the list: slots of changed shapes, each once, in no order */
  uint32_t count;
  /* Callback before the scene gets more slots: reserves the arrays by slot that the listener itself
   * has. May be null. MO_ERROR_OUT_OF_MEMORY. */
  mo_result (*reserve)(mo_listener *changes, uint32_t slots);
  /* Callbacks for a shift of the scene's origin by a vector: `check_shift` tests whether the world
   * coordinates that the listener stores stay in range (MO_ERROR_OUT_OF_RANGE, logged for the
   * argument at `refusal`); `shift` then shifts them. Either may be null. */
  mo_result (*check_shift)(const mo_listener *changes, mo_vec3 by, const mo_refusal *refusal);
  void (*shift)(mo_listener *changes, mo_vec3 by);
  /* Callback to free memory that is not needed now, after the list was trimmed. May be null. */
  void (*trim)(mo_listener *changes);
};

/* Registers a listener; the caller has set `kinds` and `reserve`. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_listener_register(mo_listener *changes, mo_scene *scene);

/* Unregisters a listener and frees its list; `allocator` is that of the scene. */
void mo_listener_unregister(mo_listener *changes, const mo_allocator *allocator);

/* Empties a listener's list of changed shapes. */
void mo_listener_clear(mo_listener *changes);

/* Called by the scene: reserves `slots` slots in all listeners. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_listeners_reserve(mo_scene *scene, uint32_t slots);

/* Called by the scene after it has trimmed its own memory: trims that of all listeners. */
void mo_listeners_trim(mo_scene *scene);

/* Called by the scene before it is destroyed: detaches all listeners. */
void mo_listeners_detach(mo_scene *scene);

/* Adds a shape to the list of one listener. Never fails: there is memory for every slot. */
static inline void mo_listener_add(mo_listener *changes, uint32_t slot, uint8_t kinds) {
  MO_ASSERT(slot < changes->slot_capacity && kinds != 0);
  if (!changes->pending[slot]) {
    MO_ASSERT(changes->count < changes->slot_capacity);
    changes->changed[changes->count++] = slot;
  }
  changes->pending[slot] |= kinds;
  changes->pending_kinds |= kinds;
}

/* Tells the listeners of a scene that a shape changed in some ways (MO_CHANGE_...). */
static inline void mo_scene_record_change(mo_scene *scene, uint32_t slot, uint8_t kinds) {
  for (mo_listener *c = scene->listeners; c != NULL; c = c->next) {
    if (c->kinds & kinds) {
      mo_listener_add(c, slot, kinds);
    }
  }
}

/* Tells the listeners that the stored bounds of many shapes changed (MO_CHANGE_BOUNDS). */
void mo_scene_record_moves(mo_scene *scene, const mo_shape_id *ids, uint32_t count);

/* mo_scene_record_moves split into parts, for shapes whose slots ascend: tasks call
 * mo_scene_record_moves_part concurrently, one for each part; then mo_scene_record_moves_end
 * completes the listeners' lists. */
void mo_scene_record_moves_part(const mo_scene *scene, const mo_shape_id *ids, uint32_t begin,
                                uint32_t end);
void mo_scene_record_moves_end(mo_scene *scene, const mo_shape_id *ids, uint32_t count);

/* The kind of change to note for a shape that moved. */
static inline uint8_t mo_change_of_move(bool has_new_bounds) {
  return has_new_bounds ? MO_CHANGE_BOUNDS : MO_CHANGE_INSIDE_BOUNDS;
}

#endif
