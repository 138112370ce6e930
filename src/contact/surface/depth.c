#include "contact/surface/depth.h"

#include "geometry/triangle/triangle.h"

/* Points are equally close if their distances differ by less than this fraction of the distance. */
static const double same_distance_tolerance = 0x1p-20;

/* How far a point is behind the surface near the body, as seen from the side that the body is on:
 * its distance from the closest triangle, but for those below a top on which the mesh rests; 0 if
 * the point is in front of that triangle. */
static double depth_behind_surface(const mo_gathered_triangles *gathered, mo_dvec3 point) {
  double distance = INFINITY, facing = 0.0;
  for (uint32_t i = 0; i < gathered->count; i++) {
    const mo_gathered_triangle *t = &gathered->items[i];
    mo_gathered_face made;
    const mo_dvec3 *corner = mo_gathered_face_of(gathered, i, &made)->corner;
    if (t->is_below_top ||
        !mo_gathered_may_be_within(corner, point, distance * (1.0 + same_distance_tolerance))) {
      continue;
    }
    const mo_dvec3 from = mo_dsub(point, mo_triangle_closest_point(corner, point));
    const double to = mo_dlength(from),
                 towards = mo_ddot(mo_gathered_front_on_body_side(gathered, i), from);
    if (to < distance * (1.0 - same_distance_tolerance)) {
      distance = to;
      facing = towards;
    } else if (to <= distance * (1.0 + same_distance_tolerance) && fabs(towards) > fabs(facing)) {
      facing = towards;
    }
  }
  return facing > 0.0 ? 0.0 : distance;
}

mo_dvec3 mo_surface_middle_of_contact(const mo_gathered_triangles *gathered,
                                      const mo_manifold *manifold, mo_dvec3 normal) {
  mo_dvec3 middle = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < manifold->point_count; i++) {
    const mo_dvec3 p = mo_gathered_point_on_body(gathered, &manifold->points[i], normal);
    middle = mo_dadd(middle, mo_dscale(1.0 / manifold->point_count, p));
  }
  return middle;
}

double mo_surface_max_depth_of_mesh(const mo_gathered_triangles *gathered,
                                    const mo_manifold_point *point, mo_dvec3 normal,
                                    mo_dvec3 middle) {
  const mo_dvec3 on_body = mo_gathered_point_on_body(gathered, point, normal),
                 inward = mo_dsub(middle, on_body);
  const double depth = -(double)point->separation, length = mo_dlength(inward);
  const mo_dvec3 inside =
      length > depth ? mo_dadd(on_body, mo_dscale(depth / length, inward)) : middle;
  return MO_MAX_DEPTH_RATIO *
             mo_dmax(gathered->max_overlap, depth_behind_surface(gathered, inside)) +
         MO_SURFACE_HEIGHT_TOLERANCE * gathered->size;
}

void mo_surface_limit_depths(const mo_gathered_triangles *gathered, double max_depth,
                             mo_manifold *manifold) {
  const bool is_first = gathered->surface->is_first,
             of_mesh = gathered->surface_body->mesh_box_corner != NULL;
  const mo_dvec3 to_body = mo_dscale(is_first ? 1.0 : -1.0, mo_widen(manifold->normal)),
                 middle = mo_surface_middle_of_contact(gathered, manifold, to_body);
  for (uint32_t i = 0; i < manifold->point_count; i++) {
    mo_manifold_point *p = &manifold->points[i];
    const float min = p->separation >= 0.0f ? 0.0f
                      : of_mesh ? (float)-mo_surface_max_depth_of_mesh(gathered, p, to_body, middle)
                                : (float)-max_depth;
    if (p->separation < min) {
      const float by = (is_first ? 0.5f : -0.5f) * (min - p->separation);
      mo_gathered_move_point(p, mo_scale(by, manifold->normal));
      p->separation = min;
    }
  }
}
