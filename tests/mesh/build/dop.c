/* The polytope around a mesh is that around its corners; shapes are stored under boxes that hold
 * them. */
#include <criterion/criterion.h>

#include <motte/scene.h>

#include "mesh/mesh.h"
#include "support/meshes.h"

static double support(const void *points, mo_dvec3 middle, mo_dvec3 d) {
  const test_mesh *mesh = points;
  double max = -INFINITY;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mo_vec3 corners[3];
    test_mesh_corners(mesh, t, corners);
    for (int i = 0; i < 3; i++) {
      max = fmax(max, mo_dop_height_along(corners[i], middle, d));
    }
  }
  return max;
}

/* But for the signs of zeros, which are those of some corners of a flat mesh. */
static bool same_points(const mo_dop *a, const mo_dop *b) {
  bool same = true;
  for (int i = 0; i < MO_DOP_POINTS; i++) {
    for (int k = 0; k < 4; k++) {
      same = same && a->point[i][k] == b->point[i][k];
    }
  }
  return same;
}

static void check_stored(const test_mesh *mesh, mo_mesh *built, rng *r) {
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = built;
  for (int i = 0; i < RNG_TRANSFORM_KINDS; i++) {
    mo_shape_id id;
    mo_affine affine;
    def.transform = rng_transform(r, (rng_transform_kind)i, 10);
    if (mo_scene_add_shape(scene, &def, &id) != MO_OK) {
      continue;
    }
    mo_aabb stored;
    cr_assert_eq(mo_scene_get_bounds(scene, id, &stored), MO_OK);
    cr_assert_eq(mo_affine_init(&affine, &def.transform), MO_OK);
    mo_aabb images = mo_aabb_empty();
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
      mo_vec3 corners[3];
      test_mesh_corners(mesh, t, corners);
      for (int c = 0; c < 3; c++) {
        images = mo_aabb_add_point(images, mo_affine_point_to_world_float(&affine, corners[c]));
      }
    }
    cr_assert(mo_aabb_contains(stored, images),
              "%s, %s: %a %a %a to %a %a %a, not %a %a %a to %a %a %a", mesh->name,
              rng_transform_kind_name((rng_transform_kind)i), (double)stored.lower.x,
              (double)stored.lower.y, (double)stored.lower.z, (double)stored.upper.x,
              (double)stored.upper.y, (double)stored.upper.z, (double)images.lower.x,
              (double)images.lower.y, (double)images.lower.z, (double)images.upper.x,
              (double)images.upper.y, (double)images.upper.z);
  }
  mo_scene_destroy(scene);
}

Test(mesh_dop, is_that_around_all_corners) {
  rng r = rng_make(rng_seed("mesh_dop", 6400));
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    test_mesh mesh = test_mesh_make((test_mesh_kind)kind, 1 + rng_below(&r, 900), &r);
    mo_dop expected;
    if (mesh.triangle_count > 0) {
      mo_dop_init(&expected, test_mesh_bounds(&mesh), support, &mesh);
    }
    for (int form = 0; form < (mesh.triangle_count > 0 ? 4 : 3); form++) {
      mo_mesh_def def = test_mesh_def(&mesh);
      def.build.quality = form == 0 ? MO_MESH_QUALITY_HIGH : MO_MESH_QUALITY_FAST;
      def.build.compact = form == 1;
      def.build.deformable = form == 2;
      if (form == 2) {
        def.build.builder = MO_MESH_BUILDER_SINGLE;
      } else if (form == 3) {
        def.build.builder = MO_MESH_BUILDER_TOP_DOWN;
        def.build.bounds = test_mesh_bounds(&mesh);
      }
      mo_mesh *built;
      cr_assert_eq(mo_mesh_create(&def, &built), MO_OK, "%s: %d", mesh.name, form);
      if (form >= 2 || mesh.triangle_count == 0) {
        cr_assert(mo_aabb_is_empty(built->dop.box), "%s", mesh.name);
      } else {
        cr_assert(same_points(&built->dop, &expected), "%s: %d", mesh.name, form);
      }
      check_stored(&mesh, built, &r);
      mo_mesh_release(built);
    }
    test_mesh_free(&mesh);
  }
}
