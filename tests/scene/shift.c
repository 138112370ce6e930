/* Shifts of the origin: a shifted scene is one whose transforms have been shifted, of any kind and
 * by any vector; its tree stays as it is where floats allow; pairs stay until shapes change;
 * nothing can fail for want of memory. */
#include <criterion/criterion.h>
#include <motte/pair_tracker.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "oracle/pairs.h"
#include "scene/shapes/shape.h"
#include "support/check.h"
#include "support/defs.h"
#include "support/scenes.h"
#include "support/task_order.h"
#include "support/world.h"

/* By nothing, by about what a shape is large, or so far that floats are coarser than shapes. */
static mo_vec3 any_shift(rng *r) {
  static const float reaches[6] = {0, 1, 1e3f, 1e5f, 1e7f, 1e12f};
  float reach = reaches[rng_below(r, 6)];
  return rng_vec3(r, -reach, reach);
}

/* --- queries --- */

/* Stored bounds are those that a shape would be added with; they contain what margins and
 * velocities add where `tight` is not set. */
static void check_bounds(const mo_scene *scene, mo_shape_id id, bool tight) {
  mo_shape_def def;
  mo_affine affine;
  mo_aabb expected, bounds;
  cr_assert_eq(mo_scene_get_shape(scene, id, &def), MO_OK);
  cr_assert_eq(mo_affine_init(&affine, &def.transform), MO_OK);
  cr_assert_eq(mo_geometry_bounds(&def.geometry, &affine, &expected), MO_OK);
  cr_assert_eq(mo_scene_get_bounds(scene, id, &bounds), MO_OK);
  cr_assert(tight ? mo_aabb_is_same(&expected, &bounds) : mo_aabb_contains(bounds, expected),
            "shape %u of type %d has other bounds", id.index, (int)def.geometry.type);
}

/* Shifts all forms of a scene. Whether they could. */
static bool shift_all(test_scene *s, mo_vec3 by) {
  mo_vec3 *before = calloc(s->count + 1, sizeof *before);
  cr_assert_not_null(before);
  mo_transform transform;
  for (uint32_t i = 0; i < s->count; i++) {
    cr_assert_eq(mo_scene_get_transform(s->family.scenes[0], s->ids[i], &transform), MO_OK);
    before[i] = transform.origin;
  }
  mo_result result = MO_OK;
  for (uint32_t form = 0; form < s->family.count; form++) {
    mo_scene *scene = s->family.scenes[form];
    mo_result one = mo_scene_shift_origin(scene, by);
    cr_assert(form == 0 || one == result);
    result = one;
    cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
    cr_assert_eq(mo_scene_validate(scene), MO_OK, "%s", s->family.names[form]);
    for (uint32_t i = 0; i < s->count; i++) {
      mo_vec3 expected = result == MO_OK ? mo_add(before[i], by) : before[i];
      cr_assert_eq(mo_scene_get_transform(scene, s->ids[i], &transform), MO_OK);
      cr_assert_eq(memcmp(&transform.origin, &expected, sizeof expected), 0);
      check_bounds(scene, s->ids[i], true);
    }
  }
  free(before);
  return result == MO_OK;
}

static void ask(const test_scene *s, rng *r) {
  sample_target target = test_scene_target(s, r);
  const mo_scene *const *scenes = test_scene_subjects(s);
  uint32_t count = s->family.count;
  mo_ray_def ray = sample_any_ray(r, &target);
  cr_assert(check_scene_ray(scenes, count, &s->oracle, &ray, CHECK_QUICK), "%s", check_why());
  mo_aabb box = sample_box(r, &target);
  mo_overlap_def overlap = mo_default_overlap_def();
  cr_assert(check_scene_aabb(scenes, count, &s->oracle, &box, &overlap), "%s", check_why());
  mo_closest_def closest = mo_default_closest_def();
  closest.point = sample_point(r, &target);
  cr_assert(check_scene_closest(scenes, count, &s->oracle, &closest), "%s", check_why());
  mo_plane planes[8];
  uint32_t plane_count = sample_planes(r, &target, planes);
  mo_filter filter = mo_default_filter();
  cr_assert(check_scene_planes(scenes, count, &s->oracle, planes, plane_count, &filter), "%s",
            check_why());
}

