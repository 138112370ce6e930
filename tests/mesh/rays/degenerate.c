/* Rays never hit degenerate triangles, whatever rounding makes of them: by no traversal, in no
 * batch, in no form of the mesh, and not after its vertices have moved. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include <motte/batch.h>

#include "geometry/ray/triangle.h"
#include "oracle/exact.h"
#include "reference/reference.h"
#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

/* Removes the triangles of a mesh that are not degenerate. */
static void keep_degenerate(test_mesh *mesh) {
  uint32_t kept = 0;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mo_vec3 c[3];
    test_mesh_corners(mesh, t, c);
    if (exact_is_degenerate(c)) {
      for (int i = 0; i < 3; i++) {
        mesh->indices[3 * kept + (uint32_t)i] = mesh->indices[3 * t + (uint32_t)i];
      }
      kept++;
    }
  }
  mesh->triangle_count = kept;
}

/* How many triangles a ray would hit if none were recognised as degenerate. */
static uint32_t hits_by_rounding(const test_mesh *mesh, const mo_ray_def *def) {
  const mo_vec3 weights = {1, 1, 1}, none = {0, 0, 0};
  mo_ray ray;
  mo_ray_init(&ray, &def->origin, &def->direction, def->min_t, &weights, &none, 0);
  uint32_t count = 0;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mo_vec3 c[3];
    mo_triangle_hit hit;
    test_mesh_corners(mesh, t, c);
    count += mo_ray_test_nondegenerate_triangle(&ray, c, def->max_t, MO_CULL_NONE, &hit);
  }
  return count;
}

/* By every kind of query, and by a traversal. */
static void expect_nothing(const mo_mesh *mesh, const char *name, const mo_ray_def *def,
                           reference_traversal traversal) {
  mo_ray_hit hit;
  bool any = true;
  uint32_t count = 9;
  mo_ray_cursor cursor;
  reference_ray reference = {.ray = mo_default_ray_def()};
  reference.ray = *def;
  reference.traversal = traversal;
  cr_assert_eq(reference_mesh_cast_ray(mesh, &reference, &hit, NULL), MO_OK);
  cr_assert_not(hit.found, "%s: %s", name, check_ray_text(def));
  cr_assert_eq(reference_mesh_test_ray(mesh, &reference, &any, NULL), MO_OK);
  cr_assert_not(any, "%s: %s", name, check_ray_text(def));
  cr_assert_eq(reference_mesh_cast_ray_all(mesh, &reference, &hit, 1, &count, NULL), MO_OK);
  cr_assert_eq(count, 0, "%s: %s", name, check_ray_text(def));
  any = true;
  cr_assert_eq(mo_ray_cursor_init(&cursor, NULL), MO_OK);
  cr_assert_eq(mo_mesh_cast_ray(mesh, def, &hit, NULL), MO_OK);
  cr_assert_not(hit.found, "%s: %s", name, check_ray_text(def));
  cr_assert_eq(mo_mesh_test_ray(mesh, def, &any, NULL), MO_OK);
  cr_assert_not(any, "%s: %s", name, check_ray_text(def));
  cr_assert_eq(mo_mesh_cast_ray_all(mesh, def, &hit, 1, &count, NULL), MO_OK);
  cr_assert_eq(count, 0, "%s: %s", name, check_ray_text(def));
  cr_assert_eq(mo_mesh_cast_ray_first(mesh, def, &hit, 1, &count, NULL), MO_OK);
  cr_assert_eq(count, 0, "%s: %s", name, check_ray_text(def));
  cr_assert_eq(mo_mesh_next_hit(mesh, def, &cursor, &hit, NULL), MO_OK);
  cr_assert_not(hit.found, "%s: %s", name, check_ray_text(def));
}

/* Casts rays of all kinds; returns how many hits would be reported if no triangle were recognised
 * as degenerate. */
