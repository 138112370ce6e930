/* Batches of rays against the same rays one at a time: meshes of every kind and builder, scenes of
 * every kind and policy, all layouts. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/batches.h"
#include "support/check.h"
#include "support/families.h"
#include "support/scenes.h"
#include "support/task_order.h"

static bool accept_some(mo_triangle_ref ref, float t, void *context) {
  (void)context;
  return t >= 0 && (ref.triangle + ref.shape.index) % 3 != 0;
}

static mo_ray_def random_options(rng *r, uint32_t triangles) {
  mo_ray_def options = mo_default_ray_def();
  options.cull_back_faces = rng_below(r, 4) == 0;
  if (rng_below(r, 4) == 0) {
    options.ignore_triangle = rng_below(r, triangles + 1);
  }
  if (rng_below(r, 8) == 0) {
    options.accept_triangle = accept_some;
  }
  return options;
}

static size_t random_count(rng *r) {
  return rng_below(r, 16) == 0 ? 900 + rng_below(r, 400) : rng_below(r, 200);
}

Test(batch, meshes_as_one_at_a_time) {
  rng r = rng_make(rng_seed("batch/meshes", 81));
  uint64_t rounds = rng_few_rounds(1, 200);
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    uint32_t size = (uint32_t)rng_few_rounds(1500, 1500);
    test_mesh mesh = test_mesh_make((test_mesh_kind)kind, size, &r);
    mesh_family family;
    mesh_family_build(&family, &mesh, false);
    for (uint64_t i = 0; i < rounds; i++) {
      sample_target target = sample_target_of_mesh(&mesh, &r);
      for (int bundle = 0; bundle < TEST_BUNDLE_KIND_COUNT; bundle++) {
        test_batch batch;
        mo_ray_def options = random_options(&r, mesh.triangle_count);
        test_batch_make(&batch, (test_bundle)bundle, random_count(&r), rng_below(&r, 3) == 0,
                        &options, &target, &r);
        uint32_t subject = rng_below(&r, family.count);
        cr_assert(check_mesh_batch(family.meshes[subject], &batch, &r), "%s, %s: %s", mesh.name,
                  family.names[subject], check_why());
        test_batch_free(&batch);
      }
    }
    cr_assert(mesh_family_free(&family));
    test_mesh_free(&mesh);
  }
}

Test(batch, scenes_as_one_at_a_time) {
  static const uint32_t sizes[] = {0, 1, 40, 250};
  static test_scene scene;
  rng r = rng_make(rng_seed("batch/scenes", 82));
  uint64_t rounds = rng_few_rounds(1, 150);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      for (uint64_t j = 0; j < rounds; j++) {
        for (int bundle = 0; bundle < TEST_BUNDLE_KIND_COUNT; bundle++) {
          sample_target target = test_scene_target(&scene, &r);
          mo_ray_def options = random_options(&r, 40);
          options.filter = test_scene_filter(&scene, &r);
          options.hit_volumes = rng_below(&r, 2);
          if (scene.count > 0 && rng_below(&r, 4) == 0) {
            options.ignore_triangle_shape = scene.ids[rng_below(&r, scene.count)];
          }
          test_batch batch;
          test_batch_make(&batch, (test_bundle)bundle, random_count(&r), rng_below(&r, 2), &options,
                          &target, &r);
          uint32_t subject = rng_below(&r, scene.family.count);
          cr_assert(check_scene_batch(scene.family.scenes[subject], &batch, &r), "%s, %s: %s",
                    test_scene_kind_name(scene.kind), scene.family.names[subject], check_why());
          test_batch_free(&batch);
        }
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

/* Meshes under transforms with a good inverse, large in the view of a bundle: packets are
 * transformed into their spaces, where they split or stay together. */
