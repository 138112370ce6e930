/* Chooses which contacts of a mesh's triangles belong to the surface as a whole.
 *
 * A triangle by itself also collides where its neighbours hide it: the shortest way out of a
 * triangle of a flat floor may lead across its edge. A contact is judged only by the feature
 * of the triangle that it lies on:
 *
 *  1. On the face: it belongs to the surface.
 *  2. On an edge or vertex: each of its points belongs to the surface unless another triangle there
 *     hides it. If the triangle is outside the body's core, a triangle that is closer to the body
 *     hides it. The closest triangle is never hidden, so one contact always remains. What remains
 *     are the local minima of the distance: for a ball, the normals between those of the faces at
 *     the edge or vertex. If the core overlaps the triangle, distances cannot be compared: then a
 *     point is hidden if the surface is flat at the edge, or turns towards the body there, or if
 *     another triangle rises above the plane of the contact.
 *  3. If the core overlaps the triangle, the normal must lead to the side of the sheet that the
 *     body is on (sheet.h), unless the deepest point lies on the border of the sheet. Like a ridge
 *     of 180 degrees, a border has all outward normals between the normals of its two faces, and
 *     the body's centre may be on either side where the body is across the border.
 *
 * Some triangles that the core overlaps have had their own contact rejected. Such a triangle needs
 * no contact if it does not rise above the plane of an accepted contact, and moving the body out of
 * that contact moves it out of the triangle. Else its own contact is kept after all at a corner of
 * the border, or, without its component along the border, if it leads over the border and the
 * contact along the face is missing or twice as deep. Else the triangle gets a contact along its
 * face normal, on the body's side: the shallowest of these first, as it may resolve others. If
 * there is none, the points of the rejected contact are kept, with the face normal.
 *
 * A body that is a triangle of another mesh also needs contacts with triangles that it may be
 * behind, and its contacts have to be proven (mesh_body.h). They may lead along its own normal or
 * across edges, too. Only a triangle that no proven contact resolves, of any part of that mesh,
 * gets one that is not proven: as above, or as a last resort the shallowest along a face, its depth
 * limited. Where the meshes are apart, the points at a local minimum of their distance are kept
 * even if a rule above hides them, as edges of more than two triangles do.
 *
 * So:
 *
 *   - Whatever overlaps a sheet has a touching contact with it.
 *   - No contact is more than twice as deep as the body overlaps the surface. For the contact of a
 *     triangle by itself this holds as a body that is out of the surface is out of each triangle.
 *     Depths of other contacts are limited when they are reported (depth.c). */
#include "contact/surface/accept.h"

#include "contact/surface/depth.h"
#include "contact/surface/mesh_body.h"

/* Fraction of the size of the body. Smaller differences of separations are rounding errors. */
static const double same_separation_relative_tolerance = 0x1p-24;
/* Two contacts have nearly the same direction if the cosine between their normals is above this. */
static const double nearly_parallel_cosine = 0.99;

/* Whether the contacts of triangles are compared by their distances from the body. They are not if
 * the axis of a capsule crosses the surface, as triangles may be close to the part behind it. */
static bool is_compared_by_distance(const mo_gathered_triangles *gathered, double separation) {
  return !gathered->core_is_overlapped && mo_gathered_separation_is_distance(gathered, separation);
}

/* Which points of a contact another triangle hides: none, the tested one, or all. */
typedef enum hiding {
  HIDES_NOTHING,
  HIDES_POINT,   /* hides the tested point of the contact, which is not at the surface */
  HIDES_CONTACT, /* hides all points of the contact: the triangle continues the face */
} hiding;

/* Whether a triangle that contains a point of a contact is coplanar with the contact's triangle. */
static bool is_in_plane(const mo_gathered_triangles *gathered, const mo_dvec3 corner[3],
                        mo_dvec3 point, mo_dvec3 front) {
  return mo_rise_sine(gathered, corner, point, front) <= 2.0 * MO_MIN_HIDING_RISE_SINE &&
         mo_rise_sine(gathered, corner, point, mo_dscale(-1.0, front)) <=
             2.0 * MO_MIN_HIDING_RISE_SINE;
}

/* Returns which points of contact `m` triangle `other` hides, tested at one point of the contact
 * that also lies on that triangle: `point` (on the contact's triangle) with its separation. If it
 * hides something, `in_plane` receives whether it is coplanar with the contact's triangle. */
