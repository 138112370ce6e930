/* The triangles of a surface near a body, and the contact of the body with each triangle by itself.
 */
#ifndef MO_CONTACT_SURFACE_GATHERED_H
#define MO_CONTACT_SURFACE_GATHERED_H

#include "contact/surface/surface.h"
#include "geometry/triangle/triangle.h"

/* Sine of an angle (about a degree). A contact normal closer than this to the triangle's normal is
 * replaced by the triangle's normal. */
#define MO_SNAP_TO_FACE_MAX_SINE 0.02

/* Sine of an angle: a triangle that rises by less above the plane of a contact does not hide it. */
#define MO_MIN_HIDING_RISE_SINE 0x1p-10

/* Fraction of the size of the body: heights over a plane that differ by less count as the same. */
#define MO_SURFACE_HEIGHT_TOLERANCE 0x1p-10

/* Two contacts are the same if the sine between their normals is at most MO_SAME_NORMAL_SINE, and
 * their points are closer than MO_SAME_POINT_TOLERANCE times the size of the body. */
#define MO_SAME_NORMAL_SINE 0x1p-8
#define MO_SAME_POINT_TOLERANCE 0x1p-9

/* The depth of a contact is limited to this multiple of the body's overlap with the surface. */
#define MO_MAX_DEPTH_RATIO 2.0

/* The corners and normal of a triangle, relative to the reference point of the body. */
typedef struct mo_gathered_face {
  mo_dvec3 corner[3];
  mo_dvec3 front;     /* unit normal of the triangle's front; zero: degenerate */
  double error_bound; /* bound of the rounding error of `front`; large for slivers */
} mo_gathered_face;

/* A quick test: whether a point is surely farther than a distance from the plane of a triangle. The
 * distance must be larger than rounding errors of the coordinates. */
static inline bool mo_gathered_face_is_far(const mo_gathered_face *face, mo_dvec3 point,
                                           double distance) {
  const mo_dvec3 from = mo_dsub(point, face->corner[0]);
  const double height = fabs(mo_ddot(face->front, from));
  return height > 2.0 * distance &&
         height > 2.0 * distance + face->error_bound * (fabs(from.x) + fabs(from.y) + fabs(from.z));
}

/* Whether a, b and c are all less than `from` by more than `distance`, or all greater. */
static inline bool mo_gathered_are_all_on_one_side(double a, double b, double c, double from,
                                                   double distance) {
  return (a < from - distance && b < from - distance && c < from - distance) ||
         (a > from + distance && b > from + distance && c > from + distance);
}

/* A quick test: false if a point is farther from a triangle than a distance along some axis. */
static inline bool mo_gathered_may_be_within(const mo_dvec3 c[3], mo_dvec3 p, double distance) {
  return !mo_gathered_are_all_on_one_side(c[0].x, c[1].x, c[2].x, p.x, distance) &&
         !mo_gathered_are_all_on_one_side(c[0].y, c[1].y, c[2].y, p.y, distance) &&
         !mo_gathered_are_all_on_one_side(c[0].z, c[1].z, c[2].z, p.z, distance);
}

/* The contact of the body with one triangle by itself, as if there were no other triangles. Vectors
 * are relative to the reference point of the body. */
typedef struct mo_triangle_contact {
  mo_gathered_face face;
  mo_manifold manifold; /* without points: no contact, and the members below are not set */
  mo_dvec3 normal;      /* unit, from the triangle to the body */
  double separation;    /* the minimum of the separations of the contact's points */
  double depth;         /* how deep the body penetrates this triangle; negative: apart */
  bool on_face;         /* `normal` is the normal of the triangle's front or back */
  /* `normal` is not that of the triangle although the contact has a point in the triangle's
   * interior: the body is not over the triangle, but reaches it from the side. */
  bool has_oblique_normal;
} mo_triangle_contact;

/* A contact of the body with a triangle along a chosen normal, mostly that of the face. */
typedef struct mo_contact_along {
  mo_dvec3 normal;
  float separation;
  uint8_t kept_points; /* bit i: point i of the contact may be kept; 0: there is no contact */
  bool on_face;        /* whether `normal` is that of the triangle's front or back */
} mo_contact_along;

