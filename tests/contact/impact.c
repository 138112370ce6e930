/* Impacts of two primitives: known ones, what must not be stopped, and random ones of all kinds
 * against distances along the path. */
#include <motte/continuous.h>

#include "contact/contacts.h"
#include "geometry/body/body.h"
#include "geometry/solid/solids.h"

static mo_impact impact_by(const mo_impact_def *def, mo_primitive a, mo_movement of_a,
                           mo_primitive b, mo_movement of_b) {
  mo_impact impact, back;
  cr_assert_eq(mo_find_impact(&a, &of_a, &b, &of_b, def, &impact), MO_OK);
  cr_assert_eq(mo_find_impact(&b, &of_b, &a, &of_a, def, &back), MO_OK);
  cr_assert_eq(impact.found, back.found);
  cr_assert(!impact.found || fabsf(impact.t - back.t) <= 0.01f);
  return impact;
}

static mo_impact impact_of(mo_primitive a, mo_movement of_a, mo_primitive b, mo_movement of_b) {
  const mo_impact_def def = mo_default_impact_def();
  return impact_by(&def, a, of_a, b, of_b);
}

static mo_movement going(float x, float y, float z) {
  return (mo_movement){.displacement = {x, y, z}};
}

static mo_movement spinning(mo_vec3 displacement, mo_vec3 pivot, mo_vec3 axis, float angle) {
  return (mo_movement){displacement, pivot, axis, angle};
}

static const mo_movement still = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};

static mo_primitive sheet(float size) {
  return mo_primitive_of_triangle(mo_vec(-size, 0, -size), mo_vec(0, 0, 2 * size),
                                  mo_vec(size, 0, -size));
}

/* 1,000 m/s at 60 steps a second. */
static const float fast = 1000.0f / 60;

/* A box that falls on a box and turns meanwhile: by its face, an edge or a corner. */
Test(impact, features) {
  const mo_vec3 start = {0, 4, 0}, down = {0, -5, 0};
  const mo_primitive floor = placed(box_of(5, 1, 5), mo_vec(0, 0, 0), (mo_quat){0, 0, 0, 1});
  const mo_primitive box = placed(box_of(1, 1, 1), start, (mo_quat){0, 0, 0, 1});
  const float quarter = 1.57079633f;
  mo_impact flat = impact_of(box, spinning(down, start, mo_vec(1, 0, 0), 0), floor, still);
  cr_assert(flat.feature == MO_FEATURE_FACE && flat.feature_index == 2);
  cr_assert(flat.other_feature == MO_FEATURE_FACE && flat.other_feature_index == 3);
  /* About z, towards x: the edge along z at the lower ends of x and y comes down first. */
  mo_impact edge = impact_of(box, spinning(down, start, mo_vec(0, 0, 1), quarter), floor, still);
  cr_assert(edge.feature == MO_FEATURE_EDGE && edge.feature_index == 16);
  cr_assert(edge.other_feature == MO_FEATURE_FACE && edge.other_feature_index == 3);
  mo_impact corner = impact_of(box, spinning(down, start, mo_vec(1, 0, 1), quarter), floor, still);
  cr_assert(corner.feature == MO_FEATURE_VERTEX);
  cr_assert(corner.other_feature == MO_FEATURE_FACE && corner.other_feature_index == 3);
  /* What is begun in touch: the features of the whole shapes, where the core comes. */
  mo_primitive low = placed(sphere_of(mo_vec(0, 0, 0), 1), mo_vec(0, 2, 0), (mo_quat){0, 0, 0, 1});
  mo_impact core = impact_of(floor, still, low, going(0, -3, 0));
  cr_assert(core.found && core.began_in_touch);
  cr_assert(core.feature == MO_FEATURE_FACE && core.feature_index == 3);
  cr_assert(core.other_feature == MO_FEATURE_VERTEX && core.other_feature_index == 0);
}

