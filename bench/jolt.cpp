#include "jolt.h"

#include <Jolt/Core/Factory.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/RegisterTypes.h>

extern "C" {
#include "common/check.h"
}

static int worlds;

JoltTypes::JoltTypes() {
  if (worlds++ == 0) {
    JPH::RegisterDefaultAllocator();
    JPH::Factory::sInstance = new JPH::Factory;
    JPH::RegisterTypes();
  }
}

JoltTypes::~JoltTypes() {
  if (--worlds == 0) {
    JPH::UnregisterTypes();
    delete JPH::Factory::sInstance;
    JPH::Factory::sInstance = nullptr;
  }
}

JoltLayers::JoltLayers() : BroadPhaseLayerInterfaceTable(2, 2) {
  MapObjectToBroadPhaseLayer(JOLT_STATIC, JPH::BroadPhaseLayer(0));
  MapObjectToBroadPhaseLayer(JOLT_MOVING, JPH::BroadPhaseLayer(1));
}

static JPH::Ref<JPH::Shape> make(const JPH::ShapeSettings &settings) {
  JPH::ShapeSettings::ShapeResult result = settings.Create();
  if (result.HasError()) {
    fail("Jolt: %s", result.GetError().c_str());
  }
  return result.Get();
}

JPH::Ref<JPH::Shape> jolt_mesh(const mo_vec3 *positions, uint32_t vertex_count,
                               const uint32_t *indices, uint32_t triangle_count, float scale) {
  JPH::VertexList vertices;
  JPH::IndexedTriangleList triangles;
  for (uint32_t i = 0; i < vertex_count; i++) {
    mo_vec3 p = positions[i];
    vertices.push_back(JPH::Float3(scale * p.x, scale * p.y, scale * p.z));
  }
  for (uint32_t i = 0; i < triangle_count; i++) {
    const uint32_t *corner = &indices[3 * size_t(i)];
    triangles.push_back(JPH::IndexedTriangle(corner[0], corner[1], corner[2], 0));
  }
  JPH::MeshShapeSettings settings(std::move(vertices), std::move(triangles));
  settings.SetEmbedded();
  return make(settings);
}

JPH::Ref<JPH::Shape> jolt_hull(const mo_vec3 *points, int count, float scale, float convex_radius) {
  JPH::Array<JPH::Vec3> all;
  for (int i = 0; i < count; i++) {
    all.push_back(scale * jolt_vector(points[i]));
  }
  JPH::ConvexHullShapeSettings settings(all, convex_radius);
  settings.mHullTolerance = 1e-5f * scale;
  settings.SetEmbedded();
  return make(settings);
}
