/* Clouds of points for builders: any bits, or nearly on a plane, a line or a grid. */
#ifndef TEST_FUZZ_POINTS_H
#define TEST_FUZZ_POINTS_H

#include "fuzz/bytes.h"

typedef enum fuzz_cloud {
  FUZZ_CLOUD_RAW,    /* any bit pattern */
  FUZZ_CLOUD_SPACE,  /* coordinates */
  FUZZ_CLOUD_SHEET,  /* a plane through three points, rounded, now and then beside it */
  FUZZ_CLOUD_LINE,   /* a line through two points, as the plane above */
  FUZZ_CLOUD_SCALED, /* coordinates, each axis by a power of two */
  FUZZ_CLOUDS
} fuzz_cloud;

static inline float fuzz_nudged(fuzz_bytes *b, float x) {
  uint8_t kind = fuzz_byte(b);
  return kind < 200 ? x : nextafterf(x, kind % 2 == 0 ? INFINITY : -INFINITY);
}

static inline mo_vec3 fuzz_nudged_vec3(fuzz_bytes *b, mo_vec3 p) {
  if (fuzz_chance(b, 64)) {
    p.x = fuzz_nudged(b, p.x);
    p.y = fuzz_nudged(b, p.y);
    p.z = fuzz_nudged(b, p.z);
  }
  return p;
}

static inline mo_vec3 fuzz_combined(mo_vec3 a, mo_vec3 u, float s, mo_vec3 v, float t) {
  return (mo_vec3){a.x + s * u.x + t * v.x, a.y + s * u.y + t * v.y, a.z + s * u.z + t * v.z};
}

/* A tenth, so that combinations are rounded. */
static inline float fuzz_tenths(fuzz_bytes *b) {
  return (float)(int8_t)fuzz_byte(b) * 0.1f;
}

static inline void fuzz_points(fuzz_bytes *b, mo_vec3 *points, uint32_t count) {
  fuzz_cloud cloud = (fuzz_cloud)fuzz_below(b, FUZZ_CLOUDS);
  mo_vec3 a = {0}, u = {0}, v = {0};
  if (cloud == FUZZ_CLOUD_SHEET || cloud == FUZZ_CLOUD_LINE) {
    a = fuzz_vec3(b);
    u = fuzz_vec3(b);
    v = fuzz_vec3(b);
  } else if (cloud == FUZZ_CLOUD_SCALED) {
    a.x = ldexpf(1, (int8_t)fuzz_byte(b) % 110);
    a.y = ldexpf(1, (int8_t)fuzz_byte(b) % 110);
    a.z = ldexpf(1, (int8_t)fuzz_byte(b) % 110);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (cloud == FUZZ_CLOUD_RAW) {
      points[i] = fuzz_raw_vec3(b);
    } else if (cloud == FUZZ_CLOUD_SHEET || cloud == FUZZ_CLOUD_LINE) {
      float s = fuzz_tenths(b);
      float t = cloud == FUZZ_CLOUD_SHEET ? fuzz_tenths(b) : 0;
      points[i] = fuzz_nudged_vec3(b, fuzz_combined(a, u, s, v, t));
    } else {
      points[i] = fuzz_vec3(b);
    }
    if (cloud == FUZZ_CLOUD_SCALED) {
      points[i] = (mo_vec3){points[i].x * a.x, points[i].y * a.y, points[i].z * a.z};
    }
  }
}

/* The code for coordinates that no builder takes, and the first of them; MO_OK: there are none. */
static inline mo_result fuzz_points_refused(const mo_vec3 *points, uint32_t count, size_t *at) {
  for (uint32_t i = 0; i < count; i++) {
    const float c[3] = {points[i].x, points[i].y, points[i].z};
    *at = i;
    if (!isfinite(c[0]) || !isfinite(c[1]) || !isfinite(c[2])) {
      return MO_ERROR_NOT_FINITE;
    }
    if (fabsf(c[0]) > MO_MAX_COORDINATE || fabsf(c[1]) > MO_MAX_COORDINATE ||
        fabsf(c[2]) > MO_MAX_COORDINATE) {
      return MO_ERROR_OUT_OF_RANGE;
    }
  }
  return MO_OK;
}

#endif
