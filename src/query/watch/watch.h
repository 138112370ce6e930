/* Watched regions: the sets of shapes in them, as of the last update.
 *
 * The boxes of the regions are stored in a small scene of their own, so that the regions near a
 * changed shape are found by a query. Region ids are the slots and generations of that scene.
 * Members (shapes in regions) are stored twice, by region and by shape, each as sorted lists
 * (pairs/tracker/set.h). */
#ifndef MO_QUERY_WATCH_WATCH_H
#define MO_QUERY_WATCH_WATCH_H

#include <motte/watch.h>

#include "pairs/tracker/set.h"
#include "query/overlap/region.h"
#include "scene/changes/change_log.h"

/* A watched region. */
typedef struct mo_watched_region {
  mo_region_type type;
  mo_prepared_region prepared;
  mo_filter filter;
  uint64_t user_data;
  mo_plane *planes; /* the planes of a convex region, to which `prepared` points; null if none */
  bool stale;       /* the next update must search the region: it is in mo_watch.stale */
  bool removed;     /* the region was removed, and the next update reports that its shapes leave */
} mo_watched_region;

typedef MO_LIST(mo_watched_region, regions) mo_watched_regions;
typedef MO_LIST(uint64_t, keys) mo_watch_keys;
typedef MO_LIST(uint32_t, slots) mo_watch_slots;
typedef MO_LIST(mo_region_event, events) mo_watch_output;

struct mo_watch {
  mo_listener changes; /* must be first: the watch listens to the scene's change log */
  mo_host host;
  mo_scene *regions;          /* a scene of its own, with the boxes of the regions as shapes */
  mo_watched_regions watched; /* by region slot */
  mo_watch_slots stale;  /* regions that were added, changed or removed since the last update */
  uint32_t region_count; /* number of regions, without removed ones */

  /* By shape slot: generation of the shape that was a member at the last update. */
  mo_watch_slots generations;
  mo_pair_set by_shape, by_region; /* the regions of each shape; the shapes of each region */
  uint64_t member_count;

  uint64_t update_count, search_count, lookup_count, test_count; /* as in mo_watch_stats */

  /* Workspace of updates. */
  mo_watch_slots found; /* slots of shapes or regions that a search found */
  /* Changes of members by region and by shape, as keys (mo_partner_change_key). */
  mo_watch_keys by_region_changes, by_shape_changes;
  mo_watch_output enters, leaves;
  bool failed; /* the update ran out of memory */
};

static inline bool mo_region_is_known(const mo_watch *watch, mo_region_id id) {
  return mo_shape_is_known(watch->regions, (mo_shape_id){id.index, id.generation}) &&
         !watch->watched.regions[id.index].removed;
}

/* The host of a watch, for log messages; null if the watch is null. */
static inline const mo_host *mo_watch_host(const mo_watch *watch) {
  return watch != NULL ? &watch->host : NULL;
}

/* Logs that a region's id, the argument "id" of a public function, is stale; returns the error. */
static inline mo_result mo_refuse_region(const mo_watch *watch, const char *function,
                                         mo_region_id id) {
  mo_refusal refusal = mo_refusal_of(&watch->host, function, "id");
  return mo_refuse_id(&refusal, id.index, id.generation);
}

/* Logs that the scene of a watch, the argument "watch" of a public function, was destroyed; returns
 * the error. */
static inline mo_result mo_refuse_lost_scene(const mo_watch *watch, const char *function) {
  mo_refusal refusal = mo_refusal_of(&watch->host, function, "watch");
  return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has lost its scene");
}

static inline void mo_watched_region_free_planes(mo_watch *watch, mo_watched_region *region) {
  mo_deallocate(&watch->host.allocator, region->planes, region->prepared.region.plane_count,
                sizeof *region->planes);
  region->planes = NULL;
}

static inline mo_region_id mo_region_id_of(const mo_watch *watch, uint32_t region) {
  return (mo_region_id){region, watch->regions->generations[region]};
}

#endif
