/* Mass properties: closed forms; integrals over the chords of many rays; solids of
 * different kinds that have the same form; meshes against sums of tetrahedra in long double, and
 * against hulls with the same faces; the theorems on parallel axes and on rotations. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/mass.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/exact.h"
#include "oracle/primitive.h"
#include "support/hulls.h"
#include "support/mesh_subject.h"

static const double pi = 3.14159265358979323846;

static mo_mass_properties mass_of(const mo_geometry *g, const mo_transform *map) {
  mo_mass_properties m;
  memset(&m, 0x55, sizeof m);
  cr_assert_eq(mo_geometry_get_mass_properties(g, map, &m), MO_OK);
  for (int i = 0; i < 9; i++) {
    cr_assert_eq(m.inertia[i / 3][i % 3], m.inertia[i % 3][i / 3]);
  }
  return m;
}

static double largest_of(const mo_mass_properties *m) {
  double max = 0;
  for (int i = 0; i < 9; i++) {
    max = fmax(max, fabs(m->inertia[i / 3][i % 3]));
  }
  return max;
}

/* Whether two bodies are the same, relative to their sizes. */
static bool agree(const mo_mass_properties *a, const mo_mass_properties *b, double tolerance) {
  double size = sqrt(largest_of(b) / fmax(fabs(b->volume), 1e-300));
  double place = tolerance * size + 2e-7 * (1e-30 + mo_max_magnitude(b->centroid));
  bool same = fabs(a->volume - b->volume) <= tolerance * fabs(b->volume) &&
              mo_max_magnitude(mo_sub(a->centroid, b->centroid)) <= place;
  for (int i = 0; i < 9; i++) {
    same = same &&
           fabs(a->inertia[i / 3][i % 3] - b->inertia[i / 3][i % 3]) <= tolerance * largest_of(b);
  }
  return same;
}

static void print(const char *what, const mo_mass_properties *m) {
  fprintf(stderr, "%s: volume %.15g at %.9g %.9g %.9g\n", what, m->volume, (double)m->centroid.x,
          (double)m->centroid.y, (double)m->centroid.z);
  for (int i = 0; i < 3; i++) {
    fprintf(stderr, "  %.15g %.15g %.15g\n", m->inertia[i][0], m->inertia[i][1], m->inertia[i][2]);
  }
}

static void expect(const char *what, const mo_mass_properties *found,
                   const mo_mass_properties *expected, double tolerance) {
  if (!agree(found, expected, tolerance)) {
    print("found", found);
    print("expected", expected);
    cr_assert_fail("%s", what);
  }
}

/* Closed forms. */

static mo_mass_properties diagonal(double volume, mo_vec3 centroid, double x, double y, double z) {
  return (mo_mass_properties){
      volume, centroid, {{volume * x, 0, 0}, {0, volume * y, 0}, {0, 0, volume * z}}, true};
}

