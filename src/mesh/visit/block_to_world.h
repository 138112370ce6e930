/* Boxes and triangles of a mesh, transformed to the world, for shapes whose transform has
 * no usable inverse: queries then cull and test in world space. */
#ifndef MO_MESH_VISIT_BLOCK_TO_WORLD_H
#define MO_MESH_VISIT_BLOCK_TO_WORLD_H

#include "math/affine.h"
#include "mesh/mesh.h"

/* Makes a copy of a block with the corners of its triangles transformed to the world. */
static inline void mo_block_to_world(const mo_affine *affine, const mo_triangle_block *block,
                                     mo_triangle_block *in_world) {
  for (int i = 0; i < 3; i++) {
    for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
      mo_vec3 p = mo_affine_point_to_world_float(
          affine,
          mo_vec(block->corner[i][0][lane], block->corner[i][1][lane], block->corner[i][2][lane]));
      in_world->corner[i][0][lane] = p.x;
      in_world->corner[i][1][lane] = p.y;
      in_world->corner[i][2][lane] = p.z;
    }
  }
}

/* A node's boxes in the query's space: transformed to the world if `world_map` is not null. */
static inline const mo_bounds8 *mo_bounds_to_query_space(const mo_affine *world_map,
                                                         const mo_bounds8 *bounds,
                                                         mo_bounds8 *in_world) {
  if (world_map == NULL) {
    return bounds;
  }
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    mo_bounds8_set(in_world, slot,
                   mo_affine_aabb_to_world(world_map, mo_bounds8_get(bounds, slot)));
  }
  return in_world;
}

#endif
