/* Chooses the split planes of a node under the irregular policy.
 *
 * Box centres are binned along each axis, and the best of the 15 planes between bins is chosen per
 * axis by a one-dimensional form of the surface-area heuristic. Planes that leave one side much
 * less than half of the shapes are excluded: this balance bounds the depth for any input. Then the
 * best subset of the three planes is chosen by the expected visits of a line that hits the node:
 * planes that too many shapes straddle, or that do not pay off, are left out. */
#include <string.h>

#include "math/four.h"
#include "scene/octree/tree.h"

/* Statistics of the shapes along one axis. Box centres are stored doubled, as lower + upper. */
typedef struct axis_bins {
  float min_doubled_center, max_doubled_center; /* minimum and maximum of the doubled centres */
  float scale;                                  /* bins per unit of the doubled centre */
  uint32_t count[MO_PLAN_BINS];
  /* Lower side and negated upper side of the box around the shapes of each bin. */
  mo_f4 extent[MO_PLAN_BINS];
} axis_bins;

/* The input shapes: every block of some lists, or a sample of one block in `stride`. */
typedef struct shape_source {
  const mo_scene *scene;
  const uint32_t *list_heads;
  uint32_t list_count, stride;
} shape_source;

/* A position in the blocks of a shape source. */
typedef struct block_cursor {
  const shape_source *source;
  uint32_t list, block;
} block_cursor;

/* The current block, or the first of the next list that is not empty; null at the end. */
static inline const mo_shape_block *block_or_next_list(block_cursor *w) {
  while (w->block == MO_NONE) {
    if (++w->list >= w->source->list_count) {
      return NULL;
    }
    w->block = w->source->list_heads[w->list];
  }
  return mo_shape_block_at(w->source->scene, w->block);
}

static inline const mo_shape_block *first_block(const shape_source *from, block_cursor *w) {
  *w = (block_cursor){from, 0, from->list_heads[0]};
  return block_or_next_list(w);
}

static inline const mo_shape_block *next_block(block_cursor *w) {
  const mo_shape_block *block = NULL;
  for (uint32_t i = 0; i < w->source->stride; i++) {
    w->block = mo_shape_block_at(w->source->scene, w->block)->next;
    block = block_or_next_list(w);
    if (block == NULL) {
      return NULL;
    }
  }
  return block;
}

static uint32_t bin_of(float middle, float from, float scale) {
  float x = (middle - from) * scale;
  return x >= (float)(MO_PLAN_BINS - 1) ? MO_PLAN_BINS - 1 : x > 0 ? (uint32_t)x : 0;
}

static inline mo_i4 bins_of(mo_f4 middle, float from, float scale) {
  mo_f4 x = (middle - mo_f4_splat(from)) * mo_f4_splat(scale);
  return mo_f4_truncate(mo_f4_min(mo_f4_max(x, mo_f4_splat(0)), mo_f4_splat(MO_PLAN_BINS - 1)));
}

/* A plane with about half of the shapes on either side, found by repeatedly binning the bin of the
 * median: for shapes so unevenly spread that almost all fall into one bin. */
static float median_plane(const shape_source *shapes, uint32_t total, int axis, float from,
                          float to) {
  uint32_t below = 0;
  for (int zoom = 0; zoom < MO_PLAN_MAX_REFINEMENTS; zoom++) {
    float scale = (float)MO_PLAN_BINS / (to - from);
    if (!isfinite(scale)) {
      break;
    }
    uint32_t counts[MO_PLAN_BINS] = {0};
    block_cursor w;
    for (const mo_shape_block *b = first_block(shapes, &w); b != NULL; b = next_block(&w)) {
      for (uint32_t lane = 0; lane < b->count; lane++) {
        float middle = b->bounds.lower[axis][lane] + b->bounds.upper[axis][lane];
        if (middle >= from && middle <= to) {
          counts[bin_of(middle, from, scale)]++;
        }
      }
    }
    uint32_t bin = 0, sum = below;
    while (bin < MO_PLAN_BINS - 1 && sum + counts[bin] < total / 2) {
      sum += counts[bin++];
    }
    float step = (to - from) / (float)MO_PLAN_BINS;
    float left = from + step * (float)bin;
    float right = bin == MO_PLAN_BINS - 1 ? to : left + step;
    if ((float)sum >= MO_PLAN_MIN_SIDE_SHARE * (float)total) {
      return 0.5f * left;
    }
    if ((float)(total - sum - counts[bin]) >= MO_PLAN_MIN_SIDE_SHARE * (float)total) {
      return 0.5f * right;
    }
    if (!(right > left) || (left <= from && right >= to)) {
      break;
    }
    below = sum;
    from = left;
    to = right;
  }
  return 0.25f * (from + to);
}

