/* The vertex, edge or face of a body that reaches farthest in a direction. Features are numbered as
 * documented at mo_feature. */
#ifndef MO_GEOMETRY_CONVEX_FEATURE_H
#define MO_GEOMETRY_CONVEX_FEATURE_H

#include "geometry/convex/distance.h"

typedef struct mo_body_feature {
  mo_feature kind;
  uint32_t index;
} mo_body_feature;

/* The feature of a body, before rounding, that reaches farthest along a unit vector. Edges and
 * faces count as perpendicular to the vector to within these angles. If two edges of a face are
 * perpendicular to it and not nearly parallel, the face is too. */
mo_body_feature mo_feature_along(const mo_body *body, mo_dvec3 n);

#define MO_LEVEL_EDGE 0x1p-16
#define MO_LEVEL_FACE 0x1p-14

/* The unit normal of a triangle by the right-hand rule; zero if the triangle is degenerate to
 * within rounding. */
mo_dvec3 mo_corners_normal(const mo_dvec3 corners[3]);

/* Takes the vertex of a hull, under a map given by columns, that is farthest along `n`. Returns the
 * face at this vertex whose mapped normal is most aligned with `n`, and that normal. MO_NONE if the
 * map flattens all these faces to lines. */
uint32_t mo_hull_face_along(const struct mo_hull *hull, const mo_dvec3 column[3], mo_dvec3 n,
                            mo_dvec3 *normal);

/* The outward unit normal of a face of a hull under such a map; zero if the map flattens it. */
mo_dvec3 mo_hull_face_normal(const struct mo_hull *hull, const mo_dvec3 column[3], uint32_t face);

#endif
