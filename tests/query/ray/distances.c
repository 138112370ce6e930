/* Rays that a scene leads into meshes, aimed at corners of triangles through transforms that
 * stretch axes unevenly, from ever farther away and of ever other lengths: on both sides of what is
 * a ray of the fast path there, with the margins of each. */
#include <criterion/criterion.h>
#include <math.h>

#include "oracle/oracle.h"
#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

static scene_family family;
static oracle_scene oracle;

static mo_vec3 along(mo_vec3 from, float s, mo_vec3 d) {
  return (mo_vec3){from.x + s * d.x, from.y + s * d.y, from.z + s * d.z};
}

static const mo_scene *const *subjects(void) {
  return (const mo_scene *const *)family.scenes;
}

/* Rigid, mirrored or sheared, with ratios of the scales on both sides of the limits of the fast
 * path; or the world's axes, stretched. */
static mo_transform any_transform(rng *r) {
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_SHEAR,
                                             RNG_MIRROR};
  if (rng_below(r, 4) > 0) {
    return rng_transform(r, kinds[rng_below(r, 4)], 10);
  }
  mo_transform t = mo_transform_identity();
  t.x_axis.x = ldexpf(1, (int)rng_below(r, 5));
  t.y_axis.y = rng_float(r, 0.2f, 5);
  t.origin = rng_vec3(r, -10, 10);
  return t;
}

static mo_ray_def any_ray(rng *r, const oracle_shape *shape, float size) {
  const oracle_mesh *mesh = &oracle.meshes[shape->mesh];
  const mo_vec3 *corners = mesh->triangles[rng_below(r, mesh->count)].corners;
  mo_vec3 to = mo_affine_point_to_world_float(&shape->affine, corners[rng_below(r, 3)]);
  mo_vec3 d = rng_direction(r);
  if (rng_chance(r, 0.3)) {
    /* Along an axis of the mesh, or nearly so. */
    const mo_transform *t = &shape->affine.to_world;
    const mo_vec3 *axes[3] = {&t->x_axis, &t->y_axis, &t->z_axis};
    d = along(*axes[rng_below(r, 3)], rng_below(r, 2) ? 0 : ldexpf(1, -(int)rng_below(r, 60)), d);
  }
  float distance = ldexpf(rng_float(r, 1, 2) * size, (int)rng_below(r, 14) - 2);
  float scale = ldexpf(1, (int)rng_below(r, 50) - 25);
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = along(to, -distance, d);
  ray.direction = along((mo_vec3){0, 0, 0}, scale, d);
  if (rng_chance(r, 0.3)) {
    ray.max_t = rng_float(r, 0.9f, 1.1f) * distance / scale;
  }
  if (rng_chance(r, 0.3)) {
    ray.min_t = rng_float(r, 0.8f, 1.0f) * distance / scale;
  }
  ray.cull_back_faces = rng_chance(r, 0.2);
  return ray;
}

static void check_mesh(const test_mesh *source, uint32_t shapes, rng *r, uint64_t rounds) {
  mo_mesh *mesh = test_mesh_build(source);
  scene_family_create(&family);
  for (uint32_t i = 0; i < shapes; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    def.geometry.mesh = mesh;
    def.transform = any_transform(r);
    mo_shape_id id;
    cr_assert_eq(scene_family_add(&family, &def, &id), MO_OK);
  }
  scene_family_update(&family);
  oracle_scene_read(&oracle, family.scenes[0]);
  for (uint64_t i = 0; i < rounds; i++) {
    mo_ray_def ray = any_ray(r, &oracle.shapes[rng_below(r, shapes)], 2);
    cr_assert(check_scene_ray(subjects(), family.count, &oracle, &ray, CHECK_FAST), "%s, %u: %s",
              source->name, shapes, check_why());
  }
  oracle_scene_free(&oracle);
  mo_mesh_release(mesh);
  cr_assert(scene_family_free(&family), "memory is outstanding");
}

Test(scene_distances, rays_as_brute_force) {
  static const test_mesh_kind kinds[] = {TEST_MESH_LATTICE, TEST_MESH_SPHERE, TEST_MESH_BOX};
  static const uint32_t sizes[] = {40, 150}, shapes[] = {1, 1, 2, 9};
  rng r = rng_make(rng_seed("scene_distances/rays", 24));
  uint64_t rounds = rng_rounds(25, 1000);
  for (int k = 0; k < 3; k++) {
    for (int size = 0; size < 2; size++) {
      test_mesh mesh = test_mesh_make(kinds[k], sizes[size], &r);
      for (int i = 0; i < 24; i++) {
        check_mesh(&mesh, shapes[i % 4], &r, rounds);
      }
      test_mesh_free(&mesh);
    }
  }
}
