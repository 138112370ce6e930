/* Finds contact points that are hidden at internal edges between shapes: examines, for each changed
 * shape, its contacts with all partners together. */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/tasks.h"
#include "contact/tracker/tracker.h"

enum { SHAPES_IN_TASK = 64 };

/* A contact of a shape. */
typedef struct mo_seam_item {
  mo_seam_contact contact;
  uint32_t *hidden;           /* the hidden bits of its side */
  bool has_face, is_examined; /* whether the following is known, one each */
  bool is_along_face;         /* by mo_seam_is_along_face */
  bool is_near_other;         /* whether it is near another partner than its own */
} mo_seam_item;

void mo_seam_memory_trim(const mo_allocator *allocator, mo_seam_memory *m, bool all) {
  if (all || mo_is_spare(m->item_capacity, sizeof *m->items, m->needed)) {
    mo_deallocate(allocator, m->starts, m->slot_capacity, sizeof *m->starts);
    mo_deallocate(allocator, m->items, m->item_capacity, sizeof *m->items);
    mo_deallocate(allocator, m->slots, m->capacity, sizeof *m->slots);
    *m = (mo_seam_memory){.starts = NULL};
  }
  m->needed = 0;
}

size_t mo_seam_memory_bytes(const mo_seam_memory *m) {
  return m->slot_capacity * sizeof *m->starts + m->item_capacity * sizeof *m->items +
         m->capacity * sizeof *m->slots;
}

/* Reserves memory for `count` items. */
static bool reserve(mo_contact_tracker *tracker, uint32_t count) {
  const mo_allocator *allocator = &tracker->host.allocator;
  mo_seam_memory *m = &tracker->seams;
  const uint32_t slots = tracker->log.scene->slot_count, before = m->slot_capacity;
  void *starts = m->starts, *items = m->items, *listed = m->slots;
  bool ok = mo_array_reserve(allocator, &starts, sizeof *m->starts, before, &m->slot_capacity,
                             slots > before ? slots - before : 0);
  m->starts = starts;
  if (m->slot_capacity > before) {
    memset(m->starts + before, 0, (m->slot_capacity - before) * sizeof *m->starts);
  }
  ok = ok && mo_array_reserve(allocator, &items, sizeof *m->items, 0, &m->item_capacity, count);
  m->items = items;
  ok = ok && mo_array_reserve(allocator, &listed, sizeof *m->slots, 0, &m->capacity,
                              count < slots ? count : slots);
  m->slots = listed;
  return ok;
}

static void count_sides(mo_seam_memory *m, const mo_contact_part *part) {
  for (uint32_t i = 0; i < part->sides.count; i++) {
    uint32_t slot = part->sides.items[i].side.slot;
    MO_ASSERT(slot < m->slot_capacity);
    if (m->starts[slot]++ == 0) {
      m->slots[m->count++] = slot;
    }
  }
}

static void place_sides(const mo_seam_memory *m, const mo_contact_part *part) {
  for (uint32_t i = part->sides.count; i-- > 0;) {
    mo_part_side *side = &part->sides.items[i];
    MO_ASSERT(m->starts[side->side.slot] > 0 && m->starts[side->side.slot] <= m->item_count);
    m->items[--m->starts[side->side.slot]] =
        (mo_seam_item){.contact = {&side->side, &part->contacts.items[side->contact].contact},
                       .hidden = &side->hidden};
  }
}

/* Groups the sides of all parts by shape: a counting sort. */
static void order_sides(const mo_contact_tracker *tracker, mo_seam_memory *m) {
  m->count = 0;
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    count_sides(m, &tracker->parts[i]);
  }
  uint32_t end = 0;
  for (uint32_t i = 0; i < m->count; i++) {
    end += m->starts[m->slots[i]];
    m->starts[m->slots[i]] = end;
  }
  for (uint32_t i = tracker->part_count; i-- > 0;) {
    place_sides(m, &tracker->parts[i]);
  }
}

/* Moves contacts to the front whose normals are so close to that of the first that no two of them
 * lean over each other: of a floor with many bodies on it, nearly all. Returns their number. */
static uint32_t gather_equal_normals(const mo_seam_body *body, mo_seam_item *items,
                                     uint32_t count) {
  const mo_dvec3 first = mo_widen(items[0].contact.side->normal);
  const double equal = 1.0 - (1.0 - (double)body->same_normal) / 8.0;
  uint32_t gathered = 0;
  for (uint32_t i = 0; i < count; i++) {
    const mo_seam_item item = items[i];
    const mo_dvec3 normal = mo_widen(item.contact.side->normal);
    if (mo_ddot(first, normal) >= equal * mo_dlength(first) * mo_dlength(normal)) {
      items[i] = items[gathered];
      items[gathered++] = item;
    }
  }
  return gathered;
}

