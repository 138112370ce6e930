/* Distance queries on meshes: closest points of points and bodies, and signed distances. Distances
 * are measured in world space, whatever the transform of the mesh. */
#ifndef MO_MESH_NEAR_NEAR_H
#define MO_MESH_NEAR_NEAR_H

#include <motte/distance.h>

#include "base/bounded.h"
#include "base/isa.h"
#include "geometry/cast/half_space.h"
#include "geometry/distance/distance.h"
#include "mesh/culling/frame.h"
#include "mesh/culling/placed.h"
#include "mesh/primitive.h"
#include "mesh/world.h"

/* A volume around a body for culling triangles: a box, and a radius. No point of the body is
 * farther from the box than the radius. */
typedef struct mo_body_core {
  mo_aabb box;
  double radius;
  mo_rounded_box rounded_box; /* oriented rounded box around the body; unset for a half-space */
} mo_body_core;

/* In a search for the triangle of a mesh that is closest to a body: the best so far, of which the
 * distance is that of the mo_distance_query. The body is the first of the two in the gap. */
typedef struct mo_closest_own_triangle {
  uint32_t triangle; /* MO_NO_TRIANGLE until one is found */
  mo_convex_gap gap;
} mo_closest_own_triangle;

/* A query of motte/distance.h about a convex body or a mesh: its hits so far, and which further
 * hits count. */
typedef struct mo_distance_query {
  mo_body body;        /* the convex body, or a box around the mesh; its bounds are computed */
  const mo_mesh *mesh; /* not null: the query is about this mesh */
  mo_affine affine;    /* of the mesh or compound */
  /* Not null: the query is about each child of this compound in turn, by the members above, and
   * `own_child` is the number of the child; else 0. */
  const struct mo_compound *compound;
  uint32_t own_child;
  mo_query_stats *stats;
  /* Not null: the query is a search for the closest triangle, and has no list of hits. */
  mo_closest_own_triangle *own;
  const mo_closest_hit *after; /* if not null: only hits that come after this one in order count */
  bool count_all;              /* also count hits that the list has no capacity for */
  mo_bounded_list hits;        /* the best hits so far, as mo_closest_hit */
  float distance; /* greatest distance of a hit that counts; initially the query's limit */
  mo_body_core core;
} mo_distance_query;

/* The order of hits: by distance, then shape, then child, then triangle, then child of the query's
 * shape. */
static inline bool mo_closest_hit_before(const void *a, const void *b) {
  const mo_closest_hit *x = a, *y = b;
  return x->distance != y->distance         ? x->distance < y->distance
         : x->shape.index != y->shape.index ? x->shape.index < y->shape.index
         : x->child != y->child             ? x->child < y->child
         : x->triangle != y->triangle       ? x->triangle < y->triangle
                                            : x->own_child < y->own_child;
}

/* Measures the distance between the query's body and another one, a convex shape or triangle. Sets
 * the distance and points of the hit, whose shape and triangle are already set. Returns false if
 * the hit does not count. `gap` receives further results. */
bool mo_distances_measure(const mo_distance_query *found, const mo_body *own, mo_closest_hit *hit,
                          mo_convex_gap *gap);

/* Whether all hits in a box surely come before found->after, so that the box can be skipped. A
 * relative margin allows for rounding: computed distances may exceed the largest distance of two
 * points of the boxes by 1e-7 of their sizes. */
static inline bool mo_distances_can_skip_box(const mo_distance_query *found, mo_aabb box) {
  if (found->after == NULL) {
    return false;
  }
  const double farthest = found->body.kind == MO_BODY_HALF_SPACE
                              ? mo_half_space_max_box_distance(&found->body.half_space, box)
                              : sqrt(mo_aabb_max_distance2(box, found->body.bounds));
  return farthest * (1.0 + 0x1p-18) < (double)found->after->distance;
}

/* Returns a squared distance, 0 if no box can be skipped: if all points of a box are closer than it
 * to all points of the body's core, all hits in the box come before found->after. `radius` is that
 * of the core. */
static inline double mo_distances_skip_distance2(const mo_distance_query *found, double radius) {
  if (found == NULL || found->after == NULL) {
    return 0.0;
  }
  double min = (double)found->after->distance * (1.0 - 0x1p-17) - radius;
  return min > 0.0 ? min * min : 0.0;
}

/* Adds a hit that counts. */
void mo_distances_add_hit(mo_distance_query *found, const mo_closest_hit *hit);

/* Whether a hit counts, given its distance, shape and triangle. */
static inline bool mo_distances_accepts_hit(const mo_distance_query *found,
                                            const mo_closest_hit *hit) {
  const mo_bounded_list *hits = &found->hits;
  return hit->distance <= found->distance &&
         (found->after == NULL || mo_closest_hit_before(found->after, hit)) &&
         (found->count_all || hits->count < hits->capacity ||
          mo_closest_hit_before(hit, hits->items));
}

