/* The invariants of the triangle octree, checked one by one. */
#include "base/log.h"
#include "mesh/mesh.h"

static mo_result corrupt(const mo_mesh *mesh, const char *what, uint32_t where) {
  mo_log(&mesh->host, MO_LOG_WARNING, "mesh corrupt: %s (%u)", what, where);
  return MO_ERROR_CORRUPT;
}

static bool is_listed(const mo_mesh *mesh, uint32_t triangle, uint32_t node, uint32_t slot) {
  uint32_t first = mo_mesh_first_duplicate(mesh, triangle);
  for (uint32_t i = first; i < mesh->duplicate_count && mesh->duplicates[i].triangle == triangle;
       i++) {
    if (mesh->duplicates[i].node == node && mesh->duplicates[i].slot == slot) {
      return true;
    }
  }
  return false;
}

/* A triangle with one reference lies wholly in its bounds; of one with several, each part does. */
static mo_result check_lane(const mo_mesh *mesh, uint32_t node, uint32_t slot,
                            const mo_triangle_block *block, uint32_t lane, uint32_t *references) {
  uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
  if (triangle >= mesh->triangle_count) {
    return corrupt(mesh, "a lane names no triangle", node);
  }
  (*references)++;
  mo_vec3 corners[3];
  mo_mesh_corners(mesh, triangle, corners);
  mo_aabb box = mo_bounds8_get(&mesh->nodes[node].bounds, (int)slot);
  mo_aabb whole = mo_aabb_empty();
  for (int i = 0; i < 3; i++) {
    if (corners[i].x != block->corner[i][0][lane] || corners[i].y != block->corner[i][1][lane] ||
        corners[i].z != block->corner[i][2][lane]) {
      return corrupt(mesh, "references of a triangle differ", triangle);
    }
    whole = mo_aabb_add_point(whole, corners[i]);
  }
  bool duplicated = (block->id[lane] & MO_LANE_DUPLICATED) != 0;
  if (duplicated != is_listed(mesh, triangle, node, slot)) {
    return corrupt(mesh, "the table of duplicates is wrong", triangle);
  }
  if (duplicated ? !mo_aabb_overlap(box, whole) : !mo_aabb_contains(box, whole)) {
    return corrupt(mesh, "a triangle is outside its bounds", triangle);
  }
  return MO_OK;
}

static mo_result check_leaf(const mo_mesh *mesh, uint32_t node, uint32_t slot,
                            uint32_t *references) {
  for (uint32_t b = mo_child_index(mesh->nodes[node].child[slot]);; b++) {
    if (b >= mesh->block_count) {
      return corrupt(mesh, "a leaf has no last block", node);
    }
    const mo_triangle_block *block = &mesh->blocks[b];
    uint32_t degenerate = 0;
    for (uint32_t lane = 0; lane < MO_WIDTH; lane++) {
      if ((block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY) {
        mo_result result = check_lane(mesh, node, slot, block, lane, references);
        if (result != MO_OK) {
          return result;
        }
        degenerate |= mo_degenerate_lanes(block->corner, 1u << lane);
      } else if (lane == 0) {
        return corrupt(mesh, "a block is empty", b);
      }
    }
    bool flagged = (block->id[2] & MO_LANE_SOME_DEGENERATE) != 0;
    if (flagged != (degenerate != 0 || mesh->deformation != NULL)) {
      return corrupt(mesh, "degenerate triangles are not known", b);
    }
    if (block->id[0] & MO_LANE_LAST) {
      return MO_OK;
    }
  }
}

/* The orders are permutations of the slots that follow from the planes; without a direction the
 * slots in use come in their own order, which is how queries of regions take them. */
static bool check_orders(const mo_mesh *mesh, uint32_t n) {
  const mo_mesh_node *node = &mesh->nodes[n];
  uint32_t order[4], last = 0;
  mo_nested_order(&mesh->planes[n].nested, order);
  for (uint32_t signs = 0; signs < 4; signs++) {
    if (order[signs] != node->order[signs]) {
      return false;
    }
  }
  uint32_t seen = 0, any = 0;
  for (uint32_t i = 0; i < MO_WIDTH; i++) {
    uint32_t slot = order[0] >> (4 * i) & 15;
    seen |= 1u << slot;
    any |= 1u << (node->any_order >> (4 * i) & 15);
    if (node->child[slot & 7] != MO_CHILD_EMPTY) {
      if (slot < last) {
        return false;
      }
      last = slot;
    }
  }
  return seen == 0xff && any == 0xff;
}

static mo_result check_node(const mo_mesh *mesh, uint32_t n, uint32_t *references) {
  const mo_mesh_node *node = &mesh->nodes[n];
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = node->child[slot];
    mo_aabb box = mo_bounds8_get(&node->bounds, (int)slot);
    mo_result result = MO_OK;
    if (child == MO_CHILD_EMPTY) {
      result = mo_aabb_is_empty(box) ? MO_OK : corrupt(mesh, "an empty slot has bounds", n);
    } else if (mo_child_is_leaf(child)) {
      result = check_leaf(mesh, n, slot, references);
    } else if (child >= mesh->node_count || mesh->planes[child].parent != (n << 3 | slot) ||
               mesh->planes[child].depth != mesh->planes[n].depth + 1) {
      result = corrupt(mesh, "a child does not know its parent", n);
    } else {
      mo_aabb inner = mo_bounds8_union(&mesh->nodes[child].bounds);
      if (!mo_aabb_is_empty(inner) && !mo_aabb_contains(box, inner)) {
        result = corrupt(mesh, "a child is outside its bounds", child);
      }
    }
    if (result != MO_OK) {
      return result;
    }
  }
  return MO_OK;
}

mo_result mo_mesh_validate(const mo_mesh *mesh) {
  if (mesh == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  uint32_t references = 0;
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    mo_result result = check_node(mesh, n, &references);
    if (result != MO_OK) {
      return result;
    }
    if (!check_orders(mesh, n)) {
      return corrupt(mesh, "the order of slots is wrong", n);
    }
    if (mesh->planes[n].depth >= MO_MESH_MAX_DEPTH) {
      return corrupt(mesh, "the tree is deeper than its bound", n);
    }
  }
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    uint32_t place = mesh->places[t];
    if (place == MO_NONE || place >> 3 >= mesh->block_count ||
        (mesh->blocks[place >> 3].id[place & 7] & MO_LANE_TRIANGLE) != t) {
      return corrupt(mesh, "a triangle is not where its place says", t);
    }
  }
  if (references < mesh->triangle_count) {
    return corrupt(mesh, "triangles are missing", mesh->triangle_count - references);
  }
  return MO_OK;
}
