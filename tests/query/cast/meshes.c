/* Casts of meshes through scenes, for their first contact, for any, and for all, by every placement
 * policy and instruction set: against a loop over all pairs of triangles and solids. Translations
 * that separate meshes, by the queries for overlaps. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/separation.h>
#include <string.h>

#include "query/query_mesh.h"

enum { MAX = 4000 };

static test_scene scene;

/* A contact of a triangle of the query's mesh. */
typedef struct mesh_contact {
  oracle_contact c;
  uint32_t own;
} mesh_contact;

/* By shape, then, if all triangles are listed, by triangle; then as the first contact is chosen. */
static bool lists_triangles;

static bool is_same_place(const void *a, const void *b) {
  const mesh_contact *x = a, *y = b;
  return x->c.shape == y->c.shape && (!lists_triangles || x->c.triangle == y->c.triangle);
}

static int by_place(const void *a, const void *b) {
  const mesh_contact *x = a, *y = b;
  if (x->c.shape != y->c.shape) {
    return x->c.shape < y->c.shape ? -1 : 1;
  }
  if (lists_triangles && x->c.triangle != y->c.triangle) {
    return x->c.triangle < y->c.triangle ? -1 : 1;
  }
  if (oracle_contact_is_before(&x->c, &y->c)) {
    return -1;
  }
  return oracle_contact_is_before(&y->c, &x->c) ? 1 : x->own < y->own ? -1 : 1;
}

static int by_time(const void *a, const void *b) {
  const mesh_contact *x = a, *y = b;
  if (x->c.t != y->c.t) {
    return x->c.t < y->c.t ? -1 : 1;
  }
  if (x->c.shape != y->c.shape) {
    return x->c.shape < y->c.shape ? -1 : 1;
  }
  return x->c.triangle < y->c.triangle ? -1 : 1;
}

/* What a cast is to list. */
static void expect(const query_mesh *own, const mo_shape_cast_def *def, oracle_list *list) {
  *list = (oracle_list){0};
  for (uint32_t i = 0; i < own->oracle.count; i++) {
    oracle_list some = {0};
    mo_shape_cast_def one = *def;
    one.primitive = query_mesh_triangle(own, i);
    one.options.every_triangle = true;
    oracle_scene_contacts(&scene.oracle, NULL, &one, &some);
    for (uint32_t k = 0; k < some.count; k++) {
      const oracle_contact *c = some.items;
      *(mesh_contact *)oracle_list_add(list, sizeof(mesh_contact)) = (mesh_contact){c[k], i};
    }
    oracle_list_free(&some);
  }
  lists_triangles = def->options.every_triangle;
  query_mesh_keep_first(list, sizeof(mesh_contact), by_place, is_same_place);
  if (list->count > 0) {
    qsort(list->items, list->count, sizeof(mesh_contact), by_time);
  }
}

/* The contact of the two primitives that a hit names. */
static mo_primitive_contact contact_of(const mo_shape_cast_def *def, const query_mesh *own,
                                       const mesh_contact *expected) {
  const oracle_shape *shape = expected->c.shape;
  mo_primitive still = mo_primitive_of_geometry(&shape->def.geometry, &shape->def.transform);
  if (expected->c.triangle != MO_NO_TRIANGLE) {
    const mo_vec3 *c = scene.oracle.meshes[shape->mesh].triangles[expected->c.triangle].corners;
    still = mo_primitive_of_triangle(c[0], c[1], c[2]);
    still.transform = shape->def.transform;
  }
  const mo_primitive moving = query_mesh_triangle(own, expected->own);
  const mo_movement movement = {def->displacement, def->pivot, def->axis, def->angle};
  mo_primitive_contact met;
  cr_assert_eq(mo_primitive_cast_turning(&still, &moving, &movement, false, &met), MO_OK);
  return met;
}

