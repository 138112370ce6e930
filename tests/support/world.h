/* A scene under test beside a plain model of what it should hold, with random operations on
 * both. */
#ifndef TEST_WORLD_H
#define TEST_WORLD_H

#include <motte/scene.h>

#include "support/counting_allocator.h"
#include "support/rng.h"

enum { WORLD_MAX = 4096 };

typedef struct world {
  mo_scene *scene;
  counting_allocator counter;
  mo_mesh *mesh;
  rng r;
  float size;        /* of the region */
  float half_spaces; /* the share of shapes that are half-spaces; 0 at first */
  /* The share of shapes that belong to a body, in small and large ones; 0 at first. With some,
   * there are kinematic shapes too. */
  float bodies;
  /* Living shapes, in no order. */
  uint32_t count;
  mo_shape_id ids[WORLD_MAX];
  mo_shape_def defs[WORLD_MAX];
  char why[256]; /* what the scene's log said last */
} world;

static const mo_tree_policy world_policies[3] = {MO_TREE_IRREGULAR, MO_TREE_LOOSE,
                                                 MO_TREE_MIDPOINT};
static const char *const world_policy_names[3] = {"irregular", "loose", "midpoint"};

/* Default options but for the policy. */
world *world_create(mo_tree_policy policy, uint64_t seed);
world *world_create_with(const mo_tree_options *options, uint64_t seed);

/* Also checks that nothing is left allocated. */
void world_destroy(world *w);

/* A random shape somewhere in the region, with sizes over a hundredfold. */
mo_shape_def world_shape(world *w);

mo_motion world_motion(world *w);

/* One random operation of any kind. */
void world_step(world *w);

/* Shifts the origin of the scene, and the model along. */
void world_shift(world *w, mo_vec3 by);

/* Checks the scene's invariants and, with `all`, every shape against the model. */
void world_check(world *w, bool all);

/* Adds unit boxes with their centers in a cube of this half width, to an empty world; `here` is
 * where they are, `there` another place for each. */
void world_fill(world *w, uint32_t count, float size, mo_transform *here, mo_transform *there);

mo_transform world_translation(float x, float y, float z);

#endif
