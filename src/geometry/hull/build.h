/* Construction of convex hulls: what the steps share.
 *
 * Quickhull (Barber, Dobkin, Huhdanpaa 1996) over triangles, with exact orientation. A triangle is
 * visible from a point that lies strictly above its plane; points in its plane do not see it.
 *
 * - The visible triangles are whole facets of the polytope, and they form a disk: seen from the
 *   point they are what covers the polytope's silhouette. A facet in whose plane the point lies is
 *   seen edge-on, and the facets beyond its near edges are visible. So the horizon is one simple
 *   cycle, and no new triangle is degenerate: the point would lie in the plane of a visible one.
 * - A point that was above a triangle that is taken away is above one of the new triangles, or
 *   inside. Otherwise what it sees of the old polytope would reach from the triangle across an edge
 *   of the horizon; there the new triangle's normal lies between those of both sides, and so the
 *   point is above it.
 *
 * Both hold exactly where orientation is exact, whatever the points; there is no threshold. Facets
 * that are cut into several triangles are merged in the end (facets.c). The polytope does not
 * depend on the order of points; neither do its vertices. */
#ifndef MO_GEOMETRY_HULL_BUILD_H
#define MO_GEOMETRY_HULL_BUILD_H

#include "base/memory.h"
#include "geometry/hull/hull.h"
#include "geometry/triangle/orient.h"

typedef struct mo_hull_triangle {
  mo_dvec3 normal;    /* outward, rounded; of no unit */
  mo_dvec3 origin;    /* vertex[0] */
  double error;       /* bounds the rounding of mo_triangle_height of any point */
  double height;      /* of `farthest` */
  uint32_t vertex[3]; /* counter-clockwise from outside */
  uint32_t twin[3];   /* across the edge from vertex[i]: 3 * triangle + i of the other side */
  uint32_t outside;   /* the first of the points assigned to it, all strictly above; or MO_NONE */
  uint32_t outside_count; /* how many there are */
  uint32_t farthest;      /* the highest of them, but for rounding */
  uint32_t mark;          /* MO_HULL_DEAD, or when it was last visited; later its facet */
} mo_hull_triangle;

enum { MO_HULL_DEAD = 0 };

/* A growing array. */
typedef struct mo_hull_list {
  uint32_t *items;
  uint32_t count, capacity;
} mo_hull_list;

/* Triangles by the distance of their farthest points: a binary heap, the greatest first. */
typedef struct mo_hull_candidate {
  double distance;
  uint32_t point, triangle;
} mo_hull_candidate;

typedef struct mo_hull_builder {
  const mo_allocator *allocator;
  mo_vec3 *points; /* capacity: one more */
  uint32_t point_count;
  bool flat;       /* all points in a plane but the last, which is an apex to be left out */
  mo_dvec3 extent; /* of the points, per axis; rounded to nearest */
  mo_hull_triangle *triangles;
  uint32_t triangle_count, triangle_capacity;
  uint32_t *next;        /* by point: the next in the list of its triangle */
  uint32_t *start_of;    /* by point: the new triangle whose horizon edge starts there */
  uint32_t vertex_count; /* points that have become corners of triangles */
  uint32_t pending_begin;
  uint32_t visit; /* the last mark */
  mo_hull_list free, visible, horizon, fresh, orphans;
  /* Candidates come from `heap`; else from `nearby`, the last first, then from `pending`, the first
   * first. */
  bool farthest_first;
  mo_hull_list pending, nearby;
  mo_hull_candidate *heap;
  uint32_t heap_count, heap_capacity;
  bool out_of_memory;
} mo_hull_builder;

/* Why points have no hull. */
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

/* A number of the sign of a point's exact height above the plane of a triangle. */
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

/* Half-edge 3 * triangle + i begins at vertex[i] of the triangle. */
static inline uint32_t mo_half_edge_next(uint32_t half_edge) {
  return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}

static inline uint32_t mo_half_edge_twin(const mo_hull_builder *b, uint32_t half_edge) {
  return b->triangles[half_edge / 3].twin[half_edge % 3];
}

static inline uint32_t mo_half_edge_origin(const mo_hull_builder *b, uint32_t half_edge) {
  return b->triangles[half_edge / 3].vertex[half_edge % 3];
}

/* Allocates `count` points, for the caller to set; no coordinate is -0. The builder is all zero but
 * for the allocator. False when out of memory. */
bool mo_hull_builder_begin(mo_hull_builder *b, uint32_t count);
void mo_hull_builder_end(mo_hull_builder *b);

/* Makes the first tetrahedron and assigns all points to it. Points in a plane get an apex outside
 * of it. No tetrahedron is made where points span less. */
mo_hull_span mo_hull_begin_simplex(mo_hull_builder *b);

/* Adds points until none is outside or there are `limit` vertices. False when out of memory. */
bool mo_hull_grow(mo_hull_builder *b, uint32_t limit);

/* Fills `visible` with the triangles that a point strictly above `first` sees, and `horizon` with
 * their half-edges towards others. False when out of memory. */
bool mo_hull_find_visible(mo_hull_builder *b, uint32_t first, uint32_t point);

/* The distance of a point from a triangle, rounded; where points are flat, from its edge in their
 * plane. */
double mo_hull_point_distance(const mo_hull_builder *b, const mo_hull_triangle *t, uint32_t point);

/* Merges triangles to facets and writes vertices, faces and adjacency of the hull, all numbered by
 * rules that do not depend on the order of points. False when out of memory. */
bool mo_hull_write_facets(mo_hull_builder *b, mo_hull *hull);

/* Planes, bounds, volume and centroid of a hull whose vertices and faces are written. */
void mo_hull_measure(mo_hull *hull);

#endif
