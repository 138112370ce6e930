/* Pairs whose contacts may be reused (mo_contact_tracker_def::reuse_distance), each with its
 * contacts and the relative pose of its shapes when these were computed. Each part of an update has
 * two lists of such pairs: one that the last update wrote, and one that this update writes. The two
 * are swapped when the whole update has succeeded. */
#include "base/assert.h"
#include "contact/tracker/tracker.h"
#include "scene/octree/octree.h"
#include "scene/shapes/unbounded.h"

void mo_reusable_cursor_skip_parts(const mo_contact_tracker *tracker, mo_reusable_cursor *cursor) {
  while (cursor->next == cursor->end && cursor->part + 1 < tracker->reusable_part_count) {
    cursor->part++;
    const mo_reusable_list *list = mo_reusable_list_at(tracker, cursor);
    cursor->next = list->pairs;
    cursor->end = list->count > 0 ? list->pairs + list->count : list->pairs;
  }
}

mo_reusable_cursor mo_reusable_lower_bound(const mo_contact_tracker *tracker, uint64_t pair) {
  mo_reusable_cursor at = {0};
  for (; at.part < tracker->reusable_part_count; at.part++) {
    const mo_reusable_list *list = mo_reusable_list_at(tracker, &at);
    if (list->count > 0 && list->pairs[list->count - 1].pair >= pair) {
      at.next = list->pairs + mo_item_lower_bound(&list->list, sizeof *list->pairs, pair);
      at.end = list->pairs + list->count;
      break;
    }
  }
  return at;
}

bool mo_contact_update_part_add_reusable(const mo_contact_tracker *tracker,
                                         mo_contact_update_part *part, const mo_reusable_pair *pair,
                                         mo_reusable_contact **contacts,
                                         mo_reusable_point **points) {
  mo_reusable_list *list = &part->reusable[!tracker->reusable_index];
  MO_ASSERT(list->count == 0 || list->pairs[list->count - 1].pair < pair->pair);
  if (!mo_contact_update_part_reserve(tracker, part, &list->contacts.list, sizeof **contacts,
                                      pair->count + 1) ||
      !mo_contact_update_part_reserve(tracker, part, &list->points.list, sizeof **points,
                                      pair->point_count + 1) ||
      !mo_contact_update_part_reserve(tracker, part, &list->list, sizeof *pair, 1)) {
    return false;
  }
  mo_reusable_pair *added = &list->pairs[list->count++];
  *added = *pair;
  added->first = list->contacts.count;
  added->first_point = list->points.count;
  list->contacts.count += pair->count;
  list->points.count += pair->point_count;
  *contacts = list->contacts.items + added->first;
  *points = list->points.items + added->first_point;
  return true;
}

void mo_contact_side_set_known_seams(mo_contact_side_of_part *side,
                                     const mo_reusable_contact *reusable, uint32_t index,
                                     int second) {
  side->reusable_contact = reusable != NULL ? index : MO_NONE;
  side->is_examined = reusable != NULL && reusable->is_examined[second];
  side->hidden_points = side->is_examined ? reusable->hidden_points[second] : 0;
}

void mo_contact_update_part_keep_seams(const mo_contact_tracker *tracker,
                                       mo_contact_update_part *part) {
  mo_reusable_contact *contacts = part->reusable[!tracker->reusable_index].contacts.items;
  for (uint32_t i = 0; i < part->sides.count; i++) {
    const mo_contact_side_of_part *side = &part->sides.items[i];
    if (side->reusable_contact != MO_NONE) {
      contacts[side->reusable_contact].is_examined[side->side.is_second] = true;
      contacts[side->reusable_contact].hidden_points[side->side.is_second] =
          (uint8_t)side->hidden_points;
    }
  }
}

/* --- frames of shapes --- */

/* The world AABB with which the scene stores a shape; infinite for a half-space. */
static mo_aabb stored_bounds(const mo_scene *scene, uint32_t slot) {
  const mo_aabb everything = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  return mo_slot_is_unbounded(scene, slot) ? everything : mo_slot_box(scene, slot);
}

/* Records what a shape is like. Returns whether it has changed otherwise than by a rigid motion. */
static bool update_known_shape(mo_known_shape *known, const mo_scene *scene, uint32_t slot) {
  const mo_shape *shape = &scene->shapes[slot];
  const bool is_immovable = mo_slot_is_immovable(scene, slot);
  const bool is_same = known->category == shape->category && known->mask == shape->mask &&
                       known->is_immovable == is_immovable;
  known->category = shape->category;
  known->mask = shape->mask;
  known->is_immovable = is_immovable;
  return !mo_shape_frame_set(&known->frame, &shape->affine.to_world) || !is_same;
}

/* How a shape moved in an update: this one or that before. */
static mo_shape_motion motion_in_update(const mo_known_shape *known, uint64_t update) {
  const mo_shape_motion none = {{0}, 0, 0};
  return known->update_number == update       ? known->motions[0]
         : known->update_number == update + 1 ? known->motions[1]
                                              : none;
}

/* Keeps what a shape's pose and motion were before this update: once, as an update that fails may
 * be repeated. */
static void keep_last_pose(const mo_contact_tracker *tracker, mo_known_shape *known) {
  if (known->update_number != tracker->update_count) {
    known->motions[1] = motion_in_update(known, tracker->update_count - 1);
    known->travel_before = known->travel;
    known->update_number = tracker->update_count;
    memcpy(known->axes_before, known->frame.axes, sizeof known->axes_before);
    known->origin_before = known->origin;
  }
}

