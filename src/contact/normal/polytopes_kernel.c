/* Separating axis test of two polytopes (Gottschalk, Lin and Manocha 1996); compiled once per
 * instruction set. The candidate axes are the normals of the faces of both, and the cross products
 * of their edges. For bodies with volume, a pair of edges counts only if their arcs on the Gauss
 * map cross (Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013); both bodies
 * then have these edges as their supporting features along the axis.
 *
 * Most faces and edges are culled by culling points: four vertices of the other body. Along any
 * axis, the lowest point of a body is no higher than any of its vertices. So a face separates by no
 * more than the height of the lowest culling point over it. The axes of an edge lie on the arc
 * between the normals of its two faces. So an edge separates by a positive amount only if each
 * culling point is above one of these faces, and by no more than the greater height of a culling
 * point over them if both heights are negative. Witnesses are the vertices that are deepest along
 * an axis near the result: that of an earlier search, or the best face along the line of the
 * centres.
 *
 * For a box and a triangle, closed forms of all thirteen axes take the place of culling points.
 *
 * An axis that is culled cannot be the result, as bounds are compared with a slack; all other axes
 * are computed in the same way in any order. Of equal separations the first counts, in the order of
 * faces of A, faces of B, then edges. So the result does not depend on where the search begins. */
#include "base/assert.h"
#include "contact/body/limits.h"
#include "contact/normal/polytope_lanes.h"
#include "math/four.h"

/* Fraction of the size and distance of a box and a triangle: the slack of culling by their closed
 * forms, which are of double precision. */
static const double box_culling_slack = 0x1p-36;

/* Finds the culling points along n: the MO_MAX_CULLING_POINTS highest vertices, the highest first.
 * If there are fewer vertices, one is repeated. */
static inline void find_culling_points(mo_contact_polytope *p, mo_dvec3 n,
                                       mo_dvec3 culling_point[MO_MAX_CULLING_POINTS]) {
  if (p->vertex_count == 3) { /* of a triangle: in cyclic order */
    const double x = mo_ddot(p->vertices[0], n), y = mo_ddot(p->vertices[1], n),
                 z = mo_ddot(p->vertices[2], n);
    const int highest = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    for (int i = 0; i < MO_MAX_CULLING_POINTS; i++) {
      culling_point[i] = p->vertices[(highest + i) % 3];
    }
    return;
  }
  mo_vertex_heights h;
  mo_find_vertex_heights(p, n, &h);
  for (int k = 0; k < MO_MAX_CULLING_POINTS; k++) {
    const float top = mo_max_vertex_height(&h);
    if (top > -INFINITY) {
      culling_point[k] =
          mo_polytope_vertex(p, (uint32_t)__builtin_ctzll(mo_vertices_above(&h, top)));
      for (uint32_t i = 0; i < h.group_count && k + 1 < MO_MAX_CULLING_POINTS; i++) {
        h.group[i] = mo_f8_select(mo_f8_le(mo_f8_splat(top), h.group[i]), mo_f8_splat(-INFINITY),
                                  h.group[i]);
      }
    } else {
      culling_point[k] = culling_point[k - 1];
    }
  }
}

static inline double min_height_along(mo_contact_polytope *p, mo_dvec3 n) {
  if (p->vertex_count == 3) {
    const double x = mo_ddot(p->vertices[0], n), y = mo_ddot(p->vertices[1], n),
                 z = mo_ddot(p->vertices[2], n), min = y < x ? y : x;
    return z < min ? z : min;
  }
  mo_vertex_heights h;
  mo_find_vertex_heights(p, mo_dscale(-1.0, n), &h);
  uint64_t low = mo_vertices_above(&h, mo_max_vertex_height(&h) - h.max_difference_error);
  double min = INFINITY;
  for (low &= ((uint64_t)1 << p->vertex_count) - 1; low != 0; low &= low - 1) {
    const double height = mo_ddot(mo_polytope_vertex(p, (uint32_t)__builtin_ctzll(low)), n);
    min = height < min ? height : min;
  }
  return min;
}

typedef struct search_state {
  mo_axis_search *result;
  mo_contact_polytope *polytope[2];
  double culling_slack;
  uint32_t face;              /* index of the best face; faces of B are numbered after those of A */
  uint64_t tried_faces[2];    /* by body: a bit for each face that has been tried */
  int box;                    /* which body is a box (0 or 1) if the other is a triangle; else -1 */
  int culling_point_count;    /* number of culling points of each body */
  mo_face_heights heights[2]; /* by body: heights of the other body's culling points
                                 (find_culling_points) over its faces */
} search_state;

