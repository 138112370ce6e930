/* A ray query on a scene: types and functions shared by the traversals. As for meshes
 * (mesh/rays/ray.h), there is a general path and a fast path. */
#ifndef MO_QUERY_RAY_SCENE_RAY_H
#define MO_QUERY_RAY_SCENE_RAY_H

#include "base/inline.h"
#include "mesh/rays/rays.h"
#include "query/compound.h"
#include "query/filter.h"
#include "scene/scene.h"

typedef struct mo_scene_ray {
  const mo_scene *scene;
  const mo_ray_def *def;
  const mo_mesh_ray_kernels *mesh_kernels; /* kernels for each mesh format */
  mo_ray_goal goal;
  mo_query_stats *stats; /* null: nothing is counted */
  mo_bounded_list *hits; /* for the goals all and first: the list of hits (mo_ray_hit) */
  /* For the goal first: only hits after this one are listed; null: all hits. */
  const mo_hit_key *after;
  /* Smallest t of a hit; a solid that the ray enters before it is hit at min_t. */
  float min_t;
  float max_t; /* largest t of a hit; for the goal closest: t of the best hit so far */
  /* For the goal closest: the best hit so far. */
  uint32_t shape;          /* slot of its shape; MO_NONE if nothing was hit */
  uint32_t child;          /* number of the child of that shape; else 0 */
  uint32_t triangle;       /* MO_NO_TRIANGLE for solid shapes */
  mo_triangle_place place; /* of that triangle in its mesh */
  float u, v;              /* barycentric weights */
  bool front;              /* whether it is from the front */
  bool hit_is_local;       /* whether it was computed in the shape's local space */

  const mo_placed_child *tested_child; /* the child that is being tested, or null */

  mo_mesh_hit mesh_best; /* best hit in the mesh that is being tested */

  /* For the general path: the ray and its options, in the space of the shape that is being
   * tested. */
  mo_vec3 origin, direction, axis_sizes; /* `axis_sizes` as in mo_affine */
  mo_mesh_ray mesh_ray;
  mo_mesh_ray_options mesh_options;

  mo_world_ray world; /* for the fast path: the ray in world space */
} mo_scene_ray;

/* Margin for rounding in local space, relative to the largest coordinate involved. A local ray has
 * errors from its origin, its direction and the inverse: each is 2^-24 times the amplification of
 * the transform (at most MO_MAX_AMPLIFICATION, 2^3), relative to the distance from the transform's
 * origin. The triangle test adds its own error of 2^-18 of local coordinates (geometry/ray/ray.h),
 * amplified in the same way. The transform's origin may be twice as far from the world's origin as
 * the shape is (beyond that, the margin of the shape's own box covers the error). */
#define MO_SCENE_RAY_MARGIN 0x1p-14f

/* Sets the members that both paths have. */
MO_INLINE void mo_scene_ray_begin_path(mo_scene_ray *query, const mo_scene *scene,
                                       const mo_ray_def *def, mo_ray_goal goal,
                                       const mo_mesh_ray_kernels *kernels, mo_query_stats *stats) {
  query->scene = scene;
  query->def = def;
  query->mesh_kernels = kernels;
  query->goal = goal;
  query->stats = stats;
  query->hits = NULL;
  query->after = NULL;
  query->min_t = def->min_t;
  query->max_t = def->max_t;
  query->shape = MO_NONE;
  query->child = 0;
  query->tested_child = NULL;
  query->triangle = MO_NO_TRIANGLE;
}

/* Sets up a query on the general path, which counts in `stats`, if that is not null. */
static inline void mo_scene_ray_init(mo_scene_ray *query, const mo_scene *scene,
                                     const mo_ray_def *def, mo_ray_goal goal,
                                     mo_query_stats *stats) {
  mo_scene_ray_begin_path(query, scene, def, goal, mo_mesh_ray_kernels_for(scene->isa), stats);
  mo_mesh_ray_init(&query->mesh_ray, def, &query->origin, &query->direction, &query->axis_sizes);
  mo_mesh_ray_options_init(&query->mesh_options, def, query->stats);
}

/* Sets up a query on the general path. If `callers`, the caller's statistics, is not null, the
 * query counts in `counts`. */
void mo_scene_ray_begin(mo_scene_ray *query, const mo_scene *scene, const mo_ray_def *ray,
                        mo_ray_goal goal, mo_query_stats *counts, const mo_query_stats *callers);

