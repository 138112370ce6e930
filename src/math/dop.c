/* The k-DOP of a set of points, and AABBs of its images; see dop.h. */
#include "math/dop.h"

/* Directions are numbered in base 3, with a digit per axis: 0 for zero, 1 for plus, 2 for minus. */
enum { DIRECTION_COUNT = 27 };

static double inverse_or_zero(double half) {
  return half > 0 ? 1 / half : 0;
}

/* Calls `support` for all directions, in a space where the box reaches from -1 to 1. */
static void find_supports(mo_dvec3 middle, mo_dvec3 half, mo_dop_support *support,
                          const void *points, double found[DIRECTION_COUNT]) {
  static const double sign[3] = {0, 1, -1};
  mo_dvec3 unit =
      mo_dvec(inverse_or_zero(half.x), inverse_or_zero(half.y), inverse_or_zero(half.z));
  found[0] = 0;
  for (int i = 1; i < DIRECTION_COUNT; i++) {
    found[i] = 0.0 + support(points, middle,
                             mo_dvec(sign[i % 3] * unit.x, sign[i / 3 % 3] * unit.y,
                                     sign[i / 9] * unit.z));
  }
}

/* Sorts the axes by the components of a direction, from the largest to the smallest. */
static void sort_axes(uint32_t order, int axes[3]) {
  int y_over_x = order & 1, z_over_y = order >> 1 & 1, z_over_x = order >> 2 & 1;
  int x = y_over_x + z_over_x, y = !y_over_x + z_over_y;
  axes[0] = axes[1] = axes[2] = 2;
  axes[x] = 0;
  axes[y] = 1;
  if (x == y) {
    axes[0] = 0, axes[1] = 1, axes[2] = 2; /* a contradictory order, which never occurs */
  }
}

/* mo_dop.slack relative to the reach, the largest coordinates of the points. The error of images,
 * except for a relative 2^-24, must be less than |row| . slack. The error consists of:
 * - points are rounded to float: 2^-24 of the reach;
 * - the sizes by which components are sorted have a relative error of 2^-22, so weights may be
 *   negative by as much; they multiply supports that differ from the next by at most 2: 2^-21;
 * - in double, supports, points, images and their bounds by some 2^-50, of the origin too. */
#define IMAGE_SLACK 0x1p-19f

void mo_dop_init(mo_dop *dop, mo_aabb box, mo_dop_support *support, const void *points) {
  static const int digit[3] = {1, 3, 9};
  mo_dvec3 lower = mo_widen(box.lower), upper = mo_widen(box.upper);
  mo_dvec3 middle = mo_dscale(0.5, mo_dadd(lower, upper));
  mo_dvec3 half = mo_dscale(0.5, mo_dsub(upper, lower));
  const double middles[3] = {middle.x, middle.y, middle.z}, halves[3] = {half.x, half.y, half.z};
  const float min = 0x1p-120f;
  mo_vec3 reach = mo_aabb_max_coordinates(box);
  dop->box = box;
  dop->half = mo_narrow(half);
  dop->slack = mo_add(mo_scale(IMAGE_SLACK, reach), mo_vec(min, min, min));
  double found[DIRECTION_COUNT];
  find_supports(middle, half, support, points, found);
  for (uint32_t i = 0; i < MO_DOP_POINTS; i++) {
    int axes[3], direction = 0;
    double before = 0;
    sort_axes(i >> 3, axes);
    dop->point[i][3] = 0;
    for (int k = 0; k < 3; k++) {
      int axis = axes[k];
      bool negative = i >> axis & 1;
      direction += digit[axis] << negative;
      double step = found[direction] - before;
      before = found[direction];
      dop->point[i][axis] = (float)(middles[axis] + halves[axis] * (negative ? -step : step));
    }
  }
}

/* Moves bits 0, 1 and 2 to the lowest bits of bytes 0, 1 and 2. */
static inline uint32_t spread_bits(uint32_t bits) {
  return (bits & 7) * 0x4081 & 0x10101;
}