/* Whether both bodies are triangles. Then nearly parallel edges may separate better than any face,
 * but rounding decides whether their arcs cross. So the separation along the cross product of two
 * edges is computed from support points, for both of its signs. */
static inline bool are_triangles(const mo_axis_search *s) {
  return s->a->axis_face_count == 2 && s->b->axis_face_count == 2;
}

/* Sets the culling points of both bodies along a direction from A to B. Returns the separation
 * along it, up to the slack. */
static inline double set_culling_points(search_state *s, mo_dvec3 along) {
  s->culling_point_count = MO_MAX_CULLING_POINTS;
  mo_dvec3 of_a[MO_MAX_CULLING_POINTS], of_b[MO_MAX_CULLING_POINTS];
  find_culling_points(s->polytope[0], along, of_a);
  find_culling_points(s->polytope[1], mo_dscale(-1.0, along), of_b);
  mo_find_face_heights(s->polytope[0], of_b, MO_MAX_CULLING_POINTS, &s->heights[0]);
  mo_find_face_heights(s->polytope[1], of_a, MO_MAX_CULLING_POINTS, &s->heights[1]);
  return mo_ddot(along, mo_dsub(of_b[0], of_a[0]));
}

/* Whether `start_axis` clearly separates the bodies: then it is the result. */
static inline bool start_axis_separates(mo_axis_search *to) {
  const double clearly = MO_CLEAR_SEPARATION * (to->a->body->size + to->b->body->size);
  const double separation = min_height_along(to->b, to->start_axis) +
                            min_height_along(to->a, mo_dscale(-1.0, to->start_axis));
  if (!(separation > to->separation_limit + clearly)) {
    return false;
  }
  to->max_separation = separation;
  to->normal = to->start_axis;
  return true;
}

static inline void try_face(search_state *s, int side, uint32_t face) {
  mo_contact_polytope *own = s->polytope[side];
  mo_axis_search *to = s->result;
  const mo_dvec3 n = mo_polytope_normal(own, face);
  s->tried_faces[side] |= (uint64_t)1 << face;
  if (!(mo_ddot(n, n) > 0.0)) {
    return;
  }
  const uint32_t number = side == 0 ? face : s->polytope[0]->face_count + face;
  const double separation = min_height_along(s->polytope[1 - side], n) - own->offsets[face];
  if (separation > to->max_face_separation ||
      (separation == to->max_face_separation && number < s->face)) {
    to->max_face_separation = separation;
    to->face_normal = mo_dscale(side == 0 ? 1.0 : -1.0, n);
    to->face_normal_supports.face[side] = 1 + face;
    to->face_normal_supports.face[1 - side] = 0;
    s->face = number;
  }
}

/* Finds the face of a body with the greatest upper bound of its separation. Returns that bound. */
static inline double find_face_with_max_bound(const mo_contact_polytope *own,
                                              const mo_face_heights *h, uint32_t *face) {
  const uint64_t sides = mo_axis_face_mask(own);
  mo_f8 max = mo_f8_splat(-INFINITY);
  for (uint32_t i = 0; i < h->group_count; i++) {
    const mo_m8 counts = mo_m8_from_bits((uint32_t)(sides >> 8 * i));
    max = mo_f8_max(max, mo_f8_select(counts, h->min[i], mo_f8_splat(-INFINITY)));
  }
  const float top = mo_f8_reduce_max(max);
  const uint64_t found = mo_faces_above(h->min, h->group_count, (double)top) & sides;
  *face = found != 0 ? (uint32_t)__builtin_ctzll(found) : 0;
  return (double)top * own->plane_unit_length;
}

/* Finds the face of either body with the greatest upper bound of its separation. Returns the index
 * of the body. */
static inline int choose_first_face(const search_state *s, uint32_t *face) {
  uint32_t of_a, of_b;
  const int side = find_face_with_max_bound(s->polytope[0], &s->heights[0], &of_a) >=
                           find_face_with_max_bound(s->polytope[1], &s->heights[1], &of_b)
                       ? 0
                       : 1;
  *face = side == 0 ? of_a : of_b;
  return side;
}

