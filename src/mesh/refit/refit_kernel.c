/* Refits leaves and nodes; compiled once per instruction set. */
#include "base/inline.h"
#include "base/prefetch.h"
#include "mesh/refit/refit.h"

static void set_bounds(mo_bounds8 *bounds, uint32_t slot, const mo_padded_aabb *box) {
  mo_bounds8_set(bounds, (int)slot, mo_padded_aabb_get(box));
}

/* Meshes of fewer blocks than this are not prefetched, because they stay in the L2 cache. */
enum { MIN_PREFETCHED_BLOCKS = 2048 };

/* Prefetch distances, in blocks, of data that is prefetched to the L2 or the L1 cache. */
enum {
  BLOCK_L2_PREFETCH_DISTANCE = 12,
  BLOCK_L1_PREFETCH_DISTANCE = 3,
  SLOTS_L2_PREFETCH_DISTANCE = 40,
  SLOTS_L1_PREFETCH_DISTANCE = 10,
  POSITIONS_L1_PREFETCH_DISTANCE = 8
};

/* Prefetches the data that refitting a later block reads and writes, as the hardware prefetcher is
 * too late. Prefetches to the L2 cache first, and later to the L1 cache, which supports few
 * outstanding misses. Prefetches beyond the ends of arrays are harmless. */
MO_INLINE void prefetch_block_and_slots(const mo_mesh *mesh, uint32_t b) {
  const mo_deformation *d = mesh->deformation;
  const mo_triangle_block *block = &mesh->blocks[b];
  mo_prefetch_to_l2(block + BLOCK_L2_PREFETCH_DISTANCE, mo_cache_lines_of(sizeof *block));
  mo_prefetch_write(block + BLOCK_L1_PREFETCH_DISTANCE, mo_cache_lines_of(sizeof *block));
  mo_prefetch_to_l2(&d->slots[b + SLOTS_L2_PREFETCH_DISTANCE], 1);
  mo_prefetch(&d->slots[b + SLOTS_L1_PREFETCH_DISTANCE], 1);
}

/* Prefetches every other position of a block, as adjacent positions share cache lines, and one
 * cache line of the block's node. A node usually has as many blocks as cache lines, so together its
 * blocks prefetch all of it. */
MO_INLINE void prefetch_positions_and_node(const mo_mesh *mesh, const mo_positions *positions,
                                           size_t stride, uint32_t b) {
  const mo_deformation *d = mesh->deformation;
  const mo_vertex_slots *slots = &d->slots[b];
  const unsigned char *first = positions->first + slots->first * stride;
  for (int i = 0; i < 8; i += 2) {
    mo_prefetch(first + slots->offset[i] * stride, 1);
  }
  uint32_t leaf = d->leaf_ending_at[b], node = leaf == MO_NONE ? 0 : leaf >> 3;
  mo_prefetch_write((const char *)&mesh->nodes[node] + leaf % 4 * MO_CACHE_LINE, 1);
}

MO_INLINE void load_listed_vertices(const mo_listed_vertices *from, bool last_too,
                                    const mo_positions *positions, size_t stride,
                                    mo_triangle_block *block, mo_box_accumulator *gathering) {
  for (int i = 0; i < 3; i++) {
    mo_load_vertices(positions, stride, from->vertex[i], last_too, block->corner[i], gathering);
  }
}

MO_INLINE void refit_block(const mo_deformation *d, uint32_t b, const mo_positions *positions,
                           size_t stride, mo_triangle_block *block, mo_box_accumulator *gathering) {
  const mo_vertex_slots *slots = &d->slots[b];
  uint32_t count = slots->count;
  if (__builtin_expect(count - 1 < 12, true)) {
    mo_load_vertices_by_slot(positions, stride, slots, 12, block->corner, gathering);
  } else if (count - 1 < 16) {
    mo_load_vertices_by_slot(positions, stride, slots, 16, block->corner, gathering);
  } else if (count == MO_VERTICES_LISTED) {
    load_listed_vertices(&d->listed[slots->first], false, positions, stride, block, gathering);
  } else {
    load_listed_vertices(&d->listed[slots->first], true, positions, stride, block, gathering);
  }
}

MO_INLINE void refit_blocks(mo_mesh *mesh, const mo_positions *positions, size_t stride,
                            uint32_t begin, uint32_t end) {
  const mo_deformation *d = mesh->deformation;
  const bool large = mesh->block_count >= MIN_PREFETCHED_BLOCKS;
  mo_box_accumulator gathering = mo_box_accumulator_empty();
  for (uint32_t b = begin; b < end; b++) {
    if (large) {
      prefetch_block_and_slots(mesh, b);
      if (b + POSITIONS_L1_PREFETCH_DISTANCE < end) {
        prefetch_positions_and_node(mesh, positions, stride, b + POSITIONS_L1_PREFETCH_DISTANCE);
      }
    }
    refit_block(d, b, positions, stride, &mesh->blocks[b], &gathering);
    uint32_t leaf = d->leaf_ending_at[b];
    if (__builtin_expect(leaf != MO_NONE, true)) {
      mo_padded_aabb box = mo_box_accumulator_get(gathering);
      set_bounds(&mesh->nodes[leaf >> 3].bounds, leaf & 7, &box);
      gathering = mo_box_accumulator_empty();
    }
  }
}

/* Calls refit_blocks with common strides of positions as compile-time constants. */
static void refit_leaves(mo_mesh *mesh, const mo_positions *positions, uint32_t begin,
                         uint32_t end) {
  if (positions->stride == 12) {
    refit_blocks(mesh, positions, 12, begin, end);
  } else if (positions->stride == 16) {
    refit_blocks(mesh, positions, 16, begin, end);
  } else {
    refit_blocks(mesh, positions, positions->stride, begin, end);
  }
}

/* Refits a node whose leaf bounds and inner children are up to date. */
static void refit_node(mo_mesh *mesh, uint32_t n) {
  mo_bounds8 *bounds = &mesh->nodes[n].bounds;
  mo_refit_node *result = &mesh->deformation->nodes[n];
  for (uint32_t left = result->inner_slots; left != 0; left &= left - 1) {
    uint32_t slot = (uint32_t)__builtin_ctz(left);
    set_bounds(bounds, slot, &mesh->deformation->nodes[mesh->nodes[n].child[slot]].box);
  }
  for (int axis = 0; axis < 3; axis++) {
    result->box.lower[axis] = mo_f8_reduce_min(mo_f8_load(bounds->lower[axis]));
    result->box.upper[axis] = mo_f8_reduce_max(mo_f8_load(bounds->upper[axis]));
  }
  result->half_area_sum = mo_refit_half_area_sum(mesh, n);
}

static void refit_nodes(mo_mesh *mesh, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    refit_node(mesh, mesh->deformation->order[i]);
  }
}

static void refit_run(mo_mesh *mesh, const mo_positions *positions, uint32_t index) {
  const mo_refit_run *run = &mesh->deformation->runs[index];
  refit_leaves(mesh, positions, run[0].first_block, run[1].first_block);
  refit_nodes(mesh, run[0].first_node, run[1].first_node);
}

static void refit_remaining_nodes(mo_mesh *mesh) {
  const mo_deformation *d = mesh->deformation;
  refit_nodes(mesh, d->runs[d->run_count].first_node, mesh->node_count);
}

static bool check_positions(const mo_positions *positions, uint32_t begin, uint32_t end) {
  return mo_positions_within(positions, begin, end, MO_MAX_COORDINATE);
}

const mo_refit_kernels MO_ISA_FN(mo_refit_kernels) = {check_positions, refit_run,
                                                      refit_remaining_nodes};
