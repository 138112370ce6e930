/* Reuse of contacts: updates the contacts of two shapes that have moved little since they were
 * computed, without collision detection. */
#ifndef MO_CONTACT_MANIFOLD_REUSABLE_CONTACT_H
#define MO_CONTACT_MANIFOLD_REUSABLE_CONTACT_H

#include <motte/contact.h>

#include "base/isa.h"
#include "math/vector.h"

/* The linear map of a shape as a rotation after a stretch. A rigid motion changes only the
 * rotation. */
typedef struct mo_shape_frame {
  mo_vec3 axes[3];  /* columns of the rotation, world; NaN if the map is nearly singular */
  float stretch[6]; /* upper triangle of the stretch, by columns */
  /* A bounding sphere of the shape; its centre in the frame. The radius may be infinite. */
  mo_vec3 center;
  float radius;
} mo_shape_frame;

/* Sets the rotation of a frame from the transform of its shape. Returns whether the stretch is that
 * of before, but for rounding; else it is set too. */
bool mo_shape_frame_set(mo_shape_frame *frame, const mo_transform *to_world);

/* Sets the bounding sphere from the world AABB of the shape. */
void mo_shape_frame_set_sphere(mo_shape_frame *frame, mo_vec3 origin, mo_aabb bounds);

/* How far a shape has moved. */
typedef struct mo_shape_motion {
  mo_vec3 displacement; /* of the centre of its bounding sphere, world */
  float rotation;       /* no point has moved farther by the rotation around that centre than this
                           times its distance from it */
  float by_rotation;    /* the same for the points on the sphere; a distance */
} mo_shape_motion;

/* The motion of a shape since its frame had these axes, and its transform this origin. */
mo_shape_motion mo_shape_motion_of(const mo_shape_frame *now, const mo_vec3 axes_before[3],
                                   mo_vec3 origin_before, mo_vec3 origin_now);

/* An upper bound of how far points of a shape have moved as seen from another. May be NaN. */
double mo_max_relative_motion(const mo_shape_motion *a, const mo_shape_motion *b);

/* The poses of two shapes, A and B. */
typedef struct mo_pair_poses {
  const mo_shape_frame *frames[2];
  mo_dvec3 origin; /* of A, world */
  mo_dvec3 offset; /* from the origin of A to the origin of B */
} mo_pair_poses;

static inline mo_pair_poses mo_pair_poses_of(const mo_shape_frame *a, const mo_shape_frame *b,
                                             mo_vec3 origin_a, mo_vec3 origin_b) {
  return (mo_pair_poses){
      {a, b}, mo_widen(origin_a), mo_dsub(mo_widen(origin_b), mo_widen(origin_a))};
}

/* How far a rotation moves points at this distance from its centre, which may be infinite. */
static inline double mo_rotation_at_radius(double rotation, double radius) {
  return rotation == 0.0 ? 0.0 : rotation * radius;
}

/* The motions of a shape in all updates, added up: it has moved at most so far from where it was at
 * any earlier time as its travel has grown since. */
typedef struct mo_travel {
  double distance, rotation; /* lengths of displacements; mo_shape_motion::rotation */
} mo_travel;

/* An upper bound of how far points of shape A have moved as seen from shape B, by how much the
 * travel of both has grown. `reach`: no point of A was farther from the centre of B's bounding
 * sphere meanwhile. May be NaN. */
static inline double mo_max_motion_by_travel(const mo_travel *a, const mo_travel *b,
                                             double radius_of_a, double reach) {
  const double rounding = 1.0 + 0x1p-20; /* motions are rounded to float */
  return rounding * (a->distance + b->distance + mo_rotation_at_radius(a->rotation, radius_of_a) +
                     mo_rotation_at_radius(b->rotation, reach));
}

/* The relative pose of two shapes when their contacts were computed. */
typedef struct mo_relative_pose {
  /* Which shape (0 or 1) gives the reference frame, in which the motion of the other is measured:
   * the larger shape, as its corners would move far when it rotates. */
  uint32_t reference;
  mo_vec3 axes[3]; /* axes of the other shape's frame, in the reference frame */
  mo_vec3 center;  /* centre of the other shape's bounding sphere, in the reference frame */
} mo_relative_pose;

/* `center` is not finite if both radii are infinite, or a frame is NaN. */
mo_relative_pose mo_relative_pose_of(const mo_pair_poses *poses);

/* An upper bound of how far points of the other shape have moved since, relative to the reference
 * frame. May be NaN. */
double mo_max_motion_since(const mo_relative_pose *start, const mo_pair_poses *now);

/* No point of the other shape was farther from the centre of the reference shape's bounding sphere
 * when the contacts were computed. Finite for all that can be computed of it. */
double mo_reach_of_other_shape(const mo_relative_pose *pose, const mo_shape_frame *reference,
                               const mo_shape_frame *other);

/* A contact point: its positions on both shapes, in their frames. */
typedef struct mo_reusable_point {
  mo_vec3 on_a, on_b;
  float separation_correction; /* the separation minus that computed from the rounded positions */
  uint64_t id;
} mo_reusable_point;

/* A contact as computed, without what depends on the poses. Its points are in a list of their own.
 */
typedef struct mo_reusable_contact {
  uint32_t child_a, child_b, triangle_a, triangle_b, triangle_user_data_a, triangle_user_data_b;
  mo_vec3 normal; /* in the reference frame */
  uint32_t point_count;
  /* By the last update, a bit for each point: those near enough to count; of these, those hidden at
   * seams of either shape, if these were examined. */
  uint8_t near_points, hidden_points[2];
  bool is_examined[2];
} mo_reusable_contact;

/* Describes a contact that was computed at these poses. `points` receives its points. */
mo_reusable_contact mo_reusable_contact_of(const mo_pair_poses *poses, uint32_t reference,
                                           const mo_contact *contact, mo_reusable_point *points);

/* Writes the manifold of a contact at the current poses. Points whose separation is greater than
 * `max` are left out. Returns a bit for each point that is not. */
MO_ISA_DECLARE(uint8_t, mo_reusable_contact_move,
               (const mo_reusable_contact *reusable, const mo_reusable_point *points,
                const mo_pair_poses *now, uint32_t reference, double max, mo_manifold *manifold));

#endif
