/* Watched regions: members against queries for the same regions, events against the members before
 * and after, while shapes and regions of every kind come, change and go. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/watch.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "support/defs.h"
#include "support/world.h"

enum { REGIONS = 24, MEMBERS = 4096 };

/* A region with the members that it had at the last update. */
typedef struct model {
  mo_region_id id;
  mo_region_def def;
  mo_plane planes[8];
  bool alive, was_alive;
  mo_shape_id *members;
  uint32_t count;
} model;

typedef struct observer {
  mo_watch *watch;
  model models[REGIONS];
  rng r;
} observer;

static observer *observe(world *w, uint64_t seed) {
  observer *o = calloc(1, sizeof *o);
  cr_assert_not_null(o);
  o->r = rng_make(seed);
  for (int i = 0; i < REGIONS; i++) {
    o->models[i].members = calloc(MEMBERS, sizeof(mo_shape_id));
    cr_assert_not_null(o->models[i].members);
  }
  cr_assert_eq(mo_watch_create(w->scene, &o->watch), MO_OK);
  return o;
}

static void unobserve(observer *o) {
  mo_watch_destroy(o->watch);
  for (int i = 0; i < REGIONS; i++) {
    free(o->models[i].members);
  }
  free(o);
}

static bool accept_some(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)user_data;
  (void)context;
  return shape.index % 3 != 0;
}

static void any_form(observer *o, const world *w, model *m) {
  rng *r = &o->r;
  float half = w->size / 2, reach = half * rng_float(r, 0, rng_chance(r, 0.2) ? 2 : 0.4f);
  mo_vec3 p = rng_vec3(r, -half, half);
  m->def.form = (mo_region_form){.type = (mo_region_type)rng_below(r, 3)};
  switch (m->def.form.type) {
  case MO_REGION_AABB:
    m->def.form.box = (mo_aabb){p, {p.x + reach, p.y + reach / 2, p.z + 2 * reach}};
    break;
  case MO_REGION_SPHERE:
    m->def.form.sphere = (mo_sphere){p, rng_chance(r, 0.05) ? 1e30f : reach};
    break;
  case MO_REGION_CONVEX:
    m->def.form.convex.planes = m->planes;
    m->def.form.convex.count = rng_below(r, 8);
    for (uint32_t i = 0; i < m->def.form.convex.count; i++) {
      mo_vec3 n = rng_direction(r);
      m->planes[i] = (mo_plane){n, reach - (n.x * p.x + n.y * p.y + n.z * p.z)};
    }
    break;
  }
}

static mo_filter any_filter(observer *o, const world *w) {
  mo_filter filter = mo_default_filter();
  switch (rng_below(&o->r, 5)) {
  case 0:
    filter.mask = rng_u64(&o->r) & rng_u64(&o->r) & rng_u64(&o->r) & rng_u64(&o->r);
    break;
  case 1:
    filter.accept = accept_some;
    break;
  case 2:
    filter.ignore = w->count > 0 ? w->ids[rng_below(&o->r, w->count)] : filter.ignore;
    break;
  }
  return filter;
}

static void add_region(observer *o, const world *w, model *m) {
  m->def = mo_default_region_def();
  any_form(o, w, m);
  m->def.filter = any_filter(o, w);
  m->def.precision = rng_chance(&o->r, 0.3) ? MO_PRECISION_BOUNDS : MO_PRECISION_GEOMETRY;
  m->def.user_data = rng_u64(&o->r);
  cr_assert_eq(mo_watch_add_region(o->watch, &m->def, &m->id), MO_OK);
  m->alive = true;
}

/* A region comes, goes, moves or has another filter. A removed one waits for the next update. */
static void change_region(observer *o, const world *w) {
  model *m = &o->models[rng_below(&o->r, REGIONS)];
  if (!m->alive) {
    if (!m->was_alive) {
      add_region(o, w, m);
    }
    return;
  }
  switch (rng_below(&o->r, 6)) {
  case 0:
    cr_assert_eq(mo_watch_remove_region(o->watch, m->id), MO_OK);
    cr_assert_eq(mo_watch_remove_region(o->watch, m->id), MO_ERROR_STALE_ID);
    m->alive = false;
    break;
  case 1:
    m->def.filter = any_filter(o, w);
    cr_assert_eq(mo_watch_set_filter(o->watch, m->id, &m->def.filter), MO_OK);
    break;
  default:
    any_form(o, w, m);
    cr_assert_eq(mo_watch_set_form(o->watch, m->id, &m->def.form), MO_OK);
    break;
  }
}

