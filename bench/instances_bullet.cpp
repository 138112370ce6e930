// Bullet: collision objects that share triangle meshes, in a world with two dynamic AABB trees. Its
// transforms do not scale, so meshes are scaled before. No two objects are let to pair.
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

struct Mesh : bench_bullet::Triangles {
  std::unique_ptr<btBvhTriangleMeshShape> shape;
  btVector3 lower, upper;
};

struct World : bench_bullet::CollisionWorld {
  std::vector<Mesh> meshes;
  std::vector<std::unique_ptr<btCollisionObject>> objects;
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

float dot(mo_vec3 a, mo_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Whether a transform rotates and scales all directions alike.
bool isUniform(const mo_transform &t) {
  float scale = length(t.x_axis), near = 1e-4f * scale * scale;
  return std::fabs(length(t.y_axis) - scale) <= 1e-4f * scale &&
         std::fabs(length(t.z_axis) - scale) <= 1e-4f * scale &&
         std::fabs(dot(t.x_axis, t.y_axis)) <= near && std::fabs(dot(t.x_axis, t.z_axis)) <= near &&
         std::fabs(dot(t.y_axis, t.z_axis)) <= near;
}

// Whether each mesh has one size.
bool isRigid(const bench_instances *instances) {
  std::vector<float> scales(instances->mesh_count, 0);
  for (uint32_t i = 0; i < instances->count; i++) {
    float &scale = scales[instances->mesh_of[i]], own = length(instances->transforms[i].x_axis);
    if (!isUniform(instances->transforms[i]) ||
        (scale > 0 && std::fabs(own - scale) > 1e-5f * scale)) {
      return false;
    }
    scale = own;
  }
  return true;
}

void buildMesh(Mesh &to, const bench_mesh *mesh) {
  to.create(mesh->triangles);
  const mo_aabb &box = mesh->bounds;
  to.lower = to.scale * btVector3(box.lower.x, box.lower.y, box.lower.z);
  to.upper = to.scale * btVector3(box.upper.x, box.upper.y, box.upper.z);
  to.shape.reset(new btBvhTriangleMeshShape(to.arrays.get(), true, to.lower, to.upper));
}

btTransform convert(float scale, const mo_transform &t) {
  float s = 1 / scale;
  return btTransform(btMatrix3x3(s * t.x_axis.x, s * t.y_axis.x, s * t.z_axis.x, //
                                 s * t.x_axis.y, s * t.y_axis.y, s * t.z_axis.y, //
                                 s * t.x_axis.z, s * t.y_axis.z, s * t.z_axis.z),
                     btVector3(t.origin.x, t.origin.y, t.origin.z));
}

void *create(const bench_instancer *, const bench_instances *instances) {
  if (!isRigid(instances)) {
    return nullptr;
  }
  World *self = new World;
  self->broadphase.m_deferedcollide = true; // no pairs are wanted
  self->meshes.resize(instances->mesh_count);
  float farthest = 0;
  for (uint32_t i = 0; i < instances->count; i++) {
    const mo_transform &transform = instances->transforms[i];
    const bench_mesh *source = instances->meshes[instances->mesh_of[i]];
    Mesh &mesh = self->meshes[instances->mesh_of[i]];
    if (mesh.shape == nullptr) {
      mesh.scale = length(transform.x_axis);
      buildMesh(mesh, source);
    }
    float size = std::fmax(length(source->bounds.lower), length(source->bounds.upper));
    farthest = std::fmax(farthest, length(transform.origin) + mesh.scale * size);
    std::unique_ptr<btCollisionObject> object(new btCollisionObject);
    object->setCollisionShape(mesh.shape.get());
    object->setWorldTransform(convert(mesh.scale, transform));
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

void update(void *opaque, const bench_instances *instances) {
  World *self = static_cast<World *>(opaque);
  for (size_t i = 0; i < self->meshes.size(); i++) {
    if (instances->deforms[i]) {
      Mesh &mesh = self->meshes[i];
      mesh.copy_positions(instances->meshes[i]->triangles);
      mesh.shape->refitTree(mesh.lower, mesh.upper);
    }
  }
  for (size_t i = 0; i < self->objects.size(); i++) {
    btCollisionObject *object = self->objects[i].get();
    object->setWorldTransform(
        convert(self->meshes[instances->mesh_of[i]].scale, instances->transforms[i]));
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
