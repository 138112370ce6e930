/* The policies with cubic cells, loose and midpoint: a root cube that doubles when a shape lies
 * outside it, and split planes through the middle of every cell.
 *
 * Each doubling adds a node above the root and so increases the depth, which is bounded. Once the
 * bound is reached, shapes outside the root cube are stored at the root: answers stay correct,
 * queries only become slower. */
#include "scene/octree/tree.h"

uint32_t mo_cube_level(const mo_scene *scene, uint32_t depth) {
  int level = scene->root_exponent + MO_SCENE_LEVEL_OF_UNIT_CUBE - (int)depth;
  return level < 0 ? 0 : level >= MO_SCENE_LEVEL_COUNT ? MO_SCENE_LEVEL_COUNT - 1 : (uint32_t)level;
}

/* The depth of the deepest node of the tree. */
static uint32_t tree_height(const mo_scene *scene) {
  uint32_t root = mo_cube_level(scene, 0);
  uint32_t level = 0;
  while (level < root && scene->level_node_counts[level] == 0) {
    level++;
  }
  return root - level;
}

mo_aabb mo_cube_around(mo_scene *scene, uint32_t head) {
  mo_aabb all = mo_block_list_bounds(scene, head);
  mo_vec3 reach = mo_aabb_max_coordinates(all);
  double far = mo_max(mo_max(reach.x, reach.y), reach.z);
  /* The cube is wide enough that the planes of the first few levels are exact floats. */
  double width = fmax(fmax((double)mo_aabb_max_width(&all), far * 1e-5), 1e-30);
  int exponent = ilogb(width);
  if (ldexp(1, exponent) < width) {
    exponent++;
  }
  for (;; exponent++) {
    /* Corners are on a grid much finer than the cube, so that planes are exact floats. */
    double size = ldexp(1, exponent), grid = ldexp(1, exponent - 10);
    float lower[3], upper[3];
    bool holds = true;
    for (int axis = 0; axis < 3; axis++) {
      double corner = floor((double)mo_get(all.lower, axis) / grid) * grid;
      lower[axis] = mo_round_down(corner);
      upper[axis] = (float)(corner + size);
      holds &= upper[axis] >= mo_get(all.upper, axis);
    }
    if (holds) {
      scene->root_exponent = exponent;
      return (mo_aabb){mo_vec(lower[0], lower[1], lower[2]), mo_vec(upper[0], upper[1], upper[2])};
    }
  }
}

static float slack_at(const mo_scene *scene, uint32_t depth) {
  if (scene->options.policy == MO_TREE_MIDPOINT) {
    return 0;
  }
  double child_width = ldexp(1, scene->root_exponent - (int)depth - 1);
  return (float)(0.5 * ((double)scene->options.looseness - 1) * child_width);
}

/* Sets the planes of a node to the middle of its cell. Returns false if no float lies between the
 * sides of the cell. */
static bool set_middle_planes(const mo_scene *scene, const mo_aabb *cell, uint32_t depth,
                              mo_scene_node *node) {
  node->axes = 7;
  node->slack = slack_at(scene, depth);
  for (int axis = 0; axis < 3; axis++) {
    float lower = mo_get(cell->lower, axis), upper = mo_get(cell->upper, axis);
    float middle = lower + 0.5f * (upper - lower);
    node->plane[axis] = middle;
    if (!(lower < middle && middle < upper)) {
      return false;
    }
  }
  return true;
}

