/* Rays against solids and half-spaces. */
#ifndef MO_GEOMETRY_RAY_BODY_H
#define MO_GEOMETRY_RAY_BODY_H

#include "geometry/body/body.h"

/* A ray and its range: the points origin + t * direction with min_t <= t <= max_t. */
typedef struct mo_ray_line {
  mo_vec3 origin, direction;
  float min_t, max_t;
} mo_ray_line;

/* A ray against a solid in the solid's local frame, by closed forms in double precision. Returns
 * whether a point with min_t <= t <= max_t lies in the solid, and the first such t, rounded to the
 * nearest float. A point just beyond max_t counts if its t rounds to max_t. Apart from that, t does
 * not depend on max_t, so the first hit of several solids is the same in whatever order they are
 * tested. `normal` receives the outward normal at the hit, in the local frame and of any length but
 * zero; it is zero if the point at min_t is inside. A solid of no volume is hit by rays that cross
 * it to within rounding. Radii and extents are not negative. */
bool mo_ray_test_solid(const mo_ray_line *ray, const mo_solid *solid, float *t, mo_dvec3 *normal);

/* A world ray against a solid under an affine map: the primitive test of rays against convex
 * shapes. It works in the local frame if the map is invertible and the transformed ray keeps enough
 * precision, otherwise by mo_ray_test_convex. The normal (null: not wanted) is a world vector of
 * unit length, zero if the point at min_t is inside. */
bool mo_ray_test_placed_solid(const mo_ray_line *ray, const mo_solid *solid,
                              const mo_affine *affine, float *t, mo_vec3 *normal);

/* Whether the point of a ray at t lies in a box, to within `precision` times the largest
 * coordinates of ray and box. */
bool mo_ray_point_is_in_box(mo_vec3 origin, mo_vec3 direction, float t, mo_aabb bounds,
                            double precision);

/* The precision of the test that a hit found in the local frame lies in the solid's bounds.
 *
 * mo_ray_test_solid tolerates rounding of the ray by 2^-48 of its largest local coordinate, the
 * same on all local axes. If the world lengths of the local axes differ by more than a factor of
 * 2^16, this tolerance may exceed the margin of the ray culling against boxes. A hit then counts
 * only if its point also lies in mo_convex_bounds, to within this precision (relative to the
 * largest coordinate), which is finer than the culling margin. */
#define MO_LOCAL_RAY_PRECISION 0x1p-18

static inline bool mo_lengths_differ_greatly(mo_vec3 lengths) {
  float min = mo_min(mo_min(lengths.x, lengths.y), lengths.z);
  float max = mo_max(mo_max(lengths.x, lengths.y), lengths.z);
  return max > 0x1p16f * min;
}

/* A world ray against a solid under any map, singular maps (flat solids) included: the closed forms
 * of mo_ray_test_solid after a singular value decomposition of the map, with singular values raised
 * to at least 1e-12 of the largest. The hit point also lies in mo_convex_bounds, to within the
 * rounding of t. The normal is a world vector. */
bool mo_ray_test_convex(const mo_ray_line *ray, const mo_convex *convex, float *t,
                        mo_dvec3 *normal);

/* A world ray against a half-space, by the t at which the ray's line meets the plane. Arguments and
 * result are those of mo_ray_test_placed_solid. */
bool mo_ray_test_half_space(const mo_ray_line *ray, const mo_half_space_body *h, float *t,
                            mo_vec3 *normal);

#endif
