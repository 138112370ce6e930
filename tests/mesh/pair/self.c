/* Triangles of one mesh that intersect: the same as from a loop over all pairs by the documented
 * rule, for every builder, format and instruction set; and what separating axes say in long double
 * of triangles without their common corners. */
#include <criterion/criterion.h>
#include <motte/geometry.h>
#include <motte/overlap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/pair/two_meshes.h"
#include "oracle/exact.h"
#include "support/families.h"
#include "support/mesh_files.h"

enum { MAX = 200000 };

static mo_triangle_pair expected[MAX], got[MAX];
static uint32_t expected_count;

static bool is_same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool touch(const mo_vec3 a[3], const mo_vec3 b[3]) {
  const mo_primitive p = mo_primitive_of_triangle(a[0], a[1], a[2]),
                     q = mo_primitive_of_triangle(b[0], b[1], b[2]);
  bool touches;
  cr_assert_eq(mo_primitive_overlap(&p, &q, &touches), MO_OK);
  return touches;
}

/* Splits the corners of a triangle into those that are also corners of another one, each position
 * once, and the others. Returns the number of the former. */
static int split(const mo_vec3 own[3], const mo_vec3 other[3], mo_vec3 common[3], mo_vec3 rest[3],
                 int *rest_count) {
  int count = 0;
  *rest_count = 0;
  for (int i = 0; i < 3; i++) {
    bool shared = false, again = false;
    for (int k = 0; k < 3; k++) {
      shared = shared || is_same(own[i], other[k]);
      again = again || (k < i && is_same(own[i], own[k]));
    }
    if (!shared) {
      rest[(*rest_count)++] = own[i];
    } else if (!again) {
      common[count++] = own[i];
    }
  }
  return count;
}

static ldvec wide(mo_vec3 p) {
  return (ldvec){p.x, p.y, p.z};
}

/* The documented rule. */
static bool intersects(const mo_vec3 a[3], const mo_vec3 b[3]) {
  mo_vec3 common[2][3], rest[2][3];
  int rest_count[2];
  const int count = split(a, b, common[0], rest[0], &rest_count[0]);
  cr_assert_eq(split(b, a, common[1], rest[1], &rest_count[1]), count);
  if (count == 0) {
    return touch(a, b);
  }
  if (count == 1) {
    bool any = false;
    for (int s = 0; s < 2; s++) {
      const mo_vec3 *r = rest[s], *own = s == 0 ? a : b, *other = s == 0 ? b : a;
      const bool flat = exact_is_degenerate(own);
      any = any || (rest_count[s] == 2 && !flat && touch((mo_vec3[]){r[0], r[1], r[0]}, other));
      for (int i = 0; i < rest_count[s] && (flat || rest_count[s] == 1); i++) {
        any = any || touch((mo_vec3[]){r[i], r[i], r[i]}, other);
      }
    }
    return any;
  }
  if (count == 2) {
    if (exact_is_degenerate(a) || exact_is_degenerate(b)) {
      return false;
    }
    const ldvec v = wide(common[0][0]), way = minus(wide(common[0][1]), v);
    const ldvec n = cross(way, minus(wide(rest[0][0]), v)),
                m = cross(way, minus(wide(rest[1][0]), v));
    return exact_orientation((mo_vec3[]){common[0][0], common[0][1], rest[0][0], rest[1][0]}) ==
               0 &&
           dot(n, m) > 0;
  }
  return true;
}

/* Whether a corner of a triangle is as near as that to the line through its other corners. */
static bool is_low(ldvec v, const mo_vec3 rest[2], ldouble limit) {
  const ldvec a = wide(rest[0]), way = minus(wide(rest[1]), a), n = cross(way, minus(v, a));
  return dot(n, n) <= limit * limit * dot(way, way);
}

/* A second opinion: what separating axes say of a triangle without what is near its common corners
 * with another one, and that. */
