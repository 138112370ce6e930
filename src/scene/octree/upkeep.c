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

/* The remaining work limits of an update. */
typedef struct allowance {
  uint64_t rebalances; /* shapes that rebalancing may move */
  uint64_t upkeep;     /* in the units of mo_update_def.upkeep */
  uint64_t debt;       /* work done beyond that limit */
} allowance;

static void spend(allowance *a, uint64_t cost) {
  uint64_t covered = cost < a->upkeep ? cost : a->upkeep;
  a->upkeep -= covered;
  a->debt += cost - covered;
}

static void spend_rebalance(allowance *a, uint64_t rebalances) {
  a->rebalances -= rebalances < a->rebalances ? rebalances : a->rebalances;
  spend(a, rebalances);
}

uint32_t mo_tree_tighten(mo_scene *scene) {
  static uint32_t (*const tighten[MO_ISA_COUNT])(mo_scene *) = MO_ISA_TABLE(mo_scene_tighten);
  return scene->root_loose ? tighten[scene->isa](scene) : 0;
}

void mo_tree_place_list(mo_scene *scene, uint32_t head) {
  while (head != MO_NONE) {
    mo_shape_block block = *mo_shape_block_at(scene, head);
    mo_pool_give(&scene->blocks, head);
    for (uint32_t lane = 0; lane < block.count; lane++) {
      mo_aabb box = mo_bounds8_get(&block.bounds, (int)lane);
      mo_tree_insert(scene, block.shape[lane], &box, true);
    }
    head = block.next;
  }
}

static bool is_full(const mo_scene *scene, uint32_t child) {
  return mo_child_is_leaf(child) && mo_child_total(scene, child) > scene->options.capacity;
}

/* Rebuilds the subtree at node `index`. */
static void build_anew(mo_scene *scene, uint32_t index, allowance *a) {
  uint32_t up = mo_scene_node_at(scene, index)->parent;
  spend(a, mo_scene_node_at(scene, index)->count);
  uint32_t head = mo_tree_dissolve(scene, index);
  mo_tree_build(scene, head, up, true);
}

/* Splits the leaves above capacity among the given octants of a node. After each failed split a
 * leaf waits twice as many updates (exponential back-off). Returns false if the node was rebuilt
 * instead. */
static bool split_leaves(mo_scene *scene, uint32_t index, uint32_t octants, allowance *a) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t full = 0;
  for (; octants; octants &= octants - 1) {
    uint32_t octant = (uint32_t)__builtin_ctz(octants);
    full |= (uint32_t)is_full(scene, node->child[octant]) << octant;
  }
  if (full && scene->options.policy == MO_TREE_IRREGULAR && node->axes != 7 &&
      mo_node_nodes(node) == 0 && node->count <= MO_WIDTH * scene->options.capacity) {
    build_anew(scene, index, a);
    return false;
  }
  for (; full; full &= full - 1) {
    uint32_t octant = (uint32_t)__builtin_ctz(full);
    uint32_t child = mo_scene_node_at(scene, index)->child[octant];
    uint32_t refusals = mo_shape_block_at(scene, mo_child_index(child))->refusals;
    uint32_t wait = (1u << (refusals < MO_MAX_FAILED_SPLITS ? refusals : MO_MAX_FAILED_SPLITS)) - 1;
    if ((scene->rounds & wait) == 0) {
      spend(a, mo_child_total(scene, child));
      mo_tree_build(scene, mo_child_index(child), index << 3 | octant, false);
    } else {
      mo_mark_changed(scene, index << 3 | octant);
    }
  }
  return true;
}

/* Collects the lists of a subtree, up to `capacity`, and prefetches their first blocks; returns
 * their total number. */
