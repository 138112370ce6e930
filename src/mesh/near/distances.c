/* Distances of convex bodies and meshes from meshes: which hits count, the test of one triangle,
 * and the public queries; also what queries on scenes share with them. */
#include "geometry/triangle/triangle.h"
#include "mesh/near/near.h"

/* Hits for a callback are found in batches of growing size: number of hits in the first batch, and
 * in the largest. */
enum { FIRST_BATCH_SIZE = 4, MAX_BATCH_SIZE = 64 };

/* Barycentric weights below this are rounding errors: the point lies on the edge or at the
 * corner. */
static const double min_barycentric_weight = 0x1p-40;

/* The core of a body (near.h): the axis of a capsule with its radius if a capsule fits the body
 * well, else its box. */
static mo_body_core core_of(const mo_body *body) {
  mo_body_core core = {.box = body->bounds};
  if (body->kind == MO_BODY_HALF_SPACE) {
    return core;
  }
  const mo_bounding_capsule around = mo_bounding_capsule_of(body);
  core.rounded_box = mo_rounded_box_around(body, &around);
  core.radius = core.rounded_box.radius;
  if (core.radius > 0.0) {
    const mo_dvec3 half = mo_dabs(around.half);
    core.box = mo_aabb_around(mo_dsub(around.center, half), mo_dadd(around.center, half));
  }
  return core;
}

/* Finds the triangle of the query's mesh that is closest to a body, and sets the members of a hit
 * for the query's shape. Returns false if none is within the query's distance. */
static bool measure_mesh(const mo_distance_query *found, const mo_body *other, mo_closest_hit *hit,
                         mo_convex_gap *gap) {
  const mo_mesh_in_scene in_scene = {.affine = &found->affine};
  mo_closest_own_triangle own = {.triangle = MO_NO_TRIANGLE};
  mo_distance_query search = {
      .body = *other, .stats = found->stats, .own = &own, .distance = found->distance};
  mo_body_cache_bounds(&search.body);
  search.core = core_of(&search.body);
  mo_mesh_distances_find(found->mesh, &in_scene, found->mesh->isa, &search, found->stats);
  if (own.triangle == MO_NO_TRIANGLE) {
    return false;
  }
  *gap = own.gap;
  hit->distance = search.distance;
  hit->own_triangle = own.triangle;
  hit->own_triangle_user_data = mo_mesh_user_data(found->mesh, own.triangle);
  return true;
}

static void measure_body(const mo_distance_query *found, const mo_body *other, mo_closest_hit *hit,
                         mo_convex_gap *gap) {
  *gap = mo_bodies_distance(other, &found->body, sqrt(mo_closest_distance2_limit(found->distance)));
  hit->distance = mo_distance_for_comparison(gap->distance);
}

bool mo_distances_measure(const mo_distance_query *found, const mo_body *own, mo_closest_hit *hit,
                          mo_convex_gap *gap) {
  hit->distance = 0.0f;
  if (found->distance == 0.0f && !mo_distances_accepts_hit(found, hit)) {
    return false; /* a hit at distance 0 would not count, and none is closer */
  }
  if (mo_distances_can_skip_box(found, mo_body_bounds(own))) {
    return false;
  }
  hit->own_triangle = MO_NO_TRIANGLE;
  if (found->mesh == NULL) {
    measure_body(found, own, hit, gap);
  } else if (!measure_mesh(found, own, hit, gap)) {
    return false;
  }
  hit->found = true;
  hit->point = mo_narrow(gap->points[0]);
  hit->from = mo_narrow(gap->points[1]);
  hit->normal = mo_narrow(gap->normal);
  return mo_distances_accepts_hit(found, hit);
}

void mo_distances_add_hit(mo_distance_query *found, const mo_closest_hit *hit) {
  mo_bounded_list *hits = &found->hits;
  mo_bounded_offer(hits, hit, sizeof *hit, mo_closest_hit_before);
  if (!found->count_all && hits->count == hits->capacity) {
    found->distance = ((const mo_closest_hit *)hits->items)->distance;
  }
}

