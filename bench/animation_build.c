#include "animation_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/vector.h"
#include "grow.h"
#include "text.h"

enum { MAX_POINTS = 1 << 28, ROUND = 24 };

static bool is_in_range(mo_vec3 p) {
  return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

uint32_t bench_build_point(const bench_place *place, const double point[3]) {
  bench_builder *to = place->builder;
  mo_vec3 p = bench_affine_apply(&place->affine, point);
  if (!is_in_range(p) || to->position_count == MAX_POINTS) {
    return BENCH_NO_INDEX;
  }
  if (to->position_count == to->position_capacity) {
    to->positions = bench_grow(to->positions, &to->position_capacity, sizeof *to->positions);
  }
  to->positions[to->position_count] = p;
  return (uint32_t)to->position_count++;
}

void bench_build_triangle(const bench_place *place, uint32_t a, uint32_t b, uint32_t c) {
  bench_builder *to = place->builder;
  for (int i = 0; i < 3; i++) {
    if (to->index_count == to->index_capacity) {
      to->indices = bench_grow(to->indices, &to->index_capacity, sizeof *to->indices);
    }
    to->indices[to->index_count++] = i == 0 ? a : i == 1 ? b : c;
  }
}

/* Round shapes: rings of points after one another. */

static void add_band(const bench_place *place, uint32_t low, uint32_t high) {
  for (uint32_t i = 0; i < ROUND; i++) {
    uint32_t next = (i + 1) % ROUND;
    bench_build_triangle(place, low + i, low + next, high + next);
    bench_build_triangle(place, low + i, high + next, high + i);
  }
}

/* The index of its first point, or BENCH_NO_INDEX. */
static uint32_t add_ring(const bench_place *place, const double center[3], const double x[3],
                         const double y[3], double radius) {
  uint32_t index = BENCH_NO_INDEX;
  for (uint32_t i = 0; i < ROUND; i++) {
    double angle = 2 * acos(-1) * i / ROUND, p[3];
    for (int k = 0; k < 3; k++) {
      p[k] = center[k] + radius * (cos(angle) * x[k] + sin(angle) * y[k]);
    }
    index = bench_build_point(place, p);
    if (index == BENCH_NO_INDEX) {
      return BENCH_NO_INDEX;
    }
  }
  return index - (ROUND - 1);
}

bool bench_build_sphere(const bench_place *place, const double sphere[4]) {
  const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
  uint32_t below = BENCH_NO_INDEX;
  for (int i = 0; i <= ROUND / 2; i++) {
    double angle = acos(-1) * i / (ROUND / 2);
    const double center[3] = {sphere[0], sphere[1], sphere[2] - sphere[3] * cos(angle)};
    uint32_t ring = add_ring(place, center, x, y, fabs(sphere[3]) * sin(angle));
    if (ring == BENCH_NO_INDEX) {
      return false;
    }
    if (i > 0) {
      add_band(place, below, ring);
    }
    below = ring;
  }
  return true;
}

static void cross(const double a[3], const double b[3], double product[3]) {
  for (int i = 0; i < 3; i++) {
    product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
}

static double length_of(const double a[3]) {
  return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

bool bench_build_cone(const bench_place *place, const double base[4], const double apex[4]) {
  double axis[3], x[3], y[3];
  for (int i = 0; i < 3; i++) {
    axis[i] = apex[i] - base[i];
  }
  double length = length_of(axis);
  int across = fabs(axis[0]) < 0.6 * length ? 0 : 1;
  cross(axis, (const double[3]){across == 0, across == 1, 0}, x);
  double size = length_of(x);
  if (!(size > 0)) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    x[i] /= size;
    axis[i] /= length;
  }
  cross(axis, x, y);
  uint32_t low = add_ring(place, base, x, y, fabs(base[3]));
  uint32_t high = add_ring(place, apex, x, y, fabs(apex[3]));
  if (low == BENCH_NO_INDEX || high == BENCH_NO_INDEX) {
    return false;
  }
  add_band(place, low, high);
  return true;
}

/* What deforms. */

void bench_build_deforming(const bench_place *place) {
  bench_builder *to = place->builder;
  if (to->deforming_count + 1 >= to->pose_of_capacity) {
    to->pose_of = bench_grow(to->pose_of, &to->pose_of_capacity, sizeof *to->pose_of);
  }
  to->deforming_count++;
  to->pose_of[to->deforming_count - 1] = to->pose_of[to->deforming_count] =
      (uint32_t)to->pose_count;
}

bool bench_build_pose(const bench_place *place, double time, const double corners[3][3]) {
  bench_builder *to = place->builder;
  if (to->pose_count == to->pose_capacity) {
    to->poses = bench_grow(to->poses, &to->pose_capacity, sizeof *to->poses);
  }
  bench_pose *pose = &to->poses[to->pose_count++];
  pose->time = time;
  for (int i = 0; i < 3; i++) {
    pose->corner[i] = bench_affine_apply(&place->affine, corners[i]);
    if (!is_in_range(pose->corner[i])) {
      return false;
    }
  }
  to->pose_of[to->deforming_count] = (uint32_t)to->pose_count;
  return true;
}

/* Meshes and joints. */

static uint32_t add_mesh(bench_animation *animation, bench_animated_mesh mesh) {
  if (animation->mesh_count == animation->mesh_capacity) {
    animation->meshes =
        bench_grow(animation->meshes, &animation->mesh_capacity, sizeof *animation->meshes);
  }
  animation->meshes[animation->mesh_count] = mesh;
  return (uint32_t)animation->mesh_count++;
}

static void add_part(bench_animation *animation, uint32_t joint, uint32_t mesh) {
  if (animation->part_count == animation->part_capacity) {
    animation->parts =
        bench_grow(animation->parts, &animation->part_capacity, sizeof *animation->parts);
  }
  animation->parts[animation->part_count++] = (bench_part){joint, mesh};
}

static bool same_triangles(const struct triangles *a, const struct triangles *b) {
  return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
         memcmp(a->positions, b->positions, a->vertex_count * sizeof *a->positions) == 0 &&
         memcmp(a->indices, b->indices, 3 * a->triangle_count * sizeof *a->indices) == 0;
}

/* Takes the arrays over. */
static void finish_still(bench_animation *animation, const bench_builder *from) {
  struct triangles triangles = {from->positions, from->indices, (uint32_t)from->position_count,
                                (uint32_t)(from->index_count / 3)};
  for (uint32_t i = 0; i < animation->mesh_count; i++) {
    const bench_animated_mesh *other = &animation->meshes[i];
    if (other->pose_of == NULL && same_triangles(&other->mesh->triangles, &triangles)) {
      add_part(animation, from->joint, i);
      triangles_free(&triangles);
      return;
    }
  }
  bench_mesh *mesh = bench_mesh_of(triangles, bench_format("%s", animation->name));
  add_part(animation, from->joint, add_mesh(animation, (bench_animated_mesh){.mesh = mesh}));
}

/* No triangle shares a corner with another; the box is around all poses. */
static void finish_deforming(bench_animation *animation, const bench_builder *from) {
  uint32_t corners = 3 * (uint32_t)from->deforming_count;
  mo_vec3 *all = allocate(3 * from->pose_count, sizeof *all);
  for (size_t i = 0; i < 3 * from->pose_count; i++) {
    all[i] = from->poses[i / 3].corner[i % 3];
  }
  struct triangles triangles = {allocate(corners, sizeof(mo_vec3)),
                                allocate(corners, sizeof(uint32_t)), corners, corners / 3};
  for (uint32_t i = 0; i < corners; i++) {
    triangles.indices[i] = i;
    triangles.positions[i] = all[3 * from->pose_of[i / 3] + i % 3];
  }
  bench_mesh *mesh = bench_mesh_of(triangles, bench_format("%s", animation->name));
  for (size_t i = 0; i < 3 * from->pose_count; i++) {
    mesh->bounds = aabb_with_point(mesh->bounds, all[i]);
  }
  free(all);
  bench_animated_mesh animated = {
      .mesh = mesh, .poses = from->poses, .pose_count = from->pose_count, .pose_of = from->pose_of};
  add_part(animation, from->joint, add_mesh(animation, animated));
}

void bench_build_finish(bench_animation *animation, bench_builder *from) {
  if (from->index_count > 0) {
    finish_still(animation, from);
  } else {
    free(from->positions);
    free(from->indices);
  }
  if (from->deforming_count > 0) {
    finish_deforming(animation, from);
  }
}

uint32_t bench_build_joint(bench_animation *animation, uint32_t parent, bench_affine fixed,
                           uint32_t tracks) {
  if (animation->joint_count == animation->joint_capacity) {
    animation->joints =
        bench_grow(animation->joints, &animation->joint_capacity, sizeof *animation->joints);
  }
  animation->joints[animation->joint_count] = (bench_joint){parent, fixed, tracks};
  return (uint32_t)animation->joint_count++;
}
