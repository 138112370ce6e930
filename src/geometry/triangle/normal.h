/* The world normal of a triangle under an affine map, as hits and back-face culling need it. */
#ifndef MO_GEOMETRY_TRIANGLE_NORMAL_H
#define MO_GEOMETRY_TRIANGLE_NORMAL_H

#include "math/affine.h"

/* The unit normal of the image of a triangle, on the side that is the front in local space (by the
 * right-hand rule), also if the map mirrors. Zero if the image is degenerate to within rounding.
 * `world` are the images of the corners. */
mo_vec3 mo_triangle_world_normal(const mo_affine *affine, const mo_vec3 local[3],
                                 const mo_dvec3 world[3]);

#endif
