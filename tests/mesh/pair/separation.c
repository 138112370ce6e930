/* The separation of two meshes: after the translation no two triangles touch, by axes in long
 * double, and no vertex is inside, by solid angles; the depth is that of a loop over all vertices;
 * convex meshes need hardly more than their hulls; and the answer is the same for every builder,
 * format and instruction set. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/distance.h>
#include <motte/geometry.h>
#include <motte/hull.h>
#include <motte/overlap.h>
#include <motte/separation.h>
#include <stdio.h>
#include <string.h>

#include "math/vector.h"
#include "mesh/pair/two_meshes.h"

static void world_corners(const test_mesh *mesh, const mo_transform *map, uint32_t triangle,
                          ldvec world[3]) {
  mo_vec3 c[3];
  test_mesh_corners(mesh, triangle, c);
  for (int i = 0; i < 3; i++) {
    world[i] = image(map, c[i]);
  }
}

/* How often a mesh winds around a point, by solid angles (van Oosterom and Strackee 1983). */
static ldouble winding_of(const test_mesh *mesh, const mo_transform *map, ldvec p) {
  ldouble sum = 0;
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    ldvec c[3];
    ldouble length[3];
    world_corners(mesh, map, i, c);
    for (int k = 0; k < 3; k++) {
      c[k] = minus(c[k], p);
      length[k] = sqrtl(dot(c[k], c[k]));
    }
    sum += 2 * atan2l(dot(c[0], cross(c[1], c[2])),
                      length[0] * length[1] * length[2] + dot(c[0], c[1]) * length[2] +
                          dot(c[1], c[2]) * length[0] + dot(c[2], c[0]) * length[1]);
  }
  return sum / (4 * 3.14159265358979323846264338327950288L);
}

static ldouble distance_to(const test_mesh *mesh, const mo_transform *map, mo_vec3 point) {
  mo_primitive p = mo_primitive_of_point(point);
  double min = INFINITY;
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mo_vec3 c[3];
    mo_primitive_distance d;
    test_mesh_corners(mesh, i, c);
    mo_primitive triangle = mo_primitive_of_triangle(c[0], c[1], c[2]);
    triangle.transform = *map;
    cr_assert_eq(mo_primitive_find_distance(&p, &triangle, INFINITY, &d), MO_OK);
    min = fmin(min, d.distance);
  }
  return min;
}

/* The largest depth of the vertices of a mesh inside another one; 0 if none is inside. */
static ldouble depth_in(const test_mesh *mesh, const mo_transform *map, const test_mesh *outer,
                        const mo_transform *outer_map) {
  ldouble max = 0;
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mo_vec3 c[3];
    test_mesh_corners(mesh, i, c);
    for (int k = 0; k < 3; k++) {
      const mo_vec3 p = mo_transform_point(map, c[k]);
      if (fabsl(winding_of(outer, outer_map, (ldvec){p.x, p.y, p.z})) > 0.5L) {
        max = fmaxl(max, distance_to(outer, outer_map, p));
      }
    }
  }
  return max;
}

static float length_of(mo_vec3 v) {
  return (float)sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y +
                     (double)v.z * (double)v.z);
}

static bool is_same(const mo_mesh_separation *a, const mo_mesh_separation *b) {
  return a->overlaps == b->overlaps && a->depth == b->depth && a->triangle == b->triangle &&
         a->is_vertex_of_other == b->is_vertex_of_other && a->found == b->found &&
         memcmp(&a->vertex, &b->vertex, sizeof a->vertex) == 0 &&
         memcmp(&a->surface, &b->surface, sizeof a->surface) == 0 &&
         memcmp(&a->translation, &b->translation, sizeof a->translation) == 0;
}

/* No pair of triangles touches after the translation, to within the tolerance of the exact test. */
static void check_apart(const test_mesh meshes[2], const mo_separation_mesh_def *def,
                        mo_vec3 translation) {
  mo_transform moved = def->other_transform;
  moved.origin = mo_add(moved.origin, translation);
  for (uint32_t i = 0; i < meshes[0].triangle_count; i++) {
    for (uint32_t k = 0; k < meshes[1].triangle_count; k++) {
      ldvec a[3], b[3];
      bool decides;
      world_corners(&meshes[0], &def->transform, i, a);
      world_corners(&meshes[1], &moved, k, b);
      const ldouble gap = gap_between(a, b, &decides);
      cr_assert(!decides || gap > -tolerance_of(a, b), "%u and %u overlap by %Lg", i, k, -gap);
    }
  }
  if (def->is_filled) {
    cr_assert_eq(depth_in(&meshes[1], &moved, &meshes[0], &def->transform), 0);
  }
  if (def->other_is_filled) {
    cr_assert_eq(depth_in(&meshes[0], &def->transform, &meshes[1], &moved), 0);
  }
}

