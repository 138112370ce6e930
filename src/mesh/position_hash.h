/* Hashes of positions, for finding equal edges by the coordinates of their ends. */
#ifndef MO_MESH_POSITION_HASH_H
#define MO_MESH_POSITION_HASH_H

#include <motte/math.h>
#include <string.h>

/* The hash of a position. Equal positions have equal hashes; 0 and -0 are equal. */
static inline uint64_t mo_position_hash(mo_vec3 p) {
  float coordinates[3] = {p.x + 0.0f, p.y + 0.0f, p.z + 0.0f};
  uint32_t bits[3];
  memcpy(bits, coordinates, sizeof bits);
  uint64_t hash = 0;
  for (int axis = 0; axis < 3; axis++) {
    hash = (hash ^ bits[axis]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 32;
  }
  return hash;
}

#endif
