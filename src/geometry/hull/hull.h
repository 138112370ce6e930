/* The data of a convex hull, and its support mapping, which is exact. */
#ifndef MO_GEOMETRY_HULL_HULL_H
#define MO_GEOMETRY_HULL_HULL_H

#include <motte/hull.h>
#include <stdatomic.h>

#include "base/isa.h"
#include "base/memory.h"
#include "geometry/moments.h"
#include "math/four.h"

/* A half-edge: one of the two sides of an edge, belonging to the face in which it runs
 * counter-clockwise. */
typedef struct mo_hull_half_edge {
  uint32_t vertex; /* vertex where it begins; it ends where its twin begins */
  uint32_t twin;
  uint32_t face;
} mo_hull_half_edge;

typedef struct mo_hull_polygon {
  mo_plane plane;  /* normal inward; all vertices are exactly on the inner side */
  mo_dvec3 normal; /* outward, of unit length, each component within 2e-14 */
  uint32_t first;  /* index of its first half-edge, which begins at the lowest vertex; the others
                      follow, counter-clockwise */
  uint32_t count;  /* the number of its half-edges */
  double height;   /* of the plane above the hull's `center`, along `normal` */
} mo_hull_polygon;

/* An edge between two faces, in the tables of a small hull. */
typedef struct mo_hull_table_edge {
  uint8_t start, end; /* vertices */
  uint8_t faces[2];   /* the two adjacent faces */
} mo_hull_table_edge;

/* The largest sizes of hulls that have precomputed tables for separating-axis tests. */
enum {
  MO_HULL_TABLE_MAX_VERTICES = 48,
  MO_HULL_TABLE_MAX_FACES = 64,
  MO_HULL_TABLE_MAX_EDGES = 96
};

/* A set of edges of a hull with tables: bit i for edge i. */
typedef struct mo_hull_edge_set {
  uint64_t bits[(MO_HULL_TABLE_MAX_EDGES + 63) / 64];
} mo_hull_edge_set;

/* The cells of a cube map to which directions are quantized. Each side of the cube is a square
 * grid. */
enum {
  MO_HULL_DIRECTION_CELLS_PER_AXIS = 4, /* cells along each edge of the cube */
  MO_HULL_DIRECTION_CELL_COUNT =
      6 * MO_HULL_DIRECTION_CELLS_PER_AXIS * MO_HULL_DIRECTION_CELLS_PER_AXIS,
};

struct mo_hull {
  atomic_uint references;
  mo_host host;
  uint32_t vertex_count;
  uint32_t vertex_capacity; /* vertex_count, rounded up to a multiple of eight */
  uint32_t face_count;
  uint32_t half_edge_count;
  bool flat;
  /* Coordinates of the vertices in structure-of-arrays form, sorted by x, then y, then z. Entries
   * after the last vertex repeat vertex 0. The array is aligned to a cache line. */
  float *coordinates; /* x, y, z: vertex_capacity each */
  mo_hull_polygon *faces;
  mo_hull_half_edge *half_edges;
  /* The neighbours of vertex i are neighbors[first_neighbor[i]] up to first_neighbor[i + 1],
   * counter-clockwise from outside. */
  uint32_t *first_neighbor;  /* vertex_count + 1 entries */
  uint32_t *first_half_edge; /* [vertex]: the lowest half-edge that begins there */
  uint32_t *neighbors;       /* half_edge_count entries */
  /* Tables of small hulls, for separating axes; null for others. `planes` is in structure-of-arrays
   * form, aligned to a cache line: x, y, z of the outward normals and the heights over `center`,
   * plane_capacity each. In lanes after the last face the normal is zero and the height infinite.
   */
  uint32_t plane_capacity;
  float *planes;
  mo_hull_table_edge *edges;    /* ordered by the lower one of their two half-edges */
  mo_hull_edge_set *face_edges; /* [face]: the set of its edges */
  mo_vec3 reach;                /* the largest magnitude of a vertex coordinate, per axis */
  mo_aabb bounds;
  double volume, surface_area;
  mo_vec3 centroid;
  /* `far_vertices`: two ends of the hull, the vertex farthest from the line through them, and the
   * one farthest from the plane of these three (for a flat hull, the third again). In barycentric
   * coordinates relative to them, all vertices are within -4 and 4, under any map of the hull. */
  uint32_t far_vertices[4]; /* four vertices that are far apart */
  mo_dvec3 center;          /* the mean of `far_vertices` */
  mo_dvec3 half;            /* how far the hull reaches from `center`, per axis */
  mo_dvec3 bounds_center;   /* the centre of `bounds` */
  double radius;            /* at least the distance of any vertex from `bounds_center` */
  mo_isa isa;               /* instruction set of the support mapping */
  /* For each cell of directions, the support vertex along the cell's middle. Hill climbing starts
   * there, unless a vertex closer to the result is known. */
  uint32_t start_vertices[MO_HULL_DIRECTION_CELL_COUNT];
  float distance_lost; /* as mo_hull_info::distance_lost */
};

