/* Half-spaces in world space. */
#ifndef MO_GEOMETRY_BODY_HALF_SPACE_H
#define MO_GEOMETRY_BODY_HALF_SPACE_H

#include "base/refuse.h"
#include "geometry/body/convex.h"

/* A half-space in world space. The height of a point p above its plane is dot(normal, p - origin) +
 * offset: negative inside. */
typedef struct mo_half_space_body {
  mo_dvec3 normal; /* unit, outward */
  mo_dvec3 origin; /* origin of the transform; heights are computed relative to it */
  double offset;   /* height of `origin` above the plane */
  mo_plane plane;  /* the same plane in floats, with the normal pointing inside, for culling */
} mo_half_space_body;

/* Checks a half-space. Errors: MO_ERROR_NOT_FINITE; MO_ERROR_INVALID_ARGUMENT (a zero normal). */
mo_result mo_half_space_check(const mo_half_space *half_space, const mo_refusal *refusal);

/* The image of a legal half-space under a map, computed exactly and rounded once. Errors:
 * MO_ERROR_INVALID_ARGUMENT (a map without an inverse); MO_ERROR_OUT_OF_RANGE. */
mo_result mo_half_space_make(mo_half_space_body *made, const mo_half_space *half_space,
                             const mo_transform *map, const mo_refusal *refusal);

static inline double mo_half_space_height(const mo_half_space_body *h, mo_dvec3 point) {
  return mo_ddot(h->normal, mo_dsub(point, h->origin)) + h->offset;
}

/* An upper bound of the rounding error of heights, for points with coordinates up to `reach`. */
double mo_half_space_height_error(const mo_half_space_body *h, mo_vec3 reach);

/* The world AABB of a half-space, rounded outward: infinite, except on the side of the plane if the
 * normal is along a world axis. */
mo_aabb mo_half_space_bounds(const mo_half_space_body *h);

/* The half-space of all points whose height above the plane is at most `by`. */
mo_half_space_body mo_half_space_grown(const mo_half_space_body *h, double by);

/* The height above the plane of a box's lowest corner; the box's sides may be infinite. */
double mo_half_space_min_box_height(const mo_half_space_body *h, mo_aabb box);

/* An upper bound of the distance from the half-space to any point of a box, rounding included. */
double mo_half_space_max_box_distance(const mo_half_space_body *h, mo_aabb box);

/* Two unit normals count as opposite if the length of their sum is at most this. */
#define MO_OPPOSITE_NORMALS_TOLERANCE 0x1p-48

#endif
