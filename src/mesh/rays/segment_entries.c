/* Choosing the segment entries of a mesh. */
#include "mesh/rays/segment_entries.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/format/read.h"

typedef struct subtree {
  uint32_t child;
  mo_aabb box;
  double gain; /* of opening it; -INFINITY if it cannot be */
} subtree;

static float largest_edge(mo_aabb box) {
  mo_vec3 size = mo_sub(box.upper, box.lower);
  return mo_max(mo_max(size.x, size.y), size.z);
}

/* The children of a node in place of `count` - 1 subtrees before; returns how many there are then,
 * or 0 if they exceed the capacity. */
static uint32_t add_children(const mo_mesh *mesh, uint32_t node, subtree *list, uint32_t count) {
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = mo_mesh_child(mesh, node, slot);
    if (child == MO_CHILD_EMPTY) {
      continue;
    }
    if (count == MO_BYTE_BOXES) {
      return 0;
    }
    list[count++] = (subtree){child, mo_mesh_child_box(mesh, node, slot), -INFINITY};
  }
  return count;
}

/* How likely a segment in any direction meets a box, and how likely its own box touches it: in
 * proportion to these volumes. `extent`: along an axis, on average. */
static double volume_met(double extent, mo_aabb box) {
  mo_dvec3 size = mo_dsub(mo_widen(box.upper), mo_widen(box.lower));
  return size.x * size.y * size.z + extent * (size.x * size.y + size.y * size.z + size.z * size.x);
}

static double volume_touched(double extent, mo_aabb box) {
  mo_dvec3 size = mo_dsub(mo_widen(box.upper), mo_widen(box.lower));
  return (size.x + extent) * (size.y + extent) * (size.z + extent);
}

/* How often a subtree is visited in vain, as the segment's box touches it although the segment
 * does not; a leaf, which takes longer than a node, counts twice. */
static double waste(double extent, const subtree *s) {
  double vain = volume_touched(extent, s->box) - volume_met(extent, s->box);
  return mo_child_is_leaf(s->child) ? 2.0 * vain : vain;
}

/* What it is worth to have the children in place of the subtree: its own visit, less theirs in
 * vain. */
static double gain_of_opening(const mo_mesh *mesh, double extent, const subtree *s) {
  if (mo_child_is_leaf(s->child)) {
    return -INFINITY;
  }
  subtree part[MO_WIDTH];
  uint32_t count = add_children(mesh, s->child, part, 0);
  double gain = volume_touched(extent, s->box);
  for (uint32_t i = 0; i < count; i++) {
    gain -= waste(extent, &part[i]);
  }
  return gain;
}

static void find_gains(const mo_mesh *mesh, double extent, subtree *list, uint32_t from,
                       uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    list[i].gain = gain_of_opening(mesh, extent, &list[i]);
  }
}

/* Opens the subtree that gains most by it, again and again, while the set has free capacity for
 * children. `*above`: how often those opened are met. */
static uint32_t choose(const mo_mesh *mesh, subtree *list, double extent, double *above) {
  uint32_t count = add_children(mesh, 0, list, 0);
  find_gains(mesh, extent, list, 0, count);
  *above = volume_met(extent, mesh->bounds);
  for (;;) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++) {
      best = list[i].gain > list[best].gain ? i : best;
    }
    if (!(list[best].gain > -INFINITY)) {
      return count;
    }
    subtree opened = list[best];
    list[best] = list[count - 1];
    uint32_t more = add_children(mesh, opened.child, list, count - 1);
    if (more == 0) {
      opened.gain = -INFINITY;
      list[count - 1] = opened;
      continue;
    }
    find_gains(mesh, extent, list, count - 1, more);
    count = more;
    *above += volume_met(extent, opened.box);
  }
}

/* Positions in cells, in double. */
static double cell(const mo_segment_entries *entries, int axis, double position) {
  return floor(position * (double)entries->scale[axis] - (double)entries->shift[axis]);
}

static uint8_t byte(double number) {
  return (uint8_t)(number < 0.0 ? 0.0 : number > 255.0 ? 255.0 : number);
}

/* A segment is no longer than the reach on any axis; so one that begins at more than four times the
 * reach, and less than 256 times, as those of the fast path do, hits nothing, whatever is found.
 * The margin of others (geometry/ray/init.h) is 5 * 2^-17 of the reach at most, times the slopes of
 * the transform that has brought them into the mesh's space, which are less than 2^2, so less than
 * 0.63 * 2^-12. There the ray is as it has been rounded, for the triangle test too, so that its
 * rounding needs no margin. 2^-12 leaves more than 2^-14 for the rounding of cells, which is less
 * than 2^-19: origin, shift and what is left of them are at most 5 times the reach in cells, and
 * five roundings of 2^-24 each. (Searches by hill climbing in the mesh's own space have found rays
 * that need 9 * 2^-24 of the reach for the one, and none that need more than 2^-24 for the other.)
 * No cell is beyond 2^28, and of those that matter none beyond 2^24. A segment is too short to meet
 * an empty box: that would take all cells on all axes. */
