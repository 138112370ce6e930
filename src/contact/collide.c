/* mo_collide: the contact manifold of two primitives. Primitives belong to no host, so refused
 * arguments are not logged. */
#include "base/isa.h"
#include "contact/pair/pair.h"
#include "math/check.h"

mo_collide_def mo_default_collide_def(void) {
  return (mo_collide_def){.speculative_distance = 0.02f, .cookie = MO_COOKIE};
}

mo_result mo_collide(const mo_primitive *a, const mo_primitive *b, const mo_collide_def *def,
                     mo_manifold *manifold) {
  if (a == NULL || b == NULL || def == NULL || manifold == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_prepared_primitive p[2];
  mo_result result = mo_check_cookie(def->cookie, NULL, "", "mo_default_collide_def");
  if (result == MO_OK) {
    result = mo_check_size(def->speculative_distance, MO_MAX_COORDINATE, NULL, "");
  }
  if (result == MO_OK) {
    result = mo_primitive_to_body(&p[0], a, NULL);
  }
  if (result == MO_OK) {
    result = mo_primitive_to_body(&p[1], b, NULL);
  }
  if (result == MO_OK) {
    const mo_collider colliders[2] = {mo_collider_of_primitive(&p[0]),
                                      mo_collider_of_primitive(&p[1])};
    mo_collider_manifold(&colliders[0], &colliders[1], mo_isa_of_process(),
                         def->speculative_distance, NULL, manifold);
  }
  return result;
}
