/* Contact normals of a hull and the core of a sphere or capsule; compiled once per instruction set.
 *
 * Over its own faces, the hull separates from a point or segment by no more than the greatest
 * height of the lowest end. If that is positive and the end lies over the face, this is the
 * distance. The other axes of greatest separation are perpendicular to the segment and to an edge,
 * one face of which looks to either end of the segment. If no axis separates, the greatest
 * (negative) separation is the depth. If one does, and both lines come closest between their ends,
 * it is the distance. A point that is over no face is closest to an edge of a face that it is
 * above.
 */
#include "contact/body/limits.h"
#include "contact/normal/polytope_lanes.h"

/* Finds the face with the greatest height of the lower end. Of equal ones the first. */
static inline void try_faces(mo_hull_line *s, const mo_dvec3 end[2], const mo_face_heights *h,
                             double slack) {
  mo_contact_polytope *p = s->hull;
  mo_f8 most = mo_f8_all(-INFINITY);
  for (uint32_t i = 0; i < h->groups; i++) {
    most = mo_f8_max(most, h->bound[i]);
  }
  const double least = (double)mo_f8_greatest(most) - slack / p->plane_unit;
  uint64_t faces = mo_faces_above(h->bound, h->groups, least) & mo_sides_of(p);
  s->of_faces = -INFINITY;
  for (; faces != 0; faces &= faces - 1) {
    const uint32_t face = (uint32_t)__builtin_ctzll(faces);
    const mo_dvec3 n = mo_polytope_normal(p, face);
    const double first = mo_ddot(n, end[0]), last = mo_ddot(n, end[1]);
    const double separation = (last < first ? last : first) - p->offsets[face];
    if (separation > s->of_faces) {
      s->of_faces = separation;
      s->face = face;
      s->face_normal = n;
    }
  }
}

