/* The builders that halve cells: the classical midpoint octree, and the full tree of a fixed depth
 * into which triangles are inserted, at creation or later. A triangle is referenced from every cell
 * that it touches (separating-axis test), each reference with exactly clipped bounds. */
#include <string.h>

#include "geometry/triangle/triangle.h"
#include "mesh/build/build.h"

/* The planes through the middle of a cell, one per axis; an axis too thin to halve gets none. */
static void halve_cell(mo_aabb cell, mo_nested_planes *planes) {
  uint32_t mask = 0;
  float middle[3];
  for (int axis = 0; axis < 3; axis++) {
    float lower = mo_get(cell.lower, axis), upper = mo_get(cell.upper, axis);
    middle[axis] = 0.5f * lower + 0.5f * upper;
    mask |= lower < middle[axis] && middle[axis] < upper ? 4u >> axis : 0;
  }
  mo_nested_planes_of_octants(mask, middle, planes);
}

/* Finds the box around the part of a triangle in a cell; false if they do not touch. */
static bool clip_to_cell(const mo_vec3 corners[3], mo_aabb bounds, mo_aabb cell, mo_aabb *part) {
  const mo_dvec3 wide[3] = {mo_widen(corners[0]), mo_widen(corners[1]), mo_widen(corners[2])};
  if (!mo_aabb_overlap(bounds, cell) || !mo_triangle_overlaps_aabb(wide, cell)) {
    return false;
  }
  *part = mo_triangle_clip_bounds(corners, cell);
  if (mo_aabb_is_empty(*part)) { /* the touching part is lost to the rounding of clipping */
    *part = mo_aabb_intersection(bounds, cell);
  }
  return true;
}

/* The midpoint octree.
 *
 * A vertex at which many triangles meet, or a bundle of long triangles, lies in some cell at every
 * depth, so splitting would multiply references without limit. Therefore the number of references
 * is limited: to MIDPOINT_MAX_REFERENCES_PER_TRIANGLE per triangle in the whole tree, and in each
 * cell to a share of its parent's limit. */

enum { MIDPOINT_MAX_REFERENCES_PER_TRIANGLE = 8 };

/* The stack has lists of references: of all cells from the root to the current cell. */
typedef struct midpoint_builder {
  mo_builder *builder;
  MO_LIST(mo_cell_reference, stack);
} midpoint_builder;

/* A list of references, at the top of the stack of a midpoint builder or below it. */
typedef struct reference_list {
  uint32_t begin, count;
  uint64_t limit; /* maximum number of references in the subtree that is built from the list */
} reference_list;

/* Sorts references into the eight cells: pushes eight lists, with their sizes in `counts`. Returns
 * false if the node should not be split, because a split separates too few references or duplicates
 * too many. */
static bool sort_into_cells(midpoint_builder *b, const reference_list *references,
                            const mo_aabb cells[MO_LANE_COUNT], uint32_t counts[MO_LANE_COUNT]) {
  const mo_allocator *allocator = &b->builder->mesh->host.allocator;
  uint32_t count = references->count;
  uint64_t total = 0;
  bool separates = false;
  memset(counts, 0, MO_LANE_COUNT * sizeof *counts);
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    if (mo_aabb_is_empty(cells[slot])) {
      continue;
    }
    for (uint32_t i = 0; i < count; i++) {
      mo_cell_reference r = b->stack[references->begin + i];
      if (clip_to_cell(&b->builder->corners[3 * (size_t)r.triangle], r.bounds, cells[slot],
                       &r.bounds)) {
        b->builder->result = mo_list_reserve(allocator, &b->list, sizeof r, 1);
        if (b->builder->result != MO_OK) {
          return false;
        }
        b->stack[b->count++] = r;
        counts[slot]++;
      }
    }
    total += counts[slot];
    if (total > references->limit) {
      return false;
    }
    separates = separates || (counts[slot] > 0 && counts[slot] < count);
  }
  /* Long triangles through the middle would multiply without ever being separated. */
  return separates && total <= 3 * (uint64_t)count;
}

