/* Preparation of regions, the exact test of one shape against a region, and the set-up of its
 * culling. */
#include "query/overlap/region.h"

#include "mesh/pair/pair.h"
#include "query/planes.h"
#include "query/solid.h"
#include "scene/shapes/shape.h"

mo_prepared_region mo_prepared_region_of(const mo_scene *scene, const mo_region *region,
                                         mo_precision precision) {
  return (mo_prepared_region){.scene = scene, .region = *region, .precision = precision};
}

void mo_prepared_region_of_def(mo_prepared_region *q, const mo_scene *scene,
                               const mo_overlap_def *def, const mo_prepared_primitive *primitive,
                               mo_precision precision) {
  /* Member by member, as the struct is large. */
  q->scene = scene;
  q->region = mo_overlap_def_region(def, primitive);
  q->has_body = false;
  q->is_point = def->type == MO_OVERLAP_POINT;
  q->precision = precision;
  q->triangle_filter = mo_overlap_def_triangle_filter(def);
  q->child_filter = &def->filter;
  q->stats = NULL;
}

static bool is_solid(const mo_prepared_primitive *primitive) {
  return primitive->mesh == NULL && primitive->compound == NULL &&
         primitive->body.kind == MO_BODY_SOLID;
}

static void make_body(mo_prepared_region *q) {
  const mo_region *region = &q->region;
  if (region->kind == MO_REGION_BODY) {
    if (is_solid(region->primitive)) {
      q->quick_solid = mo_quick_test_solid_of(&region->primitive->body.convex);
    }
  } else if (region->kind == MO_REGION_BALL || q->is_point) {
    const mo_sphere ball = q->is_point ? (mo_sphere){region->box.lower, 0.0f} : region->ball;
    q->body = mo_body_of_sphere(ball);
    q->quick_solid = mo_quick_test_solid_of_ball(ball);
  } else {
    q->body = mo_body_of_aabb(region->box);
    q->quick_solid = mo_quick_test_solid_of(&q->body.convex);
  }
}

/* The region as a body; not for planes. */
static const mo_body *body_of(mo_prepared_region *q) {
  if (!q->has_body) {
    make_body(q);
    q->has_body = true;
  }
  return q->region.kind == MO_REGION_BODY ? &q->region.primitive->body : &q->body;
}

/* The half-space that is the region; null if it is another region. */
static const mo_half_space_body *half_space_of(const mo_region *region) {
  return region->kind == MO_REGION_BODY && region->primitive->body.kind == MO_BODY_HALF_SPACE
             ? &region->primitive->body.half_space
             : NULL;
}

/* The squared radius of a slightly smaller ball: boxes in it, by distances in floats, are certainly
 * in the ball despite rounding. Negative if the error may exceed the radius. */
static float inner_radius2_of(double radius) {
  const double min = 1e-15, max = 1e18;
  return radius > min && radius < max ? (float)(radius * radius * (1.0 - 0x1p-19)) : -1.0f;
}

void mo_scene_overlap_make_slabs(const mo_scene_overlap *query, mo_slab slabs[3]) {
  const mo_quick_test_solid *box = query->oriented_box;
  const mo_dvec3 *half = box->half;
  const mo_vec3 reach = mo_aabb_max_coordinates_or_zero(query->scene->root_bounds);
  const double error = 0x1p-18 * box->size;
  for (int i = 0; i < 3; i++) {
    /* The box is measured along the rounded normal, so rounding it makes no error. */
    const mo_vec3 normal = mo_narrow(mo_dunit(mo_dcross(half[(i + 1) % 3], half[(i + 2) % 3])));
    const mo_dvec3 n = mo_widen(normal);
    const double center = mo_ddot(n, box->center), extent = fabs(mo_ddot(n, half[0])) +
                                                            fabs(mo_ddot(n, half[1])) +
                                                            fabs(mo_ddot(n, half[2]));
    const mo_plane plane = {normal, (float)center};
    const double margin = error + mo_plane_rounding_bound(&plane, reach),
                 outer = extent + box->max_radius + margin, inner = extent - margin;
    slabs[i] = (mo_slab){normal, (float)(center - outer), (float)(center + outer),
                         (float)(center - inner), (float)(center + inner)};
  }
}

/* Whether the region is a box that is not along the axes of the world. */
static bool is_oriented_box(mo_prepared_region *q) {
  return is_solid(q->region.primitive) && body_of(q)->convex.solid.kind == MO_SOLID_BOX &&
         !q->quick_solid.is_axis_aligned;
}

