/* Manifolds carried along with two shapes that have moved little since they were worked out. */
#ifndef MO_CONTACT_MANIFOLD_CARRY_H
#define MO_CONTACT_MANIFOLD_CARRY_H

#include <motte/contact.h>

#include "math/vector.h"

/* Two shapes as they were when their manifolds were worked out. */
typedef struct mo_carry_start {
  mo_transform to_world[2];
  /* One of the two is the frame in which the motion of the other is measured: the larger one, as
   * the corners of a large shape go far when it turns. */
  int frame;
  mo_vec3 center; /* of a ball around the other shape: world axes, from its origin */
  float radius;
} mo_carry_start;

/* `bounds` of both are in the world. A half-space has infinite ones, and only one of the two may
 * be infinite. */
mo_carry_start mo_carry_start_of(const mo_transform to_world[2], const mo_aabb bounds[2]);

/* How both have moved since then. */
typedef struct mo_carry {
  mo_dvec3 turn[2][3]; /* columns of the rotations, world to world */
  int frame;
  mo_dvec3 origin_a; /* world */
  mo_dvec3 offset;   /* of the origin of B from that of A, now */
} mo_carry;

/* False if a point of the other shape has moved by more than `most` as seen from the frame, by an
 * upper bound, or if the shapes have not moved rigidly. */
bool mo_carry_make(mo_carry *carry, const mo_carry_start *start, const mo_transform *a,
                   const mo_transform *b, double most);

/* Moves a manifold from where it was worked out to where the shapes are now. Points that are
 * farther apart than `separation` are left out. */
void mo_carry_manifold(const mo_carry *carry, double separation, mo_manifold *manifold);

#endif