Test(mass, by_closed_form) {
  const mo_transform stretch = {{2, 0, 0}, {0, -3, 0}, {0, 0, 4}, {10, 20, 30}};
  const mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{1, 2, 3}, 0.5f}};
  mo_mass_properties m = mass_of(&ball, NULL), e;
  e = diagonal(4.0 / 3 * pi / 8, mo_vec(1, 2, 3), 0.1, 0.1, 0.1);
  expect("a ball", &m, &e, 1e-14);
  m = mass_of(&ball, &stretch); /* semi-axes 1, 1.5 and 2 */
  e = diagonal(4.0 / 3 * pi * 3, mo_vec(12, 14, 42), 0.2 * 6.25, 0.2 * 5, 0.2 * 3.25);
  expect("an ellipsoid, mirrored", &m, &e, 1e-14);
  const mo_geometry box = {.type = MO_SHAPE_BOX, .box = {{1, 1, 1}, {1, 2, 3}}};
  m = mass_of(&box, NULL);
  e = diagonal(48, mo_vec(1, 1, 1), 13 / 3.0, 10 / 3.0, 5 / 3.0);
  expect("a box", &m, &e, 1e-14);
  const mo_geometry volume = {.type = MO_SHAPE_VOLUME, .volume = {{0, -1, -2}, {2, 3, 4}}};
  m = mass_of(&volume, NULL);
  expect("a volume", &m, &e, 1e-14);
  const mo_geometry cylinder = {.type = MO_SHAPE_CYLINDER, .cylinder = {{0, 0, 1}, {0, 0, 5}, 3}};
  m = mass_of(&cylinder, NULL);
  e = diagonal(36 * pi, mo_vec(0, 0, 3), 43 / 12.0, 43 / 12.0, 4.5);
  expect("a cylinder", &m, &e, 1e-14);
  const mo_geometry cone = {.type = MO_SHAPE_CONE, .cone = {{5, 0, 0}, {1, 0, 0}, 3}};
  m = mass_of(&cone, NULL); /* centroid a quarter of the height from the base */
  e = diagonal(12 * pi, mo_vec(2, 0, 0), 2.7, 0.15 * 9 + 0.0375 * 16, 0.15 * 9 + 0.0375 * 16);
  expect("a cone", &m, &e, 1e-14);
  const mo_geometry capsule = {.type = MO_SHAPE_CAPSULE, .capsule = {{0, -1, 0}, {0, 1, 0}, 1}};
  m = mass_of(&capsule, NULL);
  double middle = 2 * pi, ends = 4.0 / 3 * pi; /* the halves of the ball are 3/8 r off its centre */
  double across = middle * (3 + 4) / 12 + ends * (0.4 + 1 + 2 * 0.375);
  e = diagonal(1, mo_vec(0, 0, 0), across, middle / 2 + ends * 0.4, across);
  e.volume = middle + ends;
  expect("a capsule", &m, &e, 1e-14);
  const mo_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mo_hull_def def = mo_default_hull_def();
  def.positions = corners;
  def.position_count = 4;
  mo_geometry hull = {.type = MO_SHAPE_HULL};
  cr_assert_eq(mo_hull_create(&def, &hull.hull), MO_OK);
  m = mass_of(&hull, NULL);
  e = diagonal(1 / 6.0, mo_vec(0.25f, 0.25f, 0.25f), 0.075, 0.075, 0.075);
  for (int i = 0; i < 9; i++) {
    e.inertia[i / 3][i % 3] = i % 4 == 0 ? 1 / 80.0 : 1 / 480.0;
  }
  expect("a tetrahedron", &m, &e, 1e-14);
  mo_hull_release(hull.hull);
}

/* Random solids. */

static mo_geometry random_geometry(rng *r) {
  mo_geometry g = {.type = MO_SHAPE_SPHERE};
  float radius = rng_chance(r, 0.1) ? 0.01f : rng_float(r, 0.1f, 1);
  mo_vec3 a = rng_vec3(r, -1, 0), b = rng_vec3(r, 0.1f, 1);
  switch (rng_below(r, 6)) {
  case 0:
    g.sphere = (mo_sphere){a, radius};
    break;
  case 1:
    g.type = MO_SHAPE_BOX;
    g.box = (mo_box){a, rng_vec3(r, 0.1f, 1)};
    break;
  case 2:
    g.type = MO_SHAPE_CAPSULE;
    g.capsule = (mo_capsule){a, b, radius};
    break;
  case 3:
    g.type = MO_SHAPE_CYLINDER;
    g.cylinder = (mo_cylinder){a, b, radius};
    break;
  case 4:
    g.type = MO_SHAPE_CONE;
    g.cone = (mo_cone){a, b, radius};
    break;
  default:
    g.type = MO_SHAPE_HULL;
    do {
      g.hull = test_hull_random(r);
    } while (g.hull == test_hull(TEST_HULL_NEEDLE) || g.hull == test_hull(TEST_HULL_FLAKE));
    break;
  }
  g.rounding = rng_chance(r, 0.6) ? rng_float(r, 0, 1) : 0;
  if (g.type == MO_SHAPE_HULL && g.rounding == 0 &&
      (g.hull == test_hull(TEST_HULL_PLATE) || g.hull == test_hull(TEST_HULL_SLOPE))) {
    g.rounding = 0.5f;
  }
  return g;
}

static const rng_transform_kind solid_maps[] = {RNG_RIGID, RNG_UNIFORM_SCALE, RNG_NONUNIFORM_SCALE,
                                                RNG_SHEAR, RNG_MIRROR};

/* How far a solid reaches along a unit vector: from its distance to a half-space beyond it. */
static double reach_along(const mo_primitive *p, mo_dvec3 n) {
  const float far = 256;
  mo_primitive wall = mo_primitive_of_half_space(mo_narrow(mo_dscale(-1, n)), -far);
  mo_primitive_distance d;
  cr_assert_eq(mo_primitive_find_distance(p, &wall, INFINITY, &d), MO_OK);
  cr_assert(d.found && d.distance > 0);
  return (double)far - d.distance;
}

/* The direction in which a solid is longest among those perpendicular to `other`, which may be
 * zero; any direction serves the integrals, but this one needs the fewest rays. */
