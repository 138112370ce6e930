/* Frees memory that is not needed now: workspace, and unused capacity. */
#include "scene/bodies/bodies.h"
#include "scene/bulk/bulk.h"
#include "scene/changes/change_log.h"
#include "scene/octree/octree.h"
#include "scene/shapes/displacements.h"
#include "scene/shapes/unbounded.h"

mo_result mo_scene_trim(mo_scene *scene) {
  if (scene == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_bulk_destroy(scene);
  mo_nodes_trim(scene);
  mo_blocks_trim(scene);
  mo_unbounded_trim(scene);
  mo_rigid_bodies_trim(scene);
  mo_displacements_trim(scene);
  if (scene->slot_count > 0 && scene->slot_count < scene->shape_capacity) {
    (void)mo_slots_resize(scene, scene->slot_count);
  }
  mo_listeners_trim(scene);
  return MO_OK;
}
