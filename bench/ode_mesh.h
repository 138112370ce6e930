/* Triangle meshes of ODE, as its adapters use them. */
#ifndef BENCH_ODE_MESH_H
#define BENCH_ODE_MESH_H

#include <ode/ode.h>

#include "mesh_file.h"

typedef struct bench_ode_mesh {
  float *positions;
  dTriIndex *indices;
  dTriMeshDataID data;
  dGeomID geom; /* at the origin, in no space */
} bench_ode_mesh;

/* ODE must be initialized. Its transforms do not scale, so the mesh is scaled before. */
bench_ode_mesh *bench_ode_mesh_create(const bench_mesh *mesh, float scale);
void bench_ode_mesh_destroy(bench_ode_mesh *self);

void bench_ode_place(dGeomID geom, mo_vec3 translation, mo_quat rotation);

#endif
