/* Moving shapes, one by one and in bulk, and the end of a frame.
 *
 * In bulk most shapes stay in their cells. Their boxes are written without a look at the bounds
 * above, which are then made tight once per changed cell, before the call returns. */
#include <string.h>

#include "scene/bulk.h"
#include "scene/pair_track.h"
#include "scene/shape.h"

enum {
  /* Batches up to this keep the bounds right as they go. */
  FEW = 16,
  /* Shapes whose cells are fetched while others are computed. */
  GROUP = 32,
};

static bool is_safe_map(const mo_transform *map) {
  return mo_is_safe(map->x_axis) && mo_is_safe(map->y_axis) && mo_is_safe(map->z_axis) &&
         mo_is_safe(map->origin);
}

/* The new affine map of a shape. A pure translation keeps the inverse. */
static mo_result next_affine(const mo_shape *shape, const mo_transform *transform,
                             mo_affine *affine) {
  const mo_transform *old = &shape->affine.to_world;
  if (memcmp(&old->x_axis, &transform->x_axis, 3 * sizeof(mo_vec3)) == 0 &&
      mo_is_safe(transform->origin)) {
    *affine = shape->affine;
    affine->to_world.origin = transform->origin;
    return MO_OK;
  }
  return mo_affine_init(affine, transform);
}

/* Whether a shape is turned. */
static void note_axes(mo_scene *scene, uint32_t slot) {
  uint32_t unturned = mo_is_unturned(&scene->shapes[slot].affine.to_world) ? MO_TRAIT_UNTURNED : 0;
  uint32_t others = scene->traits[slot] & ~(uint32_t)MO_TRAIT_UNTURNED;
  scene->traits[slot] = (uint8_t)(others | unturned);
}

/* Gives a shape a legal transform; returns its new box. */
static inline mo_aabb place(mo_scene *scene, uint32_t slot, const mo_transform *transform) {
  mo_shape *shape = &scene->shapes[slot];
  uint32_t easy = MO_TRAIT_SMALL | MO_TRAIT_CENTRED | MO_TRAIT_UNTURNED;
  if ((scene->traits[slot] & easy) == easy && mo_is_unturned(transform) &&
      mo_is_safe(transform->origin)) {
    shape->affine.to_world.origin = transform->origin;
    return mo_centred_bounds(&shape->geometry, transform->origin);
  }
  mo_aabb box = mo_aabb_empty();
  (void)next_affine(shape, transform, &shape->affine);
  (void)mo_geometry_bounds(&shape->geometry, &shape->affine, &box);
  note_axes(scene, slot);
  return box;
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
  note_axes(scene, id.index);
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
    if (is_safe_map(&transforms[i]) && (scene->traits[ids[i].index] & MO_TRAIT_SMALL)) {
      continue;
    }
    const mo_shape *shape = &scene->shapes[ids[i].index];
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
      if (i + GROUP + j < count) {
        const mo_shape *ahead = &scene->shapes[ids[i + GROUP + j].index];
        mo_prefetch(&ahead->geometry);
        mo_prefetch(&ahead->affine.to_world.origin);
      }
      boxes[j] = place(scene, slots[j], &transforms[i + j]);
    }
    mo_tree_move_group(scene, slots, boxes, n, count > FEW);
  }
  if (count > FEW) {
    mo_bulk_settle(scene);
    mo_tree_tighten(scene);
  }
  for (uint32_t i = 0; (scene->pairs || scene->listeners) && i < count; i++) {
    mo_scene_note(scene, ids[i].index);
  }
  scene->work += count;
  return MO_OK;
}

mo_update_def mo_default_update_def(void) {
  return (mo_update_def){0};
}

mo_result mo_scene_update(mo_scene *scene, const mo_update_def *def) {
  if (!scene) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (def && def->count > 0) {
    mo_result result = mo_scene_set_transforms(scene, def->ids, def->transforms, def->count);
    if (result != MO_OK) {
      return result;
    }
  }
  return mo_tree_update(scene);
}
