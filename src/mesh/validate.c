/* The invariants of the triangle octree, checked one by one. */
#include "base/log.h"
#include "mesh/edit/edit.h"
#include "mesh/format/read.h"
#include "mesh/height/height.h"
#include "mesh/rays/rays.h"

static mo_result report_corruption(const mo_mesh *mesh, const char *what, uint32_t where) {
  mo_log(&mesh->host, MO_LOG_WARNING, "mesh corrupt: %s (%u)", what, where);
  return MO_ERROR_CORRUPT;
}

static bool is_listed_duplicate(const mo_mesh *mesh, uint32_t triangle, uint32_t node,
                                uint32_t slot) {
  uint32_t first = mo_mesh_first_duplicate(mesh, triangle);
  for (uint32_t i = first; i < mesh->duplicate_count && mesh->duplicates[i].triangle == triangle;
       i++) {
    if (mesh->duplicates[i].node == node && mesh->duplicates[i].slot == slot) {
      return true;
    }
  }
  return false;
}

/* Whether a box lies in the boxes of a slot and of all slots above it. In the full format only the
 * slot is tested, as the boxes of slots above are checked to contain it. Compact boxes are rounded
 * outward separately, so a child's box may exceed its parent's, but triangles may not. */
static bool is_inside_ancestors(const mo_mesh *mesh, uint32_t node, uint32_t slot, mo_aabb whole) {
  for (;;) {
    if (!mo_aabb_contains(mo_mesh_child_box(mesh, node, slot), whole)) {
      return false;
    }
    uint32_t parent = mo_mesh_parent(mesh, node);
    if (mesh->format == MO_MESH_FULL || parent == MO_NONE) {
      return true;
    }
    node = parent >> 3;
    slot = parent & 7;
  }
}

/* A triangle with one reference must lie in the bounds of its leaf; one with several references
 * must touch them. */
static mo_result check_lane(const mo_mesh *mesh, uint32_t node, uint32_t slot,
                            const mo_triangle_block *block, uint32_t lane, uint32_t *references) {
  uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
  if (triangle >= mesh->triangle_count) {
    return report_corruption(mesh, "a lane names no triangle", node);
  }
  (*references)++;
  mo_vec3 corners[3];
  mo_mesh_corners(mesh, triangle, corners);
  mo_aabb box = mo_mesh_child_box(mesh, node, slot);
  mo_aabb whole = mo_aabb_empty();
  for (int i = 0; i < 3; i++) {
    if (corners[i].x != block->corner[i][0][lane] || corners[i].y != block->corner[i][1][lane] ||
        corners[i].z != block->corner[i][2][lane]) {
      return report_corruption(mesh, "references of a triangle differ", triangle);
    }
    whole = mo_aabb_add_point(whole, corners[i]);
  }
  bool duplicated = (block->id[lane] & MO_LANE_DUPLICATED) != 0;
  if (duplicated != is_listed_duplicate(mesh, triangle, node, slot)) {
    return report_corruption(mesh, "the table of duplicates is wrong", triangle);
  }
  if (duplicated ? !mo_aabb_overlap(box, whole) : !is_inside_ancestors(mesh, node, slot, whole)) {
    return report_corruption(mesh, "a triangle is outside its bounds", triangle);
  }
  return MO_OK;
}

static mo_result check_leaf(const mo_mesh *mesh, uint32_t node, uint32_t slot,
                            uint32_t *references) {
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
  uint32_t end = mesh->format == MO_MESH_FULL      ? mesh->block_count
                 : mesh->format == MO_MESH_COMPACT ? mesh->unit_count - MO_PADDING_UNITS
                                                   : MO_CHILD_LEAF;
  for (uint32_t b = mo_child_index(mo_mesh_child(mesh, node, slot));;
       b = mo_block_after(&tree, mesh->format, b)) {
    if (b >= end) {
      return report_corruption(mesh, "a leaf has no last block", node);
    }
    mo_triangle_block expanded;
    const mo_triangle_block *block = mo_load_block(&tree, mesh->format, b, &expanded);
    uint32_t degenerate = 0;
    for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
      if ((block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY) {
        mo_result result = check_lane(mesh, node, slot, block, lane, references);
        if (result != MO_OK) {
          return result;
        }
        degenerate |= mo_degenerate_lanes(block->corner, 1u << lane);
      } else if (lane == 0 && mesh->height == NULL) {
        return report_corruption(mesh, "a block is empty", b);
      }
    }
    bool flagged = (block->id[2] & MO_LANE_SOME_DEGENERATE) != 0;
    if (flagged != (degenerate != 0 || mesh->deformation != NULL)) {
      return report_corruption(mesh, "degenerate triangles are not known", b);
    }
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return MO_OK;
    }
  }
}

/* Whether a node's visit orders are permutations of the slots, those by direction follow from its
 * planes, and the slots in use ascend in order[0], as region queries visit slots in ascending
 * order. */