static void check_instances(scene_family *family, mo_mesh *const meshes[2], rng *r) {
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_UNIFORM_SCALE, RNG_NONUNIFORM_SCALE,
                                             RNG_SHEAR, RNG_MIRROR};
  uint32_t count = 1 + rng_below(r, 12);
  float spread = rng_float(r, 0.2f, 3);
  mo_shape_id id = {0, 0};
  for (uint32_t i = 0; i < count; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    def.geometry.mesh = meshes[rng_below(r, 2)];
    def.transform = rng_transform(r, kinds[rng_below(r, 5)], spread);
    if (rng_below(r, 4) == 0) {
      def.transform = mo_transform_identity(); /* now and then twice in the same place */
    }
    cr_assert_eq(scene_family_add(family, &def, &id), MO_OK);
  }
  if (rng_below(r, 4) == 0) { /* a wall */
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
    def.geometry.half_space = (mo_half_space){rng_direction(r), -spread};
    cr_assert_eq(scene_family_add(family, &def, &id), MO_OK);
  }
  scene_family_update(family);
  sample_target target = {.bounds = {{-spread, -spread, -spread}, {spread, spread, spread}}};
  for (int i = 0; i < 3; i++) {
    target.corners[i] = rng_point_in(r, target.bounds);
  }
  for (int bundle = TEST_BUNDLE_PICTURE; bundle < TEST_BUNDLE_KIND_COUNT; bundle++) {
    mo_ray_def options = mo_default_ray_def();
    options.cull_back_faces = rng_below(r, 4) == 0;
    if (rng_below(r, 3) == 0) {
      options.ignore_triangle_shape = id;
      options.ignore_triangle = rng_below(r, 12);
    }
    test_batch batch;
    test_batch_make(&batch, (test_bundle)bundle, 200 + rng_below(r, 300), rng_below(r, 3) == 0,
                    &options, &target, r);
    uint32_t subject = rng_below(r, family->count);
    cr_assert(check_scene_batch(family->scenes[subject], &batch, r), "%u instances, %s: %s", count,
              family->names[subject], check_why());
    test_batch_free(&batch);
  }
}

Test(batch, instances_as_one_at_a_time) {
  rng r = rng_make(rng_seed("batch/instances", 83));
  mo_mesh *meshes[2];
  for (int i = 0; i < 2; i++) {
    test_mesh source = test_mesh_make(i == 0 ? TEST_MESH_SPHERE : TEST_MESH_LATTICE, 90, &r);
    meshes[i] = test_mesh_build(&source);
    test_mesh_free(&source);
  }
  for (uint64_t i = rng_few_rounds(40, 5000); i-- > 0;) {
    scene_family family;
    scene_family_create(&family);
    check_instances(&family, meshes, &r);
    cr_assert(scene_family_free(&family), "memory is outstanding");
  }
  mo_mesh_release(meshes[0]);
  mo_mesh_release(meshes[1]);
}

enum { APART = 4500 };

/* Incoherent rays, as one at a time; then two bad rays among them, of which the first is
 * reported. */
static void check_apart(const mo_scene *subject, float spread, uint32_t min, rng *r) {
  static mo_vec3 from[APART], along[APART];
  static mo_ray_hit hits[APART];
  static bool found[APART];
  mo_aabb box = {{-spread, -spread, -spread}, {spread, spread, spread}};
  for (uint32_t i = 0; i < APART; i++) {
    from[i] = rng_point_in(r, box);
    along[i] = rng_direction(r);
    if (i % 50 == 0) { /* beyond the fast path */
      float length = i % 100 == 0 ? 0x1p30f : 0x1p-110f;
      along[i] = (mo_vec3){length * along[i].x, length * along[i].y, length * along[i].z};
    }
  }
  mo_batch_def def = mo_default_batch_def();
  def.count = APART - rng_below(r, 16);
  def.origins = mo_vec3_array_of(from, sizeof *from);
  def.directions = mo_vec3_array_of(along, sizeof *along);
  def.options.cull_back_faces = rng_below(r, 2) == 0;
  def.options.filter.mask = rng_below(r, 3) == 0 ? ~2ull : UINT64_MAX;
  mo_batch_output closest = {.hit = {hits, 0}}, any = {.found = {found, 0}};
  size_t first_bad = 77;
  cr_assert_eq(mo_scene_cast_rays(subject, &def, &closest, &first_bad, NULL), MO_OK);
  cr_assert_eq(mo_scene_test_rays(subject, &def, &any, &first_bad, NULL), MO_OK);
  cr_assert_eq(first_bad, 77);
  uint32_t met = 0;
  for (uint32_t i = 0; i < def.count; i++) {
    mo_ray_def ray = def.options;
    mo_ray_hit hit;
    ray.origin = from[i];
    ray.direction = along[i];
    cr_assert_eq(mo_scene_cast_ray(subject, &ray, &hit, NULL), MO_OK);
    cr_assert(check_same_hit(&hits[i], &hit), "ray %u: %s", i, check_why());
    cr_assert_eq(found[i], hit.found, "ray %u", i);
    met += hit.found;
  }
  cr_assert(met >= min, "%u hits", met);
  uint32_t bad = rng_below(r, (uint32_t)def.count - 1);
  from[bad].y = NAN;
  along[def.count - 1] = (mo_vec3){0, 0, 0};
  cr_assert_eq(mo_scene_cast_rays(subject, &def, &closest, &first_bad, NULL), MO_ERROR_NOT_FINITE);
  cr_assert_eq(first_bad, bad);
}

/* More shapes than fit the cache, so that incoherent rays are sorted; small shapes, so that packets
 * of pictures split. */