void mo_prepared_region_set_culling(mo_prepared_region *q, mo_scene_overlap *overlap) {
  const mo_scene *scene = q->scene;
  mo_vec3 reach = mo_aabb_max_coordinates_or_zero(scene->root_bounds);
  overlap->scene = scene;
  overlap->kind = q->region.kind == MO_REGION_BODY ? MO_REGION_BOX : q->region.kind;
  overlap->uses_bounds_only =
      q->precision == MO_PRECISION_BOUNDS || q->region.kind == MO_REGION_PLANES;
  if (q->region.kind == MO_REGION_PLANES) {
    overlap->planes = q->region.planes;
    overlap->plane_count = q->region.plane_count;
    for (uint32_t i = 0; i < overlap->plane_count; i++) {
      overlap->slack[i] = mo_plane_rounding_bound(&overlap->planes[i], reach);
    }
    return;
  }
  const mo_half_space_body *half_space = half_space_of(&q->region);
  if (half_space != NULL) {
    overlap->kind = MO_REGION_PLANES;
    overlap->uses_bounds_only = false;
    overlap->planes = &half_space->plane;
    overlap->plane_count = 1;
    overlap->slack[0] = mo_plane_rounding_bound(&half_space->plane, reach) +
                        (float)mo_half_space_height_error(half_space, reach);
    return;
  }
  overlap->box = q->region.box;
  if (q->region.kind == MO_REGION_BALL) {
    const mo_sphere *ball = &q->region.ball;
    const mo_vec3 by = {ball->radius, ball->radius, ball->radius};
    /* The margin, added below, is greater than what rounding takes away. */
    overlap->box = (mo_aabb){mo_sub(ball->center, by), mo_add(ball->center, by)};
    overlap->center = ball->center;
    overlap->outer_radius2 = mo_region_ball_max_distance2(ball, reach);
    overlap->inner_radius2 = inner_radius2_of(ball->radius);
  } else if (q->region.kind == MO_REGION_BODY) {
    overlap->inner_box = mo_aabb_empty();
    overlap->uses_bounds_only = false; /* touching the body's box does not mean touching the body */
    if (!overlap->may_end_early && is_oriented_box(q)) {
      overlap->oriented_box = &q->quick_solid;
    }
  } else {
    overlap->inner_box = q->is_point ? mo_aabb_empty() : q->region.box;
    if (overlap->uses_bounds_only) {
      return; /* stored boxes are compared with the region's box exactly: no margin */
    }
  }
  overlap->box = mo_region_grow(overlap->box, reach);
}

/* A ray that starts outside an open mesh may cross its surface an odd number of times. Therefore
 * the kernel requires the point to be in the mesh's local bounds, and the point must also be in the
 * shape's own world box, not only in the stored one, which margins and velocities enlarge. A point
 * outside of the stored box is also outside of the own box, so culling by stored boxes changes no
 * result. */
static bool mesh_contains_point(const mo_prepared_region *q, const mo_shape *shape,
                                mo_aabb bounds) {
  const mo_affine *affine = &shape->affine;
  const mo_aabb at = q->region.box;
  if (!mo_aabb_contains(bounds, at)) {
    return false;
  }
  bool local = affine->invertible;
  mo_vec3 point = local ? mo_affine_point_to_local(affine, at.lower) : at.lower;
  if (!mo_mesh_surrounds_point_by_isa[q->scene->isa](shape->geometry.mesh, point,
                                                     local ? NULL : affine, q->stats)) {
    return false;
  }
  mo_aabb own = bounds;
  return mo_geometry_bounds(&shape->geometry, affine, &own) == MO_OK && mo_aabb_contains(own, at);
}

/* Whether a region that is a mesh touches the mesh of a shape. */
static bool meshes_touch(const mo_prepared_region *q, const mo_shape *shape) {
  const mo_prepared_primitive *own = q->region.primitive;
  const mo_mesh *const mesh[2] = {shape->geometry.mesh, own->mesh};
  return mo_meshes_touch(mesh, (const mo_affine *[2]){&shape->affine, &own->affine}, q->scene->isa,
                         q->stats);
}

static bool region_touches_mesh(const mo_prepared_region *q, uint32_t slot, mo_aabb bounds,
                                const mo_placed_child *child);

/* The test of a region that is a compound against a mesh shape. */
typedef struct own_children_test {
  const mo_prepared_region *region;
  uint32_t slot;
  mo_aabb bounds;
  const mo_placed_child *child;
} own_children_test;

static bool stop_at_own_child(mo_prepared_primitive *own, uint32_t number, void *context) {
  (void)number;
  const own_children_test *t = context;
  mo_prepared_region q = *t->region;
  mo_body_cache_loose_bounds(&own->body);
  q.region = mo_region_of_primitive(own);
  return !region_touches_mesh(&q, t->slot, t->bounds, t->child);
}

