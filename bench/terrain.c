/* Noise that interpolates random numbers on a lattice (Perlin, "An image synthesizer", SIGGRAPH
 * 1985, in its simplest form), in five octaves, and cliffs where another noise crosses a level. */
#include "terrain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/random.h"
#include "text.h"

/* In metres: how far hills are apart and how high they are above the valleys. */
static const struct octave {
  float wavelength, height;
} octaves[] = {{230, 42}, {90, 16}, {31, 5}, {11, 1.2f}, {4, 0.25f}};

enum { OCTAVES = sizeof octaves / sizeof *octaves };

/* Cliffs climb this high over about this width. */
#define CLIFF_HEIGHT 18.0f
#define CLIFF_WIDTH 6.0f
#define CLIFF_WAVELENGTH 150.0f

/* From 0 to 1. */
static float lattice(uint64_t seed, int x, int z) {
  struct random_stream random = random_from_seed(seed ^ ((uint64_t)(uint32_t)x * 0x9e3779b1u) ^
                                                 ((uint64_t)(uint32_t)z << 32));
  random_u64(&random);
  return random_between(&random, 0, 1);
}

static float smooth(float t) {
  return t * t * t * (t * (6 * t - 15) + 10);
}

static float mix(float a, float b, float t) {
  return a + t * (b - a);
}

static float noise(uint64_t seed, float x, float z) {
  int i = (int)floorf(x), k = (int)floorf(z);
  float u = smooth(x - floorf(x)), v = smooth(z - floorf(z));
  return mix(mix(lattice(seed, i, k), lattice(seed, i + 1, k), u),
             mix(lattice(seed, i, k + 1), lattice(seed, i + 1, k + 1), u), v);
}

static float height_at(uint64_t seed, float x, float z) {
  float height = 0;
  for (uint64_t i = 0; i < OCTAVES; i++) {
    height +=
        octaves[i].height * noise(seed + i, x / octaves[i].wavelength, z / octaves[i].wavelength);
  }
  float level = noise(seed + OCTAVES, x / CLIFF_WAVELENGTH, z / CLIFF_WAVELENGTH) - 0.5f;
  float across = 0.5f + level * CLIFF_WAVELENGTH / CLIFF_WIDTH;
  return height + CLIFF_HEIGHT * smooth(fminf(fmaxf(across, 0), 1));
}

float bench_terrain_round(float height) {
  float levels = rintf(height / BENCH_HEIGHT_UNIT);
  return fminf(fmaxf(levels, 0), BENCH_HEIGHT_LEVELS) * BENCH_HEIGHT_UNIT;
}

static bench_terrain *allocate_terrain(uint32_t side) {
  bench_terrain *terrain = allocate(1, sizeof *terrain);
  terrain->side = side;
  terrain->heights = allocate((size_t)side * side, sizeof *terrain->heights);
  return terrain;
}

bench_terrain *bench_terrain_create(uint32_t side, uint64_t seed) {
  bench_terrain *terrain = allocate_terrain(side);
  for (uint32_t r = 0; r < side; r++) {
    for (uint32_t c = 0; c < side; c++) {
      terrain->heights[(size_t)r * side + c] =
          bench_terrain_round(height_at(seed, (float)c, (float)r));
    }
  }
  terrain->mesh = bench_terrain_triangles(terrain);
  return terrain;
}

bench_terrain *bench_terrain_copy(const bench_terrain *terrain) {
  bench_terrain *copy = allocate_terrain(terrain->side);
  memcpy(copy->heights, terrain->heights,
         (size_t)terrain->side * terrain->side * sizeof *copy->heights);
  return copy;
}

void bench_terrain_free(bench_terrain *terrain) {
  if (terrain->mesh != NULL) {
    bench_mesh_free(terrain->mesh);
  }
  free(terrain->heights);
  free(terrain);
}

bench_mesh *bench_terrain_triangles(const bench_terrain *terrain) {
  const uint32_t side = terrain->side, cells = side - 1;
  struct triangles t = {.vertex_count = side * side, .triangle_count = 2 * cells * cells};
  t.positions = allocate(t.vertex_count, sizeof *t.positions);
  t.indices = allocate(3 * (size_t)t.triangle_count, sizeof *t.indices);
  for (uint32_t i = 0; i < t.vertex_count; i++) {
    t.positions[i] = (mo_vec3){(float)(i % side), terrain->heights[i], (float)(i / side)};
  }
  uint32_t *to = t.indices;
  for (uint32_t r = 0; r < cells; r++) {
    for (uint32_t c = 0; c < cells; c++) {
      const uint32_t a = r * side + c, b = a + 1, d = a + side, e = d + 1;
      const uint32_t corners[6] = {a, d, b, e, b, d};
      memcpy(to, corners, sizeof corners);
      to += 6;
    }
  }
  return bench_mesh_of(t, bench_format("hills"));
}

void bench_terrain_edit(float *heights, uint32_t side, const bench_height_edit *edit) {
  for (uint32_t r = 0; r < edit->rows; r++) {
    memcpy(&heights[(size_t)(edit->row + r) * side + edit->column],
           &edit->heights[(size_t)r * edit->columns], edit->columns * sizeof *heights);
  }
}
