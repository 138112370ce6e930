/* Computes the new boxes of moved shapes. For files that are compiled once per instruction set. */
#ifndef MO_SCENE_MOVES_BOXES_H
#define MO_SCENE_MOVES_BOXES_H

#include "base/inline.h"
#include "base/mask.h"
#include "math/four.h"
#include "scene/octree/octree.h"
#include "scene/policy.h"
#include "scene/shapes/bounds.h"

/* origin_of points to four numbers of a shape's record, the origin and the type; half_extents_of to
 * its half extents or radius. For vector loads; all lie in one cache line. */
static inline const float *origin_of(const mo_shape *shape) {
  return (const float *)(const void *)((const char *)shape +
                                       offsetof(mo_shape, affine.to_world.origin));
}

static inline const float *half_extents_of(const mo_shape *shape) {
  return (const float *)(const void *)((const char *)shape +
                                       offsetof(mo_shape, geometry.box.half_extents));
}

_Static_assert(offsetof(mo_shape, geometry.type) ==
                       offsetof(mo_shape, affine.to_world.origin) + sizeof(mo_vec3) &&
                   sizeof(mo_shape_type) == sizeof(uint32_t),
               "the fourth of four");

/* The shape in `lane` if `lane` is one of `lanes`, else the shape in the first of `lanes`. */
static inline uint32_t lane_shape_or_first(const uint32_t *shape, uint32_t lanes, uint32_t lane) {
  uint32_t some = shape[__builtin_ctz(lanes)];
  return some ^ ((some ^ shape[lane]) & mo_mask_from_bool(lanes >> lane & 1));
}

/* Computes the world box of any shape; `fast` if it is MO_TRAIT_BOX_FOLLOWS_ORIGIN. */
static inline void world_box_of(const mo_shape *shape, bool fast, mo_f4 *lower, mo_f4 *upper) {
  if (fast) {
    mo_centred_box(&shape->geometry, mo_f4_from(&shape->affine.to_world.origin, 0), lower, upper);
  } else {
    mo_geometry_world_box(&shape->geometry, &shape->affine, lower, upper);
  }
}

/* mo_four_world_boxes for four shapes of one type that supports it. */
static inline void world_boxes_of_four(const mo_shape *const shapes[4], mo_four_boxes *boxes) {
  switch (shapes[0]->geometry.type) {
#define MO_CASE(NAME, name)                                                                        \
  case MO_SHAPE_##NAME:                                                                            \
    mo_four_world_boxes(shapes, MO_SOLID_##NAME, boxes);                                           \
    return;
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  case MO_SHAPE_MESH:
  case MO_SHAPE_VOLUME:
  case MO_SHAPE_HALF_SPACE:
  case MO_SHAPE_COMPOUND:
    break;
  }
  __builtin_unreachable();
}

/* Prefetches the records of a block's moved shapes, which are marked. A branch on the number of
 * lanes would be unpredictable, so all eight lanes are prefetched; an unmarked lane repeats the
 * first marked shape. */
MO_INLINE void prefetch_moved_records(const mo_scene *scene, uint32_t index) {
  const uint32_t *shape = mo_shape_block_at(scene, index)->shape;
  for (uint32_t lanes = scene->moved.general_lanes[index]; lanes; lanes &= lanes - 1) {
    const mo_shape *record = &scene->shapes[shape[__builtin_ctz(lanes)]];
    mo_prefetch(&record->affine.to_world, 1);
    mo_prefetch(&record->geometry, 1);
  }
  uint32_t lanes = scene->moved.shifted_lanes[index];
  if (lanes == 0) {
    return;
  }
  if (__builtin_popcount(lanes) < MO_MIN_MOVED_FOR_EIGHT_LANES) {
    mo_prefetch(&scene->shapes[shape[__builtin_ctz(lanes | 0x80)]].geometry, 1);
    mo_prefetch(&scene->shapes[shape[31 - __builtin_clz(lanes | 1)]].geometry, 1);
    return;
  }
  for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
    mo_prefetch(&scene->shapes[lane_shape_or_first(shape, lanes, lane)].geometry, 1);
  }
}

#endif
