/* Affine transforms of shapes: the map, its inverse, and whether the inverse is accurate enough to
 * transform queries to local space. */
#ifndef MO_MATH_AFFINE_H
#define MO_MATH_AFFINE_H

#include <float.h>

#include "base/inline.h"
#include "math/aabb.h"
#include "math/four.h"

/* local -> world: origin + linear * p. world -> local: inverse * (p - origin).
 *
 * `invertible` is decided once, from the transform alone. It is false if the linear part is
 * singular, or so sheared that rounding in local space would be amplified in the world more than
 * MO_MAX_AMPLIFICATION times, or if the inverse leaves the range of float. The amplification is the
 * sum over i of |column_i of linear| * |row_i of inverse|, with Euclidean lengths: a relative
 * rounding error u of local coordinates moves a point at distance d from the origin by at most u *
 * d times the amplification. It is 3 for orthogonal columns of any lengths, and grows as columns
 * become parallel. For a shape that is not invertible, queries transform its triangles to world
 * space instead of the query to local space. */
typedef struct mo_affine {
  float inverse[3][4]; /* columns of the inverse of the linear part, each with a zero at the end;
                          all zero unless invertible */
  mo_vec3 axis_sizes;  /* per local axis: the largest component of its world image */
  bool invertible;
  uint16_t
      slope_factor_in_16_bits; /* bound of the slopes of local rays: see mo_affine_slope_factor */
  mo_transform to_world;       /* last, so that `origin` adjoins the member after a mo_affine */
} mo_affine;

#define MO_MAX_AMPLIFICATION 8.0 /* largest amplification of rounding errors, see mo_affine */

/* The slope factor of a map: a bound of (1 + |d_i / d_k|) / 2 for the direction d of any local ray
 * and the axis k along which the ray goes farthest in the world (geometry/ray/ray.h). |d_i / d_k|
 * is at most axis size k / axis size i, so the factor is half of 1 + the largest ratio of two of
 * them, rounded up; infinite beyond MO_MAX_SLOPE_FACTOR. It is stored as the upper 16 bits of a
 * float. */
#define MO_MAX_SLOPE_FACTOR 4.0f

static inline uint16_t mo_slope_factor_to_16_bits(mo_vec3 axis_sizes) {
  float min = mo_min(mo_min(axis_sizes.x, axis_sizes.y), axis_sizes.z);
  float max = mo_max(mo_max(axis_sizes.x, axis_sizes.y), axis_sizes.z);
  float slopes = (0.5f + 0.5f * (max / min)) * 1.000001f;
  slopes = slopes <= MO_MAX_SLOPE_FACTOR ? slopes : INFINITY;
  uint32_t bits;
  memcpy(&bits, &slopes, sizeof bits);
  return (uint16_t)((bits + 0xffff) >> 16);
}

static inline float mo_affine_slope_factor(const mo_affine *affine) {
  uint32_t bits = (uint32_t)affine->slope_factor_in_16_bits << 16;
  float slopes;
  memcpy(&slopes, &bits, sizeof slopes);
  return slopes;
}

/* Sets all members from a transform. Errors: those of mo_check_transform. */
mo_result mo_affine_init(mo_affine *affine, const mo_transform *to_world);

/* The image of a vector under the inverse of the linear part, computed in double and rounded
 * once. */
MO_INLINE mo_f4 mo_affine_apply_inverse(const mo_affine *affine, mo_dvec3 v) {
  const mo_f4 columns[3] = {mo_f4_load(affine->inverse[0]), mo_f4_load(affine->inverse[1]),
                            mo_f4_load(affine->inverse[2])};
  mo_d4 x = mo_f4_widen(columns[0]) * v.x, y = mo_f4_widen(columns[1]) * v.y;
  return mo_d4_narrow(x + y + mo_f4_widen(columns[2]) * v.z);
}

/* How far the image of a vector under the inverse may reach along each axis, if each component of
 * the vector is at most that of `size` in magnitude; rounded to nearest. */
MO_INLINE mo_f4 mo_affine_apply_absolute_inverse(const mo_affine *affine, mo_dvec3 size) {
  const mo_f4 columns[3] = {mo_f4_abs(mo_f4_load(affine->inverse[0])),
                            mo_f4_abs(mo_f4_load(affine->inverse[1])),
                            mo_f4_abs(mo_f4_load(affine->inverse[2]))};
  mo_d4 x = mo_f4_widen(columns[0]) * size.x, y = mo_f4_widen(columns[1]) * size.y;
  return mo_d4_narrow(x + y + mo_f4_widen(columns[2]) * size.z);
}

