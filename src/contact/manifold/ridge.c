/* Contacts along edges that are nearly parallel.
 *
 * Where two bodies meet at edges, with a normal perpendicular to both, each has two faces beside
 * its edge. The separation at a point is the greatest separation of the planes of a pair of
 * faces there. If the edges are nearly parallel, the part close enough for contacts is a long strip
 * along both of them, and each pair of faces has a piece of it: one pair alone would leave out one
 * end. So each pair is clipped, as polygons in which each edge stores its source: an edge of either
 * face, or the line where the separation reaches its limit. The id of a corner is made of the two
 * edges that meet there. */
#include "contact/manifold/ridge.h"

#include "contact/body/limits.h"
#include "contact/manifold/points.h"

enum { MAX_POLYGON_CORNERS = 2 * MO_MAX_OUTLINE_CORNERS + 2, SOURCE_IS_SEPARATION_LIMIT = 2 };

/* Fractions of the extent of all candidates. Candidates closer than `neighbor_distance_fraction`
 * are neighbours. A neighbour that is deeper by `clearly_deeper_fraction` replaces a candidate.
 * Depths that differ by less than `same_depth_fraction` are equal. */
static const double neighbor_distance_fraction = 0x1p-4, clearly_deeper_fraction = 0x1p-10,
                    same_depth_fraction = 0x1p-20;
/* The factor by which a distance or area must be larger than the best one so far to replace it. */
static const double min_improvement_factor = 1.0625;

/* The edge of a body that is farthest along the contact normal, and the one or two faces beside it.
 * For a line, face[0] is the line itself. */
typedef struct ridge {
  const mo_contact_body *body;
  const mo_contact_feature *face[2];
  mo_contact_feature second_face; /* face[1], if there is one */
  int face_count;
  int edge;       /* index of the edge in the outline of face[0] */
  mo_dvec3 along; /* vector from one end of the edge to the other */
  double slope;   /* smallest slope of the faces against the plane perpendicular to the normal */
} ridge;

/* A corner of a polygon, and the source of the polygon's edge from there to the next corner. */
typedef struct corner {
  double x, y;
  int source; /* 0 or 1: an edge of that body's face; SOURCE_IS_SEPARATION_LIMIT: where the
                 separation is `max` */
  int edge;   /* index of the source edge in the outline of its face */
} corner;

typedef struct polygon {
  int count;
  corner corners[MAX_POLYGON_CORNERS];
} polygon;

/* A linear function of (x, y): a x + b y + c. */
typedef struct affine_2d {
  double a, b, c;
} affine_2d;

static double affine_value_at(const affine_2d *f, double x, double y) {
  return f->a * x + f->b * y + f->c;
}

/* Two faces, or a face and a line, that are clipped as projected along the normal. */
typedef struct face_pair {
  const mo_clip *clip;
  mo_contact_frame frame;
  const mo_contact_feature *face[2];
  affine_2d height[2]; /* height of the plane of each face; of a line, the height along the line */
  double winding[2];   /* of each face; 1: counter-clockwise, -1: clockwise */
  mo_candidates *candidates;
} face_pair;

static double face_slope(mo_dvec3 face, mo_dvec3 n) {
  const double up = mo_ddot(face, n);
  return up > 0.0 ? sqrt(fmax(1.0 - up * up, 0.0)) / up : INFINITY;
}

/* Finds the edge at which a body is supported. `n` points out of the body. */
static bool find_supporting_edge(ridge *r, const mo_contact_body *body, const mo_contact_feature *f,
                                 mo_dvec3 n) {
  r->edge = mo_contact_supporting_edge(f, n, body->size);
  if (r->edge < 0) {
    return false;
  }
  r->body = body;
  r->face[0] = f;
  r->along = mo_dsub(f->outline[(r->edge + 1) % f->count], f->outline[r->edge]);
  return mo_dlength(r->along) > 0.0;
}

/* Finds the faces beside the edge. A line has no faces, and its slope does not matter. */
static void find_faces_beside_edge(ridge *r, mo_dvec3 n) {
  const mo_contact_feature *f = r->face[0];
  r->face_count = 1;
  r->slope = INFINITY;
  if (f->count > 2) {
    r->slope = face_slope(f->normal, n);
    if (mo_contact_adjacent_face(&r->second_face, r->body, f, r->edge, n)) {
      r->face[1] = &r->second_face;
      r->face_count = 2;
      r->slope = fmin(r->slope, face_slope(r->second_face.normal, n));
    }
  }
}

