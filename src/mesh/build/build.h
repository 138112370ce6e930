/* Shared by the builders of the triangle octree: adding nodes, leaves and references to a mesh. */
#ifndef MO_MESH_BUILD_BUILD_H
#define MO_MESH_BUILD_BUILD_H

#include "mesh/mesh.h"

/* Costs of visiting a node, entering a leaf, and testing a block of a leaf. */
#define MO_NODE_COST 1.0f
#define MO_LEAF_COST 0.3f
#define MO_BLOCK_COST 0.9f

/* A reference to a triangle in a cell, with the bounds of the part of the triangle in the cell. */
typedef struct mo_cell_reference {
  mo_aabb bounds;
  uint32_t triangle;
} mo_cell_reference;

typedef struct mo_builder {
  mo_mesh *mesh;          /* the mesh that is built; its arrays grow with the tree */
  const mo_vec3 *corners; /* three per triangle */
  mo_result result;       /* the first error; after an error, nothing more is written */
} mo_builder;

/* Checks that a position is legal, and (top-down builder) inside the declared bounds. */
mo_result mo_check_position(mo_vec3 position, const mo_mesh_build_options *options,
                            const mo_refusal *refusal);

/* Check the positions of all vertices that triangles use, `member` of the def, and before them all
 * indices. `*first_bad` receives the lowest vertex, or the first index, that is refused; `refusal`
 * names the def for the log. */
mo_result mo_check_used_positions(const mo_mesh_def *def, const char *member,
                                  const mo_refusal *refusal, size_t *first_bad);
mo_result mo_check_indices_and_positions(const mo_mesh_def *def, const mo_refusal *refusal,
                                         size_t *first_bad);

/* Reads and checks three corners for each triangle of a def, and computes the box around them. If
 * an index or vertex is refused, the error is that of mo_check_indices_and_positions. */
mo_result mo_read_corners(const mo_mesh_def *def, mo_vec3 *corners, mo_aabb *bounds,
                          const mo_refusal *refusal, size_t *first_bad);

/* The box around a triangle. */
static inline mo_aabb mo_builder_triangle_bounds(const mo_builder *builder, uint32_t triangle) {
  return mo_aabb_of_corners(&builder->corners[3 * (size_t)triangle]);
}

/* Adds a node without children and planes. Returns its index, or MO_NONE when out of memory.
 * `parent` is node index << 3 | slot, or MO_NONE. */
uint32_t mo_builder_add_node(mo_builder *builder, uint32_t parent, uint32_t depth);

/* Adds a leaf of `count` > 0 references in slot `slot` of `node`: a run of blocks, and the bounds
 * in the node. */
void mo_builder_add_leaf(mo_builder *builder, uint32_t node, uint32_t slot,
                         const mo_cell_reference *references, uint32_t count);

/* The nodes, planes and blocks of a mesh, and its table of duplicates. mo_octree_allocate makes
 * room for the first three, and sets their counts; false if out of memory. mo_octree_replace moves
 * those of another mesh in. */
bool mo_octree_allocate(mo_mesh *mesh, uint32_t nodes, uint32_t blocks);
void mo_octree_free(mo_mesh *mesh);
void mo_octree_replace(mo_mesh *mesh, const mo_mesh *made);

/* A node without children and planes. */
static inline void mo_mesh_node_clear(mo_mesh_node *node) {
  *node = (mo_mesh_node){.order = {0x76543210u, 0x76543210u, 0x76543210u, 0x76543210u},
                         .any_hit_order = 0x76543210u};
  mo_bounds8_clear(&node->bounds);
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    node->child[slot] = MO_CHILD_EMPTY;
  }
}

/* mo_block_clear makes all lanes empty. mo_block_set writes a triangle to a lane; if that is lane
 * 0, the empty lanes repeat it. */
void mo_block_clear(mo_triangle_block *block);
void mo_block_set(mo_triangle_block *block, uint32_t lane, uint32_t id, const mo_vec3 corners[3]);

