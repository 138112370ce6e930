/* Culling tests of eight boxes at a time. Each test depends only on the boxes and the query, and is
 * monotone: a box passes if a box inside it does. */
#ifndef MO_OCTREE_CULL_H
#define MO_OCTREE_CULL_H

#include "geometry/ray/ray.h"
#include "math/lanes/lanes.h"
#include "octree/node.h"

/* Result of the slab test; see geometry/ray/ray.h for its margins. Times are in units of the ray's
 * own t. The ray hits a box if near_t <= far_t. near_t is never negative; far_t of a box behind the
 * ray is negative. */
typedef struct mo_ray_slabs {
  mo_f8 near_t, far_t;
} mo_ray_slabs;

/* The data of a ray for the slab test, broadcast to lanes: its inverse direction, its shifts, and
 * at which rows of sides it enters and leaves boxes (as offsets in the 48 floats of mo_bounds8). */
typedef struct mo_ray_lanes {
  mo_f8 inverse[3], near_shift[3], far_shift[3], near_t;
  size_t enter[3], leave[3]; /* by axis: rows of sides at which the ray enters, leaves */
} mo_ray_lanes;

static inline mo_ray_lanes mo_broadcast_ray(const mo_ray *ray) {
  /* The rows at which a ray enters boxes, by sign mask. A ray leaves where the opposite ray
   * enters. */
  static const uint8_t rows[8][4] = {{0, 8, 16}, {24, 8, 16}, {0, 32, 16}, {24, 32, 16},
                                     {0, 8, 40}, {24, 8, 40}, {0, 32, 40}, {24, 32, 40}};
  mo_ray_lanes lanes;
  for (uint32_t axis = 0; axis < 3; axis++) {
    lanes.enter[axis] = rows[ray->signs][axis];
    lanes.leave[axis] = rows[ray->signs ^ 7][axis];
    lanes.inverse[axis] = mo_f8_splat(ray->inverse[axis]);
    lanes.near_shift[axis] = mo_f8_splat(ray->near_shift[axis]);
    lanes.far_shift[axis] = mo_f8_splat(ray->far_shift[axis]);
  }
  lanes.near_t = mo_f8_splat(ray->near_t);
  return lanes;
}

/* The slots of a node with three planes (octree/order.h), farthest first along a ray: position i
 * has slot i ^ mo_octant_mask_of_signs(signs) ^ 7. */
static inline mo_lane_order mo_farthest_first_octants(uint32_t signs) {
  alignas(MO_ALIGNMENT) static const uint32_t slots[8][MO_LANE_COUNT] = {
      {7, 6, 5, 4, 3, 2, 1, 0}, {3, 2, 1, 0, 7, 6, 5, 4}, {5, 4, 7, 6, 1, 0, 3, 2},
      {1, 0, 3, 2, 5, 4, 7, 6}, {6, 7, 4, 5, 2, 3, 0, 1}, {2, 3, 0, 1, 6, 7, 4, 5},
      {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7}};
  return mo_lane_order_load(slots[signs]);
}

/* The slab test. `enter` and `leave` are the coordinates of the sides at which the ray enters and
 * leaves, by axis. */
static inline mo_ray_slabs mo_ray_slab_test_rows(const mo_ray_lanes *ray, const mo_f8 enter[3],
                                                 const mo_f8 leave[3], mo_f8 max_t) {
  mo_f8 t[2][3];
  for (int axis = 0; axis < 3; axis++) {
    t[0][axis] = mo_f8_mul_sub_fast(enter[axis], ray->inverse[axis], ray->near_shift[axis]);
    t[1][axis] = mo_f8_mul_sub_fast(leave[axis], ray->inverse[axis], ray->far_shift[axis]);
  }
  return (mo_ray_slabs){
      mo_f8_max_bits(mo_f8_max_bits(t[0][0], t[0][1]), mo_f8_max_bits(t[0][2], ray->near_t)),
      mo_f8_min_bits(mo_f8_min_bits(t[1][0], t[1][1]), mo_f8_min_bits(t[1][2], max_t)),
  };
}