Test(batch, many_small_instances_as_one_at_a_time) {
  enum { SHAPES = 20000 };
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_UNIFORM_SCALE, RNG_MIRROR};
  static const test_bundle bundles[] = {TEST_BUNDLE_PICTURE, TEST_BUNDLE_SHADOWS};
  rng r = rng_make(rng_seed("batch/many", 89));
  test_mesh source = test_mesh_make(TEST_MESH_SPHERE, 60, &r);
  mo_mesh *ball = test_mesh_build(&source);
  test_mesh_free(&source);
  mo_shape_def *defs = calloc(SHAPES, sizeof *defs);
  mo_shape_id *ids = calloc(SHAPES, sizeof *ids);
  cr_assert(defs != NULL && ids != NULL);
  for (uint64_t round = rng_few_rounds(2, 100); round-- > 0;) {
    float spread = rng_float(&r, 20, 60);
    for (uint32_t i = 0; i < SHAPES; i++) {
      defs[i] = mo_default_shape_def(rng_below(&r, 8) == 0 ? MO_SHAPE_SPHERE : MO_SHAPE_MESH);
      if (defs[i].geometry.type == MO_SHAPE_MESH) {
        defs[i].geometry.mesh = ball;
      } else {
        defs[i].geometry.sphere.radius = 0.5f;
      }
      defs[i].transform = rng_transform(&r, kinds[rng_below(&r, 3)], spread);
    }
    mo_scene_def scene_def = mo_default_scene_def();
    scene_def.isa = family_isa(rng_below(&r, family_isa_count()));
    mo_scene *subject;
    cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
    cr_assert_eq(mo_scene_add_shapes(subject, defs, SHAPES, ids, NULL), MO_OK);
    cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
    sample_target target = {.bounds = {{-spread, -spread, -spread}, {spread, spread, spread}}};
    for (int i = 0; i < 3; i++) {
      target.corners[i] = rng_point_in(&r, target.bounds);
    }
    for (int i = 0; i < 2; i++) {
      mo_ray_def options = mo_default_ray_def();
      test_batch batch;
      test_batch_make(&batch, bundles[i], 1100, rng_below(&r, 3) == 0, &options, &target, &r);
      cr_assert(check_scene_batch(subject, &batch, &r), "%s: %s", test_bundle_name(bundles[i]),
                check_why());
      test_batch_free(&batch);
    }
    check_apart(subject, spread, APART / 8, &r);
    mo_scene_destroy(subject);
  }
  mo_mesh_release(ball);
  free(defs);
  free(ids);
}

static test_mesh make_stack(uint32_t layers, rng *r) {
  test_mesh mesh = test_mesh_make(TEST_MESH_ZERO, 0, r);
  for (uint32_t i = 0; i < layers; i++) {
    float x = 2.0f * (float)i / (float)layers - 1.0f;
    test_mesh_add_corners(&mesh, (mo_vec3){x, -1, -1}, (mo_vec3){x, 1, -1}, (mo_vec3){x, -1, 1});
  }
  return mesh;
}

