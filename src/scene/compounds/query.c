/* Compounds as the shapes of queries (mesh/primitive.h): their children as primitives. */
#include "mesh/overlap/overlap.h"
#include "scene/children.h"
#include "scene/shapes/shape.h"

static mo_result get_bounds(const mo_compound *compound, const mo_affine *affine, mo_aabb *bounds) {
  const mo_geometry geometry = {.type = MO_SHAPE_COMPOUND, .compound = (mo_compound *)compound};
  return mo_geometry_bounds(&geometry, affine, bounds);
}

/* Prepares a child as if it were the shape of a query by itself. Its `affine` has no inverse,
 * unless it is a mesh. */
static bool prepare_child(const mo_geometry *geometry, const mo_transform *map,
                          mo_prepared_primitive *child) {
  const mo_primitive primitive = mo_primitive_of_geometry(geometry, map);
  return mo_query_primitive_to_body(child, &primitive, NULL) == MO_OK;
}

static bool find_child(const mo_compound *compound, const mo_affine *affine, bool with_volumes,
                       uint32_t *number, mo_prepared_primitive *child) {
  for (; *number < compound->child_number_count; ++*number) {
    mo_transform map;
    const mo_shape *shape = mo_compound_find_child(compound, &affine->to_world, *number, &map);
    if (shape != NULL && (shape->geometry.type != MO_SHAPE_VOLUME || with_volumes) &&
        prepare_child(&shape->geometry, &map, child)) {
      return true;
    }
  }
  return false;
}

/* A visit of the children near a body. */
typedef struct near_visit {
  mo_child_region region; /* first: a pointer to it is converted to one to the struct */
  mo_own_child_visit *visit;
  void *context;
} near_visit;

static bool visit_child(const mo_placed_child *placed, double key, void *query) {
  (void)key;
  const near_visit *v = query;
  const mo_shape *shape = &placed->shape;
  mo_prepared_primitive child;
  if (!prepare_child(&shape->geometry, &shape->affine.to_world, &child)) {
    return true;
  }
  child.affine = shape->affine;
  return v->visit(&child, placed->number, v->context);
}

static bool visit_near(const mo_prepared_primitive *own, const mo_body *body, mo_query_stats *stats,
                       mo_own_child_visit *visit, void *context) {
  const mo_vec3 reach = mo_aabb_max_coordinates(own->body.bounds);
  near_visit v = {{.box = mo_aabb_infinite()}, visit, context};
  if (body->kind == MO_BODY_HALF_SPACE) {
    v.region.half_space = &body->half_space;
    v.region.error = mo_half_space_height_error(v.region.half_space, reach);
  } else {
    v.region.box = mo_region_grow(mo_body_bounds(body), reach);
  }
  const double limit = 0.0;
  const mo_child_visitor visitor = {
      mo_child_region_keys, &limit, visit_child, &v, NULL, NULL, stats};
  return mo_visit_compound(own->compound, &own->affine.to_world, &visitor);
}

const mo_compound_functions mo_functions_of_compounds = {get_bounds, find_child, visit_near};
