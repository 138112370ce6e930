/** \defgroup cglm cglm (motte/cglm.h)
 *
 * For hosts that use cglm: conversions between its types and Motte's. Header-only, and the only
 * public header that needs cglm; motte/motte.h does not include it. */
#ifndef MOTTE_CGLM_H
#define MOTTE_CGLM_H

#include <cglm/cglm.h>
#include <motte/math.h>

/** \{ */

/// Converts a cglm vector to Motte's.
static inline mo_vec3 mo_from_glm_vec3(const float v[3]) {
  mo_vec3 result = {v[0], v[1], v[2]};
  return result;
}

/// Converts a vector of Motte to cglm's.
static inline void mo_to_glm_vec3(mo_vec3 v, vec3 result) {
  result[0] = v.x;
  result[1] = v.y;
  result[2] = v.z;
}

/// Converts a cglm quaternion (x, y, z, w) to Motte's.
static inline mo_quat mo_from_glm_quat(const float q[4]) {
  mo_quat result = {q[0], q[1], q[2], q[3]};
  return result;
}

/// Converts a cglm box (lower and upper corner) to Motte's.
static inline mo_aabb mo_from_glm_box(vec3 box[2]) {
  mo_aabb result = {mo_from_glm_vec3(box[0]), mo_from_glm_vec3(box[1])};
  return result;
}

/// Converts a box of Motte to cglm's.
static inline void mo_to_glm_box(mo_aabb box, vec3 result[2]) {
  mo_to_glm_vec3(box.lower, result[0]);
  mo_to_glm_vec3(box.upper, result[1]);
}

/// Converts an affine cglm matrix to a transform. Errors: MO_ERROR_NOT_FINITE;
/// MO_ERROR_PROJECTIVE_MATRIX.
static inline mo_result mo_from_glm_mat4(mat4 matrix, mo_transform *transform) {
  return mo_transform_from_matrix(&matrix[0][0], transform);
}

/// Converts a transform to an affine cglm matrix.
static inline void mo_to_glm_mat4(const mo_transform *transform, mat4 matrix) {
  glm_mat4_identity(matrix);
  mo_to_glm_vec3(transform->x_axis, matrix[0]);
  mo_to_glm_vec3(transform->y_axis, matrix[1]);
  mo_to_glm_vec3(transform->z_axis, matrix[2]);
  mo_to_glm_vec3(transform->origin, matrix[3]);
}

/// The six frustum planes of a cglm view-projection matrix; see mo_frustum_planes.
static inline mo_result mo_planes_from_glm(mat4 view_projection, mo_plane planes[6]) {
  return mo_frustum_planes(&view_projection[0][0], planes);
}

/** \} */

#endif
