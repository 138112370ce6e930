/* Limited upkeep: what one update leaves is done by later ones, however little each may do; all
 * parts of the tree get their turn; and what an update spends beyond its limit is paid back. */
#include <criterion/criterion.h>
#include <motte/query.h>
#include <stdio.h>

#include "scene/octree/tree.h"
#include "support/world.h"

enum { COUNT = 4000 };

static const mo_tree_policy policies[3] = {MO_TREE_IRREGULAR, MO_TREE_LOOSE, MO_TREE_MIDPOINT};

typedef struct crowd {
  mo_scene *scene;
  mo_shape_id ids[COUNT];
  rng r;
} crowd;

static void print_log(mo_log_level level, const char *message, void *context) {
  (void)level;
  (void)context;
  fprintf(stderr, "%s\n", message);
}

static crowd crowd_of(mo_tree_policy policy, uint64_t seed) {
  crowd c = {.r = rng_make(seed)};
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = policy;
  def.host.log = print_log;
  cr_assert_eq(mo_scene_create(&def, &c.scene), MO_OK);
  static mo_shape_def defs[COUNT];
  for (int i = 0; i < COUNT; i++) {
    mo_vec3 place = rng_vec3(&c.r, -50, 50);
    defs[i] = mo_default_shape_def(MO_SHAPE_SPHERE);
    defs[i].geometry.sphere.radius = 0.01f;
    defs[i].transform = world_translation(place.x, place.y, place.z);
  }
  cr_assert_eq(mo_scene_add_shapes(c.scene, defs, COUNT, c.ids, NULL), MO_OK);
  for (int i = 0; i < 20; i++) {
    cr_assert_eq(mo_scene_update(c.scene, NULL), MO_OK);
  }
  return c;
}

static void move_to(crowd *c, uint32_t shape, float from, float to) {
  mo_vec3 place = rng_vec3(&c->r, from, to);
  mo_transform transform = world_translation(place.x, place.y, place.z);
  cr_assert_eq(mo_scene_set_transform(c->scene, c->ids[shape], &transform), MO_OK);
}

/* All shapes but every eighth, one by one, into a corner of the region. */
static void gather(crowd *c) {
  for (uint32_t i = 0; i < COUNT; i++) {
    if (i % 8) {
      move_to(c, i, 0, 3);
    }
  }
}

static mo_scene_stats stats_of(const crowd *c) {
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_validate(c->scene), MO_OK);
  cr_assert_eq(mo_scene_get_stats(c->scene, &stats), MO_OK);
  return stats;
}

static double visits(const mo_scene_stats *s) {
  return s->expected_node_visits + s->expected_block_visits;
}

/* Subtrees made and planes moved so far. */
static uint64_t made(const mo_scene_stats *s) {
  return s->split_count + s->merge_count + s->replan_count + s->plane_move_count;
}

static void update(crowd *c, uint64_t limit) {
  mo_update_def def = mo_default_update_def();
  def.upkeep = limit;
  cr_assert_eq(mo_scene_update(c->scene, &def), MO_OK);
}

/* Whether the round of upkeep that follows the changes so far is finished. */
static bool is_done(const crowd *c) {
  return !c->scene->round_is_unfinished && c->scene->upkeep_debt == 0;
}

/* With each limit a round comes to its end, and then the tree is as good as the one that an update
 * without a limit leaves. */
Test(scene_upkeep, any_limit_gets_done) {
  uint64_t seed = rng_seed("scene/upkeep: limits", 90);
  static const uint64_t limits[] = {1, 2, 3, 5, 8, 9, 30, 1000};
  for (int policy = 0; policy < 3; policy++) {
    crowd free = crowd_of(policies[policy], seed);
    gather(&free);
    mo_scene_stats before = stats_of(&free);
    update(&free, UINT64_MAX);
    mo_scene_stats best = stats_of(&free);
    cr_assert(made(&best) > made(&before));
    mo_scene_destroy(free.scene);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
      crowd c = crowd_of(policies[policy], seed);
      gather(&c);
      uint32_t updates = 0;
      do {
        update(&c, limits[i]);
        if (updates % 256 == 0) {
          cr_assert_eq(mo_scene_validate(c.scene), MO_OK);
        }
        updates++;
      } while (!is_done(&c) && updates < 20000);
      mo_scene_stats now = stats_of(&c);
      cr_expect(is_done(&c), "%s, limit %u: not done", world_policy_names[policy],
                (unsigned)limits[i]);
      fprintf(stderr, "%s, limit %u: %u updates, made %u and %u, visits %.3f of those without\n",
              world_policy_names[policy], (unsigned)limits[i], updates,
              (unsigned)(made(&now) - made(&before)), (unsigned)(made(&best) - made(&before)),
              visits(&now) / visits(&best));
      cr_expect(made(&now) > made(&before) && visits(&now) <= 1.02 * visits(&best),
                "%s, limit %u: %g visits, not %g", world_policy_names[policy], (unsigned)limits[i],
                visits(&now), visits(&best));
      mo_scene_destroy(c.scene);
    }
  }
}

