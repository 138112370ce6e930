/* Rays against solids under any affine map. */
#include <criterion/criterion.h>

#include "geometry/ray/body.h"
#include "oracle/solids.h"

typedef struct answer {
  bool hit;
  float t;
  mo_dvec3 normal;
} answer;

static answer cast(const mo_convex *convex, mo_vec3 origin, mo_vec3 direction) {
  answer a = {.t = NAN};
  const mo_ray_line ray = {origin, direction, 0, INFINITY};
  a.hit = mo_ray_test_convex(&ray, convex, &a.t, &a.normal);
  return a;
}

static bool has_normal(const answer *a, double x, double y, double z) {
  mo_dvec3 n = mo_dscale(1 / sqrt(mo_ddot(a->normal, a->normal)), a->normal);
  mo_dvec3 d = mo_dsub(n, mo_dvec(x, y, z));
  return mo_ddot(d, d) < 1e-14;
}

Test(ray_convex, stretched_ball) {
  mo_transform map = {{3, 0, 0}, {0, 1, 0}, {0, 0, -2}, {0, 0, 7}};
  mo_convex convex = convex_sphere((mo_sphere){{0, 0, 0}, 1}, &map);
  answer a = cast(&convex, mo_vec(9, 0, 7), mo_vec(-1, 0, 0));
  cr_assert(a.hit && a.t == 6 && has_normal(&a, 1, 0, 0));
  a = cast(&convex, mo_vec(0, 0, 0), mo_vec(0, 0, 1));
  cr_assert(a.hit && a.t == 5 && has_normal(&a, 0, 0, -1));
  a = cast(&convex, mo_vec(2.9f, 0, 7), mo_vec(0, 0, 1));
  cr_assert(a.hit && a.t == 0 && mo_ddot(a.normal, a.normal) == 0, "inside");
}

Test(ray_convex, flat_disc) {
  mo_transform map = {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, 5}};
  mo_convex convex = convex_sphere((mo_sphere){{0, 0, 0}, 1}, &map);
  rng r = rng_make(rng_seed("ray_convex disc", 71));
  uint64_t rounds = rng_rounds(100000, 3000000), hits = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 origin = mo_vec(rng_float(&r, -3, 3), rng_float(&r, -3, 3), 10);
    mo_vec3 aim = mo_vec(rng_float(&r, -1.5f, 1.5f), rng_float(&r, -1.5f, 1.5f), 5);
    mo_vec3 direction = mo_scale(rng_float(&r, 0.01f, 10), mo_sub(aim, origin));
    double t = -5.0 / (double)direction.z;
    double x = origin.x + t * direction.x, y = origin.y + t * direction.y;
    double square = x * x + y * y;
    answer a = cast(&convex, origin, direction);
    cr_assert(fabs(square - 1) < 1e-9 || a.hit == (square < 1), "round %llu",
              (unsigned long long)i);
    if (a.hit) {
      ++hits;
      cr_assert(fabs(a.t - t) < 1e-7 * t && has_normal(&a, 0, 0, 1), "round %llu",
                (unsigned long long)i);
    }
  }
  cr_assert(hits > rounds / 20);
}

/* A ball flattened to a segment, and a ray from far away that meets the segment's line, but not the
 * segment: the error of the line was once taken for a hit. */
Test(ray_convex, segment_from_far_away) {
  mo_transform map = {{0, 0, 0}, {0, 0, 0}, {-0.188f, 0.244f, -0.107f}, {1, 0, 0}};
  mo_convex convex = convex_sphere((mo_sphere){{0, 0, -0.5f}, 0.33f}, &map);
  answer a = cast(&convex, mo_vec(-88, 0, 0), mo_vec(0.37f, 0, 0));
  cr_assert(!a.hit);
  a = cast(&convex, mo_vec(-88, -0.122f, 0.0535f), mo_vec(0.37f, 0, 0));
  cr_assert(a.hit);
}

