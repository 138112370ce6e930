/* Whether what callers give is finite and in range; see base/refuse.h. */
#ifndef MO_MATH_CHECK_H
#define MO_MATH_CHECK_H

#include "base/refuse.h"
#include "math/aabb.h"
#include "math/vector.h"

/* A member of a place, in silence where that is null: MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE.
 */
mo_result mo_check_point(mo_vec3 point, const mo_refusal *refusal, const char *member);

/* The same for any finite vector. */
mo_result mo_check_finite(mo_vec3 v, const mo_refusal *refusal, const char *member);

/* Also MO_ERROR_INVALID_ARGUMENT where it is empty. */
mo_result mo_check_aabb(const mo_aabb *box, const mo_refusal *refusal);

/* A number that is finite, not negative and no larger than `most`; else MO_ERROR_NOT_FINITE,
 * MO_ERROR_INVALID_ARGUMENT, MO_ERROR_OUT_OF_RANGE. */
static inline mo_result mo_check_size(float size, float most, const mo_refusal *refusal,
                                      const char *member) {
  return size >= 0.0f && size <= most ? MO_OK : mo_refuse_size(refusal, member, size, most);
}

/* A distance, or its square, that may be infinite: MO_ERROR_NOT_FINITE, MO_ERROR_INVALID_ARGUMENT.
 */
mo_result mo_check_distance(double distance, const mo_refusal *refusal, const char *member);

/* A ball with a radius that is not negative. */
mo_result mo_check_sphere(const mo_sphere *sphere, const mo_refusal *refusal);

mo_result mo_check_transform(const mo_transform *transform, const mo_refusal *refusal);

/* Lower sides above upper ones: MO_ERROR_INVALID_ARGUMENT. */
MO_COLD mo_result mo_refuse_empty(const mo_aabb *box, const mo_refusal *refusal);

#endif