Test(impact, bullets_stop_at_a_sheet) {
  rng r = rng_make(rng_seed("bullets at a sheet", 1500));
  for (int i = 0; i < 300; i++) {
    float height = rng_float(&r, 0.5f, 15);
    mo_geometry g = i % 3 == 0   ? sphere_of(mo_vec(0, 0, 0), 0.05f)
                    : i % 3 == 1 ? box_of(0.05f, 0.05f, 0.05f)
                                 : capsule_of(0.08f, 0.01f);
    mo_vec3 at = {rng_float(&r, -1, 1), height, rng_float(&r, -1, 1)};
    mo_movement m = spinning(mo_vec(0, -fast, 0), at, rng_direction(&r), rng_float(&r, -6, 6));
    mo_impact impact = impact_of(placed(g, at, rng_rotation(&r)), m, sheet(5), still);
    cr_assert(impact.found && !impact.began_in_touch);
    cr_assert(impact.separation > 0.0024f && impact.separation < 0.0038f, "%g",
              (double)impact.separation);
    cr_assert(apart(impact.normal, mo_vec(0, -1, 0)) <= 1e-5);
    cr_assert(fabsf(impact.point.y - 0.5f * impact.separation) <= 1e-5f);
    if (i % 3 == 0) {
      double t = ((double)height - 0.05 - (double)impact.separation) / (double)fast;
      cr_assert(fabs((double)impact.t - t) <= 1e-6);
    }
  }
}

Test(impact, movers_meet_head_on) {
  mo_impact impact = impact_of(moved(sphere_of(mo_vec(0, 0, 0), 0.1f), -5, 0, 0), going(10, 0, 0),
                               moved(sphere_of(mo_vec(0, 0, 0), 0.1f), 5, 0, 0), going(-10, 0, 0));
  cr_assert(impact.found);
  cr_assert(fabsf(impact.t - (10 - 0.2f - impact.separation) / 20) <= 1e-6f);
  cr_assert(apart(impact.normal, mo_vec(1, 0, 0)) <= 1e-6);
  cr_assert(apart(impact.point, mo_vec(0, 0, 0)) <= 1e-5);
  /* Side by side at the same speed they do not. */
  cr_assert(!impact_of(moved(box_of(1, 1, 1), 0, 0, 0), going(fast, fast, 0),
                       moved(box_of(1, 1, 1), 2.1f, 0, 0), going(fast, fast, 0))
                 .found);
}

Test(impact, what_rolls_and_slides_is_not_stopped) {
  for (int i = -4; i <= 4; i++) { /* from 4 mm above to 4 mm below the floor */
    float height = 0.5f + 0.001f * (float)i;
    mo_vec3 at = {0, height, 0};
    mo_movement roll = spinning(mo_vec(1, 0, 0), at, mo_vec(0, 0, -1), 2);
    cr_assert(!impact_of(placed(sphere_of(mo_vec(0, 0, 0), 0.5f), at, turned(at, 0)), roll,
                         sheet(5), still)
                   .found);
    cr_assert(!impact_of(moved(box_of(0.5f, 0.5f, 0.5f), 0, height, 0), going(fast, -0.003f, 0),
                         moved(box_of(50, 1, 50), 0, -1, 0), still)
                   .found);
    /* Nor by the triangle that comes next, with every touch of its edge. */
    cr_assert(!impact_of(moved(box_of(0.5f, 0.5f, 0.5f), -9, height, 0), going(9, -0.002f, 0),
                         sheet(5), still)
                   .found);
  }
}

Test(impact, what_grazes_slides_on_and_stops_at_the_wall) {
  float angle = 0.1f * 3.14159265f / 180;
  mo_movement graze = going(fast, -fast * angle, 0); /* by 29 mm */
  mo_primitive box = moved(box_of(0.1f, 0.1f, 0.1f), -8, 0.12f, 0);
  cr_assert(!impact_of(box, graze, sheet(20), still).found);
  mo_primitive wall = moved(box_of(0.01f, 5, 5), 3, 0, 0);
  mo_impact impact = impact_of(box, graze, wall, still);
  cr_assert(impact.found && fabsf(impact.normal.x - 1) <= 1e-6f);
  /* With a core as large as itself it is stopped. */
  mo_impact_def every = mo_default_impact_def();
  every.core = 1;
  cr_assert(impact_by(&every, box, graze, sheet(20), still).found);
}

