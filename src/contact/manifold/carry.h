/* Reuse of manifolds: updates a manifold for two shapes that have moved little since it was
 * computed, without collision detection. */
#ifndef MO_CONTACT_MANIFOLD_CARRY_H
#define MO_CONTACT_MANIFOLD_CARRY_H

#include <motte/contact.h>

#include "math/vector.h"

/* The poses of two shapes when their manifolds were computed, and a bounding sphere of one of the
 * shapes. */
typedef struct mo_pair_poses {
  mo_transform to_world[2];
  /* Which shape (0 or 1) is the reference frame, in which the motion of the other is measured: the
   * larger shape, as its corners would move far when it rotates. */
  int frame;
  /* centre of a bounding sphere of the other shape: world axes, relative to its origin */
  mo_vec3 center;
  float radius;
} mo_pair_poses;

/* Makes the poses of two shapes. `bounds`: their world AABBs, of which one may be infinite (of a
 * half-space). */
mo_pair_poses mo_pair_poses_of(const mo_transform to_world[2], const mo_aabb bounds[2]);

/* How two shapes have moved since their manifolds were computed. */
typedef struct mo_pair_motion {
  /* columns of both rotations, from the old to the new orientation, world axes */
  mo_dvec3 rotation[2][3];
  int frame;         /* which shape is the reference frame, as in mo_pair_poses */
  mo_dvec3 origin_a; /* origin of A's transform now, world */
  mo_dvec3 offset;   /* from the origin of A to the origin of B, now */
} mo_pair_motion;

/* Computes the motion. Returns false if an upper bound says that some point of the other shape has
 * moved by more than `max` relative to the reference frame, or if a shape has not moved rigidly.
 */
bool mo_pair_motion_make(mo_pair_motion *carry, const mo_pair_poses *start, const mo_transform *a,
                         const mo_transform *b, double max);

/* Updates a manifold to the current poses. Points whose separation is now greater than `separation`
 * are removed. */
void mo_manifold_move(const mo_pair_motion *carry, double separation, mo_manifold *manifold);

#endif
