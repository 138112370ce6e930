// What the adapters of Bullet share: a collision world with two dynamic AABB trees,
// and height fields.
#ifndef BENCH_BULLET_WORLD_H
#define BENCH_BULLET_WORLD_H

#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <btBulletCollisionCommon.h>

#include <memory>

#include "terrain.h"

namespace bench_bullet {

struct CollisionWorld {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btCollisionWorld world{&dispatcher, &broadphase, &configuration};
};

} // namespace bench_bullet

// Refers to the heights of the terrain. With its accelerator.
std::shared_ptr<btHeightfieldTerrainShape> bullet_heights(const bench_terrain *terrain);

// Bullet's height fields have their origin in the middle.
btTransform bullet_heights_transform(const bench_terrain *terrain);

#endif
