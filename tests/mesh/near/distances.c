/* Distances of convex shapes from a mesh, for every builder and instruction set, against a loop
 * over all triangles. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/distance.h>
#include <string.h>

#include "oracle/distances.h"
#include "support/hulls.h"
#include "support/mesh_subject.h"
#include "support/samples.h"

/* A convex shape near a target, of about its size or much smaller. */
static mo_primitive some_primitive(const sample_target *target, rng *r) {
  if (rng_chance(r, 0.15)) {
    return sample_half_space(r, target);
  }
  mo_vec3 size = mo_sub(target->bounds.upper, target->bounds.lower);
  float max = fmaxf(fmaxf(size.x, fmaxf(size.y, size.z)), 1e-20f);
  mo_transform map = rng_transform(r, (rng_transform_kind)rng_below(r, 6), 1);
  float scale = max * ldexpf(1, -(int)rng_below(r, 12));
  map.x_axis = mo_scale(scale, map.x_axis);
  map.y_axis = mo_scale(scale, map.y_axis);
  map.z_axis = mo_scale(scale, map.z_axis);
  map.origin = sample_point(r, target);
  mo_geometry g = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 0.5f}};
  switch (rng_below(r, 9)) {
  case 0:
    return mo_primitive_of_point(map.origin);
  case 1:
    return mo_primitive_of_segment(map.origin, target->corners[rng_below(r, 3)]);
  case 2:
    g.type = MO_SHAPE_BOX;
    g.box = (mo_box){{0, 0, 0}, {0.5f, 0.25f, 1}};
    break;
  case 3:
    g.type = MO_SHAPE_CAPSULE;
    g.capsule = (mo_capsule){{0, 0, -1}, {0, 0, 1}, 0.25f};
    break;
  case 4:
    g.type = MO_SHAPE_CONE;
    g.cone = (mo_cone){{0, 0, -1}, {0, 0, 1}, 0.25f};
    g.rounding = 0.125f;
    break;
  case 5:
  case 6:
  case 7:
    g.type = MO_SHAPE_HULL;
    g.hull = test_hull_random(r);
    break;
  default:
    break;
  }
  return mo_primitive_of_geometry(&g, &map);
}

static void check_closest(const mesh_subject *s, const mo_distance_def *def,
                          const oracle_distance *expected) {
  for (uint32_t i = 0; i < s->family.count; i++) {
    mo_closest_hit hit;
    memset(&hit, 0x55, sizeof hit);
    cr_assert_eq(mo_mesh_find_closest(s->family.meshes[i], def, &hit, NULL), MO_OK);
    cr_assert_eq(hit.found, expected != NULL, "%s, %s", s->mesh.name, s->family.names[i]);
    if (hit.found) {
      const mo_primitive_distance *d = &expected->found;
      cr_assert(hit.triangle == expected->triangle && hit.distance == expected->distance,
                "%s, %s: %u at %a, not %u at %a", s->mesh.name, s->family.names[i], hit.triangle,
                (double)hit.distance, expected->triangle, (double)expected->distance);
      cr_assert(memcmp(&hit.point, &d->point_a, sizeof hit.point) == 0 &&
                memcmp(&hit.from, &d->point_b, sizeof hit.from) == 0 &&
                memcmp(&hit.normal, &d->normal, sizeof hit.normal) == 0);
    }
  }
}

enum { MAX = 4000 };

static mo_closest_hit hits[MAX];

typedef struct visited {
  const oracle_distance *expected;
  uint32_t count, end;
} visited;

static bool is_hit(const mo_closest_hit *hit, const oracle_distance *expected) {
  return hit->found && hit->triangle == expected->triangle && hit->distance == expected->distance &&
         memcmp(&hit->point, &expected->found.point_a, sizeof hit->point) == 0;
}

static bool visit(const mo_closest_hit *hit, void *context) {
  visited *v = context;
  cr_assert(is_hit(hit, &v->expected[v->count]));
  return ++v->count != v->end;
}

static void check_lists(const mesh_subject *s, const mo_distance_def *def, const oracle_list *all,
                        uint32_t begin, rng *r) {
  uint32_t rest = all->count - begin, capacity = rng_below(r, 1 + rest + rest / 4);
  const oracle_distance *expected = all->items;
  expected = rest > 0 ? expected + begin : expected; /* there may be no array */
  cr_assert_leq(capacity, MAX);
  uint32_t max = capacity < rest ? capacity : rest;
  for (uint32_t i = 0; i < s->family.count; i++) {
    const mo_mesh *mesh = s->family.meshes[i];
    uint32_t number;
    cr_assert_eq(mo_mesh_find_within(mesh, def, hits, capacity, &number, NULL), MO_OK);
    cr_assert_eq(number, rest, "%s, %s: %u, not %u", s->mesh.name, s->family.names[i], number,
                 rest);
    for (uint32_t k = 0; k < max; k++) {
      cr_assert(is_hit(&hits[k], &expected[k]), "%s, %s", s->mesh.name, s->family.names[i]);
    }
    cr_assert_eq(mo_mesh_find_closest_few(mesh, def, hits, capacity, &number, NULL), MO_OK);
    cr_assert_eq(number, max);
    for (uint32_t k = 0; k < max; k++) {
      cr_assert(is_hit(&hits[k], &expected[k]), "%s, %s", s->mesh.name, s->family.names[i]);
    }
    visited v = {.expected = expected, .end = capacity > 0 ? capacity : UINT32_MAX};
    cr_assert_eq(mo_mesh_visit_closest(mesh, def, visit, &v, NULL), MO_OK);
    cr_assert_eq(v.count, capacity > 0 ? max : rest);
  }
}

