/* What is true of a configuration, with proof.
 *
 * Each pair of convex pieces is decided by Motte's signed distance, of which only the normal and
 * the points are used, as witnesses that are then checked by plain geometry in double precision:
 * pieces are apart if a plane lies between them, and touch if they have a point in common. */
#include "motion_referee.h"

#include <motte/motte.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

/* Within this distance (m) either answer is right: engines round poses of bodies of this size, and
 * search iteratively, to about a tenth of it. */
static const double TOLERANCE = 1e-5;

/* How far (m) a common point may be outside of a piece. */
static const double OUTSIDE = 2e-6;

/* Convex, in the world. */
typedef struct piece {
  const bench_motion_body *body;
  const mo_transform *pose;
  bool is_triangle;
  double corners[3][3]; /* of a triangle */
  double lower[3], upper[3];
} piece;

/* Vectors. */

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double to[3]) {
  for (int i = 0; i < 3; i++) {
    to[i] = a[i] - b[i];
  }
}

static void cross(const double a[3], const double b[3], double to[3]) {
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3, l = (i + 2) % 3;
    to[i] = a[k] * b[l] - a[l] * b[k];
  }
}

/* False: it has no direction. */
static bool normalise(double v[3]) {
  double length = sqrt(dot(v, v));
  for (int i = 0; i < 3 && length > 0; i++) {
    v[i] /= length;
  }
  return length > 0;
}

static void to_doubles(mo_vec3 v, double to[3]) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}

static void transform(const mo_transform *pose, mo_vec3 p, double to[3]) {
  double x[3], y[3], z[3];
  to_doubles(pose->x_axis, x);
  to_doubles(pose->y_axis, y);
  to_doubles(pose->z_axis, z);
  to_doubles(pose->origin, to);
  for (int i = 0; i < 3; i++) {
    to[i] += (double)p.x * x[i] + (double)p.y * y[i] + (double)p.z * z[i];
  }
}

/* Components of a vector, or of a point relative to the origin, along the axes. */
static void components(const mo_transform *pose, const double v[3], double to[3]) {
  const mo_vec3 axes[3] = {pose->x_axis, pose->y_axis, pose->z_axis};
  for (int i = 0; i < 3; i++) {
    double axis[3];
    to_doubles(axes[i], axis);
    to[i] = dot(axis, v);
  }
}

/* Pieces. */

static double reach_of_points(const piece *self, const double direction[3]) {
  double reach = -INFINITY;
  if (self->is_triangle) {
    for (int i = 0; i < 3; i++) {
      reach = fmax(reach, dot(self->corners[i], direction));
    }
    return reach;
  }
  const struct triangles *hull = &self->body->mesh->triangles;
  for (uint32_t i = 0; i < hull->vertex_count; i++) {
    double p[3];
    transform(self->pose, hull->positions[i], p);
    reach = fmax(reach, dot(p, direction));
  }
  return reach;
}

/* How far a piece reaches in a direction of length one. */
static double reach(const piece *self, const double direction[3]) {
  const bench_motion_body *body = self->body;
  double center[3], along[3];
  if (self->is_triangle || body->shape == BENCH_MOTION_HULL) {
    return reach_of_points(self, direction);
  }
  transform(self->pose, body->center, center);
  if (body->shape == BENCH_MOTION_SPHERE) {
    return dot(center, direction) + body->radius;
  }
  to_doubles(self->pose->origin, center);
  components(self->pose, direction, along);
  if (body->shape == BENCH_MOTION_BOX) {
    return dot(center, direction) + body->half.x * fabs(along[0]) + body->half.y * fabs(along[1]) +
           body->half.z * fabs(along[2]);
  }
  return dot(center, direction) + body->half_length * fabs(along[2]) +
         body->radius * hypot(along[0], along[1]);
}

/* How far a point is outside of a piece, by the plane or round side that it is farthest outside of,
 * and the gradient of that: a convex function, at most 0 inside. */
typedef struct outside {
  double distance, gradient[3];
} outside;

static void raise_to(outside *self, double distance, const double gradient[3]) {
  if (distance > self->distance) {
    self->distance = distance;
    memcpy(self->gradient, gradient, sizeof self->gradient);
  }
}

