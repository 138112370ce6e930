/* Refusals of contact trackers. */
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
    const char *told, *match_told;
  } bad[] = {
      {MO_ERROR_INVALID_ARGUMENT, -1, "def.speculative_distance is -1, which is negative",
       "def.match_distance is -1, which is negative"},
      {MO_ERROR_NOT_FINITE, NAN, "def.speculative_distance is NaN", "def.match_distance is NaN"},
      {MO_ERROR_OUT_OF_RANGE, 2e30f,
       "def.speculative_distance is 2.00000003e+30, which is above 1e+30",
       "def.match_distance is 2.00000003e+30, which is above 1e+30"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    def = mo_default_contact_tracker_def();
    def.speculative_distance = bad[i].distance;
    REFUSED(bad[i].code, bad[i].told, mo_contact_tracker_create, w->scene, &def, &made);
    def = mo_default_contact_tracker_def();
    def.match_distance = bad[i].distance;
    REFUSED(bad[i].code, bad[i].match_told, mo_contact_tracker_create, w->scene, &def, &made);
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
  if (mo_scene_create(&def, &gone) == MO_OK) {
    mo_contact_tracker_create(gone, NULL, &tracker);
  }
  mo_scene_destroy(gone);
  return tracker;
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
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_get_stats, NULL, &stats);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "stats is null", mo_contact_tracker_get_stats, tracker, NULL);
  mo_islands islands;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_contact_tracker_find_islands, NULL, &islands);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "islands is null", mo_contact_tracker_find_islands, tracker,
          NULL);
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "tracker has lost its scene", mo_contact_tracker_find_islands,
          tracker, &islands);
  mo_contact_tracker_destroy(tracker);
}
