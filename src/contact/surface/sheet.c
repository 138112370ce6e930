/* The side of a sheet that a body is on: that of the sheet's point closest to the body's centre.
 * Where this point lies on an edge or vertex, the triangle there that faces the centre most
 * directly decides: the plane of another one may pass between the sheet and the centre. Where the
 * sheet ends there, and the centre is beside it rather than over it, it is on neither side. */
#include "contact/surface/sheet.h"

#include "base/assert.h"
#include "contact/body/body.h"
#include "geometry/triangle/triangle.h"

/* Fraction of a squared distance: points whose distances differ by less are equally close. */
static const double same_distance = 0x1p-28;
/* Sine of the angle between the sheet and the direction to the centre. Below it, the centre is
 * beside the border of the sheet, not over it. */
static const double beside = 0.5;

void mo_surface_visit(const mo_surface *surface, const mo_region *region,
                      bool (*report)(uint32_t triangle, void *context), void *context) {
  mo_mesh_overlap overlap;
  mo_mesh_overlap_init(&overlap, surface->mesh, region, surface->affine, surface->stats);
  overlap.report = report;
  overlap.context = context;
  mo_mesh_overlap_kernels_for(surface->isa, surface->mesh)->overlap(surface->mesh, &overlap);
}

void mo_surface_corners(const mo_surface *surface, uint32_t triangle, mo_dvec3 reference,
                        mo_dvec3 corner[3]) {
  mo_vec3 local[3];
  mo_mesh_corners(surface->mesh, triangle, local);
  const mo_transform *map = &surface->affine->to_world;
  const mo_dvec3 column[3] = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)},
                 origin = mo_dsub(mo_widen(map->origin), reference);
  for (int i = 0; i < 3; i++) {
    corner[i] = mo_dadd(origin, mo_map_columns(column, mo_widen(local[i])));
  }
}

mo_dvec3 mo_surface_front(const mo_surface *surface, const mo_dvec3 corner[3]) {
  const mo_dvec3 e = mo_dsub(corner[1], corner[0]), g = mo_dsub(corner[2], corner[0]),
                 normal = mo_dcross(e, g);
  if (!(mo_dlength(normal) > 0x1p-40 * mo_dlength(e) * mo_dlength(g))) {
    return (mo_dvec3){0.0, 0.0, 0.0};
  }
  /* a mirroring transform reverses the winding */
  return mo_dscale(mo_affine_mirrors(surface->affine) ? -1.0 : 1.0, mo_dunit(normal));
}

/* The search for the closest point of a sheet. */
typedef struct closest {
  const mo_surface *surface;
  mo_dvec3 center;
  uint32_t sheet;
  double distance2; /* the least so far */
  bool found;       /* the least distance is known: the triangles that have it are compared */
  double facing;    /* how directly the best of them faces the centre; negative: with its back */
  uint32_t triangle;
  bool at_border; /* whether the sheet ends at the closest point */
} closest;

/* Whether the point of a triangle closest to the origin lies on an open edge. */
static bool is_closest_at_border(const mo_mesh *mesh, uint32_t triangle, const mo_dvec3 corner[3],
                                 double distance2) {
  for (int i = 0; i < 3; i++) {
    if (mo_edge_at(mesh, triangle, i) == MO_MESH_EDGE_OPEN) {
      const mo_dvec3 edge[3] = {corner[i], corner[(i + 1) % 3], corner[i]};
      const mo_dvec3 to = mo_triangle_closest_point(edge, mo_dvec(0.0, 0.0, 0.0));
      if (mo_ddot(to, to) <= distance2 * (1.0 + same_distance)) {
        return true;
      }
    }
  }
  return false;
}

static bool compare(uint32_t triangle, void *context) {
  closest *c = context;
  const uint32_t sheet = c->surface->mesh->sheets[triangle];
  if (sheet >> 1 != c->sheet) {
    return true;
  }
  mo_dvec3 corner[3];
  mo_surface_corners(c->surface, triangle, c->center, corner);
  const mo_dvec3 to = mo_triangle_closest_point(corner, mo_dvec(0.0, 0.0, 0.0));
  const double distance2 = mo_ddot(to, to);
  if (!c->found) {
    c->distance2 = fmin(c->distance2, distance2);
  } else if (distance2 <= c->distance2 * (1.0 + same_distance)) {
    const double facing =
        -mo_ddot(mo_surface_front(c->surface, corner), to) * (sheet & 1 ? -1.0 : 1.0);
    if (fabs(facing) > fabs(c->facing) ||
        (fabs(facing) == fabs(c->facing) && triangle < c->triangle)) {
      c->facing = facing;
      c->triangle = triangle;
    }
    c->at_border =
        c->at_border || is_closest_at_border(c->surface->mesh, triangle, corner, c->distance2);
  }
  return true;
}

/* The side of a sheet, as its lowest triangle faces. */
static double find_side(const mo_sheet_sides *sides, const mo_surface *surface, uint32_t sheet) {
  closest c = {.surface = surface,
               .center = sides->center,
               .sheet = sheet,
               .distance2 = INFINITY,
               .triangle = UINT32_MAX};
  mo_surface_visit(surface, &sides->region, compare, &c);
  c.found = true;
  mo_surface_visit(surface, &sides->region, compare, &c);
  if (c.at_border && fabs(c.facing) < beside * sqrt(c.distance2)) {
    return 0.0;
  }
  return c.facing < 0.0 ? -1.0 : 1.0;
}

double mo_sheet_side(mo_sheet_sides *sides, const mo_surface *surface, uint32_t triangle) {
  MO_ASSERT(surface->mesh->sheets != NULL && triangle < surface->mesh->triangle_count);
  const uint32_t own = surface->mesh->sheets[triangle];
  int i = 0;
  while (i < sides->count && sides->sheet[i] != own >> 1) {
    i++;
  }
  double side;
  if (i < sides->count) {
    side = sides->side[i];
  } else {
    side = find_side(sides, surface, own >> 1);
    if (i < MO_KNOWN_SHEETS) {
      sides->sheet[i] = own >> 1;
      sides->side[i] = side;
      sides->count++;
    }
  }
  return own & 1 ? -side : side;
}
