/* Events of changed shapes with very many partners (many-partner shapes), in updates that search by
 * groups. The found partners are stored as one byte per slot, with a bit for each many-partner
 * shape. These bytes are compared with the bytes of the previous partners, eight slots at a time.
 * So a pair that persists costs only a few instructions. */
#include <string.h>

#include "base/tasks.h"
#include "pairs/tracker/tracker.h"

bool mo_pair_tracker_find_many_partner_shapes(mo_pair_tracker *tracker) {
  const mo_listener *log = &tracker->log;
  mo_many_partner_shapes *many_partner_shapes = &tracker->many_partner_shapes;
  many_partner_shapes->scene = log->scene;
  many_partner_shapes->count = 0;
  for (uint32_t i = 0; i < log->count && many_partner_shapes->count < MO_MAX_MANY_PARTNER_SHAPES;
       i++) {
    uint32_t slot = log->changed[i];
    if (!(log->pending[slot] & MO_CHANGE_SLOT_REUSED) &&
        !mo_partner_list_is_short(&tracker->set, slot) &&
        mo_partners_count(&tracker->set, slot) >= log->slot_capacity / MO_MANY_PARTNERS_DIVISOR) {
      many_partner_shapes->slots[many_partner_shapes->count++] = slot;
    }
  }
  if (many_partner_shapes->count == 0) {
    return true;
  }
  uint32_t needed = (log->slot_capacity + 7) / 8 * 8;
  mo_list *found = &tracker->many_partner_found.list;
  bool ok = mo_list_reserve(&tracker->host.allocator, found, sizeof(uint8_t), needed) == MO_OK;
  many_partner_shapes->found = found->items;
  if (ok) {
    mo_list_record_needed(found, needed);
    memset(many_partner_shapes->found, 0, needed);
  }
  return ok;
}

/* Stores a found pair of which one shape has many partners, or both. */
static void store_found_pair(mo_pair_tracker *tracker, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < tracker->many_partner_shapes.count; i++) {
    uint32_t slot = tracker->many_partner_shapes.slots[i];
    if (slot == a || slot == b) {
      uint8_t *byte = &tracker->many_partner_shapes.found[slot ^ a ^ b];
      *byte = (uint8_t)(*byte | 1u << i);
    }
  }
}

enum { SLOTS_PER_COMPARISON = 4096 }; /* slots compared by one call; a multiple of eight */

typedef struct comparison {
  mo_pair_tracker *tracker;
  uint32_t part_count;
  bool failed[MO_MAX_UPDATE_PARTS]; /* by part: out of memory */
} comparison;

/* Adds the pairs of a slot with some many-partner shapes (a bit each) to a list. Returns false when
 * out of memory. */
static bool add_pairs(mo_pair_tracker *tracker, mo_pair_keys *list, uint32_t slot, uint32_t some) {
  if (some != 0 && !mo_pair_tracker_reserve_keys(tracker, list, MO_MAX_MANY_PARTNER_SHAPES)) {
    return false;
  }
  for (; some != 0; some &= some - 1) {
    uint32_t other = tracker->many_partner_shapes.slots[__builtin_ctz(some)];
    list->keys[list->count++] = slot < other ? mo_pair_key(slot, other) : mo_pair_key(other, slot);
  }
  return true;
}

/* Returns the bits of those many-partner shapes in `some`, which touch a slot's shape, whose
 * filters let them form a pair with it. */
static uint32_t passing_filters(const mo_pair_tracker *tracker, uint32_t slot, uint32_t some) {
  const mo_scene *scene = tracker->log.scene;
  uint32_t pass = 0;
  for (uint32_t left = some; left != 0; left &= left - 1) {
    uint32_t other = tracker->many_partner_shapes.slots[__builtin_ctz(left)];
    pass |= mo_pair_passes_filters(scene, slot, scene, other) ? left & -left : 0;
  }
  return pass;
}

/* Returns the bits of the many-partner shapes with which a slot is listed as a pair: not with
 * itself, and each pair of two many-partner shapes from only one of them. */
static uint32_t shapes_listed_with(const mo_many_partner_shapes *many_partner_shapes,
                                   uint32_t slot) {
  for (uint32_t i = 0; i < many_partner_shapes->count; i++) {
    if (many_partner_shapes->slots[i] == slot) {
      return 0xfeu << i;
    }
  }
  return 0xff;
}

