/* The point of a triangle that is closest to a given point, and the test of triangle against ball
 * that uses it.
 *
 * The triangle's plane is spanned by the longest edge and the component of another edge
 * perpendicular to it, orthogonalized twice. Unlike dot products of edges (Ericson, Real-Time
 * Collision Detection, 2005, 5.1.5), this frame stays orthogonal for any sliver. Rounding only
 * tilts its short side about the long edge, which moves points of the triangle by no more than the
 * rounding error of the edge. If the projection of the point falls outside, or there is no plane,
 * the closest point lies on one of the three edges. */
#include <float.h>

#include "geometry/triangle/triangle.h"

/* The parameter from 0 to 1 of the point of an edge that is closest to `point`, which is relative
 * to the start of the edge. */
static double edge_parameter(mo_dvec3 edge, mo_dvec3 point) {
  double along = mo_ddot(point, edge), length = mo_ddot(edge, edge);
  return along <= 0.0 ? 0.0 : along >= length ? 1.0 : along / length;
}

void mo_triangle_closest_weights(const mo_dvec3 corners[3], mo_dvec3 point, double weights[3]) {
  mo_dvec3 edge[3];
  double length[3];
  int longest = 0;
  for (int k = 0; k < 3; ++k) {
    edge[k] = mo_dsub(corners[(k + 1) % 3], corners[k]);
    length[k] = mo_ddot(edge[k], edge[k]);
    longest = length[k] > length[longest] ? k : longest;
  }

  int start = longest, end = (longest + 1) % 3, apex = (longest + 2) % 3;
  mo_dvec3 base = edge[start];
  mo_dvec3 side = mo_dscale(-1.0, edge[apex]);
  double squared = length[start];
  if (squared > 0.0) {
    double shift = mo_ddot(side, base) / squared;
    mo_dvec3 height = mo_dsub(side, mo_dscale(shift, base));
    double correction = mo_ddot(height, base) / squared;
    height = mo_dsub(height, mo_dscale(correction, base));
    double height_squared = mo_ddot(height, height);
    if (height_squared > 16.0 * DBL_EPSILON * DBL_EPSILON * squared) {
      mo_dvec3 offset = mo_dsub(point, corners[start]);
      double t = mo_ddot(offset, height) / height_squared;
      double s = mo_ddot(offset, base) / squared - t * (shift + correction);
      if (t >= 0.0 && s >= 0.0 && s + t <= 1.0) {
        weights[start] = 1.0 - (s + t);
        weights[end] = s;
        weights[apex] = t;
        return;
      }
    }
  }

  double best = INFINITY, parameter = 0.0;
  int best_edge = 0;
  for (int k = 0; k < 3; ++k) {
    mo_dvec3 offset = mo_dsub(point, corners[k]);
    double t = edge_parameter(edge[k], offset);
    mo_dvec3 gap =
        t < 1.0 ? mo_dsub(offset, mo_dscale(t, edge[k])) : mo_dsub(point, corners[(k + 1) % 3]);
    double distance = mo_ddot(gap, gap);
    if (distance < best) {
      best = distance;
      best_edge = k;
      parameter = t;
    }
  }
  weights[best_edge] = 1.0 - parameter;
  weights[(best_edge + 1) % 3] = parameter;
  weights[(best_edge + 2) % 3] = 0.0;
}

static double clamp_to_range_of_three(double x, double a, double b, double c) {
  const double min = mo_dmin(a, mo_dmin(b, c)), max = mo_dmax(a, mo_dmax(b, c));
  return mo_dmin(mo_dmax(x, min), max) + 0.0; /* adding 0 removes -0 */
}

mo_dvec3 mo_triangle_point_at(const mo_dvec3 corners[3], const double weights[3]) {
  /* Computed relative to the corner with the largest weight: so rounding errors are relative to the
   * edges, and corners are exact. */
  int k = weights[1] > weights[0] ? 1 : 0;
  k = weights[2] > weights[k] ? 2 : k;
  int next = (k + 1) % 3, last = (k + 2) % 3;
  mo_dvec3 offset = mo_dadd(mo_dscale(weights[next], mo_dsub(corners[next], corners[k])),
                            mo_dscale(weights[last], mo_dsub(corners[last], corners[k])));
  mo_dvec3 closest = mo_dadd(corners[k], offset);
  return mo_dvec(clamp_to_range_of_three(closest.x, corners[0].x, corners[1].x, corners[2].x),
                 clamp_to_range_of_three(closest.y, corners[0].y, corners[1].y, corners[2].y),
                 clamp_to_range_of_three(closest.z, corners[0].z, corners[1].z, corners[2].z));
}

mo_dvec3 mo_triangle_closest_point(const mo_dvec3 corners[3], mo_dvec3 point) {
  double weights[3];
  mo_triangle_closest_weights(corners, point, weights);
  return mo_triangle_point_at(corners, weights);
}

bool mo_triangle_overlaps_sphere(const mo_dvec3 corners[3], mo_sphere sphere) {
  /* Computed relative to the ball's centre: so rounding errors are relative to the triangle's size
   * and its distance from the centre. */
  mo_dvec3 center = mo_widen(sphere.center), relative[3];
  double size = 0.0;
  for (int k = 0; k < 3; ++k) {
    relative[k] = mo_dsub(corners[k], center);
    size = fmax(size, fabs(relative[k].x) + fabs(relative[k].y) + fabs(relative[k].z));
  }
  mo_dvec3 closest = mo_triangle_closest_point(relative, mo_dvec(0.0, 0.0, 0.0));
  double reach = (double)sphere.radius + 16.0 * DBL_EPSILON * size;
  return mo_ddot(closest, closest) <= reach * reach;
}
