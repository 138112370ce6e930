/* The accuracy of rays that motte/query.h states, in proportion to their distance: against long
 * double. On a mesh alone, and in scenes, through the transforms of shapes. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/query.h>

#include "math/affine.h"
#include "oracle/long_double.h"
#include "support/meshes.h"
#include "support/scenes.h"

enum { RAYS = 16 };

/* What the rays of a test were found to be. */
typedef struct ray_tally {
  uint64_t rays, hits;
  uint64_t near;  /* passed the outline within the bound, but beyond a sixteenth of it */
  uint64_t wrong; /* wrong hits and misses among these */
} ray_tally;

static float power_of_two(rng *r, float min, float max) {
  return exp2f(rng_float(r, min, max));
}

/* A triangle of about `size`, often thin, at up to eight times its size from the origin. */
static void make_triangle(rng *r, float size, mo_vec3 corners[3]) {
  mo_vec3 a = rng_direction(r), b = rng_direction(r), at = rng_vec3(r, -8, 8);
  float far = rng_chance(r, 0.5) ? 0 : 1, width = rng_chance(r, 0.7) ? 1 : power_of_two(r, -16, 0);
  for (int i = 0; i < 3; i++) {
    float x = rng_float(r, -1, 1), y = width * rng_float(r, -1, 1);
    corners[i].x = size * (far * at.x + x * a.x + y * b.x);
    corners[i].y = size * (far * at.y + x * a.y + y * b.y);
    corners[i].z = size * (far * at.z + x * a.z + y * b.z);
  }
}

/* A ray from `distance` away at a point of the plane of a triangle: anywhere in the triangle, or
 * close to the outline. */
static mo_ray_def some_ray(rng *r, const sanity_point c[3], double distance) {
  double u = (double)rng_float(r, 0, 1), v = (double)rng_float(r, 0, 1);
  if (rng_chance(r, 0.8)) {
    u = (double)(power_of_two(r, -26, -2) * (rng_chance(r, 0.6) ? 1 : -1));
  }
  v = rng_chance(r, 0.5) ? v : (1 - v) * (1 - u);
  const sanity_point on = {c[0].x + u * (c[1].x - c[0].x) + v * (c[2].x - c[0].x),
                           c[0].y + u * (c[1].y - c[0].y) + v * (c[2].y - c[0].y),
                           c[0].z + u * (c[1].z - c[0].z) + v * (c[2].z - c[0].z)};
  mo_ray_def ray = mo_default_ray_def();
  ray.direction = rng_direction(r);
  ray.origin = (mo_vec3){(float)(on.x - distance * ray.direction.x),
                         (float)(on.y - distance * ray.direction.y),
                         (float)(on.z - distance * ray.direction.z)};
  if (rng_chance(r, 0.8)) { /* right at the point, as closely as floats allow */
    ray.direction = (mo_vec3){(float)(on.x - ray.origin.x), (float)(on.y - ray.origin.y),
                              (float)(on.z - ray.origin.z)};
  }
  return ray;
}

/* Checks a ray, which has hit the triangle or not. `outline`, `gap`: the bounds. */
static void check(const mo_ray_def *ray, const sanity_point c[3], const mo_ray_hit *hit,
                  double outline, double gap, ray_tally *tally) {
  sanity_view view = sanity_ray_view(ray->origin, ray->direction, c);
  bool right = hit->found == (view.inside > 0);
  cr_assert(right || fabs(view.inside) <= outline,
            "from (%a %a %a) along (%a %a %a): passes %g inside, of %g, but %d",
            (double)ray->origin.x, (double)ray->origin.y, (double)ray->origin.z,
            (double)ray->direction.x, (double)ray->direction.y, (double)ray->direction.z,
            view.inside, outline, hit->found);
  tally->rays++;
  tally->hits += hit->found;
  bool near = fabs(view.inside) <= outline && fabs(view.inside) > outline / 16;
  tally->near += near;
  tally->wrong += near && !right;
  /* A ray that ends on the triangle has t = 1, also if it all but lies in the plane. */
  if (hit->found && fabs((double)hit->t - 1) > 0x1p-20) {
    double apart = sanity_ray_gap(ray->origin, ray->direction, c, hit->t, hit->u, hit->v);
    cr_assert_leq(apart, gap, "from (%a %a %a) along (%a %a %a): %g apart, of %g",
                  (double)ray->origin.x, (double)ray->origin.y, (double)ray->origin.z,
                  (double)ray->direction.x, (double)ray->direction.y, (double)ray->direction.z,
                  apart, gap);
  }
}

/* The test means something: many rays hit, many miss, and many pass close to the outline. And only
 * few that pass it by more than a sixteenth of the bound are decided wrongly. */
static void check_tally(const ray_tally *tally) {
  double hits = (double)tally->hits / (double)tally->rays;
  cr_assert(hits > 0.2 && hits < 0.8, "%g", hits);
  cr_assert_gt(tally->near, tally->rays / 20);
  cr_assert_lt(tally->wrong, tally->near / 50);
}