static inline mo_ray_slabs mo_ray_slab_test(const mo_ray_lanes *ray, const mo_bounds8 *bounds,
                                            mo_f8 max_t) {
  const float *floats = &bounds->lower[0][0];
  mo_f8 enter[3], leave[3];
  for (int axis = 0; axis < 3; axis++) {
    enter[axis] = mo_f8_load(floats + ray->enter[axis]);
    leave[axis] = mo_f8_load(floats + ray->leave[axis]);
  }
  return mo_ray_slab_test_rows(ray, enter, leave, max_t);
}

/* Bits of the boxes that the ray may hit. */
static inline uint32_t mo_boxes_hit_by_ray(const mo_ray *ray, const mo_bounds8 *bounds,
                                           float max_t) {
  mo_ray_lanes lanes = mo_broadcast_ray(ray);
  mo_ray_slabs slabs = mo_ray_slab_test(&lanes, bounds, mo_f8_splat(max_t));
  return mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
}

/* A box broadcast to lanes, for comparison with eight boxes at a time. */
typedef struct mo_box_lanes {
  mo_f8 lower[3], upper[3];
} mo_box_lanes;

static inline mo_box_lanes mo_broadcast_box(const mo_aabb *box) {
  return (mo_box_lanes){
      {mo_f8_splat(box->lower.x), mo_f8_splat(box->lower.y), mo_f8_splat(box->lower.z)},
      {mo_f8_splat(box->upper.x), mo_f8_splat(box->upper.y), mo_f8_splat(box->upper.z)},
  };
}

/* A bit for each of eight boxes that touches `box`; exact. The rows of the eight boxes are `stride`
 * floats apart. */
static inline uint32_t mo_boxes_touching_box_rows(const mo_box_lanes *box, const float *lower,
                                                  const float *upper, size_t stride) {
  mo_m8 part[3];
  for (size_t axis = 0; axis < 3; axis++) {
    part[axis] = mo_m8_and(mo_f8_le(mo_f8_load(lower + axis * stride), box->upper[axis]),
                           mo_f8_le(box->lower[axis], mo_f8_load(upper + axis * stride)));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(part[0], part[1]), part[2]));
}

static inline uint32_t mo_boxes_touching_box_lanes(const mo_bounds8 *bounds,
                                                   const mo_box_lanes *box) {
  return mo_boxes_touching_box_rows(box, bounds->lower[0], bounds->upper[0], MO_LANE_COUNT);
}

/* A bit for each of eight boxes that is not empty. */
static inline uint32_t mo_nonempty_boxes(const mo_bounds8 *bounds) {
  return mo_m8_bits(mo_f8_le(mo_f8_load(bounds->lower[0]), mo_f8_load(bounds->upper[0])));
}

static inline uint32_t mo_boxes_touching_box(const mo_bounds8 *bounds, const mo_aabb *box) {
  const mo_box_lanes lanes = mo_broadcast_box(box);
  return mo_boxes_touching_box_lanes(bounds, &lanes);
}

/* Bits of the boxes that no plane excludes; `inside` receives bits of the boxes that lie inside all
 * planes. `slack[i]` is an upper bound of the rounding error of plane i's values over all boxes: a
 * box counts as excluded or contained only if the value exceeds it. */
static inline uint32_t mo_boxes_not_outside_planes(const mo_bounds8 *bounds, const mo_plane *planes,
                                                   const float *slack, uint32_t count,
                                                   uint32_t *inside) {
  uint32_t touching = 0xff, contained = 0xff;
  for (uint32_t i = 0; i < count; i++) {
    const float n[3] = {planes[i].normal.x, planes[i].normal.y, planes[i].normal.z};
    mo_f8 max = mo_f8_splat(planes[i].offset), min = max;
    for (int axis = 0; axis < 3; axis++) {
      mo_f8 lower = mo_f8_mul(mo_f8_splat(n[axis]), mo_f8_load(bounds->lower[axis]));
      mo_f8 upper = mo_f8_mul(mo_f8_splat(n[axis]), mo_f8_load(bounds->upper[axis]));
      max = mo_f8_add(max, n[axis] >= 0.0f ? upper : lower);
      min = mo_f8_add(min, n[axis] >= 0.0f ? lower : upper);
    }
    touching &= mo_m8_bits(mo_f8_le(mo_f8_splat(-slack[i]), max));
    contained &= mo_m8_bits(mo_f8_le(mo_f8_splat(slack[i]), min));
  }
  *inside = contained & touching;
  return touching;
}

#endif
