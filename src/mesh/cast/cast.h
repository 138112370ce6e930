/* Casts at meshes: the first contact of a moving ball, convex body or mesh, any contact, or all.
 * Also what casts at meshes and at scenes share. */
#ifndef MO_MESH_CAST_CAST_H
#define MO_MESH_CAST_CAST_H

#include <motte/separation.h>

#include "base/bounded.h"
#include "base/isa.h"
#include "geometry/cast/bounds.h"
#include "geometry/cast/convex.h"
#include "geometry/cast/half_space.h"
#include "mesh/culling/swept.h"
#include "mesh/primitive.h"
#include "mesh/world.h"

/* The depth that a contact at t = 0 must have to be as good as the best contact of a cast so far,
 * which is at `t`; if `t` is 0, `distance` is its negative depth. */
static inline double mo_cast_min_competing_depth(float t, float distance) {
  return t == 0.0f && distance < 0.0f ? (double)nextafterf(-distance, 0.0f) : -INFINITY;
}

/* An upper bound of all doubles that round to the float `t` or less. */
static inline double mo_cast_unrounded_limit(float t) {
  return t * (1.0 + 0x1p-23) + 0x1p-149;
}

/* The result that a cast is for: the first contact, whether there is any, or all. */
typedef enum mo_cast_goal { MO_CAST_FIRST, MO_CAST_ANY, MO_CAST_ALL } mo_cast_goal;

/* Whether a body with this velocity approaches a surface with this normal so fast that, by the
 * options, their contact counts. */
static inline bool mo_cast_approaches(const mo_cast_options *options, mo_vec3 normal,
                                      mo_dvec3 velocity) {
  return !(options->min_approach >= 0.0f) ||
         -mo_ddot(mo_widen(normal), velocity) > (double)options->min_approach;
}

/* A cast: a def of motte/cast.h, checked and prepared. */
typedef struct mo_cast {
  mo_cast_goal goal;
  const mo_cast_options *options; /* the options of the def */
  bool uses_bounds_only;          /* tests only the body's box, against stored boxes */
  /* The moving body, in world space; in local space for a mesh that is not in a scene. */
  bool is_ball;
  mo_moving_ball ball;
  mo_moving_body body;
  /* The following bounds cull triangles in casts at meshes. They are set when the first mesh is
   * tested; then `has_culling` is true. */
  bool has_culling;
  mo_bounding_volumes volumes; /* unset for a half-space */
  double depth_error; /* upper bound of the error of depths that mo_convex_find_penetration finds */
  /* Not null: the moving shape is this mesh, and `body` is a box around it. */
  const mo_mesh *mesh;
  /* Not null: the moving shape is this compound, and the cast is one of a box around it; the casts
   * of its children find the contacts. */
  const struct mo_compound *compound;
  mo_affine affine;     /* of the mesh or compound at t = 0 */
  mo_movement movement; /* of the moving shape */
  /* The contact to beat, as in mo_mesh_cast: only those that are as good or better count.
   * Initially the end of the path; a search for the first contact sets it to what it finds. */
  float t, distance;
  uint32_t own_child; /* the number of the child that moves, if the shape is a compound; else 0 */
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
   * `complete` sets the members of a hit that `find` leaves unset, for the caller. */
  mo_cast_hit (*find)(const void *subject, mo_cast *cast, mo_bounded_list *list,
                      mo_query_stats *stats);
  void (*complete)(const void *subject, const mo_cast *cast, mo_cast_hit *hit);
} mo_cast_call;

/* Run a cast for its first contact, for any contact, or for all, and write the outputs. */
mo_result mo_cast_first(mo_cast_call call, mo_cast_hit *hit, mo_query_stats *stats);
mo_result mo_cast_any(mo_cast_call call, bool *found, mo_query_stats *stats);
mo_result mo_cast_all(mo_cast_call call, mo_cast_hit *hits, uint32_t capacity, uint32_t *total,
                      mo_query_stats *stats);

/* A call of a public function for separations, and the cast that finds the deepest contact. */
typedef struct mo_separation_call {
  mo_cast_call call; /* its members `find` and `complete` are not used */
  mo_result (*cast)(const void *subject, const mo_shape_cast_def *def, mo_cast_hit *hit,
                    mo_query_stats *stats);
} mo_separation_call;

