/* Region queries of the triangle octree; compiled once per instruction set. */
#include "geometry/triangle/triangle.h"
#include "mesh/culling/lanes.h"
#include "mesh/overlap/overlap.h"
#include "mesh/visit/visit.h"

/* The gap along an axis between an interval and the box given by a frame's `center` and `half`; 0
 * or negative if they touch. */
static inline mo_f8 gap_along(const mo_region_frame *frame, int axis, mo_f8 lower, mo_f8 upper) {
  mo_f8 center = mo_f8_splat(mo_get(frame->center, axis));
  mo_f8 gap = mo_f8_max(mo_f8_sub(lower, center), mo_f8_sub(center, upper));
  return mo_f8_sub(gap, mo_f8_splat(mo_get(frame->half, axis)));
}

/* Bits of the boxes in the frame that are not culled: they touch `outer` and come within
 * `max_distance2`. */
static inline uint32_t boxes_near_region(const mo_region_frame *frame,
                                         const mo_lanes_boxes *boxes) {
  const mo_f8 *lower = boxes->lower.at, *upper = boxes->upper.at;
  mo_m8 near = mo_f8_le(mo_f8_splat(0.0f), mo_f8_splat(0.0f));
  if (!frame->distance_decides) {
    for (int axis = 0; axis < 3; axis++) {
      mo_f8 below = mo_f8_splat(mo_get(frame->outer.lower, axis));
      mo_f8 above = mo_f8_splat(mo_get(frame->outer.upper, axis));
      near = mo_m8_and(near, mo_m8_and(mo_f8_le(below, upper[axis]), mo_f8_le(lower[axis], above)));
    }
  }
  if (frame->max_distance2 < INFINITY) {
    mo_f8 distance2 = mo_f8_splat(0.0f);
    for (int axis = 0; axis < 3; axis++) {
      mo_f8 gap = mo_f8_max(gap_along(frame, axis, lower[axis], upper[axis]), mo_f8_splat(0.0f));
      distance2 = mo_f8_add(distance2, mo_f8_mul(gap, gap));
    }
    near = mo_m8_and(near, mo_f8_le(distance2, mo_f8_splat(frame->max_distance2)));
  }
  return mo_m8_bits(near);
}

/* boxes_near_region for the boxes of a node. */
static inline uint32_t node_boxes_near_region(const mo_region_frame *frame, const mo_bounds8 *own) {
  /* Not one call for both: compilers then copy the boxes through memory. */
  if (frame->is_mesh_space) {
    const mo_lanes_boxes boxes = mo_lanes_load_boxes(own);
    return boxes_near_region(frame, &boxes);
  }
  const mo_lanes_boxes boxes = mo_lanes_transform_boxes(own, &frame->map);
  return boxes_near_region(frame, &boxes);
}

/* --- triangles that touch a region --- */

/* Bits of the boxes whose images in the world touch a box. */
__attribute__((noinline)) static uint32_t
images_touching_box(const mo_affine *world_map, const mo_bounds8 *own, const mo_aabb *box) {
  mo_bounds8 in_world;
  return mo_boxes_touching_box(mo_bounds_to_query_space(world_map, own, &in_world), box);
}

static inline uint32_t cull_boxes(const mo_bounds8 *own, const void *query) {
  const mo_mesh_overlap *q = query;
  uint32_t mask = 0xff, inside;
  if (q->region->kind == MO_REGION_PLANES) {
    return mo_boxes_not_outside_planes(own, q->region->planes, q->slack, q->region->plane_count,
                                       &inside);
  }
  if (q->has_box) {
    mask = q->world_map != NULL ? images_touching_box(q->world_map, own, &q->box)
                                : mo_boxes_touching_box(own, &q->box);
  }
  if (mask != 0 && q->frame_culls_nodes) {
    mask &= node_boxes_near_region(&q->frame, own);
  }
  return mask;
}

/* Bits of the boxes, given by `lower` and `upper` in the frame, of which all points are certainly
 * in the region. */
