/* Distance queries on meshes: closest points, and casts (first contacts of moving bodies).
 * Distances are measured in the world, also under transforms that do not preserve distances. */
#ifndef MO_MESH_NEAR_NEAR_H
#define MO_MESH_NEAR_NEAR_H

#include <motte/cast.h>
#include <motte/distance.h>

#include "base/bounded.h"
#include "base/isa.h"
#include "geometry/cast/bounds.h"
#include "geometry/cast/convex.h"
#include "geometry/cast/half_space.h"
#include "mesh/near/frame.h"
#include "mesh/near/placed.h"

/* The volume of a body for culling triangles: no point of the body is farther than the radius from
 * the box. */
typedef struct mo_body_core {
  mo_aabb box;
  double radius;
  mo_placed_box placed; /* with the same radius; unset for a half-space */
} mo_body_core;

/* A query of motte/distance.h about a convex body: its hits so far, and which further hits
 * count. */
typedef struct mo_distances {
  mo_body body;                /* its bounds are known */
  const mo_closest_hit *after; /* not null: only hits after this one count */
  bool count_all;              /* also count hits that the list has no capacity for */
  mo_bounded hits;             /* items are mo_closest_hit */
  float distance; /* the greatest distance that counts: initially the limit of the query */
  mo_body_core core;
} mo_distances;

/* The order of hits. */
static inline bool mo_closest_hit_before(const void *a, const void *b) {
  const mo_closest_hit *x = a, *y = b;
  return x->distance != y->distance         ? x->distance < y->distance
         : x->shape.index != y->shape.index ? x->shape.index < y->shape.index
                                            : x->triangle < y->triangle;
}

/* Measures the distance of a convex shape or triangle, and sets the distance and points of a hit
 * whose shape and triangle are already set. Returns false if the hit does not count. `gap` receives
 * further results. */
bool mo_distances_measure(const mo_distances *found, const mo_body *own, mo_closest_hit *hit,
                          mo_convex_gap *gap);

/* Whether everything in a box surely comes before the hits that count. Computed distances may
 * exceed what the boxes allow by 1e-7 of the sizes; two boxes have points as far apart as they are
 * large. */
static inline bool mo_distances_passed(const mo_distances *found, mo_aabb box) {
  if (found->after == NULL) {
    return false;
  }
  const double farthest = found->body.kind == MO_BODY_HALF_SPACE
                              ? mo_half_space_farthest(&found->body.half_space, box)
                              : sqrt(mo_box_far2(box, found->body.bounds));
  return farthest * (1.0 + 0x1p-18) < (double)found->after->distance;
}

/* A squared distance: the content of a box comes before the hits that count if no point of the box
 * is as far as that from any point of the body's own box, or of its core. 0: no content does. */
static inline double mo_distances_before2(const mo_distances *found, double radius) {
  if (found == NULL || found->after == NULL) {
    return 0.0;
  }
  double min = (double)found->after->distance * (1.0 - 0x1p-17) - radius;
  return min > 0.0 ? min * min : 0.0;
}

/* Adds a hit that counts. */
void mo_distances_take(mo_distances *found, const mo_closest_hit *hit);

/* Whether a hit counts; its distance, shape and triangle are set. */
static inline bool mo_distances_want(const mo_distances *found, const mo_closest_hit *hit) {
  const mo_bounded *hits = &found->hits;
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
  /* Adds what counts to the hits found. */
  void (*find)(const void *subject, const mo_distance_def *def, mo_distances *found,
               mo_query_stats *stats);
} mo_distance_call;

/* Run a call, and write its outputs: the closest hit; a list, with the number of all hits or of
 * those in the list; or a callback. */
mo_result mo_distances_closest(mo_distance_call call, mo_closest_hit *hit, mo_query_stats *stats);
mo_result mo_distances_within(mo_distance_call call, mo_closest_hit *hits, uint32_t capacity,
                              uint32_t *total, mo_query_stats *stats);
mo_result mo_distances_few(mo_distance_call call, mo_closest_hit *hits, uint32_t capacity,
                           uint32_t *count, mo_query_stats *stats);
mo_result mo_distances_visit(mo_distance_call call,
                             bool (*visit)(const mo_closest_hit *hit, void *context), void *context,
                             mo_query_stats *stats);

/* A closest-point query on one mesh. Closest points compare by distance, rounded to float, then by
 * triangle. So two triangles that share the closest point tie, whatever the rounding error of
 * either distance. */
