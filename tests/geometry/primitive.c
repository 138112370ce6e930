/* Rays, overlap, distance, depth and closest points of single primitives: closed forms, a slow
 * search over directions, and bounds that any answer must keep. */
#include <criterion/criterion.h>
#include <motte/geometry.h>

#include "oracle/reach.h"

static mo_primitive_distance distance_of(const mo_primitive *a, const mo_primitive *b) {
  mo_primitive_distance d = {.found = false}, swapped = {.found = false};
  cr_assert_eq(mo_primitive_find_distance(a, b, INFINITY, &d), MO_OK);
  cr_assert_eq(mo_primitive_find_distance(b, a, INFINITY, &swapped), MO_OK);
  cr_assert(d.found && swapped.found && d.lower <= d.distance);
  double scale = 1 + d.distance + mo_max_magnitude(d.point_a) + mo_max_magnitude(d.point_b);
  cr_assert(fabs(d.distance - swapped.distance) <= 1e-13 * scale);
  bool overlap;
  cr_assert_eq(mo_primitive_overlap(a, b, &overlap), MO_OK);
  cr_assert_eq(overlap, d.distance == 0);
  return d;
}

/* The distance from a point to a segment, and of two segments (by search). */
typedef struct segments {
  ldvec p, d, q, e;
} segments;

static ldouble point_segment(ldvec x, ldvec p, ldvec d) {
  ldouble length = ld_dot(d, d);
  ldouble s = length > 0 ? fmaxl(0, fminl(1, ld_dot(ld_sub(x, p), d) / length)) : 0;
  return ld_norm(ld_sub(ld_sub(x, p), ld_scale(s, d)));
}

static ldouble along_first(ldouble s, void *context) {
  const segments *c = context;
  return point_segment(ld_add(c->p, ld_scale(s, c->d)), c->q, c->e);
}

static mo_transform moved(mo_vec3 origin) {
  mo_transform t = mo_transform_identity();
  t.origin = origin;
  return t;
}

Test(primitive, spheres_and_capsules_by_closed_form) {
  rng r = rng_make(rng_seed("primitive closed forms", 91));
  uint64_t rounds = rng_rounds(3000, 200000), apart = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    float scale = rng_chance(&r, 0.3) ? powf(10, rng_float(&r, -6, 6)) : 1;
    mo_vec3 p[4];
    float radius[2], rounding[2];
    for (int k = 0; k < 4; ++k) {
      p[k] = mo_scale(scale, rng_vec3(&r, -2, 2));
    }
    if (rng_chance(&r, 0.2)) {
      p[3] = mo_add(p[2], mo_sub(p[1], p[0])); /* parallel */
    }
    for (int k = 0; k < 2; ++k) {
      radius[k] = scale * (rng_chance(&r, 0.2) ? 0 : rng_float(&r, 0, 0.7f));
      rounding[k] = rng_chance(&r, 0.3) ? scale * rng_float(&r, 0, 0.3f) : 0;
    }
    bool spheres = rng_chance(&r, 0.3);
    mo_transform map = moved(rng_chance(&r, 0.2) ? mo_vec(1e6f, -1e6f, 3e5f) : mo_vec(0, 0, 0));
    mo_geometry g[2] = {capsule_of(p[0], p[1], radius[0]), capsule_of(p[2], p[3], radius[1])};
    if (spheres) {
      g[0] = sphere_of(p[0], radius[0]);
      g[1] = sphere_of(p[2], radius[1]);
      p[1] = p[0];
      p[3] = p[2];
    }
    g[0].rounding = rounding[0];
    g[1].rounding = rounding[1];
    mo_primitive a = mo_primitive_of_geometry(&g[0], &map),
                 b = mo_primitive_of_geometry(&g[1], &map);
    segments c = {ld_float(p[0]), ld_sub(ld_float(p[1]), ld_float(p[0])), ld_float(p[2]),
                  ld_sub(ld_float(p[3]), ld_float(p[2]))};
    ldouble expected = minimum(along_first, &c, 0, 1, NULL) - radius[0] - radius[1];
    expected -= (ldouble)rounding[0] + rounding[1];
    mo_primitive_distance d = distance_of(&a, &b);
    cr_assert(fabs(d.distance - (double)fmaxl(0, expected)) <= 1e-9 * scale,
              "round %llu: %g, not %Lg", (unsigned long long)i, d.distance, expected);
    cr_assert(fabs(d.lower - d.distance) <= 1e-9 * scale, "round %llu", (unsigned long long)i);
    apart += d.distance > 0;
  }
  cr_assert(apart > rounds / 3 && apart < rounds);
}

