/* Checks that the arguments of callers are finite and in range. */
#include "math/check.h"

static const char axis_names[] = "xyz";

static MO_COLD mo_result refuse_non_finite(mo_vec3 v, const mo_refusal *refusal,
                                           const char *member) {
  int axis = !isfinite(v.x) ? 0 : !isfinite(v.y) ? 1 : 2;
  float value = mo_get(v, axis);
  return mo_refuse(refusal, MO_ERROR_NOT_FINITE, "%s.%c is %s", member, axis_names[axis],
                   isnan(value) ? "NaN" : "infinite");
}

static MO_COLD mo_result refuse_point(mo_vec3 v, const mo_refusal *refusal, const char *member) {
  if (!mo_is_finite(v)) {
    return refuse_non_finite(v, refusal, member);
  }
  int axis = fabsf(v.x) > MO_MAX_COORDINATE ? 0 : fabsf(v.y) > MO_MAX_COORDINATE ? 1 : 2;
  return mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE, "%s.%c is %.9g, beyond MO_MAX_COORDINATE",
                   member, axis_names[axis], (double)mo_get(v, axis));
}

mo_result mo_check_finite(mo_vec3 v, const mo_refusal *refusal, const char *member) {
  return mo_is_finite(v) ? MO_OK : refuse_non_finite(v, refusal, member);
}

mo_result mo_check_point(mo_vec3 point, const mo_refusal *refusal, const char *member) {
  return mo_is_in_range(point) ? MO_OK : refuse_point(point, refusal, member);
}

mo_result mo_refuse_empty(const mo_aabb *box, const mo_refusal *refusal) {
  int axis = box->lower.x > box->upper.x ? 0 : box->lower.y > box->upper.y ? 1 : 2;
  return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".lower.%c is %.9g, above .upper.%c, %.9g",
                   axis_names[axis], (double)mo_get(box->lower, axis), axis_names[axis],
                   (double)mo_get(box->upper, axis));
}

mo_result mo_check_aabb(const mo_aabb *box, const mo_refusal *refusal) {
  mo_result result = mo_check_point(box->lower, refusal, ".lower");
  if (result == MO_OK) {
    result = mo_check_point(box->upper, refusal, ".upper");
  }
  return result == MO_OK && mo_aabb_is_empty(*box) ? mo_refuse_empty(box, refusal) : result;
}

mo_result mo_check_distance(double distance, const mo_refusal *refusal, const char *member) {
  if (distance >= 0.0) {
    return MO_OK;
  }
  return isnan(distance) ? mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, member, distance, NULL)
                         : mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, member, distance,
                                            "which is negative");
}

mo_result mo_check_sphere(const mo_sphere *sphere, const mo_refusal *refusal) {
  mo_result result = mo_check_point(sphere->center, refusal, ".center");
  return result == MO_OK ? mo_check_size(sphere->radius, MO_MAX_COORDINATE, refusal, ".radius")
                         : result;
}

mo_result mo_check_transform(const mo_transform *transform, const mo_refusal *refusal) {
  const mo_vec3 columns[] = {transform->x_axis, transform->y_axis, transform->z_axis,
                             transform->origin};
  static const char *const names[] = {".x_axis", ".y_axis", ".z_axis", ".origin"};
  /* Numbers that are not finite are reported first. */
  for (int i = 0; i < 4; i++) {
    if (!mo_is_finite(columns[i])) {
      return refuse_non_finite(columns[i], refusal, names[i]);
    }
  }
  for (int i = 0; i < 4; i++) {
    if (!mo_is_in_range(columns[i])) {
      return refuse_point(columns[i], refusal, names[i]);
    }
  }
  return MO_OK;
}
