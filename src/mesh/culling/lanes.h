/* Lower bounds of distances and times between a rounded box (mesh/culling/placed.h) and eight
 * triangles or node boxes. For kernels.
 *
 * Any direction gives a valid lower bound of the distance of two convex bodies (a separating axis).
 * So the direction between their closest points need not be exact; only the projections on it must
 * be. */
#ifndef MO_MESH_CULLING_LANES_H
#define MO_MESH_CULLING_LANES_H

#include "math/lanes/vectors.h"
#include "mesh/culling/sides.h"
#include "mesh/visit/visit.h"

/* An upper bound of the relative rounding error of distances and times. */
#define MO_LANES_ROUNDING 0x1p-20f

static inline mo_f8 mo_lanes_sqrt(mo_f8 square) {
  alignas(MO_ALIGNMENT) float root[MO_LANE_COUNT];
  mo_f8_store(root, square);
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    root[i] = sqrtf(root[i]);
  }
  return mo_f8_load(root);
}

static inline mo_f8 mo_lanes_clamp(mo_f8 x, mo_f8 min, mo_f8 max) {
  return mo_f8_min(mo_f8_max(x, min), max);
}

/* --- transformation to the frame of the rounded box --- */

/* Eight boxes that are axis-aligned in the frame of the rounded box. */
typedef struct mo_lanes_boxes {
  mo_lanes3 lower, upper;
} mo_lanes_boxes;

static inline mo_lanes_boxes mo_lanes_load_boxes(const mo_bounds8 *bounds) {
  mo_lanes_boxes boxes;
  for (int axis = 0; axis < 3; axis++) {
    boxes.lower.at[axis] = mo_f8_load(bounds->lower[axis]);
    boxes.upper.at[axis] = mo_f8_load(bounds->upper[axis]);
  }
  return boxes;
}

/* The boxes around eight triangles. */
static inline mo_lanes_boxes mo_lanes_triangle_boxes(const mo_block_corners8 *t) {
  mo_lanes_boxes boxes;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 a = t->corner[0].at[axis], b = t->corner[1].at[axis], c = t->corner[2].at[axis];
    boxes.lower.at[axis] = mo_f8_min(mo_f8_min(a, b), c);
    boxes.upper.at[axis] = mo_f8_max(mo_f8_max(a, b), c);
  }
  return boxes;
}

/* Transforms eight boxes from the mesh's space, and returns the boxes around the images. Monotone,
 * rounding included: if a box contains another one, so do their results. The results for empty
 * boxes are undefined. */
static inline mo_lanes_boxes mo_lanes_transform_boxes(const mo_bounds8 *bounds,
                                                      const mo_transform *map) {
  const mo_vec3 *column[3] = {&map->x_axis, &map->y_axis, &map->z_axis};
  mo_lanes_boxes boxes;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 lower = mo_f8_splat(mo_get(map->origin, axis)), upper = lower;
    for (int i = 0; i < 3; i++) {
      /* Both products, whatever the sign: this takes less time than to choose the sides by it. */
      const mo_f8 factor = mo_f8_splat(mo_get(*column[i], axis));
      const mo_f8 a = mo_f8_mul(factor, mo_f8_load(bounds->lower[i]));
      const mo_f8 b = mo_f8_mul(factor, mo_f8_load(bounds->upper[i]));
      lower = mo_f8_add(lower, mo_f8_min(a, b));
      upper = mo_f8_add(upper, mo_f8_max(a, b));
    }
    boxes.lower.at[axis] = lower;
    boxes.upper.at[axis] = upper;
  }
  return boxes;
}

/* --- the direction between triangles and the rounded box --- */

/* Per lane, the point of a segment that is closest to the origin. */
static inline mo_lanes3 mo_lanes_closest_on_segment(mo_lanes3 from, mo_lanes3 along) {
  mo_f8 square = mo_f8_max(mo_lanes3_dot(along, along), mo_f8_splat(0x1p-126f));
  mo_f8 part = mo_f8_div(mo_f8_sub(mo_f8_splat(0.0f), mo_lanes3_dot(from, along)), square);
  part = mo_lanes_clamp(part, mo_f8_splat(0.0f), mo_f8_splat(1.0f));
  return mo_lanes3_add(from, mo_lanes3_scale(part, along));
}

/* The points of eight triangles that are closest to the origin, approximately. Barycentric weights
 * after Ericson, Real-Time Collision Detection, 2005, 5.1.5. */
