/* The reference traversal of one node. */
#include "octree/plane_walk.h"

typedef struct walk {
  const mo_ray *ray;
  const mo_bounds8 *bounds;
  const uint8_t *axis;
  mo_visit_octant *visit;
  void *context;
} walk;

/* How far the children below nested plane `k` (8 to 15: one slot) reach along an axis. */
static float reach(const mo_bounds8 *bounds, uint32_t k, int axis, bool upper) {
  uint32_t first = k, last = k;
  while (first < MO_WIDTH) {
    first = 2 * first;
    last = 2 * last + 1;
  }
  float result = upper ? -INFINITY : INFINITY;
  for (uint32_t slot = first - MO_WIDTH; slot <= last - MO_WIDTH; slot++) {
    result = upper ? mo_max(result, bounds->upper[axis][slot])
                   : mo_min(result, bounds->lower[axis][slot]);
  }
  return result;
}

static bool walk_cell(const walk *w, uint32_t k, float t0, float t1) {
  if (t0 > t1) {
    return false;
  }
  if (k >= MO_WIDTH) {
    return w->visit(k - MO_WIDTH, t0, t1, w->context);
  }
  uint32_t axis = w->axis[k];
  if (axis > 2) {
    return walk_cell(w, 2 * k, t0, t1);
  }
  const mo_ray *ray = w->ray;
  bool negative = ray->signs >> axis & 1;
  float low_end = reach(w->bounds, 2 * k, (int)axis, true);
  float high_end = reach(w->bounds, 2 * k + 1, (int)axis, false);
  uint32_t near_side = 2 * k + negative, far_side = 2 * k + !negative;
  float near_end = negative ? high_end : low_end;
  float far_end = negative ? low_end : high_end;
  float leave = (near_end - ray->far_origin[axis]) * ray->inverse[axis];
  float enter = (far_end - ray->near_origin[axis]) * ray->inverse[axis];
  return walk_cell(w, near_side, t0, mo_min(t1, leave)) ||
         walk_cell(w, far_side, mo_max(t0, enter), t1);
}

bool mo_walk_planes(const mo_ray *ray, const mo_bounds8 *bounds, const uint8_t axis[8], float t0,
                    float t1, mo_visit_octant *visit, void *context) {
  walk w = {ray, bounds, axis, visit, context};
  return walk_cell(&w, 1, t0, t1);
}
