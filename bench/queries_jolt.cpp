// Jolt: a physics system with one static body, or many. Its transforms do not scale, so the mesh is
// scaled before. Overlaps by CollideShape, which finds a depth and normal with each triangle; casts
// by CastShape, and impacts too, as it moves fast bodies by it. "jolt-boxes" lists the triangles of
// all leaves that touch the box around the shape (GetTriangles), and tests none of them.
#include "jolt.h"

#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/CollideShape.h>
#include <Jolt/Physics/Collision/CollisionCollectorImpl.h>
#include <Jolt/Physics/Collision/NarrowPhaseQuery.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/CylinderShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/ShapeCast.h>
#include <Jolt/Physics/PhysicsSystem.h>

#include <cmath>
#include <vector>

#include <motte/query.h>

extern "C" {
#include "common/check.h"
}
#include "queries.h"

namespace {

struct World {
  JoltTypes types;
  JoltLayers layers;
  JPH::ObjectVsBroadPhaseLayerFilter layer_filter;
  JPH::ObjectLayerPairFilter pair_filter;
  JPH::PhysicsSystem system;
  JPH::TransformedShape mesh;
  std::vector<uint32_t> met; // the last probe that touched a box
  uint32_t probe = 0;
  bool boxes;
};

void add_boxes(World *self, const bench_target *target) {
  JPH::BodyInterface &bodies = self->system.GetBodyInterfaceNoLock();
  JPH::BodyIDVector ids;
  self->met.resize(target->box_count);
  for (uint32_t i = 0; i < target->box_count; i++) {
    const bench_query_box &box = target->boxes[i];
    JPH::BodyCreationSettings body(new JPH::BoxShape(jolt_vector(box.half), 0),
                                   jolt_vector(box.center), JPH::Quat::sIdentity(),
                                   JPH::EMotionType::Static, JOLT_STATIC);
    ids.push_back(bodies.CreateBody(body)->GetID());
  }
  JPH::BodyInterface::AddState state = bodies.AddBodiesPrepare(ids.data(), int(ids.size()));
  bodies.AddBodiesFinalize(ids.data(), int(ids.size()), state, JPH::EActivation::DontActivate);
}

void *create(const bench_query_engine *engine, const bench_target *target) {
  bool boxes = *static_cast<const bool *>(engine->variant);
  if (boxes && target->boxes != nullptr) {
    return nullptr;
  }
  World *self = new World;
  self->boxes = boxes;
  self->system.Init(target->boxes != nullptr ? target->box_count : 1, 1, 1, 1, self->layers,
                    self->layer_filter, self->pair_filter);
  if (target->boxes != nullptr) {
    add_boxes(self, target);
    self->system.OptimizeBroadPhase();
    return self;
  }
  JPH::Ref<JPH::Shape> mesh;
  JPH::Vec3 position = jolt_vector(target->translation);
  JPH::Quat rotation = jolt_rotation(target->rotation);
  if (target->ground != nullptr) {
    mesh = jolt_heights(target->ground);
    position = jolt_heights_position(target->ground->terrain);
    rotation = jolt_heights_rotation();
  } else {
    const triangles &source = target->mesh->triangles;
    mesh = jolt_mesh(source.positions, source.vertex_count, source.indices, source.triangle_count,
                     target->scale);
  }
  JPH::BodyCreationSettings body(mesh.GetPtr(), position, rotation, JPH::EMotionType::Static,
                                 JOLT_STATIC);
  JPH::BodyInterface &bodies = self->system.GetBodyInterfaceNoLock();
  JPH::BodyID id = bodies.CreateAndAddBody(body, JPH::EActivation::DontActivate);
  self->mesh = bodies.GetTransformedShape(id);
  self->system.OptimizeBroadPhase();
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

// Without a radius by which corners are rounded.
JPH::Ref<JPH::Shape> make_shape(const bench_question *question) {
  float half = question->width / 2;
  switch (question->form) {
  case BENCH_SPHERE:
    return new JPH::SphereShape(half);
  case BENCH_CAPSULE:
    return new JPH::CapsuleShape(half / 2, half / 2);
  case BENCH_CYLINDER:
    return new JPH::CylinderShape(half, half / 2, 0);
  case BENCH_HULL:
    return jolt_hull(question->hull_points, BENCH_HULL_POINTS, question->width, 0);
  default:
    return new JPH::BoxShape(JPH::Vec3::sReplicate(half), 0);
  }
}

JPH::Mat44 pose(const bench_probe &probe) {
  return JPH::Mat44::sRotationTranslation(jolt_rotation(probe.rotation), jolt_vector(probe.center));
}

struct Count : JPH::CollideShapeCollector {
  uint32_t count = 0;

  void AddHit(const JPH::CollideShapeResult &) override {
    count++;
  }
};

// Each body once.
struct CountBodies : JPH::CollideShapeCollector {
  World *self;
  uint32_t count = 0;

  void AddHit(const JPH::CollideShapeResult &hit) override {
    uint32_t &last = self->met[hit.mBodyID2.GetIndex()];
    count += last != self->probe;
    last = self->probe;
  }
};

bench_answer overlap(World *self, const JPH::Shape *shape, const bench_probe &probe,
                     bench_query query) {
  JPH::Mat44 center = pose(probe).PreTranslated(shape->GetCenterOfMass());
  JPH::CollideShapeSettings settings;
  settings.mBackFaceMode = JPH::EBackFaceMode::CollideWithBackFaces;
  settings.mActiveEdgeMode = JPH::EActiveEdgeMode::CollideWithAll;
  const JPH::NarrowPhaseQuery &queries = self->system.GetNarrowPhaseQueryNoLock();
  if (query == BENCH_QUERY_ANY) {
    JPH::AnyHitCollisionCollector<JPH::CollideShapeCollector> any;
    queries.CollideShape(shape, JPH::Vec3::sOne(), center, settings, center.GetTranslation(), any);
    return any.HadHit();
  }
  if (query == BENCH_QUERY_SHAPES) {
    CountBodies bodies;
    bodies.self = self;
    self->probe++;
    queries.CollideShape(shape, JPH::Vec3::sOne(), center, settings, center.GetTranslation(),
                         bodies);
    return bodies.count;
  }
  Count all;
  queries.CollideShape(shape, JPH::Vec3::sOne(), center, settings, center.GetTranslation(), all);
  return all.count;
}

uint32_t list_boxes(const World *self, const JPH::Shape *shape, const bench_probe &probe) {
  enum { BUFFER = 256 };
  JPH::Mat44 center = pose(probe).PreTranslated(shape->GetCenterOfMass());
  JPH::Float3 corners[3 * BUFFER];
  JPH::TransformedShape::GetTrianglesContext context;
  self->mesh.GetTrianglesStart(context, shape->GetWorldSpaceBounds(center, JPH::Vec3::sOne()),
                               JPH::Vec3::sZero());
  uint32_t count = 0;
  for (int more = 1; more > 0;) {
    more = self->mesh.GetTrianglesNext(context, BUFFER, corners);
    count += uint32_t(more);
  }
  return count;
}

double cast(const World *self, const JPH::Shape *shape, const bench_probe &probe) {
  JPH::RShapeCast cast = JPH::RShapeCast::sFromWorldTransform(shape, JPH::Vec3::sOne(), pose(probe),
                                                              jolt_vector(probe.displacement));
  JPH::ShapeCastSettings settings;
  settings.SetBackFaceMode(JPH::EBackFaceMode::CollideWithBackFaces);
  settings.mActiveEdgeMode = JPH::EActiveEdgeMode::CollideWithAll;
  JPH::ClosestHitCollisionCollector<JPH::CastShapeCollector> closest;
  self->system.GetNarrowPhaseQueryNoLock().CastShape(
      cast, settings, cast.mCenterOfMassStart.GetTranslation(), closest);
  return closest.HadHit() ? double(closest.mHit.mFraction) : INFINITY;
}

void run(void *opaque, const bench_question *question, const bench_probe *probes, size_t count,
         bench_answer *answers) {
  World *self = static_cast<World *>(opaque);
  JPH::Ref<JPH::Shape> shape = make_shape(question);
  for (size_t i = 0; i < count; i++) {
    if (question->query == BENCH_QUERY_CAST || question->query == BENCH_QUERY_IMPACT) {
      answers[i] = cast(self, shape, probes[i]);
    } else if (self->boxes) {
      answers[i] = list_boxes(self, shape, probes[i]);
    } else {
      answers[i] = overlap(self, shape, probes[i], question->query);
    }
  }
}

const bool no = false, yes = true;

bench_query_engine engine(const char *name, const bool *boxes) {
  bench_query_engine self = {};
  self.id = {name, JOLT_VERSION};
  self.variant = boxes;
  self.tolerance = 1e-3;
  self.distance_tolerance = 1e-4;
  self.tolerated = 0.02;
  self.lists_tolerated = 1; // of triangles that are there twice it keeps one
  self.lists_more = *boxes;
  self.create = create;
  self.destroy = destroy;
  self.can = can;
  self.run = run;
  return self;
}

} // namespace

extern "C" const bench_query_engine bench_query_jolt, bench_query_jolt_boxes;
const bench_query_engine bench_query_jolt = engine("jolt", &no);
const bench_query_engine bench_query_jolt_boxes = engine("jolt-boxes", &yes);
