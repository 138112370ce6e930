/* Converts a built mesh from the full to the compact format, and reads rarely used data of compact
 * meshes. */
#include "mesh/format/compact.h"

#include "base/tasks.h"
#include "mesh/format/read.h"

/* How a triangle block will be packed. */
typedef struct block_plan {
  uint32_t vertex_nibbles[3]; /* as in mo_compact_block */
  uint32_t vertex_count;      /* above MO_BLOCK_MAX_VERTICES the block is not packed */
  uint32_t first; /* index of the block's first unit; until assign_units_to_blocks, its number of
                     units */
} block_plan;

static inline uint32_t bits_of(float a) {
  uint32_t bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}

/* Finds the distinct vertices among the corners, compared bit for bit. Empty lanes repeat lane 0,
 * in the full format too, so they add no vertices. */
static void plan_block(const mo_triangle_block *block, block_plan *plan) {
  uint64_t xy[3 * MO_LANE_COUNT];
  uint32_t z[3 * MO_LANE_COUNT], count = 0;
  memset(plan, 0, sizeof *plan);
  for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
    for (uint32_t i = 0; i < 3; i++) {
      uint64_t own_xy =
          bits_of(block->corner[i][0][lane]) | (uint64_t)bits_of(block->corner[i][1][lane]) << 32;
      uint32_t own_z = bits_of(block->corner[i][2][lane]), v = 0;
      while (v < count && (xy[v] != own_xy || z[v] != own_z)) {
        v++;
      }
      xy[v] = own_xy;
      z[v] = own_z;
      count += v == count;
      plan->vertex_nibbles[i] |= (v & 15) << (4 * lane);
    }
  }
  plan->vertex_count = count;
  plan->first = count > MO_BLOCK_MAX_VERTICES ? (uint32_t)(sizeof *block / MO_UNIT_BYTES)
                                              : mo_units_for_vertices(count);
}

static void write_block(const mo_triangle_block *block, const block_plan *plan,
                        mo_compact_unit *to) {
  if (plan->vertex_count > MO_BLOCK_MAX_VERTICES) {
    mo_triangle_block *whole = (void *)to;
    *whole = *block;
    whole->id[3] |= MO_LANE_UNPACKED;
    return;
  }
  mo_compact_block *compact = (void *)to;
  memset(to, 0, mo_units_for_vertices(plan->vertex_count) * sizeof *to);
  memcpy(compact->id, block->id, sizeof compact->id);
  memcpy(compact->vertex_nibbles, plan->vertex_nibbles, sizeof compact->vertex_nibbles);
  compact->vertex_count = plan->vertex_count;
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
      float *x = compact->x + (plan->vertex_nibbles[i] >> (4 * lane) & 15);
      for (uint32_t axis = 0; axis < 3; axis++) {
        x[axis * plan->vertex_count] = block->corner[i][axis][lane];
      }
    }
  }
}

/* Writes the empty leaf (MO_CHILD_EMPTY_LEAF) that all slots without a child refer to. */
static void write_empty_leaf(mo_compact_unit *to) {
  mo_triangle_block none;
  block_plan plan;
  memset(&none, 0, sizeof none);
  for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
    none.id[lane] = MO_LANE_EMPTY;
  }
  none.id[0] |= MO_LANE_LAST_BLOCK;
  plan_block(&none, &plan);
  write_block(&none, &plan, to);
}

enum { EMPTY_LEAF_UNITS = 2, BLOCKS_PER_TASK = 512 };

/* A mesh that is being converted to the compact format. */
typedef struct compact_conversion {
  mo_mesh *mesh;
  block_plan *plans; /* one per block */
  mo_compact_node *nodes;
  mo_compact_unit *units;
} compact_conversion;

static void plan_blocks(uint32_t index, void *context) {
  compact_conversion *p = context;
  uint32_t begin = index * BLOCKS_PER_TASK, count = p->mesh->block_count - begin;
  for (uint32_t i = 0; i < count && i < BLOCKS_PER_TASK; i++) {
    plan_block(&p->mesh->blocks[begin + i], &p->plans[begin + i]);
  }
}

