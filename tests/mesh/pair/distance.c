/* The closest points of two meshes: the same pair of triangles and distance as from a loop over all
 * pairs with mo_primitive_find_distance, for every builder, format and instruction set, under maps
 * of every kind; and the distance that edges and corners have in long double. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <motte/distance.h>
#include <motte/geometry.h>
#include <motte/overlap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/pair/two_meshes.h"
#include "support/families.h"
#include "support/mesh_files.h"

/* The closest pair by the loop. */
typedef struct closest_pair {
  uint32_t triangle[2]; /* MO_NO_TRIANGLE: none within the limit */
  float distance;
  mo_primitive_distance found;
} closest_pair;

static mo_primitive primitive_of(const test_mesh *mesh, uint32_t triangle,
                                 const mo_transform *map) {
  mo_vec3 c[3];
  test_mesh_corners(mesh, triangle, c);
  mo_primitive p = mo_primitive_of_triangle(c[0], c[1], c[2]);
  p.transform = *map;
  return p;
}

static closest_pair expect(const test_mesh meshes[2], const mo_transform map[2]) {
  closest_pair best = {.triangle = {MO_NO_TRIANGLE, MO_NO_TRIANGLE}, .distance = INFINITY};
  for (uint32_t i = 0; i < meshes[0].triangle_count; i++) {
    for (uint32_t k = 0; k < meshes[1].triangle_count; k++) {
      const mo_primitive a = primitive_of(&meshes[0], i, &map[0]),
                         b = primitive_of(&meshes[1], k, &map[1]);
      mo_primitive_distance d;
      cr_assert_eq(mo_primitive_find_distance(&a, &b, INFINITY, &d), MO_OK);
      float distance = (float)d.distance;
      distance = distance == 0 && d.distance > 0 ? FLT_TRUE_MIN : distance;
      if (best.triangle[0] == MO_NO_TRIANGLE || distance < best.distance) {
        best = (closest_pair){{i, k}, distance, d};
      }
    }
  }
  return best;
}

static ldouble at_most_one(ldouble t) {
  return t < 0 ? 0 : t > 1 ? 1 : t;
}

static ldvec along(ldvec from, ldvec way, ldouble t) {
  return (ldvec){from.x + t * way.x, from.y + t * way.y, from.z + t * way.z};
}

static ldouble point_to_segment(ldvec p, ldvec a, ldvec b) {
  const ldvec way = minus(b, a);
  const ldouble square = dot(way, way);
  const ldvec q = along(a, way, square > 0 ? at_most_one(dot(minus(p, a), way) / square) : 0);
  return sqrtl(dot(minus(p, q), minus(p, q)));
}

static ldouble segments(ldvec a, ldvec b, ldvec c, ldvec d) {
  ldouble min = fminl(fminl(point_to_segment(a, c, d), point_to_segment(b, c, d)),
                      fminl(point_to_segment(c, a, b), point_to_segment(d, a, b)));
  const ldvec u = minus(b, a), v = minus(d, c), r = minus(c, a), n = cross(u, v);
  const ldouble square = dot(n, n);
  if (square > 0) {
    const ldouble s = dot(cross(r, v), n) / square, t = dot(cross(r, u), n) / square;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
      const ldvec gap = minus(along(a, u, s), along(c, v, t));
      min = fminl(min, sqrtl(dot(gap, gap)));
    }
  }
  return min;
}

static bool projects_inside(ldvec p, const ldvec c[3], ldvec n) {
  for (int i = 0; i < 3; i++) {
    if (dot(cross(minus(c[(i + 1) % 3], c[i]), minus(p, c[i])), n) < 0) {
      return false;
    }
  }
  return dot(n, n) > 0;
}

