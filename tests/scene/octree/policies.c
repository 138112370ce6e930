/* Where each policy puts shapes, and that every tree finds them at once after every change. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/query.h>

#include "scene/octree/tree.h"
#include "support/world.h"

/* Shapes whose boxes touch a box, by the tree's bounds alone. */
static uint32_t find(const mo_scene *scene, uint32_t child, const mo_aabb *box) {
  if (child == MO_CHILD_EMPTY) {
    return 0;
  }
  uint32_t found = 0, head = mo_child_index(child);
  if (!mo_child_is_leaf(child)) {
    const mo_scene_node *node = mo_scene_node_at(scene, child);
    head = node->items;
    for (int octant = 0; octant < MO_LANE_COUNT; octant++) {
      if (mo_aabb_overlap(mo_bounds8_get(&node->bounds, octant), *box)) {
        found += find(scene, node->child[octant], box);
      }
    }
  }
  for (; head != MO_NONE; head = mo_shape_block_at(scene, head)->next) {
    for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
      found += mo_aabb_overlap(mo_bounds8_get(&mo_shape_block_at(scene, head)->bounds, lane), *box);
    }
  }
  return found;
}

static uint32_t find_all(const world *w, const mo_aabb *box) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    mo_aabb bounds;
    cr_assert_eq(mo_scene_get_bounds(w->scene, w->ids[i], &bounds), MO_OK);
    found += mo_aabb_overlap(bounds, *box);
  }
  return found;
}

Test(scene_policies, shapes_are_found_after_every_change) {
  uint64_t seed = rng_seed("finding", 31);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    for (uint64_t i = 0; i < rng_rounds(4000, 40000); i++) {
      world_step(w);
      mo_vec3 p = rng_vec3(&w->r, -w->size / 2, w->size / 2);
      float reach = w->size * rng_float(&w->r, 0, 0.2f);
      mo_aabb box = {{p.x - reach, p.y - reach, p.z - reach},
                     {p.x + reach, p.y + reach, p.z + reach}};
      if (i % 7 == 0) {
        cr_assert(mo_aabb_overlap(w->scene->root_bounds, box) || find_all(w, &box) == 0);
        cr_assert_eq(find(w->scene, w->scene->root, &box), find_all(w, &box));
      }
    }
    world_destroy(w);
  }
}

/* Calls `visit` for each shape with the node that stores it, or whose leaf does. */
typedef void visitor(const mo_scene *scene, const mo_block_cell *at, uint32_t depth, bool leaf,
                     const mo_aabb *box);

static void walk(const mo_scene *scene, uint32_t child, uint32_t depth, visitor *visit) {
  if (child == MO_CHILD_EMPTY) {
    return;
  }
  bool leaf = mo_child_is_leaf(child);
  uint32_t head = leaf ? mo_child_index(child) : mo_scene_node_at(scene, child)->items;
  for (; head != MO_NONE; head = mo_shape_block_at(scene, head)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, head);
    for (uint32_t lane = 0; lane < block->count; lane++) {
      mo_aabb box = mo_bounds8_get(&block->bounds, (int)lane);
      visit(scene, &scene->cells[head], depth, leaf, &box);
    }
  }
  for (int octant = 0; !leaf && octant < MO_LANE_COUNT; octant++) {
    walk(scene, mo_scene_node_at(scene, child)->child[octant], depth + 1, visit);
  }
}

static uint32_t seen_in_leaves, seen_inside;

static void fill(world *w, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    w->defs[i] = world_shape(w);
  }
  cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs, count, w->ids, NULL), MO_OK);
  w->count = count;
  seen_in_leaves = seen_inside = 0;
}

