/* Rays against one mesh, for queries on meshes and scenes and for batches. This is the public
 * header of this folder. Input, options, result and preparation are in ray.h; the inline parts for
 * kernels of batches are in leaf.h (one leaf) and segment_entries.h (entry points of short
 * segments). */
#ifndef MO_MESH_RAYS_RAYS_H
#define MO_MESH_RAYS_RAYS_H

#include "base/isa.h"
#include "mesh/rays/leaf.h"
#include "mesh/rays/ray.h"
#include "mesh/rays/segment_entries.h"

/* --- ordered lists of ray hits --- */

/* The order of hits: by t, then shape, then child, then triangle. For mo_bounded_list. */
static inline bool mo_hit_before(const void *a, const void *b) {
  const mo_ray_hit *x = a, *y = b;
  if (x->t != y->t) {
    return x->t < y->t;
  }
  if (x->shape.index != y->shape.index) {
    return x->shape.index < y->shape.index;
  }
  if (x->child != y->child) {
    return x->child < y->child;
  }
  return x->triangle < y->triangle;
}

/* How first hits are listed (mesh/rays/hits.c): in a bounded list that, once it is full, lowers the
 * end of the ray to its last hit. So which references the ray reaches changes during the traversal,
 * and the rule for duplicates of mesh/visit/mailbox.h does not apply: duplicates are found by
 * searching the list. A hit that has been pushed out of the list stays out. */

/* Whether a hit belongs in the list as it is now. `listed`: the hit may be in the list already. */
bool mo_hit_belongs_in_list(const mo_bounded_list *hits, const mo_hit_key *after,
                            const mo_ray_hit *hit, bool listed);

/* Adds a hit that belongs in the list. If the list is then full, lowers max_t to its last hit. */
void mo_list_first_hit(mo_bounded_list *hits, const mo_ray_hit *hit, float *max_t);

/* Finds the first hits of a ray on a mesh or scene, and writes them to a list, sorted and complete.
 * If `after` is not null, only hits that come after it count. */
typedef void mo_fetch_hits(const void *subject, const mo_ray_def *ray, mo_bounded_list *list,
                           const mo_hit_key *after, mo_query_stats *stats);

/* A call of a public function that finds first hits on a mesh or scene. */
typedef struct mo_fetch_call {
  const void *subject; /* the mesh or scene; may be null, and so may `host` */
  const mo_host *host;
  const char *function; /* name of the public function */
  mo_fetch_hits *fetch;
} mo_fetch_call;

/* What the public functions of these names share for meshes and scenes. They check the
 * arguments. */
mo_result mo_cast_ray_first(const mo_fetch_call *call, const mo_ray_def *ray, mo_ray_hit *hits,
                            uint32_t capacity, uint32_t *count, mo_query_stats *stats);
mo_result mo_next_hit(const mo_fetch_call *call, const mo_ray_def *ray, mo_ray_cursor *cursor,
                      mo_ray_hit *hit, mo_query_stats *stats);

/* --- completing hits of which the traversal sets only some members --- */

/* Sets the members of a listed hit that the traversal leaves unset. */
void mo_mesh_ray_complete_hit(const mo_mesh *mesh, const mo_ray_def *def, mo_ray_hit *hit);

/* The normal of a triangle in the query's space, on its front side; not normalised. */
mo_dvec3 mo_mesh_ray_normal(const mo_mesh *mesh, mo_triangle_place place,
                            const mo_affine *world_map);

/* Converts the best hit of a query in the mesh's own space, or a miss, to the public struct. */
static inline void mo_mesh_ray_public_hit(const mo_mesh *mesh, const mo_ray_def *def,
                                          const mo_mesh_hit *best, mo_ray_hit *hit) {
  *hit = (mo_ray_hit){.triangle = best->triangle};
  if (best->triangle == MO_NO_TRIANGLE) {
    return;
  }
  hit->found = true;
  hit->triangle_user_data = mo_mesh_user_data(mesh, best->triangle);
  hit->t = best->max_t;
  hit->point = mo_add(def->origin, mo_scale(hit->t, def->direction));
  hit->normal = mo_unit_normal(mo_mesh_normal(mesh, best->place));
  hit->u = best->u;
  hit->v = best->v;
  hit->front = best->front;
}