static double x_of(const face_pair *o, mo_dvec3 p) {
  return mo_ddot(o->frame.u, p);
}

static double y_of(const face_pair *o, mo_dvec3 p) {
  return mo_ddot(o->frame.v, p);
}

/* Sets the height of a face or line over the plane perpendicular to the normal. */
static void set_height(face_pair *o, int which) {
  const mo_contact_feature *f = o->face[which];
  const mo_dvec3 n = o->frame.n, first = f->outline[0];
  affine_2d *h = &o->height[which];
  if (f->count > 2) {
    const double across = mo_ddot(f->normal, n);
    h->a = -mo_ddot(f->normal, o->frame.u) / across;
    h->b = -mo_ddot(f->normal, o->frame.v) / across;
  } else {
    const mo_dvec3 along = mo_dsub(f->outline[1], first);
    const double x = x_of(o, along), y = y_of(o, along), square = x * x + y * y;
    const double rise = square > 0.0 ? mo_ddot(n, along) / square : 0.0;
    h->a = rise * x;
    h->b = rise * y;
  }
  h->c = mo_ddot(n, first) - h->a * x_of(o, first) - h->b * y_of(o, first);
  double area = 0.0;
  for (int i = 1; i + 1 < f->count; i++) {
    mo_dvec3 e = mo_dsub(f->outline[i], first), g = mo_dsub(f->outline[i + 1], first);
    area += x_of(o, e) * y_of(o, g) - y_of(o, e) * x_of(o, g);
  }
  o->winding[which] = area < 0.0 ? -1.0 : 1.0;
}

/* Keeps the part of a polygon or segment where the function f is not positive (Sutherland and
 * Hodgman 1974). The new edge gets the source `of` and the index `edge`. */
static void clip_polygon(polygon *p, const affine_2d *f, int of, int edge) {
  polygon kept;
  kept.count = 0;
  for (int i = 0; i < p->count; i++) {
    const corner *c = &p->corners[i], *next = &p->corners[i + 1 == p->count ? 0 : i + 1];
    const double here = affine_value_at(f, c->x, c->y),
                 there = affine_value_at(f, next->x, next->y);
    if (here <= 0.0) {
      kept.corners[kept.count++] = *c;
    }
    if ((here <= 0.0) != (there <= 0.0) && kept.count < MAX_POLYGON_CORNERS) {
      const double t = here / (here - there);
      corner cut = {c->x + t * (next->x - c->x), c->y + t * (next->y - c->y), c->source, c->edge};
      if (here <= 0.0) { /* the polygon leaves the kept side: the new edge begins here */
        cut.source = of;
        cut.edge = edge;
      }
      kept.corners[kept.count++] = cut;
    }
    if (kept.count == MAX_POLYGON_CORNERS) {
      break;
    }
  }
  *p = kept;
}

/* The id of the vertex where two edges of the same face meet. */
static uint32_t shared_vertex(const mo_contact_feature *f, int first, int second) {
  return f->vertex[(first + 1) % f->count == second ? second : first];
}

/* The id of a corner of a polygon, between the edges `before` and `after`. */
static uint64_t id_of_corner(const face_pair *o, const corner *before, const corner *after) {
  const mo_contact_feature *const *face = o->face;
  uint32_t half[2] = {face[0]->face, face[1]->face};
  if (before->source == after->source) {
    if (before->source != SOURCE_IS_SEPARATION_LIMIT) {
      half[before->source] = shared_vertex(face[before->source], before->edge, after->edge);
    }
  } else {
    for (int i = 0; i < 2; i++) {
      const corner *c = i == 0 ? before : after;
      if (c->source != SOURCE_IS_SEPARATION_LIMIT) {
        half[c->source] = face[c->source]->edge[c->edge];
      }
    }
  }
  return mo_contact_id(half[0], half[1]);
}

/* Finds a candidate at (x, y) with the heights `height` of the two surfaces over the plane
 * perpendicular to the normal, up to a tolerance; null if there is none. */
