/* Internals of mo_mesh_rebuild_parts: choosing subtrees, building them, and the new memory
 * layout. */
#ifndef MO_MESH_REFIT_REBUILD_H
#define MO_MESH_REFIT_REBUILD_H

#include "mesh/refit/refit.h"

/* The expected gain of rebuilding a node's subtree. */
typedef struct mo_prospect {
  double gain; /* expected visits that a line saves; 0 if the node is not to be rebuilt */
  double best; /* gain minus price, for the best choice within the subtree */
  uint32_t triangles;
  uint32_t height; /* number of levels of nodes in the subtree */
  bool chosen;     /* this node is rebuilt, rather than any node below it */
  bool covered;    /* an ancestor is chosen */
} mo_prospect;

/* A subtree that is rebuilt. */
typedef struct mo_rebuilt_part {
  uint32_t node;       /* its root */
  uint32_t *triangles; /* indexed by the triangle indices of `tree` */
  mo_mesh tree;        /* only the members that a builder fills in */
} mo_rebuilt_part;

/* A subtree or leaf below the top of the octree: its encoding as a child, and its place (node << 3
 * | slot). */
typedef struct mo_hanging {
  uint32_t child, from;
} mo_hanging;

/* The top of the octree, which is rebuilt over existing subtrees. */
typedef struct mo_rebuilt_top {
  mo_hanging *items;
  uint32_t item_count, item_capacity;
  uint32_t opened; /* number of nodes in the top so far; 0: the top is not rebuilt */
  double share;    /* sum of the half areas of their boxes */
  mo_mesh tree;    /* built over the items, each as one triangle in a leaf of its own */
} mo_rebuilt_top;

typedef struct mo_rebuild {
  mo_mesh *mesh;
  mo_prospect *prospects; /* by node */
  mo_rebuilt_part *parts; /* ascending by node */
  uint32_t part_count;
  mo_rebuilt_top top;
} mo_rebuild;

/* The next block of a leaf, or null after the last. */
static inline const mo_triangle_block *mo_next_block(const mo_triangle_block *block) {
  return block->id[0] & MO_LANE_LAST ? NULL : block + 1;
}

static inline uint32_t mo_lanes_in_use(const mo_triangle_block *block) {
  uint32_t count = 0;
  while (count < MO_WIDTH && (block->id[count] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY) {
    count++;
  }
  return count;
}

static inline const mo_triangle_block *mo_leaf_of(const mo_mesh *mesh, uint32_t child) {
  bool is_leaf = child != MO_CHILD_EMPTY && mo_child_is_leaf(child);
  return is_leaf ? &mesh->blocks[mo_child_index(child)] : NULL;
}

/* The item that a leaf of the top's tree stands for. */
static inline uint32_t mo_top_item(const mo_rebuilt_top *t, uint32_t leaf) {
  return t->items[t->tree.blocks[mo_child_index(leaf)].id[0] & MO_LANE_TRIANGLE].child;
}

/* Frees the arrays that a builder made for a tree that is not part of a mesh. */
void mo_rebuild_destroy_tree(const mo_mesh *mesh, mo_mesh *tree);

/* Whether the octree has degraded so far that rebuilding its top may be worthwhile. */
bool mo_rebuild_is_top_due(const mo_mesh *mesh, const mo_mesh_rebuild_options *options);

/* Chooses the top and builds it, if that is worthwhile; it has up to `max` items. */
mo_result mo_rebuild_try_top(mo_rebuild *r, const mo_mesh_rebuild_options *options, uint32_t max);

/* Updates the age of the top, according to whether it was examined. */
void mo_rebuild_age_top(const mo_rebuild *r);

/* Writes the octree to new arrays, with the rebuilt parts. */
mo_result mo_rebuild_lay_out(const mo_rebuild *r);

#endif
