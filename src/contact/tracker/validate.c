/* Checks the invariants that a contact tracker has between two calls. Data that the host may have
 * changed, for example by `modify`, are not checked. */
#include "base/log.h"
#include "contact/tracker/tracker.h"

#define WARN_AND_FAIL(...)                                                                         \
  (mo_log(&t->host, MO_LOG_WARNING, "contact tracker: " __VA_ARGS__), false)

/* --- contacts --- */

static bool has_finite_points(const mo_manifold *m) {
  for (uint32_t i = 0; i < m->point_count; i++) {
    const mo_manifold_point *p = &m->points[i];
    if (!isfinite(p->separation) || !mo_is_finite(p->position) || !mo_is_finite(p->anchor_a) ||
        !mo_is_finite(p->anchor_b)) {
      return false;
    }
  }
  return true;
}

static bool has_point_twice(const mo_manifold *m) {
  for (uint32_t i = 1; i < m->point_count; i++) {
    for (uint32_t k = 0; k < i; k++) {
      if (m->points[i].id == m->points[k].id) {
        return true;
      }
    }
  }
  return false;
}

/* Whether the separation of some point is not positive, so that the shapes touch. */
static bool has_touching_point(const mo_manifold *m) {
  bool touches = false;
  for (uint32_t i = 0; i < m->point_count; i++) {
    touches = touches || m->points[i].separation <= 0.0f;
  }
  return touches;
}

/* Checks the manifold of a contact; only for trackers without `modify`. */
static bool check_manifold(const mo_contact_tracker *t, const mo_contact *c) {
  const mo_manifold *m = &c->manifold;
  if (m->point_count > 0 && !mo_is_unit(mo_widen(m->normal))) {
    return WARN_AND_FAIL("the contact of slots %u and %u has a normal of length %g", c->a.index,
                         c->b.index, mo_dlength(mo_widen(m->normal)));
  }
  if (!has_finite_points(m) || has_point_twice(m)) {
    return WARN_AND_FAIL(
        "the contact of slots %u and %u has points that are not finite, or one twice", c->a.index,
        c->b.index);
  }
  /* Not with merging, which removes points of contacts that touch. */
  const bool is_merged =
      t->def.merge_coplanar || (c->triangle_a != MO_NONE && c->triangle_b != MO_NONE);
  if (!is_merged && m->touching != (m->point_count == 0 || has_touching_point(m))) {
    return WARN_AND_FAIL("the contact of slots %u and %u does not know whether it touches",
                         c->a.index, c->b.index);
  }
  return true;
}

static bool check_contact(const mo_contact_tracker *t, const mo_tracked_contact *tracked) {
  const mo_contact *c = &tracked->contact;
  const mo_manifold *m = &c->manifold;
  if (c->a.index >= c->b.index || c->b.index >= t->log.slot_capacity ||
      !(c->a.generation & c->b.generation & 1)) {
    return WARN_AND_FAIL("a contact is of slots %u and %u", c->a.index, c->b.index);
  }
  if (m->point_count > MO_MAX_MANIFOLD_POINTS || tracked->kept >> m->point_count ||
      (tracked->rejected && m->point_count > 0)) {
    return WARN_AND_FAIL("the contact of slots %u and %u has %u points and has kept %#x",
                         c->a.index, c->b.index, m->point_count, tracked->kept);
  }
  if (tracked->began && (!tracked->touching || tracked->unchanged)) {
    return WARN_AND_FAIL(
        "the contact of slots %u and %u has begun, but does not touch, or is reused", c->a.index,
        c->b.index);
  }
  return t->def.modify != NULL || check_manifold(t, c);
}

/* Whether a shape has not changed since the last update. */
static bool is_unchanged(const mo_contact_tracker *t, uint32_t slot) {
  return t->log.scene != NULL && t->log.pending[slot] == 0;
}

/* Whether a shape has had a triangle. Its mesh may have been edited, and the shape not been
 * refreshed yet, so that the triangle does not exist now. */