static uint32_t collect_lists(const mo_scene *scene, uint32_t child, uint32_t *heads,
                              uint32_t count, uint32_t capacity) {
  if (child == MO_CHILD_EMPTY) {
    return count;
  }
  uint32_t head = mo_child_index(child);
  const mo_scene_node *node = NULL;
  if (!mo_child_is_leaf(child)) {
    node = mo_scene_node_at(scene, child);
    head = node->items;
  }
  if (head != MO_NONE) {
    if (count < capacity) {
      heads[count] = head;
      mo_block_prefetch(scene, head);
    }
    count++;
  }
  for (int octant = 0; node != NULL && octant < MO_WIDTH; octant++) {
    count = collect_lists(scene, node->child[octant], heads, count, capacity);
  }
  return count;
}

/* The expected visits, in a node and below it, of a line that hits the node. */
static double expected_visits(const mo_scene *scene, uint32_t index, const mo_aabb *bounds,
                              double margin) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  double visits = 1 + mo_leaf_cost(mo_list_total(scene, node->items));
  double whole = mo_area(bounds, margin);
  for (int octant = 0; octant < MO_WIDTH; octant++) {
    uint32_t child = node->child[octant];
    mo_aabb part = mo_bounds8_get(&node->bounds, octant);
    if (!mo_aabb_is_empty(part)) {
      double below = mo_child_is_leaf(child) ? mo_leaf_cost(mo_child_total(scene, child))
                                             : expected_visits(scene, child, &part, margin);
      visits += below * mo_area(&part, margin) / whole;
    }
  }
  return visits;
}

/* The present cost of a node, for comparison with a new plan. */
typedef struct measure {
  mo_aabb bounds;
  double margin; /* for mo_area; 0: all shapes are one point */
  bool flat;     /* all octants are leaves */
  double cost;   /* flat: comparable with mo_plan.price; else expected visits */
} measure;

/* The cost of a node: expected visits, and for a flat node also the price of its leaves' blocks. */
static double cost_of(const mo_scene *scene, uint32_t index, const measure *m) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  double cost = expected_visits(scene, index, &m->bounds, m->margin);
  for (int octant = 0; m->flat && octant < MO_WIDTH; octant++) {
    cost += mo_block_price(scene) * mo_leaf_cost(mo_child_total(scene, node->child[octant]));
  }
  return cost;
}

static measure measure_of(const mo_scene *scene, uint32_t index) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_aabb bounds = mo_bounds8_union(&node->bounds);
  bounds = mo_aabb_union(bounds, mo_list_bounds(scene, node->items));
  measure m = {bounds, MO_AREA_MARGIN * (double)mo_aabb_widest(&bounds), mo_node_nodes(node) == 0,
               0};
  if (m.margin > 0) {
    m.cost = cost_of(scene, index, &m);
  }
  return m;
}

/* The ratio of a cost to the typical cost of a subtree with as many shapes as the node, times
 * 4096. */
static double share_of_cost(const mo_scene *scene, uint32_t index, double cost) {
  return 4096 * cost / mo_subtree_cost(mo_scene_node_at(scene, index)->count);
}

/* Whether a node's shapes fit a leaf with some free capacity, at no higher cost. */
static bool is_better_as_leaf(const mo_scene *scene, uint32_t index, const measure *m) {
  uint32_t capacity = scene->options.capacity, count = mo_scene_node_at(scene, index)->count;
  return m->flat && count <= capacity - (capacity + MO_LEAF_HEADROOM - 1) / MO_LEAF_HEADROOM &&
         m->cost >= (1 + mo_block_price(scene)) * mo_leaf_cost(count);
}

void mo_node_set_expected_cost(mo_scene *scene, uint32_t index, const mo_plan *plan) {
  bool flat = mo_node_nodes(mo_scene_node_at(scene, index)) == 0;
  double share = share_of_cost(scene, index, flat ? plan->price : plan->cost);
  scene->maintenance[index].fresh = (uint16_t)fmin(share, UINT16_MAX);
}

/* The largest accepted ratio of a node's cost to its cost with new planes. */
static double worst_of(const mo_scene *scene, uint32_t index, const measure *m) {
  bool large = mo_scene_node_at(scene, index)->count > MO_REBALANCE * scene->options.capacity;
  return large && !m->flat ? MO_WORSE_DEEP : MO_WORSE;
}

