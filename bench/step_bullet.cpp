// Bullet: a collision world with two dynamic AABB trees, and manifolds that are kept from step to
// step. A step does what performDiscreteCollisionDetection does, in its three parts. Pairs are
// looked for by one walk of the trees against themselves ("deferred"), which is quicker where all
// move. Hulls, cylinders and boxes have a margin of a centimetre, by which the corners of the first
// two are rounded, or stick out, and GJK finds their contacts in one go; triangles have none.
#include <memory>
#include <vector>

#include "bullet_world.h"

extern "C" {
#include "counted.h"
#include "step.h"
#include "timing.h"
}

namespace {

const btScalar margin = 0.01f;

using Shape = std::shared_ptr<btCollisionShape>;

// The first members are referred to by the shape.
struct Mesh {
  std::vector<int> indices;
  btTriangleIndexVertexArray triangles;
  Shape shape;
};

// Bodies of the same group never collide.
struct GroupFilter : btOverlapFilterCallback {
  const bench_piece *pieces;

  bool needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const override {
    const bench_piece &x = pieces[object_of(a)], &y = pieces[object_of(b)];
    return (a->m_collisionFilterGroup & b->m_collisionFilterMask) != 0 &&
           (b->m_collisionFilterGroup & a->m_collisionFilterMask) != 0 &&
           (x.group == 0 || x.group != y.group);
  }

  static int object_of(const btBroadphaseProxy *proxy) {
    return static_cast<const btCollisionObject *>(proxy->m_clientObject)->getUserIndex();
  }
};

struct World : bench_bullet::CollisionWorld {
  const bench_step_scene *scene;
  GroupFilter filter;
  std::vector<Mesh> meshes;
  std::vector<Shape> hulls, shapes; // of the scene, of the bodies
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

void make_mesh(Mesh &mesh, const triangles &source) {
  mesh.indices.assign(source.indices, source.indices + 3 * size_t(source.triangle_count));
  btIndexedMesh part;
  part.m_numTriangles = int(source.triangle_count);
  part.m_triangleIndexBase = reinterpret_cast<const unsigned char *>(mesh.indices.data());
  part.m_triangleIndexStride = 3 * sizeof(int);
  part.m_numVertices = int(source.vertex_count);
  part.m_vertexBase = reinterpret_cast<const unsigned char *>(source.positions);
  part.m_vertexStride = sizeof(mo_vec3);
  mesh.triangles.addIndexedMesh(part);
  mesh.shape.reset(new btBvhTriangleMeshShape(&mesh.triangles, true));
  mesh.shape->setMargin(0);
}

Shape make_hull(const bench_step_hull &from) {
  btConvexHullShape *hull = new btConvexHullShape;
  for (uint32_t i = 0; i < from.count; i++) {
    hull->addPoint(vector(from.points[i]), false);
  }
  hull->recalcLocalAabb();
  hull->setMargin(margin);
  return Shape(hull);
}

Shape make_shape(const World *w, const bench_piece &piece) {
  btVector3 half = vector(piece.half);
  Shape shape;
  switch (piece.kind) {
  case BENCH_PIECE_BALL:
    return Shape(new btSphereShape(half.x()));
  case BENCH_PIECE_CAPSULE:
    return Shape(new btCapsuleShapeZ(half.x(), 2 * half.z()));
  case BENCH_PIECE_HEIGHTS:
    return bullet_heights(w->scene->ground->terrain);
  case BENCH_PIECE_MESH:
    return w->meshes[piece.shape].shape;
  case BENCH_PIECE_HULL:
    return w->hulls[piece.shape];
  case BENCH_PIECE_CYLINDER:
    shape.reset(new btCylinderShapeZ(btVector3(half.x(), half.x(), half.z())));
    break;
  default:
    shape.reset(new btBoxShape(half));
  }
  shape->setMargin(margin);
  return shape;
}

void *allocate_aligned(size_t size, int alignment) {
  return counted_allocate(size_t(alignment), size);
}

void *create(const bench_step_engine *, const bench_step_scene *scene) {
  btAlignedAllocSetCustomAligned(allocate_aligned, counted_free);
  World *w = new World;
  w->scene = scene;
  w->broadphase.m_deferedcollide = true;
  w->world.setForceUpdateAllAabbs(false);
  w->filter.pieces = scene->pieces;
  w->broadphase.getOverlappingPairCache()->setOverlapFilterCallback(&w->filter);
  w->meshes = std::vector<Mesh>(scene->mesh_count);
  for (size_t i = 0; i < scene->mesh_count; i++) {
    make_mesh(w->meshes[i], scene->meshes[i]->triangles);
  }
  for (size_t i = 0; i < scene->hull_count; i++) {
    w->hulls.push_back(make_hull(scene->hulls[i]));
  }
  for (uint32_t i = 0; i < scene->count; i++) {
    bool moves = scene->pieces[i].mass > 0;
    w->shapes.push_back(make_shape(w, scene->pieces[i]));
    w->objects.emplace_back(new btCollisionObject);
    btCollisionObject *object = w->objects.back().get();
    object->setCollisionShape(w->shapes.back().get());
    object->setWorldTransform(scene->pieces[i].kind == BENCH_PIECE_HEIGHTS
                                  ? bullet_heights_transform(scene->ground->terrain)
                                  : transform(scene->start[i]));
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
  btAlignedAllocSetCustomAligned(nullptr, nullptr);
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

// Without the triangles, which are the caller's.
size_t bytes(void *) {
  return counted_bytes;
}

} // namespace

extern "C" const bench_step_engine bench_step_bullet;
const bench_step_engine bench_step_bullet = {{"bullet", BENCH_BULLET_VERSION},
                                             nullptr,
                                             1,
                                             0,
                                             0.015,
                                             create,
                                             destroy,
                                             step,
                                             touches,
                                             count,
                                             bytes};
