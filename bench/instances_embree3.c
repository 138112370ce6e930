/* Embree 3: instances of a scene in a dynamic scene, both robust. The mesh is built at high
 * quality, what is above it at the quality for scenes that change every frame, or at medium. */
#include <embree3/rtcore.h>
#include <math.h>
#include <stdlib.h>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "common/check.h"
#include "instances.h"

typedef struct world {
  RTCDevice device;
  RTCScene mesh, scene;
  RTCGeometry *instances;
  uint32_t count;
} world;

static void watch_errors(void *context, enum RTCError code, const char *text) {
  (void)context;
  fail("embree: error %d: %s", (int)code, text);
}

static void build_mesh(world *self, const bench_mesh *mesh) {
  RTCGeometry geometry = rtcNewGeometry(self->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  const struct triangles *source = &mesh->triangles;
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                             source->positions, 0, sizeof *source->positions, source->vertex_count);
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, source->indices,
                             0, 3 * sizeof *source->indices, source->triangle_count);
  rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_HIGH);
  rtcCommitGeometry(geometry);
  self->mesh = rtcNewScene(self->device);
  rtcSetSceneBuildQuality(self->mesh, RTC_BUILD_QUALITY_HIGH);
  rtcSetSceneFlags(self->mesh, RTC_SCENE_FLAG_ROBUST);
  rtcAttachGeometry(self->mesh, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(self->mesh);
}

/* A mo_transform is Embree's column-major 3x4 matrix. */
static void update(void *opaque, const mo_transform *transforms) {
  world *self = opaque;
  for (uint32_t i = 0; i < self->count; i++) {
    rtcSetGeometryTransform(self->instances[i], 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR,
                            &transforms[i]);
    rtcCommitGeometry(self->instances[i]);
  }
  rtcCommitScene(self->scene);
}

static void *create(const bench_instancer *engine, const bench_mesh *mesh,
                    const mo_transform *transforms, uint32_t count) {
  world *self = allocate(1, sizeof *self);
  self->count = count;
  self->device = rtcNewDevice("threads=1,set_affinity=0");
  if (self->device == NULL) {
    fail("embree: no device");
  }
  rtcSetDeviceErrorFunction(self->device, watch_errors, NULL);
  build_mesh(self, mesh);
  self->scene = rtcNewScene(self->device);
  rtcSetSceneBuildQuality(self->scene, *(const enum RTCBuildQuality *)engine->variant);
  rtcSetSceneFlags(self->scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC);
  self->instances = allocate(count, sizeof *self->instances);
  for (uint32_t i = 0; i < count; i++) {
    RTCGeometry instance = rtcNewGeometry(self->device, RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(instance, self->mesh);
    rtcAttachGeometry(self->scene, instance);
    self->instances[i] = instance;
  }
  update(self, transforms);
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  for (uint32_t i = 0; i < self->count; i++) {
    rtcReleaseGeometry(self->instances[i]);
  }
  rtcReleaseScene(self->scene);
  rtcReleaseScene(self->mesh);
  rtcReleaseDevice(self->device);
  free(self->instances);
  free(self);
}

static struct RTCRay ray_of(const bench_ray *ray) {
  return (struct RTCRay){
      .org_x = ray->origin.x,
      .org_y = ray->origin.y,
      .org_z = ray->origin.z,
      .dir_x = ray->direction.x,
      .dir_y = ray->direction.y,
      .dir_z = ray->direction.z,
      .tfar = ray->max_t,
      .mask = UINT32_MAX,
  };
}

static void trace_all(const world *self, bench_mode mode, const bench_ray *rays, size_t count,
                      bench_hit *hits) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  for (size_t i = 0; i < count; i++) {
    if (mode == BENCH_CLOSEST) {
      struct RTCRayHit query;
      query.ray = ray_of(&rays[i]);
      query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
      query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
      rtcIntersect1(self->scene, &context, &query);
      hits[i].t = query.hit.geomID != RTC_INVALID_GEOMETRY_ID ? query.ray.tfar : INFINITY;
    } else {
      struct RTCRay ray = ray_of(&rays[i]);
      rtcOccluded1(self->scene, &context, &ray);
      hits[i].t = ray.tfar < 0 ? 0 : INFINITY;
    }
  }
}

/* Embree's manual asks for denormals to be flushed; Motte must not need it. */
static void trace(void *opaque, bench_mode mode, const bench_ray *rays, size_t count,
                  bench_hit *hits) {
#ifdef __SSE__
  unsigned control = _mm_getcsr();
  _mm_setcsr(control | 0x8040u); /* flush to zero, denormals are zero */
#endif
  trace_all(opaque, mode, rays, count, hits);
#ifdef __SSE__
  _mm_setcsr(control);
#endif
}

#define ENGINE(label, quality)                                                                     \
  {                                                                                                \
    .name = label, .peer_version = "Embree " RTC_VERSION_STRING,                                   \
    .variant = &(const enum RTCBuildQuality){quality}, .create = create, .destroy = destroy,       \
    .update = update, .trace = trace,                                                              \
  }

const bench_instancer bench_embree3_low = ENGINE("embree3-dynamic", RTC_BUILD_QUALITY_LOW);
const bench_instancer bench_embree3_medium = ENGINE("embree3-medium", RTC_BUILD_QUALITY_MEDIUM);
