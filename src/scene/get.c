/* Public functions that read the data of shapes, and the bounds and shapes of a scene. */
#include "base/bounded.h"
#include "scene/bodies/bodies.h"
#include "scene/octree/octree.h"
#include "scene/scene.h"
#include "scene/shapes/shape.h"
#include "scene/shapes/unbounded.h"

/* Checks the arguments of a getter. `out` is its output pointer, whose parameter is called
 * `name`. */
static mo_result check_getter_arguments(const mo_scene *scene, const char *function, mo_shape_id id,
                                        const void *out, const char *name) {
  if (scene == NULL || out == NULL) {
    return mo_refuse_null(mo_scene_host(scene), function, name);
  }
  return mo_check_shape_id(scene, function, id);
}

mo_result mo_scene_get_shape(const mo_scene *scene, mo_shape_id id, mo_shape_def *def) {
  mo_result result = check_getter_arguments(scene, __func__, id, def, "def");
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
      .body = mo_slot_rigid_body(scene, id.index),
      .motion = mo_slot_motion(scene, id.index),
      .margin = shape->margin,
      .cookie = MO_COOKIE,
  };
  return MO_OK;
}

mo_result mo_scene_get_geometry(const mo_scene *scene, mo_shape_id id, mo_geometry *geometry) {
  mo_result result = check_getter_arguments(scene, __func__, id, geometry, "geometry");
  if (result == MO_OK) {
    *geometry = scene->shapes[id.index].geometry;
  }
  return result;
}

mo_result mo_scene_get_transform(const mo_scene *scene, mo_shape_id id, mo_transform *transform) {
  mo_result result = check_getter_arguments(scene, __func__, id, transform, "transform");
  if (result == MO_OK) {
    *transform = scene->shapes[id.index].affine.to_world;
  }
  return result;
}

mo_result mo_scene_get_filter(const mo_scene *scene, mo_shape_id id, uint64_t *category,
                              uint64_t *mask) {
  mo_result result = check_getter_arguments(scene, __func__, id, category != NULL ? mask : NULL,
                                            category != NULL ? "mask" : "category");
  if (result == MO_OK) {
    *category = scene->shapes[id.index].category;
    *mask = scene->shapes[id.index].mask;
  }
  return result;
}

mo_result mo_scene_get_user_data(const mo_scene *scene, mo_shape_id id, uint64_t *user_data) {
  mo_result result = check_getter_arguments(scene, __func__, id, user_data, "user_data");
  if (result == MO_OK) {
    *user_data = scene->shapes[id.index].user_data;
  }
  return result;
}

mo_result mo_scene_get_motion(const mo_scene *scene, mo_shape_id id, mo_motion *motion) {
  mo_result result = check_getter_arguments(scene, __func__, id, motion, "motion");
  if (result == MO_OK) {
    *motion = mo_slot_motion(scene, id.index);
  }
  return result;
}

mo_result mo_scene_get_body(const mo_scene *scene, mo_shape_id id, uint64_t *body) {
  mo_result result = check_getter_arguments(scene, __func__, id, body, "body");
  if (result == MO_OK) {
    *body = mo_slot_rigid_body(scene, id.index);
  }
  return result;
}

static bool id_before(const void *a, const void *b) {
  return ((const mo_shape_id *)a)->index < ((const mo_shape_id *)b)->index;
}

mo_result mo_scene_get_body_shapes(const mo_scene *scene, uint64_t body, mo_shape_id *ids,
                                   uint32_t capacity, uint32_t *total) {
  if (scene == NULL || total == NULL || (capacity > 0 && ids == NULL)) {
    return mo_refuse_null(mo_scene_host(scene), __func__, total != NULL ? "ids" : "total");
  }
  mo_bounded_list list = mo_bounded_make(ids, capacity);
  const uint32_t first = mo_rigid_body_find(scene, body);
  uint32_t slot = first;
  while (slot != MO_NONE) {
    mo_shape_id id = mo_shape_id_of(scene, slot);
    mo_bounded_offer(&list, &id, sizeof id, id_before);
    slot = mo_slot_next_of_rigid_body(scene, slot);
    slot = slot != first ? slot : MO_NONE;
  }
  mo_bounded_sort(&list, sizeof *ids, id_before);
  *total = list.total;
  return MO_OK;
}

mo_result mo_scene_get_margin(const mo_scene *scene, mo_shape_id id, float *margin) {
  mo_result result = check_getter_arguments(scene, __func__, id, margin, "margin");
  if (result == MO_OK) {
    *margin = scene->shapes[id.index].margin;
  }
  return result;
}

mo_result mo_scene_get_bounds(const mo_scene *scene, mo_shape_id id, mo_aabb *bounds) {
  mo_result result = check_getter_arguments(scene, __func__, id, bounds, "bounds");
  if (result != MO_OK) {
    return result;
  }
  const mo_half_space_body *half_space = mo_slot_half_space(scene, id.index);
  *bounds = half_space != NULL ? mo_half_space_bounds(half_space) : mo_slot_box(scene, id.index);
  return MO_OK;
}

mo_result mo_scene_get_tight_bounds(const mo_scene *scene, mo_shape_id id, mo_aabb *bounds) {
  mo_result result = check_getter_arguments(scene, __func__, id, bounds, "bounds");
  if (result != MO_OK) {
    return result;
  }
  const mo_shape *shape = &scene->shapes[id.index];
  mo_aabb tight;
  result = mo_geometry_bounds(&shape->geometry, &shape->affine, &tight);
  if (result != MO_OK) {
    mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "the shape's transform");
    return mo_refuse_bounds(result, &refusal, "");
  }
  *bounds = tight;
  return MO_OK;
}

bool mo_scene_is_valid(const mo_scene *scene, mo_shape_id id) {
  return scene != NULL && mo_shape_is_known(scene, id);
}

uint32_t mo_scene_shape_count(const mo_scene *scene) {
  return scene != NULL ? scene->shape_count : 0;
}

/* Extends a box by the boxes of the shapes of a child, whose stored bounds are given. */
static void extend_by_child(const mo_scene *scene, uint32_t child, const mo_aabb *stored,
                            mo_aabb *all) {
  if (child == MO_CHILD_EMPTY || mo_aabb_contains(*all, *stored)) {
    return;
  }
  *all = mo_aabb_union(*all, mo_block_list_bounds(scene, mo_child_list(scene, child)));
  for (int octant = MO_LANE_COUNT; !mo_child_is_leaf(child) && octant-- > 0;) {
    const mo_scene_node *node = mo_scene_node_at(scene, child);
    mo_aabb part = mo_bounds8_get(&node->bounds, octant);
    extend_by_child(scene, node->child[octant], &part, all);
  }
}

/* The bounds of nodes and of the root may be loose until the next update, so the result is computed
 * from the boxes of shapes. Subtrees whose bounds lie within the result so far are skipped. */
mo_aabb mo_scene_bounds(const mo_scene *scene) {
  mo_aabb all = mo_aabb_empty();
  if (scene != NULL) {
    extend_by_child(scene, scene->root, &scene->root_bounds, &all);
  }
  return all;
}

mo_result mo_scene_get_shapes(const mo_scene *scene, mo_shape_id *ids, uint32_t capacity,
                              uint32_t *total) {
  if (scene == NULL || total == NULL || (capacity > 0 && ids == NULL)) {
    return mo_refuse_null(mo_scene_host(scene), __func__, total != NULL ? "ids" : "total");
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