/* Builds the subtree of node `index`, which has no children yet, from the references of a cell. */
static void build_midpoint_node(midpoint_builder *b, reference_list references, mo_aabb cell,
                                uint32_t index, uint32_t depth) {
  mo_mesh *mesh = b->builder->mesh;
  mo_nested_planes planes;
  mo_aabb cells[MO_LANE_COUNT];
  uint32_t counts[MO_LANE_COUNT];
  const uint32_t top = b->count;
  halve_cell(cell, &planes);
  mo_nested_planes_split_cell(&planes, cell, cells);
  if (!sort_into_cells(b, &references, cells, counts)) {
    b->count = top;
    mo_builder_add_leaf(b->builder, index, 0, &b->stack[references.begin], references.count);
    return;
  }
  mesh->planes[index].nested = planes;
  uint32_t list = top;
  uint64_t total = b->count - top;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT && b->builder->result == MO_OK; slot++) {
    uint32_t in_cell = counts[slot];
    if (in_cell == 0) {
      continue;
    }
    if (in_cell <= mesh->build.leaf_capacity || depth + 1 >= mesh->build.max_depth) {
      mo_builder_add_leaf(b->builder, index, slot, &b->stack[list], in_cell);
    } else {
      uint32_t child = mo_builder_add_node(b->builder, index << 3 | slot, depth + 1);
      if (child == MO_NONE) {
        return;
      }
      mesh->nodes[index].child[slot] = child;
      const reference_list below = {list, in_cell, references.limit * in_cell / total};
      build_midpoint_node(b, below, cells[slot], child, depth + 1);
      mo_bounds8_set(&mesh->nodes[index].bounds, (int)slot,
                     mo_bounds8_union(&mesh->nodes[child].bounds));
    }
    list += in_cell;
  }
  b->count = top;
}

void mo_build_by_midpoint(mo_builder *builder) {
  mo_mesh *mesh = builder->mesh;
  midpoint_builder b = {.builder = builder};
  builder->result = mo_list_reserve(&mesh->host.allocator, &b.list, sizeof *b.stack,
                                    4 * (uint64_t)mesh->triangle_count);
  for (uint32_t i = 0; i < mesh->triangle_count && builder->result == MO_OK; i++) {
    b.stack[b.count++] = (mo_cell_reference){mo_builder_triangle_bounds(builder, i), i};
  }
  uint32_t root = mo_builder_add_node(builder, MO_NONE, 0);
  if (root != MO_NONE) {
    const reference_list all = {0, mesh->triangle_count,
                                MIDPOINT_MAX_REFERENCES_PER_TRIANGLE *
                                    (uint64_t)mesh->triangle_count};
    build_midpoint_node(&b, all, mesh->bounds, root, 0);
  }
  mo_list_trim(&mesh->host.allocator, &b.list, sizeof *b.stack, 0);
}

/* The top-down builder: a complete tree of a fixed depth, into which triangles are inserted. */

static void build_complete_tree(mo_builder *builder, mo_aabb cell, uint32_t index, uint32_t depth) {
  mo_mesh *mesh = builder->mesh;
  mo_aabb cells[MO_LANE_COUNT];
  halve_cell(cell, &mesh->planes[index].nested);
  if (depth + 1 >= mesh->build.depth) {
    return;
  }
  mo_nested_planes_split_cell(&mesh->planes[index].nested, cell, cells);
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    if (mo_aabb_is_empty(cells[slot])) {
      continue;
    }
    uint32_t child = mo_builder_add_node(builder, index << 3 | slot, depth + 1);
    if (child == MO_NONE) {
      return;
    }
    mesh->nodes[index].child[slot] = child;
    build_complete_tree(builder, cells[slot], child, depth + 1);
  }
}

void mo_build_top_down(mo_builder *builder) {
  uint32_t root = mo_builder_add_node(builder, MO_NONE, 0);
  if (root != MO_NONE) {
    build_complete_tree(builder, builder->mesh->build.bounds, root, 0);
  }
}

/* --- finding the leaf cells that a triangle touches --- */

typedef void visit_cell(mo_mesh *mesh, uint32_t node, uint32_t slot,
                        const mo_cell_reference *reference, void *context);

/* The search for the cells of one triangle. */
typedef struct cell_search {
  mo_mesh *mesh;
  const mo_vec3 *corners; /* the three corners of the triangle */
  visit_cell *visit;
  void *context;
} cell_search;

/* Visits the leaf cells below node `index` that the part of the triangle in `reference` touches. */
static void for_each_touched_cell(const cell_search *search, const mo_cell_reference *reference,
                                  mo_aabb cell, uint32_t index, uint32_t depth) {
  mo_mesh *mesh = search->mesh;
  mo_aabb cells[MO_LANE_COUNT];
  mo_nested_planes_split_cell(&mesh->planes[index].nested, cell, cells);
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    mo_cell_reference part = *reference;
    if (!clip_to_cell(search->corners, reference->bounds, cells[slot], &part.bounds)) {
      continue;
    }
    if (depth + 1 >= mesh->build.depth) {
      search->visit(mesh, index, slot, &part, search->context);
    } else {
      for_each_touched_cell(search, &part, cells[slot], mesh->nodes[index].child[slot], depth + 1);
    }
  }
}

