/* Checks that the arguments of callers are finite and in range; see base/refuse.h. */
#ifndef MO_MATH_CHECK_H
#define MO_MATH_CHECK_H

#include "base/refuse.h"
#include "math/aabb.h"
#include "math/vector.h"

/* Checks a point. For error messages, `refusal` names the argument and `member` its member; nothing
 * is logged if `refusal` is null. Errors: MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE. */
mo_result mo_check_point(mo_vec3 point, const mo_refusal *refusal, const char *member);

/* Checks that a vector is finite; any magnitude is legal. */
mo_result mo_check_finite(mo_vec3 v, const mo_refusal *refusal, const char *member);

/* Checks a box. Errors as mo_check_point, and MO_ERROR_INVALID_ARGUMENT if it is empty. */
mo_result mo_check_aabb(const mo_aabb *box, const mo_refusal *refusal);

/* Checks that a number is finite, not negative and at most `max`. Errors: MO_ERROR_NOT_FINITE,
 * MO_ERROR_INVALID_ARGUMENT, MO_ERROR_OUT_OF_RANGE. */
static inline mo_result mo_check_size(float size, float max, const mo_refusal *refusal,
                                      const char *member) {
  return size >= 0.0f && size <= max ? MO_OK : mo_refuse_size(refusal, member, size, max);
}

/* Checks a distance or a squared distance, which may be infinite. Errors: MO_ERROR_NOT_FINITE
 * (NaN), MO_ERROR_INVALID_ARGUMENT (negative). */
mo_result mo_check_distance(double distance, const mo_refusal *refusal, const char *member);

/* Checks a ball, whose radius must not be negative. Errors as mo_check_point and mo_check_size. */
mo_result mo_check_sphere(const mo_sphere *sphere, const mo_refusal *refusal);

mo_result mo_check_transform(const mo_transform *transform, const mo_refusal *refusal);

/* Reports a box with a lower side above an upper one: MO_ERROR_INVALID_ARGUMENT. */
MO_COLD mo_result mo_refuse_empty(const mo_aabb *box, const mo_refusal *refusal);

#endif