static void check_depth(const test_mesh meshes[2], const mo_separation_mesh_def *def,
                        const mo_mesh_separation *s) {
  const ldouble others = def->is_filled ? depth_in(&meshes[1], &def->other_transform, &meshes[0],
                                                   &def->transform)
                                        : 0,
                own = def->other_is_filled
                          ? depth_in(&meshes[0], &def->transform, &meshes[1], &def->other_transform)
                          : 0,
                depth = fmaxl(own, others);
  cr_assert(fabsl(depth - s->depth) <= 1e-5L * (1 + depth), "%Lg, not %g", depth, (double)s->depth);
  if (s->depth > 0) {
    const test_mesh *mesh = &meshes[s->is_vertex_of_other];
    const mo_vec3 way = mo_sub(s->vertex, s->surface);
    mo_vec3 c[3];
    int at = 0;
    cr_assert(fabsf(length_of(way) - s->depth) < 1e-5f * (1 + s->depth));
    test_mesh_corners(mesh, s->triangle, c);
    for (int i = 0; i < 3; i++) {
      const mo_vec3 p =
          mo_transform_point(s->is_vertex_of_other ? &def->other_transform : &def->transform, c[i]);
      at += memcmp(&p, &s->vertex, sizeof p) == 0;
    }
    cr_assert_geq(at, 1);
    cr_assert(!s->found || length_of(s->translation) >= s->depth * (1 - 1e-5f) - 1e-5f);
  }
}

/* Checks two meshes in all their forms. Returns whether they overlap. */
static bool check_forms(const test_mesh meshes[2], const mesh_family families[2],
                        mo_separation_mesh_def *def, rng *r, bool closed) {
  mo_mesh_separation first, other;
  bool touch;
  mo_overlap_mesh_def overlap = mo_default_overlap_mesh_def();
  overlap.transform = def->transform;
  overlap.other_transform = def->other_transform;
  def->other = overlap.other = families[1].meshes[0];
  const mo_result result = mo_mesh_find_separation_mesh(families[0].meshes[0], def, &first, NULL);
  if (result != MO_OK) {
    cr_assert(result == MO_ERROR_OUT_OF_RANGE || result == MO_ERROR_NOT_FINITE);
    return false;
  }
  cr_assert_eq(mo_mesh_test_overlap_mesh(families[0].meshes[0], &overlap, &touch, NULL), MO_OK);
  cr_assert_eq(first.overlaps, touch || first.depth > 0);
  if (closed) {
    check_depth(meshes, def, &first);
  }
  if (first.found) {
    overlap.other_transform.origin = mo_add(overlap.other_transform.origin, first.translation);
    cr_assert_eq(mo_mesh_test_overlap_mesh(families[0].meshes[0], &overlap, &touch, NULL), MO_OK);
    cr_assert(!touch);
  }
  if (first.found && closed) {
    check_apart(meshes, def, first.translation);
  }
  for (uint32_t i = 1; i < families[0].count; i++) {
    def->other = families[1].meshes[rng_below(r, families[1].count)];
    memset(&other, 0x55, sizeof other);
    cr_assert_eq(mo_mesh_find_separation_mesh(families[0].meshes[i], def, &other, NULL), MO_OK);
    cr_assert(is_same(&other, &first), "%s: depth %a by %u, not %a by %u; %a %a %a, not %a %a %a",
              families[0].names[i], (double)other.depth, other.triangle, (double)first.depth,
              first.triangle, (double)other.translation.x, (double)other.translation.y,
              (double)other.translation.z, (double)first.translation.x, (double)first.translation.y,
              (double)first.translation.z);
  }
  return first.overlaps;
}

