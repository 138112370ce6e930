/* Random single primitives, and how far they reach along a vector by definition, in long double. */
#ifndef TEST_ORACLE_REACH_H
#define TEST_ORACLE_REACH_H

#include <motte/geometry.h>

#include "oracle/primitive.h"

static inline mo_geometry sphere_of(mo_vec3 center, float radius) {
  return (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {center, radius}};
}

static inline mo_geometry box_of(mo_vec3 center, mo_vec3 half) {
  return (mo_geometry){.type = MO_SHAPE_BOX, .box = {center, half}};
}

static inline mo_geometry capsule_of(mo_vec3 a, mo_vec3 b, float radius) {
  return (mo_geometry){.type = MO_SHAPE_CAPSULE, .capsule = {a, b, radius}};
}

/* Any but a half-space, under any map. */
static inline mo_primitive random_primitive(rng *r) {
  mo_transform map = rng_transform(r, (rng_transform_kind)rng_below(r, RNG_TINY), 2);
  mo_primitive p = {.type = (mo_primitive_type)rng_below(r, 4), .transform = map};
  if (p.type != MO_PRIMITIVE_GEOMETRY) {
    for (int i = 0; i < 3; ++i) {
      p.points[i] = rng_vec3(r, -1, 1);
    }
    if (rng_chance(r, 0.1)) {
      p.points[2] = p.points[1];
    }
    return p;
  }
  switch (rng_below(r, 5)) {
  case 0:
    p.geometry = sphere_of(rng_vec3(r, -1, 1), rng_float(r, 0, 1));
    break;
  case 1:
    p.geometry = box_of(rng_vec3(r, -1, 1), rng_vec3(r, 0, 1));
    break;
  case 2:
    p.geometry = (mo_geometry){.type = MO_SHAPE_CYLINDER};
    p.geometry.cylinder =
        (mo_cylinder){rng_vec3(r, -1, 0), rng_vec3(r, 0.1f, 1), rng_float(r, 0, 1)};
    break;
  case 3:
    p.geometry = (mo_geometry){.type = MO_SHAPE_CONE};
    p.geometry.cone.a = rng_vec3(r, -1, 0);
    p.geometry.cone.b = rng_vec3(r, 0.1f, 1);
    p.geometry.cone.radius = rng_float(r, 0, 1);
    break;
  default:
    p.geometry = capsule_of(rng_vec3(r, -1, 1), rng_vec3(r, -1, 1), rng_float(r, 0, 1));
    break;
  }
  if (rng_chance(r, 0.3)) {
    p.geometry.rounding = rng_float(r, 0, 0.5f);
  }
  return p;
}

static inline ldvec image_of(const mo_transform *map, ldvec p) {
  return ld_add(ld_add(ld_float(map->origin), ld_scale(p.x, ld_float(map->x_axis))),
                ld_add(ld_scale(p.y, ld_float(map->y_axis)), ld_scale(p.z, ld_float(map->z_axis))));
}

/* Of a convex shape without its rounding; `local` is `n` under the transposed map. */
static inline ldouble sharp_reach_along(const mo_primitive *p, ldvec n, ldvec local) {
  const mo_transform *map = &p->transform;
  const mo_geometry *g = &p->geometry;
  if (g->type == MO_SHAPE_BOX) {
    return ld_dot(n, image_of(map, ld_float(g->box.center))) +
           fabsl(local.x) * g->box.half_extents.x + fabsl(local.y) * g->box.half_extents.y +
           fabsl(local.z) * g->box.half_extents.z;
  }
  if (g->type == MO_SHAPE_SPHERE) {
    return ld_dot(n, image_of(map, ld_float(g->sphere.center))) + g->sphere.radius * ld_norm(local);
  }
  if (g->type == MO_SHAPE_CYLINDER) {
    ldvec a = ld_float(g->cylinder.a), axis = ld_sub(ld_float(g->cylinder.b), a);
    ldvec across = ld_sub(local, ld_scale(ld_dot(local, axis) / ld_dot(axis, axis), axis));
    return ld_dot(n, image_of(map, a)) + fmaxl(0, ld_dot(local, axis)) +
           g->cylinder.radius * ld_norm(across);
  }
  if (g->type == MO_SHAPE_CONE) {
    ldvec a = ld_float(g->cone.a), b = ld_float(g->cone.b), axis = ld_sub(b, a);
    ldvec across = ld_sub(local, ld_scale(ld_dot(local, axis) / ld_dot(axis, axis), axis));
    return fmaxl(ld_dot(n, image_of(map, a)),
                 ld_dot(n, image_of(map, b)) + g->cone.radius * ld_norm(across));
  }
  return fmaxl(ld_dot(n, image_of(map, ld_float(g->capsule.a))),
               ld_dot(n, image_of(map, ld_float(g->capsule.b)))) +
         g->capsule.radius * ld_norm(local);
}

/* How far any but a half-space reaches along a vector. */
static inline ldouble reach_along(const mo_primitive *p, ldvec n) {
  const mo_transform *map = &p->transform;
  ldvec local = {ld_dot(ld_float(map->x_axis), n), ld_dot(ld_float(map->y_axis), n),
                 ld_dot(ld_float(map->z_axis), n)};
  const mo_geometry *g = &p->geometry;
  if (p->type != MO_PRIMITIVE_GEOMETRY) {
    ldouble max = -INFINITY;
    for (int i = 0; i <= (int)p->type - (int)MO_PRIMITIVE_POINT; ++i) {
      max = fmaxl(max, ld_dot(n, image_of(map, ld_float(p->points[i]))));
    }
    return max;
  }
  return sharp_reach_along(p, n, local) + g->rounding * ld_norm(local);
}

#endif