/* The best position of a plane on one axis, by the surface-area heuristic. */
static float best_plane(const shape_source *shapes, uint32_t total, int axis, const axis_bins *s) {
  /* Extents are (lower, -upper), so the sum of both components is minus the width. */
  float width[MO_PLAN_BINS];
  mo_f4 extent = mo_f4_splat(INFINITY);
  for (int bin = MO_PLAN_BINS - 1; bin >= 0; bin--) {
    extent = mo_f4_min(extent, s->extent[bin]);
    width[bin] = -(extent[0] + extent[1]);
  }
  extent = mo_f4_splat(INFINITY);
  uint32_t below = 0;
  int best = 0;
  float best_cost = INFINITY;
  for (int bin = 1; bin < MO_PLAN_BINS; bin++) {
    extent = mo_f4_min(extent, s->extent[bin - 1]);
    below += s->count[bin - 1];
    float min = MO_PLAN_MIN_SIDE_SHARE * (float)total;
    if ((float)below < min || (float)(total - below) < min) {
      continue;
    }
    float cost = (float)below * -(extent[0] + extent[1]) + (float)(total - below) * width[bin];
    if (cost < best_cost) {
      best_cost = cost;
      best = bin;
    }
  }
  if (best == 0) {
    return median_plane(shapes, total, axis, s->min_doubled_center, s->max_doubled_center);
  }
  return 0.5f * (s->min_doubled_center + (s->max_doubled_center - s->min_doubled_center) *
                                             ((float)best / (float)MO_PLAN_BINS));
}

/* Classes of shapes by the side of each of the three planes on which they lie: 0 low, 1 high, 2
 * both (across it). The sides are the digits of the class number in base 3. */
enum { SIDE_CLASS_COUNT = 27 };

typedef struct side_classes {
  /* By class: the number of its shapes, and the box around them. */
  uint32_t count[SIDE_CLASS_COUNT];
  mo_f4 lower[SIDE_CLASS_COUNT], upper[SIDE_CLASS_COUNT];
  uint32_t outside;       /* shapes that reach out of the cell too far for any octant */
  uint32_t straddlers[3]; /* by axis: shapes that straddle its plane */
  double block_cost;      /* the cost of a block (mo_block_cost) */
} side_classes;

static inline float min_of_lanes(mo_f4 a) {
  return mo_min(mo_min(a[0], a[1]), mo_min(a[2], a[3]));
}

static inline float max_of_lanes(mo_f4 a) {
  return mo_max(mo_max(a[0], a[1]), mo_max(a[2], a[3]));
}

/* Constants and counters for classifying four shapes (half a block) at a time. */
typedef struct plane_constants {
  mo_f4 cell_min[3], cell_max[3]; /* the cell enlarged by the slack */
  /* The plane of each axis, and the plane minus and plus the slack. */
  mo_f4 plane[3], below[3], above[3];
  uint32_t axes;
  mo_i4 straddlers[3]; /* number of straddlers so far in each lane, negated */
} plane_constants;

/* Computes the side classes of four shapes, of which only the lanes in `there` exist. Returns the
 * mask of the shapes that reach out of the cell. */
