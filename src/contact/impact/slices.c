/* Culling in a mesh by slices of time, for shapes of which one at least rotates.
 *
 * The time from 0 to 1 is cut into slices of equal length. In the frame of the mesh, in which its
 * octree stands still, a point of the other body moves along some path. During a slice it stays
 * near its position in the middle of the slice: no farther away than its top speed times half of
 * the slice. So a box around the points of the body in the middle of the slice, grown by that
 * distance, contains the body during the whole slice. A node of the octree is visited once; its key
 * is the first slice whose box touches it. So each triangle is tested at most once, in however many
 * slices the body comes near it.
 *
 * The motions of the slices are computed once for two shapes, the boxes for each body: the other
 * shape, or each triangle of it. */
#include "contact/impact/impact.h"

#include "geometry/cast/approach.h"

static double distance_from_axis(mo_dvec3 axis, mo_dvec3 point) {
  return mo_dlength(mo_dcross(axis, point));
}

/* Writes up to eight points whose convex hull contains a body at t = 0. Returns how many. */
static int find_hull_points(const mo_moving_body *body, mo_dvec3 points[8]) {
  if (body->body.kind == MO_BODY_TRIANGLE) {
    memcpy(points, body->body.corners, 3 * sizeof *points);
    return 3;
  }
  const mo_aabb box = body->body.bounds;
  const mo_dvec3 side[2] = {mo_widen(box.lower), mo_widen(box.upper)};
  for (int i = 0; i < 8; i++) {
    points[i] = mo_dvec(side[i & 1].x, side[i >> 1 & 1].y, side[i >> 2].z);
  }
  return 8;
}

static mo_dvec3 point_in_slice(const mo_sliced_motion *s, int slice, mo_dvec3 point) {
  const mo_slice_motion *motion = &s->motion[slice];
  return mo_dadd(motion->base, mo_map_columns(motion->column, mo_dsub(point, s->pivot)));
}

/* An upper bound of how far the points of the body move, relative to the mesh, between the middle
 * of a slice and its ends. */
static double max_motion_in_half_slice(const mo_sliced_motion *s, const mo_dvec3 *points,
                                       int count) {
  const mo_movement_rotation *own = &s->other->rotation;
  double farthest = 0.0, off = 0.0;
  for (int i = 0; i < count; i++) {
    const mo_dvec3 out = mo_dsub(points[i], s->pivot);
    farthest = fmax(farthest, mo_dlength(out));
    off = s->other->rotates ? fmax(off, distance_from_axis(own->axis, out)) : 0.0;
  }
  double speed = s->linear_speed + fabs(own->angle) * off;
  if (s->mesh->body.whole.rotates) {
    speed += fabs(s->mesh->body.whole.rotation.angle) * (s->max_pivot_axis_distance + farthest);
  }
  return 0.5 * speed / MO_TIME_SLICES;
}

static void set_slice_motions(mo_sliced_motion *s) {
  const mo_moving_body *mesh = &s->mesh->body.whole, *other = s->other;
  const mo_dvec3 displacement =
                     mo_dsub(mo_widen(other->displacement), mo_widen(mesh->displacement)),
                 start = mo_dsub(s->pivot, mesh->rotation.pivot),
                 end = mo_dadd(start, displacement);
  s->linear_speed = mo_dlength(displacement);
  s->max_pivot_axis_distance = fmax(distance_from_axis(mesh->rotation.axis, start),
                                    distance_from_axis(mesh->rotation.axis, end));
  for (int i = 0; i < MO_TIME_SLICES; i++) {
    const double t = ((double)i + 0.5) / MO_TIME_SLICES;
    const mo_dvec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    mo_dvec3 base = mo_dadd(start, mo_dscale(t, displacement));
    s->motion[i].base = mo_dadd(mesh->rotation.pivot,
                                mesh->rotates ? mo_rotate_at(&mesh->rotation, -t, base) : base);
    for (int k = 0; k < 3; k++) {
      mo_dvec3 column = other->rotates ? mo_rotate_at(&other->rotation, t, axes[k]) : axes[k];
      s->motion[i].column[k] = mesh->rotates ? mo_rotate_at(&mesh->rotation, -t, column) : column;
    }
  }
}

