/* Contacts with a mesh as one surface: suppresses contacts of internal (ghost) edges, which the
 * neighbouring triangles hide.
 *
 * A body that slides over a flat floor also collides with the edges of triangles from the side: the
 * shortest translation that separates it from a single triangle is often across an edge. There are
 * three rules. They depend on how the surface continues across each edge (mo_mesh_edge), on the
 * side of the triangle that the body's centre is on:
 *
 * First, a contact along the normal of the triangle is kept, unless the triangle belongs to a side
 * below a top that the body rests on (planes.h).
 *
 * Second, the normal of a contact is replaced by that of the triangle if it leans out over an edge
 * at which the surface is flat or rises, if the contact has a point in the interior of the
 * triangle, if it leans by no more than a degree, or if the body is a triangle of another mesh and
 * the normal points to the back of the surface. The contact along that normal has points if
 * the body is over the triangle. If the body is over the neighbour, no contact is left, unless the
 * normal leaned only a little and over no such edge.
 *
 * Third, a contact that leans out over an edge where the surface falls away or ends is kept, unless
 * its points also lie on other triangles that have a deeper contact, or a contact along their own
 * normal whose plane the body penetrates as deeply. In that case the body is beyond the edge, and
 * the triangle keeps only its contact along its own normal, if that is no deeper than with those of
 * these triangles that are nearly in one plane with it. If several triangles at a ridge or peak
 * have the same contact, only the one with the lowest index keeps it.
 *
 * The other triangles at a point are found by position with another tree query, not by shared
 * vertices, so the number of triangles at a vertex is not limited. */
#include "contact/pair/surface.h"

#include <string.h>

#include "contact/pair/planes.h"
#include "geometry/triangle/triangle.h"

/* Sine of an angle. A normal that leans by less counts as the triangle's normal. */
static const double along_face_sine = 1e-6;
/* Sine of an angle, and fraction of a size, up to which two planes are the same. */
static const double same_plane = 0x1p-10;
/* Fraction of the size of the body: points closer to an edge than this are on it. */
static const double on_edge = 0x1p-20;
/* Cosine between the normals of two contacts above which two triangles may have the same contact.
 */
static const double same_normal = 0.9999;
/* Cosine between the normals of two triangles that are nearly in one plane. */
static const double nearly_one_plane = 0.9;

void mo_surface_visit(const mo_contact_search *search, const mo_collider *mesh,
                      const mo_region *region, bool (*report)(uint32_t triangle, void *context),
                      void *context) {
  mo_mesh_overlap overlap;
  mo_mesh_overlap_init(&overlap, mesh->mesh, region, mesh->affine, search->stats);
  overlap.report = report;
  overlap.context = context;
  mo_mesh_overlap_kernels_for(search->isa, mesh->mesh)->overlap(mesh->mesh, &overlap);
}

typedef struct batch {
  uint32_t begin;
  mo_bounded list;
} batch;

static bool index_before(const void *a, const void *b) {
  return *(const uint32_t *)a < *(const uint32_t *)b;
}

static bool collect(uint32_t triangle, void *context) {
  batch *b = context;
  if (triangle >= b->begin) {
    mo_bounded_offer(&b->list, &triangle, sizeof triangle, index_before);
  }
  return true;
}

uint32_t mo_surface_collect(const mo_surface *s, const mo_region *region, uint32_t begin,
                            uint32_t *triangles, uint32_t capacity) {
  batch b = {begin, mo_bounded_make(triangles, capacity)};
  mo_surface_visit(s->search, s->mesh, region, collect, &b);
  mo_bounded_sort(&b.list, sizeof *triangles, index_before);
  return b.list.count;
}

bool mo_surface_knows_edges(const mo_surface *s) {
  return s->mesh->mesh->edges != NULL && s->body->half_space == NULL;
}

static double body_size(const mo_surface *s) {
  return s->body->size + s->body->ball;
}

static mo_dvec3 outward(const mo_surface *s, const mo_manifold *manifold) {
  mo_dvec3 n = mo_widen(manifold->normal);
  return s->mesh_first ? n : mo_dscale(-1.0, n);
}

mo_surface_side mo_surface_side_of(const mo_surface *s, const mo_contact_body *triangle) {
  const mo_dvec3 *c = triangle->corner;
  mo_surface_side side = {.face = {0.0, 0.0, 0.0}};
  mo_dvec3 e = mo_dsub(c[1], c[0]), g = mo_dsub(c[2], c[0]), normal = mo_dcross(e, g);
  if (mo_dlength(normal) > 0x1p-40 * mo_dlength(e) * mo_dlength(g)) {
    /* a mirroring transform reverses the winding */
    double sign = mo_affine_mirrors(s->mesh->affine) ? -1.0 : 1.0;
    normal = mo_dscale(sign, mo_dunit(normal));
    side.in_front = mo_ddot(normal, mo_dsub(s->center, c[0])) >= 0.0;
    side.face = side.in_front ? normal : mo_dscale(-1.0, normal);
    side.height = mo_ddot(side.face, mo_dsub(s->center, c[0]));
  }
  return side;
}

