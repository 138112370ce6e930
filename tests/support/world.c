/* The scene under test and its model. */
#include "support/world.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/aabb.h"

static void remember(mo_log_level level, const char *message, void *context) {
  (void)level;
  world *w = context;
  snprintf(w->why, sizeof w->why, "%s", message);
}

static mo_mesh *tetrahedron(const mo_host *host) {
  static const float positions[12] = {1, 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1};
  static const uint32_t indices[12] = {0, 1, 3, 0, 2, 1, 0, 3, 2, 1, 2, 3};
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.vertex_count = 4;
  def.indices = indices;
  def.triangle_count = 4;
  def.host = *host;
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

world *world_create_with(const mo_tree_options *options, uint64_t seed) {
  world *w = calloc(1, sizeof *w);
  cr_assert_not_null(w);
  counting_allocator_init(&w->counter);
  w->r = rng_make(seed);
  w->size = 100;
  mo_scene_def def = mo_default_scene_def();
  def.tree = *options;
  def.host = counting_allocator_host(&w->counter);
  def.host.log = remember;
  def.host.log_context = w;
  cr_assert_eq(mo_scene_create(&def, &w->scene), MO_OK);
  w->mesh = tetrahedron(&def.host);
  return w;
}

world *world_create(mo_tree_policy policy, uint64_t seed) {
  mo_tree_options options = mo_default_tree_options();
  options.policy = policy;
  return world_create_with(&options, seed);
}

void world_destroy(world *w) {
  mo_mesh_release(w->mesh);
  mo_scene_destroy(w->scene);
  cr_assert(counting_allocator_is_clean(&w->counter));
  free(w);
}

mo_transform world_translation(float x, float y, float z) {
  mo_transform t = mo_transform_identity();
  t.origin = (mo_vec3){x, y, z};
  return t;
}

static float any_size(world *w) {
  return exp2f(rng_float(&w->r, -4, 3));
}

mo_motion world_motion(world *w) {
  return (mo_motion)rng_below(&w->r, w->bodies > 0 ? 4 : 3);
}

/* The number of a body: a few that many shapes have, many that few have, and numbers like
 * addresses, whose lower bits are equal. */
static uint64_t body(world *w) {
  if (w->bodies <= 0 || !rng_chance(&w->r, (double)w->bodies)) {
    return 0;
  }
  uint32_t kind = rng_below(&w->r, 3);
  uint64_t number = 1 + rng_below(&w->r, kind == 0 ? 3 : 300);
  return kind == 2 ? number << 36 : number;
}

/* Anywhere in the region, sheared by an uneven scale. */
static mo_shape_def half_space(world *w) {
  rng *r = &w->r;
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  mo_vec3 scale = rng_vec3(r, 0.5f, 2), place = rng_vec3(r, -w->size / 2, w->size / 2);
  if (rng_chance(r, 0.5)) {
    def.geometry.half_space.normal = rng_direction(r);
  }
  def.body = body(w);
  def.geometry.half_space.offset = rng_chance(r, 0.5) ? 0 : rng_float(r, -3, 3);
  if (rng_chance(r, 0.7)) {
    def.transform = mo_transform_make(place, rng_rotation(r), scale);
  }
  def.category = rng_u64(r);
  def.user_data = rng_u64(r);
  def.motion = world_motion(w);
  return def;
}

mo_shape_def world_shape(world *w) {
  rng *r = &w->r;
  if (w->half_spaces > 0 && rng_chance(r, (double)w->half_spaces)) {
    return half_space(w);
  }
  mo_shape_def def = mo_default_shape_def((mo_shape_type)rng_below(r, 6));
  if (def.geometry.type == MO_SHAPE_MESH) {
    def.geometry.mesh = w->mesh;
  }
  def.body = body(w);
  float size = any_size(w);
  if (rng_chance(r, 0.1)) {
    size = 0;
  }
  float y = rng_float(r, 0.5f, 2), z = rng_float(r, 0.5f, 2);
  mo_vec3 scale = {size, size * y, size * z}, place = rng_vec3(r, -w->size / 2, w->size / 2);
  def.transform = mo_transform_make(place, rng_rotation(r), scale);
  def.category = rng_u64(r);
  def.user_data = rng_u64(r);
  def.motion = world_motion(w);
  return def;
}

static void add(world *w) {
  uint32_t i = w->count++;
  w->defs[i] = world_shape(w);
  cr_assert_eq(mo_scene_add_shape(w->scene, &w->defs[i], &w->ids[i]), MO_OK);
}

static void add_many(world *w) {
  uint32_t count = 1 + rng_below(&w->r, 64), first = w->count;
  if (first + count > WORLD_MAX) {
    return;
  }
  for (uint32_t i = first; i < first + count; i++) {
    w->defs[i] = world_shape(w);
  }
  cr_assert_eq(mo_scene_add_shapes(w->scene, &w->defs[first], count, &w->ids[first], NULL), MO_OK);
  w->count += count;
}

static void forget(world *w, uint32_t i) {
  w->count--;
  w->ids[i] = w->ids[w->count];
  w->defs[i] = w->defs[w->count];
}

static void remove_one(world *w) {
  uint32_t i = rng_below(&w->r, w->count);
  mo_shape_id id = w->ids[i];
  cr_assert_eq(mo_scene_remove_shape(w->scene, id), MO_OK);
  cr_assert_not(mo_scene_is_valid(w->scene, id));
  cr_assert_eq(mo_scene_remove_shape(w->scene, id), MO_ERROR_STALE_ID);
  forget(w, i);
}

static void remove_many(world *w) {
  uint32_t count = 1 + rng_below(&w->r, w->count < 64 ? w->count : 64);
  cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[w->count - count], count, NULL), MO_OK);
  w->count -= count;
}

