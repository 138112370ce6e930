/* Islands: shapes that are connected by contacts, joints, and as parts of one body. Union-find
 * (disjoint sets) over slots, in which the root of each set is its lowest slot. */
#include <string.h>

#include "base/assert.h"
#include "base/key_sort.h"
#include "contact/tracker/tracker.h"
#include "scene/bodies/bodies.h"

void mo_island_workspace_destroy(const mo_allocator *allocator, mo_island_workspace *memory) {
  mo_deallocate(allocator, memory->parent, memory->slot_capacity, sizeof *memory->parent);
  mo_deallocate(allocator, memory->island_number, memory->slot_capacity,
                sizeof *memory->island_number);
  mo_deallocate(allocator, memory->slots, memory->shape_capacity, 2 * sizeof *memory->slots);
  mo_deallocate(allocator, memory->shapes, memory->shape_capacity, sizeof *memory->shapes);
  mo_deallocate(allocator, memory->starts, memory->shape_capacity, sizeof *memory->starts);
  mo_deallocate(allocator, memory->kept_awake, memory->shape_capacity, sizeof *memory->kept_awake);
  mo_deallocate(allocator, memory->island_of_contact, memory->contact_capacity,
                sizeof *memory->island_of_contact);
  *memory = (mo_island_workspace){.parent = NULL};
}

size_t mo_island_workspace_bytes(const mo_island_workspace *m) {
  size_t by_shape =
      2 * sizeof *m->slots + sizeof *m->shapes + sizeof *m->starts + sizeof *m->kept_awake;
  return m->slot_capacity * (sizeof *m->parent + sizeof *m->island_number) +
         m->shape_capacity * by_shape + m->contact_capacity * sizeof *m->island_of_contact;
}

/* Reserves memory for islands of all slots and contacts, and of `max` shapes with all other shapes
 * of their bodies. If any array is too small, all are allocated anew. */
static bool reserve(mo_contact_tracker *tracker, uint64_t max) {
  const mo_allocator *allocator = &tracker->host.allocator;
  mo_island_workspace *m = &tracker->islands;
  uint32_t slots = tracker->log.scene->shape_capacity,
           contacts = tracker->current_contacts.count + 1;
  slots = slots > 0 ? slots : 1; /* 0: the scene never had a shape */
  max += tracker->log.scene->bodies.shape_count;
  uint32_t shapes = (max < slots ? (uint32_t)max : slots) + 1;
  if (slots <= m->slot_capacity && shapes <= m->shape_capacity && contacts <= m->contact_capacity) {
    return true;
  }
  uint32_t more_shapes = shapes + shapes / 2, more_contacts = contacts + contacts / 2;
  mo_island_workspace made = {
      .slot_capacity = slots, .shape_capacity = more_shapes, .contact_capacity = more_contacts};
  made.parent = mo_allocate(allocator, slots, sizeof *made.parent);
  made.island_number = mo_allocate(allocator, slots, sizeof *made.island_number);
  made.slots = mo_allocate(allocator, more_shapes, 2 * sizeof *made.slots);
  made.shapes = mo_allocate(allocator, more_shapes, sizeof *made.shapes);
  made.starts = mo_allocate(allocator, more_shapes, sizeof *made.starts);
  made.kept_awake = mo_allocate(allocator, more_shapes, sizeof *made.kept_awake);
  made.island_of_contact = mo_allocate(allocator, more_contacts, sizeof *made.island_of_contact);
  if (made.parent == NULL || made.island_number == NULL || made.slots == NULL ||
      made.shapes == NULL || made.starts == NULL || made.kept_awake == NULL ||
      made.island_of_contact == NULL) {
    mo_island_workspace_destroy(allocator, &made);
    return false;
  }
  memset(made.parent, 0xff, slots * sizeof *made.parent);
  mo_island_workspace_destroy(allocator, m);
  *m = made;
  return true;
}

/* The find operation: the root of a slot's set, which is the lowest slot of the set. Path halving
 * shortens later searches. */
static uint32_t find_root(uint32_t *parent, uint32_t slot) {
  while (parent[slot] != slot) {
    MO_ASSERT(parent[slot] < slot); /* a parent is a lower slot, so the root is the lowest */
    parent[slot] = parent[parent[slot]];
    slot = parent[slot];
  }
  return slot;
}

