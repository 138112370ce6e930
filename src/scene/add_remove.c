/* Adding and removing shapes. Everything is checked, and memory reserved, before anything
 * changes. */
#include "geometry/solid/solids.h"
#include "scene/bodies/bodies.h"
#include "scene/bulk/bulk.h"
#include "scene/changes/change_log.h"
#include "scene/compound.h"
#include "scene/policy.h"
#include "scene/shapes/displacements.h"
#include "scene/shapes/shape.h"
#include "scene/shapes/traits.h"
#include "scene/shapes/unbounded.h"

mo_shape_def mo_default_shape_def(mo_shape_type type) {
  mo_shape_def def = {
      .geometry = {.type = type},
      .transform = mo_transform_identity(),
      .category = 1,
      .mask = UINT64_MAX,
      .margin = MO_MARGIN_OF_SCENE,
      .cookie = MO_COOKIE,
  };
  switch (type) {
  case MO_SHAPE_MESH:
    def.geometry.mesh = NULL;
    break;
  case MO_SHAPE_COMPOUND:
    def.geometry.compound = NULL;
    break;
  case MO_SHAPE_VOLUME:
    def.geometry.volume = (mo_aabb){mo_vec(-1, -1, -1), mo_vec(1, 1, 1)};
    break;
  case MO_SHAPE_HALF_SPACE:
    def.geometry.half_space = (mo_half_space){mo_vec(0, 1, 0), 0};
    break;
    MO_CASES_OF_SOLIDS {
      mo_solid_set_default(mo_solid_kind_of(type), &def.geometry);
      break;
    }
  }
  return def;
}

/* Yields free slots in the order in which they will be used, without taking them. */
typedef struct slot_queue {
  uint32_t next_free_slot; /* head of the rest of the free list, or MO_NONE */
  uint32_t count;          /* slots ever used, including those yielded */
} slot_queue;

static slot_queue free_slots_of(const mo_scene *scene) {
  return (slot_queue){scene->free_slot, scene->slot_count};
}

static uint32_t next_slot(const mo_scene *scene, slot_queue *slots) {
  if (slots->next_free_slot == MO_NONE) {
    return slots->count++;
  }
  uint32_t slot = slots->next_free_slot;
  slots->next_free_slot = scene->places[slot];
  return slot;
}

static void release_slot(mo_scene *scene, uint32_t slot) {
  scene->generations[slot]++;
  scene->places[slot] = scene->free_slot;
  scene->free_slot = slot;
  scene->shape_count--;
}

/* Computes the affine map of a def. Fast paths: many shapes are axis-aligned, and shapes that are
 * added together often have the same rotation. So the linear part of the map `like` is reused if it
 * is the same. */
static mo_result make_affine(const mo_transform *transform, const mo_affine *like,
                             mo_affine *affine) {
  if (mo_has_identity_axes(transform) && mo_vec_is_in_safe_range(transform->origin)) {
    *affine = (mo_affine){
        .to_world = *transform,
        .inverse = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        .axis_sizes = mo_vec(1, 1, 1),
        .invertible = true,
        .slope_factor_in_16_bits = mo_slope_factor_to_16_bits(mo_vec(1, 1, 1)),
    };
    return MO_OK;
  }
  if (like != NULL && memcmp(&like->to_world, transform, 3 * sizeof(mo_vec3)) == 0 &&
      mo_vec_is_in_safe_range(transform->origin)) {
    *affine = *like;
    affine->to_world.origin = transform->origin;
    return MO_OK;
  }
  return mo_affine_init(affine, transform);
}

/* Logs what is wrong with a def that fill_record has rejected; returns the error. */
static MO_COLD mo_result refuse_def(const mo_scene *scene, const char *function,
                                    const char *argument, size_t index, const mo_shape_def *def) {
  mo_affine affine;
  mo_aabb bounds;
  mo_refusal refusal = mo_refusal_of(&scene->host, function, argument);
  refusal.index = index;
  mo_result result = mo_shape_def_check_all(def, &refusal, &affine, &bounds);
  const mo_refusal geometry = mo_refusal_in(&refusal, ".geometry", MO_NO_INDEX);
  return result == MO_OK ? mo_scene_check_child(scene, &def->geometry, &geometry) : result;
}

/* Checks a def without logging, and writes the record of a slot that is still free. `like` is an
 * affine map that may have the same linear part, or null. */
