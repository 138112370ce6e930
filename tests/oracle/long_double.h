/* A second opinion on hits, independent of the library's arithmetic: Moeller and Trumbore's test in
 * long double. */
#ifndef TEST_ORACLE_LONG_DOUBLE_H
#define TEST_ORACLE_LONG_DOUBLE_H

#include <motte/query.h>

/* What it says about one triangle. Near an edge, or where the triangle is seen edge on, rounding in
 * the library may decide either way. */
typedef enum sanity_verdict { SANITY_MISS, SANITY_HIT, SANITY_NEAR } sanity_verdict;

/* For a ray against a triangle, with t, u, v and how far they may be off. */
sanity_verdict sanity_ray_triangle(mo_vec3 origin, mo_vec3 direction, const mo_vec3 corners[3],
                                   double *t, double *t_error, double *u, double *v,
                                   double *weight_error);

/* A point in long double. */
typedef struct sanity_point {
  long double x, y, z;
} sanity_point;

/* A ray and a triangle. */
typedef struct sanity_view {
  /* By how far the line of the ray passes inside the outline of the triangle, as seen along the
   * ray; negative: outside. */
  double inside;
  /* The largest distance along an axis from the origin to a corner. */
  double reach;
  /* Of the corners along the ray, the least t. */
  double near_t;
} sanity_view;

sanity_view sanity_ray_view(mo_vec3 origin, mo_vec3 direction, const sanity_point corners[3]);

/* The distance between the point of a ray at t and the point of a triangle with weights u and v. */
double sanity_ray_gap(mo_vec3 origin, mo_vec3 direction, const sanity_point corners[3], float t,
                      float u, float v);

/* The winding number of a closed mesh around a point: 1 inside, 0 outside, for outward normals (Van
 * Oosterom and Strackee 1983). */
double sanity_winding(const mo_mesh *mesh, mo_vec3 point);

#endif
