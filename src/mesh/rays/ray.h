/* A ray against one mesh: its input (mo_mesh_ray), the options that only the general path has, its
 * result (mo_mesh_hit), and the two functions that prepare rays.
 *
 * The general path takes any legal ray: of any length, from any distance, with hits accepted by a
 * callback, with statistics, with lists of hits, and through transforms without a usable inverse.
 * Its input is prepared completely before the traversal (mo_ray_prepare_general).
 *
 * The fast path takes well-conditioned rays in the mesh's own space, for the closest hit or for any
 * hit: a direction of ordinary length and an origin not too far from the mesh
 * (mo_ray_takes_fast_path and mo_ray_takes_fast_path_in_mesh define this exactly). It has no
 * options. The ray is prepared for culling first (mo_ray_prepare_fast), and for triangles at the
 * first leaf (mo_ray_prepare_triangles), as many rays hit no leaf. Both paths give the same
 * answers, bit for bit.
 *
 * The space of a query is the mesh's own. If the options' `world_map` is set, the transform has no
 * usable inverse; the space is then the world, and node boxes and corners are transformed to it. */
#ifndef MO_MESH_RAYS_RAY_H
#define MO_MESH_RAYS_RAY_H

#include <motte/query.h>

#include "base/bounded.h"
#include "base/inline.h"
#include "geometry/ray/init.h"
#include "geometry/ray/triangle.h"
#include "mesh/query.h"

typedef enum mo_ray_goal {
  MO_GOAL_CLOSEST,
  MO_GOAL_ANY,
  MO_GOAL_ALL,
  MO_GOAL_FIRST, /* the first hits, as many as the list has capacity for */
} mo_ray_goal;

/* The position of a hit in the order of hits along a ray. */
typedef struct mo_hit_key {
  float t;
  uint32_t shape, child, triangle;
} mo_hit_key;

/* Input of both paths. The vectors belong to the caller and must stay valid during the query. */
typedef struct mo_mesh_ray {
  const mo_vec3 *origin, *direction; /* in the query's space */
  const mo_vec3 *axis_sizes;         /* lengths of the local axes in the world; null if all are 1 */
  float min_t;
  uint32_t ignore; /* a triangle to pass through, or MO_NO_TRIANGLE */
  mo_cull cull;    /* in the query's space */
} mo_mesh_ray;

/* Input of the general path only. */
typedef struct mo_mesh_ray_options {
  /* Null: the space of the query is the mesh's own. Else the transform to the world, which has no
   * usable inverse: the query's space is the world, and node boxes and triangles are transformed.
   */
  const mo_affine *world_map;
  mo_shape_id shape; /* the shape that hits and callbacks receive */
  uint32_t child;    /* of the shape, for hits; 0 if that is no compound */
  bool mirrored;     /* `world_map` mirrors, which reverses the winding of triangles */
  bool no_mailbox;   /* for measurements: test a triangle in each leaf that refers to it */
  bool (*accept)(mo_triangle_ref triangle, float t, void *context);
  void *accept_context;
  mo_query_stats *stats;   /* null to count nothing */
  mo_bounded_list *hits;   /* with MO_GOAL_ALL and MO_GOAL_FIRST: receives incomplete mo_ray_hit */
  const mo_hit_key *after; /* with MO_GOAL_FIRST: only hits after this one count; null: all */
} mo_mesh_ray_options;

/* The best hit so far. Before a query, set max_t to the end of the ray and triangle to
 * MO_NO_TRIANGLE. If nothing is hit, these two do not change, and the other members stay unset. */
typedef struct mo_mesh_hit {
  float max_t; /* t of the hit */
  uint32_t triangle;
  /* The weights u and v are not adjacent: otherwise a copy could load both as eight bytes right
   * after they were stored as two floats, which would cause a store-to-load forwarding stall. */
  float u;
  mo_triangle_place place;
  float v;
  bool front; /* the front side is hit */
} mo_mesh_hit;

static inline void mo_mesh_hit_init(mo_mesh_hit *best, float max_t) {
  best->max_t = max_t;
  best->triangle = MO_NO_TRIANGLE;
}

/* Makes the input of a query from a def, for a ray that is already in the mesh's own space. */
static inline void mo_mesh_ray_init(mo_mesh_ray *in, const mo_ray_def *def, const mo_vec3 *origin,
                                    const mo_vec3 *direction, const mo_vec3 *axis_sizes) {
  in->origin = origin;
  in->direction = direction;
  in->axis_sizes = axis_sizes;
  in->min_t = def->min_t;
  in->ignore = def->ignore_triangle;
  in->cull = def->cull_back_faces ? MO_CULL_BACK : MO_CULL_NONE;
}

/* Sets the options of a query from a def, for the mesh's own space and without lists. */
static inline void mo_mesh_ray_options_init(mo_mesh_ray_options *options, const mo_ray_def *def,
                                            mo_query_stats *stats) {
  options->world_map = NULL;
  options->shape = (mo_shape_id){0, 0};
  options->child = 0;
  options->mirrored = false;
  options->no_mailbox = false;
  options->accept = def->accept_triangle;
  options->accept_context = def->accept_context;
  options->stats = stats;
  options->hits = NULL;
  options->after = NULL;
}

/* Prepares any legal ray, for the general path. Sets all members of `ray`. */
MO_INLINE void mo_ray_prepare_general(const mo_mesh *mesh, const mo_mesh_ray *in,
                                      const mo_affine *world_map, mo_ray *ray) {
  if (world_map == NULL) {
    mo_ray_init_inline(ray, in->origin, in->direction, in->min_t, in->axis_sizes, &mesh->reach,
                       MO_RAY_MARGIN);
    return;
  }
  mo_aabb box = mo_affine_aabb_to_world(world_map, mesh->bounds);
  mo_vec3 reach = mo_aabb_is_empty(box) ? mo_vec(0.0f, 0.0f, 0.0f) : mo_aabb_max_coordinates(box);
  mo_ray_init(ray, in->origin, in->direction, in->min_t, in->axis_sizes, &reach, MO_RAY_MARGIN);
}

/* Prepares a well-conditioned ray in the mesh's own space for culling, for the fast path. `slopes`:
 * mo_affine_slope_factor of the transform that brought the ray to this space, or 1 for a mesh
 * alone; `near_t`: mo_ray_fast_near_t of min_t. */
MO_INLINE void mo_ray_prepare_fast(const mo_mesh *mesh, mo_f4 origin, mo_f4 direction, float slopes,
                                   float near_t, mo_ray *ray) {
  mo_ray_set_fast_local(ray, origin, direction, slopes, &mesh->ray_limits);
  ray->near_t = near_t;
}

/* Prepares a ray for triangle tests, after mo_ray_prepare_fast has prepared it for culling. */
MO_INLINE void mo_ray_prepare_triangles(const mo_mesh_ray *in, mo_ray *ray) {
  mo_ray_init_fast_shear(ray, in->origin, in->direction, in->axis_sizes, in->min_t);
}

#endif
