/** \defgroup character Characters (motte/character.h)
 *
 * Moving a character through a scene: it slides along what it meets, steps onto ledges, follows the
 * ground and reports where it stands. Nothing is kept between calls: the caller moves the shape.
 *
 * The character is a convex shape, which need not be in the scene. It keeps a distance (`skin`) to
 * everything. It does not pass through anything that it does not overlap at the start, however fast
 * it is and thin the other, and where it ends it overlaps nothing deeper than at the start.
 *
 * Errors, filters, statistics and threads are as in motte/query.h. */
#ifndef MOTTE_CHARACTER_H
#define MOTTE_CHARACTER_H

#include <motte/cast.h>

/** \{ */

/// What a character touched while it moved.
typedef struct mo_character_touch {
  mo_shape_id shape;           ///< which shape
  uint64_t user_data;          ///< the shape's
  uint32_t triangle;           ///< MO_NO_TRIANGLE of a solid
  uint32_t triangle_user_data; ///< the triangle's; 0 of a solid
  mo_vec3 point;               ///< of the shape, world
  mo_vec3 normal;              ///< unit, from there towards the character
} mo_character_touch;

/// A character and how it is to move.
typedef struct mo_character_def {
  /// Where it is now; its transform goes to the world. A sphere, capsule, box, cylinder or any
  /// other convex shape, a volume (as its world box), a point or a segment. No mesh, no triangle,
  /// no half-space.
  mo_primitive primitive;
  mo_vec3 displacement; ///< how far it is to move, gravity included; world; may be 0
  mo_vec3 up;           ///< against gravity, world; not zero; its length does not matter
  /// The distance that is kept from everything, world units; more than 0. While it moves, half of
  /// it at least is left. Where transforms scale unevenly it is larger in some directions. Raised
  /// to 2^-18 of the largest coordinates involved where it is less.
  float skin;
  /// The steepest ground that it can stand on: the angle between the ground's normal and `up`,
  /// radians, from 0 to half of pi.
  float slope_limit;
  float step_height; ///< how high ledges may be that it steps onto; not negative
  /// How far it follows the ground down if it stood on ground and does not rise; not negative.
  float snap_distance;
  bool hit_volumes; ///< let MO_SHAPE_VOLUME shapes be in the way, as their boxes
  mo_filter filter; ///< which shapes are in the way; `ignore` for the character's own
  /// The shape that `ignore_triangle` belongs to.
  mo_shape_id ignore_triangle_shape;
  uint32_t ignore_triangle; ///< a triangle that is not in the way; MO_NO_TRIANGLE for none
  /// If not null: called for triangles that may be in the way, in any order; false lets the
  /// character pass. `t` is of some part of the path.
  bool (*accept_triangle)(mo_shape_id shape, uint32_t triangle, float t, void *context);
  void *accept_context; ///< passed to `accept_triangle`
  /// The caller's memory for what is touched; null where `touch_capacity` is 0.
  mo_character_touch *touches;
  uint32_t touch_capacity; ///< length of `touches`
  uint32_t cookie;         ///< set by mo_default_character_def; not for the caller
} mo_character_def;

/// What lies below a character.
typedef struct mo_character_ground {
  bool found;     ///< false: nothing lies near below, and nothing below is set
  bool walkable;  ///< it can stand there: by the slope limit; on an edge, by the flatter side
  float height;   ///< how far it can go down from where it is, world units; about the skin
  float slope;    ///< the angle between `face_normal` and up, radians
  mo_vec3 point;  ///< of the ground, world
  mo_vec3 normal; ///< unit, from there towards the character: across an edge where it is on one
  mo_vec3 face_normal;         ///< unit, of the ground's surface; of the flatter side at an edge
  mo_shape_id shape;           ///< which shape; it may move, and the character with it
  uint64_t user_data;          ///< the shape's
  uint32_t triangle;           ///< MO_NO_TRIANGLE of a solid
  uint32_t triangle_user_data; ///< the triangle's; 0 of a solid
} mo_character_ground;

/// How a character moved.
typedef struct mo_character_move_result {
  mo_transform transform;     ///< where it is now: that of the def's primitive, moved
  mo_vec3 displacement;       ///< from the old origin to the new one, world
  mo_character_ground ground; ///< below it, where it is now
  bool standing; ///< it stands on the ground: that is walkable, and no farther than twice the skin
                 ///< across its surface
  bool blocked;  ///< it met something sideways or above, and did not move as far as it was to
  bool stepped;  ///< it stepped onto a ledge
  bool overlaps; ///< it overlaps something still, no deeper than at the start
  uint32_t touch_count; ///< what it touched; the first are written to `touches`
} mo_character_move_result;

MO_BEGIN_DECLS

/// A point at the origin that does not move; up is +y, a skin of 0.02, a slope limit of 50 degrees,
/// steps up to 0.3, 0.3 to follow the ground; default filter, volumes ignored, no callback, nothing
/// written of what is touched.
MO_API mo_character_def mo_default_character_def(void);

/// Moves a character by a displacement. In this order: out of what it overlaps, by penetration
/// depths, in up to four rounds; upward; sideways, along what is too steep to stand on and up what
/// is not, and onto ledges if it stands on ground; downward, to what it can stand on, and along
/// what is too steep; down to the ground that it stood on. On ground that it can stand on gravity
/// does not make it slide. Sideways it keeps its speed on slopes, and stops in corners; it moves
/// back only to get out of an overlap, or sliding down what is too steep. Equal calls from where it
/// came to rest move it by exactly 0. Nothing changes in the scene. Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE;
/// MO_ERROR_INVALID_ARGUMENT (the primitive, as of mo_scene_cast_shape, or a triangle or
/// half-space; a transform that flattens it; `up` is zero; a skin that is not positive; a slope
/// limit, step height or snap distance that is negative or too large). Cost: some five casts
/// (mo_scene_cast_shape) of the character along its path, up to sixty in corners and on steps.
MO_API mo_result mo_character_move(const mo_scene *scene, const mo_character_def *def,
                                   mo_character_move_result *result, mo_query_stats *stats);

/// Whether a character can move by its whole displacement in a straight line, touching nothing that
/// it approaches; what it leaves or slides along from the start is not in its way. The skin,
/// slopes, steps and the touches make no difference. Errors: as of mo_character_move. Cost: as
/// mo_scene_test_shape_cast.
MO_API mo_result mo_character_move_allowed(const mo_scene *scene, const mo_character_def *def,
                                           bool *allowed, mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
