/* A car on a height field that is edited while it drives, by the solver of demos/step.c: over flat
 * ground whose diagonals change under its wheels, over bumps that are made ahead of it, and in a
 * pit that is dug and filled under it. Wheels are judged by distances to all triangles near them,
 * in long double. */
#define main step_main
__attribute__((unused)) static int step_main(void);
#include "../demos/step.c"
#undef main

#include <criterion/criterion.h>
#include <string.h>

#include "math/vector.h"
#include "oracle/surface.h"

enum { COLUMNS = 96, ROWS = 17, WHEELS = 4 };
static const float cell = 0.5f, wheel_radius = 0.3f;
static const mo_vec3 wheels[WHEELS] = {
    {0.7f, -0.2f, 0.45f}, {0.7f, -0.2f, -0.45f}, {-0.7f, -0.2f, 0.45f}, {-0.7f, -0.2f, -0.45f}};

/* Bodies: the ground, and the car. */
typedef struct world {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_mesh *field;
  float heights[ROWS][COLUMNS];
  uint8_t flags[ROWS - 1][COLUMNS - 1];
  rng r;
} world;

static void add_ground(world *w) {
  mo_height_field_def def = mo_default_height_field_def();
  def.columns = COLUMNS;
  def.rows = ROWS;
  def.samples = w->heights;
  def.column_spacing = def.row_spacing = cell;
  check(mo_mesh_create_height_field(&def, &w->field));
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = w->field;
  add_body(w->scene, shape, 0, 0);
}

/* Balls that slide without friction are wheels that cannot jam. */
static void add_car(world *w, mo_vec3 at) {
  mo_scene_def def = mo_default_scene_def();
  mo_shape_def car = mo_default_shape_def(MO_SHAPE_COMPOUND);
  check(mo_compound_create(&def, &car.geometry.compound));
  mo_scene *parts = mo_compound_children(car.geometry.compound);
  mo_shape_id id;
  for (int i = 0; i <= WHEELS; i++) {
    mo_shape_def part = mo_default_shape_def(i < WHEELS ? MO_SHAPE_SPHERE : MO_SHAPE_BOX);
    if (i < WHEELS) {
      part.geometry.sphere = (mo_sphere){wheels[i], wheel_radius};
    } else {
      part.geometry.box.half_extents = mo_vec(0.9f, 0.15f, 0.4f);
    }
    part.user_data = body_count;
    check(mo_scene_add_shape(parts, &part, &id));
  }
  check(mo_compound_update(car.geometry.compound));
  car.transform.origin = at;
  add_body(w->scene, car, 1, 0.3f);
  mo_compound_release(car.geometry.compound);
}

static void begin(world *w, uint64_t seed) {
  memset(w, 0, sizeof *w);
  w->r = rng_make(seed);
  mo_scene_def def = mo_default_scene_def();
  def.margin = MO_CONTACT_MARGIN;
  check(mo_scene_create(&def, &w->scene));
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  tracker_def.material.friction = 0;
  check(mo_contact_tracker_create(w->scene, &tracker_def, &w->tracker));
  body_count = 0;
  add_ground(w);
  add_car(w, mo_vec(2, 0.5f, 0.5f * cell * (ROWS - 1)));
}

static void end(world *w) {
  mo_contact_tracker_destroy(w->tracker);
  mo_scene_destroy(w->scene);
  mo_mesh_release(w->field);
}

/* Gives the field what the arrays hold in columns `first` to `last`, all rows. */
static void edit(world *w, int first, int last) {
  static float samples[ROWS * COLUMNS];
  static uint8_t flags[ROWS * COLUMNS];
  const int count = last - first + 1;
  for (int row = 0; row < ROWS; row++) {
    memcpy(&samples[row * count], &w->heights[row][first], (size_t)count * sizeof *samples);
    if (row + 1 < ROWS) {
      memcpy(&flags[row * (count - 1)], &w->flags[row][first], (size_t)count - 1);
    }
  }
  mo_height_edit edit = mo_default_height_edit();
  edit.column = (uint32_t)first;
  edit.columns = (uint32_t)count;
  edit.rows = ROWS;
  edit.samples = samples;
  edit.cell_flags = flags;
  check(mo_mesh_edit_heights(w->field, &edit));
  check(mo_scene_refresh_shape(w->scene, shapes[0]));
}

