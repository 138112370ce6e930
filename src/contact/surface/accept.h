/* Decides which contacts of a mesh's triangles belong to the surface as a whole. */
#ifndef MO_CONTACT_SURFACE_ACCEPT_H
#define MO_CONTACT_SURFACE_ACCEPT_H

#include "contact/surface/gathered.h"

/* Decides, for each triangle near the body, which points of its contact are kept. Only for meshes
 * that were built with edges. Returns false if nothing must be reported yet (mo_mesh_body). */
bool mo_surface_accept_contacts(mo_gathered_triangles *gathered);

/* For a triangle whose contact was not kept: whether a part of the surface in another plane hides
 * that contact. */
bool mo_surface_hides_contact(mo_gathered_triangles *gathered, uint32_t i);

/* Logs which rule has kept, removed or made the contact of each triangle. */
void mo_surface_log_rules(const mo_gathered_triangles *gathered);

#endif
