/* Casts of balls, convex bodies and meshes through a scene: the test of one shape, and the public
 * functions. */
#include "query/cast/cast.h"

#include "mesh/pair/sweep.h"
#include "query/solid.h"

static void record_hit(mo_scene_cast *q, uint32_t slot, const mo_cast_hit *hit, float distance) {
  bool better = hit->t != q->t            ? hit->t < q->t
                : distance != q->distance ? distance < q->distance
                : slot != q->shape        ? slot < q->shape
                                          : mo_child_number(q->child) < q->hit.child;
  mo_cast_hit taken = *hit;
  taken.shape = mo_shape_id_of(q->scene, slot);
  taken.child = mo_child_number(q->child);
  if (q->hits != NULL) {
    mo_bounded_offer(q->hits, &taken, sizeof taken, mo_cast_hit_before);
  } else if (better) {
    q->hit = taken;
    q->t = hit->t;
    q->distance = distance;
    q->shape = slot;
    q->limit = q->cast->goal == MO_CAST_ANY ? -INFINITY : mo_cast_unrounded_limit(q->t);
  }
}

/* The penetration depth below which a contact at the start of the path is worse than the best
 * contact so far. */
static double min_competing_depth(const mo_scene_cast *q) {
  return q->hits == NULL ? mo_cast_min_competing_depth(q->t, q->distance) : -INFINITY;
}

static void test_mesh(mo_scene_cast *q, uint32_t slot) {
  const mo_shape *shape = mo_tested_shape(q->scene, slot, q->child);
  mo_mesh_cast cast;
  mo_mesh_cast_init(&cast, shape->geometry.mesh, q->cast, &shape->affine,
                    mo_shape_id_of(q->scene, slot), q->t);
  cast.child = mo_child_number(q->child);
  cast.hits = q->cast->options->every_triangle ? q->hits : NULL;
  cast.min_depth = min_competing_depth(q);
  if (q->cast->mesh != NULL && q->cast->body.rotates && cast.hits == NULL) {
    mo_mesh_cast_find_mesh(&cast, q->scene->isa, q->stats);
  } else {
    mo_mesh_cast_find(&cast, q->scene->isa, q->stats);
  }
  if (cast.triangle != MO_NO_TRIANGLE) {
    mo_cast_hit hit = mo_mesh_cast_result(&cast);
    record_hit(q, slot, &hit, cast.distance);
  }
}

static void record_contact(mo_scene_cast *q, uint32_t slot, const mo_convex_contact *met,
                           uint32_t own_triangle) {
  float t = (float)met->t;
  if (t <= q->t) {
    mo_cast_hit hit = {.found = true,
                       .triangle = MO_NO_TRIANGLE,
                       .t = t,
                       .point = mo_narrow(met->point),
                       .normal = mo_narrow(met->normal),
                       .depth = (float)met->depth,
                       .own_triangle = own_triangle,
                       .own_child = q->cast->own_child};
    if (own_triangle != MO_NO_TRIANGLE) {
      hit.own_triangle_user_data = mo_mesh_user_data(q->cast->mesh, own_triangle);
    }
    if (mo_cast_approaches(q->cast->options, hit.normal, mo_cast_velocity(q->cast, met))) {
      record_hit(q, slot, &hit, t == 0.0f ? (float)met->distance : 0.0f);
    }
  }
}

/* Whether the options accept a contact of a moving mesh with a solid. */
static bool accept_contact(const mo_convex_contact *contact, const void *context) {
  const mo_cast *cast = context;
  return mo_cast_approaches(cast->options, mo_narrow(contact->normal),
                            mo_cast_velocity(cast, contact));
}

static void test_body_with_mesh(mo_scene_cast *q, uint32_t slot, const mo_body *still) {
  const mo_moving_mesh_cast search = {q->cast, still, accept_contact, q->cast};
  const mo_moving_mesh_contact own =
      mo_moving_mesh_cast_find(&search, q->t, min_competing_depth(q), q->stats);
  record_contact(q, slot, &own.contact, own.triangle);
}

