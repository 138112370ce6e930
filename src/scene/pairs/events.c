/* Finds the pairs that begin and end in an update of a tracker.
 *
 * Where many shapes changed, the whole tree is searched, and the pairs are compared with those of
 * the last such search: the two lists are nearly in the same order (compare.c); or, where there are
 * many for each shape, marked in the set (marks.c). Otherwise only the pairs of the
 * changed shapes are searched for, by groups of shapes that lie in one block. Each pair found is
 * looked up in the partner list of its changed shape, or of the lower slot if both changed. A pair
 * in the list is marked; a pair that is not there begins. Then each unmarked pair in the lists of
 * changed shapes ends. Only workspace is changed here. */
#include <string.h>

#include "base/key_sort.h"
#include "base/mask.h"
#include "base/tasks.h"
#include "scene/octree/octree.h"
#include "scene/pairs/policy.h"
#include "scene/pairs/search.h"
#include "scene/pairs/tracker.h"

/* Reserves marks for so many blocks. */
static bool reserve_lanes(mo_pair_tracker *tracker, uint32_t blocks) {
  if (blocks <= tracker->lane_capacity) {
    return true;
  }
  const mo_allocator *allocator = &tracker->host.allocator;
  uint32_t capacity = (blocks + blocks / 2 + 63) / 64 * 64;
  uint8_t *lanes = mo_allocate(allocator, capacity, sizeof *lanes);
  uint64_t *touched = mo_allocate(allocator, capacity / 64, sizeof *touched);
  if (!lanes || !touched) {
    mo_deallocate(allocator, lanes, capacity, sizeof *lanes);
    mo_deallocate(allocator, touched, capacity / 64, sizeof *touched);
    return false;
  }
  memset(lanes, 0, capacity);
  memset(touched, 0, capacity / 64 * sizeof *touched);
  mo_deallocate(allocator, tracker->lanes, tracker->lane_capacity, sizeof *lanes);
  mo_deallocate(allocator, tracker->touched, tracker->lane_capacity / 64, sizeof *touched);
  tracker->lanes = lanes;
  tracker->touched = touched;
  tracker->lane_capacity = capacity;
  return true;
}

/* --- searching --- */

/* Takes found keys. Each pair found by groups has a changed shape. */
static bool take(mo_pair_search *search) {
  mo_pair_part *mine = search->context;
  mo_pair_tracker *tracker = mine->tracker;
  const mo_scene *scene = tracker->log.scene;
  mo_pair_keys *found = &tracker->parts[search->stream][mine->index];
  if (!mo_pair_tracker_reserve_part(tracker, found, search->count)) {
    mine->failed = true;
    return false;
  }
  uint64_t *to = found->keys;
  uint32_t count = found->count;
  if (scene->filtered_count == 0) {
    memcpy(to + count, search->keys, search->count * sizeof *to);
    found->count = count + search->count;
    return true;
  }
  for (uint32_t i = 0; i < search->count; i++) {
    uint64_t key = search->keys[i];
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    to[count] = key;
    count += mo_pair_passes(scene, a, scene, b);
  }
  found->count = count;
  return true;
}

static void begin_part(mo_pair_search *search, mo_pair_part *mine, mo_pair_method method) {
  mo_pair_search_init(search, mine->tracker->log.scene, mine->tracker->log.scene, false);
  search->grouped = mine->tracker->log.pending;
  search->take = method == MO_METHOD_MARKS ? mo_pair_tracker_take_marks : take;
  search->context = mine;
}

/* Collects the shapes that changed by blocks, in the order in which these were made, which is that
 * of the tree for the most part; from the last on, which an update has just been at. Uses the array
 * of changes for that: block << 8 | lanes. */