static void write_blocks(uint32_t index, void *context) {
  compact_conversion *p = context;
  uint32_t begin = index * BLOCKS_PER_TASK, count = p->mesh->block_count - begin;
  for (uint32_t i = 0; i < count && i < BLOCKS_PER_TASK; i++) {
    const block_plan *plan = &p->plans[begin + i];
    write_block(&p->mesh->blocks[begin + i], plan, &p->units[plan->first]);
  }
}

static void write_node(const compact_conversion *p, uint32_t n) {
  const mo_mesh_node *node = &p->mesh->nodes[n];
  const mo_mesh_planes *planes = &p->mesh->planes[n];
  mo_compact_node *to = &p->nodes[n];
  mo_compact_set(&to->box, &node->bounds);
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = node->child[slot];
    to->child[slot] = child == MO_CHILD_EMPTY ? MO_CHILD_EMPTY_LEAF
                      : mo_child_is_leaf(child)
                          ? MO_CHILD_LEAF | p->plans[mo_child_index(child)].first
                          : child;
  }
  memcpy(to->order, node->order, sizeof to->order);
  to->any_hit_order = node->any_hit_order;
  to->parent = planes->parent;
  uint32_t axes = 0;
  memset(to->sides, 0, sizeof to->sides);
  for (uint32_t plane = 0; plane < planes->nested.count; plane++) {
    to->sides[plane] = planes->nested.sides[plane];
    axes |= (uint32_t)planes->nested.axis[plane] << (2 * plane);
  }
  to->box.spare_byte = (uint8_t)axes;
  to->plane_axes = (uint8_t)(axes >> 8);
}

/* Replaces the number of units of each block by its first unit (a prefix sum); returns the
 * total. */
static uint64_t assign_units_to_blocks(const compact_conversion *p) {
  uint64_t units = EMPTY_LEAF_UNITS;
  for (uint32_t b = 0; b < p->mesh->block_count; b++) {
    uint32_t count = p->plans[b].first;
    p->plans[b].first = (uint32_t)units; /* unused if there are too many units for 32 bits */
    units += count;
  }
  return units;
}

static void free_full_format(mo_mesh *mesh) {
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_deallocate(allocator, mesh->nodes, mesh->node_capacity, sizeof *mesh->nodes);
  mo_deallocate(allocator, mesh->planes, mesh->planes_capacity, sizeof *mesh->planes);
  mo_deallocate(allocator, mesh->blocks, mesh->block_capacity, sizeof *mesh->blocks);
  mesh->nodes = NULL;
  mesh->planes = NULL;
  mesh->blocks = NULL;
  mesh->node_capacity = mesh->planes_capacity = mesh->block_capacity = 0;
}

static mo_result pack_mesh(compact_conversion *p) {
  mo_mesh *mesh = p->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  uint32_t pieces = (mesh->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK;
  mo_tasks_run(&mesh->host, pieces, plan_blocks, p);
  uint64_t units = assign_units_to_blocks(p);
  if (units > MO_NONE >> 3) { /* a triangle's place is unit << 3 | lane */
    return MO_ERROR_TOO_MANY;
  }
  uint32_t count = (uint32_t)units + MO_PADDING_UNITS;
  p->nodes = mo_allocate(allocator, mesh->node_count, sizeof *p->nodes);
  p->units = mo_allocate(allocator, count, sizeof *p->units);
  if (p->nodes == NULL || p->units == NULL) {
    mo_deallocate(allocator, p->nodes, mesh->node_count, sizeof *p->nodes);
    mo_deallocate(allocator, p->units, count, sizeof *p->units);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  write_empty_leaf(p->units);
  memset(p->units + units, 0, MO_PADDING_UNITS * sizeof *p->units);
  mo_tasks_run(&mesh->host, pieces, write_blocks, p);
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    write_node(p, n);
  }
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mo_triangle_place place = mesh->triangle_places[t];
    mesh->triangle_places[t] = p->plans[place >> 3].first << 3 | (place & 7);
  }
  free_full_format(mesh);
  mesh->compact_nodes = p->nodes;
  mesh->units = p->units;
  mesh->unit_count = count;
  mesh->format = MO_MESH_COMPACT;
  return MO_OK;
}