static bool has_had_triangle(const mo_scene *scene, uint32_t slot, uint32_t child,
                             uint32_t triangle) {
  if (mo_shape_has_triangle(scene, slot, child, triangle)) {
    return true;
  }
  const mo_geometry *geometry = mo_child_geometry(scene, slot, child);
  return geometry != NULL && geometry->type == MO_SHAPE_MESH &&
         triangle < mo_mesh_triangle_count(geometry->mesh);
}

/* Checks a contact against the scene, if its shapes have not changed. */
static bool check_with_scene(const mo_contact_tracker *t, const mo_contact *c) {
  const mo_scene *scene = t->log.scene;
  if (!is_unchanged(t, c->a.index) || !is_unchanged(t, c->b.index)) {
    return true;
  }
  if (!mo_shape_is_known(scene, c->a) || !mo_shape_is_known(scene, c->b)) {
    return WARN_AND_FAIL("a contact is of slots %u and %u, of which one has another shape",
                         c->a.index, c->b.index);
  }
  if (mo_partners_find(&t->pair_tracker->set, c->a.index, c->b.index) == NULL) {
    return WARN_AND_FAIL("slots %u and %u have a contact, but are no pair", c->a.index, c->b.index);
  }
  if (!has_had_triangle(scene, c->a.index, c->child_a, c->triangle_a) ||
      !has_had_triangle(scene, c->b.index, c->child_b, c->triangle_b)) {
    return WARN_AND_FAIL("the contact of slots %u and %u is of triangles %u and %u", c->a.index,
                         c->b.index, c->triangle_a, c->triangle_b);
  }
  return true;
}

/* Checks the contacts that are not at rest. */
static bool check_contacts(const mo_contact_tracker *t) {
  const mo_contact_list *list = &t->current_contacts;
  if (list->count > list->capacity) {
    return WARN_AND_FAIL("%u contacts in %u places", list->count, list->capacity);
  }
  uint32_t began = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    const mo_tracked_contact *c = &list->items[i], *before = i > 0 ? c - 1 : NULL;
    if (!check_contact(t, c) || !check_with_scene(t, &c->contact)) {
      return false;
    }
    if (before != NULL && !mo_tracked_before(before, c)) {
      return WARN_AND_FAIL("contact %u, of slots %u and %u, is out of order", i, c->contact.a.index,
                           c->contact.b.index);
    }
    const bool is_first =
        before == NULL || mo_contact_key(&before->contact) != mo_contact_key(&c->contact);
    if (!is_first && (before->touching != c->touching || before->began != c->began ||
                      before->contact.a.generation != c->contact.a.generation ||
                      before->contact.b.generation != c->contact.b.generation)) {
      return WARN_AND_FAIL(
          "the contacts of slots %u and %u differ in what is the same for the pair",
          c->contact.a.index, c->contact.b.index);
    }
    began += is_first && c->began;
  }
  /* A restored tracker has no begins, but `began` of its contacts may be set as when saved. */
  return began == t->begins.count || t->begins.count == 0 ||
         WARN_AND_FAIL("%u pairs have begun to touch, of which %u are in `begins`", began,
                       t->begins.count);
}

/* --- contacts at rest --- */

static uint32_t slot_of(const mo_resting_contact *c, uint32_t side) {
  return side == 0 ? c->contact_at_rest.contact.a.index : c->contact_at_rest.contact.b.index;
}

/* Whether a link is valid in the list of a slot: MO_NONE, or a contact of that slot's shape. */
static bool is_valid_link(const mo_resting *r, uint32_t link, uint32_t slot) {
  return link == MO_NONE ||
         (link / 2 < r->count && slot_of(&r->contacts[link / 2], link % 2) == slot);
}

/* Checks the links of a contact in the list of one of its shapes. */
static bool check_links(const mo_contact_tracker *t, uint32_t index, uint32_t side) {
  const mo_resting *r = &t->resting;
  const mo_resting_contact *c = &r->contacts[index];
  const uint32_t own = 2 * index + side, slot = slot_of(c, side);
  const uint32_t next = c->next[side], before = c->previous[side];
  if (!is_valid_link(r, next, slot) || !is_valid_link(r, before, slot) ||
      (before == MO_NONE ? r->heads.items[slot] : r->contacts[before / 2].next[before % 2]) !=
          own ||
      (next != MO_NONE && r->contacts[next / 2].previous[next % 2] != own)) {
    return WARN_AND_FAIL("contact %u at rest is not in the list of slot %u", index, slot);
  }
  return true;
}

