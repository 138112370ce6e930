/* Hills that are made of noise, as heights on a grid, and as the triangles between these. */
#ifndef BENCH_TERRAIN_H
#define BENCH_TERRAIN_H

#include "mesh_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Heights are whole multiples of this, in metres, so that engines that store 16 bits a sample store
 * them without rounding. */
#define BENCH_HEIGHT_UNIT 0x1p-9f

/* The greatest height that engines reserve, as a multiple. */
enum { BENCH_HEIGHT_LEVELS = 65534 };

/* `side` times `side` samples, a metre apart. Row r, column c is at x = c, z = r, y is up. Cells
 * are split from the corner at the upper x and lower z to that at the lower x and upper z. */
typedef struct bench_terrain {
  uint32_t side;
  float *heights;   /* row by row */
  bench_mesh *mesh; /* the triangles between the samples; may be null */
} bench_terrain;

/* What an engine makes a height field of. */
typedef struct bench_ground {
  const bench_terrain *terrain;
  uint32_t bits; /* of a sample, for engines that have a choice; 0: their default */
} bench_ground;

/* New heights of a region. `columns`, `rows` and where it begins are even. */
typedef struct bench_height_edit {
  uint32_t column, row, columns, rows;
  float *heights; /* row by row, without gaps */
} bench_height_edit;

bench_terrain *bench_terrain_create(uint32_t side, uint64_t seed);
bench_terrain *bench_terrain_copy(const bench_terrain *terrain); /* without triangles */
void bench_terrain_free(bench_terrain *terrain);

/* The triangles between the heights as they are now. */
bench_mesh *bench_terrain_triangles(const bench_terrain *terrain);

/* Writes the new heights. `heights` are those of a terrain, row by row. */
void bench_terrain_edit(float *heights, uint32_t side, const bench_height_edit *edit);

static inline float bench_terrain_height(const bench_terrain *terrain, uint32_t column,
                                         uint32_t row) {
  return terrain->heights[(size_t)row * terrain->side + column];
}

/* A height that is a multiple of the unit, within the range. */
float bench_terrain_round(float height);

#ifdef __cplusplus
}
#endif

#endif
