/* Constants that steer the shape octree: when a node is examined, what is built anew, how far an
 * update goes, and how far ahead memory is prefetched. They decide how good the tree is and what
 * its upkeep costs, never what a query answers. Worths are measured where one is given. */
#ifndef MO_SCENE_OCTREE_POLICY_H
#define MO_SCENE_OCTREE_POLICY_H

/* --- ages of nodes: when planes are compared with fresh ones --- */

enum {
  /* Tightenings of an octant until a node is mature: of all of its octants in sixteen updates, or
   * of one in eight times as many. */
  MO_MATURE = 128,
  /* Nodes above MO_REBALANCE age slower by this factor: some octant of theirs is made tight
   * whenever one shape in hundreds moves, and to compare planes means to read all shapes. */
  MO_AGE_SLOWDOWN = 8,
  /* Mask of a node's index that gives its first age, so that nodes made together do not mature in
   * the same update. */
  MO_AGE_SPREAD = 127,
  /* Updates between two paths that are examined in a tree that has come to rest. */
  MO_REVISIT_PERIOD = 8,
};

/* --- sizes of nodes, in capacities of a leaf --- */

enum {
  MO_REPLAN = 32,   /* at most: the node may be made anew as a whole */
  MO_REBALANCE = 6, /* more than this: the node's planes move with the shapes */
};

/* --- when a node is made anew --- */

/* A node is planned anew if its visits are this many times what they might be; `DEEP`: a large node
 * with nodes below it; `LACKING`: one that lacks a plane, as one side was empty. Planes chosen for
 * shapes as they lie now always look better than those of a while ago. Where a tenth of 100,000
 * shapes teleport each frame, 1.15 for both keeps trees at 1.042 times the visits of fresh ones and
 * makes 430 nodes a frame; 1.2 and 1.25 keep them at 1.02, with 50. */
static const double MO_WORSE = 1.2, MO_WORSE_DEEP = 1.25, MO_WORSE_LACKING = 1.03;

/* The same where fewer planes would do. A node that is crowded for a while gets all planes. When
 * its shapes are few again, rays hardly lose by so many planes, but large boxes, updates and memory
 * do: without it, 10,000 frames of 10,000 walking shapes left 2.9 shapes in a block; a fresh tree
 * has 5.3. */
static const double MO_WORSE_FINER = 1.1;

/* A plan is made only when the node's relative cost reaches this share of what makes it worse than
 * the last plan; each time that it does not, the last plan's cost is scaled by `FADE`, as shapes
 * have moved since. */
static const double MO_PLAN_TRUST = 0.96, MO_PLAN_FADE = 0.97;

/* What a block costs in memory and upkeep, in visits. It decides between many leaves of few shapes
 * and fewer of more where the visits hardly differ: at 100,000 even boxes, 73 bytes a shape in
 * place of 104 for 1 % more visits. */
static const double MO_BLOCK_PRICE = 0.1;

enum {
  /* A node becomes a leaf only if one in so many places of the leaf stays free, as a full leaf
   * would often be split again at once. */
  MO_LEAF_HEADROOM = 16,
  /* Lists of a subtree that may be planned anew: bounds the stack. */
  MO_REPLAN_LISTS = 4096,
  /* A leaf whose split was refused n times waits 2^n - 1 rounds, n up to this. */
  MO_REFUSALS_MOST = 6,
};

/* --- planes and slack of large nodes that move with the shapes --- */

/* A plane is rebalanced when one side has more than the first share of the shapes, to where that
 * side has the second. */
static const double MO_HEAVY_SHARE = 0.62, MO_FAIR_SHARE = 0.55;

/* A node gets fresh slack if that is more than, or less than, so many times what it has. */
static const float MO_SLACK_WIDER = 1.25f, MO_SLACK_NARROWER = 0.5f;

enum {
  MO_CROSSING_MOST = 4096,   /* shapes that change sides in one step of a plane */
  MO_STRADDLERS_MOST = 256,  /* shapes of a node that are pushed down in one step */
  MO_REBALANCE_TRIES = 8,    /* halvings of a step that goes too far */
  MO_BALANCE_TURNS = 4,      /* large nodes are examined in one of so many updates ... */
  MO_BALANCE_RARE_TURNS = 16 /* ... or where little has moved, of so many */
};

/* --- planes of new nodes --- */

enum {
  MO_PLAN_BINS = 16,     /* per axis, with a candidate plane between two */
  MO_PLAN_ZOOMS = 6,     /* into one bin, in search of a median */
  MO_PLAN_SAMPLE = 4096, /* shapes that are examined of more than twice as many */
};

/* Share of the shapes that each side of a plane has at least: bounds the depth. */
static const float MO_PLAN_LEAST_SHARE = 0.38f;

/* Axes along which the middles spread less than this share of the widest get no plane. */
static const float MO_PLAN_FLAT = 0.25f;

/* --- moved shapes --- */

/* Share of a cell's slack by which the middle of a shape that stays may lie outside of the cell: a
 * shape that moves to and fro is not reinserted each time. All of the slack would let small shapes
 * drift far out of their cells. */
static const float MO_STRAY_SHARE = 0.25f;

enum {
  /* Moves that are evaluated before the bounds above them are made tight: their blocks are still in
   * the second-level cache then. */
  MO_SWEEP_MOVES = 2048,
  MO_EVICT_BLOCKS = 960, /* blocks that shapes are evicted from together */
  MO_TRACE = 64, /* one in so many reinserts has its path counted: costs nothing measurable */
};

#endif
