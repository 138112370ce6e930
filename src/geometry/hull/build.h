/* Construction of convex hulls: the builder and the functions shared by its steps.
 *
 * Quickhull (Barber, Dobkin, Huhdanpaa 1996) on triangles, with exact orientation tests. A triangle
 * is visible from a point that lies strictly above its plane; it is not visible from points in its
 * plane.
 *
 * - The visible triangles form whole facets of the polytope, and their union is a disk: seen from
 *   the point, they cover the polytope's silhouette. A facet whose plane contains the point is seen
 *   edge-on, and the facets beyond its near edges are visible. So the horizon is one simple cycle.
 *   No new triangle is degenerate: otherwise the point would lie in the plane of a visible one.
 * - A point that was above a removed triangle is above one of the new triangles, or inside.
 *   Otherwise the part of the old polytope that is visible from it would extend from the removed
 *   triangle across an edge of the horizon. There the normal of the new triangle lies between the
 *   normals on both sides, so the point is above it.
 *
 * Both hold for any points, because orientation is exact; there is no threshold. Facets that
 * consist of several triangles are merged in the end (facets.c). Neither the polytope nor its
 * vertices depend on the order of points. */
#ifndef MO_GEOMETRY_HULL_BUILD_H
#define MO_GEOMETRY_HULL_BUILD_H

#include "base/memory.h"
#include "geometry/hull/hull.h"
#include "geometry/triangle/orient.h"

typedef struct mo_hull_triangle {
  mo_dvec3 normal;        /* outward, rounded, not of unit length */
  mo_dvec3 origin;        /* vertex[0] */
  double error;           /* bound of the rounding error of mo_triangle_height, for the points that
                             existed when the triangle was made */
  double height;          /* height of the point `farthest` above the triangle's plane */
  uint32_t vertex[3];     /* corners, counter-clockwise from outside */
  uint32_t twin[3];       /* twin of half-edge 3 * triangle + i, from vertex[i] */
  uint32_t outside;       /* first of the points assigned to it, all strictly above; or MO_NONE */
  uint32_t outside_count; /* number of points assigned to it */
  uint32_t farthest;      /* the highest of these points, up to rounding */
  uint32_t mark;          /* MO_HULL_REMOVED, or a number that mo_hull_find_visible has set */
} mo_hull_triangle;

/* The mark of a triangle that is no longer in the hull. */
enum { MO_HULL_REMOVED = 0 };

typedef MO_LIST(uint32_t, items) mo_hull_list;

/* An entry of a binary heap of triangles, ordered by the distance of the farthest point outside. */
typedef struct mo_hull_candidate {
  double distance;
  uint32_t point, triangle;
} mo_hull_candidate;

typedef struct mo_hull_builder {
  const mo_allocator *allocator;
  mo_vec3 *points; /* all points, with capacity for one more, the apex */
  uint32_t point_count;
  bool flat; /* all points are coplanar but the last, an auxiliary apex that the result omits */
  mo_dvec3 extent; /* size of the points' AABB, rounded to nearest */
  mo_hull_triangle *triangles;
  uint32_t triangle_count, triangle_capacity;
  uint32_t *next;               /* [point]: the next point assigned to the same triangle */
  uint32_t *fan_triangle;       /* [point]: the new triangle whose horizon edge starts there */
  uint32_t vertex_count;        /* number of points that have become corners of triangles */
  uint32_t last_mark;           /* the last mark that mo_hull_find_visible has used */
  mo_hull_list free_slots;      /* slots of removed triangles, for reuse */
  mo_hull_list visible;         /* triangles visible from the new point */
  mo_hull_list horizon;         /* half-edges around the visible triangles */
  mo_hull_list new_triangles;   /* triangles from the horizon to the new point */
  mo_hull_list orphaned_points; /* points that were above visible triangles */
  /* How the next triangle with points outside is chosen. True: from `heap`, by the distance of its
   * farthest point. False: from `pending_stack`, then from `pending_queue`. */
  bool takes_farthest_point_first;
  mo_hull_list pending_queue, pending_stack;
  uint32_t pending_queue_begin; /* the first entry of the queue that was not taken */
  MO_LIST(mo_hull_candidate, items) heap;
  bool out_of_memory;
} mo_hull_builder;

/* What the points span. Points on a line have no hull. */
typedef enum mo_hull_span {
  MO_HULL_SPAN_POINT,
  MO_HULL_SPAN_LINE,
  MO_HULL_SPAN_PLANE,
  MO_HULL_SPAN_SPACE,
} mo_hull_span;

static inline double mo_triangle_height(const mo_hull_triangle *t, mo_vec3 p) {
  return t->normal.x * ((double)p.x - t->origin.x) + t->normal.y * ((double)p.y - t->origin.y) +
         t->normal.z * ((double)p.z - t->origin.z);
}

/* A number with the exact sign of the height of a point above the plane of a triangle. */
static inline double mo_triangle_side(const mo_hull_builder *b, const mo_hull_triangle *t,
                                      uint32_t point) {
  double height = mo_triangle_height(t, b->points[point]);
  if (fabs(height) > t->error) {
    return height;
  }
  const mo_vec3 corners[4] = {b->points[t->vertex[0]], b->points[t->vertex[1]],
                              b->points[t->vertex[2]], b->points[point]};
  return mo_orientation(corners, 1.0);
}

/* The next half-edge of a triangle. Half-edge 3 * triangle + i begins at its vertex[i]. */
static inline uint32_t mo_half_edge_next(uint32_t half_edge) {
  return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}

static inline uint32_t mo_half_edge_twin(const mo_hull_builder *b, uint32_t half_edge) {
  return b->triangles[half_edge / 3].twin[half_edge % 3];
}

static inline uint32_t mo_half_edge_origin(const mo_hull_builder *b, uint32_t half_edge) {
  return b->triangles[half_edge / 3].vertex[half_edge % 3];
}

/* Allocates `count` points, which the caller must set, without -0. The builder must be all zero
 * except for the allocator. False when out of memory. */
bool mo_hull_builder_begin(mo_hull_builder *b, uint32_t count);
void mo_hull_builder_end(mo_hull_builder *b);

/* Makes the first tetrahedron and assigns all points to its faces. Coplanar points get an auxiliary
 * apex off their plane. If the points span less than a plane, no tetrahedron is made. */
mo_hull_span mo_hull_begin_simplex(mo_hull_builder *b);

/* Adds points until none is outside or there are `limit` vertices. False when out of memory. */
bool mo_hull_add_outside_points(mo_hull_builder *b, uint32_t limit);

/* Fills `visible` with the triangles visible from a point strictly above `first`, and `horizon`
 * with their half-edges at the border to invisible triangles. False when out of memory. */
bool mo_hull_find_visible(mo_hull_builder *b, uint32_t first, uint32_t point);

/* The distance of a point from a triangle's plane, rounded; if all points are coplanar, from the
 * triangle's edge in the plane of the points. */
double mo_hull_point_distance(const mo_hull_builder *b, const mo_hull_triangle *t, uint32_t point);

/* Merges coplanar triangles to facets, and writes the vertices, faces and adjacency of the hull,
 * all numbered by rules that do not depend on the order of points. False when out of memory. */
bool mo_hull_write_facets(mo_hull_builder *b, mo_hull *hull);

/* Computes planes, bounds, volume and centroid of a hull whose vertices and faces are written. */
void mo_hull_measure(mo_hull *hull);

#endif
