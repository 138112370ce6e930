/* Updates of watches: finds which shapes enter regions and which leave them.
 *
 * All changes are found, and memory is reserved, before anything is modified, so that a failed
 * update can be repeated. The changes of members are collected as keys by region; sorted, they are
 * the events in the documented order. The same changes as keys by shape update the other set of
 * lists. */
#include "base/assert.h"
#include "query/filter.h"
#include "query/overlap/region.h"
#include "query/watch/watch.h"
#include "scene/octree/octree.h"
#include "scene/shapes/unbounded.h"

/* By default an update searches, for each changed shape, the regions that it is in. If more shapes
 * have changed than this many per member plus this many per region, it searches, for each region,
 * the shapes in it. The search of a region tests each member and some nodes; that of a shape costs
 * about half as much. */
enum { MAX_SHAPE_SEARCHES_PER_MEMBER = 2, MAX_SHAPE_SEARCHES_PER_REGION = 32 };

/* The filter of all searches, which accepts all shapes. The region's own filter is evaluated later,
 * only for shapes whose membership must be tested. */
static const mo_filter any_shape = {
    .category = UINT64_MAX, .mask = UINT64_MAX, .cookie = MO_COOKIE};

static bool key_before(const void *a, const void *b) {
  return *(const uint64_t *)a < *(const uint64_t *)b;
}

static bool slot_before(const void *a, const void *b) {
  return *(const uint32_t *)a < *(const uint32_t *)b;
}

static void sort_keys(mo_watch_keys *list) {
  mo_bounded_list all = {list->keys, list->capacity, list->count, 0};
  mo_bounded_sort(&all, sizeof *list->keys, key_before);
}

static void sort_slots(mo_watch_slots *list) {
  mo_bounded_list all = {list->slots, list->capacity, list->count, 0};
  mo_bounded_sort(&all, sizeof *list->slots, slot_before);
}

static bool reserve_output(mo_watch *watch, mo_watch_output *output, uint32_t count) {
  output->count = 0;
  return mo_list_reserve(&watch->host.allocator, &output->list, sizeof *output->events, count) ==
         MO_OK;
}

static bool append_item(mo_watch *watch, mo_list *list, size_t size, const void *item) {
  bool ok = mo_list_add(&watch->host.allocator, list, size, item) == MO_OK;
  watch->failed |= !ok;
  return ok;
}

static void record_change(mo_watch *watch, uint32_t region, uint32_t slot, bool add) {
  MO_ASSERT(region < watch->regions->slot_count);
  const uint64_t key = mo_partner_change_key(region, slot, add);
  (void)append_item(watch, &watch->by_region_changes.list, sizeof key, &key);
}

static bool add_found_slot(mo_watch *watch, uint32_t slot) {
  return append_item(watch, &watch->found.list, sizeof slot, &slot);
}

/* Whether a shape is in a region: by the region's filter and the exact test. */
static bool is_shape_in_region(mo_watch *watch, mo_watched_region *region, uint32_t slot,
                               mo_aabb bounds) {
  watch->test_count++;
  return mo_filter_passes(watch->changes.scene, &region->filter, slot) &&
         mo_prepared_region_touches(&region->prepared, slot, bounds);
}

/* Whether a slot still has the same shape (generation) that was a member at the last update. */
static bool is_same_shape(const mo_watch *watch, uint32_t slot) {
  const mo_scene *scene = watch->changes.scene;
  return slot < scene->slot_count && watch->generations.slots[slot] == scene->generations[slot];
}

/* Whether it must be tested if a shape is in a region: not if neither of them has changed. */
static bool must_test_membership(const mo_watch *watch, const mo_watched_region *region,
                                 uint32_t slot) {
  return region->stale || watch->changes.pending[slot];
}

/* Records what has changed for a region (`by_region`) or a shape, by comparing its list of members
 * at the last update with `found`, which leaves out what needs no test. */
static void record_changes(mo_watch *watch, bool by_region, uint32_t index) {
  const mo_pair_set *set = by_region ? &watch->by_region : &watch->by_shape;
  const uint32_t *before = mo_partners_of(set, index), *now = watch->found.slots;
  uint32_t count = mo_partners_count(set, index), i = 0, j = 0;
  while (i < count || j < watch->found.count) {
    bool was = i < count && (j == watch->found.count || before[i] <= now[j]);
    bool is = j < watch->found.count && (i == count || now[j] <= before[i]);
    uint32_t other = was ? before[i] : now[j];
    uint32_t region = by_region ? index : other, slot = by_region ? other : index;
    const mo_watched_region *watched = &watch->watched.regions[region];
    bool same = was && is && is_same_shape(watch, slot);
    if (was && !same &&
        (by_region ? must_test_membership(watch, watched, slot) : !watched->stale)) {
      record_change(watch, region, slot, false);
    }
    if (is && !same) {
      record_change(watch, region, slot, true);
    }
    i += was;
    j += is;
  }
}

