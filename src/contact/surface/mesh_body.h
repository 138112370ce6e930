/* Bodies that are triangles of another mesh.
 *
 * Two triangles that intersect can be separated in many ways, most of which only push the meshes
 * into each other elsewhere. So a touching contact of two meshes has to be proven: at its deepest
 * point the body's mesh has a local minimum along the normal, and the surface a local maximum, and
 * the normal leads inward through the outside of the body's mesh. Then moving the mesh by the depth
 * separates both there. Of convex meshes, it separates them altogether.
 *
 * Triangles that are apart have contacts where the distance of both meshes has a local minimum:
 * where the surface does not rise towards the body at the surface's closest point, nor the body's
 * mesh towards the surface at its own. */
#ifndef MO_CONTACT_SURFACE_MESH_BODY_H
#define MO_CONTACT_SURFACE_MESH_BODY_H

#include "contact/surface/gathered.h"

/* Whether the body is a triangle of a mesh whose contacts have to be proven now. */
static inline bool mo_needs_proof(const mo_gathered_triangles *gathered) {
  return gathered->surface_body->mesh != NULL && !gathered->accepts_unproven;
}

/* Finds which gathered triangles are out of reach of the body, and at which the distance of the
 * mesh from the surface has no local minimum. */
void mo_mesh_body_find_minima(mo_gathered_triangles *gathered);

/* Whether a contact with these points is proven, at a kept one that is not much shallower than the
 * contact. Of contacts that are apart, and of faces that lie on each other, only the outside is
 * tested. */
bool mo_mesh_body_is_proven(const mo_gathered_triangles *gathered, const mo_contact_along *contact,
                            const mo_manifold *manifold);

/* Replaces `best` by the contact of triangle `i` along a unit normal if that is shallower, and
 * proven where contacts have to be. `on_face`: the normal is that of triangle `i`; else only a
 * touching contact is taken. `limited`: without points that are deeper than allowed. */
void mo_mesh_body_take_shallower(const mo_gathered_triangles *gathered, uint32_t i, mo_dvec3 along,
                                 bool on_face, bool limited, mo_contact_along *best);

/* Replaces the contact of triangle `i` by the shallowest proven one along the normal of the body or
 * across an edge of both, if that is less than half as deep. `front`: the normal of triangle `i` on
 * the body's side. */
void mo_mesh_body_find_shallower(mo_gathered_triangles *gathered, uint32_t i, mo_dvec3 front,
                                 mo_contact_along *contact);

/* Remembers that a proven contact moves the mesh out of the surface by a vector, unless a contact
 * in nearly the same direction moves it as far. */
void mo_mesh_body_add_escape(mo_mesh_body *mesh, mo_dvec3 escape);

/* Whether moving the mesh out of a contact that is known to be proven moves the body, a triangle of
 * it, out of a triangle of the surface, but for `slack`. */
bool mo_mesh_body_is_free_after_escape(const mo_surface *surface, const mo_surface_body *on,
                                       uint32_t triangle, double slack);

/* Whether other triangles of the body's mesh have reported each point of a contact with the same
 * normal, as at an edge or vertex that they share. If not, remembers the contact. */
bool mo_mesh_body_repeats(const mo_gathered_triangles *gathered, const mo_manifold *manifold);

/* The closest points of two triangles. */
typedef struct mo_triangle_gap {
  mo_dvec3 from, to; /* on the first triangle and on the second */
  double distance;   /* between these points; 0 if the triangles may touch */
} mo_triangle_gap;

/* Finds the gaps between each of the triangles `from` and the triangle `to`. */
MO_ISA_DECLARE(void, mo_find_triangle_gaps,
               (const mo_dvec3 *const from[4], const mo_dvec3 to[3], mo_triangle_gap gap[4]));

#endif
