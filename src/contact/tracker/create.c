/* Creation and destruction of contact trackers, and what they do when their scene is shifted, grows
 * or is trimmed. */
#include <string.h>

#include "base/log.h"
#include "contact/tracker/tracker.h"
#include "math/check.h"

mo_contact_tracker_def mo_default_contact_tracker_def(void) {
  return (mo_contact_tracker_def){.speculative_distance = 2 * MO_CONTACT_MARGIN,
                                  .match_distance = 0.01f,
                                  .material = {.friction = 0.5f},
                                  .cookie = MO_COOKIE};
}

/* Callback of the scene's change log: frees memory that was hardly needed lately. */
static void trim(mo_listener *log) {
  mo_contact_tracker *tracker = (mo_contact_tracker *)log;
  tracker->resting.heads.count = log->slot_capacity;
  if (tracker->known_shapes.count > log->slot_capacity) {
    tracker->known_shapes.count = log->slot_capacity;
  }
  mo_contact_tracker_free_workspace(tracker, true);
  mo_island_workspace_destroy(&tracker->host.allocator, &tracker->islands);
}

static mo_result check_def(const mo_contact_tracker_def *def, const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_contact_tracker_def");
  if (result == MO_OK) {
    result = mo_check_size(def->speculative_distance, MO_MAX_COORDINATE, refusal,
                           ".speculative_distance");
  }
  if (result == MO_OK) {
    result = mo_check_size(def->max_speculative_distance, MO_MAX_COORDINATE, refusal,
                           ".max_speculative_distance");
  }
  if (result == MO_OK) {
    result = mo_check_size(def->match_distance, MO_MAX_COORDINATE, refusal, ".match_distance");
  }
  if (result == MO_OK) {
    result = mo_check_size(def->reuse_distance, MO_MAX_COORDINATE, refusal, ".reuse_distance");
  }
  return result;
}

/* Shifts a contact with the origin of the scene. World positions of points are recomputed from the
 * origin of the first shape, so that errors do not add up; but if that shape has moved since the
 * last update, the shift is added to them. All other members are relative to the shapes. */
static void shift_contact(const mo_listener *log, mo_contact *contact, mo_vec3 by) {
  uint32_t slot = contact->a.index;
  bool moved = log->pending[slot] & MO_CONTACT_CHANGE_KINDS;
  const mo_vec3 *origin = moved ? NULL : &log->scene->shapes[slot].affine.to_world.origin;
  for (uint32_t k = 0; k < contact->manifold.point_count; k++) {
    mo_manifold_point *p = &contact->manifold.points[k];
    p->position = origin != NULL ? mo_add(*origin, p->anchor_a) : mo_add(p->position, by);
  }
}

static void shift_positions(mo_listener *log, mo_vec3 by) {
  mo_contact_tracker *tracker = (mo_contact_tracker *)log;
  for (uint32_t i = 0; i < tracker->current_contacts.count; i++) {
    shift_contact(log, &tracker->current_contacts.items[i].contact, by);
  }
  for (uint32_t i = 0; i < tracker->resting.count; i++) {
    shift_contact(log, &tracker->resting.contacts[i].contact_at_rest.contact, by);
  }
}

/* Callback of the scene's change log when the scene may get up to `slots` slots: reserves memory.
 */
static mo_result reserve_slots(mo_listener *log, uint32_t slots) {
  mo_contact_tracker *tracker = (mo_contact_tracker *)log;
  mo_resting *resting = &tracker->resting;
  return mo_list_extend(&tracker->host.allocator, &resting->heads.list,
                        sizeof *resting->heads.items, slots, 0xff);
}

/* Registers the tracker for the changes of a scene. At first every shape counts as changed. */
static mo_result start_listening(mo_contact_tracker *tracker, mo_scene *scene) {
  mo_pair_tracker_def pairs = mo_default_pair_tracker_def();
  pairs.accept = tracker->def.accept;
  pairs.context = tracker->def.context;
  mo_result result = mo_pair_tracker_create(scene, &pairs, &tracker->pair_tracker);
  if (result == MO_OK) {
    result = mo_listener_register(&tracker->log, scene);
  }
  for (uint32_t slot = 0; result == MO_OK && slot < scene->slot_count; slot++) {
    if (mo_slot_is_alive(scene, slot)) {
      mo_listener_add(&tracker->log, slot, MO_CHANGE_BOUNDS | MO_CHANGE_SLOT_REUSED);
    }
  }
  return result;
}

/* Warns if the margins of all shapes are too small for speculative contacts. */
static void warn_of_small_margin(const mo_contact_tracker *tracker, const mo_scene *scene) {
  enum { MIN_MARGIN_DIVISOR = 4 }; /* margins below distance / this are too small */
  const float distance = tracker->def.speculative_distance;
  bool has_margin = scene->margin >= distance / MIN_MARGIN_DIVISOR;
  for (uint32_t slot = 0; slot < scene->slot_count && !has_margin; slot++) {
    has_margin = mo_slot_is_alive(scene, slot) &&
                 scene->shapes[slot].margin >= distance / MIN_MARGIN_DIVISOR;
  }
  if (!has_margin) {
    mo_log(
        &tracker->host, MO_LOG_WARNING,
        "mo_contact_tracker_create: the margin of the scene is %g, so shapes that part by a hair "
        "lose their contacts; a speculative_distance of %g goes with half of that "
        "(MO_CONTACT_MARGIN)",
        (double)scene->margin, (double)distance);
  }
}

mo_result mo_contact_tracker_create(mo_scene *scene, const mo_contact_tracker_def *def,
                                    mo_contact_tracker **tracker) {
  if (scene == NULL || tracker == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "tracker");
  }
  const mo_contact_tracker_def used = def != NULL ? *def : mo_default_contact_tracker_def();
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_result result = check_def(&used, &refusal);
  if (result != MO_OK) {
    return result;
  }
  mo_contact_tracker *made = mo_allocate(&scene->host.allocator, 1, sizeof *made);
  if (made == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(made, 0, sizeof *made);
  made->log.kinds =
      MO_CONTACT_CHANGE_KINDS | MO_CHANGE_WOKEN | (used.merge_coplanar ? MO_CHANGE_RIGID_BODY : 0);
  made->log.reserve = reserve_slots;
  made->log.shift = shift_positions;
  made->log.trim = trim;
  made->host = scene->host;
  made->def = used;
  result = start_listening(made, scene);
  if (result != MO_OK) {
    mo_contact_tracker_destroy(made);
    return result;
  }
  warn_of_small_margin(made, scene);
  *tracker = made;
  return MO_OK;
}

void mo_contact_tracker_destroy(mo_contact_tracker *tracker) {
  if (tracker == NULL) {
    return;
  }
  const mo_allocator allocator = tracker->host.allocator;
  mo_listener_unregister(&tracker->log, &allocator);
  mo_pair_tracker_destroy(tracker->pair_tracker);
  mo_island_workspace_destroy(&allocator, &tracker->islands);
  mo_joint_list_destroy(&allocator, &tracker->joints);
  tracker->resting.count = tracker->resting.heads.count = 0;
  tracker->current_contacts.count = tracker->reusable_part_count = tracker->moved_kinematic.count =
      0;
  tracker->known_shapes.count = 0;
  mo_contact_tracker_free_workspace(tracker, true);
  mo_deallocate(&allocator, tracker, 1, sizeof *tracker);
}
