/* Finds the feature (vertex, edge or face) of a body that reaches farthest along a direction.
 * Boxes, cylinders and the like, before rounding, are Minkowski sums of segments and a disc, which
 * are tested one by one. */
#include "geometry/body/body.h"

#include "base/memory.h"
#include "geometry/hull/hull.h"
#include "geometry/solid/solids.h"

/* Feature indices of cylinders and cones (mo_feature). */
enum { CURVED_SIDE_FACE = 2, APEX_VERTEX = 0 };

static mo_body_feature vertex(uint32_t index) {
  return (mo_body_feature){MO_FEATURE_VERTEX, index};
}

static mo_body_feature edge(uint32_t index) {
  return (mo_body_feature){MO_FEATURE_EDGE, index};
}

static mo_body_feature face(uint32_t index) {
  return (mo_body_feature){MO_FEATURE_FACE, index};
}

/* The absolute cosine of the angle between a vector and the unit vector n; 2 for a zero vector. */
static double absolute_cosine(mo_dvec3 v, mo_dvec3 n) {
  double length = mo_dlength(v);
  return length > 0.0 ? fabs(mo_ddot(v, n)) / length : 2.0;
}

/* Whether a unit normal is parallel to the unit vector n, in the same or the opposite direction. */
static bool is_parallel(mo_dvec3 normal, mo_dvec3 n) {
  return mo_ddot(normal, normal) > 0.0 &&
         mo_dlength(mo_dcross(normal, n)) <= MO_FACE_ANGLE_TOLERANCE;
}

/* The feature of a Minkowski sum of up to three segments: of a point, segment, parallelogram or
 * box. Bit i of a corner's number is set if the corner adds segment i, clear if it subtracts the
 * segment. */
static mo_body_feature feature_of_segments(const mo_solid_image *sum, mo_dvec3 n) {
  uint32_t corner = 0;
  int level = 0, last_level = 0, steepest = 0;
  double max = -1.0;
  for (int i = 0; i < sum->segment_count; i++) {
    double slope = absolute_cosine(sum->segment[i], n);
    corner |= mo_ddot(sum->segment[i], n) > 0.0 ? 1u << i : 0;
    if (slope <= MO_EDGE_ANGLE_TOLERANCE) {
      level++;
      last_level = i;
    }
    if (slope > max) {
      max = slope;
      steepest = i;
    }
  }
  if (level == 0) {
    return vertex(corner);
  }
  if (sum->segment_count == 1) {
    return edge(0);
  }
  return level == 1 ? edge((uint32_t)last_level * 8 + (corner & ~(1u << last_level)))
                    : face((uint32_t)steepest * 2 + (corner >> steepest & 1));
}

mo_dvec3 mo_corners_normal(const mo_dvec3 corners[3]) {
  mo_dvec3 e = mo_dsub(corners[1], corners[0]), g = mo_dsub(corners[2], corners[0]);
  mo_dvec3 normal = mo_dcross(e, g);
  return mo_dlength(normal) > 0x1p-40 * mo_dlength(e) * mo_dlength(g) ? mo_dunit(normal)
                                                                      : mo_dvec(0.0, 0.0, 0.0);
}

static mo_body_feature feature_of_triangle(const mo_dvec3 corners[3], mo_dvec3 n) {
  if (is_parallel(mo_corners_normal(corners), n)) {
    return face(0);
  }
  double height[3];
  for (int i = 0; i < 3; i++) { /* heights relative to corner 0, which reduces rounding */
    height[i] = mo_ddot(mo_dsub(corners[i], corners[0]), n);
  }
  int top = mo_largest_of_three(height[0], height[1], height[2]);
  double min = MO_EDGE_ANGLE_TOLERANCE;
  mo_body_feature found = vertex((uint32_t)top);
  for (int side = 0; side < 2; side++) {
    int i = (top + 2 * side) % 3;
    double slope = absolute_cosine(mo_dsub(corners[(i + 1) % 3], corners[i]), n);
    if (slope <= min) {
      min = slope;
      found = edge((uint32_t)i);
    }
  }
  return found;
}

/* Sets the columns of a map's cofactor matrix, which maps outward normals to outward normals. */
static void set_cofactor_columns(const mo_dvec3 column[3], mo_dvec3 cofactor[3]) {
  for (int i = 0; i < 3; i++) {
    cofactor[i] = mo_dcross(column[(i + 1) % 3], column[(i + 2) % 3]);
  }
  double sign = mo_ddot(cofactor[0], column[0]) < 0.0 ? -1.0 : 1.0;
  for (int i = 0; i < 3; i++) {
    cofactor[i] = mo_dscale(sign, cofactor[i]);
  }
}

mo_dvec3 mo_hull_face_normal(const mo_hull *hull, const mo_dvec3 column[3], uint32_t face) {
  mo_dvec3 cofactor[3];
  set_cofactor_columns(column, cofactor);
  return mo_dunit(mo_map_columns(cofactor, hull->faces[face].normal));
}

