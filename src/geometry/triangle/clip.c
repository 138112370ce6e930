/* Triangles cut by planes (Sutherland and Hodgman 1974), in double precision.
 *
 * The clipping is conservative: no part inside may be lost. Therefore each half-space is moved
 * outward by an allowance that exceeds the rounding error d of all cuts before it. Each point of
 * the exact result then has a point of the computed polygon within d, which is inside the moved
 * half-space. A cut point is computed by the ratio of two distances of opposite signs (without
 * cancellation) and lies on its edge to within 8 u m (u = 2^-53, m the magnitude of the
 * coordinates), so d grows by that much per cut. The polygon's vertices remain convex combinations
 * of the corners, to within the same error. */
#include <float.h>

#include "geometry/triangle/triangle.h"

/* A vertex of a clipped polygon, and its error bound as a multiple of the allowance. */
typedef struct clip_vertex {
  double p[3];
  double error;
} clip_vertex;

/* The largest number of vertices of a triangle after six cuts by the sides of a box. Each cut
 * increases the number by at most half, even if rounding makes the polygon non-convex. */
enum { MAX_BOX_CLIP_VERTICES = 32 };

/* Clips a polygon to the part where sign * (bound - coordinate) >= 0 on an axis. */
static int clip_axis(const clip_vertex *in, int count, int axis, double sign, double bound,
                     clip_vertex *out) {
  int kept = 0;
  const clip_vertex *previous = &in[count - 1];
  double previous_distance = sign * (bound - previous->p[axis]);
  for (int i = 0; i < count; ++i) {
    const clip_vertex *current = &in[i];
    double distance = sign * (bound - current->p[axis]);
    if ((distance >= 0.0) != (previous_distance >= 0.0)) {
      double t = previous_distance / (previous_distance - distance);
      clip_vertex *cut = &out[kept++];
      for (int k = 0; k < 3; ++k) {
        cut->p[k] = previous->p[k] + t * (current->p[k] - previous->p[k]);
      }
      cut->p[axis] = bound;
      cut->error = 1.0;
    }
    if (distance >= 0.0) {
      out[kept++] = *current;
    }
    previous = current;
    previous_distance = distance;
  }
  return kept;
}

mo_aabb mo_triangle_clip_bounds(const mo_vec3 corners[3], mo_aabb box) {
  mo_aabb whole = mo_aabb_add_point(
      mo_aabb_add_point((mo_aabb){corners[0], corners[0]}, corners[1]), corners[2]);
  if (mo_aabb_contains(box, whole)) {
    return whole;
  }
  if (!mo_aabb_overlap(box, whole) || mo_aabb_is_empty(box)) {
    return mo_aabb_empty();
  }

  clip_vertex buffers[2][MAX_BOX_CLIP_VERTICES];
  clip_vertex *polygon = buffers[0], *other = buffers[1];
  int count = 3;
  for (int i = 0; i < 3; ++i) {
    polygon[i] = (clip_vertex){{corners[i].x, corners[i].y, corners[i].z}, 0.0};
  }
  /* The sides of the box and of the triangle's bounds: lower, upper. */
  const double side[2][3] = {{box.lower.x, box.lower.y, box.lower.z},
                             {box.upper.x, box.upper.y, box.upper.z}};
  const double reach[2][3] = {{whole.lower.x, whole.lower.y, whole.lower.z},
                              {whole.upper.x, whole.upper.y, whole.upper.z}};
  double allowance[3];
  for (int axis = 0; axis < 3; ++axis) {
    /* Only the triangle's coordinates matter: a plane that cuts the triangle lies between them. */
    allowance[axis] = 64.0 * DBL_EPSILON * fmax(fabs(reach[0][axis]), fabs(reach[1][axis]));
  }
  for (int i = 0; i < 6 && count > 0; ++i) {
    const int axis = i / 2, upper = i % 2;
    const double sign = upper ? 1.0 : -1.0, bound = side[upper][axis] + sign * allowance[axis];
    if (sign * reach[upper][axis] > sign * bound) {
      count = clip_axis(polygon, count, axis, sign, bound, other);
      clip_vertex *swap = polygon;
      polygon = other;
      other = swap;
    }
  }

  double hull_lower[3] = {INFINITY, INFINITY, INFINITY};
  double hull_upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 3; ++k) {
      double x = polygon[i].p[k], error = polygon[i].error * allowance[k];
      hull_lower[k] = x - error < hull_lower[k] ? x - error : hull_lower[k];
      hull_upper[k] = x + error > hull_upper[k] ? x + error : hull_upper[k];
    }
  }
  /* Clamps the result to the box and to the triangle's bounds, which are floats already: this
   * removes what rounding added. */
  float result_lower[3], result_upper[3];
  for (int k = 0; k < 3; ++k) {
    double low = fmax(hull_lower[k], fmax(side[0][k], reach[0][k]));
    double high = fmin(hull_upper[k], fmin(side[1][k], reach[1][k]));
    if (!(low <= high)) {
      return mo_aabb_empty();
    }
    result_lower[k] = mo_round_down(low);
    result_upper[k] = mo_round_up(high);
  }
  return (mo_aabb){{result_lower[0], result_lower[1], result_lower[2]},
                   {result_upper[0], result_upper[1], result_upper[2]}};
}

