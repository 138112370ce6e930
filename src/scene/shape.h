/* The geometry of shapes: whether it is legal, and the world box it fills. */
#ifndef MO_SCENE_SHAPE_H
#define MO_SCENE_SHAPE_H

#include <string.h>

#include "math/four.h"
#include "scene/scene.h"

/* MO_ERROR_NULL_ARGUMENT (mesh, hull), MO_ERROR_INVALID_ARGUMENT, MO_ERROR_NOT_FINITE,
 * MO_ERROR_OUT_OF_RANGE. The geometry's place is `refusal`; null checks in silence. */
mo_result mo_geometry_check(const mo_geometry *geometry, const mo_refusal *refusal);

/* A box in the world that contains a legal geometry, rounded outward. MO_ERROR_OUT_OF_RANGE; of a
 * half-space, whose box has no end, also MO_ERROR_INVALID_ARGUMENT (a map without an inverse). */
mo_result mo_geometry_bounds(const mo_geometry *geometry, const mo_affine *affine, mo_aabb *bounds);

/* The largest magnitude of a local coordinate of a legal geometry. */
float mo_geometry_reach(const mo_geometry *geometry);

/* Whether a geometry refers to a mesh or a hull, to which a shape holds a reference. */
static inline bool mo_geometry_shares(const mo_geometry *geometry) {
  return geometry->type == MO_SHAPE_MESH || geometry->type == MO_SHAPE_HULL;
}

/* Adds such a reference of a legal geometry, and gives it back. */
void mo_geometry_retain(const mo_geometry *geometry);
void mo_geometry_release(const mo_geometry *geometry);

/* Below these magnitudes no image of a shape under a transform can leave MO_MAX_COORDINATE. */
static const float MO_SAFE_MAP = 1e14f, MO_SAFE_REACH = 1e14f;

/* Whether no transform within MO_SAFE_MAP moves a geometry out of range. Never so of a deformable
 * mesh: it may grow at any time, without the knowledge of its scenes. */
bool mo_geometry_is_small(const mo_geometry *geometry);

/* Whether a shape is stored under bounds that may be larger than it: not volumes, which are their
 * bounds, nor half-spaces, which have none. */
static inline bool mo_geometry_has_margin(const mo_geometry *geometry) {
  return geometry->type != MO_SHAPE_VOLUME && geometry->type != MO_SHAPE_HALF_SPACE;
}

/* A box or a ball around the origin of its frame, not rounded. */
static inline bool mo_geometry_is_centred(const mo_geometry *geometry) {
  /* Boxes and balls have their centre in the same place. */
  const mo_vec3 *c = &geometry->box.center;
  return (geometry->type == MO_SHAPE_BOX || geometry->type == MO_SHAPE_SPHERE) &&
         geometry->rounding == 0 && c->x == 0 && c->y == 0 && c->z == 0;
}

/* To the bit, so that -0 is not one. */
static inline bool mo_is_axis_aligned(const mo_transform *map) {
  static const float axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const float *of = &map->x_axis.x;
  mo_i4 first = (mo_i4)mo_f4_load(of) ^ (mo_i4)mo_f4_load(axes);
  mo_i4 second = (mo_i4)mo_f4_load(of + 4) ^ (mo_i4)mo_f4_load(axes + 4);
  return mo_i4_bits((first | second) == 0) == 0xf && memcmp(of + 8, axes + 8, sizeof *of) == 0;
}

/* Finite and small; comparisons are written so that NaN fails them. */
static inline bool mo_is_safe(mo_vec3 v) {
  return (fabsf(v.x) <= MO_SAFE_MAP) & (fabsf(v.y) <= MO_SAFE_MAP) & (fabsf(v.z) <= MO_SAFE_MAP);
}

static inline bool mo_transform_is_safe(const mo_transform *map) {
  const float *of = &map->x_axis.x;
  mo_i4 safe = mo_f4_abs(mo_f4_load(of)) <= mo_f4_all(MO_SAFE_MAP);
  safe &= mo_f4_abs(mo_f4_load(of + 4)) <= mo_f4_all(MO_SAFE_MAP);
  safe &= mo_f4_abs(mo_f4_load(of + 8)) <= mo_f4_all(MO_SAFE_MAP);
  return mo_i4_bits(safe) == 0xf;
}

static inline bool mo_axes_are_safe(const mo_transform *map) {
  return mo_is_safe(map->x_axis) && mo_is_safe(map->y_axis) && mo_is_safe(map->z_axis);
}

/* What traits say of the axes of a shape. */
static inline uint32_t mo_traits_of_axes(const mo_transform *map) {
  return (mo_is_axis_aligned(map) ? MO_TRAIT_AXIS_ALIGNED : 0u) |
         (mo_axes_are_safe(map) ? MO_TRAIT_SAFE_AXES : 0u);
}

/* mo_geometry_bounds of a centred geometry at a place, axis-aligned, where nothing is out of range.
 */
mo_aabb mo_centred_bounds(const mo_geometry *geometry, mo_vec3 place);

/* A margin that is not that of the scene. MO_ERROR_INVALID_ARGUMENT, MO_ERROR_NOT_FINITE,
 * MO_ERROR_OUT_OF_RANGE. */
mo_result mo_margin_check(float margin, const mo_refusal *refusal);

/* MO_ERROR_INVALID_ARGUMENT. */
static inline mo_result mo_motion_check(mo_motion motion, const mo_refusal *refusal,
                                        const char *member) {
  return mo_check_choice((unsigned)motion, MO_MOTION_STATIC, refusal, member);
}

/* All of a def but its transform. Errors as mo_geometry_check, and MO_ERROR_UNINITIALIZED_DEF. */
mo_result mo_shape_def_check(const mo_shape_def *def, const mo_refusal *refusal);

/* The whole of a def, as mo_scene_add_shape documents it; gives its map and the box that it fills.
 */
mo_result mo_placed_def_check(const mo_shape_def *def, const mo_refusal *refusal, mo_affine *affine,
                              mo_aabb *bounds);

/* Says why there is no image of a geometry under a legal transform, a member of the place; `result`
 * is that of mo_geometry_bounds. */
MO_COLD mo_result mo_refuse_image(mo_result result, const mo_refusal *refusal, const char *member);

/* What a shape is stored under, which may be larger than it must be: what it fills now, and on its
 * way along `motion`, is `tight`; larger by the margin on all sides for bounds that are made anew.
 * Those that are stored already are kept while they hold all of it and reach out of it by no more
 * than MO_FAT_MARGINS margins. Everything rounded outward. */
typedef struct mo_fat_bounds {
  mo_aabb bounds;
  bool kept;
} mo_fat_bounds;

/* `stored` may be null. */
mo_fat_bounds mo_bounds_fatten(const mo_aabb *box, mo_vec3 motion, float margin,
                               const mo_aabb *stored);

#endif
