/** \defgroup reference References (motte/reference.h)
 *
 * For tests, measurements and study: the classical trees that Motte's own are compared with. Every
 * query answers the same on them, bit for bit; it only takes longer. A program that uses Motte
 * needs nothing of this header, and motte/motte.h does not include it. */
#ifndef MOTTE_REFERENCE_H
#define MOTTE_REFERENCE_H

#include <motte/query.h>

/** \{ */

/// A further builder, for mo_mesh_build_options::builder: the classical octree. Each node is cut at
/// the middle of its cell on all three axes, and triangles that straddle a cut are in every child
/// that they touch, up to eight references a triangle in all.
#define MO_MESH_BUILDER_MIDPOINT ((mo_mesh_builder)3)

/// A further policy, for mo_tree_options::policy: the classical octree. Planes go through the
/// middle of cubic cells, and each shape is stored in the lowest cell that contains it.
#define MO_TREE_MIDPOINT ((mo_tree_policy)2)

/** \} */

#endif
