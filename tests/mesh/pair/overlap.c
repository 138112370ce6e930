/* Pairs of triangles of two meshes that touch: the same as from a loop over all pairs with
 * mo_primitive_overlap, for every builder, format and instruction set, under maps of every kind;
 * and as separating axes in long double say, where they are certain. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/geometry.h>
#include <motte/overlap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/pair/two_meshes.h"
#include "support/families.h"
#include "support/mesh_files.h"

enum { MAX = 65536 };

static mo_triangle_pair expected[MAX], got[MAX];
static uint32_t expected_count;

/* A second opinion on one answer. */
static void check_answer(const ldvec a[3], const ldvec b[3], bool touches, uint64_t *certain) {
  bool decides;
  const ldouble gap = gap_between(a, b, &decides), tolerance = tolerance_of(a, b);
  if (gap > tolerance) {
    cr_assert(!touches, "apart by %Lg", gap);
    ++*certain;
  } else if (decides && gap < -tolerance) {
    cr_assert(touches, "overlap by %Lg", -gap);
    ++*certain;
  }
}

/* The pairs that touch, by a loop over all. */
static void expect(const test_mesh *a, const mo_transform *map_a, const test_mesh *b,
                   const mo_transform *map_b, uint64_t *certain) {
  expected_count = 0;
  for (uint32_t i = 0; i < a->triangle_count; i++) {
    for (uint32_t k = 0; k < b->triangle_count; k++) {
      mo_vec3 c[2][3];
      test_mesh_corners(a, i, c[0]);
      test_mesh_corners(b, k, c[1]);
      mo_primitive p[2] = {mo_primitive_of_triangle(c[0][0], c[0][1], c[0][2]),
                           mo_primitive_of_triangle(c[1][0], c[1][1], c[1][2])};
      p[0].transform = *map_a;
      p[1].transform = *map_b;
      bool touches;
      cr_assert_eq(mo_primitive_overlap(&p[0], &p[1], &touches), MO_OK);
      ldvec w[2][3];
      for (int m = 0; m < 3; m++) {
        w[0][m] = image(map_a, c[0][m]);
        w[1][m] = image(map_b, c[1][m]);
      }
      check_answer(w[0], w[1], touches, certain);
      if (touches) {
        cr_assert_lt(expected_count, MAX);
        expected[expected_count++] = (mo_triangle_pair){i, k};
      }
    }
  }
}

static void check_pair(const mo_mesh *a, const mo_overlap_mesh_def *def) {
  const uint32_t count = expected_count, some = count / 2;
  uint32_t total;
  bool found;
  mo_query_stats stats = {0};
  cr_assert_eq(mo_mesh_overlap_mesh(a, def, got, MAX, &total, &stats), MO_OK);
  cr_assert_eq(total, count, "%u instead of %u", total, count);
  cr_assert(memcmp(got, expected, count * sizeof *got) == 0);
  cr_assert_geq(stats.pair_count, count);
  cr_assert_eq(mo_mesh_overlap_mesh(a, def, got, some, &total, NULL), MO_OK);
  cr_assert(total == count && memcmp(got, expected, some * sizeof *got) == 0);
  cr_assert_eq(mo_mesh_test_overlap_mesh(a, def, &found, NULL), MO_OK);
  cr_assert_eq(found, count > 0);
  taken_pairs all = {got, 0, MAX}, first = {got, 0, 1};
  cr_assert_eq(mo_mesh_visit_overlap_mesh(a, def, take_pair, &all, NULL), MO_OK);
  sort_pairs(&all);
  cr_assert(all.count == count && memcmp(got, expected, count * sizeof *got) == 0);
  cr_assert_eq(mo_mesh_visit_overlap_mesh(a, def, take_pair, &first, NULL), MO_OK);
  cr_assert_eq(first.count, count > 0);
}

