/* Queries of meshes by distance: the closest point, and the first contact of what moves. They
 * measure in the world, also under transforms that do not preserve distances. */
#ifndef MO_MESH_NEAR_NEAR_H
#define MO_MESH_NEAR_NEAR_H

#include <motte/cast.h>
#include <motte/near.h>

#include "base/isa.h"
#include "geometry/cast/convex.h"
#include "mesh/near/frame.h"

/* Closest points compare by distance, rounded to float, then by triangle: so two triangles that
 * share the closest point tie, whatever the rounding of either. */
typedef struct mo_mesh_closest {
  mo_dvec3 point;          /* world; of a mesh alone, local */
  const mo_affine *affine; /* of the shape; null for a mesh alone */
  /* The best so far, at first the limit: `triangle` is MO_NO_TRIANGLE until one is found. */
  float distance;
  uint32_t triangle;
  mo_dvec3 offset;   /* from the point to the closest one */
  double weights[3]; /* of the triangle's corners; exactly 0 for corners that do not take part */
  mo_cull_frame frame;
  double limit; /* squared, of boxes that may still contain something as good as the best */
} mo_mesh_closest;

/* Sets the query up for triangles at most `max_distance` away: not negative, may be infinite. */
void mo_mesh_closest_init(mo_mesh_closest *query, const mo_mesh *mesh, mo_vec3 point,
                          const mo_affine *affine, float max_distance);

/* Finds the closest triangle within the limit. */
void mo_mesh_closest_find(mo_mesh_closest *query, mo_isa isa, const mo_mesh *mesh,
                          mo_query_stats *stats);

/* Tests one triangle, local corners: what decides. */
void mo_mesh_closest_test(const mo_vec3 corners[3], uint32_t triangle, void *query);

/* The hit that a finished query stands for; but for the shape. */
mo_closest_hit mo_mesh_closest_hit(const mo_mesh_closest *query, const mo_mesh *mesh);

/* A bound on squared distances that round to a distance, or to a smaller one. */
static inline double mo_closest_limit(float distance) {
  double most = distance * (1.0 + 0x1p-23) + 0x1p-149;
  return fmin(most * most * (1.0 + 0x1p-50), DBL_MAX);
}

MO_ISA_DECLARE(void, mo_mesh_closest_full,
               (const mo_mesh *mesh, mo_mesh_closest *query, mo_query_stats *stats));
MO_ISA_DECLARE(void, mo_mesh_closest_compact,
               (const mo_mesh *mesh, mo_mesh_closest *query, mo_query_stats *stats));

/* The first contact of a moving ball. Contacts compare by t, rounded to float; at t = 0 by distance
 * at the start (the deepest first), also rounded; then by triangle. */
typedef struct mo_mesh_cast {
  mo_dvec3 center, displacement; /* world; of a mesh alone, local */
  double radius;
  const mo_affine *affine; /* of the shape; null for a mesh alone */
  /* The best so far, at first the end of the path: `triangle` is MO_NO_TRIANGLE until one is hit.
   */
  float t;
  double exact_t; /* before it was rounded */
  float distance; /* of the centre from the triangle, where t is 0; else 0 */
  uint32_t triangle;
  mo_cull_frame frame;
  mo_path_axis path[3]; /* in the culling space */
  double limit; /* of the t at which the path enters boxes with something as good as the best */
} mo_mesh_cast;

/* Sets the query up for contacts up to `max_t`. */
void mo_mesh_cast_init(mo_mesh_cast *query, const mo_mesh *mesh, mo_sphere sphere,
                       mo_vec3 displacement, const mo_affine *affine, float max_t);
void mo_mesh_cast_find(mo_mesh_cast *query, mo_isa isa, const mo_mesh *mesh, mo_query_stats *stats);
void mo_mesh_cast_test(const mo_vec3 corners[3], uint32_t triangle, void *query);
mo_cast_hit mo_mesh_cast_result(const mo_mesh_cast *query, const mo_mesh *mesh);

/* The first contact of a moving convex body. Contacts compare by t, rounded to float; at t = 0 by
 * depth (the deepest first), also rounded; then by triangle. */
typedef struct mo_mesh_shape_cast {
  const mo_moving_body *moving; /* world; of a mesh alone, local */
  const mo_affine *affine;      /* of the shape; null for a mesh alone */
  /* The best so far, at first the end of the path: `triangle` is MO_NO_TRIANGLE until one is hit.
   */
  float t;
  float distance; /* where t is 0, the negative depth; else 0 */
  uint32_t triangle;
  mo_convex_contact contact;
  mo_cull_frame frame;
  mo_path_axis path[3]; /* in the culling space */
  double limit; /* of the t at which the path enters boxes with something as good as the best */
} mo_mesh_shape_cast;

/* Sets the query up for contacts up to `max_t`; `moving` has to last. */
void mo_mesh_shape_cast_init(mo_mesh_shape_cast *query, const mo_mesh *mesh,
                             const mo_moving_body *moving, const mo_affine *affine, float max_t);
void mo_mesh_shape_cast_find(mo_mesh_shape_cast *query, mo_isa isa, const mo_mesh *mesh,
                             mo_query_stats *stats);
void mo_mesh_shape_cast_test(const mo_vec3 corners[3], uint32_t triangle, void *query);
mo_cast_hit mo_mesh_shape_cast_result(const mo_mesh_shape_cast *query, const mo_mesh *mesh);

MO_ISA_DECLARE(void, mo_mesh_shape_cast_full,
               (const mo_mesh *mesh, mo_mesh_shape_cast *query, mo_query_stats *stats));
MO_ISA_DECLARE(void, mo_mesh_shape_cast_compact,
               (const mo_mesh *mesh, mo_mesh_shape_cast *query, mo_query_stats *stats));

/* A bound on times that round to a float, or to a smaller one. */
static inline double mo_cast_limit(float t) {
  return t * (1.0 + 0x1p-23) + 0x1p-149;
}

MO_ISA_DECLARE(void, mo_mesh_cast_full,
               (const mo_mesh *mesh, mo_mesh_cast *query, mo_query_stats *stats));
MO_ISA_DECLARE(void, mo_mesh_cast_compact,
               (const mo_mesh *mesh, mo_mesh_cast *query, mo_query_stats *stats));

/* The corners of a triangle in the world, relative to a point. */
static inline void mo_relative_corners(const mo_affine *affine, const mo_vec3 corners[3],
                                       mo_dvec3 point, mo_dvec3 relative[3]) {
  for (int i = 0; i < 3; i++) {
    mo_dvec3 corner =
        affine != NULL ? mo_affine_point_to_world(affine, corners[i]) : mo_widen(corners[i]);
    relative[i] = mo_dsub(corner, point);
  }
}

/* A length below which the vector from a triangle to a point is but rounding, and says nothing
 * about the side that the point is on; `relative` as above, to the point. */
static inline double mo_least_gap(const mo_dvec3 relative[3]) {
  double most = 0.0;
  for (int i = 0; i < 3; i++) {
    most = fmax(most, fmax(fabs(relative[i].x), fmax(fabs(relative[i].y), fabs(relative[i].z))));
  }
  return 0x1p-44 * most;
}

/* The unit normal of a triangle in the world by the right-hand rule of its local winding; zero for
 * one that is degenerate there, to within rounding. */
mo_vec3 mo_mesh_world_normal(const mo_mesh *mesh, uint32_t triangle, const mo_affine *affine);

#endif
