/* Treats triangles that lie in one plane as one face.
 *
 * The body's feature is clipped against each triangle. Of the intersections, only the corners of
 * their convex hull count, so that interior edges of the triangulation leave no points: a box in
 * the middle of a floor has its own four corners as contacts, as on a half-space, whatever the
 * triangulation. Points with too great a separation are dropped only at the end: before that they
 * are needed to keep the hull complete. */
#include "contact/manifold/patch.h"

#include "base/assert.h"
#include "contact/body/limits.h"
#include "contact/manifold/reduce.h"

enum {
  /* First id of the corners and edges of the polygon on a rim, as which the end of a cylinder or
   * cone is clipped. Corners of this polygon count for the convex hull but never become contact
   * points. */
  FIRST_RIM_POLYGON_ID = 1 << 20,
  /* How many candidates at corners of triangles and at crossings of edges are kept. The array of
   * candidates also has capacity for 32 corners of the body or its rim polygon, five rim points,
   * two more points, and the candidates that one triangle adds. */
  MAX_TRIANGLE_CANDIDATES = 32,
};

static uint32_t body_half_of_id(const mo_patch *p, uint64_t id) {
  return p->body_first ? (uint32_t)(id >> 32) : (uint32_t)id;
}

static uint32_t triangle_half_of_id(const mo_patch *p, uint64_t id) {
  return p->body_first ? (uint32_t)id : (uint32_t)(id >> 32);
}

static uint64_t make_contact_id(const mo_patch *p, uint32_t body, uint32_t triangle) {
  return p->body_first ? mo_contact_id(body, triangle) : mo_contact_id(triangle, body);
}

static bool is_rim_polygon_corner(const mo_patch *p, const mo_candidate *c) {
  return p->feature.rim_count > 0 &&
         body_half_of_id(p, c->id) >= mo_feature_id(MO_FEATURE_VERTEX, FIRST_RIM_POLYGON_ID);
}

/* Whether a candidate is at a corner of the body, or at a point of its rim. */
static bool is_body_corner(const mo_patch *p, const mo_candidate *c) {
  return body_half_of_id(p, c->id) >> 30 == MO_FEATURE_VERTEX && !is_rim_polygon_corner(p, c);
}

static double size_of(const mo_patch *p) {
  return p->body->size + p->body->ball_radius;
}

static bool is_near(const mo_patch *p, const mo_candidate *a, const mo_candidate *b) {
  const double near = MO_MERGE_DISTANCE * size_of(p);
  return fabs(a->x - b->x) <= near && fabs(a->y - b->y) <= near;
}

void mo_patch_begin(mo_patch *p, const mo_contact_body *body, bool body_first,
                    const mo_point_frame *frame, mo_dvec3 normal, double max) {
  p->body = body;
  p->body_first = body_first;
  MO_ASSERT(mo_is_unit(normal));
  p->normal = normal;
  p->max = max + MO_TOUCHING_GAP * body->size;
  p->frame = *frame;
  mo_dvec3 down = mo_dscale(body_first ? 1.0 : -1.0, normal);
  mo_contact_feature_of(&p->feature, body, down);
  p->support_point =
      mo_dadd(mo_contact_body_support(body, down), mo_contact_body_rounding(body, down));
  p->support_feature_id = mo_contact_supporting_id(&p->feature, down, body->size);
  p->corner_count = 0;
  p->added_corners = 0;
  p->added_polygon_corners = 0;
  p->has_support_candidate = false;
  p->deepest.separation = INFINITY;
  p->candidates.count = 0;
  for (uint32_t i = 0; i < MO_MAX_OUTLINE_CORNERS && p->feature.rim_count > 0; i++) {
    /* Where this edge enters a triangle, the id of the crossing is greater by 1. */
    p->feature.edge[i] = mo_feature_id(MO_FEATURE_EDGE, FIRST_RIM_POLYGON_ID + 2 * i);
  }
}

bool mo_patch_covers_supporting_feature(const mo_patch *p) {
  const mo_contact_feature *f = &p->feature;
  int corners = f->rim_count > 0 ? f->rim_count : f->count;
  /* If the feature is a single corner, this corner is the lowest point. */
  return p->has_support_candidate && (corners == 1 || p->corner_count == corners);
}

/* Makes a candidate of a point of the body and the plane of a triangle. Returns false if the point
 * is not over the triangle. */
static bool candidate_over_triangle(const mo_patch *p, const mo_contact_body *triangle,
                                    mo_dvec3 point, uint32_t id, mo_candidate *candidate) {
  const mo_dvec3 *c = triangle->core.corners;
  mo_dvec3 plane = mo_dcross(mo_dsub(c[1], c[0]), mo_dsub(c[2], c[0]));
  double along = mo_ddot(plane, p->normal), sign = along < 0.0 ? -1.0 : 1.0;
  for (int i = 0; i < 3; i++) {
    mo_dvec3 edge = mo_dsub(c[(i + 1) % 3], c[i]), to = mo_dsub(point, c[i]);
    double side = sign * mo_ddot(p->normal, mo_dcross(edge, to));
    if (!(side >= -MO_OUTLINE_TOLERANCE * (size_of(p) + triangle->size) * mo_dlength(edge))) {
      return false;
    }
  }
  double height = mo_ddot(plane, mo_dsub(c[0], point)) / along;
  candidate->position = mo_dadd(point, mo_dscale(0.5 * height, p->normal));
  candidate->separation = p->body_first ? height : -height;
  candidate->id = make_contact_id(p, id, mo_feature_id(MO_FEATURE_FACE, 0));
  mo_candidate_project(p->normal, candidate);
  return true;
}

