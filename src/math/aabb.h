/* Axis-aligned boxes. Comparisons are exact; operations that round do so outward. */
#ifndef MO_MATH_AABB_H
#define MO_MATH_AABB_H

#include "math/vector.h"

static inline mo_aabb mo_aabb_empty(void) {
  return (mo_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline mo_aabb mo_aabb_infinite(void) {
  return (mo_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

static inline float mo_min(float a, float b) {
  return a < b ? a : b;
}

static inline float mo_max(float a, float b) {
  return a > b ? a : b;
}

static inline mo_aabb mo_aabb_union(mo_aabb a, mo_aabb b) {
  return (mo_aabb){
      {mo_min(a.lower.x, b.lower.x), mo_min(a.lower.y, b.lower.y), mo_min(a.lower.z, b.lower.z)},
      {mo_max(a.upper.x, b.upper.x), mo_max(a.upper.y, b.upper.y), mo_max(a.upper.z, b.upper.z)}};
}

static inline mo_aabb mo_aabb_intersection(mo_aabb a, mo_aabb b) {
  return (mo_aabb){
      {mo_max(a.lower.x, b.lower.x), mo_max(a.lower.y, b.lower.y), mo_max(a.lower.z, b.lower.z)},
      {mo_min(a.upper.x, b.upper.x), mo_min(a.upper.y, b.upper.y), mo_min(a.upper.z, b.upper.z)}};
}

static inline mo_aabb mo_aabb_add_point(mo_aabb a, mo_vec3 p) {
  return mo_aabb_union(a, (mo_aabb){p, p});
}

/* The box around the corners of a triangle. */
static inline mo_aabb mo_aabb_of_corners(const mo_vec3 corners[3]) {
  const mo_aabb box = {corners[0], corners[0]};
  return mo_aabb_add_point(mo_aabb_add_point(box, corners[1]), corners[2]);
}

static inline mo_vec3 mo_aabb_middle(mo_aabb a) {
  return mo_vec(0.5f * a.lower.x + 0.5f * a.upper.x, 0.5f * a.lower.y + 0.5f * a.upper.y,
                0.5f * a.lower.z + 0.5f * a.upper.z);
}

static inline bool mo_aabb_is_empty(mo_aabb a) {
  return !(a.lower.x <= a.upper.x && a.lower.y <= a.upper.y && a.lower.z <= a.upper.z);
}

static inline bool mo_aabb_overlap(mo_aabb a, mo_aabb b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
         b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

static inline bool mo_aabb_contains(mo_aabb outer, mo_aabb inner) {
  return outer.lower.x <= inner.lower.x && inner.upper.x <= outer.upper.x &&
         outer.lower.y <= inner.lower.y && inner.upper.y <= outer.upper.y &&
         outer.lower.z <= inner.lower.z && inner.upper.z <= outer.upper.z;
}

static inline bool mo_aabb_is_same(const mo_aabb *a, const mo_aabb *b) {
  return (a->lower.x == b->lower.x) & (a->lower.y == b->lower.y) & (a->lower.z == b->lower.z) &
         (a->upper.x == b->upper.x) & (a->upper.y == b->upper.y) & (a->upper.z == b->upper.z);
}

/* The largest magnitude of a coordinate in a box, per axis. */
static inline mo_vec3 mo_aabb_max_coordinates(mo_aabb a) {
  return mo_vec(mo_max(fabsf(a.lower.x), fabsf(a.upper.x)),
                mo_max(fabsf(a.lower.y), fabsf(a.upper.y)),
                mo_max(fabsf(a.lower.z), fabsf(a.upper.z)));
}

/* As mo_aabb_max_coordinates, but 0 for an empty box. */
static inline mo_vec3 mo_aabb_max_coordinates_or_zero(mo_aabb a) {
  return mo_aabb_is_empty(a) ? mo_vec(0.0f, 0.0f, 0.0f) : mo_aabb_max_coordinates(a);
}

/* mo_round_down: the largest float not above a double. mo_round_up: the smallest not below it. */
float mo_round_down(double x);
float mo_round_up(double x);

/* The smallest box of floats that contains a box of doubles. */
mo_aabb mo_aabb_around(mo_dvec3 lower, mo_dvec3 upper);

/* The part of a box within the range of coordinates. */
mo_aabb mo_aabb_clamped(mo_aabb a);

/* Half the surface area; 0 for an empty box. In double precision, so it cannot overflow. */
double mo_aabb_half_area(mo_aabb a);

#endif
