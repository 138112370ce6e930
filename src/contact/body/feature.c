/* Finds the feature (face, edge or vertex) that supports a box, triangle, hull, cylinder or cone
 * along a direction. */
#include "contact/body/feature.h"

#include "base/memory.h"
#include "contact/body/limits.h"
#include "geometry/body/body.h"

/* Sines of the tilt of a round flat end (1 and 5 degrees). At the first, a fifth contact point,
 * within the square of the other four, begins to move out to the deepest point of the rim; at the
 * second, it has reached the rim. */
static const double min_rim_tilt_sine = 0.017452406437283512,
                    max_rim_tilt_sine = 0.08715574274765817;

/* Cosine between the contact normal and the normal of a face beside a supporting edge. Such faces
 * with a smaller cosine are ignored, as they are nearly parallel to the contact normal. */
static const double min_adjacent_face_cosine = 0x1p-6;

/* Feature ids of cylinders and cones. Rim points are vertices, numbered from 0 on end a and from
 * FIRST_END_B_VERTEX on end b. The ends of a generator line of a cylinder's side are numbered from
 * FIRST_SIDE_VERTEX, and the line is the edge SIDE_EDGE. Where another outline crosses a rim, the
 * edge id is 0 or 1 on end a, 2 or 3 on end b. */
enum { FIRST_END_B_VERTEX = 8, APEX_VERTEX = 16, FIRST_SIDE_VERTEX = 24, SIDE_EDGE = 4 };

