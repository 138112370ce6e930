/* Refitting: the vertices of a mesh move, while its triangles and the topology of its octree stay.
 *
 * Only deformable meshes store the additional data that this needs: the vertices of each block, and
 * the cost of the octree when it was built. Each triangle is processed once: a block is written
 * from its vertices, its box is computed from the same registers, and then boxes of nodes are
 * updated bottom-up. Planes and visit orders stay as built; they are only hints, as every traversal
 * culls by boxes. */
#ifndef MO_MESH_REFIT_REFIT_H
#define MO_MESH_REFIT_REFIT_H

#include "base/isa.h"
#include "math/lanes/vertices.h"
#include "mesh/mesh.h"

/* The vertices of a block's triangles by corner, for blocks that mo_vertex_slots cannot represent:
 * their vertices are too many or too far apart, or include the last vertex of the array. */
typedef struct mo_listed_vertices {
  uint32_t vertex[3][MO_LANE_COUNT];
} mo_listed_vertices;

/* Values of mo_vertex_slots.count for blocks with listed vertices: `first` is then an index in
 * mo_deformation.listed. MO_VERTICES_LISTED_WITH_LAST: the last vertex of the array is among the
 * listed ones. */
enum { MO_VERTICES_LISTED = 0, MO_VERTICES_LISTED_WITH_LAST = UINT16_MAX };

/* The box of a node and the expected cost of its subtree, for the current vertex positions. */
typedef struct mo_refit_node {
  mo_padded_aabb box;
  /* The sum of the half areas of all nodes and blocks below the node. Divided by the half area of
   * `box`, it is the number of these that a line through the box is expected to visit. */
  double half_area_sum;
  uint32_t run; /* run that contains the whole subtree (mo_refit_run); run_count if none does */
  uint8_t inner_slots; /* bits of slots with inner nodes */
} mo_refit_node;

/* Per slot, what a line visits that hits the child, not counting what is below an inner node: the
 * number of blocks of a leaf, 1 for a node, 0 for an empty slot. */
typedef struct mo_refit_child_visits {
  alignas(32) int32_t visits[MO_LANE_COUNT];
} mo_refit_child_visits;

/* Blocks are refitted in runs of MO_REFIT_BLOCKS_PER_RUN consecutive blocks, each by one task. A
 * run processes the leaves whose last block is in it, then the nodes whose subtrees have only such
 * leaves, while these are in the cache. Subtrees are contiguous in memory, so this covers nearly
 * all nodes; the others are processed last. */
enum { MO_REFIT_BLOCKS_PER_RUN = 1024 };

typedef struct mo_refit_run {
  uint32_t first_block;
  uint32_t first_node; /* index in mo_deformation.order */
} mo_refit_run;

struct mo_deformation {
  mo_vertex_slots *slots; /* by block; empty lanes repeat lane 0, as in the block */
  uint32_t
      *leaf_ending_at; /* by block: the leaf whose last block it is, node << 3 | slot, or MO_NONE */
  mo_listed_vertices *listed; /* vertices of the blocks that mo_vertex_slots cannot represent */
  uint32_t listed_count, listed_capacity;
  mo_refit_node *nodes;           /* by node: box and cost of its subtree */
  mo_refit_child_visits *weights; /* by node: visits per slot, as weights for `half_area_sum` */
  double *built_visits;           /* by node: expected visits in its subtree when it was built */
  uint32_t *order;    /* all nodes by run, those without a run last; children before parents */
  mo_refit_run *runs; /* run_count runs, plus one that begins at the nodes without a run */
  uint32_t run_count;
  double root_visits_when_top_built; /* mo_refit_visits of the root when the top was last built or
                                        examined */
  uint32_t top_age; /* calls of mo_mesh_rebuild_parts since the top was built or examined */
  uint32_t block_capacity, node_capacity; /* capacities of the arrays by block and by node */
};

/* The expected visits, in a node's subtree including the node, of a line that hits the node. */
double mo_refit_visits(const mo_refit_node *node);