/* The distance of two triangles that do not intersect; more if they do. */
static ldouble triangles(const ldvec a[3], const ldvec b[3]) {
  ldouble min = INFINITY;
  const ldvec *c[2] = {a, b};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      min = fminl(min, segments(a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3]));
    }
  }
  for (int s = 0; s < 2; s++) {
    const ldvec n = cross(minus(c[s][1], c[s][0]), minus(c[s][2], c[s][0]));
    for (int i = 0; i < 3; i++) {
      const ldvec p = c[s ^ 1][i];
      if (projects_inside(p, c[s], n)) {
        min = fminl(min, fabsl(dot(minus(p, c[s][0]), n)) / sqrtl(dot(n, n)));
      }
    }
  }
  return min;
}

/* How far apart the boxes around two triangles are, which is at most the distance of the triangles.
 */
static ldouble boxes(const ldvec a[3], const ldvec b[3]) {
  static const ldvec axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  ldouble square = 0;
  for (int i = 0; i < 3; i++) {
    const ldouble gap = fmaxl(min_along(b, axes[i]) - max_along(a, axes[i]),
                              min_along(a, axes[i]) - max_along(b, axes[i]));
    square += gap > 0 ? gap * gap : 0;
  }
  return sqrtl(square);
}

/* A second opinion on a distance that is not 0: no pair is closer, and the pair is as far. */
static void check_distance(const test_mesh meshes[2], const mo_transform map[2],
                           const closest_pair *pair) {
  ldouble size = 0, min = INFINITY;
  ldvec(*corners[2])[3];
  for (int s = 0; s < 2; s++) {
    corners[s] = malloc(meshes[s].triangle_count * sizeof *corners[s]);
    for (uint32_t i = 0; i < meshes[s].triangle_count; i++) {
      mo_vec3 c[3];
      test_mesh_corners(&meshes[s], i, c);
      for (int k = 0; k < 3; k++) {
        const ldvec p = corners[s][i][k] = image(&map[s], c[k]);
        size = fmaxl(size, sqrtl(dot(p, p)));
      }
    }
  }
  for (uint32_t i = 0; i < meshes[0].triangle_count; i++) {
    for (uint32_t k = 0; k < meshes[1].triangle_count; k++) {
      if (boxes(corners[0][i], corners[1][k]) < min) {
        min = fminl(min, triangles(corners[0][i], corners[1][k]));
      }
    }
  }
  free(corners[0]);
  free(corners[1]);
  cr_assert(fabsl(min - pair->distance) <= 1e-6L * min + 1e-7L * size, "%Lg, not %g", min,
            (double)pair->distance);
}

static ldvec point_of(const test_mesh *mesh, const mo_transform *map, const mo_closest_hit *hit) {
  mo_vec3 c[3];
  test_mesh_corners(mesh, hit->triangle, c);
  const ldvec a = image(map, c[0]), b = image(map, c[1]), d = image(map, c[2]);
  return along(along(a, minus(b, a), hit->u), minus(d, a), hit->v);
}

/* The points lie on their triangles, where weights and feature say, and as far apart as that. */
static void check_hits(const test_mesh meshes[2], const mo_transform map[2],
                       const mo_closest_hit hits[2]) {
  ldouble far = 0;
  for (int i = 0; i < 6; i++) {
    mo_vec3 c[3];
    test_mesh_corners(&meshes[i / 3], hits[i / 3].triangle, c);
    const ldvec p = image(&map[i / 3], c[i % 3]);
    far = fmaxl(far, sqrtl(dot(p, p)));
  }
  for (int s = 0; s < 2; s++) {
    const mo_closest_hit *h = &hits[s], *o = &hits[s ^ 1];
    cr_assert(memcmp(&h->point, &o->from, sizeof h->point) == 0 && h->distance == o->distance);
    cr_assert(h->normal.x == -o->normal.x && h->normal.y == -o->normal.y &&
              h->normal.z == -o->normal.z);
    const ldvec p = point_of(&meshes[s], &map[s], h), q = {h->point.x, h->point.y, h->point.z};
    const ldvec off = minus(p, q);
    cr_assert_leq(sqrtl(dot(off, off)), 1e-6L * far + 1e-43L);
    const int used = (h->u > 0) + (h->v > 0) + (h->u + h->v < 1);
    cr_assert(h->feature == MO_FEATURE_FACE || used < 3);
    cr_assert(h->shape.index == 0 && h->user_data == 0 && h->triangle_user_data == 0);
  }
}