static inline mo_lanes3 mo_lanes_closest_on_triangle(const mo_block_corners8 *t) {
  mo_lanes3 a = t->corner[0], b = t->corner[1], c = t->corner[2];
  mo_lanes3 ab = mo_lanes3_sub(b, a), ac = mo_lanes3_sub(c, a);
  mo_lanes3 best = mo_lanes_closest_on_segment(a, ab);
  mo_f8 min = mo_lanes3_dot(best, best);
  for (int i = 0; i < 2; i++) {
    mo_lanes3 other = i == 0 ? mo_lanes_closest_on_segment(a, ac)
                             : mo_lanes_closest_on_segment(b, mo_lanes3_sub(c, b));
    mo_f8 square = mo_lanes3_dot(other, other);
    best = mo_lanes3_select(mo_f8_lt(square, min), other, best);
    min = mo_f8_min(square, min);
  }
  /* Uses products with a, b and c instead of -a, -b and -c, as the signs cancel in pairs. */
  mo_f8 a1 = mo_lanes3_dot(ab, a), a2 = mo_lanes3_dot(ac, a);
  mo_f8 b1 = mo_lanes3_dot(ab, b), b2 = mo_lanes3_dot(ac, b);
  mo_f8 c1 = mo_lanes3_dot(ab, c), c2 = mo_lanes3_dot(ac, c);
  mo_f8 of_c = mo_f8_sub(mo_f8_mul(a1, b2), mo_f8_mul(b1, a2));
  mo_f8 of_b = mo_f8_sub(mo_f8_mul(c1, a2), mo_f8_mul(a1, c2));
  mo_f8 of_a = mo_f8_sub(mo_f8_mul(b1, c2), mo_f8_mul(c1, b2));
  mo_f8 zero = mo_f8_splat(0.0f), sum = mo_f8_add(of_a, mo_f8_add(of_b, of_c));
  mo_m8 inside =
      mo_m8_and(mo_m8_and(mo_f8_lt(zero, of_a), mo_f8_lt(zero, of_b)), mo_f8_lt(zero, of_c));
  sum = mo_f8_max(sum, mo_f8_splat(0x1p-126f));
  mo_lanes3 within = mo_lanes3_add(a, mo_lanes3_add(mo_lanes3_scale(mo_f8_div(of_b, sum), ab),
                                                    mo_lanes3_scale(mo_f8_div(of_c, sum), ac)));
  return mo_lanes3_select(inside, within, best);
}

/* The direction from a point of the rounded box to the closest point of each triangle. The box has
 * moved for `time`, or not at all if it is null. */
static inline mo_lanes3 mo_lanes_direction_to_triangle(const mo_culling_box *box,
                                                       const mo_block_corners8 *t,
                                                       const mo_f8 *time) {
  mo_block_corners8 relative;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 half = mo_f8_splat(box->half[axis]), from = mo_f8_splat(0.0f);
    if (time != NULL) {
      from = mo_f8_mul(*time, mo_f8_splat(box->displacement[axis]));
    }
    mo_f8 middle =
        mo_f8_add(t->corner[0].at[axis], mo_f8_add(t->corner[1].at[axis], t->corner[2].at[axis]));
    middle = mo_f8_sub(mo_f8_mul(mo_f8_splat(1.0f / 3.0f), middle), from);
    from = mo_f8_add(from, mo_lanes_clamp(middle, mo_f8_sub(mo_f8_splat(0.0f), half), half));
    for (int i = 0; i < 3; i++) {
      relative.corner[i].at[axis] = mo_f8_sub(t->corner[i].at[axis], from);
    }
  }
  return mo_lanes_closest_on_triangle(&relative);
}

/* The range of eight triangles along an axis. */
static inline void mo_lanes_project(const mo_block_corners8 *t, mo_lanes3 axis, mo_f8 *low,
                                    mo_f8 *high) {
  const mo_f8 a = mo_lanes3_dot(axis, t->corner[0]), b = mo_lanes3_dot(axis, t->corner[1]),
              c = mo_lanes3_dot(axis, t->corner[2]);
  *low = mo_f8_min(mo_f8_min(a, b), c);
  *high = mo_f8_max(mo_f8_max(a, b), c);
}

/* A lower bound of the gap along a direction between the triangles and the rounded box at t = 0,
 * without its radius. */