static mo_mesh *mesh_of(const mo_vec3 corners[3]) {
  test_mesh one = {.name = "one"};
  test_mesh_add_corners(&one, corners[0], corners[1], corners[2]);
  mo_mesh *mesh = test_mesh_build(&one);
  test_mesh_free(&one);
  return mesh;
}

/* From beside the triangle to 2^26 times its size away. */
static double some_distance(rng *r, float size) {
  return (double)(size * power_of_two(r, -1, rng_chance(r, 0.5) ? 8 : 26));
}

Test(ray_accuracy, of_a_mesh) {
  rng r = rng_make(rng_seed("ray_accuracy/mesh", 363));
  uint64_t rounds = rng_rounds(10000, 2000000);
  ray_tally tally = {0};
  for (uint64_t i = 0; i < rounds; i++) {
    float size = power_of_two(&r, -12, 8);
    mo_vec3 corners[3];
    sanity_point c[3];
    make_triangle(&r, size, corners);
    for (int k = 0; k < 3; k++) {
      c[k] = (sanity_point){corners[k].x, corners[k].y, corners[k].z};
    }
    mo_mesh *mesh = mesh_of(corners);
    for (int k = 0; k < RAYS; k++) {
      mo_ray_def ray = some_ray(&r, c, some_distance(&r, size));
      sanity_view view = sanity_ray_view(ray.origin, ray.direction, c);
      mo_ray_hit hit;
      if (view.near_t > 0) {
        cr_assert_eq(mo_mesh_cast_ray(mesh, &ray, &hit, NULL), MO_OK);
        check(&ray, c, &hit, 0x1p-20 * view.reach, 0x1p-17 * view.reach, &tally);
      }
    }
    mo_mesh_release(mesh);
  }
  check_tally(&tally);
}

static sanity_point image_of(const mo_transform *map, mo_vec3 p) {
  long double x = p.x, y = p.y, z = p.z;
  return (sanity_point){map->origin.x + x * map->x_axis.x + y * map->y_axis.x + z * map->z_axis.x,
                        map->origin.y + x * map->x_axis.y + y * map->y_axis.y + z * map->z_axis.y,
                        map->origin.z + x * map->x_axis.z + y * map->y_axis.z + z * map->z_axis.z};
}

/* Rays at a triangle in a scene under transforms of one kind, which keep the shape of things or do
 * not. */
static void check_in_scenes(rng *r, rng_transform_kind kind, double outline, double gap,
                            ray_tally *tally) {
  float size = power_of_two(r, -12, 8);
  mo_vec3 corners[3];
  sanity_point c[3];
  make_triangle(r, size, corners);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = mesh_of(corners);
  shape.transform = rng_transform(r, kind, size * power_of_two(r, -2, 12));
  mo_scene *scene = test_scene_empty();
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
  const mo_vec3 at = shape.transform.origin;
  mo_affine affine;
  double width = 0;
  cr_assert_eq(mo_affine_init(&affine, &shape.transform), MO_OK);
  for (int k = 0; k < 3; k++) {
    mo_vec3 p = mo_transform_point(&shape.transform, corners[k]);
    c[k] =
        affine.invertible ? image_of(&shape.transform, corners[k]) : (sanity_point){p.x, p.y, p.z};
    width = fmax(width, fabs((double)(c[k].x - c[0].x)) + fabs((double)(c[k].y - c[0].y)) +
                            fabs((double)(c[k].z - c[0].z)));
  }
  for (int k = 0; k < RAYS && width > 0; k++) {
    mo_ray_def ray = some_ray(r, c, some_distance(r, (float)width));
    sanity_view view = sanity_ray_view(ray.origin, ray.direction, c);
    const sanity_point middle[3] = {{at.x, at.y, at.z}, {at.x, at.y, at.z}, {at.x, at.y, at.z}};
    double reach = fmax(view.reach, sanity_ray_view(ray.origin, ray.direction, middle).reach);
    mo_ray_hit hit;
    if (view.near_t > 0) {
      cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_OK);
      check(&ray, c, &hit, outline * reach, gap * reach, tally);
    }
  }
  mo_scene_destroy(scene);
  mo_mesh_release(shape.geometry.mesh);
}

Test(ray_accuracy, through_transforms_that_keep_angles) {
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_UNIFORM_SCALE, RNG_FAR};
  rng r = rng_make(rng_seed("ray_accuracy/angles", 364));
  uint64_t rounds = rng_rounds(5000, 1000000);
  ray_tally tally = {0};
  for (uint64_t i = 0; i < rounds; i++) {
    check_in_scenes(&r, kinds[i % 3], 0x1p-19, 0x1p-17, &tally);
  }
  check_tally(&tally);
}

Test(ray_accuracy, through_all_transforms) {
  static const rng_transform_kind kinds[] = {RNG_NONUNIFORM_SCALE, RNG_SHEAR, RNG_MIRROR};
  rng r = rng_make(rng_seed("ray_accuracy/all", 365));
  uint64_t rounds = rng_rounds(5000, 1000000);
  ray_tally tally = {0};
  for (uint64_t i = 0; i < rounds; i++) {
    check_in_scenes(&r, kinds[i % 3], 0x1p-16, 0x1p-14, &tally);
  }
  check_tally(&tally);
}
