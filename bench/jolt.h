// What the adapters of Jolt share: its types, which are registered while a world exists, its
// layers, and conversions.
#ifndef BENCH_JOLT_H
#define BENCH_JOLT_H

#include <Jolt/Jolt.h>

#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseLayerInterfaceTable.h>
#include <Jolt/Physics/Collision/Shape/Shape.h>

#include "terrain.h"

// Its package does not say.
#define JOLT_TEXT(number) JOLT_TEXT_OF(number)
#define JOLT_TEXT_OF(number) #number
#define JOLT_VERSION                                                                               \
  JOLT_TEXT(JPH_VERSION_MAJOR)                                                                     \
  "." JOLT_TEXT(JPH_VERSION_MINOR) "." JOLT_TEXT(JPH_VERSION_PATCH)

// A member of each world, before all that is Jolt's.
struct JoltTypes {
  JoltTypes();
  ~JoltTypes();
  JoltTypes(const JoltTypes &) = delete;
};

enum JoltLayer : JPH::ObjectLayer { JOLT_STATIC, JOLT_MOVING };

// A tree for bodies that are static, one for those that move.
struct JoltLayers : JPH::BroadPhaseLayerInterfaceTable {
  JoltLayers();
};

inline JPH::Vec3 jolt_vector(mo_vec3 v) {
  return JPH::Vec3(v.x, v.y, v.z);
}

inline JPH::Quat jolt_rotation(mo_quat q) {
  return JPH::Quat(q.x, q.y, q.z, q.w);
}

JPH::Ref<JPH::Shape> jolt_mesh(const mo_vec3 *positions, uint32_t vertex_count,
                               const uint32_t *indices, uint32_t triangle_count, float scale);

JPH::Ref<JPH::Shape> jolt_hull(const mo_vec3 *points, int count, float scale, float convex_radius);

// Jolt splits cells along the other diagonal, so the field is made rotated, and its body rotates it
// back.
JPH::Ref<JPH::Shape> jolt_heights(const bench_ground *ground);
JPH::Vec3 jolt_heights_position(const bench_terrain *terrain);
JPH::Quat jolt_heights_rotation();

#endif
