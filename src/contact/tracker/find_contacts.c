/* The first task of a part of a tracker's update: finds the contacts of a range of pairs. Pairs of
 * which a shape has changed get new contacts; other pairs keep their contacts. */
#include <string.h>

#include "base/assert.h"
#include "contact/surface/surface.h"
#include "contact/tracker/tracker.h"

/* The state of the first task of a part, which goes over the part's pairs. */
typedef struct contact_search_of_part {
  const mo_contact_tracker *tracker;
  const mo_scene *scene;
  mo_contact_update_part *part;
  /* Cache for the first shape of the last pair, which is most often the first of the next pair too.
   */
  uint32_t first_slot; /* slot of the cached shape; MO_NONE: none */
  mo_collider collider;
  mo_contact_body body;
  mo_fast_path_shape fast_path_shape;
  uint32_t bounds_slot; /* slot of the shape with these bounds; MO_NONE: none */
  mo_oriented_bounds bounds;
  uint32_t next_axis_index;         /* index in the previous update's axes */
  mo_reusable_cursor next_reusable; /* cursor into the previous update's reusable pairs */
  /* Where the contacts of the current pair were stored for reuse: index of the first in the list of
   * this update, or MO_NONE; and whether they are reused, and have the points of the last update.
   */
  uint32_t first_reusable_contact;
  bool is_steady;
} contact_search_of_part;

bool mo_contact_update_part_add(const mo_contact_tracker *tracker, mo_contact_update_part *part,
                                mo_list *list, size_t size, const void *item) {
  mo_result result = mo_list_add(&tracker->host.allocator, list, size, item);
  part->result = result != MO_OK ? result : part->result;
  return result == MO_OK;
}

static bool reserve(const contact_search_of_part *r, mo_list *list, size_t size, uint64_t extra) {
  return mo_contact_update_part_reserve(r->tracker, r->part, list, size, extra);
}

/* Reserves capacity for `extra` more contacts, and returns where to write them; null if memory is
 * exhausted, and possibly if `extra` is 0. */
static mo_tracked_contact *reserve_contacts(const contact_search_of_part *r, mo_contact_list *list,
                                            uint32_t extra) {
  bool ok = reserve(r, &list->list, sizeof *list->items, extra);
  return ok && list->items != NULL ? list->items + list->count : NULL;
}

static bool add_updated_pair(const contact_search_of_part *r, const mo_updated_pair *pair) {
  mo_updated_list *list = &r->part->updated;
  const bool ok = reserve(r, &list->list, sizeof *pair, 1);
  if (ok) {
    list->items[list->count++] = *pair;
  }
  return ok;
}

/* Whether one of two shapes is a compound. */
static bool is_pair_of_compound(const contact_search_of_part *r, mo_shape_id a, mo_shape_id b) {
  return mo_slot_is_compound(r->scene, a.index) || mo_slot_is_compound(r->scene, b.index);
}

/* Adds to the part's `sides` an entry for each contact from `first` on and each of its two shapes
 * that has changed and can move. All contacts of such a shape are found in this update. */
static bool list_contacts_by_shape(const contact_search_of_part *r, uint32_t first) {
  mo_reusable_contact *stored = r->part->reusable[!r->tracker->reusable_index].contacts.items;
  uint32_t index = r->first_reusable_contact;
  mo_side_list *list = &r->part->sides;
  const mo_contact_list *contacts = &r->part->contacts;
  bool ok = reserve(r, &list->list, sizeof *list->items, 2 * (contacts->count - first));
  for (uint32_t i = first; ok && i < contacts->count; i++) {
    const mo_contact *c = &contacts->items[i].contact;
    MO_ASSERT(c->manifold.point_count <= MO_MAX_MANIFOLD_POINTS);
    while (index != MO_NONE && stored[index].near_points == 0) {
      index++;
    }
    mo_reusable_contact *reusable = index != MO_NONE ? &stored[index] : NULL;
    const uint32_t before = list->count;
    for (int second = 0; second < 2 && c->manifold.point_count > 0; second++) {
      uint32_t slot = second ? c->b.index : c->a.index;
      if (!mo_slot_is_immovable(r->scene, slot) &&
          (r->tracker->log.pending[slot] & MO_CONTACT_CHANGE_KINDS) != 0) {
        mo_contact_side_of_part *side = &list->items[list->count++];
        side->side = mo_contact_side_of(c, second);
        side->contact = i;
        side->other_entry = 0;
        mo_contact_side_set_known_seams(side, reusable, index, second);
      }
    }
    if (list->count == before + 2) {
      list->items[before].other_entry = 1;
      list->items[before + 1].other_entry = -1;
    }
    if (reusable != NULL) { /* set again where seams are examined or kept */
      reusable->is_examined[0] = reusable->is_examined[1] = false;
      index++;
    }
  }
  return ok;
}

