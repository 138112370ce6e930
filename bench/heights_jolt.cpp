// Jolt: a physics system with one height field. It stores 16 bits for the lowest and highest sample
// of 2 x 2 cells, and a sample in 8 bits between these (its default), or in 16 ("jolt-16-bit").
// SetHeights changes a region, whose samples are brought into the order of the rotated field within
// the time.
#include "jolt.h"

#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/NarrowPhaseQuery.h>
#include <Jolt/Physics/Collision/RayCast.h>
#include <Jolt/Physics/Collision/Shape/HeightFieldShape.h>
#include <Jolt/Physics/PhysicsSystem.h>

#include <cmath>
#include <vector>

extern "C" {
#include "common/check.h"
#include "timing.h"
}
#include "heights.h"

namespace {

// Sample (c, r) is sample (side - 1 - r, c) of the rotated field.
void rotate(const float *heights, uint32_t columns, uint32_t rows, float *rotated) {
  for (uint32_t r = 0; r < rows; r++) {
    for (uint32_t c = 0; c < columns; c++) {
      rotated[size_t(c) * rows + (rows - 1 - r)] = heights[size_t(r) * columns + c];
    }
  }
}

} // namespace

JPH::Ref<JPH::Shape> jolt_heights(const bench_ground *ground) {
  const uint32_t side = ground->terrain->side;
  JPH::HeightFieldShapeSettings settings;
  settings.SetEmbedded();
  settings.mSampleCount = side;
  settings.mMinHeightValue = 0;
  settings.mMaxHeightValue = BENCH_HEIGHT_LEVELS * BENCH_HEIGHT_UNIT;
  settings.mHeightSamples.resize(size_t(side) * side);
  rotate(ground->terrain->heights, side, side, settings.mHeightSamples.data());
  if (ground->bits != 0) {
    settings.mBitsPerSample = ground->bits;
  }
  JPH::ShapeSettings::ShapeResult result = settings.Create();
  if (result.HasError()) {
    fail("Jolt: %s", result.GetError().c_str());
  }
  return result.Get();
}

JPH::Vec3 jolt_heights_position(const bench_terrain *terrain) {
  return JPH::Vec3(0, 0, float(terrain->side - 1));
}

JPH::Quat jolt_heights_rotation() {
  return JPH::Quat::sRotation(JPH::Vec3::sAxisY(), JPH::JPH_PI / 2);
}

namespace {

struct World {
  JoltTypes types;
  JoltLayers layers;
  JPH::ObjectVsBroadPhaseLayerFilter layer_filter;
  JPH::ObjectLayerPairFilter pair_filter;
  JPH::TempAllocatorImplWithMallocFallback memory{8 << 20};
  JPH::PhysicsSystem system;
  JPH::Ref<JPH::Shape> field;
  JPH::BodyID body;
  std::vector<float> rotated; // of a change
  uint32_t side, bits;
};

void *create(const bench_height_engine *engine, const bench_terrain *terrain, double *seconds) {
  World *w = new World;
  w->side = terrain->side;
  w->bits = engine->bits;
  const bench_ground ground = {terrain, engine->bits};
  double start = bench_clock();
  w->field = jolt_heights(&ground);
  *seconds = bench_clock() - start;
  w->system.Init(1, 1, 1, 1, w->layers, w->layer_filter, w->pair_filter);
  JPH::BodyCreationSettings body(w->field.GetPtr(), jolt_heights_position(terrain),
                                 jolt_heights_rotation(), JPH::EMotionType::Static, JOLT_STATIC);
  w->body =
      w->system.GetBodyInterfaceNoLock().CreateAndAddBody(body, JPH::EActivation::DontActivate);
  w->system.OptimizeBroadPhase();
  return w;
}

void destroy(void *opaque) {
  World *w = static_cast<World *>(opaque);
  w->system.GetBodyInterfaceNoLock().RemoveBody(w->body);
  w->system.GetBodyInterfaceNoLock().DestroyBody(w->body);
  delete w;
}

size_t bytes(void *opaque) {
  return static_cast<const World *>(opaque)->field->GetStats().mSizeBytes;
}

void cast_rays(void *opaque, const bench_ray *rays, size_t count, float *t) {
  const World *w = static_cast<const World *>(opaque);
  const JPH::NarrowPhaseQuery &queries = w->system.GetNarrowPhaseQueryNoLock();
  for (size_t i = 0; i < count; i++) {
    const JPH::RRayCast ray(jolt_vector(rays[i].origin),
                            rays[i].max_t * jolt_vector(rays[i].direction));
    JPH::RayCastResult hit;
    t[i] = queries.CastRay(ray, hit) ? hit.mFraction * rays[i].max_t : INFINITY;
  }
}

void edit_region(void *opaque, const bench_height_edit *region, const bench_terrain *) {
  World *w = static_cast<World *>(opaque);
  w->rotated.resize(size_t(region->columns) * region->rows);
  rotate(region->heights, region->columns, region->rows, w->rotated.data());
  JPH::HeightFieldShape *field = static_cast<JPH::HeightFieldShape *>(w->field.GetPtr());
  const JPH::Vec3 center = field->GetCenterOfMass();
  field->SetHeights(w->side - region->row - region->rows, region->column, region->rows,
                    region->columns, w->rotated.data(), region->rows, w->memory);
  w->system.GetBodyInterfaceNoLock().NotifyShapeChanged(w->body, center, false,
                                                        JPH::EActivation::DontActivate);
}

void rebuild(void *opaque, const bench_height_edit *, const bench_terrain *whole) {
  World *w = static_cast<World *>(opaque);
  const bench_ground ground = {whole, w->bits};
  w->field = jolt_heights(&ground);
  w->system.GetBodyInterfaceNoLock().SetShape(w->body, w->field, false,
                                              JPH::EActivation::DontActivate);
}

} // namespace

extern "C" {
extern const bench_query_engine bench_query_jolt;
extern const bench_step_engine bench_step_jolt_no_reuse;
extern const bench_height_engine bench_height_jolt, bench_height_jolt_16_bit,
    bench_height_jolt_rebuild;
}

namespace {

// In 8 bits a sample may be off by 1/510 of the height of its block.
bench_height_engine engine(const char *name, uint32_t bits, double slack) {
  bench_height_engine self = {};
  self.id = {name, JOLT_VERSION};
  self.bits = bits;
  self.slack = slack;
  self.tolerated = 1e-3;
  self.queries = &bench_query_jolt;
  self.steps = &bench_step_jolt_no_reuse;
  self.create = create;
  self.destroy = destroy;
  self.bytes = bytes;
  self.cast_rays = cast_rays;
  self.edit = edit_region;
  return self;
}

bench_height_engine rebuilding() {
  bench_height_engine self = engine("jolt-rebuild", 0, 0.02);
  self.rebuilds = true;
  self.edit = rebuild;
  return self;
}

} // namespace

const bench_height_engine bench_height_jolt = engine("jolt", 0, 0.02);
const bench_height_engine bench_height_jolt_16_bit = engine("jolt-16-bit", 16, 2e-3);
const bench_height_engine bench_height_jolt_rebuild = rebuilding();
