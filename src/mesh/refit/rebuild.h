/* Internals of mo_mesh_rebuild_parts: choosing subtrees, building them, and the new memory
 * layout. */
#ifndef MO_MESH_REFIT_REBUILD_H
#define MO_MESH_REFIT_REBUILD_H

#include "mesh/build/build.h"
#include "mesh/refit/refit.h"

/* A node whose subtree may be rebuilt, and the expected gain of that. */
typedef struct mo_rebuild_candidate {
  double gain;        /* expected visits that a line saves; 0 if the node is not to be rebuilt */
  double best_profit; /* gain minus price of the best choice of nodes to rebuild in the subtree */
  uint32_t triangle_count;
  uint32_t height; /* number of levels of nodes in the subtree */
  bool chosen;     /* this node is rebuilt, rather than any node below it */
  bool covered;    /* an ancestor is chosen, so this node is rebuilt with it */
} mo_rebuild_candidate;

/* A subtree that is rebuilt. */
typedef struct mo_rebuilt_part {
  uint32_t node;       /* index of its root in the mesh */
  uint32_t *triangles; /* for each triangle of `tree`, the index in the mesh */
  mo_mesh tree;        /* the new subtree: only members that a builder fills in */
} mo_rebuilt_part;

/* A subtree or leaf below the top of the octree. */
typedef struct mo_top_subtree {
  uint32_t child;    /* encoded as a child of a node */
  uint32_t old_slot; /* slot in the old octree: node << 3 | slot */
} mo_top_subtree;

/* The top of the octree, which is rebuilt over existing subtrees. */
typedef struct mo_rebuilt_top {
  mo_top_subtree *items;
  uint32_t item_count, item_capacity;
  uint32_t node_count; /* number of old nodes that the top replaces; 0: the top is not rebuilt */
  double area_sum;     /* sum of the half areas of the boxes of these nodes */
  mo_mesh tree;        /* built over the items, each as one triangle in a leaf of its own */
} mo_rebuilt_top;

typedef struct mo_rebuild {
  mo_mesh *mesh;
  mo_rebuild_candidate *candidates; /* one per node of the mesh */
  mo_rebuilt_part *parts;           /* the chosen subtrees, ascending by node */
  uint32_t part_count;
  mo_rebuilt_top top;
} mo_rebuild;

/* The index in `items` of the subtree that a leaf of the top's tree stands for. */
static inline uint32_t mo_top_item_of_leaf(const mo_rebuilt_top *t, uint32_t leaf) {
  return t->items[t->tree.blocks[mo_child_index(leaf)].id[0] & MO_LANE_TRIANGLE].child;
}

/* Frees the arrays that a builder made for a tree that is not part of a mesh. */
void mo_rebuild_destroy_tree(const mo_mesh *mesh, mo_mesh *tree);

/* Whether the octree has degraded so far that rebuilding its top may be worthwhile. */
bool mo_rebuild_is_top_due(const mo_mesh *mesh, const mo_mesh_rebuild_options *options);

/* Chooses the top and builds it, if that is worthwhile; it has up to `max` items. */
mo_result mo_rebuild_top_if_better(mo_rebuild *r, const mo_mesh_rebuild_options *options,
                                   uint32_t max);

/* Sets top_age to 0 if the top was examined in this call, else increments it. */
void mo_rebuild_update_top_age(const mo_rebuild *r);

/* Copies the octree to new arrays, with the rebuilt parts in place of the old ones. */
mo_result mo_rebuild_copy_octree(const mo_rebuild *r);

#endif
