/* A character under way. The shape that is cast is the character's own, rounded by half of the skin
 * on all sides: where it only touches, half of the skin is left. It stops where all of the skin is
 * left. So what it slides along at that distance is not touched, and neither are the edges between
 * the triangles of a surface. */
#ifndef MO_CHARACTER_MOVER_H
#define MO_CHARACTER_MOVER_H

#include <motte/character.h>

#include "base/refuse.h"
#include "math/vector.h"

enum { MO_CHARACTER_TOUCHES = 64 };

typedef struct mo_mover {
  const mo_scene *scene;
  const mo_character_def *def;
  mo_query_stats *stats;
  mo_shape_cast_def cast; /* the shape where it is now; displacement and approach change */
  mo_dvec3 up;            /* unit */
  double skin;
  double least_up; /* cosine of the slope limit */
  double foot;     /* the lowest point of the character above its origin, along up */
  bool on_ground;  /* it stood on ground at the start */
  bool blocked;    /* sideways or above */
  uint32_t touch_count;
  mo_character_touch touches[MO_CHARACTER_TOUCHES];
} mo_mover;

/* Sets a mover up; refuses what is wrong with a def. */
mo_result mo_mover_init(mo_mover *mover, const mo_scene *scene, const mo_character_def *def,
                        const mo_refusal *refusal, mo_query_stats *stats);

/* The first thing on the way that the mover approaches. False if there is none. */
bool mo_mover_meets(mo_mover *mover, mo_dvec3 way, mo_cast_hit *hit);

/* Moves along a way until the skin is left to what it meets, and notes that. Returns whether it
 * meets something; `share` is the part of the way that it went. */
bool mo_mover_advance(mo_mover *mover, mo_dvec3 way, mo_cast_hit *hit, double *share);

static inline mo_dvec3 mo_mover_place(const mo_mover *mover) {
  return mo_widen(mover->cast.primitive.transform.origin);
}

/* Whether it meets something within reach below that it can stand on: `hit` and `face` are that, or
 * what it meets otherwise, if `hit` is found. */
bool mo_mover_meets_ground(mo_mover *mover, double reach, mo_cast_hit *hit, mo_dvec3 *face);

/* What is below, at most so far; `height` is how far the character can go down. */
mo_character_ground mo_mover_ground(mo_mover *mover, double reach);

/* Whether it can stand on what it met while it moved down; `face` is the surface's normal. */
bool mo_mover_is_supported(const mo_mover *mover, const mo_cast_hit *hit, mo_dvec3 *face);

/* Sideways, across up: along what is too steep, up what is not. */
void mo_mover_slide_sideways(mo_mover *mover, mo_dvec3 way, bool may_step, bool *stepped);

/* Upward or downward: along all that it meets, but not against `sideways`. Down until it is
 * supported. */
void mo_mover_slide_upright(mo_mover *mover, mo_dvec3 way, mo_dvec3 sideways);

/* Out of what it overlaps. Returns whether it overlaps something still. */
bool mo_mover_recover(mo_mover *mover);

static inline mo_dvec3 mo_across(mo_dvec3 v, mo_dvec3 unit) {
  return mo_dsub(v, mo_dscale(mo_ddot(v, unit), unit));
}

static inline double mo_length(mo_dvec3 v) {
  return sqrt(mo_ddot(v, v));
}

#endif