Test(primitive, points_and_boxes_by_closed_form) {
  rng r = rng_make(rng_seed("primitive point box", 92));
  for (uint64_t i = 0; i < rng_rounds(3000, 200000); ++i) {
    mo_vec3 center = rng_vec3(&r, -2, 2), half = rng_vec3(&r, 0, 1), point = rng_vec3(&r, -4, 4);
    if (rng_chance(&r, 0.2)) {
      half.y = 0;
    }
    mo_geometry g = box_of(center, half);
    g.rounding = rng_chance(&r, 0.5) ? rng_float(&r, 0, 0.5f) : 0;
    mo_transform identity = mo_transform_identity();
    mo_primitive box = mo_primitive_of_geometry(&g, &identity);
    mo_primitive_distance d;
    cr_assert_eq(mo_primitive_closest_point(&box, point, INFINITY, &d), MO_OK);
    ldvec from = ld_sub(ld_float(point), ld_float(center));
    ldvec out = {fmaxl(0, fabsl(from.x) - half.x), fmaxl(0, fabsl(from.y) - half.y),
                 fmaxl(0, fabsl(from.z) - half.z)};
    double expected = (double)fmaxl(0, ld_norm(out) - g.rounding);
    /* Of what is round, as with capsules above. */
    double last_bits = g.rounding > 0 ? 1e-9 : 0;
    cr_assert(d.found && fabs(d.distance - expected) <= fmax(1e-14, last_bits), "round %llu: %g",
              (unsigned long long)i, d.distance - expected);
    if (d.distance > 0) {
      ldvec normal = ld_float(d.normal);
      cr_assert(fabsl(ld_dot(normal, ld_sub(ld_float(d.point_b), ld_float(d.point_a))) -
                      d.distance) < 1e-5L);
      cr_assert(mo_max_magnitude(mo_sub(d.point_b, point)) == 0);
    }
    /* At the distance itself it is found, a little below it is not. */
    mo_primitive_distance limited;
    cr_assert_eq(mo_primitive_closest_point(&box, point, d.distance + last_bits, &limited), MO_OK);
    cr_assert(limited.found && fabs(limited.distance - d.distance) <= last_bits, "round %llu",
              (unsigned long long)i);
    if (d.distance > 1e-3) {
      cr_assert_eq(mo_primitive_closest_point(&box, point, 0.999 * d.distance, &limited), MO_OK);
      cr_assert(!limited.found);
    }
  }
}

/* Duality: the distance is the largest gap along any direction. The direction that is returned must
 * have it, no other direction a larger one, and both points must lie in their primitives. */
