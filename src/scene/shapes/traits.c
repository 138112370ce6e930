/* Computes the traits of shapes (MO_TRAIT_...) and counts the shapes that have each trait. */
#include "scene/shapes/traits.h"

/* The traits that depend on a shape's geometry, transform and margin. */
static uint32_t traits_of_record(const mo_shape *shape) {
  const uint32_t type = mo_type_traits(shape->geometry.type);
  return (mo_geometry_has_safe_size(&shape->geometry) ? MO_TRAIT_HAS_SAFE_SIZE : 0u) |
         (mo_geometry_is_centred(&shape->geometry) ? MO_TRAIT_CENTRED : 0u) |
         mo_traits_of_axes(&shape->affine.to_world) |
         (type & MO_TYPE_HAS_TRIANGLES ? MO_TRAIT_MESH : 0u) |
         (type & MO_TYPE_HAS_CHILDREN ? MO_TRAIT_COMPOUND : 0u) |
         (type & MO_TYPE_UNBOUNDED ? MO_TRAIT_UNBOUNDED : 0u) |
         (mo_geometry_has_reference(&shape->geometry) ? MO_TRAIT_HAS_REFERENCE : 0u) |
         (shape->margin > 0 && mo_geometry_has_margin(&shape->geometry) ? MO_TRAIT_HAS_MARGIN : 0u);
}

uint32_t mo_slot_compute_traits(const mo_scene *scene, uint32_t slot, mo_motion motion) {
  const mo_shape *shape = &scene->shapes[slot];
  bool filtered = shape->mask != UINT64_MAX || shape->category == 0;
  bool is_in_body = scene->bodies.slot_capacity > slot && scene->bodies.numbers[slot] != 0;
  return mo_traits_of_motion(motion) | (filtered ? MO_TRAIT_FILTERED : 0u) |
         (is_in_body ? MO_TRAIT_HAS_RIGID_BODY : 0u) | traits_of_record(shape);
}

static bool is_kinematic(uint32_t traits) {
  return (traits & (MO_TRAIT_IMMOVABLE | MO_TRAIT_STILL)) == MO_TRAIT_IMMOVABLE;
}

void mo_scene_count_traits(mo_scene *scene, uint32_t slot, uint32_t times) {
  uint32_t traits = scene->traits[slot];
  scene->immovable_count += traits & MO_TRAIT_IMMOVABLE ? times : 0;
  scene->still_count += traits & MO_TRAIT_STILL ? times : 0;
  scene->kinematic_count += is_kinematic(traits) ? times : 0;
  scene->filtered_count += traits & MO_TRAIT_FILTERED ? times : 0;
  scene->mesh_count += traits & MO_TRAIT_MESH ? times : 0;
  scene->compound_count += traits & MO_TRAIT_COMPOUND ? times : 0;
}

void mo_slot_set_traits(mo_scene *scene, uint32_t slot, uint32_t traits) {
  mo_scene_count_traits(scene, slot, UINT32_MAX);
  scene->traits[slot] = (uint16_t)traits;
  mo_scene_count_traits(scene, slot, 1);
}

mo_aabb mo_bounds_with_margin(const mo_scene *scene, uint32_t slot, const mo_aabb *box) {
  if (!(scene->traits[slot] & MO_TRAIT_HAS_MARGIN)) {
    return *box;
  }
  return mo_bounds_enlarge(box, mo_vec(0, 0, 0), scene->shapes[slot].margin, NULL).bounds;
}

mo_result mo_refuse_element(const mo_scene *scene, const char *function, const mo_shape_id *ids,
                            uint32_t i) {
  mo_refusal refusal = mo_refusal_of(&scene->host, function, "ids");
  refusal.index = i;
  return mo_refuse_id(&refusal, ids[i].index, ids[i].generation);
}
