/* Support mapping by a scan of all vertices; compiled once per instruction set.
 *
 * Dot products in single precision leave few candidates, which are compared exactly. The direction
 * is scaled to components of at most 1, or used as it is if none is extreme. Then each product has
 * at most four relative rounding errors of 2^-24: of the direction, of the product and of two sums;
 * and an absolute error of 2^-148 if something is denormal. The difference of two dot products has
 * at most twice this error, which is less than the margin. */
#include "geometry/hull/support.h"
#include "math/lanes/lanes.h"

static inline float scaled_component(double component, double largest) {
  return (float)(component / largest);
}

static inline float dot_product_margin(const mo_hull *hull, mo_vec3 direction) {
  float x = (fabsf(direction.x) + 0x1p-120f) * hull->reach.x;
  float y = (fabsf(direction.y) + 0x1p-120f) * hull->reach.y;
  float z = (fabsf(direction.z) + 0x1p-120f) * hull->reach.z;
  return 0x1p-20f * (x + y + z) + 0x1p-140f;
}

/* Of the candidates (a bit per vertex, from `first` on), the one that is farthest along a
 * direction; the first of equally far ones. A single candidate needs no comparison. */
static inline uint32_t farthest_candidate(const mo_hull *hull, mo_dvec3 direction, uint32_t first,
                                          uint64_t candidates) {
  uint32_t best = first + (candidates == 0 ? 0 : (uint32_t)__builtin_ctzll(candidates));
  for (candidates &= candidates - 1; candidates != 0; candidates &= candidates - 1) {
    uint32_t other = first + (uint32_t)__builtin_ctzll(candidates);
    mo_vec3 vertex = mo_hull_vertex(hull, other), best_vertex = mo_hull_vertex(hull, best);
    best = mo_hull_compare(direction, vertex, best_vertex) > 0.0 ? other : best;
  }
  return best;
}

/* A factor that makes a direction so small that its products with coordinates do not overflow. The
 * margin covers the error of denormal products. */
static inline double scale_without_overflow(mo_dvec3 direction) {
  double size = fabs(direction.x) + fabs(direction.y) + fabs(direction.z);
  return size > 0x1p20 ? 1.0 / size : 1.0;
}

static inline float sign_of(double x) {
  return (float)((x > 0.0) - (x < 0.0));
}

void MO_ISA_FN(mo_hull_scan_support_pairs)(const mo_hull *hull, const mo_d4vec *direction,
                                           uint32_t ends[2][3]) {
  const uint32_t groups = hull->vertex_capacity / 8;
  const float *x = hull->coordinates, *y = x + hull->vertex_capacity;
  const float *z = y + hull->vertex_capacity;
  mo_dvec3 along[3];
  mo_f8 d[3][3], dots[3][MO_HULL_MAX_VERTICES_SCANNED_FOR_PAIRS / 8], max[3], min[3];
  float margin[3];
  for (int row = 0; row < 3; row++) {
    mo_dvec3 of = mo_dvec(direction->x[row], direction->y[row], direction->z[row]);
    /* For a direction along an axis, dot products are coordinates, which are exact and need no
     * margin. */
    bool plain = (of.x != 0.0) + (of.y != 0.0) + (of.z != 0.0) == 1;
    mo_vec3 v = plain ? mo_vec(sign_of(of.x), sign_of(of.y), sign_of(of.z))
                      : mo_narrow(mo_dscale(scale_without_overflow(of), of));
    along[row] = of;
    margin[row] = plain ? 0.0f : dot_product_margin(hull, v);
    d[row][0] = mo_f8_splat(v.x);
    d[row][1] = mo_f8_splat(v.y);
    d[row][2] = mo_f8_splat(v.z);
    max[row] = mo_f8_splat(-INFINITY);
    min[row] = mo_f8_splat(INFINITY);
  }
  for (uint32_t i = 0; i < groups; i++) {
    mo_f8 at[3] = {mo_f8_load(x + 8 * i), mo_f8_load(y + 8 * i), mo_f8_load(z + 8 * i)};
    for (int row = 0; row < 3; row++) {
      mo_f8 xy = mo_f8_add(mo_f8_mul(d[row][0], at[0]), mo_f8_mul(d[row][1], at[1]));
      dots[row][i] = mo_f8_add(xy, mo_f8_mul(d[row][2], at[2]));
      max[row] = mo_f8_max(max[row], dots[row][i]);
      min[row] = mo_f8_min(min[row], dots[row][i]);
    }
  }
  for (int row = 0; row < 3; row++) {
    mo_f8 from = mo_f8_splat(mo_f8_reduce_max(max[row]) - margin[row]);
    mo_f8 to = mo_f8_splat(mo_f8_reduce_min(min[row]) + margin[row]);
    uint64_t far = 0, near = 0;
    for (uint32_t i = 0; i < groups; i++) {
      far |= (uint64_t)mo_m8_bits(mo_f8_le(from, dots[row][i])) << 8 * i;
      near |= (uint64_t)mo_m8_bits(mo_f8_le(dots[row][i], to)) << 8 * i;
    }
    if (margin[row] == 0.0f) { /* the remaining candidates are equally far */
      far &= -far;
      near &= -near;
    }
    ends[0][row] = farthest_candidate(hull, along[row], 0, far);
    ends[1][row] = farthest_candidate(hull, mo_dscale(-1.0, along[row]), 0, near);
  }
}

