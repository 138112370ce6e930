/* All pairs of a scene, and between two, against loops over all shapes. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/query.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/pairs.h"
#include "support/world.h"

static const mo_isa isas[2] = {MO_ISA_SCALAR, MO_ISA_AUTO};

/* Refuses some pairs, by its arguments. */
static bool accept_some(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b,
                        void *context) {
  uint64_t mixed = (user_data_a ^ user_data_b) + pair->a.generation;
  return (mixed % 3 == 0) == *(const bool *)context;
}

static bool collect(const mo_pair *pair, void *context) {
  pair_list_add(context, *pair);
  return true;
}

static int compare(const void *a, const void *b) {
  const mo_pair *p = a, *q = b;
  return pair_before(*q, *p) - pair_before(*p, *q);
}

static void expect_same(const pair_list *expected, const mo_pair *pairs, uint32_t count) {
  cr_assert_leq(count, expected->count);
  for (uint32_t i = 0; i < count; i++) {
    cr_assert(pair_equal(pairs[i], expected->pairs[i]), "pair %u is %u-%u, not %u-%u", i,
              pairs[i].a.index, pairs[i].b.index, expected->pairs[i].a.index,
              expected->pairs[i].b.index);
  }
}

static void check_user_data(const mo_scene *scene, const pair_list *pairs) {
  uint64_t(*both)[2] = calloc(pairs->count + 1, sizeof *both), own;
  cr_assert_not_null(both);
  cr_assert_eq(mo_scene_get_pair_user_data(scene, pairs->pairs, pairs->count, both), MO_OK);
  for (uint32_t i = 0; i < pairs->count; i++) {
    cr_assert_eq(mo_scene_get_user_data(scene, pairs->pairs[i].a, &own), MO_OK);
    cr_assert_eq(both[i][0], own);
    cr_assert_eq(mo_scene_get_user_data(scene, pairs->pairs[i].b, &own), MO_OK);
    cr_assert_eq(both[i][1], own);
  }
  free(both);
}

/* Every query for the pairs of one scene, or between two. */
static void check_pairs(const mo_scene *a, const mo_scene *b, const mo_pair_query_def *def,
                        rng *r) {
  pair_list expected = {0}, visited = {0};
  pair_oracle(a, b, def, &expected);
  uint32_t capacity = rng_chance(r, 0.5) ? expected.count : rng_below(r, expected.count + 3);
  mo_pair *pairs = malloc((capacity + 1) * sizeof *pairs);
  cr_assert_not_null(pairs);
  memset(&pairs[capacity], 0x55, sizeof *pairs);
  uint32_t total;
  if (a == b) {
    cr_assert_eq(mo_scene_find_pairs(a, def, pairs, capacity, &total), MO_OK);
    cr_assert_eq(mo_scene_visit_pairs(a, def, collect, &visited), MO_OK);
    check_user_data(a, &expected);
  } else {
    cr_assert_eq(mo_scene_find_pairs_between(a, b, def, pairs, capacity, &total), MO_OK);
    cr_assert_eq(mo_scene_visit_pairs_between(a, b, def, collect, &visited), MO_OK);
  }
  cr_assert_eq(total, expected.count);
  expect_same(&expected, pairs, capacity < total ? capacity : total);
  cr_assert_eq(pairs[capacity].a.index, 0x55555555u, "writes beyond the end");
  cr_assert_eq(visited.count, expected.count);
  if (visited.count > 0) {
    qsort(visited.pairs, visited.count, sizeof *pairs, compare);
  }
  expect_same(&expected, visited.pairs, visited.count);
  free(pairs);
  pair_list_free(&expected);
  pair_list_free(&visited);
}

static void check_all_defs(const mo_scene *a, const mo_scene *b, rng *r) {
  mo_pair_query_def def = mo_default_pair_query_def();
  bool which = rng_chance(r, 0.5);
  check_pairs(a, b, NULL, r);
  def.awake_only = true;
  check_pairs(a, b, &def, r);
  def.awake_only = which;
  def.accept = accept_some;
  def.context = &which;
  check_pairs(a, b, &def, r);
}