mo_split_plan mo_split_plan_cube(const mo_scene *scene, uint32_t head, const mo_aabb *cell,
                                 uint32_t depth) {
  mo_split_plan plan = {.axes = 0};
  mo_scene_node node;
  mo_aabb part = *cell;
  if (!set_middle_planes(scene, cell, depth, &node)) {
    return plan;
  }
  for (int axis = 0; axis < 3; axis++) {
    plan.plane[axis] = node.plane[axis];
  }
  plan.slack = node.slack;
  uint32_t total = mo_block_list_total(scene, head);
  /* It is fine if all shapes are in one octant, provided that they separate further down within the
   * limits of depth and float precision. */
  for (; depth < scene->options.max_depth; depth++) {
    if (!set_middle_planes(scene, &part, depth, &node)) {
      return plan;
    }
    mo_aabb cells[MO_LANE_COUNT];
    for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
      cells[octant] = mo_octant_cell(&node, octant, part);
    }
    uint32_t descending = 0, together = MO_LANE_COUNT;
    bool separated = false;
    for (uint32_t b = head; b != MO_NONE && !(separated && descending > 0);
         b = mo_shape_block_at(scene, b)->next) {
      const mo_shape_block *block = mo_shape_block_at(scene, b);
      for (uint32_t lane = 0; lane < block->count; lane++) {
        mo_aabb box = mo_bounds8_get(&block->bounds, (int)lane);
        uint32_t octant = mo_node_octant(&node, &box);
        if (mo_box_fits_octant(scene, &node, &cells[octant], &box)) {
          descending++;
          separated |= together != MO_LANE_COUNT && together != octant;
          together = octant;
        }
      }
    }
    if (descending == 0) {
      return plan;
    }
    if (separated || descending < total) {
      plan.axes = 7;
      return plan;
    }
    part = cells[together];
  }
  return plan;
}

/* Whether the root cube must grow to contain a box (midpoint) or its centre (loose). */
static bool must_grow_cube(const mo_scene *scene, const mo_aabb *cube, const mo_aabb *box) {
  if (scene->options.policy == MO_TREE_MIDPOINT) {
    return !mo_aabb_contains(*cube, *box);
  }
  mo_vec3 center = mo_scale(0.5f, mo_add(box->lower, box->upper));
  return !mo_aabb_contains(*cube, (mo_aabb){center, center});
}

/* Doubles a cube towards a box. Returns which octant of the doubled cube the old cube is. */
static uint32_t double_cube(const mo_aabb *cube, const mo_aabb *box, double width,
                            mo_aabb *doubled) {
  float lower[3], upper[3];
  uint32_t octant = 0;
  for (int axis = 0; axis < 3; axis++) {
    lower[axis] = mo_get(cube->lower, axis);
    upper[axis] = mo_get(cube->upper, axis);
    float middle = 0.5f * (mo_get(box->lower, axis) + mo_get(box->upper, axis));
    if (middle - lower[axis] < upper[axis] - middle) {
      lower[axis] = (float)((double)lower[axis] - width);
      octant |= 4u >> axis;
    } else {
      upper[axis] = (float)((double)upper[axis] + width);
    }
  }
  *doubled = (mo_aabb){mo_vec(lower[0], lower[1], lower[2]), mo_vec(upper[0], upper[1], upper[2])};
  return octant;
}

/* Distributes the shapes stored at the old root: those that fit its cube stay, the others move to
 * the new root. */
static void distribute_items(mo_scene *scene, uint32_t old, uint32_t root,
                             const mo_aabb *old_cube) {
  uint32_t head = mo_scene_node_at(scene, old)->items;
  mo_scene_node_at(scene, old)->items = MO_NONE;
  const mo_scene_node *above = mo_scene_node_at(scene, root);
  mo_block_cell below = {*old_cube, above->slack, MO_OWNER_IS_NODE | old};
  mo_block_cell everywhere = {mo_aabb_infinite(), 0, MO_OWNER_IS_NODE | root};
  uint32_t kept = MO_NONE, risen = MO_NONE;
  while (head != MO_NONE) {
    mo_shape_block block = *mo_shape_block_at(scene, head);
    mo_pool_free(&scene->blocks, head);
    for (uint32_t lane = 0; lane < block.count; lane++) {
      mo_aabb box = mo_bounds8_get(&block.bounds, (int)lane);
      if (mo_box_fits_octant(scene, above, old_cube, &box)) {
        kept = mo_block_list_push(scene, kept, &below, block.shape[lane], &box);
      } else {
        risen = mo_block_list_push(scene, risen, &everywhere, block.shape[lane], &box);
      }
    }
    head = block.next;
  }
  mo_scene_node_at(scene, old)->items = kept;
  mo_scene_node_at(scene, old)->count -= mo_block_list_total(scene, risen);
  mo_scene_node_at(scene, root)->items = risen;
}