/* What a query for a region lists. */
static uint32_t query(const world *w, const model *m, mo_shape_id *shapes) {
  const mo_region_form *form = &m->def.form;
  mo_overlap_def def = mo_default_overlap_def();
  def.filter = m->def.filter;
  def.precision = m->def.precision;
  static _Thread_local mo_cull_result culled[MEMBERS];
  uint32_t total = 0;
  switch (form->type) {
  case MO_REGION_AABB:
    cr_assert_eq(
        mo_scene_overlap_shapes(w->scene, IN_AABB(form->box, &def), shapes, MEMBERS, &total, NULL),
        MO_OK);
    break;
  case MO_REGION_SPHERE:
    cr_assert_eq(mo_scene_overlap_shapes(w->scene, IN_SPHERE(form->sphere, &def), shapes, MEMBERS,
                                         &total, NULL),
                 MO_OK);
    break;
  case MO_REGION_CONVEX:
    cr_assert_eq(mo_scene_cull_planes(
                     w->scene, OF_PLANES(form->convex.planes, form->convex.count, &def.filter),
                     culled, MEMBERS, &total, NULL),
                 MO_OK);
    for (uint32_t i = 0; i < total; i++) {
      shapes[i] = culled[i].shape;
    }
    break;
  }
  cr_assert_leq(total, MEMBERS);
  return total;
}

static bool same_shape(mo_shape_id a, mo_shape_id b) {
  return a.index == b.index && a.generation == b.generation;
}

static bool contains(const mo_shape_id *shapes, uint32_t count, mo_shape_id id) {
  for (uint32_t i = 0; i < count; i++) {
    if (same_shape(shapes[i], id)) {
      return true;
    }
  }
  return false;
}

/* The events of one region in a sorted array, which it skips. */
static uint32_t check_events(const model *m, const mo_region_event **events, uint32_t *left,
                             const mo_shape_id *in, uint32_t in_count, const mo_shape_id *out,
                             uint32_t out_count) {
  uint32_t count = 0;
  for (; *left > 0 && (*events)->region.index == m->id.index; (*events)++, (*left)--, count++) {
    const mo_region_event *e = *events;
    cr_assert(e->region.generation == m->id.generation && e->user_data == m->def.user_data);
    cr_assert(count == 0 || e[-1].shape.index < e->shape.index);
    cr_assert(contains(in, in_count, e->shape));
    cr_assert_not(contains(out, out_count, e->shape));
  }
  return count;
}

static int by_index(const void *a, const void *b) {
  uint32_t x = (*(model *const *)a)->id.index, y = (*(model *const *)b)->id.index;
  return x < y ? -1 : x > y;
}

static void check_members(const observer *o, const model *m) {
  static _Thread_local mo_shape_id shapes[MEMBERS];
  uint32_t total;
  cr_assert_eq(mo_watch_get_shapes(o->watch, m->id, shapes, MEMBERS, &total), MO_OK);
  cr_assert_eq(total, m->count);
  cr_assert_eq(memcmp(shapes, m->members, total * sizeof *shapes), 0);
}

static void check_update(observer *o, world *w) {
  mo_watch_events events;
  cr_assert_eq(mo_watch_update(o->watch, &events), MO_OK);
  cr_assert_eq(mo_watch_validate(o->watch), MO_OK, "%s", w->why);
  model *sorted[REGIONS];
  uint32_t count = 0, members = 0;
  for (int i = 0; i < REGIONS; i++) {
    if (o->models[i].alive || o->models[i].was_alive) {
      sorted[count++] = &o->models[i];
    }
  }
  qsort(sorted, count, sizeof *sorted, by_index);
  static _Thread_local mo_shape_id now[MEMBERS];
  for (uint32_t i = 0; i < count; i++) {
    model *m = sorted[i];
    uint32_t in = m->alive ? query(w, m, now) : 0;
    uint32_t came =
        check_events(m, &events.enters, &events.enter_count, now, in, m->members, m->count);
    uint32_t went =
        check_events(m, &events.leaves, &events.leave_count, m->members, m->count, now, in);
    cr_assert_eq(m->count + came, in + went, "%u and %u enter, %u stay and %u leave", m->count,
                 came, in, went);
    memcpy(m->members, now, in * sizeof *now);
    m->count = in;
    m->was_alive = m->alive;
    members += in;
    if (m->alive) {
      check_members(o, m);
    }
  }
  cr_assert(events.enter_count == 0 && events.leave_count == 0, "events of no region");
  mo_watch_stats stats;
  cr_assert_eq(mo_watch_get_stats(o->watch, &stats), MO_OK);
  cr_assert(stats.member_count == members && stats.pending_shape_count == 0);
}

