/* Four kinds of rays. Each is seeded apart, so that a case is the same whatever else is run. */
#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"
#include "rays.h"

const char *bench_distribution_name(bench_distribution distribution) {
  static const char *const names[BENCH_DISTRIBUTIONS] = {"primary", "tiles", "incoherent", "short"};
  return names[distribution];
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

/* Eight square pictures from directions spread evenly over the sphere; the ball around the mesh
 * fills each. */
static void make_primary(bench_ray *rays, size_t count, bool tiles, mo_vec3 center, double radius) {
  enum { VIEWS = 8 };
  size_t made = 0;
  for (int view = 0; view < VIEWS; view++) {
    size_t share = (count - made) / (size_t)(VIEWS - view);
    double z = 1 - (2 * view + 1) / (double)VIEWS;
    double angle = 2.399963229728653 * view, flat = sqrt(1 - z * z);
    mo_vec3 back = {(float)(flat * cos(angle)), (float)(flat * sin(angle)), (float)z};
    mo_vec3 eye = add_scaled(center, 2 * radius, back);
    mo_vec3 right = unit(cross((mo_vec3){0, 0, 1}, back)), up = cross(back, right);
    double reach = 0.5773502691896257; /* tan of the angle under which the ball is seen */
    size_t width = (size_t)ceil(sqrt((double)share));
    size_t height = (share + width - 1) / (width > 0 ? width : 1);
    for (size_t i = 0; i < share; i++) {
      struct pixel at = {i % width, i / width};
      if (tiles) {
        at = pixel_in_tiles(i, width, height);
      }
      double x = ((double)at.x + 0.5) / (double)width * 2 - 1;
      double y = ((double)at.y + 0.5) / (double)height * 2 - 1;
      mo_vec3 target = add_scaled(eye, -1, back);
      target = add_scaled(add_scaled(target, reach * x, right), -reach * y, up);
      rays[made++] = (bench_ray){eye, towards(eye, target), INFINITY};
    }
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
    make_primary(rays, count, distribution == BENCH_TILES, center, radius);
    break;
  case BENCH_INCOHERENT:
    make_incoherent(rays, count, box, center, radius, &random);
    break;
  default:
    make_short(rays, count, box, radius, &random);
    break;
  }
  return rays;
}
