/* Spatial splits: a plane cuts the references that straddle it in two (Stich, Friedrich and
 * Dietrich, "Spatial Splits in Bounding Volume Hierarchies", HPG 2009). The bounds of each
 * reference are clipped exactly to the part of the triangle in its cell.
 *
 * References about as large as the mesh (walls of a sky box, ground planes) are not cut, but go to
 * the side of their centre. Cutting them would add parts to leaves all over the mesh, and the
 * bounds of these leaves would cover empty space. The surface-area heuristic ignores that cost,
 * because it assumes rays from outside, most of which hit such a wall first. Rays that begin inside
 * would visit all those leaves for nothing. */
#include "geometry/triangle/triangle.h"
#include "mesh/build/binary_tree.h"

typedef struct bin {
  mo_aabb bounds;
  uint32_t entry_count, exit_count; /* references whose boxes begin in this bin, and end in it */
} bin;

/* Bins of equal width along an axis, over the box of a range of references. */
typedef struct axis_bins {
  uint32_t axis, bin_count;
  float origin; /* where the first bin begins */
  float width;  /* width of a bin */
  bin bins[MO_SAH_MAX_BINS];
} axis_bins;

static void set_axis(mo_vec3 *v, int axis, float value) {
  if (axis == 0) {
    v->x = value;
  } else if (axis == 1) {
    v->y = value;
  } else {
    v->z = value;
  }
}

/* Bounds of the part of a triangle between two planes that are perpendicular to an axis, from its
 * corners and edges. Rounding does not matter, as the result only serves to choose a plane. */
static mo_aabb slab_bounds(const mo_vec3 corners[3], int axis, float lower, float upper) {
  mo_aabb box = mo_aabb_empty();
  for (int i = 0; i < 3; i++) {
    mo_vec3 a = corners[i], b = corners[i == 2 ? 0 : i + 1];
    float ca = mo_get(a, axis), cb = mo_get(b, axis);
    if (ca >= lower && ca <= upper) {
      box = mo_aabb_add_point(box, a);
    }
    const float planes[2] = {lower, upper};
    for (int k = 0; k < 2; k++) {
      float p = planes[k];
      if ((ca < p && p < cb) || (cb < p && p < ca)) {
        float s = (p - ca) / (cb - ca);
        mo_vec3 point = mo_add(mo_scale(1.0f - s, a), mo_scale(s, b));
        set_axis(&point, axis, p);
        box = mo_aabb_add_point(box, point);
      }
    }
  }
  return box;
}

static bool is_too_large_to_split(const mo_tree_builder *tree, const mo_sah_item *item) {
  return mo_sah_half_area(*item, tree->length_scale) > tree->max_split_area;
}

static float centre_of(const mo_aabb *bounds, int axis) {
  return 0.5f * mo_get(bounds->lower, axis) + 0.5f * mo_get(bounds->upper, axis);
}

/* Adds references to all bins that they overlap; the bounds of a bin enclose the parts of triangles
 * in it. */
static void fill_bins(const mo_tree_builder *tree, const mo_sah_item *items, uint32_t count,
                      axis_bins *along) {
  int axis = (int)along->axis;
  float origin = along->origin, width = along->width;
  uint32_t bin_count = along->bin_count;
  bin *table = along->bins;
  for (uint32_t i = 0; i < bin_count; i++) {
    table[i] = (bin){mo_aabb_empty(), 0, 0};
  }
  float inverse = 1.0f / width;
  for (uint32_t i = 0; i < count; i++) {
    mo_aabb bounds = mo_simd_box_get(&items[i]);
    float lower = (mo_get(bounds.lower, axis) - origin) * inverse;
    float upper = (mo_get(bounds.upper, axis) - origin) * inverse;
    if (is_too_large_to_split(tree, &items[i])) {
      lower = upper = (centre_of(&bounds, axis) - origin) * inverse;
    }
    uint32_t first = lower > 0.0f ? (uint32_t)lower : 0;
    uint32_t last = upper > 0.0f ? (uint32_t)upper : 0;
    first = first < bin_count ? first : bin_count - 1;
    last = last < bin_count ? last : bin_count - 1;
    table[first].entry_count++;
    table[last].exit_count++;
    if (first == last) {
      table[first].bounds = mo_aabb_union(table[first].bounds, bounds);
      continue;
    }
    const mo_vec3 *corners = &tree->builder->corners[3 * (size_t)mo_sah_item_index(&items[i])];
    for (uint32_t b = first; b <= last; b++) {
      mo_aabb part = mo_aabb_intersection(
          slab_bounds(corners, axis, origin + width * (float)b, origin + width * (float)(b + 1)),
          bounds);
      if (!mo_aabb_is_empty(part)) {
        table[b].bounds = mo_aabb_union(table[b].bounds, part);
      }
    }
  }
}

static float cost_of(mo_aabb left, uint32_t left_count, mo_aabb right, uint32_t right_count,
                     double area_unit) {
  double cost = mo_aabb_half_area(left) * mo_sah_block_count(left_count) +
                mo_aabb_half_area(right) * mo_sah_block_count(right_count);
  return (float)(cost * area_unit);
}

/* Updates `best` with the cheapest plane between two bins of an axis, if it is cheaper. `count` is
 * the number of references, to which a split may add up to `spare`. */
