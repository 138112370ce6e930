/* The geometry of shapes: whether it is legal, and the world box it fills. */
#ifndef MO_SCENE_SHAPE_H
#define MO_SCENE_SHAPE_H

#include "scene/scene.h"

/* MO_ERROR_NULL_ARGUMENT (mesh), MO_ERROR_INVALID_ARGUMENT, MO_ERROR_NOT_FINITE,
 * MO_ERROR_OUT_OF_RANGE. */
mo_result mo_geometry_check(const mo_geometry *geometry);

/* A box in the world that contains a legal geometry, rounded outward. MO_ERROR_OUT_OF_RANGE. */
mo_result mo_geometry_bounds(const mo_geometry *geometry, const mo_affine *affine, mo_aabb *bounds);

/* The largest magnitude of a local coordinate of a legal geometry. */
float mo_geometry_reach(const mo_geometry *geometry);

#endif
