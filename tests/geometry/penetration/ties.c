/* Depths where many directions are nearly as short, as for curved bodies with a common axis or
 * centre: against closed forms, and the deepest points against the translation. */
#include <criterion/criterion.h>
#include <motte/motte.h>

#include "oracle/reach.h"

/* A pair of the same orientation, the second with a small offset, and its least depth. */
typedef struct tie {
  mo_geometry a, b;
  mo_vec3 scale_a, scale_b; /* of the axes of each */
  mo_vec3 offset;           /* along the axes of the first */
  ldouble depth;
} tie;

static float size(rng *r) {
  return expf(rng_float(r, -1, 1));
}

/* A small offset, often zero. */
static float near_zero(rng *r) {
  return rng_chance(r, 0.3) ? 0 : 0.2f * expf(rng_float(r, -12, 0));
}

static ldouble smaller(ldouble a, ldouble b) {
  return a < b ? a : b;
}

static mo_geometry cylinder(float half, float radius) {
  return (mo_geometry){.type = MO_SHAPE_CYLINDER,
                       .cylinder = {{0, 0, -half}, {0, 0, half}, radius}};
}

/* Two cylinders, or a cylinder and a capsule, with parallel axes. */
static tie of_cylinders(rng *r, bool with_capsule) {
  float half[2] = {size(r), size(r)}, radius[2] = {size(r), size(r)};
  float beside = near_zero(r), up = near_zero(r);
  tie t = {.a = cylinder(half[0], radius[0]),
           .b = with_capsule ? capsule_of(mo_vec(0, 0, -half[1]), mo_vec(0, 0, half[1]), radius[1])
                             : cylinder(half[1], radius[1]),
           .offset = mo_vec(beside, 0, up)};
  ldouble along = (ldouble)half[0] + half[1] + (with_capsule ? radius[1] : 0) - up;
  t.depth = smaller((ldouble)radius[0] + radius[1] - beside, along);
  return t;
}

/* A cone and itself: its least width, which is the least altitude of the triangle in a plane
 * through the axis. */
static tie of_cones(rng *r) {
  float half = size(r), radius = size(r);
  tie t = {.a = {.type = MO_SHAPE_CONE, .cone = {{0, 0, -half}, {0, 0, half}, radius}}};
  ldouble height = 2 * (ldouble)half, base = 2 * (ldouble)radius;
  t.b = t.a;
  t.depth = smaller(height, base * height / hypotl(radius, height));
  return t;
}

/* Ellipsoids about one centre with the same axes: how far the sum reaches is a concave function of
 * the squares of the direction's components, so it is least along an axis. */
static tie of_ellipsoids(rng *r) {
  tie t = {.a = sphere_of(mo_vec(0, 0, 0), 1), .b = sphere_of(mo_vec(0, 0, 0), 1)};
  t.scale_a = mo_vec(size(r), size(r), size(r));
  t.scale_b = mo_vec(size(r), size(r), size(r));
  if (rng_chance(r, 0.5)) {
    t.scale_a.y = t.scale_a.x * (1 + near_zero(r));
    t.scale_b.y = t.scale_b.x;
  }
  t.depth =
      smaller((ldouble)t.scale_a.x + t.scale_b.x,
              smaller((ldouble)t.scale_a.y + t.scale_b.y, (ldouble)t.scale_a.z + t.scale_b.z));
  return t;
}

static tie random_tie(rng *r) {
  tie t;
  switch (rng_below(r, 4)) {
  case 0:
    t = of_cylinders(r, false);
    break;
  case 1:
    t = of_cylinders(r, true);
    break;
  case 2:
    t = of_cones(r);
    break;
  default:
    return of_ellipsoids(r);
  }
  t.scale_a = t.scale_b = mo_vec(1, 1, 1);
  return t;
}

/* Of the two points from the translation. */
static ldouble mismatch(const mo_primitive_penetration *p) {
  ldvec between = ld_sub(ld_float(p->point_a), ld_float(p->point_b));
  return ld_norm(ld_sub(between, ld_scale(p->depth, ld_float(p->normal))));
}

/* Nearly always the depth itself is right, not only its lower bound, and the points differ by the
 * translation. */
Test(ties, depths_by_closed_forms) {
  rng r = rng_make(rng_seed("ties/closed", 540));
  const uint64_t rounds = rng_rounds(3000, 300000);
  uint64_t loose = 0, sideways = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const tie t = random_tie(&r);
    const mo_quat rotation = rng_rotation(&r);
    const mo_transform at = mo_transform_make(mo_vec(0, 0, 0), rotation, t.scale_a),
                       turned = mo_transform_make(mo_vec(0, 0, 0), rotation, mo_vec(1, 1, 1)),
                       beside = mo_transform_make(mo_transform_point(&turned, t.offset), rotation,
                                                  t.scale_b);
    const mo_primitive a = mo_primitive_of_geometry(&t.a, &at),
                       b = mo_primitive_of_geometry(&t.b, &beside);
    mo_primitive_penetration p;
    cr_assert_eq(mo_primitive_find_penetration(&a, &b, &p), MO_OK);
    const unsigned long long n = (unsigned long long)i;
    cr_assert(p.found && p.depth >= t.depth * (1 - 1e-6L) && p.lower <= t.depth * (1 + 1e-6L),
              "round %llu: %.9g (%.9g), not %.9Lg", n, p.depth, p.lower, t.depth);
    cr_assert(p.depth <= t.depth * (1 + 1e-2L), "round %llu: %.9g, not %.9Lg", n, p.depth, t.depth);
    cr_assert(mismatch(&p) <= 1e-3L * t.depth, "round %llu: points off by %Lg", n, mismatch(&p));
    loose += p.depth > t.depth * (1 + 1e-6L);
    sideways += mismatch(&p) > 2e-6L * t.depth;
  }
  cr_assert(loose <= rounds / 100 && sideways <= rounds / 100, "%llu and %llu of %llu",
            (unsigned long long)loose, (unsigned long long)sideways, (unsigned long long)rounds);
}