/* How the accepted contact of a triangle was made. */
typedef enum mo_contact_origin {
  MO_CONTACT_OWN,  /* that of the triangle by itself */
  MO_CONTACT_MADE, /* made along another normal, as its own contact was rejected */
  /* The rejected contact, as no other contact moves the body out of the triangle: */
  MO_CONTACT_KEPT_WITH_FACE_NORMAL, /* with the face normal in place of its own */
  MO_CONTACT_KEPT_ACROSS_BORDER,    /* without the component of its normal along the border
                                     */
} mo_contact_origin;

/* Why a triangle surely has no contact. */
typedef enum mo_contact_absence {
  MO_CONTACT_NOT_ABSENT,
  MO_CONTACT_REPEATED, /* another triangle has the same contact */
  /* Only if the body is a triangle of a mesh (mesh_body.h): */
  MO_CONTACT_OUT_OF_REACH, /* the triangle is farther from the body than contacts are */
  MO_CONTACT_NO_MINIMUM,   /* it is apart from the body, and both meshes are closer beside it */
} mo_contact_absence;

/* A triangle near the body, with the stored part of its contact. Vectors are relative to the
 * reference point of the body. */
typedef struct mo_gathered_triangle {
  uint32_t index;
  mo_vec3 normal;   /* unit, from the triangle to the body */
  float separation; /* of its contact; INFINITY: it has none */
  bool on_face : 1; /* whether `normal` is the normal of the triangle's front or back */
  /* Set by mo_surface_accept_contacts: */
  uint32_t contact_origin : 2; /* mo_contact_origin */
  bool is_hidden : 1;          /* its contact is hidden: the result of mo_surface_hides_contact */
  bool face_continues : 1; /* `normal` leans over an edge beyond which the surface is coplanar */
  bool is_resolved : 1;    /* moving the body out of some accepted contact resolves this triangle */
  bool has_no_face_contact : 1; /* the body has no contact along its face normal */
  uint32_t absence : 2;         /* mo_contact_absence */
  /* Only for the log: its own contact leads through the surface, or touches it sideways. */
  bool own_contact_rejected : 1;
  uint32_t kept_points : 4; /* bit i: point i of the contact belongs to the surface; 0: none does */
  uint32_t plane : 6;       /* the index of the triangle's plane (plane_reporter in surface.c) */
  uint32_t hiding_tests_made : 12; /* triangles tested so far for whether they hide the contact */
} mo_gathered_triangle;

enum {
  /* How many triangles one pass gathers at most; more are gathered in further passes. */
  MO_MAX_GATHERED_TRIANGLES = 2048,
  MO_CACHED_CONTACTS = 16, /* how many contacts are cached */
  /* The corners and normals of up to this many triangles are stored; few bodies are near more. */
  MO_MAX_STORED_FACES = 48,
};

/* The triangles near a body that a pass has gathered. */
typedef struct mo_gathered_triangles {
  const mo_surface *surface;
  const mo_surface_body *surface_body;
  bool is_partial;       /* other triangles near the body are gathered in other passes */
  bool accepts_unproven; /* contacts of a mesh need not be proven (mesh_body.h) */
  bool is_one_surface;   /* the mesh was built with edges: its triangles are one surface */
  double size;           /* size of the body, with its rounding */
  mo_dvec3 body_front; /* of a body that is a triangle: its unit normal; zero if it is degenerate */
  double tolerance;    /* points closer than this count as the same */
  double max_triangle_depth; /* the greatest penetration depth of the body in any single triangle,
                         ignoring the others; 0 if none */
  double max_depth;        /* upper limit of the depths of contacts, unless the body is of a mesh */
  bool core_is_overlapped; /* a triangle overlaps the axis or core of the body, which is rounded */
  uint32_t count;          /* length of `items` */
  mo_gathered_triangle items[MO_MAX_GATHERED_TRIANGLES]; /* the triangles, by ascending index */
  mo_gathered_face faces[MO_MAX_STORED_FACES];           /* of the first of `items` */
  uint32_t listed_triangles[MO_MAX_LISTED_TRIANGLES];    /* for mo_sheet_sides::triangles */
  /* A cache of contacts of triangles that have one: their positions in `items`, and the contacts.
   * As triangles are mostly gone over in order, several times, a full cache keeps the first
   * contacts, and the last entry takes all others. */
  uint32_t cached_count, cached_items[MO_CACHED_CONTACTS];
  mo_triangle_contact contacts[MO_CACHED_CONTACTS];
} mo_gathered_triangles;

