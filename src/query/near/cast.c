/* The first contact with a scene of what moves: the test of one shape; and the public query for
 * balls. */
#include "geometry/cast/sphere.h"
#include "query/near/near.h"
#include "query/solid.h"

void mo_scene_cast_test(uint32_t slot, double key, void *query) {
  (void)key;
  mo_cast_query *q = query;
  const mo_shape *shape = &q->scene->shapes[slot];
  mo_shape_type type = shape->geometry.type;
  if ((type == MO_SHAPE_VOLUME && !q->hit_volumes) ||
      !mo_filter_passes_lightly(q->scene, q->filter, q->plain, slot)) {
    return;
  }
  q->stats->shape_count++;
  mo_cast_contact met =
      type == MO_SHAPE_MESH ? q->meet_mesh(q, shape) : q->meet_solid(q, shape, slot);
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

void mo_cast_query_run(mo_cast_query *query, mo_cast_hit *hit, mo_query_stats *stats) {
  static void (*const cast[MO_ISA_COUNT])(mo_cast_query *) = MO_ISA_TABLE(mo_scene_cast);
  const mo_scene *scene = query->scene;
  mo_query_stats counts = mo_stats_begin(stats);
  query->plain = mo_filter_is_plain(query->filter);
  query->t = 1.0f;
  query->distance = INFINITY;
  query->shape = MO_NONE;
  query->hit = (mo_cast_hit){.triangle = MO_NO_TRIANGLE};
  query->limit = mo_cast_limit(1.0f);
  query->stats = &counts;
  cast[scene->isa](query);
  *hit = query->hit;
  if (hit->found) {
    hit->shape = mo_shape_id_of(scene, query->shape);
    hit->user_data = scene->shapes[query->shape].user_data;
  }
  mo_stats_end(&counts, stats);
}

static mo_cast_contact meet_mesh(const mo_cast_query *q, const mo_shape *shape) {
  const mo_mesh *mesh = shape->geometry.mesh;
  const mo_moving_ball *ball = q->moving;
  mo_mesh_cast cast;
  mo_mesh_cast_init(&cast, mesh, (mo_sphere){ball->center, ball->radius}, ball->displacement,
                    &shape->affine, q->t);
  mo_mesh_cast_find(&cast, q->scene->isa, mesh, q->stats);
  return (mo_cast_contact){mo_mesh_cast_result(&cast, mesh), cast.distance};
}

static mo_cast_contact meet_solid(const mo_cast_query *q, const mo_shape *shape, uint32_t slot) {
  mo_convex solid = mo_solid_of(shape, mo_stored_box(q->scene, slot));
  mo_convex_contact met = mo_cast_sphere_convex(&solid, q->moving, q->limit);
  return mo_cast_contact_of(&met, q->t);
}

mo_sphere_cast_def mo_default_sphere_cast_def(void) {
  return (mo_sphere_cast_def){.filter = mo_default_filter(), .cookie = MO_COOKIE};
}

static mo_result check(const mo_sphere_cast_def *def, const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_sphere_cast_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    mo_refusal sphere = mo_refusal_in(refusal, ".sphere", MO_NO_INDEX);
    result = mo_check_sphere(&def->sphere, &sphere);
  }
  return result == MO_OK ? mo_check_point(def->displacement, refusal, ".displacement") : result;
}

mo_result mo_scene_cast_sphere(const mo_scene *scene, const mo_sphere_cast_def *def,
                               mo_cast_hit *hit, mo_query_stats *stats) {
  if (scene == NULL || def == NULL || hit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, def == NULL ? "def" : "hit");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_result result = check(def, &refusal);
  if (result != MO_OK) {
    return result;
  }
  const mo_moving_ball ball = {def->sphere.center, def->sphere.radius, def->displacement};
  mo_cast_query query = {
      .scene = scene,
      .filter = &def->filter,
      .hit_volumes = def->hit_volumes,
      .moving = &ball,
      .meet_mesh = meet_mesh,
      .meet_solid = meet_solid,
  };
  mo_path_of(&ball, mo_scene_reach(scene), query.path);
  mo_cast_query_run(&query, hit, stats);
  return MO_OK;
}
