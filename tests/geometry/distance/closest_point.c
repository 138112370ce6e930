/* Points and solids: closest points, and translations that lead out, by how far solids reach in
 * higher precision, and by hand. */
#include "geometry/distance/distance.h"
#include "geometry/penetration/penetration.h"

#include <criterion/criterion.h>
#include <math.h>

#include "oracle/solids.h"
#include "support/rng.h"

static mo_transform any_map(rng *r) {
  rng_transform_kind kind = (rng_transform_kind)rng_below(r, RNG_SLIVER + 1);
  return rng_transform(r, kind, 2);
}

static ldvec middle_of(const mo_convex *convex) {
  return ld_add(ld(convex->origin), center_of(convex));
}

static ldvec image_of(ldvec p, const mo_convex *convex) {
  return ld_add(ld(convex->origin), p);
}

/* How far a point lies beyond the plane across a unit vector that touches the solid. */
static ldouble beyond(const mo_convex *convex, ldvec n, ldvec point) {
  return ld_dot(n, ld_sub(point, middle_of(convex))) - reach_from_center(convex, n);
}

/* No direction separates the point from the solid by more than the distance, and the normal
 * separates them by that much. The box does not separate them by more either, and 0 means that they
 * overlap. */
Test(convex_point, closest_by_duality) {
  rng r = rng_make(rng_seed("convex_point/closest", 520));
  uint64_t rounds = rng_rounds(10000, 1000000), apart = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    solid s = random_solid(&r);
    mo_transform map = any_map(&r);
    mo_convex convex = solid_convex(&s, &map);
    ldvec some = image_of(random_point_of(&r, &convex), &convex);
    mo_vec3 offset = rng_vec3(&r, -1, 1);
    double size = size_of(&convex) + 1e-6;
    ldvec wanted =
        ld_add(some, ld_scale(size * ldexp(1, -(int)rng_below(&r, 20)), ld_float(offset)));
    mo_vec3 point = mo_vec((float)wanted.x, (float)wanted.y, (float)wanted.z);
    ldvec p = ld_float(point);
    const mo_body body = mo_body_of_convex(&convex);
    mo_convex_closest closest = mo_body_closest_point(&body, point);
    double far = (double)mo_max_magnitude(point) + (double)mo_max_magnitude(map.origin);
    double scale = size + closest.distance, slack = 1e-11 * scale + 1e-15 * far;
    mo_convex dot = mo_convex_sphere((mo_sphere){point, 0});
    unsigned long long n = (unsigned long long)i;
    double box = sqrt(mo_aabb_distance2(mo_convex_bounds(&convex), (mo_aabb){point, point}));
    cr_assert(closest.distance >= box, "round %llu: nearer than the box", n);
    if (solids_within(&convex, &dot, 0)) {
      cr_assert(closest.distance == 0 && mo_ddot(closest.normal, closest.normal) == 0 &&
                closest.point.x == p.x && closest.point.y == p.y && closest.point.z == p.z);
      continue;
    }
    apart++;
    for (int k = 0; k < 8; k++) {
      ldvec m = ld_float(rng_direction(&r));
      m = ld_scale(1 / ld_norm(m), m);
      cr_assert(beyond(&convex, m, p) <= closest.distance + slack, "round %llu", n);
      cr_assert(beyond(&convex, m, ld(closest.point)) <= slack, "round %llu: a point outside", n);
    }
    ldvec to = ld_sub(p, ld(closest.point));
    cr_assert(fabsl(ld_norm(to) - closest.distance) <= slack, "round %llu: not where it is", n);
    if (closest.distance > 1e-6 * scale + 1e-9 * far) {
      ldouble gap = beyond(&convex, ld(closest.normal), p);
      cr_assert(fabsl(gap - closest.distance) <= 1e-6 * scale, "round %llu: %Lg, not %g", n, gap,
                closest.distance);
    }
  }
  cr_assert(apart > rounds / 10 && apart < rounds);
}

/* Moved by the depth along the normal the point is on the solid's surface: nothing of the solid is
 * farther along. No other direction is tried here; see below. */