static inline mo_i4 side_classes_of(const mo_shape_block *b, int half, mo_i4 there,
                                    plane_constants *p, mo_i4 *class) {
  mo_i4 outside = {0, 0, 0, 0}, across[3];
  *class = outside;
  for (int axis = 0; axis < 3; axis++) {
    mo_f4 lower = mo_f4_load(b->bounds.lower[axis] + 4 * half);
    mo_f4 upper = mo_f4_load(b->bounds.upper[axis] + 4 * half);
    outside |= ~((lower >= p->cell_min[axis]) & (upper <= p->cell_max[axis]));
    *class = *class + *class + *class;
    across[axis] = (mo_i4){0, 0, 0, 0};
    if (p->axes & (4u >> axis)) {
      /* The side as in mo_side_of_plane; -1 means true. */
      mo_i4 high = upper - p->plane[axis] > p->plane[axis] - lower;
      across[axis] = (high & (lower < p->below[axis])) | (~high & (upper > p->above[axis]));
      *class -= (across[axis] + across[axis]) | (~across[axis] & high);
    }
  }
  for (int axis = 0; axis < 3; axis++) {
    p->straddlers[axis] += across[axis] & there & ~outside;
  }
  return outside;
}

static void classify_shapes(const shape_source *shapes, const mo_aabb *cell,
                            const mo_split_plan *plan, side_classes *c) {
  c->outside = 0;
  c->block_cost = mo_block_cost(shapes->scene);
  for (int i = 0; i < SIDE_CLASS_COUNT; i++) {
    c->count[i] = 0;
    c->lower[i] = mo_f4_splat(INFINITY);
    c->upper[i] = mo_f4_splat(-INFINITY);
  }
  plane_constants p = {.axes = plan->axes};
  for (int axis = 0; axis < 3; axis++) {
    float plane = plan->axes & (4u >> axis) ? plan->plane[axis] : 0;
    p.cell_min[axis] = mo_f4_splat(mo_get(cell->lower, axis) - plan->slack);
    p.cell_max[axis] = mo_f4_splat(mo_get(cell->upper, axis) + plan->slack);
    p.plane[axis] = mo_f4_splat(plane);
    p.below[axis] = mo_f4_splat(plane - plan->slack);
    p.above[axis] = mo_f4_splat(plane + plan->slack);
    p.straddlers[axis] = (mo_i4){0, 0, 0, 0};
  }
  block_cursor w;
  for (const mo_shape_block *b = first_block(shapes, &w); b != NULL; b = next_block(&w)) {
    int32_t class[MO_LANE_COUNT], outside[MO_LANE_COUNT];
    const int32_t n = (int32_t)b->count;
    mo_i4 few = {n, n, n, n}, low = {0, 1, 2, 3}, high = {4, 5, 6, 7}, of[2], out[2];
    out[0] = side_classes_of(b, 0, few > low, &p, &of[0]);
    out[1] = side_classes_of(b, 1, few > high, &p, &of[1]);
    memcpy(class, of, sizeof class);
    memcpy(outside, out, sizeof outside);
    for (uint32_t lane = 0; lane < b->count; lane++) {
      if (outside[lane]) {
        c->outside++;
        continue;
      }
      mo_aabb box = mo_bounds8_get(&b->bounds, (int)lane);
      int32_t i = class[lane];
      c->count[i]++;
      c->lower[i] = mo_f4_min(mo_f4_from(&box.lower, 0), c->lower[i]);
      c->upper[i] = mo_f4_max(mo_f4_from(&box.upper, 0), c->upper[i]);
    }
  }
  for (int axis = 0; axis < 3; axis++) {
    mo_i4 sum = p.straddlers[axis];
    c->straddlers[axis] = (uint32_t) - (sum[0] + sum[1] + sum[2] + sum[3]);
  }
}

/* Expected number of visits by a line that hits a node, if the node is split by a subset of the
 * planes; infinite if these separate nothing. As usual, planes are chosen as if all octants became
 * leaves; with `split`, octants count as split further. */