/* The cosine and sine of a full turn times step / MO_MAX_OUTLINE_CORNERS. */
static void cosine_and_sine_of_step(int step, double *cosine, double *sine) {
  static const double first[MO_MAX_OUTLINE_CORNERS / 4][2] = {
      {1.0, 0.0},
      {0.98078528040323043, 0.19509032201612825},
      {0.92387953251128674, 0.38268343236508977},
      {0.83146961230254524, 0.55557023301960218},
      {0.70710678118654757, 0.70710678118654757},
      {0.55557023301960218, 0.83146961230254524},
      {0.38268343236508977, 0.92387953251128674},
      {0.19509032201612825, 0.98078528040323043},
  };
  double c = first[step % (MO_MAX_OUTLINE_CORNERS / 4)][0],
         s = first[step % (MO_MAX_OUTLINE_CORNERS / 4)][1];
  int quarter = step / (MO_MAX_OUTLINE_CORNERS / 4);
  *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

static void add_corner(mo_contact_feature *f, mo_dvec3 point, uint32_t vertex, uint32_t edge) {
  f->outline[f->count] = point;
  f->vertex[f->count] = mo_feature_id(MO_FEATURE_VERTEX, vertex);
  f->edge[f->count] = mo_feature_id(MO_FEATURE_EDGE, edge);
  f->count++;
}

static void set_vertex(mo_contact_feature *f, mo_dvec3 point, uint32_t vertex) {
  f->count = 0;
  f->rim_count = 0;
  add_corner(f, point, vertex, 0);
  f->face = f->vertex[0];
}

static void set_edge(mo_contact_feature *f, mo_dvec3 start, mo_dvec3 end, uint32_t vertex[2],
                     uint32_t edge) {
  f->count = 0;
  f->rim_count = 0;
  add_corner(f, start, vertex[0], edge);
  add_corner(f, end, vertex[1], edge);
  f->face = f->edge[0];
}

/* Returns the axis of the box side whose normal is most parallel to n, or -1 if no side has an
 * area. `normal` receives the normal of the side that the axis points to; it may point against n.
 */
static int find_box_side_axis(const mo_contact_body *body, mo_dvec3 n, mo_dvec3 *normal) {
  int best = -1;
  double max = -1.0;
  for (int i = 0; i < 3; i++) {
    mo_dvec3 side = body->face_normal[i];
    double aligned = fabs(mo_ddot(side, n));
    if (aligned > max && mo_ddot(side, side) > 0.0) {
      max = aligned;
      best = i;
      *normal = side;
    }
  }
  return best;
}

/* Vertex ids of a box are bit masks: bit i is set where axis i is added to the centre. The id of an
 * edge is 8 times the axis it is parallel to, plus the vertex bits that its two ends share. */
static void set_box_face(mo_contact_feature *f, const mo_contact_body *body, int axis, bool upper) {
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  uint32_t fixed = upper ? 1u << axis : 0;
  mo_dvec3 middle =
      upper ? mo_dadd(body->center, body->axis[axis]) : mo_dsub(body->center, body->axis[axis]);
  f->count = 0;
  f->rim_count = 0;
  for (int i = 0; i < 4; i++) {
    bool on_u = i == 1 || i == 2, on_v = i >= 2;
    mo_dvec3 point = on_u ? mo_dadd(middle, body->axis[u]) : mo_dsub(middle, body->axis[u]);
    point = on_v ? mo_dadd(point, body->axis[v]) : mo_dsub(point, body->axis[v]);
    uint32_t vertex = fixed | (on_u ? 1u << u : 0) | (on_v ? 1u << v : 0);
    int along = i % 2 == 0 ? u : v; /* axis parallel to the edge from this corner to the next */
    add_corner(f, point, vertex, (uint32_t)along * 8 + (vertex & ~(1u << along)));
  }
  f->face = mo_feature_id(MO_FEATURE_FACE, (uint32_t)axis * 2 + upper);
}

static void set_box_feature(mo_contact_feature *f, const mo_contact_body *body, mo_dvec3 n) {
  mo_dvec3 normal;
  int axis = find_box_side_axis(body, n, &normal);
  if (axis < 0) { /* a degenerate box: a segment or a point */
    mo_dvec3 end = body->axis[0];
    for (int i = 1; i < 3; i++) {
      end = mo_dlength(body->axis[i]) > mo_dlength(end) ? body->axis[i] : end;
    }
    set_edge(f, mo_dsub(body->center, end), mo_dadd(body->center, end), (uint32_t[2]){0, 7}, 0);
    return;
  }
  bool upper = mo_ddot(normal, n) >= 0.0;
  set_box_face(f, body, axis, upper);
  f->normal = upper ? normal : mo_dscale(-1.0, normal);
}

static mo_dvec3 triangle_normal(const mo_contact_body *body, mo_dvec3 n) {
  mo_dvec3 normal = mo_corners_normal(body->core.corners);
  return mo_ddot(normal, n) < 0.0 ? mo_dscale(-1.0, normal) : normal;
}

static void set_triangle_feature(mo_contact_feature *f, const mo_contact_body *body, mo_dvec3 n) {
  f->normal = triangle_normal(body, n);
  if (mo_ddot(f->normal, f->normal) > 0.0) {
    f->count = 0;
    f->rim_count = 0;
    for (uint32_t i = 0; i < 3; i++) {
      add_corner(f, body->core.corners[i], i, i);
    }
    f->face = mo_feature_id(MO_FEATURE_FACE, 0);
    return;
  }
  uint32_t longest = 0;
  double max = -1.0;
  for (uint32_t i = 0; i < 3; i++) {
    double length = mo_dlength(mo_dsub(body->core.corners[(i + 1) % 3], body->core.corners[i]));
    longest = length > max ? i : longest;
    max = mo_dmax(max, length);
  }
  uint32_t end = (longest + 1) % 3;
  set_edge(f, body->core.corners[longest], body->core.corners[end], (uint32_t[2]){longest, end},
           longest);
}

/* Reduces a face with more than MO_MAX_OUTLINE_CORNERS corners: keeps the corners that are the
 * support points along MO_MAX_OUTLINE_CORNERS evenly spaced directions in its plane. */
static void reduce_outline(mo_contact_feature *f, const mo_contact_body *body,
                           const mo_hull_polygon *face) {
  const mo_hull *hull = body->hull;
  mo_dvec3 first = mo_contact_hull_vertex(body, hull->half_edges[face->first].vertex);
  mo_dvec3 u = mo_dunit(mo_dsub(
      mo_contact_hull_vertex(body, hull->half_edges[face->first + face->count / 2].vertex), first));
  mo_dvec3 v = mo_dcross(f->normal, u);
  uint32_t last = MO_NONE, begin = MO_NONE;
  for (int i = 0; i < MO_MAX_OUTLINE_CORNERS; i++) {
    double cosine, sine;
    cosine_and_sine_of_step(i, &cosine, &sine);
    mo_dvec3 direction = mo_dadd(mo_dscale(cosine, u), mo_dscale(sine, v));
    uint32_t best = 0;
    double max = -INFINITY;
    for (uint32_t k = 0; k < face->count; k++) {
      mo_dvec3 point = mo_contact_hull_vertex(body, hull->half_edges[face->first + k].vertex);
      double along = mo_ddot(mo_dsub(point, first), direction);
      best = along > max ? k : best;
      max = mo_dmax(max, along);
    }
    begin = i == 0 ? best : begin;
    if (best != last && (i == 0 || best != begin)) {
      uint32_t half_edge = face->first + best;
      add_corner(f, mo_contact_hull_vertex(body, hull->half_edges[half_edge].vertex),
                 hull->half_edges[half_edge].vertex, half_edge);
    }
    last = best;
  }
}

/* Sets the outline and ids of a hull face. f->normal must be set already. */
static void set_hull_face(mo_contact_feature *f, const mo_contact_body *body, uint32_t face) {
  const mo_hull *hull = body->hull;
  const mo_hull_polygon *polygon = &hull->faces[face];
  f->count = 0;
  f->rim_count = 0;
  f->face = mo_feature_id(MO_FEATURE_FACE, face);
  if (polygon->count > MO_MAX_OUTLINE_CORNERS) {
    reduce_outline(f, body, polygon);
    return;
  }
  for (uint32_t i = 0; i < polygon->count; i++) {
    const mo_hull_half_edge *edge = &hull->half_edges[polygon->first + i];
    uint32_t twin = edge->twin;
    add_corner(f, mo_contact_hull_vertex(body, edge->vertex), edge->vertex,
               twin < polygon->first + i ? twin : polygon->first + i);
  }
}

static void set_hull_feature(mo_contact_feature *f, const mo_contact_body *body, uint32_t face,
                             mo_dvec3 n) {
  const mo_hull *hull = body->hull;
  if (face != MO_NONE) {
    f->normal = mo_hull_face_normal(hull, body->column, face);
    set_hull_face(f, body, face);
    return;
  }
  face = mo_hull_face_along(hull, body->column, n, &f->normal);
  if (face == MO_NONE) {
    uint32_t vertex = mo_hull_farthest_vertex(hull, mo_dot_columns(body->column, n), MO_NONE);
    set_vertex(f, mo_contact_hull_vertex(body, vertex), vertex);
    return;
  }
  set_hull_face(f, body, face);
}

/* --- cylinders and cones --- */

static mo_dvec3 rim_point(const mo_contact_body *body, double cosine, double sine) {
  return mo_dadd(mo_dscale(cosine, body->axis[1]), mo_dscale(sine, body->axis[2]));
}

/* The support point of a rim along n, as the cosine and sine of its angle on the rim. */
static void rim_support_angle(const mo_contact_body *body, mo_dvec3 n, double *cosine,
                              double *sine) {
  double u = mo_ddot(body->axis[1], n), v = mo_ddot(body->axis[2], n), width = sqrt(u * u + v * v);
  *cosine = width > 0.0 ? u / width : 1.0;
  *sine = width > 0.0 ? v / width : 0.0;
}

/* Sets the contact points of a rim: four that are fixed to the body, and a fifth that moves out to
 * the deepest point of the rim as the face tilts. */
static void set_rim_points(mo_contact_feature *f, const mo_contact_body *body, mo_dvec3 n,
                           mo_dvec3 middle, uint32_t first) {
  const double fixed[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
  for (uint32_t i = 0; i < 4; i++) {
    f->rim[i] = mo_dadd(middle, rim_point(body, fixed[i][0], fixed[i][1]));
    f->rim_id[i] = mo_feature_id(MO_FEATURE_VERTEX, first + i);
  }
  f->rim_count = 4;
  double tilt = mo_dlength(mo_dcross(f->normal, n));
  double out = mo_dmin((tilt - min_rim_tilt_sine) / (max_rim_tilt_sine - min_rim_tilt_sine), 1.0);
  if (out > 0.0) {
    double cosine, sine;
    rim_support_angle(body, n, &cosine, &sine);
    /* The four fixed points form a square. This is the distance from its centre to its border at
     * the angle of the deepest point, in radii. */
    double chord = 1.0 / (fabs(cosine) + fabs(sine));
    double radius = chord + out * (1.0 - chord);
    f->rim[4] = mo_dadd(middle, rim_point(body, radius * cosine, radius * sine));
    f->rim_id[4] = mo_feature_id(MO_FEATURE_VERTEX, first + 4);
    f->rim_count = 5;
  }
}

static void set_round_end(mo_contact_feature *f, const mo_contact_body *body, mo_dvec3 n,
                          bool end_b) {
  mo_dvec3 middle =
      end_b ? mo_dadd(body->center, body->axis[0]) : mo_dsub(body->center, body->axis[0]);
  for (int i = 0; i < MO_MAX_OUTLINE_CORNERS / 2; i++) {
    double cosine, sine;
    cosine_and_sine_of_step(i, &cosine, &sine);
    const mo_dvec3 out = rim_point(body, cosine, sine);
    f->outline[i] = mo_dadd(middle, out);
    f->outline[i + MO_MAX_OUTLINE_CORNERS / 2] = mo_dsub(middle, out);
  }
  for (int i = 0; i < MO_MAX_OUTLINE_CORNERS; i++) {
    f->vertex[i] = mo_feature_id(MO_FEATURE_VERTEX, 0);
    f->edge[i] = mo_feature_id(MO_FEATURE_EDGE, end_b ? 2 : 0);
  }
  f->count = MO_MAX_OUTLINE_CORNERS;
  f->face = mo_feature_id(MO_FEATURE_FACE, end_b);
  set_rim_points(f, body, n, middle, end_b ? FIRST_END_B_VERTEX : 0);
}

/* Normalises `normal`, the cross product of u and v. Returns zero if it is only rounding error
 * compared with the lengths of u and v: then they span no face. */
static mo_dvec3 unit_normal_or_zero(mo_dvec3 normal, mo_dvec3 u, mo_dvec3 v) {
  double size = mo_dmax(mo_ddot(u, u), mo_ddot(v, v));
  return mo_dlength(normal) > 0x1p-40 * size ? mo_dunit(normal) : mo_dvec(0.0, 0.0, 0.0);
}

/* The normal of the end that faces n. Zero where that end has no area, or does not exist (apex of a
 * cone). */
static mo_dvec3 end_normal(const mo_contact_body *body, mo_dvec3 n, bool *end_b) {
  mo_dvec3 normal =
      unit_normal_or_zero(mo_dcross(body->axis[1], body->axis[2]), body->axis[1], body->axis[2]);
  double along = mo_ddot(normal, body->axis[0]);
  normal = along < 0.0 ? mo_dscale(-1.0, normal) : normal;
  bool upper = mo_ddot(normal, n) >= 0.0;
  *end_b = upper || body->kind == MO_CORE_CONE;
  /* The base of a cone whose height is 0 faces both ways. */
  if (!upper && body->kind == MO_CORE_CONE && fabs(along) > 0x1p-40 * mo_dlength(body->axis[0])) {
    return mo_dvec(0.0, 0.0, 0.0);
  }
  return upper ? normal : mo_dscale(-1.0, normal);
}

/* The generator line of the curved side that is farthest along n, from end a (or the apex) to end
 * b. Returns the outward normal of the side there, or zero. */
static mo_dvec3 find_side_generator(const mo_contact_body *body, mo_dvec3 n, mo_dvec3 line[2]) {
  double cosine, sine;
  rim_support_angle(body, n, &cosine, &sine);
  mo_dvec3 rim = rim_point(body, cosine, sine);
  line[1] = mo_dadd(mo_dadd(body->center, body->axis[0]), rim);
  line[0] = mo_dsub(body->center, body->axis[0]);
  if (body->kind == MO_CORE_CYLINDER) {
    line[0] = mo_dadd(line[0], rim);
  }
  mo_dvec3 down = mo_dsub(line[1], line[0]), across = rim_point(body, -sine, cosine);
  mo_dvec3 normal = unit_normal_or_zero(mo_dcross(down, across), down, rim);
  return mo_ddot(normal, rim) < 0.0 ? mo_dscale(-1.0, normal) : normal;
}

static void set_cylinder_or_cone_feature(mo_contact_feature *f, const mo_contact_body *body,
                                         mo_dvec3 n) {
  bool end_b;
  mo_dvec3 line[2];
  mo_dvec3 end = end_normal(body, n, &end_b), side = find_side_generator(body, n, line);
  bool has_end = mo_ddot(end, end) > 0.0, has_side = mo_ddot(side, side) > 0.0;
  if (has_end && (!has_side || mo_ddot(end, n) >= mo_ddot(side, n) - 0x1p-30)) {
    f->normal = end;
    set_round_end(f, body, n, end_b);
    return;
  }
  uint32_t ids[2] = {body->kind == MO_CORE_CONE ? (uint32_t)APEX_VERTEX
                                                : (uint32_t)FIRST_SIDE_VERTEX,
                     (uint32_t)FIRST_SIDE_VERTEX + 1};
  set_edge(f, line[0], line[1], ids, SIDE_EDGE);
}

/* Replaces a face that is too steep for n by its edge that is farthest along n, or a round face by
 * a point of its rim. */
static void reduce_to_edge_or_vertex(mo_contact_feature *f, mo_dvec3 n) {
  int best = 0;
  double max = -INFINITY;
  if (f->rim_count > 0) {
    best = f->rim_count - 1;
    mo_dvec3 point = f->rim[best];
    uint32_t id = f->rim_id[best];
    set_vertex(f, point, id);
    return;
  }
  for (int i = 0; i < f->count; i++) {
    double height = mo_ddot(mo_dadd(f->outline[i], f->outline[(i + 1) % f->count]), n);
    best = height > max ? i : best;
    max = mo_dmax(max, height);
  }
  int next = (best + 1) % f->count;
  mo_dvec3 start = f->outline[best], end = f->outline[next];
  uint32_t ids[2] = {f->vertex[best], f->vertex[next]};
  set_edge(f, start, end, ids, f->edge[best]);
}

static void add_rounding(mo_contact_feature *f, const mo_contact_body *body, mo_dvec3 n) {
  if (body->ball_radius == 0.0 && body->ellipsoid_radius == 0.0) {
    return;
  }
  mo_dvec3 rounding = mo_contact_body_rounding(body, n);
  for (int i = 0; i < f->count; i++) {
    f->outline[i] = mo_dadd(f->outline[i], rounding);
  }
  for (int i = 0; i < f->rim_count; i++) {
    f->rim[i] = mo_dadd(f->rim[i], rounding);
  }
}

void mo_contact_feature_of(mo_contact_feature *f, const mo_contact_body *body, mo_dvec3 n) {
  mo_contact_feature_of_face(f, body, MO_NONE, n);
}

void mo_contact_feature_of_face(mo_contact_feature *f, const mo_contact_body *body, uint32_t face,
                                mo_dvec3 n) {
  switch (body->kind) {
  case MO_CORE_POINT:
    set_vertex(f, body->center, 0);
    break;
  case MO_CORE_SEGMENT:
    set_edge(f, mo_dsub(body->center, body->axis[0]), mo_dadd(body->center, body->axis[0]),
             (uint32_t[2]){0, 1}, 0);
    break;
  case MO_CORE_BOX:
    set_box_feature(f, body, n);
    break;
  case MO_CORE_TRIANGLE:
    set_triangle_feature(f, body, n);
    break;
  case MO_CORE_HULL:
    set_hull_feature(f, body, face, n);
    break;
  case MO_CORE_CYLINDER:
  case MO_CORE_CONE:
    set_cylinder_or_cone_feature(f, body, n);
    break;
  }
  if (f->count > 2 && !(mo_ddot(f->normal, n) > MO_STEEP_FACE_COSINE)) {
    reduce_to_edge_or_vertex(f, n);
  }
  add_rounding(f, body, n);
}

/* Sets `beside` to the side of a box that shares edge number `edge` with the side `f`. Edges 0 and
 * 2 of a side are along its first axis, at the lower and upper end of its second; 3 and 1 are along
 * the second, at the lower and upper end of the first. */
static void set_adjacent_box_side(mo_contact_feature *beside, const mo_contact_body *body,
                                  const mo_contact_feature *f, int edge) {
  const int own = (int)(f->face & 0x3fffffffu) / 2;
  const int axis = edge % 2 == 0 ? (own + 2) % 3 : (own + 1) % 3;
  const bool upper = edge == 1 || edge == 2;
  set_box_face(beside, body, axis, upper);
  beside->normal = upper ? body->face_normal[axis] : mo_dscale(-1.0, body->face_normal[axis]);
}

/* Sets `beside` to the face of a hull that shares edge number `edge` with the face `f`. Returns
 * false for faces with more corners than an outline can have. */
static bool set_adjacent_hull_face(mo_contact_feature *beside, const mo_contact_body *body,
                                   const mo_contact_feature *f, int edge) {
  const mo_hull *hull = body->hull;
  const mo_hull_polygon *polygon = &hull->faces[f->face & 0x3fffffffu];
  if ((uint32_t)f->count != polygon->count) {
    return false;
  }
  const mo_hull_half_edge *own = &hull->half_edges[polygon->first + (uint32_t)edge];
  const uint32_t face = hull->half_edges[own->twin].face;
  beside->normal = mo_hull_face_normal(hull, body->column, face);
  set_hull_face(beside, body, face);
  return (uint32_t)beside->count == hull->faces[face].count;
}

bool mo_contact_adjacent_face(mo_contact_feature *beside, const mo_contact_body *body,
                              const mo_contact_feature *f, int edge, mo_dvec3 n) {
  if (body->kind == MO_CORE_BOX) {
    set_adjacent_box_side(beside, body, f, edge);
  } else if (body->kind != MO_CORE_HULL || !set_adjacent_hull_face(beside, body, f, edge)) {
    return false;
  }
  if (!(mo_ddot(beside->normal, n) > min_adjacent_face_cosine)) {
    return false;
  }
  add_rounding(beside, body, n);
  return true;
}

mo_dvec3 mo_contact_face_normal(const mo_contact_body *body, mo_dvec3 n) {
  mo_dvec3 normal = {0.0, 0.0, 0.0};
  bool end_b;
  switch (body->kind) {
  case MO_CORE_POINT:
  case MO_CORE_SEGMENT:
    return normal;
  case MO_CORE_BOX:
    if (find_box_side_axis(body, n, &normal) >= 0 && mo_ddot(normal, n) < 0.0) {
      normal = mo_dscale(-1.0, normal);
    }
    return normal;
  case MO_CORE_TRIANGLE:
    return triangle_normal(body, n);
  case MO_CORE_HULL:
    return mo_hull_face_along(body->hull, body->column, n, &normal) == MO_NONE
               ? mo_dvec(0.0, 0.0, 0.0)
               : normal;
  case MO_CORE_CYLINDER:
  case MO_CORE_CONE:
    return end_normal(body, n, &end_b);
  }
  __builtin_unreachable();
}
