/* Memory of scenes: an allocation may fail anywhere, a steady frame needs none, nothing leaks. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/octree/tree.h"
#include "support/world.h"

/* What must be as it was after a failure. */
typedef struct snapshot {
  uint32_t count, total;
  mo_shape_id ids[WORLD_MAX];
} snapshot;

static void take(world *w, snapshot *s) {
  memset(s, 0, sizeof *s);
  s->count = mo_scene_shape_count(w->scene);
  cr_assert_eq(mo_scene_get_shapes(w->scene, s->ids, WORLD_MAX, &s->total), MO_OK);
}

/* Fails each allocation of an operation in turn until it succeeds. */
static void fail_everywhere(world *w, mo_result (*operation)(world *, void *), void *context) {
  static snapshot before, after;
  take(w, &before);
  for (size_t nth = 1;; nth++) {
    counting_allocator_fail_at(&w->counter, nth, nth % 2);
    mo_result result = operation(w, context);
    counting_allocator_fail_at(&w->counter, 0, false);
    world_check(w, true);
    if (result == MO_OK) {
      return;
    }
    cr_assert_eq(result, MO_ERROR_OUT_OF_MEMORY);
    take(w, &after);
    cr_assert_eq(memcmp(&before, &after, sizeof before), 0);
    cr_assert_lt(nth, 100);
  }
}

static mo_result add_one(world *w, void *context) {
  (void)context;
  mo_shape_def def = world_shape(w);
  mo_shape_id id = {7, 7};
  mo_result result = mo_scene_add_shape(w->scene, &def, &id);
  if (result == MO_OK) {
    w->ids[w->count] = id;
    w->defs[w->count++] = def;
  } else {
    cr_assert(id.index == 7 && id.generation == 7);
  }
  return result;
}

static mo_result add_batch(world *w, void *context) {
  uint32_t count = *(uint32_t *)context;
  mo_shape_id ids[512];
  memset(ids, 0x55, sizeof ids);
  for (uint32_t i = 0; i < count; i++) {
    w->defs[w->count + i] = world_shape(w);
  }
  mo_result result = mo_scene_add_shapes(w->scene, &w->defs[w->count], count, ids, NULL);
  if (result == MO_OK) {
    memcpy(&w->ids[w->count], ids, count * sizeof *ids);
    w->count += count;
  } else {
    cr_assert_eq(ids[0].index, 0x55555555u);
  }
  return result;
}

Test(scene_memory, failures_while_creating) {
  for (size_t nth = 1;; nth++) {
    counting_allocator counter;
    counting_allocator_init(&counter);
    mo_scene_def def = mo_default_scene_def();
    def.host = counting_allocator_host(&counter);
    def.expected_shape_count = 1000;
    counting_allocator_fail_at(&counter, nth, false);
    mo_scene *scene = NULL;
    mo_result result = mo_scene_create(&def, &scene);
    if (result == MO_OK) {
      mo_scene_destroy(scene);
    } else {
      cr_assert_eq(result, MO_ERROR_OUT_OF_MEMORY);
      cr_assert_null(scene);
    }
    cr_assert(counting_allocator_is_clean(&counter));
    if (result == MO_OK) {
      cr_assert_gt(nth, 4);
      return;
    }
  }
}

Test(scene_memory, failures_while_adding) {
  uint64_t seed = rng_seed("failures while adding", 5);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    w->half_spaces = 0.05f;
    w->bodies = 0.3f;
    for (int i = 0; i < 300; i++) {
      fail_everywhere(w, add_one, NULL);
    }
    for (int i = 0; i < 20; i++) {
      uint32_t count = 1 + rng_below(&w->r, 100);
      fail_everywhere(w, add_batch, &count);
    }
    world_destroy(w);
  }
}

/* Slots that were freed before come back in the order in which they would have been used. */
Test(scene_memory, a_failed_batch_leaves_the_free_slots) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("free slots", 6));
  uint32_t count = 200;
  fail_everywhere(w, add_batch, &count);
  cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[100], 50, NULL), MO_OK);
  memmove(&w->ids[100], &w->ids[150], 50 * sizeof *w->ids);
  memmove(&w->defs[100], &w->defs[150], 50 * sizeof *w->defs);
  w->count = 150;
  uint32_t free_slot = w->scene->free_slot;
  uint32_t slots = w->scene->slot_count;
  /* Enough to need new blocks. */
  count = 400;
  counting_allocator_fail_at(&w->counter, 3, true);
  cr_assert_eq(add_batch(w, &count), MO_ERROR_OUT_OF_MEMORY);
  counting_allocator_fail_at(&w->counter, 0, false);
  cr_assert_eq(w->scene->free_slot, free_slot);
  cr_assert_eq(w->scene->slot_count, slots);
  world_check(w, true);
  world_destroy(w);
}