static void check_regions_of(const observer *o, mo_shape_id id) {
  mo_region_id regions[REGIONS];
  uint32_t total, expected = 0;
  cr_assert_eq(mo_watch_get_regions(o->watch, id, regions, REGIONS, &total), MO_OK);
  for (int i = 0; i < REGIONS; i++) {
    const model *m = &o->models[i];
    bool in = m->was_alive && contains(m->members, m->count, id), listed = false;
    for (uint32_t j = 0; j < total; j++) {
      listed |= regions[j].index == m->id.index && regions[j].generation == m->id.generation;
    }
    cr_assert(in == (m->was_alive && listed));
    expected += in;
  }
  cr_assert_eq(total, expected);
}

static void limit(world *w, uint32_t max) {
  if (w->count > max) {
    uint32_t gone = w->count / 2;
    cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[w->count - gone], gone, NULL), MO_OK);
    w->count -= gone;
  }
}

Test(watch, churn) {
  uint64_t seed = rng_seed("watch/churn", 211);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed + (uint64_t)policy);
    w->size = 20;
    w->half_spaces = 0.03f;
    observer *often = observe(w, seed + 1), *seldom = observe(w, seed + 2);
    for (uint64_t i = 0, n = rng_few_rounds(4000, 100000); i < n; i++) {
      limit(w, 300);
      world_step(w);
      if (rng_chance(&w->r, 0.05)) {
        change_region(often, w);
        change_region(seldom, w);
      }
      if (rng_chance(&w->r, 0.15)) {
        check_update(often, w);
        check_regions_of(often, w->ids[rng_below(&w->r, w->count)]);
      }
      if (rng_chance(&w->r, 0.01)) {
        check_update(seldom, w);
      }
    }
    mo_watch_stats stats;
    cr_assert_eq(mo_watch_get_stats(often->watch, &stats), MO_OK);
    cr_assert(stats.search_count > 0 && stats.lookup_count > 0);
    cr_assert_eq(mo_scene_remove_shapes(w->scene, w->ids, w->count, NULL), MO_OK);
    w->count = 0;
    check_update(often, w);
    check_update(seldom, w);
    cr_assert_eq(mo_watch_get_stats(often->watch, &stats), MO_OK);
    cr_assert_eq(stats.member_count, 0, "each enter has its leave");
    unobserve(often);
    unobserve(seldom);
    world_destroy(w);
  }
}

static void expect_no_events(observer *o) {
  mo_watch_events events;
  cr_assert_eq(mo_watch_update(o->watch, &events), MO_OK);
  cr_assert(events.enter_count == 0 && events.leave_count == 0);
}

static bool same_point(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Reads a region after a shift, and compares it with the one before. */
static void follow_shift(observer *o, model *m, mo_vec3 by) {
  mo_region_def now;
  cr_assert_eq(mo_watch_get_region(o->watch, m->id, &now), MO_OK);
  mo_region_form *form = &m->def.form;
  cr_assert_eq(now.form.type, form->type);
  switch (form->type) {
  case MO_REGION_AABB:
    cr_assert(same_point(now.form.box.lower, mo_add(form->box.lower, by)) &&
              same_point(now.form.box.upper, mo_add(form->box.upper, by)));
    break;
  case MO_REGION_SPHERE:
    cr_assert(same_point(now.form.sphere.center, mo_add(form->sphere.center, by)) &&
              now.form.sphere.radius == form->sphere.radius);
    break;
  case MO_REGION_CONVEX:
    cr_assert_eq(now.form.convex.count, form->convex.count);
    for (uint32_t i = 0; i < form->convex.count; i++) {
      mo_plane *plane = &m->planes[i];
      mo_vec3 n = plane->normal;
      double offset = (double)plane->offset - (double)n.x * (double)by.x -
                      (double)n.y * (double)by.y - (double)n.z * (double)by.z;
      cr_assert_float_eq(now.form.convex.planes[i].offset, offset, 1e-6 * (fabs(offset) + 1));
      plane->offset = now.form.convex.planes[i].offset;
    }
    return;
  }
  *form = now.form;
}

/* Members stay through a shift, and are those of the shifted regions once everything has
 * changed. */
static void check_shift(observer *o, world *w, mo_vec3 by) {
  world_shift(w, by);
  expect_no_events(o);
  for (int i = 0; i < REGIONS; i++) {
    model *m = &o->models[i];
    if (m->alive) {
      follow_shift(o, m, by);
      check_members(o, m);
      cr_assert_eq(mo_watch_set_form(o->watch, m->id, &m->def.form), MO_OK);
    }
  }
  for (uint32_t i = 0; i < w->count; i++) {
    cr_assert_eq(mo_scene_set_transform(w->scene, w->ids[i], &w->defs[i].transform), MO_OK);
  }
  check_update(o, w);
}

Test(watch, regions_and_members_move_with_a_shift) {
  uint64_t seed = rng_seed("watch/shift", 219);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed + (uint64_t)policy);
    w->size = 20;
    observer *o = observe(w, seed + 1);
    for (uint64_t round = rng_few_rounds(30, 1000); round-- > 0;) {
      limit(w, 300);
      for (int i = 0; i < 20; i++) {
        world_step(w);
        change_region(o, w);
      }
      check_update(o, w);
      mo_vec3 by = rng_vec3(&w->r, -1, 1);
      by = mo_scale(round % 3 == 0 ? 1e7f : 1000, by);
      check_shift(o, w, by);
      check_shift(o, w, mo_scale(-1, by));
    }
    mo_region_def far = mo_default_region_def();
    far.form.box = (mo_aabb){{9e29f, 0, 0}, {9e29f, 0, 0}};
    mo_region_id id;
    cr_assert_eq(mo_watch_add_region(o->watch, &far, &id), MO_OK);
    cr_assert_eq(mo_scene_shift_origin(w->scene, mo_vec(2e29f, 0, 0)), MO_ERROR_OUT_OF_RANGE);
    cr_assert(strstr(w->why, "of a watch beyond MO_MAX_COORDINATE") != NULL, "%s", w->why);
    cr_assert_eq(mo_watch_remove_region(o->watch, id), MO_OK);
    cr_assert_eq(mo_scene_shift_origin(w->scene, mo_vec(2e29f, 0, 0)), MO_OK);
    unobserve(o);
    world_destroy(w);
  }
}