static mo_candidate *find_candidate_at(const face_pair *o, double x, double y,
                                       const double height[2]) {
  const double near = MO_MERGE_DISTANCE * o->clip->size;
  for (int i = 0; i < o->candidates->count; i++) {
    mo_candidate *c = &o->candidates->items[i];
    if (fabs(c->x - x) <= near && fabs(c->y - y) <= near &&
        fabs(c->separation - (height[1] - height[0])) <= near) {
      return c;
    }
  }
  return NULL;
}

/* Adds a candidate, unless there is one at the same place on both surfaces: then of the two ids,
 * the one that comes first is kept. */
static void add_candidate_at(const face_pair *o, double x, double y, const double height[2],
                             uint64_t id) {
  const mo_contact_frame *f = &o->frame;
  mo_candidate candidate = {x, y, {0.0, 0.0, 0.0}, height[1] - height[0], id};
  candidate.position = mo_dadd(mo_dadd(mo_dscale(x, f->u), mo_dscale(y, f->v)),
                               mo_dscale(0.5 * (height[0] + height[1]), f->n));
  mo_candidate *other = find_candidate_at(o, x, y, height);
  if (other != NULL) {
    *other = mo_contact_id_before(id, other->id) ? candidate : *other;
  } else if (o->candidates->count < MO_MAX_CANDIDATES) {
    o->candidates->items[o->candidates->count++] = candidate;
  }
}

static void add_candidate(const face_pair *o, double x, double y, uint64_t id) {
  const double height[2] = {affine_value_at(&o->height[0], x, y),
                            affine_value_at(&o->height[1], x, y)};
  add_candidate_at(o, x, y, height, id);
}

/* Returns a function of (x, y) that is not positive where the separation is at most `max`. */
static affine_2d separation_beyond_max(const face_pair *o) {
  return (affine_2d){o->height[1].a - o->height[0].a, o->height[1].b - o->height[0].b,
                     o->height[1].c - o->height[0].c - o->clip->max};
}

/* Returns a function of (x, y) that is negative on the inner side of an edge of face `which`. */
static affine_2d distance_beyond_edge(const face_pair *o, int which, int edge) {
  const mo_contact_feature *f = o->face[which];
  const mo_dvec3 start = f->outline[edge],
                 along = mo_dsub(f->outline[(edge + 1) % f->count], start);
  const double x = o->winding[which] * x_of(o, along), y = o->winding[which] * y_of(o, along);
  return (affine_2d){y, -x, x * y_of(o, start) - y * x_of(o, start)};
}

static void set_polygon(const face_pair *o, int which, polygon *p) {
  const mo_contact_feature *f = o->face[which];
  p->count = f->count;
  for (int i = 0; i < f->count; i++) {
    p->corners[i] = (corner){x_of(o, f->outline[i]), y_of(o, f->outline[i]), which, i};
  }
}

/* Adds the corners of the intersection of two faces, cut where the separation exceeds `max`. */
static void clip_faces(const face_pair *o) {
  polygon p;
  set_polygon(o, 0, &p);
  for (int i = 0; i < o->face[1]->count; i++) {
    const affine_2d beyond = distance_beyond_edge(o, 1, i);
    clip_polygon(&p, &beyond, 1, i);
  }
  const affine_2d separation = separation_beyond_max(o);
  clip_polygon(&p, &separation, SOURCE_IS_SEPARATION_LIMIT, 0);
  for (int i = 0; i < p.count; i++) {
    const corner *before = &p.corners[i == 0 ? p.count - 1 : i - 1], *c = &p.corners[i];
    add_candidate(o, c->x, c->y, id_of_corner(o, before, c));
  }
}

/* A part of a line that is left after clipping. */
typedef struct line_part {
  double end[2];  /* parameters, from 0 at one end of the line to 1 at the other */
  uint64_t id[2]; /* ids of the contact points at the ends */
} line_part;

/* Keeps the part of a line where a linear function is not positive; `from` and `to` are the values
 * of the function at the ends. A new end gets `id`. Returns false if nothing is left. */
static bool clip_line_part(line_part *p, double from, double to, uint64_t id) {
  if (from > 0.0 && to > 0.0) {
    return false;
  }
  const double t = from / (from - to);
  if (from > 0.0 && t > p->end[0]) {
    p->end[0] = t;
    p->id[0] = id;
  } else if (to > 0.0 && t < p->end[1]) {
    p->end[1] = t;
    p->id[1] = id;
  }
  return p->end[0] <= p->end[1];
}

