/* Building: every builder with every option on every kind of mesh gives a valid tree, with
 * statistics that add up and limits that hold. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/query.h>
#include <string.h>

#include "oracle/exact.h"
#include "support/counting_allocator.h"
#include "support/families.h"
#include "support/meshes.h"

static counting_allocator counter;

static const mo_mesh_builder builders[3] = {MO_MESH_BUILDER_SPLIT, MO_MESH_BUILDER_SINGLE,
                                            MO_MESH_BUILDER_MIDPOINT};

static mo_mesh_build_options random_options(rng *r, const test_mesh *mesh) {
  mo_mesh_build_options options = mo_default_mesh_build_options();
  static const uint32_t capacities[] = {1, 2, 4, 8, 9, 16, 100, 256};
  static const uint32_t depths[] = {1, 2, 5, 12, MO_MESH_MAX_DEPTH};
  static const float budgets[] = {0, 0.1f, 0.5f, 2, 8};
  options.builder = (mo_mesh_builder)rng_below(r, 4);
  options.quality = (mo_mesh_quality)rng_below(r, 3);
  options.leaf_capacity = capacities[rng_below(r, 8)];
  options.max_depth = depths[rng_below(r, 5)];
  options.duplicate_budget = budgets[rng_below(r, 5)];
  options.depth = 1 + rng_below(r, 4);
  options.compact = options.builder != MO_MESH_BUILDER_TOP_DOWN && rng_below(r, 3) == 0;
  options.edges = options.builder != MO_MESH_BUILDER_TOP_DOWN && rng_below(r, 3) == 0;
  options.bounds =
      mesh->triangle_count ? test_mesh_bounds(mesh) : (mo_aabb){{-1, -1, -1}, {1, 1, 1}};
  return options;
}

static void check_stats(const mo_mesh *built, const test_mesh *mesh,
                        const mo_mesh_build_options *options) {
  mo_mesh_stats stats;
  cr_assert_eq(mo_mesh_get_stats(built, &stats), MO_OK);
  uint32_t count = mesh->triangle_count;
  cr_assert_eq(stats.triangle_count, count);
  cr_assert_geq(stats.reference_count, count);
  cr_assert_eq(stats.duplicate_count, stats.reference_count - count);
  cr_assert_geq(stats.block_count, stats.leaf_count, "%s: a leaf has a block at least", mesh->name);
  cr_assert_leq(stats.reference_count, 8 * (uint64_t)stats.block_count);
  cr_assert_leq(stats.max_depth,
                options->max_depth > options->depth ? options->max_depth : options->depth);
  cr_assert_eq(stats.bytes, counter.outstanding_bytes, "%zu bytes held, %zu said",
               counter.outstanding_bytes, stats.bytes);
  cr_assert(isfinite(stats.expected_node_visits) && stats.expected_node_visits >= 0);
  cr_assert(isfinite(stats.expected_block_visits) && stats.expected_block_visits >= 0);
  cr_assert(stats.build_seconds >= 0 && stats.build_seconds < 60);
  uint32_t leaves = 0;
  for (uint32_t i = 0; i <= MO_MESH_MAX_DEPTH; i++) {
    leaves += stats.leaf_count_at_depth[i];
    cr_assert(i <= stats.max_depth || stats.leaf_count_at_depth[i] == 0);
  }
  cr_assert_eq(leaves, stats.leaf_count);
  uint32_t degenerate = 0;
  for (uint32_t i = 0; i < count; i++) {
    mo_vec3 c[3];
    test_mesh_corners(mesh, i, c);
    degenerate += exact_is_degenerate(c);
  }
  cr_assert_eq(stats.degenerate_triangle_count, degenerate, "%s: %u degenerate, not %u", mesh->name,
               stats.degenerate_triangle_count, degenerate);
  switch (options->builder) {
  case MO_MESH_BUILDER_SINGLE:
    cr_assert_eq(stats.duplicate_count, 0);
    break;
  case MO_MESH_BUILDER_SPLIT:
    cr_assert_leq(stats.duplicate_count, (double)options->duplicate_budget * count + 0.5,
                  "%s: %u duplicates of %u", mesh->name, stats.duplicate_count, count);
    break;
  default:
    break;
  }
}

static bool same_bits(const void *a, const void *b, size_t size) {
  return memcmp(a, b, size) == 0;
}

/* What was put in comes out, bit for bit. */
static void check_content(const mo_mesh *built, const test_mesh *mesh) {
  cr_assert_eq(mo_mesh_triangle_count(built), mesh->triangle_count);
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mo_vec3 given[3], got[3];
    uint32_t data = 1;
    test_mesh_corners(mesh, i, given);
    cr_assert_eq(mo_mesh_get_triangle(built, i, got, &data), MO_OK);
    cr_assert(same_bits(given, got, sizeof got), "%s: triangle %u changed", mesh->name, i);
    cr_assert_eq(data, 0);
  }
}