/* Whether new planes would hardly be better, judged by the cost of the last plan. That cost is
 * scaled down each time, as shapes have moved since. */
static bool is_near_expected_cost(mo_scene *scene, uint32_t index, const measure *m) {
  uint16_t *fresh = &scene->maintenance[index].fresh;
  bool sure = share_of_cost(scene, index, m->cost) <= worst_of(scene, index, m) * *fresh;
  *fresh = (uint16_t)(sure ? MO_PLAN_FADE * *fresh : 0);
  return sure;
}

/* Whether a plan is so much better than the node's present planes that the node should be
 * rebuilt. */
static bool is_worth_rebuilding(const mo_scene *scene, uint32_t index, const measure *m,
                                const mo_plan *plan) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  double worst = worst_of(scene, index, m);
  if (m->flat) {
    bool finer = __builtin_popcount(node->axes) > __builtin_popcount(plan->axes);
    return (plan->axes != 0 || node->count > scene->options.capacity) &&
           m->cost > (finer ? MO_WORSE_FINER : worst) * plan->price;
  }
  return m->cost > worst * plan->cost;
}

/* Computes a plan for all shapes of a node, unless it has too many lists. */
static bool find_plan(const mo_scene *scene, uint32_t index, mo_plan *plan) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t heads[MO_REPLAN_LISTS];
  uint32_t lists = collect_lists(scene, index, heads, 0, MO_REPLAN_LISTS);
  if (lists > MO_REPLAN_LISTS) {
    return false;
  }
  mo_aabb cell = mo_tree_cell(scene, node->parent);
  float slack = mo_slack_above(scene, node->parent);
  *plan = mo_plan_irregular(scene, heads, lists, node->count, &cell, slack);
  return true;
}

/* Compares the planes of a node with newly chosen ones. Returns whether the node was rebuilt. */
static bool replan(mo_scene *scene, uint32_t index) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_plan plan = {.axes = 0};
  if (node->count > MO_REPLAN * scene->options.capacity) {
    /* Too large for cost estimates: the node is good enough if it has a plane on every axis on
     * which the plan has one. */
    if (!find_plan(scene, index, &plan) || !(plan.axes & ~node->axes)) {
      return false;
    }
  } else {
    measure m = measure_of(scene, index);
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
  uint32_t up = node->parent, head = mo_tree_dissolve(scene, index);
  mo_tree_build_as(scene, head, up, &plan);
  scene->counters.replan_count++;
  return true;
}

/* Whether a node has at most one child, and that child is a leaf. */
static bool has_at_most_one_leaf(const mo_scene_node *node) {
  uint32_t used = mo_node_used(node);
  return mo_node_nodes(node) == 0 && (used & (used - 1)) == 0;
}

/* Whether a node stores more shapes itself than a plan would allow. */
static bool is_crowded(const mo_scene *scene, const mo_scene_node *node) {
  uint32_t items = mo_list_total(scene, node->items);
  return items > MO_CROWD && (float)items > scene->options.max_straddlers * (float)node->count;
}

/* Whether the planes of a large node are due for rebalancing: in every update if many shapes have
 * moved, else in one of MO_BALANCE_TURNS. */
static bool is_due_for_rebalance(const mo_scene *scene, uint32_t index) {
  return scene->round_work > scene->shape_count / MO_BALANCE_SHARE ||
         (scene->rounds + index) % MO_BALANCE_TURNS == 0;
}

/* Maintains a node after the changed nodes below it; `octants` are its changed octants. The node
 * may be replaced. */