Test(impact, what_stands_on_a_sheet_is_not_pressed_through) {
  rng r = rng_make(rng_seed("pressed", 1501));
  for (int i = 0; i < 200; i++) {
    float depth = rng_float(&r, -0.004f, 0.02f);
    mo_vec3 at = {0, 0.1f - depth, 0};
    mo_movement press =
        spinning(mo_vec(rng_float(&r, -1, 1), -fast, 0), at, rng_direction(&r), i % 2 ? 3 : 0);
    mo_impact impact = impact_of(
        moved(i % 4 < 2 ? box_of(0.1f, 0.1f, 0.1f) : sphere_of(mo_vec(0, 0, 0), 0.1f), 0, at.y, 0),
        press, sheet(5), still);
    cr_assert(impact.found && impact.began_in_touch);
    mo_transform from = mo_transform_identity(), to;
    from.origin = at;
    cr_assert_eq(mo_movement_transform(&press, impact.t, &from, &to), MO_OK);
    cr_assert(to.origin.y > 0.04f, "%g", (double)to.origin.y);
    cr_assert(impact.separation < 0.004f);
  }
}

Test(impact, apart_after_the_slop_is_no_touch) {
  mo_impact_def def = mo_default_impact_def();
  def.core = 1; /* away from each other, and along */
  for (int i = 0; i < 8; i++) {
    float gap = 0.0006f * (float)i;
    mo_primitive a = moved(box_of(1, 1, 1), 0, 2 + gap, 0), b = moved(box_of(1, 1, 1), 0, 0, 0);
    cr_assert(!impact_by(&def, a, going(0, 5, 0), b, still).found);
    cr_assert(!impact_by(&def, a, going(3, 0, 0), b, still).found);
    mo_impact towards = impact_by(&def, a, going(0, -5, 0), b, still);
    cr_assert(i == 0 || (towards.found && towards.began_in_touch));
  }
}

/* What passes at a constant gap: within half of the slop there is an impact, beyond three quarters
 * there is none, for shapes and for cores. */
Test(impact, what_passes_within_half_of_the_slop_is_stopped) {
  rng r = rng_make(rng_seed("passing at a gap", 1504));
  for (int i = 0; i < 400; i++) {
    mo_impact_def def = mo_default_impact_def();
    bool cored = rng_chance(&r, 0.5);
    def.slop = rng_float(&r, 0.002f, 0.05f);
    def.core = cored ? 0.5f : 1;
    float share = rng_float(&r, 0.01f, 1.2f), gap = share * def.slop;
    /* the core of the first, which is the smaller one, is half as high */
    float height = 1 + (cored ? 0.05f : 0.1f) + gap;
    bool falls = rng_chance(&r, 0.5); /* or comes from aside */
    mo_primitive small = moved(i % 2 ? box_of(0.1f, 0.1f, 0.1f) : sphere_of(mo_vec(0, 0, 0), 0.1f),
                               falls ? 0 : -3, falls ? height + 2 : height, 0);
    mo_impact impact = impact_by(&def, small, falls ? going(0, -2, 0) : going(6, 0, 0),
                                 moved(box_of(1, 1, 1), 0, 0, 0), still);
    float always = cored ? 0.25f : 0.5f, never = cored ? 0.5f : 0.75f, unsure = 0.01f;
    cr_assert(share > always - unsure || impact.found, "%d: none at %g of the slop", i,
              (double)share);
    cr_assert(share < never + unsure || !impact.found, "%d: one at %g of the slop", i,
              (double)share);
  }
}

/* What ends a step between three quarters of the slop and the slop has no impact in it, begins the
 * next one in touch, and is stopped there before it touches. */
Test(impact, what_ends_within_the_slop_is_stopped_in_the_next_step) {
  for (int i = 1; i < 10; i++) {
    mo_impact_def def = mo_default_impact_def();
    def.core = 1;
    float gap = (0.76f + 0.024f * (float)i) * def.slop;
    const mo_primitive floor = i % 2 ? moved(box_of(9, 1, 9), 0, -1, 0) : sheet(9);
    mo_primitive box = moved(box_of(1, 1, 1), 0, 3, 0);
    cr_assert(!impact_by(&def, box, going(0, gap - 2, 0), floor, still).found);
    box.transform.origin.y = 1 + gap;
    mo_impact impact = impact_by(&def, box, going(0, -5, 0), floor, still);
    cr_assert(impact.found && impact.began_in_touch && impact.separation > 0);
    cr_assert(impact.separation <= gap && 5 * impact.t <= gap);
  }
}

