/* Separating axis test of two polytopes (Gottschalk, Lin and Manocha 1996). The candidate axes are
 * the normals of the faces of both, and the cross products of their edges. For bodies with volume,
 * a pair of edges counts only if their arcs on the Gauss map cross (Gregorius, "The Separating Axis
 * Test between Convex Polyhedra", GDC 2013); both bodies then have these edges as their supporting
 * features along the axis.
 *
 * Most faces and edges are culled by a bound that needs no support points. It uses the inner ball
 * of the other body: a ball around its centre that lies inside it. A face separates by no more than
 * the height of that centre over the face, less the radius of the ball. The axes of an edge lie on
 * the arc between the normals of its two faces. So an edge separates by no more than the greatest
 * height of that centre over planes through the edge with normals on this arc, less the radius. */
#include "contact/normal/polytope.h"

#include "base/assert.h"
#include "base/memory.h"
#include "contact/body/limits.h"

/* Fraction of the summed sizes of both bodies. An axis is culled only if its bound is below the
 * best separation by more than this, as vertices may lie slightly off the planes of their faces. */
static const double bound_slack = 0x1p-14;

bool mo_contact_body_is_polytope(const mo_contact_body *body) {
  return body->kind == MO_CORE_TRIANGLE || body->kind == MO_CORE_BOX ||
         (body->kind == MO_CORE_HULL && body->hull->vertex_count <= MO_MAX_CORNERS &&
          body->hull->face_count <= MO_MAX_SIDES &&
          body->hull->half_edge_count <= 2 * MO_MAX_EDGES);
}

static void add_edge(mo_contact_polytope *p, uint32_t start, uint32_t end, uint32_t left,
                     uint32_t right) {
  p->edges[p->edge_count++] =
      (mo_contact_edge){(uint8_t)start, (uint8_t)end, {(uint8_t)left, (uint8_t)right}};
}

static mo_dvec3 along_of(const mo_contact_polytope *p, const mo_contact_edge *e) {
  return mo_dsub(p->vertices[e->end], p->vertices[e->start]);
}

static mo_dvec3 unit_normal(mo_dvec3 u, mo_dvec3 v) {
  mo_dvec3 n = mo_dcross(u, v);
  double length = mo_dlength(n);
  return length > 0x1p-40 * mo_dlength(u) * mo_dlength(v) && length > 0.0
             ? mo_dscale(1.0 / length, n)
             : mo_dvec(0.0, 0.0, 0.0);
}

static void add_face(mo_contact_polytope *p, mo_dvec3 normal, mo_dvec3 point) {
  p->normals[p->face_count] = normal;
  p->offsets[p->face_count++] = mo_ddot(normal, point);
}

/* A triangle is treated as a prism of no height, with a side face at each edge. So no arc of
 * normals is longer than 90 degrees. */
static void set_triangle(mo_contact_polytope *p, const mo_contact_body *body) {
  const mo_dvec3 *c = body->corner;
  p->vertex_count = 3;
  mo_dvec3 normal = unit_normal(mo_dsub(c[1], c[0]), mo_dsub(c[2], c[0]));
  p->has_volume = mo_ddot(normal, normal) > 0.0;
  add_face(p, normal, c[0]);
  add_face(p, mo_dscale(-1.0, normal), c[0]);
  for (uint32_t i = 0; i < 3; i++) {
    mo_dvec3 end = c[(i + 1) % 3];
    p->vertices[i] = c[i];
    add_face(p, mo_dunit(mo_dcross(mo_dsub(end, c[i]), normal)), c[i]);
    add_edge(p, i, (i + 1) % 3, 0, 2 + i);
    if (p->has_volume) {
      add_edge(p, i, (i + 1) % 3, 2 + i, 1);
    }
  }
  p->side_count = 2;
}