typedef struct mo_mesh_closest {
  mo_dvec3 point;          /* world; local for a mesh alone */
  const mo_affine *affine; /* of the shape; null for a mesh alone */
  /* The best so far, initially the limit; `triangle` is MO_NO_TRIANGLE until one is found. */
  float distance;
  uint32_t triangle;
  mo_dvec3 offset;   /* from the point to the closest point */
  double weights[3]; /* barycentric; exactly 0 for corners that do not contribute */
  mo_cull_frame frame;
  mo_placed_lanes lanes; /* unset for a half-space */
  double limit;   /* squared distance up to which boxes may contain something as good as the best */
  double before2; /* mo_distances_before2 */
  /* Not null for a query about a body: the body replaces the point, and its hits replace the
   * best. */
  mo_distances *found;
  bool by_plane; /* the body is a half-space: culling uses `plane` instead of the frame */
  mo_plane_path plane;
  const mo_mesh *mesh;
  mo_shape_id shape; /* for hits; null for a mesh alone */
  uint64_t user_data;
} mo_mesh_closest;

/* Initialises a query for triangles at most `max_distance` away, which is not negative and may be
 * infinite. */
void mo_mesh_closest_init(mo_mesh_closest *query, const mo_mesh *mesh, mo_vec3 point,
                          const mo_affine *affine, float max_distance);

/* Finds the triangles of a mesh that count; `place` is null for a mesh alone. */
typedef struct mo_mesh_in_scene {
  const mo_affine *affine;
  mo_shape_id shape;
  uint64_t user_data;
} mo_mesh_in_scene;
void mo_mesh_distances_find(const mo_mesh *mesh, const mo_mesh_in_scene *place, mo_isa isa,
                            mo_distances *found, mo_query_stats *stats);

/* Tests one triangle, for a query about a body. */
void mo_mesh_distances_test(const mo_vec3 corners[3], uint32_t triangle, mo_mesh_closest *query);

/* Sets the feature (face, edge or corner) of the triangle on which the point with the given
 * barycentric weights lies. */
void mo_set_feature(const double weights[3], mo_closest_hit *hit);

/* A query for the winding number around a point: the sum over the triangles that the ray along +x
 * crosses. The ray, and so the culling, is in world space. */
typedef struct mo_mesh_winding {
  mo_dvec3 point;
  const mo_affine *affine; /* of the shape; null for a mesh alone */
  mo_aabb ray;             /* a box around the ray */
  int32_t sum, *last;      /* `last`: contribution of the triangle that was tested last */
} mo_mesh_winding;

bool mo_mesh_winding_test(const mo_vec3 corners[3], const void *query);
bool mo_mesh_winding_add(uint32_t triangle, void *query);

MO_ISA_DECLARE(void, mo_mesh_winding_full,
               (const mo_mesh *mesh, mo_mesh_winding *query, mo_query_stats *stats));
MO_ISA_DECLARE(void, mo_mesh_winding_compact,
               (const mo_mesh *mesh, mo_mesh_winding *query, mo_query_stats *stats));

/* The winding number of a mesh by its local normals; 0 outside its own box. `affine` is null for a
 * mesh alone. */
int32_t mo_mesh_winding_of(const mo_mesh *mesh, const mo_affine *affine, mo_isa isa, mo_vec3 point,
                           mo_query_stats *stats);

/* The signed distance of a point from a closed mesh, as a hit without its shape. At most
 * `max_distance`, which may be negative: distances that are surely above it need not be found. */
mo_closest_hit mo_mesh_signed_hit(const mo_mesh *mesh, const mo_affine *affine, mo_isa isa,
                                  mo_vec3 point, float max_distance, mo_query_stats *stats);

/* The least distance of a point in a box from the box's sides; negative outside. Monotone. */
static inline double mo_depth_in_box(mo_aabb box, mo_vec3 point) {
  double x = fmin((double)point.x - (double)box.lower.x, (double)box.upper.x - (double)point.x);
  double y = fmin((double)point.y - (double)box.lower.y, (double)box.upper.y - (double)point.y);
  double z = fmin((double)point.z - (double)box.lower.z, (double)box.upper.z - (double)point.z);
  return fmin(x, fmin(y, z));
}

/* Finds the closest triangle within the limit. */
void mo_mesh_closest_find(mo_mesh_closest *query, mo_isa isa, const mo_mesh *mesh,
                          mo_query_stats *stats);

/* The exact test of one triangle; its corners are local. */
void mo_mesh_closest_test(const mo_vec3 corners[3], uint32_t triangle, void *query);

/* The hit of a finished query, without its shape. */
mo_closest_hit mo_mesh_closest_hit(const mo_mesh_closest *query, const mo_mesh *mesh);

/* A distance for comparison: rounded to float, but 0 only if it is exactly 0. */
static inline float mo_compared_distance(double distance) {
  float rounded = (float)distance;
  return rounded > 0.0f || !(distance > 0.0) ? rounded : FLT_TRUE_MIN;
}

