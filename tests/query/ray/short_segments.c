/* Short segments through shapes, which begin at the segment entries of meshes
 * (mesh/rays/segment_entries.h), against brute force: by whatever map they get into the spaces of
 * the meshes. */
#include <criterion/criterion.h>
#include <math.h>

#include <motte/batch.h>

#include "reference/reference.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/families.h"

enum { RAYS = 120 };

static mo_vec3 mix(mo_vec3 a, float s, mo_vec3 b) {
  return (mo_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* One that ends at a point of a triangle, or before or behind it, and is shorter than the mesh is
 * wide there; `width`: local. */
static mo_ray_def sample_segment(rng *r, const test_mesh *mesh, const mo_transform *transform,
                                 float width) {
  mo_vec3 corners[3];
  test_mesh_corners(mesh, rng_below(r, mesh->triangle_count), corners);
  float a = rng_below(r, 3) == 0 ? 0.0f : rng_float(r, 0, 0.5f);
  float b = rng_below(r, 3) == 0 ? 0.0f : rng_float(r, 0, 0.5f);
  mo_vec3 at = mix(mix(corners[0], -a, corners[0]), a, corners[1]);
  at = mix(mix(at, -b, corners[0]), b, corners[2]);
  mo_vec3 from = mix(at, width * powf(2.0f, -rng_float(r, 1, 14)), rng_direction(r));
  mo_vec3 end = mo_transform_point(transform, at);
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = mo_transform_point(transform, from);
  ray.direction = mix(end, -1.0f, ray.origin);
  if (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0) {
    ray.direction.x = 1e-20f;
  }
  ray.max_t = rng_below(r, 2) == 0 ? 1.0f : rng_float(r, 0.7f, 1.5f);
  ray.min_t = rng_below(r, 4) == 0 ? ray.max_t * rng_float(r, 0, 1) : 0.0f;
  ray.cull_back_faces = rng_below(r, 4) == 0;
  return ray;
}

static uint32_t check_segments(const mo_scene *scene, const mo_ray_def *rays, const char *name) {
  uint32_t hit_count = 0;
  for (uint32_t i = 0; i < RAYS; i++) {
    reference_ray naive = {.ray = mo_default_ray_def()};
    mo_ray_hit hit, expected;
    bool any;
    naive.ray = rays[i];
    naive.traversal = REFERENCE_NAIVE;
    cr_assert_eq(reference_scene_cast_ray(scene, &naive, &expected, NULL), MO_OK);
    cr_assert_eq(mo_scene_cast_ray(scene, &rays[i], &hit, NULL), MO_OK);
    cr_assert_eq(mo_scene_test_ray(scene, &rays[i], &any, NULL), MO_OK);
    cr_assert(check_same_hit(&hit, &expected), "%s, ray %u: %s", name, i, check_why());
    cr_assert_eq(any, expected.found, "%s, ray %u", name, i);
    hit_count += hit.found;
  }
  return hit_count;
}

static void check_batch(const mo_scene *scene, mo_ray_def *rays, const char *name) {
  static mo_ray_hit hits[RAYS];
  static bool found[RAYS];
  mo_batch_def def = test_batch_def_of(rays, RAYS);
  def.coherence = MO_COHERENCE_INCOHERENT;
  mo_batch_output output = {.hit = {hits, sizeof *hits}};
  cr_assert_eq(mo_scene_cast_rays(scene, &def, &output, NULL, NULL), MO_OK);
  output = (mo_batch_output){.found = {found, sizeof *found}};
  cr_assert_eq(mo_scene_test_rays(scene, &def, &output, NULL, NULL), MO_OK);
  for (uint32_t i = 0; i < RAYS; i++) {
    mo_ray_def ray = rays[i];
    mo_ray_hit hit;
    ray.cull_back_faces = false;
    cr_assert_eq(mo_scene_cast_ray(scene, &ray, &hit, NULL), MO_OK);
    cr_assert(check_same_hit(&hits[i], &hit), "%s, ray %u of a batch: %s", name, i, check_why());
    cr_assert_eq(found[i], hit.found, "%s, ray %u of a batch", name, i);
  }
}

/* Meshes near zero and far from it in their own spaces, where the margin is not small. */
Test(short_segments, agrees_with_brute_force) {
  static const float aways[] = {0, 40, 1e4f, 1e6f};
  static mo_ray_def rays[RAYS];
  rng r = rng_make(rng_seed("query/ray/short_segments", 5201));
  uint32_t hits = 0, all = 0;
  for (uint64_t round = rng_few_rounds(1, 100); round-- > 0;) {
    for (int away = 0; away < 4; away++) {
      test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 500, &r);
      mo_vec3 aside = rng_direction(&r);
      test_mesh_place(&mesh, 1.0f, mix((mo_vec3){0, 0, 0}, aways[away], aside));
      mo_mesh *made = test_mesh_build(&mesh);
      mo_aabb bounds = test_mesh_bounds(&mesh);
      for (int kind = 0; kind <= RNG_SLIVER; kind++) {
        if (kind == RNG_HUGE && away > 0) {
          continue; /* out of range */
        }
        mo_scene_def scene_def = mo_default_scene_def();
        scene_def.isa = family_isa(rng_below(&r, family_isa_count()));
        mo_scene *scene;
        cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
        uint32_t count = 1 + 2 * rng_below(&r, 2);
        mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
        def.geometry.mesh = made;
        for (uint32_t i = 0; i < count; i++) {
          mo_shape_id id;
          def.transform = rng_transform(&r, (rng_transform_kind)kind, 2.0f);
          cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
        }
        cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
        for (uint32_t i = 0; i < RAYS; i++) {
          rays[i] = sample_segment(&r, &mesh, &def.transform, bounds.upper.x - bounds.lower.x);
        }
        const char *name = rng_transform_kind_name((rng_transform_kind)kind);
        hits += check_segments(scene, rays, name);
        check_batch(scene, rays, name);
        all += RAYS;
        mo_scene_destroy(scene);
      }
      mo_mesh_release(made);
      test_mesh_free(&mesh);
    }
  }
  cr_assert(hits > all / 4 && hits < all - all / 10, "%u of %u", hits, all);
}
