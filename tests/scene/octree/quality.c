/* Maintenance without end: after long motion of every kind the tree is about as good as a new one,
 * by the visits that a line through the scene expects and by how many nodes and blocks there are,
 * which is what large boxes meet; and nothing is ever rebuilt. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <motte/scene.h>

#include "support/rng.h"

typedef enum motion { WALK, BOUNCE, DRIFT, TELEPORT, PULSATE, EXPAND, CHURN, MOTIONS } motion;

static const char *const motion_names[MOTIONS] = {"walk",    "bounce", "drift", "teleport",
                                                  "pulsate", "expand", "churn"};

typedef struct troop {
  rng r;
  uint32_t count;
  float side;
  mo_scene *scene;
  mo_shape_def *defs;
  mo_transform *transforms;
  mo_shape_id *ids;
  mo_vec3 *home, *velocity;
  uint64_t upkeep; /* of each update */
} troop;

static mo_scene *make_scene(const troop *t, const mo_tree_options *options, mo_shape_id *ids) {
  mo_scene_def def = mo_default_scene_def();
  def.tree = *options;
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  cr_assert_eq(mo_scene_add_shapes(scene, t->defs, t->count, ids, NULL), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  return scene;
}

/* `octaves`: sizes from 2^-octaves/2 to 2^octaves/2. */
static troop troop_make(uint32_t count, float octaves, uint64_t seed,
                        const mo_tree_options *options) {
  troop t = {.r = rng_make(seed), .count = count, .upkeep = UINT64_MAX};
  t.side = 2 * cbrtf((float)count / 0.8f) * (octaves > 0 ? 5 : 1);
  t.defs = calloc(count, sizeof *t.defs);
  t.transforms = calloc(count, sizeof *t.transforms);
  t.ids = calloc(count, sizeof *t.ids);
  t.home = calloc(count, sizeof *t.home);
  t.velocity = calloc(count, sizeof *t.velocity);
  for (uint32_t i = 0; i < count; i++) {
    float half = 0.5f * exp2f(rng_float(&t.r, -octaves / 2, octaves / 2));
    t.defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    t.defs[i].geometry.box.half_extents = (mo_vec3){half, half, half};
    t.home[i] = rng_vec3(&t.r, -t.side / 2, t.side / 2);
    t.velocity[i] = rng_vec3(&t.r, -0.1f, 0.1f);
    t.defs[i].transform.origin = t.home[i];
    t.transforms[i] = t.defs[i].transform;
  }
  t.scene = make_scene(&t, options, t.ids);
  return t;
}

static void troop_free(troop *t) {
  mo_scene_destroy(t->scene);
  free(t->defs);
  free(t->transforms);
  free(t->ids);
  free(t->home);
  free(t->velocity);
}

static void scale_to(troop *t, uint32_t i, float factor) {
  mo_vec3 p = t->home[i];
  t->transforms[i].origin = (mo_vec3){p.x * factor, p.y * factor, p.z * factor};
}

static void bounce(float *x, float *v, float half) {
  *x += *v;
  if (fabsf(*x) > half) {
    *v = *x > 0 ? -fabsf(*v) : fabsf(*v);
  }
}

static void move_one(troop *t, uint32_t i, motion kind, double phase) {
  mo_vec3 *p = &t->transforms[i].origin;
  mo_vec3 step = rng_vec3(&t->r, -0.1f, 0.1f);
  switch (kind) {
  case WALK:
    *p = (mo_vec3){p->x + step.x, p->y + step.y, p->z + step.z};
    break;
  case BOUNCE:
    bounce(&p->x, &t->velocity[i].x, t->side / 2);
    bounce(&p->y, &t->velocity[i].y, t->side / 2);
    bounce(&p->z, &t->velocity[i].z, t->side / 2);
    break;
  case DRIFT:
    p->x += 0.1f + 0.1f * step.x;
    break;
  case TELEPORT:
  case CHURN:
    if (rng_chance(&t->r, 0.05)) {
      *p = rng_vec3(&t->r, -t->side / 2, t->side / 2);
    }
    break;
  case PULSATE: /* three times down to a hundredth and back */
    scale_to(t, i, (float)(0.505 + 0.495 * cos(6 * 3.14159265 * phase)));
    break;
  case EXPAND: /* a thousandfold and back */
    scale_to(t, i, (float)pow(1000, 0.5 - 0.5 * cos(2 * 3.14159265 * phase)));
    break;
  case MOTIONS:
    break;
  }
}

static void frame(troop *t, motion kind, double phase) {
  for (uint32_t i = 0; i < t->count; i++) {
    move_one(t, i, kind, phase);
  }
  cr_assert_eq(mo_scene_set_transforms(t->scene, t->ids, t->transforms, t->count, NULL), MO_OK);
  for (uint32_t k = 0; kind == CHURN && k < t->count / 50; k++) {
    uint32_t i = rng_below(&t->r, t->count);
    t->defs[i].transform = t->transforms[i];
    cr_assert_eq(mo_scene_remove_shape(t->scene, t->ids[i]), MO_OK);
    cr_assert_eq(mo_scene_add_shape(t->scene, &t->defs[i], &t->ids[i]), MO_OK);
  }
  mo_update_def update = mo_default_update_def();
  update.upkeep = t->upkeep;
  cr_assert_eq(mo_scene_update(t->scene, &update), MO_OK);
}

static mo_scene_stats stats_of(const mo_scene *scene) {
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  cr_assert_eq(mo_scene_get_stats(scene, &stats), MO_OK);
  cr_assert_eq(stats.rebuild_count, 0);
  return stats;
}

/* What there is of a tree over what there is of a fresh one. */
typedef struct ratios {
  double visits, nodes, blocks;
} ratios;

static ratios against_fresh(troop *t, const mo_tree_options *options) {
  for (uint32_t i = 0; i < t->count; i++) {
    t->defs[i].transform = t->transforms[i];
  }
  mo_shape_id *ids = calloc(t->count, sizeof *ids);
  mo_scene *scene = make_scene(t, options, ids);
  mo_scene_stats aged = stats_of(t->scene), fresh = stats_of(scene);
  ratios over = {
      .visits = (aged.expected_node_visits + aged.expected_block_visits) /
                (fresh.expected_node_visits + fresh.expected_block_visits),
      .nodes = aged.node_count / (double)fresh.node_count,
      .blocks = aged.block_count / (double)fresh.block_count,
  };
  mo_scene_destroy(scene);
  free(ids);
  return over;
}

static void last(motion kind, float octaves, uint32_t count, uint64_t frames) {
  uint64_t seed = rng_seed(motion_names[kind], 20);
  mo_tree_options options = mo_default_tree_options();
  troop t = troop_make(count, octaves, seed, &options);
  double worst = 0;
  for (uint64_t f = 0; f < frames; f++) {
    frame(&t, kind, (double)(f + 1) / (double)frames);
    if (f % (frames / 8) == frames / 8 - 1) {
      worst = fmax(worst, against_fresh(&t, &options).visits);
    }
  }
  /* What fast changes of scale leave behind is made good in the frames after. */
  for (int f = 0; f < 100; f++) {
    frame(&t, WALK, 0);
  }
  ratios over = against_fresh(&t, &options);
  fprintf(stderr, "%s, 2^%g: %.3f of fresh, %.3f at worst in between; nodes %.3f, blocks %.3f\n",
          motion_names[kind], (double)octaves, over.visits, worst, over.nodes, over.blocks);
  cr_expect_leq(over.visits, 1.25, "%s: %g of fresh", motion_names[kind], over.visits);
  cr_expect_leq(worst, kind == EXPAND || kind == PULSATE ? 2.0 : 1.25, "%s: %g of fresh",
                motion_names[kind], worst);
  cr_expect_leq(over.nodes, 1.4, "%s: %g of the nodes", motion_names[kind], over.nodes);
  cr_expect_leq(over.blocks, 1.2, "%s: %g of the blocks", motion_names[kind], over.blocks);
  troop_free(&t);
}

#define QUALITY_TEST(name, kind)                                                                   \
  Test(scene_quality, name) {                                                                      \
    uint64_t frames = rng_rounds(1000, 10000);                                                     \
    uint32_t count = (uint32_t)rng_rounds(2000, 20000);                                            \
    last(kind, 0, count, frames);                                                                  \
    last(kind, 10, count, frames);                                                                 \
  }

QUALITY_TEST(random_walk, WALK)
QUALITY_TEST(bouncing, BOUNCE)
QUALITY_TEST(drift_one_way, DRIFT)
QUALITY_TEST(teleports, TELEPORT)
QUALITY_TEST(gathering_and_scattering, PULSATE)
QUALITY_TEST(expanding_a_thousandfold, EXPAND)
QUALITY_TEST(removal_and_insertion, CHURN)

/* With a limit to upkeep, of which less than the changes call for gets done in a frame, the tree is
 * kept nearly as well, as rounds come to all of it in the end; and once the shapes are at rest it
 * becomes as good as any, with the least limit that there is. */
Test(scene_quality, limited_upkeep) {
  static const motion kinds[] = {WALK, DRIFT, TELEPORT, CHURN};
  mo_tree_options options = mo_default_tree_options();
  uint32_t count = (uint32_t)rng_rounds(2000, 20000);
  uint64_t frames = rng_rounds(600, 5000);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    for (uint64_t share = 1; share <= 32; share *= 32) {
      troop t = troop_make(count, 0, rng_seed("limited", 23), &options);
      t.upkeep = share * count / 2000;
      for (uint64_t f = 0; f < frames; f++) {
        frame(&t, kinds[k], (double)(f + 1) / (double)frames);
      }
      ratios moving = against_fresh(&t, &options);
      mo_update_def rest = mo_default_update_def();
      rest.upkeep = 1;
      for (uint32_t f = 0; f < 40 * count; f++) {
        cr_assert_eq(mo_scene_update(t.scene, &rest), MO_OK);
      }
      ratios over = against_fresh(&t, &options);
      fprintf(stderr, "%s, upkeep %u: %.3f of fresh, %.3f at rest; nodes %.3f, blocks %.3f\n",
              motion_names[kinds[k]], (unsigned)t.upkeep, moving.visits, over.visits, over.nodes,
              over.blocks);
      /* Drift is what needs most upkeep: planes that stay behind. */
      cr_expect_leq(moving.visits, share == 1 ? 3 : 1.5, "%s: %g of fresh", motion_names[kinds[k]],
                    moving.visits);
      cr_expect_leq(over.visits, 1.25, "%s: %g of fresh", motion_names[kinds[k]], over.visits);
      troop_free(&t);
    }
  }
}