Test(impact, rods_and_fans) {
  mo_impact_def every = mo_default_impact_def();
  every.core = 1;
  mo_primitive floor = moved(box_of(10, 1, 10), 0, -1, 0);
  mo_primitive rod = moved(box_of(2, 0.05f, 0.05f), 0, 1.9f, 0);
  mo_movement spin = spinning(mo_vec(0, 0, 0), mo_vec(0, 1.9f, 0), mo_vec(0, 0, 1), 6);
  mo_impact impact = impact_by(&every, rod, spin, floor, still);
  double t = (double)impact.t, gap = (double)impact.separation;
  cr_assert(impact.found && gap < 0.0038);
  cr_assert(fabs(2 * sin(6 * t) + 0.05 * cos(6 * t) - (1.9 - gap)) <= 1e-4);
  /* A needle glides just above the floor, all of the way round. */
  mo_primitive needle = moved(box_of(2, 1e-3f, 1e-3f), 0, 2.008f, 0);
  spin.pivot.y = 2.008f;
  cr_assert(!impact_by(&every, needle, spin, floor, still).found);
  /* Two that turn against each other. */
  mo_movement back = spinning(mo_vec(0, 0, 0), mo_vec(3.5f, 1.9f, 0), mo_vec(0, 0, 1), -3);
  spin.pivot.y = 1.9f;
  impact = impact_by(&every, rod, spin, moved(box_of(0.05f, 2, 0.05f), 3.5f, 1.9f, 0), back);
  cr_assert(impact.found && impact.t > 0 && impact.t < 0.5f);
}

Test(impact, half_spaces) {
  mo_primitive ground = mo_primitive_of_half_space(mo_vec(0, 1, 0), 0);
  mo_primitive ball = moved(sphere_of(mo_vec(0, 0, 0), 0.5f), 3, 5, 0);
  mo_impact impact = impact_of(ball, going(0, -9, 0), ground, still);
  cr_assert(impact.found && fabsf(9 * impact.t - (4.5f - impact.separation)) <= 1e-5f);
  cr_assert(apart(impact.normal, mo_vec(0, -1, 0)) <= 1e-6);
  mo_movement tilt = spinning(mo_vec(0, 0, 0), mo_vec(0, 0, 0), mo_vec(0, 0, 1), 2);
  impact = impact_of(ground, tilt, ball, still);
  double t = 2 * (double)impact.t;
  cr_assert(impact.found);
  cr_assert(fabs(5 * cos(t) - 3 * sin(t) - 0.5 - (double)impact.separation) <= 1e-4);
  cr_assert(!impact_of(ball, going(9, 0, 9), ground, still).found);
  impact = impact_of(moved(sphere_of(mo_vec(0, 0, 0), 0.5f), 0, 0.49f, 0), going(0, -9, 0), ground,
                     still);
  cr_assert(impact.found && impact.began_in_touch && fabsf(impact.separation + 0.25f) <= 0.006f);
}

Test(impact, a_million_away) {
  for (int i = 0; i < 8; i++) {
    float far = i % 2 ? 1e6f : -1e6f;
    mo_vec3 at = {far, far + 8, 0};
    mo_movement spin = spinning(mo_vec(0, -fast, 0), at, mo_vec(1, 2, 3), 0.8f * (float)i);
    mo_impact impact = impact_of(moved(box_of(0.5f, 0.5f, 0.5f), at.x, at.y, 0), spin,
                                 moved(box_of(10, 1, 10), far, far - 1, 0), still);
    cr_assert(impact.found && impact.separation > 0 && impact.separation < 0.01f);
    cr_assert(apart(impact.normal, mo_vec(0, -1, 0)) <= 1e-5);
  }
}

