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
  double volume;    ///< in cubed units of length; 0 for what is flat
  mo_vec3 centroid; ///< the centre of mass, world, rounded to float
  /// The inertia tensor about the centroid, along the world axes: a symmetric matrix, in units of
  /// length to the fifth power; 0 for what is flat. The angular momentum of a body is its density
  /// times this matrix times its angular velocity.
  double inertia[3][3];
  /// False: a mesh that bounds no volume, since its surface is not closed. See
  /// mo_geometry_get_mass_properties for what the numbers are then.
  bool closed;
} mo_mass_properties;

MO_BEGIN_DECLS

/// The mass properties of a shape under a transform, in world space; null stands for the identity,
/// so that the results are local. Any affine transform is legal, also one that scales unevenly,
/// shears, mirrors or flattens.
///
/// Convex shapes, also rounded, by closed forms; hulls by tetrahedra, rounded ones also by the
/// prisms, sectors of cylinders and sectors of balls over faces, edges and vertices. Volumes count
/// as their world boxes. Relative errors are about 1e-14 for the volume and each entry of the
/// inertia relative to the largest; up to 1e-9 for hulls that are almost flat.
///
/// Meshes by the divergence theorem: a sum of signed tetrahedra between the triangles and the
/// centre of the mesh's box, in the order of the triangles, so that it does not depend on the
/// octree; with compensated sums, so that the error is that of one term. Each part of space counts
/// as often as the surface winds around it (mo_mesh_winding_number): a cavity is left out, and
/// where two parts overlap counts twice. If the triangles face inward, volume and inertia are
/// negative; their quotients and the centroid are right. Mirroring transforms do not change the
/// sign. A mesh is closed if each edge, by the positions of its ends, is used as often in one
/// direction as in the other; this is decided by hashes of 128 bits. For any other mesh the numbers
/// are those of the tetrahedra, which is little off where the holes are small or narrow (as from
/// vertices in the middle of a neighbour's edge), but means nothing for an open surface, such as a
/// terrain.
///
/// For what is flat the centroid is that of its area, or of its length; if the transform flattens
/// it, the image of the centroid. A mesh counts as flat if its volume is below 2^-46 of the
/// magnitudes that were summed.
///
/// Errors: MO_ERROR_NULL_ARGUMENT (also of a mesh or hull); MO_ERROR_INVALID_ARGUMENT (a
/// half-space, which is unbounded; what mo_primitive_cast_ray says of geometries; a rounded mesh);
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (also if the transform takes it beyond
/// MO_MAX_COORDINATE). Cost: 0.2 to 0.4 µs; about 40 ns for each edge of a hull, 0.5 µs if it is
/// rounded; about 0.15 µs for each triangle of a mesh.
MO_API mo_result mo_geometry_get_mass_properties(const mo_geometry *geometry,
                                                 const mo_transform *transform,
                                                 mo_mass_properties *properties);

MO_END_DECLS

/** \} */

#endif
