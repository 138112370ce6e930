// What the adapters of Bullet share: a collision world with two dynamic AABB trees, triangles, and
// height fields.
#ifndef BENCH_BULLET_WORLD_H
#define BENCH_BULLET_WORLD_H

#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <btBulletCollisionCommon.h>

#include <memory>
#include <vector>

#include "mesh_file.h"
#include "terrain.h"

namespace bench_bullet {

struct CollisionWorld {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btCollisionWorld world{&dispatcher, &broadphase, &configuration};
};

// The triangles of a mesh, which shapes refer to. Bullet's transforms do not scale, so they are
// scaled before.
struct Triangles {
  float scale = 1;
  std::vector<btVector3> positions;
  std::vector<int> indices;
  std::unique_ptr<btTriangleIndexVertexArray> arrays;

  void copy_positions(const triangles &from) {
    positions.resize(from.vertex_count);
    for (size_t i = 0; i < positions.size(); i++) {
      const mo_vec3 p = from.positions[i];
      positions[i] = scale * btVector3(p.x, p.y, p.z);
    }
  }

  void create(const triangles &from) {
    copy_positions(from);
    indices.assign(from.indices, from.indices + 3 * size_t(from.triangle_count));
    arrays.reset(new btTriangleIndexVertexArray(int(from.triangle_count), indices.data(),
                                                3 * sizeof(int), int(from.vertex_count),
                                                &positions[0][0], sizeof(btVector3)));
  }
};

} // namespace bench_bullet

// Refers to the heights of the terrain. With its accelerator.
std::shared_ptr<btHeightfieldTerrainShape> bullet_heights(const bench_terrain *terrain);

// Bullet's height fields have their origin in the middle.
btTransform bullet_heights_transform(const bench_terrain *terrain);

#endif