/* Transforms points and directions to local space, computed in double and rounded once. Infinite if
 * the result leaves the range of float, never NaN. Requires `invertible`. */
static inline mo_vec3 mo_affine_point_to_local(const mo_affine *affine, mo_vec3 point) {
  mo_dvec3 v = mo_dsub(mo_widen(point), mo_widen(affine->to_world.origin));
  return mo_f4_to_vec3(mo_affine_apply_inverse(affine, v));
}

static inline mo_vec3 mo_affine_direction_to_local(const mo_affine *affine, mo_vec3 direction) {
  return mo_f4_to_vec3(mo_affine_apply_inverse(affine, mo_widen(direction)));
}

/* Transforms a world ray to local space. `axis_sizes` receives the argument for mo_ray_init.
 * Returns false, and writes nothing, if the ray must be tested in the world: if the map is not
 * invertible, or the local ray would leave the range of coordinates or lose its direction. */
MO_INLINE bool mo_affine_ray_to_local(const mo_affine *affine, mo_vec3 *origin, mo_vec3 *direction,
                                      mo_vec3 *axis_sizes) {
  mo_dvec3 v = mo_dsub(mo_widen(*origin), mo_widen(affine->to_world.origin));
  mo_f4 o = mo_affine_apply_inverse(affine, v);
  mo_f4 d = mo_affine_apply_inverse(affine, mo_widen(*direction));
  mo_f4 length = mo_f4_abs(d);
  bool fits = mo_f4_signs((mo_f4)((mo_f4_abs(o) > mo_f4_splat(MO_MAX_COORDINATE)) |
                                  (length > mo_f4_splat(FLT_MAX)))) == 0;
  bool directed = mo_f4_signs((mo_f4)(length > mo_f4_splat(FLT_MIN))) != 0;
  if (!(affine->invertible & fits & directed)) {
    return false;
  }
  *origin = mo_f4_to_vec3(o);
  *direction = mo_f4_to_vec3(d);
  *axis_sizes = affine->axis_sizes;
  return true;
}

/* Transforms a local point to world space, in double precision. Overlap tests use this. Rounded to
 * float, it is the result of mo_transform_point. */
mo_dvec3 mo_affine_point_to_world(const mo_affine *affine, mo_vec3 point);

/* Transforms a local point to world space, rounded to float. Rays against shapes without an inverse
 * use this. */
mo_vec3 mo_affine_point_to_world_float(const mo_affine *affine, mo_vec3 point);

/* The AABB of the image of a finite local box, rounded outward; empty stays empty. It contains
 * mo_affine_point_to_world and mo_affine_point_to_world_float of every point of the box, and is the
 * smallest box of floats that does. */
mo_aabb mo_affine_aabb_to_world(const mo_affine *affine, mo_aabb box);

/* mo_affine_aabb_to_world for a nonempty box, given the columns of the linear part and the
 * origin. */
static inline void mo_affine_box_image(const mo_f4 column[3], mo_f4 origin, const mo_aabb *box,
                                       mo_f4 *lower, mo_f4 *upper) {
  const float low[3] = {box->lower.x, box->lower.y, box->lower.z};
  const float high[3] = {box->upper.x, box->upper.y, box->upper.z};
  mo_d4 bottom = mo_f4_widen(origin), top = bottom;
  for (int i = 0; i < 3; i++) {
    /* What this axis contributes to the two extreme corners. */
    mo_f4 min = mo_f4_splat(low[i]), max = mo_f4_splat(high[i]), zero = mo_f4_splat(0);
    mo_d4 factor = mo_f4_widen(column[i]);
    bottom += mo_f4_widen(mo_f4_select(column[i] > zero, min, max)) * factor;
    top += mo_f4_widen(mo_f4_select(column[i] < zero, min, max)) * factor;
  }
  *lower = -mo_d4_round_up(-bottom);
  *upper = mo_d4_round_up(top);
}

