/* Solids under affine maps, in double precision. General maps make ellipsoids of spheres,
 * parallelepipeds of boxes and so on; singular maps make flat, thin or point-like ones. All are
 * closed. */
#ifndef MO_GEOMETRY_CONVEX_CONVEX_H
#define MO_GEOMETRY_CONVEX_CONVEX_H

#include "geometry/solid.h"
#include "geometry/sum.h"
#include "math/affine.h"

/* The image of a solid under a map. */
typedef struct mo_convex {
  mo_solid solid;
  mo_dvec3 column[3]; /* linear part of the map */
  mo_dvec3 origin;
  bool is_inexact; /* a world box whose centre or half extents are no doubles: */
  mo_aabb box;     /* then, the box itself */
} mo_convex;

mo_convex mo_convex_make(const mo_solid *solid, const mo_transform *map);

/* A sphere in world coordinates. */
mo_convex mo_convex_sphere(mo_sphere sphere);

/* A world box, whose centre need not be a float; not empty. */
mo_convex mo_convex_aabb(mo_aabb box);

/* The farthest point of the solid in a direction, world. The zero direction gives some point. */
mo_dvec3 mo_convex_support(const mo_convex *convex, mo_dvec3 direction);

/* A box around the solid, rounded outward: tight for every type and map (the width of the image of
 * a ball along a world axis is radius * |row of the map|). Exact where its sides are floats and the
 * rows have one component; of a world box, that box. */
mo_aabb mo_convex_bounds(const mo_convex *convex);

/* Adds the coordinates of the solid's centre, times `sign` (1 or -1), to three sums. */
void mo_convex_add_center(const mo_convex *convex, double sign, mo_sum sum[3]);

/* Whether two solids touch. Symmetric in its arguments. Yes wherever they do; also up to a gap of
 * 1e-11 of the sum of their sizes, but never where their mo_convex_bounds are disjoint. Any map,
 * any ratio of sizes; the distance to the origin of the world costs no precision. */
bool mo_convex_overlap(const mo_convex *a, const mo_convex *b);

/* Whether two solids come within a distance of each other (at 0: whether they touch), with the
 * same tolerance. The distance is finite and not negative. */
bool mo_convex_within(const mo_convex *a, const mo_convex *b, double distance);

/* As mo_convex_within, of a solid and a triangle, or of two triangles, degenerate ones included.
 * Corners within MO_MAX_COORDINATE, in doubles that may be rounded: yes also up to a gap of 1e-14
 * of the coordinates. */
bool mo_convex_triangle_within(const mo_convex *a, const mo_dvec3 corners[3], double distance);
bool mo_triangles_within(const mo_dvec3 a[3], const mo_dvec3 b[3], double distance);

/* A ray against a solid in its own local frame: closed forms in double precision. Returns whether a
 * point with min_t <= t <= max_t lies in the solid, and the first such t, to the nearest float (a
 * point just beyond max_t counts if it rounds to max_t: the answer for t depends on max_t in no
 * other way, so the first of several solids is the same in whatever order they are tried). `normal`
 * is an outward normal there (any length but zero; local covector), zero if the point at min_t is
 * inside. A solid of no volume can be hit too, by rays that cross it to within rounding. Negative
 * radii or extents are not legal. */
bool mo_ray_solid(mo_vec3 origin, mo_vec3 direction, float min_t, float max_t,
                  const mo_solid *solid, float *t, mo_dvec3 *normal);

/* A world ray and its range. */
typedef struct mo_ray_line {
  mo_vec3 origin, direction;
  float min_t, max_t;
} mo_ray_line;

/* A world ray against a solid under an affine map: in the local frame where the map is invertible
 * and the ray can be taken there, as mo_ray_convex otherwise. What decides rays against shapes. The
 * normal (null: not wanted) is a world vector of unit length, zero if the point at min_t is inside.
 */
bool mo_ray_placed_solid(const mo_ray_line *ray, const mo_solid *solid, const mo_affine *affine,
                         float *t, mo_vec3 *normal);

/* Whether the point of a ray at t lies in a box, to within `precision` times the largest
 * coordinates involved. */
bool mo_ray_point_is_near(mo_vec3 origin, mo_vec3 direction, float t, mo_aabb bounds,
                          double precision);

/* mo_ray_solid allows for rounding of the line by 2^-48 of its largest local coordinate, on all
 * local axes alike. Where the lengths of the axes in the world differ by more than 2^16, that may
 * be more than the margin by which rays are culled against boxes. Then what is hit counts only if
 * it also lies in mo_convex_bounds with the precision of a local ray, which is finer than the
 * margin. */
#define MO_LOCAL_RAY_PRECISION 0x1p-18

static inline bool mo_axes_are_unequal(mo_vec3 lengths) {
  float least = mo_min(mo_min(lengths.x, lengths.y), lengths.z);
  float most = mo_max(mo_max(lengths.x, lengths.y), lengths.z);
  return most > 0x1p16f * least;
}

/* A world ray against a solid under any map, also a singular one (flat solids): the same closed
 * forms after a singular value decomposition of the map, with singular values raised to 1e-12 of
 * the largest; what is hit also lies in mo_convex_bounds, to within the rounding of t. The normal
 * is a world vector. */
bool mo_ray_convex(mo_vec3 origin, mo_vec3 direction, float min_t, float max_t,
                   const mo_convex *convex, float *t, mo_dvec3 *normal);

#endif
