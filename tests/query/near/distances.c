/* Distances of convex shapes from scenes, by every placement policy and instruction set, against a
 * loop over all shapes and triangles with mo_primitive_find_distance; and against the queries for
 * overlaps and closest points. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/distance.h>
#include <string.h>

#include "oracle/distances.h"
#include "support/defs.h"
#include "support/scenes.h"

static test_scene scene;

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* False where the primitive goes beyond the range of coordinates. */
static bool any_def(rng *r, mo_distance_def *def) {
  *def = mo_default_distance_def();
  sample_target target = test_scene_target(&scene, r);
  def->primitive =
      rng_chance(r, 0.15) ? sample_half_space(r, &target) : test_scene_primitive(&scene, r);
  def->filter = test_scene_filter(&scene, r);
  def->hit_volumes = rng_below(r, 2);
  mo_closest_hit hit;
  return mo_scene_find_closest(scene.family.scenes[0], def, &hit, NULL) == MO_OK;
}

static double length_of(mo_vec3 v) {
  return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
}

/* Whether weights, feature and the point of a hit on a triangle say the same. */
static void check_feature(const mo_closest_hit *hit, const oracle_distance *expected) {
  const oracle_shape *shape = expected->shape;
  const oracle_triangle *t = &scene.oracle.meshes[shape->mesh].triangles[hit->triangle];
  float weights[3] = {1 - hit->u - hit->v, hit->u, hit->v};
  mo_dvec3 point = {0, 0, 0};
  double size = 0;
  for (int i = 0; i < 3; i++) {
    mo_dvec3 corner = mo_affine_point_to_world(&shape->affine, t->corners[i]);
    point = mo_dadd(point, mo_dscale(weights[i], corner));
    size += fabs(corner.x) + fabs(corner.y) + fabs(corner.z);
  }
  mo_dvec3 gap = mo_dsub(point, mo_widen(hit->point));
  /* A point is as exact as the distance that it is found for. */
  double doubt = 1e-5 * size + 1e-14 * (double)hit->distance;
  cr_assert(hit->distance == 0 || sqrt(mo_ddot(gap, gap)) <= doubt);
  switch (hit->feature) {
  case MO_FEATURE_VERTEX:
    cr_assert(fabsf(weights[hit->feature_index] - 1) < 1e-6f);
    break;
  case MO_FEATURE_EDGE:
    cr_assert(fabsf(weights[(hit->feature_index + 2) % 3]) < 1e-6f);
    break;
  case MO_FEATURE_FACE:
    cr_assert_eq(hit->feature_index, 0);
    cr_assert(hit->u > 0 && hit->v > 0);
  }
  cr_assert_eq(hit->triangle_user_data, t->user_data);
}

static void check_hit(const mo_closest_hit *hit, const oracle_distance *expected) {
  const oracle_shape *shape = expected->shape;
  const char *kind = test_scene_kind_name(scene.kind);
  cr_assert(hit->found);
  cr_assert(hit->shape.index == shape->id.index && hit->shape.generation == shape->id.generation &&
                hit->triangle == expected->triangle && hit->distance == expected->distance,
            "%s: shape %u, triangle %u at %a, not shape %u, triangle %u at %a", kind,
            hit->shape.index, hit->triangle, (double)hit->distance, shape->id.index,
            expected->triangle, (double)expected->distance);
  cr_assert(same(hit->point, expected->found.point_a) && same(hit->from, expected->found.point_b) &&
                same(hit->normal, expected->found.normal),
            "%s: other points", kind);
  cr_assert_eq(hit->user_data, shape->def.user_data);
  if (hit->triangle != MO_NO_TRIANGLE) {
    check_feature(hit, expected);
  } else {
    cr_assert(hit->feature == MO_FEATURE_FACE && hit->feature_index == 0 && hit->u == 0 &&
              hit->v == 0 && hit->triangle_user_data == 0);
  }
}