static mo_dvec3 longest(const mo_mass_properties *m, mo_dvec3 other) {
  double half = 0.5 * (m->inertia[0][0] + m->inertia[1][1] + m->inertia[2][2]);
  mo_dvec3 v = mo_dvec(0.3, 0.5, 0.7);
  for (int i = 0; i < 200; i++) {
    v = mo_dunit(mo_dsub(v, mo_dscale(mo_ddot(v, other), other)));
    const double(*I)[3] = m->inertia;
    v = mo_dsub(mo_dscale(half, v), mo_dvec(I[0][0] * v.x + I[0][1] * v.y + I[0][2] * v.z,
                                            I[1][0] * v.x + I[1][1] * v.y + I[1][2] * v.z,
                                            I[2][0] * v.x + I[2][1] * v.y + I[2][2] * v.z));
  }
  return mo_dunit(mo_dsub(v, mo_dscale(mo_ddot(v, other), other)));
}

static double end_of(const mo_primitive *p, mo_dvec3 from, mo_dvec3 along, double start) {
  mo_primitive_hit hit;
  cr_assert_eq(mo_primitive_cast_ray(p, mo_narrow(mo_dadd(from, mo_dscale(start, along))),
                                     mo_narrow(mo_dscale(start > 0 ? -1 : 1, along)), INFINITY,
                                     &hit),
               MO_OK);
  return hit.found ? start + (start > 0 ? -(double)hit.t : (double)hit.t) : INFINITY;
}

/* By definition: a sum over the chords of a grid of rays, both ways. */
static mo_mass_properties integral_of(const mo_geometry *g, const mo_transform *map,
                                      const mo_mass_properties *like) {
  enum { GRID = 120 };
  mo_primitive p = mo_primitive_of_geometry(g, map);
  mo_dvec3 axis[3] = {longest(like, mo_dvec(0, 0, 0))}, middle = {0, 0, 0};
  axis[1] = longest(like, axis[0]);
  axis[2] = mo_dcross(axis[0], axis[1]);
  double width[3];
  for (int k = 0; k < 3; k++) {
    double up = reach_along(&p, axis[k]), down = reach_along(&p, mo_dscale(-1, axis[k]));
    width[k] = up + down;
    middle = mo_dadd(middle, mo_dscale(0.5 * (up - down), axis[k]));
  }
  double sum = 0, first[3] = {0}, second[3][3] = {{0}};
  for (int i = 0; i < GRID * GRID; i++) {
    double y = width[1] * ((i % GRID + 0.5) / GRID - 0.5);
    double z = width[2] * ((i / GRID + 0.5) / GRID - 0.5);
    mo_dvec3 from = mo_dadd(middle, mo_dadd(mo_dscale(y, axis[1]), mo_dscale(z, axis[2])));
    double low = end_of(&p, from, axis[0], -width[0]), high = end_of(&p, from, axis[0], width[0]);
    if (!(low < high && high < INFINITY)) {
      continue;
    }
    double length = high - low, lever = 0.5 * (high * high - low * low);
    double square = (high * high * high - low * low * low) / 3;
    const double lines[3] = {lever, y * length, z * length};
    const double squares[3][3] = {{square, y * lever, z * lever},
                                  {y * lever, y * y * length, y * z * length},
                                  {z * lever, y * z * length, z * z * length}};
    sum += length;
    for (int k = 0; k < 9; k++) {
      first[k % 3] += k < 3 ? lines[k] : 0;
      second[k / 3][k % 3] += squares[k / 3][k % 3];
    }
  }
  double cell = width[1] * width[2] / (GRID * GRID), trace = 0;
  mo_mass_properties m = {.volume = cell * sum};
  mo_dvec3 centroid = middle;
  for (int k = 0; k < 3; k++) {
    centroid = mo_dadd(centroid, mo_dscale(first[k] / sum, axis[k]));
  }
  m.centroid = mo_narrow(centroid);
  for (int k = 0; k < 9; k++) {
    second[k / 3][k % 3] = cell * (second[k / 3][k % 3] - first[k / 3] * first[k % 3] / sum);
    trace += k % 4 == 0 ? second[k / 3][k % 3] : 0;
  }
  for (int k = 0; k < 9; k++) { /* back to the axes of the world */
    for (int n = 0; n < 9; n++) {
      const double u[3] = {axis[n / 3].x, axis[n / 3].y, axis[n / 3].z};
      const double v[3] = {axis[n % 3].x, axis[n % 3].y, axis[n % 3].z};
      m.inertia[k / 3][k % 3] -= u[k / 3] * v[k % 3] * second[n / 3][n % 3];
    }
    m.inertia[k / 3][k % 3] += k % 4 == 0 ? trace : 0;
  }
  return m;
}

