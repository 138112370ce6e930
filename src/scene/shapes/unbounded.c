/* The list of shapes without bounds (half-spaces). */
#include "scene/shapes/unbounded.h"

#include <string.h>

uint32_t mo_unbounded_lower_bound(const mo_scene *scene, uint32_t slot) {
  uint32_t begin = 0, end = scene->unbounded_count;
  while (begin < end) {
    uint32_t middle = (begin + end) / 2;
    bool below = scene->unbounded[middle] < slot;
    begin = below ? middle + 1 : begin;
    end = below ? end : middle;
  }
  return begin;
}

/* Reallocates the list; capacity 0 frees it. */
static mo_result resize_list(mo_scene *scene, uint32_t capacity) {
  const mo_array arrays[] = {{&scene->unbounded, sizeof *scene->unbounded},
                             {&scene->half_spaces, sizeof *scene->half_spaces}};
  return mo_arrays_resize(&scene->host.allocator, arrays, 2, scene->unbounded_count,
                          &scene->unbounded_capacity, capacity);
}

mo_result mo_unbounded_reserve(mo_scene *scene, uint32_t extra) {
  uint32_t needed = scene->unbounded_count + extra, capacity = scene->unbounded_capacity;
  if (needed <= capacity) {
    return MO_OK;
  }
  capacity = capacity < 2 ? 4 : 2 * capacity;
  return resize_list(scene, capacity < needed ? needed : capacity);
}

void mo_unbounded_refresh(mo_scene *scene, uint32_t slot) {
  const mo_shape *shape = &scene->shapes[slot];
  (void)mo_half_space_make(&scene->half_spaces[mo_unbounded_lower_bound(scene, slot)],
                           &shape->geometry.half_space, &shape->affine.to_world, NULL);
}

/* Moves the entries from index `from` to the end so that they begin at index `to`. */
static void move_tail(mo_scene *scene, uint32_t from, uint32_t to) {
  size_t count = scene->unbounded_count - from;
  memmove(scene->unbounded + to, scene->unbounded + from, count * sizeof *scene->unbounded);
  memmove(scene->half_spaces + to, scene->half_spaces + from, count * sizeof *scene->half_spaces);
}

void mo_unbounded_add(mo_scene *scene, uint32_t slot) {
  uint32_t index = mo_unbounded_lower_bound(scene, slot);
  move_tail(scene, index, index + 1);
  scene->unbounded_count++;
  scene->unbounded[index] = slot;
  mo_unbounded_refresh(scene, slot);
}

void mo_unbounded_remove(mo_scene *scene, uint32_t slot) {
  uint32_t index = mo_unbounded_lower_bound(scene, slot);
  move_tail(scene, index + 1, index);
  scene->unbounded_count--;
}

void mo_unbounded_trim(mo_scene *scene) {
  if (scene->unbounded_count < scene->unbounded_capacity) {
    (void)resize_list(scene, scene->unbounded_count);
  }
}

void mo_unbounded_destroy(mo_scene *scene) {
  scene->unbounded_count = 0;
  (void)resize_list(scene, 0);
}
