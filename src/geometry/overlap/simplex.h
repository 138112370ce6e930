/* Simplices of support points, for iterative overlap tests: whether one contains the origin, and
 * its part that is closest to the origin. */
#ifndef MO_GEOMETRY_OVERLAP_SIMPLEX_H
#define MO_GEOMETRY_OVERLAP_SIMPLEX_H

#include <float.h>

#include "base/inline.h"
#include "math/vector.h"

/* A simplex of up to four points, of which the last is the newest. */
typedef struct mo_overlap_simplex {
  mo_dvec3 point[4];
  int count;
} mo_overlap_simplex;

/* How a sum contains a point. */
typedef enum mo_containment {
  MO_OUTSIDE,
  MO_INSIDE, /* or within the tolerance */
  MO_DEEP    /* certainly inside, even without the tolerance */
} mo_containment;

/* MO_DEEP or MO_INSIDE if the origin certainly lies inside a tetrahedron, despite rounding; MO_DEEP
 * if it is farther than `slack` from each face. */
static inline mo_containment mo_tetrahedron_contains_origin(const mo_dvec3 p[4], double slack) {
  mo_dvec3 bc = mo_dcross(p[1], p[2]), da = mo_dcross(p[3], p[0]);
  /* Six times the signed volumes of the tetrahedra of the origin and each face. */
  double volume[4] = {mo_ddot(bc, p[3]), -mo_ddot(da, p[2]), mo_ddot(da, p[1]), -mo_ddot(bc, p[0])};
  double largest = 0.0, min = INFINITY, max = -INFINITY;
  for (int i = 0; i < 4; ++i) {
    largest = mo_dmax(largest, mo_ddot(p[i], p[i]));
    min = mo_dmin(min, volume[i]);
    max = mo_dmax(max, volume[i]);
  }
  double inside = mo_dmax(min, -max); /* the smallest volume, if all have the same sign */
  double doubt = 16.0 * DBL_EPSILON * largest * sqrt(largest);
  /* A face has at most the area 2 * largest. */
  return inside > doubt + 4.0 * largest * slack ? MO_DEEP : inside > doubt ? MO_INSIDE : MO_OUTSIDE;
}

/* The component of `v`, the simplex's point closest to the origin, perpendicular to a simplex of
 * two or three points. In exact arithmetic this is v itself. But close to the origin, the rounding
 * of the points rotates v, and the plane perpendicular to it would wrongly cut off points far away
 * along the simplex. */
static inline mo_dvec3 mo_perpendicular_to_simplex(const mo_overlap_simplex *s, mo_dvec3 v) {
  if (s->count < 2) {
    return v;
  }
  mo_dvec3 e = mo_dsub(s->point[1], s->point[0]);
  if (s->count == 2) {
    return mo_perpendicular_component(mo_perpendicular_component(v, e), e);
  }
  mo_dvec3 f = mo_dsub(s->point[2], s->point[0]);
  if (mo_ddot(f, f) > mo_ddot(e, e)) {
    mo_dvec3 swap = e;
    e = f;
    f = swap;
  }
  f = mo_perpendicular_component(mo_perpendicular_component(f, e), e);
  v = mo_perpendicular_component(mo_perpendicular_component(v, e), f);
  return mo_perpendicular_component(mo_perpendicular_component(v, e), f);
}

/* Reduces a simplex of up to three points to those that span its point closest to the origin, and
 * returns that point, or if `straighten` its component perpendicular to them.
 *
 * In exact arithmetic the newest point always belongs to the result, as it lies beyond the previous
 * closest point. If it is beyond by less than rounding, comparing distances could select the
 * old points again and again. Therefore faces and edges without the newest point are not
 * considered. */
MO_INLINE mo_dvec3 mo_reduce_simplex(mo_overlap_simplex *s, bool straighten) {
  mo_dvec3 newest = s->point[s->count - 1];
  mo_dvec3 toward = mo_dscale(-1.0, newest); /* from the newest point to the origin */
  if (s->count == 3) {
    mo_dvec3 e = mo_dsub(s->point[0], newest), f = mo_dsub(s->point[1], newest);
    bool swapped = mo_ddot(f, f) > mo_ddot(e, e);
    mo_dvec3 base = swapped ? f : e, side = swapped ? e : f;
    double squared = mo_ddot(base, base);
    mo_dvec3 height = mo_perpendicular_component(mo_perpendicular_component(side, base), base);
    double height_squared = mo_ddot(height, height);
    if (height_squared > 16.0 * DBL_EPSILON * DBL_EPSILON * squared) {
      double t = mo_ddot(toward, height) / height_squared;
      double shift = mo_ddot(mo_dsub(side, height), base) / squared;
      double r = mo_ddot(toward, base) / squared - t * shift;
      if (t > 0.0 && r > 0.0 && r + t < 1.0) {
        mo_dvec3 closest = mo_dadd(newest, mo_dadd(mo_dscale(r, base), mo_dscale(t, side)));
        return straighten ? mo_perpendicular_to_simplex(s, closest) : closest;
      }
    }
  }
  mo_overlap_simplex best = {{newest}, 1};
  mo_dvec3 closest = newest;
  double distance = mo_ddot(newest, newest);
  for (int i = 0; i + 1 < s->count; ++i) {
    mo_dvec3 e = mo_dsub(s->point[i], newest);
    double along = mo_ddot(toward, e), squared = mo_ddot(e, e);
    if (along > 0.0 && along < squared) {
      mo_dvec3 p = mo_dadd(newest, mo_dscale(along / squared, e));
      if (mo_ddot(p, p) < distance) {
        distance = mo_ddot(p, p);
        closest = p;
        best = (mo_overlap_simplex){{s->point[i], newest}, 2};
      }
    }
  }
  *s = best;
  return straighten ? mo_perpendicular_to_simplex(s, closest) : closest;
}

/* As mo_reduce_simplex, for a tetrahedron: keeps a part of one of the three faces that contain the
 * newest point. */
MO_INLINE mo_dvec3 mo_reduce_tetrahedron(mo_overlap_simplex *s, bool straighten) {
  mo_overlap_simplex best = {.count = 0};
  mo_dvec3 closest = {0.0, 0.0, 0.0};
  double distance = INFINITY;
  for (int i = 0; i < 3; ++i) {
    mo_overlap_simplex face = {{s->point[i], s->point[(i + 1) % 3], s->point[3]}, 3};
    mo_dvec3 p = mo_reduce_simplex(&face, straighten);
    double squared = mo_ddot(p, p);
    if (squared < distance) {
      distance = squared;
      closest = p;
      best = face;
    }
  }
  *s = best;
  return closest;
}

#endif
