/* Random scenes with placements of compounds, nested to a depth of three, under all kinds of
 * transforms, and the flat scenes that they stand for: each child that is no compound is a shape of
 * its own with the composed transform. */
#ifndef TEST_QUERY_PLACED_SCENES_H
#define TEST_QUERY_PLACED_SCENES_H

#include <criterion/criterion.h>
#include <motte/motte.h>
#include <string.h>

#include "query/random_children.h"
#include "scene/compound.h"
#include "support/scenes.h"

enum { COMPOUNDS = 6, MAX_FLAT = 16384 };

/* A filter of each level on the way to a flat shape. */
typedef struct level {
  uint64_t category, mask;
} level;

/* Where a flat shape comes from. */
typedef struct flat_origin {
  mo_shape_id shape;
  uint32_t child, depth;
  level levels[MO_MAX_COMPOUND_DEPTH + 1];
} flat_origin;

static test_scene base; /* for its meshes and hulls, and for random numbers */
static mo_compound *compounds[COMPOUNDS];
static mo_scene *placed, *flat;
static flat_origin origins[MAX_FLAT];
static uint32_t flat_count;
static uint64_t next_user_data;

/* --- making both scenes --- */

static mo_shape_def any_shape(rng *r, uint32_t nested) {
  const bool is_nested = nested > 0 && rng_chance(r, 0.35);
  mo_geometry geometry = test_scene_geometry(&base, r);
  mo_shape_def def = mo_default_shape_def(is_nested ? MO_SHAPE_COMPOUND : geometry.type);
  def.geometry = geometry;
  if (is_nested) {
    def.geometry = (mo_geometry){.type = MO_SHAPE_COMPOUND};
    def.geometry.compound = compounds[rng_below(r, nested)];
  }
  def.transform = test_scene_transform(&base, r);
  if (is_nested && rng_chance(r, 0.3)) {
    def.transform = mo_transform_identity();
  }
  set_random_filter(&def, r);
  def.user_data = ++next_user_data;
  return def;
}

static bool is_legal(const mo_transform *map) {
  return mo_is_in_range(map->x_axis) && mo_is_in_range(map->y_axis) &&
         mo_is_in_range(map->z_axis) && mo_is_in_range(map->origin);
}

static void add_flat(const mo_shape_def *def, const flat_origin *origin) {
  mo_shape_id id;
  const mo_result result = mo_scene_add_shape(flat, def, &id);
  cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
  if (result == MO_OK) {
    cr_assert_lt(flat_count, MAX_FLAT);
    cr_assert_eq(id.index, flat_count);
    origins[flat_count++] = *origin;
  }
}

/* Checks what the library says of a child by its number. */
static void check_child(const flat_origin *at, const mo_shape_id *path, const mo_shape_def *def) {
  mo_shape_id found[MO_MAX_COMPOUND_DEPTH];
  uint32_t depth = 0;
  mo_shape_def own, placement;
  cr_assert_eq(mo_scene_get_shape(placed, at->shape, &placement), MO_OK);
  cr_assert_eq(mo_compound_find_path(placement.geometry.compound, at->child, found, &depth), MO_OK);
  cr_assert_eq(depth, at->depth);
  cr_assert_arr_eq(found, path, depth * sizeof *path);
  cr_assert_eq(mo_scene_get_child(placed, at->shape, at->child, &own), MO_OK);
  cr_assert_eq(own.user_data, def->user_data);
  cr_assert_eq(memcmp(&own.transform, &def->transform, sizeof own.transform), 0);
}

static void flatten(const mo_compound *compound, const mo_transform *map, flat_origin *at,
                    mo_shape_id *path) {
  const mo_scene *children = mo_compound_children(compound);
  const uint32_t depth = at->depth++;
  for (uint32_t slot = 0; slot < children->slot_count; slot++) {
    mo_shape_def def;
    path[depth] = (mo_shape_id){slot, children->generations[slot]};
    if (mo_scene_get_shape(children, path[depth], &def) != MO_OK) {
      at->child++;
      continue;
    }
    at->levels[at->depth] = (level){def.category, def.mask};
    const mo_transform composed = mo_transform_compose(map, &def.transform);
    def.transform = composed;
    if (def.geometry.type == MO_SHAPE_COMPOUND) {
      if (is_legal(&composed)) {
        flatten(def.geometry.compound, &composed, at, path);
      } else {
        at->child += def.geometry.compound->child_number_count;
      }
      continue;
    }
    if (is_legal(&composed)) {
      check_child(at, path, &def);
      add_flat(&def, at);
    }
    at->child++;
  }
  at->depth--;
}

