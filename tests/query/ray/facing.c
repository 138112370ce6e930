/* Hits on transformed shapes with known answers: facing and normals under mirroring, flat shapes,
 * ties, rays that start inside. */
#include <criterion/criterion.h>
#include <math.h>

#include "reference/reference.h"
#include "support/check.h"
#include "support/defs.h"
#include "support/families.h"
#include "support/hulls.h"
#include "support/meshes.h"

static scene_family family;
static mo_mesh *sphere, *square;

static void setup(void) {
  rng r = rng_make(1);
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 300, &r);
  sphere = test_mesh_build(&mesh);
  test_mesh_free(&mesh);
  test_mesh_add_corners(&mesh, (mo_vec3){-1, -1, 0}, (mo_vec3){1, -1, 0}, (mo_vec3){0, 1, 0});
  square = test_mesh_build(&mesh);
  test_mesh_free(&mesh);
  scene_family_create(&family);
}

static void teardown(void) {
  mo_mesh_release(sphere);
  mo_mesh_release(square);
  cr_assert(scene_family_free(&family));
}

TestSuite(scene_hits, .init = setup, .fini = teardown);

static mo_shape_id add_mesh(mo_mesh *mesh, const mo_transform *transform) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = mesh;
  def.transform = *transform;
  mo_shape_id id;
  cr_assert_eq(scene_family_add(&family, &def, &id), MO_OK);
  return id;
}

/* The closest hit, the same for all scenes and traversals. */
static mo_ray_hit cast(mo_ray_def ray) {
  mo_ray_hit first = {0}, hit = {0};
  for (uint32_t i = 0; i < family.count; i++) {
    for (int j = 0; j < 3; j++) {
      reference_ray reference = {.ray = mo_default_ray_def()};
      reference.ray = ray;
      reference.traversal = (reference_traversal)j;
      cr_assert_eq(reference_scene_cast_ray(family.scenes[i], &reference, &hit, NULL), MO_OK);
      cr_assert((i == 0 && j == 0) || check_same_hit(&hit, &first));
      first = hit;
    }
  }
  return hit;
}

static mo_ray_def ray_between(mo_vec3 from, mo_vec3 to) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = from;
  ray.direction = (mo_vec3){to.x - from.x, to.y - from.y, to.z - from.z};
  return ray;
}

static double along(mo_vec3 n, mo_vec3 d) {
  return (double)n.x * d.x + (double)n.y * d.y + (double)n.z * d.z;
}

/* A closed mesh with outward normals keeps them outward under every map that has a volume: from
 * outside it is met in front, with a normal against the ray; from inside from behind. */
Test(scene_hits, outward_stays_outward) {
  rng r = rng_make(rng_seed("scene_hits/outward", 91));
  uint32_t mirrored = 0, sheared = 0;
  for (int i = 0; i < 2000; i++) {
    static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_SHEAR,
                                               RNG_MIRROR, RNG_UNIFORM_SCALE};
    mo_transform t = rng_transform(&r, kinds[rng_below(&r, 5)], 3);
    if (rng_below(&r, 2)) { /* strongly sheared: rays stay in the world */
      float s = rng_float(&r, 3, 30);
      t.x_axis = (mo_vec3){t.x_axis.x + s * t.y_axis.x, t.x_axis.y + s * t.y_axis.y,
                           t.x_axis.z + s * t.y_axis.z};
      sheared++;
    }
    if (rng_below(&r, 2)) {
      t.z_axis = (mo_vec3){-t.z_axis.x, -t.z_axis.y, -t.z_axis.z};
      mirrored++;
    }
    mo_shape_id id = add_mesh(sphere, &t);
    mo_vec3 d = rng_direction(&r);
    mo_vec3 outside = {t.origin.x + 1000 * d.x, t.origin.y + 1000 * d.y, t.origin.z + 1000 * d.z};
    mo_ray_def ray = ray_between(outside, t.origin);
    mo_ray_hit hit = cast(ray);
    cr_assert(hit.found && hit.front, "round %d: met from behind", i);
    cr_assert_lt(along(hit.normal, ray.direction), 0, "round %d: the normal points inward", i);
    ray.cull_back_faces = true;
    mo_ray_hit culled = cast(ray);
    cr_assert(check_same_hit(&hit, &culled), "round %d: culled by facing", i);

    ray = ray_between(t.origin, outside);
    hit = cast(ray);
    cr_assert(hit.found && !hit.front, "round %d: met in front from inside", i);
    cr_assert_gt(along(hit.normal, ray.direction), 0);
    ray.cull_back_faces = true;
    cr_assert_not(cast(ray).found);
    cr_assert_eq(scene_family_remove(&family, id), MO_OK);
  }
  cr_assert(mirrored > 100 && sheared > 100);
}

