/* Islands: shapes that are connected by contacts. Union-find (disjoint sets) over slots, in which
 * the root of each set is its lowest slot. */
#include <string.h>

#include "base/key_sort.h"
#include "contact/tracker/tracker.h"

void mo_island_memory_destroy(const mo_allocator *allocator, mo_island_memory *memory) {
  mo_deallocate(allocator, memory->parent, memory->slot_capacity, sizeof *memory->parent);
  mo_deallocate(allocator, memory->number, memory->slot_capacity, sizeof *memory->number);
  mo_deallocate(allocator, memory->slots, memory->shape_capacity, 2 * sizeof *memory->slots);
  mo_deallocate(allocator, memory->shapes, memory->shape_capacity, sizeof *memory->shapes);
  mo_deallocate(allocator, memory->starts, memory->shape_capacity, sizeof *memory->starts);
  mo_deallocate(allocator, memory->of_contact, memory->contact_capacity,
                sizeof *memory->of_contact);
  *memory = (mo_island_memory){.parent = NULL};
}

size_t mo_island_memory_bytes(const mo_island_memory *m) {
  size_t by_shape = 2 * sizeof *m->slots + sizeof *m->shapes + sizeof *m->starts;
  return m->slot_capacity * (sizeof *m->parent + sizeof *m->number) + m->shape_capacity * by_shape +
         m->contact_capacity * sizeof *m->of_contact;
}

/* Reserves memory for all slots and contacts, and for `most` shapes. If any array is too small, all
 * are allocated anew. */
static bool reserve(mo_contact_tracker *tracker, uint64_t most) {
  const mo_allocator *allocator = &tracker->host.allocator;
  mo_island_memory *m = &tracker->islands;
  uint32_t slots = tracker->log.scene->shape_capacity, contacts = tracker->now.count + 1;
  uint32_t shapes = (most < slots ? (uint32_t)most : slots) + 1;
  if (slots <= m->slot_capacity && shapes <= m->shape_capacity && contacts <= m->contact_capacity) {
    return true;
  }
  uint32_t more_shapes = shapes + shapes / 2, more_contacts = contacts + contacts / 2;
  mo_island_memory made = {
      .slot_capacity = slots, .shape_capacity = more_shapes, .contact_capacity = more_contacts};
  made.parent = mo_allocate(allocator, slots, sizeof *made.parent);
  made.number = mo_allocate(allocator, slots, sizeof *made.number);
  made.slots = mo_allocate(allocator, more_shapes, 2 * sizeof *made.slots);
  made.shapes = mo_allocate(allocator, more_shapes, sizeof *made.shapes);
  made.starts = mo_allocate(allocator, more_shapes, sizeof *made.starts);
  made.of_contact = mo_allocate(allocator, more_contacts, sizeof *made.of_contact);
  if (made.parent == NULL || made.number == NULL || made.slots == NULL || made.shapes == NULL ||
      made.starts == NULL || made.of_contact == NULL) {
    mo_island_memory_destroy(allocator, &made);
    return false;
  }
  memset(made.parent, 0xff, slots * sizeof *made.parent);
  mo_island_memory_destroy(allocator, m);
  *m = made;
  return true;
}

/* Find: the root of a slot's set, which is its lowest slot. Path halving shortens later searches.
 */
static uint32_t lowest_of(uint32_t *parent, uint32_t slot) {
  while (parent[slot] != slot) {
    parent[slot] = parent[parent[slot]];
    slot = parent[slot];
  }
  return slot;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b) {
  a = lowest_of(parent, a);
  b = lowest_of(parent, b);
  parent[a > b ? a : b] = a < b ? a : b;
}

/* Adds a shape as a set of its own, if it is new. Returns the new number of shapes. */
static uint32_t enter(mo_island_memory *m, uint32_t count, uint32_t slot) {
  if (m->parent[slot] == MO_NONE) {
    m->parent[slot] = slot;
    m->slots[count++] = slot;
  }
  return count;
}

static bool moves(const mo_scene *scene, mo_shape_id id) {
  return mo_slot_motion(scene, id.index) != MO_MOTION_STATIC;
}

/* Collects all moving shapes that have contacts, and unites those in contact. Returns their number.
 */
static uint32_t join_all(mo_island_memory *m, const mo_scene *scene, const mo_contact_list *list) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    const mo_contact *c = &list->items[i].contact;
    if (c->manifold.point_count > 0) {
      bool a = moves(scene, c->a), b = moves(scene, c->b);
      count = a ? enter(m, count, c->a.index) : count;
      count = b ? enter(m, count, c->b.index) : count;
      if (a && b) {
        join(m->parent, c->a.index, c->b.index);
      }
    }
  }
  return count;
}

/* Numbers the islands by their lowest slot, and lists their shapes island by island. Returns the
 * number of islands. */
static uint32_t list_shapes(mo_island_memory *m, const mo_scene *scene, uint32_t count) {
  uint32_t islands = 0;
  mo_keys_sort(m->slots, m->slots + count, count);
  for (uint32_t i = 0; i < count; i++) { /* ascending, so the root of an island comes first */
    uint32_t slot = (uint32_t)m->slots[i], lowest = lowest_of(m->parent, slot);
    if (lowest == slot) {
      m->number[slot] = islands;
      m->starts[islands++] = 0;
    }
    m->starts[m->number[lowest]]++;
  }
  for (uint32_t i = 0, sum = 0; i < islands; i++) {
    uint32_t size = m->starts[i];
    m->starts[i] = sum;
    sum += size;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t slot = (uint32_t)m->slots[i];
    m->shapes[m->starts[m->number[lowest_of(m->parent, slot)]]++] = mo_shape_id_of(scene, slot);
  }
  for (uint32_t i = islands; i-- > 0;) { /* each entry is now the start of the next island */
    m->starts[i + 1] = m->starts[i];
  }
  m->starts[0] = 0;
  return islands;
}

