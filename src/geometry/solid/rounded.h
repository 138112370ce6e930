/* Lines against rounded solids: all points within `rounding` of a solid. */
#ifndef MO_GEOMETRY_SOLID_ROUNDED_H
#define MO_GEOMETRY_SOLID_ROUNDED_H

#include "geometry/solid.h"
#include "geometry/solid/line.h"

/* The vector to a point from the closest point of a solid without its rounding; 0 inside. Its
 * direction is that of a normal there, also where no more than rounding is left of its length. */
typedef mo_dvec3 mo_beyond(const mo_centred *s, mo_dvec3 point);

/* mo_solid_meets_line of a rounded solid. `reach`: the distance of its farthest point from its
 * centre, without rounding. */
bool mo_rounded_meets_line(const mo_centred *s, mo_beyond *beyond, double reach,
                           const mo_line *line, mo_span *span);

/* mo_solid_normal of a rounded solid. False if the rounding is too small to tell one. */
bool mo_rounded_normal(const mo_centred *s, mo_beyond *beyond, const mo_line *line, double enter,
                       mo_dvec3 *normal);

#endif
