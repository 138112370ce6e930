#include "oracle/distances.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static oracle_distance measure(const oracle_shape *shape, uint32_t triangle,
                               const mo_primitive *still, const mo_distance_def *def) {
  oracle_distance d = {.shape = shape, .triangle = triangle};
  oracle_expect(mo_primitive_find_distance(still, &def->primitive, INFINITY, &d.found),
                "mo_primitive_find_distance");
  d.distance = (float)d.found.distance;
  if (d.distance == 0 && d.found.distance > 0) {
    d.distance = FLT_TRUE_MIN;
  }
  return d;
}

static oracle_distance measure_triangle(const oracle_shape *shape, const oracle_mesh *mesh,
                                        uint32_t triangle, const mo_distance_def *def) {
  const mo_vec3 *c = mesh->triangles[triangle].corners;
  mo_primitive still = mo_primitive_of_triangle(c[0], c[1], c[2]);
  if (shape != NULL) {
    still.transform = shape->def.transform;
  }
  return measure(shape, triangle, &still, def);
}

static void offer(const oracle_distance *d, const mo_distance_def *def, oracle_list *distances) {
  if (d->distance <= def->max_distance) {
    *(oracle_distance *)oracle_list_add(distances, sizeof *d) = *d;
  }
}

static int compare(const void *a, const void *b) {
  const oracle_distance *x = a, *y = b;
  if (x->distance != y->distance) {
    return x->distance < y->distance ? -1 : 1;
  }
  if (x->shape != y->shape) {
    return x->shape < y->shape ? -1 : 1;
  }
  return x->triangle < y->triangle ? -1 : 1;
}

static void sort(oracle_list *distances) {
  if (distances->count > 0) {
    qsort(distances->items, distances->count, sizeof(oracle_distance), compare);
  }
}

void oracle_mesh_distances(const oracle_mesh *oracle, const mo_distance_def *def,
                           oracle_list *distances) {
  for (uint32_t i = 0; i < oracle->count; i++) {
    oracle_distance d = measure_triangle(NULL, oracle, i, def);
    offer(&d, def, distances);
  }
  sort(distances);
}

static void offer_mesh(const oracle_shape *shape, const oracle_mesh *mesh,
                       const mo_distance_def *def, bool by_triangles, oracle_list *distances) {
  oracle_distance best = {.shape = NULL};
  for (uint32_t i = 0; i < mesh->count; i++) {
    oracle_distance d = measure_triangle(shape, mesh, i, def);
    if (by_triangles) {
      offer(&d, def, distances);
    } else if (best.shape == NULL || d.distance < best.distance) {
      best = d;
    }
  }
  if (best.shape != NULL) {
    offer(&best, def, distances);
  }
}

void oracle_scene_distances(const oracle_scene *oracle, const mo_distance_def *def,
                            bool by_triangles, oracle_list *distances) {
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    mo_shape_type type = shape->def.geometry.type;
    if (!oracle_filter_passes(&def->filter, shape) ||
        (type == MO_SHAPE_VOLUME && !def->hit_volumes)) {
      continue;
    }
    if (type == MO_SHAPE_MESH) {
      offer_mesh(shape, &oracle->meshes[shape->mesh], def, by_triangles, distances);
      continue;
    }
    mo_primitive solid = mo_primitive_of_geometry(&shape->def.geometry, &shape->def.transform);
    oracle_distance d = measure(shape, MO_NO_TRIANGLE, &solid, def);
    offer(&d, def, distances);
  }
  sort(distances);
}
