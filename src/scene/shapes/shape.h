/* Checks of the geometry of shapes, and their world AABBs. */
#ifndef MO_SCENE_SHAPES_SHAPE_H
#define MO_SCENE_SHAPES_SHAPE_H

#include <string.h>

#include "geometry/solid.h"
#include "math/four.h"
#include "scene/scene.h"

/* Checks whether a geometry is legal. `refusal` names the argument for the log; null logs nothing.
 * Errors: MO_ERROR_NULL_ARGUMENT (mesh, hull, compound), MO_ERROR_INVALID_ARGUMENT,
 * MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE. */
mo_result mo_geometry_check(const mo_geometry *geometry, const mo_refusal *refusal);

/* A world AABB that contains a legal geometry, rounded outward; infinite for a half-space.
 * Errors: MO_ERROR_OUT_OF_RANGE; for a half-space also MO_ERROR_INVALID_ARGUMENT (a transform
 * without an inverse). */
mo_result mo_geometry_bounds(const mo_geometry *geometry, const mo_affine *affine, mo_aabb *bounds);

/* The largest magnitude of a local coordinate of a legal geometry. */
float mo_geometry_max_coordinate(const mo_geometry *geometry);

bool mo_geometry_has_triangle(const mo_geometry *geometry, uint32_t triangle);

/* The user data of a triangle of a legal geometry; 0 for MO_NO_TRIANGLE. */
uint32_t mo_geometry_triangle_user_data(const mo_geometry *geometry, uint32_t triangle);

/* Whether a geometry contains a reference to a mesh, hull or compound, which a shape retains. */
static inline bool mo_geometry_has_reference(const mo_geometry *geometry) {
  return (mo_type_traits(geometry->type) & (MO_TYPE_HAS_TRIANGLES | MO_TYPE_HAS_CHILDREN)) != 0 ||
         geometry->type == MO_SHAPE_HULL;
}

/* Retains and releases the mesh, hull or compound of a legal geometry, if it has one. */
void mo_geometry_retain(const mo_geometry *geometry);
void mo_geometry_release(const mo_geometry *geometry);

/* If the numbers of a transform and the local coordinates of a geometry are within these
 * magnitudes, the transformed geometry is within MO_MAX_COORDINATE. */
static const float MO_MAX_SAFE_TRANSFORM = 1e14f, MO_MAX_SAFE_COORDINATE = 1e14f;

/* Whether no transform within MO_MAX_SAFE_TRANSFORM can move a geometry out of range. Always false
 * for deformable meshes and compounds: they may grow at any time without notice to their scenes. */
bool mo_geometry_has_safe_size(const mo_geometry *geometry);

/* Whether the stored bounds of a shape may be enlarged by a margin. False for volumes, which are
 * equal to their bounds, and for half-spaces, which have none. */
static inline bool mo_geometry_has_margin(const mo_geometry *geometry) {
  const uint32_t all = MO_TYPE_SOLID | MO_TYPE_HAS_TRIANGLES | MO_TYPE_HAS_CHILDREN;
  return (mo_type_traits(geometry->type) & all) != 0;
}

/* Whether a geometry is a box or ball centred at the origin of its frame, without rounding. */
static inline bool mo_geometry_is_centred(const mo_geometry *geometry) {
  /* The centre has the same offset in the structs of boxes and balls. */
  const mo_vec3 *c = &geometry->box.center;
  return (geometry->type == MO_SHAPE_BOX || geometry->type == MO_SHAPE_SPHERE) &&
         geometry->rounding == 0 && c->x == 0 && c->y == 0 && c->z == 0;
}

/* Whether two transforms have the same linear part, compared bit by bit: -0 does not count as 0. */
static inline bool mo_has_same_axes(const mo_transform *a, const mo_transform *b) {
  const float *x = &a->x_axis.x, *y = &b->x_axis.x;
  mo_i4 different = ((mo_i4)mo_f4_load(x) ^ (mo_i4)mo_f4_load(y)) |
                    ((mo_i4)mo_f4_load(x + 4) ^ (mo_i4)mo_f4_load(y + 4));
  return mo_i4_bits(different == 0) == 0xf && memcmp(x + 8, y + 8, sizeof *x) == 0;
}

static inline bool mo_has_identity_axes(const mo_transform *map) {
  static const mo_transform identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
  return mo_has_same_axes(map, &identity);
}

