/* Random meshes as the shapes of queries. */
#ifndef TEST_QUERY_QUERY_MESH_H
#define TEST_QUERY_QUERY_MESH_H

#include <criterion/criterion.h>
#include <motte/height_field.h>
#include <stdlib.h>
#include <string.h>

#include "support/scenes.h"

static inline bool is_same_point(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* A mesh that is in no scene, and the primitive that it is. */
typedef struct query_mesh {
  test_mesh plain; /* empty if the mesh is one of the scene's */
  mo_mesh *mesh;
  oracle_mesh oracle;
  mo_primitive primitive;
} query_mesh;

/* A triangle of the mesh as a primitive. */
static inline mo_primitive query_mesh_triangle(const query_mesh *own, uint32_t triangle) {
  const mo_vec3 *c = own->oracle.triangles[triangle].corners;
  mo_primitive primitive = mo_primitive_of_triangle(c[0], c[1], c[2]);
  primitive.transform = own->primitive.transform;
  return primitive;
}

/* A small height field with diagonals of both kinds. */
static inline mo_mesh *query_mesh_height_field(rng *r) {
  float samples[49];
  uint8_t flags[36];
  for (int i = 0; i < 49; i++) {
    samples[i] = rng_float(r, -0.5f, 0.5f);
  }
  for (int i = 0; i < 36; i++) {
    flags[i] = rng_chance(r, 0.5) ? MO_HEIGHT_CELL_FLIPPED : 0;
  }
  mo_height_field_def def = mo_default_height_field_def();
  def.columns = def.rows = 2 + rng_below(r, 6);
  def.samples = samples;
  def.cell_flags = flags;
  def.column_spacing = def.row_spacing = 0.5f;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create_height_field(&def, &mesh), MO_OK);
  return mesh;
}

/* Adds a height field to a scene. */
static inline void query_mesh_add_height_field(test_scene *scene, rng *r) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  mo_shape_id id;
  def.geometry.mesh = query_mesh_height_field(r);
  def.transform = test_scene_transform(scene, r);
  const mo_result result = scene_family_add(&scene->family, &def, &id);
  cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
  mo_mesh_release(def.geometry.mesh);
  scene_family_update(&scene->family);
  oracle_scene_read(&scene->oracle, scene->family.scenes[0]);
}

/* A mesh of a scene, or another small one of any kind, near a shape of the scene. Its transform may
 * take it beyond the range of coordinates. */
static inline void query_mesh_make(query_mesh *own, const test_scene *scene, rng *r) {
  *own = (query_mesh){.mesh = NULL};
  if (rng_chance(r, 0.3)) {
    own->mesh = scene->meshes[rng_below(r, TEST_SCENE_MESHES)];
    mo_mesh_retain(own->mesh);
  } else if (rng_chance(r, 0.15)) {
    own->mesh = query_mesh_height_field(r);
  } else {
    const test_mesh_kind kind = (test_mesh_kind)rng_below(r, TEST_MESH_KIND_COUNT);
    own->plain = test_mesh_make(kind, 2 + rng_below(r, 30), r);
    mo_mesh_def def = test_mesh_def(&own->plain);
    def.build.compact = rng_chance(r, 0.3);
    cr_assert_eq(mo_mesh_create(&def, &own->mesh), MO_OK);
  }
  const sample_target target = test_scene_target(scene, r);
  mo_transform transform = test_scene_transform(scene, r);
  if (rng_chance(r, 0.7)) {
    transform.origin = sample_point(r, &target);
  }
  const mo_geometry geometry = {.type = MO_SHAPE_MESH, .mesh = own->mesh};
  own->primitive = mo_primitive_of_geometry(&geometry, &transform);
  oracle_mesh_read(&own->oracle, own->mesh);
}

/* Sorts a list, and of each run of entries that are at the same place keeps the first. */
static inline void query_mesh_keep_first(oracle_list *list, size_t size,
                                         int (*compare)(const void *, const void *),
                                         bool (*is_same_place)(const void *, const void *)) {
  char *items = list->items;
  uint32_t kept = 0;
  if (list->count == 0) {
    return;
  }
  qsort(items, list->count, size, compare);
  for (uint32_t i = 0; i < list->count; i++) {
    if (kept == 0 || !is_same_place(items + (kept - 1) * size, items + i * size)) {
      memmove(items + kept++ * size, items + i * size, size);
    }
  }
  list->count = kept;
}

static inline void query_mesh_free(query_mesh *own) {
  oracle_mesh_free(&own->oracle);
  mo_mesh_release(own->mesh);
  test_mesh_free(&own->plain);
}

#endif
