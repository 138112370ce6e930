/* Splitting a leaf, a list of blocks, into a subtree of nodes; and flattening a subtree into one
 * list. A split plans the planes of a node, distributes the shapes among its octants, and goes on
 * with each octant that is over capacity. */
#include <string.h>

#include "base/assert.h"
#include "scene/octree/tree.h"

/* Reallocates the arrays that are parallel to the nodes to the capacity of the nodes.
 * MO_ERROR_OUT_OF_MEMORY. */
static mo_result resize_marks(mo_scene *scene) {
  const mo_allocator *allocator = &scene->host.allocator;
  uint32_t old = scene->mark_capacity, capacity = scene->nodes.capacity;
  uint32_t kept = old < capacity ? old : capacity;
  mo_node_marks *marks = mo_allocate(allocator, capacity, sizeof *marks);
  mo_node_sizes *sizes = mo_allocate(allocator, capacity, sizeof *sizes);
  mo_node_maintenance *maintenance = mo_allocate(allocator, capacity, sizeof *maintenance);
  if (marks == NULL || sizes == NULL || maintenance == NULL) {
    mo_deallocate(allocator, marks, capacity, sizeof *marks);
    mo_deallocate(allocator, sizes, capacity, sizeof *sizes);
    mo_deallocate(allocator, maintenance, capacity, sizeof *maintenance);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  if (kept > 0) {
    memcpy(marks, scene->marks, kept * sizeof *marks);
    memcpy(sizes, scene->sizes, kept * sizeof *sizes);
    memcpy(maintenance, scene->maintenance, kept * sizeof *maintenance);
  }
  mo_deallocate(allocator, scene->marks, old, sizeof *marks);
  mo_deallocate(allocator, scene->sizes, old, sizeof *sizes);
  mo_deallocate(allocator, scene->maintenance, old, sizeof *maintenance);
  scene->marks = marks;
  scene->sizes = sizes;
  scene->maintenance = maintenance;
  scene->mark_capacity = capacity;
  return MO_OK;
}

mo_result mo_nodes_reserve(mo_scene *scene, uint32_t extra) {
  mo_result result = mo_pool_reserve(&scene->nodes, extra);
  return result == MO_OK && scene->mark_capacity < scene->nodes.capacity ? resize_marks(scene)
                                                                         : result;
}

void mo_nodes_trim(mo_scene *scene) {
  mo_pool_trim(&scene->nodes);
  if (scene->nodes.capacity > 0 && scene->nodes.capacity < scene->mark_capacity) {
    (void)resize_marks(scene);
  }
}

uint32_t mo_node_take(mo_scene *scene, uint32_t up) {
  if (mo_nodes_reserve(scene, 1) != MO_OK) {
    return MO_NONE;
  }
  uint32_t index = mo_pool_take(&scene->nodes);
  MO_ASSERT(index < scene->mark_capacity);
  scene->marks[index] = (mo_node_marks){0, 0};
  scene->sizes[index] = (mo_node_sizes){{0}};
  scene->maintenance[index] = (mo_node_maintenance){.fresh = 0};
  mo_scene_node *node = mo_scene_node_at(scene, index);
  *node = (mo_scene_node){.items = MO_NONE, .parent = up};
  mo_bounds8_clear(&node->bounds);
  for (int octant = 0; octant < MO_WIDTH; octant++) {
    node->child[octant] = MO_CHILD_EMPTY;
  }
  if (scene->options.policy != MO_TREE_IRREGULAR) {
    scene->level_nodes[mo_cube_level(scene, mo_node_depth(scene, index))]++;
  }
  return index;
}

void mo_node_give(mo_scene *scene, uint32_t index) {
  if (scene->options.policy != MO_TREE_IRREGULAR) {
    scene->level_nodes[mo_cube_level(scene, mo_node_depth(scene, index))]--;
  }
  mo_pool_give(&scene->nodes, index);
}

uint32_t mo_tree_dissolve(mo_scene *scene, uint32_t child) {
  if (child == MO_CHILD_EMPTY) {
    return MO_NONE;
  }
  if (mo_child_is_leaf(child)) {
    return mo_child_index(child);
  }
  uint32_t all = mo_scene_node_at(scene, child)->items;
  for (int octant = 0; octant < MO_WIDTH; octant++) {
    uint32_t part = mo_tree_dissolve(scene, mo_scene_node_at(scene, child)->child[octant]);
    all = mo_list_join(scene, part, all);
  }
  mo_node_give(scene, child);
  return all;
}

/* The place at which a subtree is built. */
typedef struct site {
  uint32_t up;  /* the parent and the octant in it, or MO_NONE for the root */
  mo_aabb cell; /* without slack */
  float slack;  /* of the parent */
  uint32_t depth;
  const mo_plan *plan; /* planes for the first node; null: still to be chosen */
} site;

static mo_block_cell list_cell(const site *at, uint32_t owner) {
  /* The cell of the root is all of space, including what lies outside the root cube. */
  return (mo_block_cell){at->up == MO_NONE ? mo_cell_everywhere() : at->cell, at->slack, owner};
}

static mo_aabb build_at(mo_scene *scene, uint32_t head, const site *at, bool packed, bool force);

/* Distributes a list among the octants of a new node by the planes of a plan. Shapes that fit no
 * octant become the node's own items. Builds the octants, and returns the bounds of all. */
static mo_aabb distribute(mo_scene *scene, uint32_t head, const site *at, uint32_t index,
                          const mo_plan *plan) {
  mo_scene_node *node = mo_scene_node_at(scene, index);
  node->axes = plan->axes;
  for (int axis = 0; axis < 3; axis++) {
    node->plane[axis] = plan->plane[axis];
  }
  MO_ASSERT(plan->axes > 0 && plan->axes < 8 && plan->slack >= 0.0f);
  MO_ASSERT(at->up == MO_NONE || plan->slack <= at->slack);
  node->slack = plan->slack;
  node->age = (uint8_t)(index & MO_AGE_SPREAD);
  node->count = mo_list_total(scene, head);
  mo_block_cell octants[MO_WIDTH];
  uint32_t heads[MO_WIDTH];
  for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
    octants[octant] =
        (mo_block_cell){mo_cell_cut(node, octant, at->cell), node->slack, index << 3 | octant};
    heads[octant] = MO_NONE;
  }
  mo_block_cell own = list_cell(at, MO_OWNER_NODE | index);
  mo_node_marks *marks = &scene->marks[index];
  uint32_t items = MO_NONE;
  while (head != MO_NONE) {
    /* Each block is freed before its shapes are pushed. So the new lists never need more than one
     * extra block each, which has been reserved. */
    mo_shape_block block = *mo_shape_block_at(scene, head);
    mo_pool_give(&scene->blocks, head);
    for (uint32_t lane = 0; lane < block.count; lane++) {
      mo_aabb box = mo_bounds8_get(&block.bounds, (int)lane);
      uint32_t octant = mo_node_octant(node, &box);
      mo_node_marks any = {block.dynamic >> lane & 1, block.awake >> lane & 1};
      if (mo_box_fits_octant(scene, node, &octants[octant].cell, &box)) {
        heads[octant] =
            mo_list_push_as(scene, heads[octant], &octants[octant], block.shape[lane], &box, any);
        mo_marks_add(marks, octant, any);
      } else {
        items = mo_list_push_as(scene, items, &own, block.shape[lane], &box, any);
        mo_shape_block_at(scene, items)->displaced |= block.displaced;
      }
    }
    head = block.next;
  }
  MO_ASSERT(scene->nodes.count > index && mo_scene_node_at(scene, index) == node);
  node->items = items;
  mo_child_set(scene, at->up, index);
  mo_aabb bounds = mo_list_bounds(scene, items);
  for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
    site below = {index << 3 | octant, octants[octant].cell, plan->slack, at->depth + 1, NULL};
    bounds = mo_aabb_union(bounds, build_at(scene, heads[octant], &below, true, false));
  }
  return bounds;
}