static void check_closest(const mo_distance_def *def, const oracle_distance *expected) {
  for (uint32_t i = 0; i < scene.family.count; i++) {
    mo_closest_hit hit;
    memset(&hit, 0x55, sizeof hit);
    cr_assert_eq(mo_scene_find_closest(scene.family.scenes[i], def, &hit, NULL), MO_OK);
    if (expected == NULL) {
      cr_assert(!hit.found && hit.triangle == MO_NO_TRIANGLE, "%s, %s: shape %u at %a",
                test_scene_kind_name(scene.kind), scene.family.names[i], hit.shape.index,
                (double)hit.distance);
    } else {
      check_hit(&hit, expected);
    }
  }
}

/* Nothing is at distance 0 but what an overlap query finds; of that, the lowest. */
static void check_overlap(const mo_distance_def *def, const oracle_distance *expected) {
  mo_overlap_def overlap = mo_overlap_primitive_def(def->primitive);
  overlap.filter = def->filter;
  mo_shape_id first;
  uint32_t total;
  cr_assert_eq(mo_scene_overlap_shapes(scene.family.scenes[0], &overlap, &first, 1, &total, NULL),
               MO_OK);
  bool none = expected == NULL || expected->distance > 0;
  cr_assert_eq(total == 0, none);
  cr_assert(none || expected->shape->id.index == first.index);
}

