#include "ode_mesh.h"

#include <stdlib.h>

#include "common/check.h"

bench_ode_mesh *bench_ode_mesh_create(const bench_mesh *mesh, float scale) {
  const struct triangles *source = &mesh->triangles;
  bench_ode_mesh *self = allocate(1, sizeof *self);
  self->positions = allocate(3 * (size_t)source->vertex_count, sizeof *self->positions);
  self->indices = allocate(3 * (size_t)source->triangle_count, sizeof *self->indices);
  for (size_t i = 0; i < source->vertex_count; i++) {
    self->positions[3 * i] = scale * source->positions[i].x;
    self->positions[3 * i + 1] = scale * source->positions[i].y;
    self->positions[3 * i + 2] = scale * source->positions[i].z;
  }
  for (size_t i = 0; i < 3 * (size_t)source->triangle_count; i++) {
    self->indices[i] = (dTriIndex)source->indices[i];
  }
  self->data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildSingle(self->data, self->positions, 3 * sizeof(float),
                              (int)source->vertex_count, self->indices,
                              3 * (int)source->triangle_count, 3 * sizeof(dTriIndex));
  self->geom = dCreateTriMesh(NULL, self->data, NULL, NULL, NULL);
  return self;
}

void bench_ode_mesh_destroy(bench_ode_mesh *self) {
  dGeomDestroy(self->geom);
  dGeomTriMeshDataDestroy(self->data);
  free(self->positions);
  free(self->indices);
  free(self);
}

void bench_ode_place(dGeomID geom, mo_vec3 t, mo_quat q) {
  const dQuaternion rotation = {q.w, q.x, q.y, q.z};
  dGeomSetPosition(geom, t.x, t.y, t.z);
  dGeomSetQuaternion(geom, rotation);
}
