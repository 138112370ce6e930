/* Sets up culling by the path of a body. */
#include "mesh/culling/swept.h"

void mo_bounding_volumes_make(mo_bounding_volumes *volumes, const mo_body *body,
                              const mo_box_body *box, const mo_bounding_capsule *capsule,
                              mo_dvec3 displacement) {
  volumes->rounded_box =
      box->is_usable ? mo_rounded_box_of_box(box) : mo_rounded_box_around(body, capsule);
  volumes->has_planes =
      !box->is_usable &&
      mo_bounding_planes_make(&volumes->planes, body, &volumes->rounded_box, displacement);
}

void mo_bounding_volumes_make_of_bounds(mo_bounding_volumes *volumes, mo_aabb bounds) {
  const mo_dvec3 lower = mo_widen(bounds.lower), upper = mo_widen(bounds.upper);
  mo_rounded_box *box = &volumes->rounded_box;
  *box = mo_rounded_box_of_ball(mo_dscale(0.5, mo_dadd(lower, upper)), 0.0);
  box->half[0] = 0.5 * (upper.x - lower.x);
  box->half[1] = 0.5 * (upper.y - lower.y);
  box->half[2] = 0.5 * (upper.z - lower.z);
  volumes->has_planes = false;
}

static void set_lane_path(mo_swept_culling *culling, const mo_mesh *mesh) {
  double from[3], displacement[3], grow[3], numbers = 0.0;
  for (int axis = 0; axis < 3; axis++) {
    const mo_path_axis *path = &culling->path[axis];
    from[axis] = path->start;
    displacement[axis] = path->displacement;
    grow[axis] = path->enlargement;
    numbers += fabs(path->start) + fabs(path->displacement) + path->enlargement +
               (double)mo_get(mesh->reach, axis);
  }
  culling->lane_path = mo_lanes_path_make(from, displacement, grow, 0x1p-22 * numbers);
}

/* Sets the path of a box around the body, and its space. A ball gets the box along the axes of that
 * space. */
static void set_path(mo_swept_culling *culling, const mo_mesh *mesh, const mo_affine *affine,
                     mo_aabb bounds, mo_dvec3 displacement, const mo_rounded_box *ball,
                     double margin) {
  const mo_dvec3 lower = mo_widen(bounds.lower), upper = mo_widen(bounds.upper);
  mo_dvec3 center = mo_dscale(0.5, mo_dadd(lower, upper)),
           half = mo_dscale(0.5, mo_dsub(upper, lower));
  if (ball != NULL) {
    center = ball->center;
    half = mo_dvec(0.0, 0.0, 0.0);
    margin += ball->radius;
  }
  const mo_cull_frame frame =
      mo_cull_frame_of_box(mesh, affine, center, half, displacement, margin);
  culling->world_map = frame.world_map;
  for (int axis = 0; axis < 3; axis++) {
    culling->path[axis] =
        (mo_path_axis){frame.from[axis], frame.displacement[axis], frame.error[axis]};
  }
}

static bool is_ball(const mo_rounded_box *box) {
  return box->half[0] == 0.0 && box->half[1] == 0.0 && box->half[2] == 0.0;
}

void mo_swept_culling_set(mo_swept_culling *culling, const mo_mesh *mesh, const mo_affine *affine,
                          mo_aabb bounds, mo_dvec3 displacement, const mo_bounding_volumes *volumes,
                          double margin) {
  const mo_rounded_box *box = &volumes->rounded_box;
  set_path(culling, mesh, affine, bounds, displacement, is_ball(box) ? box : NULL, margin);
  culling->culling_box = mo_culling_box_make(box, displacement, mesh, affine, margin);
  culling->culls_nodes_by_box = culling->culling_box.culls_nodes && culling->world_map == NULL;
  culling->planes = volumes->has_planes ? &volumes->planes : NULL;
  if (culling->culls_nodes_by_box) {
    set_lane_path(culling, mesh);
  }
}