static bool compare_slot(mo_pair_tracker *tracker, uint32_t part, uint32_t slot, uint32_t before,
                         uint32_t now) {
  const uint32_t others = shapes_listed_with(&tracker->many_partner_shapes, slot);
  before &= others;
  now &= others;
  now = mo_pairs_are_filtered(tracker->log.scene) ? passing_filters(tracker, slot, now) : now;
  uint32_t both = before & now;
  /* slots are compared in groups of eight: beyond the last slot there are no pairs */
  const bool is_replaced = both != 0 && (tracker->log.pending[slot] & MO_CHANGE_SLOT_REUSED) != 0;
  uint32_t replaced = is_replaced ? both : 0;
  uint32_t persisting = tracker->def.report_persists ? both & ~replaced : 0;
  return add_pairs(tracker, &tracker->parts[MO_PART_BEGINS][part], slot,
                   (now & ~before) | replaced) &&
         add_pairs(tracker, &tracker->parts[MO_PART_ENDS][part], slot,
                   (before & ~now) | replaced) &&
         add_pairs(tracker, &tracker->parts[MO_PART_PERSISTS][part], slot, persisting);
}

/* Compares old and new pairs of the slots from `first` to `end`. `at`: by many-partner shape, the
 * index of its first partner that is at least `first`. Returns false when out of memory. */
static bool compare_slots(mo_pair_tracker *tracker, uint32_t part, uint32_t first, uint32_t end,
                          uint32_t at[MO_MAX_MANY_PARTNER_SHAPES]) {
  const mo_many_partner_shapes *many_partner_shapes = &tracker->many_partner_shapes;
  uint8_t before[SLOTS_PER_COMPARISON];
  memset(before, 0, sizeof before);
  for (uint32_t i = 0; i < many_partner_shapes->count; i++) {
    const uint32_t *partners = mo_partners_of(&tracker->set, many_partner_shapes->slots[i]);
    uint32_t count = mo_partners_count(&tracker->set, many_partner_shapes->slots[i]), next = at[i];
    for (; next < count && partners[next] < end; next++) {
      uint8_t *byte = &before[partners[next] - first];
      *byte = (uint8_t)(*byte | 1u << i);
    }
    at[i] = next;
  }
  /* Pairs that are in both the old and the new set are examined too if they may have to be
   * reported, or may end for another reason. */
  const uint64_t kept = tracker->def.report_persists || mo_pairs_are_filtered(tracker->log.scene) ||
                                (tracker->log.pending_kinds & MO_CHANGE_SLOT_REUSED)
                            ? UINT64_MAX
                            : 0;
  for (uint32_t i = 0; i < end - first; i += 8) {
    uint64_t was, is;
    memcpy(&was, before + i, sizeof was);
    memcpy(&is, many_partner_shapes->found + first + i, sizeof is);
    if (((was ^ is) | (was & is & kept)) == 0) {
      continue;
    }
    for (uint32_t j = i; j < i + 8; j++) {
      if (!compare_slot(tracker, part, first + j, before[j],
                        many_partner_shapes->found[first + j])) {
        return false;
      }
    }
  }
  return true;
}

/* A task: compares an equal share of the slots. */
static void compare_part(uint32_t part, void *context) {
  comparison *c = context;
  mo_pair_tracker *tracker = c->tracker;
  const mo_many_partner_shapes *many_partner_shapes = &tracker->many_partner_shapes;
  uint32_t slots = tracker->log.slot_capacity, words = (slots + 7) / 8,
           at[MO_MAX_MANY_PARTNER_SHAPES];
  uint32_t first = 8 * mo_part_begin(words, part, c->part_count);
  uint32_t end = 8 * mo_part_begin(words, part + 1, c->part_count);
  for (uint32_t kind = 0; kind < MO_PART_KIND_COUNT; kind++) {
    tracker->parts[kind][part].count = 0;
  }
  for (uint32_t i = 0; i < many_partner_shapes->count; i++) {
    at[i] = mo_partners_lower_bound(&tracker->set, many_partner_shapes->slots[i], first);
  }
  bool ok = true;
  for (; first < end && ok; first += SLOTS_PER_COMPARISON) {
    ok = compare_slots(tracker, part, first,
                       end - first < SLOTS_PER_COMPARISON ? end : first + SLOTS_PER_COMPARISON, at);
  }
  c->failed[part] = !ok;
}

bool mo_pair_tracker_compare_many_partner_shapes(mo_pair_tracker *tracker) {
  if (tracker->many_partner_shapes.count == 0) {
    return true;
  }
  for (uint32_t part = 0; part < tracker->part_count; part++) {
    const mo_pair_keys *found = &tracker->parts[MO_PART_OF_MANY_PARTNER_SHAPES][part];
    for (uint32_t i = 0; i < found->count; i++) {
      store_found_pair(tracker, (uint32_t)(found->keys[i] >> 32), (uint32_t)found->keys[i]);
    }
  }
  comparison c = {.tracker = tracker,
                  .part_count = mo_tasks_workers(&tracker->host) == 1 ? 1 : MO_MAX_UPDATE_PARTS};
  mo_tasks_run(&tracker->host, c.part_count, compare_part, &c);
  bool ok = true;
  for (uint32_t i = 0; i < c.part_count; i++) {
    ok &= !c.failed[i];
  }
  return ok && mo_pair_tracker_join_parts(tracker, c.part_count);
}
