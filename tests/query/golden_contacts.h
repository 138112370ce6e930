/* The part of contacts, for golden.c alone. */
#ifndef TEST_QUERY_GOLDEN_CONTACTS_H
#define TEST_QUERY_GOLDEN_CONTACTS_H

#include <motte/contact.h>

#include "query/golden.h"

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

#endif