/* Shapes that use some meshes in turn, under transforms of two kinds in turn. */
static mo_scene *make_crowd(mo_mesh *const *meshes, uint32_t mesh_count,
                            const rng_transform_kind kinds[2], uint32_t count, float spread,
                            rng *r) {
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.isa = family_isa(rng_below(r, family_isa_count()));
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  for (uint32_t i = 0; i < count; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    mo_shape_id id;
    def.geometry.mesh = meshes[i % mesh_count];
    def.transform = rng_transform(r, kinds[i % 2], spread);
    cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  return scene;
}

/* Shapes on top of each other, and meshes in which rays meet many leaves, or that are large: more
 * than the lists of rays that are traced together have capacity for. */
Test(batch, crowds_as_one_at_a_time) {
  rng r = rng_make(rng_seed("batch/crowds", 90));
  for (uint64_t round = rng_few_rounds(1, 40); round-- > 0;) {
    mo_mesh *meshes[3];
    for (int i = 0; i < 3; i++) {
      test_mesh source = i == 0   ? make_stack(12000, &r)
                         : i == 1 ? test_mesh_make(TEST_MESH_SPHERE, 50000, &r)
                                  : test_mesh_make(TEST_MESH_LATTICE, 200, &r);
      meshes[i] = test_mesh_build(&source);
      test_mesh_free(&source);
    }
    for (uint32_t count = 5; count < 400; count *= 4) {
      static const rng_transform_kind kinds[2] = {RNG_RIGID, RNG_NONUNIFORM_SCALE};
      mo_scene *subject = make_crowd(meshes, 3, kinds, count, 1.0f, &r);
      check_apart(subject, 2.0f, APART / 8, &r);
      mo_scene_destroy(subject);
    }
    for (int i = 0; i < 3; i++) {
      mo_mesh_release(meshes[i]);
    }
  }
}

/* Scenes of a leaf or little more, which most rays miss. */
Test(batch, few_shapes_as_one_at_a_time) {
  rng r = rng_make(rng_seed("batch/few", 91));
  test_mesh source = test_mesh_make(TEST_MESH_SPHERE, 60, &r);
  mo_mesh *ball = test_mesh_build(&source);
  test_mesh_free(&source);
  for (uint64_t round = rng_few_rounds(1, 100); round-- > 0;) {
    for (uint32_t count = 2; count < 20; count = count * 3 / 2 + 1) {
      static const rng_transform_kind kinds[2] = {RNG_RIGID, RNG_RIGID};
      mo_scene *subject = make_crowd(&ball, 1, kinds, count, 6.0f, &r);
      check_apart(subject, 8.0f, 10, &r);
      mo_scene_destroy(subject);
    }
  }
  mo_mesh_release(ball);
}

static mo_shape_def random_sparse(mo_mesh *const meshes[3], float spread, rng *r) {
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_UNIFORM_SCALE, RNG_SHEAR, RNG_MIRROR};
  uint32_t which = rng_below(r, 8);
  mo_shape_def def = mo_default_shape_def(which == 0   ? MO_SHAPE_SPHERE
                                          : which == 1 ? MO_SHAPE_BOX
                                                       : MO_SHAPE_MESH);
  def.transform = rng_transform(r, kinds[which < 2 ? 0 : rng_below(r, 4)], spread);
  if (which == 0) {
    def.geometry.sphere.radius = rng_float(r, 0.2f, 1);
  } else if (which == 1) {
    def.geometry.box.half_extents = (mo_vec3){0.3f, 0.6f, 0.2f};
  } else {
    def.geometry.mesh = meshes[which % 3];
    if (rng_below(r, 20) == 0) {
      def.transform.x_axis = (mo_vec3){0, 0, 0};
    }
  }
  def.category = 1ull << rng_below(r, 3);
  return def;
}

/* Few shapes for many rays, and few along each ray: all rays visit each node together. */
Test(batch, sparse_shapes_as_one_at_a_time) {
  static const uint32_t counts[] = {2, 30, 100, 250};
  rng r = rng_make(rng_seed("batch/sparse", 94));
  mo_mesh *meshes[3];
  for (int i = 0; i < 3; i++) {
    test_mesh source =
        test_mesh_make(i == 1 ? TEST_MESH_LATTICE : TEST_MESH_SPHERE, i == 0 ? 60 : 600, &r);
    meshes[i] = test_mesh_build(&source);
    test_mesh_free(&source);
  }
  for (uint64_t round = rng_few_rounds(2, 200); round-- > 0;) {
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      mo_scene_def scene_def = mo_default_scene_def();
      scene_def.isa = family_isa(rng_below(&r, family_isa_count()));
      scene_def.tree.capacity = rng_below(&r, 2) ? 4 : scene_def.tree.capacity;
      mo_scene *subject;
      cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
      float spread = 1.5f * cbrtf((float)counts[i]);
      for (uint32_t j = 0; j < counts[i]; j++) {
        mo_shape_def def = random_sparse(meshes, spread, &r);
        mo_shape_id id;
        cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
        if (rng_below(&r, 10) == 0) {
          cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK); /* in the same place */
        }
      }
      cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
      check_apart(subject, 1.2f * spread, counts[i] / 10, &r);
      mo_scene_destroy(subject);
    }
  }
  for (int i = 0; i < 3; i++) {
    mo_mesh_release(meshes[i]);
  }
}

/* Cells that overlap as much as they may, down to the third or fourth level: a ray meets most of
 * them, and more are pending than a packet takes at a time, or than the lists of rays at a node
 * have capacity for. */
