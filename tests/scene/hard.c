/* Scenes that have broken trees elsewhere: everything in one point, sizes far apart, places far
 * away, growth without end. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/world.h"

typedef struct crowd {
  mo_scene *scene;
  uint32_t count;
  mo_shape_def *defs;
  mo_transform *transforms;
  mo_shape_id *ids;
} crowd;

static crowd crowd_make(mo_tree_policy policy, uint32_t count) {
  crowd c = {.count = count};
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = policy;
  cr_assert_eq(mo_scene_create(&def, &c.scene), MO_OK);
  c.defs = calloc(count, sizeof *c.defs);
  c.transforms = calloc(count, sizeof *c.transforms);
  c.ids = calloc(count, sizeof *c.ids);
  for (uint32_t i = 0; i < count; i++) {
    c.defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
  }
  return c;
}

static void crowd_add(crowd *c) {
  cr_assert_eq(mo_scene_add_shapes(c->scene, c->defs, c->count, c->ids, NULL), MO_OK);
  for (uint32_t i = 0; i < c->count; i++) {
    c->transforms[i] = c->defs[i].transform;
  }
}

static void crowd_move(crowd *c) {
  cr_assert_eq(mo_scene_set_transforms(c->scene, c->ids, c->transforms, c->count, NULL), MO_OK);
  cr_assert_eq(mo_scene_update(c->scene, NULL), MO_OK);
}

static void crowd_free(crowd *c) {
  mo_scene_destroy(c->scene);
  free(c->defs);
  free(c->transforms);
  free(c->ids);
}

static mo_scene_stats stats_of(const crowd *c) {
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_validate(c->scene), MO_OK);
  cr_assert_eq(mo_scene_get_stats(c->scene, &stats), MO_OK);
  cr_assert_leq(stats.max_depth, MO_SCENE_MAX_DEPTH);
  cr_assert_eq(stats.leaf_shape_count + stats.inner_shape_count, c->count);
  return stats;
}

/* 100,000 shapes at one point: no depth, no quadratic cost. */
Test(scene_hard, all_at_one_point) {
  for (int policy = 0; policy < 3; policy++) {
    crowd c = crowd_make(world_policies[policy], 100000);
    for (uint32_t i = 0; i < c.count; i++) {
      cr_assert_eq(mo_scene_add_shape(c.scene, &c.defs[i], &c.ids[i]), MO_OK);
      c.transforms[i] = c.defs[i].transform;
    }
    cr_assert_leq(stats_of(&c).node_count, 1);
    for (int frame = 0; frame < 10; frame++) {
      crowd_move(&c);
    }
    for (uint32_t i = 0; i < c.count; i += 2) {
      cr_assert_eq(mo_scene_remove_shape(c.scene, c.ids[i]), MO_OK);
    }
    for (uint32_t i = 0; i < c.count; i += 2) {
      cr_assert_eq(mo_scene_add_shape(c.scene, &c.defs[i], &c.ids[i]), MO_OK);
    }
    mo_scene_stats stats = stats_of(&c);
    cr_assert_leq(stats.node_count, 1);
    /* Each attempt to split examines all shapes: attempts must become rare. */
    fprintf(stderr, "%s: %llu splits refused\n", world_policy_names[policy],
            (unsigned long long)stats.refused_split_count);
    cr_expect_gt(stats.refused_split_count, 0);
    cr_expect_leq(stats.refused_split_count, 100);
    crowd_free(&c);
  }
}

/* What was at one point becomes a tree again when it parts. */
Test(scene_hard, parting_from_one_point) {
  rng r = rng_make(rng_seed("parting", 1));
  for (int policy = 0; policy < 3; policy++) {
    crowd c = crowd_make(world_policies[policy], (uint32_t)rng_rounds(10000, 100000));
    crowd_add(&c);
    for (int frame = 1; frame <= 50; frame++) {
      rng again = r;
      for (uint32_t i = 0; i < c.count; i++) {
        mo_vec3 p = rng_vec3(&again, -1, 1);
        float f = 2 * (float)frame;
        c.transforms[i] = world_translation(p.x * f, p.y * f, p.z * f);
      }
      crowd_move(&c);
    }
    /* Leaving a point that fast takes some frames to recover from. */
    for (int frame = 0; frame < 60; frame++) {
      for (uint32_t i = 0; i < c.count; i++) {
        c.transforms[i].origin.x += rng_float(&r, -0.05f, 0.05f);
      }
      crowd_move(&c);
    }
    mo_scene_stats parted = stats_of(&c);
    crowd fresh = crowd_make(world_policies[policy], c.count);
    for (uint32_t i = 0; i < c.count; i++) {
      fresh.defs[i].transform = c.transforms[i];
    }
    crowd_add(&fresh);
    mo_scene_stats goal = stats_of(&fresh);
    double ratio = (parted.expected_node_visits + parted.expected_block_visits) /
                   (goal.expected_node_visits + goal.expected_block_visits);
    fprintf(stderr, "%s: %.3f of fresh\n", world_policy_names[policy], ratio);
    cr_expect_lt(ratio, 1.5);
    crowd_free(&fresh);
    crowd_free(&c);
  }
}

Test(scene_hard, sizes_from_one_to_a_million) {
  rng r = rng_make(rng_seed("sizes", 2));
  for (int policy = 0; policy < 3; policy++) {
    crowd c = crowd_make(world_policies[policy], 5000);
    for (uint32_t i = 0; i < c.count; i++) {
      float size = exp2f(rng_float(&r, -10, 10));
      mo_vec3 p = rng_vec3(&r, -1000, 1000);
      c.defs[i].transform = mo_transform_make(p, rng_rotation(&r), (mo_vec3){size, size, size});
    }
    crowd_add(&c);
    for (int frame = 0; frame < 50; frame++) {
      for (uint32_t i = 0; i < c.count; i++) {
        mo_vec3 step = rng_vec3(&r, -1, 1);
        float size = c.transforms[i].x_axis.x;
        c.transforms[i].origin.x += step.x * size;
        c.transforms[i].origin.y += step.y * size;
      }
      crowd_move(&c);
      stats_of(&c);
    }
    crowd_free(&c);
  }
}

