#include "box3d.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"

b3MeshData *box3d_mesh(const bench_mesh *mesh, float scale, bool edges) {
  const struct triangles *t = &mesh->triangles;
  b3Vec3 *vertices = allocate(t->vertex_count, sizeof *vertices);
  int32_t *indices = allocate(3 * (size_t)t->triangle_count, sizeof *indices);
  uint8_t *materials = allocate(t->triangle_count, sizeof *materials);
  for (uint32_t i = 0; i < t->vertex_count; i++) {
    vertices[i] = box3d_vector(vec3_scale(scale, t->positions[i]));
  }
  for (size_t i = 0; i < 3 * (size_t)t->triangle_count; i++) {
    indices[i] = (int32_t)t->indices[i];
  }
  b3MeshDef def = {.vertices = vertices,
                   .indices = indices,
                   .materialIndices = materials,
                   .vertexCount = (int)t->vertex_count,
                   .triangleCount = (int)t->triangle_count,
                   .identifyEdges = edges};
  b3MeshData *made = b3CreateMesh(&def, NULL, 0);
  free(vertices);
  free(indices);
  free(materials);
  if (made == NULL) {
    fail("Box3D cannot make a mesh");
  }
  return made;
}
