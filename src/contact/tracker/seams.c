/* Finds contact points that are hidden at internal edges between shapes: for each changed shape,
 * compares its contacts with all other shapes. Each child of a compound counts as a shape. */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/tasks.h"
#include "contact/tracker/tracker.h"

enum { SHAPES_PER_TASK = 64 };

/* Empties the workspace, and reserves memory for `count` items. */
static mo_result reserve(mo_contact_tracker *tracker, uint64_t count) {
  const mo_allocator *allocator = &tracker->host.allocator;
  mo_seam_workspace *m = &tracker->seams;
  const uint32_t slots = tracker->log.scene->slot_count;
  m->count = m->slots.count = m->is_examined.count = 0;
  mo_result result = mo_list_reserve(allocator, &m->list, sizeof *m->items, count);
  if (result == MO_OK) {
    result = mo_list_extend(allocator, &m->starts.list, sizeof *m->starts.items, slots, 0);
  }
  if (result == MO_OK) {
    result = mo_list_reserve(allocator, &m->slots.list, sizeof *m->slots.items,
                             count < slots ? count : slots);
  }
  if (result == MO_OK) { /* without reuse all shapes are examined */
    result = mo_list_extend(allocator, &m->is_examined.list, sizeof *m->is_examined.items, slots,
                            !mo_contact_tracker_reuses(tracker));
  }
  return result;
}

/* --- shapes whose contacts are all reused --- */

/* Marks the shapes of a part of which the last update does not tell which points are hidden. */
static void mark_examined(mo_seam_workspace *m, const mo_contact_update_part *part) {
  bool *is_examined = m->is_examined.items;
  for (uint32_t i = 0; i < part->updated.count; i++) {
    const mo_updated_pair *updated = &part->updated.items[i];
    if (!updated->is_steady) {
      is_examined[updated->pair.a.index] = is_examined[updated->pair.b.index] = true;
    }
  }
  for (uint32_t i = 0; i < part->sides.count; i++) {
    const mo_contact_side_of_part *side = &part->sides.items[i];
    is_examined[side->side.slot] = is_examined[side->side.slot] || !side->is_examined;
  }
}

/* Finds the shapes whose seams must be examined. All contacts of the others are reused: their
 * points are hidden as before. */
static void find_examined(mo_contact_tracker *tracker) {
  const mo_listener *log = &tracker->log;
  for (uint32_t i = 0; i < log->count; i++) {
    if (log->pending[log->changed[i]] & MO_CHANGE_LOST_PARTNER) {
      tracker->seams.is_examined.items[log->changed[i]] = true;
    }
  }
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    mark_examined(&tracker->seams, &tracker->parts[i]);
  }
}

/* --- contacts by shape --- */

static void count_sides_of_part(mo_seam_workspace *m, const mo_contact_update_part *part) {
  for (uint32_t i = 0; i < part->sides.count; i++) {
    uint32_t slot = part->sides.items[i].side.slot;
    MO_ASSERT(slot < m->starts.count);
    if (m->is_examined.items[slot] && m->starts.items[slot]++ == 0) {
      m->slots.items[m->slots.count++] = slot;
    }
  }
}

static void write_items_of_part(const mo_seam_workspace *m, const mo_contact_update_part *part) {
  for (uint32_t i = part->sides.count; i-- > 0;) {
    mo_contact_side_of_part *side = &part->sides.items[i];
    uint32_t *start = &m->starts.items[side->side.slot];
    if (!m->is_examined.items[side->side.slot]) {
      continue;
    }
    MO_ASSERT(*start > 0 && *start <= m->count);
    side->hidden_points = 0;
    m->items[--*start] = (mo_seam_item){
        .contact = {.side = side->side, .contact = &part->contacts.items[side->contact].contact},
        .side = side};
  }
}

/* Groups the entries in `sides` of all parts by shape, by a counting sort. */
static void group_sides_by_shape(const mo_contact_tracker *tracker, mo_seam_workspace *m) {
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    count_sides_of_part(m, &tracker->parts[i]);
  }
  uint32_t end = 0;
  for (uint32_t i = 0; i < m->slots.count; i++) {
    end += m->starts.items[m->slots.items[i]];
    m->starts.items[m->slots.items[i]] = end;
  }
  m->count = end;
  for (uint32_t i = tracker->part_count; i-- > 0;) {
    write_items_of_part(m, &tracker->parts[i]);
  }
}

/* Moves to the front all contacts whose normals are so close to the normal of the first that none
 * of these contacts hides another: nearly all contacts of a floor with many bodies. Returns their
 * number. */
static uint32_t group_equal_normals(const mo_seam_body *body, mo_seam_item *items, uint32_t count) {
  const mo_dvec3 first = mo_widen(items[0].contact.normal);
  const double equal = 1.0 - (1.0 - (double)body->same_normal_cosine) / 8.0;
  uint32_t gathered = 0;
  for (uint32_t i = 0; i < count; i++) {
    const mo_dvec3 normal = mo_widen(items[i].contact.normal);
    if (mo_ddot(first, normal) >= equal * mo_dlength(first) * mo_dlength(normal)) {
      if (i > gathered) {
        const mo_seam_item item = items[i];
        items[i] = items[gathered];
        items[gathered] = item;
      }
      gathered++;
    }
  }
  return gathered;
}

