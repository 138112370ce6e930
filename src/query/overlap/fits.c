/* Tests whether a shape would overlap shapes of the scene if it were placed there, by exact
 * geometry or by boxes.
 *
 * One test compares solids and triangles with each other, with a clearance
 * (geometry/overlap/overlap.h). For a mesh, it is applied to the triangles that touch the other
 * shape's box, grown by the clearance and a margin for rounding; for two meshes, to the pairs that
 * a traversal of both octrees finds within the clearance. */
#include "mesh/pair/pair.h"
#include "query/filter.h"
#include "query/near/near.h"
#include "query/overlap/region.h"
#include "query/overlap/slots.h"
#include "query/solid.h"
#include "scene/shapes/shape.h"

mo_fit_def mo_default_fit_def(void) {
  return (mo_fit_def){
      .filter = mo_default_filter(), .precision = MO_PRECISION_GEOMETRY, .cookie = MO_COOKIE};
}

typedef struct fit_query {
  const mo_scene *scene;
  const mo_filter *filter; /* of the query */
  mo_shape shape;          /* the shape to be placed: its geometry, transform and filter */
  mo_aabb bounds;
  mo_body body; /* body of the shape to be placed; not set for a mesh or compound */
  mo_precision precision;
  double clearance;
  bool hit_volumes;
  mo_query_stats *stats;
  bool stops_at_first;
  bool obstructed;
  mo_bounded_list list; /* slots of the obstacles */
} fit_query;

/* A box that contains everything within the clearance of `box`, with a margin for rounding for
 * coordinates up to `reach`; clamped to the range of coordinates. */
static mo_aabb box_with_clearance(const fit_query *f, mo_aabb box, mo_vec3 reach) {
  mo_aabb grown = mo_region_grow(box, reach);
  const double clearance = f->clearance * (1.0 + 0x1p-20);
  const mo_dvec3 by = {clearance, clearance, clearance};
  return mo_aabb_clamped(
      mo_aabb_around(mo_dsub(mo_widen(grown.lower), by), mo_dadd(mo_widen(grown.upper), by)));
}

/* The test of a mesh shape against a body, or against another mesh. */
typedef struct mesh_test {
  const fit_query *query;
  const mo_shape *mesh_shape;
  /* What the mesh is tested against; the other one of the two is null. */
  const mo_body *body;
  const mo_shape *other_mesh;
  bool touches;
} mesh_test;

static mo_body world_triangle(const mo_shape *shape, uint32_t triangle) {
  mo_vec3 local[3];
  mo_dvec3 corners[3];
  mo_mesh_corners(shape->geometry.mesh, triangle, local);
  for (int i = 0; i < 3; i++) {
    corners[i] = mo_affine_point_to_world(&shape->affine, local[i]);
  }
  return mo_body_of_triangle(corners);
}

static bool test_against_body(uint32_t triangle, void *context) {
  mesh_test *m = context;
  const mo_body own = world_triangle(m->mesh_shape, triangle);
  m->touches = mo_bodies_within(m->body, &own, m->query->clearance);
  return !m->touches;
}

/* A half-space grown by the clearance, as a region, with a margin for rounding for coordinates up
 * to `reach`. */
static mo_prepared_primitive grown_half_space(const fit_query *f,
                                              const mo_half_space_body *half_space, mo_vec3 reach) {
  double by = f->clearance * (1.0 + 0x1p-20) +
              0x1p-20 * ((double)reach.x + (double)reach.y + (double)reach.z) +
              mo_half_space_height_error(half_space, reach);
  const mo_half_space_body grown = mo_half_space_grown(half_space, by);
  return (mo_prepared_primitive){.body = mo_body_of_half_space(&grown)};
}

static bool mesh_meets_body(const fit_query *f, const mo_shape *shape, const mo_body *body,
                            mo_vec3 reach) {
  mesh_test m = {.query = f, .mesh_shape = shape, .body = body};
  mo_prepared_primitive grown;
  mo_region region;
  if (body->kind == MO_BODY_HALF_SPACE) {
    grown = grown_half_space(f, &body->half_space, reach);
    region = mo_region_of_primitive(&grown);
  } else {
    region = (mo_region){.kind = MO_REGION_BOX,
                         .box = box_with_clearance(f, mo_body_bounds(body), reach)};
  }
  mo_mesh_overlap overlap;
  mo_mesh_overlap_init(&overlap, &region, &shape->affine, f->stats);
  overlap.report = test_against_body;
  overlap.context = &m;
  mo_mesh_overlap_run(shape->geometry.mesh, f->scene->isa, &overlap);
  return m.touches;
}

