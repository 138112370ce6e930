/* Rays against balls, boxes, capsules, cylinders and cones in their own frame, rounded and not.
 * Those against hulls are in geometry/solid/hull. */
#include <criterion/criterion.h>

#include "geometry/ray/body.h"
#include "oracle/solids.h"

typedef struct answer {
  bool hit;
  float t;
  mo_dvec3 normal;
} answer;

static answer cast(const solid *s, mo_vec3 origin, mo_vec3 direction, float min_t, float max_t) {
  answer a = {.t = NAN};
  mo_solid local = solid_local(s);
  const mo_ray_line ray = {origin, direction, min_t, max_t};
  a.hit = mo_ray_test_solid(&ray, &local, &a.t, &a.normal);
  return a;
}

static bool has_normal(const answer *a, double x, double y, double z) {
  mo_dvec3 n = mo_dscale(1 / sqrt(mo_ddot(a->normal, a->normal)), a->normal);
  mo_dvec3 d = mo_dsub(n, mo_dvec(x, y, z));
  return mo_ddot(d, d) < 1e-14;
}

static bool no_normal(const answer *a) {
  return a->normal.x == 0 && a->normal.y == 0 && a->normal.z == 0;
}

static const solid unit_ball = {.kind = MO_SOLID_SPHERE, .sphere = {{0, 0, 0}, 1}};
static const solid unit_box = {.kind = MO_SOLID_BOX, .half = {1, 1, 1}};
static const solid drum = {.kind = MO_SOLID_CYLINDER, .a = {-2, 0, 0}, .b = {2, 0, 0}, .radius = 1};
/* A right triangle of 3, 4 and 5 turned around its side of 4; and one as wide as it is long.
 */
static const solid spike = {.kind = MO_SOLID_CONE, .a = {-2, 0, 0}, .b = {2, 0, 0}, .radius = 3};
static const solid horn = {.kind = MO_SOLID_CONE, .a = {-2, 0, 0}, .b = {2, 0, 0}, .radius = 2};
static const solid rod = {.kind = MO_SOLID_CAPSULE, .a = {-2, 0, 0}, .b = {2, 0, 0}, .radius = 1};

