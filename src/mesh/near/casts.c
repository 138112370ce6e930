/* Casts of motte/cast.h: checks common to all of them, and the public functions on a mesh. */
#include "geometry/cast/turning.h"
#include "geometry/convex/difference.h"
#include "mesh/near/near.h"

mo_sphere_cast_def mo_default_sphere_cast_def(void) {
  return (mo_sphere_cast_def){.filter = mo_default_filter(),
                              .min_approach = -1.0f,
                              .ignore_triangle = MO_NO_TRIANGLE,
                              .cookie = MO_COOKIE};
}

mo_shape_cast_def mo_default_shape_cast_def(void) {
  return (mo_shape_cast_def){.primitive = mo_primitive_of_point(mo_vec(0.0f, 0.0f, 0.0f)),
                             .filter = mo_default_filter(),
                             .min_approach = -1.0f,
                             .ignore_triangle = MO_NO_TRIANGLE,
                             .cookie = MO_COOKIE};
}

/* The members that the defs have in common. */
#define RULES_OF(def)                                                                              \
  (mo_cast_rules) {                                                                                \
    &(def)->filter, (def)->hit_volumes, (def)->cull_back_faces, (def)->every_triangle,             \
        (def)->min_approach, (def)->ignore_triangle_shape, (def)->ignore_triangle,                 \
        (def)->accept_triangle, (def)->accept_context                                              \
  }

static mo_result check_approach(float approach, const mo_refusal *refusal) {
  return !isnan(approach) ? MO_OK
                          : mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, ".min_approach",
                                             (double)approach, NULL);
}

static mo_result prepare_sphere(mo_cast *cast, const mo_sphere_cast_def *def,
                                const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_sphere_cast_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    mo_refusal sphere = mo_refusal_in(refusal, ".sphere", MO_NO_INDEX);
    result = mo_check_sphere(&def->sphere, &sphere);
  }
  if (result == MO_OK) {
    result = mo_check_point(def->displacement, refusal, ".displacement");
  }
  if (result == MO_OK) {
    result = check_approach(def->min_approach, refusal);
  }
  if (result == MO_OK) {
    cast->rules = RULES_OF(def);
    cast->by_bounds = false;
    cast->ball = (mo_moving_ball){def->sphere.center, def->sphere.radius, def->displacement};
  }
  return result;
}

/* An upper bound of the error of depths of a body in triangles (mo_convex_penetrate); INFINITY for
 * curved bodies other than balls and sums with them. */
static double depth_error_of(const mo_moving_body *moving) {
  const mo_convex *convex = &moving->body.convex;
  const double size = 4.0 * mo_extents_of(moving->bounds);
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
  return mo_ellipsoid_unevenness(convex->column, 3) <= 0x1p-20 ? 0x1p-18 * size : INFINITY;
}

static mo_result prepare_shape(mo_cast *cast, const mo_shape_cast_def *def,
                               const mo_refusal *refusal) {
  mo_prepared_primitive primitive;
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_shape_cast_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    result = mo_check_choice((unsigned)def->precision, MO_PRECISION_BOUNDS, refusal, ".precision");
  }
  if (result == MO_OK) {
    mo_refusal place = mo_refusal_in(refusal, ".primitive", MO_NO_INDEX);
    result = mo_primitive_place(&primitive, &def->primitive, &place);
  }
  if (result == MO_OK) {
    const mo_movement movement = {def->displacement, def->pivot, def->axis, def->angle};
    result = mo_moving_body_make(&cast->body, &primitive.body, &movement, refusal);
  }
  if (result == MO_OK) {
    result = check_approach(def->min_approach, refusal);
  }
  if (result == MO_OK) {
    cast->rules = RULES_OF(def);
    cast->by_bounds = def->precision == MO_PRECISION_BOUNDS;
    if (!cast->body.turns && cast->body.body.kind != MO_BODY_HALF_SPACE) {
      const mo_moving_body *body = &cast->body;
      cast->placed = body->box.is_usable ? mo_placed_box_body(&body->box)
                                         : mo_placed_around(&body->body, &body->around);
      cast->depth_error = depth_error_of(body);
    }
  }
  return result;
}

/* The name of the argument that must not be null but is; null if there is none. */
static const char *null_argument(const mo_cast_call *call) {
  if (call->subject == NULL) {
    return "";
  }
  if (call->is_ball ? call->sphere == NULL : call->shape == NULL) {
    return "def";
  }
  switch (call->goal) {
  case MO_CAST_FIRST:
    return call->hits == NULL ? "hit" : NULL;
  case MO_CAST_ANY:
    return call->found == NULL ? "found" : NULL;
  case MO_CAST_ALL:
    break;
  }
  return call->total == NULL ? "total" : call->hits == NULL && call->capacity > 0 ? "hits" : NULL;
}

