/* Distances of meshes that are in no scene from scenes, by every placement policy and instruction
 * set, against a loop over all pairs of triangles and solids with mo_primitive_find_distance; and
 * against the queries for overlaps and for two meshes. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/distance.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/distances.h"
#include "query/query_mesh.h"

enum { MAX = 4000 };

static test_scene scene;

/* How far a solid, or a triangle of a shape, is from the query's mesh. */
typedef struct mesh_distance {
  oracle_distance d;
  uint32_t own; /* the triangle of the query's mesh */
} mesh_distance;

static int by_place(const void *a, const void *b) {
  const mesh_distance *x = a, *y = b;
  if (x->d.shape != y->d.shape) {
    return x->d.shape < y->d.shape ? -1 : 1;
  }
  if (x->d.triangle != y->d.triangle) {
    return x->d.triangle < y->d.triangle ? -1 : 1;
  }
  if (x->d.distance != y->d.distance) {
    return x->d.distance < y->d.distance ? -1 : 1;
  }
  return x->own < y->own ? -1 : 1;
}

static int by_distance(const void *a, const void *b) {
  const mesh_distance *x = a, *y = b;
  if (x->d.distance != y->d.distance) {
    return x->d.distance < y->d.distance ? -1 : 1;
  }
  return by_place(a, b);
}

static bool is_same_place(const void *a, const void *b) {
  const mesh_distance *x = a, *y = b;
  return x->d.shape == y->d.shape && x->d.triangle == y->d.triangle;
}

static int by_shape(const void *a, const void *b) {
  const mesh_distance *x = a, *y = b;
  return x->d.shape != y->d.shape ? (x->d.shape < y->d.shape ? -1 : 1) : by_distance(a, b);
}

static bool is_same_shape(const void *a, const void *b) {
  return ((const mesh_distance *)a)->d.shape == ((const mesh_distance *)b)->d.shape;
}

/* All within the limit of a def, in order. */
static void expect(const query_mesh *own, const mo_distance_def *def, oracle_list *list) {
  *list = (oracle_list){0};
  for (uint32_t i = 0; i < own->oracle.count; i++) {
    oracle_list some = {0};
    mo_distance_def one = *def;
    one.primitive = query_mesh_triangle(own, i);
    oracle_scene_distances(&scene.oracle, &one, true, &some);
    for (uint32_t k = 0; k < some.count; k++) {
      const oracle_distance *d = some.items;
      *(mesh_distance *)oracle_list_add(list, sizeof(mesh_distance)) = (mesh_distance){d[k], i};
    }
    oracle_list_free(&some);
  }
  query_mesh_keep_first(list, sizeof(mesh_distance), by_place, is_same_place);
  if (!def->every_triangle) {
    query_mesh_keep_first(list, sizeof(mesh_distance), by_shape, is_same_shape);
  }
  if (list->count > 0) {
    qsort(list->items, list->count, sizeof(mesh_distance), by_distance);
  }
}

static void check_hit(const mo_closest_hit *hit, const mesh_distance *expected,
                      const query_mesh *own) {
  const oracle_distance *d = &expected->d;
  const char *kind = test_scene_kind_name(scene.kind);
  cr_assert(hit->found);
  cr_assert(hit->shape.index == d->shape->id.index && hit->triangle == d->triangle &&
                hit->own_triangle == expected->own && hit->distance == d->distance,
            "%s: shape %u, triangle %u and %u at %a, not shape %u, triangle %u and %u at %a", kind,
            hit->shape.index, hit->triangle, hit->own_triangle, (double)hit->distance,
            d->shape->id.index, d->triangle, expected->own, (double)d->distance);
  cr_assert(is_same_point(hit->point, d->found.point_a) &&
                is_same_point(hit->from, d->found.point_b) &&
                is_same_point(hit->normal, d->found.normal),
            "%s: other points", kind);
  cr_assert_eq(hit->user_data, d->shape->def.user_data);
  cr_assert_eq(hit->own_triangle_user_data, own->oracle.triangles[hit->own_triangle].user_data);
  if (hit->triangle != MO_NO_TRIANGLE) {
    cr_assert_eq(hit->triangle_user_data,
                 scene.oracle.meshes[d->shape->mesh].triangles[hit->triangle].user_data);
  }
}

