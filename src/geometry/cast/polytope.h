/* The first contact of a moving polytope with a triangle. */
#ifndef MO_GEOMETRY_CAST_POLYTOPE_H
#define MO_GEOMETRY_CAST_POLYTOPE_H

#include "geometry/cast/cylinder_cone.h"

typedef enum mo_polytope_sweep_result {
  MO_POLYTOPE_SWEEP_UNDECIDED, /* the body is no polytope, or rounding errors hide the answer */
  MO_POLYTOPE_SWEEP_MISSES,    /* no contact from the start until the limit */
  MO_POLYTOPE_SWEEP_HITS,      /* the contact is set */
} mo_polytope_sweep_result;

/* Decides whether a body that is apart from a triangle at t = 0 meets it. `between`: the difference
 * of the triangle and the body at t = 0, without balls; `size`: the sum of their extents and the
 * length of the path. A contact has to be checked as by mo_cylinder_cone_sweep_triangle. */
mo_polytope_sweep_result mo_polytope_sweep_triangle(mo_difference *between, mo_dvec3 displacement,
                                                    double size, double limit,
                                                    mo_sweep_contact *contact);

#endif