Test(batch, overlapping_cells_as_one_at_a_time) {
  rng r = rng_make(rng_seed("batch/cells", 92));
  test_mesh source = test_mesh_make(TEST_MESH_ZERO, 0, &r);
  for (int i = -1; i <= 1; i += 2) { /* nothing between two corners of the box */
    float s = (float)i;
    test_mesh_add_corners(&source, (mo_vec3){s, s, s}, (mo_vec3){0.8f * s, s, s},
                          (mo_vec3){s, 0.8f * s, 0.8f * s});
  }
  mo_mesh *mesh_of_two = test_mesh_build(&source);
  test_mesh_free(&source);
  for (uint64_t round = rng_few_rounds(2, 80); round-- > 0;) {
    int levels = round % 2 == 0 ? 4 : 3; /* the third is thin if it is the last */
    mo_scene_def scene_def = mo_default_scene_def();
    scene_def.isa = family_isa(rng_below(&r, family_isa_count()));
    scene_def.tree.policy = MO_TREE_LOOSE;
    scene_def.tree.looseness = 4;
    scene_def.tree.capacity = 1;
    mo_scene *subject;
    cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
    for (int level = 1; level <= levels; level++) {
      int cells = 1 << level;
      float width = 2.0f / (float)cells;
      for (int i = 0; i < cells * cells * cells; i++) {
        mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
        mo_shape_id id;
        mo_vec3 *at = &def.transform.origin;
        if (level == 3 && level == levels && i % 3 != 0) {
          continue;
        }
        def.geometry.mesh = mesh_of_two;
        *at = (mo_vec3){(float)(i % cells), (float)(i / cells % cells), (float)(i / cells / cells)};
        *at = (mo_vec3){(at->x + 0.5f) * width - 1, (at->y + 0.5f) * width - 1,
                        (at->z + 0.5f) * width - 1};
        float half = rng_float(&r, 1.2f, 1.45f) * width;
        def.transform.x_axis.x = def.transform.y_axis.y = def.transform.z_axis.z = half;
        cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
      }
    }
    cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
    check_apart(subject, 1.0f, levels == 4 ? APART / 8 : 100, &r);
    mo_scene_destroy(subject);
  }
  mo_mesh_release(mesh_of_two);
}

enum { ASKING = 64 };

static uint32_t asked[2];

static bool count_asked(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)user_data;
  (void)context;
  asked[shape.index]++;
  return true;
}

/* The filter is called once for each ray and shape, also where the transform of the shape has no
 * inverse. */
Test(batch, filters_are_called_once) {
  rng r = rng_make(rng_seed("batch/asked", 93));
  test_mesh source = test_mesh_make(TEST_MESH_SPHERE, 60, &r);
  mo_mesh *ball = test_mesh_build(&source);
  test_mesh_free(&source);
  for (uint32_t isa = 0; isa < family_isa_count(); isa++) {
    mo_scene_def scene_def = mo_default_scene_def();
    scene_def.isa = family_isa(isa);
    mo_scene *subject;
    cr_assert_eq(mo_scene_create(&scene_def, &subject), MO_OK);
    for (int i = 0; i < 2; i++) {
      mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
      mo_shape_id id;
      def.geometry.mesh = ball;
      if (i == 0) {
        def.transform.x_axis.x = 0.0f; /* flat */
      } else {
        def.transform.origin.y = 10.0f; /* off all rays */
      }
      cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
      cr_assert_lt(id.index, 2);
    }
    cr_assert_eq(mo_scene_update(subject, NULL), MO_OK);
    static mo_vec3 from[ASKING], along[ASKING];
    static bool found[ASKING];
    static mo_ray_hit hits[ASKING];
    for (uint32_t i = 0; i < ASKING; i++) {
      from[i] = rng_direction(&r);
      along[i] = (mo_vec3){-from[i].x, -from[i].y, -from[i].z};
      from[i] = (mo_vec3){3 * from[i].x, 3 * from[i].y, 3 * from[i].z};
    }
    mo_batch_def def = mo_default_batch_def();
    def.count = ASKING;
    def.origins = mo_vec3_array_of(from, sizeof *from);
    def.directions = mo_vec3_array_of(along, sizeof *along);
    def.options.filter.accept = count_asked;
    def.coherence = MO_COHERENCE_INCOHERENT;
    mo_batch_output closest = {.hit = {hits, 0}}, any = {.found = {found, 0}};
    for (int goal = 0; goal < 2; goal++) {
      memset(asked, 0, sizeof asked);
      cr_assert_eq(goal == 0 ? mo_scene_cast_rays(subject, &def, &closest, NULL, NULL)
                             : mo_scene_test_rays(subject, &def, &any, NULL, NULL),
                   MO_OK);
      cr_assert_eq(asked[0], ASKING, "%s: %u", mo_isa_name(scene_def.isa), asked[0]);
    }
    mo_scene_destroy(subject);
  }
  mo_mesh_release(ball);
}

