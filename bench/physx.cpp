#include "physx.h"

#include <vector>

extern "C" {
#include "common/check.h"
#include "counted.h"
}

using namespace physx;

namespace {

struct Allocator : PxAllocatorCallback {
  void *allocate(size_t size, const char *, const char *, int) override {
    return counted_allocate(16, size);
  }

  void deallocate(void *memory) override {
    if (memory != nullptr) {
      counted_free(memory);
    }
  }
};

// Warnings, such as of large triangles, are no failures.
struct Errors : PxErrorCallback {
  void reportError(PxErrorCode::Enum code, const char *message, const char *, int) override {
    if (code != PxErrorCode::eDEBUG_INFO && code != PxErrorCode::eDEBUG_WARNING &&
        code != PxErrorCode::ePERF_WARNING) {
      fail("PhysX: %s", message);
    }
  }
};

Allocator allocator;
Errors errors;
PxFoundation *foundation;
int worlds;

// The default ones; trees by the surface area heuristic answer no faster.
PxCookingParams cooking_params() {
  return PxCookingParams(PxTolerancesScale());
}

std::vector<PxVec3> scaled(const mo_vec3 *points, uint32_t count, float scale) {
  std::vector<PxVec3> all;
  for (uint32_t i = 0; i < count; i++) {
    all.push_back(scale * physx_vector(points[i]));
  }
  return all;
}

} // namespace

PhysxFoundation::PhysxFoundation() {
  if (worlds++ == 0) {
    foundation = PxCreateFoundation(PX_PHYSICS_VERSION, allocator, errors);
  }
}

PhysxFoundation::~PhysxFoundation() {
  if (--worlds == 0) {
    foundation->release();
  }
}

PxFoundation &PhysxFoundation::get() const {
  return *foundation;
}

size_t physx_bytes() {
  return counted_bytes;
}

PxTriangleMesh *physx_mesh(const mo_vec3 *positions, uint32_t vertex_count, const uint32_t *indices,
                           uint32_t triangle_count, float scale) {
  std::vector<PxVec3> vertices = scaled(positions, vertex_count, scale);
  PxTriangleMeshDesc desc;
  desc.points.count = vertex_count;
  desc.points.stride = sizeof(PxVec3);
  desc.points.data = vertices.data();
  desc.triangles.count = triangle_count;
  desc.triangles.stride = 3 * sizeof(uint32_t);
  desc.triangles.data = indices;
  PxTriangleMesh *mesh = PxCreateTriangleMesh(cooking_params(), desc);
  if (mesh == nullptr) {
    fail("PhysX cannot make a mesh");
  }
  return mesh;
}

PxConvexMesh *physx_hull(const mo_vec3 *points, uint32_t count, float scale) {
  std::vector<PxVec3> vertices = scaled(points, count, scale);
  PxConvexMeshDesc desc;
  desc.points.count = count;
  desc.points.stride = sizeof(PxVec3);
  desc.points.data = vertices.data();
  desc.flags = PxConvexFlag::eCOMPUTE_CONVEX;
  PxConvexMesh *hull = PxCreateConvexMesh(cooking_params(), desc);
  if (hull == nullptr) {
    fail("PhysX cannot make a hull");
  }
  return hull;
}