static bool test_pair(uint32_t triangle, uint32_t other, void *context) {
  mesh_test *m = context;
  const mo_body a = world_triangle(m->mesh_shape, triangle),
                b = world_triangle(m->other_mesh, other);
  m->touches = mo_bodies_within(&a, &b, m->query->clearance);
  return !m->touches;
}

static bool mesh_meets_mesh(const fit_query *f, const mo_shape *other) {
  const mo_mesh *const meshes[2] = {f->shape.geometry.mesh, other->geometry.mesh};
  const mo_affine *const affine[2] = {&f->shape.affine, &other->affine};
  if (meshes[0]->triangle_count == 0 || meshes[1]->triangle_count == 0) {
    return false;
  }
  mesh_test m = {.query = f, .mesh_shape = &f->shape, .other_mesh = other};
  mo_mesh_pair pair;
  mo_mesh_pair_init(&pair, meshes, affine, f->clearance * (1.0 + 0x1p-20), f->stats);
  pair.report = test_pair;
  pair.context = &m;
  mo_mesh_pair_find(&pair, f->scene->isa);
  return m.touches;
}

/* The largest magnitude of a coordinate of a box, per axis; 0 if the box is all of space. */
static mo_vec3 box_reach_or_zero(mo_aabb box) {
  return box.upper.x < INFINITY ? mo_aabb_max_coordinates(box) : mo_vec(0.0f, 0.0f, 0.0f);
}

/* For MO_PRECISION_BOUNDS: whether a shape is an obstacle by its stored bounds or, if it is a
 * half-space, by the half-space itself. */
static bool is_obstacle_by_bounds(const fit_query *f, uint32_t slot, mo_aabb bounds) {
  const mo_half_space_body *own = f->body.kind == MO_BODY_HALF_SPACE ? &f->body.half_space : NULL,
                           *other = mo_slot_half_space(f->scene, slot);
  if (own != NULL && other != NULL) {
    const mo_body body = mo_body_of_half_space(other);
    return mo_half_space_within(&f->body, &body, f->clearance);
  }
  if (own != NULL || other != NULL) {
    return mo_half_space_min_box_height(own != NULL ? own : other,
                                        own != NULL ? bounds : f->bounds) <= f->clearance;
  }
  return mo_aabb_distance2(f->bounds, bounds) <= f->clearance * f->clearance;
}

/* Whether the shape to be placed is closer to a body than the clearance. */
static bool placed_meets_body(const fit_query *f, const mo_body *body, mo_vec3 reach) {
  switch (f->shape.geometry.type) {
  case MO_SHAPE_MESH:
    return mesh_meets_body(f, &f->shape, body, reach);
  case MO_SHAPE_COMPOUND: /* tested child by child */
    break;
    MO_CASES_OF_BODIES
    return mo_bodies_within(&f->body, body, f->clearance);
  }
  __builtin_unreachable();
}

/* Whether the shape to be placed is closer to a mesh than the clearance. */
static bool placed_meets_mesh(const fit_query *f, const mo_shape *mesh, mo_vec3 reach) {
  switch (f->shape.geometry.type) {
  case MO_SHAPE_MESH:
    return mesh_meets_mesh(f, mesh);
  case MO_SHAPE_COMPOUND: /* tested child by child */
    break;
    MO_CASES_OF_BODIES
    return mesh_meets_body(f, mesh, &f->body, reach);
  }
  __builtin_unreachable();
}

static bool is_child_obstacle(const fit_query *f, uint32_t slot);
static bool is_obstacle_of_child(const fit_query *f, uint32_t slot, mo_aabb bounds,
                                 const mo_placed_child *child);

/* Whether a shape, or a child of it, is an obstacle. `bounds` may be larger than the other shape,
 * by its margin and velocity. For exact geometry they are only used for culling. */
