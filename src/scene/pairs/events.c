/* What an update of a tracker finds: which pairs begin, which end.
 *
 * Where many shapes changed, all pairs are searched for and compared with those of the last such
 * search: the lists are nearly in the same order. Otherwise shapes that changed are looked for by
 * queries, a group at a time, those in one block in common. Each pair is looked up in the list of
 * one of its shapes that changed, the one with the lower slot if both did: one that is there is
 * marked, one that is not begins. In the lists of the shapes that changed, what was not marked
 * ends. Nothing is changed here but workspace. */
#include <string.h>

#include "base/mask.h"
#include "base/tasks.h"
#include "base/key_sort.h"
#include "scene/octree/octree.h"
#include "scene/pairs/diff.h"
#include "scene/pairs/search.h"
#include "scene/pairs/tracker.h"

/* Fewer changes are not worth the wait for threads. */
enum { PARALLEL_LEAST = 256 };

/* Room for marks on so many blocks. */
static bool reserve_lanes(mo_pairs *pairs, uint32_t blocks) {
  if (blocks <= pairs->lane_capacity) {
    return true;
  }
  const mo_allocator *allocator = &pairs->host.allocator;
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
  mo_deallocate(allocator, pairs->lanes, pairs->lane_capacity, sizeof *lanes);
  mo_deallocate(allocator, pairs->touched, pairs->lane_capacity / 64, sizeof *touched);
  pairs->lanes = lanes;
  pairs->touched = touched;
  pairs->lane_capacity = capacity;
  return true;
}

/* --- searching --- */

/* One task's share of a search. */
typedef struct part {
  mo_pairs *pairs;
  uint32_t index;
  bool failed; /* for want of memory */
} part;

/* Room for keys. Which way pairs are found by, and in which part, changes with the tree though the
 * pairs stay as they are; so there is room for twice as many, and some where there were none yet,
 * and a steady frame asks for no more. */
static bool make_room(mo_pairs *pairs, mo_pair_keys *found, uint32_t count) {
  enum { LEAST = 256 };
  uint64_t needed = (uint64_t)found->count + count;
  return (found->capacity >= LEAST && needed <= found->capacity) ||
         mo_pairs_reserve_keys(pairs, found, count + needed + LEAST);
}

