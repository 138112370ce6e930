/* The first contact of a moving convex body with a scene: how it meets one shape, and the public
 * query. */
#include "query/near/near.h"
#include "query/solid.h"

static mo_cast_contact meet_mesh(const mo_cast_query *q, const mo_shape *shape) {
  const mo_mesh *mesh = shape->geometry.mesh;
  mo_mesh_shape_cast cast;
  mo_mesh_shape_cast_init(&cast, mesh, q->moving, &shape->affine, q->t);
  mo_mesh_shape_cast_find(&cast, q->scene->isa, mesh, q->stats);
  return (mo_cast_contact){mo_mesh_shape_cast_result(&cast, mesh), cast.distance};
}

static mo_cast_contact meet_solid(const mo_cast_query *q, const mo_shape *shape, uint32_t slot) {
  mo_convex solid = mo_solid_of(shape, mo_stored_box(q->scene, slot));
  const mo_distance_body body = {.convex = &solid};
  mo_convex_contact met = mo_cast_convex(&body, mo_convex_bounds(&solid), q->moving, q->limit);
  return mo_cast_contact_of(&met, q->t);
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
  if (scene == NULL || def == NULL || hit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, def == NULL ? "def" : "hit");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_prepared_primitive primitive;
  mo_result result = check(def, &refusal, &primitive);
  if (result != MO_OK) {
    return result;
  }
  const mo_moving_body moving = {mo_prepared_body(&primitive), mo_prepared_bounds(&primitive),
                                 def->displacement};
  mo_cast_query query = {
      .scene = scene,
      .filter = &def->filter,
      .hit_volumes = def->hit_volumes,
      .moving = &moving,
      .meet_mesh = meet_mesh,
      .meet_solid = meet_solid,
  };
  mo_vec3 reach = mo_scene_reach(scene), own = mo_aabb_reach(moving.bounds);
  mo_path_of_bounds(&moving, reach, query.path);
  double early = 2.0 * MO_EARLY_CONTACT *
                 ((double)own.x + own.y + own.z + (double)reach.x + reach.y + reach.z);
  for (int axis = 0; axis < 3; axis++) {
    query.path[axis].grow += early;
  }
  mo_cast_query_run(&query, hit, stats);
  return MO_OK;
}
