/* Contacts of a convex body with the triangles of a mesh, treated as one surface: contacts of
 * internal (ghost) edges are suppressed. */
#ifndef MO_CONTACT_PAIR_SURFACE_H
#define MO_CONTACT_PAIR_SURFACE_H

#include "contact/pair/pair.h"
#include "mesh/overlap/overlap.h"

/* Sine of about a degree. A normal that leans by less is replaced by the triangle's normal. */
static const double mo_surface_slight_lean = 0.02;
/* Fraction of the size of the body: points closer than this are the same. */
static const double mo_surface_same_place = 0x1p-13;

/* Which side of a triangle a body is on. */
typedef struct mo_surface_side {
  mo_dvec3 face; /* unit, towards the side that the body's centre is on; zero: degenerate */
  double height; /* of the body's centre above the triangle's plane */
  bool in_front; /* whether that side is the front */
} mo_surface_side;

/* A triangle and its contact with a body, on its own and as part of the surface. */
typedef struct mo_triangle_contact {
  bool found; /* false: the triangle has no contact even on its own, and nothing below is set */
  mo_manifold manifold;
  /* Set only for meshes with edges: */
  mo_dvec3 corner[3];
  mo_dvec3 face;         /* unit, towards the side that the body's centre is on; zero: degenerate */
  bool in_front;         /* whether that side is the front */
  mo_dvec3 normal;       /* of `manifold`, from the triangle to the body */
  mo_manifold alone;     /* contact of the triangle on its own, without the rules of the surface */
  mo_dvec3 alone_normal; /* of `alone`, from the triangle to the body */
  bool hidden;           /* whether `alone` is not a contact of the surface */
  bool hidden_by_bend;   /* not only at flat edges, beyond which a neighbour may have it */
  bool along_face;
  bool below_top; /* the triangle belongs to a side below the body (contact/pair/planes.h) */
} mo_triangle_contact;

enum { MO_CACHED_TRIANGLES = 16 };

/* A direct-mapped cache of the last triangle contacts of a body, indexed by the triangle modulo
 * MO_CACHED_TRIANGLES: most are needed again for points on shared edges. */
typedef struct mo_triangle_cache {
  uint32_t triangle[MO_CACHED_TRIANGLES]; /* MO_NO_TRIANGLE: none yet */
  mo_triangle_contact items[MO_CACHED_TRIANGLES];
} mo_triangle_cache;

/* A mesh whose triangles are the bodies on a surface. */
typedef struct mo_whole_body {
  const mo_collider *mesh;
  mo_dvec3 center;  /* of its bounds; world */
  double size;      /* diagonal of its bounds */
  mo_region region; /* all its contacts are there */
  bool has_planes;  /* whether the planes near it have been found: when they are first needed */
} mo_whole_body;

typedef struct mo_near_planes mo_near_planes;

/* A mesh and a body that touches it. */
typedef struct mo_surface {
  const mo_contact_search *search;
  const mo_collider *mesh;
  const mo_contact_body *body;
  mo_dvec3 reference; /* world; mesh and body are relative to it */
  /* of the body, or of the mesh it is a triangle of: decides which side of triangles it is on */
  mo_dvec3 center;
  mo_whole_body *whole; /* the mesh that the body is a triangle of; null: it is not */
  mo_near_planes *near; /* near the body, or the whole mesh; not read for a mesh without edges */
  bool mesh_first;      /* normals go from the mesh to the body; else the other way */
  mo_triangle_cache *cache;
} mo_surface;

static inline void mo_triangle_cache_clear(mo_triangle_cache *cache) {
  for (int i = 0; i < MO_CACHED_TRIANGLES; i++) {
    cache->triangle[i] = MO_NO_TRIANGLE;
  }
}

/* Reports each triangle of a mesh that touches a region once. `report` returns false to stop. */
void mo_surface_visit(const mo_contact_search *search, const mo_collider *mesh,
                      const mo_region *region, bool (*report)(uint32_t triangle, void *context),
                      void *context);

/* Collects the triangles that touch a region and have at least the index `begin`: up to `capacity`,
 * those with the lowest indices, in order. Returns their number. */
uint32_t mo_surface_collect(const mo_surface *s, const mo_region *region, uint32_t begin,
                            uint32_t *triangles, uint32_t capacity);

/* Whether the mesh is treated as one surface: it was built with edges. Not with a half-space, which
 * touches any mesh only at vertices. */
bool mo_surface_knows_edges(const mo_surface *s);

/* Make the body of a triangle, and find which side of it the surface's body is on. */
void mo_surface_make_triangle(const mo_surface *s, uint32_t triangle, mo_contact_body *body);
mo_surface_side mo_surface_side_of(const mo_surface *s, const mo_contact_body *triangle);

/* Whether two triangles lie in one plane, and the body's centre on the same side: within a
 * tolerance that depends on the body's size. */
bool mo_surface_same_plane(const mo_surface_side *p, const mo_surface_side *q, double size);

/* Whether a triangle has only flat edges: the surface neither ends nor bends at them. */
bool mo_surface_is_amid_flat(const mo_surface *s, uint32_t triangle);

/* Whether an edge is internal as seen from the body's side: the surface is flat there or rises. */
bool mo_surface_hides_edge(const mo_surface *s, uint32_t triangle, int edge, bool in_front);

/* Finds the contact of a triangle; false: none. If the mesh was built with edges, it is a contact
 * of the whole surface: none where a neighbour has it, and along the normal of the triangle where
 * the surface neither ends nor bends away at the edge. `along_face` receives whether it is along
 * that normal. */
bool mo_surface_contact(const mo_surface *s, uint32_t triangle, mo_manifold *manifold,
                        bool *along_face);

/* Whether a triangle has no contact, or belongs to a side below the body (contact/pair/planes.h).
 * Only for meshes with edges. */
bool mo_surface_is_left_out(const mo_surface *s, uint32_t triangle);

/* The contact of a triangle along a normal. */
mo_manifold mo_surface_contact_along(const mo_surface *s, const mo_contact_body *own,
                                     mo_dvec3 face);

/* Reports all contacts with the triangles that touch a region, in any order: one for each triangle,
 * or if the mesh was built with edges, one for all triangles in a plane. */
typedef void mo_surface_report(uint32_t triangle, const mo_manifold *manifold, void *context);
void mo_surface_find_contacts(const mo_surface *s, const mo_region *region,
                              mo_surface_report *report, void *context);

#endif