static hiding hiding_by_triangle(const mo_gathered_triangles *gathered,
                                 const mo_gathered_triangle *other, const mo_gathered_face *face,
                                 const mo_triangle_contact *m, double separation, mo_dvec3 point,
                                 bool *in_plane) {
  const bool rises =
      mo_rise_sine(gathered, face->corner, point, m->normal) > MO_MIN_HIDING_RISE_SINE;
  if (!is_compared_by_distance(gathered, m->separation)) {
    if (!rises &&
        !(mo_rise_sine(gathered, m->face.corner, point, m->normal) > MO_MIN_HIDING_RISE_SINE)) {
      return HIDES_NOTHING;
    }
    *in_plane = is_in_plane(gathered, face->corner, point, m->face.front);
    return rises && *in_plane ? HIDES_CONTACT : rises || *in_plane ? HIDES_POINT : HIDES_NOTHING;
  }
  const double nearer =
      (double)other->separation + same_separation_relative_tolerance * gathered->size;
  if (!rises && !(nearer < separation)) {
    return HIDES_NOTHING;
  }
  *in_plane = is_in_plane(gathered, face->corner, point, m->face.front);
  const bool face_continues = rises && *in_plane;
  if (face_continues && other->on_face && (other->separation <= 0.0f || m->separation > 0.0)) {
    return HIDES_CONTACT;
  }
  /* Only at the closest points is the separation the distance of the body from the surface. At
   * the others, the contact normal is not valid if another triangle rises above their plane. */
  const bool is_closest = separation <= m->separation + gathered->tolerance;
  return !(nearer < separation) && is_closest       ? HIDES_NOTHING
         : face_continues && nearer < m->separation ? HIDES_CONTACT
                                                    : HIDES_POINT;
}

/* Returns a bit for each point of a contact that is as deep as the contact's deepest point. */
static uint32_t deepest_points(const mo_triangle_contact *m) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < m->manifold.point_count; k++) {
    found |= (uint32_t)((double)m->manifold.points[k].separation <= m->separation) << k;
  }
  return found;
}

/* Whether some kept point has at most this separation; `kept` has a bit for each point. */
static bool has_kept_point_within(const mo_triangle_contact *m, uint8_t kept,
                                  double max_separation) {
  bool found = false;
  for (uint32_t k = 0; k < m->manifold.point_count; k++) {
    const double separation = (double)m->manifold.points[k].separation;
    found = found || ((kept >> k & 1) && separation <= max_separation);
  }
  return found;
}

/* Whether an edge of a triangle has normals of its own: where the surface ends, or turns away
 * from the body. At any other edge, a contact would push the body behind the surface beyond the
 * edge, even if no triangle there rises above the plane of the contact. */
static bool edge_has_own_normals(const mo_gathered_triangles *gathered, uint32_t i, int edge) {
  const uint32_t triangle = gathered->items[i].index;
  const mo_mesh_edge kind = mo_edge_at(gathered->surface->mesh, triangle, edge);
  if (kind == MO_MESH_EDGE_OPEN || kind == MO_MESH_EDGE_FLAT) {
    return kind == MO_MESH_EDGE_OPEN;
  }
  const double side =
      mo_sheet_find_side_of_body(gathered->surface_body->sides, gathered->surface, triangle);
  return kind == MO_MESH_EDGE_CONVEX ? side >= 0.0 : side <= 0.0;
}

/* Returns a bit for each point of a contact that lies on edge `k` of a triangle. */
static uint32_t points_on_edge(const mo_gathered_triangles *gathered, const mo_triangle_contact *m,
                               const mo_dvec3 *points, const mo_dvec3 corner[3], int k) {
  uint32_t found = 0;
  for (uint32_t l = 0; l < m->manifold.point_count; l++) {
    found |= (uint32_t)mo_is_point_on_edge(corner[k], corner[(k + 1) % 3], points[l],
                                           gathered->tolerance)
             << l;
  }
  return found;
}

/* Removes the points of a contact on edges for which edge_has_own_normals is false, unless they are
 * also on an edge for which it is true, as a vertex of a border or ridge is. */
static void hide_points_on_edges(mo_gathered_triangles *gathered, uint32_t i,
                                 const mo_triangle_contact *m, const mo_dvec3 *points) {
  uint32_t hidden = 0, visible = 0;
  for (int k = 0; k < 3; k++) {
    const uint32_t on_edge = points_on_edge(gathered, m, points, m->face.corner, k);
    if (on_edge != 0) {
      *(edge_has_own_normals(gathered, i, k) ? &visible : &hidden) |= on_edge;
    }
  }
  gathered->items[i].kept_points &= 0xf & ~(hidden & ~visible);
}

/* Returns a bit for each point of a contact that lies on the border of the surface: on an edge of
 * its triangle without a neighbour. */
static uint32_t points_on_border(const mo_gathered_triangles *gathered, uint32_t i,
                                 const mo_triangle_contact *m, const mo_dvec3 *points) {
  uint32_t found = 0;
  for (int k = 0; k < 3; k++) {
    if (mo_edge_is_open(gathered->surface->mesh, gathered->items[i].index, k)) {
      found |= points_on_edge(gathered, m, points, m->face.corner, k);
    }
  }
  return found;
}

