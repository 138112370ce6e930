// FCL: two of its convex polytopes. It makes no hulls.
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "fcl_mesh.h"
#include "hulls.h"

namespace {

using bench_fcl::Real;

struct World {
  std::vector<std::shared_ptr<fcl::Convex<Real>>> hulls;
};

void *load(bench_mesh *const *hulls, uint32_t count) {
  World *self = new World;
  for (uint32_t i = 0; i < count; i++) {
    self->hulls.push_back(bench_fcl::make_hull(hulls[i]->triangles));
    self->hulls.back()->computeLocalAABB();
  }
  return self;
}

void unload(void *world) {
  delete static_cast<World *>(world);
}

bool can(bench_hull_query query) {
  return query != BENCH_HULL_CONTACTS;
}

void run(void *opaque, bench_hull_query query, const bench_hull_pair *pairs, size_t count,
         bench_hull_answer *answers) {
  const World *self = static_cast<const World *>(opaque);
  const fcl::Transform3<Real> origin = fcl::Transform3<Real>::Identity();
  for (size_t i = 0; i < count; i++) {
    const fcl::Transform3<Real> place = bench_fcl::pose(pairs[i].translation, pairs[i].rotation);
    const auto *a = self->hulls[pairs[i].a].get(), *b = self->hulls[pairs[i].b].get();
    if (query == BENCH_HULL_TOUCH) {
      fcl::CollisionRequest<Real> request(1, false);
      fcl::CollisionResult<Real> result;
      answers[i] = {fcl::collide(a, origin, b, place, request, result) > 0, 0, 0};
    } else {
      fcl::DistanceRequest<Real> request;
      fcl::DistanceResult<Real> result;
      const Real distance = fcl::distance(a, origin, b, place, request, result);
      answers[i] = {distance <= 0, std::max(distance, Real(0)), 0};
    }
  }
}

} // namespace

extern "C" const bench_hull_engine bench_hull_fcl;
const bench_hull_engine bench_hull_fcl = {
    {"fcl", BENCH_FCL_VERSION}, nullptr, nullptr, nullptr, load, unload, can, run, 0};
