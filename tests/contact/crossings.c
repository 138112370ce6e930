/* Sensors that movers cross: in random scenes against a loop over all shapes and triangles, one
 * pair of shapes against distances at many times, known ones. */
#include "contact/movers.h"
#include "geometry/cast/impact.h"
#include "geometry/cast/rotating.h"

enum { MAX_CROSSINGS = MAX * MAX };

static mo_crossing found[MAX_CROSSINGS], expected[MAX_CROSSINGS];

static uint32_t find_up_to(const mo_scene *subject, const mo_impact_search *search,
                           uint32_t capacity) {
  uint32_t total = 77;
  size_t bad = 7;
  memset(found, 0x55, sizeof found);
  cr_assert_eq(mo_scene_find_crossings(subject, search, found, capacity, &total, &bad), MO_OK);
  cr_assert_eq(bad, MO_NO_INDEX);
  cr_assert(total <= MAX_CROSSINGS);
  return total;
}

static uint32_t find(const mo_scene *subject, const mo_impact_search *search) {
  return find_up_to(subject, search, MAX_CROSSINGS);
}

static bool same_id(mo_shape_id a, mo_shape_id b) {
  return a.index == b.index && a.generation == b.generation;
}

/* --- a loop over all shapes and triangles --- */

static bool is_sensor(const mo_impact_search *search, const mo_shape_def *shape) {
  return shape->geometry.type == MO_SHAPE_VOLUME ||
         (shape->category & search->sensor_categories) != 0;
}

static bool ignores(const mo_mover *mover, const oracle_shape *other) {
  return mover != NULL && same_id(mover->ignore, other->id);
}

static bool may_cross(const mo_impact_search *search, const oracle_shape *own,
                      const oracle_shape *other) {
  const mo_shape_def *a = &own->def, *b = &other->def;
  const mo_mover *mover_a = mover_of(search, own->id), *mover_b = mover_of(search, other->id);
  const mo_pair pair = {own->id, other->id};
  return (mover_a != NULL || mover_b != NULL) && (is_sensor(search, a) || is_sensor(search, b)) &&
         (a->category & b->mask) && (b->category & a->mask) &&
         !(a->motion == MO_MOTION_STATIC && b->motion == MO_MOTION_STATIC) &&
         !ignores(mover_a, other) && !ignores(mover_b, own) &&
         (search->accept == NULL ||
          search->accept(&pair, a->user_data, b->user_data, search->context));
}

/* A part of a shape as the search has it. */
typedef struct part {
  mo_prepared_primitive prepared;
  mo_impact_body body;
} part;

static void set_part(part *p, const traveller *t) {
  cr_assert_eq(mo_primitive_prepare(&p->prepared, &t->primitive, NULL), MO_OK);
  cr_assert_eq(mo_moving_body_make(&p->body.whole, &p->prepared.body, &t->movement, NULL), MO_OK);
  mo_impact_body_set_core(&p->body, 1);
}

/* From when to when two shapes touch, the first with the lower index. */
static mo_time_of_touch touch_of(const mo_impact_search *search, const oracle_shape *a,
                                 const oracle_shape *b) {
  const oracle_mesh *mesh_a = mesh_of(a), *mesh_b = mesh_of(b);
  mo_time_of_touch all = {.enter = INFINITY};
  for (uint32_t i = 0; i < (mesh_a != NULL ? mesh_a->count : 1); i++) {
    traveller first =
        traveller_of(a, mesh_a != NULL ? &mesh_a->triangles[i] : NULL, mover_of(search, a->id));
    for (uint32_t k = 0; k < (mesh_b != NULL ? mesh_b->count : 1); k++) {
      traveller second =
          traveller_of(b, mesh_b != NULL ? &mesh_b->triangles[k] : NULL, mover_of(search, b->id));
      if (!mo_aabb_overlap(first.around, second.around) &&
          oracle_far_apart(first.around, second.around)) {
        continue;
      }
      part parts[2];
      set_part(&parts[0], &first);
      set_part(&parts[1], &second);
      mo_time_of_touch touch = mo_find_time_of_touch(&parts[0].body, &parts[1].body);
      all.enter = fmin(all.enter, touch.enter);
      all.leave = fmax(all.leave, touch.leave);
    }
  }
  return all;
}