/* Checks two meshes in some of their forms. Returns whether the maps were legal. */
static bool check_forms(const test_mesh meshes[2], const mesh_family families[2],
                        const mo_transform map[2], rng *r, uint64_t *certain) {
  mo_overlap_mesh_def first = mo_default_overlap_mesh_def();
  uint32_t total;
  first.other = families[1].meshes[0];
  first.transform = map[0];
  first.other_transform = map[1];
  const mo_result result =
      mo_mesh_overlap_mesh(families[0].meshes[0], &first, NULL, 0, &total, NULL);
  if (result != MO_OK) {
    cr_assert(result == MO_ERROR_OUT_OF_RANGE || result == MO_ERROR_NOT_FINITE);
    return false;
  }
  expect(&meshes[0], &map[0], &meshes[1], &map[1], certain);
  for (uint32_t i = 0; i < families[0].count; i++) {
    mo_overlap_mesh_def def = first;
    def.other = families[1].meshes[rng_below(r, families[1].count)];
    check_pair(families[0].meshes[i], &def);
  }
  return true;
}

Test(mesh_pair_overlap, all_kinds_under_all_maps) {
  rng r = rng_make(rng_seed("mesh_pair_overlap/all_kinds_under_all_maps", 4411));
  const uint64_t poses_of_kind = rng_few_rounds(RNG_TRANSFORM_KINDS, 60 * RNG_TRANSFORM_KINDS);
  uint64_t certain = 0, legal = 0, pairs = 0, poses = 0;
  for (uint32_t kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    test_mesh meshes[2];
    static mesh_family families[2];
    meshes[0] = test_mesh_make((test_mesh_kind)kind, 6 + rng_below(&r, 24), &r);
    const bool same_size = rng_chance(&r, 0.5);
    meshes[1] = test_mesh_make(same_size ? (test_mesh_kind)kind
                                         : (test_mesh_kind)rng_below(&r, TEST_MESH_KIND_COUNT),
                               6 + rng_below(&r, 24), &r);
    for (int s = 0; s < 2; s++) {
      mesh_family_build(&families[s], &meshes[s], false);
    }
    for (uint64_t round = 0; round < poses_of_kind; round++) {
      const bool same = rng_chance(&r, 0.3);
      const rng_transform_kind of_b = (rng_transform_kind)((kind + round) % RNG_TRANSFORM_KINDS);
      mo_transform map[2];
      map[0] = rng_transform(&r, same ? of_b : (rng_transform_kind)rng_below(&r, RNG_SHEAR + 1), 2);
      map[1] = rng_transform(&r, of_b, 2);
      if (meshes[0].triangle_count > 0 && meshes[1].triangle_count > 0) {
        bring_together(&meshes[0], &map[0], &meshes[1], &map[1], &r);
      }
      poses++;
      legal += check_forms(meshes, families, map, &r, &certain);
      pairs += expected_count;
    }
    for (int s = 0; s < 2; s++) {
      cr_assert(mesh_family_free(&families[s]));
      test_mesh_free(&meshes[s]);
    }
  }
  fprintf(stderr, "%llu of %llu poses, %llu pairs touch, %llu answers certain\n",
          (unsigned long long)legal, (unsigned long long)poses, (unsigned long long)pairs,
          (unsigned long long)certain);
  cr_assert(2 * legal > poses && RNG_TRANSFORM_KINDS * pairs > 1000 * poses_of_kind &&
            RNG_TRANSFORM_KINDS * certain > 10000 * poses_of_kind);
}

/* A closed surface against a copy of itself moved along a little: every triangle is near others. */
Test(mesh_pair_overlap, copies_side_by_side) {
  rng r = rng_make(rng_seed("mesh_pair_overlap/copies_side_by_side", 4412));
  static const test_mesh_kind kinds[] = {TEST_MESH_TORUS, TEST_MESH_IRREGULAR, TEST_MESH_LATTICE,
                                         TEST_MESH_LONG_THIN, TEST_MESH_OFFSET};
  uint64_t certain = 0, pairs = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    test_mesh meshes[2];
    static mesh_family families[2];
    meshes[0] = meshes[1] = test_mesh_make(kinds[i], 200, &r);
    for (int s = 0; s < 2; s++) {
      mesh_family_build(&families[s], &meshes[s], false);
    }
    for (uint64_t round = 0; round < rng_few_rounds(1, 30); round++) {
      mo_transform map[2] = {mo_transform_identity(), mo_transform_identity()};
      map[1].origin = rng_vec3(&r, -0.5f, 0.5f);
      cr_assert(check_forms(meshes, families, map, &r, &certain));
      pairs += expected_count;
    }
    for (int s = 0; s < 2; s++) {
      cr_assert(mesh_family_free(&families[s]));
    }
    test_mesh_free(&meshes[0]);
  }
  cr_assert(pairs > 500 && certain > 500);
}