/* A shape that a node keeps fits none of its octants; a shape in a leaf fits the leaf's cell. */
static void is_lowest(const mo_scene *scene, const mo_block_cell *at, uint32_t depth, bool leaf,
                      const mo_aabb *box) {
  (void)depth;
  if (leaf) {
    seen_in_leaves++;
    cr_assert(mo_aabb_contains(at->cell, *box));
    return;
  }
  seen_inside++;
  uint32_t index = at->owner & ~MO_OWNER_IS_NODE;
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_aabb cell = index == scene->root ? scene->root_cell : at->cell;
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    if ((octant & ~(uint32_t)node->axes) == 0) {
      cr_assert_not(mo_aabb_contains(mo_octant_cell(node, octant, cell), *box));
    }
  }
}

/* The paper's cells, and the classical ones, are strict. */
Test(scene_policies, strict_cells_hold_the_lowest_shapes) {
  uint64_t seed = rng_seed("strict cells", 32);
  for (int i = 0; i < 2; i++) {
    mo_tree_options options = mo_default_tree_options();
    options.policy = i ? MO_TREE_MIDPOINT : MO_TREE_IRREGULAR;
    options.looseness = 1;
    world *w = world_create_with(&options, seed);
    fill(w, 2000);
    walk(w->scene, w->scene->root, 0, is_lowest);
    cr_assert_gt(seen_in_leaves, 500);
    cr_assert_gt(seen_inside, 50);
    world_destroy(w);
  }
}

/* Depth from size, octant by centre: what Ulrich's formula says. */
static void is_as_deep_as_its_size(const mo_scene *scene, const mo_block_cell *at, uint32_t depth,
                                   bool leaf, const mo_aabb *box) {
  double width = ldexp(1, scene->root_exponent);
  double size = mo_aabb_max_width(box);
  double formula =
      size > 0 ? floor(log2(((double)scene->options.looseness - 1) * width / size)) : 1e9;
  uint32_t wanted = formula < 0 ? 0 : formula > 1e8 ? UINT32_MAX : (uint32_t)formula;
  if (leaf) {
    seen_in_leaves++;
    cr_assert_leq(depth, wanted);
  } else {
    seen_inside++;
    cr_assert_eq(depth, wanted);
  }
  mo_vec3 center = mo_scale(0.5f, mo_add(box->lower, box->upper));
  cr_assert(mo_aabb_contains(at->cell, (mo_aabb){center, center}));
  /* Integer coordinates of the cell relative to the corner of the root. */
  double cell_width = ldexp(width, -(int)depth);
  for (int axis = 0; axis < 3 && depth > 0; axis++) {
    double origin = mo_get(scene->root_cell.lower, axis);
    double x = floor((mo_get(center, axis) - origin) / cell_width);
    cr_assert_float_eq(mo_get(at->cell.lower, axis), origin + x * cell_width, 1e-4);
  }
}

Test(scene_policies, loose_depth_comes_from_size) {
  uint64_t seed = rng_seed("loose depth", 33);
  for (int i = 0; i < 3; i++) {
    mo_tree_options options = mo_default_tree_options();
    options.policy = MO_TREE_LOOSE;
    options.looseness = i == 0 ? 1.3f : i == 1 ? 2 : 4;
    options.capacity = 4;
    world *w = world_create_with(&options, seed);
    fill(w, 2000);
    walk(w->scene, w->scene->root, 0, is_as_deep_as_its_size);
    cr_assert_gt(seen_in_leaves, 100);
    cr_assert_gt(seen_inside, 50);
    world_destroy(w);
  }
}

/* Columns as high as the region: no plane may cut them in two, so that they descend by the
 * others. */
Test(scene_policies, planes_that_too_many_straddle_are_left_out) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("columns", 34));
  for (uint32_t i = 0; i < 1000; i++) {
    w->defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    w->defs[i].geometry.box.half_extents = mo_vec(0.1f, 0.1f, 40);
    w->defs[i].transform.origin = rng_vec3(&w->r, -50, 50);
  }
  cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs, 1000, w->ids, NULL), MO_OK);
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  cr_expect_gt(stats.dropped_plane_count, 10);
  cr_expect_lt(stats.plane_count, 2 * stats.node_count + 1);
  cr_expect_lt(stats.inner_shape_count, 50);
  world_destroy(w);
}