/* Builds a leaf or a subtree from a list, by its number of shapes; returns its bounds. `packed`:
 * all blocks of the list but the first are full, and their cells are set. `force`: splits even a
 * list that is within capacity. */
static mo_aabb build_at(mo_scene *scene, uint32_t head, const site *at, bool packed, bool force) {
  mo_aabb bounds = mo_aabb_empty();
  if (head == MO_NONE) {
    mo_child_set_empty(scene, at->up);
    if (at->up == MO_NONE) {
      scene->root_cell = mo_cell_everywhere();
    }
    return bounds;
  }
  uint32_t total = mo_list_total(scene, head);
  bool full = total > scene->options.capacity;
  if ((full || force) && at->depth < scene->options.max_depth) {
    site here = *at;
    mo_plan plan;
    if (here.plan != NULL) {
      plan = *here.plan;
    } else if (scene->options.policy == MO_TREE_IRREGULAR) {
      float slack = here.up == MO_NONE ? INFINITY : here.slack;
      plan = mo_plan_irregular(scene, &head, 1, total, &here.cell, slack);
    } else {
      if (here.up == MO_NONE) {
        scene->root_cell = here.cell = mo_cube_around(scene, head);
      }
      plan = mo_plan_cube(scene, head, &here.cell, here.depth);
    }
    if (plan.axes && mo_blocks_reserve(scene, MO_WIDTH + 1) == MO_OK) {
      uint32_t index = mo_node_take(scene, here.up);
      if (index != MO_NONE) {
        scene->counters.split_count++;
        scene->counters.dropped_plane_count += plan.dropped;
        bounds = distribute(scene, head, &here, index, &plan);
        MO_ASSERT(mo_scene_node_at(scene, index)->count == total);
        mo_child_set_bounds(scene, here.up, bounds);
        mo_node_set_expected_cost(scene, index, &plan);
        return bounds;
      }
    }
  }
  if (at->up == MO_NONE) {
    scene->root_cell = mo_cell_everywhere();
  }
  if (!packed) {
    mo_block_cell cell = list_cell(at, at->up);
    head = mo_list_pack(scene, head, &cell);
  }
  mo_shape_block *first = mo_shape_block_at(scene, head);
  first->refusals += full && first->refusals < UINT32_MAX;
  scene->counters.refused_split_count += full;
  mo_child_set(scene, at->up, MO_CHILD_LEAF | head);
  bounds = mo_list_bounds(scene, head);
  mo_child_set_bounds(scene, at->up, bounds);
  return bounds;
}