/* Sets up culling by the box of the body, or by the plane of a half-space. */
static void set_culling(mo_mesh_closest *query) {
  const mo_mesh *mesh = query->mesh;
  const mo_affine *affine = query->affine;
  const mo_body *body = &query->body_query->body;
  query->culls_by_plane = body->kind == MO_BODY_HALF_SPACE;
  if (query->culls_by_plane) {
    query->plane = mo_plane_path_of(&body->half_space, affine, mesh->reach);
    return;
  }
  /* Gaps of up to 1e-11 of the sizes plus 1e-14 of the coordinates count as distance 0. */
  mo_vec3 reach = mo_aabb_max_coordinates_or_zero(mo_mesh_bounds_in_world(mesh, affine));
  mo_vec3 own = mo_aabb_max_coordinates(body->bounds);
  double tolerance = 0x1p-35 * ((double)reach.x + reach.y + reach.z + own.x + own.y + own.z);
  const mo_body_core *core = &query->body_query->core;
  const mo_dvec3 lower = mo_widen(core->box.lower), upper = mo_widen(core->box.upper),
                 rest = {0.0, 0.0, 0.0};
  const mo_cull_frame frame =
      mo_cull_frame_of_box(mesh, affine, mo_dscale(0.5, mo_dadd(lower, upper)),
                           mo_dscale(0.5, mo_dsub(upper, lower)), rest, tolerance);
  mo_mesh_closest_set_frame(query, &frame);
  query->culling_box = mo_culling_box_make(&core->rounded_box, rest, mesh, affine, tolerance);
}

void mo_closest_hit_set_triangle(const mo_mesh *mesh, const mo_affine *affine,
                                 const mo_vec3 corners[3], mo_dvec3 point, mo_closest_hit *hit) {
  mo_dvec3 relative[3];
  double weights[3];
  mo_relative_corners(affine, corners, point, relative);
  mo_triangle_closest_weights(relative, mo_dvec(0.0, 0.0, 0.0), weights);
  for (int i = 0; i < 3; i++) {
    weights[i] = weights[i] < min_barycentric_weight ? 0.0 : weights[i];
  }
  hit->u = (float)weights[1];
  hit->v = (float)weights[2];
  mo_closest_hit_set_feature(weights, hit);
  hit->triangle_user_data = mo_mesh_user_data(mesh, hit->triangle);
}

/* Tests a triangle in a search for the one that is closest to the body. */
static void test_own_triangle(const mo_body *triangle_body, uint32_t triangle,
                              mo_mesh_closest *query) {
  mo_distance_query *found = query->body_query;
  const mo_convex_gap gap = mo_bodies_distance(&found->body, triangle_body,
                                               sqrt(mo_closest_distance2_limit(found->distance)));
  const float distance = mo_distance_for_comparison(gap.distance);
  if (distance < found->distance ||
      (distance == found->distance && triangle < found->own->triangle)) {
    *found->own = (mo_closest_own_triangle){triangle, gap};
    found->distance = distance;
    query->limit = mo_closest_core_distance2_limit(distance, found->core.radius);
  }
}

/* Tests one triangle. */
static void test_triangle(const mo_vec3 corners[3], uint32_t triangle, mo_mesh_closest *query) {
  mo_closest_hit hit = {.shape = query->shape,
                        .child = query->child,
                        .user_data = query->user_data,
                        .triangle = triangle,
                        .own_child = query->body_query->own_child};
  const mo_body own = mo_body_of_local_triangle(query->affine, corners);
  mo_convex_gap gap;
  if (query->body_query->own != NULL) {
    test_own_triangle(&own, triangle, query);
    return;
  }
  if (!mo_distances_measure(query->body_query, &own, &hit, &gap)) {
    return;
  }
  mo_closest_hit_set_triangle(query->mesh, query->affine, corners, gap.points[0], &hit);
  mo_distances_add_hit(query->body_query, &hit);
  query->limit =
      mo_closest_core_distance2_limit(query->body_query->distance, query->body_query->core.radius);
}

