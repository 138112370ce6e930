/* A ray against one shape, on the fast path inline for the traversals. The ray is transformed to
 * local space if the transform allows it; otherwise the shape is tested in world space. */
#ifndef MO_QUERY_RAY_SHAPE_RAY_H
#define MO_QUERY_RAY_SHAPE_RAY_H

#include "base/inline.h"
#include "geometry/solid.h"
#include "query/ray/scene_ray.h"

/* Whether the triangle that a query ignores belongs to this shape, or the child being tested. */
static inline bool mo_scene_ray_ignores_triangle_of(const mo_scene_ray *query,
                                                    const mo_shape *shape, uint32_t slot) {
  const mo_shape_id *id = &query->def->ignore_triangle_shape;
  return id->index == slot && id->generation == shape->generation &&
         mo_child_number(query->tested_child) == query->def->ignore_triangle_child;
}

/* For the general path: transforms the ray to the local space of a shape or, where that is not
 * possible, sets up a test of the mesh in world space. */
MO_INLINE void mo_scene_ray_to_local(mo_scene_ray *query, const mo_shape *shape, uint32_t slot) {
  const mo_ray_def *def = query->def;
  mo_mesh_ray *ray = &query->mesh_ray;
  mo_mesh_ray_options *options = &query->mesh_options;
  options->world_map = NULL;
  options->mirrored = false;
  ray->cull = def->cull_back_faces ? MO_CULL_BACK : MO_CULL_NONE;
  query->origin = def->origin;
  query->direction = def->direction;
  if (!mo_affine_ray_to_local(&shape->affine, &query->origin, &query->direction,
                              &query->axis_sizes)) {
    query->axis_sizes = mo_vec(1.0f, 1.0f, 1.0f);
    options->world_map = &shape->affine;
    options->mirrored = mo_affine_mirrors(&shape->affine);
    ray->cull = !def->cull_back_faces ? MO_CULL_NONE
                : options->mirrored   ? MO_CULL_FRONT
                                      : MO_CULL_BACK;
  }
  ray->ignore =
      mo_scene_ray_ignores_triangle_of(query, shape, slot) ? def->ignore_triangle : MO_NO_TRIANGLE;
  options->shape = (mo_shape_id){slot, shape->generation};
  options->child = mo_child_number(query->tested_child);
  mo_mesh_hit_init(&query->mesh_best, query->max_t);
}

/* Whether a shape, or the child of it that is being tested, comes before that of the best hit. */
static inline bool mo_scene_ray_comes_first(const mo_scene_ray *query, uint32_t slot) {
  return slot < query->shape ||
         (slot == query->shape && mo_child_number(query->tested_child) < query->child);
}

/* Records the best hit in a mesh, if it is better than the best hit in the scene so far. */
static inline void mo_scene_ray_record_mesh_hit(mo_scene_ray *query, uint32_t slot, bool local) {
  const mo_mesh_hit *best = &query->mesh_best;
  if (best->max_t < query->max_t || mo_scene_ray_comes_first(query, slot)) {
    query->max_t = best->max_t;
    query->shape = slot;
    query->child = mo_child_number(query->tested_child);
    query->triangle = best->triangle;
    query->place = best->place;
    query->u = best->u;
    query->v = best->v;
    query->front = best->front;
    query->hit_is_local = local;
  }
}

/* Prepares a query on the fast path, which has no statistics and no accept_triangle callback: sets
 * the world ray, which mo_scene_ray_test_shape_fast transforms to the local spaces of meshes. */
MO_INLINE void mo_scene_ray_prepare_fast(mo_scene_ray *query) {
  const mo_ray_def *def = query->def;
  mo_world_ray *world = &query->world;
  world->origin = mo_widen(def->origin);
  world->direction = mo_widen(def->direction);
  world->min_t = def->min_t;
  world->near_t = mo_ray_fast_near_t(def->min_t);
  world->cull = def->cull_back_faces ? MO_CULL_BACK : MO_CULL_NONE;
}

/* Tests, by the general path, a mesh in whose local space a ray of the fast path is not
 * well-conditioned. Returns true if the traversal may stop. */
bool mo_scene_ray_test_mesh_general(mo_scene_ray *query, const mo_shape *shape, uint32_t slot);

/* Tests the ray against one shape or child that passes the filter, on the fast path. */
MO_INLINE bool mo_scene_ray_test_geometry_fast(mo_scene_ray *query, const mo_shape *shape,
                                               uint32_t slot, mo_ray_goal goal) {
  mo_shape_type type = shape->geometry.type;
  switch (type) {
  case MO_SHAPE_MESH:
    break;
  case MO_SHAPE_COMPOUND:
    return mo_scene_ray_test_compound(query, slot, true);
    MO_CASES_OF_BODIES
    return (type != MO_SHAPE_VOLUME || query->def->hit_volumes) &&
           mo_scene_ray_test_solid(query, slot);
  }
  const mo_mesh *mesh = shape->geometry.mesh;
  const mo_mesh_ray_kernels *kernels = &query->mesh_kernels[mesh->format];
  mo_world_ray *world = &query->world;
  mo_mesh_hit *best = &query->mesh_best;
  world->ignore = query->def->ignore_triangle;
  if (world->ignore != MO_NO_TRIANGLE && !mo_scene_ray_ignores_triangle_of(query, shape, slot)) {
    world->ignore = MO_NO_TRIANGLE;
  }
  best->max_t = query->max_t;
  mo_local_ray_result answer =
      (goal == MO_GOAL_CLOSEST ? kernels->closest_local : kernels->any_local)(mesh, &shape->affine,
                                                                              world, best);
  if (__builtin_expect(answer == MO_LOCAL_RAY_NEEDS_GENERAL_PATH, 0)) {
    return mo_scene_ray_test_mesh_general(query, shape, slot);
  }
  if (goal == MO_GOAL_CLOSEST && answer == MO_LOCAL_RAY_HIT) {
    mo_scene_ray_record_mesh_hit(query, slot, true);
  }
  return goal == MO_GOAL_ANY && answer == MO_LOCAL_RAY_HIT;
}

/* Tests the ray against one shape, on the fast path. Returns true if the traversal may stop. `goal`
 * is MO_GOAL_CLOSEST or MO_GOAL_ANY. */
MO_INLINE bool mo_scene_ray_test_shape_fast(mo_scene_ray *query, uint32_t slot, mo_ray_goal goal) {
  return mo_filter_passes(query->scene, &query->def->filter, slot) &&
         mo_scene_ray_test_geometry_fast(query, &query->scene->shapes[slot], slot, goal);
}

#endif
