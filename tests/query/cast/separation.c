/* Translations that part convex shapes from scenes and meshes: that the shape overlaps nothing
 * after them, by the queries for overlaps; the deepest contact against the cast without
 * displacement and single primitives; the same for every placement policy and instruction set; and
 * by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/separation.h>
#include <string.h>

#include "support/scenes.h"

static test_scene scene;

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Without volumes, what a query for overlaps finds. */
static uint32_t overlapped(const mo_scene *of, const mo_primitive *primitive,
                           const mo_filter *filter, bool volumes) {
  static mo_shape_id shapes[1000];
  mo_overlap_def def = mo_overlap_primitive_def(*primitive);
  uint32_t total, count = 0;
  def.filter = *filter;
  cr_assert_eq(mo_scene_overlap_shapes(of, &def, shapes, 1000, &total, NULL), MO_OK);
  cr_assert_leq(total, 1000);
  for (uint32_t i = 0; i < total; i++) {
    mo_shape_def shape;
    cr_assert_eq(mo_scene_get_shape(of, shapes[i], &shape), MO_OK);
    count += volumes || shape.geometry.type != MO_SHAPE_VOLUME;
  }
  return count;
}

/* The primitive moved as a caller would. */
static mo_primitive moved(mo_primitive p, mo_vec3 by) {
  p.transform.origin.x += by.x;
  p.transform.origin.y += by.y;
  p.transform.origin.z += by.z;
  return p;
}

static mo_separation check(const mo_shape_cast_def *def) {
  mo_separation first = {.found = false};
  mo_cast_hit deepest;
  mo_shape_cast_def still = *def;
  still.displacement = (mo_vec3){0, 0, 0};
  cr_assert_eq(mo_scene_cast_shape(scene.family.scenes[0], &still, &deepest, NULL), MO_OK);
  for (uint32_t i = 0; i < scene.family.count; i++) {
    const mo_scene *subject = scene.family.scenes[i];
    mo_separation s;
    cr_assert_eq(mo_scene_find_separation(subject, def, &s, NULL), MO_OK);
    first = i == 0 ? s : first;
    cr_assert(s.overlaps == first.overlaps && s.found == first.found &&
              same(s.translation, first.translation));
    cr_assert_eq(s.overlaps, deepest.found);
    if (s.overlaps) {
      cr_assert(s.deepest.shape.index == deepest.shape.index &&
                s.deepest.triangle == deepest.triangle && s.deepest.depth == deepest.depth &&
                same(s.deepest.normal, deepest.normal));
    }
    if (s.found) {
      mo_primitive away = moved(def->primitive, s.translation);
      cr_assert_eq(overlapped(subject, &away, &def->options.filter, def->options.hit_volumes), 0,
                   "%s: still overlaps", test_scene_kind_name(scene.kind));
    }
  }
  if (!first.overlaps) {
    cr_assert_eq(overlapped(scene.family.scenes[0], &def->primitive, &def->options.filter,
                            def->options.hit_volumes),
                 0);
  }
  return first;
}

Test(scene_separation, parts_or_says_so) {
  static const uint32_t sizes[] = {1, 8, 40};
  rng r = rng_make(rng_seed("scene_separation/random", 311));
  uint64_t rounds = rng_rounds(6, 400), overlaps = 0, found = 0;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      for (uint64_t k = 0; k < rounds; k++) {
        mo_shape_cast_def def = mo_default_shape_cast_def();
        sample_target target = test_scene_target(&scene, &r);
        def.primitive = rng_chance(&r, 0.15) ? sample_half_space(&r, &target)
                                             : test_scene_primitive(&scene, &r);
        def.options.filter = test_scene_filter(&scene, &r);
        def.options.hit_volumes = rng_below(&r, 2);
        mo_cast_hit hit;
        if (mo_scene_cast_shape(scene.family.scenes[0], &def, &hit, NULL) != MO_OK) {
          continue; /* beyond the range of coordinates */
        }
        mo_separation s = check(&def);
        overlaps += s.overlaps;
        found += s.found;
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
  cr_assert(overlaps > 20 && found > overlaps / 2, "%llu of %llu", (unsigned long long)found,
            (unsigned long long)overlaps);
}

static void add_square(mo_scene *to, mo_mesh *mesh, mo_vec3 x, mo_vec3 y, mo_vec3 origin) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  mo_shape_id id;
  def.geometry.mesh = mesh;
  def.transform = (mo_transform){x, y, {1, 0, 0}, origin};
  cr_assert_eq(mo_scene_add_shape(to, &def, &id), MO_OK);
}

static mo_shape_cast_def ball_at(mo_vec3 center, float radius) {
  mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, radius}};
  mo_transform at = mo_transform_identity();
  mo_shape_cast_def def = mo_default_shape_cast_def();
  at.origin = center;
  def.primitive = mo_primitive_of_geometry(&ball, &at);
  return def;
}

