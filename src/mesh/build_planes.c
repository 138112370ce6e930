/* The default builder: nested irregular planes, top down, by surface-area heuristic.
 *
 * A node takes its references through up to seven binary cuts: one plane, one per half, one per
 * quarter. A cut assigns whole references by their centres, or (split builder) cuts straddling
 * references in two where that is cheaper. A cut that does not pay is left out, so that a small
 * cell stays whole; one that separates nothing is refused, however many references there are. */
#include <string.h>

#include "mesh/build.h"

/* References [begin, begin + count) of the working array; duplicates may use it up to `limit`. */
typedef struct segment {
  uint32_t begin, count, limit;
} segment;

/* Cutting references is tried where the two sides of a cut by centres share this much of the root's
 * area. A smaller value (the paper has 1e-5) builds much longer and saves hardly a visit. */
#define LEAST_SHARED 1e-3

typedef struct plane_builder {
  mo_builder *builder;
  mo_reference *references;
  uint32_t bins;
  bool split;          /* may cut references */
  double least_shared; /* half area that sides must share before cutting is tried */
} plane_builder;

static mo_aabb segment_bounds(const plane_builder *b, segment s) {
  mo_aabb box = mo_aabb_empty();
  for (uint32_t i = 0; i < s.count; i++) {
    box = mo_aabb_union(box, b->references[s.begin + i].bounds);
  }
  return box;
}

/* Whole references by their centres; how many are left. */
static uint32_t partition_by_centre(mo_reference *references, uint32_t count,
                                    const mo_split *split) {
  uint32_t left = 0, right = count;
  while (left < right) {
    if (mo_sah_side(&references[left], split->axis, split->position) == 0) {
      left++;
    } else {
      mo_reference swap = references[--right];
      references[right] = references[left];
      references[left] = swap;
    }
  }
  return left;
}

/* Gives both sides of a cut segment room for duplicates in proportion to what they hold. */
static void share_room(mo_reference *references, segment whole, uint32_t left_count, segment *left,
                       segment *right) {
  uint32_t right_count = whole.count - left_count;
  uint64_t spare = whole.limit - (whole.begin + whole.count);
  uint32_t left_spare = (uint32_t)(spare * left_count / whole.count);
  uint32_t middle = whole.begin + left_count + left_spare;
  if (left_spare > 0) {
    memmove(&references[middle], &references[whole.begin + left_count],
            right_count * sizeof *references);
  }
  *left = (segment){whole.begin, left_count, middle};
  *right = (segment){middle, right_count, whole.limit};
}

/* Cuts a segment where it pays; false if it should stay whole. */
static bool cut(const plane_builder *b, segment s, float *position, uint8_t *axis, segment *left,
                segment *right) {
  const mo_mesh_build_options *options = &b->builder->mesh->build;
  mo_reference *references = &b->references[s.begin];
  if (s.count < 2) {
    return false;
  }
  mo_split split = mo_sah_by_centre(references, s.count, b->bins);
  mo_spatial_split spatial = {.split = {.axis = MO_SAH_NONE, .cost = INFINITY}};
  uint32_t spare = s.limit - (s.begin + s.count);
  if (b->split && spare > 0 && (split.axis == MO_SAH_NONE || split.shared > b->least_shared)) {
    /* Small segments are cut where half the bins would cut them. */
    uint32_t bins = s.count < 64 ? b->bins / 2 : b->bins;
    spatial = mo_find_spatial_split(b->builder, references, s.count, bins, spare);
  }
  bool cuts_references = spatial.split.cost < split.cost;
  double cost = cuts_references ? spatial.split.cost : split.cost;
  double whole_cost = mo_aabb_half_area(segment_bounds(b, s)) * mo_sah_blocks(s.count);
  if ((!cuts_references && split.axis == MO_SAH_NONE) ||
      (s.count <= options->leaf_capacity && cost >= whole_cost)) {
    return false;
  }
  uint32_t left_count;
  if (cuts_references) {
    *axis = (uint8_t)spatial.split.axis;
    *position = spatial.split.position;
    left_count = mo_apply_spatial_split(b->builder, references, &s.count, spare, &spatial);
  } else {
    *axis = (uint8_t)split.axis;
    *position = split.position;
    left_count = partition_by_centre(references, s.count, &split);
  }
  if (left_count == 0 || left_count == s.count) {
    return false;
  }
  share_room(b->references, s, left_count, left, right);
  return true;
}