Test(impact, movements_go_to_the_poses_that_they_are_between) {
  rng r = rng_make(rng_seed("movement transforms", 1502));
  for (int i = 0; i < 500; i++) {
    mo_transform from = rng_transform(&r, RNG_RIGID, 3), to = rng_transform(&r, RNG_RIGID, 3), made;
    mo_movement movement;
    cr_assert_eq(mo_movement_between(&from, &to, &movement), MO_OK);
    cr_assert_eq(mo_movement_transform(&movement, 1, &from, &made), MO_OK);
    cr_assert(apart(made.origin, to.origin) <= 2e-6);
    cr_assert(apart(made.x_axis, to.x_axis) + apart(made.y_axis, to.y_axis) +
                  apart(made.z_axis, to.z_axis) <=
              5e-6);
    cr_assert_eq(mo_movement_transform(&movement, 0, &from, &made), MO_OK);
    cr_assert(apart(made.origin, from.origin) == 0 && apart(made.y_axis, from.y_axis) == 0);
  }
}

/* --- random ones, along the path --- */

static mo_primitive random_primitive(rng *r, mo_vec3 around) {
  static const rng_transform_kind kinds[] = {RNG_RIGID,  RNG_RIGID,         RNG_RIGID,
                                             RNG_MIRROR, RNG_UNIFORM_SCALE, RNG_NONUNIFORM_SCALE,
                                             RNG_SHEAR,  RNG_FLAT};
  mo_transform map = rng_transform(r, kinds[rng_below(r, sizeof kinds / sizeof *kinds)], 1);
  map.origin = mo_add(around, map.origin);
  mo_geometry g = random_geometry(r);
  mo_primitive p = mo_primitive_of_geometry(&g, &map);
  if (rng_chance(r, 0.25)) {
    p.type = MO_PRIMITIVE_TRIANGLE;
    for (int i = 0; i < 3; i++) {
      p.points[i] = rng_vec3(r, -1, 1);
    }
  }
  return p;
}

/* A primitive scaled about its centre; a hull about that of its volume. */
static mo_primitive core_of(const mo_primitive *p, float size) {
  mo_solid solid;
  mo_primitive core = *p;
  if (mo_geometry_read_solid(&p->geometry, &solid)) {
    const mo_vec3 center =
        solid.hull != NULL ? solid.hull->centroid : mo_narrow(mo_solid_center(&solid));
    mo_transform *map = &core.transform;
    mo_vec3 at = mo_add(mo_scale(center.x, map->x_axis),
                        mo_add(mo_scale(center.y, map->y_axis), mo_scale(center.z, map->z_axis)));
    map->origin = mo_add(map->origin, mo_scale(1 - size, at));
    map->x_axis = mo_scale(size, map->x_axis);
    map->y_axis = mo_scale(size, map->y_axis);
    map->z_axis = mo_scale(size, map->z_axis);
  }
  return core;
}

static float extents(const mo_primitive *p) {
  mo_prepared_primitive prepared;
  cr_assert_eq(mo_primitive_prepare(&prepared, p, NULL), MO_OK);
  mo_aabb box = mo_body_bounds(&prepared.body);
  return box.upper.x - box.lower.x + box.upper.y - box.lower.y + box.upper.z - box.lower.z;
}

enum { SAMPLES = 100 };

