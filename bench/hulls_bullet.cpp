// Bullet: hulls by its btConvexHullComputer, which rounds points to 1/10,216 of their extent,
// distances by GJK and EPA, manifolds by clipping faces.
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <LinearMath/btConvexHullComputer.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bullet_world.h"
#include "hulls.h"

namespace {

struct World : bench_bullet::CollisionWorld {
  std::vector<std::unique_ptr<btConvexHullShape>> hulls;
};

void *create(const bench_cloud *cloud) {
  btConvexHullComputer *hull = new btConvexHullComputer;
  hull->compute(&cloud->points->x, int(sizeof(mo_vec3)), int(cloud->count), 0, 0);
  return hull;
}

void destroy(void *hull) {
  delete static_cast<btConvexHullComputer *>(hull);
}

uint32_t get_vertices(const void *opaque, mo_vec3 *vertices) {
  const btConvexHullComputer *hull = static_cast<const btConvexHullComputer *>(opaque);
  for (int i = 0; i < hull->vertices.size(); i++) {
    const btVector3 &p = hull->vertices[i];
    vertices[i] = {float(p.x()), float(p.y()), float(p.z())};
  }
  return uint32_t(hull->vertices.size());
}

// Without a margin, so that answers are those of the hulls themselves.
void *load(bench_mesh *const *hulls, uint32_t count) {
  World *self = new World;
  for (uint32_t i = 0; i < count; i++) {
    const triangles &source = hulls[i]->triangles;
    std::unique_ptr<btConvexHullShape> hull(new btConvexHullShape(
        &source.positions->x, int(source.vertex_count), int(sizeof(mo_vec3))));
    hull->setMargin(0);
    hull->initializePolyhedralFeatures();
    self->hulls.push_back(std::move(hull));
  }
  return self;
}

void unload(void *world) {
  delete static_cast<World *>(world);
}

bool can(bench_hull_query) {
  return true;
}

struct Counter : btCollisionWorld::ContactResultCallback {
  bench_hull_answer answer = {};

  btScalar addSingleResult(btManifoldPoint &point, const btCollisionObjectWrapper *, int, int,
                           const btCollisionObjectWrapper *, int, int) override {
    answer.points++;
    answer.touches = answer.touches || point.getDistance() <= 0;
    return 0;
  }
};

bench_hull_answer find_contacts(World *self, btConvexHullShape *a, btConvexHullShape *b,
                                const btTransform &place) {
  btCollisionObject first, second;
  Counter counter;
  first.setCollisionShape(a);
  first.setWorldTransform(btTransform::getIdentity());
  second.setCollisionShape(b);
  second.setWorldTransform(place);
  self->world.contactPairTest(&first, &second, counter);
  return counter.answer;
}

bench_hull_answer find_distance(btConvexHullShape *a, btConvexHullShape *b,
                                const btTransform &place) {
  btVoronoiSimplexSolver simplex;
  btGjkEpaPenetrationDepthSolver depth;
  btGjkPairDetector detector(a, b, &simplex, &depth);
  btGjkPairDetector::ClosestPointInput input;
  btPointCollector result;
  input.m_transformA = btTransform::getIdentity();
  input.m_transformB = place;
  detector.getClosestPoints(input, result, nullptr);
  const double distance = result.m_hasResult ? double(result.m_distance) : 0;
  return {distance <= 0, std::max(distance, 0.0), 0};
}

void run(void *opaque, bench_hull_query query, const bench_hull_pair *pairs, size_t count,
         bench_hull_answer *answers) {
  World *self = static_cast<World *>(opaque);
  for (size_t i = 0; i < count; i++) {
    const mo_quat q = pairs[i].rotation;
    const mo_vec3 t = pairs[i].translation;
    const btTransform place(btQuaternion(q.x, q.y, q.z, q.w), btVector3(t.x, t.y, t.z));
    btConvexHullShape *a = self->hulls[pairs[i].a].get(), *b = self->hulls[pairs[i].b].get();
    answers[i] = query == BENCH_HULL_CONTACTS ? find_contacts(self, a, b, place)
                                              : find_distance(a, b, place);
  }
}

} // namespace

extern "C" const bench_hull_engine bench_hull_bullet;
const bench_hull_engine bench_hull_bullet = {
    {"bullet", BENCH_BULLET_VERSION}, create, destroy, get_vertices, load, unload, can, run, 2e-4};