/* Whether a point lies over a face: within the planes through its edges along its normal. */
static inline bool is_over(mo_contact_polytope *p, uint32_t face, mo_dvec3 point) {
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

/* Tries an edge with the segment. */
static inline void try_edge(mo_hull_line *s, const mo_table_edge *e, mo_dvec3 segment) {
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
  if (!(length > MO_PARALLEL_EDGES * lengths)) {
    return;
  }
  const double sign = mo_ddot(cross, mo_dadd(of_first, of_last)) < 0.0 ? -1.0 : 1.0;
  const mo_dvec3 n = mo_dscale(sign / length, cross);
  const double separation = mo_ddot(n, mo_dsub(s->line.center, start));
  if (separation > s->separation) {
    s->separation = separation;
    s->normal = n;
    s->support = mo_support_of_edge(p, e, n);
    s->edge.center = mo_dadd(start, mo_dscale(0.5, along));
    s->edge.half = mo_dscale(0.5, along);
  }
}

static inline void try_edges(mo_hull_line *s, const mo_face_heights *h, double slack) {
  mo_contact_polytope *p = s->hull;
  const double least = (fmin(s->separation, 0.0) - slack) / p->plane_unit;
  const mo_f8 noise = mo_f8_all((float)(slack / p->plane_unit));
  uint64_t up = 0, down = 0;
  for (uint32_t i = 0; i < h->groups; i++) {
    const mo_f8 first = h->of[0][i], last = h->of[1][i];
    up |= (uint64_t)mo_m8_bits(mo_f8_le(first, mo_f8_add(last, noise))) << 8 * i;
    down |= (uint64_t)mo_m8_bits(mo_f8_le(last, mo_f8_add(first, noise))) << 8 * i;
  }
  mo_edge_set edges = {{UINT64_MAX, UINT64_MAX}};
  mo_keep_edges(&edges, p, up);
  mo_keep_edges(&edges, p, down);
  mo_keep_edges(&edges, p, mo_faces_above(h->of[0], h->groups, least));
  mo_keep_edges(&edges, p, mo_faces_above(h->of[1], h->groups, least));
  for (uint32_t word = 0; word < 2; word++) {
    for (uint64_t bits = edges.bits[word]; bits != 0; bits &= bits - 1) {
      try_edge(s, &p->edges[64 * word + (uint32_t)__builtin_ctzll(bits)], s->line.half);
    }
  }
}

/* Finds the closest of the edges around the faces that a point is above, and the closest point on
 * it. Returns false where the point is too close for an accurate normal. */
static inline bool find_closest_edge(mo_hull_line *s, const mo_face_heights *h, double size,
                                     double slack) {
  mo_contact_polytope *p = s->hull;
  const mo_dvec3 point = s->line.center;
  mo_edge_set edges = {{UINT64_MAX, UINT64_MAX}};
  mo_keep_edges(&edges, p, mo_faces_above(h->of[0], h->groups, -slack / p->plane_unit));
  const mo_table_edge *closest = NULL;
  double least = INFINITY;
  for (uint32_t word = 0; word < 2; word++) {
    for (uint64_t bits = edges.bits[word]; bits != 0; bits &= bits - 1) {
      const mo_table_edge *e = &p->edges[64 * word + (uint32_t)__builtin_ctzll(bits)];
      const mo_dvec3 start = mo_polytope_vertex(p, e->start),
                     along = mo_dsub(mo_polytope_vertex(p, e->end), start);
      const double t = mo_ddot(mo_dsub(point, start), along), whole = mo_ddot(along, along);
      const mo_dvec3 on = mo_dadd(start, mo_dscale(t <= 0.0     ? 0.0
                                                   : t >= whole ? 1.0
                                                                : t / whole,
                                                   along));
      const mo_dvec3 out = mo_dsub(point, on);
      const double square = mo_ddot(out, out);
      if (square < least) {
        least = square;
        closest = e;
        s->points[0] = on;
        s->normal = out;
      }
    }
  }
  s->separation = sqrt(least);
  s->normal = mo_dscale(1.0 / s->separation, s->normal);
  s->points[1] = point;
  s->is_of_face = false;
  if (!(s->separation > MO_NEARLY_TOUCHING * size && s->separation < INFINITY)) {
    return false;
  }
  s->support = mo_support_of_edge(p, closest, s->normal);
  return true;
}

/* Sets the points of an edge and the segment. Returns false where these are apart and come closest
 * beyond an end. */
static inline bool meet_between_ends(mo_hull_line *s, double size) {
  mo_dvec3 points[2];
  const double distance = mo_contact_closest_of_lines(s->edge, s->line, points);
  s->points[0] = points[0];
  s->points[1] = points[1];
  return !(s->separation > 0.0) || distance - s->separation <= MO_WELL_DEFINED * size;
}

bool MO_ISA_FN(mo_hull_line_find)(mo_hull_line *s) {
  mo_contact_polytope *p = s->hull;
  const double length = mo_dlength(s->line.half), size = p->body->size + length;
  const mo_dvec3 end[2] = {mo_dsub(s->line.center, s->line.half),
                           mo_dadd(s->line.center, s->line.half)};
  const double slack =
      MO_BOUND_SLACK * size + MO_DISTANCE_SLACK * mo_dlength(mo_dsub(s->line.center, p->center));
  mo_face_heights h;
  mo_find_face_heights(p, end, 2, &h);
  try_faces(s, end, &h, slack);
  s->separation = s->of_faces;
  s->normal = s->face_normal;
  s->support = 1 + s->face;
  s->is_of_face = true;
  if (s->separation > s->most) {
    return true;
  }
  const int low = mo_ddot(s->normal, end[1]) < mo_ddot(s->normal, end[0]) ? 1 : 0;
  s->points[1] = end[low];
  s->points[0] = mo_dsub(end[low], mo_dscale(s->separation, s->normal));
  if (s->separation > 0.0 ? is_over(p, s->face, end[low]) : !(length > 0.0)) {
    return true;
  }
  if (!(length > 0.0)) {
    return find_closest_edge(s, &h, size, slack);
  }
  try_edges(s, &h, slack);
  s->is_of_face = s->separation == s->of_faces;
  return s->is_of_face ? !(s->separation > 0.0) : meet_between_ends(s, size);
}
