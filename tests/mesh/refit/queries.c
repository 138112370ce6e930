/* Meshes whose vertices move: after each refit every query answers as brute force does, the tree
 * holds all its invariants, and what is refused changes nothing. */
#include <criterion/criterion.h>
#include <float.h>
#include <motte/query.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

static counting_allocator counter;

/* The same mesh by every instruction set and in leaves of every size. */
enum { VARIANTS = 7 };

static uint32_t build_variants(const test_mesh *mesh, mo_mesh *meshes[VARIANTS]) {
  static const struct {
    mo_isa isa;
    uint32_t leaf_capacity, max_depth;
  } variants[VARIANTS] = {
      {MO_ISA_SCALAR, 24, 40}, {MO_ISA_AVX2, 24, 40}, {MO_ISA_SCALAR, 1, 40}, {MO_ISA_SSE4, 4, 3},
      {MO_ISA_AVX512, 8, 40},  {MO_ISA_NEON, 8, 40},  {MO_ISA_AUTO, 24, 5},
  };
  uint32_t count = 0;
  counting_allocator_init(&counter);
  for (int i = 0; i < VARIANTS; i++) {
    if (!family_has_isa(variants[i].isa)) {
      continue;
    }
    mo_mesh_def def = test_mesh_def(mesh);
    def.build.builder = MO_MESH_BUILDER_SINGLE;
    def.build.deformable = true;
    def.build.leaf_capacity = variants[i].leaf_capacity;
    def.build.max_depth = variants[i].max_depth;
    def.isa = variants[i].isa;
    def.host = counting_allocator_host(&counter);
    def.host.log = family_print_log;
    cr_assert_eq(mo_mesh_create(&def, &meshes[count]), MO_OK, "%s", mesh->name);
    count++;
  }
  return count;
}

static void release_variants(mo_mesh *meshes[VARIANTS], uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    mo_mesh_release(meshes[i]);
  }
  cr_assert(counting_allocator_is_clean(&counter));
}

/* Positions as a caller may keep them: any distance apart, any alignment, not one byte more than
 * needed. */
typedef struct packed {
  unsigned char *memory;
  const void *first;
  size_t stride;
} packed;

static packed pack(const test_mesh *mesh, rng *r) {
  static const size_t strides[] = {12, 12, 12, 16, 20, 13, 64};
  packed p = {.stride = strides[rng_below(r, 7)]};
  size_t offset = rng_below(r, 2) ? 0 : rng_below(r, 16);
  size_t bytes = mesh->vertex_count > 0 ? (mesh->vertex_count - 1) * p.stride + 12 : 0;
  p.memory = malloc(offset + bytes + 1);
  p.first = p.memory + offset;
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    memcpy(p.memory + offset + i * p.stride, &mesh->positions[i], 12);
  }
  return p;
}

/* How the vertices of a mesh move from one frame to the next. */
#define MOTIONS(X)                                                                                 \
  X(WAVE, "wave")                                                                                  \
  X(JITTER, "jitter")       /* each by itself, a little */                                         \
  X(SHUFFLE, "shuffle")     /* to the places of others: the worst for the tree */                  \
  X(FLATTEN, "flatten")     /* into a plane */                                                     \
  X(COLLAPSE, "collapse")   /* into a point */                                                     \
  X(FAR, "far")             /* as a whole, far away */                                             \
  X(STRETCH, "stretch")     /* by very different factors per axis */                               \
  X(SNAP, "snap")           /* to whole numbers: many degenerate triangles, equal coordinates */   \
  X(EXTREME, "extreme")     /* some to the largest coordinates there are */                        \
  X(SUBNORMAL, "subnormal") /* down to the smallest */                                             \
  X(MIRROR, "mirror")

typedef enum motion {
#define MOTION_ENUM(name, text) MOTION_##name,
  MOTIONS(MOTION_ENUM)
#undef MOTION_ENUM
      MOTION_COUNT
} motion;