Test(scene_policies, small_moves_stay_and_large_ones_reinsert) {
  uint64_t seed = rng_seed("stay", 35);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    fill(w, 1000);
    mo_scene_stats before, small, large;
    cr_assert_eq(mo_scene_get_stats(w->scene, &before), MO_OK);
    for (uint32_t i = 0; i < w->count; i++) {
      w->defs[i].transform.origin.x += 1e-4f;
      cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[i], &w->defs[i].transform), MO_OK);
    }
    cr_assert_eq(mo_scene_get_stats(w->scene, &small), MO_OK);
    for (uint32_t i = 0; i < w->count; i++) {
      w->defs[i].transform.origin = rng_vec3(&w->r, -50, 50);
      cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[i], &w->defs[i].transform), MO_OK);
    }
    cr_assert_eq(mo_scene_get_stats(w->scene, &large), MO_OK);
    cr_expect_geq(small.stayed_move_count - before.stayed_move_count, 990);
    cr_expect_leq(small.reinsert_count - before.reinsert_count, 10);
    cr_expect_geq(large.reinsert_count - small.reinsert_count, 600);
    cr_expect_eq(large.reinsert_count + large.stayed_move_count, 2 * (uint64_t)w->count);
    world_check(w, true);
    world_destroy(w);
  }
}

/* The list that a shape is in, and the nodes above it from the lowest on. A bit marks lists of
 * leaves. */
typedef struct way {
  uint64_t steps[MO_SCENE_MAX_DEPTH + 2];
  int count;
} way;

static way way_of(const mo_scene *scene, uint32_t slot) {
  way w = {.count = 0};
  uint32_t owner = scene->cells[scene->places[slot] >> 3].owner, up = owner;
  if (owner & MO_OWNER_IS_NODE) {
    uint32_t node = owner & ~MO_OWNER_IS_NODE;
    w.steps[w.count++] = node;
    up = mo_scene_node_at(scene, node)->parent;
  } else {
    w.steps[w.count++] = owner | (uint64_t)1 << 40;
  }
  for (; up != MO_NONE; up = mo_scene_node_at(scene, up >> 3)->parent) {
    w.steps[w.count++] = up >> 3;
  }
  return w;
}

/* Adds the levels from one place up to the lowest common ancestor, and down to the other. */
static void add_levels(const way *from, const way *to, double *climbed, double *descended) {
  for (int i = 0; i < from->count; i++) {
    for (int j = 0; j < to->count; j++) {
      if (from->steps[i] == to->steps[j]) {
        *climbed += i;
        *descended += j;
        return;
      }
    }
  }
  cr_assert(false, "no common ancestor");
}

static mo_scene_stats stats_of(const world *w) {
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  return stats;
}

/* Whether the nodes that were there before still have the same parents. */
static bool same_tree(const mo_scene_stats *a, const mo_scene_stats *b) {
  return a->split_count == b->split_count && a->merge_count == b->merge_count &&
         a->root_growth_count == b->root_growth_count;
}

/* Some go one level up and down again, others through the root; alone, and alone among those of a
 * batch that stay. One in 64 is counted. */
