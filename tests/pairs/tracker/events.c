/* Pairs from update to update: the set against loops over all shapes, events against the sets
 * before and after, while everything changes. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/pair_tracker.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/pairs.h"
#include "scene/octree/tree.h"
#include "support/world.h"

enum { SLOTS = 2 * WORLD_MAX };

/* A tracker with what it should hold. */
typedef struct follower {
  mo_pair_tracker *tracker;
  mo_pair_query_def def; /* the same callback, for the oracle */
  bool report_persists;
  pair_list set;
  mo_shape_id ids[SLOTS]; /* at the last update, with the boxes they had */
  mo_aabb boxes[SLOTS];
} follower;

/* Always the same for the same slots. */
static bool accept_some(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b,
                        void *context) {
  (void)user_data_a;
  (void)user_data_b;
  (void)context;
  return (7 * pair->a.index + pair->b.index) % 5 != 0;
}

static follower *follow(world *w, bool choosy, bool report_persists) {
  follower *f = calloc(1, sizeof *f);
  cr_assert_not_null(f);
  f->report_persists = report_persists;
  f->def.accept = choosy ? accept_some : NULL;
  mo_pair_tracker_def def = mo_default_pair_tracker_def();
  def.accept = f->def.accept;
  def.report_persists = report_persists;
  cr_assert_eq(mo_pair_tracker_create(w->scene, &def, &f->tracker), MO_OK);
  cr_assert_eq(mo_pair_tracker_pair_count(f->tracker), 0);
  return f;
}

static void unfollow(follower *f) {
  mo_pair_tracker_destroy(f->tracker);
  pair_list_free(&f->set);
  free(f);
}

static bool has(const pair_list *list, mo_pair pair) {
  uint32_t begin = 0, end = list->count;
  while (begin < end) {
    uint32_t middle = begin + (end - begin) / 2;
    if (pair_before(list->pairs[middle], pair)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < list->count && pair_equal(list->pairs[begin], pair);
}

static void check_sorted(const mo_pair *pairs, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    cr_assert_lt(pairs[i].a.index, pairs[i].b.index);
    cr_assert(i == 0 || pair_before(pairs[i - 1], pairs[i]));
  }
}

/* Whether a shape has the bounds that it had at the last update. (A shape that was only marked to
 * be searched again counts as unchanged.) */
static bool is_unmoved(const follower *f, mo_shape_id id, const world *w) {
  mo_aabb box;
  cr_assert_eq(mo_scene_get_bounds(w->scene, id, &box), MO_OK);
  return f->ids[id.index].generation == id.generation &&
         memcmp(&box, &f->boxes[id.index], sizeof box) == 0;
}

static void remember_shapes(follower *f, const world *w) {
  memset(f->ids, 0, sizeof f->ids);
  for (uint32_t i = 0; i < w->count; i++) {
    uint32_t slot = w->ids[i].index;
    cr_assert_lt(slot, SLOTS);
    f->ids[slot] = w->ids[i];
    cr_assert_eq(mo_scene_get_bounds(w->scene, w->ids[i], &f->boxes[slot]), MO_OK);
  }
}

static void check_events(follower *f, const world *w, const mo_pair_events *events,
                         const pair_list *now) {
  check_sorted(events->begins, events->begin_count);
  check_sorted(events->ends, events->end_count);
  check_sorted(events->persists, events->persist_count);
  for (uint32_t i = 0; i < events->begin_count; i++) {
    cr_assert(has(now, events->begins[i]) && !has(&f->set, events->begins[i]));
  }
  for (uint32_t i = 0; i < events->end_count; i++) {
    cr_assert(!has(now, events->ends[i]) && has(&f->set, events->ends[i]));
  }
  cr_assert_eq(f->set.count + events->begin_count, now->count + events->end_count);
  pair_list persists = {(mo_pair *)(uintptr_t)events->persists, events->persist_count, 0};
  for (uint32_t i = 0; i < persists.count; i++) {
    cr_assert(has(now, persists.pairs[i]) && has(&f->set, persists.pairs[i]));
  }
  for (uint32_t i = 0; f->report_persists && i < now->count; i++) {
    mo_pair pair = now->pairs[i];
    if (has(&f->set, pair) && !has(&persists, pair)) {
      cr_assert(is_unmoved(f, pair.a, w) && is_unmoved(f, pair.b, w));
    }
  }
}

static void check_set(const follower *f, const world *w) {
  cr_assert_eq(mo_pair_tracker_validate(f->tracker), MO_OK, "%s", w->why);
  cr_assert_eq(mo_pair_tracker_pair_count(f->tracker), f->set.count);
  mo_pair *all = calloc(f->set.count + 1, sizeof *all);
  cr_assert_not_null(all);
  uint32_t total;
  cr_assert_eq(mo_pair_tracker_get_pairs(f->tracker, all, f->set.count, &total), MO_OK);
  cr_assert_eq(total, f->set.count);
  for (uint32_t i = 0; i < f->set.count; i++) {
    cr_assert(pair_equal(all[i], f->set.pairs[i]), "pair %u", i);
  }
  free(all);
}

static void check_partners(const follower *f, const world *w, mo_shape_id id) {
  mo_shape_id partners[SLOTS];
  uint32_t total;
  cr_assert_eq(mo_pair_tracker_get_partners(f->tracker, id, partners, SLOTS, &total), MO_OK);
  for (uint32_t i = 0; i < w->count; i++) {
    mo_shape_id other = w->ids[i];
    mo_pair pair = id.index < other.index ? (mo_pair){id, other} : (mo_pair){other, id};
    bool paired = has(&f->set, pair), listed = false;
    for (uint32_t j = 0; j < total; j++) {
      listed |= partners[j].index == other.index && partners[j].generation == other.generation;
    }
    cr_assert(listed == paired);
    cr_assert(mo_pair_tracker_contains(f->tracker, id, other) == paired);
  }
}

static void take_events(follower *f, world *w, const mo_pair_events *events) {
  pair_list now = {0};
  pair_oracle(w->scene, w->scene, &f->def, &now);
  check_events(f, w, events, &now);
  pair_list_free(&f->set);
  f->set = now;
  remember_shapes(f, w);
  check_set(f, w);
}

static void check_update(follower *f, world *w) {
  mo_pair_events events;
  cr_assert_eq(mo_pair_tracker_update(f->tracker, &events), MO_OK);
  take_events(f, w, &events);
  if (w->count > 0) {
    check_partners(f, w, w->ids[rng_below(&w->r, w->count)]);
  }
}

static void limit(world *w, uint32_t max) {
  if (w->count > max) {
    uint32_t gone = w->count / 2;
    cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[w->count - gone], gone, NULL), MO_OK);
    w->count -= gone;
  }
}

