/* Half-spaces in the world, and what one has to do with another body: all by the point of the body
 * that is lowest above the plane. */
#ifndef MO_GEOMETRY_CONVEX_HALF_SPACE_H
#define MO_GEOMETRY_CONVEX_HALF_SPACE_H

#include "base/refuse.h"
#include "geometry/convex/penetration.h"
#include "math/affine.h"

/* The height of a point p above the plane is normal (p - origin) + offset: negative inside. */
typedef struct mo_half_space_body {
  mo_dvec3 normal; /* unit, out of it */
  mo_dvec3 origin; /* of the transform: numbers have the size of what lies between */
  double offset;
  mo_plane plane; /* the same in floats, which points inside, for culling */
} mo_half_space_body;

/* MO_ERROR_NOT_FINITE; MO_ERROR_INVALID_ARGUMENT (no normal). */
mo_result mo_half_space_check(const mo_half_space *half_space, const mo_refusal *refusal);

/* The image of a legal half-space, found exactly and rounded once. Errors:
 * MO_ERROR_INVALID_ARGUMENT (a map without an inverse); MO_ERROR_OUT_OF_RANGE. */
mo_result mo_half_space_make(mo_half_space_body *made, const mo_half_space *half_space,
                             const mo_transform *map, const mo_refusal *refusal);

static inline double mo_half_space_height(const mo_half_space_body *h, mo_dvec3 point) {
  return mo_ddot(h->normal, mo_dsub(point, h->origin)) + h->offset;
}

/* At least the error of heights, of points with coordinates up to `reach`. */
double mo_half_space_noise(const mo_half_space_body *h, mo_vec3 reach);

/* The world box around a half-space, rounded outward: without end but where an axis of the world is
 * its normal. */
mo_aabb mo_half_space_bounds(const mo_half_space_body *h);

/* All that is no higher above the plane than this. */
mo_half_space_body mo_half_space_grown(const mo_half_space_body *h, double by);

/* The height of the lowest corner of a box; sides may be infinite. */
double mo_half_space_height_of_box(const mo_half_space_body *h, mo_aabb box);

/* At least the distance of all points of a box; with a margin for rounding. */
double mo_half_space_farthest(const mo_half_space_body *h, mo_aabb box);

/* What mo_bodies_distance and mo_convex_penetrate say of two bodies of which one is a half-space,
 * or both are; mo_half_space_within is declared beside mo_bodies_within. */
mo_convex_gap mo_half_space_distance(const mo_distance_body *a, const mo_distance_body *b);
mo_convex_penetration mo_half_space_penetrate(const mo_distance_body *a, const mo_distance_body *b);

/* A world ray against a half-space, by the line's parameter at the plane: as mo_ray_placed_solid. */
bool mo_ray_half_space(const mo_ray_line *ray, const mo_half_space_body *h, float *t,
                       mo_vec3 *normal);

/* How opposite normals are that count as opposite: the length of the sum of two unit vectors. */
#define MO_OPPOSITE 0x1p-48

#endif
