/* Packets: up to 64 coherent rays, as eight groups of eight.
 *
 * All rays of a packet have the same direction signs and main axis. Tests are done eight at a time:
 * the children of a node against the whole packet, a box against the groups, the triangles of a
 * block against a group, and the rays of a group against a box or a triangle. Tests of a box
 * against more than one ray use interval arithmetic. The slab test of a ray (octree/cull.h)
 * consists of operations that round monotonically. So the same operations on the ends of the
 * intervals bound the results for every ray in between, and a box that passes a ray's own test also
 * passes that of its group and packet. See Wald, Benthin and Boulos, "Getting Rid of Packets"
 * (2008), and Reshetov, Soupikov and Hurley, "Multi-Level Ray Tracing Algorithm" (2005).
 *
 * The test of rays against a triangle does the operations of mo_ray_test_triangles8, in the same
 * order.
 */
#ifndef MO_BATCH_PACKET_H
#define MO_BATCH_PACKET_H

#include "base/inline.h"
#include "batch/batch.h"
#include "octree/cull.h"

/* Eight rays, one per lane. */
typedef struct mo_ray_group {
  mo_rays8 rays; /* max_t: t of the best hit so far; any-hit rays: -INFINITY after a hit */
  alignas(MO_ALIGNMENT) float near_origin[3][8];
  float far_origin[3][8], inverse[3][8], near_t[8]; /* as in mo_ray */
  float sx[8], sy[8], sz[8];    /* the shear of the triangle test, as in mo_ray */
  uint32_t triangle[8];         /* for closest hits: the triangle hit */
  uint32_t shape[8];            /* for closest hits in scenes: the slot of the shape */
  uint32_t found;               /* for any-hit rays: a bit for each lane that hits */
  uint32_t found_in_mesh_space; /* for closest hits in scenes: as in mo_answers8 */
} mo_ray_group;

/* The intervals of several rays, for one slab test of them all. By axis: for near and far planes
 * the origin that makes the interval of t widest; the least and greatest inverse direction. */
typedef struct mo_ray_intervals {
  mo_f8 near_origin[3], far_origin[3], inverse[2][3], near_t;
} mo_ray_intervals;

struct mo_packet {
  mo_ray_group group[MO_PACKET_GROUPS];
  /* Intervals of the groups, a lane for each group. */
  alignas(MO_ALIGNMENT) float near_origin[3][MO_PACKET_GROUPS];
  float far_origin[3][MO_PACKET_GROUPS];
  float inverse[2][3][MO_PACKET_GROUPS];
  float near_t[MO_PACKET_GROUPS];
  float max_t[MO_PACKET_GROUPS]; /* the greatest max_t in each group; -INFINITY for absent groups */
  mo_ray_intervals intervals;    /* intervals of the whole packet, broadcast to all lanes */
  float packet_max_t;            /* the greatest max_t of the packet */
  uint32_t group_count;
  /* whether the members of groups after `rays`, and the intervals of groups, are set */
  bool prepared;
  uint32_t signs;
  int kx, ky, kz;            /* axes: kz is the main axis, kx and ky the others, as in mo_ray */
  size_t enter[3], leave[3]; /* rows of a node's bounds, as in mo_ray_lanes */
};

/* Where rays may enter and leave boxes: bounds of t that hold for all rays of the intervals. */
MO_INLINE mo_ray_slabs mo_slabs_of_intervals(const mo_ray_intervals *intervals,
                                             const mo_f8 enter[3], const mo_f8 leave[3],
                                             mo_f8 max_t) {
  mo_f8 t[2][3];
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 to_near = mo_f8_sub(enter[axis], intervals->near_origin[axis]);
    mo_f8 to_far = mo_f8_sub(leave[axis], intervals->far_origin[axis]);
    t[0][axis] = mo_f8_min(mo_f8_mul(to_near, intervals->inverse[0][axis]),
                           mo_f8_mul(to_near, intervals->inverse[1][axis]));
    t[1][axis] = mo_f8_max(mo_f8_mul(to_far, intervals->inverse[0][axis]),
                           mo_f8_mul(to_far, intervals->inverse[1][axis]));
  }
  return (mo_ray_slabs){
      mo_f8_max(mo_f8_max(t[0][0], t[0][1]), mo_f8_max(t[0][2], intervals->near_t)),
      mo_f8_min(mo_f8_min(t[1][0], t[1][1]), mo_f8_min(t[1][2], max_t)),
  };
}

