/* Rebuilding the parts of a deformable mesh that refitting has spoilt: what is gained, within what
 * limits, and that failure changes nothing. That answers stay those of brute force is also tested
 * beside refitting. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

static counting_allocator counter;

static mo_mesh *build(const test_mesh *mesh) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  counting_allocator_init(&counter);
  def.host = counting_allocator_host(&counter);
  def.host.log = family_print_log;
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  return built;
}

static void release(mo_mesh *built) {
  mo_mesh_release(built);
  cr_assert(counting_allocator_is_clean(&counter));
}

static mo_mesh_refit_info refit(mo_mesh *built, const test_mesh *mesh) {
  mo_mesh_refit_info info;
  cr_assert_eq(mo_mesh_refit(built, mesh->positions, 12, mesh->vertex_count, &info, NULL), MO_OK);
  return info;
}

/* Wrings the mesh around the z axis where x is above `from`. */
static void twist(test_mesh *mesh, float turns, float from) {
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    mo_vec3 *p = &mesh->positions[i];
    if (p->x > from) {
      float angle = turns * 6.2831853f * (p->x - from), c = cosf(angle), s = sinf(angle);
      *p = (mo_vec3){p->x, c * p->y - s * p->z, s * p->y + c * p->z};
    }
  }
}

static void scatter(test_mesh *mesh, rng *r) {
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    mesh->positions[i] = rng_vec3(r, -1, 1);
  }
}

static mo_mesh_rebuild_info rebuild(mo_mesh *built, float threshold, uint32_t max_triangles) {
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  options.threshold = threshold;
  options.max_triangles = max_triangles;
  mo_mesh_rebuild_info info;
  cr_assert_eq(mo_mesh_rebuild_parts(built, &options, &info), MO_OK);
  cr_assert_eq(mo_mesh_validate(built), MO_OK);
  return info;
}

Test(mesh_rebuild, nothing_to_do) {
  rng r = rng_make(rng_seed("mesh_rebuild/nothing", 91));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 3000, &r);
  mo_mesh *built = build(&mesh);
  size_t calls = atomic_load(&counter.calls);
  mo_mesh_rebuild_info info = rebuild(built, 1, UINT32_MAX);
  cr_assert(info.subtree_count == 0 && info.triangle_count == 0 && info.quality.degradation == 1);
  cr_assert_eq(atomic_load(&counter.calls), calls + 1,
               "to find nothing to do takes one allocation");
  test_mesh_place(&mesh, 3, (mo_vec3){5, 5, 5});
  refit(built, &mesh);
  info = rebuild(built, 1.01f, UINT32_MAX);
  cr_assert_eq(info.subtree_count, 0);
  release(built);
  test_mesh_free(&mesh);
}

/* All of it is as good as a new one; the quality counts from there. */
Test(mesh_rebuild, the_whole) {
  rng r = rng_make(rng_seed("mesh_rebuild/whole", 92));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 4000, &r);
  mo_mesh *built = build(&mesh);
  scatter(&mesh, &r);
  mo_mesh_refit_info before = refit(built, &mesh);
  mo_mesh_rebuild_info info = rebuild(built, 1.2f, UINT32_MAX);
  cr_assert_eq(info.subtree_count, 1);
  cr_assert_eq(info.triangle_count, mesh.triangle_count);
  cr_assert(info.quality.degradation == 1 &&
            info.quality.expected_visits < 0.8 * before.expected_visits);
  mo_mesh *fresh = NULL;
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  cr_assert_eq(mo_mesh_create(&def, &fresh), MO_OK);
  mo_mesh_stats a, b;
  cr_assert_eq(mo_mesh_get_stats(built, &a), MO_OK);
  cr_assert_eq(mo_mesh_get_stats(fresh, &b), MO_OK);
  cr_assert(a.node_count == b.node_count && a.max_depth == b.max_depth);
  cr_assert(fabs(a.expected_node_visits - b.expected_node_visits) < 0.02 * b.expected_node_visits);
  mo_mesh_release(fresh);
  release(built);
  test_mesh_free(&mesh);
}

/* Puts a triangle of a cloud of small ones somewhere in a box. */
static void drop(test_mesh *mesh, uint32_t triangle, mo_aabb box, rng *r) {
  mo_vec3 at = rng_point_in(r, box);
  for (uint32_t i = 0; i < 3; i++) {
    mo_vec3 d = rng_vec3(r, 0, 0.01f);
    mesh->positions[mesh->indices[3 * triangle + i]] =
        (mo_vec3){at.x + d.x, at.y + d.y, at.z + d.z};
  }
}

