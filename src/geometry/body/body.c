/* Constructors of bodies, and their bounds. */
#include "geometry/body/body.h"

#include <string.h>

/* Bodies are large structs, so each constructor writes only the members that its kind needs. */

mo_body mo_body_of_convex(const mo_convex *convex) {
  return (mo_body){.kind = MO_BODY_SOLID, .bounds = mo_aabb_empty(), .convex = *convex};
}

mo_body mo_body_of_solid(const mo_solid *solid, const mo_transform *map) {
  return (mo_body){
      .kind = MO_BODY_SOLID, .bounds = mo_aabb_empty(), .convex = mo_convex_make(solid, map)};
}

mo_body mo_body_of_aabb(mo_aabb box) {
  return (mo_body){.kind = MO_BODY_AABB, .bounds = box, .convex = mo_convex_aabb(box)};
}

mo_body mo_body_of_sphere(mo_sphere sphere) {
  return (mo_body){
      .kind = MO_BODY_SOLID, .bounds = mo_aabb_empty(), .convex = mo_convex_sphere(sphere)};
}

static mo_aabb bounds_of_triangle(const mo_dvec3 corners[3]) {
  const mo_dvec3 a = corners[0], b = corners[1], c = corners[2];
  return (mo_aabb){{mo_round_down(mo_dmin(mo_dmin(a.x, b.x), c.x)),
                    mo_round_down(mo_dmin(mo_dmin(a.y, b.y), c.y)),
                    mo_round_down(mo_dmin(mo_dmin(a.z, b.z), c.z))},
                   {mo_round_up(mo_dmax(mo_dmax(a.x, b.x), c.x)),
                    mo_round_up(mo_dmax(mo_dmax(a.y, b.y), c.y)),
                    mo_round_up(mo_dmax(mo_dmax(a.z, b.z), c.z))}};
}

mo_body mo_body_of_triangle(const mo_dvec3 corners[3]) {
  mo_body body;
  body.kind = MO_BODY_TRIANGLE;
  body.bounds = bounds_of_triangle(corners);
  memcpy(body.corners, corners, sizeof body.corners);
  return body;
}

mo_body mo_body_of_half_space(const mo_half_space_body *half_space) {
  mo_body body;
  body.kind = MO_BODY_HALF_SPACE;
  body.bounds = mo_aabb_infinite();
  body.half_space = *half_space;
  return body;
}

mo_body mo_body_of_point(mo_dvec3 point) {
  mo_body body = mo_body_of_sphere((mo_sphere){{0.0f, 0.0f, 0.0f}, 0.0f});
  body.convex.origin = point;
  return body;
}

mo_aabb mo_body_compute_bounds(const mo_body *body) {
  switch (body->kind) {
    MO_CASES_OF_CONVEX_KINDS
    return mo_convex_bounds(&body->convex);
  case MO_BODY_TRIANGLE:
    return bounds_of_triangle(body->corners);
  case MO_BODY_HALF_SPACE:
    return mo_aabb_infinite();
  }
  __builtin_unreachable();
}
