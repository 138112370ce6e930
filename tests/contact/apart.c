/* Pairs that were apart in the update before: where an axis shows that they still are, nothing is
 * searched for, and where they meet, they meet as if nothing had been known. */
#include <motte/continuous.h>

#include "contact/tracking.h"

enum { BODIES = 48, MAX_PAIRS = BODIES * (BODIES - 1) / 2 };

typedef struct drift {
  mo_shape_id ids[BODIES];
  mo_transform places[BODIES];
  mo_movement movements[BODIES]; /* of a step */
} drift;

/* Solids of all kinds under transforms of many kinds, so close together that most boxes touch. */
static void fill(mo_scene *scene, drift *d, mo_vec3 around, rng *r) {
  static const rng_transform_kind kinds[] = {RNG_RIGID,  RNG_RIGID, RNG_UNIFORM_SCALE,
                                             RNG_MIRROR, RNG_SHEAR, RNG_NONUNIFORM_SCALE,
                                             RNG_FLAT,   RNG_LINE,  RNG_SLIVER};
  for (int i = 0; i < BODIES; i++) {
    mo_geometry geometry = random_geometry(r);
    mo_shape_def def = mo_default_shape_def(geometry.type);
    def.geometry = geometry;
    def.transform = rng_transform(r, kinds[rng_below(r, sizeof kinds / sizeof *kinds)], 1);
    def.transform.origin = mo_add(around, mo_scale(3, def.transform.origin));
    cr_assert_eq(mo_scene_add_shape(scene, &def, &d->ids[i]), MO_OK);
    d->places[i] = def.transform;
    bool moves = rng_chance(r, 0.8);
    d->movements[i].displacement = mo_scale(moves ? rng_float(r, 0, 0.06f) : 0, rng_direction(r));
    d->movements[i].axis = rng_direction(r);
    d->movements[i].angle = moves ? rng_float(r, -0.06f, 0.06f) : 0;
  }
}

static void step(mo_scene *scene, drift *d) {
  for (int i = 0; i < BODIES; i++) {
    mo_movement *m = &d->movements[i];
    m->pivot = d->places[i].origin;
    cr_assert_eq(mo_movement_transform(m, 1, &d->places[i], &d->places[i]), MO_OK);
    if (m->angle != 0) {
      cr_assert_eq(mo_scene_set_transform(scene, d->ids[i], &d->places[i]), MO_OK);
    }
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
}

/* The contacts of all pairs, each by itself, are those of the tracker; how many pairs have none. */
static uint32_t check(const mo_scene *scene, const mo_contact_events *events) {
  static mo_pair pairs[MAX_PAIRS];
  uint32_t pair_count, next = 0, without = 0;
  cr_assert_eq(mo_scene_find_pairs(scene, NULL, pairs, MAX_PAIRS, &pair_count), MO_OK);
  const mo_collide_def def = mo_default_collide_def();
  for (uint32_t i = 0; i < pair_count; i++) {
    mo_contact contact;
    uint32_t count;
    cr_assert_eq(mo_scene_collide_pair(scene, &pairs[i], &def, &contact, 1, &count), MO_OK);
    without += count == 0;
    for (uint32_t k = 0; k < count; k++, next++) {
      cr_assert_lt(next, events->contact_count);
      cr_assert(same_contact(&events->contacts[next].contact, &contact));
    }
  }
  cr_assert_eq(next, events->contact_count);
  return without;
}

Test(contact_apart, contacts_as_without_axes) {
  uint64_t seed = rng_seed("contact_apart/contacts", 977);
  uint32_t by_axis = 0, by_bounds = 0, without = 0, met = 0;
  for (uint64_t round = rng_few_rounds(4, 200); round-- > 0;) {
    rng r = rng_make(seed + round);
    const mo_host host = mo_default_host();
    mo_scene *scene = scene_with(&host);
    mo_contact_tracker *tracker = tracker_create(scene);
    drift d;
    fill(scene, &d, round % 2 == 0 ? mo_vec(0, 0, 0) : mo_vec(3e4f, 0, -3e4f), &r);
    for (int i = 0; i < 60; i++) {
      step(scene, &d);
      mo_contact_events events = update(tracker);
      mo_contact_tracker_stats stats;
      cr_assert_eq(mo_contact_tracker_get_stats(tracker, &stats), MO_OK);
      without += check(scene, &events);
      by_axis += stats.apart_by_axis_count;
      by_bounds += stats.apart_by_bounds_count;
      met += events.begin_count;
    }
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
  }
  /* Of balls and boxes no axis is kept, as they are tested as fast without. */
  cr_assert(by_bounds > without / 8 && by_axis > without / 2 && by_axis + by_bounds <= without &&
                met > 100,
            "%u of %u by bounds, %u by axes, %u met", (unsigned)by_bounds, (unsigned)without,
            (unsigned)by_axis, (unsigned)met);
}

static uint32_t count_by_axis(mo_scene *scene, mo_contact_tracker *tracker, mo_shape_id moved) {
  mo_transform to = mo_transform_identity();
  cr_assert_eq(mo_scene_get_transform(scene, moved, &to), MO_OK);
  to.origin.x += 0.001f;
  cr_assert_eq(mo_scene_set_transform(scene, moved, &to), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  cr_assert_eq(update(tracker).contact_count, 0);
  mo_contact_tracker_stats stats;
  cr_assert_eq(mo_contact_tracker_get_stats(tracker, &stats), MO_OK);
  cr_assert_eq(stats.computed_count, 1);
  return stats.apart_by_axis_count;
}

/* Two cylinders side by side, whose boxes overlap, become balls: for these no axis is tested. */
Test(contact_apart, no_axis_outlives_its_geometry) {
  const mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  mo_contact_tracker *tracker = tracker_create(scene);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_CYLINDER);
  def.geometry.cylinder = (mo_cylinder){{0, -1, 0}, {0, 1, 0}, 1};
  mo_shape_id ids[2];
  for (int i = 0; i < 2; i++) {
    def.transform.origin = mo_vec(1.5f * (float)i, 0, 1.5f * (float)i);
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[i]), MO_OK);
  }
  cr_assert_eq(count_by_axis(scene, tracker, ids[1]), 0);
  cr_assert_eq(count_by_axis(scene, tracker, ids[1]), 1);
  mo_geometry ball = mo_default_shape_def(MO_SHAPE_SPHERE).geometry;
  ball.sphere.radius = 1;
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(mo_scene_set_geometry(scene, ids[i], &ball), MO_OK);
  }
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(count_by_axis(scene, tracker, ids[1]), 0);
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}
