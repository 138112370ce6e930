// Jolt: a physics system that takes steps of a microsecond without gravity, iterations or sleep. It
// finds pairs and contacts in one go, so the pairs' time is the contacts', too, and so is that of
// setting up constraints and islands, which cannot be left out. A listener notes the contacts,
// within the time. Corners of boxes, cylinders and hulls are rounded by its default radius of up to
// five centimetres. "jolt" takes over contacts of pairs that moved by less than a millimetre and
// two degrees, as is its default; "jolt-no-reuse" finds them anew.
#include "jolt.h"

#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/ContactListener.h>
#include <Jolt/Physics/Collision/GroupFilterTable.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/CylinderShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/PhysicsSystem.h>

#include <algorithm>
#include <cmath>
#include <vector>

extern "C" {
#include "common/check.h"
#include "timing.h"
}
#include "step.h"

namespace {

const float step_length = 1e-6f;

struct Listener : JPH::ContactListener {
  std::vector<bench_touch> touches;
  size_t points = 0;

  void note(const JPH::Body &a, const JPH::Body &b, const JPH::ContactManifold &manifold) {
    uint32_t i = uint32_t(a.GetUserData()), j = uint32_t(b.GetUserData());
    touches.push_back({std::min(i, j), std::max(i, j), -manifold.mPenetrationDepth});
    points += manifold.mRelativeContactPointsOn1.size();
  }

  void OnContactAdded(const JPH::Body &a, const JPH::Body &b, const JPH::ContactManifold &manifold,
                      JPH::ContactSettings &) override {
    note(a, b, manifold);
  }

