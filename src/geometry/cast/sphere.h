/* Moving balls against triangles, solids and boxes. */
#ifndef MO_GEOMETRY_CAST_SPHERE_H
#define MO_GEOMETRY_CAST_SPHERE_H

#include "base/inline.h"
#include "geometry/convex/convex.h"

/* When a ball first touches a triangle, degenerate ones included. Corners are relative to the
 * centre of the ball at t = 0; it moves by `displacement` until t = 1. Returns a t that is not
 * negative, 0 where they touch at the start, or INFINITY if they do not meet (t may be found beyond
 * 1). In double precision: at t the ball is as close to the triangle as its radius, to within some
 * 2^-48 of the coordinates and the displacement. */
double mo_cast_sphere_triangle(const mo_dvec3 corners[3], double radius, mo_dvec3 displacement);

/* A ball in the world and how it moves. */
typedef struct mo_moving_ball {
  mo_vec3 center;
  float radius;
  mo_vec3 displacement; /* while t goes from 0 to 1 */
} mo_moving_ball;

/* The first contact of a moving ball with a solid. */
typedef struct mo_convex_contact {
  double t;        /* not negative; INFINITY if they do not meet, and nothing below is set */
  double distance; /* of the centre from the solid where they touch; 0 inside */
  mo_dvec3 point;  /* of the solid, world; the centre if that is inside */
  mo_dvec3 normal; /* unit, out of the solid */
  double depth;    /* at t = 0, how far along the normal the ball does not overlap it any more */
} mo_convex_contact;

/* The contact, or none where t is sure to be greater than `limit`, which makes no other difference
 * (limits up to 2). Up to t the ball comes no closer to the solid than its radius, to within 2^-45
 * of the sizes and the displacement; at t it is as close as that, or as the two bounds of
 * mo_convex_distance differ. Never less than the t at which the centre enters mo_convex_bounds,
 * grown as by mo_path_of. */
mo_convex_contact mo_cast_sphere_convex(const mo_convex *convex, const mo_moving_ball *ball,
                                        double limit);

/* One axis of the path of the centre of a ball. */
typedef struct mo_path_axis {
  double from, displacement;
  double grow; /* the centre meets a box grown by this on all sides if the ball meets the box */
} mo_path_axis;

/* The path of a ball among boxes with coordinates up to `reach`. Boxes are grown by the radius and
 * by 2^-46 of the coordinates, more than the rounding of the tests that decide; the more, the
 * larger `reach`, on all axes alike. */
void mo_path_of(const mo_moving_ball *ball, mo_vec3 reach, mo_path_axis axes[3]);

/* Narrows the times between which a ball meets a box to those at which it does on one axis. All
 * operations are monotone: a box that contains another is entered no later and left no earlier,
 * and so is one that is grown by more. */
MO_INLINE void mo_path_narrow(const mo_path_axis *axis, double lower, double upper, double *enter,
                              double *leave) {
  double below = lower - axis->grow - axis->from;
  double above = upper + axis->grow - axis->from;
  double a = below / axis->displacement, b = above / axis->displacement;
  bool within = below <= 0.0 && 0.0 <= above; /* all along, if it does not move here */
  double first = axis->displacement > 0.0   ? a
                 : axis->displacement < 0.0 ? b
                 : within                   ? -INFINITY
                                            : INFINITY;
  double last = axis->displacement > 0.0   ? b
                : axis->displacement < 0.0 ? a
                : within                   ? INFINITY
                                           : -INFINITY;
  *enter = first > *enter ? first : *enter;
  *leave = last < *leave ? last : *leave;
}

#endif
