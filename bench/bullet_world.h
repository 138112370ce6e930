// What the adapters of Bullet share: a collision world with two dynamic AABB trees.
#ifndef BENCH_BULLET_WORLD_H
#define BENCH_BULLET_WORLD_H

#include <btBulletCollisionCommon.h>

namespace bench_bullet {

struct CollisionWorld {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btCollisionWorld world{&dispatcher, &broadphase, &configuration};
};

} // namespace bench_bullet

#endif
