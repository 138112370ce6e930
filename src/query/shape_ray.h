/* A ray against one shape, inline for the traversals: into its local space where that is possible,
 * else in the world. */
#ifndef MO_QUERY_SHAPE_RAY_H
#define MO_QUERY_SHAPE_RAY_H

#include "base/inline.h"
#include "query/scene_ray.h"

/* Puts the query's mesh ray into the space of a shape. */
MO_INLINE void mo_scene_ray_enter(mo_scene_ray *query, const mo_shape *shape, uint32_t slot) {
  const mo_ray_def *def = query->def;
  mo_mesh_ray *ray = &query->mesh_ray;
  ray->bake = NULL;
  ray->mirrored = false;
  ray->cull = def->cull_back_faces ? MO_CULL_BACK : MO_CULL_NONE;
  query->origin = def->origin;
  query->direction = def->direction;
  if (!mo_affine_ray_to_local(&shape->affine, &query->origin, &query->direction, &query->weights)) {
    query->weights = mo_vec(1.0f, 1.0f, 1.0f);
    ray->bake = &shape->affine;
    ray->mirrored = mo_affine_mirrors(&shape->affine);
    ray->cull = !def->cull_back_faces ? MO_CULL_NONE : ray->mirrored ? MO_CULL_FRONT : MO_CULL_BACK;
  }
  bool ignores = def->ignore_triangle_shape.index == slot &&
                 def->ignore_triangle_shape.generation == shape->generation;
  ray->ignore = ignores ? def->ignore_triangle : MO_NO_TRIANGLE;
  ray->shape = (mo_shape_id){slot, shape->generation};
  ray->max_t = query->max_t;
  ray->triangle = MO_NO_TRIANGLE;
}

MO_INLINE bool mo_scene_ray_mesh(mo_scene_ray *query, const mo_shape *shape, uint32_t slot,
                                 mo_ray_goal goal, bool fast) {
  const mo_mesh *mesh = shape->geometry.mesh;
  mo_mesh_ray *ray = &query->mesh_ray;
  const mo_mesh_ray_kernels *kernels = &query->mesh_kernels[mesh->format];
  mo_scene_ray_enter(query, shape, slot);
  bool any = false;
  if (!fast) {
    any = mo_mesh_trace(mesh, query->mesh_kernels, ray, goal);
  } else if (goal == MO_GOAL_CLOSEST) {
    kernels->closest(mesh, ray);
  } else if (goal == MO_GOAL_ANY) {
    any = kernels->any(mesh, ray);
  } else if (goal == MO_GOAL_ALL) {
    kernels->all(mesh, ray);
  } else {
    kernels->first(mesh, ray);
  }
  if (goal == MO_GOAL_FIRST) {
    query->max_t = ray->max_t;
  }
  if (goal == MO_GOAL_CLOSEST && ray->triangle != MO_NO_TRIANGLE &&
      (ray->max_t < query->max_t || slot < query->shape)) {
    query->max_t = ray->max_t;
    query->shape = slot;
    query->triangle = ray->triangle;
    query->place = ray->place;
    query->u = ray->u;
    query->v = ray->v;
    query->front = ray->front;
    query->local = ray->bake == NULL;
  }
  return goal == MO_GOAL_ANY && any;
}

/* Tests one shape. Returns true if the traversal may stop. `goal` and `fast` are constants where
 * this is inlined. */
MO_INLINE bool mo_scene_ray_shape_inline(mo_scene_ray *query, uint32_t slot, mo_ray_goal goal,
                                         bool fast) {
  const mo_shape *shape = &query->scene->shapes[slot];
  mo_shape_type type = shape->geometry.type;
  if ((type == MO_SHAPE_VOLUME && !query->def->hit_volumes) ||
      !mo_filter_passes(query->scene, &query->def->filter, slot)) {
    return false;
  }
  if (query->stats != NULL) {
    query->stats->shapes++;
  }
  return type == MO_SHAPE_MESH ? mo_scene_ray_mesh(query, shape, slot, goal, fast)
                               : mo_scene_ray_solid(query, slot);
}

#endif
