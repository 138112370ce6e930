/* Blocks with moved shapes: computes new boxes, eight at a time, and finds the misplaced shapes.
 * Compiled once per instruction set.
 *
 * Blocks are processed in the order of memory. The records of their shapes are not in that order,
 * so they are prefetched. */
#include "math/lanes/lanes.h"
#include "octree/rows.h"
#include "scene/moves/boxes.h"
#include "scene/octree/octree.h"

/* The boxes of the MO_TRAIT_BOX_FOLLOWS_ORIGIN shapes in some lanes of a block, with the same
 * results as mo_centred_bounds. */
static inline void boxes_of_shifted_shapes(const mo_scene *scene, const mo_shape_block *block,
                                           uint32_t lanes, mo_box_rows *r) {
  const mo_shape *shapes[MO_LANE_COUNT];
  for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
    shapes[lane] = &scene->shapes[lane_shape_or_first(block->shape, lanes, lane)];
  }
  mo_f8 origin[4], reach[4];
  for (int lane = 0; lane < 4; lane++) {
    origin[lane] = mo_f8_load_halves(origin_of(shapes[lane]), origin_of(shapes[lane + 4]));
    reach[lane] =
        mo_f8_load_halves(half_extents_of(shapes[lane]), half_extents_of(shapes[lane + 4]));
  }
  mo_f8_transpose_halves(origin);
  mo_f8_transpose_halves(reach);
  alignas(MO_ALIGNMENT) float fourth[MO_LANE_COUNT];
  alignas(MO_ALIGNMENT) uint32_t types[MO_LANE_COUNT];
  mo_f8_store(fourth, origin[3]);
  memcpy(types, fourth, sizeof types);
  mo_m8 round = mo_m8_from_bits(mo_u8_equal(types, UINT32_MAX, MO_SHAPE_SPHERE));
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 half = mo_f8_select(round, reach[0], reach[axis]);
    r->lower[axis] = mo_f8_sub_downward(origin[axis], half);
    r->upper[axis] = mo_f8_add_upward(origin[axis], half);
  }
}

/* Gets the shapes of half of a block: those in `lanes`, with the first of them in the place of the
 * others. Returns the lanes whose shapes have the same type as the first; the caller must ignore
 * the others. */
static inline uint32_t four_shapes_of_a_type(const mo_scene *scene, const mo_shape_block *block,
                                             uint32_t half, uint32_t lanes,
                                             const mo_shape *shapes[4]) {
  const uint32_t *slots = block->shape + 4 * half;
  const mo_shape_type type = scene->shapes[slots[__builtin_ctz(lanes)]].geometry.type;
  uint32_t same = 0;
  for (uint32_t lane = 0; lane < 4; lane++) {
    shapes[lane] = &scene->shapes[lane_shape_or_first(slots, lanes, lane)];
    same |= (uint32_t)(shapes[lane]->geometry.type == type) << lane;
  }
  return same & lanes;
}

/* Computes the new boxes of some lanes one by one, and writes them to the loaded rows `r`. */
static inline void compute_boxes_singly(const mo_scene *scene, const mo_shape_block *block,
                                        uint32_t lanes, bool fast, mo_box_rows *r) {
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    mo_f4 lower, upper;
    world_box_of(&scene->shapes[block->shape[lane]], fast, &lower, &upper);
    mo_m8 chosen = mo_m8_from_bits(1u << lane);
    for (int axis = 0; axis < 3; axis++) {
      r->lower[axis] = mo_f8_select(chosen, mo_f8_splat(lower[axis]), r->lower[axis]);
      r->upper[axis] = mo_f8_select(chosen, mo_f8_splat(upper[axis]), r->upper[axis]);
    }
  }
}

/* Computes the new boxes of shapes that are not MO_TRAIT_BOX_FOLLOWS_ORIGIN, together for the
 * shapes of one type in half of a block. */
static inline void compute_general_boxes(const mo_scene *scene, const mo_shape_block *block,
                                         uint32_t lanes, mo_box_rows *r) {
  for (uint32_t half = 0; half < 2; half++) {
    for (uint32_t left = lanes >> 4 * half & 0xf, same; left; left ^= same) {
      const mo_shape *shapes[4];
      same = four_shapes_of_a_type(scene, block, half, left, shapes);
      if (__builtin_popcount(same) < MO_MIN_MOVED_FOR_FOUR_LANES ||
          !mo_type_supports_four_boxes(shapes[__builtin_ctz(same)]->geometry.type)) {
        compute_boxes_singly(scene, block, same << 4 * half, false, r);
        continue;
      }
      for (uint32_t lane = 0; lane < 4; lane++) {
        shapes[lane] = same >> lane & 1 ? shapes[lane] : shapes[__builtin_ctz(same)];
      }
      mo_four_boxes boxes;
      world_boxes_of_four(shapes, &boxes);
      mo_m8 chosen = mo_m8_from_bits(same << 4 * half);
      for (int axis = 0; axis < 3; axis++) {
        mo_f8 lower = mo_f8_join(boxes.lower[axis], boxes.lower[axis]);
        mo_f8 upper = mo_f8_join(boxes.upper[axis], boxes.upper[axis]);
        r->lower[axis] = mo_f8_select(chosen, lower, r->lower[axis]);
        r->upper[axis] = mo_f8_select(chosen, upper, r->upper[axis]);
      }
    }
  }
}

/* Loads the boxes of a block, and computes and stores the new boxes of some lanes: `shifts` are
 * those of MO_TRAIT_BOX_FOLLOWS_ORIGIN shapes, `images` those of other shapes. */