static inline mo_f8 mo_lanes_gap_along(const mo_culling_box *box, const mo_block_corners8 *t,
                                       mo_lanes3 direction) {
  mo_f8 beyond, end;
  mo_lanes_project(t, direction, &beyond, &end);
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 half = mo_f8_splat(box->half[axis]);
    beyond = mo_f8_sub(beyond, mo_f8_mul(half, mo_f8_abs(direction.at[axis])));
  }
  return beyond;
}

/* --- lower bounds of distances and times --- */

/* Raises each key to the lower bound in its lane, if the key is less; returns bits of the keys
 * within the limit. */
MO_INLINE uint32_t mo_lanes_raise_keys(double key[MO_LANE_COUNT], mo_f8 bound, double limit) {
  alignas(MO_ALIGNMENT) float bounds[MO_LANE_COUNT];
  uint32_t mask = 0;
  mo_f8_store(bounds, bound);
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    key[i] = (double)bounds[i] > key[i] ? (double)bounds[i] : key[i];
    mask |= (uint32_t)(key[i] <= limit) << i;
  }
  return mask;
}

/* Sets keys to the lower bounds, or to 0 where these are negative; returns bits of the keys within
 * the limit. */
MO_INLINE uint32_t mo_lanes_set_keys(double key[MO_LANE_COUNT], mo_f8 bound, double limit) {
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    key[i] = 0.0;
  }
  return mo_lanes_raise_keys(key, bound, limit);
}

/* Lower bounds of squared distances, less a little, as squares that underflow may round up. */
static inline mo_f8 mo_lanes_square_below(mo_f8 square) {
  return mo_f8_sub(mo_f8_mul(square, mo_f8_splat(1.0f - MO_LANES_ROUNDING)),
                   mo_f8_splat(0x1p-120f));
}

/* Lower bounds of the squared distances of eight boxes from the rounded box; may be negative. */
static inline mo_f8 mo_lanes_box_distance2(const mo_culling_box *box, const mo_lanes_boxes *b) {
  mo_f8 zero = mo_f8_splat(0.0f), sum = zero, error = mo_f8_splat(box->error);
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 half = mo_f8_add(mo_f8_splat(box->half[axis]), error);
    mo_f8 gap = mo_f8_max(b->lower.at[axis], mo_f8_sub(zero, b->upper.at[axis]));
    gap = mo_f8_max(mo_f8_sub(gap, half), zero);
    sum = mo_f8_add(sum, mo_f8_mul(gap, gap));
  }
  return mo_lanes_square_below(sum);
}

/* Lower bounds of the squared distances of eight triangles from the rounded box; may be negative.
 */
static inline mo_f8 mo_lanes_triangle_distance2(const mo_culling_box *box,
                                                const mo_block_corners8 *t) {
  mo_lanes3 direction = mo_lanes_direction_to_triangle(box, t, NULL);
  mo_f8 length = mo_lanes_sqrt(mo_lanes3_dot(direction, direction));
  mo_f8 beyond = mo_lanes_gap_along(box, t, direction);
  mo_f8 gap = mo_f8_div(beyond, mo_f8_add(length, mo_f8_splat(0x1p-60f)));
  gap = mo_f8_max(mo_f8_sub(gap, mo_f8_splat(box->error)), mo_f8_splat(0.0f));
  return mo_lanes_square_below(mo_f8_mul(gap, gap));
}

#define MO_LANES_NEVER 4.0f /* a time beyond every limit, which is about 1 at most */

/* The earliest times at which a moving box, given by its path, can reach eight boxes. All
 * operations are monotone. */
static inline mo_f8 mo_lanes_path_time(const mo_lanes_path *path, const mo_lanes_boxes *b) {
  mo_f8 enter = mo_f8_splat(0.0f), leave = mo_f8_splat(MO_LANES_NEVER);
  for (int axis = 0; axis < 3; axis++) {
    bool up = path->inverse_displacement[axis] > 0.0f;
    mo_f8 inverse = mo_f8_splat(path->inverse_displacement[axis]);
    mo_f8 near = up ? b->lower.at[axis] : b->upper.at[axis];
    mo_f8 far = up ? b->upper.at[axis] : b->lower.at[axis];
    near = mo_f8_mul(mo_f8_sub(near, mo_f8_splat(path->leading_side[axis])), inverse);
    far = mo_f8_mul(mo_f8_sub(far, mo_f8_splat(path->trailing_side[axis])), inverse);
    enter = mo_f8_max(enter, near);
    leave = mo_f8_min(leave, far);
  }
  enter = mo_f8_mul(enter, mo_f8_splat(1.0f - MO_LANES_ROUNDING));
  leave = mo_f8_mul(leave, mo_f8_splat(1.0f + MO_LANES_ROUNDING));
  return mo_f8_select(mo_f8_lt(leave, enter), mo_f8_splat(MO_LANES_NEVER), enter);
}

