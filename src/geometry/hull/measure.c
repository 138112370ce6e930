/* Planes, volume, area and centre of a hull whose vertices and faces are known. */
#include "geometry/hull/build.h"
#include "math/aabb.h"

/* The offset of a face's plane that has all vertices of the hull on its inner side, exactly.
 *
 * No vertex is outside of the face's exact plane through `on`. The rounded normal differs from the
 * exact one by at most `tilt` per axis, so by the rounded normal no vertex is farther outside than
 * tilt * extent. The sum is rounded upward; products of floats are exact in double. */
static float containing_offset(const mo_hull *hull, mo_vec3 inward, mo_vec3 on, mo_dvec3 tilt) {
  mo_dvec3 extent = mo_coordinate_differences(hull->bounds.upper, hull->bounds.lower);
  mo_expansion sum = {.count = 0};
  mo_expansion_add(&sum, (double)inward.x * -(double)on.x);
  mo_expansion_add(&sum, (double)inward.y * -(double)on.y);
  mo_expansion_add(&sum, (double)inward.z * -(double)on.z);
  mo_expansion_add(&sum, (1.0 + 0x1p-50) * mo_ddot(tilt, extent));
  float offset = 0.0f + (float)mo_expansion_value(&sum);
  mo_expansion_add(&sum, -(double)offset);
  return mo_expansion_sign(&sum) > 0.0 ? nextafterf(offset, INFINITY) : offset;
}

/* An upper bound of the error of a normal's component that is rounded to float; before rounding,
 * the error is at most 2e-14. */
static double component_error(float rounded, double component) {
  return fabs((double)rounded - component) + 2e-14;
}

/* Sets the plane of a face. Returns twice the area of the triangle from which the plane is
 * computed. */
static double set_plane(const mo_hull *hull, mo_hull_polygon *face) {
  uint32_t n = face->count;
  mo_vec3 a = mo_hull_half_edge_start(hull, face->first),
          b = mo_hull_half_edge_start(hull, face->first + n / 3);
  mo_vec3 c = mo_hull_half_edge_start(hull, face->first + 2 * n / 3);
  mo_dvec3 normal = mo_orientation_normal(a, b, c), zero = mo_dvec(0.0, 0.0, 0.0);
  double length = mo_dlength(normal);
  normal = mo_dvec(normal.x / length, normal.y / length, normal.z / length);
  face->normal = mo_dadd(normal, zero); /* adding 0 removes -0 */
  mo_vec3 inward = mo_narrow(mo_dsub(zero, face->normal));
  mo_dvec3 tilt =
      mo_dvec(component_error(inward.x, -normal.x), component_error(inward.y, -normal.y),
              component_error(inward.z, -normal.z));
  bool exact = (a.x == b.x && b.x == c.x) || (a.y == b.y && b.y == c.y) ||
               (a.z == b.z && b.z == c.z); /* the face is perpendicular to an axis */
  face->plane.normal = inward;
  face->plane.offset = containing_offset(hull, inward, a, exact ? zero : tilt);
  return length;
}

/* Twice the area of a triangle. */
static double doubled_area(mo_vec3 a, mo_vec3 b, mo_vec3 c) {
  mo_dvec3 normal = mo_orientation_normal(a, b, c);
  return mo_dlength(normal);
}

static double face_area(const mo_hull *hull, const mo_hull_polygon *face) {
  double sum = 0.0;
  for (uint32_t i = 2; i < face->count; i++) {
    sum += doubled_area(mo_hull_half_edge_start(hull, face->first),
                        mo_hull_half_edge_start(hull, face->first + i - 1),
                        mo_hull_half_edge_start(hull, face->first + i));
  }
  return 0.5 * sum;
}

/* A sum of weighted points relative to vertex 0, for a centroid. */
typedef struct weighted_sum {
  mo_dvec3 sum;
  double weight;
} weighted_sum;

/* Adds the weighted centroid of a triangle, or of a tetrahedron with the further corner `vertex`.
 * `corners` is the number of corners, 3 or 4. */
static void add_moment(weighted_sum *m, double weight, double corners, const mo_vec3 triangle[3],
                       mo_vec3 vertex) {
  mo_dvec3 a = mo_coordinate_differences(triangle[0], vertex),
           b = mo_coordinate_differences(triangle[1], vertex);
  mo_dvec3 c = mo_coordinate_differences(triangle[2], vertex);
  m->sum = mo_dadd(m->sum, mo_dscale(weight / corners, mo_dadd(mo_dadd(a, b), c)));
  m->weight += weight;
}

static float clamped_to_float(double x, float lower, float upper) {
  float rounded = (float)x;
  return rounded < lower ? lower : rounded > upper ? upper : rounded;
}

/* Sets volume and centroid: sums the tetrahedra between vertex 0 and the faces that do not contain
 * vertex 0, none of negative volume. For a flat hull sums the triangles of one face. */
