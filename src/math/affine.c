/* Affine transforms: inverse, condition, and conservative boxes in both directions.
 *
 * mo_affine_point_to_world fixes the order of operations. Rounding is monotonic, so over a box each
 * world coordinate has its extremes, rounding included, at corners of the box. Evaluating the same
 * operations at the corners gives bounds that need no margin except for the rounding to float. */
#include "math/affine.h"

#include <string.h>

#include "math/affine_four.h"
#include "math/check.h"

/* The columns of the linear part of a transform. */
static void affine_columns(const mo_transform *transform, mo_dvec3 columns[3]) {
  columns[0] = mo_widen(transform->x_axis);
  columns[1] = mo_widen(transform->y_axis);
  columns[2] = mo_widen(transform->z_axis);
}

static double length(mo_dvec3 v) {
  return sqrt(mo_ddot(v, v));
}

static bool is_in_range(mo_vec3 v) {
  return fabsf(v.x) <= MO_MAX_COORDINATE && fabsf(v.y) <= MO_MAX_COORDINATE &&
         fabsf(v.z) <= MO_MAX_COORDINATE;
}

/* The rows of the inverse of the linear part, from the stored columns. */
static void inverse_rows(const mo_affine *affine, mo_dvec3 rows[3]) {
  for (int i = 0; i < 3; i++) {
    rows[i] = mo_dvec(affine->inverse[0][i], affine->inverse[1][i], affine->inverse[2][i]);
  }
}

mo_result mo_affine_init(mo_affine *affine, const mo_transform *to_world) {
  if (!is_in_range(to_world->x_axis) || !is_in_range(to_world->y_axis) ||
      !is_in_range(to_world->z_axis) || !is_in_range(to_world->origin)) {
    return mo_check_transform(to_world, NULL);
  }
  affine->to_world = *to_world;
  mo_affine_set_inverse(affine);
  return MO_OK;
}

mo_dvec3 mo_affine_point_to_world(const mo_affine *affine, mo_vec3 point) {
  const mo_transform *map = &affine->to_world;
  mo_dvec3 image = mo_dadd(mo_widen(map->origin), mo_dscale(point.x, mo_widen(map->x_axis)));
  image = mo_dadd(image, mo_dscale(point.y, mo_widen(map->y_axis)));
  return mo_dadd(image, mo_dscale(point.z, mo_widen(map->z_axis)));
}

mo_vec3 mo_affine_point_to_world_float(const mo_affine *affine, mo_vec3 point) {
  return mo_narrow(mo_affine_point_to_world(affine, point));
}

mo_aabb mo_affine_aabb_to_world(const mo_affine *affine, mo_aabb box) {
  if (mo_aabb_is_empty(box)) {
    return mo_aabb_empty();
  }
  const mo_transform *map = &affine->to_world;
  const mo_f4 column[3] = {mo_f4_from(&map->x_axis, 0), mo_f4_from(&map->y_axis, 0),
                           mo_f4_from(&map->z_axis, 0)};
  mo_f4 lower, upper;
  mo_affine_box_image(column, mo_f4_from(&map->origin, 0), &box, &lower, &upper);
  return (mo_aabb){mo_f4_to_vec3(lower), mo_f4_to_vec3(upper)};
}

/* The margin, per local axis, by which the computed preimage of a world region must be widened to
 * contain the exact one.
 *
 * Notation: A the linear part, o the origin, R its true inverse, S the stored rows, p a local
 * point, w = fl(o + A p) its computed image, which lies in the region, d = w - o with |d| <= reach,
 * e the rounding error of w. All bounds are per component; |M| is the matrix of absolute values.
 *
 *   p = R (d - e), and the preimage is computed as S d, so |p - S d| <= |R - S| reach + |R| |e|.
 *
 * S differs from R by the rounding of the double computation, relative 2^-46 given the
 * amplification, and by the rounding to float, relative 2^-24 or absolute 2^-150: |R - S| <= 2^-23
 * |S| + 2^-149.
 *
 * Three sums round in w: |e| <= 2^-51 (|o| + |A| |p|) and |p| <= |R| (reach + |e|), so |e| is at
 * most the limit of the iteration |e| = eps (|o| + |A| |R| (reach + |e|)) that starts with |e| = 0.
 * In the expanded terms, a chain of factors that visits no axis twice has at most two steps, and
 * each repeated axis contributes a factor below 24 eps, so three iterations with twice eps exceed
 * the limit. Eps is 2^-48 rather than 2^-51, because the exact tests of triangles in double
 * precision have that error, and culling must not be stricter than they are.
 *
 * The result is doubled once more, which covers the rounding of this computation. */
