/* Compact meshes: the same octree in about half the memory.
 *
 * Nodes have their boxes quantised (octree/compact.h) and hold what the full format keeps apart
 * from them as well. Blocks hold each vertex that their triangles share once, in the bits it was
 * given in, and say which corner is which: eight triangles of a surface have nine vertices or so
 * instead of 24 corners. So only culling differs from the full format, and no answer does.
 *
 * Blocks are as long as they need be, in units of 32 bytes; that, and that nodes are not written
 * twice, is why such a mesh does not change after it has been built. */
#ifndef MO_MESH_FORMAT_COMPACT_H
#define MO_MESH_FORMAT_COMPACT_H

#include "mesh/mesh.h"
#include "octree/compact.h"

struct mo_compact_node {
  mo_compact8 box;
  uint32_t child[MO_WIDTH]; /* leaves: the unit where the first block begins */
  uint32_t order[4], any_order;
  uint32_t parent;
  /* The planes but for their positions, as mo_nested has them; a plane with both sides alike is
   * none. Two bits for the axis of each, of which the lowest eight are box.other. */
  uint8_t sides[MO_WIDTH - 1];
  uint8_t axes;
};

_Static_assert(sizeof(mo_compact_node) == 128, "two cache lines, of which the first has the boxes");

/* At unit 0 there is a leaf without triangles, for slots without a child: rays may visit it where
 * they pass very near. */
#define MO_CHILD_VOID (MO_CHILD_LEAF | 0u)

struct mo_compact_unit {
  alignas(32) uint32_t word[8];
};

enum { MO_UNIT_BYTES = 32, MO_BLOCK_VERTICES = 16 };

/* Either this, or, where more vertices differ, a mo_triangle_block: which it is says MO_LANE_WHOLE.
 */
typedef struct mo_compact_block {
  alignas(MO_UNIT_BYTES) uint32_t id[MO_WIDTH];
  uint32_t pick[3];  /* by corner: the vertex of each lane, as nibbles */
  uint32_t vertices; /* 1 to MO_BLOCK_VERTICES */
  float x[];         /* of all vertices, then y, then z */
} mo_compact_block;

#define MO_LANE_WHOLE 0x80000000u /* in lane 3 */

/* Reading sixteen numbers of a row goes beyond the last block. */
enum { MO_UNITS_BEHIND = 2 };

static inline const mo_compact_block *mo_compact_block_at(const mo_compact_unit *units,
                                                          uint32_t at) {
  return (const mo_compact_block *)(const void *)&units[at];
}

static inline bool mo_compact_is_whole(const mo_compact_block *block) {
  return (block->id[3] & MO_LANE_WHOLE) != 0;
}

/* Units that a block takes. */
static inline uint32_t mo_units_for(uint32_t vertices) {
  return (uint32_t)(sizeof(mo_compact_block) + 3 * sizeof(float) * vertices + MO_UNIT_BYTES - 1) /
         MO_UNIT_BYTES;
}

static inline uint32_t mo_compact_units(const mo_compact_block *block) {
  return mo_compact_is_whole(block) ? (uint32_t)(sizeof(mo_triangle_block) / MO_UNIT_BYTES)
                                    : mo_units_for(block->vertices);
}

/* Turns a mesh that has been built into a compact one. MO_ERROR_OUT_OF_MEMORY; MO_ERROR_TOO_MANY:
 * more than 16 GB of blocks. On failure the mesh is as before. */
mo_result mo_mesh_make_compact(mo_mesh *mesh);

/* Frees what that made; none is fine. */
void mo_compact_destroy(mo_mesh *mesh);

size_t mo_compact_bytes(const mo_mesh *mesh);

#endif