static void check_answer(const mo_vec3 a[3], const mo_vec3 b[3], bool answer, uint64_t *certain) {
  mo_vec3 common[3], rest[3];
  ldvec piece[2][3], w[3] = {wide(b[0]), wide(b[1]), wide(b[2])};
  int rest_count;
  const int count = split(a, b, common, rest, &rest_count);
  mo_vec3 again[3], others[3];
  int others_count;
  split(b, a, again, others, &others_count);
  const ldouble part = 0x1p-10L;
  if (count == 1 && rest_count == 2) {
    const ldvec v = wide(common[0]), p = wide(rest[0]), q = wide(rest[1]),
                near_p = {v.x + part * (p.x - v.x), v.y + part * (p.y - v.y),
                          v.z + part * (p.z - v.z)},
                near_q = {v.x + part * (q.x - v.x), v.y + part * (q.y - v.y),
                          v.z + part * (q.z - v.z)};
    const ldvec to_p = minus(p, v), to_q = minus(q, v);
    if (others_count < 2 ||
        is_low(v, others, 4 * part * sqrtl(fmaxl(dot(to_p, to_p), dot(to_q, to_q))))) {
      return; /* they may intersect in the part that is left out */
    }
    const ldvec first[3] = {near_p, p, q}, second[3] = {near_p, q, near_q};
    memcpy(piece[0], first, sizeof first);
    memcpy(piece[1], second, sizeof second);
  } else if (count == 2 && rest_count == 1 && others_count == 1) {
    const ldvec p = wide(rest[0]), to_p = minus(p, wide(common[0]));
    if (is_low(wide(others[0]), common, 4 * part * sqrtl(dot(to_p, to_p)))) {
      return;
    }
    for (int i = 0; i < 3; i++) {
      const ldvec v = i < 2 ? wide(common[i]) : p;
      piece[0][i] = piece[1][i] =
          (ldvec){v.x + part * (p.x - v.x), v.y + part * (p.y - v.y), v.z + part * (p.z - v.z)};
    }
  } else {
    return;
  }
  bool decides[2];
  const ldouble gap[2] = {gap_between(piece[0], w, &decides[0]),
                          gap_between(piece[1], w, &decides[1])},
                tolerance = fmaxl(tolerance_of(piece[0], w), tolerance_of(piece[1], w));
  if (gap[0] > tolerance && gap[1] > tolerance) {
    cr_assert(!answer, "apart by %Lg, %Lg", gap[0], gap[1]);
    ++*certain;
  } else if ((decides[0] && gap[0] < -tolerance) || (decides[1] && gap[1] < -tolerance)) {
    cr_assert(answer, "overlap by %Lg, %Lg", -gap[0], -gap[1]);
    ++*certain;
  }
}

static void expect(const test_mesh *mesh, uint64_t *certain) {
  expected_count = 0;
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    for (uint32_t k = i + 1; k < mesh->triangle_count; k++) {
      mo_vec3 a[3], b[3];
      test_mesh_corners(mesh, i, a);
      test_mesh_corners(mesh, k, b);
      const bool answer = intersects(a, b);
      check_answer(a, b, answer, certain);
      check_answer(b, a, answer, certain);
      if (answer) {
        cr_assert_lt(expected_count, MAX);
        expected[expected_count++] = (mo_triangle_pair){i, k};
      }
    }
  }
}

static void check_visits(const mo_mesh *mesh) {
  taken_pairs all = {got, 0, MAX}, first = {got, 0, 1};
  cr_assert_eq(mo_mesh_visit_overlap_self(mesh, take_pair, &all, NULL), MO_OK);
  sort_pairs(&all);
  cr_assert(all.count == expected_count && memcmp(got, expected, all.count * sizeof *got) == 0);
  cr_assert_eq(mo_mesh_visit_overlap_self(mesh, take_pair, &first, NULL), MO_OK);
  cr_assert_eq(first.count, expected_count > 0);
}

static void check_mesh(const test_mesh *mesh, uint64_t *certain) {
  static mesh_family family;
  mesh_family_build(&family, mesh, false);
  expect(mesh, certain);
  for (uint32_t i = 0; i < family.count; i++) {
    uint32_t total;
    bool found;
    mo_query_stats stats = {0};
    const uint32_t some = expected_count / 2;
    cr_assert_eq(mo_mesh_overlap_self(family.meshes[i], got, MAX, &total, &stats), MO_OK);
    cr_assert_eq(total, expected_count, "%s %s: %u instead of %u", mesh->name, family.names[i],
                 total, expected_count);
    cr_assert(memcmp(got, expected, total * sizeof *got) == 0);
    cr_assert_geq(stats.pair_count, total);
    cr_assert_eq(mo_mesh_overlap_self(family.meshes[i], got, some, &total, NULL), MO_OK);
    cr_assert(total == expected_count && memcmp(got, expected, some * sizeof *got) == 0);
    cr_assert_eq(mo_mesh_test_overlap_self(family.meshes[i], &found, NULL), MO_OK);
    cr_assert_eq(found, total > 0);
    check_visits(family.meshes[i]);
  }
  cr_assert(mesh_family_free(&family));
}

Test(mesh_pair_self, all_kinds) {
  rng r = rng_make(rng_seed("mesh_pair_self/all_kinds", 3521));
  const uint32_t max = (uint32_t)rng_few_rounds(200, 200); /* triangles */
  uint64_t certain = 0, pairs = 0;
  for (uint64_t round = 0; round < rng_rounds(1, 20); round++) {
    for (uint32_t kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
      test_mesh mesh = test_mesh_make((test_mesh_kind)kind, 10 + rng_below(&r, max - 10), &r);
      check_mesh(&mesh, &certain);
      pairs += expected_count;
      test_mesh_free(&mesh);
    }
  }
  fprintf(stderr, "%llu pairs, %llu answers certain\n", (unsigned long long)pairs,
          (unsigned long long)certain);
  cr_assert(2 * pairs > 3 * max && certain > 25 * max);
}