static bool own_children_touch_mesh(const mo_prepared_region *q, uint32_t slot, mo_aabb bounds,
                                    const mo_placed_child *child) {
  own_children_test test = {q, slot, bounds, child};
  const mo_prepared_primitive *own = q->region.primitive;
  const mo_body box = mo_body_of_aabb(bounds);
  return !mo_functions_of(own->compound)->visit_near(own, &box, q->stats, stop_at_own_child, &test);
}

static bool region_touches_mesh(const mo_prepared_region *q, uint32_t slot, mo_aabb bounds,
                                const mo_placed_child *child) {
  const mo_shape *shape = mo_tested_shape(q->scene, slot, child);
  const mo_mesh *mesh = shape->geometry.mesh;
  if (q->is_point) {
    return mesh_contains_point(q, shape, bounds);
  }
  if (q->region.kind == MO_REGION_BOX && !mo_aabb_is_empty(mesh->bounds) &&
      q->triangle_filter == NULL && mo_aabb_contains(q->region.box, bounds)) {
    return true; /* the region contains all triangles of the mesh */
  }
  if (q->region.kind == MO_REGION_BODY && q->region.primitive->mesh != NULL &&
      q->triangle_filter == NULL) {
    return meshes_touch(q, shape);
  }
  if (q->region.kind == MO_REGION_BODY && q->region.primitive->compound != NULL &&
      q->triangle_filter == NULL) {
    return own_children_touch_mesh(q, slot, bounds, child);
  }
  mo_region region = q->region;
  mo_prepared_primitive exact;
  if (region.kind == MO_REGION_BODY && region.primitive->body.has_loose_bounds &&
      region.primitive->body.convex.solid.kind == MO_SOLID_HULL) {
    exact = *region.primitive; /* its loose bounds may be much larger */
    mo_body_cache_bounds(&exact.body);
    region = mo_region_of_primitive(&exact);
  }
  bool touches = false;
  mo_mesh_overlap overlap;
  mo_mesh_overlap_init(&overlap, &region, &shape->affine, q->stats);
  overlap.triangle_filter = q->triangle_filter;
  overlap.shape = mo_shape_id_of(q->scene, slot);
  overlap.child = mo_child_number(child);
  overlap.report = mo_set_found_and_stop;
  overlap.context = &touches;
  mo_mesh_overlap_run(mesh, q->scene->isa, &overlap);
  return touches;
}

/* Whether the region touches a solid that is not a half-space. `map` is its transform; null for a
 * box along the axes of the world. */
static bool region_touches_solid(mo_prepared_region *q, const mo_body *solid,
                                 const mo_affine *map) {
  if (q->region.kind == MO_REGION_BODY && !is_solid(q->region.primitive)) {
    return mo_query_primitive_touches(q->region.primitive, solid, map, q->stats);
  }
  const mo_body *body = body_of(q);
  mo_quick_test_answer answer =
      mo_convex_quick_within_prepared(&solid->convex, &body->convex, &q->quick_solid, 0.0);
  return answer == MO_QUICK_UNDECIDED ? mo_bodies_within_by_gjk(solid, body, 0.0)
                                      : answer == MO_QUICK_YES;
}

static bool region_touches_box(mo_prepared_region *q, mo_aabb bounds) {
  if (q->is_point) {
    return mo_aabb_contains(bounds, q->region.box);
  }
  if (q->region.kind == MO_REGION_BOX) {
    return mo_aabb_overlap(bounds, q->region.box);
  }
  const mo_body box = mo_body_of_aabb(bounds);
  return region_touches_solid(q, &box, NULL);
}

/* Whether a box shape that is axis-aligned in the world certainly touches a box region. Compares
 * the numbers of its record, with a margin for the rounding of a few sums. */
static bool region_surely_touches_box_shape(mo_prepared_region *q, const mo_shape *shape) {
  if (shape->geometry.type != MO_SHAPE_BOX || q->region.kind != MO_REGION_BOX || q->is_point) {
    return false;
  }
  (void)body_of(q); /* makes `quick_solid` */
  const mo_vec3 o = shape->affine.to_world.origin, c = shape->geometry.box.center;
  const mo_vec3 h = shape->geometry.box.half_extents;
  const mo_quick_test_solid *box = &q->quick_solid;
  const double places[3] = {(double)o.x + c.x, (double)o.y + c.y, (double)o.z + c.z};
  const double halves[3] = {h.x + box->half[0].x, h.y + box->half[1].y, h.z + box->half[2].z};
  const double centers[3] = {box->center.x, box->center.y, box->center.z};
  double max = box->magnitude + halves[0] + halves[1] + halves[2] + fabs((double)o.x) +
               fabs((double)o.y) + fabs((double)o.z) + fabs((double)c.x) + fabs((double)c.y) +
               fabs((double)c.z);
  bool touches = true;
  for (int i = 0; i < 3; i++) {
    touches &= fabs(places[i] - centers[i]) + 0x1p-46 * max <= halves[i];
  }
  return touches;
}

