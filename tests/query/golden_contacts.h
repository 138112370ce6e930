/* The part of contacts, for golden.c alone. */
#ifndef TEST_QUERY_GOLDEN_CONTACTS_H
#define TEST_QUERY_GOLDEN_CONTACTS_H

#include <motte/contact_tracker.h>
#include <motte/continuous.h>

#include "query/golden.h"
#include "support/hulls.h"
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

enum { DANCERS = 12, STEPS = 600 };

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

/* Ground of some hundred triangles below the dancers, in one surface; it rises and falls. */
static mo_mesh *ground_for_dancers(void) {
  enum { SIDE = 9 };
  mo_vec3 positions[SIDE * SIDE];
  uint32_t indices[6 * (SIDE - 1) * (SIDE - 1)], count = 0;
  for (uint32_t i = 0; i < SIDE * SIDE; i++) {
    uint32_t x = i % SIDE, z = i / SIDE;
    float height = 0.15f * steady_sine(0.9f * (float)x) * steady_cosine(0.7f * (float)z);
    positions[i] = mo_vec(1.5f * (float)x - 1.5f, height, 1.5f * (float)z - 4);
    if (x + 1 < SIDE && z + 1 < SIDE) {
      uint32_t corners[6] = {i, i + SIDE, i + 1, i + 1, i + SIDE, i + SIDE + 1};
      memcpy(&indices[count], corners, sizeof corners);
      count += 6;
    }
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = &positions[0].x;
  def.vertex_count = SIDE * SIDE;
  def.indices = indices;
  def.triangle_count = count / 3;
  def.build.edges = true;
  mo_mesh *mesh;
  oracle_expect(mo_mesh_create(&def, &mesh), "mo_mesh_create");
  return mesh;
}

/* A dancer of each convex kind, on a mesh. */
static void ask_for_contacts_on_a_mesh(void) {
  enum { KINDS = 6 };
  static const mo_shape_type types[KINDS + 1] = {MO_SHAPE_BOX,      MO_SHAPE_HULL, MO_SHAPE_CAPSULE,
                                                 MO_SHAPE_CYLINDER, MO_SHAPE_CONE, MO_SHAPE_SPHERE,
                                                 MO_SHAPE_MESH};
  mo_mesh *ground = ground_for_dancers();
  mo_scene *scene = test_scene_empty();
  mo_contact_tracker *tracker;
  mo_shape_id ids[KINDS + 1];
  part_begin();
  oracle_expect(mo_contact_tracker_create(scene, NULL, &tracker), "mo_contact_tracker_create");
  for (uint32_t i = 0; i <= KINDS; i++) {
    mo_shape_def def = mo_default_shape_def(types[i]);
    if (types[i] == MO_SHAPE_MESH) {
      def.geometry.mesh = ground;
      def.motion = MO_MOTION_STATIC;
    } else if (types[i] == MO_SHAPE_HULL) {
      def.geometry.hull = test_hull(TEST_HULL_BALL);
    }
    oracle_expect(mo_scene_add_shape(scene, &def, &ids[i]), "mo_scene_add_shape");
  }
  for (uint32_t step = 0; step < STEPS; step++) {
    mo_transform at[KINDS];
    for (uint32_t i = 0; i < KINDS; i++) {
      at[i] = dancer_at(i, step);
      hash_vec3(&asked, at[i].origin);
    }
    mo_contact_events events;
    oracle_expect(mo_scene_set_transforms(scene, ids, at, KINDS, NULL), "mo_scene_set_transforms");
    oracle_expect(mo_scene_update(scene, NULL), "mo_scene_update");
    oracle_expect(mo_contact_tracker_update(tracker, &events), "mo_contact_tracker_update");
    hash_events(&answered, &events);
  }
  part_end("contacts of 600 steps on a mesh");
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  mo_mesh_release(ground);
}

enum { MOVERS = 12, IMPACTS = 33, CROSSINGS = 300 };

static void hash_impact(hash *h, const mo_impact *impact) {
  hash_number(h, impact->found);
  if (impact->found) {
    hash_number(h, impact->began_in_touch);
    hash_number(h, impact->other.index);
    hash_number(h, impact->triangle);
    hash_number(h, impact->other_triangle);
    hash_float(h, impact->t);
    hash_vec3(h, impact->point);
    hash_vec3(h, impact->normal);
    hash_float(h, impact->separation);
  }
}

static hash impact_features;

static void hash_impact_features(const mo_impact *impact) {
  if (impact->found) {
    hash_number(&impact_features, impact->feature);
    hash_number(&impact_features, impact->feature_index);
    hash_number(&impact_features, impact->other_feature);
    hash_number(&impact_features, impact->other_feature_index);
  }
}

static hash crossings_found;

static bool is_quick(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b,
                     void *context) {
  (void)user_data_a;
  (void)user_data_b;
  const test_scene *scene = context;
  mo_geometry a, b;
  oracle_expect(mo_scene_get_geometry(scene->family.scenes[0], pair->a, &a), "geometry");
  oracle_expect(mo_scene_get_geometry(scene->family.scenes[0], pair->b, &b), "geometry");
  return (pair->a.index + pair->b.index) % 4 == 0 &&
         (a.type != MO_SHAPE_MESH || b.type != MO_SHAPE_MESH);
}

/* What movers cross where every shape is a sensor, of some pairs; to be the same for all forms of a
 * scene. */
static void ask_for_crossings(test_scene *scene, mo_impact_search search) {
  static mo_crossing crossings[CROSSINGS];
  uint64_t first = 0;
  search.sensor_categories = UINT64_MAX;
  search.accept = is_quick;
  search.context = scene;
  for (uint32_t form = 0; form < scene->family.count; form++) {
    uint32_t total;
    oracle_expect(mo_scene_find_crossings(scene->family.scenes[form], &search, crossings, CROSSINGS,
                                          &total, NULL),
                  "mo_scene_find_crossings");
    hash h = hash_begin();
    hash_number(&h, total);
    for (uint32_t i = 0; i < total && i < CROSSINGS; i++) {
      hash_number(&h, crossings[i].pair.a.index);
      hash_number(&h, crossings[i].pair.b.index);
      hash_float(&h, crossings[i].enter);
      hash_float(&h, crossings[i].leave);
    }
    first = form == 0 ? h.value : first;
    if (h.value != first) {
      wrong++;
      printf("%s: %s answers otherwise\n", test_scene_kind_name(scene->kind),
             scene->family.names[form]);
    }
  }
  hash_number(&crossings_found, first);
}

static mo_movement random_movement(mo_vec3 from, mo_vec3 to, rng *r) {
  mo_movement m = {.displacement = mo_sub(to, from), .pivot = from};
  m.displacement = mo_add(m.displacement, rng_vec3(r, -1, 1));
  m.axis = rng_direction(r);
  m.angle = rng_chance(r, 0.3) ? 0 : rng_float(r, -3, 3);
  return m;
}

/* The first impacts of some shapes of all forms of a scene; `movers` that are refused are none. */
static void ask_for_first_impacts(test_scene *scene, rng *r) {
  static mo_mover movers[MOVERS];
  static mo_mover_memory memory[MOVERS];
  static mo_impact impacts[MOVERS];
  mo_impact_search search = mo_default_impact_search();
  search.movers = movers;
  search.memory = memory;
  for (uint32_t i = 0; i < scene->oracle.shape_count && search.count < MOVERS; i += 2) {
    const oracle_shape *shape = &scene->oracle.shapes[i];
    if (shape->def.geometry.type == MO_SHAPE_MESH && i % 4 != 0) {
      continue;
    }
    mo_vec3 to = scene->oracle.shapes[rng_below(r, scene->oracle.shape_count)].own.lower;
    mo_mover *mover = &movers[search.count];
    *mover = (mo_mover){.shape = shape->id,
                        .movement = random_movement(shape->def.transform.origin, to, r)};
    search.movers = mover;
    uint32_t count = search.count;
    search.count = 1;
    mo_result result = mo_scene_find_impacts(scene->family.scenes[0], &search, impacts, NULL, NULL);
    search.movers = movers;
    search.count = count + (result == MO_OK);
  }
  hash first;
  for (uint32_t form = 0; form < scene->family.count; form++) {
    oracle_expect(mo_scene_find_impacts(scene->family.scenes[form], &search, impacts, NULL, NULL),
                  "mo_scene_find_impacts");
    hash h = hash_begin();
    for (uint32_t i = 0; i < search.count; i++) {
      hash_impact(&h, &impacts[i]);
      hash_impact_features(&impacts[i]);
    }
    compare(form, &first, h, scene->family.names[form], test_scene_kind_name(scene->kind));
  }
  ask_for_crossings(scene, search);
}

/* Impacts of pairs of convex shapes, and of movers in scenes. */
static void ask_for_impacts(void) {
  static test_scene scene;
  impact_features = crossings_found = hash_begin();
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(1200 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 8, r);
    for (int i = 0; i < IMPACTS; i++) {
      mo_primitive a = test_scene_primitive(&scene, r), b = test_scene_primitive(&scene, r);
      mo_movement of_a = random_movement(a.transform.origin, b.transform.origin, r);
      mo_movement of_b = random_movement(b.transform.origin, b.transform.origin, r);
      const mo_impact_def def = mo_default_impact_def();
      mo_impact impact;
      if (mo_find_impact(&a, &of_a, &b, &of_b, &def, &impact) == MO_OK) {
        hash_vec3(&asked, of_a.displacement);
        hash_impact(&answered, &impact);
        hash_impact_features(&impact);
      }
    }
    ask_for_first_impacts(&scene, r);
    char name[40];
    snprintf(name, sizeof name, "impacts: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
  part_begin();
  answered = impact_features;
  part_end("features of impacts");
  part_begin();
  answered = crossings_found;
  part_end("crossings");
}

#endif