Test(ray_solid, ball) {
  answer a = cast(&unit_ball, mo_vec(-5, 0, 0), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 4 && has_normal(&a, -1, 0, 0));
  a = cast(&unit_ball, mo_vec(-5, 0, 0), mo_vec(2, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 2, "t is in units of the direction");
  a = cast(&unit_ball, mo_vec(-5, 1, 0), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 5 && has_normal(&a, 0, 1, 0), "tangent");
  a = cast(&unit_ball, mo_vec(-5, nextafterf(1, 2), 0), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(!a.hit);
  a = cast(&unit_ball, mo_vec(-5, 0, 0), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(!a.hit, "behind");
  cr_assert(cast(&unit_ball, mo_vec(-5, 0, 0), mo_vec(1, 0, 0), 0, 4).hit, "the end counts");
  cr_assert(!cast(&unit_ball, mo_vec(-5, 0, 0), mo_vec(1, 0, 0), 0, nextafterf(4, 0)).hit);
  cr_assert(!cast(&unit_ball, mo_vec(-5, 0, 0), mo_vec(1, 0, 0), 2, 1).hit, "no range");
}

Test(ray_solid, starts_inside) {
  const solid *solids[] = {&unit_ball, &unit_box, &rod, &drum, &horn};
  for (size_t i = 0; i < sizeof solids / sizeof *solids; ++i) {
    answer a = cast(solids[i], mo_vec(0.25f, 0.5f, 0), mo_vec(1, 1, 1), 0, INFINITY);
    cr_assert(a.hit && a.t == 0 && no_normal(&a));
    a = cast(solids[i], mo_vec(-9, 0, 0), mo_vec(1, 0, 0), 9, 9);
    cr_assert(a.hit && a.t == 9 && no_normal(&a), "the range begins inside");
    a = cast(solids[i], mo_vec(0, 1, 0), mo_vec(0, 1, 0), 0, INFINITY);
    cr_assert(a.hit && a.t == 0 && no_normal(&a), "on the surface, outward");
    a = cast(solids[i], mo_vec(0, 1.001f, 0), mo_vec(0, 1, 0), 0, INFINITY);
    cr_assert(!a.hit);
    a = cast(solids[i], mo_vec(-9, 0, 0), mo_vec(1, 0, 0), 13, INFINITY);
    cr_assert(!a.hit, "the range begins beyond");
  }
}

Test(ray_solid, box) {
  answer a = cast(&unit_box, mo_vec(-5, 0.5f, 0.5f), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 4 && has_normal(&a, -1, 0, 0));
  a = cast(&unit_box, mo_vec(3, 9, 3), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(!a.hit);
  a = cast(&unit_box, mo_vec(1, 9, 1), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 8 && has_normal(&a, 0, 1, 0), "along an edge");
  a = cast(&unit_box, mo_vec(5, 5, 5), mo_vec(-2, -2, -2), 0, INFINITY);
  cr_assert(a.hit && a.t == 2, "at a corner");
  a = cast(&unit_box, mo_vec(3, -1, 0), mo_vec(-1, 1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 2, "grazing an edge");
  a = cast(&unit_box, mo_vec(3.001f, -1, 0), mo_vec(-1, 1, 0), 0, INFINITY);
  cr_assert(!a.hit);
}

Test(ray_solid, capsule) {
  answer a = cast(&rod, mo_vec(1, 5, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 4 && has_normal(&a, 0, 1, 0), "side");
  a = cast(&rod, mo_vec(9, 0, 0), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 6 && has_normal(&a, 1, 0, 0), "end, along the axis");
  a = cast(&rod, mo_vec(9, 1, 0), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 7 && has_normal(&a, 0, 1, 0), "along the side");
  a = cast(&rod, mo_vec(9, 1.001f, 0), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(!a.hit);
  a = cast(&rod, mo_vec(2.6f, 5, 0.8f), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 5) < 1e-3f, "end, grazing by 3-4-5");
  solid point = {.kind = MO_SOLID_CAPSULE, .a = {1, 1, 1}, .b = {1, 1, 1}, .radius = 2};
  a = cast(&point, mo_vec(1, 1, -9), mo_vec(0, 0, 1), 0, INFINITY);
  cr_assert(a.hit && a.t == 8 && has_normal(&a, 0, 0, -1), "a ball");
}

Test(ray_solid, cylinder) {
  answer a = cast(&drum, mo_vec(1, 5, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 4 && has_normal(&a, 0, 1, 0), "side");
  a = cast(&drum, mo_vec(9, 0.5f, 0.5f), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 7 && has_normal(&a, 1, 0, 0), "end, along the axis");
  a = cast(&drum, mo_vec(9, 1, 0), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 7, "along the side");
  cr_assert(!cast(&drum, mo_vec(9, nextafterf(1, 2), 0), mo_vec(-1, 0, 0), 0, INFINITY).hit);
  a = cast(&drum, mo_vec(2, 5, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 4, "in the plane of an end");
  cr_assert(!cast(&drum, mo_vec(nextafterf(2, 3), 5, 0), mo_vec(0, -1, 0), 0, INFINITY).hit);
  a = cast(&drum, mo_vec(4, -1, 0), mo_vec(-1, 1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 2 && has_normal(&a, 1, 0, 0), "slanting through an end");
  a = cast(&drum, mo_vec(3, 2, 0), mo_vec(-1, -1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 1, "at the rim");
  a = cast(&drum, mo_vec(3, 0, 0), mo_vec(-1, 1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 1, "grazing the rim");
  cr_assert(!cast(&drum, mo_vec(3.001f, 0, 0), mo_vec(-1, 1, 0), 0, INFINITY).hit);
  solid line = {.kind = MO_SOLID_CYLINDER, .a = {0, 0, -1}, .b = {0, 0, 1}};
  a = cast(&line, mo_vec(3, 0, 0), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 3 && has_normal(&a, 1, 0, 0), "a segment");
  a = cast(&line, mo_vec(0, 0, 3), mo_vec(0, 0, -1), 0, INFINITY);
  cr_assert(a.hit && a.t == 2 && has_normal(&a, 0, 0, 1), "a segment end on");
}

Test(ray_solid, cone) {
  answer a = cast(&spike, mo_vec(-9, 0, 0), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 7 && has_normal(&a, -1, 0, 0), "at the apex, along the axis");
  a = cast(&spike, mo_vec(-9, 1.5f, 0), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 9 && has_normal(&a, -0.6, 0.8, 0), "side, along the axis");
  a = cast(&spike, mo_vec(0, 9, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 7.5f && has_normal(&a, -0.6, 0.8, 0), "side");
  a = cast(&spike, mo_vec(9, 1, 1), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 7 && has_normal(&a, 1, 0, 0), "base");
  a = cast(&spike, mo_vec(4, 1, 0), mo_vec(-1, 1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 2, "grazing the rim");
  cr_assert(!cast(&spike, mo_vec(4.001f, 1, 0), mo_vec(-1, 1, 0), 0, INFINITY).hit);
  a = cast(&spike, mo_vec(9, 3, 0), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 7, "at the rim, along the axis");
  cr_assert(!cast(&spike, mo_vec(9, nextafterf(3, 4), 0), mo_vec(-1, 0, 0), 0, INFINITY).hit);
  a = cast(&spike, mo_vec(2, 9, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 6, "in the plane of the base");
  cr_assert(!cast(&spike, mo_vec(nextafterf(2, 3), 9, 0), mo_vec(0, -1, 0), 0, INFINITY).hit);
  a = cast(&spike, mo_vec(-2, 9, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 9, "only the apex");
  cr_assert(!cast(&spike, mo_vec(nextafterf(-2, -3), 9, 0), mo_vec(0, -1, 0), 0, INFINITY).hit);
  cr_assert(!cast(&spike, mo_vec(-4, 9, 0), mo_vec(0, -1, 0), 0, INFINITY).hit,
            "what the side would be beyond the apex");
  cr_assert(!cast(&spike, mo_vec(-4, 1.4f, 0), mo_vec(-1, 0, 0), 0, INFINITY).hit);
  a = cast(&spike, mo_vec(-6, -3, 0), mo_vec(4, 3, 0), 0, INFINITY);
  cr_assert(a.hit && a.t >= 1 && a.t <= 2, "along the side");
  a = cast(&spike, mo_vec(0, 1.5f, -5), mo_vec(0, 0, 1), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 5) < 1e-6f && has_normal(&a, -0.6, 0.8, 0), "tangent to the side");
  cr_assert(!cast(&spike, mo_vec(0, nextafterf(1.5f, 2), -5), mo_vec(0, 0, 1), 0, INFINITY).hit);
  a = cast(&spike, mo_vec(0, 0, 0), mo_vec(1, 0, 0), 3, INFINITY);
  cr_assert(!a.hit, "leaves before the range begins");
}

Test(ray_solid, cones_without_volume) {
  solid needle = {.kind = MO_SOLID_CONE, .a = {0, 0, 1}, .b = {0, 0, -1}};
  answer a = cast(&needle, mo_vec(3, 0, 0), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 3 && has_normal(&a, 1, 0, 0), "a segment");
  a = cast(&needle, mo_vec(0, 0, 3), mo_vec(0, 0, -1), 0, INFINITY);
  cr_assert(a.hit && a.t == 2 && has_normal(&a, 0, 0, 1), "a segment end on");
  a = cast(&needle, mo_vec(0, 0, -3), mo_vec(0, 0, 1), 0, INFINITY);
  cr_assert(a.hit && a.t == 2 && has_normal(&a, 0, 0, -1), "from the base");
  cr_assert(!cast(&needle, mo_vec(3, 1e-6f, 0), mo_vec(-1, 0, 0), 0, INFINITY).hit);
  solid coin = {.kind = MO_SOLID_CONE, .a = {0, 0, 1e-30f}, .b = {0, 0, 0}, .radius = 1};
  a = cast(&coin, mo_vec(0.5f, 0, 3), mo_vec(0, 0, -1), 0, INFINITY);
  cr_assert(a.hit && a.t == 3 && has_normal(&a, 0, 0, 1), "from above");
  a = cast(&coin, mo_vec(0.5f, 0, -3), mo_vec(0, 0, 1), 0, INFINITY);
  cr_assert(a.hit && a.t == 3 && has_normal(&a, 0, 0, -1), "from below");
  cr_assert(!cast(&coin, mo_vec(1.001f, 0, 3), mo_vec(0, 0, -1), 0, INFINITY).hit);
  cr_assert(!cast(&coin, mo_vec(-3, 0, 1e-3f), mo_vec(1, 0, 0), 0, INFINITY).hit);
}

Test(ray_solid, rounded_box) {
  solid s = {.kind = MO_SOLID_BOX, .half = {1, 2, 3}, .rounding = 1};
  answer a = cast(&s, mo_vec(-5, 1.5f, 2.5f), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 3 && has_normal(&a, -1, 0, 0), "a face");
  a = cast(&s, mo_vec(1.6f, 9, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 6.2f) < 1e-6f && fabs(a.normal.y / a.normal.x - 8.0 / 6) < 1e-6,
            "an edge, by 3-4-5");
  a = cast(&s, mo_vec(9, 10, 11), mo_vec(-1, -1, -1), 0, INFINITY);
  cr_assert(a.hit && fabs(a.t - (8 - 1 / sqrt(3.0))) < 1e-6, "a corner");
  double third = 1 / sqrt(3.0);
  cr_assert(has_normal(&a, third, third, third));
  a = cast(&s, mo_vec(2, 9, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 7) < 1e-6f && has_normal(&a, 1, 0, 0), "tangent to a face");
  a = cast(&s, mo_vec(nextafterf(2, 3), 9, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(!a.hit);
  a = cast(&s, mo_vec(5, 2, 0), mo_vec(-3, 1, 0), 0, INFINITY);
  cr_assert(!a.hit, "at an edge of the box as large, but with sharp edges");
  a = cast(&s, mo_vec(1.75f, 2.75f, 9), mo_vec(0, 0, -1), 0, INFINITY);
  cr_assert(!a.hit, "through that box, near an edge");
  cr_assert(cast(&s, mo_vec(-5, 0, 0), mo_vec(1, 0, 0), 0, 3).hit, "the end counts");
  cr_assert(!cast(&s, mo_vec(-5, 0, 0), mo_vec(1, 0, 0), 0, nextafterf(3, 0)).hit);
  cr_assert(!cast(&s, mo_vec(-5, 0, 0), mo_vec(-1, 0, 0), 0, INFINITY).hit, "behind");
  cr_assert(!cast(&s, mo_vec(-5, 0, 0), mo_vec(1, 0, 0), 8, INFINITY).hit, "begins beyond");
  a = cast(&s, mo_vec(0, 2.5f, 0), mo_vec(0, 0, 0), 0, 1);
  cr_assert(a.hit && a.t == 0 && no_normal(&a), "no direction, inside");
  cr_assert(!cast(&s, mo_vec(0, 3.5f, 0), mo_vec(0, 0, 0), 0, 1).hit);
  a = cast(&s, mo_vec(0, 3, 0), mo_vec(0, 1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 0 && no_normal(&a), "on the surface, outward");
  s.half = mo_vec(1, 0, 1); /* a plate as thick as it is round */
  a = cast(&s, mo_vec(0.5f, 5, 0.5f), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 4 && has_normal(&a, 0, 1, 0));
}

Test(ray_solid, rounded_cylinder) {
  solid s = drum;
  s.rounding = 1;
  answer a = cast(&s, mo_vec(1, 5, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 3 && has_normal(&a, 0, 1, 0), "side");
  a = cast(&s, mo_vec(9, 0.5f, 0.5f), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 6 && has_normal(&a, 1, 0, 0), "end");
  a = cast(&s, mo_vec(9, 1.8f, 0), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 6.4f) < 1e-6f && fabs(a.normal.y / a.normal.x - 8.0 / 6) < 1e-6,
            "rim, by 3-4-5");
  a = cast(&s, mo_vec(9, 2, 0), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 7) < 1e-6f, "along the side");
  cr_assert(!cast(&s, mo_vec(9, nextafterf(2, 3), 0), mo_vec(-1, 0, 0), 0, INFINITY).hit);
  a = cast(&s, mo_vec(3, 5, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 4) < 1e-6f, "in the plane of an end");
  cr_assert(!cast(&s, mo_vec(nextafterf(3, 4), 5, 0), mo_vec(0, -1, 0), 0, INFINITY).hit);
  a = cast(&s, mo_vec(2.5f, 1.25f, 5), mo_vec(0, 0, -1), 0, INFINITY);
  double out = 1 + sqrt(0.75), z = sqrt(out * out - 1.25 * 1.25);
  cr_assert(a.hit && fabs(a.t - (5 - z)) < 1e-6, "a chord of the rim");
}

Test(ray_solid, rounded_cone) {
  solid s = spike;
  s.rounding = 1;
  answer a = cast(&s, mo_vec(-9, 0, 0), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 6 && has_normal(&a, -1, 0, 0), "apex");
  a = cast(&s, mo_vec(-9, 0.8f, 0), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 6.4f) < 1e-6f, "where the apex ends and the side begins");
  a = cast(&s, mo_vec(0, 9, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 6.25f) < 1e-6f && has_normal(&a, -0.6, 0.8, 0), "side");
  a = cast(&s, mo_vec(2.6f, 9, 0), mo_vec(0, -1, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 5.2f) < 1e-6f, "rim, by 3-4-5");
  a = cast(&s, mo_vec(9, 2, 2), mo_vec(-1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 6 && has_normal(&a, 1, 0, 0), "base");
  cr_assert(!cast(&s, mo_vec(nextafterf(3, 4), 9, 0), mo_vec(0, -1, 0), 0, INFINITY).hit);
  cr_assert(!cast(&s, mo_vec(-2.6f, 9, 0.81f), mo_vec(0, -1, 0), 0, INFINITY).hit, "past the apex");
  s.radius = 0;
  a = cast(&s, mo_vec(-9, 0, 0), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 6 && has_normal(&a, -1, 0, 0), "a segment, end on");
}

/* The same solid, described in two forms. */
Test(ray_solid, rounding_is_a_larger_radius) {
  rng r = rng_make(rng_seed("ray_solid radius", 63));
  uint64_t rounds = rng_rounds(20000, 1000000), hits = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    solid s = random_solid(&r);
    s.kind = rng_chance(&r, 0.5) ? MO_SOLID_SPHERE : MO_SOLID_CAPSULE;
    s.radius = s.sphere.radius = (float)rng_below(&r, 64) / 64;
    s.rounding = (float)rng_below(&r, 64) / 64;
    solid larger = s, point = s, can = s;
    larger.radius = larger.sphere.radius = s.radius + s.rounding;
    larger.rounding = 0;
    mo_vec3 direction = rng_direction(&r);
    mo_vec3 origin = mo_sub(rng_vec3(&r, -1, 1), mo_scale(rng_float(&r, 0, 9), direction));
    answer a = cast(&s, origin, direction, 0, INFINITY);
    answer b = cast(&larger, origin, direction, 0, INFINITY);
    unsigned long long n = (unsigned long long)i;
    cr_assert(a.hit == b.hit && (!a.hit || a.t == b.t), "round %llu", n);
    hits += a.hit;
    /* A box of no size is a ball by its rounding; a cylinder or a cone of no radius is a capsule.
     */
    point.kind = MO_SOLID_BOX;
    point.half = mo_vec(0, 0, 0);
    larger = (solid){.kind = MO_SOLID_SPHERE, .sphere = {s.center, s.rounding}};
    if (rng_chance(&r, 0.5) && mo_max_magnitude(mo_sub(s.a, s.b)) > 0) {
      can.kind = rng_chance(&r, 0.5) ? MO_SOLID_CYLINDER : MO_SOLID_CONE;
      can.radius = 0;
      point = can;
      larger = can;
      larger.kind = MO_SOLID_CAPSULE;
    }
    a = cast(&point, origin, direction, 0, INFINITY);
    b = cast(&larger, origin, direction, 0, INFINITY);
    cr_assert(a.hit == b.hit && (!a.hit || fabsf(a.t - b.t) <= 1e-6f * (1 + b.t)),
              "round %llu: %g, %g", n, (double)a.t, (double)b.t);
  }
  cr_assert(hits > rounds / 4);
}

Test(ray_solid, no_volume) {
  mo_vec3 o = mo_vec(0, 0, 0), d = mo_vec(1, 2, 3);
  solid s = {.kind = MO_SOLID_SPHERE, .sphere = {{2, 4, 6}, 0}};
  answer a = cast(&s, o, d, 0, INFINITY);
  cr_assert(a.hit && a.t == 2 && mo_ddot(a.normal, mo_widen(d)) < 0, "a point");
  cr_assert(!cast(&s, o, mo_vec(1, 2, 3.0001f), 0, INFINITY).hit);
  s = (solid){.kind = MO_SOLID_BOX, .center = {2, 4, 6}};
  a = cast(&s, o, d, 0, INFINITY);
  cr_assert(a.hit && a.t == 2 && mo_ddot(a.normal, mo_widen(d)) < 0);
  s.half = mo_vec(5, 0, 5);
  a = cast(&s, o, d, 0, INFINITY);
  cr_assert(a.hit && a.t == 2 && has_normal(&a, 0, -1, 0), "a rectangle");
  s = (solid){.kind = MO_SOLID_CAPSULE, .a = {2, 4, 0}, .b = {2, 4, 9}};
  a = cast(&s, o, d, 0, INFINITY);
  cr_assert(a.hit && a.t == 2 && mo_ddot(a.normal, mo_widen(d)) < 0, "a segment");
  a = cast(&s, mo_vec(2, 4, -3), mo_vec(0, 0, 1), 0, INFINITY);
  cr_assert(a.hit && a.t == 3 && has_normal(&a, 0, 0, -1), "a segment end on");
}

Test(ray_solid, far_and_small) {
  /* Rounding of the origin is all that moves t. */
  answer a = cast(&unit_ball, mo_vec(-1e6f, 0.6f, 0), mo_vec(1, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == (float)(1e6 - sqrt(1 - (double)0.6f * 0.6f)));
  a = cast(&unit_ball, mo_vec(-1e20f, 0.6f, 0), mo_vec(1e20f, 0, 0), 0, INFINITY);
  cr_assert(a.hit && a.t == 1);
  solid tiny = {.kind = MO_SOLID_SPHERE, .sphere = {{0, 0, 0}, 1e-30f}};
  a = cast(&tiny, mo_vec(-3e-30f, 0, 0), mo_vec(1e-30f, 0, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 2) < 1e-6f);
  solid huge = {.kind = MO_SOLID_SPHERE, .sphere = {{0, 0, 0}, 1e29f}};
  a = cast(&huge, mo_vec(-5e29f, 0, 0), mo_vec(1e29f, 0, 0), 0, INFINITY);
  cr_assert(a.hit && fabsf(a.t - 4) < 1e-5f);
  a = cast(&huge, mo_vec(-5e29f, 0, 0), mo_vec(1e-30f, 0, 0), 0, INFINITY);
  cr_assert(!a.hit, "this t is no float");
}

/* The distance of a point to a solid without its rounding, 0 inside; to a cylinder or cone whose
 * side lies deeper by `inset`. */
static ldouble sharp_distance_to(const solid *s, ldvec p, ldouble inset) {
  if (s->kind == MO_SOLID_BOX) {
    ldvec d = ld_sub(p, ld_float(s->center));
    ldvec out = {fmaxl(0, fabsl(d.x) - s->half.x), fmaxl(0, fabsl(d.y) - s->half.y),
                 fmaxl(0, fabsl(d.z) - s->half.z)};
    return ld_norm(out);
  }
  ldvec from = ld_float(s->kind == MO_SOLID_SPHERE ? s->sphere.center : s->a);
  ldvec to = ld_float(s->kind == MO_SOLID_SPHERE ? s->sphere.center : s->b);
  if (s->kind == MO_SOLID_CONE) {
    ldvec axis = ld_sub(to, from);
    ldouble slant = hypotl(ld_norm(axis), s->radius);
    if (inset * slant >= s->radius * ld_norm(axis)) { /* nothing is left of it */
      return inset + ld_norm(ld_sub(p, closest_of_cone(from, to, s->radius, p)));
    }
    ldouble radius = s->radius - inset * slant / ld_norm(axis);
    from = ld_sub(to, ld_scale(radius / s->radius, axis));
    return ld_norm(ld_sub(p, closest_of_cone(from, to, radius, p)));
  }
  ldvec axis = ld_sub(to, from), d = ld_sub(p, from);
  ldouble length = ld_dot(axis, axis);
  ldouble along = length > 0 ? ld_dot(d, axis) / length : 0, part = fmaxl(0, fminl(1, along));
  if (s->kind == MO_SOLID_CYLINDER) {
    ldouble beyond = fabsl(along - part) * sqrtl(length);
    ldouble out = fmaxl(0, ld_norm(ld_sub(d, ld_scale(along, axis))) - s->radius + inset);
    return hypotl(beyond, out);
  }
  return fmaxl(0, ld_norm(ld_sub(d, ld_scale(part, axis))) - s->radius);
}

/* The distance of a point to a solid, 0 inside; to one that is thinner by `inset` where it is
 * round. */
static ldouble distance_to(const solid *s, ldvec p, ldouble inset) {
  ldouble rounding = fmaxl(0, s->rounding - inset);
  return fmaxl(0, sharp_distance_to(s, p, inset) - rounding);
}

typedef struct way {
  const solid *s;
  ldvec origin, direction;
  ldouble inset;
} way;

static ldouble distance_along(ldouble t, void *context) {
  const way *w = context;
  return distance_to(w->s, ld_add(w->origin, ld_scale(t, w->direction)), w->inset);
}

/* Where the ray comes within `margin` of the solid, by bisection toward its closest point. */
static ldouble first_within(way *w, ldouble low, ldouble closest, ldouble margin) {
  if (distance_along(low, w) <= margin) {
    return low;
  }
  ldouble high = closest;
  for (int i = 0; i < 200; ++i) {
    ldouble middle = 0.5L * (low + high);
    *(distance_along(middle, w) <= margin ? &high : &low) = middle;
  }
  return high;
}

Test(ray_solid, agrees_with_bisection) {
  rng r = rng_make(rng_seed("ray_solid bisection", 61));
  uint64_t rounds = rng_rounds(20000, 1000000), hits = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    solid s = random_solid(&r);
    if (s.kind == MO_SOLID_HULL) {
      continue;
    }
    mo_vec3 direction = rng_direction(&r);
    mo_vec3 target = rng_vec3(&r, -1.2f, 1.2f);
    mo_transform identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    mo_convex convex = solid_convex(&s, &identity);
    if (rng_chance(&r, 0.5)) {
      ldvec p = random_point_of(&r, &convex);
      target = mo_vec((float)p.x, (float)p.y, (float)p.z);
    }
    float away = rng_chance(&r, 0.2) ? powf(10, rng_float(&r, 0, 6)) : rng_float(&r, 0, 4);
    if (rng_chance(&r, 0.2)) {
      direction.x = 0;
    }
    if (rng_chance(&r, 0.2)) {
      direction.y = 0;
    }
    if (s.kind >= MO_SOLID_CAPSULE && rng_chance(&r, 0.3)) { /* along or nearly along the axis */
      direction =
          mo_add(mo_sub(s.b, s.a), mo_scale(powf(10, rng_float(&r, -9, -1)), rng_direction(&r)));
    }
    if (mo_dot(direction, direction) < 1e-6f) {
      continue;
    }
    mo_vec3 origin = mo_sub(target, mo_scale(away, direction));
    ldouble slow = 10 / ld_norm(ld_float(direction)); /* across everything, in t */
    float speed = rng_chance(&r, 0.3) ? powf(10, rng_float(&r, -15, 15)) : 1;
    direction = mo_scale(speed, direction);
    float min_t = rng_chance(&r, 0.3) ? rng_float(&r, 0, 3) / speed : 0;
    float max_t = rng_chance(&r, 0.3) ? min_t + rng_float(&r, 0, 5) / speed : INFINITY;
    answer a = cast(&s, origin, direction, min_t, max_t);

    way w = {&s, ld_float(origin), ld_float(direction), 0};
    ldouble last = fminl(max_t, ((ldouble)away + slow) * 10 / speed);
    ldouble closest = min_t;
    ldouble min = last >= min_t ? minimum(distance_along, &w, min_t, last, &closest) : 1;
    ldouble margin = 1e-14L * (1 + away) + (max_t < INFINITY ? 1e-6L : 0);
    unsigned long long n = (unsigned long long)i;
    if (!a.hit) {
      /* In volume or by rounding: a solid that the ray meets in one point may be missed by a
       * little. */
      ldouble inside =
          s.kind == MO_SOLID_BOX ? fminl(s.half.x, fminl(s.half.y, s.half.z)) : s.radius;
      inside += s.rounding;
      cr_assert(min > 0 || inside == 0 || max_t < INFINITY, "round %llu: missed", n);
      continue;
    }
    ++hits;
    cr_assert(a.t >= min_t && a.t <= max_t, "round %llu", n);
    cr_assert(min <= margin, "round %llu: hit, but %Lg apart", n, min);
    /* Not later than where the ray is inside for sure, nor earlier than where it comes close. */
    ldouble early = first_within(&w, min_t, closest, 1e-7L + margin);
    ldouble ulp = 1.2e-7L * a.t + 1e-38L;
    cr_assert(a.t >= early - ulp, "round %llu: too early", n);
    /* A ray may enter the side of a cylinder at so small an angle that the last bits of its
     * distance from the axis move t. */
    w.inset = 2e-15L * (1 + away);
    ldouble inner = min + 1e-15L * (1 + away);
    bool enters = distance_along(closest, &w) <= inner;
    ldouble late = enters ? first_within(&w, min_t, closest, inner) : INFINITY;
    cr_assert(a.t <= late + ulp + 1e-13L / speed, "round %llu: too late, %g after %Lg", n,
              (double)a.t, late);
    w.inset = 0;
    if (no_normal(&a)) {
      cr_assert(a.t == min_t, "round %llu", n);
    } else {
      /* The solid lies behind the plane of the normal through the point that was hit. */
      ldvec normal = ld_scale(1 / ld_norm(ld(a.normal)), ld(a.normal));
      ldvec p = ld_add(w.origin, ld_scale(a.t, w.direction));
      ldouble beyond = ld_dot(normal, center_of(&convex)) + reach_from_center(&convex, normal) -
                       ld_dot(normal, p);
      /* Of a tiny radius the rounding of a double is a part, and turns the normal by as much. */
      ldouble round = s.rounding + (s.kind == MO_SOLID_BOX ? 0 : s.radius);
      ldouble turned = round > 0 ? fminl(1, 1e-15L * (1 + away) / round) : 0;
      cr_assert(beyond < 1e-6L * (1 + away) + turned * size_of(&convex),
                "round %llu: beyond the normal by %Lg", n, beyond);
      cr_assert(ld_dot(normal, w.direction) <= 1e-7L * ld_norm(w.direction), "round %llu", n);
    }
  }
  cr_assert(hits > rounds / 4, "%llu", (unsigned long long)hits);
}

/* Boxes, cylinders and cones as long, thin, flat and sharp as can be: the point that is hit lies as
 * far from the sharp solid as it is rounded, to within the last bits of t and of the size, and
 * nothing before it does. */
Test(ray_solid, rounded_of_any_proportions) {
  rng r = rng_make(rng_seed("ray_solid proportions", 64));
  uint64_t rounds = rng_rounds(30000, 1000000), hits = 0, tried = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    static const mo_solid_kind kinds[] = {MO_SOLID_BOX, MO_SOLID_CYLINDER, MO_SOLID_CONE};
    solid s = {.kind = kinds[rng_below(&r, 3)]};
    float sizes[5];
    for (int k = 0; k < 5; ++k) {
      sizes[k] = powf(10, rng_float(&r, -7, 7));
    }
    s.half = mo_vec(sizes[0], sizes[1], sizes[2]);
    s.b = mo_scale(sizes[0], rng_direction(&r));
    s.a = mo_scale(-1, s.b);
    s.radius = sizes[1];
    s.rounding = sizes[3];
    mo_transform identity = mo_transform_identity();
    mo_convex convex = solid_convex(&s, &identity);
    double size = size_of(&convex);
    ldvec p = random_point_of(&r, &convex);
    mo_vec3 direction = rng_direction(&r);
    double away = size * powf(10, rng_float(&r, -3, 2));
    mo_vec3 origin = mo_sub(mo_narrow(mo_dvec((double)p.x, (double)p.y, (double)p.z)),
                            mo_scale((float)away, direction));
    ldvec o = ld_float(origin), d = ld_float(direction);
    if (distance_to(&s, o, 0) == 0) {
      continue;
    }
    ++tried;
    answer a = cast(&s, origin, direction, 0, INFINITY);
    if (!a.hit) {
      continue;
    }
    ++hits;
    unsigned long long n = (unsigned long long)i;
    ldouble noise = 1e-14L * (size + away), ulp = 1.2e-7L * a.t + noise;
    ldouble at = sharp_distance_to(&s, ld_add(o, ld_scale(a.t, d)), 0);
    cr_assert(fabsl(at - s.rounding) <= 2 * ulp, "round %llu: hit at %Lg, rounded by %g", n, at,
              (double)s.rounding);
    /* A tangent line comes within the noise that much earlier. */
    ldouble earlier = a.t - ulp - 2 * sqrtl(noise * (size + away));
    for (int k = 0; k < 4 && earlier > 0; ++k) {
      ldouble before = earlier * rng_float(&r, 0, 1);
      cr_assert(distance_to(&s, ld_add(o, ld_scale(before, d)), 0) > 0, "round %llu: late", n);
    }
  }
  cr_assert(hits > tried / 4 && tried > rounds / 4, "%llu of %llu", (unsigned long long)hits,
            (unsigned long long)tried);
}

/* Cones as long, thin, flat and sharp as can be. A ray that passes through a cross-section of one,
 * by long double, hits it, no later than there; and what is hit lies on it, behind the plane of the
 * normal, to within the last bits of t and of the size. */
Test(ray_solid, cones_of_any_proportions) {
  rng r = rng_make(rng_seed("ray_solid cones", 65));
  uint64_t rounds = rng_rounds(60000, 3000000), hits = 0, crossing = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    solid s = {.kind = MO_SOLID_CONE};
    float half = powf(10, rng_float(&r, -7, 7));
    s.b = mo_scale(half, rng_direction(&r));
    s.a = mo_scale(-1, s.b);
    s.radius = powf(10, rng_float(&r, -7, 7));
    mo_transform identity = mo_transform_identity();
    mo_convex convex = solid_convex(&s, &identity);
    double size = size_of(&convex);
    ldvec p = random_point_of(&r, &convex);
    mo_vec3 direction = rng_direction(&r);
    if (rng_chance(&r, 0.2)) { /* nearly along the axis, or along the side */
      mo_vec3 to =
          rng_chance(&r, 0.5) ? s.b : mo_narrow(mo_dvec((double)p.x, (double)p.y, (double)p.z));
      mo_vec3 along = mo_sub(to, s.a);
      float length = sqrtf(mo_dot(along, along));
      mo_vec3 off = mo_scale(powf(10, rng_float(&r, -9, -1)), direction);
      direction = mo_add(mo_scale(length > 0 ? 1 / length : 0, along), off);
    }
    double away = size * powf(10, rng_float(&r, -3, 2));
    mo_vec3 origin = mo_sub(mo_narrow(mo_dvec((double)p.x, (double)p.y, (double)p.z)),
                            mo_scale((float)away, direction));
    ldvec o = ld_float(origin), d = ld_float(direction);
    ldouble speed = ld_norm(d);
    if (distance_to(&s, o, 0) == 0 || !(speed > 0.01L)) {
      continue;
    }
    answer a = cast(&s, origin, direction, 0, INFINITY);
    unsigned long long n = (unsigned long long)i;
    ldouble noise = 1e-14L * (size + away), ulp = 1.2e-7L * a.t + noise / speed;
    /* Where it passes through a plane across the axis. */
    ldvec axis = ld_sub(ld_float(s.b), ld_float(s.a));
    ldouble part = rng_float(&r, 0.001f, 1);
    ldvec center = ld_add(ld_float(s.a), ld_scale(part, axis));
    ldouble t = ld_dot(ld_sub(center, o), axis) / ld_dot(d, axis);
    ldvec across = ld_sub(ld_add(o, ld_scale(t, d)), center);
    if (t > 0 && ld_norm(across) < 0.999L * part * s.radius - noise) {
      ++crossing;
      cr_assert(a.hit, "round %llu: missed", n);
      cr_assert(a.t <= t + 1.2e-7L * t + 2 * noise / speed, "round %llu: %g, after %Lg", n,
                (double)a.t, t);
    }
    if (!a.hit) {
      continue;
    }
    ++hits;
    ldvec at = ld_add(o, ld_scale(a.t, d));
    ldouble off = distance_to(&s, at, 0);
    cr_assert(off <= ulp * speed + noise, "round %llu: hit %Lg beside it, %Lg", n, off, noise);
    ldvec normal = ld_scale(1 / ld_norm(ld(a.normal)), ld(a.normal));
    ldouble beyond = ld_dot(normal, center_of(&convex)) + reach_from_center(&convex, normal) -
                     ld_dot(normal, at);
    cr_assert(beyond <= 1e-6L * (size + away), "round %llu: beyond the normal by %Lg", n, beyond);
    cr_assert(ld_dot(normal, d) <= 1e-7L * speed, "round %llu: the normal leads along", n);
    /* Deep inside before is too late. */
    ldouble before = a.t - ulp - 2 * sqrtl(noise * (size + away)) / speed;
    for (int k = 0; k < 4 && before > 0; ++k) {
      ldouble earlier = before * rng_float(&r, 0, 1);
      cr_assert(distance_to(&s, ld_add(o, ld_scale(earlier, d)), noise) > 0, "round %llu: late", n);
    }
  }
  cr_assert(hits > rounds / 4 && crossing > rounds / 50, "%llu, %llu", (unsigned long long)hits,
            (unsigned long long)crossing);
}

/* The t of a hit does not depend on the end of the range, so that ties stay ties. */
Test(ray_solid, end_of_range_only_decides) {
  rng r = rng_make(rng_seed("ray_solid range", 62));
  uint64_t rounds = rng_rounds(100000, 3000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    solid s = random_solid(&r);
    mo_vec3 direction = rng_direction(&r);
    mo_vec3 origin = mo_sub(rng_vec3(&r, -1, 1), mo_scale(rng_float(&r, 0, 100), direction));
    answer a = cast(&s, origin, direction, 0, INFINITY);
    if (a.hit) {
      answer b = cast(&s, origin, direction, 0, a.t);
      cr_assert(b.hit && b.t == a.t, "round %llu", (unsigned long long)i);
      cr_assert(a.t == 0 || !cast(&s, origin, direction, 0, nextafterf(a.t, 0)).hit, "round %llu",
                (unsigned long long)i);
    }
  }
}

Test(ray_solid, flat_box_behind_a_ray_nearly_in_its_plane) {
  solid flat = {.kind = MO_SOLID_BOX, .half = {0x1.54d61p-2f, 0x1.a72fe2p-2f, 0}};
  mo_vec3 origin = {1, 0, 0}, away = {0x1.57eddap+32f, -0x1.56908ap-1f, 0x1p-126f};
  cr_assert_not(cast(&flat, origin, away, 0, 0x1.7b1536p-1f).hit);
  mo_vec3 back = {-away.x, -away.y, -away.z};
  cr_assert(cast(&flat, origin, back, 0, 1).hit);
}
