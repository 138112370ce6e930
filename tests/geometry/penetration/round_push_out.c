/* Points and balls against cylinders and cones: depths, signed distances and closest points,
 * against closed forms in long double. The maps are exact: rotations by quaternions of integers,
 * scaled by the square of their norm so that all entries of the matrix are integers; mirrored, or
 * scaled along the axis at times. Points lie everywhere, on the axis, next to it, on the surface,
 * and where the ways out through the side and through an end are equally short. */
#include <criterion/criterion.h>
#include <motte/motte.h>

#include "oracle/primitive.h"

/* A cylinder or cone, and what it is in the world by definition. */
typedef struct round_body {
  mo_primitive primitive;
  ldvec center, axis; /* of unit length; the apex of a cone is at -half */
  ldouble half, radius, rounding;
  bool tapers;
  ldouble size;
} round_body;

static ldvec column_of(const mo_transform *map, int i) {
  return ld_float(i == 0 ? map->x_axis : i == 1 ? map->y_axis : map->z_axis);
}

static mo_vec3 *column_at(mo_transform *map, int i) {
  return i == 0 ? &map->x_axis : i == 1 ? &map->y_axis : &map->z_axis;
}

static float integer(rng *r, int max) {
  return (float)((int)rng_below(r, (uint32_t)(2 * max + 1)) - max);
}

/* A rotation times `*scale`, exact in floats. */
static mo_transform exact_rotation(rng *r, float *scale) {
  float w, x, y, z;
  do {
    w = integer(r, 20);
    x = integer(r, 20);
    y = integer(r, 20);
    z = integer(r, 20);
    *scale = w * w + x * x + y * y + z * z;
  } while (*scale == 0);
  return (mo_transform){{w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)},
                        {2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)},
                        {2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z},
                        {0, 0, 0}};
}

static float along(mo_vec3 *v, int axis, float value) {
  *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
  return value;
}

static round_body random_body(rng *r) {
  round_body body = {.tapers = rng_chance(r, 0.5)};
  float scale, stretch = 1;
  mo_transform map = exact_rotation(r, &scale);
  int axis = (int)rng_below(r, 3);
  if (rng_chance(r, 0.3)) {
    mo_vec3 *column = column_at(&map, (axis + (int)rng_below(r, 3)) % 3);
    *column = mo_scale(-1, *column);
  }
  bool stretched = rng_chance(r, 0.3);
  if (stretched) {
    stretch = 0.25f * (float)(1 + rng_below(r, 16));
    *column_at(&map, axis) = mo_scale(stretch, *column_at(&map, axis));
  }
  map.origin = rng_vec3(r, -1, 1);
  float half = expf(rng_float(r, -2, 2)) / (scale * stretch),
        radius = expf(rng_float(r, -2, 2)) / scale;
  mo_vec3 a = {0, 0, 0}, b = {0, 0, 0};
  along(&a, axis, -half);
  along(&b, axis, half);
  mo_geometry g = {.type = body.tapers ? MO_SHAPE_CONE : MO_SHAPE_CYLINDER};
  if (body.tapers) {
    g.cone = (mo_cone){a, b, radius};
  } else {
    g.cylinder = (mo_cylinder){a, b, radius};
  }
  if (!stretched && rng_chance(r, 0.3)) {
    g.rounding = rng_float(r, 0, 0.5f) / scale;
  }
  body.primitive = mo_primitive_of_geometry(&g, &map);
  body.center = ld_float(map.origin);
  ldvec end = ld_scale(half, column_of(&map, axis));
  body.half = ld_norm(end);
  body.axis = ld_scale(1 / body.half, end);
  body.radius = (ldouble)scale * radius;
  body.rounding = (ldouble)scale * g.rounding;
  body.size = body.half + body.radius + body.rounding;
  return body;
}

