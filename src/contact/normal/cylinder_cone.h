/* Cylinders and cones with circular cross sections, in a frame with their axis as z. */
#ifndef MO_CONTACT_NORMAL_CYLINDER_CONE_H
#define MO_CONTACT_NORMAL_CYLINDER_CONE_H

#include "contact/body/body.h"
#include "geometry/gjk.h"

/* A cylinder or cone. `frame`: the unit axes of its own frame, whose z is along the axis and whose
 * origin is `center`. */
typedef struct mo_cylinder_cone {
  mo_dvec3 center, frame[3];
  double radius, half_height;
  bool is_cone;            /* a cone, with its apex at -z */
  double side_rho, side_z; /* cone: components of the unit side normal, across and along the axis */
} mo_cylinder_cone;

/* The direction of the greatest separation so far. */
typedef struct mo_best_direction {
  double separation;
  mo_dvec3 normal;
} mo_best_direction;

/* Keeps a direction if the separation along it is the greatest so far. Ignores normals of
 * degenerate features, which are not unit vectors. */
static inline void mo_keep_better_direction(mo_best_direction *best, double separation,
                                            mo_dvec3 normal) {
  if (separation > best->separation && fabs(mo_ddot(normal, normal) - 1.0) <= 0x1p-20) {
    *best = (mo_best_direction){separation, normal};
  }
}

/* How far a cylinder or cone reaches from its centre along a unit vector (support distance). `up`:
 * the component of that vector along the axis; `out`: the component perpendicular to the axis. */
static inline double mo_cylinder_cone_reach(const mo_cylinder_cone *r, double up, double out) {
  const double base = r->half_height * (r->is_cone ? up : fabs(up)) + r->radius * out;
  return r->is_cone && -r->half_height * up > base ? -r->half_height * up : base;
}

/* The part of a vector perpendicular to the axis. */
static inline mo_dvec3 mo_cylinder_cone_radial(const mo_cylinder_cone *r, mo_dvec3 v) {
  return mo_dsub(v, mo_dscale(mo_ddot(v, r->frame[2]), r->frame[2]));
}

/* Makes a cylinder or cone from a body. Returns false for bodies of other kinds, and where the base
 * is not a circle perpendicular to the axis. */
bool mo_cylinder_cone_of(mo_cylinder_cone *round, const mo_contact_body *body);

/* The distance of the cores of a cylinder or cone (moved by `shift`) and of a body without round
 * sides, with the closest points. The distance is 0 where they overlap, and any
 * distance above the limit where they are farther apart than the limit. Returns false for bodies of
 * other kinds, and where rounding errors leave the answer open. */
bool mo_cylinder_cone_gap(const mo_contact_body *round, const mo_contact_body *other,
                          mo_dvec3 shift, double limit, mo_convex_gap *gap);

/* The point of the cylinder or cone that is closest to `point`. */
mo_dvec3 mo_cylinder_cone_closest(const mo_cylinder_cone *round, mo_dvec3 point);

/* The distance of the cores of two cylinders or cones. Where they are farther apart than the limit,
 * it is any distance above the limit. Where they overlap, it is negative: minus the depth at a
 * local minimum, and no direction has a depth that is less by more than 2^-14 of the sizes. The
 * points are set if the distance is positive and not above the limit. Returns false for bodies of
 * other kinds, and where the search did not converge. */
bool mo_cylinder_cone_pair_gap(const mo_contact_body *a, const mo_contact_body *b, double limit,
                               mo_convex_gap *gap);

/* Finds the deepest points of two overlapping cylinders or cones along the normal of least depth.
 * Returns false for bodies of other kinds, and where the search did not converge. */
bool mo_cylinder_cone_pair_deepest(const mo_contact_body *a, const mo_contact_body *b,
                                   mo_dvec3 normal, double depth, mo_dvec3 points[2]);

/* The penetration of the cores of a cylinder or cone and a polytope: the direction of the shortest
 * translation that separates them (unit, from the cylinder or cone to the polytope) and its length.
 * Returns false for other bodies, and for polytopes without volume. */
bool mo_cylinder_cone_depth(const mo_contact_body *round, const mo_contact_body *other,
                            mo_dvec3 *normal, double *depth);

#endif
