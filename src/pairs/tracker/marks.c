/* Finds events by marking. The tasks of the search mark each found pair in the partner list of one
 * of its shapes: of its first shape, or, if only the pairs of changed shapes are searched for, of
 * the first that has changed. Pairs that are not in the list begin; pairs that are not marked at
 * the end have ended.
 *
 * If the whole tree is searched and shapes have many partners, this replaces the comparison of
 * lists in compare.c. Lists of so many pairs would take more memory than the set, and the
 * time of marking does not depend on how much the tree has changed.
 *
 * Other tasks may read a list while a task marks an entry of it, so entries are read and written
 * atomically. */
#include "base/tasks.h"
#include "pairs/tracker/tracker.h"

/* Marks a partner in the list of a slot. Returns false if it is not in the list. */
static bool find_and_mark(const mo_pair_set *set, uint32_t slot, uint32_t partner) {
  uint32_t *partners = set->lists[slot].entries, count = MO_MAX_INLINE_PARTNERS, at = 0;
  if (mo_partner_entry(partners, 0) == MO_PARTNERS_CHUNK_MARKER) { /* constant during the search */
    count = mo_partners_count(set, slot);
    partners = mo_partners_of(set, slot);
    while (count - at > MO_MAX_SHORT_PARTNER_LIST) {
      uint32_t middle = at + (count - at) / 2;
      bool before = partner < (mo_partner_entry(partners, middle) & ~MO_PARTNER_MARK);
      at = before ? at : middle;
      count = before ? middle : count;
    }
  }
  for (; at < count; at++) {
    if (mo_partner_entry(partners, at) == partner) {
      __atomic_store_n(&partners[at], partner | MO_PARTNER_MARK, __ATOMIC_RELAXED);
      return true;
    }
  }
  return false;
}

bool mo_pair_tracker_mark_found(mo_pair_search *search) {
  mo_pair_update_slice *mine = search->context;
  mo_pair_tracker *tracker = mine->tracker;
  const mo_scene *scene = tracker->log.scene;
  const uint8_t *pending = tracker->log.pending;
  bool ok = true;
  for (uint32_t i = 0; i < search->count && ok; i++) {
    uint64_t key = search->keys[i];
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    mo_pair_set_prefetch(&tracker->set, search->keys, i, search->count);
    if (mo_pairs_are_filtered(scene) && !mo_pair_passes_filters(scene, a, scene, b)) {
      continue;
    }
    if (mo_pair_tracker_has_many_partners(tracker, a) ||
        mo_pair_tracker_has_many_partners(tracker, b)) {
      ok = mo_pair_tracker_add_part_key(
          tracker, &tracker->parts[MO_PART_OF_MANY_PARTNER_SHAPES][mine->index], key);
      continue;
    }
    uint32_t changes = pending[a] | pending[b];
    uint32_t owner = mine->method == MO_SEARCH_CHANGED_SHAPES && pending[a] == 0 ? b : a;
    if (!(changes & MO_CHANGE_SLOT_REUSED) && find_and_mark(&tracker->set, owner, owner ^ a ^ b)) {
      ok = !tracker->def.report_persists || changes == 0 ||
           mo_pair_tracker_add_part_key(tracker, &tracker->parts[MO_PART_PERSISTS][mine->index],
                                        key);
    } else if (changes != 0) { /* pairs of unchanged shapes were refused before */
      ok = mo_pair_tracker_add_part_key(tracker, &tracker->parts[MO_PART_BEGINS][mine->index], key);
    }
  }
  mine->failed = mine->failed || !ok;
  return ok;
}

/* --- pairs without marks --- */

typedef struct unmarked_pairs_context {
  mo_pair_tracker *tracker;
  mo_pair_search_method method;
  bool failed[MO_MAX_UPDATE_PARTS]; /* by part: out of memory */
} unmarked_pairs_context;

/* Whether an unmarked entry in a slot's list means that the pair ends. It does if the pair would be
 * marked in this list and not in the other shape's, and one of the two shapes has changed. */
