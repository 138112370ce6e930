/* The vertices, edges and faces of bodies: which of them reach farthest in a direction. They are
 * numbered as mo_feature has it. */
#ifndef MO_GEOMETRY_CONVEX_FEATURE_H
#define MO_GEOMETRY_CONVEX_FEATURE_H

#include "geometry/convex/distance.h"

typedef struct mo_body_feature {
  mo_feature kind;
  uint32_t index;
} mo_body_feature;

/* The part of a body that reaches farthest along a unit vector, without what it is rounded by.
 * Edges and faces count as across the vector to within these angles: where two edges do that are
 * not nearly parallel, so does their face. */
mo_body_feature mo_feature_along(const mo_distance_body *body, mo_dvec3 n);

#define MO_LEVEL_EDGE 0x1p-16
#define MO_LEVEL_FACE 0x1p-14

/* The unit normal of a triangle by the right-hand rule; zero of one that is degenerate to within
 * rounding. */
mo_dvec3 mo_corners_normal(const mo_dvec3 corners[3]);

/* Of the faces at the vertex of a hull, under a map given by columns, that is farthest along a
 * vector: the one that is most aligned with it, and its normal. MO_NONE where the map makes lines
 * of all of them. */
uint32_t mo_hull_face_along(const struct mo_hull *hull, const mo_dvec3 column[3], mo_dvec3 n,
                            mo_dvec3 *normal);

#endif
