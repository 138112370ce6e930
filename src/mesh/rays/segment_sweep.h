/* Short segments through the triangle octree: first all nodes, then all leaves.
 *
 * From the segment entries on (mesh/rays/segment_entries.h) a short segment meets few nodes, and a
 * walk that goes for the nearest child spends its time on waiting for the last node and on guesses:
 * is a child met, is it a leaf, does anything wait? Here what is met is appended to one of two
 * lists by compression, nodes or leaves, and nodes are taken from theirs in turn: tests that do not
 * follow from each other overlap, and the only guesses are when there is no node left, and how many
 * leaves there were. Nothing is in order, and no hit cuts short the search for leaves; segments
 * this short gain nothing by either. Measured: short segments take 8 to 10 % less time than by the
 * traversal of trace_kernel.c, which meshes without entries keep. */
#ifndef MO_MESH_RAYS_SEGMENT_SWEEP_H
#define MO_MESH_RAYS_SEGMENT_SWEEP_H

#include "base/inline.h"
#include "base/prefetch.h"
#include "mesh/rays/leaf.h"
#include "mesh/rays/segment_entries.h"

enum { MO_SWEEP_MOST = 64 };

_Static_assert(MO_SWEEP_MOST >= MO_SEGMENT_ENTRIES_FEW * MO_WIDTH,
               "the lists hold what subtrees have below");

typedef struct mo_sweep {
  /* Appending writes eight places, whatever it keeps. */
  uint32_t node[MO_SWEEP_MOST + MO_WIDTH];
  uint32_t leaf[MO_SWEEP_MOST + MO_WIDTH]; /* as nodes name their children */
  float t[MO_SWEEP_MOST + MO_WIDTH];       /* where the ray enters the leaf */
} mo_sweep;

/* Prefetches what has just been appended; where nothing has been, anything. */
MO_INLINE void mo_sweep_prefetch(const mo_sweep *sweep, const mo_tree *tree, mo_mesh_format format,
                                 uint32_t nodes, uint32_t leaves) {
  bool full = format == MO_MESH_FULL;
  const char *node = full ? (const char *)tree->nodes : (const char *)tree->compact_nodes;
  const char *block = full ? (const char *)tree->blocks : (const char *)tree->units;
  for (uint32_t i = leaves; i < leaves + 2; i++) {
    const char *leaf = block + mo_child_index(sweep->leaf[i]) * mo_place_size(format);
    mo_prefetch(leaf, full ? 5 : 3);
  }
  mo_prefetch(node + sweep->node[nodes] * mo_node_size(format), full ? 4 : 3);
}

/* A node: appends those of its children that the ray meets before `end`. */
MO_INLINE void mo_sweep_visit(const mo_tree *tree, mo_mesh_format format, uint32_t node,
                              const mo_ray_lanes *ray, mo_f8 end, mo_sweep *sweep, uint32_t *nodes,
                              uint32_t *leaves) {
  mo_u8 child = mo_u8_load(mo_load_links(tree, format, node).child);
  mo_ray_slabs slabs = mo_node_slabs(tree, format, node, ray, NULL, end);
  uint32_t met = mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
  uint32_t is_leaf = mo_u8_signs(child);
  uint32_t inner = met & ~is_leaf, leaf = met & is_leaf;
  mo_u8_store_any(&sweep->node[*nodes], mo_u8_compress(child, inner));
  mo_u8_store_any(&sweep->leaf[*leaves], mo_u8_compress(child, leaf));
  mo_f8_store_any(&sweep->t[*leaves], mo_f8_compress(slabs.near_t, leaf));
  mo_sweep_prefetch(sweep, tree, format, *nodes, *leaves);
  *nodes += (uint32_t)__builtin_popcount(inner);
  *leaves += (uint32_t)__builtin_popcount(leaf);
}

/* Lists all leaves that the ray meets before max_t below those of some entries whose
 * bits are set, MO_SEGMENT_ENTRIES_FEW at most, and says how many. Returns false if there are too
 * many for the lists. The subtrees' own nodes are not listed, but taken as the bits have them: each
 * takes fewer instructions, and starts without a wait for what was written just before. */
MO_INLINE bool mo_sweep_find(const mo_tree *tree, mo_mesh_format format, const mo_ray *ray,
                             float max_t, const mo_segment_entries *entries, uint64_t subtrees,
                             mo_sweep *sweep, uint32_t *leaf_count) {
  uint32_t nodes = 0, leaves = 0;
  for (uint64_t left = subtrees & entries->leaves; left != 0; left &= left - 1) {
    sweep->leaf[leaves] = entries->child[__builtin_ctzll(left)];
    sweep->t[leaves++] = 0.0f;
  }
  const mo_ray_lanes lanes = mo_spread_ray(ray);
  const mo_f8 end = mo_f8_all(max_t);
  for (uint64_t left = subtrees & ~entries->leaves; left != 0; left &= left - 1) {
    uint32_t node = entries->child[__builtin_ctzll(left)];
    mo_sweep_visit(tree, format, node, &lanes, end, sweep, &nodes, &leaves);
  }
  for (uint32_t i = 0; i < nodes; i++) {
    mo_sweep_visit(tree, format, sweep->node[i], &lanes, end, sweep, &nodes, &leaves);
    if (__builtin_expect(nodes > MO_SWEEP_MOST || leaves > MO_SWEEP_MOST, 0)) {
      return false;
    }
  }
  *leaf_count = leaves;
  return true;
}

#endif
