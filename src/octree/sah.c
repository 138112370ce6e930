/* The binned surface-area heuristic (sah.h), for splits that do not cut items. */
#include "octree/sah.h"

float mo_sah_length_scale(mo_aabb largest) {
  if (mo_aabb_is_empty(largest)) {
    return 1.0f;
  }
  mo_dvec3 size = mo_dsub(mo_widen(largest.upper), mo_widen(largest.lower));
  double max = fmax(size.x, fmax(size.y, size.z));
  int exponent = 0;
  frexp(max, &exponent);
  return max > 0.0 ? ldexpf(1.0f, exponent < -120 ? 120 : -exponent) : 1.0f;
}

/* Twice the centre of an item; the fourth lane is zero. */
static inline mo_f4 doubled_centre(const mo_sah_item *item) {
  const mo_i4 axes = {-1, -1, -1, 0};
  return (mo_f4)((mo_i4)(item->lower + item->upper) & axes);
}

void mo_sah_extent_add(mo_sah_extent *extent, const mo_sah_item *items, uint32_t count) {
  mo_sah_extent e = *extent;
  for (uint32_t i = 0; i < count; i++) {
    mo_f4 c = doubled_centre(&items[i]);
    e.box = mo_simd_box_union(e.box, items[i]);
    e.centres = mo_simd_box_union(e.centres, (mo_simd_box){c, c});
  }
  *extent = e;
}

void mo_sah_extent_merge(mo_sah_extent *extent, const mo_sah_extent *other) {
  extent->box = mo_simd_box_union(extent->box, other->box);
  extent->centres = mo_simd_box_union(extent->centres, other->centres);
}

mo_bin_grid mo_bin_grid_over(const mo_sah_extent *extent, uint32_t bin_count) {
  mo_bin_grid grid = {extent->centres.lower, mo_f4_splat(0.0f), bin_count};
  for (int axis = 0; axis < 3; axis++) {
    float size = extent->centres.upper[axis] - extent->centres.lower[axis];
    float scale = size > 0.0f ? (float)bin_count * 0.9999f / size : 0.0f;
    /* The scale is the inverse of a size, and overflows if that is very small. */
    grid.scale[axis] = isfinite(scale) ? scale : 0.0f;
  }
  grid.origin[3] = 0.0f;
  return grid;
}

void mo_bins_clear(mo_bins *bins, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    for (int axis = 0; axis < 3; axis++) {
      bins->box[i][axis] = mo_simd_box_empty();
    }
    memset(bins->count[i], 0, sizeof bins->count[i]);
  }
}

static inline void add_item(mo_bins *bins, mo_f4 origin, mo_f4 scale, const mo_sah_item item) {
  mo_i4 bin = mo_f4_truncate((doubled_centre(&item) - origin) * scale);
  for (int axis = 0; axis < 3; axis++) {
    mo_simd_box *box = &bins->box[bin[axis]][axis];
    *box = mo_simd_box_union(*box, item);
    bins->count[bin[axis]][axis]++;
  }
}

/* Consecutive items often fall into the same bin, so that each addition waits for the one before.
 * Alternating between two tables breaks this dependency chain. */
void mo_bins_fill(mo_bins bins[2], const mo_bin_grid *grid, const mo_sah_item *items,
                  uint32_t count) {
  const mo_f4 origin = grid->origin, scale = grid->scale;
  mo_bins_clear(&bins[0], grid->bin_count);
  if (count < 4 * grid->bin_count) {
    for (uint32_t i = 0; i < count; i++) {
      add_item(&bins[0], origin, scale, items[i]);
    }
    return;
  }
  mo_bins_clear(&bins[1], grid->bin_count);
  uint32_t i = 0;
  for (; i + 2 <= count; i += 2) {
    add_item(&bins[0], origin, scale, items[i]);
    add_item(&bins[1], origin, scale, items[i + 1]);
  }
  if (i < count) {
    add_item(&bins[0], origin, scale, items[i]);
  }
  mo_bins_merge(&bins[0], &bins[1], grid->bin_count);
}

void mo_bins_merge(mo_bins *bins, const mo_bins *other, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    for (int axis = 0; axis < 3; axis++) {
      bins->box[i][axis] = mo_simd_box_union(bins->box[i][axis], other->box[i][axis]);
      bins->count[i][axis] += other->count[i][axis];
    }
  }
}

/* Half areas of three boxes, one per lane. */
static inline mo_f4 half_areas(const mo_simd_box box[3], mo_f4 length_scale) {
  mo_f4 a = (box[0].upper - box[0].lower) * length_scale;
  mo_f4 b = (box[1].upper - box[1].lower) * length_scale;
  mo_f4 c = (box[2].upper - box[2].lower) * length_scale;
  mo_f4 x = {a[0], b[0], c[0], 0.0f};
  mo_f4 y = {a[1], b[1], c[1], 0.0f};
  mo_f4 z = {a[2], b[2], c[2], 0.0f};
  return x * y + y * z + z * x;
}