static bool is_same(const mo_closest_hit *a, const mo_closest_hit *b) {
  return a->found == b->found && a->triangle == b->triangle && a->distance == b->distance &&
         memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
         memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && a->u == b->u && a->v == b->v &&
         a->feature == b->feature && a->feature_index == b->feature_index;
}

static void check_pair(const test_mesh meshes[2], const mo_mesh *mesh,
                       const mo_distance_mesh_def *def, const closest_pair *best) {
  mo_closest_hit hits[2], again[2];
  const mo_transform map[2] = {def->transform, def->other_transform};
  const bool found = best->triangle[0] != MO_NO_TRIANGLE && best->distance <= def->max_distance;
  memset(hits, 0x55, sizeof hits);
  cr_assert_eq(mo_mesh_find_closest_mesh(mesh, def, hits, NULL), MO_OK);
  for (int s = 0; s < 2; s++) {
    cr_assert_eq(hits[s].found, found);
    cr_assert_eq(hits[s].triangle, found ? best->triangle[s] : MO_NO_TRIANGLE,
                 "%u, not %u at %a, %a", hits[s].triangle, best->triangle[s],
                 (double)hits[s].distance, (double)best->distance);
  }
  bool within = !found;
  cr_assert_eq(mo_mesh_test_within_mesh(mesh, def, &within, NULL), MO_OK);
  cr_assert_eq(within, found, "%a, within %a", (double)best->distance, (double)def->max_distance);
  if (!found) {
    return;
  }
  const mo_vec3 p = best->found.point_a, q = best->found.point_b;
  cr_assert_eq(hits[0].distance, best->distance);
  cr_assert(memcmp(&hits[0].point, &p, sizeof p) == 0 && memcmp(&hits[1].point, &q, sizeof q) == 0);
  check_hits(meshes, map, hits);
  /* with a pair to start from, which is the best, or any */
  mo_distance_mesh_def started = *def;
  mo_closest_hit start[2] = {hits[0], hits[1]};
  started.start = start;
  for (uint32_t i = 0; i < 3; i++) {
    cr_assert_eq(mo_mesh_find_closest_mesh(mesh, &started, again, NULL), MO_OK);
    cr_assert(is_same(&again[0], &hits[0]) && is_same(&again[1], &hits[1]));
    start[0].triangle = i == 1 ? UINT32_MAX - 1 : start[0].triangle / 2;
    start[1].triangle = start[1].triangle / 3;
  }
}

/* Checks two meshes in some of their forms. Returns whether the maps were legal. */
static bool check_forms(const test_mesh meshes[2], const mesh_family families[2],
                        const mo_transform map[2], rng *r, closest_pair *best) {
  mo_distance_mesh_def first = mo_default_distance_mesh_def();
  mo_closest_hit hits[2];
  first.other = families[1].meshes[0];
  first.transform = map[0];
  first.other_transform = map[1];
  const mo_result result = mo_mesh_find_closest_mesh(families[0].meshes[0], &first, hits, NULL);
  if (result != MO_OK) {
    cr_assert(result == MO_ERROR_OUT_OF_RANGE || result == MO_ERROR_NOT_FINITE);
    return false;
  }
  *best = expect(meshes, map);
  if (best->distance > 0 && best->triangle[0] != MO_NO_TRIANGLE) {
    check_distance(meshes, map, best);
  }
  for (uint32_t i = 0; i < families[0].count; i++) {
    mo_distance_mesh_def def = first;
    def.other = families[1].meshes[rng_below(r, families[1].count)];
    check_pair(meshes, families[0].meshes[i], &def, best);
    if (best->triangle[0] != MO_NO_TRIANGLE) {
      def.max_distance = best->distance;
      check_pair(meshes, families[0].meshes[i], &def, best);
      if (best->distance > 0) {
        def.max_distance = nextafterf(best->distance, 0);
        check_pair(meshes, families[0].meshes[i], &def, best);
      }
    }
  }
  return true;
}

