/* Finds the pairs that begin and end in an update of a tracker.
 *
 * If many shapes changed, the whole tree is searched, and the pairs are compared with those of the
 * last such search: the two lists are in nearly the same order (compare.c). If there are many pairs
 * per shape, the pairs found are marked in the set instead (marks.c). If few shapes changed, only
 * the pairs of these shapes are searched for, by groups of shapes that lie in one block, and marked
 * in the set. This file changes only workspace and marks. */
#include <string.h>

#include "base/tasks.h"
#include "pairs/search/search.h"
#include "pairs/tracker/policy.h"
#include "pairs/tracker/tracker.h"
#include "scene/octree/octree.h"

/* --- searching --- */

/* Reserves capacity for `count` more keys. Even if the pairs stay the same, the stream and part in
 * which a pair is found change with the tree. So twice the capacity is reserved, and steady frames
 * allocate nothing. */
static bool reserve_found(mo_pair_tracker *tracker, mo_pair_keys *found, uint32_t count) {
  uint64_t needed = (uint64_t)found->count + count;
  bool fits = needed <= found->capacity && found->capacity > 0;
  return mo_pair_tracker_reserve_part_keys(tracker, found, fits ? count : count + needed);
}

/* Callback of the search: stores the found pairs that pass the filters. */
static bool store_pairs(mo_pair_search *search) {
  mo_pair_update_slice *mine = search->context;
  mo_pair_tracker *tracker = mine->tracker;
  const mo_scene *scene = tracker->log.scene;
  mo_pair_keys *found = &tracker->parts[search->stream][mine->index];
  if (!reserve_found(tracker, found, search->count)) {
    mine->failed = true;
    return false;
  }
  uint64_t *to = found->keys;
  uint32_t count = found->count;
  if (!mo_pairs_are_filtered(scene)) {
    memcpy(to + count, search->keys, search->count * sizeof *to);
    found->count = count + search->count;
    return true;
  }
  for (uint32_t i = 0; i < search->count; i++) {
    uint64_t key = search->keys[i];
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    to[count] = key;
    count += mo_pair_passes_filters(scene, a, scene, b);
  }
  found->count = count;
  return true;
}

static void begin_search(mo_pair_search *search, mo_pair_update_slice *mine) {
  mo_pair_search_init(search, mine->tracker->log.scene, mine->tracker->log.scene, false);
  search->is_grouped = mine->tracker->log.pending;
  search->consume =
      mine->method == MO_SEARCH_TREE_AND_COMPARE ? store_pairs : mo_pair_tracker_mark_found;
  search->context = mine;
}

/* Collects the changed shapes as groups by block, in descending order of block index, which is
 * mostly the order of the tree, beginning with blocks that the scene's update has just used. The
 * result is in `changed_groups`, as block << 8 | lanes. */
static bool collect_groups(mo_pair_tracker *tracker) {
  const mo_scene *scene = tracker->log.scene;
  mo_pair_keys *groups = &tracker->changed_groups;
  const uint32_t words = (scene->blocks.count + 63) / 64;
  groups->count = 0;
  if (mo_list_extend(&tracker->host.allocator, &tracker->changed_lanes.list, sizeof(uint8_t),
                     scene->blocks.count, 0) != MO_OK ||
      mo_list_extend(&tracker->host.allocator, &tracker->changed_blocks.list, sizeof(uint64_t),
                     words, 0) != MO_OK ||
      !mo_pair_tracker_reserve_keys(tracker, groups, tracker->log.count)) {
    return false;
  }
  uint8_t *lanes = tracker->changed_lanes.lanes;
  uint64_t *blocks = tracker->changed_blocks.words;
  for (uint32_t i = 0; i < tracker->log.count; i++) {
    uint32_t slot = tracker->log.changed[i];
    if (mo_pair_tracker_is_alive_now(tracker, slot) && scene->places[slot] != MO_NONE &&
        !mo_pair_tracker_has_many_partners(tracker, slot)) {
      mo_shape_place place = scene->places[slot];
      uint32_t block = place >> 3;
      lanes[block] = (uint8_t)(lanes[block] | 1u << (place & 7));
      blocks[block >> 6] |= (uint64_t)1 << (block & 63);
    }
  }
  for (uint32_t word = words; word-- > 0;) {
    uint64_t touched = blocks[word];
    blocks[word] = 0;
    while (touched != 0) {
      uint32_t bit = 63 - (uint32_t)__builtin_clzll(touched);
      touched ^= (uint64_t)1 << bit;
      uint32_t block = word << 6 | bit;
      groups->keys[groups->count++] = (uint64_t)block << 8 | lanes[block];
      lanes[block] = 0;
    }
  }
  return true;
}

/* Searches for the pairs of the groups from `begin` to `end`: first groups of one shape, which are
 * tested by other code, then the others. */
