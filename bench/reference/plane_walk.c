/* The reference traversal of the octants of one node. */
#include "reference/plane_walk.h"

/* The extreme coordinate, lower or upper, of the children on a side (a slot, or MO_LANE_COUNT + a
 * plane) along an axis. */
static float reach(const reference_plane_walk *w, uint32_t side, int axis, bool upper) {
  if (side < MO_LANE_COUNT) {
    return upper ? w->bounds->upper[axis][side] : w->bounds->lower[axis][side];
  }
  float a = reach(w, mo_nested_planes_side(w->planes, side - MO_LANE_COUNT, 0), axis, upper);
  float b = reach(w, mo_nested_planes_side(w->planes, side - MO_LANE_COUNT, 1), axis, upper);
  return upper ? mo_max(a, b) : mo_min(a, b);
}

static bool walk_side(const reference_plane_walk *w, uint32_t side, float t0, float t1) {
  if (t0 > t1) {
    return false;
  }
  if (side < MO_LANE_COUNT) {
    return w->visit(side, t0, t1, w->context);
  }
  uint32_t plane = side - MO_LANE_COUNT;
  uint32_t axis = w->planes->axis[plane];
  uint32_t below = mo_nested_planes_side(w->planes, plane, 0);
  uint32_t above = mo_nested_planes_side(w->planes, plane, 1);
  const mo_ray *ray = w->ray;
  bool negative = ray->signs >> axis & 1;
  float low_end = reach(w, below, (int)axis, true);
  float high_end = reach(w, above, (int)axis, false);
  float near_end = negative ? high_end : low_end;
  float far_end = negative ? low_end : high_end;
  float leave = near_end * ray->inverse[axis] - ray->far_shift[axis];
  float enter = far_end * ray->inverse[axis] - ray->near_shift[axis];
  return walk_side(w, negative ? above : below, t0, mo_min(t1, leave)) ||
         walk_side(w, negative ? below : above, mo_max(t0, enter), t1);
}

bool reference_walk_planes(const reference_plane_walk *walk, float t0, float t1) {
  return walk_side(walk, mo_nested_planes_root(walk->planes), t0, t1);
}
