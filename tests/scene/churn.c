/* Random operations of every kind, in every policy, with all invariants checked throughout. */
#include <criterion/criterion.h>
#include <string.h>

#include "support/world.h"

static void churn(const mo_tree_options *options, uint64_t seed, uint32_t max, uint64_t steps,
                  uint32_t every) {
  world *w = world_create_with(options, seed);
  for (uint64_t i = 0; i < steps; i++) {
    w->half_spaces = i < steps / 2 ? 0 : 0.05f;
    w->bodies = i < steps / 4 ? 0 : 0.3f;
    if (w->count > max) {
      uint32_t gone = w->count / 2;
      cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[w->count - gone], gone, NULL), MO_OK);
      w->count -= gone;
    }
    world_step(w);
    if (i % every == 0) {
      world_check(w, i % (16 * (uint64_t)every) == 0);
    }
  }
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  cr_assert_eq(stats.rebuild_count, 0);
  world_destroy(w);
}

Test(scene_churn, few_shapes_checked_at_every_step) {
  uint64_t seed = rng_seed("churn of few", 1);
  for (int policy = 0; policy < 3; policy++) {
    mo_tree_options options = mo_default_tree_options();
    options.policy = world_policies[policy];
    churn(&options, seed, 60, rng_few_rounds(20000, 100000), 1);
  }
}

Test(scene_churn, many_shapes) {
  uint64_t seed = rng_seed("churn of many", 2);
  for (int policy = 0; policy < 3; policy++) {
    mo_tree_options options = mo_default_tree_options();
    options.policy = world_policies[policy];
    churn(&options, seed, 2000, rng_few_rounds(20000, 100000), 50);
  }
}

/* The corners of the options: tiny and huge leaves, shallow trees, the paper's strict cells. */
Test(scene_churn, options) {
  uint64_t seed = rng_seed("churn with options", 3);
  for (int policy = 0; policy < 3; policy++) {
    for (uint64_t i = 0; i < 8; i++) {
      rng r = rng_make(seed + i);
      mo_tree_options options = mo_default_tree_options();
      options.policy = world_policies[policy];
      options.capacity = i == 0 ? 1 : i == 1 ? 1024 : 1 + rng_below(&r, 40);
      options.max_depth = i == 2 ? 1 : 1 + rng_below(&r, MO_SCENE_MAX_DEPTH);
      options.max_straddlers = i == 3 ? 0 : i == 4 ? 1 : rng_float(&r, 0, 1);
      options.looseness =
          options.policy == MO_TREE_IRREGULAR && i % 2 == 0 ? 1 : 1 + rng_float(&r, 0.01f, 3);
      churn(&options, seed + i, 400, rng_few_rounds(2500, 20000), 5);
    }
  }
}

/* The same operations give the same tree, to the last counter. */
Test(scene_churn, is_deterministic) {
  uint64_t seed = rng_seed("determinism", 4);
  for (int policy = 0; policy < 3; policy++) {
    mo_scene_stats stats[2];
    for (int run = 0; run < 2; run++) {
      world *w = world_create(world_policies[policy], seed);
      for (int i = 0; i < 3000; i++) {
        world_step(w);
      }
      cr_assert_eq(mo_scene_get_stats(w->scene, &stats[run]), MO_OK);
      world_destroy(w);
    }
    cr_assert_eq(memcmp(&stats[0], &stats[1], sizeof stats[0]), 0);
  }
}