static mo_dvec3 to_local_margin(const mo_affine *affine, mo_dvec3 reach) {
  const double eps = 0x1p-47;
  mo_dvec3 rows[3], columns[3];
  inverse_rows(affine, rows);
  affine_columns(&affine->to_world, columns);
  for (int i = 0; i < 3; i++) {
    rows[i] = mo_dabs(rows[i]);
    columns[i] = mo_dabs(columns[i]);
  }
  mo_dvec3 origin = mo_dabs(mo_widen(affine->to_world.origin));
  mo_dvec3 error = mo_dvec(0, 0, 0);
  for (int step = 0; step < 3; step++) {
    mo_dvec3 world = mo_dadd(reach, error);
    mo_dvec3 sum = mo_dadd(origin, mo_dscale(mo_ddot(rows[0], world), columns[0]));
    sum = mo_dadd(sum, mo_dscale(mo_ddot(rows[1], world), columns[1]));
    sum = mo_dadd(sum, mo_dscale(mo_ddot(rows[2], world), columns[2]));
    error = mo_dscale(eps, sum);
  }
  mo_dvec3 slack = mo_dadd(mo_dscale(0x1p-22, reach), mo_dscale(2, error));
  double subnormal = 0x1p-148 * (reach.x + reach.y + reach.z);
  return mo_dvec(mo_ddot(rows[0], slack) + subnormal, mo_ddot(rows[1], slack) + subnormal,
                 mo_ddot(rows[2], slack) + subnormal);
}

/* Assembles a box from centre and half extents. */
static mo_aabb box_around(mo_dvec3 center, mo_dvec3 half) {
  return mo_aabb_around(mo_dsub(center, half), mo_dadd(center, half));
}

/* The rounding error of the box's centre and half extents is up to 2^-52 of its coordinates: small
 * relative to the margin. */
mo_aabb mo_affine_aabb_to_local(const mo_affine *affine, mo_aabb box) {
  if (mo_aabb_is_empty(box)) {
    return mo_aabb_empty();
  }
  mo_dvec3 origin = mo_widen(affine->to_world.origin);
  mo_dvec3 lower = mo_dsub(mo_widen(box.lower), origin);
  mo_dvec3 upper = mo_dsub(mo_widen(box.upper), origin);
  mo_dvec3 center = mo_dscale(0.5, mo_dadd(lower, upper));
  mo_dvec3 half = mo_dscale(0.5, mo_dsub(upper, lower));
  mo_dvec3 margin = to_local_margin(affine, mo_dadd(mo_dabs(center), half));
  mo_dvec3 rows[3];
  inverse_rows(affine, rows);
  return box_around(
      mo_dvec(mo_ddot(rows[0], center), mo_ddot(rows[1], center), mo_ddot(rows[2], center)),
      mo_dvec(mo_ddot(mo_dabs(rows[0]), half) + margin.x,
              mo_ddot(mo_dabs(rows[1]), half) + margin.y,
              mo_ddot(mo_dabs(rows[2]), half) + margin.z));
}

mo_aabb mo_affine_sphere_to_local(const mo_affine *affine, mo_sphere sphere) {
  mo_dvec3 center = mo_dsub(mo_widen(sphere.center), mo_widen(affine->to_world.origin));
  double radius = sphere.radius;
  mo_dvec3 reach = mo_dadd(mo_dabs(center), mo_dvec(radius, radius, radius));
  mo_dvec3 margin = to_local_margin(affine, reach);
  mo_dvec3 rows[3];
  inverse_rows(affine, rows);
  return box_around(
      mo_dvec(mo_ddot(rows[0], center), mo_ddot(rows[1], center), mo_ddot(rows[2], center)),
      mo_dvec(radius * length(rows[0]) + margin.x, radius * length(rows[1]) + margin.y,
              radius * length(rows[2]) + margin.z));
}

mo_vec3 mo_normalize_any_length(mo_dvec3 n) {
  double largest = fmax(fmax(fabs(n.x), fabs(n.y)), fabs(n.z));
  if (!(largest > 0)) {
    return mo_vec(0, 0, 0);
  }
  n = mo_dvec(n.x / largest, n.y / largest, n.z / largest);
  return mo_narrow(mo_dscale(1 / sqrt(mo_ddot(n, n)), n));
}

bool mo_affine_mirrors(const mo_affine *affine) {
  mo_dvec3 column[3];
  affine_columns(&affine->to_world, column);
  return mo_ddot(mo_dcross(column[0], column[1]), column[2]) < 0;
}
