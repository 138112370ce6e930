/* Separating axes of polytopes (Gottschalk, Lin and Manocha 1996): the normals of the faces of
 * both, and the cross products of their edges. Of edges of bodies with volume only those pairs
 * count whose arcs on the sphere of normals cross (Gregorius, "The Separating Axis Test between
 * Convex Polyhedra", GDC 2013); their axis then supports both bodies at these edges. */
#include "contact/manifold/polytope.h"

#include "base/memory.h"

enum { MAX_VERTICES = 48, MAX_FACES = 64, MAX_EDGES = 96 };

/* Edges with a smaller sine between them are parallel: their cross product is mostly rounding, and
 * faces separate them as well. */
static const double parallel_edges = 0.005;

typedef struct edge {
  mo_dvec3 start, along;
  double length;
  uint32_t faces[2];
} edge;

typedef struct polytope {
  uint32_t vertex_count, face_count, edge_count;
  uint32_t side_count; /* the first of the faces are those of the body, and axes */
  mo_dvec3 vertices[MAX_VERTICES];
  mo_dvec3 normals[MAX_FACES]; /* unit, outward; zero where a face has no area */
  mo_dvec3 points[MAX_FACES];  /* one of each face */
  edge edges[MAX_EDGES];
  mo_dvec3 center;
  bool has_volume; /* faces beside each edge are known, and less than 180 degrees apart */
} polytope;

bool mo_contact_body_is_polytope(const mo_contact_body *body) {
  return body->kind == MO_CORE_TRIANGLE || body->kind == MO_CORE_BOX ||
         (body->kind == MO_CORE_HULL && body->hull->vertex_count <= MAX_VERTICES &&
          body->hull->face_count <= MAX_FACES && body->hull->half_edge_count <= 2 * MAX_EDGES);
}

static void add_edge(polytope *p, mo_dvec3 start, mo_dvec3 end, uint32_t left, uint32_t right) {
  mo_dvec3 along = mo_dsub(end, start);
  p->edges[p->edge_count++] = (edge){start, along, mo_dlength(along), {left, right}};
}

static mo_dvec3 unit_normal(mo_dvec3 u, mo_dvec3 v) {
  mo_dvec3 n = mo_dcross(u, v);
  double length = mo_dlength(n);
  return length > 0x1p-40 * mo_dlength(u) * mo_dlength(v) && length > 0.0
             ? mo_dscale(1.0 / length, n)
             : mo_dvec(0.0, 0.0, 0.0);
}

static void add_face(polytope *p, mo_dvec3 normal, mo_dvec3 point) {
  p->normals[p->face_count] = normal;
  p->points[p->face_count++] = point;
}

/* A triangle as the thinnest of prisms, which has a side at each edge: so that no arc of normals is
 * longer than 90 degrees. */
static void set_triangle(polytope *p, const mo_contact_body *body) {
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
    add_edge(p, c[i], end, 0, 2 + i);
    if (p->has_volume) {
      add_edge(p, c[i], end, 2 + i, 1);
    }
  }
  p->side_count = 2;
}

/* Faces 2 * axis and 2 * axis + 1, which is the one that the axis points to. */
static void set_box(polytope *p, const mo_contact_body *body) {
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
      add_edge(p, p->vertices[start], p->vertices[start | 1u << axis], 2 * u + (i & 1),
               2 * v + (i >> 1));
    }
  }
}

static void set_hull(polytope *p, const mo_contact_body *body) {
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
      add_edge(p, p->vertices[half->vertex], p->vertices[twin->vertex], half->face, twin->face);
    }
  }
}

static void make_polytope(polytope *p, const mo_contact_body *body) {
  p->vertex_count = 0;
  p->face_count = 0;
  p->edge_count = 0;
  p->has_volume = false;
  p->center = body->center;
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
}

/* How far a polytope reaches against a direction, and along it. */
static void reach_along(const polytope *p, mo_dvec3 n, double *lowest, double *highest) {
  double least = INFINITY, most = -INFINITY;
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    double height = mo_ddot(p->vertices[i], n);
    least = height < least ? height : least;
    most = height > most ? height : most;
  }
  *lowest = least;
  *highest = most;
}

typedef struct search {
  double best;
  mo_dvec3 normal;
} search;