/* Rays that start on a corner hit it at t = 0, where their range ends, too. */
Test(batch, a_range_that_ends_at_minus_zero) {
  enum { RAYS = 200 };
  rng r = rng_make(5);
  test_mesh source = test_mesh_make(TEST_MESH_SPHERE, 3000, &r);
  mo_mesh *subject = test_mesh_build(&source);
  mo_vec3 from[RAYS], along = {0.2f, -0.3f, 1};
  bool found[RAYS];
  for (uint32_t i = 0; i < RAYS; i++) {
    mo_vec3 corners[3];
    cr_assert_eq(mo_mesh_get_triangle(subject, i * source.triangle_count / RAYS, corners, NULL),
                 MO_OK);
    from[i] = corners[0];
  }
  mo_batch_def def = mo_default_batch_def();
  def.count = RAYS;
  def.origins = mo_vec3_array_of(from, sizeof *from);
  def.directions = mo_vec3_array_of(&along, 0);
  def.options.max_t = -0.0f;
  def.coherence = MO_COHERENCE_COHERENT;
  mo_batch_output output = {.found = {found, 0}};
  cr_assert_eq(mo_mesh_test_rays(subject, &def, &output, NULL, NULL), MO_OK);
  for (uint32_t i = 0; i < RAYS; i++) {
    mo_ray_def ray = mo_default_ray_def();
    bool hit = false;
    ray.origin = from[i];
    ray.direction = along;
    ray.max_t = -0.0f;
    cr_assert_eq(mo_mesh_test_ray(subject, &ray, &hit, NULL), MO_OK);
    cr_assert(hit && found[i], "ray %u: one by one %d, together %d", i, hit, found[i]);
  }
  mo_mesh_release(subject);
  test_mesh_free(&source);
}

/* Rows of a picture of which the first is twice as long as the others: every ray is answered. */
Test(batch, a_first_row_that_is_longer) {
  enum { PITCH = 128, RAYS = 10 * PITCH };
  rng r = rng_make(6);
  test_mesh source = test_mesh_make(TEST_MESH_SPHERE, 3000, &r);
  mo_mesh *subject = test_mesh_build(&source);
  mo_ray_def rays[RAYS];
  for (uint32_t i = 0; i < RAYS; i++) {
    uint32_t row = i < 2 * PITCH ? 0 : i / PITCH - 1;
    uint32_t column = i < 2 * PITCH ? i : i % PITCH;
    rays[i] = mo_default_ray_def();
    rays[i].origin = (mo_vec3){-0.5f + 0.005f * (float)column, -0.1f + 0.005f * (float)row, -5};
    rays[i].direction = (mo_vec3){0, 0, 1};
  }
  test_batch batch = {.count = RAYS, .rays = rays, .def = mo_default_batch_def()};
  batch.def.count = RAYS;
  batch.def.origins = mo_vec3_array_of(&rays->origin, sizeof *rays);
  batch.def.directions = mo_vec3_array_of(&rays->direction, sizeof *rays);
  batch.def.coherence = MO_COHERENCE_COHERENT;
  cr_assert(check_mesh_batch(subject, &batch, &r), "%s", check_why());
  mo_mesh_release(subject);
  test_mesh_free(&source);
}

/* Errors. */

enum { BAD_RAYS = 40 };

static mo_vec3 origins[BAD_RAYS], directions[BAD_RAYS];
static mo_batch_def good;
static mo_mesh *mesh;
static mo_scene *scene, *of_one; /* without shapes; with a single one */

static void reset(void) {
  for (int i = 0; i < BAD_RAYS; i++) {
    origins[i] = (mo_vec3){0, 0, 0};
    directions[i] = (mo_vec3){0, 0, 1};
  }
}

static void setup(void) {
  rng r = rng_make(1);
  test_mesh source = test_mesh_make(TEST_MESH_SPHERE, 100, &r);
  mesh = test_mesh_build(&source);
  test_mesh_free(&source);
  mo_scene_def def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  cr_assert_eq(mo_scene_create(&def, &of_one), MO_OK);
  mo_shape_def ball = mo_default_shape_def(MO_SHAPE_SPHERE);
  ball.geometry.sphere.radius = 1;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(of_one, &ball, &id), MO_OK);
  cr_assert_eq(mo_scene_update(of_one, NULL), MO_OK);
  good = mo_default_batch_def();
  good.count = BAD_RAYS;
  good.origins = mo_vec3_array_of(origins, sizeof *origins);
  good.directions = mo_vec3_array_of(directions, sizeof *directions);
  reset();
}

static void teardown(void) {
  mo_scene_destroy(of_one);
  mo_scene_destroy(scene);
  mo_mesh_release(mesh);
}

TestSuite(batch_errors, .init = setup, .fini = teardown);

static void refuse_with(const mo_batch_def *def, mo_result expected, size_t at, int line,
                        mo_query_stats *stats) {
  float t[BAD_RAYS];
  bool found[BAD_RAYS];
  for (int i = 0; i < BAD_RAYS; i++) {
    t[i] = 77;
    found[i] = true;
  }
  mo_batch_output casts = {.t = {t, 0}, .found = {found, 0}}, tests = {.found = {found, 0}};
  size_t bad[6] = {99, 99, 99, 99, 99, 99};
  cr_assert_eq(mo_mesh_cast_rays(mesh, def, &casts, &bad[0], stats), expected, "%d", line);
  cr_assert_eq(mo_mesh_test_rays(mesh, def, &tests, &bad[1], stats), expected, "%d", line);
  cr_assert_eq(mo_scene_cast_rays(scene, def, &casts, &bad[2], stats), expected, "%d", line);
  cr_assert_eq(mo_scene_test_rays(scene, def, &tests, &bad[3], stats), expected, "%d", line);
  cr_assert_eq(mo_scene_cast_rays(of_one, def, &casts, &bad[4], stats), expected, "%d", line);
  cr_assert_eq(mo_scene_test_rays(of_one, def, &tests, &bad[5], stats), expected, "%d", line);
  for (int i = 0; i < BAD_RAYS; i++) {
    cr_assert(at < BAD_RAYS || (t[i] == 77 && found[i]), "%d", line);
    cr_assert(i >= 6 || bad[i] == at, "%d: %zu", line, bad[i]);
  }
}

