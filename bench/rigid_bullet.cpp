// Rigid bodies by Bullet. None falls asleep, for bodies that rest must not look as if they moved
// less than those of engines without sleep.
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "rigid.h"

struct bench_rigid {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies, walls;
  std::vector<bool> frozen;

  ~bench_rigid() {
    // A body that goes looks through all pairs for its own: so they go before.
    btOverlappingPairCache *pairs = broadphase.getOverlappingPairCache();
    while (pairs->getNumOverlappingPairs() > 0) {
      const btBroadphasePair last =
          pairs->getOverlappingPairArray()[pairs->getNumOverlappingPairs() - 1];
      pairs->removeOverlappingPair(last.m_pProxy0, last.m_pProxy1, &dispatcher);
    }
    for (size_t i = 0; i < bodies.size(); i++) {
      if (!frozen[i]) {
        world.removeRigidBody(bodies[i].get());
      }
    }
    for (auto &wall : walls) {
      world.removeRigidBody(wall.get());
    }
  }
};

namespace {

btVector3 vector(mo_vec3 v) {
  return btVector3(v.x, v.y, v.z);
}

mo_vec3 back(const btVector3 &v) {
  return mo_vec3{v.x(), v.y(), v.z()};
}

std::unique_ptr<btRigidBody> make(btCollisionShape *shape, btScalar mass, const btVector3 &at) {
  btVector3 inertia(0, 0, 0);
  if (mass > 0) {
    shape->calculateLocalInertia(mass, inertia);
  }
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
  info.m_startWorldTransform.setIdentity();
  info.m_startWorldTransform.setOrigin(at);
  info.m_restitution = 0.5f;
  return std::unique_ptr<btRigidBody>(new btRigidBody(info));
}

// Boxes half as thick as the world, not planes, whose bounds would meet every body.
void build_walls(bench_rigid *rigid, btScalar edge) {
  for (int side = 0; side < 6; side++) {
    btVector3 half(edge, edge, edge), at(0, 0, 0);
    half[side / 2] = edge / 4;
    at[side / 2] = (side % 2 ? 0.75f : -0.75f) * edge;
    rigid->shapes.emplace_back(new btBoxShape(half));
    rigid->walls.push_back(make(rigid->shapes.back().get(), 0, at));
    rigid->world.addRigidBody(rigid->walls.back().get(), 1, 2);
  }
}

} // namespace

bench_rigid *bench_rigid_create(double world, const bench_rigid_def *defs, uint32_t count) {
  bench_rigid *rigid = new bench_rigid;
  rigid->world.getSolverInfo().m_numIterations = 4;
  // All trees against each other once a step, not each body against them: everything moves.
  rigid->broadphase.m_deferedcollide = true;
  build_walls(rigid, btScalar(world));
  for (uint32_t i = 0; i < count; i++) {
    const bench_rigid_def &def = defs[i];
    btCollisionShape *shape;
    if (def.is_ball) {
      shape = new btSphereShape(def.half);
    } else {
      shape = new btBoxShape(btVector3(def.half, def.half, def.half));
    }
    rigid->shapes.emplace_back(shape);
    rigid->bodies.push_back(make(shape, 1, vector(def.position)));
    btRigidBody *body = rigid->bodies.back().get();
    body->setLinearVelocity(vector(def.velocity));
    body->setActivationState(DISABLE_DEACTIVATION);
    rigid->world.addRigidBody(body, 2, 3);
  }
  rigid->frozen.resize(count);
  return rigid;
}

void bench_rigid_destroy(bench_rigid *rigid) {
  delete rigid;
}

void bench_rigid_set_gravity(bench_rigid *rigid, mo_vec3 acceleration) {
  rigid->world.setGravity(vector(acceleration));
}

void bench_rigid_set_velocity(bench_rigid *rigid, uint32_t body, mo_vec3 velocity) {
  rigid->bodies[body]->setLinearVelocity(vector(velocity));
}

void bench_rigid_freeze(bench_rigid *rigid, uint32_t body) {
  if (!rigid->frozen[body]) {
    rigid->world.removeRigidBody(rigid->bodies[body].get());
    rigid->frozen[body] = true;
  }
}

void bench_rigid_step(bench_rigid *rigid, float seconds, int substeps) {
  rigid->world.stepSimulation(seconds, substeps, seconds / btScalar(substeps));
}

mo_vec3 bench_rigid_position(const bench_rigid *rigid, uint32_t body) {
  return back(rigid->bodies[body]->getWorldTransform().getOrigin());
}

mo_aabb bench_rigid_bounds(const bench_rigid *rigid, uint32_t body) {
  btVector3 lower, upper;
  const btRigidBody *it = rigid->bodies[body].get();
  it->getCollisionShape()->getAabb(it->getWorldTransform(), lower, upper);
  return mo_aabb{back(lower), back(upper)};
}