static void unite(uint32_t *parent, uint32_t a, uint32_t b) {
  a = find_root(parent, a);
  b = find_root(parent, b);
  parent[a > b ? a : b] = a < b ? a : b;
}

/* Adds a shape as a set of its own, if it is in no set yet. Returns the new number of shapes. */
static uint32_t add_shape(mo_island_workspace *m, uint32_t count, uint32_t slot) {
  if (m->parent[slot] == MO_NONE) {
    MO_ASSERT(count < m->shape_capacity);
    m->parent[slot] = slot;
    m->slots[count++] = slot;
  }
  return count;
}

/* Adds a shape and all other shapes of its body that contacts can move as one set, unless the shape
 * is in a set already. Returns the new number of shapes. */
static uint32_t add_body(mo_island_workspace *m, const mo_scene *scene, uint32_t count,
                         uint32_t slot) {
  if (m->parent[slot] != MO_NONE) {
    return count;
  }
  count = add_shape(m, count, slot);
  uint32_t mate = mo_slot_next_of_rigid_body(scene, slot);
  for (; mate != slot; mate = mo_slot_next_of_rigid_body(scene, mate)) {
    if (!mo_slot_is_immovable(scene, mate)) {
      count = add_shape(m, count, mate);
      unite(m->parent, slot, mate);
    }
  }
  return count;
}

/* Unites the sets of two shapes' bodies. Bodies that contacts cannot move (static and kinematic
 * ones) are in no set. Returns the new number of shapes. */
static uint32_t unite_bodies(mo_island_workspace *m, const mo_scene *scene, uint32_t count,
                             uint32_t a, uint32_t b) {
  const bool moves_a = !mo_slot_is_immovable(scene, a), moves_b = !mo_slot_is_immovable(scene, b);
  count = moves_a ? add_body(m, scene, count, a) : count;
  count = moves_b ? add_body(m, scene, count, b) : count;
  if (moves_a && moves_b) {
    unite(m->parent, a, b);
  }
  return count;
}

/* Whether a joint connects bodies of which one is awake: dynamic, or kinematic and moving. */
static bool is_awake_joint(const mo_contact_tracker *tracker, const mo_pair *joint) {
  const mo_scene *scene = tracker->log.scene;
  return mo_shape_is_known(scene, joint->a) && mo_shape_is_known(scene, joint->b) &&
         (mo_slot_motion(scene, joint->a.index) == MO_MOTION_DYNAMIC ||
          mo_slot_motion(scene, joint->b.index) == MO_MOTION_DYNAMIC ||
          mo_contact_tracker_has_moved(tracker, joint->a) ||
          mo_contact_tracker_has_moved(tracker, joint->b));
}

/* Collects all shapes that contacts can move, and unites the sets of shapes that contacts or joints
 * connect. Returns the number of shapes. */
static uint32_t unite_connected_shapes(mo_contact_tracker *tracker) {
  mo_island_workspace *m = &tracker->islands;
  const mo_scene *scene = tracker->log.scene;
  uint32_t count = 0;
  for (uint32_t i = 0; i < tracker->current_contacts.count; i++) {
    const mo_contact *c = &tracker->current_contacts.items[i].contact;
    if (c->manifold.point_count > 0) {
      count = unite_bodies(m, scene, count, c->a.index, c->b.index);
    }
  }
  for (uint32_t i = 0; i < tracker->joints.count; i++) {
    const mo_pair *joint = &tracker->joints.joints[i];
    if (is_awake_joint(tracker, joint)) {
      count = unite_bodies(m, scene, count, joint->a.index, joint->b.index);
    }
  }
  return count;
}

/* Numbers the islands by their lowest slot, and lists their shapes island by island. Returns the
 * number of islands. */
