// Bullet: collision objects in a world. Overlaps by contactPairTest, among boxes contactTest, which
// tells of each triangle and cannot end early; casts by convexSweepTest, and impacts too, as its
// dynamics world finds those of fast bodies by it. "bullet-boxes" lists triangles by the box around
// the shape in the mesh's frame, and tests none of them.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <motte/query.h>

extern "C" {
#include "common/check.h"
}
#include "bullet_world.h"
#include "queries.h"

namespace {

struct World : bench_bullet::CollisionWorld {
  bench_bullet::Triangles triangles;
  std::unique_ptr<btBvhTriangleMeshShape> mesh;
  std::shared_ptr<btHeightfieldTerrainShape> heights;
  btCollisionObject object; // the mesh, or the height field
  std::vector<std::unique_ptr<btBoxShape>> box_shapes;
  std::vector<std::unique_ptr<btCollisionObject>> box_objects;
  std::vector<uint32_t> met; // the last probe that touched a triangle or box
  uint32_t probe = 0;
  bool boxes;

  ~World() {
    while (world.getNumCollisionObjects() > 0) {
      world.removeCollisionObject(world.getCollisionObjectArray()[0]);
    }
  }
};

void add_boxes(World *self, const bench_target *target) {
  self->met.resize(target->box_count);
  for (uint32_t i = 0; i < target->box_count; i++) {
    const bench_query_box &box = target->boxes[i];
    std::unique_ptr<btBoxShape> shape(
        new btBoxShape(btVector3(box.half.x, box.half.y, box.half.z)));
    shape->setMargin(0);
    std::unique_ptr<btCollisionObject> object(new btCollisionObject);
    object->setCollisionShape(shape.get());
    object->setWorldTransform(btTransform(btQuaternion::getIdentity(),
                                          btVector3(box.center.x, box.center.y, box.center.z)));
    object->setUserIndex(int(i));
    self->world.addCollisionObject(object.get());
    self->box_shapes.push_back(std::move(shape));
    self->box_objects.push_back(std::move(object));
  }
  self->broadphase.optimize();
}

void *create(const bench_query_engine *engine, const bench_target *target) {
  bool boxes = *static_cast<const bool *>(engine->variant);
  if (boxes && target->boxes != nullptr) {
    return nullptr;
  }
  World *self = new World;
  self->boxes = boxes;
  if (target->boxes != nullptr) {
    add_boxes(self, target);
    return self;
  }
  if (target->ground != nullptr) {
    self->heights = bullet_heights(target->ground->terrain);
    self->object.setCollisionShape(self->heights.get());
    self->object.setWorldTransform(bullet_heights_transform(target->ground->terrain));
    self->world.addCollisionObject(&self->object);
    return self;
  }
  const triangles &source = target->mesh->triangles;
  self->triangles.scale = target->scale;
  self->triangles.create(source);
  self->mesh.reset(new btBvhTriangleMeshShape(self->triangles.arrays.get(), true));
  self->mesh->setMargin(0);
  self->met.resize(source.triangle_count);
  mo_quat q = target->rotation;
  mo_vec3 t = target->translation;
  self->object.setCollisionShape(self->mesh.get());
  self->object.setWorldTransform(
      btTransform(btQuaternion(q.x, q.y, q.z, q.w), btVector3(t.x, t.y, t.z)));
  self->world.addCollisionObject(&self->object);
  return self;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

bool can(const bench_query_engine *engine, const bench_question *question) {
  bool boxes = *static_cast<const bool *>(engine->variant);
  return boxes ? question->query == BENCH_QUERY_TRIANGLES
               : question->query <= BENCH_QUERY_CAST || question->query == BENCH_QUERY_IMPACT;
}

std::unique_ptr<btConvexShape> make_shape(const bench_question *question) {
  float half = question->width / 2;
  std::unique_ptr<btConvexShape> shape;
  switch (question->form) {
  case BENCH_SPHERE:
    return std::unique_ptr<btConvexShape>(new btSphereShape(half));
  case BENCH_CAPSULE:
    return std::unique_ptr<btConvexShape>(new btCapsuleShape(half / 2, half));
  case BENCH_CYLINDER:
    shape.reset(new btCylinderShape(btVector3(half / 2, half, half / 2)));
    break;
  case BENCH_HULL: {
    std::unique_ptr<btConvexHullShape> hull(new btConvexHullShape);
    for (int i = 0; i < BENCH_HULL_POINTS; i++) {
      mo_vec3 p = question->hull_points[i];
      hull->addPoint(question->width * btVector3(p.x, p.y, p.z), false);
    }
    hull->recalcLocalAabb();
    shape = std::move(hull);
    break;
  }
  default:
    shape.reset(new btBoxShape(btVector3(half, half, half)));
  }
  shape->setMargin(0);
  return shape;
}

btTransform pose(const bench_probe &probe) {
  mo_quat q = probe.rotation;
  return btTransform(btQuaternion(q.x, q.y, q.z, q.w),
                     btVector3(probe.center.x, probe.center.y, probe.center.z));
}

// Contacts of one probe; several may be of one triangle.
struct Contacts : btCollisionWorld::ContactResultCallback {
  World *self;
  uint32_t count = 0;

  btScalar addSingleResult(btManifoldPoint &point, const btCollisionObjectWrapper *, int,
                           int index_a, const btCollisionObjectWrapper *, int,
                           int index_b) override {
    int triangle = index_a >= 0 ? index_a : index_b;
    if (point.getDistance() <= 0 && triangle >= 0 && self->met[triangle] != self->probe) {
      self->met[triangle] = self->probe;
      count++;
    }
    return 0;
  }
};

// The same among boxes.
struct Touched : btCollisionWorld::ContactResultCallback {
  World *self;
  uint32_t count = 0;

  btScalar addSingleResult(btManifoldPoint &point, const btCollisionObjectWrapper *a, int, int,
                           const btCollisionObjectWrapper *b, int, int) override {
    int box = std::max(a->getCollisionObject()->getUserIndex(),
                       b->getCollisionObject()->getUserIndex()); // -1 of the probe
    if (point.getDistance() <= 0 && self->met[box] != self->probe) {
      self->met[box] = self->probe;
      count++;
    }
    return 0;
  }
};

uint32_t overlap(World *self, btConvexShape *shape, const bench_probe &probe) {
  btCollisionObject object;
  object.setCollisionShape(shape);
  object.setWorldTransform(pose(probe));
  self->probe++;
  if (!self->box_objects.empty()) {
    Touched touched;
    touched.self = self;
    self->world.contactTest(&object, touched);
    return touched.count;
  }
  Contacts contacts;
  contacts.self = self;
  self->world.contactPairTest(&object, &self->object, contacts);
  return contacts.count;
}

struct Boxes : btTriangleCallback {
  uint32_t count = 0;

  void processTriangle(btVector3 *, int, int) override {
    count++;
  }
};

uint32_t list_boxes(World *self, btConvexShape *shape, const bench_probe &probe) {
  btVector3 lower, upper;
  shape->getAabb(self->object.getWorldTransform().inverse() * pose(probe), lower, upper);
  Boxes boxes;
  self->mesh->processAllTriangles(&boxes, lower, upper);
  return boxes.count;
}

double cast(World *self, btConvexShape *shape, const bench_probe &probe) {
  btTransform from = pose(probe), to = from;
  mo_vec3 d = probe.displacement;
  to.setOrigin(from.getOrigin() + btVector3(d.x, d.y, d.z));
  btCollisionWorld::ClosestConvexResultCallback closest(from.getOrigin(), to.getOrigin());
  self->world.convexSweepTest(shape, from, to, closest);
  return closest.hasHit() ? double(closest.m_closestHitFraction) : INFINITY;
}

void run(void *opaque, const bench_question *question, const bench_probe *probes, size_t count,
         bench_answer *answers) {
  World *self = static_cast<World *>(opaque);
  std::unique_ptr<btConvexShape> shape = make_shape(question);
  for (size_t i = 0; i < count; i++) {
    if (question->query == BENCH_QUERY_CAST || question->query == BENCH_QUERY_IMPACT) {
      answers[i] = cast(self, shape.get(), probes[i]);
    } else if (self->boxes) {
      answers[i] = list_boxes(self, shape.get(), probes[i]);
    } else {
      uint32_t triangles = overlap(self, shape.get(), probes[i]);
      answers[i] = question->query == BENCH_QUERY_ANY ? triangles > 0 : triangles;
    }
  }
}

const bool no = false, yes = true;

bench_query_engine engine(const char *name, const bool *boxes) {
  bench_query_engine self = {};
  self.id = {name, BENCH_BULLET_VERSION};
  self.variant = boxes;
  self.tolerance = 1e-3;
  self.distance_tolerance = 5e-4; // its casts of cylinders stop that far off
  self.tolerated = 0.2;           // its lists of triangles lack some
  self.lists_more = *boxes;
  self.create = create;
  self.destroy = destroy;
  self.can = can;
  self.run = run;
  return self;
}

} // namespace

extern "C" const bench_query_engine bench_query_bullet, bench_query_bullet_boxes;
const bench_query_engine bench_query_bullet = engine("bullet", &no);
const bench_query_engine bench_query_bullet_boxes = engine("bullet-boxes", &yes);