void mo_contact_tracker_mark_lost_partners(mo_contact_tracker *tracker) {
  const mo_pair_keys *ends = &tracker->pair_tracker->ends;
  uint8_t *pending = tracker->log.pending;
  for (uint32_t i = 0; i < ends->count; i++) {
    const uint32_t a = (uint32_t)(ends->keys[i] >> 32), b = (uint32_t)ends->keys[i];
    pending[a] |= pending[a] != 0 ? MO_CHANGE_LOST_PARTNER : 0;
    pending[b] |= pending[b] != 0 ? MO_CHANGE_LOST_PARTNER : 0;
  }
}

mo_result mo_contact_tracker_prepare_reuse(mo_contact_tracker *tracker) {
  mo_listener *log = &tracker->log;
  const mo_scene *scene = log->scene;
  if (!mo_contact_tracker_reuses(tracker)) {
    return MO_OK;
  }
  const mo_result result =
      mo_list_extend(&tracker->host.allocator, &tracker->known_shapes.list,
                     sizeof *tracker->known_shapes.items, scene->slot_count, 0);
  for (uint32_t i = 0; i < log->count && result == MO_OK; i++) {
    const uint32_t slot = log->changed[i];
    mo_known_shape *known = &tracker->known_shapes.items[slot];
    if (!mo_slot_is_alive(scene, slot)) {
      continue;
    }
    keep_last_pose(tracker, known);
    known->origin = scene->shapes[slot].affine.to_world.origin;
    if (update_known_shape(known, scene, slot)) {
      mo_listener_add(log, slot, MO_CHANGE_GEOMETRY);
    }
    if ((log->pending[slot] & (MO_CHANGE_GEOMETRY | MO_CHANGE_SLOT_REUSED)) != 0) {
      mo_shape_frame_set_sphere(&known->frame, known->origin, stored_bounds(scene, slot));
      known->motions[0] = known->motions[1] = (mo_shape_motion){{0}, 0, 0};
    } else {
      known->motions[0] = mo_shape_motion_of(&known->frame, known->axes_before,
                                             known->origin_before, known->origin);
    }
    const mo_shape_motion *motion = &known->motions[0];
    known->travel.distance =
        known->travel_before.distance + mo_dlength(mo_widen(motion->displacement));
    known->travel.rotation = known->travel_before.rotation + (double)motion->rotation;
  }
  return result;
}

bool mo_pair_is_fast(const mo_contact_tracker *tracker, const mo_pair *pair) {
  const mo_known_shape *known = tracker->known_shapes.items;
  bool is_fast = true;
  for (uint64_t age = 0; age < 2 && is_fast; age++) {
    const mo_shape_motion a = motion_in_update(&known[pair->a.index], tracker->update_count - age),
                          b = motion_in_update(&known[pair->b.index], tracker->update_count - age);
    is_fast = !(mo_max_relative_motion(&a, &b) <= 0.5 * (double)tracker->def.reuse_distance);
  }
  return is_fast;
}

mo_pair_poses mo_reusable_poses_of(const mo_contact_tracker *tracker, uint32_t a, uint32_t b) {
  const mo_known_shape *known = tracker->known_shapes.items;
  const mo_shape *shapes = tracker->log.scene->shapes;
  MO_ASSERT(a < tracker->known_shapes.count && b < tracker->known_shapes.count);
  return mo_pair_poses_of(&known[a].frame, &known[b].frame, shapes[a].affine.to_world.origin,
                          shapes[b].affine.to_world.origin);
}

/* The shape of a pair that gives the reference frame, and the other. */
static const mo_known_shape *known_shape_of(const mo_contact_tracker *tracker,
                                            const mo_reusable_pair *pair, bool is_reference) {
  const bool is_second = (pair->poses_when_computed.reference == 1) == is_reference;
  return &tracker->known_shapes.items[(uint32_t)(is_second ? pair->pair : pair->pair >> 32)];
}

mo_reusable_pair mo_reusable_pair_of(const mo_contact_tracker *tracker, uint64_t pair,
                                     const mo_pair_poses *poses, double max) {
  mo_reusable_pair made = {
      .pair = pair, .max = max, .poses_when_computed = mo_relative_pose_of(poses)};
  const mo_known_shape *other = known_shape_of(tracker, &made, false),
                       *reference = known_shape_of(tracker, &made, true);
  made.reach = mo_reach_of_other_shape(&made.poses_when_computed, &reference->frame, &other->frame);
  made.travel[0] = other->travel;
  made.travel[1] = reference->travel;
  return made;
}

static mo_travel travel_since(const mo_travel *now, const mo_travel *before) {
  return (mo_travel){now->distance - before->distance, now->rotation - before->rotation};
}

const mo_reusable_pair *mo_reusable_pair_within(const mo_contact_tracker *tracker,
                                                const mo_reusable_pair *pair, double max,
                                                mo_reusable_pair *tested) {
  const mo_known_shape *other = known_shape_of(tracker, pair, false),
                       *reference = known_shape_of(tracker, pair, true);
  const mo_travel a = travel_since(&other->travel, &pair->travel[0]),
                  b = travel_since(&reference->travel, &pair->travel[1]);
  /* The bound by travel is that by poses or greater. So these are needed only if it is too great.
   */
  if (pair->motion +
          mo_max_motion_by_travel(&a, &b, (double)other->frame.radius, pair->reach + max) <=
      max) {
    return pair;
  }
  const mo_pair_poses poses =
      mo_reusable_poses_of(tracker, (uint32_t)(pair->pair >> 32), (uint32_t)pair->pair);
  *tested = *pair;
  tested->motion = mo_max_motion_since(&pair->poses_when_computed, &poses);
  tested->travel[0] = other->travel;
  tested->travel[1] = reference->travel;
  return tested->motion <= max ? tested : NULL;
}
