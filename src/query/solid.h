/* Shapes that are solids, as the geometry part knows them. */
#ifndef MO_QUERY_SOLID_H
#define MO_QUERY_SOLID_H

#include "geometry/convex.h"
#include "scene/scene.h"

/* The solid of a sphere, box, capsule (under their transform) or volume (its world box). */
static inline mo_convex mo_solid_under(const mo_geometry *g, const mo_transform *map,
                                       mo_aabb world_box) {
  switch (g->type) {
  case MO_SHAPE_SPHERE:
    return mo_convex_sphere(g->sphere, map);
  case MO_SHAPE_BOX:
    return mo_convex_box(g->box.center, g->box.half_extents, map);
  case MO_SHAPE_CAPSULE:
    return mo_convex_capsule(g->capsule.a, g->capsule.b, g->capsule.radius, map);
  case MO_SHAPE_MESH:
  case MO_SHAPE_VOLUME:
    break;
  }
  return mo_convex_aabb(world_box);
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
