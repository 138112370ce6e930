/* The quantised bounds of a node's children in one cache line, for trees that should take little
 * memory.
 *
 * Each node has its own grid, and each side of a box is an 8-bit number on it: origin + number *
 * scale, with one scale per axis that is a power of two. So the product is exact, and the sum is
 * rounded once, with the same result on every platform, fused or not. The grid begins at the lower
 * corner of the node's box. Each side is the closest grid position for which the decoded box
 * contains the exact one, so culling stays conservative. All other code uses the decoded boxes. See
 * Mahovsky and Wyvill, "Memory-Conserving Bounding Volume Hierarchies with Coherent Raytracing"
 * (2006), and Ylitalo, Karras and Laine, "Efficient Incoherent Ray Traversal on GPUs Through
 * Compressed Wide BVHs" (2017).
 *
 * A decoded side exceeds the exact one by less than a step of the grid, which is less than a 127th
 * of the grid's size (or 2^-126). So coordinates exceed the reach of the tree (geometry/ray/ray.h)
 * by less than a 63rd of it, which the margins of all culling tests cover.
 *
 * If boxes are small relative to their distance from the origin, grid steps are smaller than the
 * spacing of floats there, and several numbers decode to the same coordinate. An empty box has its
 * lower sides at the upper end of the grid and its upper sides at the lower end. A ray that passes
 * a tiny grid within its margin may still hit such a box, so the content of a slot without a child
 * must be safe to visit. */
#ifndef MO_OCTREE_COMPACT_H
#define MO_OCTREE_COMPACT_H

#include <string.h>

#include "octree/cull.h"

enum { MO_GRID_MAX = 255 }; /* the largest number on the grid */

typedef struct mo_compact_boxes8 {
  alignas(MO_ALIGNMENT) float origin[3]; /* the lower corner of the grid */
  uint8_t exponent[3];             /* biased exponents of the scales, as in a float: 1 to 254 */
  uint8_t spare_byte;              /* free for other data of the node */
  uint8_t side[6 * MO_LANE_COUNT]; /* one byte per side, in the order of the rows of mo_bounds8 */
} mo_compact_boxes8;

_Static_assert(sizeof(mo_compact_boxes8) == 64, "one cache line");

/* Quantises eight boxes; sets all members except `spare_byte`. */
void mo_compact_set(mo_compact_boxes8 *compact, const mo_bounds8 *bounds);

/* Whether mo_compact_set may have made this grid; for validation. */
bool mo_compact_is_sound(const mo_compact_boxes8 *compact);

static inline float mo_compact_scale(const mo_compact_boxes8 *compact, int axis) {
  uint32_t bits = (uint32_t)compact->exponent[axis] << 23;
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

/* Decodes one side of a box. `row` is the offset of a row of sides in floats, as in mo_ray_lanes:
 * (axis + 3 * upper) * MO_LANE_COUNT. */
static inline float mo_compact_side(const mo_compact_boxes8 *compact, int axis, size_t row,
                                    uint32_t slot) {
  return compact->origin[axis] + (float)compact->side[row + slot] * mo_compact_scale(compact, axis);
}

/* Decodes one box. */
static inline mo_aabb mo_compact_get(const mo_compact_boxes8 *compact, uint32_t slot) {
  float lower[3], upper[3];
  for (int axis = 0; axis < 3; axis++) {
    lower[axis] = mo_compact_side(compact, axis, (size_t)axis * MO_LANE_COUNT, slot);
    upper[axis] = mo_compact_side(compact, axis, (size_t)(axis + 3) * MO_LANE_COUNT, slot);
  }
  return (mo_aabb){{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
}

/* The grid broadcast to lanes, to decode eight sides at a time. */
typedef struct mo_grid_lanes {
  mo_f8 origin[3], scale[3];
} mo_grid_lanes;

static inline mo_grid_lanes mo_compact_grid(const mo_compact_boxes8 *compact) {
  mo_grid_lanes grid;
  for (int axis = 0; axis < 3; axis++) {
    grid.origin[axis] = mo_f8_splat(compact->origin[axis]);
    grid.scale[axis] = mo_f8_splat(mo_compact_scale(compact, axis));
  }
  return grid;
}

/* Decodes a row of eight sides. */
static inline mo_f8 mo_compact_row(const mo_compact_boxes8 *compact, const mo_grid_lanes *grid,
                                   int axis, size_t row) {
  return mo_f8_mul_add_exact(mo_f8_load_bytes(compact->side + row), grid->scale[axis],
                             grid->origin[axis]);
}

/* Decodes all eight boxes. */
static inline void mo_compact_expand(const mo_compact_boxes8 *compact, mo_bounds8 *bounds) {
  mo_grid_lanes grid = mo_compact_grid(compact);
  for (int axis = 0; axis < 3; axis++) {
    size_t row = (size_t)axis * MO_LANE_COUNT;
    mo_f8_store(bounds->lower[axis], mo_compact_row(compact, &grid, axis, row));
    mo_f8_store(bounds->upper[axis], mo_compact_row(compact, &grid, axis, row + 3 * MO_LANE_COUNT));
  }
}

static inline mo_ray_slabs mo_ray_slab_test_compact(const mo_ray_lanes *ray,
                                                    const mo_compact_boxes8 *compact, mo_f8 max_t) {
  mo_grid_lanes grid = mo_compact_grid(compact);
  mo_f8 enter[3], leave[3];
  for (int axis = 0; axis < 3; axis++) {
    enter[axis] = mo_compact_row(compact, &grid, axis, ray->enter[axis]);
    leave[axis] = mo_compact_row(compact, &grid, axis, ray->leave[axis]);
  }
  return mo_ray_slab_test_rows(ray, enter, leave, max_t);
}

#endif
