/* Closed tubes as meshes, for links of chains and knots, and where their centre lines are: how far
 * two of them are apart, and whether they are linked. */
#ifndef TEST_CONTACT_TUBES_H
#define TEST_CONTACT_TUBES_H

#include <stdlib.h>
#include <string.h>

#include "oracle/surface.h"
#include "support/steady.h"

enum { MAX_TUBE_RINGS = 64 };

/* A tube around a closed polyline; its surface is at most `radius` away from the rings' centres. */
typedef struct tube {
  uint32_t rings, sides;
  float radius, reach; /* reach: no point is farther from the origin */
  mo_vec3 center[MAX_TUBE_RINGS];
} tube;

/* Around a circle in the plane y = 0. */
static inline tube tube_of_circle(float circle, float radius, uint32_t rings, uint32_t sides) {
  tube t = {.rings = rings, .sides = sides, .radius = radius, .reach = circle + radius};
  for (uint32_t i = 0; i < rings; i++) {
    float angle = 6.2831853f * (float)i / (float)rings;
    t.center[i] = (mo_vec3){circle * steady_cosine(angle), 0, circle * steady_sine(angle)};
  }
  return t;
}

/* Around a trefoil knot, which lies flat in about the plane y = 0 and is about `size` wide. */
static inline tube tube_of_trefoil(float size, float radius, uint32_t rings, uint32_t sides) {
  tube t = {.rings = rings, .sides = sides, .radius = radius, .reach = 0.5f * size + radius};
  for (uint32_t i = 0; i < rings; i++) {
    float angle = 6.2831853f * (float)i / (float)rings;
    float out = 0.36f + 0.14f * steady_cosine(3 * angle);
    t.center[i] =
        (mo_vec3){size * out * steady_cosine(2 * angle), 0.17f * size * steady_sine(3 * angle),
                  size * out * steady_sine(2 * angle)};
  }
  return t;
}

static inline mo_vec3 tube_vec(ldvec v) {
  return (mo_vec3){(float)v.x, (float)v.y, (float)v.z};
}

/* Outward normals. No centre line may run along y. */
static inline test_mesh tube_mesh(const tube *t) {
  test_mesh mesh = {.closed = true, .center = t->center[0]};
  for (uint32_t i = 0; i < t->rings; i++) {
    ldvec before = ld_float(t->center[(i + t->rings - 1) % t->rings]),
          after = ld_float(t->center[(i + 1) % t->rings]);
    ldvec ahead = unit_of(ld_sub(after, before)), side = unit_of(cross_of(ahead, (ldvec){0, 1, 0})),
          up = cross_of(side, ahead);
    for (uint32_t k = 0; k < t->sides; k++) {
      float angle = 6.2831853f * (float)k / (float)t->sides;
      ldvec out = ld_add(ld_scale((ldouble)(t->radius * steady_cosine(angle)), side),
                         ld_scale((ldouble)(t->radius * steady_sine(angle)), up));
      mo_vec3 p = tube_vec(ld_add(ld_float(t->center[i]), out));
      test_mesh_add_vertex(&mesh, p.x, p.y, p.z);
    }
  }
  for (uint32_t i = 0; i < t->rings; i++) {
    for (uint32_t k = 0; k < t->sides; k++) {
      uint32_t ring = i * t->sides, next = (i + 1) % t->rings * t->sides, k1 = (k + 1) % t->sides;
      test_mesh_add_triangle(&mesh, ring + k, next + k, next + k1);
      test_mesh_add_triangle(&mesh, ring + k, next + k1, ring + k1);
    }
  }
  return mesh;
}

/* Builds a mesh with `edges`, and frees what it was made of. */
static inline mo_mesh *mesh_with_edges(test_mesh *mesh) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.edges = true;
  mo_mesh *built;
  if (mo_mesh_create(&def, &built) != MO_OK) {
    abort();
  }
  test_mesh_free(mesh);
  return built;
}

