/* Triangles of grounds that bodies fall on. */
#ifndef DEMO_SURFACES_H
#define DEMO_SURFACES_H

#include "common/triangles.h"

/* A bowl: height 0.03 r^2 out to the radius 14, and a rim that stands up, all times `scale`. */
struct triangles surface_bowl(float scale);

/* Memory for quadrangles, none of which is there yet; and one of them, its corners in order. */
struct triangles surface_of_quads(uint32_t count);
void surface_add_quad(struct triangles *surface, mo_vec3 a, mo_vec3 b, mo_vec3 c, mo_vec3 d);

/* `cells` by `cells` squares of the given side around the origin, at height `height(x, z)`. */
struct triangles surface_of_heights(uint32_t cells, float side, float height(float x, float z));

/* Rooms, blocks and ramps on a square of `cells` by `cells` tiles, each 2 long. */
struct triangles surface_map(uint32_t cells, uint64_t seed);

/* The file's triangles with `up` turned to y, on height 0 around the y axis, `size` long on their
 * longest side. */
struct triangles surface_statue(const char *path, mo_vec3 up, float size);

#endif