/* The signed distance from a point at a distance from the axis and a height along it. */
static ldouble signed_distance(const round_body *s, ldouble rho, ldouble height) {
  if (!s->tapers) {
    ldouble out = rho - s->radius, up = fabsl(height) - s->half;
    return out <= 0 && up <= 0 ? fmaxl(out, up) : hypotl(fmaxl(out, 0), fmaxl(up, 0));
  }
  ldouble slant = hypotl(s->radius, 2 * s->half), run = 2 * s->half / slant,
          rise = -s->radius / slant;
  ldouble up = height - s->half, out = run * rho + rise * (height + s->half);
  ldouble down = run * (height + s->half) - rise * rho; /* along the side, from the apex */
  if (up <= 0 && out <= 0) {
    return fmaxl(up, out);
  }
  ldouble base = hypotl(fmaxl(rho - s->radius, 0), up);
  ldouble side = down <= 0       ? hypotl(rho, height + s->half)
                 : down >= slant ? hypotl(rho - s->radius, up)
                                 : fmaxl(out, 0);
  return up > 0 ? fminl(base, side > 0 ? side : base) : side;
}

static ldouble distance_from(const round_body *s, mo_vec3 point) {
  ldvec p = ld_sub(ld_float(point), s->center);
  ldouble height = ld_dot(p, s->axis);
  ldouble rho = ld_norm(ld_sub(p, ld_scale(height, s->axis)));
  return signed_distance(s, rho, height) - s->rounding;
}

/* The distance from the axis at which the ways out through the side and the nearer end of the solid
 * before rounding are equally short; negative if there is none. */
static ldouble tie_at(const round_body *s, ldouble height) {
  if (!s->tapers) {
    return s->radius - (s->half - fabsl(height));
  }
  ldouble slant = hypotl(s->radius, 2 * s->half);
  return (s->radius * (height + s->half) - slant * (s->half - height)) / (2 * s->half);
}

static mo_vec3 random_point(rng *r, const round_body *s, bool inside) {
  ldouble reach = inside ? 0.99L : 1.7L;
  ldouble height = reach * rng_float(r, -1, 1) * s->half;
  ldouble max = s->tapers ? s->radius * (height + s->half) / (2 * s->half) : s->radius;
  ldouble rho = reach * rng_float(r, 0, 1) * fmaxl(max, inside ? 0 : s->radius);
  switch (rng_below(r, 5)) {
  case 0:
    rho = 0;
    break;
  case 1:
    rho *= expl(-25 * rng_float(r, 0, 1));
    break;
  case 2:
    rho = fmaxl(tie_at(s, height), 0) * (1 + (ldouble)rng_float(r, -1e-6f, 1e-6f));
    break;
  default:
    break;
  }
  ldvec across = ld_float(rng_direction(r));
  across = ld_sub(across, ld_scale(ld_dot(across, s->axis), s->axis));
  across = ld_scale(1 / ld_norm(across), across);
  ldvec p = ld_add(s->center, ld_add(ld_scale(height, s->axis), ld_scale(rho, across)));
  return mo_vec((float)p.x, (float)p.y, (float)p.z);
}

/* The least depth of an overlap that is certain, in sizes. */
static const ldouble certain = 1e-9L;

/* The two points differ by the translation, up to their rounding to floats; `sign` is 1 if the
 * round body is the first. */
static void check_points(const mo_primitive_penetration *p, const round_body *s, ldouble radius,
                         ldouble sign, unsigned long long n) {
  ldvec between = ld_sub(ld_float(p->point_a), ld_float(p->point_b));
  between = ld_sub(between, ld_scale(p->depth, ld_float(p->normal)));
  ldouble scale = s->size + radius + 2;
  cr_assert(ld_norm(between) <= 4e-7L * scale, "round %llu: points off by %Lg", n,
            ld_norm(between));
  mo_vec3 on = sign > 0 ? p->point_a : p->point_b;
  cr_assert(fabsl(distance_from(s, on)) <= 4e-7L * scale, "round %llu: not on the surface", n);
}