static const char *const motion_names[] = {
#define MOTION_NAME(name, text) text,
    MOTIONS(MOTION_NAME)
#undef MOTION_NAME
};

static float limited(float x) {
  return x > MO_MAX_COORDINATE    ? MO_MAX_COORDINATE
         : x < -MO_MAX_COORDINATE ? -MO_MAX_COORDINATE
                                  : x;
}

static mo_vec3 moved(mo_vec3 p, motion kind, mo_aabb box, rng *r) {
  float size = limited(box.upper.x - box.lower.x);
  switch (kind) {
  case MOTION_WAVE:
    return (mo_vec3){p.x, p.y, p.z + 0.2f * size * sinf(size > 0 ? 9 * (p.x / size) : 0)};
  case MOTION_JITTER: {
    mo_vec3 d = rng_vec3(r, -0.05f * size, 0.05f * size);
    return (mo_vec3){p.x + d.x, p.y + d.y, p.z + d.z};
  }
  case MOTION_SHUFFLE:
    return rng_point_in(r, box);
  case MOTION_FLATTEN:
    return (mo_vec3){p.x, box.lower.y, p.z};
  case MOTION_COLLAPSE:
    return (mo_vec3){0.5f, -2, 3};
  case MOTION_FAR:
    return (mo_vec3){p.x + 1e5f, p.y - 3e4f, p.z + 7e5f};
  case MOTION_STRETCH:
    return (mo_vec3){1000 * p.x, 1e-3f * p.y, -20 * p.z};
  case MOTION_SNAP:
    return (mo_vec3){roundf(p.x), roundf(p.y), roundf(2 * p.z) / 2};
  case MOTION_EXTREME:
    return rng_below(r, 8) ? p : rng_vec3(r, -MO_MAX_COORDINATE, MO_MAX_COORDINATE);
  case MOTION_SUBNORMAL:
    return rng_vec3(r, -10 * FLT_TRUE_MIN, 10 * FLT_TRUE_MIN);
  case MOTION_MIRROR:
    return (mo_vec3){-p.x, p.y, p.z};
  case MOTION_COUNT:
    break;
  }
  return p;
}

static void move_vertices(test_mesh *mesh, motion kind, rng *r) {
  mo_aabb box = test_mesh_bounds(mesh);
  for (uint32_t i = 0; i < mesh->vertex_count && mesh->triangle_count > 0; i++) {
    mo_vec3 p = moved(mesh->positions[i], kind, box, r);
    mesh->positions[i] = (mo_vec3){limited(p.x), limited(p.y), limited(p.z)};
  }
}

/* Corners, bounds and counts are those of the moved mesh. */
static void check_mesh(const test_mesh *mesh, const mo_mesh *built) {
  cr_assert_eq(mo_mesh_validate(built), MO_OK, "%s", mesh->name);
  mo_aabb box = test_mesh_bounds(mesh), found = mo_mesh_bounds(built);
  if (mesh->triangle_count > 0) {
    cr_assert(found.lower.x == box.lower.x && found.lower.y == box.lower.y &&
                  found.lower.z == box.lower.z && found.upper.x == box.upper.x &&
                  found.upper.y == box.upper.y && found.upper.z == box.upper.z,
              "%s: bounds", mesh->name);
  }
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mo_vec3 expected[3], corners[3];
    test_mesh_corners(mesh, t, expected);
    cr_assert_eq(mo_mesh_get_triangle(built, t, corners, NULL), MO_OK);
    cr_assert(memcmp(corners, expected, sizeof corners) == 0, "%s: triangle %u", mesh->name, t);
  }
  mo_mesh_def def = test_mesh_def(mesh);
  mo_mesh *fresh = NULL;
  mo_mesh_stats stats, fresh_stats;
  cr_assert_eq(mo_mesh_create(&def, &fresh), MO_OK);
  cr_assert_eq(mo_mesh_get_stats(built, &stats), MO_OK);
  cr_assert_eq(mo_mesh_get_stats(fresh, &fresh_stats), MO_OK);
  cr_assert_eq(stats.degenerate_triangle_count, fresh_stats.degenerate_triangle_count, "%s",
               mesh->name);
  mo_mesh_release(fresh);
}