/* A call of one of the public functions, on a mesh or a scene. */
typedef struct mo_distance_call {
  const char *function;
  const void *subject; /* the mesh or scene; may be null, and so may `host` and `def` */
  const mo_host *host;
  const mo_distance_def *def;
  /* Searches the mesh or scene, and adds the hits that count to `found`. */
  void (*find)(const void *subject, const mo_distance_def *def, mo_distance_query *found,
               mo_query_stats *stats);
} mo_distance_call;

/* Run a call, and write its outputs: the closest hit; a list of the closest hits, with the number
 * of all hits within the limit if `count_all`, else of those in the list; or all hits in order, to
 * a callback. */
mo_result mo_distances_closest(mo_distance_call call, mo_closest_hit *hit, mo_query_stats *stats);
mo_result mo_distances_list(mo_distance_call call, mo_closest_hit *hits, uint32_t capacity,
                            bool count_all, uint32_t *number, mo_query_stats *stats);
mo_result mo_distances_visit(mo_distance_call call,
                             bool (*visit)(const mo_closest_hit *hit, void *context), void *context,
                             mo_query_stats *stats);

/* A closest-point query on one mesh. Hits are ordered by distance, rounded to float, then by
 * triangle. So two triangles that share the closest point tie in spite of rounding errors. */
typedef struct mo_mesh_closest {
  mo_dvec3 point;          /* the query point: world; local if `affine` is null */
  const mo_affine *affine; /* the shape's transform; null if the mesh is not in a scene */
  /* The closest hit so far, initially the limit; `triangle` is MO_NO_TRIANGLE until a hit. */
  float distance;
  uint32_t triangle;
  mo_dvec3 offset;   /* vector from the query point to the closest point */
  double weights[3]; /* barycentric weights of the closest point; 0 for unused corners */
  mo_cull_frame frame;
  /* The culling frame in floats: a box around the query's point that covers its error, and per axis
   * a lower bound of the world length of a unit vector. */
  float lower[3], upper[3], scale[3];
  mo_culling_box culling_box; /* unset for a half-space */
  double limit;               /* boxes beyond this squared distance cannot have a better hit */
  double skip_distance2;      /* boxes wholly within it are skipped: mo_distances_skip_distance2 */
  /* If not null, the query is about a body instead of `point`, and hits are added to
   * body_query->hits. */
  mo_distance_query *body_query;
  /* If not null, called with each triangle in place of the test of the point: it may lower `limit`.
   * Local corners. */
  void (*test)(const mo_vec3 corners[3], uint32_t triangle, struct mo_mesh_closest *query);
  void *context;       /* of `test` */
  bool culls_by_plane; /* the body is a half-space: culling uses `plane` instead of the frame */
  mo_plane_path plane;
  const mo_mesh *mesh;
  mo_shape_id shape; /* the shape of hits; null if the mesh is not in a scene */
  uint32_t child;    /* of that shape, if it is a compound; else 0 */
  uint64_t user_data;
} mo_mesh_closest;

/* Sets the culling frame of a query. */
void mo_mesh_closest_set_frame(mo_mesh_closest *query, const mo_cull_frame *frame);

/* Initialises a query for triangles at most `max_distance` away, which is not negative and may be
 * infinite. */
void mo_mesh_closest_init(mo_mesh_closest *query, const mo_mesh *mesh, mo_dvec3 point,
                          const mo_affine *affine, float max_distance);

/* The shape of a scene that a mesh belongs to. */
typedef struct mo_mesh_in_scene {
  const mo_affine *affine;
  mo_shape_id shape;
  uint32_t child; /* of the shape, if that is a compound; else 0 */
  uint64_t user_data;
} mo_mesh_in_scene;

/* A cache for a batch of closest-point queries: the hit and surroundings of the previous point, as
 * consecutive points are often neighbours. It saves time, and changes no answer. */
typedef struct mo_closest_cache {
  uint32_t triangle; /* closest triangle to the previous point, or MO_NO_TRIANGLE */
  /* For signed distances from a closed mesh, whose winding number changes only at its surface: the
   * previous point, a lower bound of its distance from the surface (0 if unknown), and whether the
   * point is inside. */
  bool mesh_is_closed;
  mo_vec3 point;
  double surface_free_radius;
  bool inside;
} mo_closest_cache;

static inline mo_closest_cache mo_closest_cache_make(bool mesh_is_closed) {
  return (mo_closest_cache){.triangle = MO_NO_TRIANGLE, .mesh_is_closed = mesh_is_closed};
}

/* mo_mesh_closest_point and mo_mesh_signed_distance with a cache, which may be null. */
mo_result mo_mesh_closest_point_with_cache(mo_closest_cache *cache, const mo_mesh *mesh,
                                           mo_vec3 point, float max_distance, mo_closest_hit *hit,
                                           mo_query_stats *stats);
mo_result mo_mesh_signed_distance_with_cache(mo_closest_cache *cache, const mo_mesh *mesh,
                                             mo_vec3 point, float max_distance, mo_closest_hit *hit,
                                             mo_query_stats *stats);