/* Motion without end in one part of the tree does not keep upkeep from the others: rounds end, so
 * that each node is examined again and again. */
Test(scene_upkeep, all_parts_get_their_turn) {
  for (int policy = 0; policy < 3; policy++) {
    for (uint64_t limit = 1; limit <= 64; limit *= 8) {
      crowd c = crowd_of(policies[policy], rng_seed("scene/upkeep: turns", 91));
      gather(&c);
      uint32_t rounds = c.scene->round_count, updates = 0;
      for (; c.scene->round_count < rounds + 3 && updates < 30000; updates++) {
        for (uint32_t i = 0; i < 4; i++) { /* in octants that come first */
          move_to(&c, rng_below(&c.r, 300), -50, updates % 97 == 0 ? -80 : -20);
        }
        update(&c, limit);
        if (updates % 64 == 0) {
          cr_assert_eq(mo_scene_validate(c.scene), MO_OK);
        }
      }
      cr_expect(c.scene->round_count == rounds + 3, "%s, limit %u: %u rounds in %u updates",
                world_policy_names[policy], (unsigned)limit, c.scene->round_count - rounds,
                updates);
      mo_scene_destroy(c.scene);
    }
  }
}

/* Over many updates no more is spent than they are given: an update that is in debt does
 * nothing. */
Test(scene_upkeep, debts_are_paid) {
  crowd c = crowd_of(MO_TREE_IRREGULAR, rng_seed("scene/upkeep: debts", 92));
  gather(&c);
  uint64_t max = 0;
  uint32_t idle = 0;
  for (int i = 0; i < 6000; i++) {
    uint64_t debt = c.scene->upkeep_debt;
    mo_scene_stats before, after;
    cr_assert_eq(mo_scene_get_stats(c.scene, &before), MO_OK);
    update(&c, 3);
    cr_assert_eq(mo_scene_get_stats(c.scene, &after), MO_OK);
    if (debt >= 3) {
      cr_expect_eq(made(&after), made(&before));
      cr_expect_eq(c.scene->upkeep_debt, debt - 3);
      idle++;
    }
    max = c.scene->upkeep_debt > max ? c.scene->upkeep_debt : max;
  }
  cr_expect(max > 0 && idle > 0);
  /* A node made anew, and what planes may move. */
  cr_expect(max <= (uint64_t)MO_REPLAN_MAX_SIZE * c.scene->options.capacity + 64 + COUNT / 2,
            "a debt of %llu", (unsigned long long)max);
  update(&c, UINT64_MAX);
  cr_expect_eq(c.scene->upkeep_debt, 0);
  mo_scene_destroy(c.scene);
}

/* No upkeep at all is legal too: the tree stays valid, and catches up later. */
Test(scene_upkeep, no_upkeep_at_all_is_caught_up_later) {
  for (int policy = 0; policy < 3; policy++) {
    crowd c = crowd_of(policies[policy], rng_seed("scene/upkeep: none", 93));
    gather(&c);
    mo_scene_stats before = stats_of(&c), after;
    for (int i = 0; i < 50; i++) {
      update(&c, 0);
    }
    after = stats_of(&c);
    cr_expect_eq(made(&before), made(&after));
    update(&c, UINT64_MAX);
    after = stats_of(&c);
    cr_expect(made(&after) > made(&before));
    mo_scene_destroy(c.scene);
  }
}

/* The root cube doubles while the old root is being examined, and has changed again since: those
 * changes belong to the next round, which must find them. */
Test(scene_upkeep, a_root_may_grow_in_the_middle_of_a_round) {
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.tree.policy = MO_TREE_LOOSE;
  scene_def.tree.capacity = 1;
  scene_def.host.log = print_log;
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  const mo_vec3 places[3][2] = {{{0.125f, 0.125f, -9.5f}, {-10, -10, -2.375f}},
                                {{-1.125f, -1.125f, -10.75f}, {-11.25f, -9.5f, -3.625f}},
                                {{-10, -10, -10}, {14.25f, -10, -10}}};
  mo_shape_id ids[2];
  for (int i = 0; i < 2; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_BOX);
    shape.transform.origin = places[0][i];
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &ids[i]), MO_OK);
  }
  for (int frame = 1; frame < 3; frame++) {
    mo_update_def def = mo_default_update_def();
    def.ids = ids;
    def.origins = places[frame];
    def.count = 2;
    def.upkeep = frame == 1 ? 1 : def.upkeep;
    cr_assert_eq(mo_scene_update(scene, &def), MO_OK);
    cr_assert_eq(mo_scene_validate(scene), MO_OK, "frame %d", frame);
  }
  mo_scene_destroy(scene);
}
