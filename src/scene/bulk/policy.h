/* Constants that steer insertions, evictions and removals of many shapes: sizes of batches, when a
 * subtree is built anew with a batch, and how far ahead memory is prefetched. Answers do not depend
 * on them. Worths as in scene/octree/policy.h. */
#ifndef MO_SCENE_BULK_POLICY_H
#define MO_SCENE_BULK_POLICY_H

/* --- batches, in shapes --- */

enum {
  /* Partitioned level by level; larger batches depth first. 16,384: f 2.5 % faster, four times the
   * workspace. */
  MO_BULK_CHUNK = 4096,
  MO_BULK_SAMPLE = 4096, /* by which the planes of a new node are chosen */
  /* Ordered by counting ranks, without a loop over all octants: 10 % of the instructions of updates
   * in g, 6 % where a crowd gathers. */
  MO_RANKED_MOST = 6,
  MO_WORKSPACE_LEAST = 64,  /* first capacity of the workspace */
  MO_WORKSPACE_KEPT = 8192, /* capacity that is not freed after a call */
};

/* --- grafts --- */

enum {
  /* A subtree with at most 1 / so many of the shapes of a batch may be built anew with them. */
  MO_GRAFT_RATIO = 2,
};

/* Share of the smaller of two tiles by which they may overlap and still get a plane between them,
 * as far as slack allows. Without it, boxes and pair searches visit 60 to 70 % more in a world that
 * is streamed by tiles. */
static const float MO_TILE_OVERLAP = 0.05f;

/* --- prefetch distances --- */

/* Insertion: nodes, and lists. */
enum { MO_INSERT_NODES_AHEAD = 6, MO_INSERT_LISTS_AHEAD = 6 };

/* Eviction: blocks, and then the nodes above them. */
enum { MO_EVICT_AHEAD = 12, MO_EVICT_OWNERS_AHEAD = 6 };

/* Removal, in removals: places, then blocks, then nodes, then lists and the nodes one level up. */
enum {
  MO_REMOVE_AHEAD = 34,
  MO_REMOVE_BLOCKS_AHEAD = 26,
  MO_REMOVE_OWNERS_AHEAD = 14,
  MO_REMOVE_LISTS_AHEAD = 6,
};

#endif