/* Scaled by zero along its normal a sphere becomes a disc, hit from both sides. */
Test(scene_hits, flattened_mesh) {
  for (int axis = 0; axis < 3; axis++) {
    mo_vec3 scale = {2, 2, 2};
    *(axis == 0 ? &scale.x : axis == 1 ? &scale.y : &scale.z) = 0;
    mo_vec3 n = {axis == 0, axis == 1, axis == 2};
    mo_transform t = mo_transform_make((mo_vec3){1, 2, 3}, (mo_quat){0, 0, 0, 1}, scale);
    mo_shape_id id = add_mesh(sphere, &t);
    for (int side = -1; side <= 1; side += 2) {
      float s = 5 * (float)side;
      /* Beside the middle by amounts that no edge of the mesh has. */
      mo_vec3 at = {1.31f, 2.13f, 2.87f};
      *(axis == 0 ? &at.x : axis == 1 ? &at.y : &at.z) = (float)(axis + 1);
      mo_ray_hit hit =
          cast(ray_between((mo_vec3){at.x + s * n.x, at.y + s * n.y, at.z + s * n.z}, at));
      cr_assert(hit.found, "axis %d, side %d", axis, side);
      cr_assert_float_eq(hit.t, 1, 1e-6);
      cr_assert_float_eq(fabs(along(hit.normal, n)), 1, 1e-6);
      uint32_t total = 0;
      mo_ray_def ray = ray_between((mo_vec3){at.x + s * n.x, at.y + s * n.y, at.z + s * n.z}, at);
      cr_assert_eq(mo_scene_cast_ray_all(family.scenes[0], &ray, NULL, 0, &total, NULL), MO_OK);
      cr_assert_eq(total, 2, "both halves of the sphere lie in the disc: %u", total);
    }
    /* Within the disc there is nothing to hit, but it overlaps. */
    mo_aabb box = {{0.9f, 1.9f, 2.9f}, {1.1f, 2.1f, 3.1f}};
    mo_shape_id found;
    uint32_t total = 0;
    for (uint32_t i = 0; i < family.count; i++) {
      cr_assert_eq(
          mo_scene_overlap_shapes(family.scenes[i], IN_AABB(box, NULL), &found, 1, &total, NULL),
          MO_OK);
      cr_assert_eq(total, 1);
    }
    cr_assert_eq(scene_family_remove(&family, id), MO_OK);
  }
}

/* Scaled to a line or a point it cannot be hit, but still overlaps. */
Test(scene_hits, mesh_scaled_to_a_line_or_point) {
  for (int zeros = 2; zeros <= 3; zeros++) {
    mo_transform t = mo_transform_make((mo_vec3){0, 0, 0}, (mo_quat){0, 0, 0, 1},
                                       (mo_vec3){0, 0, zeros == 2 ? 3.0f : 0.0f});
    mo_shape_id id = add_mesh(sphere, &t);
    cr_assert_not(cast(ray_between((mo_vec3){0.1f, 5, 0.1f}, (mo_vec3){0, 0, 0})).found);
    mo_sphere near = {{0.5f, 0, 0}, 0.5f}, away = {{0.6f, 0, 0}, 0.5f};
    uint32_t total = 0;
    cr_assert_eq(
        mo_scene_overlap_shapes(family.scenes[0], IN_SPHERE(near, NULL), NULL, 0, &total, NULL),
        MO_OK);
    cr_assert_eq(total, 1);
    cr_assert_eq(
        mo_scene_overlap_shapes(family.scenes[0], IN_SPHERE(away, NULL), NULL, 0, &total, NULL),
        MO_OK);
    cr_assert_eq(total, 0);
    cr_assert_eq(scene_family_remove(&family, id), MO_OK);
  }
}

/* Equal t: the lower shape index wins, whatever the order in the tree. */
Test(scene_hits, ties_go_to_the_lower_shape) {
  mo_transform identity = mo_transform_identity();
  mo_shape_id ids[20];
  for (int i = 0; i < 20; i++) {
    ids[i] = add_mesh(square, &identity);
  }
  mo_ray_def ray = ray_between((mo_vec3){0, 0, 2}, (mo_vec3){0, 0, 0});
  for (int i = 0; i < 20; i++) {
    mo_ray_hit hit = cast(ray);
    cr_assert_eq(hit.shape.index, ids[i].index);
    mo_ray_hit all[20];
    uint32_t total;
    for (uint32_t j = 0; j < family.count; j++) {
      cr_assert_eq(mo_scene_cast_ray_all(family.scenes[j], &ray, all, 20, &total, NULL), MO_OK);
      cr_assert_eq(total, 20 - (uint32_t)i);
      for (uint32_t k = 0; k < total; k++) {
        cr_assert_eq(all[k].shape.index, ids[(uint32_t)i + k].index);
      }
    }
    cr_assert_eq(scene_family_remove(&family, ids[i]), MO_OK);
  }
}

