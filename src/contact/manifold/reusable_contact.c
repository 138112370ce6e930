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

static mo_dvec3 rotate(const mo_dvec3 axes[3], mo_dvec3 v) {
  return mo_dadd(mo_dadd(mo_dscale(v.x, axes[0]), mo_dscale(v.y, axes[1])),
                 mo_dscale(v.z, axes[2]));
}

static mo_dvec3 rotate_back(const mo_dvec3 axes[3], mo_dvec3 v) {
  return mo_dvec(mo_ddot(v, axes[0]), mo_ddot(v, axes[1]), mo_ddot(v, axes[2]));
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
  const double longest = fmax(mo_dlength(x), fmax(mo_dlength(y), mo_dlength(z)));
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
  const mo_dvec3 axes[3] = {mo_widen(frame->axes[0]), mo_widen(frame->axes[1]),
                            mo_widen(frame->axes[2])};
  const mo_dvec3 middle = mo_dscale(0.5, mo_dadd(lower, upper));
  const double rounding = 1.0 + 0x1p-20; /* enlarges the sphere for rounding errors */
  frame->center = mo_narrow(rotate_back(axes, mo_dsub(middle, mo_widen(origin))));
  frame->radius = (float)(rounding * 0.5 * mo_dlength(mo_dsub(upper, lower)));
}

/* How far a rotation from one frame to another moves points at this distance from its centre, at
 * most: the difference of two rotations changes all directions perpendicular to some axis by the
 * same length, and the axis not at all. */
static double distance_by_rotation(const mo_dvec3 from[3], const mo_dvec3 to[3], double radius) {
  double squares = 0.0;
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 d = mo_dsub(to[i], from[i]);
    squares += mo_ddot(d, d);
  }
  return squares == 0.0 ? 0.0 : sqrt(0.5 * squares) * radius; /* the radius may be infinite */
}

mo_shape_motion mo_shape_motion_of(const mo_shape_frame *now, const mo_vec3 axes_before[3],
                                   mo_vec3 origin_before, mo_vec3 origin_now) {
  mo_dvec3 from[3], to[3];
  for (int i = 0; i < 3; i++) {
    from[i] = mo_widen(axes_before[i]);
    to[i] = mo_widen(now->axes[i]);
  }
  const mo_dvec3 center = mo_widen(now->center),
                 shift = mo_dsub(mo_widen(origin_now), mo_widen(origin_before));
  const mo_dvec3 displacement = mo_dadd(shift, mo_dsub(rotate(to, center), rotate(from, center)));
  return (mo_shape_motion){mo_narrow(displacement),
                           (float)distance_by_rotation(from, to, (double)now->radius)};
}

double mo_max_relative_motion(const mo_shape_motion *a, const mo_shape_motion *b) {
  const mo_dvec3 d = mo_dsub(mo_widen(a->displacement), mo_widen(b->displacement));
  return mo_dlength(d) + (double)a->by_rotation + (double)b->by_rotation;
}

mo_pair_poses mo_pair_poses_of(const mo_shape_frame *a, const mo_shape_frame *b, mo_vec3 origin_a,
                               mo_vec3 origin_b) {
  mo_pair_poses poses = {.frames = {a, b},
                         .origin = mo_widen(origin_a),
                         .offset = mo_dsub(mo_widen(origin_b), mo_widen(origin_a))};
  for (int i = 0; i < 3; i++) {
    poses.axes[0][i] = mo_widen(a->axes[i]);
    poses.axes[1][i] = mo_widen(b->axes[i]);
  }
  return poses;
}

/* --- the relative pose --- */

/* The position in the reference frame of a point of the other shape. */
static mo_dvec3 position_in_frame(const mo_pair_poses *poses, uint32_t reference, mo_dvec3 point) {
  const mo_dvec3 offset = reference == 0 ? poses->offset : mo_dscale(-1.0, poses->offset);
  return rotate_back(poses->axes[reference],
                     mo_dadd(offset, rotate(poses->axes[!reference], point)));
}

mo_relative_pose mo_relative_pose_of(const mo_pair_poses *poses) {
  const uint32_t reference = poses->frames[0]->radius <= poses->frames[1]->radius;
  const mo_dvec3 center = mo_widen(poses->frames[!reference]->center);
  mo_relative_pose made = {.reference = reference,
                           .center = mo_narrow(position_in_frame(poses, reference, center))};
  for (int i = 0; i < 3; i++) {
    made.axes[i] = mo_narrow(rotate_back(poses->axes[reference], poses->axes[!reference][i]));
  }
  return made;
}