static void evaluate_axis(const axis_bins *along, uint32_t count, uint32_t spare, double area_unit,
                          mo_spatial_split *best) {
  const bin *table = along->bins;
  uint32_t bin_count = along->bin_count;
  mo_aabb right[MO_SAH_MAX_BINS];
  uint32_t right_count[MO_SAH_MAX_BINS];
  mo_aabb box = mo_aabb_empty();
  uint32_t n = 0;
  for (uint32_t i = bin_count; i-- > 1;) {
    box = mo_aabb_union(box, table[i].bounds);
    n += table[i].exit_count;
    right[i] = box;
    right_count[i] = n;
  }
  box = mo_aabb_empty();
  n = 0;
  for (uint32_t i = 1; i < bin_count; i++) {
    box = mo_aabb_union(box, table[i - 1].bounds);
    n += table[i - 1].entry_count;
    if (n == 0 || right_count[i] == 0 || n == count || right_count[i] == count ||
        n + right_count[i] - count > spare) {
      continue;
    }
    float cost = cost_of(box, n, right[i], right_count[i], area_unit);
    if (cost < best->cost) {
      *best = (mo_spatial_split){
          .axis = along->axis,
          .position = along->origin + along->width * (float)i,
          .cost = cost,
          .left = box,
          .right = right[i],
          .left_count = n,
          .right_count = right_count[i],
      };
    }
  }
}

mo_spatial_split mo_find_spatial_split(const mo_tree_builder *tree, const mo_sah_item *items,
                                       uint32_t count, const mo_simd_box *box, uint32_t bin_count,
                                       uint32_t spare) {
  mo_spatial_split best = {.axis = MO_SAH_NO_AXIS, .cost = INFINITY};
  for (uint32_t axis = 0; axis < 3; axis++) {
    float origin = box->lower[axis];
    float width = (box->upper[axis] - origin) / (float)bin_count;
    if (!(width > 0.0f) || !isfinite(1.0f / width)) {
      continue;
    }
    axis_bins along;
    along.axis = axis;
    along.bin_count = bin_count;
    along.origin = origin;
    along.width = width;
    fill_bins(tree, items, count, &along);
    evaluate_axis(&along, count, spare, (double)tree->length_scale * tree->length_scale, &best);
  }
  return best;
}

/* Where a reference that straddles the split plane goes. */
typedef enum split_side { TO_BOTH, TO_LEFT, TO_RIGHT } split_side;

/* Chooses the cheapest for a straddling reference: both sides, only left or only right. Keeping it
 * whole on one side enlarges that side, but saves a reference on the other ("reference
 * unsplitting", section 4.4 of Stich et al. 2009). */
static split_side choose_side(const mo_aabb *bounds, const mo_aabb *left, double left_count,
                              const mo_aabb *right, double right_count) {
  double both = mo_aabb_half_area(*left) * left_count + mo_aabb_half_area(*right) * right_count;
  double only_left = mo_aabb_half_area(mo_aabb_union(*left, *bounds)) * left_count +
                     mo_aabb_half_area(*right) * (right_count - 1.0);
  double only_right = mo_aabb_half_area(*left) * (left_count - 1.0) +
                      mo_aabb_half_area(mo_aabb_union(*right, *bounds)) * right_count;
  if (only_left < both && only_left <= only_right) {
    return TO_LEFT;
  }
  return only_right < both ? TO_RIGHT : TO_BOTH;
}

uint32_t mo_apply_spatial_split(const mo_tree_builder *tree, mo_sah_item *items, uint32_t *count,
                                uint32_t spare, const mo_spatial_split *split) {
  int axis = (int)split->axis;
  float position = split->position;
  mo_aabb left_box = split->left, right_box = split->right;
  double left_count = split->left_count, right_count = split->right_count;
  uint32_t left = 0, right = *count, end = *count, limit = *count + spare;
  while (left < right) {
    mo_sah_item item = items[left];
    mo_aabb bounds = mo_simd_box_get(&item), part[2] = {bounds, bounds};
    split_side where = TO_LEFT;
    if (is_too_large_to_split(tree, &item)) {
      where = centre_of(&bounds, axis) >= position ? TO_RIGHT : TO_LEFT;
    } else if (mo_get(bounds.lower, axis) >= position) {
      where = TO_RIGHT;
    } else if (mo_get(bounds.upper, axis) > position) {
      set_axis(&part[0].upper, axis, position);
      set_axis(&part[1].lower, axis, position);
      const mo_vec3 *corners = &tree->builder->corners[3 * (size_t)mo_sah_item_index(&item)];
      for (int side = 0; side < 2; side++) {
        part[side] = mo_triangle_clip_bounds(corners, part[side]);
      }
      if (mo_aabb_is_empty(part[0])) {
        where = TO_RIGHT;
      } else if (!mo_aabb_is_empty(part[1])) {
        where = choose_side(&bounds, &left_box, left_count, &right_box, right_count);
        if (where == TO_BOTH && end == limit) {
          where = TO_LEFT; /* no capacity for a duplicate, as rounding made the estimate by bins too
                              low */
        }
        if (where == TO_LEFT) {
          left_box = mo_aabb_union(left_box, bounds);
          right_count -= 1.0;
        } else if (where == TO_RIGHT) {
          right_box = mo_aabb_union(right_box, bounds);
          left_count -= 1.0;
        }
      }
    }
    if (where == TO_BOTH) {
      mo_sah_item_set_box(&items[left++], part[0]);
      mo_sah_item_set_box(&item, part[1]);
      items[end++] = item;
    } else if (where == TO_LEFT) {
      left++;
    } else {
      items[left] = items[--right];
      items[right] = item;
    }
  }
  *count = end;
  return left;
}
