/* Whether the surface of a mesh is closed: whether each edge, by the positions of its ends, is used
 * as often in one direction as in the other. */
#ifndef MO_MESH_CLOSED_H
#define MO_MESH_CLOSED_H

#include <string.h>

#include "mesh/mesh.h"

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

/* A sum of hashes of directed edges, where opposite directions of an edge have opposite signs. It
 * is zero for every closed surface, and practically never for another one. */
typedef struct mo_edge_hash_sum {
  uint64_t low, high;
} mo_edge_hash_sum;

/* Hashes a number: the finalizer of splitmix64 (Steele, Lea and Flood 2014). */
static inline uint64_t mo_mix_bits(uint64_t z) {
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static inline void mo_edge_hash_sum_add_edge(mo_edge_hash_sum *sum, uint64_t from, uint64_t to) {
  if (from == to) {
    return;
  }
  uint64_t first = from < to ? from : to, second = from < to ? to : from;
  uint64_t low = mo_mix_bits(mo_mix_bits(first) + second);
  uint64_t high = mo_mix_bits(low ^ mo_mix_bits(second + 1));
  sum->low += from < to ? low : 0 - low;
  sum->high += from < to ? high : 0 - high;
}

/* Adds the edges of a triangle. */
static inline void mo_edge_hash_sum_add(mo_edge_hash_sum *sum, const mo_vec3 corners[3]) {
  const uint64_t hash[3] = {mo_position_hash(corners[0]), mo_position_hash(corners[1]),
                            mo_position_hash(corners[2])};
  for (int i = 0; i < 3; i++) {
    mo_edge_hash_sum_add_edge(sum, hash[i], hash[(i + 1) % 3]);
  }
}

static inline bool mo_edge_hash_sum_is_zero(const mo_edge_hash_sum *sum) {
  return sum->low == 0 && sum->high == 0;
}

/* Cost: some 20 ns per triangle. Height fields have a border. */
static inline bool mo_mesh_is_closed(const mo_mesh *mesh) {
  if (mesh->height != NULL) {
    return false;
  }
  mo_edge_hash_sum sum = {0, 0};
  mo_vec3 corners[3];
  for (uint32_t i = 0; mo_mesh_find_triangle(mesh, &i, corners); i++) {
    mo_edge_hash_sum_add(&sum, corners);
  }
  return mo_edge_hash_sum_is_zero(&sum);
}

#endif