bool mo_has_moved_within(const mo_relative_pose *start, const mo_pair_poses *now, double max) {
  const mo_shape_frame *other = now->frames[!start->reference];
  const mo_dvec3 center = position_in_frame(now, start->reference, mo_widen(other->center));
  const double by_moving = mo_dlength(mo_dsub(center, mo_widen(start->center)));
  if (!(by_moving <= max)) { /* or NaN */
    return false;
  }
  mo_dvec3 from[3], to[3];
  for (int i = 0; i < 3; i++) {
    from[i] = mo_widen(start->axes[i]);
    to[i] = rotate_back(now->axes[start->reference], now->axes[!start->reference][i]);
  }
  return by_moving + distance_by_rotation(from, to, (double)other->radius) <= max;
}

/* --- contacts --- */

/* Writes a point at the current poses, along a normal. */
static void move_point(const mo_reusable_point *reusable, const mo_pair_poses *now, mo_dvec3 normal,
                       mo_manifold_point *p) {
  const mo_dvec3 on_a = rotate(now->axes[0], mo_widen(reusable->on_a)),
                 on_b = rotate(now->axes[1], mo_widen(reusable->on_b));
  const mo_dvec3 offset = mo_dsub(mo_dadd(now->offset, on_b), on_a);
  const mo_dvec3 middle = mo_dadd(on_a, mo_dscale(0.5, offset));
  p->position = mo_narrow(mo_dadd(now->origin, middle));
  p->anchor_a = mo_narrow(middle);
  p->anchor_b = mo_narrow(mo_dsub(middle, now->offset));
  p->separation = (float)(mo_ddot(offset, normal) + (double)reusable->separation_correction);
  p->id = reusable->id;
}

/* The normal at the current poses. */
static mo_dvec3 move_normal(const mo_reusable_contact *reusable, const mo_pair_poses *now,
                            uint32_t reference) {
  return mo_dunit(rotate(now->axes[reference], mo_widen(reusable->normal)));
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
      .normal = mo_narrow(rotate_back(poses->axes[reference], normal)),
      .point_count = m->point_count,
      .near_points = (uint8_t)((1u << m->point_count) - 1),
  };
  for (uint32_t i = 0; i < m->point_count; i++) {
    const mo_manifold_point *p = &m->points[i];
    const mo_dvec3 half = mo_dscale(0.5 * (double)p->separation, normal);
    points[i] = (mo_reusable_point){
        .on_a = mo_narrow(rotate_back(poses->axes[0], mo_dsub(mo_widen(p->anchor_a), half))),
        .on_b = mo_narrow(rotate_back(poses->axes[1], mo_dadd(mo_widen(p->anchor_b), half))),
        .id = p->id,
    };
    mo_manifold_point moved;
    move_point(&points[i], poses, move_normal(&made, poses, reference), &moved);
    points[i].separation_correction = p->separation - moved.separation;
  }
  return made;
}

uint8_t mo_reusable_contact_move(const mo_reusable_contact *reusable,
                                 const mo_reusable_point *points, const mo_pair_poses *now,
                                 uint32_t reference, double max, mo_contact *contact) {
  const mo_dvec3 normal = move_normal(reusable, now, reference);
  mo_manifold *m = &contact->manifold;
  contact->child_a = reusable->child_a;
  contact->child_b = reusable->child_b;
  contact->triangle_a = reusable->triangle_a;
  contact->triangle_b = reusable->triangle_b;
  contact->triangle_user_data_a = reusable->triangle_user_data_a;
  contact->triangle_user_data_b = reusable->triangle_user_data_b;
  MO_ASSERT(reusable->point_count <= MO_MAX_MANIFOLD_POINTS && mo_is_unit(normal));
  m->normal = mo_narrow(normal);
  m->touching = false;
  m->point_count = 0;
  uint32_t near_points = 0;
  for (uint32_t i = 0; i < reusable->point_count; i++) {
    mo_manifold_point *p = &m->points[m->point_count];
    move_point(&points[i], now, normal, p);
    m->touching = m->touching || p->separation <= 0.0f;
    const uint32_t is_near = (double)p->separation <= max;
    m->point_count += is_near;
    near_points |= is_near << i;
  }
  return (uint8_t)near_points;
}