static void check_build(const test_mesh *mesh, const mo_mesh_build_options *options) {
  counting_allocator_init(&counter);
  mo_mesh_def def = test_mesh_def(mesh);
  def.build = *options;
  def.host = counting_allocator_host(&counter);
  mo_mesh *built = NULL;
  mo_result result = mo_mesh_create(&def, &built);
  cr_assert_eq(result, MO_OK, "%s, builder %d: %s", mesh->name, options->builder,
               mo_result_name(result));
  cr_assert_eq(mo_mesh_validate(built), MO_OK, "%s, builder %d: corrupt", mesh->name,
               options->builder);
  check_stats(built, mesh, options);
  check_content(built, mesh);
  mo_aabb got = mo_mesh_bounds(built), tight = test_mesh_bounds(mesh);
  if (options->builder == MO_MESH_BUILDER_TOP_DOWN) {
    tight = options->bounds;
  }
  const float *a = (const float *)&got, *b = (const float *)&tight;
  for (int i = 0; i < 6; i++) {
    cr_assert_eq(a[i], b[i], "%s: bounds differ", mesh->name);
  }
  mo_mesh_release(built);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(mesh_build, every_builder_on_every_kind) {
  rng r = rng_make(rng_seed("mesh_build/kinds", 31));
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    for (uint64_t i = 0; i < rng_few_rounds(16, 500); i++) {
      uint32_t size = 1 + rng_below(&r, i % 8 ? 300 : 3000);
      test_mesh mesh = test_mesh_make((test_mesh_kind)kind, size, &r);
      mo_mesh_build_options options = random_options(&r, &mesh);
      check_build(&mesh, &options);
      test_mesh_free(&mesh);
    }
  }
}

/* castle-engine#673, three.js#25264: thin triangles that hang the build, duplicates by the
 * hundred. */
Test(mesh_build, thin_triangles_do_not_blow_up) {
  rng r = rng_make(rng_seed("mesh_build/thin", 32));
  static const test_mesh_kind kinds[] = {TEST_MESH_LONG_THIN,  TEST_MESH_LONG_PARALLEL,
                                         TEST_MESH_COINCIDENT, TEST_MESH_SHEETS,
                                         TEST_MESH_SLIVERS,    TEST_MESH_FAN};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    test_mesh mesh = test_mesh_make(kinds[k], 20000, &r);
    for (int builder = 0; builder < 3; builder++) {
      mo_mesh_def def = test_mesh_def(&mesh);
      def.build.builder = builders[builder];
      mo_mesh *built = NULL;
      mo_mesh_stats stats;
      cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
      cr_assert_eq(mo_mesh_get_stats(built, &stats), MO_OK);
      cr_assert_lt(stats.build_seconds, 5.0, "%s, builder %d: %g s", mesh.name, builder,
                   stats.build_seconds);
      cr_assert_lt(stats.bytes, (size_t)mesh.triangle_count * 2000, "%s, builder %d: %zu bytes",
                   mesh.name, builder, stats.bytes);
      cr_assert_eq(mo_mesh_validate(built), MO_OK);
      mo_mesh_release(built);
    }
    test_mesh_free(&mesh);
  }
}

/* A split that separates nothing is refused, not repeated to the depth limit. */
Test(mesh_build, coincident_triangles_stay_together) {
  rng r = rng_make(rng_seed("mesh_build/coincident", 33));
  test_mesh mesh = test_mesh_make(TEST_MESH_COINCIDENT, 1000, &r);
  for (int builder = 0; builder < 3; builder++) {
    mo_mesh_def def = test_mesh_def(&mesh);
    def.build.builder = builders[builder];
    mo_mesh *built = NULL;
    mo_mesh_stats stats;
    cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
    cr_assert_eq(mo_mesh_get_stats(built, &stats), MO_OK);
    cr_assert_leq(stats.reference_count, 2000 + 8 * (uint32_t)builder * 1000, "builder %d: %u",
                  builder, stats.reference_count);
    mo_mesh_release(built);
  }
  test_mesh_free(&mesh);
}