static void churn(mo_tree_policy policy, uint64_t seed, float size, uint32_t max, uint64_t steps) {
  world *w = world_create(policy, seed);
  w->size = size;
  w->half_spaces = max < 100 ? 0.1f : 0.01f;
  w->bodies = max > 100 ? 0.4f : 0;
  follower *often = follow(w, false, true), *seldom = follow(w, true, false), *late = NULL;
  for (uint64_t i = 0; i < steps; i++) {
    limit(w, max);
    world_step(w);
    if (rng_chance(&w->r, 0.1)) {
      check_update(often, w);
    }
    if (rng_chance(&w->r, 0.01)) {
      check_update(seldom, w);
    }
    if (i == steps / 2) {
      late = follow(w, false, false);
    }
    if (i > steps / 2 && rng_chance(&w->r, 0.02)) {
      check_update(late, w);
    }
    if (i == steps / 4 * 3) { /* in the middle of the scene's list */
      unfollow(seldom);
      seldom = follow(w, true, true);
    }
  }
  cr_assert_eq(mo_scene_remove_shapes(w->scene, w->ids, w->count, NULL), MO_OK);
  w->count = 0;
  check_update(often, w);
  check_update(seldom, w);
  cr_assert_eq(mo_pair_tracker_pair_count(often->tracker), 0, "each begin has its end");
  cr_assert_eq(mo_pair_tracker_pair_count(seldom->tracker), 0);
  unfollow(often);
  unfollow(seldom);
  mo_pair_tracker *orphan = late->tracker;
  mo_scene_destroy(w->scene);
  mo_scene_def def = mo_default_scene_def();
  def.host = counting_allocator_host(&w->counter);
  cr_assert_eq(mo_pair_tracker_update(orphan, NULL), MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(mo_scene_create(&def, &w->scene), MO_OK);
  unfollow(late);
  world_destroy(w);
}

Test(pair_events, churn) {
  uint64_t seed = rng_seed("pair events under churn", 41);
  for (int policy = 0; policy < 3; policy++) {
    churn(world_policies[policy], seed + (uint64_t)policy, 12, 60, rng_few_rounds(1500, 30000));
    churn(world_policies[policy], seed + (uint64_t)policy, 12, 300, rng_few_rounds(1000, 30000));
    churn(world_policies[policy], seed + (uint64_t)policy, 3, 150, rng_few_rounds(1000, 30000));
  }
}

static bool is_large(const mo_shape_def *def) {
  return def->geometry.type == MO_SHAPE_HALF_SPACE ||
         (def->geometry.type == MO_SHAPE_BOX && def->geometry.box.half_extents.x >= 20);
}

/* Shapes that touch many of the others move, among others that move, come and go, by all filters
 * and motions: their pairs are compared in bulk. */
Test(pair_events, shapes_with_many_partners) {
  uint64_t seed = rng_seed("shapes with many partners", 49);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    w->size = 12;
    w->half_spaces = 0.03f;
    w->bodies = policy == 1 ? 0.3f : 0;
    follower *f[2] = {follow(w, false, policy > 0), follow(w, true, policy == 0)};
    bool filtered = policy < 2;
    for (uint64_t round = 0; round < rng_few_rounds(60, 1000); round++) {
      limit(w, 300);
      while (w->count < 150) {
        world_step(w);
      }
      for (uint32_t i = 0; i < w->count; i++) {
        if (is_large(&w->defs[i]) && rng_chance(&w->r, 0.7)) {
          mo_vec3 to = rng_vec3(&w->r, -20, 20);
          w->defs[i].transform.origin = to;
          cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[i], &w->defs[i].transform), MO_OK);
        }
      }
      check_update(f[0], w);
      check_update(f[1], w);
      if (round % 4 == 0) {
        mo_shape_def *def = &w->defs[w->count];
        *def = world_shape(w);
        def->transform = mo_transform_identity();
        def->geometry = mo_default_shape_def(MO_SHAPE_BOX).geometry;
        def->geometry.box.half_extents = (mo_vec3){20, 20, rng_float(&w->r, 1, 20)};
        def->category = filtered ? 1u + rng_below(&w->r, 3) : def->category;
        def->mask = filtered ? 1u + rng_below(&w->r, 3) : def->mask;
        cr_assert_eq(mo_scene_add_shape(w->scene, def, &w->ids[w->count++]), MO_OK);
      }
      for (int step = 0; step < 6; step++) {
        world_step(w);
      }
    }
    unfollow(f[0]);
    unfollow(f[1]);
    world_destroy(w);
  }
}

