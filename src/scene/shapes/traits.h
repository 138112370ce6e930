/* Traits of shapes (MO_TRAIT_...), and the counts of shapes that have them. */
#ifndef MO_SCENE_SHAPES_TRAITS_H
#define MO_SCENE_SHAPES_TRAITS_H

#include "scene/shapes/shape.h"

static inline uint32_t mo_traits_of_motion(mo_motion motion) {
  return motion == MO_MOTION_STATIC      ? MO_TRAIT_IMMOVABLE | MO_TRAIT_STILL
         : motion == MO_MOTION_KINEMATIC ? MO_TRAIT_IMMOVABLE
         : motion == MO_MOTION_SLEEPING  ? MO_TRAIT_STILL
                                         : 0u;
}

/* The traits of a shape, computed from its record and its motion. */
uint32_t mo_slot_compute_traits(const mo_scene *scene, uint32_t slot, mo_motion motion);

/* Adds a shape to the counts by trait; `times`: 1 to add, -1 (wrapped) to subtract. */
void mo_scene_count_traits(mo_scene *scene, uint32_t slot, uint32_t times);

/* Sets the traits of a living shape, and updates the scene's counts of shapes by trait. */
void mo_slot_set_traits(mo_scene *scene, uint32_t slot, uint32_t traits);

/* The bounds to store for a shape: its tight box, enlarged by its margin. */
mo_aabb mo_bounds_with_margin(const mo_scene *scene, uint32_t slot, const mo_aabb *box);

/* Logs that element i of the argument "ids" of a public function is stale; returns the error. */
MO_COLD mo_result mo_refuse_element(const mo_scene *scene, const char *function,
                                    const mo_shape_id *ids, uint32_t i);

#endif
