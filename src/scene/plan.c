/* Planes for an irregular node.
 *
 * Per axis the best of 15 planes between bins of the shapes' middles, by the one-dimensional share
 * of the surface-area heuristic, among those that leave no side much less than half of the shapes:
 * balance bounds the depth whatever comes. Then the best subset of the three by the expected visits
 * of a line that meets the node: planes that too many shapes straddle, or that do not pay, are left
 * out. */
#include <string.h>

#include "scene/tree.h"

enum { BINS = 16, ZOOMS = 6 };

static const float LEAST_SHARE = 0.38f;

/* What a block costs in memory and upkeep, in visits. It decides between many leaves of few shapes
 * and fewer of more where the visits hardly differ: at 100,000 even boxes, 73 bytes a shape in
 * place of 104 for 1 % more visits. */
static const double BLOCK_PRICE = 0.1;

/* Axes along which the middles spread less than this share of the widest are not cut. */
static const float FLAT = 0.25f;

/* What is known of the shapes along one axis; middles are doubled: lower + upper. */
typedef struct spread {
  float middle_lower, middle_upper;
  float scale; /* bins per unit of doubled middle */
  uint32_t count[BINS];
  float lower[BINS], upper[BINS];
} spread;

static const mo_shape_block *first_block(const mo_scene *scene, uint32_t head) {
  return head == MO_NONE ? NULL : mo_shape_block_at(scene, head);
}

static const mo_shape_block *next_block(const mo_scene *scene, const mo_shape_block *block) {
  return first_block(scene, block->next);
}

static uint32_t bin_of(float middle, float from, float scale) {
  float x = (middle - from) * scale;
  return x >= (float)(BINS - 1) ? BINS - 1 : x > 0 ? (uint32_t)x : 0;
}

/* A plane with about half of the shapes on either side, found by zooming into the bin of the
 * median: for shapes so unevenly spread that almost all fall into one bin. */