/* The earliest times at which the moving box can reach eight triangles; `keys` are lower bounds of
 * these times. */
static inline mo_f8 mo_lanes_triangle_time(const mo_culling_box *box, const mo_block_corners8 *t,
                                           const double keys[MO_LANE_COUNT]) {
  alignas(MO_ALIGNMENT) float times[MO_LANE_COUNT];
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    times[i] = (float)keys[i];
  }
  mo_f8 time = mo_lanes_clamp(mo_f8_load(times), mo_f8_splat(0.0f), mo_f8_splat(1.0f));
  mo_lanes3 direction = mo_lanes_direction_to_triangle(box, t, &time);
  mo_lanes3 displacement = mo_lanes3_splat(box->displacement);
  mo_f8 length = mo_f8_mul(mo_lanes_sqrt(mo_lanes3_dot(direction, direction)),
                           mo_f8_splat(1.0f + MO_LANES_ROUNDING));
  mo_f8 gap = mo_f8_sub(mo_lanes_gap_along(box, t, direction),
                        mo_f8_mul(length, mo_f8_splat(box->radius + 2.0f * box->error)));
  /* Adds the error of the speed, as that of the displacement is up to box->error. */
  mo_f8 speed =
      mo_f8_add(mo_lanes3_dot(direction, displacement), mo_f8_mul(length, mo_f8_splat(box->error)));
  gap = mo_f8_mul(mo_f8_max(gap, mo_f8_splat(0.0f)), mo_f8_splat(1.0f - MO_LANES_ROUNDING));
  return mo_f8_div(gap, mo_f8_max(speed, mo_f8_splat(0x1p-120f)));
}

/* The sum of the squares of the dot products of an axis with some vectors, rounded up where squares
 * may underflow. */
static inline mo_f8 mo_lanes_sum_of_squares(const float (*vector)[3], int count, mo_lanes3 axis) {
  mo_f8 sum = mo_f8_splat(0x1p-120f);
  for (int i = 0; i < count; i++) {
    const mo_f8 along = mo_lanes3_dot(axis, mo_lanes3_splat(vector[i]));
    sum = mo_f8_add(sum, mo_f8_mul(along, along));
  }
  return sum;
}

/* --- separating axes in time, as in geometry/penetration/box_triangle.c --- */

/* For each of eight triangles, an interval of time. Outside of it, one of the axes tested so far
 * separates the triangle from the moving box. */
typedef struct mo_lanes_time_span {
  mo_f8 enter, leave;
  float min_depth;
  uint32_t shallow_triangles; /* bits of triangles whose overlap at t = 0 is surely less than
                                 min_depth */
} mo_lanes_time_span;

/* Whether some interval is not empty. */
static inline bool mo_lanes_has_time(const mo_lanes_time_span *span) {
  return mo_m8_bits(mo_f8_le(span->enter, span->leave)) != 0;
}

/* Narrows the intervals of time by a separating axis, on which the triangles extend from `low` to
 * `high` and the box, without its rounding, by `reach`. */
