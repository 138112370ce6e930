/* The time of impact of triangles whose corners move each on its own, by conservative advancement.
 *
 * The closest points at some time give a normal. Along a fixed normal the heights of all corners
 * are linear in t, so the separation of the triangles along it is the least of nine linear
 * functions, and the time until which the normal separates them is found without iterations. There
 * the next closest points are computed. Only these heights prove that the triangles stay apart, so
 * no error of a distance makes the search miss an impact.
 *
 * The target is half of the slop, and the search ends within three quarters of it. So each step
 * covers the time in which the triangles come closer by a quarter of the slop at least. */
#include "geometry/cast/moving_triangle.h"

#include "geometry/difference/difference.h"
#include "geometry/overlap/overlap.h"

/* After the precise steps, the tolerance is the top speed divided by COARSE_STEPS, so there are at
 * most that many further steps. */
enum { PRECISE_STEPS = 512, COARSE_STEPS = 512 };

/* Two moving triangles, and where they are relative to a corner of the first. */
typedef struct triangle_pair {
  const mo_moving_triangle *side[2];
  mo_dvec3 start[2][3], end[2][3];
} triangle_pair;

static triangle_pair make_pair(const mo_moving_triangle *a, const mo_moving_triangle *b) {
  triangle_pair pair = {.side = {a, b}};
  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < 3; i++) {
      pair.start[s][i] = mo_dsub(pair.side[s]->start[i], a->start[0]);
      pair.end[s][i] = mo_dsub(pair.side[s]->end[i], a->start[0]);
    }
  }
  return pair;
}

static mo_dvec3 between(mo_dvec3 start, mo_dvec3 end, double t) {
  return mo_dadd(mo_dscale(1.0 - t, start), mo_dscale(t, end));
}

static mo_body body_at(const mo_moving_triangle *triangle, double t) {
  mo_dvec3 corners[3];
  for (int i = 0; i < 3; i++) {
    corners[i] = between(triangle->start[i], triangle->end[i], t);
  }
  return mo_body_of_triangle(corners);
}

typedef struct triangle_pose {
  mo_dvec3 corner[2][3];
} triangle_pose;

static mo_difference_point support(void *body, mo_dvec3 along) {
  const triangle_pose *pose = body;
  const mo_dvec3 a = mo_farthest_corner(pose->corner[0], along),
                 b = mo_farthest_corner(pose->corner[1], mo_dscale(-1.0, along));
  return (mo_difference_point){mo_dsub(a, b), a, b};
}

/* The gap at time t, with points as those of the pair. */
static mo_convex_gap gap_at(const triangle_pair *pair, double t) {
  triangle_pose pose;
  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < 3; i++) {
      pose.corner[s][i] = between(pair->start[s][i], pair->end[s][i], t);
    }
  }
  return mo_gjk_distance(support, &pose, mo_dsub(pose.corner[0][0], pose.corner[1][0]), INFINITY,
                         NULL);
}

/* An upper bound of the speed at which points of the triangles approach each other. */
static double max_speed(const triangle_pair *pair) {
  double speed = 0.0;
  for (int s = 0; s < 2; s++) {
    double max = 0.0;
    for (int i = 0; i < 3; i++) {
      max = fmax(max, mo_dlength(mo_dsub(pair->end[s][i], pair->start[s][i])));
    }
    speed += max;
  }
  return speed;
}

/* The time from `t` on until which a normal, of any length, keeps the triangles apart by `target`;
 * `t` itself if they are closer along it then, INFINITY if it does until the end. */
static double separated_until(const triangle_pair *pair, mo_dvec3 normal, double t, double target) {
  double height[2][3], speed[2][3], until = INFINITY;
  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < 3; i++) {
      height[s][i] = mo_ddot(normal, pair->start[s][i]);
      speed[s][i] = mo_ddot(normal, pair->end[s][i]) - height[s][i];
    }
  }
  target *= mo_dlength(normal);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      const double gap = height[1][k] - height[0][i] - target, rate = speed[1][k] - speed[0][i];
      if (!(gap + t * rate > 0.0)) {
        return t;
      }
      if (gap + rate <= 0.0) {
        until = fmin(until, fmax(gap / -rate, t));
      }
    }
  }
  return until;
}

