/* Constants that steer the shape octree: when a node is examined, what is built anew, how far an
 * update goes, and how far ahead memory is prefetched. They decide how good the tree is and what
 * its upkeep costs, never what a query answers.
 *
 * Worths are what is lost without the rule, in the workloads of `motte-bench moving` (letters) and
 * in worlds that are flat, expand, or come to rest; "visits" are nodes and blocks, of rays unless
 * said. bench/NOTEBOOK.md has what was tried and removed. */
#ifndef MO_SCENE_OCTREE_POLICY_H
#define MO_SCENE_OCTREE_POLICY_H

/* --- ages of nodes: when planes are compared with fresh ones --- */

enum {
  /* Tightenings of an octant until a node is mature: of all of its octants in sixteen updates, or
   * of one in eight times as many. 224 in place of 128: visits in f at 1.049 of a fresh tree's, not
   * 1.032. */
  MO_MATURE = 128,
  /* Nodes above MO_REBALANCE age slower by this factor: some octant of theirs is made tight
   * whenever one shape in hundreds moves, and to compare planes means to read all shapes. Worth 9 %
   * of the instructions of updates in s, 57 % of the visits of pair searches in a flat world. */
  MO_AGE_SLOWDOWN = 8,
  /* Mask of a node's index that gives its first age, so that nodes made together do not mature in
   * the same update: with it the median update of f takes 5 % longer than the shortest, without it
   * 40 %. */
  MO_AGE_SPREAD = 127,
  /* Updates between two paths that are examined in a tree that has come to rest: without them it
   * would never become as good as a fresh one. */
  MO_REVISIT_PERIOD = 8,
  /* A tree is at rest while an update changes at most 1 / so many of its shapes; before that, each
   * so many changes of the second number leave one path to be examined. */
  MO_REST_SHARE = 64,
  MO_CHANGES_PER_REVISIT = 16,
};

/* --- sizes of nodes, in capacities of a leaf --- */

enum {
  /* At most: the node may be made anew as a whole if its planes are worse than fresh ones. Larger
   * nodes, but not the root, may be if they lack a plane that a fresh one has: worth 11 % of visits
   * in a tree that comes to rest after all shapes drifted one way with little upkeep. */
  MO_REPLAN = 32,
  MO_REBALANCE = 6, /* more than this: the node's planes move with the shapes */
  MO_MERGE = 2,     /* a subtree of fewer shapes than 1 / so many capacities becomes a leaf */
  /* A leaf above its capacity tries to split with each block that is added, up to this size, and
   * from there on when its shapes double. Worth 2 % of the instructions of updates in s. */
  MO_SPLIT_EAGER = 4,
};

/* --- when a node is made anew --- */

/* A node is planned anew if its visits are this many times what they might be; `DEEP`: a large node
 * with nodes below it. Planes chosen for shapes as they lie now always look better than those of a
 * while ago. Where a tenth of 100,000 shapes teleport each frame, 1.15 for both keeps trees
 * at 1.042 times the visits of fresh ones and makes 430 nodes a frame; 1.2 and 1.25 keep them
 * at 1.02, with
 * 50. 1.2 for both takes 6 % more instructions of updates in g, 1.25 for both 5 % in c. */
static const double MO_WORSE = 1.2, MO_WORSE_DEEP = 1.25;

/* The same where fewer planes would do. A node that is crowded for a while gets all planes. When
 * its shapes are few again, rays hardly lose by so many planes, but large boxes, updates and memory
 * do: without it, 10,000 frames of 10,000 walking shapes left 2.9 shapes in a block; a fresh tree
 * has 5.3. */
static const double MO_WORSE_FINER = 1.1;

/* A plan is made only when a node's relative cost reaches what makes it worse than the last plan;
 * each time that it does not, the last plan's cost is scaled by this factor, as shapes have moved
 * since. Remembering plans saves 9 to 15 % of updates in g; without the factor pair searches in e
 * visit 4 % more. */
static const double MO_PLAN_FADE = 0.97;

/* What a block costs in memory and upkeep, in visits. It decides between many leaves of few shapes
 * and fewer of more where the visits hardly differ: at 100,000 even boxes, 73 bytes a shape in
 * place of 104 for 1 % more visits. */
static const double MO_BLOCK_PRICE = 0.1;