Test(mass, as_integrals_along_rays) {
  rng r = rng_make(rng_seed("mass/rays", 98));
  for (uint64_t i = 0; i < rng_few_rounds(30, 5000); i++) {
    mo_geometry g = random_geometry(&r);
    mo_transform map = rng_transform(&r, solid_maps[rng_below(&r, 5)], 2);
    mo_mass_properties m = mass_of(&g, &map), e = integral_of(&g, &map, &m);
    char what[64];
    snprintf(what, sizeof what, "round %llu: type %d", (unsigned long long)i, g.type);
    expect(what, &m, &e, 0.015);
  }
}

/* The principal moments satisfy what those of any solid do: none is above the sum of the others. */
Test(mass, has_possible_moments) {
  rng r = rng_make(rng_seed("mass/moments", 99));
  for (uint64_t i = 0; i < rng_few_rounds(2000, 100000); i++) {
    mo_geometry g = random_geometry(&r);
    mo_transform map = rng_transform(&r, solid_maps[rng_below(&r, 5)], 2);
    mo_mass_properties m = mass_of(&g, &map);
    cr_assert(m.volume > 0 && m.closed);
    for (int k = 0; k < 20; k++) { /* u (tr I / 2 - I) u is the second moment along u */
      mo_vec3 u = rng_direction(&r);
      const double d[3] = {u.x, u.y, u.z};
      double along = 0.5 * (m.inertia[0][0] + m.inertia[1][1] + m.inertia[2][2]);
      for (int n = 0; n < 9; n++) {
        along -= d[n / 3] * d[n % 3] * m.inertia[n / 3][n % 3];
      }
      cr_assert(along > -1e-6 * largest_of(&m), "round %llu", (unsigned long long)i);
    }
  }
}

/* The same forms, described in different ways. */

static mo_hull *hull_of(const mo_vec3 *points, uint32_t count) {
  mo_hull_def def = mo_default_hull_def();
  def.positions = points;
  def.position_count = count;
  mo_hull *hull = NULL;
  cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
  return hull;
}

static void expect_same(const char *what, const mo_geometry *g, const mo_geometry *h,
                        const mo_transform *map, double tolerance) {
  mo_mass_properties m = mass_of(g, map), e = mass_of(h, map);
  expect(what, &m, &e, tolerance);
}

Test(mass, of_boxes_as_hulls) {
  rng r = rng_make(rng_seed("mass/boxes", 100));
  for (uint64_t i = 0; i < rng_few_rounds(1000, 50000); i++) {
    mo_geometry box = {.type = MO_SHAPE_BOX}, hull = {.type = MO_SHAPE_HULL};
    mo_vec3 h = rng_vec3(&r, 0.25f, 1);
    h.x = rng_chance(&r, 0.2) ? 0 : h.x; /* flat: with two faces */
    h = (mo_vec3){ldexpf(rintf(ldexpf(h.x, 12)), -12), ldexpf(rintf(ldexpf(h.y, 12)), -12),
                  ldexpf(rintf(ldexpf(h.z, 12)), -12)};
    mo_vec3 c = {0.5f, -0.25f, 1}, corners[8];
    for (uint32_t k = 0; k < 8; k++) {
      corners[k] = mo_add(c, mo_vec(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z));
    }
    box.box = (mo_box){c, h};
    box.rounding = hull.rounding = rng_chance(&r, 0.2) && h.x > 0 ? 0 : rng_float(&r, 1e-3f, 3);
    hull.hull = hull_of(corners, 8);
    mo_transform map = rng_transform(&r, solid_maps[rng_below(&r, 5)], 2);
    expect_same("a box", &hull, &box, &map, 1e-12);
    mo_hull_release(hull.hull);
  }
}

/* A box under a map is the hull of the images of its corners, which are rounded to floats. */
Test(mass, of_mapped_boxes_as_hulls) {
  rng r = rng_make(rng_seed("mass/mapped boxes", 104));
  for (uint64_t i = 0; i < rng_few_rounds(1000, 50000); i++) {
    mo_geometry box = {.type = MO_SHAPE_BOX}, hull = {.type = MO_SHAPE_HULL};
    box.box = (mo_box){rng_vec3(&r, -1, 1), rng_vec3(&r, 0.25f, 1)};
    mo_transform map = rng_transform(&r, solid_maps[rng_below(&r, 5)], 2);
    mo_vec3 corners[8];
    for (uint32_t k = 0; k < 8; k++) {
      mo_vec3 c = box.box.center, h = box.box.half_extents;
      corners[k] = mo_transform_point(
          &map, mo_add(c, mo_vec(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z)));
    }
    hull.hull = hull_of(corners, 8);
    mo_mass_properties m = mass_of(&box, &map), e = mass_of(&hull, NULL);
    expect("a box under a map", &m, &e, 2e-5);
    mo_hull_release(hull.hull);
  }
}