static void maintain_node(mo_scene *scene, uint32_t index, uint32_t octants, bool mature,
                          allowance *a) {
  mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t capacity = scene->options.capacity, count = node->count;
  bool irregular = scene->options.policy == MO_TREE_IRREGULAR;
  if (mo_node_is_sparse(scene, node) || (irregular && has_at_most_one_leaf(node))) {
    uint32_t up = node->parent;
    spend(a, count);
    uint32_t head = mo_tree_dissolve(scene, index);
    mo_tree_build(scene, head, up, false);
    scene->counters.merge_count++;
    return;
  }
  if (mature) {
    node->age = 0;
  }
  if (!split_leaves(scene, index, octants, a) || !irregular || !mo_node_drop_planes(scene, index)) {
    return;
  }
  if (count > MO_REBALANCE * capacity && (mature || is_due_for_rebalance(scene, index))) {
    uint64_t left = a->rebalances;
    mo_node_balance(scene, index, &left);
    spend_rebalance(a, a->rebalances - left);
  }
  /* A large node that lacks planes, as its shapes were crowded together when it was split, is worth
   * rebuilding within the limit. The root is excluded: the whole tree is never rebuilt at once. */
  node = mo_scene_node_at(scene, index);
  bool small = count <= MO_REPLAN * capacity;
  bool affordable = index != scene->root && node->axes != 7 && count <= a->rebalances;
  if (small ? mature || is_crowded(scene, node) : mature && affordable) {
    uint32_t cost = replan(scene, index) ? count : count / MO_WIDTH;
    if (small) {
      spend(a, cost);
    } else {
      spend_rebalance(a, cost);
    }
  }
}

/* Begins the examination of a node, unless an earlier update of this round has begun it. */
static void begin_node(mo_scene *scene, uint32_t index) {
  if (scene->maintenance[index].examined != MO_EXAMINED_NOT) {
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_node_maintenance *maintenance = &scene->maintenance[index];
  maintenance->examined = node->age >= MO_MATURE ? MO_EXAMINED_MATURE : MO_EXAMINED_CHANGED;
  maintenance->octants = node->changed;
  maintenance->waiting = (uint8_t)(mo_node_nodes(node) & node->changed);
  node->changed = 0;
}

/* Examines the changed nodes below a node, then the node itself. Returns false if the limit is
 * reached before that is done; the next update then continues. */
static bool examine(mo_scene *scene, uint32_t index, allowance *a) {
  if (a->upkeep == 0) {
    return false;
  }
  begin_node(scene, index);
  while (scene->maintenance[index].waiting != 0) {
    uint32_t octant = (uint32_t)__builtin_ctz(scene->maintenance[index].waiting);
    uint32_t child = mo_scene_node_at(scene, index)->child[octant];
    /* The child may have become a leaf or empty since the round began. */
    if (!mo_child_is_leaf(child) && !examine(scene, child, a)) {
      return false;
    }
    scene->maintenance[index].waiting &= (uint8_t)(scene->maintenance[index].waiting - 1);
  }
  if (a->upkeep == 0) {
    return false;
  }
  mo_node_maintenance *maintenance = &scene->maintenance[index];
  bool mature = maintenance->examined == MO_EXAMINED_MATURE;
  maintenance->examined = MO_EXAMINED_NOT;
  spend(a, 1);
  maintain_node(scene, index, maintenance->octants, mature, a);
  return true;
}

/* Examines a root that is a leaf: splits it if it is above capacity, with the back-off of
 * split_leaves. */
static bool examine_root_leaf(mo_scene *scene, allowance *a) {
  if (!is_full(scene, scene->root)) {
    return true;
  }
  uint32_t head = mo_child_index(scene->root);
  uint32_t refusals = mo_shape_block_at(scene, head)->refusals;
  uint32_t wait = (1u << (refusals < MO_MAX_FAILED_SPLITS ? refusals : MO_MAX_FAILED_SPLITS)) - 1;
  if ((scene->rounds & wait) == 0) {
    spend(a, mo_list_total(scene, head));
    mo_tree_build(scene, head, MO_NONE, false);
  } else {
    scene->root_changed = true;
  }
  return true;
}

static bool is_in_tree(const mo_scene *scene, uint32_t slot) {
  return mo_slot_is_alive(scene, slot) && !(scene->traits[slot] & MO_TRAIT_UNBOUNDED);
}

/* Tries again to move shapes that a failed allocation has left in a wrong cell. */
static mo_result replace_displaced(mo_scene *scene) {
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    if (!is_in_tree(scene, slot)) {
      continue;
    }
    uint32_t block = scene->places[slot] >> 3;
    const mo_block_cell *at = &scene->cells[block];
    mo_aabb box = mo_tree_box(scene, slot);
    bool sinks = mo_owner_is_node(at->owner) &&
                 mo_item_fits_octant(scene, mo_owner_node(at->owner), &at->cell, &box);
    if (mo_shape_block_at(scene, block)->displaced &&
        (sinks || !mo_cell_holds(&at->cell, at->slack, &box))) {
      mo_result result = mo_blocks_reserve(scene, 1);
      if (result != MO_OK) {
        return result;
      }
      mo_tree_reinsert(scene, slot, &box, false);
    }
  }
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    if (is_in_tree(scene, slot)) {
      mo_shape_block_at(scene, scene->places[slot] >> 3)->displaced = 0;
    }
  }
  scene->displaced = false;
  return MO_OK;
}

