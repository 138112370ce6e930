/* Refitting: the vertices of a mesh move, its triangles and the shape of its octree stay.
 *
 * What that needs beyond the octree is kept by deformable meshes alone: which vertices a block is
 * made of, and what the octree cost when it was built. Nothing here touches a triangle twice: each
 * block is written once from its vertices, its box is known from the same registers, and boxes then
 * go up node by node. Planes and visit orders stay as built; they are hints, and every traversal
 * culls by boxes. */
#ifndef MO_MESH_REFIT_REFIT_H
#define MO_MESH_REFIT_REFIT_H

#include "base/isa.h"
#include "math/lanes/vertices.h"
#include "mesh/mesh.h"

/* The vertices of a block's triangles by corner, where they are too many or too far from each other
 * for mo_vertex_slots, or the last of the array is among them. */
typedef struct mo_listed_vertices {
  uint32_t vertex[3][MO_WIDTH];
} mo_listed_vertices;

/* In mo_vertex_slots, as a count of slots: `first` is an index of mo_listed_vertices; of such that
 * have the last vertex of the array. */
enum { MO_SLOTS_LISTED = 0, MO_SLOTS_LAST = UINT16_MAX };

/* What a node's subtree is now. */
typedef struct mo_refit_node {
  mo_box4 box;
  /* Nodes and blocks below it that a line is expected to visit, each weighed by half its surface:
   * over that of `box`, the number for a line that meets the box. */
  double work;
  uint32_t run;  /* the one that has all of its subtree; if there is none, the number of runs */
  uint8_t inner; /* the slots with inner nodes, as bits */
} mo_refit_node;

/* What a line that meets the child in a slot visits at once: the blocks of a leaf, a node, or
 * nothing. */
typedef struct mo_refit_weights {
  alignas(32) int32_t visits[MO_WIDTH];
} mo_refit_weights;

/* Blocks are refitted in runs, a run by one task: the leaves of which the last block is one of so
 * many, as they lie in memory, then the nodes whose subtrees have no other leaves, while all that
 * is in the cache. Subtrees lie together, so that is nearly all nodes; the others are done last. */
enum { MO_REFIT_RUN = 1024 };

typedef struct mo_refit_run {
  uint32_t first_block;
  uint32_t first_node; /* in mo_deformation.order */
} mo_refit_run;

struct mo_deformation {
  mo_vertex_slots *slots; /* by block; empty lanes repeat lane 0, as the block does */
  uint32_t *leaf;         /* by block: the leaf that ends with it, node << 3 | slot, or MO_NONE */
  mo_listed_vertices *listed;
  uint32_t listed_count, listed_capacity;
  mo_refit_node *nodes;      /* by node */
  mo_refit_weights *weights; /* by node */
  double *built_visits;      /* by node: expected visits in its subtree when that was built */
  uint32_t *order;           /* the nodes by run, those of none last, children before parents */
  mo_refit_run *runs;        /* run_count of them, and where those of none begin */
  uint32_t run_count;
  double top_visits; /* by mo_refit_visits of the root, when the top was last built or examined */
  uint32_t top_age;  /* calls of mo_mesh_rebuild_parts since then */
  uint32_t block_capacity, node_capacity;
};

/* Visits that a line which meets the node is expected to make in its subtree, itself included. */
double mo_refit_visits(const mo_refit_node *node);

/* From the bounds of a node, the weights, and the work of its inner children. Always added up in
 * the same order. */
static inline double mo_refit_work(const mo_mesh *mesh, uint32_t node) {
  const mo_bounds8 *bounds = &mesh->nodes[node].bounds;
  const mo_deformation *d = mesh->deformation;
  const int32_t *visits = d->weights[node].visits;
  double part[MO_WIDTH];
  for (int slot = 0; slot < MO_WIDTH; slot++) {
    double x = (double)bounds->upper[0][slot] - (double)bounds->lower[0][slot];
    double y = (double)bounds->upper[1][slot] - (double)bounds->lower[1][slot];
    double z = (double)bounds->upper[2][slot] - (double)bounds->lower[2][slot];
    part[slot] = (x * y + y * z + z * x) * visits[slot];
  }
  for (int slot = 0; slot < MO_WIDTH; slot++) {
    part[slot] = visits[slot] != 0 ? part[slot] : 0.0; /* not that of nothing */
  }
  double all =
      ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
  for (uint32_t left = d->nodes[node].inner; left != 0; left &= left - 1) {
    all += d->nodes[mesh->nodes[node].child[__builtin_ctz(left)]].work;
  }
  return all;
}

/* The vertex of a triangle at a place, block << 3 | lane. */
uint32_t mo_deformation_vertex(const mo_deformation *deformation, uint32_t place, uint32_t corner);

/* Sets the vertices of a block, of an array that ends with `last`. False when out of memory. */
bool mo_deformation_set_vertices(mo_deformation *deformation, const mo_allocator *allocator,
                                 uint32_t block, const mo_listed_vertices *vertices, uint32_t last);

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
  /* Writes the blocks of a run, and what there is of its nodes. */
  void (*run)(mo_mesh *mesh, const mo_positions *positions, uint32_t run);
  /* The nodes of none, when all runs are done. */
  void (*rest)(mo_mesh *mesh);
} mo_refit_kernels;

MO_ISA_DECLARE(const mo_refit_kernels, mo_refit_kernels, );

/* `isa` is resolved. */
const mo_refit_kernels *mo_refit_kernels_for(mo_isa isa);

#endif
