/* The probe: a cube that sweeps through the crowd and asks the scene what is around it. */
#ifndef DEMO_PROBE_H
#define DEMO_PROBE_H

#include "common/crowd.h"

struct probe {
  mo_aabb box; /* world, now */
  mo_vec3 *ray_directions;
  uint32_t ray_count;

  /* What the last look found. */
  mo_shape_id *touched; /* shapes that the cube touches */
  uint32_t touched_count;
  mo_shape_id *nearby; /* shapes in the cells around it: what it may touch */
  uint32_t nearby_count;
  mo_aabb *cells; /* the leaf cells of the octree that it reaches into */
  uint32_t cell_count;
  uint32_t capacity; /* of each of the three */
  uint32_t rays_that_hit;
};

struct probe probe_create(const struct crowd *crowd, uint32_t ray_count);
void probe_destroy(struct probe *probe);

/* Places the cube on its path: once through the region and back for `progress` from 0 to 1. */
void probe_move(struct probe *probe, const struct crowd *crowd, float progress);

/* Looks for the shapes that the cube touches: an exact overlap query. */
void probe_find_touched(struct probe *probe, const struct crowd *crowd, mo_query_stats *stats);

/* Looks for cells that the cube reaches into, and for the shapes in them. */
void probe_find_nearby(struct probe *probe, const struct crowd *crowd, mo_query_stats *stats);

/* Casts rays from the cube's centre evenly in all directions. */
void probe_cast_rays(struct probe *probe, const struct crowd *crowd, mo_query_stats *stats);

#endif
