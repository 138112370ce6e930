/* Constants that steer insertions, evictions and removals of many shapes: sizes of batches, when a
 * subtree is built anew with what comes, and how far ahead memory is prefetched. Answers do not
 * depend on them. */
#ifndef MO_SCENE_BULK_POLICY_H
#define MO_SCENE_BULK_POLICY_H

/* --- batches, in shapes --- */

enum {
  MO_BULK_CHUNK = 4096,     /* sorted level by level; larger batches are partitioned depth first */
  MO_BULK_SAMPLE = 4096,    /* a new node's planes are chosen by */
  MO_RANKED_MOST = 6,       /* ordered by counting ranks, without a loop over all octants */
  MO_WORKSPACE_LEAST = 64,  /* first capacity of the workspace */
  MO_WORKSPACE_KEPT = 8192, /* capacity that is not freed after a call */
};

/* --- grafts --- */

enum {
  /* A subtree with at most 1 / so many of the shapes of a batch may be built anew with them. */
  MO_GRAFT_RATIO = 2,
};

/* Largest share of a batch on one side of a plane that suits it: where planes are rebalanced too
 * (MO_HEAVY_SHARE). */
static const double MO_GRAFT_HEAVY_SHARE = 0.62;

/* Share of the smaller one by which two tiles may overlap and still get a plane between them, as
 * far as slack allows. */
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