static uint64_t point_id(int line, uint32_t of_line, uint32_t of_face) {
  return line == 0 ? mo_contact_id(of_line, of_face) : mo_contact_id(of_face, of_line);
}

/* The radius of curvature of a body across a line on its surface, at a point of the line: of an
 * ellipse with the conjugate radii u and v, seen along the line, it is |u x v|^2 / h^3, where h is
 * how far the ellipse reaches along the normal. 0 if the body is not curved there. */
static double curvature_radius_across(const mo_contact_body *body, mo_dvec3 along, mo_dvec3 n,
                                      mo_dvec3 at) {
  if (body->kind != MO_CORE_CYLINDER && body->kind != MO_CORE_CONE) {
    return body->ball_radius;
  }
  const mo_dvec3 u = body->axis[1], v = body->axis[2], axis = body->axis[0];
  const double x = mo_ddot(u, n), y = mo_ddot(v, n), h = sqrt(x * x + y * y);
  const double area = mo_ddot(mo_dcross(u, v), along) / mo_dlength(along);
  double width = 1.0; /* relative width of a cone, from 1 at its base to 0 at its apex */
  if (body->kind == MO_CORE_CONE) {
    width = 0.5 - 0.5 * mo_ddot(mo_dsub(at, body->center), axis) / mo_ddot(axis, axis);
  }
  return h > 0.0 ? fmax(width, 0.0) * area * area / (h * h * h) + body->ball_radius : 0.0;
}

/* Adds the ends of the part of a line of a round body that is over a face and close enough. The
 * body touches the face only at some distance from the edge; nearer to the edge it touches the
 * edge. */
static void clip_line(const face_pair *o, int which, const ridge r[2]) {
  const mo_contact_feature *line = o->face[which], *face = o->face[1 - which];
  const mo_dvec3 n = o->frame.n,
                 middle = mo_dscale(0.5, mo_dadd(line->outline[0], line->outline[1]));
  const double up = mo_ddot(face->normal, n), lean = sqrt(fmax(1.0 - up * up, 0.0));
  const double inside = lean * curvature_radius_across(r[which].body, r[which].along, n, middle);
  const uint32_t edge = r[1 - which].face[0]->edge[r[1 - which].edge];
  const double x[2] = {x_of(o, line->outline[0]), x_of(o, line->outline[1])};
  const double y[2] = {y_of(o, line->outline[0]), y_of(o, line->outline[1])};
  line_part p = {
      {0.0, 1.0},
      {point_id(which, line->vertex[0], face->face), point_id(which, line->vertex[1], face->face)}};
  for (int i = 0; i <= face->count; i++) {
    affine_2d f =
        i < face->count ? distance_beyond_edge(o, 1 - which, i) : separation_beyond_max(o);
    const uint32_t of_face = i < face->count ? face->edge[i] : face->face;
    if (i < face->count && of_face == edge) {
      f.c += inside * sqrt(f.a * f.a + f.b * f.b);
    }
    if (!clip_line_part(&p, affine_value_at(&f, x[0], y[0]), affine_value_at(&f, x[1], y[1]),
                        point_id(which, line->edge[0], of_face))) {
      return;
    }
  }
  for (int i = 0; i < 2; i++) {
    add_candidate(o, x[0] + p.end[i] * (x[1] - x[0]), y[0] + p.end[i] * (y[1] - y[0]), p.id[i]);
  }
}

/* An edge, and the line of a round body that crosses the edge or passes by it. The distances of the
 * line beside the edge and above it are linear functions of a parameter along the edge, from 0 to
 * 1. */
typedef struct edge_line_pair {
  double start[2], along[2]; /* start and direction of the edge, in the plane of the frame */
  /* sideways distance of the line from the edge: at the start of the edge, and its rate of change
   */
  double side_distance, side_distance_rate;
  /* height of the line above the edge: at the start of the edge, and its rate of change */
  double line_height, line_height_rate;
  double radius; /* radius of the round body around its line */
} edge_line_pair;

