/** \defgroup debug Drawing the trees (motte/debug.h)
 *
 * Debug drawing of the octrees: a scene's in the world, a mesh's in its local frame or under a
 * transform (mo_debug_def). Half-spaces are in no tree and are not drawn. All functions only read,
 * so they may run at the same time as queries. Nothing is allocated. */
#ifndef MOTTE_DEBUG_H
#define MOTTE_DEBUG_H

#include <motte/query.h>

/** \{ */

/// What the colour of a node's box means. Low values are blue, high values red.
typedef enum mo_debug_color {
  MO_DEBUG_COLOR_DEPTH,     ///< depth of the node, divided by the largest depth of the tree
  MO_DEBUG_COLOR_OCCUPANCY, ///< shapes or triangles stored in the node, divided by its capacity
  MO_DEBUG_COLOR_VISITS,    ///< visits of the node (`visits`), divided by the largest count
} mo_debug_color;

/// Which boxes are drawn.
typedef enum mo_debug_boxes {
  MO_DEBUG_BOXES_TIGHT, ///< the tight bounds by which queries cull
  MO_DEBUG_BOXES_CELLS, ///< the cells that the split planes form in the root's tight bounds
} mo_debug_boxes;

/// The order in which boxes are drawn.
typedef enum mo_debug_order {
  MO_DEBUG_DEPTH_FIRST,   ///< each node right before the nodes below it
  MO_DEBUG_BREADTH_FIRST, ///< all nodes of one depth before those of the next
} mo_debug_order;

/// What is drawn of a tree, and how.
typedef struct mo_debug_def {
  mo_debug_boxes boxes;    ///< which boxes are drawn for the nodes
  mo_debug_color color;    ///< what the colours of boxes mean
  mo_debug_order order;    ///< in which order boxes are drawn
  uint32_t min_depth;      ///< the lowest depth drawn; the root is at 0
  uint32_t max_depth;      ///< the highest depth drawn
  bool leaves_only;        ///< inner nodes are not drawn
  const uint32_t *visits;  ///< one count per inner node, for MO_DEBUG_COLOR_VISITS
  uint32_t visit_capacity; ///< length of `visits`; nodes beyond it count as not visited
  /// applied to all points drawn: for a mesh, its local-to-world transform
  mo_transform transform;
  uint32_t cookie; ///< set by mo_default_debug_def; not for the caller
} mo_debug_def;

/// Receives one line at a time. `rgba` is 0xRRGGBBAA.
typedef struct mo_line_sink {
  void (*line)(mo_vec3 from, mo_vec3 to, uint32_t rgba, void *context); ///< called once per line
  void *context;                                                        ///< passed to `line`
} mo_line_sink;

/// A vertex of the boxes in a buffer.
typedef struct mo_debug_vertex {
  mo_vec3 position; ///< after the transform of the def
  uint32_t rgba;    ///< 0xRRGGBBAA
} mo_debug_vertex;

/// The caller's buffers for the boxes of a tree, and the sizes that are needed.
typedef struct mo_debug_buffers {
  mo_debug_vertex *vertices; ///< may be null where `vertex_capacity` is 0
  uint32_t vertex_capacity;  ///< length of `vertices`
  uint32_t *indices;         ///< may be null where `index_capacity` is 0
  uint32_t index_capacity;   ///< length of `indices`
  uint32_t vertex_total;     ///< output: how many vertices all boxes have
  uint32_t index_total;      ///< output: how many indices all boxes have
} mo_debug_buffers;

/// The primitive restart index, which separates the line strips of an index buffer.
#define MO_DEBUG_RESTART UINT32_MAX

MO_BEGIN_DECLS

/// A def that draws the tight bounds of all nodes, coloured by depth, without a transform.
MO_API mo_debug_def mo_default_debug_def(void);

/// Draws the shape octree of a scene (world): twelve lines per box. Empty cells (as a mesh that is
/// built top-down has) have no tight box. The sink is called from the calling thread and must not
/// change the scene. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_INVALID_ARGUMENT; MO_ERROR_NOT_FINITE (transform). Cost: O(nodes); breadth first,
/// O(nodes * depth).
MO_API mo_result mo_scene_draw(const mo_scene *scene, const mo_debug_def *def,
                               const mo_line_sink *sink);

/// Draws the triangle octree of a mesh, in its local frame or under the transform of the def:
/// twelve lines per box. The sink is called from the calling thread and must not change the mesh.
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT;
/// MO_ERROR_NOT_FINITE (transform). Cost: O(nodes); breadth first, O(nodes * depth).
MO_API mo_result mo_mesh_draw(const mo_mesh *mesh, const mo_debug_def *def,
                              const mo_line_sink *sink);

/// Writes the boxes of mo_scene_draw as line strips with primitive restart into one vertex and one
/// index buffer, for a single draw call: at most 8 vertices and 17 + 1 indices per box. Writes up
/// to the capacities, whole boxes only. The totals receive the sizes needed for all boxes. Errors:
/// as mo_scene_draw; MO_ERROR_NULL_ARGUMENT (`buffers`; an array whose capacity is not 0);
/// MO_ERROR_TOO_MANY (a total exceeds 32 bits). Cost: as mo_scene_draw.
MO_API mo_result mo_scene_draw_buffers(const mo_scene *scene, const mo_debug_def *def,
                                       mo_debug_buffers *buffers);

/// Writes the boxes of mo_mesh_draw as line strips with primitive restart into one vertex and one
/// index buffer: at most 8 vertices and 17 + 1 indices per box, in the frame of mo_mesh_draw.
/// Writes up to the capacities, whole boxes only. The totals receive the sizes needed for all
/// boxes. Errors: as mo_mesh_draw; MO_ERROR_NULL_ARGUMENT (`buffers`; an array whose capacity is
/// not 0); MO_ERROR_TOO_MANY (a total exceeds 32 bits). Cost: as mo_mesh_draw.
MO_API mo_result mo_mesh_draw_buffers(const mo_mesh *mesh, const mo_debug_def *def,
                                      mo_debug_buffers *buffers);

/// The number of inner nodes of a scene, which is the length of a visit map (mo_query_stats); 0 for
/// null. Cost: O(1).
MO_API uint32_t mo_scene_node_count(const mo_scene *scene);

/// The number of inner nodes of a mesh, which is the length of a visit map (mo_query_stats); 0 for
/// null. Cost: O(1).
MO_API uint32_t mo_mesh_node_count(const mo_mesh *mesh);

MO_END_DECLS

/** \} */

#endif
