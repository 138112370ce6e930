/* Allocations that fail: whatever is made or changed is refused as a whole, and succeeds when there
 * is memory; what an update finds after failed ones is what it would have found at once; queries,
 * characters and batches allocate nothing. */
#include "fuzz/contacts.h"
#include "fuzz/points.h"
#include "fuzz/queries.h"

enum { MAX_CALLS = 24, MAX_POINTS = 30 };

static void expect(mo_result result, const char *what) {
  FUZZ_CHECK(result == MO_OK, "%s: %s", what, mo_result_name(result));
}

/* What makes an object from the context, or refuses to. */
typedef mo_result maker(void *context, const mo_host *host);

/* Lets each allocation fail in turn until none is left. The maker releases what it has made. */
static void make_starved(maker *make, void *context) {
  for (size_t nth = 0;; nth++) {
    counting_allocator counter;
    counting_allocator_init(&counter);
    mo_host host = counting_allocator_host(&counter);
    counting_allocator_fail_at(&counter, 1 + nth / 2, nth % 2 == 0);
    mo_result result = make(context, &host);
    bool failed = counter.failures > 0;
    FUZZ_CHECK(counting_allocator_is_clean(&counter), "memory is left over after %s",
               mo_result_name(result));
    FUZZ_CHECK(failed || result != MO_ERROR_OUT_OF_MEMORY, "there was memory");
    if (!failed) {
      return;
    }
    FUZZ_CHECK(result == MO_ERROR_OUT_OF_MEMORY || result == MO_OK, "%s", mo_result_name(result));
  }
}

static mo_result make_hull(void *context, const mo_host *host) {
  mo_hull_def def = *(mo_hull_def *)context;
  mo_hull *made = NULL;
  def.host = *host;
  mo_result result = mo_hull_create(&def, &made);
  FUZZ_CHECK((made != NULL) == (result == MO_OK), "%s", mo_result_name(result));
  mo_hull_release(made);
  return result;
}

static mo_result make_mesh(void *context, const mo_host *host) {
  mo_mesh_def def = *(mo_mesh_def *)context;
  mo_mesh *made = NULL;
  def.host = *host;
  mo_result result = mo_mesh_create(&def, &made);
  FUZZ_CHECK((made != NULL) == (result == MO_OK), "%s", mo_result_name(result));
  FUZZ_CHECK(made == NULL || mo_mesh_validate(made) == MO_OK, "not valid");
  mo_mesh_release(made);
  return result;
}

/* Of points that builders take. */
static void make_objects(fuzz_bytes *b) {
  mo_vec3 points[MAX_POINTS];
  size_t at;
  fuzz_points(b, points, MAX_POINTS);
  if (fuzz_points_refused(points, MAX_POINTS, &at) != MO_OK) {
    return;
  }
  mo_hull_def hull = mo_default_hull_def();
  hull.positions = points;
  hull.position_count = MAX_POINTS;
  make_starved(make_hull, &hull);
  mo_mesh_def mesh = mo_default_mesh_def();
  uint8_t options = fuzz_byte(b);
  mesh.positions = points;
  mesh.vertex_count = MAX_POINTS;
  mesh.index_type = MO_INDEX_NONE;
  mesh.triangle_count = MAX_POINTS / 3;
  mesh.build.quality = (mo_mesh_quality)(options % 3);
  mesh.build.edges = options & 4;
  mesh.build.compact = options & 8;
  mesh.build.leaf_capacity = 1 + options / 64;
  make_starved(make_mesh, &mesh);
}

/* --- trackers --- */

typedef struct trackers {
  fuzz_model model;
  fuzz_tracker *contacts;
  mo_pair_tracker *pairs;
  mo_watch *watch;
} trackers;

typedef enum call {
  CREATE_PAIRS,
  CREATE_WATCH,
  ADD_REGION,
  PAIRS,
  WATCH,
  SLEEPERS,
  JOINTS,
  ISLANDS
} call;

