/* The parts of distances, depths and signs, for golden.c alone. */
#ifndef TEST_QUERY_GOLDEN_DISTANCES_H
#define TEST_QUERY_GOLDEN_DISTANCES_H

#include "query/golden.h"
#include "support/defs.h"

/* By distance, in scenes of their own, so that the parts above stay as they are. */
static hash ask_near(const mo_scene *scene, const mo_closest_def *def) {
  hash h = hash_begin();
  mo_closest_hit hit;
  oracle_expect(mo_scene_closest_point(scene, def, &hit, NULL), "the closest point");
  hash_number(&h, hit.found);
  if (hit.found) {
    hash_number(&h, hit.shape.index);
    hash_number(&h, hit.triangle);
    hash_number(&h, hit.feature);
    hash_number(&h, hit.feature_index);
    hash_vec3(&h, hit.point);
    hash_vec3(&h, hit.normal);
    hash_float(&h, hit.distance);
    hash_float(&h, hit.u);
    hash_float(&h, hit.v);
  }
  return h;
}

static void ask_by_distance(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(300 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 70, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 2; i++) {
      sample_target target = test_scene_target(&scene, r);
      mo_closest_def def = mo_default_closest_def();
      def.point = sample_point(r, &target);
      def.hit_volumes = i % 2;
      hash_vec3(&asked, def.point);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_near(scene.family.scenes[form], &def), scene.family.names[form],
                test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "near: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

static void hash_closest(hash *h, const mo_closest_hit *hit) {
  hash_number(h, hit->found);
  if (hit->found) {
    hash_number(h, hit->shape.index);
    hash_number(h, hit->triangle);
    hash_number(h, hit->feature);
    hash_number(h, hit->feature_index);
    hash_vec3(h, hit->point);
    hash_vec3(h, hit->from);
    hash_vec3(h, hit->normal);
    hash_float(h, hit->distance);
  }
}

/* Two meshes, each in all forms. */
static hash ask_two_meshes(const mo_mesh *mesh, const mo_distance_mesh_def *def) {
  hash h = hash_begin();
  mo_closest_hit hits[2];
  oracle_expect(mo_mesh_find_closest_mesh(mesh, def, hits, NULL), "the distance of two meshes");
  hash_closest(&h, &hits[0]);
  hash_closest(&h, &hits[1]);
  return h;
}

static hash ask_self(const mo_mesh *mesh) {
  static mo_triangle_pair pairs[MAX];
  hash h = hash_begin();
  uint32_t total;
  oracle_expect(mo_mesh_overlap_self(mesh, pairs, MAX, &total, NULL), "own triangles");
  hash_number(&h, total);
  hash_bytes(&h, pairs, (total < MAX ? total : MAX) * sizeof *pairs);
  return h;
}

/* What separates two meshes, and their first impact on a way towards each other. */
static hash ask_separation_of_meshes(const mo_mesh *mesh, const mo_distance_mesh_def *at,
                                     bool filled) {
  hash h = hash_begin();
  mo_separation_mesh_def def = mo_default_separation_mesh_def();
  mo_mesh_separation s;
  def.other = at->other;
  def.transform = at->transform;
  def.other_transform = at->other_transform;
  def.is_filled = def.other_is_filled = filled;
  oracle_expect(mo_mesh_find_separation_mesh(mesh, &def, &s, NULL), "what separates two meshes");
  hash_number(&h, s.overlaps);
  if (s.overlaps) {
    hash_float(&h, s.depth);
    hash_vec3(&h, s.vertex);
    hash_vec3(&h, s.surface);
    hash_number(&h, s.triangle);
    hash_number(&h, s.found);
    hash_vec3(&h, s.translation);
  }
  mo_impact_mesh_def moving = mo_default_impact_mesh_def();
  mo_impact impact;
  moving.other = at->other;
  moving.transform = at->transform;
  moving.other_transform = at->other_transform;
  moving.other_movement = (mo_movement){
      .displacement = mo_scale(2, mo_sub(at->transform.origin, at->other_transform.origin)),
      .pivot = at->other_transform.origin,
      .axis = {1, 2, 3},
      .angle = 1};
  oracle_expect(mo_mesh_find_impact_mesh(mesh, &moving, &impact, NULL), "the impact of meshes");
  hash_number(&h, impact.found);
  if (impact.found) {
    hash_float(&h, impact.t);
    hash_number(&h, impact.triangle);
    hash_number(&h, impact.other_triangle);
    hash_vec3(&h, impact.point);
  }
  return h;
}

static void ask_for_separation_of_meshes(void) {
  static mesh_family families[2];
  static const test_mesh_kind kinds[] = {TEST_MESH_SPHERE, TEST_MESH_TORUS, TEST_MESH_SLIVERS};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    rng randoms = rng_make(1320 + i), *r = &randoms;
    part_begin();
    test_mesh meshes[2] = {test_mesh_make(kinds[i], 40, r), test_mesh_make(TEST_MESH_TORUS, 40, r)};
    for (int s = 0; s < 2; s++) {
      hash_bytes(&asked, meshes[s].positions, meshes[s].vertex_count * sizeof(mo_vec3));
      mesh_family_build(&families[s], &meshes[s], false);
    }
    for (int pose = 0; pose < RNG_FAR; pose++) {
      mo_distance_mesh_def def = mo_default_distance_mesh_def();
      def.transform = rng_transform(r, (rng_transform_kind)rng_below(r, RNG_SHEAR + 1), 2);
      def.other_transform = rng_transform(r, (rng_transform_kind)(pose % RNG_FAR), 2);
      hash_vec3(&asked, def.other_transform.origin);
      hash first;
      for (uint32_t form = 0; form < families[0].count; form++) {
        def.other = families[1].meshes[(form + (uint32_t)pose) % families[1].count];
        compare(
            form, &first,
            ask_separation_of_meshes(families[0].meshes[form], &def, kinds[i] != TEST_MESH_SLIVERS),
            families[0].names[form], meshes[0].name);
      }
    }
    char name[40];
    snprintf(name, sizeof name, "meshes apart: %s", test_mesh_kind_name(kinds[i]));
    part_end(name);
    for (int s = 0; s < 2; s++) {
      wrong += !mesh_family_free(&families[s]);
      test_mesh_free(&meshes[s]);
    }
  }
}

static void ask_by_mesh_distance(void) {
  static mesh_family families[2];
  static const test_mesh_kind kinds[] = {TEST_MESH_TERRAIN, TEST_MESH_TORUS, TEST_MESH_LATTICE,
                                         TEST_MESH_LONG_THIN, TEST_MESH_OFFSET};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    rng randoms = rng_make(1200 + i), *r = &randoms;
    part_begin();
    test_mesh meshes[2] = {test_mesh_make(kinds[i], 30, r), test_mesh_make(TEST_MESH_TORUS, 30, r)};
    for (int s = 0; s < 2; s++) {
      hash_bytes(&asked, meshes[s].positions, meshes[s].vertex_count * sizeof(mo_vec3));
      mesh_family_build(&families[s], &meshes[s], false);
    }
    for (int pose = 0; pose < RNG_FAR; pose++) {
      mo_distance_mesh_def def = mo_default_distance_mesh_def();
      def.transform = rng_transform(r, (rng_transform_kind)rng_below(r, RNG_SHEAR + 1), 3);
      def.other_transform = rng_transform(r, (rng_transform_kind)(pose % RNG_FAR), 3);
      hash_vec3(&asked, def.other_transform.origin);
      hash first;
      for (uint32_t form = 0; form < families[0].count; form++) {
        def.other = families[1].meshes[(form + (uint32_t)pose) % families[1].count];
        compare(form, &first, ask_two_meshes(families[0].meshes[form], &def),
                families[0].names[form], meshes[0].name);
      }
    }
    hash first;
    for (uint32_t form = 0; form < families[0].count; form++) {
      compare(form, &first, ask_self(families[0].meshes[form]), families[0].names[form],
              meshes[0].name);
    }
    char name[40];
    snprintf(name, sizeof name, "two meshes: %s", test_mesh_kind_name(kinds[i]));
    part_end(name);
    for (int s = 0; s < 2; s++) {
      wrong += !mesh_family_free(&families[s]);
      test_mesh_free(&meshes[s]);
    }
  }
}

