/* A portrait of one mesh with its triangle octree. */
#ifndef DEMO_PORTRAIT_H
#define DEMO_PORTRAIT_H

#include "motte-demo/options.h"

/* Writes mesh.png. */
void portrait_shoot(const struct options *options, mo_mesh *mesh);

#endif