static bool collect_groups(mo_pair_tracker *tracker) {
  const mo_scene *scene = tracker->log.scene;
  mo_pair_keys *groups = &tracker->changes;
  groups->count = 0;
  if (!reserve_lanes(tracker, scene->blocks.count) ||
      !mo_pair_tracker_reserve_keys(tracker, groups, tracker->log.count)) {
    return false;
  }
  for (uint32_t i = 0; i < tracker->log.count; i++) {
    uint32_t slot = tracker->log.changed[i];
    if (mo_pair_tracker_is_alive_now(tracker, slot) && scene->places[slot] != MO_NONE &&
        !mo_pair_tracker_is_busy(tracker, slot)) {
      mo_place place = scene->places[slot];
      uint32_t block = place >> 3;
      tracker->lanes[block] = (uint8_t)(tracker->lanes[block] | 1u << (place & 7));
      tracker->touched[block >> 6] |= (uint64_t)1 << (block & 63);
    }
  }
  uint32_t words = (scene->blocks.count + 63) / 64;
  for (uint32_t word = words; word-- > 0;) {
    uint64_t touched = tracker->touched[word];
    tracker->touched[word] = 0;
    while (touched != 0) {
      uint32_t bit = 63 - (uint32_t)__builtin_clzll(touched);
      touched ^= (uint64_t)1 << bit;
      uint32_t block = word << 6 | bit;
      groups->keys[groups->count++] = (uint64_t)block << 8 | tracker->lanes[block];
      tracker->lanes[block] = 0;
    }
  }
  return true;
}

/* Groups of one shape come first, as they are tested by other code. */
static void search_groups(mo_pair_part *mine, uint32_t begin, uint32_t end, uint32_t parts) {
  const uint64_t *keys = mine->tracker->changes.keys;
  uint32_t first = begin;
  mo_pair_search search;
  begin_part(&search, mine, MO_METHOD_GROUPS);
  while (begin < end && !search.stopped) {
    mo_pair_group groups[MO_PAIR_GROUPS];
    uint32_t count = end - begin < MO_PAIR_GROUPS ? end - begin : MO_PAIR_GROUPS;
    uint32_t alone = 0, together = count;
    for (uint32_t i = 0; i < count; i++, begin++) {
      mo_pair_group group = {(uint32_t)(keys[begin] >> 8), (uint32_t)keys[begin] & 0xff};
      bool is_alone = (group.lanes & (group.lanes - 1)) == 0;
      groups[alone] = groups[together - 1] = group;
      alone += is_alone;
      together -= !is_alone;
    }
    mo_pair_search_groups(&search, groups, count);
  }
  mo_pair_search_unbounded(&search, mine->index, parts, true);
  bool any = search.scene[0]->unbounded_count > 0;
  for (uint32_t i = first; any && i < end && !search.stopped; i++) {
    mo_pair_group group = {(uint32_t)(keys[i] >> 8), (uint32_t)keys[i] & 0xff};
    mo_pair_search_group_unbounded(&search, &group);
  }
  const mo_pair_busy *busy = &mine->tracker->busy;
  for (uint32_t i = mine->index; any && i < busy->count && !search.stopped; i += parts) {
    mo_place place = busy->scene->places[busy->slots[i]];
    if (place != MO_NONE) {
      mo_pair_group group = {place >> 3, 1u << (place & 7)};
      mo_pair_search_group_unbounded(&search, &group);
    }
  }
  mo_pair_search_end(&search);
  if (busy->count > 0) {
    mo_pair_search_busy(busy, mine->index, parts);
  }
}

/* A search in parts: each does an equal share of the jobs, or of the groups, in their order. */
typedef struct plan {
  mo_pair_tracker *tracker;
  mo_pair_method method;
  uint32_t parts, job_count;
  mo_pair_job jobs[MO_PAIR_JOBS];
  mo_pair_part part[MO_PAIR_PARTS];
} plan;

static void search_part(uint32_t index, void *context) {
  plan *p = context;
  mo_pair_part *mine = &p->part[index];
  if (p->method == MO_METHOD_GROUPS) {
    uint64_t groups = p->tracker->changes.count;
    search_groups(mine, (uint32_t)(groups * index / p->parts),
                  (uint32_t)(groups * (index + 1) / p->parts), p->parts);
    return;
  }
  mo_pair_search search;
  begin_part(&search, mine, p->method);
  uint32_t end = p->job_count * (index + 1) / p->parts;
  for (uint32_t i = p->job_count * index / p->parts; i < end && !search.stopped; i++) {
    mo_pair_search_job(&search, &p->jobs[i]);
  }
  mo_pair_search_unbounded(&search, index, p->parts, false);
  mo_pair_search_end(&search);
}

typedef struct gathering {
  mo_pair_tracker *tracker;
  uint32_t starts[MO_PAIR_STREAMS][MO_PAIR_PARTS]; /* in `found` */
} gathering;