static void check_depth(const round_body *s, const mo_primitive *other, ldouble radius,
                        ldouble expected, unsigned long long n) {
  mo_primitive_penetration p, swapped;
  cr_assert_eq(mo_primitive_find_penetration(&s->primitive, other, &p), MO_OK);
  cr_assert_eq(mo_primitive_find_penetration(other, &s->primitive, &swapped), MO_OK);
  cr_assert(p.found && swapped.found, "round %llu: no overlap of %Lg", n, expected);
  /* With its centre outside of the core, a ball has the depth along the normal of an iteration. */
  ldouble slack = (expected < radius + s->rounding ? 1e-9L : 2e-15L) * (s->size + radius);
  cr_assert(fabsl(p.depth - expected) <= slack && fabsl(swapped.depth - expected) <= slack,
            "round %llu: depth %.17g and %.17g, not %.17Lg", n, p.depth, swapped.depth, expected);
  cr_assert(fabsl(p.lower - expected) <= 4 * slack && fabsl(swapped.lower - expected) <= 4 * slack,
            "round %llu: lower bounds %.17g and %.17g of %.17Lg", n, p.lower, swapped.lower,
            expected);
  check_points(&p, s, radius, 1, n);
  check_points(&swapped, s, radius, -1, n);
}

Test(round_push_out, depths_of_points) {
  rng r = rng_make(rng_seed("round_push_out/points", 523));
  const uint64_t rounds = rng_rounds(40000, 2000000);
  for (uint64_t i = 0; i < rounds; i++) {
    const round_body s = random_body(&r);
    const mo_vec3 point = random_point(&r, &s, true);
    const ldouble depth = -distance_from(&s, point);
    if (depth > certain * s.size) {
      const mo_primitive dot = mo_primitive_of_point(point);
      check_depth(&s, &dot, 0, depth, (unsigned long long)i);
    }
  }
}

/* Balls under a map whose columns are exactly perpendicular and of one length. */
Test(round_push_out, depths_of_balls) {
  rng r = rng_make(rng_seed("round_push_out/balls", 524));
  const uint64_t rounds = rng_rounds(40000, 2000000);
  uint64_t inside = 0, outside = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const round_body s = random_body(&r);
    const mo_vec3 center = random_point(&r, &s, rng_chance(&r, 0.5));
    float scale;
    mo_transform map = exact_rotation(&r, &scale);
    map.origin = center;
    mo_geometry g = {.type = MO_SHAPE_SPHERE};
    g.sphere.radius = expf(rng_float(&r, -3, 1)) / scale;
    const ldouble radius = (ldouble)scale * g.sphere.radius;
    const ldouble depth = radius - distance_from(&s, center);
    if (!(depth > certain * (s.size + radius))) {
      continue;
    }
    const mo_primitive ball = mo_primitive_of_geometry(&g, &map);
    check_depth(&s, &ball, radius, depth, (unsigned long long)i);
    *(depth > radius ? &inside : &outside) += 1;
    mo_collide_def def = mo_default_collide_def();
    mo_manifold manifold;
    cr_assert_eq(mo_collide(&ball, &s.primitive, &def, &manifold), MO_OK);
    cr_assert_eq(manifold.point_count, 1);
    cr_assert(fabsl(manifold.points[0].separation + depth) <= 1e-6L * (s.size + radius),
              "round %llu: separation %.9g, not %.9Lg", (unsigned long long)i,
              (double)manifold.points[0].separation, -depth);
  }
  cr_assert(inside > rounds / 16 && outside > rounds / 16);
}

Test(round_push_out, closest_points) {
  rng r = rng_make(rng_seed("round_push_out/closest", 525));
  const uint64_t rounds = rng_rounds(40000, 2000000);
  for (uint64_t i = 0; i < rounds; i++) {
    const round_body s = random_body(&r);
    const mo_vec3 point = random_point(&r, &s, false);
    const ldouble distance = distance_from(&s, point);
    if (!(distance > certain * s.size)) {
      continue;
    }
    mo_primitive_distance d;
    cr_assert_eq(mo_primitive_closest_point(&s.primitive, point, INFINITY, &d), MO_OK);
    const unsigned long long n = (unsigned long long)i;
    cr_assert(d.found && fabsl(d.distance - distance) <= 2e-15L * (s.size + distance),
              "round %llu: %.17g, not %.17Lg", n, d.distance, distance);
    cr_assert(fabsl(distance_from(&s, d.point_a)) <= 4e-7L * (s.size + 2), "round %llu", n);
    ldouble length = ld_norm(ld_sub(ld_float(point), ld_float(d.point_a)));
    cr_assert(fabsl(length - distance) <= 4e-7L * (s.size + 2), "round %llu", n);
  }
}