static uint32_t expect(const mo_impact_search *search) {
  uint32_t count = 0;
  for (uint32_t lower = 0; lower < scene.oracle.shape_count; lower++) { /* sorted by index */
    for (uint32_t higher = lower + 1; higher < scene.oracle.shape_count; higher++) {
      const oracle_shape *a = &scene.oracle.shapes[lower], *b = &scene.oracle.shapes[higher];
      cr_assert(a->id.index < b->id.index);
      if (!may_cross(search, a, b)) {
        continue;
      }
      mo_time_of_touch touch = touch_of(search, a, b);
      if (touch.enter <= 1) {
        float enter = (float)touch.enter, leave = (float)touch.leave;
        expected[count++] =
            (mo_crossing){.pair = {a->id, b->id},
                          .enter = (double)enter > touch.enter ? nextafterf(enter, -1) : enter,
                          .leave = (double)leave < touch.leave ? nextafterf(leave, 2) : leave,
                          .entered = touch.enter > 0,
                          .left = touch.leave < 1};
      }
    }
  }
  return count;
}

static bool same(const mo_crossing *a, const mo_crossing *b) {
  return same_id(a->pair.a, b->pair.a) && same_id(a->pair.b, b->pair.b) && a->enter == b->enter &&
         a->leave == b->leave && a->entered == b->entered && a->left == b->left;
}

static uint32_t check(rng *r) {
  mo_impact_search search = search_of(random_movers(r));
  uint32_t left_out = rng_below(r, 6);
  search.context = &left_out;
  search.accept = accept;
  search.sensor_categories = rng_chance(r, 0.3) ? UINT64_MAX : 1ull << rng_below(r, 3);
  uint32_t count = expect(&search);
  for (uint32_t form = 0; form < scene.family.count; form++) {
    uint32_t capacity = rng_chance(r, 0.5) ? MAX_CROSSINGS : rng_below(r, count + 1);
    uint32_t total = find_up_to(scene.family.scenes[form], &search, capacity);
    cr_assert_eq(total, count, "%s, %s: %u, not %u", test_scene_kind_name(scene.kind),
                 scene.family.names[form], total, count);
    for (uint32_t i = 0; i < count && i < capacity; i++) {
      const mo_crossing *a = &found[i], *b = &expected[i];
      cr_assert(same(a, b), "%s, %s: %u and %u from %a to %a, not %u and %u from %a to %a",
                test_scene_kind_name(scene.kind), scene.family.names[form], a->pair.a.index,
                a->pair.b.index, (double)a->enter, (double)a->leave, b->pair.a.index,
                b->pair.b.index, (double)b->enter, (double)b->leave);
    }
  }
  return count;
}

Test(crossings, are_those_of_a_loop_over_all_shapes_and_triangles) {
  uint64_t rounds = rng_few_rounds(1, 40);
  uint32_t count = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
      rng r = rng_make(rng_seed("crossings in scenes", 1600 + 100 * round + (uint64_t)kind));
      test_scene_make(&scene, (test_scene_kind)kind, 12, &r);
      count += check(&r);
      cr_assert(test_scene_free(&scene));
    }
  }
  cr_assert(count > 15 * rounds, "%u", count);
}

/* --- pairs of shapes at many times --- */

static mo_shape_id add_moved(mo_scene *subject, mo_geometry geometry, mo_transform transform,
                             uint64_t category) {
  mo_shape_def def = mo_default_shape_def(geometry.type);
  mo_shape_id id;
  def.geometry = geometry;
  def.transform = transform;
  def.category = category;
  cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
  return id;
}

static mo_shape_id add_at(mo_scene *subject, mo_geometry geometry, float x, float y,
                          uint64_t category) {
  mo_transform at = mo_transform_identity();
  at.origin = mo_vec(x, y, 0);
  return add_moved(subject, geometry, at, category);
}

