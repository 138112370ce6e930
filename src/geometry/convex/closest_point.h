/* Points and solids: the closest point of a solid, and the way out of it. */
#ifndef MO_GEOMETRY_CONVEX_CLOSEST_POINT_H
#define MO_GEOMETRY_CONVEX_CLOSEST_POINT_H

#include "geometry/convex/convex.h"

/* The distance of a solid from a world point. */
typedef struct mo_convex_closest {
  double distance; /* 0 exactly where mo_convex_overlap says that the solid has the point */
  mo_dvec3 point;  /* of the solid; the given point where the distance is 0 */
  mo_dvec3 normal; /* unit, from the solid to the point; zero where the distance is 0 */
} mo_convex_closest;

/* As exact as mo_convex_distance, and never less than the distance of the point from
 * mo_convex_bounds, by the arithmetic of mo_box_distance2: so boxes can be left out by theirs,
 * without a margin. */
mo_convex_closest mo_convex_closest_point(const mo_convex *convex, mo_vec3 point);

/* The squared distance of a point from a box that is not empty. Each operation is monotone: a box
 * is never farther than a box inside it, rounding included. */
static inline double mo_box_distance2(mo_aabb box, mo_dvec3 point) {
  double x = fmax((double)box.lower.x - point.x, point.x - (double)box.upper.x);
  double y = fmax((double)box.lower.y - point.y, point.y - (double)box.upper.y);
  double z = fmax((double)box.lower.z - point.z, point.z - (double)box.upper.z);
  x = x > 0.0 ? x : 0.0;
  y = y > 0.0 ? y : 0.0;
  z = z > 0.0 ? z : 0.0;
  return x * x + y * y + z * z;
}

/* A way out of a solid. */
typedef struct mo_convex_exit {
  mo_dvec3 normal; /* unit */
  double depth;    /* moved so far along the normal, the point touches the solid from outside */
} mo_convex_exit;

/* The shortest way out for a point in or on a solid, as exact as mo_convex_penetrate. Where the
 * opposite direction, or the one against `displacement`, is as short to within rounding, the one
 * that is most against the displacement. */
mo_convex_exit mo_convex_find_exit(const mo_convex *convex, mo_dvec3 point, mo_dvec3 displacement);

#endif
