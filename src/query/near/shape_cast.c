/* The first contact of a moving convex body with a scene: the test of one shape, and the public
 * query. */
#include "query/near/near.h"
#include "query/solid.h"

/* A contact and what it is compared by. */
typedef struct contact {
  mo_cast_hit hit;
  float distance; /* where t is 0, the negative depth; else 0 */
} contact;

static contact meet_mesh(const mo_shape_cast_query *q, const mo_shape *shape) {
  const mo_mesh *mesh = shape->geometry.mesh;
  mo_mesh_shape_cast cast;
  mo_mesh_shape_cast_init(&cast, mesh, &q->moving, &shape->affine, q->t);
  mo_mesh_shape_cast_find(&cast, q->scene->isa, mesh, q->stats);
  return (contact){mo_mesh_shape_cast_result(&cast, mesh), cast.distance};
}

static contact meet_solid(const mo_shape_cast_query *q, const mo_shape *shape, uint32_t slot) {
  mo_convex solid = mo_solid_of(shape, mo_stored_box(q->scene, slot));
  const mo_distance_body body = {.convex = &solid};
  mo_convex_contact met = mo_cast_convex(&body, mo_convex_bounds(&solid), &q->moving, q->limit);
  float t = (float)met.t;
  if (!(t <= q->t)) {
    return (contact){.hit = {.found = false}};
  }
  return (contact){.hit = {.found = true,
                           .triangle = MO_NO_TRIANGLE,
                           .t = t,
                           .point = mo_narrow(met.point),
                           .normal = mo_narrow(met.normal),
                           .depth = (float)met.depth},
                   .distance = (float)met.distance};
}

void mo_scene_shape_cast_test(uint32_t slot, double key, void *query) {
  (void)key;
  mo_shape_cast_query *q = query;
  const mo_shape *shape = &q->scene->shapes[slot];
  mo_shape_type type = shape->geometry.type;
  if ((type == MO_SHAPE_VOLUME && !q->def->hit_volumes) ||
      !mo_filter_passes_lightly(q->scene, &q->def->filter, q->plain, slot)) {
    return;
  }
  q->stats->shape_count++;
  contact met = type == MO_SHAPE_MESH ? meet_mesh(q, shape) : meet_solid(q, shape, slot);
  bool better = met.hit.t != q->t             ? met.hit.t < q->t
                : met.distance != q->distance ? met.distance < q->distance
                                              : slot < q->shape;
  if (met.hit.found && better) {
    q->hit = met.hit;
    q->t = met.hit.t;
    q->distance = met.distance;
    q->shape = slot;
    q->limit = mo_cast_limit(q->t);
  }
}

mo_shape_cast_def mo_default_shape_cast_def(void) {
  return (mo_shape_cast_def){.primitive = mo_primitive_of_point(mo_vec(0.0f, 0.0f, 0.0f)),
                             .filter = mo_default_filter(),
                             .cookie = MO_COOKIE};
}

static mo_result check(const mo_shape_cast_def *def, const mo_refusal *refusal,
                       mo_prepared_primitive *primitive) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_shape_cast_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    mo_refusal place = mo_refusal_in(refusal, ".primitive", MO_NO_INDEX);
    result = mo_primitive_prepare(primitive, &def->primitive, &place);
  }
  return result == MO_OK ? mo_check_point(def->displacement, refusal, ".displacement") : result;
}

mo_result mo_scene_cast_shape(const mo_scene *scene, const mo_shape_cast_def *def, mo_cast_hit *hit,
                              mo_query_stats *stats) {
  static void (*const cast[MO_ISA_COUNT])(mo_shape_cast_query *) =
      MO_ISA_TABLE(mo_scene_shape_cast);
  if (scene == NULL || def == NULL || hit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, def == NULL ? "def" : "hit");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_prepared_primitive primitive;
  mo_result result = check(def, &refusal, &primitive);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_shape_cast_query query = {
      .scene = scene,
      .def = def,
      .moving = {mo_prepared_body(&primitive), mo_prepared_bounds(&primitive), def->displacement},
      .plain = mo_filter_is_plain(&def->filter),
      .t = 1.0f,
      .distance = INFINITY,
      .shape = MO_NONE,
      .hit = {.triangle = MO_NO_TRIANGLE},
      .limit = mo_cast_limit(1.0f),
      .stats = &counts,
  };
  mo_vec3 reach = mo_aabb_is_empty(scene->root_bounds) ? mo_vec(0.0f, 0.0f, 0.0f)
                                                       : mo_aabb_reach(scene->root_bounds);
  mo_path_of_bounds(&query.moving, reach, query.path);
  mo_vec3 own = mo_aabb_reach(query.moving.bounds);
  double early = 2.0 * MO_EARLY_CONTACT *
                 ((double)own.x + own.y + own.z + (double)reach.x + reach.y + reach.z);
  for (int axis = 0; axis < 3; axis++) {
    query.path[axis].grow += early;
  }
  cast[scene->isa](&query);
  *hit = query.hit;
  if (hit->found) {
    hit->shape = mo_shape_id_of(scene, query.shape);
    hit->user_data = scene->shapes[query.shape].user_data;
  }
  mo_stats_end(&counts, stats);
  return MO_OK;
}