void mo_mesh_distances_find(const mo_mesh *mesh, const mo_mesh_in_scene *member, mo_isa isa,
                            mo_distance_query *found, mo_query_stats *stats) {
  const mo_affine *affine = member != NULL ? member->affine : NULL;
  mo_mesh_closest query = {
      .affine = affine,
      .limit = mo_closest_core_distance2_limit(found->distance, found->core.radius),
      .skip_distance2 = mo_distances_skip_distance2(found, found->core.radius),
      .body_query = found,
      .test = test_triangle,
      .mesh = mesh,
  };
  if (member != NULL) {
    query.shape = member->shape;
    query.child = member->child;
    query.user_data = member->user_data;
  }
  set_culling(&query);
  mo_mesh_closest_find(&query, isa, mesh, stats);
}

mo_distance_def mo_default_distance_def(void) {
  return (mo_distance_def){.primitive = mo_primitive_of_point(mo_vec(0.0f, 0.0f, 0.0f)),
                           .max_distance = INFINITY,
                           .filter = mo_default_filter(),
                           .cookie = MO_COOKIE};
}

/* Sets what a query is about, which is no compound. */
static void set_shape(mo_distance_query *found, const mo_prepared_primitive *primitive) {
  found->body = primitive->body;
  found->mesh = primitive->mesh;
  found->affine = primitive->affine;
  mo_body_cache_bounds(&found->body);
  found->core = core_of(&found->body);
}

/* Checks the arguments of a call, and prepares its def. `missing`: the name of an argument that is
 * null and must not be; else null. */
static mo_result prepare_query(mo_distance_query *found, const mo_distance_call *call,
                               const char *missing) {
  const mo_distance_def *def = call->def;
  mo_prepared_primitive primitive;
  *found = (mo_distance_query){.count_all = false};
  if (call->subject == NULL || def == NULL || missing != NULL) {
    return mo_refuse_null(call->host, call->function, def == NULL ? "def" : missing);
  }
  mo_refusal refusal = mo_refusal_of(call->host, call->function, "def");
  mo_result result = mo_check_cookie(def->cookie, &refusal, "", "mo_default_distance_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, &refusal, ".filter");
  }
  if (result == MO_OK) {
    mo_refusal member = mo_refusal_in(&refusal, ".primitive", MO_NO_INDEX);
    result = mo_query_primitive_prepare(&primitive, &def->primitive, &member);
  }
  if (result == MO_OK) {
    result = mo_check_distance(def->max_distance, &refusal, ".max_distance");
  }
  if (result == MO_OK && def->after != NULL) {
    result = mo_check_distance(def->after->distance, &refusal, ".after->distance");
  }
  if (result == MO_OK) {
    set_shape(found, &primitive);
    found->compound = primitive.compound;
    found->after = def->after;
  }
  return result;
}

/* Finds the hits of each child of the compound that the query is about. */
static void find_hits_of_children(const mo_distance_call *call, mo_distance_query *found,
                                  mo_query_stats *counts) {
  const mo_affine affine = found->affine;
  mo_prepared_primitive child;
  for (uint32_t number = 0;
       mo_functions_of(found->compound)
           ->find_child(found->compound, &affine, call->def->hit_volumes, &number, &child);
       number++) {
    set_shape(found, &child);
    found->own_child = number;
    call->find(call->subject, call->def, found, counts);
  }
  found->affine = affine;
}

static void find_hits(const mo_distance_call *call, mo_distance_query *found, mo_closest_hit *hits,
                      uint32_t capacity, mo_query_stats *counts) {
  found->hits = mo_bounded_make(hits, capacity);
  found->distance = call->def->max_distance;
  found->stats = counts;
  if (capacity > 0 || found->count_all) {
    if (found->compound != NULL) {
      find_hits_of_children(call, found, counts);
    } else {
      call->find(call->subject, call->def, found, counts);
    }
    mo_bounded_sort(&found->hits, sizeof *hits, mo_closest_hit_before);
  }
}

