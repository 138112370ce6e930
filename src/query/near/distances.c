/* Distances of convex bodies and meshes from scenes: the test of one shape, and the public queries.
 */
#include "mesh/pair/distance.h"
#include "query/near/near.h"
#include "query/solid.h"

/* test_mesh for a query about a mesh, which lists the closest triangle of the shape. */
static void test_meshes(const mo_shape *shape, const mo_closest_hit *blank, mo_closest_query *q) {
  mo_distance_query *found = q->distances;
  mo_closest_hit hit = mo_meshes_closest((const mo_mesh *[2]){shape->geometry.mesh, found->mesh},
                                         (const mo_affine[2]){shape->affine, found->affine},
                                         found->distance, q->scene->isa, q->stats);
  hit.shape = blank->shape;
  hit.child = blank->child;
  hit.user_data = blank->user_data;
  hit.own_child = blank->own_child;
  if (hit.found && mo_distances_accepts_hit(found, &hit)) {
    mo_distances_add_hit(found, &hit);
  }
}

static void test_mesh(const mo_shape *shape, mo_closest_hit *hit, mo_closest_query *q) {
  mo_distance_query *found = q->distances;
  const mo_mesh_in_scene in_scene = {&shape->affine, hit->shape, hit->child, hit->user_data};
  if (q->every_triangle) {
    mo_mesh_distances_find(shape->geometry.mesh, &in_scene, q->scene->isa, found, q->stats);
    return;
  }
  if (found->mesh != NULL) {
    test_meshes(shape, hit, q);
    return;
  }
  mo_distance_query one = {.body = found->body,
                           .hits = mo_bounded_make(hit, 1),
                           .distance = found->distance,
                           .own_child = found->own_child,
                           .core = found->core};
  mo_mesh_distances_find(shape->geometry.mesh, &in_scene, q->scene->isa, &one, q->stats);
  if (one.hits.count > 0 && mo_distances_accepts_hit(found, hit)) {
    mo_distances_add_hit(found, hit);
  }
}

void mo_scene_distances_test_shape(uint32_t slot, mo_closest_query *query) {
  mo_distance_query *found = query->distances;
  const mo_shape *shape = mo_tested_shape(query->scene, slot, query->child);
  mo_aabb stored = mo_tested_box(query->scene, slot, query->child);
  mo_closest_hit hit = {.shape = mo_shape_id_of(query->scene, slot),
                        .child = mo_child_number(query->child),
                        .user_data = shape->user_data,
                        .own_child = found->own_child};
  if (mo_distances_can_skip_box(found, stored) ||
      (found->distance == 0.0f && found->after == NULL && !mo_distances_accepts_hit(found, &hit))) {
    return; /* the shape has no closer point than the hits found so far */
  }
  hit.triangle = MO_NO_TRIANGLE;
  switch (shape->geometry.type) {
  case MO_SHAPE_MESH:
    test_mesh(shape, &hit, query);
    break;
  case MO_SHAPE_COMPOUND: /* visited child by child */
    break;
    MO_CASES_OF_BODIES {
      mo_body own = mo_tested_body(query->scene, slot, query->child);
      mo_body_cache_bounds(&own);
      mo_convex_gap gap;
      if (mo_distances_measure(found, &own, &hit, &gap)) {
        mo_distances_add_hit(found, &hit);
      }
    }
  }
  query->limit = mo_closest_distance2_limit(found->distance);
}

static void find_distances(const void *subject, const mo_distance_def *def,
                           mo_distance_query *found, mo_query_stats *stats) {
  const mo_scene *scene = subject;
  mo_closest_query query = {
      .scene = scene,
      .from = mo_near_box_of(&found->body.bounds),
      .filter = &def->filter,
      .hit_volumes = def->hit_volumes,
      .filter_passes_defaults = mo_filter_passes_defaults(&def->filter),
      .limit = mo_closest_distance2_limit(found->distance),
      .skip_distance2 = mo_distances_skip_distance2(found, 0.0),
      .stats = stats,
      .distances = found,
      .every_triangle = def->every_triangle,
  };
  query.culls_by_plane = found->body.kind == MO_BODY_HALF_SPACE;
  if (query.culls_by_plane) {
    query.plane = mo_plane_path_of(&found->body.half_space, NULL,
                                   mo_aabb_max_coordinates_or_zero(scene->root_bounds));
  }
  mo_scene_closest_by_isa[scene->isa](&query);
}

static mo_distance_call distance_call_of(const mo_scene *scene, const char *function,
                                         const mo_distance_def *def) {
  return (mo_distance_call){function, scene, mo_scene_host(scene), def, find_distances};
}

mo_result mo_scene_find_closest(const mo_scene *scene, const mo_distance_def *def,
                                mo_closest_hit *hit, mo_query_stats *stats) {
  return mo_distances_closest(distance_call_of(scene, __func__, def), hit, stats);
}

mo_result mo_scene_find_within(const mo_scene *scene, const mo_distance_def *def,
                               mo_closest_hit *hits, uint32_t capacity, uint32_t *total,
                               mo_query_stats *stats) {
  return mo_distances_list(distance_call_of(scene, __func__, def), hits, capacity, true, total,
                           stats);
}

mo_result mo_scene_find_closest_few(const mo_scene *scene, const mo_distance_def *def,
                                    mo_closest_hit *hits, uint32_t capacity, uint32_t *count,
                                    mo_query_stats *stats) {
  return mo_distances_list(distance_call_of(scene, __func__, def), hits, capacity, false, count,
                           stats);
}

mo_result mo_scene_visit_closest(const mo_scene *scene, const mo_distance_def *def,
                                 bool (*visit)(const mo_closest_hit *hit, void *context),
                                 void *context, mo_query_stats *stats) {
  return mo_distances_visit(distance_call_of(scene, __func__, def), visit, context, stats);
}
