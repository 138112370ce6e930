// FCL: a mesh as a tree of oriented bounding boxes with rectangle-swept spheres. Its transforms do
// not scale, so the mesh is scaled before. Closest points as the distance of a tiny sphere.
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "fcl_mesh.h"
#include "queries.h"

namespace {

using bench_fcl::make_model;
using bench_fcl::Model;
using bench_fcl::pose;
using bench_fcl::Real;

struct World {
  std::shared_ptr<Model> model;
  fcl::Transform3<Real> transform;
  std::vector<fcl::Contact<Real>> contacts;
  size_t triangle_count;
};

void *create(const bench_query_engine *, const bench_target *target) {
  if (target->boxes != nullptr) {
    return nullptr; // casts it has none, and pairs of boxes are those of the broadmark suite
  }
  World *self = new World;
  self->triangle_count = target->mesh->triangles.triangle_count;
  self->model = make_model(target->mesh, Real(target->scale));
  self->transform = pose(target->translation, target->rotation);
  return self;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

bool can(const bench_query_engine *, const bench_question *question) {
  return question->query != BENCH_QUERY_CAST && question->query != BENCH_QUERY_IMPACT &&
         question->form != BENCH_HULL;
}

std::unique_ptr<fcl::CollisionGeometry<Real>> make_shape(const bench_question *question) {
  Real width = question->width;
  std::unique_ptr<fcl::CollisionGeometry<Real>> shape;
  switch (question->form) {
  case BENCH_POINT:
    shape.reset(new fcl::Sphere<Real>(1e-9));
    break;
  case BENCH_SPHERE:
    shape.reset(new fcl::Sphere<Real>(width / 2));
    break;
  case BENCH_CAPSULE:
    shape.reset(new fcl::Capsule<Real>(width / 4, width / 2));
    break;
  case BENCH_CYLINDER:
    shape.reset(new fcl::Cylinder<Real>(width / 4, width));
    break;
  default:
    shape.reset(new fcl::Box<Real>(width, width, width));
  }
  shape->computeLocalAABB();
  return shape;
}

// Capsules and cylinders lie along z here.
fcl::Transform3<Real> shape_pose(const bench_question *question, const bench_probe &probe) {
  fcl::Transform3<Real> transform = pose(probe.center, probe.rotation);
  if (question->form == BENCH_CAPSULE || question->form == BENCH_CYLINDER) {
    transform.rotate(Eigen::AngleAxis<Real>(std::acos(0.0), fcl::Vector3<Real>::UnitX()));
  }
  return transform;
}

void run(void *opaque, const bench_question *question, const bench_probe *probes, size_t count,
         bench_answer *answers) {
  World *self = static_cast<World *>(opaque);
  auto shape = make_shape(question);
  for (size_t i = 0; i < count; i++) {
    fcl::Transform3<Real> at = shape_pose(question, probes[i]);
    if (question->query <= BENCH_QUERY_TRIANGLES) {
      size_t max = question->query == BENCH_QUERY_ANY ? 1 : self->triangle_count;
      fcl::CollisionRequest<Real> request(max);
      fcl::CollisionResult<Real> result;
      answers[i] = double(
          fcl::collide(self->model.get(), self->transform, shape.get(), at, request, result));
    } else {
      fcl::DistanceRequest<Real> request(question->query == BENCH_QUERY_DISTANCE);
      fcl::DistanceResult<Real> result;
      fcl::distance(self->model.get(), self->transform, shape.get(), at, request, result);
      answers[i] = std::max(result.min_distance, 0.0);
    }
  }
}

bench_query_engine engine() {
  bench_query_engine self = {};
  self.id = {"fcl", BENCH_FCL_VERSION};
  self.tolerance = 1e-3;
  self.distance_tolerance = 1e-5;
  self.tolerated = 0.02;
  self.create = create;
  self.destroy = destroy;
  self.can = can;
  self.run = run;
  return self;
}

} // namespace

extern "C" const bench_query_engine bench_query_fcl;
const bench_query_engine bench_query_fcl = engine();