static mo_result fill_record(mo_scene *scene, uint32_t slot, const mo_shape_def *def,
                             const mo_affine *like, mo_aabb *bounds) {
  mo_result result = mo_shape_def_check(def, NULL);
  if (result == MO_OK) {
    result = mo_scene_check_child(scene, &def->geometry, NULL);
  }
  mo_shape *shape = &scene->shapes[slot];
  float margin = def->margin == MO_MARGIN_OF_SCENE ? scene->margin : def->margin;
  if (result == MO_OK) {
    result = make_affine(&def->transform, like, &shape->affine);
  }
  if (result != MO_OK) {
    return result;
  }
  shape->geometry = def->geometry;
  shape->category = def->category;
  shape->mask = def->mask;
  shape->user_data = def->user_data;
  shape->margin = margin;
  shape->generation = slot < scene->slot_count ? scene->generations[slot] + 1 : 1;
  uint32_t traits = mo_slot_compute_traits(scene, slot, def->motion);
  scene->traits[slot] = (uint16_t)traits;
  if ((traits & MO_TRAIT_BOX_FOLLOWS_ORIGIN) == MO_TRAIT_BOX_FOLLOWS_ORIGIN &&
      mo_vec_is_in_safe_range(def->transform.origin)) {
    *bounds = mo_centred_bounds(&def->geometry, def->transform.origin);
  } else {
    result = mo_geometry_bounds(&def->geometry, &shape->affine, bounds);
    if (result != MO_OK) {
      return result;
    }
  }
  mo_geometry_retain(&def->geometry);
  *bounds = mo_bounds_with_margin(scene, slot, bounds);
  return MO_OK;
}

/* Makes the shape of a slot alive, after its record was written; does not add it to the tree. */
static void make_alive(mo_scene *scene, uint32_t slot) {
  if (slot == scene->slot_count) {
    scene->slot_count++;
    scene->generations[slot] = 0;
  } else {
    scene->free_slot = scene->places[slot];
  }
  scene->generations[slot]++;
  scene->places[slot] = MO_NONE;
  mo_slot_set_displacement(scene, slot, mo_vec(0, 0, 0));
  scene->shape_count++;
  mo_scene_count_traits(scene, slot, 1);
}

static void release_reference(const mo_scene *scene, uint32_t slot) {
  if (scene->traits[slot] & MO_TRAIT_HAS_REFERENCE) {
    mo_geometry_release(&scene->shapes[slot].geometry);
  }
}

static mo_result reserve_slots(mo_scene *scene, const char *function, uint32_t extra) {
  if (extra > MO_MAX_SHAPES - scene->shape_count) {
    mo_refusal refusal = mo_refusal_of(&scene->host, function, "");
    return mo_refuse(&refusal, MO_ERROR_TOO_MANY, "%u shapes and %u more exceed MO_MAX_SHAPES",
                     scene->shape_count, extra);
  }
  uint32_t free_slots = scene->slot_count - scene->shape_count;
  return extra <= free_slots ? MO_OK : mo_slots_reserve(scene, scene->shape_count + extra);
}

mo_result mo_scene_add_shape(mo_scene *scene, const mo_shape_def *def, mo_shape_id *id) {
  if (scene == NULL || def == NULL || id == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, def != NULL ? "id" : "def");
  }
  mo_result result = reserve_slots(scene, __func__, 1);
  if (result == MO_OK) {
    result = mo_blocks_reserve(scene, 1);
  }
  if (result == MO_OK) {
    result = mo_rigid_bodies_reserve(scene, def->body != 0);
  }
  if (result != MO_OK) {
    return result;
  }
  mo_aabb bounds;
  slot_queue slots = free_slots_of(scene);
  uint32_t slot = next_slot(scene, &slots);
  if (fill_record(scene, slot, def, NULL, &bounds) != MO_OK) {
    return refuse_def(scene, __func__, "def", MO_NO_INDEX, def);
  }
  if (mo_slot_is_unbounded(scene, slot)) {
    result = mo_unbounded_reserve(scene, 1);
    if (result != MO_OK) {
      return result;
    }
    make_alive(scene, slot);
    mo_unbounded_add(scene, slot);
  } else {
    make_alive(scene, slot);
    mo_tree_insert(scene, slot, &bounds, false);
  }
  mo_rigid_body_join(scene, slot, def->body);
  scene->counters.insert_count++;
  scene->change_count++;
  mo_scene_record_change(scene, slot, MO_CHANGE_BOUNDS | MO_CHANGE_SLOT_REUSED);
  *id = mo_shape_id_of(scene, slot);
  return MO_OK;
}

