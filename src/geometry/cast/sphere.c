/* A moving ball against a triangle, by closed forms.
 *
 * The centre of the ball is cast, as a ray, against the triangle rounded by the radius: two faces,
 * three cylinders around the edges and three balls around the corners. If the path starts outside,
 * the first piece that it meets is the surface. So each piece is only clipped to its own
 * extent: parts of a piece that lie inside the rounded triangle are met later.
 *
 * Quadratic equations are solved relative to the point of closest approach. There the terms have
 * the magnitude of the ball and not that of the distance to it, which avoids cancellation (see
 * Haines, Guenther and Akenine-Moeller, "Precision Improvements for Ray/Sphere Intersection", Ray
 * Tracing Gems, 2019).
 */
#include "geometry/cast/sphere.h"

#include "geometry/triangle/triangle.h"

/* The first t at which the point m + t d is within `radius` of the origin; INFINITY if never,
 * negative if the point is that close at t = 0. */
static double ball_entry_time(mo_dvec3 m, mo_dvec3 d, double radius) {
  double square = mo_ddot(d, d);
  if (!(square > 0.0)) {
    return INFINITY;
  }
  double closest = -mo_ddot(m, d) / square;
  mo_dvec3 p = mo_dadd(m, mo_dscale(closest, d));
  double depth = radius * radius - mo_ddot(p, p);
  return depth >= 0.0 ? closest - sqrt(depth / square) : INFINITY;
}

/* The t at which the point m + t d enters the cylinder around an edge from 0 to `edge`; not through
 * the cylinder's ends. */
static double cylinder_entry_time(mo_dvec3 m, mo_dvec3 d, mo_dvec3 edge, double radius) {
  double square = mo_ddot(edge, edge);
  if (!(square > 0.0)) {
    return INFINITY;
  }
  double t = ball_entry_time(mo_perpendicular_component(m, edge),
                             mo_perpendicular_component(d, edge), radius);
  double along = mo_ddot(mo_dadd(m, mo_dscale(t, d)), edge);
  return along >= 0.0 && along <= square ? t : INFINITY;
}

/* The t at which the centre crosses the triangle, moved by the radius towards the side where the
 * centre starts; INFINITY if never. */
static double face_entry_time(const mo_dvec3 corners[3], mo_dvec3 d, double radius) {
  mo_dvec3 edge[3];
  for (int i = 0; i < 3; i++) {
    edge[i] = mo_dsub(corners[(i + 1) % 3], corners[i]);
  }
  mo_dvec3 normal = mo_dcross(edge[0], edge[1]);
  double length = mo_dlength(normal);
  if (!(length > 0.0)) {
    return INFINITY;
  }
  normal = mo_dscale(1.0 / length, normal);
  double height = -mo_ddot(normal, corners[0]);
  if (height < 0.0) {
    height = -height;
    normal = mo_dscale(-1.0, normal);
  }
  double speed = -mo_ddot(normal, d);
  if (!(speed > 0.0)) {
    return INFINITY;
  }
  double t = (height - radius) / speed;
  mo_dvec3 contact = mo_dsub(mo_dscale(t, d), mo_dscale(radius, normal));
  double min = INFINITY, max = -INFINITY;
  for (int i = 0; i < 3; i++) {
    double side = mo_ddot(mo_dcross(edge[i], mo_dsub(contact, corners[i])), normal);
    min = fmin(min, side);
    max = fmax(max, side);
  }
  return min >= 0.0 || max <= 0.0 ? t : INFINITY;
}

/* The earlier of two times; b does not count if it is negative. */
static double earlier(double a, double b) {
  return b >= 0.0 && b < a ? b : a;
}

double mo_cast_sphere_triangle(const mo_dvec3 corners[3], double radius, mo_dvec3 displacement) {
  mo_dvec3 closest = mo_triangle_closest_point(corners, mo_dvec(0.0, 0.0, 0.0));
  if (mo_ddot(closest, closest) <= radius * radius) {
    return 0.0;
  }
  double t = earlier(INFINITY, face_entry_time(corners, displacement, radius));
  for (int i = 0; i < 3; i++) {
    mo_dvec3 from_corner = mo_dscale(-1.0, corners[i]);
    mo_dvec3 edge = mo_dsub(corners[(i + 1) % 3], corners[i]);
    t = earlier(t, cylinder_entry_time(from_corner, displacement, edge, radius));
    t = earlier(t, ball_entry_time(from_corner, displacement, radius));
  }
  return t;
}