Test(primitive, distance_is_the_largest_gap) {
  rng r = rng_make(rng_seed("primitive gaps", 93));
  uint64_t rounds = rng_rounds(20000, 1000000), apart = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_primitive a = random_primitive(&r), b = random_primitive(&r);
    if (rng_chance(&r, 0.1)) {
      a.transform.origin = mo_add(a.transform.origin, mo_vec(1e6f, 1e6f, -1e6f));
      b.transform.origin = mo_add(b.transform.origin, mo_vec(1e6f, 1e6f, -1e6f));
    }
    mo_primitive_distance d = distance_of(&a, &b);
    double far = mo_max_magnitude(d.point_a) + mo_max_magnitude(d.point_b);
    unsigned long long n = (unsigned long long)i;
    for (int k = 0; k < 8; ++k) {
      ldvec m = ld_float(rng_direction(&r));
      m = ld_scale(1 / ld_norm(m), m);
      ldvec back = ld_scale(-1, m);
      cr_assert(-reach_along(&b, back) - reach_along(&a, m) <= d.distance + 1e-9L + 1e-15L * far,
                "round %llu: a larger gap than %g", n, d.distance);
      ldouble slack = 1e-5L + 1e-6L * far;
      cr_assert(ld_dot(m, ld_float(d.point_a)) <= reach_along(&a, m) + slack &&
                    ld_dot(m, ld_float(d.point_b)) <= reach_along(&b, m) + slack,
                "round %llu: a point outside", n);
    }
    cr_assert(d.distance - d.lower <= 1e-7 * (1 + d.distance) + 1e-9 * far, "round %llu: %g to %g",
              n, d.lower, d.distance);
    if (d.distance < 1e-3) {
      continue;
    }
    ++apart;
    ldvec m = ld_float(d.normal);
    m = ld_scale(1 / ld_norm(m), m);
    ldouble gap = -reach_along(&b, ld_scale(-1, m)) - reach_along(&a, m);
    cr_assert(fabsl(gap - d.distance) <= 1e-5L * (1 + d.distance),
              "round %llu: %Lg along the normal, not %g", n, gap, d.distance);
  }
  cr_assert(apart > rounds / 10 && apart < rounds);
}

/* How far the second of two primitives has to go along a unit vector not to overlap the first. */
static ldouble way_out_along(const mo_primitive *a, const mo_primitive *b, ldvec n) {
  return reach_along(a, n) + reach_along(b, ld_scale(-1, n));
}

/* The depth is the least way out over all directions: it has to be one of them, and no other may be
 * shorter than the lower bound. */
Test(primitive, penetration_is_the_shortest_way_out) {
  rng r = rng_make(rng_seed("primitive penetration", 94));
  uint64_t rounds = rng_rounds(4000, 200000), overlapping = 0, loose = 0, sideways = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_primitive a = random_primitive(&r), b = random_primitive(&r);
    if (rng_chance(&r, 0.5)) {
      b.transform.origin = a.transform.origin;
    }
    if (rng_chance(&r, 0.1)) {
      a.transform.origin = mo_add(a.transform.origin, mo_vec(1e6f, 1e6f, -1e6f));
      b.transform.origin = mo_add(b.transform.origin, mo_vec(1e6f, 1e6f, -1e6f));
    }
    unsigned long long n = (unsigned long long)i;
    mo_primitive_penetration p, swapped;
    cr_assert_eq(mo_primitive_find_penetration(&a, &b, &p), MO_OK);
    cr_assert_eq(mo_primitive_find_penetration(&b, &a, &swapped), MO_OK);
    bool overlap;
    cr_assert_eq(mo_primitive_overlap(&a, &b, &overlap), MO_OK);
    cr_assert(p.found == overlap && swapped.found == overlap, "round %llu", n);
    if (!p.found) {
      continue;
    }
    ++overlapping;
    ldouble size = 0;
    for (int axis = 0; axis < 3; ++axis) {
      ldvec e = {axis == 0, axis == 1, axis == 2}, back = ld_scale(-1, e);
      size += way_out_along(&a, &b, e) + way_out_along(&a, &b, back);
    }
    cr_assert(p.depth >= 0 && p.lower <= p.depth, "round %llu", n);
    /* By the normal, which is rounded to floats. */
    ldvec m = ld_float(p.normal);
    cr_assert(fabsl(ld_norm(m) - 1) < 1e-6L, "round %llu", n);
    m = ld_scale(1 / ld_norm(m), m);
    ldouble along = way_out_along(&a, &b, m);
    cr_assert(fabsl(along - p.depth) <= 1e-6L * size, "round %llu: %Lg along the normal, not %g", n,
              along, p.depth);
    for (int k = 0; k < 100; ++k) {
      ldvec other = ld_float(rng_direction(&r));
      other = ld_scale(1 / ld_norm(other), other);
      ldouble out = way_out_along(&a, &b, other);
      cr_assert(out >= p.lower - 1e-9L * size, "round %llu: %Lg is out, not %g", n, out, p.lower);
      cr_assert(out >= p.depth - 0x1p-6L * size, "round %llu: %Lg is out, not %g", n, out, p.depth);
    }
    loose += p.depth - p.lower > 2e-6 * (double)size;
    double bounds = (p.depth - p.lower) + (swapped.depth - swapped.lower) + 1e-9 * (double)size;
    cr_assert(fabs(p.depth - swapped.depth) <= bounds, "round %llu: %g, swapped %g", n, p.depth,
              swapped.depth);
    ldvec between = ld_sub(ld_float(p.point_a), ld_float(p.point_b));
    between = ld_sub(between, ld_scale(p.depth, m));
    double coordinates = mo_max_magnitude(p.point_a) + mo_max_magnitude(p.point_b);
    ldouble off = ld_norm(between) - 1e-7L * coordinates;
    cr_assert(off <= (p.depth - p.lower <= 1e-6 * (double)size ? 1e-4L : 1e-3L) * size,
              "round %llu: %Lg off", n, ld_norm(between));
    sideways += off > 1e-5L * size;
  }
  cr_assert(overlapping > rounds / 15, "%llu", (unsigned long long)overlapping);
  cr_assert(loose <= rounds / 50, "%llu of %llu", (unsigned long long)loose,
            (unsigned long long)overlapping);
  cr_assert(sideways <= 2 + overlapping / 500, "%llu of %llu", (unsigned long long)sideways,
            (unsigned long long)overlapping);
}

