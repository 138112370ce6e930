/* Queries on one mesh, as the scene's queries use them: prepared, with kernels per instruction set.
 *
 * The space of a query is the mesh's own, or, where `bake` is set, the world: then the transform
 * has no fit inverse, and the node boxes and corners are taken to the world instead. */
#ifndef MO_MESH_QUERY_H
#define MO_MESH_QUERY_H

#include <float.h>
#include <motte/query.h>

#include "base/bounded.h"
#include "base/inline.h"
#include "base/isa.h"
#include "geometry/ray_init.h"
#include "geometry/ray_triangle.h"
#include "math/affine.h"
#include "math/check.h"
#include "mesh/mesh.h"

/* Rays. */

/* The place of a hit in the order of all. */
typedef struct mo_hit_key {
  float t;
  uint32_t shape, triangle;
} mo_hit_key;

typedef struct mo_mesh_ray {
  /* What is asked, in the query's space; weights as mo_ray_init. Set by mo_mesh_ray_init. */
  const mo_vec3 *origin, *direction, *weights;
  float min_t;
  mo_traversal traversal;
  const mo_affine *bake;
  mo_shape_id shape; /* for the hits and callbacks */
  uint32_t ignore;   /* a triangle to pass through, or MO_NO_TRIANGLE */
  bool mirrored;     /* baked, by a map that turns windings around */
  mo_cull cull;
  bool no_mailbox;
  bool (*accept)(mo_shape_id shape, uint32_t triangle, float t, void *context);
  void *accept_context;
  mo_query_stats
      *stats;       /* null if nothing is to be counted, which only the fast traversal allows */
  mo_bounded *hits; /* all, first: of mo_ray_hit; receives shape, triangle, t, weights, facing */
  const mo_hit_key *after; /* first: only hits after this one count; null for all of them */
  float max_t;             /* in; closest: out, t of the hit */
  uint32_t triangle;       /* closest: out, MO_NO_TRIANGLE if nothing was hit */
  /* Closest: out, weights of the hit. Apart: eight bytes that were stored as two floats just now
   * would have to wait until they are in the cache. */
  float u;
  uint32_t place; /* closest: out, of the triangle: block << 3 | lane */
  float v;
  bool front; /* closest: out */

  mo_ray ray; /* made ready when the traversal begins */
} mo_mesh_ray;

/* The options of a def, for a ray that is already in the query's space. The three vectors must live
 * as long as the query; null weights are ones. */
static inline void mo_mesh_ray_init(mo_mesh_ray *query, const mo_ray_def *def,
                                    const mo_vec3 *origin, const mo_vec3 *direction,
                                    const mo_vec3 *weights, const mo_affine *bake,
                                    mo_query_stats *stats) {
  query->origin = origin;
  query->direction = direction;
  query->weights = weights;
  query->min_t = def->min_t;
  query->traversal = def->traversal;
  query->bake = bake;
  query->shape = (mo_shape_id){0, 0};
  query->ignore = def->ignore_triangle;
  query->mirrored = bake != NULL && mo_affine_mirrors(bake);
  query->cull = !def->cull_back_faces ? MO_CULL_NONE
                : query->mirrored     ? MO_CULL_FRONT
                                      : MO_CULL_BACK;
  query->no_mailbox = def->no_mailbox;
  query->accept = def->accept_triangle;
  query->accept_context = def->accept_context;
  query->stats = stats;
  query->hits = NULL;
  query->after = NULL;
  query->max_t = def->max_t;
  query->triangle = MO_NO_TRIANGLE;
}

/* Makes the ray itself ready. */
MO_INLINE void mo_mesh_ray_prepare(const mo_mesh *mesh, mo_mesh_ray *query) {
  if (query->bake == NULL) {
    mo_ray_init_inline(&query->ray, query->origin, query->direction, query->min_t, query->weights,
                       &mesh->reach, MO_RAY_MARGIN);
    return;
  }
  mo_aabb box = mo_affine_aabb_to_world(query->bake, mesh->bounds);
  mo_vec3 reach = mo_aabb_is_empty(box) ? mo_vec(0.0f, 0.0f, 0.0f) : mo_aabb_reach(box);
  mo_ray_init(&query->ray, query->origin, query->direction, query->min_t, query->weights, &reach,
              MO_RAY_MARGIN);
}

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