enum { SOUP = 3, SAMPLES = 100 };

/* A mesh of some triangles. */
static mo_mesh *soup_of(mo_vec3 corners[3 * SOUP]) {
  static const uint32_t indices[3 * SOUP] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = &corners[0].x;
  def.vertex_count = 3 * SOUP;
  def.indices = indices;
  def.index_type = MO_INDEX_U32;
  def.triangle_count = SOUP;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

static mo_geometry thin_or_thick_geometry(rng *r) {
  switch (rng_below(r, 5)) {
  case 0:
    return sphere_of(rng_vec3(r, -0.5f, 0.5f), rng_float(r, 0.01f, 1));
  case 1:
    return box_of(rng_float(r, 0.001f, 1), rng_float(r, 0.001f, 1), rng_float(r, 0.001f, 1));
  case 2:
    return capsule_of(rng_float(r, 0, 1), rng_float(r, 0, 0.5f));
  case 3:
    return cylinder_of(rng_float(r, 0.001f, 1), rng_float(r, 0.01f, 1));
  default:
    return hull_of((test_hull_kind)rng_below(r, TEST_HULL_KINDS));
  }
}

static mo_movement towards(mo_vec3 way, mo_vec3 pivot, rng *r) {
  return (mo_movement){.displacement =
                           mo_add(way, mo_scale(rng_float(r, 0, 1.5f), rng_direction(r))),
                       .pivot = mo_add(pivot, mo_scale(0.2f, rng_direction(r))),
                       .axis = rng_direction(r),
                       .angle = rng_chance(r, 0.3) ? 0 : rng_float(r, -4, 4)};
}

/* How far the first shape is, at some time, from the second, which may be the triangles. */
static double min_distance(const mo_primitive *a, const mo_primitive *b, const mo_vec3 *corners,
                           float t) {
  if (corners == NULL) {
    return distance_at(*a, &movers[0].movement, *b, &movers[1].movement, t);
  }
  double min = INFINITY;
  for (int i = 0; i < SOUP; i++) {
    mo_primitive triangle =
        mo_primitive_of_triangle(corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]);
    triangle.transform = b->transform;
    min = fmin(min, distance_at(*a, &movers[0].movement, triangle, &movers[1].movement, t));
  }
  return min;
}

static bool judge_pair(rng *r) {
  const double tolerance = 2e-5;
  mo_scene *subject = test_scene_empty();
  mo_vec3 corners[3 * SOUP], way = mo_scale(rng_float(r, 0, 5), rng_direction(r));
  bool is_mesh = rng_chance(r, 0.3);
  mo_mesh *mesh = NULL;
  mo_geometry geometry = thin_or_thick_geometry(r), other = thin_or_thick_geometry(r);
  if (is_mesh) {
    for (int i = 0; i < 3 * SOUP; i++) {
      corners[i] = rng_vec3(r, -1, 1);
    }
    mesh = soup_of(corners);
    other = (mo_geometry){.type = MO_SHAPE_MESH, .mesh = mesh};
  }
  mo_transform at[2] = {mo_transform_identity(),
                        mo_transform_make(way, rng_rotation(r), mo_vec(1, 1, 1))};
  for (int i = 0; i < 2; i++) {
    movers[i] = (mo_mover){.shape = add_moved(subject, i == 0 ? geometry : other, at[i], 1ull << i),
                           .movement = towards(mo_scale(i == 0 ? 1 : -1, way), at[i].origin, r)};
  }
  mo_impact_search search = search_of(2);
  search.sensor_categories = 2;
  uint32_t count = find(subject, &search);
  cr_assert(count <= 1);
  mo_primitive a = mo_primitive_of_geometry(&geometry, &at[0]);
  mo_primitive b =
      is_mesh ? (mo_primitive){.transform = at[1]} : mo_primitive_of_geometry(&other, &at[1]);
  const mo_vec3 *soup = is_mesh ? corners : NULL;
  const mo_crossing *c = &found[0];
  for (int i = 0; i <= SAMPLES; i++) {
    float t = (float)i / SAMPLES;
    bool out = count == 0 || t < c->enter || t > c->leave;
    cr_assert(!out || min_distance(&a, &b, soup, t) > 0, "overlap at %g", (double)t);
  }
  if (count == 1) {
    double enters = min_distance(&a, &b, soup, c->enter),
           leaves = min_distance(&a, &b, soup, c->leave);
    cr_assert(c->enter <= c->leave && enters <= tolerance && leaves <= tolerance, "%g %g", enters,
              leaves);
    cr_assert(c->entered || c->enter == 0);
    cr_assert(c->left || c->leave == 1);
    cr_assert(!c->entered || min_distance(&a, &b, soup, 0) > 0);
    cr_assert(!c->left || min_distance(&a, &b, soup, 1) > 0);
  }
  mo_scene_destroy(subject);
  mo_mesh_release(mesh);
  return count == 1 && c->entered && c->left;
}