/* A prism and a pyramid of many sides, with rounding, are cylinder and cone but for the fourth part
 * of 1e-5 or so. */
Test(mass, of_round_solids_as_hulls) {
  enum { SIDES = 720 };
  static mo_vec3 points[2 * SIDES];
  rng r = rng_make(rng_seed("mass/round", 101));
  for (uint64_t i = 0; i < rng_few_rounds(12, 200); i++) {
    float radius = rng_float(&r, 0.2f, 2), height = rng_float(&r, 0.2f, 2);
    for (int k = 0; k < SIDES; k++) {
      double angle = 2 * pi * k / SIDES;
      points[k] = mo_vec((float)(radius * cos(angle)), (float)(radius * sin(angle)), height);
      points[SIDES + k] = mo_vec(points[k].x, points[k].y, 0);
    }
    mo_geometry cylinder = {.type = MO_SHAPE_CYLINDER},
                cone = {.type = MO_SHAPE_CONE, .rounding = rng_float(&r, 0, 1)},
                hull = {.type = MO_SHAPE_HULL};
    cylinder.cylinder = (mo_cylinder){{0, 0, 0}, {0, 0, height}, radius};
    cone.cone = (mo_cone){{0, 0, 0}, {0, 0, height}, radius};
    cylinder.rounding = hull.rounding = cone.rounding;
    hull.hull = hull_of(points, 2 * SIDES);
    expect_same("a cylinder", &hull, &cylinder, NULL, 1e-4);
    mo_hull_release(hull.hull);
    points[SIDES] = mo_vec(0, 0, 0);
    hull.hull = hull_of(points, SIDES + 1);
    expect_same("a cone", &hull, &cone, NULL, 1e-4);
    mo_hull_release(hull.hull);
  }
}

Test(mass, of_what_is_both) {
  const mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{1, 2, 3}, 2}};
  mo_geometry point = {.type = MO_SHAPE_CAPSULE, .capsule = {{1, 2, 3}, {1, 2, 3}, 0.5f}};
  point.rounding = 1.5f;
  expect_same("a capsule of no length", &point, &ball, NULL, 1e-14);
  mo_geometry dot = {.type = MO_SHAPE_BOX, .rounding = 2, .box = {.center = {1, 2, 3}}};
  expect_same("a box of no size", &dot, &ball, NULL, 1e-14);
  const mo_geometry capsule = {.type = MO_SHAPE_CAPSULE, .capsule = {{1, 2, 3}, {3, 1, 0}, 2}};
  mo_geometry line = {.type = MO_SHAPE_CYLINDER, .rounding = 2};
  line.cylinder = (mo_cylinder){{1, 2, 3}, {3, 1, 0}, 0};
  expect_same("a cylinder of no radius", &line, &capsule, NULL, 1e-14);
  line.type = MO_SHAPE_CONE;
  line.cone = (mo_cone){{1, 2, 3}, {3, 1, 0}, 0};
  expect_same("a cone of no radius", &line, &capsule, NULL, 1e-14);
}

Test(mass, of_what_is_flat) {
  const mo_transform level = {{1, 0, 0}, {0, 2, 0}, {0, 0, 0}, {0, 0, 5}};
  const mo_geometry cone = {.type = MO_SHAPE_CONE, .cone = {{4, 0, 1}, {0, 0, 1}, 1}};
  mo_mass_properties m = mass_of(&cone, &level);
  cr_assert(m.volume == 0 && largest_of(&m) == 0 && m.closed);
  cr_assert(m.centroid.x == 1 && m.centroid.z == 5, "the image of the centroid");
  const mo_geometry sheet = {.type = MO_SHAPE_BOX, .box = {{1, 2, 3}, {1, 0, 1}}};
  m = mass_of(&sheet, NULL);
  cr_assert(m.volume == 0 && largest_of(&m) == 0 && m.centroid.y == 2);
  const mo_vec3 corners[3] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}};
  mo_geometry hull = {.type = MO_SHAPE_HULL, .hull = hull_of(corners, 3)};
  m = mass_of(&hull, NULL);
  cr_assert(m.volume == 0 && largest_of(&m) == 0 && m.centroid.x == 1 && m.centroid.y == 1);
  mo_hull_release(hull.hull);
}

