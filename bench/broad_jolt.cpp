// Jolt: its broad phase of a quad tree, with a body for each box. A box that moves widens the nodes
// above it; what was widened is rebuilt once a frame. Bodies that move are the active ones.
#include "jolt.h"

#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Body/BodyManager.h>
#include <Jolt/Physics/Body/BodyPair.h>
#include <Jolt/Physics/Collision/AABoxCast.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseQuadTree.h>
#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/RayCast.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>

#include <cmath>
#include <vector>

#include "broad.h"

namespace {

struct Pairs : JPH::BodyPairCollector {
  std::vector<JPH::BodyPair> found;

  void AddHit(const JPH::BodyPair &pair) override {
    found.push_back(pair);
  }
};

struct World {
  JoltTypes types;
  JoltLayers layers;
  JPH::ObjectVsBroadPhaseLayerFilter layer_filter;
  JPH::ObjectLayerPairFilter pair_filter;
  JPH::BodyManager bodies;
  JPH::BroadPhaseQuadTree broadphase;
  bool resize;
  std::vector<JPH::BodyID> ids;
  std::vector<bench_box> now; // by body
  std::vector<uint32_t> movers;
  std::vector<bench_box> boxes;
  std::vector<JPH::Ref<JPH::Shape>> shapes; // of movers that change in size
  std::vector<JPH::BodyID> active, scratch; // the broad phase shuffles what it is given
  Pairs pairs;
};

JPH::Ref<JPH::Shape> make_shape(const bench_box &box) {
  return new JPH::BoxShape(jolt_vector(box.half), 0);
}

void maintain(World *w) {
  w->broadphase.FrameSync();
  w->broadphase.LockModifications();
  JPH::BroadPhase::UpdateState state = w->broadphase.UpdatePrepare();
  w->broadphase.UpdateFinalize(state);
  w->broadphase.UnlockModifications();
}

void add(World *w, std::vector<JPH::BodyID> &ids) {
  JPH::BroadPhase::AddState state = w->broadphase.AddBodiesPrepare(ids.data(), int(ids.size()));
  w->broadphase.AddBodiesFinalize(ids.data(), int(ids.size()), state);
}

void *create(const bench_broad_engine *, const bench_boxes *boxes) {
  World *w = new World;
  w->resize = boxes->resize;
  w->bodies.Init(boxes->count, 0, w->layers);
  w->broadphase.Init(&w->bodies, w->layers);
  w->now.assign(boxes->all, boxes->all + boxes->count);
  for (uint32_t i = 0; i < boxes->count; i++) {
    JPH::BodyCreationSettings settings(make_shape(w->now[i]).GetPtr(),
                                       jolt_vector(w->now[i].center), JPH::Quat::sIdentity(),
                                       JPH::EMotionType::Dynamic, JOLT_MOVING);
    settings.mUserData = i;
    JPH::Body *body = w->bodies.AllocateBody(settings);
    w->bodies.AddBody(body);
    w->ids.push_back(body->GetID());
  }
  std::vector<JPH::BodyID> all = w->ids;
  add(w, all);
  w->broadphase.Optimize();
  return w;
}

void destroy(void *opaque) {
  World *w = static_cast<World *>(opaque);
  w->bodies.DeactivateBodies(w->active.data(), int(w->active.size()));
  std::vector<JPH::BodyID> all = w->ids;
  w->broadphase.RemoveBodies(all.data(), int(all.size()));
  w->bodies.DestroyBodies(w->ids.data(), int(w->ids.size()));
  delete w;
}

void prepare(void *opaque, const uint32_t *movers, const bench_box *boxes, uint32_t count, bool) {
  World *w = static_cast<World *>(opaque);
  w->bodies.DeactivateBodies(w->active.data(), int(w->active.size()));
  w->movers.assign(movers, movers + count);
  w->boxes.assign(boxes, boxes + count);
  w->shapes.clear();
  w->active.clear();
  for (uint32_t k = 0; k < count; k++) {
    w->active.push_back(w->ids[movers[k]]);
    if (w->resize) {
      w->shapes.push_back(make_shape(boxes[k]));
    }
  }
  w->bodies.ActivateBodies(w->active.data(), int(count));
}

void update(void *opaque, bool replace) {
  World *w = static_cast<World *>(opaque);
  w->scratch = w->active;
  int count = int(w->scratch.size());
  if (replace) {
    w->broadphase.RemoveBodies(w->scratch.data(), count);
  }
  for (size_t k = 0; k < w->movers.size(); k++) {
    JPH::Body &body = w->bodies.GetBody(w->active[k]);
    if (w->resize) {
      body.SetShapeInternal(w->shapes[k], false);
    }
    body.SetPositionAndRotationInternal(jolt_vector(w->boxes[k].center), JPH::Quat::sIdentity());
    w->now[w->movers[k]] = w->boxes[k];
  }
  if (replace) {
    add(w, w->scratch);
  } else {
    w->broadphase.NotifyBodiesAABBChanged(w->scratch.data(), count, true);
  }
  maintain(w);
}

void find(void *opaque) {
  World *w = static_cast<World *>(opaque);
  w->pairs.found.clear();
  w->scratch = w->active;
  w->broadphase.FindCollidingPairs(w->scratch.data(), int(w->scratch.size()), 0, w->layer_filter,
                                   w->pair_filter, w->pairs);
}

uint32_t body_of(const World *w, JPH::BodyID id) {
  return uint32_t(w->bodies.GetBody(id).GetUserData());
}

void list_pairs(void *opaque, bench_visit_pair *visit, void *context) {
  const World *w = static_cast<const World *>(opaque);
  for (const JPH::BodyPair &pair : w->pairs.found) {
    visit(body_of(w, pair.mBodyA), body_of(w, pair.mBodyB), context);
  }
}

struct BoxCollector : JPH::CollideShapeBodyCollector {
  const World *world;
  const bench_probe *probe;
  bench_finding finding;

