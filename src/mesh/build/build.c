/* Shared by all builders of triangle octrees: appending nodes and leaves, and the last steps of a
 * build. These fill the table of duplicates (triangles that are referenced from several leaves),
 * and store in each node the orders in which rays visit its children. */
#include "mesh/build/build.h"

#include <string.h>

#include "base/assert.h"
#include "octree/order.h"
#include "octree/sah.h"

uint32_t mo_builder_add_node(mo_builder *builder, uint32_t parent, uint32_t depth) {
  mo_mesh *mesh = builder->mesh;
  if (builder->result != MO_OK) {
    return MO_NONE;
  }
  const mo_allocator *allocator = &mesh->host.allocator;
  bool ok = mo_array_reserve(allocator, &mesh->nodes, sizeof *mesh->nodes, mesh->node_count,
                             &mesh->node_capacity, 1) &&
            mo_array_reserve(allocator, &mesh->planes, sizeof *mesh->planes, mesh->node_count,
                             &mesh->planes_capacity, 1);
  if (!ok) {
    builder->result = MO_ERROR_OUT_OF_MEMORY;
    return MO_NONE;
  }
  MO_ASSERT(mesh->node_count < mesh->node_capacity && depth <= MO_MESH_MAX_DEPTH);
  uint32_t index = mesh->node_count++;
  mo_mesh_node_clear(&mesh->nodes[index]);
  mesh->planes[index] = (mo_mesh_planes){.parent = parent, .depth = (uint8_t)depth};
  return index;
}

bool mo_octree_allocate(mo_mesh *mesh, uint32_t nodes, uint32_t blocks) {
  const mo_allocator *allocator = &mesh->host.allocator;
  mesh->nodes = mo_allocate(allocator, nodes, sizeof *mesh->nodes);
  mesh->planes = mo_allocate(allocator, nodes, sizeof *mesh->planes);
  mesh->blocks = mo_allocate(allocator, blocks, sizeof *mesh->blocks);
  mesh->node_capacity = mesh->nodes != NULL ? nodes : 0;
  mesh->planes_capacity = mesh->planes != NULL ? nodes : 0;
  mesh->block_capacity = mesh->blocks != NULL ? blocks : 0;
  mesh->node_count = nodes;
  mesh->block_count = blocks;
  return mesh->nodes != NULL && mesh->planes != NULL && mesh->blocks != NULL;
}

void mo_octree_free(mo_mesh *mesh) {
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_deallocate(allocator, mesh->nodes, mesh->node_capacity, sizeof *mesh->nodes);
  mo_deallocate(allocator, mesh->planes, mesh->planes_capacity, sizeof *mesh->planes);
  mo_deallocate(allocator, mesh->blocks, mesh->block_capacity, sizeof *mesh->blocks);
  mo_deallocate(allocator, mesh->duplicates, mesh->duplicate_capacity, sizeof *mesh->duplicates);
}

void mo_octree_replace(mo_mesh *mesh, const mo_mesh *made) {
  mo_octree_free(mesh);
  mesh->nodes = made->nodes;
  mesh->planes = made->planes;
  mesh->blocks = made->blocks;
  mesh->duplicates = made->duplicates;
  mesh->node_count = made->node_count;
  mesh->node_capacity = made->node_capacity;
  mesh->planes_capacity = made->planes_capacity;
  mesh->block_count = made->block_count;
  mesh->block_capacity = made->block_capacity;
  mesh->duplicate_count = made->duplicate_count;
  mesh->duplicate_capacity = made->duplicate_capacity;
}

void mo_block_clear(mo_triangle_block *block) {
  memset(block, 0, sizeof *block);
  for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
    block->id[lane] = MO_LANE_EMPTY;
  }
}

void mo_block_set(mo_triangle_block *block, uint32_t lane, uint32_t id, const mo_vec3 corners[3]) {
  /* Empty lanes repeat the triangle of lane 0, so that a test of all lanes takes a rare branch only
   * if a triangle of the block needs it. */
  uint32_t last = lane == 0 ? MO_LANE_COUNT - 1 : lane;
  for (int i = 0; i < 3; i++) {
    for (uint32_t k = lane; k <= last; k++) {
      block->corner[i][0][k] = corners[i].x;
      block->corner[i][1][k] = corners[i].y;
      block->corner[i][2][k] = corners[i].z;
    }
  }
  block->id[lane] = id | (block->id[lane] & 0x80000000u); /* the top bit is a flag of the block */
  if (mo_triangle_is_degenerate(corners)) {
    block->id[2] |= MO_LANE_SOME_DEGENERATE;
  }
}