static mo_primitive_penetration penetration_of(const mo_primitive *a, const mo_primitive *b) {
  mo_primitive_penetration p = {.found = false};
  cr_assert_eq(mo_primitive_find_penetration(a, b, &p), MO_OK);
  cr_assert(p.found);
  cr_assert(fabs(p.normal.x * p.normal.x + p.normal.y * p.normal.y + p.normal.z * p.normal.z - 1) <
            1e-6);
  return p;
}

static bool is_near(double x, double y) {
  return fabs(x - y) <= 1e-7 * fabs(y);
}

Test(primitive, penetration_by_hand) {
  mo_transform at = mo_transform_identity(), beside = moved(mo_vec(0.5f, 0, 0));
  mo_geometry ball = sphere_of(mo_vec(0, 0, 0), 1), box = box_of(mo_vec(0, 0, 0), mo_vec(1, 2, 3));
  mo_primitive a = mo_primitive_of_geometry(&ball, &at), b = mo_primitive_of_geometry(&ball, &at);
  cr_assert(is_near(penetration_of(&a, &b).depth, 2), "balls about one centre");
  b = mo_primitive_of_geometry(&ball, &beside);
  mo_primitive_penetration p = penetration_of(&a, &b);
  cr_assert(is_near(p.depth, 1.5) && p.normal.x == 1 && p.point_a.x == 1 && p.point_b.x == -0.5f);
  a = mo_primitive_of_geometry(&box, &at);
  cr_assert(penetration_of(&a, &a).depth == 2, "a box, and the same box");
  p = penetration_of(&a, &b);
  cr_assert(is_near(p.depth, 1.5) && p.normal.x == 1);
  /* Boxes that touch; a point on a face, an edge, a corner. */
  mo_transform next = moved(mo_vec(2, 0, 0));
  b = mo_primitive_of_geometry(&box, &next);
  p = penetration_of(&a, &b);
  cr_assert(p.depth == 0 && p.normal.x == 1);
  const mo_vec3 on[] = {{1, 0.5f, 1}, {1, 2, 1}, {1, 2, -3}};
  for (int i = 0; i < 3; ++i) {
    b = mo_primitive_of_point(on[i]);
    p = penetration_of(&a, &b);
    cr_assert(p.depth == 0 && p.normal.x >= 0 && p.normal.y >= 0, "%d", i);
  }
  b = mo_primitive_of_point(mo_vec(0.25f, 0, 2.5f));
  p = penetration_of(&a, &b);
  cr_assert(p.depth == 0.5 && p.normal.z == 1 && p.point_a.z == 3 && p.point_b.z == 2.5f);
  /* Capsules whose axes cross, and that have one axis. */
  mo_geometry x = capsule_of(mo_vec(-3, 0, 0), mo_vec(3, 0, 0), 0.5f);
  mo_geometry y = capsule_of(mo_vec(0, -3, 0), mo_vec(0, 3, 0), 0.25f);
  a = mo_primitive_of_geometry(&x, &at);
  b = mo_primitive_of_geometry(&y, &at);
  p = penetration_of(&a, &b);
  cr_assert(is_near(p.depth, 0.75) && fabsf(p.normal.z) == 1, "axes that cross");
  p = penetration_of(&a, &a);
  cr_assert(is_near(p.depth, 1) && p.normal.x == 0, "one axis");
  /* A needle through a plate; a triangle across a triangle, and in its plane. */
  mo_geometry needle = box_of(mo_vec(0, 0, 0), mo_vec(1e-3f, 1e-3f, 1000));
  mo_geometry plate = box_of(mo_vec(0, 0, 0), mo_vec(1000, 1000, 1e-3f));
  a = mo_primitive_of_geometry(&plate, &at);
  b = mo_primitive_of_geometry(&needle, &at);
  p = penetration_of(&a, &b);
  cr_assert(is_near(p.depth, 1000 + (double)1e-3f));
  mo_primitive flat =
      mo_primitive_of_triangle(mo_vec(-1, -1, 0), mo_vec(2, -1, 0), mo_vec(0, 2, 0));
  mo_primitive through =
      mo_primitive_of_triangle(mo_vec(0, 0, -0.25f), mo_vec(1, 0, 4), mo_vec(-1, 0, 4));
  p = penetration_of(&flat, &through);
  cr_assert(is_near(p.depth, 0.25) && p.normal.z == 1);
  cr_assert(penetration_of(&flat, &flat).depth == 0);
}

