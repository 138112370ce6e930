/* The transforms and planes of motte/math.h.
 *
 * cglm does the matrix operations. Its functions take non-const arguments, and its mat4 requires an
 * alignment that depends on compiler flags, so user arrays are copied to locals first. */
#include <cglm/cglm.h>
#include <string.h>

#include "math/vector.h"

mo_transform mo_transform_identity(void) {
  return (mo_transform){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
}

/* Computed in double and rounded once: the squares of a legal quaternion may overflow or underflow
 * in float, and cglm sums them in an order that depends on the machine. */
mo_transform mo_transform_make(mo_vec3 translation, mo_quat rotation, mo_vec3 scale) {
  double x = rotation.x, y = rotation.y, z = rotation.z, w = rotation.w;
  double square = x * x + y * y + z * z + w * w;
  double s = square > 0.0 ? 2.0 / square : 0.0; /* 0 for a zero quaternion: no rotation */
  mo_dvec3 x_axis = {1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)};
  mo_dvec3 y_axis = {s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)};
  mo_dvec3 z_axis = {s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)};
  return (mo_transform){
      .x_axis = mo_narrow(mo_dscale(scale.x, x_axis)),
      .y_axis = mo_narrow(mo_dscale(scale.y, y_axis)),
      .z_axis = mo_narrow(mo_dscale(scale.z, z_axis)),
      .origin = translation,
  };
}

static mo_vec3 matrix_column(const float *matrix, int column) {
  return mo_vec(matrix[4 * column], matrix[4 * column + 1], matrix[4 * column + 2]);
}

static bool matrix_is_finite(const float matrix[16]) {
  for (int i = 0; i < 16; i++) {
    if (!isfinite(matrix[i])) {
      return false;
    }
  }
  return true;
}

