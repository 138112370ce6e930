/* Slow references for the tests of geometry, in long double, and the triangles and regions that
 * they are tried on. Distances are minima of convex functions, found by golden section search. */
#ifndef TEST_ORACLE_PRIMITIVE_H
#define TEST_ORACLE_PRIMITIVE_H

#include "math/aabb.h"
#include "support/rng.h"

typedef long double ldouble;

typedef struct ldvec {
  ldouble x, y, z;
} ldvec;

static inline ldvec ld(mo_dvec3 v) {
  return (ldvec){v.x, v.y, v.z};
}

static inline ldvec ld_float(mo_vec3 v) {
  return (ldvec){v.x, v.y, v.z};
}

static inline ldvec ld_add(ldvec a, ldvec b) {
  return (ldvec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline ldvec ld_sub(ldvec a, ldvec b) {
  return (ldvec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline ldvec ld_scale(ldouble s, ldvec a) {
  return (ldvec){s * a.x, s * a.y, s * a.z};
}

static inline ldouble ld_dot(ldvec a, ldvec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ldouble ld_norm(ldvec a) {
  return sqrtl(ld_dot(a, a));
}

typedef ldouble convex_function(ldouble x, void *context);

/* The least value of a convex function on [low, high]; `*where` (may be null) receives the
 * argument. */
static inline ldouble minimum(convex_function *f, void *context, ldouble low, ldouble high,
                              ldouble *where) {
  const ldouble ratio = 0.6180339887498948482045868343656381L;
  ldouble a = high - ratio * (high - low), b = low + ratio * (high - low);
  ldouble fa = f(a, context), fb = f(b, context);
  ldouble first = f(low, context), last = f(high, context); /* kept: the search never visits them */
  ldouble start = low, end = high;
  for (int i = 0; i < 80; ++i) {
    if (fa <= fb) {
      high = b;
      b = a;
      fb = fa;
      a = high - ratio * (high - low);
      fa = f(a, context);
    } else {
      low = a;
      a = b;
      fa = fb;
      b = low + ratio * (high - low);
      fb = f(b, context);
    }
  }
  ldouble best = fa <= fb ? fa : fb, at = fa <= fb ? a : b;
  if (first <= best) {
    best = first;
    at = start;
  }
  if (last < best) {
    best = last;
    at = end;
  }
  if (where != NULL) {
    *where = at;
  }
  return best;
}

/* The squared distance of a point to a closed box. */
static inline ldouble box_distance_squared(ldvec p, mo_aabb box) {
  ldouble x = p.x < box.lower.x ? box.lower.x - p.x : p.x > box.upper.x ? p.x - box.upper.x : 0;
  ldouble y = p.y < box.lower.y ? box.lower.y - p.y : p.y > box.upper.y ? p.y - box.upper.y : 0;
  ldouble z = p.z < box.lower.z ? box.lower.z - p.z : p.z > box.upper.z ? p.z - box.upper.z : 0;
  return x * x + y * y + z * z;
}

/* A region that a triangle is tried against, by its squared distance to a point. */
typedef struct triangle_search {
  ldvec corners[3];
  ldouble (*distance_squared)(ldvec p, const void *region);
  const void *region;
  ldouble u;
} triangle_search;

static inline ldouble triangle_search_v(ldouble v, void *context) {
  triangle_search *s = context;
  ldvec p =
      ld_add(ld_scale(1 - s->u, s->corners[0]),
             ld_scale(s->u, ld_add(ld_scale(1 - v, s->corners[1]), ld_scale(v, s->corners[2]))));
  return s->distance_squared(p, s->region);
}

static inline ldouble triangle_search_u(ldouble u, void *context) {
  triangle_search *s = context;
  s->u = u;
  return minimum(triangle_search_v, s, 0, 1, NULL);
}

/* The distance of a triangle to a region. */
static inline ldouble triangle_distance(const mo_dvec3 corners[3],
                                        ldouble (*distance_squared)(ldvec p, const void *region),
                                        const void *region) {
  triangle_search s = {
      {ld(corners[0]), ld(corners[1]), ld(corners[2])}, distance_squared, region, 0};
  return sqrtl(minimum(triangle_search_u, &s, 0, 1, NULL));
}

static inline ldouble box_region(ldvec p, const void *box) {
  return box_distance_squared(p, *(const mo_aabb *)box);
}

static inline ldouble point_region(ldvec p, const void *point) {
  ldvec d = ld_sub(p, *(const ldvec *)point);
  return ld_dot(d, d);
}

/* The largest magnitude of a coordinate. */
static inline double reach_of(const mo_dvec3 corners[3]) {
  double reach = 0;
  for (int i = 0; i < 3; ++i) {
    reach = fmax(reach, fmax(fabs(corners[i].x), fmax(fabs(corners[i].y), fabs(corners[i].z))));
  }
  return reach;
}

/* A triangle within [-1, 1]: ordinary, sliver, needle, segment, point, along an axis or in an axis
 * plane. */
static inline void random_triangle(rng *r, mo_vec3 corners[3]) {
  for (int i = 0; i < 3; ++i) {
    corners[i] = rng_vec3(r, -1, 1);
  }
  float s = rng_float(r, 0, 1);
  float thin = powf(10, rng_float(r, -8, -1));
  mo_vec3 *a = &corners[0], *b = &corners[1], *c = &corners[2];
  switch (rng_below(r, 9)) {
  case 0: /* a sliver: the third corner near the edge of the others */
    *c = mo_add(mo_add(mo_scale(1 - s, *a), mo_scale(s, *b)), mo_scale(thin, *c));
    break;
  case 1: /* a needle: two corners close together */
    *c = mo_add(*b, mo_scale(thin, *c));
    break;
  case 2: /* a segment */
    *c = rng_chance(r, 0.5) ? *b : mo_scale(0.5f, mo_add(*a, *b));
    break;
  case 3: /* a point */
    *b = *c = *a;
    break;
  case 4: /* in an axis plane */
    a->z = b->z = c->z;
    break;
  case 5: /* with an edge along an axis */
    *b = *a;
    b->y = rng_float(r, -1, 1);
    break;
  case 6: /* small */
    *b = mo_add(*a, mo_scale(thin, *b));
    *c = mo_add(*a, mo_scale(thin, *c));
    break;
  default:
    break;
  }
}

static inline void widen_triangle(const mo_vec3 corners[3], mo_dvec3 wide[3]) {
  for (int i = 0; i < 3; ++i) {
    wide[i] = mo_widen(corners[i]);
  }
}

static inline void scale_triangle(float s, mo_vec3 corners[3]) {
  for (int i = 0; i < 3; ++i) {
    corners[i] = mo_scale(s, corners[i]);
  }
}

/* A triangle with corners of the form 8 k, |k| <= 8, and a point of it, all exact in float. */
static inline mo_vec3 lattice_triangle(rng *r, mo_vec3 corners[3]) {
  for (int i = 0; i < 3; ++i) {
    float x = 8 * ((float)rng_below(r, 17) - 8);
    float y = 8 * ((float)rng_below(r, 17) - 8);
    float z = 8 * ((float)rng_below(r, 17) - 8);
    corners[i] = mo_vec(x, y, z);
  }
  uint32_t first = rng_below(r, 9), second = rng_below(r, 9 - first);
  float u = (float)first / 8, v = (float)second / 8;
  return mo_add(mo_scale(1 - u - v, corners[0]),
                mo_add(mo_scale(u, corners[1]), mo_scale(v, corners[2])));
}

/* A power of two from 2^-98 to 2^88: scaling by it is exact. */
static inline float lattice_scale(rng *r) {
  return rng_chance(r, 0.3) ? ldexpf(1, (int)rng_below(r, 187) - 98) : 1;
}

/* A box with a point of the lattice exactly on a corner; bit a of `sides` says that it is
 * the lower one on axis a. */
static inline mo_aabb lattice_box(rng *r, mo_vec3 p, uint32_t *sides) {
  float x = (float)rng_below(r, 60), y = (float)rng_below(r, 60), z = (float)rng_below(r, 60);
  *sides = rng_below(r, 8);
  mo_vec3 lower =
      mo_vec(*sides & 1 ? p.x : p.x - x, *sides & 2 ? p.y : p.y - y, *sides & 4 ? p.z : p.z - z);
  return (mo_aabb){lower, mo_add(lower, mo_vec(x, y, z))};
}

#endif