Test(primitive, rays_by_hand) {
  mo_transform stretch = {{2, 0, 0}, {0, 1, 0}, {0, 0, 1}, {10, 0, 0}};
  mo_geometry ball = sphere_of(mo_vec(0, 0, 0), 1);
  mo_primitive ellipsoid = mo_primitive_of_geometry(&ball, &stretch);
  mo_primitive_hit hit;
  cr_assert_eq(mo_primitive_cast_ray(&ellipsoid, mo_vec(0, 0, 0), mo_vec(1, 0, 0), INFINITY, &hit),
               MO_OK);
  cr_assert(hit.found && hit.t == 8 && hit.point.x == 8 && hit.normal.x == -1);
  cr_assert_eq(mo_primitive_cast_ray(&ellipsoid, mo_vec(0, 0, 0), mo_vec(1, 0, 0), 7.9f, &hit),
               MO_OK);
  cr_assert(!hit.found);
  cr_assert_eq(mo_primitive_cast_ray(&ellipsoid, mo_vec(10, 0, 0), mo_vec(0, 0, 0), 1, &hit),
               MO_OK);
  cr_assert(hit.found && hit.t == 0 && mo_max_magnitude(hit.normal) == 0, "inside");
  mo_primitive triangle =
      mo_primitive_of_triangle(mo_vec(0, 0, 5), mo_vec(1, 0, 5), mo_vec(0, 1, 5));
  cr_assert_eq(
      mo_primitive_cast_ray(&triangle, mo_vec(0.25f, 0.25f, 0), mo_vec(0, 0, 1), INFINITY, &hit),
      MO_OK);
  cr_assert(hit.found && hit.t == 5 && hit.normal.z == 1);
  cr_assert_eq(
      mo_primitive_cast_ray(&triangle, mo_vec(0.75f, 0.75f, 0), mo_vec(0, 0, 1), INFINITY, &hit),
      MO_OK);
  cr_assert(!hit.found);
  /* Flattened by its map, and mirrored: outward stays outward. */
  triangle.transform.z_axis = mo_vec(0, 0, -1);
  cr_assert_eq(
      mo_primitive_cast_ray(&triangle, mo_vec(0.25f, 0.25f, 0), mo_vec(0, 0, -1), INFINITY, &hit),
      MO_OK);
  cr_assert(hit.found && hit.t == 5 && hit.normal.z == -1);
  mo_geometry volume = {.type = MO_SHAPE_VOLUME, .volume = {{-1, -1, -1}, {1, 1, 1}}};
  mo_primitive box = mo_primitive_of_geometry(&volume, &stretch);
  cr_assert_eq(mo_primitive_cast_ray(&box, mo_vec(0, 0, 0), mo_vec(1, 0, 0), INFINITY, &hit),
               MO_OK);
  cr_assert(hit.found && hit.t == 8);
}

