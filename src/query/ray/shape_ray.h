/* A ray against one shape, inline for the traversals: into its local space where that is possible,
 * else in the world. */
#ifndef MO_QUERY_RAY_SHAPE_RAY_H
#define MO_QUERY_RAY_SHAPE_RAY_H

#include "base/inline.h"
#include "query/ray/scene_ray.h"

/* Whether a query passes through a triangle of a shape. */
static inline bool mo_scene_ray_ignores(const mo_scene_ray *query, const mo_shape *shape,
                                        uint32_t slot) {
  const mo_shape_id *id = &query->def->ignore_triangle_shape;
  return id->index == slot && id->generation == shape->generation;
}

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
  ray->ignore = mo_scene_ray_ignores(query, shape, slot) ? def->ignore_triangle : MO_NO_TRIANGLE;
  ray->shape = (mo_shape_id){slot, shape->generation};
  ray->max_t = query->max_t;
  ray->triangle = MO_NO_TRIANGLE;
}

/* A closest hit in a mesh. */
static inline void mo_scene_ray_take(mo_scene_ray *query, uint32_t slot, bool local) {
  const mo_mesh_ray *ray = &query->mesh_ray;
  if (ray->max_t < query->max_t || slot < query->shape) {
    query->max_t = ray->max_t;
    query->shape = slot;
    query->triangle = ray->triangle;
    query->place = ray->place;
    query->u = ray->u;
    query->v = ray->v;
    query->front = ray->front;
    query->local = local;
  }
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
  if (goal == MO_GOAL_CLOSEST && ray->triangle != MO_NO_TRIANGLE) {
    mo_scene_ray_take(query, slot, ray->bake == NULL);
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
    query->stats->shape_count++;
  }
  return type == MO_SHAPE_MESH ? mo_scene_ray_mesh(query, shape, slot, goal, fast)
                               : mo_scene_ray_solid(query, slot);
}

/* Usual rays: nothing counted, nobody to ask about hits, not scaled. */

/* What of the mesh ray does not depend on the shape. */
MO_INLINE void mo_scene_ray_set_usual(mo_scene_ray *query) {
  const mo_ray_def *def = query->def;
  mo_mesh_ray *ray = &query->mesh_ray;
  ray->min_t = def->min_t;
  ray->cull = def->cull_back_faces ? MO_CULL_BACK : MO_CULL_NONE;
  ray->ray.near_t = mo_ray_usual_near_t(def->min_t);
}

/* A mesh into whose space the ray cannot be taken as usual. */
bool mo_scene_ray_unusual(mo_scene_ray *query, uint32_t slot);

/* The same as mo_scene_ray_shape. */
MO_INLINE bool mo_scene_ray_usual_shape(mo_scene_ray *query, uint32_t slot, mo_ray_goal goal) {
  const mo_shape *shape = &query->scene->shapes[slot];
  mo_shape_type type = shape->geometry.type;
  if (!mo_filter_passes(query->scene, &query->def->filter, slot)) {
    return false;
  }
  if (type != MO_SHAPE_MESH) {
    return (type != MO_SHAPE_VOLUME || query->def->hit_volumes) && mo_scene_ray_solid(query, slot);
  }
  const mo_mesh *mesh = shape->geometry.mesh;
  const mo_mesh_ray_kernels *kernels = &query->mesh_kernels[mesh->format];
  mo_mesh_ray *ray = &query->mesh_ray;
  ray->ignore = query->def->ignore_triangle;
  if (ray->ignore != MO_NO_TRIANGLE && !mo_scene_ray_ignores(query, shape, slot)) {
    ray->ignore = MO_NO_TRIANGLE;
  }
  ray->max_t = query->max_t;
  mo_local_answer answer = (goal == MO_GOAL_CLOSEST ? kernels->closest_local : kernels->any_local)(
      mesh, &shape->affine, &query->world, ray);
  if (__builtin_expect(answer == MO_LOCAL_UNUSUAL, 0)) {
    return mo_scene_ray_unusual(query, slot);
  }
  if (goal == MO_GOAL_CLOSEST && answer == MO_LOCAL_HIT) {
    mo_scene_ray_take(query, slot, true);
  }
  return goal == MO_GOAL_ANY && answer == MO_LOCAL_HIT;
}

#endif