Test(round_push_out, signed_distances_in_scenes) {
  rng r = rng_make(rng_seed("round_push_out/signed", 526));
  const uint64_t rounds = rng_rounds(2000, 100000);
  for (uint64_t i = 0; i < rounds; i++) {
    const round_body s = random_body(&r);
    mo_scene_def scene_def = mo_default_scene_def();
    mo_scene *scene;
    cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
    mo_shape_def shape = mo_default_shape_def(s.primitive.geometry.type);
    shape.geometry = s.primitive.geometry;
    shape.transform = s.primitive.transform;
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    for (int k = 0; k < 20; k++) {
      mo_closest_def def = mo_default_closest_def();
      def.point = random_point(&r, &s, k % 2 == 0);
      mo_closest_hit hit;
      cr_assert_eq(mo_scene_signed_distance(scene, &def, &hit, NULL), MO_OK);
      const ldouble distance = distance_from(&s, def.point);
      cr_assert(hit.found && fabsl(hit.distance - distance) <= 3e-7L * (s.size + 2),
                "round %llu: %.9g, not %.9Lg", (unsigned long long)i, (double)hit.distance,
                distance);
      cr_assert(fabsl(distance_from(&s, hit.point)) <= 4e-7L * (s.size + 2), "round %llu",
                (unsigned long long)i);
      if (fabsl(distance) > 1e-3L * s.size) {
        ldvec moved = ld_sub(ld_float(def.point), ld_scale(hit.distance, ld_float(hit.normal)));
        cr_assert(ld_norm(ld_sub(moved, ld_float(hit.point))) <= 4e-7L * (s.size + 2),
                  "round %llu: the normal", (unsigned long long)i);
      }
    }
    mo_scene_destroy(scene);
  }
}

/* Rotations that are rounded to floats: the body is uneven by as much. */
Test(round_push_out, under_rounded_rotations) {
  rng r = rng_make(rng_seed("round_push_out/rotations", 527));
  const uint64_t rounds = rng_rounds(20000, 1000000);
  for (uint64_t i = 0; i < rounds; i++) {
    round_body s = {.tapers = rng_chance(&r, 0.5)};
    const float half = expf(rng_float(&r, -2, 2)), radius = expf(rng_float(&r, -2, 2));
    mo_geometry g = {.type = s.tapers ? MO_SHAPE_CONE : MO_SHAPE_CYLINDER};
    if (s.tapers) {
      g.cone = (mo_cone){{0, 0, -half}, {0, 0, half}, radius};
    } else {
      g.cylinder = (mo_cylinder){{0, 0, -half}, {0, 0, half}, radius};
    }
    const mo_transform map = mo_transform_make(mo_vec(0, 0, 0), rng_rotation(&r), mo_vec(1, 1, 1));
    s.primitive = mo_primitive_of_geometry(&g, &map);
    s.axis = ld_scale(1 / ld_norm(ld_float(map.z_axis)), ld_float(map.z_axis));
    s.half = half;
    s.radius = radius;
    s.size = s.half + s.radius;
    const mo_vec3 point = random_point(&r, &s, true);
    const ldouble depth = -distance_from(&s, point);
    const mo_primitive dot = mo_primitive_of_point(point);
    mo_primitive_penetration p;
    cr_assert_eq(mo_primitive_find_penetration(&s.primitive, &dot, &p), MO_OK);
    const ldouble slack = 3e-7L * s.size;
    cr_assert(p.found || depth <= slack);
    if (p.found) {
      cr_assert(
          fabsl(p.depth - depth) <= slack && p.lower >= depth - 3 * slack && p.lower <= p.depth,
          "round %llu: %.9g (%.9g), not %.9Lg", (unsigned long long)i, p.depth, p.lower, depth);
    }
  }
}