/* Without any memory to be had, everything but adding still works and stays right. */
Test(scene_memory, moves_and_removals_never_fail) {
  uint64_t seed = rng_seed("moves without memory", 7);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    uint32_t count = 500;
    cr_assert_eq(add_batch(w, &count), MO_OK);
    counting_allocator_fail_at(&w->counter, 1, true);
    for (int i = 0; i < 4000; i++) {
      uint32_t k = rng_below(&w->r, w->count);
      w->defs[k].transform.origin = rng_vec3(&w->r, -300, 300);
      if (i % 3) {
        cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[k], &w->defs[k].transform), MO_OK);
      } else {
        mo_transform t[100];
        for (uint32_t j = 0; j < 100; j++) {
          w->defs[j].transform.origin = rng_vec3(&w->r, -300, 300);
          t[j] = w->defs[j].transform;
        }
        cr_assert_eq(mo_scene_set_transforms(w->scene, w->ids, t, 100, NULL), MO_OK);
        if (k >= 100) {
          cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[k], &w->defs[k].transform), MO_OK);
        }
      }
      if (i % 10 == 0) {
        mo_result result = mo_scene_update(w->scene, NULL);
        cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
      }
      if (i % 100 == 0 && w->count > 200) {
        w->count--;
        cr_assert_eq(mo_scene_remove_shape(w->scene, w->ids[w->count]), MO_OK);
      }
      world_check(w, i % 50 == 0);
    }
    counting_allocator_fail_at(&w->counter, 0, false);
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
    cr_assert_not(w->scene->has_shapes_outside_cell);
    world_check(w, true);
    world_destroy(w);
  }
}

/* Checks that each of many unit boxes is stored where it should be. */
static void check_boxes(mo_scene *scene, const mo_shape_id *ids, const mo_vec3 *origins,
                        uint32_t count) {
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  for (uint32_t i = 0; i < count; i++) {
    mo_aabb box = mo_slot_box(scene, ids[i].index);
    mo_vec3 o = origins[i];
    cr_assert(box.lower.x <= o.x - 1 && box.upper.x >= o.x + 1 && box.upper.x < o.x + 1.01f &&
              box.lower.y <= o.y - 1 && box.upper.y >= o.y + 1 && box.upper.y < o.y + 1.01f);
  }
}

/* More shapes leave their cells than are sorted at once, and the memory for sorting, or for some of
 * them, is missing: all are found nevertheless, and get to their cells when there is memory
 * again. */
Test(scene_memory, many_moves_without_memory) {
  enum { COUNT = 6000, HEAPS = 40 };
  static mo_shape_def defs[COUNT];
  static mo_shape_id ids[COUNT];
  static mo_vec3 origins[COUNT];
  rng r = rng_make(rng_seed("many moves without memory", 11));
  uint32_t has_shapes_outside_cell = 0;
  for (int pass = 0; pass < 6; pass++) {
    /* Shapes in few places fill their blocks, and take more of them where they go. */
    mo_vec3 heaps[HEAPS];
    for (int i = 0; i < HEAPS; i++) {
      heaps[i] = rng_vec3(&r, -40, 40);
    }
    size_t failing = 1;
    for (size_t nth = 1; failing && nth < 40; nth += 1 + nth / 4) {
      counting_allocator counter;
      counting_allocator_init(&counter);
      mo_scene_def def = mo_default_scene_def();
      def.tree.policy = world_policies[pass % 3];
      def.host = counting_allocator_host(&counter);
      mo_scene *scene = NULL;
      cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
      for (uint32_t i = 0; i < COUNT; i++) {
        defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
        defs[i].transform.origin = pass < 3 ? rng_vec3(&r, -40, 40) : heaps[i % HEAPS];
        origins[i] = rng_vec3(&r, -400, 400);
      }
      /* One by one, so that there is no workspace for sorting yet, or together. */
      for (uint32_t i = 0; nth == 1 && i < COUNT; i++) {
        cr_assert_eq(mo_scene_add_shape(scene, &defs[i], &ids[i]), MO_OK);
      }
      if (nth > 1) {
        cr_assert_eq(mo_scene_add_shapes(scene, defs, COUNT, ids, NULL), MO_OK);
      }
      mo_update_def update = mo_default_update_def();
      update.ids = ids;
      update.origins = origins;
      update.count = COUNT;
      counting_allocator_fail_at(&counter, nth, true);
      mo_result result = mo_scene_update(scene, &update);
      cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
      failing = counter.calls >= nth;
      has_shapes_outside_cell += scene->has_shapes_outside_cell;
      check_boxes(scene, ids, origins, COUNT);
      counting_allocator_fail_at(&counter, 0, false);
      cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
      cr_assert_not(scene->has_shapes_outside_cell);
      check_boxes(scene, ids, origins, COUNT);
      mo_scene_destroy(scene);
      cr_assert(counting_allocator_is_clean(&counter));
    }
    cr_expect_not(failing);
  }
  cr_expect_gt(has_shapes_outside_cell, 0);
}

