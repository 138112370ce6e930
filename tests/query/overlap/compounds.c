/* Triangles of a mesh that touch a compound, where there are many: more children near the mesh, and
 * more triangles that touch, than a query keeps in mind. Against a loop over the children. */
#include <criterion/criterion.h>
#include <motte/motte.h>
#include <stdlib.h>

#include "support/meshes.h"
#include "support/rng.h"
#include "support/scenes.h"

enum { TRIANGLES = 6000, MAX_CHILDREN = 400 };

typedef struct world {
  mo_mesh *mesh;
  mo_scene *scene;
  mo_shape_id shape;
  mo_compound *compound;
  mo_transform map;                    /* of the compound */
  mo_primitive children[MAX_CHILDREN]; /* under their composed transforms */
  uint32_t child_count;
} world;

static bool expected[TRIANGLES];
static uint32_t expected_count, found[TRIANGLES], calls[TRIANGLES];
static mo_triangle_ref refs[TRIANGLES];

static mo_shape_def any_child(float size, rng *r) {
  static const mo_shape_type types[] = {MO_SHAPE_BOX, MO_SHAPE_SPHERE, MO_SHAPE_CYLINDER,
                                        MO_SHAPE_CONE};
  mo_shape_def def = mo_default_shape_def(types[rng_below(r, 4)]);
  mo_vec3 at = rng_vec3(r, -1, 1);
  at.z *= 0.2f;
  const mo_vec3 scale = rng_vec3(r, 0.5f * size, size);
  def.transform = mo_transform_make(at, rng_rotation(r), scale);
  return def;
}

static world make_world(uint32_t child_count, float size, rng *r) {
  const mo_scene_def scene_def = mo_default_scene_def();
  test_mesh mesh = test_mesh_make(TEST_MESH_TERRAIN, TRIANGLES, r);
  const mo_mesh_def mesh_def = test_mesh_def(&mesh);
  world w = {.child_count = child_count};
  mo_shape_id id;
  cr_assert_eq(mo_mesh_create(&mesh_def, &w.mesh), MO_OK);
  test_mesh_free(&mesh);
  cr_assert_leq(mo_mesh_triangle_count(w.mesh), TRIANGLES);
  cr_assert_eq(mo_scene_create(&scene_def, &w.scene), MO_OK);
  mo_shape_def ground = mo_default_shape_def(MO_SHAPE_MESH);
  ground.geometry.mesh = w.mesh;
  ground.transform.x_axis.z = 0.2f;
  cr_assert_eq(mo_scene_add_shape(w.scene, &ground, &w.shape), MO_OK);
  cr_assert_eq(mo_compound_create(&scene_def, &w.compound), MO_OK);
  w.map = mo_transform_make(mo_vec(0.1f, 0, 0), (mo_quat){0, 0, 0.6f, 0.8f}, mo_vec(1.2f, 1, 1));
  for (uint32_t i = 0; i < child_count; i++) {
    const mo_shape_def def = any_child(size, r);
    const mo_transform map = mo_transform_compose(&w.map, &def.transform);
    w.children[i] = mo_primitive_of_geometry(&def.geometry, &map);
    cr_assert_eq(mo_scene_add_shape(mo_compound_children(w.compound), &def, &id), MO_OK);
  }
  cr_assert_eq(mo_compound_update(w.compound), MO_OK);
  return w;
}

static void free_world(world *w) {
  mo_scene_destroy(w->scene);
  mo_compound_release(w->compound);
  mo_mesh_release(w->mesh);
}

static bool accept_odd(mo_triangle_ref ref, void *context) {
  (void)context;
  calls[ref.triangle]++;
  return ref.triangle % 2 == 1;
}

/* The triangles that some child touches. */
static void find_expected(const world *w, mo_overlap_def def, bool in_scene) {
  memset(expected, 0, sizeof expected);
  for (uint32_t i = 0; i < w->child_count; i++) {
    uint32_t total;
    def.primitive = w->children[i];
    cr_assert_eq(in_scene
                     ? mo_scene_overlap_triangles(w->scene, &def, refs, TRIANGLES, &total, NULL)
                     : mo_mesh_overlap_triangles(w->mesh, &def, found, TRIANGLES, &total, NULL),
                 MO_OK);
    for (uint32_t k = 0; k < total; k++) {
      expected[in_scene ? refs[k].triangle : found[k]] = true;
    }
  }
  expected_count = 0;
  for (uint32_t i = 0; i < TRIANGLES; i++) {
    expected_count += expected[i];
  }
}

static void expect_found(uint32_t total) {
  cr_assert_eq(total, expected_count, "%u triangles, not %u", total, expected_count);
  for (uint32_t i = 0; i < total; i++) {
    cr_assert(expected[found[i]] && (i == 0 || found[i - 1] < found[i]));
  }
}

typedef struct visit {
  uint32_t count, limit;
} visit;

static bool visit_once(const mo_triangle *triangle, void *context) {
  visit *v = context;
  cr_assert(expected[triangle->triangle]);
  cr_assert_eq(calls[triangle->triangle]++, 0, "triangle %u twice", triangle->triangle);
  return ++v->count < v->limit;
}

/* Lists, visits that end early, and short lists of one query. */
static void check(const world *w, bool in_scene, bool accepts, rng *r) {
  const mo_geometry own = {.type = MO_SHAPE_COMPOUND, .compound = w->compound};
  mo_overlap_def def = mo_overlap_primitive_def(mo_primitive_of_geometry(&own, &w->map));
  uint32_t total;
  def.accept_triangle = accepts ? accept_odd : NULL;
  find_expected(w, def, in_scene);
  memset(calls, 0, sizeof calls);
  if (in_scene) {
    cr_assert_eq(mo_scene_overlap_triangles(w->scene, &def, refs, TRIANGLES, &total, NULL), MO_OK);
    for (uint32_t i = 0; i < total && i < TRIANGLES; i++) {
      found[i] = refs[i].triangle;
    }
  } else {
    cr_assert_eq(mo_mesh_overlap_triangles(w->mesh, &def, found, TRIANGLES, &total, NULL), MO_OK);
  }
  expect_found(total);
  for (uint32_t i = 0; i < TRIANGLES && accepts; i++) {
    cr_assert_leq(calls[i], 1, "triangle %u was offered %u times", i, calls[i]);
  }
  def.accept_triangle = NULL;
  find_expected(w, def, in_scene);
  memset(calls, 0, sizeof calls);
  visit v = {0, 1 + rng_below(r, 2 * expected_count)};
  cr_assert_eq(in_scene ? mo_scene_visit_triangles(w->scene, &def, visit_once, &v, NULL)
                        : mo_mesh_visit_triangles(w->mesh, &def, visit_once, &v, NULL),
               MO_OK);
  cr_assert_eq(v.count, v.limit < expected_count ? v.limit : expected_count);
}

Test(overlap_compounds, many_children_and_triangles) {
  rng r = rng_make(rng_seed("overlap/compounds", 1));
  static const struct {
    uint32_t children;
    float size;
    uint32_t min; /* how many triangles touch, at least */
  } kinds[] = {
      {12, 0.9f, 1600}, {60, 0.1f, 300}, {255, 0.1f, 300}, {257, 0.1f, 300}, {400, 0.4f, 1600}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    world w = make_world(kinds[k].children, kinds[k].size, &r);
    for (int i = 0; i < 4; i++) {
      check(&w, i % 2 == 0, i < 2, &r);
    }
    cr_log_info("%u children: %u triangles", kinds[k].children, expected_count);
    cr_assert_gt(expected_count, kinds[k].min);
    free_world(&w);
  }
}
