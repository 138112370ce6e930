/* Times at which a moving body can reach eight node boxes or triangles (swept.h). For kernels. */
#ifndef MO_MESH_CULLING_SWEPT_LANES_H
#define MO_MESH_CULLING_SWEPT_LANES_H

#include "mesh/culling/lanes.h"
#include "mesh/culling/swept.h"
#include "octree/moving_ball.h"

/* Computes lower bounds of the times at which the body reaches eight boxes in the mesh's space.
 * Returns bits of the boxes that it may reach up to the limit. */
MO_INLINE uint32_t mo_swept_box_keys(const mo_swept_culling *c, double limit, const mo_bounds8 *own,
                                     double key[MO_LANE_COUNT]) {
  if (!c->culls_nodes_by_box) {
    mo_bounds8 in_world;
    return mo_path_time_keys(c->path, limit, mo_bounds_to_query_space(c->world_map, own, &in_world),
                             key);
  }
  const mo_lanes_boxes local = mo_lanes_load_boxes(own);
  mo_f8 time = mo_lanes_path_time(&c->lane_path, &local);
  if (!c->culling_box.is_aligned) {
    const mo_lanes_boxes boxes = mo_lanes_transform_boxes(own, &c->culling_box.map);
    time = mo_f8_max(time, mo_lanes_path_time(&c->culling_box.path, &boxes));
  }
  return mo_lanes_set_keys(key, time, limit);
}

/* As mo_swept_box_keys, for the triangles of a block. Also culls triangles in which the body is
 * less deep than `min_depth` at t = 0, if they are not reached later. */
MO_INLINE uint32_t mo_swept_block_keys(const mo_swept_culling *c, double limit, float min_depth,
                                       const mo_triangle_block *block, double key[MO_LANE_COUNT]) {
  uint32_t mask = 0xff;
  if (!c->culls_nodes_by_box) {
    const mo_bounds8 bounds = mo_block_bounds(block);
    mask = mo_swept_box_keys(c, limit, &bounds, key);
  }
  if (mask == 0 || !c->culling_box.is_usable) {
    return mask;
  }
  const mo_block_corners8 triangles = mo_block_corners(block, &c->culling_box.map);
  const bool is_round = c->culling_box.radius > 0.0f,
             is_swept_first =
                 c->planes != NULL || (c->culls_nodes_by_box && (!is_round || min_depth > 0.0f));
  uint32_t shallow = 0;
  if (is_swept_first) {
    const mo_f8 time = mo_lanes_sweep_time(&c->culling_box, c->planes, &triangles, (float)limit,
                                           min_depth, &shallow);
    mask = c->culls_nodes_by_box ? mo_lanes_set_keys(key, time, limit)
                                 : mask & mo_lanes_raise_keys(key, time, limit);
    mask &= ~shallow;
  } else if (c->culls_nodes_by_box) {
    const mo_lanes_boxes boxes = mo_lanes_triangle_boxes(&triangles);
    mask = mo_lanes_set_keys(key, mo_lanes_path_time(&c->culling_box.path, &boxes), limit);
  }
  if (is_round && mask != 0) {
    mask &=
        mo_lanes_raise_keys(key, mo_lanes_triangle_time(&c->culling_box, &triangles, key), limit);
    if (mask != 0 && !is_swept_first) { /* the axes cost more than the directions before */
      const mo_f8 time =
          mo_lanes_sweep_time(&c->culling_box, NULL, &triangles, (float)limit, 0.0f, &shallow);
      mask &= mo_lanes_raise_keys(key, time, limit);
    }
  }
  return mask;
}

#endif
