// FCL: two managers over dynamic AABB trees, one taken against the other; of edges one against
// itself.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/collision_object.h>

#include <memory>
#include <vector>

#include "frames.h"

extern "C" const bench_ccd_engine bench_ccd_fcl;

namespace {

using Object = fcl::CollisionObject<double>;

struct Set {
  fcl::DynamicAABBTreeCollisionManager<double> manager;
  std::vector<std::unique_ptr<Object>> objects;

  Set(const bench_box *boxes, uint32_t count, uintptr_t first) {
    if (count == 0) {
      return;
    }
    std::vector<Object *> all;
    for (uint32_t i = 0; i < count; i++) {
      const mo_vec3 c = boxes[i].center, h = boxes[i].half;
      auto shape = std::make_shared<fcl::Box<double>>(2.0 * h.x, 2.0 * h.y, 2.0 * h.z);
      objects.emplace_back(new Object(shape, fcl::Transform3<double>::Identity()));
      objects.back()->setTranslation(fcl::Vector3<double>(c.x, c.y, c.z));
      objects.back()->computeAABB();
      objects.back()->setUserData(reinterpret_cast<void *>(first + i));
      all.push_back(objects.back().get());
    }
    manager.registerObjects(all);
    manager.setup();
  }
};

struct World {
  bool of_edges;
  uint32_t second; // number of the first object of the second set; of edges 0
  Set sets[2];
};

void *create(const bench_frames *frames) {
  uint32_t second = frames->of_edges ? 0 : frames->box_counts[0];
  return new World{frames->of_edges,
                   second,
                   {{frames->boxes[0], frames->box_counts[0], 0},
                    {frames->boxes[1], frames->of_edges ? 0 : frames->box_counts[1], second}}};
}

void destroy(void *world) {
  delete static_cast<World *>(world);
}

struct Search {
  uint32_t second;
  bench_frame_pairs *pairs;
};

// Objects may come in either order.
bool note(Object *a, Object *b, void *data) {
  Search *search = static_cast<Search *>(data);
  uint32_t p = uint32_t(reinterpret_cast<uintptr_t>(a->getUserData()));
  uint32_t q = uint32_t(reinterpret_cast<uintptr_t>(b->getUserData()));
  bench_frame_pairs_add(search->pairs, p < q ? p : q, (p < q ? q : p) - search->second);
  return false;
}

void find(void *opaque, bench_frame_pairs *pairs) {
  World *world = static_cast<World *>(opaque);
  Search search = {world->second, pairs};
  if (world->of_edges) {
    world->sets[0].manager.collide(&search, note);
  } else {
    world->sets[0].manager.collide(&world->sets[1].manager, &search, note);
  }
}

} // namespace

extern "C" const bench_frame_engine bench_frame_fcl;
const bench_frame_engine bench_frame_fcl = {
    {"fcl", BENCH_FCL_VERSION}, create, destroy, find, &bench_ccd_fcl};
