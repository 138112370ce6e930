/* How far shapes are expected to move: the velocity of the last move of each, against a plain model
 * under moves of all kinds; memory. */
#include <criterion/criterion.h>
#include <string.h>

#include "scene/shapes/displacements.h"
#include "support/world.h"

enum { COUNT = 600, MOVES = 1000 };

typedef struct model {
  mo_scene *scene;
  counting_allocator counter;
  rng r;
  mo_shape_id ids[COUNT];
  mo_vec3 expected[COUNT];
} model;

static mo_shape_def any_shape(rng *r) {
  mo_shape_def def = mo_default_shape_def(rng_chance(r, 0.5) ? MO_SHAPE_BOX : MO_SHAPE_CYLINDER);
  if (rng_chance(r, 0.02)) {
    def = mo_default_shape_def(rng_chance(r, 0.5) ? MO_SHAPE_HALF_SPACE : MO_SHAPE_VOLUME);
  }
  def.margin = rng_chance(r, 0.5) ? 0 : 0.1f;
  def.transform.origin = rng_vec3(r, -20, 20);
  return def;
}

static void add(model *m, uint32_t i) {
  mo_shape_def def = any_shape(&m->r);
  cr_assert_eq(mo_scene_add_shape(m->scene, &def, &m->ids[i]), MO_OK);
  m->expected[i] = mo_vec(0, 0, 0);
}

static void check(const model *m) {
  cr_assert_eq(mo_scene_validate(m->scene), MO_OK);
  for (uint32_t i = 0; i < COUNT; i++) {
    mo_vec3 is = mo_slot_displacement(m->scene, m->ids[i].index);
    cr_assert(memcmp(&is, &m->expected[i], sizeof is) == 0, "shape %u", i);
  }
}

static void move_some(model *m) {
  static mo_shape_id ids[MOVES];
  static mo_transform transforms[MOVES];
  static mo_vec3 origins[MOVES], velocities[MOVES];
  rng *r = &m->r;
  mo_update_def def = mo_default_update_def();
  const bool fast = rng_chance(r, 0.6), repeated = rng_chance(r, 0.5);
  def.ids = ids;
  def.count = rng_chance(r, 0.3) ? 1 + rng_below(r, 8) : 1 + rng_below(r, repeated ? MOVES : COUNT);
  def.lookahead = rng_chance(r, 0.1) ? 0 : rng_float(r, 0, 0.2f);
  def.transforms = rng_chance(r, 0.5) ? transforms : NULL;
  def.origins = def.transforms == NULL ? origins : NULL;
  def.velocities = fast ? velocities : NULL;
  for (uint32_t k = 0; k < def.count; k++) {
    const uint32_t i = repeated ? rng_below(r, COUNT) : k;
    ids[k] = m->ids[i];
    origins[k] = rng_vec3(r, -20, 20);
    transforms[k] = mo_transform_identity();
    transforms[k].origin = origins[k];
    velocities[k] = rng_vec3(r, -50, 50);
    m->expected[i] = fast ? mo_scale(def.lookahead, velocities[k]) : mo_vec(0, 0, 0);
  }
  cr_assert_eq(mo_scene_update(m->scene, &def), MO_OK);
}

Test(scene_displacements, are_those_of_the_last_move) {
  static model m;
  m.r = rng_make(rng_seed("scene/moves/displacements", 2301));
  counting_allocator_init(&m.counter);
  mo_scene_def def = mo_default_scene_def();
  def.host = counting_allocator_host(&m.counter);
  cr_assert_eq(mo_scene_create(&def, &m.scene), MO_OK);
  for (uint32_t i = 0; i < COUNT; i++) {
    add(&m, i);
  }
  cr_assert_null(m.scene->displacements, "no velocities yet");
  for (int round = 0; round < 300; round++) {
    const uint32_t i = rng_below(&m.r, COUNT);
    switch (rng_below(&m.r, 10)) {
    case 0:
      cr_assert_eq(mo_scene_remove_shape(m.scene, m.ids[i]), MO_OK);
      add(&m, i);
      break;
    case 1:
      cr_assert_eq(mo_scene_refresh_shape(m.scene, m.ids[i]), MO_OK);
      m.expected[i] = mo_vec(0, 0, 0);
      break;
    case 2:
      cr_assert_eq(mo_scene_set_margin(m.scene, m.ids[i], 0.2f), MO_OK);
      m.expected[i] = mo_vec(0, 0, 0);
      break;
    case 3:
      cr_assert_eq(mo_scene_trim(m.scene), MO_OK);
      break;
    case 4: { /* with which the arrays of slots grow */
      mo_shape_def more = any_shape(&m.r);
      mo_shape_id id;
      cr_assert_eq(mo_scene_add_shape(m.scene, &more, &id), MO_OK);
      break;
    }
    default:
      move_some(&m);
    }
    check(&m);
  }
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(m.scene, &stats), MO_OK);
  cr_assert_eq(stats.bytes, m.counter.outstanding_bytes);
  mo_scene_destroy(m.scene);
  cr_assert(counting_allocator_is_clean(&m.counter));
}

/* The first velocities take memory: without it nothing moves. Trimming frees it if all are still.
 */
Test(scene_displacements, memory) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.host = counting_allocator_host(&counter);
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
  mo_vec3 origin = {1, 2, 3}, velocity = {4, 5, 6};
  size_t bad = 7;
  mo_update_def def = mo_default_update_def();
  def.ids = &id;
  def.origins = &origin;
  def.velocities = &velocity;
  def.count = 1;
  def.first_bad = &bad;
  cr_assert_eq(mo_scene_update(scene, &def), MO_OK);
  cr_assert_null(scene->displacements, "no lookahead");
  def.lookahead = 0.5f;
  origin.x = 9;
  counting_allocator_fail_at(&counter, 1, true);
  cr_assert_eq(mo_scene_update(scene, &def), MO_ERROR_OUT_OF_MEMORY);
  cr_assert_eq(bad, MO_NO_INDEX);
  mo_transform now;
  cr_assert_eq(mo_scene_get_transform(scene, id, &now), MO_OK);
  cr_assert_eq(now.origin.x, 1);
  counting_allocator_fail_at(&counter, 0, false);
  cr_assert_eq(mo_scene_update(scene, &def), MO_OK);
  cr_assert_eq(mo_scene_trim(scene), MO_OK);
  cr_assert_eq(mo_slot_displacement(scene, id.index).y, 2.5f);
  mo_vec3 *kept = scene->displacements;
  uint32_t capacity = scene->displacement_capacity;
  scene->displacement_capacity = 0;
  cr_assert_eq(mo_scene_validate(scene), MO_ERROR_CORRUPT);
  scene->displacement_capacity = capacity;
  cr_assert_eq(scene->displacements, kept);
  cr_assert_eq(mo_scene_set_transform(scene, id, &now), MO_OK);
  cr_assert_eq(mo_scene_trim(scene), MO_OK);
  cr_assert_null(scene->displacements);
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}
