/* Rays through one mesh, as queries on meshes, scenes and batches use them: the header of this
 * folder for others. Input, options, result and preparation are in ray.h; the inline parts for
 * kernels of batches in leaf.h (one leaf) and segment_entries.h (where short segments begin). */
#ifndef MO_MESH_RAYS_RAYS_H
#define MO_MESH_RAYS_RAYS_H

#include "base/isa.h"
#include "mesh/rays/leaf.h"
#include "mesh/rays/ray.h"
#include "mesh/rays/segment_entries.h"

/* Lists of hits. */

/* The order of hits: by t, shape, triangle. For mo_bounded. */
static inline bool mo_hit_before(const void *a, const void *b) {
  const mo_ray_hit *x = a, *y = b;
  if (x->t != y->t) {
    return x->t < y->t;
  }
  if (x->shape.index != y->shape.index) {
    return x->shape.index < y->shape.index;
  }
  return x->triangle < y->triangle;
}

/* The first hits (mesh/rays/hits.c): a list that, once it is full, lowers the end of the ray to its
 * last hit. So the references of a triangle that the query reaches change during the traversal;
 * instead of by the rule of mesh/rays/leaf.h, duplicates are found by searching the list. One that
 * has been pushed out of it stays out. */

/* Whether a hit belongs in the list as it is. `listed`: it may be there already. */
bool mo_first_wants(const mo_bounded *hits, const mo_hit_key *after, const mo_ray_hit *hit,
                    bool listed);

/* Adds a hit that belongs in the list, and lowers max_t where that fills it. */
void mo_first_add(mo_bounded *hits, const mo_ray_hit *hit, float *max_t);

/* Fetches the first hits of a ray after a key, or of all if that is null, from a mesh or a scene:
 * into a list, sorted and complete. */
typedef void mo_fetch(const void *subject, const mo_ray_def *ray, mo_bounded *list,
                      const mo_hit_key *after, mo_query_stats *stats);

/* A call of a public function that fetches hits from a mesh or a scene. */
typedef struct mo_fetch_call {
  const void *subject; /* the mesh or scene; may be null, and so may `host` */
  const mo_host *host;
  const char *function; /* the public one */
  mo_fetch *fetch;
} mo_fetch_call;

/* The public functions of these names, for either; they check the arguments. */
mo_result mo_cast_ray_first(const mo_fetch_call *call, const mo_ray_def *ray, mo_ray_hit *hits,
                            uint32_t capacity, uint32_t *count, mo_query_stats *stats);
mo_result mo_next_hit(const mo_fetch_call *call, const mo_ray_def *ray, mo_ray_cursor *cursor,
                      mo_ray_hit *hit, mo_query_stats *stats);

/* Complete hits. */

/* Fills in the members of a listed hit that the traversal left out. */
void mo_mesh_ray_finish(const mo_mesh *mesh, const mo_ray_def *def, mo_ray_hit *hit);

/* The normal of a triangle in the query's space, on the side that counts as front; not normalised.
 */
mo_dvec3 mo_mesh_ray_normal(const mo_mesh *mesh, uint32_t place, const mo_affine *bake);

/* The public hit for the best hit of a query in the mesh's own space, or for none. */
static inline void mo_mesh_ray_closest(const mo_mesh *mesh, const mo_ray_def *def,
                                       const mo_mesh_hit *best, mo_ray_hit *hit) {
  *hit = (mo_ray_hit){.triangle = best->triangle};
  if (best->triangle == MO_NO_TRIANGLE) {
    return;
  }
  hit->found = true;
  hit->triangle_user_data = mesh->user_data != NULL ? mesh->user_data[best->triangle] : 0;
  hit->t = best->max_t;
  hit->point = mo_add(def->origin, mo_scale(hit->t, def->direction));
  hit->normal = mo_unit_normal(mo_mesh_normal(mesh, best->place));
  hit->u = best->u;
  hit->v = best->v;
  hit->front = best->front;
}

/* Kernels. */

/* A ray in the world, to be taken into the spaces of shapes by the fast path. */
typedef struct mo_world_ray {
  mo_dvec3 origin, direction;
  float min_t, near_t; /* near_t: mo_ray_fast_near_t of min_t */
  mo_cull cull;
  uint32_t ignore; /* of the mesh in question: a triangle to pass through, or MO_NO_TRIANGLE */
} mo_world_ray;