mo_result mo_separation_find(const mo_separation_call *separator, mo_separation *separation,
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

/* Sets the members by which casts at meshes cull triangles, unless they are set. */
void mo_cast_set_culling(mo_cast *cast);

/* Sets the features of a complete hit on a body at rest. */
void mo_cast_set_features(const mo_cast *cast, const mo_body *still, mo_cast_hit *hit);

/* Sets the features of a hit on a mesh; `affine` is null if the mesh is not in a scene. */
void mo_mesh_cast_set_features(const mo_cast *cast, const mo_mesh *mesh, const mo_affine *affine,
                               mo_cast_hit *hit);

/* The order of contacts in a list: by t, then shape, then child, then triangle, then child of the
 * moving shape. */
static inline bool mo_cast_hit_before(const void *a, const void *b) {
  const mo_cast_hit *x = a, *y = b;
  return x->t != y->t                       ? x->t < y->t
         : x->shape.index != y->shape.index ? x->shape.index < y->shape.index
         : x->child != y->child             ? x->child < y->child
         : x->triangle != y->triangle       ? x->triangle < y->triangle
                                            : x->own_child < y->own_child;
}

/* A cast of a mesh at a body at rest. */
typedef struct mo_moving_mesh_cast {
  const mo_cast *cast; /* its moving shape is a mesh */
  const mo_body *still;
  bool (*accepts)(const mo_convex_contact *contact, const void *context); /* which contacts count */
  const void *context;
} mo_moving_mesh_cast;

/* The contact of one triangle of a moving mesh. */
typedef struct mo_moving_mesh_contact {
  mo_convex_contact contact; /* its `t` is INFINITY if there is none */
  uint32_t triangle;
} mo_moving_mesh_contact;

/* Finds the first contact up to `max_t` that counts. At t = 0 only contacts at least as deep as
 * `min_depth` count. */
mo_moving_mesh_contact mo_moving_mesh_cast_find(const mo_moving_mesh_cast *search, float max_t,
                                                double min_depth, mo_query_stats *stats);

/* A triangle of the mesh that a cast moves, as a moving body. */
mo_moving_body mo_cast_moving_triangle(const mo_cast *cast, uint32_t triangle);

/* A cast against one mesh. Contacts are ordered by t, rounded to float; at t = 0 by the distance of
 * a ball's centre or the negative depth of a body, also rounded, so that the deepest is first; then
 * by triangle. */
typedef struct mo_mesh_cast {
  const mo_cast *cast;
  const mo_mesh *mesh;
  const mo_affine *affine; /* the shape's transform; null if the mesh is not in a scene */
  mo_shape_id shape;       /* null if the mesh is not in a scene */
  uint32_t child;          /* of the shape, if that is a compound; else 0 */
  /* The best contact so far, initially the end of the path; `triangle` is MO_NO_TRIANGLE until a
   * triangle is hit. */
  float t;
  float distance; /* at t = 0: distance of the ball's centre, or negative depth of a body; else 0 */
  uint32_t triangle;
  mo_convex_contact contact; /* for a ball, only t and distance */
  uint32_t own_triangle;     /* that touches, if a mesh moves; else MO_NO_TRIANGLE */
  /* Not null: the roles are exchanged. The mesh of this query is the one that moves, and the body
   * of `cast` is at rest in fact: for culling it moves in the opposite way, but the exact test
   * moves the triangles of the mesh in the world. */
  const mo_moving_mesh_cast *cast_with_roles_exchanged;
  mo_swept_culling culling; /* unset for a half-space */
  bool culls_by_plane;      /* the body is a half-space: culling uses `plane` instead */
  mo_plane_path plane;
  double limit;         /* boxes that the path enters after this t cannot have a better contact */
  double min_depth;     /* at t = 0, contacts of a body with a lesser depth do not count */
  uint32_t depth_count; /* number of contacts of a body at t = 0 whose depths were computed */
  /* If not null, `hits` receives the contacts with all triangles (mo_cast_hit), without user data
   * and features; `last_contact` is then the contact with the triangle that was tested last. */
  mo_bounded_list *hits;
  mo_convex_contact *last_contact;
  mo_query_stats *stats;
} mo_mesh_cast;

/* Initialises a cast against one mesh for contacts up to `max_t`. */
void mo_mesh_cast_init(mo_mesh_cast *query, const mo_mesh *mesh, mo_cast *cast,
                       const mo_affine *affine, mo_shape_id shape, float max_t);
void mo_mesh_cast_find(mo_mesh_cast *query, mo_isa isa, mo_query_stats *stats);

/* Initialises all but the culling, for triangles that are tested one by one. */
void mo_mesh_cast_init_unculled(mo_mesh_cast *query, const mo_mesh *mesh, const mo_cast *cast,
                                const mo_affine *affine, mo_shape_id shape, float max_t);

/* The hit of a finished query, without its shape and features. */
mo_cast_hit mo_mesh_cast_result(const mo_mesh_cast *query);

/* For best-first traversal: tests a triangle (local corners); its contact becomes the best if it is
 * better. */
void mo_mesh_cast_test(const mo_vec3 corners[3], uint32_t triangle, void *query);

/* Tests a triangle with one of the moving mesh; the contact becomes the best if it is better. The
 * pair may be tested several times. */
void mo_mesh_cast_test_pair(mo_mesh_cast *query, uint32_t triangle, uint32_t own_triangle);

/* Callbacks for casts that list all contacts: the first tests whether a triangle is hit; the second
 * adds its contact to the list, and is called once for each hit triangle. */
bool mo_mesh_cast_hits_triangle(const mo_vec3 corners[3], const void *query);
bool mo_mesh_cast_list_contact(uint32_t triangle, void *query);

MO_ISA_DECLARE(void, mo_mesh_cast_visit, (mo_mesh_cast * query, mo_query_stats *stats));

#endif