/* Bit mask of the groups with rays that may hit a box. */
MO_INLINE uint32_t mo_groups_that_may_hit_box(const mo_packet *packet, const mo_bounds8 *bounds,
                                              uint32_t slot) {
  const float *floats = &bounds->lower[0][0];
  mo_ray_intervals intervals;
  mo_f8 enter[3], leave[3];
  for (int axis = 0; axis < 3; axis++) {
    intervals.near_origin[axis] = mo_f8_load(packet->near_origin[axis]);
    intervals.far_origin[axis] = mo_f8_load(packet->far_origin[axis]);
    intervals.inverse[0][axis] = mo_f8_load(packet->inverse[0][axis]);
    intervals.inverse[1][axis] = mo_f8_load(packet->inverse[1][axis]);
    enter[axis] = mo_f8_splat(floats[packet->enter[axis] + slot]);
    leave[axis] = mo_f8_splat(floats[packet->leave[axis] + slot]);
  }
  intervals.near_t = mo_f8_load(packet->near_t);
  mo_ray_slabs slabs = mo_slabs_of_intervals(&intervals, enter, leave, mo_f8_load(packet->max_t));
  return mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
}

/* Bit mask of the rays of a group that hit a box. */
MO_INLINE uint32_t mo_rays_that_hit_box(const mo_packet *packet, const mo_ray_group *group,
                                        const mo_bounds8 *bounds, uint32_t slot) {
  const float *floats = &bounds->lower[0][0];
  mo_f8 t[2][3];
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 inverse = mo_f8_load(group->inverse[axis]);
    mo_f8 enter = mo_f8_splat(floats[packet->enter[axis] + slot]);
    mo_f8 leave = mo_f8_splat(floats[packet->leave[axis] + slot]);
    t[0][axis] = mo_f8_mul(mo_f8_sub(enter, mo_f8_load(group->near_origin[axis])), inverse);
    t[1][axis] = mo_f8_mul(mo_f8_sub(leave, mo_f8_load(group->far_origin[axis])), inverse);
  }
  mo_f8 near_t =
      mo_f8_max(mo_f8_max(t[0][0], t[0][1]), mo_f8_max(t[0][2], mo_f8_load(group->near_t)));
  mo_f8 far_t =
      mo_f8_min(mo_f8_min(t[1][0], t[1][1]), mo_f8_min(t[1][2], mo_f8_load(group->rays.max_t)));
  return mo_m8_bits(mo_f8_le(near_t, far_t));
}

/* The boxes around the triangles of a block: the planes where rays of a packet enter and leave
 * them. */
typedef struct mo_block_boxes {
  mo_f8 enter[3], leave[3];
} mo_block_boxes;

MO_INLINE mo_block_boxes mo_boxes_of_block(const mo_packet *packet,
                                           const mo_triangle_block *block) {
  mo_block_boxes boxes;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 a = mo_f8_load(block->corner[0][axis]), b = mo_f8_load(block->corner[1][axis]),
          c = mo_f8_load(block->corner[2][axis]);
    mo_f8 lower = mo_f8_min(mo_f8_min(a, b), c), upper = mo_f8_max(mo_f8_max(a, b), c);
    bool negative = packet->signs >> axis & 1;
    boxes.enter[axis] = negative ? upper : lower;
    boxes.leave[axis] = negative ? lower : upper;
  }
  return boxes;
}

/* Bit mask of the triangles of a block whose boxes rays of a group may hit. */
MO_INLINE uint32_t mo_boxes_that_group_may_hit(const mo_packet *packet, uint32_t group,
                                               const mo_block_boxes *boxes) {
  mo_ray_intervals intervals;
  for (int axis = 0; axis < 3; axis++) {
    intervals.near_origin[axis] = mo_f8_splat(packet->near_origin[axis][group]);
    intervals.far_origin[axis] = mo_f8_splat(packet->far_origin[axis][group]);
    intervals.inverse[0][axis] = mo_f8_splat(packet->inverse[0][axis][group]);
    intervals.inverse[1][axis] = mo_f8_splat(packet->inverse[1][axis][group]);
  }
  intervals.near_t = mo_f8_splat(packet->near_t[group]);
  mo_ray_slabs slabs = mo_slabs_of_intervals(&intervals, boxes->enter, boxes->leave,
                                             mo_f8_splat(packet->max_t[group]));
  return mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
}

