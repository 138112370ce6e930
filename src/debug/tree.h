/* A common view of both octrees for drawing: cells with children, traversed by one function.
 *
 * A cell is an inner node or a non-empty leaf. The two trees differ in how the children of a cell
 * are found and in what a cell contains; all other code for drawing is common to both. */
#ifndef MO_DEBUG_TREE_H
#define MO_DEBUG_TREE_H

#include <motte/debug.h>

#include "math/check.h"
#include "octree/node.h"

typedef struct mo_debug_cell {
  uint32_t child; /* the cell's code in its parent: inner node, leaf, or MO_CHILD_EMPTY */
  uint32_t node;  /* the cell's inner node, or the parent of a leaf; MO_NONE if there is none */
  uint32_t index; /* of `node` in arrays with an element per node */
  uint32_t depth; /* the root is at 0 */
  mo_aabb tight_bounds; /* the bounds by which queries cull */
  mo_aabb cell;         /* the root's tight bounds, clipped by the planes of all ancestors */
} mo_debug_cell;

typedef struct mo_debug_tree {
  const void *object; /* the scene or mesh */
  mo_debug_cell root; /* the whole tree; root.child is MO_CHILD_EMPTY if there is nothing to draw */
  uint32_t capacity;  /* number of shapes or triangles in a leaf above which it splits */
  /* Writes the cells below an inner node and returns how many there are. */
  int (*children)(const void *object, const mo_debug_cell *parent,
                  mo_debug_cell children[MO_LANE_COUNT]);
  /* Returns the number of shapes or triangles stored in the cell itself, not below it. */
  uint32_t (*count_items)(const void *object, const mo_debug_cell *cell);
} mo_debug_tree;

mo_debug_tree mo_debug_tree_of_scene(const mo_scene *scene);
mo_debug_tree mo_debug_tree_of_mesh(const mo_mesh *mesh);

/* Receives the corners of one box (bits of the corner number: x = 1, y = 2, z = 4 for the upper
 * side) after the def's transform. */
typedef struct mo_box_emitter {
  void (*box)(const mo_vec3 corners[8], uint32_t rgba, void *context);
  void *context;
} mo_box_emitter;

/* Checks the def of a public call, which is not null. Errors: those that motte/debug.h states. */
mo_result mo_debug_check_def(const mo_host *host, const char *function, const mo_debug_def *def);

/* Emits the boxes that a checked def selects. */
void mo_debug_emit_boxes(const mo_debug_tree *tree, const mo_debug_def *def,
                         const mo_box_emitter *emitter);

#endif
