/* Rays for Embree in packets of sixteen, with the coherent flag, in the order given. */
#ifndef BENCH_EMBREE_PACKETS_H
#define BENCH_EMBREE_PACKETS_H

#include <math.h>
#include <stdalign.h>

#include "embree.h"
#include "engine.h"

/* Sixteen rays from `rays` on; those beyond `count` are off. */
static inline void bench_embree_fill_packet(const bench_ray *rays, size_t count,
                                            struct RTCRay16 *packet, int valid[16]) {
  for (size_t i = 0; i < 16; i++) {
    const bench_ray *ray = &rays[i < count ? i : 0];
    packet->org_x[i] = ray->origin.x;
    packet->org_y[i] = ray->origin.y;
    packet->org_z[i] = ray->origin.z;
    packet->dir_x[i] = ray->direction.x;
    packet->dir_y[i] = ray->direction.y;
    packet->dir_z[i] = ray->direction.z;
    packet->tfar[i] = ray->max_t;
    valid[i] = i < count ? -1 : 0;
  }
  for (size_t i = 0; i < 16; i++) {
    packet->tnear[i] = 0;
    packet->time[i] = 0;
    packet->mask[i] = UINT32_MAX;
    packet->id[i] = 0;
    packet->flags[i] = 0;
  }
}

/* `surfaces` may be null; Embree computes all of them anyway. */
static inline void bench_embree_closest_packets(RTCScene scene, const bench_ray *rays, size_t count,
                                                bench_hit *hits, bench_surface *surfaces) {
  for (size_t first = 0; first < count; first += 16) {
    size_t few = count - first < 16 ? count - first : 16;
    struct RTCRayHit16 packet;
    alignas(64) int valid[16];
    bench_embree_fill_packet(rays + first, few, &packet.ray, valid);
    for (size_t i = 0; i < 16; i++) {
      packet.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
      packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    bench_embree_intersect16(valid, scene, &packet);
    for (size_t i = 0; i < few; i++) {
      bool found = packet.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID;
      hits[first + i].t = found ? packet.ray.tfar[i] : INFINITY;
      hits[first + i].triangle = found ? packet.hit.primID[i] : MO_NO_TRIANGLE;
    }
    for (size_t i = 0; i < few && surfaces != NULL; i++) {
      surfaces[first + i] =
          (bench_surface){{packet.hit.u[i], packet.hit.v[i]},
                          {packet.hit.Ng_x[i], packet.hit.Ng_y[i], packet.hit.Ng_z[i]}};
    }
  }
}

static inline void bench_embree_any_packets(RTCScene scene, const bench_ray *rays, size_t count,
                                            bench_hit *hits) {
  for (size_t first = 0; first < count; first += 16) {
    size_t few = count - first < 16 ? count - first : 16;
    struct RTCRay16 packet;
    alignas(64) int valid[16];
    bench_embree_fill_packet(rays + first, few, &packet, valid);
    bench_embree_occluded16(valid, scene, &packet);
    for (size_t i = 0; i < few; i++) {
      hits[first + i].t = packet.tfar[i] < 0 ? 0 : INFINITY;
      hits[first + i].triangle = MO_NO_TRIANGLE;
    }
  }
}

static inline void bench_embree_trace_packets(RTCScene scene, bench_mode mode,
                                              const bench_ray *rays, size_t count, bench_hit *hits,
                                              bench_surface *surfaces) {
  if (mode != BENCH_ANY) {
    bench_embree_closest_packets(scene, rays, count, hits, surfaces);
  } else {
    bench_embree_any_packets(scene, rays, count, hits);
  }
}

#endif
