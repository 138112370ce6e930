/* Constructors of bodies, and their bounds. */
#include "geometry/body/body.h"

#include <string.h>

#include "geometry/hull/hull.h"
#include "geometry/solid/solids.h"

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
  return mo_aabb_around(mo_dvec(mo_dmin(mo_dmin(a.x, b.x), c.x), mo_dmin(mo_dmin(a.y, b.y), c.y),
                                mo_dmin(mo_dmin(a.z, b.z), c.z)),
                        mo_dvec(mo_dmax(mo_dmax(a.x, b.x), c.x), mo_dmax(mo_dmax(a.y, b.y), c.y),
                                mo_dmax(mo_dmax(a.z, b.z), c.z)));
}

mo_body mo_body_of_triangle(const mo_dvec3 corners[3]) {
  mo_body body;
  body.kind = MO_BODY_TRIANGLE;
  body.bounds = bounds_of_triangle(corners);
  body.has_loose_bounds = false;
  memcpy(body.corners, corners, sizeof body.corners);
  return body;
}

mo_body mo_body_of_half_space(const mo_half_space_body *half_space) {
  mo_body body;
  body.kind = MO_BODY_HALF_SPACE;
  body.bounds = mo_aabb_infinite();
  body.has_loose_bounds = false;
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

static bool is_hull(const mo_body *body) {
  return body->kind == MO_BODY_SOLID && body->convex.solid.kind == MO_SOLID_HULL;
}

/* How far a hull reaches along a world axis, at most: as far as its box, or as a ball around it.
 * The row of the map for that axis is (x, y, z). */
static double smaller_reach(double of_box, double radius, double x, double y, double z) {
  return mo_dmin(of_box, radius * sqrt(x * x + y * y + z * z));
}

/* The world box around both the local bounds of a hull and a ball around the hull, each enlarged by
 * its rounding. */
static mo_aabb loose_bounds_of_hull(const mo_convex *c) {
  const mo_hull *hull = c->solid.hull;
  const mo_dvec3 lower = mo_widen(hull->bounds.lower), upper = mo_widen(hull->bounds.upper),
                 middle = mo_dscale(0.5, mo_dadd(lower, upper));
  const double r = c->solid.rounding;
  const mo_dvec3 half = mo_dadd(mo_dscale(0.5, mo_dsub(upper, lower)), mo_dvec(r, r, r));
  const mo_dvec3 center = mo_dadd(c->origin, mo_map_columns(c->column, middle));
  const mo_dvec3 column[3] = {mo_dabs(c->column[0]), mo_dabs(c->column[1]), mo_dabs(c->column[2])};
  const mo_dvec3 box = mo_map_columns(column, half), *a = column;
  const double radius = hull->radius + r;
  const mo_dvec3 reach = {smaller_reach(box.x, radius, a[0].x, a[1].x, a[2].x),
                          smaller_reach(box.y, radius, a[0].y, a[1].y, a[2].y),
                          smaller_reach(box.z, radius, a[0].z, a[1].z, a[2].z)};
  const mo_dvec3 magnitude =
      mo_dadd(mo_dabs(c->origin), mo_map_columns(column, mo_dadd(mo_dabs(middle), half)));
  const mo_dvec3 out = mo_dadd(reach, mo_dscale(0x1p-48, magnitude)); /* some ten sums round */
  return mo_aabb_around(mo_dsub(center, out), mo_dadd(center, out));
}

mo_aabb mo_body_compute_loose_bounds(const mo_body *body) {
  return is_hull(body) ? loose_bounds_of_hull(&body->convex) : mo_body_compute_bounds(body);
}

void mo_body_cache_loose_bounds(mo_body *body) {
  body->has_loose_bounds =
      body->has_loose_bounds || (mo_aabb_is_empty(body->bounds) && is_hull(body));
  body->bounds = mo_body_loose_bounds(body);
}