static inline void try_faces(search_state *s) {
  for (int side = 0; side < 2; side++) {
    const mo_contact_polytope *own = s->polytope[side];
    const double min = (s->result->max_face_separation - s->culling_slack) / own->plane_unit_length;
    const mo_face_heights *h = &s->heights[side];
    uint64_t faces = mo_faces_above(h->min, h->group_count, min) & mo_axis_face_mask(own) &
                     ~s->tried_faces[side];
    for (; faces != 0; faces &= faces - 1) {
      try_face(s, side, (uint32_t)__builtin_ctzll(faces));
    }
  }
}

/* The three half axes of a box, or the normals of its sides, as lanes. */
static inline mo_d4vec lanes_of(const mo_dvec3 v[3]) {
  return (mo_d4vec){mo_d4_of(v[0].x, v[1].x, v[2].x, 0.0), mo_d4_of(v[0].y, v[1].y, v[2].y, 0.0),
                    mo_d4_of(v[0].z, v[1].z, v[2].z, 0.0)};
}

/* For a box and a triangle: tries the faces whose separation may be the greatest. */
static inline void try_faces_of_box(search_state *s) {
  const mo_contact_body *body = s->polytope[s->box]->body;
  mo_contact_polytope *flat = s->polytope[1 - s->box];
  const mo_d4vec axis = lanes_of(body->axis), side = lanes_of(body->face_normal);
  const mo_d4 a = mo_d4vec_dot_one(&side, mo_dsub(flat->vertices[0], body->center)),
              b = mo_d4vec_dot_one(&side, mo_dsub(flat->vertices[1], body->center)),
              c = mo_d4vec_dot_one(&side, mo_dsub(flat->vertices[2], body->center));
  const mo_d4 width = mo_d4vec_dot(&side, &axis),
              reach = mo_d4_abs(mo_d4vec_dot_one(&axis, flat->normals[0]));
  const mo_d4 upper = mo_d4_min(a, mo_d4_min(b, c)) - width,
              lower = -mo_d4_max(a, mo_d4_max(b, c)) - width, either = mo_d4_max(upper, lower);
  const double height = mo_ddot(flat->normals[0], body->center) - flat->offsets[0],
               of_flat = fabs(height) - (reach[0] + reach[1] + reach[2]);
  const double of_box = mo_dmax(either[0], mo_dmax(either[1], either[2]));
  const double min = mo_dmax(of_box, of_flat) - s->culling_slack;
  const uint32_t on_upper = mo_d4_less_bits(mo_d4_splat(min), upper),
                 on_lower = mo_d4_less_bits(mo_d4_splat(min), lower);
  for (uint32_t i = 0; i < 3; i++) {
    if (on_lower >> i & 1) {
      try_face(s, s->box, 2 * i);
    }
    if (on_upper >> i & 1) {
      try_face(s, s->box, 2 * i + 1);
    }
  }
  if (of_flat > min) {
    try_face(s, 1 - s->box, height < 0.0);
  }
}

/* Finds, for each edge of a triangle, a bit for each edge of a box whose cross product with it may
 * separate by `min`: the box's edges that support the box along the cross product, if the
 * triangle's edge supports the triangle. */