static void check_hit(const mo_cast_hit *hit, const mo_shape_cast_def *def, const query_mesh *own,
                      const mesh_contact *expected) {
  const char *kind = test_scene_kind_name(scene.kind);
  const oracle_contact *c = &expected->c;
  cr_assert(hit->found && hit->t == c->t && hit->shape.index == c->shape->id.index &&
                hit->triangle == c->triangle && hit->own_triangle == expected->own,
            "%s: t %a of shape %u, triangle %u and %u, not t %a of shape %u, triangle %u and %u",
            kind, (double)hit->t, hit->shape.index, hit->triangle, hit->own_triangle, (double)c->t,
            c->shape->id.index, c->triangle, expected->own);
  const mo_primitive_contact met = contact_of(def, own, expected);
  cr_assert(met.found && hit->t == met.t && is_same_point(hit->point, met.point) &&
                is_same_point(hit->normal, met.normal) && hit->depth == met.depth,
            "%s: another contact", kind);
  cr_assert(hit->feature == met.feature && hit->feature_index == met.feature_index &&
                hit->own_feature == met.own_feature &&
                hit->own_feature_index == met.own_feature_index,
            "%s: other features", kind);
  cr_assert_eq(hit->user_data, c->shape->def.user_data);
  cr_assert_eq(hit->own_triangle_user_data, own->oracle.triangles[expected->own].user_data);
}

static void check_first(const mo_scene *subject, const mo_shape_cast_def *def,
                        const query_mesh *own, const mesh_contact *list, uint32_t count) {
  mo_cast_hit first;
  bool found;
  memset(&first, 0x55, sizeof first);
  cr_assert_eq(mo_scene_cast_shape(subject, def, &first, NULL), MO_OK);
  cr_assert_eq(mo_scene_test_shape_cast(subject, def, &found, NULL), MO_OK);
  cr_assert_eq(found, count > 0);
  cr_assert_eq(first.found, count > 0, "%s", test_scene_kind_name(scene.kind));
  if (count == 0) {
    cr_assert(first.triangle == MO_NO_TRIANGLE && first.own_triangle == MO_NO_TRIANGLE);
    return;
  }
  const mesh_contact *best = &list[0];
  for (uint32_t i = 1; i < count; i++) {
    if (oracle_contact_is_before(&list[i].c, &best->c)) {
      best = &list[i];
    }
  }
  check_hit(&first, def, own, best);
}

static void check(const mo_shape_cast_def *def, const query_mesh *own, rng *r) {
  static mo_cast_hit hits[MAX];
  oracle_list expected;
  expect(own, def, &expected);
  const mesh_contact *list = expected.items;
  const uint32_t count = expected.count, few = rng_below(r, count + 1);
  for (uint32_t i = 0; i < scene.family.count; i++) {
    const mo_scene *subject = scene.family.scenes[i];
    uint32_t total;
    check_first(subject, def, own, list, count);
    cr_assert_eq(mo_scene_cast_shape_all(subject, def, hits, MAX, &total, NULL), MO_OK);
    cr_assert_eq(total, count, "%s: %u, not %u", test_scene_kind_name(scene.kind), total, count);
    for (uint32_t k = 0; k < count && k < MAX; k++) {
      check_hit(&hits[k], def, own, &list[k]);
    }
    cr_assert_eq(mo_scene_cast_shape_all(subject, def, hits, few, &total, NULL), MO_OK);
    cr_assert_eq(total, count);
    for (uint32_t k = 0; k < few && k < MAX; k++) {
      check_hit(&hits[k], def, own, &list[k]);
    }
  }
  oracle_list_free(&expected);
}

/* Leaves some triangles out, by nothing but which they are. */
static bool accept(mo_triangle_ref ref, float t, void *context) {
  (void)context;
  cr_assert(t >= 0 && t <= 1);
  return (ref.shape.index + ref.triangle) % 3 != 0;
}