static bool is_obstacle(const fit_query *f, uint32_t slot, mo_aabb bounds,
                        const mo_placed_child *child) {
  const mo_shape *other = mo_tested_shape(f->scene, slot, child);
  if (other->geometry.type == MO_SHAPE_VOLUME && !f->hit_volumes) {
    return false;
  }
  if (!mo_shapes_pass_each_other(&f->shape, other)) {
    return false;
  }
  if (f->precision == MO_PRECISION_BOUNDS) {
    return is_obstacle_by_bounds(f, slot, bounds);
  }
  if (f->shape.geometry.type == MO_SHAPE_COMPOUND && other->geometry.type != MO_SHAPE_COMPOUND) {
    return is_obstacle_of_child(f, slot, bounds, child);
  }
  mo_vec3 reach = mo_add(box_reach_or_zero(f->bounds), box_reach_or_zero(bounds));
  switch (other->geometry.type) {
  case MO_SHAPE_MESH:
    return placed_meets_mesh(f, other, reach);
  case MO_SHAPE_COMPOUND:
    return is_child_obstacle(f, slot);
    MO_CASES_OF_BODIES {
      const mo_body body = mo_tested_body(f->scene, slot, child);
      return placed_meets_body(f, &body, reach);
    }
  }
  __builtin_unreachable();
}

/* The culling of children by the box of the shape to be placed, with its clearance. */
typedef struct child_search {
  mo_child_region region; /* first: a pointer to it is converted to one to the struct */
  const fit_query *query;
} child_search;

static bool stop_at_obstacle(const mo_placed_child *child, double key, void *query) {
  (void)key;
  const child_search *s = query;
  return !is_obstacle(s->query, child->slot, child->box, child);
}

static bool is_child_obstacle(const fit_query *f, uint32_t slot) {
  child_search search = {{.box = mo_aabb_infinite()}, f};
  if (f->body.kind != MO_BODY_HALF_SPACE) {
    search.region.box = mo_scene_cull_box(
        f->scene, box_with_clearance(f, f->bounds, mo_aabb_max_coordinates(f->bounds)));
  }
  const mo_filter own = mo_filter_of_shape(&f->shape);
  const double limit = 0.0;
  const mo_child_visitor visitor = {
      mo_child_region_keys, &limit, stop_at_obstacle, &search, f->filter, &own, f->stats};
  return !mo_visit_children(f->scene, slot, &visitor);
}

static bool visit_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)inside;
  fit_query *f = context;
  if (!is_obstacle(f, slot, bounds, NULL)) {
    return true;
  }
  f->obstructed = true;
  mo_slot_list_add(&f->list, slot);
  return !f->stops_at_first;
}

static mo_result check_def(const mo_fit_def *def, const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_fit_def");
  if (result == MO_OK && def->shape == NULL) {
    result = mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, ".shape is null");
  }
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    result =
        mo_check_enum_value((unsigned)def->precision, MO_PRECISION_BOUNDS, refusal, ".precision");
  }
  if (result == MO_OK && def->clearance == INFINITY) {
    result = mo_refuse_number(refusal, MO_ERROR_OUT_OF_RANGE, ".clearance", def->clearance, NULL);
  }
  return result == MO_OK ? mo_check_size(def->clearance, MO_MAX_COORDINATE, refusal, ".clearance")
                         : result;
}

/* Sets the body of the shape to be placed (fit_query.body), if it is no mesh or compound. */
static void set_body(fit_query *f) {
  const mo_geometry *geometry = &f->shape.geometry;
  switch (geometry->type) {
  case MO_SHAPE_MESH:
  case MO_SHAPE_COMPOUND:
    return;
  case MO_SHAPE_HALF_SPACE: {
    mo_half_space_body half_space;
    mo_half_space_make(&half_space, &geometry->half_space, &f->shape.affine.to_world, NULL);
    f->body = mo_body_of_half_space(&half_space);
    return;
  }
  case MO_SHAPE_VOLUME:
    MO_CASES_OF_SOLIDS
    f->body = mo_geometry_body(geometry, &f->shape.affine.to_world, f->bounds);
    mo_body_cache_bounds(&f->body);
  }
}

/* The culling of children of the shape to be placed by the box of a shape, or child, of the scene.
 */
typedef struct own_child_search {
  mo_child_region region; /* first: a pointer to it is converted to one to the struct */
  const fit_query *query;
  uint32_t slot;
  mo_aabb bounds;
  const mo_placed_child *child;
} own_child_search;

static bool stop_at_obstructed_child(const mo_placed_child *own, double key, void *query) {
  (void)key;
  const own_child_search *s = query;
  fit_query f = *s->query;
  if (own->shape.geometry.type == MO_SHAPE_VOLUME && !f.hit_volumes) {
    return true;
  }
  f.shape = own->shape;
  f.bounds = own->box;
  set_body(&f);
  return !is_obstacle(&f, s->slot, s->bounds, s->child);
}

