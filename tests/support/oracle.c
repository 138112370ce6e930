/* The copies that the oracles work on, and their lists. */
#include "support/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void *oracle_need(void *memory) {
  if (!memory) {
    fprintf(stderr, "out of memory in a test\n");
    abort();
  }
  return memory;
}

void oracle_expect(mo_result result, const char *what) {
  if (result != MO_OK) {
    fprintf(stderr, "%s: %s\n", what, mo_result_name(result));
    abort();
  }
}

void *oracle_list_add(oracle_list *list, size_t size) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 64;
    list->items = oracle_need(realloc(list->items, list->capacity * size));
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
  oracle->triangles = oracle_need(malloc((oracle->count + 1) * sizeof *oracle->triangles));
  oracle->boxes = oracle_need(malloc((oracle->count + 1) * sizeof *oracle->boxes));
  for (uint32_t i = 0; i < oracle->count; i++) {
    oracle_triangle *triangle = &oracle->triangles[i];
    oracle_expect(mo_mesh_get_triangle(mesh, i, triangle->corners, &triangle->user_data),
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

mo_vec3 oracle_unit(mo_dvec3 n) {
  double square = mo_ddot(n, n);
  if (!(square > 0)) {
    return mo_vec(0, 0, 0);
  }
  n = mo_dscale(1 / sqrt(square), n);
  return mo_vec((float)n.x, (float)n.y, (float)n.z);
}

bool oracle_far_apart(mo_aabb a, mo_aabb b) {
  for (int axis = 0; axis < 3; axis++) {
    double al = mo_get(a.lower, axis), au = mo_get(a.upper, axis);
    double bl = mo_get(b.lower, axis), bu = mo_get(b.upper, axis);
    double slack = 1e-3 * ((fabs(al) + fabs(au)) + (fabs(bl) + fabs(bu)));
    if (al - bu > slack || bl - au > slack) {
      return true;
    }
  }
  return false;
}