/* --- regions that search --- */

typedef struct region_search {
  mo_watch *watch;
  mo_watched_region *region;
} region_search;

static bool visit_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)inside;
  region_search *s = context;
  return !must_test_membership(s->watch, s->region, slot) ||
         !is_shape_in_region(s->watch, s->region, slot, bounds) || add_found_slot(s->watch, slot);
}

/* Lists in `found` the shapes that are now in a region, but only those for which
 * must_test_membership is true. */
static void find_shapes_in_region(mo_watch *watch, mo_watched_region *region,
                                  mo_query_stats *stats) {
  region_search s = {watch, region};
  mo_scene_overlap overlap = {
      .filter = &any_shape,
      .stats = stats,
      .visit = visit_shape,
      .context = &s,
  };
  region->prepared.stats = stats;
  region->prepared.child_filter = &region->filter;
  mo_prepared_region_set_culling(&region->prepared, &overlap);
  mo_scene_overlap_run(&overlap);
  sort_slots(&watch->found);
  watch->search_count++;
}

/* Searches a region for shapes, and records its changed members. */
static void find_changes_of_region(mo_watch *watch, uint32_t index, mo_query_stats *stats) {
  mo_watched_region *region = &watch->watched.regions[index];
  watch->found.count = 0;
  if (!region->removed) {
    find_shapes_in_region(watch, region, stats);
  }
  record_changes(watch, true, index);
}

/* --- changed shapes that search for regions --- */

typedef struct region_lookup {
  mo_watch *watch;
  uint32_t slot;
  mo_aabb bounds;
} region_lookup;

static bool visit_region(uint32_t index, mo_aabb box, bool inside, void *context) {
  (void)box;
  (void)inside;
  region_lookup *l = context;
  mo_watched_region *region = &l->watch->watched.regions[index];
  return region->stale || !is_shape_in_region(l->watch, region, l->slot, l->bounds) ||
         add_found_slot(l->watch, index);
}

/* Lists in `found` the regions that a shape is in, except stale ones (watch.h). */
static void find_regions_of_shape(mo_watch *watch, uint32_t slot, mo_query_stats *stats) {
  const mo_scene *scene = watch->changes.scene;
  const mo_half_space_body *half_space = mo_slot_half_space(scene, slot);
  mo_aabb bounds = half_space != NULL ? mo_aabb_infinite() : mo_slot_box(scene, slot);
  region_lookup l = {watch, slot, bounds};
  mo_scene_overlap overlap = {
      .scene = watch->regions,
      .filter = &any_shape,
      .stats = stats,
      .box = half_space != NULL ? bounds : mo_region_grow(bounds, mo_aabb_max_coordinates(bounds)),
      .inner_box = mo_aabb_empty(),
      .visit = visit_region,
      .context = &l,
  };
  mo_scene_overlap_run(&overlap);
  sort_slots(&watch->found);
  watch->lookup_count++;
}

/* Finds the regions that a changed shape is in now, and records what has changed. */
static void find_changes_of_shape(mo_watch *watch, uint32_t slot, mo_query_stats *stats) {
  const mo_scene *scene = watch->changes.scene;
  watch->found.count = 0;
  if (slot < scene->slot_count && mo_slot_is_alive(scene, slot)) {
    find_regions_of_shape(watch, slot, stats);
  }
  record_changes(watch, false, slot);
}

/* --- the update --- */

static mo_result find_changes(mo_watch *watch) {
  mo_query_stats stats = {0};
  uint64_t max = MAX_SHAPE_SEARCHES_PER_MEMBER * watch->member_count +
                 MAX_SHAPE_SEARCHES_PER_REGION * (uint64_t)watch->regions->shape_count;
  bool search_all_regions = watch->changes.count > max;
  watch->failed = false;
  watch->by_region_changes.count = 0;
  for (uint32_t i = 0; i < watch->stale.count && !watch->failed; i++) {
    find_changes_of_region(watch, watch->stale.slots[i], &stats);
  }
  for (uint32_t i = 0; search_all_regions && i < watch->regions->slot_count && !watch->failed;
       i++) {
    if (mo_slot_is_alive(watch->regions, i) && !watch->watched.regions[i].stale) {
      find_changes_of_region(watch, i, &stats);
    }
  }
  if (!search_all_regions && watch->region_count + watch->member_count > 0) {
    for (uint32_t i = 0; i < watch->regions->slot_count; i++) {
      watch->watched.regions[i].prepared.stats = &stats;
      watch->watched.regions[i].prepared.child_filter = &watch->watched.regions[i].filter;
    }
    for (uint32_t i = 0; i < watch->changes.count && !watch->failed; i++) {
      find_changes_of_shape(watch, watch->changes.changed[i], &stats);
    }
  }
  return watch->failed ? MO_ERROR_OUT_OF_MEMORY : MO_OK;
}