/* Out of a corner of three walls, along the shortest way, to within 1e-5. */
Test(scene_separation, out_of_corners) {
  mo_mesh *mesh = test_mesh_build_square(-0.0f, 10);
  mo_scene *subject = test_scene_empty();
  mo_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, zero = {0, 0, 0};
  add_square(subject, mesh, x, y, zero);
  add_square(subject, mesh, y, z, zero);
  add_square(subject, mesh, z, x, zero);
  mo_shape_cast_def def = ball_at((mo_vec3){0.75f, 0.5f, 0.25f}, 1);
  mo_separation s;
  cr_assert_eq(mo_scene_find_separation(subject, &def, &s, NULL), MO_OK);
  cr_assert(s.overlaps && s.found);
  cr_assert(fabsf(s.deepest.depth - 0.75f) < 1e-6f && s.deepest.normal.z == 1);
  cr_assert(fabsf(s.translation.x - 0.25f) < 1e-5f && fabsf(s.translation.y - 0.5f) < 1e-5f &&
                fabsf(s.translation.z - 0.75f) < 1e-5f,
            "%g %g %g", (double)s.translation.x, (double)s.translation.y, (double)s.translation.z);
  def = ball_at((mo_vec3){5, 5, 5}, 1);
  cr_assert_eq(mo_scene_find_separation(subject, &def, &s, NULL), MO_OK);
  cr_assert(!s.overlaps && !s.found);
  /* Between two walls that are too close together there is no way along their normals. */
  add_square(subject, mesh, x, y, (mo_vec3){0, 0, 1});
  def = ball_at((mo_vec3){5, 5, 0.5f}, 1);
  cr_assert_eq(mo_scene_find_separation(subject, &def, &s, NULL), MO_OK);
  cr_assert(s.overlaps);
  mo_scene_destroy(subject);
  mo_mesh_release(mesh);
}

static void add_box(mo_scene *to, mo_vec3 center, mo_vec3 half, mo_quat rotation) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id id;
  def.geometry.box.half_extents = half;
  def.transform = mo_transform_make(center, rotation, (mo_vec3){1, 1, 1});
  cr_assert_eq(mo_scene_add_shape(to, &def, &id), MO_OK);
}

/* Between two thick walls that are closer than the shape is wide no way leads out. */
Test(scene_separation, none_where_the_ways_contradict) {
  for (int i = 1; i < 20; i++) {
    for (int kind = 0; kind < 2; kind++) {
      const float gap = 0.1f * (float)i - 0.05f;
      mo_scene *subject = test_scene_empty();
      add_box(subject, (mo_vec3){0, 0, -5}, (mo_vec3){20, 20, 5}, (mo_quat){0, 0, 0, 1});
      add_box(subject, (mo_vec3){0, 0, gap + 5}, (mo_vec3){20, 20, 5}, (mo_quat){0, 0, 0, 1});
      for (int k = 0; k < 10; k++) {
        mo_shape_cast_def def = ball_at((mo_vec3){0, 0, 0.1f * gap * (float)k}, 1);
        if (kind == 1) {
          def.primitive.geometry =
              (mo_geometry){.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {1, 1, 1}}};
        }
        mo_separation s;
        cr_assert_eq(mo_scene_find_separation(subject, &def, &s, NULL), MO_OK);
        cr_assert(s.overlaps && !s.found, "gap %g, kind %d: by %g", (double)gap, kind,
                  (double)s.translation.z);
      }
      mo_scene_destroy(subject);
    }
  }
}

/* Out of heaps of boxes, where the way out of one leads into another: nearly always one is found,
 * and it is no longer than the heap is large. */
Test(scene_separation, out_of_heaps) {
  rng r = rng_make(rng_seed("scene_separation/heaps", 312));
  uint64_t rounds = rng_rounds(3000, 60000), overlaps = 0, found = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_scene *subject = test_scene_empty();
    for (uint32_t k = 0, boxes = 2 + rng_below(&r, 4); k < boxes; k++) {
      const mo_vec3 half = rng_vec3(&r, 0.1f, 2), at = rng_vec3(&r, -1.5f, 1.5f);
      add_box(subject, at, half, rng_rotation(&r));
    }
    const mo_shape_cast_def def = ball_at((mo_vec3){0, 0, 0}, 0.5f);
    mo_separation s;
    cr_assert_eq(mo_scene_find_separation(subject, &def, &s, NULL), MO_OK);
    overlaps += s.overlaps;
    if (s.overlaps && s.found) {
      const mo_primitive away = moved(def.primitive, s.translation);
      found++;
      cr_assert_eq(overlapped(subject, &away, &def.options.filter, false), 0);
      cr_assert(fabsf(s.translation.x) < 8 && fabsf(s.translation.y) < 8 &&
                fabsf(s.translation.z) < 8);
    }
    mo_scene_destroy(subject);
  }
  cr_assert(overlaps > rounds * 9 / 10 && 1000 * found > 974 * overlaps, "%llu of %llu",
            (unsigned long long)found, (unsigned long long)overlaps);
}

