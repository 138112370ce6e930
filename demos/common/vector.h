/* The vector and quaternion arithmetic that the demos need. */
#ifndef DEMO_VECTOR_H
#define DEMO_VECTOR_H

#include <math.h>
#include <motte/math.h>

static inline mo_vec3 vec3(float x, float y, float z) {
  return (mo_vec3){x, y, z};
}

static inline mo_vec3 vec3_add(mo_vec3 a, mo_vec3 b) {
  return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline mo_vec3 vec3_sub(mo_vec3 a, mo_vec3 b) {
  return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline mo_vec3 vec3_scale(float s, mo_vec3 a) {
  return vec3(s * a.x, s * a.y, s * a.z);
}

/* Component by component: light of one colour on a surface of another. */
static inline mo_vec3 vec3_mul(mo_vec3 a, mo_vec3 b) {
  return vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* a where share is 0, b where it is 1. */
static inline mo_vec3 vec3_mix(mo_vec3 a, mo_vec3 b, float share) {
  return vec3_add(vec3_scale(1.0f - share, a), vec3_scale(share, b));
}

static inline float vec3_dot(mo_vec3 a, mo_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline mo_vec3 vec3_cross(mo_vec3 a, mo_vec3 b) {
  return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float vec3_length(mo_vec3 a) {
  return sqrtf(vec3_dot(a, a));
}

/* Of length one; zero stays zero. */
static inline mo_vec3 vec3_normalize(mo_vec3 a) {
  float length = vec3_length(a);
  return length > 0.0f ? vec3_scale(1.0f / length, a) : a;
}

/* `axis` is of length one; radians. */
static inline mo_quat quat_around(mo_vec3 axis, float angle) {
  mo_vec3 v = vec3_scale(sinf(0.5f * angle), axis);
  return (mo_quat){v.x, v.y, v.z, cosf(0.5f * angle)};
}

/* First b, then a. */
static inline mo_quat quat_mul(mo_quat a, mo_quat b) {
  return (mo_quat){
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
  };
}

static inline mo_vec3 aabb_center(mo_aabb box) {
  return vec3_scale(0.5f, vec3_add(box.lower, box.upper));
}

static inline mo_vec3 aabb_size(mo_aabb box) {
  return vec3_sub(box.upper, box.lower);
}

/* Bits of the corner's number choose the upper side: x = 1, y = 2, z = 4. */
static inline mo_vec3 aabb_corner(mo_aabb box, unsigned corner) {
  return vec3(corner & 1 ? box.upper.x : box.lower.x, corner & 2 ? box.upper.y : box.lower.y,
              corner & 4 ? box.upper.z : box.lower.z);
}

static inline mo_aabb aabb_with_point(mo_aabb box, mo_vec3 p) {
  return (mo_aabb){
      vec3(fminf(box.lower.x, p.x), fminf(box.lower.y, p.y), fminf(box.lower.z, p.z)),
      vec3(fmaxf(box.upper.x, p.x), fmaxf(box.upper.y, p.y), fmaxf(box.upper.z, p.z)),
  };
}

/* The box `margin` larger on every side. */
static inline mo_aabb aabb_grow(mo_aabb box, float margin) {
  mo_vec3 m = vec3(margin, margin, margin);
  return (mo_aabb){vec3_sub(box.lower, m), vec3_add(box.upper, m)};
}

static inline mo_aabb aabb_around(mo_vec3 center, float half_size) {
  return aabb_grow((mo_aabb){center, center}, half_size);
}

#endif
