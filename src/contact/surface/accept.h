/* Which contacts of triangles belong to the surface. */
#ifndef MO_CONTACT_SURFACE_ACCEPT_H
#define MO_CONTACT_SURFACE_ACCEPT_H

#include "contact/surface/near.h"

/* Sets what is kept of the contact of each triangle near the body. For meshes with edges. */
void mo_surface_accept(mo_near *near);

/* Tells the log of the surface which rule has kept, removed or made each contact. */
void mo_surface_explain(const mo_near *near);

#endif