/* An impact against distances of the primitives, and of the core and the other, at many times. */
static void judge(const mo_primitive *a, const mo_movement *of_a, const mo_primitive *b,
                  const mo_movement *of_b, const mo_impact_def *def) {
  mo_impact impact;
  const double tolerance = 2e-5, slop = (double)def->slop;
  cr_assert_eq(mo_find_impact(a, of_a, b, of_b, def, &impact), MO_OK);
  bool a_has = a->type == MO_PRIMITIVE_GEOMETRY, b_has = b->type == MO_PRIMITIVE_GEOMETRY;
  bool of_first = a_has && (!b_has || extents(a) <= extents(b));
  mo_primitive inner_a = of_first ? core_of(a, def->core) : *a,
               inner_b = b_has && !of_first ? core_of(b, def->core) : *b;
  double begin = distance_at(*a, of_a, *b, of_b, 0),
         core_begin = distance_at(inner_a, of_a, inner_b, of_b, 0);
  if (fabs(begin - slop) <= tolerance || core_begin <= 10 * tolerance) {
    return; /* too close to tell, or overlapped from the start */
  }
  bool began = begin < slop, core_met = false;
  for (int i = 0; i <= SAMPLES; i++) {
    float t = (float)i / SAMPLES;
    double core = distance_at(inner_a, of_a, inner_b, of_b, t);
    if (impact.found && t < impact.t) { /* not before */
      double min = began ? fmin(0.5 * slop, 0.5 * core_begin) : 0.5 * slop;
      double apart = began ? core : distance_at(*a, of_a, *b, of_b, t);
      cr_assert(apart >= min - tolerance, "%g at %g before %g", apart, (double)t, (double)impact.t);
    }
    core_met |= core < (began ? fmin(0.5 * slop, 0.5 * core_begin) : 0.25 * slop) - tolerance;
  }
  cr_assert(impact.found || !core_met);
  if (impact.found) {
    cr_assert_eq(impact.began_in_touch, began);
    double apart = began ? distance_at(inner_a, of_a, inner_b, of_b, impact.t)
                         : distance_at(*a, of_a, *b, of_b, impact.t);
    double min = fmin(0.25 * slop, core_begin); /* it need not get closer than that */
    double max = began ? fmax(0.75 * fmin(slop, core_begin), 0.5 * (fmin(slop, core_begin) + min))
                       : 0.75 * slop;
    cr_assert(apart <= max + tolerance, "%g, not %g", apart, max);
    cr_assert(began || fabs(apart - (double)impact.separation) <= tolerance, "%g, not %g",
              (double)impact.separation, apart);
  }
}

Test(impact, random_primitives_against_distances_on_the_way) {
  uint64_t seed = rng_seed("impacts of random primitives", 1503);
  uint64_t rounds = rng_few_rounds(400, 20000);
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + round);
    mo_vec3 apart_by = mo_scale(rng_float(&r, 0, 5), rng_direction(&r));
    mo_primitive a = random_primitive(&r, mo_vec(0, 0, 0)), b = random_primitive(&r, apart_by);
    mo_movement of[2];
    for (int i = 0; i < 2; i++) {
      mo_vec3 pivot = mo_add((i ? b : a).transform.origin, mo_scale(0.2f, rng_direction(&r)));
      mo_vec3 aside = mo_scale(rng_float(&r, 0, 2), rng_direction(&r));
      mo_vec3 way = mo_add(mo_scale(i ? -1 : 1, apart_by), aside);
      of[i] =
          spinning(way, pivot, rng_direction(&r), rng_chance(&r, 0.3) ? 0 : rng_float(&r, -4, 4));
    }
    mo_impact_def def = mo_default_impact_def();
    def.core = rng_chance(&r, 0.3) ? 1 : rng_float(&r, 0.3f, 1);
    def.slop = rng_float(&r, 1e-3f, 0.02f);
    judge(&a, &of[0], &b, &of[1], &def);
  }
}

/* A small ball on a plane, at any speed along it: no part of its way counts as an approach. */
Test(impact, ball_slides_over_a_half_space) {
  const mo_primitive floor = mo_primitive_of_half_space(mo_vec(0, 1, 0), 0);
  for (float way = 1; way < 1000; way *= 2) {
    const mo_primitive ball = moved(sphere_of(mo_vec(0, 0, 0), 0.01f), 0, 0.011f, 0);
    const mo_movement movement = {.displacement = {way, 0, 0}};
    const mo_impact_def def = mo_default_impact_def();
    mo_impact impact;
    cr_assert_eq(mo_find_impact(&ball, &movement, &floor, NULL, &def, &impact), MO_OK);
    cr_assert(!impact.found, "over %g: at %g", (double)way, (double)impact.t);
  }
}

/* The core of a cube that is a hull lies in its middle: pressed onto a floor with any of its sides,
 * it stops where a box does. */
