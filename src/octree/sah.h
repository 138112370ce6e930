/* The surface-area heuristic (SAH): finds the plane that separates boxes best.
 *
 * A random line that hits a convex cell hits a convex part of it with a probability equal to the
 * ratio of their surface areas. The cost of splitting a cell is thus area(left) * work(left) +
 * area(right) * work(right), where the work of n items is the number of blocks of eight that they
 * fill. Candidates are the borders of equal bins of the items' centres (MacDonald and Booth 1990;
 * Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007).
 *
 * Minimum, maximum and addition of counts do not depend on the order, and partitions are stable, so
 * the work may be divided among threads in any way. */
#ifndef MO_OCTREE_SAH_H
#define MO_OCTREE_SAH_H

#include "math/aabb.h"
#include "math/four.h"
#include "octree/node.h"

/* A box in vector registers, as builders use it. Unions of boxes ignore the fourth lanes. */
typedef struct mo_simd_box {
  mo_f4 lower, upper;
} mo_simd_box;

/* A reference to a triangle: the bounds of the triangle, or of the part that the reference stands
 * for. The fourth lanes have the triangle's index (mo_sah_item_index) and area
 * (mo_sah_item_area). */
typedef mo_simd_box mo_sah_item;

static inline mo_simd_box mo_simd_box_empty(void) {
  return (mo_simd_box){mo_f4_splat(INFINITY), mo_f4_splat(-INFINITY)};
}

static inline mo_simd_box mo_simd_box_union(mo_simd_box a, mo_simd_box b) {
  return (mo_simd_box){mo_f4_min(a.lower, b.lower), mo_f4_max(a.upper, b.upper)};
}

static inline mo_aabb mo_simd_box_get(const mo_simd_box *box) {
  return (mo_aabb){{box->lower[0], box->lower[1], box->lower[2]},
                   {box->upper[0], box->upper[1], box->upper[2]}};
}

/* A bit that is set in the lane of the index, so that as a float the lane is a normal number:
 * arithmetic on subnormal numbers may be slow (denormal assist). */
#define MO_SAH_ITEM_NORMAL_BIT 0x40000000

static inline mo_sah_item mo_sah_item_make(mo_aabb box, uint32_t index, float area) {
  mo_i4 tag = {0, 0, 0, (int32_t)index ^ MO_SAH_ITEM_NORMAL_BIT};
  mo_f4 lower = {box.lower.x, box.lower.y, box.lower.z, 0.0f};
  return (mo_sah_item){(mo_f4)((mo_i4)lower | tag), {box.upper.x, box.upper.y, box.upper.z, area}};
}

static inline uint32_t mo_sah_item_index(const mo_sah_item *item) {
  return (uint32_t)(((mo_i4)item->lower)[3] ^ MO_SAH_ITEM_NORMAL_BIT);
}

static inline float mo_sah_item_area(const mo_sah_item *item) {
  return item->upper[3];
}

/* Sets the box of a reference, for another part of its triangle. */
static inline void mo_sah_item_set_box(mo_sah_item *item, mo_aabb box) {
  *item = mo_sah_item_make(box, mo_sah_item_index(item), mo_sah_item_area(item));
}

/* A power of two that scales the largest box to about 1. Boxes are multiplied by it before areas
 * are computed, so that these neither overflow nor underflow. */
float mo_sah_length_scale(mo_aabb largest);

static inline float mo_sah_half_area(mo_simd_box box, float length_scale) {
  mo_f4 size = (box.upper - box.lower) * mo_f4_splat(length_scale);
  return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

/* The work of testing n items: the number of blocks that they fill. */
static inline float mo_sah_block_count(uint32_t n) {
  return (float)((n + MO_LANE_COUNT - 1) / MO_LANE_COUNT);
}

typedef struct mo_sah_extent {
  mo_simd_box box;     /* around the boxes of items */
  mo_simd_box centres; /* around the doubled centres of items */
} mo_sah_extent;

static inline mo_sah_extent mo_sah_extent_empty(void) {
  return (mo_sah_extent){mo_simd_box_empty(), mo_simd_box_empty()};
}

void mo_sah_extent_add(mo_sah_extent *extent, const mo_sah_item *items, uint32_t count);
void mo_sah_extent_merge(mo_sah_extent *extent, const mo_sah_extent *other);

enum { MO_SAH_MAX_BINS = 32, MO_SAH_NO_AXIS = 3 };

/* Equal bins over the centres of an extent. */
typedef struct mo_bin_grid {
  mo_f4 origin, scale; /* the scale is zero on an axis on which the centres do not differ */
  uint32_t bin_count;  /* bins per axis */
} mo_bin_grid;

mo_bin_grid mo_bin_grid_over(const mo_sah_extent *extent, uint32_t bin_count);

/* The items in each bin: the box around them, and their number. */
typedef struct mo_bins {
  mo_simd_box box[MO_SAH_MAX_BINS][3]; /* around the items, by bin and axis */
  uint32_t count[MO_SAH_MAX_BINS][4];  /* by bin and axis; the fourth is unused */
} mo_bins;

void mo_bins_clear(mo_bins *bins, uint32_t count);
/* Sorts items into bins. The result is in bins[0]; bins[1] is workspace. */
void mo_bins_fill(mo_bins bins[2], const mo_bin_grid *grid, const mo_sah_item *items,
                  uint32_t count);
void mo_bins_merge(mo_bins *bins, const mo_bins *other, uint32_t count);

/* A split between two bins; each item goes to the side of its centre. */
typedef struct mo_split {
  uint32_t axis;            /* 0 to 2; MO_SAH_NO_AXIS if no plane separates the items */
  uint32_t first_right_bin; /* the bins before it are on the left side */
  float cost;               /* in half areas times blocks; infinity if there is no split */
  uint32_t left_count;      /* number of items on the left side */
} mo_split;

/* The cheapest split between two bins. */
mo_split mo_bins_best_split(const mo_bins *bins, const mo_bin_grid *grid, float length_scale);

/* The half area of the intersection of both sides' bounds. */
float mo_bins_overlap_area(const mo_bins *bins, const mo_bin_grid *grid, const mo_split *split,
                           float length_scale);

/* The number of binned items on the left side. */
uint32_t mo_bins_left_count(const mo_bins *bins, const mo_split *split);

/* Partitions `items` stably, left items first. `scratch` has capacity for all items. */
void mo_split_in_place(const mo_split *split, const mo_bin_grid *grid, mo_sah_item *items,
                       uint32_t count, mo_sah_item *scratch);

/* Copies the items of the left side to `left` and the others to `right`, in order. */
void mo_split_into_arrays(const mo_split *split, const mo_bin_grid *grid, const mo_sah_item *items,
                          uint32_t count, mo_sah_item *left, mo_sah_item *right);

#endif
