/* Single moves: checks, and updates of a shape's record and bounds. */
#include "scene/moves/moves.h"

#include "math/affine_four.h"
#include "scene/shapes/unbounded.h"

bool mo_move_is_legal(const mo_moves *m, uint32_t i) {
  const mo_scene *scene = m->scene;
  const mo_update_def *def = m->def;
  mo_shape_id id = def->ids[i];
  if (!mo_shape_is_known(scene, id) || (def->velocities != NULL && !mo_velocity_is_legal(m, i))) {
    return false;
  }
  uint32_t traits = scene->traits[id.index];
  if (traits & MO_TRAIT_HAS_SAFE_SIZE) {
    if (def->transforms != NULL
            ? mo_transform_is_in_safe_range(&def->transforms[i])
            : traits & MO_TRAIT_HAS_SAFE_AXES && mo_vec_is_in_safe_range(def->origins[i])) {
      return true;
    }
  }
  mo_transform transform = mo_move_transform(m, i);
  mo_affine affine;
  mo_aabb bounds;
  return mo_affine_init(&affine, &transform) == MO_OK &&
         mo_geometry_bounds(&scene->shapes[id.index].geometry, &affine, &bounds) == MO_OK;
}

bool mo_move_fatten(const mo_moves *m, uint32_t i, mo_aabb *box) {
  const mo_scene *scene = m->scene;
  uint32_t slot = m->def->ids[i].index;
  bool has_margin = (scene->traits[slot] & MO_TRAIT_HAS_MARGIN) != 0;
  if (m->def->velocities == NULL && !has_margin) {
    return true;
  }
  mo_aabb stored = mo_slot_box(scene, slot);
  float margin = has_margin ? scene->shapes[slot].margin : 0;
  /* The bounds of volumes and half-spaces are not extended for their velocity. */
  bool grows = mo_geometry_has_margin(&scene->shapes[slot].geometry);
  mo_vec3 motion = grows ? mo_move_displacement(m, i) : mo_vec(0, 0, 0);
  mo_enlarged_bounds fat = mo_bounds_enlarge(box, motion, margin, &stored);
  *box = fat.bounds;
  return !fat.were_stored;
}

bool mo_move_store(const mo_moves *m, uint32_t i, mo_aabb *box) {
  mo_scene *scene = m->scene;
  uint32_t slot = m->def->ids[i].index;
  mo_transform transform = mo_move_transform(m, i);
  const mo_shape *shape = &scene->shapes[slot];
  mo_slot_set_displacement(scene, slot, mo_move_displacement(m, i));
  bool rotated, fast = mo_move_set_transform(scene, slot, &transform, &rotated);
  if (rotated) {
    mo_affine_set_inverse(&scene->shapes[slot].affine);
  }
  if (mo_slot_is_unbounded(scene, slot)) {
    mo_unbounded_refresh(scene, slot);
    return true;
  }
  if (fast) {
    *box = mo_centred_bounds(&shape->geometry, transform.origin);
  } else {
    *box = mo_aabb_empty();
    (void)mo_geometry_bounds(&shape->geometry, &shape->affine, box);
  }
  return mo_move_fatten(m, i, box);
}
