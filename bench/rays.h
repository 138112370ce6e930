/* Rays to measure with, and what their answers must be. */
#ifndef BENCH_RAYS_H
#define BENCH_RAYS_H

#include "engine.h"

typedef enum bench_distribution {
  /* Pinhole cameras all around that look at the mesh, row by row. */
  BENCH_PRIMARY,
  /* The same pictures, in tiles of 8 x 8 pixels made of such of 4 x 4. */
  BENCH_TILES,
  /* Pinhole cameras in the middle of the mesh's box, row by row: what a player in a building sees.
   */
  BENCH_INSIDE,
  /* From anywhere in a ball somewhat larger than the mesh towards anywhere in its box. */
  BENCH_INCOHERENT,
  /* From anywhere in the box into any direction, a tenth of its diagonal long. */
  BENCH_SHORT,
  /* From anywhere in the box to anywhere in it, no farther: lines of sight. */
  BENCH_SIGHT,
  BENCH_DISTRIBUTIONS
} bench_distribution;

/* A square picture. */
typedef struct bench_camera {
  mo_vec3 eye, back; /* looks along -back, a unit vector */
  mo_vec3 up;        /* need not be perpendicular to it */
  double reach;      /* tan of half the angle of the picture */
} bench_camera;

/* Null past the last. */
const char *bench_distribution_name(unsigned distribution);

/* Exactly `count` rays, the same for the same seed. For free(). */
bench_ray *bench_make_rays(const bench_mesh *mesh, bench_distribution distribution, size_t count,
                           uint64_t seed);

/* The rays of one picture, row by row or in tiles as above. */
void bench_make_picture(bench_ray *rays, size_t count, bool tiles, const bench_camera *camera);

/* What is certain about a closest hit, whatever the rounding of the engine's arithmetic. */
typedef struct bench_truth {
  float lower; /* no triangle is closer */
  float upper; /* some triangle is at least as close; INFINITY if none is for sure */
} bench_truth;

/* By a loop over all triangles in double precision, of the mesh as it is or, if `transform` is not
 * null, placed by it. */
bench_truth bench_find_truth(const bench_mesh *mesh, const mo_transform *transform,
                             const bench_ray *ray);

/* Whether an answer agrees with the truth. */
bool bench_truth_allows(bench_truth truth, const bench_ray *ray, bench_mode mode, bench_hit hit);

/* Whether weights and normal of a hit fit its t and triangle: the weights' point lies on the
 * triangle where the ray is at t, and the normal is that of the triangle, to any length. */
bool bench_surface_fits(const bench_mesh *mesh, const bench_ray *ray, bench_hit hit,
                        const bench_surface *surface);

#endif
