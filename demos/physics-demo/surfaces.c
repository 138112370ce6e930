#include "physics-demo/surfaces.h"

#include <math.h>

#include "common/check.h"
#include "common/random.h"
#include "common/studio.h"
#include "common/vector.h"

static struct triangles make_grid(uint32_t rows, uint32_t columns) {
  return (struct triangles){
      .positions = allocate((size_t)rows * columns, sizeof(mo_vec3)),
      .indices = allocate((size_t)6 * rows * columns, sizeof(uint32_t)),
      .vertex_count = rows * columns,
  };
}

static void add_triangle(struct triangles *out, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t *corners = &out->indices[3 * out->triangle_count++];
  corners[0] = a;
  corners[1] = b;
  corners[2] = c;
}

struct triangles surface_bowl(float scale) {
  const uint32_t rings = 8 + (uint32_t)(24.0f * scale), sides = 24 + (uint32_t)(72.0f * scale);
  struct triangles bowl = make_grid(rings + 1, sides); /* the last ring is the rim's top */
  for (uint32_t i = 0; i <= rings; i++) {
    float share = fminf((float)i / (float)(rings - 1), 1.0f), radius = 14.0f * share;
    float height = 0.03f * radius * radius + (i == rings ? 1.2f : 0.0f);
    for (uint32_t j = 0; j < sides; j++) {
      float angle = 6.2831853f * (float)j / (float)sides;
      mo_vec3 place = vec3(radius * cosf(angle), height, radius * sinf(angle));
      bowl.positions[sides * i + j] = vec3_scale(scale, place);
    }
  }
  for (uint32_t i = 0; i < rings; i++) {
    for (uint32_t j = 0; j < sides; j++) {
      uint32_t next = (j + 1) % sides, row = sides * i;
      if (i == 0) { /* the first ring is the bottom point */
        add_triangle(&bowl, 0, sides + next, sides + j);
      } else {
        add_triangle(&bowl, row + j, row + next, row + sides + next);
        add_triangle(&bowl, row + j, row + sides + next, row + sides + j);
      }
    }
  }
  return bowl;
}

struct triangles surface_of_quads(uint32_t count) {
  struct triangles surface = make_grid(count, 4);
  surface.vertex_count = 0;
  return surface;
}

/* Quadrangles share their vertices. */
static uint32_t vertex_at(struct triangles *surface, mo_vec3 place) {
  uint32_t i = 0;
  while (i < surface->vertex_count && vec3_length(vec3_sub(surface->positions[i], place)) > 0.0f) {
    i++;
  }
  surface->positions[i] = place;
  surface->vertex_count += i == surface->vertex_count;
  return i;
}

void surface_add_quad(struct triangles *surface, mo_vec3 a, mo_vec3 b, mo_vec3 c, mo_vec3 d) {
  uint32_t first = vertex_at(surface, a), third = vertex_at(surface, c);
  add_triangle(surface, first, vertex_at(surface, b), third);
  add_triangle(surface, first, third, vertex_at(surface, d));
}

struct triangles surface_of_heights(uint32_t cells, float side, float height(float x, float z)) {
  uint32_t points = cells + 1;
  struct triangles ground = make_grid(points, points);
  for (uint32_t i = 0; i < points * points; i++) {
    float x = side * ((float)(i % points) - 0.5f * (float)cells);
    float z = side * ((float)(i / points) - 0.5f * (float)cells);
    ground.positions[i] = vec3(x, height(x, z), z);
  }
  for (uint32_t i = 0; i < cells * cells; i++) {
    uint32_t corner = i / cells * points + i % cells;
    add_triangle(&ground, corner, corner + points, corner + points + 1);
    add_triangle(&ground, corner, corner + points + 1, corner + 1);
  }
  return ground;
}

/* The heights of a tile's four corners: of a ramp, those towards greater x are a storey higher. */
struct tile {
  float low, high;
};

static struct tile tile_at(uint32_t x, uint32_t z, uint32_t cells, uint64_t seed) {
  const float storey = 1.0f;
  if (x == 0 || z == 0 || x + 1 == cells || z + 1 == cells) {
    return (struct tile){3.0f * storey, 3.0f * storey};
  }
  struct random_stream random = random_from_seed(seed + 1000 * x + z);
  uint32_t kind = random_below(&random, 8);
  float level = kind == 0 ? 2.0f * storey : kind < 3 ? storey : 0.0f;
  return (struct tile){level, kind == 7 ? level + storey : level};
}

struct triangles surface_map(uint32_t cells, uint64_t seed) {
  const float side = 2.0f;
  struct triangles map = surface_of_quads(3 * cells * cells);
  for (uint32_t i = 0; i < cells * cells; i++) {
    uint32_t x = i % cells, z = i / cells;
    float left = side * ((float)x - 0.5f * (float)cells), right = left + side;
    float back = side * ((float)z - 0.5f * (float)cells), front = back + side;
    struct tile tile = tile_at(x, z, cells, seed);
    surface_add_quad(&map, vec3(left, tile.low, back), vec3(left, tile.low, front),
                     vec3(right, tile.high, front), vec3(right, tile.high, back));
    if (x + 1 < cells) { /* the wall to the tile at greater x */
      float other = tile_at(x + 1, z, cells, seed).low;
      if (other != tile.high) {
        surface_add_quad(&map, vec3(right, tile.high, back), vec3(right, tile.high, front),
                         vec3(right, other, front), vec3(right, other, back));
      }
    }
    if (z + 1 < cells) {
      struct tile other = tile_at(x, z + 1, cells, seed);
      if (other.low != tile.low || other.high != tile.high) {
        surface_add_quad(&map, vec3(left, tile.low, front), vec3(left, other.low, front),
                         vec3(right, other.high, front), vec3(right, tile.high, front));
      }
    }
  }
  return map;
}

static mo_aabb bounds_of(const struct triangles *triangles) {
  mo_aabb bounds = {triangles->positions[0], triangles->positions[0]};
  for (uint32_t i = 1; i < triangles->vertex_count; i++) {
    bounds = aabb_with_point(bounds, triangles->positions[i]);
  }
  return bounds;
}

struct triangles surface_statue(const char *path, mo_vec3 up, float size) {
  struct triangles statue;
  const char *error;
  if (!triangles_load(path, &statue, &error)) {
    fail("cannot read the mesh %s: %s", path, error);
  }
  triangles_set_upright(&statue, up);
  mo_transform pose = studio_pose(bounds_of(&statue), size);
  for (uint32_t i = 0; i < statue.vertex_count; i++) {
    statue.positions[i] = mo_transform_point(&pose, statue.positions[i]);
  }
  return statue;
}