static inline void mo_lanes_narrow_times_by_axis(const mo_culling_box *box, mo_lanes3 axis,
                                                 mo_f8 low, mo_f8 high, mo_f8 reach,
                                                 mo_lanes_time_span *span) {
  const mo_f8 zero = mo_f8_splat(0.0f), tiny = mo_f8_splat(0x1p-110f);
  mo_f8 size =
      mo_f8_add(mo_f8_add(mo_f8_abs(axis.at[0]), mo_f8_abs(axis.at[1])), mo_f8_abs(axis.at[2]));
  mo_f8 blur = mo_f8_add(mo_f8_mul(size, mo_f8_splat(box->error)), tiny);
  mo_f8 speed = mo_lanes3_dot(axis, mo_lanes3_splat(box->displacement));
  if (box->radius > 0.0f) {
    const mo_f8 square = mo_lanes3_dot(axis, axis);
    const mo_f8 length =
        mo_lanes_sqrt(mo_f8_add(square, mo_f8_splat(0x1p-120f))); /* `square` may be 0 */
    reach = mo_f8_add(reach, mo_f8_mul(length, mo_f8_splat(box->radius)));
  }
  reach = mo_f8_add(reach, mo_f8_add(blur, blur));
  if (span->min_depth > 0.0f) {
    mo_f8 out = mo_f8_min(mo_f8_add(reach, high), mo_f8_sub(reach, low));
    mo_f8 square = mo_f8_mul(mo_lanes3_dot(axis, axis), mo_f8_splat(1.0f - MO_LANES_ROUNDING));
    square = mo_f8_mul(square, mo_f8_splat(span->min_depth * span->min_depth));
    span->shallow_triangles |=
        mo_m8_bits(mo_f8_lt(mo_f8_mul(out, out), square)) & ~mo_f8_signs(out);
  }
  mo_m8 back = mo_f8_lt(speed, zero);
  speed = mo_f8_abs(speed);
  mo_f8 ahead = mo_f8_sub(mo_f8_select(back, mo_f8_sub(zero, high), low), reach);
  mo_f8 behind = mo_f8_add(mo_f8_select(back, mo_f8_sub(zero, low), high), reach);
  /* If the sign of the speed is uncertain, uses the greater of the gaps on both sides of the
   * triangle, and no time of leaving. */
  mo_m8 slow = mo_f8_le(speed, blur);
  ahead = mo_f8_select(slow, mo_f8_max(ahead, mo_f8_sub(zero, behind)), ahead);
  mo_f8 leave = mo_f8_div(behind, mo_f8_max(mo_f8_sub(speed, blur), tiny));
  leave = mo_f8_select(slow, mo_f8_splat(MO_LANES_NEVER), leave);
  span->enter = mo_f8_max(span->enter, mo_f8_div(ahead, mo_f8_add(speed, blur)));
  span->leave = mo_f8_min(span->leave, leave);
}

/* The range from `low` to `high` along an axis of the body (`bounding_planes`), or of the box
 * without its radius if `bounding_planes` is null. */
static inline void mo_lanes_body_range(const mo_culling_box *box,
                                       const mo_bounding_planes *bounding_planes, mo_lanes3 axis,
                                       mo_f8 *low, mo_f8 *high) {
  const mo_f8 zero = mo_f8_splat(0.0f);
  mo_f8 reach = zero, middle = zero;
  *low = *high = zero;
  if (bounding_planes == NULL) {
    for (int i = 0; i < 3; i++) {
      reach = mo_f8_add(reach, mo_f8_mul(mo_f8_splat(box->half[i]), mo_f8_abs(axis.at[i])));
    }
  } else {
    middle = mo_lanes3_dot(axis, mo_lanes3_splat(bounding_planes->middle));
    for (int i = 0; i < bounding_planes->segment_count; i++) {
      reach = mo_f8_add(
          reach, mo_f8_abs(mo_lanes3_dot(axis, mo_lanes3_splat(bounding_planes->segment[i]))));
    }
    for (int i = 0; i < bounding_planes->ellipsoid_count; i++) {
      reach = mo_f8_add(
          reach, mo_lanes_sqrt(mo_lanes_sum_of_squares(bounding_planes->ellipsoid[i], 3, axis)));
    }
    if (bounding_planes->has_cone) {
      const mo_f8 half = mo_lanes3_dot(axis, mo_lanes3_splat(bounding_planes->cone[0]));
      const mo_f8 base = mo_lanes_sqrt(mo_lanes_sum_of_squares(&bounding_planes->cone[1], 2, axis));
      *low = mo_f8_min(mo_f8_sub(zero, half), mo_f8_sub(half, base));
      *high = mo_f8_max(mo_f8_sub(zero, half), mo_f8_add(half, base));
    }
    if (bounding_planes->vertex_count > 0) {
      *low = *high = mo_lanes3_dot(axis, mo_lanes3_splat(bounding_planes->vertex[0]));
    }
    for (int i = 1; i < bounding_planes->vertex_count; i++) {
      const mo_f8 at = mo_lanes3_dot(axis, mo_lanes3_splat(bounding_planes->vertex[i]));
      *low = mo_f8_min(*low, at);
      *high = mo_f8_max(*high, at);
    }
  }
  *low = mo_f8_add(middle, mo_f8_sub(*low, reach));
  *high = mo_f8_add(middle, mo_f8_add(*high, reach));
}

