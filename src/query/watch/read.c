/* Public functions that read the regions and members of a watch, and its validation. */
#include "base/log.h"
#include "query/watch/watch.h"

mo_result mo_watch_get_region(const mo_watch *watch, mo_region_id id, mo_region_def *def) {
  if (watch == NULL || def == NULL) {
    return mo_refuse_null(mo_watch_host(watch), __func__, "def");
  }
  if (!mo_region_is_known(watch, id)) {
    return mo_refuse_region(watch, __func__, id);
  }
  const mo_watched_region *region = &watch->watched.regions[id.index];
  *def = (mo_region_def){
      .form = {.type = region->type},
      .filter = region->filter,
      .precision = region->prepared.precision,
      .user_data = region->user_data,
      .cookie = MO_COOKIE,
  };
  switch (region->type) {
  case MO_REGION_AABB:
    def->form.box = region->prepared.region.box;
    break;
  case MO_REGION_SPHERE:
    def->form.sphere = region->prepared.region.ball;
    break;
  case MO_REGION_CONVEX:
    def->form.convex.planes = region->planes;
    def->form.convex.count = region->prepared.region.plane_count;
    break;
  }
  return MO_OK;
}

mo_result mo_watch_get_shapes(const mo_watch *watch, mo_region_id id, mo_shape_id *shapes,
                              uint32_t capacity, uint32_t *total) {
  if (watch == NULL || total == NULL || (capacity > 0 && shapes == NULL)) {
    return mo_refuse_null(mo_watch_host(watch), __func__, total == NULL ? "total" : "shapes");
  }
  if (!mo_region_is_known(watch, id)) {
    return mo_refuse_region(watch, __func__, id);
  }
  uint32_t count = mo_partners_count(&watch->by_region, id.index);
  const uint32_t *list = mo_partners_of(&watch->by_region, id.index);
  for (uint32_t i = 0; i < count && i < capacity; i++) {
    shapes[i] = (mo_shape_id){list[i], watch->generations.slots[list[i]]};
  }
  *total = count;
  return MO_OK;
}

mo_result mo_watch_get_regions(const mo_watch *watch, mo_shape_id id, mo_region_id *regions,
                               uint32_t capacity, uint32_t *total) {
  if (watch == NULL || total == NULL || (capacity > 0 && regions == NULL)) {
    return mo_refuse_null(mo_watch_host(watch), __func__, total == NULL ? "total" : "regions");
  }
  *total = 0;
  if (id.index < watch->by_shape.slot_capacity &&
      watch->generations.slots[id.index] == id.generation) {
    const uint32_t *list = mo_partners_of(&watch->by_shape, id.index);
    *total = mo_partners_count(&watch->by_shape, id.index);
    for (uint32_t i = 0; i < *total && i < capacity; i++) {
      regions[i] = mo_region_id_of(watch, list[i]);
    }
  }
  return MO_OK;
}

mo_result mo_watch_get_stats(const mo_watch *watch, mo_watch_stats *stats) {
  if (watch == NULL || stats == NULL) {
    return mo_refuse_null(mo_watch_host(watch), __func__, "stats");
  }
  size_t planes = 0;
  for (uint32_t i = 0; i < watch->regions->slot_count; i++) {
    planes += watch->watched.regions[i].planes != NULL
                  ? watch->watched.regions[i].prepared.region.plane_count
                  : 0;
  }
  mo_scene_stats regions;
  mo_result result = mo_scene_get_stats(watch->regions, &regions);
  *stats = (mo_watch_stats){
      .region_count = watch->region_count,
      .member_count = watch->member_count,
      .pending_shape_count = watch->changes.count,
      .update_count = watch->update_count,
      .search_count = watch->search_count,
      .lookup_count = watch->lookup_count,
      .test_count = watch->test_count,
      .bytes =
          sizeof *watch + regions.bytes + planes * sizeof(mo_plane) +
          watch->watched.capacity * sizeof *watch->watched.regions +
          mo_pair_set_bytes(&watch->by_shape) + mo_pair_set_bytes(&watch->by_region) +
          watch->changes.slot_capacity * (sizeof(uint32_t) + 1) +
          ((size_t)watch->stale.capacity + watch->generations.capacity + watch->found.capacity) *
              sizeof(uint32_t) +
          ((size_t)watch->by_region_changes.capacity + watch->by_shape_changes.capacity) *
              sizeof(uint64_t) +
          ((size_t)watch->enters.capacity + watch->leaves.capacity) * sizeof(mo_region_event),
  };
  return result;
}

#define BROKEN(...) (mo_log(&watch->host, MO_LOG_WARNING, "watch: " __VA_ARGS__), MO_ERROR_CORRUPT)

/* Checks the lists of one set of members, by region or by shape: each must ascend, and each entry
 * must have its counterpart in the other set. */
static mo_result validate_lists(const mo_watch *watch, const mo_pair_set *set,
                                const mo_pair_set *other) {
  uint64_t entries = 0;
  for (uint32_t i = 0; i < set->slot_capacity; i++) {
    uint32_t length = mo_partners_count(set, i);
    const uint32_t *list = mo_partners_of(set, i);
    for (uint32_t j = 0; j < length; j++) {
      if (list[j] >= other->slot_capacity || (j > 0 && list[j] <= list[j - 1])) {
        return BROKEN("list %u: entry %u is %u", i, j, list[j]);
      }
      if (mo_partners_find(other, list[j], i) == NULL) {
        return BROKEN("list %u has %u, but not the other way round", i, list[j]);
      }
    }
    entries += length;
  }
  if (entries != watch->member_count) {
    return BROKEN("%llu members, but %llu entries", (unsigned long long)watch->member_count,
                  (unsigned long long)entries);
  }
  return MO_OK;
}

mo_result mo_watch_validate(const mo_watch *watch) {
  if (watch == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_result result = mo_scene_validate(watch->regions);
  if (result != MO_OK) {
    return result;
  }
  uint32_t stale = 0, known = 0;
  for (uint32_t i = 0; i < watch->regions->slot_count; i++) {
    stale += watch->watched.regions[i].stale;
    bool alive = mo_slot_is_alive(watch->regions, i);
    known += alive && !watch->watched.regions[i].removed;
    if (!alive && mo_partners_count(&watch->by_region, i) > 0) {
      return BROKEN("region %u is gone, but not its shapes", i);
    }
  }
  if (stale != watch->stale.count || known != watch->region_count) {
    return BROKEN("%u regions, %u stale, but counted %u, %u", known, stale, watch->region_count,
                  watch->stale.count);
  }
  result = validate_lists(watch, &watch->by_region, &watch->by_shape);
  return result == MO_OK ? validate_lists(watch, &watch->by_shape, &watch->by_region) : result;
}