static double subset_cost(const side_classes *c, uint32_t subset, uint32_t total, double whole,
                          double margin, bool split) {
  /* For each class: bits of the axes on whose high side its shapes lie, and bits of the axes whose
   * plane they straddle. */
  static const uint8_t high[SIDE_CLASS_COUNT] = {0, 1, 0, 2, 3, 2, 0, 1, 0, 4, 5, 4, 6, 7,
                                                 6, 4, 5, 4, 0, 1, 0, 2, 3, 2, 0, 1, 0};
  static const uint8_t both[SIDE_CLASS_COUNT] = {0, 0, 1, 0, 0, 1, 2, 2, 3, 0, 0, 1, 0, 0,
                                                 1, 2, 2, 3, 4, 4, 5, 4, 4, 5, 6, 6, 7};
  uint32_t count[MO_LANE_COUNT] = {0};
  mo_f4 lower[MO_LANE_COUNT], upper[MO_LANE_COUNT];
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    lower[i] = mo_f4_splat(INFINITY);
    upper[i] = mo_f4_splat(-INFINITY);
  }
  uint32_t stay = c->outside;
  for (uint32_t class = 0; class < SIDE_CLASS_COUNT; class ++) {
    if (c->count[class] == 0) {
      continue;
    }
    if (both[class] & subset) {
      stay += c->count[class];
    } else {
      uint32_t octant = high[class] & subset;
      count[octant] += c->count[class];
      lower[octant] = mo_f4_min(lower[octant], c->lower[class]);
      upper[octant] = mo_f4_max(upper[octant], c->upper[class]);
    }
  }
  if (stay == total) {
    return INFINITY;
  }
  double cost = 1 + mo_leaf_cost(stay);
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    if (count[i] == total) {
      return INFINITY;
    }
    if (count[i] > 0) {
      double below = split ? mo_subtree_cost(count[i]) : mo_leaf_cost(count[i]);
      mo_aabb bounds = {mo_f4_to_vec3(lower[i]), mo_f4_to_vec3(upper[i])};
      cost += below * mo_half_area_with_margin(&bounds, margin) / whole;
      cost += split ? 0 : c->block_cost * mo_leaf_cost(count[i]);
    }
  }
  return cost;
}

