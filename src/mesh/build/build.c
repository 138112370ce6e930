/* Shared by all builders of triangle octrees: appending nodes and leaves, and the last steps of a
 * build. These fill the table of duplicates (triangles that are referenced from several leaves),
 * and store in each node the orders in which rays visit its children. */
#include "mesh/build/build.h"

#include <string.h>

#include "base/assert.h"
#include "octree/order.h"

mo_aabb mo_builder_triangle_bounds(const mo_builder *builder, uint32_t triangle) {
  const mo_vec3 *corner = &builder->corners[3 * (size_t)triangle];
  mo_aabb box = {corner[0], corner[0]};
  return mo_aabb_add_point(mo_aabb_add_point(box, corner[1]), corner[2]);
}

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
  mo_mesh_node *node = &mesh->nodes[index];
  mo_bounds8_clear(&node->bounds);
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    node->child[i] = MO_CHILD_EMPTY;
  }
  memset(node->unused, 0, sizeof node->unused);
  node->any_hit_order = 0x76543210u;
  mesh->planes[index] = (mo_mesh_planes){.parent = parent, .depth = (uint8_t)depth};
  mo_nested_planes_slot_order(&mesh->planes[index].nested, node->order);
  return index;
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

/* Called for each lane that has a triangle, in the order of nodes and slots. */
typedef void visit_lane(mo_mesh *mesh, uint32_t node, uint32_t slot, mo_triangle_block *block,
                        uint32_t lane, void *context);

static void for_each_lane(mo_mesh *mesh, visit_lane *visit, void *context) {
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      uint32_t child = mesh->nodes[n].child[slot];
      if (child == MO_CHILD_EMPTY || !mo_child_is_leaf(child)) {
        continue;
      }
      mo_triangle_block *block = &mesh->blocks[mo_child_index(child)];
      for (;; block++) {
        for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
          if ((block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY) {
            visit(mesh, n, slot, block, lane, context);
          }
        }
        if (block->id[0] & MO_LANE_LAST_BLOCK) {
          break;
        }
      }
    }
  }
}

static void count_reference_of_lane(mo_mesh *mesh, uint32_t node, uint32_t slot,
                                    mo_triangle_block *block, uint32_t lane, void *context) {
  (void)mesh;
  (void)node;
  (void)slot;
  uint32_t *counts = context;
  counts[block->id[lane] & MO_LANE_TRIANGLE]++;
}

/* Adds a lane to the table of duplicates, if its triangle has several references. The context is an
 * array by triangle: the index of the triangle's next entry in the table, or MO_NONE if it has one
 * reference. */
static void list_lane_if_duplicated(mo_mesh *mesh, uint32_t node, uint32_t slot,
                                    mo_triangle_block *block, uint32_t lane, void *context) {
  uint32_t *next = context;
  uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
  if (next[triangle] != MO_NONE) {
    block->id[lane] |= MO_LANE_DUPLICATED;
    block->id[1] |= MO_LANE_SOME_DUPLICATED;
    MO_ASSERT(next[triangle] < mesh->duplicate_count);
    mesh->duplicates[next[triangle]++] = (mo_duplicate){triangle, node, slot};
  }
}

/* Fills mesh->duplicates with all references of triangles that have several, ascending by triangle.
 */
static mo_result list_duplicates(mo_mesh *mesh) {
  if (mesh->triangle_count == 0) {
    return MO_OK;
  }
  uint32_t *counts = mo_allocate(&mesh->host.allocator, mesh->triangle_count, sizeof *counts);
  if (counts == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(counts, 0, mesh->triangle_count * sizeof *counts);
  for_each_lane(mesh, count_reference_of_lane, counts);
  uint32_t total = 0;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    uint32_t count = counts[t];
    counts[t] = count > 1 ? total : MO_NONE;
    total += count > 1 ? count : 0;
  }
  mo_result result = MO_OK;
  if (total > 0) {
    mesh->duplicates = mo_allocate(&mesh->host.allocator, total, sizeof *mesh->duplicates);
    if (mesh->duplicates == NULL) {
      result = MO_ERROR_OUT_OF_MEMORY;
    } else {
      mesh->duplicate_count = mesh->duplicate_capacity = total;
      for_each_lane(mesh, list_lane_if_duplicated, counts);
    }
  }
  mo_deallocate(&mesh->host.allocator, counts, mesh->triangle_count, sizeof *counts);
  return result;
}

