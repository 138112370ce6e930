/* Every field of a shape can be read back and set: against the def that the shape was made of, and
 * against the bounds of a shape that is added anew. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/pair_tracker.h>
#include <string.h>

#include "support/world.h"

/* The stored bounds of a shape that is added to an empty scene. */
static mo_aabb bounds_when_added(const mo_shape_def *def, float margin) {
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def added = *def;
  added.margin = margin;
  mo_shape_id id;
  mo_aabb bounds;
  cr_assert_eq(mo_scene_add_shape(scene, &added, &id), MO_OK);
  cr_assert_eq(mo_scene_get_bounds(scene, id, &bounds), MO_OK);
  mo_scene_destroy(scene);
  return bounds;
}

static bool same(const void *a, const void *b, size_t size) {
  return memcmp(a, b, size) == 0;
}

static bool same_geometry(const mo_geometry *a, const mo_geometry *b) {
  if (a->type != b->type || a->rounding != b->rounding) {
    return false;
  }
  switch (a->type) {
  case MO_SHAPE_MESH:
    return a->mesh == b->mesh;
  case MO_SHAPE_SPHERE:
    return same(&a->sphere, &b->sphere, sizeof a->sphere);
  case MO_SHAPE_BOX:
    return same(&a->box, &b->box, sizeof a->box);
  case MO_SHAPE_CAPSULE:
    return same(&a->capsule, &b->capsule, sizeof a->capsule);
  case MO_SHAPE_CYLINDER:
    return same(&a->cylinder, &b->cylinder, sizeof a->cylinder);
  case MO_SHAPE_CONE:
    return same(&a->cone, &b->cone, sizeof a->cone);
  case MO_SHAPE_HULL:
    return a->hull == b->hull;
  case MO_SHAPE_VOLUME:
    return same(&a->volume, &b->volume, sizeof a->volume);
  case MO_SHAPE_HALF_SPACE:
    return same(&a->half_space, &b->half_space, sizeof a->half_space);
  case MO_SHAPE_COMPOUND:
    return a->compound == b->compound;
  }
  return false;
}

static void check_fields(const mo_scene *scene, mo_shape_id id, const mo_shape_def *def) {
  mo_shape_def whole;
  mo_geometry geometry;
  mo_transform transform;
  uint64_t category, mask, user_data, body;
  mo_motion motion;
  float margin;
  cr_assert_eq(mo_scene_get_shape(scene, id, &whole), MO_OK);
  cr_assert_eq(mo_scene_get_geometry(scene, id, &geometry), MO_OK);
  cr_assert_eq(mo_scene_get_transform(scene, id, &transform), MO_OK);
  cr_assert_eq(mo_scene_get_filter(scene, id, &category, &mask), MO_OK);
  cr_assert_eq(mo_scene_get_user_data(scene, id, &user_data), MO_OK);
  cr_assert_eq(mo_scene_get_body(scene, id, &body), MO_OK);
  cr_assert_eq(mo_scene_get_motion(scene, id, &motion), MO_OK);
  cr_assert_eq(mo_scene_get_margin(scene, id, &margin), MO_OK);
  cr_assert(same_geometry(&geometry, &def->geometry));
  cr_assert(same_geometry(&whole.geometry, &def->geometry));
  cr_assert(same(&transform, &def->transform, sizeof transform));
  cr_assert(same(&whole.transform, &def->transform, sizeof transform));
  cr_assert(category == def->category && whole.category == def->category);
  cr_assert(mask == def->mask && whole.mask == def->mask);
  cr_assert(user_data == def->user_data && whole.user_data == def->user_data);
  cr_assert(body == def->body && whole.body == def->body);
  cr_assert(motion == def->motion && whole.motion == def->motion);
  float expected = def->margin == MO_MARGIN_OF_SCENE ? 0.0f : def->margin;
  cr_assert(margin == expected && whole.margin == expected);
}

static void check_bounds(const mo_scene *scene, mo_shape_id id, const mo_shape_def *def) {
  mo_aabb stored, tight, expected = bounds_when_added(def, 0);
  cr_assert_eq(mo_scene_get_bounds(scene, id, &stored), MO_OK);
  cr_assert_eq(mo_scene_get_tight_bounds(scene, id, &tight), MO_OK);
  cr_assert(same(&tight, &expected, sizeof tight));
  cr_assert(stored.lower.x <= tight.lower.x && stored.upper.x >= tight.upper.x);
  cr_assert(stored.lower.y <= tight.lower.y && stored.upper.y >= tight.upper.y);
  cr_assert(stored.lower.z <= tight.lower.z && stored.upper.z >= tight.upper.z);
}

/* Sets the margin of a shape of the world, sometimes back to that of the scene. */
static void change_margin(world *w, uint32_t i) {
  float margin = rng_float(&w->r, 0, 2);
  if (rng_chance(&w->r, 0.25)) {
    margin = MO_MARGIN_OF_SCENE;
  }
  w->defs[i].margin = margin;
  cr_assert_eq(mo_scene_set_margin(w->scene, w->ids[i], margin), MO_OK);
  mo_aabb stored, expected = bounds_when_added(&w->defs[i], margin);
  cr_assert_eq(mo_scene_get_bounds(w->scene, w->ids[i], &stored), MO_OK);
  cr_assert(same(&stored, &expected, sizeof stored));
}