static void find_points_on_triangle(const mo_gathered_triangles *gathered,
                                    const mo_triangle_contact *m, mo_dvec3 *points) {
  for (uint32_t l = 0; l < m->manifold.point_count; l++) {
    /* projected, as points between nearly parallel edges are not exactly on the triangle */
    points[l] = mo_triangle_closest_point(
        m->face.corner, mo_gathered_point_on_triangle(gathered, &m->manifold.points[l], m->normal));
  }
}

/* Whether a point of a contact is not much shallower than the contact; any is, of shapes apart. */
static bool is_deep_point(const mo_triangle_contact *m, const mo_manifold_point *point) {
  return m->separation > 0.0 || (double)point->separation <= m->separation / MO_MAX_DEPTH_RATIO;
}

static void hide_points_by_triangle(mo_gathered_triangles *gathered, uint32_t i, uint32_t other,
                                    const mo_triangle_contact *m, const mo_dvec3 *points) {
  mo_gathered_triangle *t = &gathered->items[i];
  mo_gathered_face made;
  const mo_gathered_face *face = mo_gathered_face_of(gathered, other, &made);
  for (uint32_t l = 0; l < m->manifold.point_count; l++) {
    if (!mo_is_point_on_face(face, points[l], gathered->tolerance)) {
      continue;
    }
    bool in_plane = true;
    const hiding by =
        hiding_by_triangle(gathered, &gathered->items[other], face, m,
                           (double)m->manifold.points[l].separation, points[l], &in_plane);
    if (by != HIDES_NOTHING) {
      t->kept_points &= 0xf & ~(1u << l);
      t->is_hidden = t->is_hidden || !in_plane;
      t->face_continues =
          t->face_continues || (by == HIDES_CONTACT && is_deep_point(m, &m->manifold.points[l]));
    }
  }
}

/* Whether the points of a contact that are not hidden are still a valid contact. `ends`: a bit for
 * each of the deepest points that lies on the border of the surface. */
static bool is_still_contact(const mo_gathered_triangle *t, const mo_triangle_contact *m,
                             uint32_t ends) {
  /* If the deepest points are hidden, the others may lie in the interior of the triangle, where
   * only the normal of the triangle is valid. */
  const bool lost_deepest =
      m->has_oblique_normal && !has_kept_point_within(m, t->kept_points, m->separation);
  /* Where the shapes overlap, what is left must not be much shallower. */
  const bool lost_depth =
      m->separation <= 0.0 &&
      !has_kept_point_within(m, t->kept_points, m->separation / MO_MAX_DEPTH_RATIO);
  /* At an inner corner of the border, a face that continues beside a kept point hides nothing. */
  const bool leans_over_face = t->face_continues && (t->kept_points & ends) == 0;
  return t->kept_points != 0 && !leans_over_face && !lost_deepest && !lost_depth;
}

/* Finds which points of the contact of a triangle are not hidden. Unless the contact is judged by
 * distance, the search ends once no valid contact remains (mo_surface_hides_contact continues it).
 * With `keep_at_border`, a contact whose deepest point lies on the border of the surface remains
 * even if the face continues beside that point. */
static void find_visible_points(mo_gathered_triangles *gathered, uint32_t i,
                                const mo_triangle_contact *m, bool keep_at_border) {
  mo_gathered_triangle *t = &gathered->items[i];
  const bool by_distance = is_compared_by_distance(gathered, m->separation),
             to_the_end = by_distance || gathered->surface->log != NULL;
  mo_dvec3 points[MO_MAX_MANIFOLD_POINTS];
  find_points_on_triangle(gathered, m, points);
  t->kept_points = 0xf & ((1u << m->manifold.point_count) - 1);
  uint32_t ends = 0;
  if (!by_distance) {
    hide_points_on_edges(gathered, i, m, points);
    const uint32_t border = points_on_border(gathered, i, m, points);
    t->kept_points &= m->has_oblique_normal ? 0xf & border : 0xf;
    ends = keep_at_border ? border & deepest_points(m) : 0;
  }
  t->hiding_tests_made = 0;
  for (; t->hiding_tests_made < gathered->count && (to_the_end || is_still_contact(t, m, ends));
       t->hiding_tests_made++) {
    const uint32_t k = t->hiding_tests_made;
    if (k != i && (!by_distance || gathered->items[k].separation < INFINITY)) {
      hide_points_by_triangle(gathered, i, k, m, points);
    }
  }
  t->kept_points = is_still_contact(t, m, ends) ? t->kept_points : 0;
}

bool mo_surface_hides_contact(mo_gathered_triangles *gathered, uint32_t i) {
  mo_gathered_triangle *t = &gathered->items[i];
  if (t->hiding_tests_made < gathered->count && !t->is_hidden) {
    const mo_triangle_contact *m = mo_gathered_contact(gathered, i);
    mo_dvec3 points[MO_MAX_MANIFOLD_POINTS];
    find_points_on_triangle(gathered, m, points);
    for (; t->hiding_tests_made < gathered->count && !t->is_hidden; t->hiding_tests_made++) {
      if (t->hiding_tests_made != i) {
        hide_points_by_triangle(gathered, i, t->hiding_tests_made, m, points);
      }
    }
  }
  return t->is_hidden;
}

