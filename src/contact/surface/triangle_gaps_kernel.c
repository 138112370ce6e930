/* Distances between a triangle and others, four at a time. Compiled once per instruction set.
 *
 * The closest points of two triangles that are apart lie on two edges, or on a corner and a face.
 * Any such points are at least as far apart as the triangles. The closest of them are right if the
 * planes through them, at right angles to the line between them, separate the triangles, which is
 * tested last. */
#include "contact/surface/mesh_body.h"
#include "math/four.h"

/* Fraction of a distance by which rounding errors may change it. */
static const double distance_error = 0x1p-20;

/* Four triangles. */
typedef struct triangles {
  mo_d4vec corner[3], edge[3], normal;
  mo_d4 square[3]; /* squared lengths of the edges, at least 2^-1000 */
} triangles;

/* The closest points of each pair so far. */
typedef struct closest_points {
  mo_d4vec from, to;
  mo_d4 square; /* their squared distance */
} closest_points;

static inline mo_d4vec point_along(const mo_d4vec *start, mo_d4 part, const mo_d4vec *edge) {
  const mo_d4vec offset = mo_d4vec_scale(part, edge);
  return mo_d4vec_add(start, &offset);
}

static inline mo_d4 clamp_to_edge(mo_d4 part) {
  return mo_d4_min(mo_d4_max(part, mo_d4_splat(0.0)), mo_d4_splat(1.0));
}

static inline mo_d4 at_least_tiny(mo_d4 a) {
  return mo_d4_max(a, mo_d4_splat(0x1p-1000));
}

static inline void measure(triangles *t) {
  for (int i = 0; i < 3; i++) {
    t->edge[i] = mo_d4vec_sub(&t->corner[(i + 1) % 3], &t->corner[i]);
    t->square[i] = at_least_tiny(mo_d4vec_dot(&t->edge[i], &t->edge[i]));
  }
  t->normal = mo_d4vec_cross(&t->edge[0], &t->edge[1]);
}

/* Takes two points where `valid` is set and they are closer than those so far. */
static inline void take_closer(closest_points *c, mo_l4 valid, const mo_d4vec *from,
                               const mo_d4vec *to) {
  const mo_d4vec between = mo_d4vec_sub(to, from);
  const mo_d4 square = mo_d4vec_dot(&between, &between);
  const mo_l4 closer = valid & (square < c->square);
  c->square = mo_d4_select(closer, square, c->square);
  c->from = mo_d4vec_select(closer, from, &c->from);
  c->to = mo_d4vec_select(closer, to, &c->to);
}

/* Ericson, Real-Time Collision Detection, 2005, 5.1.9. */
static inline void take_points_of_edges(closest_points *c, const triangles *a, int i,
                                        const triangles *b, int k) {
  const mo_d4vec *u = &a->edge[i], *v = &b->edge[k], r = mo_d4vec_sub(&a->corner[i], &b->corner[k]);
  const mo_d4 uv = mo_d4vec_dot(u, v), ur = mo_d4vec_dot(u, &r), vr = mo_d4vec_dot(v, &r);
  const mo_d4 det = at_least_tiny(a->square[i] * b->square[k] - uv * uv);
  mo_d4 s = clamp_to_edge((uv * vr - ur * b->square[k]) / det);
  const mo_d4 t = clamp_to_edge((uv * s + vr) / b->square[k]);
  s = clamp_to_edge((uv * t - ur) / a->square[i]);
  const mo_d4vec from = point_along(&a->corner[i], s, u), to = point_along(&b->corner[k], t, v);
  take_closer(c, s == s, &from, &to);
}

/* The point of the planes of triangles that is closest to a corner of others. Returns the lanes in
 * which it lies on the triangle. */
static inline mo_l4 project_on_face(const triangles *face, const mo_d4vec *corner, mo_d4vec *on) {
  const mo_d4 none = mo_d4_splat(0.0), area2 = mo_d4vec_dot(&face->normal, &face->normal);
  const mo_d4vec from = mo_d4vec_sub(corner, &face->corner[0]);
  mo_l4 inside = area2 > none;
  for (int i = 0; i < 3; i++) {
    const mo_d4vec to = mo_d4vec_sub(corner, &face->corner[i]),
                   inward = mo_d4vec_cross(&face->normal, &face->edge[i]);
    inside &= mo_d4vec_dot(&inward, &to) >= none;
  }
  *on = point_along(corner, -mo_d4vec_dot(&face->normal, &from) / at_least_tiny(area2),
                    &face->normal);
  return inside;
}

/* The greatest height of the corners along a direction, or minus the least one for `sign` -1. */
static inline mo_d4 max_height(const triangles *t, const mo_d4vec *direction, double sign) {
  return mo_d4_max(sign * mo_d4vec_dot(direction, &t->corner[0]),
                   mo_d4_max(sign * mo_d4vec_dot(direction, &t->corner[1]),
                             sign * mo_d4vec_dot(direction, &t->corner[2])));
}

void MO_ISA_FN(mo_find_triangle_gaps)(const mo_dvec3 *const from[4], const mo_dvec3 to[3],
                                      mo_triangle_gap gap[4]) {
  triangles a, b;
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 *const *f = from;
    a.corner[i] = (mo_d4vec){mo_d4_of(f[0][i].x, f[1][i].x, f[2][i].x, f[3][i].x),
                             mo_d4_of(f[0][i].y, f[1][i].y, f[2][i].y, f[3][i].y),
                             mo_d4_of(f[0][i].z, f[1][i].z, f[2][i].z, f[3][i].z)};
    b.corner[i] = mo_d4vec_splat(to[i]);
  }
  measure(&a);
  measure(&b);
  closest_points c = {a.corner[0], b.corner[0], mo_d4_splat(INFINITY)};
  for (int i = 0; i < 3; i++) {
    mo_d4vec on;
    const mo_l4 over_b = project_on_face(&b, &a.corner[i], &on);
    take_closer(&c, over_b, &a.corner[i], &on);
    const mo_l4 over_a = project_on_face(&a, &b.corner[i], &on);
    take_closer(&c, over_a, &on, &b.corner[i]);
    for (int k = 0; k < 3; k++) {
      take_points_of_edges(&c, &a, i, &b, k);
    }
  }
  const mo_d4vec between = mo_d4vec_sub(&c.to, &c.from);
  const mo_d4 distance = mo_d4_length(&between),
              apart = -(max_height(&b, &between, -1.0) + max_height(&a, &between, 1.0));
  const mo_d4 surely =
      mo_d4_select(apart >= (1.0 - distance_error) * c.square, distance, mo_d4_splat(0.0));
  for (int k = 0; k < 4; k++) {
    gap[k] = (mo_triangle_gap){mo_d4vec_lane(&c.from, k), mo_d4vec_lane(&c.to, k), surely[k]};
  }
}
