/** \defgroup mass Mass properties (motte/mass.h)
 *
 * Volume, centroid and inertia of solids, for the bodies of a physics engine. The functions keep no
 * state and allocate nothing; any number of threads may call them at once. If a function returns an
 * error, it writes nothing. */
#ifndef MOTTE_MASS_H
#define MOTTE_MASS_H

#include <motte/geometry.h>

/** \{ */

/// Volume, centroid and inertia of a solid of density 1. Multiply volume and inertia by the density
/// to get mass and inertia of a body.
typedef struct mo_mass_properties {
  double volume;    ///< in cubed units of length; 0 for a flat shape
  mo_vec3 centroid; ///< the centre of mass, world, rounded to float
  /// The inertia tensor about the centroid, along the world axes: a symmetric matrix, in units of
  /// length to the fifth power; 0 for a flat shape. The angular momentum of a body is its density
  /// times this matrix times its angular velocity.
  double inertia[3][3];
  /// False for a mesh whose surface is not closed, so that it bounds no volume. What the numbers
  /// mean then is described at mo_geometry_get_mass_properties.
  bool closed;
} mo_mass_properties;

MO_BEGIN_DECLS

/// The mass properties of a shape under a transform, in world space; null stands for the identity,
/// so that the results are local. Any affine transform is legal, also one that scales unevenly,
/// shears, mirrors or flattens.
///
/// Convex shapes are computed by closed forms, also if they are rounded. Hulls are split into
/// tetrahedra, and rounded hulls also into the prisms, sectors of cylinders and sectors of balls
/// over faces, edges and vertices. A shape of MO_SHAPE_VOLUME counts as its world box. Relative
/// errors are about 1e-14 for the volume and each entry of the inertia relative to the largest; up
/// to 1e-9 for hulls that are almost flat.
///
/// Meshes are computed by the divergence theorem: a sum of signed tetrahedra between the triangles
/// and the centre of the mesh's box. The sum follows the order of the triangles, so the result does
/// not depend on the octree, and it is compensated, so its error is that of one term. Each part of
/// space counts as often as the surface winds around it (mo_mesh_winding_number): a cavity is left
/// out, and where two parts overlap counts twice. If the triangles face inward, volume and inertia
/// are negative; their quotients and the centroid are right. Mirroring transforms do not change the
/// sign. A mesh is closed if each edge, by the positions of its ends, is used as often in one
/// direction as in the other; this is decided by hashes of 128 bits. For any other mesh the same
/// sum of tetrahedra is returned. It is nearly correct if all holes are small or narrow (as where a
/// vertex lies in the middle of a neighbour's edge), but meaningless for an open surface, such as a
/// terrain.
///
/// A compound is the sum of its children, also of those in nested compounds, under their composed
/// transforms: where children overlap, space counts several times, and volumes count as their
/// boxes. Filters, motion and bodies of children make no difference. It is closed if all children
/// are. If the volumes add up to 0, or to less than 2^-46 of their magnitudes, it counts as flat,
/// and its centroid is the mean of those of the children; without children, the origin of the
/// transform.
///
/// The centroid of a flat shape is that of its area, or of its length; of a shape that the
/// transform flattens, the image of its centroid. A mesh counts as flat if its volume is below
/// 2^-46 of the magnitudes that were summed.
///
/// Errors: MO_ERROR_NULL_ARGUMENT (also of a mesh, hull or compound);
/// MO_ERROR_INVALID_ARGUMENT (a half-space, which is unbounded; a geometry with invalid sizes, as
/// at mo_primitive_cast_ray; a rounded mesh or compound); MO_ERROR_NOT_FINITE;
/// MO_ERROR_OUT_OF_RANGE (also if the transform takes the shape, or a child of it, beyond
/// MO_MAX_COORDINATE). Cost: 0.2 to 0.4 µs; about 40 ns for each edge of a hull, 0.5 µs if it is
/// rounded; about 0.15 µs for each triangle of a mesh; for a compound the sum of that of its
/// children, each as often as it is placed in nested compounds.
MO_API mo_result mo_geometry_get_mass_properties(const mo_geometry *geometry,
                                                 const mo_transform *transform,
                                                 mo_mass_properties *properties);

MO_END_DECLS

/** \} */

#endif