static bool is_along_face(const mo_seam_body *body, mo_seam_item *item) {
  if (!item->has_face) {
    item->has_face = true;
    item->is_along_face = mo_seam_is_along_face(body, item->contact);
  }
  return item->is_along_face;
}

/* A quick test. In a heap most contacts are along a face of one shape only: by that of the other
 * they cannot hide, by their own they cannot be hidden. */
static bool may_hide(const mo_seam_body *body, mo_seam_item *item, mo_seam_item *carrier) {
  const mo_contact_side *side = item->contact.side, *carrying = carrier->contact.side;
  return mo_seam_is_low(body, side, carrying) && is_along_face(body, carrier) &&
         (mo_seam_is_sideways(side, carrying) || !is_along_face(body, item));
}

/* Tells the log of points that a contact with another shape hides. */
static void tell(const mo_contact_tracker *tracker, const mo_seam_item *item,
                 const mo_seam_item *carrier, uint32_t hidden) {
  char why[80];
  snprintf(why, sizeof why, "removed, at a seam on which the face of slot %u carries slot %u",
           carrier->contact.side->other, carrier->contact.side->slot);
  mo_contact_tracker_tell(tracker, item->contact.contact, hidden, why);
}

static void try_to_hide(const mo_contact_tracker *tracker, mo_seam_body *body, mo_seam_item *item,
                        mo_seam_item *carrier) {
  if (!may_hide(body, item, carrier)) {
    return;
  }
  if (!item->is_examined) {
    item->is_examined = true;
    item->is_near_other = mo_seam_is_near_others(body, item->contact);
  }
  if (item->is_near_other) {
    const uint32_t hidden = mo_seam_hidden_points(body, item->contact, carrier->contact);
    if (hidden != 0 && tracker->def.log_categories != 0) {
      tell(tracker, item, carrier, hidden);
    }
    *item->hidden |= hidden;
  }
}

static mo_seam_body body_of(const mo_contact_tracker *tracker, uint32_t slot) {
  const mo_pair_set *pairs = &tracker->pair_tracker->set;
  mo_seam_body body = mo_seam_body_of(tracker->log.scene, slot);
  body.partners = mo_partners_of(pairs, slot);
  body.partner_count = mo_partners_have_chunk(&pairs->lists[slot]) ? mo_partners_count(pairs, slot)
                                                                   : (uint32_t)MO_PARTNERS_INSIDE;
  body.sensor_categories = tracker->def.sensor_categories;
  return body;
}

static bool have_one_partner(const mo_seam_item *items, uint32_t count) {
  uint32_t i = 1;
  while (i < count && items[i].contact.side->other == items[0].contact.side->other) {
    i++;
  }
  return i == count;
}

static void hide_of_shape(const mo_contact_tracker *tracker, mo_seam_item *items, uint32_t count) {
  if (have_one_partner(items, count)) {
    return;
  }
  mo_seam_body body = body_of(tracker, items[0].contact.side->slot);
  const uint32_t equal = gather_equal_normals(&body, items, count);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = i < equal ? equal : i + 1; k < count; k++) {
      const mo_contact_side *one = items[i].contact.side, *other = items[k].contact.side;
      if (one->other != other->other && mo_seam_leans(&body, one, other)) {
        try_to_hide(tracker, &body, &items[i], &items[k]);
        try_to_hide(tracker, &body, &items[k], &items[i]);
      }
    }
  }
}

/* A task. */
static void hide_of_shapes(uint32_t index, void *context) {
  const mo_contact_tracker *tracker = context;
  const mo_seam_memory *m = &tracker->seams;
  uint32_t first = index * SHAPES_IN_TASK, end = first + SHAPES_IN_TASK;
  for (uint32_t i = first; i < end && i < m->count; i++) {
    uint32_t start = m->starts[m->slots[i]];
    uint32_t last = i + 1 < m->count ? m->starts[m->slots[i + 1]] : m->item_count;
    MO_ASSERT(start < last && m->items[start].contact.side->slot == m->slots[i]);
    MO_ASSERT(m->items[last - 1].contact.side->slot == m->slots[i]);
    hide_of_shape(tracker, &m->items[start], last - start);
  }
}

mo_result mo_contact_tracker_hide_seams(mo_contact_tracker *tracker) {
  mo_seam_memory *m = &tracker->seams;
  uint64_t count = 0;
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    count += tracker->parts[i].sides.count;
  }
  if (count > MO_MAX_ITEMS) {
    return MO_ERROR_TOO_MANY;
  }
  if (!reserve(tracker, (uint32_t)count)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  m->item_count = (uint32_t)count;
  m->needed = m->needed > m->item_count ? m->needed : m->item_count;
  order_sides(tracker, m);
  mo_tasks_run(&tracker->host, (m->count + SHAPES_IN_TASK - 1) / SHAPES_IN_TASK, hide_of_shapes,
               tracker);
  for (uint32_t i = 0; i < m->count; i++) {
    m->starts[m->slots[i]] = 0;
  }
  return MO_OK;
}