Test(primitive, errors) {
  mo_geometry ball = sphere_of(mo_vec(0, 0, 0), 1), bad = sphere_of(mo_vec(0, 0, 0), -1);
  mo_transform identity = mo_transform_identity();
  mo_primitive good = mo_primitive_of_geometry(&ball, &identity);
  mo_primitive negative = mo_primitive_of_geometry(&bad, &identity);
  mo_primitive point = mo_primitive_of_point(mo_vec(NAN, 0, 0));
  mo_primitive far = mo_primitive_of_point(mo_vec(1e31f, 0, 0));
  mo_primitive mesh = good, none = good;
  mesh.geometry.type = MO_SHAPE_MESH;
  none.type = (mo_primitive_type)17;
  mo_primitive_distance d;
  mo_primitive_hit hit;
  bool overlap;
  mo_vec3 o = {0, 0, 0}, x = {1, 0, 0};
  cr_assert_eq(mo_primitive_find_distance(NULL, &good, 1, &d), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_primitive_find_distance(&good, &good, 1, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_primitive_overlap(&good, NULL, &overlap), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_primitive_cast_ray(&good, o, x, 1, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_primitive_closest_point(NULL, o, 1, &d), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_primitive_find_distance(&good, &good, -1, &d), MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_primitive_find_distance(&good, &good, NAN, &d), MO_ERROR_NOT_FINITE);
  cr_assert_eq(mo_primitive_overlap(&good, &negative, &overlap), MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_primitive_overlap(&mesh, &good, &overlap), MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_primitive_overlap(&none, &good, &overlap), MO_ERROR_INVALID_ARGUMENT);
  mo_geometry volume = {
      .type = MO_SHAPE_VOLUME, .rounding = 0.5f, .volume = {{0, 0, 0}, {1, 1, 1}}};
  mo_primitive rounded = mo_primitive_of_geometry(&volume, &identity);
  cr_assert_eq(mo_primitive_overlap(&rounded, &good, &overlap), MO_ERROR_INVALID_ARGUMENT);
  rounded = good;
  rounded.geometry.rounding = -1e-30f;
  cr_assert_eq(mo_primitive_overlap(&rounded, &good, &overlap), MO_ERROR_INVALID_ARGUMENT);
  rounded.geometry.rounding = NAN;
  cr_assert_eq(mo_primitive_overlap(&rounded, &good, &overlap), MO_ERROR_NOT_FINITE);
  rounded.geometry.rounding = 1.1e30f;
  cr_assert_eq(mo_primitive_overlap(&rounded, &good, &overlap), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(mo_primitive_overlap(&point, &good, &overlap), MO_ERROR_NOT_FINITE);
  cr_assert_eq(mo_primitive_overlap(&far, &good, &overlap), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(mo_primitive_cast_ray(&good, o, mo_vec(INFINITY, 0, 0), 1, &hit),
               MO_ERROR_NOT_FINITE);
  cr_assert_eq(mo_primitive_cast_ray(&good, o, x, -1, &hit), MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_primitive_cast_ray(&good, o, x, NAN, &hit), MO_ERROR_NOT_FINITE);
}