/* The gap between the round body and the edge at parameter t. */
static double gap_at(const edge_line_pair *p, double t) {
  const double aside = p->side_distance + t * p->side_distance_rate;
  const double rest = fmax(p->radius * p->radius - aside * aside, 0.0);
  return p->line_height + t * p->line_height_rate + aside * aside / (p->radius + sqrt(rest));
}

/* Keeps the part of the edge where the gap to the round body is at most `max`, that is, where a
 * circle around the line with the radius plus `max` reaches the edge. Returns false if nothing is
 * left. */
static bool clip_to_gap(const edge_line_pair *p, double max, double end[2]) {
  const double high = p->line_height + p->radius - max;
  const double a = p->side_distance_rate * p->side_distance_rate +
                   p->line_height_rate * p->line_height_rate,
               b = p->side_distance * p->side_distance_rate + high * p->line_height_rate,
               c = p->side_distance * p->side_distance + high * high - p->radius * p->radius;
  const double root = b * b - a * c;
  if (a > 0.0 && root >= 0.0) {
    end[0] = fmax(end[0], (-b - sqrt(root)) / a);
    end[1] = fmin(end[1], (-b + sqrt(root)) / a);
    return end[0] <= end[1];
  }
  return a == 0.0 && c <= 0.0;
}

/* Adds the ends of the part where an edge and a round body are close enough, seen along the normal,
 * and the point where the edge crosses the body's line. The body curves away from its line, but the
 * faces beside the edge fall off faster, so the edge is the part closest to the body. */
static void clip_edge_with_round_body(const face_pair *o, const ridge *line, const ridge *edge,
                                      int which) {
  const mo_contact_feature *l = line->face[0], *f = edge->face[0];
  const mo_dvec3 from = f->outline[edge->edge], n = o->frame.n;
  const double up = which == 0 ? -1.0 : 1.0;
  edge_line_pair p = {.start = {x_of(o, from), y_of(o, from)},
                      .along = {x_of(o, edge->along), y_of(o, edge->along)}};
  const double square = p.along[0] * p.along[0] + p.along[1] * p.along[1];
  double t[2], aside[2], above[2]; /* parameter and distances of the two ends of the line */
  for (int i = 0; i < 2; i++) {
    const mo_dvec3 to = mo_dsub(l->outline[i], from);
    t[i] = (p.along[0] * x_of(o, to) + p.along[1] * y_of(o, to)) / square;
    aside[i] = (p.along[0] * y_of(o, to) - p.along[1] * x_of(o, to)) / sqrt(square);
    above[i] = up * (mo_ddot(n, to) - t[i] * mo_ddot(n, edge->along));
  }
  if (t[0] == t[1]) {
    return;
  }
  p.side_distance_rate = (aside[1] - aside[0]) / (t[1] - t[0]);
  p.side_distance = aside[0] - t[0] * p.side_distance_rate;
  p.line_height_rate = (above[1] - above[0]) / (t[1] - t[0]);
  p.line_height = above[0] - t[0] * p.line_height_rate;
  p.radius = curvature_radius_across(line->body, line->along, n,
                                     mo_dscale(0.5, mo_dadd(l->outline[0], l->outline[1])));
  const int lower = t[0] <= t[1] ? 0 : 1;
  double end[2] = {fmax(t[lower], 0.0), fmin(t[1 - lower], 1.0)};
  if (!(p.radius > 0.0) || !clip_to_gap(&p, o->clip->max, end) || !(end[0] <= end[1])) {
    return;
  }
  const double crossing = -p.side_distance / p.side_distance_rate;
  const double at[3] = {end[0], end[1], crossing};
  for (int i = 0; i < 3 && (i < 2 || (crossing > end[0] && crossing < end[1])); i++) {
    const int line_end = i == 0 ? lower : 1 - lower, last = (edge->edge + 1) % f->count;
    uint32_t of_line = l->edge[0], of_edge = f->edge[edge->edge];
    if (i < 2 && at[i] == (double)i) {
      of_edge = f->vertex[i == 0 ? edge->edge : last];
    } else if (i < 2) { /* the end of the line, or the place where the gap becomes too large */
      of_line = l->vertex[line_end];
      of_edge = at[i] == t[line_end] ? of_edge : f->face;
    }
    double height[2];
    height[1 - which] = mo_ddot(n, from) + at[i] * mo_ddot(n, edge->along);
    height[which] = height[1 - which] + up * gap_at(&p, at[i]);
    add_candidate_at(o, p.start[0] + at[i] * p.along[0], p.start[1] + at[i] * p.along[1], height,
                     point_id(which, of_line, of_edge));
  }
}