/* Doubles the root cube once, towards a box; memory has been reserved. */
static void double_root_cube(mo_scene *scene, const mo_aabb *box) {
  uint32_t old = scene->root;
  mo_aabb old_cube = scene->root_cell;
  uint32_t octant = double_cube(&old_cube, box, ldexp(1, scene->root_exponent), &scene->root_cell);
  scene->root_exponent++;
  uint32_t root = mo_node_allocate(scene, MO_NONE);
  mo_scene_node *node = mo_scene_node_at(scene, root);
  node->axes = 7;
  node->slack = slack_at(scene, 0);
  for (int axis = 0; axis < 3; axis++) {
    node->plane[axis] = mo_get((octant & (4u >> axis)) ? old_cube.lower : old_cube.upper, axis);
  }
  node->child[octant] = old;
  node->count = mo_scene_node_at(scene, old)->count;
  mo_bounds8_set(&node->bounds, (int)octant, scene->root_bounds);
  scene->sizes[root].octant[octant] = mo_child_max_size(scene, old);
  uint8_t bit = (uint8_t)(1u << octant);
  node->to_examine = bit;
  node->loose_bounds = bit;
  if (scene->maintenance[old].examination != MO_EXAMINATION_NONE) {
    /* This round has begun to examine the old root, which may also have later changes for the next
     * round; so both must hold for the new root. */
    scene->maintenance[root].examination = MO_EXAMINATION_OF_CHANGES;
    scene->maintenance[root].due_octants = scene->maintenance[root].unexamined_octants = bit;
  }
  scene->motion_marks[root] = (mo_motion_marks){bit, bit};
  scene->root_has_loose_bounds = true;
  scene->root_needs_examination = true;
  mo_scene_node_at(scene, old)->parent = root << 3 | octant;
  scene->root = root;
  distribute_items(scene, old, root, &old_cube);
  scene->counters.root_growth_count++;
}

void mo_cube_grow(mo_scene *scene, const mo_aabb *box) {
  if (!must_grow_cube(scene, &scene->root_cell, box)) {
    return;
  }
  uint32_t depth_left = MO_SCENE_MAX_DEPTH - 1 - tree_height(scene);
  mo_aabb cube = scene->root_cell;
  uint32_t times = 0;
  for (; must_grow_cube(scene, &cube, box); times++) {
    int exponent = scene->root_exponent + (int)times;
    if (times == depth_left || exponent > 110) {
      return;
    }
    double_cube(&cube, box, ldexp(1, exponent), &cube);
  }
  if (mo_nodes_reserve(scene, times) != MO_OK) {
    return;
  }
  for (; times > 0; times--) {
    /* Two for lists that distribute_items begins, one for the shape being inserted. */
    if (mo_blocks_reserve(scene, 3) != MO_OK) {
      return;
    }
    double_root_cube(scene, box);
  }
}

void mo_cube_shrink(mo_scene *scene) {
  while (mo_scene_root_is_node(scene)) {
    uint32_t root = scene->root;
    const mo_scene_node *node = mo_scene_node_at(scene, root);
    uint32_t inner = mo_node_inner_octants(node), used = mo_node_used_octants(node);
    if (inner == 0 || inner != used || (used & (used - 1)) != 0 || node->items != MO_NONE) {
      return;
    }
    uint32_t octant = (uint32_t)__builtin_ctz(used), only = node->child[octant];
    mo_aabb cube = mo_octant_cell(node, octant, scene->root_cell);
    mo_node_free(scene, root);
    scene->root = only;
    scene->root_cell = cube;
    scene->root_exponent--;
    mo_scene_node_at(scene, only)->parent = MO_NONE;
    for (uint32_t b = mo_scene_node_at(scene, only)->items; b != MO_NONE;
         b = mo_shape_block_at(scene, b)->next) {
      scene->cells[b].cell = mo_aabb_infinite();
      scene->cells[b].slack = 0;
    }
  }
}
