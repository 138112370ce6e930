/* Convex bodies as manifolds need them: a core with vertices, edges and faces, and what it is
 * rounded by; seen from a point near both bodies of a pair, so that numbers have the size of the
 * bodies, not of their distance to the origin of the world. */
#ifndef MO_CONTACT_BODY_BODY_H
#define MO_CONTACT_BODY_BODY_H

#include "geometry/convex/prepared.h"
#include "geometry/solid/solids.h"

typedef enum mo_core_kind {
  MO_CORE_POINT,
  MO_CORE_SEGMENT,
  MO_CORE_BOX, /* any parallelepiped, also a flat one */
  MO_CORE_TRIANGLE,
  MO_CORE_HULL,
  MO_CORE_CYLINDER, /* with elliptic ends, which need not be across its axis */
  MO_CORE_CONE,
} mo_core_kind;

typedef struct mo_contact_body {
  const mo_half_space_body *half_space; /* not null: is one, and only its origin is set besides */
  mo_core_kind kind;
  mo_dvec3 origin; /* of its frame, from that of the first body */
  mo_dvec3 center;
  /* Of a segment, cylinder or cone: [0] from the centre to the end b, and two conjugate radii of
   * the ends. Of a box: from the centre to three sides. */
  mo_dvec3 axis[3];
  /* Of a box: the unit normals of the sides that its axes point to, zero where a side has no area.
   */
  mo_dvec3 side[3];
  bool is_triangle;
  mo_dvec3 corner[3]; /* of a triangle */
  mo_dvec3 column[3]; /* of its map */
  const mo_hull *hull;
  double ball;      /* the radius of the ball around each point of the core, world */
  double ellipsoid; /* or the local radius of a ball that the map makes an ellipsoid */
  double size;      /* at least half of the longest extent of the core */
  double thickness; /* about half of the shortest extent; 0 of flat bodies */
  mo_convex convex; /* unless a triangle: the core, with the ellipsoid if there is one */
} mo_contact_body;

/* A solid and its map to the world. */
typedef struct mo_placed_solid {
  const mo_solid *solid;
  const mo_transform *map;
} mo_placed_solid;

/* Whether the columns of a map are perpendicular and equally long, but for the rounding of a
 * rotation; and how long. */
bool mo_contact_keeps_angles(const mo_dvec3 column[3], double *scale);

/* A solid, and a triangle of local corners, under a map; seen from `reference` (world). */
void mo_contact_body_of_solid(mo_contact_body *body, const mo_solid *solid, const mo_transform *map,
                              mo_dvec3 reference);
void mo_contact_body_of_triangle(mo_contact_body *body, const mo_vec3 local[3],
                                 const mo_transform *map, mo_dvec3 reference);

/* The core for distances and depths, as if the point that bodies are seen from were the origin of
 * the world. It refers to the body. */
static inline mo_distance_body mo_contact_body_core(const mo_contact_body *body) {
  return (mo_distance_body){.convex = body->is_triangle ? NULL : &body->convex,
                            .corners = {body->corner[0], body->corner[1], body->corner[2]}};
}

/* What the rounding adds to a point of the core that is farthest along a unit vector. */
mo_dvec3 mo_contact_body_rounding(const mo_contact_body *body, mo_dvec3 n);

/* The farthest point of the core along a vector. */
mo_dvec3 mo_contact_body_support(const mo_contact_body *body, mo_dvec3 n);

/* By how much a face's normal may be worse than the best direction and is taken all the same. */
double mo_contact_face_bias(const mo_contact_body *a, const mo_contact_body *b);

#endif
