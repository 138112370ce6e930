/* The closest points of a segment and a triangle, with the ends of the segment, then the edges of
 * the triangle, in lanes. Compiled once per instruction set. */
#include <float.h>

#include "contact/normal/segments.h"
#include "math/four.h"

/* The position of a triangle's closest point: its weights, as of mo_triangle_closest_weights. */
typedef struct weights {
  mo_d4 of[3];
} weights;

static inline void select_weights(mo_l4 mask, int k, mo_d4 first, mo_d4 second, mo_d4 third,
                                  weights *to) {
  to->of[k] = mo_d4_select(mask, first, to->of[k]);
  to->of[(k + 1) % 3] = mo_d4_select(mask, second, to->of[(k + 1) % 3]);
  to->of[(k + 2) % 3] = mo_d4_select(mask, third, to->of[(k + 2) % 3]);
}

/* For each of four points, what mo_triangle_closest_weights returns. */
static inline weights closest_weights(const mo_dvec3 corner[3], const mo_d4vec *point) {
  const mo_d4 none = mo_d4_splat(0.0), one = mo_d4_splat(1.0);
  mo_d4 best = mo_d4_splat(INFINITY);
  weights found = {{none, none, none}};
  mo_dvec3 edge[3];
  double length[3];
  mo_d4vec from[3];
  int longest = 0;
  for (int k = 0; k < 3; k++) {
    const mo_d4vec c = mo_d4vec_splat(corner[k]);
    edge[k] = mo_dsub(corner[(k + 1) % 3], corner[k]);
    length[k] = mo_ddot(edge[k], edge[k]);
    longest = length[k] > length[longest] ? k : longest;
    from[k] = mo_d4vec_sub(point, &c);
  }
  for (int k = 0; k < 3; k++) {
    const mo_d4vec e = mo_d4vec_splat(edge[k]);
    const mo_d4 along = mo_d4vec_dot(&from[k], &e), square = mo_d4_splat(length[k]);
    const mo_d4 t =
        mo_d4_select(along <= none, none, mo_d4_select(along >= square, one, along / square));
    const mo_d4vec part = mo_d4vec_scale(t, &e), before = mo_d4vec_sub(&from[k], &part),
                   gap = mo_d4vec_select(t < one, &before, &from[(k + 1) % 3]);
    const mo_d4 distance2 = mo_d4vec_dot(&gap, &gap);
    const mo_l4 is_closer = distance2 < best;
    best = mo_d4_select(is_closer, distance2, best);
    select_weights(is_closer, k, one - t, t, none, &found);
  }
  const mo_dvec3 base = edge[longest], side = mo_dscale(-1.0, edge[(longest + 2) % 3]);
  const double squared = length[longest], shift = mo_ddot(side, base) / squared;
  mo_dvec3 height = mo_dsub(side, mo_dscale(shift, base));
  const double correction = mo_ddot(height, base) / squared;
  height = mo_dsub(height, mo_dscale(correction, base));
  const double height_squared = mo_ddot(height, height);
  if (squared > 0.0 && height_squared > 16.0 * DBL_EPSILON * DBL_EPSILON * squared) {
    const mo_d4vec *offset = &from[longest];
    const mo_d4 t = mo_d4vec_dot_one(offset, height) / height_squared,
                s = mo_d4vec_dot_one(offset, base) / squared - t * (shift + correction);
    select_weights((t >= none) & (s >= none) & (s + t <= one), longest, one - (s + t), s, t,
                   &found);
  }
  return found;
}

static inline mo_d4 clamp_to_range(mo_d4 x, double a, double b, double c) {
  const double min = mo_dmin(a, mo_dmin(b, c)), max = mo_dmax(a, mo_dmax(b, c));
  return mo_d4_min(mo_d4_max(x, mo_d4_splat(min)), mo_d4_splat(max)) + 0.0;
}

/* For each of four points, what mo_triangle_closest_point returns. */
static inline mo_d4vec closest_points(const mo_dvec3 corner[3], const mo_d4vec *point) {
  const weights w = closest_weights(corner, point);
  mo_d4vec closest = mo_d4vec_splat(corner[0]);
  mo_d4 largest = mo_d4_splat(-INFINITY);
  for (int k = 0; k < 3; k++) {
    const int next = (k + 1) % 3, last = (k + 2) % 3;
    const mo_d4vec c = mo_d4vec_splat(corner[k]),
                   to_next = mo_d4vec_splat(mo_dsub(corner[next], corner[k])),
                   to_last = mo_d4vec_splat(mo_dsub(corner[last], corner[k])),
                   by_next = mo_d4vec_scale(w.of[next], &to_next),
                   by_last = mo_d4vec_scale(w.of[last], &to_last),
                   offset = mo_d4vec_add(&by_next, &by_last), at = mo_d4vec_add(&c, &offset);
    const mo_l4 is_larger = w.of[k] > largest;
    closest = mo_d4vec_select(is_larger, &at, &closest);
    largest = mo_d4_select(is_larger, w.of[k], largest);
  }
  return (mo_d4vec){clamp_to_range(closest.x, corner[0].x, corner[1].x, corner[2].x),
                    clamp_to_range(closest.y, corner[0].y, corner[1].y, corner[2].y),
                    clamp_to_range(closest.z, corner[0].z, corner[1].z, corner[2].z)};
}