/* A task: copies what a part has found. */
static void gather_part(uint32_t part, void *context) {
  const gathering *g = context;
  for (uint32_t stream = 0; stream < MO_PAIR_STREAMS; stream++) {
    const mo_pair_keys *one = &g->tracker->parts[stream][part];
    if (one->count > 0) {
      uint64_t *to = g->tracker->found.keys + g->starts[stream][part];
      memcpy(to, one->keys, one->count * sizeof *one->keys);
    }
  }
}

/* Puts what the parts have found into `found`, one stream after the other. */
static bool gather_parts(mo_pair_tracker *tracker, uint32_t parts) {
  gathering g = {.tracker = tracker};
  uint64_t total = 0;
  for (uint32_t i = 0; i < MO_PAIR_STREAMS * parts; i++) {
    g.starts[i / parts][i % parts] = (uint32_t)total;
    total += tracker->parts[i / parts][i % parts].count;
  }
  tracker->found.count = 0;
  if (!mo_pair_tracker_reserve_keys(tracker, &tracker->found, total)) {
    return false;
  }
  tracker->found.count = (uint32_t)total;
  mo_tasks_run(&tracker->host, parts, gather_part, &g);
  return true;
}

/* Finds all pairs, or the pairs of changed shapes, or marks all. False when out of memory. */
static bool search_pairs(mo_pair_tracker *tracker, mo_pair_method method) {
  const mo_scene *scene = tracker->log.scene;
  plan p = {.tracker = tracker, .method = method};
  bool whole = method != MO_METHOD_GROUPS;
  tracker->searches++;
  tracker->whole_searches += whole;
  tracker->busy.count = 0;
  if (!whole && (!mo_pair_tracker_find_busy(tracker) || !collect_groups(tracker))) {
    return false;
  }
  bool few = tracker->log.count < MO_PARALLEL_LEAST && tracker->busy.count == 0;
  bool alone = few || mo_tasks_workers(&tracker->host) == 1;
  p.parts = tracker->part_count = alone ? 1 : MO_PAIR_PARTS;
  if (whole && alone) {
    p.jobs[0] = mo_pair_whole_job(scene, scene);
    p.job_count = 1;
  } else if (whole) {
    p.job_count = mo_pair_cut(scene, scene, p.jobs);
  }
  for (uint32_t i = 0; i < p.parts; i++) {
    p.part[i] = (mo_pair_part){.tracker = tracker, .index = i};
    for (int stream = 0; stream < MO_PAIR_STREAMS; stream++) {
      tracker->parts[stream][i].count = 0;
      if (method != MO_METHOD_MARKS &&
          !mo_pair_tracker_reserve_part(tracker, &tracker->parts[stream][i], 0)) {
        return false;
      }
    }
  }
  mo_tasks_run(&tracker->host, p.parts, search_part, &p);
  for (uint32_t i = 0; i < p.parts; i++) {
    if (p.part[i].failed) {
      return false;
    }
  }
  return method == MO_METHOD_MARKS || gather_parts(tracker, p.parts);
}

/* --- events --- */

bool mo_pair_tracker_accepts(const mo_pair_tracker *tracker, uint32_t a, uint32_t b) {
  if (!tracker->def.accept) {
    return true;
  }
  const mo_shape *shapes = tracker->log.scene->shapes;
  mo_pair pair = {mo_shape_id_of(tracker->log.scene, a), mo_shape_id_of(tracker->log.scene, b)};
  return tracker->def.accept(&pair, shapes[a].user_data, shapes[b].user_data, tracker->def.context);
}

static inline uint64_t key_of(uint32_t slot, uint32_t other) {
  uint32_t turned = (slot ^ other) & mo_mask_of(other < slot);
  return mo_pair_key(slot ^ turned, other ^ turned);
}

static bool append(mo_pair_tracker *tracker, mo_pair_keys *list, const mo_pair_keys *more) {
  if (!mo_pair_tracker_reserve_keys(tracker, list, more->count)) {
    return false;
  }
  if (more->count > 0) {
    memcpy(list->keys + list->count, more->keys, more->count * sizeof *list->keys);
  }
  list->count += more->count;
  return true;
}

