/* Clouds of points for hulls, and what a hull of them must be. */
#ifndef TEST_GEOMETRY_HULL_CLOUDS_H
#define TEST_GEOMETRY_HULL_CLOUDS_H

#include <motte/hull.h>

#include "support/rng.h"

typedef enum cloud_kind {
  CLOUD_BALL,
  CLOUD_SPHERE,       /* rounded to floats */
  CLOUD_CUBE_FACES,   /* exactly on six faces, corners included */
  CLOUD_LATTICE,      /* few whole numbers: duplicates, points on lines and in planes */
  CLOUD_WIDE_LATTICE, /* whole numbers up to 2^20 */
  CLOUD_SLAB,         /* one ulp thick */
  CLOUD_FLAT,         /* in an oblique plane, exactly */
  CLOUD_CYLINDER,     /* two circles */
  CLOUD_FAR,          /* a ball 1e6 away */
  CLOUD_DENORMAL,
  CLOUD_EXPONENTS, /* magnitudes from 1e-30 to 1e30 */
  CLOUD_NEEDLE,    /* 1 to 1e6 */
  CLOUD_KINDS
} cloud_kind;

const char *cloud_name(cloud_kind kind);

/* Points of a kind; they may have no volume by chance where there are few. */
void cloud_fill(cloud_kind kind, mo_vec3 *points, uint32_t count, rng *r);

/* A def of some points with a host of its own. */
mo_hull_def cloud_def(const mo_vec3 *points, uint32_t count);

/* Whether a point lies in a hull that is not flat, exactly, by a loop over its faces. */
bool cloud_is_inside(const mo_hull *hull, mo_vec3 point);

/* A hash of all that can be read of a hull. */
uint64_t cloud_hull_hash(const mo_hull *hull);

#endif