mo_result mo_transform_from_matrix(const float matrix[16], mo_transform *transform) {
  if (matrix == NULL || transform == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (!matrix_is_finite(matrix)) {
    return MO_ERROR_NOT_FINITE;
  }
  if (matrix[3] != 0 || matrix[7] != 0 || matrix[11] != 0 || matrix[15] != 1) {
    return MO_ERROR_PROJECTIVE_MATRIX;
  }
  *transform = (mo_transform){
      .x_axis = matrix_column(matrix, 0),
      .y_axis = matrix_column(matrix, 1),
      .z_axis = matrix_column(matrix, 2),
      .origin = matrix_column(matrix, 3),
  };
  return MO_OK;
}

/* The image of a point, with `origin` in place of the transform's. The operations are those of
 * mo_affine_point_to_world, so that both agree to the last bit. */
static mo_vec3 transform_rounded(const mo_transform *transform, mo_vec3 origin, mo_vec3 point) {
  mo_dvec3 image = mo_dadd(mo_widen(origin), mo_dscale(point.x, mo_widen(transform->x_axis)));
  image = mo_dadd(image, mo_dscale(point.y, mo_widen(transform->y_axis)));
  image = mo_dadd(image, mo_dscale(point.z, mo_widen(transform->z_axis)));
  return mo_narrow(image);
}

mo_vec3 mo_transform_point(const mo_transform *transform, mo_vec3 point) {
  return transform_rounded(transform, transform->origin, point);
}

mo_vec3 mo_transform_direction(const mo_transform *transform, mo_vec3 direction) {
  return transform_rounded(transform, mo_vec(0, 0, 0), direction);
}

mo_transform mo_transform_compose(const mo_transform *outer, const mo_transform *inner) {
  return (mo_transform){
      .x_axis = mo_transform_direction(outer, inner->x_axis),
      .y_axis = mo_transform_direction(outer, inner->y_axis),
      .z_axis = mo_transform_direction(outer, inner->z_axis),
      .origin = mo_transform_point(outer, inner->origin),
  };
}

static double determinant_magnitude(mo_dvec3 a, mo_dvec3 b, mo_dvec3 c) {
  return fabs(a.x) * (fabs(b.y * c.z) + fabs(b.z * c.y)) +
         fabs(a.y) * (fabs(b.z * c.x) + fabs(b.x * c.z)) +
         fabs(a.z) * (fabs(b.x * c.y) + fabs(b.y * c.x));
}

/* By cofactors. Products of two floats are exact in double, so the error of the determinant is less
 * than 2^-50 of the magnitudes of its products: a singular map is always detected. */
mo_result mo_transform_inverse(const mo_transform *transform, mo_transform *inverse) {
  if (transform == NULL || inverse == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (!mo_is_finite(transform->x_axis) || !mo_is_finite(transform->y_axis) ||
      !mo_is_finite(transform->z_axis) || !mo_is_finite(transform->origin)) {
    return MO_ERROR_NOT_FINITE;
  }
  mo_dvec3 x = mo_widen(transform->x_axis), y = mo_widen(transform->y_axis);
  mo_dvec3 z = mo_widen(transform->z_axis), origin = mo_widen(transform->origin);
  mo_dvec3 rows[3] = {mo_dcross(y, z), mo_dcross(z, x), mo_dcross(x, y)};
  double determinant = mo_ddot(x, rows[0]);
  if (!(fabs(determinant) > 0x1p-48 * determinant_magnitude(x, y, z))) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  for (int i = 0; i < 3; i++) {
    rows[i] = mo_ddivide(rows[i], determinant);
  }
  mo_dvec3 image = mo_map_rows(rows, origin);
  mo_transform result = {
      .x_axis = mo_narrow(mo_dvec(rows[0].x, rows[1].x, rows[2].x)),
      .y_axis = mo_narrow(mo_dvec(rows[0].y, rows[1].y, rows[2].y)),
      .z_axis = mo_narrow(mo_dvec(rows[0].z, rows[1].z, rows[2].z)),
      .origin = mo_narrow(mo_dsub(mo_dvec(0.0, 0.0, 0.0), image)),
  };
  if (!mo_is_in_range(result.x_axis) || !mo_is_in_range(result.y_axis) ||
      !mo_is_in_range(result.z_axis) || !mo_is_in_range(result.origin)) {
    return MO_ERROR_OUT_OF_RANGE;
  }
  *inverse = result;
  return MO_OK;
}

/* Gribb and Hartmann 2001: clip-space bounds, such as -w <= x, are sums of two rows of the matrix.
 */
mo_result mo_frustum_planes(const float view_projection[16], mo_plane planes[6]) {
  if (view_projection == NULL || planes == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (!matrix_is_finite(view_projection)) {
    return MO_ERROR_NOT_FINITE;
  }
  mat4 rows;
  memcpy(rows, view_projection, sizeof rows);
  glm_mat4_transpose(rows);
  vec4 sums[6];
  for (int axis = 0; axis < 3; axis++) {
    glm_vec4_add(rows[3], rows[axis], sums[2 * axis]);
    glm_vec4_sub(rows[3], rows[axis], sums[2 * axis + 1]);
  }
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 4; k++) {
      if (!isfinite(sums[i][k])) {
        return MO_ERROR_NOT_FINITE;
      }
    }
  }
  for (int i = 0; i < 6; i++) {
    planes[i] = (mo_plane){mo_vec(sums[i][0], sums[i][1], sums[i][2]), sums[i][3]};
  }
  return MO_OK;
}

/* A plane of clip space, x = w or x = -w and so on, transformed to the frame that the matrix `m`
 * maps to clip space. */
static mo_dvec3 clip_plane(const float m[16], int axis, double sign, double *offset) {
  *offset = (double)m[12 + axis] - sign * m[15];
  return mo_dvec((double)m[axis] - sign * m[3], (double)m[4 + axis] - sign * m[7],
                 (double)m[8 + axis] - sign * m[11]);
}

mo_result mo_frustum_corners(const float view_projection[16], mo_vec3 corners[8]) {
  if (view_projection == NULL || corners == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (!matrix_is_finite(view_projection)) {
    return MO_ERROR_NOT_FINITE;
  }
  mo_vec3 result[8];
  for (int i = 0; i < 8; i++) {
    mo_dvec3 n[3];
    double d[3];
    for (int axis = 0; axis < 3; axis++) {
      n[axis] = clip_plane(view_projection, axis, i >> axis & 1 ? 1.0 : -1.0, &d[axis]);
    }
    mo_dvec3 cross[3] = {mo_dcross(n[1], n[2]), mo_dcross(n[2], n[0]), mo_dcross(n[0], n[1])};
    double determinant = mo_ddot(n[0], cross[0]);
    if (!(fabs(determinant) > 0x1p-48 * determinant_magnitude(n[0], n[1], n[2]))) {
      return MO_ERROR_INVALID_ARGUMENT;
    }
    mo_dvec3 sum = mo_map_columns(cross, mo_dvec(d[0], d[1], d[2]));
    result[i] = mo_narrow(mo_ddivide(sum, -determinant));
    if (!mo_is_in_range(result[i])) {
      return MO_ERROR_OUT_OF_RANGE;
    }
  }
  memcpy(corners, result, sizeof result);
  return MO_OK;
}