/* Where a part of the mesh is spoilt, a part is rebuilt. */
Test(mesh_rebuild, a_part) {
  rng r = rng_make(rng_seed("mesh_rebuild/part", 93));
  const mo_aabb all = {{0, 0, 0}, {1, 1, 1}}, corner = {{0.5f, 0.5f, 0.5f}, {1, 1, 1}};
  test_mesh mesh = test_mesh_make(TEST_MESH_ZERO, 0, &r);
  for (uint32_t i = 0; i < 4000; i++) {
    test_mesh_add_corners(&mesh, all.lower, all.lower, all.lower);
    drop(&mesh, i, all, &r);
  }
  mo_mesh *built = build(&mesh);
  uint32_t moved = 0;
  for (uint32_t i = 0; i < 4000; i++) {
    mo_vec3 p = mesh.positions[mesh.indices[3 * i]];
    if (p.x > corner.lower.x && p.y > corner.lower.y && p.z > corner.lower.z) {
      drop(&mesh, i, corner, &r);
      moved++;
    }
  }
  double spoilt = refit(built, &mesh).degradation;
  mo_mesh_rebuild_info info = rebuild(built, 1.5f, UINT32_MAX);
  cr_assert(info.triangle_count > moved / 2 && info.triangle_count < 4 * moved,
            "%u of %u triangles", info.triangle_count, moved);
  cr_assert(info.quality.degradation - 1 < 0.5 * (spoilt - 1), "%g, was %g",
            info.quality.degradation, spoilt);
  /* What has been done is not done again. */
  cr_assert_eq(rebuild(built, 1.5f, UINT32_MAX).triangle_count, 0);
  release(built);
  test_mesh_free(&mesh);
}

/* Frame by frame, a tenth of the triangles in each, the quality is kept. */
Test(mesh_rebuild, within_a_budget) {
  rng r = rng_make(rng_seed("mesh_rebuild/budget", 94));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 6000, &r);
  mo_mesh *kept = build(&mesh);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  mo_mesh *left = NULL;
  cr_assert_eq(mo_mesh_create(&def, &left), MO_OK);
  double degradation = 1, without = 1;
  for (int frame = 0; frame < 30; frame++) {
    twist(&mesh, 0.02f, -1);
    refit(kept, &mesh);
    without = refit(left, &mesh).expected_visits;
    mo_mesh_rebuild_info info = rebuild(kept, 1.1f, mesh.triangle_count / 10);
    cr_assert_leq(info.triangle_count, mesh.triangle_count / 10);
    degradation = info.quality.expected_visits;
    const mo_mesh *subject = kept;
    oracle_mesh oracle;
    oracle_mesh_read(&oracle, left);
    for (int i = 0; i < 10; i++) {
      sample_target target = sample_target_of_mesh(&mesh, &r);
      mo_ray_def ray = sample_any_ray(&r, &target);
      cr_assert(check_mesh_ray(&subject, 1, &oracle, &ray, CHECK_FAST), "%s", check_why());
    }
    oracle_mesh_free(&oracle);
  }
  cr_assert(degradation < without, "%g, without %g", degradation, without);
  mo_mesh_release(left);
  release(kept);
  test_mesh_free(&mesh);
}

static double expected_visits(const mo_mesh *mesh) {
  mo_mesh_stats stats;
  cr_assert_eq(mo_mesh_get_stats(mesh, &stats), MO_OK);
  return stats.expected_node_visits + stats.expected_block_visits;
}

/* Pieces fly apart, each as it is, but for the triangles between them: what is above them has to be
 * put together anew, time and again, and is then nearly as good as an octree that is new. */
Test(mesh_rebuild, the_top_above_good_pieces) {
  enum { FRAMES = 30 };
  rng r = rng_make(rng_seed("mesh_rebuild/top", 97));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 20000, &r);
  mo_mesh *built = build(&mesh);
  mo_vec3 way[64];
  uint32_t *piece = oracle_need(malloc(mesh.vertex_count * sizeof *piece));
  for (int i = 0; i < 64; i++) {
    way[i] = rng_vec3(&r, -0.15f, 0.15f);
  }
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    mo_vec3 p = mesh.positions[v];
    piece[v] = (uint32_t)(2 + floorf(2 * p.x)) % 4 + (uint32_t)(2 + floorf(2 * p.y)) % 4 * 4 +
               (uint32_t)(2 + floorf(2 * p.z)) % 4 * 16;
  }
  for (int frame = 0; frame < FRAMES; frame++) {
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
      mo_vec3 *p = &mesh.positions[v], d = way[piece[v]];
      *p = (mo_vec3){p->x + d.x, p->y + d.y, p->z + d.z};
    }
    refit(built, &mesh);
    const uint32_t max = mesh.triangle_count / 20;
    cr_assert_leq(rebuild(built, 1.2f, max).triangle_count, max);
  }
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  mo_mesh *fresh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &fresh), MO_OK);
  double now = expected_visits(built), best = expected_visits(fresh);
  cr_assert_lt(now, 1.2 * best, "%g, %g if built anew", now, best);
  oracle_mesh oracle;
  oracle_mesh_read(&oracle, fresh);
  const mo_mesh *subject = built;
  for (int i = 0; i < 50; i++) {
    sample_target target = sample_target_of_mesh(&mesh, &r);
    mo_ray_def ray = sample_any_ray(&r, &target);
    cr_assert(check_mesh_ray(&subject, 1, &oracle, &ray, CHECK_FULL), "%s", check_why());
  }
  oracle_mesh_free(&oracle);
  free(piece);
  mo_mesh_release(fresh);
  release(built);
  test_mesh_free(&mesh);
}