Test(mesh_pair_separation, all_kinds_under_all_maps) {
  rng r = rng_make(rng_seed("mesh_pair_separation/all_kinds_under_all_maps", 3531));
  const uint64_t poses_of_kind = rng_few_rounds(4, 2 * RNG_TRANSFORM_KINDS);
  for (uint32_t kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    test_mesh meshes[2];
    static mesh_family families[2];
    meshes[0] = test_mesh_make((test_mesh_kind)kind, 6 + rng_below(&r, 8), &r);
    meshes[1] = test_mesh_make((test_mesh_kind)rng_below(&r, TEST_MESH_KIND_COUNT),
                               6 + rng_below(&r, 8), &r);
    for (int s = 0; s < 2; s++) {
      mesh_family_build(&families[s], &meshes[s], false);
    }
    for (uint64_t round = 0; round < poses_of_kind; round++) {
      mo_separation_mesh_def def = mo_default_separation_mesh_def();
      def.transform = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_SHEAR + 1), 1);
      def.other_transform =
          rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS), 1);
      if (meshes[0].triangle_count > 0 && meshes[1].triangle_count > 0) {
        bring_together(&meshes[0], &def.transform, &meshes[1], &def.other_transform, &r);
      }
      check_forms(meshes, families, &def, &r, false);
    }
    for (int s = 0; s < 2; s++) {
      cr_assert(mesh_family_free(&families[s]));
      test_mesh_free(&meshes[s]);
    }
  }
}

Test(mesh_pair_separation, closed_meshes) {
  rng r = rng_make(rng_seed("mesh_pair_separation/closed_meshes", 3532));
  static const test_mesh_kind kinds[] = {TEST_MESH_TORUS, TEST_MESH_SPHERE, TEST_MESH_SPIKES,
                                         TEST_MESH_LATTICE};
  uint32_t overlaps = 0, rounds = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    test_mesh meshes[2] = {test_mesh_make(kinds[i], 60, &r),
                           test_mesh_make(TEST_MESH_TORUS, 60, &r)};
    static mesh_family families[2];
    for (int s = 0; s < 2; s++) {
      mesh_family_build(&families[s], &meshes[s], false);
    }
    for (uint64_t round = 0; round < rng_few_rounds(2, 40); round++) {
      mo_separation_mesh_def def = mo_default_separation_mesh_def();
      def.transform = rng_transform(&r, RNG_RIGID, 0.5f);
      def.other_transform =
          rng_transform(&r, round % 2 == 0 ? RNG_NONUNIFORM_SCALE : RNG_MIRROR, 0.5f);
      bring_together(&meshes[0], &def.transform, &meshes[1], &def.other_transform, &r);
      def.is_filled = rng_chance(&r, 0.7);
      def.other_is_filled = rng_chance(&r, 0.7);
      rounds++;
      overlaps += check_forms(meshes, families, &def, &r, true);
    }
    for (int s = 0; s < 2; s++) {
      cr_assert(mesh_family_free(&families[s]));
      test_mesh_free(&meshes[s]);
    }
  }
  cr_assert_gt(2 * overlaps, rounds);
}

static mo_hull *hull_of(const test_mesh *mesh) {
  mo_hull *hull = NULL;
  mo_hull_def def = mo_default_hull_def();
  def.positions = mesh->positions;
  def.position_count = mesh->vertex_count;
  cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
  return hull;
}

/* Of two convex meshes the translation is never shorter than the depth of their hulls, and at most
 * a tenth longer. */
Test(mesh_pair_separation, convex_meshes_beside_their_hulls) {
  rng r = rng_make(rng_seed("mesh_pair_separation/convex_meshes", 3533));
  double worst = 1;
  for (uint64_t round = 0; round < rng_few_rounds(12, 400); round++) {
    static const test_mesh_kind kinds[] = {TEST_MESH_BOX, TEST_MESH_SPHERE};
    test_mesh meshes[2];
    static mesh_family families[2];
    mo_geometry hull[2] = {{.type = MO_SHAPE_HULL}, {.type = MO_SHAPE_HULL}};
    mo_primitive primitive[2];
    mo_separation_mesh_def def = mo_default_separation_mesh_def();
    def.transform = rng_transform(&r, RNG_NONUNIFORM_SCALE, 0.5f);
    def.other_transform = rng_transform(&r, RNG_SHEAR, 0.5f);
    def.is_filled = def.other_is_filled = true;
    for (int s = 0; s < 2; s++) {
      meshes[s] = test_mesh_make(kinds[rng_below(&r, 2)], 80, &r);
      mesh_family_build(&families[s], &meshes[s], true);
      hull[s].hull = hull_of(&meshes[s]);
      primitive[s] =
          mo_primitive_of_geometry(&hull[s], s == 0 ? &def.transform : &def.other_transform);
    }
    mo_primitive_penetration exact;
    mo_mesh_separation found;
    def.other = families[1].meshes[0];
    cr_assert_eq(mo_primitive_find_penetration(&primitive[0], &primitive[1], &exact), MO_OK);
    cr_assert_eq(mo_mesh_find_separation_mesh(families[0].meshes[0], &def, &found, NULL), MO_OK);
    if (exact.depth > 0.02) {
      const double length = (double)length_of(found.translation);
      cr_assert(found.overlaps && found.found);
      cr_assert_leq((double)found.depth, exact.depth * (1 + 1e-5));
      cr_assert_geq(length, exact.depth * (1 - 1e-5));
      cr_assert_leq(length, 1.1 * exact.depth);
      worst = fmax(worst, length / exact.depth);
    }
    for (int s = 0; s < 2; s++) {
      mo_hull_release(hull[s].hull);
      cr_assert(mesh_family_free(&families[s]));
      test_mesh_free(&meshes[s]);
    }
  }
  fprintf(stderr, "up to %g times the depth of the hulls\n", worst);
}

