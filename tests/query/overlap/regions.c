/* Shapes in a region where most are found without a test of their own, as they lie inside or are
 * compared by numbers alone: crowds on a lattice, so that many just touch, or just do not, against
 * brute force; and the order in which slots are put. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "query/overlap/slots.h"
#include "support/check.h"
#include "support/scenes.h"

enum { SLOTS = 6000 };

static int compare_keys(const void *a, const void *b) {
  return mo_slot_before(a, b) ? -1 : mo_slot_before(b, a);
}

/* Different slots of so many bits, some flagged. */
static void make_keys(rng *r, uint32_t *keys, uint32_t count, uint32_t bits) {
  uint32_t first = rng_below(r, 1u << 20), step = 1 + rng_below(r, (1u << bits) / (count + 1) + 1);
  for (uint32_t i = 0; i < count; i++) {
    keys[i] = (first + i * step) | (rng_below(r, 4) ? 0 : MO_SLOT_NOT_INSIDE_FLAG);
  }
  for (uint32_t i = count; i > 1; i--) {
    uint32_t j = rng_below(r, i), swap = keys[i - 1];
    keys[i - 1] = keys[j];
    keys[j] = swap;
  }
}

Test(region_queries, slots_ascend) {
  static uint32_t keys[SLOTS], answers[3 * SLOTS];
  rng r = rng_make(rng_seed("region_queries/slots", 91));
  for (uint64_t round = 0; round < rng_few_rounds(1500, 300000); round++) {
    uint32_t max = round % 3 == 0 ? 12 : round % 3 == 1 ? 300 : SLOTS;
    uint32_t count = rng_below(&r, max), words = 2 + rng_below(&r, 2);
    uint32_t capacity = rng_below(&r, 3) ? count + rng_below(&r, 9) : rng_below(&r, count + 1);
    make_keys(&r, keys, count, 1 + rng_below(&r, 27));
    mo_bounded_list list = mo_bounded_make(answers, capacity);
    for (uint32_t i = 0; i < count; i++) {
      mo_slot_list_add(&list, keys[i]);
    }
    const uint32_t *sorted = mo_slot_list_sort(&list, words * sizeof *answers);
    uint32_t kept = count < capacity ? count : capacity;
    cr_assert_eq(list.total, count);
    cr_assert_eq(list.count, kept);
    cr_assert(kept == 0 || sorted == answers + (words - 1) * kept);
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < kept; i++) {
      cr_assert_eq(sorted[i], keys[i], "%u of %u is %#x, not %#x", i, kept, sorted[i], keys[i]);
    }
  }
}

/* A crowd: shapes near points of a lattice around a place. */
typedef struct crowd {
  test_scene scene;
  mo_vec3 place;
  float width;
} crowd;

static float on_lattice(rng *r, float width) {
  return 0.25f * (float)(int)rng_float(r, -4 * width, 4 * width);
}

static mo_vec3 lattice_point(const crowd *c, rng *r) {
  mo_vec3 p;
  p.x = c->place.x + on_lattice(r, c->width);
  p.y = c->place.y + on_lattice(r, c->width);
  p.z = c->place.z + on_lattice(r, c->width);
  return p;
}

/* Sizes on the lattice, or of which sums round. */
static float some_half(rng *r) {
  static const float halves[] = {0, 0.125f, 0.25f, 0.5f, 0.3f, 0.1f, 1.7f, 1e-8f};
  return halves[rng_below(r, 8)];
}

static mo_shape_def some_shape(const crowd *c, rng *r) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.transform.origin = lattice_point(c, r);
  def.user_data = rng_u64(r);
  mo_geometry *g = &def.geometry;
  switch (rng_below(r, 8)) {
  case 0:
    *g = (mo_geometry){.type = MO_SHAPE_SPHERE};
    g->sphere.radius = some_half(r);
    break;
  case 1:
    *g = test_scene_geometry(&c->scene, r);
    break;
  default:
    g->box.half_extents.x = some_half(r);
    g->box.half_extents.y = some_half(r);
    g->box.half_extents.z = some_half(r);
    if (rng_below(r, 8) == 0) {
      g->box.center = (mo_vec3){0.25f, 0.3f, 0};
    }
    break;
  }
  if (rng_below(r, 4) == 0) {
    mo_vec3 origin = def.transform.origin;
    def.transform = test_scene_transform(&c->scene, r);
    def.transform.origin = origin;
  }
  if (rng_below(r, 16) == 0) {
    def.margin = 0.25f;
  }
  if (rng_below(r, 32) == 0) {
    def.mask = rng_below(r, 16);
  }
  return def;
}

