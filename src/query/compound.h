/* Compounds in queries. A query gives the visitor of children its culling test and its test of one
 * shape. The visitor descends the octrees of the compound, with the boxes of eight children at a
 * time taken to world space, so that they contain whatever the children occupy there. It makes a
 * record of each child that passes, with the composed transform; the query tests it as it tests a
 * shape of the scene.
 *
 * Queries keep the child that is being tested in a member `child`, null for a shape of the scene,
 * and read records, boxes and bodies by the functions below. */
#ifndef MO_QUERY_COMPOUND_H
#define MO_QUERY_COMPOUND_H

#include "octree/visit.h"
#include "query/filter.h"
#include "query/solid.h"
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

/* A filter with the category and mask of a shape. */
static inline mo_filter mo_filter_of_shape(const mo_shape *shape) {
  mo_filter filter = mo_default_filter();
  filter.category = shape->category;
  filter.mask = shape->mask;
  return filter;
}

/* The record of a shape of the scene or, if `child` is not null, of a child of it. */
static inline const mo_shape *mo_tested_shape(const mo_scene *scene, uint32_t slot,
                                              const mo_placed_child *child) {
  return __builtin_expect(child != NULL, 0) ? &child->shape : &scene->shapes[slot];
}

/* mo_stored_box of a shape, or the box of a child. */
static inline mo_aabb mo_tested_box(const mo_scene *scene, uint32_t slot,
                                    const mo_placed_child *child) {
  return __builtin_expect(child != NULL, 0) ? child->box : mo_stored_box(scene, slot);
}

/* mo_shape_body of a shape or child that is neither a mesh nor a compound. */
static inline mo_body mo_tested_body(const mo_scene *scene, uint32_t slot,
                                     const mo_placed_child *child) {
  return __builtin_expect(child != NULL, 0)
             ? mo_geometry_body(&child->shape.geometry, &child->shape.affine.to_world, child->box)
             : mo_shape_body(scene, slot);
}

/* The number of a child for a hit; 0 for a shape of the scene. */
static inline uint32_t mo_child_number(const mo_placed_child *child) {
  return __builtin_expect(child != NULL, 0) ? child->number : 0;
}

/* The record of the shape that a hit names: a shape of the scene, or a child, for which `memory` is
 * used. */
static inline const mo_placed_child *mo_child_of_hit(const mo_scene *scene, uint32_t slot,
                                                     uint32_t number, mo_placed_child *memory) {
  const bool is_child = scene->shapes[slot].geometry.type == MO_SHAPE_COMPOUND;
  return is_child && mo_child_find(scene, slot, number, memory) ? memory : NULL;
}

#endif
