/* Shifting the world's origin: everything that a scene stores in world coordinates moves by one
 * vector.
 *
 * Shapes stay in their lists of the octree, whose planes are shifted too. Boxes are recomputed from
 * the shifted transforms, as rounding differs there, and all bounds are tightened, by the same
 * passes as for a move of all shapes (scene/octree/moved.h). The few shapes that leave their cells
 * by rounding are reinserted. Bounds that are enlarged by a margin or a velocity are shifted with
 * the shape, so that the pairs of trackers remain those of the stored bounds. Nothing is written to
 * the change log: pairs, contacts and members of regions stay as they are. */
#include "base/tasks.h"
#include "scene/bulk/bulk.h"
#include "scene/changes/change_log.h"
#include "scene/moves/moves.h"
#include "scene/shapes/unbounded.h"

/* A shift, split into parts that may run as tasks; each part has a share of the slots. */
typedef struct shift {
  mo_scene *scene;
  mo_vec3 by; /* the vector that is added to all world coordinates */
  uint32_t part_count;
  /* By part: slot of a shape that would leave the range of coordinates, or MO_NONE. */
  uint32_t out_of_range_slot[MO_MOVES_MAX_PARTS];
} shift;

static bool bounds_at_origin(const mo_shape *shape, mo_vec3 origin, mo_aabb *box) {
  mo_affine affine = shape->affine;
  affine.to_world.origin = origin;
  return mo_geometry_bounds(&shape->geometry, &affine, box) == MO_OK;
}

static bool stays_in_range(const shift *s, uint32_t slot) {
  const mo_shape *shape = &s->scene->shapes[slot];
  const uint32_t needed = MO_TRAIT_HAS_SAFE_SIZE | MO_TRAIT_HAS_SAFE_AXES;
  mo_vec3 origin = mo_add(shape->affine.to_world.origin, s->by);
  mo_aabb box;
  return ((s->scene->traits[slot] & needed) == needed && mo_vec_is_in_safe_range(origin)) ||
         (mo_check_point(origin, NULL, "") == MO_OK && bounds_at_origin(shape, origin, &box));
}

static void check_range_of_part(uint32_t part, void *context) {
  shift *s = context;
  s->out_of_range_slot[part] = MO_NONE;
  const uint32_t end = mo_part_begin(s->scene->slot_count, part + 1, s->part_count);
  for (uint32_t slot = mo_part_begin(s->scene->slot_count, part, s->part_count); slot < end;
       slot++) {
    if (mo_slot_is_alive(s->scene, slot) && !stays_in_range(s, slot)) {
      s->out_of_range_slot[part] = slot;
      return;
    }
  }
}

/* A box shifted by a vector, rounded outward. */
static mo_aabb shifted_box(const mo_aabb *box, mo_vec3 by) {
  mo_f4 along = mo_f4_from(&by, 0);
  mo_f4 lower = -mo_f4_add_upward(-mo_f4_from(&box->lower, 0), -along);
  mo_f4 upper = mo_f4_add_upward(mo_f4_from(&box->upper, 0), along);
  return (mo_aabb){mo_f4_to_vec3(lower), mo_f4_to_vec3(upper)};
}

/* Shifts a shape whose stored bounds may differ from its tight box: by a margin or a velocity, or
 * as its mesh has changed without mo_scene_refresh_shape. If they differ, the new stored bounds
 * contain both the shifted bounds and the new tight box. */
static void shift_enlarged_bounds(const shift *s, const mo_moved_marks *moved, uint32_t slot) {
  mo_scene *scene = s->scene;
  mo_shape *shape = &scene->shapes[slot];
  mo_vec3 *origin = &shape->affine.to_world.origin;
  mo_shape_place place = scene->places[slot];
  mo_aabb stored = mo_slot_box(scene, slot), before = mo_aabb_empty(), box = mo_aabb_empty();
  bool tight = bounds_at_origin(shape, *origin, &before) && mo_aabb_is_same(&before, &stored);
  *origin = mo_add(*origin, s->by);
  (void)bounds_at_origin(shape, *origin, &box);
  if (!tight) {
    box = mo_aabb_union(box, shifted_box(&stored, s->by));
  }
  mo_bounds8_set(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7), box);
  mo_moved_marks_add_box(moved, place);
}