/* Takes over found keys. Of those of groups, each has a shape that changed. */
static bool take(mo_pair_search *search) {
  part *mine = search->context;
  mo_pairs *pairs = mine->pairs;
  const mo_scene *scene = pairs->log.scene;
  mo_pair_keys *found = &pairs->parts[search->way][mine->index];
  if (!make_room(pairs, found, search->count)) {
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

static void begin_part(mo_pair_search *search, part *mine) {
  mo_pair_search_init(search, mine->pairs->log.scene, mine->pairs->log.scene, false);
  search->grouped = mine->pairs->log.pending;
  search->take = take;
  search->context = mine;
}

/* Collects the shapes that changed by blocks, in the order in which these were made, which is that
 * of the tree for the most part; from the last on, which an update has just been at. Uses the array
 * of changes for that: block << 8 | lanes. */
static bool collect_groups(mo_pairs *pairs) {
  const mo_scene *scene = pairs->log.scene;
  mo_pair_keys *groups = &pairs->changes;
  groups->count = 0;
  if (!reserve_lanes(pairs, scene->blocks.count) ||
      !mo_pairs_reserve_keys(pairs, groups, pairs->log.count)) {
    return false;
  }
  for (uint32_t i = 0; i < pairs->log.count; i++) {
    uint32_t slot = pairs->log.changed[i];
    if (mo_pairs_is_alive_now(pairs, slot)) {
      mo_place place = scene->places[slot];
      uint32_t block = place >> 3;
      pairs->lanes[block] = (uint8_t)(pairs->lanes[block] | 1u << (place & 7));
      pairs->touched[block >> 6] |= (uint64_t)1 << (block & 63);
    }
  }
  uint32_t words = (scene->blocks.count + 63) / 64;
  for (uint32_t word = words; word-- > 0;) {
    uint64_t touched = pairs->touched[word];
    pairs->touched[word] = 0;
    while (touched != 0) {
      uint32_t bit = 63 - (uint32_t)__builtin_clzll(touched);
      touched ^= (uint64_t)1 << bit;
      uint32_t block = word << 6 | bit;
      groups->keys[groups->count++] = (uint64_t)block << 8 | pairs->lanes[block];
      pairs->lanes[block] = 0;
    }
  }
  return true;
}

/* Shapes that are alone in their groups come first, as they are looked for in another way. */
static void search_groups(part *mine, uint32_t begin, uint32_t end) {
  const uint64_t *keys = mine->pairs->changes.keys;
  mo_pair_search search;
  begin_part(&search, mine);
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
  mo_pair_search_end(&search);
}

/* A search in parts; each takes every so manieth job, or an equal share of the groups. */
typedef struct plan {
  mo_pairs *pairs;
  bool whole;
  uint32_t parts, job_count;
  mo_pair_job jobs[MO_PAIR_JOBS];
  part part[MO_PAIR_PARTS];
} plan;

static void search_part(uint32_t index, void *context) {
  plan *p = context;
  part *mine = &p->part[index];
  if (!p->whole) {
    uint64_t groups = p->pairs->changes.count;
    search_groups(mine, (uint32_t)(groups * index / p->parts),
                  (uint32_t)(groups * (index + 1) / p->parts));
    return;
  }
  mo_pair_search search;
  begin_part(&search, mine);
  for (uint32_t i = index; i < p->job_count && !search.stopped; i += p->parts) {
    mo_pair_search_job(&search, &p->jobs[i]);
  }
  mo_pair_search_end(&search);
}

/* Puts what the parts have found into `found`. */
static bool gather_parts(mo_pairs *pairs, uint32_t parts) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < MO_PAIR_WAYS * parts; i++) {
    total += pairs->parts[i / parts][i % parts].count;
  }
  pairs->found.count = 0;
  if (!mo_pairs_reserve_keys(pairs, &pairs->found, total)) {
    return false;
  }
  for (uint32_t i = 0; i < MO_PAIR_WAYS * parts; i++) {
    const mo_pair_keys *one = &pairs->parts[i / parts][i % parts];
    if (one->count > 0) {
      memcpy(pairs->found.keys + pairs->found.count, one->keys, one->count * sizeof *one->keys);
    }
    pairs->found.count += one->count;
  }
  return true;
}

/* Finds all pairs, or those of the shapes that changed. False when out of memory. */
static bool search_pairs(mo_pairs *pairs, bool whole) {
  const mo_scene *scene = pairs->log.scene;
  plan p = {.pairs = pairs, .whole = whole};
  pairs->searches++;
  pairs->whole_searches += p.whole;
  if (!p.whole && !collect_groups(pairs)) {
    return false;
  }
  bool alone = mo_tasks_workers(&pairs->host) == 1 || pairs->log.count < PARALLEL_LEAST;
  p.parts = alone ? 1 : MO_PAIR_PARTS;
  if (p.whole && alone) {
    p.jobs[0] = mo_pair_whole_job(scene, scene);
    p.job_count = 1;
  } else if (p.whole) {
    p.job_count = mo_pair_cut(scene, scene, p.jobs);
  }
  for (uint32_t i = 0; i < p.parts; i++) {
    p.part[i] = (part){.pairs = pairs, .index = i};
    for (int way = 0; way < MO_PAIR_WAYS; way++) {
      pairs->parts[way][i].count = 0;
      if (!make_room(pairs, &pairs->parts[way][i], 0)) {
        return false;
      }
    }
  }
  mo_tasks_run(&pairs->host, p.parts, search_part, &p);
  for (uint32_t i = 0; i < p.parts; i++) {
    if (p.part[i].failed) {
      return false;
    }
  }
  return gather_parts(pairs, p.parts);
}

