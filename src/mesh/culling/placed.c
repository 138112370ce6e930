/* Makes oriented boxes around bodies. */
#include "mesh/culling/placed.h"

#include "geometry/difference/difference.h"

mo_rounded_box mo_rounded_box_of_ball(mo_dvec3 center, double radius) {
  return (mo_rounded_box){.center = center,
                          .axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                          .radius = radius};
}

/* How many edge directions of a body are listed at most. */
enum { MAX_EDGE_DIRECTIONS = 24 };

typedef struct direction_list {
  mo_dvec3 vector[MAX_EDGE_DIRECTIONS];
  int count;
} direction_list;

static void add_directions(direction_list *d, const mo_dvec3 *vector, int count) {
  for (int i = 0; i < count && d->count < MAX_EDGE_DIRECTIONS; ++i) {
    d->vector[d->count++] = vector[i];
  }
}

static direction_list directions_of(const mo_minkowski *sum) {
  direction_list d = {.count = 0};
  add_directions(&d, sum->segment, sum->segment_count);
  for (int i = 0; i < sum->cone_count; ++i) {
    add_directions(&d, &sum->cone[i].half, 1);
    add_directions(&d, sum->cone[i].disc, 2);
  }
  for (int i = 0; i < sum->hull_count; ++i) {
    add_directions(&d, sum->hull[i].column, 3);
  }
  for (int i = 0; i < sum->triangle_count; ++i) {
    add_directions(&d, sum->corner[i], 3);
  }
  for (int i = 0; i < sum->ellipsoid_count; ++i) {
    add_directions(&d, sum->axes[i], 3);
  }
  return d;
}

static mo_dvec3 perpendicular_part(mo_dvec3 v, mo_dvec3 unit) {
  return mo_dsub(v, mo_dscale(mo_ddot(v, unit), unit));
}

/* Finds the axes of a box around a body: its longest edge direction; the longest component of
 * another direction perpendicular to it; and their cross product. False if there are no two
 * directions that are not parallel, up to rounding. */
static bool find_box_axes(const mo_minkowski *sum, mo_dvec3 axis[3]) {
  const direction_list d = directions_of(sum);
  double min = 1e-200;
  for (int k = 0; k < 2; ++k) {
    mo_dvec3 best = {0.0, 0.0, 0.0};
    for (int i = 0; i < d.count; ++i) {
      mo_dvec3 v = k == 0 ? d.vector[i]
                          : perpendicular_part(perpendicular_part(d.vector[i], axis[0]), axis[0]);
      best = mo_ddot(v, v) > mo_ddot(best, best) ? v : best;
    }
    double square = mo_ddot(best, best);
    if (!(square > min && square < 1e200)) {
      return false;
    }
    min = fmax(min, 0x1p-96 * square);
    axis[k] = mo_dscale(1.0 / sqrt(square), best);
  }
  axis[1] = perpendicular_part(axis[1], axis[0]);
  axis[1] = mo_dscale(1.0 / sqrt(mo_ddot(axis[1], axis[1])), axis[1]);
  axis[2] = mo_dcross(axis[0], axis[1]);
  return true;
}

/* A box around a capsule: along its axis, or along the world axes if it is a ball. */
static mo_rounded_box box_around_capsule(const mo_bounding_capsule *around) {
  mo_rounded_box box = mo_rounded_box_of_ball(around->center, around->radius);
  double length = sqrt(mo_ddot(around->half, around->half));
  if (length > 1e-100) {
    mo_dvec3 along = mo_dscale(1.0 / length, around->half);
    mo_dvec3 beside = perpendicular_part(mo_most_perpendicular_axis(along), along);
    box.axis[0] = along;
    box.axis[1] = mo_dscale(1.0 / sqrt(mo_ddot(beside, beside)), beside);
    box.axis[2] = mo_dcross(box.axis[0], box.axis[1]);
    box.half[0] = length;
  } else {
    box.radius += length;
  }
  return box;
}

mo_rounded_box mo_rounded_box_around(const mo_body *body, const mo_bounding_capsule *around) {
  mo_rounded_box capsule = box_around_capsule(around), box = {.radius = 0.0};
  mo_minkowski sum;
  box.center = mo_minkowski_of(&sum, body);
  if (!find_box_axes(&sum, box.axis)) {
    return capsule;
  }
  for (int k = 0; k < 3; ++k) {
    mo_dvec3 axis = box.axis[k];
    double above = mo_minkowski_support_distance(&sum, axis);
    double below = mo_minkowski_support_distance(&sum, mo_dscale(-1.0, axis));
    box.center = mo_dadd(box.center, mo_dscale(0.5 * (above - below), axis));
    box.half[k] = 0.5 * (above + below) * (1.0 + 0x1p-40);
  }
  double extents = box.half[0] + box.half[1] + box.half[2];
  return capsule.half[0] + 3.0 * capsule.radius <= 1.05 * extents ? capsule : box;
}

