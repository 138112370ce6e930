/* Overlaps with a mesh that is in no scene, of shapes and of triangles: against a loop over all
 * pairs of triangles and solids with mo_primitive_overlap, in scenes of every kind, by every
 * placement policy and instruction set; and where they are certain, as separating axes in long
 * double say. */
#include <criterion/criterion.h>
#include <motte/overlap.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/pair/two_meshes.h"
#include "query/overlap/shapes.h"
#include "query/query_mesh.h"

enum { MAX = 4000 };

static test_scene scene;
static uint64_t certain;

static bool overlap(const mo_primitive *a, const mo_primitive *b) {
  bool answer = false;
  const mo_result result = mo_primitive_overlap(a, b, &answer);
  cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE, "%s", mo_result_name(result));
  return answer;
}

/* Whether a primitive touches one of the triangles of the query's mesh. */
static bool touches(const query_mesh *own, const mo_primitive *other) {
  for (uint32_t i = 0; i < own->oracle.count; i++) {
    const mo_primitive triangle = query_mesh_triangle(own, i);
    if (overlap(other, &triangle)) {
      return true;
    }
  }
  return false;
}

/* A second opinion on two triangles. */
static void check_by_axes(const mo_primitive *a, const mo_primitive *b) {
  ldvec w[2][3];
  for (int i = 0; i < 3; i++) {
    w[0][i] = image(&a->transform, a->points[i]);
    w[1][i] = image(&b->transform, b->points[i]);
  }
  bool decides;
  const ldouble gap = gap_between(w[0], w[1], &decides), tolerance = tolerance_of(w[0], w[1]);
  if (gap > tolerance || (decides && gap < -tolerance)) {
    cr_assert_eq(overlap(a, b), gap < 0, "%Lg", gap);
    certain++;
  }
}

/* The triangles of a shape that touch the query's mesh. */
static uint32_t touched_triangles(const oracle_shape *shape, const query_mesh *own,
                                  uint32_t *triangles) {
  const oracle_mesh *mesh = &scene.oracle.meshes[shape->mesh];
  uint32_t count = 0;
  for (uint32_t i = 0; i < mesh->count; i++) {
    const mo_primitive triangle = shape_triangle(&scene, shape, i);
    if (own->oracle.count > 0) {
      const mo_primitive first = query_mesh_triangle(own, i % own->oracle.count);
      check_by_axes(&triangle, &first);
    }
    if (touches(own, &triangle)) {
      triangles[count++] = i;
    }
  }
  return count;
}

/* By bounds, a shape is the box that it is stored under. */
static bool touches_shape(const oracle_shape *shape, const query_mesh *own,
                          mo_precision precision) {
  static uint32_t triangles[MAX];
  if (precision == MO_PRECISION_GEOMETRY && shape->def.geometry.type == MO_SHAPE_MESH) {
    return touched_triangles(shape, own, triangles) > 0;
  }
  const mo_primitive other = shape_primitive(shape, precision);
  return touches(own, &other);
}

/* What the queries are to find. */
typedef struct expected_overlaps {
  mo_shape_id shapes[MAX];
  mo_triangle_ref triangles[MAX];
  uint32_t shape_count, triangle_count;
} expected_overlaps;

static void expect(const mo_overlap_def *def, const query_mesh *own, expected_overlaps *expected) {
  expected->shape_count = expected->triangle_count = 0;
  for (uint32_t i = 0; i < scene.oracle.shape_count; i++) {
    const oracle_shape *shape = &scene.oracle.shapes[i];
    if (!oracle_filter_passes(&def->filter, shape)) {
      continue;
    }
    if (touches_shape(shape, own, def->precision)) {
      expected->shapes[expected->shape_count++] = shape->id;
    }
    if (shape->def.geometry.type == MO_SHAPE_MESH) {
      static uint32_t of_shape[MAX];
      const uint32_t more = touched_triangles(shape, own, of_shape);
      for (uint32_t k = 0; k < more && expected->triangle_count < MAX; k++) {
        expected->triangles[expected->triangle_count++] =
            (mo_triangle_ref){shape->id, of_shape[k], 0};
      }
    }
  }
}

static bool count_visit(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)shape;
  (void)user_data;
  ++*(uint32_t *)context;
  return true;
}

/* Odd triangles do not count; each is offered at most once. */
typedef struct odd_filter {
  mo_triangle_ref seen[MAX];
  uint32_t count;
} odd_filter;