/* Faces are numbered 2 * axis, and 2 * axis + 1 for the side that the axis points to. */
static void set_box(mo_contact_polytope *p, const mo_contact_body *body) {
  p->vertex_count = 8;
  p->has_volume = true;
  for (unsigned i = 0; i < 8; i++) {
    p->vertices[i] = body->center;
    for (int axis = 0; axis < 3; axis++) {
      p->vertices[i] = i >> axis & 1 ? mo_dadd(p->vertices[i], body->axis[axis])
                                     : mo_dsub(p->vertices[i], body->axis[axis]);
    }
  }
  for (int axis = 0; axis < 3; axis++) {
    mo_dvec3 normal = body->side[axis];
    p->has_volume = p->has_volume && mo_ddot(normal, body->axis[axis]) != 0.0;
    add_face(p, mo_dscale(-1.0, normal), p->vertices[0]);
    add_face(p, normal, p->vertices[7]);
  }
  for (unsigned axis = 0; axis < 3; axis++) {
    unsigned u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (unsigned i = 0; i < 4; i++) {
      unsigned start = (i & 1) << u | (i >> 1) << v;
      add_edge(p, start, start | 1u << axis, 2 * u + (i & 1), 2 * v + (i >> 1));
    }
  }
}

static void set_hull(mo_contact_polytope *p, const mo_contact_body *body) {
  const mo_hull *hull = body->hull;
  mo_dvec3 cofactor[3];
  for (int i = 0; i < 3; i++) {
    cofactor[i] = mo_dcross(body->column[(i + 1) % 3], body->column[(i + 2) % 3]);
  }
  double volume = mo_ddot(cofactor[0], body->column[0]);
  p->has_volume =
      !hull->flat && fabs(volume) > 0x1p-40 * mo_dlength(body->column[0]) * mo_dlength(cofactor[0]);
  p->vertex_count = hull->vertex_count;
  for (uint32_t i = 0; i < hull->vertex_count; i++) {
    p->vertices[i] =
        mo_dadd(body->origin, mo_map_columns(body->column, mo_widen(mo_hull_vertex(hull, i))));
  }
  for (uint32_t i = 0; i < hull->face_count; i++) {
    const mo_hull_polygon *face = &hull->faces[i];
    mo_dvec3 normal = mo_dunit(mo_map_columns(cofactor, face->normal));
    add_face(p, volume < 0.0 ? mo_dscale(-1.0, normal) : normal,
             p->vertices[hull->half_edges[face->first].vertex]);
  }
  for (uint32_t i = 0; i < hull->half_edge_count; i++) {
    const mo_hull_half_edge *half = &hull->half_edges[i], *twin = &hull->half_edges[half->twin];
    if (i < half->twin) {
      add_edge(p, half->vertex, twin->vertex, half->face, twin->face);
    }
  }
}

void mo_contact_polytope_of(mo_contact_polytope *p, const mo_contact_body *body) {
  p->vertex_count = 0;
  p->face_count = 0;
  p->edge_count = 0;
  p->has_volume = false;
  p->center = body->center;
  p->inner = 0.0;
  if (body->kind == MO_CORE_TRIANGLE) {
    set_triangle(p, body);
    return;
  }
  if (body->kind == MO_CORE_BOX) {
    set_box(p, body);
  } else {
    set_hull(p, body);
  }
  p->side_count = p->face_count;
  if (p->has_volume) {
    double least = INFINITY;
    for (uint32_t i = 0; i < p->face_count; i++) {
      mo_dvec3 n = p->normals[i];
      double depth = p->offsets[i] - mo_ddot(n, p->center);
      least = depth < least && mo_ddot(n, n) > 0.0 ? depth : least;
    }
    p->inner = least > 0.0 && least < INFINITY ? least : 0.0;
  }
}

/* The least height of a vertex along n: the support of the polytope against n. */
static double lowest_along(const mo_contact_polytope *p, mo_dvec3 n) {
  double least = INFINITY;
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    double height = mo_ddot(p->vertices[i], n);
    least = height < least ? height : least;
  }
  return least;
}