static void shift_shapes_of_part(uint32_t part, void *context) {
  const shift *s = context;
  mo_scene *scene = s->scene;
  const mo_moved_marks moved = mo_moved_marks_of_part(scene, part);
  const uint32_t relevant_traits = MO_TRAIT_HAS_SAFE_SIZE | MO_TRAIT_HAS_MARGIN;
  const uint32_t end = mo_part_begin(scene->slot_count, part + 1, s->part_count);
  for (uint32_t slot = mo_part_begin(scene->slot_count, part, s->part_count); slot < end; slot++) {
    uint32_t traits = scene->traits[slot];
    if (!mo_slot_is_alive(scene, slot)) {
      continue;
    }
    if (traits & MO_TRAIT_UNBOUNDED) {
      mo_vec3 *origin = &scene->shapes[slot].affine.to_world.origin;
      *origin = mo_add(*origin, s->by);
      mo_unbounded_refresh(scene, slot);
      continue;
    }
    if (scene->had_velocities || (traits & relevant_traits) != MO_TRAIT_HAS_SAFE_SIZE) {
      shift_enlarged_bounds(s, &moved, slot);
      continue;
    }
    mo_vec3 *origin = &scene->shapes[slot].affine.to_world.origin;
    *origin = mo_add(*origin, s->by);
    mo_moved_marks_add_transform(&moved, scene->places[slot],
                                 mo_box_follows_origin(traits) && mo_vec_is_in_safe_range(*origin));
  }
}

/* Checks that all shapes and the data of all listeners stay in range. MO_ERROR_OUT_OF_RANGE. */
static mo_result check_all_ranges(shift *s, const mo_refusal *refusal) {
  mo_scene *scene = s->scene;
  mo_tasks_run(&scene->host, s->part_count, check_range_of_part, s);
  for (uint32_t part = 0; part < s->part_count; part++) {
    if (s->out_of_range_slot[part] != MO_NONE) {
      return mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE,
                       " takes shape {index %u, generation %u} beyond MO_MAX_COORDINATE",
                       s->out_of_range_slot[part], scene->generations[s->out_of_range_slot[part]]);
    }
  }
  mo_result result = MO_OK;
  for (const mo_listener *c = scene->listeners; c != NULL && result == MO_OK; c = c->next) {
    result = c->check_shift != NULL ? c->check_shift(c, s->by, refusal) : MO_OK;
  }
  return result;
}

/* Computes new boxes, tightens all bounds, and reinserts shapes that have left their cells. */
static void refit_and_reinsert(const shift *s) {
  mo_scene *scene = s->scene;
  mo_moved_marks_merge(scene, s->part_count);
  uint32_t misplaced = mo_tree_refit_moved_shapes(scene, scene->shape_count, s->part_count > 1);
  if (misplaced > 0) {
    mo_bulk_relocate(scene, misplaced);
  }
  (void)mo_tree_tighten(scene);
}

mo_result mo_scene_shift_origin(mo_scene *scene, mo_vec3 displacement) {
  if (scene == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "displacement");
  shift s = {.scene = scene, .by = displacement, .part_count = 1};
  if (scene->shape_count >= MO_MIN_MOVES_FOR_TASKS) {
    s.part_count = scene->moved_part_count;
  }
  mo_result result = mo_check_finite(displacement, &refusal, "");
  if (result == MO_OK) {
    result = check_all_ranges(&s, &refusal);
  }
  if (result != MO_OK) {
    return result;
  }
  mo_tree_shift_cells(scene, displacement);
  if (scene->shape_count > 0) {
    mo_tasks_run(&scene->host, s.part_count, shift_shapes_of_part, &s);
    refit_and_reinsert(&s);
  }
  for (mo_listener *c = scene->listeners; c != NULL; c = c->next) {
    if (c->shift != NULL) {
      c->shift(c, displacement);
    }
  }
  return MO_OK;
}
