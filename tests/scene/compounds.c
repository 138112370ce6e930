/* Compounds as objects: references, what is refused, memory, and allocations that fail. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/motte.h>

#include "support/counting_allocator.h"

static counting_allocator counter;

static mo_scene_def scene_def(void) {
  mo_scene_def def = mo_default_scene_def();
  def.host = counting_allocator_host(&counter);
  return def;
}

static mo_compound *make_compound(void) {
  const mo_scene_def def = scene_def();
  mo_compound *compound = NULL;
  cr_assert_eq(mo_compound_create(&def, &compound), MO_OK);
  return compound;
}

static mo_scene *make_scene(void) {
  const mo_scene_def def = scene_def();
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  return scene;
}

static mo_shape_def ball_at(float x) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  def.transform.origin.x = x;
  return def;
}

static mo_shape_def placement_of(mo_compound *compound) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_COMPOUND);
  def.geometry.compound = compound;
  return def;
}

static mo_shape_id add(mo_scene *scene, const mo_shape_def *def) {
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, def, &id), MO_OK);
  return id;
}

static mo_result try_to_add(mo_scene *scene, const mo_shape_def *def) {
  mo_shape_id id = {7, 7};
  const uint32_t count = mo_scene_shape_count(scene);
  const mo_result result = mo_scene_add_shape(scene, def, &id);
  cr_assert(result == MO_OK || (id.index == 7 && mo_scene_shape_count(scene) == count));
  return result;
}

static void begin(void) {
  counting_allocator_init(&counter);
}

static void end(void) {
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(compounds, last_reference_frees, .init = begin, .fini = end) {
  mo_compound *inner = make_compound(), *outer = make_compound();
  mo_scene *scene = make_scene();
  const mo_shape_def ball = ball_at(3), nested = placement_of(inner), placed = placement_of(outer);
  add(mo_compound_children(inner), &ball);
  add(mo_compound_children(outer), &nested);
  const mo_shape_id id = add(scene, &placed);
  mo_compound_release(inner);
  mo_compound_retain(outer);
  mo_compound_release(outer);
  mo_compound_release(outer);
  cr_assert_eq(mo_scene_shape_count(mo_compound_children(outer)), 1);
  const mo_geometry other = ball.geometry;
  cr_assert_eq(mo_scene_set_geometry(scene, id, &other), MO_OK);
  mo_scene_destroy(scene);
}

Test(compounds, null_is_harmless) {
  mo_compound_retain(NULL);
  mo_compound_release(NULL);
  cr_assert_null(mo_compound_children(NULL));
  cr_assert_eq(mo_compound_depth(NULL), 0);
  const mo_aabb bounds = mo_compound_bounds(NULL);
  cr_assert(bounds.lower.x > bounds.upper.x);
  cr_assert_eq(mo_compound_update(NULL), MO_ERROR_NULL_ARGUMENT);
}

Test(compounds, bad_input_is_refused, .init = begin, .fini = end) {
  const mo_scene_def def = scene_def();
  mo_scene_def unset = def;
  mo_compound *compound = make_compound(), *other = NULL;
  mo_scene *children = mo_compound_children(compound), *scene = make_scene();
  unset.cookie = 0;
  cr_assert_eq(mo_compound_create(NULL, &other), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_compound_create(&def, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_compound_create(&unset, &other), MO_ERROR_UNINITIALIZED_DEF);
  mo_scene_destroy(children); /* ignored */
  mo_shape_def half_space = mo_default_shape_def(MO_SHAPE_HALF_SPACE), placed = placement_of(NULL);
  cr_assert_eq(try_to_add(children, &half_space), MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(try_to_add(scene, &placed), MO_ERROR_NULL_ARGUMENT);
  placed = placement_of(compound);
  placed.geometry.rounding = 1;
  cr_assert_eq(try_to_add(scene, &placed), MO_ERROR_INVALID_ARGUMENT);
  placed.geometry.rounding = 0;
  const mo_shape_def ball = ball_at(0);
  const mo_shape_id child = add(children, &ball), shape = add(scene, &ball);
  cr_assert_eq(mo_scene_set_geometry(children, child, &half_space.geometry),
               MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_compound_update(compound), MO_OK);
  const mo_shape_id id = add(scene, &placed);
  mo_shape_id path[MO_MAX_COMPOUND_DEPTH];
  uint32_t depth;
  cr_assert_eq(mo_compound_find_path(NULL, 0, path, &depth), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_compound_find_path(compound, 0, NULL, &depth), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_compound_find_path(compound, 0, path, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_compound_find_path(compound, 1, path, &depth), MO_ERROR_INVALID_INDEX);
  cr_assert_eq(mo_compound_find_path(compound, 0, path, &depth), MO_OK);
  cr_assert(depth == 1 && path[0].index == child.index);
  mo_shape_def read;
  cr_assert_eq(mo_scene_get_child(NULL, id, 0, &read), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_get_child(scene, id, 0, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_get_child(scene, (mo_shape_id){0, 0}, 0, &read), MO_ERROR_STALE_ID);
  cr_assert_eq(mo_scene_get_child(scene, shape, 0, &read), MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_scene_get_child(scene, id, 1, &read), MO_ERROR_INVALID_INDEX);
  cr_assert_eq(mo_scene_get_child(scene, id, 0, &read), MO_OK);
  mo_compound_release(compound);
  mo_scene_destroy(scene);
}

/* What does not take compounds says so; queries on scenes take them. */
Test(compounds, unsupported_uses_are_refused, .init = begin, .fini = end) {
  mo_compound *compound = make_compound();
  mo_scene *scene = make_scene();
  const mo_shape_def ball = ball_at(0), placed = placement_of(compound);
  add(mo_compound_children(compound), &ball);
  cr_assert_eq(mo_compound_update(compound), MO_OK);
  add(scene, &placed);
  mo_fit_def fit = mo_default_fit_def();
  bool found = false;
  fit.shape = &placed;
  cr_assert_eq(mo_scene_shape_fits(scene, &fit, &found, NULL), MO_OK);
  cr_assert_not(found);
  const mo_primitive primitive = mo_primitive_of_geometry(&placed.geometry, &placed.transform);
  const mo_overlap_def overlap = mo_overlap_primitive_def(primitive);
  cr_assert_eq(mo_scene_test_overlap(scene, &overlap, &found, NULL), MO_OK);
  cr_assert(found);
  cr_assert_eq(mo_primitive_overlap(&primitive, &primitive, &found), MO_ERROR_INVALID_ARGUMENT);
  mo_collide_def collide = mo_default_collide_def();
  mo_character_def character = mo_default_character_def();
  mo_character_move_result moved;
  mo_manifold manifold;
  character.primitive = primitive;
  cr_assert_eq(mo_collide(&primitive, &primitive, &collide, &manifold), MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_character_move(scene, &character, &moved, NULL), MO_ERROR_INVALID_ARGUMENT);
  mo_compound_release(compound);
  mo_scene_destroy(scene);
}

Test(compounds, cycles_are_refused, .init = begin, .fini = end) {
  mo_compound *chain[3] = {make_compound(), make_compound(), make_compound()};
  for (int i = 1; i < 3; i++) {
    const mo_shape_def nested = placement_of(chain[i - 1]);
    add(mo_compound_children(chain[i]), &nested);
  }
  for (int i = 0; i < 3; i++) {
    for (int k = i; k < 3; k++) {
      const mo_shape_def back = placement_of(chain[k]), defs[2] = {ball_at(0), back};
      mo_scene *children = mo_compound_children(chain[i]);
      const uint32_t count = mo_scene_shape_count(children);
      mo_shape_id ids[2];
      size_t bad;
      cr_assert_eq(try_to_add(children, &back), MO_ERROR_INVALID_ARGUMENT);
      cr_assert_eq(mo_scene_add_shapes(children, defs, 2, ids, &bad), MO_ERROR_INVALID_ARGUMENT);
      cr_assert(bad == 1 && mo_scene_shape_count(children) == count);
    }
  }
  for (int i = 0; i < 3; i++) {
    mo_compound_release(chain[i]);
  }
}

Test(compounds, depth_is_limited, .init = begin, .fini = end) {
  mo_compound *last = make_compound();
  const mo_shape_def ball = ball_at(1);
  add(mo_compound_children(last), &ball);
  cr_assert_eq(mo_compound_update(last), MO_OK);
  for (uint32_t depth = 2; depth <= MO_MAX_COMPOUND_DEPTH + 1; depth++) {
    mo_compound *next = make_compound();
    mo_shape_def nested = placement_of(last);
    nested.transform.origin.x = 1;
    if (depth > MO_MAX_COMPOUND_DEPTH) {
      cr_assert_eq(try_to_add(mo_compound_children(next), &nested), MO_ERROR_TOO_MANY);
      mo_compound_release(next);
      break;
    }
    const mo_shape_id id = add(mo_compound_children(next), &nested);
    mo_compound_release(last);
    last = next;
    cr_assert_eq(mo_compound_update(next), MO_OK);
    cr_assert_eq(mo_compound_depth(next), depth);
    mo_shape_id path[MO_MAX_COMPOUND_DEPTH];
    uint32_t length;
    cr_assert_eq(mo_compound_find_path(next, 0, path, &length), MO_OK);
    cr_assert(length == depth && path[0].index == id.index);
    /* The ball is where all transforms take it. */
    mo_scene *scene = make_scene();
    const mo_shape_def placed = placement_of(next);
    add(scene, &placed);
    mo_ray_def ray = mo_default_ray_def();
    mo_ray_hit hit;
    ray.origin = (mo_vec3){(float)depth, 0, -9};
    ray.direction = (mo_vec3){0, 0, 1};
    cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_OK);
    cr_assert(hit.found && hit.t == 8, "t is %g", (double)hit.t);
    mo_scene_destroy(scene);
  }
  mo_compound_release(last);
}

/* A chain that grows at its inner end is refused by updates alone, and freed without recursion. */
Test(compounds, chains_of_any_depth_are_freed, .init = begin, .fini = end) {
  enum { CHAIN = 60000 };
  mo_compound *outer = make_compound(), *last = outer;
  for (int i = 0; i < CHAIN; i++) {
    mo_compound *next = make_compound();
    const mo_shape_def nested = placement_of(next);
    add(mo_compound_children(last), &nested);
    mo_compound_release(next);
    last = next;
  }
  const mo_shape_def nested = placement_of(outer);
  mo_compound *other = make_compound();
  cr_assert_eq(try_to_add(mo_compound_children(other), &nested), MO_ERROR_TOO_MANY);
  mo_compound_release(other);
  mo_compound_release(outer);
}

/* Where there are 16^7 paths, a search along each path would not end. */
Test(compounds, many_paths_are_searched_once, .init = begin, .fini = end) {
  enum { WIDTH = 16 };
  mo_compound *levels[MO_MAX_COMPOUND_DEPTH][WIDTH];
  for (int depth = 0; depth < MO_MAX_COMPOUND_DEPTH; depth++) {
    for (int i = 0; i < WIDTH; i++) {
      levels[depth][i] = make_compound();
      for (int k = 0; depth > 0 && k < WIDTH; k++) {
        const mo_shape_def nested = placement_of(levels[depth - 1][k]);
        add(mo_compound_children(levels[depth][i]), &nested);
      }
    }
  }
  /* A cycle is found wherever it is. */
  const mo_shape_def top = placement_of(levels[MO_MAX_COMPOUND_DEPTH - 2][WIDTH - 1]);
  cr_assert_eq(try_to_add(mo_compound_children(levels[0][WIDTH - 1]), &top),
               MO_ERROR_INVALID_ARGUMENT);
  for (int depth = 0; depth < MO_MAX_COMPOUND_DEPTH; depth++) {
    for (int i = 0; i < WIDTH; i++) {
      mo_compound_release(levels[depth][i]);
    }
  }
}

/* Placements share the children. */
Test(compounds, placements_cost_a_record_each, .init = begin, .fini = end) {
  enum { PLACEMENTS = 10000, CHILDREN = 100 };
  size_t bytes[2];
  for (int with_children = 0; with_children < 2; with_children++) {
    mo_compound *compound = make_compound();
    mo_scene *scene = make_scene();
    for (int i = 0; i < (with_children ? CHILDREN : 1); i++) {
      const mo_shape_def ball = ball_at(0.01f * (float)i);
      add(mo_compound_children(compound), &ball);
    }
    cr_assert_eq(mo_compound_update(compound), MO_OK);
    for (int i = 0; i < PLACEMENTS; i++) {
      mo_shape_def placed = placement_of(compound);
      placed.transform.origin = (mo_vec3){4.0f * (float)(i % 100), 4.0f * (float)(i / 100), 0};
      add(scene, &placed);
    }
    mo_scene_stats stats;
    cr_assert_eq(mo_scene_get_stats(scene, &stats), MO_OK);
    bytes[with_children] = stats.bytes;
    mo_scene_destroy(scene);
    mo_compound_release(compound);
  }
  cr_assert_lt((double)bytes[1], 1.1 * (double)bytes[0]);
}

static mo_result make_nested(mo_compound **made) {
  const mo_scene_def def = scene_def();
  mo_compound *inner = NULL, *outer = NULL;
  mo_shape_id ids[40];
  mo_shape_def defs[40];
  mo_result result = mo_compound_create(&def, &inner);
  if (result == MO_OK) {
    result = mo_compound_create(&def, &outer);
  }
  for (int i = 0; i < 40; i++) {
    defs[i] = ball_at((float)i);
  }
  if (result == MO_OK) {
    result = mo_scene_add_shapes(mo_compound_children(inner), defs, 40, ids, NULL);
  }
  if (result == MO_OK) {
    result = mo_compound_update(inner);
  }
  for (int i = 0; i < 40; i++) {
    defs[i] = i % 2 ? defs[i] : placement_of(inner);
  }
  if (result == MO_OK) {
    result = mo_scene_add_shapes(mo_compound_children(outer), defs, 40, ids, NULL);
  }
  if (result == MO_OK) {
    result = mo_compound_update(outer);
  }
  mo_compound_release(inner);
  if (result != MO_OK) {
    mo_compound_release(outer);
    return result;
  }
  *made = outer;
  return MO_OK;
}

Test(compounds, any_allocation_may_fail, .init = begin, .fini = end) {
  for (size_t nth = 1;; nth++) {
    mo_compound *compound = NULL;
    counting_allocator_fail_at(&counter, nth, nth % 2);
    const mo_result result = make_nested(&compound);
    counting_allocator_fail_at(&counter, 0, false);
    if (result == MO_OK) {
      mo_compound_release(compound);
      break;
    }
    cr_assert_eq(result, MO_ERROR_OUT_OF_MEMORY);
    cr_assert(counting_allocator_is_clean(&counter));
    cr_assert_lt(nth, 200);
  }
}

/* Queries and updates of unchanged size allocate nothing. */
Test(compounds, steady_state_allocates_nothing, .init = begin, .fini = end) {
  mo_compound *compound;
  cr_assert_eq(make_nested(&compound), MO_OK);
  mo_scene *scene = make_scene();
  const mo_shape_def placed = placement_of(compound);
  const mo_shape_id id = add(scene, &placed);
  const size_t calls = counter.calls;
  mo_ray_def ray = mo_segment_def((mo_vec3){-9, 0, 0}, (mo_vec3){9, 0, 0});
  mo_ray_hit hit;
  cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_OK);
  cr_assert(hit.found);
  cr_assert_eq(mo_compound_update(compound), MO_OK);
  cr_assert_eq(mo_scene_refresh_shape(scene, id), MO_OK);
  cr_assert_eq(counter.calls, calls);
  mo_scene_destroy(scene);
  mo_compound_release(compound);
}
