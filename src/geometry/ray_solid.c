/* Rays against a ball, a box and a capsule in their own frame. */
#include "geometry/convex.h"
#include "geometry/line.h"

static mo_dvec3 point_at(mo_dvec3 start, mo_dvec3 direction, float t) {
  return mo_dadd(start, mo_dscale(t, direction));
}

bool mo_ray_sphere(mo_vec3 origin, mo_vec3 direction, float min_t, float max_t, mo_sphere sphere,
                   float *t, mo_dvec3 *normal) {
  mo_dvec3 start = mo_dsub(mo_widen(origin), mo_widen(sphere.center));
  mo_dvec3 along = mo_widen(direction);
  mo_line line = mo_line_make(start, along);
  mo_span span;
  bool met = mo_line_ball(&line, sphere.radius, &span);
  bool inside = mo_ball_contains(sphere.radius, point_at(start, along, min_t));
  mo_line_result result = mo_line_first(&line, inside, met ? &span : NULL, min_t, max_t, t);
  if (result == MO_LINE_MISSES) {
    return false;
  }
  *normal =
      result == MO_LINE_ENTERS ? mo_line_ball_normal(&line, span.enter) : mo_dvec(0.0, 0.0, 0.0);
  return true;
}

bool mo_ray_box(mo_vec3 origin, mo_vec3 direction, float min_t, float max_t, mo_vec3 center,
                mo_vec3 half_extents, float *t, mo_dvec3 *normal) {
  mo_dvec3 start = mo_dsub(mo_widen(origin), mo_widen(center));
  mo_dvec3 along = mo_widen(direction), half = mo_widen(half_extents);
  mo_line line = mo_line_make(start, along);
  mo_span span;
  bool met = mo_line_box(&line, half, &span);
  bool inside = mo_box_contains(half, point_at(start, along, min_t));
  mo_line_result result = mo_line_first(&line, inside, met ? &span : NULL, min_t, max_t, t);
  if (result == MO_LINE_MISSES) {
    return false;
  }
  *normal = result == MO_LINE_ENTERS ? mo_line_box_normal(&line, half) : mo_dvec(0.0, 0.0, 0.0);
  return true;
}

bool mo_ray_capsule(mo_vec3 origin, mo_vec3 direction, float min_t, float max_t, mo_vec3 a,
                    mo_vec3 b, float radius, float *t, mo_dvec3 *normal) {
  mo_dvec3 center = mo_dscale(0.5, mo_dadd(mo_widen(a), mo_widen(b)));
  mo_dvec3 half_axis = mo_dscale(0.5, mo_dsub(mo_widen(b), mo_widen(a)));
  mo_dvec3 start = mo_dsub(mo_widen(origin), center);
  mo_dvec3 along = mo_widen(direction);
  mo_line line = mo_line_make(start, along);
  mo_span span;
  bool met = mo_line_capsule(&line, half_axis, radius, &span);
  bool inside = mo_capsule_contains(half_axis, radius, point_at(start, along, min_t));
  mo_line_result result = mo_line_first(&line, inside, met ? &span : NULL, min_t, max_t, t);
  if (result == MO_LINE_MISSES) {
    return false;
  }
  *normal = result == MO_LINE_ENTERS ? mo_line_capsule_normal(&line, half_axis, span.enter)
                                     : mo_dvec(0.0, 0.0, 0.0);
  return true;
}
