/* Maintenance of the shape octree at the end of a frame. First bounds are tightened
 * (tighten_kernel.c). Then the changed parts are examined, from the leaves upward: leaves above
 * capacity split, subtrees far below capacity merge, planes are rebalanced or replaced by newly
 * chosen ones. All work is local to the changed parts; nothing here visits the whole tree unless
 * all of it changed.
 *
 * A round of maintenance examines each changed node once, children before parents. The limit
 * mo_update_def.upkeep may end an update in the middle of a round; the next update then continues
 * where it stopped, as nodes store which of their octants are not examined yet
 * (mo_node_maintenance). Changes that happen meanwhile are left to the next round, so that every
 * node is examined eventually, however small the limit is. An update stops after the unit of work
 * that exceeds its limit; the excess is a debt, which is subtracted from the limits of later
 * updates. */
#include "scene/octree/tree.h"

typedef struct work_limits {
  uint64_t rebalance_budget;    /* number of shapes that rebalancing may still move */
  uint64_t remaining_upkeep;    /* remaining work, in the units of mo_update_def.upkeep */
  uint64_t upkeep_beyond_limit; /* work done beyond the limit `upkeep` */
} work_limits;

static void spend_upkeep(work_limits *a, uint64_t cost) {
  uint64_t covered = cost < a->remaining_upkeep ? cost : a->remaining_upkeep;
  a->remaining_upkeep -= covered;
  a->upkeep_beyond_limit += cost - covered;
}

static void spend_rebalance(work_limits *a, uint64_t rebalances) {
  a->rebalance_budget -= rebalances < a->rebalance_budget ? rebalances : a->rebalance_budget;
  spend_upkeep(a, rebalances);
}

uint32_t mo_tree_tighten(mo_scene *scene) {
  return scene->root_has_loose_bounds ? mo_scene_tighten_by_isa[scene->isa](scene) : 0;
}

void mo_tree_insert_list(mo_scene *scene, uint32_t head) {
  while (head != MO_NONE) {
    mo_shape_block block = *mo_shape_block_at(scene, head);
    mo_pool_free(&scene->blocks, head);
    for (uint32_t lane = 0; lane < block.count; lane++) {
      mo_aabb box = mo_bounds8_get(&block.bounds, (int)lane);
      mo_tree_insert(scene, block.shape[lane], &box, true);
    }
    head = block.next;
  }
}

static bool is_overfull_leaf(const mo_scene *scene, uint32_t child) {
  return mo_child_is_leaf(child) && mo_child_total(scene, child) > scene->options.capacity;
}

/* Rebuilds the subtree at node `index`; `force` as in mo_tree_build. */
static void rebuild_subtree(mo_scene *scene, uint32_t index, bool force, work_limits *a) {
  uint32_t parent_octant = mo_scene_node_at(scene, index)->parent;
  spend_upkeep(a, mo_scene_node_at(scene, index)->count);
  uint32_t head = mo_tree_flatten(scene, index);
  mo_tree_build(scene, head, parent_octant, NULL, force);
}

/* Splits the leaf at `parent_octant`, which is above capacity. After each failed split it waits
 * twice as many updates (exponential back-off). */
static void split_leaf_if_due(mo_scene *scene, uint32_t parent_octant, work_limits *a) {
  uint32_t head = mo_owner_list(scene, parent_octant);
  uint32_t refusals = mo_shape_block_at(scene, head)->refused_split_count;
  uint32_t wait = (1u << (refusals < MO_MAX_FAILED_SPLITS ? refusals : MO_MAX_FAILED_SPLITS)) - 1;
  if ((scene->round_count & wait) == 0) {
    spend_upkeep(a, mo_block_list_total(scene, head));
    mo_tree_build(scene, head, parent_octant, NULL, false);
  } else {
    mo_mark_for_examination(scene, parent_octant);
  }
}

/* Splits those of the given octants of a node that are leaves above capacity. Returns false if the
 * node was rebuilt instead. */
static bool split_leaves(mo_scene *scene, uint32_t index, uint32_t octants, work_limits *a) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t full = 0;
  for (; octants; octants &= octants - 1) {
    uint32_t octant = (uint32_t)__builtin_ctz(octants);
    full |= (uint32_t)is_overfull_leaf(scene, node->child[octant]) << octant;
  }
  if (full && mo_node_needs_planes(scene, node)) {
    rebuild_subtree(scene, index, true, a);
    return false;
  }
  for (; full; full &= full - 1) {
    split_leaf_if_due(scene, index << 3 | (uint32_t)__builtin_ctz(full), a);
  }
  return true;
}

