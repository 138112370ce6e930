/* The defs of public overlap queries: default values, checks, and their regions. Also makes the
 * mo_triangle that callers receive. */
#include "mesh/overlap/overlap.h"

mo_overlap_def mo_default_overlap_def(void) {
  return (mo_overlap_def){.filter = mo_default_filter(),
                          .precision = MO_PRECISION_GEOMETRY,
                          .ignore_triangle = MO_NO_TRIANGLE,
                          .cookie = MO_COOKIE};
}

mo_overlap_def mo_overlap_aabb_def(mo_aabb box) {
  mo_overlap_def def = mo_default_overlap_def();
  def.type = MO_OVERLAP_AABB;
  def.box = box;
  return def;
}

mo_overlap_def mo_overlap_sphere_def(mo_sphere sphere) {
  mo_overlap_def def = mo_default_overlap_def();
  def.type = MO_OVERLAP_SPHERE;
  def.sphere = sphere;
  return def;
}

mo_overlap_def mo_overlap_point_def(mo_vec3 point) {
  mo_overlap_def def = mo_default_overlap_def();
  def.type = MO_OVERLAP_POINT;
  def.point = point;
  return def;
}

mo_overlap_def mo_overlap_primitive_def(mo_primitive primitive) {
  mo_overlap_def def = mo_default_overlap_def();
  def.type = MO_OVERLAP_PRIMITIVE;
  def.primitive = primitive;
  return def;
}

/* Prepares `primitive` if the region is a primitive. */
static mo_result check_region(const mo_overlap_def *def, const mo_refusal *refusal,
                              mo_prepared_primitive *primitive) {
  const mo_refusal within = mo_refusal_in(refusal,
                                          def->type == MO_OVERLAP_AABB     ? ".box"
                                          : def->type == MO_OVERLAP_SPHERE ? ".sphere"
                                                                           : ".primitive",
                                          MO_NO_INDEX);
  switch (def->type) {
  case MO_OVERLAP_AABB:
    return mo_check_aabb(&def->box, &within);
  case MO_OVERLAP_SPHERE:
    return mo_check_sphere(&def->sphere, &within);
  case MO_OVERLAP_POINT:
    return mo_check_point(def->point, refusal, ".point");
  case MO_OVERLAP_PRIMITIVE:
    return mo_query_primitive_to_body(primitive, &def->primitive, &within);
  }
  return mo_check_enum_value((unsigned)def->type, MO_OVERLAP_PRIMITIVE, refusal, ".type");
}

mo_result mo_overlap_def_check(const mo_overlap_def *def, const mo_refusal *refusal,
                               bool is_for_triangles, mo_prepared_primitive *primitive) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_overlap_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    result =
        mo_check_enum_value((unsigned)def->precision, MO_PRECISION_BOUNDS, refusal, ".precision");
  }
  if (result == MO_OK) {
    result = check_region(def, refusal, primitive);
  }
  if (result == MO_OK && is_for_triangles && def->type == MO_OVERLAP_POINT) {
    result = mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".type is MO_OVERLAP_POINT");
  }
  if (result == MO_OK && def->type == MO_OVERLAP_PRIMITIVE) { /* computed once, for all tests */
    (is_for_triangles ? mo_body_cache_bounds : mo_body_cache_loose_bounds)(&primitive->body);
  }
  return result;
}

mo_region mo_overlap_def_region(const mo_overlap_def *def, const mo_prepared_primitive *primitive) {
  switch (def->type) {
  case MO_OVERLAP_AABB:
    return (mo_region){.kind = MO_REGION_BOX, .box = def->box};
  case MO_OVERLAP_SPHERE:
    return (mo_region){.kind = MO_REGION_BALL, .ball = def->sphere};
  case MO_OVERLAP_POINT:
    return (mo_region){.kind = MO_REGION_BOX, .box = {def->point, def->point}};
  case MO_OVERLAP_PRIMITIVE:
    break;
  }
  return mo_region_of_primitive(primitive);
}

mo_triangle mo_triangle_of(const mo_mesh *mesh, uint32_t triangle, const mo_affine *affine) {
  mo_triangle found = {.triangle = triangle};
  found.triangle_user_data = mo_mesh_user_data(mesh, triangle);
  mo_mesh_corners(mesh, triangle, found.corners);
  for (int i = 0; affine != NULL && i < 3; i++) {
    found.corners[i] = mo_affine_point_to_world_float(affine, found.corners[i]);
  }
  return found;
}

bool mo_set_found_and_stop(uint32_t triangle, void *found) {
  (void)triangle;
  *(bool *)found = true;
  return false;
}