static void check_queries(const test_mesh *mesh, mo_mesh *const *meshes, uint32_t count, rng *r,
                          int rounds) {
  const mo_mesh *const *subjects = (const mo_mesh *const *)meshes;
  oracle_mesh oracle;
  oracle_mesh_read(&oracle, meshes[0]);
  for (int i = 0; i < rounds; i++) {
    sample_target target = sample_target_of_mesh(mesh, r);
    mo_ray_def ray = sample_any_ray(r, &target);
    mo_aabb box = sample_box(r, &target);
    mo_sphere sphere = sample_sphere(r, &target);
    mo_plane planes[8];
    uint32_t plane_count = sample_planes(r, &target, planes);
    bool same = check_mesh_ray(subjects, count, &oracle, &ray, i % 4 ? CHECK_FAST : CHECK_FULL) &&
                check_mesh_aabb(subjects, count, &oracle, &box) &&
                check_mesh_sphere(subjects, count, &oracle, &sphere) &&
                check_mesh_planes(subjects, count, &oracle, planes, plane_count) &&
                check_mesh_point(subjects, count, &oracle, sample_point(r, &target));
    cr_assert(same, "%s: %s", mesh->name, check_why());
  }
  oracle_mesh_free(&oracle);
}

static void refit_all(const test_mesh *mesh, mo_mesh *const *meshes, uint32_t count, rng *r) {
  double visits = 0;
  for (uint32_t i = 0; i < count; i++) {
    packed p = pack(mesh, r);
    mo_mesh_refit_info info = {0};
    mo_result result = mo_mesh_refit(meshes[i], p.first, p.stride, mesh->vertex_count, &info, NULL);
    cr_assert_eq(result, MO_OK, "%s: %s", mesh->name, mo_result_name(result));
    cr_assert(info.expected_visits >= 1 && info.built_visits >= 1 && info.degradation > 0);
    cr_assert(i != 1 || info.expected_visits == visits, "instruction sets differ");
    visits = info.expected_visits;
    free(p.memory);
  }
}

/* Rebuilds some parts, which must not change any answer. */
static void rebuild_parts(const test_mesh *mesh, mo_mesh *const *meshes, uint32_t count, rng *r) {
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  options.threshold = rng_float(r, 1, 2);
  options.max_triangles = rng_below(r, 2) ? UINT32_MAX : rng_below(r, mesh->triangle_count + 1);
  for (uint32_t i = 0; i < count; i++) {
    mo_mesh_rebuild_info info;
    mo_result result = mo_mesh_rebuild_parts(meshes[i], &options, &info);
    cr_assert_eq(result, MO_OK, "%s: %s", mesh->name, mo_result_name(result));
    cr_assert(info.triangle_count <= options.max_triangles &&
              info.triangle_count <= mesh->triangle_count);
    cr_assert_eq(info.subtree_count > 0, info.triangle_count > 0);
    check_mesh(mesh, meshes[i]);
  }
}

