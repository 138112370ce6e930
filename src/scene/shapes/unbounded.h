/* Shapes without bounds: half-spaces. No finite box contains one, so they are not in the shape
 * octree but in a list of the scene. A scene has few of them, and every query tests the whole list
 * as well as the tree. Their places are MO_NONE, and they have MO_TRAIT_UNBOUNDED. */
#ifndef MO_SCENE_SHAPES_UNBOUNDED_H
#define MO_SCENE_SHAPES_UNBOUNDED_H

#include "geometry/body/body.h"
#include "scene/scene.h"

/* The slots of all unbounded shapes, ascending; returns their number. */
static inline uint32_t mo_scene_unbounded(const mo_scene *scene, const uint32_t **slots) {
  *slots = scene->unbounded;
  return scene->unbounded_count;
}

/* The world half-space of an unbounded shape, by its index in the list. The pointer is valid until
 * shapes are added, removed or given another geometry. */
static inline const mo_half_space_body *mo_scene_half_space(const mo_scene *scene, uint32_t index) {
  return &scene->half_spaces[index];
}

static inline bool mo_slot_is_unbounded(const mo_scene *scene, uint32_t slot) {
  return (scene->traits[slot] & MO_TRAIT_UNBOUNDED) != 0;
}

/* The number of shapes in the tree. */
static inline uint32_t mo_scene_bounded_count(const mo_scene *scene) {
  return scene->shape_count - scene->unbounded_count;
}

/* The index, in the list of unbounded shapes, of the first slot that is not below `slot`. */
uint32_t mo_unbounded_lower_bound(const mo_scene *scene, uint32_t slot);

/* The world half-space of a living shape; null for a shape with bounds. */
static inline const mo_half_space_body *mo_slot_half_space(const mo_scene *scene, uint32_t slot) {
  return mo_slot_is_unbounded(scene, slot)
             ? mo_scene_half_space(scene, mo_unbounded_lower_bound(scene, slot))
             : NULL;
}

/* Reserves memory for `extra` more unbounded shapes. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_unbounded_reserve(mo_scene *scene, uint32_t extra);

/* mo_unbounded_add adds a living shape to the list of unbounded shapes, for which memory was
 * reserved; mo_unbounded_remove removes one; mo_unbounded_refresh recomputes its world half-space
 * from its record. */
void mo_unbounded_add(mo_scene *scene, uint32_t slot);
void mo_unbounded_remove(mo_scene *scene, uint32_t slot);
void mo_unbounded_refresh(mo_scene *scene, uint32_t slot);

/* Frees capacity of the list that is not needed, or all its memory. */
void mo_unbounded_trim(mo_scene *scene);
void mo_unbounded_destroy(mo_scene *scene);

static inline size_t mo_unbounded_bytes(const mo_scene *scene) {
  return scene->unbounded_capacity * (sizeof *scene->unbounded + sizeof *scene->half_spaces);
}

#endif