static void take(search *s, double separation, mo_dvec3 normal) {
  if (separation > s->best) {
    s->best = separation;
    s->normal = normal;
  }
}

/* Normals of the faces of one, from it to the other; `sign` is -1 where it is the second. */
static void try_faces(search *s, const polytope *own, const polytope *other, double sign) {
  for (uint32_t i = 0; i < own->side_count; i++) {
    mo_dvec3 n = own->normals[i];
    if (mo_ddot(n, n) > 0.0) {
      double lowest, highest;
      reach_along(other, n, &lowest, &highest);
      take(s, lowest - mo_ddot(n, own->points[i]), mo_dscale(sign, n));
    }
  }
}

/* Whether the arcs of two edges cross on the sphere of normals, of A and of B turned around.
 * `rise`: how the edge of A rises over each face of B. */
static bool arcs_cross(const polytope *a, const edge *e, const polytope *b, const edge *f,
                       const double *rise) {
  if (rise[f->faces[0]] * rise[f->faces[1]] >= 0.0) {
    return false;
  }
  mo_dvec3 a0 = a->normals[e->faces[0]], a1 = a->normals[e->faces[1]];
  mo_dvec3 b0 = b->normals[f->faces[0]], b1 = b->normals[f->faces[1]];
  double d0 = mo_ddot(a0, f->along), d1 = mo_ddot(a1, f->along);
  if (d0 * d1 >= 0.0) {
    return false;
  }
  /* On one side of the sphere, not on opposite ones. */
  mo_dvec3 middle_a = mo_dadd(a0, a1), middle_b = mo_dadd(b0, b1);
  mo_dvec3 n = mo_dcross(e->along, f->along);
  return mo_ddot(n, middle_a) * mo_ddot(n, middle_b) < 0.0;
}

static void try_edges(search *s, const polytope *a, const polytope *b) {
  const bool arcs = a->has_volume && b->has_volume;
  for (uint32_t i = 0; i < a->edge_count; i++) {
    const edge *e = &a->edges[i];
    double rise[MAX_FACES];
    for (uint32_t k = 0; k < b->face_count; k++) {
      rise[k] = mo_ddot(b->normals[k], e->along);
    }
    for (uint32_t k = 0; k < b->edge_count; k++) {
      const edge *f = &b->edges[k];
      if (arcs && !arcs_cross(a, e, b, f, rise)) {
        continue;
      }
      mo_dvec3 n = mo_dcross(e->along, f->along);
      double length = mo_dlength(n);
      if (!(length > parallel_edges * e->length * f->length) || !(length > 0.0)) {
        continue;
      }
      n = mo_dscale(1.0 / length, n);
      if (arcs) {
        n = mo_ddot(n, mo_dadd(a->normals[e->faces[0]], a->normals[e->faces[1]])) < 0.0
                ? mo_dscale(-1.0, n)
                : n;
        take(s, mo_ddot(n, mo_dsub(f->start, e->start)), n);
      } else {
        double lowest[2], highest[2];
        reach_along(a, n, &lowest[0], &highest[0]);
        reach_along(b, n, &lowest[1], &highest[1]);
        take(s, lowest[1] - highest[0], n);
        take(s, lowest[0] - highest[1], mo_dscale(-1.0, n));
      }
    }
  }
}

bool mo_contact_axis_of_polytopes(const mo_contact_body *a, const mo_contact_body *b, double most,
                                  mo_contact_axis *axis) {
  const double balls = a->ball + b->ball;
  polytope p, q;
  make_polytope(&p, a);
  make_polytope(&q, b);
  search s = {-INFINITY, {0.0, 0.0, 0.0}};
  *axis = (mo_contact_axis){.near = false};
  try_faces(&s, &p, &q, 1.0);
  if (s.best - balls > most) {
    return true;
  }
  try_faces(&s, &q, &p, -1.0);
  if (s.best - balls > most) {
    return true;
  }
  const double of_faces = s.best;
  axis->face_normal = s.normal;
  try_edges(&s, &p, &q);
  if (s.best == -INFINITY) {
    return false;
  }
  axis->near = s.best - balls <= most;
  axis->normal = s.normal;
  axis->separation = s.best - balls;
  axis->has_face = of_faces >= s.best - mo_contact_face_bias(a, b);
  return true;
}
