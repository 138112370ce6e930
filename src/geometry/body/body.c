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

static mo_d4 map_by_columns(const mo_d4 column[3], mo_dvec3 p) {
  return column[0] * p.x + column[1] * p.y + column[2] * p.z;
}

/* The world box around both the local bounds of a hull and a ball around the hull, each enlarged by
 * its rounding. Each lane is one world axis. */
static mo_aabb loose_bounds_of_hull(const mo_convex *c) {
  const mo_hull *hull = c->solid.hull;
  const mo_dvec3 upper = mo_widen(hull->bounds.upper), middle = hull->bounds_center;
  const double r = c->solid.rounding, radius = hull->radius + r;
  const mo_dvec3 half = mo_dadd(mo_dsub(upper, middle), mo_dvec(r, r, r));
  const mo_d4 column[3] = {mo_d4_of_vector(c->column[0]), mo_d4_of_vector(c->column[1]),
                           mo_d4_of_vector(c->column[2])};
  const mo_d4 size[3] = {mo_d4_abs(column[0]), mo_d4_abs(column[1]), mo_d4_abs(column[2])};
  const mo_d4 origin = mo_d4_of_vector(c->origin), center = origin + map_by_columns(column, middle);
  mo_d4 row_length = size[0] * size[0] + size[1] * size[1] + size[2] * size[2];
  mo_d4_sqrt(&row_length);
  const mo_d4 reach = mo_d4_min(map_by_columns(size, half), radius * row_length);
  const mo_d4 magnitude = mo_d4_abs(origin) + map_by_columns(size, mo_dadd(mo_dabs(middle), half));
  const mo_d4 out = reach + 0x1p-48 * magnitude; /* covers the rounding of some ten sums */
  return (mo_aabb){mo_f4_to_vec3(-mo_d4_round_up(out - center)),
                   mo_f4_to_vec3(mo_d4_round_up(center + out))};
}

/* A box around the image of a box, sphere or capsule, larger than its bounds by rounding
 * alone. */
static mo_aabb loose_bounds_of_simple(const mo_convex *c) {
  const mo_solid *s = &c->solid;
  const bool is_box = s->kind == MO_SOLID_BOX;
  const mo_dvec3 middle = is_box ? s->a : mo_dscale(0.5, mo_dadd(s->a, s->b));
  const mo_dvec3 half = is_box ? s->b : mo_dsub(s->b, middle); /* of a sphere: 0 */
  const double radius = s->radius + s->rounding;
  const mo_d4 column[3] = {mo_d4_of_vector(c->column[0]), mo_d4_of_vector(c->column[1]),
                           mo_d4_of_vector(c->column[2])};
  const mo_d4 size[3] = {mo_d4_abs(column[0]), mo_d4_abs(column[1]), mo_d4_abs(column[2])};
  const mo_d4 origin = mo_d4_of_vector(c->origin), center = origin + map_by_columns(column, middle);
  mo_d4 reach = mo_d4_abs(map_by_columns(is_box ? size : column, half));
  if (radius > 0.0) {
    mo_d4 row_length = size[0] * size[0] + size[1] * size[1] + size[2] * size[2];
    mo_d4_sqrt(&row_length);
    reach += radius * row_length;
  }
  const mo_d4 magnitude =
      mo_d4_abs(origin) + reach + map_by_columns(size, mo_dadd(mo_dabs(middle), mo_dabs(half)));
  const mo_d4 out = reach + 0x1p-48 * magnitude; /* covers the rounding of some ten sums */
  return (mo_aabb){mo_f4_to_vec3(-mo_d4_round_up(out - center)),
                   mo_f4_to_vec3(mo_d4_round_up(center + out))};
}

mo_aabb mo_body_compute_loose_bounds(const mo_body *body) {
  return is_hull(body) ? loose_bounds_of_hull(&body->convex) : mo_body_compute_bounds(body);
}

void mo_body_cache_loose_bounds(mo_body *body) {
  if (!mo_aabb_is_empty(body->bounds)) {
    return;
  }
  const mo_solid_kind kind = body->convex.solid.kind; /* other bodies have bounds */
  const bool is_simple =
      kind == MO_SOLID_SPHERE || kind == MO_SOLID_BOX || kind == MO_SOLID_CAPSULE;
  body->bounds =
      is_simple ? loose_bounds_of_simple(&body->convex) : mo_body_compute_loose_bounds(body);
  body->has_loose_bounds = kind != MO_SOLID_CONE;
}