/* A ground, a crowd that gathers on it, piles up at one point, and scatters; sizes 1:1000. */
Test(pair_events, crowds) {
  uint64_t seed = rng_seed("pair events of crowds", 42);
  for (int policy = 0; policy < 2; policy++) {
    world *w = world_create(world_policies[policy], seed);
    follower *f = follow(w, false, true);
    static const uint32_t count = 400;
    static mo_transform transforms[400];
    for (uint32_t i = 0; i < count; i++) {
      mo_shape_def *def = &w->defs[i];
      *def = mo_default_shape_def(MO_SHAPE_SPHERE);
      def->geometry.sphere.radius = i == 7 ? 500 : 0.5f * exp2f(rng_float(&w->r, 0, 3));
      def->motion = i == 7 || i % 50 == 49 ? MO_MOTION_STATIC : MO_MOTION_DYNAMIC;
      def->transform.origin = rng_vec3(&w->r, -400, 400);
    }
    cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs, count, w->ids, NULL), MO_OK);
    w->count = count;
    check_update(f, w);
    for (int frame = 0; frame < 24; frame++) {
      /* A few, then all; together, then apart. */
      uint32_t movers = frame % 3 == 0 ? count : 1 + rng_below(&w->r, 40);
      uint32_t first = rng_below(&w->r, count - movers + 1);
      for (uint32_t i = 0; i < movers; i++) {
        mo_vec3 p = rng_vec3(&w->r, -400, 400);
        transforms[i] = frame % 6 < 3    ? world_translation(p.x / 100, p.y / 100, p.z / 100)
                        : frame % 6 == 5 ? world_translation(1, 2, 3)
                                         : world_translation(p.x, p.y, p.z);
      }
      cr_assert_eq(mo_scene_set_transforms(w->scene, &w->ids[first], transforms, movers, NULL),
                   MO_OK);
      check_update(f, w);
    }
    mo_pair_tracker_stats stats;
    cr_assert_eq(mo_pair_tracker_get_stats(f->tracker, &stats), MO_OK);
    cr_assert_eq(stats.pair_count, f->set.count);
    cr_assert(stats.whole_search_count > 0 && stats.whole_search_count < stats.update_count);
    cr_assert_eq(stats.pending_shape_count, 0);
    unfollow(f);
    world_destroy(w);
  }
}

