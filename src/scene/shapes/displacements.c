/* Allocates, resizes and frees the array of the shapes' expected displacements. */
#include "scene/shapes/displacements.h"

static mo_result resize_array(mo_scene *scene, uint32_t capacity) {
  uint32_t before = scene->displacement_capacity;
  const mo_array array = {&scene->displacements, sizeof *scene->displacements};
  mo_result result = mo_arrays_resize(&scene->host.allocator, &array, 1, before,
                                      &scene->displacement_capacity, capacity);
  for (uint32_t slot = before; result == MO_OK && slot < capacity; slot++) {
    scene->displacements[slot] = mo_vec(0, 0, 0);
  }
  return result;
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
  (void)resize_array(scene, 0);
}
