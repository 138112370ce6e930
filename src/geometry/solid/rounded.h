/* Lines against rounded solids. A rounded solid is the set of all points within `rounding` of a
 * solid. */
#ifndef MO_GEOMETRY_SOLID_ROUNDED_H
#define MO_GEOMETRY_SOLID_ROUNDED_H

#include "geometry/solid.h"
#include "geometry/solid/line.h"

/* The vector to a point from the closest point of a solid before rounding; 0 if the point is
 * inside. The vector has the direction of a normal at the closest point, even if its length is only
 * a rounding error. */
typedef mo_dvec3 mo_vector_from_solid(const mo_centered_solid *s, mo_dvec3 point);

/* As mo_solid_clip_line, for a rounded solid. `reach`: the largest distance of a point of the
 * solid, before rounding, from its centre. */
bool mo_rounded_clip_line(const mo_centered_solid *s, mo_vector_from_solid *vector_to, double reach,
                          const mo_line *line, mo_span *span);

/* As mo_solid_normal, for a rounded solid. False if the rounding is too small to determine a
 * normal. */
bool mo_rounded_normal(const mo_centered_solid *s, mo_vector_from_solid *vector_to,
                       const mo_line *line, double enter, mo_dvec3 *normal);

#endif
