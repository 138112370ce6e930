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

static inline mo_contact_tracker *tracker_create(mo_scene *scene) {
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
  return tracker;
}

static inline mo_contact_events update(mo_contact_tracker *tracker) {
  mo_contact_events events;
  cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
  return events;
}

#endif
