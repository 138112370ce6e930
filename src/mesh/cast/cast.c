/* The casts of motte/cast.h: checks that all casts share, and the public functions on a mesh. */
#include "mesh/cast/cast.h"
#include "geometry/cast/rotating.h"
#include "geometry/difference/difference.h"

static mo_cast_options default_options(void) {
  return (mo_cast_options){
      .min_approach = -1.0f, .filter = mo_default_filter(), .ignore_triangle = MO_NO_TRIANGLE};
}

mo_sphere_cast_def mo_default_sphere_cast_def(void) {
  return (mo_sphere_cast_def){.options = default_options(), .cookie = MO_COOKIE};
}

mo_shape_cast_def mo_default_shape_cast_def(void) {
  return (mo_shape_cast_def){.primitive = mo_primitive_of_point(mo_vec(0.0f, 0.0f, 0.0f)),
                             .options = default_options(),
                             .cookie = MO_COOKIE};
}

static mo_result check_options(const mo_cast_options *options, const mo_refusal *refusal) {
  const mo_refusal member = mo_refusal_in(refusal, ".options", MO_NO_INDEX);
  mo_result result = mo_check_filter(&options->filter, &member, ".filter");
  if (result == MO_OK && isnan(options->min_approach)) {
    result = mo_refuse_number(&member, MO_ERROR_NOT_FINITE, ".min_approach",
                              (double)options->min_approach, NULL);
  }
  return result;
}

static mo_result prepare_sphere(mo_cast *cast, const mo_sphere_cast_def *def,
                                const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_sphere_cast_def");
  if (result == MO_OK) {
    result = check_options(&def->options, refusal);
  }
  if (result == MO_OK) {
    mo_refusal sphere = mo_refusal_in(refusal, ".sphere", MO_NO_INDEX);
    result = mo_check_sphere(&def->sphere, &sphere);
  }
  if (result == MO_OK) {
    result = mo_check_point(def->displacement, refusal, ".displacement");
  }
  if (result == MO_OK) {
    cast->options = &def->options;
    cast->uses_bounds_only = false;
    cast->ball = (mo_moving_ball){def->sphere.center, def->sphere.radius, def->displacement};
  }
  return result;
}

/* An upper bound of the error of the depths that mo_convex_find_penetration finds for a body in
 * triangles; INFINITY for curved bodies other than balls and Minkowski sums with balls. */
static double depth_error_of(const mo_moving_body *moving) {
  const mo_convex *convex = &moving->body.convex;
  const double size = 4.0 * mo_sum_of_extents(moving->bounds);
  if (moving->body.kind == MO_BODY_TRIANGLE) {
    return 0x1p-30 * size;
  }
  switch (convex->solid.kind) {
  case MO_SOLID_CYLINDER:
  case MO_SOLID_CONE:
    return INFINITY;
  case MO_SOLID_BOX:
  case MO_SOLID_HULL:
    if (convex->solid.rounding == 0.0) {
      return 0x1p-30 * size;
    }
    break;
  case MO_SOLID_SPHERE:
  case MO_SOLID_CAPSULE:
    break;
  }
  return mo_ellipsoid_ball_deviation(convex->column, 3) <= 0x1p-20 ? 0x1p-18 * size : INFINITY;
}

void mo_cast_set_culling(mo_cast *cast) {
  const mo_moving_body *body = &cast->body;
  if (cast->has_culling) {
    return;
  }
  cast->has_culling = true;
  if (cast->is_ball) {
    cast->volumes.rounded_box =
        mo_rounded_box_of_ball(mo_widen(cast->ball.center), (double)cast->ball.radius);
    cast->volumes.has_planes = false;
    cast->depth_error = 0.0;
  } else if (body->body.kind != MO_BODY_HALF_SPACE) {
    if (body->rotates) {
      mo_bounding_volumes_make_of_bounds(&cast->volumes, body->bounds);
    } else {
      mo_bounding_volumes_make(&cast->volumes, &body->body, &body->box, &body->capsule,
                               mo_widen(body->displacement));
    }
    cast->depth_error = depth_error_of(body);
  }
}

/* Sets the shape that moves, before its path begins anew. */
static mo_result set_shape(mo_cast *cast, const mo_prepared_primitive *shape,
                           const mo_refusal *refusal) {
  cast->has_culling = false;
  cast->mesh = shape->mesh;
  cast->compound = shape->compound;
  if (shape->mesh != NULL || shape->compound != NULL) {
    cast->affine = shape->affine;
  }
  return mo_moving_body_make(&cast->body, &shape->body, &cast->movement, refusal);
}