/* A quick test of whether the contact `supporter` may hide points of the contact `item`. In a heap
 * most contacts are along a face of only one of their shapes: so they cannot hide contacts of that
 * shape, and cannot be hidden by contacts of the other. */
static bool supporter_may_hide_points(const mo_seam_body *body, mo_seam_item *item,
                                      mo_seam_item *supporter) {
  return mo_seam_is_supporter(body, &supporter->contact) &&
         (mo_seam_is_sideways(&item->contact, &supporter->contact) ||
          !mo_seam_is_along_face(body, &item->contact));
}

/* Logs the points of a contact that another contact (`supporter`) hides. */
static void log_hidden_points(const mo_contact_tracker *tracker, const mo_seam_item *item,
                              const mo_seam_item *supporter, uint32_t hidden) {
  char why[80];
  snprintf(why, sizeof why, "removed, at a seam on which the face of slot %u supports slot %u",
           supporter->contact.side.other, supporter->contact.side.slot);
  mo_contact_tracker_log_points(tracker, item->contact.contact, hidden, why);
}

/* The shapes of a task: those with the items from `first` to `end`, without `end`. */
typedef struct seam_task {
  const mo_contact_tracker *tracker;
  uint32_t first, end;
} seam_task;

/* Whether all points of a contact are hidden, as seen from either of its shapes. What is hidden as
 * seen from the other shape counts if this task has found it out, so that answers do not depend on
 * the order of tasks; and if later updates do not reuse it, as it may change without this shape. */
static bool are_all_points_hidden(const seam_task *task, const mo_seam_item *item) {
  const mo_contact_side_of_part *side = item->side;
  uint32_t hidden = side->hidden_points;
  if (side->other_entry != 0 && side->reusable_contact == MO_NONE) {
    const uint32_t start = task->tracker->seams.starts.items[side->side.other];
    hidden |= start >= task->first && start < task->end ? side[side->other_entry].hidden_points : 0;
  }
  return hidden == (1u << item->contact.contact->manifold.point_count) - 1;
}

static void try_to_hide_points(const mo_contact_tracker *tracker, mo_seam_body *body,
                               mo_seam_item *item, mo_seam_item *supporter) {
  if (!supporter_may_hide_points(body, item, supporter)) {
    return;
  }
  if (!item->knows_is_near_others) {
    item->knows_is_near_others = true;
    item->is_near_others = mo_seam_is_near_others(body, &item->contact);
  }
  if (item->is_near_others) {
    const uint32_t hidden = mo_seam_find_hidden_points(body, &item->contact, &supporter->contact);
    if (hidden != 0 && tracker->def.log_categories != 0) {
      log_hidden_points(tracker, item, supporter, hidden);
    }
    item->side->hidden_points |= hidden;
  }
}

static mo_seam_body seam_body_of(const mo_contact_tracker *tracker, uint32_t slot,
                                 const mo_placed_child *child) {
  const mo_pair_set *pairs = &tracker->pair_tracker->set;
  mo_seam_body body = mo_seam_body_of(tracker->log.scene, slot, child);
  body.partners = mo_partners_of(pairs, slot);
  body.partner_count = mo_partners_have_chunk(&pairs->lists[slot])
                           ? mo_partners_count(pairs, slot)
                           : (uint32_t)MO_MAX_INLINE_PARTNERS;
  body.sensor_categories = tracker->def.sensor_categories;
  return body;
}

static bool all_have_same_partner(const mo_seam_item *items, uint32_t count) {
  uint32_t i = 1;
  while (i < count &&
         mo_are_contacts_with_same_shape(&items[i].contact.side, &items[0].contact.side)) {
    i++;
  }
  return i == count;
}

enum { GROUP = 4 }; /* contacts in a group (mo_seam_group) */

/* The first of `count` contacts as a group. If there are fewer than it takes, the last one fills
 * it. */
static mo_seam_group group_of_contacts(const mo_seam_item *items, uint32_t count) {
  mo_f4 n[GROUP], p[GROUP]; /* each load reads one number beyond the vector */
  for (uint32_t i = 0; i < GROUP; i++) {
    const mo_seam_contact *c = &items[i < count ? i : count - 1].contact;
    n[i] = mo_f4_load(&c->normal.x);
    p[i] = mo_f4_load(&c->mean_point.x);
  }
  mo_f4_transpose(n);
  mo_f4_transpose(p);
  return (mo_seam_group){{n[0], n[1], n[2]}, {p[0], p[1], p[2]}};
}

/* Tries to hide points of a group of contacts, those from number `first` on, by all others. The
 * first `equal` contacts do not hide each other. */