mo_result mo_mesh_make_compact(mo_mesh *mesh) {
  compact_conversion p = {.mesh = mesh};
  p.plans = mo_allocate(&mesh->host.allocator, mesh->block_count, sizeof *p.plans);
  if (p.plans == NULL && mesh->block_count > 0) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  mo_result result = pack_mesh(&p);
  mo_deallocate(&mesh->host.allocator, p.plans, mesh->block_count, sizeof *p.plans);
  return result;
}

void mo_compact_destroy(mo_mesh *mesh) {
  const mo_allocator *allocator = &mesh->host.allocator;
  if (mesh->format == MO_MESH_COMPACT) {
    mo_deallocate(allocator, mesh->compact_nodes, mesh->node_count, sizeof *mesh->compact_nodes);
    mo_deallocate(allocator, mesh->units, mesh->unit_count, sizeof *mesh->units);
  }
}

size_t mo_compact_bytes(const mo_mesh *mesh) {
  return mesh->format != MO_MESH_COMPACT ? 0
                                         : mesh->node_count * sizeof *mesh->compact_nodes +
                                               mesh->unit_count * sizeof *mesh->units;
}

void mo_compact_corners_at(const mo_mesh *mesh, mo_triangle_place place, mo_vec3 corners[3]) {
  const mo_compact_block *block = mo_compact_block_at(mesh->units, place >> 3);
  uint32_t lane = place & 7;
  if (mo_compact_is_unpacked(block)) {
    mo_block_triangle((const void *)block, lane, corners);
    return;
  }
  for (int i = 0; i < 3; i++) {
    const float *x = block->x + (block->vertex_nibbles[i] >> (4 * lane) & 15);
    corners[i] = mo_vec(x[0], x[block->vertex_count], x[2 * block->vertex_count]);
  }
}

/* The coordinate to which the boxes on one side of a split plane reach along its axis. */
static float box_end_at_plane_side(const mo_mesh *mesh, uint32_t node,
                                   const mo_nested_planes *planes, uint32_t side, int axis,
                                   bool upper) {
  if (side < MO_LANE_COUNT) {
    mo_aabb box = mo_mesh_child_box(mesh, node, side);
    return mo_get(upper ? box.upper : box.lower, axis);
  }
  uint32_t plane = side - MO_LANE_COUNT;
  float a = box_end_at_plane_side(mesh, node, planes, mo_nested_planes_side(planes, plane, 0), axis,
                                  upper);
  float b = box_end_at_plane_side(mesh, node, planes, mo_nested_planes_side(planes, plane, 1), axis,
                                  upper);
  return upper ? mo_max(a, b) : mo_min(a, b);
}

/* The position of a split plane: midway between the boxes of its two sides. If one side is empty,
 * at the end of the other; if both are empty, 0. */
static float plane_position(const mo_mesh *mesh, uint32_t node, const mo_nested_planes *planes,
                            uint32_t plane) {
  int axis = planes->axis[plane];
  float below = box_end_at_plane_side(mesh, node, planes, mo_nested_planes_side(planes, plane, 0),
                                      axis, true);
  float above = box_end_at_plane_side(mesh, node, planes, mo_nested_planes_side(planes, plane, 1),
                                      axis, false);
  if (isfinite(below) && isfinite(above)) {
    return 0.5f * below + 0.5f * above;
  }
  return isfinite(below) ? below : isfinite(above) ? above : 0.0f;
}

mo_nested_planes mo_mesh_nested_planes(const mo_mesh *mesh, uint32_t node) {
  if (mesh->format == MO_MESH_FULL) {
    return mesh->planes[node].nested;
  }
  if (mesh->format == MO_MESH_HEIGHT) {
    return mo_height_nested_planes(mesh->height, node);
  }
  const mo_compact_node *n = &mesh->compact_nodes[node];
  uint32_t axes = n->box.spare_byte | (uint32_t)n->plane_axes << 8;
  mo_nested_planes planes;
  memset(&planes, 0, sizeof planes);
  while (planes.count < MO_LANE_COUNT - 1 && n->sides[planes.count] != 0) {
    planes.axis[planes.count] = (uint8_t)(axes >> (2 * planes.count) & 3);
    planes.sides[planes.count] = n->sides[planes.count];
    planes.count++;
  }
  for (uint32_t plane = 0; plane < planes.count; plane++) {
    planes.position[plane] = plane_position(mesh, node, &planes, plane);
  }
  return planes;
}