Test(mesh_refit, as_brute_force) {
  rng r = rng_make(rng_seed("mesh_refit/brute", 71));
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    for (uint64_t round = 0; round < rng_few_rounds(1, 20); round++) {
      uint32_t size = 1 + rng_below(&r, (uint32_t)rng_few_rounds(250, 250));
      test_mesh mesh = test_mesh_make((test_mesh_kind)kind, size, &r);
      mo_mesh *meshes[VARIANTS];
      uint32_t count = build_variants(&mesh, meshes);
      char name[sizeof mesh.name];
      memcpy(name, mesh.name, sizeof name);
      mo_vec3 *rest = malloc((mesh.vertex_count + 1) * sizeof *rest);
      for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        rest[i] = mesh.positions[i];
      }
      for (int m = 0; m < MOTION_COUNT; m++) {
        snprintf(mesh.name, sizeof mesh.name, "%.60s after %s", name, motion_names[m]);
        move_vertices(&mesh, (motion)m, &r);
        refit_all(&mesh, meshes, count, &r);
        for (uint32_t i = 0; i < count; i++) {
          check_mesh(&mesh, meshes[i]);
        }
        check_queries(&mesh, meshes, count, &r, 4);
        if (rng_below(&r, 2)) {
          rebuild_parts(&mesh, meshes, count, &r);
          check_queries(&mesh, meshes, count, &r, 4);
        }
        if (rng_below(&r, 2)) { /* else the next motion begins at the new positions */
          for (uint32_t i = 0; i < mesh.vertex_count; i++) {
            mesh.positions[i] = rest[i];
          }
        }
      }
      free(rest);
      release_variants(meshes, count);
      test_mesh_free(&mesh);
    }
  }
}

/* A refit to where the vertices are gives the bounds that the builder gave. */
Test(mesh_refit, unmoved_is_as_built) {
  rng r = rng_make(rng_seed("mesh_refit/unmoved", 72));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 3000, &r);
  mo_mesh *meshes[VARIANTS];
  uint32_t count = build_variants(&mesh, meshes);
  for (uint32_t i = 0; i < count; i++) {
    mo_mesh_refit_info info;
    mo_mesh_stats stats;
    cr_assert_eq(mo_mesh_refit(meshes[i], mesh.positions, 12, mesh.vertex_count, &info, NULL),
                 MO_OK);
    cr_assert(info.degradation == 1 && info.expected_visits == info.built_visits);
    cr_assert_eq(mo_mesh_get_stats(meshes[i], &stats), MO_OK);
    double expected = stats.expected_node_visits + stats.expected_block_visits;
    cr_assert(fabs(info.expected_visits - expected) <= 1e-9 * expected);
  }
  release_variants(meshes, count);
  test_mesh_free(&mesh);
}

/* A mesh that is scaled and moved as a whole stays as good; one whose vertices are shuffled does
 * not. */
Test(mesh_refit, degradation_grows_when_vertices_scatter) {
  rng r = rng_make(rng_seed("mesh_refit/degradation", 73));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 3000, &r);
  mo_mesh *meshes[VARIANTS];
  uint32_t count = build_variants(&mesh, meshes);
  mo_mesh_refit_info info;
  test_mesh_place(&mesh, 2, (mo_vec3){1, 2, 3});
  cr_assert_eq(mo_mesh_refit(meshes[0], mesh.positions, 12, mesh.vertex_count, &info, NULL), MO_OK);
  cr_assert(fabs(info.degradation - 1) < 1e-4, "%g", info.degradation);
  move_vertices(&mesh, MOTION_SHUFFLE, &r);
  cr_assert_eq(mo_mesh_refit(meshes[0], mesh.positions, 12, mesh.vertex_count, &info, NULL), MO_OK);
  cr_assert(info.degradation > 5, "%g", info.degradation);
  release_variants(meshes, count);
  test_mesh_free(&mesh);
}

/* Everything that can be read of a mesh, to see that nothing changed. */
typedef struct portrait {
  mo_aabb bounds;
  mo_mesh_stats stats;
  mo_vec3 corners[3];
} portrait;

static portrait portray(const mo_mesh *mesh) {
  portrait p;
  memset(&p, 0, sizeof p);
  p.bounds = mo_mesh_bounds(mesh);
  cr_assert_eq(mo_mesh_get_stats(mesh, &p.stats), MO_OK);
  cr_assert_eq(mo_mesh_get_triangle(mesh, 7, p.corners, NULL), MO_OK);
  cr_assert_eq(mo_mesh_validate(mesh), MO_OK);
  return p;
}

