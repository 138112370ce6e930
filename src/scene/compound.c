/* Compounds: creation, reference counts, the numbers of children, and children as shapes of the
 * scene. */
#include "scene/compound.h"

#include "mesh/closed.h"
#include "scene/bodies.h"
#include "scene/shape.h"

/* --- creation --- */

mo_result mo_compound_create(const mo_scene_def *def, mo_compound **compound) {
  mo_scene *children = NULL;
  if (def != NULL && def->cookie == MO_COOKIE && compound == NULL) {
    return mo_refuse_null(&def->host, __func__, "compound");
  }
  mo_result result = mo_scene_create(def, &children);
  if (result != MO_OK) {
    return result;
  }
  mo_compound *made = mo_allocate(&def->host.allocator, 1, sizeof *made);
  if (made == NULL) {
    mo_scene_destroy(children);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  *made = (mo_compound){.children = children, .depth = 1, .bounds = mo_aabb_empty()};
  atomic_init(&made->references, 1);
  children->owner = made;
  *compound = made;
  return MO_OK;
}

void mo_compound_retain(mo_compound *compound) {
  if (compound != NULL) {
    atomic_fetch_add_explicit(&compound->references, 1, memory_order_relaxed);
  }
}

/* Gives back a reference; adds the compound to a list if it was the last one. */
static void release_to_list(mo_compound *compound, mo_compound **list) {
  if (atomic_fetch_sub_explicit(&compound->references, 1, memory_order_acq_rel) == 1) {
    compound->next_released = *list;
    *list = compound;
  }
}

/* Frees a compound; nested ones that lose their last reference are added to the list. */
static void free_compound(mo_compound *compound, mo_compound **list) {
  mo_scene *children = compound->children;
  const mo_allocator allocator = children->host.allocator;
  for (uint32_t slot = 0; children->compound_count > 0 && slot < children->slot_count; slot++) {
    mo_geometry *geometry = &children->shapes[slot].geometry;
    if (mo_slot_is_alive(children, slot) && geometry->type == MO_SHAPE_COMPOUND) {
      release_to_list(geometry->compound, list);
      geometry->compound = NULL; /* mo_scene_destroy has nothing to release */
    }
  }
  children->owner = NULL;
  mo_scene_destroy(children);
  mo_deallocate(&allocator, compound->first_numbers, compound->number_capacity,
                sizeof *compound->first_numbers);
  mo_deallocate(&allocator, compound, 1, sizeof *compound);
}

/* Frees nested compounds from a list, not by recursion: without updates compounds may be nested to
 * any depth. */
void mo_compound_release(mo_compound *compound) {
  mo_compound *list = NULL;
  if (compound != NULL) {
    release_to_list(compound, &list);
  }
  while (list != NULL) {
    mo_compound *next = list;
    list = next->next_released;
    free_compound(next, &list);
  }
}

mo_scene *mo_compound_children(const mo_compound *compound) {
  return compound != NULL ? compound->children : NULL;
}

mo_aabb mo_compound_bounds(const mo_compound *compound) {
  return compound != NULL ? compound->bounds : mo_aabb_empty();
}

uint32_t mo_compound_depth(const mo_compound *compound) {
  return compound != NULL ? compound->depth : 0;
}

/* --- what may be a child --- */

static const mo_compound *nested_compound(const mo_scene *scene, uint32_t slot) {
  const mo_geometry *geometry = &scene->shapes[slot].geometry;
  return mo_slot_is_alive(scene, slot) && geometry->type == MO_SHAPE_COMPOUND ? geometry->compound
                                                                              : NULL;
}

enum { MAX_SEARCHED = 64 };

/* The search of a compound, and all that it contains, for the one to which it would be added. */
typedef struct owner_search {
  const mo_compound *owner;
  /* By depth of nesting: compounds that were searched, up to MAX_SEARCHED of them. Without this,
   * the time is exponential in the depth. */
  const mo_compound *searched[MO_MAX_COMPOUND_DEPTH][MAX_SEARCHED];
  uint32_t searched_count[MO_MAX_COMPOUND_DEPTH];
} owner_search;

static bool was_searched(const owner_search *s, const mo_compound *compound, uint32_t depth) {
  bool found = false;
  for (uint32_t i = s->searched_count[depth - 1]; !found && i-- > 0;) {
    found = s->searched[depth - 1][i] == compound;
  }
  return found;
}

/* Searches a compound that would be nested at this depth. Returns MO_ERROR_INVALID_ARGUMENT if it
 * is, or contains, the owner, and MO_ERROR_TOO_MANY if it contains compounds beyond
 * MO_MAX_COMPOUND_DEPTH; else MO_OK. There are no cycles. */
static mo_result search_owner(owner_search *s, const mo_compound *compound, uint32_t depth) {
  if (compound == s->owner) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  if (depth > MO_MAX_COMPOUND_DEPTH) {
    return MO_ERROR_TOO_MANY;
  }
  const mo_scene *children = compound->children;
  if (children->compound_count == 0 || was_searched(s, compound, depth)) {
    return MO_OK;
  }
  mo_result result = MO_OK;
  for (uint32_t slot = 0; result == MO_OK && slot < children->slot_count; slot++) {
    const mo_compound *nested = nested_compound(children, slot);
    result = nested != NULL ? search_owner(s, nested, depth + 1) : MO_OK;
  }
  if (s->searched_count[depth - 1] < MAX_SEARCHED) {
    s->searched[depth - 1][s->searched_count[depth - 1]++] = compound;
  }
  return result;
}

mo_result mo_scene_check_child(const mo_scene *scene, const mo_geometry *geometry,
                               const mo_refusal *refusal) {
  if (scene->owner == NULL) {
    return MO_OK;
  }
  if (geometry->type == MO_SHAPE_HALF_SPACE) {
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT,
                     ".type is MO_SHAPE_HALF_SPACE, which cannot be a child of a compound");
  }
  if (geometry->type != MO_SHAPE_COMPOUND) {
    return MO_OK;
  }
  owner_search search;
  search.owner = scene->owner;
  memset(search.searched_count, 0, sizeof search.searched_count);
  const mo_result result = search_owner(&search, geometry->compound, 2);
  return result == MO_OK ? MO_OK
                         : mo_refuse(refusal, result,
                                     result == MO_ERROR_TOO_MANY
                                         ? ".compound would be nested deeper than "
                                           "MO_MAX_COMPOUND_DEPTH"
                                         : ".compound contains the compound to which it would be "
                                           "added");
}

