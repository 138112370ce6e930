/* The closest point of a scene, and the smallest signed distance: the test of one shape, and the
 * public queries. */
#include "geometry/distance/distance.h"
#include "geometry/penetration/penetration.h"
#include "query/near/near.h"
#include "query/solid.h"

static mo_closest_hit closest_of_mesh(const mo_closest_query *q, const mo_shape *shape) {
  const mo_mesh *mesh = shape->geometry.mesh;
  mo_mesh_closest closest;
  mo_mesh_closest_init(&closest, mesh, mo_widen(q->point), &shape->affine, q->distance);
  mo_mesh_closest_find(&closest, q->scene->isa, mesh, q->stats);
  return mo_mesh_closest_hit(&closest, mesh);
}

/* The shortest translation that takes a point out of a body that contains it. Limited to the length
 * of the shortest translation out of the body's box. */
static mo_push_out find_exit(const mo_body *body, mo_vec3 point) {
  mo_push_out out = mo_body_find_push_out(body, mo_widen(point), mo_dvec(0.0, 0.0, 0.0));
  out.depth = fmax(fmin(out.depth, mo_depth_in_box(body->bounds, point)), 0.0);
  return out;
}

static mo_closest_hit hit_of_body(const mo_closest_query *q, uint32_t slot) {
  mo_body body = mo_tested_body(q->scene, slot, q->child);
  if (q->is_signed) {
    mo_body_cache_bounds(&body);
  }
  mo_convex_closest closest = mo_body_closest_point(&body, q->point);
  mo_closest_hit hit = {.found = true,
                        .own_triangle = MO_NO_TRIANGLE,
                        .triangle = MO_NO_TRIANGLE,
                        .point = mo_narrow(closest.point),
                        .normal = mo_narrow(closest.normal),
                        .distance = (float)closest.distance,
                        .from = q->point};
  if (q->is_signed && closest.distance == 0.0) {
    mo_push_out out = find_exit(&body, q->point);
    hit.point = mo_narrow(mo_dadd(mo_widen(q->point), mo_dscale(out.depth, out.normal)));
    hit.normal = mo_narrow(out.normal);
    hit.distance = 0.0f - (float)out.depth;
  }
  return hit;
}

/* Converts a signed distance to a limit for the keys of boxes, which are squared distances with a
 * sign: boxes with greater keys contain no shape at this signed distance or a smaller one. */
static double box_key_limit_of(float distance) {
  if (!(distance < 0.0f)) {
    return mo_closest_distance2_limit(distance);
  }
  double min = fmax(-(double)distance * (1.0 - 0x1p-23) - 0x1p-149, 0.0);
  return -(min * min * (1.0 - 0x1p-50));
}

/* The hit of one shape, or of q->child, with its distance or signed distance. */
static mo_closest_hit hit_of_shape(const mo_closest_query *q, uint32_t slot) {
  const mo_shape *shape = mo_tested_shape(q->scene, slot, q->child);
  switch (shape->geometry.type) {
  case MO_SHAPE_MESH:
    return q->is_signed
               ? mo_mesh_signed_distance_hit(shape->geometry.mesh, &shape->affine, q->scene->isa,
                                             q->point, q->distance, NULL, q->stats)
               : closest_of_mesh(q, shape);
  case MO_SHAPE_COMPOUND: /* visited child by child */
    break;
    MO_CASES_OF_BODIES {
      return hit_of_body(q, slot);
    }
  }
  __builtin_unreachable();
}

/* Tests a shape or child that is no compound, and passes the filter. */
static void test_shape_or_child(mo_closest_query *q, uint32_t slot) {
  q->stats->shape_count++;
  if (q->distances != NULL) {
    mo_scene_distances_test_shape(slot, q);
    return;
  }
  const mo_closest_hit hit = hit_of_shape(q, slot);
  const uint32_t child = mo_child_number(q->child);
  if (hit.found && (hit.distance < q->distance ||
                    (hit.distance == q->distance &&
                     (slot < q->shape || (slot == q->shape && child < q->hit.child))))) {
    q->hit = hit;
    q->hit.child = child;
    q->hit.user_data = mo_tested_shape(q->scene, slot, q->child)->user_data;
    q->distance = hit.distance;
    q->shape = slot;
    q->limit = box_key_limit_of(hit.distance);
  }
}

