/* Public functions that change a shape's geometry, margin, filter, motion or user data. Everything
 * is checked, and memory reserved, before anything changes. Moves are in scene/move.c. */
#include "scene/bodies/bodies.h"
#include "scene/changes/change_log.h"
#include "scene/compound.h"
#include "scene/octree/octree.h"
#include "scene/policy.h"
#include "scene/shapes/displacements.h"
#include "scene/shapes/shape.h"
#include "scene/shapes/traits.h"
#include "scene/shapes/unbounded.h"

/* Stores a shape whose record has changed: in the tree if its geometry has bounds, else in the list
 * of unbounded shapes. If the shape changes from one to the other, memory must have been
 * reserved. */
static void store_changed_shape(mo_scene *scene, uint32_t slot, const mo_aabb *box) {
  bool was_unbounded = mo_slot_is_unbounded(scene, slot);
  uint32_t traits = mo_slot_compute_traits(scene, slot, mo_slot_motion(scene, slot));
  bool is_unbounded = (traits & MO_TRAIT_UNBOUNDED) != 0;
  if (is_unbounded && !was_unbounded) {
    mo_tree_remove(scene, slot);
    scene->places[slot] = MO_NONE;
    mo_unbounded_add(scene, slot);
  } else if (!is_unbounded && was_unbounded) {
    mo_unbounded_remove(scene, slot);
  }
  mo_slot_set_traits(scene, slot, traits);
  mo_slot_set_displacement(scene, slot, mo_vec(0, 0, 0));
  mo_aabb bounds = mo_bounds_with_margin(scene, slot, box);
  if (is_unbounded) {
    mo_unbounded_refresh(scene, slot);
  } else if (was_unbounded) {
    mo_tree_insert(scene, slot, &bounds, false);
  } else {
    mo_tree_move(scene, slot, &bounds);
  }
  mo_scene_record_change(scene, slot, MO_CHANGE_BOUNDS | MO_CHANGE_GEOMETRY);
  scene->change_count++;
}

mo_result mo_scene_set_geometry(mo_scene *scene, mo_shape_id id, const mo_geometry *geometry) {
  if (scene == NULL || geometry == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "geometry");
  }
  if (!mo_shape_is_known(scene, id)) {
    return mo_refuse_shape(scene, __func__, id);
  }
  mo_shape *shape = &scene->shapes[id.index];
  mo_aabb bounds;
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "geometry");
  mo_result result = mo_geometry_check(geometry, &refusal);
  if (result == MO_OK) {
    result = mo_scene_check_child(scene, geometry, &refusal);
  }
  if (result != MO_OK) {
    return result;
  }
  result = mo_geometry_bounds(geometry, &shape->affine, &bounds);
  if (result != MO_OK) {
    refusal.name = "the shape's transform";
    return mo_refuse_bounds(result, &refusal, "");
  }
  bool is_unbounded = geometry->type == MO_SHAPE_HALF_SPACE;
  if (is_unbounded != mo_slot_is_unbounded(scene, id.index)) {
    result = is_unbounded ? mo_unbounded_reserve(scene, 1) : mo_blocks_reserve(scene, 1);
    if (result != MO_OK) {
      return result;
    }
  }
  /* Retains first, as both geometries may refer to the same mesh or hull. */
  mo_geometry_retain(geometry);
  mo_geometry_release(&shape->geometry);
  shape->geometry = *geometry;
  store_changed_shape(scene, id.index, &bounds);
  return MO_OK;
}

/* Recomputes the stored bounds of a shape from its present geometry and a new margin. */
static mo_result recompute_bounds(mo_scene *scene, const char *function, uint32_t slot,
                                  float margin) {
  mo_shape *shape = &scene->shapes[slot];
  mo_aabb bounds;
  mo_result result = mo_geometry_bounds(&shape->geometry, &shape->affine, &bounds);
  if (result != MO_OK) {
    mo_refusal refusal = mo_refusal_of(&scene->host, function, "the shape's transform");
    return mo_refuse_bounds(result, &refusal, "");
  }
  shape->margin = margin;
  store_changed_shape(scene, slot, &bounds);
  return MO_OK;
}

mo_result mo_scene_refresh_shape(mo_scene *scene, mo_shape_id id) {
  mo_result result = mo_check_shape_id(scene, __func__, id);
  return result == MO_OK
             ? recompute_bounds(scene, __func__, id.index, scene->shapes[id.index].margin)
             : result;
}

