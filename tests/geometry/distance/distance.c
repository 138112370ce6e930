/* Distances between solids and triangles. Random pairs are brought by translation to a known gap:
 * the farthest point of one along a direction and the farthest of the other against it become
 * neighbours on a line along that direction, so that a slab of that width lies between the two. */
#include <criterion/criterion.h>

#include "geometry/distance/distance.h"
#include "oracle/solids.h"

typedef struct body {
  bool is_triangle;
  mo_dvec3 corners[3];
  mo_convex convex;
} body;

static body random_body(rng *r, float scale) {
  body b = {.is_triangle = rng_chance(r, 0.6)};
  if (!b.is_triangle) {
    rng_transform_kind kinds[] = {RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_SHEAR, RNG_FLAT};
    mo_transform map = rng_transform(r, kinds[rng_below(r, 4)], 3);
    solid s = random_solid(r);
    b.convex = solid_convex(&s, &map);
    return b;
  }
  for (int i = 0; i < 3; i++) {
    b.corners[i] = mo_widen(rng_vec3(r, -scale, scale));
  }
  if (rng_chance(r, 0.1)) { /* a segment, a point, a sliver */
    b.corners[1] = b.corners[0];
  }
  if (rng_chance(r, 0.1)) {
    b.corners[2] = b.corners[0];
  }
  if (rng_chance(r, 0.2)) {
    b.corners[2] = mo_dadd(mo_dscale(0.5, mo_dadd(b.corners[0], b.corners[1])),
                           mo_widen(rng_vec3(r, -1e-5f, 1e-5f)));
  }
  return b;
}

static mo_dvec3 support(const body *b, mo_dvec3 n) {
  if (!b->is_triangle) {
    return mo_convex_support(&b->convex, n);
  }
  int best = 0;
  for (int i = 1; i < 3; i++) {
    best = mo_ddot(b->corners[i], n) > mo_ddot(b->corners[best], n) ? i : best;
  }
  return b->corners[best];
}

static void move(body *b, mo_dvec3 by) {
  for (int i = 0; i < 3; i++) {
    b->corners[i] = mo_dadd(b->corners[i], by);
  }
  b->convex.origin = mo_dadd(b->convex.origin, by);
}

static bool within(const body *a, const body *b, double distance) {
  if (a->is_triangle && b->is_triangle) {
    bool answer = triangles_within(a->corners, b->corners, distance);
    cr_assert(triangles_within(b->corners, a->corners, distance) == answer);
    return answer;
  }
  if (a->is_triangle || b->is_triangle) {
    return solid_triangle_within(a->is_triangle ? &b->convex : &a->convex,
                                 a->is_triangle ? a->corners : b->corners, distance);
  }
  bool answer = solids_within(&a->convex, &b->convex, distance);
  cr_assert(solids_within(&b->convex, &a->convex, distance) == answer);
  return answer;
}

Test(convex_within, known_gaps) {
  rng r = rng_make(rng_seed("convex_within/gaps", 221));
  uint64_t rounds = rng_rounds(30000, 2000000);
  for (uint64_t i = 0; i < rounds; i++) {
    float scale = rng_chance(&r, 0.3) ? 100 : 1;
    body a = random_body(&r, scale), b = random_body(&r, 1);
    mo_dvec3 n = mo_widen(rng_direction(&r));
    n = mo_dscale(1.0 / sqrt(mo_ddot(n, n)), n);
    double gap = exp2(rng_float(&r, -16, 4));
    mo_dvec3 to = mo_dadd(support(&a, n), mo_dscale(gap, n));
    move(&b, mo_dsub(to, support(&b, mo_dscale(-1.0, n))));
    double doubt = 1e-9 * scale;
    cr_assert(!within(&a, &b, 0), "round %llu", (unsigned long long)i);
    cr_assert(!within(&a, &b, fmax(gap - doubt, 0)), "round %llu: gap %a", (unsigned long long)i,
              gap);
    cr_assert(within(&a, &b, gap + doubt), "round %llu: gap %a", (unsigned long long)i, gap);
    /* Back by a little more: they share a point or nearly so. */
    move(&b, mo_dscale(-gap, n));
    cr_assert(within(&a, &b, doubt), "round %llu touches", (unsigned long long)i);
  }
}

static mo_body made(const body *b) {
  return b->is_triangle ? mo_body_of_triangle(b->corners) : mo_body_of_convex(&b->convex);
}

