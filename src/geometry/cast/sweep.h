/* The first contact of a moving body with another: of a cylinder or cone with a triangle in closed
 * form, of others by portal refinement. */
#ifndef MO_GEOMETRY_CAST_SWEEP_H
#define MO_GEOMETRY_CAST_SWEEP_H

#include "geometry/cast/separating_plane.h"

/* Finds the first contact of a cylinder or cone. Corners are relative to the centre of the body at
 * t = 0. False if the body is no cylinder or cone, or is rounded, if the two do not meet after t =
 * 0, or if rounding hides the contact. Rounding may also give a false contact, or a later one: the
 * caller has to check that the triangle is at the point, and that the two are apart along the
 * normal. */
bool mo_cylinder_cone_sweep_triangle(const mo_body *body, const mo_dvec3 corners[3],
                                     mo_dvec3 displacement, mo_sweep_contact *contact);

typedef enum mo_polytope_sweep_result {
  MO_POLYTOPE_SWEEP_UNDECIDED,   /* rounding errors hide the answer */
  MO_POLYTOPE_SWEEP_MISSES,      /* no contact from the start until the limit */
  MO_POLYTOPE_SWEEP_HITS,        /* the contact is set */
  MO_POLYTOPE_SWEEP_APPROXIMATE, /* a body is round: contact and corners are set, the contact
                                    roughly */
} mo_polytope_sweep_result;

/* What the search found. */
typedef struct mo_polytope_sweep_end {
  double min_time; /* there is no contact before; of bodies that are no polytopes, shortly before */
  mo_sweep_contact contact; /* has to be checked as by mo_cylinder_cone_sweep_triangle */
  /* Points of the body that is a polytope, between which the round one meets it; relative to the
   * centre of the round one at t = 0. They may coincide. */
  mo_dvec3 corners[3];
  bool is_first_round; /* the round body is the first one */
} mo_polytope_sweep_end;

/* Decides whether a body that is apart from another one at t = 0 meets it. `between`: the
 * difference of the other one and the body at t = 0, without balls; `size`: the sum of their
 * extents and the length of the path. */
mo_polytope_sweep_result mo_polytope_sweep(mo_difference *between, mo_dvec3 displacement,
                                           double size, double limit, mo_polytope_sweep_end *end);

#endif