/* Scattered operations with failing allocations: each either happens or does not. */
Test(scene_memory, failures_in_churn) {
  uint64_t seed = rng_seed("failures in churn", 8);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    w->half_spaces = 0.05f;
    w->bodies = 0.3f;
    for (uint64_t i = 0; i < rng_rounds(3000, 30000); i++) {
      counting_allocator_fail_at(&w->counter, 1 + rng_below(&w->r, 3), rng_chance(&w->r, 0.5));
      if (w->count < 1000 && rng_chance(&w->r, 0.4)) {
        uint32_t count = 1 + rng_below(&w->r, 20);
        (void)add_batch(w, &count);
      } else if (w->count > 0) {
        uint32_t k = rng_below(&w->r, w->count);
        w->defs[k].transform.origin = rng_vec3(&w->r, -50, 50);
        cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[k], &w->defs[k].transform), MO_OK);
        (void)mo_scene_update(w->scene, NULL);
      }
      counting_allocator_fail_at(&w->counter, 0, false);
      world_check(w, false);
    }
    world_destroy(w);
  }
}

Test(scene_memory, a_steady_frame_allocates_nothing) {
  uint64_t seed = rng_seed("steady frames", 9);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    uint32_t count = 500;
    for (int i = 0; i < 4; i++) {
      cr_assert_eq(add_batch(w, &count), MO_OK);
    }
    static mo_transform t[2000];
    size_t calls = 0;
    for (int frame = 0; frame < 1000; frame++) {
      for (uint32_t i = 0; i < w->count; i++) {
        mo_vec3 step = rng_vec3(&w->r, -0.2f, 0.2f);
        mo_transform *m = &w->defs[i].transform;
        m->origin.x = fmodf(m->origin.x + step.x, 50);
        m->origin.y = fmodf(m->origin.y + step.y, 50);
        m->origin.z = fmodf(m->origin.z + step.z, 50);
        t[i] = *m;
      }
      cr_assert_eq(mo_scene_set_transforms(w->scene, w->ids, t, w->count, NULL), MO_OK);
      cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
      if (frame == 200) {
        calls = w->counter.calls;
      }
    }
    /* The numbers of blocks and nodes vary a little: where they pass a limit of the pools, these
     * double, once. */
    cr_expect_leq(w->counter.calls - calls, 3, "%zu", w->counter.calls - calls);
    world_check(w, true);
    world_destroy(w);
  }
}

/* The figure aimed at, at a number of shapes where the pools are about to grow: before and
 * after. */
Test(scene_memory, bytes_per_shape) {
  rng r = rng_make(rng_seed("bytes per shape", 10));
  enum { COUNT = 100000 };
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  mo_shape_def *defs = calloc(COUNT, sizeof *defs);
  mo_shape_id *ids = calloc(COUNT, sizeof *ids);
  for (uint32_t i = 0; i < COUNT; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_SPHERE);
    defs[i].transform.origin = rng_vec3(&r, -100, 100);
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, COUNT, ids, NULL), MO_OK);
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(scene, &stats), MO_OK);
  cr_assert_leq(stats.tree_bytes, (size_t)120 * COUNT, "%zu", stats.tree_bytes / COUNT);
  size_t before = stats.tree_bytes;
  mo_transform *transforms = calloc(COUNT, sizeof *transforms);
  for (int frame = 0; frame < 30 && stats.tree_bytes == before; frame++) {
    for (uint32_t i = 0; i < COUNT; i++) {
      defs[i].transform.origin = rng_vec3(&r, -100, 100);
      transforms[i] = defs[i].transform;
    }
    cr_assert_eq(mo_scene_set_transforms(scene, ids, transforms, COUNT, NULL), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    cr_assert_eq(mo_scene_get_stats(scene, &stats), MO_OK);
  }
  cr_assert_gt(stats.tree_bytes, before, "nothing has grown");
  cr_assert_leq(stats.tree_bytes, (size_t)120 * COUNT, "%zu", stats.tree_bytes / COUNT);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  free(transforms);
  mo_scene_destroy(scene);
  free(defs);
  free(ids);
}
