/* Embree: instances of a scene in a dynamic scene, both robust. The mesh is built at high
 * quality, what is above it at the quality for scenes that change every frame, or at medium. */
#include <math.h>
#include <stdlib.h>

#include "embree_packets.h"
#include "instances.h"

enum { STREAM = 256 }; /* rays */

typedef struct mesh {
  RTCGeometry geometry;
  RTCScene scene;
} mesh;

typedef struct world {
  RTCDevice device;
  RTCScene scene;
  mesh *meshes;
  uint32_t mesh_count;
  RTCGeometry *instances; /* ends with a null pointer */
} world;

/* What deforms is refitted. */
static mesh build_mesh(const world *self, const bench_mesh *from, bool deforms) {
  enum RTCBuildQuality quality = deforms ? RTC_BUILD_QUALITY_REFIT : RTC_BUILD_QUALITY_HIGH;
  mesh to = {.geometry = bench_embree_triangles(self->device, from, quality),
             .scene = rtcNewScene(self->device)};
  rtcSetSceneBuildQuality(to.scene, deforms ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_HIGH);
  rtcSetSceneFlags(to.scene, RTC_SCENE_FLAG_ROBUST |
                                 (deforms ? RTC_SCENE_FLAG_DYNAMIC : RTC_SCENE_FLAG_NONE));
  rtcAttachGeometry(to.scene, to.geometry);
  return to;
}

/* A mo_transform is Embree's column-major 3x4 matrix. Vertices are the caller's, which has changed
 * them. */
static void update(void *opaque, const bench_instances *instances) {
  world *self = opaque;
  for (uint32_t i = 0; i < self->mesh_count; i++) {
    if (instances->deforms[i]) {
      rtcUpdateGeometryBuffer(self->meshes[i].geometry, RTC_BUFFER_TYPE_VERTEX, 0);
      rtcCommitGeometry(self->meshes[i].geometry);
      rtcCommitScene(self->meshes[i].scene);
    }
  }
  for (uint32_t i = 0; i < instances->count; i++) {
    rtcSetGeometryTransform(self->instances[i], 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR,
                            &instances->transforms[i]);
    rtcCommitGeometry(self->instances[i]);
  }
  rtcCommitScene(self->scene);
}

static void *create(const bench_instancer *engine, const bench_instances *instances) {
  world *self = allocate(1, sizeof *self);
  self->device = bench_embree_device();
  self->mesh_count = instances->mesh_count;
  self->meshes = allocate(self->mesh_count, sizeof *self->meshes);
  for (uint32_t i = 0; i < self->mesh_count; i++) {
    self->meshes[i] = build_mesh(self, instances->meshes[i], instances->deforms[i]);
    rtcCommitScene(self->meshes[i].scene);
  }
  self->scene = rtcNewScene(self->device);
  rtcSetSceneBuildQuality(self->scene, *(const enum RTCBuildQuality *)engine->variant);
  rtcSetSceneFlags(self->scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC);
  self->instances = allocate(instances->count + 1, sizeof *self->instances);
  for (uint32_t i = 0; i < instances->count; i++) {
    RTCGeometry instance = rtcNewGeometry(self->device, RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(instance, self->meshes[instances->mesh_of[i]].scene);
    rtcAttachGeometry(self->scene, instance);
    self->instances[i] = instance;
  }
  update(self, instances);
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  for (uint32_t i = 0; self->instances[i] != NULL; i++) {
    rtcReleaseGeometry(self->instances[i]);
  }
  rtcReleaseScene(self->scene);
  for (uint32_t i = 0; i < self->mesh_count; i++) {
    rtcReleaseGeometry(self->meshes[i].geometry);
    rtcReleaseScene(self->meshes[i].scene);
  }
  rtcReleaseDevice(self->device);
  free(self->meshes);
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
  for (size_t i = 0; i < count; i++) {
    if (mode == BENCH_CLOSEST) {
      struct RTCRayHit query;
      query.ray = ray_of(&rays[i]);
      query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
      query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
      bench_embree_intersect1(self->scene, &query);
      hits[i].t = query.hit.geomID != RTC_INVALID_GEOMETRY_ID ? query.ray.tfar : INFINITY;
    } else {
      struct RTCRay ray = ray_of(&rays[i]);
      bench_embree_occluded1(self->scene, &ray);
      hits[i].t = ray.tfar < 0 ? 0 : INFINITY;
    }
  }
}

/* Embree's manual wants denormals flushed; Motte must not need it. */
static void trace(void *opaque, bench_mode mode, const bench_ray *rays, size_t count,
                  bench_hit *hits) {
  unsigned control = bench_embree_flush_denormals();
  trace_all(opaque, mode, rays, count, hits);
  bench_embree_restore_denormals(control);
}

static void trace_together(void *opaque, bench_mode mode, const bench_ray *rays, size_t count,
                           bench_hit *hits) {
  const world *self = opaque;
  unsigned control = bench_embree_flush_denormals();
  bench_embree_trace_packets(self->scene, mode, rays, count, hits, NULL);
  bench_embree_restore_denormals(control);
}

/* As a stream, without the coherent flag. Filling it in and reading it is timed as it is for single
 * rays. */
static void trace_batch(void *opaque, const bench_ray *rays, size_t count, bench_hit *hits) {
  const world *self = opaque;
  unsigned control = bench_embree_flush_denormals();
  for (size_t first = 0; first < count; first += STREAM) {
    size_t few = count - first < STREAM ? count - first : STREAM;
    struct RTCRayHit queries[STREAM];
    for (size_t i = 0; i < few; i++) {
      queries[i].ray = ray_of(&rays[first + i]);
      queries[i].hit.geomID = RTC_INVALID_GEOMETRY_ID;
      queries[i].hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    }
    bench_embree_intersect_stream(self->scene, queries, (unsigned)few);
    for (size_t i = 0; i < few; i++) {
      bool found = queries[i].hit.geomID != RTC_INVALID_GEOMETRY_ID;
      hits[first + i].t = found ? queries[i].ray.tfar : INFINITY;
    }
  }
  bench_embree_restore_denormals(control);
}

#define ENGINE(label, quality)                                                                     \
  {                                                                                                \
    .id = {label, "Embree " RTC_VERSION_STRING},                                                   \
    .variant = &(const enum RTCBuildQuality){quality}, .create = create, .destroy = destroy,       \
    .update = update, .trace = trace, .trace_together = trace_together,                            \
    .trace_batch = trace_batch,                                                                    \
  }

const bench_instancer bench_embree_low = ENGINE(EMBREE "-dynamic", RTC_BUILD_QUALITY_LOW);
const bench_instancer bench_embree_medium = ENGINE(EMBREE "-medium", RTC_BUILD_QUALITY_MEDIUM);