/* Adds the area of a leaf's triangles to `area`, and the number of its blocks to `block_count`. */
static void measure_leaf(const mo_mesh *mesh, uint32_t child, double *area, double *block_count) {
  for (const mo_triangle_block *block = &mesh->blocks[mo_child_index(child)];; block++) {
    *block_count += 1.0;
    for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
      if ((block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY) {
        mo_dvec3 c[3];
        for (int i = 0; i < 3; i++) {
          c[i] = mo_dvec(block->corner[i][0][lane], block->corner[i][1][lane],
                         block->corner[i][2][lane]);
        }
        mo_dvec3 n = mo_dcross(mo_dsub(c[1], c[0]), mo_dsub(c[2], c[0]));
        *area += 0.5 * sqrt(mo_ddot(n, n));
      }
    }
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return;
    }
  }
}

/* What decides when any-hit rays visit a subtree: the area that they may hit, and the cost. */
typedef struct subtree_estimate {
  double area; /* total area of the triangles in the subtree */
  double
      expected_visits; /* expected number of nodes and blocks that a ray which enters it visits */
} subtree_estimate;

/* Sets the order in which any-hit rays visit the slots of a node: greatest probability of a hit per
 * expected cost first. A random line that hits a convex box hits a surface of area A inside with a
 * probability of about A over half the surface area of the box. */
static void set_any_hit_order(mo_mesh *mesh, uint32_t index, subtree_estimate *estimates) {
  mo_mesh_node *node = &mesh->nodes[index];
  double whole = mo_aabb_half_area(mo_bounds8_union(&node->bounds));
  double key[MO_LANE_COUNT];
  subtree_estimate sum = {0.0, 1.0};
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = node->child[slot];
    subtree_estimate part = {0.0, 0.0};
    key[slot] = -1.0;
    if (child == MO_CHILD_EMPTY) {
      continue;
    }
    if (mo_child_is_leaf(child)) {
      measure_leaf(mesh, child, &part.area, &part.expected_visits);
    } else {
      part = estimates[child];
    }
    double half = mo_aabb_half_area(mo_bounds8_get(&node->bounds, slot));
    double chance = half > 0.0 ? fmin(part.area / half, 1.0) : 1.0;
    key[slot] = chance / part.expected_visits;
    sum.area += part.area;
    sum.expected_visits += whole > 0.0 ? part.expected_visits * half / whole : part.expected_visits;
  }
  estimates[index] = sum;
  node->any_hit_order = mo_slots_by_key(key);
}

/* Iterates over the nodes backward: children have higher indices than their parents, so their
 * estimates are known when the parent needs them. */
static mo_result set_any_hit_orders(mo_mesh *mesh) {
  subtree_estimate *estimates =
      mo_allocate(&mesh->host.allocator, mesh->node_count, sizeof *estimates);
  if (estimates == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    set_any_hit_order(mesh, n, estimates);
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
  builder->result = list_duplicates(mesh);
  if (builder->result == MO_OK) {
    builder->result = set_any_hit_orders(mesh);
  }
}

/* Stores the block and lane of a triangle's first reference in mesh->triangle_places. */
static void set_triangle_place(mo_mesh *mesh, uint32_t node, uint32_t slot,
                               mo_triangle_block *block, uint32_t lane, void *context) {
  (void)node;
  (void)slot;
  (void)context;
  mo_triangle_place *place = &mesh->triangle_places[block->id[lane] & MO_LANE_TRIANGLE];
  if (*place == MO_NONE) {
    *place = (uint32_t)(block - mesh->blocks) << 3 | lane;
  }
}

void mo_builder_fill_reference_tables(mo_builder *builder) {
  if (builder->result == MO_OK) {
    for_each_lane(builder->mesh, set_triangle_place, NULL);
    builder->result = list_duplicates(builder->mesh);
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
