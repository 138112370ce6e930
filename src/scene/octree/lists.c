/* Lists of blocks: the shapes of a leaf or a node, with their boxes, eight to a block. All blocks
 * of a list are full but the first. Adding a shape writes to the first block. Removing a shape
 * moves the last shape of the first block into its lane. So both operations touch one or two
 * blocks. */
#include "base/assert.h"
#include "scene/octree/moved.h"

mo_result mo_blocks_reserve(mo_scene *scene, uint32_t extra) {
  mo_pool *pool = &scene->blocks;
  if (extra > pool->free_count) {
    /* mo_shape_place has three bits for the lane, and the rest for the block. */
    if ((uint64_t)pool->count + extra > MO_NONE >> 3) {
      return MO_ERROR_TOO_MANY;
    }
    mo_result result = mo_pool_reserve(pool, extra);
    if (result != MO_OK) {
      return result;
    }
  }
  if (scene->cell_capacity >= pool->capacity) {
    return MO_OK;
  }
  /* The marks of moved shapes must cover all blocks that have a cell, so they grow first. */
  mo_result result = mo_moved_marks_reserve(scene, pool->capacity);
  const mo_array cells = {&scene->cells, sizeof *scene->cells};
  return result == MO_OK ? mo_arrays_resize(&scene->host.allocator, &cells, 1, scene->cell_capacity,
                                            &scene->cell_capacity, pool->capacity)
                         : result;
}

void mo_blocks_trim(mo_scene *scene) {
  mo_pool_trim(&scene->blocks);
  uint32_t capacity = scene->blocks.capacity;
  /* The arrays of moved marks must cover all blocks that have a cell, so the cells are trimmed
   * first. */
  if (capacity == 0 || capacity >= scene->cell_capacity) {
    return;
  }
  mo_array_trim(&scene->host.allocator, &scene->cells, sizeof *scene->cells, capacity,
                &scene->cell_capacity);
  if (scene->cell_capacity == capacity) {
    (void)mo_moved_marks_reserve(scene, capacity);
  }
}

static uint32_t allocate_block(mo_scene *scene) {
  uint32_t index = mo_pool_allocate(&scene->blocks);
  MO_ASSERT(index != MO_NONE && index < scene->cell_capacity); /* the block has been reserved */
  mo_shape_block *block = mo_shape_block_at(scene, index);
  *block = (mo_shape_block){.next = MO_NONE};
  mo_bounds8_clear(&block->bounds);
  return index;
}

uint32_t mo_block_list_push(mo_scene *scene, uint32_t head, const mo_block_cell *cell,
                            uint32_t slot, const mo_aabb *box) {
  return mo_block_list_push_marked(scene, head, cell, slot, box,
                                   mo_motion_marks_of_traits(scene->traits[slot]));
}

uint32_t mo_block_list_push_marked(mo_scene *scene, uint32_t head, const mo_block_cell *cell,
                                   uint32_t slot, const mo_aabb *box, mo_motion_marks any) {
  mo_shape_block *block;
  if (head == MO_NONE || mo_shape_block_at(scene, head)->count == MO_LANE_COUNT) {
    uint32_t index = allocate_block(scene);
    block = mo_shape_block_at(scene, index);
    block->next = head;
    if (head != MO_NONE) {
      const mo_shape_block *old = mo_shape_block_at(scene, head);
      block->total = old->total;
      block->refused_split_count = old->refused_split_count;
    }
    scene->cells[index] = *cell;
    head = index;
  } else {
    block = mo_shape_block_at(scene, head);
  }
  MO_ASSERT(block->count < MO_LANE_COUNT && block->count <= block->total);
  MO_ASSERT(block->has_shapes_outside_cell ||
            mo_aabb_is_empty(mo_bounds8_get(&block->bounds, (int)block->count)));
  MO_ASSERT(!mo_aabb_is_empty(*box));
  uint32_t lane = block->count++;
  block->total++;
  mo_bounds8_set(&block->bounds, (int)lane, *box);
  block->shape[lane] = slot;
  /* The bits of the lane are zero, as it was unused. */
  block->dynamic = (uint8_t)(block->dynamic | (any.dynamic != 0) << lane);
  block->awake = (uint8_t)(block->awake | (any.awake != 0) << lane);
  scene->places[slot] = head << 3 | lane;
  return head;
}