/* By the distance from convex shapes. */
static hash ask_distance(const mo_scene *scene, const mo_distance_def *of) {
  hash h = hash_begin();
  mo_closest_hit hits[20];
  mo_distance_def def = *of;
  oracle_expect(mo_scene_find_closest(scene, &def, &hits[0], NULL), "the closest shape");
  hash_closest(&h, &hits[0]);
  def.max_distance = hits[0].found ? 2 * hits[0].distance : 0;
  for (int form = 0; form < 2; form++) {
    uint32_t total;
    def.every_triangle = form == 1;
    oracle_expect(mo_scene_find_within(scene, &def, hits, 20, &total, NULL), "what is within");
    hash_number(&h, total);
    for (uint32_t i = 0; i < total && i < 20; i++) {
      hash_closest(&h, &hits[i]);
    }
  }
  return h;
}

/* How a convex shape is parted from what it overlaps. */
static hash ask_separation(const mo_scene *scene, const mo_primitive *primitive) {
  hash h = hash_begin();
  mo_shape_cast_def def = mo_default_shape_cast_def();
  mo_separation s;
  def.primitive = *primitive;
  oracle_expect(mo_scene_find_separation(scene, &def, &s, NULL), "a separation");
  hash_number(&h, s.overlaps);
  if (s.overlaps) {
    hash_cast_hit(&h, &s.deepest);
    hash_number(&h, s.found);
    if (s.found) {
      hash_vec3(&h, s.translation);
    }
  }
  return h;
}

