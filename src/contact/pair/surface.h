/* Contacts of a convex body with the triangles of a mesh, as parts of one surface. */
#ifndef MO_CONTACT_PAIR_SURFACE_H
#define MO_CONTACT_PAIR_SURFACE_H

#include "contact/pair/pair.h"
#include "mesh/overlap/overlap.h"

/* The body of a solid or triangle, seen from a place near it. */
void mo_collider_make_body(mo_contact_body *body, const mo_collider *c, mo_dvec3 reference);

/* One triangle of a mesh, but for its bounds. */
mo_collider mo_collider_of_triangle(const mo_collider *mesh, uint32_t triangle);

/* A triangle as it is seen from a body. */
typedef struct mo_surface_side {
  mo_dvec3 face; /* unit, towards the side that the body's centre is on; zero: degenerate */
  bool in_front; /* whether that is the front */
} mo_surface_side;

/* A triangle and its contact with a body, by itself or as part of the surface. */
typedef struct mo_meeting {
  bool found; /* false: none even of the triangle by itself, and nothing below is set */
  mo_manifold manifold;
  /* Of meshes with edges: */
  mo_dvec3 corner[3];
  mo_dvec3 face;         /* unit, towards the side that the body's centre is on; zero: degenerate */
  bool in_front;         /* whether that is the front */
  mo_dvec3 normal;       /* of the contact, from the triangle to the body */
  mo_manifold alone;     /* of the triangle by itself */
  mo_dvec3 alone_normal; /* of that, from the triangle to the body */
  bool hidden;           /* that is not a contact of the surface */
  bool along_face;
} mo_meeting;

enum { MO_MEETINGS = 16 };

/* The last meetings of a body: each triangle in the place of its index modulo their number, as most
 * are needed again for the points on their edges. */
typedef struct mo_meetings {
  uint32_t triangle[MO_MEETINGS]; /* MO_NO_TRIANGLE: none yet */
  mo_meeting items[MO_MEETINGS];
} mo_meetings;

/* A mesh and a body that touches it. */
typedef struct mo_surface {
  const mo_contact_search *search;
  const mo_collider *mesh;
  const mo_contact_body *body;
  mo_dvec3 reference; /* what both are seen from, world */
  mo_dvec3 center;    /* of what the body is, or is a part of: which side of triangles it is on */
  bool mesh_first;    /* normals go from the mesh to the body; else the other way */
  mo_meetings *met;
} mo_surface;

static inline void mo_meetings_clear(mo_meetings *met) {
  for (int i = 0; i < MO_MEETINGS; i++) {
    met->triangle[i] = MO_NO_TRIANGLE;
  }
}

/* Reports each triangle of a mesh that touches a region, once; false ends. */
void mo_surface_visit(const mo_contact_search *search, const mo_collider *mesh,
                      const mo_region *region, bool (*report)(uint32_t triangle, void *context),
                      void *context);

/* Whether contacts are those of one surface. A half-space meets any mesh at corners alone. */
bool mo_surface_knows_edges(const mo_surface *s);

/* The body of a triangle, and the side of it. */
void mo_surface_make_triangle(const mo_surface *s, uint32_t triangle, mo_contact_body *body);
mo_surface_side mo_surface_side_of(const mo_surface *s, const mo_contact_body *triangle);

/* The contact of a triangle; false: none. Where the mesh knows how its surface goes on across
 * edges, it is one of the whole surface: none where a neighbour has it, and along the normal of the
 * triangle where the surface does not end or bend away at the edge. `along_face` receives whether
 * it is along that normal. */
bool mo_surface_contact(const mo_surface *s, uint32_t triangle, mo_manifold *manifold,
                        bool *along_face);

/* All contacts with the triangles that touch a region, in any order: each by itself, or where the
 * mesh knows its edges, those of one plane together. */
typedef void mo_surface_report(uint32_t triangle, const mo_manifold *manifold, void *context);
void mo_surface_find_contacts(const mo_surface *s, const mo_region *region,
                              mo_surface_report *report, void *context);

#endif
