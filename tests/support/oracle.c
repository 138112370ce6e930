/* The copies that the oracles work on, and their lists. */
#include "support/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void *need(void *memory) {
  if (!memory) {
    fprintf(stderr, "out of memory in a test\n");
    abort();
  }
  return memory;
}

static void expect(mo_result result, const char *what) {
  if (result != MO_OK) {
    fprintf(stderr, "%s: %s\n", what, mo_result_name(result));
    abort();
  }
}

void *oracle_list_add(oracle_list *list, size_t size) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 64;
    list->items = need(realloc(list->items, list->capacity * size));
  }
  return (char *)list->items + size * list->count++;
}

void oracle_list_free(oracle_list *list) {
  free(list->items);
  *list = (oracle_list){0};
}

void oracle_mesh_read(oracle_mesh *oracle, const mo_mesh *mesh) {
  oracle->mesh = mesh;
  oracle->count = mo_mesh_triangle_count(mesh);
  oracle->triangles = need(malloc((oracle->count + 1) * sizeof *oracle->triangles));
  oracle->boxes = need(malloc((oracle->count + 1) * sizeof *oracle->boxes));
  for (uint32_t i = 0; i < oracle->count; i++) {
    oracle_triangle *triangle = &oracle->triangles[i];
    expect(mo_mesh_get_triangle(mesh, i, triangle->corners, &triangle->user_data),
           "mo_mesh_get_triangle");
    mo_aabb box = mo_aabb_empty();
    for (int j = 0; j < 3; j++) {
      box = mo_aabb_add_point(box, triangle->corners[j]);
    }
    oracle->boxes[i] = box;
  }
}

void oracle_mesh_free(oracle_mesh *oracle) {
  free(oracle->triangles);
  free(oracle->boxes);
  *oracle = (oracle_mesh){0};
}

/* The copy of a mesh, made when first asked for. Shapes are read in runs of the same mesh, so this
 * is no long search. */
static uint32_t mesh_of(oracle_scene *oracle, const mo_mesh *mesh) {
  for (uint32_t i = 0; i < oracle->mesh_count; i++) {
    if (oracle->meshes[i].mesh == mesh) {
      if (oracle->meshes[i].count != mo_mesh_triangle_count(mesh)) {
        oracle_mesh_free(&oracle->meshes[i]);
        oracle_mesh_read(&oracle->meshes[i], mesh);
      }
      return i;
    }
  }
  oracle->meshes = need(realloc(oracle->meshes, (oracle->mesh_count + 1) * sizeof(oracle_mesh)));
  oracle_mesh_read(&oracle->meshes[oracle->mesh_count], mesh);
  return oracle->mesh_count++;
}

void oracle_scene_read(oracle_scene *oracle, const mo_scene *scene) {
  uint32_t total = 0;
  expect(mo_scene_get_shapes(scene, NULL, 0, &total), "mo_scene_get_shapes");
  if (total > oracle->shape_capacity) {
    oracle->shape_capacity = 2 * total;
    oracle->shapes = need(realloc(oracle->shapes, 2 * total * sizeof *oracle->shapes));
  }
  mo_shape_id *ids = need(malloc((total + 1) * sizeof *ids));
  expect(mo_scene_get_shapes(scene, ids, total, &total), "mo_scene_get_shapes");
  oracle->shape_count = total;
  for (uint32_t i = 0; i < total; i++) {
    oracle_shape *shape = &oracle->shapes[i];
    shape->id = ids[i];
    expect(mo_scene_get_shape(scene, ids[i], &shape->def), "mo_scene_get_shape");
    expect(mo_scene_get_bounds(scene, ids[i], &shape->bounds), "mo_scene_get_bounds");
    expect(mo_affine_init(&shape->affine, &shape->def.transform), "mo_affine_init");
    shape->mesh = shape->def.geometry.type == MO_SHAPE_MESH
                      ? mesh_of(oracle, shape->def.geometry.mesh)
                      : UINT32_MAX;
  }
  free(ids);
}

void oracle_scene_free(oracle_scene *oracle) {
  for (uint32_t i = 0; i < oracle->mesh_count; i++) {
    oracle_mesh_free(&oracle->meshes[i]);
  }
  free(oracle->meshes);
  free(oracle->shapes);
  *oracle = (oracle_scene){0};
}

bool oracle_filter_passes(const mo_filter *filter, const oracle_shape *shape) {
  if (!filter) {
    return true;
  }
  if ((shape->def.category & filter->mask) == 0 || (filter->category & shape->def.mask) == 0) {
    return false;
  }
  if (shape->id.index == filter->ignore.index &&
      shape->id.generation == filter->ignore.generation) {
    return false;
  }
  return !filter->accept || filter->accept(shape->id, shape->def.user_data, filter->context);
}