/* Whether a shape, or a child of it, is an obstacle of a child of the shape to be placed. Each
 * child, and each compound on its path, must pass the filter of the shape, and the child that of
 * the other child. */
static bool is_obstacle_of_child(const fit_query *f, uint32_t slot, mo_aabb bounds,
                                 const mo_placed_child *child) {
  own_child_search search = {{.box = mo_aabb_infinite()}, f, slot, bounds, child};
  if (f->scene->shapes[slot].geometry.type != MO_SHAPE_HALF_SPACE) {
    search.region.box = box_with_clearance(f, bounds, mo_aabb_max_coordinates(f->bounds));
  }
  const mo_filter filter = mo_filter_of_shape(&f->scene->shapes[slot]);
  const double limit = 0.0;
  const mo_child_visitor visitor = {
      mo_child_region_keys, &limit, stop_at_obstructed_child, &search, &filter, NULL, f->stats};
  return !mo_visit_compound(f->shape.geometry.compound, &f->shape.affine.to_world, &visitor);
}

/* Sets the members of `overlap` that cull shapes beyond the clearance. `grown` is memory for a
 * half-space, to which `overlap` then points. */
static void set_culling(const fit_query *f, mo_scene_overlap *overlap,
                        mo_prepared_primitive *grown) {
  if (f->body.kind != MO_BODY_HALF_SPACE) {
    overlap->box = mo_scene_cull_box(
        f->scene, box_with_clearance(f, f->bounds, mo_aabb_max_coordinates(f->bounds)));
    overlap->inner_box = mo_aabb_empty();
    return;
  }
  *grown = grown_half_space(f, &f->body.half_space,
                            mo_aabb_max_coordinates_or_zero(f->scene->root_bounds));
  const mo_region half_space = mo_region_of_primitive(grown);
  mo_prepared_region region = mo_prepared_region_of(f->scene, &half_space, f->precision);
  mo_prepared_region_set_culling(&region, overlap);
}

static mo_result run_query(fit_query *f, const char *function, const mo_fit_def *def,
                           mo_query_stats *stats) {
  mo_refusal refusal = mo_refusal_of(&f->scene->host, function, "def");
  mo_refusal shape = mo_refusal_of(&f->scene->host, function, "def.shape");
  mo_result result = check_def(def, &refusal);
  if (result == MO_OK) {
    result = mo_shape_def_check_all(def->shape, &shape, &f->shape.affine, &f->bounds);
  }
  if (result != MO_OK) {
    return result;
  }
  f->filter = &def->filter;
  f->shape.geometry = def->shape->geometry;
  f->shape.category = def->shape->category;
  f->shape.mask = def->shape->mask;
  f->precision = def->precision;
  f->clearance = def->clearance;
  f->hit_volumes = def->hit_volumes;
  set_body(f);
  mo_query_stats counts = mo_stats_begin(stats);
  f->stats = &counts;
  mo_scene_overlap overlap = {
      .scene = f->scene,
      .filter = &def->filter,
      .stats = &counts,
      .may_end_early = f->stops_at_first,
      .visit_reads_records = f->precision == MO_PRECISION_GEOMETRY,
      .visit = visit_shape,
      .context = f,
  };
  mo_prepared_primitive grown;
  set_culling(f, &overlap, &grown);
  mo_scene_overlap_run(&overlap);
  mo_stats_end(&counts, stats);
  return MO_OK;
}

mo_result mo_scene_find_obstacles(const mo_scene *scene, const mo_fit_def *def, mo_shape_id *shapes,
                                  uint32_t capacity, uint32_t *total, mo_query_stats *stats) {
  const char *missing = def == NULL ? "def" : mo_missing_of_list(shapes, capacity, "shapes", total);
  if (scene == NULL || missing != NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, missing);
  }
  fit_query f = {.scene = scene, .list = mo_bounded_make(shapes, capacity)};
  mo_result result = run_query(&f, __func__, def, stats);
  if (result == MO_OK) {
    mo_slot_list_write_ids(&f.list, scene, shapes);
    *total = f.list.total;
  }
  return result;
}

mo_result mo_scene_shape_fits(const mo_scene *scene, const mo_fit_def *def, bool *fits,
                              mo_query_stats *stats) {
  if (scene == NULL || def == NULL || fits == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, def == NULL ? "def" : "fits");
  }
  fit_query f = {.scene = scene, .stops_at_first = true};
  mo_result result = run_query(&f, __func__, def, stats);
  if (result == MO_OK) {
    *fits = !f.obstructed;
  }
  return result;
}
