/* A moving ball against a solid: the distance along its path, rays against solids grown by the
 * radius, and hand-made cases. */
#include "geometry/cast/sphere.h"

#include <criterion/criterion.h>
#include <math.h>

#include "geometry/distance/distance.h"
#include "geometry/ray/body.h"
#include "oracle/solids.h"
#include "support/rng.h"

static const double end = 1.0 + 0x1p-23;

static double distance_at(const mo_convex *convex, const mo_moving_ball *ball, double t) {
  mo_convex dot = mo_convex_sphere((mo_sphere){ball->center, 0});
  dot.origin = mo_dscale(t, mo_widen(ball->displacement)); /* a sum that is not rounded */
  const mo_body bodies[2] = {mo_body_of_convex(convex), mo_body_of_convex(&dot)};
  return mo_convex_distance(&bodies[0], &bodies[1], INFINITY).distance;
}

static mo_convex_contact cast_sphere(const mo_convex *convex, const mo_moving_ball *ball,
                                     double limit) {
  const mo_body body = mo_body_of_convex(convex);
  return mo_cast_sphere_body(&body, ball, limit);
}

static mo_vec3 point_of(rng *r, const mo_convex *convex) {
  ldvec p = ld_add(ld(convex->origin), random_point_of(r, convex));
  return mo_vec((float)p.x, (float)p.y, (float)p.z);
}

static mo_moving_ball any_ball(rng *r, const mo_convex *convex) {
  float size = (float)size_of(convex) + 1e-6f;
  float far = rng_chance(r, 0.2) ? ldexpf(size, (int)rng_below(r, 20)) : 2 * size;
  mo_vec3 target = point_of(r, convex), side = rng_vec3(r, -size, size);
  if (rng_chance(r, 0.3)) {
    target = mo_add(target, side);
  }
  mo_moving_ball ball = {.center = mo_add(target, mo_scale(far, rng_direction(r)))};
  ball.radius = rng_chance(r, 0.15) ? 0 : ldexpf(size, -(int)rng_below(r, 24));
  ball.displacement = mo_scale(rng_float(r, 0.2f, 3), mo_sub(target, ball.center));
  if (rng_chance(r, 0.1)) {
    ball.center = point_of(r, convex); /* starts in it or on it */
  }
  if (rng_chance(r, 0.05)) {
    ball.displacement = mo_vec(0, 0, 0);
  }
  return ball;
}

static double size_of_cast(const mo_convex *convex, const mo_moving_ball *ball) {
  mo_dvec3 d = mo_widen(ball->displacement);
  return size_of(convex) + ball->radius + sqrt(mo_ddot(d, d)) + distance_at(convex, ball, 0);
}

