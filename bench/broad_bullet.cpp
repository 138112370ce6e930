// Bullet: its broad phase of two dynamic AABB trees with a cache of pairs. Boxes in the trees have
// a margin; pairs go when the cache is cleaned, a part of it in each step.
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <vector>

#include "broad.h"

namespace {

struct World {
  btDbvtBroadphase broadphase;
  std::vector<btBroadphaseProxy *> proxies;
  std::vector<uint32_t> movers;
  std::vector<bench_box> boxes;
};

btVector3 corner(const bench_box &box, float sign) {
  return btVector3(box.center.x + sign * box.half.x, box.center.y + sign * box.half.y,
                   box.center.z + sign * box.half.z);
}

btBroadphaseProxy *add(World *world, const bench_box &box, uint32_t body) {
  return world->broadphase.createProxy(corner(box, -1), corner(box, 1), 0,
                                       reinterpret_cast<void *>(uintptr_t(body)), 1, 1, nullptr);
}

void *create(const bench_broad_engine *, const bench_boxes *boxes) {
  World *world = new World;
  for (uint32_t i = 0; i < boxes->count; i++) {
    world->proxies.push_back(add(world, boxes->all[i], i));
  }
  world->broadphase.optimize();
  world->broadphase.calculateOverlappingPairs(nullptr);
  return world;
}

void destroy(void *opaque) {
  World *world = static_cast<World *>(opaque);
  for (btBroadphaseProxy *proxy : world->proxies) {
    world->broadphase.destroyProxy(proxy, nullptr);
  }
  delete world;
}

void prepare(void *opaque, const uint32_t *movers, const bench_box *boxes, uint32_t count) {
  World *world = static_cast<World *>(opaque);
  world->movers.assign(movers, movers + count);
  world->boxes.assign(boxes, boxes + count);
}

void update(void *opaque, bool replace) {
  World *world = static_cast<World *>(opaque);
  for (size_t k = 0; k < world->movers.size(); k++) {
    uint32_t body = world->movers[k];
    const bench_box &box = world->boxes[k];
    if (replace) {
      world->broadphase.destroyProxy(world->proxies[body], nullptr);
      world->proxies[body] = add(world, box, body);
    } else {
      world->broadphase.setAabb(world->proxies[body], corner(box, -1), corner(box, 1), nullptr);
    }
  }
}

void find(void *opaque) {
  static_cast<World *>(opaque)->broadphase.calculateOverlappingPairs(nullptr);
}

void tell(void *opaque, bench_visit_pair *visit, void *context) {
  btOverlappingPairCache *cache =
      static_cast<World *>(opaque)->broadphase.getOverlappingPairCache();
  const btBroadphasePairArray &pairs = cache->getOverlappingPairArray();
  for (int i = 0; i < pairs.size(); i++) {
    visit(uint32_t(reinterpret_cast<uintptr_t>(pairs[i].m_pProxy0->m_clientObject)),
          uint32_t(reinterpret_cast<uintptr_t>(pairs[i].m_pProxy1->m_clientObject)), context);
  }
}

} // namespace

extern "C" const bench_broad_engine bench_broad_bullet;
const bench_broad_engine bench_broad_bullet = {
    "bullet", BENCH_BULLET_VERSION, nullptr, 0, create, destroy, prepare, update, find, tell,
    nullptr};