/* Forgets which points of the contacts stored for the current pair are hidden, as this update tells
 * only which of other contacts are. */
static void forget_seams_of_stored_contacts(contact_search_of_part *r) {
  const mo_reusable_list *list = &r->part->reusable[!r->tracker->reusable_index];
  for (uint32_t i = r->first_reusable_contact; i < list->contacts.count;
       i++) { /* none if MO_NONE */
    list->contacts.items[i].is_examined[0] = list->contacts.items[i].is_examined[1] = false;
  }
  r->first_reusable_contact = MO_NONE;
  r->is_steady = false;
}

static uint32_t bits_of_all_points(const mo_manifold *manifold) {
  return (1u << manifold->point_count) - 1;
}

static bool is_awake(const contact_search_of_part *r, mo_shape_id id) {
  return mo_slot_motion(r->scene, id.index) == MO_MOTION_DYNAMIC;
}

/* Copies the old contacts of a pair whose shapes have not changed (except user data). The contacts
 * come to rest if neither shape is awake. */
static bool keep_contacts(const contact_search_of_part *r, const mo_tracked_contact *old,
                          uint32_t count) {
  bool awake = is_awake(r, old->contact.a) || is_awake(r, old->contact.b);
  mo_contact_list *list = awake ? &r->part->contacts : &r->part->new_resting;
  mo_tracked_contact *to = reserve_contacts(r, list, count);
  for (uint32_t i = 0; to != NULL && i < count; i++) {
    to[i] = old[i];
    mo_contact_renew_user_data(r->scene, &to[i].contact);
    to[i].kept = (uint8_t)bits_of_all_points(&old[i].contact.manifold);
    to[i].began = false;
    to[i].unchanged = true;
  }
  MO_ASSERT(to == NULL || count <= list->capacity - list->count);
  list->count += to != NULL ? count : 0;
  r->part->unchanged_count += awake ? count : 0;
  return to != NULL;
}

/* Makes the collider of the first shape of the next pairs, and its body. */
static void set_first_collider(contact_search_of_part *r, uint32_t slot) {
  if (slot != r->first_slot) {
    r->first_slot = slot;
    mo_collider_set_to_shape(&r->collider, r->scene, slot);
    mo_collider_cache_body(&r->collider, &r->body);
  }
}

