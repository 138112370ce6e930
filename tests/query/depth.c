/* Trees that are as deep as they may be, with all eight children at every level: what waits while a
 * query descends then fills the stacks of the traversals. Each level has a cell half as wide as the
 * one before, towards the origin; the seven others of the level hold two shapes or triangles each,
 * so that none is a leaf of its own. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/query.h>

#include "oracle/box_distances.h"
#include "support/check.h"
#include "support/families.h"

enum { LEVELS = 45, MAX = 14 * LEVELS + 4 };

/* Levels between regions, and octants between trees. With sanitizers a region takes ten
 * times as long. */
#if defined(TEST_SANITIZED)
enum { LEVEL_STEP = 16, OCTANT_STEP = 7 };
#else
enum { LEVEL_STEP = 8, OCTANT_STEP = 1 };
#endif

/* The centres of what lies around the origin, in the octant of these signs. The last four are next
 * to the origin, deeper than any tree. */
static uint32_t nested_points(const float sign[3], mo_vec3 points[MAX], float sizes[MAX]) {
  uint32_t count = 0;
  for (int level = 0; level < LEVELS; level++) {
    float half = ldexpf(1, -level - 1); /* the width of the cells of this level */
    for (int octant = 1; octant < 8; octant++) {
      for (int k = 0; k < 2; k++) {
        float at = k ? 0.75f : 0.25f;
        points[count] = mo_vec(sign[0] * half * ((float)(octant >> 2 & 1) + at),
                               sign[1] * half * ((float)(octant >> 1 & 1) + at),
                               sign[2] * half * ((float)(octant & 1) + at));
        sizes[count++] = 0.125f * half;
      }
    }
  }
  for (int i = 0; i < 4; i++) {
    float at = ldexpf(1 + 0.25f * (float)i, -LEVELS - 2);
    points[count] = mo_vec(sign[0] * at, sign[1] * at, sign[2] * at);
    sizes[count++] = ldexpf(1, -LEVELS - 6);
  }
  return count;
}

static void octant_signs(int octant, float sign[3]) {
  for (int axis = 0; axis < 3; axis++) {
    sign[axis] = octant >> axis & 1 ? -1.0f : 1.0f;
  }
}

/* Regions around the origin, from one that holds nothing but what is next to it to one with all. */
static mo_aabb box_of_level(int level) {
  float h = ldexpf(1.5f, -level);
  return (mo_aabb){mo_vec(-h, -h, -h), mo_vec(h, h, h)};
}

static void ask_scene(const mo_scene *scene, const float sign[3], rng *r) {
  oracle_scene oracle = {0};
  near_shapes shapes;
  oracle_scene_read(&oracle, scene);
  near_shapes_read(&shapes, scene);
  for (int level = 0; level < LEVELS; level += LEVEL_STEP) {
    mo_overlap_def def = mo_default_overlap_def();
    mo_aabb box = box_of_level(level);
    mo_sphere ball = {mo_vec(0, 0, 0), box.upper.x};
    mo_plane planes[2] = {{{1, 1, 1}, box.upper.x}, {{-1, -1, -1}, box.upper.x}};
    cr_assert(check_scene_aabb(&scene, 1, &oracle, &box, &def), "%s", check_why());
    cr_assert(check_scene_sphere(&scene, 1, &oracle, &ball, &def), "%s", check_why());
    def.precision = MO_PRECISION_BOUNDS;
    cr_assert(check_scene_sphere(&scene, 1, &oracle, &ball, &def), "%s", check_why());
    cr_assert(check_scene_planes(&scene, 1, &oracle, planes, 2, &def.filter), "%s", check_why());
    for (int way = 0; way < 2; way++) {
      mo_ray_def ray = mo_default_ray_def();
      float from = way ? 2.0f : -2.0f;
      ray.origin = mo_vec(from * sign[0], from * sign[1], from * sign[2]);
      ray.direction = mo_scale(-1, ray.origin);
      ray.direction.x += ldexpf(1, -level);
      ray.hit_volumes = true;
      cr_assert(check_scene_ray(&scene, 1, &oracle, &ray, CHECK_FULL), "%s", check_why());
    }
    mo_near_def near = mo_default_near_def();
    near.from.lower = near.from.upper = mo_vec(-sign[0] * box.upper.x, 0, 0);
    near_check(scene, &shapes, &near, r);
    near.from.lower = near.from.upper = mo_vec(3, 3, 3);
    near_check(scene, &shapes, &near, r);
  }
  mo_pair_query_def pairs = mo_default_pair_query_def();
  near_check_pairs(scene, &shapes, 0.5f, &pairs, r);
  near_shapes_free(&shapes);
  oracle_scene_free(&oracle);
}