static bool is_even(mo_triangle_ref ref, void *context) {
  odd_filter *f = context;
  for (uint32_t i = 0; i < f->count; i++) {
    cr_assert(f->seen[i].shape.index != ref.shape.index || f->seen[i].triangle != ref.triangle);
  }
  cr_assert_lt(f->count, MAX);
  f->seen[f->count++] = ref;
  return ref.triangle % 2 == 0;
}

/* With odd triangles left out: the shapes of which an even one is touched, and the other kinds. */
static void check_filtered(const mo_scene *subject, const mo_overlap_def *def,
                           const expected_overlaps *expected) {
  static mo_shape_id shapes[MAX];
  static odd_filter odd;
  mo_overlap_def filtered = *def;
  uint32_t total, next = 0;
  odd.count = 0;
  filtered.accept_triangle = is_even;
  filtered.accept_context = &odd;
  cr_assert_eq(mo_scene_overlap_shapes(subject, &filtered, shapes, MAX, &total, NULL), MO_OK);
  for (uint32_t i = 0; i < expected->shape_count; i++) {
    const mo_shape_id id = expected->shapes[i];
    bool has_triangles = false, has_even = false;
    for (uint32_t k = 0; k < expected->triangle_count; k++) {
      if (expected->triangles[k].shape.index == id.index) {
        has_triangles = true;
        has_even |= expected->triangles[k].triangle % 2 == 0;
      }
    }
    if (has_even || !has_triangles) {
      cr_assert(next < total && shapes[next].index == id.index);
      next++;
    }
  }
  cr_assert_eq(next, total);
}

static void check(const mo_overlap_def *def, const expected_overlaps *expected) {
  static mo_shape_id shapes[MAX];
  static mo_triangle_ref triangles[MAX];
  const uint32_t count = expected->shape_count, triangle_count = expected->triangle_count;
  for (uint32_t i = 0; i < scene.family.count; i++) {
    const mo_scene *subject = scene.family.scenes[i];
    uint32_t total, visited = 0;
    bool found;
    cr_assert_eq(mo_scene_overlap_shapes(subject, def, shapes, MAX, &total, NULL), MO_OK);
    cr_assert_eq(total, count, "%s: %u shapes, not %u", test_scene_kind_name(scene.kind), total,
                 count);
    cr_assert(memcmp(shapes, expected->shapes, count * sizeof *shapes) == 0);
    cr_assert_eq(mo_scene_test_overlap(subject, def, &found, NULL), MO_OK);
    cr_assert_eq(found, count > 0);
    cr_assert_eq(mo_scene_visit_overlaps(subject, def, count_visit, &visited, NULL), MO_OK);
    cr_assert_eq(visited, count);
    cr_assert_eq(mo_scene_overlap_triangles(subject, def, triangles, MAX, &total, NULL), MO_OK);
    cr_assert_eq(total, triangle_count, "%s: %u triangles, not %u",
                 test_scene_kind_name(scene.kind), total, triangle_count);
    for (uint32_t k = 0; k < triangle_count; k++) {
      cr_assert(triangles[k].triangle == expected->triangles[k].triangle &&
                triangles[k].shape.index == expected->triangles[k].shape.index);
    }
    cr_assert_eq(mo_scene_test_triangles(subject, def, &found, NULL), MO_OK);
    cr_assert_eq(found, triangle_count > 0);
    const uint32_t few = count / 2;
    cr_assert_eq(mo_scene_overlap_shapes(subject, def, shapes, few, &total, NULL), MO_OK);
    cr_assert(total == count && memcmp(shapes, expected->shapes, few * sizeof *shapes) == 0);
    if (def->precision == MO_PRECISION_GEOMETRY) {
      check_filtered(subject, def, expected);
    }
  }
}