/* Counts do not drift: they stay about the same, and few nodes are made for it. With 1,250 and
 * 10,000 shapes half of the smallest nodes would be above the capacity as leaves, half not. */
Test(scene_quality, counts_do_not_drift) {
  enum { SPANS = 4 };
  uint64_t seed = rng_seed("counts", 22), frames = rng_rounds(1000, 2500);
  mo_tree_options options = mo_default_tree_options();
  troop t = troop_make((uint32_t)rng_rounds(1250, 10000), 0, seed, &options);
  uint64_t splits = 0;
  for (int span = 0; span < SPANS; span++) {
    for (uint64_t f = 0; f < frames; f++) {
      frame(&t, WALK, 0);
    }
    ratios over = against_fresh(&t, &options);
    mo_scene_stats stats = stats_of(t.scene);
    double made = (double)(stats.split_count - splits) / (double)frames;
    fprintf(stderr, "after %d spans: nodes %.3f, blocks %.3f of fresh, %.3f splits a frame\n",
            span + 1, over.nodes, over.blocks, made);
    /* So few shapes make so few nodes that chance has a part in it: of 20 seeds the worst had
     * 1.45, where they were 1.3 on average. */
    cr_expect_leq(over.nodes, 1.6);
    cr_expect_leq(over.blocks, 1.2);
    cr_expect(span == 0 || made < (double)t.count / 2000);
    splits = stats.split_count;
  }
  troop_free(&t);
}

/* Slack is what it is for: small shapes do not stick at high planes, where every query meets
 * them. */
Test(scene_quality, no_hot_spots) {
  uint64_t seed = rng_seed("hot spots", 21);
  double blocks[4];
  for (int i = 0; i < 4; i++) {
    mo_tree_options options = mo_default_tree_options();
    options.policy = i < 2 ? MO_TREE_IRREGULAR : i == 2 ? MO_TREE_LOOSE : MO_TREE_MIDPOINT;
    options.looseness = i == 1 ? 1 : 2;
    troop t = troop_make(5000, 0, seed, &options);
    mo_scene_stats stats;
    cr_assert_eq(mo_scene_get_stats(t.scene, &stats), MO_OK);
    blocks[i] = stats.expected_block_visits;
    cr_expect_eq(stats.shape_count_at_depth[0] == 0, i == 0 || i == 2);
    troop_free(&t);
  }
  fprintf(stderr, "block visits: irregular %g, strict %g, loose %g, midpoint %g\n", blocks[0],
          blocks[1], blocks[2], blocks[3]);
  cr_expect_lt(5 * blocks[0], blocks[1]);
  cr_expect_lt(3 * blocks[2], blocks[3]);
}