/* --- events --- */

static bool is_accepted(const mo_pairs *pairs, uint32_t a, uint32_t b) {
  if (!pairs->def.accept) {
    return true;
  }
  const mo_shape *shapes = pairs->log.scene->shapes;
  mo_pair pair = {mo_shape_id_of(pairs->log.scene, a), mo_shape_id_of(pairs->log.scene, b)};
  return pairs->def.accept(&pair, shapes[a].user_data, shapes[b].user_data, pairs->def.context);
}

/* Of what groups found, parts what goes on, if that is to be reported, from what begins. */
static bool find_begins(mo_pairs *pairs) {
  enum { AHEAD = 12 };
  pairs->begins.count = pairs->persists.count = 0;
  if (pairs->def.report_persists &&
      !mo_pairs_reserve_keys(pairs, &pairs->persists, pairs->found.count)) {
    return false;
  }
  for (uint32_t i = 0; i < pairs->found.count; i++) {
    uint64_t key = pairs->found.keys[i];
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    if (i + AHEAD < pairs->found.count) {
      uint64_t ahead = pairs->found.keys[i + AHEAD];
      mo_prefetch(&pairs->set.lists[ahead >> 32], 1);
      mo_prefetch(&pairs->set.lists[(uint32_t)ahead], 1);
    }
    uint32_t turned = (a ^ b) & mo_mask_of(pairs->log.pending[a] == 0);
    uint32_t owner = a ^ turned, other = b ^ turned;
    uint32_t *partner = NULL;
    if (!((pairs->log.pending[a] | pairs->log.pending[b]) & MO_CHANGE_REBORN)) {
      partner = mo_partners_find(&pairs->set, owner, other);
    }
    if (partner) {
      *partner |= MO_PARTNER_SEEN;
      if (pairs->def.report_persists) {
        pairs->persists.keys[pairs->persists.count++] = key;
      }
    } else if (is_accepted(pairs, a, b)) {
      if (!mo_pairs_reserve_keys(pairs, &pairs->begins, 1)) {
        return false;
      }
      pairs->begins.keys[pairs->begins.count++] = key;
    }
  }
  return true;
}

/* Whether a partner of a shape that changed ends, if it was not seen: where both changed, only the
 * one with the lower slot says so. */
static inline bool is_to_end(const mo_pairs *pairs, uint32_t slot, uint32_t other) {
  return (pairs->log.pending[other] == 0) | (other >= slot);
}

static inline uint64_t end_key(uint32_t slot, uint32_t other) {
  uint32_t turned = (slot ^ other) & mo_mask_of(other < slot);
  return mo_pair_key(slot ^ turned, other ^ turned);
}

/* What ends in a head, where most have none, one or two: without a branch on any of them. What is
 * none counts as seen. */
static bool find_ends_inside(mo_pairs *pairs, uint32_t slot) {
  mo_pair_keys *ends = &pairs->ends;
  uint32_t *inside = pairs->set.lists[slot].inside;
  bool ok = ends->capacity - ends->count >= MO_PARTNERS_INSIDE ||
            mo_pairs_reserve_keys(pairs, ends, MO_PARTNERS_INSIDE);
  for (int j = 0; j < MO_PARTNERS_INSIDE; j++) {
    uint32_t none = mo_mask_of(inside[j] == MO_NONE), seen = inside[j] / MO_PARTNER_SEEN;
    uint32_t partner = inside[j] & ~MO_PARTNER_SEEN, other = partner ^ ((partner ^ slot) & none);
    inside[j] = partner | none;
    mo_prefetch(&pairs->set.lists[other], 1);
    if (ok) {
      ends->keys[ends->count] = end_key(slot, other);
      ends->count += (seen ^ 1) & (uint32_t)is_to_end(pairs, slot, other);
    }
  }
  return ok;
}