/* The same while shapes fly (mo_scene.flies): they stay longer in fuller and so larger leaves. With
 * the spare slack below, 12 % fewer shapes are reinserted in A and 8 % in v, updates and pairs take
 * 14 % less time in A and up to 6 in v, and rays visit 8 and 3 % more. Always: updates of F take
 * 29 % longer, boxes in e visit 6 % more. */
static const double MO_BLOCK_PRICE_FLYING = 0.3;

/* Share of the widest extent that is added to each extent of a box before areas are compared: keeps
 * ratios defined for shapes in a plane or on a line. */
static const double MO_AREA_MARGIN = 1e-3;

enum {
  /* A node becomes a leaf only if one in so many places of the leaf stays free, as a full leaf
   * would often be split again at once: without it, 10 % more splits in a tree that comes to rest,
   * and pair searches visit 3 % more. */
  MO_LEAF_HEADROOM = 16,
  /* A node is compared with a fresh one early if it stores more than so many shapes itself, and
   * more of them than max_straddlers allows. Worth 12 % of visits in a flat world, 28 % of those of
   * pair searches. */
  MO_CROWD = 8,
  /* Lists of a subtree that may be planned anew: bounds the stack. */
  MO_REPLAN_LISTS = 4096,
  /* A leaf whose split was refused n times waits 2^n - 1 rounds, n up to this: bounds what shapes
   * in one place cost. */
  MO_REFUSALS_MOST = 6,
};

/* --- planes of large nodes that move with the shapes --- */

/* A plane is rebalanced when one side has more than the first share of the shapes, to where that
 * side has the second. */
static const double MO_HEAVY_SHARE = 0.62, MO_FAIR_SHARE = 0.55;

enum {
  MO_CROSSING_MOST = 4096,   /* shapes that change sides in one step of a plane: bounds the stack */
  MO_STRADDLERS_MOST = 256,  /* shapes of a node that are pushed down in one step */
  MO_STRADDLERS_SEEN = 1024, /* shapes of a node that are tested for that */
  MO_REBALANCE_TRIES = 8,    /* halvings of a step that goes too far */
  MO_REBALANCE_LEAST = 8,    /* shapes for which a plane is not moved: less of a budget is left */
  MO_REBALANCE_SHARE = 2,    /* a round may move 1 / so many shapes of those that changed */
  /* Large nodes are examined in one of so many updates; every time costs 6 % more instructions of
   * updates in g. Where more than 1 / so many of the shapes changed, in all: worth 3 % of visits in
   * an expanding world. */
  MO_BALANCE_TURNS = 16,
  MO_BALANCE_SHARE = 8,
};

/* --- planes of new nodes --- */

enum {
  MO_PLAN_BINS = 16,     /* per axis, with a candidate plane between two */
  MO_PLAN_ZOOMS = 6,     /* into one bin, in search of a median */
  MO_PLAN_SAMPLE = 4096, /* shapes that are examined of more than twice as many */
};

/* Share of the shapes that each side of a plane has at least: bounds the depth. */
static const float MO_PLAN_LEAST_SHARE = 0.38f;

/* Axes along which the middles spread less than this share of the widest get no plane. Worth 31 %
 * of visits in a flat world, 74 % of those of pair searches. */
static const float MO_PLAN_FLAT = 0.25f;

/* Slack of nodes of leaves beyond what their shapes need, in widths of a child: room to move to and
 * fro. Worth 4 % of the instructions of updates in a and c. That they get no more slack than that
 * is worth 3 % of the visits of pair searches in a, and two in three plans in a flat world. */
static const float MO_PLAN_SPARE_SLACK = 0.05f;

/* The same while shapes fly: as much as the looseness allows. */
static const float MO_PLAN_SPARE_FLYING = 0.5f;

/* --- moved shapes --- */

/* Share of a cell's slack by which the middle of a shape that stays may lie outside of the cell: a
 * shape that moves to and fro is not reinserted each time. None takes 12 % more instructions of
 * updates in a; all of the slack, 10 % more visits of pair searches in e. */
static const float MO_STRAY_SHARE = 0.25f;

enum {
  /* Moves that are evaluated before the bounds above them are made tight: their blocks are still in
   * the second-level cache then. From 512 to 4,096 nothing changes. */
  MO_SWEEP_MOVES = 2048,
  MO_EVICT_BLOCKS = 960, /* blocks that shapes are evicted from together */
  MO_TRACE = 64, /* one in so many reinserts has its path counted: one in 16 costs 2 % in f */
};

#endif
