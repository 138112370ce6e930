/* Public functions that move shapes, one by one and in bulk, and mo_scene_update.
 *
 * In bulk, all moves are checked before anything changes. Then the records of the shapes are
 * written, and their blocks are marked, without reading the tree. A descent from the root tightens
 * the bounds above them, each once, and finds the shapes that have left their cells
 * (scene/octree/moved.h), which are reinserted together (scene/bulk/bulk.h). */
#include <string.h>

#include "base/tasks.h"
#include "scene/bulk/bulk.h"
#include "scene/changes/change_log.h"
#include "scene/moves/moves.h"
#include "scene/shapes/unbounded.h"

/* The names of a public function and its array arguments, for log messages. */
typedef struct array_names {
  const char *function, *ids, *transforms, *origins, *velocities;
  bool single; /* `ids` and `transforms` name single values, not arrays */
} array_names;

static mo_refusal refusal_at(const mo_moves *m, const array_names *names, const char *array,
                             uint32_t i) {
  mo_refusal refusal = mo_refusal_of(&m->scene->host, names->function, array);
  refusal.index = names->single ? MO_NO_INDEX : i;
  return refusal;
}

/* Logs why move `i` is not legal; returns the error. */
static MO_COLD mo_result refuse_move(const mo_moves *m, const array_names *names, uint32_t i) {
  const mo_update_def *def = m->def;
  mo_shape_id id = def->ids[i];
  if (!mo_shape_is_known(m->scene, id)) {
    mo_refusal refusal = refusal_at(m, names, names->ids, i);
    return mo_refuse_id(&refusal, id.index, id.generation);
  }
  if (def->velocities != NULL) {
    mo_refusal refusal = refusal_at(m, names, names->velocities, i);
    mo_result result = mo_check_finite(def->velocities[i], &refusal, "");
    if (result != MO_OK) {
      return result;
    }
    if (!mo_velocity_is_legal(m, i)) {
      return mo_refuse(&refusal, MO_ERROR_OUT_OF_RANGE, " goes beyond %g within the lookahead",
                       (double)MO_MAX_SAFE_TRANSFORM);
    }
  }
  mo_transform transform = mo_move_transform(m, i);
  mo_refusal refusal =
      refusal_at(m, names, def->transforms != NULL ? names->transforms : names->origins, i);
  mo_result result = def->transforms != NULL ? mo_check_transform(&transform, &refusal)
                                             : mo_check_point(transform.origin, &refusal, "");
  if (result != MO_OK) {
    return result;
  }
  mo_affine affine;
  mo_aabb bounds;
  (void)mo_affine_init(&affine, &transform);
  result = mo_geometry_bounds(&m->scene->shapes[id.index].geometry, &affine, &bounds);
  return mo_refuse_bounds(result, &refusal, "");
}

static void check_moves_of_part(uint32_t part, void *context) {
  mo_moves *m = context;
  mo_moves_check_by_isa[m->scene->isa](m, part);
}

/* The first move that is not legal, or MO_NONE. */
static uint32_t find_illegal_move(mo_moves *m) {
  mo_tasks_run(&m->scene->host, m->part_count, check_moves_of_part, m);
  for (uint32_t part = 0; part < m->part_count; part++) {
    if (m->first_illegal[part] != MO_NONE) {
      return m->first_illegal[part];
    }
  }
  return MO_NONE;
}

static void store_moves_of_part(uint32_t part, void *context) {
  const mo_moves *m = context;
  mo_moves_store_by_isa[m->scene->isa](m, part);
  if (m->records_changes) {
    mo_scene_record_moves_part(m->scene, m->def->ids,
                               mo_part_begin(m->def->count, part, m->part_count),
                               mo_part_begin(m->def->count, part + 1, m->part_count));
  }
}

/* Stores all moves, and adds the moved shapes to the change log. */
static void store_all_moves(mo_moves *m) {
  mo_scene *scene = m->scene;
  bool ascending = true, tight = true;
  for (uint32_t part = 0; part < m->part_count; part++) {
    ascending &= m->ascending[part];
    tight &= m->bounds_are_tight[part];
  }
  m->mode = m->part_count > 1 && !ascending ? MO_STORE_BY_SLOT
            : tight                         ? MO_STORE_TIGHT
            : ascending                     ? MO_STORE_ENLARGED_ONCE
                                            : MO_STORE_ENLARGED_REPEATED;
  m->records_changes = m->part_count > 1 && ascending && tight;
  mo_tasks_run(&scene->host, m->part_count, store_moves_of_part, m);
  mo_moved_marks_merge(scene, m->part_count);
  if (m->records_changes) {
    mo_scene_record_moves_end(scene, m->def->ids, m->def->count);
    return;
  }
  if (m->mode == MO_STORE_TIGHT) {
    mo_scene_record_moves(scene, m->def->ids, m->def->count);
    return;
  }
  for (uint32_t i = 0; i < m->def->count; i++) {
    uint32_t slot = m->def->ids[i].index, traits = scene->traits[slot];
    scene->traits[slot] = (uint16_t)(traits & ~(uint32_t)MO_TRAIT_MOVED);
    mo_scene_record_change(scene, slot, mo_change_of_move(traits & MO_TRAIT_MOVED));
  }
}

