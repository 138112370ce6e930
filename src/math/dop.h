/* A polytope with 26 sides around a point set (a k-DOP, Klosowski et al., "Efficient Collision
 * Detection Using Bounding Volume Hierarchies of k-DOPs", TVCG 1998), and boxes around its images.
 *
 * A box around the image of a rotated box is far larger than what it holds: for a ball more than
 * twice its area. All that is needed of the set is its support in any direction n, the largest n .
 * p. The support is convex, so where n is a sum of directions with weights that are not negative,
 * that sum of their supports is at least the support in n. The directions are those to the middles
 * of a cube's faces, edges and corners, in a space where the set's box is a cube; with n's
 * components sorted by size, a >= b >= c >= 0, n is (a - b) face + (b - c) edge + c corner of one
 * triangle of 48 on the cube. In each triangle the bound is linear, thus the product of n with one
 * point: 48 points are all there is to keep. */
#ifndef MO_MATH_DOP_H
#define MO_MATH_DOP_H

#include "math/affine.h"

/* Which point belongs to a direction: three bits for signs (negative: 1), then whether y is larger
 * than x, z than y, z than x. 16 of 64 orders contradict themselves and never occur. */
enum { MO_DOP_POINTS = 64 };

typedef struct mo_dop {
  mo_aabb box;   /* of the set; if empty, there is no polytope */
  mo_vec3 half;  /* of the box, rounded: what puts components in order */
  mo_vec3 slack; /* margin for rounding, per unit of a component */
  float point[MO_DOP_POINTS][4];
} mo_dop;

/* The largest d . (p - middle) of all points p, as mo_dop_along. */
typedef double mo_dop_support(const void *points, mo_dvec3 middle, mo_dvec3 d);

static inline double mo_dop_along(mo_vec3 p, mo_dvec3 middle, mo_dvec3 d) {
  return ((double)p.x - middle.x) * d.x + ((double)p.y - middle.y) * d.y +
         ((double)p.z - middle.z) * d.z;
}

/* Calls `support` for 26 directions. `box`: the smallest that holds all points, not empty. */
void mo_dop_init(mo_dop *dop, mo_aabb box, mo_dop_support *support, const void *points);

/* The lower and the upper corner of a box around the images of all points, rounded outward: as
 * mo_affine_aabb_to_world, but smaller, or larger by a hair. The same as that on axes of the world
 * along which one local axis goes. */
void mo_dop_image(const mo_dop *dop, const mo_affine *affine, mo_f4 *lower, mo_f4 *upper);

/* The same as a box; inline, as a copy of a box that a call has stored float by float would stall
 * on store forwarding. */
MO_INLINE mo_aabb mo_dop_to_world(const mo_dop *dop, const mo_affine *affine) {
  mo_f4 lower, upper;
  mo_dop_image(dop, affine, &lower, &upper);
  return (mo_aabb){mo_f4_vec(lower), mo_f4_vec(upper)};
}

#endif