/* Moves some shapes to where they are, with velocities that make their bounds larger. */
static void expect_motion(const crowd *c, rng *r) {
  enum { MAX = 16 };
  mo_shape_id ids[MAX];
  mo_vec3 origins[MAX], velocities[MAX];
  mo_update_def def = mo_default_update_def();
  for (; def.count < MAX && def.count < c->scene.count; def.count++) {
    const oracle_shape *shape = &c->scene.oracle.shapes[rng_below(r, c->scene.count)];
    ids[def.count] = shape->id;
    origins[def.count] = lattice_point(c, r);
    velocities[def.count] = rng_vec3(r, -1, 1);
  }
  def.ids = ids;
  def.origins = origins;
  def.velocities = velocities;
  def.lookahead = 0.5f;
  for (uint32_t i = 0; i < c->scene.family.count; i++) {
    oracle_expect(mo_scene_update(c->scene.family.scenes[i], &def), "mo_scene_update");
  }
}

static void make_crowd(crowd *c, rng *r, uint32_t shapes, mo_vec3 place, bool meshes) {
  test_scene_make(&c->scene, TEST_SCENE_PLAIN, 0, r);
  c->scene.ids = oracle_need(calloc(shapes, sizeof *c->scene.ids));
  c->place = place;
  c->width = 5;
  while (c->scene.count < shapes) {
    mo_shape_def def = some_shape(c, r);
    if (def.geometry.type != MO_SHAPE_MESH || meshes) {
      oracle_expect(scene_family_add(&c->scene.family, &def, &c->scene.ids[c->scene.count++]),
                    "adding");
    }
  }
  oracle_scene_read(&c->scene.oracle, c->scene.family.scenes[0]);
  expect_motion(c, r);
  scene_family_update(&c->scene.family);
  oracle_scene_read(&c->scene.oracle, c->scene.family.scenes[0]);
}

/* A number, or one of the floats next to it. */
static float nudged(rng *r, float x) {
  uint32_t way = rng_below(r, 4);
  return way < 2 ? x : nextafterf(x, way == 2 ? INFINITY : -INFINITY);
}

/* Sides on the lattice, or on those of some shape's box, or next to them. */
static void some_sides(rng *r, float center, float half, float a, float b, float *lower,
                       float *upper) {
  *lower = nudged(r, rng_below(r, 3) ? center - half : a);
  *upper = nudged(r, rng_below(r, 3) ? center + half : b);
  if (*lower > *upper) {
    float swap = *lower;
    *lower = *upper;
    *upper = swap;
  }
}

static mo_aabb some_box(const crowd *c, rng *r) {
  const oracle_shape *a = &c->scene.oracle.shapes[rng_below(r, c->scene.count)];
  const oracle_shape *b = &c->scene.oracle.shapes[rng_below(r, c->scene.count)];
  mo_vec3 center = lattice_point(c, r);
  float half = 0.25f * (float)rng_below(r, rng_below(r, 2) ? 6 : 24);
  mo_aabb box;
  some_sides(r, center.x, half, a->bounds.lower.x, b->bounds.upper.x, &box.lower.x, &box.upper.x);
  some_sides(r, center.y, half, a->bounds.upper.y, b->bounds.lower.y, &box.lower.y, &box.upper.y);
  some_sides(r, center.z, half, a->bounds.lower.z, b->bounds.lower.z, &box.lower.z, &box.upper.z);
  return box;
}

static mo_filter some_filter(const crowd *c, rng *r) {
  mo_filter filter = mo_default_filter();
  if (rng_below(r, 2)) {
    filter.ignore = c->scene.ids[rng_below(r, c->scene.count)];
    filter.ignore.generation += 2 * (rng_below(r, 4) == 0); /* not that one */
  } else if (rng_below(r, 4) == 0) {
    filter = test_scene_filter(&c->scene, r);
  }
  return filter;
}

