/* Queries on one mesh, as the scene's queries use them: prepared, with kernels per instruction set.
 *
 * The space of a query is the mesh's own, or, where `bake` is set, the world: then the transform
 * has no fit inverse, and the node boxes and corners are taken to the world instead. */
#ifndef MO_MESH_QUERY_H
#define MO_MESH_QUERY_H

#include <motte/query.h>

#include "base/bounded.h"
#include "base/isa.h"
#include "geometry/ray_triangle.h"
#include "math/affine.h"
#include "mesh/mesh.h"

/* Rays. */

typedef struct mo_mesh_ray {
  mo_ray ray;
  const mo_affine *bake;
  mo_shape_id shape; /* for the hits and callbacks */
  uint32_t ignore;   /* a triangle to pass through, or MO_NO_TRIANGLE */
  bool mirrored;     /* baked, by a map that turns windings around */
  mo_cull cull;
  bool no_mailbox;
  bool (*accept)(mo_shape_id shape, uint32_t triangle, float t, void *context);
  void *accept_context;
  mo_query_stats *stats; /* not null */
  bool count;            /* count triangles too, which costs a little */
  float max_t;           /* in; closest: out, t of the hit */
  uint32_t triangle;     /* closest: out, MO_NO_TRIANGLE if nothing was hit */
  float u, v;            /* closest: out, weights of the hit */
  bool front;            /* closest: out */
  mo_bounded *hits;      /* all: of mo_ray_hit; receives shape, triangle, t, weights and facing */
} mo_mesh_ray;

/* The options of a def, for a ray that is already in the query's space; weights as mo_ray_init. */
void mo_mesh_ray_init(mo_mesh_ray *query, const mo_mesh *mesh, const mo_ray_def *def,
                      const mo_vec3 *origin, const mo_vec3 *direction, const mo_vec3 *weights,
                      const mo_affine *bake, mo_query_stats *stats);

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

/* Adds a hit to the list of all. Padding is zero too, so that equal hits are equal bytes. */
static inline void mo_mesh_ray_offer(mo_mesh_ray *query, uint32_t triangle, float t, float u,
                                     float v, bool front) {
  mo_ray_hit hit;
  memset(&hit, 0, sizeof hit);
  hit.found = true;
  hit.shape = query->shape;
  hit.triangle = triangle;
  hit.t = t;
  hit.u = u;
  hit.v = v;
  hit.front = front;
  mo_bounded_offer(query->hits, &hit, sizeof hit, mo_hit_before);
}

/* The normal of a triangle (not normalised, in the query's space), on the side that counts as
 * front. */
mo_dvec3 mo_mesh_ray_normal(const mo_mesh *mesh, uint32_t triangle, const mo_affine *bake);

/* Of unit length, rounded; zero if it vanishes. */
mo_vec3 mo_unit_normal(mo_dvec3 normal);

/* Regions. */

typedef enum mo_region_kind { MO_REGION_BOX, MO_REGION_BALL, MO_REGION_PLANES } mo_region_kind;

/* What overlap is asked about; world, or local for a mesh alone. */
typedef struct mo_region {
  mo_region_kind kind;
  mo_aabb box;
  mo_sphere ball;
  const mo_plane *planes;
  uint32_t plane_count;
} mo_region;

typedef struct mo_mesh_overlap {
  const mo_region *region;
  const mo_affine *affine; /* of the shape; null for a mesh alone */
  const mo_affine *bake;   /* == affine where the culling space is the world */
  /* Culling, in the culling space, with room for rounding. */
  mo_aabb box; /* all of space for planes */
  mo_vec3 center;
  float distance2; /* INFINITY where the box alone culls */
  float slack[MO_MAX_PLANES];
  /* Where has_world_box: what misses this box in the world is not looked at, as the local one is
   * wide where a map turns. */
  mo_aabb world_box;
  bool has_world_box;
  mo_query_stats *stats; /* not null */
  /* Called for each triangle once; false stops. */
  bool (*report)(uint32_t triangle, void *context);
  void *context;
} mo_mesh_overlap;

void mo_mesh_overlap_init(mo_mesh_overlap *query, const mo_mesh *mesh, const mo_region *region,
                          const mo_affine *affine, mo_query_stats *stats);

