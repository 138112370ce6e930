/* Compounds in queries, which visit their children (scene/children.h). Queries keep the child that
 * is being tested in a member `child`, null for a shape of the scene, and read records, boxes and
 * bodies by the functions below. */
#ifndef MO_QUERY_COMPOUND_H
#define MO_QUERY_COMPOUND_H

#include "query/filter.h"
#include "query/solid.h"
#include "scene/children.h"

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
