/* Queries whose shape is a mesh, on a scene, against brute force. */
#ifndef TEST_FUZZ_MESH_QUERIES_H
#define TEST_FUZZ_MESH_QUERIES_H

#include "fuzz/shapes.h"
#include "oracle/oracle.h"

/* Decodes a mesh and an overlap, distance, cast or separation. */
void fuzz_query_mesh(const mo_scene *scene, const oracle_scene *oracle, fuzz_bytes *b);

#endif