static mo_shape_cast_def some_def(const query_mesh *own, rng *r) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  const sample_target to = test_scene_target(&scene, r);
  const mo_vec3 end = sample_point(r, &to), from = own->primitive.transform.origin;
  def.primitive = own->primitive;
  const mo_vec3 way = {end.x - from.x, end.y - from.y, end.z - from.z};
  const float factor = rng_float(r, 0, 2);
  def.displacement = (mo_vec3){factor * way.x, factor * way.y, factor * way.z};
  if (rng_chance(r, 0.15) || !(fabsf(def.displacement.x) <= 1e30f) ||
      !(fabsf(def.displacement.y) <= 1e30f) || !(fabsf(def.displacement.z) <= 1e30f)) {
    def.displacement = (mo_vec3){0, 0, 0};
  }
  def.options.filter = test_scene_filter(&scene, r);
  def.options.hit_volumes = rng_below(r, 2);
  def.options.every_triangle = rng_chance(r, 0.3);
  def.options.cull_back_faces = rng_chance(r, 0.3);
  if (rng_chance(r, 0.35)) {
    def.pivot = rng_chance(r, 0.5) ? from : to.corners[1];
    def.axis = rng_direction(r);
    def.angle = rng_float(r, -4, 4);
    def.options.cull_back_faces = false; /* the velocity differs from place to place */
  }
  if (rng_chance(r, 0.2)) {
    def.options.accept_triangle = accept;
  }
  return def;
}

/* Shapes of the scenes. With sanitizers a cast that rotates takes ten times as long, and of six
 * shapes, too, some scenes have trees of several levels. */
#if defined(TEST_SANITIZED)
static const uint32_t sizes[] = {0, 1, 6};
#else
static const uint32_t sizes[] = {0, 1, 6, 14};
#endif

Test(scene_cast_meshes, as_brute_force) {
  rng r = rng_make(rng_seed("scene_cast_meshes/brute force", 5291));
  const uint64_t rounds = rng_few_rounds(3, 30);
  uint32_t tried = 0, found = 0;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      if (sizes[i] > 1) {
        query_mesh_add_height_field(&scene, &r);
      }
      for (uint64_t k = 0; k < rounds; k++) {
        query_mesh own;
        query_mesh_make(&own, &scene, &r);
        const mo_shape_cast_def def = some_def(&own, &r);
        mo_cast_hit hit;
        if (mo_scene_cast_shape(scene.family.scenes[0], &def, &hit, NULL) == MO_OK) {
          check(&def, &own, &r); /* others go beyond the range of coordinates */
          tried++;
          found += hit.found;
        }
        query_mesh_free(&own);
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
  cr_assert(found > tried / 8 && found < tried, "%u of %u", found, tried);
}

static void check_same(const mo_cast_hit *a, const mo_cast_hit *b) {
  cr_assert(a->found == b->found);
  if (a->found) {
    cr_assert(a->t == b->t && a->triangle == b->triangle && a->own_triangle == b->own_triangle &&
              is_same_point(a->point, b->point) && is_same_point(a->normal, b->normal) &&
              a->depth == b->depth && a->feature == b->feature &&
              a->feature_index == b->feature_index && a->own_feature == b->own_feature &&
              a->own_feature_index == b->own_feature_index);
  }
}

/* A mesh alone casts triangle by triangle, a scene sweeps both meshes if one rotates: both find the
 * same, whatever the approach that a contact needs. */
Test(scene_cast_meshes, mesh_alone_as_in_a_scene) {
  static mo_cast_hit lists[2][MAX];
  rng r = rng_make(rng_seed("scene_cast_meshes/mesh alone", 5294));
  const uint64_t rounds = rng_few_rounds(60, 3000);
  uint32_t found = 0;
  for (uint64_t k = 0; k < rounds; k++) {
    test_mesh meshes[2];
    mo_mesh *made[2];
    for (int s = 0; s < 2; s++) {
      const test_mesh_kind kind =
          rng_chance(&r, 0.5) ? TEST_MESH_TORUS : (test_mesh_kind)rng_below(&r, TEST_MESH_TINY);
      meshes[s] = test_mesh_make(kind, 10 + rng_below(&r, 60), &r);
      made[s] = test_mesh_build(&meshes[s]);
    }
    mo_scene *subject = test_scene_empty();
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
    mo_shape_id id;
    shape.geometry.mesh = made[0];
    cr_assert_eq(mo_scene_add_shape(subject, &shape, &id), MO_OK);
    cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
    const mo_geometry geometry = {.type = MO_SHAPE_MESH, .mesh = made[1]};
    const mo_transform from = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_FAR), 2);
    mo_shape_cast_def def = mo_default_shape_cast_def();
    def.primitive = mo_primitive_of_geometry(&geometry, &from);
    def.displacement = rng_vec3(&r, -3, 3);
    def.axis = rng_direction(&r);
    def.pivot = from.origin;
    def.angle = rng_chance(&r, 0.4) ? rng_float(&r, -3, 3) : 0;
    def.options.min_approach = rng_chance(&r, 0.5) ? rng_float(&r, 0, 1) : -1;
    def.options.cull_back_faces = rng_chance(&r, 0.3);
    mo_cast_hit hits[2];
    cr_assert_eq(mo_scene_cast_shape(subject, &def, &hits[0], NULL), MO_OK);
    cr_assert_eq(mo_mesh_cast_shape(made[0], &def, &hits[1], NULL), MO_OK);
    check_same(&hits[0], &hits[1]);
    found += hits[0].found;
    uint32_t totals[2];
    bool any[2];
    def.options.every_triangle = true;
    cr_assert_eq(mo_scene_cast_shape_all(subject, &def, lists[0], MAX, &totals[0], NULL), MO_OK);
    cr_assert_eq(mo_mesh_cast_shape_all(made[0], &def, lists[1], MAX, &totals[1], NULL), MO_OK);
    cr_assert_eq(mo_scene_test_shape_cast(subject, &def, &any[0], NULL), MO_OK);
    cr_assert_eq(mo_mesh_test_shape_cast(made[0], &def, &any[1], NULL), MO_OK);
    cr_assert(totals[0] == totals[1] && any[0] == hits[0].found && any[1] == hits[0].found &&
              (totals[0] > 0) == any[0]);
    for (uint32_t i = 0; i < totals[0] && i < MAX; i++) {
      check_same(&lists[0][i], &lists[1][i]);
    }
    mo_scene_destroy(subject);
    for (int s = 0; s < 2; s++) {
      mo_mesh_release(made[s]);
      test_mesh_free(&meshes[s]);
    }
  }
  cr_assert(found > rounds / 6, "%u", found);
}

