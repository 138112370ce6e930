/* Scenes with few shapes, and comparison of contacts, for tests of contact trackers. */
#ifndef TEST_CONTACT_TRACKING_H
#define TEST_CONTACT_TRACKING_H

#include <motte/contact_tracker.h>

#include "contact/contacts.h"

static inline bool same_id(mo_shape_id a, mo_shape_id b) {
  return a.index == b.index && a.generation == b.generation;
}

static inline bool same_pair(mo_pair a, mo_pair b) {
  return same_id(a.a, b.a) && same_id(a.b, b.b);
}

static inline bool same_vector(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline bool same_point(const mo_manifold_point *p, const mo_manifold_point *q) {
  return same_vector(p->position, q->position) && same_vector(p->anchor_a, q->anchor_a) &&
         same_vector(p->anchor_b, q->anchor_b) && p->separation == q->separation && p->id == q->id;
}

static inline bool same_contact(const mo_contact *c, const mo_contact *d) {
  const mo_manifold *m = &c->manifold, *n = &d->manifold;
  bool same = same_id(c->a, d->a) && same_id(c->b, d->b) && c->user_data_a == d->user_data_a &&
              c->user_data_b == d->user_data_b && c->triangle_a == d->triangle_a &&
              c->triangle_b == d->triangle_b &&
              c->triangle_user_data_a == d->triangle_user_data_a &&
              c->triangle_user_data_b == d->triangle_user_data_b && m->touching == n->touching &&
              m->point_count == n->point_count;
  same = same && (m->point_count == 0 || same_vector(m->normal, n->normal));
  for (uint32_t i = 0; same && i < m->point_count; i++) {
    same = same_point(&m->points[i], &n->points[i]);
  }
  return same;
}

static inline mo_scene *scene_with(const mo_host *host) {
  mo_scene_def def = mo_default_scene_def();
  def.host = *host;
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  return scene;
}

static inline mo_shape_id add(mo_scene *scene, mo_geometry geometry, float x, float y, float z) {
  mo_shape_def def = mo_default_shape_def(geometry.type);
  def.geometry = geometry;
  def.transform.origin = mo_vec(x, y, z);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  return id;
}

static inline void move(mo_scene *scene, mo_shape_id id, float x, float y, float z) {
  mo_transform place = mo_transform_identity();
  place.origin = mo_vec(x, y, z);
  cr_assert_eq(mo_scene_set_transform(scene, id, &place), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
}

/* With the contacts of each pair by itself. */
static inline mo_contact_tracker *tracker_create(mo_scene *scene) {
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.keep_seams = true;
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  return tracker;
}

static inline mo_contact_events update(mo_contact_tracker *tracker) {
  mo_contact_events events;
  cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
  cr_assert_eq(mo_contact_tracker_validate(tracker), MO_OK);
  return events;
}

static inline bool is_awake(const mo_scene *scene, mo_shape_id id) {
  mo_shape_def def;
  cr_assert_eq(mo_scene_get_shape(scene, id, &def), MO_OK);
  return def.motion == MO_MOTION_DYNAMIC;
}

enum { MAX_RESTING = 4096 };

/* The contacts at rest of a pair: the same from both sides. */
static inline uint32_t resting_of(const mo_contact_tracker *tracker, mo_pair pair,
                                  mo_tracked_contact *found) {
  static mo_tracked_contact contacts[MAX_RESTING];
  uint32_t counts[2] = {0, 0};
  for (int side = 0; side < 2; side++) {
    uint32_t total;
    mo_shape_id id = side == 0 ? pair.a : pair.b;
    cr_assert_eq(
        mo_contact_tracker_get_resting_contacts(tracker, id, contacts, MAX_RESTING, &total), MO_OK);
    cr_assert_leq(total, MAX_RESTING);
    for (uint32_t i = 0; i < total; i++) {
      if (same_pair((mo_pair){contacts[i].contact.a, contacts[i].contact.b}, pair)) {
        uint32_t k = counts[side]++;
        cr_assert(side == 0 ||
                  (k < counts[0] && same_contact(&found[k].contact, &contacts[i].contact)));
        found[k] = contacts[i];
      }
    }
  }
  cr_assert_eq(counts[0], counts[1]);
  return counts[0];
}

/* Copies of all contacts, those at rest too, in their order; events of all of them. */
static inline mo_contact_events with_resting(const mo_contact_tracker *tracker,
                                             const mo_scene *scene, const mo_contact_events *events,
                                             mo_tracked_contact *all, uint32_t capacity) {
  static mo_pair pairs[20000];
  uint32_t pair_count, count = 0, next = 0, resting = 0;
  cr_assert_eq(mo_scene_find_pairs(scene, NULL, pairs, 20000, &pair_count), MO_OK);
  cr_assert_leq(pair_count, 20000);
  for (uint32_t i = 0; i < pair_count; i++) {
    bool awake = is_awake(scene, pairs[i].a) || is_awake(scene, pairs[i].b);
    uint32_t before = count;
    for (; next < events->contact_count &&
           same_pair((mo_pair){events->contacts[next].contact.a, events->contacts[next].contact.b},
                     pairs[i]);
         next++) {
      cr_assert(count < capacity && (awake || !events->contacts[next].unchanged));
      all[count++] = events->contacts[next];
    }
    cr_assert_leq(count + MAX_RESTING, capacity);
    uint32_t rest = resting_of(tracker, pairs[i], &all[count]);
    cr_assert(rest == 0 || (count == before && !awake));
    count += rest;
    resting += rest;
  }
  mo_contact_tracker_stats stats;
  cr_assert_eq(mo_contact_tracker_get_stats(tracker, &stats), MO_OK);
  cr_assert(next == events->contact_count && stats.contact_count == next);
  cr_assert_eq(stats.resting_count, resting);
  mo_contact_events whole = *events;
  whole.contacts = all;
  whole.contact_count = count;
  return whole;
}

#endif
