/* Many moves of one call: checking and storing them, in parts that may be tasks. */
#ifndef MO_SCENE_MOVES_MOVES_H
#define MO_SCENE_MOVES_MOVES_H

#include "scene/octree/octree.h"
#include "scene/policy.h"
#include "scene/shape.h"

typedef struct mo_moves {
  mo_scene *scene;
  const mo_update_def *def;
  uint32_t parts;
  /* Whether part p is the moves of its share of all slots, so that of several moves of one shape
   * the last is the one that counts. Else it is its share of the moves, of ascending slots. */
  bool by_slot;
  bool noted; /* each part notes its moves in the change log */
  /* What mo_moves_check finds, by part. */
  uint32_t bad[MO_MOVES_PARTS];   /* the first move that is illegal, or MO_NONE */
  bool ascending[MO_MOVES_PARTS]; /* whether slots ascend, also from the move before the first */
  /* Whether all shapes are stored under the bounds that they fill, and none is unbounded. */
  bool tight[MO_MOVES_PARTS];
} mo_moves;

/* Where a part of `total` begins. */
static inline uint32_t mo_moves_begin(const mo_moves *m, uint32_t total, uint32_t part) {
  return (uint32_t)((uint64_t)total * part / m->parts);
}

/* A small axis-aligned box or ball: only its origin matters. */
static inline bool mo_is_easy(uint32_t traits) {
  return (traits & MO_TRAIT_EASY) == MO_TRAIT_EASY;
}

static inline bool mo_velocity_is_legal(const mo_moves *m, uint32_t i) {
  return mo_is_finite(m->def->velocities[i]) &&
         mo_is_safe(mo_scale(m->def->lookahead, m->def->velocities[i]));
}

/* Where a move takes a known shape. */
static inline mo_transform mo_move_transform(const mo_moves *m, uint32_t i) {
  if (m->def->transforms) {
    return m->def->transforms[i];
  }
  mo_transform transform = m->scene->shapes[m->def->ids[i].index].affine.to_world;
  transform.origin = m->def->origins[i];
  return transform;
}

/* Whether two maps have the same linear part, to the bit. */
static inline bool mo_has_axes_of(const mo_transform *a, const mo_transform *b) {
  const float *x = &a->x_axis.x, *y = &b->x_axis.x;
  mo_i4 different = ((mo_i4)mo_f4_load(x) ^ (mo_i4)mo_f4_load(y)) |
                    ((mo_i4)mo_f4_load(x + 4) ^ (mo_i4)mo_f4_load(y + 4));
  return mo_i4_bits(different == 0) == 0xf && memcmp(x + 8, y + 8, sizeof *x) == 0;
}

/* Gives a shape a legal transform; only the map of its record and its traits change. Returns
 * whether the shape is easy now and its origin safe. `turned`: whether the rest of the affine
 * transform has to follow (mo_affine_finish). */
MO_INLINE bool mo_move_record(mo_scene *scene, uint32_t slot, const mo_transform *transform,
                              bool *turned) {
  mo_affine *affine = &scene->shapes[slot].affine;
  uint32_t traits = scene->traits[slot];
  *turned = false;
  if ((mo_is_easy(traits) && mo_is_axis_aligned(transform)) ||
      mo_has_axes_of(&affine->to_world, transform)) {
    affine->to_world.origin = transform->origin;
  } else {
    affine->to_world = *transform;
    *turned = true;
    traits &= ~(uint32_t)(MO_TRAIT_AXIS_ALIGNED | MO_TRAIT_SAFE_AXES);
    traits |= mo_traits_of_axes(transform);
    scene->traits[slot] = (uint16_t)traits;
  }
  return mo_is_easy(traits) && mo_is_safe(transform->origin);
}

/* Whether a move is legal. */
bool mo_move_is_legal(const mo_moves *m, uint32_t i);

/* Grows the bounds that a moved shape fills by its margin and its expected motion. False where it
 * stays under those that it is stored under, which `box` is set to. */
bool mo_move_fatten(const mo_moves *m, uint32_t i, mo_aabb *box);

/* Writes where a shape is now to its record; returns whether the bounds that it is stored under
 * change, and to what. An unbounded shape is stored anew: `box` is not set then. */
bool mo_move_put(const mo_moves *m, uint32_t i, mo_aabb *box);

/* Checks a part of the moves (moves/moves_kernel.c). */
MO_ISA_DECLARE(void, mo_moves_check, (mo_moves * m, uint32_t part));

/* Stores a part of the moves, all of which are legal: writes records, and notes what has moved
 * (mo_moved_of_part). Unless all parts are tight, shapes with new bounds have MO_TRAIT_MOVED
 * afterwards. */
MO_ISA_DECLARE(void, mo_moves_store, (const mo_moves *m, uint32_t part));

#endif
