// Bullet: collision objects that share a triangle mesh, in a world with two dynamic AABB trees. Its
// transforms do not scale, so the mesh is scaled before. No two objects are let to pair.
#include <cmath>
#include <memory>
#include <vector>

#include <motte/query.h>

extern "C" {
#include "common/check.h"
}
#include "bullet_world.h"
#include "instances.h"

namespace {

enum { BODY = 1, RAY = 2 }; // groups

struct World : bench_bullet::CollisionWorld {
  std::vector<btVector3> positions;
  std::vector<int> indices;
  std::unique_ptr<btTriangleIndexVertexArray> triangles;
  std::unique_ptr<btBvhTriangleMeshShape> shape;
  std::vector<std::unique_ptr<btCollisionObject>> objects;
  float scale;
  float reach; // no ray is longer

  ~World() {
    for (auto &object : objects) {
      world.removeCollisionObject(object.get());
    }
  }
};

float length(mo_vec3 v) {
  return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

void build_mesh(World *self, const bench_mesh *mesh) {
  const triangles &source = mesh->triangles;
  for (uint32_t i = 0; i < source.vertex_count; i++) {
    mo_vec3 p = source.positions[i];
    self->positions.push_back(self->scale * btVector3(p.x, p.y, p.z));
  }
  self->indices.assign(source.indices, source.indices + 3 * size_t(source.triangle_count));
  self->triangles.reset(new btTriangleIndexVertexArray(
      int(source.triangle_count), self->indices.data(), 3 * sizeof(int), int(source.vertex_count),
      &self->positions[0][0], sizeof(btVector3)));
  self->shape.reset(new btBvhTriangleMeshShape(self->triangles.get(), true));
}

btTransform convert(const World *self, const mo_transform &t) {
  float s = 1 / self->scale;
  return btTransform(btMatrix3x3(s * t.x_axis.x, s * t.y_axis.x, s * t.z_axis.x, //
                                 s * t.x_axis.y, s * t.y_axis.y, s * t.z_axis.y, //
                                 s * t.x_axis.z, s * t.y_axis.z, s * t.z_axis.z),
                     btVector3(t.origin.x, t.origin.y, t.origin.z));
}

void *create(const bench_instancer *, const bench_mesh *mesh, const mo_transform *transforms,
             uint32_t count) {
  World *self = new World;
  self->broadphase.m_deferedcollide = true; // no pairs are wanted
  self->scale = length(transforms[0].x_axis);
  build_mesh(self, mesh);
  float farthest = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (std::fabs(length(transforms[i].x_axis) - self->scale) > 1e-5f * self->scale) {
      fail("bullet: instances of several sizes");
    }
    farthest = std::fmax(farthest, length(transforms[i].origin));
    std::unique_ptr<btCollisionObject> object(new btCollisionObject);
    object->setCollisionShape(self->shape.get());
    object->setWorldTransform(convert(self, transforms[i]));
    self->world.addCollisionObject(object.get(), BODY, RAY);
    self->objects.push_back(std::move(object));
  }
  self->reach = 2.5f * farthest + 10;
  self->broadphase.optimize();
  return self;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

void update(void *opaque, const mo_transform *transforms) {
  World *self = static_cast<World *>(opaque);
  for (size_t i = 0; i < self->objects.size(); i++) {
    btCollisionObject *object = self->objects[i].get();
    object->setWorldTransform(convert(self, transforms[i]));
    self->world.updateSingleAabb(object);
  }
}

// Bullet has a callback that ends at any hit only from what it gets told: no farther than here.
struct AnyHit : btCollisionWorld::RayResultCallback {
  btScalar addSingleResult(btCollisionWorld::LocalRayResult &result, bool) override {
    m_collisionObject = result.m_collisionObject;
    m_closestHitFraction = 0;
    return 0;
  }
};

void trace(void *opaque, bench_mode mode, const bench_ray *rays, size_t count, bench_hit *hits) {
  World *self = static_cast<World *>(opaque);
  for (size_t i = 0; i < count; i++) {
    const bench_ray &ray = rays[i];
    float reach = std::fmin(ray.max_t, self->reach);
    btVector3 from(ray.origin.x, ray.origin.y, ray.origin.z);
    btVector3 to = from + reach * btVector3(ray.direction.x, ray.direction.y, ray.direction.z);
    AnyHit any;
    btCollisionWorld::ClosestRayResultCallback closest(from, to);
    btCollisionWorld::RayResultCallback *callback =
        mode == BENCH_ANY ? static_cast<btCollisionWorld::RayResultCallback *>(&any) : &closest;
    callback->m_collisionFilterGroup = RAY;
    callback->m_collisionFilterMask = BODY;
    self->world.rayTest(from, to, *callback);
    hits[i].t = callback->hasHit() ? callback->m_closestHitFraction * reach : INFINITY;
  }
}

} // namespace

extern "C" const bench_instancer bench_bullet_instancer;
const bench_instancer bench_bullet_instancer = {{"bullet", BENCH_BULLET_VERSION},
                                                nullptr,
                                                2e-3,
                                                create,
                                                destroy,
                                                update,
                                                trace,
                                                nullptr,
                                                nullptr};
