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

enum { MANIFOLDS = 400 };

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
    char name[40];
    snprintf(name, sizeof name, "manifold: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

#endif