bool mo_triangle_find_clipped_middle(const mo_dvec3 corners[3], mo_dvec3 lower, mo_dvec3 upper,
                                     mo_dvec3 *middle) {
  clip_vertex buffers[2][MAX_BOX_CLIP_VERTICES];
  int count = 3;
  for (int i = 0; i < 3; ++i) {
    buffers[0][i] = (clip_vertex){{corners[i].x, corners[i].y, corners[i].z}, 0.0};
  }
  const double low[3] = {lower.x, lower.y, lower.z}, high[3] = {upper.x, upper.y, upper.z};
  for (int axis = 0; axis < 3 && count > 0; ++axis) {
    count = clip_axis(buffers[0], count, axis, -1.0, low[axis], buffers[1]);
    count = count > 0 ? clip_axis(buffers[1], count, axis, 1.0, high[axis], buffers[0]) : 0;
  }
  *middle = (mo_dvec3){0.0, 0.0, 0.0};
  for (int i = 0; i < count; ++i) {
    const double *p = buffers[0][i].p;
    *middle = mo_dadd(*middle, mo_dscale(1.0 / count, mo_dvec(p[0], p[1], p[2])));
  }
  return count > 0;
}

/* The largest number of vertices of a triangle after cuts by arbitrary planes. A cut keeps one run
 * of consecutive vertices, so it adds at most one vertex. */
enum { MAX_PLANE_CLIP_VERTICES = 3 + MO_TRIANGLE_MAX_PLANES };

static mo_dvec3 cut_point(mo_dvec3 inside, double distance, mo_dvec3 outside, double beyond) {
  return mo_dadd(inside, mo_dscale(distance / (distance - beyond), mo_dsub(outside, inside)));
}

/* Clips a polygon by a plane; `distance`: of each vertex from the plane, negative for those
 * outside. */
static int clip_plane(mo_dvec3 *polygon, const double *distance, int count) {
  int deepest = 0;
  int outside = 0;
  for (int i = 0; i < count; ++i) {
    deepest = distance[i] > distance[deepest] ? i : deepest;
    outside += distance[i] < 0.0;
  }
  if (outside == 0 || outside == count || !(distance[deepest] >= 0.0)) {
    return outside == 0 ? count : 0;
  }
  /* The run of inside vertices around the deepest one. A convex polygon has only one such run; with
   * rounding, parts that are wrongly cut off are within the rounding error of the plane. */
  int first = deepest, last = deepest;
  int before = (first + count - 1) % count, after = (last + 1) % count;
  while (distance[before] >= 0.0) {
    first = before;
    before = (first + count - 1) % count;
  }
  while (distance[after] >= 0.0) {
    last = after;
    after = (last + 1) % count;
  }
  mo_dvec3 result[MAX_PLANE_CLIP_VERTICES];
  int kept = 0;
  result[kept++] = cut_point(polygon[first], distance[first], polygon[before], distance[before]);
  for (int i = first;; i = (i + 1) % count) {
    result[kept++] = polygon[i];
    if (i == last) {
      break;
    }
  }
  result[kept++] = cut_point(polygon[last], distance[last], polygon[after], distance[after]);
  for (int i = 0; i < kept; ++i) {
    polygon[i] = result[i];
  }
  return kept;
}

bool mo_triangle_overlaps_planes(const mo_dvec3 corners[3], const mo_plane *planes,
                                 uint32_t count) {
  mo_dvec3 polygon[MAX_PLANE_CLIP_VERTICES] = {corners[0], corners[1], corners[2]};
  mo_dvec3 reach = {fmax(fabs(corners[0].x), fmax(fabs(corners[1].x), fabs(corners[2].x))),
                    fmax(fabs(corners[0].y), fmax(fabs(corners[1].y), fabs(corners[2].y))),
                    fmax(fabs(corners[0].z), fmax(fabs(corners[1].z), fabs(corners[2].z)))};
  int vertices = 3;
  for (uint32_t i = 0; i < count; ++i) {
    mo_dvec3 normal = mo_widen(planes[i].normal);
    double offset = planes[i].offset;
    /* Exceeds the rounding errors of up to MO_TRIANGLE_MAX_PLANES earlier cuts and of a distance.
     */
    double allowance = 256.0 * DBL_EPSILON *
                       (fabs(normal.x) * reach.x + fabs(normal.y) * reach.y +
                        fabs(normal.z) * reach.z + fabs(offset));
    double distance[MAX_PLANE_CLIP_VERTICES];
    for (int k = 0; k < vertices; ++k) {
      distance[k] = mo_ddot(normal, polygon[k]) + offset + allowance;
    }
    vertices = clip_plane(polygon, distance, vertices);
    if (vertices == 0) {
      return false;
    }
  }
  return true;
}
