/* The part of contacts, for golden.c alone. */
#ifndef TEST_QUERY_GOLDEN_CONTACTS_H
#define TEST_QUERY_GOLDEN_CONTACTS_H

#include <motte/contact_tracker.h>

#include "query/golden.h"
#include "support/steady.h"

static void hash_manifold(hash *h, const mo_manifold *m) {
  hash_number(h, m->touching);
  hash_number(h, m->point_count);
  hash_vec3(h, m->normal);
  for (uint32_t i = 0; i < m->point_count; i++) {
    hash_vec3(h, m->points[i].position);
    hash_vec3(h, m->points[i].anchor_a);
    hash_vec3(h, m->points[i].anchor_b);
    hash_float(h, m->points[i].separation);
    hash_number(h, m->points[i].id);
  }
}

enum { MANIFOLDS = 400, CONTACTS = 300 };

/* The contacts of a shape with all forms of a scene. */
static hash ask_contacts(const mo_scene *subject, const mo_collide_shape_def *def) {
  static mo_contact contacts[CONTACTS];
  uint32_t total;
  hash h = hash_begin();
  oracle_expect(mo_scene_collide_shape(subject, def, contacts, CONTACTS, &total, NULL), "contacts");
  hash_number(&h, total);
  for (uint32_t i = 0; i < total && i < CONTACTS; i++) {
    hash_number(&h, contacts[i].b.index);
    hash_number(&h, contacts[i].triangle_b);
    hash_manifold(&h, &contacts[i].manifold);
  }
  return h;
}

static void ask_for_contacts(const test_scene *scene, rng *r) {
  for (int i = 0; i < 8; i++) {
    mo_collide_shape_def def = mo_default_collide_shape_def();
    def.primitive = test_scene_primitive(scene, r);
    def.hit_volumes = i % 2;
    uint32_t total;
    if (mo_scene_collide_shape(scene->family.scenes[0], &def, NULL, 0, &total, NULL) != MO_OK) {
      continue; /* beyond the range of coordinates */
    }
    hash first;
    for (uint32_t form = 0; form < scene->family.count; form++) {
      compare(form, &first, ask_contacts(scene->family.scenes[form], &def),
              scene->family.names[form], test_scene_kind_name(scene->kind));
    }
  }
}

/* Pairs of convex shapes. */
static void ask_for_manifolds(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(1100 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 10, r);
    for (int i = 0; i < MANIFOLDS; i++) {
      mo_primitive pair[2];
      for (int k = 0; k < 2; k++) {
        pair[k] = test_scene_primitive(&scene, r);
        pair[k].transform.origin = mo_scale(0.2f, pair[k].transform.origin);
      }
      mo_collide_def def = mo_default_collide_def();
      mo_manifold m = {.touching = false};
      if (mo_collide(&pair[0], &pair[1], &def, &m) == MO_OK) {
        hash_vec3(&asked, pair[1].transform.origin);
        hash_manifold(&answered, &m);
      }
    }
    ask_for_contacts(&scene, r);
    char name[40];
    snprintf(name, sizeof name, "manifold: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

enum { DANCERS = 20, STEPS = 600 };

/* Boxes, balls, capsules and cylinders on a floor, each on a circle of its own and turning. */
static mo_transform dancer_at(uint32_t i, uint32_t step) {
  float phase = 0.37f * (float)i + 0.021f * (float)(step * (1 + i % 3));
  float tilt = 0.25f * steady_sine(0.013f * (float)(step + 11 * i));
  float radius = 0.3f + 0.05f * (float)(i % 7);
  mo_vec3 center = {1.3f * (float)(i % 8), 0.5f, 1.3f * (float)(i / 8)};
  mo_vec3 at = {center.x + radius * steady_cosine(phase), center.y + 0.2f * steady_sine(phase),
                center.z + radius * steady_sine(phase)};
  mo_quat turn = {steady_sine(tilt), 0, 0, steady_cosine(tilt)};
  return mo_transform_make(at, turn, mo_vec(1, 1, 1));
}

static void hash_events(hash *h, mo_contact_events *events) {
  hash_number(h, events->contact_count);
  hash_number(h, events->begin_count);
  hash_number(h, events->end_count);
  for (uint32_t i = 0; i < events->contact_count; i++) {
    mo_tracked_contact *c = &events->contacts[i];
    hash_number(h, c->contact.a.index);
    hash_number(h, c->contact.b.index);
    hash_number(h, c->kept);
    hash_manifold(h, &c->contact.manifold);
    for (uint32_t k = 0; k < c->contact.manifold.point_count; k++) {
      hash_float(h, c->memory[k].values[0]++); /* how long the point has been there */
    }
  }
}

/* The contacts of many steps. */
static void ask_for_tracked_contacts(void) {
  static const mo_shape_type types[4] = {MO_SHAPE_BOX, MO_SHAPE_SPHERE, MO_SHAPE_CAPSULE,
                                         MO_SHAPE_CYLINDER};
  mo_scene *scene = test_scene_empty();
  mo_shape_id ids[DANCERS];
  mo_contact_tracker *tracker;
  part_begin();
  mo_shape_def floor = mo_default_shape_def(MO_SHAPE_BOX);
  floor.geometry.box = (mo_box){{0, -1, 0}, {40, 1, 40}};
  floor.motion = MO_MOTION_STATIC;
  oracle_expect(mo_scene_add_shape(scene, &floor, &ids[0]), "mo_scene_add_shape");
  for (uint32_t i = 0; i < DANCERS; i++) {
    mo_shape_def def = mo_default_shape_def(types[i % 4]);
    def.transform = dancer_at(i, 0);
    def.margin = 0.01f;
    oracle_expect(mo_scene_add_shape(scene, &def, &ids[i]), "mo_scene_add_shape");
  }
  oracle_expect(mo_contact_tracker_create(scene, NULL, &tracker), "mo_contact_tracker_create");
  for (uint32_t step = 0; step < STEPS; step++) {
    for (uint32_t i = 0; i < DANCERS; i++) {
      mo_transform at = dancer_at(i, step);
      hash_vec3(&asked, at.origin);
      oracle_expect(mo_scene_set_transform(scene, ids[i], &at), "mo_scene_set_transform");
    }
    mo_contact_events events;
    oracle_expect(mo_scene_update(scene, NULL), "mo_scene_update");
    oracle_expect(mo_contact_tracker_update(tracker, &events), "mo_contact_tracker_update");
    hash_events(&answered, &events);
  }
  part_end("contacts of 600 steps");
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

#endif
