/* Distances between a triangle and others, four at a time. */
#ifndef MO_CONTACT_SURFACE_TRIANGLE_GAPS_H
#define MO_CONTACT_SURFACE_TRIANGLE_GAPS_H

#include "base/isa.h"
#include "math/vector.h"

/* The closest points of two triangles. */
typedef struct mo_triangle_gap {
  mo_dvec3 from, to; /* on the one of four, and on the triangle that all four are compared with */
  double distance;   /* between these; 0: unless the two are surely that far apart */
} mo_triangle_gap;

/* Finds the gaps between four triangles and one, `to`. */
MO_ISA_DECLARE(void, mo_find_triangle_gaps,
               (const mo_dvec3 *const from[4], const mo_dvec3 to[3], mo_triangle_gap gap[4]));

#endif
