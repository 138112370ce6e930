// FCL and Coal: their manager over a dynamic AABB tree. Where few move, each of them asks the tree;
// else the tree is taken against itself.
#include <cmath>

#include "broad.h"
#include "fcl_coal.h"

namespace {

struct World {
  Manager manager;
  std::vector<std::unique_ptr<Object>> objects;
  std::vector<std::shared_ptr<Box>> shapes;
  std::vector<Object *> moved;
  std::vector<bench_box> boxes;
  std::vector<uint32_t> movers;
  std::vector<bool> has_moved;
  bool resize;
  std::vector<std::pair<uint32_t, uint32_t>> found;
};

uint32_t body_of(const Object *object) {
  return uint32_t(reinterpret_cast<uintptr_t>(object->getUserData()));
}

Vector edges(const bench_box &box) {
  return 2 * vector_of(box.half);
}

void place(Object *object, const bench_box &box) {
  object->setTranslation(vector_of(box.center));
  object->computeAABB();
}

void add(World *world, const bench_box &box, uint32_t body) {
  auto shape = std::make_shared<Box>(edges(box));
  std::unique_ptr<Object> object(new Object(shape, Transform::Identity()));
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
      set_edges(world->shapes[body].get(), edges(world->boxes[k]));
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

void find_all(World *world) {
  visit_overlaps(&world->manager, [world](const Object *a, const Object *b) {
    world->found.emplace_back(body_of(a), body_of(b));
    return false;
  });
}

void find_those_of(World *world, Object *object) {
  const uint32_t asking = body_of(object);
  auto collect = [world, asking](const Object *a, const Object *b) {
    // Who asks comes first or second, and is told of itself.
    const uint32_t p = body_of(a), q = body_of(b), other = p == asking ? q : p;
    if (other != asking && (other > asking || !world->has_moved[other])) {
      world->found.emplace_back(asking, other);
    }
    return false;
  };
  visit_overlaps(&world->manager, collect, object);
}

void find(void *opaque) {
  World *world = static_cast<World *>(opaque);
  world->found.clear();
  if (world->moved.size() * 4 > world->objects.size()) {
    find_all(world);
    return;
  }
  for (Object *object : world->moved) {
    find_those_of(world, object);
  }
}

void list_pairs(void *opaque, bench_visit_pair *visit, void *context) {
  for (const auto &pair : static_cast<World *>(opaque)->found) {
    visit(pair.first, pair.second, context);
  }
}

// The manager has no rays.
void query(void *opaque, bench_probe_kind, const bench_probe *probes, size_t count,
           bench_finding *findings) {
  World *world = static_cast<World *>(opaque);
  auto shape = std::make_shared<Box>(edges(probes[0].box));
  Object object(shape, Transform::Identity());
  for (size_t i = 0; i < count; i++) {
    set_edges(shape.get(), edges(probes[i].box));
    shape->computeLocalAABB();
    place(&object, probes[i].box);
    bench_finding *finding = &findings[i];
    *finding = {0, 0, INFINITY};
    auto count_body = [&object, finding](const Object *a, const Object *b) {
      finding->total++;
      finding->sum += body_of(a == &object ? b : a);
      return false;
    };
    visit_overlaps(&world->manager, count_body, &object);
  }
}

} // namespace

extern "C" const bench_broad_engine BENCH_FCL_COAL(bench_broad);
const bench_broad_engine BENCH_FCL_COAL(bench_broad) = {
    BENCH_FCL_COAL_ID, nullptr,    0,     create, destroy, prepare, update, find,
    nullptr,           list_pairs, query, false,  nullptr};