/* Whether a vector is finite and within MO_MAX_SAFE_TRANSFORM; NaN fails the comparisons. */
static inline bool mo_vec_is_in_safe_range(mo_vec3 v) {
  return (fabsf(v.x) <= MO_MAX_SAFE_TRANSFORM) & (fabsf(v.y) <= MO_MAX_SAFE_TRANSFORM) &
         (fabsf(v.z) <= MO_MAX_SAFE_TRANSFORM);
}

static inline bool mo_transform_is_in_safe_range(const mo_transform *map) {
  const float *of = &map->x_axis.x;
  mo_i4 safe = mo_f4_abs(mo_f4_load(of)) <= mo_f4_splat(MO_MAX_SAFE_TRANSFORM);
  safe &= mo_f4_abs(mo_f4_load(of + 4)) <= mo_f4_splat(MO_MAX_SAFE_TRANSFORM);
  safe &= mo_f4_abs(mo_f4_load(of + 8)) <= mo_f4_splat(MO_MAX_SAFE_TRANSFORM);
  return mo_i4_bits(safe) == 0xf;
}

static inline bool mo_axes_are_in_safe_range(const mo_transform *map) {
  return mo_vec_is_in_safe_range(map->x_axis) && mo_vec_is_in_safe_range(map->y_axis) &&
         mo_vec_is_in_safe_range(map->z_axis);
}

/* The traits (MO_TRAIT_...) that depend on the axes of a shape's transform. */
static inline uint32_t mo_traits_of_axes(const mo_transform *map) {
  return (mo_has_identity_axes(map) ? MO_TRAIT_HAS_IDENTITY_AXES : 0u) |
         (mo_axes_are_in_safe_range(map) ? MO_TRAIT_HAS_SAFE_AXES : 0u);
}

/* The box of a centred, axis-aligned geometry with its origin at `origin`, if nothing is out of
 * range, in the first three lanes. Radius and half extents have the same offset. */
static inline void mo_centred_box(const mo_geometry *geometry, mo_f4 origin, mo_f4 *lower,
                                  mo_f4 *upper) {
  mo_f4 reach = mo_f4_from(&geometry->box.half_extents, 0);
  reach = geometry->type == MO_SHAPE_SPHERE ? mo_f4_splat(reach[0]) : reach;
  *lower = -mo_f4_add_upward(-origin, reach);
  *upper = mo_f4_add_upward(origin, reach);
}

/* mo_geometry_bounds for such a geometry. */
mo_aabb mo_centred_bounds(const mo_geometry *geometry, mo_vec3 origin);

/* Checks a margin other than MO_MARGIN_OF_SCENE, with the errors of mo_check_size. */
mo_result mo_margin_check(float margin, const mo_refusal *refusal);

/* Checks that a motion is a value of the enumeration. Errors: MO_ERROR_INVALID_ARGUMENT. */
static inline mo_result mo_motion_check(mo_motion motion, const mo_refusal *refusal,
                                        const char *member) {
  return mo_check_enum_value((unsigned)motion, MO_MOTION_KINEMATIC, refusal, member);
}

/* Checks a def except for its transform: mo_geometry_check, MO_ERROR_UNINITIALIZED_DEF. */
mo_result mo_shape_def_check(const mo_shape_def *def, const mo_refusal *refusal);

/* Checks a shape's whole def, with the errors of mo_scene_add_shape. `affine` receives its
 * transform with inverse, `bounds` its world AABB. */
mo_result mo_shape_def_check_all(const mo_shape_def *def, const mo_refusal *refusal,
                                 mo_affine *affine, mo_aabb *bounds);

/* Logs why mo_geometry_bounds has failed with `result` for a legal transform: the member `member`
 * of the argument that `refusal` names. */
MO_COLD mo_result mo_refuse_bounds(mo_result result, const mo_refusal *refusal, const char *member);

/* The stored bounds of a shape ("fat AABB"). They must contain the tight box: what the shape
 * occupies now and while it moves by `motion`. Newly made bounds are the tight box enlarged by the
 * margin on all sides. Already stored bounds are kept as long as they contain the tight box and
 * exceed it by no more than MO_MAX_EXCESS_MARGINS margins. All results are rounded outward. */
typedef struct mo_enlarged_bounds {
  mo_aabb bounds;
  bool were_stored; /* true: `bounds` are the bounds stored before, not new ones */
} mo_enlarged_bounds;

/* The bounds to store for a tight box `box`; `stored` are the present bounds, or null. */
mo_enlarged_bounds mo_bounds_enlarge(const mo_aabb *box, mo_vec3 motion, float margin,
                                     const mo_aabb *stored);

#endif