/* The unit normal of triangle `i` on the body's side of the sheet. Where the body is on neither
 * side, the normal of the triangle's contact by itself decides. Zero for a degenerate triangle. */
static mo_dvec3 face_normal_towards_body(const mo_gathered_triangles *gathered, uint32_t i,
                                         mo_dvec3 normal) {
  mo_gathered_face made;
  const mo_dvec3 front = mo_gathered_face_of(gathered, i, &made)->front;
  const double side = mo_sheet_find_side_of_body(gathered->surface_body->sides, gathered->surface,
                                                 gathered->items[i].index);
  return mo_dscale(side != 0.0 ? side : mo_ddot(front, normal) < 0.0 ? -1.0 : 1.0, front);
}

/* Whether the normal of a contact of triangle `i` leads to the side of the sheet that the body is
 * on. */
static bool normal_leads_to_body_side(const mo_gathered_triangles *gathered, uint32_t i,
                                      mo_dvec3 normal) {
  const mo_dvec3 face = face_normal_towards_body(gathered, i, normal);
  return mo_dlength(face) == 0.0 ||
         mo_ddot(face, normal) > (gathered->surface_body->mesh != NULL ? MO_SNAP_TO_FACE_MAX_SINE
                                                                       : -MO_SNAP_TO_FACE_MAX_SINE);
}

static bool has_point_on_triangle(mo_gathered_triangles *gathered, uint32_t i, uint32_t other) {
  const mo_triangle_contact *m = mo_gathered_contact(gathered, i);
  for (uint32_t k = 0; k < m->manifold.point_count; k++) {
    const mo_dvec3 point =
        mo_gathered_point_on_triangle(gathered, &m->manifold.points[k], m->normal);
    if (mo_is_point_on_item(gathered, other, point, gathered->tolerance)) {
      return true;
    }
  }
  return false;
}

/* Whether the contact of a triangle leads out over the border of the surface. There the surface has
 * the normals of both its sides, and all normals between these that lead outward. The body may
 * leave along any of them, on whichever side it is. */
static bool leads_over_border(const mo_gathered_triangles *gathered, uint32_t i,
                              const mo_triangle_contact *m) {
  mo_dvec3 points[MO_MAX_MANIFOLD_POINTS];
  find_points_on_triangle(gathered, m, points);
  return (points_on_border(gathered, i, m, points) & deepest_points(m)) != 0;
}

/* Whether the own contact of a triangle (as if there were no other triangles) is rejected, as it
 * touches the triangle sideways, or its normal leads through the surface. */
static bool is_own_contact_rejected(const mo_gathered_triangles *gathered, uint32_t i,
                                    const mo_triangle_contact *m) {
  return !is_compared_by_distance(gathered, m->separation) &&
         (m->has_oblique_normal || !normal_leads_to_body_side(gathered, i, m->normal)) &&
         (gathered->accepts_unproven || !leads_over_border(gathered, i, m));
}

/* Whether two meshes are apart and closest to each other at a contact (mo_mesh_body_find_minima has
 * removed others). */
static bool is_minimum_of_distance(const mo_gathered_triangles *gathered, uint32_t i,
                                   const mo_triangle_contact *m) {
  return gathered->surface_body->mesh != NULL && m->separation > gathered->tolerance &&
         normal_leads_to_body_side(gathered, i, m->normal);
}

static void accept_own_contact(mo_gathered_triangles *gathered, uint32_t i) {
  mo_gathered_triangle *t = &gathered->items[i];
  const mo_triangle_contact *m = mo_gathered_contact(gathered, i);
  if (is_own_contact_rejected(gathered, i, m)) {
    t->kept_points = 0;
    t->own_contact_rejected = true;
  } else if (t->on_face) {
    t->kept_points = 0xf & ((1u << m->manifold.point_count) - 1);
  } else {
    find_visible_points(gathered, i, m, mo_needs_proof(gathered));
  }
  if (is_minimum_of_distance(gathered, i, m)) {
    t->kept_points |= 0xf & deepest_points(m);
  }
  const mo_contact_along own = {.normal = m->normal,
                                .separation = (float)m->separation,
                                .kept_points = t->kept_points,
                                .on_face = m->on_face};
  if (mo_needs_proof(gathered) && !mo_mesh_body_is_proven(gathered, &own, &m->manifold)) {
    t->kept_points = 0;
    t->own_contact_rejected = true;
  }
}

static bool is_accepted(const mo_gathered_triangle *t) {
  return t->separation < INFINITY && t->kept_points != 0;
}

/* Whether each point of the contact of triangle `i` is also a point of the accepted contact of
 * triangle `other`, and both have the same normal. */