static inline uint32_t boxes_surely_inside(const mo_region_frame *frame, const mo_lanes3 *lower,
                                           const mo_lanes3 *upper) {
  mo_f8 distance2 = mo_f8_splat(0.0f);
  uint32_t inside = 0xff;
  for (int axis = 0; axis < 3; axis++) {
    const mo_f8 center = mo_f8_splat(mo_get(frame->center, axis));
    mo_f8 apart = mo_f8_max(mo_f8_sub(upper->at[axis], center), mo_f8_sub(center, lower->at[axis]));
    apart = mo_f8_max(mo_f8_sub(apart, mo_f8_splat(mo_get(frame->half, axis))), mo_f8_splat(0.0f));
    distance2 = mo_f8_add(distance2, mo_f8_mul(apart, apart));
    inside &= mo_m8_bits(
        mo_m8_and(mo_f8_le(mo_f8_splat(mo_get(frame->inner.lower, axis)), lower->at[axis]),
                  mo_f8_le(upper->at[axis], mo_f8_splat(mo_get(frame->inner.upper, axis)))));
  }
  return inside & mo_m8_bits(mo_f8_le(distance2, mo_f8_splat(frame->inner_distance2)));
}

/* Bits of boxes that lie in the region. None if the query ends at the first triangle, as the test
 * would not pay off then. */
static inline uint32_t boxes_inside_region(const mo_bounds8 *own, const void *query) {
  const mo_mesh_overlap *q = query;
  if (q->report == mo_set_found_and_stop || !q->has_frame || q->frame.inner_distance2 < 0.0f) {
    return 0;
  }
  if (q->frame.is_mesh_space) {
    const mo_lanes_boxes boxes = mo_lanes_load_boxes(own);
    return boxes_surely_inside(&q->frame, &boxes.lower, &boxes.upper);
  }
  const mo_lanes_boxes boxes = mo_lanes_transform_boxes(own, &q->frame.map);
  return boxes_surely_inside(&q->frame, &boxes.lower, &boxes.upper);
}

/* Bits of triangles with a corner that is certainly in the region. */
static inline uint32_t triangles_with_corner_inside(const mo_region_frame *frame,
                                                    const mo_block_corners8 *image) {
  uint32_t sure_lanes = 0;
  for (int i = 0; i < 3; i++) {
    sure_lanes |= boxes_surely_inside(frame, &image->corner[i], &image->corner[i]);
  }
  return sure_lanes;
}

/* Culls triangles by a separating axis: about the direction from the inner box of the rounded
 * region to the closest point of each triangle. Returns bits of the triangles that are not culled;
 * `sure_lanes` receives bits of those whose closest point is certainly in the region. */
static inline uint32_t triangles_near_by_direction(const mo_region_frame *frame,
                                                   const mo_block_corners8 *image,
                                                   uint32_t *sure_lanes) {
  const mo_vec3 h = frame->half;
  const int steps = h.x == 0.0f && h.y == 0.0f && h.z == 0.0f ? 1 : 2;
  mo_lanes3 direction, point;
  for (int axis = 0; axis < 3; axis++) { /* the first guess is the centroid */
    const mo_f8 sum = mo_f8_add(mo_f8_add(image->corner[0].at[axis], image->corner[1].at[axis]),
                                image->corner[2].at[axis]);
    point.at[axis] = mo_f8_mul(mo_f8_splat(1.0f / 3.0f), sum);
  }
  for (int step = 0; step < steps; step++) {
    mo_block_corners8 relative;
    for (int axis = 0; axis < 3; axis++) {
      const float center = mo_get(frame->center, axis), half = mo_get(frame->half, axis);
      point.at[axis] =
          mo_lanes_clamp(point.at[axis], mo_f8_splat(center - half), mo_f8_splat(center + half));
      for (int i = 0; i < 3; i++) {
        relative.corner[i].at[axis] = mo_f8_sub(image->corner[i].at[axis], point.at[axis]);
      }
    }
    direction = mo_lanes_closest_on_triangle(&relative);
    point = mo_lanes3_add(point, direction);
  }
  *sure_lanes = boxes_surely_inside(frame, &point, &point);
  /* The gaps between the box and the triangles along the direction, times the length of the
   * direction. */
  mo_f8 beyond = mo_f8_splat(INFINITY);
  for (int i = 0; i < 3; i++) {
    beyond = mo_f8_min(beyond, mo_lanes3_dot(direction, image->corner[i]));
  }
  for (int axis = 0; axis < 3; axis++) {
    const mo_f8 along = direction.at[axis];
    beyond = mo_f8_sub(beyond, mo_f8_mul(mo_f8_splat(mo_get(frame->center, axis)), along));
    beyond = mo_f8_sub(beyond, mo_f8_mul(mo_f8_splat(mo_get(frame->half, axis)), mo_f8_abs(along)));
  }
  const mo_f8 reach2 =
      mo_f8_mul(mo_f8_splat(frame->max_distance2), mo_lanes3_dot(direction, direction));
  const mo_m8 is_beyond =
      mo_m8_and(mo_f8_lt(mo_f8_splat(0.0f), beyond), mo_f8_lt(reach2, mo_f8_mul(beyond, beyond)));
  return ~mo_m8_bits(is_beyond);
}

