/* Shared by the queries for the separation of a body from a mesh and from a scene. */
#ifndef MO_MESH_CAST_SEPARATION_H
#define MO_MESH_CAST_SEPARATION_H

#include <motte/separation.h>

#include "mesh/cast/cast.h"

/* A call of a public function for separations, and the cast that finds the deepest contact. */
typedef struct mo_separation_call {
  mo_cast_call call; /* its members `find` and `complete` are not used */
  mo_result (*cast)(const void *subject, const mo_shape_cast_def *def, mo_cast_hit *hit,
                    mo_query_stats *stats);
} mo_separation_call;

mo_result mo_separation_find(const mo_separation_call *separator, mo_separation *separation,
                             mo_query_stats *stats);

#endif
