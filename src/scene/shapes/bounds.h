/* Computes the world AABB of a shape, all three axes at once, or the AABBs of four shapes, axis by
 * axis. Inline, for files that are compiled once per instruction set. */
#ifndef MO_SCENE_SHAPES_BOUNDS_H
#define MO_SCENE_SHAPES_BOUNDS_H

#include "geometry/solid/bounds.h"
#include "mesh/mesh.h"
#include "scene/compound.h"
#include "scene/shapes/shape.h"

/* Ray tests in local space have a rounding error relative to the distance from the transform's
 * origin. The margin of rays in world space (MO_SCENE_RAY_MARGIN) covers this error if the
 * transform's origin is not much farther from the world's origin than the shape is. If it is
 * farther, the box is enlarged to cover the error. */
MO_INLINE void mo_enlarge_for_rays(mo_f4 origin, mo_f4 *lower, mo_f4 *upper) {
  mo_f4 reach = mo_f4_max(mo_f4_abs(*lower), mo_f4_abs(*upper));
  mo_f4 rotated = mo_f4_rotate_axes(reach);
  mo_f4 farthest = mo_f4_max(mo_f4_max(reach, rotated), mo_f4_rotate_axes(rotated));
  mo_f4 excess = mo_f4_abs(origin) - 2 * farthest;
  if (__builtin_expect(mo_f4_any(excess > mo_f4_splat(0)), 0)) {
    float widening = 0x1p-14f * mo_max(mo_max(excess[0], excess[1]), excess[2]);
    *lower = *lower - widening;
    *upper = *upper + widening;
  }
}

/* The world AABB of a solid under a transform with the given columns. */
MO_INLINE void mo_solid_world_box(const mo_solid *solid, const mo_f4 column[3], mo_f4 origin,
                                  mo_f4 *lower, mo_f4 *upper) {
  const mo_d4vec row = {mo_f4_widen(column[0]), mo_f4_widen(column[1]), mo_f4_widen(column[2])};
  mo_image_bounds(solid, &row, mo_f4_widen(origin), lower, upper);
}

/* The world AABB of a legal geometry, rounded outward. It is out of the range of coordinates, or
 * not finite, if the transformed geometry is. */
MO_INLINE void mo_geometry_world_box(const mo_geometry *geometry, const mo_affine *affine,
                                     mo_f4 *lower, mo_f4 *upper) {
  const mo_transform *map = &affine->to_world;
  const mo_f4 column[3] = {mo_f4_from(&map->x_axis, 0), mo_f4_from(&map->y_axis, 0),
                           mo_f4_from(&map->z_axis, 0)};
  mo_f4 origin = mo_f4_from(&map->origin, 0);
  /* A mesh without triangles has no extent; it is stored at the origin of its frame. So is a
   * compound without children. */
  *lower = *upper = origin;
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    if (!mo_aabb_is_empty(geometry->mesh->dop.box)) {
      mo_dop_image(&geometry->mesh->dop, affine, lower, upper);
    } else if (!mo_aabb_is_empty(geometry->mesh->bounds)) {
      mo_affine_box_image(column, origin, &geometry->mesh->bounds, lower, upper);
    }
    break;
  case MO_SHAPE_COMPOUND:
    mo_compound_world_box(geometry->compound, map, lower, upper, &origin);
    break;
  case MO_SHAPE_VOLUME:
    mo_affine_box_image(column, origin, &geometry->volume, lower, upper);
    return;
  case MO_SHAPE_HALF_SPACE: /* not in the tree; mo_half_space_make has checked its range */
    *lower = mo_f4_splat(-INFINITY);
    *upper = mo_f4_splat(INFINITY);
    return;
#define MO_CASE(NAME, name)                                                                        \
  case MO_SHAPE_##NAME: {                                                                          \
    mo_solid solid = mo_solid_read(MO_SOLID_##NAME, geometry);                                     \
    mo_solid_world_box(&solid, column, origin, lower, upper);                                      \
    break;                                                                                         \
  }
    MO_SOLID_KINDS(MO_CASE)
#undef MO_CASE
  }
  mo_enlarge_for_rays(origin, lower, upper);
}

/* The boxes of four shapes, axis by axis, with one lane per shape. */
typedef struct mo_four_boxes {
  mo_f4 lower[3], upper[3];
} mo_four_boxes;

