/* Affine transforms: inverse, condition, and conservative boxes in both directions.
 *
 * mo_affine_point_to_world fixes the order of operations. Rounding is monotonic, so over a box each
 * world coordinate has its extremes, rounding included, at corners of the box. Evaluating the same
 * operations at the corners gives bounds that need no margin except for the rounding to float. */
#include "math/affine.h"

#include <string.h>

#include "math/affine_four.h"
#include "math/check.h"

mo_result mo_affine_init(mo_affine *affine, const mo_transform *to_world) {
  if (!mo_is_in_range(to_world->x_axis) || !mo_is_in_range(to_world->y_axis) ||
      !mo_is_in_range(to_world->z_axis) || !mo_is_in_range(to_world->origin)) {
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

mo_vec3 mo_normalize_any_length(mo_dvec3 n) {
  double largest = mo_dmax_magnitude(n);
  if (!(largest > 0)) {
    return mo_vec(0, 0, 0);
  }
  n = mo_ddivide(n, largest);
  return mo_narrow(mo_dscale(1 / sqrt(mo_ddot(n, n)), n));
}

bool mo_affine_mirrors(const mo_affine *affine) {
  const mo_transform *map = &affine->to_world;
  return mo_ddot(mo_dcross(mo_widen(map->x_axis), mo_widen(map->y_axis)), mo_widen(map->z_axis)) <
         0;
}