Test(depth, scenes_as_deep_as_they_may_be) {
  static mo_vec3 points[MAX];
  static float sizes[MAX];
  rng r = rng_make(rng_seed("depth/scenes", 251));
  for (int octant = 0; octant < 8; octant += OCTANT_STEP) {
    for (int policy = 0; policy < 3; policy++) {
      float sign[3];
      octant_signs(octant, sign);
      uint32_t count = nested_points(sign, points, sizes);
      mo_scene_def def = mo_default_scene_def();
      def.tree.policy = (mo_tree_policy)policy;
      def.tree.capacity = 1;
      def.isa = family_isa((uint32_t)octant);
      mo_scene *scene;
      cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
      for (uint32_t i = 0; i < count; i++) {
        mo_shape_def shape = mo_default_shape_def(i % 2 ? MO_SHAPE_VOLUME : MO_SHAPE_SPHERE);
        shape.transform.origin = points[i];
        if (i % 2) {
          mo_vec3 half = mo_vec(sizes[i], sizes[i], sizes[i]);
          shape.geometry.volume = (mo_aabb){mo_scale(-1, half), half};
        } else {
          shape.geometry.sphere.radius = sizes[i];
        }
        mo_shape_id id;
        cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
      }
      cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
      cr_assert_eq(mo_scene_validate(scene), MO_OK);
      mo_scene_stats stats;
      cr_assert_eq(mo_scene_get_stats(scene, &stats), MO_OK);
      if (policy == MO_TREE_MIDPOINT) {
        cr_assert_geq(stats.max_depth, MO_SCENE_MAX_DEPTH - 1, "only %u deep", stats.max_depth);
        cr_assert_geq(stats.node_count, 7u * (MO_SCENE_MAX_DEPTH - 2), "only %u nodes",
                      stats.node_count);
      }
      ask_scene(scene, sign, &r);
      mo_scene_destroy(scene);
    }
  }
}

static void ask_mesh(const mo_mesh *mesh, const oracle_mesh *oracle) {
  for (int level = 0; level < LEVELS; level += LEVEL_STEP) {
    mo_aabb box = box_of_level(level);
    mo_sphere ball = {mo_vec(0, 0, 0), box.upper.x};
    mo_plane planes[2] = {{{1, 1, 1}, box.upper.x}, {{-1, -1, -1}, box.upper.x}};
    cr_assert(check_mesh_aabb(&mesh, 1, oracle, &box), "%s", check_why());
    cr_assert(check_mesh_sphere(&mesh, 1, oracle, &ball), "%s", check_why());
    cr_assert(check_mesh_planes(&mesh, 1, oracle, planes, 2), "%s", check_why());
    cr_assert(check_mesh_planes(&mesh, 1, oracle, NULL, 0), "%s", check_why());
    for (int octant = 0; octant < 8; octant++) {
      float sign[3];
      octant_signs(octant, sign);
      mo_ray_def ray = mo_default_ray_def();
      ray.origin = mo_vec(2 * sign[0], 2 * sign[1], 2 * sign[2]);
      ray.direction = mo_scale(-1, ray.origin);
      ray.direction.x += ldexpf(1, -level);
      cr_assert(check_mesh_ray(&mesh, 1, oracle, &ray, CHECK_FULL), "%s", check_why());
    }
    cr_assert(check_mesh_point(&mesh, 1, oracle, mo_vec(-box.upper.x, 0, 0)), "%s", check_why());
  }
}

Test(depth, meshes_as_deep_as_they_may_be) {
  static mo_vec3 points[MAX];
  static float sizes[MAX];
  for (int octant = 0; octant < 8; octant += OCTANT_STEP) {
    float sign[3];
    octant_signs(octant, sign);
    uint32_t count = nested_points(sign, points, sizes);
    test_mesh made = {0};
    for (uint32_t i = 0; i < count; i++) {
      float s = sizes[i];
      mo_vec3 a = mo_add(points[i], mo_vec(s, 0, 0)), b = mo_add(points[i], mo_vec(0, s, 0));
      test_mesh_add_corners(&made, a, b, mo_add(points[i], mo_vec(0, 0, s)));
    }
    for (int compact = 0; compact < 2; compact++) {
      mo_mesh_def def = test_mesh_def(&made);
      def.build.builder = MO_MESH_BUILDER_MIDPOINT;
      def.build.leaf_capacity = 1;
      def.build.compact = compact;
      def.isa = family_isa((uint32_t)octant);
      mo_mesh *mesh;
      mo_mesh_stats stats;
      cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
      cr_assert_eq(mo_mesh_get_stats(mesh, &stats), MO_OK);
      uint32_t deepest = 0;
      for (uint32_t i = 0; i <= MO_MESH_MAX_DEPTH; i++) {
        deepest = stats.leaf_count_at_depth[i] > 0 ? i : deepest;
      }
      cr_assert_eq(deepest, MO_MESH_MAX_DEPTH);
      oracle_mesh oracle;
      oracle_mesh_read(&oracle, mesh);
      ask_mesh(mesh, &oracle);
      oracle_mesh_free(&oracle);
      mo_mesh_release(mesh);
    }
    test_mesh_free(&made);
  }
}