/* Moves many shapes together; all moves are legal. */
static void move_many_shapes(mo_moves *m) {
  mo_scene *scene = m->scene;
  uint32_t count = m->def->count;
  store_all_moves(m);
  uint32_t misplaced = mo_tree_refit_moved_shapes(scene, count, m->part_count > 1);
  if (misplaced > 0) {
    mo_bulk_relocate(scene, misplaced);
  }
  (void)mo_tree_tighten(scene);
  scene->counters.stayed_move_count += count - misplaced;
  uint32_t some = scene->shape_count / MO_MANY_LEAVE_CELLS_DIVISOR;
  scene->many_leave_cells = misplaced > some && misplaced < scene->shape_count - some;
}

static void move_shapes_singly(const mo_moves *m) {
  for (uint32_t i = 0; i < m->def->count; i++) {
    uint32_t slot = m->def->ids[i].index;
    mo_aabb box;
    bool moved = mo_move_store(m, i, &box);
    if (moved && !mo_slot_is_unbounded(m->scene, slot)) {
      mo_tree_move(m->scene, slot, &box);
    }
    mo_scene_record_change(m->scene, slot, mo_change_of_move(moved));
  }
}

/* Checks the members of a def with moves, and allocates displacements if they are needed. */
static mo_result check_def(mo_scene *scene, const array_names *names, const mo_update_def *def) {
  const mo_refusal refusal = mo_refusal_of(&scene->host, names->function, "def");
  if (def->ids == NULL || (def->transforms == NULL && def->origins == NULL)) {
    return mo_refuse_null(&scene->host, names->function,
                          def->ids == NULL ? names->ids : names->transforms);
  }
  if (def->transforms != NULL && def->origins != NULL) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has .transforms and .origins");
  }
  if (!(def->lookahead >= 0)) {
    return mo_refuse_number(&refusal, MO_ERROR_INVALID_ARGUMENT, ".lookahead", def->lookahead,
                            isnan(def->lookahead) ? NULL : "which is negative");
  }
  return def->velocities != NULL && def->lookahead > 0 ? mo_displacements_reserve(scene) : MO_OK;
}

/* Makes all moves of a def, or none if one is illegal. */
static mo_result make_all_moves(mo_scene *scene, const array_names *names,
                                const mo_update_def *def) {
  if (def->count == 0) {
    return MO_OK;
  }
  mo_result result = check_def(scene, names, def);
  if (result != MO_OK) {
    mo_set_first_bad(def->first_bad, MO_NO_INDEX);
    return result;
  }
  mo_moves m = {.scene = scene, .def = def, .part_count = 1};
  if (def->count >= MO_MIN_MOVES_FOR_TASKS) {
    m.part_count = scene->moved_part_count;
  }
  uint32_t bad = find_illegal_move(&m);
  if (bad != MO_NONE) {
    mo_set_first_bad(def->first_bad, bad);
    return refuse_move(&m, names, bad);
  }
  scene->had_velocities |= def->velocities != NULL;
  if (def->count > MO_MAX_SINGLE_MOVES) {
    move_many_shapes(&m);
  } else {
    move_shapes_singly(&m);
  }
  scene->change_count += def->count;
  return MO_OK;
}

mo_result mo_scene_set_transforms(mo_scene *scene, const mo_shape_id *ids,
                                  const mo_transform *transforms, uint32_t count,
                                  size_t *first_bad) {
  static const array_names arrays = {
      .function = "mo_scene_set_transforms", .ids = "ids", .transforms = "transforms"};
  if (scene == NULL) {
    mo_set_first_bad(first_bad, MO_NO_INDEX);
    return MO_ERROR_NULL_ARGUMENT;
  }
  return make_all_moves(
      scene, &arrays,
      &(mo_update_def){
          .ids = ids, .transforms = transforms, .count = count, .first_bad = first_bad});
}

mo_result mo_scene_set_transform(mo_scene *scene, mo_shape_id id, const mo_transform *transform) {
  static const array_names arguments = {
      .function = "mo_scene_set_transform", .ids = "id", .transforms = "transform", .single = true};
  if (scene == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  return make_all_moves(scene, &arguments,
                        &(mo_update_def){.ids = &id, .transforms = transform, .count = 1});
}

mo_update_def mo_default_update_def(void) {
  return (mo_update_def){.upkeep = UINT64_MAX, .cookie = MO_COOKIE};
}

mo_result mo_scene_update(mo_scene *scene, const mo_update_def *def) {
  static const array_names members = {.function = "mo_scene_update",
                                      .ids = "def.ids",
                                      .transforms = "def.transforms",
                                      .origins = "def.origins",
                                      .velocities = "def.velocities"};
  mo_update_def standard = mo_default_update_def();
  def = def != NULL ? def : &standard;
  if (def->cookie != MO_COOKIE) { /* the def was not initialised, so `first_bad` may be garbage */
    mo_refusal refusal = mo_refusal_of(mo_scene_host(scene), members.function, "def");
    return mo_refuse_def(&refusal, "", "mo_default_update_def");
  }
  if (scene == NULL) {
    mo_set_first_bad(def->first_bad, MO_NO_INDEX);
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_result result = make_all_moves(scene, &members, def);
  if (result != MO_OK) {
    return result;
  }
  result = mo_tree_update(scene, def->upkeep);
  if (result != MO_OK) {
    mo_set_first_bad(def->first_bad, MO_NO_INDEX);
  }
  return result;
}