Test(crossings, random_pairs_against_distances_on_the_way) {
  uint64_t seed = rng_seed("crossings of random pairs", 1700);
  uint64_t rounds = rng_few_rounds(200, 10000), passed = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + round);
    passed += judge_pair(&r);
  }
  cr_assert(passed > rounds / 20, "%d", (int)passed);
}

/* --- known ones --- */

static const float fast = 1000.0f / 60; /* 1,000 m/s at 60 steps a second */

static mo_geometry volume_of(float x, float y, float z) {
  return (mo_geometry){.type = MO_SHAPE_VOLUME, .volume = {{-x, -y, -z}, {x, y, z}}};
}

static void set_mover(int i, mo_shape_id shape, float x, float y) {
  movers[i] = (mo_mover){.shape = shape, .movement = {.displacement = {x, y, 0}}};
}

static bool close_to(float t, float expected_t) {
  return fabsf(t - expected_t) <= 2e-6f;
}

/* Through a volume, a box and a sheet of triangles of a millimetre or less, in one step. */
Test(crossings, bullets_through_thin_sensors) {
  mo_vec3 corners[3 * SOUP];
  for (int i = 0; i < SOUP; i++) {
    corners[3 * i] = mo_vec(0, -3, -3);
    corners[3 * i + 1] = mo_vec(0, 6, 0);
    corners[3 * i + 2] = mo_vec(0, -3, 3);
  }
  mo_mesh *sheet = soup_of(corners);
  const mo_geometry geometries[] = {
      volume_of(0.0005f, 2, 2), box_of(0.0005f, 2, 2), {.type = MO_SHAPE_MESH, .mesh = sheet}};
  for (int i = 0; i < 3; i++) {
    mo_scene *subject = test_scene_empty();
    mo_shape_id sensor = add_at(subject, geometries[i], 0, 0, 2),
                bullet = add_at(subject, sphere_of(mo_vec(0, 0, 0), 0.005f), -fast / 2, 0, 4),
                wall = add_at(subject, box_of(0.5f, 2, 2), 0.4f * fast + 0.5f, 0, 1);
    float half = i < 2 ? 0.0055f : 0.005f;
    mo_impact_search search = search_of(1);
    search.sensor_categories = 2;
    set_mover(0, bullet, fast, 0);
    cr_assert_eq(find(subject, &search), 1);
    cr_assert(same_id(found[0].pair.a, sensor) && same_id(found[0].pair.b, bullet));
    cr_assert(close_to(found[0].enter, 0.5f - half / fast), "%g", (double)found[0].enter);
    cr_assert(close_to(found[0].leave, 0.5f + half / fast), "%g", (double)found[0].leave);
    cr_assert(found[0].entered && found[0].left && found[0].enter <= 0.5f - half / fast + 1e-7f);
    /* The sensor stops nothing: the impact is that with the wall. */
    mo_impact impact;
    cr_assert_eq(mo_scene_find_impacts(subject, &search, &impact, NULL, NULL), MO_OK);
    cr_assert(impact.found && same_id(impact.other, wall));
    /* Stopped in it, and beginning in it. */
    set_mover(0, bullet, fast / 2, 0);
    cr_assert(find(subject, &search) == 1 && found[0].entered && !found[0].left);
    cr_assert_eq(found[0].leave, 1);
    set_mover(0, sensor, -fast / 2, 0); /* the sensor comes to the bullet, */
    cr_assert(find(subject, &search) == 1 && found[0].entered && !found[0].left);
    set_mover(1, bullet, fast, 0); /* and both to one another */
    search.count = 2;
    cr_assert_eq(find(subject, &search), 1);
    cr_assert(close_to(found[0].enter, (0.5f * fast - half) / (1.5f * fast)));
    cr_assert(close_to(found[0].leave, (0.5f * fast + half) / (1.5f * fast)));
    set_mover(0, bullet, 0, 0);
    set_mover(1, sensor, 0, 0);
    cr_assert_eq(find(subject, &search), 0);
    mo_scene_destroy(subject);
  }
  mo_mesh_release(sheet);
}