/* False: it has no normal. */
static bool find_normal(const double corners[3][3], double normal[3]) {
  double a[3], b[3];
  subtract(corners[1], corners[0], a);
  subtract(corners[2], corners[0], b);
  cross(a, b, normal);
  return normalise(normal);
}

/* From the plane of a triangle, on one side only. */
static void raise_by_plane(outside *self, const double corners[3][3], const double normal[3],
                           double sign, const double p[3]) {
  const double gradient[3] = {sign * normal[0], sign * normal[1], sign * normal[2]};
  double from[3];
  subtract(p, corners[0], from);
  raise_to(self, dot(from, gradient), gradient);
}

/* From both sides of its plane, and from the planes through its edges along its normal. */
static outside outside_of_triangle(const double corners[3][3], const double p[3]) {
  outside result = {.distance = -INFINITY};
  double normal[3];
  if (!find_normal(corners, normal)) {
    result.distance = INFINITY;
    return result;
  }
  raise_by_plane(&result, corners, normal, 1, p);
  raise_by_plane(&result, corners, normal, -1, p);
  for (int i = 0; i < 3; i++) {
    double edge[3], out[3], from[3];
    subtract(corners[(i + 1) % 3], corners[i], edge);
    cross(edge, normal, out);
    subtract(p, corners[i], from);
    if (normalise(out)) {
      raise_to(&result, dot(from, out), out);
    }
  }
  return result;
}

static void world_corners(const bench_mesh *mesh, const mo_transform *pose, uint32_t triangle,
                          double corners[3][3]) {
  mo_vec3 local[3];
  bench_mesh_corners(mesh, triangle, local);
  for (int i = 0; i < 3; i++) {
    transform(pose, local[i], corners[i]);
  }
}

static outside outside_of_hull(const piece *self, const double p[3]) {
  const bench_mesh *mesh = self->body->mesh;
  outside result = {.distance = -INFINITY};
  for (uint32_t i = 0; i < mesh->triangles.triangle_count; i++) {
    double corners[3][3], normal[3];
    world_corners(mesh, self->pose, i, corners);
    if (find_normal(corners, normal)) {
      raise_by_plane(&result, corners, normal, 1, p);
    }
  }
  return result;
}

/* From a box, or a cylinder, by its own axes. */
static outside outside_of_sides(const piece *self, const double p[3]) {
  const bench_motion_body *body = self->body;
  const bool is_box = body->shape == BENCH_MOTION_BOX;
  const double half[3] = {body->half.x, body->half.y, is_box ? body->half.z : body->half_length};
  const mo_vec3 axes[3] = {self->pose->x_axis, self->pose->y_axis, self->pose->z_axis};
  double origin[3], from[3], local[3], axis[3][3];
  outside result = {.distance = -INFINITY};
  to_doubles(self->pose->origin, origin);
  subtract(p, origin, from);
  components(self->pose, from, local);
  for (int i = 0; i < 3; i++) {
    to_doubles(axes[i], axis[i]);
  }
  for (int i = is_box ? 0 : 2; i < 3; i++) {
    const double sign = local[i] < 0 ? -1 : 1;
    const double gradient[3] = {sign * axis[i][0], sign * axis[i][1], sign * axis[i][2]};
    raise_to(&result, fabs(local[i]) - half[i], gradient);
  }
  if (!is_box) {
    const double radius = hypot(local[0], local[1]);
    double gradient[3];
    for (int i = 0; i < 3; i++) {
      gradient[i] = radius > 0 ? (local[0] * axis[0][i] + local[1] * axis[1][i]) / radius : 0;
    }
    raise_to(&result, radius - body->radius, gradient);
  }
  return result;
}

static outside outside_of(const piece *self, const double p[3]) {
  outside result;
  double center[3];
  if (self->is_triangle) {
    return outside_of_triangle(self->corners, p);
  }
  if (self->body->shape == BENCH_MOTION_HULL) {
    return outside_of_hull(self, p);
  }
  if (self->body->shape != BENCH_MOTION_SPHERE) {
    return outside_of_sides(self, p);
  }
  transform(self->pose, self->body->center, center);
  subtract(p, center, result.gradient);
  result.distance = sqrt(dot(result.gradient, result.gradient)) - self->body->radius;
  normalise(result.gradient);
  return result;
}

