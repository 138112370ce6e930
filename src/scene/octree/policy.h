/* Tuning constants of the shape octree: when a node is examined, what is rebuilt, how much work an
 * update does, and prefetch distances. They affect the quality of the tree and the cost of its
 * maintenance, but never the answer of a query.
 *
 * The benefit given for a rule ("worth 3 % of visits") is what is lost without it, in the workloads
 * of `motte-bench run moving`, which are named by letters, and in worlds that are flat, expand, or
 * come to rest. "Visits" are the nodes and blocks that a query visits; the query is a ray unless
 * stated otherwise. bench/NOTEBOOK.md lists what was tried and removed. */
#ifndef MO_SCENE_OCTREE_POLICY_H
#define MO_SCENE_OCTREE_POLICY_H

/* --- ages of nodes: when planes are compared with newly chosen ones --- */

enum {
  /* A node is mature after this many tightenings of its octants: all eight in 16 updates, or one in
   * 128. With 224, visits in workload f are 1.049 times those of a fresh tree, in place of 1.032.
   */
  MO_MATURE_AGE = 128,
  /* Nodes larger than MO_REBALANCE_MIN_SIZE age more slowly by this factor: one of their octants is
   * tightened whenever one shape in hundreds moves, and comparing their planes requires reading all
   * their shapes. Worth 9 % of the instructions of updates in workload s, 57 % of the visits of
   * pair searches in a flat world. */
  MO_LARGE_NODE_AGE_DIVISOR = 8,
  /* The initial age of a node is its index masked by this, so that nodes made together do not
   * mature in the same update: with it the median update of workload f takes 5 % longer than the
   * shortest, without it 40 %. */
  MO_INITIAL_AGE_MASK = 127,
  /* In a tree that has come to rest, one path from the root is examined every this many updates;
   * without this the tree would never become as good as a fresh one. */
  MO_REEXAMINATION_PERIOD = 8,
  MO_TREE_AT_REST_DIVISOR = 64, /* at rest: an update changes at most 1 / this of all shapes */
  /* Before that, every this many changes schedule one path for later examination. */
  MO_CHANGES_PER_REEXAMINATION = 16,
};

/* --- sizes of nodes, in capacities of a leaf --- */

enum {
  /* Up to this size a node may be rebuilt as a whole if its planes are worse than newly chosen
   * ones. Larger nodes, except the root, may be rebuilt if they lack a plane that a new node would
   * have: worth 11 % of visits in a tree that comes to rest after all shapes drifted in one
   * direction with little maintenance. */
  MO_REPLAN_MAX_SIZE = 32,
  MO_REBALANCE_MIN_SIZE = 6,    /* above this size, the planes of a node move as its shapes move */
  MO_MERGE_SUBTREE_DIVISOR = 2, /* a subtree of fewer shapes than capacity / this becomes a leaf */
  /* A leaf above its capacity tries to split with each block that is added, up to this size; above
   * it, each time its number of shapes has doubled. Worth 2 % of the instructions of updates in
   * workload s. */
  MO_EAGER_SPLIT_MAX_SIZE = 4,
};

/* --- when a node is rebuilt --- */

/* A node gets new planes if its expected visits exceed this many times those with new planes;
 * MO_REPLAN_COST_RATIO_DEEP is for a large node with nodes below it. The factors are above 1 as
 * planes chosen for the present positions of shapes always look better than older ones. If a tenth
 * of 100,000 shapes teleport each frame, 1.15 for both rebuilds nine times as many nodes, for 2 %
 * more visits. 1.2 for both takes 6 % more instructions of updates in workload g, 1.25 5 % in c. */
static const double MO_REPLAN_COST_RATIO = 1.2, MO_REPLAN_COST_RATIO_DEEP = 1.25;

/* Replaces MO_REPLAN_COST_RATIO if the new plan has fewer planes. A node that is crowded for a
 * while gets all three, which later cost queries by large boxes, updates and memory: without this
 * factor, 10,000 frames of 10,000 walking shapes left 2.9 shapes per block; a fresh tree has 5.3.
 */
static const double MO_REPLAN_COST_RATIO_FEWER_PLANES = 1.1;

/* The expected cost of the last plan of a node is remembered, and a new plan is only computed if
 * the node's relative cost exceeds it by the factors above (9 to 15 % of updates in workload g).
 * Each time that it does not, the remembered cost is multiplied by this factor, as shapes have
 * moved since; without it pair searches in workload e visit 4 % more. */
static const double MO_PLAN_COST_DECAY = 0.97;

/* The cost of a block in memory and maintenance, in visits of a query. It decides between many
 * small leaves and fewer large ones where the expected visits hardly differ: for 100,000 evenly
 * spread boxes, 73 bytes per shape in place of 104 for 1 % more visits. */
static const double MO_BLOCK_UPKEEP_COST = 0.1;

/* The same while many shapes leave their cells (mo_scene.many_leave_cells): leaves are then fuller
 * and larger, and shapes stay in them longer. Together with MO_PLAN_EXTRA_SLACK_MANY_LEAVE_CELLS,
 * 12 % fewer shapes are reinserted in workload A, updates and pairs take 14 % less time, and rays
 * visit 8 % more. If it were always used, updates of workload F would take 29 % longer. */
