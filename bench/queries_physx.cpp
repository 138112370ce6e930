// PhysX: "physx" has geometry queries of one mesh, "physx-scene" a scene's queries of static boxes.
// The mesh is scaled before, as scaled meshes are the slower ones, and its triangles have two
// sides. Distances are those of a point to a mesh, less the radius of a sphere. Triangles are
// listed for spheres, boxes and capsules alone. Its continuous collision is a part of a scene's
// step, and no query. Of cylinders two kinds are left out, which are wrong in 5.6.1: casts against
// a mesh, which hit nothing, and overlaps in a scene, which miss some of its boxes.
#include "physx.h"

#include <cmath>
#include <vector>

#include <motte/query.h>

extern "C" {
#include "common/check.h"
}
#include "queries.h"

using namespace physx;

namespace {

enum { TOUCHED = 1024 };

struct World {
  PhysxFoundation foundation;
  PhysxOwned<PxTriangleMesh> mesh;
  PxTriangleMeshGeometry geometry; // of it
  PxTransform pose;                // of it
  // Of boxes, in this order, as the last one goes first.
  PhysxOwned<PxPhysics> physics;
  PhysxOwned<PxDefaultCpuDispatcher> dispatcher;
  PhysxOwned<PxMaterial> material;
  PhysxOwned<PxScene> scene;
  std::vector<PxOverlapHit> touched; // read in parts of this size
  std::vector<PxU32> found;          // room for all triangles: lists cannot be read in parts
};

void add_boxes(World *self, const bench_target *target) {
  PxTolerancesScale scale;
  self->physics.reset(PxCreatePhysics(PX_PHYSICS_VERSION, self->foundation.get(), scale));
  self->dispatcher.reset(PxDefaultCpuDispatcherCreate(0));
  self->material.reset(self->physics->createMaterial(0.5f, 0.5f, 0));
  PxSceneDesc desc(scale);
  desc.cpuDispatcher = self->dispatcher.get();
  desc.filterShader = PxDefaultSimulationFilterShader;
  self->scene.reset(self->physics->createScene(desc));
  for (uint32_t i = 0; i < target->box_count; i++) {
    const bench_query_box &box = target->boxes[i];
    self->scene->addActor(*PxCreateStatic(*self->physics, PxTransform(physx_vector(box.center)),
                                          PxBoxGeometry(physx_vector(box.half)), *self->material));
  }
  self->scene->flushQueryUpdates();
  self->touched.resize(TOUCHED);
}

bool is_scene(const bench_query_engine *engine) {
  return *static_cast<const bool *>(engine->variant);
}

void *create(const bench_query_engine *engine, const bench_target *target) {
  if (is_scene(engine) != (target->boxes != nullptr)) {
    return nullptr;
  }
  World *self = new World;
  if (target->boxes != nullptr) {
    add_boxes(self, target);
    return self;
  }
  const triangles &source = target->mesh->triangles;
  self->mesh.reset(physx_mesh(source.positions, source.vertex_count, source.indices,
                              source.triangle_count, target->scale));
  self->geometry =
      PxTriangleMeshGeometry(self->mesh.get(), PxMeshScale(), PxMeshGeometryFlag::eDOUBLE_SIDED);
  self->pose = PxTransform(physx_vector(target->translation),
                           physx_rotation(target->rotation).getNormalized());
  self->found.resize(source.triangle_count);
  return self;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

bool can(const bench_query_engine *engine, const bench_question *question) {
  bool is_cylinder = question->form == BENCH_CYLINDER;
  switch (question->query) {
  case BENCH_QUERY_ANY:
  case BENCH_QUERY_SHAPES:
    return !(is_cylinder && is_scene(engine));
  case BENCH_QUERY_CAST:
    return !is_cylinder || is_scene(engine);
  case BENCH_QUERY_TRIANGLES:
    return !is_cylinder && question->form != BENCH_HULL;
  case BENCH_QUERY_DISTANCE:
    return question->form == BENCH_SPHERE;
  case BENCH_QUERY_CLOSEST:
    return true;
  default:
    return false;
  }
}

// A shape, and the rotation from its frame to the question's: PhysX has axes along x.
struct Shape {
  PxGeometryHolder geometry;
  PxQuat turn = PxQuat(PxIdentity);
  PhysxOwned<PxConvexMesh> hull;

  PxTransform pose(const bench_probe &probe) const {
    return PxTransform(physx_vector(probe.center),
                       physx_rotation(probe.rotation).getNormalized() * turn);
  }
};

void make_shape(const bench_question *question, Shape *shape) {
  float half = question->width / 2;
  if (question->form == BENCH_CAPSULE || question->form == BENCH_CYLINDER) {
    shape->turn = PxQuat(PxHalfPi, PxVec3(0, 0, 1));
  }
  switch (question->form) {
  case BENCH_POINT:
  case BENCH_SPHERE:
    shape->geometry.storeAny(PxSphereGeometry(half));
    break;
  case BENCH_CAPSULE:
    shape->geometry.storeAny(PxCapsuleGeometry(half / 2, half / 2));
    break;
  case BENCH_CYLINDER:
    shape->geometry.storeAny(
        PxConvexCoreGeometry(PxConvexCore::Cylinder(question->width, half / 2)));
    break;
  case BENCH_HULL:
    shape->hull.reset(physx_hull(question->hull_points, BENCH_HULL_POINTS, question->width));
    shape->geometry.storeAny(PxConvexMeshGeometry(shape->hull.get()));
    break;
  default:
    shape->geometry.storeAny(PxBoxGeometry(half, half, half));
  }
}

uint32_t list_triangles(World *self, const PxGeometry &geometry, const PxTransform &pose) {
  bool overflows;
  return PxMeshQuery::findOverlapTriangleMesh(geometry, pose, self->geometry, self->pose,
                                              self->found.data(), PxU32(self->found.size()), 0,
                                              overflows);
}

struct CountTouched : PxOverlapCallback {
  uint32_t count = 0;

  explicit CountTouched(std::vector<PxOverlapHit> &buffer)
      : PxOverlapCallback(buffer.data(), PxU32(buffer.size())) {
  }

  PxAgain processTouches(const PxOverlapHit *, PxU32 touched) override {
    count += touched;
    return true;
  }
};

bench_answer overlap(World *self, const PxGeometry &geometry, const PxTransform &pose,
                     bench_query query) {
  if (query == BENCH_QUERY_TRIANGLES) {
    return list_triangles(self, geometry, pose);
  }
  if (query == BENCH_QUERY_SHAPES) {
    CountTouched all(self->touched);
    self->scene->overlap(geometry, pose, all);
    return all.count;
  }
  if (self->scene != nullptr) {
    PxOverlapBuffer any;
    return self->scene->overlap(
        geometry, pose, any,
        PxQueryFilterData(PxQueryFlag::eSTATIC | PxQueryFlag::eDYNAMIC | PxQueryFlag::eANY_HIT));
  }
  return PxGeometryQuery::overlap(geometry, pose, self->geometry, self->pose);
}

double cast(const World *self, const PxGeometry &geometry, const PxTransform &pose,
            mo_vec3 displacement) {
  PxVec3 direction = physx_vector(displacement);
  const float length = direction.normalize();
  if (self->scene != nullptr) {
    PxSweepBuffer first;
    return self->scene->sweep(geometry, pose, direction, length, first)
               ? double(first.block.distance / length)
               : INFINITY;
  }
  PxGeomSweepHit hit;
  return PxGeometryQuery::sweep(direction, length, geometry, pose, self->geometry, self->pose, hit)
             ? double(hit.distance / length)
             : INFINITY;
}

double distance(const World *self, const bench_question *question, const bench_probe &probe) {
  PxReal square =
      PxGeometryQuery::pointDistance(physx_vector(probe.center), self->geometry, self->pose);
  return double(PxMax(PxSqrt(square) - question->width / 2, 0.0f));
}

void run(void *opaque, const bench_question *question, const bench_probe *probes, size_t count,
         bench_answer *answers) {
  World *self = static_cast<World *>(opaque);
  Shape shape;
  make_shape(question, &shape);
  for (size_t i = 0; i < count; i++) {
    const PxTransform pose = shape.pose(probes[i]);
    switch (question->query) {
    case BENCH_QUERY_CAST:
      answers[i] = cast(self, shape.geometry.any(), pose, probes[i].displacement);
      break;
    case BENCH_QUERY_CLOSEST:
    case BENCH_QUERY_DISTANCE:
      answers[i] = distance(self, question, probes[i]);
      break;
    default:
      answers[i] = overlap(self, shape.geometry.any(), pose, question->query);
    }
  }
}

const bool no = false, yes = true;

bench_query_engine engine(const char *name, const bool *scene) {
  bench_query_engine self = {};
  self.id = {name, PHYSX_VERSION};
  self.variant = scene;
  self.tolerance = 1e-3;
  self.distance_tolerance = 5e-4; // its casts of hulls stop that far off
  self.tolerated = 0.02;
  self.create = create;
  self.destroy = destroy;
  self.can = can;
  self.run = run;
  return self;
}

} // namespace

extern "C" const bench_query_engine bench_query_physx, bench_query_physx_scene;
const bench_query_engine bench_query_physx = engine("physx", &no);
const bench_query_engine bench_query_physx_scene = engine("physx-scene", &yes);