/* Two boxes, side by side or one in the other, and a plate in the slot between two others. */
Test(mesh_pair_separation, known_answers) {
  rng r = rng_make(1);
  test_mesh box = test_mesh_make(TEST_MESH_BOX, 12, &r);
  static mesh_family family;
  mesh_family_build(&family, &box, true);
  const mo_mesh *mesh = family.meshes[0];
  const mo_aabb bounds = test_mesh_bounds(&box);
  const mo_vec3 extent = mo_sub(bounds.upper, bounds.lower);
  mo_mesh_separation s;
  mo_separation_mesh_def def = mo_default_separation_mesh_def();
  def.other = mesh;
  def.other_transform.origin = mo_vec(0.9f * extent.x, 0.1f * extent.y, 0.2f * extent.z);
  cr_assert_eq(mo_mesh_find_separation_mesh(mesh, &def, &s, NULL), MO_OK);
  cr_assert(s.overlaps && s.found && s.depth == 0);
  cr_assert(fabsf(length_of(s.translation) - 0.1f * extent.x) < 1e-3f * extent.x, "%g",
            (double)length_of(s.translation));
  def.is_filled = def.other_is_filled = true;
  cr_assert_eq(mo_mesh_find_separation_mesh(mesh, &def, &s, NULL), MO_OK);
  cr_assert(s.found && fabsf(s.translation.x - 0.1f * extent.x) < 1e-3f * extent.x);
  def.other_transform.origin.x = 1.1f * extent.x;
  cr_assert_eq(mo_mesh_find_separation_mesh(mesh, &def, &s, NULL), MO_OK);
  cr_assert(!s.overlaps && !s.found && s.depth == 0);
  /* a small box inside: surfaces alone do not touch */
  def = mo_default_separation_mesh_def();
  def.other = mesh;
  def.other_transform = mo_transform_make(mo_scale(0.375f, mo_add(bounds.lower, bounds.upper)),
                                          (mo_quat){0, 0, 0, 1}, (mo_vec3){0.25f, 0.25f, 0.25f});
  cr_assert_eq(mo_mesh_find_separation_mesh(mesh, &def, &s, NULL), MO_OK);
  cr_assert(!s.overlaps);
  def.is_filled = true;
  cr_assert_eq(mo_mesh_find_separation_mesh(mesh, &def, &s, NULL), MO_OK);
  const float shortest = 0.625f * fminf(extent.x, fminf(extent.y, extent.z));
  cr_assert(s.overlaps && s.found && s.depth > 0 && s.is_vertex_of_other);
  cr_assert(fabsf(length_of(s.translation) - shortest) < 1e-3f * shortest, "%g, not %g",
            (double)length_of(s.translation), (double)shortest);
  /* the same place: only the inside of a filled mesh tells that they overlap by all of it */
  def = mo_default_separation_mesh_def();
  def.other = mesh;
  cr_assert_eq(mo_mesh_find_separation_mesh(mesh, &def, &s, NULL), MO_OK);
  cr_assert(s.overlaps && s.found && s.depth == 0);
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&box);
}

