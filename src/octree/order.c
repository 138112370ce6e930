/* Nested split planes of a node: construction, cells, front-to-back orders of slots. */
#include "octree/order.h"

#include <string.h>

#include "base/assert.h"

/* Adds the planes on `axis` and on later axes, for octants whose bits on earlier axes are `slot`.
 * Returns the first plane, encoded as a side (see mo_nested_planes). */
static uint32_t add_octant_planes(uint32_t mask, const float position[3], uint32_t axis,
                                  uint32_t slot, mo_nested_planes *planes) {
  while (axis < 3 && !(mask & 4u >> axis)) {
    axis++;
  }
  if (axis == 3) {
    return slot;
  }
  uint32_t plane = planes->count++;
  MO_ASSERT(plane < MO_LANE_COUNT - 1);
  planes->axis[plane] = (uint8_t)axis;
  planes->position[plane] = position[axis];
  uint32_t below = add_octant_planes(mask, position, axis + 1, slot, planes);
  uint32_t above = add_octant_planes(mask, position, axis + 1, slot | 4u >> axis, planes);
  planes->sides[plane] = (uint8_t)(below | above << 4);
  return MO_LANE_COUNT + plane;
}

void mo_nested_planes_of_octants(uint32_t mask, const float position[3], mo_nested_planes *planes) {
  memset(planes, 0, sizeof *planes);
  add_octant_planes(mask, position, 0, 0, planes);
}

static void split_cell(const mo_nested_planes *planes, uint32_t side, mo_aabb cell,
                       mo_aabb *cells) {
  if (side < MO_LANE_COUNT) {
    cells[side] = cell;
    return;
  }
  uint32_t plane = side - MO_LANE_COUNT;
  float lower[3] = {cell.lower.x, cell.lower.y, cell.lower.z};
  float upper[3] = {cell.upper.x, cell.upper.y, cell.upper.z};
  uint32_t axis = planes->axis[plane];
  float position = mo_min(mo_max(planes->position[plane], lower[axis]), upper[axis]);
  lower[axis] = upper[axis] = position;
  mo_aabb below = {cell.lower, {upper[0], upper[1], upper[2]}};
  mo_aabb above = {{lower[0], lower[1], lower[2]}, cell.upper};
  split_cell(planes, mo_nested_planes_side(planes, plane, 0), below, cells);
  split_cell(planes, mo_nested_planes_side(planes, plane, 1), above, cells);
}

void mo_nested_planes_split_cell(const mo_nested_planes *planes, mo_aabb cell,
                                 mo_aabb cells[MO_LANE_COUNT]) {
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    cells[slot] = mo_aabb_empty();
  }
  split_cell(planes, mo_nested_planes_root(planes), cell, cells);
}

typedef struct slot_list {
  uint32_t slot[MO_LANE_COUNT];
  uint32_t count;
} slot_list;

static void list_slots_front_to_back(const mo_nested_planes *planes, uint32_t side, uint32_t signs,
                                     slot_list *list) {
  if (side < MO_LANE_COUNT) {
    MO_ASSERT(list->count < MO_LANE_COUNT);
    list->slot[list->count++] = side;
    return;
  }
  uint32_t plane = side - MO_LANE_COUNT;
  uint32_t first = signs >> planes->axis[plane] & 1;
  list_slots_front_to_back(planes, mo_nested_planes_side(planes, plane, first), signs, list);
  list_slots_front_to_back(planes, mo_nested_planes_side(planes, plane, 1 - first), signs, list);
}

void mo_nested_planes_slot_order(const mo_nested_planes *planes, uint32_t order[4]) {
  for (uint32_t signs = 0; signs < 4; signs++) {
    slot_list list = {.count = 0};
    list_slots_front_to_back(planes, mo_nested_planes_root(planes), signs, &list);
    uint32_t seen = 0, word = 0;
    for (uint32_t i = 0; i < list.count; i++) {
      word |= list.slot[i] << (4 * i);
      seen |= 1u << list.slot[i];
    }
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      if (!(seen >> slot & 1)) {
        word |= slot << (4 * list.count++);
      }
    }
    MO_ASSERT(list.count == MO_LANE_COUNT && mo_slots_are_permutation(word));
    order[signs] = word;
  }
}