/* Of several candidates, two words with a bit per vertex, the farthest along a direction of any
 * length; not inlined, as a scan rarely needs it. */
static __attribute__((noinline)) uint32_t
farthest_of_several(const mo_hull *hull, const mo_dvec3 *direction, const uint64_t *candidates) {
  const mo_dvec3 d = mo_hull_scaled_direction(*direction, mo_dmax_magnitude(*direction));
  const uint32_t low = farthest_candidate(hull, d, 0, candidates[0]);
  const uint32_t high = farthest_candidate(hull, d, 64, candidates[1]);
  if (candidates[0] == 0 || candidates[1] == 0) {
    return candidates[0] == 0 ? high : low;
  }
  return mo_hull_compare(d, mo_hull_vertex(hull, high), mo_hull_vertex(hull, low)) > 0.0 ? high
                                                                                         : low;
}

uint32_t MO_ISA_FN(mo_hull_scan)(const mo_hull *hull, mo_dvec3 direction) {
  const double largest = mo_dmax_magnitude(direction);
  if (!(largest > 0.0)) {
    return 0;
  }
  /* Between these limits, products with coordinates neither overflow nor lose digits. */
  const mo_vec3 d =
      largest < 0x1p20 && largest > 0x1p-60
          ? mo_narrow(direction)
          : mo_vec(scaled_component(direction.x, largest), scaled_component(direction.y, largest),
                   scaled_component(direction.z, largest));
  const uint32_t groups = hull->vertex_capacity / 8;
  const float *x = hull->coordinates, *y = x + hull->vertex_capacity;
  const float *z = y + hull->vertex_capacity;
  const mo_f8 dx = mo_f8_splat(d.x), dy = mo_f8_splat(d.y), dz = mo_f8_splat(d.z);
  mo_f8 dots[MO_HULL_MAX_SCANNED_VERTICES / 8], max = mo_f8_splat(-INFINITY);
  for (uint32_t i = 0; i < groups; i++) {
    mo_f8 xy =
        mo_f8_add(mo_f8_mul(dx, mo_f8_load(x + 8 * i)), mo_f8_mul(dy, mo_f8_load(y + 8 * i)));
    dots[i] = mo_f8_add(xy, mo_f8_mul(dz, mo_f8_load(z + 8 * i)));
    max = mo_f8_max(max, dots[i]);
  }
  const mo_f8 from = mo_f8_splat(mo_f8_reduce_max(max) - dot_product_margin(hull, d));
  uint64_t candidates[MO_HULL_MAX_SCANNED_VERTICES / 64] = {0, 0};
  for (uint32_t i = 0; i < groups && i < 8; i++) {
    candidates[0] |= (uint64_t)mo_m8_bits(mo_f8_le(from, dots[i])) << 8 * i;
  }
  for (uint32_t i = 8; i < groups; i++) {
    candidates[1] |= (uint64_t)mo_m8_bits(mo_f8_le(from, dots[i])) << 8 * (i - 8);
  }
  const int word = candidates[0] == 0;
  const uint64_t found = candidates[word], other = candidates[1 - word];
  return (found & (found - 1)) == 0 && other == 0
             ? 64 * (uint32_t)word + (uint32_t)__builtin_ctzll(found)
             : farthest_of_several(hull, &direction, candidates);
}