/* An upper bound of the squares of distances that round to `distance` or less, after a radius has
 * been subtracted; and the same without a radius. */
static inline double mo_closest_limit_around(float distance, double radius) {
  double max = (distance * (1.0 + 0x1p-23) + 0x1p-149) + radius;
  return fmin(max * max * (1.0 + 0x1p-50), DBL_MAX);
}

static inline double mo_closest_limit(float distance) {
  return mo_closest_limit_around(distance, 0.0);
}

MO_ISA_DECLARE(void, mo_mesh_closest_full,
               (const mo_mesh *mesh, mo_mesh_closest *query, mo_query_stats *stats));
MO_ISA_DECLARE(void, mo_mesh_closest_compact,
               (const mo_mesh *mesh, mo_mesh_closest *query, mo_query_stats *stats));

/* The depth from which on a contact at the start may be as good as the best of a cast, which is at
 * the float `t`, `distance` away. */
static inline double mo_cast_min_depth(float t, float distance) {
  return t == 0.0f && distance < 0.0f ? (double)nextafterf(-distance, 0.0f) : -INFINITY;
}

/* An upper bound of times that round to the float `t` or less. */
static inline double mo_cast_limit(float t) {
  return t * (1.0 + 0x1p-23) + 0x1p-149;
}

/* The result that a cast is for: the first contact, whether there is any, or all. */
typedef enum mo_cast_goal { MO_CAST_FIRST, MO_CAST_ANY, MO_CAST_ALL } mo_cast_goal;

/* Rules for what a cast may hit: the members of the same names that the defs of all casts have. */
typedef struct mo_cast_rules {
  const mo_filter *filter;
  bool hit_volumes, cull_back_faces, every_triangle;
  float min_approach;
  mo_shape_id ignore_shape;
  uint32_t ignore_triangle;
  bool (*accept)(mo_shape_id shape, uint32_t triangle, float t, void *context);
  void *context;
} mo_cast_rules;

/* Whether the motion approaches a surface with a normal by enough for the contact to count. */
static inline bool mo_cast_approaches(const mo_cast_rules *rules, mo_vec3 normal,
                                      mo_dvec3 velocity) {
  return !(rules->min_approach >= 0.0f) ||
         -mo_ddot(mo_widen(normal), velocity) > (double)rules->min_approach;
}

/* A def of motte/cast.h, checked and prepared. It has a pointer to the filter of the def. */
typedef struct mo_cast {
  mo_cast_goal goal;
  mo_cast_rules rules;
  bool by_bounds; /* test the body's box against stored boxes */
  /* The moving body, in world space; local for a mesh alone. */
  bool is_ball;
  mo_moving_ball ball;
  mo_moving_body body;
  mo_placed_box placed; /* around a body that does not rotate and is no half-space */
  double depth_error;   /* of depths that mo_convex_penetrate finds for the body, an upper bound */
} mo_cast;

typedef enum mo_cast_mover { MO_CAST_SPHERE, MO_CAST_SHAPE } mo_cast_mover;

/* A call of one of the public functions, on a mesh or a scene. */
typedef struct mo_cast_call {
  const char *function;
  const void *subject; /* the mesh or scene; may be null, and so may `host` and `def` */
  const mo_host *host;
  mo_cast_mover mover;
  const void *def; /* mo_sphere_cast_def or mo_shape_cast_def */
  /* Finds the first contact or any one. If `list` is not null, it receives all contacts instead.
   * `complete` then sets those members of a hit that only the caller needs. */
  mo_cast_hit (*find)(const void *subject, const mo_cast *cast, mo_bounded *list,
                      mo_query_stats *stats);
  void (*complete)(const void *subject, const mo_cast *cast, mo_cast_hit *hit);
} mo_cast_call;

/* Run a call, and write its outputs. */
mo_result mo_cast_first(mo_cast_call call, mo_cast_hit *hit, mo_query_stats *stats);
mo_result mo_cast_any(mo_cast_call call, bool *found, mo_query_stats *stats);
mo_result mo_cast_all(mo_cast_call call, mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                      mo_query_stats *stats);

/* The velocity of the moving body at a contact. */
static inline mo_dvec3 mo_cast_velocity(const mo_cast *cast, const mo_convex_contact *contact) {
  return cast->is_ball ? mo_widen(cast->ball.displacement)
                       : mo_velocity_at(&cast->body, contact->t, contact->point);
}

/* Checks the arguments of a call, and prepares its def. `missing`: the name of an output that is
 * null and must not be; else null. */
mo_result mo_cast_prepare(mo_cast *cast, const mo_cast_call *call, mo_cast_goal goal,
                          const char *missing);