/* The state of an insertion: how many references each leaf cell gains, and how many cells each
 * triangle touches. `corners` has the new triangles only. */
typedef struct insertion {
  mo_mesh *mesh;
  const mo_vec3 *corners;
  uint32_t count; /* number of new triangles */
  uint32_t first; /* index of the first new triangle in the mesh */
  /* Number of references that a leaf gains, by node and slot. LEAF_HAS_CAPACITY_FLAG is set once
   * the leaf has capacity for them. */
  uint32_t *references_gained;
  uint32_t *cells_touched; /* number of leaf cells that each new triangle touches */
  uint32_t current;        /* number of the new triangle that is being inserted, from 0 */
} insertion;

#define LEAF_HAS_CAPACITY_FLAG 0x80000000u

static void count_touched_cell(mo_mesh *mesh, uint32_t node, uint32_t slot,
                               const mo_cell_reference *reference, void *context) {
  (void)mesh;
  (void)reference;
  insertion *in = context;
  in->references_gained[node * MO_LANE_COUNT + slot]++;
  in->cells_touched[in->current]++;
}

/* Blocks are allocated in runs of 2^class blocks; returns the class of the run for `size`
 * triangles. */
static uint32_t block_run_class(uint32_t size) {
  uint32_t blocks = (size + MO_LANE_COUNT - 1) / MO_LANE_COUNT;
  uint32_t class = 0;
  while ((1u << class) < blocks) {
    class ++;
  }
  return class;
}

/* The number of blocks that the insertion adds to the block array; freed runs are not counted. */
static uint64_t count_new_blocks(const insertion *in) {
  const mo_mesh *mesh = in->mesh;
  uint64_t blocks = 0;
  for (uint32_t cell = 0; cell < mesh->node_count * MO_LANE_COUNT; cell++) {
    if (in->references_gained[cell] > 0) {
      uint32_t size = mo_count_leaf_triangles(
          mesh, mesh->nodes[cell / MO_LANE_COUNT].child[cell % MO_LANE_COUNT]);
      uint32_t class = block_run_class(size + in->references_gained[cell]);
      if (size == 0 || class != block_run_class(size)) {
        blocks += 1ull << class;
      }
    }
  }
  return blocks;
}

static uint32_t allocate_block_run(mo_mesh *mesh, uint32_t class) {
  uint32_t run = mesh->free_block_runs[class];
  if (run != MO_NONE) {
    mesh->free_block_runs[class] = mesh->blocks[run].id[0];
  } else {
    run = mesh->block_count;
    mesh->block_count += 1u << class;
  }
  for (uint32_t i = 0; i < 1u << class; i++) {
    mo_block_clear(&mesh->blocks[run + i]);
  }
  return run;
}

/* Moves the triangles of a leaf to a larger run of blocks, so that the leaf can grow. */
static uint32_t move_leaf_to_larger_run(mo_mesh *mesh, uint32_t old, uint32_t size,
                                        uint32_t class) {
  uint32_t run = allocate_block_run(mesh, class);
  uint32_t blocks = (size + MO_LANE_COUNT - 1) / MO_LANE_COUNT;
  memcpy(&mesh->blocks[run], &mesh->blocks[old], blocks * sizeof *mesh->blocks);
  for (uint32_t i = 0; i < size; i++) {
    uint32_t triangle = mesh->blocks[run + i / 8].id[i % 8] & MO_LANE_TRIANGLE;
    if (mesh->triangle_places[triangle] == ((old + i / 8) << 3 | i % 8)) {
      mesh->triangle_places[triangle] = (run + i / 8) << 3 | i % 8;
    }
  }
  uint32_t old_class = block_run_class(size);
  mesh->blocks[old].id[0] = mesh->free_block_runs[old_class];
  mesh->free_block_runs[old_class] = old;
  return run;
}