/* Closed surfaces whose vertices have been moved by little or much. */
Test(mesh_pair_self, crumpled_surfaces) {
  rng r = rng_make(rng_seed("mesh_pair_self/crumpled_surfaces", 3522));
  static const test_mesh_kind kinds[] = {TEST_MESH_TORUS, TEST_MESH_LATTICE, TEST_MESH_FLAT};
  uint64_t certain = 0, pairs = 0;
  for (uint64_t round = 0; round < rng_few_rounds(2, 20); round++) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      test_mesh mesh = test_mesh_make(kinds[i], 120, &r);
      for (uint32_t v = 0; v < mesh.vertex_count / 8; v++) {
        mo_vec3 *p = &mesh.positions[rng_below(&r, mesh.vertex_count)];
        const mo_vec3 q = mesh.positions[rng_below(&r, mesh.vertex_count)];
        const float t =
            rng_chance(&r, 0.5) ? 0.5f : 0.0625f; /* exact, so that planes stay planes */
        *p = (mo_vec3){p->x + t * (q.x - p->x), p->y + t * (q.y - p->y), p->z + t * (q.z - p->z)};
      }
      check_mesh(&mesh, &certain);
      pairs += expected_count;
      test_mesh_free(&mesh);
    }
  }
  cr_assert(pairs > 100 && certain > 1000);
}

static uint32_t count_pairs(const float *positions, uint32_t vertex_count, const uint32_t *indices,
                            uint32_t triangle_count) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.vertex_count = vertex_count;
  def.indices = indices;
  def.triangle_count = triangle_count;
  mo_mesh *mesh = NULL;
  uint32_t total = UINT32_MAX;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  cr_assert_eq(mo_mesh_overlap_self(mesh, NULL, 0, &total, NULL), MO_OK);
  mo_mesh_release(mesh);
  return total;
}

Test(mesh_pair_self, known_answers) {
  static const uint32_t two[] = {0, 1, 2, 0, 3, 1}, apart[] = {0, 1, 2, 3, 4, 5};
  /* an edge in common: flat, folded by a right angle, folded onto each other, nearly so */
  static const float flat[] = {0, 0, 0, 4, 0, 0, 1, 3, 0, 2, -3, 0},
                     bent[] = {0, 0, 0, 4, 0, 0, 1, 3, 0, 2, 0, 3},
                     folded[] = {0, 0, 0, 4, 0, 0, 1, 3, 0, 3, 3, 0},
                     nearly[] = {0, 0, 0, 4, 0, 0, 1, 3, 0, 3, 3, 0x1p-20f},
                     segment[] = {0, 0, 0, 4, 0, 0, 1, 3, 0, 6, 0, 0};
  cr_assert_eq(count_pairs(flat, 4, two, 2), 0);
  cr_assert_eq(count_pairs(bent, 4, two, 2), 0);
  cr_assert_eq(count_pairs(folded, 4, two, 2), 1);
  cr_assert_eq(count_pairs(nearly, 4, two, 2), 0);
  cr_assert_eq(count_pairs(segment, 4, two, 2), 0);
  /* a corner in common, by another vertex: side by side in one plane, beside, through, over */
  static const float beside[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0, -4, 0, 0, 0, -4, 0},
                     upright[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0, -1, -1, 2, -1, -1, -2},
                     through[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0, 1, 1, 2, 1, 1, -2},
                     over[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0, 1, 1, 0, 8, 1, 0};
  cr_assert_eq(count_pairs(beside, 6, apart, 2), 0);
  cr_assert_eq(count_pairs(upright, 6, apart, 2), 0);
  cr_assert_eq(count_pairs(through, 6, apart, 2), 1);
  cr_assert_eq(count_pairs(over, 6, apart, 2), 1);
  /* no corner in common: a corner of one on the other; and one triangle twice */
  static const float on[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 0, 1, 1, 5, 2, 1, 5};
  static const uint32_t twice[] = {0, 1, 2, 1, 2, 0};
  cr_assert_eq(count_pairs(on, 6, apart, 2), 1);
  cr_assert_eq(count_pairs(flat, 4, twice, 2), 1);
}

/* Real meshes, by the loop over all pairs. */
Test(mesh_pair_self, real_meshes) {
  char *paths[64];
  const uint32_t count = mesh_files_find(paths, 64);
  uint64_t certain = 0;
  for (uint32_t i = 0; i < count && i < rng_rounds(3, 24); i++) {
    test_mesh mesh;
    if (mesh_file_read(paths[i], &mesh) && mesh.triangle_count < rng_rounds(600, 3000)) {
      check_mesh(&mesh, &certain);
    }
    test_mesh_free(&mesh);
  }
  for (uint32_t i = 0; i < count; i++) {
    free(paths[i]);
  }
}
