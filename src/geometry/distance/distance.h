/* Distances and closest points of solids, triangles and half-spaces. */
#ifndef MO_GEOMETRY_DISTANCE_DISTANCE_H
#define MO_GEOMETRY_DISTANCE_DISTANCE_H

#include "geometry/gjk.h"
#include "geometry/overlap/overlap.h"

/* As mo_bodies_distance, for two bodies of which at least one is a half-space. */
mo_convex_gap mo_half_space_distance(const mo_body *a, const mo_body *b);

/* The closest points (world) of two bodies that are not half-spaces, under any maps and for any
 * ratio of sizes. The error is about 1e-15 of their sizes and of their distance, but 1e-7 of the
 * sizes in rare cases (described at mo_primitive_find_distance). The distance is 0 if the bodies
 * clearly overlap; whether bodies touch that hardly do, only mo_bodies_within decides. If they are
 * farther apart than max_distance, the points are any two points at least that far apart. */
mo_convex_gap mo_convex_distance(const mo_body *a, const mo_body *b, double max_distance);

/* The squared distance of two boxes that are not empty. Each operation is monotone: a box is never
 * farther than a box inside it, rounding included. */
static inline double mo_aabb_distance2(mo_aabb a, mo_aabb b) {
  double x = fmax((double)b.lower.x - (double)a.upper.x, (double)a.lower.x - (double)b.upper.x);
  double y = fmax((double)b.lower.y - (double)a.upper.y, (double)a.lower.y - (double)b.upper.y);
  double z = fmax((double)b.lower.z - (double)a.upper.z, (double)a.lower.z - (double)b.upper.z);
  x = x > 0.0 ? x : 0.0;
  y = y > 0.0 ? y : 0.0;
  z = z > 0.0 ? z : 0.0;
  return x * x + y * y + z * z;
}

/* The largest squared distance between points of two boxes. */
static inline double mo_aabb_max_distance2(mo_aabb a, mo_aabb b) {
  double x = fmax((double)b.upper.x - (double)a.lower.x, (double)a.upper.x - (double)b.lower.x);
  double y = fmax((double)b.upper.y - (double)a.lower.y, (double)a.upper.y - (double)b.lower.y);
  double z = fmax((double)b.upper.z - (double)a.lower.z, (double)a.upper.z - (double)b.lower.z);
  return x * x + y * y + z * z;
}

/* The distance of two bodies as documented for mo_primitive_find_distance. Unlike
 * mo_convex_distance, it is 0 exactly if mo_bodies_within finds that the bodies touch, with one
 * point for both; and it is never less than the distance of the boxes, so that queries can cull
 * boxes by mo_aabb_distance2. If the result is greater than `max_distance`, its value is arbitrary;
 * otherwise it does not depend on `max_distance`. */
mo_convex_gap mo_bodies_distance(const mo_body *a, const mo_body *b, double max_distance);

/* The point of a solid or half-space that is closest to a given world point. */
typedef struct mo_convex_closest {
  double distance; /* 0 if and only if mo_bodies_within finds that the body contains the point */
  mo_dvec3 point;  /* on the body; the given point if the distance is 0 */
  mo_dvec3 normal; /* of unit length, from the body to the given point; zero if the distance is 0 */
} mo_convex_closest;

/* The closest point of a body: the same result as mo_primitive_closest_point, bit for bit. The
 * distance is never less than that of the point from the bounds, so queries can cull boxes by
 * mo_aabb_distance2 without a margin. */
mo_convex_closest mo_body_closest_point(const mo_body *body, mo_vec3 point);

#endif