static mo_result prepare_shape(mo_cast *cast, const mo_shape_cast_def *def,
                               const mo_refusal *refusal) {
  mo_prepared_primitive primitive;
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_shape_cast_def");
  if (result == MO_OK) {
    result = check_options(&def->options, refusal);
  }
  if (result == MO_OK) {
    result =
        mo_check_enum_value((unsigned)def->precision, MO_PRECISION_BOUNDS, refusal, ".precision");
  }
  if (result == MO_OK) {
    mo_refusal member = mo_refusal_in(refusal, ".primitive", MO_NO_INDEX);
    result = mo_query_primitive_to_body(&primitive, &def->primitive, &member);
  }
  cast->movement = (mo_movement){def->displacement, def->pivot, def->axis, def->angle};
  if (result == MO_OK) {
    cast->options = &def->options;
    cast->uses_bounds_only = def->precision == MO_PRECISION_BOUNDS;
    result = set_shape(cast, &primitive, refusal);
  }
  return result;
}

mo_result mo_cast_prepare(mo_cast *cast, const mo_cast_call *call, mo_cast_goal goal,
                          const char *missing) {
  if (call->subject == NULL || call->def == NULL || missing != NULL) {
    return mo_refuse_null(call->host, call->function,
                          call->subject == NULL ? ""
                          : call->def == NULL   ? "def"
                                                : missing);
  }
  cast->goal = goal;
  cast->mesh = NULL;
  cast->compound = NULL;
  cast->has_culling = false;
  cast->t = 1.0f;
  cast->distance = INFINITY;
  cast->own_child = 0;
  cast->is_ball = call->mover == MO_CAST_SPHERE;
  mo_refusal refusal = mo_refusal_of(call->host, call->function, "def");
  return cast->is_ball ? prepare_sphere(cast, call->def, &refusal)
                       : prepare_shape(cast, call->def, &refusal);
}

/* Makes the cast of the child of a compound with the lowest number from `number` on. False if there
 * is none. The contacts to beat stay those of `cast`. */
static bool set_child(mo_cast *cast, const mo_cast *whole, uint32_t number) {
  mo_prepared_primitive child;
  bool is_set = false;
  while (!is_set && mo_functions_of(whole->compound)
                        ->find_child(whole->compound, &whole->affine, whole->options->hit_volumes,
                                     &number, &child)) {
    cast->own_child = number++;
    is_set = set_shape(cast, &child, NULL) == MO_OK;
  }
  return is_set;
}

/* Casts each child of a compound: for the first contact, any, or all. */
static mo_cast_hit find_of_children(const mo_cast_call *call, const mo_cast *whole,
                                    mo_bounded_list *list, mo_query_stats *counts) {
  mo_cast_hit best = {.triangle = MO_NO_TRIANGLE, .own_triangle = MO_NO_TRIANGLE};
  mo_cast cast = *whole;
  for (uint32_t number = 0; set_child(&cast, whole, number); number = cast.own_child + 1) {
    const float t = cast.t, distance = cast.distance;
    const mo_cast_hit hit = call->find(call->subject, &cast, list, counts);
    if (hit.found && (!best.found || cast.t < t || cast.distance < distance ||
                      mo_cast_hit_before(&hit, &best))) {
      best = hit;
    }
    if (best.found && cast.goal == MO_CAST_ANY) {
      break;
    }
  }
  return best;
}

static mo_cast_hit find(const mo_cast_call *call, mo_cast *cast, mo_bounded_list *list,
                        mo_query_stats *counts) {
  return cast->compound != NULL ? find_of_children(call, cast, list, counts)
                                : call->find(call->subject, cast, list, counts);
}

static void complete_of_child(const mo_cast_call *call, const mo_cast *whole, mo_cast_hit *hit) {
  mo_cast cast = *whole;
  if (set_child(&cast, whole, hit->own_child)) {
    call->complete(call->subject, &cast, hit);
  }
}

static void complete(const mo_cast_call *call, const mo_cast *cast, mo_cast_hit *hit) {
  if (cast->compound != NULL) {
    complete_of_child(call, cast, hit);
  } else {
    call->complete(call->subject, cast, hit);
  }
}