static void hide_points_of_group(const seam_task *task, mo_seam_body *body, mo_seam_item *items,
                                 uint32_t count, uint32_t first, uint32_t equal) {
  const mo_seam_group group = group_of_contacts(&items[first], count - first);
  uint32_t left = first + GROUP <= count ? 15 : (1u << (count - first)) - 1; /* a bit for each */
  for (uint32_t k = first + GROUP <= equal ? equal : 0; k < count && left != 0; k++) {
    uint32_t lanes = left & mo_seam_find_low_contacts(body, &group, &items[k].contact);
    for (; lanes != 0; lanes &= lanes - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
      mo_seam_item *item = &items[first + lane];
      if (are_all_points_hidden(task, item)) {
        left &= ~(1u << lane);
      } else if (!mo_are_contacts_with_same_shape(&item->contact.side, &items[k].contact.side)) {
        try_to_hide_points(task->tracker, body, item, &items[k]);
      }
    }
  }
}

/* Compares the contacts of a shape, or of one child of a shape. */
static void hide_points_of_body(const seam_task *task, mo_seam_item *items, uint32_t count) {
  if (all_have_same_partner(items, count)) {
    return;
  }
  float max_depth = 0.0f;
  for (uint32_t i = 0; i < count; i++) {
    max_depth = mo_max(max_depth, mo_seam_contact_measure(&items[i].contact));
  }
  const mo_contact_side *first = &items[0].contact.side;
  mo_placed_child memory;
  const mo_placed_child *child =
      mo_child_of_hit(task->tracker->log.scene, first->slot, first->child, &memory);
  mo_seam_body body = seam_body_of(task->tracker, first->slot, child);
  mo_seam_shape_cache cache; /* left uninitialised beyond `count` */
  cache.count = 0;
  body.cache = &cache;
  body.max_depth = max_depth;
  const uint32_t equal = count > GROUP ? group_equal_normals(&body, items, count) : 0;
  for (uint32_t i = 0; i < count; i += GROUP) {
    hide_points_of_group(task, &body, items, count, i, equal);
  }
}

static bool has_lower_child(const void *a, const void *b) {
  const mo_seam_item *x = a, *y = b;
  const uint32_t child_x = x->contact.side.child, child_y = y->contact.side.child;
  return child_x != child_y ? child_x < child_y
                            : mo_contact_before(x->contact.contact, y->contact.contact);
}

/* Hides points at seams for each child of a compound, as a body of its own. */
static void hide_points_of_children(const seam_task *task, mo_seam_item *items, uint32_t count) {
  mo_bounded_list list = mo_bounded_make(items, count);
  list.count = count;
  mo_bounded_sort(&list, sizeof *items, has_lower_child);
  for (uint32_t first = 0, end; first < count; first = end) {
    for (end = first + 1;
         end < count && items[end].contact.side.child == items[first].contact.side.child; end++) {
    }
    hide_points_of_body(task, &items[first], end - first);
  }
}

/* A task: marks the hidden points in the contacts of some shapes. */
static void hide_points_of_shapes(uint32_t index, void *context) {
  const mo_contact_tracker *tracker = context;
  const mo_seam_workspace *m = &tracker->seams;
  const uint32_t *slots = m->slots.items;
  const uint32_t first = index * SHAPES_PER_TASK, end = first + SHAPES_PER_TASK;
  seam_task task = {tracker, m->starts.items[slots[first]],
                    end < m->slots.count ? m->starts.items[slots[end]] : m->count};
  for (uint32_t i = first; i < end && i < m->slots.count; i++) {
    uint32_t start = m->starts.items[slots[i]];
    uint32_t last = i + 1 < m->slots.count ? m->starts.items[slots[i + 1]] : m->count;
    MO_ASSERT(start < last && m->items[start].contact.side.slot == slots[i]);
    MO_ASSERT(m->items[last - 1].contact.side.slot == slots[i]);
    (mo_slot_is_compound(tracker->log.scene, slots[i])
         ? hide_points_of_children
         : hide_points_of_body)(&task, &m->items[start], last - start);
  }
}

mo_result mo_contact_tracker_hide_seams(mo_contact_tracker *tracker) {
  mo_seam_workspace *m = &tracker->seams;
  uint64_t count = 0;
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    count += tracker->parts[i].sides.count;
  }
  mo_result result = reserve(tracker, count);
  if (result != MO_OK) {
    return result;
  }
  mo_list_record_needed(&m->list, (uint32_t)count);
  if (mo_contact_tracker_reuses(tracker)) {
    find_examined(tracker);
  }
  group_sides_by_shape(tracker, m);
  mo_tasks_run(&tracker->host, (m->slots.count + SHAPES_PER_TASK - 1) / SHAPES_PER_TASK,
               hide_points_of_shapes, tracker);
  for (uint32_t i = 0; i < m->slots.count; i++) {
    m->starts.items[m->slots.items[i]] = 0;
  }
  return MO_OK;
}
