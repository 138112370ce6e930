/* A mesh as a surface, and which side of its sheets a body is on.
 *
 * A sheet is a part of the surface that is connected by edges of exactly two triangles; its
 * triangles agree on a front and a back, whatever their windings (mo_mesh::sheets). Triangles are
 * two-sided, so which side of a sheet a body is on decides where contacts push it. The side is
 * decided for the whole sheet by the sheet's point that is closest to the centre of the body. (The
 * plane of a single triangle says nothing where the body reaches over a summit.) But both sides of
 * a sheet with a border may be visible from the centre: if the centre sees a triangle from the
 * other side, the body collides with this triangle on that side. */
#ifndef MO_CONTACT_SURFACE_SHEET_H
#define MO_CONTACT_SURFACE_SHEET_H

#include "base/assert.h"
#include "base/isa.h"
#include "contact/arithmetic.h"
#include "mesh/overlap/overlap.h"

/* Where the rules that make and remove contacts are logged: the host, and the slots of both shapes.
 */
typedef struct mo_contact_log {
  const mo_host *host;
  uint32_t a, b;
} mo_contact_log;

/* A mesh of a scene as a surface with which bodies have contacts. */
typedef struct mo_surface {
  const mo_mesh *mesh;
  const mo_affine *affine; /* the map of the shape */
  mo_dvec3 column[3];      /* columns of the linear part of that map */
  bool mirrors;            /* whether that map is a reflection */
  mo_isa isa;
  mo_query_stats *stats;
  double max; /* the greatest separation that contact points may have */
  bool cull_back_faces;
  bool is_first; /* contact normals point from the mesh to the body; false: to the mesh */
  const mo_contact_log *log; /* null: rules are not logged */
} mo_surface;

enum {
  MO_MAX_KNOWN_SHEETS = 256,     /* how many sheets mo_sheet_sides can store */
  MO_MAX_LISTED_TRIANGLES = 255, /* how many triangles it can list */
};

/* Bound of the relative rounding error of the signed volume of the tetrahedron of a point and a
 * triangle. */
#define MO_SIGNED_VOLUME_ERROR 0x1p-40

enum { MO_MAX_SHEET_POINTS = 8 };

/* Points of a mesh that together decide on which side of a sheet it is. */
typedef struct mo_sheet_points {
  uint32_t count;
  double weight[MO_MAX_SHEET_POINTS];
  mo_dvec3 position[MO_MAX_SHEET_POINTS]; /* world */
} mo_sheet_points;

/* On which side of a sheet the body is. */
typedef struct mo_sheet_side {
  uint32_t sheet;    /* the number of the sheet */
  int8_t side;       /* 1: in front of it, -1: behind it, 0: beside its border */
  bool planes_agree; /* the centre is on the same side of the planes of all its triangles nearby */
} mo_sheet_side;

/* The sides of sheets that are known so far. */
typedef struct mo_sheet_sides {
  mo_dvec3 center; /* centre of the body, world */
  /* Not null: the body is a mesh, and these points of it decide in place of its centre. */
  const mo_sheet_points *points;
  mo_region region; /* around the body, world; without `points`, other triangles are ignored */
  bool uses_visible_sides; /* triangles that the centre sees collide on the visible side */
  /* The triangles that may have contacts; or, if `lists_region`, all that touch `region`. Null: not
   * known. There is space for MO_MAX_LISTED_TRIANGLES. */
  uint32_t *triangles;
  uint32_t triangle_count; /* length of `triangles` */
  bool lists_region;
  int count;
  mo_sheet_side known[MO_MAX_KNOWN_SHEETS]; /* ascending by `sheet` */
} mo_sheet_sides;

/* Begins without any known sides, for a body with the centre `center`. `uses_visible_sides`: the
 * side is decided by the closest point of a sheet, and for single triangles also by whether the
 * centre sees them. */
static inline void mo_sheet_sides_begin(mo_sheet_sides *sides, mo_dvec3 center,
                                        const mo_region *region, bool uses_visible_sides) {
  sides->center = center;
  sides->region = *region;
  sides->points = NULL;
  sides->uses_visible_sides = uses_visible_sides;
  sides->triangles = NULL;
  sides->triangle_count = 0;
  sides->lists_region = false;
  sides->count = 0;
}

/* Sets the triangles that may have contacts, each once; `lists_region`: all that touch the region.
 * If the centre is on the same side of the planes of all of them that belong to a sheet, this is
 * the side of the sheet. The array has space for MO_MAX_LISTED_TRIANGLES, and is kept. */
static inline void mo_sheet_sides_set_triangles(mo_sheet_sides *sides, uint32_t *triangles,
                                                uint32_t count, bool lists_region) {
  sides->triangles = triangles;
  sides->triangle_count = count;
  sides->lists_region = lists_region;
}

/* Calls `report` once for each triangle of a mesh that touches a region; it returns false to stop.
 */
void mo_surface_visit(const mo_surface *surface, const mo_region *region,
                      bool (*report)(uint32_t triangle, void *context), void *context);

/* The world corners of a triangle, relative to the world point `reference`. */
void mo_surface_corners(const mo_surface *surface, uint32_t triangle, mo_dvec3 reference,
                        mo_dvec3 corner[3]);

/* The unit normal of the front of a triangle with these corners, whatever the mirroring of the
 * shape; zero if the triangle is degenerate. `error_bound` receives a bound of the rounding error
 * of its components. */
mo_dvec3 mo_surface_front_normal(const mo_surface *surface, const mo_dvec3 corner[3],
                                 double *error_bound);

/* On which sides of the planes of four triangles a world point is, where the front is given by the
 * winding. Bit i: surely in front of triangle i; bit 4 + i: surely behind it. */
MO_ISA_DECLARE(uint32_t, mo_triangles_sides,
               (const mo_surface *surface, const uint32_t triangle[4], mo_dvec3 point));

/* The side of a triangle's sheet that the body is on: 1 if it is the side of the triangle's front,
 * -1 if it is the side of its back, 0 if the body is beside the border of the sheet. Only for
 * meshes with edges. */
double mo_sheet_find_side_of_body(mo_sheet_sides *sides, const mo_surface *surface,
                                  uint32_t triangle);

#endif
