/* Refusals of contact trackers and of continuous collision. */
#include "refusals.h"

static void refuse_creation(const refusal_world *w) {
  mo_contact_tracker *made;
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_create, NULL, &def, &made);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "tracker is null", mo_contact_tracker_create, w->scene, &def,
          NULL);
  const struct {
    mo_result code;
    float distance;
    const char *told, *match_told, *reuse_told, *max_told;
  } bad[] = {
      {MO_ERROR_INVALID_ARGUMENT, -1, "def.speculative_distance is -1, which is negative",
       "def.match_distance is -1, which is negative", "def.reuse_distance is -1, which is negative",
       "def.max_speculative_distance is -1, which is negative"},
      {MO_ERROR_NOT_FINITE, NAN, "def.speculative_distance is NaN", "def.match_distance is NaN",
       "def.reuse_distance is NaN", "def.max_speculative_distance is NaN"},
      {MO_ERROR_OUT_OF_RANGE, 2e30f,
       "def.speculative_distance is 2.00000003e+30, which is above 1e+30",
       "def.match_distance is 2.00000003e+30, which is above 1e+30",
       "def.reuse_distance is 2.00000003e+30, which is above 1e+30",
       "def.max_speculative_distance is 2.00000003e+30, which is above 1e+30"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    def = mo_default_contact_tracker_def();
    def.speculative_distance = bad[i].distance;
    REFUSED(bad[i].code, bad[i].told, mo_contact_tracker_create, w->scene, &def, &made);
    def = mo_default_contact_tracker_def();
    def.match_distance = bad[i].distance;
    REFUSED(bad[i].code, bad[i].match_told, mo_contact_tracker_create, w->scene, &def, &made);
    def = mo_default_contact_tracker_def();
    def.reuse_distance = bad[i].distance;
    REFUSED(bad[i].code, bad[i].reuse_told, mo_contact_tracker_create, w->scene, &def, &made);
    def = mo_default_contact_tracker_def();
    def.max_speculative_distance = bad[i].distance;
    REFUSED(bad[i].code, bad[i].max_told, mo_contact_tracker_create, w->scene, &def, &made);
  }
  def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_contact_tracker_def",
          mo_contact_tracker_create, w->scene, &def, &made);
}

/* A tracker; its scene is gone. */
static mo_contact_tracker *orphan(void) {
  mo_scene *gone = NULL;
  mo_contact_tracker *tracker = NULL;
  mo_scene_def def = refusal_scene_def();
  def.margin = MO_CONTACT_MARGIN;
  if (mo_scene_create(&def, &gone) == MO_OK) {
    mo_contact_tracker_create(gone, NULL, &tracker);
  }
  mo_scene_destroy(gone);
  return tracker;
}

/* Of a tracker without a scene. */
static void refuse_resting(const refusal_world *w, mo_contact_tracker *orphan_tracker) {
  mo_shape_id sleeper;
  mo_tracked_contact contact;
  uint32_t total;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_get_resting_contacts, NULL, w->ids[0],
          &contact, 1, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "contacts is null", mo_contact_tracker_get_resting_contacts,
          orphan_tracker, w->ids[0], NULL, 1, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_contact_tracker_get_resting_contacts,
          orphan_tracker, w->ids[0], &contact, 1, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "tracker has lost its scene",
          mo_contact_tracker_get_resting_contacts, orphan_tracker, w->ids[0], &contact, 1, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_find_sleepers, NULL, w->ids, 1, &sleeper,
          1, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "ids is null", mo_contact_tracker_find_sleepers, orphan_tracker,
          NULL, 1, &sleeper, 1, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "sleepers is null", mo_contact_tracker_find_sleepers,
          orphan_tracker, w->ids, 1, NULL, 1, &total);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_contact_tracker_find_sleepers, orphan_tracker,
          w->ids, 1, &sleeper, 1, NULL);
  mo_contact_events events;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_wake, NULL, w->ids, 1, &events);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "ids is null", mo_contact_tracker_wake, orphan_tracker, NULL, 1,
          &events);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "tracker has lost its scene", mo_contact_tracker_wake,
          orphan_tracker, w->ids, 1, &events);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "tracker has lost its scene", mo_contact_tracker_find_sleepers,
          orphan_tracker, w->ids, 1, &sleeper, 1, &total);
  const mo_pair joint = {w->ids[0], w->ids[1]};
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_set_joints, NULL, &joint, 1);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "joints is null", mo_contact_tracker_set_joints, orphan_tracker,
          NULL, 1);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "tracker has lost its scene", mo_contact_tracker_set_joints,
          orphan_tracker, &joint, 1);
}