uint32_t mo_block_list_remove(mo_scene *scene, uint32_t head, mo_shape_place place) {
  mo_shape_block *hole = mo_shape_block_at(scene, place >> 3);
  mo_shape_block *first = mo_shape_block_at(scene, head);
  MO_ASSERT(first->count > 0 && first->count <= MO_LANE_COUNT && first->total >= first->count);
  MO_ASSERT((place & 7) < hole->count);
  uint32_t lane = place & 7;
  uint32_t last = --first->count;
  /* If the removed shape is itself the last one, the copy is from a lane to itself: a branch would
   * be unpredictable. */
  uint32_t slot = first->shape[last], bit = 1u << lane;
  mo_bounds8_set(&hole->bounds, (int)lane, mo_bounds8_get(&first->bounds, (int)last));
  hole->shape[lane] = slot;
  hole->has_shapes_outside_cell |= first->has_shapes_outside_cell;
  hole->dynamic = (uint8_t)((hole->dynamic & ~bit) | (first->dynamic >> last & 1u) << lane);
  hole->awake = (uint8_t)((hole->awake & ~bit) | (first->awake >> last & 1u) << lane);
  scene->places[slot] = place;
  mo_block_set_motion(first, last, MO_TRAIT_IMMOVABLE | MO_TRAIT_STILL);
  uint32_t total = first->total - 1;
  if (last > 0) {
    mo_bounds8_set(&first->bounds, (int)last, mo_aabb_empty());
    first->total = total;
    return head;
  }
  uint32_t next = first->next;
  if (next != MO_NONE) {
    mo_shape_block *second = mo_shape_block_at(scene, next);
    MO_ASSERT(second->count == MO_LANE_COUNT);
    second->total = total;
    second->refused_split_count = first->refused_split_count;
  }
  mo_pool_free(&scene->blocks, head);
  return next;
}

/* Minimum and maximum of eight numbers, by a reduction that compilers can vectorize. */
static inline float min_of_eight(const float *row) {
  float four[4];
  for (int i = 0; i < 4; i++) {
    four[i] = mo_min(row[i], row[i + 4]);
  }
  return mo_min(mo_min(four[0], four[2]), mo_min(four[1], four[3]));
}

static inline float max_of_eight(const float *row) {
  float four[4];
  for (int i = 0; i < 4; i++) {
    four[i] = mo_max(row[i], row[i + 4]);
  }
  return mo_max(mo_max(four[0], four[2]), mo_max(four[1], four[3]));
}

mo_aabb mo_shape_block_bounds(const mo_shape_block *block) {
  const mo_bounds8 *b = &block->bounds;
  return (mo_aabb){
      {min_of_eight(b->lower[0]), min_of_eight(b->lower[1]), min_of_eight(b->lower[2])},
      {max_of_eight(b->upper[0]), max_of_eight(b->upper[1]), max_of_eight(b->upper[2])}};
}

mo_aabb mo_block_list_bounds(const mo_scene *scene, uint32_t head) {
  mo_aabb bounds = mo_aabb_empty();
  while (head != MO_NONE) {
    const mo_shape_block *block = mo_shape_block_at(scene, head);
    bounds = mo_aabb_union(bounds, mo_shape_block_bounds(block));
    head = block->next;
  }
  return bounds;
}

mo_box_size mo_block_list_max_size(const mo_scene *scene, uint32_t head, mo_box_size limit) {
  mo_box_size max = 0;
  for (; head != MO_NONE && max < limit; head = mo_shape_block_at(scene, head)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, head);
    for (uint32_t lane = 0; lane < block->count && max < limit; lane++) {
      mo_aabb box = mo_bounds8_get(&block->bounds, (int)lane);
      max = mo_box_size_max(max, mo_box_size_of(&box));
    }
  }
  return max;
}

mo_motion_marks mo_block_list_motion_marks(const mo_scene *scene, uint32_t head) {
  mo_motion_marks any = {0, 0};
  while (head != MO_NONE) {
    const mo_shape_block *block = mo_shape_block_at(scene, head);
    any.dynamic |= block->dynamic;
    any.awake |= block->awake;
    head = block->next;
  }
  return any;
}

uint32_t mo_block_list_join(mo_scene *scene, uint32_t front, uint32_t back) {
  if (front == MO_NONE || back == MO_NONE) {
    return front == MO_NONE ? back : front;
  }
  mo_shape_block *tail = mo_shape_block_at(scene, front);
  tail->total += mo_shape_block_at(scene, back)->total;
  while (tail->next != MO_NONE) {
    tail = mo_shape_block_at(scene, tail->next);
  }
  tail->next = back;
  return front;
}

uint32_t mo_block_list_pack(mo_scene *scene, uint32_t head, const mo_block_cell *cell) {
  /* Full blocks stay as they are. The shapes of the others are pushed one by one; each block is
   * freed before that, so no memory is needed. */
  uint32_t full = MO_NONE, rest = MO_NONE;
  uint32_t total = mo_block_list_total(scene, head);
  while (head != MO_NONE) {
    mo_shape_block *block = mo_shape_block_at(scene, head);
    uint32_t next = block->next;
    if (block->count == MO_LANE_COUNT) {
      block->next = full;
      block->refused_split_count = 0;
      scene->cells[head] = *cell;
      full = head;
    } else {
      mo_shape_block copy = *block;
      mo_pool_free(&scene->blocks, head);
      for (uint32_t lane = 0; lane < copy.count; lane++) {
        mo_aabb box = mo_bounds8_get(&copy.bounds, (int)lane);
        rest = mo_block_list_push(scene, rest, cell, copy.shape[lane], &box);
        mo_shape_block_at(scene, rest)->has_shapes_outside_cell |= copy.has_shapes_outside_cell;
      }
    }
    head = next;
  }
  head = mo_block_list_join(scene, rest, full);
  if (head != MO_NONE) {
    MO_ASSERT(total > 0);
    mo_shape_block_at(scene, head)->total = total;
  }
  return head;
}