static bool find_ends_in_chunk(mo_pairs *pairs, uint32_t slot) {
  uint32_t *partners = mo_partners_of(&pairs->set, slot);
  uint32_t count = mo_partners_count(&pairs->set, slot);
  bool ok = true;
  for (uint32_t j = 0; j < count; j++) {
    uint32_t other = partners[j] & ~MO_PARTNER_SEEN;
    bool seen = partners[j] != other;
    partners[j] = other;
    if (seen || !is_to_end(pairs, slot, other)) {
      continue;
    }
    mo_prefetch(&pairs->set.lists[other], 1);
    ok = ok && mo_pairs_reserve_keys(pairs, &pairs->ends, 1);
    if (ok) {
      pairs->ends.keys[pairs->ends.count++] = end_key(slot, other);
    }
  }
  return ok;
}

/* What was not seen ends. Takes the marks away, also when out of memory. */
static bool find_ends(mo_pairs *pairs) {
  enum { AHEAD = 16 };
  bool ok = true;
  pairs->ends.count = 0;
  for (uint32_t i = 0; i < pairs->log.count; i++) {
    if (i + AHEAD < pairs->log.count) {
      mo_prefetch(&pairs->set.lists[pairs->log.changed[i + AHEAD]], 1);
    }
    uint32_t slot = pairs->log.changed[i];
    ok &= mo_partners_have_chunk(&pairs->set.lists[slot]) ? find_ends_in_chunk(pairs, slot)
                                                          : find_ends_inside(pairs, slot);
  }
  return ok;
}

/* --- events of a search of the whole tree --- */

static inline uint8_t pending_of(const mo_pairs *pairs, uint64_t key) {
  return pairs->log.pending[key >> 32 & MO_MAX_ITEMS] | pairs->log.pending[key & MO_MAX_ITEMS];
}

/* Makes `last` the pairs of the set, if it is not. Those that were refused are not among them. */
static bool recall_last(mo_pairs *pairs) {
  if (pairs->last_is_set) {
    return true;
  }
  pairs->last.count = 0;
  if (!mo_pairs_reserve_keys(pairs, &pairs->last, pairs->count)) {
    return false;
  }
  for (uint32_t slot = 0; slot < pairs->log.slot_capacity; slot++) {
    uint32_t count = mo_partners_count(&pairs->set, slot);
    const uint32_t *partners = count > 0 ? mo_partners_of(&pairs->set, slot) : NULL;
    for (uint32_t i = 0; i < count; i++) {
      if (partners[i] > slot) {
        pairs->last.keys[pairs->last.count++] = mo_pair_key(slot, partners[i]);
      }
    }
  }
  pairs->last_is_set = true;
  return true;
}

/* Looks at what is in both lists: what is another shape's by now ends and begins, what was refused
 * and has changed is asked about anew, and what goes on may have to be reported. */
static void look_at_matches(mo_pairs *pairs) {
  mo_pair_keys *found = &pairs->found, *begins = &pairs->begins;
  for (uint32_t i = 0; i < found->count; i++) {
    uint64_t key = found->keys[i];
    uint8_t pending = pending_of(pairs, key);
    if (!pending || (key & MO_KEY_CAME)) {
      continue;
    }
    bool reborn = pending & MO_CHANGE_REBORN, refused = key & MO_KEY_REFUSED;
    key &= ~MO_KEY_REFUSED;
    if (reborn || refused) {
      found->keys[i] = key | MO_KEY_CAME;
      begins->keys[begins->count++] = key;
    }
    if (reborn && !refused) {
      pairs->ends.keys[pairs->ends.count++] = key;
    }
    if (!reborn && !refused && pairs->def.report_persists) {
      pairs->persists.keys[pairs->persists.count++] = key;
    }
  }
}