/* Bodies that touch but for the last bits have no distance where they count as touching, and have
 * one where they do not. */
Test(convex_distance, none_where_bodies_touch) {
  rng r = rng_make(rng_seed("convex_distance/touching", 224));
  uint32_t touching = 0, apart = 0;
  for (uint64_t i = 0, rounds = rng_rounds(10000, 1000000); i < rounds; i++) {
    body a = random_body(&r, 1), b = random_body(&r, 1);
    mo_dvec3 n = mo_dunit(mo_widen(rng_direction(&r)));
    double gap = rng_chance(&r, 0.5) ? 0.0 : exp2(rng_float(&r, -50, -20));
    mo_dvec3 to = mo_dadd(support(&a, n), mo_dscale(gap, n));
    move(&b, mo_dsub(to, support(&b, mo_dscale(-1.0, n))));
    const mo_body first = made(&a), second = made(&b);
    bool touch = within(&a, &b, 0);
    cr_assert_eq(mo_bodies_distance(&first, &second, (double)INFINITY).distance == 0, touch,
                 "round %llu", (unsigned long long)i);
    cr_assert_eq(mo_bodies_distance(&second, &first, 0).distance == 0, touch, "round %llu",
                 (unsigned long long)i);
    touching += touch;
    apart += !touch;
  }
  cr_assert(touching > 1000 && apart > 1000, "%u %u", touching, apart);
}

/* Where bodies overlap along a direction, the proven depth is at most that, and they touch. Where
 * they are apart, their distance is at least that of their bounds. */
Test(convex_distance, proven_depths_and_bounds) {
  rng r = rng_make(rng_seed("convex_distance/depths", 226));
  uint32_t deep = 0;
  for (uint64_t i = 0, rounds = rng_rounds(10000, 1000000); i < rounds; i++) {
    body a = random_body(&r, 1), b = random_body(&r, 1);
    mo_dvec3 n = mo_dunit(rng_chance(&r, 0.3) ? mo_dvec(1, 0, 0) : mo_widen(rng_direction(&r)));
    double gap = (rng_chance(&r, 0.7) ? -1.0 : 1.0) * exp2(rng_float(&r, -30, 1));
    mo_dvec3 to = mo_dadd(support(&a, n), mo_dscale(gap, n));
    move(&b, mo_dsub(to, support(&b, mo_dscale(-1.0, n))));
    const mo_body first = made(&a), second = made(&b);
    const mo_convex_gap found = mo_convex_distance(&first, &second, (double)INFINITY);
    cr_assert(found.depth <= fmax(-gap, 0) + 1e-12, "round %llu: %g, overlap %g",
              (unsigned long long)i, found.depth, -gap);
    cr_assert(found.depth < 1e-12 || within(&a, &b, 0), "round %llu", (unsigned long long)i);
    const double between = sqrt(mo_aabb_distance2(mo_body_bounds(&first), mo_body_bounds(&second)));
    cr_assert(mo_bodies_distance(&first, &second, (double)INFINITY).distance >= between,
              "round %llu", (unsigned long long)i);
    deep += found.depth > 1e-9;
  }
  cr_assert(deep > 1000, "%u", deep);
}

/* Triangles that share a point of each, anywhere in them. */
Test(convex_within, shared_points) {
  rng r = rng_make(rng_seed("convex_within/shared", 222));
  uint64_t rounds = rng_rounds(20000, 1000000);
  for (uint64_t i = 0; i < rounds; i++) {
    body a = random_body(&r, 1), b = random_body(&r, 3);
    mo_dvec3 point[2];
    body *bodies[2] = {&a, &b};
    for (int k = 0; k < 2; k++) {
      double u = rng_float(&r, 0, 1), v = rng_float(&r, 0, (float)(1 - u));
      const mo_dvec3 *c = bodies[k]->corners;
      point[k] =
          mo_dadd(mo_dscale(1 - u - v, c[0]), mo_dadd(mo_dscale(u, c[1]), mo_dscale(v, c[2])));
      if (!bodies[k]->is_triangle) {
        ldvec p = random_point_of(&r, &bodies[k]->convex);
        point[k] =
            mo_dadd(bodies[k]->convex.origin, mo_dvec((double)p.x, (double)p.y, (double)p.z));
      }
    }
    move(&b, mo_dsub(point[0], point[1]));
    double doubt = a.is_triangle || b.is_triangle ? 0 : 1e-12; /* two points may miss each other */
    cr_assert(within(&a, &b, doubt), "round %llu", (unsigned long long)i);
  }
}