/* Where floats are coarse, no mesh ends up inside of the other one. */
Test(mesh_pair_separation, filled_meshes_far_from_the_origin) {
  rng r = rng_make(rng_seed("mesh_pair_separation/filled_meshes_far_from_the_origin", 3534));
  test_mesh meshes[2] = {test_mesh_make(TEST_MESH_TORUS, 200, &r),
                         test_mesh_make(TEST_MESH_SPHERE, 200, &r)};
  static mesh_family families[2];
  for (int s = 0; s < 2; s++) {
    mesh_family_build(&families[s], &meshes[s], true);
  }
  for (uint64_t round = 0; round < rng_few_rounds(60, 2000); round++) {
    const int a = (int)rng_below(&r, 2), b = (int)rng_below(&r, 2);
    mo_separation_mesh_def def = mo_default_separation_mesh_def();
    mo_mesh_separation s;
    def.other = families[b].meshes[0];
    def.transform = rng_transform(&r, RNG_RIGID, 0.5f);
    def.other_transform = rng_transform(&r, RNG_NONUNIFORM_SCALE, 0.5f);
    def.transform.origin.x += 1e5f;
    def.other_transform.origin.x += 1e5f;
    def.is_filled = def.other_is_filled = true;
    cr_assert_eq(mo_mesh_find_separation_mesh(families[a].meshes[0], &def, &s, NULL), MO_OK);
    if (s.found) {
      def.other_transform.origin = mo_add(def.other_transform.origin, s.translation);
      cr_assert_eq(mo_mesh_find_separation_mesh(families[a].meshes[0], &def, &s, NULL), MO_OK);
      cr_assert(!s.overlaps);
    }
  }
  for (int s = 0; s < 2; s++) {
    cr_assert(mesh_family_free(&families[s]));
    test_mesh_free(&meshes[s]);
  }
}

/* A mesh that lies on itself: nearly every translation separates it, but not all are tried. */
Test(mesh_pair_separation, a_mesh_on_itself_takes_little_work) {
  rng r = rng_make(rng_seed("mesh_pair_separation/a_mesh_on_itself_takes_little_work", 3535));
  test_mesh terrain = test_mesh_make(TEST_MESH_TERRAIN, 800, &r);
  static mesh_family family;
  mesh_family_build(&family, &terrain, true);
  for (int i = 0; i < 2; i++) {
    mo_separation_mesh_def def = mo_default_separation_mesh_def();
    mo_mesh_separation s;
    mo_query_stats stats = {0};
    def.other = family.meshes[0];
    def.other_transform.origin.x = i == 0 ? 0 : 1e-4f;
    cr_assert_eq(mo_mesh_find_separation_mesh(family.meshes[0], &def, &s, &stats), MO_OK);
    cr_assert(s.overlaps && s.found);
    fprintf(stderr, "%g: %llu pairs\n", (double)length_of(s.translation),
            (unsigned long long)stats.pair_count);
    cr_assert_leq(stats.pair_count, 200 * terrain.triangle_count);
  }
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&terrain);
}

/* Two links of a chain that overlap by little are separated by little, and not taken out of each
 * other. */
Test(mesh_pair_separation, links_of_a_chain_stay_linked) {
  rng r = rng_make(2);
  test_mesh torus = test_mesh_make(TEST_MESH_TORUS, 2000, &r);
  static mesh_family family;
  mesh_family_build(&family, &torus, true);
  const mo_mesh *mesh = family.meshes[0];
  const mo_aabb b = test_mesh_bounds(&torus);
  const mo_vec3 extent = mo_sub(b.upper, b.lower),
                middle = mo_scale(0.5f, mo_add(b.lower, b.upper));
  /* the axis is that of the smallest extent, which is twice the small radius */
  const int axis = extent.x < extent.y   ? (extent.x < extent.z ? 0 : 2)
                   : extent.y < extent.z ? 1
                                         : 2;
  const float tube = mo_get(extent, axis), ring = mo_get(extent, (axis + 1) % 3) - tube;
  mo_separation_mesh_def def = mo_default_separation_mesh_def();
  mo_mesh_separation s;
  mo_vec3 along = {0, 0, 0}, about = {0, 0, 0};
  float *to_along[3] = {&along.x, &along.y, &along.z},
        *to_about[3] = {&about.x, &about.y, &about.z};
  *to_about[(axis + 1) % 3] = 1; /* a quarter turn about this, and a shift along it */
  *to_along[(axis + 1) % 3] = ring - 0.9f * tube;
  def.other = mesh;
  def.transform.origin = mo_scale(-1, middle);
  def.other_transform = mo_transform_make(
      (mo_vec3){0, 0, 0},
      (mo_quat){0.70710678f * about.x, 0.70710678f * about.y, 0.70710678f * about.z, 0.70710678f},
      (mo_vec3){1, 1, 1});
  def.other_transform.origin = mo_sub(along, mo_transform_direction(&def.other_transform, middle));
  def.is_filled = def.other_is_filled = true;
  cr_assert_eq(mo_mesh_find_separation_mesh(mesh, &def, &s, NULL), MO_OK);
  cr_assert(s.overlaps && s.found);
  cr_assert_leq(length_of(s.translation), 0.15f * tube, "%g of %g",
                (double)length_of(s.translation), (double)tube);
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&torus);
}