static bool region_touches_solid_shape(mo_prepared_region *q, uint32_t slot, mo_aabb bounds,
                                       const mo_placed_child *child) {
  const mo_shape *shape = mo_tested_shape(q->scene, slot, child);
  const mo_transform *map = &shape->affine.to_world;
  mo_transform straight = mo_transform_identity();
  if (child == NULL && q->scene->traits[slot] & MO_TRAIT_HAS_IDENTITY_AXES) {
    /* The linear part is known to be the identity: its cache line of the record is not read. */
    straight.origin = map->origin;
    map = &straight;
    if (region_surely_touches_box_shape(q, shape)) {
      return true;
    }
  }
  const mo_body solid = mo_geometry_body(&shape->geometry, map, bounds);
  return region_touches_solid(q, &solid, &shape->affine);
}

static bool region_touches_half_space(mo_prepared_region *q, const mo_body *half_space) {
  return q->region.kind == MO_REGION_BODY
             ? mo_query_primitive_touches(q->region.primitive, half_space, NULL, q->stats)
             : mo_bodies_within(body_of(q), half_space, 0.0);
}

/* --- children of compounds --- */

static bool stop_at_child(const mo_placed_child *child, void *context) {
  (void)child;
  (void)context;
  return false;
}

static bool region_touches_children(mo_prepared_region *q, uint32_t slot) {
  const mo_region_children children = {q, true, stop_at_child, NULL};
  return !mo_region_visit_children(&children, slot);
}

/* Whether a shape, or a child of it, touches the region. `bounds` is its box. */
static bool touches(mo_prepared_region *q, uint32_t slot, mo_aabb bounds,
                    const mo_placed_child *child) {
  const bool uses_bounds_only = q->precision == MO_PRECISION_BOUNDS;
  if (q->region.kind == MO_REGION_PLANES) {
    return mo_planes_touch(q->region.planes, q->region.plane_count, bounds);
  }
  switch (mo_tested_shape(q->scene, slot, child)->geometry.type) {
  /* A half-space has no box, so it is tested exactly with both precisions. */
  case MO_SHAPE_HALF_SPACE: {
    const mo_body half_space = mo_body_of_half_space(mo_slot_half_space(q->scene, slot));
    return region_touches_half_space(q, &half_space);
  }
  case MO_SHAPE_VOLUME:
    return region_touches_box(q, bounds);
  case MO_SHAPE_MESH:
    return uses_bounds_only ? region_touches_box(q, bounds)
                            : region_touches_mesh(q, slot, bounds, child);
  case MO_SHAPE_COMPOUND:
    return uses_bounds_only ? region_touches_box(q, bounds) : region_touches_children(q, slot);
    MO_CASES_OF_SOLIDS {
      return uses_bounds_only ? region_touches_box(q, bounds)
                              : region_touches_solid_shape(q, slot, bounds, child);
    }
  }
  __builtin_unreachable();
}

bool mo_prepared_region_touches(mo_prepared_region *q, uint32_t slot, mo_aabb bounds) {
  return touches(q, slot, bounds, NULL);
}

/* The culling of children in a region, by its box or, if it is a half-space, by its plane. */
typedef struct children_visit {
  mo_child_region region; /* must be first; its box has a margin for rounding */
  const mo_region_children *children;
} children_visit;

static bool visit_child(const mo_placed_child *child, double key, void *query) {
  (void)key;
  const children_visit *v = query;
  const mo_region_children *c = v->children;
  return (c->only_touching && !touches(c->region, child->slot, child->box, child)) ||
         c->visit(child, c->context);
}

bool mo_region_visit_children(const mo_region_children *children, uint32_t slot) {
  mo_prepared_region *q = children->region;
  const mo_vec3 reach = mo_aabb_max_coordinates_or_zero(q->scene->root_bounds);
  children_visit v = {.region = {.box = mo_aabb_infinite()}, .children = children};
  v.region.half_space = half_space_of(&q->region);
  if (v.region.half_space != NULL) {
    v.region.error = mo_half_space_height_error(v.region.half_space, reach);
  } else {
    v.region.box = mo_region_grow(mo_region_bounds(&q->region), reach);
  }
  const double limit = 0.0;
  const mo_child_visitor visitor = {mo_child_region_keys, &limit, visit_child, &v,
                                    q->child_filter,      NULL,   q->stats};
  return mo_visit_children(q->scene, slot, &visitor);
}
