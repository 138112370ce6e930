// Bullet: a collision world with two dynamic AABB trees, and manifolds that are kept from step to
// step. A step does what performDiscreteCollisionDetection does, in its three parts. Pairs are
// looked for by one walk of the trees against themselves ("deferred"), which is quicker where all
// move. Hulls, cylinders and boxes have a margin of a centimetre, by which the corners of the first
// two are rounded, or stick out, and GJK finds their contacts in one go; triangles have none.
#include <memory>
#include <vector>

#include "bullet_world.h"

extern "C" {
#include "step.h"
#include "timing.h"
}

namespace {

const btScalar margin = 0.01f;

struct World : bench_bullet::CollisionWorld {
  const bench_step_scene *scene;
  std::vector<int> indices;
  std::unique_ptr<btTriangleIndexVertexArray> triangles;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btCollisionObject>> objects;

  ~World() {
    // An object that goes looks through all pairs for its own: so they go before.
    btOverlappingPairCache *pairs = broadphase.getOverlappingPairCache();
    while (pairs->getNumOverlappingPairs() > 0) {
      const btBroadphasePair last =
          pairs->getOverlappingPairArray()[pairs->getNumOverlappingPairs() - 1];
      pairs->removeOverlappingPair(last.m_pProxy0, last.m_pProxy1, &dispatcher);
    }
    for (auto &object : objects) {
      world.removeCollisionObject(object.get());
    }
  }
};

btVector3 vector(mo_vec3 v) {
  return btVector3(v.x, v.y, v.z);
}

btTransform transform(const bench_pose &pose) {
  mo_quat q = pose.rotation;
  return btTransform(btQuaternion(q.x, q.y, q.z, q.w), vector(pose.position));
}

btCollisionShape *make_mesh(World *w) {
  const triangles &source = w->scene->mesh->triangles;
  w->indices.assign(source.indices, source.indices + 3 * size_t(source.triangle_count));
  w->triangles.reset(new btTriangleIndexVertexArray(int(source.triangle_count), w->indices.data(),
                                                    3 * sizeof(int), int(source.vertex_count),
                                                    &source.positions[0].x, sizeof(mo_vec3)));
  btCollisionShape *mesh = new btBvhTriangleMeshShape(w->triangles.get(), true);
  mesh->setMargin(0);
  return mesh;
}

btCollisionShape *make_shape(World *w, const bench_piece &piece) {
  btVector3 half = vector(piece.half);
  btCollisionShape *shape;
  switch (piece.kind) {
  case BENCH_PIECE_BALL:
    return new btSphereShape(half.x());
  case BENCH_PIECE_CAPSULE:
    return new btCapsuleShapeZ(half.x(), 2 * half.z());
  case BENCH_PIECE_MESH:
    return make_mesh(w);
  case BENCH_PIECE_CYLINDER:
    shape = new btCylinderShapeZ(btVector3(half.x(), half.x(), half.z()));
    break;
  case BENCH_PIECE_HULL: {
    btConvexHullShape *hull = new btConvexHullShape;
    for (const mo_vec3 &p : w->scene->hull_points) {
      hull->addPoint(vector(p), false);
    }
    hull->recalcLocalAabb();
    shape = hull;
    break;
  }
  default:
    shape = new btBoxShape(half);
  }
  shape->setMargin(margin);
  return shape;
}

void *create(const bench_step_engine *, const bench_step_scene *scene) {
  World *w = new World;
  w->scene = scene;
  w->broadphase.m_deferedcollide = true;
  w->world.setForceUpdateAllAabbs(false);
  for (uint32_t i = 0; i < scene->count; i++) {
    bool moves = scene->pieces[i].mass > 0;
    w->shapes.emplace_back(make_shape(w, scene->pieces[i]));
    w->objects.emplace_back(new btCollisionObject);
    btCollisionObject *object = w->objects.back().get();
    object->setCollisionShape(w->shapes.back().get());
    object->setWorldTransform(transform(scene->start[i]));
    object->setUserIndex(int(i));
    if (moves) {
      object->setActivationState(DISABLE_DEACTIVATION);
    } else {
      object->setCollisionFlags(btCollisionObject::CF_STATIC_OBJECT);
    }
    w->world.addCollisionObject(object, moves ? 2 : 1, moves ? 3 : 2);
  }
  return w;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

bench_step_times step(void *opaque, const bench_pose *poses) {
  World *w = static_cast<World *>(opaque);
  const uint32_t statics = w->scene->static_count;
  double begin = bench_clock();
  for (uint32_t i = statics; i < w->scene->count; i++) {
    w->objects[i]->setWorldTransform(transform(poses[i - statics]));
  }
  w->world.updateAabbs();
  double placed = bench_clock();
  w->world.computeOverlappingPairs();
  double paired = bench_clock();
  w->dispatcher.dispatchAllCollisionPairs(w->broadphase.getOverlappingPairCache(),
                                          w->world.getDispatchInfo(), &w->dispatcher);
  double end = bench_clock();
  return bench_step_times{1e3 * (placed - begin), 1e3 * (paired - placed), 1e3 * (end - paired)};
}

void touches(void *opaque, bench_visit_touch *visit, void *context) {
  World *w = static_cast<World *>(opaque);
  for (int i = 0; i < w->dispatcher.getNumManifolds(); i++) {
    const btPersistentManifold *m = w->dispatcher.getManifoldByIndexInternal(i);
    uint32_t a = uint32_t(m->getBody0()->getUserIndex()),
             b = uint32_t(m->getBody1()->getUserIndex());
    for (int k = 0; k < m->getNumContacts(); k++) {
      if (m->getContactPoint(k).getDistance() <= 0) {
        bench_touch touch = {a < b ? a : b, a < b ? b : a, m->getContactPoint(k).getDistance()};
        visit(&touch, context);
      }
    }
  }
}

void count(void *opaque, size_t *pairs, size_t *points) {
  World *w = static_cast<World *>(opaque);
  *pairs = size_t(w->broadphase.getOverlappingPairCache()->getNumOverlappingPairs());
  *points = 0;
  for (int i = 0; i < w->dispatcher.getNumManifolds(); i++) {
    *points += size_t(w->dispatcher.getManifoldByIndexInternal(i)->getNumContacts());
  }
}

} // namespace

extern "C" const bench_step_engine bench_step_bullet;
const bench_step_engine bench_step_bullet = {
    {"bullet", BENCH_BULLET_VERSION}, nullptr, 1, 0, 0.015, create, destroy, step, touches, count};
