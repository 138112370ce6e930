/* Casts of moving balls against triangles, solids and boxes. */
#ifndef MO_GEOMETRY_CAST_SPHERE_H
#define MO_GEOMETRY_CAST_SPHERE_H

#include "base/inline.h"
#include "geometry/body/body.h"

/* The time at which a ball first touches a triangle, which may be degenerate. Corners are relative
 * to the centre of the ball at t = 0; the ball moves by `displacement` until t = 1. Returns a t
 * that is not negative, 0 if they touch at the start, or INFINITY if they do not meet (t may be
 * beyond 1). In double precision: at t the distance of the centre from the triangle is the radius,
 * to within about 2^-48 of the coordinates and the displacement. */
double mo_cast_sphere_triangle(const mo_dvec3 corners[3], double radius, mo_dvec3 displacement);

/* A ball in the world and how it moves. */
typedef struct mo_moving_ball {
  mo_vec3 center;
  float radius;
  mo_vec3 displacement; /* while t goes from 0 to 1 */
} mo_moving_ball;

/* The first contact of a moving ball with a body. */
typedef struct mo_convex_contact {
  double t;        /* not negative; INFINITY if they do not meet, and nothing below is set */
  double distance; /* distance of the ball's centre from the body; 0 if it is inside */
  mo_dvec3 point;  /* on the surface of the body, world; if the centre is inside, the end of
                      its shortest way out */
  mo_dvec3 normal; /* unit, pointing out of the body */
  double depth;    /* if t = 0: length of the translation along the normal that ends the overlap */
} mo_convex_contact;

/* The first contact of a moving ball with a stationary body. A contact certainly later than `limit`
 * (at most 2) may not be found; otherwise the limit does not change the result. Up to t the centre
 * comes no closer to the body than the radius, to within 2^-45 of the sizes and the displacement.
 * At t the centre is that close, to within the same tolerance or the difference of the two bounds
 * of mo_convex_distance. t is never less than the time at which the centre enters the bounds, grown
 * as by mo_path_of_ball. */
mo_convex_contact mo_cast_sphere_body(const mo_body *still, const mo_moving_ball *ball,
                                      double limit);

/* One axis of the path of the centre of a ball. */
typedef struct mo_path_axis {
  double start; /* coordinate at t = 0 */
  double displacement;
  double enlargement; /* if the ball meets a box, the centre meets the box enlarged by this on all
                         sides */
} mo_path_axis;

/* Sets the path of a ball's centre among boxes with coordinates up to `reach`. Boxes are grown by
 * the radius and by 2^-46 of the coordinates, which exceeds the rounding error of the exact tests.
 * The growth is the same on all axes and increases with `reach`. */
void mo_path_of_ball(const mo_moving_ball *ball, mo_vec3 reach, mo_path_axis axes[3]);

/* Intersects the time interval [enter, leave] with the interval in which the ball meets a box on
 * one axis. All operations are monotone: a box that contains another one is entered no later and
 * left no earlier, rounding included; the same applies to a box that is grown by more. */
MO_INLINE void mo_path_clip_interval(const mo_path_axis *axis, double lower, double upper,
                                     double *enter, double *leave) {
  double below = lower - axis->enlargement - axis->start;
  double above = upper + axis->enlargement - axis->start;
  double a = below / axis->displacement, b = above / axis->displacement;
  bool within = below <= 0.0 && 0.0 <= above; /* at t = 0, or, without motion, always */
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
