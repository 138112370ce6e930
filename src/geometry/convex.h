/* Solid convex shapes under affine maps, by support mappings, in double precision.
 *
 * Overlap by GJK (Gilbert, Johnson and Keerthi 1988) on the cores (segment, box, point) where the
 * rounding radius may be kept apart (uniform cases), else on the full support; rays by GJK ray
 * casting (van den Bergen 2004). Deterministic: fixed iteration order and limits. */
#ifndef MO_GEOMETRY_CONVEX_H
#define MO_GEOMETRY_CONVEX_H

#include "math/affine.h"

typedef enum mo_convex_type { MO_CONVEX_SPHERE, MO_CONVEX_BOX, MO_CONVEX_CAPSULE } mo_convex_type;

/* A convex solid: the image under `map` of the points within `radius` of the segment a-b (sphere:
 * a == b), or of the box center a, half extents b. All in local coordinates. */
typedef struct mo_convex {
  mo_convex_type type;
  mo_dvec3 a, b;
  double radius;
  mo_dvec3 column[3]; /* linear part of the map */
  mo_dvec3 origin;
} mo_convex;

mo_convex mo_convex_sphere(mo_sphere sphere, const mo_transform *map);
mo_convex mo_convex_box(mo_vec3 center, mo_vec3 half_extents, const mo_transform *map);
mo_convex mo_convex_capsule(mo_vec3 a, mo_vec3 b, float radius, const mo_transform *map);

/* The farthest point of the solid in a direction, world. */
mo_dvec3 mo_convex_support(const mo_convex *convex, mo_dvec3 direction);

/* A box around the solid, rounded outward: tight for every type and map (the width of the image of a
 * ball along a world axis is radius * |row of the map|). */
mo_aabb mo_convex_bounds(const mo_convex *convex);

/* Whether two solids touch; true up to a relative gap of 1e-9 of their size and distance. */
bool mo_convex_overlap(const mo_convex *a, const mo_convex *b);

/* A ray against a solid in its own local frame: exact closed forms. Returns whether a point with
 * min_t <= t <= max_t lies in the solid, and the first such t. `normal` is an outward normal there
 * (any length; local covector), zero if the point at min_t is inside. */
bool mo_ray_sphere(mo_vec3 origin, mo_vec3 direction, float min_t, float max_t, mo_sphere sphere,
                   float *t, mo_dvec3 *normal);
bool mo_ray_box(mo_vec3 origin, mo_vec3 direction, float min_t, float max_t, mo_vec3 center,
                mo_vec3 half_extents, float *t, mo_dvec3 *normal);
bool mo_ray_capsule(mo_vec3 origin, mo_vec3 direction, float min_t, float max_t, mo_vec3 a,
                    mo_vec3 b, float radius, float *t, mo_dvec3 *normal);

/* A world ray against a solid under any map, also a singular one (flat solids). Iterative. The
 * normal is a world vector. */
bool mo_ray_convex(mo_vec3 origin, mo_vec3 direction, float min_t, float max_t,
                   const mo_convex *convex, float *t, mo_dvec3 *normal);

#endif
