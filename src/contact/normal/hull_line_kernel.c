/* Contact normals of a hull and the core of a sphere or capsule; compiled once per instruction set.
 *
 * The separation along a face normal is the height, over that face, of the lower end of the segment
 * (or of the point). If the greatest such height is positive and that end lies over the face, it is
 * the distance. The other candidate axes are perpendicular to the segment and to an edge whose two
 * faces face opposite ends of the segment. If no axis separates, the greatest (negative) separation
 * is minus the depth. If an edge axis separates, and edge and segment come closest between their
 * ends, its separation is the distance. In all other cases the closest point of the hull is on an
 * edge of a face that an end of the segment is above. */
#include "contact/body/limits.h"
#include "contact/normal/polytope_lanes.h"

/* Greatest coordinate, in the units of the hull's single-precision planes, for which heights do not
 * overflow. */
static const double max_coordinate = 0x1p100;

/* Finds the face over which the lower end of the segment is highest; of equal faces the first. */
static inline void try_faces(mo_hull_line_search *s, const mo_dvec3 end[2],
                             const mo_face_heights *h, double slack) {
  mo_contact_polytope *p = s->hull;
  mo_f8 max = mo_f8_splat(-INFINITY);
  for (uint32_t i = 0; i < h->group_count; i++) {
    max = mo_f8_max(max, h->min[i]);
  }
  const double min = (double)mo_f8_reduce_max(max) - slack / p->plane_unit_length;
  uint64_t faces = mo_faces_above(h->min, h->group_count, min) & mo_axis_face_mask(p);
  s->max_face_separation = -INFINITY;
  for (; faces != 0; faces &= faces - 1) {
    const uint32_t face = (uint32_t)__builtin_ctzll(faces);
    const mo_dvec3 n = mo_polytope_normal(p, face);
    const double first = mo_ddot(n, end[0]), last = mo_ddot(n, end[1]);
    const double separation = (last < first ? last : first) - p->offsets[face];
    if (separation > s->max_face_separation) {
      s->max_face_separation = separation;
      s->face = face;
      s->face_normal = n;
    }
  }
}

/* Whether a point lies over a face: inside all planes through the face's edges along its normal. */
static inline bool is_over_face(mo_contact_polytope *p, uint32_t face, mo_dvec3 point) {
  const mo_hull *hull = p->body->hull;
  const mo_hull_polygon *polygon = &hull->faces[face];
  const mo_hull_half_edge *edges = hull->half_edges + polygon->first;
  const mo_dvec3 n = mo_dscale(p->is_mirrored ? -1.0 : 1.0, mo_polytope_normal(p, face));
  mo_dvec3 from = mo_polytope_vertex(p, edges[polygon->count - 1].vertex);
  for (uint32_t i = 0; i < polygon->count; i++) {
    const mo_dvec3 to = mo_polytope_vertex(p, edges[i].vertex);
    if (!(mo_ddot(n, mo_dcross(mo_dsub(to, from), mo_dsub(point, from))) >= 0.0)) {
      return false;
    }
    from = to;
  }
  return true;
}

static inline mo_contact_line line_of(mo_contact_polytope *p, const mo_hull_table_edge *e) {
  const mo_dvec3 start = mo_polytope_vertex(p, e->start),
                 half = mo_dscale(0.5, mo_dsub(mo_polytope_vertex(p, e->end), start));
  return (mo_contact_line){mo_dadd(start, half), half};
}

