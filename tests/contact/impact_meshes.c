/* The impact of two meshes: the same as from a loop over all pairs of triangles with
 * mo_find_impact, for every builder, format and instruction set, under maps and movements of every
 * kind; and judged by distances of the meshes on the way. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/continuous.h>
#include <motte/distance.h>
#include <stdio.h>
#include <string.h>

#include "math/vector.h"
#include "support/families.h"
#include "support/rng.h"

static mo_movement random_movement(rng *r, float far) {
  return (mo_movement){.displacement = mo_scale(rng_float(r, 0, far), rng_direction(r)),
                       .pivot = rng_vec3(r, -2, 2),
                       .axis = rng_direction(r),
                       .angle = rng_chance(r, 0.3) ? 0 : rng_float(r, -6, 6)};
}

static mo_primitive primitive_of(const test_mesh *mesh, uint32_t triangle,
                                 const mo_transform *map) {
  mo_vec3 c[3];
  test_mesh_corners(mesh, triangle, c);
  mo_primitive p = mo_primitive_of_triangle(c[0], c[1], c[2]);
  p.transform = *map;
  return p;
}

static mo_impact first_impact(const test_mesh meshes[2], const mo_impact_mesh_def *def) {
  mo_impact best = {.triangle = MO_NO_TRIANGLE, .other_triangle = MO_NO_TRIANGLE};
  for (uint32_t i = 0; i < meshes[0].triangle_count; i++) {
    const mo_primitive a = primitive_of(&meshes[0], i, &def->transform);
    for (uint32_t k = 0; k < meshes[1].triangle_count; k++) {
      const mo_primitive b = primitive_of(&meshes[1], k, &def->other_transform);
      mo_impact impact;
      cr_assert_eq(
          mo_find_impact(&a, &def->movement, &b, &def->other_movement, &def->impact, &impact),
          MO_OK);
      if (impact.found && (!best.found || impact.t < best.t)) {
        best = impact;
        best.triangle = i;
        best.other_triangle = k;
      }
    }
  }
  return best;
}

static bool same_vector(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same(const mo_impact *a, const mo_impact *b) {
  return a->found == b->found && a->triangle == b->triangle &&
         a->other_triangle == b->other_triangle &&
         (!a->found ||
          (a->began_in_touch == b->began_in_touch && a->t == b->t &&
           same_vector(a->point, b->point) && same_vector(a->normal, b->normal) &&
           a->separation == b->separation && a->feature == b->feature &&
           a->feature_index == b->feature_index && a->other_feature == b->other_feature &&
           a->other_feature_index == b->other_feature_index));
}

/* The distance of the meshes at time t. */
static double distance_at(const mo_mesh *mesh, const mo_impact_mesh_def *def, float t) {
  mo_distance_mesh_def at = mo_default_distance_mesh_def();
  mo_closest_hit hits[2];
  at.other = def->other;
  cr_assert_eq(mo_movement_transform(&def->movement, t, &def->transform, &at.transform), MO_OK);
  cr_assert_eq(
      mo_movement_transform(&def->other_movement, t, &def->other_transform, &at.other_transform),
      MO_OK);
  cr_assert_eq(mo_mesh_find_closest_mesh(mesh, &at, hits, NULL), MO_OK);
  return (double)hits[0].distance;
}

