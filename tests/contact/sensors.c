/* A fast ball and thin sensors, by a contact tracker and crossings together: one begin and one end
 * for each time that a sensor is touched. */
#include <motte/contact_tracker.h>
#include <motte/continuous.h>
#include <string.h>

#include "contact/contacts.h"
#include "support/scenes.h"

enum { GATES = 6 };

/* A ball on a line that gates stand across, seen by a host as motte/continuous.h says. */
typedef struct gate_world {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id gates[GATES], ball;
  float at;
  bool touching[GATES], inside[GATES];
  int begun[GATES], ended[GATES];
} gate_world;

static const float gate_half = 0.0005f, ball_radius = 0.05f;

static float place_of(int gate) {
  return 1.5f * (float)gate + 1;
}

static mo_shape_id add_at(mo_scene *scene, mo_geometry geometry, float x, uint64_t category) {
  mo_shape_def def = mo_default_shape_def(geometry.type);
  mo_shape_id id;
  def.geometry = geometry;
  def.transform.origin.x = x;
  def.category = category;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  return id;
}

static void make_world(gate_world *w) {
  const mo_geometry volume = {.type = MO_SHAPE_VOLUME,
                              .volume = {{-gate_half, -1, -1}, {gate_half, 1, 1}}};
  *w = (gate_world){.scene = test_scene_empty(), .at = 0};
  for (int i = 0; i < GATES; i++) {
    mo_geometry gate = i % 2 ? volume : box_of(gate_half, 1, 1);
    w->gates[i] = add_at(w->scene, gate, place_of(i), 2);
  }
  w->ball = add_at(w->scene, sphere_of(mo_vec(0, 0, 0), ball_radius), 0, 1);
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.sensor_categories = 2;
  cr_assert_eq(mo_contact_tracker_create(w->scene, &def, &w->tracker), MO_OK);
}

static bool same_id(mo_shape_id a, mo_shape_id b) {
  return a.index == b.index && a.generation == b.generation;
}

static int gate_of(const gate_world *w, const mo_pair *pair) {
  for (int i = 0; i < GATES; i++) {
    if (same_id(w->gates[i], pair->a) && same_id(w->ball, pair->b)) {
      return i;
    }
  }
  cr_assert_fail("no gate");
  return 0;
}

static void step_to(gate_world *w, float x) {
  const mo_mover mover = {.shape = w->ball, .movement = {.displacement = {x - w->at, 0, 0}}};
  mo_mover_memory memory;
  mo_impact_search search = mo_default_impact_search();
  search.movers = &mover;
  search.memory = &memory;
  search.count = 1;
  search.sensor_categories = 2;
  mo_crossing found[GATES];
  uint32_t count;
  cr_assert_eq(mo_scene_find_crossings(w->scene, &search, found, GATES, &count, NULL), MO_OK);
  mo_transform to = mo_transform_identity();
  cr_assert_eq(mo_scene_get_transform(w->scene, w->ball, &to), MO_OK);
  cr_assert_eq(mo_movement_transform(&mover.movement, 1, &to, &to), MO_OK);
  cr_assert_eq(mo_scene_set_transform(w->scene, w->ball, &to), MO_OK);
  w->at = to.origin.x;
  mo_contact_events events;
  cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
  cr_assert_eq(mo_contact_tracker_update(w->tracker, &events), MO_OK);
  cr_assert_eq(mo_contact_tracker_validate(w->tracker), MO_OK);
  for (uint32_t i = 0; i < events.begin_count; i++) {
    w->touching[gate_of(w, &events.begins[i])] = true;
  }
  for (uint32_t i = 0; i < events.end_count; i++) {
    w->touching[gate_of(w, &events.ends[i])] = false;
  }
  bool crossed[GATES] = {false}, now[GATES];
  memcpy(now, w->touching, sizeof now);
  for (uint32_t i = 0; i < count; i++) {
    int gate = gate_of(w, &found[i].pair);
    crossed[gate] = true;
    now[gate] = now[gate] || !found[i].left;
  }
  for (int i = 0; i < GATES; i++) {
    w->begun[i] += (now[i] || crossed[i]) && !w->inside[i];
    w->ended[i] += (w->inside[i] || crossed[i]) && !now[i];
    w->inside[i] = now[i];
    cr_assert_eq(w->begun[i] - w->ended[i], now[i], "gate %d: %d begins, %d ends", i, w->begun[i],
                 w->ended[i]);
  }
}

static void free_world(gate_world *w) {
  mo_contact_tracker_destroy(w->tracker);
  mo_scene_destroy(w->scene);
}

/* To and fro, at up to 1,000 m/s: as many begins and ends as there are crossings. */
Test(sensors, begin_and_end_once) {
  gate_world w;
  make_world(&w);
  rng r = rng_make(rng_seed("to and fro through gates", 1800));
  int crossings[GATES] = {0};
  bool was_in[GATES] = {false};
  const float half = ball_radius + gate_half;
  for (int step = 0; step < 300; step++) {
    float from = w.at, to = rng_float(&r, 0, 10);
    for (int i = 0; i < GATES; i++) { /* nothing so close that rounding decides */
      float beside = fabsf(to - place_of(i)) - half;
      to += fabsf(beside) < 1e-3f ? 2e-3f : 0;
    }
    step_to(&w, to);
    for (int i = 0; i < GATES; i++) {
      float near = place_of(i) - half, far = place_of(i) + half;
      bool in = to > near && to < far;
      bool touched = fminf(from, to) < far && fmaxf(from, to) > near;
      crossings[i] += touched && !was_in[i];
      was_in[i] = in;
      cr_assert(w.begun[i] == crossings[i] && w.inside[i] == in, "step %d, gate %d: %d, not %d",
                step, i, w.begun[i], crossings[i]);
    }
  }
  free_world(&w);
}

/* Always on in one direction, but halting where rounding decides whether gates are touched. */
Test(sensors, begin_and_end_once_where_rounding_decides) {
  uint64_t seed = rng_seed("halts at gates", 1801);
  for (uint64_t round = 0; round < 30; round++) {
    rng r = rng_make(seed + round);
    gate_world w;
    make_world(&w);
    for (int i = 0; i < GATES; i++) {
      for (int side = -1; side <= 1; side += 2) {
        for (int halts = (int)rng_below(&r, 4); halts > 0; halts--) {
          float to =
              place_of(i) + (float)side * (ball_radius + gate_half) + rng_float(&r, -1e-6f, 1e-6f);
          step_to(&w, fmaxf(to, w.at));
        }
      }
    }
    step_to(&w, 12);
    for (int i = 0; i < GATES; i++) {
      cr_assert(w.begun[i] == 1 && w.ended[i] == 1 && !w.inside[i], "gate %d: %d, %d", i,
                w.begun[i], w.ended[i]);
    }
    free_world(&w);
  }
}