/* At t the ball touches, and it touches nowhere before: by the distance at t, and at many times. */
Test(cast_sphere_convex, by_the_distance_along_the_path) {
  rng r = rng_make(rng_seed("cast_sphere_convex/distance", 530));
  uint64_t rounds = rng_rounds(6000, 600000), hits = 0, misses = 0, loose = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    solid s = random_solid(&r);
    mo_transform map = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_SLIVER + 1), 2);
    mo_convex convex = solid_convex(&s, &map);
    mo_moving_ball ball = any_ball(&r, &convex);
    mo_convex_contact hit = cast_sphere(&convex, &ball, end);
    double slack = 1e-13 * size_of_cast(&convex, &ball);
    unsigned long long n = (unsigned long long)i;
    cr_assert(hit.t >= 0);
    double max = fmin(hit.t, end);
    if (hit.t <= end) {
      hits++;
      double d = distance_at(&convex, &ball, hit.t);
      /* A gap of 1e-7 may be left where the bounds of a distance differ by as much. */
      cr_assert(d <= ball.radius + 1e6 * slack && (hit.t == 0 || d >= ball.radius - slack),
                "round %llu: off by %g (%g)", n, d - ball.radius, slack);
      loose += hit.t > 0 && d > ball.radius + slack;
      cr_assert(fabs(mo_ddot(hit.normal, hit.normal) - 1) < 1e-6, "round %llu", n);
      cr_assert(hit.t == 0 || hit.depth == 0);
      if (hit.t > 0 && ball.radius > 1e-4 * size_of_cast(&convex, &ball)) {
        /* From the point of contact to the centre. */
        mo_dvec3 center =
            mo_dadd(mo_widen(ball.center), mo_dscale(hit.t, mo_widen(ball.displacement)));
        mo_dvec3 off = mo_dsub(mo_dadd(hit.point, mo_dscale(ball.radius, hit.normal)), center);
        cr_assert(sqrt(mo_ddot(off, off)) <= 1e-5 * size_of_cast(&convex, &ball), "round %llu", n);
        cr_assert(mo_ddot(hit.normal, mo_widen(ball.displacement)) < 0, "round %llu", n);
      }
      mo_convex_contact again = cast_sphere(&convex, &ball, hit.t);
      cr_assert(again.t == hit.t && again.distance == hit.distance, "round %llu: the limit", n);
    } else {
      misses++;
    }
    for (int k = 0; k < 24 && hit.t > 0; k++) {
      double at = max * rng_float(&r, 0, 1);
      cr_assert(distance_at(&convex, &ball, at) >= ball.radius - slack,
                "round %llu: an earlier touch at %g of %g", n, at, hit.t);
    }
  }
  cr_assert(hits > rounds / 4 && misses > rounds / 10);
  cr_assert_leq(loose, 3 + rounds / 1000);
}

/* A ball against a sphere or a capsule is a ray against one grown by the radius. */
Test(cast_sphere_convex, as_rays_at_grown_solids) {
  rng r = rng_make(rng_seed("cast_sphere_convex/rays", 531));
  uint64_t rounds = rng_rounds(10000, 1000000), hits = 0;
  mo_transform id = mo_transform_identity();
  for (uint64_t i = 0; i < rounds; i++) {
    solid s = random_solid(&r), grown;
    s.kind = rng_chance(&r, 0.5) ? MO_SOLID_SPHERE : MO_SOLID_CAPSULE;
    mo_convex convex = solid_convex(&s, &id);
    mo_moving_ball ball = any_ball(&r, &convex);
    ball.radius = rng_float(&r, 0.01f, 1);
    grown = s;
    grown.radius = s.radius + ball.radius;
    grown.sphere.radius = s.sphere.radius + ball.radius;
    mo_solid local = solid_local(&grown);
    const mo_ray_line path = {ball.center, ball.displacement, 0, 1};
    float t = INFINITY;
    mo_dvec3 normal;
    bool hit =
        mo_max_magnitude(ball.displacement) > 0 && mo_ray_test_solid(&path, &local, &t, &normal);
    mo_convex_contact found = cast_sphere(&convex, &ball, end);
    if (!hit || t == 0 || found.t > 1) {
      continue; /* grazing ones differ by the rounding of the grown radius */
    }
    hits++;
    /* By how far the ball stops short of the solid, or goes too far, along the normal. */
    double speed = -mo_ddot(found.normal, mo_widen(ball.displacement));
    cr_assert(fabs(t - found.t) * speed <= 2e-7 * size_of_cast(&convex, &ball),
              "round %llu: %g, not %g", (unsigned long long)i, found.t, (double)t);
  }
  cr_assert_gt(hits, rounds / 4);
}

/* Through the middle of flat solids, however thin they are, however small the ball and long its
 * path. */