static uint32_t list_shapes(mo_island_workspace *m, const mo_scene *scene, uint32_t count) {
  uint32_t islands = 0;
  mo_keys_sort(m->slots, m->slots + count, count);
  for (uint32_t i = 0; i < count; i++) { /* slots ascend, so the root of an island comes first */
    uint32_t slot = (uint32_t)m->slots[i], lowest = find_root(m->parent, slot);
    if (lowest == slot) {
      m->island_number[slot] = islands;
      m->kept_awake[islands] = false;
      m->starts[islands++] = 0;
    }
    m->starts[m->island_number[lowest]]++;
  }
  for (uint32_t i = 0, sum = 0; i < islands; i++) {
    uint32_t size = m->starts[i];
    m->starts[i] = sum;
    sum += size;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t slot = (uint32_t)m->slots[i];
    m->shapes[m->starts[m->island_number[find_root(m->parent, slot)]]++] =
        mo_shape_id_of(scene, slot);
  }
  MO_ASSERT(islands == 0 || m->starts[islands - 1] == count);
  for (uint32_t i = islands; i-- > 0;) { /* each entry now is the start of the next island */
    m->starts[i + 1] = m->starts[i];
  }
  m->starts[0] = 0;
  return islands;
}

/* The island of the bodies of two shapes that touch or are joined; MO_NO_ISLAND if contacts can
 * move neither. Sets `kept_awake` of the island if one of the shapes is kinematic and has moved. */
static uint32_t island_of(const mo_contact_tracker *tracker, mo_shape_id a, mo_shape_id b) {
  const mo_island_workspace *m = &tracker->islands;
  const mo_scene *scene = tracker->log.scene;
  const bool moves_a = !mo_slot_is_immovable(scene, a.index);
  if (!moves_a && mo_slot_is_immovable(scene, b.index)) {
    return MO_NO_ISLAND;
  }
  const uint32_t island = m->island_number[find_root(m->parent, moves_a ? a.index : b.index)];
  MO_ASSERT(m->starts[island] < m->starts[island + 1]);
  if (mo_contact_tracker_has_moved(tracker, a) || mo_contact_tracker_has_moved(tracker, b)) {
    m->kept_awake[island] = true;
  }
  return island;
}

/* Sets the islands of contacts and joints. */
static void set_islands_of_contacts_and_joints(mo_contact_tracker *tracker) {
  for (uint32_t i = 0; i < tracker->current_contacts.count; i++) {
    const mo_contact *c = &tracker->current_contacts.items[i].contact;
    tracker->islands.island_of_contact[i] =
        c->manifold.point_count == 0 ? MO_NO_ISLAND : island_of(tracker, c->a, c->b);
  }
  for (uint32_t i = 0; i < tracker->joints.count; i++) {
    const mo_pair *joint = &tracker->joints.joints[i];
    tracker->joints.island[i] =
        is_awake_joint(tracker, joint) ? island_of(tracker, joint->a, joint->b) : MO_NO_ISLAND;
  }
}

static bool all_shapes_exist(const mo_scene *scene, const mo_contact_list *list) {
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
  const mo_contact_list *list = &tracker->current_contacts;
  mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "tracker");
  if (scene == NULL) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
  }
  if (!all_shapes_exist(scene, list)) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has contacts of shapes that are gone");
  }
  const mo_joint_list *joints = &tracker->joints;
  if (list->count == 0 && joints->count == 0) {
    *islands = (mo_islands){.shapes = NULL};
    return MO_OK;
  }
  mo_island_workspace *m = &tracker->islands;
  if (!reserve(tracker, 2 * ((uint64_t)list->count + joints->count))) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  uint32_t shapes = unite_connected_shapes(tracker), count = list_shapes(m, scene, shapes);
  set_islands_of_contacts_and_joints(tracker);
  mo_island_workspace_clear(m, shapes);
  *islands = (mo_islands){
      .shapes = shapes > 0 ? m->shapes : NULL,
      .starts = shapes > 0 ? m->starts : NULL,
      .kept_awake = shapes > 0 ? m->kept_awake : NULL,
      .island_of_contact = list->count > 0 ? m->island_of_contact : NULL,
      .island_of_joint = joints->count > 0 ? joints->island : NULL,
      .island_count = count,
      .shape_count = shapes,
  };
  return MO_OK;
}

/* --- finding shapes of bodies, and sleeping shapes --- */

void mo_island_workspace_clear(mo_island_workspace *m, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    m->parent[m->slots[i]] = MO_NONE;
  }
}