/* Pairs that do not change are not visited: falling asleep and waking leave no trace. */
Test(pair_events, sleep_is_no_change) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("sleep", 43));
  w->size = 12;
  while (w->count < 200) {
    world_step(w);
  }
  follower *f = follow(w, false, true);
  check_update(f, w);
  mo_pair_tracker_stats stats;
  for (uint32_t i = 0; i < w->count; i++) {
    if (w->defs[i].motion != MO_MOTION_STATIC) {
      w->defs[i].motion = i % 2 ? MO_MOTION_SLEEPING : MO_MOTION_DYNAMIC;
      cr_assert_eq(mo_scene_set_motion(w->scene, &w->ids[i], 1, w->defs[i].motion, NULL), MO_OK);
    }
  }
  cr_assert_eq(mo_pair_tracker_get_stats(f->tracker, &stats), MO_OK);
  cr_assert_eq(stats.pending_shape_count, 0);
  check_update(f, w);
  cr_assert_eq(mo_scene_set_motion(w->scene, w->ids, w->count, MO_MOTION_STATIC, NULL), MO_OK);
  check_update(f, w);
  cr_assert_eq(mo_pair_tracker_pair_count(f->tracker), 0, "static shapes are no pairs");
  unfollow(f);
  world_destroy(w);
}

/* Whether some shapes below a place are not static, and some awake, as the nodes there are
 * marked. */
static mo_motion_marks check_marks(const mo_scene *scene, uint32_t child) {
  mo_motion_marks any = {0, 0};
  if (child == MO_CHILD_EMPTY) {
    return any;
  }
  if (mo_child_is_leaf(child)) {
    return mo_block_list_motion_marks(scene, mo_child_index(child));
  }
  mo_motion_marks marks = scene->motion_marks[child];
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    mo_motion_marks below = check_marks(scene, mo_scene_node_at(scene, child)->child[octant]);
    cr_assert_eq(marks.dynamic >> octant & 1, below.dynamic != 0);
    cr_assert_eq(marks.awake >> octant & 1, below.awake != 0);
    mo_motion_marks_add(&any, 0, below);
  }
  mo_motion_marks_add(&any, 0,
                      mo_block_list_motion_marks(scene, mo_scene_node_at(scene, child)->items));
  return any;
}

/* Parts of the tree where all shapes are static, or asleep, are marked after an update: no search
 * enters them. */
Test(pair_events, sleep_is_known_to_all_nodes) {
  uint64_t seed = rng_seed("sleeping parts", 49);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    static mo_transform here[1000], there[1000];
    world_fill(w, 1000, 20, here, there);
    for (int round = 0; round < 30; round++) {
      uint32_t count = round % 3 == 0 ? w->count : 1 + rng_below(&w->r, w->count / 2);
      uint32_t first = rng_below(&w->r, w->count - count + 1);
      cr_assert_eq(mo_scene_set_motion(w->scene, &w->ids[first], count, world_motion(w), NULL),
                   MO_OK);
      cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
      check_marks(w->scene, w->scene->root);
      uint32_t next = rng_below(&w->r, w->count);
      cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[next], &there[next]), MO_OK);
      cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
      check_marks(w->scene, w->scene->root);
    }
    world_destroy(w);
  }
}

