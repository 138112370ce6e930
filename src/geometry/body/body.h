/* Bodies in world space, on which overlaps, distances, depths, casts and impacts are computed. A
 * body is a value, which may be copied and moved; it refers to nothing but the hull of a solid.
 *
 * Solids of all kinds (geometry/solid.h) are one kind of body. A new kind of body begins with a row
 * in mo_body_kind: the compiler then names each switch that has no case for it. */
#ifndef MO_GEOMETRY_BODY_BODY_H
#define MO_GEOMETRY_BODY_BODY_H

#include "geometry/body/half_space.h"

typedef enum mo_body_kind {
  MO_BODY_SOLID, /* a solid under an affine map */
  MO_BODY_AABB,  /* a box along the world axes, for example a volume */
  MO_BODY_TRIANGLE,
  MO_BODY_HALF_SPACE,
} mo_body_kind;

/* The case labels of the kinds whose data is the member `convex`, for switches over kinds. */
#define MO_CASES_OF_CONVEX_KINDS                                                                   \
  case MO_BODY_SOLID:                                                                              \
  case MO_BODY_AABB:

typedef struct mo_body {
  mo_body_kind kind;
  /* World, rounded outward; empty if they are not known, see mo_body_bounds. If `has_loose_bounds`,
   * a larger box around the body. */
  mo_aabb bounds;
  bool has_loose_bounds;
  union {
    mo_convex convex;
    mo_dvec3 corners[3]; /* within MO_MAX_COORDINATE */
    mo_half_space_body half_space;
  };
} mo_body;

/* Constructors of bodies. The bounds of solids are not known yet (mo_body_cache_bounds). */
mo_body mo_body_of_convex(const mo_convex *convex);
mo_body mo_body_of_solid(const mo_solid *solid, const mo_transform *map);
mo_body mo_body_of_aabb(mo_aabb box);
mo_body mo_body_of_sphere(mo_sphere sphere);
mo_body mo_body_of_triangle(const mo_dvec3 corners[3]);
mo_body mo_body_of_half_space(const mo_half_space_body *half_space);

/* The body of a single point, which need not be representable in floats. */
mo_body mo_body_of_point(mo_dvec3 point);

/* Computes the bounds of a body, even if they are known; all of space for a half-space. */
mo_aabb mo_body_compute_bounds(const mo_body *body);

static inline mo_aabb mo_body_bounds(const mo_body *body) {
  return mo_aabb_is_empty(body->bounds) || body->has_loose_bounds ? mo_body_compute_bounds(body)
                                                                  : body->bounds;
}

/* A box around the body, for culling: of a hull, its local bounds under the map, which take much
 * less time than its bounds; for other bodies, the bounds. */
mo_aabb mo_body_compute_loose_bounds(const mo_body *body);

static inline mo_aabb mo_body_loose_bounds(const mo_body *body) {
  return mo_aabb_is_empty(body->bounds) ? mo_body_compute_loose_bounds(body) : body->bounds;
}

/* Stores the bounds of a body, if they are not known yet: for a body that is used several times. */
static inline void mo_body_cache_bounds(mo_body *body) {
  body->bounds = mo_body_bounds(body);
  body->has_loose_bounds = false;
}

/* Stores a box around the body, unless one is stored: for bodies that are mostly only culled by it.
 * Of all solids but cones it takes less time than the bounds. */
void mo_body_cache_loose_bounds(mo_body *body);

static inline bool mo_either_is_half_space(const mo_body *a, const mo_body *b) {
  return a->kind == MO_BODY_HALF_SPACE || b->kind == MO_BODY_HALF_SPACE;
}

/* A validated primitive of motte/geometry.h, in the form in which queries use it. */
typedef struct mo_prepared_primitive {
  mo_affine affine;
  mo_vec3 local_corners[3]; /* of a triangle */
  /* Points and segments are capsules of radius 0; for a mesh or compound, a box around it. */
  mo_body body;
  /* The mesh or compound, if the primitive is one and mo_query_primitive_prepare (mesh/primitive.h)
   * prepared it; else null. */
  const struct mo_mesh *mesh;
  const struct mo_compound *compound;
} mo_prepared_primitive;

/* Validates and prepares a primitive. Errors: MO_ERROR_INVALID_ARGUMENT (a mesh, an unknown type,
 * invalid sizes), MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE. */
mo_result mo_primitive_prepare(mo_prepared_primitive *p, const mo_primitive *primitive,
                               const mo_refusal *refusal);

/* As mo_primitive_prepare, but `affine` has no inverse: for callers that neither cast rays nor
 * query the regions of a tree. */
mo_result mo_primitive_to_body(mo_prepared_primitive *p, const mo_primitive *primitive,
                               const mo_refusal *refusal);

/* A vertex, edge or face, numbered as documented at mo_feature. */
typedef struct mo_body_feature {
  mo_feature kind;
  uint32_t index;
} mo_body_feature;

/* The feature of a body, before rounding, that reaches farthest along a unit vector. */
mo_body_feature mo_feature_along(const mo_body *body, mo_dvec3 n);

/* Tolerances of mo_feature_along, in radians: edges and faces whose angle with the vector is this
 * close to a right angle count as perpendicular to it. If two edges of a face do, and are not
 * nearly parallel, the face does too. */
#define MO_EDGE_ANGLE_TOLERANCE 0x1p-16
#define MO_FACE_ANGLE_TOLERANCE 0x1p-14

/* The unit normal of a triangle by the right-hand rule; zero if the triangle is degenerate to
 * within rounding. */
mo_dvec3 mo_corners_normal(const mo_dvec3 corners[3]);

/* The face of a hull that reaches farthest along `n`, under a map given by its columns: of the
 * faces at the farthest vertex, the one whose mapped normal is most aligned with `n`. `normal`
 * receives that normal. MO_NONE if the map flattens all faces at the vertex to lines. */
uint32_t mo_hull_face_along(const struct mo_hull *hull, const mo_dvec3 column[3], mo_dvec3 n,
                            mo_dvec3 *normal);

/* The outward unit normal of a face of a hull under a map; zero if the map flattens the face. */
mo_dvec3 mo_hull_face_normal(const struct mo_hull *hull, const mo_dvec3 column[3], uint32_t face);

#endif
