// FCL and Coal: a mesh as a tree of oriented bounding boxes with rectangle-swept spheres. Their
// transforms do not scale, so the mesh is scaled before. Closest points as the distance of a tiny
// sphere.
#include <algorithm>
#include <cmath>

#include "fcl_coal.h"
#include "queries.h"

namespace {

struct World {
  std::shared_ptr<Model> model;
  Transform transform;
  size_t triangle_count;
};

void *create(const bench_query_engine *, const bench_target *target) {
  if (target->boxes != nullptr) {
    return nullptr; // casts they have none, and pairs of boxes are those of the broadmark suite
  }
  World *self = new World;
  self->triangle_count = target->mesh->triangles.triangle_count;
  self->model = make_model(target->mesh, Real(target->scale));
  self->transform = pose_of(target->translation, target->rotation);
  return self;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

bool can(const bench_query_engine *, const bench_question *question) {
  return question->query != BENCH_QUERY_CAST && question->query != BENCH_QUERY_IMPACT &&
         question->form != BENCH_HULL;
}

std::unique_ptr<Geometry> make_shape(const bench_question *question) {
  Real width = question->width;
  std::unique_ptr<Geometry> shape;
  switch (question->form) {
  case BENCH_POINT:
    shape.reset(new Sphere(1e-9));
    break;
  case BENCH_SPHERE:
    shape.reset(new Sphere(width / 2));
    break;
  case BENCH_CAPSULE:
    shape.reset(new Capsule(width / 4, width / 2));
    break;
  case BENCH_CYLINDER:
    shape.reset(new Cylinder(width / 4, width));
    break;
  default:
    shape.reset(new Box(width, width, width));
  }
  shape->computeLocalAABB();
  return shape;
}

// Capsules and cylinders lie along z here.
Transform shape_pose(const bench_question *question, const bench_probe &probe) {
  Matrix rotation = matrix_of(probe.rotation);
  if (question->form == BENCH_CAPSULE || question->form == BENCH_CYLINDER) {
    rotation *= Eigen::AngleAxis<Real>(std::acos(0.0), Vector::UnitX()).toRotationMatrix();
  }
  return make_transform(rotation, vector_of(probe.center));
}

void run(void *opaque, const bench_question *question, const bench_probe *probes, size_t count,
         bench_answer *answers) {
  World *self = static_cast<World *>(opaque);
  auto shape = make_shape(question);
  for (size_t i = 0; i < count; i++) {
    const Transform at = shape_pose(question, probes[i]);
    if (question->query <= BENCH_QUERY_TRIANGLES) {
      size_t max = question->query == BENCH_QUERY_ANY ? 1 : self->triangle_count;
      answers[i] = double(count_contacts(self->model.get(), self->transform, shape.get(), at, max));
    } else {
      const bool with_points = question->query == BENCH_QUERY_DISTANCE;
      answers[i] = std::max(
          find_distance(self->model.get(), self->transform, shape.get(), at, with_points), 0.0);
    }
  }
}

bench_query_engine engine() {
  bench_query_engine self = {};
  self.id = {BENCH_FCL_COAL_ID};
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

extern "C" const bench_query_engine BENCH_FCL_COAL(bench_query);
const bench_query_engine BENCH_FCL_COAL(bench_query) = engine();
