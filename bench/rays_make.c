/* The kinds of rays. Each has a seed of its own, so that a case is the same whatever else is run.
 */
#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"
#include "rays.h"

const char *bench_distribution_name(unsigned distribution) {
  static const char *const names[BENCH_DISTRIBUTIONS] = {"primary",    "tiles", "inside",
                                                         "incoherent", "short", "sight"};
  return distribution < BENCH_DISTRIBUTIONS ? names[distribution] : NULL;
}

static mo_vec3 add_scaled(mo_vec3 a, double s, mo_vec3 b) {
  return (mo_vec3){(float)(a.x + s * b.x), (float)(a.y + s * b.y), (float)(a.z + s * b.z)};
}

static mo_vec3 unit(mo_vec3 v) {
  double length = sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
  return length > 0 ? add_scaled((mo_vec3){0, 0, 0}, 1 / length, v) : (mo_vec3){1, 0, 0};
}

static mo_vec3 cross(mo_vec3 a, mo_vec3 b) {
  return (mo_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static mo_vec3 towards(mo_vec3 from, mo_vec3 to) {
  return unit(add_scaled(to, -1, from));
}

static mo_vec3 point_between(mo_aabb box, const double place[3]) {
  return (mo_vec3){(float)(box.lower.x + place[0] * ((double)box.upper.x - box.lower.x)),
                   (float)(box.lower.y + place[1] * ((double)box.upper.y - box.lower.y)),
                   (float)(box.lower.z + place[2] * ((double)box.upper.z - box.lower.z))};
}

struct pixel {
  size_t x, y;
};

/* The i-th pixel of a picture tile by tile; the last row and column of tiles are cut off. */
static struct pixel pixel_in_tiles(size_t i, size_t width, size_t height) {
  enum { TILE = 8, PART = 4 };
  size_t band = i / (TILE * width) * TILE; /* a row of tiles */
  size_t rows = height - band < TILE ? height - band : TILE;
  i -= band * width;
  size_t column = i / (TILE * rows) * TILE;
  size_t columns = width - column < TILE ? width - column : TILE;
  i -= column * rows;
  if (rows < TILE || columns < TILE) {
    return (struct pixel){column + i % columns, band + i / columns};
  }
  size_t part = i / (PART * PART), within = i % (PART * PART);
  return (struct pixel){column + part % 2 * PART + within % PART,
                        band + part / 2 * PART + within / PART};
}

void bench_make_picture(bench_ray *rays, size_t count, bool tiles, const bench_camera *camera) {
  mo_vec3 right = unit(cross(camera->up, camera->back)), up = cross(camera->back, right);
  size_t width = (size_t)ceil(sqrt((double)count));
  size_t height = (count + width - 1) / (width > 0 ? width : 1);
  for (size_t i = 0; i < count; i++) {
    struct pixel at = {i % width, i / width};
    if (tiles) {
      at = pixel_in_tiles(i, width, height);
    }
    double x = ((double)at.x + 0.5) / (double)width * 2 - 1;
    double y = ((double)at.y + 0.5) / (double)height * 2 - 1;
    mo_vec3 target = add_scaled(camera->eye, -1, camera->back);
    target = add_scaled(add_scaled(target, camera->reach * x, right), -camera->reach * y, up);
    rays[i] = (bench_ray){camera->eye, towards(camera->eye, target), INFINITY};
  }
}

/* Eight pictures that look into directions spread evenly over the sphere. From outside, the ball
 * around the mesh fills each; from inside, eyes are spread over the middle half of the box, and
 * pictures are 90 degrees wide. */
static void make_pictures(bench_ray *rays, size_t count, bench_distribution distribution,
                          mo_aabb box, mo_vec3 center, double radius) {
  enum { VIEWS = 8 };
  size_t made = 0;
  for (int view = 0; view < VIEWS; view++) {
    size_t share = (count - made) / (size_t)(VIEWS - view);
    double z = 1 - (2 * view + 1) / (double)VIEWS;
    double angle = 2.399963229728653 * view, flat = sqrt(1 - z * z);
    mo_vec3 back = {(float)(flat * cos(angle)), (float)(flat * sin(angle)), (float)z};
    const mo_vec3 up = {0, 0, 1};
    bench_camera camera = {add_scaled(center, 2 * radius, back), back, up, 0.5773502691896257};
    if (distribution == BENCH_INSIDE) {
      /* Multiples of these, less their whole parts, fill a cube evenly: powers of the inverse of
       * the real root of x^4 = x + 1. */
      double place[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
      for (int axis = 0; axis < 3; axis++) {
        place[axis] = 0.25 + 0.5 * fmod(0.5 + place[axis] * view, 1);
      }
      camera = (bench_camera){point_between(box, place), back, up, 1};
    }
    bench_make_picture(&rays[made], share, distribution == BENCH_TILES, &camera);
    made += share;
  }
}

static void make_incoherent(bench_ray *rays, size_t count, mo_aabb box, mo_vec3 center,
                            double radius, struct random_stream *random) {
  for (size_t i = 0; i < count; i++) {
    double distance = 1.2 * radius * cbrt(random_between(random, 0, 1));
    mo_vec3 origin = add_scaled(center, distance, random_direction(random));
    mo_vec3 target = random_point_in(random, box);
    rays[i] = (bench_ray){origin, towards(origin, target), INFINITY};
  }
}

/* The box is grown a little: in a flat mesh every ray would start on a triangle, where rounding
 * decides whether it hits. */
static void make_short(bench_ray *rays, size_t count, mo_aabb box, double radius,
                       struct random_stream *random) {
  float margin = (float)(0.04 * radius);
  box.lower = (mo_vec3){box.lower.x - margin, box.lower.y - margin, box.lower.z - margin};
  box.upper = (mo_vec3){box.upper.x + margin, box.upper.y + margin, box.upper.z + margin};
  for (size_t i = 0; i < count; i++) {
    mo_vec3 origin = random_point_in(random, box);
    rays[i] = (bench_ray){origin, random_direction(random), (float)(0.2 * radius)};
  }
}

/* Lines of sight between two points of the box. */
static void make_sight(bench_ray *rays, size_t count, mo_aabb box, struct random_stream *random) {
  for (size_t i = 0; i < count; i++) {
    mo_vec3 from = random_point_in(random, box), to = random_point_in(random, box);
    mo_vec3 way = add_scaled(to, -1, from);
    double length = sqrt((double)way.x * way.x + (double)way.y * way.y + (double)way.z * way.z);
    rays[i] = (bench_ray){from, unit(way), (float)length};
  }
}

bench_ray *bench_make_rays(const bench_mesh *mesh, bench_distribution distribution, size_t count,
                           uint64_t seed) {
  bench_ray *rays = allocate(count, sizeof *rays);
  struct random_stream random = random_from_seed(seed * BENCH_DISTRIBUTIONS + distribution);
  mo_aabb box = mesh->bounds;
  mo_vec3 center = {(box.lower.x + box.upper.x) / 2, (box.lower.y + box.upper.y) / 2,
                    (box.lower.z + box.upper.z) / 2};
  double x = (double)box.upper.x - box.lower.x, y = (double)box.upper.y - box.lower.y,
         z = (double)box.upper.z - box.lower.z;
  double radius = sqrt(x * x + y * y + z * z) / 2;
  switch (distribution) {
  case BENCH_PRIMARY:
  case BENCH_TILES:
  case BENCH_INSIDE:
    make_pictures(rays, count, distribution, box, center, radius);
    break;
  case BENCH_INCOHERENT:
    make_incoherent(rays, count, box, center, radius, &random);
    break;
  case BENCH_SHORT:
    make_short(rays, count, box, radius, &random);
    break;
  default:
    make_sight(rays, count, box, &random);
    break;
  }
  return rays;
}