/* Nothing overflows or vanishes at the limits of coordinates. */
Test(mass, of_extreme_sizes) {
  mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {.radius = 5e29f}};
  mo_mass_properties m = mass_of(&ball, NULL);
  cr_assert(isfinite(m.volume) && isfinite(m.inertia[0][0]) && m.inertia[0][0] > 0);
  ball.sphere.radius = 1e-45f;
  m = mass_of(&ball, NULL);
  cr_assert(m.volume > 0 && m.inertia[0][0] > 0);
  mo_geometry box = {.type = MO_SHAPE_BOX, .box = {.half_extents = {1e29f, 1e-40f, 1}}};
  m = mass_of(&box, NULL);
  cr_assert(fabs(m.volume / (8 * (double)1e29f * (double)1e-40f) - 1) < 1e-14);
  cr_assert(fabs(m.inertia[0][0] / m.volume - 1 / 3.0) < 1e-14);
}

/* Meshes. */

typedef struct edge {
  mo_vec3 from, to;
  int sign;
} edge;

static int compare_points(mo_vec3 a, mo_vec3 b) {
  return a.x != b.x   ? (a.x < b.x ? -1 : 1)
         : a.y != b.y ? (a.y < b.y ? -1 : 1)
         : a.z != b.z ? (a.z < b.z ? -1 : 1)
                      : 0;
}

static int compare_edges(const void *p, const void *q) {
  const edge *a = p, *b = q;
  int order = compare_points(a->from, b->from);
  return order != 0 ? order : compare_points(a->to, b->to);
}

/* Whether each edge is used as often in one direction as in the other. */
static bool is_closed(const test_mesh *mesh) {
  uint32_t count = 0;
  edge *edges = malloc((3 * (size_t)mesh->triangle_count + 1) * sizeof *edges);
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mo_vec3 c[3];
    test_mesh_corners(mesh, i, c);
    for (int k = 0; k < 3; k++) {
      int order = compare_points(c[k], c[(k + 1) % 3]);
      edges[count++] =
          order <= 0 ? (edge){c[k], c[(k + 1) % 3], -order} : (edge){c[(k + 1) % 3], c[k], -order};
    }
  }
  qsort(edges, count, sizeof *edges, compare_edges);
  bool closed = true;
  for (uint32_t i = 0; i < count;) {
    int sum = 0;
    uint32_t next = i;
    for (; next < count && compare_edges(&edges[i], &edges[next]) == 0; next++) {
      sum += edges[next].sign;
    }
    closed = closed && sum == 0;
    i = next;
  }
  free(edges);
  return closed;
}

/* The same sums in long double, about the origin of the box; `scale` is what they may cancel to. */
static mo_mass_properties sum_of(const test_mesh *mesh, ldouble *scale, ldouble *size) {
  mo_aabb box = test_mesh_bounds(mesh);
  ldvec o = ld_scale(0.5L, ld_add(ld_float(box.lower), ld_float(box.upper)));
  ldouble volume = 0, first[3] = {0, 0, 0}, second[3][3] = {{0}}, terms = 0;
  *size = ld_norm(ld_sub(ld_float(box.upper), ld_float(box.lower)));
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mo_vec3 c[3];
    test_mesh_corners(mesh, i, c);
    ldvec a = ld_sub(ld_float(c[0]), o), b = ld_sub(ld_float(c[1]), o),
          d = ld_sub(ld_float(c[2]), o);
    ldouble v = (a.x * (b.y * d.z - b.z * d.y) + a.y * (b.z * d.x - b.x * d.z) +
                 a.z * (b.x * d.y - b.y * d.x)) /
                6;
    const ldouble p[3][3] = {{a.x, b.x, d.x}, {a.y, b.y, d.y}, {a.z, b.z, d.z}};
    volume += v;
    terms += ld_norm(a) * ld_norm(b) * ld_norm(d);
    for (int k = 0; k < 3; k++) {
      ldouble s = p[k][0] + p[k][1] + p[k][2];
      first[k] += v * s / 4;
      for (int n = 0; n < 3; n++) {
        ldouble t = p[n][0] + p[n][1] + p[n][2];
        second[k][n] +=
            v / 20 * (p[k][0] * p[n][0] + p[k][1] * p[n][1] + p[k][2] * p[n][2] + s * t);
      }
    }
  }
  *scale = terms;
  mo_mass_properties m = {.volume = (double)volume, .closed = is_closed(mesh)};
  ldouble trace = 0;
  for (int k = 0; k < 9; k++) {
    second[k / 3][k % 3] -= first[k / 3] * first[k % 3] / volume;
    trace += k % 4 == 0 ? second[k / 3][k % 3] : 0;
  }
  for (int k = 0; k < 9; k++) {
    m.inertia[k / 3][k % 3] = (double)((k % 4 == 0 ? trace : 0) - second[k / 3][k % 3]);
  }
  m.centroid = mo_vec((float)(o.x + first[0] / volume), (float)(o.y + first[1] / volume),
                      (float)(o.z + first[2] / volume));
  return m;
}

