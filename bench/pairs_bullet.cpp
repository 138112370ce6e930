// Bullet: two meshes as GImpact shapes, its trees of triangles that may move. It finds all
// contacts; nothing ends it at the first one.
#include <memory>

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>

#include "bullet_world.h"
#include "pairs.h"

namespace {

struct Mesh {
  bench_bullet::Triangles source;
  std::unique_ptr<btGImpactMeshShape> shape;
  btCollisionObject object;

  explicit Mesh(const bench_mesh *mesh) {
    source.create(mesh->triangles);
    shape.reset(new btGImpactMeshShape(source.arrays.get()));
    shape->setMargin(0);
    shape->updateBound();
    object.setCollisionShape(shape.get());
  }
};

struct World : bench_bullet::CollisionWorld {
  btGImpactCollisionAlgorithm::CreateFunc algorithm;
  Mesh a, b;

  World(const bench_mesh *first, const bench_mesh *second) : a(first), b(second) {
    // btGImpactCollisionAlgorithm::registerAlgorithm leaves out what contactPairTest looks up.
    dispatcher.registerClosestPointsCreateFunc(GIMPACT_SHAPE_PROXYTYPE, GIMPACT_SHAPE_PROXYTYPE,
                                               &algorithm);
    world.addCollisionObject(&a.object);
    world.addCollisionObject(&b.object);
  }

  ~World() {
    world.removeCollisionObject(&a.object);
    world.removeCollisionObject(&b.object);
  }
};

void *create(const bench_mesh *a, const bench_mesh *b) {
  return new World(a, b);
}

void destroy(void *world) {
  delete static_cast<World *>(world);
}

// It lists pairs of triangles that do not touch, too, a third more.
bool can(bench_pair_query query) {
  return query == BENCH_PAIR_TOUCH || query == BENCH_PAIR_CONTACTS;
}

// Contact points that touch.
struct Contacts : btCollisionWorld::ContactResultCallback {
  size_t count = 0;

  btScalar addSingleResult(btManifoldPoint &point, const btCollisionObjectWrapper *, int, int,
                           const btCollisionObjectWrapper *, int, int) override {
    count += point.getDistance() <= 0;
    return 0;
  }
};

void run(void *opaque, bench_pair_query query, const bench_pair_pose *poses, size_t count,
         bench_pair_answer *answers) {
  World *self = static_cast<World *>(opaque);
  for (size_t i = 0; i < count; i++) {
    const mo_vec3 t = poses[i].translation;
    const mo_quat q = poses[i].rotation;
    Contacts contacts;
    self->b.object.setWorldTransform(
        btTransform(btQuaternion(q.x, q.y, q.z, q.w), btVector3(t.x, t.y, t.z)));
    self->world.contactPairTest(&self->a.object, &self->b.object, contacts);
    answers[i] = {
        contacts.count > 0, query == BENCH_PAIR_CONTACTS ? double(contacts.count) : 0, {}};
  }
}

} // namespace

extern "C" const bench_pair_engine bench_pair_bullet;
const bench_pair_engine bench_pair_bullet = {
    {"bullet", BENCH_BULLET_VERSION}, create, destroy, can, run};
