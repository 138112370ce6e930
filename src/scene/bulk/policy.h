/* Tuning constants for inserting, evicting and removing many shapes: batch sizes, when a subtree is
 * rebuilt together with a batch, and prefetch distances. Answers of queries do not depend on them.
 * scene/octree/policy.h explains the workloads (letters) and the benefits given ("worth 10 %"). */
#ifndef MO_SCENE_BULK_POLICY_H
#define MO_SCENE_BULK_POLICY_H

/* --- batches, in shapes --- */

enum {
  /* Batches up to this size are partitioned level by level, larger ones depth first. With 16,384,
   * workload f is 2.5 % faster, but the workspace is four times as large. */
  MO_BULK_CHUNK_SHAPES = 4096,
  /* Size of the sample from which the planes of a new node are chosen. */
  MO_BULK_SAMPLE_SHAPES = 4096,
  /* Up to this many shapes are sorted by octant by computing their ranks, without a loop over all
   * octants: worth 10 % of the instructions of updates in workload g, 6 % where a crowd gathers. */
  MO_RANK_SORT_MAX_SHAPES = 6,
  MO_WORKSPACE_MIN_CAPACITY = 64,    /* first capacity of the workspace */
  MO_WORKSPACE_KEPT_CAPACITY = 8192, /* capacity that is not freed after a call */
};

/* --- grafts --- */

enum {
  /* A subtree with at most 1 / this as many shapes as a batch may be rebuilt with it. */
  MO_GRAFT_MIN_RATIO = 2, /* number of shapes in the batch / in the subtree */
};

/* A batch of shapes and a subtree beside it may overlap by this share of the smaller one's width
 * and still get a split plane between them, if the slack allows. Worth 60 to 70 % of the visits of
 * boxes and pair searches in a world streamed in tiles. */
static const float MO_SEPARATING_PLANE_MAX_OVERLAP = 0.05f;

/* --- prefetch distances --- */

/* Insertion: how far ahead nodes are prefetched, counted in visits of nodes, and lists, counted in
 * target lists. */
enum { MO_PREFETCH_INSERT_NODES_AHEAD = 6, MO_PREFETCH_INSERT_LISTS_AHEAD = 6 };

/* Eviction: how far ahead blocks are prefetched, then their owners, in blocks. */
enum { MO_PREFETCH_EVICT_BLOCKS_AHEAD = 12, MO_PREFETCH_EVICT_OWNERS_AHEAD = 6 };

/* Removal: how far ahead memory is prefetched, counted in removed shapes: first places, then
 * blocks, then nodes, then lists and the nodes one level up. */
enum {
  MO_PREFETCH_REMOVE_PLACES_AHEAD = 34,
  MO_PREFETCH_REMOVE_BLOCKS_AHEAD = 26,
  MO_PREFETCH_REMOVE_OWNERS_AHEAD = 14,
  MO_PREFETCH_REMOVE_LISTS_AHEAD = 6,
};

#endif