void mo_builder_add_leaf(mo_builder *builder, uint32_t node, uint32_t slot,
                         const mo_cell_reference *references, uint32_t count) {
  mo_mesh *mesh = builder->mesh;
  MO_ASSERT(count > 0 && slot < MO_LANE_COUNT);
  uint32_t blocks = (count + MO_LANE_COUNT - 1) / MO_LANE_COUNT;
  bool ok = builder->result == MO_OK &&
            mo_array_reserve(&mesh->host.allocator, &mesh->blocks, sizeof *mesh->blocks,
                             mesh->block_count, &mesh->block_capacity, blocks);
  if (!ok) {
    builder->result = MO_ERROR_OUT_OF_MEMORY;
    return;
  }
  uint32_t first = mesh->block_count;
  mesh->block_count += blocks;
  mo_aabb box = mo_aabb_empty();
  for (uint32_t i = 0; i < count; i++) {
    uint32_t triangle = references[i].triangle;
    uint32_t lane = i % MO_LANE_COUNT;
    mo_triangle_block *block = &mesh->blocks[first + i / MO_LANE_COUNT];
    if (lane == 0) {
      mo_block_clear(block);
    }
    mo_block_set(block, lane, triangle, &builder->corners[3 * (size_t)triangle]);
    if (mesh->triangle_places[triangle] == MO_NONE) {
      mesh->triangle_places[triangle] = (first + i / MO_LANE_COUNT) << 3 | lane;
    }
    box = mo_aabb_union(box, references[i].bounds);
  }
  mesh->blocks[first + blocks - 1].id[0] |= MO_LANE_LAST_BLOCK;
  MO_ASSERT(mesh->nodes[node].child[slot] == MO_CHILD_EMPTY);
  mesh->nodes[node].child[slot] = MO_CHILD_LEAF | first;
  mo_bounds8_set(&mesh->nodes[node].bounds, (int)slot, box);
}

/* Counts the references of each triangle, and sets the places of triangles that have none. */
static void count_references(mo_mesh *mesh, uint32_t *counts) {
  for (uint32_t b = 0; b < mesh->block_count; b++) {
    for (uint32_t lane = 0, end = mo_count_lanes_in_use(&mesh->blocks[b]); lane < end; lane++) {
      const uint32_t triangle = mesh->blocks[b].id[lane] & MO_LANE_TRIANGLE;
      counts[triangle]++;
      if (mesh->triangle_places[triangle] == MO_NONE) {
        mesh->triangle_places[triangle] = b << 3 | lane;
      }
    }
  }
}

/* Adds the triangles of a leaf that have several references to the table of duplicates. `next`, by
 * triangle: the index of its next entry in the table, or MO_NONE if it has one reference. */
static void list_duplicates_in_leaf(mo_mesh *mesh, uint32_t node, uint32_t slot, uint32_t *next) {
  const uint32_t first = mo_child_index(mesh->nodes[node].child[slot]);
  for (uint32_t b = first, end = first + mo_count_leaf_blocks(mesh, first); b < end; b++) {
    mo_triangle_block *block = &mesh->blocks[b];
    for (uint32_t lane = 0, lanes = mo_count_lanes_in_use(block); lane < lanes; lane++) {
      const uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
      if (next[triangle] != MO_NONE) {
        block->id[lane] |= MO_LANE_DUPLICATED;
        block->id[1] |= MO_LANE_SOME_DUPLICATED;
        MO_ASSERT(next[triangle] < mesh->duplicate_count);
        mesh->duplicates[next[triangle]++] = (mo_duplicate){triangle, node, slot};
      }
    }
  }
}

/* Fills mesh->duplicates with all references of triangles that have several, ascending by triangle.
 * `counts` has the references of each triangle. */
static mo_result list_duplicates(mo_mesh *mesh, uint32_t *counts) {
  uint32_t total = 0;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    uint32_t count = counts[t];
    counts[t] = count > 1 ? total : MO_NONE;
    total += count > 1 ? count : 0;
  }
  mesh->duplicates = mo_allocate(&mesh->host.allocator, total, sizeof *mesh->duplicates);
  if (total == 0 || mesh->duplicates == NULL) {
    return total == 0 ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
  }
  mesh->duplicate_count = mesh->duplicate_capacity = total;
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      if (mo_count_leaf_triangles(mesh, mesh->nodes[n].child[slot]) > 0) {
        list_duplicates_in_leaf(mesh, n, slot, counts);
      }
    }
  }
  return MO_OK;
}