/* Tries the cross product of an edge and the segment. */
static inline void try_edge(mo_hull_line_search *s, const mo_hull_table_edge *e, mo_dvec3 segment) {
  mo_contact_polytope *p = s->hull;
  const mo_dvec3 of_first = mo_polytope_normal(p, e->faces[0]),
                 of_last = mo_polytope_normal(p, e->faces[1]);
  if ((mo_ddot(of_first, segment) > 0.0) == (mo_ddot(of_last, segment) > 0.0)) {
    return;
  }
  const mo_dvec3 start = mo_polytope_vertex(p, e->start),
                 along = mo_dsub(mo_polytope_vertex(p, e->end), start),
                 cross = mo_dcross(along, segment);
  const double length = mo_dlength(cross), lengths = mo_dlength(along) * mo_dlength(segment);
  if (!(length > MO_PARALLEL_EDGES_SINE * lengths)) {
    return;
  }
  const double sign = mo_ddot(cross, mo_dadd(of_first, of_last)) < 0.0 ? -1.0 : 1.0;
  const mo_dvec3 n = mo_dscale(sign / length, cross);
  const double separation = mo_ddot(n, mo_dsub(s->line.center, start));
  if (separation > s->separation) {
    s->separation = separation;
    s->normal = n;
    s->support_face = mo_supporting_face_of_edge(p, e, n);
    s->edge = line_of(p, e);
  }
}

static inline void try_edges(mo_hull_line_search *s, const mo_face_heights *h, double slack) {
  mo_contact_polytope *p = s->hull;
  const double min = (fmin(s->separation, 0.0) - slack) / p->plane_unit_length;
  const mo_f8 error_bound = mo_f8_splat((float)(slack / p->plane_unit_length));
  uint64_t up = 0, down = 0;
  for (uint32_t i = 0; i < h->group_count; i++) {
    const mo_f8 first = h->height[0][i], last = h->height[1][i];
    up |= (uint64_t)mo_m8_bits(mo_f8_le(first, mo_f8_add(last, error_bound))) << 8 * i;
    down |= (uint64_t)mo_m8_bits(mo_f8_le(last, mo_f8_add(first, error_bound))) << 8 * i;
  }
  mo_hull_edge_set edges = {{UINT64_MAX, UINT64_MAX}};
  mo_keep_edges_of_faces(&edges, p, up);
  mo_keep_edges_of_faces(&edges, p, down);
  mo_keep_edges_of_faces(&edges, p, mo_faces_above(h->height[0], h->group_count, min));
  mo_keep_edges_of_faces(&edges, p, mo_faces_above(h->height[1], h->group_count, min));
  uint8_t found[MO_HULL_TABLE_MAX_EDGES];
  for (uint32_t i = 0, count = mo_list_edges(p, &edges, found); i < count; i++) {
    try_edge(s, &p->edges[found[i]], s->line.half);
  }
}

/* The squared distance of an edge from the line, which may be a point. */
static inline double squared_distance_to_edge(mo_contact_line edge, mo_contact_line line) {
  const mo_dvec3 d = line.half, e = edge.half, r = mo_dsub(edge.center, line.center);
  const double dd = mo_ddot(d, d), ee = mo_ddot(e, e), de = mo_ddot(d, e), dr = mo_ddot(d, r),
               er = mo_ddot(e, r), square = dd * ee - de * de;
  double on_line =
      square > 0x1p-40 * dd * ee ? mo_clamp_to_segment((dr * ee - de * er) / square) : 0.0;
  double on_edge = (de * on_line - er) / ee;
  if (fabs(on_edge) > 1.0) {
    on_edge = mo_clamp_to_segment(on_edge);
    on_line = dd > 0.0 ? mo_clamp_to_segment((dr + de * on_edge) / dd) : 0.0;
  }
  const mo_dvec3 between = mo_dadd(r, mo_dsub(mo_dscale(on_edge, e), mo_dscale(on_line, d)));
  return mo_ddot(between, between);
}

static inline bool is_at_end_of_edge(const mo_contact_line *edge, mo_dvec3 point) {
  const mo_dvec3 start = mo_dsub(edge->center, edge->half), end = mo_dadd(edge->center, edge->half);
  return (point.x == start.x && point.y == start.y && point.z == start.z) ||
         (point.x == end.x && point.y == end.y && point.z == end.z);
}

/* Finds the edge closest to the line among the edges of faces that an end of the line is above, and
 * the closest points. Returns false where these points are too close for an accurate normal. */