bool mo_surface_same_plane(const mo_surface_side *p, const mo_surface_side *q, double size) {
  const mo_dvec3 across = mo_dcross(p->face, q->face);
  return fabs(p->height - q->height) <= same_plane * size && mo_ddot(p->face, q->face) > 0.0 &&
         mo_ddot(across, across) <= same_plane * same_plane;
}

bool mo_surface_is_amid_flat(const mo_surface *s, uint32_t triangle) {
  bool flat = true;
  for (int i = 0; i < 3; i++) {
    flat = flat && mo_edge_at(s->mesh->mesh, triangle, i) == MO_MESH_EDGE_FLAT;
  }
  return flat;
}

bool mo_surface_hides_edge(const mo_surface *s, uint32_t triangle, int edge, bool in_front) {
  switch (mo_edge_at(s->mesh->mesh, triangle, edge)) {
  case MO_MESH_EDGE_FLAT:
    return true;
  case MO_MESH_EDGE_CONVEX:
    return !in_front;
  case MO_MESH_EDGE_CONCAVE:
    return in_front;
  case MO_MESH_EDGE_OPEN:
    break;
  }
  return false;
}

/* Whether the normal of a contact leans out over an internal edge; one where the surface rises, if
 * only these count. */
static bool leans_over_hidden_edge(const mo_surface *s, uint32_t triangle,
                                   const mo_triangle_contact *m, bool only_rising) {
  const mo_dvec3 *c = m->corner;
  for (int i = 0; i < 3; i++) {
    mo_dvec3 along = mo_dsub(c[(i + 1) % 3], c[i]);
    mo_dvec3 out = mo_dunit(mo_dcross(along, m->face));
    if (mo_ddot(out, mo_dsub(c[(i + 2) % 3], c[i])) > 0.0) {
      out = mo_dscale(-1.0, out);
    }
    if (mo_ddot(out, m->normal) > along_face_sine &&
        mo_surface_hides_edge(s, triangle, i, m->in_front) &&
        !(only_rising && mo_edge_at(s->mesh->mesh, triangle, i) == MO_MESH_EDGE_FLAT)) {
      return true;
    }
  }
  return false;
}

/* Visits the triangles that touch a box of this half width around a place, which is relative to the
 * reference point. */
static void visit_place(const mo_surface *s, mo_dvec3 place, double near,
                        bool (*report)(uint32_t triangle, void *context), void *context) {
  const mo_dvec3 at = mo_dadd(s->reference, place);
  const mo_aabb box = {
      {mo_round_down(at.x - near), mo_round_down(at.y - near), mo_round_down(at.z - near)},
      {mo_round_up(at.x + near), mo_round_up(at.y + near), mo_round_up(at.z + near)}};
  const mo_region region = {.kind = MO_REGION_BOX, .box = box};
  mo_surface_visit(s->search, s->mesh, &region, report, context);
}

static float least_separation(const mo_manifold *manifold) {
  float least = INFINITY;
  for (uint32_t i = 0; i < manifold->point_count; i++) {
    least = manifold->points[i].separation < least ? manifold->points[i].separation : least;
  }
  return least;
}

/* Where a point of a manifold lies on the triangle, relative to the reference point. */
static mo_dvec3 point_on(const mo_surface *s, const mo_manifold_point *point, mo_dvec3 normal) {
  mo_dvec3 anchor = s->mesh_first ? mo_dadd(mo_widen(point->anchor_b), s->body->origin)
                                  : mo_dadd(mo_widen(point->anchor_a), s->body->origin);
  return mo_dsub(anchor, mo_dscale(0.5 * (double)point->separation, normal));
}

/* Whether a point on a triangle is farther from all edges than `near`. */
static bool lies_inside(const mo_triangle_contact *m, mo_dvec3 place, double near) {
  const mo_dvec3 *c = m->corner;
  for (int i = 0; i < 3; i++) {
    mo_dvec3 in = mo_dcross(m->face, mo_dsub(c[(i + 1) % 3], c[i]));
    double side = mo_ddot(in, mo_dsub(c[(i + 2) % 3], c[i])) < 0.0 ? -1.0 : 1.0;
    if (!(side * mo_ddot(in, mo_dsub(place, c[i])) > near * mo_dlength(in))) {
      return false;
    }
  }
  return true;
}

