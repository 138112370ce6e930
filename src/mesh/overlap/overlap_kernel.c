/* Region queries of the triangle octree; compiled once per instruction set. */
#include "geometry/triangle/triangle.h"
#include "mesh/culling/lanes.h"
#include "mesh/overlap/overlap.h"
#include "mesh/visit/visit.h"

/* The gap along an axis between an interval and the box around a frame's `center`; 0 or negative if
 * they touch. */
static inline mo_f8 gap_along(const mo_region_frame *frame, int axis, mo_f8 lower, mo_f8 upper) {
  mo_f8 center = mo_f8_all(mo_get(frame->center, axis));
  mo_f8 gap = mo_f8_max(mo_f8_sub(lower, center), mo_f8_sub(center, upper));
  return mo_f8_sub(gap, mo_f8_all(mo_get(frame->half, axis)));
}

/* Bits of the boxes in the frame that are not culled: they touch `outer` and come within
 * `outer2`. */
static inline uint32_t near_in_frame(const mo_region_frame *frame, const mo_f8 lower[3],
                                     const mo_f8 upper[3]) {
  uint32_t near = 0xff;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 below = mo_f8_all(mo_get(frame->outer.lower, axis));
    mo_f8 above = mo_f8_all(mo_get(frame->outer.upper, axis));
    near &= mo_m8_bits(mo_m8_and(mo_f8_le(below, upper[axis]), mo_f8_le(lower[axis], above)));
  }
  if (near == 0 || frame->outer2 == INFINITY) {
    return near;
  }
  mo_f8 distance2 = mo_f8_all(0.0f);
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 gap = mo_f8_max(gap_along(frame, axis, lower[axis], upper[axis]), mo_f8_all(0.0f));
    distance2 = mo_f8_add(distance2, mo_f8_mul(gap, gap));
  }
  return near & mo_m8_bits(mo_f8_le(distance2, mo_f8_all(frame->outer2)));
}

/* A bit for each box that is not culled when transformed to the frame. Centres and half extents are
 * rounded to float; the frame has a margin for this. */
static inline uint32_t boxes_near_in_frame(const mo_bounds8 *bounds, const mo_region_frame *frame) {
  const mo_transform *map = &frame->map;
  const mo_vec3 *column[3] = {&map->x_axis, &map->y_axis, &map->z_axis};
  mo_f8 half = mo_f8_all(0.5f);
  mo_f8 center[3], extent[3];
  for (int i = 0; i < 3; i++) {
    mo_f8 lower = mo_f8_mul(half, mo_f8_load(bounds->lower[i]));
    mo_f8 upper = mo_f8_mul(half, mo_f8_load(bounds->upper[i]));
    center[i] = mo_f8_add(lower, upper);
    extent[i] = mo_f8_sub(upper, lower);
  }
  mo_f8 below[3], above[3];
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 middle = mo_f8_all(mo_get(map->origin, axis));
    mo_f8 reach = mo_f8_all(0.0f);
    for (int i = 0; i < 3; i++) {
      float m = mo_get(*column[i], axis);
      middle = mo_f8_add(middle, mo_f8_mul(mo_f8_all(m), center[i]));
      reach = mo_f8_add(reach, mo_f8_mul(mo_f8_all(fabsf(m)), extent[i]));
    }
    below[axis] = mo_f8_sub(middle, reach);
    above[axis] = mo_f8_add(middle, reach);
  }
  return near_in_frame(frame, below, above);
}

/* --- triangles that touch a region --- */

static inline uint32_t cull_boxes(const mo_bounds8 *own, const void *query) {
  const mo_mesh_overlap *q = query;
  mo_bounds8 baked;
  const mo_bounds8 *bounds = mo_bake_bounds(q->bake, own, &baked);
  uint32_t inside;
  uint32_t mask =
      q->region->kind == MO_REGION_PLANES
          ? mo_cull_planes(bounds, q->region->planes, q->slack, q->region->plane_count, &inside)
          : mo_cull_box(bounds, &q->box);
  if (mask != 0 && q->has_frame) {
    mask &= boxes_near_in_frame(own, &q->frame);
  }
  return mask;
}

/* The lanes of triangles whose boxes in the frame are not culled. */
static inline uint32_t lanes_near_in_frame(const mo_block_corners8 *image,
                                           const mo_region_frame *frame) {
  mo_f8 below[3], above[3];
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 a = image->corner[0].at[axis], b = image->corner[1].at[axis],
          c = image->corner[2].at[axis];
    below[axis] = mo_f8_min(mo_f8_min(a, b), c);
    above[axis] = mo_f8_max(mo_f8_max(a, b), c);
  }
  return near_in_frame(frame, below, above);
}

/* The lanes of triangles with a corner that is certainly in the region. */
static inline uint32_t lanes_with_corner_inside(const mo_block_corners8 *image,
                                                const mo_region_frame *frame) {
  mo_f8 zero = mo_f8_all(0.0f);
  uint32_t sure = 0;
  for (int i = 0; i < 3; i++) {
    mo_f8 distance2 = zero;
    uint32_t inside = 0xff;
    for (int axis = 0; axis < 3; axis++) {
      mo_f8 at = image->corner[i].at[axis];
      mo_f8 apart = mo_f8_abs(mo_f8_sub(at, mo_f8_all(mo_get(frame->center, axis))));
      apart = mo_f8_max(mo_f8_sub(apart, mo_f8_all(mo_get(frame->half, axis))), zero);
      distance2 = mo_f8_add(distance2, mo_f8_mul(apart, apart));
      inside &= mo_m8_bits(mo_m8_and(mo_f8_le(mo_f8_all(mo_get(frame->inner.lower, axis)), at),
                                     mo_f8_le(at, mo_f8_all(mo_get(frame->inner.upper, axis)))));
    }
    sure |= inside & mo_m8_bits(mo_f8_le(distance2, mo_f8_all(frame->inner2)));
  }
  return sure;
}