/* Takes a segment through nested plane k and those below it. */
static void cut_nested(const plane_builder *b, segment s, uint32_t k, mo_mesh_planes *planes,
                       segment cells[MO_WIDTH]) {
  if (k >= MO_WIDTH) {
    cells[k - MO_WIDTH] = s;
    return;
  }
  segment left = s, right = {s.limit, 0, s.limit};
  if (!cut(b, s, &planes->position[k], &planes->axis[k], &left, &right)) {
    planes->axis[k] = MO_NO_AXIS;
  }
  cut_nested(b, left, 2 * k, planes, cells);
  cut_nested(b, right, 2 * k + 1, planes, cells);
}

static void build_node(const plane_builder *b, segment s, uint32_t parent, uint32_t depth) {
  mo_mesh *mesh = b->builder->mesh;
  uint32_t index = mo_builder_add_node(b->builder, parent, depth);
  if (index == MO_NONE) {
    return;
  }
  if (parent != MO_NONE) {
    mesh->nodes[parent >> 3].child[parent & 7] = index;
  }
  segment cells[MO_WIDTH];
  mo_mesh_planes planes = mesh->planes[index];
  cut_nested(b, s, 1, &planes, cells);
  mesh->planes[index] = planes;
  bool refused = planes.axis[1] == MO_NO_AXIS;
  for (uint32_t slot = 0; slot < MO_WIDTH && b->builder->result == MO_OK; slot++) {
    segment cell = cells[slot];
    if (cell.count == 0) {
      continue;
    }
    if (refused || cell.count <= mesh->build.leaf_capacity || depth + 1 >= mesh->build.max_depth) {
      mo_builder_add_leaf(b->builder, index, slot, &b->references[cell.begin], cell.count);
      continue;
    }
    mo_bounds8_set(&mesh->nodes[index].bounds, (int)slot, segment_bounds(b, cell));
    build_node(b, cell, index << 3 | slot, depth + 1);
  }
}

void mo_build_by_planes(mo_builder *builder) {
  mo_mesh *mesh = builder->mesh;
  static const uint32_t bins[] = {
      [MO_MESH_QUALITY_FAST] = 8, [MO_MESH_QUALITY_DEFAULT] = 16, [MO_MESH_QUALITY_HIGH] = 32};
  bool split = mesh->build.builder == MO_MESH_BUILDER_SPLIT;
  double budget = split ? (double)mesh->build.duplicate_budget * mesh->triangle_count : 0.0;
  uint64_t capacity = mesh->triangle_count + (uint64_t)budget;
  if (capacity > MO_MAX_TRIANGLES) {
    capacity = MO_MAX_TRIANGLES;
  }
  plane_builder b = {
      .builder = builder,
      .references = mo_allocate(&mesh->host.allocator, (size_t)capacity, sizeof(mo_reference)),
      .bins = bins[mesh->build.quality],
      .split = split,
      .least_shared = LEAST_SHARED * mo_aabb_half_area(mesh->bounds),
  };
  if (b.references == NULL) {
    builder->result = MO_ERROR_OUT_OF_MEMORY;
    return;
  }
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    b.references[i] = (mo_reference){mo_builder_triangle_bounds(builder, i), i};
  }
  build_node(&b, (segment){0, mesh->triangle_count, (uint32_t)capacity}, MO_NONE, 0);
  mo_deallocate(&mesh->host.allocator, b.references, (size_t)capacity, sizeof(mo_reference));
}
