/* Batches of rays for tests: bundles that go together, and ones that do not, in layouts of every
 * kind; and the comparison with one ray at a time. */
#ifndef TEST_BATCHES_H
#define TEST_BATCHES_H

#include <motte/batch.h>

#include "support/samples.h"

typedef enum test_bundle {
  TEST_BUNDLE_MIXED,    /* of any kind, the ugly ones of samples.h among them */
  TEST_BUNDLE_PICTURE,  /* from one eye, row by row, at a region */
  TEST_BUNDLE_CLOSE_UP, /* the same, at one triangle */
  TEST_BUNDLE_BEAM,     /* parallel, some along an axis exactly */
  TEST_BUNDLE_SHADOWS,  /* from points of a region to one light */
  TEST_BUNDLE_EQUAL,    /* the same ray again and again */
  TEST_BUNDLE_PATCHES,  /* some of each, one after the other */
  TEST_BUNDLE_KIND_COUNT,
} test_bundle;

const char *test_bundle_name(test_bundle kind);

/* Rays one by one, and the same as the caller's arrays. `def` points into `memory`. */
typedef struct test_batch {
  test_bundle kind;
  size_t count;
  mo_ray_def *rays;
  mo_vec3 *ends; /* of segments */
  bool segments;
  mo_batch_def def;
  unsigned char *memory[4];
  unsigned char *scratch;
} test_batch;

/* `options` hold for all rays; each may get a range of its own. */
void test_batch_make(test_batch *batch, test_bundle kind, size_t count, bool segments,
                     const mo_ray_def *options, const sample_target *target, rng *r);
void test_batch_free(test_batch *batch);

/* A def for rays one after the other in memory: origins, directions and both ends of the ranges. */
mo_batch_def test_batch_def_of(const mo_ray_def *rays, size_t count);

/* Casts and tests the batch, outputs in random layouts, and compares with the single queries. What
 * differs is in check_why. */
bool check_mesh_batch(const mo_mesh *mesh, const test_batch *batch, rng *r);
bool check_scene_batch(const mo_scene *scene, const test_batch *batch, rng *r);

#endif