static void check_limits(const mesh_subject *s, const mo_distance_def *of, const oracle_list *all) {
  mo_distance_def def = *of;
  const oracle_distance *d = all->items;
  check_closest(s, &def, all->count > 0 ? d : NULL);
  if (all->count > 0) {
    def.max_distance = d->distance; /* at the limit itself */
    check_closest(s, &def, d);
    if (d->distance > 0) {
      def.max_distance = nextafterf(d->distance, 0);
      check_closest(s, &def, NULL);
    }
  }
}

/* In lists, each triangle once, also of meshes with triangles in several leaves. */
static void check_kind(const mesh_subject *s, rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = sample_target_of_mesh(&s->mesh, r);
    mo_distance_def def = mo_default_distance_def();
    def.primitive = some_primitive(&target, r);
    mo_closest_hit hit;
    if (mo_mesh_find_closest(s->family.meshes[0], &def, &hit, NULL) != MO_OK) {
      continue; /* beyond the range of coordinates */
    }
    oracle_list all = {0};
    oracle_mesh_distances(&s->oracle, &def, &all);
    check_limits(s, &def, &all);
    if (all.count > 0) {
      uint32_t last = rng_below(r, all.count < 150 ? all.count : 150);
      oracle_distances_limit(&all, last, &def);
    }
    check_lists(s, &def, &all, 0, r);
    if (all.count > 0) {
      const oracle_distance *d = all.items;
      uint32_t begin = 1 + rng_below(r, all.count);
      mo_closest_hit after = {.triangle = d[begin - 1].triangle, .distance = d[begin - 1].distance};
      def.after = &after;
      check_lists(s, &def, &all, begin, r);
    }
    oracle_list_free(&all);
  }
}

Test(mesh_distances, as_brute_force) {
  rng r = rng_make(rng_seed("mesh_distances/brute force", 95));
  mesh_subject_check_all(check_kind, &r, rng_rounds(1, 150));
}

/* A direction of a length that is more than 1 by little: rounding finds one in many. */
static mo_vec3 just_beyond_the_unit_ball(rng *r) {
  for (;;) {
    mo_vec3 p = rng_vec3(r, -0.7f, 0.7f);
    p.z = sqrtf(1.0f - p.x * p.x - p.y * p.y);
    long double x = p.x, y = p.y, z = p.z, excess = sqrtl(x * x + y * y + z * z) - 1;
    if (excess > 0x1p-46L && excess < 0x1p-38L) {
      return p;
    }
  }
}

/* What touches a ball to within the tolerance is found without distance, though culling by the
 * ball's centre and radius is strict. */
Test(mesh_distances, what_touches_a_ball_by_tolerance) {
  rng r = rng_make(rng_seed("mesh_distances/touching", 96));
  uint32_t found = 0;
  for (uint64_t round = 0; round < rng_rounds(20, 500); round++) {
    mesh_subject s = {.mesh = {.name = "touching"}};
    for (int i = 0; i < 20; i++) {
      mo_vec3 p = just_beyond_the_unit_ball(&r), away = mo_scale(3, p);
      test_mesh_add_corners(&s.mesh, p, mo_add(away, rng_vec3(&r, -1, 1)),
                            mo_add(away, rng_vec3(&r, -1, 1)));
    }
    mesh_subject_build(&s);
    mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 1}};
    mo_distance_def def = mo_default_distance_def();
    def.primitive = mo_primitive_of_geometry(&ball, NULL);
    def.max_distance = 0;
    oracle_list all = {0};
    oracle_mesh_distances(&s.oracle, &def, &all);
    check_limits(&s, &def, &all);
    check_lists(&s, &def, &all, 0, &r);
    found += all.count;
    oracle_list_free(&all);
    mesh_subject_free(&s);
  }
  cr_assert_gt(found, 100);
}

/* The closest point of a triangle counts as on an edge or at a corner up to a weight of 2^-40. */
Test(mesh_distances, points_nearly_on_edges_and_at_corners) {
  test_mesh mesh = {0};
  test_mesh_add_corners(&mesh, (mo_vec3){0, 0, 0}, (mo_vec3){1, 0, 0}, (mo_vec3){0, 1, 0});
  mo_mesh_def built = test_mesh_def(&mesh);
  mo_mesh *one = NULL;
  cr_assert_eq(mo_mesh_create(&built, &one), MO_OK);
  for (int k = 20; k < 60; k++) {
    float by = 1.25f * ldexpf(1, -k);
    mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{0.25f, by, 1}, 0.5f}};
    mo_distance_def def = mo_default_distance_def();
    def.primitive = mo_primitive_of_geometry(&ball, NULL);
    mo_closest_hit hit;
    cr_assert_eq(mo_mesh_find_closest(one, &def, &hit, NULL), MO_OK);
    cr_assert_eq(hit.feature, k > 40 ? MO_FEATURE_EDGE : MO_FEATURE_FACE, "1.25 * 2^-%d", k);
    cr_assert(hit.feature_index == 0 && hit.u == 0.25f && hit.v == (k > 40 ? 0 : by));
    ball.sphere.center.x = by;
    def.primitive = mo_primitive_of_geometry(&ball, NULL);
    cr_assert_eq(mo_mesh_find_closest(one, &def, &hit, NULL), MO_OK);
    cr_assert_eq(hit.feature, k > 40 ? MO_FEATURE_VERTEX : MO_FEATURE_FACE, "1.25 * 2^-%d", k);
    cr_assert(hit.feature_index == 0 && hit.u == (k > 40 ? 0 : by) && hit.v == hit.u);
  }
  mo_mesh_release(one);
  test_mesh_free(&mesh);
}