uint32_t mo_hull_face_along(const mo_hull *hull, const mo_dvec3 column[3], mo_dvec3 n,
                            mo_dvec3 *normal) {
  uint32_t farthest = mo_hull_farthest_vertex(hull, mo_map_rows(column, n), MO_NONE),
           best = MO_NONE;
  mo_dvec3 cofactor[3];
  set_cofactor_columns(column, cofactor);
  double max = -2.0;
  const uint32_t first = hull->first_half_edge[farthest];
  uint32_t i = first;
  do {
    uint32_t which = hull->half_edges[i].face;
    mo_dvec3 mapped = mo_dunit(mo_map_columns(cofactor, hull->faces[which].normal));
    double aligned = mo_ddot(mapped, n);
    if (mo_ddot(mapped, mapped) > 0.0 && (aligned > max || (aligned == max && which < best))) {
      max = aligned;
      best = which;
      *normal = mapped;
    }
    i = hull->half_edges[mo_hull_previous(hull, i)].twin;
  } while (i != first);
  return best;
}

/* The index of a half-edge's edge in mo_hull_get_edges: its rank among the half-edges that begin at
 * the lower one of their two vertices. */
static uint32_t edge_index(const mo_hull *hull, uint32_t half_edge) {
  const mo_hull_half_edge *edges = hull->half_edges;
  uint32_t twin = edges[half_edge].twin, number = 0;
  uint32_t counted = edges[half_edge].vertex < edges[twin].vertex ? half_edge : twin;
  for (uint32_t i = 0; i < counted; i++) {
    number += edges[i].vertex < edges[edges[i].twin].vertex;
  }
  return number;
}

static mo_body_feature feature_of_hull(const mo_hull *hull, const mo_dvec3 column[3], mo_dvec3 n) {
  mo_dvec3 normal;
  uint32_t best = mo_hull_face_along(hull, column, n, &normal);
  if (best != MO_NONE && is_parallel(normal, n)) {
    return face(best);
  }
  uint32_t farthest = mo_hull_farthest_vertex(hull, mo_map_rows(column, n), MO_NONE);
  mo_dvec3 from = mo_widen(mo_hull_vertex(hull, farthest));
  double min = MO_EDGE_ANGLE_TOLERANCE;
  best = MO_NONE;
  for (uint32_t i = 0; i < hull->half_edge_count; i++) {
    const mo_hull_half_edge *side = &hull->half_edges[i];
    if (side->vertex == farthest) {
      mo_dvec3 to = mo_widen(mo_hull_vertex(hull, hull->half_edges[side->twin].vertex));
      double slope = absolute_cosine(mo_map_columns(column, mo_dsub(to, from)), n);
      if (slope <= min) {
        min = slope;
        best = i;
      }
    }
  }
  return best != MO_NONE ? edge(edge_index(hull, best)) : vertex(farthest);
}

static mo_body_feature feature_of_cylinder_or_cone(const mo_solid_image *sum, mo_dvec3 n) {
  const mo_dvec3 *disc = sum->disc;
  mo_dvec3 axis = sum->segment[0]; /* from the centre to the end b */
  bool end_b = mo_ddot(axis, n) >= 0.0;
  mo_dvec3 across = mo_dcross(disc[0], disc[1]);
  double size = fmax(mo_ddot(disc[0], disc[0]), mo_ddot(disc[1], disc[1]));
  bool has_end = mo_dlength(across) > 0x1p-40 * size;
  if (has_end && (end_b || !sum->is_cone) && is_parallel(mo_dunit(across), n)) {
    return face(end_b);
  }
  /* The straight line on the curved side that is farthest along n, from the end a or the apex to
   * the end b. */
  double u = mo_ddot(disc[0], n), v = mo_ddot(disc[1], n), width = sqrt(u * u + v * v);
  mo_dvec3 line = mo_dscale(2.0, axis);
  if (sum->is_cone && width > 0.0) {
    line = mo_dadd(line, mo_dadd(mo_dscale(u / width, disc[0]), mo_dscale(v / width, disc[1])));
  }
  if (absolute_cosine(line, n) <= MO_EDGE_ANGLE_TOLERANCE) {
    return face(CURVED_SIDE_FACE);
  }
  end_b = mo_ddot(line, n) > 0.0;
  return !end_b && sum->is_cone ? vertex(APEX_VERTEX) : edge(end_b);
}

static mo_body_feature feature_of_convex(const mo_convex *convex, mo_dvec3 n) {
  mo_solid_image sum = mo_solid_linear_image(&convex->solid, convex->column);
  if (sum.hull != NULL) {
    return feature_of_hull(sum.hull, convex->column, n);
  }
  return sum.has_disc && convex->solid.radius > 0.0 ? feature_of_cylinder_or_cone(&sum, n)
                                                    : feature_of_segments(&sum, n);
}

mo_body_feature mo_feature_along(const mo_body *body, mo_dvec3 n) {
  switch (body->kind) {
    MO_CASES_OF_CONVEX_KINDS
    return feature_of_convex(&body->convex, n);
  case MO_BODY_TRIANGLE:
    return feature_of_triangle(body->corners, n);
  case MO_BODY_HALF_SPACE:
    return face(0);
  }
  __builtin_unreachable();
}
