#include "debug/subjects.h"

#include <criterion/criterion.h>
#include <motte/query.h>
#include <stdio.h>
#include <stdlib.h>

#include "math/aabb.h"
#include "mesh/format/read.h"
#include "support/meshes.h"

static subject subject_of_scene(mo_tree_policy policy, uint32_t shape_count) {
  subject result = {0};
  snprintf(result.name, sizeof result.name, "scene, policy %d, %u shapes", (int)policy,
           shape_count);
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = policy;
  def.tree.capacity = 4;
  cr_assert_eq(mo_scene_create(&def, &result.scene), MO_OK);
  rng r = rng_make(shape_count + 1);
  for (uint32_t i = 0; i < shape_count; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
    shape.transform = rng_transform(&r, RNG_UNIFORM_SCALE, 50);
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(result.scene, &shape, &id), MO_OK);
  }
  cr_assert_eq(mo_scene_update(result.scene, NULL), MO_OK);
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(result.scene, &stats), MO_OK);
  result.nodes = stats.node_count;
  result.leaves = stats.leaf_count;
  return result;
}

static uint32_t count_empty_nodes(const mo_mesh *mesh) {
  uint32_t count = 0;
  for (uint32_t node = 0; node < mesh->node_count; node++) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      uint32_t child = mo_mesh_child(mesh, node, slot);
      count += !mo_child_is_leaf(child) && mo_aabb_is_empty(mo_mesh_child_box(mesh, node, slot));
    }
  }
  return count;
}

static subject subject_of_mesh(mo_mesh_builder builder, test_mesh_kind kind, bool compact) {
  subject result = {0};
  snprintf(result.name, sizeof result.name, "mesh, builder %d, %s%s", (int)builder,
           test_mesh_kind_name(kind), compact ? ", compact" : "");
  rng r = rng_make(1);
  test_mesh mesh = test_mesh_make(kind, 2000, &r);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.builder = builder;
  def.build.compact = compact;
  def.build.depth = 3;
  def.build.bounds = (mo_aabb){{-1e6f, -1e6f, -1e6f}, {1e6f, 1e6f, 1e6f}};
  if (mesh.triangle_count > 0) {
    def.build.bounds = test_mesh_bounds(&mesh);
  }
  cr_assert_eq(mo_mesh_create(&def, &result.mesh), MO_OK, "%s", result.name);
  test_mesh_free(&mesh);
  mo_mesh_stats stats;
  cr_assert_eq(mo_mesh_get_stats(result.mesh, &stats), MO_OK);
  /* A mesh without triangles keeps a root, which has no bounds to draw. */
  result.nodes = stats.triangle_count > 0 ? stats.node_count : 0;
  result.leaves = stats.leaf_count;
  result.empty_nodes = count_empty_nodes(result.mesh);
  return result;
}

int subjects_make(subject all[SUBJECTS]) {
  int count = 0;
  static const mo_tree_policy policies[] = {MO_TREE_IRREGULAR, MO_TREE_LOOSE, MO_TREE_MIDPOINT};
  for (int i = 0; i < 3; i++) {
    all[count++] = subject_of_scene(policies[i], 500);
  }
  all[count++] = subject_of_scene(MO_TREE_IRREGULAR, 3);
  all[count++] = subject_of_scene(MO_TREE_IRREGULAR, 0);
  static const mo_mesh_builder builders[] = {MO_MESH_BUILDER_SPLIT, MO_MESH_BUILDER_SINGLE,
                                             MO_MESH_BUILDER_MIDPOINT, MO_MESH_BUILDER_TOP_DOWN};
  for (int i = 0; i < 4; i++) {
    all[count++] = subject_of_mesh(builders[i], TEST_MESH_IRREGULAR, false);
  }
  all[count++] = subject_of_mesh(MO_MESH_BUILDER_SPLIT, TEST_MESH_LONG_PARALLEL, false);
  all[count++] = subject_of_mesh(MO_MESH_BUILDER_SPLIT, TEST_MESH_FLAT, false);
  all[count++] = subject_of_mesh(MO_MESH_BUILDER_SPLIT, TEST_MESH_ONE, false);
  all[count++] = subject_of_mesh(MO_MESH_BUILDER_SPLIT, TEST_MESH_ZERO, false);
  all[count++] = subject_of_mesh(MO_MESH_BUILDER_SPLIT, TEST_MESH_IRREGULAR, true);
  all[count++] = subject_of_mesh(MO_MESH_BUILDER_MIDPOINT, TEST_MESH_FLAT, true);
  return count;
}

void subjects_free(subject *all, int count) {
  for (int i = 0; i < count; i++) {
    mo_scene_destroy(all[i].scene);
    mo_mesh_release(all[i].mesh);
  }
}

static void keep_line(mo_vec3 from, mo_vec3 to, uint32_t rgba, void *context) {
  drawing *d = context;
  if (d->count == d->capacity) {
    d->capacity = 2 * d->capacity + 96;
    d->lines = realloc(d->lines, d->capacity * sizeof *d->lines);
    cr_assert_not_null(d->lines);
  }
  d->lines[d->count++] = (drawn_line){from, to, rgba};
}

drawing subject_draw(const subject *s, const mo_debug_def *def) {
  drawing result = {0};
  mo_line_sink sink = {keep_line, &result};
  mo_result code =
      s->scene != NULL ? mo_scene_draw(s->scene, def, &sink) : mo_mesh_draw(s->mesh, def, &sink);
  cr_assert_eq(code, MO_OK, "%s: %s", s->name, mo_result_name(code));
  cr_assert_eq(result.count % 12, 0, "%s: %u lines are not whole boxes", s->name, result.count);
  return result;
}

void drawing_free(drawing *d) {
  free(d->lines);
}

mo_aabb drawing_box(const drawing *d, uint32_t box) {
  mo_aabb bounds = mo_aabb_empty();
  for (uint32_t i = 12 * box; i < 12 * box + 12; i++) {
    bounds = mo_aabb_add_point(bounds, d->lines[i].from);
    bounds = mo_aabb_add_point(bounds, d->lines[i].to);
  }
  return bounds;
}

mo_result subject_draw_buffers(const subject *s, const mo_debug_def *def,
                               mo_debug_buffers *buffers) {
  return s->scene != NULL ? mo_scene_draw_buffers(s->scene, def, buffers)
                          : mo_mesh_draw_buffers(s->mesh, def, buffers);
}