/* --- the ray kernels, and their input and results --- */

/* A ray in world space, which the fast path transforms to the spaces of shapes. */
typedef struct mo_world_ray {
  mo_dvec3 origin, direction;
  float min_t, near_t; /* near_t: mo_ray_fast_near_t of min_t */
  mo_cull cull;
  uint32_t ignore; /* a triangle of the mesh to pass through, or MO_NO_TRIANGLE */
} mo_world_ray;

typedef enum mo_local_ray_result {
  MO_LOCAL_RAY_MISS,
  MO_LOCAL_RAY_HIT,
  MO_LOCAL_RAY_NEEDS_GENERAL_PATH, /* the ray needs the general path; it was not traced */
} mo_local_ray_result;

/* The kernels, one set per instruction set and mesh format. `best` is as in mo_mesh_hit; kernels
 * that return bool return whether there is a hit, unless stated otherwise. */
typedef struct mo_mesh_ray_kernels {
  /* The general path. */
  void (*closest)(const mo_mesh *mesh, const mo_mesh_ray *in, const mo_mesh_ray_options *options,
                  mo_mesh_hit *best);
  bool (*any)(const mo_mesh *mesh, const mo_mesh_ray *in, const mo_mesh_ray_options *options,
              mo_mesh_hit *best);
  void (*all)(const mo_mesh *mesh, const mo_mesh_ray *in, const mo_mesh_ray_options *options,
              mo_mesh_hit *best);
  void (*first)(const mo_mesh *mesh, const mo_mesh_ray *in, const mo_mesh_ray_options *options,
                mo_mesh_hit *best);
  /* mo_mesh_cast_ray without statistics: checks the def and uses the fast path if the ray is
   * well-conditioned. */
  mo_result (*cast)(const mo_mesh *mesh, const mo_ray_def *def, mo_ray_hit *hit);
  /* The fast path: `test` for any hit, `find` for the closest hit, which is left incomplete. They
   * return false, with nothing set, if the ray is not legal or needs the general path. */
  bool (*test)(const mo_mesh *mesh, const mo_ray_def *def, bool *hit);
  bool (*find)(const mo_mesh *mesh, const mo_ray_def *def, mo_mesh_hit *best);
  /* The fast path for a ray in world space, through the inverse of a shape's transform, if the ray
   * is well-conditioned in the mesh's space. `best` is written only if there is a hit. */
  mo_local_ray_result (*closest_local)(const mo_mesh *mesh, const mo_affine *affine,
                                       const mo_world_ray *world, mo_mesh_hit *best);
  mo_local_ray_result (*any_local)(const mo_mesh *mesh, const mo_affine *affine,
                                   const mo_world_ray *world, mo_mesh_hit *best);
} mo_mesh_ray_kernels;

MO_ISA_DECLARE(const mo_mesh_ray_kernels, mo_mesh_ray_kernels, [MO_MESH_FORMAT_COUNT]);

/* The ray kernels for an instruction set, an array by mesh format. `isa` must not be
 * MO_ISA_AUTO. */
const mo_mesh_ray_kernels *mo_mesh_ray_kernels_for(mo_isa isa);

/* mo_mesh_cast_ray on the general path; the arguments have been checked. */
mo_result mo_mesh_cast_general_ray(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_hit *hit,
                                   mo_query_stats *stats);

/* Traces a ray on the general path; `kernels` is indexed by format. With MO_GOAL_CLOSEST and
 * MO_GOAL_ANY, returns whether there is a hit. */
bool mo_mesh_trace_ray(const mo_mesh *mesh, const mo_mesh_ray_kernels *kernels,
                       const mo_mesh_ray *in, const mo_mesh_ray_options *options, mo_ray_goal goal,
                       mo_mesh_hit *best);

#endif
