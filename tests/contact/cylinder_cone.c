/* Cylinders and cones against bodies with corners and each other: distances against GJK, depths
 * against an expanding polytope and against many directions. */
#include "contact/normal/cylinder_cone.h"
#include "contact/contacts.h"
#include "contact/normal/contact_normal.h"
#include "geometry/distance/distance.h"
#include "geometry/penetration/penetration.h"
#include "support/rng.h"

enum { KINDS = 4 };

/* A point, segment, box or hull, as a solid. */
static mo_solid random_solid(rng *r) {
  mo_geometry g = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 0.01f}};
  switch (rng_below(r, KINDS)) {
  case 0:
    break;
  case 1:
    g = capsule_of(rng_float(r, 0.1f, 1), 0.01f);
    break;
  case 2:
    g = box_of(rng_float(r, 0.05f, 1), rng_float(r, 0.05f, 1), rng_float(r, 0.05f, 1));
    break;
  default:
    g = hull_of(rng_chance(r, 0.5) ? TEST_HULL_BALL : TEST_HULL_CUBE);
  }
  mo_solid solid;
  cr_assert(mo_geometry_read_solid(&g, &solid));
  return solid;
}

/* Rotated; beside or along the axes of the world at times, so that faces and edges are parallel. */
static mo_transform random_place(rng *r, float spread) {
  mo_quat rotation = rng_chance(r, 0.3) ? (mo_quat){0, 0, 0, 1}
                     : rng_chance(r, 0.2)
                         ? turned(mo_vec(0, 0, 1), rng_chance(r, 0.5) ? 1.5707963267948966 : 0.1)
                         : rng_rotation(r);
  return mo_transform_make(rng_vec3(r, -spread, spread), rotation, mo_vec(1, 1, 1));
}

static void random_other(rng *r, mo_contact_body *body) {
  const mo_dvec3 reference = {0.0, 0.0, 0.0};
  const mo_transform map = random_place(r, 0.9f);
  if (rng_chance(r, 0.4)) {
    const mo_vec3 corners[3] = {rng_vec3(r, -1, 1), rng_vec3(r, -1, 1), rng_vec3(r, -1, 1)};
    mo_contact_body_of_triangle(body, corners, &map, reference);
  } else {
    const mo_solid solid = random_solid(r);
    mo_contact_body_of_solid(body, &solid, &map, reference);
  }
}

static void round_at(rng *r, bool tapers, const mo_transform *map, mo_contact_body *body) {
  float half = rng_float(r, 0.05f, 1), radius = rng_float(r, 0.05f, 1);
  const mo_geometry cone = {.type = MO_SHAPE_CONE, .cone = {{0, -half, 0}, {0, half, 0}, radius}};
  const mo_geometry g = tapers ? cone : cylinder_of(half, radius);
  mo_solid solid;
  cr_assert(mo_geometry_read_solid(&g, &solid));
  mo_contact_body_of_solid(body, &solid, map, (mo_dvec3){0.0, 0.0, 0.0});
}

static void random_round(rng *r, bool tapers, mo_contact_body *body) {
  const mo_transform map = random_place(r, 0.3f);
  round_at(r, tapers, &map, body);
}

/* Frames of floats are perpendicular to some 1e-7. */
static const double tolerance = 2e-6;

static void check_gap(const mo_contact_body *round, const mo_contact_body *other, uint64_t i,
                      uint64_t *found) {
  const mo_convex_gap expected = mo_convex_distance(&round->core, &other->core, INFINITY);
  mo_convex_gap gap;
  if (!mo_cylinder_cone_gap(round, other, (mo_dvec3){0.0, 0.0, 0.0}, INFINITY, &gap)) {
    return;
  }
  (*found)++;
  cr_assert(fabs(gap.distance - expected.distance) <= tolerance, "round %llu: %.9g, not %.9g",
            (unsigned long long)i, gap.distance, expected.distance);
  if (gap.distance > 0.01) {
    double apart = mo_contact_separation_along(round, other, gap.normal) + round->ball_radius +
                   other->ball_radius;
    cr_assert(fabs(apart - gap.distance) <= tolerance, "round %llu", (unsigned long long)i);
    mo_dvec3 between = mo_dsub(gap.points[1], gap.points[0]);
    cr_assert(mo_dlength(mo_dsub(between, mo_dscale(gap.distance, gap.normal))) <= tolerance);
    cr_assert(mo_dlength(mo_dsub(gap.points[1], expected.points[1])) <= 1e-3 ||
              fabs(mo_dlength(between) - expected.distance) <= tolerance);
  }
}