static void find_bounds(piece *self) {
  for (int i = 0; i < 3; i++) {
    const double up[3] = {i == 0, i == 1, i == 2}, down[3] = {-up[0], -up[1], -up[2]};
    self->upper[i] = reach(self, up);
    self->lower[i] = -reach(self, down);
  }
}

static bool bounds_apart(const piece *a, const piece *b) {
  for (int i = 0; i < 3; i++) {
    if (a->lower[i] > b->upper[i] + TOLERANCE || b->lower[i] > a->upper[i] + TOLERANCE) {
      return true;
    }
  }
  return false;
}

/* Pairs. */

static mo_vec3 to_floats(const double v[3]) {
  return (mo_vec3){(float)v[0], (float)v[1], (float)v[2]};
}

/* As the library takes it. The hull, if any, is the caller's. */
static mo_primitive primitive_of(const piece *self, mo_hull **hull) {
  const bench_motion_body *body = self->body;
  mo_geometry geometry = {.type = MO_SHAPE_SPHERE};
  *hull = NULL;
  if (self->is_triangle) {
    return mo_primitive_of_triangle(to_floats(self->corners[0]), to_floats(self->corners[1]),
                                    to_floats(self->corners[2]));
  }
  if (body->shape == BENCH_MOTION_SPHERE) {
    geometry.sphere = (mo_sphere){body->center, body->radius};
  } else if (body->shape == BENCH_MOTION_BOX) {
    geometry.type = MO_SHAPE_BOX;
    geometry.box.half_extents = body->half;
  } else if (body->shape == BENCH_MOTION_CYLINDER) {
    geometry.type = MO_SHAPE_CYLINDER;
    geometry.cylinder =
        (mo_cylinder){{0, 0, -body->half_length}, {0, 0, body->half_length}, body->radius};
  } else {
    mo_hull_def def = mo_default_hull_def();
    def.positions = body->mesh->triangles.positions;
    def.position_count = body->mesh->triangles.vertex_count;
    check(mo_hull_create(&def, hull), "create a hull");
    geometry.type = MO_SHAPE_HULL;
    geometry.hull = *hull;
  }
  return mo_primitive_of_geometry(&geometry, self->pose);
}

/* Searches a point that is in both pieces, or outside of them by rounding, in a ball around where
 * they overlap: by the ellipsoid method with deep cuts (Bland, Goldfarb and Todd, "The Ellipsoid
 * Method: A Survey", Operations Research 29, 1981). */
static bool have_common_point(const piece *a, const piece *b,
                              const mo_primitive_signed_distance *witness) {
  enum { ITERATIONS = 2000, N = 3 };
  double x[3], matrix[3][3] = {{4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
  to_doubles(witness->point_a, x);
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    outside worst = outside_of(a, x);
    const outside other = outside_of(b, x);
    raise_to(&worst, other.distance, other.gradient);
    if (worst.distance <= OUTSIDE) {
      return true;
    }
    double step[3];
    for (int i = 0; i < 3; i++) {
      step[i] = dot(matrix[i], worst.gradient);
    }
    const double width = sqrt(dot(step, worst.gradient)), depth = worst.distance / width;
    if (!(depth < 1)) {
      return false;
    }
    const double by = (1 + N * depth) / (N + 1);
    const double scale = N * N * (1 - depth * depth) / (N * N - 1);
    for (int i = 0; i < 3; i++) {
      step[i] /= width;
      x[i] -= by * step[i];
    }
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        matrix[i][k] = scale * (matrix[i][k] - 2 * by / (1 + depth) * step[i] * step[k]);
      }
    }
  }
  return false;
}

/* Whether a plane with the normal lies between the pieces. */
static bool are_separated(const piece *a, const piece *b, mo_vec3 normal) {
  double n[3];
  to_doubles(normal, n);
  if (!normalise(n)) {
    return false;
  }
  const double back[3] = {-n[0], -n[1], -n[2]};
  return -reach(b, back) - reach(a, n) > 0.5 * TOLERANCE;
}

