/* Chooses the segment entries of a mesh: the subtrees at which short segments begin. */
#include "mesh/rays/segment_entries.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/format/read.h"

typedef struct subtree {
  uint32_t child;
  mo_aabb box;
  double gain; /* gain of replacing the subtree by its children; -INFINITY if impossible */
} subtree;

static double diagonal_length(mo_aabb box) {
  mo_dvec3 size = mo_dsub(mo_widen(box.upper), mo_widen(box.lower));
  return sqrt(mo_ddot(size, size));
}

/* Appends the children of a node to a list of `count` subtrees; returns the new count, or 0 if it
 * exceeds the capacity. */
static uint32_t add_children(const mo_mesh *mesh, uint32_t node, subtree *list, uint32_t count) {
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = mo_mesh_child(mesh, node, slot);
    if (child == MO_CHILD_EMPTY) {
      continue;
    }
    if (count == MO_BYTE_BOX_COUNT) {
      return 0;
    }
    list[count++] = (subtree){child, mo_mesh_child_box(mesh, node, slot), -INFINITY};
  }
  return count;
}

/* Two volumes for a random segment of mean extent `extent` along each axis. The first is
 * proportional to the probability that it hits a box, the second to the probability that the
 * segment's own box touches that box. */
static double segment_hit_volume(double extent, mo_aabb box) {
  mo_dvec3 size = mo_dsub(mo_widen(box.upper), mo_widen(box.lower));
  return size.x * size.y * size.z + extent * (size.x * size.y + size.y * size.z + size.z * size.x);
}

static double box_touch_volume(double extent, mo_aabb box) {
  mo_dvec3 size = mo_dsub(mo_widen(box.upper), mo_widen(box.lower));
  return (size.x + extent) * (size.y + extent) * (size.z + extent);
}

/* The expected number of useless visits of a subtree: the segment's box touches it, but the segment
 * does not. A leaf takes longer than a node, so it counts twice. */
static double wasted_visits(double extent, const subtree *s) {
  double vain = box_touch_volume(extent, s->box) - segment_hit_volume(extent, s->box);
  return mo_child_is_leaf(s->child) ? 2.0 * vain : vain;
}

/* The gain of replacing a subtree by its children: the visits to the subtree, minus the vain visits
 * to the children. */
static double gain_of_expanding(const mo_mesh *mesh, double extent, const subtree *s) {
  if (mo_child_is_leaf(s->child)) {
    return -INFINITY;
  }
  subtree part[MO_LANE_COUNT];
  uint32_t count = add_children(mesh, s->child, part, 0);
  double gain = box_touch_volume(extent, s->box);
  for (uint32_t i = 0; i < count; i++) {
    gain -= wasted_visits(extent, &part[i]);
  }
  return gain;
}

static void set_gains(const mo_mesh *mesh, double extent, subtree *list, uint32_t from,
                      uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    list[i].gain = gain_of_expanding(mesh, extent, &list[i]);
  }
}

/* Chooses the entry set: repeatedly replaces the subtree with the largest gain by its children,
 * while there is capacity for them. `*above` receives how often the replaced nodes are hit. */
static uint32_t choose_subtrees(const mo_mesh *mesh, subtree *list, double extent, double *above) {
  uint32_t count = add_children(mesh, 0, list, 0);
  set_gains(mesh, extent, list, 0, count);
  *above = segment_hit_volume(extent, mesh->bounds);
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
    set_gains(mesh, extent, list, count - 1, more);
    count = more;
    *above += segment_hit_volume(extent, opened.box);
  }
}

/* Segments begin at the entry set if their extent along each axis is at most this share of the
 * mesh's diagonal. Longer segments meet so many leaves that it pays to visit these front to back,
 * and to stop at the first hit. Measured on 17 meshes: both are equally fast for segments of 0.15
 * of the diagonal, and the entry set takes up to a third longer at 0.3. */
#define MO_SEGMENT_MAX_LENGTH_PER_DIAGONAL 0.125

/* The number of the grid cell that a coordinate lies in, not clamped to 0..255. */
static double cell_of(const mo_segment_entry_points *entries, int axis, double position) {
  return floor(position * (double)entries->scale[axis] - (double)entries->shift[axis]);
}

static uint8_t clamp_to_byte(double number) {
  return (uint8_t)(number < 0.0 ? 0.0 : number > 255.0 ? 255.0 : number);
}

/* Fills the entry set. The boxes of subtrees get a margin of 2^-12 of the reach, which suffices: A
 * segment is no longer than the reach on any axis. So a segment that begins at more than four times
 * the reach (and at less than 256 times, as on the fast path) hits nothing, whichever subtrees are
 * found. The ray margin of all other segments (geometry/ray/init.h) is at most 5 * 2^-17 of the
 * reach, times the slopes of the transform into the mesh's space, which are less than 2^2: together
 * less than 0.63 * 2^-12. In that space the triangle test uses the same rounded ray, so its
 * rounding needs no margin. 2^-12 leaves more than 2^-14 for the rounding of cells, which is less
 * than 2^-19: origin, shift and their difference are at most 5 times the reach in cells, with five
 * roundings of 2^-24 each. (Searches by hill climbing in the mesh's own space have found rays that
 * need 9 * 2^-24 of the reach for the ray margin, and none that need more than 2^-24 for the
 * cells.) No cell is beyond 2^28, and no cell that matters is beyond 2^24. A segment is too short
 * to hit an empty box: it would have to cover all cells on all axes. */
