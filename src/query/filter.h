/* Filters, which select the shapes that a query considers, and the counting of visited nodes. */
#ifndef MO_QUERY_FILTER_H
#define MO_QUERY_FILTER_H

#include <motte/query.h>

#include "scene/scene.h"

static inline bool mo_filter_passes(const mo_scene *scene, const mo_filter *filter, uint32_t slot) {
  const mo_shape *shape = &scene->shapes[slot];
  if (!(shape->category & filter->mask) || !(filter->category & shape->mask)) {
    return false;
  }
  if (filter->ignore.generation == shape->generation && filter->ignore.index == slot) {
    return false;
  }
  return filter->accept == NULL ||
         filter->accept(mo_shape_id_of(scene, slot), shape->user_data, filter->context);
}

/* Whether a filter passes every shape with default category and mask, except the ignored one. */
static inline bool mo_filter_passes_defaults(const mo_filter *filter) {
  return filter->mask == UINT64_MAX && filter->category != 0 && filter->accept == NULL;
}

/* Returns what mo_filter_passes returns. If the filter is `plain` (mo_filter_passes_defaults), does
 * not read the records of shapes with default category and mask. */
static inline bool mo_filter_passes_by_traits(const mo_scene *scene, const mo_filter *filter,
                                              bool plain, uint32_t slot) {
  if (plain && !(scene->traits[slot] & MO_TRAIT_FILTERED)) {
    return filter->ignore.index != slot || filter->ignore.generation != scene->generations[slot];
  }
  return mo_filter_passes(scene, filter, slot);
}

static inline void mo_count_scene_node(mo_query_stats *stats, uint32_t node) {
  stats->scene_node_count++;
  if (stats->scene_visits != NULL && node < stats->scene_visit_capacity) {
    stats->scene_visits[node]++;
  }
}

#endif
