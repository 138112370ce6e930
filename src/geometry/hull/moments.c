/* Moments of hulls. A hull is a sum of tetrahedra from one vertex, none of negative volume. The
 * points within a radius of it are, besides, a prism on each face, a sector of a cylinder along
 * each edge, and a sector of a ball at each vertex (Steiner's formula, with moments). All
 * directions of these sectors together are those of one ball, so that most terms of the sectors of
 * balls cancel. */
#include "geometry/hull/hull.h"
#include "geometry/triangle/orient.h"
#include "math/angle.h"

/* The volume of each tetrahedron is relatively accurate to 2^-ACCURACY_BITS, even where its terms
 * cancel. */
enum { ACCURACY_BITS = 40 };

/* Adds the integral of x x' over a triangle or a tetrahedron: its size, divided by 12 or 20, times
 * the sum of p p' over its corners p and over the sum of the corners. */
static mo_symmetric_matrix add_simplex(mo_symmetric_matrix second, double share,
                                       const mo_dvec3 *corners, int count) {
  mo_dvec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < count; i++) {
    second = mo_add_outer_square(second, share, corners[i]);
    sum = mo_dadd(sum, corners[i]);
  }
  return mo_add_outer_square(second, share, sum);
}

static mo_dvec3 vertex_relative_to(mo_dvec3 point, mo_vec3 vertex) {
  return mo_dsub(mo_widen(vertex), point);
}

/* Adds the hull itself, as tetrahedra, with moments about a point. */
static void add_tetrahedra(const mo_hull *hull, mo_dvec3 point, mo_moment_sum *sum) {
  mo_vec3 apex = mo_hull_vertex(hull, 0);
  for (uint32_t i = 0; i < hull->face_count && !hull->flat; i++) {
    const mo_hull_polygon *face = &hull->faces[i];
    if (hull->half_edges[face->first].vertex == 0) {
      continue; /* the face contains vertex 0: its lowest vertex comes first */
    }
    for (uint32_t k = 2; k < face->count; k++) {
      const mo_vec3 c[4] = {mo_hull_half_edge_start(hull, face->first),
                            mo_hull_half_edge_start(hull, face->first + k - 1),
                            mo_hull_half_edge_start(hull, face->first + k), apex};
      const mo_dvec3 p[4] = {vertex_relative_to(point, c[0]), vertex_relative_to(point, c[1]),
                             vertex_relative_to(point, c[2]), vertex_relative_to(point, c[3])};
      double volume = -mo_orientation(c, ldexp(1.0, -ACCURACY_BITS)) / 6.0;
      mo_dvec3 corners = mo_dadd(mo_dadd(p[0], p[1]), mo_dadd(p[2], p[3]));
      sum->volume += volume;
      sum->first = mo_dadd(sum->first, mo_dscale(0.25 * volume, corners));
      sum->second = add_simplex(sum->second, volume / 20.0, p, 4);
    }
  }
}

/* Adds the prism of height r on a face: the points y + h n, for points y of the face and its normal
 * n. */
static void add_prism(const mo_hull *hull, const mo_hull_polygon *face, mo_dvec3 point, double r,
                      mo_moment_sum *sum) {
  mo_dvec3 n = face->normal;
  for (uint32_t k = 2; k < face->count; k++) {
    mo_vec3 a = mo_hull_half_edge_start(hull, face->first),
            b = mo_hull_half_edge_start(hull, face->first + k - 1);
    mo_vec3 c = mo_hull_half_edge_start(hull, face->first + k);
    const mo_dvec3 p[3] = {vertex_relative_to(point, a), vertex_relative_to(point, b),
                           vertex_relative_to(point, c)};
    double area = 0.5 * mo_dlength(mo_orientation_normal(a, b, c));
    mo_dvec3 middle = mo_dscale(1.0 / 3.0, mo_dadd(mo_dadd(p[0], p[1]), p[2]));
    sum->volume += area * r;
    sum->first = mo_dadd(sum->first, mo_dscale(area * r, mo_dadd(middle, mo_dscale(0.5 * r, n))));
    sum->second = add_simplex(sum->second, area * r / 12.0, p, 3);
    sum->second = mo_add_outer_product(sum->second, 0.5 * area * r * r, middle, n);
    sum->second = mo_add_outer_square(sum->second, area * r * r * r / 3.0, n);
  }
}

/* Adds the sector of a cylinder of radius r along an edge, and those terms of the sectors of balls
 * at its ends that depend on the edge. The sector spans the directions u = n cos(angle) + m
 * sin(angle), from the normal of one face to that of the other. */