/* Narrows the intervals of time by the triangles' normals as separating axes. */
static inline void mo_lanes_narrow_times_by_normal(const mo_culling_box *box,
                                                   const mo_bounding_planes *bounding_planes,
                                                   const mo_block_corners8 *t,
                                                   const mo_lanes3 edge[3],
                                                   mo_lanes_time_span *span) {
  const mo_f8 half = mo_f8_splat(0.5f);
  mo_lanes3 normal = mo_lanes3_cross(edge[0], edge[1]);
  /* The normal is scaled: its products with the body are squared, and such sixth powers of lengths
   * may overflow. */
  mo_f8 size = mo_f8_add(mo_f8_abs(normal.at[0]), mo_f8_abs(normal.at[1]));
  size = mo_f8_max(mo_f8_add(size, mo_f8_abs(normal.at[2])), mo_f8_splat(0x1p-120f));
  normal = mo_lanes3_scale(mo_f8_div(mo_f8_splat(1.0f), size), normal);
  mo_f8 low, high, below, above;
  mo_lanes_project(t, normal, &low, &high);
  mo_lanes_body_range(box, bounding_planes, normal, &below, &above);
  const mo_f8 middle = mo_f8_mul(half, mo_f8_add(below, above));
  mo_lanes_narrow_times_by_axis(box, normal, mo_f8_sub(low, middle), mo_f8_sub(high, middle),
                                mo_f8_mul(half, mo_f8_sub(above, below)), span);
}

/* Narrows the intervals of time by some of the planes around the body: those with indices in [from,
 * to). */
static inline void mo_lanes_narrow_times_by_planes(const mo_culling_box *box,
                                                   const mo_bounding_planes *bounding_planes,
                                                   int from, int to, const mo_block_corners8 *t,
                                                   mo_lanes_time_span *span) {
  for (int i = from; i < to; i++) {
    const mo_lanes3 normal = mo_lanes3_splat(bounding_planes->normal[i]);
    mo_f8 low, high;
    mo_lanes_project(t, normal, &low, &high);
    const mo_f8 reach = mo_f8_splat(bounding_planes->reach[i] + 4.0f * box->error);
    const mo_f8 gap = mo_f8_sub(low, reach);
    const mo_f8 time = mo_f8_mul(gap, mo_f8_splat(bounding_planes->inverse_speed[i]));
    if (i < bounding_planes->leading_count) {
      span->enter = mo_f8_max(span->enter, time);
    } else {
      span->leave = mo_f8_min(span->leave, time);
    }
    if (span->min_depth > 0.0f) {
      span->shallow_triangles |= mo_m8_bits(mo_f8_lt(mo_f8_splat(-span->min_depth), gap));
    }
  }
}

/* Narrows the intervals of time by a separating axis: the cross product of edge i of the triangles
 * with axis k of the box. */
static inline void mo_lanes_narrow_times_by_edge(const mo_culling_box *box,
                                                 const mo_block_corners8 *t, int i, mo_lanes3 edge,
                                                 int k, mo_lanes_time_span *span) {
  const int l = (k + 1) % 3, m = (k + 2) % 3;
  mo_lanes3 axis;
  axis.at[k] = mo_f8_splat(0.0f);
  axis.at[l] = edge.at[m];
  axis.at[m] = mo_f8_sub(mo_f8_splat(0.0f), edge.at[l]);
  /* The axis is perpendicular to the edge: the projections of one end and of the third corner
   * bound those of the triangle. */
  const mo_lanes3 end = t->corner[i], third = t->corner[(i + 2) % 3];
  mo_f8 a = mo_f8_add(mo_f8_mul(axis.at[l], end.at[l]), mo_f8_mul(axis.at[m], end.at[m]));
  mo_f8 b = mo_f8_add(mo_f8_mul(axis.at[l], third.at[l]), mo_f8_mul(axis.at[m], third.at[m]));
  mo_f8 reach = mo_f8_add(mo_f8_mul(mo_f8_splat(box->half[l]), mo_f8_abs(axis.at[l])),
                          mo_f8_mul(mo_f8_splat(box->half[m]), mo_f8_abs(axis.at[m])));
  mo_lanes_narrow_times_by_axis(box, axis, mo_f8_min(a, b), mo_f8_max(a, b), reach, span);
}