/* Sets the features of a complete hit on a body at rest. */
void mo_cast_set_features(const mo_cast *cast, const mo_body *still, mo_cast_hit *hit);

/* Sets the features of a hit on a mesh; `affine` is null for a mesh alone. */
void mo_mesh_cast_set_features(const mo_cast *cast, const mo_mesh *mesh, const mo_affine *affine,
                               mo_cast_hit *hit);

/* The order of lists of contacts. */
static inline bool mo_cast_hit_before(const void *a, const void *b) {
  const mo_cast_hit *x = a, *y = b;
  return x->t != y->t                       ? x->t < y->t
         : x->shape.index != y->shape.index ? x->shape.index < y->shape.index
                                            : x->triangle < y->triangle;
}

/* A cast against one mesh. Contacts compare by t, rounded to float; at t = 0 by the distance of a
 * ball's centre or the negative depth of a body, also rounded (the deepest first); then by
 * triangle. */
typedef struct mo_mesh_cast {
  const mo_cast *cast;
  const mo_mesh *mesh;
  const mo_affine *affine; /* of the shape; null for a mesh alone */
  mo_shape_id shape;       /* null for a mesh alone */
  /* The best so far, initially the end of the path; `triangle` is MO_NO_TRIANGLE until one is
   * hit. */
  float t;
  float distance; /* if t is 0; else 0 */
  uint32_t triangle;
  mo_convex_contact contact; /* for a ball, only t and distance */
  mo_cull_frame frame;
  mo_path_axis path[3]; /* in the culling space */
  bool by_plane;        /* the body is a half-space: culling uses `plane` instead of the path */
  mo_plane_path plane;
  mo_placed_lanes lanes;   /* unset for a rotating body or a half-space */
  bool by_lanes;           /* of a body: nodes are culled by `lanes` and `lane_path` */
  mo_lanes_path lane_path; /* `path` in floats */
  double limit; /* largest t at which the path may enter a box with something as good as the best */
  double min_depth;     /* contacts of a body at the start that are less deep do not count */
  uint32_t depth_count; /* of a body at the start */
  /* Not null: receives the contacts with all triangles (mo_cast_hit), with the shape but without
   * user data and features; `met` is then the contact with the triangle that was tested last. */
  mo_bounded *hits;
  mo_convex_contact *met;
} mo_mesh_cast;

/* Initialises a query for contacts up to `max_t`. */
void mo_mesh_cast_init(mo_mesh_cast *query, const mo_mesh *mesh, const mo_cast *cast,
                       const mo_affine *affine, mo_shape_id shape, float max_t);
void mo_mesh_cast_find(mo_mesh_cast *query, mo_isa isa, mo_query_stats *stats);

/* The hit of a finished query, without its shape and features. */
mo_cast_hit mo_mesh_cast_result(const mo_mesh_cast *query);

/* For best-first traversal: tests a triangle (local corners), and takes it if it is better than the
 * best. */
void mo_mesh_cast_test(const mo_vec3 corners[3], uint32_t triangle, void *query);

/* For lists: tests whether a triangle is hit; and adds its contact, called once for each hit
 * triangle. */
bool mo_mesh_cast_meets(const mo_vec3 corners[3], const void *query);
bool mo_mesh_cast_list(uint32_t triangle, void *query);

MO_ISA_DECLARE(void, mo_mesh_cast_full, (mo_mesh_cast * query, mo_query_stats *stats));
MO_ISA_DECLARE(void, mo_mesh_cast_compact, (mo_mesh_cast * query, mo_query_stats *stats));

/* The corners of a triangle in the world, relative to a point. */
static inline void mo_relative_corners(const mo_affine *affine, const mo_vec3 corners[3],
                                       mo_dvec3 point, mo_dvec3 relative[3]) {
  for (int i = 0; i < 3; i++) {
    mo_dvec3 corner =
        affine != NULL ? mo_affine_point_to_world(affine, corners[i]) : mo_widen(corners[i]);
    relative[i] = mo_dsub(corner, point);
  }
}

/* A length below which the vector from a triangle to a point is only rounding error, and does not
 * tell the side of the point. `relative` are the corners relative to the point, as above. */
static inline double mo_min_gap(const mo_dvec3 relative[3]) {
  double max = 0.0;
  for (int i = 0; i < 3; i++) {
    max = fmax(max, fmax(fabs(relative[i].x), fmax(fabs(relative[i].y), fabs(relative[i].z))));
  }
  return 0x1p-44 * max;
}

/* The unit normal of a triangle in the world, by the right-hand rule for its local winding; zero
 * for a triangle that is degenerate in the world up to rounding. */
mo_vec3 mo_mesh_world_normal(const mo_mesh *mesh, uint32_t triangle, const mo_affine *affine);

#endif
