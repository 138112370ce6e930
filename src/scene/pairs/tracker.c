/* Pairs that are kept from update to update: the life of a tracker, and its updates.
 *
 * Nothing is changed before all memory is there for all changes, so that a failed update can be
 * repeated. */
#include "scene/pairs/tracker.h"

#include <string.h>

#include "base/key_sort.h"
#include "scene/octree/octree.h"
#include "scene/pairs/diff.h"

enum {
  /* The search for all pairs costs as much as queries for one in so many of the shapes. */
  WHOLE_SHARE = 5,
  AHEAD = 12, /* pairs whose lists are asked for */
};

mo_pairs_def mo_default_pairs_def(void) {
  return (mo_pairs_def){.cookie = MO_COOKIE};
}

/* --- memory --- */

static mo_result reserve_slots(mo_changes *log, uint32_t slots) {
  return mo_pair_set_reserve_slots(&((mo_pairs *)log)->set, slots);
}

bool mo_pairs_reserve_keys(mo_pairs *pairs, mo_pair_keys *list, uint64_t extra) {
  void *keys = list->keys;
  bool ok = mo_array_reserve(&pairs->host.allocator, &keys, sizeof *list->keys, list->count,
                             &list->capacity, extra);
  list->keys = keys;
  return ok;
}

bool mo_pairs_sort_keys(mo_pairs *pairs, mo_pair_keys *list) {
  pairs->sorting.count = 0;
  if (!mo_pairs_reserve_keys(pairs, &pairs->sorting, list->count)) {
    return false;
  }
  mo_keys_sort(list->keys, pairs->sorting.keys, list->count);
  return true;
}

static bool reserve_output(mo_pairs *pairs, mo_pair_output *output, uint32_t count) {
  void *items = output->pairs;
  output->count = 0;
  bool ok = mo_array_reserve(&pairs->host.allocator, &items, sizeof *output->pairs, 0,
                             &output->capacity, count);
  output->pairs = items;
  return ok;
}

static bool reserve_merging(mo_pairs *pairs, uint32_t count) {
  void *merging = pairs->merging;
  bool ok = mo_array_reserve(&pairs->host.allocator, &merging, sizeof *pairs->merging, 0,
                             &pairs->merging_capacity, count);
  pairs->merging = merging;
  return ok;
}

/* --- life --- */

mo_result mo_pairs_create(mo_scene *scene, const mo_pairs_def *def, mo_pairs **pairs) {
  if (!scene || !pairs) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "pairs");
  }
  if (def && def->cookie != MO_COOKIE) {
    mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
    return mo_refuse_def(&refusal, "", "mo_default_pairs_def");
  }
  mo_pairs *made = mo_allocate(&scene->host.allocator, 1, sizeof *made);
  if (!made) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  *made = (mo_pairs){
      .log = {.kinds = MO_CHANGE_BOUNDS | MO_CHANGE_REBORN, .reserve = reserve_slots},
      .def = def ? *def : mo_default_pairs_def(),
      .host = scene->host,
  };
  mo_pair_set_init(&made->set, &scene->host.allocator);
  mo_result result = mo_changes_begin(&made->log, scene);
  if (result != MO_OK) {
    mo_pairs_destroy(made);
    return result;
  }
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    if (mo_slot_is_alive(scene, slot)) {
      mo_changes_add(&made->log, slot, MO_CHANGE_BOUNDS | MO_CHANGE_REBORN);
    }
  }
  *pairs = made;
  return MO_OK;
}

static void free_keys(mo_pairs *pairs, mo_pair_keys *list) {
  mo_deallocate(&pairs->host.allocator, list->keys, list->capacity, sizeof *list->keys);
}

void mo_pairs_destroy(mo_pairs *pairs) {
  if (!pairs) {
    return;
  }
  const mo_allocator allocator = pairs->host.allocator;
  mo_changes_end(&pairs->log, &allocator);
  mo_pair_set_destroy(&pairs->set);
  for (int i = 0; i < MO_PAIR_WAYS * MO_PAIR_PARTS; i++) {
    free_keys(pairs, &pairs->parts[i / MO_PAIR_PARTS][i % MO_PAIR_PARTS]);
  }
  free_keys(pairs, &pairs->last);
  free_keys(pairs, &pairs->found);
  free_keys(pairs, &pairs->begins);
  free_keys(pairs, &pairs->ends);
  free_keys(pairs, &pairs->persists);
  free_keys(pairs, &pairs->changes);
  free_keys(pairs, &pairs->wide);
  free_keys(pairs, &pairs->both);
  free_keys(pairs, &pairs->sorting);
  mo_deallocate(&allocator, pairs->lanes, pairs->lane_capacity, sizeof *pairs->lanes);
  mo_deallocate(&allocator, pairs->touched, pairs->lane_capacity / 64, sizeof *pairs->touched);
  mo_deallocate(&allocator, pairs->merging, pairs->merging_capacity, sizeof *pairs->merging);
  for (int i = 0; i < 3; i++) {
    mo_deallocate(&allocator, pairs->output[i].pairs, pairs->output[i].capacity, sizeof(mo_pair));
  }
  mo_deallocate(&allocator, pairs, 1, sizeof *pairs);
}