static bool is_repeated_in(mo_gathered_triangles *gathered, uint32_t i, uint32_t other,
                           const mo_manifold *manifold) {
  const mo_gathered_triangle *t = &gathered->items[i], *o = &gathered->items[other];
  const mo_dvec3 n = mo_gathered_normal(t), n_other = mo_gathered_normal(o);
  if (mo_ddot(n, n_other) < 0.0 || mo_dlength(mo_dcross(n, n_other)) > MO_SAME_NORMAL_SINE) {
    return false;
  }
  const mo_manifold others = o->on_face ? *manifold : mo_gathered_accepted_contact(gathered, other);
  for (uint32_t k = 0; k < manifold->point_count; k++) {
    const mo_dvec3 point = mo_gathered_point_on_triangle(gathered, &manifold->points[k], n);
    bool found = o->on_face && mo_is_point_on_item(gathered, other, point,
                                                   MO_SAME_POINT_TOLERANCE * gathered->size);
    for (uint32_t l = 0; l < others.point_count && !found && !o->on_face; l++) {
      const mo_dvec3 there = mo_gathered_point_on_triangle(gathered, &others.points[l], n_other);
      found = mo_dlength(mo_dsub(there, point)) <= MO_SAME_POINT_TOLERANCE * gathered->size;
    }
    if (!found) {
      return false;
    }
  }
  return true;
}

/* Removes the contact of a triangle if another triangle at the same edge or vertex has it too. */
static void drop_if_repeated(mo_gathered_triangles *gathered, uint32_t i) {
  mo_gathered_triangle *t = &gathered->items[i];
  const mo_manifold manifold = mo_gathered_accepted_contact(gathered, i);
  for (uint32_t other = 0; other < gathered->count; other++) {
    const mo_gathered_triangle *o = &gathered->items[other];
    if (other != i && is_accepted(o) && (o->on_face || other < i) &&
        is_repeated_in(gathered, i, other, &manifold)) {
      t->separation = INFINITY;
      t->kept_points = 0;
      t->absence = MO_CONTACT_REPEATED;
      return;
    }
  }
}

/* How much a body that has been moved out of a triangle may still overlap it. */
static double slack_after_escape(const mo_gathered_triangles *gathered) {
  return MO_SURFACE_HEIGHT_TOLERANCE * gathered->size + gathered->tolerance;
}

/* Whether a body that leaves an accepted contact along its normal still overlaps a triangle. */
static bool overlaps_when_moved(const mo_gathered_triangles *gathered, uint32_t i,
                                const mo_gathered_triangle *accepted) {
  const mo_dvec3 n = mo_gathered_normal(accepted);
  const double depth = -(double)accepted->separation;
  const double slack = slack_after_escape(gathered);
  if (mo_gathered_min_height(gathered, n) + depth >=
      mo_height_range_of(gathered, i, n).max - slack) {
    return false;
  }
  return mo_surface_find_depth_after_move(gathered->surface, gathered->surface_body,
                                          gathered->items[i].index, mo_dscale(depth, n)) > slack;
}

/* For a body that is a triangle of another mesh: whether triangle `i`, whose contact was rejected,
 * is represented by triangle `other` with an accepted contact: the two are coplanar or neighbours,
 * or the rejected contact has nearly the same direction and is no deeper. */
static bool is_represented_by(mo_gathered_triangles *gathered, uint32_t i, uint32_t other,
                              double slack) {
  const mo_gathered_triangle *t = &gathered->items[i], *o = &gathered->items[other];
  const mo_dvec3 n = mo_gathered_normal(o);
  return (o->on_face && mo_height_range_of(gathered, i, n).min >=
                            mo_height_range_of(gathered, other, n).max - slack) ||
         (mo_ddot(n, mo_gathered_normal(t)) >= nearly_parallel_cosine &&
          (double)o->separation <= (double)t->separation + slack) ||
         has_point_on_triangle(gathered, i, other);
}

/* Whether the accepted contact of triangle `other` also resolves triangle `i`, whose contact was
 * rejected: triangle `i` does not rise above the plane of that contact, and moving the body out of
 * the contact moves it out of triangle `i`. A body that is a triangle of a mesh may be behind
 * triangle `i` without touching it; then it is resolved only if `other` represents it. */
static bool is_resolved_by(mo_gathered_triangles *gathered, uint32_t i, uint32_t other) {
  const mo_gathered_triangle *o = &gathered->items[other];
  const mo_dvec3 n = mo_gathered_normal(o);
  const double slack = slack_after_escape(gathered);
  if (mo_height_range_of(gathered, i, n).max > mo_height_range_of(gathered, other, n).max + slack) {
    return false;
  }
  const bool of_mesh = gathered->surface_body->mesh != NULL,
             touches = (double)gathered->items[i].separation <= slack;
  return ((!of_mesh || touches) && !overlaps_when_moved(gathered, i, o)) ||
         (of_mesh && is_represented_by(gathered, i, other, slack));
}

