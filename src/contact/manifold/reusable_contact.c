/* Reuse of contacts: the contact points on the surface of each shape move with that shape, and the
 * normal rotates with the larger of the two shapes.
 *
 * Error bound: assume that no point of one shape has moved by more than d relative to the other.
 * The signed distance of two shapes (their gap, or minus their penetration depth) is a maximum over
 * directions of differences of their support functions, so it has changed by at most d. The two
 * surface points of a contact point have moved relative to each other by at most d, too. So the
 * separation computed from them is off by at most 2 d from the true one. */
#include "contact/manifold/reusable_contact.h"

#include <math.h>

#include "base/assert.h"

/* How much a stretch may change relative to the longest axis without counting as changed. This
 * covers the rounding of transforms to float; a scale this close to 1 does not affect contacts. */
static const double stretch_tolerance = 1e-5;

/* The squared sine between the x and y axes below which no rotation is computed from them. */
static const double min_squared_sine = 1e-4;

static mo_dvec3 rotate_by(const mo_vec3 axes[3], mo_vec3 v) {
  return mo_dadd(
      mo_dadd(mo_dscale((double)v.x, mo_widen(axes[0])), mo_dscale((double)v.y, mo_widen(axes[1]))),
      mo_dscale((double)v.z, mo_widen(axes[2])));
}

static mo_dvec3 rotate(const mo_shape_frame *frame, mo_vec3 v) {
  return rotate_by(frame->axes, v);
}

static mo_dvec3 rotate_back(const mo_shape_frame *frame, mo_dvec3 v) {
  return mo_dvec(mo_ddot(v, mo_widen(frame->axes[0])), mo_ddot(v, mo_widen(frame->axes[1])),
                 mo_ddot(v, mo_widen(frame->axes[2])));
}

bool mo_shape_frame_set(mo_shape_frame *frame, const mo_transform *to_world) {
  const mo_dvec3 x = mo_widen(to_world->x_axis), y = mo_widen(to_world->y_axis),
                 z = mo_widen(to_world->z_axis);
  const mo_dvec3 right = mo_dunit(x), across = mo_dsub(y, mo_dscale(mo_ddot(y, right), right));
  const bool is_singular = !(mo_ddot(across, across) > min_squared_sine * mo_ddot(y, y)) ||
                           !(mo_ddot(right, right) > 0.0);
  const mo_dvec3 up = mo_dunit(across), forward = mo_dcross(right, up);
  const mo_vec3 none = {NAN, NAN, NAN};
  frame->axes[0] = is_singular ? none : mo_narrow(right);
  frame->axes[1] = is_singular ? none : mo_narrow(up);
  frame->axes[2] = is_singular ? none : mo_narrow(forward);
  const double stretch[6] = {mo_ddot(x, right), mo_ddot(y, right), mo_ddot(y, up),
                             mo_ddot(z, right), mo_ddot(z, up),    mo_ddot(z, forward)};
  const double longest = sqrt(mo_dmax(mo_ddot(x, x), mo_dmax(mo_ddot(y, y), mo_ddot(z, z))));
  bool same = true;
  for (int i = 0; i < 6; i++) {
    same = same && fabs(stretch[i] - (double)frame->stretch[i]) <= stretch_tolerance * longest;
  }
  for (int i = 0; i < 6 && !same; i++) {
    frame->stretch[i] = (float)stretch[i];
  }
  return same;
}

void mo_shape_frame_set_sphere(mo_shape_frame *frame, mo_vec3 origin, mo_aabb bounds) {
  const mo_dvec3 lower = mo_widen(bounds.lower), upper = mo_widen(bounds.upper);
  const mo_dvec3 middle = mo_dscale(0.5, mo_dadd(lower, upper));
  const double rounding = 1.0 + 0x1p-20; /* enlarges the sphere for rounding errors */
  frame->center = mo_narrow(rotate_back(frame, mo_dsub(middle, mo_widen(origin))));
  frame->radius = (float)(rounding * 0.5 * mo_dlength(mo_dsub(upper, lower)));
}

/* How far a rotation moves points at a distance of 1 from its centre, at most, by how far it moves
 * the ends of the three axes: it moves all directions perpendicular to some axis by the same
 * length, and the axis not at all. */
static double rotation_of(const mo_dvec3 motions[3]) {
  double squares = 0.0;
  for (int i = 0; i < 3; i++) {
    squares += mo_ddot(motions[i], motions[i]);
  }
  return squares == 0.0 ? 0.0 : sqrt(0.5 * squares);
}