/* Finds the hits on the triangles of a mesh; `in_scene` is null if the mesh is not in a scene. */
void mo_mesh_distances_find(const mo_mesh *mesh, const mo_mesh_in_scene *in_scene, mo_isa isa,
                            mo_distance_query *found, mo_query_stats *stats);

/* Sets the feature of a hit, by its barycentric weights: on the face, an edge or a corner of the
 * triangle. */
void mo_closest_hit_set_feature(const double weights[3], mo_closest_hit *hit);

/* Sets the members of a hit that describe its triangle: feature, barycentric weights and user data.
 * `corners` are local; `point` is the point on the triangle, in world space. */
void mo_closest_hit_set_triangle(const mo_mesh *mesh, const mo_affine *affine,
                                 const mo_vec3 corners[3], mo_dvec3 point, mo_closest_hit *hit);

/* A query for the winding number around a point: the sum over the triangles that the ray along +x
 * crosses. The ray, and so the culling, is in world space. */
typedef struct mo_mesh_winding {
  mo_dvec3 point;
  const mo_affine *affine; /* the shape's transform; null if the mesh is not in a scene */
  mo_aabb ray;             /* a box around the ray */
  int32_t sum;             /* sum of the contributions of all triangles so far */
  int32_t *last;           /* receives the contribution of the triangle that was tested last */
} mo_mesh_winding;

bool mo_mesh_winding_test(const mo_vec3 corners[3], const void *query);
bool mo_mesh_winding_add(uint32_t triangle, void *query);

MO_ISA_DECLARE(void, mo_mesh_winding_find,
               (const mo_mesh *mesh, mo_mesh_winding *query, mo_query_stats *stats));

/* The winding number of a mesh around a point, by the mesh's local normals; 0 outside its box.
 * `affine` is null if the mesh is not in a scene. */
int32_t mo_mesh_winding_around(const mo_mesh *mesh, const mo_affine *affine, mo_isa isa,
                               mo_vec3 point, mo_query_stats *stats);

/* The signed distance of a point from a closed mesh, as a hit without its shape. Distances above
 * `max_distance`, which may be negative, need not be found. If `cache` is not null, `affine` must
 * be null and `max_distance` not negative. */
mo_closest_hit mo_mesh_signed_distance_hit(const mo_mesh *mesh, const mo_affine *affine, mo_isa isa,
                                           mo_vec3 point, float max_distance,
                                           mo_closest_cache *cache, mo_query_stats *stats);

/* The distance of a point in a box from the nearest side; negative outside. Grows with the box. */
static inline double mo_depth_in_box(mo_aabb box, mo_vec3 point) {
  double x = fmin((double)point.x - (double)box.lower.x, (double)box.upper.x - (double)point.x);
  double y = fmin((double)point.y - (double)box.lower.y, (double)box.upper.y - (double)point.y);
  double z = fmin((double)point.z - (double)box.lower.z, (double)box.upper.z - (double)point.z);
  return fmin(x, fmin(y, z));
}

/* The closest point to a point, as a hit without its shape. `cache` may be null. */
mo_closest_hit mo_mesh_closest_point_hit(const mo_mesh *mesh, const mo_affine *affine, mo_isa isa,
                                         mo_vec3 point, float max_distance, mo_closest_cache *cache,
                                         mo_query_stats *stats);

/* Checks the arguments of mo_mesh_closest_point or mo_mesh_signed_distance, which `function`
 * names. */
mo_result mo_mesh_check_closest(const mo_mesh *mesh, const char *function, mo_vec3 point,
                                float max_distance, const mo_closest_hit *hit);

/* Finds the closest triangle within the limit. */
void mo_mesh_closest_find(mo_mesh_closest *query, mo_isa isa, const mo_mesh *mesh,
                          mo_query_stats *stats);
MO_ISA_DECLARE(void, mo_mesh_closest_visit,
               (const mo_mesh *mesh, mo_mesh_closest *query, mo_query_stats *stats));

/* The exact test of one triangle, given by local corners: updates the closest hit of `query`. */
void mo_mesh_closest_test(const mo_vec3 corners[3], uint32_t triangle, void *query);

/* The hit of a finished query, without its shape. */
mo_closest_hit mo_mesh_closest_hit(const mo_mesh_closest *query, const mo_mesh *mesh);

/* A distance for comparison: rounded to float, but 0 only if it is exactly 0. */
static inline float mo_distance_for_comparison(double distance) {
  float rounded = (float)distance;
  return rounded > 0.0f || !(distance > 0.0) ? rounded : FLT_TRUE_MIN;
}

/* An upper bound of the squared distances from a core (mo_body_core) that, minus its radius, round
 * to `distance` or less. mo_closest_distance2_limit is for a radius of 0. */
static inline double mo_closest_core_distance2_limit(float distance, double radius) {
  double max = (distance * (1.0 + 0x1p-23) + 0x1p-149) + radius;
  return fmin(max * max * (1.0 + 0x1p-50), DBL_MAX);
}

static inline double mo_closest_distance2_limit(float distance) {
  return mo_closest_core_distance2_limit(distance, 0.0);
}

#endif
