/* Compact meshes: the same octree in about half the memory.
 *
 * Nodes have quantised boxes (octree/compact.h), and also contain the data that the full format
 * stores in separate arrays. A block stores each vertex that its triangles share once, with all its
 * bits, and an index per corner: eight triangles of a surface have about nine vertices instead of
 * 24 corners. So only culling differs from the full format, and answers do not.
 *
 * Blocks have variable length, in units of 32 bytes. Therefore, and because of the quantised nodes,
 * a compact mesh cannot change after it has been built. */
#ifndef MO_MESH_FORMAT_COMPACT_H
#define MO_MESH_FORMAT_COMPACT_H

#include "mesh/mesh.h"
#include "octree/compact.h"

struct mo_compact_node {
  mo_compact_boxes8 box;
  uint32_t child[MO_LANE_COUNT];    /* a leaf has the unit at which its first block begins */
  uint32_t order[4], any_hit_order; /* as in mo_mesh_node */
  uint32_t parent;                  /* node index << 3 | slot; MO_NONE for the root */
  /* The nested planes as in mo_nested_planes, without positions; a plane with two equal sides is
   * unused. Two bits per plane say its axis: box.spare_byte has the lowest eight bits, `plane_axes`
   * the rest. */
  uint8_t sides[MO_LANE_COUNT - 1];
  uint8_t plane_axes;
};

_Static_assert(sizeof(mo_compact_node) == 128, "two cache lines, of which the first has the boxes");

/* The child of an empty slot: a leaf without triangles at unit 0. Rays that pass very near the
 * slot's box may visit that leaf. */
#define MO_CHILD_EMPTY_LEAF (MO_CHILD_LEAF | 0u)

struct mo_compact_unit {
  alignas(32) uint32_t word[8];
};

enum { MO_UNIT_BYTES = 32, MO_BLOCK_MAX_VERTICES = 16 };

/* A compact block of triangles. A block with more than MO_BLOCK_MAX_VERTICES different vertices is
 * stored as a mo_triangle_block instead, marked by MO_LANE_UNPACKED. */
typedef struct mo_compact_block {
  alignas(MO_UNIT_BYTES) uint32_t id[MO_LANE_COUNT];
  uint32_t vertex_nibbles[3]; /* by corner of triangles: eight nibbles, the vertex of each lane */
  uint32_t vertex_count;      /* 1 to MO_BLOCK_MAX_VERTICES */
  float x[];                  /* x of all vertices, then y, then z */
} mo_compact_block;

#define MO_LANE_UNPACKED 0x80000000u /* in lane 3: the block is a mo_triangle_block */

/* Units added at the end of the array, as loads of sixteen numbers may read beyond the last
 * block. */
enum { MO_PADDING_UNITS = 2 };

static inline const mo_compact_block *mo_compact_block_at(const mo_compact_unit *units,
                                                          uint32_t at) {
  return (const mo_compact_block *)(const void *)&units[at];
}

static inline bool mo_compact_is_unpacked(const mo_compact_block *block) {
  return (block->id[3] & MO_LANE_UNPACKED) != 0;
}

/* The size in units of a block with `vertices` vertices. */
static inline uint32_t mo_units_for_vertices(uint32_t count) {
  return (uint32_t)(sizeof(mo_compact_block) + 3 * sizeof(float) * count + MO_UNIT_BYTES - 1) /
         MO_UNIT_BYTES;
}

static inline uint32_t mo_compact_block_units(const mo_compact_block *block) {
  return mo_compact_is_unpacked(block) ? (uint32_t)(sizeof(mo_triangle_block) / MO_UNIT_BYTES)
                                       : mo_units_for_vertices(block->vertex_count);
}

/* Converts a mesh that has been built to the compact format. Errors: MO_ERROR_OUT_OF_MEMORY;
 * MO_ERROR_TOO_MANY (more than 16 GB of blocks). On failure the mesh is unchanged. */
mo_result mo_mesh_make_compact(mo_mesh *mesh);

/* Frees the compact data, if there is any. */
void mo_compact_destroy(mo_mesh *mesh);

size_t mo_compact_bytes(const mo_mesh *mesh);

#endif