/* Whether one triangle overlaps the query's region: what decides. */
bool mo_mesh_overlap_triangle(const mo_mesh_overlap *query, const mo_vec3 corners[3]);

/* Whether the ray from a point along +x crosses a triangle. The half-open rule on z and the exact
 * symmetry of each edge's side make every edge belong to one of two triangles. */
bool mo_triangle_crosses_x_ray(const mo_vec3 corners[3], mo_vec3 point);

/* The kernels, one set per instruction set. */
typedef struct mo_mesh_ray_kernels {
  void (*closest)(const mo_mesh *mesh, mo_mesh_ray *query);
  bool (*any)(const mo_mesh *mesh, mo_mesh_ray *query);
  void (*all)(const mo_mesh *mesh, mo_mesh_ray *query);
} mo_mesh_ray_kernels;

typedef struct mo_mesh_overlap_kernels {
  void (*overlap)(const mo_mesh *mesh, mo_mesh_overlap *query);
  /* The point local, or world where `bake` is not null. */
  bool (*contains)(const mo_mesh *mesh, mo_vec3 point, const mo_affine *bake,
                   mo_query_stats *stats);
} mo_mesh_overlap_kernels;

MO_ISA_DECLARE(const mo_mesh_ray_kernels, mo_mesh_ray_kernels, );
MO_ISA_DECLARE(const mo_mesh_overlap_kernels, mo_mesh_overlap_kernels, );

/* `isa` is resolved: not MO_ISA_AUTO. */
const mo_mesh_ray_kernels *mo_mesh_ray_kernels_for(mo_isa isa);
const mo_mesh_overlap_kernels *mo_mesh_overlap_kernels_for(mo_isa isa);

/* The reference traversals (walk.c), scalar: same results. */
typedef enum mo_ray_goal { MO_GOAL_CLOSEST, MO_GOAL_ANY, MO_GOAL_ALL } mo_ray_goal;
bool mo_mesh_walk(const mo_mesh *mesh, mo_mesh_ray *query, mo_ray_goal goal);
bool mo_mesh_visit_all(const mo_mesh *mesh, mo_mesh_ray *query, mo_ray_goal goal);

/* Runs a query by the traversal that the def asks for. MO_GOAL_ANY returns whether there is a hit.
 */
bool mo_mesh_trace(const mo_mesh *mesh, const mo_mesh_ray_kernels *kernels, mo_mesh_ray *query,
                   mo_traversal traversal, mo_ray_goal goal);

/* Input checks that meshes and scenes share. */
mo_result mo_check_ray(const mo_ray_def *def);

/* A segment of no length hits nothing; a ray that should have a direction has been refused. */
static inline bool mo_ray_has_direction(const mo_ray_def *def) {
  return def->direction.x != 0.0f || def->direction.y != 0.0f || def->direction.z != 0.0f;
}

mo_result mo_check_point(mo_vec3 point);
mo_result mo_check_aabb(const mo_aabb *box);
mo_result mo_check_sphere(const mo_sphere *sphere);
mo_result mo_check_planes(const mo_plane *planes, uint32_t count);

/* Room for the rounding of a region test: see geometry/triangle.h. Per unit of coordinates. */
#define MO_REGION_MARGIN 0x1p-20f

/* The rounding of a plane's values over boxes with coordinates up to `reach`. */
float mo_plane_slack(const mo_plane *plane, mo_vec3 reach);

/* A box grown by the margin for coordinates up to `reach`. */
mo_aabb mo_region_grow(mo_aabb box, mo_vec3 reach);

/* Adds what a query did to the caller's statistics, which may be null. */
mo_query_stats mo_stats_begin(const mo_query_stats *callers);
void mo_stats_end(const mo_query_stats *query, mo_query_stats *callers);

/* The visit map for a mesh, or null. */
static inline uint32_t *mo_visits_of(const mo_query_stats *stats, const mo_mesh *mesh) {
  return stats->visited_mesh == mesh ? stats->mesh_visits : NULL;
}

static inline void mo_count_mesh_node(mo_query_stats *stats, const mo_mesh *mesh, uint32_t node) {
  uint32_t *visits = mo_visits_of(stats, mesh);
  stats->mesh_nodes++;
  if (visits != NULL && node < stats->mesh_visit_capacity) {
    visits[node]++;
  }
}

#endif