static mo_result make_call(trackers *t, call which) {
  fuzz_model *m = &t->model;
  mo_region_def region = mo_default_region_def();
  mo_region_id region_id;
  mo_shape_id found[FUZZ_SHAPES];
  mo_pair joints[FUZZ_SHAPES];
  mo_islands islands;
  uint32_t total;
  region.form.box = (mo_aabb){{-4, -4, -4}, {4, 4, 4}};
  for (uint32_t i = 0; i < m->count; i++) {
    joints[i] = (mo_pair){m->ids[i], m->ids[(i + 1) % m->count]};
  }
  switch (which) {
  case CREATE_PAIRS:
    return mo_pair_tracker_create(m->scene, NULL, &t->pairs);
  case CREATE_WATCH:
    return mo_watch_create(m->scene, &t->watch);
  case ADD_REGION:
    return mo_watch_add_region(t->watch, &region, &region_id);
  case PAIRS:
    return mo_pair_tracker_update(t->pairs, NULL);
  case WATCH:
    return mo_watch_update(t->watch, NULL);
  case SLEEPERS:
    return mo_contact_tracker_find_sleepers(t->contacts->tracker, m->ids, m->count, found,
                                            FUZZ_SHAPES, &total);
  case JOINTS:
    return mo_contact_tracker_set_joints(t->contacts->tracker, joints, m->count);
  case ISLANDS:
    return mo_contact_tracker_find_islands(t->contacts->tracker, &islands);
  }
  return MO_OK;
}

static void call_starved(trackers *t, call which) {
  mo_result result = MO_ERROR_OUT_OF_MEMORY;
  for (size_t nth = 0; result != MO_OK; nth++) {
    counting_allocator_fail_at(&t->model.counter, 1 + nth / 2, nth % 2 == 0);
    result = make_call(t, which);
    counting_allocator_fail_at(&t->model.counter, 0, false);
    FUZZ_CHECK(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY, "call %d: %s", (int)which,
               mo_result_name(result));
    FUZZ_CHECK(t->pairs == NULL || mo_pair_tracker_validate(t->pairs) == MO_OK, "the pair tracker");
    FUZZ_CHECK(t->watch == NULL || mo_watch_validate(t->watch) == MO_OK, "the watch");
    FUZZ_CHECK(mo_contact_tracker_validate(t->contacts->tracker) == MO_OK, "the contact tracker");
  }
}

/* While every allocation fails, and without any. */
static void query_starved(trackers *t, fuzz_bytes *b) {
  counting_allocator_fail_at(&t->model.counter, 1, true);
  if (fuzz_chance(b, 128)) {
    fuzz_query_batch(&t->model, b);
  } else {
    fuzz_query(&t->model, b);
  }
  FUZZ_CHECK(t->model.counter.calls == 0, "a query has allocated memory");
  counting_allocator_fail_at(&t->model.counter, 0, false);
}

static void step(trackers *t, fuzz_bytes *b) {
  uint32_t which = fuzz_below(b, 14);
  if (which < 6) {
    fuzz_model_change(&t->model, b);
  } else if (which == 6) {
    query_starved(t, b);
  } else if (which == 7) {
    call_starved(t, PAIRS);
  } else if (which == 8) {
    call_starved(t, ADD_REGION);
    call_starved(t, WATCH);
  } else if (which == 9) {
    fuzz_tracker_update(t->contacts);
    call_starved(t, JOINTS);
    call_starved(t, ISLANDS);
  } else if (which == 10) {
    call_starved(t, SLEEPERS);
  } else if (which == 12) {
    fuzz_tracker_rest(t->contacts, b);
  } else if (which == 13) {
    fuzz_tracker_replay(t->contacts, b);
  } else {
    fuzz_tracker_update(t->contacts);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_tracker contacts;
  trackers t = {.contacts = &contacts};
  fuzz_bytes b = {.data = data, .size = size};
  fuzz_model_create(&t.model, &b);
  if (fuzz_chance(&b, 64)) {
    make_objects(&b);
  }
  t.model.starved = true;
  fuzz_tracker_create(t.contacts, &t.model, &b);
  call_starved(&t, CREATE_PAIRS);
  call_starved(&t, CREATE_WATCH);
  for (int i = 0; i < MAX_CALLS && fuzz_has_more(&b); i++) {
    step(&t, &b);
  }
  fuzz_tracker_update(t.contacts);
  expect(mo_scene_update(t.model.scene, NULL), "update");
  fuzz_tracker_destroy(t.contacts);
  mo_pair_tracker_destroy(t.pairs);
  mo_watch_destroy(t.watch);
  fuzz_model_destroy(&t.model);
  return 0;
}