mo_shape_motion mo_shape_motion_of(const mo_shape_frame *now, const mo_vec3 axes_before[3],
                                   mo_vec3 origin_before, mo_vec3 origin_now) {
  const mo_dvec3 shift = mo_dsub(mo_widen(origin_now), mo_widen(origin_before));
  const mo_dvec3 displacement =
      mo_dadd(shift, mo_dsub(rotate(now, now->center), rotate_by(axes_before, now->center)));
  mo_dvec3 motions[3];
  for (int i = 0; i < 3; i++) {
    motions[i] = mo_dsub(mo_widen(now->axes[i]), mo_widen(axes_before[i]));
  }
  const double rotation = rotation_of(motions);
  return (mo_shape_motion){mo_narrow(displacement), (float)rotation,
                           (float)mo_rotation_at_radius(rotation, (double)now->radius)};
}

double mo_max_relative_motion(const mo_shape_motion *a, const mo_shape_motion *b) {
  const mo_dvec3 d = mo_dsub(mo_widen(a->displacement), mo_widen(b->displacement));
  return mo_dlength(d) + (double)a->by_rotation + (double)b->by_rotation;
}

/* --- the relative pose --- */

/* The position in the reference frame of a point of the other shape. */
static mo_dvec3 position_in_frame(const mo_pair_poses *poses, uint32_t reference, mo_vec3 point) {
  const mo_dvec3 offset = reference == 0 ? poses->offset : mo_dscale(-1.0, poses->offset);
  return rotate_back(poses->frames[reference],
                     mo_dadd(offset, rotate(poses->frames[!reference], point)));
}

/* An axis of the other shape in the reference frame. */
static mo_dvec3 axis_in_frame(const mo_pair_poses *poses, uint32_t reference, int axis) {
  return rotate_back(poses->frames[reference], mo_widen(poses->frames[!reference]->axes[axis]));
}

mo_relative_pose mo_relative_pose_of(const mo_pair_poses *poses) {
  const uint32_t reference = poses->frames[0]->radius <= poses->frames[1]->radius;
  const mo_vec3 center = poses->frames[!reference]->center;
  mo_relative_pose made = {.reference = reference,
                           .center = mo_narrow(position_in_frame(poses, reference, center))};
  for (int i = 0; i < 3; i++) {
    made.axes[i] = mo_narrow(axis_in_frame(poses, reference, i));
  }
  return made;
}

double mo_max_motion_since(const mo_relative_pose *start, const mo_pair_poses *now) {
  const mo_shape_frame *other = now->frames[!start->reference];
  const mo_dvec3 center = position_in_frame(now, start->reference, other->center);
  mo_dvec3 motions[3];
  for (int i = 0; i < 3; i++) {
    motions[i] = mo_dsub(axis_in_frame(now, start->reference, i), mo_widen(start->axes[i]));
  }
  return mo_dlength(mo_dsub(center, mo_widen(start->center))) +
         mo_rotation_at_radius(rotation_of(motions), (double)other->radius);
}

double mo_reach_of_other_shape(const mo_relative_pose *pose, const mo_shape_frame *reference,
                               const mo_shape_frame *other) {
  const mo_dvec3 between = mo_dsub(mo_widen(pose->center), mo_widen(reference->center));
  return mo_dlength(between) + (double)other->radius;
}

/* --- contacts --- */

/* The separation of a point at these poses along a normal, without its correction. */
static float separation_of(const mo_reusable_point *p, const mo_pair_poses *poses,
                           mo_dvec3 normal) {
  const mo_dvec3 on_a = rotate(poses->frames[0], p->on_a), on_b = rotate(poses->frames[1], p->on_b);
  return (float)mo_ddot(mo_dsub(mo_dadd(poses->offset, on_b), on_a), normal);
}

mo_reusable_contact mo_reusable_contact_of(const mo_pair_poses *poses, uint32_t reference,
                                           const mo_contact *contact, mo_reusable_point *points) {
  const mo_manifold *m = &contact->manifold;
  const mo_dvec3 normal = mo_widen(m->normal);
  const mo_reusable_contact made = {
      .child_a = contact->child_a,
      .child_b = contact->child_b,
      .triangle_a = contact->triangle_a,
      .triangle_b = contact->triangle_b,
      .triangle_user_data_a = contact->triangle_user_data_a,
      .triangle_user_data_b = contact->triangle_user_data_b,
      .normal = mo_narrow(rotate_back(poses->frames[reference], normal)),
      .point_count = m->point_count,
      .near_points = (uint8_t)((1u << m->point_count) - 1),
  };
  const mo_dvec3 moved_normal = mo_dunit(rotate(poses->frames[reference], made.normal));
  for (uint32_t i = 0; i < m->point_count; i++) {
    const mo_manifold_point *p = &m->points[i];
    const mo_dvec3 half = mo_dscale(0.5 * (double)p->separation, normal);
    points[i] = (mo_reusable_point){
        .on_a = mo_narrow(rotate_back(poses->frames[0], mo_dsub(mo_widen(p->anchor_a), half))),
        .on_b = mo_narrow(rotate_back(poses->frames[1], mo_dadd(mo_widen(p->anchor_b), half))),
        .id = p->id,
    };
    points[i].separation_correction =
        p->separation - separation_of(&points[i], poses, moved_normal);
  }
  return made;
}
