/* Finds on which side of a triangle's plane a ray begins or ends, in double precision with an error
 * bound. If the bound leaves the side of the start open, an exact sum decides. */
#include "geometry/ray/ends.h"

#include "geometry/triangle/degenerate.h"
#include "geometry/triangle/orient.h"

/* The largest correction of t, relative to the triangle's coordinates along the ray, and of points,
 * relative to their coordinates: 16 u (u = 2^-24), which is well within the culling margin. */
#define MAX_RELATIVE_CORRECTION 0x1p-20

static int sign_of(double x) {
  return (x > 0.0) - (x < 0.0);
}

int mo_plane_side_exactly(const mo_vec3 corners[3], mo_vec3 point) {
  const mo_vec3 points[4] = {corners[0], corners[1], corners[2], point};
  return -sign_of(mo_orientation(points, 1.0));
}

/* The orientation of the points a, b and p in the plane, exactly: a left turn (1), a right turn
 * (-1) or collinear (0). */
static int orientation_2d(const double a[2], const double b[2], const double p[2]) {
  double left = (a[0] - p[0]) * (b[1] - p[1]), right = (a[1] - p[1]) * (b[0] - p[0]);
  if (mo_differ_surely(left, right)) {
    return sign_of(left - right);
  }
  const double x[3] = {a[0], b[0], p[0]}, y[3] = {a[1], b[1], p[1]};
  return sign_of(mo_doubled_area_2d(x, y));
}

/* A triangle's plane relative to the start of a ray. */
typedef struct plane {
  mo_dvec3 normal,
      normal_term_magnitudes; /* normal_term_magnitudes: for each component of `normal`, the sum of
                the magnitudes of its products, for error bounds */
  mo_dvec3 to_corner;         /* from the start of the ray to corner 0 */
} plane;

static double dot_of_magnitudes(mo_dvec3 a, mo_dvec3 b) {
  return mo_ddot(mo_dabs(a), mo_dabs(b));
}

static plane plane_of(const mo_vec3 c[3], mo_vec3 start) {
  mo_dvec3 a = mo_dsub(mo_widen(c[1]), mo_widen(c[0])), b = mo_dsub(mo_widen(c[2]), mo_widen(c[0]));
  return (plane){
      .normal = mo_dcross(a, b),
      .normal_term_magnitudes = mo_cross_term_magnitudes(a, b),
      .to_corner = mo_dsub(mo_widen(c[0]), mo_widen(start)),
  };
}

/* Whether the start or the end of a ray lies in a triangle to within the margin. `height`: the
 * point's distance from the plane, times the length of the normal. The point may be moved along one
 * axis, by a margin: the axis along which this moves the point farthest relative to the plane.
 * Projected along that axis, the point must lie in the triangle exactly. */
static bool lies_in_triangle(const mo_ray *ray, const mo_vec3 c[3], const plane *p, mo_vec3 point,
                             double height) {
  const double normal[3] = {fabs(p->normal.x), fabs(p->normal.y), fabs(p->normal.z)};
  int axis = 0;
  double max_margin = 0.0;
  for (int a = 0; a < 3; a++) {
    float reach = mo_max(fabsf(mo_get(point, a)), fabsf(ray->origin[a]));
    for (int i = 0; i < 3; i++) {
      reach = mo_max(reach, fabsf(mo_get(c[i], a)));
    }
    /* The margin is not 0, so that an axis on which all coordinates are 0 can be the projection
     * axis. */
    double margin = MAX_RELATIVE_CORRECTION * (reach > 0.0f ? (double)reach : 1e-99) * normal[a];
    if (margin > max_margin) {
      max_margin = margin;
      axis = a;
    }
  }
  if (!(max_margin > 0.0) || fabs(height) > max_margin) {
    return false;
  }
  int x = (axis + 1) % 3, y = (axis + 2) % 3;
  double corner[3][2];
  for (int i = 0; i < 3; i++) {
    corner[i][0] = mo_get(c[i], x);
    corner[i][1] = mo_get(c[i], y);
  }
  const double at[2] = {mo_get(point, x), mo_get(point, y)};
  int min = 1, max = -1;
  for (int i = 0; i < 3; i++) {
    int side = orientation_2d(corner[i], corner[(i + 1) % 3], at);
    min = side < min ? side : min;
    max = side > max ? side : max;
  }
  return min != -max; /* false: outside of an edge, or the projection is flat */
}

