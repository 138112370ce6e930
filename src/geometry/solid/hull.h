/* Convex hulls: exact polytopes of points (motte/hull.h), referenced by pointer. As a solid, a is
 * the hull's `center`, and b is how far the hull reaches from there per axis. */
#ifndef MO_GEOMETRY_SOLID_HULL_H
#define MO_GEOMETRY_SOLID_HULL_H

#include "geometry/hull/hull.h"
#include "geometry/solid/line.h"
#include "geometry/solid/parts.h"

static inline void mo_hull_set_default(mo_geometry *g) {
  g->hull = NULL; /* must be set by the caller */
}

static inline mo_result mo_hull_check(const mo_geometry *g, const mo_refusal *refusal) {
  return g->hull != NULL ? MO_OK : mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, ".hull is null");
}

static inline float mo_hull_max_coordinate(const mo_geometry *g) {
  return mo_max_magnitude(g->hull->reach);
}

static inline mo_solid mo_hull_read(const mo_geometry *g) {
  const mo_hull *hull = g->hull;
  return (mo_solid){.kind = MO_SOLID_HULL, .a = hull->center, .b = hull->half, .hull = hull};
}

static inline mo_solid_field_offsets mo_hull_field_offsets(void) {
  return (mo_solid_field_offsets){MO_NO_FIELD, MO_NO_FIELD, MO_NO_FIELD};
}

static inline mo_center_points mo_hull_center_points(const mo_solid *s) {
  /* Split in two, so that products of the parts and floats are exact in double. */
  const mo_dvec3 high = mo_widen(mo_narrow(s->a)), low = mo_dsub(s->a, high);
  return (mo_center_points){.count = 2, .point = {mo_dadd(high, high), mo_dadd(low, low)}};
}

static inline mo_dvec3 mo_hull_half(const mo_solid *s) {
  return s->b;
}

static inline mo_dvec3 mo_hull_support(const mo_solid *s, mo_dvec3 direction) {
  return mo_widen(mo_hull_vertex(s->hull, mo_hull_farthest_vertex(s->hull, direction, MO_NONE)));
}

/* The support vertices of a hull along three rows of a map, and along their negatives. */
static inline void mo_hull_row_support_points(const mo_hull *hull, const mo_d4vec *row,
                                              mo_d4vec ends[2]) {
  uint32_t vertices[2][3];
  mo_hull_support_pairs(hull, row, vertices);
  for (int k = 0; k < 2; k++) {
    const uint32_t *v = vertices[k];
    mo_vec3 p[3] = {mo_hull_vertex(hull, v[0]), mo_hull_vertex(hull, v[1]),
                    mo_hull_vertex(hull, v[2])};
    ends[k] = (mo_d4vec){mo_f4_widen((mo_f4){p[0].x, p[1].x, p[2].x, 0}),
                         mo_f4_widen((mo_f4){p[0].y, p[1].y, p[2].y, 0}),
                         mo_f4_widen((mo_f4){p[0].z, p[1].z, p[2].z, 0})};
  }
}

static inline mo_solid_image mo_hull_linear_image(const mo_solid *s, const mo_dvec3 column[3]) {
  (void)column;
  return (mo_solid_image){.hull = s->hull};
}

/* See mo_solid_extents: the points that determine the bounds are vertices, with no half width
 * around them, so there are no terms. */
static inline int mo_hull_extents(const mo_solid4 *s, int point, const mo_d4vec *row,
                                  mo_d4 extent[3]) {
  (void)s;
  (void)point;
  (void)row;
  (void)extent;
  return 0;
}

static inline bool mo_hull_is_axis_aligned(const mo_dvec3 column[3]) {
  (void)column;
  return false;
}

/* False, because half extents cannot represent a rotated hull. */
static inline bool mo_hull_is_defined_by_axis(void) {
  return false;
}

bool mo_hull_contains(const mo_centered_solid *s, mo_dvec3 point);
bool mo_hull_clip_line(const mo_centered_solid *s, const mo_line *line, mo_span *span);
mo_dvec3 mo_hull_normal(const mo_centered_solid *s, const mo_line *line, double enter);

static inline mo_moments mo_hull_moments(const mo_solid *s) {
  return mo_hull_find_moments(s->hull, s->rounding);
}

#endif
