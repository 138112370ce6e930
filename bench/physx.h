// What the adapters of PhysX share: its foundation, which exists while a world does, meshes and
// hulls, and conversions.
#ifndef BENCH_PHYSX_H
#define BENCH_PHYSX_H

#include <PxPhysicsAPI.h>

#include <memory>

#include <motte/math.h>

// It has no package that says.
#define PHYSX_TEXT(number) PHYSX_TEXT_OF(number)
#define PHYSX_TEXT_OF(number) #number
#define PHYSX_VERSION                                                                              \
  PHYSX_TEXT(PX_PHYSICS_VERSION_MAJOR)                                                             \
  "." PHYSX_TEXT(PX_PHYSICS_VERSION_MINOR) "." PHYSX_TEXT(PX_PHYSICS_VERSION_BUGFIX)

// A member of each world, before all that is PhysX's.
struct PhysxFoundation {
  PhysxFoundation();
  ~PhysxFoundation();
  PhysxFoundation(const PhysxFoundation &) = delete;

  physx::PxFoundation &get() const;
};

// All that PhysX has allocated.
size_t physx_bytes();

struct PhysxRelease {
  template <class T> void operator()(T *object) const {
    object->release();
  }
};

template <class T> using PhysxOwned = std::unique_ptr<T, PhysxRelease>;

inline physx::PxVec3 physx_vector(mo_vec3 v) {
  return physx::PxVec3(v.x, v.y, v.z);
}

inline physx::PxQuat physx_rotation(mo_quat q) {
  return physx::PxQuat(q.x, q.y, q.z, q.w);
}

// To be released.
physx::PxTriangleMesh *physx_mesh(const mo_vec3 *positions, uint32_t vertex_count,
                                  const uint32_t *indices, uint32_t triangle_count, float scale);

// The same; of 255 points at most.
physx::PxConvexMesh *physx_hull(const mo_vec3 *points, uint32_t count, float scale);

#endif