static uint32_t add_bodies(mo_island_workspace *m, const mo_scene *scene, const mo_shape_id *ids,
                           uint32_t count) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t slot = ids[i].index;
    while (m->parent[slot] == MO_NONE) { /* along the body's circular list of shapes, once */
      found = add_shape(m, found, slot);
      slot = mo_slot_next_of_rigid_body(scene, slot);
    }
  }
  return found;
}

mo_result mo_contact_tracker_gather_bodies(mo_contact_tracker *tracker, const mo_shape_id *ids,
                                           uint32_t count, uint32_t *found) {
  if (!reserve(tracker, count)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  *found = add_bodies(&tracker->islands, tracker->log.scene, ids, count);
  return MO_OK;
}

static bool is_sleeping(const mo_scene *scene, uint32_t slot) {
  return mo_slot_motion(scene, slot) == MO_MOTION_SLEEPING;
}

/* Adds a shape that sleeps and has not been found yet, with all sleeping shapes of its body.
 * Returns the new number of shapes. */
static uint32_t add_sleeper(mo_island_workspace *m, const mo_scene *scene, uint32_t count,
                            mo_shape_id id) {
  if (!mo_shape_is_known(scene, id) || !is_sleeping(scene, id.index) ||
      m->parent[id.index] != MO_NONE) {
    return count;
  }
  count = add_shape(m, count, id.index);
  uint32_t mate = mo_slot_next_of_rigid_body(scene, id.index);
  for (; mate != id.index; mate = mo_slot_next_of_rigid_body(scene, mate)) {
    count = is_sleeping(scene, mate) ? add_shape(m, count, mate) : count;
  }
  return count;
}

/* Adds the sleeping shapes that are connected with a shape by contacts with points or by joints,
 * and the sleeping shapes of their bodies. Returns the new number of shapes. */
static uint32_t add_sleeping_neighbors(mo_contact_tracker *tracker, uint32_t count,
                                       mo_shape_id id) {
  const mo_resting *resting = &tracker->resting;
  const mo_scene *scene = tracker->log.scene;
  uint32_t link = mo_resting_first(resting, id.index);
  for (; link != MO_NONE; link = mo_resting_next(resting, link)) {
    const mo_contact *c = &resting->contacts[link / 2].contact_at_rest.contact;
    const mo_shape_id *ids[2] = {&c->a, &c->b};
    if (c->manifold.point_count > 0 && ids[link % 2]->generation == id.generation) {
      count = add_sleeper(&tracker->islands, scene, count, *ids[1 - link % 2]);
    }
  }
  const mo_joint_list *joints = &tracker->joints;
  uint32_t side = mo_joint_lower_bound(joints, id.index);
  for (; side < 2 * joints->count && joints->keys_by_shape[side] >> 32 == id.index; side++) {
    const uint32_t end = (uint32_t)joints->keys_by_shape[side];
    const mo_pair *joint = &joints->joints[end / 2];
    const mo_shape_id own = end % 2 == 0 ? joint->a : joint->b;
    if (own.generation == id.generation) {
      count = add_sleeper(&tracker->islands, scene, count, end % 2 == 0 ? joint->b : joint->a);
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
  mo_island_workspace *m = &tracker->islands;
  const mo_scene *scene = tracker->log.scene;
  if (!reserve(tracker, count + 2 * ((uint64_t)tracker->resting.count + tracker->joints.count))) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  uint32_t found = add_bodies(m, scene, ids, count), sleeping = 0;
  for (uint32_t i = 0; i < found; i++) {
    found = add_sleeping_neighbors(tracker, found, mo_shape_id_of(scene, (uint32_t)m->slots[i]));
  }
  mo_keys_sort(m->slots, m->slots + found, found);
  mo_island_workspace_clear(m, found);
  for (uint32_t i = 0; i < found; i++) {
    if (is_sleeping(scene, (uint32_t)m->slots[i])) {
      if (sleeping < capacity) {
        sleepers[sleeping] = mo_shape_id_of(scene, (uint32_t)m->slots[i]);
      }
      sleeping++;
    }
  }
  *total = sleeping;
  return MO_OK;
}