typedef struct search {
  double slack; /* of bounds */
  double best;
  mo_dvec3 normal;
} search;

static void take(search *s, double separation, mo_dvec3 normal) {
  if (separation > s->best) {
    s->best = separation;
    s->normal = normal;
  }
}

/* Heights of the centre of the other polytope over each face of one. */
typedef double heights[MO_MAX_SIDES];

static void find_heights(const mo_contact_polytope *own, const mo_contact_polytope *other,
                         heights height) {
  for (uint32_t i = 0; i < own->face_count; i++) {
    height[i] = mo_ddot(own->normals[i], other->center) - own->offsets[i];
  }
}

/* Tries the face normals of one polytope. `sign` is 1 if that is A, -1 if it is B. The face with
 * the greatest bound is tried first, so that others are culled. Of faces with equal separations the
 * one with the lowest index is taken. */
static void try_faces(search *s, const mo_contact_polytope *own, const mo_contact_polytope *other,
                      const heights height, double sign) {
  uint32_t first = 0, best = MO_NONE;
  for (uint32_t i = 1; i < own->side_count; i++) {
    first = height[i] > height[first] ? i : first;
  }
  for (uint32_t k = 0; k <= own->side_count; k++) {
    uint32_t i = k == 0 ? first : k - 1;
    mo_dvec3 n = own->normals[i];
    if ((k > 0 && i == first) || !(mo_ddot(n, n) > 0.0) ||
        height[i] - other->inner + s->slack < s->best) {
      continue;
    }
    double separation = lowest_along(other, n) - own->offsets[i];
    if (separation > s->best || (separation == s->best && best != MO_NONE && i < best)) {
      s->best = separation;
      s->normal = mo_dscale(sign, n);
      best = i;
    }
  }
}

/* Lists the edges that may separate better than the best axis so far, and returns their number. */
static uint32_t find_edges(const search *s, const mo_contact_polytope *own,
                           const mo_contact_polytope *other, const heights height,
                           uint8_t found[MO_MAX_EDGES]) {
  const bool all = !(own->has_volume && other->has_volume);
  const double least = s->best + other->inner - s->slack;
  uint32_t count = 0;
  for (uint32_t i = 0; i < own->edge_count; i++) {
    const uint8_t *f = own->edges[i].faces;
    MO_ASSERT(count < MO_MAX_EDGES && f[0] < own->face_count && f[1] < own->face_count);
    found[count] = (uint8_t)i;
    count += all || mo_edge_may_reach(height[f[0]], height[f[1]],
                                      mo_ddot(own->normals[f[0]], own->normals[f[1]]), least);
  }
  return count;
}

/* An edge of A paired with an edge of B. */
typedef struct crossing {
  const mo_contact_polytope *a, *b;
  const mo_contact_edge *e, *f;
  mo_dvec3 along_e, along_f;
  mo_dvec3 n; /* their cross product */
} crossing;

/* Whether an arc between two normals crosses the plane with the normal `along`. An end in the plane
 * counts as being below it: of the two arcs of an edge of a triangle, which meet at a side face
 * that is no axis itself, one crosses. */
static bool arc_crosses(mo_dvec3 from, mo_dvec3 to, mo_dvec3 along) {
  return (mo_ddot(from, along) > 0.0) != (mo_ddot(to, along) > 0.0);
}

/* Whether the arcs of both edges cross on the Gauss map, where the arc of B is negated. */
static bool arcs_cross(const crossing *c) {
  mo_dvec3 b0 = c->b->normals[c->f->faces[0]], b1 = c->b->normals[c->f->faces[1]];
  mo_dvec3 a0 = c->a->normals[c->e->faces[0]], a1 = c->a->normals[c->e->faces[1]];
  if (!arc_crosses(b0, b1, c->along_e) || !arc_crosses(a0, a1, c->along_f)) {
    return false;
  }
  /* The arcs must cross on the same hemisphere, not on opposite ones. */
  return mo_ddot(c->n, mo_dadd(a0, a1)) * mo_ddot(c->n, mo_dadd(b0, b1)) < 0.0;
}

