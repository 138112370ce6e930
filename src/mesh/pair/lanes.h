/* Boxes and triangles of two meshes in a common frame, eight at a time. For kernels. */
#ifndef MO_MESH_PAIR_LANES_H
#define MO_MESH_PAIR_LANES_H

#include "mesh/pair/pair.h"
#include "mesh/visit/visit.h"

/* Transforms the eight boxes of a node to a frame, and enlarges them by a margin on all sides. */
static inline void mo_mesh_pair_transform_boxes(const mo_mesh_pair_map *map, mo_vec3 center,
                                                const mo_bounds8 *own, const float grow[3],
                                                mo_bounds8 *image) {
  mo_f8 lower[3], upper[3];
  for (int k = 0; k < 3; k++) {
    const mo_f8 middle = mo_f8_splat(mo_get(center, k));
    lower[k] = mo_f8_sub(mo_f8_load(own->lower[k]), middle);
    upper[k] = mo_f8_sub(mo_f8_load(own->upper[k]), middle);
  }
  if (map->is_mesh_space) {
    const mo_f8 scale = mo_f8_splat(map->scale);
    for (int k = 0; k < 3; k++) {
      const mo_f8 margin = mo_f8_splat(grow[k]);
      mo_f8_store(image->lower[k], mo_f8_sub(mo_f8_mul(lower[k], scale), margin));
      mo_f8_store(image->upper[k], mo_f8_add(mo_f8_mul(upper[k], scale), margin));
    }
    return;
  }
  mo_f8 middle[3], half[3];
  for (int i = 0; i < 3; i++) {
    middle[i] = mo_f8_mul(mo_f8_splat(0.5f), mo_f8_add(lower[i], upper[i]));
    half[i] = mo_f8_mul(mo_f8_splat(0.5f), mo_f8_sub(upper[i], lower[i]));
  }
  for (int k = 0; k < 3; k++) {
    mo_f8 at = mo_f8_splat(map->origin[k]), reach = mo_f8_splat(grow[k]);
    for (int i = 0; i < 3; i++) {
      const mo_f8 m = mo_f8_splat(map->column[i][k]);
      at = mo_f8_add(at, mo_f8_mul(m, middle[i]));
      reach = mo_f8_add(reach, mo_f8_mul(mo_f8_abs(m), half[i]));
    }
    mo_f8_store(image->lower[k], mo_f8_sub(at, reach));
    mo_f8_store(image->upper[k], mo_f8_add(at, reach));
  }
}

/* A range along an axis, per lane. */
typedef struct mo_mesh_pair_range {
  mo_f8 min, max;
} mo_mesh_pair_range;

/* The triangles of a block, transformed to a frame. */
typedef struct mo_mesh_pair_triangles {
  const mo_triangle_block *block; /* the same triangles in local space */
  uint32_t lanes;                 /* bits of the lanes with triangles */
  mo_bounds8 box;
  mo_lanes3 corner[3], edge[3], normal;
  mo_mesh_pair_range range_along_normal; /* of each triangle along its own normal */
  mo_triangle_block expanded;            /* memory for `block` if it has to be decoded */
} mo_mesh_pair_triangles;

/* The range of each triangle along an axis, times the length of the axis. */
static inline mo_mesh_pair_range mo_mesh_pair_range_along(const mo_lanes3 corner[3],
                                                          mo_lanes3 axis) {
  const mo_f8 a = mo_lanes3_dot(axis, corner[0]), b = mo_lanes3_dot(axis, corner[1]),
              c = mo_lanes3_dot(axis, corner[2]);
  return (mo_mesh_pair_range){mo_f8_min(mo_f8_min(a, b), c), mo_f8_max(mo_f8_max(a, b), c)};
}

/* Sets the block, and the lanes that have triangles. */
MO_INLINE void mo_mesh_pair_take_block(const mo_mesh_pair *q, const mo_tree_arrays *tree,
                                       mo_mesh_format format, uint32_t at,
                                       mo_mesh_pair_triangles *t) {
  t->block = mo_load_block(tree, format, at, &t->expanded);
  t->lanes = mo_block_untested_lanes(t->block, NULL, q->stats);
}

/* Transforms the triangles of the block to a frame. The boxes of the second mesh are enlarged by
 * the frame's margin. */
