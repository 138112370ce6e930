// FCL: two meshes as trees of oriented bounding boxes with rectangle-swept spheres.
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <memory>

#include "fcl_mesh.h"
#include "pairs.h"

namespace {

using bench_fcl::make_model;
using bench_fcl::Model;
using bench_fcl::Real;

struct World {
  std::shared_ptr<Model> a, b;
};

void *create(const bench_mesh *a, const bench_mesh *b) {
  return new World{make_model(a, 1), make_model(b, 1)};
}

void destroy(void *world) {
  delete static_cast<World *>(world);
}

// It has no translation that separates two meshes. Its time of impact of two meshes, by
// conservative advancement, was tried in 0.7.0: most are wrong, such as 1 where the meshes touch at
// 0.15.
bool can(bench_pair_query query) {
  return query == BENCH_PAIR_TOUCH || query == BENCH_PAIR_LIST || query == BENCH_PAIR_DISTANCE;
}

bench_pair_answer answer(const World &world, bench_pair_query query, const bench_pair_pose &pose) {
  const fcl::Transform3<Real> origin = fcl::Transform3<Real>::Identity();
  const fcl::Transform3<Real> other = bench_fcl::pose(pose.translation, pose.rotation);
  if (query == BENCH_PAIR_DISTANCE) {
    fcl::DistanceRequest<Real> request;
    fcl::DistanceResult<Real> result;
    Real distance = fcl::distance(world.a.get(), origin, world.b.get(), other, request, result);
    return {distance <= 0, std::max(distance, Real(0)), {}};
  }
  size_t max = query == BENCH_PAIR_LIST ? size_t(1) << 24 : 1;
  fcl::CollisionRequest<Real> request(max, false);
  fcl::CollisionResult<Real> result;
  size_t count = fcl::collide(world.a.get(), origin, world.b.get(), other, request, result);
  return {count > 0, query == BENCH_PAIR_LIST ? Real(count) : Real(0), {}};
}

void run(void *world, bench_pair_query query, const bench_pair_pose *poses, size_t count,
         bench_pair_answer *answers) {
  for (size_t i = 0; i < count; i++) {
    answers[i] = answer(*static_cast<World *>(world), query, poses[i]);
  }
}

} // namespace

extern "C" const bench_pair_engine bench_pair_fcl;
const bench_pair_engine bench_pair_fcl = {{"fcl", BENCH_FCL_VERSION}, create, destroy, can, run};