static bool check_orders(const mo_mesh *mesh, uint32_t n) {
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
  mo_child_buffer computed;
  const mo_node_links node = mo_load_links(&tree, mesh->format, n, &computed);
  const mo_nested_planes planes = mo_mesh_nested_planes(mesh, n);
  uint32_t order[4], last = 0;
  mo_nested_planes_slot_order(&planes, order);
  for (uint32_t signs = 0; signs < 4; signs++) {
    if (order[signs] != node.order[signs]) {
      return false;
    }
  }
  uint32_t seen = 0, any = 0;
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    uint32_t slot = order[0] >> (4 * i) & 15;
    seen |= 1u << slot;
    any |= 1u << (*node.any_hit_order >> (4 * i) & 15);
    if (mo_mesh_child(mesh, n, slot & 7) != MO_CHILD_EMPTY) {
      if (slot < last) {
        return false;
      }
      last = slot;
    }
  }
  return seen == 0xff && any == 0xff;
}

static mo_result check_node(const mo_mesh *mesh, uint32_t n, uint32_t *references) {
  if (mesh->format == MO_MESH_COMPACT && !mo_compact_is_sound(&mesh->compact_nodes[n].box)) {
    return report_corruption(mesh, "the grid of a node is none", n);
  }
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = mo_mesh_child(mesh, n, slot);
    mo_aabb box = mo_mesh_child_box(mesh, n, slot);
    mo_result result = MO_OK;
    if (child == MO_CHILD_EMPTY) {
      result =
          mo_aabb_is_empty(box) ? MO_OK : report_corruption(mesh, "an empty slot has bounds", n);
    } else if (mo_child_is_leaf(child)) {
      result = check_leaf(mesh, n, slot, references);
    } else if (mo_mesh_node_index(mesh, child) >= mesh->node_count ||
               mo_mesh_parent(mesh, child) != (n << 3 | slot) ||
               mo_mesh_node_depth(mesh, child) != mo_mesh_node_depth(mesh, n) + 1) {
      result = report_corruption(mesh, "a child does not know its parent", n);
    } else if (mesh->format == MO_MESH_FULL) {
      mo_aabb inner = mo_bounds8_union(&mesh->nodes[child].bounds);
      if (!mo_aabb_is_empty(inner) && !mo_aabb_contains(box, inner)) {
        result = report_corruption(mesh, "a child is outside its bounds", child);
      }
    }
    if (result != MO_OK) {
      return result;
    }
  }
  return MO_OK;
}

static bool has_valid_place(const mo_mesh *mesh, uint32_t triangle) {
  mo_triangle_place place = mo_mesh_triangle_place(mesh, triangle);
  uint32_t end = mesh->format == MO_MESH_FULL ? mesh->block_count : mesh->unit_count;
  if (mesh->height == NULL && (place == MO_NONE || place >> 3 >= end)) {
    return false;
  }
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
  mo_triangle_block expanded;
  const mo_triangle_block *block = mo_load_block(&tree, mesh->format, place >> 3, &expanded);
  return (block->id[place & 7] & MO_LANE_TRIANGLE) == triangle;
}

mo_result mo_mesh_validate(const mo_mesh *mesh) {
  if (mesh == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (mo_mesh_parent(mesh, 0) != MO_NONE) {
    return report_corruption(mesh, "the root has a parent", 0);
  }
  uint32_t references = 0, triangles = 0, where;
  const char *corruption =
      mesh->height != NULL ? mo_height_find_corruption(mesh->height, &where) : NULL;
  if (corruption != NULL) {
    return report_corruption(mesh, corruption, where);
  }
  for (uint32_t i = 0; i < mesh->node_count; i++) {
    const uint32_t n = mo_mesh_node_of_index(mesh, i);
    mo_result result = check_node(mesh, n, &references);
    if (result != MO_OK) {
      return result;
    }
    if (!check_orders(mesh, n)) {
      return report_corruption(mesh, "the order of slots is wrong", n);
    }
    if (mo_mesh_node_depth(mesh, n) >= MO_MESH_MAX_DEPTH) {
      return report_corruption(mesh, "the tree is deeper than its bound", n);
    }
  }
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    if (!mo_mesh_has_triangle(mesh, t)) {
      continue;
    }
    triangles++;
    if (!has_valid_place(mesh, t)) {
      return report_corruption(mesh, "a triangle is not where its place says", t);
    }
  }
  if (mesh->editing != NULL) {
    corruption = mo_editing_find_corruption(mesh, &where);
  }
  if (corruption != NULL) {
    return report_corruption(mesh, corruption, where);
  }
  if (references < triangles) {
    return report_corruption(mesh, "triangles are missing", triangles - references);
  }
  if (!mo_mesh_segment_entry_points_are_current(mesh)) {
    return report_corruption(mesh, "the segment entries are not those of the tree", 0);
  }
  return MO_OK;
}