static uint32_t ask(const test_mesh *mesh, mo_mesh *const *meshes, const char *const *names,
                    uint32_t count, int rounds, rng *r) {
  uint32_t by_rounding = 0;
  for (int i = 0; i < rounds; i++) {
    sample_target target = sample_target_of_mesh(mesh, r);
    mo_ray_def ray = sample_aimed_ray(i, &target, r);
    reference_traversal traversal = (reference_traversal)rng_below(r, 3);
    by_rounding += hits_by_rounding(mesh, &ray);
    for (uint32_t m = 0; m < count; m++) {
      expect_nothing(meshes[m], names[m], &ray, traversal);
    }
  }
  return by_rounding;
}

Test(mesh_degenerate, cannot_be_hit) {
  rng r = rng_make(rng_seed("mesh_degenerate/rays", 91));
  test_mesh mesh = test_mesh_make(TEST_MESH_COLLINEAR, 600, &r);
  keep_degenerate(&mesh);
  cr_assert_gt(mesh.triangle_count, 300);
  mesh_family family;
  mesh_family_build(&family, &mesh, false);
  int rounds = (int)rng_few_rounds(800, 100000);
  uint32_t by_rounding = ask(&mesh, family.meshes, family.names, family.count, rounds, &r);
  cr_assert(by_rounding > (uint32_t)rounds / 8, "nothing would be hit anyway (%u)", by_rounding);
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&mesh);
}

/* Among others: what is behind a segment is seen. */
Test(mesh_degenerate, hide_nothing) {
  rng r = rng_make(rng_seed("mesh_degenerate/hide", 92));
  test_mesh mesh = test_mesh_make(TEST_MESH_COLLINEAR, 400, &r);
  mo_aabb box = test_mesh_bounds(&mesh);
  uint32_t wall = mesh.triangle_count;
  float z = box.lower.z - 2, x = box.lower.x, y = box.lower.y;
  test_mesh_add_corners(&mesh, (mo_vec3){x - 9, y - 9, z}, (mo_vec3){x + 99, y - 9, z},
                        (mo_vec3){x - 9, y + 99, z});
  mesh_family family;
  mesh_family_build(&family, &mesh, false);
  for (int i = 0; i < 300; i++) {
    mo_vec3 c[3];
    test_mesh_corners(&mesh, rng_below(&r, wall), c);
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = (mo_vec3){c[0].x + rng_float(&r, -1, 1), c[0].y + rng_float(&r, -1, 1), z + 30};
    ray.direction = (mo_vec3){c[1].x - ray.origin.x, c[1].y - ray.origin.y, c[1].z - ray.origin.z};
    for (uint32_t m = 0; m < family.count; m++) {
      mo_ray_hit hit;
      cr_assert_eq(mo_mesh_cast_ray(family.meshes[m], &ray, &hit, NULL), MO_OK);
      cr_assert(hit.found);
      cr_assert_eq(mo_mesh_get_triangle(family.meshes[m], hit.triangle, c, NULL), MO_OK);
      cr_assert_not(exact_is_degenerate(c), "%s", family.names[m]);
    }
  }
  cr_assert(mesh_family_free(&family));
  test_mesh_free(&mesh);
}

