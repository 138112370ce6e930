/* Which contacts of triangles belong to the surface. */
#ifndef MO_CONTACT_SURFACE_ACCEPT_H
#define MO_CONTACT_SURFACE_ACCEPT_H

#include "contact/surface/gathered.h"

/* Sets what is kept of the contact of each triangle near the body. For meshes with edges. */
void mo_surface_accept(mo_gathered *gathered);

/* Whether the surface beyond an edge that is not in one plane with a triangle hides its contact,
 * which was not kept. */
bool mo_surface_is_hidden(mo_gathered *gathered, uint32_t i);

/* Tells the log of the surface which rule has kept, removed or made each contact. */
void mo_surface_explain(const mo_gathered *gathered);

#endif