mo_result mo_cast_first(mo_cast_call call, mo_cast_hit *hit, mo_query_stats *stats) {
  mo_cast cast;
  mo_result result = mo_cast_prepare(&cast, &call, MO_CAST_FIRST, hit == NULL ? "hit" : NULL);
  if (result == MO_OK) {
    mo_query_stats counts = mo_stats_begin(stats);
    *hit = find(&call, &cast, NULL, &counts);
    if (hit->found) {
      complete(&call, &cast, hit);
    }
    mo_stats_end(&counts, stats);
  }
  return result;
}

mo_result mo_cast_any(mo_cast_call call, bool *found, mo_query_stats *stats) {
  mo_cast cast;
  mo_result result = mo_cast_prepare(&cast, &call, MO_CAST_ANY, found == NULL ? "found" : NULL);
  if (result == MO_OK) {
    mo_query_stats counts = mo_stats_begin(stats);
    *found = find(&call, &cast, NULL, &counts).found;
    mo_stats_end(&counts, stats);
  }
  return result;
}

mo_result mo_cast_all(mo_cast_call call, mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                      mo_query_stats *stats) {
  const char *missing = mo_missing_of_list(hits, capacity, "hits", total);
  mo_cast cast;
  mo_result result = mo_cast_prepare(&cast, &call, MO_CAST_ALL, missing);
  if (result == MO_OK) {
    mo_query_stats counts = mo_stats_begin(stats);
    mo_bounded_list list = mo_bounded_make(hits, capacity);
    find(&call, &cast, &list, &counts);
    mo_bounded_sort(&list, sizeof *hits, mo_cast_hit_before);
    for (uint32_t i = 0; i < list.count; i++) {
      complete(&call, &cast, &hits[i]);
    }
    *total = list.total;
    mo_stats_end(&counts, stats);
  }
  return result;
}

static mo_cast_hit find_in_mesh(const void *mesh, mo_cast *cast, mo_bounded_list *list,
                                mo_query_stats *stats) {
  mo_mesh_cast query;
  mo_mesh_cast_init(&query, mesh, cast, NULL, (mo_shape_id){0}, cast->t);
  query.hits = list;
  query.distance = cast->distance;
  query.min_depth = mo_cast_min_competing_depth(cast->t, cast->distance);
  mo_mesh_cast_find(&query, query.mesh->isa, stats);
  cast->t = query.t;
  cast->distance = query.distance;
  return cast->goal == MO_CAST_ANY ? (mo_cast_hit){.found = query.triangle != MO_NO_TRIANGLE}
                                   : mo_mesh_cast_result(&query);
}

static void complete_mesh_hit(const void *mesh, const mo_cast *cast, mo_cast_hit *hit) {
  mo_mesh_cast_set_features(cast, mesh, NULL, hit);
}

static mo_cast_call call_of(const mo_mesh *mesh, const char *function, mo_cast_mover mover,
                            const void *def) {
  return (mo_cast_call){function, mesh,         mo_mesh_host(mesh), mover,
                        def,      find_in_mesh, complete_mesh_hit};
}

mo_result mo_mesh_cast_sphere(const mo_mesh *mesh, const mo_sphere_cast_def *def, mo_cast_hit *hit,
                              mo_query_stats *stats) {
  return mo_cast_first(call_of(mesh, __func__, MO_CAST_SPHERE, def), hit, stats);
}

mo_result mo_mesh_test_sphere_cast(const mo_mesh *mesh, const mo_sphere_cast_def *def, bool *found,
                                   mo_query_stats *stats) {
  return mo_cast_any(call_of(mesh, __func__, MO_CAST_SPHERE, def), found, stats);
}

mo_result mo_mesh_cast_sphere_all(const mo_mesh *mesh, const mo_sphere_cast_def *def,
                                  mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                  mo_query_stats *stats) {
  return mo_cast_all(call_of(mesh, __func__, MO_CAST_SPHERE, def), hits, capacity, total, stats);
}

mo_result mo_mesh_cast_shape(const mo_mesh *mesh, const mo_shape_cast_def *def, mo_cast_hit *hit,
                             mo_query_stats *stats) {
  return mo_cast_first(call_of(mesh, __func__, MO_CAST_SHAPE, def), hit, stats);
}

mo_result mo_mesh_test_shape_cast(const mo_mesh *mesh, const mo_shape_cast_def *def, bool *found,
                                  mo_query_stats *stats) {
  return mo_cast_any(call_of(mesh, __func__, MO_CAST_SHAPE, def), found, stats);
}

mo_result mo_mesh_cast_shape_all(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                 mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                 mo_query_stats *stats) {
  return mo_cast_all(call_of(mesh, __func__, MO_CAST_SHAPE, def), hits, capacity, total, stats);
}