Test(scene_policies, the_levels_that_a_reinsert_passes) {
  enum { MOVES = 12000, BATCH = 20 };
  uint64_t seed = rng_seed("levels", 39);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    fill(w, 1500);
    uint32_t compared = 0;
    double all = 0;
    for (int i = 0; i < MOVES; i++) {
      uint32_t which = rng_below(&w->r, w->count), count = i % 2 ? BATCH : 1;
      which = which < w->count - BATCH ? which : w->count - BATCH;
      float far = i % 3 ? 3 : 50;
      mo_transform to[BATCH];
      for (uint32_t k = 0; k < count; k++) {
        to[k] = w->defs[which + k].transform;
      }
      to[0].origin = mo_add(to[0].origin, rng_vec3(&w->r, -far, far));
      w->defs[which].transform = to[0];
      way from = way_of(w->scene, w->ids[which].index);
      mo_scene_stats before = stats_of(w);
      cr_assert_eq(mo_scene_set_transforms(w->scene, &w->ids[which], to, count, NULL), MO_OK);
      mo_scene_stats after = stats_of(w);
      cr_assert_eq(after.traced_reinsert_count, (after.reinsert_count + 63) / 64);
      way at = way_of(w->scene, w->ids[which].index);
      /* Another of the batch may have been due before. */
      if (same_tree(&before, &after) && after.reinsert_count == before.reinsert_count + 1 &&
          before.reinsert_count % 64 == 0 && at.steps[0] != from.steps[0]) {
        double climbed = 0, descended = 0;
        add_levels(&from, &at, &climbed, &descended);
        cr_assert_eq((double)(after.traced_level_up_count - before.traced_level_up_count), climbed);
        cr_assert_eq((double)(after.traced_level_down_count - before.traced_level_down_count),
                     descended);
        compared++;
        all += climbed;
      }
      if (i % 16 == 0) {
        cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
      }
    }
    cr_expect_gt(compared, MOVES / 256, "%s: %u", world_policy_names[policy], compared);
    cr_expect_gt(all, compared);
    world_destroy(w);
  }
}

/* Of many that are reinserted together one in 64 is counted: that many, and typical of all. */
Test(scene_policies, the_levels_that_reinserts_pass_together) {
  enum { ROUNDS = 240 };
  uint64_t seed = rng_seed("levels together", 40);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    fill(w, 3000);
    static way from[WORLD_MAX];
    static mo_transform to[WORLD_MAX];
    double climbed = 0, descended = 0, moved = 0, told[2] = {0, 0}, traced = 0;
    for (int round = 0; round < ROUNDS; round++) {
      /* Less than are grafted. */
      uint32_t count = 50 + rng_below(&w->r, 150), first = rng_below(&w->r, w->count - count);
      for (uint32_t i = 0; i < count; i++) {
        from[i] = way_of(w->scene, w->ids[first + i].index);
        to[i] = w->defs[first + i].transform;
        to[i].origin = mo_add(to[i].origin, rng_vec3(&w->r, -15, 15));
        w->defs[first + i].transform = to[i];
      }
      mo_scene_stats before = stats_of(w);
      cr_assert_eq(mo_scene_set_transforms(w->scene, &w->ids[first], to, count, NULL), MO_OK);
      mo_scene_stats after = stats_of(w);
      uint64_t reinserts = after.reinsert_count - before.reinsert_count;
      cr_assert_eq(after.graft_count, before.graft_count);
      cr_assert_eq(after.traced_reinsert_count, (after.reinsert_count + 63) / 64);
      if (same_tree(&before, &after)) {
        for (uint32_t i = 0; i < count; i++) {
          way at = way_of(w->scene, w->ids[first + i].index);
          if (at.steps[0] != from[i].steps[0]) {
            add_levels(&from[i], &at, &climbed, &descended);
          }
        }
        moved += (double)reinserts;
        traced += (double)(after.traced_reinsert_count - before.traced_reinsert_count);
        told[0] += (double)(after.traced_level_up_count - before.traced_level_up_count);
        told[1] += (double)(after.traced_level_down_count - before.traced_level_down_count);
      }
      cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
    }
    cr_log_info("%s: up %.2f of %.2f, down %.2f of %.2f; %.0f of %.0f", world_policy_names[policy],
                told[0] / traced, climbed / moved, told[1] / traced, descended / moved, traced,
                moved);
    cr_expect_gt(traced, 100, "%s: %.0f", world_policy_names[policy], traced);
    cr_expect_lt(fabs(told[0] / traced - climbed / moved), 0.25);
    cr_expect_lt(fabs(told[1] / traced - descended / moved), 0.25);
    world_destroy(w);
  }
}