/* A cube flattened along its diagonal is a hexagon. */
Test(ray_convex, flat_hexagon) {
  mo_transform map = {{2, -1, -1}, {-1, 2, -1}, {-1, -1, 2}, {100, -20, 3}};
  mo_convex convex = convex_box(mo_vec(0, 0, 0), mo_vec(1, 1, 1), &map);
  rng r = rng_make(rng_seed("ray_convex hexagon", 72));
  uint64_t rounds = rng_rounds(100000, 3000000), hits = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    double q[3] = {rng_float(&r, -2, 2), rng_float(&r, -2, 2), rng_float(&r, -2, 2)};
    /* The image of q; of the points with the same image, some one lies in the cube if ... */
    double spread = fmax(q[0], fmax(q[1], q[2])) - fmin(q[0], fmin(q[1], q[2]));
    mo_vec3 direction = rng_direction(&r);
    if (fabsf(direction.x + direction.y + direction.z) < 0.1f) {
      continue;
    }
    mo_vec3 p = mo_vec((float)(100 + 2 * q[0] - q[1] - q[2]), (float)(-20 - q[0] + 2 * q[1] - q[2]),
                       (float)(3 - q[0] - q[1] + 2 * q[2]));
    answer a = cast(&convex, mo_sub(p, mo_scale(4, direction)), direction);
    cr_assert(fabs(spread - 2) < 1e-3 || a.hit == (spread < 2), "round %llu",
              (unsigned long long)i);
    cr_assert(!a.hit || fabsf(a.t - 4) < 1e-3f, "round %llu", (unsigned long long)i);
    hits += a.hit;
  }
  cr_assert(hits > rounds / 5);
}

Test(ray_convex, lines_and_points) {
  mo_transform map = {{1, 2, 3}, {2, 4, 6}, {0, 0, 0}, {0, 0, 0}};
  mo_convex convex = convex_capsule(mo_vec(0, 0, 0), mo_vec(1, 1, 1), 1, &map);
  answer a = cast(&convex, mo_vec(1, 2, 8), mo_vec(0, 0, -1));
  cr_assert(a.hit && a.t == 5 && a.normal.z > 0);
  /* A normal of a segment is across it. */
  cr_assert(fabs(mo_ddot(a.normal, mo_dvec(1, 2, 3))) < 1e-9 * sqrt(mo_ddot(a.normal, a.normal)));
  cr_assert(!cast(&convex, mo_vec(1, 2.00001f, 8), mo_vec(0, 0, -1)).hit);
  map = (mo_transform){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {3, 3, 3}};
  for (int type = 0; type < SOLID_KINDS; ++type) {
    solid s = {.kind = (mo_solid_kind)type,
               .half = {1, 1, 1},
               .a = {1, 0, 0},
               .b = {0, 1, 0},
               .radius = 1,
               .sphere = {{5, 5, 5}, 1}};
    convex = solid_convex(&s, &map);
    a = cast(&convex, mo_vec(0, 0, 0), mo_vec(1, 1, 1));
    cr_assert(a.hit && a.t == 3 && a.normal.x < 0, "type %d", type);
    cr_assert(!cast(&convex, mo_vec(0, 0, 0), mo_vec(1, 1, 1.0001f)).hit);
  }
}

/* Against the closed forms in local space, where the map is kind. */
Test(ray_convex, agrees_with_local_rays) {
  rng r = rng_make(rng_seed("ray_convex local", 73));
  uint64_t rounds = rng_rounds(50000, 2000000), hits = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_transform map = rng_transform(&r, RNG_SHEAR, 3);
    solid s = random_solid(&r);
    mo_convex convex = solid_convex(&s, &map);
    mo_vec3 o = rng_vec3(&r, -3, 3), d = mo_sub(rng_vec3(&r, -1, 1), o);
    mo_affine affine;
    if (mo_affine_init(&affine, &map) != MO_OK || !affine.invertible) {
      continue;
    }
    /* The images of a local ray, which is exact, rounded to float. */
    mo_dvec3 world = mo_affine_point_to_world(&affine, o);
    mo_vec3 origin = mo_vec((float)world.x, (float)world.y, (float)world.z);
    mo_vec3 direction = mo_transform_direction(&map, d);
    answer a = cast(&convex, origin, direction), b = {.t = NAN};
    mo_solid local = solid_local(&s);
    const mo_ray_line ray = {o, d, 0, INFINITY};
    b.hit = mo_ray_test_solid(&ray, &local, &b.t, &b.normal);
    /* Rays that only graze may differ by the rounding of the world's ray. */
    solid thick = s, thin = s;
    thick.half = mo_add(s.half, mo_vec(1e-4f, 1e-4f, 1e-4f));
    thick.radius = thick.sphere.radius = s.radius + 1e-4f;
    thin.half = mo_sub(s.half, mo_vec(1e-4f, 1e-4f, 1e-4f));
    thin.radius = thin.sphere.radius = s.radius - 1e-4f;
    mo_convex outer = solid_convex(&thick, &map), inner = solid_convex(&thin, &map);
    cr_assert(!a.hit || cast(&outer, origin, direction).hit, "round %llu", (unsigned long long)i);
    bool volume = thin.half.x > 0 && thin.half.y > 0 && thin.half.z > 0 && thin.radius > 0;
    if (volume && cast(&inner, origin, direction).hit) {
      cr_assert(a.hit && b.hit, "round %llu", (unsigned long long)i);
      cr_assert(fabsf(a.t - b.t) < 2e-2f, "round %llu: %g and %g", (unsigned long long)i,
                (double)a.t, (double)b.t);
      ++hits;
    }
  }
  cr_assert(hits > rounds / 20, "%llu", (unsigned long long)hits);
}