/* Any allocation may fail: the set stays, and the next update makes up for it. */
Test(pair_events, failures) {
  uint64_t seed = rng_seed("failing updates of pairs", 44);
  for (int round = 0; round < 3; round++) {
    world *w = world_create(world_policies[round], seed);
    w->size = round < 2 ? 10 : 3; /* few pairs, and many */
    follower *f = follow(w, round == 1, true);
    for (int i = 0; i < 40; i++) {
      for (int j = 0; j < 40; j++) {
        limit(w, 250);
        world_step(w);
      }
      for (size_t nth = 1;; nth++) {
        counting_allocator_fail_at(&w->counter, nth, nth % 2);
        mo_pair_events events = {.begin_count = 77};
        mo_result result = mo_pair_tracker_update(f->tracker, &events);
        counting_allocator_fail_at(&w->counter, 0, false);
        if (result == MO_OK) {
          take_events(f, w, &events);
          break;
        }
        cr_assert_eq(result, MO_ERROR_OUT_OF_MEMORY);
        cr_assert_eq(events.begin_count, 77);
        check_set(f, w);
        cr_assert_lt(nth, 100);
      }
    }
    unfollow(f);
    world_destroy(w);
  }
}

/* Any allocation may fail also while a tracker is made, and while a scene grows that has one. */
Test(pair_events, failures_while_growing) {
  world *w = world_create(MO_TREE_LOOSE, rng_seed("failing growth", 45));
  w->size = 10;
  for (int i = 0; i < 500; i++) {
    limit(w, 200);
    world_step(w);
  }
  mo_pair_tracker *tracker = NULL;
  mo_result result;
  for (size_t nth = 1; tracker == NULL; nth++) {
    counting_allocator_fail_at(&w->counter, nth, false);
    result = mo_pair_tracker_create(w->scene, NULL, &tracker);
    counting_allocator_fail_at(&w->counter, 0, false);
    cr_assert(result == (tracker != NULL ? MO_OK : MO_ERROR_OUT_OF_MEMORY));
  }
  mo_pair_tracker_destroy(tracker);
  follower *f = follow(w, false, true);
  while (w->count < 1500) {
    mo_shape_def def = world_shape(w);
    counting_allocator_fail_at(&w->counter, rng_below(&w->r, 10), false);
    result = mo_scene_add_shape(w->scene, &def, &w->ids[w->count]);
    counting_allocator_fail_at(&w->counter, 0, false);
    if (result == MO_OK) {
      w->defs[w->count++] = def;
    }
    if (w->count % 100 == 0) {
      check_update(f, w);
    }
  }
  world_check(w, true);
  check_update(f, w);
  unfollow(f);
  world_destroy(w);
}

typedef struct host_of_pairs {
  bool accepts;
  uint32_t asked;
} host_of_pairs;

static bool ask_host(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b,
                     void *context) {
  host_of_pairs *host = context;
  cr_assert_eq(pair->a.index / 2, pair->b.index / 2);
  (void)user_data_a;
  (void)user_data_b;
  host->asked++;
  return host->accepts;
}

/* Moves two shapes in every `every`, from the first on, and expects so many calls of the callback
 * and pairs. */
static void ask_again(world *w, mo_pair_tracker *tracker, host_of_pairs *host, uint32_t every,
                      uint32_t asked, uint32_t begins) {
  for (uint32_t i = 0; i < w->count; i++) {
    if (i % every < 2) {
      mo_transform to = world_translation((float)(i / 2) * 10, 0, 0.01f * (float)(host->asked % 7));
      cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[i], &to), MO_OK);
    }
  }
  cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
  mo_pair_events events;
  host->asked = 0;
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert_eq(host->asked, asked);
  cr_assert_eq(events.begin_count, begins);
  cr_assert_eq(events.end_count, 0);
  cr_assert_eq(mo_pair_tracker_validate(tracker), MO_OK);
}

/* The callback is called again for refused pairs only when they have changed, by whatever search
 * they are found. */