static void ask_for_separations(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(900 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 20, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 4; i++) {
      mo_distance_def def = mo_default_distance_def();
      def.primitive = test_scene_primitive(&scene, r);
      mo_closest_hit hit;
      if (mo_scene_find_closest(scene.family.scenes[0], &def, &hit, NULL) != MO_OK) {
        continue; /* beyond the range of coordinates */
      }
      hash_vec3(&asked, def.primitive.transform.origin);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_separation(scene.family.scenes[form], &def.primitive),
                scene.family.names[form], test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "separate: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

/* The least signed distance, and how often each mesh encloses the point. */
static hash ask_signed(const mo_scene *scene, const test_scene *of, mo_vec3 point) {
  hash h = hash_begin();
  mo_closest_def def = mo_default_closest_def();
  mo_closest_hit hit;
  def.point = point;
  oracle_expect(mo_scene_signed_distance(scene, &def, &hit, NULL), "the signed distance");
  hash_closest(&h, &hit);
  for (int i = 0; i < TEST_SCENE_MESHES; i++) {
    int32_t winding = 0;
    if (of->meshes[i] != NULL) {
      oracle_expect(mo_mesh_winding_number(of->meshes[i], point, &winding, NULL), "a winding");
    }
    hash_number(&h, (uint64_t)winding);
  }
  return h;
}

static void ask_for_signs(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(800 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 40, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 2; i++) {
      sample_target target = test_scene_target(&scene, r);
      mo_vec3 point = sample_point(r, &target);
      hash_vec3(&asked, point);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_signed(scene.family.scenes[form], &scene, point),
                scene.family.names[form], test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "signed: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

static void ask_by_shape_distance(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(700 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 40, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 3; i++) {
      mo_distance_def def = mo_default_distance_def();
      def.primitive = test_scene_primitive(&scene, r);
      def.hit_volumes = i % 2;
      mo_closest_hit hit;
      if (mo_scene_find_closest(scene.family.scenes[0], &def, &hit, NULL) != MO_OK) {
        continue; /* beyond the range of coordinates */
      }
      hash_vec3(&asked, def.primitive.transform.origin);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_distance(scene.family.scenes[form], &def),
                scene.family.names[form], test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "distance: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

#endif
