// FCL: its manager over a dynamic AABB tree. Where few move, each of them asks the tree; else the
// tree is taken against itself.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/collision_object.h>

#include <cmath>
#include <memory>
#include <vector>

#include "broad.h"

namespace {

using Object = fcl::CollisionObject<double>;
using Box = fcl::Box<double>;

struct World {
  fcl::DynamicAABBTreeCollisionManager<double> manager;
  std::vector<std::unique_ptr<Object>> objects;
  std::vector<std::shared_ptr<Box>> shapes;
  std::vector<Object *> moved;
  std::vector<bench_box> boxes;
  std::vector<uint32_t> movers;
  std::vector<bool> has_moved;
  bool resize;
  uint32_t asking;
  std::vector<std::pair<uint32_t, uint32_t>> found;
};

uint32_t body_of(const Object *object) {
  return uint32_t(reinterpret_cast<uintptr_t>(object->getUserData()));
}

fcl::Vector3<double> edges(const bench_box &box) {
  return 2 * fcl::Vector3<double>(box.half.x, box.half.y, box.half.z);
}

void place(Object *object, const bench_box &box) {
  object->setTranslation(fcl::Vector3<double>(box.center.x, box.center.y, box.center.z));
  object->computeAABB();
}

void add(World *world, const bench_box &box, uint32_t body) {
  auto shape = std::make_shared<Box>(edges(box));
  std::unique_ptr<Object> object(new Object(shape, fcl::Transform3<double>::Identity()));
  object->setUserData(reinterpret_cast<void *>(uintptr_t(body)));
  place(object.get(), box);
  world->objects.push_back(std::move(object));
  world->shapes.push_back(shape);
}

void *create(const bench_broad_engine *, const bench_boxes *boxes) {
  World *world = new World;
  std::vector<Object *> all;
  for (uint32_t i = 0; i < boxes->count; i++) {
    add(world, boxes->all[i], i);
    all.push_back(world->objects.back().get());
  }
  world->resize = boxes->resize;
  world->has_moved.resize(boxes->count);
  world->manager.registerObjects(all);
  world->manager.setup();
  return world;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

void prepare(void *opaque, const uint32_t *movers, const bench_box *boxes, uint32_t count, bool) {
  World *world = static_cast<World *>(opaque);
  for (uint32_t body : world->movers) {
    world->has_moved[body] = false;
  }
  world->movers.assign(movers, movers + count);
  world->boxes.assign(boxes, boxes + count);
  for (uint32_t body : world->movers) {
    world->has_moved[body] = true;
  }
}

void update(void *opaque, bool replace) {
  World *world = static_cast<World *>(opaque);
  world->moved.clear();
  for (size_t k = 0; k < world->movers.size(); k++) {
    uint32_t body = world->movers[k];
    Object *object = world->objects[body].get();
    if (replace) {
      world->manager.unregisterObject(object);
    }
    if (world->resize) {
      world->shapes[body]->side = edges(world->boxes[k]);
      world->shapes[body]->computeLocalAABB();
    }
    place(object, world->boxes[k]);
    if (replace) {
      world->manager.registerObject(object);
    }
    world->moved.push_back(object);
  }
  if (replace) {
    world->manager.setup();
  } else if (world->moved.size() == world->objects.size()) {
    world->manager.update();
  } else {
    world->manager.update(world->moved);
  }
}

bool collect(Object *a, Object *b, void *data) {
  static_cast<World *>(data)->found.emplace_back(body_of(a), body_of(b));
  return false;
}

bool collect_of_mover(Object *a, Object *b, void *data) {
  World *world = static_cast<World *>(data);
  uint32_t p = body_of(a), q = body_of(b);
  // Who asks comes first or second, and is told of itself.
  uint32_t other = p == world->asking ? q : p;
  if (other != world->asking && (other > world->asking || !world->has_moved[other])) {
    world->found.emplace_back(world->asking, other);
  }
  return false;
}

void find(void *opaque) {
  World *world = static_cast<World *>(opaque);
  world->found.clear();
  if (world->moved.size() * 4 > world->objects.size()) {
    world->manager.collide(world, collect);
    return;
  }
  for (Object *object : world->moved) {
    world->asking = body_of(object);
    world->manager.collide(object, world, collect_of_mover);
  }
}

void list_pairs(void *opaque, bench_visit_pair *visit, void *context) {
  for (const auto &pair : static_cast<World *>(opaque)->found) {
    visit(pair.first, pair.second, context);
  }
}

struct Search {
  const Object *probe;
  bench_finding finding;
};

bool count_touching(Object *a, Object *b, void *data) {
  Search *search = static_cast<Search *>(data);
  search->finding.total++;
  search->finding.sum += body_of(a == search->probe ? b : a);
  return false;
}

// The manager has no rays.
void query(void *opaque, bench_probe_kind, const bench_probe *probes, size_t count,
           bench_finding *findings) {
  World *world = static_cast<World *>(opaque);
  auto shape = std::make_shared<Box>(edges(probes[0].box));
  Object object(shape, fcl::Transform3<double>::Identity());
  for (size_t i = 0; i < count; i++) {
    shape->side = edges(probes[i].box);
    shape->computeLocalAABB();
    place(&object, probes[i].box);
    Search search = {&object, {0, 0, INFINITY}};
    world->manager.collide(&object, &search, count_touching);
    findings[i] = search.finding;
  }
}

} // namespace

extern "C" const bench_broad_engine bench_broad_fcl;
const bench_broad_engine bench_broad_fcl = {
    "fcl", BENCH_FCL_VERSION, nullptr,    0,     create, destroy, prepare, update,
    find,  nullptr,           list_pairs, query, false,  nullptr};