/* --- an update --- */

/* The keys of a sorted list but for those that are in another. A pair that ends and begins, as a
 * slot has another shape, stays in the set as it is. */
typedef struct only {
  const mo_pair_keys *keys, *others;
  uint32_t next, other;
} only;

static only only_begins(const mo_pairs *pairs) {
  return (only){&pairs->begins, &pairs->both, 0, 0};
}

static only only_ends(const mo_pairs *pairs) {
  return (only){&pairs->ends, &pairs->both, 0, 0};
}

/* Finds the pairs that end and begin, of which there are few or none: without a branch on which of
 * two keys comes first. False when out of memory. */
static bool find_both(mo_pairs *pairs) {
  const mo_pair_keys *begins = &pairs->begins, *ends = &pairs->ends;
  uint32_t most = begins->count < ends->count ? begins->count : ends->count;
  pairs->both.count = 0;
  if (!(pairs->log.any & MO_CHANGE_REBORN)) {
    return true;
  }
  if (!mo_pairs_reserve_keys(pairs, &pairs->both, most)) {
    return false;
  }
  uint32_t count = 0;
  for (uint32_t i = 0, j = 0; i < begins->count && j < ends->count;) {
    uint64_t begin = begins->keys[i], end = ends->keys[j];
    pairs->both.keys[count] = begin;
    count += begin == end;
    i += begin <= end;
    j += end <= begin;
  }
  pairs->both.count = count;
  return true;
}

static bool next_only(only *o, uint64_t *key) {
  while (o->next < o->keys->count) {
    *key = o->keys->keys[o->next++];
    while (o->other < o->others->count && o->others->keys[o->other] < *key) {
      o->other++;
    }
    if (o->other == o->others->count || o->others->keys[o->other] != *key) {
      return true;
    }
  }
  return false;
}

/* Asks for the lists of a pair that comes later. */
MO_INLINE void prefetch_partners(const mo_pairs *pairs, const only *o) {
  if (o->next + AHEAD < o->keys->count) {
    uint64_t key = o->keys->keys[o->next + AHEAD];
    mo_prefetch(&pairs->set.lists[key >> 32], 1);
    mo_prefetch(&pairs->set.lists[(uint32_t)key], 1);
  }
}

/* Notes a change of a list that is too long to be changed for one partner. */
static void change_later(mo_pairs *pairs, uint32_t slot, uint32_t partner, bool add) {
  pairs->changes.keys[pairs->changes.count++] = mo_partner_change(slot, partner, add);
}

static void take_partner(mo_pairs *pairs, uint32_t slot, uint32_t partner) {
  if (!mo_partners_are_few(&pairs->set, slot)) {
    change_later(pairs, slot, partner, false);
  } else if (mo_pair_set_take(&pairs->set, slot, partner)) {
    pairs->wide.keys[pairs->wide.count++] = slot;
  }
}

/* Takes what ends out of the short lists, and collects the changes of the long ones. */
static void take_ends(mo_pairs *pairs) {
  only ends = only_ends(pairs);
  for (uint64_t key; next_only(&ends, &key);) {
    prefetch_partners(pairs, &ends);
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    take_partner(pairs, a, b);
    take_partner(pairs, b, a);
  }
}

static mo_result add_partner(mo_pairs *pairs, uint32_t slot, uint32_t partner) {
  if (mo_partners_are_few(&pairs->set, slot)) {
    return mo_pair_set_add(&pairs->set, slot, partner);
  }
  change_later(pairs, slot, partner, true);
  return MO_OK;
}

/* Puts what begins into the short lists, and collects the changes of the long ones. */
static mo_result add_begins(mo_pairs *pairs) {
  only begins = only_begins(pairs);
  mo_result result = MO_OK;
  for (uint64_t key; result == MO_OK && next_only(&begins, &key);) {
    prefetch_partners(pairs, &begins);
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    result = add_partner(pairs, a, b);
    result = result == MO_OK ? add_partner(pairs, b, a) : result;
  }
  return result;
}

/* Makes the set what it was: first what was added goes, then what was taken has its room again. */
static void undo_changes(mo_pairs *pairs) {
  only begins = only_begins(pairs), ends = only_ends(pairs);
  for (uint64_t key; next_only(&begins, &key);) {
    uint32_t pair[] = {(uint32_t)(key >> 32), (uint32_t)key};
    for (int i = 0; i < 2; i++) {
      if (mo_partners_find(&pairs->set, pair[i], pair[1 - i])) {
        mo_pair_set_take(&pairs->set, pair[i], pair[1 - i]);
      }
    }
  }
  for (uint64_t key; next_only(&ends, &key);) {
    uint32_t pair[] = {(uint32_t)(key >> 32), (uint32_t)key};
    for (int i = 0; i < 2; i++) {
      if (!mo_partners_find(&pairs->set, pair[i], pair[1 - i])) {
        mo_pair_set_add(&pairs->set, pair[i], pair[1 - i]);
      }
    }
  }
}