static bool are_same_vectors(mo_dvec3 a, mo_dvec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Stores, for the next update, the axis that separates a pair or the normal of its contact, if
 * `axis` is not zero. `before`: the axis of the previous update. */
static bool store_axis(const contact_search_of_part *r, uint64_t pair, mo_dvec3 before,
                       mo_dvec3 axis, bool is_apart) {
  if (mo_ddot(axis, axis) == 0.0) {
    return true;
  }
  r->part->apart_by_axis_count += is_apart && are_same_vectors(axis, before);
  return mo_contact_update_part_add_axis(r->tracker, r->part, pair, axis);
}

/* Where the contacts of the current pair are in the part's list: after those of earlier pairs. */
static mo_tracked_contact *contacts_of_current_pair(const contact_search_of_part *r) {
  const mo_contact_list *list = &r->part->contacts;
  return list->items != NULL ? list->items + list->count : NULL;
}

/* Reserves capacity for the contacts of the current pair, before any has been found. */
static bool reserve_found_contacts(const contact_search_of_part *r, uint32_t count) {
  return reserve(r, &r->part->contacts.list, sizeof *r->part->contacts.items, count);
}

/* Whether the slot of a shape now has another shape, or the geometry of the shape has changed. */
static bool is_replaced(const contact_search_of_part *r, mo_shape_id id) {
  return (r->tracker->log.pending[id.index] & (MO_CHANGE_SLOT_REUSED | MO_CHANGE_GEOMETRY)) != 0;
}

/* If the shapes of a pair have not moved far since its contacts were computed, reuses the contacts,
 * moved along with the shapes. `found` receives their number, or MO_NONE if they cannot be reused.
 * Returns false without memory. */
static bool reuse_contacts(contact_search_of_part *r, const mo_pair *pair,
                           const mo_speculative_limits *reach, uint32_t *found) {
  const mo_contact_tracker *t = r->tracker;
  const uint64_t key = mo_pair_key(pair->a.index, pair->b.index);
  const mo_reusable_pair *known = mo_reusable_find(t, &r->next_reusable, key);
  *found = MO_NONE;
  if (known == NULL || known->max < reach->max || is_replaced(r, pair->a) ||
      is_replaced(r, pair->b)) {
    return true;
  }
  const double distance = (double)t->def.reuse_distance;
  /* Shapes without contacts must get one before they touch. */
  const double max = known->count > 0 ? distance : fmin(distance, 0.5 * known->max);
  mo_reusable_pair tested;
  known = mo_reusable_pair_within(t, known, max, &tested);
  if (known == NULL) {
    return true;
  }
  mo_reusable_contact *contacts;
  mo_reusable_point *points;
  if (!mo_contact_update_part_add_reusable(t, r->part, known, &contacts, &points) ||
      !mo_contact_update_part_keep_axis(t, r->part, &r->next_axis_index, key) ||
      !reserve_found_contacts(r, known->count)) {
    return false;
  }
  *found = 0;
  r->first_reusable_contact = mo_contact_update_part_reusable_count(t, r->part) - known->count;
  r->is_steady = true;
  r->part->reused_count++;
  if (known->count == 0) {
    return true;
  }
  const mo_pair_poses poses = mo_reusable_poses_of(t, pair->a.index, pair->b.index);
  const mo_reusable_list *before = mo_reusable_list_at(t, &r->next_reusable);
  memcpy(contacts, before->contacts.items + known->first, known->count * sizeof *contacts);
  if (known->point_count > 0) {
    memcpy(points, before->points.items + known->first_point, known->point_count * sizeof *points);
  }
  for (uint32_t i = 0; i < known->count; points += contacts[i++].point_count) {
    mo_contact *to = &contacts_of_current_pair(r)[*found].contact;
    to->a = pair->a;
    to->b = pair->b;
    to->child_a = contacts[i].child_a;
    to->child_b = contacts[i].child_b;
    to->triangle_a = contacts[i].triangle_a;
    to->triangle_b = contacts[i].triangle_b;
    to->triangle_user_data_a = contacts[i].triangle_user_data_a;
    to->triangle_user_data_b = contacts[i].triangle_user_data_b;
    const uint8_t near_points = mo_reusable_contact_move_by_isa[r->scene->isa](
        &contacts[i], points, &poses, known->poses_when_computed.reference, reach->max,
        &to->manifold);
    if (near_points != contacts[i].near_points) {
      contacts[i].near_points = near_points;
      contacts[i].is_examined[0] = contacts[i].is_examined[1] = r->is_steady = false;
    }
    mo_contact_renew_user_data(r->scene, to);
    *found += to->manifold.point_count > 0;
  }
  return true;
}

/* Whether a shape is a volume, or a compound with volumes: their contacts have no points. */
static bool has_volumes(const contact_search_of_part *r, mo_shape_id id) {
  const mo_geometry *geometry = &r->scene->shapes[id.index].geometry;
  return geometry->type == MO_SHAPE_VOLUME ||
         (geometry->type == MO_SHAPE_COMPOUND && geometry->compound->has_volumes);
}

/* Stores the `count` contacts computed for a pair, for reuse in later updates, unless it moves
 * fast. */
static bool store_reusable_pair(contact_search_of_part *r, const mo_pair *pair, double max,
                                uint32_t count) {
  if (!mo_contact_tracker_reuses(r->tracker) || mo_pair_is_fast(r->tracker, pair) ||
      has_volumes(r, pair->a) || has_volumes(r, pair->b)) {
    return true;
  }
  const mo_tracked_contact *found = contacts_of_current_pair(r);
  const mo_pair_poses poses = mo_reusable_poses_of(r->tracker, pair->a.index, pair->b.index);
  mo_reusable_pair reusable =
      mo_reusable_pair_of(r->tracker, mo_pair_key(pair->a.index, pair->b.index), &poses, max);
  reusable.count = count;
  if (!mo_is_finite(
          reusable.poses_when_computed.center)) { /* two half-spaces, or a frame that is singular */
    return true;
  }
  for (uint32_t i = 0; i < count; i++) {
    reusable.point_count += found[i].contact.manifold.point_count;
  }
  mo_reusable_contact *contacts;
  mo_reusable_point *points;
  if (!mo_contact_update_part_add_reusable(r->tracker, r->part, &reusable, &contacts, &points)) {
    return false;
  }
  r->first_reusable_contact = mo_contact_update_part_reusable_count(r->tracker, r->part) - count;
  for (uint32_t i = 0; i < count; points += contacts[i++].point_count) {
    contacts[i] = mo_reusable_contact_of(&poses, reusable.poses_when_computed.reference,
                                         &found[i].contact, points);
  }
  return true;
}

/* The greatest separations that points of a pair may have. They do not grow with the speed of
 * sensors, whose contacts have no points. */
static mo_speculative_limits speculative_limits_of(const contact_search_of_part *r,
                                                   const mo_pair *pair) {
  mo_speculative_limits reach = mo_speculative_limits_of(r->tracker, pair);
  if (reach.max > reach.min &&
      (mo_is_sensor(r->tracker, pair->a) || mo_is_sensor(r->tracker, pair->b))) {
    reach.max = reach.min;
  }
  return reach;
}

/* The two colliders, or two shapes of which one is a compound, whose contacts are searched for, for
 * which the colliders are null. */
typedef struct searched_shapes {
  mo_pair pair;
  const mo_collider *a, *b;
} searched_shapes;

/* A search for the contacts of all children of a pair. */
typedef struct children_contacts {
  mo_contact_search *search;
  const mo_speculative_limits *reach;
} children_contacts;

static void add_contacts_of_children(const mo_collider *a, const mo_collider *b, void *context) {
  const children_contacts *c = context;
  mo_contact_search *search = c->search;
  mo_bounded_list *list = &search->contacts;
  const mo_bounded_list before = *list;
  mo_contact_search_pair(search, a, b);
  if (list->total >= list->capacity) {
    return; /* all is searched for again, in a larger list */
  }
  const double max = search->max, second = mo_speculative_limit_of_second_search(
                                      c->reach, (const mo_contact *)list->items + before.count,
                                      sizeof(mo_contact), list->count - before.count);
  if (second < max) {
    *list = before;
    search->max = second;
    mo_contact_search_pair(search, a, b);
    search->max = max;
  }
}

/* Searches for the contacts of two colliders, or of all children of the shapes. Returns the length
 * of a list that suffices. */
static uint32_t search_shapes(const contact_search_of_part *r, const searched_shapes *searched,
                              const mo_speculative_limits *reach, mo_contact_search *search) {
  if (searched->a != NULL) {
    mo_contact_search_pair(search, searched->a, searched->b);
    return search->contacts.total;
  }
  const mo_compound_pair pair = {r->scene, searched->pair.a.index, searched->pair.b.index, true};
  children_contacts context = {search, reach};
  mo_visit_child_pairs(search, &pair, add_contacts_of_children, &context);
  return search->contacts.total + 1; /* a list that becomes full is not in the order of finding */
}

/* Searches for contacts with separations of up to `max`, and sorts them. Returns their number, or
 * MO_NONE without memory. */
static uint32_t search_contacts(const contact_search_of_part *r, const searched_shapes *searched,
                                const mo_speculative_limits *reach, double max, mo_dvec3 *axis) {
  const mo_contact_list *list = &r->part->contacts;
  const mo_contact_log log = {&r->tracker->host, searched->pair.a.index, searched->pair.b.index};
  mo_query_stats counts = {0};
  for (uint32_t needed = 1;;) {
    if (!reserve_found_contacts(r, needed)) {
      return MO_NONE;
    }
    mo_tracked_contact *found = contacts_of_current_pair(r);
    mo_contact_search search = {
        .isa = r->scene->isa,
        .max = max,
        .cull_back_faces = r->tracker->def.cull_back_faces,
        .stats = &counts,
        .last_axis = axis,
        .contacts = mo_bounded_make(found, list->capacity - list->count),
        .log = mo_contact_tracker_logs_rules(r->tracker, log.a, log.b) ? &log : NULL};
    needed = search_shapes(r, searched, reach, &search);
    if (needed <= search.contacts.capacity) {
      mo_bounded_sort(&search.contacts, sizeof(mo_contact), mo_contact_before);
      /* The search has written an array of mo_contact. Convert it to mo_tracked_contact in
       * place. */
      for (uint32_t i = search.contacts.count; i-- > 1;) {
        memmove(&found[i].contact, (mo_contact *)(void *)found + i, sizeof(mo_contact));
      }
      return search.contacts.count;
    }
  }
}

/* Searches for the contacts of two colliders with separations of up to what `reach` allows. `*max`
 * receives the greatest separation. Returns their number, or MO_NONE without memory. */
static uint32_t search_within_reach(const contact_search_of_part *r,
                                    const searched_shapes *searched,
                                    const mo_speculative_limits *reach, mo_dvec3 *axis,
                                    double *max) {
  *max = reach->max;
  uint32_t count = search_contacts(r, searched, reach, *max, axis);
  if (count != MO_NONE && count > 0 && *max > 2.0 * reach->min) {
    *max = mo_speculative_limit_of_second_search(reach, contacts_of_current_pair(r),
                                                 sizeof(mo_tracked_contact), count);
    count = *max < reach->max ? search_contacts(r, searched, reach, *max, axis) : count;
  }
  return count;
}

/* Computes the contacts of two shapes that are no compounds. The arguments and the result are those
 * of search_within_reach. */
static uint32_t search_from_last_axis(contact_search_of_part *r, const mo_pair *pair,
                                      const mo_speculative_limits *reach, double *max) {
  mo_collider b;
  set_first_collider(r, pair->a.index);
  mo_collider_set_to_shape(&b, r->scene, pair->b.index);
  const uint64_t key = mo_pair_key(pair->a.index, pair->b.index);
  const mo_dvec3 before = mo_find_cached_axis(&r->tracker->axes, &r->next_axis_index, key);
  mo_dvec3 axis = before;
  const searched_shapes colliders = {*pair, &r->collider, &b};
  const uint32_t count = search_within_reach(r, &colliders, reach, &axis, max);
  const bool ok = count != MO_NONE && store_axis(r, key, before, axis, count == 0);
  return ok ? count : MO_NONE;
}

/* The same, but by the fast path where there is one. */
static uint32_t search_shapes_without_children(contact_search_of_part *r, const mo_pair *pair,
                                               const mo_speculative_limits *reach, double *max) {
  if (!reserve_found_contacts(r, 1)) {
    return MO_NONE;
  }
  mo_contact *to = &contacts_of_current_pair(r)->contact;
  *max = reach->max;
  return *max > 2.0 * reach->min || /* may need a second search */
                 !mo_contact_by_fast_path(r->scene, &r->fast_path_shape, pair, *max, to)
             ? search_from_last_axis(r, pair, reach, max)
             : to->manifold.point_count > 0;
}

/* Whether the boxes around the shapes of a pair show that they are farther apart than `max`. */
static bool are_apart(contact_search_of_part *r, const mo_pair *pair, double max) {
  const mo_shape *a = &r->scene->shapes[pair->a.index], *b = &r->scene->shapes[pair->b.index];
  if (pair->a.index != r->bounds_slot) {
    r->bounds_slot = pair->a.index;
    r->bounds = mo_oriented_bounds_of(a);
  }
  const mo_oriented_bounds other = mo_oriented_bounds_of(b);
  const mo_vec3 between = mo_sub(b->affine.to_world.origin, a->affine.to_world.origin);
  return mo_oriented_bounds_are_apart(&r->bounds, &other, between, (float)max);
}

/* Finds the contacts of a pair. Returns their number, or MO_NONE without memory. `had_contacts`:
 * whether it had contacts before, and so is hardly apart now. */
static uint32_t find_contacts(contact_search_of_part *r, const mo_pair *pair, bool had_contacts,
                              const mo_speculative_limits *reach) {
  uint32_t count = MO_NONE;
  r->first_reusable_contact = MO_NONE;
  r->is_steady = false;
  if (mo_contact_tracker_reuses(r->tracker) &&
      (!reuse_contacts(r, pair, reach, &count) || count != MO_NONE)) {
    return count;
  }
  r->part->computed_count++;
  double max;
  if (!had_contacts && are_apart(r, pair, reach->max)) {
    r->part->apart_by_bounds_count++;
    count = 0;
    max = reach->max;
  } else if (is_pair_of_compound(r, pair->a, pair->b)) {
    const searched_shapes shapes = {*pair, NULL, NULL};
    count = search_contacts(r, &shapes, reach, reach->max, NULL);
    /* Contacts of some children may have been searched for only within less. */
    max = reach->max > 2.0 * reach->min ? reach->min : reach->max;
  } else {
    count = search_shapes_without_children(r, pair, reach, &max);
  }
  return count != MO_NONE && store_reusable_pair(r, pair, max, count) ? count : MO_NONE;
}

/* Reserves capacity for one more contact of the current pair. Its `count` contacts are behind the
 * end of the list, so they are added to the list for the moment: growing copies only what it
 * counts. */
static bool reserve_one_more_contact(const contact_search_of_part *r, uint32_t count) {
  mo_contact_list *list = &r->part->contacts;
  list->count += count;
  const bool ok = reserve_found_contacts(r, 1);
  list->count -= count;
  return ok;
}

/* Adds a contact to those of the current pair at its place in their order, unless there is one of
 * the same triangles: then it takes the place of that. Returns false without memory. */
static bool insert_contact(const contact_search_of_part *r, const mo_contact *made,
                           uint32_t *count) {
  mo_contact_tracker_log_points(r->tracker, made, 1,
                                "made, by a cast along the way to the surface");
  if (!reserve_one_more_contact(r, *count)) {
    return false;
  }
  mo_tracked_contact *found = contacts_of_current_pair(r);
  uint32_t at = 0;
  while (at < *count && mo_contact_before(&found[at].contact, made)) {
    at++;
  }
  if (at == *count || mo_contact_before(made, &found[at].contact)) {
    memmove(&found[at + 1], &found[at], (*count - at) * sizeof *found);
    ++*count;
  }
  found[at].contact = *made;
  return true;
}

/* The casts of all children of a pair. */
typedef struct children_casts {
  const contact_search_of_part *r;
  const mo_pair *pair;
  const mo_speculative_limits *reach;
  uint32_t *count; /* of the contacts of the pair */
  bool ok;
} children_casts;

/* If all contacts of two children are too far away, adds the contact that a shape cast finds. */
static void cast_children(const mo_collider *a, const mo_collider *b, void *context) {
  children_casts *c = context;
  const contact_search_of_part *r = c->r;
  if ((a->kind != MO_COLLIDER_MESH && b->kind != MO_COLLIDER_MESH) || !c->ok ||
      mo_is_sensor_child(r->tracker, a->shape, a->child) ||
      mo_is_sensor_child(r->tracker, b->shape, b->child)) {
    return;
  }
  const mo_contact children = {.child_a = a->child, .child_b = b->child};
  const mo_tracked_contact *found = contacts_of_current_pair(r);
  uint32_t first = 0, end;
  while (first < *c->count && !mo_contacts_have_same_children(&found[first].contact, &children)) {
    first++;
  }
  for (end = first;
       end < *c->count && mo_contacts_have_same_children(&found[end].contact, &children); end++) {
  }
  mo_placed_child memory[2];
  const mo_speculative_pair pair = {
      *c->pair, mo_child_of_hit(r->scene, c->pair->a.index, a->child, &memory[0]),
      mo_child_of_hit(r->scene, c->pair->b.index, b->child, &memory[1])};
  mo_contact made;
  if (mo_speculative_cast(r->tracker, &pair, c->reach, &found[first], end - first, &made)) {
    c->ok = insert_contact(r, &made, c->count);
  }
}

/* If all contacts of a pair, or of two children of a pair, are too far away, adds the contact that
 * a shape cast finds, if any. Returns false without memory. */
static bool add_contacts_by_casts(const contact_search_of_part *r, const mo_pair *pair,
                                  const mo_speculative_limits *reach, uint32_t *count) {
  if (reach->max <= reach->min) {
    return true;
  }
  if (is_pair_of_compound(r, pair->a, pair->b)) {
    mo_query_stats counts = {0};
    const mo_contact_search near = {.max = reach->max, .stats = &counts};
    const mo_compound_pair shapes = {r->scene, pair->a.index, pair->b.index, true};
    children_casts casts = {r, pair, reach, count, true};
    mo_visit_child_pairs(&near, &shapes, cast_children, &casts);
    return casts.ok;
  }
  const mo_speculative_pair shapes = {*pair, NULL, NULL};
  mo_contact made;
  return !mo_speculative_cast(r->tracker, &shapes, reach, contacts_of_current_pair(r), *count,
                              &made) ||
         insert_contact(r, &made, count);
}

/* Whether a contact that the host has changed has the same shapes and triangles as before, and no
 * more points. */
static bool is_valid_change(const mo_contact *now, const mo_contact *before) {
  return !mo_contact_before(now, before) && !mo_contact_before(before, now) &&
         now->a.generation == before->a.generation && now->b.generation == before->b.generation &&
         now->manifold.point_count <= before->manifold.point_count;
}

/* Lets the host change the contacts of a pair, by the callback `modify`. */
static bool let_host_modify(const contact_search_of_part *r, mo_tracked_contact *contacts,
                            uint32_t count, uint64_t state) {
  mo_modified_pair pair = {.contacts = contacts, .contact_count = count, .state = state};
  mo_contact_update_part *part = r->part;
  if (!reserve(r, &part->unmodified.list, sizeof *part->unmodified.items, count)) {
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    part->unmodified.items[i] = contacts[i].contact;
  }
  r->tracker->def.modify(&pair, r->tracker->def.context);
  for (uint32_t i = 0; i < count; i++) {
    mo_tracked_contact *c = &contacts[i];
    if (!is_valid_change(&c->contact, &part->unmodified.items[i])) {
      part->result = MO_ERROR_INVALID_ARGUMENT;
      return false;
    }
    c->pair_state = pair.state;
    c->contact.manifold.point_count = c->rejected ? 0 : c->contact.manifold.point_count;
  }
  return true;
}

static uint32_t index_of_old_contact(const contact_search_of_part *r,
                                     const mo_tracked_contact *old) {
  return old != NULL ? (uint32_t)(old - r->tracker->old_contacts->items) : 0;
}

/* The index of the first contact with points; `count` if there is none. */
static uint32_t first_with_points(const mo_tracked_contact *contacts, uint32_t count) {
  uint32_t i = 0;
  while (i < count && contacts[i].contact.manifold.point_count == 0) {
    i++;
  }
  return i;
}

/* Whether a shape of this class may have contacts with a mesh built without edges and no warning is
 * logged. */
static bool tolerates_mesh_without_edges(mo_contact_class kind) {
  switch (kind) {
  case MO_CLASS_SURFACE:
  case MO_CLASS_HALF_SPACE:
  case MO_CLASS_COMPOUND: /* children are no compounds */
    return true;
  case MO_CLASS_CONVEX:
  case MO_CLASS_VOLUME:
  case MO_CLASS_TRIANGLES:
    return false;
  }
  __builtin_unreachable();
}

static mo_contact_class class_of(const contact_search_of_part *r, mo_shape_id id, uint32_t child) {
  const mo_geometry *geometry = mo_child_geometry(r->scene, id.index, child);
  MO_ASSERT(geometry != NULL);
  return mo_contact_class_of(geometry);
}

/* The slot of a mesh, or of the placement of a mesh, that should have been built with edges, so
 * that its triangles form one surface; MO_NONE if none of the contacts, which are those of a pair
 * and the first of which has points, has such a mesh. */
static uint32_t mesh_without_edges(const contact_search_of_part *r,
                                   const mo_tracked_contact *contacts, uint32_t count) {
  uint32_t found = MO_NONE;
  const mo_contact *before = NULL;
  for (uint32_t i = 0; i < count && found == MO_NONE; i++) {
    const mo_contact *c = &contacts[i].contact;
    if (c->manifold.point_count == 0 ||
        (before != NULL && mo_contacts_have_same_children(c, before))) {
      continue;
    }
    before = c;
    const mo_contact_class a = class_of(r, c->a, c->child_a), b = class_of(r, c->b, c->child_b);
    found = tolerates_mesh_without_edges(a) || tolerates_mesh_without_edges(b) ? MO_NONE
            : a == MO_CLASS_TRIANGLES                                          ? c->a.index
            : b == MO_CLASS_TRIANGLES                                          ? c->b.index
                                                                               : MO_NONE;
  }
  return found;
}

/* Sets mo_tracked_contact::children, which are 0, of the contacts of a pair. */
static void set_children(const contact_search_of_part *r, const mo_pair *pair,
                         mo_tracked_contact *contacts, uint32_t count) {
  if (!is_pair_of_compound(r, pair->a, pair->b)) {
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    const bool is_same =
        i > 0 && mo_contacts_have_same_children(&contacts[i].contact, &contacts[i - 1].contact);
    contacts[i].children =
        is_same ? contacts[i - 1].children : mo_contact_children(r->scene, &contacts[i].contact);
  }
}

/* Computes the contacts of a pair of which a shape has changed. `old`: the pair's old contacts. */
static bool compute_contacts_of_pair(contact_search_of_part *r, const mo_pair *pair,
                                     const mo_tracked_contact *old, uint32_t old_count) {
  const mo_speculative_limits reach = speculative_limits_of(r, pair);
  const uint32_t found = find_contacts(r, pair, old_count > 0, &reach);
  uint32_t count = found;
  if (found == MO_NONE || !add_contacts_by_casts(r, pair, &reach, &count)) {
    return false;
  }
  if (count == 0 && old_count == 0 && (!mo_contact_tracker_reuses(r->tracker) || r->is_steady)) {
    return true; /* nothing to match, nor a change of what reused contacts know of seams */
  }
  mo_contact_list *list = &r->part->contacts;
  mo_tracked_contact *to = contacts_of_current_pair(r);
  count = mo_sensor_contacts_reduce(r->tracker, to, count);
  for (uint32_t i = 0; i < count; i++) {
    MO_ASSERT(i == 0 || mo_contact_before(&to[i - 1].contact, &to[i].contact));
    memset(&to[i].contact + 1, 0, sizeof *to - sizeof to->contact);
    to[i].material = r->tracker->def.material;
  }
  set_children(r, pair, to, count);
  const uint32_t with_points = first_with_points(to, count);
  if (with_points < count && r->part->mesh_without_edges == MO_NONE && !r->is_steady &&
      (r->scene->mesh_count | r->scene->compound_count) > 0) {
    r->part->mesh_without_edges = mesh_without_edges(r, to + with_points, count - with_points);
  }
  if (r->tracker->def.modify != NULL && with_points < count &&
      !let_host_modify(r, to, count, old_count > 0 ? old->pair_state : 0)) {
    return false;
  }
  if (count != found || reach.max > reach.min ||
      r->tracker->def.modify != NULL) { /* they are not those that are stored */
    forget_seams_of_stored_contacts(r);
  }
  const mo_updated_pair updated = {*pair,     list->count, count, index_of_old_contact(r, old),
                                   old_count, r->is_steady};
  list->count += count;
  return add_updated_pair(r, &updated) &&
         (r->tracker->def.keep_seams || list_contacts_by_shape(r, updated.first));
}

static uint64_t pair_key_of(const mo_tracked_contact *contact) {
  return mo_contact_key(&contact->contact);
}

/* The index after the last contact of the pair to which contact `first` belongs. */
static uint32_t end_of_pair(const mo_contact_list *contacts, uint32_t first) {
  uint32_t end = first + 1;
  while (end < contacts->count &&
         pair_key_of(&contacts->items[end]) == pair_key_of(&contacts->items[first])) {
    end++;
  }
  return end;
}

/* Records that a pair, with these old contacts, has no contacts any more. */
static bool record_ended_contacts(const contact_search_of_part *r, const mo_tracked_contact *old,
                                  uint32_t count) {
  const mo_updated_pair updated = {{old->contact.a, old->contact.b},
                                   r->part->contacts.count,
                                   0,
                                   index_of_old_contact(r, old),
                                   count,
                                   false};
  return add_updated_pair(r, &updated);
}

static bool same_id(mo_shape_id a, mo_shape_id b) {
  return a.index == b.index && a.generation == b.generation;
}

/* Updates the contacts of a pair of which a shape has changed. `old`: the pair's old contacts. */
static bool update_pair(contact_search_of_part *r, const mo_pair *pair,
                        const mo_tracked_contact *old, uint32_t old_count) {
  if (old_count > 0 && (!same_id(pair->a, old->contact.a) || !same_id(pair->b, old->contact.b))) {
    if (!record_ended_contacts(r, old, old_count)) { /* contacts of earlier shapes in these slots */
      return false;
    }
    old_count = 0;
  }
  return compute_contacts_of_pair(r, pair, old, old_count);
}

/* Handles the old contacts of a pair that is not among the changed pairs. If neither shape has
 * changed, the contacts are kept; else the shapes are no pair any more, and the contacts end. */
static bool keep_or_end_contacts(const contact_search_of_part *r, const mo_tracked_contact *old,
                                 uint32_t count) {
  const uint8_t *pending = r->tracker->log.pending;
  uint32_t changes = pending[old->contact.a.index] | pending[old->contact.b.index];
  return changes & MO_CONTACT_CHANGE_KINDS ? record_ended_contacts(r, old, count)
                                           : keep_contacts(r, old, count);
}

/* Goes over the changed pairs and the old contacts of the part together, in the order of pairs. */
static bool update_pairs(contact_search_of_part *r) {
  const mo_contact_list *old = r->tracker->old_contacts;
  const uint64_t *keys = r->tracker->pairs.keys;
  uint32_t next = r->part->first_pair, first = r->part->first_old, end = r->part->old_end;
  bool ok = true;
  while (ok && (next < r->part->pair_end || first < end)) {
    uint64_t key = next < r->part->pair_end ? keys[next] : UINT64_MAX;
    uint64_t old_key = first < end ? pair_key_of(&old->items[first]) : UINT64_MAX;
    uint32_t old_end = old_key <= key ? end_of_pair(old, first) : first;
    MO_ASSERT(old_end <= end);
    const mo_tracked_contact *contacts = old_key <= key ? &old->items[first] : NULL;
    if (key <= old_key) {
      const mo_pair pair = {mo_shape_id_of(r->scene, (uint32_t)(key >> 32)),
                            mo_shape_id_of(r->scene, (uint32_t)key)};
      ok = update_pair(r, &pair, contacts, old_end - first);
      next++;
    } else {
      ok = keep_or_end_contacts(r, contacts, old_end - first);
    }
    first = old_end;
  }
  return ok;
}

void mo_contact_update_part_find_contacts(uint32_t index, void *tracker) {
  mo_contact_tracker *t = tracker;
  mo_contact_update_part *part = &t->parts[index];
  part->contacts.count = part->new_resting.count = part->updated.count = part->sides.count = 0;
  part->axes.count = part->computed_count = part->unchanged_count = 0;
  part->apart_by_axis_count = part->apart_by_bounds_count = 0;
  mo_reusable_list *reusable = &part->reusable[!t->reusable_index];
  reusable->count = reusable->contacts.count = reusable->points.count = 0;
  part->reused_count = 0;
  part->mesh_without_edges = MO_NONE;
  part->result = MO_OK;
  contact_search_of_part r = {.tracker = t, .scene = t->log.scene, .part = part};
  r.first_slot = r.fast_path_shape.slot = r.bounds_slot = MO_NONE;
  if (part->first_pair < part->pair_end) {
    r.next_axis_index =
        mo_item_lower_bound(&t->axes.list, sizeof *t->axes.items, t->pairs.keys[part->first_pair]);
    r.next_reusable = mo_reusable_lower_bound(t, t->pairs.keys[part->first_pair]);
  }
  update_pairs(&r); /* if it fails, it has set the result of the part */
}
