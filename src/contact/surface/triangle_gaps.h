/* Distances between a triangle and others, four at a time. */
#ifndef MO_CONTACT_SURFACE_TRIANGLE_GAPS_H
#define MO_CONTACT_SURFACE_TRIANGLE_GAPS_H

#include "base/isa.h"
#include "math/vector.h"

/* The closest points of two triangles. */
typedef struct mo_triangle_gap {
  mo_dvec3 from, to; /* on the first triangle and on the second */
  double distance;   /* between these points; 0 if the triangles may touch */
} mo_triangle_gap;

/* Finds the gaps between each of the triangles `from` and the triangle `to`. */
MO_ISA_DECLARE(void, mo_find_triangle_gaps,
               (const mo_dvec3 *const from[4], const mo_dvec3 to[3], mo_triangle_gap gap[4]));

#endif