/* All calls refuse it with the same code, however the rays are traced. If no ray is to blame they
 * write no output either; the index is `at` in any case. */
static void refuse(const mo_batch_def *def, mo_result expected, size_t at, int line) {
  mo_query_stats stats = {0}, zero = {0};
  mo_batch_def incoherent = *def;
  if (def->coherence == good.coherence) {
    incoherent.coherence = MO_COHERENCE_INCOHERENT;
  }
  refuse_with(def, expected, at, line, &stats);
  refuse_with(def, expected, at, line, NULL);
  refuse_with(&incoherent, expected, at, line, NULL);
  cr_assert(memcmp(&stats, &zero, sizeof zero) == 0);
}

Test(batch_errors, a_bad_ray_refuses_the_batch) {
  static const float wrong[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 18; i++) {
    size_t at = (size_t)(i + 3);
    ((float *)&(i < 9 ? origins : directions)[at])[i % 3] = wrong[i / 3 % 3];
    directions[BAD_RAYS - 1] = (mo_vec3){0, 0, 0}; /* bad too, but later */
    refuse(&good, MO_ERROR_NOT_FINITE, at, i);
    reset();
  }
  origins[7].y = -2e30f;
  refuse(&good, MO_ERROR_OUT_OF_RANGE, 7, 18);
  origins[7].y = 0;
  directions[0].z = 0;
  refuse(&good, MO_ERROR_INVALID_ARGUMENT, 0, 19);
  directions[0].z = 1;
  float ranges[BAD_RAYS] = {0};
  mo_batch_def def = good;
  def.min_t = (mo_float_array){ranges, sizeof *ranges};
  ranges[BAD_RAYS - 1] = -1;
  refuse(&def, MO_ERROR_INVALID_ARGUMENT, BAD_RAYS - 1, 20);
  ranges[BAD_RAYS - 1] = INFINITY;
  refuse(&def, MO_ERROR_NOT_FINITE, BAD_RAYS - 1, 21);
  def.min_t.data = NULL;
  def.max_t = (mo_float_array){ranges, sizeof *ranges};
  ranges[BAD_RAYS - 1] = NAN;
  refuse(&def, MO_ERROR_NOT_FINITE, BAD_RAYS - 1, 22);
  def = good;
  def.ends = def.directions;
  directions[5].x = 3e30f; /* an end may not be that far, a direction may */
  refuse(&def, MO_ERROR_OUT_OF_RANGE, 5, 23);
  bool found[BAD_RAYS];
  mo_batch_output output = {.found = {found, 0}};
  cr_assert_eq(mo_mesh_test_rays(mesh, &good, &output, NULL, NULL), MO_OK);
}