/* A step, a leap, another size, or into the corner of the region. */
static mo_transform moved(world *w, mo_transform t) {
  rng *r = &w->r;
  double kind = rng_float(r, 0, 1);
  if (kind < 0.6) {
    mo_vec3 step = rng_vec3(r, -0.5f, 0.5f);
    t.origin.x += step.x;
    t.origin.y += step.y;
    t.origin.z += step.z;
  } else if (kind < 0.75) {
    t.origin = rng_vec3(r, -w->size / 2, w->size / 2);
  } else if (kind < 0.9) {
    float size = any_size(w);
    t = mo_transform_make(t.origin, rng_rotation(r), (mo_vec3){size, size, size});
  } else {
    t.origin = rng_vec3(r, -w->size / 2, -w->size / 2 + 2);
  }
  return t;
}

static void move_one(world *w) {
  uint32_t i = rng_below(&w->r, w->count);
  w->defs[i].transform = moved(w, w->defs[i].transform);
  cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[i], &w->defs[i].transform), MO_OK);
}

static void move_many(world *w) {
  static _Thread_local mo_transform transforms[WORLD_MAX];
  uint32_t count = 1 + rng_below(&w->r, w->count);
  uint32_t first = rng_below(&w->r, w->count - count + 1);
  for (uint32_t i = 0; i < count; i++) {
    w->defs[first + i].transform = transforms[i] = moved(w, w->defs[first + i].transform);
  }
  cr_assert_eq(mo_scene_set_transforms(w->scene, &w->ids[first], transforms, count, NULL), MO_OK);
}

/* All at once, by a factor. */
static void rescale(world *w) {
  static _Thread_local mo_transform transforms[WORLD_MAX];
  float factor = rng_chance(&w->r, 0.5) ? 2 : 0.5f;
  w->size *= factor;
  if (w->size > 1e6f || w->size < 1e-2f) {
    factor = 100 / w->size * factor;
    w->size = 100;
  }
  for (uint32_t i = 0; i < w->count; i++) {
    mo_transform *t = &w->defs[i].transform;
    t->origin.x *= factor;
    t->origin.y *= factor;
    t->origin.z *= factor;
    transforms[i] = *t;
  }
  cr_assert_eq(mo_scene_set_transforms(w->scene, w->ids, transforms, w->count, NULL), MO_OK);
}

/* Sends some to sleep, wakes them, or fixes them. */
static void change_motion(world *w) {
  uint32_t count = 1 + rng_below(&w->r, w->count < 64 ? w->count : 64);
  uint32_t first = rng_below(&w->r, w->count - count + 1);
  mo_motion motion = world_motion(w);
  for (uint32_t i = first; i < first + count; i++) {
    w->defs[i].motion = motion;
  }
  cr_assert_eq(mo_scene_set_motion(w->scene, &w->ids[first], count, motion, NULL), MO_OK);
}

static void change(world *w) {
  uint32_t i = rng_below(&w->r, w->count);
  mo_shape_def def = world_shape(w);
  if (w->defs[i].transform.x_axis.x == 0 && w->defs[i].transform.x_axis.y == 0) {
    def.geometry = w->defs[i].geometry; /* flattened, as no half-space may be */
  }
  w->defs[i].geometry = def.geometry;
  w->defs[i].category = def.category;
  w->defs[i].user_data = def.user_data;
  w->defs[i].body = def.body;
  cr_assert_eq(mo_scene_set_body(w->scene, w->ids[i], def.body), MO_OK);
  cr_assert_eq(mo_scene_set_geometry(w->scene, w->ids[i], &def.geometry), MO_OK);
  cr_assert_eq(mo_scene_set_filter(w->scene, w->ids[i], def.category, w->defs[i].mask), MO_OK);
  cr_assert_eq(mo_scene_set_user_data(w->scene, w->ids[i], def.user_data), MO_OK);
}