/* Checks the defs of a batch and writes the records of all shapes, or of none. Shapes with bounds
 * are added to the pending insertions; `bounded` receives their number. Returns the index of the
 * first rejected def, or `count`. */
static uint32_t fill_records(mo_scene *scene, const mo_shape_def *defs, uint32_t count,
                             uint32_t *bounded) {
  uint32_t *slots = scene->bulk.slots;
  *bounded = 0;
  slot_queue left = free_slots_of(scene);
  for (uint32_t i = 0; i < count; i++) {
    slots[i] = next_slot(scene, &left);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (i + MO_PREFETCH_ADDED_AHEAD < count) {
      mo_prefetch(&scene->shapes[slots[i + MO_PREFETCH_ADDED_AHEAD]],
                  mo_cache_lines_of(sizeof(mo_shape)));
    }
    mo_aabb bounds;
    const mo_affine *like = i > 0 ? &scene->shapes[slots[i - 1]].affine : NULL;
    if (fill_record(scene, slots[i], &defs[i], like, &bounds) != MO_OK) {
      for (uint32_t j = 0; j < i; j++) {
        release_reference(scene, slots[j]);
      }
      return i;
    }
    if (!mo_slot_is_unbounded(scene, slots[i])) {
      scene->bulk.insertions[(*bounded)++] = mo_pending_insertion_make(
          slots[i], bounds, mo_motion_marks_of_traits(scene->traits[slots[i]]));
    }
  }
  return count;
}

/* Undoes a failed addition of shapes: removes them, and restores their slots to the earlier
 * state. */
static void undo_addition(mo_scene *scene, uint32_t slots_before, uint32_t count) {
  for (uint32_t i = count; i-- > 0;) {
    uint32_t slot = scene->bulk.slots[i];
    if (scene->places[slot] != MO_NONE) {
      mo_tree_remove(scene, slot);
    }
    release_reference(scene, slot);
    mo_scene_count_traits(scene, slot, UINT32_MAX);
    release_slot(scene, slot);
    scene->generations[slot] -= 2;
    if (slot >= slots_before) {
      scene->free_slot = scene->places[slot];
      scene->slot_count--;
    }
  }
  mo_tree_tighten(scene);
}

static mo_result add_all_shapes(mo_scene *scene, const mo_shape_def *defs, uint32_t count,
                                mo_shape_id *ids, size_t *first_bad) {
  uint32_t bounded, described = fill_records(scene, defs, count, &bounded);
  if (described < count) {
    *first_bad = described;
    return refuse_def(scene, "mo_scene_add_shapes", "defs", described, &defs[described]);
  }
  if (count > scene->shape_count / MO_MANY_ADDED_DIVISOR) {
    /* A failure may be ignored here: the pools then grow as they are used. */
    (void)mo_blocks_reserve(scene, count / MO_SHAPES_PER_BLOCK + count / MO_SHAPES_PER_SPARE_BLOCK);
    (void)mo_nodes_reserve(scene, count / MO_SHAPES_PER_NODE);
  }
  const uint32_t *slots = scene->bulk.slots;
  uint32_t slots_before = scene->slot_count;
  for (uint32_t i = 0; i < count; i++) {
    make_alive(scene, slots[i]);
  }
  mo_result result = mo_unbounded_reserve(scene, count - bounded);
  if (result == MO_OK) {
    result = mo_bulk_insert(scene, bounded);
  }
  if (result != MO_OK) {
    undo_addition(scene, slots_before, count);
    return result;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (mo_slot_is_unbounded(scene, slots[i])) {
      mo_unbounded_add(scene, slots[i]);
    }
    ids[i] = mo_shape_id_of(scene, slots[i]);
    mo_rigid_body_join(scene, slots[i], defs[i].body);
    mo_scene_record_change(scene, slots[i], MO_CHANGE_BOUNDS | MO_CHANGE_SLOT_REUSED);
  }
  scene->counters.insert_count += count;
  scene->change_count += count;
  return MO_OK;
}