static inline void mo_mesh_pair_place_block(const mo_mesh_pair *q, const mo_mesh_pair_frame *frame,
                                            int side, mo_mesh_pair_triangles *t) {
  const mo_mesh_pair_map *map = &frame->map[side];
  const mo_triangle_block *block = t->block;
  for (int i = 0; i < 3; i++) {
    mo_lanes3 p;
    for (int k = 0; k < 3; k++) {
      p.at[k] = mo_f8_sub(mo_f8_load(block->corner[i][k]), mo_f8_splat(mo_get(q->center[side], k)));
    }
    for (int k = 0; k < 3; k++) {
      if (map->is_mesh_space) {
        t->corner[i].at[k] = mo_f8_mul(mo_f8_splat(map->scale), p.at[k]);
        continue;
      }
      mo_f8 sum = mo_f8_splat(map->origin[k]);
      for (int l = 0; l < 3; l++) {
        sum = mo_f8_add(sum, mo_f8_mul(mo_f8_splat(map->column[l][k]), p.at[l]));
      }
      t->corner[i].at[k] = sum;
    }
  }
  for (int k = 0; k < 3; k++) {
    const mo_f8 a = t->corner[0].at[k], b = t->corner[1].at[k], c = t->corner[2].at[k];
    const mo_f8 margin = mo_f8_splat(side == 0 ? 0.0f : frame->margin[k]);
    mo_f8_store(t->box.lower[k], mo_f8_sub(mo_f8_min(mo_f8_min(a, b), c), margin));
    mo_f8_store(t->box.upper[k], mo_f8_add(mo_f8_max(mo_f8_max(a, b), c), margin));
  }
  for (int i = 0; i < 3; i++) {
    t->edge[i] = mo_lanes3_sub(t->corner[(i + 1) % 3], t->corner[i]);
  }
  t->normal = mo_lanes3_cross(t->edge[0], t->edge[1]);
  t->range_along_normal = mo_mesh_pair_range_along(t->corner, t->normal);
}

/* Takes a block and transforms its triangles. */
MO_INLINE void mo_mesh_pair_load_block(const mo_mesh_pair *q, const mo_mesh_pair_frame *frame,
                                       const mo_tree_arrays *tree, mo_mesh_format format, int side,
                                       uint32_t at, mo_mesh_pair_triangles *t) {
  mo_mesh_pair_take_block(q, tree, format, at, t);
  mo_mesh_pair_place_block(q, frame, side, t);
}

/* Broadcasts a lane of a vector to all lanes. */
static inline mo_f8 mo_mesh_pair_broadcast_lane(const mo_f8 *from, uint32_t lane) {
  return mo_f8_splat(((const float *)(const void *)from)[lane]);
}

static inline mo_mesh_pair_range mo_mesh_pair_broadcast_range(const mo_mesh_pair_range *from,
                                                              uint32_t lane) {
  return (mo_mesh_pair_range){mo_mesh_pair_broadcast_lane(&from->min, lane),
                              mo_mesh_pair_broadcast_lane(&from->max, lane)};
}

static inline mo_lanes3 mo_mesh_pair_broadcast_lane3(const mo_lanes3 *from, uint32_t lane) {
  return (mo_lanes3){{mo_mesh_pair_broadcast_lane(&from->at[0], lane),
                      mo_mesh_pair_broadcast_lane(&from->at[1], lane),
                      mo_mesh_pair_broadcast_lane(&from->at[2], lane)}};
}

/* The frame's margin along an axis, which need not have unit length. */
static inline mo_f8 mo_mesh_pair_margin_along(const mo_mesh_pair_frame *frame, mo_lanes3 axis) {
  mo_f8 margin = mo_f8_splat(0x1p-100f);
  for (int k = 0; k < 3; k++) {
    margin = mo_f8_add(margin, mo_f8_mul(mo_f8_splat(frame->margin[k]), mo_f8_abs(axis.at[k])));
  }
  return margin;
}

/* The size of a box of a mesh, comparable between both meshes. */
static inline float mo_mesh_pair_size(const mo_mesh_pair *q, int side, mo_aabb box) {
  const mo_vec3 extent = mo_sub(box.upper, box.lower);
  return q->max_scale[side] * (extent.x + extent.y + extent.z);
}

#endif