/* The largest magnitude of a coordinate of the boxes of shapes; infinite if there are none. */
MO_INLINE float mo_scene_max_coordinate(const mo_scene *scene) {
  /* Two overlapping vectors of four cover the six numbers of the bounds. */
  const mo_aabb *bounds = &scene->root_bounds;
  mo_f4 front = mo_f4_load(&bounds->lower.x), back = mo_f4_load(&bounds->lower.z);
  mo_f4 reach = mo_f4_max(mo_f4_abs(front), mo_f4_abs(back));
  return mo_max(mo_max(reach[0], reach[1]), mo_max(reach[2], reach[3]));
}

/* Sets a ray that culls boxes on the general path, of shapes with coordinates up to `max`. */
MO_INLINE void mo_scene_ray_prepare_for(const mo_scene_ray *query, float max, mo_ray *ray) {
  const mo_ray_def *def = query->def;
  mo_f4 origin = mo_f4_abs(mo_f4_from(&def->origin, 0.0f));
  /* Rotations mix the axes, so the margin is the same for all. */
  max += mo_max(mo_max(origin[0], origin[1]), origin[2]);
  mo_vec3 all = mo_vec(max, max, max);
  mo_ray_init_inline(ray, &def->origin, &def->direction, query->min_t, NULL, &all,
                     MO_SCENE_RAY_MARGIN);
}

/* Sets the ray that culls the boxes of shapes on the general path. */
MO_INLINE void mo_scene_ray_prepare(const mo_scene_ray *query, mo_ray *ray) {
  const float max = mo_scene_max_coordinate(query->scene);
  mo_scene_ray_prepare_for(query, max < INFINITY ? max : 0.0f /* the scene has no boxes */, ray);
}

/* Tests the ray against one shape, on the general path. Returns true if the traversal may stop. */
bool mo_scene_ray_test_shape(mo_scene_ray *query, uint32_t slot);

/* Tests the ray against one shape that is not a mesh and passes the filter. Returns true if the
 * traversal may stop. */
bool mo_scene_ray_test_solid(mo_scene_ray *query, uint32_t slot);

/* Tests the ray against the children of a placement that passes the filter, in world space. `fast`:
 * the query is on the fast path. Returns true if the traversal may stop. */
bool mo_scene_ray_test_compound(mo_scene_ray *query, uint32_t slot, bool fast);

/* Computes keys of eight boxes for a ray (mo_child_visitor); `query` is a mo_compound_ray. */
MO_ISA_DECLARE(uint32_t, mo_compound_ray_keys,
               (const mo_bounds8 *bounds, double key[MO_LANE_COUNT], const void *query));

/* A ray against the children of a placement. */
typedef struct mo_compound_ray {
  mo_scene_ray *query;
  mo_ray ray;   /* for culling */
  double limit; /* the end of the ray, in the scaled t of `ray` */
  bool fast;    /* the query is on the fast path */
} mo_compound_ray;

/* Tests the ray against the shapes that are not in the tree (half-spaces,
 * scene/shapes/unbounded.h). They are tested before the others, because their hits shorten the ray.
 * Returns true if the traversal may stop. */
bool mo_scene_ray_test_unbounded(mo_scene_ray *query);

MO_INLINE bool mo_scene_ray_meets_unbounded(mo_scene_ray *query) {
  return __builtin_expect(query->scene->unbounded_count != 0, 0) &&
         mo_scene_ray_test_unbounded(query);
}

/* Fills in the members of a hit that the traversal left out: user data, point, normal. */
void mo_scene_ray_complete_hit(const mo_scene_ray *query, mo_ray_hit *hit);

/* Returns the closest hit, with all members, after a traversal. */
void mo_scene_ray_closest(const mo_scene_ray *query, mo_ray_hit *hit);

/* Traces a ray on the general path. Returns whether there is a hit, for MO_GOAL_ANY. */
bool mo_scene_ray_trace(mo_scene_ray *query);

/* The fast path for the closest hit and for any hit, without statistics. These functions validate
 * the def. They return false, with no output set, if the ray needs the general path or is not
 * legal. */
MO_ISA_DECLARE(bool, mo_scene_cast_fast,
               (const mo_scene *scene, const mo_ray_def *def, mo_ray_hit *hit));
/* Does what mo_scene_cast_fast does, but leaves the hit in `query`, for mo_scene_ray_closest. */
MO_ISA_DECLARE(bool, mo_scene_find_fast,
               (mo_scene_ray * query, const mo_scene *scene, const mo_ray_def *def));
MO_ISA_DECLARE(bool, mo_scene_test_fast, (const mo_scene *scene, const mo_ray_def *def, bool *hit));

/* The traversal of the general path; returns true if it was stopped. */
MO_ISA_DECLARE(bool, mo_scene_trace, (mo_scene_ray * query));

#endif
