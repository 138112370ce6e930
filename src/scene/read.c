/* What a scene knows of its shapes, read back. */
#include "scene/octree/octree.h"
#include "scene/scene.h"
#include "scene/shape.h"

/* Checks the arguments of a getter: `out` is the pointer called `name`. */
static mo_result check(const mo_scene *scene, const char *function, mo_shape_id id, const void *out,
                       const char *name) {
  if (!scene || !out) {
    return mo_refuse_null(mo_scene_host(scene), function, name);
  }
  return mo_shape_is_known(scene, id) ? MO_OK : mo_refuse_shape(scene, function, id);
}

mo_result mo_scene_get_shape(const mo_scene *scene, mo_shape_id id, mo_shape_def *def) {
  mo_result result = check(scene, __func__, id, def, "def");
  if (result != MO_OK) {
    return result;
  }
  const mo_shape *shape = &scene->shapes[id.index];
  *def = (mo_shape_def){
      .geometry = shape->geometry,
      .transform = shape->affine.to_world,
      .category = shape->category,
      .mask = shape->mask,
      .user_data = shape->user_data,
      .motion = mo_slot_motion(scene, id.index),
      .margin = shape->margin,
      .cookie = MO_COOKIE,
  };
  return MO_OK;
}

mo_result mo_scene_get_geometry(const mo_scene *scene, mo_shape_id id, mo_geometry *geometry) {
  mo_result result = check(scene, __func__, id, geometry, "geometry");
  if (result == MO_OK) {
    *geometry = scene->shapes[id.index].geometry;
  }
  return result;
}

mo_result mo_scene_get_transform(const mo_scene *scene, mo_shape_id id, mo_transform *transform) {
  mo_result result = check(scene, __func__, id, transform, "transform");
  if (result == MO_OK) {
    *transform = scene->shapes[id.index].affine.to_world;
  }
  return result;
}

mo_result mo_scene_get_filter(const mo_scene *scene, mo_shape_id id, uint64_t *category,
                              uint64_t *mask) {
  mo_result result =
      check(scene, __func__, id, category ? mask : NULL, category ? "mask" : "category");
  if (result == MO_OK) {
    *category = scene->shapes[id.index].category;
    *mask = scene->shapes[id.index].mask;
  }
  return result;
}

mo_result mo_scene_get_user_data(const mo_scene *scene, mo_shape_id id, uint64_t *user_data) {
  mo_result result = check(scene, __func__, id, user_data, "user_data");
  if (result == MO_OK) {
    *user_data = scene->shapes[id.index].user_data;
  }
  return result;
}

mo_result mo_scene_get_motion(const mo_scene *scene, mo_shape_id id, mo_motion *motion) {
  mo_result result = check(scene, __func__, id, motion, "motion");
  if (result == MO_OK) {
    *motion = mo_slot_motion(scene, id.index);
  }
  return result;
}

mo_result mo_scene_get_margin(const mo_scene *scene, mo_shape_id id, float *margin) {
  mo_result result = check(scene, __func__, id, margin, "margin");
  if (result == MO_OK) {
    *margin = scene->shapes[id.index].margin;
  }
  return result;
}

mo_result mo_scene_get_bounds(const mo_scene *scene, mo_shape_id id, mo_aabb *bounds) {
  mo_result result = check(scene, __func__, id, bounds, "bounds");
  if (result != MO_OK) {
    return result;
  }
  *bounds = mo_tree_box(scene, id.index);
  return MO_OK;
}

mo_result mo_scene_get_tight_bounds(const mo_scene *scene, mo_shape_id id, mo_aabb *bounds) {
  mo_result result = check(scene, __func__, id, bounds, "bounds");
  if (result != MO_OK) {
    return result;
  }
  const mo_shape *shape = &scene->shapes[id.index];
  mo_aabb tight;
  if (mo_geometry_bounds(&shape->geometry, &shape->affine, &tight) != MO_OK) {
    mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "the shape's transform");
    return mo_refuse_image(&refusal, "");
  }
  *bounds = tight;
  return MO_OK;
}

bool mo_scene_is_valid(const mo_scene *scene, mo_shape_id id) {
  return scene && mo_shape_is_known(scene, id);
}

uint32_t mo_scene_shape_count(const mo_scene *scene) {
  return scene ? scene->shape_count : 0;
}

mo_result mo_scene_get_shapes(const mo_scene *scene, mo_shape_id *ids, uint32_t capacity,
                              uint32_t *total) {
  if (!scene || !total || (capacity > 0 && !ids)) {
    return mo_refuse_null(mo_scene_host(scene), __func__, total ? "ids" : "total");
  }
  uint32_t count = 0;
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    if (mo_slot_is_alive(scene, slot)) {
      if (count < capacity) {
        ids[count] = mo_shape_id_of(scene, slot);
      }
      count++;
    }
  }
  *total = count;
  return MO_OK;
}