static void fill(const mo_mesh *mesh, const subtree *list, uint32_t count,
                 mo_segment_entries *entries) {
  memset(entries, 0, sizeof *entries);
  const float lower[3] = {mesh->bounds.lower.x, mesh->bounds.lower.y, mesh->bounds.lower.z};
  const float upper[3] = {mesh->bounds.upper.x, mesh->bounds.upper.y, mesh->bounds.upper.z};
  float reach = mo_max(mo_max(mesh->reach.x, mesh->reach.y), mesh->reach.z);
  float margin = 0x1p-12f * reach;
  float length = 0.5f * largest_edge(mesh->bounds);
  for (int axis = 0; axis < 3; axis++) {
    entries->scale[axis] = 252.0f / (upper[axis] - lower[axis] + 2.0f * margin);
    entries->shift[axis] = (lower[axis] - margin) * entries->scale[axis] - 1.25f;
    entries->length[axis] = length * entries->scale[axis];
  }
  memset(entries->boxes.lower, 255, sizeof entries->boxes.lower);
  for (uint32_t i = 0; i < count; i++) {
    const mo_aabb *box = &list[i].box;
    const float from[3] = {box->lower.x, box->lower.y, box->lower.z};
    const float to[3] = {box->upper.x, box->upper.y, box->upper.z};
    entries->child[i] = list[i].child;
    entries->leaves |= (uint64_t)mo_child_is_leaf(list[i].child) << i;
    for (int axis = 0; axis < 3; axis++) {
      entries->boxes.lower[axis][i] =
          byte(cell(entries, axis, (double)from[axis] - (double)margin));
      entries->boxes.upper[axis][i] = byte(cell(entries, axis, (double)to[axis] + (double)margin));
    }
  }
}

/* How many nodes fewer a segment a tenth of the mesh long has to visit from its entries, at
 * least, on average: those above the entries, less those below entries that it misses. That is much
 * where triangles are as long as the mesh or nodes overlap. */
#define MO_SEGMENT_ENTRIES_LEAST_SAVED 0.5

/* The subtrees to enter; none if they save too little. Few nodes are as quickly walked, and cells
 * must be numbers far from the ends of the range. */
static uint32_t plan(const mo_mesh *mesh, subtree *list) {
  float reach = mo_max(mo_max(mesh->reach.x, mesh->reach.y), mesh->reach.z);
  if (mesh->build.builder == MO_MESH_BUILDER_TOP_DOWN || mesh->deformation != NULL ||
      mesh->node_count < 4 || reach < 0x1p-60f || !(mesh->ray_limits.distance > 0.0f)) {
    return 0;
  }
  mo_dvec3 size = mo_dsub(mo_widen(mesh->bounds.upper), mo_widen(mesh->bounds.lower));
  double extent = 0.05 * sqrt(mo_ddot(size, size)), all = volume_touched(extent, mesh->bounds);
  double saved;
  uint32_t count = choose(mesh, list, extent, &saved);
  for (uint32_t i = 0; i < count; i++) {
    saved -= waste(extent, &list[i]);
  }
  return saved > MO_SEGMENT_ENTRIES_LEAST_SAVED * all ? count : 0;
}

mo_result mo_mesh_make_segment_entries(mo_mesh *mesh) {
  subtree list[MO_BYTE_BOXES];
  uint32_t count = plan(mesh, list);
  if (count == 0) {
    return MO_OK;
  }
  mesh->segment_entries = mo_allocate(&mesh->host.allocator, 1, sizeof *mesh->segment_entries);
  if (mesh->segment_entries == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  fill(mesh, list, count, mesh->segment_entries);
  return MO_OK;
}

void mo_mesh_destroy_segment_entries(mo_mesh *mesh) {
  mo_deallocate(&mesh->host.allocator, mesh->segment_entries, 1, sizeof *mesh->segment_entries);
}

bool mo_mesh_segment_entries_are_sound(const mo_mesh *mesh) {
  subtree list[MO_BYTE_BOXES];
  uint32_t count = plan(mesh, list);
  if (mesh->segment_entries == NULL || count == 0) {
    return mesh->segment_entries == NULL && count == 0;
  }
  mo_segment_entries made;
  fill(mesh, list, count, &made);
  return memcmp(&made, mesh->segment_entries, sizeof made) == 0;
}