/* Eight triangles and a region that is a box in the frame, along one axis after the other. */
typedef struct axis_tests {
  mo_f8 half[3];     /* of the box */
  mo_m8 apart, sure; /* some axis separates; all axes clearly show an overlap */
} axis_tests;

/* Tests an axis, of which `low` to `high` are the triangles' projections, relative to the centre of
 * the box, and `radius` that of the box. Rounding errors change each by at most `slack`. */
static inline void test_axis(axis_tests *tests, mo_f8 low, mo_f8 high, mo_f8 radius, mo_f8 slack) {
  const mo_f8 gap = mo_f8_max(low, mo_f8_sub(mo_f8_splat(0.0f), high));
  tests->apart = mo_m8_or(tests->apart, mo_f8_lt(mo_f8_add(radius, slack), gap));
  tests->sure = mo_m8_and(tests->sure, mo_f8_le(mo_f8_add(gap, slack), radius));
}

/* Culls triangles by the separating axes of a box (geometry/triangle/box.c). Returns bits of the
 * triangles that are not culled; `sure_lanes` receives bits of those that certainly overlap. */
static inline uint32_t triangles_near_by_axes(const mo_region_frame *frame,
                                              const mo_block_corners8 *image,
                                              const mo_lanes_boxes *boxes, uint32_t *sure_lanes) {
  const mo_f8 none = mo_f8_splat(0.0f);
  axis_tests tests = {.apart = mo_f8_lt(none, none), .sure = mo_f8_le(none, none)};
  mo_lanes3 corner[3], edge[3];
  mo_f8 error[3], extent[3], reach[3]; /* of coordinates; of the triangles; from the centre */
  const mo_f8 least = mo_f8_splat(0x1p-100f); /* error of products that underflow */
  for (int axis = 0; axis < 3; axis++) {
    const float below = mo_get(frame->outer.lower, axis), above = mo_get(frame->outer.upper, axis),
                inner = mo_get(frame->inner.upper, axis) - mo_get(frame->inner.lower, axis);
    const mo_f8 center = mo_f8_splat(0.5f * (below + above));
    tests.half[axis] = mo_f8_splat(0.5f * (above - below));
    error[axis] = mo_f8_splat(0.5f * (above - below) - 0.5f * inner);
    extent[axis] = mo_f8_sub(boxes->upper.at[axis], boxes->lower.at[axis]);
    test_axis(&tests, mo_f8_sub(boxes->lower.at[axis], center),
              mo_f8_sub(boxes->upper.at[axis], center), tests.half[axis],
              mo_f8_add(error[axis], least));
    reach[axis] = tests.half[axis];
    for (int k = 0; k < 3; k++) {
      corner[k].at[axis] = mo_f8_sub(image->corner[k].at[axis], center);
      edge[k].at[axis] = mo_f8_sub(image->corner[(k + 1) % 3].at[axis], image->corner[k].at[axis]);
      reach[axis] = mo_f8_max(reach[axis], mo_f8_abs(corner[k].at[axis]));
    }
  }
  /* The slack of an axis: errors of its components times the reach of corners and box, and errors
   * of corners and box times its components; at most 6 times (normal) or 4 times (edges) the sums
   * below. */
  const mo_lanes3 normal = mo_lanes3_cross(edge[0], edge[1]);
  mo_f8 low = mo_lanes3_dot(normal, corner[0]), high = low, slack = least, radius = least;
  for (int k = 1; k < 3; k++) {
    const mo_f8 along = mo_lanes3_dot(normal, corner[k]);
    low = mo_f8_min(low, along);
    high = mo_f8_max(high, along);
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    const mo_f8 turned = mo_f8_add(mo_f8_mul(error[j], extent[l]), mo_f8_mul(error[l], extent[j]));
    slack = mo_f8_add(slack, mo_f8_mul(turned, reach[i]));
    radius = mo_f8_add(radius, mo_f8_mul(mo_f8_abs(normal.at[i]), tests.half[i]));
  }
  test_axis(&tests, low, high, radius, mo_f8_mul(mo_f8_splat(6.0f), slack));
  for (int i = 0; i < 3; i++) { /* cross products of edges with axis `i` of the box */
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    const mo_f8 turned = mo_f8_add(mo_f8_mul(error[j], reach[l]), mo_f8_mul(error[l], reach[j]));
    slack = mo_f8_add(mo_f8_mul(mo_f8_splat(4.0f), turned), least);
    for (int k = 0; k < 3; k++) {
      const mo_f8 along_j = edge[k].at[l], against_l = edge[k].at[j];
      const mo_lanes3 *a = &corner[k], *b = &corner[(k + 2) % 3];
      const mo_f8 p = mo_f8_sub(mo_f8_mul(along_j, a->at[j]), mo_f8_mul(against_l, a->at[l])),
                  q = mo_f8_sub(mo_f8_mul(along_j, b->at[j]), mo_f8_mul(against_l, b->at[l]));
      test_axis(&tests, mo_f8_min(p, q), mo_f8_max(p, q),
                mo_f8_add(mo_f8_mul(mo_f8_abs(along_j), tests.half[j]),
                          mo_f8_mul(mo_f8_abs(against_l), tests.half[l])),
                slack);
    }
  }
  const mo_f8 size = mo_f8_max(mo_f8_max(reach[0], reach[1]), reach[2]);
  const mo_m8 finite = mo_f8_le(size, mo_f8_splat(0x1p38f)); /* its cube is */
  *sure_lanes |= mo_m8_bits(mo_m8_and(finite, tests.sure));
  return ~mo_m8_bits(mo_m8_and(finite, tests.apart));
}

