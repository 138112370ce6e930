/* Rays, casts, bodies and changes for the suite of height fields. */
#ifndef BENCH_HEIGHTS_MAKE_H
#define BENCH_HEIGHTS_MAKE_H

#include "heights.h"

/* A world of a query engine with the terrain, by which shapes are set on the ground. */
typedef struct bench_dropper {
  const bench_terrain *terrain;
  const bench_query_engine *engine;
  void *world;
} bench_dropper;

/* From above, within 20 degrees of straight down; or, as long as the terrain, 1 to 20 degrees down
 * from up to 60 m above the ground, and of each ten one that is level to one degree, from 1 to 5 m
 * above the ground. For free(). */
bench_ray *bench_height_rays(const bench_terrain *terrain, bool is_slanting, size_t count,
                             uint64_t seed);

/* Falls of 3 m from 0.2 to 2 m above the ground, or sweeps of 200 m (of small terrains a third of
 * their length), 3 to 20 degrees down, from 5 to 40 m above it. No shape touches at the start. */
void bench_height_casts(const bench_dropper *dropper, const bench_question *question, bool is_sweep,
                        bench_probe *probes, size_t count, uint64_t seed);

/* Bodies of one form on the terrain, each alone: two thirds lie in the ground by up to 2 % of their
 * width, the others hover by up to 5 % above it. In each frame they have gone 5 cm on and have
 * turned by two degrees. Piece 0 is the terrain, of kind BENCH_PIECE_HEIGHTS. `ground` is left
 * null. Fewer bodies where there is no space. */
bench_step_scene *bench_height_scene(const bench_dropper *dropper, const bench_question *question,
                                     uint32_t bodies, uint32_t frames, uint64_t seed);
void bench_height_scene_free(bench_step_scene *scene);

/* Regions of `size` times `size` samples that have a hill or hollow more, which do not overlap, or
 * fewer where there is no space. */
bench_height_edit *bench_height_edits(const bench_terrain *terrain, uint32_t size, uint32_t *count,
                                      uint64_t seed);

/* The same regions as the terrain is. */
bench_height_edit *bench_height_edits_back(const bench_terrain *terrain,
                                           const bench_height_edit *edits, uint32_t count);
void bench_height_edits_free(bench_height_edit *edits, uint32_t count);

/* Rays from above into regions. For free(). */
bench_ray *bench_height_rays_into(const bench_height_edit *edits, uint32_t edit_count, size_t count,
                                  uint64_t seed);

#endif