static bool test_child(const mo_placed_child *child, double key, void *query) {
  (void)key;
  mo_closest_query *q = query;
  if (child->shape.geometry.type != MO_SHAPE_VOLUME || q->hit_volumes) {
    q->child = child;
    test_shape_or_child(q, child->slot);
    q->child = NULL;
  }
  return true;
}

void mo_scene_closest_test_shape(uint32_t slot, double key, void *query) {
  (void)key;
  mo_closest_query *q = query;
  const mo_shape *shape = &q->scene->shapes[slot];
  mo_shape_type type = shape->geometry.type;
  if ((type == MO_SHAPE_VOLUME && !q->hit_volumes) ||
      !mo_filter_passes_by_traits(q->scene, q->filter, q->filter_passes_defaults, slot)) {
    return;
  }
  if (type == MO_SHAPE_COMPOUND) {
    const mo_child_visitor visitor = {q->box_keys, &q->limit, test_child, q,
                                      q->filter,   NULL,      q->stats};
    mo_visit_children(q->scene, slot, &visitor);
  } else {
    test_shape_or_child(q, slot);
  }
}

mo_closest_def mo_default_closest_def(void) {
  return (mo_closest_def){
      .max_distance = INFINITY, .filter = mo_default_filter(), .cookie = MO_COOKIE};
}

static mo_result check_def(const mo_closest_def *def, const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_closest_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    result = mo_check_point(def->point, refusal, ".point");
  }
  return result == MO_OK ? mo_check_distance(def->max_distance, refusal, ".max_distance") : result;
}

/* The arguments of a call of one of the public functions. */
typedef struct point_call {
  const char *function;
  const mo_scene *scene; /* this member and the next two may be null, which is an error */
  const mo_closest_def *def;
  mo_closest_hit *hit;
  bool is_signed;
} point_call;

static mo_result run_query(const point_call *call, mo_query_stats *stats) {
  const mo_scene *scene = call->scene;
  const mo_closest_def *def = call->def;
  mo_closest_hit *hit = call->hit;
  if (scene == NULL || def == NULL || hit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), call->function, def == NULL ? "def" : "hit");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, call->function, "def");
  mo_result result = check_def(def, &refusal);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_aabb from = {def->point, def->point};
  mo_closest_query query = {
      .scene = scene,
      .point = def->point,
      .from = mo_near_box_of(&from),
      .filter = &def->filter,
      .hit_volumes = def->hit_volumes,
      .filter_passes_defaults = mo_filter_passes_defaults(&def->filter),
      .is_signed = call->is_signed,
      .distance = def->max_distance,
      .shape = MO_NONE,
      .hit = {.triangle = MO_NO_TRIANGLE, .own_triangle = MO_NO_TRIANGLE},
      .limit = mo_closest_distance2_limit(def->max_distance),
      .stats = &counts,
  };
  (call->is_signed ? mo_scene_signed_by_isa : mo_scene_closest_by_isa)[scene->isa](&query);
  *hit = query.hit;
  if (hit->found) {
    hit->shape = mo_shape_id_of(scene, query.shape);
  }
  mo_stats_end(&counts, stats);
  return MO_OK;
}

mo_result mo_scene_closest_point(const mo_scene *scene, const mo_closest_def *def,
                                 mo_closest_hit *hit, mo_query_stats *stats) {
  return run_query(&(point_call){__func__, scene, def, hit, false}, stats);
}

mo_result mo_scene_signed_distance(const mo_scene *scene, const mo_closest_def *def,
                                   mo_closest_hit *hit, mo_query_stats *stats) {
  return run_query(&(point_call){__func__, scene, def, hit, true}, stats);
}