/* One region: where all shapes move it is searched anew, where few do each of them is looked up;
 * without changes neither is done. */
Test(watch, searches_or_lookups_whichever_are_fewer) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("watch/cheaper", 212));
  observer *o = observe(w, 1);
  enum { COUNT = 3000 };
  static mo_transform transforms[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    w->defs[i] = mo_default_shape_def(MO_SHAPE_SPHERE);
    w->defs[i].transform.origin = rng_vec3(&w->r, -50, 50);
  }
  cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs, COUNT, w->ids, NULL), MO_OK);
  w->count = COUNT;
  model *m = &o->models[0];
  m->def = mo_default_region_def();
  m->def.form.box = (mo_aabb){{-10, -10, -10}, {10, 10, 10}};
  cr_assert_eq(mo_watch_add_region(o->watch, &m->def, &m->id), MO_OK);
  m->alive = true;
  check_update(o, w);
  cr_assert_gt(m->count, 0);
  mo_watch_stats before, after;
  cr_assert_eq(mo_watch_get_stats(o->watch, &before), MO_OK);
  check_update(o, w);
  cr_assert_eq(mo_watch_get_stats(o->watch, &after), MO_OK);
  cr_assert(before.search_count == after.search_count &&
            before.lookup_count == after.lookup_count && before.test_count == after.test_count);
  for (int round = 0; round < 6; round++) {
    uint32_t movers = round % 2 ? COUNT : 20;
    for (uint32_t i = 0; i < movers; i++) {
      mo_vec3 p = rng_vec3(&w->r, -50, 50);
      transforms[i] = world_translation(p.x, p.y, p.z);
    }
    before = after;
    cr_assert_eq(mo_scene_set_transforms(w->scene, w->ids, transforms, movers, NULL), MO_OK);
    check_update(o, w);
    cr_assert_eq(mo_watch_get_stats(o->watch, &after), MO_OK);
    cr_assert_eq(after.search_count - before.search_count, round % 2 ? 1 : 0);
    cr_assert_eq(after.lookup_count - before.lookup_count, round % 2 ? 0 : 20);
  }
  unobserve(o);
  world_destroy(w);
}