static void add_point(mo_modified_pair *pair, void *context) {
  (void)context;
  pair->contacts->contact.manifold.point_count++;
}

/* A tracker of two shapes whose contact is given one more point. */
static void refuse_modified_pairs(void) {
  mo_scene *scene = NULL;
  mo_contact_tracker *tracker = NULL;
  mo_shape_id ids[2] = {{0, 0}, {0, 0}};
  mo_shape_def ball = mo_default_shape_def(MO_SHAPE_SPHERE);
  mo_scene_def scene_def = refusal_scene_def();
  scene_def.margin = MO_CONTACT_MARGIN;
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.modify = add_point;
  if (mo_scene_create(&scene_def, &scene) == MO_OK) {
    mo_scene_add_shape(scene, &ball, &ids[0]);
    mo_scene_add_shape(scene, &ball, &ids[1]);
    mo_contact_tracker_create(scene, &def, &tracker);
  }
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "modify has added points, or changed which contact it is",
          mo_contact_tracker_update, tracker, NULL);
  mo_scene_remove_shape(scene, ids[0]);
  REFUSED(MO_ERROR_STALE_ID, "id = {index 0, generation 1} is stale",
          mo_contact_tracker_refresh_shape, tracker, ids[0]);
  mo_tracked_contact contact;
  uint32_t total;
  REFUSED(MO_ERROR_STALE_ID, "id = {index 0, generation 1} is stale",
          mo_contact_tracker_get_resting_contacts, tracker, ids[0], &contact, 1, &total);
  const mo_shape_id some[2] = {ids[1], ids[0]};
  REFUSED(MO_ERROR_STALE_ID, "ids[1] = {index 0, generation 1} is stale",
          mo_contact_tracker_find_sleepers, tracker, some, 2, NULL, 0, &total);
  REFUSED(MO_ERROR_STALE_ID, "ids[1] = {index 0, generation 1} is stale", mo_contact_tracker_wake,
          tracker, some, 2, NULL);
  const mo_pair joints[2] = {{ids[1], ids[1]}, {ids[1], ids[0]}};
  REFUSED(MO_ERROR_STALE_ID, "joints[1].b = {index 0, generation 1} is stale",
          mo_contact_tracker_set_joints, tracker, joints, 2);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* Saved contacts that are none of a tracker, which has one contact of two balls. */
static void refuse_saved_contacts(void) {
  mo_scene *scene = NULL;
  mo_contact_tracker *tracker = NULL;
  mo_shape_id id;
  mo_shape_def ball = mo_default_shape_def(MO_SHAPE_SPHERE);
  mo_scene_def scene_def = refusal_scene_def();
  scene_def.margin = MO_CONTACT_MARGIN;
  mo_contact_events events = {0};
  if (mo_scene_create(&scene_def, &scene) == MO_OK) {
    mo_scene_add_shape(scene, &ball, &id);
    mo_scene_add_shape(scene, &ball, &id);
    mo_contact_tracker_create(scene, NULL, &tracker);
    mo_contact_tracker_update(tracker, &events);
  }
  mo_tracked_contact saved[2] = {events.contacts[0], events.contacts[0]};
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_restore, NULL, saved, 1, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "saved is null", mo_contact_tracker_restore, tracker, NULL, 1,
          NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "saved has a contact twice", mo_contact_tracker_restore,
          tracker, saved, 2, NULL);
  saved[1].contact.b.generation++;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "saved[1].contact is of no pair of the tracker",
          mo_contact_tracker_restore, tracker, saved, 2, NULL);
  saved[1].contact.b = saved[1].contact.a;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "saved[1].contact is of no pair of the tracker",
          mo_contact_tracker_restore, tracker, saved, 2, NULL);
  saved[1].contact.b = events.contacts[0].contact.a; /* exchanged */
  saved[1].contact.a = events.contacts[0].contact.b;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "saved[1].contact is of no pair of the tracker",
          mo_contact_tracker_restore, tracker, saved, 2, NULL);
  saved[1].contact = events.contacts[0].contact;
  saved[1].contact.triangle_a = 0;
  REFUSED(MO_ERROR_INVALID_ARGUMENT,
          "saved[1].contact is of a triangle that the shape does not have",
          mo_contact_tracker_restore, tracker, saved, 2, NULL);
  saved[1].contact = events.contacts[0].contact;
  saved[1].contact.manifold.point_count = MO_MAX_MANIFOLD_POINTS + 1;
  REFUSED(MO_ERROR_INVALID_ARGUMENT,
          "saved[1].contact.manifold.point_count is 5, beyond MO_MAX_MANIFOLD_POINTS",
          mo_contact_tracker_restore, tracker, saved, 2, NULL);
  mo_contact_tracker_update(tracker, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "tracker has not been updated once only",
          mo_contact_tracker_restore, tracker, saved, 1, NULL);
  REFUSED(MO_OK, NULL, mo_contact_tracker_validate, tracker);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