  void OnContactPersisted(const JPH::Body &a, const JPH::Body &b,
                          const JPH::ContactManifold &manifold, JPH::ContactSettings &) override {
    note(a, b, manifold);
  }
};

struct World {
  JoltTypes types;
  const bench_step_scene *scene;
  JoltLayers layers;
  JPH::ObjectVsBroadPhaseLayerFilter layer_filter;
  JPH::ObjectLayerPairFilter pair_filter;
  JPH::TempAllocatorImplWithMallocFallback memory{64 << 20};
  JPH::JobSystemSingleThreaded jobs{JPH::cMaxPhysicsJobs};
  Listener listener;
  JPH::PhysicsSystem system;
  JPH::Ref<JPH::GroupFilterTable> group_filter = new JPH::GroupFilterTable;
  std::vector<JPH::Ref<JPH::Shape>> hulls, meshes;
  std::vector<JPH::BodyID> bodies;
  std::vector<JPH::Quat> turns; // from a body's frame to its shape's
};

// Its capsules and cylinders are along y.
JPH::Quat turn_of(const bench_piece &piece) {
  bool is_round = piece.kind == BENCH_PIECE_CAPSULE || piece.kind == BENCH_PIECE_CYLINDER;
  return is_round ? JPH::Quat::sRotation(JPH::Vec3::sAxisX(), JPH::JPH_PI / 2)
                  : JPH::Quat::sIdentity();
}

JPH::Ref<JPH::Shape> make_shape(const World *w, const bench_piece &piece) {
  mo_vec3 half = piece.half;
  switch (piece.kind) {
  case BENCH_PIECE_BALL:
    return new JPH::SphereShape(half.x);
  case BENCH_PIECE_CAPSULE:
    return new JPH::CapsuleShape(half.z, half.x);
  case BENCH_PIECE_CYLINDER:
    return new JPH::CylinderShape(half.z, half.x);
  case BENCH_PIECE_HULL:
    return w->hulls[piece.shape];
  case BENCH_PIECE_HEIGHTS:
    return jolt_heights(w->scene->ground);
  case BENCH_PIECE_MESH:
    return w->meshes[piece.shape];
  default:
    return new JPH::BoxShape(jolt_vector(half));
  }
}

void make_shapes(World *w) {
  for (size_t i = 0; i < w->scene->hull_count; i++) {
    const bench_step_hull &hull = w->scene->hulls[i];
    w->hulls.push_back(jolt_hull(hull.points, int(hull.count), 1, JPH::cDefaultConvexRadius));
  }
  for (size_t i = 0; i < w->scene->mesh_count; i++) {
    const triangles &t = w->scene->meshes[i]->triangles;
    w->meshes.push_back(jolt_mesh(t.positions, t.vertex_count, t.indices, t.triangle_count, 1));
  }
}

void add_body(World *w, uint32_t i) {
  const bench_piece &piece = w->scene->pieces[i];
  const bench_pose &pose = w->scene->start[i];
  bool moves = piece.mass > 0;
  w->turns.push_back(turn_of(piece));
  bool is_heights = piece.kind == BENCH_PIECE_HEIGHTS;
  JPH::Ref<JPH::Shape> shape = make_shape(w, piece);
  JPH::BodyCreationSettings body(
      shape.GetPtr(),
      is_heights ? jolt_heights_position(w->scene->ground->terrain) : jolt_vector(pose.position),
      is_heights ? jolt_heights_rotation() : jolt_rotation(pose.rotation) * w->turns[i],
      moves ? JPH::EMotionType::Dynamic : JPH::EMotionType::Static,
      moves ? JOLT_MOVING : JOLT_STATIC);
  body.mUserData = i;
  if (piece.group != 0) {
    body.mCollisionGroup = JPH::CollisionGroup(w->group_filter, piece.group, 0);
  }
  w->bodies.push_back(w->system.GetBodyInterfaceNoLock().CreateAndAddBody(
      body, moves ? JPH::EActivation::Activate : JPH::EActivation::DontActivate));
}

void *create(const bench_step_engine *engine, const bench_step_scene *scene) {
  enum { PAIRS = 32, CONTACTS = 16 }; // a body at most
  World *w = new World;
  w->scene = scene;
  uint32_t count = scene->count + 64;
  w->system.Init(count, 0, PAIRS * count, CONTACTS * count, w->layers, w->layer_filter,
                 w->pair_filter);
  w->system.SetGravity(JPH::Vec3::sZero());
  w->system.SetContactListener(&w->listener);
  JPH::PhysicsSettings settings;
  settings.mNumVelocitySteps = settings.mNumPositionSteps = 0;
  settings.mAllowSleeping = false;
  settings.mUseBodyPairContactCache = *static_cast<const bool *>(engine->variant);
  w->system.SetPhysicsSettings(settings);
  make_shapes(w);
  for (uint32_t i = 0; i < scene->count; i++) {
    add_body(w, i);
  }
  w->system.OptimizeBroadPhase();
  return w;
}

void destroy(void *opaque) {
  World *w = static_cast<World *>(opaque);
  JPH::BodyInterface &bodies = w->system.GetBodyInterfaceNoLock();
  bodies.RemoveBodies(w->bodies.data(), int(w->bodies.size()));
  bodies.DestroyBodies(w->bodies.data(), int(w->bodies.size()));
  delete w;
}

bench_step_times step(void *opaque, const bench_pose *poses) {
  World *w = static_cast<World *>(opaque);
  const uint32_t statics = w->scene->static_count;
  w->listener.touches.clear();
  w->listener.points = 0;
  double begin = bench_clock();
  JPH::BodyInterface &bodies = w->system.GetBodyInterfaceNoLock();
  for (uint32_t i = statics; i < w->scene->count; i++) {
    const bench_pose &pose = poses[i - statics];
    bodies.SetPositionAndRotation(w->bodies[i], jolt_vector(pose.position),
                                  jolt_rotation(pose.rotation) * w->turns[i],
                                  JPH::EActivation::DontActivate);
  }
  double placed = bench_clock();
  if (w->system.Update(step_length, 1, &w->memory, &w->jobs) != JPH::EPhysicsUpdateError::None) {
    fail("Jolt has no place for all pairs or contacts");
  }
  double end = bench_clock();
  return bench_step_times{1e3 * (placed - begin), 0, 1e3 * (end - placed)};
}

void touches(void *opaque, bench_visit_touch *visit, void *context) {
  for (const bench_touch &touch : static_cast<World *>(opaque)->listener.touches) {
    if (touch.separation <= 0) {
      visit(&touch, context);
    }
  }
}

// Jolt does not report pairs that are near without a contact.
void count(void *opaque, size_t *pairs, size_t *points) {
  const Listener &listener = static_cast<World *>(opaque)->listener;
  *pairs = listener.touches.size();
  *points = listener.points;
}

const bool no = false, yes = true;

} // namespace

extern "C" const bench_step_engine bench_step_jolt, bench_step_jolt_no_reuse;
const bench_step_engine bench_step_jolt = {
    {"jolt", JOLT_VERSION}, &yes, 1, 0, 0.05, create, destroy, step, touches, count};
const bench_step_engine bench_step_jolt_no_reuse = {
    {"jolt-no-reuse", JOLT_VERSION}, &no, 1, 0, 0.05, create, destroy, step, touches, count};