/* Solid shapes are entered once; a ray from inside has t = min_t and no normal. */
Test(scene_hits, solids) {
  static const mo_shape_type types[] = {MO_SHAPE_SPHERE,   MO_SHAPE_BOX,  MO_SHAPE_CAPSULE,
                                        MO_SHAPE_CYLINDER, MO_SHAPE_CONE, MO_SHAPE_HULL};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    mo_shape_def def = mo_default_shape_def(types[i]);
    if (types[i] == MO_SHAPE_CAPSULE) {
      def.geometry.capsule.a = def.geometry.capsule.b = (mo_vec3){0, 0, 0};
      def.geometry.capsule.radius = 1;
    }
    if (types[i] == MO_SHAPE_CYLINDER) {
      def.geometry.cylinder = (mo_cylinder){{0, 0, -1}, {0, 0, 1}, 1};
    }
    if (types[i] == MO_SHAPE_HULL) {
      def.geometry.hull = test_hull(TEST_HULL_CUBE);
    }
    if (types[i] == MO_SHAPE_CONE) { /* entered through its base */
      def.geometry.cone = (mo_cone){{1, 0, 0}, {-1, 0, 0}, 2};
    }
    def.transform =
        mo_transform_make((mo_vec3){5, 0, 0}, (mo_quat){0, 0, 0, 1}, (mo_vec3){2, 1, -3});
    mo_shape_id id;
    cr_assert_eq(scene_family_add(&family, &def, &id), MO_OK);
    mo_ray_hit hit = cast(ray_between((mo_vec3){0, 0, 0}, (mo_vec3){1, 0, 0}));
    cr_assert(hit.found && hit.front);
    cr_assert_float_eq(hit.t, 3, 1e-6);
    cr_assert_float_eq(hit.normal.x, -1, 1e-6);
    cr_assert_eq(hit.triangle, MO_NO_TRIANGLE);
    hit = cast(ray_between((mo_vec3){5, 0.5f, 0}, (mo_vec3){6, 0.5f, 0}));
    cr_assert(hit.found && hit.t == 0);
    cr_assert(hit.normal.x == 0 && hit.normal.y == 0 && hit.normal.z == 0);
    mo_ray_def ray = ray_between((mo_vec3){0, 0, 0}, (mo_vec3){1, 0, 0});
    ray.min_t = 4;
    hit = cast(ray);
    cr_assert(hit.found && hit.t == 4);
    ray.min_t = 8;
    cr_assert_not(cast(ray).found);
    cr_assert_eq(scene_family_remove(&family, id), MO_OK);
  }
}

/* embree#423, #387: a nearer hit in a shape that is visited later must win. */
Test(scene_hits, nearest_of_nested_shapes) {
  mo_transform identity = mo_transform_identity();
  for (int i = 0; i < 40; i++) {
    float s = 1 + 0.1f * (float)((7 * i) % 40);
    mo_transform t = identity;
    t.x_axis.x = t.y_axis.y = t.z_axis.z = s;
    add_mesh(sphere, &t);
  }
  mo_ray_hit hit = cast(ray_between((mo_vec3){0.01f, 0.02f, 100}, (mo_vec3){0.01f, 0.02f, 0}));
  cr_assert(hit.found);
  cr_assert_float_eq(hit.point.z, 4.9f, 0.1, "%g", (double)hit.point.z);
  hit = cast(ray_between((mo_vec3){0.01f, 0.02f, 0}, (mo_vec3){0.01f, 0.02f, 1}));
  cr_assert_float_eq(hit.point.z, 1.0f, 0.05, "%g", (double)hit.point.z);
}

/* Movement is seen at once, without an update. */
Test(scene_hits, moves_are_seen_at_once) {
  mo_transform t = mo_transform_identity();
  mo_shape_id id = add_mesh(square, &t);
  mo_ray_def ray = ray_between((mo_vec3){0, 0, 2}, (mo_vec3){0, 0, 0});
  cr_assert(cast(ray).found);
  t.origin.x = 1e4f;
  cr_assert_eq(scene_family_move(&family, id, &t), MO_OK);
  cr_assert_not(cast(ray).found);
  ray.origin.x = 1e4f;
  cr_assert(cast(ray).found);
  cr_assert_eq(scene_family_remove(&family, id), MO_OK);
  cr_assert_not(cast(ray).found);
}