/* A shape that takes the slot of a member is another one. */
Test(watch, shapes_in_reused_slots_leave_and_enter) {
  world *w = world_create(MO_TREE_IRREGULAR, 213);
  mo_watch *watch;
  mo_watch_events events;
  cr_assert_eq(mo_watch_create(w->scene, &watch), MO_OK);
  mo_region_def def = mo_default_region_def();
  def.form.type = MO_REGION_SPHERE;
  def.form.sphere.radius = 5;
  def.user_data = 99;
  mo_region_id region;
  cr_assert_eq(mo_watch_add_region(watch, &def, &region), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id first, second;
  cr_assert_eq(mo_scene_add_shape(w->scene, &shape, &first), MO_OK);
  cr_assert_eq(mo_watch_update(watch, &events), MO_OK);
  cr_assert(events.enter_count == 1 && events.leave_count == 0);
  cr_assert(same_shape(events.enters[0].shape, first) && events.enters[0].user_data == 99);
  cr_assert_eq(mo_scene_remove_shape(w->scene, first), MO_OK);
  cr_assert_eq(mo_scene_add_shape(w->scene, &shape, &second), MO_OK);
  cr_assert_eq(first.index, second.index);
  cr_assert_eq(mo_watch_update(watch, &events), MO_OK);
  cr_assert(events.enter_count == 1 && events.leave_count == 1);
  cr_assert(same_shape(events.leaves[0].shape, first));
  cr_assert(same_shape(events.enters[0].shape, second));
  mo_region_id in;
  uint32_t total;
  cr_assert_eq(mo_watch_get_regions(watch, second, &in, 1, &total), MO_OK);
  cr_assert(total == 1 && in.index == region.index && in.generation == region.generation);
  cr_assert_eq(mo_watch_get_regions(watch, first, &in, 1, &total), MO_OK);
  cr_assert_eq(total, 0, "it is in nothing any more");
  /* A region that takes the slot of another is another one, too. */
  cr_assert_eq(mo_watch_remove_region(watch, region), MO_OK);
  cr_assert_eq(mo_watch_update(watch, &events), MO_OK);
  cr_assert(events.enter_count == 0 && events.leave_count == 1);
  cr_assert_eq(events.leaves[0].region.generation, region.generation);
  /* Came and went between two updates: nothing to report. */
  cr_assert_eq(mo_watch_add_region(watch, &def, &region), MO_OK);
  cr_assert_eq(mo_watch_remove_region(watch, region), MO_OK);
  cr_assert_eq(mo_watch_update(watch, &events), MO_OK);
  cr_assert(events.enter_count == 0 && events.leave_count == 0 && events.enters == NULL);
  mo_watch_destroy(watch);
  world_destroy(w);
}

/* Lists in both directions are written up to their capacity; one shape enters all regions at once,
 * and all shapes enter one. */
Test(watch, lists_end_at_their_capacity) {
  enum { MANY = 150, ROOM = 40 };
  world *w = world_create(MO_TREE_IRREGULAR, 218);
  mo_watch *watch;
  cr_assert_eq(mo_watch_create(w->scene, &watch), MO_OK);
  mo_region_id regions[MANY], in[MANY + 1];
  mo_shape_id shapes[MANY], found[MANY + 1];
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  cr_assert_eq(mo_scene_add_shape(w->scene, &shape, &shapes[0]), MO_OK);
  for (int i = 0; i < MANY; i++) {
    mo_region_def def = mo_default_region_def();
    def.form.box = (mo_aabb){{-2, -2, -2}, {2, 2, 2}};
    if (i == 0) {
      def.form.box.upper.x = 100;
    }
    cr_assert_eq(mo_watch_add_region(watch, &def, &regions[i]), MO_OK);
  }
  mo_watch_events events;
  cr_assert_eq(mo_watch_update(watch, &events), MO_OK);
  cr_assert(events.enter_count == MANY && events.leave_count == 0);
  for (int i = 1; i < MANY; i++) {
    shape.transform.origin.x = 50;
    cr_assert_eq(mo_scene_add_shape(w->scene, &shape, &shapes[i]), MO_OK);
  }
  cr_assert_eq(mo_watch_update(watch, &events), MO_OK);
  cr_assert(events.enter_count == MANY - 1 && events.leave_count == 0);
  for (uint32_t room = 0; room <= MANY; room += ROOM) {
    uint32_t total;
    memset(in, 0x5a, sizeof in);
    memset(found, 0x5a, sizeof found);
    cr_assert_eq(mo_watch_get_regions(watch, shapes[0], in, room, &total), MO_OK);
    cr_assert_eq(total, MANY);
    cr_assert_eq(mo_watch_get_shapes(watch, regions[0], found, room, &total), MO_OK);
    cr_assert_eq(total, MANY);
    for (uint32_t i = 0; i < room; i++) {
      cr_assert(in[i].index == regions[i].index && same_shape(found[i], shapes[i]));
    }
    cr_assert(in[room].index == 0x5a5a5a5a && found[room].index == 0x5a5a5a5a);
  }
  mo_watch_destroy(watch);
  world_destroy(w);
}

static void expect(mo_watch *watch, uint32_t enters, uint32_t leaves, int line) {
  mo_watch_events events;
  cr_assert_eq(mo_watch_update(watch, &events), MO_OK);
  cr_assert(events.enter_count == enters && events.leave_count == leaves,
            "line %d: %u enter, %u leave", line, events.enter_count, events.leave_count);
}

/* A shape need not move to leave. */
Test(watch, every_change_of_a_shape_counts) {
  world *w = world_create(MO_TREE_IRREGULAR, 217);
  mo_watch *watch;
  cr_assert_eq(mo_watch_create(w->scene, &watch), MO_OK);
  mo_region_def def = mo_default_region_def();
  def.form.box = (mo_aabb){{5, 0, 0}, {6, 1, 1}};
  def.filter.mask = 4;
  mo_region_id region;
  cr_assert_eq(mo_watch_add_region(watch, &def, &region), MO_OK);
  float positions[9] = {0, 0, 0, 5, 0, 0, 0, 1, 0};
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mesh_def.positions = positions;
  mesh_def.vertex_count = 3;
  mesh_def.index_type = MO_INDEX_NONE;
  mesh_def.triangle_count = 1;
  mesh_def.build.builder = MO_MESH_BUILDER_SINGLE;
  mesh_def.build.deformable = true;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = mesh;
  shape.category = 4;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(w->scene, &shape, &id), MO_OK);
  expect(watch, 1, 0, __LINE__);
  cr_assert_eq(mo_scene_set_filter(w->scene, id, 8, UINT64_MAX), MO_OK);
  expect(watch, 0, 1, __LINE__);
  cr_assert_eq(mo_scene_set_filter(w->scene, id, 12, UINT64_MAX), MO_OK);
  expect(watch, 1, 0, __LINE__);
  positions[3] = 4;
  cr_assert_eq(mo_mesh_refit(mesh, positions, 12, 3, NULL, NULL), MO_OK);
  cr_assert_eq(mo_scene_refresh_shape(w->scene, id), MO_OK);
  expect(watch, 0, 1, __LINE__);
  shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  shape.geometry.sphere.radius = 5;
  cr_assert_eq(mo_scene_set_geometry(w->scene, id, &shape.geometry), MO_OK);
  expect(watch, 1, 0, __LINE__);
  mo_motion motions[] = {MO_MOTION_STATIC, MO_MOTION_SLEEPING, MO_MOTION_DYNAMIC};
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(mo_scene_set_motion(w->scene, &id, 1, motions[i], NULL), MO_OK);
    expect(watch, 0, 0, __LINE__);
  }
  shape.transform.origin.x = -1;
  cr_assert_eq(mo_scene_set_transform(w->scene, id, &shape.transform), MO_OK);
  expect(watch, 0, 1, __LINE__);
  mo_mesh_release(mesh);
  mo_watch_destroy(watch);
  world_destroy(w);
}

