/* Allocates, resizes and frees the array of the shapes' expected displacements. */
#include "scene/shapes/displacements.h"

#include <string.h>

static mo_result resize_array(mo_scene *scene, uint32_t capacity) {
  mo_vec3 *made = mo_allocate(&scene->host.allocator, capacity, sizeof *made);
  if (made == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  uint32_t before = scene->displacement_capacity, kept = before < capacity ? before : capacity;
  if (kept > 0) {
    memcpy(made, scene->displacements, kept * sizeof *made);
  }
  for (uint32_t slot = kept; slot < capacity; slot++) {
    made[slot] = mo_vec(0, 0, 0);
  }
  mo_displacements_destroy(scene);
  scene->displacements = made;
  scene->displacement_capacity = capacity;
  return MO_OK;
}

mo_result mo_displacements_reserve(mo_scene *scene) {
  return scene->displacement_capacity < scene->shape_capacity
             ? resize_array(scene, scene->shape_capacity)
             : MO_OK;
}

mo_result mo_displacements_resize(mo_scene *scene, uint32_t capacity) {
  return scene->displacements != NULL ? resize_array(scene, capacity) : MO_OK;
}

void mo_displacements_trim(mo_scene *scene) {
  uint32_t slot = 0, count = scene->displacements != NULL ? scene->slot_count : 0;
  while (slot < count) {
    mo_vec3 d = scene->displacements[slot];
    if (mo_slot_is_alive(scene, slot) && (d.x != 0 || d.y != 0 || d.z != 0)) {
      return;
    }
    slot++;
  }
  mo_displacements_destroy(scene);
}

void mo_displacements_destroy(mo_scene *scene) {
  mo_deallocate(&scene->host.allocator, scene->displacements, scene->displacement_capacity,
                sizeof *scene->displacements);
  scene->displacements = NULL;
  scene->displacement_capacity = 0;
}