static void add_sector(const mo_hull *hull, const mo_hull_half_edge *side, mo_dvec3 point, double r,
                       mo_moment_sum *sum) {
  const mo_hull_half_edge *twin = &hull->half_edges[side->twin];
  mo_dvec3 from = vertex_relative_to(point, mo_hull_vertex(hull, side->vertex));
  mo_dvec3 to = vertex_relative_to(point, mo_hull_vertex(hull, twin->vertex));
  mo_dvec3 along = mo_dsub(to, from), middle = mo_dscale(0.5, mo_dadd(from, to));
  double length = mo_dlength(along);
  mo_dvec3 n = hull->faces[side->face].normal, next = hull->faces[twin->face].normal;
  mo_dvec3 m = mo_dunit(mo_dcross(along, n)); /* in the face's plane, pointing away from it */
  double angle = mo_angle_of_point(fmax(mo_ddot(next, m), 0.0), mo_ddot(next, n)), sine, cosine;
  mo_sin_cos(angle, &sine, &cosine);
  double area = 0.5 * r * r * angle, cubed = r * r * r / 3.0, fourth = r * r * r * r / 4.0;
  mo_dvec3 lever = mo_dadd(mo_dscale(cubed * sine, n), mo_dscale(cubed * (1.0 - cosine), m));
  sum->volume += length * area;
  sum->first = mo_dadd(sum->first, mo_dscale(length, mo_dadd(mo_dscale(area, middle), lever)));
  mo_symmetric_matrix second = sum->second;
  second = mo_add_outer_square(second, length * area, middle);
  second = mo_add_outer_square(second, length * area / 12.0, along);
  second = mo_add_outer_product(second, length, middle, lever);
  /* The integral of u u' over the directions u. */
  double slice = length * fourth;
  second = mo_add_outer_square(second, 0.5 * slice * (angle + sine * cosine), n);
  second = mo_add_outer_square(second, 0.5 * slice * (angle - sine * cosine), m);
  second = mo_add_outer_product(second, 0.5 * slice * sine * sine, n, m);
  /* The integrals of u over the sectors of balls at both ends differ by the angle times the edge's
   * direction, in opposite directions. */
  sum->second = mo_add_outer_square(second, fourth * angle / length, along);
}

/* The angle of a face at the vertex where a half-edge begins. */
static double corner_angle(const mo_hull *hull, uint32_t half_edge) {
  const mo_hull_half_edge *edges = hull->half_edges;
  mo_vec3 at = mo_hull_vertex(hull, edges[half_edge].vertex);
  mo_dvec3 u = mo_coordinate_differences(
      mo_hull_vertex(hull, edges[mo_hull_next(hull, half_edge)].vertex), at);
  mo_dvec3 v = mo_coordinate_differences(
      mo_hull_vertex(hull, edges[mo_hull_previous(hull, half_edge)].vertex), at);
  return mo_angle_of_point(mo_dlength(mo_dcross(u, v)), mo_ddot(u, v));
}

/* Adds the sectors of balls at all vertices: the solid angle at a vertex is a full turn less the
 * angles of its faces there. */
static void add_balls(const mo_hull *hull, mo_dvec3 point, double r, mo_moment_sum *sum) {
  double third = r * r * r / 3.0;
  sum->volume += 4.0 * MO_PI * third;
  double fifth = 4.0 * MO_PI * third * r * r / 5.0; /* integral of x^2 over a ball */
  sum->second.xx += fifth;
  sum->second.yy += fifth;
  sum->second.zz += fifth;
  for (uint32_t i = 0; i < hull->vertex_count; i++) {
    mo_dvec3 v = vertex_relative_to(point, mo_hull_vertex(hull, i));
    sum->first = mo_dadd(sum->first, mo_dscale(2.0 * MO_PI * third, v));
    sum->second = mo_add_outer_square(sum->second, 2.0 * MO_PI * third, v);
  }
  for (uint32_t h = 0; h < hull->half_edge_count; h++) {
    mo_dvec3 v = vertex_relative_to(point, mo_hull_vertex(hull, hull->half_edges[h].vertex));
    double angle = corner_angle(hull, h);
    sum->first = mo_dsub(sum->first, mo_dscale(angle * third, v));
    sum->second = mo_add_outer_square(sum->second, -angle * third, v);
  }
}

mo_moments mo_hull_find_moments(const mo_hull *hull, double rounding) {
  mo_dvec3 point = mo_widen(hull->centroid);
  mo_moment_sum sum = {.volume = 0.0};
  add_tetrahedra(hull, point, &sum);
  if (rounding > 0.0) {
    for (uint32_t i = 0; i < hull->face_count; i++) {
      add_prism(hull, &hull->faces[i], point, rounding, &sum);
    }
    for (uint32_t h = 0; h < hull->half_edge_count; h++) {
      if (h < hull->half_edges[h].twin) {
        add_sector(hull, &hull->half_edges[h], point, rounding, &sum);
      }
    }
    add_balls(hull, point, rounding, &sum);
  }
  return mo_moments_of_sum(&sum, point, point);
}