mo_result mo_cast_prepare(mo_cast *cast, const mo_cast_call *call) {
  const char *missing = null_argument(call);
  if (missing != NULL) {
    return mo_refuse_null(call->host, call->function, missing);
  }
  cast->goal = call->goal;
  cast->is_ball = call->is_ball;
  mo_refusal refusal = mo_refusal_of(call->host, call->function, "def");
  return call->is_ball ? prepare_sphere(cast, call->sphere, &refusal)
                       : prepare_shape(cast, call->shape, &refusal);
}

static mo_result answer(const mo_cast_call *call, mo_query_stats *stats) {
  mo_cast cast;
  mo_result result = mo_cast_prepare(&cast, call);
  if (result != MO_OK) {
    return result;
  }
  const mo_mesh *mesh = call->subject;
  mo_query_stats counts = mo_stats_begin(stats);
  mo_mesh_cast query;
  mo_mesh_cast_init(&query, mesh, &cast, NULL, (mo_shape_id){0}, 1.0f);
  mo_bounded list = mo_bounded_make(call->hits, call->capacity);
  query.hits = call->goal == MO_CAST_ALL ? &list : NULL;
  mo_mesh_cast_find(&query, mesh->isa, &counts);
  switch (call->goal) {
  case MO_CAST_FIRST:
    *call->hits = mo_mesh_cast_result(&query);
    if (call->hits->found) {
      mo_mesh_cast_set_features(&cast, mesh, NULL, call->hits);
    }
    break;
  case MO_CAST_ANY:
    *call->found = query.triangle != MO_NO_TRIANGLE;
    break;
  case MO_CAST_ALL:
    mo_bounded_sort(&list, sizeof(mo_cast_hit), mo_cast_hit_before);
    for (uint32_t i = 0; i < list.count; i++) {
      mo_mesh_cast_set_features(&cast, mesh, NULL, &call->hits[i]);
    }
    *call->total = list.total;
  }
  mo_stats_end(&counts, stats);
  return MO_OK;
}

static mo_cast_call call_of(const mo_mesh *mesh, const char *function, mo_cast_goal goal) {
  return (mo_cast_call){
      .function = function, .subject = mesh, .host = mo_mesh_host(mesh), .goal = goal};
}

static mo_result cast_sphere(mo_cast_call call, const mo_sphere_cast_def *def,
                             mo_query_stats *stats) {
  call.is_ball = true;
  call.sphere = def;
  return answer(&call, stats);
}

static mo_result cast_shape(mo_cast_call call, const mo_shape_cast_def *def,
                            mo_query_stats *stats) {
  call.shape = def;
  return answer(&call, stats);
}

mo_result mo_mesh_cast_sphere(const mo_mesh *mesh, const mo_sphere_cast_def *def, mo_cast_hit *hit,
                              mo_query_stats *stats) {
  mo_cast_call call = call_of(mesh, __func__, MO_CAST_FIRST);
  call.hits = hit;
  return cast_sphere(call, def, stats);
}

mo_result mo_mesh_test_sphere_cast(const mo_mesh *mesh, const mo_sphere_cast_def *def, bool *found,
                                   mo_query_stats *stats) {
  mo_cast_call call = call_of(mesh, __func__, MO_CAST_ANY);
  call.found = found;
  return cast_sphere(call, def, stats);
}

mo_result mo_mesh_cast_sphere_all(const mo_mesh *mesh, const mo_sphere_cast_def *def,
                                  mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                  mo_query_stats *stats) {
  mo_cast_call call = call_of(mesh, __func__, MO_CAST_ALL);
  call.hits = hits;
  call.capacity = capacity;
  call.total = total;
  return cast_sphere(call, def, stats);
}

mo_result mo_mesh_cast_shape(const mo_mesh *mesh, const mo_shape_cast_def *def, mo_cast_hit *hit,
                             mo_query_stats *stats) {
  mo_cast_call call = call_of(mesh, __func__, MO_CAST_FIRST);
  call.hits = hit;
  return cast_shape(call, def, stats);
}

mo_result mo_mesh_test_shape_cast(const mo_mesh *mesh, const mo_shape_cast_def *def, bool *found,
                                  mo_query_stats *stats) {
  mo_cast_call call = call_of(mesh, __func__, MO_CAST_ANY);
  call.found = found;
  return cast_shape(call, def, stats);
}

mo_result mo_mesh_cast_shape_all(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                 mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                 mo_query_stats *stats) {
  mo_cast_call call = call_of(mesh, __func__, MO_CAST_ALL);
  call.hits = hits;
  call.capacity = capacity;
  call.total = total;
  return cast_shape(call, def, stats);
}
