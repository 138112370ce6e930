/* Shapes without bounds: half-spaces. No box contains one, so none is in the shape octree; a scene
 * has few of them, and every query goes through their list besides the tree. Their places are
 * MO_NONE, and they have MO_TRAIT_UNBOUNDED. */
#ifndef MO_SCENE_UNBOUNDED_H
#define MO_SCENE_UNBOUNDED_H

#include "geometry/convex/half_space.h"
#include "scene/scene.h"

/* The slots of all unbounded shapes, ascending; returns their number. */
static inline uint32_t mo_scene_unbounded(const mo_scene *scene, const uint32_t **slots) {
  *slots = scene->unbounded;
  return scene->unbounded_count;
}

/* The half-space of an unbounded shape in the world, by its index in the list. It stays where it is
 * until shapes are added, removed or given other geometry. */
static inline const mo_half_space_body *mo_scene_half_space(const mo_scene *scene, uint32_t index) {
  return &scene->half_spaces[index];
}

#endif