static inline void find_edges_of_box(const search_state *s, double min, uint32_t found[3]) {
  const mo_contact_body *body = s->polytope[s->box]->body;
  const mo_dvec3 *corner = s->polytope[1 - s->box]->vertices;
  const mo_d4vec axis = lanes_of(body->axis);
  const mo_d4vec next = {mo_d4_rotate_axes(axis.x), mo_d4_rotate_axes(axis.y),
                         mo_d4_rotate_axes(axis.z)},
                 last = {mo_d4_rotate_axes_back(axis.x), mo_d4_rotate_axes_back(axis.y),
                         mo_d4_rotate_axes_back(axis.z)};
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 start = corner[i], e = mo_dsub(corner[(i + 1) % 3], start);
    const mo_d4vec n = {e.y * axis.z - e.z * axis.y, e.z * axis.x - e.x * axis.z,
                        e.x * axis.y - e.y * axis.x};
    const mo_d4 length = mo_d4_length(&n), none = -s->culling_slack * length, far = min * length;
    const mo_d4 u = mo_d4vec_dot(&next, &n), v = mo_d4vec_dot(&last, &n),
                reach = mo_d4_abs(u) + mo_d4_abs(v),
                height = mo_d4vec_dot_one(&n, mo_dsub(start, body->center)),
                rise = mo_d4vec_dot_one(&n, mo_dsub(corner[(i + 2) % 3], start));
    const uint32_t above = mo_d4_less_bits(none, rise) & mo_d4_less_bits(far, height - reach),
                   below = mo_d4_less_bits(none, -rise) & mo_d4_less_bits(far, -height - reach);
    found[i] = 0;
    if (((above | below) & 7) == 0) {
      continue;
    }
    const uint32_t upper[2] = {mo_d4_less_bits(none, -u), mo_d4_less_bits(none, u)},
                   inner[2] = {mo_d4_less_bits(none, -v), mo_d4_less_bits(none, v)};
    for (int k = 0; k < 4; k++) {
      const uint32_t at =
          (above & upper[k & 1] & inner[k >> 1]) | (below & upper[~k & 1] & inner[~k >> 1 & 1]);
      found[i] |= ((at & 1) | (at & 2) << 3 | (at & 4) << 6) << k;
    }
  }
}

/* The edges of body `side` whose axes may separate by at least `min`. */
static inline mo_hull_edge_set edges_that_may_separate(const search_state *s, int side,
                                                       double min) {
  const mo_contact_polytope *own = s->polytope[side];
  const mo_face_heights *h = &s->heights[side];
  mo_hull_edge_set found = {{UINT64_MAX, UINT64_MAX}};
  for (int k = 0; k < s->culling_point_count; k++) {
    mo_keep_edges_of_faces(
        &found, own, mo_faces_above(h->height[k], h->group_count, min / own->plane_unit_length));
  }
  return found;
}

/* An edge: its start, the vector to its end, and the normals of its two faces. */
typedef struct edge {
  const mo_hull_table_edge *table_edge;
  mo_dvec3 start, along, normals[2];
} edge;

static inline edge edge_of(mo_contact_polytope *p, uint32_t index) {
  const mo_hull_table_edge *e = &p->edges[index];
  MO_ASSERT(e->faces[0] < p->face_count && e->faces[1] < p->face_count);
  const mo_dvec3 start = mo_polytope_vertex(p, e->start);
  return (edge){e,
                start,
                mo_dsub(mo_polytope_vertex(p, e->end), start),
                {mo_polytope_normal(p, e->faces[0]), mo_polytope_normal(p, e->faces[1])}};
}

static inline void keep_if_better(mo_axis_search *to, double separation, mo_dvec3 normal) {
  if (separation > to->max_separation) {
    to->max_separation = separation;
    to->normal = normal;
    to->supports = (mo_supporting_faces){{0, 0}};
  }
}

/* Whether an arc between two normals crosses the plane with the normal `along`. An end in the
 * plane counts as below it. So of the two arcs of a triangle's edge, which meet at the normal of a
 * side face, exactly one crosses. */
static inline bool arc_crosses_great_circle(const edge *e, mo_dvec3 along) {
  return (mo_ddot(e->normals[0], along) > 0.0) != (mo_ddot(e->normals[1], along) > 0.0);
}

/* Whether the arcs of edge e of A and edge f of B, the latter negated, cross on the Gauss map: on
 * the same hemisphere, not on opposite ones. `n`: the cross product of the edges. */
static inline bool arcs_cross(const edge *e, const edge *f, mo_dvec3 n) {
  return arc_crosses_great_circle(f, e->along) && arc_crosses_great_circle(e, f->along) &&
         mo_ddot(n, mo_dadd(e->normals[0], e->normals[1])) *
                 mo_ddot(n, mo_dadd(f->normals[0], f->normals[1])) <
             0.0;
}