static void clip_face_pair(face_pair *o, const ridge r[2], const mo_contact_feature *a,
                           const mo_contact_feature *b) {
  o->face[0] = a;
  o->face[1] = b;
  set_height(o, 0);
  set_height(o, 1);
  if (a->count > 2 && b->count > 2) {
    clip_faces(o);
  } else {
    clip_line(o, a->count > 2 ? 1 : 0, r);
  }
}

/* If two edges lie on one line, seen along the normal, adds the ends of their overlap. Clipping the
 * faces does not find these reliably: if the faces lie on opposite sides of the line, rounding
 * decides whether the faces overlap. */
static void add_collinear_edge_ends(const face_pair *o, const ridge r[2]) {
  const mo_dvec3 n = o->frame.n;
  for (int which = 0; which < 2; which++) {
    const ridge *own = &r[which], *other = &r[1 - which];
    const mo_contact_feature *f = own->face[0], *g = other->face[0];
    const mo_dvec3 from = g->outline[other->edge];
    const double x = x_of(o, other->along), y = y_of(o, other->along), square = x * x + y * y;
    for (int end = 0; end < 2; end++) {
      const int vertex = (own->edge + end) % f->count;
      const mo_dvec3 at = f->outline[vertex], to = mo_dsub(at, from);
      const double t = (x * x_of(o, to) + y * y_of(o, to)) / square,
                   aside = (x * y_of(o, to) - y * x_of(o, to)) / sqrt(square);
      double height[2];
      height[which] = mo_ddot(n, at);
      height[1 - which] = mo_ddot(n, from) + t * mo_ddot(n, other->along);
      if (t >= 0.0 && t <= 1.0 && fabs(aside) <= MO_OUTLINE_TOLERANCE * o->clip->size &&
          height[1] - height[0] <= o->clip->max &&
          find_candidate_at(o, x_of(o, at), y_of(o, at), height) == NULL) {
        add_candidate_at(o, x_of(o, at), y_of(o, at), height,
                         point_id(which, f->vertex[vertex], g->edge[other->edge]));
      }
    }
  }
}

static double distance2(const mo_candidate *a, const mo_candidate *b) {
  const double x = a->x - b->x, y = a->y - b->y;
  return x * x + y * y;
}

/* Sorts candidates by id, and finds the two that are farthest apart. */
static void find_farthest_pair(mo_candidates *c, int end[2]) {
  double max = -1.0;
  for (int i = 0; i < c->count; i++) {
    const mo_candidate item = c->items[i];
    int k = i;
    for (; k > 0 && mo_contact_id_before(item.id, c->items[k - 1].id); k--) {
      c->items[k] = c->items[k - 1];
    }
    c->items[k] = item;
  }
  for (int i = 0; i < c->count; i++) {
    for (int k = 0; k < i; k++) {
      const double apart = distance2(&c->items[i], &c->items[k]);
      if (apart > min_improvement_factor * max) {
        max = apart;
        end[0] = k;
        end[1] = i;
      }
    }
  }
}

/* The deepest candidate within a distance of `reach` of candidate `at`; another one replaces it
 * only if it is deeper by `margin`. */
static int deepest_near(const mo_candidates *c, int at, double reach, double margin) {
  int deepest = at;
  for (int i = 0; i < c->count; i++) {
    if (c->items[i].separation < c->items[deepest].separation - margin &&
        distance2(&c->items[at], &c->items[i]) <= reach * reach) {
      deepest = i;
    }
  }
  return deepest;
}

/* Finds, on either side, the candidate that is farthest from the line from candidate p to q; p if
 * that side has none. The farther one comes first in `found`; if both are nearly as far, the one
 * whose id comes first, as left and right depend on which body is A. */