static void make_flat_scene(void) {
  mo_shape_id ids[64];
  uint32_t count;
  mo_scene_destroy(flat);
  flat = test_scene_empty();
  flat_count = 0;
  cr_assert_eq(mo_scene_get_shapes(placed, ids, 64, &count), MO_OK);
  for (uint32_t i = 0; i < count; i++) {
    mo_shape_def def;
    cr_assert_eq(mo_scene_get_shape(placed, ids[i], &def), MO_OK);
    flat_origin at = {.shape = ids[i]};
    at.levels[0] = (level){def.category, def.mask};
    if (def.geometry.type == MO_SHAPE_COMPOUND) {
      mo_shape_id path[MO_MAX_COMPOUND_DEPTH];
      const mo_transform map = def.transform;
      flatten(def.geometry.compound, &map, &at, path);
    } else {
      add_flat(&def, &at);
    }
  }
  cr_assert_eq(mo_scene_validate(placed), MO_OK);
}

static void make_world(test_scene_kind kind, rng *r) {
  test_scene_make(&base, kind, 20, r);
  for (uint32_t i = 0; i < COMPOUNDS; i++) {
    mo_scene_def def = mo_default_scene_def();
    cr_assert_eq(mo_compound_create(&def, &compounds[i]), MO_OK);
    const uint32_t nested = i < 3 ? 0 : i < 5 ? 3 : 5;
    add_children(mo_compound_children(compounds[i]), i < 3 ? 1 + rng_below(r, 24) : 5, nested, r,
                 any_shape);
    cr_assert_eq(mo_compound_update(compounds[i]), MO_OK);
    cr_assert_leq(mo_compound_depth(compounds[i]), i < 3 ? 1 : i < 5 ? 2 : 3);
  }
  placed = test_scene_empty();
  add_children(placed, 14, COMPOUNDS, r, any_shape);
  add_children(placed, 6, 0, r, any_shape);
  make_flat_scene();
}

static void free_world(void) {
  mo_scene_destroy(placed);
  mo_scene_destroy(flat);
  placed = flat = NULL;
  for (uint32_t i = 0; i < COMPOUNDS; i++) {
    mo_compound_release(compounds[i]);
  }
  cr_assert(test_scene_free(&base));
}

/* --- filters --- */

/* A filter of the scene with compounds, and what it means in the flat one. */
typedef struct both_filters {
  mo_filter of_placed, of_flat;
  level second; /* must be passed too */
} both_filters;

static bool passes(const level *l, uint64_t category, uint64_t mask) {
  return (l->category & mask) != 0 && (category & l->mask) != 0;
}

static bool accept_flat(mo_shape_id shape, uint64_t user_data, void *context) {
  const both_filters *f = context;
  const flat_origin *at = &origins[shape.index];
  (void)user_data;
  bool all = at->shape.index != f->of_placed.ignore.index ||
             at->shape.generation != f->of_placed.ignore.generation;
  for (uint32_t i = 0; i <= at->depth; i++) {
    all = all && passes(&at->levels[i], f->of_placed.category, f->of_placed.mask) &&
          passes(&at->levels[i], f->second.category, f->second.mask);
  }
  return all;
}

static void set_filters(both_filters *f, rng *r) {
  f->of_placed = f->of_flat = mo_default_filter();
  if (rng_chance(r, 0.4)) {
    f->of_placed.category = 1 + rng_below(r, 7);
    f->of_placed.mask = 1 + rng_below(r, 7);
  }
  if (rng_chance(r, 0.3)) {
    f->of_placed.ignore = origins[rng_below(r, flat_count)].shape;
  }
  f->second = (level){UINT64_MAX, UINT64_MAX};
  f->of_flat.accept = accept_flat;
  f->of_flat.context = f;
}

#endif