Test(mesh_rebuild, refusals) {
  rng r = rng_make(rng_seed("mesh_rebuild/refusals", 95));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 500, &r);
  mo_mesh *built = build(&mesh), *rigid = test_mesh_build(&mesh);
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  cr_assert_eq(mo_mesh_rebuild_parts(NULL, &options, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_rebuild_parts(built, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_rebuild_parts(rigid, &options, NULL), MO_ERROR_UNSUPPORTED);
  static const float bad[] = {0.99f, 0, -1, NAN, -INFINITY};
  for (int i = 0; i < 5; i++) {
    options.threshold = bad[i];
    cr_assert_eq(mo_mesh_rebuild_parts(built, &options, NULL), MO_ERROR_INVALID_ARGUMENT);
  }
  options.threshold = INFINITY;
  cr_assert_eq(mo_mesh_rebuild_parts(built, &options, NULL), MO_OK);
  mo_mesh_release(rigid);
  release(built);
  test_mesh_free(&mesh);
}

/* Every allocation fails once: each time the mesh is as it was. */
Test(mesh_rebuild, out_of_memory) {
  rng r = rng_make(rng_seed("mesh_rebuild/memory", 96));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 1500, &r);
  mo_mesh *built = build(&mesh);
  scatter(&mesh, &r);
  refit(built, &mesh);
  mo_mesh_stats before, after;
  cr_assert_eq(mo_mesh_get_stats(built, &before), MO_OK);
  size_t bytes = atomic_load(&counter.outstanding_bytes);
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  options.threshold = 1.2f;
  options.max_triangles = mesh.triangle_count / 2;
  mo_mesh_rebuild_info info = {77, 77, {7, 7, 7}};
  size_t nth = 1;
  for (;; nth++) {
    counting_allocator_fail_at(&counter, nth, true);
    mo_result result = mo_mesh_rebuild_parts(built, &options, &info);
    if (result == MO_OK) {
      break;
    }
    cr_assert_eq(result, MO_ERROR_OUT_OF_MEMORY);
    cr_assert(info.subtree_count == 77 && info.quality.degradation == 7);
    cr_assert_eq(atomic_load(&counter.outstanding_bytes), bytes, "at %zu", nth);
    cr_assert_eq(mo_mesh_validate(built), MO_OK);
    cr_assert_eq(mo_mesh_get_stats(built, &after), MO_OK);
    cr_assert(memcmp(&before, &after, sizeof after) == 0);
  }
  cr_assert_gt(nth, 8);
  cr_assert_gt(info.subtree_count, 0);
  cr_assert_eq(mo_mesh_validate(built), MO_OK);
  cr_assert_eq(mo_mesh_get_stats(built, &after), MO_OK);
  cr_assert_eq(after.bytes, atomic_load(&counter.outstanding_bytes));
  release(built);
  test_mesh_free(&mesh);
}

/* Parts that are rebuilt, below nodes of any depth, do not make the tree deeper than its options
 * allow. */
Test(mesh_rebuild, parts_end_at_the_greatest_depth) {
  enum { LIMIT = 4, TRIANGLES = 6000 };
  rng r = rng_make(rng_seed("mesh_rebuild/depth", 97));
  const mo_aabb all = {{0, 0, 0}, {1, 1, 1}};
  test_mesh mesh = test_mesh_make(TEST_MESH_ZERO, 0, &r);
  for (uint32_t i = 0; i < TRIANGLES; i++) {
    test_mesh_add_corners(&mesh, all.lower, all.lower, all.lower);
    drop(&mesh, i, all, &r);
  }
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  def.build.max_depth = LIMIT;
  def.build.leaf_capacity = 4;
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  uint32_t parts = 0;
  for (int round = 0; round < 8; round++) {
    const mo_vec3 low = rng_vec3(&r, 0, 0.6f);
    const mo_aabb box = {low, {low.x + 0.4f, low.y + 0.4f, low.z + 0.4f}};
    for (uint32_t i = 0; i < TRIANGLES; i++) {
      mo_vec3 p = mesh.positions[mesh.indices[3 * i]];
      if (p.x > box.lower.x && p.y > box.lower.y && p.z > box.lower.z && p.x < box.upper.x &&
          p.y < box.upper.y && p.z < box.upper.z) {
        drop(&mesh, i, box, &r);
      }
    }
    refit(built, &mesh);
    parts += rebuild(built, 1.1f, TRIANGLES / 2).subtree_count;
    mo_mesh_stats stats;
    cr_assert_eq(mo_mesh_get_stats(built, &stats), MO_OK);
    cr_assert_leq(stats.max_depth, LIMIT, "round %d: %u", round, stats.max_depth);
  }
  cr_assert_gt(parts, 8);
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}