static bool is_resolved_by_accepted(mo_gathered_triangles *gathered, uint32_t i) {
  for (uint32_t other = 0; other < gathered->count; other++) {
    const mo_gathered_triangle *o = &gathered->items[other];
    if (is_accepted(o) && o->separation <= 0.0f && is_resolved_by(gathered, i, other)) {
      return true;
    }
  }
  return false;
}

/* The contact of a triangle along its face normal, on the body's side. `limited`: without the
 * points of a mesh that are deeper than allowed. */
static mo_contact_along contact_along_face(mo_gathered_triangles *gathered, uint32_t i,
                                           bool limited) {
  const mo_dvec3 face =
      face_normal_towards_body(gathered, i, mo_gathered_normal(&gathered->items[i]));
  mo_contact_along c = {
      .normal = mo_widen(mo_narrow(face)), .separation = INFINITY, .on_face = true};
  if (mo_dlength(c.normal) == 0.0) {
    return c;
  }
  if (gathered->surface_body->mesh != NULL) {
    mo_mesh_body_take_shallower(gathered, i, face, true, limited, &c);
    /* Beside a border, points with a gap do not separate a body from a triangle it overlaps. */
    if (c.separation > 0.0f && mo_gathered_contact(gathered, i)->depth > gathered->tolerance) {
      c.kept_points = 0;
    }
    return c;
  }
  const mo_manifold manifold = mo_gathered_contact_along(gathered, i, c.normal);
  for (uint32_t k = 0; k < manifold.point_count; k++) {
    c.separation = fminf(c.separation, manifold.points[k].separation);
  }
  c.kept_points = c.separation <= 0.0f ? (uint8_t)((1u << manifold.point_count) - 1) : 0;
  return c;
}

/* Whether a triangle that the core of the body overlaps, or that the body may be behind, has no
 * contact yet. */
static bool needs_contact(const mo_gathered_triangles *gathered, const mo_gathered_triangle *t) {
  return t->separation < INFINITY && t->kept_points == 0 && !t->is_resolved &&
         (gathered->surface_body->mesh != NULL ||
          (t->separation <= 0.0f && !is_compared_by_distance(gathered, (double)t->separation)));
}

/* Finds the triangle that needs a contact and has the shallowest one along its face normal; MO_NONE
 * if there is none. */
static uint32_t find_shallowest(const mo_gathered_triangles *gathered) {
  uint32_t found = MO_NONE;
  for (uint32_t i = 0; i < gathered->count; i++) {
    const mo_gathered_triangle *t = &gathered->items[i];
    if (needs_contact(gathered, t) && !t->has_no_face_contact &&
        (found == MO_NONE || t->separation > gathered->items[found].separation)) {
      found = i;
    }
  }
  return found;
}

/* Finds the edge of the border over which the normal of a contact leads most directly, of those on
 * which a deepest point of the contact lies. It may be an edge of a neighbour, as some triangles
 * touch the border only at a vertex. Returns a bit for each point on the edge; 0: there is no such
 * edge. `across` receives the normal without its component along the edge. */
static uint32_t find_points_over_border(const mo_gathered_triangles *gathered,
                                        const mo_triangle_contact *m, mo_dvec3 *across) {
  mo_dvec3 points[MO_MAX_MANIFOLD_POINTS];
  find_points_on_triangle(gathered, m, points);
  uint32_t found = 0;
  double max = 0.0;
  for (uint32_t i = 0; i < 3 * gathered->count; i++) {
    const int k = (int)(i % 3);
    if (!mo_edge_is_open(gathered->surface->mesh, gathered->items[i / 3].index, k)) {
      continue;
    }
    mo_gathered_face made;
    const mo_gathered_face *face = mo_gathered_face_of(gathered, i / 3, &made);
    const mo_dvec3 start = face->corner[k], third = mo_dsub(face->corner[(k + 2) % 3], start),
                   along = mo_dunit(mo_dsub(face->corner[(k + 1) % 3], start)),
                   side = mo_dcross(face->front, along);
    const double lean = mo_ddot(m->normal, side), out = mo_ddot(side, third) > 0.0 ? -lean : lean;
    if (out > max) {
      const uint32_t on_edge = points_on_edge(gathered, m, points, face->corner, k);
      if ((on_edge & deepest_points(m)) != 0) {
        max = out;
        found = on_edge;
        *across = mo_dunit(mo_dsub(m->normal, mo_dscale(mo_ddot(m->normal, along), along)));
      }
    }
  }
  return found;
}

/* Keeps a rejected contact of a triangle if its deepest point lies in an inner corner of the
 * border, or if it leads out over the border and the contact along the face is missing or more than
 * twice as deep. Triangles along a border may hide each other's contacts, as each leans a little
 * over the next one; so the contact loses its component along the border. */
