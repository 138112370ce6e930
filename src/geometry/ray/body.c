/* Rays against solids in their own frame. */
#include "geometry/ray/body.h"

#include "base/inline.h"
#include "geometry/solid/solids.h"

/* mo_ray_test_solid, inlined once per kind of solid. */
MO_INLINE bool cast_at_solid(const mo_ray_line *ray, const mo_solid *solid, float *t,
                             mo_dvec3 *normal) {
  mo_centered_solid centred = mo_solid_centered(solid);
  mo_dvec3 start = mo_dsub(mo_widen(ray->origin), mo_solid_center(solid));
  mo_dvec3 direction = mo_widen(ray->direction);
  mo_line line = mo_line_make(start, direction);
  mo_span span;
  bool met = mo_solid_clip_line(&centred, &line, &span);
  bool inside = mo_solid_contains(&centred, mo_dadd(start, mo_dscale(ray->min_t, direction)));
  mo_line_result result =
      mo_line_first_hit(&line, inside, met ? &span : NULL, ray->min_t, ray->max_t, t);
  if (result == MO_LINE_MISSES) {
    return false;
  }
  *normal = result == MO_LINE_ENTERS ? mo_solid_normal(&centred, &line, span.enter)
                                     : mo_dvec(0.0, 0.0, 0.0);
  return true;
}

bool mo_ray_test_solid(const mo_ray_line *ray, const mo_solid *solid, float *t, mo_dvec3 *normal) {
  switch (solid->kind) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SOLID_##NAME:                                                                            \
    return cast_at_solid(ray, solid, t, normal);
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  __builtin_unreachable();
}

bool mo_ray_test_placed_solid(const mo_ray_line *ray, const mo_solid *solid,
                              const mo_affine *affine, float *t, mo_vec3 *normal) {
  mo_ray_line own = *ray; /* the ray in the solid's frame, if the map allows it */
  mo_vec3 axis_sizes = mo_vec(1.0f, 1.0f, 1.0f);
  mo_dvec3 n = {0.0, 0.0, 0.0};
  bool local = mo_affine_ray_to_local(affine, &own.origin, &own.direction, &axis_sizes);
  bool hit;
  if (local) {
    hit = mo_ray_test_solid(&own, solid, t, &n);
    if (hit && mo_lengths_differ_greatly(axis_sizes)) {
      mo_convex convex = mo_convex_make(solid, &affine->to_world);
      hit = mo_ray_point_is_in_box(ray->origin, ray->direction, *t, mo_convex_bounds(&convex),
                                   MO_LOCAL_RAY_PRECISION);
    }
  } else {
    mo_convex convex = mo_convex_make(solid, &affine->to_world);
    hit = mo_ray_test_convex(ray, &convex, t, &n);
  }
  if (hit && normal != NULL) {
    *normal = local ? mo_affine_normal_to_world(affine, n) : mo_unit_normal(n);
  }
  return hit;
}

bool mo_ray_test_half_space(const mo_ray_line *ray, const mo_half_space_body *h, float *t,
                            mo_vec3 *normal) {
  const double height = mo_half_space_height(h, mo_widen(ray->origin));
  const double speed = -mo_ddot(h->normal, mo_widen(ray->direction));
  const double crossing = height / speed, begin = (double)ray->min_t;
  bool inside = speed > 0.0 ? crossing <= begin : speed < 0.0 ? crossing >= begin : height <= 0.0;
  if (!inside && (!(speed > 0.0) || !(crossing <= (double)FLT_MAX))) {
    return false;
  }
  *t = inside ? 0.0f + ray->min_t : (float)crossing;
  if (normal != NULL) {
    *normal = inside ? mo_vec(0.0f, 0.0f, 0.0f) : mo_narrow(h->normal);
  }
  return *t <= ray->max_t;
}