static void expect_refused(mo_mesh *mesh, const void *positions, size_t stride, uint32_t count,
                           mo_result expected) {
  portrait before = portray(mesh);
  mo_mesh_refit_info info = {1, 2, 3};
  mo_result result = mo_mesh_refit(mesh, positions, stride, count, &info, NULL);
  cr_assert_eq(result, expected, "%s, not %s", mo_result_name(result), mo_result_name(expected));
  cr_assert(info.expected_visits == 1 && info.built_visits == 2 && info.degradation == 3);
  portrait after = portray(mesh);
  cr_assert(memcmp(&before, &after, sizeof after) == 0);
}

Test(mesh_refit, bad_input_changes_nothing) {
  rng r = rng_make(rng_seed("mesh_refit/bad", 74));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 2000, &r);
  mo_mesh *meshes[VARIANTS];
  uint32_t count = build_variants(&mesh, meshes), n = mesh.vertex_count;
  static const float bad[] = {NAN, INFINITY, -INFINITY, 1.1e30f, -FLT_MAX};
  for (uint32_t i = 0; i < count; i++) {
    expect_refused(meshes[i], NULL, 12, n, MO_ERROR_NULL_ARGUMENT);
    expect_refused(meshes[i], mesh.positions, 11, n, MO_ERROR_INVALID_ARGUMENT);
    expect_refused(meshes[i], mesh.positions, 0, n, MO_ERROR_INVALID_ARGUMENT);
    expect_refused(meshes[i], mesh.positions, 12, n - 1, MO_ERROR_INVALID_ARGUMENT);
    expect_refused(meshes[i], mesh.positions, 12, n + 1, MO_ERROR_INVALID_ARGUMENT);
    expect_refused(meshes[i], mesh.positions, SIZE_MAX / 2, n, MO_ERROR_TOO_MANY);
    /* Anywhere, in the first and the last place at least once. */
    for (uint64_t k = 0; k < rng_few_rounds(60, 60); k++) {
      uint32_t vertex = k == 0 ? 0 : k == 1 ? n - 1 : rng_below(&r, n);
      packed p = pack(&mesh, &r);
      float value = bad[rng_below(&r, 5)];
      memcpy((char *)(uintptr_t)p.first + vertex * p.stride + 4 * rng_below(&r, 3), &value, 4);
      expect_refused(meshes[i], p.first, p.stride, n,
                     isfinite(value) ? MO_ERROR_OUT_OF_RANGE : MO_ERROR_NOT_FINITE);
      free(p.memory);
    }
  }
  cr_assert_eq(mo_mesh_refit(NULL, mesh.positions, 12, n, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  release_variants(meshes, count);
  test_mesh_free(&mesh);
}

/* A vertex that no triangle uses may be anything, as at creation. */
Test(mesh_refit, unused_vertices_are_not_checked) {
  rng r = rng_make(rng_seed("mesh_refit/unused", 75));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 500, &r);
  test_mesh_add_vertex(&mesh, NAN, 0, 0);
  mo_mesh *meshes[VARIANTS];
  uint32_t count = build_variants(&mesh, meshes);
  for (uint32_t i = 0; i < count; i++) {
    cr_assert_eq(mo_mesh_refit(meshes[i], mesh.positions, 12, mesh.vertex_count, NULL, NULL),
                 MO_OK);
    cr_assert_eq(mo_mesh_validate(meshes[i]), MO_OK);
  }
  release_variants(meshes, count);
  test_mesh_free(&mesh);
}

