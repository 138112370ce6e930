/* Normals of contacts of polytopes. */
#ifndef MO_CONTACT_NORMAL_POLYTOPE_H
#define MO_CONTACT_NORMAL_POLYTOPE_H

#include "contact/normal/axis.h"

enum { MO_MAX_CORNERS = 48, MO_MAX_SIDES = 64, MO_MAX_EDGES = 96 };

typedef struct mo_contact_edge {
  uint8_t start, end; /* vertices */
  uint8_t faces[2];   /* beside it */
} mo_contact_edge;

typedef struct mo_contact_polytope {
  uint32_t vertex_count, face_count, edge_count;
  uint32_t side_count; /* the first of the faces are those of the body, and axes */
  mo_dvec3 vertices[MO_MAX_CORNERS];
  mo_dvec3 normals[MO_MAX_SIDES]; /* unit, outward; zero where a face has no area */
  double offsets[MO_MAX_SIDES];   /* of their planes, along the normals */
  mo_contact_edge edges[MO_MAX_EDGES];
  mo_dvec3 center;
  double inner;    /* the radius of a ball around the centre that lies inside */
  bool has_volume; /* faces beside each edge are known, and less than 180 degrees apart */
} mo_contact_polytope;

/* Whether the core of a body is a triangle, a box or a hull that is not large. */
bool mo_contact_body_is_polytope(const mo_contact_body *body);

/* The core of such a body. */
void mo_contact_polytope_of(mo_contact_polytope *polytope, const mo_contact_body *body);

/* Whether a height over planes through an edge may be greater than `least`, from those over its
 * faces: the normals between these are an arc, with the cosine `c` from end to end. */
static inline bool mo_edge_may_reach(double h0, double h1, double c, double least) {
  /* Without branches, which would be mispredicted. */
  bool at_ends = (h0 > least) | (h1 > least);
  bool has_top = (h0 > c * h1) & (h1 > c * h0);
  double top2 = h0 * h0 + h1 * h1 - 2.0 * c * h0 * h1, least2 = least * least * (1.0 - c * c);
  return at_ends | (has_top & ((least < 0.0) | (top2 > least2)));
}

/* The axis of two such bodies that separates their cores by most: without points; that they are
 * near is not certain where the separation is positive. False where there is none, as both are
 * segments or points. */
bool mo_contact_axis_of_polytopes(const mo_contact_body *a, const mo_contact_body *b, double most,
                                  mo_contact_axis *axis);

#endif