/* Extracts one ray of a group: the members that the triangle test reads. */
static inline void mo_group_extract_ray(const mo_packet *packet, const mo_ray_group *group,
                                        uint32_t lane, mo_ray *ray) {
  ray->kx = packet->kx;
  ray->ky = packet->ky;
  ray->kz = packet->kz;
  ray->sx = group->sx[lane];
  ray->sy = group->sy[lane];
  ray->sz = group->sz[lane];
  for (int axis = 0; axis < 3; axis++) {
    ray->origin[axis] = group->rays.origin[axis][lane];
    ray->direction[axis] = group->rays.direction[axis][lane];
  }
  ray->t_scale = 1.0f;
  ray->min_t = group->rays.min_t[lane];
}

/* Values of a group's rays that are loaded once for all triangle tests. */
typedef struct mo_group_shear {
  mo_f8 origin_x, origin_y, origin_z, sx, sy;
} mo_group_shear;

MO_INLINE mo_group_shear mo_shear_of_group(const mo_packet *packet, const mo_ray_group *group) {
  return (mo_group_shear){
      .origin_x = mo_f8_load(group->rays.origin[packet->kx]),
      .origin_y = mo_f8_load(group->rays.origin[packet->ky]),
      .origin_z = mo_f8_load(group->rays.origin[packet->kz]),
      .sx = mo_f8_load(group->sx),
      .sy = mo_f8_load(group->sy),
  };
}

/* The triangle test for one ray at a time (mo_ray_test_nondegenerate_triangle), for rays for which
 * the fast test is not precise enough. Returns a bit mask of the hits. */
static __attribute__((noinline)) uint32_t
mo_group_test_triangle_singly(const mo_packet *packet, const mo_ray_group *group,
                              const mo_f8 corner[3][3], uint32_t rays, mo_f8 max_t, mo_cull cull,
                              mo_f8 *t_of, mo_triangle_hits *found) {
  alignas(MO_ALIGNMENT) float lanes[3][3][8];
  alignas(MO_ALIGNMENT) float t[8], max[8];
  uint32_t hits = 0;
  mo_f8_store(t, *t_of);
  mo_f8_store(max, max_t);
  for (int i = 0; i < 3; i++) {
    mo_f8_store(lanes[i][packet->kx], corner[i][0]);
    mo_f8_store(lanes[i][packet->ky], corner[i][1]);
    mo_f8_store(lanes[i][packet->kz], corner[i][2]);
  }
  for (; rays != 0; rays &= rays - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rays);
    mo_vec3 corners[3];
    for (int i = 0; i < 3; i++) {
      corners[i] = mo_vec(lanes[i][0][lane], lanes[i][1][lane], lanes[i][2][lane]);
    }
    mo_ray ray;
    mo_triangle_hit hit;
    mo_group_extract_ray(packet, group, lane, &ray);
    if (mo_ray_test_nondegenerate_triangle(&ray, corners, max[lane], cull, &hit)) {
      t[lane] = hit.t;
      found->u[lane] = hit.u;
      found->v[lane] = hit.v;
      found->front = (found->front & ~(1u << lane)) | (uint32_t)hit.front << lane;
      hits |= 1u << lane;
    }
  }
  *t_of = mo_f8_load(t);
  return hits;
}

/* Tests each ray of a group against a triangle: corner[i][axis] is a coordinate of corner i, in all
 * lanes. `rays`: a bit for each ray to test. `t_of` receives the distances of hits; `found` is
 * written if weights are wanted. Otherwise as mo_ray_test_triangles8. */
