/* What all that runs Embree 3 has in common: a device of one thread whose errors end the program,
 * triangles, and how denormals are treated. */
#ifndef BENCH_EMBREE3_H
#define BENCH_EMBREE3_H

#include <embree3/rtcore.h>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "common/check.h"
#include "mesh_file.h"

static inline void bench_embree3_watch_errors(void *context, enum RTCError code, const char *text) {
  (void)context;
  fail("embree: error %d: %s", (int)code, text);
}

static inline RTCDevice bench_embree3_device(void) {
  RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
  if (device == NULL) {
    fail("embree: no device");
  }
  rtcSetDeviceErrorFunction(device, bench_embree3_watch_errors, NULL);
  return device;
}

/* The triangles of a mesh, which must outlive them. */
static inline RTCGeometry bench_embree3_triangles(RTCDevice device, const bench_mesh *mesh,
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

/* Embree's manual wants denormals flushed; Motte must not need it. Returns what they were
 * treated like, to be restored. */
static inline unsigned bench_embree3_flush_denormals(void) {
#ifdef __SSE__
  unsigned control = _mm_getcsr();
  _mm_setcsr(control | 0x8040u); /* flush to zero, denormals are zero */
  return control;
#else
  return 0;
#endif
}

static inline void bench_embree3_restore_denormals(unsigned control) {
#ifdef __SSE__
  _mm_setcsr(control);
#else
  (void)control;
#endif
}

#endif