/* By bounds, a mesh moves as its world box. */
Test(scene_cast_meshes, by_bounds_as_its_box) {
  rng r = rng_make(rng_seed("scene_cast_meshes/bounds", 5295));
  uint32_t found = 0;
  test_scene_make(&scene, TEST_SCENE_HALF_SPACES, 20, &r);
  for (int round = 0; round < 60; round++) {
    query_mesh own;
    query_mesh_make(&own, &scene, &r);
    mo_shape_cast_def def = some_def(&own, &r), of_box = def;
    def.precision = of_box.precision = MO_PRECISION_BOUNDS;
    const mo_aabb bounds = mo_mesh_bounds(own.mesh);
    const mo_geometry volume = {.type = MO_SHAPE_VOLUME, .volume = bounds};
    of_box.primitive = mo_primitive_of_geometry(&volume, &own.primitive.transform);
    mo_cast_hit hits[2];
    if (own.oracle.count > 0 &&
        mo_scene_cast_shape(scene.family.scenes[0], &def, &hits[0], NULL) == MO_OK) {
      cr_assert_eq(mo_scene_cast_shape(scene.family.scenes[0], &of_box, &hits[1], NULL), MO_OK);
      check_same(&hits[0], &hits[1]);
      found += hits[0].found;
    }
    query_mesh_free(&own);
  }
  cr_assert_gt(found, 5);
  cr_assert(test_scene_free(&scene), "memory is outstanding");
}

/* On the way to the contact the mesh touches nothing; and without one, it touches nothing at all:
 * by the queries for overlaps, for small meshes among others. */
