/* The copies that the oracles work on, and their lists. */
#include "oracle/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void *oracle_need(void *memory) {
  if (memory == NULL) {
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

/* Rows are read ORACLE_TOGETHER at a time; what is beyond the end is nowhere. */
static void read_rows(oracle_mesh *oracle) {
  size_t padded = ((size_t)oracle->count / ORACLE_TOGETHER + 1) * ORACLE_TOGETHER;
  float *all = oracle_need(malloc(6 * padded * sizeof *all));
  oracle->reach = 0;
  for (uint32_t row = 0; row < 6; row++) {
    oracle->rows[row] = all + row * padded;
    for (size_t i = 0; i < padded; i++) {
      float x = INFINITY;
      if (i < oracle->count) {
        x = mo_get(row < 3 ? oracle->boxes[i].lower : oracle->boxes[i].upper, (int)row % 3);
        oracle->reach = fmaxf(oracle->reach, fabsf(x));
      }
      oracle->rows[row][i] = x;
    }
  }
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
  read_rows(oracle);
}

void oracle_mesh_free(oracle_mesh *oracle) {
  free(oracle->triangles);
  free(oracle->boxes);
  free(oracle->rows[0]);
  *oracle = (oracle_mesh){0};
}

oracle_line oracle_line_make(const oracle_mesh *mesh, mo_vec3 origin, mo_vec3 direction,
                             mo_vec3 weights) {
  float min = fminf(weights.x, fminf(weights.y, weights.z));
  float max = fmaxf(weights.x, fmaxf(weights.y, weights.z));
  oracle_line line = {.all = !(max <= 4 * min)};
  double scale = fabs((double)origin.x) + fabs((double)origin.y) + fabs((double)origin.z);
  line.margin = 1e-5 * (scale + (double)mesh->reach) + 1e-40;
  for (int axis = 0; axis < 3; axis++) {
    double d = mo_get(direction, axis);
    line.origin[axis] = mo_get(origin, axis);
    /* Parallel to the sides: between them along the whole line, or nowhere. */
    line.inverse[axis] = d != 0 ? 1 / d : 1e300;
  }
  return line;
}

void oracle_line_near(const oracle_mesh *mesh, const oracle_line *line, uint32_t first,
                      unsigned char near[ORACLE_TOGETHER]) {
  double from[ORACLE_TOGETHER], to[ORACLE_TOGETHER];
  for (int i = 0; i < ORACLE_TOGETHER; i++) {
    from[i] = -INFINITY;
    to[i] = INFINITY;
  }
  for (int axis = 0; axis < 3 && !line->all; axis++) {
    const float *lower = mesh->rows[axis] + first, *upper = mesh->rows[axis + 3] + first;
    double o = line->origin[axis], inverse = line->inverse[axis], margin = line->margin;
    for (int i = 0; i < ORACLE_TOGETHER; i++) {
      double a = ((double)lower[i] - margin - o) * inverse;
      double b = ((double)upper[i] + margin - o) * inverse;
      double low = a < b ? a : b, high = a < b ? b : a;
      from[i] = from[i] > low ? from[i] : low;
      to[i] = to[i] < high ? to[i] : high;
    }
  }
  for (int i = 0; i < ORACLE_TOGETHER; i++) {
    near[i] = !(from[i] > to[i]);
  }
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
  /* Tests of distances allow for a share of the coordinates of all axes along each of them. */
  double all = 0;
  for (int axis = 0; axis < 3; axis++) {
    all += (fabs(mo_get(a.lower, axis)) + fabs(mo_get(a.upper, axis))) +
           (fabs(mo_get(b.lower, axis)) + fabs(mo_get(b.upper, axis)));
  }
  for (int axis = 0; axis < 3; axis++) {
    double al = mo_get(a.lower, axis), au = mo_get(a.upper, axis);
    double bl = mo_get(b.lower, axis), bu = mo_get(b.upper, axis);
    double slack = 1e-3 * ((fabs(al) + fabs(au)) + (fabs(bl) + fabs(bu))) + 1e-8 * all;
    if (al - bu > slack || bl - au > slack) {
      return true;
    }
  }
  return false;
}
