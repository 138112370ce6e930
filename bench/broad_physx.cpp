// PhysX: its broad phase by itself, automatic box pruning, behind its manager of boxes. There is no
// tree to query. An update takes over what changed, finds pairs and reports those that begin and
// end; the set of all, which only the suite wants to see, is kept outside the time. In one thread,
// parallel box pruning, the default of its scenes, takes as long or 5 % longer. Sweep and prune
// takes a hundred times as long where all boxes move fast.
#include "physx.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "broad.h"

using namespace physx;

namespace {

struct World {
  PhysxFoundation foundation;
  PhysxOwned<PxBroadPhase> broadphase;
  PhysxOwned<PxAABBManager> manager;
  PxBroadPhaseResults changes;        // of the last search
  uint64_t events;                    // how many
  std::unordered_set<uint64_t> pairs; // before these changes
  std::vector<uint32_t> movers;
  std::vector<bench_box> boxes;
};

PxBounds3 bounds_of(const bench_box &box) {
  PxVec3 center = physx_vector(box.center), half = physx_vector(box.half);
  return PxBounds3(center - half, center + half);
}

void add(World *w, uint32_t body, const PxBounds3 &bounds) {
  w->manager->addObject(body, bounds, PxGetBroadPhaseDynamicFilterGroup(body));
}

uint64_t key_of(const PxBroadPhasePair &pair) {
  return uint64_t(std::min(pair.mID0, pair.mID1)) << 32 | std::max(pair.mID0, pair.mID1);
}

void take_over_changes(World *w) {
  for (uint32_t i = 0; i < w->changes.mNbDeletedPairs; i++) {
    w->pairs.erase(key_of(w->changes.mDeletedPairs[i]));
  }
  for (uint32_t i = 0; i < w->changes.mNbCreatedPairs; i++) {
    w->pairs.insert(key_of(w->changes.mCreatedPairs[i]));
  }
  w->changes = PxBroadPhaseResults();
}

void find(void *opaque) {
  World *w = static_cast<World *>(opaque);
  w->manager->updateAndFetchResults(w->changes);
  w->events = uint64_t(w->changes.mNbCreatedPairs) + w->changes.mNbDeletedPairs;
}

void *create(const bench_broad_engine *, const bench_boxes *boxes) {
  World *w = new World;
  w->broadphase.reset(PxCreateBroadPhase(PxBroadPhaseDesc(PxBroadPhaseType::eABP)));
  w->manager.reset(PxCreateAABBManager(*w->broadphase));
  for (uint32_t i = 0; i < boxes->count; i++) {
    add(w, i, bounds_of(boxes->all[i]));
  }
  find(w);
  return w;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

void prepare(void *opaque, const uint32_t *movers, const bench_box *boxes, uint32_t count, bool) {
  World *w = static_cast<World *>(opaque);
  take_over_changes(w);
  w->movers.assign(movers, movers + count);
  w->boxes.assign(boxes, boxes + count);
}

// What is removed and added again before an update counts as neither, so it is marked as moved.
void update(void *opaque, bool replace) {
  World *w = static_cast<World *>(opaque);
  for (size_t k = 0; k < w->movers.size(); k++) {
    PxBounds3 bounds = bounds_of(w->boxes[k]);
    if (replace) {
      w->manager->removeObject(w->movers[k]);
      add(w, w->movers[k], bounds);
    }
    w->manager->updateObject(w->movers[k], &bounds);
  }
}

uint64_t count_events(void *opaque) {
  return static_cast<World *>(opaque)->events;
}

void list_pairs(void *opaque, bench_visit_pair *visit, void *context) {
  World *w = static_cast<World *>(opaque);
  take_over_changes(w);
  for (uint64_t pair : w->pairs) {
    visit(uint32_t(pair >> 32), uint32_t(pair), context);
  }
}

} // namespace

extern "C" const bench_broad_engine bench_broad_physx;
const bench_broad_engine bench_broad_physx = {{"physx", PHYSX_VERSION},
                                              nullptr,
                                              0,
                                              create,
                                              destroy,
                                              prepare,
                                              update,
                                              find,
                                              count_events,
                                              list_pairs};
