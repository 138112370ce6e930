#include "contact/surface/mesh_body.h"

#include "contact/surface/depth.h"

/* Those triangles of the body's mesh that touch the body and are near the surface. */
static const mo_neighbors *neighbors_of(const mo_gathered_triangles *gathered) {
  const mo_surface_body *on = gathered->surface_body;
  mo_mesh_body *mesh = on->mesh;
  mo_neighbors *n = &mesh->neighbors;
  if (n->of_triangle == on->mesh_triangle) {
    return n;
  }
  const mo_dvec3 *own = on->body->core.corners,
                 lower = mo_dvec_min(own[0], mo_dvec_min(own[1], own[2])),
                 upper = mo_dvec_max(own[0], mo_dvec_max(own[1], own[2])),
                 center = mo_dscale(0.5, mo_dadd(lower, upper)),
                 half = mo_dscale(0.5, mo_dsub(upper, lower));
  const double by = gathered->tolerance;
  n->of_triangle = on->mesh_triangle;
  n->count = 0;
  for (uint32_t i = 0; i < mesh->triangle_count && n->count <= MO_MAX_NEIGHBORS; i++) {
    mo_dvec3 made[3], *c = n->count < MO_MAX_NEIGHBORS ? n->corner[n->count] : made;
    mo_surface_corners(&mesh->own, mesh->triangles[i], on->reference, c);
    n->count += !mo_gathered_are_all_on_one_side(c[0].x, c[1].x, c[2].x, center.x, half.x + by) &&
                !mo_gathered_are_all_on_one_side(c[0].y, c[1].y, c[2].y, center.y, half.y + by) &&
                !mo_gathered_are_all_on_one_side(c[0].z, c[1].z, c[2].z, center.z, half.z + by);
  }
  return n;
}

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

/* The world box around all triangles that touch a point. */
static mo_aabb box_at(const mo_gathered_triangles *gathered, mo_dvec3 point) {
  return mo_aabb_around_ball(mo_dadd(gathered->surface_body->reference, point),
                             gathered->tolerance);
}

static void visit_triangles_at_point(rise_search *s) {
  const mo_region region = {.kind = MO_REGION_BOX, .box = box_at(s->gathered, s->point)};
  mo_surface_visit(s->surface, &region, add_visited_triangle, s);
}

