/* How deep the contacts of a surface may be. */
#ifndef MO_CONTACT_SURFACE_DEPTH_H
#define MO_CONTACT_SURFACE_DEPTH_H

#include "contact/surface/gathered.h"

/* The middle of the points of a contact, on the body. `normal`: unit, from the surface to the body.
 */
mo_dvec3 mo_surface_middle_of_contact(const mo_gathered_triangles *gathered,
                                      const mo_manifold *manifold, mo_dvec3 normal);

/* For a body that is a triangle of a mesh: whether a contact point along a normal is deeper than it
 * may be. The mesh may be behind the surface where this triangle of it does not overlap the
 * surface. So the limit is twice the overlap, or twice the distance from the surface of a place on
 * the body, if it is behind the surface: the point, moved by its depth towards `middle`, that of
 * the contact. (Over an edge of the surface, the body is beside the edge's other face however deep
 * it is in this one.) */
bool mo_surface_is_too_deep(const mo_gathered_triangles *gathered, const mo_manifold_point *point,
                            mo_dvec3 normal, mo_dvec3 middle);

/* Limits the depths of a manifold to `max_depth`, or if the body is a triangle of a mesh, to
 * the limit of mo_surface_is_too_deep. Its points on the surface stay where they are. A body that
 * is thin, or reaches over an edge, leaves the surface by a shorter move than the depth of its
 * deepest point behind the plane of a triangle. */
void mo_surface_limit_depths(const mo_gathered_triangles *gathered, double max_depth,
                             mo_manifold *manifold);

#endif