/* Whether a contact at rest is stored twice: walks along the lists of both its shapes until the
 * shorter list ends. */
static bool is_stored_twice(const mo_resting *r, uint32_t index) {
  uint32_t links[2] = {r->contacts[index].next[0], r->contacts[index].next[1]};
  while (links[0] != MO_NONE && links[1] != MO_NONE) {
    for (int side = 0; side < 2; side++) {
      const mo_contact *c = &r->contacts[links[side] / 2].contact_at_rest.contact;
      const mo_contact *own = &r->contacts[index].contact_at_rest.contact;
      if (!mo_contact_before(c, own) && !mo_contact_before(own, c)) {
        return true;
      }
      links[side] = mo_resting_next(r, links[side]);
    }
  }
  return false;
}

/* Whether a contact at rest has a shape that is awake but was not woken since the last update. */
static bool has_awake_shape(const mo_contact_tracker *t, const mo_contact *c) {
  const mo_scene *scene = t->log.scene;
  return is_unchanged(t, c->a.index) && is_unchanged(t, c->b.index) &&
         (mo_slot_motion(scene, c->a.index) == MO_MOTION_DYNAMIC ||
          mo_slot_motion(scene, c->b.index) == MO_MOTION_DYNAMIC);
}

/* Whether a pair has contacts that are not at rest. */
static bool has_contacts(const mo_contact_tracker *t, const mo_contact *c) {
  const uint32_t i = mo_contact_lower_bound(&t->current_contacts, mo_contact_key(c));
  const mo_contact *found =
      i < t->current_contacts.count ? &t->current_contacts.items[i].contact : NULL;
  return found != NULL && mo_contact_key(found) == mo_contact_key(c) &&
         found->a.generation == c->a.generation && found->b.generation == c->b.generation;
}

static bool check_resting_contact(const mo_contact_tracker *t, uint32_t index) {
  const mo_tracked_contact *tracked = &t->resting.contacts[index].contact_at_rest;
  const mo_contact *c = &tracked->contact;
  if (!check_contact(t, tracked) || !check_with_scene(t, c) || !check_links(t, index, 0) ||
      !check_links(t, index, 1)) {
    return false;
  }
  if (has_awake_shape(t, c)) {
    return WARN_AND_FAIL("the contact of slots %u and %u is at rest, but one of them is awake",
                         c->a.index, c->b.index);
  }
  if (has_contacts(t, c)) {
    return WARN_AND_FAIL("slots %u and %u have contacts at rest and others", c->a.index,
                         c->b.index);
  }
  return true;
}

static bool check_resting(const mo_contact_tracker *t) {
  const mo_resting *r = &t->resting;
  if (r->count > r->capacity || r->heads.count < t->log.slot_capacity) {
    return WARN_AND_FAIL("%u contacts at rest in %u places, lists of %u of %u slots", r->count,
                         r->capacity, r->heads.count, t->log.slot_capacity);
  }
  uint32_t heads = 0, first = 0;
  for (uint32_t slot = 0; slot < r->heads.count; slot++) {
    const uint32_t link = r->heads.items[slot];
    heads += link != MO_NONE;
    if (!is_valid_link(r, link, slot) ||
        (link != MO_NONE && r->contacts[link / 2].previous[link % 2] != MO_NONE)) {
      return WARN_AND_FAIL("the contacts of slot %u at rest begin with %u", slot, link / 2);
    }
  }
  for (uint32_t i = 0; i < r->count; i++) {
    if (!check_resting_contact(t, i)) {
      return false;
    }
    first +=
        (uint32_t)(r->contacts[i].previous[0] == MO_NONE) + (r->contacts[i].previous[1] == MO_NONE);
  }
  if (heads != first) {
    return WARN_AND_FAIL("%u lists of contacts at rest, and %u firsts of lists", heads, first);
  }
  for (uint32_t i = 0; i < r->count; i++) { /* only now, when all lists are known to end */
    if (is_stored_twice(r, i)) {
      return WARN_AND_FAIL("contact %u at rest is there twice", i);
    }
  }
  return true;
}