/* The number of shapes of a batch that belong to a body with a number. */
static uint32_t count_shapes_with_body(const mo_shape_def *defs, uint32_t count) {
  uint32_t some = 0;
  for (uint32_t i = 0; i < count; i++) {
    some += defs[i].body != 0;
  }
  return some;
}

mo_result mo_scene_add_shapes(mo_scene *scene, const mo_shape_def *defs, uint32_t count,
                              mo_shape_id *ids, size_t *first_bad) {
  if (scene == NULL || (count > 0 && (defs == NULL || ids == NULL))) {
    mo_set_first_bad(first_bad, MO_NO_INDEX);
    return mo_refuse_null(mo_scene_host(scene), __func__, defs != NULL ? "ids" : "defs");
  }
  if (count == 0) {
    return MO_OK;
  }
  size_t bad = MO_NO_INDEX;
  mo_result result = reserve_slots(scene, __func__, count);
  if (result == MO_OK) {
    result = mo_rigid_bodies_reserve(scene, count_shapes_with_body(defs, count));
  }
  if (result == MO_OK) {
    result = mo_bulk_reserve(scene, count);
  }
  if (result == MO_OK) {
    result = add_all_shapes(scene, defs, count, ids, &bad);
  }
  mo_bulk_trim(scene);
  if (result != MO_OK) {
    mo_set_first_bad(first_bad, bad);
  }
  return result;
}

/* Ends the generations of all given shapes, or of none. Returns the index of the first stale id, or
 * `count`. As the first occurrence of an id ends its generation, a second one is recognised as
 * stale. */
static uint32_t end_generations(mo_scene *scene, const mo_shape_id *ids, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (!mo_shape_is_known(scene, ids[i])) {
      for (uint32_t j = 0; j < i; j++) {
        scene->generations[ids[j].index]--;
      }
      return i;
    }
    scene->generations[ids[i].index]++;
  }
  return count;
}

static void remove_shapes(mo_scene *scene, const mo_shape_id *ids, uint32_t count) {
  bool is_few = count < scene->shape_count / MO_FEW_REMOVED_DIVISOR;
  uint32_t slots[MO_SHAPES_PER_REMOVAL];
  for (uint32_t i = 0; i < count; i += MO_SHAPES_PER_REMOVAL) {
    uint32_t n = count - i < MO_SHAPES_PER_REMOVAL ? count - i : MO_SHAPES_PER_REMOVAL;
    uint32_t bounded = 0;
    for (uint32_t j = 0; j < n; j++) {
      slots[bounded] = ids[i + j].index;
      bounded += !mo_slot_is_unbounded(scene, ids[i + j].index);
    }
    mo_bulk_remove(scene, slots, bounded, is_few);
    for (uint32_t j = 0; j < n; j++) {
      uint32_t slot = ids[i + j].index;
      if (mo_slot_is_unbounded(scene, slot)) {
        mo_unbounded_remove(scene, slot);
      }
      /* Undoes the increment by end_generations, as release_slot increments it again. */
      scene->generations[slot]--;
      release_reference(scene, slot);
      mo_rigid_body_leave(scene, slot);
      mo_scene_count_traits(scene, slot, UINT32_MAX);
      mo_scene_record_change(scene, slot, MO_CHANGE_BOUNDS | MO_CHANGE_SLOT_REUSED);
      release_slot(scene, slot);
    }
  }
  scene->counters.remove_count += count;
  scene->change_count += count;
}

mo_result mo_scene_remove_shape(mo_scene *scene, mo_shape_id id) {
  if (scene == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (end_generations(scene, &id, 1) < 1) {
    return mo_refuse_shape(scene, __func__, id);
  }
  remove_shapes(scene, &id, 1);
  return MO_OK;
}

mo_result mo_scene_remove_shapes(mo_scene *scene, const mo_shape_id *ids, uint32_t count,
                                 size_t *first_bad) {
  if (scene == NULL || (count > 0 && ids == NULL)) {
    mo_set_first_bad(first_bad, MO_NO_INDEX);
    return mo_refuse_null(mo_scene_host(scene), __func__, "ids");
  }
  uint32_t ended = end_generations(scene, ids, count);
  if (ended < count) {
    mo_set_first_bad(first_bad, ended);
    return mo_refuse_element(scene, __func__, ids, ended);
  }
  remove_shapes(scene, ids, count);
  return MO_OK;
}
