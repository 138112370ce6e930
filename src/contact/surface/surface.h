/* Contacts of a convex body with the triangles of a mesh. If the mesh was built with edges, its
 * triangles are one surface: internal (ghost) edges have no contacts, and the triangles of one
 * plane have one contact together.
 *
 * From bottom to top: gathered.h finds the triangles near the body and the contact of each triangle
 * by itself; sheet.h says which side of the surface the body is on; accept.h chooses the contacts
 * that belong to the surface, mesh_body.h those of a body that is a triangle of another mesh;
 * depth.h limits their depths; surface.c unites the contacts in one plane and reports all contacts.
 */
#ifndef MO_CONTACT_SURFACE_SURFACE_H
#define MO_CONTACT_SURFACE_SURFACE_H

#include "contact/manifold/manifold.h"
#include "contact/surface/sheet.h"

enum {
  MO_MAX_ESCAPES = 16,
  MO_MAX_KNOWN_CONTACTS = 12,
  MO_MAX_NEIGHBORS = 32,
  MO_MAX_OPEN_OVERLAPS = 8
};

/* A contact that was reported for a triangle of a mesh. Positions are in the world. */
typedef struct mo_known_contact {
  uint32_t triangle;
  bool on_face; /* its normal is that of the triangle */
  mo_manifold manifold;
} mo_known_contact;

/* Triangles of a mesh that touch one of its triangles, and are near the surface. That triangle is
 * among them. */
typedef struct mo_neighbors {
  uint32_t of_triangle;
  uint32_t count;                       /* more than MO_MAX_NEIGHBORS: only the first are stored */
  mo_dvec3 corner[MO_MAX_NEIGHBORS][3]; /* relative to the reference point of the triangle */
} mo_neighbors;

/* Triangles of the surface that a triangle of a mesh overlaps, and that no proven contact of it
 * resolves: if a proven contact of the mesh moves it out of them, it needs no contact. */
typedef struct mo_open_overlaps {
  bool are_all;   /* these are all, and the triangle of the mesh has no proven contact */
  uint32_t count; /* length of `triangles` */
  uint32_t triangles[MO_MAX_OPEN_OVERLAPS];
  double slack; /* deeper overlaps remain */
} mo_open_overlaps;

/* A mesh whose triangles are bodies on a surface, one after the other (mesh_body.h). What overlaps
 * gets a proven contact if there is one. Else it needs none if moving the mesh out of some proven
 * contact moves it out of the surface there, too. Only the rest gets contacts that are not proven.
 * Triangles for which that is open are collided once more, when the proven contacts are known. */
typedef struct mo_mesh_body {
  mo_surface own; /* the mesh as a surface */
  /* Triangles of the mesh that are near the surface: those that one pass lists. */
  const uint32_t *triangles;
  uint32_t triangle_count;
  bool lists_all; /* whether these are all */
  mo_neighbors neighbors;
  bool proven_are_known; /* all proven contacts; of the triangles that one pass lists */
  mo_open_overlaps open; /* of the triangle that was collided last, if it has to be once more */
  uint32_t escape_count;
  mo_dvec3 escapes[MO_MAX_ESCAPES]; /* how proven contacts move the mesh out of the surface */
  uint32_t known_count;
  mo_known_contact known[MO_MAX_KNOWN_CONTACTS]; /* those that were reported first */
} mo_mesh_body;

/* A convex body whose contacts with a surface are searched for. */
typedef struct mo_surface_body {
  const mo_contact_body *body;
  mo_dvec3 reference;    /* world point that the body is relative to */
  mo_region region;      /* world; touched by all triangles that have contacts with the body */
  mo_sheet_sides *sides; /* on which sides of the mesh's sheets (sheet.h) the body is */
  /* If the body is a triangle of a mesh: that mesh, and the number of the triangle; else null. Such
   * a body is so thin that the shortest way out of a triangle may lead through the surface. */
  mo_mesh_body *mesh;
  uint32_t mesh_triangle;
} mo_surface_body;

/* Reports all contacts with the triangles of a mesh near a body, in any order: one for each
 * triangle, or if the mesh was built with edges, one for all triangles in a plane. */
typedef void mo_surface_report(uint32_t triangle, const mo_manifold *manifold, void *context);

/* Returns false if nothing was reported, as the body, a triangle of a mesh, has to be collided
 * again at its last turn. */
bool mo_surface_find_contacts(const mo_surface *surface, const mo_surface_body *body,
                              mo_surface_report *report, void *context);

/* Whether moving the mesh out of some contact that is known to be proven moves the body, a triangle
 * of it, out of each of these triangles, so that it needs no contacts. */
bool mo_surface_body_is_free(const mo_surface *surface, const mo_surface_body *on,
                             const mo_open_overlaps *open);

/* The contact of a body with one triangle by itself. */
mo_manifold mo_surface_contact_of_triangle(const mo_surface *surface, const mo_surface_body *on,
                                           uint32_t triangle);

#endif
