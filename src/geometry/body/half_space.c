/* Half-spaces: their images under maps, and heights above their planes. */
#include "geometry/body/half_space.h"

#include "geometry/triangle/orient.h"
#include "math/check.h"

/* Component `axis` of the normal n, mapped by the cofactor matrix and rounded once. The cofactor
 * matrix is the inverse transpose, which maps normals, times the determinant. */
static double mapped_normal_component(const mo_transform *map, mo_vec3 n, int axis) {
  const mo_vec3 columns[3] = {map->x_axis, map->y_axis, map->z_axis};
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  mo_expansion sum = {.count = 0};
  for (int i = 0; i < 3; ++i) {
    mo_vec3 p = columns[(i + 1) % 3], q = columns[(i + 2) % 3];
    mo_expansion_add_triple(&sum, mo_get(n, i), mo_get(p, j), mo_get(q, k));
    mo_expansion_add_triple(&sum, -mo_get(n, i), mo_get(p, k), mo_get(q, j));
  }
  return mo_expansion_sign(&sum);
}

static double determinant(const mo_transform *map) {
  mo_expansion sum = {.count = 0};
  mo_expansion_add_determinant(&sum, mo_widen(map->x_axis), mo_widen(map->y_axis),
                               mo_widen(map->z_axis));
  return mo_expansion_sign(&sum);
}

mo_result mo_half_space_check(const mo_half_space *half_space, const mo_refusal *refusal) {
  mo_vec3 n = half_space->normal;
  mo_result result = mo_check_finite(n, refusal, ".normal");
  if (result == MO_OK && n.x == 0.0f && n.y == 0.0f && n.z == 0.0f) {
    result = mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".normal is zero");
  }
  if (result == MO_OK && !isfinite(half_space->offset)) {
    result =
        mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, ".offset", (double)half_space->offset, NULL);
  }
  return result;
}

mo_result mo_half_space_make(mo_half_space_body *made, const mo_half_space *half_space,
                             const mo_transform *map, const mo_refusal *refusal) {
  double volume = determinant(map);
  if (volume == 0.0) {
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT,
                     ".transform has no inverse, as that of a half-space must");
  }
  mo_vec3 n = half_space->normal;
  mo_dvec3 normal = mo_dvec(mapped_normal_component(map, n, 0), mapped_normal_component(map, n, 1),
                            mapped_normal_component(map, n, 2));
  double max = mo_dmax_magnitude(normal);
  normal = mo_ddivide(normal, max);
  double length = mo_dlength(normal), back = volume < 0.0 ? -1.0 : 1.0;
  mo_half_space_body h = {
      .normal = mo_ddivide(mo_dscale(back, normal), length),
      .origin = mo_widen(map->origin),
      .offset = -(double)half_space->offset * (fabs(volume) / (max * length)),
  };
  mo_dvec3 foot = mo_dsub(h.origin, mo_dscale(h.offset, h.normal));
  if (!(mo_dmax_magnitude(foot) <= (double)MO_MAX_COORDINATE)) {
    return mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE,
                     ".transform takes it beyond MO_MAX_COORDINATE");
  }
  h.plane = (mo_plane){mo_narrow(mo_dscale(-1.0, h.normal)),
                       (float)(mo_ddot(h.normal, h.origin) - h.offset)};
  *made = h;
  return MO_OK;
}

double mo_half_space_height_error(const mo_half_space_body *h, mo_vec3 reach) {
  return 0x1p-42 * (mo_sum_of_magnitudes(h->origin) + fabs(h->offset) +
                    mo_sum_of_magnitudes(mo_widen(reach))) +
         0x1p-140;
}

mo_aabb mo_half_space_bounds(const mo_half_space_body *h) {
  mo_aabb box = mo_aabb_infinite();
  const double *normal = &h->normal.x, *origin = &h->origin.x;
  float *lower = &box.lower.x, *upper = &box.upper.x;
  for (int axis = 0; axis < 3; ++axis) {
    if (normal[axis] == 1.0) {
      upper[axis] = mo_round_up(origin[axis] - h->offset);
    } else if (normal[axis] == -1.0) {
      lower[axis] = mo_round_down(origin[axis] + h->offset);
    }
  }
  return box;
}

mo_half_space_body mo_half_space_grown(const mo_half_space_body *h, double by) {
  mo_half_space_body grown = *h;
  grown.offset -= by;
  grown.plane.offset = (float)((double)grown.plane.offset + by);
  return grown;
}

/* The term of one axis in the height of a box's lowest corner; 0 if the normal's component is zero,
 * as zero times an infinite side would be NaN. */
static double lowest_corner_term(double normal, double lower, double upper) {
  return normal != 0.0 ? normal * (normal > 0.0 ? lower : upper) : 0.0;
}

double mo_half_space_min_box_height(const mo_half_space_body *h, mo_aabb box) {
  mo_dvec3 lower = mo_dsub(mo_widen(box.lower), h->origin),
           upper = mo_dsub(mo_widen(box.upper), h->origin);
  return lowest_corner_term(h->normal.x, lower.x, upper.x) +
         lowest_corner_term(h->normal.y, lower.y, upper.y) +
         lowest_corner_term(h->normal.z, lower.z, upper.z) + h->offset;
}

double mo_half_space_max_box_distance(const mo_half_space_body *h, mo_aabb box) {
  mo_dvec3 n = h->normal;
  mo_dvec3 corner =
      mo_dvec(n.x > 0.0 ? box.upper.x : box.lower.x, n.y > 0.0 ? box.upper.y : box.lower.y,
              n.z > 0.0 ? box.upper.z : box.lower.z);
  return fmax(mo_half_space_height(h, corner), 0.0) +
         mo_half_space_height_error(h, mo_aabb_max_coordinates(box));
}
