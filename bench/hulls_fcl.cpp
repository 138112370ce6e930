// FCL and Coal: two of their convex polytopes. Neither makes hulls here; Coal could by Qhull.
#include <algorithm>

#include "fcl_coal.h"
#include "hulls.h"

namespace {

struct World {
  std::vector<std::shared_ptr<Hull>> hulls;
};

void *load(bench_mesh *const *hulls, uint32_t count) {
  World *self = new World;
  for (uint32_t i = 0; i < count; i++) {
    self->hulls.push_back(make_hull(hulls[i]->triangles));
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
  const Transform origin = Transform::Identity();
  for (size_t i = 0; i < count; i++) {
    const Transform pose = pose_of(pairs[i].translation, pairs[i].rotation);
    const Hull *a = self->hulls[pairs[i].a].get(), *b = self->hulls[pairs[i].b].get();
    if (query == BENCH_HULL_TOUCH) {
      answers[i] = {count_contacts(a, origin, b, pose, 1) > 0, 0, 0};
    } else {
      const Real distance = find_distance(a, origin, b, pose, false);
      answers[i] = {distance <= 0, std::max(distance, Real(0)), 0};
    }
  }
}

} // namespace

extern "C" const bench_hull_engine BENCH_FCL_COAL(bench_hull);
const bench_hull_engine BENCH_FCL_COAL(bench_hull) = {
    {BENCH_FCL_COAL_ID}, nullptr, nullptr, nullptr, load, unload, can, run, 0};