/* Any allocation may fail: nothing has changed, and the next update makes up for it. */
Test(watch, failures) {
  uint64_t seed = rng_seed("watch/failures", 214);
  world *w = world_create(MO_TREE_IRREGULAR, seed);
  w->size = 15;
  mo_watch *watch = NULL;
  for (size_t nth = 1; watch == NULL; nth++) {
    counting_allocator_fail_at(&w->counter, nth, false);
    mo_result result = mo_watch_create(w->scene, &watch);
    counting_allocator_fail_at(&w->counter, 0, false);
    cr_assert(result == (watch != NULL ? MO_OK : MO_ERROR_OUT_OF_MEMORY));
    cr_assert_lt(nth, 20);
  }
  mo_watch_destroy(watch);
  observer *o = observe(w, seed);
  for (int i = 0; i < 60; i++) {
    for (int j = 0; j < 30; j++) {
      limit(w, 250);
      world_step(w);
    }
    model *m = &o->models[rng_below(&o->r, REGIONS)];
    for (size_t nth = 1; !m->alive && !m->was_alive; nth++) {
      mo_region_def def = m->def = mo_default_region_def();
      any_form(o, w, m);
      def.form = m->def.form;
      counting_allocator_fail_at(&w->counter, nth, nth % 2);
      mo_result result = mo_watch_add_region(o->watch, &def, &m->id);
      counting_allocator_fail_at(&w->counter, 0, false);
      m->alive = result == MO_OK;
      cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
      cr_assert_eq(mo_watch_validate(o->watch), MO_OK, "%s", w->why);
    }
    change_region(o, w);
    for (size_t nth = 1;; nth++) {
      counting_allocator_fail_at(&w->counter, nth, nth % 2);
      mo_watch_events events = {.enter_count = 77};
      mo_result result = mo_watch_update(o->watch, &events);
      counting_allocator_fail_at(&w->counter, 0, false);
      cr_assert_eq(mo_watch_validate(o->watch), MO_OK, "%s", w->why);
      for (int k = 0; result != MO_OK && k < REGIONS; k++) {
        if (o->models[k].alive && o->models[k].was_alive) {
          check_members(o, &o->models[k]);
        }
      }
      if (result == MO_OK) {
        break;
      }
      cr_assert_eq(result, MO_ERROR_OUT_OF_MEMORY);
      cr_assert_eq(events.enter_count, 77);
      cr_assert_lt(nth, 100);
    }
    /* What that update said was lost here; the members are right. */
    for (int k = 0; k < REGIONS; k++) {
      model *known = &o->models[k];
      known->was_alive = known->alive;
      known->count = known->alive ? query(w, known, known->members) : 0;
      if (known->alive) {
        check_members(o, known);
      }
    }
    check_update(o, w);
  }
  /* While the scene grows. */
  while (w->count < 900) {
    mo_shape_def def = world_shape(w);
    counting_allocator_fail_at(&w->counter, rng_below(&w->r, 10), false);
    mo_result result = mo_scene_add_shape(w->scene, &def, &w->ids[w->count]);
    counting_allocator_fail_at(&w->counter, 0, false);
    if (result == MO_OK) {
      w->defs[w->count++] = def;
    }
  }
  check_update(o, w);
  unobserve(o);
  world_destroy(w);
}

