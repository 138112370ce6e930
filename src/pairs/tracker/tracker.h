/* Pair trackers: sets of pairs that are updated incrementally. A tracker listens to the change log
 * of its scene. */
#ifndef MO_PAIRS_TRACKER_TRACKER_H
#define MO_PAIRS_TRACKER_TRACKER_H

#include <motte/pair_tracker.h>

#include "base/prefetch.h"
#include "base/tasks.h"
#include "pairs/search/search.h"
#include "pairs/tracker/policy.h"
#include "pairs/tracker/set.h"
#include "scene/changes/change_log.h"
#include "scene/scene.h"

enum { MO_MAX_UPDATE_PARTS = 32 }; /* parts of an update, one task for each */

/* A growing array of pair keys, which is reused from update to update. */
typedef MO_LIST(uint64_t, keys) mo_pair_keys;

typedef MO_LIST(mo_pair, pairs) mo_pair_tracker_output;

struct mo_pair_tracker {
  mo_listener log; /* changes of the scene since the last update; must be first */
  mo_pair_tracker_def def;
  mo_host host;

  mo_pair_set set; /* tag of a slot: its generation at the last update; odd: it was alive */
  uint64_t pair_count;
  /* The pairs that the last search of the whole tree found, in its order; pairs that are not in the
   * set are marked as refused. Valid only if `last_found_pairs_are_valid`, as updates by other
   * methods do not maintain it. */
  mo_pair_keys last_found_pairs;
  bool last_found_pairs_are_valid;
  /* The scene's origin has been shifted: rounding may have made unchanged shapes touch or separate.
   * Their pairs stay as they were until one of the two shapes changes. */
  bool origin_was_shifted;
  uint64_t search_count, whole_search_count; /* searches in all updates; of the whole tree */

  /* The following members are workspace of updates. */
  /* Results of tasks, by stream (MO_STREAM_...) or kind of result (MO_PART_...), and by part. */
  mo_pair_keys parts[MO_PAIR_STREAM_COUNT][MO_MAX_UPDATE_PARTS];
  uint32_t part_count; /* number of parts of the search */
  mo_pair_keys found, begins, ends, persists, changed_groups, scratch;
  mo_pair_keys ended_and_begun; /* pairs that are in both `ends` and `begins` */
  /* By block: bits of lanes with changed shapes, and a bit for each block with such lanes; 0
   * between updates. */
  MO_LIST(uint8_t, lanes) changed_lanes;
  MO_LIST(uint64_t, words) changed_blocks;
  mo_many_partner_shapes many_partner_shapes; /* changed shapes with very many partners */
  MO_LIST(uint8_t, bytes) many_partner_found; /* the memory of many_partner_shapes.found */
  /* The events as shape ids: in [0] the pairs that begin, then the pairs that end; in [1] the pairs
   * that persist. During an update, [0] first serves as memory for the changes of the set. */
  mo_pair_tracker_output output[2];
};

enum { MO_PAIR_LIST_COUNT = 8 + MO_PAIR_STREAM_COUNT * MO_MAX_UPDATE_PARTS };

/* List number i of all lists of keys of a tracker, for freeing and counting their memory. */
static inline mo_pair_keys *mo_pair_tracker_list_at(mo_pair_tracker *t, uint32_t i) {
  mo_pair_keys *const lists[8] = {
      &t->last_found_pairs, &t->found,          &t->begins,  &t->ends,
      &t->persists,         &t->changed_groups, &t->scratch, &t->ended_and_begun};
  return i < 8 ? lists[i] : &t->parts[(i - 8) / MO_MAX_UPDATE_PARTS][(i - 8) % MO_MAX_UPDATE_PARTS];
}

/* Reserves capacity for `extra` more keys. Returns false when out of memory. */
bool mo_pair_tracker_reserve_keys(const mo_pair_tracker *tracker, mo_pair_keys *list,
                                  uint64_t extra);

/* As mo_pair_tracker_reserve_keys, for a list of a part, with an initial capacity of at least
 * MO_MIN_KEY_CAPACITY: the number of keys per part varies from frame to frame, even if the sum over
 * all parts stays the same. */
bool mo_pair_tracker_reserve_part_keys(mo_pair_tracker *tracker, mo_pair_keys *list,
                                       uint64_t extra);

/* Adds a key to a list of a part. Returns false when out of memory. */
static inline bool mo_pair_tracker_add_part_key(mo_pair_tracker *tracker, mo_pair_keys *list,
                                                uint64_t key) {
  bool ok = mo_pair_tracker_reserve_part_keys(tracker, list, 1);
  if (ok) {
    list->keys[list->count++] = key;
  }
  return ok;
}

/* Prefetches the partner lists of the slots in the upper halves of keys after key i: first the
 * heads of the lists, then their chunks. */
MO_INLINE void mo_pair_set_prefetch(const mo_pair_set *set, const uint64_t *keys, uint32_t i,
                                    uint32_t end) {
  if (i + 2 * MO_PREFETCH_PARTNERS_AHEAD < end) {
    mo_prefetch(&set->lists[keys[i + 2 * MO_PREFETCH_PARTNERS_AHEAD] >> 32], 1);
  }
  if (i + MO_PREFETCH_PARTNERS_AHEAD < end) {
    const uint32_t slot = (uint32_t)(keys[i + MO_PREFETCH_PARTNERS_AHEAD] >> 32);
    if (mo_partner_entry(set->lists[slot].entries, 0) == MO_PARTNERS_CHUNK_MARKER) {
      mo_prefetch(mo_partners_chunk(set, slot), 2);
    }
  }
}

/* Sorts keys, ascending. False when out of memory. */
bool mo_pair_tracker_sort_keys(mo_pair_tracker *tracker, mo_pair_keys *list);

