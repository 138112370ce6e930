/* Rays against solids under any affine map.
 *
 * A singular value decomposition of the map, A = U S V^T, is computed by one-sided Jacobi
 * rotations, which are accurate for even the smallest singular values. In the coordinates S^-1 U^T
 * (p - centre), the solid is the original one, rotated by V^T: so the closed forms apply. Most
 * solids are described by an axis, which is rotated with them; for the others (boxes) the line is
 * rotated back into their frame. Singular values below 1e-12 of the largest are raised to that.
 * This gives a flat solid a thickness below the resolution of floats. A ray still crosses it at the
 * correct point, since the coordinates along the solid are computed separately from the one
 * perpendicular to it, in which distances have become huge. For the same reason the foot of the
 * line is found in these coordinates, before they are rotated back.
 *
 * For distant origins, the error of the line, within which a miss counts as a hit, may still be as
 * large as a flat solid. Therefore a hit must also lie in the solid's bounds, to within the
 * rounding of t. */
#include "geometry/ray/body.h"

#include <float.h>

#include "geometry/solid/solids.h"

/* A = sum over i of value[i] * left[i] * right[i]^T. */
typedef struct decomposition {
  mo_dvec3 left[3], right[3];
  double value[3];
} decomposition;

/* Singular values are raised to at least this fraction of the largest. */
static const double min_singular_value_ratio = 1e-12;

static mo_dvec3 unit(mo_dvec3 v) {
  return mo_ddivide(v, mo_dlength(v));
}

static mo_dvec3 perpendicular(mo_dvec3 v) {
  return unit(mo_dcross(v, mo_most_perpendicular_axis(v)));
}

/* Rotates two vectors in their common plane by an angle (a Jacobi rotation). */
static void rotate_pair(mo_dvec3 *a, mo_dvec3 *b, double cosine, double sine) {
  mo_dvec3 p = *a, q = *b;
  *a = mo_dsub(mo_dscale(cosine, p), mo_dscale(sine, q));
  *b = mo_dadd(mo_dscale(sine, p), mo_dscale(cosine, q));
}

/* Computes the singular value decomposition; false if the matrix is zero. */
static bool decompose(const mo_dvec3 column[3], decomposition *d) {
  mo_dvec3 a[3] = {column[0], column[1], column[2]};
  mo_dvec3 v[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}; /* columns, rotated with a */
  bool rotated = true;
  for (int sweep = 0; sweep < 32 && rotated; ++sweep) {
    rotated = false;
    for (int pair = 0; pair < 3; ++pair) {
      int i = pair == 2 ? 1 : 0, j = pair == 0 ? 1 : 2;
      double alpha = mo_ddot(a[i], a[i]), beta = mo_ddot(a[j], a[j]), gamma = mo_ddot(a[i], a[j]);
      if (fabs(gamma) <= DBL_EPSILON * sqrt(alpha) * sqrt(beta)) {
        continue;
      }
      double zeta = (beta - alpha) / (2.0 * gamma);
      double tangent = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
      double cosine = 1.0 / sqrt(1.0 + tangent * tangent), sine = cosine * tangent;
      rotate_pair(&a[i], &a[j], cosine, sine);
      rotate_pair(&v[i], &v[j], cosine, sine);
      rotated = true;
    }
  }

  double length[3];
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 3; ++i) {
    length[i] = mo_dlength(a[i]);
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = i + 1; j < 3; ++j) {
      if (length[order[j]] > length[order[i]]) {
        int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
      }
    }
  }
  double largest = length[order[0]];
  if (!(largest > 0.0)) {
    return false;
  }
  for (int i = 0; i < 3; ++i) {
    d->right[i] = v[order[i]];
    d->value[i] = fmax(length[order[i]], min_singular_value_ratio * largest);
  }
  d->left[0] = unit(a[order[0]]);
  mo_dvec3 second = a[order[1]];
  second = mo_dsub(second, mo_dscale(mo_ddot(second, d->left[0]), d->left[0]));
  bool line = !(mo_dlength(second) > min_singular_value_ratio * largest);
  d->left[1] = line ? perpendicular(d->left[0]) : unit(second);
  d->left[2] = mo_dcross(d->left[0], d->left[1]);
  if (mo_ddot(d->left[2], a[order[2]]) < 0.0) {
    d->left[2] = mo_dscale(-1.0, d->left[2]);
  }
  return true;
}