mo_rounded_box mo_rounded_box_of_box(const mo_box_body *box) {
  mo_rounded_box placed = {.center = box->center, .radius = 0.0};
  placed.axis[0] = box->direction[0];
  placed.axis[2] = box->normal[2];
  placed.axis[1] = mo_dcross(placed.axis[2], placed.axis[0]);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) {
      placed.half[k] += fabs(mo_ddot(placed.axis[k], box->segment[i])) * (1.0 + 0x1p-40);
    }
  }
  return placed;
}

/* Whether each row of a map has only one entry that is not zero, up to rounding. */
static bool is_aligned(const float rows[3][4]) {
  for (int k = 0; k < 3; ++k) {
    float x = fabsf(rows[k][0]), y = fabsf(rows[k][1]), z = fabsf(rows[k][2]);
    float max = mo_max(mo_max(x, y), z);
    if (!(x + y + z <= max * (1.0f + 0x1p-20f))) {
      return false;
    }
  }
  return true;
}

mo_lanes_path mo_lanes_path_make(const double from[3], const double displacement[3],
                                 const double grow[3], double error) {
  mo_lanes_path path;
  error += 0x1p-100; /* with the least speed a box that is touched is not left before t = 1 */
  for (int k = 0; k < 3; ++k) {
    double sign = displacement[k] < 0.0 ? -1.0 : 1.0;
    double speed = fmax(fabs(displacement[k]), 0x1p-120);
    path.leading_side[k] = (float)(from[k] + sign * (grow[k] + error));
    path.trailing_side[k] = (float)(from[k] - sign * (grow[k] + error));
    path.inverse_displacement[k] = (float)(sign / speed);
  }
  return path;
}

mo_culling_box mo_culling_box_make(const mo_rounded_box *box, mo_dvec3 displacement,
                                   const mo_mesh *mesh, const mo_affine *affine, double tolerance) {
  const mo_transform identity = mo_transform_identity();
  const mo_transform *to_world = affine != NULL ? &affine->to_world : &identity;
  const mo_dvec3 column[3] = {mo_widen(to_world->x_axis), mo_widen(to_world->y_axis),
                              mo_widen(to_world->z_axis)};
  mo_dvec3 origin = mo_dsub(mo_widen(to_world->origin), box->center);
  double terms = box->radius, world = mo_sum_of_magnitudes(box->center);
  float rows[3][4];
  double grow[3], moved[3];
  bool has_sides = false;
  mo_culling_box made = {.radius = (float)box->radius};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) {
      double entry = mo_ddot(box->axis[k], column[i]);
      rows[k][i] = (float)entry;
      terms += fabs(entry) * (double)mo_get(mesh->reach, i);
    }
    const double start = mo_ddot(box->axis[k], origin);
    moved[k] = mo_ddot(box->axis[k], displacement);
    grow[k] = box->half[k] + box->radius;
    rows[k][3] = (float)start;
    made.half[k] = (float)box->half[k];
    made.displacement[k] = (float)moved[k];
    terms += fabs(start) + box->half[k] + fabs(moved[k]);
    has_sides = has_sides || box->half[k] > 0.0;
  }
  made.map = (mo_transform){{rows[0][0], rows[1][0], rows[2][0]},
                            {rows[0][1], rows[1][1], rows[2][1]},
                            {rows[0][2], rows[1][2], rows[2][2]},
                            {rows[0][3], rows[1][3], rows[2][3]}};
  /* The error of the map and of its results is a few units in the last place of the sums of
   * magnitudes. To it the error of the exact test in world space is added. */
  double error = 0x1p-20 * terms + 0x1p-44 * (world + terms) + tolerance;
  made.error = (float)error + 0x1p-100f;
  made.is_usable = terms + error < 1e9; /* so that fourth powers fit in a float */
  made.culls_nodes = made.is_usable && has_sides;
  made.is_aligned = is_aligned(rows);
  const double center[3] = {0.0, 0.0, 0.0};
  made.path = mo_lanes_path_make(center, moved, grow, 2.0 * error);
  return made;
}