void world_step(world *w) {
  double kind = rng_float(&w->r, 0, 1);
  if (kind < 0.25 || w->count == 0) {
    w->count < WORLD_MAX ? add(w) : remove_one(w);
  } else if (kind < 0.28) {
    add_many(w);
  } else if (kind < 0.48) {
    remove_one(w);
  } else if (kind < 0.51) {
    remove_many(w);
  } else if (kind < 0.85) {
    move_one(w);
  } else if (kind < 0.9) {
    move_many(w);
  } else if (kind < 0.91) {
    rescale(w);
  } else if (kind < 0.93) {
    change(w);
  } else if (kind < 0.95) {
    change_motion(w);
  } else {
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
  }
}

void world_shift(world *w, mo_vec3 by) {
  cr_assert_eq(mo_scene_shift_origin(w->scene, by), MO_OK);
  for (uint32_t i = 0; i < w->count; i++) {
    w->defs[i].transform.origin = mo_add(w->defs[i].transform.origin, by);
  }
}

static bool same_vec3(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void check_shape(world *w, uint32_t i) {
  const mo_shape_def *expected = &w->defs[i];
  mo_shape_def def;
  mo_aabb box;
  cr_assert(mo_scene_is_valid(w->scene, w->ids[i]));
  cr_assert_eq(mo_scene_get_shape(w->scene, w->ids[i], &def), MO_OK);
  cr_assert_eq(mo_scene_get_bounds(w->scene, w->ids[i], &box), MO_OK);
  cr_assert_eq(def.geometry.type, expected->geometry.type);
  cr_assert_eq(def.category, expected->category);
  cr_assert_eq(def.mask, expected->mask);
  cr_assert_eq(def.user_data, expected->user_data);
  cr_assert_eq(def.motion, expected->motion);
  cr_assert_eq(def.body, expected->body);
  cr_assert(same_vec3(def.transform.origin, expected->transform.origin));
  cr_assert(same_vec3(def.transform.x_axis, expected->transform.x_axis));
  if (def.geometry.type == MO_SHAPE_HALF_SPACE) {
    cr_assert(memcmp(&def.geometry.half_space, &expected->geometry.half_space,
                     sizeof def.geometry.half_space) == 0);
    return;
  }
  /* All other shapes here contain the origin of their frame. */
  mo_vec3 p = expected->transform.origin;
  cr_assert(box.lower.x <= p.x && p.x <= box.upper.x && box.lower.y <= p.y && p.y <= box.upper.y &&
            box.lower.z <= p.z && p.z <= box.upper.z);
}

/* The shapes of the body of a shape, by a loop over all. */
static void check_body(const world *w, uint32_t i) {
  static _Thread_local mo_shape_id ids[WORLD_MAX];
  uint32_t total, expected = 0;
  uint64_t number = w->defs[i].body;
  cr_assert_eq(mo_scene_get_body_shapes(w->scene, number, ids, WORLD_MAX, &total), MO_OK);
  for (uint32_t k = 0; k < w->count && number != 0; k++) {
    bool found = false;
    for (uint32_t j = 0; j < total && w->defs[k].body == number; j++) {
      found =
          found || (ids[j].index == w->ids[k].index && ids[j].generation == w->ids[k].generation);
    }
    cr_assert_eq(found, w->defs[k].body == number);
    expected += w->defs[k].body == number;
  }
  cr_assert_eq(total, expected);
  for (uint32_t j = 1; j < total; j++) {
    cr_assert_lt(ids[j - 1].index, ids[j].index);
  }
}

void world_check(world *w, bool all) {
  mo_result result = mo_scene_validate(w->scene);
  cr_assert_eq(result, MO_OK, "%s", w->why);
  cr_assert_eq(mo_scene_shape_count(w->scene), w->count);
  mo_aabb bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (uint32_t i = 0; all && i < w->count; i++) {
    check_shape(w, i);
    if (w->bodies > 0 && i % 64 == 0) {
      check_body(w, i);
    }
    mo_aabb box;
    cr_assert_eq(mo_scene_get_bounds(w->scene, w->ids[i], &box), MO_OK);
    bool bounded = w->defs[i].geometry.type != MO_SHAPE_HALF_SPACE;
    bounds = bounded ? mo_aabb_union(bounds, box) : bounds;
  }
  if (all) {
    mo_aabb found = mo_scene_bounds(w->scene);
    cr_assert(mo_aabb_is_same(&found, &bounds), "not tight around all shapes with bounds");
  }
}

void world_fill(world *w, uint32_t count, float size, mo_transform *here, mo_transform *there) {
  for (uint32_t i = 0; i < count; i++) {
    mo_vec3 p = rng_vec3(&w->r, -size, size), q = rng_vec3(&w->r, -size, size);
    here[i] = world_translation(p.x, p.y, p.z);
    there[i] = world_translation(q.x, q.y, q.z);
    w->defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    w->defs[i].transform = here[i];
  }
  cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs, count, w->ids, NULL), MO_OK);
  w->count = count;
}