/* Under every map: the hit is a point of the solid, the normal separates it from where the ray came
 * from, and rays aimed at points of the solid hit. */
Test(ray_convex, hits_are_on_the_solid) {
  rng r = rng_make(rng_seed("ray_convex every map", 74));
  uint64_t rounds = rng_rounds(50000, 2000000), hits = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    rng_transform_kind kind = (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS);
    mo_transform map = rng_transform(&r, kind, 1);
    solid s = random_solid(&r);
    mo_convex convex = solid_convex(&s, &map);
    double size = size_of(&convex);
    ldvec center = ld_add(ld(convex.origin), center_of(&convex));
    /* Aimed well inside: halfway from the centre to a point of it. */
    ldvec p = ld_add(ld(convex.origin), random_point_of(&r, &convex));
    p = ld_scale(0.5L, ld_add(p, center));
    mo_vec3 target = mo_vec((float)p.x, (float)p.y, (float)p.z);
    double reach = fmax(fabs(target.x), fmax(fabs(target.y), fabs(target.z)));
    double far = (size > 0 ? size : 1) * (rng_chance(&r, 0.2) ? 100 : 2);
    mo_vec3 direction = mo_scale((float)far, rng_direction(&r));
    mo_vec3 origin = mo_sub(target, direction);
    if (!mo_is_finite(origin) || far > 1e30) {
      continue;
    }
    answer a = cast(&convex, origin, direction);
    double slack = 4e-7 * (reach + far); /* what floats leave open */
    const char *name = rng_transform_kind_name(kind);
    bool solid_kind = kind != RNG_FLAT && kind != RNG_LINE && kind != RNG_POINT &&
                      kind != RNG_SLIVER && s.radius > 0.1f && s.half.x > 0.1f && s.half.y > 0.1f &&
                      s.half.z > 0.1f && has_no_thin_hull(&s);
    if (solid_kind && slack < 1e-3 * size) {
      cr_assert(a.hit, "%s, round %llu", name, (unsigned long long)i);
    }
    if (!a.hit) {
      continue;
    }
    ++hits;
    ldvec at = ld_add(ld_float(origin), ld_scale(a.t, ld_float(direction)));
    for (int k = 0; k < 8; ++k) { /* no plane separates the point from the solid */
      ldvec n = ld_float(rng_direction(&r));
      cr_assert(ld_dot(n, ld_sub(at, center)) <= reach_from_center(&convex, n) + slack,
                "%s, round %llu", name, (unsigned long long)i);
    }
    if (a.t > 0) {
      ldvec n = ld_scale(1 / ld_norm(ld(a.normal)), ld(a.normal));
      cr_assert(ld_dot(n, ld_float(direction)) <= 1e-9L * far, "%s, round %llu", name,
                (unsigned long long)i);
      cr_assert(ld_dot(n, center) + reach_from_center(&convex, n) <= ld_dot(n, at) + slack,
                "%s, round %llu: beyond the normal", name, (unsigned long long)i);
    }
  }
  cr_assert(hits > rounds / 4, "%llu", (unsigned long long)hits);
}
