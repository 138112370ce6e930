/* A polytope with 26 sides around a point set (a k-DOP, Klosowski et al., "Efficient Collision
 * Detection Using Bounding Volume Hierarchies of k-DOPs", TVCG 1998), and AABBs of its images under
 * affine maps.
 *
 * The AABB of the image of a rotated box is much larger than the box's contents: for a ball it has
 * more than twice the area. A tight AABB only needs the set's support function in a direction n,
 * the largest n . p. The support function is convex. So if n is a sum of directions with
 * nonnegative weights, the same sum of their supports is at least the support in n. The 26
 * directions are those to the middles of a cube's faces, edges and corners, in a space where the
 * set's box is a cube. With n's components sorted by size, a >= b >= c >= 0, n is (a - b) face + (b
 * - c) edge + c corner of one of 48 triangles on the cube. In each triangle the bound is linear in
 * n, so it is the dot product of n with one point: only 48 points need to be stored. */
#ifndef MO_MATH_DOP_H
#define MO_MATH_DOP_H

#include "math/affine.h"

/* The number of stored points. The index of the point for a direction is: three sign bits (1:
 * negative), then the bits y > x, z > y, z > x of the magnitudes. 16 of the 64 combinations are
 * contradictory and never occur. */
enum { MO_DOP_POINTS = 64 };

typedef struct mo_dop {
  mo_aabb box;   /* AABB of the point set; if empty, there is no polytope */
  mo_vec3 half;  /* half extents of the box, rounded: the scale for sorting components */
  mo_vec3 slack; /* slack . |row of the map| is the margin for rounding */
  float point[MO_DOP_POINTS][4]; /* by direction (see MO_DOP_POINTS); the fourth float is 0 */
} mo_dop;

/* Returns the largest d . (p - middle) of all points p, computed by mo_dop_height_along. */
typedef double mo_dop_support(const void *points, mo_dvec3 middle, mo_dvec3 d);

static inline double mo_dop_height_along(mo_vec3 p, mo_dvec3 middle, mo_dvec3 d) {
  return ((double)p.x - middle.x) * d.x + ((double)p.y - middle.y) * d.y +
         ((double)p.z - middle.z) * d.z;
}

enum { MO_DOP_DIRECTIONS = 26 };

/* Builds the k-DOP by MO_DOP_DIRECTIONS calls of `support`, always for the same directions,
 * relative to the box, in the same order. `box`: the AABB of all points, not empty. */
void mo_dop_init(mo_dop *dop, mo_aabb box, mo_dop_support *support, const void *points);

/* The lower and upper corner of the AABB of the images of all points, rounded outward. It is
 * smaller than the result of mo_affine_aabb_to_world, or at most insignificantly larger; and equal
 * to it along world axes to which at most one local axis contributes. */
void mo_dop_image(const mo_dop *dop, const mo_affine *affine, mo_f4 *lower, mo_f4 *upper);

/* mo_dop_image as a box. Inline, because copying a box that a call has stored float by float would
 * cause a store-to-load forwarding stall. */
MO_INLINE mo_aabb mo_dop_to_world(const mo_dop *dop, const mo_affine *affine) {
  mo_f4 lower, upper;
  mo_dop_image(dop, affine, &lower, &upper);
  return (mo_aabb){mo_f4_to_vec3(lower), mo_f4_to_vec3(upper)};
}

#endif