static void test_body(mo_scene_cast *q, uint32_t slot) {
  const mo_cast *cast = q->cast;
  const mo_body still = mo_tested_body(q->scene, slot, q->child);
  if (cast->mesh != NULL) {
    test_body_with_mesh(q, slot, &still);
    return;
  }
  mo_convex_contact met = cast->is_ball ? mo_cast_sphere_body(&still, &cast->ball, q->limit)
                                        : mo_cast_convex_min_depth(&still, &cast->body, q->limit,
                                                                   min_competing_depth(q));
  q->stats->distance_count += !cast->is_ball && met.t == 0.0;
  record_contact(q, slot, &met, MO_NO_TRIANGLE);
}

static void test_geometry(mo_scene_cast *q, uint32_t slot);

static bool test_child(const mo_placed_child *child, double key, void *query) {
  (void)key;
  mo_scene_cast *q = query;
  if (child->shape.geometry.type != MO_SHAPE_VOLUME || q->cast->options->hit_volumes) {
    q->child = child;
    test_geometry(q, child->slot);
    q->child = NULL;
  }
  return true;
}

static void test_compound(mo_scene_cast *q, uint32_t slot) {
  const mo_child_visitor visitor = {
      q->box_keys, &q->limit, test_child, q, &q->cast->options->filter, NULL, q->stats};
  mo_visit_children(q->scene, slot, &visitor);
}

static void test_geometry(mo_scene_cast *q, uint32_t slot) {
  q->stats->shape_count++;
  switch (mo_tested_shape(q->scene, slot, q->child)->geometry.type) {
  case MO_SHAPE_MESH:
    test_mesh(q, slot);
    return;
  case MO_SHAPE_COMPOUND:
    test_compound(q, slot);
    return;
    MO_CASES_OF_BODIES {
      test_body(q, slot);
      return;
    }
  }
}

void mo_scene_cast_test_shape(uint32_t slot, double key, void *query) {
  (void)key;
  mo_scene_cast *q = query;
  const mo_cast_options *options = q->cast->options;
  mo_shape_type type = q->scene->shapes[slot].geometry.type;
  if ((type == MO_SHAPE_VOLUME && !options->hit_volumes) ||
      !mo_filter_passes_by_traits(q->scene, &options->filter, q->filter_passes_defaults, slot)) {
    return;
  }
  if (q->cast->uses_bounds_only) {
    const mo_half_space_body *half_space = mo_slot_half_space(q->scene, slot);
    mo_convex_contact met = half_space != NULL
                                ? mo_cast_bounds_at_half_space(half_space, &q->cast->body)
                                : mo_cast_bounds(mo_stored_box(q->scene, slot), &q->cast->body);
    record_contact(q, slot, &met, MO_NO_TRIANGLE);
    return;
  }
  test_geometry(q, slot);
}

/* Whether the moving shape is a box along the axes of the world, of which `path` says all. */
static bool is_aligned_box(const mo_cast *cast) {
  const mo_convex *convex = &cast->body.body.convex;
  return cast->body.box.is_usable && mo_solid_is_axis_aligned(&convex->solid, convex->column);
}

static void init_bound(mo_scene_cast *query, mo_vec3 reach) {
  const mo_cast *cast = query->cast;
  const mo_path_axis *path = query->path;
  if (!cast->is_ball && (cast->body.rotates || cast->uses_bounds_only || cast->mesh != NULL ||
                         is_aligned_box(cast))) {
    return;
  }
  query->has_bound = true;
  query->bound =
      cast->is_ball ? mo_moving_bound_of_ball(&cast->ball) : mo_moving_bound_of_body(&cast->body);
  double size =
      mo_sum_of_magnitudes(mo_widen(reach)) + mo_sum_of_magnitudes(query->bound.displacement);
  for (int axis = 0; axis < 3; axis++) {
    size += 2.0 * (fabs(path[axis].start) + path[axis].enlargement);
  }
  query->bound_margin = 4.0 * MO_RELATIVE_CULLING_MARGIN * size;
}

static void init_path(mo_scene_cast *query) {
  const mo_cast *cast = query->cast;
  mo_vec3 reach = mo_aabb_max_coordinates_or_zero(query->scene->root_bounds);
  if (cast->is_ball) {
    mo_path_of_ball(&cast->ball, reach, query->path);
    init_bound(query, reach);
    return;
  }
  query->culls_by_plane = cast->body.body.kind == MO_BODY_HALF_SPACE;
  if (query->culls_by_plane) {
    query->plane = mo_moving_plane_path(&cast->body, NULL, reach, query->scene->root_bounds);
    return;
  }
  mo_vec3 own = mo_aabb_max_coordinates(cast->body.bounds);
  mo_path_of_bounds(&cast->body, reach, query->path);
  init_bound(query, reach);
  double early = 2.0 * mo_relative_culling_margin(&cast->body) *
                 ((double)own.x + own.y + own.z + (double)reach.x + reach.y + reach.z);
  for (int axis = 0; axis < 3; axis++) {
    query->path[axis].enlargement += early;
  }
}