static const double MO_BLOCK_UPKEEP_COST_MANY_LEAVE_CELLS = 0.3;

/* Share of the largest extent that is added to each extent of a box before surface areas are
 * compared: keeps the ratios defined if all shapes lie in a plane or on a line. */
static const double MO_AREA_MARGIN = 1e-3;

enum {
  /* A node becomes a leaf only if 1 / this of the leaf's capacity stays free, as a full leaf would
   * often be split again at once (hysteresis): without it, 10 % more splits in a tree that comes to
   * rest, and pair searches visit 3 % more. */
  MO_LEAF_HEADROOM_DIVISOR = 16,
  /* A node's planes are compared with new ones before it is mature if it stores more than this many
   * shapes itself (they straddle its planes), and a larger share of its shapes than max_straddlers
   * allows. Worth 12 % of visits in a flat world, 28 % of those of pair searches. */
  MO_CROWDED_MIN_ITEMS = 8,
  /* A subtree with more lists of blocks gets no new plan, as they are collected on the stack. */
  MO_REPLAN_MAX_LISTS = 4096,
  /* Exponential back-off: a leaf whose split failed n times waits 2^n - 1 rounds, for n up to this.
   * It limits the cost of shapes that are all in one place. */
  MO_MAX_FAILED_SPLITS = 6,
};

/* --- rebalancing: planes of large nodes that are moved as the shapes move --- */

/* A plane is rebalanced when one side has more than MO_HEAVY_SIDE_SHARE of the shapes; it is moved
 * to where that side has MO_REBALANCED_SIDE_SHARE. */
static const double MO_HEAVY_SIDE_SHARE = 0.62, MO_REBALANCED_SIDE_SHARE = 0.55;

enum {
  /* Maximum numbers in one step: of shapes that change sides of a plane, which are listed on the
   * stack; of a node's own shapes that are moved to its octants, and that are tested for that. */
  MO_MAX_SHAPES_CHANGING_SIDES = 4096,
  MO_MAX_PUSHED_STRADDLERS = 256,
  MO_MAX_TESTED_STRADDLERS = 1024,
  MO_REBALANCE_MAX_TRIES = 8,  /* attempts at a step, which is halved if it moves too many shapes */
  MO_REBALANCE_MIN_BUDGET = 8, /* with a smaller remaining budget of shapes, no plane is moved */
  /* A round of maintenance may move 1 / this of the number of changed shapes. */
  MO_REBALANCE_BUDGET_DIVISOR = 2,
  /* Planes of large nodes are rebalanced in one of this many updates; doing it in every update
   * costs 6 % more instructions of updates in workload g. It is done in every update while more
   * than 1 / MO_REBALANCE_EVERY_UPDATE_DIVISOR of all shapes change: worth 3 % of visits in an
   * expanding world. */
  MO_REBALANCE_PERIOD = 16,
  MO_REBALANCE_EVERY_UPDATE_DIVISOR = 8,
};

/* --- planes of new nodes --- */

enum {
  MO_PLAN_BINS = 16,            /* per axis, with a candidate plane between each two neighbours */
  MO_PLAN_MAX_REFINEMENTS = 6,  /* how often the search for the median is refined within one bin */
  MO_PLAN_SAMPLE_SHAPES = 4096, /* shapes that are sampled if there are more than twice as many */
};

/* Each side of a new plane has at least this share of the shapes, which bounds the depth of the
 * tree. */
static const float MO_PLAN_MIN_SIDE_SHARE = 0.38f;

/* An axis gets no plane if the spread of box centres along it is less than this share of that along
 * the widest axis. Worth 31 % of visits in a flat world, 74 % of those of pair searches. */
static const float MO_PLAN_MIN_SPREAD_SHARE = 0.25f;

/* Additional slack of a node whose children are leaves, beyond what its shapes need, in widths of a
 * child cell, so that shapes that move to and fro stay in their cells. Worth 4 % of the
 * instructions of updates in workloads a and c. Limiting the slack to this is worth 3 % of the
 * visits of pair searches in workload a, and saves two in three plans in a flat world. */
static const float MO_PLAN_EXTRA_SLACK = 0.05f;

/* The same while many shapes leave their cells (mo_scene.many_leave_cells): as much as the
 * looseness allows. */
static const float MO_PLAN_EXTRA_SLACK_MANY_LEAVE_CELLS = 0.5f;

/* --- moved shapes --- */

/* Hysteresis: a moved shape stays in its cell while its centre lies outside the cell by at most
 * this share of the slack, so that a shape that moves to and fro is not reinserted each time. A
 * share of 0 takes 12 % more instructions of updates in workload a; a share of 1 takes 10 % more
 * visits of pair searches in workload e. */
static const float MO_HYSTERESIS_SLACK_SHARE = 0.25f;

enum {
  /* Number of moved shapes whose boxes are computed before the bounds above them are tightened, so
   * that their blocks are still in the L2 cache. Values from 512 to 4,096 make no difference. */
  MO_MOVES_PER_BOX_UPDATE = 2048,
  /* One in this many reinsertions counts the levels of its way down the tree, for the statistics.
   * With 16, updates of workload f are 2 % slower. */
  MO_REINSERTION_TRACE_PERIOD = 64,
};

#endif
