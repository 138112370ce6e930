/* How far shapes are expected to move: the velocity that an update gave to a shape with its last
 * move, times the lookahead (mo_update_def). Bounds are enlarged by it (mo_bounds_enlarge), and
 * contact trackers read it. The array is allocated by the first update with velocities. */
#ifndef MO_SCENE_SHAPES_DISPLACEMENTS_H
#define MO_SCENE_SHAPES_DISPLACEMENTS_H

#include "scene/scene.h"

static inline mo_vec3 mo_slot_displacement(const mo_scene *scene, uint32_t slot) {
  return scene->displacements != NULL ? scene->displacements[slot] : mo_vec(0, 0, 0);
}

static inline void mo_slot_set_displacement(mo_scene *scene, uint32_t slot, mo_vec3 displacement) {
  if (scene->displacements != NULL) {
    scene->displacements[slot] = displacement;
  }
}

/* Allocates the array of displacements, if there is none yet. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_displacements_reserve(mo_scene *scene);

/* Reallocates the array, if there is one, as mo_slots_resize. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_displacements_resize(mo_scene *scene, uint32_t capacity);

/* Frees the array if no shape is expected to move. */
void mo_displacements_trim(mo_scene *scene);
void mo_displacements_destroy(mo_scene *scene);

static inline size_t mo_displacements_bytes(const mo_scene *scene) {
  return scene->displacement_capacity * sizeof *scene->displacements;
}

#endif