/* Computes mo_refit_node.half_area_sum from the node's bounds, the weights, and the sums of its
 * inner children. The order of additions is fixed, so the result is deterministic. */
static inline double mo_refit_half_area_sum(const mo_mesh *mesh, uint32_t node) {
  const mo_bounds8 *bounds = &mesh->nodes[node].bounds;
  const mo_deformation *d = mesh->deformation;
  const int32_t *visits = d->weights[node].visits;
  double part[MO_LANE_COUNT];
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    double x = (double)bounds->upper[0][slot] - (double)bounds->lower[0][slot];
    double y = (double)bounds->upper[1][slot] - (double)bounds->lower[1][slot];
    double z = (double)bounds->upper[2][slot] - (double)bounds->lower[2][slot];
    part[slot] = (x * y + y * z + z * x) * visits[slot];
  }
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    part[slot] = visits[slot] != 0 ? part[slot] : 0.0; /* the area of an empty box is meaningless */
  }
  double all =
      ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
  for (uint32_t left = d->nodes[node].inner_slots; left != 0; left &= left - 1) {
    all += d->nodes[mesh->nodes[node].child[__builtin_ctz(left)]].half_area_sum;
  }
  return all;
}

/* The vertex index of a corner of the triangle at a place. */
uint32_t mo_deformation_vertex(const mo_deformation *deformation, mo_triangle_place place,
                               uint32_t corner);

/* Sets the vertices of a block; `last` is the last index of the vertex array. Returns false when
 * out of memory. */
bool mo_deformation_set_vertices(mo_deformation *deformation, const mo_allocator *allocator,
                                 uint32_t block, const mo_listed_vertices *vertices, uint32_t last);

/* Makes a newly built mesh deformable. Error: MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_mesh_make_deformable(mo_mesh *mesh, const mo_mesh_def *def);

void mo_deformation_destroy(mo_mesh *mesh);

/* Allocates the arrays for the given numbers of nodes and blocks. Returns false when out of memory;
 * the caller must then free the arrays that were allocated. */
bool mo_deformation_allocate_arrays(mo_deformation *deformation, const mo_allocator *allocator,
                                    uint32_t nodes, uint32_t blocks);
void mo_deformation_free_arrays(mo_deformation *deformation, const mo_allocator *allocator);

/* For an octree that has just been built: computes the data that refit kernels update, from the
 * bounds of the nodes. */
void mo_refit_compute_nodes(mo_mesh *mesh);

mo_mesh_refit_info mo_refit_info(const mo_mesh *mesh);

size_t mo_deformation_bytes(const mo_mesh *mesh);

/* Checks the stride and the count of positions for a mesh with `vertex_count` vertices. */
mo_result mo_check_position_array(const mo_host *host, const char *function,
                                  const mo_positions *positions, uint32_t vertex_count);

/* Checks the options of a rebuild, and rebuilds parts of the octree: mo_mesh_rebuild_parts. */
mo_result mo_check_rebuild(const mo_host *host, const char *function,
                           const mo_mesh_rebuild_options *options);
mo_result mo_rebuild_parts(mo_mesh *mesh, const mo_mesh_rebuild_options *options,
                           mo_mesh_rebuild_info *info);

/* Kernels, one set per instruction set. `check_positions` and `refit_run` may be called
 * concurrently for different ranges. */
typedef struct mo_refit_kernels {
  /* Whether all positions in [begin, end) are legal. */
  bool (*check_positions)(const mo_positions *positions, uint32_t begin, uint32_t end);
  /* Refits the blocks of a run, and its nodes. */
  void (*refit_run)(mo_mesh *mesh, const mo_positions *positions, uint32_t run);
  /* Refits the nodes without a run, after all runs are done. */
  void (*refit_remaining_nodes)(mo_mesh *mesh);
} mo_refit_kernels;

MO_ISA_DECLARE(const mo_refit_kernels, mo_refit_kernels, );

#endif
