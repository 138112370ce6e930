/* Contact normals of two polytopes, by separating axes. */
#ifndef MO_CONTACT_NORMAL_POLYTOPE_H
#define MO_CONTACT_NORMAL_POLYTOPE_H

#include "contact/normal/axis.h"

enum { MO_MAX_CORNERS = 48, MO_MAX_SIDES = 64, MO_MAX_EDGES = 96 };

typedef struct mo_contact_edge {
  uint8_t start, end; /* vertices */
  uint8_t faces[2];   /* the two adjacent faces */
} mo_contact_edge;

typedef struct mo_contact_polytope {
  uint32_t vertex_count, face_count, edge_count;
  uint32_t side_count; /* the first faces are those of the body and are tried as axes */
  mo_dvec3 vertices[MO_MAX_CORNERS];
  mo_dvec3 normals[MO_MAX_SIDES]; /* unit, outward; zero where a face has no area */
  double offsets[MO_MAX_SIDES];   /* of the face planes, along the normals */
  mo_contact_edge edges[MO_MAX_EDGES];
  mo_dvec3 center;
  double inner;    /* radius of a ball around the centre that lies inside the polytope */
  bool has_volume; /* each edge has two known faces whose normals are less than 180 degrees apart */
} mo_contact_polytope;

/* Whether the core of a body is a triangle, a box, or a hull within the limits above. */
bool mo_contact_body_is_polytope(const mo_contact_body *body);

/* Makes the polytope of the core of such a body. */
void mo_contact_polytope_of(mo_contact_polytope *polytope, const mo_contact_body *body);

/* Whether a point may be higher than `least` over some plane through an edge whose normal lies on
 * the arc between the normals of its two faces. `h0` and `h1` are the heights of the point over
 * these faces; `c` is the cosine between their normals. */
static inline bool mo_edge_may_reach(double h0, double h1, double c, double least) {
  /* Branchless: these branches would be mispredicted. */
  bool at_ends = (h0 > least) | (h1 > least);
  bool has_top = (h0 > c * h1) & (h1 > c * h0);
  double top2 = h0 * h0 + h1 * h1 - 2.0 * c * h0 * h1, least2 = least * least * (1.0 - c * c);
  return at_ends | (has_top & ((least < 0.0) | (top2 > least2)));
}

/* Finds the axis of greatest separation of two such bodies. The points are not set. Where the
 * separation is positive, the axis is not certain: the true distance may be larger. Returns false
 * if there is no axis, as both are degenerate to segments or points. */
bool mo_contact_axis_of_polytopes(const mo_contact_body *a, const mo_contact_body *b, double most,
                                  mo_contact_axis *axis);

#endif