static void check_pairs(const test_scene *s) {
  enum { MAX = 20000 };
  static mo_pair pairs[MAX];
  pair_list expected = {0};
  pair_oracle(s->family.scenes[0], s->family.scenes[0], NULL, &expected);
  for (uint32_t form = 0; form < s->family.count; form++) {
    uint32_t total;
    cr_assert_eq(mo_scene_find_pairs(s->family.scenes[form], NULL, pairs, MAX, &total), MO_OK);
    cr_assert_eq(total, expected.count);
    for (uint32_t i = 0; i < total; i++) {
      cr_assert(pair_equal(pairs[i], expected.pairs[i]));
    }
  }
  pair_list_free(&expected);
}

Test(scene_shift, answers_are_those_of_shifted_transforms) {
  rng r = rng_make(rng_seed("scene/shift/queries", 2001));
  uint32_t shifted = 0;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    static test_scene scene;
    test_scene_make(&scene, (test_scene_kind)kind, 60, &r);
    for (uint64_t round = rng_rounds(3, 60); round-- > 0;) {
      shifted += shift_all(&scene, any_shift(&r));
      oracle_scene_read(&scene.oracle, scene.family.scenes[0]);
      for (int i = 0; i < 4; i++) {
        ask(&scene, &r);
      }
      check_pairs(&scene);
      test_scene_add(&scene, &r);
      test_scene_remove(&scene, rng_below(&r, scene.count));
      if (round % 2 == 0) {
        scene_family_update(&scene.family);
      }
      const char *corrupt = scene_family_validate(&scene.family);
      cr_assert_null(corrupt, "%s", corrupt);
    }
    cr_assert(test_scene_free(&scene), "memory is outstanding");
  }
  cr_assert_gt(shifted, 20);
}

/* --- the tree --- */

enum { BOXES = 6000 };

/* Boxes on a fine grid, with margins and velocities for some. */
static mo_scene *grid_of_boxes(mo_tree_policy policy, uint32_t workers, mo_shape_id *ids, rng *r) {
  static mo_shape_def defs[BOXES];
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = policy;
  def.host.tasks = workers > 0 ? tasks_backwards(workers) : def.host.tasks;
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  for (uint32_t i = 0; i < BOXES; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    mo_vec3 p = rng_vec3(r, -40, 40);
    defs[i].transform.origin = mo_vec(floorf(p.x * 16) / 16, floorf(p.y * 16) / 16, floorf(p.z));
    defs[i].margin = i % 5 == 0 ? 0.25f : 0;
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, BOXES, ids, NULL), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  return scene;
}

/* Where floats lose nothing, no shape changes its node, and the same shift back undoes all. */
static void shift_exactly(mo_tree_policy policy, uint32_t workers) {
  static mo_shape_id ids[BOXES];
  static mo_aabb before[BOXES];
  rng r = rng_make(rng_seed("scene/shift/exact", 2002));
  mo_scene *scene = grid_of_boxes(policy, workers, ids, &r);
  mo_vec3 origin = {1, 2, 3}, velocity = {0.5f, 0, -2};
  mo_update_def update = mo_default_update_def();
  update.ids = ids;
  update.origins = &origin;
  update.velocities = &velocity;
  update.lookahead = 1;
  update.count = 1;
  cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
  for (uint32_t i = 0; i < BOXES; i++) {
    cr_assert_eq(mo_scene_get_bounds(scene, ids[i], &before[i]), MO_OK);
  }
  mo_scene_stats stats, after;
  cr_assert_eq(mo_scene_get_stats(scene, &stats), MO_OK);
  const mo_vec3 far = {100000, -4096, 65536}, back = mo_scale(-1, far);
  for (int round = 0; round < 3; round++) {
    cr_assert_eq(mo_scene_shift_origin(scene, far), MO_OK);
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
    for (uint32_t i = 0; i < BOXES; i++) {
      mo_aabb box, expected = {mo_add(before[i].lower, far), mo_add(before[i].upper, far)};
      cr_assert_eq(mo_scene_get_bounds(scene, ids[i], &box), MO_OK);
      cr_assert(mo_aabb_is_same(&box, &expected));
    }
    cr_assert_eq(mo_scene_shift_origin(scene, back), MO_OK);
    for (uint32_t i = 0; i < BOXES; i++) {
      mo_aabb box;
      cr_assert_eq(mo_scene_get_bounds(scene, ids[i], &box), MO_OK);
      cr_assert(mo_aabb_is_same(&box, &before[i]));
    }
  }
  cr_assert_eq(mo_scene_get_stats(scene, &after), MO_OK);
  cr_assert(after.node_count == stats.node_count && after.block_count == stats.block_count &&
            after.reinsert_count == stats.reinsert_count);
  mo_scene_destroy(scene);
}

