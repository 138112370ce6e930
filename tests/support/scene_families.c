/* Families of scenes; see families.h. */
#include <motte/query.h>
#include <stdio.h>
#include <stdlib.h>

#include "oracle/oracle.h"
#include "support/families.h"

static void add_scene(scene_family *family, const char *name, mo_tree_policy policy, mo_isa isa,
                      uint32_t capacity) {
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = policy;
  def.tree.capacity = capacity;
  def.isa = isa;
  def.host = counting_allocator_host(&family->counter);
  def.host.log = family_print_log;
  oracle_expect(mo_scene_create(&def, &family->scenes[family->count]), "mo_scene_create");
  family->names[family->count++] = name;
}

void scene_family_create(scene_family *family) {
  *family = (scene_family){0};
  counting_allocator_init(&family->counter);
  uint32_t capacity = mo_default_tree_options().capacity;
  add_scene(family, "irregular", MO_TREE_IRREGULAR, family_isa(0), capacity);
  add_scene(family, "midpoint", MO_TREE_MIDPOINT, MO_ISA_AUTO, 8);
  if (family_has_few_forms()) {
    return;
  }
  add_scene(family, "irregular small", MO_TREE_IRREGULAR, family_isa(2), 4);
  add_scene(family, "loose small", MO_TREE_LOOSE, family_isa(1), 4);
  add_scene(family, "loose", MO_TREE_LOOSE, family_isa(3), capacity);
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
    oracle_expect(mo_scene_update(family->scenes[i], NULL), "mo_scene_update");
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
