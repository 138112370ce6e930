/* Shapes that are solids, as the geometry part has them. */
#ifndef MO_QUERY_SOLID_H
#define MO_QUERY_SOLID_H

#include "geometry/convex/convex.h"
#include "geometry/solid/solids.h"
#include "scene/scene.h"

/* A geometry other than a mesh under a map; of a volume, its world box. */
static inline mo_convex mo_solid_under(const mo_geometry *g, const mo_transform *map,
                                       mo_aabb world_box) {
  mo_solid solid;
  return mo_geometry_solid(g, &solid) ? mo_convex_make(&solid, map) : mo_convex_aabb(world_box);
}

static inline mo_convex mo_solid_of(const mo_shape *shape, mo_aabb world_box) {
  return mo_solid_under(&shape->geometry, &shape->affine.to_world, world_box);
}

/* The box under which a shape is stored. */
static inline mo_aabb mo_stored_box(const mo_scene *scene, uint32_t slot) {
  mo_place place = scene->places[slot];
  return mo_bounds8_get(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7));
}

#endif
