/* Embree on a deforming mesh: a dynamic scene, whose geometry is refitted or built anew. */
#include <math.h>
#include <stdlib.h>

#include "embree.h"
#include "refit.h"

typedef struct variant {
  enum RTCBuildQuality quality;
  enum RTCSceneFlags flags;
} variant;

typedef struct instance {
  RTCDevice device;
  RTCScene scene;
  RTCGeometry geometry;
} instance;

static void *create(const bench_refit_engine *engine, const bench_mesh *mesh) {
  const variant *v = engine->variant;
  instance *self = allocate(1, sizeof *self);
  self->device = bench_embree_device();
  self->geometry = bench_embree_triangles(self->device, mesh, v->quality);
  self->scene = rtcNewScene(self->device);
  rtcSetSceneFlags(self->scene, RTC_SCENE_FLAG_DYNAMIC | v->flags);
  rtcSetSceneBuildQuality(self->scene, RTC_BUILD_QUALITY_LOW);
  rtcAttachGeometry(self->scene, self->geometry);
  rtcCommitScene(self->scene);
  return self;
}

static void destroy(void *opaque) {
  instance *self = opaque;
  rtcReleaseGeometry(self->geometry);
  rtcReleaseScene(self->scene);
  rtcReleaseDevice(self->device);
  free(self);
}

static void update(void *opaque, bench_refit_report *report) {
  const instance *self = opaque;
  (void)report;
  rtcUpdateGeometryBuffer(self->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(self->geometry);
  rtcCommitScene(self->scene);
}

static void trace(void *opaque, const bench_ray *rays, size_t count, bench_hit *hits) {
  const instance *self = opaque;
  unsigned control = bench_embree_flush_denormals();
  for (size_t i = 0; i < count; i++) {
    struct RTCRayHit query = {
        .ray = {.org_x = rays[i].origin.x,
                .org_y = rays[i].origin.y,
                .org_z = rays[i].origin.z,
                .dir_x = rays[i].direction.x,
                .dir_y = rays[i].direction.y,
                .dir_z = rays[i].direction.z,
                .tfar = rays[i].max_t,
                .mask = UINT32_MAX},
        .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}},
    };
    bench_embree_intersect1(self->scene, &query);
    bool found = query.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    hits[i] =
        (bench_hit){found ? query.ray.tfar : INFINITY, found ? query.hit.primID : MO_NO_TRIANGLE};
  }
  bench_embree_restore_denormals(control);
}

#define ENGINE(label, build_quality, scene_flags)                                                  \
  {                                                                                                \
    .id = {label, "Embree " RTC_VERSION_STRING},                                                   \
    .variant = &(const variant){build_quality, scene_flags}, .create = create, .destroy = destroy, \
    .update = update, .trace = trace,                                                              \
  }

const bench_refit_engine bench_refit_embree_robust =
    ENGINE(EMBREE "-refit-robust", RTC_BUILD_QUALITY_REFIT, RTC_SCENE_FLAG_ROBUST);
const bench_refit_engine bench_refit_embree_fast =
    ENGINE(EMBREE "-refit-fast", RTC_BUILD_QUALITY_REFIT, RTC_SCENE_FLAG_NONE);
const bench_refit_engine bench_refit_embree_low =
    ENGINE(EMBREE "-low-robust", RTC_BUILD_QUALITY_LOW, RTC_SCENE_FLAG_ROBUST);
