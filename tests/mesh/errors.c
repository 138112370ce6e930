/* Bad input is a documented code, and leaves objects and outputs as they were; every allocation may
 * fail. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/reference.h"
#include "support/counting_allocator.h"
#include "support/defs.h"
#include "support/families.h"
#include "support/samples.h"

static const float nan_value = NAN;
static counting_allocator counter;

/* A tetrahedron. */
static mo_vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static uint32_t indices[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static mo_mesh_def good_def(void) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.vertex_count = 4;
  def.indices = indices;
  def.triangle_count = 4;
  def.host = counting_allocator_host(&counter);
  return def;
}

static void refused(const mo_mesh_def *def, mo_result expected, const char *what) {
  mo_mesh *const untouched = (mo_mesh *)(uintptr_t)0x40;
  mo_mesh *mesh = untouched;
  mo_result result = mo_mesh_create(def, &mesh);
  cr_assert_eq(result, expected, "%s: %s", what, mo_result_name(result));
  cr_assert_eq(mesh, untouched, "%s: the output was written", what);
  cr_assert(counting_allocator_is_clean(&counter), "%s: memory is outstanding", what);
}

Test(mesh_errors, create) {
  counting_allocator_init(&counter);
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(NULL, &mesh), MO_ERROR_NULL_ARGUMENT);
  mo_mesh_def def = good_def();
  cr_assert_eq(mo_mesh_create(&def, NULL), MO_ERROR_NULL_ARGUMENT);

  def = good_def();
  def.positions = NULL;
  refused(&def, MO_ERROR_NULL_ARGUMENT, "no positions");
  def = good_def();
  def.indices = NULL;
  refused(&def, MO_ERROR_NULL_ARGUMENT, "no indices");
  def = good_def();
  def.index_type = (mo_index_type)7;
  refused(&def, MO_ERROR_INVALID_ARGUMENT, "index type");
  def = good_def();
  def.position_stride = 11;
  refused(&def, MO_ERROR_INVALID_ARGUMENT, "stride 11");
  def = good_def();
  def.position_stride = 0;
  refused(&def, MO_ERROR_INVALID_ARGUMENT, "stride 0");
  def = good_def();
  def.triangle_count = MO_MAX_TRIANGLES + 1;
  refused(&def, MO_ERROR_TOO_MANY, "triangles beyond the limit");
  def = good_def();
  def.index_type = MO_INDEX_NONE;
  refused(&def, MO_ERROR_INVALID_INDEX, "a soup of more triangles than vertices");
  def = good_def();
  def.vertex_count = 0;
  refused(&def, MO_ERROR_INVALID_INDEX, "no vertices but triangles");
  def = good_def();
  def.isa = (mo_isa)99;
  mo_mesh *const untouched = mesh;
  cr_assert_neq(mo_mesh_create(&def, &mesh), MO_OK);
  cr_assert_eq(mesh, untouched);
}

