/* Statistics of the triangle octree. */
#include <string.h>

#include "mesh/edit/edit.h"
#include "mesh/format/read.h"
#include "mesh/rays/rays.h"
#include "mesh/refit/refit.h"

static void add_leaf_to_stats(const mo_mesh *mesh, uint32_t child, double share, uint32_t depth,
                              mo_mesh_stats *stats) {
  stats->leaf_count++;
  stats->leaf_count_at_depth[depth]++;
  stats->max_depth = depth > stats->max_depth ? depth : stats->max_depth;
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
  for (uint32_t at = mo_child_index(child);; at = mo_block_after(&tree, mesh->format, at)) {
    mo_triangle_block expanded;
    const mo_triangle_block *block = mo_load_block(&tree, mesh->format, at, &expanded);
    stats->block_count++;
    stats->expected_block_visits += share;
    for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
      stats->reference_count += (block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY;
    }
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return;
    }
  }
}

/* The number of degenerate triangles. Refitting does not maintain it, so it is counted anew for
 * deformable meshes. */
static uint32_t count_degenerate(const mo_mesh *mesh) {
  if (mesh->deformation == NULL) {
    return mesh->degenerate_count;
  }
  uint32_t count = 0;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mo_vec3 corners[3];
    mo_mesh_corners(mesh, t, corners);
    count += mo_triangle_is_degenerate(corners);
  }
  return count;
}

mo_result mo_mesh_get_stats(const mo_mesh *mesh, mo_mesh_stats *stats) {
  if (mesh == NULL || stats == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "stats");
  }
  *stats = (mo_mesh_stats){
      .triangle_count = mesh->triangle_count,
      .degenerate_triangle_count = count_degenerate(mesh),
      .vertex_count = mesh->vertex_count,
      .node_count = mesh->node_count - mo_editing_free_node_count(mesh),
      .build_seconds = mesh->build_seconds,
      .expected_node_visits = 1.0,
  };
  double root_area = mo_aabb_half_area(mo_mesh_node_box(mesh, 0));
  for (uint32_t i = 0; i < mesh->node_count; i++) {
    uint32_t n = mo_mesh_node_of_index(mesh, i);
    uint32_t depth = mo_mesh_node_depth(mesh, n);
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      uint32_t child = mo_mesh_child(mesh, n, slot);
      if (child == MO_CHILD_EMPTY) {
        continue;
      }
      double area = mo_aabb_half_area(mo_mesh_child_box(mesh, n, slot));
      double share = root_area > 0.0 ? area / root_area : 1.0;
      if (mo_child_is_leaf(child)) {
        add_leaf_to_stats(mesh, child, share, depth + 1, stats);
      } else {
        stats->expected_node_visits += share;
      }
    }
  }
  stats->duplicate_count =
      mesh->height != NULL ? 0 : stats->reference_count - mo_editing_live_triangle_count(mesh);
  stats->bytes =
      sizeof *mesh + mesh->triangle_capacity * sizeof *mesh->triangle_places +
      (mesh->user_data != NULL ? mesh->triangle_capacity * sizeof *mesh->user_data : 0) +
      mesh->node_capacity * sizeof *mesh->nodes + mesh->planes_capacity * sizeof *mesh->planes +
      mesh->block_capacity * sizeof *mesh->blocks +
      mesh->duplicate_capacity * sizeof *mesh->duplicates + mo_compact_bytes(mesh) +
      (mesh->height != NULL ? mo_height_bytes(mesh->height) : 0) + mo_deformation_bytes(mesh) +
      mo_editing_bytes(mesh) + mesh->edges_capacity * sizeof *mesh->edges +
      mesh->sheets_capacity * sizeof *mesh->sheets +
      (mesh->segment_entry_points != NULL ? sizeof *mesh->segment_entry_points : 0);
  return MO_OK;
}