Test(cast_sphere_convex, never_passes_through) {
  rng r = rng_make(rng_seed("cast_sphere_convex/thin", 532));
  uint64_t rounds = rng_rounds(20000, 1000000);
  for (uint64_t i = 0; i < rounds; i++) {
    bool flat = rng_chance(&r, 0.5);
    solid s = random_solid(&r);
    s.kind = flat ? s.kind : MO_SOLID_BOX;
    s.half = mo_vec(1, 1, flat ? 1 : rng_chance(&r, 0.5) ? 0 : 1e-12f);
    s.radius = s.sphere.radius = 1;
    mo_transform map = rng_transform(&r, flat ? RNG_FLAT : RNG_RIGID, 2);
    mo_convex convex = solid_convex(&s, &map);
    ldvec middle = ld_add(ld(convex.origin), center_of(&convex));
    mo_vec3 target = mo_vec((float)middle.x, (float)middle.y, (float)middle.z);
    mo_vec3 way = mo_scale(ldexpf(1, (int)rng_below(&r, 14)), rng_direction(&r));
    mo_moving_ball ball = {.center = mo_sub(target, way), .displacement = mo_scale(2, way)};
    ball.radius = rng_chance(&r, 0.5) ? 0 : ldexpf(1, -(int)rng_below(&r, 60));
    mo_dvec3 normal = convex.column[2], d = mo_widen(way);
    if (flat) { /* across the two axes that are left */
      for (int k = 0; k < 3; k++) {
        mo_dvec3 n = mo_dcross(convex.column[k], convex.column[(k + 1) % 3]);
        normal = k == 0 || mo_ddot(n, n) > mo_ddot(normal, normal) ? n : normal;
      }
    }
    double along = fabs(mo_ddot(normal, d)) / sqrt(mo_ddot(normal, normal) * mo_ddot(d, d));
    if (along < 0.05 || size_of(&convex) < 0.5 || !has_no_thin_hull(&s)) {
      continue; /* may pass it by, as the target is rounded */
    }
    mo_convex_contact hit = cast_sphere(&convex, &ball, end);
    cr_assert(hit.t <= 1, "round %llu: through", (unsigned long long)i);
    cr_assert(mo_ddot(hit.normal, d) < 0 || hit.t == 0, "round %llu: the far side",
              (unsigned long long)i);
  }
}

Test(cast_sphere_convex, by_hand) {
  mo_transform id = mo_transform_identity();
  mo_convex box = convex_box(mo_vec(0, 0, 0), mo_vec(1, 1, 1), &id);
  mo_moving_ball ball = {{5, 0.5f, 0}, 1, {-6, 0, 0}};
  mo_convex_contact hit = cast_sphere(&box, &ball, end);
  cr_assert(fabs(hit.t - 0.5) < 1e-13 && fabs(hit.normal.x - 1) < 1e-13 &&
            fabs(hit.point.x - 1) < 1e-13 && hit.depth == 0);
  ball.displacement.x = -3;
  hit = cast_sphere(&box, &ball, end);
  cr_assert(fabs(hit.t - 1) < 1e-13, "touching at the very end counts");
  ball.displacement.x = -2.99f;
  cr_assert_eq(cast_sphere(&box, &ball, end).t, INFINITY);
  ball.center.x = 1.5f; /* overlaps; the centre outside */
  hit = cast_sphere(&box, &ball, end);
  cr_assert(hit.t == 0 && hit.normal.x == 1 && fabs(hit.depth - 0.5) < 1e-13);
  ball.center.x = 0.75f; /* the centre inside */
  hit = cast_sphere(&box, &ball, end);
  cr_assert(hit.t == 0 && hit.normal.x == 1 && fabs(hit.depth - 1.25) < 1e-13 && hit.distance == 0);
  cr_assert(hit.point.x == 1 && hit.point.y == 0.5 && hit.point.z == 0, "on the surface");
  ball = (mo_moving_ball){{2.5f, 0, 0}, 1, {0, 0, 0}};
  cr_assert_eq(cast_sphere(&box, &ball, end).t, INFINITY);
  ball.center.x = 2;
  cr_assert_eq(cast_sphere(&box, &ball, end).t, 0, "touches, and does not move");
}