static void ask(const crowd *c, rng *r) {
  const mo_scene *const *subjects = test_scene_subjects(&c->scene);
  uint32_t count = c->scene.family.count;
  mo_overlap_def def = mo_default_overlap_def();
  def.filter = some_filter(c, r);
  def.precision = rng_below(r, 3) ? MO_PRECISION_GEOMETRY : MO_PRECISION_BOUNDS;
  mo_aabb box = some_box(c, r);
  cr_assert(check_scene_aabb(subjects, count, &c->scene.oracle, &box, &def), "%s", check_why());
  mo_sphere ball = {lattice_point(c, r), 0.25f * (float)rng_below(r, 20)};
  if (rng_below(r, 4) == 0) {
    ball.radius = nudged(r, some_half(r));
    ball.radius = ball.radius < 0 ? 0 : ball.radius;
  }
  cr_assert(check_scene_sphere(subjects, count, &c->scene.oracle, &ball, &def), "%s", check_why());
  mo_plane planes[6] = {
      {{1, 0, 0}, -box.lower.x}, {{-1, 0, 0}, box.upper.x}, {{0, 1, 0}, -box.lower.y},
      {{0, -1, 0}, box.upper.y}, {{0, 0, 1}, -box.lower.z}, {{0, 0, -1}, box.upper.z},
  };
  cr_assert(
      check_scene_planes(subjects, count, &c->scene.oracle, planes, rng_below(r, 7), &def.filter),
      "%s", check_why());
}

Test(region_queries, crowds_as_brute_force) {
  static crowd c;
  rng r = rng_make(rng_seed("region_queries/crowds", 92));
  /* Far away, floats are 1/16 apart, and then 1/4. */
  static const float places[] = {0, 1000, -1048576, 3000000};
  for (uint32_t i = 0; i < 8; i++) {
    mo_vec3 place = {places[i / 2], i < 2 ? 0 : 7, -places[i / 2]};
    make_crowd(&c, &r, i % 2 ? 600 : 90, place, i % 4 < 3);
    for (uint64_t round = 0; round < rng_few_rounds(40, 4000); round++) {
      ask(&c, &r);
    }
    cr_assert(test_scene_free(&c.scene), "memory is outstanding");
  }
}

/* Boxes that begin so little beyond 0 that their centres are no doubles, and shapes no larger than
 * that at this side of them. */
Test(region_queries, tiny_shapes_at_a_side) {
  static test_scene scene;
  rng r = rng_make(rng_seed("region_queries/tiny", 93));
  test_scene_make(&scene, TEST_SCENE_PLAIN, 0, &r);
  scene.ids = oracle_need(calloc(200, sizeof *scene.ids));
  while (scene.count < 200) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
    def.geometry = test_scene_geometry(&scene, &r);
    def.transform = rng_transform(&r, RNG_RIGID, 0);
    def.transform.x_axis = mo_scale(0x1p-100f, def.transform.x_axis);
    def.transform.y_axis = mo_scale(0x1p-100f, def.transform.y_axis);
    def.transform.z_axis = mo_scale(0x1p-100f, def.transform.z_axis);
    def.transform.origin = rng_vec3(&r, -0x1p-99f, 0x1p-99f);
    oracle_expect(scene_family_add(&scene.family, &def, &scene.ids[scene.count++]), "adding");
  }
  scene_family_update(&scene.family);
  oracle_scene_read(&scene.oracle, scene.family.scenes[0]);
  const mo_overlap_def def = mo_default_overlap_def();
  for (uint64_t round = 0; round < rng_few_rounds(100, 10000); round++) {
    float small = rng_float(&r, -0x1p-98f, 0x1p-98f), large = rng_chance(&r, 0.5) ? 1.7f : -1.7f;
    mo_aabb box = {mo_vec(-1.7f, -1.7f, -1.7f), mo_vec(1.7f, 1.7f, 1.7f)};
    uint32_t axis = rng_below(&r, 3);
    float *lower = axis == 0 ? &box.lower.x : axis == 1 ? &box.lower.y : &box.lower.z;
    float *upper = axis == 0 ? &box.upper.x : axis == 1 ? &box.upper.y : &box.upper.z;
    *lower = fminf(small, large);
    *upper = fmaxf(small, large);
    cr_assert(check_scene_aabb(test_scene_subjects(&scene), scene.family.count, &scene.oracle, &box,
                               &def),
              "%s", check_why());
  }
  cr_assert(test_scene_free(&scene), "memory is outstanding");
}