/* What a callback is to be given. */
typedef struct visited {
  const mesh_distance *expected;
  const query_mesh *own;
  uint32_t count;
} visited;

static bool visit(const mo_closest_hit *hit, void *context) {
  visited *v = context;
  check_hit(hit, &v->expected[v->count], v->own);
  return ++v->count < 20;
}

static void check_subject(const mo_scene *subject, const mo_distance_def *def,
                          const query_mesh *own, const mesh_distance *expected, uint32_t count,
                          uint32_t capacity) {
  static mo_closest_hit hits[MAX];
  const uint32_t max = capacity < count ? capacity : count;
  uint32_t number;
  mo_closest_hit hit;
  memset(&hit, 0x55, sizeof hit);
  cr_assert_eq(mo_scene_find_closest(subject, def, &hit, NULL), MO_OK);
  if (count > 0) {
    check_hit(&hit, &expected[0], own);
  } else {
    cr_assert(!hit.found && hit.triangle == MO_NO_TRIANGLE && hit.own_triangle == MO_NO_TRIANGLE);
  }
  cr_assert_eq(mo_scene_find_within(subject, def, hits, capacity, &number, NULL), MO_OK);
  cr_assert_eq(number, count, "%s: %u, not %u", test_scene_kind_name(scene.kind), number, count);
  for (uint32_t k = 0; k < max; k++) {
    check_hit(&hits[k], &expected[k], own);
  }
  cr_assert_eq(mo_scene_find_closest_few(subject, def, hits, capacity, &number, NULL), MO_OK);
  cr_assert_eq(number, max);
  for (uint32_t k = 0; k < max; k++) {
    check_hit(&hits[k], &expected[k], own);
  }
  visited v = {expected, own, 0};
  cr_assert_eq(mo_scene_visit_closest(subject, def, visit, &v, NULL), MO_OK);
  cr_assert_eq(v.count, count < 20 ? count : 20);
}

/* Nothing is at distance 0 but what an overlap query finds. */
static void check_overlap(const mo_distance_def *def, const mesh_distance *expected,
                          uint32_t count) {
  mo_overlap_def overlap = mo_overlap_primitive_def(def->primitive);
  overlap.filter = def->filter;
  mo_shape_id first;
  uint32_t total;
  cr_assert_eq(mo_scene_overlap_shapes(scene.family.scenes[0], &overlap, &first, 1, &total, NULL),
               MO_OK);
  const bool none = count == 0 || expected[0].d.distance > 0;
  cr_assert_eq(total == 0, none);
  cr_assert(none || expected[0].d.shape->id.index == first.index);
}

/* Checks one def in all its forms. */
static void check_def(mo_distance_def def, const query_mesh *own, rng *r) {
  oracle_list list;
  expect(own, &def, &list);
  const mesh_distance *all = list.items;
  uint32_t count = list.count;
  if (def.hit_volumes && !def.every_triangle) {
    check_overlap(&def, all, count);
  }
  if (count > 1) { /* some of them, by a limit that one of them reaches */
    uint32_t last = rng_below(r, count < 60 ? count : 60);
    while (last + 1 < count && all[last + 1].d.distance == all[last].d.distance) {
      last++;
    }
    count = last + 1;
    def.max_distance = all[last].d.distance;
  }
  const uint32_t capacity = rng_below(r, count + 2);
  cr_assert_leq(capacity, MAX);
  for (uint32_t i = 0; i < scene.family.count; i++) {
    check_subject(scene.family.scenes[i], &def, own, all, count, capacity);
  }
  if (count > 1) {
    const uint32_t begin = 1 + rng_below(r, count - 1);
    const oracle_distance *last = &all[begin - 1].d;
    const mo_closest_hit after = {
        .shape = last->shape->id, .triangle = last->triangle, .distance = last->distance};
    def.after = &after;
    check_subject(scene.family.scenes[0], &def, own, all + begin, count - begin, count);
  }
  oracle_list_free(&list);
}