/* A mesh that is proper when built, then lies on lines, then not. */
Test(mesh_degenerate, after_refitting) {
  rng r = rng_make(rng_seed("mesh_degenerate/refit", 93));
  test_mesh flat = test_mesh_make(TEST_MESH_COLLINEAR, 600, &r);
  keep_degenerate(&flat);
  test_mesh proper = test_mesh_make(TEST_MESH_SOUP, flat.triangle_count, &r);
  mo_mesh *meshes[8];
  const char *names[8];
  uint32_t count = family_isa_count();
  for (uint32_t i = 0; i < count; i++) {
    mo_mesh_def def = test_mesh_def(&proper);
    def.vertex_count = 3 * flat.triangle_count;
    def.indices = NULL;
    def.index_type = MO_INDEX_NONE;
    def.build.builder = MO_MESH_BUILDER_SINGLE;
    def.build.deformable = true;
    def.isa = family_isa(i);
    names[i] = mo_isa_name(def.isa);
    cr_assert_eq(mo_mesh_create(&def, &meshes[i]), MO_OK);
  }
  mo_vec3 *corners = oracle_need(malloc(3 * flat.triangle_count * sizeof *corners));
  for (uint32_t t = 0; t < flat.triangle_count; t++) {
    test_mesh_corners(&flat, t, &corners[3 * t]);
  }
  int rounds = (int)rng_few_rounds(300, 20000);
  uint32_t by_rounding = 0;
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  for (int round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < count; i++) {
      cr_assert_eq(mo_mesh_refit(meshes[i], corners, 12, 3 * flat.triangle_count, NULL, NULL),
                   MO_OK);
      if (round == 1) {
        mo_mesh_rebuild_info info;
        cr_assert_eq(mo_mesh_rebuild_parts(meshes[i], &options, &info), MO_OK);
        cr_assert_gt(info.triangle_count, 0);
      }
      cr_assert_eq(mo_mesh_validate(meshes[i]), MO_OK);
    }
    by_rounding += ask(&flat, meshes, names, count, rounds, &r);
  }
  cr_assert(by_rounding > (uint32_t)rounds / 3, "nothing would be hit anyway (%u)", by_rounding);
  oracle_mesh oracle;
  for (uint32_t i = 0; i < count; i++) {
    cr_assert_eq(
        mo_mesh_refit(meshes[i], proper.positions, 12, 3 * flat.triangle_count, NULL, NULL), MO_OK);
  }
  oracle_mesh_read(&oracle, meshes[0]);
  for (int i = 0; i < 200; i++) {
    sample_target target = sample_target_of_mesh(&proper, &r);
    mo_ray_def ray = sample_any_ray(&r, &target);
    cr_assert(check_mesh_ray((const mo_mesh *const *)meshes, count, &oracle, &ray, CHECK_FULL),
              "%s", check_why());
  }
  oracle_mesh_free(&oracle);
  /* Nor in parts that were rebuilt while the triangles had an area. */
  options.threshold = 1;
  for (uint32_t i = 0; i < count; i++) {
    mo_mesh_rebuild_info info;
    cr_assert_eq(mo_mesh_rebuild_parts(meshes[i], &options, &info), MO_OK);
    cr_assert_gt(info.triangle_count, 0);
    cr_assert_eq(mo_mesh_refit(meshes[i], corners, 12, 3 * flat.triangle_count, NULL, NULL), MO_OK);
  }
  by_rounding = ask(&flat, meshes, names, count, rounds, &r);
  cr_assert(by_rounding > (uint32_t)rounds / 15, "nothing would be hit anyway (%u)", by_rounding);
  for (uint32_t i = 0; i < count; i++) {
    mo_mesh_release(meshes[i]);
  }
  free(corners);
  test_mesh_free(&flat);
  test_mesh_free(&proper);
}

/* The same in a batch. */
static void expect_nothing_in_batch(const mo_mesh *mesh, const char *name, mo_batch_def *def,
                                    bool *found) {
  mo_batch_output output = {.found = {found, 0}};
  for (int i = 0; i < 6; i++) {
    def->coherence = (mo_coherence)(i % 3);
    mo_result result = i < 3 ? mo_mesh_test_rays(mesh, def, &output, NULL, NULL)
                             : mo_mesh_cast_rays(mesh, def, &output, NULL, NULL);
    cr_assert_eq(result, MO_OK);
    for (size_t ray = 0; ray < def->count; ray++) {
      cr_assert_not(found[ray], "%s: ray %zu", name, ray);
    }
  }
}