/* The pairs of a crowded world while it changes in every way. */
static void churn(const mo_tree_options *options, uint64_t seed, uint32_t max, uint64_t steps) {
  world *w = world_create_with(options, seed);
  w->size = 12;
  w->half_spaces = 0.03f;
  w->bodies = max < 200 ? 0.5f : 0;
  for (uint64_t i = 0; i < steps; i++) {
    if (w->count > max) {
      uint32_t gone = w->count / 2;
      cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[w->count - gone], gone, NULL), MO_OK);
      w->count -= gone;
    }
    world_step(w);
    if (i % 16 == 0) {
      check_all_defs(w->scene, w->scene, &w->r);
    }
  }
  world_check(w, true);
  world_destroy(w);
}

Test(pairs, churn) {
  uint64_t seed = rng_seed("pairs under churn", 31);
  for (int policy = 0; policy < 3; policy++) {
    mo_tree_options options = mo_default_tree_options();
    options.policy = world_policies[policy];
    churn(&options, seed, 300, rng_rounds(1200, 20000));
    options.capacity = 3;
    churn(&options, seed + 1, 100, rng_rounds(1200, 20000));
  }
}

/* Boxes of one kind or another: even, of sizes 1:1000, all at one point, in a plane, touching. */
typedef enum layout { EVEN, SIZES, POINT, PLANE, TOUCHING, LAYOUTS } layout;

static mo_shape_def any_box(rng *r, layout kind) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_VOLUME);
  float half = kind == SIZES ? 0.05f * exp2f(rng_float(r, 0, 10)) : 0.5f;
  mo_vec3 p = rng_vec3(r, -20, 20);
  if (kind == POINT) {
    p = (mo_vec3){1, 2, 3};
  } else if (kind == PLANE) {
    p.y = 0.25f;
  } else if (kind == TOUCHING) { /* boxes of a grid share faces, edges and corners */
    p = (mo_vec3){(float)rng_below(r, 12), (float)rng_below(r, 12), (float)rng_below(r, 12)};
  }
  def.geometry.volume =
      (mo_aabb){{p.x - half, p.y - half, p.z - half}, {p.x + half, p.y + half, p.z + half}};
  def.motion = (mo_motion)rng_below(r, 4);
  def.body = rng_chance(r, 0.3) ? 1 + rng_below(r, 5) : 0;
  if (rng_chance(r, 0.1)) {
    def.mask = rng_u64(r);
    def.category = rng_u64(r) & rng_u64(r) & rng_u64(r);
  }
  def.user_data = rng_u64(r);
  return def;
}

static mo_scene *make_scene(rng *r, layout kind, mo_tree_policy policy, mo_isa isa, uint32_t count,
                            bool plain) {
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = policy;
  def.isa = isa;
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  mo_shape_def *defs = calloc(count + 1, sizeof *defs);
  mo_shape_id *ids = calloc(count + 1, sizeof *ids);
  cr_assert(defs && ids != NULL);
  for (uint32_t i = 0; i < count; i++) {
    defs[i] = any_box(r, kind);
    if (plain) {
      defs[i].motion = MO_MOTION_DYNAMIC;
      defs[i].body = 0;
      defs[i].mask = UINT64_MAX;
      defs[i].category = 1;
    }
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, count, ids, NULL), MO_OK);
  free(defs);
  free(ids);
  return scene;
}

Test(pairs, layouts_and_instruction_sets) {
  rng r = rng_make(rng_seed("pairs of layouts", 32));
  for (layout kind = 0; kind < LAYOUTS; kind++) {
    for (int i = 0; i < 12; i++) {
      uint32_t count = i < 6 ? rng_below(&r, 40) : 200 + rng_below(&r, 600);
      uint64_t state = r.state;
      for (int isa = 0; isa < 2; isa++) {
        r.state = state;
        mo_scene *scene = make_scene(&r, kind, world_policies[i % 3], isas[isa], count, i % 2);
        check_all_defs(scene, scene, &r);
        mo_scene_destroy(scene);
      }
    }
  }
}

Test(pairs, between_scenes) {
  rng r = rng_make(rng_seed("pairs between scenes", 33));
  for (int i = 0; i < 40; i++) {
    mo_scene *scenes[2];
    for (int j = 0; j < 2; j++) {
      scenes[j] = make_scene(&r, (layout)rng_below(&r, LAYOUTS), world_policies[rng_below(&r, 3)],
                             isas[i % 2], rng_below(&r, i < 20 ? 30 : 500), rng_chance(&r, 0.5));
    }
    check_all_defs(scenes[0], scenes[1], &r);
    check_all_defs(scenes[1], scenes[0], &r);
    mo_scene_destroy(scenes[0]);
    mo_scene_destroy(scenes[1]);
  }
}