static inline void compute_boxes(const mo_scene *scene, mo_shape_block *block, uint32_t shifts,
                                 uint32_t images, mo_box_rows *r) {
  *r = mo_box_rows_load(&block->bounds);
  if ((shifts | images) == 0) {
    return;
  }
  if (__builtin_popcount(shifts) < MO_MIN_MOVED_FOR_EIGHT_LANES) {
    compute_boxes_singly(scene, block, shifts, true, r);
  } else {
    mo_box_rows made;
    boxes_of_shifted_shapes(scene, block, shifts, &made);
    mo_m8 chosen = mo_m8_from_bits(shifts);
    for (int axis = 0; axis < 3; axis++) {
      r->lower[axis] = mo_f8_select(chosen, made.lower[axis], r->lower[axis]);
      r->upper[axis] = mo_f8_select(chosen, made.upper[axis], r->upper[axis]);
    }
  }
  compute_general_boxes(scene, block, images, r);
  mo_box_rows_store(&block->bounds, r);
}

/* Bits of the lanes whose shapes stay in the block's cell, by the rule of mo_cell_retains. */
static inline uint32_t lanes_that_stay(const mo_block_cell *at, const mo_box_rows *r) {
  const float low[3] = {at->cell.lower.x, at->cell.lower.y, at->cell.lower.z};
  const float high[3] = {at->cell.upper.x, at->cell.upper.y, at->cell.upper.z};
  const float stray = MO_HYSTERESIS_SLACK_SHARE * at->slack;
  mo_m8 stays = mo_m8_from_bits(0xff);
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 middle = mo_f8_mul(mo_f8_splat(0.5f), mo_f8_add(r->lower[axis], r->upper[axis]));
    mo_m8 above = mo_m8_and(mo_f8_le(mo_f8_splat(low[axis] - at->slack), r->lower[axis]),
                            mo_f8_le(mo_f8_splat(low[axis] - stray), middle));
    mo_m8 below = mo_m8_and(mo_f8_le(r->upper[axis], mo_f8_splat(high[axis] + at->slack)),
                            mo_f8_le(middle, mo_f8_splat(high[axis] + stray)));
    stays = mo_m8_and(stays, mo_m8_and(above, below));
  }
  return mo_m8_bits(stays);
}

/* For a block of a node's own shapes: bits of the lanes whose boxes fit an octant of it. */
static uint32_t lanes_that_fit_octants(const mo_scene *scene, const mo_block_cell *at,
                                       const mo_bounds8 *bounds, uint32_t lanes) {
  uint32_t descending = 0;
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    mo_aabb box = mo_bounds8_get(bounds, lane);
    descending |= (uint32_t)mo_item_fits_octant(scene, mo_owner_node(at->owner), &at->cell, &box)
                  << lane;
  }
  return descending;
}

/* Computes and stores the new boxes of the moved shapes of a block, and clears their marks. Returns
 * bits of the lanes whose shapes no longer fit the cell. */
static uint32_t update_boxes_of_block(mo_scene *scene, uint32_t index) {
  uint32_t shifts = scene->moved.shifted_lanes[index], images = scene->moved.general_lanes[index];
  uint32_t lanes = scene->moved.lanes[index] | shifts | images;
  if (lanes == 0) {
    return 0;
  }
  mo_shape_block *block = mo_shape_block_at(scene, index);
  const mo_block_cell *at = &scene->cells[index];
  mo_box_rows r;
  compute_boxes(scene, block, shifts, images, &r);
  uint32_t misplaced = lanes & ~lanes_that_stay(at, &r);
  if (mo_owner_is_node(at->owner)) {
    misplaced |= lanes_that_fit_octants(scene, at, &block->bounds, lanes & ~misplaced);
  }
  scene->moved.lanes[index] = scene->moved.shifted_lanes[index] =
      scene->moved.general_lanes[index] = 0;
  return misplaced;
}

/* Each block passes three stages: the block is prefetched; the records of its shapes are
 * prefetched, and the next block of its list is added to the queue; its boxes are computed. At most
 * one block is added for each that leaves the queue, so the ring buffer `blocks` does not
 * overflow. */
void MO_ISA_FN(mo_compute_boxes_of_moved_shapes)(mo_scene *scene, uint32_t *blocks,
                                                 uint32_t count) {
  enum { RING_INDEX_MASK = MO_MOVED_QUEUE_CAPACITY - 1 };
  for (uint32_t i = 0; i < count + MO_PREFETCH_BOXES_AHEAD; i++) {
    uint32_t second = i - (MO_PREFETCH_BOXES_AHEAD - MO_PREFETCH_RECORDS_AHEAD),
             third = i - MO_PREFETCH_BOXES_AHEAD;
    if (i < count) {
      mo_block_prefetch_with_cell(scene, blocks[i & RING_INDEX_MASK]);
    }
    if (second < count) {
      uint32_t index = blocks[second & RING_INDEX_MASK],
               next = mo_shape_block_at(scene, index)->next;
      prefetch_moved_records(scene, index);
      if (next != MO_NONE) {
        blocks[count++ & RING_INDEX_MASK] = next;
      }
    }
    if (third < count) {
      uint32_t index = blocks[third & RING_INDEX_MASK];
      scene->moved.lanes[index] = (uint8_t)update_boxes_of_block(scene, index);
    }
  }
}

_Static_assert((MO_MOVED_QUEUE_CAPACITY & (MO_MOVED_QUEUE_CAPACITY - 1)) == 0 &&
                   MO_MOVED_MAX_LISTS + MO_PREFETCH_BOXES_AHEAD < MO_MOVED_QUEUE_CAPACITY,
               "a ring with capacity for all blocks that have not left it");
