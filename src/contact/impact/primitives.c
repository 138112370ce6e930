/* mo_find_impact: the impact of two primitives. Also the defaults and checks of mo_impact_def, and
 * the making of mo_impact, which searches of scenes share. Primitives belong to no host, so refused
 * arguments are not logged. */
#include "contact/impact/impact.h"

mo_impact_def mo_default_impact_def(void) {
  return (mo_impact_def){.slop = 0.005f, .core = 0.5f, .cookie = MO_COOKIE};
}

mo_result mo_impact_def_check(const mo_impact_def *def, const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_impact_def");
  if (result == MO_OK) {
    result = mo_check_size(def->slop, MO_MAX_COORDINATE, refusal, ".slop");
  }
  if (result == MO_OK && isnan(def->core)) {
    result = mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, ".core", (double)def->core, NULL);
  }
  if (result == MO_OK && !(def->core >= 0.0f && def->core <= 1.0f)) {
    result = mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".core", (double)def->core,
                              "not from 0 to 1");
  }
  return result;
}

mo_impact mo_impact_of(const mo_time_of_impact *found, float t, uint32_t triangle,
                       uint32_t other_triangle) {
  return (mo_impact){.found = true,
                     .began_in_touch = found->began_in_touch,
                     .triangle = triangle,
                     .other_triangle = other_triangle,
                     .t = t,
                     .point = mo_narrow(found->point),
                     .normal = mo_narrow(found->normal),
                     .separation = (float)found->separation,
                     .feature = found->feature[0].kind,
                     .feature_index = found->feature[0].index,
                     .other_feature = found->feature[1].kind,
                     .other_feature_index = found->feature[1].index};
}

/* Makes a moving body from a primitive and its movement (null: none). */
static mo_result make_impact_body(mo_impact_body *body, const mo_primitive *primitive,
                                  const mo_movement *movement, double core) {
  const mo_movement none = {.angle = 0.0f};
  mo_prepared_primitive prepared;
  mo_result result = mo_primitive_to_body(&prepared, primitive, NULL);
  if (result == MO_OK) {
    result = mo_moving_body_make(&body->whole, &prepared.body, movement != NULL ? movement : &none,
                                 NULL);
  }
  if (result == MO_OK) {
    mo_impact_body_set_core(body, core);
  }
  return result;
}

mo_result mo_find_impact(const mo_primitive *a, const mo_movement *movement_a,
                         const mo_primitive *b, const mo_movement *movement_b,
                         const mo_impact_def *def, mo_impact *impact) {
  if (a == NULL || b == NULL || def == NULL || impact == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_result result = mo_impact_def_check(def, NULL);
  if (result != MO_OK) {
    return result;
  }
  const mo_impact_rules rules = mo_impact_rules_of(def);
  mo_impact_body bodies[2];
  result = make_impact_body(&bodies[0], a, movement_a, rules.core_scale);
  if (result == MO_OK) {
    result = make_impact_body(&bodies[1], b, movement_b, rules.core_scale);
  }
  if (result != MO_OK) {
    return result;
  }
  mo_time_of_impact found = mo_find_time_of_impact(&bodies[0], &bodies[1], &rules, 1.0);
  *impact = found.t <= 1.0
                ? mo_impact_of(&found, mo_round_down(found.t), MO_NO_TRIANGLE, MO_NO_TRIANGLE)
                : mo_impact_of_none();
  return MO_OK;
}