/* Whether some point lies in the interior of the triangle, where the only normal of the surface is
 * that of the triangle. Points on an edge do not count, whatever the rounding errors. */
static bool has_point_inside(const mo_surface *s, const mo_triangle_contact *m) {
  const double near = on_edge * body_size(s);
  for (uint32_t i = 0; i < m->manifold.point_count; i++) {
    const mo_manifold_point *point = &m->manifold.points[i];
    uint32_t own = (uint32_t)(s->mesh_first ? point->id >> 32 : point->id);
    if (own >> 30 == MO_FEATURE_FACE && lies_inside(m, point_on(s, point, m->normal), near)) {
      return true;
    }
  }
  return false;
}

void mo_surface_make_triangle(const mo_surface *s, uint32_t triangle, mo_contact_body *body) {
  const mo_collider one = mo_collider_of_triangle(s->mesh, triangle);
  mo_collider_make_body(body, &one, s->reference);
}

mo_manifold mo_surface_contact_along(const mo_surface *s, const mo_contact_body *own,
                                     mo_dvec3 face) {
  mo_dvec3 normal = s->mesh_first ? face : mo_dscale(-1.0, face);
  return mo_manifold_along(s->mesh_first ? own : s->body, s->mesh_first ? s->body : own,
                           s->reference, s->search->most, normal);
}

/* The contact of a triangle by the first two rules. */
static void find_triangle_contact(const mo_surface *s, uint32_t triangle, mo_triangle_contact *m) {
  mo_contact_body own;
  mo_surface_make_triangle(s, triangle, &own);
  const mo_contact_body *a = s->mesh_first ? &own : s->body, *b = s->mesh_first ? s->body : &own;
  m->manifold = mo_manifold_of(a, b, s->reference, s->search->most, NULL);
  m->found = m->manifold.point_count > 0;
  if (!m->found || !mo_surface_knows_edges(s)) {
    return;
  }
  memcpy(m->corner, own.corner, sizeof m->corner);
  const mo_surface_side side = mo_surface_side_of(s, &own);
  m->face = side.face;
  m->in_front = side.in_front;
  m->normal = outward(s, &m->manifold);
  m->alone = m->manifold;
  m->alone_normal = m->normal;
  m->hidden = m->hidden_by_bend = m->below_top = false;
  double lean = mo_dlength(mo_dcross(m->face, m->normal));
  const double towards = mo_ddot(m->face, m->normal);
  m->along_face = towards > 0.0 && lean <= along_face_sine;
  if (mo_dlength(m->face) == 0.0) {
    return;
  }
  bool other_depth = false;
  if (!m->along_face) {
    /* a triangle of a mesh is thin: the shortest way out may lead through the surface */
    m->hidden_by_bend = (s->whole != NULL && towards <= along_face_sine) ||
                        has_point_inside(s, m) || leans_over_hidden_edge(s, triangle, m, true);
    m->hidden = m->hidden_by_bend || leans_over_hidden_edge(s, triangle, m, false);
    if (m->hidden || (towards > 0.0 && lean <= mo_surface_slight_lean)) {
      mo_manifold straight = mo_surface_contact_along(s, &own, m->face);
      const double deeper =
          (double)least_separation(&m->alone) - (double)least_separation(&straight);
      other_depth = m->hidden && (s->whole != NULL ? fabs(deeper) : deeper) >
                                     mo_surface_same_place * body_size(s);
      if (m->hidden || straight.point_count > 0) {
        m->manifold = straight;
        m->normal = m->face;
        m->along_face = true;
      }
    }
  }
  m->below_top = m->along_face && mo_surface_is_below_top(s, triangle, m->corner, other_depth);
}

static const mo_triangle_contact *contact_with(const mo_surface *s, uint32_t triangle) {
  uint32_t place = triangle % MO_CACHED_TRIANGLES;
  mo_triangle_contact *m = &s->cache->items[place];
  if (s->cache->triangle[place] != triangle) {
    s->cache->triangle[place] = triangle;
    find_triangle_contact(s, triangle, m);
  }
  return m;
}

/* Third rule: a point of a contact that leans over an edge, and whether another triangle takes it
 * over. */
typedef struct takeover {
  const mo_surface *surface;
  const mo_triangle_contact *of;
  uint32_t triangle;
  mo_dvec3 place; /* on the triangle */
  float separation;
  bool taken;
  /* the least height of the body above the planes of those triangles that take the point over and
   * are nearly in one plane with this one */
  double lowest;
} takeover;

