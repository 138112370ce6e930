#include "contact/pair/beyond.h"

#include "geometry/triangle/triangle.h"

/* An edge of a triangle, and whether the body's centre is beyond the plane of a neighbour there: on
 * the other side than the triangle, which is off that plane by more than a degree. */
typedef struct edge_sides {
  const mo_surface *surface;
  uint32_t triangle;
  mo_dvec3 middle, third; /* of the edge; the corner of the triangle that is not on it */
  double near;
  bool beyond;
} edge_sides;

static bool examine_neighbour(uint32_t triangle, void *context) {
  edge_sides *e = context;
  if (triangle == e->triangle) {
    return true;
  }
  mo_contact_body own;
  mo_surface_make_triangle(e->surface, triangle, &own);
  const mo_dvec3 closest = mo_triangle_closest_point(own.corner, e->middle);
  if (mo_dlength(mo_dsub(closest, e->middle)) <= e->near) {
    const mo_dvec3 normal = mo_dcross(mo_dsub(own.corner[1], own.corner[0]),
                                      mo_dsub(own.corner[2], own.corner[0])),
                   to_center = mo_dsub(e->surface->center, e->middle),
                   to_third = mo_dsub(e->third, e->middle);
    const double third = mo_ddot(normal, to_third);
    e->beyond = mo_ddot(normal, to_center) * third < 0.0 &&
                fabs(third) > mo_slight_lean * mo_dlength(normal) * mo_dlength(to_third);
  }
  return !e->beyond;
}

bool mo_surface_is_beyond_neighbour(const mo_surface *s, uint32_t triangle,
                                    const mo_dvec3 corner[3], bool in_front, double size) {
  edge_sides e = {.surface = s, .triangle = triangle, .near = mo_same_place * size};
  for (int i = 0; i < 3 && !e.beyond; i++) {
    if (mo_edge_at(s->mesh->mesh, triangle, i) != MO_MESH_EDGE_FLAT &&
        mo_surface_hides_edge(s, triangle, i, in_front)) {
      e.middle = mo_dscale(0.5, mo_dadd(corner[i], corner[(i + 1) % 3]));
      e.third = corner[(i + 2) % 3];
      mo_surface_visit_place(s, e.middle, e.near, examine_neighbour, &e);
    }
  }
  return e.beyond;
}

static bool has_plane(const mo_whole_body *whole, const mo_surface_side *side) {
  int i = 0;
  while (i < whole->plane_count && !mo_surface_same_plane(&whole->planes[i], side, whole->size)) {
    i++;
  }
  return i < whole->plane_count;
}

static void examine_triangle(const mo_surface *s, uint32_t triangle) {
  mo_contact_body own;
  mo_surface_make_triangle(s, triangle, &own);
  const mo_surface_side side = mo_surface_side_of(s, &own);
  if (mo_dlength(side.face) > 0.0 && !has_plane(s->whole, &side) &&
      mo_surface_is_beyond_neighbour(s, triangle, own.corner, side.in_front, s->whole->size)) {
    s->whole->planes[s->whole->plane_count++] = side;
  }
}

static void find_planes(const mo_surface *s) {
  enum { BATCH = 256 };
  uint32_t triangles[BATCH], count, begin = 0;
  do {
    count = mo_surface_collect(s, &s->whole->region, begin, triangles, BATCH);
    for (uint32_t i = 0; i < count && s->whole->plane_count < MO_BEYOND_PLANES; i++) {
      examine_triangle(s, triangles[i]);
    }
    begin = count > 0 ? triangles[count - 1] + 1 : 0;
  } while (count == BATCH && s->whole->plane_count < MO_BEYOND_PLANES);
}

bool mo_surface_is_beyond_plane(const mo_surface *s, const mo_surface_side *side) {
  mo_whole_body *whole = s->whole;
  if (whole == NULL) {
    return false;
  }
  if (!whole->has_planes) {
    /* Relative to the mesh's centre, so that rounding is the same whichever triangle asks first. */
    mo_surface from_center = *s;
    from_center.reference = whole->center;
    from_center.center = (mo_dvec3){0.0, 0.0, 0.0};
    find_planes(&from_center);
    whole->has_planes = true;
  }
  return has_plane(whole, side);
}
