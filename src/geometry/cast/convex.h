/* Moving convex bodies against others that stand still. */
#ifndef MO_GEOMETRY_CAST_CONVEX_H
#define MO_GEOMETRY_CAST_CONVEX_H

#include "geometry/cast/capsule.h"
#include "geometry/cast/sphere.h"
#include "geometry/convex/feature.h"
#include "geometry/convex/prepared.h"

/* How a body turns while it moves, about an axis that moves with it. */
typedef struct mo_turn {
  mo_dvec3 pivot; /* a point of the axis at t = 0, world */
  mo_dvec3 axis;  /* unit */
  double angle;   /* while t goes from 0 to 1 */
  double reach;   /* the body's largest distance from the axis, but for balls and discs, summands */
  double round;   /* the radii of these */
  double tilted;  /* the part of `round` that turning moves at all */
} mo_turn;

/* A body and its path; world. */
typedef struct mo_moving_body {
  mo_distance_body body; /* at t = 0 */
  mo_aabb bounds;        /* around it there, in all the orientations that it turns to; infinite of
                            a half-space */
  mo_vec3 displacement;  /* while t goes from 0 to 1 */
  mo_around around;      /* a capsule around it at t = 0 */
  bool turns;
  mo_turn turn; /* geometry/cast/turning.h */
} mo_moving_body;

/* The contact with a body that stands still in `bounds`, or none where t is sure to be greater than
 * `limit`, which makes no other difference. Up to t the bodies come no closer than touching, to
 * within 2^-45 of the sizes and the displacement; at t they are as close as that, to within 2^-40
 * of the radii of balls, or as the two bounds of mo_convex_distance differ. Never less than the t
 * at which the moving bounds meet the others, grown as by mo_path_of_bounds. Where the bodies touch
 * or overlap at the start, t is 0, `depth` that of mo_convex_penetrate, and `distance` its
 * negative; else the distance is 0. The normal leads from the body that stands still to the other
 * one. */
mo_convex_contact mo_cast_convex(const mo_distance_body *still, mo_aabb bounds,
                                 const mo_moving_body *moving, double limit);

/* The parts of it: when the moving bounds meet a box, not before 0, INFINITY if never or after the
 * limit; the contact of bodies that overlap at t = 0; and the extents of a box in sum. */
double mo_bounds_enter(mo_aabb box, const mo_moving_body *moving, double limit);
mo_convex_contact mo_contact_at_start(const mo_distance_body *still,
                                      const mo_distance_body *moving);
double mo_extents_of(mo_aabb box);

/* How fast a point of a moving body moves that is at a place at t: its displacement, if it does not
 * turn. */
mo_dvec3 mo_velocity_at(const mo_moving_body *moving, double t, mo_dvec3 point);

/* The part of a moving body, as it stands at t, that reaches farthest along a unit vector. */
mo_body_feature mo_moving_feature(const mo_moving_body *moving, double t, mo_dvec3 n);

/* The parts of two bodies that touch in a contact found at t. */
typedef struct mo_met_features {
  mo_body_feature still, moving;
} mo_met_features;
mo_met_features mo_features_met(const mo_distance_body *still, const mo_moving_body *moving,
                                float t, mo_vec3 normal);

/* The path of the centre of moving bounds among boxes with coordinates up to `reach`. These are
 * grown by half the bounds and by 2^-46 of the coordinates. */
void mo_path_of_bounds(const mo_moving_body *moving, mo_vec3 reach, mo_path_axis axes[3]);

/* Contacts with triangles may be found early by as much as the bounds of their distance differ, in
 * rare cases 1e-7 of the sizes; of bodies that turn, by 2^-23 of the extents of the moving bounds
 * besides. Triangles have no box of their own that t keeps to, so culling grows boxes by more than
 * that. */
#define MO_EARLY_CONTACT 0x1p-22

static inline double mo_early_contact(const mo_moving_body *moving) {
  return moving->turns ? 2.0 * MO_EARLY_CONTACT : MO_EARLY_CONTACT;
}

#endif