static void check_mesh(const mesh_subject *s, rng *r, uint64_t rounds) {
  (void)r, (void)rounds;
  ldouble scale, size;
  mo_mass_properties e = sum_of(&s->mesh, &scale, &size), first = {0};
  for (uint32_t i = 0; i < s->family.count; i++) {
    const mo_geometry g = {.type = MO_SHAPE_MESH, .mesh = s->family.meshes[i]};
    mo_mass_properties m = mass_of(&g, NULL);
    first = i == 0 ? m : first;
    cr_assert(m.volume == first.volume && compare_points(m.centroid, first.centroid) == 0 &&
                  memcmp(m.inertia, first.inertia, sizeof m.inertia) == 0,
              "%s, %s: other bits", s->mesh.name, s->family.names[i]);
    cr_assert_eq(m.closed, e.closed, "%s, %s", s->mesh.name, s->family.names[i]);
    cr_assert(m.closed || !s->mesh.closed, "%s", s->mesh.name);
    if (s->mesh.closed) {
      cr_assert(m.volume > 0, "%s", s->mesh.name);
      expect(s->mesh.name, &m, &e, 1e-12);
    }
    ldouble noise = 1e-13L * scale;
    cr_assert(fabsl(m.volume - e.volume) <= noise, "%s: %g, not %g", s->mesh.name, m.volume,
              e.volume);
    if (fabsl(e.volume) > 1e-6L * scale) { /* else the quotients are those of rounding */
      for (int k = 0; k < 9; k++) {
        cr_assert(fabsl(m.inertia[k / 3][k % 3] - e.inertia[k / 3][k % 3]) <= noise * size * size,
                  "%s", s->mesh.name);
      }
    }
  }
}

Test(mass, of_meshes_of_all_kinds) {
  rng r = rng_make(rng_seed("mass/meshes", 102));
  mesh_subject_check_all(check_mesh, &r, 1);
}

static mo_mesh *mesh_of(const test_mesh *mesh) {
  mo_mesh_def def = test_mesh_def(mesh);
  mo_mesh *made = NULL;
  cr_assert_eq(mo_mesh_create(&def, &made), MO_OK);
  return made;
}

/* A triangulated hull bounds the hull, under any map. */
Test(mass, of_hulls_as_meshes) {
  rng r = rng_make(rng_seed("mass/hulls", 103));
  for (int kind = 0; kind < TEST_HULL_KINDS; kind++) {
    mo_geometry hull = {.type = MO_SHAPE_HULL, .hull = test_hull((test_hull_kind)kind)};
    mo_hull_info info;
    cr_assert_eq(mo_hull_get_info(hull.hull, &info), MO_OK);
    test_mesh surface = {.name = "hull"};
    static mo_vec3 vertices[4096];
    static uint32_t loop[4096];
    cr_assert_eq(mo_hull_get_vertices(hull.hull, vertices, 4096, NULL), MO_OK);
    for (uint32_t i = 0; i < info.vertex_count; i++) {
      test_mesh_add_vertex(&surface, vertices[i].x, vertices[i].y, vertices[i].z);
    }
    for (uint32_t f = 0; f < info.face_count; f++) {
      mo_hull_face face;
      cr_assert_eq(mo_hull_get_face(hull.hull, f, &face, loop, 4096), MO_OK);
      for (uint32_t k = 2; k < face.vertex_count; k++) {
        test_mesh_add_triangle(&surface, loop[0], loop[k - 1], loop[k]);
      }
    }
    mo_geometry mesh = {.type = MO_SHAPE_MESH, .mesh = mesh_of(&surface)};
    /* The tetrahedra of a flake cancel. */
    double tolerance = kind == TEST_HULL_FLAKE ? 1e-6 : 1e-11;
    for (int i = 0; i < 20; i++) {
      mo_transform map = rng_transform(&r, solid_maps[i % 5], 2);
      mo_mass_properties m = mass_of(&mesh, &map), e = mass_of(&hull, &map);
      cr_assert(m.closed);
      expect("a hull", &m, &e, tolerance);
      if (!info.flat) {
        cr_assert(m.volume > 0 && e.volume > 0);
      }
    }
    mo_mesh_release(mesh.mesh);
    test_mesh_free(&surface);
  }
}

