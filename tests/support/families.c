/* Families of meshes; see families.h. */
#include "support/families.h"

#include <math.h>
#include <motte/query.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/isa.h"
#include "oracle/oracle.h"

void family_print_log(mo_log_level level, const char *message, void *context) {
  (void)context;
  if (level == MO_LOG_WARNING) {
    fprintf(stderr, "motte: %s\n", message);
  }
}

bool family_has_isa(mo_isa isa) {
  mo_isa resolved;
  return mo_isa_resolve(isa, &resolved) == MO_OK;
}

/* Scalar is always there. */
static uint32_t find_isas(mo_isa isas[MO_ISA_COUNT]) {
  uint32_t count = 0;
  for (int isa = MO_ISA_SCALAR; isa < MO_ISA_COUNT; isa++) {
    count += mo_isa_resolve((mo_isa)isa, &isas[count]) == MO_OK;
  }
  return count;
}

mo_isa family_isa(uint32_t n) {
  mo_isa isas[MO_ISA_COUNT];
  return isas[n % find_isas(isas)];
}

uint32_t family_isa_count(void) {
  mo_isa isas[MO_ISA_COUNT];
  return find_isas(isas);
}

bool family_has_few_forms(void) {
  const char *text = getenv("MOTTE_FEW_FORMS");
  return text != NULL && strcmp(text, "1") == 0;
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
  mo_mesh_def def = test_mesh_def(mesh);
  def.build = *options;
  def.isa = isa;
  def.host = counting_allocator_host(&family->counter);
  def.host.log = family_print_log;
  uint32_t later = 0;
  if (options->builder == MO_MESH_BUILDER_TOP_DOWN) {
    def.build.bounds = roomy_bounds(mesh);
    later = mesh->triangle_count / 2;
    def.triangle_count -= later;
  }
  mo_mesh **made = &family->meshes[family->count];
  oracle_expect(mo_mesh_create(&def, made), mesh->name);
  if (later > 0) {
    mo_vec3 *corners = malloc(3 * later * sizeof *corners);
    for (uint32_t i = 0; i < later; i++) {
      test_mesh_corners(mesh, def.triangle_count + i, corners + 3 * i);
    }
    uint32_t first = UINT32_MAX;
    oracle_expect(mo_mesh_insert_triangles(*made, corners, later, NULL, &first, NULL), "inserting");
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
  for (uint32_t i = 0; i < family_isa_count(); i++) {
    add_variant(family, mesh, mo_isa_name(family_isa(i)), family_isa(i), &options);
  }
  options.compact = true;
  add_variant(family, mesh, "compact", MO_ISA_AUTO, &options);
  options.compact = false;
  if (small || family_has_few_forms()) {
    return;
  }
  options.quality = MO_MESH_QUALITY_HIGH;
  options.leaf_capacity = 1;
  options.duplicate_budget = 8;
  add_variant(family, mesh, "split to single triangles", family_isa(1), &options);
  options.compact = true;
  add_variant(family, mesh, "compact, split to single triangles", family_isa(2), &options);
  options.compact = false;
  options.quality = MO_MESH_QUALITY_FAST;
  options.leaf_capacity = 64;
  options.max_depth = 3;
  options.duplicate_budget = 0;
  add_variant(family, mesh, "split coarse", family_isa(2), &options);
  options.compact = true;
  add_variant(family, mesh, "compact, split coarse", family_isa(0), &options);

  options = mo_default_mesh_build_options();
  options.builder = MO_MESH_BUILDER_SINGLE;
  add_variant(family, mesh, "single", MO_ISA_AUTO, &options);

  options.builder = MO_MESH_BUILDER_MIDPOINT;
  add_variant(family, mesh, "midpoint", family_isa(3), &options);
  options.leaf_capacity = 2;
  options.max_depth = 6;
  add_variant(family, mesh, "midpoint deep", family_isa(2), &options);
  options.compact = true;
  add_variant(family, mesh, "compact, midpoint deep", family_isa(1), &options);

  options = mo_default_mesh_build_options();
  options.builder = MO_MESH_BUILDER_TOP_DOWN;
  options.depth = 1;
  add_variant(family, mesh, "top-down 1", family_isa(0), &options);
  options.depth = 3;
  add_variant(family, mesh, "top-down 3", family_isa(1), &options);
}

bool mesh_family_free(mesh_family *family) {
  for (uint32_t i = 0; i < family->count; i++) {
    mo_mesh_release(family->meshes[i]);
  }
  family->count = 0;
  return counting_allocator_is_clean(&family->counter);
}
