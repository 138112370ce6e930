/* Refitting: the vertices of a mesh move, its triangles and the shape of its octree stay.
 *
 * What that needs beyond the octree is kept by deformable meshes alone: which vertices a block is
 * made of, and what the octree cost when it was built. Nothing here touches a triangle twice: each
 * block is written once from its vertices, its box is known from the same registers, and boxes then
 * go up node by node. Planes and visit orders stay as built; they are hints, and every traversal
 * culls by boxes. */
#ifndef MO_MESH_REFIT_H
#define MO_MESH_REFIT_H

#include "base/isa.h"
#include "math/vertices.h"
#include "mesh/mesh.h"

/* The vertices of a block's triangles, by corner. Empty lanes repeat lane 0, as the block does. */
typedef struct mo_block_vertices {
  uint32_t vertex[3][MO_WIDTH];
} mo_block_vertices;

/* What a node's subtree is now. */
typedef struct mo_refit_node {
  mo_box4 box;
  /* Nodes and blocks below it that a line is expected to visit, each weighed by half its surface:
   * over that of `box`, the number for a line that meets the box. */
  double work;
  /* Its subtree leaves its run of nodes (MO_REFIT_RUN). */
  bool is_upper;
} mo_refit_node;

/* Nodes are refitted in runs of so many (of some ten blocks each), a run by one task: leaves
 * forward, as they lie in memory, then inner children backward, while all that is in the cache.
 * Subtrees lie together, so nearly all end in the run where they began; the others' are done last.
 */
enum { MO_REFIT_RUN = 64 };

struct mo_deformation {
  mo_block_vertices *vertices; /* by block */
  mo_refit_node *nodes;        /* by node */
  double *built_visits;        /* by node: expected visits in its subtree when that was built */
  uint32_t *upper;             /* the nodes of which is_upper holds, descending; room for all */
  uint32_t upper_count;
  double top_visits; /* by mo_refit_visits of the root, when the top was last built or looked at */
  uint32_t top_age;  /* calls of mo_mesh_rebuild_parts since then */
  uint32_t block_capacity, node_capacity;
};

/* Visits that a line which meets the node is expected to make in its subtree, itself included. */
double mo_refit_visits(const mo_refit_node *node);

/* Makes a newly built mesh deformable. MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_mesh_make_deformable(mo_mesh *mesh, const mo_mesh_def *def);

void mo_deformation_destroy(mo_mesh *mesh);

/* The arrays, for so many nodes and blocks; false when out of memory, with what there is to be
 * freed. */
bool mo_deformation_make(mo_deformation *deformation, const mo_allocator *allocator, uint32_t nodes,
                         uint32_t blocks);
void mo_deformation_free(mo_deformation *deformation, const mo_allocator *allocator);

/* Finds out, from the bounds alone, what the kernels would about an octree that has just been
 * built. */
void mo_refit_measure(mo_mesh *mesh);

mo_mesh_refit_info mo_refit_info(const mo_mesh *mesh);

size_t mo_deformation_bytes(const mo_mesh *mesh);

/* Kernels, one set per instruction set. Those over ranges may run on several threads at once. */
typedef struct mo_refit_kernels {
  /* Whether positions [begin, end) are all legal. */
  bool (*check)(const mo_positions *positions, uint32_t begin, uint32_t end);
  /* A run of nodes [begin, end): writes the blocks of their leaves, and all bounds in them but for
   * those of the inner children of upper nodes. */
  void (*run)(mo_mesh *mesh, const mo_positions *positions, uint32_t begin, uint32_t end);
  /* The latter, when all runs are done. */
  void (*upper)(mo_mesh *mesh);
} mo_refit_kernels;

MO_ISA_DECLARE(const mo_refit_kernels, mo_refit_kernels, );

/* `isa` is resolved. */
const mo_refit_kernels *mo_refit_kernels_for(mo_isa isa);

#endif