void refuse_contact_trackers(const refusal_world *w) {
  mo_contact_tracker *tracker = orphan();
  mo_contact_tracker_stats stats;
  mo_pair pair = {w->ids[0], w->ids[1]};
  uint32_t first, count;
  refuse_creation(w);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_update, NULL, NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "tracker has lost its scene", mo_contact_tracker_update,
          tracker, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_find, NULL, &pair, &first, &count);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "pair is null", mo_contact_tracker_find, tracker, NULL, &first,
          &count);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "first is null", mo_contact_tracker_find, tracker, &pair, NULL,
          &count);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "count is null", mo_contact_tracker_find, tracker, &pair, &first,
          NULL);
  refuse_resting(w, tracker);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_get_stats, NULL, &stats);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "stats is null", mo_contact_tracker_get_stats, tracker, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_refresh_shape, NULL, w->ids[0]);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "tracker has lost its scene", mo_contact_tracker_refresh_shape,
          tracker, w->ids[0]);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_validate, NULL);
  REFUSED(MO_OK, NULL, mo_contact_tracker_validate, tracker);
  refuse_modified_pairs();
  refuse_saved_contacts();
  mo_islands islands;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_find_islands, NULL, &islands);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "islands is null", mo_contact_tracker_find_islands, tracker,
          NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "tracker has lost its scene", mo_contact_tracker_find_islands,
          tracker, &islands);
  mo_contact_tracker_destroy(tracker);
}

static void refuse_impact_defs(const refusal_world *w, const mo_impact_search *good) {
  const mo_primitive ball = mo_primitive_of_point((mo_vec3){0, 0, 0});
  mo_impact impact;
  uint32_t total;
  const struct {
    mo_result code;
    float slop, core;
    const char *told;
  } bad[] = {
      {MO_ERROR_INVALID_ARGUMENT, -1, 1, "search.def.slop is -1, which is negative"},
      {MO_ERROR_NOT_FINITE, NAN, 1, "search.def.slop is NaN"},
      {MO_ERROR_OUT_OF_RANGE, 2e30f, 1, "search.def.slop is 2.00000003e+30, which is above 1e+30"},
      {MO_ERROR_INVALID_ARGUMENT, 1, -1, "search.def.core is -1, not from 0 to 1"},
      {MO_ERROR_INVALID_ARGUMENT, 1, 2, "search.def.core is 2, not from 0 to 1"},
      {MO_ERROR_NOT_FINITE, 1, NAN, "search.def.core is NaN"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    mo_impact_search search = *good;
    search.def.slop = bad[i].slop;
    search.def.core = bad[i].core;
    REFUSED(bad[i].code, NULL, mo_find_impact, &ball, NULL, &ball, NULL, &search.def, &impact);
    REFUSED(bad[i].code, bad[i].told, mo_scene_find_impacts, w->scene, &search, &impact, NULL,
            NULL);
    REFUSED(bad[i].code, bad[i].told, mo_scene_find_crossings, w->scene, &search, NULL, 0, &total,
            NULL);
  }
  const mo_impact_def def = mo_default_impact_def(), unmade = {.slop = 1};
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, NULL, mo_find_impact, &ball, NULL, &ball, NULL, &unmade,
          &impact);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_find_impact, NULL, NULL, &ball, NULL, &def, &impact);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_find_impact, &ball, NULL, NULL, NULL, &def, &impact);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_find_impact, &ball, NULL, &ball, NULL, NULL, &impact);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_find_impact, &ball, NULL, &ball, NULL, &def, NULL);
}

