/* Casts of moving convex bodies against stationary ones. */
#ifndef MO_GEOMETRY_CAST_CONVEX_H
#define MO_GEOMETRY_CAST_CONVEX_H

#include "geometry/body/body.h"
#include "geometry/cast/capsule.h"
#include "geometry/cast/separating_plane.h"
#include "geometry/cast/sphere.h"
#include "geometry/penetration/box_triangle.h"

/* The rotation of a body while it moves, about an axis that moves with it. */
typedef struct mo_movement_rotation {
  mo_dvec3 pivot;      /* a point of the axis at t = 0, world */
  mo_dvec3 axis;       /* unit */
  double angle;        /* by which the body rotates while t goes from 0 to 1 */
  double reach;        /* largest distance of the body without its balls and discs from the axis */
  double round_radius; /* sum of the radii of the summands that are balls or discs */
  double round_reach;  /* upper bound of how far surfaces of balls and discs move per radian */
} mo_movement_rotation;

/* A body and its motion, in world coordinates. */
typedef struct mo_moving_body {
  mo_body body;   /* at t = 0 */
  mo_aabb bounds; /* at t = 0, around all orientations of its rotation; infinite for a half-space */
  mo_vec3 displacement;        /* translation while t goes from 0 to 1 */
  mo_bounding_capsule capsule; /* around the body at t = 0 */
  mo_box_body box;             /* if the body is a box that does not rotate: the box at t = 0 */
  bool rotates;
  mo_movement_rotation rotation; /* unused if the body does not rotate */
} mo_moving_body;

/* The first contact of a moving body with a stationary one. A contact certainly later than `limit`
 * may not be found; otherwise the limit does not change the result. Up to t the bodies come no
 * closer than touching, to within 2^-45 of the sizes and the displacement. At t they touch, to
 * within the tolerance, or 2^-40 of the radii of balls, or the difference of the two bounds of the
 * distance (mo_convex_distance). t is never less than the time at which the moving bounds meet
 * those of the other body, enlarged as by mo_path_of_bounds. If the bodies touch or overlap at the
 * start, t is 0, `depth` is that of mo_convex_find_penetration, and `distance` its negative; else
 * the distance is 0. The normal points from the stationary body to the moving one. */
mo_convex_contact mo_cast_convex(const mo_body *still, const mo_moving_body *moving, double limit);

/* As mo_cast_convex, but contacts at the start that are less deep than `min_depth` need not be
 * found; nor need later contacts, if `min_depth` is positive. This saves time. */
mo_convex_contact mo_cast_convex_min_depth(const mo_body *still, const mo_moving_body *moving,
                                           double limit, double min_depth);

/* Parts of mo_cast_convex, for other casts. mo_bounds_entry_time: the time at which the moving
 * bounds meet a box, at least 0; INFINITY if never or after the limit; mo_path_entry_time: the same
 * of a path. mo_contact_at_start: the
 * contact of bodies that overlap at t = 0. mo_contact_of_sweep: a contact after t = 0, not before
 * `enter`; none after the limit. mo_sum_of_extents: the sum of the extents of a box. */
double mo_bounds_entry_time(mo_aabb box, const mo_moving_body *moving, double limit);
double mo_path_entry_time(const mo_path_axis axes[3], mo_aabb box, double limit);
mo_convex_contact mo_contact_at_start(const mo_body *still, const mo_body *moving);
mo_convex_contact mo_contact_of_sweep(const mo_cores *c, const mo_sweep_contact *met, double enter,
                                      double limit);
double mo_sum_of_extents(mo_aabb box);

/* The velocity at time t of the body's point that is then at `point`; the displacement, if the body
 * does not rotate. */
mo_dvec3 mo_velocity_at(const mo_moving_body *moving, double t, mo_dvec3 point);

/* The feature of a moving body, in its pose at t, that reaches farthest along a unit vector. */
mo_body_feature mo_moving_feature(const mo_moving_body *moving, double t, mo_dvec3 n);

/* The features at which a stationary and a moving body touch. */
typedef struct mo_contact_features {
  mo_body_feature still, moving;
} mo_contact_features;
mo_contact_features mo_find_contact_features(const mo_body *still, const mo_moving_body *moving,
                                             float t, mo_vec3 normal);

/* The largest distance from a point to one of a box. */
static inline double mo_max_distance_in_box(mo_aabb box, mo_dvec3 point) {
  const mo_dvec3 lower = mo_dabs(mo_dsub(mo_widen(box.lower), point)),
                 upper = mo_dabs(mo_dsub(mo_widen(box.upper), point));
  return mo_dlength(
      mo_dvec(fmax(lower.x, upper.x), fmax(lower.y, upper.y), fmax(lower.z, upper.z)));
}

/* The path of the centre of moving bounds among boxes with coordinates up to `reach`. Boxes are
 * grown by half the extents of the bounds and by 2^-46 of the coordinates. */
void mo_path_of_bounds(const mo_moving_body *moving, mo_vec3 reach, mo_path_axis axes[3]);

/* How much culling grows the bounding boxes of triangles, relative to the sizes. Contacts with
 * triangles may be reported early by the difference between the upper and lower bound of the
 * distance, in rare cases 1e-7 of the sizes; for rotating bodies, additionally by 2^-23 of the
 * extents of the moving bounds. Unlike for solids, t is not clamped to the entry into the
 * triangle's own box. */
#define MO_RELATIVE_CULLING_MARGIN 0x1p-22

/* How much larger, as a fraction of sizes and coordinates, boxes for culling have to be. */
static inline double mo_relative_culling_margin(const mo_moving_body *moving) {
  return moving->rotates ? 2.0 * MO_RELATIVE_CULLING_MARGIN : MO_RELATIVE_CULLING_MARGIN;
}

#endif
