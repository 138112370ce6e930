/* How large the shapes below a node's octants are, for queries that leave out what is small.
 *
 * A size is that of the largest box's diagonal, squared, as the upper half of a float: rounded up,
 * and by no less than what the rounding of its computation may have lost, so that it bounds what
 * any other arithmetic finds. Sizes are kept up with the bounds of octants, and are as tight. */
#ifndef MO_SCENE_SIZE_H
#define MO_SCENE_SIZE_H

#include <string.h>

#include "math/aabb.h"

typedef uint16_t mo_size; /* 0: no shapes */

/* By node. */
typedef struct mo_node_sizes {
  mo_size octant[8];
} mo_node_sizes;

/* Of a squared diagonal that is off by a few roundings of floats, of 16 units in the last place at
 * the most; underflow included, as denormal floats are all such units. */
static inline mo_size mo_size_round(float diagonal2) {
  const uint32_t infinite = 0x7f80;
  uint32_t bits;
  memcpy(&bits, &diagonal2, sizeof bits);
  bits = (bits + 16 + 0xffff) >> 16;
  return (mo_size)(bits < infinite ? bits : infinite);
}

/* Of a box that is not empty. */
static inline mo_size mo_size_of(const mo_aabb *box) {
  float x = box->upper.x - box->lower.x;
  float y = box->upper.y - box->lower.y;
  float z = box->upper.z - box->lower.z;
  return mo_size_round(x * x + y * y + z * z);
}

static inline mo_size mo_size_max(mo_size a, mo_size b) {
  return a > b ? a : b;
}

static inline mo_size mo_sizes_max(const mo_node_sizes *sizes) {
  mo_size most = 0;
  for (int octant = 0; octant < 8; octant++) {
    most = mo_size_max(most, sizes->octant[octant]);
  }
  return most;
}

/* No squared diagonal is more than this. */
static inline double mo_size_bound(mo_size size) {
  uint32_t bits = (uint32_t)size << 16;
  float diagonal2;
  memcpy(&diagonal2, &bits, sizeof diagonal2);
  return (double)diagonal2;
}

#endif