  void AddHit(const JPH::BodyID &id) override {
    uint32_t body = body_of(world, id);
    if (bench_boxes_touch(&probe->box, &world->now[body])) {
      finding.total++;
      finding.sum += body;
    }
  }
};

struct RayCollector : JPH::RayCastBodyCollector {
  const World *world;
  const bench_probe *probe;
  bench_probe_kind kind;
  bench_finding finding;

  void AddHit(const JPH::BroadPhaseCastResult &hit) override {
    uint32_t body = body_of(world, hit.mBodyID);
    bench_meet_box(probe, &world->now[body], body, kind, &finding);
    float first = finding.t / probe->max_t;
    if (kind == BENCH_PROBE_CLOSEST && first < GetEarlyOutFraction()) {
      UpdateEarlyOutFraction(first);
    }
  }
};

bench_finding ask_box(const World *w, const bench_probe *probe) {
  BoxCollector collector;
  collector.world = w;
  collector.probe = probe;
  collector.finding = bench_finding{0, 0, INFINITY};
  JPH::Vec3 center = jolt_vector(probe->box.center), half = jolt_vector(probe->box.half);
  w->broadphase.CollideAABox(JPH::AABox(center - half, center + half), collector, {}, {});
  return collector.finding;
}

bench_finding ask_ray(const World *w, bench_probe_kind kind, const bench_probe *probe) {
  RayCollector collector;
  collector.world = w;
  collector.probe = probe;
  collector.kind = kind;
  collector.finding = bench_finding{0, 0, INFINITY};
  JPH::RayCast ray(jolt_vector(probe->origin), probe->max_t * jolt_vector(probe->direction));
  w->broadphase.CastRay(ray, collector, {}, {});
  return collector.finding;
}

void query(void *opaque, bench_probe_kind kind, const bench_probe *probes, size_t count,
           bench_finding *findings) {
  const World *w = static_cast<const World *>(opaque);
  for (size_t i = 0; i < count; i++) {
    findings[i] = kind == BENCH_PROBE_BOX ? ask_box(w, &probes[i]) : ask_ray(w, kind, &probes[i]);
  }
}

} // namespace

extern "C" const bench_broad_engine bench_broad_jolt;
const bench_broad_engine bench_broad_jolt = {"jolt",     JOLT_VERSION, nullptr, 0,      create,
                                             destroy,    prepare,      update,  find,   nullptr,
                                             list_pairs, query,        true,    nullptr};