/* --- update --- */

/* Bounds of sums of magnitudes are cut off here, far beyond the range of coordinates, so that their
 * products stay finite. */
#define MAX_REACH 1e150

static double magnitude(mo_vec3 x_axis, mo_vec3 y_axis, mo_vec3 z_axis, mo_vec3 origin, int axis,
                        const mo_dvec3 *reach) {
  double sum = fabs((double)mo_get(origin, axis)) + fabs((double)mo_get(x_axis, axis)) * reach->x +
               fabs((double)mo_get(y_axis, axis)) * reach->y +
               fabs((double)mo_get(z_axis, axis)) * reach->z;
  return mo_dmin(sum, MAX_REACH);
}

static mo_dvec3 term_magnitudes_of(const mo_transform *map, const mo_dvec3 *reach) {
  const mo_vec3 x = map->x_axis, y = map->y_axis, z = map->z_axis, o = map->origin;
  return mo_dvec(magnitude(x, y, z, o, 0, reach), magnitude(x, y, z, o, 1, reach),
                 magnitude(x, y, z, o, 2, reach));
}

mo_dvec3 mo_compound_term_magnitudes(const mo_compound *compound, const mo_transform *map) {
  return term_magnitudes_of(map, &compound->reach);
}

/* Totals over the children of a compound, computed by mo_compound_update. */
typedef struct child_survey {
  uint64_t number_count;
  uint32_t depth;
  bool is_nested, has_volumes;
  mo_dvec3 reach;
} child_survey;

static void survey_child(child_survey *s, const mo_shape *shape) {
  mo_dvec3 local;
  if (shape->geometry.type == MO_SHAPE_COMPOUND) {
    const mo_compound *nested = shape->geometry.compound;
    s->is_nested = true;
    s->has_volumes = s->has_volumes || nested->has_volumes;
    s->depth = nested->depth + 1 > s->depth ? nested->depth + 1 : s->depth;
    local = nested->reach;
  } else {
    const double max = (double)mo_geometry_max_coordinate(&shape->geometry);
    local = mo_dvec(max, max, max);
    s->has_volumes = s->has_volumes || shape->geometry.type == MO_SHAPE_VOLUME;
  }
  const mo_dvec3 terms = term_magnitudes_of(&shape->affine.to_world, &local);
  s->reach = mo_dvec(mo_dmax(s->reach.x, terms.x), mo_dmax(s->reach.y, terms.y),
                     mo_dmax(s->reach.z, terms.z));
}

static uint32_t numbers_of_slot(const mo_scene *children, uint32_t slot) {
  return mo_slot_is_alive(children, slot) ? mo_shape_number_count(&children->shapes[slot]) : 1;
}

static child_survey survey_children(const mo_scene *children) {
  child_survey s = {.depth = 1};
  for (uint32_t slot = 0; slot < children->slot_count; slot++) {
    if (mo_slot_is_alive(children, slot)) {
      survey_child(&s, &children->shapes[slot]);
    }
    s.number_count += numbers_of_slot(children, slot);
  }
  return s;
}

