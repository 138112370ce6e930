/* The workspace for inserting many shapes, which is reused from call to call. */
#include "scene/bulk/bulk.h"

static size_t workspace_bytes(uint32_t capacity, uint32_t width) {
  return capacity * (2 * sizeof(mo_pending_insertion) + sizeof(uint32_t)) +
         width * (2 * sizeof(mo_insertion_visit) + sizeof(mo_insertion_target));
}

size_t mo_bulk_bytes(const mo_scene *scene) {
  return workspace_bytes(scene->bulk.capacity, mo_bulk_max_shapes_per_sort(scene->bulk.capacity));
}

void mo_bulk_destroy(mo_scene *scene) {
  mo_deallocate(&scene->host.allocator, scene->bulk.memory, mo_bulk_bytes(scene), 1);
  scene->bulk = (mo_bulk_workspace){.memory = NULL};
}

mo_result mo_bulk_reserve(mo_scene *scene, uint32_t count) {
  mo_bulk_workspace *bulk = &scene->bulk;
  if (count <= bulk->capacity) {
    return MO_OK;
  }
  /* Up to MO_WORKSPACE_KEPT_CAPACITY the capacity is a power of two, so that the workspace rarely
   * has to grow. */
  uint32_t capacity =
      bulk->capacity < MO_WORKSPACE_MIN_CAPACITY ? MO_WORKSPACE_MIN_CAPACITY : bulk->capacity;
  while (capacity < count && capacity < MO_WORKSPACE_KEPT_CAPACITY) {
    capacity *= 2;
  }
  capacity = capacity < count ? count : capacity;
  uint32_t width = mo_bulk_max_shapes_per_sort(capacity);
  char *memory = mo_allocate(&scene->host.allocator, workspace_bytes(capacity, width), 1);
  if (memory == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  mo_bulk_workspace made = {.memory = memory, .capacity = capacity};
  made.visits = (mo_insertion_visit *)(void *)memory;
  memory += 2 * width * sizeof(mo_insertion_visit);
  made.insertions = (mo_pending_insertion *)(void *)memory;
  memory += 2 * capacity * sizeof(mo_pending_insertion);
  made.targets = (mo_insertion_target *)(void *)memory;
  memory += width * sizeof(mo_insertion_target);
  made.slots = (uint32_t *)(void *)memory;
  mo_bulk_destroy(scene);
  *bulk = made;
  return MO_OK;
}

void mo_bulk_trim(mo_scene *scene) {
  if (scene->bulk.capacity > MO_WORKSPACE_KEPT_CAPACITY) {
    mo_bulk_destroy(scene);
  }
}