/* Maps the motions of all slices from the world to the space in which the mesh is culled. */
static void map_to_culling_space(mo_sliced_motion *s) {
  const mo_affine *affine = s->mesh->affine;
  mo_dvec3 inverse[3];
  if (s->frame.world_map != NULL) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    inverse[i] = mo_dvec(affine->inverse[i][0], affine->inverse[i][1], affine->inverse[i][2]);
  }
  for (int i = 0; i < MO_TIME_SLICES; i++) {
    mo_slice_motion *motion = &s->motion[i];
    motion->base =
        mo_map_columns(inverse, mo_dsub(motion->base, mo_widen(affine->to_world.origin)));
    for (int k = 0; k < 3; k++) {
      motion->column[k] = mo_map_columns(inverse, motion->column[k]);
    }
  }
}

/* The bounds of no points. */
static const mo_dvec3 no_lower = {INFINITY, INFINITY, INFINITY},
                      no_upper = {-INFINITY, -INFINITY, -INFINITY};

/* Extends the box from `lower` to `upper` by some points of a body, as they are in a slice. */
static void add_points(const mo_sliced_motion *s, int slice, const mo_dvec3 *points, int count,
                       mo_dvec3 *lower, mo_dvec3 *upper) {
  for (int k = 0; k < count; k++) {
    const mo_dvec3 p = point_in_slice(s, slice, points[k]);
    *lower = mo_dvec_min(*lower, p);
    *upper = mo_dvec_max(*upper, p);
  }
}

void mo_sliced_motion_init(mo_sliced_motion *s, const mo_impact_rules *rules,
                           const mo_impact_shape *mesh, const mo_moving_body *other) {
  const mo_moving_body *own = &mesh->body.whole;
  mo_dvec3 points[8];
  const int count = find_hull_points(other, points);
  s->mesh = mesh;
  s->other = other;
  s->pivot = other->rotates ? other->rotation.pivot
                            : mo_dscale(0.5, mo_dadd(points[0], points[count - 1]));
  set_slice_motions(s);
  s->margin = mo_impact_margin(rules, other, mo_moving_coordinate_magnitude(own)) +
              mo_impact_coarse_tolerance(own, other);
  mo_dvec3 lower = no_lower, upper = no_upper;
  for (int i = 0; i < MO_TIME_SLICES; i++) {
    add_points(s, i, points, count, &lower, &upper);
  }
  /* Half of the extents of the box around all points are passed as the displacement, so that the
   * error bounds of the frame hold in the whole box. */
  s->frame = mo_cull_frame_make(mesh->mesh, mesh->affine, mo_dscale(0.5, mo_dadd(lower, upper)),
                                mo_dscale(0.5, mo_dsub(upper, lower)),
                                s->margin + max_motion_in_half_slice(s, points, count));
  map_to_culling_space(s);
}

/* Moves each coordinate outward by a relative margin that covers rounding to float. Near zero the
 * margin is too small, but there the error bounds of the frame cover the rounding. */
static mo_vec3 round_outward(mo_dvec3 v, double outward) {
  return mo_vec((float)(v.x + outward * fabs(v.x)), (float)(v.y + outward * fabs(v.y)),
                (float)(v.z + outward * fabs(v.z)));
}

void mo_slice_boxes_make(const mo_sliced_motion *s, const mo_moving_body *body,
                         mo_slice_boxes *boxes) {
  mo_dvec3 points[8];
  const int count = find_hull_points(body, points);
  const double radius = s->margin + max_motion_in_half_slice(s, points, count);
  const double *inverse = s->frame.unit_extent, *error = s->frame.error;
  const mo_dvec3 grow = mo_dvec(inverse[0] * radius + error[0], inverse[1] * radius + error[1],
                                inverse[2] * radius + error[2]);
  boxes->union_of_slices = mo_aabb_empty();
  for (int i = 0; i < MO_TIME_SLICES; i++) {
    mo_dvec3 lower = no_lower, upper = no_upper;
    add_points(s, i, points, count, &lower, &upper);
    boxes->slice_box[i] = (mo_aabb){round_outward(mo_dsub(lower, grow), -0x1p-23),
                                    round_outward(mo_dadd(upper, grow), 0x1p-23)};
    boxes->union_of_slices = mo_aabb_union(boxes->union_of_slices, boxes->slice_box[i]);
  }
}
