/* An upper bound on the size of the shapes below each octant of a node, for queries that skip small
 * shapes.
 *
 * A size is the squared diagonal of the largest box, stored as the upper 16 bits of a float. It is
 * rounded up by at least the possible rounding error of its computation, so that it is an upper
 * bound of what any other arithmetic computes. Sizes are updated together with the bounds of
 * octants, and are as tight as these. */
#ifndef MO_SCENE_SIZE_H
#define MO_SCENE_SIZE_H

#include <string.h>

#include "math/aabb.h"

typedef uint16_t mo_box_size; /* rounded squared diagonal of the largest box; 0: no shapes */

typedef struct mo_node_sizes {
  mo_box_size octant[8];
} mo_node_sizes;

/* The size for a squared diagonal that was computed in floats, with an error of at most 16 units in
 * the last place. This includes underflow, as denormal floats are multiples of such a unit. */
static inline mo_box_size mo_box_size_of_diagonal2(float diagonal2) {
  const uint32_t infinite = 0x7f80;
  uint32_t bits;
  memcpy(&bits, &diagonal2, sizeof bits);
  bits = (bits + 16 + 0xffff) >> 16;
  return (mo_box_size)(bits < infinite ? bits : infinite);
}

/* The size of a box that is not empty. */
static inline mo_box_size mo_box_size_of(const mo_aabb *box) {
  float x = box->upper.x - box->lower.x;
  float y = box->upper.y - box->lower.y;
  float z = box->upper.z - box->lower.z;
  return mo_box_size_of_diagonal2(x * x + y * y + z * z);
}

static inline mo_box_size mo_box_size_max(mo_box_size a, mo_box_size b) {
  return a > b ? a : b;
}

static inline mo_box_size mo_node_sizes_max(const mo_node_sizes *sizes) {
  mo_box_size max = 0;
  for (int octant = 0; octant < 8; octant++) {
    max = mo_box_size_max(max, sizes->octant[octant]);
  }
  return max;
}

/* Converts a size back: the upper bound of squared diagonals for which it stands. */
static inline double mo_box_size_diagonal2(mo_box_size size) {
  uint32_t bits = (uint32_t)size << 16;
  float diagonal2;
  memcpy(&diagonal2, &bits, sizeof diagonal2);
  return (double)diagonal2;
}

#endif
