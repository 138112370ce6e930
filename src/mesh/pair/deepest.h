/* The vertex of a mesh that is deepest inside another one. */
#ifndef MO_MESH_PAIR_DEEPEST_H
#define MO_MESH_PAIR_DEEPEST_H

#include "mesh/query.h"

typedef struct mo_deepest_vertex {
  float depth; /* 0: no vertex is inside, and nothing below is set */
  uint32_t triangle, corner;
  mo_vec3 vertex;        /* world */
  mo_vec3 surface_point; /* the closest point of the surface of the other mesh */
} mo_deepest_vertex;

/* Finds the deepest vertex of `mesh` in `outer`, which is closed. `any`: any vertex that is inside
 * will do. Neither mesh may be empty. */
mo_deepest_vertex mo_mesh_find_deepest_vertex_inside(const mo_mesh *mesh, const mo_affine *affine,
                                                     const mo_mesh *outer,
                                                     const mo_affine *outer_affine, bool any,
                                                     mo_query_stats *stats);

#endif