static void search_groups(mo_pair_update_slice *mine, uint32_t begin, uint32_t end,
                          uint32_t part_count) {
  const uint64_t *keys = mine->tracker->changed_groups.keys;
  uint32_t first = begin;
  mo_pair_search search;
  begin_search(&search, mine);
  while (begin < end && !search.stopped) {
    mo_pair_group groups[MO_MAX_PAIR_GROUPS];
    uint32_t count = end - begin < MO_MAX_PAIR_GROUPS ? end - begin : MO_MAX_PAIR_GROUPS;
    uint32_t alone = 0, together = count;
    for (uint32_t i = 0; i < count; i++, begin++) {
      mo_pair_group group = {(uint32_t)(keys[begin] >> 8), (uint32_t)keys[begin] & 0xff};
      bool is_alone = (group.lanes & (group.lanes - 1)) == 0;
      groups[alone] = groups[together - 1] = group;
      alone += is_alone;
      together -= !is_alone;
    }
    mo_pair_search_groups_by_isa[search.scene[0]->isa](&search, groups, count);
  }
  mo_pair_search_unbounded(&search, mine->index, part_count, true);
  bool any = search.scene[0]->unbounded_count > 0;
  for (uint32_t i = first; any && i < end && !search.stopped; i++) {
    mo_pair_group group = {(uint32_t)(keys[i] >> 8), (uint32_t)keys[i] & 0xff};
    mo_pair_search_group_unbounded(&search, &group);
  }
  const mo_many_partner_shapes *many_partner_shapes = &mine->tracker->many_partner_shapes;
  for (uint32_t i = mine->index; any && i < many_partner_shapes->count && !search.stopped;
       i += part_count) {
    mo_shape_place place = many_partner_shapes->scene->places[many_partner_shapes->slots[i]];
    if (place != MO_NONE) {
      mo_pair_group group = {place >> 3, 1u << (place & 7)};
      mo_pair_search_group_unbounded(&search, &group);
    }
  }
  mo_pair_search_end(&search);
  if (many_partner_shapes->count > 0) {
    mo_pair_search_many_partner_shapes_by_isa[search.scene[0]->isa](many_partner_shapes,
                                                                    mine->index, part_count);
  }
}

/* A search in parts, one per task: each part processes an equal, contiguous share of the jobs or
 * groups. */
typedef struct search_plan {
  mo_pair_tracker *tracker;
  uint32_t part_count, job_count;
  mo_pair_job jobs[MO_MAX_PAIR_JOBS];
  mo_pair_update_slice part[MO_MAX_UPDATE_PARTS];
} search_plan;

static void search_part(uint32_t index, void *context) {
  search_plan *p = context;
  mo_pair_update_slice *mine = &p->part[index];
  if (mine->method == MO_SEARCH_CHANGED_SHAPES) {
    uint32_t groups = p->tracker->changed_groups.count;
    search_groups(mine, mo_part_begin(groups, index, p->part_count),
                  mo_part_begin(groups, index + 1, p->part_count), p->part_count);
    return;
  }
  mo_pair_search search;
  begin_search(&search, mine);
  uint32_t end = mo_part_begin(p->job_count, index + 1, p->part_count);
  for (uint32_t i = mo_part_begin(p->job_count, index, p->part_count); i < end && !search.stopped;
       i++) {
    mo_pair_search_job(&search, &p->jobs[i]);
  }
  mo_pair_search_unbounded(&search, index, p->part_count, false);
  mo_pair_search_end(&search);
}

typedef struct gather_context {
  mo_pair_tracker *tracker;
  uint32_t starts[MO_PAIR_STREAM_COUNT][MO_MAX_UPDATE_PARTS]; /* position in `found` */
} gather_context;

/* A task: copies the pairs that a part has found to the list `found`. */
static void gather_part(uint32_t part, void *context) {
  const gather_context *g = context;
  for (uint32_t stream = 0; stream < MO_PAIR_STREAM_COUNT; stream++) {
    const mo_pair_keys *one = &g->tracker->parts[stream][part];
    if (one->count > 0) {
      uint64_t *to = g->tracker->found.keys + g->starts[stream][part];
      memcpy(to, one->keys, one->count * sizeof *one->keys);
    }
  }
}

/* Concatenates the pairs of all parts in `found`, one stream after the other. */
static bool gather_parts(mo_pair_tracker *tracker, uint32_t part_count) {
  gather_context g = {.tracker = tracker};
  uint64_t total = 0;
  for (uint32_t i = 0; i < MO_PAIR_STREAM_COUNT * part_count; i++) {
    g.starts[i / part_count][i % part_count] = (uint32_t)total;
    total += tracker->parts[i / part_count][i % part_count].count;
  }
  tracker->found.count = 0;
  if (!mo_pair_tracker_reserve_keys(tracker, &tracker->found, total)) {
    return false;
  }
  tracker->found.count = (uint32_t)total;
  mo_tasks_run(&tracker->host, part_count, gather_part, &g);
  return true;
}

