/* Distances and closest points of solids, triangles and half-spaces. */
#ifndef MO_GEOMETRY_CONVEX_DISTANCE_H
#define MO_GEOMETRY_CONVEX_DISTANCE_H

#include "geometry/convex/convex.h"
#include "geometry/gjk.h"

struct mo_half_space_body;

/* A solid, a half-space, or a triangle with corners within MO_MAX_COORDINATE. */
typedef struct mo_distance_body {
  const mo_convex *convex;                     /* of a solid; else null */
  const struct mo_half_space_body *half_space; /* of a half-space; else null */
  mo_dvec3 corners[3];                         /* of a triangle */
} mo_distance_body;

static inline bool mo_is_with_half_space(const mo_distance_body *a, const mo_distance_body *b) {
  return a->half_space != NULL || b->half_space != NULL;
}

/* mo_bodies_within for two bodies of which one at least is a half-space; see
 * geometry/convex/half_space.h. */
bool mo_half_space_within(const mo_distance_body *a, const mo_distance_body *b, double distance);

/* Whether the distance of any two bodies is at most `distance`: chooses mo_convex_within or its
 * forms for triangles and half-spaces. */
static inline bool mo_bodies_within(const mo_distance_body *a, const mo_distance_body *b,
                                    double distance) {
  if (mo_is_with_half_space(a, b)) {
    return mo_half_space_within(a, b, distance);
  }
  if (a->convex == NULL) {
    return b->convex == NULL ? mo_triangles_within(a->corners, b->corners, distance)
                             : mo_convex_triangle_within(b->convex, a->corners, distance);
  }
  return b->convex == NULL ? mo_convex_triangle_within(a->convex, b->corners, distance)
                           : mo_convex_within(a->convex, b->convex, distance);
}

/* The closest points (world) of two bodies that are not half-spaces, under any maps and for any
 * ratio of sizes. The error is about 1e-15 of their sizes and of their distance, but 1e-7 of the
 * sizes in rare cases (described at mo_primitive_find_distance). The distance is 0 if they overlap
 * with some depth; for bodies that just touch, only mo_convex_within decides. If they are farther
 * apart than max_distance, the points are any two points at least as far apart. */
mo_convex_gap mo_convex_distance(const mo_distance_body *a, const mo_distance_body *b,
                                 double max_distance);

/* A body with its world AABB, rounded outward (mo_convex_bounds, mo_prepared_bounds); infinite for
 * a half-space. */
typedef struct mo_boxed_body {
  mo_distance_body body;
  mo_aabb bounds;
} mo_boxed_body;

/* A triangle with its smallest AABB of floats. */
mo_boxed_body mo_boxed_triangle(const mo_dvec3 corners[3]);

/* The squared distance of two boxes that are not empty. Each operation is monotone: a box is never
 * farther than a box inside it, rounding included. */
static inline double mo_box_gap2(mo_aabb a, mo_aabb b) {
  double x = fmax((double)b.lower.x - (double)a.upper.x, (double)a.lower.x - (double)b.upper.x);
  double y = fmax((double)b.lower.y - (double)a.upper.y, (double)a.lower.y - (double)b.upper.y);
  double z = fmax((double)b.lower.z - (double)a.upper.z, (double)a.lower.z - (double)b.upper.z);
  x = x > 0.0 ? x : 0.0;
  y = y > 0.0 ? y : 0.0;
  z = z > 0.0 ? z : 0.0;
  return x * x + y * y + z * z;
}

/* The largest squared distance between points of two boxes. */
static inline double mo_box_far2(mo_aabb a, mo_aabb b) {
  double x = fmax((double)b.upper.x - (double)a.lower.x, (double)a.upper.x - (double)b.lower.x);
  double y = fmax((double)b.upper.y - (double)a.lower.y, (double)a.upper.y - (double)b.lower.y);
  double z = fmax((double)b.upper.z - (double)a.lower.z, (double)a.upper.z - (double)b.lower.z);
  return x * x + y * y + z * z;
}

/* The distance of two bodies as documented for mo_primitive_find_distance. Unlike
 * mo_convex_distance, it is 0 exactly if mo_bodies_within finds that the bodies touch, with one
 * point for both; and it is never less than the distance of the boxes, so that queries can cull
 * boxes by mo_box_gap2. If the result is greater than `max_distance`, its value is arbitrary;
 * otherwise it does not depend on `max_distance`. */
mo_convex_gap mo_bodies_distance(const mo_boxed_body *a, const mo_boxed_body *b,
                                 double max_distance);

#endif