static inline uint32_t cull_block(const mo_triangle_block *block, uint32_t lanes, uint32_t *sure,
                                  const void *query) {
  const mo_mesh_overlap *q = query;
  *sure = 0;
  if (q->bake == NULL) {
    mo_bounds8 bounds = mo_block_bounds(block);
    lanes &= mo_cull_box(&bounds, &q->box);
  }
  if (q->has_frame && lanes != 0) {
    mo_block_corners8 image = mo_block_corners(block, &q->frame.map);
    lanes &= lanes_near_in_frame(&image, &q->frame);
    *sure = lanes & lanes_with_corner_inside(&image, &q->frame);
  }
  if (q->sides != NULL && q->sides->have_planes && lanes != 0) {
    const mo_rounded_box_lanes *frame = &q->sides->lanes;
    const mo_block_corners8 placed = mo_block_corners(block, &frame->map);
    uint32_t shallow;
    const mo_f8 time = mo_lanes_sweep_time(frame, &q->sides->planes, &placed, 0.0f, 0.0f, &shallow);
    lanes &= mo_m8_bits(mo_f8_le(time, mo_f8_all(0.0f)));
  }
  return lanes;
}

static inline bool overlaps_region(const mo_vec3 corners[3], const void *query) {
  return mo_mesh_overlap_triangle(query, corners);
}

static inline bool report_if_counted(uint32_t triangle, void *query) {
  const mo_mesh_overlap *q = query;
  return (q->triangle_filter != NULL &&
          !mo_triangle_passes_filter(q->triangle_filter, q->shape, triangle)) ||
         q->report(triangle, q->context);
}

static const mo_triangle_visitor overlap_visitor = {cull_boxes, cull_block, overlaps_region,
                                                    report_if_counted};

MO_INLINE void visit_mesh(const mo_mesh *mesh, mo_mesh_format format, mo_mesh_overlap *q) {
  mo_overlap_sides sides;
  if (mo_mesh_overlap_wants_sides(q)) {
    sides.mesh = mesh;
    sides.failed_tests = 0;
    sides.have_planes = false;
    q->sides = &sides;
  }
  mo_visit_triangles(mesh, format, &overlap_visitor, q->stats, q);
  q->sides = NULL;
}

static void full_overlap(const mo_mesh *mesh, mo_mesh_overlap *q) {
  visit_mesh(mesh, MO_MESH_FULL, q);
}

static void compact_overlap(const mo_mesh *mesh, mo_mesh_overlap *q) {
  visit_mesh(mesh, MO_MESH_COMPACT, q);
}

/* --- whether the ray from a point along +x crosses an odd number of triangles --- */

typedef struct x_ray {
  mo_aabb box; /* around the ray */
  mo_vec3 point;
  const mo_affine *bake;
  uint32_t crossings;
} x_ray;

static inline uint32_t cull_x_ray(const mo_bounds8 *bounds, const void *query) {
  const x_ray *q = query;
  mo_bounds8 baked;
  return mo_cull_box(mo_bake_bounds(q->bake, bounds, &baked), &q->box);
}

static inline bool is_crossed_by_x_ray(const mo_vec3 corners[3], const void *query) {
  const x_ray *q = query;
  if (q->bake == NULL) {
    return mo_triangle_crosses_x_ray(corners, q->point);
  }
  const mo_vec3 baked[3] = {mo_affine_point_to_world_float(q->bake, corners[0]),
                            mo_affine_point_to_world_float(q->bake, corners[1]),
                            mo_affine_point_to_world_float(q->bake, corners[2])};
  return mo_triangle_crosses_x_ray(baked, q->point);
}

static inline bool count_crossing(uint32_t triangle, void *query) {
  (void)triangle;
  ((x_ray *)query)->crossings++;
  return true;
}

static const mo_triangle_visitor x_ray_visitor = {cull_x_ray, NULL, is_crossed_by_x_ray,
                                                  count_crossing};

MO_INLINE bool is_inside(const mo_mesh *mesh, mo_mesh_format format, mo_vec3 point,
                         const mo_affine *bake, mo_query_stats *stats) {
  mo_aabb box = bake != NULL ? mo_affine_aabb_to_world(bake, mesh->bounds) : mesh->bounds;
  x_ray q = {.box = {point, point}, .point = point, .bake = bake};
  if (!mo_aabb_contains(box, q.box)) {
    return false; /* an open surface may still be crossed an odd number of times */
  }
  q.box = mo_region_grow(q.box, mo_aabb_reach(box));
  q.box.upper.x = INFINITY;
  mo_visit_triangles(mesh, format, &x_ray_visitor, stats, &q);
  return q.crossings & 1;
}

static bool full_contains(const mo_mesh *mesh, mo_vec3 point, const mo_affine *bake,
                          mo_query_stats *stats) {
  return is_inside(mesh, MO_MESH_FULL, point, bake, stats);
}

static bool compact_contains(const mo_mesh *mesh, mo_vec3 point, const mo_affine *bake,
                             mo_query_stats *stats) {
  return is_inside(mesh, MO_MESH_COMPACT, point, bake, stats);
}

const mo_mesh_overlap_kernels MO_ISA_FN(mo_mesh_overlap_kernels)[MO_MESH_FORMAT_COUNT] = {
    [MO_MESH_FULL] = {full_overlap, full_contains},
    [MO_MESH_COMPACT] = {compact_overlap, compact_contains},
};
