#include "contact/surface/mesh_body.h"

#include "contact/surface/depth.h"
#include "contact/surface/heights.h"

/* The search for a triangle that rises above the plane of a contact at its point. */
typedef struct rise_search {
  const mo_gathered_triangles *gathered;
  const mo_surface *surface;
  mo_dvec3 point, normal; /* of the contact */
  bool is_on_triangle;    /* whether the point is on some triangle */
  bool rises;
} rise_search;

/* Returns false to stop. */
static bool add_triangle(rise_search *s, const mo_dvec3 corner[3]) {
  if (mo_is_point_on_corners(corner, s->point, s->gathered->tolerance)) {
    s->is_on_triangle = true;
    s->rises = mo_rise_sine(s->gathered, corner, s->point, s->normal) > MO_MIN_HIDING_RISE_SINE;
  }
  return !s->rises;
}

static bool add_visited_triangle(uint32_t triangle, void *context) {
  rise_search *s = context;
  mo_dvec3 corner[3];
  mo_surface_corners(s->surface, triangle, s->gathered->surface_body->reference, corner);
  return add_triangle(s, corner);
}

/* Whether a point is on a mesh, and the mesh rises there nowhere above the plane through the point
 * with the normal `normal`. */
static bool is_local_maximum(const mo_gathered_triangles *gathered, const mo_surface *surface,
                             mo_dvec3 point, mo_dvec3 normal) {
  rise_search s = {.gathered = gathered, .surface = surface, .point = point, .normal = normal};
  const mo_dvec3 at = mo_dadd(gathered->surface_body->reference, point),
                 by = {gathered->tolerance, gathered->tolerance, gathered->tolerance};
  const mo_region region = {.kind = MO_REGION_BOX,
                            .box = mo_aabb_around(mo_dsub(at, by), mo_dadd(at, by))};
  mo_surface_visit(surface, &region, add_visited_triangle, &s);
  return s.is_on_triangle && !s.rises;
}

/* 1: the outside of the body's mesh is in front of the body (mo_gathered_triangles::body_front),
 * -1: behind it, 0: not known. */
static double outer_side_of(const mo_gathered_triangles *gathered) {
  const mo_surface_body *on = gathered->surface_body;
  const mo_surface *own = &on->mesh->own;
  const double side = mo_mesh_outer_side(own->mesh, on->mesh_triangle);
  return own->mirrors != gathered->surface->mirrors ? -side : side;
}

/* Whether a contact normal leads out of the body through its outside: the contact would be on the
 * far side of the mesh. */
static bool leads_to_far_side(const mo_gathered_triangles *gathered, mo_dvec3 normal) {
  return outer_side_of(gathered) * mo_ddot(gathered->body_front, normal) > MO_SNAP_TO_FACE_MAX_SINE;
}

static bool is_proven_at(const mo_gathered_triangles *gathered, const mo_manifold_point *point,
                         mo_dvec3 normal) {
  const mo_dvec3 on_surface = mo_gathered_point_on_triangle(gathered, point, normal);
  return is_local_maximum(gathered, gathered->surface, on_surface, normal) &&
         is_local_maximum(gathered, &gathered->surface_body->mesh->own,
                          mo_gathered_point_on_body(gathered, point, normal),
                          mo_dscale(-1.0, normal));
}

/* Faces lie on each other if the cosine between their normals is above this: the faces beside them
 * may be a little lower or higher. */
static const double face_to_face_cosine = 0.99;

bool mo_mesh_body_is_proven(const mo_gathered_triangles *gathered, const mo_contact_along *contact,
                            const mo_manifold *manifold) {
  const mo_dvec3 n = contact->normal;
  if (contact->kept_points == 0 || leads_to_far_side(gathered, n)) {
    return false;
  }
  bool is_proven =
      contact->separation > 0.0f ||
      (contact->on_face && fabs(mo_ddot(gathered->body_front, n)) > face_to_face_cosine);
  for (uint32_t k = 0; k < manifold->point_count && !is_proven; k++) {
    const mo_manifold_point *point = &manifold->points[k];
    is_proven = (contact->kept_points >> k & 1) != 0 &&
                point->separation <= contact->separation / (float)MO_MAX_DEPTH_RATIO &&
                is_proven_at(gathered, point, n);
  }
  return is_proven;
}

void mo_mesh_body_take_shallower(const mo_gathered_triangles *gathered, uint32_t i, mo_dvec3 along,
                                 bool on_face, bool limited, mo_contact_along *best) {
  /* rounded to float as when stored, so that mo_gathered_accepted_contact finds the same points */
  mo_contact_along c = {
      .normal = mo_widen(mo_narrow(along)), .separation = INFINITY, .on_face = on_face};
  const mo_manifold manifold = mo_gathered_contact_along(gathered, i, c.normal);
  const mo_dvec3 middle = mo_surface_middle_of_contact(gathered, &manifold, c.normal);
  for (uint32_t k = 0; k < manifold.point_count; k++) {
    const mo_manifold_point *point = &manifold.points[k];
    if (!limited || !mo_surface_is_too_deep(gathered, point, c.normal, middle)) {
      c.kept_points |= (uint8_t)(1u << k);
      c.separation = fminf(c.separation, point->separation);
      if (best->kept_points != 0 && c.separation <= best->separation) {
        return; /* no shallower than the best */
      }
    }
  }
  const bool is_shallower = best->kept_points == 0 || c.separation > best->separation;
  if (is_shallower && (on_face || c.separation <= 0.0f) &&
      (!mo_needs_proof(gathered) || mo_mesh_body_is_proven(gathered, &c, &manifold))) {
    *best = c;
  }
}

