/* Comparing closest points and contacts of moving balls in scenes. */
#include <math.h>
#include <string.h>

#include "support/check.h"

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static double length_of(mo_vec3 v) {
  return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
}

static bool is_unit_or_zero(mo_vec3 v) {
  return same(v, (mo_vec3){0, 0, 0}) || fabs(length_of(v) - 1) < 1e-6;
}

/* The feature that weights stand for: as many corners have a part in the point. */
static bool is_feature(const mo_closest_hit *hit, const double weights[3]) {
  uint32_t count = 0;
  for (int i = 0; i < 3; i++) {
    count += weights[i] > 0;
  }
  if (count == 3) {
    return hit->feature == MO_FEATURE_FACE && hit->feature_index == 0;
  }
  if (count == 2) {
    return hit->feature == MO_FEATURE_EDGE && hit->feature_index < 3 &&
           weights[hit->feature_index] > 0 && weights[(hit->feature_index + 1) % 3] > 0;
  }
  return hit->feature == MO_FEATURE_VERTEX && hit->feature_index < 3 &&
         weights[hit->feature_index] > 0;
}

static bool is_as_expected(const mo_closest_hit *hit, const oracle_closest *expected,
                           const oracle_scene *oracle, mo_vec3 point) {
  if (!hit->found || expected->shape == NULL) {
    return hit->found == (expected->shape != NULL) && hit->triangle == MO_NO_TRIANGLE;
  }
  const oracle_shape *shape = expected->shape;
  if (hit->shape.index != shape->id.index || hit->shape.generation != shape->id.generation ||
      hit->user_data != shape->def.user_data || hit->triangle != expected->triangle ||
      hit->distance != expected->distance || !same(hit->point, mo_narrow(expected->point)) ||
      !is_unit_or_zero(hit->normal)) {
    return false;
  }
  double size = length_of(point) + length_of(mo_aabb_max_coordinates(shape->own));
  if (hit->distance > 1e-5 * size) { /* back from the closest point along the normal */
    mo_vec3 back = mo_add(hit->point, mo_scale(hit->distance, hit->normal));
    if (length_of(mo_sub(back, point)) > 1e-5 * size) {
      return false;
    }
  }
  if (shape->mesh == UINT32_MAX) {
    return hit->feature == MO_FEATURE_FACE && hit->feature_index == 0 && hit->u == 0 &&
           hit->v == 0 && hit->triangle_user_data == 0;
  }
  return hit->u == (float)expected->weights[1] && hit->v == (float)expected->weights[2] &&
         is_feature(hit, expected->weights) &&
         hit->triangle_user_data == oracle->meshes[shape->mesh].triangles[hit->triangle].user_data;
}

bool check_scene_closest(const mo_scene *const *scenes, uint32_t scene_count,
                         const oracle_scene *oracle, const mo_closest_def *def) {
  oracle_closest expected = oracle_scene_closest(oracle, def);
  mo_closest_hit first = {.found = false};
  for (uint32_t i = 0; i < scene_count; i++) {
    mo_closest_hit hit;
    memset(&hit, 0x55, sizeof hit);
    oracle_expect(mo_scene_closest_point(scenes[i], def, &hit, NULL), "mo_scene_closest_point");
    first = i == 0 ? hit : first;
    if (!is_as_expected(&hit, &expected, oracle, def->point) ||
        (hit.found && !same(hit.normal, first.normal))) {
      uint32_t shape = expected.shape != NULL ? expected.shape->id.index : UINT32_MAX;
      return check_failed(
          "scene %u, point {%a, %a, %a} within %a: shape %u, triangle %u, distance %a, point {%a, "
          "%a, %a}, normal {%a, %a, %a}; not shape %u, triangle %u, distance %a, point {%a, %a, "
          "%a}",
          i, (double)def->point.x, (double)def->point.y, (double)def->point.z,
          (double)def->max_distance, hit.found ? hit.shape.index : UINT32_MAX, hit.triangle,
          (double)hit.distance, (double)hit.point.x, (double)hit.point.y, (double)hit.point.z,
          (double)hit.normal.x, (double)hit.normal.y, (double)hit.normal.z, shape,
          expected.triangle, (double)expected.distance, expected.point.x, expected.point.y,
          expected.point.z);
    }
  }
  return true;
}

static bool is_expected_cast(const mo_cast_hit *hit, const oracle_cast *expected,
                             const oracle_scene *oracle) {
  if (!hit->found || expected->shape == NULL) {
    return hit->found == (expected->shape != NULL) && hit->triangle == MO_NO_TRIANGLE;
  }
  const oracle_shape *shape = expected->shape;
  uint32_t data = shape->mesh != UINT32_MAX
                      ? oracle->meshes[shape->mesh].triangles[expected->triangle].user_data
                      : 0;
  return hit->shape.index == shape->id.index && hit->shape.generation == shape->id.generation &&
         hit->user_data == shape->def.user_data && hit->triangle == expected->triangle &&
         hit->triangle_user_data == data && hit->t == expected->t &&
         fabs(length_of(hit->normal) - 1) < 1e-6 &&
         (hit->t == 0 ? hit->depth >= 0 : hit->depth == 0);
}

bool check_scene_cast(const mo_scene *const *scenes, uint32_t scene_count,
                      const oracle_scene *oracle, const mo_sphere_cast_def *def) {
  oracle_cast expected = oracle_scene_cast(oracle, def);
  mo_cast_hit first = {.found = false};
  for (uint32_t i = 0; i < scene_count; i++) {
    mo_cast_hit hit;
    memset(&hit, 0x55, sizeof hit);
    oracle_expect(mo_scene_cast_sphere(scenes[i], def, &hit, NULL), "mo_scene_cast_sphere");
    first = i == 0 ? hit : first;
    if (!is_expected_cast(&hit, &expected, oracle) ||
        (hit.found && (!same(hit.normal, first.normal) || !same(hit.point, first.point) ||
                       hit.depth != first.depth || hit.feature != first.feature ||
                       hit.feature_index != first.feature_index ||
                       hit.own_feature != MO_FEATURE_VERTEX || hit.own_feature_index != 0))) {
      const mo_vec3 c = def->sphere.center, d = def->displacement;
      uint32_t shape = expected.shape != NULL ? expected.shape->id.index : UINT32_MAX;
      return check_failed(
          "scene %u, ball {%a, %a, %a} radius %a along {%a, %a, %a}: shape %u, triangle %u, t %a, "
          "normal {%a, %a, %a}, depth %a; not shape %u, triangle %u, t %a",
          i, (double)c.x, (double)c.y, (double)c.z, (double)def->sphere.radius, (double)d.x,
          (double)d.y, (double)d.z, hit.found ? hit.shape.index : UINT32_MAX, hit.triangle,
          (double)hit.t, (double)hit.normal.x, (double)hit.normal.y, (double)hit.normal.z,
          (double)hit.depth, shape, expected.triangle, (double)expected.t);
    }
  }
  return true;
}