/* Extents of a body for culling, along unit axes. They are grown by the greatest separation of a
 * contact, and relative to `reference` (world). */
typedef struct mo_gather_culling_extents {
  mo_dvec3 reference;
  int count;
  mo_dvec3 axis[3];
  double low[3], high[3];
} mo_gather_culling_extents;

/* Returns a bit for each of four triangles that is beyond the extents of a body, and so can have no
 * contact with it. */
MO_ISA_DECLARE(uint32_t, mo_triangles_beyond,
               (const mo_surface *surface, const uint32_t triangle[4],
                const mo_gather_culling_extents *e));

/* Gathers triangles that touch the body's region and have an index of at least `begin`: those with
 * the lowest indices, up to MO_MAX_GATHERED_TRIANGLES. */
void mo_gather_triangles(mo_gathered_triangles *gathered, const mo_surface *surface,
                         const mo_surface_body *on, uint32_t begin);

/* Finds the contact of each gathered triangle by itself. */
void mo_gather_contacts(mo_gathered_triangles *gathered);

/* The upper limit of the depths of contacts of a body that penetrates a triangle by `depth`. */
double mo_gathered_max_depth(const mo_gathered_triangles *gathered, double depth);

/* The corners and normal of item `i`: if they are not stored, computes them in `made`. */
const mo_gathered_face *mo_gathered_face_of(const mo_gathered_triangles *gathered, uint32_t i,
                                            mo_gathered_face *made);

/* The unit normal of item `i` that points to the side of its sheet (sheet.h) on which the body is;
 * zero if the body is on neither side or the triangle is degenerate. */
mo_dvec3 mo_gathered_front_on_body_side(const mo_gathered_triangles *gathered, uint32_t i);

/* The contact of item `i` by itself. It is in a cache, and is valid until the contact of another
 * item is read. */
const mo_triangle_contact *mo_gathered_contact(mo_gathered_triangles *gathered, uint32_t i);

/* Whether a separation is the distance between a triangle and the core of a ball or capsule, minus
 * the radius, so that separations of triangles can be compared. Separations along separating axes
 * cannot. */
bool mo_gathered_separation_is_distance(const mo_gathered_triangles *gathered, double separation);

/* The manifold of item `i` and the body along a unit normal from the triangle to the body. */
mo_manifold mo_gathered_contact_along(const mo_gathered_triangles *gathered, uint32_t i,
                                      mo_dvec3 normal);

/* The height of the body's lowest point along a unit normal, relative to the reference point. */
double mo_gathered_min_height(const mo_gathered_triangles *gathered, mo_dvec3 normal);

/* How deep a body penetrates a triangle once it has been moved by the vector `by`; negative if they
 * do not overlap. */
double mo_surface_find_depth_after_move(const mo_surface *surface, const mo_surface_body *on,
                                        uint32_t triangle, mo_dvec3 by);

/* Moves a point of a manifold by a vector. */
static inline void mo_gathered_move_point(mo_manifold_point *point, mo_vec3 by) {
  point->position = mo_add(point->position, by);
  point->anchor_a = mo_add(point->anchor_a, by);
  point->anchor_b = mo_add(point->anchor_b, by);
}

/* The contact of item `i` with only the points that were accepted as belonging to the surface. */
mo_manifold mo_gathered_accepted_contact(mo_gathered_triangles *gathered, uint32_t i);

/* Makes the contact body of triangle `i`. */
void mo_gathered_make_body(const mo_gathered_triangles *gathered, uint32_t i,
                           mo_contact_body *body);

/* Where a point of a manifold lies on the triangle and on the body. */
mo_dvec3 mo_gathered_point_on_triangle(const mo_gathered_triangles *gathered,
                                       const mo_manifold_point *point, mo_dvec3 normal);
mo_dvec3 mo_gathered_point_on_body(const mo_gathered_triangles *gathered,
                                   const mo_manifold_point *point, mo_dvec3 normal);

static inline mo_dvec3 mo_gathered_normal(const mo_gathered_triangle *t) {
  return mo_widen(t->normal);
}