static void number_contacts(mo_island_memory *m, const mo_scene *scene,
                            const mo_contact_list *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    const mo_contact *c = &list->items[i].contact;
    uint32_t slot = moves(scene, c->a) ? c->a.index : moves(scene, c->b) ? c->b.index : MO_NONE;
    bool none = c->manifold.point_count == 0 || slot == MO_NONE;
    m->of_contact[i] = none ? MO_NO_ISLAND : m->number[lowest_of(m->parent, slot)];
  }
}

static bool all_there(const mo_scene *scene, const mo_contact_list *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    const mo_contact *c = &list->items[i].contact;
    if (!mo_shape_is_known(scene, c->a) || !mo_shape_is_known(scene, c->b)) {
      return false;
    }
  }
  return true;
}

mo_result mo_contact_tracker_find_islands(mo_contact_tracker *tracker, mo_islands *islands) {
  if (tracker == NULL || islands == NULL) {
    return mo_refuse_null(tracker != NULL ? &tracker->host : NULL, __func__, "islands");
  }
  const mo_scene *scene = tracker->log.scene;
  const mo_contact_list *list = &tracker->now;
  mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "tracker");
  if (scene == NULL) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  if (!all_there(scene, list)) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has contacts of shapes that are gone");
  }
  if (list->count == 0) {
    *islands = (mo_islands){.shapes = NULL};
    return MO_OK;
  }
  mo_island_memory *m = &tracker->islands;
  if (!reserve(tracker, 2 * (uint64_t)list->count)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  uint32_t shapes = join_all(m, scene, list), count = list_shapes(m, scene, shapes);
  number_contacts(m, scene, list);
  for (uint32_t i = 0; i < shapes; i++) {
    m->parent[m->slots[i]] = MO_NONE;
  }
  *islands = (mo_islands){
      .shapes = shapes > 0 ? m->shapes : NULL,
      .starts = shapes > 0 ? m->starts : NULL,
      .island_of_contact = m->of_contact,
      .island_count = count,
      .shape_count = shapes,
  };
  return MO_OK;
}

/* --- sleeping shapes --- */

/* Adds a shape if it sleeps and has not been found yet. Returns the new number of shapes. */
static uint32_t enter_sleeper(mo_island_memory *m, const mo_scene *scene, uint32_t count,
                              mo_shape_id id) {
  bool sleeps =
      mo_shape_is_known(scene, id) && mo_slot_motion(scene, id.index) == MO_MOTION_SLEEPING;
  return sleeps ? enter(m, count, id.index) : count;
}

/* Adds the sleeping shapes that have contacts with points with a shape. Returns the new number of
 * shapes. */
static uint32_t enter_neighbours(mo_contact_tracker *tracker, uint32_t count, mo_shape_id id) {
  const mo_resting *resting = &tracker->resting;
  uint32_t link = mo_resting_first(resting, id.index);
  for (; link != MO_NONE; link = mo_resting_next(resting, link)) {
    const mo_contact *c = &resting->contacts[link / 2].tracked.contact;
    const mo_shape_id *ids[2] = {&c->a, &c->b};
    if (c->manifold.point_count > 0 && ids[link % 2]->generation == id.generation) {
      count = enter_sleeper(&tracker->islands, tracker->log.scene, count, *ids[1 - link % 2]);
    }
  }
  return count;
}

mo_result mo_contact_tracker_find_sleepers(mo_contact_tracker *tracker, const mo_shape_id *ids,
                                           uint32_t count, mo_shape_id *sleepers, uint32_t capacity,
                                           uint32_t *total) {
  bool no_ids = ids == NULL && count > 0;
  if (tracker == NULL || no_ids || (sleepers == NULL && capacity > 0) || total == NULL) {
    return mo_refuse_null(tracker != NULL ? &tracker->host : NULL, __func__,
                          no_ids          ? "ids"
                          : total == NULL ? "total"
                                          : "sleepers");
  }
  mo_result result = mo_contact_tracker_check_ids(tracker, ids, count, __func__);
  if (result != MO_OK) {
    return result;
  }
  mo_island_memory *m = &tracker->islands;
  const mo_scene *scene = tracker->log.scene;
  if (!reserve(tracker, count + 2 * (uint64_t)tracker->resting.count)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    found = enter_sleeper(m, scene, found, ids[i]);
    found = enter_neighbours(tracker, found, ids[i]);
  }
  for (uint32_t i = 0; i < found; i++) {
    found = enter_neighbours(tracker, found, mo_shape_id_of(scene, (uint32_t)m->slots[i]));
  }
  mo_keys_sort(m->slots, m->slots + found, found);
  for (uint32_t i = 0; i < found; i++) {
    m->parent[m->slots[i]] = MO_NONE;
    if (i < capacity) {
      sleepers[i] = mo_shape_id_of(scene, (uint32_t)m->slots[i]);
    }
  }
  *total = found;
  return MO_OK;
}
