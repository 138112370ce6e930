/* What the adapters of Rapier share. */
#ifndef BENCH_RAPIER_H
#define BENCH_RAPIER_H

#include <rapier_ffi.h>

#include "terrain.h"

static inline struct RprVector rapier_vector(mo_vec3 v) {
  return (struct RprVector){v.x, v.y, v.z};
}

static inline struct RprRotation rapier_rotation(mo_quat q) {
  return (struct RprRotation){q.x, q.y, q.z, q.w};
}

/* These fail where it makes none. For RprSharedShape_release(), or a collider. */
struct RprSharedShape *rapier_hull(const mo_vec3 *points, uint32_t count, float scale);
struct RprSharedShape *rapier_mesh(const bench_mesh *mesh, float scale);

#endif