/* A local AABB of the preimage of a world box, with a margin for rounding: it contains every local
 * point whose image (mo_affine_point_to_world) lies in the box by more than 2^-48 of the sum of the
 * magnitudes of the image's terms. So the box needs a margin itself. It must be finite; an empty
 * box stays empty. Requires `invertible`.
 *
 * Notation: A the linear part, o the origin, R its true inverse, S the stored inverse, p a local
 * point, w = fl(o + A p) its computed image, which lies in the box without its margin, d = w - o,
 * and e the rounding error of w. All bounds are per component; |M| is the matrix of absolute
 * values.
 *
 *   p = R (d - e), and the preimage is computed as S d, so |p - S d| <= |R - S| |d| + |R| |e|.
 *
 * S differs from R by the rounding of the double computation, relative 2^-46 given the
 * amplification, and by the rounding to float, relative 2^-24 or absolute 2^-150: |R - S| <= 2^-23
 * |S| + 2^-149. This, and the rounding of the result to floats, is less than the 2^-20 below. Three
 * sums round in w: |e| <= 2^-51 (|o| + |A| |p|), which is less than the margin of the box. */
MO_INLINE mo_aabb mo_affine_aabb_to_local(const mo_affine *affine, mo_aabb box) {
  if (mo_aabb_is_empty(box)) {
    return mo_aabb_empty();
  }
  const mo_dvec3 origin = mo_widen(affine->to_world.origin);
  const mo_dvec3 lower = mo_dsub(mo_widen(box.lower), origin);
  const mo_dvec3 upper = mo_dsub(mo_widen(box.upper), origin);
  const mo_dvec3 center = mo_dscale(0.5, mo_dadd(lower, upper));
  const mo_dvec3 half = mo_dscale(0.5, mo_dsub(upper, lower));
  const mo_dvec3 reach = mo_dadd(mo_dabs(center), half);
  const mo_dvec3 size = mo_dadd(half, mo_dscale(0x1p-20, reach));
  const mo_d4 x = mo_f4_widen(mo_f4_load(affine->inverse[0])),
              y = mo_f4_widen(mo_f4_load(affine->inverse[1])),
              z = mo_f4_widen(mo_f4_load(affine->inverse[2]));
  const double subnormal = 0x1p-140 * (reach.x + reach.y + reach.z) + 0x1p-140;
  const mo_d4 middle = x * center.x + y * center.y + z * center.z;
  const mo_d4 out =
      mo_d4_abs(x) * size.x + mo_d4_abs(y) * size.y + mo_d4_abs(z) * size.z + subnormal;
  return (mo_aabb){mo_f4_to_vec3(mo_d4_narrow(middle - out)),
                   mo_f4_to_vec3(mo_d4_narrow(middle + out))};
}

/* Whether the map reverses the winding of triangles; false if it flattens them. */
bool mo_affine_mirrors(const mo_affine *affine);

/* Normalises a vector whose square would overflow or underflow even in double; zero if it
 * vanishes. */
mo_vec3 mo_normalize_any_length(mo_dvec3 n);

/* Normalises a vector and rounds it to float; zero if it vanishes. Edges are at most 2^102 long, so
 * the square of a cross product is far from overflow; and it does not underflow, since even the
 * smallest subnormal float to the fourth power is 2^-596. */
static inline mo_vec3 mo_unit_normal(mo_dvec3 n) {
  double square = mo_ddot(n, n);
  if (!(square > 0.0)) {
    return mo_vec(0.0f, 0.0f, 0.0f); /* avoids -0 */
  }
  return mo_narrow(mo_dscale(1.0 / sqrt(square), n));
}

/* Transforms a local normal (a covector) to world space by the inverse transpose, in double; unit
 * length, zero if it vanishes. Requires `invertible`. */
MO_INLINE mo_vec3 mo_affine_normal_to_world(const mo_affine *affine, mo_dvec3 normal) {
  mo_dvec3 columns[3];
  for (int i = 0; i < 3; i++) {
    columns[i] = mo_dvec(affine->inverse[i][0], affine->inverse[i][1], affine->inverse[i][2]);
  }
  mo_dvec3 image = mo_map_rows(columns, normal);
  double square = mo_ddot(image, image);
  if (__builtin_expect(!(square > 0x1p-900 && square < 0x1p900), 0)) {
    return mo_normalize_any_length(image);
  }
  return mo_narrow(mo_dscale(1 / sqrt(square), image));
}

#endif