/* --- the judge --- */

static ldvec sample_at(const world *w, int column, int row) {
  return (ldvec){(ldouble)cell * column, (ldouble)w->heights[row][column], (ldouble)cell * row};
}

/* The distance of a point from the ground near it; negative below the ground. */
static ldouble height_above(const world *w, ldvec p) {
  const int middle = (int)(p.x / (ldouble)cell), across = (int)(p.z / (ldouble)cell);
  nearest_pair best = {.distance = INFINITY};
  bool above = true;
  for (int row = across - 2; row <= across + 2; row++) {
    for (int column = middle - 2; column <= middle + 2; column++) {
      const ldvec c[4] = {sample_at(w, column, row), sample_at(w, column + 1, row),
                          sample_at(w, column + 1, row + 1), sample_at(w, column, row + 1)};
      const int first = w->flags[row][column] == 0 ? 0 : 1; /* where the diagonal begins */
      for (int half = 0; half < 2; half++) {
        const ldvec t[3] = {c[first], c[first + 1 + half], c[(first + 2 + half) % 4]};
        const ldvec n = cross_of(ld_sub(t[2], t[0]), ld_sub(t[1], t[0]));
        bool is_over = true;
        take_nearer(&best, p, nearest_on_triangle(t, p));
        for (int i = 0; i < 3; i++) {
          const ldvec e = ld_sub(t[(i + 1) % 3], t[i]);
          is_over = is_over && (p.z - t[i].z) * e.x - (p.x - t[i].x) * e.z >= 0;
        }
        above = above && !(is_over && ld_dot(n, ld_sub(p, t[0])) < 0);
      }
    }
  }
  return above ? best.distance : -best.distance;
}

/* How far each wheel is above the ground. No wheel is much deeper in it, nor the body. */
static void find_gaps(const world *w, int time, ldouble gaps[WHEELS]) {
  const body *car = &bodies[1];
  const mo_transform map = mo_transform_make(car->position, car->rotation, mo_vec(1, 1, 1));
  for (int i = 0; i < WHEELS; i++) {
    gaps[i] = height_above(w, mapped(&map, ld_float(wheels[i]))) - (ldouble)wheel_radius;
    cr_assert(gaps[i] > -0.03L, "step %d: wheel %d is %Lg deep, at %g", time, i, -gaps[i],
              (double)car->position.x);
  }
  cr_assert(height_above(w, ld_float(car->position)) > 0.2L, "step %d", time);
}

/* The contacts of a step are as deep as the wheels were at its start, and none is missing. Returns
 * how many wheels have one. */
static int judge_contacts(const mo_contact_events *found, int time, const ldouble gaps[WHEELS]) {
  ldouble deepest[WHEELS + 1] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
  int count = 0;
  for (uint32_t i = 0; i < found->contact_count; i++) {
    const mo_contact *c = &found->contacts[i].contact;
    const uint32_t child = c->user_data_a == 1 ? c->child_a : c->child_b;
    for (uint32_t k = 0; k < c->manifold.point_count; k++) {
      deepest[child] = fminl(deepest[child], (ldouble)c->manifold.points[k].separation);
    }
  }
  for (int i = 0; i < WHEELS; i++) {
    const bool found_one = isfinite(deepest[i]);
    count += found_one;
    cr_assert(found_one || gaps[i] > 0.005L, "step %d: no contact of wheel %d, which is %Lg above",
              time, i, gaps[i]);
    cr_assert(!found_one || fabsl(deepest[i] - gaps[i]) < 1e-3L, "step %d, wheel %d: %Lg, not %Lg",
              time, i, deepest[i], gaps[i]);
  }
  return count;
}

