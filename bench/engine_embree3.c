/* Embree 3: high-quality build (split references), one thread, single rays. "robust" avoids
 * optimisations that reduce arithmetic accuracy and closes edges; "fast" is its default. */
#include <embree3/rtcore.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "common/check.h"
#include "engine.h"
#include "timing.h"

typedef struct instance {
  RTCDevice device;
  RTCScene scene;
  atomic_llong bytes; /* as Embree itself reports what it takes and gives back */
} instance;

static bool watch_memory(void *context, ssize_t bytes, bool after) {
  (void)after;
  atomic_fetch_add(&((instance *)context)->bytes, bytes);
  return true;
}

static void watch_errors(void *context, enum RTCError code, const char *text) {
  (void)context;
  fail("embree: error %d: %s", (int)code, text);
}

static void *create(const bench_engine *engine, const bench_mesh *mesh, double *build_seconds) {
  instance *self = allocate(1, sizeof *self);
  self->device = rtcNewDevice("threads=1,set_affinity=0");
  if (self->device == NULL) {
    fail("embree: no device");
  }
  rtcSetDeviceErrorFunction(self->device, watch_errors, NULL);
  rtcSetDeviceMemoryMonitorFunction(self->device, watch_memory, self);

  RTCGeometry geometry = rtcNewGeometry(self->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  const struct triangles *source = &mesh->triangles;
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                             source->positions, 0, sizeof *source->positions, source->vertex_count);
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, source->indices,
                             0, 3 * sizeof *source->indices, source->triangle_count);
  rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_HIGH);
  rtcCommitGeometry(geometry);

  self->scene = rtcNewScene(self->device);
  rtcSetSceneBuildQuality(self->scene, RTC_BUILD_QUALITY_HIGH);
  rtcSetSceneFlags(self->scene, *(const enum RTCSceneFlags *)engine->variant);
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

static void trace_closest(RTCScene scene, const bench_ray *rays, size_t count, bench_hit *hits) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
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
    rtcIntersect1(scene, &context, &query);
    bool found = query.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    hits[i].t = found ? query.ray.tfar : INFINITY;
    hits[i].triangle = found ? query.hit.primID : MO_NO_TRIANGLE;
  }
}

static void trace_any(RTCScene scene, const bench_ray *rays, size_t count, bench_hit *hits) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
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
    rtcOccluded1(scene, &context, &ray);
    hits[i].t = ray.tfar < 0 ? 0 : INFINITY;
    hits[i].triangle = MO_NO_TRIANGLE;
  }
}

/* Embree's manual asks for denormals to be flushed; Motte must not need it. */
static void trace(void *opaque, bench_mode mode, const bench_ray *rays, size_t count,
                  bench_hit *hits) {
  const instance *self = opaque;
#ifdef __SSE__
  unsigned control = _mm_getcsr();
  _mm_setcsr(control | 0x8040u); /* flush to zero, denormals are zero */
#endif
  if (mode == BENCH_CLOSEST) {
    trace_closest(self->scene, rays, count, hits);
  } else {
    trace_any(self->scene, rays, count, hits);
  }
#ifdef __SSE__
  _mm_setcsr(control);
#endif
}

#define ENGINE(label, scene_flags)                                                                 \
  {                                                                                                \
    .name = label, .peer_version = "Embree " RTC_VERSION_STRING,                                   \
    .variant = &(const enum RTCSceneFlags){scene_flags}, .create = create, .destroy = destroy,     \
    .bytes = bytes, .trace = trace,                                                                \
  }

const bench_engine bench_embree3_robust = ENGINE("embree3-robust", RTC_SCENE_FLAG_ROBUST);
const bench_engine bench_embree3_fast = ENGINE("embree3-fast", RTC_SCENE_FLAG_NONE);
