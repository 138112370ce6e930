#include "physics-demo/surfaces.h"

#include <math.h>

#include "common/check.h"
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