Test(mesh_build, all_layouts_of_arrays) {
  rng r = rng_make(rng_seed("mesh_build/arrays", 34));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 500, &r);
  uint32_t *data = malloc(mesh.triangle_count * sizeof *data);
  uint16_t *narrow = malloc(3 * mesh.triangle_count * sizeof *narrow);
  for (uint32_t i = 0; i < mesh.triangle_count; i++) {
    data[i] = 7 * i + 3;
  }
  for (uint32_t i = 0; i < 3 * mesh.triangle_count; i++) {
    narrow[i] = (uint16_t)mesh.indices[i];
  }
  /* 13 bytes apart and at an odd address: positions need no alignment. */
  char *packed = malloc(13 * mesh.vertex_count + 1);
  for (uint32_t i = 0; i < mesh.vertex_count; i++) {
    memcpy(packed + 1 + 13 * i, &mesh.positions[i], 12);
  }
  mo_vec3 *soup = malloc(3 * mesh.triangle_count * sizeof *soup);
  for (uint32_t i = 0; i < mesh.triangle_count; i++) {
    test_mesh_corners(&mesh, i, soup + 3 * i);
  }
  for (int way = 0; way < 4; way++) {
    mo_mesh_def def = test_mesh_def(&mesh);
    def.triangle_user_data = data;
    if (way == 1) {
      def.indices = narrow;
      def.index_type = MO_INDEX_U16;
    } else if (way == 2) {
      def.positions = packed + 1;
      def.position_stride = 13;
    } else if (way == 3) {
      def.positions = soup;
      def.vertex_count = 3 * mesh.triangle_count;
      def.indices = NULL;
      def.index_type = MO_INDEX_NONE;
    }
    mo_mesh *built = NULL;
    mo_result result = mo_mesh_create(&def, &built);
    cr_assert_eq(result, MO_OK, "way %d: %s", way, mo_result_name(result));
    for (uint32_t i = 0; i < mesh.triangle_count; i++) {
      mo_vec3 c[3];
      uint32_t got = 0;
      cr_assert_eq(mo_mesh_get_triangle(built, i, c, &got), MO_OK);
      cr_assert(same_bits(c, soup + 3 * i, sizeof c), "layout %d, triangle %u", way, i);
      cr_assert_eq(got, data[i]);
    }
    cr_assert_eq(mo_mesh_validate(built), MO_OK);
    mo_mesh_release(built);
  }
  free(data);
  free(narrow);
  free(packed);
  free(soup);
  test_mesh_free(&mesh);
}

/* References are counted, and the last one frees. */
Test(mesh_build, references) {
  counting_allocator_init(&counter);
  rng r = rng_make(rng_seed("mesh_build/references", 35));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 80, &r);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.host = counting_allocator_host(&counter);
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  size_t bytes = counter.outstanding_bytes;
  mo_mesh_retain(built);
  mo_mesh_retain(built);
  mo_mesh_release(built);
  mo_mesh_release(built);
  cr_assert_eq(counter.outstanding_bytes, bytes);
  cr_assert_eq(mo_mesh_validate(built), MO_OK);
  mo_mesh_release(built);
  cr_assert(counting_allocator_is_clean(&counter));
  mo_mesh_retain(NULL);
  mo_mesh_release(NULL);
  test_mesh_free(&mesh);
}

/* The same input gives the same tree: statistics are equal but for the time. */
Test(mesh_build, is_repeatable) {
  rng r = rng_make(rng_seed("mesh_build/repeatable", 36));
  test_mesh mesh = test_mesh_make(TEST_MESH_CLUSTERS, 2000, &r);
  mo_mesh_stats stats[2];
  for (int i = 0; i < 2; i++) {
    mo_mesh *built = test_mesh_build(&mesh);
    memset(&stats[i], 0, sizeof stats[i]);
    cr_assert_eq(mo_mesh_get_stats(built, &stats[i]), MO_OK);
    stats[i].build_seconds = 0;
    mo_mesh_release(built);
  }
  cr_assert(same_bits(&stats[0], &stats[1], sizeof stats[0]));
  test_mesh_free(&mesh);
}
