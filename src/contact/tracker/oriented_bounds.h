/* Boxes around convex shapes, oriented as the shapes are: a quick test that shows for most pairs of
 * shapes that they are apart although their world AABBs overlap, before anything is prepared for
 * the pair.
 *
 * Along any direction, two convex shapes are apart if their half widths along it sum to less than
 * the distance of their centres along it (separating axis). Seven directions are tried: the columns
 * of the map of either shape, which for rigid maps are the normals of its box, and the line of
 * centres. Everything is rounded so that shapes with contacts are never found to be apart. */
#ifndef MO_CONTACT_TRACKER_ORIENTED_BOUNDS_H
#define MO_CONTACT_TRACKER_ORIENTED_BOUNDS_H

#include "math/four.h"
#include "scene/scene.h"

/* A box and a ball whose Minkowski sum contains a shape. Three lanes belong to the three axes of
 * the shape's frame. */
typedef struct mo_oriented_bounds {
  mo_f4 x, y, z; /* components of the columns of the shape's map; last lane: of the centre of the
                    box, relative to the origin of the map */
  mo_f4 half;    /* local half extents of the box; last lane: world radius of the ball, INFINITY if
                    nothing is known of the shape */
  mo_f4 half_width; /* half widths of the box along the columns; last lane: a bound of the distance
                       of the shape's points from the origin of the map */
  mo_f4 length;     /* of the columns */
} mo_oriented_bounds;

/* The bounds of a shape. Nothing is known of shapes that are not convex or not bounded, nor of
 * those that are so small or large that squares of their coordinates could overflow or underflow.
 */
mo_oriented_bounds mo_oriented_bounds_of(const mo_shape *shape);

/* Bounds the errors of rounding, and the tolerances within which contacts count as in reach,
 * relative to the sizes of both shapes, their distance, and the greatest separation. */
#define MO_ORIENTED_BOUNDS_SLACK 0x1p-16f

/* The sum of the half widths of the box of `b` along the columns of `a`. */
static inline mo_f4 mo_half_widths_along(const mo_oriented_bounds *a, const mo_oriented_bounds *b) {
  mo_f4 sum = mo_f4_splat(0.0f);
  for (int k = 0; k < 3; k++) {
    sum += mo_f4_abs(a->x * b->x[k] + a->y * b->y[k] + a->z * b->z[k]) * b->half[k];
  }
  return sum;
}

/* Whether two shapes are surely farther apart than `max`. `between`: the vector from the origin of
 * the map of `a` to that of `b`. */
static inline bool mo_oriented_bounds_are_apart(const mo_oriented_bounds *a,
                                                const mo_oriented_bounds *b, mo_vec3 between,
                                                float max) {
  const mo_vec3 d =
      mo_add(between, mo_vec(b->x[3] - a->x[3], b->y[3] - a->y[3], b->z[3] - a->z[3]));
  const float total = fabsf(between.x) + fabsf(between.y) + fabsf(between.z) + a->half_width[3] +
                      b->half_width[3] + max;
  const float reach =
      a->half[3] + b->half[3] + max + MO_ORIENTED_BOUNDS_SLACK * total + 0x1p-80f /* underflow */;
  const mo_f4 along_a = mo_f4_abs(a->x * d.x + a->y * d.y + a->z * d.z);
  if (mo_f4_any(along_a > mo_half_widths_along(a, b) + a->half_width + reach * a->length)) {
    return true;
  }
  const mo_f4 along_b = mo_f4_abs(b->x * d.x + b->y * d.y + b->z * d.z);
  if (mo_f4_any(along_b > mo_half_widths_along(b, a) + b->half_width + reach * b->length)) {
    return true;
  }
  const mo_f4 widths = along_a * a->half + along_b * b->half; /* along d, times its length */
  const float square = mo_dot(d, d);
  return square > widths[0] + widths[1] + widths[2] + reach * sqrtf(square);
}

#endif