static void keep_contact_over_border(mo_gathered_triangles *gathered, uint32_t i) {
  mo_gathered_triangle *t = &gathered->items[i];
  const mo_triangle_contact *m = mo_gathered_contact(gathered, i);
  if (!t->on_face && !is_own_contact_rejected(gathered, i, m)) {
    find_visible_points(gathered, i, m, true);
    if (t->kept_points != 0) {
      return;
    }
  }
  mo_dvec3 across;
  const uint32_t over_border = find_points_over_border(gathered, m, &across);
  if (over_border == 0) {
    return;
  }
  const mo_contact_along c = contact_along_face(gathered, i, true);
  if (c.kept_points == 0 || c.separation < (float)MO_MAX_DEPTH_RATIO * t->separation) {
    t->kept_points = 0xf & over_border;
    t->contact_origin = MO_CONTACT_KEPT_ACROSS_BORDER;
    t->normal = mo_narrow(across);
  }
}

static void set_face_contact(mo_gathered_triangle *t, const mo_contact_along *c) {
  t->kept_points = 0xfu & c->kept_points;
  t->on_face = c->on_face;
  t->contact_origin = MO_CONTACT_MADE;
  t->normal = mo_narrow(c->normal);
  t->separation = c->separation;
}

/* Gives contacts along the face normal to triangles whose own contact was rejected and that no
 * other contact resolves: the shallowest first, as it may resolve other triangles. */
static void make_face_contacts(mo_gathered_triangles *gathered) {
  const bool of_mesh = gathered->surface_body->mesh != NULL;
  for (uint32_t i = 0; i < gathered->count && !of_mesh; i++) {
    if (needs_contact(gathered, &gathered->items[i]) && !is_resolved_by_accepted(gathered, i)) {
      keep_contact_over_border(gathered, i);
    }
  }
  for (uint32_t i = 0; i < gathered->count; i++) {
    mo_gathered_triangle *t = &gathered->items[i];
    if (needs_contact(gathered, t)) {
      t->is_resolved = is_resolved_by_accepted(gathered, i);
      if (!t->is_resolved && !of_mesh) {
        const mo_contact_along c = contact_along_face(gathered, i, true);
        t->has_no_face_contact = c.kept_points == 0;
        t->separation = c.kept_points != 0 ? c.separation : t->separation;
      }
    }
  }
  for (uint32_t i = find_shallowest(gathered); i != MO_NONE; i = find_shallowest(gathered)) {
    mo_gathered_triangle *t = &gathered->items[i];
    mo_contact_along c = contact_along_face(gathered, i, true);
    if (mo_needs_proof(gathered)) {
      mo_mesh_body_find_shallower(gathered, i,
                                  face_normal_towards_body(gathered, i, mo_gathered_normal(t)), &c);
    }
    t->has_no_face_contact = c.kept_points == 0;
    if (c.kept_points == 0) {
      continue;
    }
    set_face_contact(t, &c);
    for (uint32_t k = 0; k < gathered->count && t->separation <= 0.0f; k++) {
      if (needs_contact(gathered, &gathered->items[k])) {
        gathered->items[k].is_resolved = is_resolved_by(gathered, k, i);
      }
    }
  }
}

/* Keeps the points of a rejected contact, but with the normal of the triangle on the body's side.
 */
static void keep_points_along_face(mo_gathered_triangles *gathered, uint32_t i) {
  mo_gathered_triangle *t = &gathered->items[i];
  const mo_triangle_contact *m = mo_gathered_contact(gathered, i);
  const mo_dvec3 face = face_normal_towards_body(gathered, i, m->normal);
  t->kept_points = 0xf & ((1u << m->manifold.point_count) - 1);
  t->contact_origin = MO_CONTACT_KEPT_WITH_FACE_NORMAL;
  t->normal = mo_dlength(face) > 0.0 ? mo_narrow(face) : t->normal;
}

/* A last resort for a body that is a triangle of a mesh: if it overlaps the surface, but no contact
 * is as deep as rounding errors, as all along faces are deeper than allowed, makes the shallowest
 * of these; over a border, where there may be none along a face, that of the triangle by itself.
 * Its depth is limited when it is reported. */
static void make_contact_beyond_limit(mo_gathered_triangles *gathered) {
  uint32_t shallowest = MO_NONE;
  mo_contact_along found = {.separation = -INFINITY};
  for (uint32_t i = 0; i < gathered->count; i++) {
    const mo_gathered_triangle *t = &gathered->items[i];
    if ((double)t->separation < -gathered->tolerance && is_accepted(t)) {
      return;
    }
    if ((double)t->separation < -gathered->tolerance && needs_contact(gathered, t)) {
      mo_contact_along c = contact_along_face(gathered, i, false);
      if (c.kept_points == 0) {
        mo_mesh_body_take_shallower(gathered, i, mo_gathered_contact(gathered, i)->normal, false,
                                    false, &c);
      }
      if (c.kept_points != 0 && c.separation > found.separation) {
        shallowest = i;
        found = c;
      }
    }
  }
  if (shallowest != MO_NONE) {
    set_face_contact(&gathered->items[shallowest], &found);
  }
}

