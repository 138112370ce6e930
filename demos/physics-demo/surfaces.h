/* Triangles of grounds that bodies fall on. */
#ifndef DEMO_SURFACES_H
#define DEMO_SURFACES_H

#include "common/triangles.h"

/* A bowl: height 0.03 r^2 out to the radius 14, and a rim that stands up, all times `scale`. */
struct triangles surface_bowl(float scale);

/* The file's triangles with `up` turned to y, on height 0 around the y axis, `size` long on their
 * longest side. */
struct triangles surface_statue(const char *path, mo_vec3 up, float size);

#endif
