// Bullet: its broad phase of two dynamic AABB trees with a cache of pairs. Boxes in the trees have
// a margin; pairs go when the cache is cleaned, a part of it in each step.
//
// Pairs are looked for by one walk of the trees against themselves ("deferred"), not by a query for
// each box that moves, from half a percent of movers on: that takes half of the time or less where
// all move, and a quarter more where one in a thousand does.
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <cmath>
#include <vector>

#include "broad.h"

namespace {

// One walk for all from one mover in so many on.
enum { DEFERRED_SHARE = 200 };

struct World {
  btDbvtBroadphase broadphase;
  std::vector<btBroadphaseProxy *> proxies;
  std::vector<bench_box> now; // by body
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

uint32_t body_of(const btBroadphaseProxy *proxy) {
  return uint32_t(reinterpret_cast<uintptr_t>(proxy->m_clientObject));
}

void *create(const bench_broad_engine *, const bench_boxes *boxes) {
  World *world = new World;
  world->broadphase.m_deferedcollide = true;
  world->now.assign(boxes->all, boxes->all + boxes->count);
  for (uint32_t i = 0; i < boxes->count; i++) {
    world->proxies.push_back(add(world, boxes->all[i], i));
  }
  world->broadphase.optimize();
  world->broadphase.calculateOverlappingPairs(nullptr);
  return world;
}

void destroy(void *opaque) {
  World *world = static_cast<World *>(opaque);
  // A proxy that goes looks through all pairs for its own: so they go before.
  btOverlappingPairCache *pairs = world->broadphase.getOverlappingPairCache();
  while (pairs->getNumOverlappingPairs() > 0) {
    const btBroadphasePair last =
        pairs->getOverlappingPairArray()[pairs->getNumOverlappingPairs() - 1];
    pairs->removeOverlappingPair(last.m_pProxy0, last.m_pProxy1, nullptr);
  }
  for (btBroadphaseProxy *proxy : world->proxies) {
    world->broadphase.destroyProxy(proxy, nullptr);
  }
  delete world;
}

void prepare(void *opaque, const uint32_t *movers, const bench_box *boxes, uint32_t count, bool) {
  World *world = static_cast<World *>(opaque);
  world->broadphase.m_deferedcollide = size_t(count) * DEFERRED_SHARE >= world->now.size();
  world->movers.assign(movers, movers + count);
  world->boxes.assign(boxes, boxes + count);
}

void update(void *opaque, bool replace) {
  World *world = static_cast<World *>(opaque);
  for (size_t k = 0; k < world->movers.size(); k++) {
    uint32_t body = world->movers[k];
    const bench_box &box = world->boxes[k];
    world->now[body] = box;
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

void list_pairs(void *opaque, bench_visit_pair *visit, void *context) {
  btOverlappingPairCache *cache =
      static_cast<World *>(opaque)->broadphase.getOverlappingPairCache();
  const btBroadphasePairArray &pairs = cache->getOverlappingPairArray();
  for (int i = 0; i < pairs.size(); i++) {
    visit(body_of(pairs[i].m_pProxy0), body_of(pairs[i].m_pProxy1), context);
  }
}

struct BoxCallback : btBroadphaseAabbCallback {
  const World *world;
  const bench_probe *probe;
  bench_finding finding;

  bool process(const btBroadphaseProxy *proxy) override {
    uint32_t body = body_of(proxy);
    if (bench_boxes_touch(&probe->box, &world->now[body])) {
      finding.total++;
      finding.sum += body;
    }
    return true;
  }
};

struct RayCallback : btBroadphaseRayCallback {
  const World *world;
  const bench_probe *probe;
  bench_probe_kind kind;
  bench_finding finding;

  bool process(const btBroadphaseProxy *proxy) override {
    uint32_t body = body_of(proxy);
    bench_meet_box(probe, &world->now[body], body, kind, &finding);
    return true;
  }
};

bench_finding ask_box(World *world, const bench_probe *probe) {
  BoxCallback callback;
  callback.world = world;
  callback.probe = probe;
  callback.finding = bench_finding{0, 0, INFINITY};
  world->broadphase.aabbTest(corner(probe->box, -1), corner(probe->box, 1), callback);
  return callback.finding;
}

// What Bullet asks of who casts a ray is as btCollisionWorld does it.
bench_finding ask_ray(World *world, bench_probe_kind kind, const bench_probe *probe) {
  RayCallback callback;
  callback.world = world;
  callback.probe = probe;
  callback.kind = kind;
  callback.finding = bench_finding{0, 0, INFINITY};
  btVector3 from(probe->origin.x, probe->origin.y, probe->origin.z);
  btVector3 direction(probe->direction.x, probe->direction.y, probe->direction.z);
  for (int axis = 0; axis < 3; axis++) {
    btScalar d = direction[axis];
    callback.m_rayDirectionInverse[axis] = d == 0 ? btScalar(BT_LARGE_FLOAT) : 1 / d;
    callback.m_signs[axis] = callback.m_rayDirectionInverse[axis] < 0;
  }
  callback.m_lambda_max = probe->max_t;
  world->broadphase.rayTest(from, from + probe->max_t * direction, callback);
  return callback.finding;
}

void query(void *opaque, bench_probe_kind kind, const bench_probe *probes, size_t count,
           bench_finding *findings) {
  World *world = static_cast<World *>(opaque);
  for (size_t i = 0; i < count; i++) {
    findings[i] =
        kind == BENCH_PROBE_BOX ? ask_box(world, &probes[i]) : ask_ray(world, kind, &probes[i]);
  }
}

} // namespace

extern "C" const bench_broad_engine bench_broad_bullet;
const bench_broad_engine bench_broad_bullet = {
    "bullet", BENCH_BULLET_VERSION, nullptr, 0,    create, destroy, prepare, update, find,
    nullptr,  list_pairs,           query,   true, nullptr};
