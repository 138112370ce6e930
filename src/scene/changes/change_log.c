/* The change log: registration of listeners, and the growth of their lists with the scene. */
#include "scene/changes/change_log.h"

#include <string.h>

#include "base/assert.h"
#include "scene/policy.h"

/* Reallocates a listener's arrays for `slots` slots; 0 frees them. */
static mo_result resize_list(mo_listener *changes, const mo_allocator *allocator, uint32_t slots) {
  uint32_t before = changes->slot_capacity;
  const mo_array arrays[] = {{&changes->pending, sizeof *changes->pending},
                             {&changes->changed, sizeof *changes->changed}};
  mo_result result = mo_arrays_resize(allocator, arrays, 2, before, &changes->slot_capacity, slots);
  if (result == MO_OK && before < slots) {
    memset(changes->pending + before, 0, (slots - before) * sizeof *changes->pending);
  }
  return result;
}

static mo_result reserve_list(mo_listener *changes, uint32_t slots) {
  if (slots <= changes->slot_capacity) {
    return MO_OK;
  }
  mo_result result = changes->reserve != NULL ? changes->reserve(changes, slots) : MO_OK;
  return result == MO_OK ? resize_list(changes, &changes->scene->host.allocator, slots) : result;
}

mo_result mo_listener_register(mo_listener *changes, mo_scene *scene) {
  changes->scene = scene;
  mo_result result = reserve_list(changes, scene->shape_capacity);
  if (result != MO_OK) {
    changes->scene = NULL;
    return result;
  }
  changes->next = scene->listeners;
  scene->listeners = changes;
  return MO_OK;
}

void mo_listener_unregister(mo_listener *changes, const mo_allocator *allocator) {
  if (changes->scene != NULL) {
    mo_listener **link = &changes->scene->listeners;
    while (*link != changes) {
      link = &(*link)->next;
    }
    *link = changes->next;
    changes->scene = NULL;
  }
  (void)resize_list(changes, allocator, 0);
  changes->count = 0;
  changes->pending_kinds = 0;
}

void mo_listener_clear(mo_listener *changes) {
  if (changes->count > changes->slot_capacity / MO_MANY_CHANGED_DIVISOR) {
    memset(changes->pending, 0, changes->slot_capacity);
  } else {
    for (uint32_t i = 0; i < changes->count; i++) {
      changes->pending[changes->changed[i]] = 0;
    }
  }
  changes->count = 0;
  changes->pending_kinds = 0;
}

static void record_moves(mo_listener *c, const mo_shape_id *ids, uint32_t count) {
  uint8_t *pending = c->pending;
  uint32_t *changed = c->changed, changes = c->count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t slot = ids[i].index;
    MO_ASSERT(slot < c->slot_capacity);
    if (!pending[slot]) {
      changed[changes++] = slot;
    }
    pending[slot] |= MO_CHANGE_BOUNDS;
  }
  MO_ASSERT(changes <= c->slot_capacity);
  c->count = changes;
  c->pending_kinds |= MO_CHANGE_BOUNDS;
}

void mo_scene_record_moves(mo_scene *scene, const mo_shape_id *ids, uint32_t count) {
  for (mo_listener *c = scene->listeners; c != NULL; c = c->next) {
    if (c->kinds & MO_CHANGE_BOUNDS) {
      record_moves(c, ids, count);
    }
  }
}

/* Whether tasks can add moves to a listener's list in parallel: only if the list was empty before,
 * as the position of each shape in it is then known in advance. */
static bool can_record_moves_in_parallel(const mo_listener *c) {
  return (c->kinds & MO_CHANGE_BOUNDS) && c->count == 0;
}

void mo_scene_record_moves_part(const mo_scene *scene, const mo_shape_id *ids, uint32_t begin,
                                uint32_t end) {
  for (const mo_listener *c = scene->listeners; c != NULL; c = c->next) {
    for (uint32_t i = begin; i < end && can_record_moves_in_parallel(c); i++) {
      MO_ASSERT(i < c->slot_capacity && ids[i].index < c->slot_capacity);
      c->changed[i] = ids[i].index;
      c->pending[ids[i].index] = MO_CHANGE_BOUNDS;
    }
  }
}

void mo_scene_record_moves_end(mo_scene *scene, const mo_shape_id *ids, uint32_t count) {
  for (mo_listener *c = scene->listeners; c != NULL; c = c->next) {
    if (can_record_moves_in_parallel(c)) {
      c->count = count;
      c->pending_kinds |= MO_CHANGE_BOUNDS;
    } else if (c->kinds & MO_CHANGE_BOUNDS) {
      record_moves(c, ids, count);
    }
  }
}

mo_result mo_listeners_reserve(mo_scene *scene, uint32_t slots) {
  mo_result result = MO_OK;
  for (mo_listener *c = scene->listeners; c != NULL && result == MO_OK; c = c->next) {
    result = reserve_list(c, slots);
  }
  return result;
}

void mo_listeners_trim(mo_scene *scene) {
  for (mo_listener *c = scene->listeners; c != NULL; c = c->next) {
    if (scene->shape_capacity < c->slot_capacity) {
      (void)resize_list(c, &scene->host.allocator, scene->shape_capacity);
    }
    if (c->trim != NULL) {
      c->trim(c);
    }
  }
}

void mo_listeners_detach(mo_scene *scene) {
  while (scene->listeners != NULL) {
    mo_listener *orphan = scene->listeners;
    scene->listeners = orphan->next;
    orphan->scene = NULL;
  }
}
