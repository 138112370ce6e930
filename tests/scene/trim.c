/* Giving back memory: scenes, trackers and watches take no more than they need after a trim, answer
 * as before, and go on; trackers give back by themselves what is hardly used; all of it also where
 * allocations fail. */
#include <criterion/criterion.h>
#include <motte/contact_tracker.h>
#include <motte/pair_tracker.h>
#include <motte/watch.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "support/counting_allocator.h"
#include "support/world.h"

enum { BOXES = 3000, MAX_PAIRS = 200000 };

typedef struct crowd {
  counting_allocator counter;
  mo_scene *scene;
  mo_pair_tracker *pairs;
  mo_contact_tracker *contacts;
  mo_watch *watch;
  mo_region_id region;
  mo_shape_id ids[BOXES];
  rng r;
} crowd;

static void update(crowd *c) {
  cr_assert_eq(mo_scene_update(c->scene, NULL), MO_OK);
  cr_assert_eq(mo_pair_tracker_update(c->pairs, NULL), MO_OK);
  cr_assert_eq(mo_contact_tracker_update(c->contacts, NULL), MO_OK);
  cr_assert_eq(mo_watch_update(c->watch, NULL), MO_OK);
}

/* To random places so dense that each box has some number of pairs. */
static void scatter(crowd *c, float size, uint32_t count) {
  static mo_transform transforms[BOXES];
  for (uint32_t i = 0; i < count; i++) {
    transforms[i] = mo_transform_identity();
    transforms[i].origin = rng_vec3(&c->r, -size, size);
  }
  cr_assert_eq(mo_scene_set_transforms(c->scene, c->ids, transforms, count, NULL), MO_OK);
}

static crowd *crowd_create(float size, bool with_contacts) {
  static mo_shape_def defs[BOXES];
  crowd *c = calloc(1, sizeof *c);
  cr_assert_not_null(c);
  counting_allocator_init(&c->counter);
  c->r = rng_make(rng_seed("scene/trim", 2011));
  mo_scene_def def = mo_default_scene_def();
  def.host = counting_allocator_host(&c->counter);
  cr_assert_eq(mo_scene_create(&def, &c->scene), MO_OK);
  for (uint32_t i = 0; i < BOXES; i++) {
    defs[i] = mo_default_shape_def(with_contacts ? MO_SHAPE_SPHERE : MO_SHAPE_VOLUME);
  }
  cr_assert_eq(mo_scene_add_shapes(c->scene, defs, BOXES, c->ids, NULL), MO_OK);
  scatter(c, size, BOXES);
  cr_assert_eq(mo_scene_update(c->scene, NULL), MO_OK);
  cr_assert_eq(mo_pair_tracker_create(c->scene, NULL, &c->pairs), MO_OK);
  mo_contact_tracker_def contacts = mo_default_contact_tracker_def();
  cr_assert_eq(mo_contact_tracker_create(c->scene, &contacts, &c->contacts), MO_OK);
  cr_assert_eq(mo_watch_create(c->scene, &c->watch), MO_OK);
  mo_region_def region = mo_default_region_def();
  region.form.box = (mo_aabb){{-size, -size, -size}, {size, 0, size}};
  cr_assert_eq(mo_watch_add_region(c->watch, &region, &c->region), MO_OK);
  return c;
}

static void crowd_destroy(crowd *c) {
  mo_watch_destroy(c->watch);
  mo_contact_tracker_destroy(c->contacts);
  mo_pair_tracker_destroy(c->pairs);
  mo_scene_destroy(c->scene);
  cr_assert(counting_allocator_is_clean(&c->counter));
  free(c);
}

/* All statistics of memory are those of the allocator. */
static void check_bytes(crowd *c) {
  mo_scene_stats scene;
  mo_pair_tracker_stats pairs;
  mo_contact_tracker_stats contacts;
  mo_watch_stats watch;
  cr_assert_eq(mo_scene_get_stats(c->scene, &scene), MO_OK);
  cr_assert_eq(mo_pair_tracker_get_stats(c->pairs, &pairs), MO_OK);
  cr_assert_eq(mo_contact_tracker_get_stats(c->contacts, &contacts), MO_OK);
  cr_assert_eq(mo_watch_get_stats(c->watch, &watch), MO_OK);
  cr_assert_eq(scene.bytes + pairs.bytes + contacts.bytes + watch.bytes,
               c->counter.outstanding_bytes);
}

static void check(crowd *c) {
  static mo_pair found[MAX_PAIRS], kept[MAX_PAIRS];
  static mo_shape_id members[BOXES];
  uint32_t total, count;
  cr_assert_eq(mo_scene_validate(c->scene), MO_OK);
  cr_assert_eq(mo_pair_tracker_validate(c->pairs), MO_OK);
  cr_assert_eq(mo_watch_validate(c->watch), MO_OK);
  cr_assert_eq(mo_scene_find_pairs(c->scene, NULL, found, MAX_PAIRS, &total), MO_OK);
  cr_assert_eq(mo_pair_tracker_get_pairs(c->pairs, kept, MAX_PAIRS, &count), MO_OK);
  cr_assert(count == total && total <= MAX_PAIRS);
  cr_assert_eq(memcmp(found, kept, total * sizeof *found), 0);
  mo_region_def region;
  cr_assert_eq(mo_watch_get_region(c->watch, c->region, &region), MO_OK);
  cr_assert_eq(mo_watch_get_shapes(c->watch, c->region, members, BOXES, &count), MO_OK);
  cr_assert_gt(count, BOXES / 3);
  check_bytes(c);
}

