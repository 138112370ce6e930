/* The forms of an overlap query of a scene (any, list, one by one; of shapes and of triangles)
 * agree, also where some triangles do not count; and triangles have the corners that the definition
 * says: against the lists of all (which other tests compare with brute force), in scenes of every
 * kind, by every placement policy and instruction set. And the ground, with triangles that do not
 * count. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/hull.h>
#include <stdlib.h>
#include <string.h>

#include "support/defs.h"
#include "support/scenes.h"

enum { MAX = 6000 };

static test_scene scene;

/* Some triangles do not count: by a number of both. */
static bool accept_some(mo_triangle_ref ref, void *context) {
  uint32_t *calls = context;
  ++*calls;
  return (7 * ref.shape.index + ref.triangle) % 3 != 0;
}

static uint32_t calls;

static bool counts(const mo_overlap_def *def, mo_triangle_ref ref) {
  if (ref.triangle == def->ignore_triangle && ref.shape.index == def->ignore_triangle_shape.index &&
      ref.shape.generation == def->ignore_triangle_shape.generation) {
    return false;
  }
  uint32_t none = 0;
  return def->accept_triangle == NULL || accept_some(ref, &none);
}

/* What an unfiltered list says, less what does not count. */
typedef struct expected {
  mo_shape_id shapes[MAX];
  mo_triangle_ref triangles[MAX];
  uint32_t shape_count, triangle_count;
} expected;

static expected wanted;

static bool is_mesh(mo_shape_id id) {
  mo_geometry geometry;
  cr_assert_eq(mo_scene_get_geometry(scene.family.scenes[0], id, &geometry), MO_OK);
  return geometry.type == MO_SHAPE_MESH;
}

static bool has_triangle(mo_shape_id id) {
  for (uint32_t i = 0; i < wanted.triangle_count; i++) {
    if (wanted.triangles[i].shape.index == id.index) {
      return true;
    }
  }
  return false;
}

static void expect(const mo_overlap_def *def) {
  const mo_scene *subject = scene.family.scenes[0];
  mo_overlap_def all = *def;
  all.ignore_triangle = MO_NO_TRIANGLE;
  all.accept_triangle = NULL;
  uint32_t total = 0;
  wanted.triangle_count = wanted.shape_count = 0;
  if (def->type != MO_OVERLAP_POINT) {
    cr_assert_eq(mo_scene_overlap_triangles(subject, &all, wanted.triangles, MAX, &total, NULL),
                 MO_OK);
    cr_assert_leq(total, MAX);
  }
  for (uint32_t i = 0; i < total; i++) {
    if (counts(def, wanted.triangles[i])) {
      wanted.triangles[wanted.triangle_count++] = wanted.triangles[i];
    }
  }
  cr_assert_eq(mo_scene_overlap_shapes(subject, &all, wanted.shapes, MAX, &total, NULL), MO_OK);
  for (uint32_t i = 0; i < total; i++) {
    bool touches = def->type == MO_OVERLAP_POINT || def->precision == MO_PRECISION_BOUNDS ||
                   !is_mesh(wanted.shapes[i]) || has_triangle(wanted.shapes[i]);
    if (touches) {
      wanted.shapes[wanted.shape_count++] = wanted.shapes[i];
    }
  }
}

/* What callbacks were given. */
typedef struct given {
  const mo_scene *scene;
  mo_shape_id shapes[MAX];
  mo_triangle_ref triangles[MAX];
  uint32_t count, max; /* ends after so many */
} given;

static given got;

static bool take_shape(mo_shape_id shape, uint64_t user_data, void *context) {
  given *g = context;
  uint64_t own;
  cr_assert_eq(mo_scene_get_user_data(g->scene, shape, &own), MO_OK);
  cr_assert_eq(user_data, own);
  cr_assert_lt(g->count, g->max, "called after the end");
  g->shapes[g->count++] = shape;
  return g->count < g->max;
}

static void check_triangle(const mo_scene *subject, const mo_triangle *triangle) {
  mo_shape_def def;
  mo_vec3 corners[3];
  uint32_t user_data;
  cr_assert_eq(mo_scene_get_shape(subject, triangle->shape, &def), MO_OK);
  cr_assert_eq(mo_mesh_get_triangle(def.geometry.mesh, triangle->triangle, corners, &user_data),
               MO_OK);
  cr_assert_eq(triangle->user_data, def.user_data);
  cr_assert_eq(triangle->triangle_user_data, user_data);
  for (int i = 0; i < 3; i++) {
    mo_vec3 image = mo_transform_point(&def.transform, corners[i]);
    cr_assert(memcmp(&image, &triangle->corners[i], sizeof image) == 0);
  }
}