/* --- separating axes and reusable contacts of pairs --- */

static bool check_axes(const mo_contact_tracker *t) {
  const mo_axis_list *list = &t->axes;
  if (list->count > list->capacity) {
    return WARN_AND_FAIL("%u axes of pairs in %u places", list->count, list->capacity);
  }
  for (uint32_t i = 0; i < list->count; i++) {
    const mo_pair_axis *p = &list->items[i];
    if (!mo_is_unit(mo_widen(p->axis)) || (i > 0 && p[-1].pair >= p->pair)) {
      return WARN_AND_FAIL("axis of a pair %u is not of length 1, or out of order", i);
    }
  }
  return true;
}

/* Checks the reusable pairs of a part. `before`: the key of the last pair of earlier parts. */
static bool check_reusable_part(const mo_contact_tracker *t, const mo_reusable_list *list,
                                uint64_t *before) {
  uint32_t contacts = 0, points = 0;
  if (list->count > list->capacity || list->contacts.count > list->contacts.capacity ||
      list->points.count > list->points.capacity) {
    return WARN_AND_FAIL("%u reusable pairs in %u places, with %u contacts in %u", list->count,
                         list->capacity, list->contacts.count, list->contacts.capacity);
  }
  for (uint32_t i = 0; i < list->count; i++) {
    const mo_reusable_pair *p = &list->pairs[i];
    uint32_t found = 0;
    if ((*before != UINT64_MAX && p->pair <= *before) || p->first != contacts ||
        p->count > list->contacts.count - contacts ||
        !mo_is_finite(p->poses_when_computed.center) || p->first_point != points ||
        p->point_count > list->points.count - points) {
      return WARN_AND_FAIL("reusable pair %u is out of order, or has other contacts", i);
    }
    for (uint32_t k = 0; k < p->count; k++) {
      found += list->contacts.items[contacts + k].point_count;
    }
    if (found != p->point_count) {
      return WARN_AND_FAIL("reusable pair %u has %u points, its contacts %u", i, p->point_count,
                           found);
    }
    contacts += p->count;
    points += p->point_count;
    *before = p->pair;
  }
  return (contacts == list->contacts.count && points == list->points.count) ||
         WARN_AND_FAIL("%u reusable contacts, of which %u are of pairs", list->contacts.count,
                       contacts);
}

static bool check_reusable(const mo_contact_tracker *t) {
  uint64_t before = UINT64_MAX;
  if (t->reusable_index > 1 || t->reusable_part_count > MO_MAX_CONTACT_UPDATE_PARTS) {
    return WARN_AND_FAIL("%u parts of reusable pairs, in list %u", t->reusable_part_count,
                         t->reusable_index);
  }
  for (uint32_t i = 0; i < t->reusable_part_count; i++) {
    if (!check_reusable_part(t, &t->parts[i].reusable[t->reusable_index], &before)) {
      return false;
    }
  }
  return true;
}

/* --- events --- */

/* Whether a pair touches, by its contacts that are not at rest; false if there are none. `began`
 * receives whether the pair began to touch in the last update. */
static bool pair_touches(const mo_contact_tracker *t, const mo_pair *pair, bool *began) {
  const uint32_t i =
      mo_contact_lower_bound(&t->current_contacts, mo_pair_key(pair->a.index, pair->b.index));
  const mo_tracked_contact *c =
      i < t->current_contacts.count ? &t->current_contacts.items[i] : NULL;
  if (c == NULL || c->contact.a.index != pair->a.index || c->contact.b.index != pair->b.index ||
      c->contact.a.generation != pair->a.generation ||
      c->contact.b.generation != pair->b.generation) {
    return false;
  }
  *began = c->began;
  return c->touching;
}

