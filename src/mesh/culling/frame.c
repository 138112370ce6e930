/* Makes the culling frame of a query that measures distances. */
#include "mesh/culling/frame.h"

/* The least eigenvalue of the scaled Gram matrix (frame.h) with which boxes are culled in the
 * mesh's space. */
#define MIN_EIGENVALUE 0.25

static double component_of(mo_dvec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Makes a frame in the space in which the query is given: the world, or the mesh's own if it is not
 * in a scene. Triangles have coordinates up to `reach` there. */
static mo_cull_frame make_frame_in_query_space(mo_vec3 reach, mo_dvec3 point, mo_dvec3 displacement,
                                               double radius) {
  double max = radius + mo_sum_of_magnitudes(point) + mo_sum_of_magnitudes(displacement) +
               mo_sum_of_magnitudes(mo_widen(reach));
  mo_cull_frame frame = {.world_map = NULL};
  for (int axis = 0; axis < 3; axis++) {
    frame.from[axis] = component_of(point, axis);
    frame.displacement[axis] = component_of(displacement, axis);
    frame.error[axis] = 0x1p-46 * max;
    frame.weight[axis] = frame.max_weight[axis] = frame.unit_extent[axis] = 1.0;
  }
  return frame;
}

/* Makes a frame in the mesh's own space; false if its bounds on distances would be too loose. */
static bool make_local_frame(const mo_mesh *mesh, const mo_affine *affine, mo_dvec3 point,
                             mo_dvec3 displacement, double radius, mo_cull_frame *frame) {
  if (!affine->invertible) {
    return false;
  }
  const mo_transform *map = &affine->to_world;
  const mo_dvec3 column[3] = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)};
  double square[3], min = 1.0;
  for (int i = 0; i < 3; i++) {
    square[i] = mo_ddot(column[i], column[i]);
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double beside = fabs(mo_ddot(column[i], column[j])) / sqrt(square[i] * square[j]) +
                    fabs(mo_ddot(column[i], column[k])) / sqrt(square[i] * square[k]);
    min = fmin(min, 1.0 - beside - 0x1p-45);
  }
  if (!(min >= MIN_EIGENVALUE)) {
    return false;
  }
  mo_dvec3 origin = mo_widen(map->origin), v = mo_dsub(point, origin);
  double world = radius + mo_sum_of_magnitudes(point) + mo_sum_of_magnitudes(origin) +
                 mo_sum_of_magnitudes(displacement);
  for (int i = 0; i < 3; i++) {
    world += mo_sum_of_magnitudes(column[i]) * (double)mo_get(mesh->reach, i);
  }
  frame->world_map = NULL;
  for (int axis = 0; axis < 3; axis++) {
    /* Bounds the errors of the members: the inverse is rounded to floats. */
    double from = 0.0, moved = 0.0, terms = 0.0, entries = 0.0, entry_squares = 0.0;
    for (int i = 0; i < 3; i++) {
      double entry = affine->inverse[i][axis];
      from += entry * component_of(v, i);
      moved += entry * component_of(displacement, i);
      terms += fabs(entry * component_of(v, i)) + fabs(entry * component_of(displacement, i));
      entries += fabs(entry);
      entry_squares += entry * entry;
    }
    frame->from[axis] = from;
    frame->displacement[axis] = moved;
    frame->error[axis] = 0x1p-22 * terms + 0x1p-46 * world * entries + 0x1p-120;
    frame->weight[axis] = min * square[axis];
    frame->max_weight[axis] =
        (2.0 - min) * square[axis]; /* upper bound of the eigenvalues, by the same row sums */
    frame->unit_extent[axis] = sqrt(entry_squares) * (1.0 + 0x1p-22);
    if (!(fabs(from) + fabs(moved) <= (double)FLT_MAX)) {
      return false;
    }
  }
  return true;
}

mo_cull_frame mo_cull_frame_make(const mo_mesh *mesh, const mo_affine *affine, mo_dvec3 point,
                                 mo_dvec3 displacement, double radius) {
  mo_cull_frame frame;
  if (affine == NULL) {
    return make_frame_in_query_space(mesh->reach, point, displacement, radius);
  }
  if (make_local_frame(mesh, affine, point, displacement, radius, &frame)) {
    return frame;
  }
  mo_aabb box = mo_affine_aabb_to_world(affine, mesh->bounds);
  mo_vec3 reach = mo_aabb_max_coordinates_or_zero(box);
  frame = make_frame_in_query_space(reach, point, displacement, radius);
  frame.world_map = affine;
  return frame;
}

mo_cull_frame mo_cull_frame_of_box(const mo_mesh *mesh, const mo_affine *affine, mo_dvec3 center,
                                   mo_dvec3 half, mo_dvec3 displacement, double margin) {
  mo_cull_frame frame =
      mo_cull_frame_make(mesh, affine, center, displacement, half.x + half.y + half.z + margin);
  bool local = affine != NULL && frame.world_map == NULL;
  for (int axis = 0; axis < 3; axis++) {
    double across = component_of(half, axis);
    if (local) {
      across = 0.0;
      for (int i = 0; i < 3; i++) {
        across += fabs((double)affine->inverse[i][axis]) * component_of(half, i) * (1.0 + 0x1p-20);
      }
    }
    frame.error[axis] += across + frame.unit_extent[axis] * margin;
  }
  return frame;
}