/* Takes what begins and ends, and so goes on, out of both. */
static void cancel(mo_pairs *pairs) {
  mo_pair_keys *begins = &pairs->begins, *ends = &pairs->ends;
  uint32_t i = 0, j = 0, begin_count = 0, end_count = 0;
  while (i < begins->count || j < ends->count) {
    uint64_t begin = i < begins->count ? begins->keys[i] : UINT64_MAX;
    uint64_t end = j < ends->count ? ends->keys[j] : UINT64_MAX;
    uint8_t pending = begin == end ? pending_of(pairs, begin) : 0;
    bool goes_on = begin == end && !(pending & MO_CHANGE_REBORN);
    if (goes_on && pending && pairs->def.report_persists) {
      pairs->persists.keys[pairs->persists.count++] = begin;
    }
    if (begin <= end) {
      begins->keys[begin_count] = begin;
      begin_count += !goes_on;
      i++;
    }
    if (end <= begin) {
      ends->keys[end_count] = end;
      end_count += !goes_on;
      j++;
    }
  }
  begins->count = begin_count;
  ends->count = end_count;
}

/* Asks about what begins, and marks in `found` what is refused. */
static void ask(mo_pairs *pairs) {
  mo_pair_keys *begins = &pairs->begins, *refused = &pairs->sorting; /* as long as the former */
  uint32_t accepted = 0;
  refused->count = 0;
  for (uint32_t i = 0; i < begins->count; i++) {
    uint64_t key = begins->keys[i];
    if (pending_of(pairs, key) && is_accepted(pairs, (uint32_t)(key >> 32), (uint32_t)key)) {
      begins->keys[accepted++] = key;
    } else {
      refused->keys[refused->count++] = key;
    }
  }
  begins->count = accepted;
  for (uint32_t i = 0; i < pairs->found.count && refused->count > 0; i++) {
    uint64_t key = pairs->found.keys[i] & ~MO_KEY_CAME;
    if (key != pairs->found.keys[i] && mo_keys_contain(refused->keys, refused->count, key)) {
      pairs->found.keys[i] |= MO_KEY_REFUSED;
    }
  }
}

/* What begins and what ends by a comparison of all that was found with what was found last. */
static bool compare_with_last(mo_pairs *pairs) {
  mo_pair_keys *begins = &pairs->begins, *ends = &pairs->ends, *persists = &pairs->persists;
  mo_pair_keys *found = &pairs->found;
  begins->count = ends->count = persists->count = 0;
  if (!recall_last(pairs) || !mo_pairs_reserve_keys(pairs, begins, found->count) ||
      !mo_pairs_reserve_keys(pairs, ends, pairs->last.count) ||
      (pairs->def.report_persists && !mo_pairs_reserve_keys(pairs, persists, found->count))) {
    return false;
  }
  mo_pair_diff diff = {
      .came = begins->keys,
      .gone = ends->keys,
      .rows = (const char *)pairs->set.lists,
      .row_size = sizeof *pairs->set.lists,
  };
  mo_pair_diff_find(&diff, pairs->last.keys, pairs->last.count, found->keys, found->count);
  begins->count = diff.came_count;
  ends->count = diff.gone_count;
  if ((pairs->log.any & MO_CHANGE_REBORN) || pairs->def.accept || pairs->def.report_persists) {
    look_at_matches(pairs);
  }
  if (!mo_pairs_sort_keys(pairs, begins) || !mo_pairs_sort_keys(pairs, ends)) {
    return false;
  }
  cancel(pairs);
  if (pairs->def.accept) {
    ask(pairs);
  }
  return true;
}

bool mo_pairs_find_events(mo_pairs *pairs, bool whole) {
  bool ok = search_pairs(pairs, whole);
  if (!ok || whole) {
    return ok && compare_with_last(pairs);
  }
  ok = find_begins(pairs);
  ok &= find_ends(pairs); /* takes marks away, also if that failed */
  return ok && mo_pairs_sort_keys(pairs, &pairs->begins) && mo_pairs_sort_keys(pairs, &pairs->ends);
}
