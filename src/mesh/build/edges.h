/* How the surface of a mesh continues across its edges, and its sheets: for all edges when a mesh
 * is built (edges.c), and for some after an edit (mesh/edit/adjacency.c). */
#ifndef MO_MESH_BUILD_EDGES_H
#define MO_MESH_BUILD_EDGES_H

#include "mesh/mesh.h"

/* If more edges than this have the same hash, all of them count as open, as comparing them takes
 * quadratic time. Usually they are one edge that many triangles share. */
enum { MO_MAX_EDGES_WITH_ONE_HASH = 64 };

/* An edge, and the corner of its triangle opposite to it. Edges are numbered by triangle, three
 * each. */
typedef struct mo_edge_corners {
  mo_vec3 a, b, opposite;
  uint32_t number;
} mo_edge_corners;

/* A hash of the ends of an edge, independent of their order. */
uint32_t mo_edge_hash(mo_vec3 a, mo_vec3 b);

/* Classifies an edge of a group that has all edges with its hash: returns mo_mesh_edge. `*neighbor`
 * receives the index of the only other edge in the group with the same ends, or MO_NONE. A group of
 * more than MO_MAX_EDGES_WITH_ONE_HASH edges is not read. */
uint32_t mo_classify_edge(const mo_edge_corners *group, uint32_t count, uint32_t index,
                          uint32_t *neighbor);

/* The sheet of a triangle while sheets are being united: the root of its tree << 1 | whether the
 * triangle faces the other way than the root does. Compresses the path to the root (union-find;
 * Tarjan 1975). */
uint32_t mo_sheets_find(uint32_t *sheets, uint32_t triangle);

/* Unites the sheets of the only two triangles at an edge. `same_way`: both run along the edge in
 * the same direction, so they face opposite ways. The root of a sheet is its lowest triangle. False
 * if the two are already united and do not agree. */
bool mo_sheets_unite(uint32_t *sheets, uint32_t a, uint32_t b, bool same_way);

#endif
