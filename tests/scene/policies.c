/* Where each policy puts shapes, and that every tree finds them at once after every change. */
#include <criterion/criterion.h>
#include <math.h>

#include "scene/tree.h"
#include "scene/world.h"

/* Shapes whose boxes touch a box, by the tree's bounds alone. */
static uint32_t find(const mo_scene *scene, uint32_t child, const mo_aabb *box) {
  if (child == MO_CHILD_EMPTY) {
    return 0;
  }
  uint32_t found = 0, head = mo_child_index(child);
  if (!mo_child_is_leaf(child)) {
    const mo_scene_node *node = mo_scene_node_at(scene, child);
    head = node->items;
    for (int octant = 0; octant < MO_WIDTH; octant++) {
      if (mo_aabb_overlap(mo_bounds8_get(&node->bounds, octant), *box)) {
        found += find(scene, node->child[octant], box);
      }
    }
  }
  for (; head != MO_NONE; head = mo_shape_block_at(scene, head)->next) {
    for (int lane = 0; lane < MO_WIDTH; lane++) {
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

/* Calls `visit` for each shape with the node that keeps it (or that its leaf hangs at). */
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
  for (int octant = 0; !leaf && octant < MO_WIDTH; octant++) {
    walk(scene, mo_scene_node_at(scene, child)->child[octant], depth + 1, visit);
  }
}

static uint32_t seen_in_leaves, seen_inside;

static void fill(world *w, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    w->defs[i] = world_shape(w);
  }
  cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs, count, w->ids), MO_OK);
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
  uint32_t index = at->owner & ~MO_OWNER_NODE;
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_aabb cell = index == scene->root ? scene->root_cell : at->cell;
  for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
    if ((octant & ~(uint32_t)node->axes) == 0) {
      cr_assert_not(mo_aabb_contains(mo_cell_cut(node, octant, cell), *box));
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
  double size = mo_aabb_widest(box);
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

/* Columns as high as the region: no plane may cut them in two, so that they sink by the others. */
Test(scene_policies, planes_that_too_many_straddle_are_left_out) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("columns", 34));
  for (uint32_t i = 0; i < 1000; i++) {
    w->defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    w->defs[i].geometry.box.half_extents = mo_vec(0.1f, 0.1f, 40);
    w->defs[i].transform.origin = rng_vec3(&w->r, -50, 50);
  }
  cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs, 1000, w->ids), MO_OK);
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  cr_expect_gt(stats.planes_dropped, 10);
  cr_expect_lt(stats.planes, 2 * stats.nodes + 1);
  cr_expect_lt(stats.items_at_inner_nodes, 50);
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
    cr_expect_geq(small.moves_stayed - before.moves_stayed, 990);
    cr_expect_leq(small.reinserts - before.reinserts, 10);
    cr_expect_geq(large.reinserts - small.reinserts, 600);
    cr_expect_eq(large.reinserts + large.moves_stayed, 2 * (uint64_t)w->count);
    world_check(w, true);
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
  cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs, 500, w->ids), MO_OK);
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  uint64_t before = stats.reinserts;
  float plane = mo_scene_node_at(w->scene, w->scene->root)->plane[0];
  for (int i = 0; i < 100; i++) {
    mo_transform t = world_translation(plane + (i % 2 ? 0.02f : -0.02f), 3, 3);
    cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[0], &t), MO_OK);
  }
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  cr_expect_leq(stats.reinserts - before, 2);
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
      cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[w->count - gone], gone), MO_OK);
      w->count -= gone;
      cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
      cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
      /* No node is left with fewer than half the capacity. */
      cr_expect_leq(stats.nodes * 8, w->count + 8);
      world_check(w, false);
    }
    cr_expect_eq(stats.nodes, 0);
    cr_expect_eq(stats.leaves, 1);
    cr_expect_gt(stats.merges, 3);
    world_destroy(w);
  }
}

Test(scene_policies, the_root_cube_grows_and_shrinks) {
  uint64_t seed = rng_seed("root cube", 38);
  for (int policy = 1; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    fill(w, 1000);
    int exponent = w->scene->root_exponent;
    mo_transform t = world_translation(3000, -5000, 100);
    cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[0], &t), MO_OK);
    mo_scene_stats stats;
    cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
    cr_expect_geq(stats.root_growths, 5);
    cr_expect_gt(w->scene->root_exponent, exponent + 4);
    cr_expect_eq(mo_scene_validate(w->scene), MO_OK);
    cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[0], &w->defs[0].transform), MO_OK);
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
      all = mo_aabb_union(all, mo_tree_box(w->scene, w->ids[j].index));
    }
    cr_assert(mo_aabb_contains(w->scene->root_bounds, all));
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
    cr_assert(mo_aabb_contains(all, w->scene->root_bounds));
    cr_assert_not(w->scene->root_loose);
  }
  world_destroy(w);
}
