/* Convex primitives (solids) under affine maps, in double precision: bounds and support
 * points. A general map makes an ellipsoid of a sphere and a parallelepiped of a box; a
 * singular map flattens a solid to a disc, a segment or a point. All solids are closed sets: their
 * surface belongs to them. */
#ifndef MO_GEOMETRY_BODY_CONVEX_H
#define MO_GEOMETRY_BODY_CONVEX_H

#include "geometry/solid.h"
#include "geometry/sum.h"
#include "math/affine.h"

/* The image of a solid under a map. */
typedef struct mo_convex {
  mo_solid solid;
  mo_dvec3 column[3]; /* linear part of the map */
  mo_dvec3 origin;
  bool is_inexact; /* a world box with centre or half extents that no double represents */
  mo_aabb box;     /* the world box, if is_inexact; else unused */
} mo_convex;

static inline mo_convex mo_convex_make(const mo_solid *solid, const mo_transform *map) {
  return (mo_convex){
      .solid = *solid,
      .column = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)},
      .origin = mo_widen(map->origin)};
}

/* A sphere in world coordinates. */
mo_convex mo_convex_sphere(mo_sphere sphere);

/* A box in world coordinates, not empty. Its centre need not be representable as a float. */
mo_convex mo_convex_aabb(mo_aabb box);

/* The support point: the farthest point of the solid in a direction, both in world coordinates. For
 * the zero direction, any point of the solid. */
mo_dvec3 mo_convex_support(const mo_convex *convex, mo_dvec3 direction);

/* The world AABB of the solid, rounded outward; tight for every type and map (the half width of the
 * image of a ball along a world axis is radius * |row of the map|). Exact if its sides are
 * representable as floats and each row of the map has one component that is not zero. The bounds of
 * a world box are that box. */
mo_aabb mo_convex_bounds(const mo_convex *convex);

/* Adds the solid's centre, times `sign` (1 or -1), to a sum. */
void mo_convex_add_center(const mo_convex *convex, double sign, mo_sum4 *sum);

#endif
