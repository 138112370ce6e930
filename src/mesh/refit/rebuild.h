/* Internals of mo_mesh_rebuild_parts: choosing subtrees, building them, and the new layout. */
#ifndef MO_MESH_REFIT_REBUILD_H
#define MO_MESH_REFIT_REBUILD_H

#include "mesh/refit/refit.h"

/* What a rebuild of a node would gain. */
typedef struct mo_prospect {
  double gain; /* visits that a line is expected to save; 0 where the node is not to be rebuilt */
  double best; /* gain less price, by the best choice in the subtree */
  uint32_t triangles;
  uint32_t height; /* levels of nodes in the subtree */
  bool chosen;     /* rather than any below */
  bool covered;    /* a node above is chosen */
} mo_prospect;

/* A subtree that is built anew. */
typedef struct mo_rebuilt_part {
  uint32_t node;       /* its root */
  uint32_t *triangles; /* by index in `tree` */
  mo_mesh tree;        /* only what a builder fills in */
} mo_rebuilt_part;

/* A subtree or leaf below the top: a child as nodes store it, and its place (node << 3 | slot). */
typedef struct mo_hanging {
  uint32_t child, from;
} mo_hanging;

/* The top of the octree. */
typedef struct mo_rebuilt_top {
  mo_hanging *items;
  uint32_t item_count, item_capacity;
  uint32_t opened; /* nodes that it has so far; 0: the top is not rebuilt */
  double share;    /* the half areas of their boxes */
  mo_mesh tree;    /* over the items, each as a triangle in a leaf of its own */
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

/* The item in a leaf of the tree over the top. */
static inline uint32_t mo_top_item(const mo_rebuilt_top *t, uint32_t leaf) {
  return t->items[t->tree.blocks[mo_child_index(leaf)].id[0] & MO_LANE_TRIANGLE].child;
}

/* Frees what builders made for a tree outside of a mesh. */
void mo_rebuild_destroy_tree(const mo_mesh *mesh, mo_mesh *tree);

/* Whether the octree is so bad that the top may be worth building. */
bool mo_rebuild_is_top_due(const mo_mesh *mesh, const mo_mesh_rebuild_options *options);

/* Finds the top and builds it, if that is worth it; it has up to `most` items. */
mo_result mo_rebuild_try_top(mo_rebuild *r, const mo_mesh_rebuild_options *options, uint32_t most);

/* Notes whether the top has been examined. */
void mo_rebuild_age_top(const mo_rebuild *r);

/* Lays out the octree anew, with the rebuilt parts. */
mo_result mo_rebuild_lay_out(const mo_rebuild *r);

#endif