Test(pair_events, callback_is_called_when_a_shape_changed) {
  world *w = world_create(MO_TREE_IRREGULAR, 48);
  host_of_pairs host = {.accepts = false};
  mo_pair_tracker_def def = mo_default_pair_tracker_def();
  def.accept = ask_host;
  def.context = &host;
  mo_pair_tracker *tracker;
  cr_assert_eq(mo_pair_tracker_create(w->scene, &def, &tracker), MO_OK);
  for (w->count = 0; w->count < 120; w->count++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_BOX);
    shape.transform = world_translation((float)(w->count / 2) * 10, 0, 0);
    cr_assert_eq(mo_scene_add_shape(w->scene, &shape, &w->ids[w->count]), MO_OK);
  }
  ask_again(w, tracker, &host, 120, 60, 0);
  ask_again(w, tracker, &host, 4, 30, 0); /* the whole tree is searched */
  ask_again(w, tracker, &host, 20, 6, 0); /* each mover searches */
  ask_again(w, tracker, &host, 4, 30, 0); /* the list of the last search is gone */
  ask_again(w, tracker, &host, 2, 60, 0);
  host.accepts = true;
  ask_again(w, tracker, &host, 4, 30, 30);
  ask_again(w, tracker, &host, 4, 0, 0);
  ask_again(w, tracker, &host, 20, 0, 0);
  ask_again(w, tracker, &host, 2, 30, 30);
  ask_again(w, tracker, &host, 2, 0, 0);
  cr_assert_eq(mo_pair_tracker_pair_count(tracker), 60);
  mo_pair_tracker_stats stats;
  cr_assert_eq(mo_pair_tracker_get_stats(tracker, &stats), MO_OK);
  cr_assert_eq(stats.whole_search_count, 8);
  mo_pair_tracker_destroy(tracker);
  world_destroy(w);
}

/* Once it has seen the worst, a frame needs no memory. */
Test(pair_events, steady_frames_allocate_nothing) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("steady pairs", 46));
  follower *f = follow(w, false, true);
  enum { COUNT = 800 };
  static mo_transform here[COUNT], there[COUNT];
  world_fill(w, COUNT, 12, here, there);
  for (int frame = 0; frame < 60; frame++) {
    if (frame == 40) {
      counting_allocator_fail_at(&w->counter, 1, true);
    }
    uint32_t movers = frame % 3 == 0 ? COUNT : 50;
    cr_assert_eq(mo_scene_set_transforms(w->scene, w->ids, frame & 1 ? there : here, movers, NULL),
                 MO_OK);
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
    cr_assert_eq(mo_pair_tracker_update(f->tracker, NULL), MO_OK);
  }
  cr_assert_eq(w->counter.failures, 0);
  counting_allocator_fail_at(&w->counter, 0, false);
  unfollow(f);
  world_destroy(w);
}

/* Shapes that touch everything, among many: more of the tree is pending than is visited at a
 * time. */
Test(pair_events, giants) {
  enum { EDGE = 28, SMALL = EDGE * EDGE * EDGE, GIANTS = 64, ALL = SMALL * GIANTS };
  mo_scene *scene;
  mo_pair_tracker *tracker;
  mo_pair_tracker_def def = mo_default_pair_tracker_def();
  mo_pair_events events;
  def.report_persists = true;
  mo_scene_def scene_def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  cr_assert_eq(mo_pair_tracker_create(scene, &def, &tracker), MO_OK);
  mo_shape_def *defs = calloc(SMALL + GIANTS, sizeof *defs);
  mo_shape_id *ids = calloc(SMALL + GIANTS, sizeof *ids);
  mo_vec3 *origins = calloc(GIANTS, sizeof *origins);
  for (uint32_t i = 0; i < SMALL + GIANTS; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    float edge = i < SMALL ? 1.0f : 400.0f;
    defs[i].geometry.box.half_extents = (mo_vec3){0.5f * edge, 0.5f * edge, 0.5f * edge};
    mo_vec3 place = {(float)(i % EDGE), (float)(i / EDGE % EDGE), (float)(i / EDGE / EDGE)};
    defs[i].transform.origin =
        i < SMALL ? (mo_vec3){4 * place.x, 4 * place.y, 4 * place.z} : (mo_vec3){50, 50, 50};
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, SMALL + GIANTS, ids, NULL), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  const uint32_t among = GIANTS * (GIANTS - 1) / 2;
  cr_assert_eq(events.begin_count, ALL + among);
  const float x[] = {51, 1000, 50};
  const uint32_t begins[] = {0, 0, ALL}, ends[] = {0, ALL, 0};
  for (int frame = 0; frame < 3; frame++) {
    for (uint32_t i = 0; i < GIANTS; i++) {
      origins[i] = (mo_vec3){x[frame], 50, 50};
    }
    mo_update_def update = mo_default_update_def();
    update.ids = ids + SMALL;
    update.origins = origins;
    update.count = GIANTS;
    cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
    cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
    cr_assert_eq(events.begin_count, begins[frame]);
    cr_assert_eq(events.end_count, ends[frame]);
    cr_assert_eq(events.persist_count, among + (frame == 0 ? ALL : 0));
    cr_assert_eq(mo_pair_tracker_validate(tracker), MO_OK);
  }
  mo_pair_tracker_stats stats;
  cr_assert_eq(mo_pair_tracker_get_stats(tracker, &stats), MO_OK);
  cr_assert_eq(stats.whole_search_count, 1);
  mo_pair_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  free(defs);
  free(ids);
  free(origins);
}