/* Collects the lists of blocks of a subtree, up to `capacity` lists, and prefetches their first
 * blocks; returns the total number of lists. */
static uint32_t collect_lists(const mo_scene *scene, uint32_t child, uint32_t *heads,
                              uint32_t count, uint32_t capacity) {
  uint32_t head = mo_child_list(scene, child);
  if (head != MO_NONE) {
    if (count < capacity) {
      heads[count] = head;
      mo_block_prefetch(scene, head);
    }
    count++;
  }
  for (int octant = 0; !mo_child_is_leaf(child) && octant < MO_LANE_COUNT; octant++) {
    count =
        collect_lists(scene, mo_scene_node_at(scene, child)->child[octant], heads, count, capacity);
  }
  return count;
}

/* The expected number of nodes and blocks of a subtree that a line visits that hits it. */
static double expected_visits(const mo_scene *scene, uint32_t index, const mo_aabb *bounds,
                              double margin) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  double visits = 1 + mo_leaf_cost(mo_block_list_total(scene, node->items));
  double whole = mo_half_area_with_margin(bounds, margin);
  for (int octant = 0; octant < MO_LANE_COUNT; octant++) {
    uint32_t child = node->child[octant];
    mo_aabb part = mo_bounds8_get(&node->bounds, octant);
    if (!mo_aabb_is_empty(part)) {
      double below = mo_child_is_leaf(child) ? mo_leaf_cost(mo_child_total(scene, child))
                                             : expected_visits(scene, child, &part, margin);
      visits += below * mo_half_area_with_margin(&part, margin) / whole;
    }
  }
  return visits;
}

/* The present cost of a node, for comparison with a new plan. */
typedef struct node_cost {
  mo_aabb bounds;
  double margin;        /* margin for mo_half_area_with_margin; 0 if all shapes lie in one point */
  bool has_only_leaves; /* whether all octants are leaves */
  /* The cost: if `has_only_leaves`, comparable with mo_split_plan.cost_as_leaves; else the expected
   * visits. */
  double cost;
} node_cost;

static node_cost node_cost_of(const mo_scene *scene, uint32_t index) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_aabb bounds = mo_bounds8_union(&node->bounds);
  bounds = mo_aabb_union(bounds, mo_block_list_bounds(scene, node->items));
  node_cost m = {bounds, MO_AREA_MARGIN * (double)mo_aabb_max_width(&bounds),
                 mo_node_inner_octants(node) == 0, 0};
  if (m.margin > 0) {
    m.cost = expected_visits(scene, index, &m.bounds, m.margin);
  }
  for (int octant = 0; m.margin > 0 && m.has_only_leaves && octant < MO_LANE_COUNT; octant++) {
    m.cost += mo_block_cost(scene) * mo_leaf_cost(mo_child_total(scene, node->child[octant]));
  }
  return m;
}

/* The ratio of a cost to the typical cost of a subtree with as many shapes as the node
 * (mo_subtree_cost), times 4096. */
static double relative_cost(const mo_scene *scene, uint32_t index, double cost) {
  return 4096 * cost / mo_subtree_cost(mo_scene_node_at(scene, index)->count);
}

/* Whether a node's shapes fit a leaf with some free capacity, at no higher cost. */
static bool is_better_as_leaf(const mo_scene *scene, uint32_t index, const node_cost *m) {
  uint32_t capacity = scene->options.capacity, count = mo_scene_node_at(scene, index)->count;
  return m->has_only_leaves &&
         count <= capacity - (capacity + MO_LEAF_HEADROOM_DIVISOR - 1) / MO_LEAF_HEADROOM_DIVISOR &&
         m->cost >= (1 + mo_block_cost(scene)) * mo_leaf_cost(count);
}

void mo_node_set_expected_cost(mo_scene *scene, uint32_t index, const mo_split_plan *plan) {
  bool has_only_leaves = mo_node_inner_octants(mo_scene_node_at(scene, index)) == 0;
  double share = relative_cost(scene, index, has_only_leaves ? plan->cost_as_leaves : plan->cost);
  scene->maintenance[index].expected_cost = (uint16_t)fmin(share, UINT16_MAX);
}