Test(convex_point, exits_lead_out) {
  rng r = rng_make(rng_seed("convex_point/exits", 521));
  uint64_t rounds = rng_rounds(20000, 1000000);
  for (uint64_t i = 0; i < rounds; i++) {
    solid s = random_solid(&r);
    mo_transform map = any_map(&r);
    mo_convex convex = solid_convex(&s, &map);
    ldvec some = ld_sub(random_point_of(&r, &convex), center_of(&convex));
    ldvec p = ld_add(middle_of(&convex), ld_scale(rng_float(&r, 0, 1), some));
    mo_dvec3 point = mo_dvec((double)p.x, (double)p.y, (double)p.z);
    mo_vec3 way = rng_chance(&r, 0.2) ? mo_vec(0, 0, 0) : rng_direction(&r);
    const mo_body body = mo_body_of_convex(&convex);
    mo_push_out out = mo_body_find_push_out(&body, point, mo_widen(way));
    double scale = size_of(&convex) + fabs(point.x) + fabs(point.y) + fabs(point.z);
    unsigned long long n = (unsigned long long)i;
    cr_assert(fabs(mo_ddot(out.normal, out.normal) - 1) < 1e-12 && out.depth >= 0, "round %llu", n);
    ldvec moved = ld_add(p, ld_scale(out.depth, ld(out.normal)));
    cr_assert(fabsl(beyond(&convex, ld(out.normal), moved)) <= 1e-12 * scale, "round %llu", n);
  }
}

/* No other of many directions has a shorter translation that leads out. */
Test(convex_point, exits_are_short) {
  rng r = rng_make(rng_seed("convex_point/short", 522));
  uint64_t rounds = rng_rounds(3000, 100000);
  for (uint64_t i = 0; i < rounds; i++) {
    solid s = random_solid(&r);
    s.half.x = s.radius = s.sphere.radius = 0.5f;
    mo_transform map = rng_transform(&r, RNG_NONUNIFORM_SCALE, 2);
    mo_convex convex = solid_convex(&s, &map);
    ldvec some = ld_sub(random_point_of(&r, &convex), center_of(&convex));
    ldvec p = ld_add(middle_of(&convex), ld_scale(rng_float(&r, 0, 1), some));
    mo_dvec3 point = mo_dvec((double)p.x, (double)p.y, (double)p.z);
    const mo_body body = mo_body_of_convex(&convex);
    mo_push_out out = mo_body_find_push_out(&body, point, mo_dvec(0, 0, 0));
    ldouble min = INFINITY;
    for (int k = 0; k < 400; k++) {
      ldvec m = ld_float(rng_direction(&r));
      m = ld_scale(1 / ld_norm(m), m);
      min = fminl(min, -beyond(&convex, m, p));
    }
    ldouble excess = (out.depth - min) / size_of(&convex);
    cr_assert(excess <= 1e-9L, "round %llu: %Lg longer", (unsigned long long)i, excess);
  }
}

Test(convex_point, by_hand) {
  mo_transform id = mo_transform_identity();
  const mo_convex cube = convex_box(mo_vec(0, 0, 0), mo_vec(1, 2, 3), &id);
  const mo_body box = mo_body_of_convex(&cube);
  mo_convex_closest c = mo_body_closest_point(&box, mo_vec(3, 0, 0));
  cr_assert(c.distance == 2 && c.point.x == 1 && c.normal.x == 1);
  c = mo_body_closest_point(&box, mo_vec(4, 6, 3));
  cr_assert(c.distance == 5 && c.point.x == 1 && c.point.y == 2);
  c = mo_body_closest_point(&box, mo_vec(0.5f, 1, 1));
  cr_assert(c.distance == 0 && c.point.x == 0.5 && c.normal.x == 0);
  mo_push_out out = mo_body_find_push_out(&box, mo_dvec(0.25, 0, 0), mo_dvec(0, 0, 0));
  cr_assert(out.depth == 0.75 && out.normal.x == 1);
  /* Of a flat solid, against the motion that led in. */
  const mo_convex flat = convex_box(mo_vec(0, 0, 0), mo_vec(1, 1, 0), &id);
  const mo_body plate = mo_body_of_convex(&flat);
  out = mo_body_find_push_out(&plate, mo_dvec(0.25, 0.5, 0), mo_dvec(1, 0, -1));
  cr_assert(out.depth == 0 && out.normal.z == 1);
  out = mo_body_find_push_out(&plate, mo_dvec(0.25, 0.5, 0), mo_dvec(1, 0, 1));
  cr_assert(out.depth == 0 && out.normal.z == -1);
  const mo_body dot = mo_body_of_sphere((mo_sphere){{1, 2, 3}, 0});
  out = mo_body_find_push_out(&dot, mo_dvec(1, 2, 3), mo_dvec(0, -2, 0));
  cr_assert(out.depth == 0 && out.normal.y == 1);
}