/* Rays from one eye, then from many; on meshes within the cache and beyond it. */
Test(mesh_degenerate, in_batches) {
  enum { RAYS = 1500 };
  static const uint32_t sizes[] = {90, 1000, 120000};
  static mo_vec3 origins[RAYS], directions[RAYS];
  static bool found[RAYS];
  rng r = rng_make(rng_seed("mesh_degenerate/batches", 94));
  for (int i = 0; i < 3; i++) {
    test_mesh mesh = test_mesh_make(TEST_MESH_COLLINEAR, sizes[i], &r);
    keep_degenerate(&mesh);
    mesh_family family;
    mesh_family_build(&family, &mesh, true);
    mo_aabb box = test_mesh_bounds(&mesh);
    mo_batch_def def = mo_default_batch_def();
    def.count = i < 2 ? RAYS : RAYS / 10;
    def.origins = mo_vec3_array_of(origins, sizeof *origins);
    def.directions = mo_vec3_array_of(directions, sizeof *directions);
    for (int eyes = 0; eyes < 2; eyes++) {
      uint32_t by_rounding = 0;
      for (size_t k = 0; k < def.count; k++) {
        sample_target target = {.bounds = box};
        test_mesh_corners(&mesh, rng_below(&r, mesh.triangle_count), target.corners);
        mo_ray_def ray = sample_aimed_ray(0, &target, &r);
        if (eyes == 0) {
          mo_vec3 eye = {box.upper.x + 29.3f, box.upper.y + 4.1f, box.upper.z + 1.7f};
          mo_vec3 to = target.corners[k % 3];
          ray.origin = eye;
          ray.direction = (mo_vec3){to.x - eye.x, to.y - eye.y, to.z - eye.z};
        }
        origins[k] = ray.origin;
        directions[k] = ray.direction;
        by_rounding += mesh.triangle_count < 10000 ? hits_by_rounding(&mesh, &ray) : 0;
      }
      cr_assert(by_rounding > 100 || mesh.triangle_count >= 10000, "only %u hits by rounding",
                by_rounding);
      for (uint32_t m = 0; m < family.count; m++) {
        expect_nothing_in_batch(family.meshes[m], family.names[m], &def, found);
      }
    }
    cr_assert(mesh_family_free(&family));
    test_mesh_free(&mesh);
  }
}

/* One ray of eight meets triangles, several in one leaf: packets then test them ray by ray. */
Test(mesh_degenerate, in_packets_of_few_rays) {
  enum { RAYS = 1024 };
  static mo_vec3 origins[RAYS], directions[RAYS];
  static bool found[RAYS];
  rng r = rng_make(rng_seed("mesh_degenerate/packets", 96));
  for (uint32_t size = 12; size <= 1200; size *= 10) {
    test_mesh mesh = test_mesh_make(TEST_MESH_COLLINEAR, size, &r);
    keep_degenerate(&mesh);
    mesh_family family;
    mesh_family_build(&family, &mesh, true);
    mo_aabb box = test_mesh_bounds(&mesh);
    mo_vec3 eye = {box.upper.x + 29.3f, box.upper.y + 4.1f, box.upper.z + 1.7f};
    uint32_t by_rounding = 0;
    for (size_t k = 0; k < RAYS; k++) {
      mo_ray_def ray = mo_default_ray_def();
      uint32_t hits = 0;
      for (int tries = 0; tries < 20 && hits == 0; tries++) {
        mo_vec3 c[3], to;
        test_mesh_corners(&mesh, rng_below(&r, mesh.triangle_count), c);
        to = c[rng_below(&r, 3)];
        to.y = k % 8 == 0 ? to.y : 2 * box.lower.y - box.upper.y - 1;
        ray.origin = eye;
        ray.direction = (mo_vec3){to.x - eye.x, to.y - eye.y, to.z - eye.z};
        hits = k % 8 == 0 ? hits_by_rounding(&mesh, &ray) : 1;
      }
      by_rounding += k % 8 == 0 ? hits : 0;
      origins[k] = ray.origin;
      directions[k] = ray.direction;
    }
    cr_assert(by_rounding > 50, "only %u hits by rounding", by_rounding);
    mo_batch_def def = mo_default_batch_def();
    def.count = RAYS;
    def.origins = mo_vec3_array_of(origins, sizeof *origins);
    def.directions = mo_vec3_array_of(directions, sizeof *directions);
    for (uint32_t m = 0; m < family.count; m++) {
      expect_nothing_in_batch(family.meshes[m], family.names[m], &def, found);
    }
    cr_assert(mesh_family_free(&family));
    test_mesh_free(&mesh);
  }
}