/* Whether the body overlaps a triangle, but has no contact that moves it out of the triangle, nor
 * has the mesh. Marks other triangles that need no contact. Overlaps that are hardly more than
 * rounding errors only count while no proven contact of the mesh is known. */
static bool any_overlap_remains(mo_gathered_triangles *gathered) {
  const bool none_is_proven = gathered->surface_body->mesh->escape_count == 0;
  const double slack = none_is_proven ? 0.0 : MO_SURFACE_HEIGHT_TOLERANCE * gathered->size;
  bool remains = false;
  for (uint32_t i = 0; i < gathered->count; i++) {
    mo_gathered_triangle *t = &gathered->items[i];
    if (needs_contact(gathered, t) &&
        mo_gathered_contact(gathered, i)->depth > slack + gathered->tolerance) {
      t->is_resolved = mo_mesh_body_is_free_after_escape(gathered->surface, gathered->surface_body,
                                                         t->index, slack_after_escape(gathered));
      remains = remains || !t->is_resolved;
    }
  }
  return remains;
}

static void remember_escapes(const mo_gathered_triangles *gathered) {
  for (uint32_t i = 0; i < gathered->count; i++) {
    const mo_gathered_triangle *t = &gathered->items[i];
    if (is_accepted(t) && t->separation < 0.0f) {
      mo_mesh_body_add_escape(gathered->surface_body->mesh,
                              mo_dscale(-(double)t->separation, mo_gathered_normal(t)));
    }
  }
}

static void accept_unproven_contacts(mo_gathered_triangles *gathered) {
  gathered->accepts_unproven = true;
  for (uint32_t i = 0; i < gathered->count; i++) {
    mo_gathered_triangle *t = &gathered->items[i];
    t->has_no_face_contact = false;
    if (needs_contact(gathered, t)) {
      t->separation = (float)mo_gathered_contact(gathered, i)->separation;
      accept_own_contact(gathered, i);
    }
  }
  make_face_contacts(gathered);
  make_contact_beyond_limit(gathered);
}

/* Lists the overlaps that decide whether the body needs contacts once some contact of the mesh is
 * known to be proven: those that any_overlap_remains then goes over. */
static void list_open_overlaps(mo_gathered_triangles *gathered) {
  mo_open_overlaps *open = &gathered->surface_body->mesh->open;
  open->are_all = true;
  open->count = 0;
  open->slack = slack_after_escape(gathered);
  for (uint32_t i = 0; i < gathered->count && open->are_all; i++) {
    const mo_gathered_triangle *t = &gathered->items[i];
    open->are_all = !is_accepted(t);
    if ((needs_contact(gathered, t) || t->is_resolved) && t->separation < INFINITY &&
        mo_gathered_contact(gathered, i)->depth > open->slack) {
      open->are_all = open->are_all && open->count < MO_MAX_OPEN_OVERLAPS;
      if (open->are_all) {
        open->triangles[open->count++] = t->index;
      }
    }
  }
}

/* For a body that is a triangle of a mesh, after its proven contacts have been accepted: accepts
 * others where they are needed. Returns false if that has to wait until all triangles of the mesh
 * have had their turn. */
static bool accept_contacts_of_mesh(mo_gathered_triangles *gathered) {
  remember_escapes(gathered);
  if (!gathered->surface_body->mesh->proven_are_known && !gathered->is_partial) {
    const bool remains = any_overlap_remains(gathered);
    if (remains) {
      list_open_overlaps(gathered);
    }
    return !remains;
  }
  if (any_overlap_remains(gathered)) {
    accept_unproven_contacts(gathered);
  }
  return true;
}

bool mo_surface_accept_contacts(mo_gathered_triangles *gathered) {
  bool any_needs_contact = false;
  for (uint32_t i = 0; i < gathered->count; i++) {
    if (gathered->items[i].separation < INFINITY) {
      accept_own_contact(gathered, i);
      any_needs_contact = any_needs_contact || needs_contact(gathered, &gathered->items[i]);
    }
  }
  for (uint32_t i = 0; i < gathered->count; i++) {
    if (is_accepted(&gathered->items[i]) && !gathered->items[i].on_face) {
      drop_if_repeated(gathered, i);
    }
  }
  if (any_needs_contact) {
    make_face_contacts(gathered);
  }
  if (gathered->surface_body->mesh != NULL) {
    return accept_contacts_of_mesh(gathered);
  }
  for (uint32_t i = 0; i < gathered->count && any_needs_contact; i++) {
    if (needs_contact(gathered, &gathered->items[i])) {
      keep_points_along_face(gathered, i);
    }
  }
  return true;
}
