/* Parts of an octree that are built anew, as meshes of their own: the subtree of a node over its
 * triangles, or only the top of the subtree, over the boxes of smaller subtrees and leaves. */
#ifndef MO_MESH_BUILD_PART_H
#define MO_MESH_BUILD_PART_H

#include "mesh/build/build.h"

/* A rebuilt part. All zero: none. */
typedef struct mo_rebuilt_part {
  mo_mesh tree;        /* only the members that a builder reads or fills in */
  uint32_t *triangles; /* of a subtree: for each triangle of `tree`, which one of the mesh it is */
} mo_rebuilt_part;

/* Builds the subtree of a child anew: a node or leaf with `count` triangles in a box, whose node
 * is to be at a depth. MO_ERROR_OUT_OF_MEMORY. The part must be freed in any case. */
mo_result mo_rebuild_subtree(mo_rebuilt_part *part, const mo_mesh *mesh, uint32_t child,
                             uint32_t count, mo_aabb box, uint32_t depth);

void mo_free_rebuilt_part(mo_rebuilt_part *part);

/* A subtree or leaf below the top of a subtree. */
typedef struct mo_top_item {
  mo_aabb box;
  double area;    /* half area of the box of a node that may be replaced by its children; else -1 */
  uint32_t child; /* encoded as a child of a node */
  uint32_t height; /* levels of nodes; set by the caller after mo_expand_top */
} mo_top_item;

/* The top of a subtree: the caller sets capacities and memory. */
typedef struct mo_subtree_top {
  mo_top_item *items;
  uint32_t item_count, item_capacity;
  uint32_t *nodes;     /* the nodes that the items replace, as many as items; may be null */
  uint32_t node_count; /* number of these nodes */
  double area_sum;     /* sum of the half areas of these nodes but for the first */
} mo_subtree_top;

/* Replaces nodes by their children, largest first, beginning with `root`, as subtrees overlap most
 * in large nodes; but no nodes for which `stays` is true, if it is not null. */
void mo_expand_top(mo_subtree_top *top, const mo_mesh *mesh, uint32_t root,
                   bool (*stays)(uint32_t node, const void *context), const void *context);

/* Builds a tree over the items, in a box: each is a triangle of the tree. Errors as
 * mo_rebuild_subtree. */
mo_result mo_rebuild_top(mo_rebuilt_part *part, const mo_mesh *mesh, const mo_subtree_top *top,
                         mo_aabb box);

/* The item in a leaf of a tree over items. */
static inline const mo_top_item *mo_top_item_of_leaf(const mo_rebuilt_part *part,
                                                     const mo_subtree_top *top, uint32_t leaf) {
  return &top->items[part->tree.blocks[mo_child_index(leaf)].id[0] & MO_LANE_TRIANGLE];
}

/* The sum of the half areas of the nodes of a tree over items but for the root, which is to be at a
 * depth. INFINITY if a leaf has several items, or the octree would become too deep. */
double mo_rebuilt_top_area(const mo_rebuilt_part *part, const mo_subtree_top *top, uint32_t depth);

#endif
