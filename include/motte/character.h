/** \defgroup character Characters (motte/character.h)
 *
 * Character movement: collide and slide through a scene, stepping onto ledges, snapping to the
 * ground and reporting the ground below. No state is kept between calls: the caller moves the
 * shape.
 *
 * The character is a convex shape, which need not be in the scene. It keeps a distance (`skin`) to
 * all obstacles. It does not pass through anything that it does not overlap at the start, however
 * fast it is and however thin the obstacle. At the end it overlaps nothing deeper than at the
 * start.
 *
 * Errors, filters, statistics and threads are as in motte/query.h. */
#ifndef MOTTE_CHARACTER_H
#define MOTTE_CHARACTER_H

#include <motte/cast.h>

/** \{ */

/// An obstacle that a character touched while it moved.
typedef struct mo_character_touch {
  mo_shape_id shape;           ///< the shape touched
  uint32_t child;              ///< which child, if the shape is a compound; else 0
  uint64_t user_data;          ///< user data of the shape or child
  uint32_t triangle;           ///< the triangle touched; MO_NO_TRIANGLE for a convex shape
  uint32_t triangle_user_data; ///< user data of the triangle; 0 for a convex shape
  mo_vec3 point;               ///< where it was touched: on the shape, world
  mo_vec3 normal;              ///< unit, world, from `point` towards the character
} mo_character_touch;

/// Options of mo_character_move: a character and its movement.
typedef struct mo_character_def {
  /// The character where it is now; its transform maps to the world. A sphere, capsule, box,
  /// cylinder or any other convex shape, a volume (as its world box), a point or a segment. Not a
  /// mesh, compound, triangle or half-space.
  mo_primitive primitive;
  mo_vec3 displacement; ///< the wanted movement in this step, gravity included; world; may be 0
  mo_vec3 up;           ///< direction against gravity, world; not zero, any length
  /// The distance that the character keeps from all obstacles, world units; more than 0. While it
  /// moves, at least half of the skin remains. Where transforms scale unevenly, the skin is larger
  /// in some directions, and a quarter remains if the character starts nearer. It is raised to at
  /// least 2^-18 of the largest coordinates involved.
  float skin;
  /// The steepest ground that the character can stand on: the angle between the ground's normal and
  /// `up`, radians, from 0 to half of pi.
  float slope_limit;
  float step_height; ///< the highest ledge that the character steps onto, world units; not negative
  /// Ground snapping: how far the character follows the ground down if it stood on ground and does
  /// not move up. World units, not negative.
  float snap_distance;
  bool hit_volumes; ///< MO_SHAPE_VOLUME shapes are obstacles too, as their boxes
  mo_filter filter; ///< which shapes are obstacles; set `ignore` to the character's own shape
  /// The shape that `ignore_triangle` belongs to.
  mo_shape_id ignore_triangle_shape;
  uint32_t ignore_triangle_child; ///< the child of that shape; 0 without children
  uint32_t ignore_triangle;       ///< a triangle that is not an obstacle; MO_NO_TRIANGLE for none
  /// If not null: called for triangles that may be obstacles, in any order; false lets the
  /// character pass. The path is made of several casts; `t` is the time of contact in one of them.
  bool (*accept_triangle)(mo_triangle_ref triangle, float t, void *context);
  void *accept_context; ///< passed to `accept_triangle`
  /// The caller's memory for obstacles touched; may be null if `touch_capacity` is 0.
  mo_character_touch *touches;
  uint32_t touch_capacity; ///< length of `touches`
  uint32_t cookie;         ///< set by mo_default_character_def; not for the caller
} mo_character_def;

/// The ground below a character.
typedef struct mo_character_ground {
  bool found; ///< false: there is no ground near below, and the other members are not set
  /// whether the slope limit lets the character stand there; on an edge, the flatter side decides
  bool walkable;
  /// how far the character can move down, world units; about the skin if it stands there
  float height;
  float slope;   ///< the angle between `face_normal` and `up`, radians
  mo_vec3 point; ///< on the ground, world
  /// unit, world, from `point` towards the character; at an edge, perpendicular to the edge
  mo_vec3 normal;
  /// unit, world, of the ground's surface; at an edge, of the flatter side
  mo_vec3 face_normal;
  /// the shape that is the ground; if it moves, the host may move the character with it
  mo_shape_id shape;
  uint32_t child;              ///< which child, if the shape is a compound; else 0
  uint64_t user_data;          ///< user data of the shape or child
  uint32_t triangle;           ///< triangle of the ground; MO_NO_TRIANGLE for a convex shape
  uint32_t triangle_user_data; ///< user data of the triangle; 0 for a convex shape
} mo_character_ground;

/// The result of mo_character_move.
typedef struct mo_character_move_result {
  mo_transform transform;     ///< the new transform of the def's primitive
  mo_vec3 displacement;       ///< from the old origin to the new one, world
  mo_character_ground ground; ///< the ground below the new position
  /// the character stands on the ground, which is walkable and at most twice the skin away,
  /// measured perpendicular to its surface
  bool standing;
  bool blocked;  ///< an obstacle sideways or above kept it from moving the whole displacement
  bool stepped;  ///< the character stepped onto a ledge
  bool overlaps; ///< the character still overlaps something, no deeper than before
  uint32_t touch_count; ///< number of obstacles touched; the first are written to `touches`
} mo_character_move_result;

MO_BEGIN_DECLS

/// A point at the origin that does not move; up is +y, a skin of 0.02, a slope limit of 50 degrees,
/// a step height of 0.3, a snap distance of 0.3; default filter, volumes ignored, no callback, no
/// array of touches.
MO_API mo_character_def mo_default_character_def(void);

/// Moves a character by a displacement, in this order: (1) recovery: out of overlaps by penetration
/// depths, in up to four rounds; (2) up; (3) sideways: it slides along surfaces too steep to stand
/// on, walks up others, and steps onto ledges if it stands on ground; (4) down: to ground that it
/// can stand on, sliding along what is too steep; (5) ground snapping: down to the ground that it
/// stood on. Gravity does not make it slide on walkable ground. Moving sideways it keeps its speed
/// on slopes, and stops in corners. It moves backwards only to get out of an overlap, or sliding
/// down what is too steep. Repeating a call from where it came to rest moves it by exactly 0. The
/// scene does not change. Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF;
/// MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE; MO_ERROR_INVALID_ARGUMENT (the primitive, as of
/// mo_scene_cast_shape, or a triangle or half-space; a transform that flattens it; `up` is zero; a
/// skin that is not positive; a slope limit, step height or snap distance that is negative or too
/// large). Cost: some five casts (mo_scene_cast_shape) of the character along its path, up to sixty
/// in corners and on steps, twice as many where its transform scales unevenly. In no case more than
/// 900 casts and rays: a slide takes at most twelve rounds, each of which may try one step.
MO_API mo_result mo_character_move(const mo_scene *scene, const mo_character_def *def,
                                   mo_character_move_result *result, mo_query_stats *stats);

/// Whether a character can move by its whole displacement in a straight line without touching a
/// shape that it approaches. Shapes that it moves away from or slides along from the start are
/// no obstacles. Skin, slope limit, steps and `touches` make no difference. Errors: as of
/// mo_character_move. Cost: as mo_scene_test_shape_cast.
MO_API mo_result mo_character_move_allowed(const mo_scene *scene, const mo_character_def *def,
                                           bool *allowed, mo_query_stats *stats);

MO_END_DECLS

/** \} */

#endif
