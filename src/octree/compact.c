/* Quantises boxes conservatively (compact.h): the decoded box contains the exact one. */
#include "octree/compact.h"

#include "base/assert.h"

static float decode_side(const mo_compact_boxes8 *compact, int axis, uint32_t number) {
  return compact->origin[axis] + (float)number * mo_compact_scale(compact, axis);
}

/* Sets the smallest scale with which the grid reaches `end` along an axis. */
static void set_scale(mo_compact_boxes8 *compact, int axis, float end) {
  double size = (double)end - compact->origin[axis];
  int exponent = 0;
  if (size > 0.0) {
    frexp(size / MO_GRID_MAX, &exponent); /* the argument is m * 2^exponent with 0.5 <= m < 1 */
    exponent += 126;
  }
  compact->exponent[axis] = (uint8_t)(exponent < 1 ? 1 : exponent > 254 ? 254 : exponent);
  while (decode_side(compact, axis, MO_GRID_MAX) < end) {
    compact->exponent[axis]++; /* terminates, as coordinates are far below the largest float */
  }
}

/* The greatest grid number that decodes to at most `lower`. There is one, as the grid begins at or
 * below `lower`. */
static uint32_t round_down_to_grid(const mo_compact_boxes8 *compact, int axis, float lower) {
  double steps = ((double)lower - compact->origin[axis]) / mo_compact_scale(compact, axis);
  uint32_t number = steps < MO_GRID_MAX ? (uint32_t)steps : MO_GRID_MAX;
  while (decode_side(compact, axis, number) > lower) {
    number--;
  }
  while (number < MO_GRID_MAX && decode_side(compact, axis, number + 1) <= lower) {
    number++;
  }
  return number;
}

/* The least grid number that decodes to at least `upper`. */
static uint32_t round_up_to_grid(const mo_compact_boxes8 *compact, int axis, float upper) {
  double steps = ((double)upper - compact->origin[axis]) / mo_compact_scale(compact, axis);
  uint32_t number = steps < MO_GRID_MAX ? (uint32_t)ceil(steps) : MO_GRID_MAX;
  while (decode_side(compact, axis, number) < upper) {
    number++;
  }
  while (number > 0 && decode_side(compact, axis, number - 1) >= upper) {
    number--;
  }
  return number;
}

void mo_compact_set(mo_compact_boxes8 *compact, const mo_bounds8 *bounds) {
  mo_aabb all = mo_bounds8_union(bounds);
  bool none = mo_aabb_is_empty(all);
  for (int axis = 0; axis < 3; axis++) {
    uint8_t *lower = compact->side + axis * MO_LANE_COUNT, *upper = lower + 3 * MO_LANE_COUNT;
    compact->origin[axis] = none ? 0.0f : mo_get(all.lower, axis);
    set_scale(compact, axis, none ? 0.0f : mo_get(all.upper, axis));
    for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
      bool empty = mo_aabb_is_empty(mo_bounds8_get(bounds, slot));
      lower[slot] = empty ? MO_GRID_MAX
                          : (uint8_t)round_down_to_grid(compact, axis, bounds->lower[axis][slot]);
      upper[slot] = empty ? 0 : (uint8_t)round_up_to_grid(compact, axis, bounds->upper[axis][slot]);
      MO_ASSERT(empty || (decode_side(compact, axis, lower[slot]) <= bounds->lower[axis][slot] &&
                          decode_side(compact, axis, upper[slot]) >= bounds->upper[axis][slot]));
    }
  }
}

bool mo_compact_is_sound(const mo_compact_boxes8 *compact) {
  for (int axis = 0; axis < 3; axis++) {
    if (!(fabsf(compact->origin[axis]) <= MO_MAX_COORDINATE) || compact->exponent[axis] < 1 ||
        !(decode_side(compact, axis, MO_GRID_MAX) <= 4.0f * MO_MAX_COORDINATE)) {
      return false;
    }
  }
  return true;
}