Test(scene_hard, far_from_the_origin) {
  rng r = rng_make(rng_seed("far", 3));
  for (int policy = 0; policy < 3; policy++) {
    crowd c = crowd_make(world_policies[policy], 2000);
    for (uint32_t i = 0; i < c.count; i++) {
      mo_vec3 p = rng_vec3(&r, -50, 50);
      c.defs[i].transform = world_translation(1e6f + p.x, p.y - 1e6f, 1e6f + p.z);
    }
    crowd_add(&c);
    mo_scene_stats stats = stats_of(&c);
    cr_expect_gt(stats.node_count, 20);
    cr_expect_lt(stats.inner_shape_count, policy == 0 ? 100 : 2000);
    crowd_free(&c);
  }
}

/* The scene grows by a half each frame, from tiny to the end of the world, and shrinks again. */
Test(scene_hard, growth_without_end) {
  rng r = rng_make(rng_seed("growth", 4));
  for (int policy = 0; policy < 3; policy++) {
    crowd c = crowd_make(world_policies[policy], 500);
    mo_vec3 place[500];
    for (uint32_t i = 0; i < c.count; i++) {
      place[i] = rng_vec3(&r, -1, 1);
      c.defs[i].transform =
          mo_transform_make(place[i], (mo_quat){0, 0, 0, 1}, (mo_vec3){0.01f, 0.01f, 0.01f});
    }
    crowd_add(&c);
    double scale = 1;
    for (int frame = 0; frame < 320; frame++) {
      scale *= frame < 160 ? 1.5 : 1 / 1.5;
      for (uint32_t i = 0; i < c.count; i++) {
        float s = (float)scale;
        c.transforms[i].origin = (mo_vec3){place[i].x * s, place[i].y * s, place[i].z * s};
      }
      crowd_move(&c);
      stats_of(&c);
    }
    crowd_free(&c);
  }
}

/* One shape leaves for the far end of the world and comes back; the others keep their tree. */
Test(scene_hard, an_outlier) {
  rng r = rng_make(rng_seed("outlier", 5));
  for (int policy = 0; policy < 3; policy++) {
    crowd c = crowd_make(world_policies[policy], 1000);
    for (uint32_t i = 0; i < c.count; i++) {
      c.defs[i].transform.origin = rng_vec3(&r, -50, 50);
    }
    crowd_add(&c);
    for (int k = 0; k < 30; k++) {
      mo_transform t = world_translation(0, powf(10, (float)k) - 20, -3);
      cr_assert_eq(mo_scene_set_transform(c.scene, c.ids[0], &t), MO_OK);
      cr_assert_eq(mo_scene_update(c.scene, NULL), MO_OK);
      cr_expect_gt(stats_of(&c).node_count, 5);
    }
    cr_assert_eq(mo_scene_set_transform(c.scene, c.ids[0], &c.defs[1].transform), MO_OK);
    for (int i = 0; i < 50; i++) {
      cr_assert_eq(mo_scene_update(c.scene, NULL), MO_OK);
    }
    cr_expect_lt(stats_of(&c).max_depth, 12);
    crowd_free(&c);
  }
}

/* Points, segments and flat shapes; and on a line, where areas vanish. */
Test(scene_hard, shapes_without_size) {
  rng r = rng_make(rng_seed("no size", 6));
  for (int policy = 0; policy < 3; policy++) {
    for (int kind = 0; kind < 4; kind++) {
      crowd c = crowd_make(world_policies[policy], 600);
      for (uint32_t i = 0; i < c.count; i++) {
        c.defs[i].geometry.box.half_extents = (mo_vec3){kind == 1, kind >= 2 && kind < 3, 0};
        mo_vec3 p = rng_vec3(&r, -100, 100);
        c.defs[i].transform.origin = (mo_vec3){p.x, kind == 3 ? 0 : p.y, kind == 3 ? 0 : p.z};
      }
      crowd_add(&c);
      cr_expect_gt(stats_of(&c).node_count, 5);
      for (int frame = 0; frame < 20; frame++) {
        for (uint32_t i = 0; i < c.count; i++) {
          c.transforms[i].origin.x += rng_float(&r, -1, 1);
        }
        crowd_move(&c);
        stats_of(&c);
      }
      crowd_free(&c);
    }
  }
}

/* Shapes on a lattice, with edges on planes and on each other. */
Test(scene_hard, lattice) {
  rng r = rng_make(rng_seed("lattice", 7));
  for (int policy = 0; policy < 3; policy++) {
    crowd c = crowd_make(world_policies[policy], 1000);
    for (uint32_t i = 0; i < c.count; i++) {
      c.defs[i].transform.origin =
          (mo_vec3){(float)(i % 10) * 2, (float)(i / 10 % 10) * 2, (float)(i / 100) * 2};
    }
    crowd_add(&c);
    for (int frame = 0; frame < 100; frame++) {
      for (uint32_t i = 0; i < c.count; i++) {
        c.transforms[i].origin.x += (float)rng_below(&r, 3) - 1;
        c.transforms[i].origin.z += (float)rng_below(&r, 3) - 1;
      }
      crowd_move(&c);
      stats_of(&c);
    }
    crowd_free(&c);
  }
}
