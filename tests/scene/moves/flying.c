/* Shapes that all fly by about their own size each frame, or apart and together again as in an
 * explosion: every tree is valid and finds the pairs of a loop over all shapes, on any number of
 * workers it is the same tree, steady motion needs no memory, and cells of irregular trees grow
 * until shapes leave them hardly more often than loose ones. A plain program, because Criterion
 * does not start under the thread sanitizer. */
#include <math.h>
#include <motte/pair_tracker.h>
#include <stdio.h>

#include "support/counting_allocator.h"
#include "support/plain.h"
#include "support/rng.h"

enum { FEW = 4200, MANY = 10000, DARTS = 8, BURST = 4, FRAMES = DARTS + 3 * BURST };

typedef struct flight {
  rng r;
  mo_scene *scene;
  mo_pair_tracker *tracker;
  uint32_t count;
  float half; /* of the world's edge: 0.1 shapes per unit of volume */
  mo_shape_id ids[MANY];
  mo_vec3 at[MANY], velocity[MANY];
} flight;

static flight f;

static void begin(uint64_t seed, uint32_t count, mo_tree_policy policy, mo_host host) {
  static mo_shape_def defs[MANY];
  f = (flight){.r = rng_make(seed), .count = count, .half = 0.5f * cbrtf(10 * (float)count)};
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = policy;
  def.host = host;
  need(mo_scene_create(&def, &f.scene), "make a scene");
  need(mo_pair_tracker_create(f.scene, NULL, &f.tracker), "make a tracker");
  for (uint32_t i = 0; i < f.count; i++) {
    f.at[i] = rng_vec3(&f.r, -f.half, f.half);
    f.velocity[i] = rng_vec3(&f.r, -1, 1);
    defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    defs[i].transform.origin = f.at[i];
  }
  need(mo_scene_add_shapes(f.scene, defs, count, f.ids, NULL), "add shapes");
  need(mo_scene_update(f.scene, NULL), "update");
  need(mo_pair_tracker_update(f.tracker, NULL), "find pairs");
}

static void end(void) {
  mo_pair_tracker_destroy(f.tracker);
  mo_scene_destroy(f.scene);
}

static void fly(float *x, float *velocity) {
  *velocity = *x > f.half ? -fabsf(*velocity) : *x < -f.half ? fabsf(*velocity) : *velocity;
  *x += *velocity;
}

/* Darts first; then they fly apart, and come together again in twice as many frames. */
static void step(int frame, mo_pair_events *events) {
  float way = frame < DARTS + BURST ? 3 : -3;
  for (uint32_t i = 0; i < f.count; i++) {
    mo_vec3 *p = &f.at[i], *v = &f.velocity[i];
    if (frame < DARTS) {
      fly(&p->x, &v->x);
      fly(&p->y, &v->y);
      fly(&p->z, &v->z);
    } else {
      *p = (mo_vec3){p->x + way * v->x, p->y + way * v->y, p->z + way * v->z};
    }
  }
  mo_update_def update = mo_default_update_def();
  update.ids = f.ids;
  update.origins = f.at;
  update.count = f.count;
  need(mo_scene_update(f.scene, &update), "update");
  need(mo_pair_tracker_update(f.tracker, events), "find pairs");
}

static uint64_t count_pairs(void) {
  static mo_aabb box[MANY];
  uint64_t count = 0;
  for (uint32_t i = 0; i < f.count; i++) {
    need(mo_scene_get_bounds(f.scene, f.ids[i], &box[i]), "read bounds");
    for (uint32_t j = 0; j < i; j++) {
      const mo_aabb *a = &box[i], *b = &box[j];
      count += (a->lower.x <= b->upper.x) & (a->lower.y <= b->upper.y) &
               (a->lower.z <= b->upper.z) & (b->lower.x <= a->upper.x) &
               (b->lower.y <= a->upper.y) & (b->lower.z <= a->upper.z);
    }
  }
  return count;
}

static int wrong_pairs; /* counted by fly_all */

/* What the frames leave behind. */
static uint64_t fly_all(uint64_t seed, mo_tree_policy policy, mo_tasks tasks) {
  mo_host host = mo_default_scene_def().host;
  host.tasks = tasks;
  begin(seed, FEW, policy, host);
  uint64_t sum = FNV1A_BEGIN;
  for (int frame = 0; frame < FRAMES; frame++) {
    mo_pair_events events;
    step(frame, &events);
    need(mo_scene_validate(f.scene), "validate");
    sum = fnv1a(sum, events.begins, events.begin_count * sizeof(mo_pair));
    sum = fnv1a(sum, events.ends, events.end_count * sizeof(mo_pair));
    if (tasks.for_each == NULL && frame % 8 == 7) {
      wrong_pairs += mo_pair_tracker_pair_count(f.tracker) != count_pairs();
    }
    mo_scene_stats stats;
    need(mo_scene_get_stats(f.scene, &stats), "read statistics");
    sum = fnv1a(sum, &stats.node_count, sizeof stats.node_count);
    sum = fnv1a(sum, &stats.reinsert_count, sizeof stats.reinsert_count);
    sum = fnv1a(sum, &stats.expected_block_visits, sizeof stats.expected_block_visits);
    wrong_pairs += stats.rebuild_count != 0;
  }
  end();
  return sum;
}

typedef struct effort {
  size_t allocations, reinserts;
} effort;

/* Of some frames with darts, after four times as many. */
static effort measure(uint64_t seed, mo_tree_policy policy) {
  enum { MEASURED = 16 };
  counting_allocator counter;
  counting_allocator_init(&counter);
  begin(seed, MANY, policy, counting_allocator_host(&counter));
  size_t calls = 0;
  mo_scene_stats before, after;
  for (int frame = 0; frame < 5 * MEASURED; frame++) {
    if (frame == 4 * MEASURED) {
      need(mo_scene_get_stats(f.scene, &before), "read statistics");
      calls = counter.calls;
    }
    mo_pair_events events;
    step(0, &events);
  }
  need(mo_scene_get_stats(f.scene, &after), "read statistics");
  effort e = {counter.calls - calls, (size_t)(after.reinsert_count - before.reinsert_count)};
  end();
  printf("policy %d: %zu allocations, %zu reinserts\n", (int)policy, e.allocations, e.reinserts);
  return e;
}

int main(void) {
  static const uint32_t workers[] = {2, 8, 0};
  uint64_t seed = rng_seed("scene/moves/flying", 5);
  int differences = count_differences(fly_all, seed, workers);
  effort irregular = measure(seed, MO_TREE_IRREGULAR), loose = measure(seed, MO_TREE_LOOSE);
  bool steady = irregular.allocations == 0 && loose.allocations == 0;
  bool notices = 10 * irregular.reinserts <= 12 * loose.reinserts;
  printf("%d wrong numbers of pairs\n", wrong_pairs);
  return differences == 0 && wrong_pairs == 0 && steady && notices ? 0 : 1;
}