/* The largest accepted ratio of a node's cost to its cost with new planes. */
static double max_cost_ratio(const mo_scene *scene, uint32_t index, const node_cost *m) {
  bool large =
      mo_scene_node_at(scene, index)->count > MO_REBALANCE_MIN_SIZE * scene->options.capacity;
  return large && !m->has_only_leaves ? MO_REPLAN_COST_RATIO_DEEP : MO_REPLAN_COST_RATIO;
}

/* Whether new planes would hardly be better, judged by the expected cost of the last plan. The
 * latter is scaled down in each call, as shapes have moved since. */
static bool is_near_expected_cost(mo_scene *scene, uint32_t index, const node_cost *m) {
  uint16_t *fresh = &scene->maintenance[index].expected_cost;
  bool is_near = relative_cost(scene, index, m->cost) <= max_cost_ratio(scene, index, m) * *fresh;
  *fresh = (uint16_t)(is_near ? MO_PLAN_COST_DECAY * *fresh : 0);
  return is_near;
}

/* Whether a plan is so much better than the present planes that the node is rebuilt. */
static bool is_worth_rebuilding(const mo_scene *scene, uint32_t index, const node_cost *m,
                                const mo_split_plan *plan) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  double worst = max_cost_ratio(scene, index, m);
  if (m->has_only_leaves) {
    bool finer = __builtin_popcount(node->axes) > __builtin_popcount(plan->axes);
    return (plan->axes != 0 || node->count > scene->options.capacity) &&
           m->cost > (finer ? MO_REPLAN_COST_RATIO_FEWER_PLANES : worst) * plan->cost_as_leaves;
  }
  return m->cost > worst * plan->cost;
}

/* Plans for all shapes in a subtree; returns false if it has too many lists of blocks. */
static bool find_plan(const mo_scene *scene, uint32_t index, mo_split_plan *plan) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t heads[MO_REPLAN_MAX_LISTS];
  uint32_t lists = collect_lists(scene, index, heads, 0, MO_REPLAN_MAX_LISTS);
  if (lists > MO_REPLAN_MAX_LISTS) {
    return false;
  }
  mo_aabb cell = mo_child_cell(scene, node->parent);
  float slack = mo_child_slack(scene, node->parent);
  *plan = mo_split_plan_irregular(scene, heads, lists, node->count, &cell, slack);
  return true;
}

/* Compares the planes of a node with newly chosen ones, and rebuilds the node if these are clearly
 * better. Returns whether it was rebuilt. */
static bool replan_node(mo_scene *scene, uint32_t index) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_split_plan plan = {.axes = 0};
  if (node->count > MO_REPLAN_MAX_SIZE * scene->options.capacity) {
    /* The node is too large for cost estimates: it is good enough if it has a plane on every axis
     * on which the plan has one. */
    if (!find_plan(scene, index, &plan) || !(plan.axes & ~node->axes)) {
      return false;
    }
  } else {
    node_cost m = node_cost_of(scene, index);
    if (!(m.margin > 0)) {
      return false;
    }
    if (!is_better_as_leaf(scene, index, &m)) {
      if (is_near_expected_cost(scene, index, &m) || !find_plan(scene, index, &plan)) {
        return false;
      }
      if (!is_worth_rebuilding(scene, index, &m, &plan)) {
        mo_node_set_expected_cost(scene, index, &plan);
        return false;
      }
    }
  }
  uint32_t parent_octant = node->parent, head = mo_tree_flatten(scene, index);
  mo_tree_build(scene, head, parent_octant, &plan, true);
  scene->counters.replan_count++;
  return true;
}

/* Whether a node has at most one child, and that child is a leaf. */
static bool has_at_most_one_leaf(const mo_scene_node *node) {
  uint32_t used = mo_node_used_octants(node);
  return mo_node_inner_octants(node) == 0 && (used & (used - 1)) == 0;
}

/* Whether a node itself stores more shapes than a new plan would allow. */
static bool is_crowded(const mo_scene *scene, const mo_scene_node *node) {
  uint32_t items = mo_block_list_total(scene, node->items);
  return items > MO_CROWDED_MIN_ITEMS &&
         (float)items > scene->options.max_straddlers * (float)node->count;
}

/* Whether the planes of a large node are due for rebalancing: in every update if many shapes have
 * moved, else in one of MO_REBALANCE_PERIOD. */
static bool is_due_for_rebalance(const mo_scene *scene, uint32_t index) {
  return scene->round_change_count > scene->shape_count / MO_REBALANCE_EVERY_UPDATE_DIVISOR ||
         (scene->round_count + index) % MO_REBALANCE_PERIOD == 0;
}

