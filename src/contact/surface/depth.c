#include "contact/surface/depth.h"

#include <float.h>

#include "geometry/triangle/triangle.h"
#include "mesh/near/near.h"

/* Points are equally close if their distances differ by less than this fraction of the distance. */
static const double same_distance_tolerance = 0x1p-20;

/* The search for the triangle of the surface that is closest to a point, relative to the reference
 * point of the body. */
typedef struct closest_search {
  const mo_gathered_triangles *gathered;
  mo_dvec3 point;
  double distance; /* of that triangle; INFINITY: none yet */
  double facing;   /* how far the point is in front of it, on the side that the body is on */
} closest_search;

/* Whether a triangle is as close as the closest so far, or closer: `from` receives the vector to
 * the point from the triangle's closest point. */
static bool is_close(const closest_search *s, const mo_dvec3 corner[3], mo_dvec3 *from) {
  const double limit = s->distance * (1.0 + same_distance_tolerance);
  if (!mo_gathered_may_be_within(corner, s->point, limit)) {
    return false;
  }
  *from = mo_dsub(s->point, mo_triangle_closest_point(corner, s->point));
  return mo_dlength(*from) <= limit;
}

/* Takes a triangle that is close. Of several as close, the plane of the one that faces the point
 * most directly decides whether the point is in front. */
static void take(closest_search *s, mo_dvec3 from, mo_dvec3 front) {
  const double to = mo_dlength(from), facing = mo_ddot(front, from);
  if (to < s->distance * (1.0 - same_distance_tolerance)) {
    s->distance = to;
    s->facing = facing;
  } else if (fabs(facing) > fabs(s->facing)) {
    s->facing = facing;
  }
}

static void take_gathered_triangles(closest_search *s) {
  const mo_gathered_triangles *gathered = s->gathered;
  for (uint32_t i = 0; i < gathered->count; i++) {
    mo_gathered_face made;
    mo_dvec3 from;
    if (is_close(s, mo_gathered_face_of(gathered, i, &made)->corner, &from)) {
      take(s, from, mo_gathered_front_on_body_side(gathered, i));
    }
  }
}

static bool is_gathered(const mo_gathered_triangles *gathered, uint32_t triangle) {
  bool found = false;
  for (uint32_t i = 0; i < gathered->count && !found; i++) {
    found = gathered->items[i].index == triangle;
  }
  return found;
}

/* Boxes beyond this squared distance are not visited: it exceeds that of the closest triangle by
 * more than same_distance_tolerance. */
static double visit_limit2_of(const closest_search *s) {
  return fmin(s->distance * s->distance * (1.0 + 0x1p-18) + 0x1p-1000, DBL_MAX);
}

static void take_other_triangle(const mo_vec3 corners[3], uint32_t triangle,
                                mo_mesh_closest *query) {
  closest_search *s = query->context;
  const mo_gathered_triangles *gathered = s->gathered;
  mo_dvec3 corner[3], from;
  (void)corners;
  mo_surface_corners(gathered->surface, triangle, gathered->surface_body->reference, corner);
  if (is_close(s, corner, &from) && !is_gathered(gathered, triangle)) {
    double error_bound;
    const mo_dvec3 front = mo_surface_front_normal(gathered->surface, corner, &error_bound);
    const double side =
        mo_sheet_find_side_of_body(gathered->surface_body->sides, gathered->surface, triangle);
    take(s, from, mo_dscale(side, front));
    query->limit = visit_limit2_of(s);
  }
}

/* How far a point of the body is behind the surface, as seen from the side that the body is on: its
 * distance from the closest triangle; 0 if the point is in front of that triangle. (All triangles
 * closer than the greatest separation of contacts have been gathered.) */
static double depth_behind_surface(const mo_gathered_triangles *gathered, mo_dvec3 point) {
  const mo_surface *surface = gathered->surface;
  closest_search s = {.gathered = gathered, .point = point, .distance = INFINITY};
  take_gathered_triangles(&s);
  if (s.distance > surface->max) {
    mo_mesh_closest query;
    mo_mesh_closest_init(&query, surface->mesh, mo_dadd(gathered->surface_body->reference, point),
                         surface->affine, INFINITY);
    query.context = &s;
    query.test = take_other_triangle;
    query.limit = visit_limit2_of(&s);
    mo_mesh_closest_find(&query, surface->isa, surface->mesh, surface->stats);
  }
  return s.facing > 0.0 ? 0.0 : s.distance;
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

/* How deep a point may be; its depth, if it may be as deep as it is. */
static double max_depth_of_mesh(const mo_gathered_triangles *gathered,
                                const mo_manifold_point *point, mo_dvec3 normal, mo_dvec3 middle) {
  const double tolerance = MO_SURFACE_HEIGHT_TOLERANCE * gathered->size,
               overlap = gathered->max_triangle_depth, depth = -(double)point->separation;
  if (depth <= MO_MAX_DEPTH_RATIO * overlap + tolerance) {
    return depth;
  }
  const mo_dvec3 on_body = mo_gathered_point_on_body(gathered, point, normal),
                 inward = mo_dsub(middle, on_body);
  const double length = mo_dlength(inward);
  const mo_dvec3 inside =
      length > depth ? mo_dadd(on_body, mo_dscale(depth / length, inward)) : middle;
  const double behind = depth_behind_surface(gathered, inside);
  return MO_MAX_DEPTH_RATIO * mo_dmax(overlap, behind) + tolerance;
}

bool mo_surface_is_too_deep(const mo_gathered_triangles *gathered, const mo_manifold_point *point,
                            mo_dvec3 normal, mo_dvec3 middle) {
  return -(double)point->separation > max_depth_of_mesh(gathered, point, normal, middle);
}

void mo_surface_limit_depths(const mo_gathered_triangles *gathered, double max_depth,
                             mo_manifold *manifold) {
  const bool is_first = gathered->surface->is_first, of_mesh = gathered->surface_body->mesh != NULL;
  const mo_dvec3 to_body = mo_dscale(is_first ? 1.0 : -1.0, mo_widen(manifold->normal)),
                 middle = mo_surface_middle_of_contact(gathered, manifold, to_body);
  for (uint32_t i = 0; i < manifold->point_count; i++) {
    mo_manifold_point *p = &manifold->points[i];
    const float min = p->separation >= 0.0f ? 0.0f
                      : of_mesh ? (float)-max_depth_of_mesh(gathered, p, to_body, middle)
                                : (float)-max_depth;
    if (p->separation < min) {
      const float by = (is_first ? 0.5f : -0.5f) * (min - p->separation);
      mo_gathered_move_point(p, mo_scale(by, manifold->normal));
      p->separation = min;
    }
  }
}