/* Movements that are refused, by both functions. */
static void refuse_movements(const refusal_world *w, const mo_impact_search *good) {
  const mo_primitive ball = mo_primitive_of_point((mo_vec3){0, 0, 0});
  const mo_impact_def def = mo_default_impact_def();
  mo_impact impacts[2];
  uint32_t total;
  size_t first_bad;
  const struct {
    mo_result code;
    mo_movement movement;
    const char *told;
  } bad[] = {
      {MO_ERROR_NOT_FINITE,
       {.displacement = {0, NAN, 0}},
       "search.movers[1].movement.displacement.y is NaN"},
      {MO_ERROR_OUT_OF_RANGE,
       {.displacement = {2e30f, 0, 0}},
       "search.movers[1].movement.displacement.x is 2.00000003e+30, beyond MO_MAX_COORDINATE"},
      {MO_ERROR_NOT_FINITE, {.angle = NAN}, "search.movers[1].movement.angle is NaN"},
      {MO_ERROR_INVALID_ARGUMENT, {.angle = 1}, "search.movers[1].movement.axis is zero"},
      {MO_ERROR_INVALID_ARGUMENT,
       {.axis = {0, 1, 0}, .angle = -7},
       "search.movers[1].movement.angle is -7, beyond a full turn"},
      {MO_ERROR_OUT_OF_RANGE,
       {.axis = {0, 1, 0}, .angle = 3, .pivot = {0.9e30f, 0, 0}},
       "search.movers[1].movement.angle turns it beyond MO_MAX_COORDINATE"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    mo_mover movers[2] = {{.shape = w->ids[0]}, {.shape = w->ids[1], .movement = bad[i].movement}};
    mo_impact_search search = *good;
    search.movers = movers;
    search.count = 2;
    REFUSED(bad[i].code, NULL, mo_find_impact, &ball, &bad[i].movement, &ball, NULL, &def, impacts);
    REFUSED(bad[i].code, NULL, mo_find_impact, &ball, NULL, &ball, &bad[i].movement, &def, impacts);
    REFUSED_AT(1, bad[i].code, bad[i].told, mo_scene_find_impacts, w->scene, &search, impacts,
               &first_bad, NULL);
    REFUSED_AT(1, bad[i].code, bad[i].told, mo_scene_find_crossings, w->scene, &search, NULL, 0,
               &total, &first_bad);
  }
}

static void refuse_impact_of_meshes(const refusal_world *w) {
  mo_impact impact;
  mo_impact_mesh_def good = mo_default_impact_mesh_def();
  good.other = w->mesh;
#define REFUSED_DEF(code, told, change)                                                            \
  do {                                                                                             \
    mo_impact_mesh_def bad = good;                                                                 \
    change;                                                                                        \
    REFUSED(code, told, mo_mesh_find_impact_mesh, w->mesh, &bad, &impact, NULL);                   \
  } while (false)
  REFUSED_DEF(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_impact_mesh_def",
              bad.cookie = 0);
  REFUSED_DEF(MO_ERROR_UNINITIALIZED_DEF, "def.impact was not made by mo_default_impact_def",
              bad.impact.cookie = 0);
  REFUSED_DEF(MO_ERROR_NULL_ARGUMENT, "def.other is null", bad.other = NULL);
  REFUSED_DEF(MO_ERROR_INVALID_ARGUMENT, "def.impact.slop is -1, which is negative",
              bad.impact.slop = -1);
  REFUSED_DEF(MO_ERROR_NOT_FINITE, "def.transform.y_axis.z is infinite",
              bad.transform.y_axis.z = INFINITY);
  REFUSED_DEF(MO_ERROR_OUT_OF_RANGE,
              "def.other_transform.origin.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
              bad.other_transform.origin.x = 2e30f);
  REFUSED_DEF(MO_ERROR_NOT_FINITE, "def.movement.angle is NaN", bad.movement.angle = NAN);
  REFUSED_DEF(MO_ERROR_INVALID_ARGUMENT, "def.other_movement.axis is zero",
              bad.other_movement.angle = 1);
  REFUSED_DEF(MO_ERROR_OUT_OF_RANGE, "def.other_movement.angle turns it beyond MO_MAX_COORDINATE",
              bad.other_movement =
                  ((mo_movement){.axis = {0, 1, 0}, .angle = 3, .pivot = {0.9e30f, 0, 0}}));
#undef REFUSED_DEF
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_find_impact_mesh, NULL, &good, &impact, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_mesh_find_impact_mesh, w->mesh, NULL, &impact,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "impact is null", mo_mesh_find_impact_mesh, w->mesh, &good, NULL,
          NULL);
}