/* Of four pairs of segments, the closest points so far. */
typedef struct closest_pairs {
  mo_d4vec center[2], half[2]; /* of the segments */
  mo_d4vec point[2];
  mo_d4 distance;
} closest_pairs;

/* Where the mask is set, replaces the closest points by the points at parameters s and t if these
 * are closer. */
static inline void keep_closer(closest_pairs *p, mo_l4 mask, mo_d4 s, mo_d4 t) {
  const mo_d4vec along = mo_d4vec_scale(s, &p->half[0]), there = mo_d4vec_scale(t, &p->half[1]),
                 a = mo_d4vec_add(&p->center[0], &along), b = mo_d4vec_add(&p->center[1], &there),
                 gap = mo_d4vec_sub(&b, &a);
  const mo_d4 distance = mo_d4_length(&gap);
  const mo_l4 is_closer = mask & (distance < p->distance);
  p->distance = mo_d4_select(is_closer, distance, p->distance);
  p->point[0] = mo_d4vec_select(is_closer, &a, &p->point[0]);
  p->point[1] = mo_d4vec_select(is_closer, &b, &p->point[1]);
}

static inline mo_d4 clamp(mo_d4 x) {
  const mo_d4 one = mo_d4_splat(1.0);
  return mo_d4_select(x < -one, -one, mo_d4_select(x > one, one, x));
}

/* Finds what mo_contact_closest_of_lines finds for each of the four pairs. */
static inline void find_closest(closest_pairs *p) {
  const mo_d4vec *d = &p->half[0], *e = &p->half[1], r = mo_d4vec_sub(&p->center[1], &p->center[0]);
  const mo_d4 none = mo_d4_splat(0.0), one = mo_d4_splat(1.0);
  const mo_d4 dd = mo_d4vec_dot(d, d), ee = mo_d4vec_dot(e, e), de = mo_d4vec_dot(d, e),
              rd = mo_d4vec_dot(&r, d), re = mo_d4vec_dot(&r, e);
  const mo_d4vec cross = mo_d4vec_cross(d, e), re_cross = mo_d4vec_cross(&r, e),
                 rd_cross = mo_d4vec_cross(&r, d);
  const mo_d4 square = mo_d4vec_dot(&cross, &cross), s = mo_d4vec_dot(&re_cross, &cross) / square,
              t = mo_d4vec_dot(&rd_cross, &cross) / square;
  p->distance = mo_d4_splat(INFINITY);
  keep_closer(p, (square > 0x1p-60 * dd * ee) & (mo_d4_abs(s) <= one) & (mo_d4_abs(t) <= one), s,
              t);
  for (int i = 0; i < 2; i++) {
    const mo_d4 end = mo_d4_splat(i == 0 ? -1.0 : 1.0);
    const mo_l4 all = none == none;
    keep_closer(p, all, end, mo_d4_select(ee > none, clamp((end * de - re) / ee), none));
    keep_closer(p, all, mo_d4_select(dd > none, clamp((end * de + rd) / dd), none), end);
  }
}

double MO_ISA_FN(mo_closest_of_segment_and_triangle)(const mo_contact_line *l,
                                                     const mo_dvec3 corner[3], mo_dvec3 points[2]) {
  const mo_dvec3 start = mo_dsub(l->center, l->half), end = mo_dadd(l->center, l->half);
  const mo_d4vec ends = {mo_d4_of(start.x, end.x, start.x, end.x),
                         mo_d4_of(start.y, end.y, start.y, end.y),
                         mo_d4_of(start.z, end.z, start.z, end.z)};
  const mo_d4vec on = closest_points(corner, &ends), gap = mo_d4vec_sub(&on, &ends);
  const mo_d4 distances = mo_d4_length(&gap);
  double min = INFINITY;
  for (int i = 0; i < 2; i++) {
    if (distances[i] < min) {
      min = distances[i];
      points[0] = mo_d4vec_lane(&ends, i);
      points[1] = mo_d4vec_lane(&on, i);
    }
  }
  const mo_dvec3 *c = corner;
  const mo_d4vec first = {mo_d4_of(c[0].x, c[1].x, c[2].x, c[2].x),
                          mo_d4_of(c[0].y, c[1].y, c[2].y, c[2].y),
                          mo_d4_of(c[0].z, c[1].z, c[2].z, c[2].z)};
  const mo_d4vec second = {mo_d4_of(c[1].x, c[2].x, c[0].x, c[0].x),
                           mo_d4_of(c[1].y, c[2].y, c[0].y, c[0].y),
                           mo_d4_of(c[1].z, c[2].z, c[0].z, c[0].z)};
  const mo_d4vec edge = mo_d4vec_sub(&second, &first),
                 half = mo_d4vec_scale(mo_d4_splat(0.5), &edge);
  closest_pairs edges = {{mo_d4vec_splat(l->center), mo_d4vec_add(&first, &half)},
                         {mo_d4vec_splat(l->half), half},
                         {first, first},
                         first.x};
  find_closest(&edges);
  for (int i = 0; i < 3; i++) {
    if (edges.distance[i] < min) {
      min = edges.distance[i];
      points[0] = mo_d4vec_lane(&edges.point[0], i);
      points[1] = mo_d4vec_lane(&edges.point[1], i);
    }
  }
  return min;
}
