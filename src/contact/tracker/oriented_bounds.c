#include "contact/tracker/oriented_bounds.h"

#include "geometry/hull/hull.h"

/* A local box and a ball whose Minkowski sum contains a solid. */
typedef struct rounded_box {
  mo_vec3 center, half;
  float radius;
} rounded_box;

static rounded_box box_between(mo_vec3 a, mo_vec3 b) {
  const mo_vec3 half = mo_scale(0.5f, mo_sub(b, a));
  return (rounded_box){mo_scale(0.5f, mo_add(a, b)),
                       mo_vec(fabsf(half.x), fabsf(half.y), fabsf(half.z)), 0.0f};
}

/* The box around a cylinder, or around a cone in it. */
static rounded_box box_around_axis(mo_vec3 a, mo_vec3 b, float radius) {
  rounded_box box = box_between(a, b);
  const mo_vec3 h = box.half;
  const float xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z, square = xx + yy + zz;
  const bool has_length = square > 0x1p-60f; /* else squares may have underflowed */
  const mo_vec3 disc = has_length ? mo_scale(1.0f / sqrtf(square),
                                             mo_vec(sqrtf(yy + zz), sqrtf(zz + xx), sqrtf(xx + yy)))
                                  : mo_vec(1.0f, 1.0f, 1.0f);
  box.half = mo_add(h, mo_scale(radius, disc));
  return box;
}

static rounded_box local_box_of(const mo_geometry *g) {
  rounded_box box = {.radius = INFINITY};
  switch (g->type) {
  case MO_SHAPE_SPHERE:
    box = (rounded_box){g->sphere.center, {0.0f, 0.0f, 0.0f}, g->sphere.radius};
    break;
  case MO_SHAPE_BOX:
    box = (rounded_box){g->box.center, g->box.half_extents, 0.0f};
    break;
  case MO_SHAPE_CAPSULE:
    box = box_between(g->capsule.a, g->capsule.b);
    box.radius = g->capsule.radius;
    break;
  case MO_SHAPE_CYLINDER:
    box = box_around_axis(g->cylinder.a, g->cylinder.b, g->cylinder.radius);
    break;
  case MO_SHAPE_CONE:
    box = box_around_axis(g->cone.a, g->cone.b, g->cone.radius);
    break;
  case MO_SHAPE_HULL:
    box = box_between(g->hull->bounds.lower, g->hull->bounds.upper);
    break;
  case MO_SHAPE_MESH: /* may not be convex, or has no bounds: nothing is known */
  case MO_SHAPE_VOLUME:
  case MO_SHAPE_HALF_SPACE:
  case MO_SHAPE_COMPOUND:
    break;
  }
  box.radius += g->rounding;
  return box;
}

static float max_of_xyz(mo_f4 a) {
  return mo_max(mo_max(a[0], a[1]), a[2]);
}

/* Numbers within these bounds can be multiplied as mo_oriented_bounds_are_apart does. */
static const float min_length = 0x1p-30f, max_length = 0x1p30f, max_size = 0x1p40f;

mo_oriented_bounds mo_oriented_bounds_of(const mo_shape *shape) {
  mo_oriented_bounds b = {.half = mo_f4_splat(INFINITY)};
  const rounded_box box = local_box_of(&shape->geometry);
  const mo_transform *map = &shape->affine.to_world;
  const mo_vec3 c = box.center;
  /* Each load reads one float beyond the column. */
  mo_f4 rows[4] = {mo_f4_load(&map->x_axis.x), mo_f4_load(&map->y_axis.x),
                   mo_f4_load(&map->z_axis.x)};
  rows[3] = rows[0] * c.x + rows[1] * c.y + rows[2] * c.z;
  mo_f4_transpose(rows);
  mo_f4 products[3]; /* of each column with all */
  for (int k = 0; k < 3; k++) {
    products[k] = mo_f4_abs(rows[0] * rows[0][k] + rows[1] * rows[1][k] + rows[2] * rows[2][k]);
  }
  const mo_f4 length = {sqrtf(products[0][0]), sqrtf(products[1][1]), sqrtf(products[2][2])};
  /* The map stretches a vector at most by the root of the greatest sum in a row of the matrix of
   * products (Gershgorin). */
  const float stretch = sqrtf(max_of_xyz(products[0] + products[1] + products[2])),
              radius = box.radius * stretch,
              size = radius + stretch * (box.half.x + box.half.y + box.half.z + fabsf(c.x) +
                                         fabsf(c.y) + fabsf(c.z));
  if (!(size <= max_size && stretch <= max_length &&
        mo_min(mo_min(length[0], length[1]), length[2]) >= min_length)) {
    return b;
  }
  b.x = rows[0];
  b.y = rows[1];
  b.z = rows[2];
  b.half = mo_f4_from(&box.half, radius);
  b.half_width = products[0] * box.half.x + products[1] * box.half.y + products[2] * box.half.z;
  b.half_width[3] = size;
  b.length = length;
  return b;
}