/* The id that a slot's shape had at the last update. */
static inline mo_shape_id mo_pair_tracker_id_of(const mo_pair_tracker *tracker, uint32_t slot) {
  return (mo_shape_id){slot, tracker->set.lists[slot].tag};
}

/* Lists, as ascending keys, the pairs of the set of which a shape has a change of one of the given
 * kinds in a change log. The log must have every change since the tracker's last update. `scratch`
 * is workspace for sorting. Returns false when out of memory. */
bool mo_pair_tracker_list_changed_pairs(const mo_pair_tracker *tracker, const mo_listener *log,
                                        uint8_t kinds, mo_pair_keys *keys, mo_pair_keys *scratch);

/* How an update finds its events. */
typedef enum mo_pair_search_method {
  MO_SEARCH_CHANGED_SHAPES, /* searches only for the pairs of changed shapes, and marks them in the
                               set */
  MO_SEARCH_TREE_AND_COMPARE, /* searches the whole tree, and compares the pairs found with the last
                                 ones */
  MO_SEARCH_TREE_AND_MARK,    /* searches the whole tree, and marks the pairs in the set */
} mo_pair_search_method;

/* Fills `begins`, `ends` and `persists`; with MO_SEARCH_TREE_AND_COMPARE also `found`, for the next
 * comparison. Returns false when out of memory. */
bool mo_pair_tracker_find_events(mo_pair_tracker *tracker, mo_pair_search_method method);

/* Kinds of results of the parts of an update: first index of mo_pair_tracker::parts, which a search
 * indexes by stream. All these lists are empty before; mo_pair_tracker_join_parts concatenates
 * them. */
enum {
  MO_PART_BEGINS,   /* pairs that begin */
  MO_PART_ENDS,     /* pairs that end */
  MO_PART_PERSISTS, /* pairs that persist */
  MO_PART_KIND_COUNT,
  MO_PART_OF_MANY_PARTNER_SHAPES =
      MO_PART_KIND_COUNT, /* more pairs for mo_pair_tracker_compare_many_partner_shapes */
};

/* Appends the results of the parts to `begins` (except pairs that the host refuses), `ends` and
 * `persists`. Returns false when out of memory. */
bool mo_pair_tracker_join_parts(mo_pair_tracker *tracker, uint32_t part_count);

/* The share of one task in an update: the context of the task's search. */
typedef struct mo_pair_update_slice {
  mo_pair_tracker *tracker;
  mo_pair_search_method method;
  uint32_t index;
  bool failed; /* whether the task was out of memory */
} mo_pair_update_slice;

/* Callback of a search: marks the found pairs in the set. */
bool mo_pair_tracker_mark_found(mo_pair_search *search);

/* Lists unmarked pairs of which a shape has changed as MO_PART_ENDS, and clears all marks, even if
 * it fails. Returns false when out of memory. */
bool mo_pair_tracker_collect_unmarked(mo_pair_tracker *tracker, mo_pair_search_method method);

/* Finds the many-partner shapes: changed shapes with very many partners whose slots were not
 * reused. Does not find their pairs yet. Returns false when out of memory. */
bool mo_pair_tracker_find_many_partner_shapes(mo_pair_tracker *tracker);

static inline bool mo_pair_tracker_has_many_partners(const mo_pair_tracker *tracker,
                                                     uint32_t slot) {
  for (uint32_t i = 0; i < tracker->many_partner_shapes.count; i++) {
    if (tracker->many_partner_shapes.slots[i] == slot) {
      return true;
    }
  }
  return false;
}

/* Adds the pairs of many-partner shapes that begin, end and persist to the results of the parts.
 * Pairs listed as MO_PART_OF_MANY_PARTNER_SHAPES count as found too. Returns false when out of
 * memory. */
bool mo_pair_tracker_compare_many_partner_shapes(mo_pair_tracker *tracker);

/* Finds the pairs that begin, end and persist by comparing all found pairs with the pairs that the
 * last search of the whole tree found. Returns false when out of memory. */
bool mo_pair_tracker_compare_with_last(mo_pair_tracker *tracker);

/* Into how many tasks the processing of `keys` keys is cut. */
static inline uint32_t mo_pair_tracker_part_count(const mo_pair_tracker *tracker, uint64_t keys) {
  bool alone = mo_tasks_workers(&tracker->host) == 1 || keys < MO_MIN_KEYS_FOR_TASKS;
  return alone ? 1 : (uint32_t)MO_MAX_UPDATE_PARTS;
}

/* First half of applying `begins` and `ends`, except the pairs in `ended_and_begun`, to the set:
 * changes the short lists, and reserves all memory for the other changes. The changes are stored in
 * the memory of `output[0]`, which must have been reserved. If this fails, the set is unchanged.
 * Errors: MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_pair_tracker_begin_edits(mo_pair_tracker *tracker, uint32_t part_count);

/* Second half of applying changes to the set: makes the remaining changes. Never fails. */
void mo_pair_tracker_end_edits(mo_pair_tracker *tracker, uint32_t part_count);

/* Whether the host's callback `accept` accepts the pair of two slots. */
bool mo_pair_tracker_accepts(const mo_pair_tracker *tracker, uint32_t a, uint32_t b);

/* Whether a changed shape is alive now. (A shape that was neither added nor removed is.) */
static inline bool mo_pair_tracker_is_alive_now(const mo_pair_tracker *tracker, uint32_t slot) {
  const mo_scene *scene = tracker->log.scene;
  return !(tracker->log.pending[slot] & MO_CHANGE_SLOT_REUSED) ||
         (slot < scene->slot_count && mo_slot_is_alive(scene, slot));
}

#endif