/* Adds a candidate. Candidates of several triangles at the same place are merged: the one at a
 * corner of the body is kept, else the one whose id comes first. */
static void add_candidate(mo_patch *p, mo_candidate c) {
  mo_candidates *to = &p->candidates;
  bool own = is_body_corner(p, &c);
  for (int i = 0; i < to->count; i++) {
    mo_candidate *other = &to->items[i];
    bool other_own = is_body_corner(p, other);
    if (own && other->id == c.id) {
      return;
    }
    if (is_near(p, other, &c) && !is_rim_polygon_corner(p, other) && !(own && other_own)) {
      if (!own) {
        *other = !other_own && mo_contact_id_before(c.id, other->id) ? c : *other;
        return;
      }
      *other = to->items[--to->count];
      i--;
    }
  }
  MO_ASSERT(to->count < MO_MAX_CANDIDATES);
  p->corner_count += own;
  to->items[to->count++] = c;
}

/* Whether b is to the right of the line from a to c by more than `slack`. */
static bool is_right_of_line(const mo_candidate *a, const mo_candidate *b, const mo_candidate *c,
                             double slack) {
  double dx = c->x - a->x, dy = c->y - a->y;
  return dy * (b->x - a->x) - dx * (b->y - a->y) > slack * sqrt(dx * dx + dy * dy);
}

/* Sets `on_hull` for the candidates that are corners of the convex hull (monotone chain; Andrew
 * 1979), except corners closer than `slack` to the line between their neighbours. */
static void find_hull(const mo_candidates *of, double slack, bool *on_hull) {
  const mo_candidate *sorted[MO_MAX_CANDIDATES], *chain[MO_MAX_CANDIDATES];
  for (int i = 0; i < of->count; i++) {
    const mo_candidate *c = &of->items[i];
    int k = i;
    for (; k > 0 &&
           (c->x < sorted[k - 1]->x || (c->x == sorted[k - 1]->x && c->y < sorted[k - 1]->y));
         k--) {
      sorted[k] = sorted[k - 1];
    }
    sorted[k] = c;
    on_hull[i] = false;
  }
  for (int side = 0; side < 2; side++) {
    int count = 0;
    for (int i = 0; i < of->count; i++) {
      const mo_candidate *next = sorted[side == 0 ? i : of->count - 1 - i];
      while (count > 1 && !is_right_of_line(chain[count - 2], chain[count - 1], next, slack)) {
        count--;
      }
      chain[count++] = next;
    }
    for (int i = 0; i < count; i++) {
      on_hull[chain[i] - of->items] = true;
    }
  }
}

/* Frees capacity: keeps the candidates at corners of the body and of the polygon on its rim, and of
 * the other candidates only corners of the convex hull, at most MAX_TRIANGLE_CANDIDATES. */
static void drop_inner_candidates(mo_patch *p) {
  mo_candidates *c = &p->candidates;
  bool keep[MO_MAX_CANDIDATES];
  int others;
  double slack = MO_MERGE_DISTANCE * size_of(p);
  do {
    find_hull(c, slack, keep);
    others = 0;
    for (int i = 0; i < c->count; i++) {
      for (int k = 0; k < c->count && !keep[i]; k++) {
        keep[i] = is_rim_polygon_corner(p, &c->items[k]) && keep[k] &&
                  is_near(p, &c->items[i], &c->items[k]);
      }
      others +=
          keep[i] && !is_body_corner(p, &c->items[i]) && !is_rim_polygon_corner(p, &c->items[i]);
    }
    slack *= 2.0;
  } while (others > MAX_TRIANGLE_CANDIDATES);
  int count = 0;
  for (int i = 0; i < c->count; i++) {
    if (keep[i] || is_body_corner(p, &c->items[i]) || is_rim_polygon_corner(p, &c->items[i])) {
      c->items[count++] = c->items[i];
    }
  }
  c->count = count;
}

/* Adds a candidate of triangle `index`, after making its vertex and edge ids unique in the mesh. */
static void add_mesh_candidate(mo_patch *p, mo_candidate c, uint32_t index) {
  uint32_t triangle = triangle_half_of_id(p, c.id);
  if (triangle >> 30 != MO_FEATURE_FACE) {
    c.id = make_contact_id(p, body_half_of_id(p, c.id), triangle + 3 * index);
  }
  p->deepest = c.separation < p->deepest.separation ? c : p->deepest;
  add_candidate(p, c);
}