/* Maintains a node, after the changed nodes below it: merges, splits, rebalances or rebuilds.
 * `octants` are the bits of the octants that were to be examined. The node may be replaced. */
static void maintain_node(mo_scene *scene, uint32_t index, uint32_t octants, bool mature,
                          work_limits *a) {
  mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t capacity = scene->options.capacity, count = node->count;
  bool irregular = scene->options.policy == MO_TREE_IRREGULAR;
  if (mo_node_is_sparse(scene, node) || (irregular && has_at_most_one_leaf(node))) {
    rebuild_subtree(scene, index, false, a);
    scene->counters.merge_count++;
    return;
  }
  if (mature) {
    node->age = 0;
  }
  if (!split_leaves(scene, index, octants, a) || !irregular ||
      !mo_node_remove_one_sided_planes(scene, index)) {
    return;
  }
  if (count > MO_REBALANCE_MIN_SIZE * capacity && (mature || is_due_for_rebalance(scene, index))) {
    uint64_t left = a->rebalance_budget;
    mo_node_rebalance(scene, index, &left);
    spend_rebalance(a, a->rebalance_budget - left);
  }
  /* A large node that lacks planes, as its shapes were crowded together when it was split, is worth
   * rebuilding within the limit. The root is excluded: the whole tree is never rebuilt at once. */
  node = mo_scene_node_at(scene, index);
  bool small = count <= MO_REPLAN_MAX_SIZE * capacity;
  bool affordable = index != scene->root && node->axes != 7 && count <= a->rebalance_budget;
  if (small ? mature || is_crowded(scene, node) : mature && affordable) {
    uint32_t cost = replan_node(scene, index) ? count : count / MO_LANE_COUNT;
    if (small) {
      spend_upkeep(a, cost);
    } else {
      spend_rebalance(a, cost);
    }
  }
}

/* Begins the examination of a node, unless an earlier update of this round has begun it. */
static void begin_examination(mo_scene *scene, uint32_t index) {
  if (scene->maintenance[index].examination != MO_EXAMINATION_NONE) {
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_node_maintenance *maintenance = &scene->maintenance[index];
  maintenance->examination =
      node->age >= MO_MATURE_AGE ? MO_EXAMINATION_OF_PLANES : MO_EXAMINATION_OF_CHANGES;
  maintenance->due_octants = node->to_examine;
  maintenance->unexamined_octants = (uint8_t)(mo_node_inner_octants(node) & node->to_examine);
  node->to_examine = 0;
}

/* Examines the changed nodes below a node, then the node itself. Returns false if the work limit is
 * reached before; the next update then continues. */
static bool examine_subtree(mo_scene *scene, uint32_t index, work_limits *a) {
  if (a->remaining_upkeep == 0) {
    return false;
  }
  begin_examination(scene, index);
  while (scene->maintenance[index].unexamined_octants != 0) {
    uint32_t octant = (uint32_t)__builtin_ctz(scene->maintenance[index].unexamined_octants);
    uint32_t child = mo_scene_node_at(scene, index)->child[octant];
    /* The child may have become a leaf or empty since the round began. */
    if (!mo_child_is_leaf(child) && !examine_subtree(scene, child, a)) {
      return false;
    }
    scene->maintenance[index].unexamined_octants &=
        (uint8_t)(scene->maintenance[index].unexamined_octants - 1);
  }
  if (a->remaining_upkeep == 0) {
    return false;
  }
  mo_node_maintenance *maintenance = &scene->maintenance[index];
  bool mature = maintenance->examination == MO_EXAMINATION_OF_PLANES;
  maintenance->examination = MO_EXAMINATION_NONE;
  spend_upkeep(a, 1);
  maintain_node(scene, index, maintenance->due_octants, mature, a);
  return true;
}

static bool is_in_tree(const mo_scene *scene, uint32_t slot) {
  return mo_slot_is_alive(scene, slot) && !(scene->traits[slot] & MO_TRAIT_UNBOUNDED);
}

/* Tries again to move shapes that a failed allocation has left in a wrong cell. */
static mo_result reinsert_shapes_outside_cells(mo_scene *scene) {
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    if (!is_in_tree(scene, slot)) {
      continue;
    }
    uint32_t block = scene->places[slot] >> 3;
    const mo_block_cell *at = &scene->cells[block];
    mo_aabb box = mo_slot_box(scene, slot);
    bool sinks = mo_owner_is_node(at->owner) &&
                 mo_item_fits_octant(scene, mo_owner_node(at->owner), &at->cell, &box);
    if (mo_shape_block_at(scene, block)->has_shapes_outside_cell &&
        (sinks || !mo_cell_contains(&at->cell, at->slack, &box))) {
      mo_result result = mo_blocks_reserve(scene, 1);
      if (result != MO_OK) {
        return result;
      }
      mo_tree_reinsert(scene, slot, &box);
    }
  }
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    if (is_in_tree(scene, slot)) {
      mo_shape_block_at(scene, scene->places[slot] >> 3)->has_shapes_outside_cell = 0;
    }
  }
  scene->has_shapes_outside_cell = false;
  return MO_OK;
}

