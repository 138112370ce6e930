/* Bent grounds of all kinds for tests of contacts: open ones, over which there is free space, and
 * others. Edges are about as long as `spacing`. */
#ifndef TEST_CONTACT_GROUNDS_H
#define TEST_CONTACT_GROUNDS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/meshes.h"
#include "support/steady.h"

typedef struct ground {
  char name[64];
  test_mesh mesh;
  mo_transform map;
  mo_vec3 up;                  /* world, unit */
  bool open;                   /* a graph of heights along `up`, maybe with vertical steps */
  float mesh_spacing, spacing; /* length of edges in the mesh's own frame, and in the world */
} ground;

#define GROUND_KINDS(X)                                                                            \
  X(RIDGE, "descending ridge")                                                                     \
  X(VALLEY, "descending valley")                                                                   \
  X(HEIGHTS, "random heights")                                                                     \
  X(SADDLE, "saddle")                                                                              \
  X(SUMMIT, "summit")                                                                              \
  X(WAVES, "waves")                                                                                \
  X(TERRACES, "terraces")                                                                          \
  X(CRESTS, "crests")                                                                              \
  X(FEW, "a few triangles")                                                                        \
  X(FAN, "fan")                                                                                    \
  X(STAIRS, "stairs")                                                                              \
  X(BLOCKS, "blocks on a floor")                                                                   \
  X(BALL, "ball")                                                                                  \
  X(TORUS, "torus")                                                                                \
  X(IRREGULAR, "irregular ball")                                                                   \
  X(SPIKES, "spikes")                                                                              \
  X(BOX, "box")

typedef enum ground_kind {
#define GROUND_ENUM(name, text) GROUND_##name,
  GROUND_KINDS(GROUND_ENUM)
#undef GROUND_ENUM
      GROUND_KIND_COUNT,
} ground_kind;

enum { GROUND_CELLS = 14 };

static inline float ground_height(ground_kind kind, float x, float z, float rise, float slope,
                                  rng *r) {
  switch (kind) {
  case GROUND_RIDGE:
    return -slope * x - rise * fabsf(z);
  case GROUND_VALLEY:
    return -slope * x + rise * fabsf(z);
  case GROUND_SADDLE:
    return 0.2f * rise * (x * x - z * z);
  case GROUND_SUMMIT:
    return -rise * sqrtf(x * x + z * z);
  case GROUND_WAVES:
    return rise * (steady_sine(1.1f * x + 0.3f * z) + steady_cosine(0.9f * z));
  case GROUND_TERRACES:
    return rise * floorf(0.4f * x + 0.2f * z);
  case GROUND_CRESTS:
    return -slope * x - rise * fabsf(z - floorf(z / 4) * 4 - 2);
  default:
    return rng_float(r, -rise, rise);
  }
}

static inline void ground_add(test_mesh *mesh, mo_vec3 a, mo_vec3 b, mo_vec3 c, bool flipped) {
  test_mesh_add_corners(mesh, flipped ? b : a, flipped ? a : b, c);
}

/* Whether three points are in counter-clockwise order, as seen from above. */
static inline bool seen_from_above(mo_vec3 a, mo_vec3 b, mo_vec3 c) {
  return (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z) > 0;
}

/* A grid of heights; vertices off their places and any diagonals, or not; any windings, or one. */
static inline test_mesh ground_grid(ground_kind kind, rng *r) {
  static const float rises[] = {0.005f, 0.03f, 0.1f, 0.3f, 1};
  const float rise = rises[rng_below(r, 5)], slope = rises[rng_below(r, 5)];
  const bool regular = rng_chance(r, 0.3), one_winding = rng_chance(r, 0.5);
  static mo_vec3 at[GROUND_CELLS + 1][GROUND_CELLS + 1];
  test_mesh mesh = {0};
  for (int i = 0; i <= GROUND_CELLS; i++) {
    for (int k = 0; k <= GROUND_CELLS; k++) {
      float off = regular ? 0 : 0.35f;
      float x = (float)i - 0.5f * GROUND_CELLS + rng_float(r, -off, off);
      float z =
          (float)k - 0.5f * GROUND_CELLS + (k == GROUND_CELLS / 2 ? 0 : rng_float(r, -off, off));
      at[i][k] = mo_vec(x, ground_height(kind, x, z, rise, slope, r), z);
    }
  }
  for (int i = 0; i < GROUND_CELLS; i++) {
    for (int k = 0; k < GROUND_CELLS; k++) {
      mo_vec3 c[4] = {at[i][k], at[i][k + 1], at[i + 1][k + 1], at[i + 1][k]};
      int first = regular ? 0 : (int)rng_below(r, 2);
      /* The ground stays a graph of heights: only one diagonal of a concave cell is inside it. */
      if (!seen_from_above(c[first], c[first + 1], c[first + 2]) ||
          !seen_from_above(c[first], c[first + 2], c[(first + 3) % 4])) {
        first = 1 - first;
      }
      for (int half = 0; half < 2; half++) {
        ground_add(&mesh, c[first], c[(first + 1 + half) % 4], c[(first + 2 + half) % 4],
                   !one_winding && rng_chance(r, 0.5));
      }
    }
  }
  return mesh;
}

