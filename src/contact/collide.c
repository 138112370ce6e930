/* Contacts of two primitives: mo_collide. They belong to no host whose log could be told why
 * arguments are refused. */
#include "contact/manifold/manifold.h"
#include "math/check.h"

mo_collide_def mo_default_collide_def(void) {
  return (mo_collide_def){.speculative_distance = 0.02f, .cookie = MO_COOKIE};
}

static void make_body(mo_contact_body *body, const mo_prepared_primitive *p, mo_dvec3 reference) {
  if (p->is_triangle) {
    mo_contact_body_of_triangle(body, p->local, &p->affine.to_world, reference);
  } else {
    mo_contact_body_of_solid(body, &p->solid, &p->affine.to_world, reference);
  }
}

static mo_manifold collide(const mo_prepared_primitive p[2], double most) {
  if (p[0].is_volume || p[1].is_volume) {
    const mo_distance_body bodies[2] = {mo_prepared_body(&p[0]), mo_prepared_body(&p[1])};
    return (mo_manifold){.touching = mo_bodies_within(&bodies[0], &bodies[1], 0.0)};
  }
  mo_contact_body bodies[2];
  mo_dvec3 reference = mo_widen(p[0].affine.to_world.origin);
  make_body(&bodies[0], &p[0], reference);
  make_body(&bodies[1], &p[1], reference);
  return mo_manifold_of(&bodies[0], &bodies[1], reference, most);
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
    result = mo_primitive_prepare(&p[0], a, NULL);
  }
  if (result == MO_OK) {
    result = mo_primitive_prepare(&p[1], b, NULL);
  }
  if (result == MO_OK) {
    *manifold = collide(p, def->speculative_distance);
  }
  return result;
}
