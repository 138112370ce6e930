/* Families of meshes and scenes; see families.h. */
#include "support/families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void print_log(mo_log_level level, const char *message, void *context) {
  (void)context;
  if (level == MO_LOG_WARNING) {
    fprintf(stderr, "motte: %s\n", message);
  }
}

static void expect(mo_result result, const char *what) {
  if (result != MO_OK) {
    fprintf(stderr, "%s: %s\n", what, mo_result_name(result));
    abort();
  }
}

bool family_has_isa(mo_isa isa) {
  mo_isa resolved;
  return mo_isa_resolve(isa, &resolved) == MO_OK;
}

static mo_aabb roomy_bounds(const test_mesh *mesh) {
  mo_aabb box = test_mesh_bounds(mesh);
  if (mesh->triangle_count == 0) {
    return (mo_aabb){{-1, -1, -1}, {1, 1, 1}};
  }
  return box;
}

static void add_variant(mesh_family *family, const test_mesh *mesh, const char *name, mo_isa isa,
                        const mo_mesh_build_options *options) {
  if (!family_has_isa(isa)) {
    return;
  }
  mo_mesh_def def = test_mesh_def(mesh);
  def.build = *options;
  def.isa = isa;
  def.host = counting_allocator_host(&family->counter);
  def.host.log = print_log;
  uint32_t later = 0;
  if (options->builder == MO_MESH_BUILDER_TOP_DOWN) {
    def.build.bounds = roomy_bounds(mesh);
    later = mesh->triangle_count / 2;
    def.triangle_count -= later;
  }
  mo_mesh **made = &family->meshes[family->count];
  expect(mo_mesh_create(&def, made), mesh->name);
  if (later > 0) {
    mo_vec3 *corners = malloc(3 * later * sizeof *corners);
    for (uint32_t i = 0; i < later; i++) {
      test_mesh_corners(mesh, def.triangle_count + i, corners + 3 * i);
    }
    uint32_t first = UINT32_MAX;
    expect(mo_mesh_insert_triangles(*made, corners, later, NULL, &first), "inserting");
    if (first != def.triangle_count) {
      fprintf(stderr, "the first inserted triangle is %u, not %u\n", first, def.triangle_count);
      abort();
    }
    free(corners);
  }
  if (mo_mesh_validate(*made) != MO_OK) {
    fprintf(stderr, "%s, %s: corrupt\n", mesh->name, name);
    abort();
  }
  family->names[family->count++] = name;
}

void mesh_family_build(mesh_family *family, const test_mesh *mesh, bool small) {
  *family = (mesh_family){0};
  counting_allocator_init(&family->counter);
  mo_mesh_build_options options = mo_default_mesh_build_options();
  add_variant(family, mesh, "split scalar", MO_ISA_SCALAR, &options);
  add_variant(family, mesh, "split avx2", MO_ISA_AVX2, &options);
  if (small) {
    return;
  }
  options.quality = MO_MESH_QUALITY_HIGH;
  options.leaf_capacity = 1;
  options.duplicate_budget = 8;
  add_variant(family, mesh, "split to single triangles", MO_ISA_AVX2, &options);
  options.quality = MO_MESH_QUALITY_FAST;
  options.leaf_capacity = 64;
  options.max_depth = 3;
  options.duplicate_budget = 0;
  add_variant(family, mesh, "split coarse", MO_ISA_SCALAR, &options);

  options = mo_default_mesh_build_options();
  options.builder = MO_MESH_BUILDER_SINGLE;
  add_variant(family, mesh, "single", MO_ISA_AUTO, &options);

  options.builder = MO_MESH_BUILDER_MIDPOINT;
  add_variant(family, mesh, "midpoint scalar", MO_ISA_SCALAR, &options);
  options.leaf_capacity = 2;
  options.max_depth = 6;
  add_variant(family, mesh, "midpoint deep", MO_ISA_AVX2, &options);

  options = mo_default_mesh_build_options();
  options.builder = MO_MESH_BUILDER_TOP_DOWN;
  options.depth = 1;
  add_variant(family, mesh, "top-down 1", MO_ISA_SCALAR, &options);
  options.depth = 3;
  add_variant(family, mesh, "top-down 3", MO_ISA_AVX2, &options);
}