/* Once it has seen the worst, a frame needs no memory. */
Test(watch, steady_frames_allocate_nothing) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("watch/steady", 215));
  observer *o = observe(w, 215);
  enum { COUNT = 600 };
  static mo_transform here[COUNT], there[COUNT];
  world_fill(w, COUNT, 12, here, there);
  mo_region_id regions[8];
  mo_region_form forms[2][8];
  for (int i = 0; i < 8; i++) {
    mo_region_def def = mo_default_region_def();
    for (int j = 0; j < 2; j++) {
      forms[j][i] = (mo_region_form){.type = MO_REGION_SPHERE};
      forms[j][i].sphere = (mo_sphere){rng_vec3(&w->r, -12, 12), 4};
    }
    def.form = forms[0][i];
    cr_assert_eq(mo_watch_add_region(o->watch, &def, &regions[i]), MO_OK);
  }
  for (int frame = 0; frame < 60; frame++) {
    if (frame == 40) {
      counting_allocator_fail_at(&w->counter, 1, true);
    }
    uint32_t movers = frame % 3 == 0 ? COUNT : 50;
    cr_assert_eq(mo_scene_set_transforms(w->scene, w->ids, frame & 1 ? there : here, movers, NULL),
                 MO_OK);
    cr_assert_eq(mo_watch_set_form(o->watch, regions[frame % 8], &forms[frame & 1][frame % 8]),
                 MO_OK);
    cr_assert_eq(mo_watch_update(o->watch, NULL), MO_OK);
  }
  cr_assert_eq(w->counter.failures, 0);
  counting_allocator_fail_at(&w->counter, 0, false);
  unobserve(o);
  world_destroy(w);
}

static void refuse(mo_watch *watch, mo_region_id id, const mo_region_def *def, mo_result expected,
                   int line) {
  mo_region_id made = {77, 77};
  cr_assert_eq(mo_watch_add_region(watch, def, &made), expected, "%d", line);
  cr_assert_eq(made.index, 77);
  mo_result result = mo_watch_set_form(watch, id, &def->form);
  cr_assert(result == expected || def->precision > MO_PRECISION_BOUNDS, "%d", line);
  mo_watch_stats stats;
  cr_assert_eq(mo_watch_get_stats(watch, &stats), MO_OK);
  cr_assert_eq(stats.region_count, 1);
}