/* A hit for a list, not complete. Padding is zero too, so that equal hits are equal bytes. */
static inline mo_ray_hit mo_hit_make(mo_shape_id shape, uint32_t triangle, float t, float u,
                                     float v, bool front) {
  mo_ray_hit hit;
  memset(&hit, 0, sizeof hit);
  hit.found = true;
  hit.shape = shape;
  hit.triangle = triangle;
  hit.t = t;
  hit.u = u;
  hit.v = v;
  hit.front = front;
  return hit;
}

/* Adds a hit to the list of all. */
static inline void mo_mesh_ray_offer(mo_mesh_ray *query, uint32_t triangle, float t, float u,
                                     float v, bool front) {
  mo_ray_hit hit = mo_hit_make(query->shape, triangle, t, u, v, front);
  mo_bounded_offer(query->hits, &hit, sizeof hit, mo_hit_before);
}

/* The first hits (mesh/rays/hits.c): a list that, once it is full, lowers the end of the ray to its last hit.
 * So which references of a triangle the query gets to changes while it looks; instead of the rule
 * of mesh/rays/leaf.h, a triangle with several is looked for in the list. One that has been pushed out
 * of it stays out. */

/* Whether a hit belongs in the list as it is. `listed`: it may be there already. */
bool mo_first_wants(const mo_bounded *hits, const mo_hit_key *after, const mo_ray_hit *hit,
                    bool listed);

/* Adds a hit that the list wants. */
void mo_first_add(mo_bounded *hits, const mo_ray_hit *hit, float *max_t);

/* A hit of a triangle: asks whether it is wanted and accepted, and adds it. */
void mo_mesh_ray_offer_first(mo_mesh_ray *query, uint32_t triangle, float t, float u, float v,
                             bool front, bool duplicated);

/* Fetches the first hits of a ray after a key, or of all if that is null, from a mesh or a scene:
 * into a list, sorted and complete. */
typedef void mo_fetch(const void *subject, const mo_ray_def *ray, mo_bounded *list,
                      const mo_hit_key *after, mo_query_stats *stats);

/* What the functions of these names do for both, arguments checked. */
typedef struct mo_fetch_call {
  const void *subject; /* the mesh or scene; may be null, and so may `host` */
  const mo_host *host;
  const char *function; /* the public one */
  mo_fetch *fetch;
} mo_fetch_call;

mo_result mo_cast_ray_first(const mo_fetch_call *call, const mo_ray_def *ray, mo_ray_hit *hits,
                            uint32_t capacity, uint32_t *count, mo_query_stats *stats);
mo_result mo_next_hit(const mo_fetch_call *call, const mo_ray_def *ray, mo_ray_cursor *cursor,
                      mo_ray_hit *hit, mo_query_stats *stats);

/* Fills in what a hit in a list lacks. */
void mo_mesh_ray_finish(const mo_mesh *mesh, const mo_ray_def *def, mo_ray_hit *hit);

/* The normal of the triangle at a place, local, not normalised. */
static inline mo_dvec3 mo_mesh_normal(const mo_mesh *mesh, uint32_t place) {
  if (__builtin_expect(mesh->format == MO_MESH_COMPACT, 0)) {
    mo_dvec3 n = mo_compact_normal(mesh, place);
    return mo_dvec(n.x, n.y, n.z); /* number by number: else the other is kept in memory, too */
  }
  mo_vec3 corners[3];
  mo_full_corners_at(mesh, place, corners);
  mo_dvec3 a = mo_widen(corners[0]);
  return mo_dcross(mo_dsub(mo_widen(corners[1]), a), mo_dsub(mo_widen(corners[2]), a));
}

/* The same in the query's space, on the side that counts as front. */
mo_dvec3 mo_mesh_ray_normal(const mo_mesh *mesh, uint32_t place, const mo_affine *bake);

/* What is reported of the closest hit of a query in the mesh's own space, or of none. */
static inline void mo_mesh_ray_closest(const mo_mesh *mesh, const mo_ray_def *def,
                                       const mo_mesh_ray *query, mo_ray_hit *hit) {
  *hit = (mo_ray_hit){.triangle = query->triangle};
  if (query->triangle == MO_NO_TRIANGLE) {
    return;
  }
  hit->found = true;
  hit->triangle_user_data = mesh->user_data != NULL ? mesh->user_data[query->triangle] : 0;
  hit->t = query->max_t;
  hit->point = mo_add(def->origin, mo_scale(hit->t, def->direction));
  hit->normal = mo_unit_normal(mo_mesh_normal(mesh, query->place));
  hit->u = query->u;
  hit->v = query->v;
  hit->front = query->front;
}

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