static bench_motion_verdict judge_pieces(const piece *a, const piece *b) {
  mo_hull *hulls[2];
  mo_primitive_signed_distance witness;
  if (bounds_apart(a, b)) {
    return BENCH_MOTION_APART;
  }
  mo_primitive p = primitive_of(a, &hulls[0]), q = primitive_of(b, &hulls[1]);
  check(mo_primitive_find_signed_distance(&p, &q, INFINITY, &witness), "find a distance");
  mo_hull_release(hulls[0]);
  mo_hull_release(hulls[1]);
  if (fabs(witness.distance) <= TOLERANCE) {
    return BENCH_MOTION_CLOSE;
  }
  if (witness.distance > 0) {
    if (!are_separated(a, b, witness.normal)) {
      fail("no plane separates two pieces at a distance of %g", witness.distance);
    }
    return BENCH_MOTION_APART;
  }
  if (!have_common_point(a, b, &witness)) {
    fail("two pieces that overlap by %g have no common point", -witness.distance);
  }
  return BENCH_MOTION_TOUCH;
}

/* Bodies. */

static uint32_t piece_count(const bench_motion_body *body) {
  return body->shape == BENCH_MOTION_MESH ? body->mesh->triangles.triangle_count : 1;
}

static piece piece_of(const bench_motion_body *body, const mo_transform *pose, uint32_t i) {
  piece self = {.body = body, .pose = pose, .is_triangle = body->shape == BENCH_MOTION_MESH};
  if (self.is_triangle) {
    world_corners(body->mesh, pose, i, self.corners);
  }
  find_bounds(&self);
  return self;
}

static bench_motion_verdict worse(bench_motion_verdict a, bench_motion_verdict b) {
  return a > b ? a : b;
}

bench_motion_verdict bench_motion_judge_bodies(const bench_motion_body *a,
                                               const mo_transform *pose_a,
                                               const bench_motion_body *b,
                                               const mo_transform *pose_b) {
  bench_motion_verdict verdict = BENCH_MOTION_APART;
  piece *others = allocate(piece_count(b), sizeof *others);
  for (uint32_t k = 0; k < piece_count(b); k++) {
    others[k] = piece_of(b, pose_b, k);
  }
  for (uint32_t i = 0; i < piece_count(a) && verdict < BENCH_MOTION_TOUCH; i++) {
    const piece one = piece_of(a, pose_a, i);
    for (uint32_t k = 0; k < piece_count(b) && verdict < BENCH_MOTION_TOUCH; k++) {
      verdict = worse(verdict, judge_pieces(&one, &others[k]));
    }
  }
  free(others);
  return verdict;
}

bench_motion_verdict bench_motion_judge_link(const bench_motion_links *links, uint32_t link,
                                             const mo_transform *pose,
                                             const bench_motion_bodies *obstacles) {
  bench_motion_verdict verdict = BENCH_MOTION_APART;
  for (uint32_t i = links->first_part[link]; i < links->first_part[link + 1]; i++) {
    for (size_t k = 0; k < obstacles->count && verdict < BENCH_MOTION_TOUCH; k++) {
      const bench_motion_body *obstacle = &obstacles->item[k];
      verdict = worse(verdict,
                      bench_motion_judge_bodies(&links->parts[i], pose, obstacle, &obstacle->pose));
    }
  }
  return verdict;
}

static bench_motion_verdict judge_pair(const bench_motion_links *links, uint32_t a, uint32_t b,
                                       const mo_transform *poses) {
  bench_motion_verdict verdict = BENCH_MOTION_APART;
  for (uint32_t i = links->first_part[a]; i < links->first_part[a + 1]; i++) {
    for (uint32_t k = links->first_part[b];
         k < links->first_part[b + 1] && verdict < BENCH_MOTION_TOUCH; k++) {
      verdict = worse(verdict, bench_motion_judge_bodies(&links->parts[i], &poses[a],
                                                         &links->parts[k], &poses[b]));
    }
  }
  return verdict;
}

bench_motion_verdict bench_motion_judge(const bench_motion_links *links, const mo_transform *poses,
                                        const bench_motion_bodies *obstacles) {
  bench_motion_verdict verdict = BENCH_MOTION_APART;
  for (uint32_t i = 0; i < links->count && verdict < BENCH_MOTION_TOUCH; i++) {
    verdict = worse(verdict, bench_motion_judge_link(links, i, &poses[i], obstacles));
  }
  for (uint32_t i = 0; i < links->pair_count && verdict < BENCH_MOTION_TOUCH; i++) {
    verdict = worse(verdict, judge_pair(links, links->pairs[i][0], links->pairs[i][1], poses));
  }
  return verdict;
}