mo_split_plan mo_split_plan_irregular(const mo_scene *scene, const uint32_t *list_heads,
                                      uint32_t list_count, uint32_t total, const mo_aabb *cell,
                                      float slack) {
  const shape_source shapes = {scene, list_heads, list_count,
                               total > 2 * MO_PLAN_SAMPLE_SHAPES ? total / MO_PLAN_SAMPLE_SHAPES
                                                                 : 1};
  mo_split_plan plan = {.axes = 0};
  axis_bins axes[3];
  mo_aabb all = mo_aabb_empty();
  mo_f4 min[3], max[3]; /* minimum and maximum of the doubled centres, by lanes */
  for (int axis = 0; axis < 3; axis++) {
    axis_bins *s = &axes[axis];
    min[axis] = mo_f4_splat(INFINITY);
    max[axis] = mo_f4_splat(-INFINITY);
    for (int bin = 0; bin < MO_PLAN_BINS; bin++) {
      s->count[bin] = 0;
      s->extent[bin] = mo_f4_splat(INFINITY);
    }
  }
  bool small = total <= MO_LANE_COUNT * scene->options.capacity;
  total = 0; /* from here on: the number of shapes in the sample */
  block_cursor w;
  for (const mo_shape_block *b = first_block(&shapes, &w); b != NULL; b = next_block(&w)) {
    total += b->count;
    all = mo_aabb_union(all, mo_shape_block_bounds(b));
    for (int axis = 0; axis < 3; axis++) {
      /* Unused lanes give NaN, for which minimum and maximum return the second operand. */
      const float *lower = b->bounds.lower[axis], *upper = b->bounds.upper[axis];
      mo_f4 first = mo_f4_load(lower) + mo_f4_load(upper),
            second = mo_f4_load(lower + 4) + mo_f4_load(upper + 4);
      min[axis] = mo_f4_min(second, mo_f4_min(first, min[axis]));
      max[axis] = mo_f4_max(second, mo_f4_max(first, max[axis]));
    }
  }
  float widest = 0;
  for (int axis = 0; axis < 3; axis++) {
    axes[axis].min_doubled_center = min_of_lanes(min[axis]);
    axes[axis].max_doubled_center = max_of_lanes(max[axis]);
    widest = mo_max(widest, axes[axis].max_doubled_center - axes[axis].min_doubled_center);
  }
  plan.cost = plan.cost_as_leaves = (1 + mo_block_cost(scene)) * mo_leaf_cost(total);
  float narrowest = INFINITY;
  for (int axis = 0; axis < 3; axis++) {
    axis_bins *s = &axes[axis];
    float width = s->max_doubled_center - s->min_doubled_center;
    s->scale = (float)MO_PLAN_BINS / width;
    if (width > 0 && width >= MO_PLAN_MIN_SPREAD_SHARE * widest && isfinite(s->scale)) {
      plan.axes = (uint8_t)(plan.axes | 4u >> axis);
      narrowest = mo_min(narrowest, width);
    }
  }
  if (plan.axes == 0) {
    return plan;
  }
  /* The expected width of a child: half of the spread, which is half of the doubled spread. */
  float child_width = 0.25f * narrowest;
  float max_slack = mo_min(0.5f * (scene->options.looseness - 1) * child_width, slack);
  mo_f4 halves = mo_f4_splat(0); /* largest half extent of a shape for which the slack suffices */
  for (const mo_shape_block *b = first_block(&shapes, &w); b != NULL; b = next_block(&w)) {
    for (int axis = 0; axis < 3; axis++) {
      axis_bins *s = &axes[axis];
      if (!(plan.axes & 4u >> axis)) {
        continue;
      }
      int32_t bins[MO_LANE_COUNT];
      for (int i = 0; i < MO_LANE_COUNT; i += 4) {
        mo_f4 lower = mo_f4_load(b->bounds.lower[axis] + i),
              upper = mo_f4_load(b->bounds.upper[axis] + i);
        mo_i4 four = bins_of(lower + upper, s->min_doubled_center, s->scale);
        memcpy(bins + i, &four, sizeof four);
        mo_f4 reach = mo_f4_splat(0.5f) * (upper - lower);
        halves = mo_f4_select(reach <= mo_f4_splat(max_slack), mo_f4_max(reach, halves), halves);
      }
      for (uint32_t lane = 0; lane < b->count; lane++) {
        float lower = b->bounds.lower[axis][lane], upper = b->bounds.upper[axis][lane];
        int32_t bin = bins[lane];
        s->count[bin]++;
        s->extent[bin] = mo_f4_min((mo_f4){lower, -upper, 0, 0}, s->extent[bin]);
      }
    }
  }
  float half = max_of_lanes(halves);
  for (int axis = 0; axis < 3; axis++) {
    if (plan.axes & 4u >> axis) {
      float plane = best_plane(&shapes, total, axis, &axes[axis]);
      plan.plane[axis] = plane;
      if (!(plane > mo_get(cell->lower, axis) && plane < mo_get(cell->upper, axis))) {
        plan.axes = (uint8_t)(plan.axes & ~(4u >> axis));
      }
    }
  }
  /* Leaves work best with only the slack that their shapes need, plus a little for moving to and
   * fro. The slack of higher nodes only decides how large a shape must be to be stored there. */
  plan.slack = max_slack;
  if (small) {
    float spare =
        scene->many_leave_cells ? MO_PLAN_EXTRA_SLACK_MANY_LEAVE_CELLS : MO_PLAN_EXTRA_SLACK;
    plan.slack = mo_min(max_slack, half + spare * child_width);
  }
  side_classes c;
  classify_shapes(&shapes, cell, &plan, &c);
  uint32_t usable = 0;
  for (int axis = 0; axis < 3; axis++) {
    uint32_t bit = 4u >> axis;
    if (plan.axes & bit) {
      bool many = (float)c.straddlers[axis] > scene->options.max_straddlers * (float)total;
      plan.dropped_plane_count += many;
      usable |= many ? 0 : bit;
    }
  }
  double margin = MO_AREA_MARGIN * (double)widest;
  double whole = mo_half_area_with_margin(&all, margin);
  plan.axes = 0;
  for (uint32_t subset = 1; subset < MO_LANE_COUNT; subset++) {
    if ((subset & usable) == subset) {
      double cost = subset_cost(&c, subset, total, whole, margin, false);
      if (cost < plan.cost) {
        plan.cost = cost;
        plan.axes = (uint8_t)subset;
      }
    }
  }
  plan.cost_as_leaves = plan.cost;
  plan.cost = mo_leaf_cost(total);
  if (plan.axes) {
    plan.cost = subset_cost(&c, plan.axes, total, whole, margin, true);
  }
  return plan;
}