Test(scene_cast_meshes, is_when_shapes_begin_to_touch) {
  rng r = rng_make(rng_seed("scene_cast_meshes/sampled", 5292));
  const uint64_t rounds = rng_few_rounds(12, 400);
  uint32_t met = 0, checked = 0;
  for (uint64_t k = 0; k < rounds; k++) {
    test_scene_make(&scene, TEST_SCENE_PLAIN, 5, &r);
    for (int round = 0; round < 4; round++) {
      test_mesh plain = test_mesh_make(TEST_MESH_TORUS, 40, &r);
      mo_mesh *mesh = test_mesh_build(&plain);
      const mo_geometry geometry = {.type = MO_SHAPE_MESH, .mesh = mesh};
      const mo_transform from = rng_transform(&r, RNG_RIGID, 2 * scene.spread);
      mo_shape_cast_def def = mo_default_shape_cast_def();
      def.primitive = mo_primitive_of_geometry(&geometry, &from);
      const mo_vec3 end = rng_vec3(&r, -scene.spread, scene.spread);
      def.displacement =
          (mo_vec3){end.x - from.origin.x, end.y - from.origin.y, end.z - from.origin.z};
      def.pivot = from.origin;
      def.axis = rng_direction(&r);
      def.angle = rng_chance(&r, 0.5) ? rng_float(&r, -3, 3) : 0;
      def.options.hit_volumes = true;
      mo_cast_hit hit;
      cr_assert_eq(mo_scene_cast_shape(scene.family.scenes[0], &def, &hit, NULL), MO_OK);
      met += hit.found;
      const mo_movement movement = {def.displacement, def.pivot, def.axis, def.angle};
      for (int step = 0; step < 16; step++) {
        const float end_t = hit.found ? hit.t * 0.999f : 1, t = end_t * (float)step / 15;
        mo_transform there;
        cr_assert_eq(mo_movement_transform(&movement, t, &from, &there), MO_OK);
        mo_overlap_def overlap =
            mo_overlap_primitive_def(mo_primitive_of_geometry(&geometry, &there));
        bool touches;
        cr_assert_eq(mo_scene_test_overlap(scene.family.scenes[0], &overlap, &touches, NULL),
                     MO_OK);
        const bool at_start = hit.found && hit.t == 0;
        checked += !at_start;
        cr_assert(at_start || !touches, "through something at %g of %g", (double)t, (double)end_t);
      }
      mo_mesh_release(mesh);
      test_mesh_free(&plain);
    }
    cr_assert(test_scene_free(&scene), "memory is outstanding");
  }
  cr_assert(met > rounds / 3 && checked > 8 * rounds, "%u, %u", met, checked);
}

/* After the translation the mesh touches nothing. */
Test(scene_cast_meshes, separation_parts_or_says_so) {
  rng r = rng_make(rng_seed("scene_cast_meshes/separation", 5293));
  const uint64_t rounds = rng_few_rounds(10, 300);
  uint32_t overlaps = 0, parted = 0;
  for (uint64_t k = 0; k < rounds; k++) {
    const test_scene_kind kind = rng_chance(&r, 0.5)
                                     ? TEST_SCENE_CROWDED
                                     : (test_scene_kind)rng_below(&r, TEST_SCENE_KIND_COUNT);
    test_scene_make(&scene, kind, 4, &r);
    for (int round = 0; round < 12; round++) {
      query_mesh own;
      query_mesh_make(&own, &scene, &r);
      mo_shape_cast_def def = mo_default_shape_cast_def();
      def.primitive = own.primitive;
      def.options.hit_volumes = true;
      mo_separation first = {.found = false};
      for (uint32_t i = 0; i < scene.family.count; i++) {
        mo_separation s;
        const mo_result result = mo_scene_find_separation(scene.family.scenes[i], &def, &s, NULL);
        if (result != MO_OK) {
          cr_assert_eq(result, MO_ERROR_OUT_OF_RANGE);
          break;
        }
        first = i == 0 ? s : first;
        cr_assert(s.overlaps == first.overlaps && s.found == first.found &&
                  (!s.found || is_same_point(s.translation, first.translation)));
        if (!s.found) {
          continue;
        }
        mo_primitive away = own.primitive;
        away.transform.origin.x += s.translation.x;
        away.transform.origin.y += s.translation.y;
        away.transform.origin.z += s.translation.z;
        const mo_overlap_def overlap = mo_overlap_primitive_def(away);
        bool touches;
        cr_assert_eq(mo_scene_test_overlap(scene.family.scenes[i], &overlap, &touches, NULL),
                     MO_OK);
        cr_assert(!touches);
      }
      overlaps += first.overlaps;
      parted += first.found;
      query_mesh_free(&own);
    }
    cr_assert(test_scene_free(&scene), "memory is outstanding");
  }
  cr_assert(overlaps > rounds / 2 && (parted > 0 || rounds < 10), "%u of %u", parted, overlaps);
}
