/* What the adapters of Box3D share. */
#ifndef BENCH_BOX3D_H
#define BENCH_BOX3D_H

#include <box3d/box3d.h>
#include <box3d/collision.h>

#include "terrain.h"

static inline b3Vec3 box3d_vector(mo_vec3 v) {
  return (b3Vec3){v.x, v.y, v.z};
}

static inline b3Quat box3d_rotation(mo_quat q) {
  return (b3Quat){{q.x, q.y, q.z}, q.w};
}

/* Fails where it cannot be made. `edges`: with what contacts want to know of neighbours. */
b3MeshData *box3d_mesh(const bench_mesh *mesh, float scale, bool edges);

/* Of heights without rounding. For b3DestroyHeightField. */
b3HeightFieldData *box3d_heights(const bench_terrain *terrain);

#endif