/* The indices of the points for the three rows of a map's linear part, one per byte. */
static inline uint32_t point_indices(const mo_f4 column[3], const mo_dop *dop) {
  mo_f4 x = mo_f4_abs(column[0]) * mo_f4_splat(dop->half.x);
  mo_f4 y = mo_f4_abs(column[1]) * mo_f4_splat(dop->half.y);
  mo_f4 z = mo_f4_abs(column[2]) * mo_f4_splat(dop->half.z);
  return spread_bits(mo_f4_signs(column[0])) | spread_bits(mo_f4_signs(column[1])) << 1 |
         spread_bits(mo_f4_signs(column[2])) << 2 | spread_bits(mo_i4_bits(y > x)) << 3 |
         spread_bits(mo_i4_bits(z > y)) << 4 | spread_bits(mo_i4_bits(z > x)) << 5;
}

/* The largest coordinates of the images on the three world axes, rounded to nearest; `points` has
 * one point index per byte. */
MO_INLINE mo_f4 max_image_coordinates(const mo_dop *dop, uint32_t points, const mo_f4 column[3],
                                      mo_f4 origin) {
  mo_f4 at[4];
  for (uint32_t axis = 0; axis < 3; axis++) {
    at[axis] = mo_f4_load(dop->point[points >> 8 * axis & (MO_DOP_POINTS - 1)]);
  }
  at[3] = at[2];
  mo_f4_transpose(at);
  mo_d4 sum = __builtin_convertvector(origin, mo_d4);
  for (int i = 0; i < 3; i++) {
    sum += __builtin_convertvector(at[i], mo_d4) * __builtin_convertvector(column[i], mo_d4);
  }
  return __builtin_convertvector(sum, mo_f4);
}

/* All ones in the lanes of world axes to which at most one local axis contributes. */
static inline mo_i4 single_term_axes(const mo_f4 column[3]) {
  const mo_f4 zero = mo_f4_splat(0);
  mo_i4 x = column[0] == zero, y = column[1] == zero, z = column[2] == zero;
  return (x & y) | (y & z) | (z & x);
}

void mo_dop_image(const mo_dop *dop, const mo_affine *affine, mo_f4 *lower, mo_f4 *upper) {
  const mo_transform *map = &affine->to_world;
  const mo_f4 column[3] = {mo_f4_from(&map->x_axis, 0), mo_f4_from(&map->y_axis, 0),
                           mo_f4_from(&map->z_axis, 0)};
  const mo_f4 origin = mo_f4_from(&map->origin, 0);
  uint32_t points = point_indices(column, dop);
  mo_f4 top = max_image_coordinates(dop, points, column, origin);
  mo_f4 bottom = max_image_coordinates(dop, points ^ 0x70707, column, origin);
  mo_f4 margin = mo_f4_abs(column[0]) * mo_f4_splat(dop->slack.x) +
                 mo_f4_abs(column[1]) * mo_f4_splat(dop->slack.y) +
                 mo_f4_abs(column[2]) * mo_f4_splat(dop->slack.z) +
                 (mo_f4_abs(origin) * mo_f4_splat(0x1p-40f) + mo_f4_splat(0x1p-120f));
  /* The rounding to nearest, here and above, is smaller than the margin that is added. */
  *upper = top + (mo_f4_abs(top) * mo_f4_splat(0x1p-23f) + margin);
  *lower = bottom - (mo_f4_abs(bottom) * mo_f4_splat(0x1p-23f) + margin);
  /* Along world axes to which at most one local axis contributes, the image of the box is exact. */
  mo_i4 plain = single_term_axes(column);
  if (mo_f4_any(plain)) {
    mo_f4 low, high;
    mo_affine_box_image(column, origin, &dop->box, &low, &high);
    *lower = mo_f4_select(plain, low, *lower);
    *upper = mo_f4_select(plain, high, *upper);
  }
}
