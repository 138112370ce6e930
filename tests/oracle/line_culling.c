/* The coarse test of lines by the oracle loses no triangle that the exact test hits: otherwise the
 * oracle and the trees could be wrong together. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "geometry/ray/triangle.h"
#include "support/check.h"
#include "support/samples.h"

static uint64_t hits, passed, all;

/* Lets a line through the whole mesh, by every triangle that it comes near, and by every other. */
static void compare(const oracle_mesh *oracle, mo_vec3 origin, mo_vec3 direction, mo_vec3 weights,
                    const char *name) {
  oracle_line line = oracle_line_make(oracle, origin, direction, weights);
  const mo_vec3 none = {0, 0, 0};
  mo_ray prepared;
  mo_ray_init(&prepared, &origin, &direction, 0, &weights, &none, 0);
  unsigned char near[ORACLE_TOGETHER];
  for (uint32_t i = 0; i < oracle->count; i++) {
    if (i % ORACLE_TOGETHER == 0) {
      oracle_line_near(oracle, &line, i, near);
    }
    passed += near[i % ORACLE_TOGETHER];
    mo_triangle_hit hit;
    if (mo_ray_test_nondegenerate_triangle(&prepared, oracle->triangles[i].corners, INFINITY, false,
                                           &hit)) {
      hits++;
      cr_assert(near[i % ORACLE_TOGETHER], "%s: triangle %u from {%a, %a, %a} along {%a, %a, %a}",
                name, i, (double)origin.x, (double)origin.y, (double)origin.z, (double)direction.x,
                (double)direction.y, (double)direction.z);
    }
  }
  all += oracle->count;
}

Test(line_culling, loses_no_hit) {
  rng r = rng_make(rng_seed("oracle/line_culling", 11));
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    for (uint32_t size = 8; size <= 512; size *= 8) {
      test_mesh mesh = test_mesh_make((test_mesh_kind)kind, size, &r);
      mo_mesh *built = test_mesh_build(&mesh);
      oracle_mesh oracle;
      oracle_mesh_read(&oracle, built);
      sample_target target = sample_target_of_mesh(&mesh, &r);
      for (int i = 0; i < 400; i++) {
        sample_other_triangle(&target, &mesh, &r);
        mo_ray_def ray = sample_any_ray(&r, &target);
        mo_vec3 o = ray.origin, d = ray.direction, weights = {1, 1, 1};
        if (d.x == 0 && d.y == 0 && d.z == 0) {
          continue;
        }
        /* Half of them as they come into a shape's space. */
        mo_affine affine;
        rng_transform_kind kind_of_map = (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS);
        mo_transform transform = rng_transform(&r, kind_of_map, 2);
        if (i % 2 && mo_affine_init(&affine, &transform) == MO_OK) {
          mo_affine_ray_to_local(&affine, &o, &d, &weights);
        }
        compare(&oracle, o, d, weights, mesh.name);
      }
      oracle_mesh_free(&oracle);
      mo_mesh_release(built);
      test_mesh_free(&mesh);
    }
  }
  printf("%llu hits; %llu of %llu triangles pass\n", (unsigned long long)hits,
         (unsigned long long)passed, (unsigned long long)all);
  cr_assert(hits > 10000 && passed < all / 2);
}