static float median_plane(const mo_scene *scene, const uint32_t *heads, uint32_t head_count,
                          uint32_t total, int axis, float from, float to) {
  uint32_t below = 0;
  for (int zoom = 0; zoom < ZOOMS; zoom++) {
    float scale = (float)BINS / (to - from);
    if (!isfinite(scale)) {
      break;
    }
    uint32_t counts[BINS] = {0};
    for (uint32_t h = 0; h < head_count; h++) {
      for (const mo_shape_block *b = first_block(scene, heads[h]); b; b = next_block(scene, b)) {
        for (uint32_t lane = 0; lane < b->count; lane++) {
          float middle = b->bounds.lower[axis][lane] + b->bounds.upper[axis][lane];
          if (middle >= from && middle <= to) {
            counts[bin_of(middle, from, scale)]++;
          }
        }
      }
    }
    uint32_t bin = 0, sum = below;
    while (bin < BINS - 1 && sum + counts[bin] < total / 2) {
      sum += counts[bin++];
    }
    float step = (to - from) / (float)BINS;
    float left = from + step * (float)bin;
    float right = bin == BINS - 1 ? to : left + step;
    if ((float)sum >= LEAST_SHARE * (float)total) {
      return 0.5f * left;
    }
    if ((float)(total - sum - counts[bin]) >= LEAST_SHARE * (float)total) {
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

/* The best plane of an axis. */
static float best_plane(const mo_scene *scene, const uint32_t *heads, uint32_t head_count,
                        uint32_t total, int axis, const spread *s) {
  float upper_lower[BINS], upper_upper[BINS];
  float low = INFINITY, high = -INFINITY;
  for (int bin = BINS - 1; bin >= 0; bin--) {
    low = mo_min(low, s->lower[bin]);
    high = mo_max(high, s->upper[bin]);
    upper_lower[bin] = low;
    upper_upper[bin] = high;
  }
  low = INFINITY;
  high = -INFINITY;
  uint32_t below = 0;
  int best = 0;
  float best_cost = INFINITY;
  for (int bin = 1; bin < BINS; bin++) {
    low = mo_min(low, s->lower[bin - 1]);
    high = mo_max(high, s->upper[bin - 1]);
    below += s->count[bin - 1];
    float least = LEAST_SHARE * (float)total;
    if ((float)below < least || (float)(total - below) < least) {
      continue;
    }
    float cost = (float)below * (high - low) +
                 (float)(total - below) * (upper_upper[bin] - upper_lower[bin]);
    if (cost < best_cost) {
      best_cost = cost;
      best = bin;
    }
  }
  if (best == 0) {
    return median_plane(scene, heads, head_count, total, axis, s->middle_lower, s->middle_upper);
  }
  return 0.5f *
         (s->middle_lower + (s->middle_upper - s->middle_lower) * ((float)best / (float)BINS));
}

/* Shapes by the side of each plane they are on: low, high, both. As digits of a number to base 3.
 */
enum { SIDES = 3, CLASSES = 27, BOTH = 2 };

typedef struct classes {
  uint32_t count[CLASSES];
  mo_aabb bounds[CLASSES];
  uint32_t outside; /* reach out of the cell too far for any octant */
  uint32_t straddlers[3];
} classes;

static void classify(const mo_scene *scene, const uint32_t *heads, uint32_t head_count,
                     const mo_aabb *cell, const mo_plan *plan, classes *c) {
  memset(c, 0, sizeof *c);
  for (int i = 0; i < CLASSES; i++) {
    c->bounds[i] = mo_aabb_empty();
  }
  float s = plan->slack;
  for (uint32_t h = 0; h < head_count; h++) {
    for (const mo_shape_block *b = first_block(scene, heads[h]); b; b = next_block(scene, b)) {
      for (uint32_t lane = 0; lane < b->count; lane++) {
        mo_aabb box = mo_bounds8_get(&b->bounds, (int)lane);
        if (!mo_cell_holds(cell, s, &box)) {
          c->outside++;
          continue;
        }
        uint32_t class = 0;
        for (int axis = 0; axis < 3; axis++) {
          uint32_t side = 0;
          if (plan->axes & (4u >> axis)) {
            float lower = mo_get(box.lower, axis), upper = mo_get(box.upper, axis);
            float plane = plan->plane[axis];
            side = mo_side(lower, upper, plane);
            if (side ? lower < plane - s : upper > plane + s) {
              side = BOTH;
              c->straddlers[axis]++;
            }
          }
          class = class * SIDES + side;
        }
        c->count[class]++;
        c->bounds[class] = mo_aabb_union(c->bounds[class], box);
      }
    }
  }
}

/* Expected visits of a node cut by a subset of the planes; infinite if that separates nothing. As
 * usual with the heuristic the choice takes the octants for leaves; `split` expects more of them.
 */
static double subset_cost(const classes *c, uint32_t subset, uint32_t total, double whole,
                          double margin, bool split) {
  uint32_t count[MO_WIDTH] = {0};
  mo_aabb bounds[MO_WIDTH];
  for (int i = 0; i < MO_WIDTH; i++) {
    bounds[i] = mo_aabb_empty();
  }
  uint32_t stay = c->outside;
  for (uint32_t class = 0; class < CLASSES; class ++) {
    if (c->count[class] == 0) {
      continue;
    }
    uint32_t side[3] = {class / 9, class / 3 % 3, class % 3};
    uint32_t octant = 0;
    bool straddles = false;
    for (int axis = 0; axis < 3; axis++) {
      uint32_t bit = 4u >> axis;
      if (subset & bit) {
        straddles |= side[axis] == BOTH;
        octant |= side[axis] == 1 ? bit : 0;
      }
    }
    if (straddles) {
      stay += c->count[class];
    } else {
      count[octant] += c->count[class];
      bounds[octant] = mo_aabb_union(bounds[octant], c->bounds[class]);
    }
  }
  if (stay == total) {
    return INFINITY;
  }
  double cost = 1 + mo_leaf_cost(stay);
  for (int i = 0; i < MO_WIDTH; i++) {
    if (count[i] == total) {
      return INFINITY;
    }
    if (count[i] > 0) {
      double below = split ? mo_subtree_cost(count[i]) : mo_leaf_cost(count[i]);
      cost += below * mo_area(&bounds[i], margin) / whole;
      cost += split ? 0 : BLOCK_PRICE * mo_leaf_cost(count[i]);
    }
  }
  return cost;
}

mo_plan mo_plan_irregular(const mo_scene *scene, const uint32_t *heads, uint32_t head_count,
                          uint32_t total, const mo_aabb *cell, float slack) {
  mo_plan plan = {.cost = (1 + BLOCK_PRICE) * mo_leaf_cost(total)};
  spread axes[3];
  mo_aabb all = mo_aabb_empty();
  for (int axis = 0; axis < 3; axis++) {
    spread *s = &axes[axis];
    s->middle_lower = INFINITY;
    s->middle_upper = -INFINITY;
    for (int bin = 0; bin < BINS; bin++) {
      s->count[bin] = 0;
      s->lower[bin] = INFINITY;
      s->upper[bin] = -INFINITY;
    }
  }
  for (uint32_t h = 0; h < head_count; h++) {
    for (const mo_shape_block *b = first_block(scene, heads[h]); b; b = next_block(scene, b)) {
      all = mo_aabb_union(all, mo_block_bounds(b));
      for (int axis = 0; axis < 3; axis++) {
        spread *s = &axes[axis];
        for (uint32_t lane = 0; lane < b->count; lane++) {
          float middle = b->bounds.lower[axis][lane] + b->bounds.upper[axis][lane];
          s->middle_lower = mo_min(s->middle_lower, middle);
          s->middle_upper = mo_max(s->middle_upper, middle);
        }
      }
    }
  }
  float widest = 0;
  for (int axis = 0; axis < 3; axis++) {
    widest = mo_max(widest, axes[axis].middle_upper - axes[axis].middle_lower);
  }
  float narrowest = INFINITY;
  for (int axis = 0; axis < 3; axis++) {
    spread *s = &axes[axis];
    float width = s->middle_upper - s->middle_lower;
    s->scale = (float)BINS / width;
    if (width > 0 && width >= FLAT * widest && isfinite(s->scale)) {
      plan.axes = (uint8_t)(plan.axes | 4u >> axis);
      narrowest = mo_min(narrowest, width);
    }
  }
  if (plan.axes == 0) {
    return plan;
  }
  /* Half of a half of the doubled spread: what a child would be wide. */
  float child_width = 0.25f * narrowest;
  float most_slack = mo_min(0.5f * (scene->options.looseness - 1) * child_width, slack);
  float half = 0; /* of the largest shape that the slack may cover */
  for (uint32_t h = 0; h < head_count; h++) {
    for (const mo_shape_block *b = first_block(scene, heads[h]); b; b = next_block(scene, b)) {
      for (int axis = 0; axis < 3; axis++) {
        spread *s = &axes[axis];
        if (!(plan.axes & 4u >> axis)) {
          continue;
        }
        for (uint32_t lane = 0; lane < b->count; lane++) {
          float lower = b->bounds.lower[axis][lane], upper = b->bounds.upper[axis][lane];
          uint32_t bin = bin_of(lower + upper, s->middle_lower, s->scale);
          s->count[bin]++;
          s->lower[bin] = mo_min(s->lower[bin], lower);
          s->upper[bin] = mo_max(s->upper[bin], upper);
          float reach = 0.5f * (upper - lower);
          half = reach <= most_slack ? mo_max(half, reach) : half;
        }
      }
    }
  }
  for (int axis = 0; axis < 3; axis++) {
    if (plan.axes & 4u >> axis) {
      float plane = best_plane(scene, heads, head_count, total, axis, &axes[axis]);
      plan.plane[axis] = plane;
      if (!(plane > mo_get(cell->lower, axis) && plane < mo_get(cell->upper, axis))) {
        plan.axes = (uint8_t)(plan.axes & ~(4u >> axis));
      }
    }
  }
  /* Leaves are better with no more slack than their shapes need, and a little for moving to and
   * fro; the slack of higher nodes only decides how large a shape has to be to stay there. */
  plan.slack = most_slack;
  if (total <= MO_WIDTH * scene->options.capacity) {
    plan.slack = mo_min(most_slack, 1.1f * half + 0.05f * child_width);
  }
  classes c;
  classify(scene, heads, head_count, cell, &plan, &c);
  uint32_t usable = 0;
  for (int axis = 0; axis < 3; axis++) {
    uint32_t bit = 4u >> axis;
    if (plan.axes & bit) {
      bool many = (float)c.straddlers[axis] > scene->options.max_straddlers * (float)total;
      plan.dropped += many;
      usable |= many ? 0 : bit;
    }
  }
  double margin = 1e-3 * (double)widest;
  double whole = mo_area(&all, margin);
  plan.axes = 0;
  for (uint32_t subset = 1; subset < MO_WIDTH; subset++) {
    if ((subset & usable) == subset) {
      double cost = subset_cost(&c, subset, total, whole, margin, false);
      if (cost < plan.cost) {
        plan.cost = cost;
        plan.axes = (uint8_t)subset;
      }
    }
  }
  plan.cost = mo_leaf_cost(total);
  if (plan.axes) {
    plan.cost = subset_cost(&c, plan.axes, total, whole, margin, true);
  }
  return plan;
}