/* Checks two meshes in all their forms. Returns whether the call was legal. */
static bool check_forms(const test_mesh meshes[2], const mesh_family families[2],
                        mo_impact_mesh_def *def, rng *r, mo_impact *best) {
  mo_impact impact;
  def->other = families[1].meshes[0];
  const mo_result result = mo_mesh_find_impact_mesh(families[0].meshes[0], def, &impact, NULL);
  if (result != MO_OK) {
    cr_assert(result == MO_ERROR_OUT_OF_RANGE || result == MO_ERROR_NOT_FINITE);
    return false;
  }
  *best = first_impact(meshes, def);
  for (uint32_t i = 0; i < families[0].count; i++) {
    mo_query_stats stats = {0};
    def->other = families[1].meshes[rng_below(r, families[1].count)];
    memset(&impact, 0x55, sizeof impact);
    cr_assert_eq(mo_mesh_find_impact_mesh(families[0].meshes[i], def, &impact, &stats), MO_OK);
    cr_assert(same(&impact, best), "%s: %u %u at %a, not %u %u at %a", families[0].names[i],
              impact.triangle, impact.other_triangle, (double)impact.t, best->triangle,
              best->other_triangle, (double)best->t);
    cr_assert(impact.triangle_user_data == 0 && impact.other.index == 0);
    /* the sweep's, then each pair at most once */
    const uint64_t n = meshes[0].triangle_count, m = meshes[1].triangle_count;
    cr_assert_leq(stats.pair_count, n + m + n * m);
  }
  return true;
}

Test(impact_meshes, all_kinds_under_all_maps) {
  rng r = rng_make(rng_seed("impact_meshes/all_kinds_under_all_maps", 3521));
  const uint64_t poses_of_kind = rng_few_rounds(6, 4 * RNG_TRANSFORM_KINDS);
  uint64_t legal = 0, found = 0;
  for (uint32_t kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    test_mesh meshes[2];
    static mesh_family families[2];
    meshes[0] = test_mesh_make((test_mesh_kind)kind, 4 + rng_below(&r, 8), &r);
    const bool same_size = rng_chance(&r, 0.5);
    meshes[1] = test_mesh_make(same_size ? (test_mesh_kind)kind
                                         : (test_mesh_kind)rng_below(&r, TEST_MESH_KIND_COUNT),
                               4 + rng_below(&r, 8), &r);
    for (int s = 0; s < 2; s++) {
      mesh_family_build(&families[s], &meshes[s], false);
    }
    for (uint64_t round = 0; round < poses_of_kind; round++) {
      mo_impact_mesh_def def = mo_default_impact_mesh_def();
      mo_impact best = {.found = false};
      const rng_transform_kind of_a = (rng_transform_kind)rng_below(&r, RNG_SHEAR + 1),
                               of_b = (rng_transform_kind)((kind + round) % RNG_TRANSFORM_KINDS);
      def.transform = rng_transform(&r, of_a, 2);
      def.other_transform = rng_transform(&r, of_b, 2);
      def.movement = random_movement(&r, 4);
      def.other_movement = random_movement(&r, 1);
      if (rng_chance(&r, 0.8)) { /* towards the first mesh */
        def.other_movement.displacement =
            mo_add(def.other_movement.displacement,
                   mo_scale(rng_float(&r, 0.5f, 2),
                            mo_sub(def.transform.origin, def.other_transform.origin)));
      }
      def.impact.slop = rng_chance(&r, 0.2) ? 0 : rng_float(&r, 1e-4f, 0.05f);
      legal += check_forms(meshes, families, &def, &r, &best);
      found += best.found;
    }
    for (int s = 0; s < 2; s++) {
      cr_assert(mesh_family_free(&families[s]));
      test_mesh_free(&meshes[s]);
    }
  }
  fprintf(stderr, "%llu legal, %llu impacts\n", (unsigned long long)legal,
          (unsigned long long)found);
  cr_assert(20 * found > legal);
}

/* Closed meshes and sheets that fly at each other: at t they are as close as the slop says, and at
 * no time before closer than half of it; without an impact they never are. */
