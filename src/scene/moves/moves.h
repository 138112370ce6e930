/* A batch of moves: checks them and stores them, in parts that may run as tasks. */
#ifndef MO_SCENE_MOVES_MOVES_H
#define MO_SCENE_MOVES_MOVES_H

#include "base/tasks.h"
#include "scene/octree/octree.h"
#include "scene/policy.h"
#include "scene/shapes/displacements.h"
#include "scene/shapes/shape.h"

/* How the moves of a batch are stored. */
typedef enum mo_store_mode {
  MO_STORE_TIGHT,             /* all stored bounds are tight */
  MO_STORE_ENLARGED_ONCE,     /* some stored bounds are enlarged; each shape moves once */
  MO_STORE_ENLARGED_REPEATED, /* some stored bounds are enlarged; a shape may move several times */
  /* Part p processes the moves whose slots are in its share of all slots, so that the last of
   * several moves of one shape counts. In the other modes it is a contiguous share of the moves,
   * whose slots ascend if there are several parts. */
  MO_STORE_BY_SLOT,
} mo_store_mode;

typedef struct mo_moves {
  mo_scene *scene;
  const mo_update_def *def;
  uint32_t part_count;
  mo_store_mode mode;
  bool records_changes; /* whether each part adds its own moves to the change log, concurrently */
  /* Results of mo_moves_check, by part of the batch: */
  uint32_t first_illegal[MO_MOVES_MAX_PARTS]; /* index of the first illegal move, or MO_NONE */
  /* Whether the slots of the part's moves ascend, also from the last move of the part before. */
  bool ascending[MO_MOVES_MAX_PARTS];
  /* Whether all stored bounds are tight (no margin or velocity), and no shape is unbounded. */
  bool bounds_are_tight[MO_MOVES_MAX_PARTS];
} mo_moves;

/* Whether a shape is a small axis-aligned box or ball, whose box moves with its origin. */
static inline bool mo_box_follows_origin(uint32_t traits) {
  return (traits & MO_TRAIT_BOX_FOLLOWS_ORIGIN) == MO_TRAIT_BOX_FOLLOWS_ORIGIN;
}

static inline bool mo_velocity_is_legal(const mo_moves *m, uint32_t i) {
  return mo_is_finite(m->def->velocities[i]) &&
         mo_vec_is_in_safe_range(mo_scale(m->def->lookahead, m->def->velocities[i]));
}

/* The transform that a move gives to a shape, local to world. */
static inline mo_transform mo_move_transform(const mo_moves *m, uint32_t i) {
  if (m->def->transforms != NULL) {
    return m->def->transforms[i];
  }
  mo_transform transform = m->scene->shapes[m->def->ids[i].index].affine.to_world;
  transform.origin = m->def->origins[i];
  return transform;
}

/* How far the shape of a move is expected to move within the lookahead. */
static inline mo_vec3 mo_move_displacement(const mo_moves *m, uint32_t i) {
  return m->def->velocities != NULL ? mo_scale(m->def->lookahead, m->def->velocities[i])
                                    : mo_vec(0, 0, 0);
}

/* Sets the transform in a shape's record, and its traits. Returns whether the shape's box now
 * follows its origin (mo_box_follows_origin), and the origin is in the safe range. `rotated` is set
 * if the linear part changed: the caller must then update the rest of the affine map
 * (mo_affine_set_inverse). */
MO_INLINE bool mo_move_set_transform(mo_scene *scene, uint32_t slot, const mo_transform *transform,
                                     bool *rotated) {
  mo_affine *affine = &scene->shapes[slot].affine;
  uint32_t traits = scene->traits[slot];
  *rotated = false;
  if ((mo_box_follows_origin(traits) && mo_has_identity_axes(transform)) ||
      mo_has_same_axes(&affine->to_world, transform)) {
    affine->to_world.origin = transform->origin;
  } else {
    affine->to_world = *transform;
    *rotated = true;
    traits &= ~(uint32_t)(MO_TRAIT_HAS_IDENTITY_AXES | MO_TRAIT_HAS_SAFE_AXES);
    traits |= mo_traits_of_axes(transform);
    scene->traits[slot] = (uint16_t)traits;
  }
  return mo_box_follows_origin(traits) && mo_vec_is_in_safe_range(transform->origin);
}

bool mo_move_is_legal(const mo_moves *m, uint32_t i);

/* Enlarges the tight box of a moved shape by its margin and its expected motion. Returns false if
 * the stored bounds are kept; `box` is set to these then. */
bool mo_move_fatten(const mo_moves *m, uint32_t i, mo_aabb *box);

/* Writes a move to a shape's record. Returns whether its stored bounds change, with the new ones in
 * `box`. For an unbounded shape, updates its world half-space; `box` is not set then. */
bool mo_move_store(const mo_moves *m, uint32_t i, mo_aabb *box);

/* Checks the moves of one part of a batch (moves/moves_kernel.c). */
MO_ISA_DECLARE(void, mo_moves_check, (mo_moves * m, uint32_t part));

/* Stores the moves of one part of a batch, all of which are legal: writes the shapes' records, and
 * marks their lanes as moved (mo_moved_marks_of_part). Unless `bounds_are_tight` is set for all
 * parts, shapes with new bounds have MO_TRAIT_MOVED afterwards. */
MO_ISA_DECLARE(void, mo_moves_store, (const mo_moves *m, uint32_t part));

#endif
