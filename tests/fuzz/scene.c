/* Calls on a scene, a contact tracker, a pair tracker and a watch, in any order: after each call
 * the scene is valid and holds what a plain list holds; queries answer as brute force does;
 * contacts are those of a new tracker, and go on after they were saved and restored. */
#include "fuzz/contacts.h"
#include "fuzz/queries.h"
#include "oracle/pairs.h"
#include "support/check.h"

enum { MAX_CALLS = 60 };

typedef struct world {
  fuzz_model model;
  fuzz_tracker *contacts;
  mo_pair_tracker *pairs;
  mo_watch *watch;
  mo_region_id region;
  mo_overlap_def region_form; /* a box, by which the members are found too */
} world;

static void expect(mo_result result, const char *what) {
  FUZZ_CHECK(result == MO_OK, "%s: %s", what, mo_result_name(result));
}

static void create(world *w, fuzz_bytes *b) {
  static fuzz_tracker tracker;
  w->contacts = &tracker;
  fuzz_model_create(&w->model, b);
  fuzz_tracker_create(w->contacts, &w->model, b);
  expect(mo_pair_tracker_create(w->model.scene, NULL, &w->pairs), "create a pair tracker");
  expect(mo_watch_create(w->model.scene, &w->watch), "create a watch");
  mo_region_def region = mo_default_region_def();
  region.form.box = (mo_aabb){{-2, -2, -2}, {2, 2, 2}};
  expect(mo_watch_add_region(w->watch, &region, &w->region), "add a region");
  w->region_form = mo_overlap_aabb_def(region.form.box);
}

static void destroy(world *w) {
  fuzz_tracker_destroy(w->contacts);
  mo_pair_tracker_destroy(w->pairs);
  mo_watch_destroy(w->watch);
  fuzz_model_destroy(&w->model);
}

/* The set is that of a loop over all shapes. */
static void update_pairs(world *w) {
  pair_list expected = {0};
  mo_pair pairs[FUZZ_PAIRS];
  mo_pair_events events;
  uint32_t total, before = (uint32_t)mo_pair_tracker_pair_count(w->pairs);
  expect(mo_pair_tracker_update(w->pairs, &events), "update the pair tracker");
  expect(mo_pair_tracker_validate(w->pairs), "validate the pair tracker");
  expect(mo_pair_tracker_get_pairs(w->pairs, pairs, FUZZ_PAIRS, &total), "get pairs");
  pair_oracle(w->model.scene, w->model.scene, NULL, &expected);
  FUZZ_CHECK(total == expected.count, "%u pairs, expected %u", total, expected.count);
  for (uint32_t i = 0; i < total; i++) {
    FUZZ_CHECK(pair_equal(pairs[i], expected.pairs[i]), "pair %u", i);
  }
  FUZZ_CHECK(before + events.begin_count == total + events.end_count, "the number of events");
  pair_list_free(&expected);
}

/* The members are those that a query finds. */
static void update_watch(world *w, fuzz_bytes *b) {
  mo_shape_id members[FUZZ_SHAPES], expected[FUZZ_SHAPES];
  uint32_t count, total;
  if (fuzz_chance(b, 128)) {
    mo_vec3 at = fuzz_vec3(b);
    mo_region_form form = {.type = MO_REGION_AABB};
    form.box = (mo_aabb){at, {at.x + 2, at.y + 1, at.z + 3}};
    if (mo_watch_set_form(w->watch, w->region, &form) == MO_OK) {
      w->region_form = mo_overlap_aabb_def(form.box);
    }
  }
  expect(mo_watch_update(w->watch, NULL), "update the watch");
  expect(mo_watch_validate(w->watch), "validate the watch");
  expect(mo_watch_get_shapes(w->watch, w->region, members, FUZZ_SHAPES, &count), "get members");
  expect(
      mo_scene_overlap_shapes(w->model.scene, &w->region_form, expected, FUZZ_SHAPES, &total, NULL),
      "overlap");
  FUZZ_CHECK(count == total, "%u members, expected %u", count, total);
  FUZZ_CHECK(memcmp(members, expected, count * sizeof *members) == 0, "other members");
}

static void shift(world *w, fuzz_bytes *b) {
  mo_vec3 by = fuzz_vec3(b);
  mo_region_def region;
  fuzz_tracker_shift(w->contacts, by);
  expect(mo_watch_get_region(w->watch, w->region, &region), "get the region");
  w->region_form = mo_overlap_aabb_def(region.form.box);
}

/* The model shifts its scene, too. */
static void change(world *w, fuzz_bytes *b) {
  mo_region_def region;
  fuzz_model_change(&w->model, b);
  expect(mo_watch_get_region(w->watch, w->region, &region), "get the region");
  w->region_form = mo_overlap_aabb_def(region.form.box);
}

static void step(world *w, fuzz_bytes *b) {
  uint32_t which = fuzz_below(b, 20);
  if (which < 9) {
    change(w, b);
  } else if (which < 13) {
    fuzz_query(&w->model, b);
  } else if (which < 16) {
    fuzz_tracker_update(w->contacts);
  } else if (which == 16) {
    update_pairs(w);
  } else if (which == 17) {
    update_watch(w, b);
  } else if (which == 18) {
    fuzz_tracker_rest(w->contacts, b);
  } else if (fuzz_chance(b, 128)) {
    shift(w, b);
  } else {
    fuzz_tracker_replay(w->contacts, b);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes b = {.data = data, .size = size};
  world w;
  create(&w, &b);
  for (int i = 0; i < MAX_CALLS && fuzz_has_more(&b); i++) {
    step(&w, &b);
    fuzz_model_check(&w.model);
  }
  fuzz_tracker_update(w.contacts);
  destroy(&w);
  return 0;
}
