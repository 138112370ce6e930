// FCL and Coal: two meshes as trees of oriented bounding boxes with rectangle-swept spheres.
#include <algorithm>

#include "fcl_coal.h"
#include "pairs.h"

namespace {

struct World {
  std::shared_ptr<Model> a, b;
};

void *create(const bench_mesh *a, const bench_mesh *b) {
  return new World{make_model(a, 1), make_model(b, 1)};
}

void destroy(void *world) {
  delete static_cast<World *>(world);
}

// They have no translation that separates two meshes. FCL's time of impact of two meshes, by
// conservative advancement, was tried in 0.7.0: most are wrong, such as 1 where the meshes touch at
// 0.15. Coal has none.
bool can(bench_pair_query query) {
  return query != BENCH_PAIR_DEPTH && query != BENCH_PAIR_IMPACT;
}

bench_pair_answer answer(const World &world, bench_pair_query query, const bench_pair_pose &pose) {
  const Transform origin = Transform::Identity();
  const Transform other = pose_of(pose.translation, pose.rotation);
  if (query == BENCH_PAIR_DISTANCE) {
    const Real distance = find_distance(world.a.get(), origin, world.b.get(), other, false);
    return {distance <= 0, std::max(distance, Real(0)), {}};
  }
  const size_t max = query == BENCH_PAIR_TOUCH ? 1 : size_t(1) << 24;
  const size_t count = count_contacts(world.a.get(), origin, world.b.get(), other, max,
                                      query == BENCH_PAIR_CONTACTS);
  return {count > 0, query == BENCH_PAIR_TOUCH ? Real(0) : Real(count), {}};
}

void run(void *world, bench_pair_query query, const bench_pair_pose *poses, size_t count,
         bench_pair_answer *answers) {
  for (size_t i = 0; i < count; i++) {
    answers[i] = answer(*static_cast<World *>(world), query, poses[i]);
  }
}

} // namespace

extern "C" const bench_pair_engine BENCH_FCL_COAL(bench_pair);
const bench_pair_engine BENCH_FCL_COAL(bench_pair) = {
    {BENCH_FCL_COAL_ID}, create, destroy, can, run};