mo_result mo_fill_reference_tables(mo_mesh *mesh) {
  uint32_t *counts = mo_allocate(&mesh->host.allocator, mesh->triangle_count, sizeof *counts);
  if (counts == NULL) {
    return mesh->triangle_count == 0 ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
  }
  memset(counts, 0, mesh->triangle_count * sizeof *counts);
  count_references(mesh, counts);
  const mo_result result = list_duplicates(mesh, counts);
  mo_deallocate(&mesh->host.allocator, counts, mesh->triangle_count, sizeof *counts);
  return result;
}

uint32_t mo_any_hit_order(const mo_any_hit_node *node, mo_subtree_estimate *estimate) {
  double key[MO_LANE_COUNT];
  mo_subtree_estimate sum = {0.0f, 1.0f};
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    key[slot] = -1.0;
    if (node->slots >> slot & 1) {
      const mo_subtree_estimate part = node->slot_estimate[slot];
      const float half = node->slot_half_area[slot],
                  chance = half > part.area ? part.area / half : 1.0f;
      key[slot] = (double)(chance / part.expected_visits);
      sum.area += part.area;
      sum.expected_visits += node->half_area > 0.0f
                                 ? part.expected_visits * (half / node->half_area)
                                 : part.expected_visits;
    }
  }
  *estimate = sum;
  return mo_slots_by_key(key);
}

static mo_subtree_estimate measure_leaf(const mo_mesh *mesh, uint32_t first, double area_unit) {
  double area = 0.0;
  const uint32_t blocks = mo_count_leaf_blocks(mesh, first);
  for (uint32_t b = first; b < first + blocks; b++) {
    for (uint32_t lane = 0, end = mo_count_lanes_in_use(&mesh->blocks[b]); lane < end; lane++) {
      mo_vec3 corners[3];
      mo_mesh_corners_at(mesh, b << 3 | lane, corners);
      area += 0.5 * mo_dlength(mo_triangle_cross(corners));
    }
  }
  return (mo_subtree_estimate){(float)(area * area_unit), (float)blocks};
}

/* Sets the order for any-hit rays of a node. The estimates of its children are known. */
static void set_any_hit_order(mo_mesh *mesh, uint32_t index, double area_unit,
                              mo_subtree_estimate *estimates) {
  mo_mesh_node *node = &mesh->nodes[index];
  mo_any_hit_node view = {
      .half_area = (float)(mo_aabb_half_area(mo_bounds8_union(&node->bounds)) * area_unit)};
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    const uint32_t child = node->child[slot];
    if (child != MO_CHILD_EMPTY) {
      const mo_aabb box = mo_bounds8_get(&node->bounds, (int)slot);
      view.slots |= 1u << slot;
      view.slot_half_area[slot] = (float)(mo_aabb_half_area(box) * area_unit);
      view.slot_estimate[slot] = mo_child_is_leaf(child)
                                     ? measure_leaf(mesh, mo_child_index(child), area_unit)
                                     : estimates[child];
    }
  }
  node->any_hit_order = mo_any_hit_order(&view, &estimates[index]);
}

/* Iterates over the nodes backward: children have higher indices than their parents. */
static mo_result set_any_hit_orders(mo_mesh *mesh) {
  mo_subtree_estimate *estimates =
      mo_allocate(&mesh->host.allocator, mesh->node_count, sizeof *estimates);
  const double scale = mo_sah_length_scale(mesh->bounds);
  if (estimates == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    set_any_hit_order(mesh, n, scale * scale, estimates);
  }
  mo_deallocate(&mesh->host.allocator, estimates, mesh->node_count, sizeof *estimates);
  return MO_OK;
}

void mo_builder_finish(mo_builder *builder) {
  mo_mesh *mesh = builder->mesh;
  if (builder->result != MO_OK) {
    return;
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    mo_nested_planes_slot_order(&mesh->planes[n].nested, mesh->nodes[n].order);
    uint32_t depth = mesh->planes[n].depth + 1u;
    mesh->depth = depth > mesh->depth ? depth : mesh->depth;
  }
  builder->result = mo_fill_reference_tables(mesh);
  if (builder->result == MO_OK) {
    builder->result = set_any_hit_orders(mesh);
  }
}

uint32_t mo_list_triangles_of_child(const mo_mesh *mesh, uint32_t child, uint32_t *triangles,
                                    uint32_t count) {
  if (child == MO_CHILD_EMPTY) {
    return count;
  }
  if (!mo_child_is_leaf(child)) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      count = mo_list_triangles_of_child(mesh, mesh->nodes[child].child[slot], triangles, count);
    }
    return count;
  }
  for (const mo_triangle_block *block = &mesh->blocks[mo_child_index(child)];; block++) {
    for (uint32_t lane = 0, end = mo_count_lanes_in_use(block); lane < end; lane++) {
      triangles[count++] = block->id[lane] & MO_LANE_TRIANGLE;
    }
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return count;
    }
  }
}
