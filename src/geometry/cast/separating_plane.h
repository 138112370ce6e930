/* Separating planes of two bodies, found quickly if the bodies have balls as summands. */
#ifndef MO_GEOMETRY_CAST_SEPARATING_PLANE_H
#define MO_GEOMETRY_CAST_SEPARATING_PLANE_H

#include "geometry/difference/difference.h"

/* Two bodies, each as a Minkowski sum of a core and balls. */
typedef struct mo_cores {
  mo_difference difference; /* Minkowski difference of the cores */
  mo_summed_balls balls;
} mo_cores;

/* Splits two bodies, neither of them a half-space, into cores and balls. */
void mo_cores_set(mo_cores *c, const mo_body *a, const mo_body *b);

/* The sum of how far the balls of both bodies reach along a direction. */
double mo_cores_ball_support_distance(const mo_cores *c, mo_dvec3 direction);

/* A separating plane of two bodies, and their separation along its normal. */
typedef struct mo_separating_plane {
  mo_dvec3 normal;      /* unit, from A to B */
  double separation;    /* lower bound of the separation along the normal; may be negative */
  double distance;      /* upper bound of the distance of the bodies */
  double core_distance; /* distance of the cores: determines how well-defined the normal is */
  mo_dvec3 point;       /* the point of A that is closest to B */
} mo_separating_plane;

/* Finds the plane that is perpendicular to the line between the cores' closest points. If the axes
 * of a ball differ in length by a relative rounding error u, the normal has an error of u, and the
 * separation an error of u^2. If the cores are farther apart than `max_distance`, `core_distance`
 * is INFINITY and nothing else is set. `closest` may be null. */
mo_separating_plane mo_cores_find_separating_plane(mo_cores *c, double max_distance,
                                                   mo_gjk_simplex *closest);

/* Where two moving bodies meet. */
typedef struct mo_sweep_contact {
  double t;        /* time of contact, at least 0 */
  mo_dvec3 normal; /* unit, from A to B */
  mo_dvec3 point;  /* of A, without its balls; relative to the centre of B at t = 0 */
} mo_sweep_contact;

/* The separation along a normal when B has moved by a displacement; negative: they overlap. */
double mo_cores_separation(mo_cores *c, mo_dvec3 normal, mo_dvec3 displacement);

/* The contact of bodies whose cores are closest at points of a simplex, if B moves by a
 * displacement while t goes from 0 to 1, in closed form: when the simplex is as far away as the
 * balls reach. False if the cores are no polytopes, if other points meet before, or if rounding
 * hides the contact. `contact->normal`: about the direction of the normal, on entry. */
bool mo_cores_sweep_simplex(mo_cores *c, const mo_gjk_simplex *closest, mo_dvec3 displacement,
                            double tolerance, mo_sweep_contact *contact);

#endif
