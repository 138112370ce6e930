/* Partitioning of pending insertions (shapes to be inserted) by octant at the nodes of the shape
 * octree (partition_kernel.c). */
#ifndef MO_SCENE_BULK_PARTITION_H
#define MO_SCENE_BULK_PARTITION_H

#include "scene/bulk/bulk.h"

/* In place of the index of an octant: the shape fits no octant, and stays at the node. */
enum { MO_NO_OCTANT = MO_LANE_COUNT };

/* The pending insertions of a visit that go to one octant, and the box around them. */
typedef struct mo_octant_batch {
  mo_f4 lower, upper;
  uint32_t first, count;
  mo_box_size size;       /* size of the largest shape */
  mo_motion_marks motion; /* whether any shape is dynamic, awake */
} mo_octant_batch;

typedef struct mo_octant_batches {
  uint32_t used_octants; /* bits of octants, and of MO_NO_OCTANT, that get insertions */
  mo_octant_batch octant[MO_LANE_COUNT + 1];
} mo_octant_batches;

/* Copies the pending insertions of a visit from `from` to `to` in the order of octants. */
MO_ISA_DECLARE(void, mo_bulk_partition,
               (const mo_scene *scene, const mo_insertion_visit *visit,
                const mo_pending_insertion *restrict from, mo_pending_insertion *restrict to,
                mo_octant_batches *parts));

/* Sorts at most MO_BULK_CHUNK_SHAPES pending insertions down from a node, level by level,
 * alternating between the two arrays. Returns the number of target lists found. `adds`: the shapes
 * are new. */
MO_ISA_DECLARE(uint32_t, mo_bulk_sort,
               (mo_scene * scene, const mo_insertion_visit *from,
                mo_pending_insertion *const arrays[2], bool adds));

/* Whether the pending insertions of a visit should be grafted (built into a new subtree) instead of
 * sorted into the node. They have been partitioned. */
bool mo_bulk_should_graft(const mo_scene *scene, const mo_insertion_visit *visit,
                          const mo_octant_batches *parts);

/* The cell of the shapes that stay at a visited node. */
static inline mo_block_cell mo_bulk_node_cell(const mo_scene *scene,
                                              const mo_insertion_visit *visit) {
  const mo_aabb cell = {mo_f4_to_vec3(visit->lower), mo_f4_to_vec3(visit->upper)};
  return mo_block_cell_at(scene, mo_scene_node_at(scene, visit->node)->parent, &cell,
                          MO_OWNER_IS_NODE | visit->node);
}

/* The cell that a leaf in place of a visited node would have: the node's cell, with its parent as
 * the owner. */
static inline mo_block_cell mo_bulk_child_cell(const mo_scene *scene,
                                               const mo_insertion_visit *visit) {
  mo_block_cell at = mo_bulk_node_cell(scene, visit);
  at.owner = mo_scene_node_at(scene, visit->node)->parent;
  return at;
}

/* Adds to the count of a node; `octants`: bits of those that receive the shapes. */
static inline void mo_bulk_add_count(mo_scene *scene, uint32_t index, uint32_t octants,
                                     uint32_t count, bool adds) {
  mo_scene_node *node = mo_scene_node_at(scene, index);
  node->count += count;
  if (adds) {
    /* Loose octants are not added to the age here: tightening adds them. */
    mo_node_add_age(scene, node,
                    (uint32_t)__builtin_popcount(octants & ~(uint32_t)node->loose_bounds));
  }
  /* append_to_list in insert.c marks the other nodes that an update must examine. */
  if (node->count > MO_REBALANCE_MIN_SIZE * scene->options.capacity || node->age >= MO_MATURE_AGE) {
    mo_mark_for_examination(scene, node->parent);
  }
}

/* Extends bounds, maximum size and motion marks of an octant by the shapes it receives. */
static inline void mo_bulk_grow_octant(mo_scene *scene, uint32_t index, uint32_t octant,
                                       const mo_octant_batch *part) {
  mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_aabb grown = {mo_f4_to_vec3(part->lower), mo_f4_to_vec3(part->upper)};
  grown = mo_aabb_union(mo_bounds8_get(&node->bounds, (int)octant), grown);
  mo_bounds8_set(&node->bounds, (int)octant, grown);
  mo_octant_size_grow(scene, index, octant, part->size);
  mo_motion_marks_add(&scene->motion_marks[index], octant, part->motion);
}

/* Does what mo_bulk_add_count does, and mo_bulk_grow_octant for all octants that receive shapes. */
static inline void mo_bulk_add_count_and_grow(mo_scene *scene, uint32_t index,
                                              const mo_octant_batches *parts, uint32_t count,
                                              bool adds) {
  mo_bulk_add_count(scene, index, parts->used_octants & 0xff, count, adds);
  for (uint32_t used = parts->used_octants & 0xff; used; used &= used - 1) {
    uint32_t octant = (uint32_t)__builtin_ctz(used);
    mo_bulk_grow_octant(scene, index, octant, &parts->octant[octant]);
  }
}

#endif
