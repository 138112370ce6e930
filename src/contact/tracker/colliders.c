/* The colliders of changed shapes, made once per update, in tasks. Those of other shapes are made
 * where a pair needs them. */
#include "base/assert.h"
#include "base/tasks.h"
#include "contact/tracker/tracker.h"

enum { COLLIDERS_IN_TASK = 256 };

static bool has_partners(const mo_contact_tracker *tracker, uint32_t slot) {
  const mo_pair_set *pairs = &tracker->pair_tracker->set;
  return mo_slot_is_alive(tracker->log.scene, slot) && mo_partners_count(pairs, slot) > 0;
}

/* Lists the shapes of which colliders are made; the memory has been reserved. */
static void list_shapes(mo_contact_tracker *tracker) {
  const mo_changes *log = &tracker->log;
  mo_collider_memory *m = &tracker->colliders;
  for (uint32_t i = 0; i < log->count; i++) {
    const uint32_t slot = log->changed[i];
    m->places.items[slot] = MO_NONE;
    if ((log->pending[slot] & MO_CONTACT_CHANGES) != 0 && has_partners(tracker, slot)) {
      MO_ASSERT(m->slots.count < m->slots.capacity);
      m->places.items[slot] = m->slots.count;
      m->slots.items[m->slots.count++] = slot;
    }
  }
}

/* A task. */
static void make_colliders(uint32_t index, void *context) {
  mo_contact_tracker *tracker = context;
  mo_collider_memory *m = &tracker->colliders;
  const mo_scene *scene = tracker->log.scene;
  const uint32_t first = index * COLLIDERS_IN_TASK;
  for (uint32_t i = first; i < first + COLLIDERS_IN_TASK && i < m->count; i++) {
    m->items[i] = mo_collider_of_shape(scene, m->slots.items[i]);
    mo_collider_keep_box(&m->items[i], scene->isa, &m->boxes.items[i]);
  }
}

mo_result mo_contact_tracker_make_colliders(mo_contact_tracker *tracker) {
  const mo_allocator *allocator = &tracker->host.allocator;
  mo_collider_memory *m = &tracker->colliders;
  m->count = m->boxes.count = m->slots.count = 0;
  mo_result result = mo_list_extend(allocator, &m->places.list, sizeof *m->places.items,
                                    tracker->log.scene->slot_count, 0);
  if (result == MO_OK) {
    result = mo_list_reserve(allocator, &m->slots.list, sizeof *m->slots.items, tracker->log.count);
  }
  if (result != MO_OK) {
    return result;
  }
  list_shapes(tracker);
  const uint32_t count = m->slots.count;
  result = mo_list_reserve(allocator, &m->list, sizeof *m->items, count);
  if (result == MO_OK) {
    result = mo_list_reserve(allocator, &m->boxes.list, sizeof *m->boxes.items, count);
  }
  if (result == MO_OK) {
    m->count = m->boxes.count = count;
    mo_tasks_run(&tracker->host, (count + COLLIDERS_IN_TASK - 1) / COLLIDERS_IN_TASK,
                 make_colliders, tracker);
  }
  return result;
}
