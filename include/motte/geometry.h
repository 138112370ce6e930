/** \defgroup geometry Geometry (motte/geometry.h)
 *
 * What shapes are made of. */
#ifndef MOTTE_GEOMETRY_H
#define MOTTE_GEOMETRY_H

#include <motte/math.h>

/** \{ */

struct mo_mesh;

/// What a shape is made of.
typedef enum mo_shape_type {
  MO_SHAPE_MESH,    ///< the surface of a mesh; not solid
  MO_SHAPE_SPHERE,  ///< solid; an ellipsoid under a general transform
  MO_SHAPE_BOX,     ///< solid; a parallelepiped under a general transform
  MO_SHAPE_CAPSULE, ///< solid: the points within `radius` of a segment
  MO_SHAPE_VOLUME,  ///< a bounding volume alone (visibility, triggers): the world AABB of a local
                    ///< box
} mo_shape_type;

/// A box along the axes of its shape's local frame.
typedef struct mo_box {
  mo_vec3 center;       ///< of the box
  mo_vec3 half_extents; ///< from the centre to the sides, per axis; not negative
} mo_box;

/// The points within `radius` of a segment, local.
typedef struct mo_capsule {
  mo_vec3 a;    ///< one end of the segment
  mo_vec3 b;    ///< the other end; may coincide with `a`
  float radius; ///< not negative
} mo_capsule;

/// The geometry of a shape in its local frame.
typedef struct mo_geometry {
  mo_shape_type type; ///< which member of the union counts
  union {
    struct mo_mesh *mesh; ///< the scene holds a reference while a shape uses it
    mo_sphere sphere;     ///< of MO_SHAPE_SPHERE
    mo_box box;           ///< of MO_SHAPE_BOX
    mo_capsule capsule;   ///< of MO_SHAPE_CAPSULE
    mo_aabb volume;       ///< of MO_SHAPE_VOLUME
  };
} mo_geometry;

/** \} */

#endif