Test(impact_meshes, distances_on_the_way) {
  rng r = rng_make(rng_seed("impact_meshes/distances_on_the_way", 3522));
  static const test_mesh_kind kinds[] = {TEST_MESH_TORUS, TEST_MESH_SPIKES, TEST_MESH_TERRAIN,
                                         TEST_MESH_LATTICE};
  int found = 0, passed = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    test_mesh meshes[2] = {test_mesh_make(kinds[i], 150, &r),
                           test_mesh_make(TEST_MESH_TORUS, 150, &r)};
    static mesh_family families[2];
    for (int s = 0; s < 2; s++) {
      mesh_family_build(&families[s], &meshes[s], true);
    }
    for (uint64_t round = 0; round < rng_few_rounds(12, 300); round++) {
      mo_impact_mesh_def def = mo_default_impact_mesh_def();
      mo_impact impact;
      const mo_vec3 from = mo_scale(rng_float(&r, 3, 8), rng_direction(&r));
      def.other = families[1].meshes[0];
      def.transform = rng_transform(&r, RNG_RIGID, 0.5f);
      def.other_transform = rng_transform(&r, RNG_SHEAR, 0.5f);
      def.other_transform.origin = mo_add(from, def.transform.origin);
      def.movement = random_movement(&r, 0.5f);
      def.movement.pivot = def.transform.origin;
      def.other_movement = random_movement(&r, 0.5f);
      def.other_movement.pivot = def.other_transform.origin;
      def.other_movement.displacement = mo_add(mo_scale(rng_float(&r, 0, 3), rng_direction(&r)),
                                               mo_scale(-rng_float(&r, 0.5f, 1.5f), from));
      def.impact.slop = 0.02f;
      if (distance_at(families[0].meshes[0], &def, 0) <= 0.02) {
        continue;
      }
      cr_assert_eq(mo_mesh_find_impact_mesh(families[0].meshes[0], &def, &impact, NULL), MO_OK);
      const float end = impact.found ? impact.t : 1;
      for (int k = 0; k <= 40; k++) {
        const double there = distance_at(families[0].meshes[0], &def, end * (float)k / 40);
        cr_assert_geq(there, 0.01 - 1e-5, "%g at %g of %g", there, k / 40.0, (double)end);
      }
      if (impact.found) {
        cr_assert(!impact.began_in_touch);
        cr_assert_leq(distance_at(families[0].meshes[0], &def, end), 0.015 + 1e-5);
      }
      found += impact.found;
      passed += !impact.found;
    }
    for (int s = 0; s < 2; s++) {
      cr_assert(mesh_family_free(&families[s]));
      test_mesh_free(&meshes[s]);
    }
  }
  fprintf(stderr, "%d impacts, %d passed\n", found, passed);
  cr_assert(found > 2 && passed > 0);
}

Test(impact_meshes, known_answers) {
  mo_mesh *square = test_mesh_build_square(-1, 1); /* in the plane z = 0, its front towards +z */
  mo_impact_mesh_def def = mo_default_impact_mesh_def();
  mo_impact impact;
  def.other = square;
  def.impact.slop = 0.04f;
  cr_assert_eq(mo_mesh_find_impact_mesh(square, &def, &impact, NULL), MO_OK);
  cr_assert(!impact.found); /* at rest, and one in the other */
  def.other_transform.origin.z = 3;
  cr_assert_eq(mo_mesh_find_impact_mesh(square, &def, &impact, NULL), MO_OK);
  cr_assert(!impact.found); /* at rest, and apart */
  def.other_movement.displacement.z = -6;
  cr_assert_eq(mo_mesh_find_impact_mesh(square, &def, &impact, NULL), MO_OK);
  cr_assert(impact.found && impact.t > 0.49f && impact.t < 0.5f && impact.normal.z > 0.999f);
  /* a quarter turn about the edge x = -1 brings the square through one that stands on its edge */
  def.other_movement = (mo_movement){.displacement = {0, 0, 0}};
  def.other_transform.origin.z = 1.5f;
  def.movement = (mo_movement){.pivot = {-1, 0, 0}, .axis = {0, -1, 0}, .angle = 1.5707964f};
  cr_assert_eq(mo_mesh_find_impact_mesh(square, &def, &impact, NULL), MO_OK);
  const double angle = (double)impact.t * 1.5707964; /* 2 sin(angle) is 1.5 less the gap */
  cr_assert(impact.found && fabs(2 * sin(angle) - 1.5) < 0.04, "%g", 2 * sin(angle));
  /* flattened to a point, which passes beside the square */
  def.movement = (mo_movement){.displacement = {0, 0, 3}};
  def.transform.x_axis = def.transform.y_axis = (mo_vec3){0, 0, 0};
  def.transform.origin.x = 1.1f;
  cr_assert_eq(mo_mesh_find_impact_mesh(square, &def, &impact, NULL), MO_OK);
  cr_assert(!impact.found);
  def.transform.origin.x = 0.9f;
  cr_assert_eq(mo_mesh_find_impact_mesh(square, &def, &impact, NULL), MO_OK);
  cr_assert(impact.found);
  mo_mesh_release(square);
}