Test(scene_fields, are_read_back_through_all_changes) {
  uint64_t seed = rng_seed("scene/fields", 811);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    w->bodies = policy == 0 ? 0 : 0.3f;
    uint64_t steps = rng_rounds(600, 20000);
    for (uint64_t step = 0; step < steps; step++) {
      world_step(w);
      if (w->count == 0) {
        continue;
      }
      uint32_t changed = rng_below(&w->r, w->count);
      change_margin(w, changed);
      uint32_t i = rng_below(&w->r, w->count);
      check_fields(w->scene, w->ids[i], &w->defs[i]);
      check_bounds(w->scene, w->ids[i], &w->defs[i]);
    }
    cr_assert_eq(mo_scene_validate(w->scene), MO_OK, "%s", w->why);
    for (uint32_t i = 0; i < w->count; i++) {
      check_fields(w->scene, w->ids[i], &w->defs[i]);
      check_bounds(w->scene, w->ids[i], &w->defs[i]);
    }
    world_destroy(w);
  }
}

/* Two unit boxes with a gap of 1: a margin of 1 makes them a pair. */
Test(scene_fields, a_margin_that_is_set_begins_and_ends_pairs) {
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id ids[2];
  cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[0]), MO_OK);
  def.transform.origin.x = 3;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[1]), MO_OK);
  mo_pair_tracker *tracker;
  mo_pair_events events;
  cr_assert_eq(mo_pair_tracker_create(scene, NULL, &tracker), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert_eq(events.begin_count, 0);
  cr_assert_eq(mo_scene_set_margin(scene, ids[0], 1), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert(events.begin_count == 1 && events.end_count == 0);
  cr_assert_eq(mo_scene_set_margin(scene, ids[0], 0.5f), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert(events.begin_count == 0 && events.end_count == 1);
  mo_pair_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* The margin of the scene's def, and a velocity: both in the stored bounds alone. */
Test(scene_fields, tight_bounds_have_no_margin_and_no_velocity) {
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.margin = 0.25f;
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  float margin;
  cr_assert_eq(mo_scene_get_margin(scene, id, &margin), MO_OK);
  cr_assert_eq(margin, 0.25f);
  mo_update_def update = mo_default_update_def();
  mo_vec3 velocity = {8, 0, 0};
  update.ids = &id;
  update.origins = &def.transform.origin;
  update.velocities = &velocity;
  update.lookahead = 1;
  update.count = 1;
  cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
  mo_aabb stored, tight;
  cr_assert_eq(mo_scene_get_bounds(scene, id, &stored), MO_OK);
  cr_assert_eq(mo_scene_get_tight_bounds(scene, id, &tight), MO_OK);
  cr_assert_geq(stored.upper.x, 9.25f);
  cr_assert(tight.lower.x == -1 && tight.upper.x == 1);
  cr_assert_eq(mo_scene_set_margin(scene, id, 0.5f), MO_OK);
  cr_assert_eq(mo_scene_get_bounds(scene, id, &stored), MO_OK);
  cr_assert(stored.lower.x == -1.5f && stored.upper.x == 1.5f);
  cr_assert_eq(mo_scene_set_margin(scene, id, MO_MARGIN_OF_SCENE), MO_OK);
  cr_assert_eq(mo_scene_get_bounds(scene, id, &stored), MO_OK);
  cr_assert(stored.lower.x == -1.25f && stored.upper.x == 1.25f);
  mo_scene_destroy(scene);
}

static void keep(mo_log_level level, const char *message, void *context) {
  (void)level;
  strncpy(context, message, 255);
}

Test(scene_fields, refusals) {
  char said[256] = "";
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.host.log = keep;
  scene_def.host.log_context = said;
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  mo_shape_id id, stale = {7, 1};
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  mo_geometry geometry;
  mo_transform transform;
  uint64_t category, mask, user_data, body;
  mo_motion motion;
  float margin;
  mo_aabb box;
#define REFUSES(name, out)                                                                         \
  cr_expect_eq(mo_scene_get_##name(NULL, id, out), MO_ERROR_NULL_ARGUMENT);                        \
  cr_expect_eq(mo_scene_get_##name(scene, id, NULL), MO_ERROR_NULL_ARGUMENT);                      \
  cr_expect_eq(mo_scene_get_##name(scene, stale, out), MO_ERROR_STALE_ID);                         \
  cr_expect(strstr(said, "mo_scene_get_" #name ": id ") == said, "%s", said)
  REFUSES(geometry, &geometry);
  REFUSES(transform, &transform);
  REFUSES(user_data, &user_data);
  REFUSES(motion, &motion);
  REFUSES(body, &body);
  REFUSES(margin, &margin);
  REFUSES(tight_bounds, &box);
#undef REFUSES
  cr_expect_eq(mo_scene_get_filter(NULL, id, &category, &mask), MO_ERROR_NULL_ARGUMENT);
  cr_expect_eq(mo_scene_get_filter(scene, id, NULL, &mask), MO_ERROR_NULL_ARGUMENT);
  cr_expect_eq(mo_scene_get_filter(scene, id, &category, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_expect_eq(mo_scene_get_filter(scene, stale, &category, &mask), MO_ERROR_STALE_ID);
  cr_expect_eq(mo_scene_set_margin(NULL, id, 1), MO_ERROR_NULL_ARGUMENT);
  cr_expect_eq(mo_scene_set_margin(scene, stale, 1), MO_ERROR_STALE_ID);
  cr_expect_eq(mo_scene_set_margin(scene, id, NAN), MO_ERROR_NOT_FINITE);
  cr_expect_eq(mo_scene_set_margin(scene, id, 2e30f), MO_ERROR_OUT_OF_RANGE);
  cr_expect_eq(mo_scene_set_margin(scene, id, -2), MO_ERROR_INVALID_ARGUMENT);
  cr_expect_str_eq(said, "mo_scene_set_margin: margin is -2, which is negative");
  check_fields(scene, id, &def);
  check_bounds(scene, id, &def);
  mo_scene_destroy(scene);
}