/* A rotation makes as little difference as a displacement. */
Test(scene_separation, of_a_shape_that_would_rotate) {
  rng r = rng_make(rng_seed("scene_separation/rotating", 312));
  mo_scene *subject = test_scene_empty();
  mo_shape_def box = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(subject, &box, &id), MO_OK);
  for (int i = 0; i < 50; i++) {
    mo_shape_cast_def def = ball_at(rng_vec3(&r, -2, 2), 0.25f);
    def.primitive.geometry.type = MO_SHAPE_BOX;
    def.primitive.geometry.box = (mo_box){{0, 0, 0}, {1, 0.1f, 0.1f}};
    mo_separation s, turned;
    cr_assert_eq(mo_scene_find_separation(subject, &def, &s, NULL), MO_OK);
    def.pivot = def.primitive.transform.origin;
    def.axis = rng_direction(&r);
    def.angle = 3;
    cr_assert_eq(mo_scene_find_separation(subject, &def, &turned, NULL), MO_OK);
    cr_assert(s.overlaps == turned.overlaps && s.found == turned.found &&
              same(s.translation, turned.translation));
  }
  mo_scene_destroy(subject);
}

/* Bodies that overlap hundreds of triangles: the depths of few of them are computed to the end, and
 * the deepest is the deepest by a loop over all. */
Test(scene_separation, counted_work) {
  rng r = rng_make(rng_seed("scene_separation/work", 313));
  test_mesh made = test_mesh_make(TEST_MESH_TERRAIN, 4000, &r);
  mo_mesh *mesh = test_mesh_build(&made);
  mo_aabb bounds = mo_mesh_bounds(mesh);
  const float size = bounds.upper.x - bounds.lower.x;
  uint64_t all = 0, counted = 0, casts = 0;
  for (int i = 0; i < 60; i++) {
    mo_shape_cast_def def = ball_at(rng_point_in(&r, bounds), 0.1f * size);
    mo_geometry *g = &def.primitive.geometry;
    if (i % 3 > 0) {
      g->type = i % 3 == 1 ? MO_SHAPE_CYLINDER : MO_SHAPE_CAPSULE;
      g->rounding = 0;
      const mo_vec3 end = mo_scale(0.1f * size, rng_direction(&r));
      g->capsule = (mo_capsule){mo_scale(-1, end), end, 0.1f * size};
      if (i % 3 == 1) {
        g->cylinder = (mo_cylinder){mo_scale(-1, end), end, 0.1f * size};
      }
    }
    static mo_cast_hit hits[8000];
    mo_query_stats stats = {0}, list = {0};
    mo_separation s;
    uint32_t total;
    cr_assert_eq(mo_mesh_find_separation(mesh, &def, &s, &stats), MO_OK);
    cr_assert_eq(mo_mesh_cast_shape_all(mesh, &def, hits, 8000, &total, &list), MO_OK);
    cr_assert_leq(total, 8000);
    cr_assert_eq(s.overlaps, total > 0);
    for (uint32_t k = 0; k < total; k++) {
      cr_assert(hits[k].depth < s.deepest.depth ||
                (hits[k].depth == s.deepest.depth && hits[k].triangle >= s.deepest.triangle));
    }
    cr_assert_geq(list.distance_count, total);
    all += total;
    counted += stats.distance_count;
    casts += total > 0;
  }
  cr_assert(all > 100 * casts && casts > 30, "%d of %d", (int)all, (int)casts);
  cr_assert_leq(counted, 50 * casts, "%d for %d, of %d", (int)counted, (int)casts, (int)all);
  mo_mesh_release(mesh);
  test_mesh_free(&made);
}

/* On one mesh: the same as in a scene with this mesh alone, and no triangle is overlapped then. */
Test(scene_separation, on_meshes) {
  rng r = rng_make(rng_seed("scene_separation/meshes", 308));
  test_mesh made = test_mesh_make(TEST_MESH_TERRAIN, 2000, &r);
  mo_mesh *mesh = test_mesh_build(&made);
  mo_scene *subject = test_scene_empty();
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  mo_shape_id id;
  shape.geometry.mesh = mesh;
  cr_assert_eq(mo_scene_add_shape(subject, &shape, &id), MO_OK);
  mo_aabb bounds = mo_mesh_bounds(mesh);
  float size = bounds.upper.x - bounds.lower.x;
  int overlaps = 0, found = 0;
  for (uint64_t i = 0, n = rng_rounds(100, 3000); i < n; i++) {
    mo_shape_cast_def def = ball_at(rng_point_in(&r, bounds), size * rng_float(&r, 0.01f, 0.1f));
    mo_separation s, in_scene;
    cr_assert_eq(mo_mesh_find_separation(mesh, &def, &s, NULL), MO_OK);
    cr_assert_eq(mo_scene_find_separation(subject, &def, &in_scene, NULL), MO_OK);
    cr_assert(s.overlaps == in_scene.overlaps && s.found == in_scene.found &&
              same(s.translation, in_scene.translation));
    overlaps += s.overlaps;
    found += s.found;
    if (s.found) {
      mo_primitive away = moved(def.primitive, s.translation);
      cr_assert_eq(overlapped(subject, &away, &def.options.filter, false), 0);
    }
  }
  cr_assert(overlaps > 30 && found > overlaps * 9 / 10, "%d of %d", found, overlaps);
  mo_scene_destroy(subject);
  mo_mesh_release(mesh);
  test_mesh_free(&made);
}