Test(overlap_meshes, as_brute_force) {
  static const uint32_t sizes[] = {0, 6, 20};
  static expected_overlaps expected;
  rng r = rng_make(rng_seed("overlap_meshes/brute force", 5281));
  const uint64_t rounds = rng_few_rounds(8, 200);
  uint32_t found = 0, tried = 0;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      if (sizes[i] > 0) {
        query_mesh_add_height_field(&scene, &r);
      }
      for (uint64_t k = 0; k < rounds; k++) {
        query_mesh own;
        query_mesh_make(&own, &scene, &r);
        mo_overlap_def def = mo_overlap_primitive_def(own.primitive);
        uint32_t total;
        const mo_result result =
            mo_scene_overlap_shapes(scene.family.scenes[0], &def, NULL, 0, &total, NULL);
        if (result == MO_OK) {
          def.filter = test_scene_filter(&scene, &r);
          def.precision = rng_chance(&r, 0.2) ? MO_PRECISION_BOUNDS : MO_PRECISION_GEOMETRY;
          expect(&def, &own, &expected);
          check(&def, &expected);
          tried++;
          found += expected.shape_count > 0;
        } else {
          cr_assert_eq(result, MO_ERROR_OUT_OF_RANGE); /* its transform takes it too far */
        }
        query_mesh_free(&own);
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
  cr_assert(found > tried / 8 && found < tried, "%u of %u", found, tried);
  cr_assert_gt(certain, 1000);
}

/* The triangles of one mesh that touch another one: as in the list of pairs. */
Test(overlap_meshes, triangles_of_one_mesh_as_its_pairs) {
  static mo_triangle_pair pairs[1 << 16];
  static uint32_t triangles[MAX];
  rng r = rng_make(rng_seed("overlap_meshes/one mesh", 5282));
  for (uint64_t k = 0, n = rng_few_rounds(60, 3000); k < n; k++) {
    test_mesh meshes[2];
    mo_mesh *made[2];
    for (int s = 0; s < 2; s++) {
      meshes[s] = test_mesh_make(TEST_MESH_TORUS, 30 + rng_below(&r, 200), &r);
      made[s] = test_mesh_build(&meshes[s]);
    }
    mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
    def.other = made[1];
    def.other_transform = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_FAR), 1);
    const mo_geometry geometry = {.type = MO_SHAPE_MESH, .mesh = made[1]};
    const mo_primitive primitive = mo_primitive_of_geometry(&geometry, &def.other_transform);
    uint32_t pair_count, count, next = 0;
    cr_assert_eq(mo_mesh_overlap_mesh(made[0], &def, pairs, 1 << 16, &pair_count, NULL), MO_OK);
    cr_assert_eq(mo_mesh_overlap_primitive(made[0], &primitive, triangles, MAX, &count, NULL),
                 MO_OK);
    for (uint32_t i = 0; i < pair_count; i++) {
      if (i == 0 || pairs[i].triangle != pairs[i - 1].triangle) {
        cr_assert(next < count && triangles[next] == pairs[i].triangle);
        next++;
      }
    }
    cr_assert_eq(next, count);
    for (int s = 0; s < 2; s++) {
      mo_mesh_release(made[s]);
      test_mesh_free(&meshes[s]);
    }
  }
}

/* A mesh is its surface: it does not touch what lies wholly inside it, nor what contains it if that
 * is a mesh; but a solid that contains it. */
Test(overlap_meshes, surfaces_by_hand) {
  test_mesh plain = test_mesh_make_sphere(300);
  mo_mesh *sphere = test_mesh_build(&plain);
  mo_scene *subject = test_scene_empty();
  const mo_geometry geometry = {.type = MO_SHAPE_MESH, .mesh = sphere};
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  mo_shape_id ids[3], found[3];
  uint32_t total;
  shape.geometry.sphere.radius = 0.5f; /* inside the mesh */
  cr_assert_eq(mo_scene_add_shape(subject, &shape, &ids[0]), MO_OK);
  shape.geometry.sphere.radius = 2.0f; /* around it */
  cr_assert_eq(mo_scene_add_shape(subject, &shape, &ids[1]), MO_OK);
  shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = sphere;
  shape.transform.x_axis.x = shape.transform.y_axis.y = shape.transform.z_axis.z = 3.0f;
  cr_assert_eq(mo_scene_add_shape(subject, &shape, &ids[2]), MO_OK);
  cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
  mo_transform at = mo_transform_identity();
  mo_overlap_def def = mo_overlap_primitive_def(mo_primitive_of_geometry(&geometry, &at));
  cr_assert_eq(mo_scene_overlap_shapes(subject, &def, found, 3, &total, NULL), MO_OK);
  cr_assert(total == 1 && found[0].index == ids[1].index);
  at.origin.x = 2.0f; /* from 1 to 3 */
  def = mo_overlap_primitive_def(mo_primitive_of_geometry(&geometry, &at));
  cr_assert_eq(mo_scene_overlap_shapes(subject, &def, found, 3, &total, NULL), MO_OK);
  cr_assert(total == 2 && found[0].index == ids[1].index && found[1].index == ids[2].index);
  mo_scene_destroy(subject);
  mo_mesh_release(sphere);
  test_mesh_free(&plain);
}
