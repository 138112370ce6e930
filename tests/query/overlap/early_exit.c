/* How much a yes or no about a region and a mesh reads, by the counts of the statistics: as little
 * through a scene as on the mesh alone, and no more for large regions than for small ones. A search
 * that takes triangles for candidates that only touch the box around a region would first read all
 * those in its corners. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/overlap.h>

#include "support/meshes.h"
#include "support/scenes.h"

enum { CELLS = 160, PROBES = 400 };

/* A rough floor of cells 1 wide around the origin, in the plane y = 0 to 0.4. */
static mo_mesh *make_floor(mo_mesh_quality quality) {
  test_mesh floor = {.name = "floor"};
  for (uint32_t i = 0; i <= CELLS; i++) {
    for (uint32_t k = 0; k <= CELLS; k++) {
      test_mesh_add_vertex(&floor, (float)i - 0.5f * CELLS, 0.1f * (float)((3 * i + 7 * k) % 5),
                           (float)k - 0.5f * CELLS);
    }
  }
  for (uint32_t i = 0; i < CELLS; i++) {
    for (uint32_t k = 0; k < CELLS; k++) {
      uint32_t a = i * (CELLS + 1) + k, b = a + CELLS + 1;
      test_mesh_add_triangle(&floor, a, a + 1, b);
      test_mesh_add_triangle(&floor, b, a + 1, b + 1);
    }
  }
  mo_mesh_def def = test_mesh_def(&floor);
  def.build.quality = quality;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  test_mesh_free(&floor);
  return mesh;
}

/* The kinds of regions; all but boxes have the same size along all axes. */
typedef enum region_kind { BALL, SPHERE, CAPSULE, CYLINDER, ROUNDED_BOX, BOX, KINDS } region_kind;

/* A region around a point: its core reaches `radius` in all directions. */
static mo_overlap_def region_at(region_kind kind, mo_vec3 at, float radius,
                                const mo_transform *rotation) {
  mo_transform place = *rotation;
  place.origin = at;
  mo_vec3 half = {radius, radius, radius}, up = {0, radius, 0}, down = {0, -radius, 0};
  mo_geometry geometry = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, radius}};
  switch (kind) {
  case BALL:
    return mo_overlap_sphere_def((mo_sphere){at, radius});
  case BOX:
    return mo_overlap_aabb_def((mo_aabb){{at.x - radius, at.y - radius, at.z - radius},
                                         {at.x + radius, at.y + radius, at.z + radius}});
  case CAPSULE:
    geometry = (mo_geometry){.type = MO_SHAPE_CAPSULE, .capsule = {down, up, radius}};
    break;
  case CYLINDER:
    geometry = (mo_geometry){.type = MO_SHAPE_CYLINDER, .cylinder = {down, up, radius}};
    break;
  case ROUNDED_BOX:
    geometry = (mo_geometry){.type = MO_SHAPE_BOX, .rounding = radius, .box = {{0, 0, 0}, half}};
    break;
  default:
    break;
  }
  return mo_overlap_primitive_def(mo_primitive_of_geometry(&geometry, &place));
}

/* The blocks of triangles that yes-or-no queries read, in the mean, for regions around points
 * `height` above the floor, all of which touch it. `map` takes the floor to the world; null: the
 * mesh is queried. */
static double blocks_read(const mo_mesh *mesh, const mo_transform *map, region_kind kind,
                          float radius, float height, rng r) {
  mo_scene *scene = test_scene_empty();
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  mo_shape_id id;
  shape.geometry.mesh = (mo_mesh *)mesh;
  shape.transform = map != NULL ? *map : mo_transform_identity();
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
  mo_query_stats stats = {0};
  for (uint32_t i = 0; i < PROBES; i++) {
    mo_vec3 at = rng_vec3(&r, -0.25f * CELLS, 0.25f * CELLS);
    at.y = 0.2f + height;
    mo_transform rotation = rng_transform(&r, RNG_RIGID, 1);
    mo_overlap_def def =
        region_at(kind, mo_transform_point(&shape.transform, at), radius, &rotation);
    bool found;
    cr_assert_eq(map != NULL ? mo_scene_test_overlap(scene, &def, &found, &stats)
                             : mo_mesh_test_overlap(mesh, &def, &found, &stats),
                 MO_OK);
    cr_assert(found);
  }
  mo_scene_destroy(scene);
  return (double)stats.mesh_block_count / PROBES;
}

Test(early_exit, is_that_of_the_mesh_alone) {
  const float radii[] = {0.7f, 3, 13, 37};
  const mo_transform identity = mo_transform_identity();
  rng r = rng_make(rng_seed("early_exit/mesh", 361));
  for (int quality = MO_MESH_QUALITY_FAST; quality <= MO_MESH_QUALITY_HIGH; quality++) {
    mo_mesh *mesh = make_floor((mo_mesh_quality)quality);
    for (int i = 0; i < 8 * KINDS; i++) {
      region_kind kind = (region_kind)(i / 8);
      float radius = radii[i % 4], height = i % 8 < 4 ? 0 : 0.7f * radius;
      double alone = blocks_read(mesh, NULL, kind, radius, height, r);
      double in_scene = blocks_read(mesh, &identity, kind, radius, height, r);
      cr_assert_leq(alone, 3.5, "kind %d of %g: %g", kind, (double)radius, alone);
      cr_assert_leq(in_scene, 1.02 * alone, "kind %d of %g: %g, alone %g", kind, (double)radius,
                    in_scene, alone);
    }
    mo_mesh_release(mesh);
  }
}

/* Where transforms shear boxes, the boxes of nodes around the border of a region are less close. */
Test(early_exit, under_all_transforms) {
  static const struct {
    rng_transform_kind kind;
    double max_blocks;
  } maps[] = {{RNG_RIGID, 3},  {RNG_UNIFORM_SCALE, 3}, {RNG_NONUNIFORM_SCALE, 15},
              {RNG_SHEAR, 15}, {RNG_MIRROR, 3},        {RNG_FLAT, 15}};
  rng r = rng_make(rng_seed("early_exit/transforms", 362));
  mo_mesh *mesh = make_floor(MO_MESH_QUALITY_DEFAULT);
  for (int i = 0; i < 30; i++) {
    mo_transform map = rng_transform(&r, maps[i % 6].kind, 2);
    for (int kind = 0; kind < KINDS; kind++) {
      double blocks = blocks_read(mesh, &map, (region_kind)kind, 20, 0, r);
      cr_assert_leq(blocks, maps[i % 6].max_blocks, "transform %d, kind %d: %g", i, kind, blocks);
    }
  }
  mo_mesh_release(mesh);
}