/* A ray in the world, ready to be taken into the spaces of shapes. */
typedef struct mo_world_ray {
  mo_dvec3 origin, direction;
} mo_world_ray;

typedef enum mo_local_answer {
  MO_LOCAL_MISS,
  MO_LOCAL_HIT,
  MO_LOCAL_UNUSUAL, /* nothing was done */
} mo_local_answer;

/* mo_mesh_cast_ray and mo_mesh_test_ray, for rays that are counted, unusual, or not legal. */
mo_result mo_mesh_cast_any_ray(const mo_mesh *mesh, const mo_ray_def *ray, mo_ray_hit *hit,
                               mo_query_stats *stats);
mo_result mo_mesh_test_any_ray(const mo_mesh *mesh, const mo_ray_def *ray, bool *hit,
                               mo_query_stats *stats);

/* The kernels, one set per instruction set and format of the mesh. */
typedef struct mo_mesh_ray_kernels {
  void (*closest)(const mo_mesh *mesh, mo_mesh_ray *query);
  bool (*any)(const mo_mesh *mesh, mo_mesh_ray *query);
  void (*all)(const mo_mesh *mesh, mo_mesh_ray *query);
  void (*first)(const mo_mesh *mesh, mo_mesh_ray *query);
  /* Closest and any for a ray of which nothing is counted, checks included. */
  mo_result (*cast)(const mo_mesh *mesh, const mo_ray_def *def, mo_ray_hit *hit);
  mo_result (*test)(const mo_mesh *mesh, const mo_ray_def *def, bool *hit);
  /* Closest and any for a ray in the mesh's own space of which nothing is counted and no hit has to
   * be accepted, once it is known to be usual: of the query, what culling asks of the ray is set,
   * and origin, direction, min_t, max_t, ignore and cull. */
  void (*closest_ready)(const mo_mesh *mesh, mo_mesh_ray *query);
  bool (*any_ready)(const mo_mesh *mesh, mo_mesh_ray *query);
  /* Closest and any for a ray in the world of which nothing is counted and no hit has to be
   * accepted, through the inverse of a transform; it is looked at whether that will do. Of the
   * query, min_t, cull, ignore, max_t and ray.near_t are set; where nothing is hit, only the ray,
   * origin, direction and triangle are changed. */
  mo_local_answer (*closest_local)(const mo_mesh *mesh, const mo_affine *affine,
                                   const mo_world_ray *world, mo_mesh_ray *query);
  mo_local_answer (*any_local)(const mo_mesh *mesh, const mo_affine *affine,
                               const mo_world_ray *world, mo_mesh_ray *query);
} mo_mesh_ray_kernels;

typedef struct mo_mesh_overlap_kernels {
  void (*overlap)(const mo_mesh *mesh, mo_mesh_overlap *query);
  /* The point local, or world where `bake` is not null. */
  bool (*contains)(const mo_mesh *mesh, mo_vec3 point, const mo_affine *bake,
                   mo_query_stats *stats);
} mo_mesh_overlap_kernels;

MO_ISA_DECLARE(const mo_mesh_ray_kernels, mo_mesh_ray_kernels, [MO_MESH_FORMATS]);
MO_ISA_DECLARE(const mo_mesh_overlap_kernels, mo_mesh_overlap_kernels, [MO_MESH_FORMATS]);

/* Closest and any for a usual ray that is in the mesh's space already: as closest_ready and
 * any_ready, with weights. */
typedef struct mo_mesh_entered_kernels {
  void (*closest)(const mo_mesh *mesh, mo_mesh_ray *query);
  bool (*any)(const mo_mesh *mesh, mo_mesh_ray *query);
} mo_mesh_entered_kernels;

MO_ISA_DECLARE(const mo_mesh_entered_kernels, mo_mesh_entered_kernels, [MO_MESH_FORMATS]);

/* By format. `isa` is resolved: not MO_ISA_AUTO. */
const mo_mesh_ray_kernels *mo_mesh_ray_kernels_for(mo_isa isa);
/* For one mesh. */
const mo_mesh_overlap_kernels *mo_mesh_overlap_kernels_for(mo_isa isa, const mo_mesh *mesh);

/* The reference traversals (mesh/rays/reference.c), scalar: same results. */
typedef enum mo_ray_goal {
  MO_GOAL_CLOSEST,
  MO_GOAL_ANY,
  MO_GOAL_ALL,
  MO_GOAL_FIRST, /* as many as the list has room for */
} mo_ray_goal;
bool mo_mesh_walk(const mo_mesh *mesh, mo_mesh_ray *query, mo_ray_goal goal);
bool mo_mesh_visit_all(const mo_mesh *mesh, mo_mesh_ray *query, mo_ray_goal goal);

