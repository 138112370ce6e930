// FCL: two managers over dynamic AABB trees, one taken against the other.
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
  uint32_t vertex_count;
  Set vertices, faces;
};

void *create(const bench_frames *frames) {
  return new World{frames->vertex_count,
                   {frames->vertex_boxes, frames->vertex_count, 0},
                   {frames->face_boxes, frames->face_count, frames->vertex_count}};
}

void destroy(void *world) {
  delete static_cast<World *>(world);
}

struct Search {
  uint32_t vertex_count;
  bench_frame_pairs *pairs;
};

// Objects may come in either order.
bool note(Object *a, Object *b, void *data) {
  Search *search = static_cast<Search *>(data);
  uint32_t p = uint32_t(reinterpret_cast<uintptr_t>(a->getUserData()));
  uint32_t q = uint32_t(reinterpret_cast<uintptr_t>(b->getUserData()));
  bench_frame_pairs_add(search->pairs, p < q ? p : q, (p < q ? q : p) - search->vertex_count);
  return false;
}

void find(void *opaque, bench_frame_pairs *pairs) {
  World *world = static_cast<World *>(opaque);
  Search search = {world->vertex_count, pairs};
  world->vertices.manager.collide(&world->faces.manager, &search, note);
}

} // namespace

extern "C" const bench_frame_engine bench_frame_fcl;
const bench_frame_engine bench_frame_fcl = {
    {"fcl", BENCH_FCL_VERSION}, create, destroy, find, &bench_ccd_fcl};