/* Pairs that begin, but for those that the host refuses. */
static bool append_begins(mo_pair_tracker *tracker, const mo_pair_keys *more) {
  mo_pair_keys *begins = &tracker->begins;
  uint32_t kept = begins->count;
  if (!append(tracker, begins, more)) {
    return false;
  }
  for (uint32_t i = kept; i < begins->count && tracker->def.accept != NULL; i++) {
    uint64_t key = begins->keys[i];
    begins->keys[kept] = key;
    kept += mo_pair_tracker_accepts(tracker, (uint32_t)(key >> 32), (uint32_t)key);
  }
  begins->count = tracker->def.accept != NULL ? kept : begins->count;
  return true;
}

bool mo_pair_tracker_join_parts(mo_pair_tracker *tracker, uint32_t parts) {
  bool ok = true;
  for (uint32_t i = 0; i < parts && ok; i++) {
    ok = append_begins(tracker, &tracker->parts[MO_PART_BEGINS][i]) &&
         append(tracker, &tracker->ends, &tracker->parts[MO_PART_ENDS][i]) &&
         append(tracker, &tracker->persists, &tracker->parts[MO_PART_PERSISTS][i]);
  }
  return ok;
}

/* A pair that was found: marks it where it is in a list of partners, else it begins. */
static bool note_found(mo_pair_tracker *tracker, uint64_t key, uint32_t *partner) {
  if (partner) {
    *partner |= MO_PARTNER_SEEN;
    if (tracker->def.report_persists) {
      tracker->persists.keys[tracker->persists.count++] = key;
    }
  } else if (mo_pair_tracker_accepts(tracker, (uint32_t)(key >> 32), (uint32_t)key)) {
    if (!mo_pair_tracker_reserve_keys(tracker, &tracker->begins, 1)) {
      return false;
    }
    tracker->begins.keys[tracker->begins.count++] = key;
  }
  return true;
}

/* Of found pairs, given in the array of changes as (owner, other), those that are in the long lists
 * of their owners: such a list is walked once, beside all that were found for it. A search for each
 * would be one of 17 steps, each a cache miss, in a list of 100,000. */
static bool find_in_long_lists(mo_pair_tracker *tracker) {
  const mo_pair_keys *keys = &tracker->changes;
  if (!mo_pair_tracker_sort_keys(tracker, &tracker->changes)) {
    return false;
  }
  bool ok = true;
  for (uint32_t i = 0; i < keys->count && ok;) {
    uint32_t owner = (uint32_t)(keys->keys[i] >> 32), at = 0;
    uint32_t *partners = mo_partners_of(&tracker->set, owner);
    uint32_t count = mo_partners_count(&tracker->set, owner);
    for (; i < keys->count && keys->keys[i] >> 32 == owner && ok; i++) {
      uint32_t other = (uint32_t)keys->keys[i];
      while (at < count && partners[at] < other) {
        at++;
      }
      bool is_partner = at < count && partners[at] == other;
      ok = note_found(tracker, key_of(owner, other), is_partner ? &partners[at++] : NULL);
    }
  }
  return ok;
}

/* Splits the pairs that groups found into those that begin and, if reported, those that persist. */
static bool find_begins(mo_pair_tracker *tracker) {
  mo_pair_keys *later = &tracker->changes;
  tracker->begins.count = tracker->persists.count = later->count = 0;
  if (tracker->def.report_persists &&
      !mo_pair_tracker_reserve_keys(tracker, &tracker->persists, tracker->found.count)) {
    return false;
  }
  for (uint32_t i = 0; i < tracker->found.count; i++) {
    uint64_t key = tracker->found.keys[i];
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    if (i + MO_BEGINS_AHEAD < tracker->found.count) {
      uint64_t ahead = tracker->found.keys[i + MO_BEGINS_AHEAD];
      mo_prefetch(&tracker->set.lists[ahead >> 32], 1);
      mo_prefetch(&tracker->set.lists[(uint32_t)ahead], 1);
    }
    uint32_t turned = (a ^ b) & mo_mask_of(tracker->log.pending[a] == 0);
    uint32_t owner = a ^ turned, other = b ^ turned;
    bool reborn = (tracker->log.pending[a] | tracker->log.pending[b]) & MO_CHANGE_REBORN;
    bool ok = true;
    if (mo_pair_tracker_note_busy(tracker, a, b)) {
      continue;
    }
    if (reborn || mo_partners_are_few(&tracker->set, owner)) {
      ok = note_found(tracker, key, reborn ? NULL : mo_partners_find(&tracker->set, owner, other));
    } else {
      ok = mo_pair_tracker_reserve_keys(tracker, later, 1);
      if (ok) {
        later->keys[later->count++] = mo_pair_key(owner, other);
      }
    }
    if (!ok) {
      return false;
    }
  }
  return find_in_long_lists(tracker);
}