Test(scene_shift, the_tree_stays_where_floats_allow) {
  for (int policy = 0; policy < 3; policy++) {
    shift_exactly(world_policies[policy], 0);
    shift_exactly(world_policies[policy], 3);
  }
}

/* Bounds with margins and velocities contain the shape after any shift. */
Test(scene_shift, larger_bounds_move_along) {
  static mo_shape_id ids[BOXES];
  rng r = rng_make(rng_seed("scene/shift/margins", 2003));
  mo_scene *scene = grid_of_boxes(MO_TREE_IRREGULAR, 2, ids, &r);
  static mo_vec3 origins[BOXES], velocities[BOXES];
  for (uint32_t i = 0; i < BOXES; i++) {
    origins[i] = rng_vec3(&r, -40, 40);
    velocities[i] = rng_vec3(&r, -1, 1);
  }
  mo_update_def update = mo_default_update_def();
  update.ids = ids;
  update.origins = origins;
  update.velocities = velocities;
  update.lookahead = 1;
  update.count = BOXES / 2;
  cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
  for (int round = 0; round < 8; round++) {
    cr_assert_eq(mo_scene_shift_origin(scene, any_shift(&r)), MO_OK);
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
    for (uint32_t i = 0; i < BOXES; i++) {
      check_bounds(scene, ids[i], i >= BOXES / 2 && i % 5 != 0);
    }
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  }
  mo_scene_destroy(scene);
}

/* Whether a box contains another one that is shifted without rounding. */
static bool contains_shifted(mo_aabb box, mo_aabb before, mo_vec3 by) {
  for (int axis = 0; axis < 3; axis++) {
    long double along = mo_get(by, axis);
    if ((long double)mo_get(box.lower, axis) > mo_get(before.lower, axis) + along ||
        (long double)mo_get(box.upper, axis) < mo_get(before.upper, axis) + along) {
      return false;
    }
  }
  return true;
}

/* Those with velocities alone, and no larger than rounding makes them. */
Test(scene_shift, larger_bounds_round_outward) {
  enum { COUNT = 40 };
  mo_shape_id ids[COUNT];
  mo_vec3 origins[COUNT], velocities[COUNT];
  rng r = rng_make(rng_seed("scene/shift/outward", 2006));
  mo_scene *scene = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  for (uint32_t i = 0; i < COUNT; i++) {
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[i]), MO_OK);
  }
  for (uint64_t round = rng_rounds(50, 2000); round-- > 0;) {
    for (uint32_t i = 0; i < COUNT; i++) {
      origins[i] = rng_vec3(&r, -40, 40);
      velocities[i] = rng_vec3(&r, -9, 9);
    }
    mo_update_def update = mo_default_update_def();
    update.ids = ids;
    update.origins = origins;
    update.velocities = velocities;
    update.lookahead = 1;
    update.count = COUNT;
    cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
    mo_aabb before[COUNT], after;
    for (uint32_t i = 0; i < COUNT; i++) {
      cr_assert_eq(mo_scene_get_bounds(scene, ids[i], &before[i]), MO_OK);
    }
    mo_vec3 by = rng_vec3(&r, -3000, 3000);
    cr_assert_eq(mo_scene_shift_origin(scene, by), MO_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
      cr_assert_eq(mo_scene_get_bounds(scene, ids[i], &after), MO_OK);
      mo_vec3 spacing = {0x1p-11f, 0x1p-11f, 0x1p-11f};
      mo_aabb larger = {mo_sub(before[i].lower, spacing), mo_add(before[i].upper, spacing)};
      cr_assert(contains_shifted(after, before[i], by));
      cr_assert(contains_shifted(larger, after, mo_scale(-1, by)));
    }
  }
  mo_scene_destroy(scene);
}