bool mesh_family_free(mesh_family *family) {
  for (uint32_t i = 0; i < family->count; i++) {
    mo_mesh_release(family->meshes[i]);
  }
  family->count = 0;
  return counting_allocator_is_clean(&family->counter);
}

static void add_scene(scene_family *family, const char *name, mo_tree_policy policy, mo_isa isa,
                      uint32_t capacity) {
  if (!family_has_isa(isa)) {
    return;
  }
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = policy;
  def.tree.capacity = capacity;
  def.isa = isa;
  def.host = counting_allocator_host(&family->counter);
  def.host.log = print_log;
  expect(mo_scene_create(&def, &family->scenes[family->count]), "mo_scene_create");
  family->names[family->count++] = name;
}

void scene_family_create(scene_family *family) {
  *family = (scene_family){0};
  counting_allocator_init(&family->counter);
  uint32_t capacity = mo_default_tree_options().capacity;
  add_scene(family, "irregular scalar", MO_TREE_IRREGULAR, MO_ISA_SCALAR, capacity);
  add_scene(family, "irregular avx2", MO_TREE_IRREGULAR, MO_ISA_AVX2, 4);
  add_scene(family, "loose scalar", MO_TREE_LOOSE, MO_ISA_SCALAR, 4);
  add_scene(family, "loose avx2", MO_TREE_LOOSE, MO_ISA_AVX2, capacity);
  add_scene(family, "midpoint", MO_TREE_MIDPOINT, MO_ISA_AUTO, 8);
  add_scene(family, "irregular single", MO_TREE_IRREGULAR, MO_ISA_AUTO, 1);
}

bool scene_family_free(scene_family *family) {
  for (uint32_t i = 0; i < family->count; i++) {
    mo_scene_destroy(family->scenes[i]);
  }
  family->count = 0;
  return counting_allocator_is_clean(&family->counter);
}

static void expect_same(const scene_family *family, uint32_t index, mo_result result,
                        mo_result first, const char *what) {
  if (result != first) {
    fprintf(stderr, "%s: %s says %s, %s says %s\n", what, family->names[0], mo_result_name(first),
            family->names[index], mo_result_name(result));
    abort();
  }
}

mo_result scene_family_add(scene_family *family, const mo_shape_def *def, mo_shape_id *id) {
  mo_result first = mo_scene_add_shape(family->scenes[0], def, id);
  for (uint32_t i = 1; i < family->count; i++) {
    mo_shape_id other = {0};
    expect_same(family, i, mo_scene_add_shape(family->scenes[i], def, &other), first, "adding");
    if (first == MO_OK && (other.index != id->index || other.generation != id->generation)) {
      fprintf(stderr, "ids depend on the policy\n");
      abort();
    }
  }
  return first;
}

mo_result scene_family_remove(scene_family *family, mo_shape_id id) {
  mo_result first = mo_scene_remove_shape(family->scenes[0], id);
  for (uint32_t i = 1; i < family->count; i++) {
    expect_same(family, i, mo_scene_remove_shape(family->scenes[i], id), first, "removing");
  }
  return first;
}

mo_result scene_family_move(scene_family *family, mo_shape_id id, const mo_transform *transform) {
  mo_result first = mo_scene_set_transform(family->scenes[0], id, transform);
  for (uint32_t i = 1; i < family->count; i++) {
    expect_same(family, i, mo_scene_set_transform(family->scenes[i], id, transform), first,
                "moving");
  }
  return first;
}

mo_result scene_family_reshape(scene_family *family, mo_shape_id id, const mo_geometry *geometry) {
  mo_result first = mo_scene_set_geometry(family->scenes[0], id, geometry);
  for (uint32_t i = 1; i < family->count; i++) {
    expect_same(family, i, mo_scene_set_geometry(family->scenes[i], id, geometry), first,
                "reshaping");
  }
  return first;
}

void scene_family_update(scene_family *family) {
  for (uint32_t i = 0; i < family->count; i++) {
    expect(mo_scene_update(family->scenes[i]), "mo_scene_update");
  }
}

const char *scene_family_validate(const scene_family *family) {
  for (uint32_t i = 0; i < family->count; i++) {
    if (mo_scene_validate(family->scenes[i]) != MO_OK) {
      return family->names[i];
    }
  }
  return NULL;
}