static void refuse_crossings(const refusal_world *w, const mo_impact_search *good) {
  mo_crossing crossings[1];
  uint32_t total = 77;
  size_t first_bad;
  mo_impact_search search = *good;
  mo_mover movers[3] = {{.shape = w->ids[0]}, {.shape = w->ids[1]}, {.shape = w->ids[0]}};
  search.movers = movers;
  REFUSED_AT(2, MO_ERROR_INVALID_ARGUMENT, "search.movers[2].shape is a mover already",
             mo_scene_find_crossings, w->scene, &search, crossings, 1, &total, &first_bad);
  movers[2].shape = w->stale;
  char told[100];
  snprintf(told, sizeof told, "search.movers[2].shape = {index %u, generation %u} is stale",
           w->stale.index, w->stale.generation);
  REFUSED_AT(2, MO_ERROR_STALE_ID, told, mo_scene_find_crossings, w->scene, &search, crossings, 1,
             &total, &first_bad);
  search.movers = NULL;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "search.movers is null", mo_scene_find_crossings,
             w->scene, &search, crossings, 1, &total, &first_bad);
  search = *good;
  search.memory = NULL;
  REFUSED(MO_ERROR_NULL_ARGUMENT, "search.memory is null", mo_scene_find_crossings, w->scene,
          &search, crossings, 1, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_scene_find_crossings, w->scene, good,
          crossings, 1, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "crossings is null", mo_scene_find_crossings, w->scene, good,
          NULL, 1, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "search is null", mo_scene_find_crossings, w->scene, NULL,
          crossings, 1, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_find_crossings, NULL, good, crossings, 1, &total,
          NULL);
  search = *good;
  search.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "search was not made by mo_default_impact_search",
          mo_scene_find_crossings, w->scene, &search, crossings, 1, &total, NULL);
}

/* More movers than shapes, of which one must be given twice: none is read. */
static void refuse_counts(const refusal_world *w, const mo_impact_search *good) {
  mo_impact impacts[1];
  mo_crossing crossings[1];
  uint32_t total;
  size_t first_bad;
  const uint32_t shapes = mo_scene_shape_count(w->scene);
  const uint32_t counts[] = {shapes + 1, UINT32_MAX};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    mo_impact_search search = *good;
    char told[100];
    search.count = counts[i];
    snprintf(told, sizeof told, "search.count is %u, but the scene has %u shapes", counts[i],
             shapes);
    REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, told, mo_scene_find_impacts, w->scene,
               &search, impacts, &first_bad, NULL);
    REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, told, mo_scene_find_crossings, w->scene,
               &search, crossings, 1, &total, &first_bad);
  }
}

void refuse_impacts(const refusal_world *w) {
  mo_mover_memory memory[3];
  mo_impact impacts[3];
  mo_impact_search good = mo_default_impact_search();
  size_t first_bad;
  good.memory = memory;
  refuse_impact_defs(w, &good);
  refuse_impact_of_meshes(w);
  refuse_movements(w, &good);
  mo_mover movers[3] = {{.shape = w->ids[0]}, {.shape = w->ids[1]}, {.shape = w->ids[0]}};
  good.movers = movers;
  good.count = 3;
  mo_impact_search search = good;
  REFUSED_AT(2, MO_ERROR_INVALID_ARGUMENT, "search.movers[2].shape is a mover already",
             mo_scene_find_impacts, w->scene, &search, impacts, &first_bad, NULL);
  movers[2].shape = w->stale;
  char told[100];
  snprintf(told, sizeof told, "search.movers[2].shape = {index %u, generation %u} is stale",
           w->stale.index, w->stale.generation);
  REFUSED_AT(2, MO_ERROR_STALE_ID, told, mo_scene_find_impacts, w->scene, &search, impacts,
             &first_bad, NULL);
  movers[2] = (mo_mover){.shape = w->ids[2], .partners = (mo_impact_partners)3};
  REFUSED_AT(2, MO_ERROR_INVALID_ARGUMENT,
             "search.movers[2].partners is 3, which is no such choice", mo_scene_find_impacts,
             w->scene, &search, impacts, &first_bad, NULL);
  movers[2].partners = MO_IMPACT_WITH_ALL;
  refuse_counts(w, &good);
  search.movers = NULL;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "search.movers is null", mo_scene_find_impacts,
             w->scene, &search, impacts, &first_bad, NULL);
  refuse_crossings(w, &good);
  search = good;
  search.memory = NULL;
  REFUSED(MO_ERROR_NULL_ARGUMENT, "search.memory is null", mo_scene_find_impacts, w->scene, &search,
          impacts, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "impacts is null", mo_scene_find_impacts, w->scene, &good, NULL,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "search is null", mo_scene_find_impacts, w->scene, NULL, impacts,
          NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_scene_find_impacts, NULL, &good, impacts, NULL, NULL);
  search = good;
  search.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "search was not made by mo_default_impact_search",
          mo_scene_find_impacts, w->scene, &search, impacts, NULL, NULL);
  search = good;
  search.def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "search.def was not made by mo_default_impact_def",
          mo_scene_find_impacts, w->scene, &search, impacts, NULL, NULL);
}
