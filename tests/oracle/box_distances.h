/* What queries by distance must answer: loops over all shapes of a scene, by their stored boxes
 * or as half-spaces. */
#ifndef TEST_ORACLE_BOX_DISTANCES_H
#define TEST_ORACLE_BOX_DISTANCES_H

#include <motte/near.h>

#include "geometry/body/body.h"
#include "support/rng.h"

/* All living shapes of a scene with their boxes. */
typedef struct near_shapes {
  mo_shape_id *ids;
  mo_shape_def *defs;
  mo_aabb *boxes;
  mo_half_space_body *half_spaces; /* of those that are, which take the place of their boxes */
  uint32_t count;
} near_shapes;

void near_shapes_read(near_shapes *shapes, const mo_scene *scene);
void near_shapes_free(near_shapes *shapes);

double near_distance2(mo_aabb a, mo_aabb b);

bool near_filter_passes(const mo_filter *filter, const near_shapes *shapes, uint32_t i);

/* The answer of mo_scene_find_near, to be freed; `*count` how many. */
mo_near_shape *near_list(const near_shapes *shapes, const mo_near_def *def, uint32_t *count);

/* Checks one def by every query that takes it. */
void near_check(const mo_scene *scene, const near_shapes *shapes, const mo_near_def *def, rng *r);

void near_check_pairs(const mo_scene *scene, const near_shapes *shapes, float distance,
                      const mo_pair_query_def *def, rng *r);

void near_check_levels(const mo_scene *scene, const near_shapes *shapes, const mo_level_def *def,
                       rng *r);

#endif
