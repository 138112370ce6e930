// FCL and Coal: two managers over dynamic AABB trees, one taken against the other; of edges one
// against itself. Coal has no queries of continuous collision.
#include "fcl_coal.h"
#include "frames.h"

#ifdef BENCH_COAL_VERSION
#define NARROW_PHASE nullptr
#else
extern "C" const bench_ccd_engine bench_ccd_fcl;
#define NARROW_PHASE &bench_ccd_fcl
#endif

namespace {

struct Set {
  Manager manager;
  std::vector<std::unique_ptr<Object>> objects;

  Set(const bench_box *boxes, uint32_t count, uintptr_t first) {
    if (count == 0) {
      return;
    }
    std::vector<Object *> all;
    for (uint32_t i = 0; i < count; i++) {
      const mo_vec3 c = boxes[i].center, h = boxes[i].half;
      auto shape = std::make_shared<Box>(2.0 * h.x, 2.0 * h.y, 2.0 * h.z);
      objects.emplace_back(new Object(shape, Transform::Identity()));
      objects.back()->setTranslation(vector_of(c));
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

uint32_t number_of(const Object *object) {
  return uint32_t(reinterpret_cast<uintptr_t>(object->getUserData()));
}

void find(void *opaque, bench_frame_pairs *pairs) {
  World *world = static_cast<World *>(opaque);
  // Objects may come in either order.
  auto note = [world, pairs](const Object *a, const Object *b) {
    const uint32_t p = number_of(a), q = number_of(b);
    bench_frame_pairs_add(pairs, p < q ? p : q, (p < q ? q : p) - world->second);
    return false;
  };
  if (world->of_edges) {
    visit_overlaps(&world->sets[0].manager, note);
  } else {
    visit_overlaps(&world->sets[0].manager, note, &world->sets[1].manager);
  }
}

} // namespace

extern "C" const bench_frame_engine BENCH_FCL_COAL(bench_frame);
const bench_frame_engine BENCH_FCL_COAL(bench_frame) = {{BENCH_FCL_COAL_ID}, create, destroy, find,
                                                        NARROW_PHASE,        nullptr};