static mo_result reserve_numbers(mo_compound *compound, uint32_t count) {
  if (count <= compound->number_capacity) {
    return MO_OK;
  }
  const mo_allocator *allocator = &compound->children->host.allocator;
  uint32_t *numbers = mo_allocate(allocator, count, sizeof *numbers);
  if (numbers == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  mo_deallocate(allocator, compound->first_numbers, compound->number_capacity, sizeof *numbers);
  compound->first_numbers = numbers;
  compound->number_capacity = count;
  return MO_OK;
}

static void number_slots(mo_compound *compound) {
  uint32_t number = 0;
  for (uint32_t slot = 0; slot < compound->slot_count; slot++) {
    compound->first_numbers[slot] = number;
    number += numbers_of_slot(compound->children, slot);
  }
}

mo_result mo_compound_update(mo_compound *compound) {
  if (compound == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  const mo_scene *children = compound->children;
  const mo_refusal refusal = mo_refusal_of(&children->host, __func__, "compound");
  const child_survey s = survey_children(children);
  if (s.depth > MO_MAX_COMPOUND_DEPTH || s.number_count >= MO_NONE) {
    return mo_refuse(&refusal, MO_ERROR_TOO_MANY,
                     s.depth > MO_MAX_COMPOUND_DEPTH
                         ? " is nested deeper than MO_MAX_COMPOUND_DEPTH"
                         : " has 2^32 - 1 children or more");
  }
  mo_result result = s.is_nested ? reserve_numbers(compound, children->slot_count) : MO_OK;
  if (result != MO_OK) {
    return result;
  }
  compound->is_nested = s.is_nested;
  compound->has_volumes = s.has_volumes;
  compound->slot_count = children->slot_count;
  compound->number_count = (uint32_t)s.number_count;
  compound->depth = s.depth;
  compound->reach = s.reach;
  compound->bounds = mo_scene_bounds(children);
  if (s.is_nested) {
    number_slots(compound);
  }
  return MO_OK;
}

void mo_compound_world_box(const mo_compound *compound, const mo_transform *map, mo_f4 *lower,
                           mo_f4 *upper, mo_f4 *origin) {
  const mo_f4 column[3] = {mo_f4_from(&map->x_axis, 0), mo_f4_from(&map->y_axis, 0),
                           mo_f4_from(&map->z_axis, 0)};
  *origin = *lower = *upper = mo_f4_from(&map->origin, 0);
  if (mo_aabb_is_empty(compound->bounds)) {
    return;
  }
  const mo_dvec3 terms = mo_compound_term_magnitudes(compound, map), by = mo_compound_margin(terms);
  const mo_f4 margin = mo_d4_round_up(mo_d4_of(by.x, by.y, by.z, 0));
  mo_affine_box_image(column, *origin, &compound->bounds, lower, upper);
  *lower = -mo_f4_add_upward(-*lower, margin);
  *upper = mo_f4_add_upward(*upper, margin);
  *origin = mo_d4_round_up(mo_d4_of(terms.x, terms.y, terms.z, 0));
}

/* --- children by number --- */

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
  const uint32_t first = mo_compound_first_number(compound, slot);
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
  bool exists = number < compound->number_count;
  while (exists && compound != NULL) {
    exists = path->count < MO_MAX_COMPOUND_DEPTH;
    const uint32_t slot = exists ? slot_of_number(compound, &number) : MO_NONE;
    exists = slot != MO_NONE;
    if (exists) {
      path->slots[path->count++] = slot;
      path->children = compound->children;
      compound = nested_compound(compound->children, slot);
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

/* The transform of the compound that contains the child at the end of a path. */
static mo_transform map_along_path(const mo_shape *placement, const child_path *path) {
  mo_transform map = placement->affine.to_world;
  const mo_scene *children = placement->geometry.compound->children;
  for (uint32_t i = 0; i + 1 < path->count; i++) {
    const mo_shape *nested = &children->shapes[path->slots[i]];
    map = mo_transform_compose(&map, &nested->affine.to_world);
    children = nested->geometry.compound->children;
  }
  return map;
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

bool mo_child_place(mo_placed_child *placed, const mo_transform *outer, const mo_shape *child,
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
  if (!find_path(&path, placement->geometry.compound, number)) {
    return false;
  }
  const mo_transform map = map_along_path(placement, &path);
  return mo_child_place(placed, &map, shape_at_end(&path), mo_shape_id_of(scene, slot), number);
}

mo_result mo_scene_get_child(const mo_scene *scene, mo_shape_id id, uint32_t child,
                             mo_shape_def *def) {
  if (scene == NULL || def == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "def");
  }
  if (!mo_shape_is_known(scene, id)) {
    return mo_refuse_shape(scene, __func__, id);
  }
  const mo_shape *placement = &scene->shapes[id.index];
  if (placement->geometry.type != MO_SHAPE_COMPOUND) {
    const mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "id");
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " is no compound");
  }
  child_path path;
  if (!find_path(&path, placement->geometry.compound, child)) {
    return refuse_number(&scene->host, __func__, child);
  }
  const mo_transform map = map_along_path(placement, &path);
  const mo_shape_id own = mo_shape_id_of(path.children, path.slots[path.count - 1]);
  mo_result result = mo_scene_get_shape(path.children, own, def);
  def->transform = mo_transform_compose(&map, &def->transform);
  return result;
}
