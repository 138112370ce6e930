/* Boxes against triangles by separating axes, in closed form: when a moving box comes to touch a
 * triangle, how deep the two overlap, and where they touch. */
#ifndef MO_GEOMETRY_PENETRATION_BOX_TRIANGLE_H
#define MO_GEOMETRY_PENETRATION_BOX_TRIANGLE_H

#include "geometry/body/body.h"

/* A box under an affine map: a parallelepiped. Its half extents may be zero. */
typedef struct mo_box_body {
  bool is_usable; /* false: the body is no box, is rounded, or its map is nearly singular */
  mo_dvec3 center, center_remainder; /* world: the centre is center + center_remainder */
  mo_dvec3 segment[3];               /* from the centre to the middles of three sides */
  mo_dvec3 direction[3];             /* unit, along the segments */
  mo_dvec3 normal[3];                /* unit, of the sides */
} mo_box_body;

mo_box_body mo_box_body_of(const mo_body *body);

typedef struct mo_box_sweep {
  double t;         /* time of the first contact, not negative; INFINITY: none */
  bool starts_near; /* at t = 0 they overlap, or no axis has a gap of more than `near_distance` */
  mo_dvec3 normal;  /* unit, from the triangle to the box; zero for a contact at the start */
} mo_box_sweep;

/* The path of a box, and the tolerances of its contacts. */
typedef struct mo_box_path {
  mo_dvec3 displacement; /* while t goes from 0 to 1 */
  double limit;          /* contacts after this time need not be found */
  double near_distance;  /* the gap up to which mo_box_sweep.starts_near is true */
  double touch_distance; /* bodies that pass each other at this distance count as touching */
} mo_box_path;

/* The first contact of a moving box with a triangle, which may be degenerate. Up to t the two do
 * not overlap, and at t they are no farther apart than `touch_distance`, to within the rounding of
 * coordinates relative to the box. */
mo_box_sweep mo_box_sweep_triangle(const mo_box_body *box, const mo_dvec3 corners[3],
                                   const mo_box_path *path);

/* The shortest translation of a box that ends its overlap with a triangle. */
typedef struct mo_box_push_out {
  double depth;    /* negative if they do not overlap */
  mo_dvec3 normal; /* unit, from the triangle to the box */
} mo_box_push_out;

/* Finds the shortest translation. Of several, the first one in this order is taken: along the
 * triangle's normal, to its front before its back; along the normals of the box's sides; along
 * cross products of edges. If the depth is below `min_depth`, only an upper bound is found. */
mo_box_push_out mo_box_find_push_out(const mo_box_body *box, const mo_dvec3 corners[3],
                                     double min_depth);

/* A point of the triangle that the box touches after a translation by `shift`, to within 2^-28 of
 * the sizes; `normal` is that of the contact. Where an edge or a face is touched, the returned
 * point is the middle of a part of an edge, or the middle of the box's face. */
mo_dvec3 mo_box_find_touch_point(const mo_box_body *box, mo_dvec3 shift, mo_dvec3 normal,
                                 const mo_dvec3 corners[3]);

#endif
