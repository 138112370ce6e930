/* The parts of casts, for golden.c alone. */
#ifndef TEST_QUERY_GOLDEN_CASTS_H
#define TEST_QUERY_GOLDEN_CASTS_H

#include "query/golden.h"
#include "support/defs.h"

static hash ask_cast(const mo_scene *scene, const mo_sphere_cast_def *def) {
  hash h = hash_begin();
  mo_cast_hit hit;
  oracle_expect(mo_scene_cast_sphere(scene, def, &hit, NULL), "a moving ball");
  hash_cast_hit(&h, &hit);
  return h;
}

static void ask_by_casts(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(400 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 70, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 2; i++) {
      sample_target target = test_scene_target(&scene, r);
      mo_sphere_cast_def def = mo_default_sphere_cast_def();
      def.sphere = sample_sphere(r, &target);
      mo_vec3 to = sample_point(r, &target);
      def.displacement = mo_sub(to, def.sphere.center);
      def.options.hit_volumes = i % 2;
      hash_vec3(&asked, def.sphere.center);
      hash_float(&asked, def.sphere.radius);
      hash_vec3(&asked, def.displacement);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_cast(scene.family.scenes[form], &def), scene.family.names[form],
                test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "cast: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

/* A convex shape that moves from one place of a scene towards another; legal in it. */
static bool some_shape_cast(const test_scene *scene, rng *r, mo_shape_cast_def *def) {
  sample_target target = test_scene_target(scene, r);
  mo_transform transform = test_scene_transform(scene, r);
  mo_vec3 from = sample_point(r, &target), to = sample_point(r, &target);
  mo_geometry geometry = test_scene_geometry(scene, r);
  transform.origin = from;
  *def = mo_default_shape_cast_def();
  def->primitive = geometry.type != MO_SHAPE_MESH
                       ? mo_primitive_of_geometry(&geometry, &transform)
                       : mo_primitive_of_triangle(from, to, target.corners[0]);
  def->displacement = mo_scale(2, mo_sub(to, from));
  mo_cast_hit hit;
  return mo_scene_cast_shape(scene->family.scenes[0], def, &hit, NULL) == MO_OK;
}

static hash ask_shape(const mo_scene *scene, const mo_shape_cast_def *def) {
  hash h = hash_begin();
  static mo_shape_id shapes[MAX];
  uint32_t total;
  mo_overlap_def overlap = mo_overlap_primitive_def(def->primitive);
  oracle_expect(mo_scene_overlap_shapes(scene, &overlap, shapes, MAX, &total, NULL), "an overlap");
  hash_number(&h, total);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    hash_number(&h, shapes[i].index);
  }
  mo_cast_hit hit;
  oracle_expect(mo_scene_cast_shape(scene, def, &hit, NULL), "a moving shape");
  hash_cast_hit(&h, &hit);
  return h;
}

static void ask_by_shapes(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(500 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 40, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 2; i++) {
      mo_shape_cast_def def;
      if (!some_shape_cast(&scene, r, &def)) {
        continue; /* beyond the range of coordinates */
      }
      hash_vec3(&asked, def.primitive.transform.origin);
      hash_vec3(&asked, def.displacement);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_shape(scene.family.scenes[form], &def), scene.family.names[form],
                test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "shape: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

/* All contacts of a shape and of a ball on the same path, and of the shape's box. */
static hash ask_lists(const mo_scene *scene, const mo_shape_cast_def *shape,
                      const mo_sphere_cast_def *ball) {
  static mo_cast_hit hits[MAX];
  mo_shape_cast_def box = *shape;
  box.precision = MO_PRECISION_BOUNDS;
  hash h = hash_begin();
  for (int form = 0; form < 3; form++) {
    uint32_t total;
    oracle_expect(form == 0   ? mo_scene_cast_shape_all(scene, shape, hits, MAX, &total, NULL)
                  : form == 1 ? mo_scene_cast_sphere_all(scene, ball, hits, MAX, &total, NULL)
                              : mo_scene_cast_shape_all(scene, &box, hits, MAX, &total, NULL),
                  "all contacts");
    hash_number(&h, total);
    for (uint32_t i = 0; i < total && i < MAX; i++) {
      hash_cast_hit(&h, &hits[i]);
    }
  }
  return h;
}

static void ask_for_lists(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(600 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 40, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 4; i++) {
      mo_shape_cast_def def;
      if (!some_shape_cast(&scene, r, &def)) {
        continue; /* beyond the range of coordinates */
      }
      mo_sphere_cast_def ball = mo_default_sphere_cast_def();
      ball.sphere = (mo_sphere){def.primitive.transform.origin, rng_float(r, 0, 1)};
      ball.displacement = def.displacement;
      def.options.cull_back_faces = ball.options.cull_back_faces = rng_chance(r, 0.3);
      def.options.every_triangle = ball.options.every_triangle = rng_chance(r, 0.5);
      hash_vec3(&asked, def.primitive.transform.origin);
      hash_vec3(&asked, def.displacement);
      hash_float(&asked, ball.sphere.radius);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_lists(scene.family.scenes[form], &def, &ball),
                scene.family.names[form], test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "list: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

/* Shapes that turn, and characters that move, in the same scenes. */
static hash ask_motion(const mo_scene *scene, const mo_shape_cast_def *def) {
  hash h = hash_begin();
  mo_cast_hit hit;
  oracle_expect(mo_scene_cast_shape(scene, def, &hit, NULL), "a turning shape");
  hash_cast_hit(&h, &hit);
  mo_character_def character = mo_default_character_def();
  mo_geometry capsule = {.type = MO_SHAPE_CAPSULE, .capsule = {{0, 0, 0}, {0, 0.3f, 0}, 0.1f}};
  character.primitive = mo_primitive_of_geometry(&capsule, NULL);
  character.primitive.transform.origin = def->primitive.transform.origin;
  character.displacement = def->displacement;
  mo_character_move_result result;
  oracle_expect(mo_character_move(scene, &character, &result, NULL), "a character");
  hash_vec3(&h, result.displacement);
  hash_number(&h, result.ground.found);
  hash_number(&h, result.standing);
  hash_number(&h, result.blocked);
  hash_number(&h, result.touch_count);
  hash_vec3(&h, result.ground.normal);
  return h;
}

static void ask_by_motion(void) {
  static const test_scene_kind kinds[] = {TEST_SCENE_PLAIN, TEST_SCENE_ROUNDED, TEST_SCENE_CONES};
  static test_scene scene;
  for (int kind = 0; kind < 3; kind++) {
    rng randoms = rng_make(700 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, kinds[kind], 30, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 8; i++) {
      mo_shape_cast_def def;
      if (!some_shape_cast(&scene, r, &def)) {
        continue; /* beyond the range of coordinates */
      }
      def.pivot = def.primitive.transform.origin;
      def.axis = rng_direction(r);
      def.angle = rng_float(r, -3, 3);
      hash_vec3(&asked, def.pivot);
      hash_vec3(&asked, def.axis);
      hash_float(&asked, def.angle);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_motion(scene.family.scenes[form], &def), scene.family.names[form],
                test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "motion: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

/* The features that meet where a shape that may turn, and a ball, touch others on their path. */
static hash ask_features(const mo_scene *scene, const mo_shape_cast_def *shape,
                         const mo_sphere_cast_def *ball) {
  static mo_cast_hit hits[MAX];
  hash h = hash_begin();
  for (int form = 0; form < 2; form++) {
    uint32_t total;
    oracle_expect(form == 0 ? mo_scene_cast_shape_all(scene, shape, hits, MAX, &total, NULL)
                            : mo_scene_cast_sphere_all(scene, ball, hits, MAX, &total, NULL),
                  "all contacts");
    for (uint32_t i = 0; i < total && i < MAX; i++) {
      hash_number(&h, hits[i].feature);
      hash_number(&h, hits[i].feature_index);
      hash_number(&h, hits[i].own_feature);
      hash_number(&h, hits[i].own_feature_index);
    }
  }
  return h;
}

static void ask_for_features(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(1200 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 20, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 8; i++) {
      mo_shape_cast_def def;
      if (!some_shape_cast(&scene, r, &def)) {
        continue; /* beyond the range of coordinates */
      }
      mo_sphere_cast_def ball = mo_default_sphere_cast_def();
      ball.sphere = (mo_sphere){def.primitive.transform.origin, rng_float(r, 0, 1)};
      ball.displacement = def.displacement;
      def.options.every_triangle = ball.options.every_triangle = true;
      def.pivot = def.primitive.transform.origin;
      def.axis = rng_direction(r);
      def.angle = rng_chance(r, 0.3) ? rng_float(r, -2, 2) : 0;
      hash_vec3(&asked, def.primitive.transform.origin);
      hash_vec3(&asked, def.displacement);
      hash_float(&asked, def.angle);
      hash_float(&asked, ball.sphere.radius);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_features(scene.family.scenes[form], &def, &ball),
                scene.family.names[form], test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "features: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

#endif