static inline mo_i4 load_counts(const uint32_t counts[4]) {
  mo_i4 result;
  memcpy(&result, counts, sizeof result);
  return result;
}

/* The numbers of blocks that four numbers of items fill: mo_sah_block_count of each. */
static inline mo_f4 blocks_for_counts(mo_i4 counts) {
  return mo_i4_to_f4((counts + (MO_LANE_COUNT - 1)) / MO_LANE_COUNT);
}

mo_split mo_bins_best_split(const mo_bins *bins, const mo_bin_grid *grid, float length_scale) {
  const mo_f4 scales = mo_f4_splat(length_scale);
  mo_f4 right_cost[MO_SAH_MAX_BINS];
  mo_i4 right_count[MO_SAH_MAX_BINS];
  mo_simd_box box[3] = {mo_simd_box_empty(), mo_simd_box_empty(), mo_simd_box_empty()};
  mo_i4 count = {0, 0, 0, 0};
  for (uint32_t i = grid->bin_count; i-- > 1;) {
    for (int axis = 0; axis < 3; axis++) {
      box[axis] = mo_simd_box_union(box[axis], bins->box[i][axis]);
    }
    count += load_counts(bins->count[i]);
    right_count[i] = count;
    right_cost[i] = half_areas(box, scales) * blocks_for_counts(count);
  }
  box[0] = box[1] = box[2] = mo_simd_box_empty();
  count = (mo_i4){0, 0, 0, 0};
  mo_f4 best = mo_f4_splat(INFINITY);
  mo_i4 best_border = {0, 0, 0, 0}, best_count = {0, 0, 0, 0};
  for (uint32_t i = 1; i < grid->bin_count; i++) {
    for (int axis = 0; axis < 3; axis++) {
      box[axis] = mo_simd_box_union(box[axis], bins->box[i - 1][axis]);
    }
    count += load_counts(bins->count[i - 1]);
    mo_f4 cost = half_areas(box, scales) * blocks_for_counts(count) + right_cost[i];
    mo_i4 better = (cost < best) & (count > 0) & (right_count[i] > 0);
    mo_i4 first_right_bin = {(int32_t)i, (int32_t)i, (int32_t)i, (int32_t)i};
    best = mo_f4_select(better, cost, best);
    best_border = (first_right_bin & better) | (best_border & ~better);
    best_count = (count & better) | (best_count & ~better);
  }
  mo_split split = {.axis = MO_SAH_NO_AXIS, .cost = INFINITY};
  for (uint32_t axis = 0; axis < 3; axis++) {
    if (best[axis] < split.cost) {
      split = (mo_split){axis, (uint32_t)best_border[axis], best[axis], (uint32_t)best_count[axis]};
    }
  }
  return split;
}

uint32_t mo_bins_left_count(const mo_bins *bins, const mo_split *split) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < split->first_right_bin; i++) {
    count += bins->count[i][split->axis];
  }
  return count;
}

float mo_bins_overlap_area(const mo_bins *bins, const mo_bin_grid *grid, const mo_split *split,
                           float length_scale) {
  mo_simd_box left = mo_simd_box_empty(), right = mo_simd_box_empty();
  for (uint32_t i = 0; i < grid->bin_count; i++) {
    mo_simd_box *side = i < split->first_right_bin ? &left : &right;
    *side = mo_simd_box_union(*side, bins->box[i][split->axis]);
  }
  mo_simd_box both = {mo_f4_max(left.lower, right.lower), mo_f4_min(left.upper, right.upper)};
  return mo_aabb_is_empty(mo_simd_box_get(&both)) ? 0.0f : mo_sah_half_area(both, length_scale);
}

/* Returns 1 for items on the right side, else 0. */
static inline uint32_t side_of(const mo_split *split, const mo_bin_grid *grid,
                               const mo_sah_item *item) {
  uint32_t axis = split->axis;
  float c = item->lower[axis] + item->upper[axis];
  return (uint32_t)((c - grid->origin[axis]) * grid->scale[axis]) >= split->first_right_bin;
}

void mo_split_in_place(const mo_split *split, const mo_bin_grid *grid, mo_sah_item *items,
                       uint32_t count, mo_sah_item *scratch) {
  /* Each item is written to both sides, which avoids an unpredictable branch. The copy on the wrong
   * side is overwritten by the next item of that side. Both sides have items. */
  mo_sah_item *left = items, *right = scratch;
  for (uint32_t i = 0; i < count; i++) {
    const mo_sah_item item = items[i];
    uint32_t side = side_of(split, grid, &item);
    *left = item;
    *right = item;
    left += 1 - side;
    right += side;
  }
  memcpy(left, scratch, (size_t)(right - scratch) * sizeof *items);
}

void mo_split_into_arrays(const mo_split *split, const mo_bin_grid *grid, const mo_sah_item *items,
                          uint32_t count, mo_sah_item *left, mo_sah_item *right) {
  for (uint32_t i = 0; i < count; i++) {
    const mo_sah_item item = items[i];
    uint32_t side = side_of(split, grid, &item);
    *(side ? right : left) = item;
    left += 1 - side;
    right += side;
  }
}