static bool take_triangle(const mo_triangle *triangle, void *context) {
  given *g = context;
  check_triangle(g->scene, triangle);
  cr_assert_lt(g->count, g->max, "called after the end");
  g->triangles[g->count++] = (mo_triangle_ref){triangle->shape, triangle->triangle, 0};
  return g->count < g->max;
}

static int compare_shapes(const void *a, const void *b) {
  const mo_shape_id *x = a, *y = b;
  return x->index < y->index ? -1 : x->index > y->index;
}

static int compare_triangles(const void *a, const void *b) {
  const mo_triangle_ref *x = a, *y = b;
  int shapes = compare_shapes(&x->shape, &y->shape);
  return shapes != 0 ? shapes : x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static void check_shapes(const mo_scene *subject, const mo_overlap_def *def, uint32_t some) {
  static mo_shape_id list[MAX];
  uint32_t total;
  bool found;
  cr_assert_eq(mo_scene_overlap_shapes(subject, def, list, MAX, &total, NULL), MO_OK);
  cr_assert_eq(total, wanted.shape_count);
  cr_assert(memcmp(list, wanted.shapes, total * sizeof *list) == 0);
  cr_assert_eq(mo_scene_test_overlap(subject, def, &found, NULL), MO_OK);
  cr_assert_eq(found, total > 0);
  got.scene = subject;
  got.count = 0, got.max = UINT32_MAX;
  cr_assert_eq(mo_scene_visit_overlaps(subject, def, take_shape, &got, NULL), MO_OK);
  cr_assert_eq(got.count, total);
  qsort(got.shapes, total, sizeof *got.shapes, compare_shapes);
  cr_assert(memcmp(got.shapes, list, total * sizeof *list) == 0);
  got.count = 0, got.max = some;
  cr_assert_eq(mo_scene_visit_overlaps(subject, def, take_shape, &got, NULL), MO_OK);
  cr_assert_eq(got.count, total < some ? total : some);
}

static void check_triangles(const mo_scene *subject, const mo_overlap_def *def, uint32_t some) {
  static mo_triangle_ref list[MAX];
  uint32_t total, count = wanted.triangle_count;
  bool found;
  cr_assert_eq(mo_scene_overlap_triangles(subject, def, list, MAX, &total, NULL), MO_OK);
  cr_assert_eq(total, count);
  cr_assert(memcmp(list, wanted.triangles, count * sizeof *list) == 0);
  cr_assert_eq(mo_scene_overlap_triangles(subject, def, list, count / 2, &total, NULL), MO_OK);
  cr_assert(total == count && memcmp(list, wanted.triangles, count / 2 * sizeof *list) == 0);
  cr_assert_eq(mo_scene_test_triangles(subject, def, &found, NULL), MO_OK);
  cr_assert_eq(found, count > 0);
  got.scene = subject;
  got.count = 0, got.max = UINT32_MAX;
  cr_assert_eq(mo_scene_visit_triangles(subject, def, take_triangle, &got, NULL), MO_OK);
  cr_assert_eq(got.count, count);
  for (uint32_t i = 1, changes = 0; i < count; i++) { /* those of a shape come together */
    changes += got.triangles[i].shape.index != got.triangles[i - 1].shape.index;
    cr_assert_lt(changes, scene.count);
  }
  qsort(got.triangles, count, sizeof *got.triangles, compare_triangles);
  cr_assert(memcmp(got.triangles, wanted.triangles, count * sizeof *list) == 0);
  got.count = 0, got.max = some;
  cr_assert_eq(mo_scene_visit_triangles(subject, def, take_triangle, &got, NULL), MO_OK);
  cr_assert_eq(got.count, count < some ? count : some);
}

static mo_overlap_def some_region(rng *r) {
  sample_target target = test_scene_target(&scene, r);
  switch (rng_below(r, 4)) {
  case 0:
    return mo_overlap_aabb_def(sample_box(r, &target));
  case 1:
    return mo_overlap_sphere_def(sample_sphere(r, &target));
  case 2:
    return mo_overlap_point_def(sample_point(r, &target));
  default:
    break;
  }
  mo_geometry geometry = test_scene_geometry(&scene, r);
  mo_transform transform = test_scene_transform(&scene, r);
  transform.origin = sample_point(r, &target);
  mo_overlap_def def = mo_overlap_primitive_def(
      geometry.type != MO_SHAPE_MESH
          ? mo_primitive_of_geometry(&geometry, &transform)
          : mo_primitive_of_triangle(transform.origin, target.corners[0], target.corners[1]));
  bool found;
  return mo_scene_test_overlap(scene.family.scenes[0], &def, &found, NULL) == MO_OK
             ? def
             : mo_overlap_point_def(transform.origin); /* it goes too far */
}

static void choose_triangles(mo_overlap_def *def, rng *r) {
  if (rng_chance(r, 0.5)) {
    def->accept_triangle = accept_some;
    def->accept_context = &calls;
  }
  if (rng_chance(r, 0.5) && wanted.triangle_count > 0) {
    mo_triangle_ref ref = wanted.triangles[rng_below(r, wanted.triangle_count)];
    def->ignore_triangle = ref.triangle;
    def->ignore_triangle_shape = ref.shape;
    def->ignore_triangle_shape.generation += 2 * (rng_below(r, 4) == 0); /* not that one */
  }
}

Test(overlap_forms, agree) {
  static const uint32_t sizes[] = {0, 1, 30};
  rng r = rng_make(rng_seed("overlap_forms/agree", 293));
  uint64_t rounds = rng_rounds(16, 1000);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      for (uint64_t k = 0; k < rounds; k++) {
        mo_overlap_def def = some_region(&r);
        def.filter = test_scene_filter(&scene, &r);
        def.precision = (mo_precision)rng_below(&r, 2);
        expect(&def);
        choose_triangles(&def, &r);
        expect(&def);
        uint32_t some = 1 + rng_below(&r, 5);
        for (uint32_t s = 0; s < scene.family.count; s++) {
          check_shapes(scene.family.scenes[s], &def, some);
          if (def.type != MO_OVERLAP_POINT) {
            check_triangles(scene.family.scenes[s], &def, some);
          }
        }
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

/* Callbacks are called once for each triangle that touches the region, and no more. */
Test(overlap_forms, triangles_are_offered_once) {
  rng r = rng_make(rng_seed("overlap_forms/once", 294));
  test_scene_make(&scene, TEST_SCENE_PLAIN, 30, &r);
  for (int i = 0; i < 100; i++) {
    mo_overlap_def def = some_region(&r);
    if (def.type == MO_OVERLAP_POINT) {
      continue;
    }
    expect(&def);
    def.accept_triangle = accept_some;
    def.accept_context = &calls;
    for (uint32_t s = 0; s < scene.family.count; s++) {
      uint32_t total;
      calls = 0;
      cr_assert_eq(mo_scene_overlap_triangles(scene.family.scenes[s], &def, NULL, 0, &total, NULL),
                   MO_OK);
      cr_assert_eq(calls, wanted.triangle_count);
    }
  }
  cr_assert(test_scene_free(&scene), "memory is outstanding");
}

/* All triangles of a shape, one by one and by their indices. */
Test(overlap_forms, triangles_of_a_shape) {
  rng r = rng_make(rng_seed("overlap_forms/shape", 295));
  test_scene_make(&scene, TEST_SCENE_PLAIN, 40, &r);
  uint32_t seen = 0;
  for (uint32_t i = 0; i < scene.count; i++) {
    const mo_scene *subject = scene.family.scenes[i % scene.family.count];
    mo_shape_id id = scene.ids[i];
    got.scene = subject;
    got.count = 0, got.max = UINT32_MAX;
    mo_result result = mo_scene_visit_shape_triangles(subject, id, take_triangle, &got);
    mo_triangle triangle = {.triangle = 77};
    if (!is_mesh(id)) {
      cr_assert_eq(result, MO_ERROR_INVALID_ARGUMENT);
      cr_assert_eq(mo_scene_get_triangle(subject, (mo_triangle_ref){id, 0, 0}, &triangle),
                   MO_ERROR_INVALID_ARGUMENT);
      continue;
    }
    mo_geometry geometry;
    cr_assert_eq(mo_scene_get_geometry(subject, id, &geometry), MO_OK);
    uint32_t count = mo_mesh_triangle_count(geometry.mesh);
    cr_assert_eq(got.count, count);
    for (uint32_t k = 0; k < count; k++) {
      cr_assert(got.triangles[k].triangle == k && got.triangles[k].shape.index == id.index);
      cr_assert_eq(mo_scene_get_triangle(subject, (mo_triangle_ref){id, k, 0}, &triangle), MO_OK);
      cr_assert(triangle.triangle == k && triangle.shape.index == id.index);
      check_triangle(subject, &triangle);
    }
    got.count = 0, got.max = 2;
    cr_assert_eq(mo_scene_visit_shape_triangles(subject, id, take_triangle, &got), MO_OK);
    cr_assert_eq(got.count, count < 2 ? count : 2);
    triangle.triangle = 77;
    cr_assert_eq(mo_scene_get_triangle(subject, (mo_triangle_ref){id, count, 0}, &triangle),
                 MO_ERROR_INVALID_INDEX);
    cr_assert_eq(triangle.triangle, 77);
    seen++;
  }
  cr_assert_gt(seen, 3);
  cr_assert(test_scene_free(&scene), "memory is outstanding");
}

/* A ball beside an edge of a frustum: no plane excludes its box, but it is outside. And the shapes
 * that a frustum touches are those that its planes, moved with the camera, do not exclude, or
 * fewer. */
Test(overlap_forms, frustum_as_a_hull) {
  const float projection[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1.5f, -1, 0, 0, -2.5f, 0};
  mo_vec3 corners[8];
  cr_assert_eq(mo_frustum_corners(projection, corners), MO_OK); /* from 1 to 5 */
  mo_hull_def hull_def = mo_default_hull_def();
  hull_def.positions = corners;
  hull_def.position_count = 8;
  mo_geometry frustum = {.type = MO_SHAPE_HULL};
  cr_assert_eq(mo_hull_create(&hull_def, &frustum.hull), MO_OK);
  mo_plane planes[6];
  cr_assert_eq(mo_frustum_planes(projection, planes), MO_OK);
  mo_scene *small = test_scene_empty();
  const struct {
    mo_vec3 center;
    bool touches;
  } balls[] = {{{0, 0, -3}, true},     {{4.3f, 0, -3}, false},      {{3.5f, 3.5f, -2}, false},
               {{0, 0, -5.75f}, true}, {{5.5f, 5.5f, -5.5f}, true}, {{5.8f, 5.8f, -5.8f}, false}};
  uint32_t culled = 0;
  for (size_t i = 0; i < sizeof balls / sizeof *balls; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
    def.geometry.sphere = (mo_sphere){balls[i].center, 0.875f};
    mo_shape_id id;
    bool found;
    uint32_t total;
    cr_assert_eq(mo_scene_add_shape(small, &def, &id), MO_OK);
    mo_transform camera = mo_transform_identity();
    mo_overlap_def region = mo_overlap_primitive_def(mo_primitive_of_geometry(&frustum, &camera));
    cr_assert_eq(mo_scene_test_overlap(small, &region, &found, NULL), MO_OK);
    cr_assert_eq(found, balls[i].touches, "ball %zu", i);
    cr_assert_eq(mo_scene_cull_planes(small, OF_PLANES(planes, 6, NULL), NULL, 0, &total, NULL),
                 MO_OK);
    cr_assert(total == 1 || !found);
    culled += total;
    cr_assert_eq(mo_scene_remove_shape(small, id), MO_OK);
  }
  cr_assert_gt(culled, 3, "planes alone are not exact");
  mo_scene_destroy(small);
  mo_hull_release(frustum.hull);
}

/* The ground is the first hit of a ray; without the triangle that it hits, the next one. */
Test(overlap_forms, ground_without_a_triangle) {
  rng r = rng_make(rng_seed("overlap_forms/ground", 296));
  test_scene_make(&scene, TEST_SCENE_CROWDED, 40, &r);
  uint32_t next = 0;
  for (uint64_t i = 0; i < rng_rounds(300, 20000); i++) {
    const mo_scene *subject = scene.family.scenes[i % scene.family.count];
    sample_target target = test_scene_target(&scene, &r);
    mo_vec3 point = sample_point(&r, &target), up = {0, rng_float(&r, 0.5f, 2), 0};
    mo_ray_def down = mo_default_ray_def();
    down.origin = point;
    down.direction = (mo_vec3){-up.x, -up.y, -up.z};
    mo_ground ground, other;
    mo_ray_hit hit;
    cr_assert_eq(mo_scene_height_below(subject, point, up, NULL, &ground, NULL), MO_OK);
    cr_assert_eq(mo_scene_find_ground(subject, &down, &other, NULL), MO_OK);
    cr_assert(ground.height == other.height && ground.hit.found == other.hit.found);
    if (!ground.hit.found || ground.hit.triangle == MO_NO_TRIANGLE) {
      continue;
    }
    down.ignore_triangle = ground.hit.triangle;
    down.ignore_triangle_shape = ground.hit.shape;
    cr_assert_eq(mo_scene_find_ground(subject, &down, &other, NULL), MO_OK);
    cr_assert_eq(mo_scene_cast_ray(subject, &down, &hit, NULL), MO_OK);
    cr_assert_eq(other.hit.found, hit.found);
    cr_assert(other.height >= ground.height);
    if (hit.found) {
      cr_assert(hit.shape.index == other.hit.shape.index && hit.t == other.hit.t);
      cr_assert_eq(other.height, (float)((double)hit.t * (double)up.y));
      next++;
    } else {
      cr_assert(isinf(other.height));
    }
  }
  cr_assert_gt(next, 10);
  cr_assert(test_scene_free(&scene), "memory is outstanding");
}
