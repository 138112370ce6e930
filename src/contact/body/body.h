/* A convex body, as the manifold code needs it: a core polytope, segment, cylinder or cone with
 * vertices, edges and faces, plus a rounding (a ball or an ellipsoid) around it. Its coordinates
 * have world axes and are relative to a reference point near both bodies of a pair. So numbers have
 * the size of the bodies, not of their distance to the world origin. */
#ifndef MO_CONTACT_BODY_BODY_H
#define MO_CONTACT_BODY_BODY_H

#include "contact/arithmetic.h"
#include "geometry/body/body.h"
#include "geometry/solid/solids.h"

typedef enum mo_core_kind {
  MO_CORE_POINT,
  MO_CORE_SEGMENT,
  MO_CORE_BOX, /* any parallelepiped, also a flat one */
  MO_CORE_TRIANGLE,
  MO_CORE_HULL,
  MO_CORE_CYLINDER, /* its ends may be ellipses and need not be perpendicular to its axis */
  MO_CORE_CONE,
} mo_core_kind;

typedef struct mo_contact_body {
  /* If the body is a half-space: that half-space; then only `origin` is set besides. Otherwise the
   * core of the body, with the rounding `ellipsoid_radius` but not `ball_radius`; its bounds are
   * not set. */
  mo_body core;
  mo_core_kind kind;
  mo_dvec3 origin; /* of the body's transform, relative to the reference point */
  mo_dvec3 center;
  /* Segment, cylinder, cone: [0] leads from the centre to end b. Cylinder, cone: [1] and [2] are
   * two conjugate radii of the elliptic ends. Box: the three half axes, from the centre to three
   * faces. */
  mo_dvec3 axis[3];
  /* Box: the outward unit normals of the faces that the axes point to; zero where a face has no
   * area. */
  mo_dvec3 face_normal[3];
  mo_dvec3 column[3]; /* the columns of the body's linear map, local to world */
  const mo_hull *hull;
  double ball_radius;      /* the world radius by which the core is rounded, if its map keeps balls
                       round; else
                       0 */
  double ellipsoid_radius; /* rounding: the local radius of a ball that the map makes an ellipsoid
                       (`ball_radius` is 0 then); else 0 */
  double size;             /* at least half of the longest extent of the core with the ellipsoid */
  double thickness;        /* about half of the shortest extent of the core; 0 for flat bodies */
  /* null, or the polytope of the core, cached for use in several pairs (normal/polytope.h) */
  struct mo_contact_polytope *polytope;
} mo_contact_body;

/* A convex primitive and its map to the world. */
typedef struct mo_placed_solid {
  const mo_solid *solid;
  const mo_transform *map;
} mo_placed_solid;

/* Whether a map is a rotation with uniform scale: its columns are perpendicular and equally long,
 * but for the rounding of a rotation. `scale` receives their length. */
bool mo_contact_map_keeps_angles(const mo_dvec3 column[3], double *scale);

/* A vertex of the hull of a body. */
static inline mo_dvec3 mo_contact_hull_vertex(const mo_contact_body *body, uint32_t vertex) {
  return mo_dadd(body->origin,
                 mo_map_columns(body->column, mo_widen(mo_hull_vertex(body->hull, vertex))));
}

static inline bool mo_contact_body_is_half_space(const mo_contact_body *body) {
  return body->core.kind == MO_BODY_HALF_SPACE;
}

/* These functions make the body of a primitive under a map, of a triangle with local corners under
 * a map, or of a half-space. Coordinates are relative to `reference` (world), except those of the
 * core of a half-space. */
void mo_contact_body_of_solid(mo_contact_body *body, const mo_solid *solid, const mo_transform *map,
                              mo_dvec3 reference);
void mo_contact_body_of_triangle(mo_contact_body *body, const mo_vec3 local[3],
                                 const mo_transform *map, mo_dvec3 reference);

/* Makes the body of a triangle from corners relative to the reference point. `map` maps the
 * triangle to the world. */
void mo_contact_body_of_corners(mo_contact_body *body, const mo_dvec3 corner[3],
                                const mo_transform *map, mo_dvec3 reference);
void mo_contact_body_of_half_space(mo_contact_body *body, const mo_half_space_body *half_space,
                                   mo_dvec3 reference);

/* The offset that the rounding adds to the core's support point along the unit vector n. */
mo_dvec3 mo_contact_body_rounding(const mo_contact_body *body, mo_dvec3 n);

/* The support point of the core along a vector, without the rounding. */
mo_dvec3 mo_contact_body_support(const mo_contact_body *body, mo_dvec3 n);

/* The face bias, in world units: a face normal is preferred to the best axis if the separation
 * along it is less by no more than this. */
double mo_contact_face_bias(const mo_contact_body *a, const mo_contact_body *b);

#endif