static site site_at(const mo_scene *scene, uint32_t up, const mo_plan *plan) {
  site at = {up, mo_tree_cell(scene, up), 0, 0, plan};
  if (up != MO_NONE) {
    at.slack = mo_scene_node_at(scene, up >> 3)->slack;
    at.depth = mo_node_depth(scene, up >> 3) + 1;
  }
  return at;
}

bool mo_tree_build(mo_scene *scene, uint32_t head, uint32_t up, bool force) {
  site at = site_at(scene, up, NULL);
  build_at(scene, head, &at, false, force);
  return !mo_child_is_leaf(mo_child_get(scene, up));
}

void mo_tree_build_as(mo_scene *scene, uint32_t head, uint32_t up, const mo_plan *plan) {
  site at = site_at(scene, up, plan);
  build_at(scene, head, &at, false, true);
}

bool mo_leaf_split(mo_scene *scene, uint32_t up) {
  if (up != MO_NONE && scene->options.policy == MO_TREE_IRREGULAR) {
    /* If the parent has fewer than three planes and few shapes, it is rebuilt with more planes:
     * that is cheaper to traverse than another level below it. */
    const mo_scene_node *node = mo_scene_node_at(scene, up >> 3);
    if (node->axes != 7 && mo_node_nodes(node) == 0 &&
        node->count <= MO_WIDTH * scene->options.capacity) {
      uint32_t above = node->parent;
      uint32_t head = mo_tree_dissolve(scene, up >> 3);
      mo_tree_build(scene, head, above, true);
      return true;
    }
  }
  mo_tree_build(scene, mo_owner_list(scene, up), up, false);
  return false;
}