static void add_box(test_mesh *mesh, mo_vec3 c, float h, bool inward) {
  static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  uint32_t first = mesh->vertex_count;
  for (uint32_t i = 0; i < 8; i++) {
    test_mesh_add_vertex(mesh, c.x + (i & 1 ? h : -h), c.y + (i & 2 ? h : -h),
                         c.z + (i & 4 ? h : -h));
  }
  for (int i = 0; i < 6; i++) {
    const uint32_t *q = quads[i];
    test_mesh_add_triangle(mesh, first + q[0], first + q[inward ? 2 : 1],
                           first + q[inward ? 1 : 2]);
    test_mesh_add_triangle(mesh, first + q[0], first + q[inward ? 3 : 2],
                           first + q[inward ? 2 : 3]);
  }
}

static mo_mass_properties mass_of_test_mesh(const test_mesh *mesh) {
  mo_geometry g = {.type = MO_SHAPE_MESH, .mesh = mesh_of(mesh)};
  mo_mass_properties m = mass_of(&g, NULL);
  mo_mesh_release(g.mesh);
  return m;
}

/* A cavity is left out, by the theorem of parallel axes; parts that overlap count twice; inward
 * triangles are negative; a hole is told. */
Test(mass, of_meshes_of_several_parts) {
  test_mesh hollow = {.name = "hollow"}, twice = {.name = "twice"}, inward = {.name = "inward"};
  add_box(&hollow, mo_vec(0, 0, 0), 2, false);
  add_box(&hollow, mo_vec(1, 0, 0), 0.5f, true);
  mo_mass_properties m = mass_of_test_mesh(&hollow);
  double x = -1 / 63.0, outer = 64 * 8 / 3.0, inner = 1 / 6.0;
  mo_mass_properties e = {.volume = 63, .centroid = mo_vec((float)x, 0, 0), .closed = true};
  e.inertia[0][0] = outer - inner;
  e.inertia[1][1] = e.inertia[2][2] = outer + 64 * x * x - inner - (1 - x) * (1 - x);
  expect("a cavity", &m, &e, 1e-14);
  cr_assert(m.closed);
  add_box(&twice, mo_vec(0, 0, 0), 1, false);
  mo_mass_properties one = mass_of_test_mesh(&twice);
  add_box(&twice, mo_vec(0, 0, 0), 1, false);
  m = mass_of_test_mesh(&twice);
  cr_assert(m.volume == 2 * one.volume && m.inertia[0][0] == 2 * one.inertia[0][0] && m.closed);
  add_box(&inward, mo_vec(3, 0, 0), 1, true);
  m = mass_of_test_mesh(&inward);
  cr_assert(m.volume == -8 && m.centroid.x == 3 && m.closed);
  cr_assert(fabs(m.inertia[1][1] + 16 / 3.0) < 1e-14);
  inward.triangle_count--;
  cr_assert(!mass_of_test_mesh(&inward).closed, "a hole");
  test_mesh_free(&hollow);
  test_mesh_free(&twice);
  test_mesh_free(&inward);
}

/* A vertex in the middle of a neighbour's edge: the surface is not closed by its edges, but no part
 * of it is missing. Mirrored, it keeps its sign. */
Test(mass, of_a_mesh_with_a_vertex_on_an_edge) {
  test_mesh mesh = {.name = "vertex on an edge"};
  add_box(&mesh, mo_vec(5, 0, 0), 1, false);
  uint32_t *corner = &mesh.indices[0], a = corner[0], b = corner[1], c = corner[2];
  mo_vec3 p = mesh.positions[a], q = mesh.positions[b];
  uint32_t middle =
      test_mesh_add_vertex(&mesh, 0.5f * (p.x + q.x), 0.5f * (p.y + q.y), 0.5f * (p.z + q.z));
  mesh.indices[1] = middle;
  test_mesh_add_triangle(&mesh, middle, b, c);
  mo_geometry g = {.type = MO_SHAPE_MESH, .mesh = mesh_of(&mesh)};
  const mo_transform mirror = {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  mo_mass_properties m = mass_of(&g, &mirror),
                     e = diagonal(8, mo_vec(-4, 0, 0), 2 / 3.0, 2 / 3.0, 2 / 3.0);
  expect("a vertex on an edge", &m, &e, 1e-14);
  cr_assert(!m.closed);
  mo_mesh_release(g.mesh);
  test_mesh_free(&mesh);
}