typedef enum mo_local_answer {
  MO_LOCAL_MISS,
  MO_LOCAL_HIT,
  MO_LOCAL_GENERAL, /* the ray needs the general path; nothing was done */
} mo_local_answer;

/* The kernels, one set per instruction set and format of the mesh. `best` is described at
 * mo_mesh_hit; kernels that return bool say whether there is any hit. */
typedef struct mo_mesh_ray_kernels {
  /* The general path, with the fast traversal. */
  void (*closest)(const mo_mesh *mesh, const mo_mesh_ray *in, const mo_mesh_ray_options *options,
                  mo_mesh_hit *best);
  bool (*any)(const mo_mesh *mesh, const mo_mesh_ray *in, const mo_mesh_ray_options *options,
              mo_mesh_hit *best);
  void (*all)(const mo_mesh *mesh, const mo_mesh_ray *in, const mo_mesh_ray_options *options,
              mo_mesh_hit *best);
  void (*first)(const mo_mesh *mesh, const mo_mesh_ray *in, const mo_mesh_ray_options *options,
                mo_mesh_hit *best);
  /* mo_mesh_cast_ray and mo_mesh_test_ray without statistics: they check the def and take the fast
   * path where the ray allows it. */
  mo_result (*cast)(const mo_mesh *mesh, const mo_ray_def *def, mo_ray_hit *hit);
  mo_result (*test)(const mo_mesh *mesh, const mo_ray_def *def, bool *hit);
  /* The fast path for a ray in the mesh's own space that the fast preparer, or the batched one
   * (batch/prepare.h), has prepared for culling. They prepare it for triangles if it meets any. */
  void (*closest_fast)(const mo_mesh *mesh, const mo_mesh_ray *in, mo_ray *ray, mo_mesh_hit *best);
  bool (*any_fast)(const mo_mesh *mesh, const mo_mesh_ray *in, mo_ray *ray, mo_mesh_hit *best);
  /* The fast path for a ray in the world, through the inverse of a shape's transform, if the ray is
   * well-conditioned in the mesh's space. `best` is written where there is a hit only. */
  mo_local_answer (*closest_local)(const mo_mesh *mesh, const mo_affine *affine,
                                   const mo_world_ray *world, mo_mesh_hit *best);
  mo_local_answer (*any_local)(const mo_mesh *mesh, const mo_affine *affine,
                               const mo_world_ray *world, mo_mesh_hit *best);
} mo_mesh_ray_kernels;

MO_ISA_DECLARE(const mo_mesh_ray_kernels, mo_mesh_ray_kernels, [MO_MESH_FORMATS]);

/* By format. `isa` is resolved: not MO_ISA_AUTO. */
const mo_mesh_ray_kernels *mo_mesh_ray_kernels_for(mo_isa isa);

/* mo_mesh_cast_ray and mo_mesh_test_ray by the general path, arguments checked. */
mo_result mo_mesh_cast_any_ray(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_hit *hit,
                               mo_query_stats *stats);
mo_result mo_mesh_test_any_ray(const mo_mesh *mesh, const mo_ray_def *ray, bool *hit,
                               mo_query_stats *stats);

/* The reference traversals (mesh/rays/reference.c), scalar: same results as the fast one, by the
 * general path. MO_GOAL_ANY returns whether there is a hit. */
bool mo_mesh_walk(const mo_mesh *mesh, const mo_mesh_ray *in, const mo_mesh_ray_options *options,
                  mo_ray_goal goal, mo_mesh_hit *best);
bool mo_mesh_visit_all(const mo_mesh *mesh, const mo_mesh_ray *in,
                       const mo_mesh_ray_options *options, mo_ray_goal goal, mo_mesh_hit *best);

/* Checks a ray of motte/reference.h, an argument of a public function. `host` may be null. */
mo_result mo_check_reference_ray(const mo_host *host, const char *function,
                                 const mo_reference_ray_def *ray);

/* Runs the traversal that the options name; `kernels` by format. Returns whether there is a hit,
 * for MO_GOAL_CLOSEST and MO_GOAL_ANY. */
bool mo_mesh_trace(const mo_mesh *mesh, const mo_mesh_ray_kernels *kernels, const mo_mesh_ray *in,
                   const mo_mesh_ray_options *options, mo_ray_goal goal, mo_mesh_hit *best);

#endif
