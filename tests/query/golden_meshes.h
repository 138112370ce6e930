/* The answers of queries whose shape is a mesh, for golden.c alone. */
#ifndef TEST_QUERY_GOLDEN_MESHES_H
#define TEST_QUERY_GOLDEN_MESHES_H

#include "query/golden_casts.h"
#include "query/golden_distances.h"

/* What a mesh overlaps and touches first, how far everything is, and how it is parted. */
static hash ask_by_mesh(const mo_scene *scene, const mo_shape_cast_def *cast) {
  static mo_triangle_ref triangles[MAX];
  const mo_overlap_def overlap = mo_overlap_primitive_def(cast->primitive);
  mo_distance_def distance = mo_default_distance_def();
  hash h = hash_begin();
  uint32_t total;
  mo_cast_hit hit;
  distance.primitive = cast->primitive;
  oracle_expect(mo_scene_overlap_triangles(scene, &overlap, triangles, MAX, &total, NULL),
                "triangles");
  hash_number(&h, total);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    hash_number(&h, triangles[i].shape.index);
    hash_number(&h, triangles[i].triangle);
  }
  oracle_expect(mo_scene_cast_shape(scene, cast, &hit, NULL), "a cast");
  hash_cast_hit(&h, &hit);
  hash_number(&h, hit.found ? hit.own_triangle : 0);
  hash_number(&h, ask_distance(scene, &distance).value);
  hash_number(&h, ask_separation(scene, &cast->primitive).value);
  return h;
}

static void ask_by_meshes(void) {
  static test_scene scene;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    rng randoms = rng_make(1000 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_scene_make(&scene, (test_scene_kind)kind, 20, r);
    hash_scene(&scene);
    for (int i = 0; i < NEAR_POINTS / 20; i++) {
      const mo_geometry geometry = {.type = MO_SHAPE_MESH,
                                    .mesh = scene.meshes[rng_below(r, TEST_SCENE_MESHES)]};
      const mo_transform transform = test_scene_transform(&scene, r);
      mo_shape_cast_def def = mo_default_shape_cast_def();
      mo_cast_hit hit;
      def.primitive = mo_primitive_of_geometry(&geometry, &transform);
      def.displacement = rng_vec3(r, -scene.spread, scene.spread);
      def.pivot = transform.origin;
      def.axis = rng_direction(r);
      def.angle = i == 0 && kind == 0 ? rng_float(r, -3, 3) : 0; /* costs most */
      if (geometry.mesh == NULL ||
          mo_scene_cast_shape(scene.family.scenes[0], &def, &hit, NULL) != MO_OK) {
        continue; /* beyond the range of coordinates */
      }
      hash_vec3(&asked, transform.origin);
      hash_vec3(&asked, def.displacement);
      hash first;
      for (uint32_t form = 0; form < scene.family.count; form++) {
        compare(form, &first, ask_by_mesh(scene.family.scenes[form], &def),
                scene.family.names[form], test_scene_kind_name(scene.kind));
      }
    }
    char name[40];
    snprintf(name, sizeof name, "by mesh: %s", test_scene_kind_name(scene.kind));
    part_end(name);
    wrong += !test_scene_free(&scene);
  }
}

/* The impacts of a mesh whose vertices move, with itself. */
static void ask_about_swept_meshes(void) {
  static mo_swept_impact impacts[MAX];
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    rng randoms = rng_make(1100 + (uint64_t)kind), *r = &randoms;
    part_begin();
    test_mesh mesh = test_mesh_make((test_mesh_kind)kind, 250, r);
    mo_vec3 *end = malloc((mesh.vertex_count + 1) * sizeof *end);
    const mo_aabb box = test_mesh_bounds(&mesh);
    const float far =
        mo_aabb_is_empty(box) ? 1 : 0.1f * mo_max_magnitude(mo_sub(box.upper, box.lower));
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
      end[i] = mo_add(mesh.positions[i], rng_vec3(r, -far, far));
    }
    hash_bytes(&asked, end, mesh.vertex_count * sizeof *end);
    hash first;
    for (uint32_t form = 0; form < family_isa_count(); form++) {
      mo_swept_mesh_def def = mo_default_swept_mesh_def();
      mo_swept_impact_def query = mo_default_swept_impact_def();
      mo_swept_mesh *made = NULL;
      uint32_t total = 0;
      def.positions = mesh.positions;
      def.end_positions = end;
      def.vertex_count = mesh.vertex_count;
      def.indices = mesh.indices;
      def.triangle_count = mesh.triangle_count;
      def.isa = family_isa(form);
      oracle_expect(mo_swept_mesh_create(&def, &made), "a swept mesh");
      query.other = made;
      query.slop = 0.01f * far;
      oracle_expect(mo_swept_mesh_find_impacts(made, &query, impacts, MAX, &total, NULL),
                    "impacts");
      hash h = hash_begin();
      hash_number(&h, total);
      for (uint32_t i = 0; i < total && i < MAX; i++) {
        hash_number(&h, impacts[i].triangle);
        hash_number(&h, impacts[i].other_triangle);
        hash_float(&h, impacts[i].t);
        hash_vec3(&h, impacts[i].point);
        hash_vec3(&h, impacts[i].normal);
        hash_float(&h, impacts[i].separation);
        hash_number(&h, impacts[i].feature);
        hash_number(&h, impacts[i].feature_index);
        hash_number(&h, impacts[i].other_feature);
        hash_number(&h, impacts[i].other_feature_index);
      }
      compare(form, &first, h, "instruction set", mesh.name);
      mo_swept_mesh_destroy(made);
    }
    char name[40];
    snprintf(name, sizeof name, "swept: %s", test_mesh_kind_name((test_mesh_kind)kind));
    part_end(name);
    free(end);
    test_mesh_free(&mesh);
  }
}

#endif