Test(mesh_refit, only_meshes_that_were_built_deformable) {
  rng r = rng_make(rng_seed("mesh_refit/unsupported", 76));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 300, &r);
  for (int builder = 0; builder <= (int)MO_MESH_BUILDER_MIDPOINT; builder++) {
    mo_mesh_def def = test_mesh_def(&mesh);
    def.build.builder = (mo_mesh_builder)builder;
    def.build.bounds = test_mesh_bounds(&mesh);
    mo_mesh *built = NULL;
    cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
    expect_refused(built, mesh.positions, 12, mesh.vertex_count, MO_ERROR_UNSUPPORTED);
    mo_mesh_release(built);
    def.build.deformable = true;
    built = NULL;
    bool can = builder == MO_MESH_BUILDER_SINGLE;
    cr_assert_eq(mo_mesh_create(&def, &built), can ? MO_OK : MO_ERROR_INVALID_ARGUMENT);
    mo_mesh_release(built);
  }
  test_mesh_free(&mesh);
}

Test(mesh_refit, soups_and_short_indices) {
  rng r = rng_make(rng_seed("mesh_refit/indices", 77));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 600, &r);
  uint16_t *narrow = malloc(3 * mesh.triangle_count * sizeof *narrow);
  mo_vec3 *soup = malloc(3 * mesh.triangle_count * sizeof *soup);
  for (uint32_t i = 0; i < 3 * mesh.triangle_count; i++) {
    narrow[i] = (uint16_t)mesh.indices[i];
    soup[i] = mesh.positions[mesh.indices[i]];
  }
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  mo_mesh *meshes[2];
  def.indices = narrow;
  def.index_type = MO_INDEX_U16;
  cr_assert_eq(mo_mesh_create(&def, &meshes[0]), MO_OK);
  def.positions = soup;
  def.vertex_count = 3 * mesh.triangle_count;
  def.indices = NULL;
  def.index_type = MO_INDEX_NONE;
  cr_assert_eq(mo_mesh_create(&def, &meshes[1]), MO_OK);
  move_vertices(&mesh, MOTION_WAVE, &r);
  for (uint32_t i = 0; i < 3 * mesh.triangle_count; i++) {
    soup[i] = mesh.positions[mesh.indices[i]];
  }
  cr_assert_eq(mo_mesh_refit(meshes[0], mesh.positions, 12, mesh.vertex_count, NULL, NULL), MO_OK);
  cr_assert_eq(mo_mesh_refit(meshes[1], soup, 12, def.vertex_count, NULL, NULL), MO_OK);
  check_mesh(&mesh, meshes[0]);
  check_mesh(&mesh, meshes[1]);
  check_queries(&mesh, meshes, 2, &r, 50);
  mo_mesh_release(meshes[0]);
  mo_mesh_release(meshes[1]);
  free(narrow);
  free(soup);
  test_mesh_free(&mesh);
}

Test(mesh_refit, out_of_memory) {
  rng r = rng_make(rng_seed("mesh_refit/memory", 78));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 300, &r);
  counting_allocator_init(&counter);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  def.host = counting_allocator_host(&counter);
  mo_mesh *built = NULL;
  size_t nth = 1;
  for (;; nth++) {
    counting_allocator_fail_at(&counter, nth, true);
    mo_result result = mo_mesh_create(&def, &built);
    if (result == MO_OK) {
      break;
    }
    cr_assert_eq(result, MO_ERROR_OUT_OF_MEMORY);
    cr_assert_null(built);
    cr_assert(counting_allocator_is_clean(&counter));
  }
  cr_assert_gt(nth, 5);
  counting_allocator_fail_at(&counter, 1, true); /* refitting takes none */
  cr_assert_eq(mo_mesh_refit(built, mesh.positions, 12, mesh.vertex_count, NULL, NULL), MO_OK);
  mo_mesh_stats stats;
  cr_assert_eq(mo_mesh_get_stats(built, &stats), MO_OK);
  cr_assert_eq(stats.bytes, atomic_load(&counter.outstanding_bytes));
  mo_mesh_release(built);
  cr_assert(counting_allocator_is_clean(&counter));
  test_mesh_free(&mesh);
}
