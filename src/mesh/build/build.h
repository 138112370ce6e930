/* What the builders of the triangle octree share: where nodes, leaves and references go. */
#ifndef MO_MESH_BUILD_BUILD_H
#define MO_MESH_BUILD_BUILD_H

#include "mesh/mesh.h"

/* A triangle in a cell, with the bounds of the part of it there. */
typedef struct mo_reference {
  mo_aabb bounds;
  uint32_t item;
} mo_reference;

typedef struct mo_builder {
  mo_mesh *mesh;          /* its arrays grow as the tree does */
  const mo_vec3 *corners; /* three per triangle */
  mo_result result;       /* sticky: once it is an error, nothing more is written */
} mo_builder;

/* Whether a coordinate is legal, and (top-down) in the declared bounds. */
mo_result mo_check_position(mo_vec3 position, const mo_mesh_build_options *options,
                            const mo_refusal *refusal);

/* Three checked corners for each triangle of a def, and the box around them. Where an index or a
 * vertex is refused, `*first_bad` is its number; the def's place is `refusal`. */
mo_result mo_read_corners(const mo_mesh_def *def, mo_vec3 *corners, mo_aabb *bounds,
                          const mo_refusal *refusal, size_t *first_bad);

/* The box around a triangle. */
mo_aabb mo_builder_triangle_bounds(const mo_builder *builder, uint32_t triangle);

/* A node without children and planes; its index, or MO_NONE when out of memory. `parent` is a node
 * index << 3 | slot, or MO_NONE. */
uint32_t mo_builder_add_node(mo_builder *builder, uint32_t parent, uint32_t depth);

/* A leaf of `count` > 0 references as a run of blocks in slot `slot` of `node`, with their bounds.
 */
void mo_builder_add_leaf(mo_builder *builder, uint32_t node, uint32_t slot,
                         const mo_reference *references, uint32_t count);

/* Puts a triangle into a lane; lanes from `lane` on then repeat lane 0 as empty if it is the first.
 */
void mo_block_clear(mo_triangle_block *block);
void mo_block_set(mo_triangle_block *block, uint32_t lane, uint32_t id, const mo_vec3 corners[3]);

/* Computes the slot orders, the table of duplicates and the depth once all leaves are there. */
void mo_builder_finish(mo_builder *builder);

/* Where triangles are, and which have several references, once all leaves are there. */
void mo_builder_list_references(mo_builder *builder);

/* Builds the octree of a mesh as its options say: three corners per triangle. The mesh has its
 * triangles' count, places (all MO_NONE) and bounds, and nothing of an octree. */
mo_result mo_mesh_build(mo_mesh *mesh, const mo_vec3 *corners);

/* Finds how the surface goes on across the edges of each triangle: three corners per triangle. */
mo_result mo_mesh_find_edges(mo_mesh *mesh, const mo_vec3 *corners);

/* The builders: fill an empty mesh of at least one triangle. */
void mo_build_by_planes(mo_builder *builder);   /* planes.c: split and single */
void mo_build_by_midpoint(mo_builder *builder); /* cells.c */
void mo_build_top_down(mo_builder *builder);    /* cells.c: the tree without triangles */

/* Inserts triangles into a top-down tree: three corners each, indices from `first` on, for which
 * mesh->places has capacity. On failure nothing has changed. */
mo_result mo_mesh_insert_into_cells(mo_mesh *mesh, const mo_vec3 *corners, uint32_t count,
                                    uint32_t first);

#endif