/* Entries of the map from one mesh's space to that of the other are below the range of floats, or
 * subnormal, while the coordinates that they multiply are large. */
Test(mesh_pair_overlap, maps_below_the_range_of_floats) {
  rng r = rng_make(rng_seed("mesh_pair_overlap/maps_below_the_range_of_floats", 4414));
  uint64_t certain = 0, pairs = 0;
  for (int power = 60; power <= 96; power += 4) {
    const float up = ldexpf(1.0f, power), down = ldexpf(1.0f, -power);
    test_mesh meshes[2];
    static mesh_family families[2];
    for (int s = 0; s < 2; s++) {
      meshes[s] = test_mesh_make(TEST_MESH_TORUS, 60, &r);
      for (uint32_t i = 0; i < meshes[s].vertex_count; i++) {
        mo_vec3 *v = &meshes[s].positions[i];
        *v = s == 0 ? (mo_vec3){up * v->x, v->y, v->z} : (mo_vec3){up * v->x, up * v->y, up * v->z};
      }
      mesh_family_build(&families[s], &meshes[s], false);
    }
    for (int round = 0; round < 4; round++) {
      mo_transform map[2] = {mo_transform_identity(), mo_transform_identity()};
      map[0].x_axis.x = map[1].x_axis.x = map[1].y_axis.y = map[1].z_axis.z = down;
      map[1].origin = rng_vec3(&r, -1.5f, 1.5f);
      cr_assert(check_forms(meshes, families, map, &r, &certain));
      pairs += expected_count;
    }
    for (int s = 0; s < 2; s++) {
      cr_assert(mesh_family_free(&families[s]));
      test_mesh_free(&meshes[s]);
    }
  }
  cr_assert_gt(pairs, 100);
}

/* Which mesh comes first makes no difference, and two squares that cross do so in a known way. */
Test(mesh_pair_overlap, known_answers) {
  mo_mesh *square = test_mesh_build_square(-1, 1);
  mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
  def.other = square;
  bool found = false;
  uint32_t total = 9;
  cr_assert_eq(mo_mesh_overlap_mesh(square, &def, got, MAX, &total, NULL), MO_OK);
  cr_assert_eq(total, 4, "coplanar, each triangle with itself and its neighbour: %u", total);
  def.other_transform.origin.z = 1e-3f;
  cr_assert_eq(mo_mesh_test_overlap_mesh(square, &def, &found, NULL), MO_OK);
  cr_assert(!found);
  def.other_transform.z_axis = (mo_vec3){0, 0, 0}; /* flat anyway */
  def.other_transform.origin.z = 0;
  cr_assert_eq(mo_mesh_test_overlap_mesh(square, &def, &found, NULL), MO_OK);
  cr_assert(found);
  /* upright, and mirrored to be so: it crosses the other one along the x axis */
  def.other_transform.y_axis = (mo_vec3){0, 0, 1};
  for (int sign = -1; sign <= 1; sign += 2) {
    def.other_transform.x_axis.x = (float)sign;
    cr_assert_eq(mo_mesh_overlap_mesh(square, &def, got, MAX, &total, NULL), MO_OK);
    cr_assert_eq(total, 4);
  }
  def.other_transform.origin.z = 1.001f;
  cr_assert_eq(mo_mesh_overlap_mesh(square, &def, got, MAX, &total, NULL), MO_OK);
  cr_assert_eq(total, 0);
  mo_mesh_release(square);
}

static void check_together(const test_mesh meshes[2], const mesh_family families[2], mo_vec3 extent,
                           rng *r, void *certain) {
  (void)extent;
  for (uint64_t round = 0; round < rng_few_rounds(2, 20); round++) {
    mo_transform map[2] = {mo_transform_identity(),
                           rng_transform(r, (rng_transform_kind)rng_below(r, RNG_MIRROR + 1), 1)};
    bring_together(&meshes[0], &map[0], &meshes[1], &map[1], r);
    check_forms(meshes, families, map, r, certain);
  }
}

/* Real meshes with a torus, by the loop over all pairs: in the long suite. */
Test(mesh_pair_overlap, real_meshes) {
  rng r = rng_make(rng_seed("mesh_pair_overlap/real_meshes", 4413));
  uint64_t certain = 0;
  with_real_meshes(rng_rounds(3, 24), 100, false, &r, check_together, &certain);
}
