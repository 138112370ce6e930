/* The invariants of a hull, checked one by one, exactly.
 *
 * A closed surface of one piece with V - E + F = 2 that is strictly convex at each edge is the
 * surface of a convex polytope. */
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "geometry/hull/hull.h"
#include "geometry/triangle/orient.h"
#include "math/aabb.h"

static mo_result report_corrupt(const mo_hull *hull, const char *what, uint32_t where) {
  mo_log(&hull->host, MO_LOG_WARNING, "hull corrupt: %s (%u)", what, where);
  return MO_ERROR_CORRUPT;
}

/* Whether position a comes before position b in the order of vertices: by x, then y, then z. */
static bool comes_before(mo_vec3 a, mo_vec3 b) {
  return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

static mo_result check_vertices(const mo_hull *hull) {
  mo_aabb bounds = mo_aabb_empty();
  for (uint32_t i = 0; i < hull->vertex_capacity; i++) {
    mo_vec3 vertex = mo_hull_vertex(hull, i), first = mo_hull_vertex(hull, 0);
    if (!mo_is_in_range(vertex)) {
      return report_corrupt(hull, "a vertex is out of range", i);
    }
    if (i >= hull->vertex_count && memcmp(&vertex, &first, sizeof first) != 0) {
      return report_corrupt(hull, "a lane without a vertex does not repeat the first", i);
    }
    if (i > 0 && i < hull->vertex_count && !comes_before(mo_hull_vertex(hull, i - 1), vertex)) {
      return report_corrupt(hull, "vertices do not ascend", i);
    }
    bounds = mo_aabb_add_point(bounds, vertex);
  }
  return mo_aabb_is_same(&bounds, &hull->bounds) ? MO_OK
                                                 : report_corrupt(hull, "bounds are not tight", 0);
}

static mo_result check_counts(const mo_hull *hull) {
  uint32_t edges = hull->half_edge_count / 2;
  if (hull->vertex_count < (hull->flat ? 3 : 4) || hull->half_edge_count % 2 != 0 ||
      hull->vertex_count + hull->face_count != edges + 2) {
    return report_corrupt(hull, "counts disagree with Euler's formula", edges);
  }
  uint32_t edge = 0;
  for (uint32_t i = 0; i < hull->face_count; i++) {
    const mo_hull_polygon *face = &hull->faces[i];
    if (face->first != edge || face->count < 3 || face->count > hull->half_edge_count - edge) {
      return report_corrupt(hull, "a face has a wrong range of edges", i);
    }
    edge += face->count;
  }
  return edge == hull->half_edge_count ? MO_OK
                                       : report_corrupt(hull, "edges belong to no face", edge);
}

static mo_result check_edges(const mo_hull *hull) {
  for (uint32_t i = 0; i < hull->face_count; i++) {
    const mo_hull_polygon *face = &hull->faces[i];
    for (uint32_t h = face->first; h < face->first + face->count; h++) {
      const mo_hull_half_edge *edge = &hull->half_edges[h];
      if (edge->face != i || edge->vertex >= hull->vertex_count ||
          edge->twin >= hull->half_edge_count) {
        return report_corrupt(hull, "an edge refers to what is not there", h);
      }
    }
  }
  for (uint32_t h = 0; h < hull->half_edge_count; h++) {
    const mo_hull_half_edge *edge = &hull->half_edges[h];
    const mo_hull_half_edge *twin = &hull->half_edges[edge->twin];
    if (twin->twin != h || twin->face == edge->face ||
        hull->half_edges[mo_hull_next(hull, h)].vertex != twin->vertex ||
        twin->vertex == edge->vertex) {
      return report_corrupt(hull, "the sides of an edge disagree", h);
    }
  }
  return MO_OK;
}

/* Twice the signed area of the first three corners of a face, projected along an axis; its sign is
 * the face's orientation in the projection. */
static double projected_area(mo_vec3 a, mo_vec3 b, mo_vec3 c, int axis) {
  int first = (axis + 1) % 3, second = (axis + 2) % 3;
  const double x[3] = {mo_get(a, first), mo_get(b, first), mo_get(c, first)};
  const double y[3] = {mo_get(a, second), mo_get(b, second), mo_get(c, second)};
  return mo_doubled_area_2d(x, y);
}

/* Checks that a face lies in one plane and is a convex polygon. Projected along an axis in which
 * the face has an area, it turns in the same direction at each corner, by one full turn in total:
 * the edges of a convex polygon ascend once and descend once. */
static mo_result check_polygon(const mo_hull *hull, uint32_t index) {
  const mo_hull_polygon *face = &hull->faces[index];
  uint32_t h = face->first, last = face->first + face->count - 1;
  mo_vec3 a = mo_hull_half_edge_start(hull, h), b = mo_hull_half_edge_start(hull, h + 1),
          c = mo_hull_half_edge_start(hull, h + 2);
  int axis = 0;
  while (axis < 3 && projected_area(a, b, c, axis) == 0.0) {
    axis++;
  }
  if (axis == 3) {
    return report_corrupt(hull, "a face has edges in one line", index);
  }
  bool left = projected_area(a, b, c, axis) > 0.0;
  uint32_t valleys = 0;
  for (; h <= last; h++) {
    uint32_t next = mo_hull_next(hull, h), after = mo_hull_next(hull, next);
    mo_vec3 p = mo_hull_half_edge_start(hull, h), q = mo_hull_half_edge_start(hull, next),
            r = mo_hull_half_edge_start(hull, after);
    double area = projected_area(p, q, r, axis);
    const mo_vec3 corners[4] = {a, b, c, r};
    if (mo_orientation(corners, 1.0) != 0.0) {
      return report_corrupt(hull, "a face is not flat", index);
    }
    if (area == 0.0 || (area > 0.0) != left) {
      return report_corrupt(hull, "a face is not convex", index);
    }
    valleys += comes_before(q, p) && comes_before(q, r);
    if (comes_before(q, a)) {
      return report_corrupt(hull, "a face does not begin at its lowest vertex", index);
    }
  }
  return valleys == 1 ? MO_OK : report_corrupt(hull, "a face winds about itself", index);
}

static bool is_on_inner_side(mo_plane plane, mo_vec3 vertex) {
  mo_expansion e = {.count = 0};
  mo_expansion_add(&e, (double)plane.normal.x * (double)vertex.x);
  mo_expansion_add(&e, (double)plane.normal.y * (double)vertex.y);
  mo_expansion_add(&e, (double)plane.normal.z * (double)vertex.z);
  mo_expansion_add(&e, plane.offset);
  return mo_expansion_sign(&e) >= 0.0;
}

static bool is_nearly_one(double x) {
  return fabs(x - 1.0) < 1e-6;
}

/* Checks that all vertices are exactly on the inner side of a face's plane; in large hulls only the
 * vertices of the face and a sample of the others. */
static mo_result check_plane(const mo_hull *hull, uint32_t index) {
  enum { MAX_SAMPLED_VERTICES = 64 };
  const mo_hull_polygon *face = &hull->faces[index];
  uint32_t step = 1 + (hull->vertex_count - 1) / MAX_SAMPLED_VERTICES;
  bool inside = true;
  for (uint32_t i = index % step; i < hull->vertex_count; i += step) {
    inside = inside && is_on_inner_side(face->plane, mo_hull_vertex(hull, i));
  }
  for (uint32_t h = face->first; h < face->first + face->count; h++) {
    inside = inside && is_on_inner_side(face->plane, mo_hull_half_edge_start(hull, h));
  }
  if (!inside) {
    return report_corrupt(hull, "a vertex is outside of the plane of a face", index);
  }
  mo_dvec3 inward = mo_widen(face->plane.normal), outward = face->normal;
  return is_nearly_one(mo_ddot(inward, inward)) && is_nearly_one(mo_ddot(outward, outward)) &&
                 is_nearly_one(-mo_ddot(inward, outward))
             ? MO_OK
             : report_corrupt(hull, "a normal is not of unit length, or not that of its plane",
                              index);
}

static mo_result check_faces(const mo_hull *hull) {
  for (uint32_t i = 0; i < hull->face_count; i++) {
    mo_result result = check_polygon(hull, i);
    if (result != MO_OK) {
      return result;
    }
    const mo_hull_half_edge *edge = &hull->half_edges[hull->faces[i].first];
    const mo_hull_half_edge *before = i > 0 ? &hull->half_edges[hull->faces[i - 1].first] : NULL;
    if (before != NULL && (before->vertex > edge->vertex || (before->vertex == edge->vertex &&
                                                             before[1].vertex >= edge[1].vertex))) {
      return report_corrupt(hull, "faces do not ascend", i);
    }
  }
  return MO_OK;
}

/* Checks, at each edge of a face, that the neighbouring face bends inward from the face's plane; in
 * a flat hull, that it is the face's back side. */
static mo_result check_convexity(const mo_hull *hull) {
  for (uint32_t h = 0; h < hull->half_edge_count; h++) {
    const mo_hull_polygon *face = &hull->faces[hull->half_edges[h].face];
    uint32_t beyond = mo_hull_previous(hull, hull->half_edges[h].twin);
    const mo_vec3 corners[4] = {
        mo_hull_half_edge_start(hull, face->first), mo_hull_half_edge_start(hull, face->first + 1),
        mo_hull_half_edge_start(hull, face->first + 2), mo_hull_half_edge_start(hull, beyond)};
    double side = mo_orientation(corners, 1.0);
    if (hull->flat ? side != 0.0 : side >= 0.0) {
      return report_corrupt(hull, "the hull is not strictly convex at an edge", h);
    }
  }
  return MO_OK;
}

/* Checks that one walk around each vertex, which starts at the vertex's lowest half-edge, meets its
 * neighbours in the listed order, and that all lists together contain all half-edges. */
static mo_result check_neighbors(const mo_hull *hull) {
  if (hull->first_neighbor[0] != 0 ||
      hull->first_neighbor[hull->vertex_count] != hull->half_edge_count) {
    return report_corrupt(hull, "lists of neighbours have a wrong length", 0);
  }
  for (uint32_t i = 0; i < hull->vertex_count; i++) {
    uint32_t first = hull->first_neighbor[i], end = hull->first_neighbor[i + 1];
    if (end < first + (hull->flat ? 2 : 3) || end > hull->half_edge_count) {
      return report_corrupt(hull, "a vertex has too few edges", i);
    }
  }
  uint32_t walked = 0;
  for (uint32_t h = 0; h < hull->half_edge_count; h++) {
    uint32_t vertex = hull->half_edges[h].vertex;
    uint32_t first = hull->first_neighbor[vertex], end = hull->first_neighbor[vertex + 1];
    if (hull->half_edges[hull->half_edges[h].twin].vertex != hull->neighbors[first]) {
      continue;
    }
    uint32_t around = h;
    for (uint32_t at = first; at < end; at++) {
      uint32_t neighbor = hull->half_edges[hull->half_edges[around].twin].vertex;
      around = hull->half_edges[mo_hull_previous(hull, around)].twin;
      if (hull->neighbors[at] != neighbor || around < h || (around == h && at + 1 < end)) {
        return report_corrupt(hull, "the neighbours of a vertex are not those around it", vertex);
      }
    }
    if (around != h) {
      return report_corrupt(hull, "the neighbours of a vertex are not those around it", vertex);
    }
    walked += end - first;
  }
  if (walked != hull->half_edge_count) {
    return report_corrupt(hull, "edges are in no list of neighbours", walked);
  }
  return MO_OK;
}

mo_result mo_hull_validate(const mo_hull *hull) {
  if (hull == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  static mo_result (*const checks[])(const mo_hull *) = {
      check_counts, check_vertices, check_edges, check_faces, check_convexity, check_neighbors};
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    mo_result result = checks[i](hull);
    if (result != MO_OK) {
      return result;
    }
  }
  for (uint32_t i = 0; i < hull->face_count; i++) {
    mo_result result = check_plane(hull, i);
    if (result != MO_OK) {
      return result;
    }
  }
  return MO_OK;
}
