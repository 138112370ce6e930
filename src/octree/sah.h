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
typedef struct mo_box4v {
  mo_f4 lower, upper;
} mo_box4v;

/* A reference to a triangle: the bounds of the triangle, or of the part that the reference stands
 * for. The fourth lanes have its index (see mo_item_index) and a measure of its area. */
typedef mo_box4v mo_item;

static inline mo_box4v mo_box4v_empty(void) {
  return (mo_box4v){mo_f4_all(INFINITY), mo_f4_all(-INFINITY)};
}

static inline mo_box4v mo_box4v_union(mo_box4v a, mo_box4v b) {
  return (mo_box4v){mo_f4_min(a.lower, b.lower), mo_f4_max(a.upper, b.upper)};
}

static inline mo_aabb mo_box4v_get(const mo_box4v *box) {
  return (mo_aabb){{box->lower[0], box->lower[1], box->lower[2]},
                   {box->upper[0], box->upper[1], box->upper[2]}};
}

/* This bit keeps the lane from being a subnormal number, as arithmetic on these may be slow
 * (denormal assist). */
#define MO_ITEM_BIT 0x40000000

static inline mo_item mo_item_make(mo_aabb box, uint32_t index, float area) {
  mo_i4 tag = {0, 0, 0, (int32_t)index ^ MO_ITEM_BIT};
  mo_f4 lower = {box.lower.x, box.lower.y, box.lower.z, 0.0f};
  return (mo_item){(mo_f4)((mo_i4)lower | tag), {box.upper.x, box.upper.y, box.upper.z, area}};
}

static inline uint32_t mo_item_index(const mo_item *item) {
  return (uint32_t)(((mo_i4)item->lower)[3] ^ MO_ITEM_BIT);
}

static inline float mo_item_area(const mo_item *item) {
  return item->upper[3];
}

/* Gives a reference another box, for another part of its triangle. */
static inline void mo_item_set_box(mo_item *item, mo_aabb box) {
  *item = mo_item_make(box, mo_item_index(item), mo_item_area(item));
}

/* The unit for half areas: a power of two that scales the largest box to about 1. Boxes are
 * multiplied by it before areas are computed, so that these neither overflow nor underflow. */
float mo_sah_unit(mo_aabb largest);

static inline float mo_sah_half_area(mo_box4v box, float unit) {
  mo_f4 size = (box.upper - box.lower) * mo_f4_all(unit);
  return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

/* The work of n items, in blocks. */
static inline float mo_sah_blocks(uint32_t n) {
  return (float)((n + MO_WIDTH - 1) / MO_WIDTH);
}

/* The box around items, and the box around their doubled centres. */
typedef struct mo_extent {
  mo_box4v box, centres;
} mo_extent;

static inline mo_extent mo_extent_empty(void) {
  return (mo_extent){mo_box4v_empty(), mo_box4v_empty()};
}

void mo_extent_add(mo_extent *extent, const mo_item *items, uint32_t count);
void mo_extent_merge(mo_extent *extent, const mo_extent *other);

enum { MO_SAH_MAX_BINS = 32, MO_SAH_NONE = 3 };

/* Equal bins over the centres of an extent. */
typedef struct mo_grid {
  mo_f4 origin, scale; /* the scale is zero on an axis on which the centres do not differ */
  uint32_t bins;
} mo_grid;

mo_grid mo_grid_over(const mo_extent *extent, uint32_t bins);

typedef struct mo_bins {
  mo_box4v box[MO_SAH_MAX_BINS][3]; /* by bin and axis */
  uint32_t count[MO_SAH_MAX_BINS][4];
} mo_bins;

void mo_bins_clear(mo_bins *bins, uint32_t count);
/* The result is in bins[0]; bins[1] is workspace. */
void mo_bins_fill(mo_bins bins[2], const mo_grid *grid, const mo_item *items, uint32_t count);
void mo_bins_merge(mo_bins *bins, const mo_bins *other, uint32_t count);

/* A split between two bins; each item goes to the side of its centre. */
typedef struct mo_split {
  uint32_t axis;   /* 0 to 2; MO_SAH_NONE if no plane separates the items */
  uint32_t border; /* bins below it are left */
  float cost;      /* in half areas times blocks; infinity if there is no split */
  uint32_t left_count;
} mo_split;

mo_split mo_bins_best(const mo_bins *bins, const mo_grid *grid, float unit);

/* The half area of the intersection of both sides' bounds. */
float mo_bins_shared(const mo_bins *bins, const mo_grid *grid, const mo_split *split, float unit);

/* The number of binned items on the left side. */
uint32_t mo_bins_left(const mo_bins *bins, const mo_split *split);

/* Partitions `items` stably, left items first. `scratch` has capacity for all items. */
void mo_split_in_place(const mo_split *split, const mo_grid *grid, mo_item *items, uint32_t count,
                       mo_item *scratch);

/* Copies the items of the left side to `left` and the others to `right`, in order. */
void mo_split_apart(const mo_split *split, const mo_grid *grid, const mo_item *items,
                    uint32_t count, mo_item *left, mo_item *right);

#endif