/* When shapes come to rest, nodes that earlier motion has degraded would never become mature. So
 * this schedules about as many nodes for examination as the motion may have changed: one path from
 * the root in one of MO_REEXAMINATION_PERIOD rounds. */
static void schedule_reexamination(mo_scene *scene) {
  uint64_t max = 2 * (uint64_t)(scene->nodes.count - scene->nodes.free_count);
  if (scene->round_change_count > scene->shape_count / MO_TREE_AT_REST_DIVISOR) {
    uint64_t owed = scene->pending_reexamination_path_count +
                    scene->round_change_count / MO_CHANGES_PER_REEXAMINATION;
    scene->pending_reexamination_path_count = owed < max ? owed : max;
    return;
  }
  if (scene->pending_reexamination_path_count == 0 || scene->options.policy != MO_TREE_IRREGULAR) {
    return;
  }
  /* With this period the cost of reexaminations is not measurable. */
  if (scene->round_count % MO_REEXAMINATION_PERIOD != 0) {
    return;
  }
  scene->pending_reexamination_path_count--;
  /* Paths are in the order of a multiplicative hash (Knuth), which soon reaches all parts of the
   * tree. */
  uint32_t path = scene->round_count / MO_REEXAMINATION_PERIOD * 2654435769u;
  uint32_t child = scene->root;
  while (!mo_child_is_leaf(child)) {
    mo_scene_node *node = mo_scene_node_at(scene, child);
    node->age = MO_MATURE_AGE;
    mo_mark_for_examination(scene, node->parent);
    for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
      child = node->child[(path >> 29) ^ i];
      if (!mo_child_is_leaf(child)) {
        break;
      }
    }
    path = path << 3 | path >> 29;
  }
}

/* Begins a round, for all changes until now. Returns whether any node must be examined. */
static bool begin_maintenance_round(mo_scene *scene) {
  scene->round_change_count = scene->change_count;
  scene->change_count = 0;
  scene->round_rebalance_budget = scene->round_change_count / MO_REBALANCE_BUDGET_DIVISOR;
  schedule_reexamination(scene);
  bool needs_examination = scene->root_needs_examination;
  scene->root_needs_examination = false;
  return needs_examination;
}

/* Begins a round of maintenance, or continues the unfinished one, within the limit `upkeep`. */
static void run_maintenance_round(mo_scene *scene, uint64_t upkeep) {
  bool done = !scene->round_is_unfinished && !begin_maintenance_round(scene);
  work_limits a = {scene->round_rebalance_budget, upkeep, 0};
  if (!done) {
    done = true;
    if (mo_scene_root_is_node(scene)) {
      done = examine_subtree(scene, scene->root, &a);
    } else if (is_overfull_leaf(scene, scene->root)) {
      split_leaf_if_due(scene, MO_NONE, &a);
    }
    if (scene->options.policy != MO_TREE_IRREGULAR) {
      mo_cube_shrink(scene);
    }
    mo_tree_tighten(scene);
  }
  scene->round_is_unfinished = !done;
  scene->round_count += done;
  scene->round_rebalance_budget = a.rebalance_budget;
  scene->upkeep_debt = a.upkeep_beyond_limit;
}

mo_result mo_tree_update(mo_scene *scene, uint64_t upkeep) {
  mo_result result = scene->has_shapes_outside_cell ? reinsert_shapes_outside_cells(scene) : MO_OK;
  mo_tree_tighten(scene);
  uint64_t paid = scene->upkeep_debt < upkeep ? scene->upkeep_debt : upkeep;
  scene->upkeep_debt -= paid;
  if (upkeep > paid) {
    run_maintenance_round(scene, upkeep - paid);
  }
  return result;
}