static bool has_point_at(const takeover *q, const mo_triangle_contact *other, double near) {
  for (uint32_t i = 0; i < other->alone.point_count; i++) {
    mo_dvec3 place = point_on(q->surface, &other->alone.points[i], other->alone_normal);
    if (mo_dlength(mo_dsub(place, q->place)) <= near) {
      return true;
    }
  }
  return false;
}

/* The least height of the body above the plane of a triangle; negative below it. */
static double above_plane(const mo_surface *s, const mo_triangle_contact *m) {
  mo_dvec3 down = mo_dscale(-1.0, m->face);
  mo_dvec3 lowest =
      mo_dadd(mo_contact_body_support(s->body, down), mo_contact_body_rounding(s->body, down));
  return mo_ddot(m->face, mo_dsub(lowest, m->corner[0]));
}

static bool examine_taker(uint32_t triangle, void *context) {
  takeover *q = context;
  const mo_surface *s = q->surface;
  if (triangle == q->triangle) {
    return true;
  }
  const mo_triangle_contact *other = contact_with(s, triangle);
  if (!other->found || other->below_top) {
    return true;
  }
  const double near = mo_surface_same_place * body_size(s);
  mo_dvec3 apart = mo_dsub(mo_triangle_closest_point(other->corner, q->place), q->place);
  if (!(mo_dlength(apart) <= near)) {
    return true;
  }
  /* The other triangle takes the point over if its own contact is deeper, if the body penetrates
   * its plane as deeply, or if it has the same contact. */
  /* a triangle has no thickness, so only that of the body counts */
  double bias = mo_contact_face_bias(s->body, s->body);
  double deeper = (double)q->separation - (double)least_separation(&other->alone),
         plane = above_plane(s, other);
  /* A triangle that has the same contact only with a vertex, at a flat edge, has none. */
  bool same = ((triangle < q->triangle && !other->hidden) || other->hidden_by_bend) &&
              mo_ddot(other->alone_normal, q->of->normal) >= same_normal &&
              has_point_at(q, other, near);
  if (deeper > 0x1p-20 * body_size(s) || same ||
      (other->along_face && other->manifold.point_count > 0 &&
       (double)q->separation - plane >= -near - bias)) {
    q->taken = true;
    if (mo_ddot(other->face, q->of->face) >= nearly_one_plane) {
      q->lowest = fmin(q->lowest, plane);
    }
  }
  return true;
}

/* Whether other triangles take a point over. `lowest` is lowered to the least height of the body
 * above the planes of those of them that are nearly in one plane with this one. */
static bool is_taken(const mo_surface *s, uint32_t triangle, const mo_triangle_contact *m,
                     const mo_manifold_point *point, double *lowest) {
  takeover q = {s, m, triangle, point_on(s, point, m->normal), point->separation, false, *lowest};
  visit_place(s, q.place, mo_surface_same_place * body_size(s), examine_taker, &q);
  *lowest = q.lowest;
  return q.taken;
}

bool mo_surface_is_left_out(const mo_surface *s, uint32_t triangle) {
  const mo_triangle_contact *m = contact_with(s, triangle);
  return !m->found || m->below_top;
}

bool mo_surface_contact(const mo_surface *s, uint32_t triangle, mo_manifold *manifold,
                        bool *along_face) {
  const mo_triangle_contact *met = contact_with(s, triangle);
  if (!met->found || met->manifold.point_count == 0) {
    return false;
  }
  if (mo_surface_knows_edges(s) && met->below_top) {
    return false;
  }
  *manifold = met->manifold;
  *along_face = mo_surface_knows_edges(s) && met->along_face;
  if (!mo_surface_knows_edges(s) || *along_face) {
    return true;
  }
  const mo_triangle_contact m = *met; /* a copy, as other triangles may evict it from the cache */
  double lowest = INFINITY;
  manifold->point_count = 0;
  manifold->touching = false;
  for (uint32_t i = 0; i < m.manifold.point_count; i++) {
    const mo_manifold_point *point = &m.manifold.points[i];
    if (!is_taken(s, triangle, &m, point, &lowest)) {
      manifold->points[manifold->point_count++] = *point;
      manifold->touching = manifold->touching || point->separation <= 0.0f;
    }
  }
  if (manifold->point_count > 0) {
    return true;
  }
  /* All points were taken over. The triangle keeps a contact along its own normal only if that is
   * as deep as with its neighbours: then it is nearly in one plane with them. */
  if (mo_dlength(m.face) == 0.0) {
    return false;
  }
  mo_contact_body own;
  mo_surface_make_triangle(s, triangle, &own);
  *manifold = mo_surface_contact_along(s, &own, m.face);
  *along_face = true;
  const double near = mo_surface_same_place * body_size(s);
  return manifold->point_count > 0 && (double)least_separation(manifold) >= lowest - near;
}