static size_t bytes_of(crowd *c) {
  return atomic_load(&c->counter.outstanding_bytes);
}

/* Dense pairs: after a trim the set takes little more than its lists. */
Test(scene_trim, gives_back_what_is_not_needed) {
  crowd *c = crowd_create(12, false);
  update(c);
  check(c);
  mo_pair_tracker_stats before, after;
  cr_assert_eq(mo_pair_tracker_get_stats(c->pairs, &before), MO_OK);
  cr_assert_gt(before.pair_count, 4 * BOXES);
  size_t bytes = bytes_of(c);
  cr_assert_eq(mo_scene_trim(c->scene), MO_OK);
  check(c);
  cr_assert_eq(mo_pair_tracker_get_stats(c->pairs, &after), MO_OK);
  cr_assert(after.bytes - after.set_bytes < 20 * BOXES && after.set_bytes < 32 * after.pair_count,
            "%zu and %zu bytes for %u pairs", after.bytes, after.set_bytes,
            (unsigned)after.pair_count);
  cr_assert_lt(bytes_of(c), 9 << 20, "%zu bytes, %zu before", bytes_of(c), bytes);
  for (int round = 0; round < 4; round++) {
    scatter(c, 12, round % 2 ? BOXES : 40);
    update(c);
    check(c);
    cr_assert_eq(mo_scene_trim(c->scene), MO_OK);
    check(c);
  }
  /* Half of the shapes go, and others come. */
  cr_assert_eq(mo_scene_remove_shapes(c->scene, c->ids + BOXES / 2, BOXES / 2, NULL), MO_OK);
  cr_assert_eq(mo_scene_trim(c->scene), MO_OK);
  update(c);
  cr_assert_eq(mo_scene_trim(c->scene), MO_OK);
  for (uint32_t i = BOXES / 2; i < BOXES; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
    def.transform.origin = rng_vec3(&c->r, -12, 12);
    cr_assert_eq(mo_scene_add_shape(c->scene, &def, &c->ids[i]), MO_OK);
  }
  update(c);
  check(c);
  mo_scene *scene = c->scene;
  mo_shape_id id;
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  cr_assert_eq(mo_scene_remove_shape(scene, id), MO_OK);
  cr_assert_eq(mo_scene_trim(NULL), MO_ERROR_NULL_ARGUMENT);
  crowd_destroy(c);
}

/* Where pairs become few, memory shrinks without a call; where as much moves as before, nothing is
 * allocated. */
Test(scene_trim, trackers_shrink_by_themselves) {
  crowd *c = crowd_create(12, true);
  update(c);
  mo_pair_tracker_stats dense, sparse;
  mo_contact_tracker_stats touching, apart;
  cr_assert_eq(mo_pair_tracker_get_stats(c->pairs, &dense), MO_OK);
  cr_assert_eq(mo_contact_tracker_get_stats(c->contacts, &touching), MO_OK);
  scatter(c, 60, BOXES);
  for (int i = 0; i < 130; i++) {
    scatter(c, 60, BOXES);
    update(c);
  }
  check_bytes(c);
  cr_assert_eq(mo_pair_tracker_get_stats(c->pairs, &sparse), MO_OK);
  cr_assert_eq(mo_contact_tracker_get_stats(c->contacts, &apart), MO_OK);
  cr_assert(10 * sparse.pair_count < dense.pair_count);
  cr_assert(3 * sparse.bytes < dense.bytes, "%zu of %zu bytes of pairs", sparse.bytes, dense.bytes);
  cr_assert(3 * apart.bytes < touching.bytes, "%zu of %zu bytes of contacts", apart.bytes,
            touching.bytes);
  rng same = c->r;
  for (int i = 0; i < 200; i++) {
    if (i == 70) {
      counting_allocator_fail_at(&c->counter, 0, false);
    }
    c->r = same;
    scatter(c, 60, BOXES);
    scatter(c, 60, i % 8 == 0 ? BOXES : 100);
    update(c);
  }
  cr_assert_eq(c->counter.calls, 0, "%zu allocations", (size_t)c->counter.calls);
  crowd_destroy(c);
}

/* A trim without memory to copy what is kept leaves that as it is; later calls find all they need.
 */
Test(scene_trim, without_memory) {
  crowd *c = crowd_create(12, true);
  for (size_t nth = 0; nth < 24; nth++) {
    scatter(c, nth % 4 == 3 ? 30 : 12, nth % 3 ? 60 : BOXES);
    update(c);
    if (nth % 5 == 4) {
      mo_shape_id *last = &c->ids[BOXES - 1];
      mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
      mo_shape_id more[40];
      for (int i = 0; i < 40; i++) {
        cr_assert_eq(mo_scene_add_shape(c->scene, &def, &more[i]), MO_OK);
      }
      cr_assert_eq(mo_scene_remove_shapes(c->scene, more, 40, NULL), MO_OK);
      cr_assert(mo_scene_is_valid(c->scene, *last));
      update(c);
    }
    counting_allocator_fail_at(&c->counter, nth, nth % 2 == 1);
    cr_assert_eq(mo_scene_trim(c->scene), MO_OK);
    counting_allocator_fail_at(&c->counter, 0, false);
    check_bytes(c);
  }
  update(c);
  check(c);
  crowd_destroy(c);
}
