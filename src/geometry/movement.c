/* Movements between transforms: motte/movement.h. They have no host, so errors are not logged.
 */
#include <float.h>
#include <motte/movement.h>

#include "geometry/cast/rotating.h"
#include "math/check.h"

/* How much the dot products of a rotation matrix's columns may differ from 0 and 1 by rounding. */
static const double rotation_tolerance = 1e-3;

typedef struct matrix {
  mo_dvec3 column[3];
} matrix;

static matrix linear_part(const mo_transform *t) {
  return (matrix){{mo_widen(t->x_axis), mo_widen(t->y_axis), mo_widen(t->z_axis)}};
}

/* The linear map from one pose to another: `to` times the inverse of `from`. False if `from` has no
 * inverse.
 */
static bool find_linear_map(const matrix *from, const matrix *to, matrix *rotation) {
  const mo_dvec3 *c = from->column;
  const mo_dvec3 row[3] = {mo_dcross(c[1], c[2]), mo_dcross(c[2], c[0]), mo_dcross(c[0], c[1])};
  double determinant = mo_ddot(c[0], row[0]);
  if (determinant == 0.0) {
    return false;
  }
  *rotation = (matrix){{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
  for (int i = 0; i < 3; ++i) {
    mo_dvec3 inverse = mo_dscale(1.0 / determinant, row[i]);
    const mo_dvec3 image = to->column[i];
    rotation->column[0] = mo_dadd(rotation->column[0], mo_dscale(inverse.x, image));
    rotation->column[1] = mo_dadd(rotation->column[1], mo_dscale(inverse.y, image));
    rotation->column[2] = mo_dadd(rotation->column[2], mo_dscale(inverse.z, image));
  }
  return true;
}

static bool is_rotation(const matrix *m) {
  double off = 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      off = fmax(off, fabs(mo_ddot(m->column[i], m->column[j]) - (i == j ? 1.0 : 0.0)));
    }
  }
  return off <= rotation_tolerance &&
         mo_ddot(mo_dcross(m->column[0], m->column[1]), m->column[2]) > 0.0;
}

/* The axis of a rotation matrix, of any length, and its angle. With a sine `s`, a cosine `c` and
 * the unit axis u, the matrix is c + (1 - c) u u' + s (u x). So its antisymmetric part gives the
 * axis; near half a turn, where s vanishes, the symmetric part does. */
static void find_axis(const matrix *m, mo_dvec3 *axis, double *angle) {
  const mo_dvec3 *c = m->column;
  mo_dvec3 antisymmetric = {0.5 * (c[1].z - c[2].y), 0.5 * (c[2].x - c[0].z),
                            0.5 * (c[0].y - c[1].x)};
  double sine = mo_dlength(antisymmetric), cosine = 0.5 * (c[0].x + c[1].y + c[2].z - 1.0);
  *axis = antisymmetric;
  *angle = atan2(sine, cosine);
  if (cosine < 0.0) {
    const mo_dvec3 symmetric[3] = {
        {c[0].x - cosine, 0.5 * (c[0].y + c[1].x), 0.5 * (c[0].z + c[2].x)},
        {0.5 * (c[0].y + c[1].x), c[1].y - cosine, 0.5 * (c[1].z + c[2].y)},
        {0.5 * (c[0].z + c[2].x), 0.5 * (c[1].z + c[2].y), c[2].z - cosine}};
    mo_dvec3 along = symmetric[mo_largest_of_three(symmetric[0].x, symmetric[1].y, symmetric[2].z)];
    *axis = mo_ddot(along, antisymmetric) < 0.0 ? mo_dscale(-1.0, along) : along;
  }
}

mo_result mo_movement_between(const mo_transform *from, const mo_transform *to,
                              mo_movement *movement) {
  if (from == NULL || to == NULL || movement == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_result result = mo_check_transform(from, NULL);
  if (result == MO_OK) {
    result = mo_check_transform(to, NULL);
  }
  if (result != MO_OK) {
    return result;
  }
  const matrix parts[2] = {linear_part(from), linear_part(to)};
  matrix rotation;
  if (!find_linear_map(&parts[0], &parts[1], &rotation) || !is_rotation(&rotation)) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  mo_vec3 displacement = mo_sub(to->origin, from->origin);
  result = mo_check_point(displacement, NULL, "");
  if (result == MO_OK) {
    mo_dvec3 axis;
    double angle;
    find_axis(&rotation, &axis, &angle);
    *movement = (mo_movement){.displacement = displacement, .pivot = from->origin};
    double length = mo_dlength(axis);
    if (length > 0.0) {
      movement->axis = mo_narrow(mo_dscale(1.0 / length, axis));
      movement->angle = (float)angle;
    }
  }
  return result;
}

mo_result mo_movement_transform(const mo_movement *movement, float t, const mo_transform *from,
                                mo_transform *to) {
  if (movement == NULL || from == NULL || to == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_result result = mo_movement_check(movement, NULL);
  if (result == MO_OK) {
    result = mo_check_transform(from, NULL);
  }
  if (result == MO_OK) {
    result = mo_check_size(t, FLT_MAX, NULL, "");
  }
  if (result == MO_OK && t > 1.0f) {
    result = MO_ERROR_INVALID_ARGUMENT;
  }
  if (result != MO_OK) {
    return result;
  }
  const mo_moving_body moving = {.rotation = mo_rotation_of_movement(movement)};
  mo_dvec3 shift = mo_dscale(t, mo_widen(movement->displacement));
  mo_dvec3 origin = mo_moving_point_at(&moving, t, shift, mo_widen(from->origin));
  const mo_transform made = {
      .x_axis = mo_narrow(mo_rotate_at(&moving.rotation, t, mo_widen(from->x_axis))),
      .y_axis = mo_narrow(mo_rotate_at(&moving.rotation, t, mo_widen(from->y_axis))),
      .z_axis = mo_narrow(mo_rotate_at(&moving.rotation, t, mo_widen(from->z_axis))),
      .origin = mo_narrow(origin),
  };
  result = mo_check_transform(&made, NULL);
  if (result == MO_OK) {
    *to = made;
  }
  return result;
}