/* Memory for the changes of long lists. */
static mo_result reserve_changes(mo_pairs *pairs) {
  if (!mo_pairs_sort_keys(pairs, &pairs->changes)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  const uint64_t *changes = pairs->changes.keys;
  uint32_t count = pairs->changes.count;
  if (!reserve_merging(pairs, mo_pair_set_longest(&pairs->set, changes, count))) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  return mo_pair_set_reserve(&pairs->set, changes, count);
}

/* Changes the short lists of the set, and makes sure of all memory that the rest of an update
 * needs. */
static mo_result prepare(mo_pairs *pairs) {
  uint64_t events = (uint64_t)pairs->begins.count + pairs->ends.count;
  pairs->changes.count = pairs->wide.count = 0;
  if (!mo_pairs_sort_keys(pairs, &pairs->persists) || !find_both(pairs) ||
      !mo_pairs_reserve_keys(pairs, &pairs->changes, 2 * events) ||
      !mo_pairs_reserve_keys(pairs, &pairs->wide, 2 * (uint64_t)pairs->ends.count) ||
      !reserve_output(pairs, &pairs->output[0], pairs->begins.count) ||
      !reserve_output(pairs, &pairs->output[1], pairs->ends.count) ||
      !reserve_output(pairs, &pairs->output[2], pairs->persists.count)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  take_ends(pairs);
  mo_result result = add_begins(pairs);
  if (result != MO_OK || (result = reserve_changes(pairs)) != MO_OK) {
    undo_changes(pairs);
  }
  return result;
}

/* Changes the long lists, and lets go of what room has become too wide. */
static void finish_set(mo_pairs *pairs) {
  mo_pair_set_apply(&pairs->set, pairs->changes.keys, pairs->changes.count, pairs->merging);
  for (uint32_t i = 0; i < pairs->wide.count; i++) {
    mo_pair_set_shrink(&pairs->set, (uint32_t)pairs->wide.keys[i]);
  }
  pairs->count += pairs->begins.count;
  pairs->count -= pairs->ends.count;
}

static void write_output(const mo_pairs *pairs, mo_pair_output *output, const mo_pair_keys *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    output->pairs[i] = (mo_pair){mo_pairs_id_of(pairs, (uint32_t)(list->keys[i] >> 32)),
                                 mo_pairs_id_of(pairs, (uint32_t)list->keys[i])};
  }
  output->count = list->count;
}

/* Clears the log; tags become the present generations. */
static void forget_changes(mo_pairs *pairs) {
  const mo_changes *log = &pairs->log;
  for (uint32_t i = 0; (log->any & MO_CHANGE_REBORN) && i < log->count; i++) {
    uint32_t slot = log->changed[i];
    if (log->pending[slot] & MO_CHANGE_REBORN) {
      bool alive = mo_pairs_is_alive_now(pairs, slot);
      pairs->set.lists[slot].tag = alive ? log->scene->generations[slot] : 0;
    }
  }
  mo_changes_clear(&pairs->log);
}

/* After an update: what the next search of the whole tree is compared with. */
static void keep_last(mo_pairs *pairs, bool whole) {
  pairs->last_is_set = whole;
  if (!whole) {
    return;
  }
  for (uint32_t i = 0; i < pairs->found.count; i++) {
    pairs->found.keys[i] &= ~MO_KEY_CAME;
  }
  mo_pair_keys last = pairs->last;
  pairs->last = pairs->found;
  pairs->found = last;
}

mo_result mo_pairs_update(mo_pairs *pairs, mo_pair_events *events) {
  if (!pairs) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (!pairs->log.scene) {
    mo_refusal refusal = mo_refusal_of(&pairs->host, __func__, "pairs");
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " have lost their scene");
  }
  bool whole = (uint64_t)pairs->log.count * WHOLE_SHARE >= pairs->log.scene->shape_count;
  mo_result result = mo_pairs_find_events(pairs, whole) ? prepare(pairs) : MO_ERROR_OUT_OF_MEMORY;
  if (result != MO_OK) {
    return result;
  }
  finish_set(pairs);
  write_output(pairs, &pairs->output[1], &pairs->ends);
  forget_changes(pairs);
  write_output(pairs, &pairs->output[0], &pairs->begins);
  write_output(pairs, &pairs->output[2], &pairs->persists);
  keep_last(pairs, whole);
  if (events) {
    *events = (mo_pair_events){
        .begins = pairs->output[0].pairs,
        .begin_count = pairs->output[0].count,
        .ends = pairs->output[1].pairs,
        .end_count = pairs->output[1].count,
        .persists = pairs->output[2].pairs,
        .persist_count = pairs->output[2].count,
    };
  }
  return MO_OK;
}
