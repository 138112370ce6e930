// PhysX: its immediate mode. A step takes over poses and bounds, updates the broad phase and a list
// of all pairs, and generates the contacts of each pair, which are copied, as its caller has to.
// Distances are the defaults of its scenes: a contact offset of two centimetres each, so contacts
// are found from four on. Cylinders are convex cores. "physx" hands each pair the cache of the step
// before, from which it takes over contacts while the bodies hardly move; "physx-no-reuse" an empty
// one.
#include "physx.h"

#include <vector>

#include <PxImmediateMode.h>
#include <foundation/PxHashMap.h>

extern "C" {
#include "common/check.h"
#include "timing.h"
}
#include "step.h"

using namespace physx;

namespace {

const float contact_offset = 0.02f, mesh_margin = 0.01f, tolerance_length = 1;

// Memory of caches, which live for a step and the one after it.
struct CacheMemory : PxCacheAllocator {
  enum : PxU32 { BLOCK = 1 << 16 };

  PxArray<void *> blocks;
  PxU32 block = 0, used = 0;

  ~CacheMemory() override {
    for (void *memory : blocks) {
      PxGetAllocatorCallback()->deallocate(memory);
    }
  }

  PxU8 *allocateCacheData(const PxU32 size) override {
    const PxU32 room = (size + 15) / 16 * 16;
    if (room > BLOCK) {
      fail("PhysX wants a cache of %u bytes", size);
    }
    if (used + room > BLOCK) {
      block++;
      used = 0;
    }
    if (block == blocks.size()) {
      blocks.pushBack(PxGetAllocatorCallback()->allocate(BLOCK, "caches", __FILE__, __LINE__));
    }
    used += room;
    return static_cast<PxU8 *>(blocks[block]) + used - room;
  }
};

struct Pair {
  uint32_t a, b;
  PxCache cache;
};

struct Contacts {
  uint32_t a, b, first, count;
};

struct Recorder : immediate::PxContactRecorder {
  PxArray<PxContactPoint> points;
  PxArray<Contacts> found;
  const Pair *pair;