static void find_farthest_from_line(const mo_candidates *c, int p, int q, int found[2]) {
  const mo_candidate *from = &c->items[p];
  const double x = c->items[q].x - from->x, y = c->items[q].y - from->y;
  double max[2] = {0.0, 0.0};
  found[0] = found[1] = p;
  for (int i = 0; i < c->count; i++) {
    const double area = x * (c->items[i].y - from->y) - y * (c->items[i].x - from->x);
    const int side = area < 0.0 ? 1 : 0;
    if (fabs(area) > min_improvement_factor * max[side]) {
      max[side] = fabs(area);
      found[side] = i;
    }
  }
  if (max[1] > min_improvement_factor * max[0] ||
      (max[0] <= min_improvement_factor * max[1] && found[1] < found[0])) {
    const int first = found[0];
    found[0] = found[1];
    found[1] = first;
  }
}

/* Keeps the two candidates that are farthest apart, the deepest candidate, and one or two that are
 * far from the line between the first two. Along a narrow strip, deeper points replace corners next
 * to them, whose separation is nearly too large. */
static void reduce_ridge_candidates(mo_candidates *c, mo_candidates *to) {
  int end[2] = {0, 0};
  find_farthest_pair(c, end);
  const double extent = sqrt(distance2(&c->items[end[0]], &c->items[end[1]]));
  const double margin = clearly_deeper_fraction * extent;
  int beside_ends[2];
  find_farthest_from_line(c, end[0], end[1], beside_ends);
  const int chosen[] = {end[0], end[1], deepest_near(c, 0, INFINITY, same_depth_fraction * extent),
                        beside_ends[0], beside_ends[1]};
  to->count = 0;
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen && to->count < MO_MAX_MANIFOLD_POINTS;
       i++) {
    const mo_candidate *item =
        &c->items[deepest_near(c, chosen[i], neighbor_distance_fraction * extent, margin)];
    bool is_new = true;
    for (int k = 0; k < to->count; k++) {
      is_new = is_new && to->items[k].id != item->id;
    }
    if (is_new) {
      to->items[to->count++] = *item;
    }
  }
}

static double min_separation(const mo_candidates *c) {
  double min = INFINITY;
  for (int i = 0; i < c->count; i++) {
    min = fmin(min, c->items[i].separation);
  }
  return min;
}

/* Whether a body has edges between faces. */
static bool has_edges_between_faces(const mo_contact_body *body) {
  return body->kind == MO_CORE_BOX || body->kind == MO_CORE_HULL;
}

bool mo_clip_ridges(const mo_clip *clip, const mo_contact_body *const bodies[2],
                    const mo_contact_feature *a, const mo_contact_feature *b, double separation,
                    double deepest, mo_candidates *candidates) {
  ridge r[2];
  if (!(has_edges_between_faces(bodies[0]) || has_edges_between_faces(bodies[1])) ||
      (a->count < 3 && b->count < 3) || !find_supporting_edge(&r[0], bodies[0], a, clip->normal) ||
      !find_supporting_edge(&r[1], bodies[1], b, mo_dscale(-1.0, clip->normal))) {
    return false;
  }
  const double lengths[2] = {mo_dlength(r[0].along), mo_dlength(r[1].along)};
  const double sine = mo_dlength(mo_dcross(r[0].along, r[1].along)) / (lengths[0] * lengths[1]);
  if (!(sine < MO_NEARLY_PARALLEL_EDGES_SINE)) {
    return false;
  }
  find_faces_beside_edge(&r[0], clip->normal);
  find_faces_beside_edge(&r[1], mo_dscale(-1.0, clip->normal));
  if (!mo_ridge_contact_is_long(sine, fmin(r[0].slope, r[1].slope), clip->max - separation,
                                0.5 * fmin(lengths[0], lengths[1]))) {
    return false;
  }
  mo_candidates found;
  found.count = 0;
  face_pair o = {.clip = clip, .frame = mo_contact_frame_of(clip->normal), .candidates = &found};
  for (int i = 0; i < r[0].face_count; i++) {
    for (int k = 0; k < r[1].face_count; k++) {
      clip_face_pair(&o, r, r[0].face[i], r[1].face[k]);
    }
  }
  if (a->count < 3 || b->count < 3) {
    const int line = a->count < 3 ? 0 : 1;
    clip_edge_with_round_body(&o, &r[line], &r[1 - line], line);
  } else {
    add_collinear_edge_ends(&o, r);
  }
  if (!(min_separation(&found) <= deepest)) {
    return false;
  }
  reduce_ridge_candidates(&found, candidates);
  return true;
}