/* Two to six triangles round one edge or vertex. */
static inline test_mesh ground_few(rng *r) {
  test_mesh mesh = {0};
  const float rise = rng_chance(r, 0.5) ? 0.1f : 0.6f;
  uint32_t count = 2 + rng_below(r, 5);
  mo_vec3 last = {0, 0, 0};
  for (uint32_t i = 0; i <= count; i++) {
    float angle = 6.2831853f / 7 * ((float)i + rng_float(r, -0.3f, 0.3f));
    float radius = rng_float(r, 0.5f, 1.5f);
    mo_vec3 next = {radius * steady_cosine(angle), rng_float(r, -rise, rise),
                    radius * steady_sine(angle)};
    if (i > 0) {
      ground_add(&mesh, mo_vec(0, 0, 0), next, last, rng_chance(r, 0.3));
    }
    last = next;
  }
  return mesh;
}

/* A peak, or a pit, of many triangles. */
static inline test_mesh ground_fan(rng *r) {
  test_mesh mesh = {0};
  const float rise = rng_float(r, -0.8f, 0.8f);
  uint32_t count = 5 + rng_below(r, 40);
  mo_vec3 first = {1, rise, 0}, last = first;
  for (uint32_t i = 1; i <= count; i++) {
    float angle = 6.2831853f * (float)i / (float)count;
    mo_vec3 next = {steady_cosine(angle), rise + rng_float(r, -0.1f, 0.1f), steady_sine(angle)};
    next = i == count ? first : next;
    ground_add(&mesh, mo_vec(0, 0, 0), next, last, false);
    last = next;
  }
  return mesh;
}

static inline void ground_quad(test_mesh *mesh, mo_vec3 a, mo_vec3 b, mo_vec3 c, mo_vec3 d,
                               rng *r) {
  mo_vec3 q[4] = {a, b, c, d};
  int first = (int)rng_below(r, 2);
  for (int half = 0; half < 2; half++) {
    ground_add(mesh, q[first], q[(first + 1 + half) % 4], q[(first + 2 + half) % 4], false);
  }
}

/* Treads and vertical risers, ascending along x. */
static inline test_mesh ground_stairs(rng *r) {
  test_mesh mesh = {0};
  const float rise = rng_float(r, 0.05f, 0.8f);
  for (int i = 0; i < 8; i++) {
    float x = (float)i - 4, y = rise * ((float)i - 4), next = rise * ((float)i - 3);
    for (int k = 0; k < 8; k++) {
      float z = (float)k - 4;
      ground_quad(&mesh, mo_vec(x, y, z), mo_vec(x, y, z + 1), mo_vec(x + 1, y, z + 1),
                  mo_vec(x + 1, y, z), r);
      ground_quad(&mesh, mo_vec(x + 1, y, z), mo_vec(x + 1, y, z + 1), mo_vec(x + 1, next, z + 1),
                  mo_vec(x + 1, next, z), r);
    }
  }
  return mesh;
}

/* Tops and sides of blocks; the floor has holes below them. */
static inline test_mesh ground_blocks(rng *r) {
  test_mesh mesh = {0};
  static float height[12][12];
  for (int i = 0; i < 12; i++) {
    for (int k = 0; k < 12; k++) {
      bool inside = i > 0 && k > 0 && i < 11 && k < 11;
      height[i][k] = inside && rng_chance(r, 0.4) ? rng_float(r, 0.05f, 1.5f) : 0;
    }
  }
  for (int i = 0; i < 12; i++) {
    for (int k = 0; k < 12; k++) {
      float x = (float)i - 6, z = (float)k - 6, y = height[i][k];
      ground_quad(&mesh, mo_vec(x, y, z), mo_vec(x, y, z + 1), mo_vec(x + 1, y, z + 1),
                  mo_vec(x + 1, y, z), r);
      if (i < 11 && height[i + 1][k] != y) {
        float other = height[i + 1][k];
        ground_quad(&mesh, mo_vec(x + 1, y, z), mo_vec(x + 1, y, z + 1),
                    mo_vec(x + 1, other, z + 1), mo_vec(x + 1, other, z), r);
      }
      if (k < 11 && height[i][k + 1] != y) {
        float other = height[i][k + 1];
        ground_quad(&mesh, mo_vec(x, y, z + 1), mo_vec(x, other, z + 1),
                    mo_vec(x + 1, other, z + 1), mo_vec(x + 1, y, z + 1), r);
      }
    }
  }
  return mesh;
}

