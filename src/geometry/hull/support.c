/* Support mapping by hill climbing.
 *
 * If several vertices are equally far, the result is the one with the lowest index. Vertices are
 * sorted by x, then y, then z. Therefore the order "farther, or equally far with a lower index" is
 * the order along a slightly rotated direction, which is the same for all vertices. A vertex of a
 * convex polytope that is not the farthest along a direction has a neighbour that is farther, so
 * climbing by this order ends at the correct vertex, from any start. */
#include "geometry/hull/support.h"

#include "geometry/triangle/orient.h"

static uint32_t grid_coordinate(double along, double across) {
  double step = (0.5 * MO_HULL_DIRECTION_CELLS_PER_AXIS) * (1.0 + across / along);
  return step >= MO_HULL_DIRECTION_CELLS_PER_AXIS ? MO_HULL_DIRECTION_CELLS_PER_AXIS - 1
                                                  : (uint32_t)step;
}

/* The cell of a nonzero direction (an index into `start_vertices`). */
static uint32_t cell_of_direction(mo_dvec3 d) {
  double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
  uint32_t axis = (uint32_t)mo_largest_of_three(x, y, z);
  double max = axis == 0 ? d.x : axis == 1 ? d.y : d.z;
  double u = axis == 0 ? d.y : axis == 1 ? d.z : d.x, v = axis == 0 ? d.z : axis == 1 ? d.x : d.y;
  uint32_t side = 2 * axis + (max < 0.0);
  return (side * MO_HULL_DIRECTION_CELLS_PER_AXIS + grid_coordinate(fabs(max), u)) *
             MO_HULL_DIRECTION_CELLS_PER_AXIS +
         grid_coordinate(fabs(max), v);
}

void mo_hull_set_start_vertices(mo_hull *hull) {
  const uint32_t n = MO_HULL_DIRECTION_CELLS_PER_AXIS;
  uint32_t near = 0;
  if (hull->vertex_count <= MO_HULL_MAX_SCANNED_VERTICES) {
    return; /* such small hulls are scanned, which needs no start vertex */
  }
  for (uint32_t i = 0; i < MO_HULL_DIRECTION_CELL_COUNT; i++) {
    const uint32_t axis = i / (2 * n * n);
    const double max = i / (n * n) % 2 == 0 ? 1.0 : -1.0;
    const double u = (i / n % n + 0.5) / (0.5 * n) - 1.0, v = (i % n + 0.5) / (0.5 * n) - 1.0;
    mo_dvec3 d = axis == 0   ? mo_dvec(max, u, v)
                 : axis == 1 ? mo_dvec(v, max, u)
                             : mo_dvec(u, v, max);
    near = mo_hull_hill_climb(hull, d, near);
    hull->start_vertices[i] = near;
  }
}

uint32_t mo_hull_farthest_vertex(const mo_hull *hull, mo_dvec3 direction, uint32_t near) {
  if (hull->vertex_count <= MO_HULL_MAX_SCANNED_VERTICES) {
    return mo_hull_scan_by_isa[hull->isa](hull, direction);
  }
  double largest = mo_dmax_magnitude(direction);
  if (!(largest > 0.0)) {
    return 0;
  }
  mo_dvec3 d = mo_hull_scaled_direction(direction, largest);
  uint32_t start = hull->start_vertices[cell_of_direction(d)];
  if (near != MO_NONE && near != start &&
      mo_hull_compare(d, mo_hull_vertex(hull, near), mo_hull_vertex(hull, start)) > 0.0) {
    start = near;
  }
  return mo_hull_hill_climb(hull, d, start);
}

void mo_hull_support_pairs(const mo_hull *hull, const mo_d4vec *direction, uint32_t ends[2][3]) {
  if (hull->vertex_count <= MO_HULL_MAX_VERTICES_SCANNED_FOR_PAIRS) {
    mo_hull_scan_support_pairs_by_isa[hull->isa](hull, direction, ends);
    return;
  }
  for (int i = 0; i < 3; i++) {
    mo_dvec3 d = mo_dvec(direction->x[i], direction->y[i], direction->z[i]);
    ends[0][i] = mo_hull_farthest_vertex(hull, d, MO_NONE);
    ends[1][i] = mo_hull_farthest_vertex(hull, mo_dscale(-1.0, d), MO_NONE);
  }
}

/* A sum of two doubles and, exactly, its rounding error (Knuth). */
static double two_sum(double a, double b, double *error) {
  const double sum = a + b, of_b = sum - a, of_a = sum - of_b;
  *error += (a - of_a) + (b - of_b);
  return sum;
}

/* A product and, exactly unless it is denormal, its rounding error. */
static double two_product(double a, double b, double *error) {
  const double product = a * b;
  *error += mo_product_error(a, b, product);
  return product;
}

/* direction . (a - b) with twice the bits of a double. The error is below 2^-100 of the sum of
 * the magnitudes of the terms. Returns 0 where the error may change the sign, or where the
 * differences of coordinates are not exact. */
static double compare_in_double_double(mo_dvec3 direction, mo_vec3 a, mo_vec3 b) {
  double error = 0.0, inexact = 0.0;
  const double x = two_sum((double)a.x, -(double)b.x, &inexact),
               y = two_sum((double)a.y, -(double)b.y, &inexact),
               z = two_sum((double)a.z, -(double)b.z, &inexact);
  const double of_x = two_product(direction.x, x, &error),
               of_y = two_product(direction.y, y, &error),
               of_z = two_product(direction.z, z, &error);
  const double sum = two_sum(two_sum(of_x, of_y, &error), of_z, &error);
  const double magnitude = fabs(of_x) + fabs(of_y) + fabs(of_z);
  return inexact == 0.0 && magnitude > 0x1p-800 && fabs(sum + error) > 0x1p-100 * magnitude
             ? sum + error
             : 0.0;
}

double mo_hull_compare_exactly(mo_dvec3 direction, mo_vec3 a, mo_vec3 b) {
  const double close = compare_in_double_double(direction, a, b);
  if (close != 0.0) {
    return close;
  }
  mo_expansion e = {.count = 0};
  for (int axis = 0; axis < 3; axis++) {
    double d = axis == 0 ? direction.x : axis == 1 ? direction.y : direction.z;
    mo_expansion_add_product(&e, d, mo_get(a, axis));
    mo_expansion_add_product(&e, -d, mo_get(b, axis));
  }
  return mo_expansion_sign(&e);
}

uint32_t mo_hull_hill_climb(const mo_hull *hull, mo_dvec3 direction, uint32_t start) {
  uint32_t at = start;
  for (;;) {
    uint32_t best = at;
    mo_vec3 best_vertex = mo_hull_vertex(hull, at);
    for (uint32_t i = hull->first_neighbor[at]; i < hull->first_neighbor[at + 1]; i++) {
      uint32_t neighbor = hull->neighbors[i];
      mo_vec3 vertex = mo_hull_vertex(hull, neighbor);
      double farther = mo_hull_compare(direction, vertex, best_vertex);
      if (farther > 0.0 || (farther == 0.0 && neighbor < best)) {
        best = neighbor;
        best_vertex = vertex;
      }
    }
    if (best == at) {
      return at;
    }
    at = best;
  }
}