static inline void try_edge_pair(mo_axis_search *to, const edge *e, const edge *f) {
  const bool arcs = to->a->has_volume && to->b->has_volume;
  const mo_dvec3 cross = mo_dcross(e->along, f->along);
  if (arcs && !arcs_cross(e, f, cross)) {
    return;
  }
  double length = mo_dlength(cross), lengths = mo_dlength(e->along) * mo_dlength(f->along);
  const bool flat = are_triangles(to), by_edges = arcs && !flat;
  if (!(length > (flat ? MO_FLAT_PARALLEL_EDGES_SINE : MO_PARALLEL_EDGES_SINE) * lengths) ||
      !(length > 0.0)) {
    return;
  }
  mo_dvec3 n = mo_dscale(1.0 / length, cross), back = mo_dscale(-1.0, n);
  if (by_edges) {
    n = mo_ddot(n, mo_dadd(e->normals[0], e->normals[1])) < 0.0 ? back : n;
    const double separation = mo_ddot(n, mo_dsub(f->start, e->start));
    if (separation > to->max_separation) {
      keep_if_better(to, separation, n);
      to->supports.face[0] = mo_supporting_face_of_edge(to->a, e->table_edge, n);
      to->supports.face[1] = mo_supporting_face_of_edge(to->b, f->table_edge, mo_dscale(-1.0, n));
    }
  } else {
    keep_if_better(to, min_height_along(to->b, n) + min_height_along(to->a, back), n);
    keep_if_better(to, min_height_along(to->a, n) + min_height_along(to->b, back), back);
  }
}

static inline void try_edges(search_state *s) {
  mo_axis_search *to = s->result;
  mo_hull_edge_set set[2] = {{{UINT64_MAX, UINT64_MAX}}, {{UINT64_MAX, UINT64_MAX}}};
  if (to->a->has_volume && to->b->has_volume) {
    const double max = are_triangles(to) ? 0.7 * to->max_separation : 0.0;
    const double min = (to->max_separation > 0.0 ? max : to->max_separation) - s->culling_slack;
    set[0] = edges_that_may_separate(s, 0, min);
    if ((set[0].bits[0] | set[0].bits[1]) == 0) {
      return;
    }
    set[1] = edges_that_may_separate(s, 1, min);
    if ((set[1].bits[0] | set[1].bits[1]) == 0) {
      return;
    }
  }
  uint8_t of_a[MO_HULL_TABLE_MAX_EDGES], of_b[MO_HULL_TABLE_MAX_EDGES];
  const uint32_t count_a = mo_list_edges(to->a, &set[0], of_a);
  const uint32_t count_b = mo_list_edges(to->b, &set[1], of_b);
  for (uint32_t i = 0; i < count_a; i++) {
    const edge e = edge_of(to->a, of_a[i]);
    for (uint32_t k = 0; k < count_b; k++) {
      const edge f = edge_of(to->b, of_b[k]);
      try_edge_pair(to, &e, &f);
    }
  }
}

static inline void try_edge_pair_of_box(search_state *s, uint32_t of_box, uint32_t of_flat) {
  const edge e = edge_of(s->polytope[0], s->box == 0 ? of_box : of_flat),
             f = edge_of(s->polytope[1], s->box == 0 ? of_flat : of_box);
  try_edge_pair(s->result, &e, &f);
}

/* For a box and a triangle: tries the pairs of edges that may separate better than the faces, in
 * the order of the edges of A, then of B. */
static inline void try_edges_of_box(search_state *s) {
  uint32_t found[3];
  find_edges_of_box(s, s->result->max_separation - s->culling_slack, found);
  for (uint32_t i = 0; i < 6 && s->box == 1; i++) {
    for (uint32_t bits = found[i / 2]; bits != 0; bits &= bits - 1) {
      try_edge_pair_of_box(s, (uint32_t)__builtin_ctz(bits), i);
    }
  }
  uint32_t bits = s->box == 0 ? found[0] | found[1] | found[2] : 0;
  for (; bits != 0; bits &= bits - 1) {
    for (uint32_t i = 0; i < 6; i++) {
      const uint32_t of_box = (uint32_t)__builtin_ctz(bits);
      if (found[i / 2] >> of_box & 1) {
        try_edge_pair_of_box(s, of_box, i);
      }
    }
  }
}

/* The first direction of a search without `start_axis`: the normal of a triangle, or the normal of
 * the face with the greatest bound by the culling points along the line of the centres. */
static inline mo_dvec3 find_first_direction(search_state *s, mo_dvec3 apart, double distance) {
  for (int i = 0; i < 2; i++) {
    if (s->polytope[i]->axis_face_count == 2 && s->polytope[i]->has_volume) {
      const mo_dvec3 n = s->polytope[i]->normals[0];
      return mo_ddot(n, apart) < 0.0 ? mo_dscale(-1.0, n) : n;
    }
  }
  uint32_t face;
  set_culling_points(s, distance > 0.0 ? mo_dscale(1.0 / distance, apart) : mo_dvec(0.0, 0.0, 1.0));
  const int side = choose_first_face(s, &face);
  return mo_dscale(side == 0 ? 1.0 : -1.0, mo_polytope_normal(s->polytope[side], face));
}