static bool has_impact(const mo_mesh *mesh, const mo_impact_mesh_def *def) {
  mo_impact impact;
  cr_assert_eq(mo_mesh_find_impact_mesh(mesh, def, &impact, NULL), MO_OK);
  return impact.found;
}

/* With `cull_back_faces`, the triangles of both meshes are one-sided. */
Test(impact_meshes, back_faces_of_either_mesh_are_culled) {
  mo_mesh *square = test_mesh_build_square(-1, 1);
  for (int turned = 0; turned < 4; turned++) {
    mo_impact_mesh_def def = mo_default_impact_mesh_def();
    def.other = square;
    def.other_transform.origin.z = 1;
    def.other_movement.displacement.z = -2;
    /* turned by half a turn about x, so that its front is towards -z */
    def.transform.y_axis.y = def.transform.z_axis.z = turned & 1 ? -1 : 1;
    def.other_transform.y_axis.y = def.other_transform.z_axis.z = turned & 2 ? -1 : 1;
    cr_assert(has_impact(square, &def));
    def.cull_back_faces = true;
    cr_assert_eq(has_impact(square, &def), turned == 2, "%d", turned);
  }
  mo_mesh_release(square);
}

/* Meshes that slide and turn at half of the slop: many pairs stay close for the whole step, and yet
 * they are not tested again and again. */
Test(impact_meshes, meshes_that_stay_close) {
  rng r = rng_make(rng_seed("impact_meshes/meshes_that_stay_close", 3524));
  for (int kind = 0; kind < 2; kind++) {
    test_mesh mesh = test_mesh_make(kind == 0 ? TEST_MESH_TERRAIN : TEST_MESH_TORUS, 300, &r);
    static mesh_family family;
    mesh_family_build(&family, &mesh, true);
    mo_impact_mesh_def def = mo_default_impact_mesh_def();
    def.other = family.meshes[0];
    def.other_transform.origin.z = 0.001f;
    def.impact.slop = 0.002f;
    for (int turns = 0; turns < 2; turns++) {
      def.movement.angle = turns ? 1 : 0;
      def.movement.axis = (mo_vec3){0, 0, 1};
      def.movement.displacement = (mo_vec3){turns ? 0 : 1, 0, 0};
      mo_query_stats stats = {0};
      mo_impact impact;
      cr_assert_eq(mo_mesh_find_impact_mesh(family.meshes[0], &def, &impact, &stats), MO_OK);
      const mo_impact best = first_impact((test_mesh[2]){mesh, mesh}, &def);
      cr_assert(same(&impact, &best));
      const uint64_t n = mesh.triangle_count;
      fprintf(stderr, "%.3f of all pairs\n", (double)stats.pair_count / (double)(n * n));
      cr_assert_leq(stats.pair_count, 2 * n + n * n);
    }
    cr_assert(mesh_family_free(&family));
    test_mesh_free(&mesh);
  }
}

/* A triangle slides just over many others, and then meets a wall: however many pairs have been
 * tested on the way, the last one is. */
