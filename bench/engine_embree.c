/* Embree: high-quality build (split references; "medium" is robust at medium quality), one
 * thread, single rays or packets of sixteen. "robust" avoids optimisations that reduce arithmetic
 * accuracy and closes edges; "fast" is its default. */
#include <math.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "embree_packets.h"
#include "engine.h"
#include "timing.h"

typedef struct variant {
  enum RTCSceneFlags flags;
  bool medium;  /* built at medium quality */
  bool packets; /* rtcIntersect16 with the coherent flag, rays in the order given */
} variant;

typedef struct instance {
  variant variant;
  RTCDevice device;
  RTCScene scene;
  atomic_llong bytes; /* as Embree itself reports what it takes and gives back */
} instance;

static bool watch_memory(void *context, ssize_t bytes, bool after) {
  (void)after;
  atomic_fetch_add(&((instance *)context)->bytes, bytes);
  return true;
}

static void *create(const bench_engine *engine, const bench_mesh *mesh, double *build_seconds) {
  instance *self = allocate(1, sizeof *self);
  self->variant = *(const variant *)engine->variant;
  self->device = bench_embree_device();
  rtcSetDeviceMemoryMonitorFunction(self->device, watch_memory, self);

  enum RTCBuildQuality quality =
      self->variant.medium ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_HIGH;
  RTCGeometry geometry = bench_embree_triangles(self->device, mesh, quality);

  self->scene = rtcNewScene(self->device);
  rtcSetSceneBuildQuality(self->scene, quality);
  rtcSetSceneFlags(self->scene, self->variant.flags);
  rtcAttachGeometry(self->scene, geometry);
  rtcReleaseGeometry(geometry);
  double start = bench_clock();
  rtcCommitScene(self->scene);
  *build_seconds = bench_clock() - start;
  return self;
}

static void destroy(void *opaque) {
  instance *self = opaque;
  rtcReleaseScene(self->scene);
  rtcReleaseDevice(self->device);
  free(self);
}

static size_t bytes(const void *opaque) {
  return (size_t)atomic_load(&((instance *)(uintptr_t)opaque)->bytes);
}

static void trace_closest(RTCScene scene, const bench_ray *rays, size_t count, bench_hit *hits,
                          bench_surface *surfaces) {
  for (size_t i = 0; i < count; i++) {
    struct RTCRayHit query;
    query.ray.org_x = rays[i].origin.x;
    query.ray.org_y = rays[i].origin.y;
    query.ray.org_z = rays[i].origin.z;
    query.ray.tnear = 0;
    query.ray.dir_x = rays[i].direction.x;
    query.ray.dir_y = rays[i].direction.y;
    query.ray.dir_z = rays[i].direction.z;
    query.ray.time = 0;
    query.ray.tfar = rays[i].max_t;
    query.ray.mask = UINT32_MAX;
    query.ray.id = 0;
    query.ray.flags = 0;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    bench_embree_intersect1(scene, &query);
    bool found = query.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    hits[i].t = found ? query.ray.tfar : INFINITY;
    hits[i].triangle = found ? query.hit.primID : MO_NO_TRIANGLE;
    if (surfaces != NULL) {
      surfaces[i] = (bench_surface){{query.hit.u, query.hit.v},
                                    {query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z}};
    }
  }
}

static void trace_any(RTCScene scene, const bench_ray *rays, size_t count, bench_hit *hits) {
  for (size_t i = 0; i < count; i++) {
    struct RTCRay ray = {
        .org_x = rays[i].origin.x,
        .org_y = rays[i].origin.y,
        .org_z = rays[i].origin.z,
        .dir_x = rays[i].direction.x,
        .dir_y = rays[i].direction.y,
        .dir_z = rays[i].direction.z,
        .tfar = rays[i].max_t,
        .mask = UINT32_MAX,
    };
    bench_embree_occluded1(scene, &ray);
    hits[i].t = ray.tfar < 0 ? 0 : INFINITY;
    hits[i].triangle = MO_NO_TRIANGLE;
  }
}

static void trace(void *opaque, bench_mode mode, const bench_ray *rays, size_t count,
                  bench_hit *hits, bench_surface *surfaces) {
  const instance *self = opaque;
  unsigned control = bench_embree_flush_denormals();
  if (self->variant.packets) {
    bench_embree_trace_packets(self->scene, mode, rays, count, hits, surfaces);
  } else if (mode != BENCH_ANY) {
    trace_closest(self->scene, rays, count, hits, surfaces);
  } else {
    trace_any(self->scene, rays, count, hits);
  }
  bench_embree_restore_denormals(control);
}

#define ENGINE(label, ...)                                                                         \
  {                                                                                                \
    .id = {label, "Embree " RTC_VERSION_STRING}, .variant = &(const variant){__VA_ARGS__},         \
    .create = create, .destroy = destroy, .bytes = bytes, .trace = trace,                          \
  }

const bench_engine bench_embree_robust = ENGINE(EMBREE "-robust", .flags = RTC_SCENE_FLAG_ROBUST);
const bench_engine bench_embree_medium_quality =
    ENGINE(EMBREE "-medium", .flags = RTC_SCENE_FLAG_ROBUST, .medium = true);
const bench_engine bench_embree_fast = ENGINE(EMBREE "-fast", .flags = RTC_SCENE_FLAG_NONE);
const bench_engine bench_embree_robust_16 =
    ENGINE(EMBREE "-robust-16", .flags = RTC_SCENE_FLAG_ROBUST, .packets = true);
const bench_engine bench_embree_fast_16 =
    ENGINE(EMBREE "-fast-16", .flags = RTC_SCENE_FLAG_NONE, .packets = true);