Test(contact_round, distances) {
  rng r = rng_make(rng_seed("contact round distances", 231));
  const uint64_t rounds = rng_rounds(20000, 1000000);
  uint64_t found = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_contact_body round, other;
    random_round(&r, rng_chance(&r, 0.4), &round);
    random_other(&r, &other);
    check_gap(&round, &other, i, &found);
  }
  cr_assert(found > rounds - rounds / 100, "only %llu", (unsigned long long)found);
}

/* The expanding polytope has an upper and a lower bound. */
Test(contact_round, depths) {
  rng r = rng_make(rng_seed("contact round depths", 232));
  const uint64_t rounds = rng_rounds(10000, 300000);
  uint64_t found = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_contact_body round, other;
    random_round(&r, rng_chance(&r, 0.4), &round);
    random_other(&r, &other);
    mo_convex_gap gap;
    mo_dvec3 normal;
    double depth;
    if (!mo_cylinder_cone_gap(&round, &other, (mo_dvec3){0.0, 0.0, 0.0}, INFINITY, &gap) ||
        gap.distance > 0.0 || !mo_cylinder_cone_depth(&round, &other, &normal, &depth)) {
      continue;
    }
    found++;
    double along =
        mo_contact_separation_along(&round, &other, normal) + round.ball_radius + other.ball_radius;
    cr_assert(fabs(along + depth) <= tolerance, "round %llu: %.9g along the normal, not %.9g",
              (unsigned long long)i, -along, depth);
    const mo_convex_penetration expected = mo_convex_find_depth(&round.core, &other.core);
    cr_assert(depth <= expected.depth + tolerance, "round %llu: %.9g, not %.9g",
              (unsigned long long)i, depth, expected.depth);
    cr_assert(depth >= expected.lower - tolerance, "round %llu: only %.9g, not %.9g",
              (unsigned long long)i, depth, expected.lower);
    for (int k = 0; k < 20; k++) {
      mo_dvec3 n = mo_dunit(mo_dadd(k < 10 ? mo_dscale(3.0, normal) : (mo_dvec3){0.0, 0.0, 0.0},
                                    mo_widen(rng_direction(&r))));
      double other_way =
          mo_contact_separation_along(&round, &other, n) + round.ball_radius + other.ball_radius;
      cr_assert(other_way <= -depth + tolerance, "round %llu: %.9g by another direction, not %.9g",
                (unsigned long long)i, -other_way, depth);
    }
  }
  cr_assert(found > rounds / 8, "only %llu", (unsigned long long)found);
}

/* Two of them: most of the time not far from where they touch. */
static void random_pair(rng *r, mo_contact_body pair[2]) {
  random_round(r, rng_chance(r, 0.4), &pair[0]);
  const mo_transform map = random_place(r, 1.2f);
  round_at(r, rng_chance(r, 0.4), &map, &pair[1]);
  if (rng_chance(r, 0.8)) {
    const mo_convex_gap gap = mo_convex_distance(&pair[0].core, &pair[1].core, INFINITY);
    const float scale = rng_chance(r, 0.3) ? 1e-4f : 0.1f;
    const mo_dvec3 by = mo_dscale(-gap.distance - rng_float(r, -scale, scale), gap.normal);
    pair[1].center = mo_dadd(pair[1].center, by);
    pair[1].origin = mo_dadd(pair[1].origin, by);
    pair[1].core.convex.origin = pair[1].origin;
  }
}