/* Whether all triangles of the surface that touch a point have been gathered. */
static bool has_gathered_all_at(const mo_gathered_triangles *gathered, mo_dvec3 point) {
  return !gathered->is_partial &&
         mo_aabb_contains(gathered->surface_body->region.box, box_at(gathered, point));
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

/* Tests the gathered triangles of the surface, until one rises. Returns whether they are all that
 * touch the point. */
static bool add_gathered_triangles(rise_search *s) {
  const mo_gathered_triangles *gathered = s->gathered;
  for (uint32_t i = 0; i < gathered->count && !s->rises; i++) {
    mo_gathered_face made;
    const mo_gathered_face *face = mo_gathered_face_of(gathered, i, &made);
    if (!mo_gathered_face_is_far(face, s->point, gathered->tolerance)) {
      add_triangle(s, face->corner);
    }
  }
  return has_gathered_all_at(gathered, s->point);
}

/* Tests the triangles of the body's mesh that touch the body and are near the surface, until one
 * rises. Returns whether they are all that touch the point, which is at a distance of `separation`
 * from the surface. */
static bool add_neighbors(rise_search *s, double separation) {
  const mo_neighbors *beside = neighbors_of(s->gathered);
  for (uint32_t k = 0; k < beside->count && k < MO_MAX_NEIGHBORS && !s->rises; k++) {
    add_triangle(s, beside->corner[k]);
  }
  return s->gathered->surface_body->mesh->lists_all && beside->count <= MO_MAX_NEIGHBORS &&
         fabs(separation) <= s->gathered->surface->max;
}

/* Whether the point is on the surface or mesh, which rises there nowhere above the plane through
 * the point. `has_tested_all`: all triangles at the point have been tested, else some. */
static bool is_maximum(rise_search *s, bool has_tested_all) {
  if (!has_tested_all && !s->rises) {
    visit_triangles_at_point(s);
  }
  return s->is_on_triangle && !s->rises;
}

/* Whether a contact is proven at one of its points. Most are not, as a triangle rises that is at
 * hand: so these are tested first, of both meshes. */
static bool is_proven_at(const mo_gathered_triangles *gathered, const mo_manifold_point *point,
                         mo_dvec3 normal) {
  rise_search on_surface = {.gathered = gathered,
                            .surface = gathered->surface,
                            .point = mo_gathered_point_on_triangle(gathered, point, normal),
                            .normal = normal},
              on_mesh = {.gathered = gathered,
                         .surface = &gathered->surface_body->mesh->own,
                         .point = mo_gathered_point_on_body(gathered, point, normal),
                         .normal = mo_dscale(-1.0, normal)};
  const bool all_of_mesh = add_neighbors(&on_mesh, (double)point->separation),
             all_of_surface = !on_mesh.rises && add_gathered_triangles(&on_surface);
  return !on_mesh.rises && is_maximum(&on_surface, all_of_surface) &&
         is_maximum(&on_mesh, all_of_mesh);
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

/* --- local minima of the distance --- */

/* Sine of an angle (about 7 degrees). The distance of two meshes has no minimum at two points if a
 * triangle at one of them rises towards the other by more than this. If it rises by less, a small
 * rotation could make it a minimum. */
static const double max_rise_sine_at_minimum = 0.125;

/* Whether a triangle that contains a point rises there, by more than that, above the plane through
 * the point with the normal `normal`. */
static bool rises_at_point(const mo_gathered_triangles *gathered, const mo_dvec3 corner[3],
                           mo_dvec3 point, mo_dvec3 normal) {
  return mo_gathered_may_be_within(corner, point, gathered->tolerance) &&
         mo_rise_sine(gathered, corner, point, normal) > max_rise_sine_at_minimum &&
         mo_is_point_on_corners(corner, point, gathered->tolerance);
}

/* Whether the surface and the mesh of the body are closer to each other beside the closest points
 * of triangle `i` and the body, which are apart. */
static bool is_closer_beside(const mo_gathered_triangles *gathered, uint32_t i,
                             const mo_triangle_gap *gap) {
  const mo_dvec3 n = mo_dscale(1.0 / gap->distance, mo_dsub(gap->to, gap->from)),
                 down = mo_dscale(-1.0, n);
  if (mo_ddot(mo_gathered_front_on_body_side(gathered, i), n) <= -MO_SNAP_TO_FACE_MAX_SINE ||
      leads_to_far_side(gathered, n)) {
    return false; /* the meshes may overlap */
  }
  bool found = false;
  for (uint32_t k = 0; k < gathered->count && !found; k++) {
    mo_gathered_face made;
    found = rises_at_point(gathered, mo_gathered_face_of(gathered, k, &made)->corner, gap->from, n);
  }
  const mo_neighbors *beside = neighbors_of(gathered);
  for (uint32_t k = 0; k < beside->count && beside->count <= MO_MAX_NEIGHBORS && !found; k++) {
    found = rises_at_point(gathered, beside->corner[k], gap->to, down);
  }
  return found;
}

static mo_contact_absence absence_at(const mo_gathered_triangles *gathered, uint32_t i,
                                     const mo_triangle_gap *gap) {
  return gap->distance > gathered->surface->max + gathered->tolerance ? MO_CONTACT_OUT_OF_REACH
         : gap->distance > gathered->tolerance && is_closer_beside(gathered, i, gap)
             ? MO_CONTACT_NO_MINIMUM
             : MO_CONTACT_NOT_ABSENT;
}

void mo_mesh_body_find_minima(mo_gathered_triangles *gathered) {
  const mo_surface *s = gathered->surface;
  for (uint32_t begin = 0; begin < gathered->count; begin += 4) {
    mo_gathered_face made[4];
    const mo_dvec3 *corners[4];
    mo_triangle_gap gap[4];
    const uint32_t count = gathered->count - begin < 4 ? gathered->count - begin : 4;
    for (uint32_t k = 0; k < 4; k++) {
      corners[k] = mo_gathered_face_of(gathered, begin + (k < count ? k : 0), &made[k])->corner;
    }
    mo_find_triangle_gaps_by_isa[s->isa](corners, gathered->surface_body->body->core.corners, gap);
    for (uint32_t k = 0; k < count; k++) {
      gathered->items[begin + k].absence = 0x3 & absence_at(gathered, begin + k, &gap[k]);
    }
  }
}

/* --- shallower contacts --- */

static bool is_proven_anywhere(const mo_gathered_triangles *gathered, const mo_manifold *manifold,
                               mo_dvec3 normal) {
  bool is_proven = false;
  for (uint32_t k = 0; k < manifold->point_count && !is_proven; k++) {
    is_proven = is_proven_at(gathered, &manifold->points[k], normal);
  }
  return is_proven;
}

void mo_mesh_body_take_shallower(const mo_gathered_triangles *gathered, uint32_t i, mo_dvec3 along,
                                 bool on_face, bool limited, mo_contact_along *best) {
  /* rounded to float as when stored, so that mo_gathered_accepted_contact finds the same points */
  mo_contact_along c = {
      .normal = mo_widen(mo_narrow(along)), .separation = INFINITY, .on_face = on_face};
  if (mo_needs_proof(gathered) && leads_to_far_side(gathered, c.normal)) {
    return; /* not proven */
  }
  const mo_manifold manifold = mo_gathered_contact_along(gathered, i, c.normal);
  if (!on_face && mo_needs_proof(gathered) && !is_proven_anywhere(gathered, &manifold, c.normal)) {
    return;
  }
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
  const mo_dvec3 *corner = mo_gathered_face_of(gathered, i, &made)->corner,
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

bool mo_mesh_body_is_free_after_escape(const mo_surface *surface, const mo_surface_body *on,
                                       uint32_t triangle, double slack) {
  const mo_mesh_body *mesh = on->mesh;
  bool escapes = false;
  for (uint32_t k = 0; k < mesh->escape_count && !escapes; k++) {
    escapes = mo_surface_find_depth_after_move(surface, on, triangle, mesh->escapes[k]) <= slack;
  }
  return escapes;
}

bool mo_surface_body_is_free(const mo_surface *surface, const mo_surface_body *on,
                             const mo_open_overlaps *open) {
  bool is_free = open->are_all;
  for (uint32_t i = 0; i < open->count && is_free; i++) {
    is_free = mo_mesh_body_is_free_after_escape(surface, on, open->triangles[i], open->slack);
  }
  return is_free;
}

/* Whether a contact with a separation does all that one with another separation does. */
static bool is_as_deep(float known, float separation, double tolerance) {
  return (double)known <= (double)separation + tolerance && (known <= 0.0f || separation > 0.0f);
}

/* Whether a known contact that is as deep has a point of a contact, too, or is one of the face of a
 * triangle on which that point lies. */
static bool is_point_of(const mo_gathered_triangles *gathered, const mo_known_contact *known,
                        const mo_manifold_point *point, mo_dvec3 on_body) {
  const double distance = MO_SAME_POINT_TOLERANCE * gathered->size;
  const mo_surface_body *on = gathered->surface_body;
  bool found = false, is_deep = false;
  for (uint32_t k = 0; k < known->manifold.point_count && !found; k++) {
    const mo_manifold_point *other = &known->manifold.points[k];
    const bool deep = is_as_deep(other->separation, point->separation, distance);
    is_deep = is_deep || deep;
    found = deep && mo_dlength(mo_widen(mo_sub(other->position, point->position))) <= distance;
  }
  if (known->on_face && is_deep && !found) {
    mo_dvec3 corner[3];
    mo_surface_corners(&on->mesh->own, known->triangle, on->reference, corner);
    found = mo_is_point_on_corners(corner, on_body, distance);
  }
  return found;
}

static bool is_known_point(const mo_gathered_triangles *gathered, const mo_manifold *manifold,
                           uint32_t i) {
  const mo_mesh_body *mesh = gathered->surface_body->mesh;
  const mo_dvec3 n = mo_widen(manifold->normal),
                 out = gathered->surface->is_first ? n : mo_dscale(-1.0, n),
                 on_body = mo_gathered_point_on_body(gathered, &manifold->points[i], out);
  bool found = false;
  for (uint32_t k = 0; k < mesh->known_count && !found; k++) {
    const mo_dvec3 normal = mo_widen(mesh->known[k].manifold.normal);
    found = mo_ddot(n, normal) > 0.0 && mo_dlength(mo_dcross(n, normal)) <= MO_SAME_NORMAL_SINE &&
            is_point_of(gathered, &mesh->known[k], &manifold->points[i], on_body);
  }
  return found;
}

bool mo_mesh_body_repeats(const mo_gathered_triangles *gathered, const mo_manifold *manifold) {
  mo_mesh_body *mesh = gathered->surface_body->mesh;
  uint32_t i = 0;
  while (i < manifold->point_count && is_known_point(gathered, manifold, i)) {
    i++;
  }
  if (i < manifold->point_count && mesh->known_count < MO_MAX_KNOWN_CONTACTS) {
    mesh->known[mesh->known_count++] = (mo_known_contact){
        .triangle = gathered->surface_body->mesh_triangle,
        .on_face = mo_dlength(mo_dcross(gathered->body_front, mo_widen(manifold->normal))) <=
                   MO_SAME_NORMAL_SINE,
        .manifold = *manifold};
  }
  return i == manifold->point_count;
}