mo_result mo_scene_set_margin(mo_scene *scene, mo_shape_id id, float margin) {
  mo_result result = mo_check_shape_id(scene, __func__, id);
  if (result != MO_OK) {
    return result;
  }
  margin = margin == MO_MARGIN_OF_SCENE ? scene->margin : margin;
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "margin");
  result = mo_check_size(margin, MO_MAX_SAFE_COORDINATE, &refusal, "");
  return result == MO_OK ? recompute_bounds(scene, __func__, id.index, margin) : result;
}

mo_result mo_scene_set_filter(mo_scene *scene, mo_shape_id id, uint64_t category, uint64_t mask) {
  mo_result result = mo_check_shape_id(scene, __func__, id);
  if (result == MO_OK) {
    scene->shapes[id.index].category = category;
    scene->shapes[id.index].mask = mask;
    mo_slot_set_traits(scene, id.index,
                       mo_slot_compute_traits(scene, id.index, mo_slot_motion(scene, id.index)));
    mo_scene_record_change(scene, id.index, MO_CHANGE_BOUNDS);
  }
  return result;
}

mo_result mo_scene_set_body(mo_scene *scene, mo_shape_id id, uint64_t body) {
  mo_result result = mo_check_shape_id(scene, __func__, id);
  if (result != MO_OK || body == mo_slot_rigid_body(scene, id.index)) {
    return result;
  }
  result = mo_rigid_bodies_reserve(scene, body != 0);
  if (result != MO_OK) {
    return result;
  }
  mo_rigid_body_leave(scene, id.index);
  mo_rigid_body_join(scene, id.index, body);
  mo_scene_record_change(scene, id.index, MO_CHANGE_BOUNDS);
  return MO_OK;
}

mo_result mo_scene_set_motion(mo_scene *scene, const mo_shape_id *ids, uint32_t count,
                              mo_motion motion, size_t *first_bad) {
  if (scene == NULL || (count > 0 && ids == NULL)) {
    mo_set_first_bad(first_bad, MO_NO_INDEX);
    return mo_refuse_null(mo_scene_host(scene), __func__, "ids");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "motion");
  mo_result result = mo_motion_check(motion, &refusal, "");
  if (result != MO_OK) {
    mo_set_first_bad(first_bad, MO_NO_INDEX);
    return result;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!mo_shape_is_known(scene, ids[i])) {
      mo_set_first_bad(first_bad, i);
      return mo_refuse_element(scene, __func__, ids, i);
    }
  }
  const uint32_t changeable = MO_TRAIT_IMMOVABLE | MO_TRAIT_STILL,
                 now = mo_traits_of_motion(motion);
  for (uint32_t i = 0; i < count; i++) {
    mo_shape_place ahead = i + MO_PREFETCH_MOTIONS_AHEAD < count
                               ? scene->places[ids[i + MO_PREFETCH_MOTIONS_AHEAD].index]
                               : MO_NONE;
    if (ahead != MO_NONE) {
      mo_prefetch(&mo_shape_block_at(scene, ahead >> 3)->dynamic, 1);
    }
    uint32_t slot = ids[i].index, before = scene->traits[slot] & changeable;
    if (before != now) {
      /* A shape that falls asleep or wakes keeps the same pairs. */
      if ((before ^ now) & MO_TRAIT_IMMOVABLE) {
        mo_scene_record_change(scene, slot, MO_CHANGE_BOUNDS);
      } else if (!(now & MO_TRAIT_STILL)) {
        mo_scene_record_change(scene, slot, MO_CHANGE_WOKEN);
      }
      mo_slot_set_traits(scene, slot, (scene->traits[slot] & ~changeable) | now);
      if (!mo_slot_is_unbounded(scene, slot)) {
        mo_moved_marks_update_motion(scene, slot, before);
      }
    }
  }
  mo_tree_update_motion_marks(scene);
  return MO_OK;
}

mo_result mo_scene_set_user_data(mo_scene *scene, mo_shape_id id, uint64_t user_data) {
  mo_result result = mo_check_shape_id(scene, __func__, id);
  if (result == MO_OK) {
    scene->shapes[id.index].user_data = user_data;
  }
  return result;
}