/* What passes by, at a hair or at the height of the top, and what glides along it. */
Test(crossings, grazing) {
  mo_scene *subject = test_scene_empty();
  add_at(subject, box_of(0.5f, 1, 1), 0, 0, 2);
  mo_shape_id ball = add_at(subject, sphere_of(mo_vec(0, 0, 0), 0.25f), -5, 1.2501f, 1),
              box = add_at(subject, box_of(0.25f, 0.25f, 0.25f), -5, 1.2501f, 1);
  mo_impact_search search = search_of(2);
  search.sensor_categories = 2;
  set_mover(0, ball, 10, 0);
  set_mover(1, box, 10, 0);
  cr_assert_eq(find(subject, &search), 0);
  movers[0].movement.displacement.y = movers[1].movement.displacement.y = -0.0004f;
  cr_assert_eq(find(subject, &search), 2); /* 0.0001 deep in the middle, and the way goes down */
  for (int i = 0; i < 2; i++) {
    cr_assert(found[i].entered && found[i].left && found[i].enter < found[i].leave);
    cr_assert(found[i].enter >= 0.4f && found[i].leave <= 0.58f);
  }
  mo_scene_destroy(subject);
}

Test(crossings, filters_ignored_shapes_and_capacity) {
  enum { SENSORS = 10 };
  mo_scene *subject = test_scene_empty();
  mo_shape_id sensors[SENSORS];
  for (int i = 0; i < SENSORS; i++) { /* the last first on the way */
    sensors[i] = add_at(subject, volume_of(0.001f, 1, 1), (float)(SENSORS - i), 0, 1);
  }
  mo_shape_id bullet = add_at(subject, sphere_of(mo_vec(0, 0, 0), 0.1f), 0, 0, 4);
  mo_impact_search search = search_of(1);
  set_mover(0, bullet, 20, 0);
  movers[0].partners = MO_IMPACT_WITH_NONE;
  cr_assert_eq(find_up_to(subject, &search, 4), SENSORS);
  for (int i = 0; i < 4; i++) {
    cr_assert(same_id(found[i].pair.a, sensors[i]));
  }
  cr_assert_eq(found[4].pair.a.index, 0x55555555u); /* no more than the capacity */
  cr_assert_eq(find_up_to(subject, &search, 0), SENSORS);
  movers[0].ignore = sensors[0];
  cr_assert_eq(find(subject, &search), SENSORS - 1);
  set_mover(1, sensors[0], 0, 0); /* the same by the other of two movers */
  movers[0].ignore = (mo_shape_id){0, 0};
  movers[1].ignore = bullet;
  search.count = 2;
  cr_assert_eq(find(subject, &search), SENSORS - 1);
  search.count = 1;
  cr_assert_eq(mo_scene_set_filter(subject, sensors[3], 1, ~4ull), MO_OK);
  cr_assert_eq(find(subject, &search), SENSORS - 1);
  search.count = 0;
  cr_assert_eq(find(subject, &search), 0);
  mo_scene_destroy(subject);
}
