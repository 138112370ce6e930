/* The first contact of a moving body with another, by portal refinement. */
#ifndef MO_GEOMETRY_CAST_POLYTOPE_H
#define MO_GEOMETRY_CAST_POLYTOPE_H

#include "geometry/cast/cylinder_cone.h"

typedef enum mo_polytope_sweep_result {
  MO_POLYTOPE_SWEEP_UNDECIDED, /* a body is no polytope, or rounding errors hide the answer */
  MO_POLYTOPE_SWEEP_MISSES,    /* no contact from the start until the limit */
  MO_POLYTOPE_SWEEP_HITS,      /* the contact is set */
} mo_polytope_sweep_result;

/* Decides whether a body that is apart from another one at t = 0 meets it. `between`: the
 * difference of the other one and the body at t = 0, without balls; `size`: the sum of their
 * extents and the length of the path. A contact has to be checked as by
 * mo_cylinder_cone_sweep_triangle. `min_time`: receives a time before which there is no contact; of
 * bodies that are no polytopes, shortly before the contact. */
mo_polytope_sweep_result mo_polytope_sweep(mo_difference *between, mo_dvec3 displacement,
                                           double size, double limit, mo_sweep_contact *contact,
                                           double *min_time);

#endif
