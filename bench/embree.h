/* What all that runs Embree, version 4 or 3, has in common: a device of one thread whose errors end
 * the program, triangles, queries by either version, and how denormals are treated. */
#ifndef BENCH_EMBREE_H
#define BENCH_EMBREE_H

#ifdef BENCH_HAVE_EMBREE4
#include <embree4/rtcore.h>
#define EMBREE "embree4" /* names of engines begin with it */
#else
#include <embree3/rtcore.h>
#define EMBREE "embree3"
#endif

#include <stdlib.h>
#include <string.h>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "common/check.h"
#include "mesh_file.h"

static inline void bench_embree_watch_errors(void *context, enum RTCError code, const char *text) {
  (void)context;
  fail("embree: error %d: %s", (int)code, text);
}

/* Where MOTTE_ISA keeps Motte to AVX2, Embree is kept to it, too. */
static inline RTCDevice bench_embree_device(void) {
  const char *isa = getenv("MOTTE_ISA");
  RTCDevice device =
      rtcNewDevice(isa != NULL && strcmp(isa, "avx2") == 0 ? "threads=1,set_affinity=0,isa=avx2"
                                                           : "threads=1,set_affinity=0");
  if (device == NULL) {
    fail("embree: no device");
  }
  rtcSetDeviceErrorFunction(device, bench_embree_watch_errors, NULL);
  return device;
}

/* The triangles of a mesh, which must outlive them. */
static inline RTCGeometry bench_embree_triangles(RTCDevice device, const bench_mesh *mesh,
                                                 enum RTCBuildQuality quality) {
  const struct triangles *t = &mesh->triangles;
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, t->positions,
                             0, sizeof *t->positions, t->vertex_count);
  rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, t->indices, 0,
                             3 * sizeof *t->indices, t->triangle_count);
  rtcSetGeometryBuildQuality(geometry, quality);
  rtcCommitGeometry(geometry);
  return geometry;
}

/* Queries without filters. Those of sixteen rays have the coherent flag. */
#ifdef BENCH_HAVE_EMBREE4
static inline void bench_embree_intersect1(RTCScene scene, struct RTCRayHit *query) {
  rtcIntersect1(scene, query, NULL);
}

static inline void bench_embree_occluded1(RTCScene scene, struct RTCRay *ray) {
  rtcOccluded1(scene, ray, NULL);
}

static inline void bench_embree_intersect16(const int *valid, RTCScene scene,
                                            struct RTCRayHit16 *packet) {
  struct RTCIntersectArguments arguments;
  rtcInitIntersectArguments(&arguments);
  arguments.flags = RTC_RAY_QUERY_FLAG_COHERENT;
  rtcIntersect16(valid, scene, packet, &arguments);
}

static inline void bench_embree_occluded16(const int *valid, RTCScene scene,
                                           struct RTCRay16 *packet) {
  struct RTCOccludedArguments arguments;
  rtcInitOccludedArguments(&arguments);
  arguments.flags = RTC_RAY_QUERY_FLAG_COHERENT;
  rtcOccluded16(valid, scene, packet, &arguments);
}

/* Embree 4 has no streams. */
static inline void bench_embree_intersect_stream(RTCScene scene, struct RTCRayHit *queries,
                                                 unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    rtcIntersect1(scene, &queries[i], NULL);
  }
}
#else
static inline struct RTCIntersectContext bench_embree_context(enum RTCIntersectContextFlags flags) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = flags;
  return context;
}

static inline void bench_embree_intersect1(RTCScene scene, struct RTCRayHit *query) {
  struct RTCIntersectContext context = bench_embree_context(RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT);
  rtcIntersect1(scene, &context, query);
}

static inline void bench_embree_occluded1(RTCScene scene, struct RTCRay *ray) {
  struct RTCIntersectContext context = bench_embree_context(RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT);
  rtcOccluded1(scene, &context, ray);
}

static inline void bench_embree_intersect16(const int *valid, RTCScene scene,
                                            struct RTCRayHit16 *packet) {
  struct RTCIntersectContext context = bench_embree_context(RTC_INTERSECT_CONTEXT_FLAG_COHERENT);
  rtcIntersect16(valid, scene, &context, packet);
}

static inline void bench_embree_occluded16(const int *valid, RTCScene scene,
                                           struct RTCRay16 *packet) {
  struct RTCIntersectContext context = bench_embree_context(RTC_INTERSECT_CONTEXT_FLAG_COHERENT);
  rtcOccluded16(valid, scene, &context, packet);
}

static inline void bench_embree_intersect_stream(RTCScene scene, struct RTCRayHit *queries,
                                                 unsigned count) {
  struct RTCIntersectContext context = bench_embree_context(RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT);
  rtcIntersect1M(scene, &context, queries, count, sizeof *queries);
}
#endif

/* Embree's manual wants denormals flushed; Motte must not need it. Returns what they were
 * treated like, to be restored. */
static inline unsigned bench_embree_flush_denormals(void) {
#ifdef __SSE__
  unsigned control = _mm_getcsr();
  _mm_setcsr(control | 0x8040u); /* flush to zero, denormals are zero */
  return control;
#else
  return 0;
#endif
}

static inline void bench_embree_restore_denormals(unsigned control) {
#ifdef __SSE__
  _mm_setcsr(control);
#else
  (void)control;
#endif
}

#endif
