/* A cloth that falls on a ball and on the floor beside it: point masses that springs hold together,
 * and impacts found by a swept mesh of all triangles, with the ball and of the cloth with itself.
 */
#ifndef DEMO_CLOTH_H
#define DEMO_CLOTH_H

#include <motte/motte.h>

#include "common/triangles.h"

/* Two vertices that keep their distance. */
struct spring {
  uint32_t a, b;
  float length;
};

struct cloth {
  struct triangles all; /* the cloth, then the ball, then the floor; where they are now */
  uint32_t own_vertices, own_triangles; /* those of the cloth; the others stand still */
  mo_vec3 *end;                         /* where all will be after the step */
  mo_vec3 *velocity;                    /* of the vertices of the cloth, m/s */
  struct spring *springs;
  uint32_t spring_count;
  mo_swept_mesh *swept;
  mo_swept_impact *impacts;
  uint32_t impact_capacity;
};

/* What a step took. */
struct cloth_step {
  uint32_t impacts; /* found in the first round */
  uint32_t rounds;  /* of searches for impacts */
  uint32_t stopped; /* vertices that did not move, as nothing else kept them apart */
};

/* A square cloth of 2 m, with so many cells along a side, half a metre above a ball of 1 m. */
struct cloth cloth_create(uint32_t cells);
void cloth_destroy(struct cloth *cloth);

/* Moves on by so many seconds. */
struct cloth_step cloth_step(struct cloth *cloth, float seconds);

/* Whether any triangles have passed through each other. */
bool cloth_is_tangled(const struct cloth *cloth);

#endif