/* Sorts the changes of members by region and by shape, and reserves memory for applying them. */
static mo_result prepare_changes(mo_watch *watch) {
  mo_watch_keys *changes = &watch->by_region_changes, *by_shape = &watch->by_shape_changes;
  sort_keys(changes);
  by_shape->count = 0;
  mo_result result = mo_list_reserve(&watch->host.allocator, &by_shape->list,
                                     sizeof *by_shape->keys, changes->count);
  if (result != MO_OK) {
    return result;
  }
  uint32_t enters = 0;
  for (uint32_t i = 0; i < changes->count; i++) {
    uint64_t key = changes->keys[i];
    bool add = key & 1;
    by_shape->keys[i] = mo_partner_change_key((uint32_t)key >> 1, (uint32_t)(key >> 32), add);
    enters += add;
  }
  by_shape->count = changes->count;
  sort_keys(by_shape);
  result = mo_pair_set_reserve(&watch->by_region, changes->keys, changes->count);
  if (result == MO_OK) {
    result = mo_pair_set_reserve(&watch->by_shape, by_shape->keys, by_shape->count);
  }
  if (result != MO_OK) {
    return result;
  }
  bool ok = reserve_output(watch, &watch->enters, enters) &&
            reserve_output(watch, &watch->leaves, changes->count - enters);
  return ok ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
}

static void write_events(mo_watch *watch) {
  const mo_watch_keys *changes = &watch->by_region_changes;
  for (uint32_t i = 0; i < changes->count; i++) {
    uint32_t region = (uint32_t)(changes->keys[i] >> 32);
    uint32_t slot = (uint32_t)changes->keys[i] >> 1;
    bool add = changes->keys[i] & 1;
    mo_watch_output *output = add ? &watch->enters : &watch->leaves;
    mo_shape_id shape = {slot, watch->generations.slots[slot]};
    output->events[output->count++] = (mo_region_event){
        .region = mo_region_id_of(watch, region),
        .shape = add ? mo_shape_id_of(watch->changes.scene, slot) : shape,
        .user_data = watch->watched.regions[region].user_data,
    };
  }
  for (uint32_t i = 0; i < watch->enters.count; i++) {
    mo_shape_id shape = watch->enters.events[i].shape;
    watch->generations.slots[shape.index] = shape.generation;
  }
}

/* Marks all regions as up to date, and deletes the removed ones. */
static void clear_stale_regions(mo_watch *watch) {
  for (uint32_t i = 0; i < watch->stale.count; i++) {
    uint32_t index = watch->stale.slots[i];
    mo_watched_region *region = &watch->watched.regions[index];
    region->stale = false;
    if (region->removed) {
      mo_watched_region_free_planes(watch, region);
      (void)mo_scene_remove_shape(watch->regions, mo_shape_id_of(watch->regions, index));
      *region = (mo_watched_region){.stale = false};
    }
  }
  if (watch->stale.count > 0) {
    (void)mo_tree_update(watch->regions,
                         UINT64_MAX); /* maintenance only: a failure may be ignored */
  }
  watch->stale.count = 0;
}

mo_result mo_watch_update(mo_watch *watch, mo_watch_events *events) {
  if (watch == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (watch->changes.scene == NULL) {
    return mo_refuse_lost_scene(watch, __func__);
  }
  mo_result result = find_changes(watch);
  if (result == MO_OK) {
    result = prepare_changes(watch);
  }
  if (result != MO_OK) {
    return result;
  }
  write_events(watch);
  mo_pair_set_apply(&watch->by_region, watch->by_region_changes.keys,
                    watch->by_region_changes.count);
  mo_pair_set_apply(&watch->by_shape, watch->by_shape_changes.keys, watch->by_shape_changes.count);
  watch->member_count += watch->enters.count;
  watch->member_count -= watch->leaves.count;
  mo_listener_clear(&watch->changes);
  clear_stale_regions(watch);
  watch->update_count++;
  if (events != NULL) {
    *events = (mo_watch_events){
        .leaves = watch->leaves.count > 0 ? watch->leaves.events : NULL,
        .enters = watch->enters.count > 0 ? watch->enters.events : NULL,
        .leave_count = watch->leaves.count,
        .enter_count = watch->enters.count,
    };
  }
  return MO_OK;
}