Test(convex_within, triangles_by_hand) {
  const mo_dvec3 floor[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  const mo_dvec3 needle[3] = {{0, 0, 1}, {0, 0, -1}, {0, 0.1, -1}};
  const mo_dvec3 above[3] = {{-1, -1, 0.5}, {1, -1, 0.5}, {0, 1, 0.5}};
  const mo_dvec3 beside[3] = {{2, 0, 1}, {2, 0, -1}, {3, 0, 0}};
  cr_assert(triangles_within(floor, needle, 0), "pierced");
  cr_assert(!triangles_within(floor, above, 0.499));
  cr_assert(triangles_within(floor, above, 0.5));
  cr_assert(!triangles_within(floor, beside, 1));
  cr_assert(triangles_within(floor, floor, 0) && triangles_within(above, needle, 0));
  mo_transform identity = mo_transform_identity();
  mo_convex ball = convex_sphere((mo_sphere){{0, 0, 3}, 2}, &identity);
  cr_assert(!solid_triangle_within(&ball, floor, 0.999));
  cr_assert(solid_triangle_within(&ball, floor, 1));
  cr_assert(solid_triangle_within(&ball, needle, 0), "they touch");
}

/* What is round by balls, which a rotation makes ellipsoids, by a little: the slab along the normal
 * is as wide as the distance to the last bits, and the points are those of bodies. */
Test(convex_distance, balls_that_are_turned) {
  rng r = rng_make(rng_seed("convex_distance/balls", 223));
  const rng_transform_kind kinds[] = {RNG_RIGID, RNG_UNIFORM_SCALE, RNG_MIRROR};
  for (uint64_t i = 0, rounds = rng_rounds(20000, 1000000); i < rounds; i++) {
    mo_convex bodies[2];
    ldouble size = 0;
    for (int k = 0; k < 2; k++) {
      solid s = random_solid(&r);
      while (s.kind == MO_SOLID_CYLINDER || s.kind == MO_SOLID_CONE) {
        s = random_solid(&r);
      }
      mo_transform map = rng_transform(&r, kinds[rng_below(&r, 3)], 3);
      bodies[k] = solid_convex(&s, &map);
      size += reach_from_center(&bodies[k], (ldvec){1, 0, 0}) +
              reach_from_center(&bodies[k], (ldvec){0, 1, 0}) +
              reach_from_center(&bodies[k], (ldvec){0, 0, 1});
    }
    /* Apart by little or much along some direction, or overlapping. */
    mo_dvec3 n = mo_dunit(mo_widen(rng_direction(&r)));
    mo_dvec3 to =
        mo_dadd(mo_convex_support(&bodies[0], n), mo_dscale(exp2(rng_float(&r, -40, 4)), n));
    bodies[1].origin =
        mo_dadd(bodies[1].origin, mo_dsub(to, mo_convex_support(&bodies[1], mo_dscale(-1.0, n))));
    const mo_body first = mo_body_of_convex(&bodies[0]), second = mo_body_of_convex(&bodies[1]);
    const mo_convex_gap gap = mo_bodies_distance(&first, &second, (double)INFINITY);
    unsigned long long round = (unsigned long long)i;
    ldvec m = ld(gap.normal), back = ld_scale(-1, m);
    ldvec way = ld_sub(ld_add(center_of(&bodies[1]), ld(bodies[1].origin)),
                       ld_add(center_of(&bodies[0]), ld(bodies[0].origin)));
    ldouble width =
        ld_dot(way, m) - reach_from_center(&bodies[0], m) - reach_from_center(&bodies[1], back);
    cr_assert(fabsl(width - gap.distance) <= 2e-14L * (size + gap.distance),
              "round %llu: %Lg along the normal, not %g, sizes %Lg", round, width, gap.distance,
              size);
    cr_assert(gap.lower <= gap.distance &&
              gap.distance - gap.lower <= 2e-14 * ((double)size + gap.distance));
    for (int k = 0; k < 2; k++) {
      const mo_dvec3 dot[3] = {gap.points[k], gap.points[k], gap.points[k]};
      double slack = gap.distance > 0 ? 1e-13 : 1e-11; /* what touches may be apart by a little */
      cr_assert(solid_triangle_within(&bodies[k], dot, slack * (double)size),
                "round %llu: the point of %d is outside", round, k);
    }
  }
}