Test(impact_meshes, the_last_of_many_pairs) {
  enum { FLOOR = 1500 };
  test_mesh slider_mesh = {0};
  test_mesh_add_corners(&slider_mesh, (mo_vec3){-0.1f, -0.1f, 0.0018f}, (mo_vec3){0.1f, 0, 0.0018f},
                        (mo_vec3){-0.1f, 0.1f, 0.0018f});
  const mo_mesh_def slider_def = test_mesh_def(&slider_mesh);
  mo_mesh *slider;
  cr_assert_eq(mo_mesh_create(&slider_def, &slider), MO_OK);
  for (int more = 0; more < 6; more++) {
    test_mesh mesh = {0};
    for (int i = 0; i < FLOOR + more; i++) {
      const float x = 0.01f * (float)i;
      test_mesh_add_corners(&mesh, (mo_vec3){x, -0.1f, 0}, (mo_vec3){x + 0.01f, -0.1f, 0},
                            (mo_vec3){x, 0.1f, 0});
    }
    const float end = 0.01f * (float)FLOOR;
    test_mesh_add_corners(&mesh, (mo_vec3){end, -1, -1}, (mo_vec3){end, 1, -1},
                          (mo_vec3){end, 0, 1});
    const mo_mesh_def def = test_mesh_def(&mesh);
    mo_mesh *floor;
    cr_assert_eq(mo_mesh_create(&def, &floor), MO_OK);
    mo_impact_mesh_def search = mo_default_impact_mesh_def();
    search.other = floor;
    search.movement.displacement = (mo_vec3){end + 1, 0, 0};
    search.impact.slop = 0.002f;
    mo_impact impact;
    cr_assert_eq(mo_mesh_find_impact_mesh(slider, &search, &impact, NULL), MO_OK);
    const mo_impact best = first_impact((test_mesh[2]){slider_mesh, mesh}, &search);
    cr_assert(same(&impact, &best), "%d: triangle %u at %g, not %u at %g", more,
              impact.other_triangle, (double)impact.t, best.other_triangle, (double)best.t);
    cr_assert(best.found && best.other_triangle == (uint32_t)(FLOOR + more), "%d: %u at %g", more,
              best.other_triangle, (double)best.t);
    mo_mesh_release(floor);
    test_mesh_free(&mesh);
  }
  mo_mesh_release(slider);
  test_mesh_free(&slider_mesh);
}

/* Of the many pairs of two meshes, few are tested, and few nodes visited. */
Test(impact_meshes, few_pairs_are_tested) {
  rng r = rng_make(rng_seed("impact_meshes/few_pairs_are_tested", 3523));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 5000, &r);
  static mesh_family family;
  mesh_family_build(&family, &mesh, true);
  mo_query_stats stats = {0};
  const uint32_t rounds = (uint32_t)rng_few_rounds(40, 40);
  uint32_t found = 0;
  for (uint32_t i = 0; i < rounds; i++) {
    mo_impact_mesh_def def = mo_default_impact_mesh_def();
    mo_impact impact;
    def.other = family.meshes[0];
    def.other_transform = rng_transform(&r, RNG_RIGID, 1);
    def.other_transform.origin.x += 5;
    def.other_movement =
        (mo_movement){{-3, 0, 0}, def.other_transform.origin, rng_direction(&r), 0.2f};
    cr_assert_eq(mo_mesh_find_impact_mesh(family.meshes[0], &def, &impact, &stats), MO_OK);
    found += impact.found;
  }
  fprintf(stderr, "%u impacts: %.1f pairs, %.1f nodes\n", found, (double)stats.pair_count / rounds,
          (double)stats.mesh_node_count / rounds);
  cr_assert_gt(found, rounds / 4);
  cr_assert_lt(stats.pair_count, 1500 * rounds);
  cr_assert_lt(stats.mesh_node_count, 40000 * rounds);
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&mesh);
}
