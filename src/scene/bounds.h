/* The box that a shape fills, for the three axes of the world at a time. Inline, for files that are
 * compiled once per instruction set. */
#ifndef MO_SCENE_BOUNDS_H
#define MO_SCENE_BOUNDS_H

#include "geometry/convex/bounds.h"
#include "mesh/mesh.h"
#include "scene/shape.h"

/* Rays are found in local space to within roundings of the distance from the transform's origin;
 * the margin of rays in the world (MO_SCENE_RAY_MARGIN) covers that for an origin not much farther
 * from that of the world than the shape is. Where it is farther, the box makes up for it. */
MO_INLINE void mo_widen_for_rays(mo_f4 origin, mo_f4 *lower, mo_f4 *upper) {
  mo_f4 reach = mo_f4_max(mo_f4_abs(*lower), mo_f4_abs(*upper));
  mo_f4 turned = mo_f4_turn(reach);
  mo_f4 farthest = mo_f4_max(mo_f4_max(reach, turned), mo_f4_turn(turned));
  mo_f4 excess = mo_f4_abs(origin) - 2 * farthest;
  if (__builtin_expect(mo_f4_any(excess > mo_f4_all(0)), 0)) {
    float widening = 0x1p-14f * mo_max(mo_max(excess[0], excess[1]), excess[2]);
    *lower = *lower - widening;
    *upper = *upper + widening;
  }
}

MO_INLINE void mo_solid_image(const mo_solid *solid, const mo_f4 column[3], mo_f4 origin,
                              mo_f4 *lower, mo_f4 *upper) {
  const mo_d4vec row = {mo_f4_widen(column[0]), mo_f4_widen(column[1]), mo_f4_widen(column[2])};
  mo_image_bounds(solid, &row, mo_f4_widen(origin), lower, upper);
}

/* A box in the world that contains a legal geometry, rounded outward; beyond the range of
 * coordinates, or not finite, where the geometry is. */
MO_INLINE void mo_geometry_image(const mo_geometry *geometry, const mo_affine *affine, mo_f4 *lower,
                                 mo_f4 *upper) {
  const mo_transform *map = &affine->to_world;
  const mo_f4 column[3] = {mo_f4_from(&map->x_axis, 0), mo_f4_from(&map->y_axis, 0),
                           mo_f4_from(&map->z_axis, 0)};
  const mo_f4 origin = mo_f4_from(&map->origin, 0);
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    if (mo_aabb_is_empty(geometry->mesh->bounds)) {
      /* A mesh without triangles is nowhere; as it needs a place, that is where its frame is. */
      *lower = *upper = origin;
    } else if (mo_aabb_is_empty(geometry->mesh->dop.box)) {
      mo_affine_box_image(column, origin, &geometry->mesh->bounds, lower, upper);
    } else {
      mo_dop_image(&geometry->mesh->dop, affine, lower, upper);
    }
    break;
  case MO_SHAPE_VOLUME:
    mo_affine_box_image(column, origin, &geometry->volume, lower, upper);
    return;
  case MO_SHAPE_HALF_SPACE: /* in no tree, and in range by mo_half_space_make */
    *lower = mo_f4_all(-INFINITY);
    *upper = mo_f4_all(INFINITY);
    return;
#define MO_CASE(NAME, name)                                                                        \
  case MO_SHAPE_##NAME: {                                                                          \
    mo_solid solid = mo_solid_read(MO_SOLID_##NAME, geometry);                                     \
    mo_solid_image(&solid, column, origin, lower, upper);                                          \
    break;                                                                                         \
  }
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  mo_widen_for_rays(origin, lower, upper);
}

#endif
