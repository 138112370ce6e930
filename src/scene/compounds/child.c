/* Children of compounds, found by their numbers, as shapes of the scene. */
#include "scene/compound.h"

#include "mesh/closed.h"
#include "scene/shapes/shape.h"

/* The slot of a compound to which a number belongs, or MO_NONE. `*number` becomes the number in the
 * compound of that slot, or 0 if that is no compound. */
static uint32_t slot_of_number(const mo_compound *compound, uint32_t *number) {
  uint32_t slot = *number;
  if (compound->is_nested) {
    uint32_t low = 0, high = compound->slot_count;
    while (high - low > 1) {
      uint32_t middle = low + (high - low) / 2;
      if (compound->first_numbers[middle] <= *number) {
        low = middle;
      } else {
        high = middle;
      }
    }
    slot = low;
  }
  const mo_scene *children = compound->children;
  if (slot >= children->slot_count || !mo_slot_is_alive(children, slot)) {
    return MO_NONE;
  }
  const uint32_t first = mo_compound_first_child_number(compound, slot);
  *number -= first;
  return first != MO_NONE ? slot : MO_NONE;
}

/* The path to a child through nested compounds. */
typedef struct child_path {
  uint32_t slots[MO_MAX_COMPOUND_DEPTH]; /* from the outside */
  uint32_t count;
  const mo_scene *children; /* the scene of the last slot */
} child_path;

/* Returns false if there is no such child. */
static bool find_path(child_path *path, const mo_compound *compound, uint32_t number) {
  path->count = 0;
  bool exists = number < compound->child_number_count;
  while (exists && compound != NULL) {
    exists = path->count < MO_MAX_COMPOUND_DEPTH;
    const uint32_t slot = exists ? slot_of_number(compound, &number) : MO_NONE;
    exists = slot != MO_NONE;
    if (exists) {
      path->slots[path->count++] = slot;
      path->children = compound->children;
      compound = mo_slot_nested_compound(compound->children, slot);
    }
  }
  return exists;
}

static mo_result refuse_number(const mo_host *host, const char *function, uint32_t number) {
  const mo_refusal refusal = mo_refusal_of(host, function, "child");
  return mo_refuse_number(&refusal, MO_ERROR_INVALID_INDEX, "", number,
                          "which no child of the compound has");
}

mo_result mo_compound_find_path(const mo_compound *compound, uint32_t child, mo_shape_id *ids,
                                uint32_t *depth) {
  const mo_host *host = compound != NULL ? &compound->children->host : NULL;
  if (compound == NULL || ids == NULL || depth == NULL) {
    return mo_refuse_null(host, __func__,
                          compound == NULL ? "compound"
                          : ids == NULL    ? "ids"
                                           : "depth");
  }
  child_path path;
  if (!find_path(&path, compound, child)) {
    return refuse_number(host, __func__, child);
  }
  for (uint32_t i = 0; i < path.count; i++) {
    ids[i] = mo_shape_id_of(compound->children, path.slots[i]);
    compound = compound->children->shapes[path.slots[i]].geometry.compound;
  }
  *depth = path.count;
  return MO_OK;
}

/* find_path, and the transform of the compound that contains the child. */
static bool find_path_and_map(child_path *path, const mo_compound *compound,
                              const mo_transform *outer, uint32_t number, mo_transform *map) {
  if (!find_path(path, compound, number)) {
    return false;
  }
  *map = *outer;
  const mo_scene *children = compound->children;
  for (uint32_t i = 0; i + 1 < path->count; i++) {
    const mo_shape *nested = &children->shapes[path->slots[i]];
    *map = mo_transform_compose(map, &nested->affine.to_world);
    children = nested->geometry.compound->children;
  }
  return true;
}

static const mo_shape *shape_at_end(const child_path *path) {
  return &path->children->shapes[path->slots[path->count - 1]];
}

const mo_shape *mo_child_record(const mo_scene *scene, uint32_t slot, uint32_t number) {
  const mo_shape *shape = &scene->shapes[slot];
  if (shape->geometry.type != MO_SHAPE_COMPOUND) {
    return number == 0 ? shape : NULL;
  }
  child_path path;
  return find_path(&path, shape->geometry.compound, number) ? shape_at_end(&path) : NULL;
}