/* Whether an edge of one mesh passes through a triangle of the other. */
static inline bool surface_crosses(const surface *a, const surface *b) {
  static uint32_t near[SURFACE_MAX];
  for (uint32_t i = 0; i < a->count; i++) {
    uint32_t count = surface_near(b, &a->bounds[i], near);
    for (uint32_t n = 0; n < 3 * count; n++) {
      const ldvec *t = a->corners[i], *other = b->corners[near[n / 3]];
      if (segment_pierces(t[n % 3], t[(n + 1) % 3], other)) {
        return true;
      }
    }
  }
  return false;
}

static inline bool tubes_cross(const test_mesh *mesh, const mo_transform *one,
                               const mo_transform *two) {
  surface a = surface_make(mesh, one), b = surface_make(mesh, two);
  bool crosses = surface_crosses(&a, &b) || surface_crosses(&b, &a);
  surface_free(&a);
  surface_free(&b);
  return crosses;
}

/* A centre line in the world. */
typedef struct center_line {
  uint32_t count;
  ldvec at[MAX_TUBE_RINGS];
} center_line;

static inline center_line tube_center_line(const tube *t, const mo_transform *map) {
  center_line line = {.count = t->rings};
  for (uint32_t i = 0; i < t->rings; i++) {
    line.at[i] = mapped(map, ld_float(t->center[i]));
  }
  return line;
}

static inline ldouble center_line_distance(const center_line *a, const center_line *b) {
  nearest_pair best = {.distance = INFINITY};
  for (uint32_t i = 0; i < a->count; i++) {
    for (uint32_t k = 0; k < b->count; k++) {
      nearest_of_segments(a->at[i], a->at[(i + 1) % a->count], b->at[k], b->at[(k + 1) % b->count],
                          &best);
    }
  }
  return best.distance;
}

/* Two tubes that touch have their centre lines at least this far apart: between two rings a tube is
 * a prism, which is thinner than the circle around it. */
static inline ldouble touching_distance(const tube *t) {
  const ldouble half_turn = 3.14159265358979323846L;
  return 2 * (ldouble)t->radius * cosl(half_turn / t->sides) * 0.96L;
}

/* How the first segment crosses the second as seen along z: 1 or -1 if it passes below it, from
 * one side to the other; else 0. */
static inline int crossing_below(ldvec p, ldvec q, ldvec a, ldvec b) {
  ldvec d = ld_sub(q, p), e = ld_sub(b, a), r = ld_sub(a, p);
  ldouble area = d.x * e.y - d.y * e.x;
  ldouble s = (r.x * e.y - r.y * e.x) / area, t = (r.x * d.y - r.y * d.x) / area;
  if (!(s >= 0 && s < 1 && t >= 0 && t < 1) || p.z + s * d.z > a.z + t * e.z) {
    return 0;
  }
  return area > 0 ? 1 : -1;
}

/* The linking number (Gauss) of two closed polylines that do not touch: the signed crossings of one
 * below the other, as seen from any direction; here one along which nothing is built. */
static inline int linking_number(const center_line *a, const center_line *b) {
  const ldvec z = unit_of((ldvec){0.2130L, 0.7417L, 0.6137L}),
              x = unit_of(cross_of(z, (ldvec){0.61L, -0.33L, 0.52L})), y = cross_of(z, x);
  center_line seen[2];
  for (int side = 0; side < 2; side++) {
    const center_line *from = side == 0 ? a : b;
    for (uint32_t i = 0; i < from->count; i++) {
      seen[side].at[i] =
          (ldvec){ld_dot(x, from->at[i]), ld_dot(y, from->at[i]), ld_dot(z, from->at[i])};
    }
  }
  int number = 0;
  for (uint32_t i = 0; i < a->count; i++) {
    for (uint32_t k = 0; k < b->count; k++) {
      number += crossing_below(seen[0].at[i], seen[0].at[(i + 1) % a->count], seen[1].at[k],
                               seen[1].at[(k + 1) % b->count]);
    }
  }
  return number;
}

#endif
