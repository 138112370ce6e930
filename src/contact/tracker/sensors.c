/* Sensors (mo_contact_tracker_def::sensor_categories): shapes and children whose contacts have no
 * points, and only say that another shape overlaps them. */
#include <string.h>

#include "contact/tracker/tracker.h"

bool mo_is_sensor(const mo_contact_tracker *tracker, mo_shape_id id) {
  return (tracker->log.scene->shapes[id.index].category & tracker->def.sensor_categories) != 0;
}

bool mo_is_sensor_child(const mo_contact_tracker *tracker, mo_shape_id id, uint32_t number) {
  const mo_shape *child = mo_slot_is_compound(tracker->log.scene, id.index)
                              ? mo_child_record(tracker->log.scene, id.index, number)
                              : NULL;
  return child != NULL && (child->category & tracker->def.sensor_categories) != 0;
}

static void make_sensor_contact(mo_contact *made, const mo_contact *touching) {
  *made = *touching;
  made->triangle_a = made->triangle_b = MO_NO_TRIANGLE;
  made->triangle_user_data_a = made->triangle_user_data_b = 0;
  made->manifold = (mo_manifold){.touching = true};
}

/* Replaces the contacts of a sensor by one contact without points if the other shape overlaps it,
 * with the children of the first contact that touches; else by none. Returns the number of
 * contacts. */
static uint32_t reduce_to_sensor_contact(mo_tracked_contact *found, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (found[i].contact.manifold.touching) {
      make_sensor_contact(&found->contact, &found[i].contact);
      return 1;
    }
  }
  return 0;
}

/* Replaces the contacts of each two children, or of a child and a shape, of which one is a sensor,
 * by one contact without points. Contacts are sorted by children. */
static uint32_t reduce_contacts_of_sensor_children(const mo_contact_tracker *tracker,
                                                   mo_tracked_contact *found, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t first = 0, end; first < count; first = end) {
    const mo_contact *c = &found[first].contact;
    for (end = first + 1; end < count && mo_contacts_have_same_children(&found[end].contact, c);
         end++) {
    }
    const bool is_reduced = mo_is_sensor_child(tracker, c->a, c->child_a) ||
                            mo_is_sensor_child(tracker, c->b, c->child_b);
    const uint32_t left =
        is_reduced ? reduce_to_sensor_contact(&found[first], end - first) : end - first;
    memmove(&found[kept], &found[first], left * sizeof *found);
    kept += left;
  }
  return kept;
}

uint32_t mo_sensor_contacts_reduce(const mo_contact_tracker *tracker, mo_tracked_contact *found,
                                   uint32_t count) {
  if (tracker->def.sensor_categories == 0 || count == 0) {
    return count;
  }
  const mo_contact *c = &found->contact;
  const mo_scene *scene = tracker->log.scene;
  return mo_is_sensor(tracker, c->a) || mo_is_sensor(tracker, c->b)
             ? reduce_to_sensor_contact(found, count)
         : mo_slot_is_compound(scene, c->a.index) || mo_slot_is_compound(scene, c->b.index)
             ? reduce_contacts_of_sensor_children(tracker, found, count)
             : count;
}