static void check_apart(const mo_contact_body pair[2], const mo_convex_gap *gap, double expected,
                        uint64_t i) {
  cr_assert(fabs(gap->distance - expected) <= tolerance, "round %llu: %.9g, not %.9g",
            (unsigned long long)i, gap->distance, expected);
  mo_dvec3 between = mo_dsub(gap->points[1], gap->points[0]);
  cr_assert(mo_dlength(mo_dsub(between, mo_dscale(gap->distance, gap->normal))) <= 1e-4,
            "round %llu", (unsigned long long)i);
  const mo_dvec3 n = gap->normal, back = mo_dscale(-1.0, n);
  cr_assert(fabs(mo_ddot(n, mo_dsub(mo_contact_body_support(&pair[0], n), gap->points[0]))) <=
                tolerance &&
            fabs(mo_ddot(n, mo_dsub(mo_contact_body_support(&pair[1], back), gap->points[1]))) <=
                tolerance);
}

static void check_overlap(rng *r, const mo_contact_body pair[2], const mo_convex_gap *gap,
                          const mo_convex_penetration *expected, uint64_t i) {
  const double slack = 0x1p-14 * (pair[0].size + pair[1].size) + tolerance;
  const double depth = -gap->distance;
  double along = mo_contact_separation_along(&pair[0], &pair[1], gap->normal);
  cr_assert(fabs(along + depth) <= tolerance, "round %llu: %.9g along the normal, not %.9g",
            (unsigned long long)i, -along, depth);
  cr_assert(depth <= expected->depth + slack && depth >= expected->lower - tolerance,
            "round %llu: %.9g, not %.9g to %.9g", (unsigned long long)i, depth, expected->lower,
            expected->depth);
  for (int k = 0; k < 20; k++) {
    mo_dvec3 n = mo_dunit(mo_dadd(k < 10 ? mo_dscale(3.0, gap->normal) : (mo_dvec3){0.0, 0.0, 0.0},
                                  mo_widen(rng_direction(r))));
    double other_way = mo_contact_separation_along(&pair[0], &pair[1], n);
    cr_assert(other_way <= -depth + slack, "round %llu: %.9g by another direction, not %.9g",
              (unsigned long long)i, -other_way, depth);
  }
  mo_dvec3 points[2];
  if (mo_cylinder_cone_pair_deepest(&pair[0], &pair[1], gap->normal, depth, points)) {
    mo_dvec3 between = mo_dsub(points[1], points[0]);
    cr_assert(mo_dlength(mo_dadd(between, mo_dscale(depth, gap->normal))) <= 1e-4, "round %llu",
              (unsigned long long)i);
  }
}

Test(contact_round, pairs) {
  rng r = rng_make(rng_seed("contact round pairs", 233));
  const uint64_t rounds = rng_rounds(10000, 300000);
  uint64_t found = 0, best = 0, overlaps = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_contact_body pair[2];
    random_pair(&r, pair);
    mo_convex_gap gap;
    if (!mo_cylinder_cone_pair_gap(&pair[0], &pair[1], INFINITY, &gap)) {
      continue;
    }
    found++;
    if (gap.distance < 0.0) {
      const mo_convex_penetration expected = mo_convex_find_depth(&pair[0].core, &pair[1].core);
      check_overlap(&r, pair, &gap, &expected, i);
      overlaps++;
      best += -gap.distance <= expected.depth + tolerance;
    } else {
      const double expected = mo_convex_distance(&pair[0].core, &pair[1].core, INFINITY).distance;
      check_apart(pair, &gap, expected, i);
    }
  }
  /* what is not found is left to a general search */
  cr_assert(found > rounds - rounds / 40, "only %llu", (unsigned long long)found);
  cr_assert(overlaps > rounds / 8 && best > overlaps - overlaps / 200, "%llu best of %llu overlaps",
            (unsigned long long)best, (unsigned long long)overlaps);
}