static mo_dvec3 sum_of_corners(const triangle_pair *pair, int side) {
  mo_dvec3 sum = mo_dvec(0.0, 0.0, 0.0);
  for (int i = 0; i < 3; i++) {
    sum = mo_dadd(sum, mo_dadd(pair->start[side][i], pair->end[side][i]));
  }
  return sum;
}

/* The normal of a triangle halfway, on the side to which `to` points. */
static mo_dvec3 normal_halfway(const triangle_pair *pair, int side, mo_dvec3 to) {
  mo_dvec3 corner[3];
  for (int i = 0; i < 3; i++) {
    corner[i] = mo_dadd(pair->start[side][i], pair->end[side][i]);
  }
  const mo_dvec3 n = mo_corners_cross(corner);
  return mo_ddot(n, to) < 0.0 ? mo_dscale(-1.0, n) : n;
}

/* Whether one of a few directions shows without a distance that the triangles stay apart. Most
 * pairs whose boxes meet do, such as neighbours in a mesh. */
static bool surely_stay_apart(const triangle_pair *pair, double slop, double limit) {
  const mo_dvec3 to = mo_dsub(sum_of_corners(pair, 1), sum_of_corners(pair, 0));
  return separated_until(pair, to, 0.0, slop) > limit ||
         separated_until(pair, normal_halfway(pair, 0, to), 0.0, slop) > limit ||
         separated_until(pair, normal_halfway(pair, 1, to), 0.0, slop) > limit;
}

/* The impact at time t, where the triangles have this gap. `normal` is that of the last gap that is
 * not 0. */
static mo_moving_triangle_impact impact_at(const triangle_pair *pair, double t,
                                           const mo_convex_gap *gap, mo_dvec3 normal) {
  const mo_body a = body_at(pair->side[0], t), b = body_at(pair->side[1], t);
  return (mo_moving_triangle_impact){
      .t = t,
      .normal = normal,
      .point =
          mo_dadd(pair->side[0]->start[0], mo_dscale(0.5, mo_dadd(gap->points[0], gap->points[1]))),
      .separation = gap->distance,
      .feature = {mo_feature_along(&a, normal), mo_feature_along(&b, mo_dscale(-1.0, normal))}};
}

static bool touch_at_start(const triangle_pair *pair) {
  const mo_body a = body_at(pair->side[0], 0.0), b = body_at(pair->side[1], 0.0);
  return mo_bodies_within(&a, &b, 0.0);
}

mo_moving_triangle_impact mo_find_moving_triangle_impact(const mo_moving_triangle *a,
                                                         const mo_moving_triangle *b, double slop,
                                                         double limit) {
  const triangle_pair pair = make_pair(a, b);
  mo_moving_triangle_impact impact = {.t = INFINITY};
  if (surely_stay_apart(&pair, slop, limit)) {
    return impact;
  }
  mo_convex_gap gap = gap_at(&pair, 0.0);
  uint32_t distance_count = 1;
  if (gap.distance <= slop && touch_at_start(&pair)) {
    slop = 0.0;
  }
  slop = fmin(slop, gap.distance);
  double t = 0.0, tolerance = 0.25 * slop;
  mo_dvec3 normal = gap.normal;
  bool is_near = false;
  while (slop > 0.0 && !is_near) {
    const double next = separated_until(&pair, normal, t, 0.5 * slop);
    if (next > limit) {
      break;
    }
    is_near = next == t; /* by rounding, if it is not so by the distance */
    t = next;
    gap = gap_at(&pair, t);
    if (distance_count++ == PRECISE_STEPS) {
      tolerance = fmax(tolerance, max_speed(&pair) / COARSE_STEPS);
    }
    is_near = is_near || gap.distance <= 0.5 * slop + tolerance ||
              distance_count == PRECISE_STEPS + COARSE_STEPS;
    normal = gap.distance > 0.0 ? gap.normal : normal;
  }
  if (is_near) {
    impact = impact_at(&pair, t, &gap, normal);
  }
  impact.distance_count = distance_count;
  return impact;
}
