/* Top-down building: triangles inserted in parts, in any number and order, give the same answers as
 * all at once. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

static counting_allocator counter;

static mo_mesh *create(const test_mesh *mesh, uint32_t count, uint32_t depth, mo_isa isa,
                       const uint32_t *data) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.triangle_count = count;
  def.triangle_user_data = data;
  def.build.builder = MO_MESH_BUILDER_TOP_DOWN;
  def.build.depth = depth;
  def.build.bounds = test_mesh_bounds(mesh);
  def.isa = isa;
  def.host = counting_allocator_host(&counter);
  mo_mesh *built = NULL;
  mo_result result = mo_mesh_create(&def, &built);
  cr_assert_eq(result, MO_OK, "%s", mo_result_name(result));
  return built;
}

static void check_parts(const test_mesh *mesh, uint32_t depth, rng *r) {
  uint32_t count = mesh->triangle_count, done = rng_below(r, count + 1);
  uint32_t *data = malloc((count + 1) * sizeof *data);
  mo_vec3 *corners = malloc((3 * count + 1) * sizeof *corners);
  for (uint32_t i = 0; i < count; i++) {
    data[i] = 1000 + i;
    test_mesh_corners(mesh, i, corners + 3 * i);
  }
  counting_allocator_init(&counter);
  mo_isa isa = rng_below(r, 2) ? MO_ISA_SCALAR : MO_ISA_AUTO;
  bool late_data = rng_below(r, 2); /* the first part comes without */
  mo_mesh *built = create(mesh, done, depth, isa, late_data ? NULL : data);
  uint32_t without = late_data ? done : 0;
  while (done < count) {
    uint32_t left = count - done, part = rng_below(r, 2) ? 1 : 1 + rng_below(r, left);
    uint32_t first = UINT32_MAX;
    cr_assert_eq(
        mo_mesh_insert_triangles(built, corners + 3 * done, part, data + done, &first, NULL),
        MO_OK);
    cr_assert_eq(first, done);
    done += part;
    cr_assert_eq(mo_mesh_validate(built), MO_OK, "%s after %u triangles", mesh->name, done);
  }
  cr_assert_eq(mo_mesh_triangle_count(built), count);
  oracle_mesh oracle;
  oracle_mesh_read(&oracle, built);
  for (uint32_t i = 0; i < count; i++) {
    cr_assert(memcmp(oracle.triangles[i].corners, corners + 3 * i, 3 * sizeof *corners) == 0);
    cr_assert_eq(oracle.triangles[i].user_data, i < without ? 0 : data[i]);
  }
  const mo_mesh *subject = built;
  for (int i = 0; i < 40; i++) {
    sample_target target = sample_target_of_mesh(mesh, r);
    mo_ray_def ray = sample_any_ray(r, &target);
    mo_aabb box = sample_box(r, &target);
    mo_sphere sphere = sample_sphere(r, &target);
    cr_assert(check_mesh_ray(&subject, 1, &oracle, &ray, CHECK_FULL), "%s: %s", mesh->name,
              check_why());
    cr_assert(check_mesh_aabb(&subject, 1, &oracle, &box), "%s: %s", mesh->name, check_why());
    cr_assert(check_mesh_sphere(&subject, 1, &oracle, &sphere), "%s: %s", mesh->name, check_why());
  }
  oracle_mesh_free(&oracle);
  mo_mesh_release(built);
  cr_assert(counting_allocator_is_clean(&counter));
  free(data);
  free(corners);
}

Test(mesh_insert, in_parts) {
  rng r = rng_make(rng_seed("mesh_insert/parts", 61));
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    for (uint64_t i = 0; i < rng_few_rounds(2, 40); i++) {
      test_mesh mesh = test_mesh_make((test_mesh_kind)kind, 1 + rng_below(&r, 150), &r);
      if (mesh.triangle_count > 0) {
        check_parts(&mesh, 1 + rng_below(&r, 4), &r);
      }
      test_mesh_free(&mesh);
    }
  }
}

Test(mesh_insert, into_an_empty_mesh) {
  rng r = rng_make(rng_seed("mesh_insert/empty", 62));
  test_mesh mesh = test_mesh_make(TEST_MESH_TORUS, 300, &r);
  counting_allocator_init(&counter);
  mo_mesh *built = create(&mesh, 0, 3, MO_ISA_AUTO, NULL);
  cr_assert_eq(mo_mesh_triangle_count(built), 0);
  cr_assert_eq(mo_mesh_validate(built), MO_OK);
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = (mo_vec3){1, 0, 5};
  ray.direction = (mo_vec3){0, 0, -1};
  mo_ray_hit hit;
  cr_assert_eq(mo_mesh_cast_ray(built, &ray, &hit, NULL), MO_OK);
  cr_assert(!hit.found);
  mo_vec3 corners[3];
  test_mesh_corners(&mesh, 0, corners);
  uint32_t first = 9;
  cr_assert_eq(mo_mesh_insert_triangles(built, corners, 0, NULL, &first, NULL), MO_OK);
  cr_assert_eq(mo_mesh_triangle_count(built), 0);
  cr_assert_eq(mo_mesh_insert_triangles(built, corners, 1, NULL, &first, NULL), MO_OK);
  cr_assert_eq(first, 0);
  cr_assert_eq(mo_mesh_validate(built), MO_OK);
  mo_mesh_release(built);
  cr_assert(counting_allocator_is_clean(&counter));
  test_mesh_free(&mesh);
}