static void set_volume(mo_hull *hull) {
  /* The volume of each tetrahedron is relatively accurate to 2^-ACCURACY_BITS, even where its terms
   * cancel. */
  enum { ACCURACY_BITS = 30 };
  weighted_sum m = {{0.0, 0.0, 0.0}, 0.0};
  mo_vec3 vertex = mo_hull_vertex(hull, 0);
  uint32_t face_count = hull->flat ? 1 : hull->face_count;
  for (uint32_t i = 0; i < face_count; i++) {
    const mo_hull_polygon *face = &hull->faces[i];
    if (!hull->flat && hull->half_edges[face->first].vertex == 0) {
      continue; /* the face contains vertex 0: its lowest vertex comes first */
    }
    for (uint32_t k = 2; k < face->count; k++) {
      const mo_vec3 c[4] = {mo_hull_half_edge_start(hull, face->first),
                            mo_hull_half_edge_start(hull, face->first + k - 1),
                            mo_hull_half_edge_start(hull, face->first + k), vertex};
      double weight = hull->flat ? doubled_area(c[0], c[1], c[2])
                                 : -mo_orientation(c, ldexp(1.0, -ACCURACY_BITS));
      add_moment(&m, weight, hull->flat ? 3.0 : 4.0, c, vertex);
    }
  }
  hull->volume = hull->flat ? 0.0 : m.weight / 6.0;
  mo_dvec3 centroid = mo_dadd(mo_widen(vertex), mo_dscale(1.0 / m.weight, m.sum));
  mo_aabb box = hull->bounds;
  hull->centroid = mo_vec(clamped_to_float(centroid.x, box.lower.x, box.upper.x),
                          clamped_to_float(centroid.y, box.lower.y, box.upper.y),
                          clamped_to_float(centroid.z, box.lower.z, box.upper.z));
}

/* The vertex with the largest `measure`, a distance from the points, line or plane `from`; of
 * equally far vertices, the lowest. */
static uint32_t farthest_vertex(const mo_hull *hull, const mo_dvec3 from[3],
                                double (*measure)(const mo_dvec3 from[3], mo_dvec3 point)) {
  uint32_t best = 0;
  double max = -1.0;
  for (uint32_t i = 0; i < hull->vertex_count; i++) {
    double distance = measure(from, mo_widen(mo_hull_vertex(hull, i)));
    if (distance > max) {
      max = distance;
      best = i;
    }
  }
  return best;
}

static double distance_from_point(const mo_dvec3 from[3], mo_dvec3 point) {
  return mo_dsquare(mo_dsub(point, from[0]));
}

static double distance_from_line(const mo_dvec3 from[3], mo_dvec3 point) {
  return mo_dsquare(mo_dcross(mo_dsub(from[1], from[0]), mo_dsub(point, from[0])));
}

static double distance_from_plane(const mo_dvec3 from[3], mo_dvec3 point) {
  mo_dvec3 normal = mo_dcross(mo_dsub(from[1], from[0]), mo_dsub(from[2], from[0]));
  return fabs(mo_ddot(normal, mo_dsub(point, from[0])));
}

/* Sets `far_vertices`, the centre, the half extents and a bounding ball. */
static void set_center(mo_hull *hull) {
  mo_dvec3 from[3] = {mo_widen(mo_hull_vertex(hull, 0))};
  uint32_t *corner = hull->far_vertices;
  corner[0] = farthest_vertex(hull, from, distance_from_point);
  from[0] = mo_widen(mo_hull_vertex(hull, corner[0]));
  corner[1] = farthest_vertex(hull, from, distance_from_point);
  from[1] = mo_widen(mo_hull_vertex(hull, corner[1]));
  corner[2] = farthest_vertex(hull, from, distance_from_line);
  from[2] = mo_widen(mo_hull_vertex(hull, corner[2]));
  corner[3] = hull->flat ? corner[2] : farthest_vertex(hull, from, distance_from_plane);
  mo_dvec3 sum = mo_dadd(mo_dadd(from[0], from[1]), from[2]);
  hull->center = mo_dscale(0.25, mo_dadd(sum, mo_widen(mo_hull_vertex(hull, corner[3]))));
  mo_dvec3 up = mo_dsub(mo_widen(hull->bounds.upper), hull->center);
  mo_dvec3 down = mo_dsub(hull->center, mo_widen(hull->bounds.lower));
  hull->half = mo_dvec(fmax(up.x, down.x), fmax(up.y, down.y), fmax(up.z, down.z));
  mo_dvec3 lower = mo_widen(hull->bounds.lower), upper = mo_widen(hull->bounds.upper);
  hull->bounds_center = mo_dscale(0.5, mo_dadd(lower, upper));
  double square = 0.0;
  for (uint32_t i = 0; i < hull->vertex_count; i++) {
    mo_dvec3 out = mo_dsub(mo_widen(mo_hull_vertex(hull, i)), hull->bounds_center);
    /* Not by fmax, as gcc 12 for AArch64 ends with an internal error over the loop. */
    square = mo_dsquare(out) > square ? mo_dsquare(out) : square;
  }
  hull->radius = sqrt(square) * (1.0 + 0x1p-45);
}

static void set_heights(mo_hull *hull) {
  for (uint32_t i = 0; i < hull->face_count; i++) {
    mo_hull_polygon *face = &hull->faces[i];
    face->height = -INFINITY;
    for (uint32_t k = 0; k < face->count; k++) {
      uint32_t vertex = hull->half_edges[face->first + k].vertex;
      face->height =
          fmax(face->height, mo_ddot(face->normal, mo_hull_centered_vertex(hull, vertex)));
    }
  }
}

void mo_hull_measure(mo_hull *hull) {
  hull->bounds = mo_aabb_empty();
  for (uint32_t i = 0; i < hull->vertex_count; i++) {
    hull->bounds = mo_aabb_add_point(hull->bounds, mo_hull_vertex(hull, i));
  }
  hull->reach = mo_aabb_max_coordinates(hull->bounds);
  hull->surface_area = 0.0;
  for (uint32_t i = 0; i < hull->face_count; i++) {
    mo_hull_polygon *face = &hull->faces[i];
    double doubled = set_plane(hull, face);
    hull->surface_area += face->count == 3 ? 0.5 * doubled : face_area(hull, face);
  }
  set_volume(hull);
  set_center(hull);
  set_heights(hull);
}