static inline bool find_closest_edge(mo_hull_line_search *s, const mo_face_heights *h, double size,
                                     double slack) {
  mo_contact_polytope *p = s->hull;
  const double level = -slack / p->plane_unit_length;
  mo_hull_edge_set edges = {{UINT64_MAX, UINT64_MAX}};
  mo_keep_edges_of_faces(&edges, p,
                         mo_faces_above(h->height[0], h->group_count, level) |
                             mo_faces_above(h->height[1], h->group_count, level));
  const mo_hull_table_edge *closest = NULL;
  double min = INFINITY;
  uint8_t found[MO_HULL_TABLE_MAX_EDGES];
  for (uint32_t i = 0, count = mo_list_edges(p, &edges, found); i < count; i++) {
    const mo_contact_line edge = line_of(p, &p->edges[found[i]]);
    const double square = squared_distance_to_edge(edge, s->line);
    if (square < min) {
      min = square;
      closest = &p->edges[found[i]];
      s->edge = edge;
    }
  }
  if (closest == NULL) {
    return false;
  }
  mo_dvec3 points[2];
  s->separation = mo_contact_closest_of_lines(s->edge, s->line, points);
  s->normal = mo_dunit(mo_dsub(points[1], points[0]));
  s->points[0] = points[0];
  s->points[1] = points[1];
  if (!(s->separation > MO_NEARLY_TOUCHING_GAP * size)) {
    return false;
  }
  const bool is_point = !(mo_ddot(s->line.half, s->line.half) > 0.0);
  s->support_face = is_point || !is_at_end_of_edge(&s->edge, points[0])
                        ? mo_supporting_face_of_edge(p, closest, s->normal)
                        : 0;
  return true;
}

/* Sets the closest points of the best edge and the segment. Returns false if the two are apart and
 * their lines come closest beyond an end of edge or segment. */
static inline bool set_points_on_edge(mo_hull_line_search *s, double size) {
  mo_dvec3 points[2];
  const double distance = mo_contact_closest_of_lines(s->edge, s->line, points);
  s->points[0] = points[0];
  s->points[1] = points[1];
  return !(s->separation > 0.0) || distance - s->separation <= MO_ACCURATE_NORMAL_DISTANCE * size;
}

bool MO_ISA_FN(mo_hull_line_find)(mo_hull_line_search *s) {
  mo_contact_polytope *p = s->hull;
  const double length = mo_dlength(s->line.half), size = p->body->size + length;
  const mo_dvec3 end[2] = {mo_dsub(s->line.center, s->line.half),
                           mo_dadd(s->line.center, s->line.half)};
  const double slack = MO_AXIS_CULLING_SLACK * size +
                       MO_HEIGHT_ROUNDING_ERROR * mo_dlength(mo_dsub(s->line.center, p->center));
  const double reach = mo_dlength(mo_dsub(s->line.center, p->plane_center)) + length;
  if (!(reach < max_coordinate * p->plane_unit_length)) {
    return false;
  }
  mo_face_heights h;
  mo_find_face_heights(p, end, 2, &h);
  try_faces(s, end, &h, slack);
  s->separation = s->max_face_separation;
  s->normal = s->face_normal;
  s->support_face = 1 + s->face;
  if (s->separation > s->max) {
    return true;
  }
  const int low = mo_ddot(s->normal, end[1]) < mo_ddot(s->normal, end[0]) ? 1 : 0;
  s->points[1] = end[low];
  s->points[0] = mo_dsub(end[low], mo_dscale(s->separation, s->normal));
  if (s->separation > 0.0 ? is_over_face(p, s->face, end[low]) : !(length > 0.0)) {
    return true;
  }
  if (length > 0.0) {
    try_edges(s, &h, slack);
    if (s->separation == s->max_face_separation ? !(s->separation > 0.0)
                                                : set_points_on_edge(s, size)) {
      return true;
    }
  }
  return s->separation > 0.0 && find_closest_edge(s, &h, size, slack);
}