/* Whether one triangle that overlaps ends the query. */
static inline bool wants_any(const mo_mesh_overlap *q) {
  return q->report == mo_set_found_and_stop && q->triangle_filter == NULL;
}

/* Culls triangles in the frame. If `any`, one that surely overlaps is enough, and others need not
 * be returned. */
__attribute__((noinline)) static uint32_t cull_in_frame(const mo_region_frame *frame,
                                                        const mo_block_corners8 *image,
                                                        uint32_t lanes, bool any,
                                                        uint32_t *sure_lanes) {
  const mo_lanes_boxes boxes = mo_lanes_triangle_boxes(image);
  const bool is_rounded = frame->max_distance2 < INFINITY;
  uint32_t sure = 0;
  lanes &= boxes_near_region(frame, &boxes);
  if (lanes != 0 && frame->inner_distance2 >= 0.0f && (any || !is_rounded)) {
    sure = triangles_with_corner_inside(frame, image) & lanes;
    if (sure != 0 && any) {
      *sure_lanes = sure;
      return sure;
    }
  }
  if (lanes != 0 && is_rounded) {
    lanes &= triangles_near_by_direction(frame, image, &sure);
  } else if ((lanes & ~sure) != 0 && frame->inner_distance2 >= 0.0f &&
             frame->outer.upper.y < INFINITY) { /* no half-space */
    lanes &= sure | triangles_near_by_axes(frame, image, &boxes, &sure);
  }
  *sure_lanes = sure & lanes;
  return lanes;
}