/* To and fro across a plane costs one reinsertion, not one per crossing. */
Test(scene_policies, hysteresis) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("to and fro", 36));
  for (uint32_t i = 0; i < 500; i++) {
    w->defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    w->defs[i].transform.origin = rng_vec3(&w->r, -20, 20);
  }
  cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs, 500, w->ids, NULL), MO_OK);
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  uint64_t before = stats.reinsert_count;
  float plane = mo_scene_node_at(w->scene, w->scene->root)->plane[0];
  for (int i = 0; i < 100; i++) {
    mo_transform t = world_translation(plane + (i % 2 ? 0.02f : -0.02f), 3, 3);
    cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[0], &t), MO_OK);
  }
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  cr_expect_leq(stats.reinsert_count - before, 2);
  w->count = 500;
  world_destroy(w);
}

Test(scene_policies, emptied_trees_merge) {
  uint64_t seed = rng_seed("merging", 37);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    fill(w, 2000);
    mo_scene_stats stats;
    while (w->count > 5) {
      uint32_t gone = (w->count + 3) / 4;
      cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[w->count - gone], gone, NULL), MO_OK);
      w->count -= gone;
      cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
      cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
      /* No node is left with fewer than half the capacity. */
      cr_expect_leq(stats.node_count * 8, w->count + 8);
      world_check(w, false);
    }
    cr_expect_eq(stats.node_count, 0);
    cr_expect_eq(stats.leaf_count, 1);
    cr_expect_gt(stats.merge_count, 3);
    world_destroy(w);
  }
}

/* A shape that the root does not keep itself: one that it keeps may be anywhere. */
static uint32_t not_at_the_root(const world *w) {
  uint32_t k = 0;
  for (; k < w->count; k++) {
    mo_shape_place place = w->scene->places[w->ids[k].index];
    if (w->scene->cells[place >> 3].owner != (MO_OWNER_IS_NODE | w->scene->root)) {
      break;
    }
  }
  cr_assert_lt(k, w->count);
  return k;
}

Test(scene_policies, the_root_cube_grows_and_shrinks) {
  uint64_t seed = rng_seed("root cube", 38);
  for (int policy = 1; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    fill(w, 1000);
    int exponent = w->scene->root_exponent;
    uint32_t k = not_at_the_root(w);
    mo_transform t = world_translation(3000, -5000, 100);
    cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[k], &t), MO_OK);
    mo_scene_stats stats;
    cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
    cr_expect_geq(stats.root_growth_count, 5);
    cr_expect_gt(w->scene->root_exponent, exponent + 4);
    cr_expect_eq(mo_scene_validate(w->scene), MO_OK);
    cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[k], &w->defs[k].transform), MO_OK);
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
    cr_expect_leq(w->scene->root_exponent, exponent);
    world_check(w, true);
    world_destroy(w);
  }
}

/* Bounds are tight after an update, and never narrower than what is in them. */
Test(scene_policies, the_root_bounds_are_tight_after_an_update) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("tight", 39));
  fill(w, 300);
  for (int i = 0; i < 100; i++) {
    uint32_t k = rng_below(&w->r, w->count);
    w->defs[k].transform.origin = rng_vec3(&w->r, -200, 200);
    cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[k], &w->defs[k].transform), MO_OK);
    mo_aabb all = mo_aabb_empty();
    for (uint32_t j = 0; j < w->count; j++) {
      all = mo_aabb_union(all, mo_slot_box(w->scene, w->ids[j].index));
    }
    cr_assert(mo_aabb_contains(w->scene->root_bounds, all));
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
    cr_assert(mo_aabb_contains(all, w->scene->root_bounds));
    cr_assert_not(w->scene->root_has_loose_bounds);
  }
  world_destroy(w);
}
