/* Shapes of scenes as primitives, for loops over all of them. */
#ifndef TEST_QUERY_OVERLAP_SHAPES_H
#define TEST_QUERY_OVERLAP_SHAPES_H

#include "support/scenes.h"

/* A triangle of a shape that is a mesh. */
static inline mo_primitive shape_triangle(const test_scene *scene, const oracle_shape *shape,
                                          uint32_t triangle) {
  const mo_vec3 *c = scene->oracle.meshes[shape->mesh].triangles[triangle].corners;
  mo_primitive primitive = mo_primitive_of_triangle(c[0], c[1], c[2]);
  primitive.transform = shape->def.transform;
  return primitive;
}

/* A shape; by bounds, the box that it is stored under, unless it is a half-space. */
static inline mo_primitive shape_primitive(const oracle_shape *shape, mo_precision precision) {
  const mo_geometry box = {.type = MO_SHAPE_VOLUME, .volume = shape->bounds};
  return precision == MO_PRECISION_BOUNDS && shape->def.geometry.type != MO_SHAPE_HALF_SPACE
             ? mo_primitive_of_geometry(&box, NULL)
             : mo_primitive_of_geometry(&shape->def.geometry, &shape->def.transform);
}

#endif