  bool recordContacts(const PxContactPoint *contacts, PxU32 count, PxU32) override {
    found.pushBack({pair->a, pair->b, points.size(), count});
    for (PxU32 i = 0; i < count; i++) {
      points.pushBack(contacts[i]);
    }
    return true;
  }
};

struct World {
  PhysxFoundation foundation;
  const bench_step_scene *scene;
  std::vector<PhysxOwned<PxConvexMesh>> hulls;
  std::vector<PhysxOwned<PxTriangleMesh>> meshes;
  PxArray<PxGeometryHolder> shapes;
  PxArray<PxTransform> poses; // of shapes
  PxArray<PxQuat> turns;      // from a body's frame to its shape's
  PhysxOwned<PxBroadPhase> broadphase;
  PhysxOwned<PxAABBManager> manager;
  PxArray<Pair> pairs;
  PxHashMap<PxU64, PxU32> places; // of pairs in the list
  CacheMemory caches[2];
  int current = 0;
  Recorder recorder;
  bool reuses;
  size_t bytes = 0;
};

// Its capsules and cylinders are along x.
PxQuat turn_of(const bench_piece &piece) {
  bool is_round = piece.kind == BENCH_PIECE_CAPSULE || piece.kind == BENCH_PIECE_CYLINDER;
  return is_round ? PxQuat(PxHalfPi, PxVec3(0, 1, 0)) : PxQuat(PxIdentity);
}

PxGeometryHolder make_shape(const World *w, const bench_piece &piece) {
  const mo_vec3 half = piece.half;
  switch (piece.kind) {
  case BENCH_PIECE_BALL:
    return PxSphereGeometry(half.x);
  case BENCH_PIECE_CAPSULE:
    return PxCapsuleGeometry(half.x, half.z);
  case BENCH_PIECE_CYLINDER:
    return PxConvexCoreGeometry(PxConvexCore::Cylinder(2 * half.z, half.x));
  case BENCH_PIECE_HULL:
    return PxConvexMeshGeometry(w->hulls[piece.shape].get());
  case BENCH_PIECE_MESH:
    return PxTriangleMeshGeometry(w->meshes[piece.shape].get());
  default:
    return PxBoxGeometry(physx_vector(half));
  }
}

void make_shapes(World *w) {
  for (size_t i = 0; i < w->scene->hull_count; i++) {
    const bench_step_hull &hull = w->scene->hulls[i];
    w->hulls.emplace_back(physx_hull(hull.points, hull.count, 1));
  }
  for (size_t i = 0; i < w->scene->mesh_count; i++) {
    const triangles &t = w->scene->meshes[i]->triangles;
    w->meshes.emplace_back(physx_mesh(t.positions, t.vertex_count, t.indices, t.triangle_count, 1));
  }
}

void place(World *w, uint32_t i, const bench_pose &pose, PxBounds3 *bounds) {
  w->poses[i] =
      PxTransform(physx_vector(pose.position), physx_rotation(pose.rotation) * w->turns[i]);
  PxGeometryQuery::computeGeomBounds(*bounds, w->shapes[i].any(), w->poses[i], 0, 1,
                                     PxGeometryQueryFlags());
}

// Bodies with the same filter group never make a pair.
PxBpFilterGroup filter_of(const World *w, uint32_t i) {
  const bench_piece &piece = w->scene->pieces[i];
  return piece.mass > 0 ? PxGetBroadPhaseDynamicFilterGroup(
                              piece.group > 0 ? w->scene->count + piece.group : i)
                        : PxGetBroadPhaseStaticFilterGroup();
}

PxU64 key_of(const PxBroadPhasePair &pair) {
  return PxU64(PxMin(pair.mID0, pair.mID1)) << 32 | PxMax(pair.mID0, pair.mID1);
}

void remove_pair(World *w, PxU64 key) {
  const PxU32 place = w->places.find(key)->second;
  w->places.erase(key);
  w->pairs.replaceWithLast(place);
  if (place < w->pairs.size()) {
    const Pair &moved = w->pairs[place];
    w->places[PxU64(moved.a) << 32 | moved.b] = place;
  }
}

void find_pairs(World *w) {
  PxBroadPhaseResults changes;
  w->manager->updateAndFetchResults(changes);
  for (PxU32 i = 0; i < changes.mNbDeletedPairs; i++) {
    remove_pair(w, key_of(changes.mDeletedPairs[i]));
  }
  for (PxU32 i = 0; i < changes.mNbCreatedPairs; i++) {
    const PxU64 key = key_of(changes.mCreatedPairs[i]);
    w->places.insert(key, w->pairs.size());
    w->pairs.pushBack({PxU32(key >> 32), PxU32(key), PxCache()});
  }
}

void find_contacts(World *w) {
  w->current = 1 - w->current;
  CacheMemory &caches = w->caches[w->current];
  caches.block = caches.used = 0;
  w->recorder.points.clear();
  w->recorder.found.clear();
  for (Pair &pair : w->pairs) {
    const PxGeometry *a = &w->shapes[pair.a].any(), *b = &w->shapes[pair.b].any();
    w->recorder.pair = &pair;
    if (!w->reuses) {
      pair.cache.reset();
    }
    immediate::PxGenerateContacts(&a, &b, &w->poses[pair.a], &w->poses[pair.b], &pair.cache, 1,
                                  w->recorder, 2 * contact_offset, mesh_margin, tolerance_length,
                                  caches);
  }
}

void *create(const bench_step_engine *engine, const bench_step_scene *scene) {
  const size_t before = physx_bytes();
  World *w = new World;
  w->scene = scene;
  w->reuses = *static_cast<const bool *>(engine->variant);
  w->broadphase.reset(PxCreateBroadPhase(PxBroadPhaseDesc(PxBroadPhaseType::eABP)));
  w->manager.reset(PxCreateAABBManager(*w->broadphase));
  make_shapes(w);
  w->poses.resize(scene->count);
  for (uint32_t i = 0; i < scene->count; i++) {
    PxBounds3 bounds;
    w->turns.pushBack(turn_of(scene->pieces[i]));
    w->shapes.pushBack(make_shape(w, scene->pieces[i]));
    place(w, i, scene->start[i], &bounds);
    w->manager->addObject(i, bounds, filter_of(w, i), contact_offset);
  }
  find_pairs(w);
  w->bytes = physx_bytes() - before;
  return w;
}

void destroy(void *opaque) {
  delete static_cast<World *>(opaque);
}

// Its scenes step with denormals flushed to zero, too.
bench_step_times step(void *opaque, const bench_pose *poses) {
  PX_SIMD_GUARD
  World *w = static_cast<World *>(opaque);
  const uint32_t statics = w->scene->static_count;
  const size_t before = physx_bytes();
  double begin = bench_clock();
  for (uint32_t i = statics; i < w->scene->count; i++) {
    PxBounds3 bounds;
    place(w, i, poses[i - statics], &bounds);
    w->manager->updateObject(i, &bounds);
  }
  double placed = bench_clock();
  find_pairs(w);
  double paired = bench_clock();
  find_contacts(w);
  double end = bench_clock();
  w->bytes += physx_bytes() - before;
  return bench_step_times{1e3 * (placed - begin), 1e3 * (paired - placed), 1e3 * (end - paired)};
}

void touches(void *opaque, bench_visit_touch *visit, void *context) {
  const Recorder &recorder = static_cast<World *>(opaque)->recorder;
  for (const Contacts &contacts : recorder.found) {
    for (uint32_t i = 0; i < contacts.count; i++) {
      const bench_touch touch = {contacts.a, contacts.b,
                                 recorder.points[contacts.first + i].separation};
      if (touch.separation <= 0) {
        visit(&touch, context);
      }
    }
  }
}

void count(void *opaque, size_t *pairs, size_t *points) {
  const World *w = static_cast<World *>(opaque);
  *pairs = w->pairs.size();
  *points = w->recorder.points.size();
}

size_t bytes(void *opaque) {
  return static_cast<const World *>(opaque)->bytes;
}

const bool no = false, yes = true;
const double band = 0.005;

} // namespace

extern "C" const bench_step_engine bench_step_physx, bench_step_physx_no_reuse;
const bench_step_engine bench_step_physx = {
    {"physx", PHYSX_VERSION}, &yes, 1, 0, band, create, destroy, step, touches, count, bytes};
const bench_step_engine bench_step_physx_no_reuse = {{"physx-no-reuse", PHYSX_VERSION},
                                                     &no,
                                                     1,
                                                     0,
                                                     band,
                                                     create,
                                                     destroy,
                                                     step,
                                                     touches,
                                                     count,
                                                     bytes};
