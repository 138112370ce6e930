/* The boxes around shapes that show for most pairs that are apart that they have no contacts. Those
 * of shapes that have not changed are kept from earlier updates. */
#include "base/assert.h"
#include "contact/tracker/tracker.h"

mo_result mo_contact_tracker_update_bounds(mo_contact_tracker *tracker) {
  const mo_listener *log = &tracker->log;
  const mo_scene *scene = log->scene;
  const mo_result result =
      mo_list_extend(&tracker->host.allocator, &tracker->bounds.list, sizeof *tracker->bounds.items,
                     scene->slot_count, 0xff /* NaN: nothing is known until they are set */);
  for (uint32_t i = 0; i < log->count && result == MO_OK; i++) {
    const uint32_t slot = log->changed[i];
    if (mo_slot_is_alive(scene, slot)) {
      tracker->bounds.items[slot] = mo_oriented_bounds_of(&scene->shapes[slot]);
    }
  }
  return result;
}

bool mo_contact_tracker_are_apart(const mo_contact_tracker *tracker, const mo_pair *pair,
                                  double max) {
  const uint32_t a = pair->a.index, b = pair->b.index;
  const mo_shape *shapes = tracker->log.scene->shapes;
  const mo_vec3 between =
      mo_sub(shapes[b].affine.to_world.origin, shapes[a].affine.to_world.origin);
  MO_ASSERT(a < tracker->bounds.count && b < tracker->bounds.count);
  return mo_oriented_bounds_are_apart(&tracker->bounds.items[a], &tracker->bounds.items[b], between,
                                      (float)max);
}