mo_result mo_distances_closest(mo_distance_call call, mo_closest_hit *hit, mo_query_stats *stats) {
  mo_distance_query found;
  mo_result result = prepare_query(&found, &call, hit == NULL ? "hit" : NULL);
  if (result == MO_OK) {
    mo_query_stats counts = mo_stats_begin(stats);
    mo_closest_hit closest = {.triangle = MO_NO_TRIANGLE, .own_triangle = MO_NO_TRIANGLE};
    find_hits(&call, &found, &closest, 1, &counts);
    *hit = closest;
    mo_stats_end(&counts, stats);
  }
  return result;
}

mo_result mo_distances_list(mo_distance_call call, mo_closest_hit *hits, uint32_t capacity,
                            bool count_all, uint32_t *number, mo_query_stats *stats) {
  const char *missing = number == NULL                 ? (count_all ? "total" : "count")
                        : capacity > 0 && hits == NULL ? "hits"
                                                       : NULL;
  mo_distance_query found;
  mo_result result = prepare_query(&found, &call, missing);
  if (result == MO_OK) {
    mo_query_stats counts = mo_stats_begin(stats);
    found.count_all = count_all;
    find_hits(&call, &found, hits, capacity, &counts);
    *number = count_all ? found.hits.total : found.hits.count;
    mo_stats_end(&counts, stats);
  }
  return result;
}

/* Finds hits in growing batches; each batch continues after the last hit of the one before. */
mo_result mo_distances_visit(mo_distance_call call,
                             bool (*visit)(const mo_closest_hit *hit, void *context), void *context,
                             mo_query_stats *stats) {
  mo_distance_query found;
  mo_result result = prepare_query(&found, &call, visit == NULL ? "visit" : NULL);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_closest_hit hits[MAX_BATCH_SIZE], last;
  uint32_t capacity = FIRST_BATCH_SIZE;
  bool go_on = true;
  while (go_on) {
    find_hits(&call, &found, hits, capacity, &counts);
    for (uint32_t i = 0; i < found.hits.count && go_on; i++) {
      go_on = visit(&hits[i], context);
    }
    go_on = go_on && found.hits.count == capacity;
    if (go_on) {
      last = hits[capacity - 1];
      found.after = &last;
      capacity = 4 * capacity <= MAX_BATCH_SIZE ? 4 * capacity : MAX_BATCH_SIZE;
    }
  }
  mo_stats_end(&counts, stats);
  return MO_OK;
}

static void find_in_mesh(const void *subject, const mo_distance_def *def, mo_distance_query *found,
                         mo_query_stats *stats) {
  const mo_mesh *mesh = subject;
  (void)def;
  mo_mesh_distances_find(mesh, NULL, mesh->isa, found, stats);
}

static mo_distance_call call_of(const mo_mesh *mesh, const char *function,
                                const mo_distance_def *def) {
  return (mo_distance_call){function, mesh, mo_mesh_host(mesh), def, find_in_mesh};
}

mo_result mo_mesh_find_closest(const mo_mesh *mesh, const mo_distance_def *def, mo_closest_hit *hit,
                               mo_query_stats *stats) {
  return mo_distances_closest(call_of(mesh, __func__, def), hit, stats);
}

mo_result mo_mesh_find_within(const mo_mesh *mesh, const mo_distance_def *def, mo_closest_hit *hits,
                              uint32_t capacity, uint32_t *total, mo_query_stats *stats) {
  return mo_distances_list(call_of(mesh, __func__, def), hits, capacity, true, total, stats);
}

mo_result mo_mesh_find_closest_few(const mo_mesh *mesh, const mo_distance_def *def,
                                   mo_closest_hit *hits, uint32_t capacity, uint32_t *count,
                                   mo_query_stats *stats) {
  return mo_distances_list(call_of(mesh, __func__, def), hits, capacity, false, count, stats);
}

mo_result mo_mesh_visit_closest(const mo_mesh *mesh, const mo_distance_def *def,
                                bool (*visit)(const mo_closest_hit *hit, void *context),
                                void *context, mo_query_stats *stats) {
  return mo_distances_visit(call_of(mesh, __func__, def), visit, context, stats);
}