/* Maps world vectors to the coordinates of the decomposition, which `right` rotates to local ones.
 */
static mo_dvec3 to_decomposed(const decomposition *d, mo_dvec3 v) {
  const mo_dvec3 along = mo_map_rows(d->left, v);
  return mo_dvec(along.x / d->value[0], along.y / d->value[1], along.z / d->value[2]);
}

/* Maps a covector (normal) from the coordinates of the decomposition to the world. */
static mo_dvec3 normal_to_world(const decomposition *d, mo_dvec3 n) {
  return mo_map_columns(d->left, mo_dvec(n.x / d->value[0], n.y / d->value[1], n.z / d->value[2]));
}

bool mo_ray_point_is_in_box(mo_vec3 origin, mo_vec3 direction, float t, mo_aabb bounds,
                            double precision) {
  mo_vec3 reach = mo_aabb_max_coordinates(bounds);
  mo_dvec3 offset = mo_dscale(t, mo_widen(direction));
  mo_dvec3 point = mo_dadd(mo_widen(origin), offset);
  double size = mo_dmax_magnitude(offset) + mo_max_magnitude(origin) + mo_max_magnitude(reach);
  double slack = precision * size;
  return point.x >= bounds.lower.x - slack && point.x <= bounds.upper.x + slack &&
         point.y >= bounds.lower.y - slack && point.y <= bounds.upper.y + slack &&
         point.z >= bounds.lower.z - slack && point.z <= bounds.upper.z + slack;
}

bool mo_ray_test_convex(const mo_ray_line *ray, const mo_convex *convex, float *t,
                        mo_dvec3 *normal) {
  mo_sum4 offset = {.value = 0.0 + mo_d4_of_vector(mo_widen(ray->origin))};
  mo_convex_add_center(convex, -1.0, &offset);
  mo_dvec3 start = mo_sum4_round(&offset);
  mo_dvec3 along = mo_widen(ray->direction);

  decomposition d;
  mo_centered_solid solid = mo_solid_centered(&convex->solid);
  bool rotates = mo_solid_is_defined_by_axis(solid.kind);
  if (decompose(convex->column, &d)) {
    start = to_decomposed(&d, start);
    along = to_decomposed(&d, along);
    if (rotates) {
      solid.half = mo_map_rows(d.right, solid.half);
    }
  } else {
    /* The map takes the solid to a point: use world coordinates. */
    d = (decomposition){.left = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                        .value = {1.0, 1.0, 1.0}};
    solid = (mo_centered_solid){.kind = MO_SOLID_SPHERE};
    rotates = true;
  }

  mo_line line = mo_line_make(start, along);
  mo_dvec3 first = mo_dadd(start, mo_dscale(ray->min_t, along));
  if (!rotates) {
    line.foot = mo_map_columns(d.right, line.foot);
    line.direction = mo_map_columns(d.right, line.direction);
    first = mo_map_columns(d.right, first);
  }
  mo_span span;
  bool met = mo_solid_clip_line(&solid, &line, &span);
  bool inside = mo_solid_contains(&solid, first);
  mo_line_result result =
      mo_line_first_hit(&line, inside, met ? &span : NULL, ray->min_t, ray->max_t, t);
  if (result == MO_LINE_MISSES ||
      !mo_ray_point_is_in_box(ray->origin, ray->direction, *t, mo_convex_bounds(convex), 0x1p-22)) {
    return false;
  }
  if (result == MO_LINE_STARTS_INSIDE) {
    *normal = mo_dvec(0.0, 0.0, 0.0);
    return true;
  }
  mo_dvec3 outward = mo_solid_normal(&solid, &line, span.enter);
  if (!rotates) {
    outward = mo_map_rows(d.right, outward);
  }
  *normal = normal_to_world(&d, outward);
  return true;
}