/* Adds corner i of the body's feature if it lies over a triangle. Returns whether the corner was
 * added and its separation is at most `max`. */
static bool add_corner(mo_patch *p, const mo_contact_body *triangle, int i) {
  const mo_contact_feature *f = &p->feature;
  bool round = f->rim_count > 0;
  mo_candidate c;
  if ((p->added_corners >> i & 1) ||
      !candidate_over_triangle(p, triangle, round ? f->rim[i] : f->outline[i],
                               round ? f->rim_id[i] : f->vertex[i], &c)) {
    return false;
  }
  p->added_corners |= 1u << i;
  add_candidate(p, c);
  return c.separation <= p->max;
}

bool mo_patch_add_corners(mo_patch *p, const mo_contact_body *triangle) {
  const mo_contact_feature *f = &p->feature;
  int corners = f->rim_count > 0 ? f->rim_count : f->count;
  bool near = false;
  for (int i = 0; i < corners && corners > 1; i++) {
    near |= add_corner(p, triangle, i);
  }
  if (!p->has_support_candidate &&
      candidate_over_triangle(p, triangle, p->support_point, p->support_feature_id,
                              &p->support_candidate)) {
    p->has_support_candidate = true;
    near |= p->support_candidate.separation <= p->max;
  }
  return near;
}

bool mo_patch_add_triangle(mo_patch *p, const mo_contact_body *triangle, uint32_t index) {
  const mo_clip clip = {p->normal, INFINITY, p->body->size + triangle->size, true};
  mo_contact_feature face;
  mo_candidates found;
  mo_contact_feature_of(&face, triangle, mo_dscale(p->body_first ? -1.0 : 1.0, p->normal));
  mo_clip_features(&clip, p->body_first ? &p->feature : &face, p->body_first ? &face : &p->feature,
                   &found);
  if (p->candidates.count + found.count + MO_MAX_OUTLINE_CORNERS > MO_MAX_CANDIDATES - 2) {
    drop_inner_candidates(p);
  }
  bool near = false;
  for (int i = 0; i < found.count; i++) {
    near = near || found.items[i].separation <= p->max;
    add_mesh_candidate(p, found.items[i], index);
  }
  for (uint32_t i = 0; i < MO_MAX_OUTLINE_CORNERS && p->feature.rim_count > 0; i++) {
    mo_candidate polygon_corner;
    if (!(p->added_polygon_corners >> i & 1) &&
        candidate_over_triangle(p, triangle, p->feature.outline[i],
                                mo_feature_id(MO_FEATURE_VERTEX, FIRST_RIM_POLYGON_ID + i),
                                &polygon_corner)) {
      p->added_polygon_corners |= 1u << i;
      MO_ASSERT(p->candidates.count < MO_MAX_CANDIDATES);
      p->candidates.items[p->candidates.count++] = polygon_corner;
    }
  }
  return near;
}

/* Adds a candidate, or replaces the candidate with the same id. */
static void replace_or_add(mo_candidates *to, const mo_candidate *c) {
  int i = 0;
  while (i < to->count && to->items[i].id != c->id) {
    i++;
  }
  MO_ASSERT(i < MO_MAX_CANDIDATES);
  to->items[i] = *c;
  to->count += i == to->count;
}

/* Reduces the candidates to those of a single face made of all triangles, whatever their
 * separation. */
static void keep_candidates_of_merged_face(mo_patch *p) {
  mo_candidates *c = &p->candidates;
  bool complete = mo_patch_covers_supporting_feature(p);
  if (!complete) {
    drop_inner_candidates(p);
  }
  int count = 0;
  double min = INFINITY;
  for (int i = 0; i < c->count; i++) {
    if (!is_rim_polygon_corner(p, &c->items[i]) && (!complete || is_body_corner(p, &c->items[i]))) {
      c->items[count++] = c->items[i];
    }
  }
  c->count = count;
  for (int i = 0; i < c->count; i++) {
    min = fmin(min, c->items[i].separation);
  }
  if (p->has_support_candidate &&
      p->support_candidate.separation < min - MO_TOUCHING_GAP * p->body->size) {
    replace_or_add(c, &p->support_candidate);
    min = p->support_candidate.separation;
  }
  /* If the triangles are not quite in one plane, the deepest point between the corners may be
   * deeper than these, and is kept too. */
  if (p->deepest.separation < min - MO_MERGE_DISTANCE * size_of(p)) {
    replace_or_add(c, &p->deepest);
  }
}

void mo_patch_end(mo_patch *p, mo_manifold *manifold) {
  mo_candidates *c = &p->candidates;
  keep_candidates_of_merged_face(p);
  int count = 0;
  for (int i = 0; i < c->count; i++) {
    if (c->items[i].separation <= p->max) {
      c->items[count++] = c->items[i];
    }
  }
  c->count = count;
  *manifold = (mo_manifold){.point_count = 0};
  if (count > 0) {
    const mo_candidate *kept[MO_MAX_MANIFOLD_POINTS];
    mo_manifold_set(manifold, &p->frame, p->normal, kept, mo_reduce_candidates(c, kept));
  }
}
