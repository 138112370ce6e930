/* The state of a moving character. The shape that is cast is the character's own, rounded by half
 * of the skin: where this shape touches an obstacle, half of the skin is left as a gap. The
 * character stops earlier, where the gap is the whole skin. So the cast shape does not touch
 * the surface that the character slides along, nor the edges between its triangles.
 *
 * An obstacle that the rounded shape overlaps is no obstacle to movements that lead out of it. If
 * the transform scales evenly, the rounding is a ball, so the shortest ways out of an obstacle have
 * the same normal for the rounded shape as for the character, and such a movement never leads the
 * character into the obstacle or deeper into it. If the rounding is an ellipsoid, the normals
 * differ: then the unrounded shape is cast too. */
#ifndef MO_CHARACTER_MOVER_H
#define MO_CHARACTER_MOVER_H

#include <motte/character.h>

#include "base/refuse.h"
#include "math/vector.h"

enum { MO_CHARACTER_MAX_TOUCHES = 64 }; /* how many touched obstacles a mover records */

typedef struct mo_character_mover {
  const mo_scene *scene;
  const mo_character_def *def;
  mo_query_stats *stats;
  /* the shape at its current position; displacement and min_approach are set for each cast */
  mo_shape_cast_def cast;
  mo_dvec3 up; /* the direction `up` of the def, made a unit vector */
  double skin;
  double min_walkable_cosine; /* cosine of the slope limit */
  double bottom_height;       /* height of the shape's lowest point over its origin, along `up` */
  bool rounding_is_ellipsoid; /* not a ball, as the transform scales unevenly */
  float rounding;             /* rounding radius of the character's own shape, without the skin */
  bool on_ground;             /* the character stood on ground at the start */
  bool blocked;               /* the character was stopped by an obstacle sideways or above */
  uint32_t touch_count;
  mo_character_touch touches[MO_CHARACTER_MAX_TOUCHES];
} mo_character_mover;

/* Checks a def and sets up a mover. */
mo_result mo_mover_init(mo_character_mover *mover, const mo_scene *scene,
                        const mo_character_def *def, const mo_refusal *refusal,
                        mo_query_stats *stats);

/* Casts the rounded shape along `displacement`: finds the first obstacle that it approaches.
 * Returns false if there is none. */
bool mo_mover_cast(mo_character_mover *mover, mo_dvec3 displacement, mo_cast_hit *hit);

/* A cast def for the character's own shape, without the skin and without displacement. */
mo_shape_cast_def mo_mover_unrounded_cast(const mo_character_mover *mover);

/* Moves the character along `displacement` until the gap to the first obstacle is the skin, and
 * records the touch. Returns whether there is an obstacle; `share` receives the fraction of
 * `displacement` that was moved. */
bool mo_mover_advance(mo_character_mover *mover, mo_dvec3 displacement, mo_cast_hit *hit,
                      double *share);

static inline mo_dvec3 mo_mover_position(const mo_character_mover *mover) {
  return mo_widen(mover->cast.primitive.transform.origin);
}

/* Whether there is walkable ground at most `reach` below the character. `hit` and `face` receive
 * the ground and its normal; without such ground, `hit` receives the first obstacle below, if any
 * (`hit->found`). */
bool mo_mover_find_walkable(mo_character_mover *mover, double reach, mo_cast_hit *hit,
                            mo_dvec3 *face);

/* Describes the ground at most `reach` below the character, for mo_character_move_result. */
mo_character_ground mo_mover_find_ground(mo_character_mover *mover, double reach);

/* Whether the character can stand on an obstacle that it hit moving down. `face` receives the
 * normal of the surface. */
bool mo_mover_is_supported(const mo_character_mover *mover, const mo_cast_hit *hit, mo_dvec3 *face);

/* Moves sideways, perpendicular to `up`: slides along surfaces that are too steep, and climbs
 * others. */
void mo_mover_slide_sideways(mo_character_mover *mover, mo_dvec3 displacement, bool may_step,
                             bool *stepped);

/* Moves the character up or down: slides along all obstacles, but not against the direction
 * `sideways`. Downwards it stops where the ground supports the character. */
void mo_mover_slide_vertically(mo_character_mover *mover, mo_dvec3 displacement, mo_dvec3 sideways);

/* Moves the character out of overlaps. Returns whether an overlap remains. */
bool mo_mover_resolve_overlaps(mo_character_mover *mover);

/* The part of a vector that is perpendicular to a unit vector. */
static inline mo_dvec3 mo_perpendicular_part(mo_dvec3 v, mo_dvec3 unit) {
  return mo_dsub(v, mo_dscale(mo_ddot(v, unit), unit));
}

#endif