static inline bool has_pair_ended(const unmarked_pairs_context *s, uint32_t slot, uint32_t other) {
  const uint8_t *pending = s->tracker->log.pending;
  return s->method == MO_SEARCH_TREE_AND_MARK
             ? (other > slot) & ((pending[slot] | pending[other]) != 0)
             : ((pending[other] == 0) | (other > slot)) &&
                   !mo_pair_tracker_has_many_partners(s->tracker, other);
}

/* Clears the marks in the partner list of a slot, and adds its pairs that end to `ends`. */
static bool collect_unmarked_of_slot(const unmarked_pairs_context *s, mo_pair_keys *ends,
                                     uint32_t slot) {
  mo_pair_tracker *tracker = s->tracker;
  uint32_t count = mo_partners_count(&tracker->set, slot), unmarked = 0;
  uint32_t *partners = mo_partners_of(&tracker->set, slot);
  /* Partners below this are marked in their own lists. */
  const uint32_t min = s->method == MO_SEARCH_TREE_AND_MARK ? slot : 0;
  for (uint32_t i = 0; i < count; i++) {
    unmarked |= (partners[i] < MO_PARTNER_MARK) & (partners[i] >= min);
  }
  bool ok = unmarked == 0 || mo_pair_tracker_reserve_part_keys(tracker, ends, count);
  for (uint32_t i = 0; i < count && unmarked != 0 && ok; i++) {
    uint32_t other = partners[i];
    if (other < MO_PARTNER_MARK) {
      ends->keys[ends->count] = slot < other ? mo_pair_key(slot, other) : mo_pair_key(other, slot);
      ends->count += has_pair_ended(s, slot, other);
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    partners[i] &= ~MO_PARTNER_MARK;
  }
  return ok;
}

/* A task: collect_unmarked_of_slot for a share of all slots, or of the changed ones. */
static void collect_unmarked_of_part(uint32_t part, void *context) {
  unmarked_pairs_context *s = context;
  mo_pair_tracker *tracker = s->tracker;
  const mo_pair_set *set = &tracker->set;
  const uint32_t *changed = s->method == MO_SEARCH_CHANGED_SHAPES ? tracker->log.changed : NULL;
  const uint32_t slots = changed != NULL ? tracker->log.count : tracker->log.slot_capacity;
  uint32_t i = mo_part_begin(slots, part, tracker->part_count);
  const uint32_t end = mo_part_begin(slots, part + 1, tracker->part_count);
  mo_pair_keys *ends = &tracker->parts[MO_PART_ENDS][part];
  for (; i < end; i++) {
    if (changed != NULL && i + 2 * MO_PREFETCH_PARTNERS_AHEAD < end) {
      mo_prefetch(&set->lists[changed[i + 2 * MO_PREFETCH_PARTNERS_AHEAD]], 1);
    }
    if (i + MO_PREFETCH_PARTNERS_AHEAD < end) {
      const uint32_t ahead = changed != NULL ? changed[i + MO_PREFETCH_PARTNERS_AHEAD]
                                             : i + MO_PREFETCH_PARTNERS_AHEAD;
      if (mo_partners_have_chunk(&set->lists[ahead])) {
        mo_prefetch(mo_partners_chunk(set, ahead), 2);
      }
    }
    const uint32_t slot = changed != NULL ? changed[i] : i;
    if (changed == NULL || !mo_pair_tracker_has_many_partners(tracker, slot)) {
      s->failed[part] |= !collect_unmarked_of_slot(s, ends, slot);
    }
  }
}

bool mo_pair_tracker_collect_unmarked(mo_pair_tracker *tracker, mo_pair_search_method method) {
  unmarked_pairs_context s = {.tracker = tracker, .method = method};
  mo_tasks_run(&tracker->host, tracker->part_count, collect_unmarked_of_part, &s);
  bool ok = true;
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    ok &= !s.failed[i];
  }
  return ok;
}