static void fill_entries(const mo_mesh *mesh, const subtree *list, uint32_t count,
                         mo_segment_entry_points *entries) {
  memset(entries, 0, sizeof *entries);
  float reach = mo_max(mo_max(mesh->reach.x, mesh->reach.y), mesh->reach.z);
  float margin = 0x1p-12f * reach;
  float length = (float)(MO_SEGMENT_MAX_LENGTH_PER_DIAGONAL * diagonal_length(mesh->bounds));
  for (int axis = 0; axis < 3; axis++) {
    const float lower = mo_get(mesh->bounds.lower, axis), upper = mo_get(mesh->bounds.upper, axis);
    entries->scale[axis] = 252.0f / (upper - lower + 2.0f * margin);
    entries->shift[axis] = (lower - margin) * entries->scale[axis] - 1.25f;
    entries->length[axis] = length * entries->scale[axis];
  }
  memset(entries->boxes.lower, 255, sizeof entries->boxes.lower);
  for (uint32_t i = 0; i < count; i++) {
    const mo_aabb *box = &list[i].box;
    entries->child[i] = list[i].child;
    entries->leaf_subtrees |= (uint64_t)mo_child_is_leaf(list[i].child) << i;
    for (int axis = 0; axis < 3; axis++) {
      entries->boxes.lower[axis][i] =
          clamp_to_byte(cell_of(entries, axis, (double)mo_get(box->lower, axis) - (double)margin));
      entries->boxes.upper[axis][i] =
          clamp_to_byte(cell_of(entries, axis, (double)mo_get(box->upper, axis) + (double)margin));
    }
  }
}

/* A mesh gets an entry set if it saves at least this many node visits, on average over segments a
 * tenth of the mesh long. Saved are the visits above the entries, minus vain visits to entries that
 * the segment misses. These are many if triangles are as long as the mesh, or nodes overlap. */
#define MO_SEGMENT_ENTRY_POINTS_MIN_SAVED_VISITS 0.5

/* Chooses the subtrees of the entry set; returns 0 if they would save too little. None for meshes
 * of few nodes, which are traversed as fast from the root, or whose cell coordinates come near the
 * limits of floats. */
static uint32_t plan_entries(const mo_mesh *mesh, subtree *list) {
  float reach = mo_max(mo_max(mesh->reach.x, mesh->reach.y), mesh->reach.z);
  const bool changes = mesh->build.builder == MO_MESH_BUILDER_TOP_DOWN || mesh->build.editable ||
                       mesh->deformation != NULL || mesh->height != NULL;
  if (changes || mesh->node_count < 4 || reach < 0x1p-60f || !(mesh->ray_limits.distance > 0.0f)) {
    return 0;
  }
  double extent = 0.05 * diagonal_length(mesh->bounds),
         all = box_touch_volume(extent, mesh->bounds);
  double saved;
  uint32_t count = choose_subtrees(mesh, list, extent, &saved);
  for (uint32_t i = 0; i < count; i++) {
    saved -= wasted_visits(extent, &list[i]);
  }
  return saved > MO_SEGMENT_ENTRY_POINTS_MIN_SAVED_VISITS * all ? count : 0;
}

mo_result mo_mesh_make_segment_entry_points(mo_mesh *mesh) {
  subtree list[MO_BYTE_BOX_COUNT];
  uint32_t count = plan_entries(mesh, list);
  if (count == 0) {
    return MO_OK;
  }
  mesh->segment_entry_points =
      mo_allocate(&mesh->host.allocator, 1, sizeof *mesh->segment_entry_points);
  if (mesh->segment_entry_points == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  fill_entries(mesh, list, count, mesh->segment_entry_points);
  return MO_OK;
}

void mo_mesh_destroy_segment_entry_points(mo_mesh *mesh) {
  mo_deallocate(&mesh->host.allocator, mesh->segment_entry_points, 1,
                sizeof *mesh->segment_entry_points);
}

bool mo_mesh_segment_entry_points_are_current(const mo_mesh *mesh) {
  subtree list[MO_BYTE_BOX_COUNT];
  uint32_t count = plan_entries(mesh, list);
  if (mesh->segment_entry_points == NULL || count == 0) {
    return mesh->segment_entry_points == NULL && count == 0;
  }
  mo_segment_entry_points made;
  fill_entries(mesh, list, count, &made);
  return memcmp(&made, mesh->segment_entry_points, sizeof made) == 0;
}