static inline uint32_t cull_block(const mo_triangle_block *block, uint32_t lanes,
                                  uint32_t *sure_lanes, const void *query) {
  const mo_mesh_overlap *q = query;
  *sure_lanes = 0;
  if (q->has_box && q->world_map == NULL && !(q->has_frame && q->frame.is_mesh_space)) {
    mo_bounds8 bounds = mo_block_bounds(block);
    lanes &= mo_boxes_touching_box(&bounds, &q->box);
  }
  if (q->has_frame && lanes != 0) {
    mo_block_corners8 image;
    if (q->frame.is_mesh_space) {
      for (int i = 0; i < 9; i++) {
        image.corner[i / 3].at[i % 3] = mo_f8_load(block->corner[i / 3][i % 3]);
      }
    } else {
      mo_block_set_corners(&image, block, &q->frame.map);
    }
    lanes = cull_in_frame(&q->frame, &image, lanes, wants_any(q), sure_lanes);
  }
  if (q->overlap_planes != NULL && q->overlap_planes->have_planes && lanes != 0) {
    const mo_culling_box *frame = &q->overlap_planes->culling_box;
    const mo_block_corners8 placed = mo_block_corners(block, &frame->map);
    uint32_t shallow;
    const mo_f8 time =
        mo_lanes_sweep_time(frame, &q->overlap_planes->planes, &placed, 0.0f, 0.0f, &shallow);
    lanes &= mo_m8_bits(mo_f8_le(time, mo_f8_splat(0.0f)));
  }
  return lanes;
}

static inline bool overlaps_region(const mo_vec3 corners[3], const void *query) {
  return mo_mesh_overlap_triangle(query, corners);
}

static inline bool report_if_passes_filter(uint32_t triangle, void *query) {
  const mo_mesh_overlap *q = query;
  return (q->triangle_filter != NULL &&
          !mo_triangle_passes_filter(q->triangle_filter, q->shape, q->child, triangle)) ||
         q->report(triangle, q->context);
}

static const mo_triangle_visitor overlap_visitor = {cull_boxes, boxes_inside_region, cull_block,
                                                    overlaps_region, report_if_passes_filter};

void MO_ISA_FN(mo_mesh_overlap_visit)(const mo_mesh *mesh, mo_mesh_overlap *q) {
  MO_ISA_FN(mo_mesh_overlap_prepare)(mesh, q);
  mo_overlap_planes overlap_planes;
  if (mo_mesh_overlap_wants_planes(q)) {
    overlap_planes.mesh = mesh;
    overlap_planes.negative_test_count = 0;
    overlap_planes.have_planes = false;
    q->overlap_planes = &overlap_planes;
  }
  mo_visit_triangles(mesh, &overlap_visitor, q->stats, q);
  q->overlap_planes = NULL;
}

/* --- whether the ray from a point along +x crosses an odd number of triangles --- */

/* A query that counts how many triangles the ray from a point along +x crosses. */
typedef struct ray_along_x {
  mo_aabb box; /* around the ray */
  mo_vec3 point;
  const mo_affine *world_map;
  uint32_t crossing_count;
} ray_along_x;

static inline uint32_t cull_x_ray(const mo_bounds8 *bounds, const void *query) {
  const ray_along_x *q = query;
  mo_bounds8 in_world;
  return mo_boxes_touching_box(mo_bounds_to_query_space(q->world_map, bounds, &in_world), &q->box);
}

static inline bool is_crossed_by_x_ray(const mo_vec3 corners[3], const void *query) {
  const ray_along_x *q = query;
  if (q->world_map == NULL) {
    return mo_triangle_crosses_x_ray(corners, q->point);
  }
  const mo_vec3 in_world[3] = {mo_affine_point_to_world_float(q->world_map, corners[0]),
                               mo_affine_point_to_world_float(q->world_map, corners[1]),
                               mo_affine_point_to_world_float(q->world_map, corners[2])};
  return mo_triangle_crosses_x_ray(in_world, q->point);
}

static inline bool count_crossing(uint32_t triangle, void *query) {
  (void)triangle;
  ((ray_along_x *)query)->crossing_count++;
  return true;
}

static const mo_triangle_visitor x_ray_visitor = {cull_x_ray, NULL, NULL, is_crossed_by_x_ray,
                                                  count_crossing};

bool MO_ISA_FN(mo_mesh_surrounds_point)(const mo_mesh *mesh, mo_vec3 point,
                                        const mo_affine *world_map, mo_query_stats *stats) {
  const mo_aabb box = mo_mesh_bounds_in_world(mesh, world_map);
  ray_along_x q = {.box = {point, point}, .point = point, .world_map = world_map};
  if (!mo_aabb_contains(box, q.box)) {
    return false; /* outside: but the ray may cross an open surface an odd number of times */
  }
  q.box = mo_region_grow(q.box, mo_aabb_max_coordinates(box));
  q.box.upper.x = INFINITY;
  mo_visit_triangles(mesh, &x_ray_visitor, stats, &q);
  return q.crossing_count & 1;
}