static inline mo_vec3 mo_hull_vertex(const mo_hull *hull, uint32_t vertex) {
  const float *x = hull->coordinates + vertex;
  return mo_vec(x[0], x[hull->vertex_capacity], x[2 * (size_t)hull->vertex_capacity]);
}

/* The position of the vertex where a half-edge begins. */
static inline mo_vec3 mo_hull_half_edge_start(const mo_hull *hull, uint32_t half_edge) {
  return mo_hull_vertex(hull, hull->half_edges[half_edge].vertex);
}

/* The half-edge that follows a half-edge in its face. */
static inline uint32_t mo_hull_next(const mo_hull *hull, uint32_t half_edge) {
  const mo_hull_polygon *face = &hull->faces[hull->half_edges[half_edge].face];
  return half_edge + 1 == face->first + face->count ? face->first : half_edge + 1;
}

static inline uint32_t mo_hull_previous(const mo_hull *hull, uint32_t half_edge) {
  const mo_hull_polygon *face = &hull->faces[hull->half_edges[half_edge].face];
  return half_edge == face->first ? face->first + face->count - 1 : half_edge - 1;
}

/* Up to this number of vertices, a scan is faster than climbing from a vertex near the result: the
 * distance of two hulls of 128 vertices takes 5.5 µs by scans, 8.0 by climbing, with AVX2. */
enum { MO_HULL_MAX_SCANNED_VERTICES = 128 };

/* Support mapping: the vertex that is farthest along a direction, by exact arithmetic; of several
 * such vertices, the one with the lowest index. So every algorithm finds the same vertex. For the
 * zero direction the result is vertex 0.
 *
 * mo_hull_scan reads all vertices, at most MO_HULL_MAX_SCANNED_VERTICES; the direction is finite.
 * mo_hull_hill_climb does hill climbing along edges from `start`; each nonzero component of the
 * direction has a magnitude of 2^-300 to 2^300. */
MO_ISA_DECLARE(uint32_t, mo_hull_scan, (const mo_hull *hull, mo_dvec3 direction));
uint32_t mo_hull_hill_climb(const mo_hull *hull, mo_dvec3 direction, uint32_t start);

/* Makes the tables of a small hull, after all other members are set. False when out of memory. */
bool mo_hull_make_tables(mo_hull *hull);
void mo_hull_release_tables(mo_hull *hull);
size_t mo_hull_table_bytes(const mo_hull *hull);

/* Computes `start_vertices`, after all other members are set. */
void mo_hull_set_start_vertices(mo_hull *hull);

/* The support vertex along a finite direction of any length, by the hull's own instruction set.
 * Components that are less than 2^-300 of the largest count as 0. `near` is a vertex that may be
 * near the result, or MO_NONE: the search starts there or at the start vertex of the direction's
 * cell, whichever is farther along the direction. */
uint32_t mo_hull_farthest_vertex(const mo_hull *hull, mo_dvec3 direction, uint32_t near);

/* The support vertices along three directions, one in each of three lanes, and along their
 * negatives. The components of the directions are floats. mo_hull_scan_support_pairs reads all
 * vertices, at most MO_HULL_MAX_VERTICES_SCANNED_FOR_PAIRS. */
void mo_hull_support_pairs(const mo_hull *hull, const mo_d4vec *direction, uint32_t ends[2][3]);
MO_ISA_DECLARE(void, mo_hull_scan_support_pairs,
               (const mo_hull *hull, const mo_d4vec *direction, uint32_t ends[2][3]));

/* The moments, in the local frame, of a hull that is rounded by a radius `rounding`. */
mo_moments mo_hull_find_moments(const mo_hull *hull, double rounding);

/* The position of a vertex relative to the hull's centre. */
static inline mo_dvec3 mo_hull_centered_vertex(const mo_hull *hull, uint32_t vertex) {
  return mo_dsub(mo_widen(mo_hull_vertex(hull, vertex)), hull->center);
}

/* The image of a hull under a linear map, relative to the image of its centre. */
typedef struct mo_hull_image {
  const mo_hull *hull; /* null: no hull */
  mo_dvec3 column[3];
  uint32_t last_vertex; /* cache: the support vertex found last, or MO_NONE */
} mo_hull_image;

/* The image of a vertex, relative to the image of the hull's centre. */
static inline mo_dvec3 mo_hull_image_vertex(const mo_hull_image *image, uint32_t vertex) {
  return mo_map_columns(image->column, mo_hull_centered_vertex(image->hull, vertex));
}

/* The support point of the image along n. */
static inline mo_dvec3 mo_hull_image_support(mo_hull_image *image, mo_dvec3 n) {
  image->last_vertex =
      mo_hull_farthest_vertex(image->hull, mo_map_rows(image->column, n), image->last_vertex);
  return mo_hull_image_vertex(image, image->last_vertex);
}

#endif