/* The sign of t (or of t - 1), given the sign `side` of dot(normal, corner - point) for the start
 * (or the end) of a ray. `front`: the ray hits the front, so it goes against the normal. */
static int sign_of_t(int side, bool front) {
  return front ? -side : side;
}

static float correct_t_at_start(const mo_ray *ray, const mo_vec3 corners[3], const plane *p,
                                bool front, float t, double margin) {
  mo_vec3 start = mo_vec(ray->origin[0], ray->origin[1], ray->origin[2]);
  double height = mo_ddot(p->normal, p->to_corner),
         terms = dot_of_magnitudes(p->normal_term_magnitudes, p->to_corner);
  int side = sign_of(height);
  if (fabs(height) <= 0x1p-48 * terms && terms > 0.0) {
    side = mo_plane_side_exactly(corners, start);
    height = side == 0 ? 0.0 : height;
  }
  int sign = sign_of_t(side, front);
  if (sign < 0) {
    return -1.0f;
  }
  bool right = sign == 0 ? t == 0.0f : t >= 0.0f;
  return right || !(fabs((double)t) <= margin || lies_in_triangle(ray, corners, p, start, height))
             ? t
             : 0.0f;
}

static float correct_t_at_end(const mo_ray *ray, const mo_vec3 corners[3], const plane *p,
                              bool front, float t, double margin) {
  mo_dvec3 direction = mo_dvec(ray->direction[0], ray->direction[1], ray->direction[2]);
  mo_vec3 end = mo_vec(ray->origin[0] + ray->direction[0], ray->origin[1] + ray->direction[1],
                       ray->origin[2] + ray->direction[2]);
  double height = mo_ddot(p->normal, mo_dsub(p->to_corner, direction));
  double terms = dot_of_magnitudes(p->normal_term_magnitudes, p->to_corner) +
                 dot_of_magnitudes(p->normal_term_magnitudes, direction);
  float settled = 1.0f;
  bool right = t == 1.0f;
  if (fabs(height) > 0x1p-24 * dot_of_magnitudes(p->normal, direction) + 0x1p-48 * terms) {
    bool beyond = sign_of_t(sign_of(height), front) > 0;
    settled = nextafterf(1.0f, beyond ? 2.0f : 0.0f);
    right = beyond ? t > 1.0f : t < 1.0f;
  }
  return right || !(fabs((double)t - 1.0) <= margin ||
                    lies_in_triangle(ray, corners, p, end, height))
             ? t
             : settled;
}

float mo_ray_correct_t(const mo_ray *ray, const mo_vec3 corners[3], const float z[3], bool front,
                       float t) {
  plane p = plane_of(corners, mo_vec(ray->origin[0], ray->origin[1], ray->origin[2]));
  float along = ray->direction[ray->kz];
  float min = mo_min(mo_min(z[0], z[1]), z[2]), max = mo_max(mo_max(z[0], z[1]), z[2]);
  double margin =
      MAX_RELATIVE_CORRECTION * (double)mo_max(fabsf(min), fabsf(max)) / fabs((double)along);
  /* The start is handled last: for a very large triangle, rounding may put t at either end. */
  if (mo_lies_between(min, max, along)) {
    t = correct_t_at_end(ray, corners, &p, front, t, margin);
  }
  if (mo_lies_between(min, max, 0.0f)) {
    t = correct_t_at_start(ray, corners, &p, front, t, margin);
  }
  return t;
}