Test(mesh_errors, build_options) {
  counting_allocator_init(&counter);
#define BAD(field, value)                                                                          \
  do {                                                                                             \
    mo_mesh_def bad = good_def();                                                                  \
    bad.build.field = (value);                                                                     \
    refused(&bad, MO_ERROR_INVALID_ARGUMENT, #field " = " #value);                                 \
  } while (0)
  BAD(builder, (mo_mesh_builder)4);
  BAD(quality, (mo_mesh_quality)3);
  BAD(leaf_capacity, 0);
  BAD(leaf_capacity, 257);
  BAD(max_depth, 0);
  BAD(max_depth, MO_MESH_MAX_DEPTH + 1);
  BAD(duplicate_budget, -0.1f);
  BAD(duplicate_budget, 8.1f);
#undef BAD
  mo_mesh_def def = good_def();
  def.build.duplicate_budget = nan_value;
  mo_mesh *mesh = NULL;
  mo_result result = mo_mesh_create(&def, &mesh);
  cr_assert(result == MO_ERROR_INVALID_ARGUMENT || result == MO_ERROR_NOT_FINITE);

  def = good_def();
  def.build.compact = true;
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  refused(&def, MO_ERROR_INVALID_ARGUMENT, "compact and deformable");
  def.build.deformable = false;
  def.build.builder = MO_MESH_BUILDER_TOP_DOWN;
  def.build.bounds = (mo_aabb){{0, 0, 0}, {1, 1, 1}};
  refused(&def, MO_ERROR_INVALID_ARGUMENT, "compact and top-down");

  def = good_def();
  def.build.builder = MO_MESH_BUILDER_TOP_DOWN;
  def.build.bounds = (mo_aabb){{0, 0, 0}, {1, 1, 1}};
  def.build.depth = 0;
  refused(&def, MO_ERROR_INVALID_ARGUMENT, "depth 0");
  def.build.depth = 7;
  refused(&def, MO_ERROR_INVALID_ARGUMENT, "depth 7");
  def.build.depth = 2;
  def.build.bounds.upper.x = -1;
  refused(&def, MO_ERROR_INVALID_ARGUMENT, "lower > upper");
  def.build.bounds.upper.x = nan_value;
  refused(&def, MO_ERROR_NOT_FINITE, "NaN in the bounds");
  def.build.bounds.upper.x = 2e30f;
  refused(&def, MO_ERROR_OUT_OF_RANGE, "bounds beyond the limit");
  def.build.bounds.upper.x = 0.5f;
  refused(&def, MO_ERROR_OUT_OF_RANGE, "a triangle outside the bounds");
}

Test(mesh_errors, numbers) {
  counting_allocator_init(&counter);
  static const struct {
    float value;
    mo_result result;
  } bad[] = {
      {NAN, MO_ERROR_NOT_FINITE},           {INFINITY, MO_ERROR_NOT_FINITE},
      {-INFINITY, MO_ERROR_NOT_FINITE},     {1.0001e30f, MO_ERROR_OUT_OF_RANGE},
      {-1.0001e30f, MO_ERROR_OUT_OF_RANGE}, {FLT_MAX, MO_ERROR_OUT_OF_RANGE},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    for (int builder = 0; builder < 4; builder++) {
      for (int k = 0; k < 12; k++) {
        mo_vec3 copy[4];
        memcpy(copy, positions, sizeof copy);
        ((float *)copy)[k] = bad[i].value;
        mo_mesh_def def = good_def();
        def.positions = copy;
        def.build.builder = (mo_mesh_builder)builder;
        def.build.bounds = (mo_aabb){{-1, -1, -1}, {1, 1, 1}};
        refused(&def, bad[i].result, "a bad coordinate");
      }
    }
  }
  for (int k = 0; k < 12; k++) {
    for (int far = 0; far < 2; far++) {
      uint32_t copy[12];
      memcpy(copy, indices, sizeof copy);
      copy[k] = far ? UINT32_MAX : 4;
      mo_mesh_def def = good_def();
      def.indices = copy;
      refused(&def, MO_ERROR_INVALID_INDEX, "a bad index");
      uint16_t narrow[12];
      for (int i = 0; i < 12; i++) {
        narrow[i] = (uint16_t)copy[i];
      }
      def.indices = narrow;
      def.index_type = MO_INDEX_U16;
      refused(&def, MO_ERROR_INVALID_INDEX, "a bad 16-bit index");
    }
  }
}

/* The limit itself is legal. */
Test(mesh_errors, largest_coordinate_is_legal) {
  counting_allocator_init(&counter);
  mo_vec3 copy[4];
  memcpy(copy, positions, sizeof copy);
  copy[1].x = MO_MAX_COORDINATE;
  copy[2].y = -MO_MAX_COORDINATE;
  mo_mesh_def def = good_def();
  def.positions = copy;
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  cr_assert_eq(mo_mesh_validate(mesh), MO_OK);
  mo_mesh_release(mesh);
  cr_assert(counting_allocator_is_clean(&counter));
}

static mo_mesh *good_mesh(void) {
  counting_allocator_init(&counter);
  mo_mesh_def def = good_def();
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

Test(mesh_errors, getters) {
  mo_mesh *mesh = good_mesh();
  mo_vec3 corners[3] = {{5, 5, 5}};
  uint32_t data = 5;
  mo_mesh_stats stats;
  cr_assert_eq(mo_mesh_get_triangle(mesh, 4, corners, &data), MO_ERROR_INVALID_INDEX);
  cr_assert_eq(mo_mesh_get_triangle(mesh, MO_NO_TRIANGLE, corners, &data), MO_ERROR_INVALID_INDEX);
  cr_assert_eq(mo_mesh_get_triangle(mesh, 0, NULL, &data), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_get_triangle(NULL, 0, corners, &data), MO_ERROR_NULL_ARGUMENT);
  cr_assert(corners[0].x == 5 && data == 5);
  cr_assert_eq(mo_mesh_get_triangle(mesh, 0, corners, NULL), MO_OK);
  cr_assert_eq(mo_mesh_get_stats(mesh, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_get_stats(NULL, &stats), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_validate(NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_triangle_count(NULL), 0);
  mo_mesh_release(mesh);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(mesh_errors, inserting) {
  mo_mesh *mesh = good_mesh();
  uint32_t first = 77;
  cr_assert_eq(mo_mesh_insert_triangles(mesh, positions, 1, NULL, &first, NULL),
               MO_ERROR_UNSUPPORTED);
  mo_mesh_release(mesh);
  cr_assert(counting_allocator_is_clean(&counter));

  mo_mesh_def def = good_def();
  def.build.builder = MO_MESH_BUILDER_TOP_DOWN;
  def.build.bounds = (mo_aabb){{0, 0, 0}, {1, 1, 1}};
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  cr_assert_eq(mo_mesh_insert_triangles(NULL, positions, 1, NULL, &first, NULL),
               MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_insert_triangles(mesh, NULL, 1, NULL, &first, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_insert_triangles(mesh, positions, MO_MAX_TRIANGLES, NULL, &first, NULL),
               MO_ERROR_TOO_MANY);
  mo_vec3 two[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, nan_value, 0}};
  cr_assert_eq(mo_mesh_insert_triangles(mesh, two, 2, NULL, &first, NULL), MO_ERROR_NOT_FINITE);
  two[5].y = 1.5f;
  cr_assert_eq(mo_mesh_insert_triangles(mesh, two, 2, NULL, &first, NULL), MO_ERROR_OUT_OF_RANGE);
  two[5].y = 2e30f;
  cr_assert_eq(mo_mesh_insert_triangles(mesh, two, 2, NULL, &first, NULL), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(first, 77);
  cr_assert_eq(mo_mesh_triangle_count(mesh), 4);
  cr_assert_eq(mo_mesh_validate(mesh), MO_OK);
  cr_assert_eq(mo_mesh_insert_triangles(mesh, two, 1, NULL, &first, NULL), MO_OK);
  cr_assert_eq(first, 4);
  cr_assert_eq(mo_mesh_triangle_count(mesh), 5);
  mo_mesh_release(mesh);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* Everything that can be wrong with a ray, for all three queries; outputs stay. */
Test(mesh_errors, rays) {
  mo_mesh *mesh = good_mesh();
  mo_ray_def good = mo_default_ray_def();
  good.origin = (mo_vec3){0.2f, 0.2f, 5};
  good.direction = (mo_vec3){0, 0, -1};
  for (uint32_t i = 0; i < SAMPLE_BAD_RAYS; i++) {
    mo_ray_def ray = good;
    mo_result expected;
    sample_bad_ray(i, &ray, &expected);
    mo_ray_hit hit, before;
    memset(&hit, 0x11, sizeof hit);
    before = hit;
    bool any = true;
    uint32_t total = 99;
    mo_query_stats stats = {0}, no_stats = {0};
    mo_result result = mo_mesh_cast_ray(mesh, &ray, &hit, &stats);
    cr_assert_eq(result, expected, "case %d: %s", i, mo_result_name(result));
    cr_assert_eq(mo_mesh_test_ray(mesh, &ray, &any, &stats), expected, "case %d", i);
    cr_assert_eq(mo_mesh_cast_ray_all(mesh, &ray, &hit, 1, &total, &stats), expected, "case %d", i);
    cr_assert(memcmp(&hit, &before, sizeof hit) == 0 && any && total == 99, "case %d", i);
    cr_assert(memcmp(&stats, &no_stats, sizeof stats) == 0, "case %d", i);
  }
  mo_ray_hit hit;
  bool any;
  uint32_t total;
  cr_assert_eq(mo_mesh_cast_ray(NULL, &good, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cast_ray(mesh, NULL, &hit, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cast_ray(mesh, &good, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_test_ray(NULL, &good, &any, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_test_ray(mesh, NULL, &any, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_test_ray(mesh, &good, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cast_ray_all(NULL, &good, NULL, 0, &total, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cast_ray_all(mesh, NULL, NULL, 0, &total, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cast_ray_all(mesh, &good, NULL, 1, &total, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cast_ray_all(mesh, &good, &hit, 1, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  mo_mesh_release(mesh);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(mesh_errors, regions) {
  mo_mesh *mesh = good_mesh();
  static const float bad_number[] = {NAN, INFINITY, -INFINITY};
  uint32_t total = 99, buffer[4] = {9, 9, 9, 9};
  for (int i = 0; i < 18; i++) {
    mo_aabb box = {{0, 0, 0}, {1, 1, 1}};
    ((float *)&box)[i % 6] = bad_number[i / 6];
    mo_result result = mo_mesh_overlap_aabb(mesh, &box, buffer, 4, &total, NULL);
    cr_assert_eq(result, MO_ERROR_NOT_FINITE, "case %d: %s", i, mo_result_name(result));
  }
  for (int i = 0; i < 12; i++) {
    mo_sphere sphere = {{0, 0, 0}, 1};
    ((float *)&sphere)[i % 4] = bad_number[i / 4];
    cr_assert_eq(mo_mesh_overlap_sphere(mesh, &sphere, buffer, 4, &total, NULL),
                 MO_ERROR_NOT_FINITE);
    mo_plane plane = {{1, 0, 0}, 1};
    ((float *)&plane)[i % 4] = bad_number[i / 4];
    cr_assert_eq(mo_mesh_cull_planes(mesh, OF_PLANES(&plane, 1, NULL), buffer, 4, &total, NULL),
                 MO_ERROR_NOT_FINITE);
  }
  mo_aabb turned = {{0, 0, 1}, {1, 1, 0}}, far = {{0, 0, 0}, {1, 1, 2e30f}};
  mo_aabb box = {{0, 0, 0}, {1, 1, 1}};
  mo_sphere negative = {{0, 0, 0}, -1}, ball = {{0, 0, 0}, 1}, wide = {{0, 0, 2e30f}, 1};
  mo_plane planes[MO_MAX_PLANES + 1] = {{{1, 0, 0}, 1}};
  cr_assert_eq(mo_mesh_overlap_aabb(mesh, &turned, buffer, 4, &total, NULL),
               MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_mesh_overlap_aabb(mesh, &far, buffer, 4, &total, NULL), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(mo_mesh_overlap_sphere(mesh, &negative, buffer, 4, &total, NULL),
               MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_mesh_overlap_sphere(mesh, &wide, buffer, 4, &total, NULL), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(mo_mesh_cull_planes(mesh, OF_PLANES(planes, MO_MAX_PLANES + 1, NULL), buffer, 4,
                                   &total, NULL),
               MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_mesh_cull_planes(mesh, OF_PLANES(NULL, 1, NULL), buffer, 4, &total, NULL),
               MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cull_planes(mesh, OF_PLANES(planes, 1, NULL), NULL, 4, &total, NULL),
               MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_overlap_aabb(NULL, &box, buffer, 4, &total, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_overlap_aabb(mesh, NULL, buffer, 4, &total, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_overlap_aabb(mesh, &box, NULL, 4, &total, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_overlap_aabb(mesh, &box, buffer, 4, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_overlap_sphere(mesh, NULL, buffer, 4, &total, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_overlap_sphere(mesh, &ball, NULL, 4, &total, NULL), MO_ERROR_NULL_ARGUMENT);
  bool inside = true;
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(mo_mesh_contains_point(mesh, (mo_vec3){0, bad_number[i], 0}, &inside, NULL),
                 MO_ERROR_NOT_FINITE);
  }
  cr_assert_eq(mo_mesh_contains_point(mesh, (mo_vec3){0, 0, -2e30f}, &inside, NULL),
               MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(mo_mesh_contains_point(mesh, (mo_vec3){0, 0, 0}, NULL, NULL),
               MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_contains_point(NULL, (mo_vec3){0, 0, 0}, &inside, NULL),
               MO_ERROR_NULL_ARGUMENT);
  cr_assert(inside && total == 99 && buffer[0] == 9, "an output was written");
  mo_mesh_release(mesh);
  cr_assert(counting_allocator_is_clean(&counter));
}

/* Lets the nth allocation fail, for every n until the call succeeds. */
Test(mesh_errors, every_allocation_of_create_may_fail) {
  rng r = rng_make(rng_seed("mesh_errors/create", 41));
  for (int builder = 0; builder < 5; builder++) { /* the last: compact */
    test_mesh mesh = test_mesh_make(TEST_MESH_SOUP, 600, &r);
    uint32_t *data = calloc(mesh.triangle_count, sizeof *data);
    mo_mesh_def def = test_mesh_def(&mesh);
    def.triangle_user_data = data;
    def.build.builder = (mo_mesh_builder)(builder % 4);
    def.build.compact = builder == 4;
    def.build.bounds = test_mesh_bounds(&mesh);
    counting_allocator_init(&counter);
    def.host = counting_allocator_host(&counter);
    for (int all_after = 0; all_after < 2; all_after++) {
      bool failed = true;
      size_t nth = 1;
      for (; failed; nth++) {
        mo_mesh *built = NULL;
        counting_allocator_fail_at(&counter, nth, all_after);
        mo_result result = mo_mesh_create(&def, &built);
        failed = counter.calls >= nth;
        /* An allocation that only saves memory may fail without harm. */
        cr_assert(result == MO_OK || (failed && result == MO_ERROR_OUT_OF_MEMORY),
                  "builder %d, allocation %zu: %s", builder, nth, mo_result_name(result));
        cr_assert((built == NULL) == (result != MO_OK));
        cr_assert(built == NULL || mo_mesh_validate(built) == MO_OK);
        mo_mesh_release(built);
        cr_assert(counting_allocator_is_clean(&counter), "builder %d, allocation %zu", builder,
                  nth);
      }
      cr_assert_gt(nth, 3, "builder %d allocates", builder);
    }
    free(data);
    test_mesh_free(&mesh);
  }
}

Test(mesh_errors, every_allocation_of_a_swept_mesh_may_fail) {
  rng r = rng_make(rng_seed("mesh_errors/swept", 44));
  test_mesh mesh = test_mesh_make(TEST_MESH_SOUP, 300, &r);
  mo_swept_mesh_def def = mo_default_swept_mesh_def();
  def.positions = mesh.positions;
  def.vertex_count = mesh.vertex_count;
  def.indices = mesh.indices;
  def.triangle_count = mesh.triangle_count;
  counting_allocator_init(&counter);
  def.host = counting_allocator_host(&counter);
  bool failed = true;
  size_t nth = 1;
  for (; failed; nth++) {
    mo_swept_mesh *made = NULL;
    counting_allocator_fail_at(&counter, nth, false);
    const mo_result result = mo_swept_mesh_create(&def, &made);
    failed = counter.calls >= nth;
    cr_assert(result == MO_OK || (failed && result == MO_ERROR_OUT_OF_MEMORY), "allocation %zu: %s",
              nth, mo_result_name(result));
    cr_assert((made == NULL) == (result != MO_OK));
    cr_assert(made == NULL || mo_swept_mesh_validate(made) == MO_OK);
    if (made != NULL) { /* moves and queries do not allocate */
      mo_swept_impact_def query = mo_default_swept_impact_def();
      mo_swept_impact impact;
      query.other = made;
      counting_allocator_fail_at(&counter, 1, true);
      cr_assert_eq(mo_swept_mesh_move(made, mesh.positions + 1, mesh.positions, sizeof(mo_vec3),
                                      mesh.vertex_count, NULL, NULL),
                   MO_OK);
      cr_assert_eq(mo_swept_mesh_find_impact(made, &query, &impact, NULL), MO_OK);
      cr_assert_eq(counter.calls, 0);
    }
    mo_swept_mesh_destroy(made);
    cr_assert(counting_allocator_is_clean(&counter), "allocation %zu", nth);
  }
  cr_assert_gt(nth, 8, "creating allocates");
  test_mesh_free(&mesh);
}

Test(mesh_errors, every_allocation_of_insert_may_fail) {
  rng r = rng_make(rng_seed("mesh_errors/insert", 42));
  test_mesh mesh = test_mesh_make(TEST_MESH_SOUP, 300, &r);
  mo_vec3 *corners = malloc(3 * mesh.triangle_count * sizeof *corners);
  for (uint32_t i = 0; i < mesh.triangle_count; i++) {
    test_mesh_corners(&mesh, i, corners + 3 * i);
  }
  counting_allocator_init(&counter);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.builder = MO_MESH_BUILDER_TOP_DOWN;
  def.build.depth = 2;
  def.build.bounds = test_mesh_bounds(&mesh);
  def.triangle_count = 10;
  def.host = counting_allocator_host(&counter);
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  mo_sphere all = {{0, 0, 0}, 10};
  bool failed = true;
  size_t nth = 1;
  for (; failed; nth++) {
    size_t bytes = counter.outstanding_bytes;
    uint32_t first = 77, data[300] = {1}, total = 0;
    counting_allocator_fail_at(&counter, nth, false);
    mo_result result = mo_mesh_insert_triangles(built, corners, 300, data, &first, NULL);
    failed = counter.calls >= nth;
    cr_assert_eq(result, failed ? MO_ERROR_OUT_OF_MEMORY : MO_OK, "allocation %zu: %s", nth,
                 mo_result_name(result));
    counting_allocator_fail_at(&counter, 0, false);
    cr_assert_eq(mo_mesh_validate(built), MO_OK);
    cr_assert_eq(mo_mesh_triangle_count(built), failed ? 10 : 310);
    cr_assert_eq(first, failed ? 77 : 10);
    cr_assert_eq(mo_mesh_overlap_sphere(built, &all, NULL, 0, &total, NULL), MO_OK);
    cr_assert_eq(total, failed ? 10 : 310);
    /* Free capacity may stay allocated after a failure, but must not grow with each attempt. */
    cr_assert(!failed || counter.outstanding_bytes <= 64 * bytes);
  }
  cr_assert_gt(nth, 2, "inserting allocates");
  mo_mesh_release(built);
  cr_assert(counting_allocator_is_clean(&counter));
  free(corners);
  test_mesh_free(&mesh);
}

/* No query allocates. */
Test(mesh_errors, queries_do_not_allocate) {
  rng r = rng_make(rng_seed("mesh_errors/queries", 43));
  test_mesh mesh = test_mesh_make(TEST_MESH_LONG_THIN, 500, &r);
  counting_allocator_init(&counter);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.host = counting_allocator_host(&counter);
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  counting_allocator_fail_at(&counter, 1, true);
  for (int i = 0; i < 200; i++) {
    sample_target target = sample_target_of_mesh(&mesh, &r);
    mo_ray_def ray = sample_any_ray(&r, &target);
    mo_ray_hit hits[64];
    uint32_t total, found[64];
    bool any;
    mo_plane planes[8];
    mo_aabb box = sample_box(&r, &target);
    mo_sphere sphere = sample_sphere(&r, &target);
    uint32_t count = sample_planes(&r, &target, planes);
    cr_assert_eq(mo_mesh_cast_ray(built, &ray, hits, NULL), MO_OK);
    cr_assert_eq(mo_mesh_test_ray(built, &ray, &any, NULL), MO_OK);
    cr_assert_eq(mo_mesh_cast_ray_all(built, &ray, hits, 64, &total, NULL), MO_OK);
    for (int j = 0; j < 3; j++) {
      reference_ray reference = {.ray = mo_default_ray_def()};
      reference.ray = ray;
      reference.traversal = (reference_traversal)j;
      cr_assert_eq(reference_mesh_cast_ray(built, &reference, hits, NULL), MO_OK);
      cr_assert_eq(reference_mesh_test_ray(built, &reference, &any, NULL), MO_OK);
      cr_assert_eq(reference_mesh_cast_ray_all(built, &reference, hits, 64, &total, NULL), MO_OK);
    }
    cr_assert_eq(mo_mesh_overlap_aabb(built, &box, found, 64, &total, NULL), MO_OK);
    cr_assert_eq(mo_mesh_overlap_sphere(built, &sphere, found, 64, &total, NULL), MO_OK);
    cr_assert_eq(
        mo_mesh_cull_planes(built, OF_PLANES(planes, count, NULL), found, 64, &total, NULL), MO_OK);
    cr_assert_eq(mo_mesh_contains_point(built, target.corners[0], &any, NULL), MO_OK);
  }
  cr_assert_eq(counter.calls, 0);
  mo_mesh_release(built);
  cr_assert(counting_allocator_is_clean(&counter));
  test_mesh_free(&mesh);
}