/* The number of triangles in a block; they are in its first lanes. */
static inline uint32_t mo_count_lanes_in_use(const mo_triangle_block *block) {
  uint32_t count = 0;
  while (count < MO_LANE_COUNT && (block->id[count] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY) {
    count++;
  }
  return count;
}

/* The number of blocks of the leaf that begins with block `first`. */
static inline uint32_t mo_count_leaf_blocks(const mo_mesh *mesh, uint32_t first) {
  uint32_t count = 1;
  while (!(mesh->blocks[first + count - 1].id[0] & MO_LANE_LAST_BLOCK)) {
    count++;
  }
  return count;
}

/* The number of triangles of a child that is a leaf; else 0. Only the last block of a leaf may have
 * empty lanes. */
static inline uint32_t mo_count_leaf_triangles(const mo_mesh *mesh, uint32_t child) {
  if (child == MO_CHILD_EMPTY || !mo_child_is_leaf(child)) {
    return 0;
  }
  const uint32_t first = mo_child_index(child), others = mo_count_leaf_blocks(mesh, first) - 1;
  return others * MO_LANE_COUNT + mo_count_lanes_in_use(&mesh->blocks[first + others]);
}

/* Lists the triangles of a child of a node in `triangles`, from index `count` on; returns the new
 * count. */
uint32_t mo_list_triangles_of_child(const mo_mesh *mesh, uint32_t child, uint32_t *triangles,
                                    uint32_t count);

/* After all leaves have been added: computes the slot orders, the table of duplicates and the
 * depth. */
void mo_builder_finish(mo_builder *builder);

/* After all leaves have been added: fills in the places of triangles that have none yet, and the
 * table of duplicates. */
mo_result mo_fill_reference_tables(mo_mesh *mesh);

/* What decides when any-hit rays visit a subtree: how likely they hit something in it, and at what
 * cost. */
typedef struct mo_subtree_estimate {
  float area;            /* total area of the triangles in the subtree */
  float expected_visits; /* expected number of nodes and blocks that a ray visits in it */
} mo_subtree_estimate;

/* A node for mo_any_hit_order. Half areas are those of boxes; of an empty slot nothing is set. All
 * areas have the same unit. */
typedef struct mo_any_hit_node {
  float half_area;
  uint32_t slots; /* bits of those in use */
  float slot_half_area[MO_LANE_COUNT];
  mo_subtree_estimate slot_estimate[MO_LANE_COUNT];
} mo_any_hit_node;

/* The order in which any-hit rays visit the slots of a node: greatest probability of a hit per
 * expected work first. A random line that hits a convex box hits a surface of area A inside it with
 * a probability of about A over half the box's surface area. `*estimate` receives that of the
 * node. */
uint32_t mo_any_hit_order(const mo_any_hit_node *node, mo_subtree_estimate *estimate);

/* Builds the octree of a mesh according to its options. `corners` has three corners per triangle.
 * The mesh must have the triangle count, places (all MO_NONE) and bounds, but no octree yet. */
mo_result mo_mesh_build(mo_mesh *mesh, const mo_vec3 *corners);

/* Classifies how the surface continues across the edges of each triangle. `corners` has three
 * corners per triangle. */
mo_result mo_mesh_find_edges(mo_mesh *mesh, const mo_vec3 *corners);

/* The builders. Each builds the octree of a mesh that has at least one triangle and no octree. */
void mo_build_by_sah(mo_builder *builder); /* planes.c: the split and single builders, by SAH */
void mo_build_by_midpoint(mo_builder *builder); /* cells.c: MO_MESH_BUILDER_MIDPOINT */
void mo_build_top_down(mo_builder *builder);    /* cells.c: the complete tree of empty cells */

/* Inserts triangles into a top-down tree. `corners` has three corners per triangle; indices begin
 * at `first`; mesh->triangle_places must have capacity for them. On failure the mesh is
 * unchanged. */
mo_result mo_mesh_insert_into_cells(mo_mesh *mesh, const mo_vec3 *corners, uint32_t count,
                                    uint32_t first);

#endif