Test(mesh_pair_distance, all_kinds_under_all_maps) {
  rng r = rng_make(rng_seed("mesh_pair_distance/all_kinds_under_all_maps", 3511));
  const uint64_t poses_of_kind = rng_few_rounds(RNG_TRANSFORM_KINDS, 6 * RNG_TRANSFORM_KINDS);
  uint64_t legal = 0, touching = 0, poses = 0;
  for (uint32_t kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    test_mesh meshes[2];
    static mesh_family families[2];
    meshes[0] = test_mesh_make((test_mesh_kind)kind, 6 + rng_below(&r, 16), &r);
    const bool same_size = rng_chance(&r, 0.5);
    meshes[1] = test_mesh_make(same_size ? (test_mesh_kind)kind
                                         : (test_mesh_kind)rng_below(&r, TEST_MESH_KIND_COUNT),
                               6 + rng_below(&r, 16), &r);
    for (int s = 0; s < 2; s++) {
      mesh_family_build(&families[s], &meshes[s], false);
    }
    for (uint64_t round = 0; round < poses_of_kind; round++) {
      const bool same = rng_chance(&r, 0.3);
      const rng_transform_kind of_b = (rng_transform_kind)((kind + round) % RNG_TRANSFORM_KINDS);
      mo_transform map[2];
      closest_pair best = {.distance = INFINITY};
      map[0] = rng_transform(&r, same ? of_b : (rng_transform_kind)rng_below(&r, RNG_SHEAR + 1), 2);
      map[1] = rng_transform(&r, of_b, 2);
      if (meshes[0].triangle_count > 0 && meshes[1].triangle_count > 0 && rng_chance(&r, 0.3)) {
        bring_together(&meshes[0], &map[0], &meshes[1], &map[1], &r);
      }
      poses++;
      legal += check_forms(meshes, families, map, &r, &best);
      touching += best.distance == 0;
    }
    for (int s = 0; s < 2; s++) {
      cr_assert(mesh_family_free(&families[s]));
      test_mesh_free(&meshes[s]);
    }
  }
  fprintf(stderr, "%llu of %llu poses, %llu touch\n", (unsigned long long)legal,
          (unsigned long long)poses, (unsigned long long)touching);
  cr_assert(2 * legal > poses && 20 * touching > legal && 10 * touching < 9 * legal);
}

/* Closed surfaces side by side, of which many pairs are about as close, also by symmetry. */
Test(mesh_pair_distance, copies_side_by_side) {
  rng r = rng_make(rng_seed("mesh_pair_distance/copies_side_by_side", 3512));
  static const test_mesh_kind kinds[] = {TEST_MESH_TORUS, TEST_MESH_BOX, TEST_MESH_LATTICE,
                                         TEST_MESH_SHEETS, TEST_MESH_OFFSET};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    test_mesh meshes[2];
    static mesh_family families[2];
    meshes[0] = meshes[1] = test_mesh_make(kinds[i], 100, &r);
    for (int s = 0; s < 2; s++) {
      mesh_family_build(&families[s], &meshes[s], false);
    }
    const mo_aabb box = test_mesh_bounds(&meshes[0]);
    for (uint64_t round = 0; round < rng_few_rounds(2, 8); round++) {
      mo_transform map[2] = {mo_transform_identity(), mo_transform_identity()};
      map[1].origin.x = rng_float(&r, 1, 2) * (box.upper.x - box.lower.x);
      map[1].origin.y = rng_chance(&r, 0.5) ? 0 : rng_float(&r, -1, 1);
      closest_pair best;
      cr_assert(check_forms(meshes, families, map, &r, &best));
      cr_assert_gt(best.distance, 0);
    }
    for (int s = 0; s < 2; s++) {
      cr_assert(mesh_family_free(&families[s]));
    }
    test_mesh_free(&meshes[0]);
  }
}

