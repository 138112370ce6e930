/* Convex solids: making them, their support points and their bounds. */
#include "geometry/convex.h"

#include <float.h>

static mo_convex convex_under(const mo_transform *map) {
  mo_convex convex = {
      .column = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)},
      .origin = mo_widen(map->origin)};
  return convex;
}

mo_convex mo_convex_sphere(mo_sphere sphere, const mo_transform *map) {
  mo_convex convex = convex_under(map);
  convex.type = MO_CONVEX_SPHERE;
  convex.a = convex.b = mo_widen(sphere.center);
  convex.radius = sphere.radius;
  return convex;
}

mo_convex mo_convex_box(mo_vec3 center, mo_vec3 half_extents, const mo_transform *map) {
  mo_convex convex = convex_under(map);
  convex.type = MO_CONVEX_BOX;
  convex.a = mo_widen(center);
  convex.b = mo_widen(half_extents);
  return convex;
}

mo_convex mo_convex_capsule(mo_vec3 a, mo_vec3 b, float radius, const mo_transform *map) {
  mo_convex convex = convex_under(map);
  convex.type = MO_CONVEX_CAPSULE;
  convex.a = mo_widen(a);
  convex.b = mo_widen(b);
  convex.radius = radius;
  return convex;
}

/* Whether the sum or the difference of two floats is no double. */
static bool is_rounded(float x, float y) {
  mo_sum plus = {.value = x}, minus = {.value = x};
  mo_sum_add(&plus, y);
  mo_sum_add(&minus, -(double)y);
  return plus.error != 0.0 || minus.error != 0.0;
}

mo_convex mo_convex_aabb(mo_aabb box) {
  mo_dvec3 lower = mo_widen(box.lower), upper = mo_widen(box.upper);
  return (mo_convex){.type = MO_CONVEX_BOX,
                     .a = mo_dscale(0.5, mo_dadd(lower, upper)),
                     .b = mo_dscale(0.5, mo_dsub(upper, lower)),
                     .column = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                     .is_rounded = is_rounded(box.upper.x, box.lower.x) ||
                                   is_rounded(box.upper.y, box.lower.y) ||
                                   is_rounded(box.upper.z, box.lower.z),
                     .box = box};
}

static mo_dvec3 map_linear(const mo_convex *convex, mo_dvec3 p) {
  return mo_dadd(mo_dadd(mo_dscale(p.x, convex->column[0]), mo_dscale(p.y, convex->column[1])),
                 mo_dscale(p.z, convex->column[2]));
}

mo_dvec3 mo_convex_support(const mo_convex *convex, mo_dvec3 direction) {
  double largest = fmax(fabs(direction.x), fmax(fabs(direction.y), fabs(direction.z)));
  if (largest > 0.0) {
    direction = mo_dvec(direction.x / largest, direction.y / largest, direction.z / largest);
  }
  /* The farthest point of an image lies farthest along the transposed map of the direction. */
  mo_dvec3 local =
      mo_dvec(mo_ddot(convex->column[0], direction), mo_ddot(convex->column[1], direction),
              mo_ddot(convex->column[2], direction));
  mo_dvec3 point = convex->a;
  if (convex->type == MO_CONVEX_BOX) {
    point = mo_dadd(point, mo_dvec(copysign(convex->b.x, local.x), copysign(convex->b.y, local.y),
                                   copysign(convex->b.z, local.z)));
  } else {
    if (mo_ddot(mo_dsub(convex->b, convex->a), local) > 0.0) {
      point = convex->b;
    }
    double length = sqrt(mo_ddot(local, local));
    if (length > 0.0) {
      point = mo_dadd(point, mo_dscale(convex->radius / length, local));
    }
  }
  return mo_dadd(convex->origin, map_linear(convex, point));
}

static double coordinate(mo_dvec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static mo_dvec3 row_of(const mo_convex *convex, int axis) {
  return mo_dvec(coordinate(convex->column[0], axis), coordinate(convex->column[1], axis),
                 coordinate(convex->column[2], axis));
}

/* Adds row `axis` of the map times `point`. Products of floats are exact in double. */
static void add_mapped(const mo_convex *convex, int axis, mo_dvec3 point, double factor,
                       mo_sum *sum) {
  mo_dvec3 row = row_of(convex, axis);
  mo_sum_add(sum, factor * (row.x * point.x));
  mo_sum_add(sum, factor * (row.y * point.y));
  mo_sum_add(sum, factor * (row.z * point.z));
}

void mo_convex_add_center(const mo_convex *convex, double sign, mo_sum sum[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    mo_sum_add(&sum[axis], sign * coordinate(convex->origin, axis));
    if (convex->type == MO_CONVEX_CAPSULE) {
      add_mapped(convex, axis, convex->a, 0.5 * sign, &sum[axis]);
      add_mapped(convex, axis, convex->b, 0.5 * sign, &sum[axis]);
    } else {
      add_mapped(convex, axis, convex->a, sign, &sum[axis]);
    }
  }
}

/* radius * |row|, rounded up; exact where the row has one component. */
static double ball_extent(const mo_convex *convex, int axis) {
  mo_dvec3 row = row_of(convex, axis);
  if ((row.x == 0.0) + (row.y == 0.0) + (row.z == 0.0) >= 2) {
    return convex->radius * (fabs(row.x) + fabs(row.y) + fabs(row.z));
  }
  return convex->radius * (sqrt(mo_ddot(row, row)) * (1.0 + 8.0 * DBL_EPSILON));
}

/* The lower and upper bound on one axis, around a centre point and a symmetric extent. */
static void widen_to(const mo_convex *convex, int axis, mo_dvec3 center, double *lower,
                     double *upper) {
  mo_sum low = {0}, high = {0};
  mo_sum_add(&low, coordinate(convex->origin, axis));
  add_mapped(convex, axis, center, 1.0, &low);
  high = low;
  if (convex->type == MO_CONVEX_BOX) {
    mo_dvec3 row = row_of(convex, axis);
    const double extent[3] = {fabs(row.x * convex->b.x), fabs(row.y * convex->b.y),
                              fabs(row.z * convex->b.z)};
    for (int i = 0; i < 3; ++i) {
      mo_sum_add(&low, -extent[i]);
      mo_sum_add(&high, extent[i]);
    }
  } else {
    double extent = ball_extent(convex, axis);
    mo_sum_add(&low, -extent);
    mo_sum_add(&high, extent);
  }
  *lower = fmin(*lower, mo_sum_lower(&low));
  *upper = fmax(*upper, mo_sum_upper(&high));
}

mo_aabb mo_convex_bounds(const mo_convex *convex) {
  if (convex->is_rounded) {
    return convex->box;
  }
  float lower[3], upper[3];
  for (int axis = 0; axis < 3; ++axis) {
    double low = INFINITY, high = -INFINITY;
    widen_to(convex, axis, convex->a, &low, &high);
    if (convex->type == MO_CONVEX_CAPSULE) {
      widen_to(convex, axis, convex->b, &low, &high);
    }
    lower[axis] = mo_round_down(low);
    upper[axis] = mo_round_up(high);
  }
  return (mo_aabb){{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
}