Test(pair_events, errors) {
  world *w = world_create(MO_TREE_IRREGULAR, 47);
  const mo_result null = MO_ERROR_NULL_ARGUMENT;
  mo_pair_tracker *tracker;
  mo_pair pair;
  mo_shape_id id = {0, 1}, partner;
  uint32_t total;
  mo_pair_tracker_stats stats;
  cr_expect_eq(mo_pair_tracker_create(NULL, NULL, &tracker), null);
  cr_expect_eq(mo_pair_tracker_create(w->scene, NULL, NULL), null);
  cr_assert_eq(mo_pair_tracker_create(w->scene, NULL, &tracker), MO_OK);
  cr_expect_eq(mo_pair_tracker_update(NULL, NULL), null);
  cr_expect_eq(mo_pair_tracker_update(tracker, NULL), MO_OK);
  cr_expect_eq(mo_pair_tracker_pair_count(NULL), 0);
  cr_expect_eq(mo_pair_tracker_get_pairs(NULL, &pair, 1, &total), null);
  cr_expect_eq(mo_pair_tracker_get_pairs(tracker, NULL, 1, &total), null);
  cr_expect_eq(mo_pair_tracker_get_pairs(tracker, &pair, 1, NULL), null);
  cr_expect_eq(mo_pair_tracker_get_partners(NULL, id, &partner, 1, &total), null);
  cr_expect_eq(mo_pair_tracker_get_partners(tracker, id, NULL, 1, &total), null);
  cr_expect_eq(mo_pair_tracker_get_partners(tracker, id, &partner, 1, NULL), null);
  cr_expect_eq(mo_pair_tracker_get_partners(tracker, id, &partner, 1, &total), MO_ERROR_STALE_ID);
  cr_expect_not(mo_pair_tracker_contains(NULL, id, id));
  cr_expect_not(mo_pair_tracker_contains(tracker, id, id));
  cr_expect_eq(mo_pair_tracker_get_stats(NULL, &stats), null);
  cr_expect_eq(mo_pair_tracker_get_stats(tracker, NULL), null);
  cr_expect_eq(mo_pair_tracker_validate(NULL), null);
  mo_pair_tracker_destroy(NULL);
  mo_pair_tracker_destroy(tracker);
  world_destroy(w);
}

/* Sleeping shapes search for no partners, but what is added is searched for whatever its state. */
Test(pair_events, sleeping_shapes_that_are_added_overlapping_are_a_pair) {
  mo_scene *scene;
  mo_scene_def scene_def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_pair_tracker *tracker;
  mo_pair_events events;
  cr_assert_eq(mo_pair_tracker_create(scene, NULL, &tracker), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  def.motion = MO_MOTION_SLEEPING;
  mo_shape_id a, b;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &a), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert_eq(events.begin_count, 0);
  cr_assert_eq(mo_scene_add_shape(scene, &def, &b), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert_eq(events.begin_count, 1);
  uint32_t total;
  cr_assert_eq(mo_scene_find_pairs(scene, NULL, NULL, 0, &total), MO_OK);
  cr_assert_eq(total, 1);
  mo_pair_query_def awake = mo_default_pair_query_def();
  awake.awake_only = true;
  cr_assert_eq(mo_scene_find_pairs(scene, &awake, NULL, 0, &total), MO_OK);
  cr_assert_eq(total, 0);
  /* Moved apart and back, asleep all the while. */
  mo_transform away = mo_transform_identity();
  away.origin.x = 9;
  cr_assert_eq(mo_scene_set_transform(scene, b, &away), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert_eq(events.end_count, 1);
  away.origin.x = 1;
  cr_assert_eq(mo_scene_set_transform(scene, b, &away), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(tracker, &events), MO_OK);
  cr_assert_eq(events.begin_count, 1);
  mo_pair_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}