Test(watch, errors) {
  const mo_result null = MO_ERROR_NULL_ARGUMENT, stale = MO_ERROR_STALE_ID;
  const mo_result invalid = MO_ERROR_INVALID_ARGUMENT;
  world *w = world_create(MO_TREE_IRREGULAR, 216);
  mo_watch *watch;
  cr_assert_eq(mo_watch_create(NULL, &watch), null);
  cr_assert_eq(mo_watch_create(w->scene, NULL), null);
  cr_assert_eq(mo_watch_create(w->scene, &watch), MO_OK);
  mo_region_def good = mo_default_region_def(), def = good, read;
  mo_region_id id, none = {0, 0};
  mo_shape_id shape;
  uint32_t total;
  cr_assert_eq(mo_watch_add_region(NULL, &good, &id), null);
  cr_assert_eq(mo_watch_add_region(watch, NULL, &id), null);
  cr_assert_eq(mo_watch_add_region(watch, &good, NULL), null);
  cr_assert_eq(mo_watch_add_region(watch, &good, &id), MO_OK);
  def.form.box.lower.x = NAN;
  refuse(watch, id, &def, MO_ERROR_NOT_FINITE, __LINE__);
  def.form.box.lower.x = -2e30f;
  refuse(watch, id, &def, MO_ERROR_OUT_OF_RANGE, __LINE__);
  def.form.box.lower.x = 1;
  refuse(watch, id, &def, invalid, __LINE__);
  def = good;
  def.form.type = (mo_region_type)3;
  refuse(watch, id, &def, invalid, __LINE__);
  def.form = (mo_region_form){.type = MO_REGION_SPHERE};
  def.form.sphere.radius = -1;
  refuse(watch, id, &def, invalid, __LINE__);
  def.form = (mo_region_form){.type = MO_REGION_CONVEX};
  def.form.convex.count = 1;
  refuse(watch, id, &def, null, __LINE__);
  def.form.convex.count = MO_MAX_PLANES + 1;
  refuse(watch, id, &def, invalid, __LINE__);
  def = good;
  def.precision = (mo_precision)2;
  refuse(watch, id, &def, invalid, __LINE__);
  cr_assert_eq(mo_watch_get_region(watch, id, &read), MO_OK);
  cr_assert(read.form.type == MO_REGION_AABB && read.form.box.lower.x == 0);
  cr_assert_eq(mo_watch_get_region(NULL, id, &read), null);
  cr_assert_eq(mo_watch_get_region(watch, id, NULL), null);
  cr_assert_eq(mo_watch_get_region(watch, none, &read), stale);
  cr_assert_eq(mo_watch_set_form(NULL, id, &good.form), null);
  cr_assert_eq(mo_watch_set_form(watch, id, NULL), null);
  cr_assert_eq(mo_watch_set_form(watch, none, &good.form), stale);
  cr_assert_eq(mo_watch_set_filter(NULL, id, &good.filter), null);
  cr_assert_eq(mo_watch_set_filter(watch, id, NULL), null);
  cr_assert_eq(mo_watch_set_filter(watch, none, &good.filter), stale);
  cr_assert_eq(mo_watch_get_shapes(NULL, id, &shape, 1, &total), null);
  cr_assert_eq(mo_watch_get_shapes(watch, id, NULL, 1, &total), null);
  cr_assert_eq(mo_watch_get_shapes(watch, id, &shape, 1, NULL), null);
  cr_assert_eq(mo_watch_get_shapes(watch, none, &shape, 1, &total), stale);
  cr_assert_eq(mo_watch_get_regions(NULL, shape, &id, 1, &total), null);
  cr_assert_eq(mo_watch_get_regions(watch, (mo_shape_id){0, 0}, NULL, 1, &total), null);
  cr_assert_eq(mo_watch_get_regions(watch, (mo_shape_id){0, 0}, &none, 1, NULL), null);
  cr_assert_eq(mo_watch_get_regions(watch, (mo_shape_id){5000, 1}, &none, 1, &total), MO_OK);
  cr_assert_eq(total, 0);
  cr_assert_eq(mo_watch_get_stats(NULL, NULL), null);
  cr_assert_eq(mo_watch_validate(NULL), null);
  cr_assert_eq(mo_watch_update(NULL, NULL), null);
  cr_assert_eq(mo_watch_remove_region(NULL, id), null);
  cr_assert_eq(mo_watch_remove_region(watch, (mo_region_id){id.index, 0}), stale);
  cr_assert_eq(mo_watch_update(watch, NULL), MO_OK);
  mo_watch_destroy(NULL);

  /* A watch may outlive its scene. */
  mo_scene *scene;
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.host = counting_allocator_host(&w->counter);
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_watch *orphan;
  cr_assert_eq(mo_watch_create(scene, &orphan), MO_OK);
  cr_assert_eq(mo_watch_add_region(orphan, &good, &id), MO_OK);
  mo_scene_destroy(scene);
  cr_assert_eq(mo_watch_update(orphan, NULL), invalid);
  cr_assert_eq(mo_watch_add_region(orphan, &good, &id), invalid);
  cr_assert_eq(mo_watch_set_form(orphan, id, &good.form), invalid);
  cr_assert_eq(mo_watch_get_shapes(orphan, id, &shape, 1, &total), MO_OK);
  mo_watch_destroy(orphan);
  mo_watch_destroy(watch);
  world_destroy(w);
}