static void try_pair(search *s, const crossing *c) {
  const bool arcs = c->a->has_volume && c->b->has_volume;
  if (arcs && !arcs_cross(c)) {
    return;
  }
  double length = mo_dlength(c->n), lengths = mo_dlength(c->along_e) * mo_dlength(c->along_f);
  /* Where both bodies are flat, no face normal separates as well as two nearly parallel edges. But
   * their arcs cross where rounding decides, so the separation is that of the supports. */
  const bool flat = c->a->side_count == 2 && c->b->side_count == 2, by_edges = arcs && !flat;
  if (!(length > (flat ? MO_SAME_DIRECTION : MO_PARALLEL_EDGES) * lengths) || !(length > 0.0)) {
    return;
  }
  mo_dvec3 n = mo_dscale(1.0 / length, c->n), back = mo_dscale(-1.0, n);
  if (by_edges) {
    const mo_dvec3 *normals = c->a->normals;
    n = mo_ddot(n, mo_dadd(normals[c->e->faces[0]], normals[c->e->faces[1]])) < 0.0 ? back : n;
    mo_dvec3 offset = mo_dsub(c->b->vertices[c->f->start], c->a->vertices[c->e->start]);
    take(s, mo_ddot(n, offset), n);
  } else {
    take(s, lowest_along(c->b, n) + lowest_along(c->a, back), n);
    take(s, lowest_along(c->a, n) + lowest_along(c->b, back), back);
  }
}

static void try_edges(search *s, const mo_contact_polytope *a, const mo_contact_polytope *b,
                      const heights over_a, const heights over_b) {
  uint8_t of_a[MO_MAX_EDGES], of_b[MO_MAX_EDGES];
  const uint32_t count_a = find_edges(s, a, b, over_a, of_a),
                 count_b = find_edges(s, b, a, over_b, of_b);
  crossing c = {.a = a, .b = b};
  for (uint32_t i = 0; i < count_a; i++) {
    c.e = &a->edges[of_a[i]];
    c.along_e = along_of(a, c.e);
    for (uint32_t k = 0; k < count_b; k++) {
      c.f = &b->edges[of_b[k]];
      c.along_f = along_of(b, c.f);
      c.n = mo_dcross(c.along_e, c.along_f);
      try_pair(s, &c);
    }
  }
}

bool mo_contact_axis_of_polytopes(const mo_contact_body *a, const mo_contact_body *b, double most,
                                  mo_contact_axis *axis) {
  const double balls = a->ball + b->ball;
  mo_contact_polytope p, q;
  heights over_p, over_q;
  mo_contact_polytope_of(&p, a);
  mo_contact_polytope_of(&q, b);
  search s = {.slack = bound_slack * (a->size + b->size), .best = -INFINITY};
  *axis = (mo_contact_axis){.near = false};
  find_heights(&p, &q, over_p);
  try_faces(&s, &p, &q, over_p, 1.0);
  if (s.best - balls > most) {
    axis->normal = s.normal;
    return true;
  }
  find_heights(&q, &p, over_q);
  try_faces(&s, &q, &p, over_q, -1.0);
  axis->normal = axis->face_normal = s.normal;
  if (s.best - balls > most) {
    return true;
  }
  const double of_faces = s.best;
  try_edges(&s, &p, &q, over_p, over_q);
  if (s.best == -INFINITY) {
    return false;
  }
  MO_ASSERT(mo_is_unit(s.normal) && s.best >= of_faces);
  axis->near = s.best - balls <= most;
  axis->normal = s.normal;
  axis->separation = s.best - balls;
  axis->has_face = of_faces >= s.best - mo_contact_face_bias(a, b);
  return true;
}
