/* Trackers that reuse contacts, and grids of triangles. */
#ifndef TEST_CONTACT_REUSE_H
#define TEST_CONTACT_REUSE_H

#include <stdlib.h>
#include <string.h>

#include "contact/tracking.h"

static inline mo_contact_tracker *tracker_with(mo_scene *scene, float reuse_distance,
                                               bool keep_seams) {
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.keep_seams = keep_seams;
  def.reuse_distance = reuse_distance;
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  return tracker;
}

static inline mo_contact_tracker_stats stats_of(const mo_contact_tracker *tracker) {
  mo_contact_tracker_stats stats;
  cr_assert_eq(mo_contact_tracker_get_stats(tracker, &stats), MO_OK);
  return stats;
}

/* A mesh with edges of `side` by `side` vertices around the origin, in cells of a size, with
 * heights along y. */
static inline mo_mesh *make_grid(uint32_t side, float cell, float (*height)(float, float, void *),
                                 void *context) {
  float *positions = calloc((size_t)3 * side * side, sizeof *positions);
  uint32_t *indices = calloc((size_t)6 * side * side, sizeof *indices), count = 0;
  for (uint32_t i = 0; i < side * side; i++) {
    const float x = cell * ((float)(i % side) - 0.5f * (float)(side - 1)),
                z = cell * ((float)(i / side) - 0.5f * (float)(side - 1));
    positions[3 * (size_t)i] = x;
    positions[3 * (size_t)i + 1] = height(x, z, context);
    positions[3 * (size_t)i + 2] = z;
    if (i % side + 1 < side && i / side + 1 < side) {
      const uint32_t two[6] = {i, i + side, i + 1, i + 1, i + side, i + side + 1};
      memcpy(indices + count, two, sizeof two);
      count += 6;
    }
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.vertex_count = side * side;
  def.indices = indices;
  def.triangle_count = count / 3;
  def.build.edges = true;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  free(positions);
  free(indices);
  return mesh;
}

#endif