static bool check_touches(const mo_contact_tracker *t, const mo_touch_list *list, bool begins) {
  const char *name = begins ? "begins" : "ends";
  if (list->count > list->capacity) {
    return WARN_AND_FAIL("%u pairs in `%s` in %u places", list->count, name, list->capacity);
  }
  for (uint32_t i = 0; i < list->count; i++) {
    const mo_pair *p = &list->items[i];
    bool began = false;
    if (i > 0 && mo_pair_key(p[-1].a.index, p[-1].b.index) >= mo_pair_key(p->a.index, p->b.index)) {
      return WARN_AND_FAIL("pair %u in `%s` is out of order", i, name);
    }
    if (pair_touches(t, p, &began) != begins || began != begins) {
      return WARN_AND_FAIL("slots %u and %u are in `%s`, but their contacts say otherwise",
                           p->a.index, p->b.index, name);
    }
  }
  return true;
}

/* --- joints, islands, changes --- */

static bool check_joints(const mo_contact_tracker *t) {
  const mo_joint_list *m = &t->joints;
  if (m->count > m->capacity) {
    return WARN_AND_FAIL("%u joints in %u places", m->count, m->capacity);
  }
  for (uint32_t i = 0; i < 2 * m->count; i++) { /* keys ascend strictly, so each occurs once */
    const uint32_t end = (uint32_t)m->keys_by_shape[i];
    const mo_pair *joint = end < 2 * m->count ? &m->joints[end / 2] : NULL;
    if (joint == NULL || (i > 0 && m->keys_by_shape[i - 1] >= m->keys_by_shape[i]) ||
        m->keys_by_shape[i] >> 32 != (end % 2 == 0 ? joint->a.index : joint->b.index)) {
      return WARN_AND_FAIL("side %u of the joints is not that of joint %u, or out of order", i,
                           end / 2);
    }
  }
  return true;
}

static bool check_moved_kinematic(const mo_contact_tracker *t) {
  const mo_moved_kinematic_list *list = &t->moved_kinematic;
  if (list->count > list->capacity) {
    return WARN_AND_FAIL("%u moving shapes in %u places", list->count, list->capacity);
  }
  for (uint32_t i = 0; i < list->count; i++) {
    if (!(list->items[i].generation & 1) || list->items[i].index >= t->log.slot_capacity ||
        (i > 0 && list->items[i - 1].index >= list->items[i].index)) {
      return WARN_AND_FAIL("moving shape %u has slot %u", i, list->items[i].index);
    }
  }
  return true;
}

/* Checks that workspaces indexed by slot are cleared, as each call expects. */
static bool check_workspaces(const mo_contact_tracker *t) {
  for (uint32_t slot = 0; slot < t->islands.slot_capacity; slot++) {
    if (t->islands.parent[slot] != MO_NONE) {
      return WARN_AND_FAIL("slot %u is still in an island", slot);
    }
  }
  for (uint32_t slot = 0; slot < t->seams.starts.count; slot++) {
    if (t->seams.starts.items[slot] != 0) {
      return WARN_AND_FAIL("slot %u still has contacts at seams", slot);
    }
  }
  return true;
}

static bool check_changes(const mo_contact_tracker *t) {
  const mo_listener *log = &t->log;
  uint32_t changed = 0;
  for (uint32_t slot = 0; slot < log->slot_capacity; slot++) {
    changed += log->pending[slot] != 0;
  }
  if (changed != log->count) {
    return WARN_AND_FAIL("%u changed shapes, and %u in the list", changed, log->count);
  }
  for (uint32_t i = 0; i < log->count; i++) {
    if (log->changed[i] >= log->slot_capacity || log->pending[log->changed[i]] == 0) {
      return WARN_AND_FAIL("change %u is of slot %u", i, log->changed[i]);
    }
  }
  return true;
}

mo_result mo_contact_tracker_validate(const mo_contact_tracker *tracker) {
  if (tracker == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  const bool valid = check_changes(tracker) && check_contacts(tracker) && check_resting(tracker) &&
                     check_axes(tracker) && check_reusable(tracker) &&
                     check_touches(tracker, &tracker->begins, true) &&
                     check_touches(tracker, &tracker->ends, false) && check_joints(tracker) &&
                     check_moved_kinematic(tracker) && check_workspaces(tracker);
  return valid ? mo_pair_tracker_validate(tracker->pair_tracker) : MO_ERROR_CORRUPT;
}
