/* What a scene keeps of a shape beside its record: its traits, and how many shapes have them. */
#ifndef MO_SCENE_TRAITS_H
#define MO_SCENE_TRAITS_H

#include "scene/shape.h"

static inline uint32_t mo_traits_of_motion(mo_motion motion) {
  return motion == MO_MOTION_STATIC     ? MO_TRAIT_STATIC | MO_TRAIT_STILL
         : motion == MO_MOTION_SLEEPING ? MO_TRAIT_STILL
                                        : 0u;
}

/* Of a shape with this record that moves so. */
uint32_t mo_traits_of(const mo_scene *scene, uint32_t slot, mo_motion motion);

/* Counts a shape's traits `times` 1 or -1. */
void mo_traits_count(mo_scene *scene, uint32_t slot, uint32_t times);

/* Gives a living shape other traits. */
void mo_traits_set(mo_scene *scene, uint32_t slot, uint32_t traits);

/* The bounds that a shape is to be stored under; of a box that it fills. */
mo_aabb mo_bounds_with_margin(const mo_scene *scene, uint32_t slot, const mo_aabb *box);

/* Says that an element of an array, the argument "ids" of a call, is stale. */
MO_COLD mo_result mo_refuse_element(const mo_scene *scene, const char *function,
                                    const mo_shape_id *ids, uint32_t i);

#endif