static float distance_between(const mo_mesh *mesh, const mo_distance_mesh_def *def) {
  mo_closest_hit hits[2];
  cr_assert_eq(mo_mesh_find_closest_mesh(mesh, def, hits, NULL), MO_OK);
  return hits[0].found ? hits[0].distance : INFINITY;
}

Test(mesh_pair_distance, known_answers) {
  mo_mesh *square = test_mesh_build_square(-1, 1);
  mo_distance_mesh_def def = mo_default_distance_mesh_def();
  def.other = square;
  cr_assert_eq(distance_between(square, &def), 0);
  def.other_transform.origin.z = 3;
  cr_assert_eq(distance_between(square, &def), 3);
  def.max_distance = 2.9f;
  cr_assert_eq(distance_between(square, &def), INFINITY);
  def.max_distance = 3;
  cr_assert_eq(distance_between(square, &def), 3);
  def.max_distance = INFINITY;
  def.other_transform.origin.x = 6; /* edges are 4 apart along x */
  cr_assert_eq(distance_between(square, &def), 5);
  def.transform.y_axis = (mo_vec3){0, 0, 0}; /* flattened to a segment */
  cr_assert_eq(distance_between(square, &def), 5);
  def.transform.x_axis = (mo_vec3){0, 0, 0}; /* to a point: 5 from the edge along x */
  def.other_transform.origin.y = 13;         /* and 12 along y */
  cr_assert_eq(distance_between(square, &def), sqrtf(25 + 9 + 144));
  mo_mesh_release(square);
}

/* Of the many pairs of two meshes that are far from touching, few are tested. */
Test(mesh_pair_distance, few_pairs_are_tested) {
  rng r = rng_make(rng_seed("mesh_pair_distance/few_pairs_are_tested", 3513));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 20000, &r);
  static mesh_family family;
  mesh_family_build(&family, &mesh, true);
  mo_distance_mesh_def def = mo_default_distance_mesh_def();
  def.other = family.meshes[0];
  /* At the greater distance, sizes of nodes are below the precision of floats. */
  static const float distances[] = {12, 1e5f};
  const uint32_t rounds = (uint32_t)rng_few_rounds(50, 50);
  for (int far = 0; far < 2; far++) {
    mo_query_stats stats = {0};
    for (uint32_t i = 0; i < rounds; i++) {
      def.other_transform = rng_transform(&r, RNG_RIGID, 1);
      def.other_transform.origin.x += distances[far];
      mo_closest_hit hits[2];
      cr_assert_eq(mo_mesh_find_closest_mesh(family.meshes[0], &def, hits, &stats), MO_OK);
      cr_assert(hits[0].found && hits[0].distance > 0);
    }
    fprintf(stderr, "%g apart: %.1f pairs, %.1f nodes\n", (double)distances[far],
            (double)stats.pair_count / rounds, (double)stats.mesh_node_count / rounds);
    cr_assert_lt(stats.pair_count, 40 * rounds);
    cr_assert_lt(stats.mesh_node_count, 2000 * rounds);
  }
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&mesh);
}

static void check_beside(const test_mesh meshes[2], const mesh_family families[2], mo_vec3 extent,
                         rng *r, void *context) {
  (void)context;
  for (uint64_t round = 0; round < rng_few_rounds(2, 10); round++) {
    mo_transform map[2] = {mo_transform_identity(),
                           rng_transform(r, (rng_transform_kind)rng_below(r, RNG_MIRROR + 1), 1)};
    closest_pair best;
    map[1].origin.x += rng_float(r, -1, 1) * extent.x;
    map[1].origin.y += rng_float(r, -1, 1) * extent.y;
    map[1].origin.z += rng_float(r, -1, 1) * extent.z;
    check_forms(meshes, families, map, r, &best);
  }
}

/* Real meshes beside a torus, by the loop over all pairs: in the long suite. */
Test(mesh_pair_distance, real_meshes) {
  rng r = rng_make(rng_seed("mesh_pair_distance/real_meshes", 3514));
  with_real_meshes(rng_rounds(2, 24), 50, true, &r, check_beside, NULL);
}
