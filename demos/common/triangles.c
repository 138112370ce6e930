#include "common/triangles.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/vector.h"

static struct triangles triangles_allocate(size_t vertex_count, size_t triangle_count) {
  return (struct triangles){
      .positions = allocate(vertex_count, sizeof(mo_vec3)),
      .indices = allocate(3 * triangle_count, sizeof(uint32_t)),
  };
}

static void append_part(struct triangles *out, const struct aiMesh *part) {
  uint32_t first_vertex = out->vertex_count;
  for (uint32_t i = 0; i < part->mNumVertices; i++) {
    struct aiVector3D v = part->mVertices[i];
    out->positions[out->vertex_count++] = vec3(v.x, v.y, v.z);
  }
  for (uint32_t i = 0; i < part->mNumFaces; i++) {
    const struct aiFace *face = &part->mFaces[i];
    if (face->mNumIndices != 3) {
      continue; /* assimp keeps points and lines as faces of one and two corners */
    }
    uint32_t *corners = &out->indices[3 * out->triangle_count++];
    for (int corner = 0; corner < 3; corner++) {
      corners[corner] = first_vertex + face->mIndices[corner];
    }
  }
}

bool triangles_load(const char *path, struct triangles *out, const char **error) {
  const struct aiScene *file =
      aiImportFile(path, aiProcess_Triangulate | aiProcess_JoinIdenticalVertices |
                             aiProcess_PreTransformVertices);
  if (file == NULL) {
    *error = aiGetErrorString();
    return false;
  }
  size_t vertex_count = 0;
  size_t face_count = 0;
  for (uint32_t i = 0; i < file->mNumMeshes; i++) {
    vertex_count += file->mMeshes[i]->mNumVertices;
    face_count += file->mMeshes[i]->mNumFaces;
  }
  *out = triangles_allocate(vertex_count, face_count);
  for (uint32_t i = 0; i < file->mNumMeshes; i++) {
    append_part(out, file->mMeshes[i]);
  }
  aiReleaseImport(file);
  if (out->triangle_count == 0) {
    triangles_free(out);
    *error = "there are no triangles in it";
    return false;
  }
  return true;
}

/* The knot's centre line at `angle`, once around for angle = 2 pi. */
static mo_vec3 knot_center(uint32_t p, uint32_t q, float angle) {
  float around = (float)p * angle;
  float along = (float)q * angle;
  float radius = 0.65f + 0.22f * cosf(along);
  return vec3(radius * cosf(around), 0.3f * sinf(along), radius * sinf(around));
}

static void knot_ring(mo_vec3 *ring, uint32_t sides, mo_vec3 center, mo_vec3 ahead) {
  const float tube_radius = 0.13f;
  mo_vec3 side = vec3_normalize(vec3_cross(ahead, vec3(0.0f, 1.0f, 0.0f)));
  mo_vec3 up = vec3_normalize(vec3_cross(side, ahead));
  for (uint32_t i = 0; i < sides; i++) {
    float angle = 6.2831853f * (float)i / (float)sides;
    mo_vec3 out = vec3_add(vec3_scale(cosf(angle), side), vec3_scale(sinf(angle), up));
    ring[i] = vec3_add(center, vec3_scale(tube_radius, out));
  }
}

/* The corners in order around it, seen from outside against the clock. */
static void append_quad(struct triangles *out, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const uint32_t corners[6] = {a, b, c, a, c, d};
  memcpy(&out->indices[3 * out->triangle_count], corners, sizeof corners);
  out->triangle_count += 2;
}

struct triangles triangles_make_knot(uint32_t p, uint32_t q, uint32_t segments, uint32_t sides) {
  const float step = 6.2831853f / (float)segments;
  struct triangles knot =
      triangles_allocate((size_t)segments * sides, (size_t)2 * segments * sides);
  for (uint32_t i = 0; i < segments; i++) {
    mo_vec3 center = knot_center(p, q, step * (float)i);
    mo_vec3 ahead = vec3_sub(knot_center(p, q, step * (float)(i + 1)), center);
    knot_ring(&knot.positions[i * sides], sides, center, ahead);
    knot.vertex_count += sides;
    uint32_t ring = i * sides;
    uint32_t next_ring = (i + 1) % segments * sides;
    for (uint32_t j = 0; j < sides; j++) {
      uint32_t next = (j + 1) % sides;
      append_quad(&knot, ring + j, next_ring + j, next_ring + next, ring + next);
    }
  }
  return knot;
}

/* The rotation that takes one direction to another by the shortest way. */
static mo_transform rotation_between(mo_vec3 from, mo_vec3 to) {
  const mo_vec3 nowhere = {0.0f, 0.0f, 0.0f}, unscaled = {1.0f, 1.0f, 1.0f};
  mo_vec3 axis = vec3_cross(from, to);
  float sine = vec3_length(axis), cosine = vec3_dot(from, to);
  if (sine == 0.0f) { /* any axis across will do */
    axis = fabsf(from.x) < 0.9f ? vec3(0.0f, from.z, -from.y) : vec3(from.z, 0.0f, -from.x);
  }
  mo_quat rotation = quat_around(vec3_normalize(axis), atan2f(sine, cosine));
  return mo_transform_make(nowhere, rotation, unscaled);
}

void triangles_set_upright(struct triangles *triangles, mo_vec3 up) {
  mo_transform rotation = rotation_between(up, vec3(0.0f, 1.0f, 0.0f));
  for (uint32_t i = 0; i < triangles->vertex_count; i++) {
    triangles->positions[i] = mo_transform_point(&rotation, triangles->positions[i]);
  }
}

void triangles_free(struct triangles *triangles) {
  free(triangles->positions);
  free(triangles->indices);
  triangles->positions = NULL;
  triangles->indices = NULL;
}

mo_mesh *triangles_to_mesh(const struct triangles *triangles) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = triangles->positions;
  def.vertex_count = triangles->vertex_count;
  def.indices = triangles->indices;
  def.triangle_count = triangles->triangle_count;
  mo_mesh *mesh;
  check(mo_mesh_create(&def, &mesh), "build the octree of a mesh");
  return mesh;
}
