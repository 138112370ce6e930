/* Casts of a rotating mesh at another mesh. */
#ifndef MO_MESH_PAIR_CAST_H
#define MO_MESH_PAIR_CAST_H

#include "mesh/cast/cast.h"

/* As mo_mesh_cast_find, for a cast that moves and rotates a mesh, and for its first contact or any.
 */
void mo_mesh_cast_find_mesh(mo_mesh_cast *query, mo_isa isa, mo_query_stats *stats);

#endif