/* Far down a tree, a node may meet more nodes than there is capacity for at once. */
Test(pairs, deep_trees) {
  rng r = rng_make(rng_seed("deep trees", 36));
  for (int isa = 0; isa < 2; isa++) {
    mo_scene_def def = mo_default_scene_def();
    def.isa = isas[isa];
    def.tree.policy = MO_TREE_MIDPOINT;
    mo_scene *scenes[2];
    for (int j = 0; j < 2; j++) {
      cr_assert_eq(mo_scene_create(&def, &scenes[j]), MO_OK);
      for (int i = 0; i < 3000; i++) {
        mo_shape_def shape = mo_default_shape_def(MO_SHAPE_VOLUME);
        float scale = ldexpf(1.0f, -(int)rng_below(&r, 20)), half = rng_float(&r, 0, 0.15f) * scale;
        mo_vec3 p = rng_vec3(&r, -scale, scale);
        shape.geometry.volume =
            (mo_aabb){{p.x - half, p.y - half, p.z - half}, {p.x + half, p.y + half, p.z + half}};
        shape.motion = (mo_motion)(rng_below(&r, 6) % 3);
        mo_shape_id id;
        cr_assert_eq(mo_scene_add_shape(scenes[j], &shape, &id), MO_OK);
      }
      check_pairs(scenes[j], scenes[j], NULL, &r);
    }
    check_pairs(scenes[0], scenes[1], NULL, &r);
    mo_scene_destroy(scenes[0]);
    mo_scene_destroy(scenes[1]);
  }
}

static bool stop_at(const mo_pair *pair, void *context) {
  (void)pair;
  return --*(uint32_t *)context > 0;
}

Test(pairs, visits_can_be_stopped) {
  rng r = rng_make(rng_seed("stopping", 34));
  mo_scene *scene = make_scene(&r, POINT, MO_TREE_IRREGULAR, MO_ISA_AUTO, 100, true);
  uint32_t left = 7;
  cr_assert_eq(mo_scene_visit_pairs(scene, NULL, stop_at, &left), MO_OK);
  cr_assert_eq(left, 0);
  left = 3000;
  cr_assert_eq(mo_scene_visit_pairs(scene, NULL, stop_at, &left), MO_OK);
  cr_assert_eq(left, 0);
  mo_scene_destroy(scene);
}

Test(pairs, errors) {
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene, *other;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  cr_assert_eq(mo_scene_create(&def, &other), MO_OK);
  const mo_result null = MO_ERROR_NULL_ARGUMENT;
  mo_pair pair;
  uint32_t total = 7;
  cr_expect_eq(mo_scene_find_pairs(NULL, NULL, &pair, 1, &total), null);
  cr_expect_eq(mo_scene_find_pairs(scene, NULL, NULL, 1, &total), null);
  cr_expect_eq(mo_scene_find_pairs(scene, NULL, &pair, 1, NULL), null);
  cr_expect_eq(mo_scene_visit_pairs(NULL, NULL, collect, NULL), null);
  cr_expect_eq(mo_scene_visit_pairs(scene, NULL, NULL, NULL), null);
  cr_expect_eq(mo_scene_find_pairs_between(NULL, scene, NULL, &pair, 1, &total), null);
  cr_expect_eq(mo_scene_find_pairs_between(scene, NULL, NULL, &pair, 1, &total), null);
  cr_expect_eq(mo_scene_find_pairs_between(scene, other, NULL, NULL, 1, &total), null);
  cr_expect_eq(mo_scene_find_pairs_between(scene, other, NULL, &pair, 1, NULL), null);
  cr_expect_eq(mo_scene_visit_pairs_between(scene, other, NULL, NULL, NULL), null);
  cr_expect_eq(mo_scene_find_pairs_between(scene, scene, NULL, &pair, 1, &total),
               MO_ERROR_INVALID_ARGUMENT);
  cr_expect_eq(mo_scene_visit_pairs_between(scene, scene, NULL, collect, NULL),
               MO_ERROR_INVALID_ARGUMENT);
  cr_expect_eq(total, 7);
  cr_expect_eq(mo_scene_find_pairs(scene, NULL, NULL, 0, &total), MO_OK);
  cr_expect_eq(total, 0);
  mo_scene_destroy(scene);
  mo_scene_destroy(other);
}
