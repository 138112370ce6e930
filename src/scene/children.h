/* The visitor of the children of a compound. A query gives it its culling test and its test of one
 * shape. The visitor descends the octrees of the compound, with the boxes of eight children at a
 * time taken to world space, so that they contain whatever the children occupy there. It makes a
 * record of each child that passes, with the composed transform; the query tests it as it tests a
 * shape of the scene. */
#ifndef MO_SCENE_CHILDREN_H
#define MO_SCENE_CHILDREN_H

#include <motte/query.h>

#include "geometry/body/body.h"
#include "octree/visit.h"
#include "scene/compound.h"

/* How a query visits the children of a placement. */
typedef struct mo_child_visitor {
  /* Keys of eight boxes in world space, as in a visitor of shapes; need not be monotone. */
  mo_keys8 *keys;
  const double *limit; /* children and nodes with greater keys are left out; may be lowered */
  /* Called for each child that passes the filter; false ends the visit. */
  bool (*visit)(const mo_placed_child *child, double key, void *query);
  void *query; /* passed to `keys` and `visit` */
  /* Filters that each child and nested compound must pass, by category and mask; null: all. */
  const mo_filter *filter, *second_filter;
  mo_query_stats *stats; /* null: nothing is counted */
} mo_child_visitor;

/* Visits the children of a placement, those in nearer boxes first. Returns false if `visit` has
 * ended the visit. */
bool mo_visit_children(const mo_scene *scene, uint32_t slot, const mo_child_visitor *visitor);

/* mo_visit_children for a compound that is no shape of a scene; `map` takes it to world space. */
bool mo_visit_compound(const mo_compound *compound, const mo_transform *map,
                       const mo_child_visitor *visitor);

/* Where children are looked for: in a box, which may be infinite, and in a half-space, if there is
 * one. The first member of what a visitor with mo_child_region_keys has as its `query`. */
typedef struct mo_child_region {
  mo_aabb box;
  const mo_half_space_body *half_space; /* null: only the box */
  double error;                         /* bound of the error of heights above `half_space` */
} mo_child_region;

/* Culls boxes that are not in the region (mo_child_visitor.keys); the keys are 0. */
uint32_t mo_child_region_keys(const mo_bounds8 *bounds, double key[MO_LANE_COUNT],
                              const void *region);

/* Whether category and mask of a shape, which may be a child, pass a filter. */
static inline bool mo_filter_passes_bits(const mo_filter *filter, const mo_shape *shape) {
  return (shape->category & filter->mask) != 0 && (filter->category & shape->mask) != 0;
}

static inline mo_filter mo_filter_of_shape(const mo_shape *shape) {
  mo_filter filter = mo_default_filter();
  filter.category = shape->category;
  filter.mask = shape->mask;
  return filter;
}

#endif