/* --- pairs --- */

enum { SHAPES = 260 };

static bool accept_some(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b,
                        void *context) {
  (void)user_data_a;
  (void)user_data_b;
  (void)context;
  return (pair->a.index + pair->b.index) % 7 != 0;
}

/* What a tracker should hold: pairs of shapes that have not changed are as they were. */
typedef struct follower {
  mo_pair_tracker *tracker;
  mo_pair_query_def def;
  bool paired[SHAPES][SHAPES], changed[SHAPES];
  uint32_t off; /* pairs that the boxes, as they are now, do not explain */
} follower;

static void follow(follower *f, mo_scene *scene, bool choosy) {
  memset(f, 0, sizeof *f);
  f->def.accept = choosy ? accept_some : NULL;
  mo_pair_tracker_def def = mo_default_pair_tracker_def();
  def.accept = f->def.accept;
  cr_assert_eq(mo_pair_tracker_create(scene, &def, &f->tracker), MO_OK);
  memset(f->changed, 1, sizeof f->changed);
}

static void set_pairs(bool of[SHAPES][SHAPES], const mo_pair *pairs, uint32_t count, bool to) {
  for (uint32_t i = 0; i < count; i++) {
    cr_assert(of[pairs[i].a.index][pairs[i].b.index] != to);
    of[pairs[i].a.index][pairs[i].b.index] = to;
  }
}

static void check_tracker(follower *f, const mo_scene *scene) {
  static bool now[SHAPES][SHAPES], told[SHAPES][SHAPES];
  pair_list boxes = {0};
  pair_oracle(scene, scene, &f->def, &boxes);
  memset(now, 0, sizeof now);
  set_pairs(now, boxes.pairs, boxes.count, true);
  pair_list_free(&boxes);
  memcpy(told, f->paired, sizeof told);
  mo_pair_events events;
  cr_assert_eq(mo_pair_tracker_update(f->tracker, &events), MO_OK);
  cr_assert_eq(mo_pair_tracker_validate(f->tracker), MO_OK);
  set_pairs(told, events.ends, events.end_count, false);
  set_pairs(told, events.begins, events.begin_count, true);
  for (uint32_t a = 0; a < SHAPES; a++) {
    for (uint32_t b = a + 1; b < SHAPES; b++) {
      f->off += now[a][b] != told[a][b];
      if (f->changed[a] || f->changed[b]) {
        f->paired[a][b] = now[a][b];
      }
      cr_assert_eq(told[a][b], f->paired[a][b], "shapes %u and %u", a, b);
      mo_shape_id x = {a, 1}, y = {b, 1};
      cr_assert_eq(mo_pair_tracker_contains(f->tracker, x, y), told[a][b]);
    }
  }
  memset(f->changed, 0, sizeof f->changed);
}

static void move_some(mo_scene *scene, follower followers[2], uint32_t count, rng *r) {
  for (uint32_t i = 0; i < count; i++) {
    mo_shape_id id = {rng_below(r, SHAPES), 1};
    mo_transform transform;
    cr_assert_eq(mo_scene_get_transform(scene, id, &transform), MO_OK);
    transform.origin = mo_add(transform.origin, rng_vec3(r, -1, 1));
    cr_assert_eq(mo_scene_set_transform(scene, id, &transform), MO_OK);
    followers[0].changed[id.index] = followers[1].changed[id.index] = true;
  }
}