/* Narrows the intervals of time by separating axes perpendicular to the path: the cross products of
 * the triangles' edges with the displacement. They leave all times, or none. */
static inline void mo_lanes_narrow_times_by_path(const mo_culling_box *box,
                                                 const mo_block_corners8 *t,
                                                 const mo_lanes3 edge[3],
                                                 mo_lanes_time_span *span) {
  const mo_lanes3 displacement = mo_lanes3_splat(box->displacement);
  for (int i = 0; i < 3; i++) {
    const mo_lanes3 axis = mo_lanes3_cross(edge[i], displacement);
    /* All corners: rounding rotates the axis of an edge along the path. */
    mo_f8 low, high, below, above;
    mo_lanes_project(t, axis, &low, &high);
    mo_lanes_body_range(box, NULL, axis, &below, &above);
    mo_lanes_narrow_times_by_axis(box, axis, low, high, above, span);
  }
}

/* Bits of the eight boxes that the rounded box overlaps by less than `min_depth` along one of its
 * axes. */
static inline uint32_t mo_lanes_shallow_overlaps(const mo_culling_box *box, const mo_lanes_boxes *b,
                                                 float min_depth) {
  uint32_t mask = 0;
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 reach = mo_f8_splat(box->half[axis] + box->radius + 2.0f * box->error);
    mo_f8 out = mo_f8_min(mo_f8_add(reach, b->upper.at[axis]), mo_f8_sub(reach, b->lower.at[axis]));
    mask |= mo_m8_bits(mo_f8_lt(out, mo_f8_splat(min_depth)));
  }
  return mask;
}

/* The earliest times at which the moving box, or the body in it if `bounding_planes` is not null,
 * can reach eight triangles; beyond every limit if it never does. For a box that is not rounded,
 * exact but for rounding errors; else a lower bound. `shallow` receives bits of triangles that it
 * certainly overlaps at t = 0 by less than `min_depth`, if that is positive. */
static inline mo_f8 mo_lanes_sweep_time(const mo_culling_box *box,
                                        const mo_bounding_planes *bounding_planes,
                                        const mo_block_corners8 *t, float limit, float min_depth,
                                        uint32_t *shallow) {
  const mo_lanes_boxes boxes = mo_lanes_triangle_boxes(t);
  const mo_f8 never = mo_f8_splat(MO_LANES_NEVER), end = mo_f8_splat(limit);
  mo_lanes_time_span span = {
      .enter = mo_lanes_path_time(&box->path, &boxes),
      .leave = end,
      .min_depth = min_depth,
      .shallow_triangles =
          min_depth > 0.0f ? mo_lanes_shallow_overlaps(box, &boxes, min_depth) : 0};
  mo_lanes3 edge[3];
  for (int i = 0; i < 3; i++) {
    edge[i] = mo_lanes3_sub(t->corner[(i + 1) % 3], t->corner[i]);
  }
  if (bounding_planes != NULL && !mo_lanes_has_time(&span)) {
    *shallow = span.shallow_triangles;
    return never;
  }
  mo_lanes_narrow_times_by_normal(box, bounding_planes, t, edge, &span);
  if (bounding_planes != NULL && mo_lanes_has_time(&span)) {
    mo_lanes_narrow_times_by_planes(box, bounding_planes, 0, bounding_planes->leading_count, t,
                                    &span);
    if (mo_lanes_has_time(&span)) {
      mo_lanes_narrow_times_by_planes(box, bounding_planes, bounding_planes->first_trailing,
                                      MO_HULL_TABLE_MAX_FACES, t, &span);
    }
  }
  if (!mo_lanes_has_time(&span)) {
    *shallow = span.shallow_triangles;
    return never;
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      if (box->half[k] > 0.0f) {
        mo_lanes_narrow_times_by_edge(box, t, i, edge[i], k, &span);
      }
    }
  }
  if (box->radius > 0.0f) {
    mo_lanes_narrow_times_by_path(box, t, edge, &span);
  }
  *shallow = span.shallow_triangles;
  span.enter = mo_f8_mul(span.enter, mo_f8_splat(1.0f - MO_LANES_ROUNDING));
  span.leave = mo_f8_mul(span.leave, mo_f8_splat(1.0f + MO_LANES_ROUNDING));
  return mo_f8_select(mo_f8_lt(span.leave, span.enter), never, span.enter);
}

#endif