/* Whether a partner of a shape that changed ends, if it was not seen: where both changed, only the
 * one with the lower slot says so. Of those with very many partners, none does. */
static inline bool is_to_end(const mo_pair_tracker *tracker, uint32_t slot, uint32_t other) {
  return ((tracker->log.pending[other] == 0) | (other >= slot)) &
         !mo_pair_tracker_is_busy(tracker, other);
}

/* What ends in a head, where most have none, one or two: without a branch on any of them. What is
 * none counts as seen. */
static bool find_ends_inside(mo_pair_tracker *tracker, uint32_t slot) {
  mo_pair_keys *ends = &tracker->ends;
  uint32_t *inside = tracker->set.lists[slot].inside;
  bool ok = ends->capacity - ends->count >= MO_PARTNERS_INSIDE ||
            mo_pair_tracker_reserve_keys(tracker, ends, MO_PARTNERS_INSIDE);
  for (int j = 0; j < MO_PARTNERS_INSIDE; j++) {
    uint32_t none = mo_mask_of(inside[j] == MO_NONE), seen = inside[j] / MO_PARTNER_SEEN;
    uint32_t partner = inside[j] & ~MO_PARTNER_SEEN, other = partner ^ ((partner ^ slot) & none);
    inside[j] = partner | none;
    mo_prefetch(&tracker->set.lists[other], 1);
    if (ok) {
      ends->keys[ends->count] = key_of(slot, other);
      ends->count += (seen ^ 1) & (uint32_t)is_to_end(tracker, slot, other);
    }
  }
  return ok;
}

static bool find_ends_in_chunk(mo_pair_tracker *tracker, uint32_t slot) {
  uint32_t *partners = mo_partners_of(&tracker->set, slot);
  uint32_t count = mo_partners_count(&tracker->set, slot);
  bool ok = true;
  for (uint32_t j = 0; j < count; j++) {
    uint32_t other = partners[j] & ~MO_PARTNER_SEEN;
    bool seen = partners[j] != other;
    partners[j] = other;
    if (seen || !is_to_end(tracker, slot, other)) {
      continue;
    }
    mo_prefetch(&tracker->set.lists[other], 1);
    ok = ok && mo_pair_tracker_reserve_keys(tracker, &tracker->ends, 1);
    if (ok) {
      tracker->ends.keys[tracker->ends.count++] = key_of(slot, other);
    }
  }
  return ok;
}

/* Ends the pairs that are not marked. Clears the marks, also when out of memory. */
static bool find_ends(mo_pair_tracker *tracker) {
  bool ok = true;
  tracker->ends.count = 0;
  for (uint32_t i = 0; i < tracker->log.count; i++) {
    if (i + MO_ENDS_AHEAD < tracker->log.count) {
      mo_prefetch(&tracker->set.lists[tracker->log.changed[i + MO_ENDS_AHEAD]], 1);
    }
    uint32_t slot = tracker->log.changed[i];
    if (mo_pair_tracker_is_busy(tracker, slot)) {
      continue;
    }
    ok &= mo_partners_have_chunk(&tracker->set.lists[slot]) ? find_ends_in_chunk(tracker, slot)
                                                            : find_ends_inside(tracker, slot);
  }
  return ok;
}

bool mo_pair_tracker_find_events(mo_pair_tracker *tracker, mo_pair_method method) {
  bool ok = search_pairs(tracker, method);
  if (method == MO_METHOD_LISTS) {
    return ok && mo_pair_tracker_compare_with_last(tracker);
  }
  /* Marks are cleared also after a failure. */
  if (method == MO_METHOD_MARKS) {
    ok &= mo_pair_tracker_sweep_marks(tracker);
    tracker->begins.count = tracker->ends.count = tracker->persists.count = 0;
    ok = ok && mo_pair_tracker_join_parts(tracker, tracker->part_count);
  } else {
    ok = ok && find_begins(tracker);
    ok &= find_ends(tracker);
    ok = ok && mo_pair_tracker_compare_busy(tracker);
  }
  return ok && mo_pair_tracker_sort_keys(tracker, &tracker->begins) &&
         mo_pair_tracker_sort_keys(tracker, &tracker->ends);
}
