/* Bodies with corners and flat faces, for contact normals by separating axes. */
#ifndef MO_CONTACT_NORMAL_POLYTOPE_H
#define MO_CONTACT_NORMAL_POLYTOPE_H

#include "base/isa.h"
#include "contact/normal/segments.h"
#include "geometry/hull/hull.h"

/* The core of a body with corners and flat faces. Some members are computed when they are first
 * used: `vertices` by mo_polytope_vertex, `normals` and `offsets` by mo_polytope_normal. */
typedef struct mo_contact_polytope {
  const mo_contact_body *body;
  uint32_t vertex_count, face_count, edge_count;
  uint32_t axis_face_count; /* how many of the first faces are tried as axes */
  bool has_volume;  /* the normals of the two faces of each edge are less than 180 degrees apart */
  bool is_mirrored; /* a hull whose map mirrors, so that its faces are wound clockwise */
  mo_dvec3 center;
  const mo_hull_table_edge *edges;
  const mo_hull_edge_set *face_edges; /* by face: the set of its edges */
  uint64_t computed_vertices,
      computed_faces; /* a bit for each vertex or face that has been computed */
  mo_dvec3 vertices[MO_HULL_TABLE_MAX_VERTICES];
  mo_dvec3 normals[MO_HULL_TABLE_MAX_FACES]; /* unit, outward; zero where a face has no area */
  double offsets[MO_HULL_TABLE_MAX_FACES];   /* distance of each face's plane from the origin */
  mo_dvec3 cofactor[3];                      /* of a hull: matrix that maps outward normals */

  /* Vertices (not of triangles) and face planes in single precision, in groups of eight.
   * Vertices are in a frame in which the direction n is corner_frame^T n; `max_coordinates`
   * bounds their magnitudes. Planes are in a frame in which a point is plane_frame^T (point -
   * plane_center), and in which heights are world heights divided by `plane_unit_length`. */
  mo_dvec3 corner_frame[3], plane_frame[3], plane_center;
  double plane_unit_length;
  mo_vec3 max_coordinates;
  uint32_t corner_capacity;
  uint32_t plane_capacity;              /* 0 until mo_contact_polytope_ensure_planes is called */
  bool has_own_corners, has_own_planes; /* false: the arrays of the hull are used */
  _Alignas(32) float own_corners[3 * 8];
  _Alignas(32) float own_planes[4 * MO_HULL_TABLE_MAX_FACES];
} mo_contact_polytope;

/* Whether the core of a body is a triangle, a box, or a hull with tables. */
bool mo_contact_body_is_polytope(const mo_contact_body *body);

/* Makes the polytope of the core of a body, for which mo_contact_body_is_polytope holds. The
 * polytope keeps a pointer to the body. */
void mo_contact_polytope_of(mo_contact_polytope *polytope, const mo_contact_body *body);

/* If the core of a body is a polytope, makes the polytope once, for use in several pairs. Body and
 * polytope keep pointers to each other. Not for use by several threads at a time. */
void mo_contact_body_cache_polytope(mo_contact_body *body, mo_contact_polytope *polytope);

/* The polytope of a body: the cached one; if none is cached, writes it to `made`. */
mo_contact_polytope *mo_contact_polytope_get(const mo_contact_body *body,
                                             mo_contact_polytope *made);

/* Computes all vertices and faces now, not when they are first used. */
void mo_contact_polytope_make_all(mo_contact_polytope *polytope);

void mo_contact_polytope_make_vertex(mo_contact_polytope *polytope, uint32_t vertex);
void mo_contact_polytope_make_face(mo_contact_polytope *polytope, uint32_t face);

/* Computes the face planes in single precision, relative to the centre and with world axes. */
void mo_contact_polytope_make_planes(mo_contact_polytope *polytope);

static inline void mo_contact_polytope_ensure_planes(mo_contact_polytope *p) {
  if (p->plane_capacity == 0) {
    mo_contact_polytope_make_planes(p);
  }
}

static inline mo_dvec3 mo_polytope_vertex(mo_contact_polytope *p, uint32_t vertex) {
  if ((p->computed_vertices >> vertex & 1) == 0) {
    mo_contact_polytope_make_vertex(p, vertex);
  }
  return p->vertices[vertex];
}