/* For two triangles: uses their centres as culling points, so that culling does not depend on where
 * the search begins. (The separation of triangles along a cross product may belong to other
 * features than the two edges.) */
static inline void set_centers_as_culling_points(search_state *s) {
  s->culling_point_count = 1;
  mo_find_face_heights(s->polytope[0], &s->polytope[1]->center, 1, &s->heights[0]);
  mo_find_face_heights(s->polytope[1], &s->polytope[0]->center, 1, &s->heights[1]);
}

bool MO_ISA_FN(mo_polytope_is_apart)(mo_contact_polytope *polytope, const mo_dvec3 corner[3],
                                     double max) {
  mo_contact_polytope_ensure_planes(polytope);
  mo_face_heights h;
  mo_find_face_heights(polytope, corner, 3, &h);
  uint32_t face;
  const double bound = find_face_with_max_bound(polytope, &h, &face),
               reach = mo_sum_of_magnitudes(mo_dsub(corner[0], polytope->center)) +
                       mo_sum_of_magnitudes(mo_dsub(corner[1], polytope->center)) +
                       mo_sum_of_magnitudes(mo_dsub(corner[2], polytope->center));
  return bound > max + MO_AXIS_CULLING_SLACK * (polytope->body->size + reach);
}

/* The index of the body that is a box with volume, if the other is a triangle with area; else
 * -1. */
static inline int find_box_index(const search_state *s) {
  int box = -1;
  for (int i = 0; i < 2; i++) {
    if (s->polytope[i]->body->kind == MO_CORE_BOX && s->polytope[1 - i]->axis_face_count == 2) {
      box = i;
    }
  }
  return s->polytope[0]->has_volume && s->polytope[1]->has_volume ? box : -1;
}

void MO_ISA_FN(mo_polytopes_find_axis)(mo_axis_search *search) {
  const mo_dvec3 apart = mo_dsub(search->b->center, search->a->center);
  const double distance = mo_dlength(apart);
  search_state s;
  uint32_t face;
  s.result = search;
  s.polytope[0] = search->a;
  s.polytope[1] = search->b;
  s.box = find_box_index(&s);
  const double size = search->a->body->size + search->b->body->size;
  s.culling_slack = s.box >= 0 ? box_culling_slack * (size + distance)
                               : MO_AXIS_CULLING_SLACK * size + MO_HEIGHT_ROUNDING_ERROR * distance;
  s.face = MO_NONE;
  s.tried_faces[0] = s.tried_faces[1] = 0;
  search->max_face_separation = search->max_separation = -INFINITY;
  search->face_normal = search->normal = mo_dvec(0.0, 0.0, 0.0);
  search->supports = search->face_normal_supports = (mo_supporting_faces){{0, 0}};
  const bool has_start = mo_ddot(search->start_axis, search->start_axis) > 0.0;
  for (int i = 0; i < 2 && s.box < 0; i++) {
    mo_contact_polytope_ensure_planes(s.polytope[i]);
  }
  if (s.box >= 0 || are_triangles(search)) {
    if (has_start && start_axis_separates(search)) {
      return;
    }
    if (s.box >= 0) {
      try_faces_of_box(&s);
    } else {
      set_centers_as_culling_points(&s);
    }
  } else {
    if (!has_start) {
      set_culling_points(&s, find_first_direction(&s, apart, distance));
    } else if (set_culling_points(&s, search->start_axis) > search->separation_limit &&
               start_axis_separates(search)) {
      return;
    }
    const int side = choose_first_face(&s, &face);
    try_face(&s, side, face);
  }
  if (s.box < 0 && !(search->max_face_separation > search->separation_limit)) {
    try_faces(&s);
  }
  search->max_separation = search->max_face_separation;
  search->normal = search->face_normal;
  search->supports = search->face_normal_supports;
  if (!(search->max_separation > search->separation_limit)) {
    if (s.box >= 0) {
      try_edges_of_box(&s);
    } else {
      try_edges(&s);
    }
  }
}
