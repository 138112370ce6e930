/* Moments of shapes that are no compounds. */
#ifndef MO_MESH_MASS_H
#define MO_MESH_MASS_H

#include <motte/mass.h>

#include "geometry/moments.h"

/* The moments of a geometry of any type but MO_SHAPE_COMPOUND, in world space. `*closed` is as in
 * mo_mass_properties. Errors: those of mo_geometry_get_mass_properties; then nothing is written. */
mo_result mo_geometry_moments(const mo_geometry *geometry, const mo_transform *transform,
                              mo_moments *moments, bool *closed);

#endif