static inline mo_dvec3 mo_polytope_normal(mo_contact_polytope *p, uint32_t face) {
  if ((p->computed_faces >> face & 1) == 0) {
    mo_contact_polytope_make_face(p, face);
  }
  return p->normals[face];
}

/* The index, plus 1, of the face beside an edge that supports the polytope along n. */
static inline uint32_t mo_supporting_face_of_edge(mo_contact_polytope *p,
                                                  const mo_hull_table_edge *e, mo_dvec3 n) {
  const double first = mo_ddot(mo_polytope_normal(p, e->faces[0]), n),
               last = mo_ddot(mo_polytope_normal(p, e->faces[1]), n);
  return 1 + (uint32_t)e->faces[last > first];
}

/* Whether a point may be higher than `min` over some plane through an edge whose normal lies on
 * the arc between the normals of its two faces. `h0` and `h1` are the heights of the point over
 * these faces; `c` is the cosine between their normals. */
static inline bool mo_edge_height_may_exceed(double h0, double h1, double c, double min) {
  /* without branches, as these would be mispredicted */
  bool at_ends = (h0 > min) | (h1 > min);
  bool has_top = (h0 > c * h1) & (h1 > c * h0);
  double top2 = h0 * h0 + h1 * h1 - 2.0 * c * h0 * h1, least2 = min * min * (1.0 - c * c);
  return at_ends | (has_top & ((min < 0.0) | (top2 > least2)));
}

/* A search for the axis of greatest separation of two polytopes, and its result. */
typedef struct mo_axis_search {
  mo_contact_polytope *a, *b;
  /* The search ends once an axis separates by more than `separation_limit`. `start_axis` is a
   * unit vector from A to B, or zero. If it separates by clearly more than the limit, it is the
   * result. If no axis separates by more than the limit, the result does not depend on
   * `start_axis`. */
  double separation_limit;
  mo_dvec3 start_axis;
  /* the greatest separation along face normals, and along all axes; -INFINITY if there are none */
  double max_face_separation, max_separation;
  mo_dvec3 face_normal, normal; /* the axes with these two separations; unit, from A to B */
  mo_supporting_faces face_normal_supports, supports;
} mo_axis_search;

MO_ISA_DECLARE(void, mo_polytopes_find_axis, (mo_axis_search * search));

/* Whether some face of a polytope surely separates it from a triangle by more than `max`. */
MO_ISA_DECLARE(bool, mo_polytope_is_apart,
               (mo_contact_polytope * polytope, const mo_dvec3 corner[3], double max));

/* A search for the contact normal of a hull with volume and a segment or point, and its result. */
typedef struct mo_hull_line_search {
  mo_contact_polytope *hull;
  mo_contact_line line;
  double max; /* the search ends once a face separates hull and line by more than this */
  /* The distance of hull and line, or where they overlap, minus the depth; and the unit normal from
   * the hull to the line. */
  double separation;
  mo_dvec3 normal;
  mo_dvec3 points[2]; /* closest or deepest points of hull and line; not set beyond `max` */
  /* The face that supports the hull along `normal`: index plus 1, or 0 (not known) if a segment is
   * closest to a vertex. */
  uint32_t support_face;
  double max_face_separation; /* the greatest separation along face normals */
  mo_dvec3 face_normal;       /* the face normal with the separation `max_face_separation` */
  uint32_t face;              /* the index of the face with that normal */
  mo_contact_line edge;       /* the edge of the hull with the best separation so far */
} mo_hull_line_search;

/* Runs the search. Returns false if hull and line are too close, or edges too nearly parallel, for
 * an accurate normal. */
MO_ISA_DECLARE(bool, mo_hull_line_find, (mo_hull_line_search * search));

/* Finds the axis of greatest separation of two polytopes. The points are not set. Where the
 * separation is positive, the axis is not certain: the true distance may be larger. `start` is a
 * unit vector that may be near the result, or zero. Returns false if there is no axis, as both are
 * degenerate to segments or points. */
bool mo_contact_axis_of_polytopes(const mo_contact_body *a, const mo_contact_body *b, double max,
                                  mo_dvec3 start, mo_contact_axis *axis);

#endif