static void add_to_cell(mo_mesh *mesh, uint32_t node, uint32_t slot,
                        const mo_cell_reference *reference, void *context) {
  insertion *in = context;
  uint32_t *child = &mesh->nodes[node].child[slot];
  uint32_t size = mo_count_leaf_triangles(mesh, *child);
  uint32_t *gain = &in->references_gained[node * MO_LANE_COUNT + slot];
  /* The first new reference of a leaf makes capacity for all its new references. */
  if (!(*gain & LEAF_HAS_CAPACITY_FLAG)) {
    uint32_t class = block_run_class(size + *gain);
    if (size == 0) {
      *child = MO_CHILD_LEAF | allocate_block_run(mesh, class);
    } else if (class != block_run_class(size)) {
      *child = MO_CHILD_LEAF | move_leaf_to_larger_run(mesh, mo_child_index(*child), size, class);
    }
    *gain |= LEAF_HAS_CAPACITY_FLAG;
  }
  uint32_t block = mo_child_index(*child) + size / MO_LANE_COUNT;
  uint32_t lane = size % MO_LANE_COUNT;
  if (lane == 0 && size > 0) {
    mesh->blocks[block - 1].id[0] &= ~MO_LANE_LAST_BLOCK;
  }
  uint32_t id = reference->triangle;
  if (in->cells_touched[in->current] > 1) {
    id |= MO_LANE_DUPLICATED;
    mesh->duplicates[mesh->duplicate_count++] = (mo_duplicate){reference->triangle, node, slot};
  }
  mo_block_set(&mesh->blocks[block], lane, id, &in->corners[3 * (size_t)in->current]);
  if (id & MO_LANE_DUPLICATED) {
    mesh->blocks[block].id[1] |= MO_LANE_SOME_DUPLICATED;
  }
  if (lane == 0) {
    mesh->blocks[block].id[0] |= MO_LANE_LAST_BLOCK;
  }
  if (mesh->triangle_places[reference->triangle] == MO_NONE) {
    mesh->triangle_places[reference->triangle] = block << 3 | lane;
  }
  mo_aabb box = reference->bounds;
  for (uint32_t parent = node << 3 | slot; parent != MO_NONE;
       parent = mesh->planes[parent >> 3].parent) {
    mo_bounds8 *bounds = &mesh->nodes[parent >> 3].bounds;
    mo_bounds8_set(bounds, (int)(parent & 7),
                   mo_aabb_union(mo_bounds8_get(bounds, (int)(parent & 7)), box));
  }
}

static void for_each_new_reference(insertion *in, visit_cell *visit) {
  for (in->current = 0; in->current < in->count; in->current++) {
    const mo_vec3 *corners = &in->corners[3 * (size_t)in->current];
    mo_cell_reference whole = {mo_aabb_of_corners(corners), in->first + in->current};
    const cell_search search = {in->mesh, corners, visit, in};
    for_each_touched_cell(&search, &whole, in->mesh->build.bounds, 0, 0);
  }
}

/* Reserves all memory that the insertion needs, so that it cannot fail midway. */
static bool reserve_memory(insertion *in) {
  mo_mesh *mesh = in->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  uint64_t duplicates = 0;
  for (uint32_t i = 0; i < in->count; i++) {
    duplicates += in->cells_touched[i] > 1 ? in->cells_touched[i] : 0;
  }
  return mo_array_reserve(allocator, &mesh->blocks, sizeof *mesh->blocks, mesh->block_count,
                          &mesh->block_capacity, count_new_blocks(in)) &&
         mo_array_reserve(allocator, &mesh->duplicates, sizeof *mesh->duplicates,
                          mesh->duplicate_count, &mesh->duplicate_capacity, duplicates);
}

mo_result mo_mesh_insert_into_cells(mo_mesh *mesh, const mo_vec3 *corners, uint32_t count,
                                    uint32_t first) {
  const mo_allocator *allocator = &mesh->host.allocator;
  size_t cells = (size_t)mesh->node_count * MO_LANE_COUNT;
  insertion in = {
      .mesh = mesh,
      .corners = corners,
      .count = count,
      .first = first,
      .references_gained = mo_allocate(allocator, cells, sizeof(uint32_t)),
      .cells_touched = mo_allocate(allocator, count, sizeof(uint32_t)),
  };
  mo_result result = MO_ERROR_OUT_OF_MEMORY;
  if (in.references_gained != NULL && in.cells_touched != NULL) {
    memset(in.references_gained, 0, cells * sizeof(uint32_t));
    memset(in.cells_touched, 0, count * sizeof(uint32_t));
    for_each_new_reference(&in, count_touched_cell);
    if (reserve_memory(&in)) {
      for_each_new_reference(&in, add_to_cell);
      result = MO_OK;
    }
  }
  mo_deallocate(allocator, in.references_gained, cells, sizeof(uint32_t));
  mo_deallocate(allocator, in.cells_touched, count, sizeof(uint32_t));
  return result;
}