/* Runs a query by the traversal that the def asks for; `kernels` by format. MO_GOAL_ANY returns
 * whether there is a hit. */
bool mo_mesh_trace(const mo_mesh *mesh, const mo_mesh_ray_kernels *kernels, mo_mesh_ray *query,
                   mo_ray_goal goal);

/* Input checks that meshes and scenes share; in silence where the refusal is null. */
mo_result mo_check_unusual_ray(const mo_ray_def *def, const mo_refusal *refusal);

/* Says what is wrong with the ray of a call. `host` may be null. */
MO_COLD mo_result mo_refuse_ray(const mo_host *host, const char *function, const mo_ray_def *ray);

/* Whether a ray and its filter were made by default functions. */
static inline bool mo_ray_has_cookies(const mo_ray_def *def) {
  return ((def->cookie ^ MO_COOKIE) | (def->filter.cookie ^ MO_COOKIE)) == 0;
}

static inline mo_result mo_check_ray(const mo_ray_def *def) {
  mo_f4 origin = mo_f4_abs(mo_f4_from(&def->origin, 0.0f));
  mo_f4 direction = mo_f4_abs(mo_f4_from(&def->direction, 0.0f));
  /* All of these are false for NaN. */
  bool usual =
      mo_f4_every((origin <= mo_f4_all(MO_MAX_COORDINATE)) & (direction <= mo_f4_all(FLT_MAX))) &&
      mo_f4_any(direction > mo_f4_all(0.0f)) && def->min_t >= 0.0f && def->min_t <= FLT_MAX &&
      def->max_t == def->max_t && (unsigned)def->traversal <= MO_TRAVERSAL_NAIVE &&
      mo_ray_has_cookies(def);
  return usual ? MO_OK : mo_check_unusual_ray(def, NULL);
}

/* A segment of no length hits nothing; a ray that should have a direction has been refused. */
static inline bool mo_ray_has_direction(const mo_ray_def *def) {
  return def->direction.x != 0.0f || def->direction.y != 0.0f || def->direction.z != 0.0f;
}

/* `planes` is at a member of the place. */
mo_result mo_check_planes(const mo_plane *planes, uint32_t count, const mo_refusal *refusal,
                          const char *member);

/* A filter at a member of the place. */
static inline mo_result mo_check_filter(const mo_filter *filter, const mo_refusal *refusal,
                                        const char *member) {
  return mo_check_cookie(filter->cookie, refusal, member, "mo_default_filter");
}

/* Room for the rounding of tests that decide (geometry/triangle.h, geometry/convex.h), per unit of
 * the coordinates of an axis: along that axis. */
#define MO_REGION_MARGIN 0x1p-20f

/* Tests of distances (a ball, a clearance) also allow for a share of the coordinates of all axes
 * along each axis, at most 1e-11 of their sum. It matters where a triangle is millions of times
 * longer along one axis than along another, or lies at 0 on one axis. */
#define MO_DISTANCE_MARGIN 0x1p-34f

/* The rounding of a plane's values over boxes with coordinates up to `reach`. */
float mo_plane_slack(const mo_plane *plane, mo_vec3 reach);

/* A box grown by both margins for its own coordinates and others up to `reach`. */
mo_aabb mo_region_grow(mo_aabb box, mo_vec3 reach);

/* The squared distance for culling by a ball itself, with the same margin, where squares of all
 * gaps stay finite; else INFINITY. */
float mo_region_distance2(const mo_sphere *ball, mo_vec3 reach);

/* Adds what a query did to the caller's statistics. Both may be null. */
mo_query_stats mo_stats_begin(const mo_query_stats *callers);
void mo_stats_end(const mo_query_stats *query, mo_query_stats *callers);

/* The visit map for a mesh, or null. */
static inline uint32_t *mo_visits_of(const mo_query_stats *stats, const mo_mesh *mesh) {
  return stats->visited_mesh == mesh ? stats->mesh_visits : NULL;
}

static inline void mo_count_mesh_node(mo_query_stats *stats, const mo_mesh *mesh, uint32_t node) {
  uint32_t *visits = mo_visits_of(stats, mesh);
  stats->mesh_node_count++;
  if (visits != NULL && node < stats->mesh_visit_capacity) {
    visits[node]++;
  }
}

#endif
