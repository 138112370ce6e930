/* Converts shapes that are solids, volumes or half-spaces to mo_body, which the functions of
 * src/geometry take. */
#ifndef MO_QUERY_SOLID_H
#define MO_QUERY_SOLID_H

#include "geometry/body/body.h"
#include "geometry/solid/solids.h"
#include "scene/shapes/unbounded.h"

/* The stored box of a shape; all of space for a half-space. */
static inline mo_aabb mo_stored_box(const mo_scene *scene, uint32_t slot) {
  mo_shape_place place = scene->places[slot];
  if (__builtin_expect(place == MO_NONE, 0)) {
    return mo_aabb_infinite();
  }
  return mo_bounds8_get(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7));
}

/* The body (geometry/body) of a solid under a transform, or of a volume, whose body is its world
 * box. */
static inline mo_body mo_geometry_body(const mo_geometry *g, const mo_transform *map,
                                       mo_aabb world_box) {
  switch (g->type) {
    MO_CASES_OF_SOLIDS {
      const mo_solid solid = mo_solid_read(mo_solid_kind_of(g->type), g);
      return mo_body_of_solid(&solid, map);
    }
  case MO_SHAPE_VOLUME:
    return mo_body_of_aabb(world_box);
  case MO_SHAPE_HALF_SPACE:
  case MO_SHAPE_MESH:
  case MO_SHAPE_COMPOUND:
    break;
  }
  __builtin_unreachable();
}

/* The body (geometry/body) of a shape that is not a mesh; that of a volume is its stored box. */
static inline mo_body mo_shape_body(const mo_scene *scene, uint32_t slot) {
  const mo_shape *shape = &scene->shapes[slot];
  if (__builtin_expect(shape->geometry.type == MO_SHAPE_HALF_SPACE, 0)) {
    return mo_body_of_half_space(mo_slot_half_space(scene, slot));
  }
  return mo_geometry_body(&shape->geometry, &shape->affine.to_world, mo_stored_box(scene, slot));
}

#endif
