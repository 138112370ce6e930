/* Binned surface-area heuristic over whole items. */
#include "octree/sah.h"

typedef struct bin {
  mo_aabb bounds;
  uint32_t count;
} bin;

static float centre(const mo_reference *reference, int axis) {
  return 0.5f * mo_get(reference->bounds.lower, axis) +
         0.5f * mo_get(reference->bounds.upper, axis);
}

/* The position below which exactly the bins before `border` lie: the centre-to-bin map is monotone,
 * so the least centre at or after the border is found among the references. */
static float border_position(const mo_reference *references, uint32_t count, int axis, float origin,
                             float scale, uint32_t bins, uint32_t border) {
  float position = INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    float c = centre(&references[i], axis);
    uint32_t b = (uint32_t)((c - origin) * scale);
    b = b < bins ? b : bins - 1;
    if (b >= border && c < position) {
      position = c;
    }
  }
  return position;
}

static void evaluate_axis(const bin *b, uint32_t bins, int axis, mo_split *best,
                          uint32_t *best_border) {
  mo_aabb right[MO_SAH_MAX_BINS];
  uint32_t right_count[MO_SAH_MAX_BINS];
  mo_aabb box = mo_aabb_empty();
  uint32_t count = 0;
  for (uint32_t i = bins; i-- > 1;) {
    box = mo_aabb_union(box, b[i].bounds);
    count += b[i].count;
    right[i] = box;
    right_count[i] = count;
  }
  box = mo_aabb_empty();
  count = 0;
  for (uint32_t i = 1; i < bins; i++) {
    box = mo_aabb_union(box, b[i - 1].bounds);
    count += b[i - 1].count;
    if (count == 0 || right_count[i] == 0) {
      continue;
    }
    double cost = mo_aabb_half_area(box) * mo_sah_blocks(count) +
                  mo_aabb_half_area(right[i]) * mo_sah_blocks(right_count[i]);
    if (cost < best->cost) {
      best->axis = axis;
      best->cost = cost;
      best->shared = mo_aabb_half_area(mo_aabb_intersection(box, right[i]));
      *best_border = i;
    }
  }
}

mo_split mo_sah_by_centre(const mo_reference *references, uint32_t count, uint32_t bins) {
  mo_aabb centres = mo_aabb_empty();
  for (uint32_t i = 0; i < count; i++) {
    centres =
        mo_aabb_add_point(centres, mo_vec(centre(&references[i], 0), centre(&references[i], 1),
                                          centre(&references[i], 2)));
  }
  float origin[3], scale[3];
  for (int axis = 0; axis < 3; axis++) {
    origin[axis] = mo_get(centres.lower, axis);
    float extent = mo_get(centres.upper, axis) - origin[axis];
    scale[axis] = extent > 0.0f ? (float)bins * 0.9999f / extent : 0.0f;
    if (!isfinite(scale[axis])) { /* an extent so small that its inverse overflows */
      scale[axis] = 0.0f;
    }
  }

  bin table[3][MO_SAH_MAX_BINS];
  for (int axis = 0; axis < 3; axis++) {
    for (uint32_t i = 0; i < bins; i++) {
      table[axis][i] = (bin){mo_aabb_empty(), 0};
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    for (int axis = 0; axis < 3; axis++) {
      uint32_t b = (uint32_t)((centre(&references[i], axis) - origin[axis]) * scale[axis]);
      b = b < bins ? b : bins - 1;
      table[axis][b].bounds = mo_aabb_union(table[axis][b].bounds, references[i].bounds);
      table[axis][b].count++;
    }
  }

  mo_split best = {.axis = MO_SAH_NONE, .cost = INFINITY};
  uint32_t border = 0;
  for (int axis = 0; axis < 3; axis++) {
    if (scale[axis] > 0.0f) {
      evaluate_axis(table[axis], bins, axis, &best, &border);
    }
  }
  if (best.axis != MO_SAH_NONE) {
    best.position = border_position(references, count, best.axis, origin[best.axis],
                                    scale[best.axis], bins, border);
  }
  return best;
}