/* Does what mo_enlarge_for_rays does, for the boxes of four shapes. */
MO_INLINE void mo_enlarge_four_for_rays(const mo_f4 origin[3], mo_four_boxes *boxes) {
  mo_f4 farthest = mo_f4_splat(0), excess = farthest;
  for (int axis = 0; axis < 3; axis++) {
    mo_f4 reach = mo_f4_max(mo_f4_abs(boxes->lower[axis]), mo_f4_abs(boxes->upper[axis]));
    farthest = mo_f4_max(farthest, reach);
    excess = mo_f4_max(excess, mo_f4_abs(origin[axis]));
  }
  excess = excess - 2 * farthest;
  mo_i4 too_far = excess > mo_f4_splat(0);
  if (__builtin_expect(mo_i4_bits(too_far) != 0, 0)) {
    mo_f4 widening = 0x1p-14f * excess;
    for (int axis = 0; axis < 3; axis++) {
      mo_f4 *lower = &boxes->lower[axis], *upper = &boxes->upper[axis];
      *lower = mo_f4_select(too_far, *lower - widening, *lower);
      *upper = mo_f4_select(too_far, *upper + widening, *upper);
    }
  }
}

/* Indices of the floats of a shape's record, beginning with its transform: the linear part by
 * columns, the origin, the type and rounding, and the union of its geometry. mo_records_load
 * transposes four records, so that each float becomes a vector with one lane per shape. */
enum {
  MO_RECORD_ORIGIN = 9,    /* index of the x coordinate of the origin */
  MO_RECORD_ROUNDING = 13, /* index of the rounding radius */
  MO_RECORD_GEOMETRY = 14, /* index of the first float of the geometry union */
  MO_RECORD_FLOATS = 24,   /* number of floats up to the end of the record */
};

_Static_assert(offsetof(mo_shape, affine.to_world) + MO_RECORD_FLOATS * sizeof(float) ==
                       sizeof(mo_shape) &&
                   offsetof(mo_shape, affine.to_world.origin) ==
                       offsetof(mo_shape, affine.to_world) + MO_RECORD_ORIGIN * sizeof(float) &&
                   offsetof(mo_shape, geometry.rounding) ==
                       offsetof(mo_shape, affine.to_world) + MO_RECORD_ROUNDING * sizeof(float) &&
                   offsetof(mo_shape, geometry.box) ==
                       offsetof(mo_shape, affine.to_world) + MO_RECORD_GEOMETRY * sizeof(float),
               "where numbers lie in a record");

MO_INLINE void mo_records_load(const mo_shape *const shapes[4], mo_f4 numbers[MO_RECORD_FLOATS]) {
  for (int first = 0; first < MO_RECORD_FLOATS; first += 4) {
    mo_f4 rows[4];
    for (int lane = 0; lane < 4; lane++) {
      const char *map = (const char *)shapes[lane] + offsetof(mo_shape, affine.to_world);
      rows[lane] = mo_f4_load((const float *)(const void *)map + first);
    }
    mo_f4_transpose(rows);
    memcpy(&numbers[first], rows, sizeof rows);
  }
}

/* A vector from the geometries of four shapes, in double precision. `numbers` is from
 * mo_records_load; `field` is the index of the vector's first float in the geometry union, or
 * MO_NO_FIELD for zero vectors. */
MO_INLINE mo_d4vec mo_record_field_widen(const mo_f4 *numbers, int field) {
  const mo_f4 *n = numbers + MO_RECORD_GEOMETRY + field;
  return field == MO_NO_FIELD ? mo_d4vec_splat(mo_dvec(0.0, 0.0, 0.0))
                              : (mo_d4vec){mo_f4_widen(n[0]), mo_f4_widen(n[1]), mo_f4_widen(n[2])};
}

/* Whether mo_four_world_boxes can compute boxes of shapes of a type. */
static inline bool mo_type_supports_four_boxes(mo_shape_type type) {
  return mo_type_traits(type) == MO_TYPE_SOLID && type != MO_SHAPE_HULL;
}

/* mo_geometry_world_box in four lanes, for shapes of one kind other than hulls. */
MO_INLINE void mo_four_world_boxes(const mo_shape *const shapes[4], mo_solid_kind kind,
                                   mo_four_boxes *boxes) {
  mo_f4 n[MO_RECORD_FLOATS];
  mo_records_load(shapes, n);
  mo_solid_field_offsets f = mo_solid_field_offsets_of(kind);
  mo_solid4 solids = {.kind = kind,
                      .a = mo_record_field_widen(n, f.a),
                      .b = mo_record_field_widen(n, f.b),
                      .radius = f.radius == MO_NO_FIELD
                                    ? mo_d4_splat(0.0)
                                    : mo_f4_widen(n[MO_RECORD_GEOMETRY + f.radius]),
                      .rounding = mo_f4_widen(n[MO_RECORD_ROUNDING])};
  for (int axis = 0; axis < 3; axis++) {
    const mo_d4vec row = {mo_f4_widen(n[axis]), mo_f4_widen(n[3 + axis]), mo_f4_widen(n[6 + axis])};
    mo_image_sides(&solids, &row, mo_f4_widen(n[MO_RECORD_ORIGIN + axis]), NULL,
                   &boxes->lower[axis], &boxes->upper[axis]);
  }
  mo_enlarge_four_for_rays(n + MO_RECORD_ORIGIN, boxes);
}

#endif