Test(batch_errors, bad_calls) {
  for (int i = 0; i < 6; i++) {
    mo_batch_def def = good;
    mo_result expected = MO_ERROR_NULL_ARGUMENT;
    if (i == 0) {
      def.origins.x = NULL;
    } else if (i == 1) {
      def.directions.z = NULL;
    } else if (i == 2) {
      def.ends = (mo_vec3_array){origins, NULL, origins, 12};
    } else if (i == 5) {
      def.scratch_size = MO_BATCH_SCRATCH_SIZE;
    } else {
      expected = MO_ERROR_INVALID_ARGUMENT;
      def.coherence = i == 3 ? (mo_coherence)3 : MO_COHERENCE_AUTO;
      def.options.min_t = i == 4 ? -1.0f : 0.0f;
    }
    refuse(&def, expected, i == 4 ? 0 : MO_NO_INDEX, i);
  }
  mo_batch_def none = mo_default_batch_def();
  mo_batch_output output = {0};
  size_t bad = 9;
  cr_assert_eq(mo_mesh_cast_rays(mesh, &none, &output, &bad, NULL), MO_OK);
  cr_assert_eq(bad, 9);
  cr_assert_eq(mo_mesh_cast_rays(mesh, &good, NULL, &bad, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(bad, MO_NO_INDEX);
  cr_assert_eq(mo_scene_lines_of_sight(scene, &none, &output, NULL, NULL), MO_OK);
  cr_assert_eq(mo_scene_lines_of_sight(scene, &good, &output, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cast_rays(NULL, &good, &output, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_cast_rays(mesh, NULL, &output, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_cast_rays(scene, &good, NULL, NULL, NULL), MO_ERROR_NULL_ARGUMENT);
  float t[3 * BAD_RAYS];
  output.t = (mo_output){t, 3};
  cr_assert_eq(mo_mesh_cast_rays(mesh, &good, &output, NULL, NULL), MO_ERROR_INVALID_ARGUMENT);
  output.t = (mo_output){t, 8};
  cr_assert_eq(mo_mesh_cast_rays(mesh, &good, &output, NULL, NULL), MO_OK);
  cr_assert_eq(mo_mesh_test_rays(mesh, &good, &output, NULL, NULL), MO_ERROR_INVALID_ARGUMENT);
}

/* Many chunks, with and without workers, and with the last chunk first: the same bytes; and the
 * lowest of several bad rays is named, with its error, whichever is found first. */
Test(batch, workers_change_nothing) {
  enum { COUNT = 40000, MESHES = 3 };
  rng r = rng_make(rng_seed("batch/workers", 83));
  mo_task_pool *pool;
  cr_assert_eq(mo_task_pool_create(NULL, 3, &pool), MO_OK);
  test_mesh source = test_mesh_make(TEST_MESH_SPIKES, 3000, &r);
  mo_mesh_def def = test_mesh_def(&source);
  mo_mesh *meshes[MESHES];
  const mo_tasks tasks[MESHES] = {{0}, mo_task_pool_tasks(pool), tasks_backwards(4)};
  for (int i = 0; i < MESHES; i++) {
    def.host.tasks = tasks[i];
    cr_assert_eq(mo_mesh_create(&def, &meshes[i]), MO_OK);
  }
  mo_vec3 *from = oracle_need(malloc(COUNT * sizeof *from));
  mo_vec3 *to = oracle_need(malloc(COUNT * sizeof *to));
  mo_aabb box = test_mesh_bounds(&source);
  mo_vec3 eye = {3 * box.upper.x, box.upper.y, box.upper.z};
  for (int i = 0; i < COUNT; i++) {
    /* A picture of 200 pixels a row, then rays of all kinds. */
    float x = (float)(i % 200) / 100 - 1, y = (float)(i / 200) / 50 - 1;
    from[i] = i < 20000 ? eye : rng_point_in(&r, box);
    to[i] = i < 20000 ? (mo_vec3){-2, x, y} : rng_direction(&r);
  }
  mo_batch_def rays = mo_default_batch_def();
  rays.count = COUNT;
  rays.origins = mo_vec3_array_of(from, sizeof *from);
  rays.directions = mo_vec3_array_of(to, sizeof *to);
  mo_ray_hit *hits[MESHES];
  uint32_t *bits[MESHES];
  for (int i = 0; i < MESHES; i++) {
    hits[i] = oracle_need(calloc(COUNT, sizeof **hits));
    bits[i] = oracle_need(calloc(COUNT / 32, sizeof **bits));
    mo_batch_output output = {.hit = {hits[i], 0}, .bits = bits[i]};
    cr_assert_eq(mo_mesh_cast_rays(meshes[i], &rays, &output, NULL, NULL), MO_OK);
  }
  uint32_t found = 0;
  for (int i = 0; i < COUNT; i++) {
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = from[i];
    ray.direction = to[i];
    mo_ray_hit hit;
    cr_assert_eq(mo_mesh_cast_ray(meshes[0], &ray, &hit, NULL), MO_OK);
    for (int k = 0; k < MESHES; k++) {
      cr_assert(check_same_hit(&hits[k][i], &hit), "ray %d", i);
    }
    found += hit.found;
  }
  cr_assert(found > COUNT / 8 && found < COUNT);
  for (int i = 1; i < MESHES; i++) {
    cr_assert(memcmp(bits[0], bits[i], COUNT / 32 * sizeof **bits) == 0);
  }
  to[39000].z = NAN;
  to[17001] = (mo_vec3){0, 0, 0};
  to[17020].x = NAN;
  for (int i = 0; i < MESHES; i++) {
    mo_batch_output output = {.bits = bits[i]};
    size_t bad = 0;
    cr_assert_eq(mo_mesh_test_rays(meshes[i], &rays, &output, &bad, NULL),
                 MO_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(bad, 17001);
    free(hits[i]);
    free(bits[i]);
    mo_mesh_release(meshes[i]);
  }
  free(from);
  free(to);
  mo_task_pool_destroy(pool);
  test_mesh_free(&source);
}
