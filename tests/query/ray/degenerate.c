/* Degenerate triangles of shapes: where the transform can be inverted it is their corners in the
 * mesh that count; where it is singular, those in the world. */
#include <criterion/criterion.h>
#include <math.h>

#include "geometry/ray/triangle.h"
#include "math/affine.h"
#include "oracle/exact.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

static scene_family family;
static oracle_scene oracle;

static mo_vec3 few_sixteenths(rng *r) {
  float c[3];
  for (int i = 0; i < 3; i++) {
    c[i] = 0.0625f * (float)((int)rng_below(r, 9) - 4);
  }
  return (mo_vec3){c[0], c[1], c[2]};
}

/* Lattices flattened far from the origin: some of their sides become segments, exactly, as all
 * coordinates are whole multiples of 1/16. */
static mo_transform flattening(rng *r) {
  mo_vec3 at = few_sixteenths(r);
  mo_transform t = mo_transform_identity();
  t.x_axis = few_sixteenths(r);
  t.y_axis = few_sixteenths(r);
  float share = rng_below(r, 4) ? 2 : 0;
  t.z_axis = (mo_vec3){share * t.y_axis.x, share * t.y_axis.y, share * t.y_axis.z};
  t.origin = (mo_vec3){1e6f + 8 * at.x, 9e5f + 8 * at.y, -8e5f + 8 * at.z};
  return t;
}

/* Turns and mirrors about axes, and scales by powers of two: what lies on a line does so in the
 * world. */
static mo_transform turning(rng *r) {
  float axes[3][3] = {{0}};
  uint32_t first = rng_below(r, 3), mirrored = rng_below(r, 2);
  for (uint32_t i = 0; i < 3; i++) {
    float scale = ldexpf(rng_below(r, 2) ? 1 : -1, (int)rng_below(r, 3) - 1);
    axes[i][(mirrored ? first + 2 * i : first + i) % 3] = scale;
  }
  mo_transform t = mo_transform_identity();
  t.x_axis = (mo_vec3){axes[0][0], axes[0][1], axes[0][2]};
  t.y_axis = (mo_vec3){axes[1][0], axes[1][1], axes[1][2]};
  t.z_axis = (mo_vec3){axes[2][0], axes[2][1], axes[2][2]};
  return t;
}

/* A random triangle of a shape as it lies in the world. */
static sample_target target_of(const oracle_shape *shape, const test_mesh *mesh, rng *r) {
  sample_target target = sample_target_of_mesh(mesh, r);
  target.bounds = shape->bounds;
  for (int i = 0; i < 3; i++) {
    target.corners[i] = mo_affine_point_to_world_float(&shape->affine, target.corners[i]);
  }
  return target;
}

/* Whether a ray would hit degenerate triangles of a shape if none were recognised. */
static bool hits_by_rounding(const oracle_shape *shape, const test_mesh *mesh,
                             const mo_ray_def *def) {
  mo_vec3 o = def->origin, d = def->direction, weights = {1, 1, 1}, none = {0, 0, 0};
  bool is_in_world = !mo_affine_ray_to_local(&shape->affine, &o, &d, &weights);
  mo_ray ray;
  mo_ray_init(&ray, &o, &d, def->min_t, &weights, &none, 0);
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mo_vec3 c[3];
    mo_triangle_hit hit;
    test_mesh_corners(mesh, t, c);
    for (int i = 0; is_in_world && i < 3; i++) {
      c[i] = mo_affine_point_to_world_float(&shape->affine, c[i]);
    }
    if (mo_ray_test_nondegenerate_triangle(&ray, c, def->max_t, MO_CULL_NONE, &hit) &&
        exact_is_degenerate(c)) {
      return true;
    }
  }
  return false;
}

/* Many rays of all kinds at the shapes, singly and in batches. */
static uint32_t ask(const test_mesh *mesh, int rounds, rng *r) {
  uint32_t averted = 0;
  const mo_scene *const *scenes = (const mo_scene *const *)family.scenes;
  oracle_scene_read(&oracle, family.scenes[0]);
  for (int i = 0; i < rounds; i++) {
    const oracle_shape *shape = &oracle.shapes[rng_below(r, oracle.shape_count)];
    sample_target target = target_of(shape, mesh, r);
    mo_ray_def ray = sample_aimed_ray(i, &target, r);
    averted += hits_by_rounding(shape, mesh, &ray);
    cr_assert(check_scene_ray(scenes, family.count, &oracle, &ray, i % 8 ? CHECK_FAST : CHECK_FULL),
              "%s", check_why());
  }
  for (int bundle = 0; bundle < TEST_BUNDLE_KIND_COUNT; bundle++) {
    const oracle_shape *shape = &oracle.shapes[rng_below(r, oracle.shape_count)];
    sample_target target = target_of(shape, mesh, r);
    mo_ray_def options = mo_default_ray_def();
    test_batch batch;
    test_batch_make(&batch, (test_bundle)bundle, 100, false, &options, &target, r);
    for (uint32_t s = 0; s < family.count; s++) {
      cr_assert(check_scene_batch(family.scenes[s], &batch, r), "%s", check_why());
    }
    test_batch_free(&batch);
  }
  return averted;
}

/* Enough degenerate triangles would be hit if they were not recognised. */
static void try_mesh(const test_mesh *mesh, bool flat, rng *r) {
  mo_mesh *built = test_mesh_build(mesh);
  scene_family_create(&family);
  for (int i = 0; i < 6; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    def.geometry.mesh = built;
    def.transform = flat ? flattening(r) : turning(r);
    mo_shape_id id;
    cr_assert_eq(scene_family_add(&family, &def, &id), MO_OK);
  }
  scene_family_update(&family);
  int rounds = (int)rng_rounds(800, 50000);
  uint32_t averted = ask(mesh, rounds, r);
  oracle_scene_free(&oracle);
  cr_assert(scene_family_free(&family));
  mo_mesh_release(built);
  cr_assert(averted > (uint32_t)rounds / 16, "nothing would be hit anyway (%u)", averted);
}

Test(query_degenerate, in_the_mesh) {
  rng r = rng_make(rng_seed("query_degenerate/mesh", 94));
  test_mesh mesh = test_mesh_make(TEST_MESH_COLLINEAR, 60, &r);
  try_mesh(&mesh, false, &r);
  test_mesh_free(&mesh);
}

Test(query_degenerate, in_the_world) {
  rng r = rng_make(rng_seed("query_degenerate/world", 95));
  test_mesh mesh = test_mesh_make(TEST_MESH_LATTICE, 48, &r);
  try_mesh(&mesh, true, &r);
  test_mesh_free(&mesh);
}