Test(scene_distances, closest_as_brute_force) {
  static const uint32_t sizes[] = {0, 1, 8, 30};
  rng r = rng_make(rng_seed("scene_distances/closest", 301));
  uint64_t rounds = rng_rounds(5, 300);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      for (uint64_t k = 0; k < rounds; k++) {
        mo_distance_def def;
        if (!any_def(&r, &def)) {
          continue;
        }
        oracle_list all = {0};
        oracle_scene_distances(&scene.oracle, &def, false, &all);
        const oracle_distance *d = all.items;
        check_closest(&def, all.count > 0 ? d : NULL);
        if (def.hit_volumes) {
          check_overlap(&def, all.count > 0 ? d : NULL);
        }
        if (all.count > 0) {
          def.max_distance = d->distance; /* at the limit itself */
          check_closest(&def, d);
          if (d->distance > 0) {
            def.max_distance = nextafterf(d->distance, 0);
            check_closest(&def, NULL);
          }
        }
        oracle_list_free(&all);
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

enum { MAX = 4000 };

static mo_closest_hit hits[MAX];

/* What a callback is to be given, and when it ends. */
typedef struct visited {
  const oracle_distance *expected;
  uint32_t count, end;
} visited;

static bool visit(const mo_closest_hit *hit, void *context) {
  visited *v = context;
  check_hit(hit, &v->expected[v->count]);
  return ++v->count != v->end;
}

/* All forms of lists, from `begin` of what is expected on. */
static void check_lists(const mo_distance_def *def, const oracle_list *all, uint32_t begin,
                        rng *r) {
  uint32_t rest = all->count - begin, capacity = rng_below(r, 1 + rest + rest / 4);
  const oracle_distance *expected = all->items;
  expected = rest > 0 ? expected + begin : expected; /* there may be no array */
  cr_assert_leq(capacity, MAX);
  uint32_t max = capacity < rest ? capacity : rest;
  for (uint32_t i = 0; i < scene.family.count; i++) {
    const mo_scene *subject = scene.family.scenes[i];
    uint32_t number;
    cr_assert_eq(mo_scene_find_within(subject, def, hits, capacity, &number, NULL), MO_OK);
    cr_assert_eq(number, rest, "%s: %u, not %u", test_scene_kind_name(scene.kind), number, rest);
    for (uint32_t k = 0; k < max; k++) {
      check_hit(&hits[k], &expected[k]);
    }
    cr_assert_eq(mo_scene_find_closest_few(subject, def, hits, capacity, &number, NULL), MO_OK);
    cr_assert_eq(number, max);
    for (uint32_t k = 0; k < max; k++) {
      check_hit(&hits[k], &expected[k]);
    }
    visited v = {.expected = expected, .end = capacity > 0 ? capacity : UINT32_MAX};
    cr_assert_eq(mo_scene_visit_closest(subject, def, visit, &v, NULL), MO_OK);
    cr_assert_eq(v.count, capacity > 0 ? max : rest);
  }
}

Test(scene_distances, lists_as_brute_force) {
  static const uint32_t sizes[] = {0, 2, 12, 40};
  rng r = rng_make(rng_seed("scene_distances/lists", 304));
  uint64_t rounds = rng_rounds(2, 200);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      for (uint64_t k = 0; k < rounds; k++) {
        mo_distance_def def;
        if (!any_def(&r, &def)) {
          continue;
        }
        def.every_triangle = rng_below(&r, 2);
        oracle_list all = {0};
        oracle_scene_distances(&scene.oracle, &def, def.every_triangle, &all);
        if (all.count > 1) { /* some of them, by a limit that one of them reaches */
          uint32_t last = rng_below(&r, all.count < 300 ? all.count : 300);
          oracle_distances_limit(&all, last, &def);
        }
        check_lists(&def, &all, 0, &r);
        if (all.count > 0) {
          uint32_t begin = 1 + rng_below(&r, all.count);
          const oracle_distance *last = (const oracle_distance *)all.items + begin - 1;
          mo_closest_hit after = {
              .shape = last->shape->id, .triangle = last->triangle, .distance = last->distance};
          def.after = &after;
          check_lists(&def, &all, begin, &r);
        }
        oracle_list_free(&all);
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

/* A point as a primitive has the distance that the query for points finds. */
Test(scene_distances, points_as_closest_point) {
  rng r = rng_make(rng_seed("scene_distances/points", 302));
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    test_scene_make(&scene, (test_scene_kind)kind, 30, &r);
    for (uint64_t i = 0, n = rng_rounds(40, 2000); i < n; i++) {
      sample_target target = test_scene_target(&scene, &r);
      mo_closest_def point = mo_default_closest_def();
      mo_distance_def def = mo_default_distance_def();
      point.point = sample_point(&r, &target);
      def.primitive = mo_primitive_of_point(point.point);
      mo_closest_hit a, b;
      cr_assert_eq(mo_scene_closest_point(scene.family.scenes[0], &point, &a, NULL), MO_OK);
      cr_assert_eq(mo_scene_find_closest(scene.family.scenes[0], &def, &b, NULL), MO_OK);
      cr_assert_eq(a.found, b.found);
      if (a.found) {
        double size = length_of(point.point);
        for (uint32_t k = 0; k < scene.oracle.shape_count; k++) {
          const oracle_shape *shape = &scene.oracle.shapes[k];
          if (shape->id.index == a.shape.index || shape->id.index == b.shape.index) {
            size += length_of(mo_aabb_max_coordinates(shape->own));
          }
        }
        cr_assert(fabs((double)a.distance - (double)b.distance) <= 1e-7 * size, "%a, %a",
                  (double)a.distance, (double)b.distance);
        cr_assert(same(a.from, point.point));
      }
    }
    cr_assert(test_scene_free(&scene), "memory is outstanding");
  }
}

Test(scene_distances, by_hand) {
  mo_scene *subject = test_scene_empty();
  mo_mesh *mesh = test_mesh_build_square(0, 1);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  mo_shape_id floor, box;
  def.geometry.mesh = mesh;
  def.user_data = 7;
  cr_assert_eq(mo_scene_add_shape(subject, &def, &floor), MO_OK);
  def = mo_default_shape_def(MO_SHAPE_BOX);
  def.transform.origin = (mo_vec3){0, 0, 10};
  cr_assert_eq(mo_scene_add_shape(subject, &def, &box), MO_OK);
  /* A capsule that leans over the floor. */
  mo_geometry capsule = {.type = MO_SHAPE_CAPSULE,
                         .capsule = {{0.5f, 0.25f, 3}, {0.5f, 5, 6}, 0.5f}};
  mo_distance_def q = mo_default_distance_def();
  q.primitive = mo_primitive_of_geometry(&capsule, NULL);
  mo_closest_hit hit;
  cr_assert_eq(mo_scene_find_closest(subject, &q, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.shape.index == floor.index && hit.user_data == 7);
  cr_assert(hit.distance == 2.5f && hit.normal.z == 1 && hit.from.z == 2.5f && hit.point.z == 0);
  cr_assert_eq(hit.feature, MO_FEATURE_FACE);
  q.max_distance = 2;
  cr_assert_eq(mo_scene_find_closest(subject, &q, &hit, NULL), MO_OK);
  cr_assert_not(hit.found);
  /* A box off an edge of the square. */
  mo_transform beside = mo_transform_identity();
  beside.origin = (mo_vec3){0.5f, -3, 0};
  mo_geometry cube = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {1, 1, 1}}};
  q.primitive = mo_primitive_of_geometry(&cube, &beside);
  cr_assert_eq(mo_scene_find_closest(subject, &q, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.distance == 2 && hit.normal.y == -1);
  cr_assert_neq(hit.feature, MO_FEATURE_FACE);
  /* What overlaps has no normal. */
  beside.origin = (mo_vec3){0, 0, 10.5f};
  q.primitive = mo_primitive_of_geometry(&cube, &beside);
  cr_assert_eq(mo_scene_find_closest(subject, &q, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.distance == 0 && hit.shape.index == box.index);
  cr_assert(mo_max_magnitude(hit.normal) == 0 && same(hit.point, hit.from));
  mo_scene_destroy(subject);
  mo_mesh_release(mesh);
}

static bool end_at_third(const mo_closest_hit *hit, void *context) {
  (void)hit;
  return ++*(int *)context < 3;
}

/* Culling works: a few of many shapes, also for the first of a list. */
Test(scene_distances, visit_few_shapes) {
  enum { SIDE = 30 };
  mo_scene *subject = test_scene_of_balls(SIDE);
  rng r = rng_make(rng_seed("scene_distances/cost", 303));
  mo_query_stats stats = {0};
  mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 0.5f}};
  for (int i = 0; i < 100; i++) {
    mo_transform at = mo_transform_identity();
    at.origin = rng_vec3(&r, 0, 3 * SIDE);
    at.origin.z = 2.5f;
    mo_distance_def def = mo_default_distance_def();
    def.primitive = mo_primitive_of_geometry(&ball, &at);
    mo_closest_hit hit;
    cr_assert_eq(mo_scene_find_closest(subject, &def, &hit, &stats), MO_OK);
    int count = 0;
    cr_assert_eq(mo_scene_visit_closest(subject, &def, end_at_third, &count, &stats), MO_OK);
    cr_assert_eq(count, 3);
  }
  cr_assert_lt(stats.shape_count, 100 * 26);
  cr_assert_lt(stats.scene_node_count, 100 * 28);
  mo_scene_destroy(subject);
}

static bool go_on(const mo_closest_hit *hit, void *context) {
  (void)hit;
  ++*(int *)context;
  return true;
}

/* What was given before is not visited again, but around the distance that was given last. */
Test(scene_distances, visit_all_shapes) {
  enum { SIDE = 60 };
  mo_scene *subject = test_scene_of_balls(SIDE);
  mo_distance_def def = mo_default_distance_def();
  def.primitive = mo_primitive_of_point(mo_vec(0, 0, 0));
  int count = 0;
  mo_query_stats stats = {0};
  cr_assert_eq(mo_scene_visit_closest(subject, &def, go_on, &count, &stats), MO_OK);
  cr_assert_eq(count, SIDE * SIDE);
  cr_assert_lt(stats.scene_node_count, 7000); /* 9250 if it were */
  mo_scene_destroy(subject);
}
