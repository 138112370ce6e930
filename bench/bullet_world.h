// What the adapters of Bullet share: a collision world with two dynamic AABB trees, and triangles.
#ifndef BENCH_BULLET_WORLD_H
#define BENCH_BULLET_WORLD_H

#include <btBulletCollisionCommon.h>

#include <memory>
#include <vector>

#include "mesh_file.h"

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

#endif