uint64_t mo_child_path_hash(const mo_scene *scene, uint32_t slot, uint32_t number) {
  if (!mo_slot_is_compound(scene, slot)) {
    return 0;
  }
  const mo_compound *compound = scene->shapes[slot].geometry.compound;
  child_path path;
  uint64_t hash = 0;
  if (find_path(&path, compound, number)) {
    for (uint32_t i = 0; i < path.count; i++) {
      const mo_shape_id id = mo_shape_id_of(compound->children, path.slots[i]);
      hash = mo_mix_bits(hash + ((uint64_t)id.generation << 32 | id.index));
      compound = compound->children->shapes[id.index].geometry.compound;
    }
  }
  return hash;
}

bool mo_child_path_passes(const mo_scene *scene, uint32_t slot, uint32_t number,
                          const mo_shape *other) {
  const mo_compound *compound = scene->shapes[slot].geometry.compound;
  child_path path;
  bool all_pass = find_path(&path, compound, number);
  for (uint32_t i = 0; i < path.count && all_pass; i++) {
    const mo_shape *shape = &compound->children->shapes[path.slots[i]];
    all_pass = mo_shapes_pass_each_other(shape, other);
    compound = shape->geometry.compound;
  }
  return all_pass;
}

const mo_geometry *mo_child_geometry(const mo_scene *scene, uint32_t slot, uint32_t number) {
  const mo_shape *shape = mo_child_record(scene, slot, number);
  return shape != NULL ? &shape->geometry : NULL;
}

void mo_child_read_user_data(const mo_scene *scene, uint32_t slot, uint32_t number,
                             uint64_t *user_data) {
  const mo_shape *shape = mo_child_record(scene, slot, number);
  if (shape != NULL) {
    *user_data = shape->user_data;
  }
}

bool mo_child_make_record(mo_placed_child *placed, const mo_transform *outer, const mo_shape *child,
                          mo_shape_id placement, uint32_t number) {
  const mo_transform map = mo_transform_compose(outer, &child->affine.to_world);
  mo_shape *shape = &placed->shape;
  if (!mo_transform_is_in_range(&map) || mo_affine_init(&shape->affine, &map) != MO_OK) {
    return false;
  }
  shape->category = child->category;
  shape->mask = child->mask;
  shape->user_data = child->user_data;
  shape->generation = placement.generation;
  shape->margin = 0.0f;
  shape->geometry = child->geometry;
  placed->slot = placement.index;
  placed->number = number;
  return mo_geometry_bounds(&shape->geometry, &shape->affine, &placed->box) == MO_OK;
}

bool mo_child_find(const mo_scene *scene, uint32_t slot, uint32_t number, mo_placed_child *placed) {
  const mo_shape *placement = &scene->shapes[slot];
  child_path path;
  mo_transform map;
  return find_path_and_map(&path, placement->geometry.compound, &placement->affine.to_world, number,
                           &map) &&
         mo_child_make_record(placed, &map, shape_at_end(&path), mo_shape_id_of(scene, slot),
                              number);
}

const mo_shape *mo_compound_find_child(const mo_compound *compound, const mo_transform *outer,
                                       uint32_t number, mo_transform *map) {
  child_path path;
  if (!find_path_and_map(&path, compound, outer, number, map)) {
    return NULL;
  }
  *map = mo_transform_compose(map, &shape_at_end(&path)->affine.to_world);
  return shape_at_end(&path);
}

mo_result mo_scene_get_child(const mo_scene *scene, mo_shape_id id, uint32_t child,
                             mo_shape_def *def) {
  if (scene == NULL || def == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "def");
  }
  mo_result result = mo_check_shape_id(scene, __func__, id);
  if (result != MO_OK) {
    return result;
  }
  const mo_shape *placement = &scene->shapes[id.index];
  if (placement->geometry.type != MO_SHAPE_COMPOUND) {
    const mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "id");
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " is no compound");
  }
  child_path path;
  mo_transform map;
  if (!find_path_and_map(&path, placement->geometry.compound, &placement->affine.to_world, child,
                         &map)) {
    return refuse_number(&scene->host, __func__, child);
  }
  const mo_shape_id own = mo_shape_id_of(path.children, path.slots[path.count - 1]);
  result = mo_scene_get_shape(path.children, own, def);
  def->transform = mo_transform_compose(&map, &def->transform);
  return result;
}