Test(scene_distances_of_meshes, as_brute_force) {
  static const uint32_t sizes[] = {0, 1, 6, 16};
  rng r = rng_make(rng_seed("scene_distances_of_meshes/brute force", 5301));
  const uint64_t rounds = rng_few_rounds(3, 120);
  uint32_t tried = 0;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      if (sizes[i] > 1) {
        query_mesh_add_height_field(&scene, &r);
      }
      for (uint64_t k = 0; k < rounds; k++) {
        query_mesh own;
        query_mesh_make(&own, &scene, &r);
        mo_distance_def def = mo_default_distance_def();
        mo_closest_hit hit;
        def.primitive = own.primitive;
        def.filter = test_scene_filter(&scene, &r);
        def.hit_volumes = rng_below(&r, 2);
        def.every_triangle = rng_chance(&r, 0.3);
        if (mo_scene_find_closest(scene.family.scenes[0], &def, &hit, NULL) == MO_OK) {
          check_def(def, &own, &r);
          tried++;
        }
        query_mesh_free(&own);
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
  cr_assert_gt(tried, 20 * rounds);
}

/* A scene of one mesh, and a mesh alone, say the same as the query on two meshes. */
Test(scene_distances_of_meshes, as_two_meshes) {
  rng r = rng_make(rng_seed("scene_distances_of_meshes/two meshes", 5302));
  for (uint64_t k = 0, n = rng_few_rounds(60, 3000); k < n; k++) {
    test_mesh meshes[2];
    mo_mesh *made[2];
    for (int s = 0; s < 2; s++) {
      meshes[s] = test_mesh_make(rng_chance(&r, 0.5) ? TEST_MESH_TORUS : TEST_MESH_SOUP,
                                 30 + rng_below(&r, 200), &r);
      made[s] = test_mesh_build(&meshes[s]);
    }
    mo_distance_mesh_def two = mo_default_distance_mesh_def();
    two.other = made[1];
    two.other_transform = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_TINY), 3);
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
    shape.geometry.mesh = made[0];
    mo_scene *subject = test_scene_empty();
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(subject, &shape, &id), MO_OK);
    cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
    const mo_geometry geometry = {.type = MO_SHAPE_MESH, .mesh = made[1]};
    mo_distance_def def = mo_default_distance_def();
    def.primitive = mo_primitive_of_geometry(&geometry, &two.other_transform);
    mo_closest_hit expected[2], hits[2];
    cr_assert_eq(mo_mesh_find_closest_mesh(made[0], &two, expected, NULL), MO_OK);
    cr_assert_eq(mo_scene_find_closest(subject, &def, &hits[0], NULL), MO_OK);
    cr_assert_eq(mo_mesh_find_closest(made[0], &def, &hits[1], NULL), MO_OK);
    for (int i = 0; i < 2; i++) {
      cr_assert(hits[i].found && hits[i].distance == expected[0].distance &&
                hits[i].triangle == expected[0].triangle &&
                hits[i].own_triangle == expected[1].triangle &&
                is_same_point(hits[i].point, expected[0].point) &&
                is_same_point(hits[i].from, expected[0].from) &&
                is_same_point(hits[i].normal, expected[0].normal) &&
                hits[i].feature == expected[0].feature &&
                hits[i].feature_index == expected[0].feature_index && hits[i].u == expected[0].u &&
                hits[i].v == expected[0].v);
    }
    cr_assert_eq(expected[0].own_triangle, expected[1].triangle);
    cr_assert_eq(expected[1].own_triangle, expected[0].triangle);
    mo_scene_destroy(subject);
    for (int s = 0; s < 2; s++) {
      mo_mesh_release(made[s]);
      test_mesh_free(&meshes[s]);
    }
  }
}
