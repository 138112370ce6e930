/* Small arithmetic that the rooms of contacts share: vectors in four lanes, boxes around points,
 * and the transpose of a map. */
#ifndef MO_CONTACT_ARITHMETIC_H
#define MO_CONTACT_ARITHMETIC_H

#include "math/aabb.h"
#include "math/four.h"

/* The smaller and the larger components of two vectors. */
static inline mo_dvec3 mo_dvec_min(mo_dvec3 a, mo_dvec3 b) {
  return mo_dvec(mo_dmin(a.x, b.x), mo_dmin(a.y, b.y), mo_dmin(a.z, b.z));
}

static inline mo_dvec3 mo_dvec_max(mo_dvec3 a, mo_dvec3 b) {
  return mo_dvec(mo_dmax(a.x, b.x), mo_dmax(a.y, b.y), mo_dmax(a.z, b.z));
}

/* The transpose of mo_map_columns: the components of a vector along the columns. It maps a world
 * direction to the local one with the same support point. */
static inline mo_dvec3 mo_dot_columns(const mo_dvec3 column[3], mo_dvec3 v) {
  return mo_dvec(mo_ddot(column[0], v), mo_ddot(column[1], v), mo_ddot(column[2], v));
}

/* The box around a ball. */
static inline mo_aabb mo_aabb_around_ball(mo_dvec3 center, double radius) {
  const mo_dvec3 by = {radius, radius, radius};
  return mo_aabb_around(mo_dsub(center, by), mo_dadd(center, by));
}

/* A box that is larger by `margin` on all sides. */
static inline mo_aabb mo_aabb_grown(mo_aabb box, double margin) {
  const mo_dvec3 by = {margin, margin, margin};
  return mo_aabb_around(mo_dsub(mo_widen(box.lower), by), mo_dadd(mo_widen(box.upper), by));
}

static inline mo_d4vec mo_d4vec_add(const mo_d4vec *a, const mo_d4vec *b) {
  return (mo_d4vec){a->x + b->x, a->y + b->y, a->z + b->z};
}

static inline mo_d4vec mo_d4vec_sub(const mo_d4vec *a, const mo_d4vec *b) {
  return (mo_d4vec){a->x - b->x, a->y - b->y, a->z - b->z};
}

static inline mo_d4vec mo_d4vec_scale(mo_d4 by, const mo_d4vec *a) {
  return (mo_d4vec){by * a->x, by * a->y, by * a->z};
}

static inline mo_d4vec mo_d4vec_select(mo_l4 mask, const mo_d4vec *a, const mo_d4vec *b) {
  return (mo_d4vec){mo_d4_select(mask, a->x, b->x), mo_d4_select(mask, a->y, b->y),
                    mo_d4_select(mask, a->z, b->z)};
}

static inline mo_dvec3 mo_d4vec_lane(const mo_d4vec *a, int lane) {
  return mo_dvec(a->x[lane], a->y[lane], a->z[lane]);
}

#endif
