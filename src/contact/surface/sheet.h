/* A mesh as a surface, and which side of its sheets a body is on.
 *
 * A sheet is a part of the surface that is connected by edges of exactly two triangles; its
 * triangles agree on a front and a back, whatever their windings (mo_mesh::sheets). Triangles are
 * two-sided, so which side of a sheet a body is on decides where contacts push it. It is decided
 * for the whole sheet by its point that is closest to the centre of the body. (The plane of a
 * single triangle says nothing where the body reaches over a summit.) But both sides of a
 * sheet with a border may be visible from the centre: with a triangle that the centre sees from the
 * other side, the body collides on that side. */
#ifndef MO_CONTACT_SURFACE_SHEET_H
#define MO_CONTACT_SURFACE_SHEET_H

#include "base/assert.h"
#include "base/isa.h"
#include "mesh/overlap/overlap.h"

/* For messages about which rules make and remove contacts: the host, and the slots of both shapes.
 */
typedef struct mo_contact_log {
  const mo_host *host;
  uint32_t a, b;
} mo_contact_log;

/* A mesh as a surface that bodies have contacts with. */
typedef struct mo_surface {
  const mo_mesh *mesh;
  const mo_affine *affine; /* of the shape */
  mo_dvec3 column[3];      /* of the linear part of its map */
  bool mirrors;            /* whether that map is a reflection */
  mo_isa isa;
  mo_query_stats *stats;
  double max; /* the greatest separation of a contact */
  bool cull_back_faces;
  bool is_first; /* normals of contacts point from the mesh to the body; else the other way */
  const mo_contact_log *log; /* null: rules are not logged */
} mo_surface;

enum { MO_MAX_KNOWN_SHEETS = 256 }; /* capacity of mo_sheet_sides */

/* Bound of the relative rounding error of the signed volume of a point and a triangle. */
#define MO_SIGNED_VOLUME_ERROR 0x1p-40

/* The sides of sheets that are known so far. They are found together, beginning with the one that
 * is needed and as many as there is capacity for, so that loose triangles, which are a sheet each,
 * take few visits of the mesh. */
typedef struct mo_sheet_sides {
  mo_dvec3 center;           /* of the body; world */
  mo_region region;          /* only triangles that touch it are considered; world */
  bool uses_visible_sides;   /* triangles that the centre sees collide on the side that it sees */
  const uint32_t *triangles; /* the triangles that touch `region`, if known; else null */
  uint32_t triangle_count;   /* of `triangles` */
  bool planes_agree; /* the centre is on the same side of the planes of all triangles of a sheet */
  int count;         /* the number of sheets whose sides are known */
  uint32_t sheet[MO_MAX_KNOWN_SHEETS]; /* by sheet: its lowest triangle index; ascending */
  int8_t side[MO_MAX_KNOWN_SHEETS];    /* by sheet: as mo_sheet_side of its lowest triangle */
} mo_sheet_sides;

/* Begins without any known sides, for a body with this centre. `uses_visible_sides`: the side of a
 * sheet is decided by its closest point, and for single triangles also by whether the centre sees
 * them. */
static inline void mo_sheet_sides_begin(mo_sheet_sides *sides, mo_dvec3 center,
                                        const mo_region *region, bool uses_visible_sides) {
  sides->center = center;
  sides->region = *region;
  sides->uses_visible_sides = uses_visible_sides;
  sides->triangles = NULL;
  sides->triangle_count = 0;
  sides->planes_agree = false;
  sides->count = 0;
}

/* Sets the triangles that touch the region, so that the mesh need not be visited: at most
 * MO_MAX_KNOWN_SHEETS - 1, each once. The array is not copied. */
static inline void mo_sheet_sides_set_triangles(mo_sheet_sides *sides, const uint32_t *triangles,
                                                uint32_t count) {
  MO_ASSERT(count < MO_MAX_KNOWN_SHEETS);
  sides->triangles = triangles;
  sides->triangle_count = count;
}

/* Reports each triangle of a mesh that touches a region once. `report` returns false to stop. */
void mo_surface_visit(const mo_surface *surface, const mo_region *region,
                      bool (*report)(uint32_t triangle, void *context), void *context);

/* The corners of a triangle relative to a point. Both are in the world. */
void mo_surface_corners(const mo_surface *surface, uint32_t triangle, mo_dvec3 reference,
                        mo_dvec3 corner[3]);

/* The unit normal of the front of a triangle with these corners, whatever the mirroring of the
 * shape; zero if the triangle is degenerate. `noise` receives a bound of the rounding error of its
 * components. */
mo_dvec3 mo_surface_front_normal(const mo_surface *surface, const mo_dvec3 corner[3],
                                 double *noise);

/* On which side of the planes of four triangles, by their windings, a point (world) is. Bit i:
 * surely in front of triangle i; bit 4 + i: surely behind it. */
MO_ISA_DECLARE(uint32_t, mo_triangles_sides,
               (const mo_surface *surface, const uint32_t triangle[4], mo_dvec3 point));

/* 1 if the body is in front of a triangle's sheet, as that triangle faces, -1 if it is behind, or 0
 * if the body is beside the border of the sheet. Only for meshes with edges. */
double mo_sheet_side(mo_sheet_sides *sides, const mo_surface *surface, uint32_t triangle);

#endif