Test(impact, core_of_a_hull_is_in_its_middle) {
  const mo_primitive floor = mo_primitive_of_half_space(mo_vec(0, 1, 0), 0);
  const mo_quat turns[] = {{0, 0, 0, 1},
                           {0.70710678f, 0, 0, 0.70710678f},
                           {1, 0, 0, 0},
                           {0, 0, 0.70710678f, 0.70710678f},
                           {0, 0, -0.70710678f, 0.70710678f}};
  for (int i = 0; i < 5; i++) {
    float stops[2];
    for (int kind = 0; kind < 2; kind++) {
      const mo_geometry g = kind == 0 ? box_of(1, 1, 1) : hull_of(TEST_HULL_CUBE);
      const mo_primitive body = placed(g, mo_vec(0, 1.001f, 0), turns[i]);
      const mo_movement movement = {.displacement = {0, -1, 0}};
      const mo_impact_def def = mo_default_impact_def();
      mo_impact impact;
      cr_assert_eq(mo_find_impact(&body, &movement, &floor, NULL, &def, &impact), MO_OK);
      cr_assert(impact.found && impact.began_in_touch);
      stops[kind] = impact.separation;
    }
    cr_assert_float_eq(stops[0], stops[1], 1e-4f, "%d: %g and %g", i, (double)stops[0],
                       (double)stops[1]);
  }
}

/* A ball whose core is as large as this, relative to the ball, at a gap above a floor that is at
 * `floor` in all axes. */
static mo_impact pressed_at(double core, double gap, float slop, float floor, mo_vec3 way,
                            double *left) {
  const double radius = 0.125;
  const mo_geometry block = {.type = MO_SHAPE_BOX, .box = {{0, -1, 0}, {5, 1, 5}}};
  const mo_vec3 at = {floor, floor, floor};
  const mo_primitive ground = placed(block, at, (mo_quat){0, 0, 0, 1});
  const float height = floor + (float)(radius * core + gap);
  const mo_primitive ball = moved(sphere_of(mo_vec(0, 0, 0), (float)radius), floor, height, floor);
  const mo_movement movement = {.displacement = way};
  mo_impact_def def = mo_default_impact_def();
  def.core = (float)core;
  def.slop = slop;
  mo_impact impact;
  cr_assert_eq(mo_find_impact(&ball, &movement, &ground, NULL, &def, &impact), MO_OK);
  *left = (double)height - (double)floor - radius * core + (double)impact.t * (double)way.y;
  return impact;
}

/* Of the gap between a core and the floor a step takes at most half, and nothing of the least gap,
 * which is a quarter of the slop or of what the ball has around its core. */
Test(impact, a_step_leaves_half_of_the_gap_of_the_core) {
  const float slop = 1.0f / 64;
  const double cores[] = {0.5, 0.75, 0.96875};
  for (int k = 0; k < 3; k++) {
    const double min = 0.25 * fmin((double)slop, 0.125 * (1 - cores[k]));
    for (double gap = 0.25 * min; gap < 0.9 * (double)slop; gap *= 1.19) {
      if (gap > 0.125 * (1 - cores[k])) {
        break; /* the ball itself is apart from the floor */
      }
      double left;
      const mo_impact impact = pressed_at(cores[k], gap, slop, 0, mo_vec(0, -1, 0), &left);
      cr_assert(impact.found && impact.began_in_touch);
      if (gap <= 0.999 * min) {
        cr_assert_eq(impact.t, 0, "core %g, gap %g: %g", cores[k], gap, (double)impact.t);
      } else if (gap >= 1.001 * min) {
        cr_assert(left >= fmax(0.5 * gap, min) - 1e-6 && left < gap, "core %g, gap %g: %g left",
                  cores[k], gap, left);
      }
    }
  }
}

/* A movement along the floor that comes closer by rounding goes on, until half of the least gap is
 * used up. */
Test(impact, rounding_may_use_up_half_of_the_least_gap) {
  const float slop = 1.0f / 64, floor = 512;
  const double min = 0.25 * (double)slop, by = 0x1p-13;
  for (int k = 5; k < 32; k++) { /* more than rounding may take */
    const double gap = k * 0x1p-5 * min;
    if (fabs(gap - 0.5 * min) < by) {
      continue;
    }
    double left;
    mo_impact impact = pressed_at(0.5, gap, slop, floor, mo_vec(1, (float)-by, 0), &left);
    cr_assert_eq(impact.found, gap < 0.5 * min, "gap %g", gap);
    cr_assert(!impact.found || impact.t == 0);
    impact = pressed_at(0.5, gap, slop, floor, mo_vec(1, 0, 0), &left);
    cr_assert(!impact.found, "gap %g", gap);
    impact = pressed_at(0.5, gap, slop, floor, mo_vec(1, 1, 0), &left);
    cr_assert(!impact.found, "gap %g", gap);
  }
}