/* Whether a triangle lies on one side of its edge `k`, along a normal: `sign` 1: above, -1: below.
 */
static bool is_beside_edge(const mo_dvec3 corner[3], int k, mo_dvec3 normal, double sign) {
  const mo_dvec3 to = mo_dsub(corner[(k + 2) % 3], corner[k]);
  return sign * mo_ddot(normal, to) >= -MO_MIN_HIDING_RISE_SINE * mo_dlength(to);
}

static bool is_flat_edge(const mo_mesh *mesh, uint32_t triangle, int edge) {
  return mo_mesh_is_surface(mesh) && mo_edge_at(mesh, triangle, edge) == MO_MESH_EDGE_FLAT;
}

/* Whether contacts across edge `k` of the body and edge `l` of a triangle may be proven. */
static bool may_cross(const mo_gathered_triangles *gathered, uint32_t triangle, int k, int l) {
  const mo_surface_body *on = gathered->surface_body;
  return !is_flat_edge(on->mesh->own.mesh, on->mesh_triangle, k) &&
         !is_flat_edge(gathered->surface->mesh, triangle, l);
}

void mo_mesh_body_find_shallower(mo_gathered_triangles *gathered, uint32_t i, mo_dvec3 front,
                                 mo_contact_along *contact) {
  /* No contact is shallower than that of the two triangles by themselves. */
  const double depth = mo_gathered_contact(gathered, i)->depth;
  if (depth <= 0.0 ||
      (contact->kept_points != 0 && (double)contact->separation >= -MO_MAX_DEPTH_RATIO * depth)) {
    return;
  }
  mo_contact_along best = *contact;
  mo_gathered_face made;
  const mo_dvec3 *corner = mo_gathered_corners(gathered, i, &made),
                 *own = gathered->surface_body->body->core.corners;
  const bool has_front = mo_dlength(gathered->body_front) > 0.0;
  for (int sign = -1; sign <= 1 && has_front; sign += 2) { /* over a border, on either side */
    mo_mesh_body_take_shallower(gathered, i, mo_dscale(sign, gathered->body_front), false, true,
                                &best);
  }
  for (int k = 0; k < 3; k++) {
    const mo_dvec3 a = mo_dsub(own[(k + 1) % 3], own[k]);
    for (int l = 0; l < 3; l++) {
      const mo_dvec3 b = mo_dsub(corner[(l + 1) % 3], corner[l]), across = mo_dcross(a, b);
      const double length = mo_dlength(across), sign = copysign(1.0, mo_ddot(across, front));
      const mo_dvec3 normal = mo_dscale(sign / length, across);
      if (may_cross(gathered, gathered->items[i].index, k, l) &&
          length > MO_MIN_HIDING_RISE_SINE * mo_dlength(a) * mo_dlength(b) &&
          is_beside_edge(own, k, normal, 1.0) && is_beside_edge(corner, l, normal, -1.0)) {
        mo_mesh_body_take_shallower(gathered, i, normal, false, true, &best);
      }
    }
  }
  if (contact->kept_points == 0 ||
      contact->separation < (float)MO_MAX_DEPTH_RATIO * best.separation) {
    *contact = best;
  }
}

/* Escapes have nearly the same direction if the cosine between them is above this. */
static const double same_way_cosine = 0.99;

void mo_mesh_body_add_escape(mo_mesh_body *mesh, mo_dvec3 escape) {
  const double length = mo_dlength(escape);
  for (uint32_t k = 0; k < mesh->escape_count; k++) {
    const mo_dvec3 known = mesh->escapes[k];
    const double known_length = mo_dlength(known);
    if (mo_ddot(known, escape) >= same_way_cosine * known_length * length) {
      mesh->escapes[k] = length > known_length ? escape : known;
      return;
    }
  }
  if (mesh->escape_count < MO_MAX_ESCAPES) {
    mesh->escapes[mesh->escape_count++] = escape;
  }
}

bool mo_mesh_body_is_free_after_escape(const mo_gathered_triangles *gathered, uint32_t i) {
  const mo_mesh_body *mesh = gathered->surface_body->mesh;
  const double slack = MO_SURFACE_HEIGHT_TOLERANCE * gathered->size + gathered->tolerance;
  bool escapes = false;
  for (uint32_t k = 0; k < mesh->escape_count && !escapes; k++) {
    escapes = mo_gathered_find_depth_after_move(gathered, i, mesh->escapes[k]) <= slack;
  }
  return escapes;
}