/* Searches for pairs by a method. Returns false when out of memory. */
static bool search_pairs(mo_pair_tracker *tracker, mo_pair_search_method method) {
  const mo_scene *scene = tracker->log.scene;
  search_plan p = {.tracker = tracker};
  bool whole = method != MO_SEARCH_CHANGED_SHAPES;
  tracker->search_count++;
  tracker->whole_search_count += whole;
  tracker->many_partner_shapes.count = 0;
  if (!whole && (!mo_pair_tracker_find_many_partner_shapes(tracker) || !collect_groups(tracker))) {
    return false;
  }
  bool few =
      tracker->log.count < MO_MIN_CHANGES_FOR_TASKS && tracker->many_partner_shapes.count == 0;
  bool alone = few || mo_tasks_workers(&tracker->host) == 1;
  p.part_count = tracker->part_count = alone ? 1 : MO_MAX_UPDATE_PARTS;
  if (whole && alone) {
    p.jobs[0] = mo_pair_job_of_whole_scenes(scene, scene);
    p.job_count = 1;
  } else if (whole) {
    p.job_count = mo_pair_split_jobs(scene, scene, p.jobs);
  }
  for (uint32_t i = 0; i < p.part_count; i++) {
    p.part[i] = (mo_pair_update_slice){.tracker = tracker, .method = method, .index = i};
    for (int stream = 0; stream < MO_PAIR_STREAM_COUNT; stream++) {
      tracker->parts[stream][i].count = 0;
      if (method != MO_SEARCH_TREE_AND_MARK &&
          !reserve_found(tracker, &tracker->parts[stream][i], 0)) {
        return false;
      }
    }
  }
  mo_tasks_run(&tracker->host, p.part_count, search_part, &p);
  for (uint32_t i = 0; i < p.part_count; i++) {
    if (p.part[i].failed) {
      return false;
    }
  }
  return method != MO_SEARCH_TREE_AND_COMPARE || gather_parts(tracker, p.part_count);
}

/* --- events --- */

bool mo_pair_tracker_accepts(const mo_pair_tracker *tracker, uint32_t a, uint32_t b) {
  if (tracker->def.accept == NULL) {
    return true;
  }
  const mo_shape *shapes = tracker->log.scene->shapes;
  mo_pair pair = {mo_shape_id_of(tracker->log.scene, a), mo_shape_id_of(tracker->log.scene, b)};
  return tracker->def.accept(&pair, shapes[a].user_data, shapes[b].user_data, tracker->def.context);
}

static bool append_keys(mo_pair_tracker *tracker, mo_pair_keys *list, const mo_pair_keys *more) {
  if (!mo_pair_tracker_reserve_keys(tracker, list, more->count)) {
    return false;
  }
  if (more->count > 0) {
    memcpy(list->keys + list->count, more->keys, more->count * sizeof *list->keys);
  }
  list->count += more->count;
  return true;
}

/* Appends pairs that begin, except those that the host's callback refuses. */
static bool append_begins(mo_pair_tracker *tracker, const mo_pair_keys *more) {
  mo_pair_keys *begins = &tracker->begins;
  uint32_t kept = begins->count;
  if (!append_keys(tracker, begins, more)) {
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

bool mo_pair_tracker_join_parts(mo_pair_tracker *tracker, uint32_t part_count) {
  bool ok = true;
  for (uint32_t i = 0; i < part_count && ok; i++) {
    ok = append_begins(tracker, &tracker->parts[MO_PART_BEGINS][i]) &&
         append_keys(tracker, &tracker->ends, &tracker->parts[MO_PART_ENDS][i]) &&
         append_keys(tracker, &tracker->persists, &tracker->parts[MO_PART_PERSISTS][i]);
  }
  return ok;
}

bool mo_pair_tracker_find_events(mo_pair_tracker *tracker, mo_pair_search_method method) {
  bool ok = search_pairs(tracker, method);
  if (method == MO_SEARCH_TREE_AND_COMPARE) {
    return ok && mo_pair_tracker_compare_with_last(tracker);
  }
  /* even after a failure, as marks must be cleared */
  ok &= mo_pair_tracker_collect_unmarked(tracker, method);
  tracker->begins.count = tracker->ends.count = tracker->persists.count = 0;
  return ok && mo_pair_tracker_join_parts(tracker, tracker->part_count) &&
         mo_pair_tracker_compare_many_partner_shapes(tracker) &&
         mo_pair_tracker_sort_keys(tracker, &tracker->begins) &&
         mo_pair_tracker_sort_keys(tracker, &tracker->ends);
}
