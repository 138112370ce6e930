/* The octree of a mesh is the same, byte for byte, whatever number of workers built it, in whatever
 * order tasks ran; and when memory runs out in one of them, nothing is left behind. A plain
 * program, because Criterion does not start under the thread sanitizer. */
#include <stdio.h>
#include <string.h>

#include "mesh/mesh.h"
#include "support/counting_allocator.h"
#include "support/meshes.h"
#include "support/task_order.h"

enum { POOLS = 4, BACKWARDS = 8, FAILURES = 5 };

static const uint32_t workers[POOLS] = {1, 2, 3, 8};
static uint32_t wrong;

static void expect(bool what, const char *mesh, const char *text, unsigned number) {
  if (!what) {
    fprintf(stderr, "%s: %s (%u)\n", mesh, text, number);
    wrong++;
  }
}

static bool same_planes(const mo_mesh_planes *a, const mo_mesh_planes *b) {
  return a->parent == b->parent && a->depth == b->depth && a->nested.count == b->nested.count &&
         memcmp(a->nested.position, b->nested.position, sizeof a->nested.position) == 0 &&
         memcmp(a->nested.axis, b->nested.axis, sizeof a->nested.axis) == 0 &&
         memcmp(a->nested.sides, b->nested.sides, sizeof a->nested.sides) == 0;
}

static bool same_mesh(const mo_mesh *a, const mo_mesh *b) {
  if (a->node_count != b->node_count || a->block_count != b->block_count ||
      a->duplicate_count != b->duplicate_count || a->depth != b->depth ||
      a->degenerate_count != b->degenerate_count ||
      memcmp(&a->bounds, &b->bounds, sizeof a->bounds) != 0) {
    return false;
  }
  for (uint32_t i = 0; i < a->node_count; i++) {
    if (!same_planes(&a->planes[i], &b->planes[i])) {
      return false;
    }
  }
  return memcmp(a->nodes, b->nodes, a->node_count * sizeof *a->nodes) == 0 &&
         memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) == 0 &&
         memcmp(a->triangle_places, b->triangle_places,
                a->triangle_count * sizeof *a->triangle_places) == 0 &&
         (a->duplicate_count == 0 ||
          memcmp(a->duplicates, b->duplicates, a->duplicate_count * sizeof *a->duplicates) == 0);
}

static void check_mesh(const test_mesh *source, mo_mesh_builder builder, mo_mesh_quality quality,
                       mo_task_pool *const pools[POOLS], rng *r) {
  mo_mesh_def def = test_mesh_def(source);
  def.build.builder = builder;
  def.build.quality = quality;
  mo_mesh *alone = NULL;
  expect(mo_mesh_create(&def, &alone) == MO_OK, source->name, "not built alone", quality);
  expect(mo_mesh_validate(alone) == MO_OK, source->name, "corrupt", quality);
  for (int i = 0; i <= POOLS; i++) {
    mo_mesh *together = NULL;
    def.host.tasks = i < POOLS ? mo_task_pool_tasks(pools[i]) : tasks_backwards(BACKWARDS);
    expect(mo_mesh_create(&def, &together) == MO_OK, source->name, "not built",
           def.host.tasks.worker_count);
    expect(same_mesh(alone, together), source->name,
           i < POOLS ? "differs with workers" : "differs with tasks backwards",
           def.host.tasks.worker_count);
    mo_mesh_release(together);
  }
  mo_mesh_release(alone);
  counting_allocator counter;
  counting_allocator_init(&counter);
  def.host = counting_allocator_host(&counter);
  def.host.tasks = mo_task_pool_tasks(pools[2]);
  expect(mo_mesh_create(&def, &alone) == MO_OK, source->name, "not built, counting", quality);
  mo_mesh_release(alone);
  uint32_t calls = (uint32_t)atomic_load(&counter.calls);
  for (int i = 0; i < FAILURES; i++) {
    counting_allocator_fail_at(&counter, 1 + rng_below(r, calls), true);
    mo_mesh *none = NULL;
    mo_result result = mo_mesh_create(&def, &none);
    expect(result == MO_ERROR_OUT_OF_MEMORY && none == NULL, source->name, "not out of memory",
           (unsigned)result);
    expect(counting_allocator_is_clean(&counter), source->name, "memory left behind", (unsigned)i);
  }
}

int main(void) {
  rng r = rng_make(rng_seed("mesh/build/threads", 37));
  mo_task_pool *pools[POOLS];
  for (int i = 0; i < POOLS; i++) {
    mo_result result = mo_task_pool_create(NULL, workers[i], &pools[i]);
    if (result != MO_OK) {
      fprintf(stderr, "no threads to be had: %s\n", mo_result_name(result));
      return 77; /* skipped */
    }
  }
  static const test_mesh_kind kinds[] = {
    TEST_MESH_TERRAIN,
    TEST_MESH_CLUSTERS,
#if !defined(TEST_SANITIZED)
    TEST_MESH_LONG_THIN,
    TEST_MESH_SOUP,
    TEST_MESH_COINCIDENT,
#endif
  };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    test_mesh mesh = test_mesh_make(kinds[k], 24000, &r);
    check_mesh(&mesh, MO_MESH_BUILDER_SPLIT, MO_MESH_QUALITY_DEFAULT, pools, &r);
    test_mesh_free(&mesh);
    mesh = test_mesh_make(kinds[k], 60000, &r); /* several tasks at each step of a fast build */
    check_mesh(&mesh, MO_MESH_BUILDER_SINGLE, MO_MESH_QUALITY_FAST, pools, &r);
    test_mesh_free(&mesh);
  }
  test_mesh mesh = test_mesh_make(TEST_MESH_SOUP, 12000, &r);
  check_mesh(&mesh, MO_MESH_BUILDER_SPLIT, MO_MESH_QUALITY_HIGH, pools, &r);
  test_mesh_free(&mesh);
  for (int i = 0; i < POOLS; i++) {
    mo_task_pool_destroy(pools[i]);
  }
  return wrong == 0 ? 0 : 1;
}