/* Corners at the same place become one vertex; degenerate triangles go. */
static inline void ground_weld(test_mesh *mesh) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
    for (uint32_t k = 0; k < mesh->indices[i]; k++) {
      if (memcmp(&mesh->positions[k], &mesh->positions[mesh->indices[i]], sizeof(mo_vec3)) == 0) {
        mesh->indices[i] = k;
      }
    }
  }
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    const uint32_t *t = &mesh->indices[3 * i];
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) {
      memmove(&mesh->indices[3 * kept++], t, 3 * sizeof *t);
    }
  }
  mesh->triangle_count = kept;
}

static inline mo_vec3 ground_scaled(mo_vec3 v, float s) {
  return mo_vec(s * v.x, s * v.y, s * v.z);
}

/* The usual way, mirrored, scaled differently along the axes, rotated, or several of these. */
static inline mo_transform ground_map(rng *r, float *scale) {
  mo_transform map = mo_transform_identity();
  *scale = 1;
  if (rng_chance(r, 0.4)) {
    return map;
  }
  if (rng_chance(r, 0.4)) {
    map = mo_transform_make(rng_vec3(r, -50, 50), rng_rotation(r), mo_vec(1, 1, 1));
  }
  if (rng_chance(r, 0.4)) {
    float x = rng_float(r, 0.4f, 2), y = rng_float(r, 0.4f, 2), z = rng_float(r, 0.4f, 2);
    map.x_axis = ground_scaled(map.x_axis, x);
    map.y_axis = ground_scaled(map.y_axis, y);
    map.z_axis = ground_scaled(map.z_axis, z);
    *scale = steady_cube_root(x * y * z);
  }
  if (rng_chance(r, 0.4)) {
    map.x_axis = ground_scaled(map.x_axis, -1);
  }
  return map;
}

static inline const char *ground_kind_name(ground_kind kind) {
  static const char *const names[] = {
#define GROUND_NAME(name, text) text,
      GROUND_KINDS(GROUND_NAME)
#undef GROUND_NAME
  };
  return names[kind];
}

static inline test_mesh ground_mesh(ground_kind kind, rng *r, float *spacing) {
  *spacing = 1;
  switch (kind) {
  case GROUND_FEW:
    return ground_few(r);
  case GROUND_FAN:
    return ground_fan(r);
  case GROUND_STAIRS:
    return ground_stairs(r);
  case GROUND_BLOCKS:
    return ground_blocks(r);
  case GROUND_BALL:
    *spacing = 0.3f;
    return test_mesh_make(TEST_MESH_SPHERE, 300, r);
  case GROUND_TORUS:
    *spacing = 0.3f;
    return test_mesh_make(TEST_MESH_TORUS, 500, r);
  case GROUND_IRREGULAR:
    *spacing = 0.3f;
    return test_mesh_make(TEST_MESH_IRREGULAR, 400, r);
  case GROUND_SPIKES:
    *spacing = 0.5f;
    return test_mesh_make(TEST_MESH_SPIKES, 300, r);
  case GROUND_BOX:
    *spacing = 0.3f;
    return test_mesh_make(TEST_MESH_BOX, 300, r);
  default:
    return ground_grid(kind, r);
  }
}

static inline ground ground_make(ground_kind kind, rng *r) {
  ground g = {.open = kind < GROUND_BALL};
  float scale;
  snprintf(g.name, sizeof g.name, "%s", ground_kind_name(kind));
  g.mesh = ground_mesh(kind, r, &g.mesh_spacing);
  if (g.open) {
    ground_weld(&g.mesh);
  }
  g.map = ground_map(r, &scale);
  g.spacing = g.mesh_spacing * scale;
  float length = sqrtf(g.map.y_axis.x * g.map.y_axis.x + g.map.y_axis.y * g.map.y_axis.y +
                       g.map.y_axis.z * g.map.y_axis.z);
  g.up = ground_scaled(g.map.y_axis, 1 / length);
  return g;
}

#endif