Test(scene_shift, pairs_stay_until_shapes_change) {
  rng r = rng_make(rng_seed("scene/shift/pairs", 2004));
  static follower followers[2];
  mo_scene *scene = test_scene_empty();
  for (uint32_t i = 0; i < SHAPES; i++) {
    mo_shape_def def = mo_default_shape_def(i % 2 ? MO_SHAPE_BOX : MO_SHAPE_SPHERE);
    def.transform.origin = rng_vec3(&r, -6, 6);
    def.motion = i % 4 == 0 ? MO_MOTION_STATIC : MO_MOTION_DYNAMIC;
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
    cr_assert(id.index == i && id.generation == 1);
  }
  follow(&followers[0], scene, false);
  follow(&followers[1], scene, true);
  mo_vec3 far = {0, 0, 0};
  for (uint64_t round = 0, rounds = rng_rounds(60, 600); round < rounds; round++) {
    if (round % 3 == 1) {
      /* To where floats are 1/2 apart, or back to about the origin. */
      mo_vec3 by = far.x != 0 ? mo_scale(-1, far) : mo_vec(4e6f, rng_float(&r, 4e6f, 5e6f), -4e6f);
      far = far.x != 0 ? mo_vec(0, 0, 0) : by;
      cr_assert_eq(mo_scene_shift_origin(scene, by), MO_OK);
      if (round % 2) {
        check_tracker(&followers[0], scene);
      }
    }
    move_some(scene, followers, round % 5 == 0 ? 200 : rng_below(&r, 60), &r);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    check_tracker(&followers[0], scene);
    check_tracker(&followers[1], scene);
  }
  /* Once everything has changed, rounding is forgotten. */
  cr_assert(followers[0].off > 100 && followers[1].off > 100);
  for (uint32_t i = 0; i < SHAPES; i++) {
    mo_transform transform;
    cr_assert_eq(mo_scene_get_transform(scene, (mo_shape_id){i, 1}, &transform), MO_OK);
    cr_assert_eq(mo_scene_set_transform(scene, (mo_shape_id){i, 1}, &transform), MO_OK);
  }
  for (int i = 0; i < 2; i++) {
    mo_pair_tracker_stats stats;
    cr_assert_eq(mo_pair_tracker_get_stats(followers[i].tracker, &stats), MO_OK);
    cr_assert(stats.whole_search_count > 3 && stats.whole_search_count < stats.update_count - 3);
    memset(followers[i].changed, 1, sizeof followers[i].changed);
    followers[i].off = 0;
    check_tracker(&followers[i], scene);
    cr_assert_eq(followers[i].off, 0);
    mo_pair_tracker_destroy(followers[i].tracker);
  }
  mo_scene_destroy(scene);
}

/* --- errors --- */

Test(scene_shift, churn_and_no_memory) {
  uint64_t seed = rng_seed("scene/shift/memory", 2005);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed + (uint64_t)policy);
    w->half_spaces = 0.05f;
    for (uint64_t round = rng_rounds(60, 2000); round-- > 0;) {
      for (int i = 0; i < 20; i++) {
        world_step(w);
      }
      counting_allocator_fail_at(&w->counter, round % 2, true);
      world_shift(w, any_shift(&w->r));
      world_check(w, round % 8 == 0);
      counting_allocator_fail_at(&w->counter, 0, false);
    }
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
    world_check(w, true);
    world_destroy(w);
  }
}

Test(scene_shift, empty_and_out_of_range) {
  mo_scene *scene = test_scene_empty();
  cr_assert_eq(mo_scene_shift_origin(scene, mo_vec(3e38f, 0, 0)), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  mo_shape_id ids[40];
  for (int i = 0; i < 40; i++) {
    def.transform.origin.x = (float)i;
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[i]), MO_OK);
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  cr_assert_eq(mo_scene_shift_origin(scene, mo_vec(0, 1.1e30f, 0)), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(mo_scene_shift_origin(scene, mo_vec(0, NAN, 0)), MO_ERROR_NOT_FINITE);
  mo_transform transform;
  cr_assert_eq(mo_scene_get_transform(scene, ids[7], &transform), MO_OK);
  cr_assert(transform.origin.x == 7 && transform.origin.y == 0);
  cr_assert_eq(mo_scene_shift_origin(scene, mo_vec(0, 0.9e30f, 0)), MO_OK);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  cr_assert_eq(mo_scene_shift_origin(scene, mo_vec(0, -1.8e30f, 0)), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  cr_assert_eq(mo_scene_remove_shapes(scene, ids, 40, NULL), MO_OK);
  cr_assert_eq(mo_scene_shift_origin(scene, mo_vec(1, 2, 3)), MO_OK);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  mo_scene_destroy(scene);
}