/* A flat disc about the origin, whose axis is y, that turns about z. */
static mo_primitive disc(float half) {
  return moved(cylinder_of(half, 1), 0, 0, 0);
}

/* The rim of a disc comes round, though the middle of the disc stays where it is: on a box, and on
 * a half-space. */
Test(impact, rims_of_discs_come_round) {
  mo_impact_def def = mo_default_impact_def();
  def.core = 1;
  for (int k = 0; k < 40; k++) {
    const double below = 0.1 + 0.02 * k, half = 0.002 + 0.0005 * k;
    const mo_primitive floors[2] = {moved(box_of(3, 1, 3), 0, -1 - (float)below, 0),
                                    mo_primitive_of_half_space(mo_vec(0, 1, 0), (float)-below)};
    for (int i = 0; i < 4; i++) {
      const double angle = i / 2 == 0 ? 6.28 : -3.1;
      const mo_movement turn =
          spinning(mo_vec(0, 0, 0), mo_vec(0, 0, 0), mo_vec(0, 0, 1), (float)angle);
      const mo_impact impact = impact_by(&def, disc((float)half), turn, floors[i % 2], still);
      const double turned_by = fabs(angle) * (double)impact.t,
                   lowest = sin(turned_by) + half * cos(turned_by);
      cr_assert(impact.found && turned_by < 1.6);
      cr_assert(below - lowest > 0 && below - lowest < 0.00376, "floor %d at %g: %g apart", i,
                -below, below - lowest);
    }
  }
}

/* A rod about the origin turns about z, and an end of it comes down on a half-space. */
Test(impact, rods_come_down_on_half_spaces) {
  mo_impact_def def = mo_default_impact_def();
  def.core = 1;
  for (int k = 0; k < 40; k++) {
    const double below = 0.2 + 0.04 * k, length = 2, thin = 0.0625;
    const mo_primitive rod = moved(box_of(2, 0.0625f, 0.0625f), 0, 0, 0),
                       ground = mo_primitive_of_half_space(mo_vec(0, 1, 0), (float)-below);
    for (int side = -1; side <= 1; side += 2) {
      const double angle = side * 3.1;
      const mo_movement turn =
          spinning(mo_vec(0, 0, 0), mo_vec(0, 0, 0), mo_vec(0, 0, 1), (float)angle);
      const mo_impact impact = impact_by(&def, rod, turn, ground, still);
      const double turned_by = 3.1 * (double)impact.t,
                   lowest = length * sin(turned_by) + thin * cos(turned_by);
      cr_assert(impact.found && turned_by < 1.6);
      cr_assert(below - lowest > 0 && below - lowest < 0.00376, "at %g: %g apart", -below,
                below - lowest);
    }
  }
}

/* A half-space turns full circle about an axis in its border, while a ball moves away from the
 * axis: the farther, the faster the border comes. */
Test(impact, a_half_space_sweeps_faster_far_from_its_axis) {
  const mo_primitive ground = mo_primitive_of_half_space(mo_vec(0, 1, 0), 0);
  mo_impact_def def = mo_default_impact_def();
  def.core = 1;
  for (int k = 0; k < 40; k++) {
    const double away = 2 + 0.5 * k, height = 0.6 + 0.01 * k, radius = 0.25, full = 6.28;
    const mo_primitive ball = moved(sphere_of(mo_vec(0, 0, 0), 0.25f), 0, (float)height, 0);
    for (int side = -1; side <= 1; side += 2) {
      const mo_movement sweep =
          spinning(mo_vec(0, 0, 0), mo_vec(0, 0, 0), mo_vec(0, 0, 1), (float)(-side * full));
      const mo_impact impact =
          impact_by(&def, ground, sweep, ball, going((float)(side * away), 0, 0));
      const double t = (double)impact.t;
      const double apart_at = away * t * sin(full * t) + height * cos(full * t) - radius;
      cr_assert(impact.found && t < 0.55, "%g away: at %g", away, t);
      cr_assert(apart_at > 0 && apart_at < 0.00376, "%g away: %g apart", away, apart_at);
    }
  }
}