/* --- points on triangles, and heights of triangles --- */

/* The squared distance of a point from the edge from `start` to `end`, up to rounding. */
static inline double mo_squared_distance_from_edge(mo_dvec3 start, mo_dvec3 end, mo_dvec3 point) {
  const mo_dvec3 edge = mo_dsub(end, start), from = mo_dsub(point, start);
  const double along = mo_ddot(from, edge), length2 = mo_ddot(edge, edge);
  const double part = along <= 0.0 ? 0.0 : along >= length2 ? 1.0 : along / length2;
  const mo_dvec3 gap = mo_dsub(from, mo_dscale(part, edge));
  return mo_ddot(gap, gap);
}

static inline bool mo_is_closest_point_within(const mo_dvec3 corner[3], mo_dvec3 point,
                                              double distance) {
  return mo_dlength(mo_dsub(mo_triangle_closest_point(corner, point), point)) <= distance;
}

/* Whether a point is on the edge from `start` to `end`, to within `distance`, which must be larger
 * than rounding errors of the coordinates. */
static inline bool mo_is_point_on_edge(mo_dvec3 start, mo_dvec3 end, mo_dvec3 point,
                                       double distance) {
  const mo_dvec3 edge[3] = {start, end, start};
  const double distance2 = mo_squared_distance_from_edge(start, end, point);
  return distance2 <= 4.0 * distance * distance &&
         (distance2 <= 0.25 * distance * distance ||
          mo_is_closest_point_within(edge, point, distance));
}

/* Whether a point is on the triangle with the corners `corner`, to within `distance`, which must be
 * larger than rounding errors of the coordinates. Nearly all points that are on a triangle are on
 * its edges, as contact points of its neighbours are; so the edges are tested first. */
static inline bool mo_is_point_on_corners(const mo_dvec3 corner[3], mo_dvec3 point,
                                          double distance) {
  const double surely_within = 0.25 * distance * distance;
  return mo_gathered_may_be_within(corner, point, distance) &&
         (mo_squared_distance_from_edge(corner[0], corner[1], point) <= surely_within ||
          mo_squared_distance_from_edge(corner[1], corner[2], point) <= surely_within ||
          mo_squared_distance_from_edge(corner[2], corner[0], point) <= surely_within ||
          mo_is_closest_point_within(corner, point, distance));
}

static inline bool mo_is_point_on_face(const mo_gathered_face *face, mo_dvec3 point,
                                       double distance) {
  return !mo_gathered_face_is_far(face, point, distance) &&
         mo_is_point_on_corners(face->corner, point, distance);
}

/* Whether a point is on item `i`, a triangle, to within `distance`. */
static inline bool mo_is_point_on_item(const mo_gathered_triangles *gathered, uint32_t i,
                                       mo_dvec3 point, double distance) {
  mo_gathered_face made;
  return mo_is_point_on_face(mo_gathered_face_of(gathered, i, &made), point, distance);
}

/* How steeply a triangle rises above the plane through `point` with the normal `normal`: the
 * greatest sine of the angle between the plane and the direction from the point to a corner. */
static inline double mo_rise_sine(const mo_gathered_triangles *gathered, const mo_dvec3 corner[3],
                                  mo_dvec3 point, mo_dvec3 normal) {
  double rise = 0.0;
  for (int k = 0; k < 3; k++) {
    const mo_dvec3 to = mo_dsub(corner[k], point);
    const double length = mo_dlength(to);
    rise = length > gathered->tolerance ? mo_dmax(rise, mo_ddot(normal, to) / length) : rise;
  }
  return rise;
}

/* The range of heights of a triangle along a normal. */
typedef struct mo_height_range {
  double min, max;
} mo_height_range;

static inline mo_height_range mo_height_range_of(const mo_gathered_triangles *gathered, uint32_t i,
                                                 mo_dvec3 normal) {
  mo_gathered_face made;
  const mo_dvec3 *corner = mo_gathered_face_of(gathered, i, &made)->corner;
  const double a = mo_ddot(normal, corner[0]), b = mo_ddot(normal, corner[1]),
               c = mo_ddot(normal, corner[2]);
  return (mo_height_range){mo_dmin(a, mo_dmin(b, c)), mo_dmax(a, mo_dmax(b, c))};
}

#endif