/* Returns how many wheels have a contact. */
static int advance(world *w, int time) {
  ldouble gaps[WHEELS];
  find_gaps(w, time, gaps);
  const mo_contact_events found = step(w->scene, w->tracker);
  return judge_contacts(&found, time, gaps);
}

/* --- driving --- */

/* Straight on, as fast as told. */
static void steer(float speed) {
  body *car = &bodies[1];
  car->velocity.linear.x += 0.1f * (speed - car->velocity.linear.x);
  car->velocity.linear.z *= 0.9f;
  car->velocity.angular.y *= 0.9f;
}

static int column_of_car(void) {
  return (int)(bodies[1].position.x / cell);
}

Test(edited_ground, flat_ground_stays_flat_to_a_car) {
  static world w;
  begin(&w, rng_seed("contact/edited_ground/flat", 3531));
  const int steps = (int)rng_few_rounds(240, 600);
  for (int i = 0; i < steps; i++) {
    steer(3);
    const int first = column_of_car() - 3;
    for (int row = 0; row + 1 < ROWS; row++) {
      for (int column = first; column < first + 8; column++) {
        w.flags[row][column] = rng_chance(&w.r, 0.5) ? MO_HEIGHT_CELL_FLIPPED : 0;
      }
    }
    edit(&w, first, first + 8);
    cr_assert_eq(advance(&w, i), WHEELS, "step %d: a wheel has left the ground", i);
    const mo_vec3 v = bodies[1].velocity.linear, spin = bodies[1].velocity.angular;
    cr_assert(fabsf(v.y) < 0.005f && mo_max_magnitude(spin) < 0.005f, "step %d: %g, %g %g %g", i,
              (double)v.y, (double)spin.x, (double)spin.y, (double)spin.z);
  }
  cr_assert(bodies[1].position.x > 2 + 0.02f * (float)steps);
  end(&w);
}

/* In every step the ground from three to five metres ahead of the car gets other bumps. */
Test(edited_ground, bumps_are_made_ahead_of_a_car) {
  static world w;
  begin(&w, rng_seed("contact/edited_ground/bumps", 3532));
  const int steps = (int)rng_few_rounds(300, 600);
  int contacts = 0;
  for (int i = 0; i < steps; i++) {
    steer(3);
    const int first = column_of_car() + 6;
    for (int row = 0; row < ROWS; row++) {
      for (int column = first; column < first + 4; column++) {
        w.heights[row][column] = rng_float(&w.r, 0, 0.1f);
      }
    }
    edit(&w, first, first + 4);
    contacts += advance(&w, i);
    cr_assert(fabsf(bodies[1].velocity.linear.y) < 1.5f);
  }
  cr_assert(contacts > 2 * steps, "%d in %d steps", contacts, steps);
  cr_assert(bodies[1].position.x > 2 + 0.02f * (float)steps);
  end(&w);
}

/* Where the car stands the ground sinks, and rises again. */
Test(edited_ground, pit_is_dug_and_filled_under_a_car) {
  static world w;
  begin(&w, rng_seed("contact/edited_ground/pit", 3533));
  const int steps = (int)rng_few_rounds(240, 600);
  int contacts = 0;
  bodies[1].position.x = 10.25f;
  for (int i = 0; i < steps; i++) {
    steer(0);
    const int middle = column_of_car();
    const float change = i % 120 < 60 ? -0.008f : 0.008f;
    for (int row = 3; row < ROWS - 3; row++) {
      for (int column = middle - 4; column <= middle + 4; column++) {
        w.heights[row][column] += change;
      }
    }
    edit(&w, middle - 4, middle + 4);
    contacts += advance(&w, i);
    const float vertical = bodies[1].velocity.linear.y;
    cr_assert(fabsf(vertical) < 1.5f, "step %d: %g", i, (double)vertical);
  }
  cr_assert(contacts > 3 * steps, "%d in %d steps", contacts, steps);
  end(&w);
}
