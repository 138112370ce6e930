/* Moving shapes, one by one and in bulk, and the end of a frame.
 *
 * In bulk most shapes stay in their cells. Their boxes are written without a look at the bounds
 * above, which are then made tight once per changed cell, before the call returns. */
#include <string.h>

#include "scene/pair_track.h"
#include "scene/shape.h"
#include "scene/tree.h"

/* Below these magnitudes no image of a shape under a transform can leave MO_MAX_COORDINATE. */
static const float SAFE_MAP = 1e14f, SAFE_REACH = 1e14f;

enum {
  /* Batches up to this keep the bounds right as they go. */
  FEW = 16,
  /* Shapes whose cells are fetched while others are computed. */
  GROUP = 32,
};

/* Finite and small; comparisons are written so that NaN fails them. */
static bool is_safe(mo_vec3 v) {
  return (fabsf(v.x) <= SAFE_MAP) & (fabsf(v.y) <= SAFE_MAP) & (fabsf(v.z) <= SAFE_MAP);
}

static bool is_safe_map(const mo_transform *map) {
  return is_safe(map->x_axis) && is_safe(map->y_axis) && is_safe(map->z_axis) &&
         is_safe(map->origin);
}

/* The new affine map of a shape. A pure translation keeps the inverse. */
static mo_result next_affine(const mo_shape *shape, const mo_transform *transform,
                             mo_affine *affine) {
  const mo_transform *old = &shape->affine.to_world;
  if (memcmp(&old->x_axis, &transform->x_axis, 3 * sizeof(mo_vec3)) == 0 &&
      is_safe(transform->origin)) {
    *affine = shape->affine;
    affine->to_world.origin = transform->origin;
    return MO_OK;
  }
  return mo_affine_init(affine, transform);
}

mo_result mo_scene_set_transform(mo_scene *scene, mo_shape_id id, const mo_transform *transform) {
  if (!scene || !transform) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (!mo_shape_is_known(scene, id)) {
    return MO_ERROR_STALE_ID;
  }
  mo_shape *shape = &scene->shapes[id.index];
  mo_affine affine;
  mo_aabb bounds;
  mo_result result = next_affine(shape, transform, &affine);
  if (result == MO_OK) {
    result = mo_geometry_bounds(&shape->geometry, &affine, &bounds);
  }
  if (result != MO_OK) {
    return result;
  }
  shape->affine = affine;
  mo_tree_move(scene, id.index, &bounds, false);
  mo_scene_note(scene, id.index);
  scene->work++;
  return MO_OK;
}

mo_result mo_scene_set_transforms(mo_scene *scene, const mo_shape_id *ids,
                                  const mo_transform *transforms, uint32_t count) {
  if (!scene || (count > 0 && (!ids || !transforms))) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_affine affine;
  mo_aabb bounds;
  for (uint32_t i = 0; i < count; i++) {
    if (!mo_shape_is_known(scene, ids[i])) {
      return MO_ERROR_STALE_ID;
    }
    const mo_shape *shape = &scene->shapes[ids[i].index];
    if (is_safe_map(&transforms[i]) && mo_geometry_reach(&shape->geometry) <= SAFE_REACH) {
      continue;
    }
    mo_result result = mo_affine_init(&affine, &transforms[i]);
    if (result == MO_OK) {
      result = mo_geometry_bounds(&shape->geometry, &affine, &bounds);
    }
    if (result != MO_OK) {
      return result;
    }
  }
  for (uint32_t i = 0; i < count; i += GROUP) {
    uint32_t slots[GROUP], n = count - i < GROUP ? count - i : GROUP;
    mo_aabb boxes[GROUP];
    for (uint32_t j = 0; j < n; j++) {
      slots[j] = ids[i + j].index;
      mo_tree_prefetch(scene, slots[j]);
      mo_shape *shape = &scene->shapes[slots[j]];
      (void)next_affine(shape, &transforms[i + j], &shape->affine);
      (void)mo_geometry_bounds(&shape->geometry, &shape->affine, &boxes[j]);
    }
    mo_tree_move_group(scene, slots, boxes, n, count > FEW);
  }
  if (count > FEW) {
    mo_tree_tighten(scene);
  }
  for (uint32_t i = 0; scene->pairs && i < count; i++) {
    mo_scene_note(scene, ids[i].index);
  }
  scene->work += count;
  return MO_OK;
}

mo_result mo_scene_update(mo_scene *scene) {
  return scene ? mo_tree_update(scene) : MO_ERROR_NULL_ARGUMENT;
}