MO_INLINE uint32_t mo_group_test_triangle(const mo_packet *packet, const mo_ray_group *group,
                                          const mo_group_shear *shear, const mo_f8 corner[3][3],
                                          uint32_t rays, mo_f8 max_t, mo_cull cull,
                                          bool want_weights, mo_f8 *t_of, mo_triangle_hits *found) {
  mo_f8 x[3], y[3], z[3];
  for (int i = 0; i < 3; i++) {
    z[i] = mo_f8_sub(corner[i][2], shear->origin_z);
    x[i] = mo_f8_sub(mo_f8_sub(corner[i][0], shear->origin_x), mo_f8_mul(shear->sx, z[i]));
    y[i] = mo_f8_sub(mo_f8_sub(corner[i][1], shear->origin_y), mo_f8_mul(shear->sy, z[i]));
  }
  mo_f8 u1 = mo_f8_mul(x[2], y[1]), u2 = mo_f8_mul(y[2], x[1]);
  mo_f8 v1 = mo_f8_mul(x[0], y[2]), v2 = mo_f8_mul(y[0], x[2]);
  mo_f8 w1 = mo_f8_mul(x[1], y[0]), w2 = mo_f8_mul(y[1], x[0]);
  mo_f8 u = mo_f8_sub(u1, u2), v = mo_f8_sub(v1, v2), w = mo_f8_sub(w1, w2);

  mo_f8 zero = mo_f8_splat(0.0f);
  mo_f8 min = mo_f8_min(mo_f8_min(u, v), w);
  mo_f8 max = mo_f8_max(mo_f8_max(u, v), w);
  uint32_t mixed = mo_m8_bits(mo_m8_and(mo_f8_lt(min, zero), mo_f8_lt(zero, max)));
  uint32_t candidates = ~mixed & rays;
  if (cull != MO_CULL_NONE) {
    candidates &= ~mo_m8_bits(cull == MO_CULL_BACK ? mo_f8_lt(min, zero) : mo_f8_lt(zero, max));
  }
  if (candidates == 0) {
    return 0;
  }

  mo_f8 sum = mo_f8_add(mo_f8_add(u, v), w);
  mo_f8 size = mo_f8_abs(sum);
  mo_f8 magnitude = mo_f8_add(
      mo_f8_add(mo_f8_add(mo_f8_abs(u1), mo_f8_abs(u2)), mo_f8_add(mo_f8_abs(v1), mo_f8_abs(v2))),
      mo_f8_add(mo_f8_abs(w1), mo_f8_abs(w2)));
  mo_f8 smallest = mo_f8_min(mo_f8_min(mo_f8_abs(u), mo_f8_abs(v)), mo_f8_abs(w));
  mo_f8 needed = mo_f8_max(mo_f8_mul(mo_f8_splat(MO_MIN_RELATIVE_WEIGHT_SUM), magnitude),
                           mo_f8_splat(MO_MIN_WEIGHT_SUM));
  mo_f8 sz = mo_f8_load(group->sz);
  mo_f8 sum_t =
      mo_f8_add(mo_f8_add(mo_f8_mul(u, mo_f8_mul(sz, z[0])), mo_f8_mul(v, mo_f8_mul(sz, z[1]))),
                mo_f8_mul(w, mo_f8_mul(sz, z[2])));
  uint32_t precise =
      mo_m8_bits(mo_m8_and(mo_m8_and(mo_f8_lt(zero, smallest), mo_f8_le(needed, size)),
                           mo_m8_and(mo_f8_lt(mo_f8_abs(sum_t), mo_f8_splat(INFINITY)),
                                     mo_f8_lt(magnitude, mo_f8_splat(INFINITY)))));
  mo_f8 t = mo_f8_add(mo_f8_div(sum_t, sum), zero);
  uint32_t near =
      candidates & mo_triangles_span_ray_end8(z, mo_f8_load(group->rays.direction[packet->kz]));
  if (__builtin_expect(near != 0, 0)) {
    mo_f8 slope = mo_f8_max(mo_f8_abs(shear->sx), mo_f8_abs(shear->sy));
    precise &= ~(near & mo_ray_t_is_uncertain8(x, y, z, slope, sz, sum, t));
  }
  uint32_t within = mo_m8_bits(
      mo_m8_and(mo_m8_and(mo_f8_le(mo_f8_load(group->rays.min_t), t), mo_f8_le(t, max_t)),
                mo_f8_lt(t, mo_f8_splat(INFINITY))));
  uint32_t hits = candidates & precise & within;
  uint32_t imprecise = candidates & ~precise;
  if ((hits | imprecise) == 0) {
    return 0;
  }
  *t_of = t;
  if (want_weights) {
    mo_f8_store(found->u, mo_f8_div(v, sum));
    mo_f8_store(found->v, mo_f8_div(w, sum));
    found->front = mo_m8_bits(mo_f8_lt(zero, sum));
  }
  if (__builtin_expect(imprecise != 0, 0)) {
    hits |=
        mo_group_test_triangle_singly(packet, group, corner, imprecise, max_t, cull, t_of, found);
  }
  return hits;
}

#endif