static void complete_hit(const void *subject, const mo_cast *cast, mo_cast_hit *hit) {
  const mo_scene *scene = subject;
  const uint32_t slot = hit->shape.index;
  mo_placed_child memory;
  const mo_placed_child *child =
      cast->uses_bounds_only ? NULL : mo_child_of_hit(scene, slot, hit->child, &memory);
  const mo_shape *shape = mo_tested_shape(scene, slot, child);
  hit->user_data = shape->user_data;
  if (hit->triangle != MO_NO_TRIANGLE) {
    mo_mesh_cast_set_features(cast, shape->geometry.mesh, &shape->affine, hit);
    return;
  }
  const bool as_box = cast->uses_bounds_only && shape->geometry.type != MO_SHAPE_HALF_SPACE;
  const mo_body body =
      as_box ? mo_body_of_aabb(mo_stored_box(scene, slot)) : mo_tested_body(scene, slot, child);
  mo_cast_set_features(cast, &body, hit);
}

static mo_cast_hit find_hits(const void *subject, mo_cast *cast, mo_bounded_list *list,
                             mo_query_stats *stats) {
  const mo_scene *scene = subject;
  mo_scene_cast query = {
      .scene = scene,
      .cast = cast,
      .filter_passes_defaults = mo_filter_passes_defaults(&cast->options->filter),
      .t = cast->t,
      .distance = cast->distance,
      .shape = MO_NONE,
      .hit = {.triangle = MO_NO_TRIANGLE, .own_triangle = MO_NO_TRIANGLE},
      .limit = mo_cast_unrounded_limit(cast->t),
      .hits = list,
      .stats = stats,
  };
  init_path(&query);
  mo_scene_cast_find_by_isa[scene->isa](&query);
  cast->t = query.t;
  cast->distance = query.distance;
  return query.hit;
}

static mo_cast_call cast_call_of(const mo_scene *scene, const char *function, mo_cast_mover mover,
                                 const void *def) {
  return (mo_cast_call){function, scene, mo_scene_host(scene), mover, def, find_hits, complete_hit};
}

mo_result mo_scene_cast_sphere(const mo_scene *scene, const mo_sphere_cast_def *def,
                               mo_cast_hit *hit, mo_query_stats *stats) {
  return mo_cast_first(cast_call_of(scene, __func__, MO_CAST_SPHERE, def), hit, stats);
}

mo_result mo_scene_test_sphere_cast(const mo_scene *scene, const mo_sphere_cast_def *def,
                                    bool *found, mo_query_stats *stats) {
  return mo_cast_any(cast_call_of(scene, __func__, MO_CAST_SPHERE, def), found, stats);
}

mo_result mo_scene_cast_sphere_all(const mo_scene *scene, const mo_sphere_cast_def *def,
                                   mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                   mo_query_stats *stats) {
  return mo_cast_all(cast_call_of(scene, __func__, MO_CAST_SPHERE, def), hits, capacity, total,
                     stats);
}

mo_result mo_scene_cast_shape(const mo_scene *scene, const mo_shape_cast_def *def, mo_cast_hit *hit,
                              mo_query_stats *stats) {
  return mo_cast_first(cast_call_of(scene, __func__, MO_CAST_SHAPE, def), hit, stats);
}

mo_result mo_scene_test_shape_cast(const mo_scene *scene, const mo_shape_cast_def *def, bool *found,
                                   mo_query_stats *stats) {
  return mo_cast_any(cast_call_of(scene, __func__, MO_CAST_SHAPE, def), found, stats);
}

mo_result mo_scene_cast_shape_all(const mo_scene *scene, const mo_shape_cast_def *def,
                                  mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                                  mo_query_stats *stats) {
  return mo_cast_all(cast_call_of(scene, __func__, MO_CAST_SHAPE, def), hits, capacity, total,
                     stats);
}
