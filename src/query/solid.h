/* Converts shapes that are solids, volumes or half-spaces to the types of the geometry part. */
#ifndef MO_QUERY_SOLID_H
#define MO_QUERY_SOLID_H

#include "geometry/convex/convex.h"
#include "geometry/solid/solids.h"
#include "scene/unbounded.h"

/* A geometry other than a mesh under a map, as a convex; a volume as its world box. */
static inline mo_convex mo_solid_under(const mo_geometry *g, const mo_transform *map,
                                       mo_aabb world_box) {
  mo_solid solid;
  return mo_geometry_solid(g, &solid) ? mo_convex_make(&solid, map) : mo_convex_aabb(world_box);
}

static inline mo_convex mo_solid_of(const mo_shape *shape, mo_aabb world_box) {
  return mo_solid_under(&shape->geometry, &shape->affine.to_world, world_box);
}

/* The stored box of a shape; all of space for a half-space. */
static inline mo_aabb mo_stored_box(const mo_scene *scene, uint32_t slot) {
  mo_place place = scene->places[slot];
  if (__builtin_expect(place == MO_NONE, 0)) {
    return mo_aabb_of_space();
  }
  return mo_bounds8_get(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7));
}

/* A shape other than a mesh as a body; a volume as its stored box. The body refers to `memory` and
 * to the scene. */
static inline mo_distance_body mo_shape_body(const mo_scene *scene, uint32_t slot,
                                             mo_convex *memory) {
  const mo_shape *shape = &scene->shapes[slot];
  if (__builtin_expect(shape->geometry.type == MO_SHAPE_HALF_SPACE, 0)) {
    return (mo_distance_body){.half_space = mo_slot_half_space(scene, slot)};
  }
  *memory = mo_solid_of(shape, mo_stored_box(scene, slot));
  return (mo_distance_body){.convex = memory};
}

/* As mo_shape_body, with the shape's own bounds. */
static inline mo_boxed_body mo_shape_boxed(const mo_scene *scene, uint32_t slot,
                                           mo_convex *memory) {
  const mo_distance_body body = mo_shape_body(scene, slot, memory);
  return (mo_boxed_body){body, body.convex != NULL ? mo_convex_bounds(memory) : mo_aabb_of_space()};
}

#endif