/* When shapes come to rest, nodes that earlier motion has degraded would never become mature. So
 * this schedules about as many nodes for examination as that motion may have touched: one path from
 * the root in one of MO_REVISIT_PERIOD rounds. */
static void revisit(mo_scene *scene) {
  uint64_t max = 2 * (uint64_t)(scene->nodes.count - scene->nodes.free_count);
  if (scene->round_work > scene->shape_count / MO_REST_SHARE) {
    uint64_t owed = scene->owed + scene->round_work / MO_CHANGES_PER_REVISIT;
    scene->owed = owed < max ? owed : max;
    return;
  }
  if (scene->owed == 0 || scene->options.policy != MO_TREE_IRREGULAR) {
    return;
  }
  /* So rarely that its cost is not measurable. */
  if (scene->rounds % MO_REVISIT_PERIOD != 0) {
    return;
  }
  scene->owed--;
  /* The order of paths reaches all parts of the tree early: Knuth's multiplicative hash. */
  uint32_t path = scene->rounds / MO_REVISIT_PERIOD * 2654435769u;
  uint32_t child = scene->root;
  while (!mo_child_is_leaf(child)) {
    mo_scene_node *node = mo_scene_node_at(scene, child);
    node->age = MO_MATURE;
    mo_mark_changed(scene, node->parent);
    for (uint32_t i = 0; i < MO_WIDTH; i++) {
      child = node->child[(path >> 29) ^ i];
      if (!mo_child_is_leaf(child)) {
        break;
      }
    }
    path = path << 3 | path >> 29;
  }
}

/* Begins a new round, which covers all changes until now. Returns whether anything changed. */
static bool begin_round(mo_scene *scene) {
  scene->round_work = scene->work;
  scene->work = 0;
  scene->round_rebalances = scene->round_work / MO_REBALANCE_SHARE;
  revisit(scene);
  bool changed = scene->root_changed;
  scene->root_changed = false;
  return changed;
}

/* Begins a round, or continues an unfinished one. */
static void run_round(mo_scene *scene, uint64_t upkeep) {
  bool done = !scene->unfinished && !begin_round(scene);
  allowance a = {scene->round_rebalances, upkeep, 0};
  if (!done) {
    done = mo_scene_root_is_node(scene) ? examine(scene, scene->root, &a)
                                        : examine_root_leaf(scene, &a);
    if (scene->options.policy != MO_TREE_IRREGULAR) {
      mo_cube_shrink(scene);
    }
    mo_tree_tighten(scene);
  }
  scene->unfinished = !done;
  scene->rounds += done;
  scene->round_rebalances = a.rebalances;
  scene->debt = a.debt;
}

mo_result mo_tree_update(mo_scene *scene, uint64_t upkeep) {
  mo_result result = scene->displaced ? replace_displaced(scene) : MO_OK;
  mo_tree_tighten(scene);
  uint64_t paid = scene->debt < upkeep ? scene->debt : upkeep;
  scene->debt -= paid;
  if (upkeep > paid) {
    run_round(scene, upkeep - paid);
  }
  return result;
}
